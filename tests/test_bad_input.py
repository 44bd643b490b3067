"""Bad input to the classifier, the noise, the settings and model files ends in one sentence, never in a wrong answer.

In: small tables made here, broken on purpose. Out: failures of how the engine reads them, of `noise`, `recipe` and
`model_file`.
"""

from __future__ import annotations

import datetime
import json
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from engine import Noise, PenumbraError, UncertainTreeClassifier, variant
from engine.evidence import Evidence, axis_of
from engine.exports import javascript_function, pmml, python_function
from engine.model_file import checksum
from engine.noise import ResolvedNoise
from engine.noise_table import Stated, from_csv
from engine.patient_row import one_row

RNG = np.random.default_rng(8)
X = pd.DataFrame({"glucose": RNG.normal(110, 20, 60), "bmi": RNG.normal(28, 4, 60)})
Y = np.where(X["glucose"] + X["bmi"] > 138, "ill", "well")
PATIENT = {"glucose": 200.0, "bmi": 20.0}


def fitted(data=X, **params):
    return UncertainTreeClassifier(min_weight_leaf=1, **params).fit(data, Y)


MODEL = fitted(noise=Noise(sigma={"glucose": 5.0}), evaluation="soft", zone="noise")


def refused(words, call):
    """Check that a call is refused in one line that holds the words, and return it."""
    with pytest.raises(PenumbraError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Columns and cells


def test_a_repeated_column_is_refused_where_patients_are_read():
    refused("'glucose'", lambda: MODEL.predict(pd.concat([X, X[["glucose"]]], axis=1)))
    refused("'glucose'", lambda: MODEL.case(pd.Series([1.0, 2.0, 3.0], index=["glucose", "bmi", "glucose"])))
    refused("'glucose'", lambda: MODEL.case(pd.DataFrame([[1.0, 2.0, 3.0]], columns=["glucose", "bmi", "glucose"])))


def test_a_model_of_an_array_matches_names_or_positions():
    model = fitted(X.to_numpy())
    right = model.predict_proba([[200.0, 20.0]])[0]
    for patient in ({"x1": 20.0, "x0": 200.0}, {1: 20.0, 0: 200.0}, pd.Series({"x1": 20.0, "x0": 200.0})):
        np.testing.assert_array_equal(model.case(patient).probability, right)
    swapped = pd.DataFrame({"x1": X["bmi"], "x0": X["glucose"]})
    np.testing.assert_array_equal(model.predict(swapped), model.predict(X.to_numpy()))
    np.testing.assert_array_equal(model.predict(pd.DataFrame(X.to_numpy())), model.predict(X.to_numpy()))
    refused("'foo'.*x0, x1", lambda: model.case({"foo": 1.0, "x0": 2.0}))
    refused("'glucose'", lambda: model.predict(X))


@pytest.mark.parametrize(
    "cell",
    [
        pd.Timestamp("2024-01-01"), np.datetime64("2024-01-01"), pd.Timedelta("1D"), np.timedelta64(5, "s"),
        datetime.date(2024, 1, 1), 1 + 2j, True, np.True_, "1_000", b"1", [1.0], {}, 10**400,
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_in_a_numeric_column(cell):
    refused("'glucose'", lambda: MODEL.case({**PATIENT, "glucose": cell}))
    refused("'glucose'", lambda: MODEL.predict(pd.DataFrame({"glucose": pd.Series([cell]), "bmi": [20.0]})))


@pytest.mark.parametrize("cell", [None, np.nan, pd.NA, "105.5", 105, np.float32(105)])
def test_numbers_and_missing_ones_are_read(cell):
    assert MODEL.case({**PATIENT, "glucose": cell}).probability.sum() == pytest.approx(1.0)


def in_every_form(cells, names):
    """Return one patient in every form that `case` takes."""
    series, by_name = pd.Series(cells, index=names, dtype=object), dict(zip(names, cells, strict=True))
    table = pd.DataFrame({name: pd.Series([cell], dtype=object) for name, cell in by_name.items()})
    turned = dict(reversed(by_name.items()))
    return [cells, tuple(cells), [cells], np.array(cells, dtype=object), by_name, turned, series, series[::-1], table]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("number", [float, np.float64, np.float32, int, str])
def test_one_patient_reads_alike_in_every_form(number, missing):
    numeric, mixed = fitted(), fitted(X.assign(sex=np.where(X["bmi"] > 28.0, "f", "m")))
    for model, cells, want in (
        (numeric, [number(104), number(31)], [104.0, 31.0]),
        (numeric, [number(104), missing], [104.0, np.nan]),
        (mixed, [number(104), missing, "m"], [104.0, np.nan, 1.0]),
        (mixed, [number(104), number(31), missing], [104.0, 31.0, np.nan]),
    ):
        for patient in in_every_form(cells, model.schema_.names):
            row = model.encode(one_row(patient, model.schema_))
            np.testing.assert_array_equal(row, [want])
            assert row.flags.writeable  # every kernel would be compiled once more for a read-only one
        for wrong in (cells[:-1], [*cells, 1.0], np.array([*cells, 1.0], dtype=object), [cells, cells]):
            refused(f"one patient with {len(cells)} values", partial(model.case, wrong))


@pytest.mark.parametrize("cell", [np.inf, -np.inf, np.float64(np.inf), "inf"])
def test_an_infinite_reading_is_refused_in_every_form(cell):
    for patient in in_every_form([104.0, cell], MODEL.schema_.names):
        refused("'bmi' holds infinity", partial(MODEL.case, patient))


@pytest.mark.parametrize(
    "column",
    [
        X["glucose"] + 1j, pd.to_timedelta(X["glucose"], unit="s"), pd.Series([datetime.date(2024, 1, 1)] * 60),
        pd.Series([[1]] * 60), pd.Series([{}] * 60), pd.Series([(1, 2)] * 60), pd.Series([10**400] * 60),
    ],
)  # fmt: skip
def test_columns_that_are_neither_numbers_nor_categories_are_refused_at_fit(column):
    refused("'glucose'", lambda: fitted(X.assign(glucose=column)))


def test_no_error_lists_what_patients_had():
    ages = X.assign(age=np.arange(31, 91)).round()
    model = fitted(ages, nominal=["age"])
    sentence = refused("60 in number", lambda: model.predict(ages.assign(age=17)))
    assert not re.search(r"\b3[1-9]\b", sentence)
    refused("'u', 'v'", lambda: fitted(X.assign(s=["u", "v"] * 30)).predict(X.assign(s="w")))
    refused("60 in number", lambda: UncertainTreeClassifier(class_weight={"q": 2.0}).fit(X, ages["age"]))
    said = refused("only one class", lambda: UncertainTreeClassifier().fit(X, [31] * 60))
    assert "31" not in said


def test_tables_that_are_none_are_refused():
    refused("differ in length", lambda: UncertainTreeClassifier().fit([[1.0, 2.0], [3.0]], ["a", "b"]))
    refused("nominal is no list", lambda: fitted(nominal=5))
    refused("nominal is no list", lambda: fitted(nominal="bmi"))
    refused("one patient", lambda: MODEL.case([np.zeros((2, 1)), np.zeros((2, 2))]))


# Labels and weights


@pytest.mark.parametrize("kind", [pd.Series, list, np.array])
def test_measured_labels_are_refused_in_every_kind_of_list(kind):
    measured, endless = RNG.normal(size=60), [1.0, np.inf] * 30
    refused("continuous", lambda: UncertainTreeClassifier().fit(X, kind(measured)))
    refused("infinity", lambda: UncertainTreeClassifier().fit(X, kind(endless)))
    assert UncertainTreeClassifier().fit(X, kind([0.0, 1.0] * 30)).classes_.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("y", [[{}] * 60, [[["a"]]] * 60, "ab" * 30, dict.fromkeys(range(60), "a"), [()] * 60])
def test_labels_that_are_no_classes_are_refused(y):
    refused("y ", lambda: UncertainTreeClassifier().fit(X, y))


@pytest.mark.parametrize("weight", [1e308, 5e306, 1e-200])
def test_weights_whose_squares_leave_the_numbers_are_refused(weight):
    refused("sample_weight", lambda: UncertainTreeClassifier().fit(X, Y, sample_weight=np.full(60, weight)))
    refused("class_weight", lambda: fitted(class_weight={"ill": weight, "well": weight}))


@pytest.mark.parametrize("weights", [["a"] * 60, pd.date_range("2024", periods=60), [1j] * 60, [10**400] * 60])
def test_weights_that_are_no_numbers_are_refused(weights):
    refused("sample_weight", lambda: UncertainTreeClassifier().fit(X, Y, sample_weight=weights))


# Noise


@pytest.mark.parametrize(
    "noise",
    [
        Noise(sigma=1e308), Noise.of_sd(1e308), Noise.of_sd(1e7), Noise(sigma=1e9), Noise(cv=1e300),
        Noise(sigma=10**400), Noise(sigma="8"), Noise(sigma=True), Noise(sigma={"glucose": [1]}),
        Noise(sigma=np.ones((2, 2))), Noise(shape=["normal", ["x"]]), Noise(shape={"glucose": ["laplace"]}),
    ],
)  # fmt: skip
def test_a_noise_that_says_nothing_is_refused(noise):
    refused("glucose|bmi", lambda: fitted(noise=noise, evaluation="coherent"))


def test_sigma_never_becomes_infinite():
    refused("u_e", lambda: fitted(noise=Noise(sigma=5.0), u_e=1e300))
    model = fitted(noise=Noise(cv=50), evaluation="coherent")
    refused("'glucose'.*infinite", lambda: model.case({**PATIENT, "glucose": 1e308}))
    refused("'glucose'.*infinite", lambda: model.predict_proba([[1e308, 20.0]]))
    refused("too large", lambda: model.noise_evaluation_.at(0, 1e308))
    one = np.array([1e300])
    refused("too large", lambda: ResolvedNoise(one, 0 * one, np.array([0]), 0 * one).scaled(1e300))


def test_a_sigma_in_a_zero_dimensional_array_is_a_number():
    assert fitted(noise=Noise(sigma=np.array(8.0))).noise_search_.sigma.tolist() == [8.0, 8.0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a,of_mean,5,", "needs a figure under percent"), ("a,of_mean,5,0", "takes its figure under percent"),
        ("a,sd,,5", "needs a figure under value"), ("a,sd,,", "needs a figure under value"),
        ("a,sd+cv,5,", "needs a figure under percent"), ('a,sd,"1,234",', "thousands or decimals"),
        ("a,sd,1_000,", "not a number"), ("a,sd,nan,", "not a number"), ("a,sd,1e999,", "0 or more"),
        ("a,sd,1,\na,sd,2,", "2 lines"),
    ],
)  # fmt: skip
def test_a_line_of_sigma_that_says_nothing_certain_is_said(line, words):
    stated, problems = from_csv(f"variable,form,value,percent\n{line}\nb,sd,0.5,\n".encode(), {"a": True, "b": True})
    assert stated == {"b": Stated("sd", 0.5)}
    assert [words in problem and "“a”" in problem for problem in problems] == [True]


# Settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"tau": np.array([0.5, 0.6])}, {"criterion": np.array(["gini"])}, {"class_weight": np.array([1, 2])},
        {"class_weight": {"ill": np.array([1, 2])}}, {"threshold": ["midpoint"]}, {"pruning_laplace": "no"},
        {"mdl_correction": 1}, {"max_depth": np.array([3, 4])}, {"min_weight_leaf": np.array([1, 2])},
        {"u_s": 10**400}, {"width": [1]}, {"abstain_cost": [3]}, {"n_points": [5]}, {"zone_z": np.timedelta64(5, "s")},
    ],
)  # fmt: skip
def test_a_setting_of_another_kind_is_one_sentence(wrong):
    refused(next(iter(wrong)), lambda: UncertainTreeClassifier(**wrong).fit(X, Y))


def test_a_variant_of_another_kind_is_one_sentence():
    refused("no variant", lambda: variant(["CART"]))


@pytest.mark.parametrize("name", ["n_leaves_", "depth_"])
def test_figures_of_the_tree_need_a_fit(name):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(UncertainTreeClassifier(), name)


# Model files


def put(*path):
    """Return a change of a parsed model file that puts the last argument at the place the others name."""

    def change(record):
        for step in path[:-2]:
            record = record[step]
        record[path[-2]] = path[-1]

    return change


def altered(change, checked):
    """Return the text of MODEL's file with a change, its checksum worked out again where `checked`."""
    record = json.loads(MODEL.to_json())
    change(record)
    if checked:
        record["sha256"] = checksum(record)
    return json.dumps(record)


@pytest.mark.parametrize(
    "change",
    [
        put("tree", "threshold", 0, 3.5), put("resolved_noise", "evaluation", "sigma", 0, 0.0),
        put("schema", "names", ["bmi", "glucose"]), put("params", "tau", 0.2), lambda record: record.pop("sha256"),
        put("sha256", 5), put("tree", "threshold", 0, float("nan")),
    ],
)  # fmt: skip
def test_a_model_file_altered_by_hand_is_refused(change):
    refused("altered|damaged", lambda: UncertainTreeClassifier.from_json(altered(change, checked=False)))


@pytest.mark.parametrize(
    "change",
    [
        put("tree", "probability", 0, [0.9, 0.1]), put("classes", ["well", "ill"]), put("classes", [["a"], ["b"]]),
        put("tree", "box_low", 1, 150.0), put("tree", "box_high", 0, 50.0), put("tree", "low", 0, -1e5),
        put("tree", "threshold", 0, 3.5), put("tree", "threshold", 0, "5"), put("tree", "threshold", 0, {}),
        put("tree", "variable", 0, 0.9), put("tree", "variable", 0, True), put("tree", "parent", 0, 10**30),
        put("tree", "closed_le", 0, 1), put("schema", "categories", [None]), put("schema", "categories", 0, ["u", "u"]),
        put("schema", "categories", 0, [["u"], ["v"]]), put("schema", "named", 1), put("schema", []),
        put("params", {}), put("params", []), put("params", "noise", None), put("params", "nominal", 5),
        put("params", "class_weight", [[["a"], 1]]), put("noise", "noise_x", None), put("noise", {}), put("noise", []),
        put("resolved_noise", "search", "shape", 0, 0.5), put("resolved_noise", "search", "sigma", [1.0]),
        lambda record: record["params"].update(zone="none", evaluation="soft"),
        lambda record: record["params"].pop("tau"),
    ],
)  # fmt: skip
def test_a_model_file_that_contradicts_itself_is_refused_though_its_checksum_fits(change):
    refused(r"model file .*\.$", lambda: UncertainTreeClassifier.from_json(altered(change, checked=True)))


def test_a_setting_that_is_not_known_is_named():
    text = altered(put("noise", "noise_x", None), checked=True)
    refused("'noise_x'", lambda: UncertainTreeClassifier.from_json(text))


@pytest.mark.parametrize("depth", [200, 900, 1_000_000])
@pytest.mark.parametrize("place", ['"threshold": [', '"params": {"x": ', '"names": ['])
def test_deep_nesting_in_a_model_file_is_refused(depth, place):
    start = place if place in MODEL.to_json() else '"params": {'
    text = MODEL.to_json().replace(start, place + "[" * depth + "]" * depth + ", ", 1)
    refused("model file", lambda: UncertainTreeClassifier.from_json(text))


def test_spaces_and_order_in_a_model_file_do_not_matter():
    record = json.loads(MODEL.to_json())
    again = UncertainTreeClassifier.from_json(json.dumps(record, indent=2, sort_keys=True))
    np.testing.assert_array_equal(again.predict_proba(X), MODEL.predict_proba(X))


# Extremes


@pytest.mark.parametrize(
    "values", [[-1.5e308, 0.0, 1.5e308], [1.7e308, 1.75e308, 1.79e308], [1.5e308] * 3, [-1.0, 2.0, 1e308]]
)
def test_values_near_the_largest_number_have_an_axis(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axis = axis_of(np.array(values))
    assert np.isfinite([axis.low, axis.high, axis.step]).all()
    assert axis.low < axis.high
    assert axis.step > 0.0


def test_values_near_the_largest_number_have_a_histogram_and_a_threshold():
    huge = pd.DataFrame({"x": np.r_[np.linspace(-1.5e308, -1e308, 30), np.linspace(1e308, 1.5e308, 30)]})
    model = UncertainTreeClassifier().fit(huge, ["a"] * 30 + ["b"] * 30)
    table, reach = model.training_weights(huge, ["a"] * 30 + ["b"] * 30)
    found = Evidence(model.tree_, model.encode(huge), table.labels.class_weights, table.weight, reach)
    for bins in (None, 7):
        histogram = found.histogram(0, bins)
        assert histogram.counts.sum() == 60
        assert np.isfinite(histogram.edges).all()
    assert found.threshold_text(0)
    assert found.split_counts(0).n == (30, 0, 30, 0)


def test_a_column_called_by_half_a_character_is_a_column():
    data = pd.DataFrame({0: np.arange(20.0), 1: np.arange(20.0) % 3})
    data.columns = pd.Index(["half\ud800", "b"], dtype=object)
    model = variant("C4.5").fit(data, np.arange(20) > 9)
    assert model.predict(data.iloc[:, ::-1]).tolist() == (np.arange(20) > 9).tolist()
    for patient in ({"half\ud800": 12.0, "b": 1.0}, {"b": "1", "half\ud800": 12}, [12.0, 1.0], data.iloc[12]):
        assert model.case(patient).answer
    refused("besides", lambda: MODEL.case(PATIENT | {"half\ud800": 1.0}))
    again = UncertainTreeClassifier.from_json(model.to_json())
    assert again.predict(data).tolist() == model.predict(data).tolist()
    python_function(model).encode("utf-8")
    javascript_function(model).encode("utf-8")
    with pytest.raises(PenumbraError, match="control character"):
        pmml(model)
