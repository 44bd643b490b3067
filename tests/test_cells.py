"""Soft search on grid cells against the direct sum: weights, gains, and the trees that come of them.

In: seeded random data, ties and mirrored values among them. Out: failures that name what differs.
"""

from __future__ import annotations

import naive
import numpy as np
import pytest
from scipy import stats
from test_kernels import CRITERIA, SEEDS, error_of, random_fit, sorted_known, unshared
from twins import twin

from engine import Noise, UncertainTreeClassifier, cells, kernels, search


@pytest.mark.parametrize("width", [0.02, 0.1, 0.4, 0.8])
@pytest.mark.parametrize("count", [40, 255, 256, 1500])
@twin("cell_weights", "cell_kernel", "cell_left")
def test_left_weights_are_the_sum_over_patients(width, count):
    rng = np.random.default_rng(count)
    n, sigma, start = 300, 0.7, -3.0
    step = width * sigma
    column = start + step * (count - 1) * rng.random(n)
    column[:5] = start, start + step, start + 1.5 * step, start + (count - 1) * step, start + 0.5 * step
    label, weight = rng.integers(0, 3, n).astype(np.int32), rng.choice([0.2, 1.0, 3.0], n)
    rows = rng.permutation(n).astype(np.int32)[:250]
    found = cells.left_weights(rows, column, label, weight, 3, sigma, start, step, count)
    z = (start + step * np.arange(count)[:, None] - column[rows]) / sigma
    for c in range(3):
        expected = (stats.norm.cdf(z) * np.where(label[rows] == c, weight[rows], 0.0)).sum(axis=1)
        np.testing.assert_allclose(found[c], expected, atol=1e-9 * weight.sum(), rtol=0)


def test_more_powers_for_wider_cells_and_none_for_very_wide_ones():
    orders = [cells.orders_for(width) for width in (0.001, 0.1, 0.5, 0.8)]
    assert orders == sorted(orders)
    assert 1 <= orders[0] < orders[-1] <= cells.MOST_ORDERS
    assert cells.orders_for(1.5) == 0


@pytest.mark.parametrize("width", [0.05, 0.1, 0.2])
@twin("spread_curve")
def test_the_series_is_the_sum_to_the_last_digits(width):
    rng = np.random.default_rng(5)
    n, sigma, start = 200, 0.7, -3.0
    step = width * sigma
    column = start + step * 90 * rng.random(n)
    column[:3] = start, start + 1.5 * step, start + 90 * step
    label, weight = rng.integers(0, 3, n).astype(np.int32), rng.choice([0.2, 1.0, 3.0], n)
    left = np.empty((3, 91))
    rows = np.arange(n, dtype=np.int32)
    kernels.spread_curve(rows, column, label, weight, sigma, start, step, cells.series_table(width), left)
    cdf = stats.norm.cdf((start + step * np.arange(91)[:, None] - column) / sigma)
    for c in range(3):
        np.testing.assert_allclose(left[c], (cdf * np.where(label == c, weight, 0.0)).sum(axis=1), atol=1e-11, rtol=0)


@twin("best_soft_cuts")
def test_all_variables_together_have_the_best_thresholds_of_their_grids():
    for seed in SEEDS:
        labels, criterion = ("precise", "abstain")[seed % 2], sorted(CRITERIA)[seed // 2 % 2]
        propagation = ("hard", "soft")[seed % 3 == 0]
        _, data, weight, code, kernel_labels = random_fit(
            seed, labels, criterion=criterion, min_weight_leaf=1.5, propagation=propagation, search="soft"
        )
        columns = np.ascontiguousarray(data.X[:, :3].T)
        n_known = np.array([len(sorted_known(data, weight, j)) for j in range(3)])
        order = np.zeros((3, len(weight)), np.int32)
        for j in range(3):
            order[j, : n_known[j]] = sorted_known(data, weight, j)
        hard = np.array([naive.sends_hard(data, j) for j in range(3)])
        wanted, sigma = np.array([True, True, seed % 4 > 0]), np.array(data.search.sigma[:3])
        gains, theta, tried = kernels.best_soft_cuts(
            order, n_known, wanted, columns, code, weight, sigma,
            6.0, 0.1, 20_000, cells.series_table(0.1), CRITERIA[criterion], kernel_labels, np.full(3, 1.5), hard,
        )  # fmt: skip
        for j in range(3):
            curve = naive.soft_gain_curve(data, weight, j) if n_known[j] and (j < 2 or seed % 4) else []
            best = naive.pick_soft([(t, g + 1.0, f) for t, g, f in curve])
            assert tried[j] == sum(fits for _, _, fits in curve)
            if best is None:
                assert gains[j] == -np.inf
            else:
                assert gains[j] == pytest.approx(unshared(curve, data, weight, j)[best], abs=1e-11)
                assert theta[j] == pytest.approx(curve[best][0], abs=1e-9)


@twin("hard_limits")
def test_hard_limits_are_where_each_side_holds_enough():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        column, weight = rng.integers(0, 6, n) / 2.0, rng.choice([0.3, 1.0, 2.0], n)
        order = np.argsort(column, kind="stable").astype(np.int32)
        for limit in (0.0, 1.0 - 1e-9, 4.0, 1e3):
            low, high = kernels.hard_limits(order, column, weight, limit)
            for tau in np.linspace(-1.0, 4.0, 41):
                left, right = weight[column <= tau].sum(), weight[column > tau].sum()
                assert (low <= tau < high) == (min(left, right) >= limit and min(left, right) > 0.0)


@twin("grid_gains", "soft_gains_at", "soft_gain")
@pytest.mark.parametrize("shape", ["normal", "laplace"])
def test_gains_of_a_grid_and_of_a_few_thresholds(shape):
    for seed in SEEDS:
        labels, criterion = ("precise", "abstain")[seed % 2], sorted(CRITERIA)[seed // 2 % 2]
        propagation = ("hard", "soft")[seed % 3 == 0]
        _, data, weight, code, kernel_labels = random_fit(
            seed, labels, shape, 0.0, criterion=criterion, min_weight_leaf=1.5, propagation=propagation, search="soft"
        )
        for j in range(3):
            order = sorted_known(data, weight, j)
            if len(order) < 2:
                continue
            start, step = naive.soft_grid(data, weight, j)[0], 0.21
            grid = [start + k * step for k in range(60)]
            curve = unshared(naive.soft_gain_curve(data, weight, j, grid), data, weight, j)
            rest = (CRITERIA[criterion], kernel_labels, 1.5, naive.sends_hard(data, j))
            places = np.array([3, 17, 30, 44])
            few = kernels.soft_gains_at(
                order, data.X[:, j], code, weight, error_of(data.search), j, np.array(grid)[places], *rest
            )
            np.testing.assert_allclose(few, curve[places], atol=1e-11)
            left = np.zeros((len(kernel_labels.mask), 60))
            sigma = float(data.search.sigma[j])
            for i in order:
                left[code[i]] += [weight[i] * naive.cdf(shape, (tau - data.X[i, j]) / sigma) for tau in grid]
            gain = np.empty(60)
            kernels.grid_gains(left, order, data.X[:, j], code, weight, start, step, *rest, gain)
            np.testing.assert_allclose(gain, curve, atol=1e-11)


def patients(seed):
    """Return 260 to 1,500 patients of three variables; every second time mirrored, so that tops tie."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(130, 750))
    X = np.column_stack([rng.normal(0.0, 2.0, n), rng.integers(-9, 10, n) / 2.0, rng.normal(0.0, 0.4, n)])
    y = (X[:, 0] + X[:, 1] + rng.normal(0.0, 1.0, n) > 0.0).astype(int)
    if seed % 2:
        X, y = np.vstack([X, -X]), np.concatenate([y, y])
    else:
        X, y = np.vstack([X, X + 0.1]), np.concatenate([y, 1 - y])
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_searched_on_cells_is_the_tree_of_the_direct_sum(seed, monkeypatch):
    X, y = patients(seed)
    settings = {
        "criterion": ("information_gain", "gini", "gain_ratio")[seed % 3], "search": "soft", "max_depth": 4,
        "propagation": ("hard", "soft")[seed // 3 % 2], "resolution": (0.1, 0.3)[seed // 2 % 2], "min_weight_leaf": 3,
        "noise": Noise(sigma=[0.6, 0.3, 0.05]), "mdl_correction": seed % 3 == 2,
    }  # fmt: skip
    counted = []
    left = cells.left_weights
    monkeypatch.setattr(search, "left_weights", lambda *given: counted.append(1) or left(*given))
    monkeypatch.setattr(search, "FEW_TOGETHER", 0)
    on_cells = UncertainTreeClassifier(**settings).fit(X, y).tree_
    assert counted
    monkeypatch.setattr(search, "FEW_FOR_CELLS", 10**9)
    direct = UncertainTreeClassifier(**settings).fit(X, y).tree_
    monkeypatch.setattr(search, "FEW_TOGETHER", 10**9)
    together = UncertainTreeClassifier(**settings).fit(X, y).tree_
    for found in (on_cells, together):
        for name in ("variable", "first_child"):
            np.testing.assert_array_equal(getattr(found, name), getattr(direct, name), name)
        for name in ("threshold", "class_weight", "gain"):
            np.testing.assert_allclose(getattr(found, name), getattr(direct, name), atol=1e-10, err_msg=name)
