"""Conditional independence trees, n-ary splits and naive Bayes leaves against their slow twin. [C], METHODS §4, §8, §9.

In: seeded small tables. Out: failures that name the kernel, the node or the figure.
"""

from __future__ import annotations

import itertools
import json
import math

import naive
import naive_citree
import naive_gates
import numpy as np
import pandas as pd
import pytest
from test_limits import patients
from test_naive_whole import as_frame, as_labels, differences, engine_noise, near_tie, random_table, same_answer
from twins import twin

from engine import Noise, PenumbraError, UncertainTreeClassifier, kernels, variant
from engine.export import rules_text
from engine.model_file import checksum
from engine.recipe import AXES, refusal

TOLERANCE = 1e-9
NARY = {"branching": "nary"}
CITREE = {**NARY, "criterion": "nb_accuracy", "leaf": "naive_bayes"}
FITS = [{**CITREE, "pruning": pruning} for pruning in ("none", "pessimistic", "nb_accuracy", "pessimistic+nb_accuracy")]
FITS += [
    {**NARY, "criterion": criterion, "pruning": pruning, "leaf": leaf}
    for criterion in ("information_gain", "gain_ratio", "gini")
    for leaf in ("frequency", "laplace", "naive_bayes")
    for pruning in AXES["pruning"]
]
FITS += [
    {"criterion": criterion, "pruning": pruning, "leaf": "naive_bayes"}
    for criterion in ("information_gain", "gini")
    for pruning in AXES["pruning"]
]
FITS = [fit for fit in FITS if refusal(fit) is None]


def problem(seed, **fixed):
    """Return one seeded table with its parameters, noise, weights and queries."""
    rng = np.random.default_rng([seed, 8])
    params = {
        "propagation": str(rng.choice(["hard", "hard", "soft", "conditional"])),
        "evaluation": str(rng.choice(["hard", "soft", "coherent"])),
        "decision": str(rng.choice(["argmax", "tau", "set"])),
        "tau": 0.7,
        "max_depth": [1, 2, 3, None][int(rng.integers(0, 4))],
        "min_weight_leaf": float(rng.choice([1.0, 2.0])),
        "min_weight_split": float(rng.choice([2.0, 2.0, 5.0])),
        "weight_floor": float(rng.choice([1e-4, 0.02])),
        "confidence": float(rng.choice([0.025, 0.25, 0.7])),
        "n_bins": int(rng.choice([1, 2, 4, 10])),
        **fixed,
    }
    if params.get("branching") == "nary" and params["propagation"] != "hard":
        params["weight_floor"] = 0.0  # a value on a cut leaves two bins equally heavy, for rounding to choose
    labels = str(rng.choice(["precise", "precise", "abstain", "partial"]))
    if "nb_accuracy" in params["criterion"] + params["pruning"]:
        labels = "precise"
    X, y, variables = random_table(rng, labels, bool(rng.random() < 0.5), True, int(rng.integers(1, 4)))
    numeric = [v["kind"] == "numeric" for v in variables]
    sigma = [float(rng.choice([0.0, 0.5, 1.5])) if k else 0.0 for k in numeric]
    misrecord = [0.0 if k else float(rng.choice([0.0, 0.2])) for k in numeric]
    noise = naive.make_noise(len(numeric), sigma, 0.0, misrecord, str(rng.choice(["normal", "uniform", "laplace"])))
    weights = rng.choice([1.0, 2.0, 0.5], len(y)) if rng.random() < 0.4 else None
    queries = X[rng.integers(0, len(X), 8)] + np.where(numeric, rng.choice([0.0, -0.5, 30.0], (8, len(numeric))), 0.0)
    queries[:, 1] = rng.integers(0, 4, 8)
    queries[rng.random(queries.shape) < 0.15] = np.nan
    return X, y, variables, params, noise, weights, queries


def fit_both(given):
    """Return the engine's model, the twin's data and the twin's tree."""
    X, y, variables, params, noise, weights, _ = given
    data = naive_citree.prepare(X, y, params, noise, weights, variables)
    model = UncertainTreeClassifier(noise=engine_noise(noise, variables), **params)
    model.fit(as_frame(X, variables), as_labels(y), sample_weight=weights)
    return model, data, naive_citree.whole_tree(data)


# Whole trees


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", range(len(FITS)))
def test_whole_trees(place, seed):
    given = problem(100 * place + seed, **FITS[place])
    _, _, variables, params, noise, _, queries = given
    model, data, tree = fit_both(given)
    assert differences(model.tree_.to_dict(), naive_citree.without_rest(tree)) == []
    frame, kind = as_frame(queries, variables), params["evaluation"]
    want = np.array([naive_citree.proba(data, tree, row, kind, noise) for row in queries])
    np.testing.assert_allclose(model.predict_proba(frame), want, atol=TOLERANCE)
    shares = [[s for _, s, _ in naive_citree.reached_leaves(data, tree, row, kind, noise)] for row in queries]
    np.testing.assert_allclose(model.shares(frame), shares, atol=TOLERANCE)
    rests = sum(rest for _, _, rest in naive_citree.reached_leaves(data, tree, queries[0], kind, noise))
    assert model.n_leaves_ == model.shares(frame).shape[1] - rests
    rule = {"decision": params["decision"], "tau": params["tau"]}
    for got, p in zip(model.decide(frame), want, strict=True):
        assert near_tie(p, {**rule, "cost": None}) or same_answer(got, naive.decide(p, **rule), model.classes_)


@pytest.mark.parametrize("seed", range(12))
def test_bigger_conditional_independence_trees(seed):
    given = problem(9000 + seed, **CITREE, max_depth=None, pruning="none", n_bins=3, propagation="hard")
    model, data, tree = fit_both(given)
    assert differences(model.tree_.to_dict(), naive_citree.without_rest(tree)) == []
    assert not data.precise or model.tree_.n_nodes > 1


# Kernels


def kernel_values(data, code, labels):
    """Return the twin's table as naive Bayes kernels read it."""
    first = np.concatenate([[0], np.cumsum(data.n_values)]).astype(np.int64)
    width = max(map(len, data.cuts), default=0)
    cuts = np.array([c if c else [math.nan] * width for c in data.cuts], dtype=float).reshape(len(data.cuts), width)
    cells = kernels.value_cells(data.X, cuts, np.array(data.n_categories, dtype=np.int64), first)
    return kernels.Values(cells, first, code, labels.share), cuts


def kernel_problem(seed):
    """Return twin data, weights (some zero), `Values`, cuts, rows present, and the variables used on the path."""
    given = problem(seed, criterion="gini", pruning="none", n_bins=int(seed % 4) + 1)
    X, y, variables, params, noise, weights, _ = given
    data = naive_citree.prepare(X, y, params, noise, weights, variables)
    rng = np.random.default_rng(seed)
    weight = data.w0 * rng.choice([1.0, 0.3, 0.0], len(data.w0), p=[0.7, 0.2, 0.1])
    known = [frozenset([k]) for k in range(len(data.classes))]
    known += sorted({s for s in data.sets if len(s) > 1}, key=sorted)
    member = np.array([[k in s for k in range(len(data.classes))] for s in known])
    code = np.array([known.index(s) for s in data.sets], dtype=np.int32)
    labels = kernels.Labels(member / member.sum(axis=1, keepdims=True), None, False, False)
    values, cuts = kernel_values(data, code, labels)
    used = frozenset(j for j in range(X.shape[1]) if rng.random() < 0.25)
    return data, weight, values, cuts, np.flatnonzero(weight > 0.0), used


def free_of(data, used):
    return np.array([j for j in range(data.X.shape[1]) if j not in used], dtype=np.int64)


@twin("value_cells")
@pytest.mark.parametrize("seed", range(8))
def test_value_cells(seed):
    data, _, values, _, _, _ = kernel_problem(seed)
    for i, j in itertools.product(range(len(data.X)), range(data.X.shape[1])):
        x = data.X[i, j]
        want = -1 if math.isnan(x) else values.first[j] + naive_citree.value_code(data, j, x)
        assert values.cells[i, j] == want


@twin("empty_fit", "count_patients", "weigh_cells", "clear_cells")
@pytest.mark.parametrize("seed", range(8))
def test_likelihoods_of_a_fit(seed):
    data, weight, values, _, rows, used = kernel_problem(seed)
    fit, free = kernels.empty_fit(values.first, values.share.shape[1]), free_of(data, used)
    lanes, n_classes = len(fit.prior), values.share.shape[1]
    assert lanes % 4 == 0
    assert lanes >= n_classes
    bayes = naive_citree.fit_bayes(data, weight, used)
    for _ in range(2):  # the second time in the same room
        count = kernels.count_patients(rows, weight[rows], values, free, fit)
        np.testing.assert_allclose(fit.prior[:n_classes], bayes["prior"], atol=1e-12)
        kernels.weigh_cells(count, values, fit)
        assert len(set(fit.cells[:count])) == count
        for cell, j in zip(fit.cells[:count], fit.variable[:count], strict=True):
            table = bayes["tables"][int(j)]
            want = (table[cell - values.first[j]] + 1.0) / (table.sum(axis=0) + data.n_values[j])
            np.testing.assert_allclose(fit.table.reshape(-1, lanes)[cell, :n_classes], want, rtol=1e-12)
        kernels.clear_cells(count, fit)
        assert not fit.table.any()
        assert not fit.met.any()


@twin("right_weight", "read_right", "top_class")
@pytest.mark.parametrize("seed", range(8))
def test_weight_classified_rightly(seed):
    data, weight, values, _, rows, used = kernel_problem(seed)
    fit, bayes = kernels.empty_fit(values.first, values.share.shape[1]), naive_citree.fit_bayes(data, weight, used)
    worth = np.random.default_rng(seed).choice([0.0, 1.0, 2.5], len(rows))
    got = kernels.right_weight(rows, weight[rows], worth, values, free_of(data, used), fit)
    dense = np.zeros(len(weight))
    dense[rows] = worth
    assert got == pytest.approx(naive_citree.right(data, bayes, dense), abs=1e-9)
    assert kernels.top_class(np.array([0.25, 0.5 - 1e-14, 0.5, 9.0]), 3) == 1


def test_many_variables_do_not_vanish():
    """Products of 400 small likelihoods would be 0 without rescaling."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(60, 400)))
    y = np.where(X.iloc[:, :200].sum(axis=1) > X.iloc[:, 200:].sum(axis=1), "a", "b")
    model = variant("CITree", max_depth=0).fit(X, y)
    table = UncertainTreeClassifier(**CITREE, max_depth=0).fit(X, y)
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert (model.predict(X) == y).mean() > 0.9
    np.testing.assert_array_equal(p, table.predict_proba(X))


@twin("sort_by_value", "split_right", "bayes_splits", "rights_of_splits")
@pytest.mark.parametrize("seed", range(10))
def test_accuracy_of_every_split(seed):
    data, weight, values, _, rows, used = kernel_problem(seed)
    rows32 = rows.astype(np.int32)
    everything, own = kernels.bayes_splits(rows32, weight[rows], free_of(data, used), True, *values)
    assert own == pytest.approx(naive_citree.right(data, naive_citree.fit_bayes(data, weight, used), weight), abs=1e-9)
    for j in range(data.X.shape[1]):
        want = None if j in used else naive_citree.right_after_split(data, weight, j, used)
        assert everything[j] == (-np.inf if want is None else pytest.approx(want, abs=1e-9))
    best, _ = kernels.bayes_splits(rows32, weight[rows], free_of(data, used), False, *values)
    assert best.max() == everything.max()
    assert (best == everything)[: int(np.argmax(best)) + 1].any()
    assert np.argmax(best >= best.max() - 1e-9) == np.argmax(everything >= everything.max() - 1e-9)
    for j in free_of(data, used):
        order, ends = np.empty(len(rows), np.int64), np.empty(data.n_values[j], np.int64)
        count = kernels.sort_by_value(rows, weight[rows], values, j, order, ends)
        codes = [data.n_values[j] if math.isnan(x) else naive_citree.value_code(data, j, x) for x in data.X[rows, j]]
        assert list(order) == sorted(range(len(rows)), key=lambda r: codes[r])
        assert list(ends) == [sum(c <= v for c in codes) for v in range(data.n_values[j])]
        assert count == len(naive_citree.occurring(data, weight, j))


@twin("bayes_right", "bayes_tables")
@pytest.mark.parametrize("seed", range(6))
def test_nodes_at_once(seed):
    data, weight, values, _, rows, used = kernel_problem(seed)
    rng = np.random.default_rng(seed)
    paths = [used, frozenset(), frozenset([0])]
    parts = [rows, rows[rng.random(len(rows)) < 0.5], rows[:0]]
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    marks = np.array([[j in path for j in range(data.X.shape[1])] for path in paths])
    joined = np.concatenate(parts)
    right = kernels.bayes_right(joined, weight[joined], weight[joined], bounds, marks, *values)
    tables = kernels.bayes_tables(joined, weight[joined], bounds, marks, values)
    for g, (path, part) in enumerate(zip(paths, parts, strict=True)):
        dense = np.where(np.isin(np.arange(len(weight)), part), weight, 0.0)
        bayes = naive_citree.fit_bayes(data, dense, path)
        assert right[g] == pytest.approx(naive_citree.right(data, bayes, dense), abs=1e-9)
        for j in range(data.X.shape[1]):
            got = tables[g, values.first[j] : values.first[j + 1]]
            np.testing.assert_allclose(got, bayes["tables"].get(j, np.zeros(got.shape)), atol=1e-12)


@twin("most_accurate_splits", "divide_by_value")
@pytest.mark.parametrize("seed", range(10))
def test_splits_and_children_of_nodes_at_once(seed):
    data, weight, values, _, rows, used = kernel_problem(seed)
    rng, floor, n_variables = np.random.default_rng(seed), (0.0, 0.3)[seed % 2], data.X.shape[1]
    paths = [used, frozenset(), frozenset(range(n_variables)), frozenset()]
    parts = [rows, rows[rng.random(len(rows)) < 0.6], rows, rows]
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    marks = np.array([[j in path for j in range(n_variables)] for path in paths])
    joined, wanted = np.concatenate(parts).astype(np.int32), np.array([True, True, True, False])
    variable, gain = kernels.most_accurate_splits(joined, weight[joined], bounds, wanted, marks, *values)
    original = weight * rng.choice([1.0, 2.0], len(weight))
    kept, part, ends, parent, codes, share, by_class, total, squares = kernels.divide_by_value(
        joined, weight[joined], original, bounds, variable, floor, *values
    )
    for g, (path, here) in enumerate(zip(paths, parts, strict=True)):
        dense = np.where(np.isin(np.arange(len(weight)), here), weight, 0.0)
        rights = {j: naive_citree.right_after_split(data, dense, j, path) for j in range(n_variables) if j not in path}
        rights = {j: right for j, right in rights.items() if right is not None}
        if not wanted[g] or not rights:
            assert variable[g] == -1
            assert not (parent == g).any()
            continue
        j = min(j for j, right in rights.items() if right >= max(rights.values()) - 1e-9)
        own = naive_citree.right(data, naive_citree.fit_bayes(data, dense, path), dense)
        assert variable[g] == j
        assert gain[g] == pytest.approx((rights[j] - own) / dense.sum(), abs=1e-9)
        met = naive_citree.occurring(data, dense, j)
        children = np.flatnonzero(parent == g)
        assert codes[children].tolist() == [*met, *([] if len(met) == data.n_values[j] else [-1])]
        own_codes = [-9 if math.isnan(x) else naive_citree.value_code(data, j, x) for x in data.X[:, j]]
        known = np.array([sum(dense[i] for i in here if own_codes[i] == v) for v in codes[children]])
        assert share[children] == pytest.approx(known / known.sum())
        pieces = np.zeros((len(weight), len(children)))
        for i in here:
            wanted_share = known / known.sum() if own_codes[i] == -9 else (codes[children] == own_codes[i]) * 1.0
            heaviest = int(np.argmax(wanted_share >= wanted_share.max() - 1e-12))
            pieces[i] = np.where(weight[i] * wanted_share >= floor * original[i], weight[i] * wanted_share, 0.0)
            pieces[i, heaviest] = 0.0
            pieces[i, heaviest] = weight[i] - pieces[i].sum()
        for c, child in enumerate(children):
            inside = slice(ends[child], ends[child + 1])
            assert kept[inside].tolist() == [i for i in here if pieces[i, c] > 0.0]
            assert part[inside] == pytest.approx(pieces[kept[inside], c], abs=1e-12)
            assert total[child] == pytest.approx(pieces[:, c].sum(), abs=1e-12)
            assert squares[child] == pytest.approx((pieces[:, c] ** 2).sum(), abs=1e-12)
            sums = np.zeros(by_class.shape[1])
            for i in here:
                sums += pieces[i, c] * values.share[values.code[i]]
            assert by_class[child] == pytest.approx(sums, abs=1e-12)


@twin("cut_where_no_worse")
def test_cuts_where_a_leaf_is_no_worse():
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(1, 30))
        parent = np.array([-1, *[int(rng.integers(0, p)) for p in range(1, n)]])
        splits = np.isin(np.arange(n), parent)
        cost = rng.integers(0, 6, n) + 1e-10 * rng.integers(-1, 2, n)

        def below(node, splits=splits, cost=cost, parent=parent, cut=None):
            if not splits[node]:
                return cost[node]
            leaves = sum(below(child, splits, cost, parent, cut) for child in np.flatnonzero(parent == node))
            cut[node] = cost[node] <= leaves + 1e-9
            return cost[node] if cut[node] else leaves

        want, after = np.zeros(n, dtype=bool), splits.copy()
        below(0, cut=want)
        assert kernels.cut_where_no_worse(parent, after, cost).tolist() == want.tolist()
        assert after.tolist() == (splits & ~want).tolist()


@twin("posterior", "posteriors", "mix_bayes")
@pytest.mark.parametrize("seed", range(4))
def test_posteriors_of_leaves(seed):
    given = problem(700 + seed, **CITREE, pruning="none", max_depth=2)
    model, data, tree = fit_both(given)
    queries, engine_tree = given[-1], model.tree_
    cells = kernels.value_cells(
        queries, engine_tree.cuts, np.array(data.n_categories), np.concatenate([[0], np.cumsum(data.n_values)])
    )
    leaves = [leaf for leaf, _, _ in naive_citree.reached_leaves(data, tree, queries[0], "hard", given[4])]
    row = np.repeat(np.arange(len(queries)), len(leaves))
    leaf = np.tile(engine_tree.leaves, len(queries))
    out = np.empty((len(row), len(data.classes)))
    kernels.posteriors(cells, row, leaf, engine_tree.probability, engine_tree.bayes_of, engine_tree.log_likelihood, out)
    want = [naive_citree.posterior(data, each["bayes"], query) for query in queries for each in leaves]
    np.testing.assert_allclose(out, want, atol=1e-12)


@twin("sort_pieces")
@pytest.mark.parametrize("seed", range(4))
def test_sort_pieces(seed):
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(50, 12, replace=False)).astype(np.int32)
    code, share = rng.integers(0, 3, 50).astype(np.int32), np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    pieces = rng.choice([0.0, 1.0, 0.25], (12, 4))
    pieces[:, 2] = 0.0
    kept, weight, bounds, by_class, total, squares = kernels.sort_pieces(rows, pieces, code, share)
    for c in range(4):
        here = pieces[:, c] > 0.0
        assert list(kept[bounds[c] : bounds[c + 1]]) == list(rows[here])
        assert list(weight[bounds[c] : bounds[c + 1]]) == list(pieces[here, c])
        np.testing.assert_allclose(by_class[c], pieces[:, c] @ share[code[rows]], atol=1e-12)
        assert (total[c], squares[c]) == pytest.approx((pieces[:, c].sum(), (pieces[:, c] ** 2).sum()))


# One patient


@pytest.mark.parametrize("seed", range(10))
def test_nearest_change_tries_every_cell(seed):
    fit = FITS[seed % 4] if seed < 6 else {"criterion": "gini", "pruning": "none", "leaf": "naive_bayes"}
    given = problem(300 + seed, **{**fit, "decision": "argmax", "max_depth": 2})
    _, _, variables, _, noise, _, queries = given
    model, data, tree = fit_both(given)
    for row in queries[:4]:
        case = model.case(as_frame(row[None, :], variables))
        for j, v in enumerate(variables):
            want = naive_citree.nearest_change(data, tree, row, j, noise)
            if v["kind"] == "nominal":
                got = case.nearest_category.get(v["name"])
                assert got == (None if want is None else v["categories"][want])
            else:
                got = case.nearest_change[v["name"]]
                assert (got is None) == (want is None)
                assert want is None or abs(got) == pytest.approx(abs(want), abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(5))
def test_simulated_figures_of_naive_bayes_leaves(seed):
    given = problem(400 + seed, **{**CITREE, "pruning": "none", "decision": "argmax", "max_depth": 2, "n_bins": 4})
    _, _, variables, _, noise, _, queries = given
    noise.sigma = [1.0 if v["kind"] == "numeric" else 0.0 for v in variables]
    model, data, tree = fit_both(given)
    draws, rng = 3_000, np.random.default_rng(seed)
    for row in queries[:2]:
        case = model.case(as_frame(row[None, :], variables))
        assert case.simulated
        assert case.n_draws == 10_000
        want = naive_citree.simulated(data, tree, row, noise, draws, rng)
        bound = 5.0 * math.sqrt(0.25 / draws) + 5.0 * math.sqrt(0.25 / case.n_draws)
        shares = {str(answer): share for answer, share in case.answer_shares}
        for k, name in enumerate(data.classes):
            assert shares.get(name, 0.0) == pytest.approx(want.get(k, 0.0), abs=bound)
        assert case.certainty == pytest.approx(max(shares.values()))
        assert sum(shares.values()) == pytest.approx(1.0)
        again = model.case(as_frame(row[None, :], variables))
        assert again.answer_shares == case.answer_shares
        assert (case.interval[:, 0] <= case.interval[:, 1]).all()
        assert all(gain >= 0.0 for gain in case.repeat_advice.values())


def test_repeat_advice_of_a_naive_bayes_by_hand():
    """One variable, one node: the answer is a function of the reading's bin, so the closed form holds there too."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(0.0, 5.0, 40), rng.uniform(5.0, 10.0, 40)])
    y = np.repeat(["a", "b"], 40)
    X = pd.DataFrame({"v": np.clip(x, 0.0, 10.0)})
    X.loc[0, "v"], X.loc[79, "v"] = 0.0, 10.0
    leafy = UncertainTreeClassifier(**CITREE, n_bins=2, max_depth=0, noise=Noise(sigma=2.0)).fit(X, y)
    split = UncertainTreeClassifier(max_depth=1, noise=Noise(sigma=2.0), **NARY, n_bins=2).fit(X, y)
    for value in (4.0, 5.5, 9.0):
        a, b = leafy.case({"v": value}), split.case({"v": value})
        assert a.answer == b.answer
        assert (a.simulated, b.simulated) == (True, False)
        assert a.stability == pytest.approx(b.stability, abs=1e-3)
        assert a.repeat_advice["v"] == pytest.approx(b.repeat_advice["v"], abs=1e-4)
        assert a.nearest_change["v"] == pytest.approx(b.nearest_change["v"])


def test_without_noise_nothing_is_simulated():
    X, y = patients(71)
    case = variant("CITree").fit(X, y).case(X.iloc[[0]])
    assert (case.simulated, case.n_draws) == (False, 0)
    assert sum(share for _, share in case.answer_shares) == pytest.approx(1.0)


@pytest.mark.parametrize("criterion", ["information_gain", "gini"])
def test_bins_keep_the_closed_form(criterion):
    X, y = patients(72, missing=0.0)
    noise = Noise(sigma={"glucose": 9.0, "age": 4.0, "bmi": 1.5}, misrecord={"smoker": 0.1}, shape={"bmi": "laplace"})
    model = UncertainTreeClassifier(**NARY, criterion=criterion, noise=noise, evaluation="coherent", n_bins=6).fit(X, y)
    tree, rng, draws = model.tree_, np.random.default_rng(5), 20_000
    plain = naive.make_noise(
        4, [9.0, 4.0, 1.5, 0.0], 0.0, [0.0, 0.0, 0.0, 0.1], ["normal", "normal", "laplace", "normal"]
    )
    for i in (3, 50):
        case, row = model.case(X.iloc[[i]]), model.encode(X)[i]
        truth = naive.draw_truth(None, row, plain, draws, rng, [0, 0, 0, 3])
        frame = pd.DataFrame(truth, columns=X.columns)
        frame["smoker"] = pd.Categorical.from_codes(truth[:, 3].astype(int), categories=["no", "former", "yes"])
        hard = model.with_decision(evaluation="hard")
        same = (hard.decide(frame) == case.answer).mean()
        assert not case.simulated
        assert case.stability == pytest.approx(same, abs=5.0 * math.sqrt(0.25 / draws))
        assert len(case.shares) == len(tree.leaves)
        gain, error = simulated_repeat(model, X.iloc[[i]], "glucose", 9.0, rng)
        assert case.repeat_advice["glucose"] == pytest.approx(max(0.0, gain), abs=5.0 * error + 1e-4)


def simulated_repeat(model, frame, name, sigma, rng, n=250):
    """Return the gain in certainty over simulated second readings of a normal measurement, and its standard error."""
    sharper = UncertainTreeClassifier.from_json(model.to_json())
    sharper.noise_evaluation_.sigma[list(frame.columns).index(name)] = sigma / math.sqrt(2.0)
    after = []
    for reading in rng.normal(float(frame[name].iloc[0]), math.sqrt(2.0) * sigma, n):
        again = frame.copy()
        again[name] = (frame[name] + reading) / 2.0
        after.append(sharper.case(again).certainty)
    return float(np.mean(after) - model.case(frame).certainty), float(np.std(after) / math.sqrt(n))


# Files, words and refusals


@pytest.mark.parametrize("params", [CITREE, {**NARY, "leaf": "frequency"}, {"leaf": "naive_bayes", "max_depth": 2}])
def test_json_round_trip_and_damage(params):
    X, y = patients(73)
    model = UncertainTreeClassifier(**params, noise=Noise(sigma={"glucose": 5.0})).fit(X, y)
    text = model.to_json()
    again = UncertainTreeClassifier.from_json(text)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.to_json() == text
    record = json.loads(text)
    if not record["tree"]["bayes"]:
        return
    for name, damage in {"bayes": -1.0, "bayes_of": -1}.items():
        worse = json.loads(text)
        array = worse["tree"][name]
        while isinstance(array[-1], list):
            array = array[-1]
        array[-1] = damage
        with pytest.raises(PenumbraError, match="damaged"):
            UncertainTreeClassifier.from_json(json.dumps({**worse, "sha256": checksum(worse)}))


def test_a_conditional_independence_tree_can_be_read_and_explained():
    X, y = patients(74)
    model = variant("CITree", confidence=0.9, noise=Noise(sigma={"glucose": 5.0})).fit(X, y)
    tree = model.tree_
    assert rules_text(tree, model.leaf_answers()).count("\n") > tree.n_leaves
    table, weight = model.training_weights(X, y)
    np.testing.assert_allclose(weight.sum(axis=0), tree.weight, atol=1e-9)
    assert np.isfinite(model.feature_importances_).all()
    if not tree.is_leaf(0):
        from engine.why import why

        reasons = why(tree, model.search_on(table), weight[:, 0], 0)
        assert reasons.best[0].variable == tree.variable[0]
        assert reasons.exact is None


@pytest.mark.parametrize("params", [CITREE, {"leaf": "naive_bayes", "pruning": "nb_accuracy"}])
def test_accuracy_needs_precise_labels(params):
    X, y = patients(75, n=40)
    y[4] = None
    with pytest.raises(PenumbraError, match="imprecise"):
        UncertainTreeClassifier(**params).fit(X, y)


@pytest.mark.parametrize("n_bins", [0, 2.5, "ten", 1_000_000, math.nan])
def test_bins_that_are_no_number_of_bins(n_bins):
    X, y = patients(76, n=40)
    with pytest.raises(PenumbraError, match="n_bins"):
        variant("CITree", n_bins=n_bins).fit(X, y)


def test_a_category_without_a_child_is_answered_by_the_node():
    X = pd.DataFrame({"c": pd.Categorical(list("aabbaabb"), categories=list("abc")), "v": [1.0, 2, 3, 4, 1, 2, 3, 4]})
    model = UncertainTreeClassifier(**CITREE, n_bins=2, max_depth=1).fit(X, list("xxyyxxyy"))
    one = UncertainTreeClassifier(**CITREE, n_bins=2, max_depth=0).fit(X, list("xxyyxxyy"))
    unseen = pd.DataFrame({"c": pd.Categorical(["c"], categories=list("abc")), "v": [1.0]})
    assert model.tree_.variables[model.tree_.variable[0]] == "c"
    assert model.n_leaves_ == 2
    assert model.shares(unseen).tolist() == [[0.0, 0.0, 1.0]]
    np.testing.assert_allclose(model.predict_proba(unseen), one.predict_proba(unseen), atol=1e-12)
    assert naive_gates.categories("hard", 2, 3, [0, 1, -1], 0.0) == [0.0, 0.0, 1.0]
