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

from engine import Noise, UncertainTreeClassifier, cells, grow, kernels
from engine.search import soft


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


@pytest.mark.parametrize("resolution", [0.02, 0.1, 0.15, 0.3, 0.5])
@twin("lay_down", "read_lattice")
def test_two_halves_of_the_noise_make_the_whole(resolution):
    ratio, (laying, reading) = cells.lattice_ratio(resolution), cells.lattice_tables(resolution)
    spacing = ratio * resolution
    assert 0.0 < spacing <= 0.5 < spacing + resolution
    away = np.arange(kernels.TAPS) - (kernels.TAPS // 2 - 1)
    above = (np.arange(kernels.FINE + 3)[:, None] - 1) / kernels.FINE
    np.testing.assert_allclose(laying, stats.norm.pdf(away, above, cells.FIRST_HALF), atol=1e-15)
    second, reach = np.sqrt(1.0 - (cells.FIRST_HALF * spacing) ** 2), reading.shape[1] // 2
    apart = (np.arange(ratio)[:, None] / ratio - np.arange(1 - reach, reach + 1)) * spacing / second
    np.testing.assert_allclose(reading, stats.norm.cdf(apart), atol=1e-15)
    rng = np.random.default_rng(3)
    for range_in_sigma in (0.0, 0.7, 12.0, 60.0):
        value = np.unique(np.append(rng.random(40), [0.0, 1.0])) * range_in_sigma
        held, start = rng.choice([0.0, 1e-4, 1.0, 3.0], (len(value), 3)), -3.0
        count = int((range_in_sigma + 6.0) / resolution) + 1
        n_spacings, first = (count - 1) // ratio + 1, reading.shape[1] + kernels.TAPS
        lattice, left = np.empty((3, n_spacings + 2 * first)), np.empty((3, ratio * n_spacings))
        kernels.lay_down(value, held, start, spacing, first, laying, lattice)
        assert lattice.sum() == pytest.approx(held.sum(), abs=kernels.UNSURE * held.sum())
        kernels.read_lattice(lattice, reading, first, n_spacings, left)
        tau = start + resolution * (np.arange(n_spacings) * ratio + np.arange(ratio)[:, None]).ravel()
        expected = held.T @ stats.norm.cdf(tau - value[:, None])
        np.testing.assert_allclose(left, expected, atol=0.5 * kernels.UNSURE * held.sum(), rtol=0)


def test_a_grid_wider_than_the_lattice_may_be_has_none():
    assert [cells.lattice_ratio(resolution) for resolution in (0.1, 0.26, 0.5, 0.51)] == [5, 1, 1, 0]


@twin("same_values")
def test_weights_are_held_by_value_and_label():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        column, weight = rng.integers(0, 8, n) / 4.0, rng.random(n)
        label, rows = rng.integers(0, 3, n).astype(np.int32), np.flatnonzero(rng.random(n) < 0.7).astype(np.int32)
        if not len(rows):
            continue
        rows = rows[np.argsort(column[rows], kind="stable")]
        value, held = np.full(n, np.nan), np.full((n, 3), np.nan)
        count = kernels.same_values(rows, column, label, weight, value, held)
        distinct = np.unique(column[rows])
        np.testing.assert_array_equal(value[:count], distinct)
        for d, x in enumerate(distinct):
            expected = [weight[rows][(column[rows] == x) & (label[rows] == c)].sum() for c in range(3)]
            np.testing.assert_allclose(held[d], expected, atol=1e-14)


@twin("add_weight_logs")
def test_logarithms_of_many_weights():
    weight = np.concatenate([[0.0, 1e-300, 1e-12, 0.5, 1.0, 1.0 + 1e-15, 2.0, 1e6], np.logspace(-9, 5, 500)])
    out = np.ones(len(weight))
    kernels.add_weight_logs(weight, -2.0, np.empty(len(weight)), np.empty(len(weight)), out)
    exact = weight * np.log2(np.maximum(weight, 1e-300))
    assert (np.abs(out - (1.0 - 2.0 * exact)) <= 2e-9 * weight + 1e-15 * np.abs(1.0 - 2.0 * exact)).all()


def sides_of(rng, n_codes, m):
    """Return weights by code and `m` left sides of them, some empty or whole, a few out of bounds by rounding."""
    whole = rng.choice([0.2, 1.0, 7.0], n_codes)
    part = rng.random((n_codes, m))
    part[:, 0], part[:, 1], part[:, 2] = 0.0, 1.0, -1e-12
    return whole, part * whole[:, None]


@pytest.mark.parametrize("labels", ["precise", "abstain", "partial"])
@pytest.mark.parametrize("criterion", CRITERIA)
@twin("screened_gains", "soft_gain")
def test_screened_gains_are_the_gains(criterion, labels):
    for seed in SEEDS:
        rng, _, _, _, kernel_labels = random_fit(seed, labels)
        n_codes, m, no_logs = len(kernel_labels.mask), 20, np.zeros(0)
        whole, left = sides_of(rng, n_codes, m)
        sides, total = np.clip(left, 0.0, whole[:, None]), whole.sum()
        before = total * kernels.impurity(whole, CRITERIA[criterion], kernel_labels)
        room, gain = np.empty((5, m)), np.empty(m)
        kernels.screened_gains(
            left, whole, total, before, CRITERIA[criterion], kernel_labels, 0.3 * total, room, gain
        )
        for k in range(m):
            side, rest = sides[:, k], whole - sides[:, k]
            fits = min(side.sum(), rest.sum()) >= 0.3 * total
            after = [part.sum() * kernels.impurity(part, CRITERIA[criterion], kernel_labels) for part in (side, rest)]
            assert gain[k] == pytest.approx((before - sum(after)) / total if fits else -np.inf, abs=1e-8)
            exact = kernels.soft_gain(
                side, rest, side.sum(), total, before, CRITERIA[criterion], kernel_labels, 0.3 * total, no_logs
            )
            assert exact == pytest.approx((before - sum(after)) / total if fits else -np.inf, abs=1e-12)


def together(seed, **params):
    """Return what `best_soft_cuts` reads of random data, up to its choices, and the naive curves of its variables."""
    labels, criterion = ("precise", "abstain")[seed % 2], sorted(CRITERIA)[seed // 2 % 2]
    propagation = ("hard", "soft")[seed % 3 == 0]
    _, data, weight, code, kernel_labels = random_fit(
        seed, labels, criterion=criterion, min_weight_leaf=1.5, propagation=propagation, search="soft", **params
    )
    columns, wanted = np.ascontiguousarray(data.X[:, :3].T), np.flatnonzero([True, True, seed % 4 > 0])
    n_known = np.array([len(sorted_known(data, weight, j)) for j in range(3)])
    order = np.zeros((3, np.count_nonzero(weight)), np.int32)
    for j in range(3):
        order[j, : n_known[j]] = sorted_known(data, weight, j)
    hard = np.array([naive.sends_hard(data, j) for j in range(3)])
    given = (
        order, n_known, weight.sum(), wanted, columns, code, weight, np.array(data.search.sigma[:3]), 6.0, 0.1,
    )  # fmt: skip
    rest = (*cells.lattice_tables(0.1), CRITERIA[criterion], kernel_labels, np.full(3, 1.5), hard)
    return data, weight, given, rest, {j: naive.soft_gain_curve(data, weight, j) for j in wanted if n_known[j]}


@twin("best_soft_cuts")
def test_all_variables_together_have_the_best_thresholds_of_their_grids():
    for seed in SEEDS:
        _, _, given, rest, curves = together(seed)
        gains, theta, tried = kernels.best_soft_cuts(*given, 20_000, *rest, True, -np.inf)
        for j in range(3):
            curve = curves.get(j, [])
            best = naive.pick_soft([(t, g + 1.0, f) for t, g, f in curve])
            assert tried[j] == sum(fits for _, _, fits in curve)
            if best is None:
                assert gains[j] == -np.inf
            else:
                assert gains[j] == pytest.approx(curve[best][1], abs=1e-11)
                assert theta[j] == pytest.approx(curve[best][0], abs=1e-9)
        some = kernels.best_soft_cuts(*given, 20_000, *rest, False, -np.inf)[0]
        assert some.max() == gains.max()
        for j in range(3):
            assert some[j] == gains[j] or (some[j] == -np.inf and gains[j] < gains.max())
        assert (kernels.best_soft_cuts(*given, 20_000, *rest, False, gains.max() + 1e-4)[0] == -np.inf).all()
        assert (kernels.best_soft_cuts(*given, 3, *rest, True, -np.inf)[2][list(curves)] == -1).all()


@twin("screened_curve", "summed_gain")
def test_a_screened_grid_has_the_gains_of_the_whole_sum():
    for seed in SEEDS:
        data, weight, given, rest, curves = together(seed)
        order, n_known, _, _, columns, code, _, sigma, window, resolution = given
        laying, reading, criterion, kernel_labels, _, hard = rest
        for j, curve in curves.items():
            known, limit, n_codes = order[j, : n_known[j]], 1.5 - kernels.SLACK_WEIGHT, len(kernel_labels.mask)
            value, held, gain = np.empty(len(known)), np.empty((len(known), n_codes)), np.empty(len(curve))
            count = kernels.same_values(known, columns[j], code, weight, value, held)
            whole = held[:count].sum(axis=0)
            about = (whole, whole.sum(), whole.sum() * kernels.impurity(whole, criterion, kernel_labels))
            bounds = kernels.hard_limits(known, columns[j], weight, limit) if hard[j] else (-np.inf, np.inf)
            start, step = columns[j, known[0]] - 0.5 * window * sigma[j], resolution * sigma[j]
            top, tried = kernels.screened_curve(
                value[:count], held[:count], *about, sigma[j], start, step, laying, reading, criterion, kernel_labels,
                limit, *bounds, gain,
            )  # fmt: skip
            exact = unshared(curve, data, weight, j)
            np.testing.assert_allclose(gain, exact, atol=0.5 * kernels.SCREENED * n_codes, rtol=0)
            assert (top, tried) == (gain.max(), np.isfinite(exact).sum())
            for k in range(0, len(curve), 7):
                side, rest_of_it = np.empty(n_codes), np.empty(n_codes)
                found = kernels.summed_gain(
                    value[:count], held[:count], curve[k][0], sigma[j], *about, criterion, kernel_labels, limit, side,
                    rest_of_it,
                )  # fmt: skip
                if exact[k] > -np.inf:
                    assert found == pytest.approx(exact[k], abs=1e-11)


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


@twin("grid_gains", "soft_gains_at")
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
            gain, whole = np.empty(60), np.bincount(code[order], weight[order], len(left))
            kernels.grid_gains(left, whole, order, data.X[:, j], weight, start, step, *rest, gain)
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
    monkeypatch.setattr(soft, "left_weights", lambda *given: counted.append(1) or left(*given))
    monkeypatch.setattr(soft, "FEW_TOGETHER", 0)
    on_cells = UncertainTreeClassifier(**settings).fit(X, y).tree_
    assert counted
    monkeypatch.setattr(soft, "FEW_FOR_CELLS", 10**9)
    direct = UncertainTreeClassifier(**settings).fit(X, y).tree_
    monkeypatch.setattr(soft, "FEW_TOGETHER", 10**9)
    together = UncertainTreeClassifier(**settings).fit(X, y).tree_
    for found in (on_cells, together):
        for name in ("variable", "first_child"):
            np.testing.assert_array_equal(getattr(found, name), getattr(direct, name), name)
        for name in ("threshold", "class_weight", "gain"):
            np.testing.assert_allclose(getattr(found, name), getattr(direct, name), atol=1e-10, err_msg=name)


@pytest.mark.parametrize("least", [2, 3.5, "c45"])
def test_a_node_too_light_for_two_sides_is_not_searched(least, monkeypatch):
    weights = []
    best = grow.best_split
    monkeypatch.setattr(grow, "best_split", lambda s, here: weights.append(here.weight.sum()) or best(s, here))
    X, y = patients(2)
    settings = {"search": "soft", "propagation": "soft", "noise": Noise(sigma=0.3), "min_weight_leaf": least}
    UncertainTreeClassifier(**settings).fit(X, y)
    two_sides = 4.0 if least == "c45" else 2.0 * least
    assert min(weights) >= two_sides - 1e-8
    weights.clear()
    few = UncertainTreeClassifier(**{**settings, "min_weight_leaf": 2}).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    assert (len(weights), few.n_leaves_) == (1, 2)
