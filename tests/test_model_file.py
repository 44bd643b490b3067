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


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "3", "not JSON", b"\xff\xfe", None, 5, '{"format": "other"}'])
def test_what_is_no_model_file_is_refused(text):
    assert read_or_refused(text) is None
