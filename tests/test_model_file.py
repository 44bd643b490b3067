"""Model files: their schema, predictions to the last bit, and what is refused.

In: fitted models of every kind. Out: failures where a file has another form, says something else, or passes altered.
"""

from __future__ import annotations

import json
import random
import re

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from engine import VARIANTS, Noise, PenumbraError, UncertainTreeClassifier, model_file, variant

MANY = {
    **{name: variant(name) for name in VARIANTS},
    "width": variant("UDT", width=0.2, n_points=20),
    "cost": variant("CART", decision="cost", cost=np.array([[0, 1], [5, 0]]), abstain_cost=np.float32(0.3)),
    "class weights": variant("C4.4", class_weight={"ill": 3, "well": np.float64(0.1)}),
    "balanced set": variant("CART", class_weight="balanced", decision="set", tau=np.float64(0.8)),
    "numbers of numpy": variant("C4.4", max_depth=np.int64(3), min_weight_leaf=np.int32(4), mdl_correction=np.False_),
    "release 8": variant("C4.5", min_weight_leaf="c45", criterion="gain_ratio", mdl_correction=True),
    "nominal": variant("C4.5", nominal=np.array(["grade"]), random_state=np.random.RandomState(1)),
    "by SD": variant("SS+STP+SE", noise=Noise.of_sd(0.1, shape={"glucose": "laplace"})),
    "by column": variant("SE", noise=Noise(sigma=[8.0, Noise.of_mean(0.05), None, None])),
    "each use": variant("SS+STP+SE", noise_search=Noise(cv=0.1), noise_evaluation=Noise(sigma=np.array(2.0)), u_e=0.5),
    "misrecorded": variant("SE", noise=Noise(misrecord={"smoker": 0.1}, sigma={"glucose": 1 / 3})),
    "bins": variant("CITree", criterion="information_gain", pruning="none", n_bins=4, max_depth=3),
    "deferred": variant("Ternary-margin", zone="noise", evaluation="deferred", noise=Noise(sigma=3.0)),
}


def patients(n=90, seed=5):
    """Return patients with a category, missing values and digits that a short print would lose."""
    rng = np.random.default_rng(seed)
    glucose, bmi, grade = rng.normal(110, 25, n), rng.lognormal(3.3, 0.2, n), rng.integers(0, 3, n)
    X = pd.DataFrame({"glucose": glucose, "bmi": bmi, "grade": grade, "smoker": rng.choice(["no", "yes"], n)})
    y = np.where(glucose + 2.0 * bmi + 10.0 * (X["smoker"] == "yes") + rng.normal(0, 12, n) > 170, "ill", "well")
    return X.mask(rng.random(X.shape) < 0.05), y


X, Y = patients()
NEW = pd.concat([X, patients(200, 6)[0]])
FITTED = {}


def fitted(name):
    """Return a model of MANY, fitted once, with a stated noise where it has none of its own."""
    if name not in FITTED:
        model = MANY[name]
        free = all(value is None for key, value in model.get_params().items() if "noise" in key or key == "width")
        FITTED[name] = (model.set_params(noise=Noise(sigma={"glucose": 8.0, "bmi": 0.1})) if free else model).fit(X, Y)
    return FITTED[name]


def bits(values):
    return np.ascontiguousarray(values).view(np.uint64)


@pytest.mark.parametrize("name", MANY)
def test_a_file_gives_the_same_answers_to_the_last_bit(name):
    model = fitted(name)
    again = UncertainTreeClassifier.from_json(model.to_json())
    for method in ("predict_proba", "shares"):
        np.testing.assert_array_equal(bits(getattr(again, method)(NEW)), bits(getattr(model, method)(NEW)))
    for method in ("predict", "decide", "decided"):
        assert list(getattr(again, method)(NEW)) == list(getattr(model, method)(NEW))
    np.testing.assert_array_equal(bits(again.tree_.threshold), bits(model.tree_.threshold))
    assert again.tree_.n_leaves > 1 or name == "CITree"
    assert again.to_json() == model.to_json()
    assert again.get_params().keys() == model.get_params().keys()
    assert again.classes_.dtype == model.classes_.dtype
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()


@pytest.mark.parametrize("name", MANY)
def test_a_file_has_the_form_of_its_schema(name):
    jsonschema.Draft202012Validator(model_file.file_schema()).validate(json.loads(fitted(name).to_json()))


def test_the_schema_is_one_itself_and_tells_forms_apart():
    jsonschema.Draft202012Validator.check_schema(model_file.file_schema())
    record = json.loads(fitted("CITree").to_json())
    for change in (
        lambda r: r.pop("sha256"), lambda r: r.update(version=2), lambda r: r.update(more=1),
        lambda r: r["params"].update(zone="wide"), lambda r: r["params"].pop("tau"),
        lambda r: r["tree"].update(threshold="x"), lambda r: r["tree"]["closed_le"].append(1),
        lambda r: r["noise"].update(noise={"sigma": -1}), lambda r: r["classes"].pop(),
    ):  # fmt: skip
        altered = json.loads(json.dumps(record))
        change(altered)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(altered, model_file.file_schema())


def test_a_fitted_class_of_whole_numbers_stays_whole():
    y = (Y == "ill").astype(np.int8) + 3
    model = variant("C4.4", class_weight={3: 2.0, np.int64(4): 1.0}).fit(X, y)
    again = UncertainTreeClassifier.from_json(model.to_json())
    assert again.class_weight == {3: 2.0, 4: 1.0}
    assert again.predict(X).dtype == model.predict(X).dtype
    jsonschema.validate(json.loads(model.to_json()), model_file.file_schema())


# What is refused


def read_or_refused(text):
    """Return what a text is read as, or None where it is refused in one clear sentence or two."""
    try:
        return UncertainTreeClassifier.from_json(text)
    except PenumbraError as error:
        said = str(error)
    assert re.fullmatch(r"(The|This)[^\n]{20,300}\.", said)
    return None


@pytest.mark.parametrize("name", ["Ternary-margin", "bins", "each use"])
def test_a_file_altered_anywhere_is_refused_or_says_the_same(name):
    model, draw = fitted(name), random.Random(0)
    text = model.to_json()
    for _ in range(100):
        at = draw.randrange(len(text))
        altered = text[:at] + draw.choice("0123456789-.e,:[]{}\"nulltrefas ∞\x00") + text[at + draw.randrange(2) :]
        again = read_or_refused(altered)
        assert again is None or again.to_json() == text


def test_a_file_cut_short_anywhere_is_refused():
    text = fitted("CART").to_json()
    for at in [*range(0, len(text), max(1, len(text) // 100)), len(text) - 1]:
        assert read_or_refused(text[:at]) is None


def test_a_text_too_long_is_refused_unread(monkeypatch):
    text = fitted("CART").to_json()
    monkeypatch.setattr(model_file, "LONGEST", len(text))
    UncertainTreeClassifier.from_json(text)
    monkeypatch.setattr(model_file.json, "loads", lambda text: pytest.fail("it was read"))
    with pytest.raises(PenumbraError, match="no Penumbra model file"):
        UncertainTreeClassifier.from_json(text + " ")


@pytest.mark.parametrize("version", [1, 2, 4, "3", None, 3.5, [3], 10**30])
def test_another_version_is_refused_by_name(version):
    record = {**json.loads(fitted("CART").to_json()), "version": version}
    with pytest.raises(PenumbraError, match=r"has version .*; this program reads version 3"):
        UncertainTreeClassifier.from_json(json.dumps(record))


def sealed(record):
    """Return a record as a file whose checksum is right: altered by somebody who knows how it is reckoned."""
    record["sha256"] = model_file.checksum(record)
    return json.dumps(record)


def refused(text, match):
    with pytest.raises(PenumbraError, match=match) as caught:
        UncertainTreeClassifier.from_json(text)
    assert len(str(caught.value)) < 200


WRONG = [
    (("more",), 1), (("schema", "more"), 1), (("tree", "more"), [1]), (("noise", "noise", "more"), 1),
    (("resolved_noise", "more"), {}), (("params", "random_state"), [1]), (("params", "random_state"), True),
    (("params", "tau"), "0.7"), (("params", "tau"), True), (("params", "nominal"), [[1]]),
    (("params", "class_weight"), {}), (("params", "class_weight"), [["ill", "3"]]), (("params", "max_depth"), "4"),
    (("noise", "noise", "sigma"), -1), (("noise", "noise", "sigma"), "8"), (("noise", "noise", "shape"), [[1]]),
    (("noise", "noise", "sigma", "by_name", "glucose"), "8"), (("zone_factor",), "1"), (("zone_factor",), False),
    (("tree", "threshold"), "x"), (("tree", "gain", 0), 1e308), (("tree", "gain", 0), None),
    (("tree", "first_child", 0), 0), (("tree", "first_child", 1), 0), (("tree", "first_child", 0), 10**400),
    (("tree", "parent", 1), 2), (("tree", "n_children", 0), 2**40), (("tree", "threshold", 0), "1.5"),
    (("tree", "closed_le", 0), 1), (("tree", "probability", 0, 0), None), (("classes",), ["ill", "ill"]),
    (("classes", 0), None), (("schema", "categories", 3), ["no", ["yes"]]), (("schema", "text_names"), None),
]  # fmt: skip


@pytest.mark.parametrize(("way", "value"), WRONG, ids=str)
def test_a_part_of_the_wrong_form_is_refused_even_under_a_right_checksum(way, value):
    record = json.loads(fitted("Ternary-margin").to_json())
    part = record
    for step in way[:-1]:
        part = part[step]
    part[way[-1]] = value
    refused(sealed(record), "damaged")


@pytest.mark.parametrize("way", [("zone_factor",), ("schema", "named"), ("tree", "gain"), ("params", "tau")])
def test_a_part_left_out_is_refused_and_named(way):
    record = json.loads(fitted("CART").to_json())
    part = record
    for step in way[:-1]:
        part = part[step]
    part.pop(way[-1])
    refused(sealed(record), " › ".join(way))


@pytest.mark.parametrize("again", ['"version": 3, "version": 3', '"version": 2, "version": 3'])
def test_a_part_that_is_there_twice_is_refused(again):
    text = fitted("CART").to_json()
    refused(text.replace('"version": 3', again), "there twice")
    refused(text.replace('"named": true', '"named": false, "named": true'), "there twice")


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_number_is_refused_by_name(token):
    refused(fitted("CART").to_json().replace('"zone_factor": null', f'"zone_factor": {token}'), f"holds {token},")


def test_numbers_beyond_a_float_and_lists_beyond_the_stack_are_refused():
    refused(fitted("CART").to_json().replace('"zone_factor": null', '"zone_factor": 1e999'), "damaged")
    for text in ("[" * 200_000, '{"format":' * 100_000, "9" * 10_000_000):
        assert read_or_refused(text) is None
    head = '{"format": "penumbra-model", "version": '
    for version in ("[" * 900 + "]" * 900, '"' + "x" * 100_000 + '"', "9" * 4000, "true", "3.0", "{}"):
        refused(head + version + "}", "this program reads version 3")


@pytest.mark.parametrize("turn", [lambda t: "\ufeff" + t, lambda t: t.encode(), lambda t: ("\ufeff" + t).encode(),
                                  lambda t: json.dumps(json.loads(t), indent=2)])  # fmt: skip
def test_what_editors_do_to_a_file_changes_nothing(turn):
    text = fitted("UDT").to_json()
    assert UncertainTreeClassifier.from_json(turn(text)).to_json() == text


@pytest.mark.parametrize("names", [
    [0, 1, 2, 3], [("a", 1), ("a", 2), "c", 3.5], pd.RangeIndex(4), [None, True, "c", b"d"],
    pd.MultiIndex.from_product([["a", "b"], [1, 2]]), pd.to_datetime(["2020", "2021", "2022", "2023"]),
], ids=str)  # fmt: skip
def test_columns_called_by_other_than_text_are_found_after_reading(names):
    data = X.set_axis(names, axis=1)
    noise = Noise(sigma={data.columns[0]: 8.0})
    model = variant("SS+STP+SE", noise=noise, nominal=[data.columns[2]]).fit(data, Y)
    again = UncertainTreeClassifier.from_json(model.to_json())
    np.testing.assert_array_equal(bits(again.predict_proba(data)), bits(model.predict_proba(data)))
    turned = data.iloc[:, ::-1]
    np.testing.assert_array_equal(bits(again.predict_proba(turned)), bits(model.predict_proba(data)))
    assert again.case(data.iloc[0]).answer == model.case(data.iloc[0]).answer
    assert not hasattr(again, "feature_names_in_")
    assert not hasattr(model, "feature_names_in_")
    assert again.to_json() == model.to_json()
    assert clone(again).fit(data, Y).tree_.to_dict() == model.tree_.to_dict()
    jsonschema.validate(json.loads(model.to_json()), model_file.file_schema())


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "3", "not JSON", b"\xff\xfe", None, 5, '{"format": "other"}'])
def test_what_is_no_model_file_is_refused(text):
    assert read_or_refused(text) is None
