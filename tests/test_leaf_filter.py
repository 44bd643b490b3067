"""Filters of leaves: each beside the plain comparison it stands for.

In: a fitted tree. Out: failures that name the leaf.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_other_patients import grown, table

from engine import variant
from engine.evidence import evidence
from engine.leaf_filter import (
    ABSTAINS,
    FEW,
    NAMES,
    OTHER,
    PERCENT,
    SEVERAL,
    UNSURE,
    LeafFilter,
    failing,
    passing,
    set_back,
)
from engine.route import reach


@pytest.fixture(scope="module")
def decided():
    model, X, y = grown()
    model = model.with_decision(decision="tau", tau=0.8)
    tree, values = model.tree_, model.encode(X)
    one_hot = (np.asarray(y)[:, None] == np.asarray(tree.classes)[None, :]).astype(float)
    told = evidence(tree, values, one_hot, np.ones(len(y)), reach(tree, values, "hard"))
    return tree, model.leaf_answers(), told.count


def test_the_idle_filter_lets_all_pass(decided):
    tree, answers, count = decided
    assert LeafFilter().idle
    assert failing(tree, answers, LeafFilter()) == {}
    found = passing(tree, count, {})
    assert found.leaves == found.of_leaves == tree.n_leaves
    assert found.patients == found.of_patients == 300


@pytest.mark.parametrize("least", [5, 20.0, 31.5, 1000])
def test_support_is_the_leafs_weight(decided, least):
    tree, answers, count = decided
    failed = failing(tree, answers, LeafFilter(least=least))
    assert failed == {int(leaf): FEW for leaf in tree.leaves if tree.weight[leaf] < least}
    found = passing(tree, count, failed)
    assert found.leaves == sum(tree.weight[leaf] >= least for leaf in tree.leaves)
    assert found.patients == sum(int(count[leaf]) for leaf in tree.leaves if tree.weight[leaf] >= least)
    part = failing(tree, answers, LeafFilter(least=100 * least / 300, least_of=PERCENT))
    assert part == failed


def test_confidence_is_the_best_classs_p(decided):
    tree, answers, _ = decided
    failed = failing(tree, answers, LeafFilter(surely=0.85))
    assert failed == {int(leaf): UNSURE for leaf in tree.leaves if max(tree.probability[leaf]) < 0.85}
    assert failed


def test_answers_are_told_apart(decided):
    tree, answers, _ = decided
    silent = {int(leaf) for leaf, a in zip(tree.leaves, answers, strict=True) if a is None}
    assert set(failing(tree, answers, LeafFilter(answers=ABSTAINS))) == set(map(int, tree.leaves)) - silent
    sick = {int(leaf) for leaf, a in zip(tree.leaves, answers, strict=True) if a == "sick"}
    failed = failing(tree, answers, LeafFilter(answers=NAMES, named="sick"))
    assert set(failed) == set(map(int, tree.leaves)) - sick
    assert set(failed.values()) == {OTHER}
    sets = [frozenset({"sick", "well"}), *[frozenset({"sick"})] * (len(answers) - 1)]
    assert len(failing(tree, sets, LeafFilter(answers=SEVERAL))) == len(answers) - 1
    assert failing(tree, sets, LeafFilter(answers=NAMES, named="sick")) == {}


def test_the_first_reason_that_holds_is_given(decided):
    tree, answers, _ = decided
    wanted = LeafFilter(least=1000, surely=1.0, answers=ABSTAINS)
    assert set(failing(tree, answers, wanted).values()) == {FEW}
    assert not replace(wanted, least=0, surely=0).idle


def test_a_split_is_set_back_when_no_leaf_below_passes(decided):
    tree, answers, _ = decided
    failed = failing(tree, answers, LeafFilter(least=30))
    back = set_back(tree, failed)
    for node in range(tree.n_nodes):
        below = [int(leaf) for leaf in tree.leaves if node in tree.path(int(leaf))]
        assert (node in back) == all(leaf in failed for leaf in below)


def test_naive_bayes_leaves_are_asked_for_support_alone():
    X, y = table(200, 2, missing=0.0)
    model = variant("CITree", max_depth=1, pruning="none").fit(X, y)
    assert failing(model.tree_, model.leaf_answers(), LeafFilter(surely=1.0, answers=ABSTAINS)) == {}
    assert failing(model.tree_, model.leaf_answers(), LeafFilter(least=1e6))
