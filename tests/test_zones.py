"""Zones, middle children, Quinlan's thresholds and calibration against their slow twins, and their limits.

In: seeded random tables. Out: failures that name the node and the figure that differ.
"""

from __future__ import annotations

import itertools
import math

import naive
import naive_zones
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from test_kernels import CRITERIA, coded, random_sets
from test_naive_whole import SHAPES, as_frame, as_labels, differences, engine_noise, random_table
from twins import twin

from engine import Noise, PenumbraError, UncertainTreeClassifier, kernels, variant
from engine.calibration import nearest_factor, scaled_zones, undecided_beyond
from engine.quinlan import edges
from engine.recipe import AXES, refusal
from engine.route import decided
from engine.tree import MIDDLE
from engine.zones import percentile

GROWN = [zone for zone in AXES["zone"] if zone not in ("none", "quinlan")]
PRECISE = ("margin", "class_overlap", "quinlan", "node_bootstrap")  # the twin of the last orders ties by class alone
EVALUATIONS = {"binary": ("zone", "deferred", "hard", "soft"), "middle": ("hard", "soft", "coherent")}


# Kernels and formulas


@twin("bootstrap_cuts")
@pytest.mark.parametrize("labels", ["precise", "abstain", "partial"])
@pytest.mark.parametrize("criterion", ["gini", "information_gain"])
def test_bootstrap_cuts(criterion, labels):
    rng = np.random.default_rng(5)
    for _ in range(12):
        n, n_classes = int(rng.integers(2, 30)), int(rng.integers(2, 4))
        x, weight = np.sort(rng.integers(0, 9, n) / 2.0), rng.choice([1.0, 0.4, 3.0], n)
        sets = random_sets(rng, n, n_classes, labels)
        code, kernel_labels = coded(sets, n_classes)
        draws = rng.integers(0, n, (5, n)).astype(np.int32)
        below, above = kernels.bootstrap_cuts(x, code, weight, draws, CRITERIA[criterion], kernel_labels)
        params = {"criterion": criterion, "threshold": "midpoint"}
        y = [tuple(sorted(s)) for s in sets]
        data = naive.prepare(x[:, None], y, params, weights=weight, classes=list(range(n_classes)))
        got = [(a + b) / 2.0 for a, b in zip(below, above, strict=True) if not math.isnan(a)]
        want = naive_zones.resample_thresholds(data, weight, 0, list(range(n)), draws.tolist())
        assert got == pytest.approx(want, abs=1e-12)


def test_percentiles_are_numpys():
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 10, 57):
        values = np.sort(rng.normal(size=n))
        for percent in (0.0, 10.0, 33.0, 90.0, 100.0):
            assert percentile(values, percent) == pytest.approx(np.percentile(values, percent), abs=1e-14)


def test_quinlan_edges():
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(1, 25))
        x = np.sort(rng.integers(0, 10, n) / 2.0)
        left, right = (rng.random((2, n)) < [[0.4], [0.5]]).astype(float)
        cut = float(rng.choice([*x, x.mean(), -1.0]))
        assert edges(x, left, right, cut) == pytest.approx(naive_zones.quinlan_edges(x, left, right, cut), abs=1e-12)


def test_quinlan_thresholds_of_release_8_on_iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    settings = {"criterion": "gain_ratio", "mdl_correction": True, "pruning_laplace": False}
    tree = variant("PLT", **settings).fit(X, y).tree_
    split = np.flatnonzero(tree.variable >= 0)
    got = {(tree.variables[tree.variable[k]][:9], tree.threshold[k]): (tree.low[k], tree.high[k]) for k in split}
    want = {
        ("petal wid", 0.6): (0.415098, 0.705658),
        ("petal wid", 1.7): (1.50809, 1.71838),
        ("petal wid", 1.5): (1.44572, 1.7),
        ("petal len", 4.9): (4.82276, 5.05448),
    }
    assert got.keys() == want.keys()
    for cut, zone in want.items():
        assert got[cut] == pytest.approx(zone, abs=5e-6)


# Whole trees


def random_problem(seed, **fixed):
    """Return one seeded problem: rows, labels, variables, parameters, noise, weights and queries."""
    rng = np.random.default_rng(seed)
    params = {
        "criterion": str(rng.choice(["information_gain", "gini", "gini", "gain_ratio"])),
        "mdl_correction": bool(rng.integers(0, 2)),
        "search": str(rng.choice(["exact", "exact", "soft"])),
        "propagation": str(rng.choice(["hard", "soft", "conditional"])),
        "branching": str(rng.choice(["binary", "middle"])),
        "zone": str(rng.choice(GROWN)),
        "pruning": str(rng.choice(["none", "pessimistic"])),
        "leaf": str(rng.choice(["frequency", "laplace"])),
        "threshold": str(rng.choice(["value", "midpoint", "observed"])),
        "max_depth": [2, 3, 4, None][int(rng.integers(0, 4))],
        "min_weight_leaf": float(rng.choice([1.0, 2.0, 3.0, 0.5])),
        "min_samples_middle": int(rng.choice([5, 5, 2, 0])),
        "confidence": float(rng.choice([0.1, 0.25, 0.6])),
        "percentile": float(rng.choice([10.0, 25.0])),
        "alpha": float(rng.choice([0.1, 0.3])),
        "n_bootstraps": int(rng.integers(2, 6)),
        "random_state": int(rng.integers(0, 5)),
        "resolution": 0.25,
        **fixed,
    }
    labels = "precise" if params["zone"] in PRECISE else str(rng.choice(["precise", "abstain", "partial"]))
    params["evaluation"] = str(rng.choice(EVALUATIONS[params["branching"]]))
    assert refusal(params) is None
    X, y, variables = random_table(rng, labels, bool(rng.random() < 0.4), bool(rng.random() < 0.4))
    if params["search"] == "soft" and params["zone"] == "node_bootstrap":
        X, y = X[:16], y[:16]
    numeric = [v["kind"] == "numeric" for v in variables]
    sigma = [float(rng.choice([0.0, 0.3, 0.8])) if k else 0.0 for k in numeric]
    misrecord = [0.0 if k else float(rng.choice([0.0, 0.15])) for k in numeric]
    noise = naive.make_noise(len(numeric), sigma, 0.0, misrecord, [str(rng.choice(SHAPES)) for _ in numeric])
    weights = rng.choice([1.0, 2.0, 0.5], len(y)) if rng.random() < 0.3 else None
    queries = X[rng.integers(0, len(X), 8)] + np.where(numeric, rng.choice([0.0, 0.25, -0.5], (8, len(numeric))), 0.0)
    queries[rng.random(queries.shape) < 0.1] = np.nan
    return X, y, variables, params, noise, weights, queries


def disagreements(problem):
    """Return sentences on everything in which the engine and the slow twin differ on one problem."""
    X, y, variables, params, noise, weights, queries = problem
    tree = naive_zones.fit(X, y, params, noise, weights, variables)
    model = UncertainTreeClassifier(noise=engine_noise(noise, variables), **params)
    model.fit(as_frame(X, variables), as_labels(y), sample_weight=weights)
    found = differences(model.tree_.to_dict(), tree)
    if found:
        return found
    Q = as_frame(queries, variables)
    shares = [naive_zones.leaf_shares(tree, row, params["evaluation"], noise) for row in queries]
    if not np.allclose(model.shares(Q), shares, atol=1e-9):
        found.append(f"shares {model.shares(Q)}, not {shares}")
    verdicts = [naive_zones.is_decided(tree, row) for row in queries]
    if list(model.decided(Q)) != verdicts:
        found.append(f"decided {list(model.decided(Q))}, not {verdicts}")
    return found


AXES_HERE = {
    "zone": GROWN, "branching": ["binary", "middle"], "propagation": ["hard", "soft", "conditional"],
    "pruning": ["none", "pessimistic"],
}  # fmt: skip
COMBINATIONS = [dict(zip(AXES_HERE, choice, strict=True)) for choice in itertools.product(*AXES_HERE.values())]


@pytest.mark.parametrize("place", range(len(COMBINATIONS)))
def test_a_combination_of_choices(place):
    assert disagreements(random_problem(2000 + place, **COMBINATIONS[place])) == []


@pytest.mark.parametrize("seed", range(40))
def test_random_choices(seed):
    assert disagreements(random_problem(seed)) == []


@pytest.mark.parametrize("seed", range(100, 125))
def test_pruned_middle_trees(seed):
    settings = {"branching": "middle", "pruning": "pessimistic", "max_depth": None, "search": "exact"}
    assert disagreements(random_problem(seed, **settings)) == []


@pytest.mark.parametrize("seed", range(200, 225))
def test_quinlan_trees(seed):
    assert disagreements(random_problem(seed, zone="quinlan", branching="binary")) == []


# Limits


def two_noisy_variables(n=300, seed=0):
    """Return a frame and labels that overlap."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": np.round(rng.normal(size=n), 1), "b": rng.normal(size=n)})
    return X, np.where(X["a"] + 0.5 * X["b"] + rng.normal(0.0, 0.7, n) > 0.0, "yes", "no").astype(object)


@pytest.mark.parametrize("threshold", ["value", "midpoint", "observed"])
@pytest.mark.parametrize("propagation", ["hard", "soft"])
def test_a_middle_of_no_width_is_empty_and_the_tree_is_the_binary_one(propagation, threshold):
    X, y = two_noisy_variables()
    settings = {"zone": "noise", "zone_z": 0.0, "propagation": propagation, "threshold": threshold, "max_depth": 4}
    noise = Noise(sigma=0.2)
    binary = UncertainTreeClassifier(noise=noise, **settings).fit(X, y)
    middle = UncertainTreeClassifier(noise=noise, branching="middle", **settings).fit(X, y)
    tree = middle.tree_
    between = [tree.children(k)[1] for k in range(tree.n_nodes) if tree.gate[k] == MIDDLE]
    assert between
    assert not tree.weight[between].any()
    np.testing.assert_allclose(middle.predict_proba(X), binary.predict_proba(X), atol=1e-12)
    assert middle.decided(X).all()


def test_zones_of_no_width_are_the_hard_gates():
    X, y = two_noisy_variables()
    plain = variant("CART").fit(X, y)
    for settings in ({"zone": "noise", "zone_z": 0.0}, {"zone": "gain_ratio", "alpha": 0.0}):
        for evaluation in ("zone", "deferred"):
            model = variant("CART", evaluation=evaluation, **settings).fit(X, y)
            np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
            assert model.decided(X).all()


def test_a_middle_child_keeps_its_own_patients():
    X, y = two_noisy_variables()
    model = variant("Ternary-gain_ratio-middle").fit(X, y)
    tree = model.tree_
    assert tree.weight[tree.leaves].sum() == pytest.approx(len(X))
    for k in np.flatnonzero(tree.gate == MIDDLE):
        left, _, right = tree.children(int(k))
        assert min(tree.weight[left], tree.weight[right]) >= 1.0
        assert tree.low[k] < tree.threshold[k] < tree.high[k]
    inside = model.shares(X).argmax(axis=1)
    middles = {int(c[1]) for k in np.flatnonzero(tree.gate == MIDDLE) for c in [tree.children(int(k))]}
    met = [any(step in middles for step in tree.path(int(tree.leaves[leaf]))) for leaf in inside]
    np.testing.assert_array_equal(~model.decided(X), met)


def test_quinlan_keeps_its_cut_and_blends_to_half_there():
    X, y = two_noisy_variables()
    tree = variant("PLT").fit(X, y).tree_
    split = tree.variable >= 0
    assert split.any()
    assert (tree.low[split] <= tree.threshold[split]).all()
    assert (tree.threshold[split] <= tree.high[split]).all()
    assert np.isnan(tree.delta).all()


# The bootstrap


def boot(X, y, **settings):
    """Return the zones of a bootstrapped tree."""
    return variant("Ternary-node_bootstrap", **settings).fit(X, y).tree_.delta


def test_the_bootstrap_is_seeded_and_none_is_seed_0():
    X, y = two_noisy_variables()
    np.testing.assert_array_equal(boot(X, y), boot(X, y))
    np.testing.assert_array_equal(boot(X, y), boot(X, y, random_state=0))
    np.testing.assert_array_equal(boot(X, y, random_state=7), boot(X, y, random_state=7))
    assert not np.array_equal(boot(X, y, random_state=7), boot(X, y), equal_nan=True)
    drawn = variant("Ternary-node_bootstrap", random_state=np.random.RandomState(3)).fit(X, y)
    again = UncertainTreeClassifier.from_json(drawn.to_json())
    np.testing.assert_array_equal(again.fit(X, y).tree_.delta, drawn.tree_.delta)


def test_the_bootstrap_asks_neither_for_the_order_of_rows_nor_for_other_nodes():
    X, y = two_noisy_variables()
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_allclose(boot(X, y), boot(X.iloc[order], y[order]), atol=1e-12)
    whole, shallow = boot(X, y, max_depth=3), boot(X, y, max_depth=2)
    np.testing.assert_array_equal(whole[:3], shallow[:3])


def test_the_bootstrap_draws_by_the_rule_of_size():
    rng = np.random.default_rng(2)
    for n, times in ((1_999, 20), (2_000, 15), (9_999, 15), (10_000, 10)):
        X = rng.normal(size=(n, 1))
        y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
        np.testing.assert_array_equal(boot(X, y, max_depth=1), boot(X, y, max_depth=1, n_bootstraps=times))


def test_the_bootstrap_uses_the_resampled_search():
    X, y = two_noisy_variables(60)
    settings = {"search": "resampled", "n_points": 11, "noise": Noise(sigma=0.2), "max_depth": 2}
    first, second = boot(X, y, **settings), boot(X, y, **settings)
    np.testing.assert_array_equal(first, second)
    assert np.nanmax(first) > 0.0


@pytest.mark.parametrize("state", ["x", -1, 1.5, True])
def test_a_seed_that_is_none_is_refused(state):
    X, y = two_noisy_variables(40)
    with pytest.raises(PenumbraError, match="random_state"):
        boot(X, y, random_state=state)


# Refusals


@pytest.mark.parametrize("zone", ["margin", "class_overlap", "quinlan"])
def test_zones_that_need_one_class_a_patient_refuse_others(zone):
    X, y = two_noisy_variables(40)
    y[3] = None
    with pytest.raises(PenumbraError, match=zone):
        UncertainTreeClassifier(zone=zone).fit(X, y)
    other = variant("Ternary-node_bootstrap").fit(X, y)
    assert other.n_leaves_ > 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"branching": "middle", "zone": "none"}, ("middle", "none")),
        ({"branching": "middle", "zone": "quinlan"}, ("middle", "quinlan")),
        ({"branching": "middle", "zone": "margin", "evaluation": "zone"}, ("middle", "zone")),
        ({"branching": "middle", "zone": "margin", "evaluation": "deferred"}, ("middle", "deferred")),
        ({"zone": "none", "evaluation": "zone"}, ("none", "zone")),
        ({"n_bootstraps": 0}, ("n_bootstraps",)),
        ({"min_samples_middle": -1}, ("min_samples_middle",)),
    ],
    ids=str,
)
def test_what_does_not_combine_says_so(settings, words):
    X, y = two_noisy_variables(40)
    with pytest.raises(PenumbraError) as caught:
        UncertainTreeClassifier(**settings).fit(X, y)
    assert all(word in str(caught.value) for word in words)


# Calibration


def calibrated(target, zone="margin", **settings):
    """Return a calibrated model, its data and the tree it was calibrated from."""
    X, y = two_noisy_variables(120)
    X.iloc[::17, 0] = np.nan
    model = variant(f"Ternary-{zone}", max_depth=3, **settings).fit(X, y)
    before = model.tree_
    return model.calibrate_zones(X, y, target), X, y, before


@pytest.mark.parametrize("zone", ["margin", "class_overlap", "gain_ratio"])
def test_the_factor_at_which_patients_become_undecided(zone):
    X, y = two_noisy_variables(36)
    X.iloc[::13, 1] = np.nan
    model = variant(f"Ternary-{zone}", max_depth=3).fit(X, y)
    rows = model.encode(X)
    beyond = undecided_beyond(model.tree_, rows)
    plain = naive_zones.fit(rows, list(y), {**model.get_params(), "noise": None}, None, None, named(X))
    for factor in (0.0, 0.203, 0.507, 1.001, 1.7, 4.0):
        want = naive_zones.undecided_rate(plain, rows, factor)
        assert (beyond < factor).mean() == pytest.approx(want)
        assert (~decided(scaled_zones(model.tree_, factor), rows)).mean() == pytest.approx(want)
    for target in (0.1, 0.35):
        factor, rate = nearest_factor(beyond, target)
        want, rate_there = naive_zones.nearest_factor([(plain, rows)], target)
        assert factor == pytest.approx(want, abs=1e-8)
        assert rate == pytest.approx(rate_there)
        assert (~decided(scaled_zones(model.tree_, factor), rows)).mean() == pytest.approx(rate)


def named(X):
    """Return the numeric variables of a frame as the twin names them."""
    return [{"name": name, "kind": "numeric"} for name in X.columns]


def test_calibration_scales_the_zones_and_nothing_else():
    model, X, _, before = calibrated(0.2)
    tree = model.tree_
    np.testing.assert_allclose(tree.delta, before.delta * model.zone_factor_)
    np.testing.assert_allclose(tree.high - tree.low, 2.0 * tree.delta)
    for field in ("threshold", "weight", "probability", "first_child", "share"):
        np.testing.assert_array_equal(getattr(tree, field), getattr(before, field))
    assert abs(model.zone_rate_ - 0.2) < 0.03
    assert model.zone_target_ == 0.2
    assert len(model.predict_proba(X)) == len(X)


def test_calibration_is_seeded_and_starts_from_the_fit_each_time():
    model, X, y, _ = calibrated(0.2)
    once = model.tree_.delta
    model.calibrate_zones(X, y, 0.6)
    model.calibrate_zones(X, y, 0.0)
    assert not model.tree_.delta[model.tree_.variable >= 0].any()
    np.testing.assert_array_equal(model.calibrate_zones(X, y, 0.2).tree_.delta, once)
    again = UncertainTreeClassifier.from_json(model.to_json())
    assert again.zone_factor_ == model.zone_factor_
    np.testing.assert_allclose(again.calibrate_zones(X, y, 0.2).tree_.delta, once, rtol=1e-12)
    assert not hasattr(model.fit(X, y), "zone_factor_")


def test_calibration_by_the_bayes_bound():
    model, _, _, _ = calibrated("bayes")
    assert 0.0 < model.zone_target_ < 0.5
    assert abs(model.zone_rate_ - model.zone_target_) < 0.08  # rounded values jump over the edges together


def test_calibration_takes_noise_zones_and_categories():
    X, y = two_noisy_variables(120)
    X["c"] = np.where(np.arange(120) % 3 == 0, "red", "blue")
    model = UncertainTreeClassifier(zone="noise", noise=Noise(sigma=0.3), max_depth=3).fit(X, y)
    assert model.calibrate_zones(X, y, 0.25).zone_rate_ == pytest.approx(0.25, abs=0.08)


@pytest.mark.parametrize(
    ("settings", "target", "words"),
    [
        ({"zone": "margin", "branching": "middle"}, 0.1, "middle"),
        ({"zone": "none"}, 0.1, "none"),
        ({"zone": "quinlan"}, 0.1, "quinlan"),
        ({"zone": "margin"}, 1.2, "target"),
        ({"zone": "margin"}, "much", "target"),
    ],
    ids=str,
)
def test_calibration_refuses(settings, target, words):
    X, y = two_noisy_variables(60)
    model = UncertainTreeClassifier(max_depth=2, **settings).fit(X, y)
    with pytest.raises(PenumbraError, match=words):
        model.calibrate_zones(X, y, target)
