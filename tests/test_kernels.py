"""Every compiled function against its naive twin, on ties, missing values, zero weights and every noise shape.

In: seeded random data. Out: failures that name the kernel; one without a twin fails `test_every_kernel_has_a_twin`.
"""

from __future__ import annotations

import ast
import math
from pathlib import Path

import naive
import numpy as np
import pytest
from twins import twin

from engine import kernels

SHAPES = ("normal", "uniform", "laplace", "logistic")
KINDS = {
    "hard": kernels.HARD,
    "soft": kernels.SOFT,
    "coherent": kernels.COHERENT,
    "zone": kernels.ZONE,
    "deferred": kernels.DEFERRED,
}
CRITERIA = {"information_gain": kernels.ENTROPY, "gini": kernels.LOGICAL}
NUMERIC_GATE = 1
SEEDS = range(12)


def test_every_kernel_has_a_twin():
    """The names in `@twin(...)` of all test files are those of the kernels."""
    tree = ast.parse(Path(kernels.__file__).read_text(encoding="utf-8"))
    compiling = ("compiled", "in_its_caller", "njit")
    found = {name for name, decorators in decorated(tree) if any(ast.unparse(d) in compiling for d in decorators)}
    assert found, "no compiled function was found in kernels.py"
    twins = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        for _, decorators in decorated(ast.parse(file.read_text(encoding="utf-8"))):
            for call in decorators:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "twin":
                    twins |= {argument.value for argument in call.args}
    assert found <= twins, f"kernels without a naive twin: {sorted(found - twins)}"
    assert twins <= found, f"twins of kernels that are gone: {sorted(twins - found)}"


def decorated(tree):
    """Return (name, decorators) of every function in a parsed file."""
    return [(node.name, node.decorator_list) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


# Random inputs


def random_sets(rng, n, n_classes, labels):
    """Return label sets: precise, with abstentions, or partial."""
    sets = [frozenset([int(k)]) for k in rng.integers(0, n_classes, n)]
    for i in range(n):
        if labels == "abstain" and rng.random() < 0.3:
            sets[i] = frozenset(range(n_classes))
        if labels == "partial" and rng.random() < 0.5:
            size = int(rng.integers(1, n_classes + 1))
            sets[i] = frozenset(int(k) for k in rng.choice(n_classes, size, replace=False))
    return sets


def coded(sets, n_classes):
    """Return label codes and the kernels' `Labels`."""
    known = [frozenset([k]) for k in range(n_classes)]
    known += sorted({s for s in sets if len(s) > 1}, key=sorted)
    member = np.array([[k in s for k in range(n_classes)] for s in known])
    mask = np.array([sum(1 << k for k in s) for s in known], dtype=np.int64)
    everything = all(len(s) == n_classes for s in known[n_classes:])
    labels = kernels.Labels(
        np.ascontiguousarray(member / member.sum(axis=1, keepdims=True)), mask, len(known) == n_classes, everything
    )
    return np.array([known.index(s) for s in sets], dtype=np.int32), labels


def error_of(noise):
    """Return plain noise as the kernels read it."""
    return kernels.Error(
        np.array(noise.sigma, dtype=float),
        np.array(noise.cv, dtype=float),
        np.array([SHAPES.index(s) for s in noise.shape], dtype=np.int64),
        np.array(noise.misrecord, dtype=float),
    )


def random_fit(seed, labels="precise", shape="normal", cv=0.0, **params):
    """Return naive data of three numeric variables and a nominal one, node weights (some zero), codes and Labels."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    X = np.column_stack(
        [
            rng.integers(0, 8, n) / 2.0 + 1.0,
            np.round(rng.normal(5.0, 2.0, n), 1),
            rng.integers(-3, 3, n) * 1.0,
            rng.integers(0, 3, n) * 1.0,
        ]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    sets = random_sets(rng, n, n_classes, labels)
    variables = [{"name": f"v{j}", "kind": "numeric"} for j in range(3)]
    variables.append({"name": "v3", "kind": "nominal", "categories": ["p", "q", "r"]})
    noise = naive.make_noise(4, [0.4, 0.9, 0.3, 0.0], [cv, cv, cv, 0.0], [0.0, 0.0, 0.0, 0.15], [shape] * 4)
    weight = np.where(rng.random(n) < 0.2, 0.0, rng.choice([1.0, 1.0, 0.37, 2.0, 1e-4], n))
    if weight.sum() == 0.0:
        weight[:] = 1.0
    data = naive.prepare(
        X, [tuple(sorted(s)) for s in sets], params, noise, np.maximum(weight, 1.0), variables, list(range(n_classes))
    )
    return rng, data, weight, *coded(sets, n_classes)


def sorted_known(data, weight, j):
    """Return the node's patients with variable `j` known, by rising value."""
    rows = np.flatnonzero(naive.known_patients(data, weight, j))
    return rows[np.argsort(data.X[rows, j], kind="stable")].astype(np.int32)


def by_groups(sets, weight):
    """Return {label set: weight}."""
    groups = {}
    for s, w in zip(sets, weight, strict=True):
        groups[s] = groups.get(s, 0.0) + w
    return groups


# Noise


@twin("cdf", "mass")
@pytest.mark.parametrize("shape", SHAPES)
def test_cdf_and_mass(shape):
    code = SHAPES.index(shape)
    grid = np.concatenate([np.linspace(-40.0, 40.0, 161), [-math.inf, math.inf, 0.0, math.sqrt(3.0), -math.sqrt(3.0)]])
    for z in grid:
        assert kernels.cdf(z, code) == pytest.approx(
            naive.cdf(shape, z), rel=1e-11, abs=1e-16 if shape == "uniform" else 1e-300
        )
    rng = np.random.default_rng(0)
    for low, high in rng.choice(grid, (300, 2)):
        assert kernels.mass(low, high, code) == pytest.approx(
            naive.mass(shape, low, high), rel=1e-10, abs=1e-16 if shape == "uniform" else 1e-300
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_have_unit_variance_and_match_their_draws(shape):
    z = np.linspace(-40.0, 40.0, 400_001)
    density = naive.pdf(shape, z)
    step = z[1] - z[0]
    assert density.sum() * step == pytest.approx(1.0, abs=1e-4)
    assert (density * z**2).sum() * step == pytest.approx(1.0, abs=1e-3)
    drawn = naive.draw(shape, np.random.default_rng(1), 40_000)
    for at in (-1.5, -0.4, 0.0, 0.9):
        assert (drawn <= at).mean() == pytest.approx(naive.cdf(shape, at), abs=0.01)


@twin("sigma_at", "sigma_of")
def test_sigma_at():
    noise = naive.make_noise(4, [0.5, 0.0, 0.3, 0.0], [0.0, 0.1, 0.2, 0.0])
    for j in range(4):
        for x in (-7.0, 0.0, 3.5):
            assert kernels.sigma_at(x, j, error_of(noise)) == pytest.approx(naive.sigma_at(noise, j, x), rel=1e-14)


# Impurity


@twin("entropy", "gini")
def test_entropy_and_gini():
    rng = np.random.default_rng(2)
    for _ in range(200):
        weights = np.where(rng.random(4) < 0.4, 0.0, rng.random(4) * 10.0 ** rng.integers(-9, 3))
        assert kernels.entropy(weights) == pytest.approx(naive.entropy(weights), abs=1e-13)
        assert kernels.gini(weights) == pytest.approx(naive.gini(weights), abs=1e-13)


@twin("most_level", "logical_bounds")
@pytest.mark.parametrize("labels", ["precise", "abstain", "partial"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_logical_entropy_bounds(labels, n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(40):
        n = int(rng.integers(1, 12))
        sets = random_sets(rng, n, n_classes, labels)
        weight = rng.choice([0.0, 1.0, 1.0, 2.5, 0.3], n)
        code, kernel_labels = coded(sets, n_classes)
        by_code = np.bincount(code, weight, len(kernel_labels.mask))
        want = naive.logical_entropy_bounds(by_groups(sets, weight), n_classes)
        assert kernels.logical_bounds(by_code, kernel_labels) == pytest.approx(want, abs=1e-12)
        if labels == "abstain":
            precise, extra = by_code[:n_classes], by_code[n_classes:].sum()
            groups = {frozenset([k]): w for k, w in enumerate(precise)} | {frozenset(range(n_classes)): extra}
            loads = naive.most_level_loads(groups, n_classes)
            assert kernels.most_level(precise, extra) == pytest.approx(sum(x * x for x in loads), abs=1e-9)


def test_naive_bounds_enclose_every_partition_and_are_met():
    """The twin itself: no random partition lies outside, and some come near."""
    rng = np.random.default_rng(3)
    for _ in range(25):
        groups = by_groups(random_sets(rng, 6, 3, "partial"), rng.choice([1.0, 2.0, 0.5], 6))
        low, high = naive.logical_entropy_bounds(groups, 3)
        tried = []
        for _ in range(400):
            load = np.zeros(3)
            for s, w in groups.items():
                load[sorted(s)] += w * rng.dirichlet(np.full(len(s), rng.choice([0.05, 1.0, 20.0])))
            tried.append(naive.gini(load))
        assert low - 1e-12 <= min(tried)
        assert max(tried) <= high + 1e-12
        assert min(tried) - low < 0.1
        assert high - max(tried) < 0.1


@twin("impurity", "code_weights")
@pytest.mark.parametrize("labels", ["precise", "abstain", "partial"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_impurity_of_patients(criterion, labels):
    for seed in SEEDS:
        _, data, weight, code, kernel_labels = random_fit(seed, labels, criterion=criterion)
        rows = np.flatnonzero(weight > 0.0).astype(np.int32)
        by_code = kernels.code_weights(rows, code, weight, len(kernel_labels.mask))
        assert by_code == pytest.approx(np.bincount(code, weight, len(kernel_labels.mask)), abs=1e-12)
        got = kernels.impurity(by_code, CRITERIA[criterion], kernel_labels)
        assert got == pytest.approx(naive.impurity(data, weight), abs=1e-12)


# Search


def unshared(curve, data, weight, j):
    """Return the twin's gains without the known fraction, -inf where inadmissible."""
    fraction = weight[naive.known_patients(data, weight, j)].sum() / weight.sum()
    return np.array([gain / fraction if fits else -np.inf for _, gain, fits in curve])


@twin("exact_curve", "exact_gains")
@pytest.mark.parametrize("labels", ["precise", "abstain", "partial"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_exact_curve(criterion, labels):
    for seed in SEEDS:
        _, data, weight, code, kernel_labels = random_fit(seed, labels, criterion=criterion, min_weight_leaf=1.0)
        weight = np.ceil(weight) if seed % 3 == 0 else weight  # whole weights take their logarithms from a list
        for j in range(3):
            order = sorted_known(data, weight, j)
            below, above, gain = np.empty(len(weight)), np.empty(len(weight)), np.empty(len(weight))
            cuts = kernels.exact_curve(
                order, data.X[:, j], code, weight, CRITERIA[criterion], kernel_labels, 1.0, below, above, gain
            )
            curve, _ = naive.exact_gain_curve(data, weight, j)
            assert cuts == len(curve)
            assert (below[:cuts] + above[:cuts]) / 2.0 == pytest.approx([theta for theta, _, _ in curve])
            np.testing.assert_allclose(gain[:cuts], unshared(curve, data, weight, j), atol=1e-11)


@twin("soft_curve")
@pytest.mark.parametrize("cv", [0.0, 0.08])
@pytest.mark.parametrize("shape", SHAPES)
def test_soft_curve(shape, cv):
    for seed in SEEDS:
        labels, criterion = ("precise", "abstain")[seed % 2], sorted(CRITERIA)[seed // 2 % 2]
        propagation = ("hard", "soft")[seed % 3 == 0]
        _, data, weight, code, kernel_labels = random_fit(
            seed, labels, shape, cv, criterion=criterion, min_weight_leaf=1.5, propagation=propagation, search="soft"
        )
        for j in range(3):
            order = sorted_known(data, weight, j)
            if len(order) < 2:
                continue
            start, step = naive.soft_grid(data, weight, j)[0], 0.21
            gain = np.empty(60)
            kernels.soft_curve(
                order, data.X[:, j], code, weight, error_of(data.search), j, start, step,
                CRITERIA[criterion], kernel_labels, 1.5, naive.sends_hard(data, j), gain,
            )  # fmt: skip
            curve = naive.soft_gain_curve(data, weight, j, [start + k * step for k in range(60)])
            np.testing.assert_allclose(gain, unshared(curve, data, weight, j), atol=1e-11)


def test_soft_curve_where_some_patients_are_exact():
    """A proportional error is zero at the value 0: that patient counts whole, on the side of the hard gate."""
    x = np.array([0.0, 0.0, 1.0, 2.0, 4.0, 4.0])
    data = naive.prepare(
        x[:, None], [0, 0, 1, 0, 1, 1], {"search": "soft", "min_weight_leaf": 1.0}, naive.make_noise(1, 0.0, 0.2)
    )
    code, labels = coded(data.sets, 2)
    grid = [-1.0 + 0.125 * k for k in range(60)]
    gain = np.empty(60)
    kernels.soft_curve(
        np.arange(6, dtype=np.int32), x, code, data.w0, error_of(data.search), 0, -1.0, 0.125,
        kernels.ENTROPY, labels, 1.0, True, gain,
    )  # fmt: skip
    np.testing.assert_allclose(
        gain, unshared(naive.soft_gain_curve(data, data.w0, 0, grid), data, data.w0, 0), atol=1e-12
    )


@twin("first_best", "middle_of_first_run")
def test_pick_rules():
    rng = np.random.default_rng(4)
    for _ in range(400):
        gain = rng.choice([-np.inf, 0.1, 0.3, 0.3 + 4e-13, 0.3 - 4e-13, 0.3 - 4e-12], int(rng.integers(1, 9)))
        curve = [(float(k), g, g > 0.0) for k, g in enumerate(gain)]
        exact, soft = naive.pick_exact(curve), naive.pick_soft(curve)
        assert kernels.first_best(gain) == (-1 if exact is None else exact)
        assert kernels.middle_of_first_run(gain) == (-1 if soft is None else soft)
    assert kernels.first_best(np.empty(0)) == -1


@twin("level_ties")
def test_ties_stand_in_rising_order():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        columns = rng.integers(0, 9, (4, int(rng.integers(0, 300)))).astype(float)
        columns[:, rng.random(columns.shape[1]) < 0.1] = np.nan
        columns[3] = rng.random(columns.shape[1])
        order = np.argsort(columns, axis=1).astype(np.int32)
        kernels.level_ties(order, columns)
        for row, column in zip(order.tolist(), columns.tolist(), strict=True):
            assert row == sorted(range(len(column)), key=lambda i: (column[i] != column[i], column[i], i))


@twin("whole_logs", "spread", "class_spread")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_spread_is_impurity_times_weight(criterion):
    for seed in SEEDS:
        _, _, weight, code, kernel_labels = random_fit(seed, "precise", criterion=criterion)
        weight = np.floor(3 * weight) if seed % 2 else weight
        rows = np.flatnonzero(weight > 0.0)
        logs = kernels.whole_logs(rows, weight)
        assert len(logs) == (int(weight.sum()) + 1 if all(float(w).is_integer() for w in weight) else 0)
        assert logs.tolist() == pytest.approx([w * math.log2(w) if w else 0.0 for w in range(len(logs))])
        by_code = np.bincount(code[rows], weights=weight[rows], minlength=len(kernel_labels.mask))
        expected = by_code.sum() * (naive.gini if criterion == "gini" else naive.entropy)(by_code)
        for table in (logs, np.zeros(0)):
            found = kernels.spread(by_code, by_code.sum(), CRITERIA[criterion], kernel_labels, table)
            assert found == pytest.approx(expected, abs=1e-9)


@twin("best_exact_cuts", "keep_rows")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_best_exact_cuts_of_the_kept_rows(criterion):
    for seed in SEEDS:
        rng, data, weight, code, kernel_labels = random_fit(seed, "abstain", criterion=criterion, min_weight_leaf=1.0)
        columns = np.ascontiguousarray(data.X.T)
        order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        n_known = (~np.isnan(columns)).sum(axis=1)
        kept = np.empty((4, int((weight > 0.0).sum())), dtype=np.int32)
        counts = kernels.keep_rows(order, n_known, weight > 0.0, kept)
        memory = order.copy()
        in_place = memory.reshape(-1)[: kept.size].reshape(kept.shape)
        assert kernels.keep_rows(memory, n_known, weight > 0.0, in_place).tolist() == counts.tolist()
        for j in range(4):
            assert kept[j, : counts[j]].tolist() == [i for i in order[j, : n_known[j]] if weight[i] > 0.0]
            assert in_place[j, : counts[j]].tolist() == kept[j, : counts[j]].tolist()
        wanted = np.array([True, bool(rng.integers(0, 2)), True, False])
        rows = np.flatnonzero(weight > 0.0).astype(np.int32)
        gain, low, high, tried = kernels.best_exact_cuts(
            rows, kept, counts, wanted, columns, code, weight, CRITERIA[criterion], kernel_labels, np.full(4, 1.0)
        )
        for j in range(4):
            curve = naive.exact_gain_curve(data, weight, j)[0] if wanted[j] else []
            best = naive.pick_exact([(t, g + 1.0, f) for t, g, f in curve])
            if best is None:
                assert gain[j] == -np.inf
                assert tried[j] == 0
            else:
                assert tried[j] == sum(fits for _, _, fits in curve)
                assert gain[j] == pytest.approx(unshared(curve, data, weight, j)[best], abs=1e-11)
                assert (low[j] + high[j]) / 2.0 == pytest.approx(curve[best][0])


@twin("category_weights", "partition_gain")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_gain_of_categories(criterion):
    for seed in SEEDS:
        _, data, weight, code, kernel_labels = random_fit(seed, "partial", criterion=criterion)
        rows = np.flatnonzero(weight > 0.0).astype(np.int32)
        table = kernels.category_weights(rows, data.X[:, 3], code, weight, 3, len(kernel_labels.mask))
        parts = naive.nominal_parts(data, weight, 3)
        for v in range(3):
            assert table[v] == pytest.approx(np.bincount(code, parts[v], len(kernel_labels.mask)), abs=1e-12)
        fraction = sum(p.sum() for p in parts) / weight.sum()
        got = kernels.partition_gain(table, CRITERIA[criterion], kernel_labels)
        if fraction > 0.0:
            assert got * fraction == pytest.approx(naive.gain_of_parts(data, weight, parts), abs=1e-11)
    assert kernels.partition_gain(np.zeros((3, 2)), CRITERIA[criterion], coded([], 2)[1]) == -np.inf


# Gates and routing


def one_split(theta=0.0, closed_le=True, delta=math.nan, box=(-math.inf, math.inf), variable=0, size=2, nominal=False):
    """Return a single split node as the kernels read it."""
    return kernels.Splits(
        np.array([variable], np.int32),
        np.array([kernels.NOMINAL_GATE if nominal else NUMERIC_GATE], np.int8),
        np.array([0], np.int32),
        np.array([size], np.int32),
        np.array([theta]),
        np.array([closed_le]),
        np.array([theta - delta]),
        np.array([theta + delta]),
        np.array([box[0]]),
        np.array([box[1]]),
        np.full(size, 1.0 / size),
        np.arange(size, dtype=np.int32),
        np.empty((variable + 1, 0)),
        np.full(variable + 1, size, np.int64),
    )


@twin("gate_shares", "gate_shares_all")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_gate_shares(kind, shape):
    rng = np.random.default_rng(5)
    out = np.empty(2)
    for _ in range(400):
        theta, sigma, cv = rng.normal(), rng.choice([0.0, 0.3, 2.0]), rng.choice([0.0, 0.1])
        delta = rng.choice([math.nan, 0.0, 0.5])
        low = rng.choice([-math.inf, theta - 0.7, theta - 40.0])
        high = rng.choice([math.inf, theta + 1.1, theta + 40.0])
        edges = [theta, theta - 0.5, theta + 0.5, theta + 0.1, theta + 3.0, theta - 25.0, theta + 30.0]
        x, closed_le = rng.choice(edges), bool(rng.integers(0, 2))
        noise = naive.make_noise(1, sigma, cv, 0.0, shape)
        kernels.gate_shares(x, 0, one_split(theta, closed_le, delta, (low, high)), KINDS[kind], error_of(noise), out)
        want = naive.gate_numeric(
            kind,
            x,
            theta,
            closed_le,
            naive.sigma_at(noise, 0, x),
            shape,
            (low, high),
            None if math.isnan(delta) else delta,
        )
        assert out == pytest.approx(want, abs=1e-12)
        values, every = np.array([x, theta, x + 0.3]), np.empty((3, 2))
        split = one_split(theta, closed_le, delta, (low, high))
        kernels.gate_shares_all(values, 0, split, KINDS[kind], error_of(noise), every)
        assert every[0] == pytest.approx(want, abs=1e-12)
        for at, shares in zip(values, every, strict=True):
            kernels.gate_shares(at, 0, split, KINDS[kind], error_of(noise), out)
            np.testing.assert_array_equal(shares, out)


@pytest.mark.parametrize("misrecord", [0.0, 0.2])
@pytest.mark.parametrize("kind", KINDS)
def test_gate_shares_of_categories(kind, misrecord):
    noise = naive.make_noise(1, 0.0, 0.0, misrecord)
    for size in (1, 2, 4):
        for code in range(size):
            out = np.empty(size)
            splits = one_split(math.nan, size=size, nominal=True)
            kernels.gate_shares(float(code), 0, splits, KINDS[kind], error_of(noise), out)
            assert out == pytest.approx(naive.gate_nominal(kind, code, size, misrecord), abs=1e-15)


@twin("zone_side")
def test_zone_side_on_the_edges():
    rng = np.random.default_rng(6)
    for _ in range(300):
        theta, delta = rng.normal() * 10.0 ** rng.integers(-3, 4), rng.random() * 10.0 ** rng.integers(-3, 3)
        near = 1e-12 * (abs(theta) + delta)
        for x in (theta - delta, theta + delta):
            for off in (-3.0, -0.5, 0.0, 0.5, 3.0):
                at = x + off * near
                side = kernels.zone_side(at, theta - delta, theta + delta)
                assert (side == 0) == naive.in_zone(at, theta, delta)
                assert (side < 0) == (at < theta and not naive.in_zone(at, theta, delta))
        assert kernels.zone_side(theta, theta - delta, theta + delta) == 0


@twin("settle_pieces")
def test_settle_pieces():
    rng = np.random.default_rng(7)
    for _ in range(400):
        size = int(rng.integers(2, 5))
        gates = rng.choice([0.0, 0.01, 0.25, 0.25, 1.0, 0.5], size) + 1e-9
        gates /= gates.sum()
        weight, original, floor = rng.choice([1.0, 0.02, 0.5]), 1.0, rng.choice([0.0, 1e-4, 0.02, 0.2])
        pieces = gates.copy()
        kernels.settle_pieces(pieces, weight, floor * original)
        assert pieces == pytest.approx(naive.divide(weight, original, list(gates), floor), abs=1e-15)
        assert pieces.sum() == pytest.approx(weight, abs=1e-15)


@twin("divide")
@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_divide(kind, nominal):
    for seed in SEEDS:
        rng, data, weight, _, _ = random_fit(
            seed,
            shape=SHAPES[seed % 4],
            cv=0.05 * (seed % 2),
            propagation=kind,
            weight_floor=(0.0, 1e-4, 0.1)[seed % 3],
        )
        j = 3 if nominal else int(rng.integers(0, 3))
        known = data.X[~np.isnan(data.X[:, j]), j]
        theta, closed = (None, None) if nominal else (float(rng.choice(known)), ("le", "lt")[seed % 2])
        node = {"index": j, "threshold": theta, "closed": closed, "delta": None, "share": [], "children": []}
        want = np.column_stack(naive.send_down(data, node, weight, kind))
        rows = np.flatnonzero(weight > 0.0).astype(np.int32)
        splits = one_split(
            math.nan if nominal else theta, closed == "le", variable=j, size=want.shape[1], nominal=nominal
        )
        share, error = np.zeros(want.shape[1]), error_of(data.propagation)
        arguments = (rows, weight[rows], data.w0[rows], data.X[:, j], splits, share, KINDS[kind], error)
        pieces = np.zeros((len(rows), want.shape[1]))
        kernels.divide(*arguments, data.p["weight_floor"], True, pieces)
        np.testing.assert_allclose(pieces, want[rows], atol=1e-12)
        np.testing.assert_allclose(share, node["share"], atol=1e-12)
        np.testing.assert_allclose(pieces.sum(axis=1), weight[rows], atol=1e-14)
        again = np.zeros_like(pieces)
        kernels.divide(*arguments, data.p["weight_floor"], False, again)
        np.testing.assert_allclose(again, pieces, atol=1e-15)


@twin("divide_in_two", "two_pieces")
@pytest.mark.parametrize("kind", ["hard", "soft", "conditional"])
def test_divide_in_two(kind):
    for seed in SEEDS:
        rng, data, weight, code, labels = random_fit(
            seed,
            ("precise", "abstain")[seed % 2],
            shape=SHAPES[seed % 4],
            cv=0.05 * (seed % 2),
            propagation=kind,
            weight_floor=(0.0, 1e-4, 0.1)[seed % 3],
        )
        j = int(rng.integers(0, 3))
        known = data.X[~np.isnan(data.X[:, j]), j]
        theta, closed, box = float(rng.choice(known)), ("le", "lt")[seed % 2], (-math.inf, math.inf)
        if seed % 4 > 1:
            box = (theta - 0.7, theta + 2.1)
        node = {"index": j, "threshold": theta, "closed": closed, "delta": None, "share": [], "children": []}
        want = np.column_stack(naive.send_down(data, node | {"box": box}, weight, kind))
        rows, share, error = np.flatnonzero(weight > 0.0).astype(np.int32), np.zeros(2), error_of(data.propagation)
        arguments = (
            rows, weight[rows], data.w0, data.X[:, j], code, labels.share, theta, closed == "le", *box,
            error.sigma[j], error.cv[j], error.shape[j], KINDS.get(kind, kernels.COHERENT), data.p["weight_floor"],
        )  # fmt: skip
        kept, parts, bounds, by_class, total, squares = kernels.divide_in_two(*arguments, True, share)
        for c in range(2):
            here = np.flatnonzero(want[:, c] > 0.0)
            np.testing.assert_array_equal(kept[bounds[c] : bounds[c + 1]], here)
            np.testing.assert_allclose(parts[bounds[c] : bounds[c + 1]], want[here, c], atol=1e-12)
            np.testing.assert_allclose(by_class[c], want[here, c] @ labels.share[code[here]], atol=1e-11)
            assert total[c] == pytest.approx(want[:, c].sum(), abs=1e-11)
            assert squares[c] == pytest.approx((want[:, c] ** 2).sum(), abs=1e-11)
        known_weight = want[~np.isnan(data.X[:, j])].sum(axis=0)
        np.testing.assert_allclose(share, known_weight / known_weight.sum(), atol=1e-12)
        again = kernels.divide_in_two(*arguments, False, share)
        for one, two in zip(again, (kept, parts, bounds, by_class, total, squares), strict=True):
            np.testing.assert_array_equal(one, two)


def random_tree(rng, depth, used=frozenset()):
    """Return a random tree over three numeric variables and a nominal one, thresholds anywhere."""
    leaf = {"index": None, "threshold": None, "children": [], "share": [], "delta": None, "closed": None}
    p = rng.dirichlet(np.ones(3))
    leaf["probability"] = p.tolist()
    if depth == 0 or rng.random() < 0.15:
        return leaf
    j = int(rng.choice([k for k in range(4) if k not in used]))
    size = 3 if j == 3 else 2
    share = rng.dirichlet(np.ones(size))
    if rng.random() < 0.2:
        share = np.eye(size)[0]
    node = {**leaf, "index": j, "share": share.tolist()}
    if j < 3:
        node.update(
            threshold=float(rng.integers(-6, 7) / 2.0),
            closed=("le", "lt")[int(rng.integers(0, 2))],
            delta=[None, 0.0, 0.5, 1.25][int(rng.integers(0, 4))],
        )
    below = used | {3} if j == 3 else used
    node["children"] = [random_tree(rng, depth - 1, below) for _ in range(size)]
    return node


def flattened(root):
    """Return (nodes, Splits): the naive tree laid out with children contiguous, boxes worked out along the paths."""
    nodes, boxes, first, share, code = [root], [{}], [], [1.0], [0]
    for place, node in enumerate(nodes):
        first.append(len(nodes) if node["children"] else -1)
        low, high = boxes[place].get(node["index"], (-math.inf, math.inf))
        for c, child in enumerate(node["children"]):
            nodes.append(child)
            share.append(node["share"][c])
            code.append(c)
            cut = node["threshold"]
            box = {} if cut is None else {node["index"]: ((low, min(cut, high)), (max(cut, low), high))[c]}
            boxes.append({**boxes[place], **box})
    own = [b.get(n["index"], (-math.inf, math.inf)) for n, b in zip(nodes, boxes, strict=True)]

    def numbers(key):
        return np.array([math.nan if n[key] is None else n[key] for n in nodes], dtype=float)

    gates = [
        0 if not n["children"] else (NUMERIC_GATE if n["threshold"] is not None else kernels.NOMINAL_GATE)
        for n in nodes
    ]
    return nodes, kernels.Splits(
        np.array([-1 if n["index"] is None else n["index"] for n in nodes], np.int32),
        np.array(gates, np.int8),
        np.array(first, np.int32),
        np.array([len(n["children"]) for n in nodes], np.int32),
        numbers("threshold"),
        np.array([n["closed"] != "lt" for n in nodes]),
        numbers("threshold") - numbers("delta"),
        numbers("threshold") + numbers("delta"),
        np.array([b[0] for b in own]),
        np.array([b[1] for b in own]),
        np.array(share),
        np.array(code, np.int32),
        np.empty((4, 0)),
        np.array([0, 0, 0, 3]),
    )


def random_rows(rng, n):
    """Return rows on and off the thresholds, some values missing."""
    X = np.column_stack([rng.integers(-16, 17, (n, 3)) / 4.0, rng.integers(0, 3, n)])
    X[rng.random(X.shape) < 0.12] = np.nan
    return X


@twin("walk", "reach_all", "mix_leaves", "hard_leaves")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_routing(kind, shape):
    rng = np.random.default_rng(8)
    for trial in range(10):
        root = random_tree(rng, 4)
        nodes, splits = flattened(root)
        X = random_rows(rng, 12)
        noise = naive.make_noise(
            4, [0.8, 0.3, 0.0, 0.0], [0.0, 0.1 * (trial % 2), 0.0, 0.0], [0.0, 0.0, 0.0, 0.1], shape
        )
        reach = np.zeros((len(X), len(nodes)))
        kernels.reach_all(X, splits, KINDS[kind], error_of(noise), reach)
        ours = [id(n) for n in naive.nodes_of(root)]
        order = [ours.index(id(n)) for n in nodes]
        want = np.array([naive.node_reach(root, row, kind, noise)[order] for row in X])
        np.testing.assert_allclose(reach, want, atol=1e-12)
        leaf = splits.n_children == 0
        np.testing.assert_allclose(reach[:, leaf].sum(axis=1), 1.0, atol=1e-12)
        out = np.full((len(X), 3), 9.0)
        answer = np.array([n["probability"] for n in nodes])
        kernels.mix_leaves(X, splits, KINDS[kind], error_of(noise), answer, out)
        np.testing.assert_allclose(out, naive.naive_proba(root, X, kind, noise), atol=1e-12)
        end = np.full(len(X), -9, dtype=np.int32)
        kernels.hard_leaves(X, splits, end)
        hard = np.array([naive.node_reach(root, row, "hard", noise)[order] for row in X])
        for row, got, by_node in zip(X, end, hard, strict=True):
            met = [node for node in np.flatnonzero(by_node > 0.0) if not leaf[node]]
            walked = [nodes[node] for node in met if not np.isnan(row[splits.variable[node]])]
            plain = len(walked) == len(met) and all(splits.gate[node] == NUMERIC_GATE for node in met)
            assert got == (np.flatnonzero((by_node > 0.0) & leaf)[0] if plain else -1)
        listed, shares = np.empty(len(nodes), np.int64), np.empty(len(nodes))
        scratch = np.empty(len(nodes), np.bool_), np.empty(len(nodes))
        count = kernels.walk(X[0], splits, KINDS[kind], error_of(noise), listed, shares, *scratch)
        met = listed[:count]
        assert sorted(met) == np.flatnonzero(reach[0] > 0.0).tolist()
        assert shares[:count] == pytest.approx(reach[0, met])


@twin("undecided_all")
def test_verdicts():
    rng = np.random.default_rng(9)
    noise = error_of(naive.make_noise(4, [0.8, 0.3, 0.0, 0.0]))
    seen = set()
    for _ in range(30):
        root = random_tree(rng, 3)
        _, splits = flattened(root)
        X = random_rows(rng, 15)
        undecided = np.zeros(len(X), dtype=bool)
        kernels.undecided_all(X, splits, noise, undecided)
        assert undecided.tolist() == [not naive.is_decided(root, row) for row in X]
        seen |= set(undecided.tolist())
    assert seen == {True, False}
