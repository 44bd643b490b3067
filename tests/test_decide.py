"""Decisions by cost and by set, class weights by class, and what each refuses, against naive twins.

In: seeded random probabilities and synthetic patients. Out: failures that name the rule.
"""

from __future__ import annotations

import json

import naive
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from engine import Noise, PenumbraError, UncertainTreeClassifier, variant
from engine.decide import Rule, answered_otherwise, decide
from engine.recipe import refusals

COST = [[0.0, 4.0, 9.0], [1.0, 0.0, 3.0], [2.0, 1.5, 0.0]]
CLASSES = ["mild", "none", "severe"]


def patients(seed=0, n=120):
    """Return two readings a patient and one of three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"glucose": np.round(rng.normal(120.0, 25.0, n)), "age": np.round(rng.uniform(20.0, 80.0, n))})
    risk = (X.glucose - 120.0) / 25.0 + (X.age - 50.0) / 30.0 + rng.normal(0.0, 0.8, n)
    return X, np.where(risk > 1.0, "severe", np.where(risk > 0.0, "mild", "none")).astype(object)


def fitted(**params):
    """Return a fitted tree of depth 3 with the patients."""
    X, y = patients()
    noise = Noise(sigma={"glucose": 9.0, "age": 2.0})
    return UncertainTreeClassifier(noise=noise, **{"max_depth": 3, **params}).fit(X, y), X, y


def as_codes(answer, classes):
    """Return an answer as the naive twin gives it."""
    if isinstance(answer, frozenset):
        return frozenset(classes.index(c) for c in answer)
    return None if answer is None else classes.index(answer)


def random_probabilities(rng, n, n_classes):
    """Return rows that sum to 1: counts over small totals, so that ties and certainties occur."""
    counts = rng.integers(0, 4, (n, n_classes)).astype(float)
    counts[counts.sum(axis=1) == 0.0, 0] = 1.0
    return counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_agree_with_the_naive_twin(seed, n_classes):
    rng = np.random.default_rng(seed)
    p = random_probabilities(rng, 200, n_classes)
    classes = list("abcde"[:n_classes])
    # Costs and τ in odd fractions, so that no two expected costs or sums meet but by the rule under test.
    cost = rng.uniform(0.1, 3.0, (n_classes, n_classes)).round(7)
    rules = [{"decision": "set", "tau": tau} for tau in (0.0, 0.513, 0.77, 0.9, 1.0)]
    rules += [{"decision": "cost", "cost": cost.tolist(), "abstain_cost": a} for a in (None, 0.0, 0.4171, 50.0)]
    for rule in rules:
        answers = decide(p, classes, Rule(**rule))
        assert [as_codes(answer, classes) for answer in answers] == [naive.decide(row, **rule) for row in p], rule
        for answer in set(answers):
            otherwise = answered_otherwise(p, answer, classes, Rule(**rule))
            assert otherwise.tolist() == [each != answer for each in answers], rule


@pytest.mark.parametrize("a", [0.1, 0.25, 0.4])
def test_with_0_1_costs_abstention_is_the_threshold_one_minus_a(a):
    p = random_probabilities(np.random.default_rng(1), 300, 3)
    p = np.vstack([p, [[0.75, 0.25, 0.0], [0.6, 0.4, 0.0], [0.9, 0.1, 0.0]]])
    by_cost = decide(p, CLASSES, Rule("cost", cost=1.0 - np.eye(3), abstain_cost=a))
    assert by_cost == decide(p, CLASSES, Rule("tau", tau=1.0 - a))


def test_ties_go_to_an_answer_before_abstention_and_to_the_first_class():
    half = np.array([[0.5, 0.5]])
    assert decide(half, ["a", "b"], Rule("cost", cost=[[0, 1], [1, 0]], abstain_cost=0.5)) == ["a"]
    assert decide(half, ["a", "b"], Rule("cost", cost=[[0, 1], [1, 0]], abstain_cost=0.49)) == [None]
    assert decide(half, ["a", "b"], Rule("set", tau=0.5)) == [frozenset({"a"})]
    thirds = np.array([[0.1 + 0.2, 0.3, 0.4]])  # 0.1 + 0.2 is 0.30000000000000004: rounding must not choose
    assert decide(thirds[:, [1, 0, 2]], ["a", "b", "c"], Rule("set", tau=0.7)) == [frozenset({"a", "c"})]


def test_a_huge_unit_of_cost_does_not_break_ties():
    p = np.random.default_rng(2).dirichlet(np.ones(4), 300) * 0.3
    p = np.column_stack([p, np.full(300, 0.7)])  # answering costs 0.3, to rounding, and so does abstaining
    for unit in (1e-3, 1.0, 1e7):
        cost = (1.0 - np.eye(5)) * unit
        assert set(decide(p, list("abcde"), Rule("cost", cost=cost, abstain_cost=0.3 * unit))) == {"e"}
        assert set(decide(p, list("abcde"), Rule("cost", cost=cost, abstain_cost=0.29 * unit))) == {None}


def test_predict_is_the_cheapest_class_under_cost_and_the_most_probable_otherwise():
    model, X, _ = fitted(decision="cost", cost=COST, abstain_cost=0.9)
    P = model.predict_proba(X)
    assert list(model.predict(X)) == [CLASSES[int(np.argmin(row @ np.array(COST)))] for row in P]
    assert any(a is None for a in model.decide(X))
    for answer, label in zip(model.decide(X), model.predict(X), strict=True):
        assert answer is None or answer == label
    by_set = model.with_decision(decision="set", tau=0.8)
    assert list(by_set.predict(X)) == [CLASSES[int(np.argmax(row))] for row in P]
    assert all(isinstance(a, frozenset) and a for a in by_set.decide(X))
    never = model.with_decision(abstain_cost=None)
    assert list(never.decide(X)) == list(model.predict(X))


@pytest.mark.parametrize(
    "params",
    [
        {"decision": "cost", "cost": COST, "abstain_cost": 0.9},
        {"decision": "cost", "cost": COST},
        {"decision": "set", "tau": 0.75},
        {"decision": "tau", "tau": 0.75},
    ],
    ids=["cost with abstention", "cost", "set", "tau"],
)
def test_the_case_speaks_of_sets_and_abstention(params):
    model, X, _ = fitted(evaluation="coherent", **params)
    leaves = model.leaf_answers()
    assert len(set(leaves)) > 1
    for i in range(0, 60, 4):
        case = model.case(X.iloc[[i]])
        assert case.answer == model.decide(X.iloc[[i]])[0]
        assert case.leaf_answers == leaves
        shares = {a: sum(s for b, s in zip(leaves, case.shares, strict=True) if a == b) for a in leaves}
        assert dict(case.answer_shares) == pytest.approx(shares)
        assert case.stability == pytest.approx(shares.get(case.answer, 0.0))
        assert case.certainty == pytest.approx(max(shares.values()))
        for name, change in case.nearest_change.items():
            if change is not None:
                moved = X.iloc[[i]].copy()
                moved[name] += change
                there = model.with_decision(evaluation="hard").decide(moved)[0]
                assert there == case.nearest_answer[name] != case.hard_answer
        assert all(gain >= 0.0 for gain in case.repeat_advice.values())


def test_models_with_costs_and_class_weights_come_back_from_their_file():
    X, y = patients()
    numbered = np.array([CLASSES.index(c) for c in y])
    for cost in (COST, np.array(COST), np.array(COST, dtype=np.float32)):
        model = UncertainTreeClassifier(
            max_depth=3, decision="cost", cost=cost, abstain_cost=np.float32(0.5), class_weight={np.int64(2): 3, 0: 0.5}
        ).fit(X, numbered)
        again = UncertainTreeClassifier.from_json(model.to_json())
        assert again.cost == np.asarray(cost, dtype=float).tolist()
        assert again.class_weight == {2: 3.0, 0: 0.5}
        assert list(again.decide(X)) == list(model.decide(X))
        assert list(again.predict(X)) == list(model.predict(X))
        assert again.to_json() == model.to_json()
        again.fit(X, numbered)
        assert again.tree_.to_dict() == model.tree_.to_dict()


@pytest.mark.parametrize("cost", [[[0, 1], [1, 0]], [[0, None, 1]] * 3, "cheap", [[0, 1, 2], [1, 0]], {"a": 1}])
def test_a_model_file_with_other_costs_is_refused(cost):
    model, _, _ = fitted(decision="cost", cost=COST)
    record = json.loads(model.to_json())
    record["params"]["cost"] = cost
    with pytest.raises(PenumbraError):
        UncertainTreeClassifier.from_json(json.dumps(record))


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (None, "needs cost"),
        ([[0, 1], [1, 0]], "3 classes"),
        ([[0, 1, 2], [1, 0, 1]], "square"),
        ([0, 1, 2], "square"),
        ([[0, 1, 2], [1, 0], [1, 1, 0]], "different length"),
        ([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]], "missing"),
        ([[0, 1, np.inf], [1, 0, 1], [1, 1, 0]], "infinite"),
        ([["0", "1", "2"], ["1", "0", "1"], ["1", "1", "0"]], "no number"),
        ([[0, 1, None], [1, 0, 1], [1, 1, 0]], "no number"),
        (7, "square"),
        (pd.DataFrame(COST, index=CLASSES, columns=CLASSES), "labelled"),
        ({"mild": {"none": 1}}, "labelled"),
    ],
)
def test_costs_that_cannot_be_read_are_refused(cost, words):
    X, y = patients()
    with pytest.raises(PenumbraError, match=words):
        UncertainTreeClassifier(decision="cost", cost=cost).fit(X, y)
    model, _, _ = fitted()
    with pytest.raises(PenumbraError, match=words):
        model.with_decision(decision="cost", cost=cost)


@pytest.mark.parametrize("abstain_cost", [-0.1, np.nan, np.inf, "low", True])
def test_a_cost_of_abstaining_is_a_number_that_is_not_negative(abstain_cost):
    X, y = patients()
    with pytest.raises(PenumbraError, match="abstain_cost"):
        UncertainTreeClassifier(decision="cost", cost=COST, abstain_cost=abstain_cost).fit(X, y)


def test_the_decision_by_cost_is_offered_once_there_are_costs():
    assert "needs cost" in refusals({})["decision", "cost"]
    assert ("decision", "cost") not in refusals({"cost": COST})
    assert ("decision", "set") not in refusals({})


# Class weights


def test_class_weights_by_class_multiply_the_patients():
    X, y = patients()
    stated = {"severe": 3.0, "none": 0.5}
    own = np.random.default_rng(0).choice([1.0, 2.0], len(y))
    model = UncertainTreeClassifier(max_depth=3, class_weight=stated).fit(X, y, sample_weight=own)
    weights = own * np.array([stated.get(c, 1.0) for c in y])
    assert model.tree_.to_dict() == UncertainTreeClassifier(max_depth=3).fit(X, y, weights).tree_.to_dict()
    assert clone(model).class_weight == stated


def test_imprecise_patients_weigh_1_and_a_class_may_weigh_nothing():
    X, y = patients()
    y[:10], y[10] = None, ("mild", "severe")
    model = UncertainTreeClassifier(criterion="gini", class_weight={"severe": 0, "none": 2.0}).fit(X, y)
    weights = [2.0 if c == "none" else 0.0 if c == "severe" else 1.0 for c in y]
    assert model.tree_.weight[0] == pytest.approx(sum(weights))
    assert list(model.classes_) == CLASSES


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"grave": 2.0}, "grave"),
        ({"mild": -1.0}, "mild"),
        ({"mild": np.nan}, "mild"),
        ({"mild": "much"}, "mild"),
        ("even", "class_weight"),
        ([1.0, 2.0, 1.0], "class_weight"),
        ({"mild": 0, "none": 0, "severe": 0}, "no patient"),
    ],
)
def test_class_weights_that_cannot_be_read_are_refused(stated, words):
    X, y = patients()
    with pytest.raises(PenumbraError, match=words):
        UncertainTreeClassifier(class_weight=stated).fit(X, y)


def test_labels_as_one_column_are_read_with_a_warning():
    X, y = patients()
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        model = variant("C4.5").fit(X, y.reshape(-1, 1))
    assert model.tree_.to_dict() == variant("C4.5").fit(X, y).tree_.to_dict()
