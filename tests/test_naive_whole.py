"""Whole fits against the naive twin, on small random tables over every combination of choices that is built.

In: seeds. Out: failures that name the node and the figure that differ.
"""

from __future__ import annotations

import itertools
import math

import naive
import numpy as np
import pandas as pd
import pytest

from engine import Noise, UncertainTreeClassifier
from engine.recipe import AXES, refusal

SHAPES = ("normal", "uniform", "laplace", "logistic")
CLASSES = ["a", "b", "c"]
ELSEWHERE = {  # whole trees of these are compared in test_zones.py and test_citree.py
    "criterion": {"nb_accuracy"}, "branching": {"middle", "nary"}, "leaf": {"naive_bayes"},
    "zone": {"node_bootstrap", "class_overlap", "gain_ratio", "quinlan"},
    "pruning": {"nb_accuracy", "pessimistic+nb_accuracy"},
}  # fmt: skip
BUILT = {axis: [c for c in choices if c not in ELSEWHERE.get(axis, ())] for axis, choices in AXES.items()}
TOLERANCE = 1e-9


def random_table(rng, labels, missing, nominal, numeric=2):
    """Return encoded rows with ties, labels as fit takes them, and the variables."""
    n, n_classes = int(rng.integers(10, 36)), int(rng.integers(2, 4))
    columns = [rng.integers(0, 12, n) / 2.0 + 1.0, np.round(rng.normal(10.0, 2.0, n), 1), rng.integers(-4, 5, n) * 1.0]
    columns = columns[:numeric]
    variables = [{"name": f"v{j}", "kind": "numeric"} for j in range(numeric)]
    if nominal:
        columns.insert(1, rng.integers(0, 3, n) * 1.0)
        variables.insert(1, {"name": "colour", "kind": "nominal", "categories": ["red", "green", "blue", "grey"]})
    X = np.column_stack(columns)
    score = X[:, 0] + (X[:, -1] > 1.0) * 2.0 + rng.normal(0.0, 2.0, n)
    codes = np.clip(((score - score.min()) / (np.ptp(score) + 1e-9) * n_classes).astype(int), 0, n_classes - 1)
    codes[:n_classes] = range(n_classes)
    if missing:
        X[rng.random(X.shape) < 0.12] = np.nan
    y = [CLASSES[k] for k in codes]
    for i in range(n_classes, n):
        if labels == "abstain" and rng.random() < 0.25:
            y[i] = None
        if labels == "partial" and rng.random() < 0.3:
            size = int(rng.integers(2, n_classes + 1))
            y[i] = tuple(sorted(rng.choice(CLASSES[:n_classes], size, replace=False).tolist()))
    return X, y, variables


def as_frame(X, variables):
    """Return encoded rows as a data frame."""
    columns = {}
    for j, v in enumerate(variables):
        if v["kind"] == "nominal":
            names = [None if math.isnan(x) else v["categories"][int(x)] for x in X[:, j]]
            columns[v["name"]] = pd.Categorical(names, categories=v["categories"])
        else:
            columns[v["name"]] = X[:, j]
    return pd.DataFrame(columns)


def as_labels(y):
    """Return labels as an object array, sets kept whole."""
    out = np.empty(len(y), dtype=object)
    out[:] = y
    return out


def random_problem(seed, **fixed):
    """Return one seeded problem: table, parameters, noise, weights and queries."""
    rng = np.random.default_rng(seed)
    params = {axis: str(rng.choice(choices)) for axis, choices in BUILT.items()}
    if params["zone"] == "none" and params["evaluation"] == "zone" and rng.random() < 0.5:
        params["zone"] = "noise"
    params.update(
        threshold=str(rng.choice(["value", "midpoint", "observed"])),
        max_depth=[2, 3, 4, None][int(rng.integers(0, 4))],
        min_weight_leaf=float(rng.choice([1.0, 2.0, 3.0, 0.5])),
        min_weight_split=float(rng.choice([2.0, 2.0, 6.0])),
        weight_floor=float(rng.choice([1e-4, 1e-4, 0.02, 0.0])),
        confidence=float(rng.choice([0.1, 0.25, 0.6, 0.9])),
        pruning_laplace=bool(rng.integers(0, 2)),
        resolution=float(rng.choice([0.1, 0.25])),
        tau=float(rng.choice([0.5, 0.7, 0.9])),
        n_points=int(rng.choice([1, 4, 7])),
        mdl_correction=bool(rng.integers(0, 2)),
        u_s=float(rng.choice([1.0, 1.0, 0.5])),
        u_p=float(rng.choice([1.0, 1.0, 0.5])),
        u_e=float(rng.choice([1.0, 1.0, 2.0])),
    )
    labels = str(rng.choice(["precise", "precise", "abstain", "partial"]))
    missing, nominal = bool(rng.random() < 0.4), bool(rng.random() < 0.4)
    params.update(fixed)
    if params["zone"] == "margin":
        labels = "precise"
    if refusal(params) is not None:
        params["evaluation"] = "soft"
    X, y, variables = random_table(rng, labels, missing, nominal, int(rng.integers(1, 4)))
    numeric = [v["kind"] == "numeric" for v in variables]
    sigma = [float(rng.choice([0.0, 0.3, 0.8, 1.5])) if k else 0.0 for k in numeric]
    cv = [float(rng.choice([0.0, 0.0, 0.06])) if k else 0.0 for k in numeric]
    sigma = [0.3 if c > 0.0 and s == 0.0 else s for s, c in zip(sigma, cv, strict=True)]
    misrecord = [0.0 if k else float(rng.choice([0.0, 0.15])) for k in numeric]
    shape = [str(rng.choice(SHAPES)) for _ in numeric]
    noise = naive.make_noise(len(numeric), sigma, cv, misrecord, shape)
    weights = rng.choice([1.0, 2.0, 0.5], len(y)) if rng.random() < 0.3 else None
    queries = X[rng.integers(0, len(X), 8)] + np.where(
        numeric, rng.choice([0.0, 0.25, -0.5, 3.0], (8, len(numeric))), 0.0
    )
    queries[rng.random(queries.shape) < 0.1] = np.nan
    if params["decision"] == "cost":
        params.update(random_costs(seed, len({label for label in y if isinstance(label, str)})))
    return X, y, variables, params, noise, weights, queries


def random_costs(seed, n_classes):
    """Return costs[true, answer] of K classes, nothing for the right answer, and perhaps a cost of abstaining."""
    rng = np.random.default_rng([seed, 1])
    cost = np.round(rng.uniform(0.5, 4.0, (n_classes, n_classes)), 1) * (1.0 - np.eye(n_classes))
    return {"cost": cost.tolist(), "abstain_cost": None if rng.random() < 0.3 else float(rng.choice([0.2, 0.5, 0.9]))}


def rule_of(params):
    """Return the decision with its τ and costs, as the naive twin takes it."""
    return {name: params.get(name) for name in ("decision", "tau", "cost", "abstain_cost")}


def engine_noise(noise, variables):
    """Return plain noise as the public `Noise`."""
    numeric = {v["name"]: j for j, v in enumerate(variables) if v["kind"] == "numeric"}
    nominal = {v["name"]: j for j, v in enumerate(variables) if v["kind"] == "nominal"}
    return Noise(
        sigma={name: noise.sigma[j] for name, j in numeric.items()},
        cv={name: noise.cv[j] for name, j in numeric.items()},
        misrecord={name: noise.misrecord[j] for name, j in nominal.items()},
        shape={name: noise.shape[j] for name, j in numeric.items()},
    )


def fit_both(problem):
    """Return the engine's model and the naive tree."""
    X, y, variables, params, noise, weights, _ = problem
    tree = naive.naive_fit(X, y, params, noise, weights, variables)
    model = UncertainTreeClassifier(noise=engine_noise(noise, variables), **params)
    model.fit(as_frame(X, variables), as_labels(y), sample_weight=weights)
    return model, tree


def differences(got, want, where="root", tolerance=TOLERANCE):
    """Return sentences on where two nested trees differ."""
    if got["variable"] != want["variable"]:
        return [f"{where}: splits on {got['variable']} {got['threshold']}, not {want['variable']} {want['threshold']}"]
    found = []
    for field in ("threshold", "delta", "gain", "weight"):
        a, b = got[field], want[field]
        if (a is None) != (b is None) or (a is not None and not abs(a - b) <= tolerance * max(1.0, abs(b))):
            found.append(f"{where} {field}: {a}, not {b}")
    for field in ("share", "class_weight", "probability", "low_high"):
        a, b = got[field] or [], want[field] or []
        if len(a) != len(b) or not np.allclose(a, b, rtol=tolerance, atol=tolerance):
            found.append(f"{where} {field}: {a}, not {b}")
    if want["variable"] is not None and (got["closed"], got["branch"]) != (want["closed"], want["branch"]):
        found.append(f"{where}: {got['closed']} {got['branch']}, not {want['closed']} {want['branch']}")
    if len(got["children"]) != len(want["children"]):
        return [*found, f"{where}: {len(got['children'])} children, not {len(want['children'])}"]
    for c, (a, b) in enumerate(zip(got["children"], want["children"], strict=True)):
        found += differences(a, b, f"{where}.{c}", tolerance)
    return found


def same_answer(got, code, classes):
    """Tell whether the engine's answer is the naive code, None or set of codes."""
    if code is None or got is None:
        return code is None and got is None
    if isinstance(code, frozenset):
        return {str(g) for g in got} == {str(classes[k]) for k in code}
    return str(got) == str(classes[code])


def near_tie(p, rule):
    """Tell whether rounding could decide the answer for these probabilities."""
    falling = sorted(p, reverse=True)
    rivals = [a - b for a, b in itertools.pairwise(falling)]
    if rule["decision"] == "cost":
        expected = sorted([*np.asarray(p) @ np.array(rule["cost"]), *({rule["abstain_cost"]} - {None})])
        return rivals[0] < 1e-9 or expected[1] - expected[0] < 1e-9
    if rule["decision"] == "set":
        return min(rivals) < 1e-9 or min(abs(np.cumsum(falling) - rule["tau"])) < 1e-9
    return rivals[0] < 1e-9 or abs(falling[0] - rule["tau"]) < 1e-9


def disagreements(problem):
    """Return sentences on everything in which the engine and the naive twin differ on one problem."""
    _, _, variables, params, noise, _, queries = problem
    model, tree = fit_both(problem)
    found = differences(model.tree_.to_dict(), tree)
    if found:
        return found
    Q = as_frame(queries, variables)
    evaluation = naive.scale_noise(noise, params["u_e"])
    rule = rule_of(params)
    P = naive.naive_proba(tree, queries, params["evaluation"], evaluation)
    if not np.allclose(model.predict_proba(Q), P, atol=TOLERANCE):
        found.append(f"proba {model.predict_proba(Q)}, not {P}")
    shares = [naive.leaf_shares(tree, row, params["evaluation"], evaluation) for row in queries]
    if not np.allclose(model.shares(Q), shares, atol=TOLERANCE):
        found.append("shares")
    for got, label, p in zip(model.decide(Q), model.predict(Q), P, strict=True):
        if not near_tie(p, rule) and not same_answer(got, naive.decide(p, **rule), model.classes_):
            found.append(f"decide {got}, not {naive.decide(p, **rule)}")
        plain = {**rule, "abstain_cost": None} if rule["decision"] == "cost" else {}
        if not near_tie(p, rule) and not same_answer(label, naive.decide(p, **plain), model.classes_):
            found.append(f"predict {label}")
    decided = [naive.is_decided(tree, row) for row in queries]
    if list(model.decided(Q)) != decided:
        found.append(f"decided {list(model.decided(Q))}, not {decided}")
    if (model.n_leaves_, model.depth_) != (len(naive.leaves_of(tree)), naive.depth_of(tree)):
        found.append("n_leaves_ or depth_")
    return found


def disagreements_of_case(problem, rows=2, repeat=False):
    """Return sentences on the patient's figures (METHODS §9) in which the two differ."""
    _, _, variables, params, noise, _, queries = problem
    model, tree = fit_both(problem)
    if differences(model.tree_.to_dict(), tree):
        return []
    evaluation = naive.scale_noise(noise, params["u_e"])
    rule = rule_of(params)
    if any(near_tie(leaf["probability"], rule) for leaf in naive.leaves_of(tree)):
        return []
    order = [id(n) for n in naive.nodes_of(tree)]
    paired = list(zip(queries[:rows], [as_frame(queries[i : i + 1], variables) for i in range(rows)], strict=True))
    found = []

    def close(what, got, want, tolerance=TOLERANCE):
        if (got is None) != (want is None) or (want is not None and not np.allclose(got, want, atol=tolerance)):
            found.append(f"{what}: {got}, not {want}")

    for row, frame in paired:
        case = model.case(frame)
        p = naive.naive_proba(tree, [row], params["evaluation"], evaluation)[0]
        close("probability", case.probability, p)
        for kind, got in case.probabilities.items():
            close(f"probabilities {kind}", got, naive.naive_proba(tree, [row], kind, evaluation)[0])
        close("shares", case.shares, naive.leaf_shares(tree, row, "coherent", evaluation))
        reach = naive.node_reach(tree, row, "coherent", evaluation)
        close("reach of the root and leaves", np.sort(case.reach), np.sort(reach))
        assert len(case.reach) == len(order)
        shares = naive.answer_shares(tree, row, evaluation, **rule)
        if not near_tie(p, rule):
            close("stability", case.stability, shares.get(naive.decide(p, **rule), 0.0))
        close("certainty", case.certainty, max(shares.values()))
        if case.decided != naive.is_decided(tree, row):
            found.append("decided")
        if not np.isnan(row).any():
            close("interval", case.interval, naive.interval(tree, row, evaluation))
        hard = naive.naive_proba(tree, [row], "hard", evaluation)[0]
        for j, v in enumerate(variables):
            if v["kind"] == "nominal":
                code = naive.nearest_change(tree, row, j, len(v["categories"]), **rule)
                want = None if code is None else v["categories"][code]
                got = case.nearest_category.get(v["name"])
                if got != want and not near_tie(hard, rule):
                    found.append(f"nearest category {got}, not {want}")
                continue
            want = naive.nearest_change(tree, row, j, **rule)
            got = case.nearest_change[v["name"]]
            if not near_tie(hard, rule):
                close(f"nearest change of {v['name']}", got and abs(got), want and abs(want))
            gain = naive.repeat_gain(tree, row, j, evaluation, **rule) if repeat else None
            if gain is not None:
                close(f"repeat {v['name']}", case.repeat_advice.get(v["name"]), gain, 1e-4)
    return found


def legal_combinations():
    """Return every legal combination of the built choices that shape the tree and its shares."""
    axes = [axis for axis in BUILT if axis not in ("decision", "leaf")]
    combos = [dict(zip(axes, choice, strict=True)) for choice in itertools.product(*(BUILT[axis] for axis in axes))]
    return [combo for combo in combos if refusal(combo) is None]


COMBINATIONS = legal_combinations()


def test_every_built_choice_is_met():
    for axis, choices in BUILT.items():
        if axis in COMBINATIONS[0]:
            assert {combo[axis] for combo in COMBINATIONS} == set(choices)


@pytest.mark.parametrize("place", range(0, len(COMBINATIONS), 7))
def test_a_combination_of_choices(place):
    assert disagreements(random_problem(1000 + place, **COMBINATIONS[place])) == []


@pytest.mark.parametrize("seed", [1317, *range(40)])
def test_random_choices(seed):
    assert disagreements(random_problem(seed)) == []


@pytest.mark.parametrize("seed", range(200, 225))
def test_pruned_trees(seed):
    assert disagreements(random_problem(seed, pruning="pessimistic", max_depth=None)) == []


@pytest.mark.parametrize("seed", [283, *range(300, 315)])
def test_the_case_of_a_patient(seed):
    assert disagreements_of_case(random_problem(seed)) == []


@pytest.mark.parametrize("seed", range(400, 408))
def test_repeat_advice(seed):
    assert disagreements_of_case(random_problem(seed, search="exact", max_depth=3), rows=1, repeat=True) == []
