"""PMML exports: their structure by the 4.4 schema's order, and what a naive reader of them answers, beside the engine.

In: hard-gated models of every kind. Out: failures that name what differs; refusals with their reason.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from exported import ALL, as_dicts, named_model, nasty_model, outcomes, patients
from naive_pmml import SPACE, Document, faults

from engine import VARIANTS, PenumbraError, UncertainTreeClassifier, variant
from engine.exports import pmml

TOLERANCE = 1e-12
HARD = [
    name for name in ALL
    if VARIANTS[name].get("evaluation", "hard") == "hard" and VARIANTS[name].get("leaf") != "naive_bayes"
]  # fmt: skip
OTHERS = [name for name in ALL if name not in HARD]


def known(row):
    """Return a patient as the naive reader takes one: NaN is missing."""
    return {name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()}


def compare(model, X, text=None):
    """Compare what the naive reader makes of the model's PMML with the engine, on the patients X."""
    text = pmml(model) if text is None else text
    assert faults(text) == []
    document = Document(text)
    assert document.classes == model.classes_.tolist()
    proba, answers = model.predict_proba(X), model.decide(X)
    for row, p, answer in zip(as_dicts(X), proba, answers, strict=True):
        found, outputs = document.score(known(row))
        assert np.abs(np.array([found[name] for name in document.classes]) - p).max() <= TOLERANCE
        told = outputs["decision"] if model.decision == "tau" else outputs["predicted"]
        if np.diff(np.sort(p))[-1] > TOLERANCE:  # on a tie that rounding breaks, the reader may take the other class
            assert told == answer


def fresh(kind, n=500):
    X = patients(99, n, 0.0 if kind == "numeric" else 0.25)
    return X[["glucose", "bmi", "shift"]] if kind == "numeric" else X


@pytest.mark.parametrize("kind", ["numeric", "mixed", "three", "sets"])
@pytest.mark.parametrize("name", HARD)
def test_every_hard_variant_answers_as_the_engine(name, kind):
    if kind == "sets" and ("margin" in name or "class_overlap" in name):
        kind = "mixed"  # those zones need one class a patient
    compare(named_model(name, kind=kind), fresh(kind))


@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("leaf", ["frequency", "laplace"])
def test_bins_answer_as_the_engine(leaf, depth):
    model = named_model("C4.4", kind="three", branching="nary", n_bins=25, leaf=leaf, max_depth=depth)
    assert (model.tree_.gate == 4).any()
    compare(model, fresh("three"))


def test_categories_that_nobody_had():
    X = patients(4, 200)
    few = X[X["colour"] != "grey"]
    y = outcomes(few, 4, ["ill", "well"])
    for branching in ("binary", "nary"):
        compare(UncertainTreeClassifier(min_weight_leaf=1, branching=branching).fit(few, y), X)


@pytest.mark.parametrize("threshold", ["value", "midpoint", "observed"])
def test_readings_on_and_beside_every_edge_answer_as_the_engine(threshold):
    for name in ("CART", "Ternary-margin-middle"):
        model = named_model(name, kind="numeric", threshold=threshold)
        tree = model.tree_
        edges = np.concatenate([tree.threshold, tree.low, tree.high])
        edges = edges[np.isfinite(edges)]
        values = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        compare(
            model, pd.DataFrame({name: np.resize(np.roll(values, j), 300) for j, name in enumerate(tree.variables)})
        )


def test_soft_gates_that_turn_out_hard_and_zones_of_no_width_can_be_written():
    for evaluation in ("soft", "coherent"):
        compare(named_model("C4.5", kind="mixed", evaluation=evaluation, noise=None), fresh("mixed", 100))
    model = named_model("Ternary-margin", kind="numeric", max_depth=0)
    compare(model, fresh("numeric", 20))


@pytest.mark.parametrize("tau", [0.0, 0.6, 0.9, 1.0])
def test_tau_abstains_by_an_output_field(tau):
    compare(named_model("TWDT", kind="three", tau=tau), fresh("three"))


def test_classes_and_categories_that_are_numbers_or_truths():
    X = patients(3, 200)
    X["grade"] = pd.Categorical(np.random.default_rng(3).choice([1.5, 2.0, 10.0], 200), [10.0, 1.5, 2.0])
    for classes in ([False, True], [3, 10, 2], [0.0, 1.0, 2.0]):
        compare(variant("C4.4").fit(X, outcomes(X, 3, classes)), X)


def test_names_that_try_to_break_out():
    model, X = nasty_model()
    compare(model, X)


def test_field_names_never_meet():
    X = patients(3, 100)[["glucose", "bmi", "shift"]].set_axis(["class", "predicted", "probability(ill)"], axis=1)
    y = np.where(X["class"].fillna(0) + X["predicted"].fillna(0) > 145, "ill", "well")
    model = variant("TWDT", min_weight_leaf=1).fit(X, y)
    text = pmml(model)
    root = ET.fromstring(text)
    names = [e.get("name") for tag in ("DataField", "OutputField") for e in root.iter(SPACE + tag)]
    assert len(set(names)) == len(names) == 8
    assert "diagnosis_" not in pmml(model, target="diagnosis")
    assert 'name="diagnosis"' in pmml(model, target="diagnosis")
    document = Document(text)
    assert document.target == "class_"


def test_record_counts_add_up_and_are_the_training_weights():
    model = named_model("C4.5", kind="mixed")
    root = Document(pmml(model)).root
    for node in root.iter(f"{SPACE}Node"):
        counts = [float(child.get("recordCount")) for child in node.findall(f"{SPACE}Node")]
        counts = counts or [float(s.get("recordCount")) for s in node.findall(f"{SPACE}ScoreDistribution")]
        assert sum(counts) == pytest.approx(float(node.get("recordCount")), rel=1e-9, abs=1e-9)
        assert float(node.get("recordCount")) == pytest.approx(model.tree_.weight[int(node.get("id"))], rel=0.02)


def test_a_deep_tree_is_written_and_read():
    x = np.arange(1400.0)
    model = UncertainTreeClassifier(min_weight_leaf=1, search="exact", criterion="gini").fit(
        pd.DataFrame({"x": x}), (x % 2).astype(int)
    )
    assert faults(pmml(model)) == []


def test_the_top_says_what_it_is_for_and_how_missing_values_go():
    text = pmml(named_model("C4.5"))
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!-- ')
    root = ET.fromstring(text)
    description = root.find(f"{SPACE}Header").get("description")
    assert "is not a diagnosis" in text.splitlines()[1]
    assert "supports a clinician's decision and is not a diagnosis" in description
    assert root.find(f"{SPACE}TreeModel").get("missingValueStrategy") == "weightedConfidence"
    assert root.find(f"{SPACE}Header/{SPACE}Application").get("name") == "Penumbra"


# What is refused


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_variant_is_refused_with_the_reason(name):
    with pytest.raises(PenumbraError, match=r"cannot be written as PMML: (its leaves are naive Bayes|evaluation '.*')"):
        pmml(named_model(name))


@pytest.mark.parametrize(("changes", "reason"), [
    ({"evaluation": "soft"}, "evaluation 'soft'"), ({"evaluation": "coherent"}, "evaluation 'coherent'"),
    ({"zone": "margin", "evaluation": "deferred"}, "evaluation 'deferred'"),
    ({"zone": "noise", "evaluation": "zone"}, "evaluation 'zone'"), ({"leaf": "naive_bayes"}, "naive Bayes"),
    ({"decision": "set"}, "decision 'set'"), ({"decision": "cost", "cost": [[0, 1], [1, 0]]}, "decision 'cost'"),
])  # fmt: skip
def test_what_a_pmml_tree_cannot_say_is_refused(changes, reason):
    with pytest.raises(PenumbraError, match=reason):
        pmml(named_model("C4.4", **changes))


def test_names_that_xml_cannot_hold_and_mixed_kinds_are_refused():
    X = patients(3, 60)[["glucose", "bmi"]]
    y = outcomes(patients(3, 60), 3, ["ill", "well"])
    for bad in ("a\x00b", "a\x0bb", "\uffff"):
        model = variant("CART").fit(X.rename(columns={"bmi": bad}), y)
        with pytest.raises(PenumbraError, match="control character"):
            pmml(model)
    mixed = X.assign(code=pd.Categorical(np.resize(np.array(["a", 1, 2.5], dtype=object), 60)))
    with pytest.raises(PenumbraError, match="several kinds"):
        pmml(variant("CART").fit(mixed, y))


def test_a_class_that_is_no_unicode_is_refused():
    X = patients(3, 60)
    with pytest.raises(PenumbraError, match="control character"):
        pmml(variant("CART").fit(X, outcomes(X, 3, ["\ud800", "well"])))
