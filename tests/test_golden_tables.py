"""The tables of the golden cases that their own checker does not read: gain curves, bounds, sweeps, metrics, zones.

In: the folder `golden` in `shared` beside the project. Out: equal figures; without the folder, the reason for skipping.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from engine import UncertainTreeClassifier, kernels
from engine.calibration import nearest_factor, scaled_zones, undecided_beyond
from engine.criteria import CODES, logical_entropy
from engine.leaves import upper_limit
from engine.metrics import cover_hart
from engine.prune import charges
from engine.route import decided
from engine.search import arrivals, candidates, numeric_curve, split_entropy
from engine.why import path_boxes

GOLDEN = Path(__file__).resolve().parents[2] / "shared" / "golden"
pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="no folder shared/golden beside the project")


def load(name):
    case = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return case, case["expect"]["other"]


def names(folder, wanted):
    """Return the cases of a folder that hold the wanted table."""
    files = sorted((GOLDEN / folder).glob("*.json")) if GOLDEN.is_dir() else []
    return [f"{folder}/{f.stem}" for f in files if wanted in (json.loads(f.read_text())["expect"].get("other") or {})]


def checker():
    """Return the folder's own checker, for how it turns a case into a DataFrame, labels and noise."""
    spec = importlib.util.spec_from_file_location("golden_check", GOLDEN / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fitted(case, **changes):
    """Return the model of a case, with its queries as a DataFrame."""
    check = checker()
    y = np.empty(len(case["y"]), dtype=object)
    y[:] = check.labels(case)
    model = UncertainTreeClassifier(noise=check.noise(case.get("noise")), **{**case["params"], **changes})
    X = check.frame(case, case["X"])
    model.fit(X, y, sample_weight=case.get("weights"))
    return model, X, y, check.frame(case, case.get("queries") or [])


def close(got, want):
    np.testing.assert_allclose(np.asarray(got, dtype=float), np.asarray(want, dtype=float), rtol=1e-9, atol=1e-9)


def test_clopper_pearson_and_charges():
    _, other = load("soft/cp-table")
    for errors, n, c, limit, charged in other["bounds"]:
        close(upper_limit(errors, n, c), limit)
        close(n * upper_limit(errors, n, c), charged)
    for weights, _, c, _, _, with_laplace, without in other["charges"]:
        close(charges(np.array([weights], dtype=float), c, True)[0], with_laplace)
        close(charges(np.array([weights], dtype=float), c, False)[0], without)


def test_shapes():
    _, other = load("soft/shapes")
    for shape, code in (("normal", kernels.NORMAL), ("uniform", kernels.UNIFORM), ("laplace", kernels.LAPLACE),
                        ("logistic", kernels.LOGISTIC)):  # fmt: skip
        close([kernels.cdf(z, code) for z in other["z"]], other["F"][shape])


@pytest.mark.parametrize("name", names("soft", "gain_curve"))
def test_soft_gain_curves(name):
    case, other = load(name)
    model, X, y, _ = fitted(case)
    search = model.search_on(model.training_weights(X, y)[0])
    _, gains = numeric_curve(search, arrivals(search.table, search.table.weight), 0, search.labels)
    assert len(gains) == other["n_candidates"]
    close(gains.max(), other["best_gain"])
    known, weight = np.argsort(X.iloc[:, 0].to_numpy(), kind="stable").astype(np.int32), search.table.weight
    at = np.empty(1)
    for tau, gain, _ in other["gain_curve"]:  # these lie between the steps of the grid
        kernels.soft_curve(
            known, search.table.columns[0], search.table.labels.code, weight, search.noise.error, 0, tau, 1.0,
            CODES[search.criterion], search.labels, 0.0, False, at,
        )  # fmt: skip
        close(at[0], gain)


@pytest.mark.parametrize("name", names("soft", "root_variables"))
def test_gain_ratio_of_every_variable(name):
    case, other = load(name)
    model, X, y, _ = fitted(case)
    search = model.search_on(model.training_weights(X, y)[0])
    here = arrivals(search.table, search.table.weight)
    found = {search.table.schema.names[c.variable]: c for c in candidates(search, here)}
    # a variable whose corrected gain is no gain stands in the table as null
    rows = [row for row in other["root_variables"] if row is not None]
    for row in rows:
        candidate = found[row["variable"]]
        close(candidate.threshold, row["threshold"])
        close(candidate.gain, row["gain"])
        close(split_entropy(search, here, candidate), row["split_entropy"])
    gains = [candidate.gain for candidate in found.values() if candidate.gain > 1e-12]
    close(np.mean(gains), other["mean_gain"])


@pytest.mark.parametrize("name", names("soft", "coherent_proba"))
def test_soft_and_coherent_probabilities_and_stability(name):
    case, other = load(name)
    model, _, _, queries = fitted(case)
    close(model.with_decision(evaluation="soft").predict_proba(queries).tolist(), other["soft_proba"])
    close(model.with_decision(evaluation="coherent").predict_proba(queries).tolist(), other["coherent_proba"])
    for i, want in enumerate(other["stability"]):
        if want is not None:  # null where a value is missing
            got = model.with_decision(evaluation="hard").case(queries.iloc[[i]]).stability
            assert got == pytest.approx(want, abs=1e-9)


def test_logical_entropy_bounds():
    _, other = load("threeway/threeway-entropy-binary")
    for row in other["rows"]:
        weights, member = [row["n_0"], row["n_1"], row["n_unlabelled"]], [[True, False], [False, True], [True, True]]
        kept = [k for k in range(3) if weights[k]]
        low, high = logical_entropy([weights[k] for k in kept], [member[k] for k in kept])
        close([low, high, (low + high) / 2.0], [row["h_lower"], row["h_upper"], row["h_mean"]])
    _, other = load("threeway/threeway-entropy-sets")
    for row in other["rows"]:
        member = [[c in group["label"] for c in row["classes"]] for group in row["groups"]]
        low, high = logical_entropy([group["weight"] for group in row["groups"]], member)
        close([low, high, (low + high) / 2.0], [row["h_lower"], row["h_upper"], row["h_mean"]])


def test_answers_by_tau_by_cost_and_as_sets():
    case, other = load("threeway/threeway-twdt")
    model, _, _, queries = fitted(case)
    for tau, want in other["answer_by_tau"].items():
        assert model.with_decision(decision="tau", tau=float(tau)).decide(queries).tolist() == want
    case, other = load("threeway/threeway-cost")
    model, _, _, queries = fitted(case)
    for cost, want in other["answer_by_abstain_cost_with_0_1_costs"].items():
        cheap = model.with_decision(cost=[[0, 1], [1, 0]], abstain_cost=float(cost))
        assert cheap.decide(queries).tolist() == want
    case, other = load("threeway/threeway-set-labels")
    model, _, _, queries = fitted(case)
    for tau, want in other["set_by_tau"].items():
        sets = model.with_decision(decision="set", tau=float(tau)).decide(queries)
        assert [sorted(each) for each in sets] == [sorted(each) for each in want]


def test_zones_scaled_by_one_factor():
    case, other = load("zones/zones-calibration")
    model, _, _, queries = fitted(case)
    rows = model.encode(queries)
    for factor, rate in other["rate_at_factor"]:
        close((~decided(scaled_zones(model.tree_, factor), rows)).mean(), rate)
    for row in other["calibration"]:
        factor, rate = nearest_factor(undecided_beyond(model.tree_, rows), row["target"])
        close(rate, row["rate_reached"])
        assert factor == pytest.approx(row["factor_from"], rel=1e-6)
    for row in other["cover_hart"]:
        close(cover_hart(row["R"], row["K"]), row["bound"])


@pytest.mark.parametrize("name", names("zones", "nodes"))
def test_gain_and_split_entropy_of_every_node(name):
    case, other = load(name)
    model, X, y, _ = fitted(case)
    table, weight = model.training_weights(X, y)
    search = model.search_on(table)
    splits = [node for node in range(model.tree_.n_nodes) if not model.tree_.is_leaf(node)]
    got = []
    for node in splits:
        here = arrivals(table, weight[:, node], boxes=path_boxes(model.tree_, node))
        best = max(candidates(search, here), key=lambda each: each.gain)
        got.append((best.gain, split_entropy(search, here, best), model.tree_.delta[node]))
    close(sorted(got), sorted((row["gain"], row["split_entropy"], row["delta"]) for row in other["nodes"]))


def test_evaluations_of_two_zones():
    case, other = load("zones/zones-deferred-two-zones")
    model, _, _, queries = fitted(case)
    for kind in ("zone", "hard"):
        close(model.with_decision(evaluation=kind).predict_proba(queries).tolist(), other[f"proba_evaluation_{kind}"])


@pytest.mark.parametrize("name", names("citree", "n_nodes"))
def test_conditional_independence_trees(name):
    case, other = load(name)
    model, X, y, _ = fitted(case)
    grown = model.tree_.code != -1
    assert int(grown.sum()) == other["n_nodes"]
    if not X.isna().any(axis=None) or model.tree_.n_nodes == 1:  # else fragments of patients are counted, not patients
        close((model.predict(X) == y).sum(), other["training_weight_classified_right"])
    alone, *_ = fitted(case, max_depth=0)
    close((alone.predict(X) == y).sum(), other["root_naive_bayes_right"])
    if "n_nodes_unpruned" in other:
        whole, *_ = fitted(case, pruning="none")
        assert int((whole.tree_.code != -1).sum()) == other["n_nodes_unpruned"]
