"""Single rules of zones, calibration and figures: columns and classes that zones are calibrated on, and
figures that are undefined or ill-stated.

In: small tables. Out: the engine's figures against numbers worked out by hand, and one sentence for each refusal.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine import Noise, PenumbraError, UncertainTreeClassifier, metrics
from engine.criteria import logical_entropy
from engine.table import equal_cuts


@pytest.fixture
def patients():
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"age": rng.integers(0, 20, 60).astype(float), "dose": rng.integers(0, 200, 60).astype(float)})
    y = np.where(X["age"] + rng.normal(0, 3, 60) + (X["dose"] > 150) * 8 > 11, "ill", "well").astype(object)
    return X, y


def noise_zones(X, y):
    noise = Noise(sigma={"age": 0.5, "dose": 9.0})
    model = UncertainTreeClassifier(criterion="gini", zone="noise", evaluation="zone", max_depth=3, noise=noise)
    return model.fit(X, y)


def test_calibration_reads_columns_by_name(patients):
    X, y = patients
    straight = noise_zones(X, y).calibrate_zones(X, y, 0.3)
    turned = noise_zones(X, y).calibrate_zones(X[["dose", "age"]], y, 0.3)
    assert turned.zone_factor_ == straight.zone_factor_
    assert turned.zone_rate_ == straight.zone_rate_


def test_calibration_refuses_other_columns_and_classes(patients):
    X, y = patients
    model = noise_zones(X, y)
    with pytest.raises(PenumbraError, match="lacks 'dose'"):
        model.calibrate_zones(X.rename(columns={"dose": "weight"}), y, 0.3)
    with pytest.raises(PenumbraError, match="its classes are 'ill', 'well'"):
        model.calibrate_zones(X, np.where(y == "ill", "dead", y), 0.3)


def test_training_weights_read_columns_by_name(patients):
    X, y = patients
    model = noise_zones(X, y)
    _, straight = model.training_weights(X, y)
    _, turned = model.training_weights(X[["dose", "age"]], y)
    np.testing.assert_array_equal(straight, turned)
    np.testing.assert_allclose(straight.sum(axis=0), model.tree_.weight)


def test_logical_entropy_of_unlabelled_patients_knows_no_limit_of_classes():
    """2 of one class, 1 of another, 3 unlabelled, over 13 classes: all 3 to the first; or none to the first."""
    member = np.zeros((3, 13), dtype=bool)
    member[0, 0] = member[1, 1] = True
    member[2] = True
    low, high = logical_entropy([2.0, 1.0, 3.0], member)
    assert low == pytest.approx(1 - (25 + 1) / 36)
    assert high == pytest.approx(1 - (4 + 1 + 11 * (3 / 11) ** 2) / 36)


@pytest.mark.parametrize(
    ("weights", "member"),
    [
        ([-1.0], [[True, False]]),
        ([np.nan], [[True, False]]),
        ([1.0, 2.0], [[True, False]]),
        ([1.0], [[False, False]]),
        ([1.0], [True, False]),
        ([1.0], [[True] * 2 + [False] * 11]),
    ],
)
def test_logical_entropy_refuses_what_is_no_label(weights, member):
    with pytest.raises(PenumbraError):
        logical_entropy(weights, member)


COST = [[0.0, 1.0], [1.0, 0.0]]
TWO = ["ill", "well"]


@pytest.mark.parametrize(
    ("figure", "sentence"),
    [
        (lambda: metrics.two_class_aggregate(["dead"], ["ill"], TWO), "truth holds a class"),
        (lambda: metrics.two_class_aggregate(["ill"], ["dead"], TWO), "answers holds a class"),
        (lambda: metrics.mean_cost(["ill"], ["ill"], TWO, [[0.0, 1.0]]), "cost has shape"),
        (lambda: metrics.mean_cost(["ill"], ["ill"], TWO, np.zeros((3, 3))), "there are 2 classes"),
        (lambda: metrics.mean_cost(["ill"], ["ill"], TWO, [[np.nan, 1.0], [1.0, 0.0]]), "missing or infinite"),
        (lambda: metrics.mean_cost(["ill"], ["ill"], TWO, "free"), "cost has shape"),
        (lambda: metrics.mean_cost(["ill"], [None], TWO, COST, np.nan), "abstain_cost is nan"),
        (lambda: metrics.zone_metrics(["ill"], ["ill"], [None]), "no verdict"),
        (lambda: metrics.zone_metrics(["ill"], ["ill"], [np.nan]), "no verdict"),
        (lambda: metrics.zone_metrics(["ill"] * 2, ["ill"] * 2, [True, False], np.nan), "cart_accuracy is nan"),
        (lambda: metrics.zone_metrics(["ill"], ["ill"], [True], 0.5, np.nan), "bayes_error is nan"),
        (lambda: metrics.mean_efficiency([0.5], []), "1 efficiencies but 0 rates"),
        (lambda: metrics.cover_hart("few", 2), "nearest_error is 'few'"),
        (lambda: metrics.cover_hart(0.1, 2.5), "at least two classes"),
        (lambda: metrics.balanced_accuracy([{"ill": 1}], ["ill"]), "a dict or a list of lists"),
        (lambda: metrics.roc_curve(["high"], [True]), "one finite score"),
    ],
)
def test_figures_refuse_with_one_sentence(figure, sentence):
    with pytest.raises(PenumbraError, match=sentence):
        figure()


@pytest.mark.parametrize(("low", "high", "n_bins"), [(3, 18, 10), (12, 184, 10), (2, 192, 10), (-3, 7, 10), (0, 10, 3)])
def test_a_decimal_on_a_cut_belongs_to_the_lower_bin(low, high, n_bins):
    """In tenths, where whole numbers say what lies on a cut: left of it when (v - low)·n_bins <= k·(high - low)."""
    cuts = equal_cuts(low / 10, high / 10, n_bins)
    for v in range(low, high + 1):
        above = sum((v - low) * n_bins > k * (high - low) for k in range(1, n_bins))
        assert int((v / 10 > cuts).sum()) == above, v


def test_cuts_closer_than_the_digits_kept_stay_apart():
    cuts = equal_cuts(1.0, 1.0 + 1e-13, 10)
    assert (np.diff(cuts) > 0).all()
    assert np.array_equal(equal_cuts(5.0, 5.0, 3), [5.0, 5.0])


def test_a_tree_puts_a_reading_on_a_cut_into_the_lower_bin():
    """0.3 to 1.8 in 10 bins: 0.9 is the fourth cut, so it goes with 0.8, who is ill, and not with 1.0, who is well."""
    X = pd.DataFrame({"x": [0.3, 0.8, 0.8, 0.8, 0.9, 1.0, 1.0, 1.0, 1.8]})
    y = ["well", "ill", "ill", "ill", "ill", "well", "well", "well", "well"]
    model = UncertainTreeClassifier(criterion="gini", branching="nary", n_bins=10, min_weight_leaf=1).fit(X, y)
    assert model.tree_.to_dict()["children"][3]["weight"] == 4.0
    assert model.predict(pd.DataFrame({"x": [0.9]}))[0] == "ill"
