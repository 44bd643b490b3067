"""Numbers chosen by cross-validation, against naive fits of every fold and a fine sweep.

In: seeded synthetic patients. Out: failures that name the choice.
"""

from __future__ import annotations

import naive
import numpy as np
import pandas as pd
import pytest

from engine import Noise, PenumbraError, UncertainTreeClassifier, confidence_for_leaves, variant
from engine.folds import stratified_folds
from engine.tuning import (
    Prunable,
    accuracy_by_noise,
    nearest_confidence,
    noise_factor,
    reachable_target,
    read_data,
)

C45 = {"pruning": "pessimistic", "min_weight_leaf": 2.0, "pruning_laplace": True}


def patients(seed=0, n=150, noise=1.0):
    """Return two readings, positive and rounded so that ties occur, and two classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(20.0, 4.0, n).round(), rng.uniform(5.0, 15.0, n).round(1)])
    score = (X[:, 0] - 20.0) / 4.0 + (X[:, 1] - 10.0) / 3.0 + rng.normal(0.0, noise, n)
    return X, np.where(score > 0.0, "ill", "well").astype(object)


def splits(y, folds, seed=0):
    """Return (training rows, test rows) of the engine's folds."""
    code = np.unique(y, return_inverse=True)[1].astype(np.int32)
    fold = stratified_folds(code, folds, seed)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]


# Folds


@pytest.mark.parametrize("seed", range(5))
def test_folds_are_even_within_every_label_and_seeded(seed):
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 4, int(rng.integers(20, 90))).astype(np.int32)
    fold = stratified_folds(code, 10, seed)
    assert sorted(set(fold)) == list(range(10))
    assert np.ptp(np.bincount(fold)) <= 1
    for c in range(4):
        assert np.ptp(np.bincount(fold[code == c], minlength=10)) <= 1
    np.testing.assert_array_equal(fold, stratified_folds(code, 10, seed))
    assert (fold != stratified_folds(code, 10, seed + 1)).any()


def test_fewer_patients_than_folds_leave_one_out_and_one_fold_is_refused():
    assert sorted(stratified_folds(np.zeros(4, dtype=np.int32), 10, 0)) == [0, 1, 2, 3]
    with pytest.raises(PenumbraError, match="folds"):
        stratified_folds(np.zeros(4, dtype=np.int32), 1, 0)


# Pruning confidence


def test_a_tree_pruned_again_and_again_is_the_tree_fitted_anew():
    X, y = patients(1)
    data = read_data(X, y, None, None)
    for rows, _ in list(data.folds(10, 0))[:4]:
        tree = Prunable.grown(data, rows)
        for c in (0.9, 0.001, 0.25, 0.6, 0.05, 0.9):
            anew = naive.naive_fit(X[rows], y[rows], {**C45, "confidence": c})
            assert tree.leaves_at(c) == len(naive.leaves_of(anew))


@pytest.mark.parametrize(("seed", "target"), [(0, 12), (1, 12), (2, 6), (3, 4)])
def test_no_confidence_of_a_sweep_comes_much_nearer(seed, target):
    """The count is not quite monotone, so a confidence elsewhere may come nearer by a fraction of a leaf."""
    X, y = patients(seed, n=110)
    found = confidence_for_leaves(X, y, target)
    assert 0.0 < found < 1.0
    data = read_data(X, y, None, None)
    trees = [Prunable.grown(data, rows) for rows, _ in data.folds(10, 0)]

    def mean_leaves(c):
        return np.mean([tree.leaves_at(c) for tree in trees])

    sweep = [mean_leaves(c) for c in [1e-4, 1e-3, 0.005, *np.linspace(0.01, 0.99, 50)]]
    assert max(sweep) > target
    assert abs(mean_leaves(found) - target) <= min(abs(n - target) for n in sweep) + 0.2
    assert found == confidence_for_leaves(X, y, target)


def test_a_target_out_of_reach_becomes_10_then_5():
    assert [reachable_target(15, most) for most in (40, 14.6, 14.4, 9.4, 5.1, 2.0)] == [15, 15, 10, 5, 5, 5]
    assert [reachable_target(8, most) for most in (8, 6, 3)] == [8, 5, 5]
    assert [reachable_target(3, most) for most in (8, 2)] == [3, 3]
    X, _ = patients(2)
    y = np.where(X[:, 0] > 20.0, "ill", "well")
    assert variant("C4.5", confidence=confidence_for_leaves(X, y)).fit(X, y).n_leaves_ == 2


def test_of_equal_distances_the_middle_confidence_is_taken():
    assert nearest_confidence({0.1: 4.0, 0.2: 6.0, 0.3: 6.0, 0.4: 6.0, 0.5: 9.0}, 6.1) == 0.3
    assert nearest_confidence({0.1: 5.0, 0.2: 7.0}, 6.0) == 0.1


def test_confidence_takes_categories_weights_and_imprecise_labels():
    X, y = patients(3)
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(
        ward=pd.Series(["n", "s"] * 75, dtype=object), code=[1, 2, 3] * 50
    )
    frame.loc[7, "ward"] = "rare"  # in one fold alone
    frame.loc[3, ["u", "ward"]] = np.nan
    y[5] = None
    weights = np.where(np.arange(len(y)) % 3, 1.0, 0.5)
    c = confidence_for_leaves(frame, y, 8, nominal=["code"], sample_weight=weights, random_state=4)
    assert 0.0 < c < 1.0


@pytest.mark.parametrize("target", [1, 0, -3, np.nan, np.inf, "many", True])
def test_a_target_that_is_no_number_of_leaves_is_refused(target):
    with pytest.raises(PenumbraError, match="target"):
        confidence_for_leaves(*patients(), target)


# Noise factor


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("SE", {**C45, "evaluation": "soft"}),
        ("STP", {**C45, "propagation": "soft"}),
        ("SS+STP+SE", {**C45, "search": "soft", "propagation": "soft", "evaluation": "soft"}),
    ],
)
def test_accuracies_are_those_of_naive_fits_pooled_over_folds(name, params):
    X, y = patients(5, n=45)
    X[3, 0] = np.nan
    grid = (0.0, 0.1, 0.4)
    found = accuracy_by_noise(X, y, name, grid, folds=3, random_state=2)
    right = dict.fromkeys(grid, 0)
    for rows, others in splits(y, 3, 2):
        mean = np.abs(np.nanmean(X[rows], axis=0))
        for u in grid:
            noise = naive.make_noise(2, sigma=(u * mean).tolist())
            tree = naive.naive_fit(X[rows], y[rows], params, noise)
            P = naive.naive_proba(tree, X[others], params.get("evaluation", "hard"), noise)
            right[u] += sum(["ill", "well"][naive.decide(p)] == t for p, t in zip(P, y[others], strict=True))
    assert found == pytest.approx({u: n / len(y) for u, n in right.items()})
    best = max(found.values())
    assert noise_factor(X, y, name, grid, 3, 2) == min(u for u in grid if found[u] >= best - 1e-12)


def test_ties_go_to_the_smaller_factor():
    X, y = patients(6, n=60)
    assert set(accuracy_by_noise(X, y, "C4.5").values()) == {accuracy_by_noise(X, y, "C4.5", [0.0])[0.0]}
    assert noise_factor(X, y, "C4.5", grid=[0.3, 0.05, 0.1]) == 0.05


def test_a_stated_noise_is_multiplied_and_the_model_left_as_it_was():
    X, y = patients(7, n=60)
    model = UncertainTreeClassifier(evaluation="soft", noise=Noise(sigma=[4.0, 2.0]), u_e=0.5, max_depth=3)
    found = accuracy_by_noise(X, y, model, [0.0, 1.0, 2.0], folds=4)
    for u in found:
        right = 0
        for rows, others in splits(y, 4):
            fitted = UncertainTreeClassifier(evaluation="soft", noise=Noise(sigma=[2.0 * u, 1.0 * u]), max_depth=3)
            right += sum(fitted.fit(X[rows], y[rows]).predict(X[others]) == y[others])
        assert found[u] == pytest.approx(right / len(y))
    assert model.u_e == 0.5
    assert not hasattr(model, "tree_")


def test_imprecise_patients_are_trained_on_and_not_counted_and_weights_count():
    X, y = patients(8, n=60)
    y[:12] = None
    weights = np.where(np.arange(60) % 2, 1.0, 3.0)
    found = accuracy_by_noise(X, y, "SE", [0.0], folds=4, sample_weight=weights)
    code = np.array([2 if t is None else int(t == "well") for t in y], dtype=np.int32)
    fold, right, total = stratified_folds(code, 4, 0), 0.0, 0.0
    for k in range(4):
        model = variant("SE").fit(X[fold != k], y[fold != k], sample_weight=weights[fold != k])
        for said, t, w in zip(model.predict(X[fold == k]), y[fold == k], weights[fold == k], strict=True):
            if t is not None:
                right, total = right + w * (said == t), total + w
    assert found[0.0] == pytest.approx(right / total)


def test_a_category_of_one_fold_alone_is_no_trouble():
    X, y = patients(9, n=60)
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(ward=["n"] * 59 + ["s"], code=[1] * 59 + [2])
    model = UncertainTreeClassifier(evaluation="soft", nominal=["code"], max_depth=3)
    assert noise_factor(frame, y, model, [0.0, 0.1], folds=3) in (0.0, 0.1)
    assert noise_factor(frame, y, "SE", [0.0, 0.1], folds=3, nominal=["code"]) in (0.0, 0.1)


@pytest.mark.parametrize("grid", [[], [-0.1, 0.1], [np.nan]])
def test_a_grid_without_factors_is_refused(grid):
    with pytest.raises(PenumbraError, match="grid"):
        noise_factor(*patients(), "SE", grid=grid)
