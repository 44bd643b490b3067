"""Limits that must hold whatever the data: no noise is hard, shares and weights are conserved, simulation agrees.

In: seeded synthetic patients. Out: failures that name the limit.
"""

from __future__ import annotations

import itertools

import naive
import numpy as np
import pandas as pd
import pytest

from engine import VARIANTS, Noise, PenumbraError, UncertainTreeClassifier, variant
from engine.recipe import AXES, refusal

SIGMA = {"glucose": 9.0, "age": 2.0, "bmi": 1.5}
NOISE = Noise(sigma=SIGMA, misrecord={"smoker": 0.1}, shape={"bmi": "laplace"})
SOFT = {"search": "soft", "propagation": "soft", "evaluation": "soft"}
ZONES = [z for z in AXES["zone"] if z != "none"]


def patients(seed=0, n=160, missing=0.08, nominal=True):
    """Return a data frame of patients and their labels."""
    rng = np.random.default_rng(seed)
    glucose = np.round(rng.normal(120.0, 25.0, n))
    age = np.round(rng.uniform(20.0, 80.0, n))
    bmi = np.round(rng.normal(28.0, 5.0, n), 1)
    smoker = rng.choice(["no", "former", "yes"], n)
    risk = 0.04 * (glucose - 120.0) + 0.03 * (age - 50.0) + 0.8 * (smoker == "yes") + rng.normal(0.0, 0.9, n)
    X = pd.DataFrame({"glucose": glucose, "age": age, "bmi": bmi})
    if nominal:
        X["smoker"] = pd.Categorical(smoker, categories=["no", "former", "yes"])
    y = np.where(risk > 0.9, "severe", np.where(risk > 0.0, "mild", "none")).astype(object)
    for name in X.columns:
        X.loc[rng.random(n) < missing, name] = None if name == "smoker" else np.nan
    return X, y


def fitted(X, y, noise=NOISE, sample_weight=None, **params):
    """Return a fitted model of depth 4 unless said."""
    if "smoker" not in X.columns and noise is NOISE:
        noise = Noise(sigma=SIGMA, shape={"bmi": "laplace"})
    return UncertainTreeClassifier(noise=noise, **{"max_depth": 4, **params}).fit(X, y, sample_weight=sample_weight)


def plain_noise(model):
    """Return the model's evaluation noise for the naive twin."""
    noise, names = model.noise_evaluation_, ("normal", "uniform", "laplace", "logistic")
    return naive.make_noise(
        len(noise.sigma), list(noise.sigma), list(noise.cv), list(noise.misrecord), [names[s] for s in noise.shape]
    )


def plain_tree(model):
    """Return the model's tree as the naive twin reads it."""
    names = list(model.tree_.variables)

    def index(node):
        node["index"] = names.index(node["variable"]) if node["variable"] is not None else None
        for child in node["children"]:
            index(child)
        return node

    return index(model.tree_.to_dict())


def same_trees(a, b, rtol=1e-12):
    """Tell whether two nested trees are the same to rounding."""
    if (a["variable"], len(a["children"])) != (b["variable"], len(b["children"])):
        return False
    if a["threshold"] is not None and not np.isclose(a["threshold"], b["threshold"], rtol=rtol, atol=1e-12):
        return False
    if not np.allclose(a["class_weight"], b["class_weight"], rtol=1e-9, atol=1e-9):
        return False
    return all(same_trees(x, y, rtol) for x, y in zip(a["children"], b["children"], strict=True))


# No noise is hard


@pytest.mark.parametrize(
    "noise", [None, Noise(sigma=0.0), Noise(sigma={"age": 0.0})], ids=["none", "zero", "named zero"]
)
@pytest.mark.parametrize("threshold", ["value", "midpoint", "observed"])
def test_no_noise_makes_every_soft_choice_its_hard_one(threshold, noise):
    X, y = patients()
    hard = fitted(X, y, noise=None, threshold=threshold, pruning="pessimistic")
    soft = fitted(X, y, noise=noise, threshold=threshold, pruning="pessimistic", **SOFT)
    assert soft.tree_.to_dict() == hard.tree_.to_dict()
    for evaluation in ("soft", "coherent"):
        other = fitted(
            X, y, noise=noise, threshold=threshold, pruning="pessimistic", **{**SOFT, "evaluation": evaluation}
        )
        np.testing.assert_array_equal(other.predict_proba(X), hard.predict_proba(X))


def test_scale_factors_of_zero_make_it_hard():
    X, y = patients(1, nominal=False)
    hard = fitted(X, y, noise=None)
    soft = fitted(X, y, u_s=0.0, u_p=0.0, u_e=0.0, **SOFT)
    assert soft.tree_.to_dict() == hard.tree_.to_dict()
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


def test_vanishing_noise_tends_to_hard_shares():
    X, y = patients(2, nominal=False)
    hard = fitted(X, y, noise=None)
    for evaluation in ("soft", "coherent"):
        nearly = fitted(X, y, noise=Noise(sigma=1e-7), evaluation=evaluation)
        np.testing.assert_allclose(nearly.shares(X), hard.shares(X), atol=1e-12)


def test_a_tiny_sigma_keeps_the_soft_grid_within_bounds():
    X, y = patients(3, n=40, missing=0.0, nominal=False)
    model = fitted(X, y, noise=Noise(sigma=1e-7), search="soft", max_depth=2)
    hard = fitted(X, y, noise=None, max_depth=2)
    assert same_trees(model.tree_.to_dict(), hard.tree_.to_dict(), rtol=0.05)
    assert any("20,000" in note for note in model.notes_)


# Conservation


@pytest.mark.parametrize("name", VARIANTS)
def test_shares_sum_to_one_and_weight_is_conserved(name):
    X, y = patients(4)
    weights = np.random.default_rng(4).choice([1.0, 0.4, 3.0], len(X))
    model = variant(name, noise=NOISE).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.shares(X).sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)
    tree = model.tree_
    assert tree.weight[tree.leaves].sum() == pytest.approx(weights.sum(), rel=1e-12)
    np.testing.assert_allclose(tree.class_weight.sum(axis=1), tree.weight, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(tree.probability.sum(axis=1), 1.0, atol=1e-12)
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            children = list(tree.children(node))
            assert tree.weight[children].sum() == pytest.approx(tree.weight[node], rel=1e-9)
            assert tree.share[children].sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("decision", ["argmax", "cost"])
def test_the_class_answered_is_that_of_the_probabilities(name, decision):
    """Hard evaluation answers by the leaf alone; a missing value, a category or a naive Bayes takes the long way."""
    X, y = patients(12)
    noise = None if name == "UDT" else NOISE
    cost = [[0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [4.0, 1.0, 0.0]]
    for nominal in (True, False):
        here = X if nominal else X.drop(columns="smoker")
        model = variant(name, noise=noise if nominal else None, width=0.1 if name == "UDT" else None)
        model.set_params(decision=decision, cost=cost if decision == "cost" else None).fit(here, y)
        probability = model.predict_proba(here)
        if decision == "cost":
            want = np.argmin(np.round(probability @ np.array(cost), 9), axis=1)
        else:
            want = np.argmax(np.round(probability, 9), axis=1)
        assert model.predict(here).tolist() == [model.classes_[k] for k in want]
        if not model.tree_.has_bayes:
            by_share = model.shares(here) @ model.tree_.probability[model.tree_.leaves]
            assert probability == pytest.approx(by_share, abs=1e-12)


@pytest.mark.parametrize("evaluation", ["hard", "soft", "coherent", "zone"])
def test_a_patient_with_nothing_known_gets_the_training_mixture(evaluation):
    X, y = patients(5, missing=0.0)
    zone = "noise" if evaluation == "zone" else "none"
    model = fitted(X, y, evaluation=evaluation, zone=zone)
    nothing = X.iloc[:1].copy().astype({"glucose": float})
    nothing[:] = np.nan
    root = model.tree_.to_dict()["probability"]
    assert model.predict_proba(nothing)[0] == pytest.approx(root, abs=1e-9)


def test_weight_floor_of_zero_still_conserves():
    X, y = patients(6, nominal=False)
    for floor in (0.0, 1e-4, 0.05):
        tree = fitted(X, y, propagation="soft", weight_floor=floor).tree_
        assert tree.weight[tree.leaves].sum() == pytest.approx(len(X), rel=1e-12)


# Labels and decisions


def test_labels_given_as_sets_of_one_are_the_plain_labels():
    X, y = patients(7)
    sets = np.empty(len(y), dtype=object)
    sets[:] = [(label,) for label in y]
    for criterion in ("gini", "information_gain"):
        assert fitted(X, sets, criterion=criterion).tree_.to_dict() == fitted(X, y, criterion=criterion).tree_.to_dict()


def test_precise_labels_make_the_logical_entropy_the_gini():
    rng = np.random.default_rng(8)
    for _ in range(50):
        weights = rng.random(4)
        groups = {frozenset([k]): w for k, w in enumerate(weights)}
        assert naive.logical_entropy_bounds(groups, 4) == pytest.approx((naive.gini(weights),) * 2)


def test_tau_zero_is_argmax_and_tau_qualifies_only():
    X, y = patients(9)
    plain = fitted(X, y, criterion="gini")
    never = fitted(X, y, criterion="gini", decision="tau", tau=0.0)
    often = fitted(X, y, criterion="gini", decision="tau", tau=0.9)
    assert list(never.decide(X)) == list(plain.decide(X)) == list(plain.predict(X))
    assert list(often.predict(X)) == list(plain.predict(X))
    top = often.predict_proba(X).max(axis=1)
    assert [a is None for a in often.decide(X)] == [bool(p < 0.9 - 1e-12) for p in top]
    other = plain.with_decision(decision="tau", tau=0.9)
    assert list(other.decide(X)) == list(often.decide(X))


# Soft and coherent


def test_coherent_is_soft_where_no_variable_repeats():
    X, y = patients(10)
    soft = fitted(X, y, evaluation="soft", max_depth=1)
    coherent = fitted(X, y, evaluation="coherent", max_depth=1)
    np.testing.assert_allclose(soft.shares(X), coherent.shares(X), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_simulated_truth_gives_the_coherent_shares_and_the_stability(seed):
    X, y = patients(20 + seed)
    model = fitted(X, y, evaluation="coherent", propagation="soft" if seed else "hard", max_depth=5)
    tree, noise, rng = plain_tree(model), plain_noise(model), np.random.default_rng(seed)
    sizes = [0, 0, 0, 3]
    values = model.encode(X)
    draws = 20_000
    for i in (0, 17, 40, 81):
        case = model.case(X.iloc[[i]])
        simulated = naive.simulated_shares(tree, values[i], noise, draws, rng, sizes)
        bound = 5.0 * np.sqrt(simulated.clip(1e-4) / draws) + 1e-3
        assert (np.abs(case.shares - simulated) <= bound).all()
        if not np.isnan(values[i]).any():
            code = list(model.classes_).index(case.answer)
            stable = naive.simulated_stability(tree, values[i], noise, code, draws, rng, sizes)
            assert case.stability == pytest.approx(stable, abs=5.0 * np.sqrt(0.25 / draws))


def test_repeat_advice_against_simulated_second_readings():
    X, y = patients(30, missing=0.0, nominal=False)
    model = fitted(X, y, noise=Noise(sigma=SIGMA), max_depth=3)
    tree, noise, rng = plain_tree(model), plain_noise(model), np.random.default_rng(3)
    for i in (2, 35):
        case = model.case(X.iloc[[i]])
        for j, name in enumerate(X.columns):
            gain, error = naive.simulated_repeat(tree, model.encode(X)[i], j, noise, 1500, rng)
            assert case.repeat_advice[name] == pytest.approx(max(gain, 0.0), abs=5.0 * error + 1e-4)
            assert case.repeat_advice[name] >= 0.0


# Metamorphic


@pytest.mark.parametrize("name", VARIANTS)
def test_json_round_trip_predicts_identically(name):
    X, y = patients(40)
    model = variant(name, noise=NOISE).fit(X, y)
    again = UncertainTreeClassifier.from_json(model.to_json())
    assert again.to_json() == model.to_json()
    assert again.tree_.to_dict() == model.tree_.to_dict()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.shares(X), model.shares(X))
    assert list(again.decide(X)) == list(model.decide(X))
    assert list(again.decided(X)) == list(model.decided(X))
    assert again.case(X.iloc[[3]]).stability == model.case(X.iloc[[3]]).stability


def test_reordered_columns_predict_the_same_and_missing_ones_are_refused():
    X, y = patients(41)
    model = fitted(X, y, **SOFT)
    np.testing.assert_array_equal(model.predict_proba(X[X.columns[::-1]]), model.predict_proba(X))
    with pytest.raises(PenumbraError):
        model.predict_proba(X.drop(columns="age"))


def test_reordered_patients_grow_the_same_tree():
    X, y = patients(42)
    order = np.random.default_rng(0).permutation(len(X))
    for params in ({}, SOFT, {"criterion": "gini", "zone": "margin"}):
        first, second = fitted(X, y, **params), fitted(X.iloc[order], y[order], **params)
        assert same_trees(first.tree_.to_dict(), second.tree_.to_dict())


@pytest.mark.parametrize("params", [{}, {"criterion": "gini", "leaf": "laplace"}, {"propagation": "soft"}, SOFT])
def test_weight_two_is_the_patient_twice(params):
    X, y = patients(43, n=80)
    twice = np.random.default_rng(1).integers(1, 3, len(X))
    rows = np.repeat(np.arange(len(X)), twice)
    weighted = fitted(X, y, sample_weight=twice.astype(float), pruning="pessimistic", **params)
    repeated = fitted(X.iloc[rows], y[rows], pruning="pessimistic", **params)
    assert same_trees(weighted.tree_.to_dict(), repeated.tree_.to_dict())
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_weight_zero_is_the_patient_left_out():
    X, y = patients(44)
    keep = np.random.default_rng(2).random(len(X)) < 0.7
    weighted = fitted(X, y, sample_weight=keep.astype(float))
    fewer = fitted(X[keep], y[keep])
    assert same_trees(weighted.tree_.to_dict(), fewer.tree_.to_dict())


def test_units_do_not_matter():
    """Measured in other units (a power of two, so that no rounding enters), the tree is the same."""
    X, y = patients(45, nominal=False)
    scaled = X * {"glucose": 4.0, "age": 0.5, "bmi": 8.0}
    noise = Noise(sigma={"glucose": 36.0, "age": 1.0, "bmi": 12.0})
    for zone in ZONES:
        params = {**SOFT, "zone": zone, "max_depth": 3}
        first, second = fitted(X, y, noise=Noise(sigma=SIGMA), **params), fitted(scaled, y, noise=noise, **params)
        np.testing.assert_allclose(first.shares(X), second.shares(scaled), atol=1e-9)
        assert list(first.decided(X)) == list(second.decided(scaled))


# Refusals


def illegal_pairs():
    """Return every pair of choices on two axes that does not combine, others at their defaults."""
    pairs = []
    for (a, left), (b, right) in itertools.combinations(AXES.items(), 2):
        for x, z in itertools.product(left, right):
            if refusal({a: x, b: z}) is not None:
                pairs.append({a: x, b: z})
    return pairs


def test_a_refusal_names_both_choices():
    assert {"zone": "none", "evaluation": "zone"} in illegal_pairs()
    X, y = patients(50, n=30)
    for pair in illegal_pairs():
        with pytest.raises(PenumbraError) as caught:
            UncertainTreeClassifier(**pair).fit(X, y)
        words = str(caught.value)
        named = [axis for axis in AXES if axis in words]
        assert len(named) >= 2, f"{pair}: {words}"


@pytest.mark.parametrize(
    "pair",
    [
        {"evaluation": "zone", "zone": "none"},
        {"evaluation": "deferred", "zone": "none"},
        {"branching": "middle", "zone": "none"},
        {"branching": "middle", "zone": "quinlan"},
        {"branching": "middle", "evaluation": "zone"},
        {"branching": "nary", "search": "soft"},
        {"branching": "nary", "search": "resampled"},
        {"branching": "nary", "zone": "margin"},
        {"criterion": "nb_accuracy", "branching": "binary"},
        {"criterion": "nb_accuracy", "leaf": "laplace"},
        {"pruning": "nb_accuracy", "leaf": "frequency"},
        {"pruning": "pessimistic+nb_accuracy", "leaf": "laplace"},
    ],
    ids=str,
)
def test_the_design_refuses_it_in_words(pair):
    others = {"zone": "margin", "branching": "nary", "leaf": "naive_bayes"}
    filled = dict(pair)
    if pair.get("branching") == "middle" and "evaluation" in pair:
        filled["zone"] = others["zone"]
    if pair.get("criterion") == "nb_accuracy":
        filled = {"branching": "nary", "leaf": "naive_bayes", **filled}
    sentence = refusal(filled)
    assert sentence is not None
    for axis, choice in pair.items():
        assert axis in sentence
        assert repr(choice) in sentence


def test_imprecise_labels_and_the_margin_are_refused():
    X, y = patients(52, n=40)
    y[3] = None
    with pytest.raises(PenumbraError, match="margin"):
        fitted(X, y, zone="margin")


def test_partial_labels_over_thirteen_classes_are_refused():
    rng = np.random.default_rng(53)
    X = pd.DataFrame({"v": rng.normal(size=60)})
    y = np.empty(60, dtype=object)
    y[:] = [int(k) for k in np.arange(60) % 13]
    y[5] = (0, 1)
    with pytest.raises(PenumbraError):
        UncertainTreeClassifier(criterion="gini").fit(X, y)


def test_a_sigma_for_a_category_is_refused():
    X, y = patients(54, n=40)
    with pytest.raises(PenumbraError, match="smoker"):
        fitted(X, y, noise=Noise(sigma={"smoker": 1.0}))


@pytest.mark.parametrize("pruning", ["none", "pessimistic"])
def test_a_tree_deeper_than_python_recursion(pruning):
    n = 1300
    X = pd.DataFrame({"v": np.arange(n, dtype=float)})
    y = np.where(np.arange(n) % 2 == 0, "a", "b").astype(object)
    model = UncertainTreeClassifier(min_weight_leaf=1, pruning=pruning).fit(X, y)
    assert model.predict_proba(X[:5]).shape == (5, 2)
    assert model.tree_.to_dict()["weight"] == n
    assert UncertainTreeClassifier.from_json(model.to_json()).n_leaves_ == model.n_leaves_
