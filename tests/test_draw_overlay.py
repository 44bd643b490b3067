"""What lies over the training tree, what is folded and what is filtered out, read back from the picture.

In: fitted trees. Out: failures that name the mark.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_draw import EVIL, SVG, node_text, nodes, parse, stump, texts
from test_other_patients import RECIPES, grown, laid, table

from engine.draw import View, tree_legend_svg, tree_svg
from engine.draw.overlay import Overlay
from engine.draw.tree_table import tree_table
from engine.evidence import evidence
from engine.leaf_filter import LeafFilter, failing
from engine.noise import ResolvedNoise
from engine.number_words import probability_text, share_text, weight_text
from engine.other_patients import lay_over


@pytest.fixture(scope="module")
def soft():
    model, X, y = grown(**RECIPES["soft"])
    table_, weight = model.training_weights(X, y)
    told = evidence(
        model.tree_, np.ascontiguousarray(table_.columns.T), table_.labels.class_weights, table_.weight, weight,
        model.noise_evaluation_,
    )  # fmt: skip
    view = View(classes=tuple(model.tree_.classes), leaf_answers=tuple(model.leaf_answers()), foldable=True, width=1600)
    return model, X, told, view


def test_the_patients_shares_are_those_of_the_case(soft):
    model, X, told, view = soft
    tree, case = model.tree_, model.case(X.iloc[3])
    svg = tree_svg(tree, told, view, Overlay(case=case))
    drawn = nodes(svg)
    for leaf, share in zip(map(int, tree.leaves), case.shares, strict=True):
        assert node_text(drawn[leaf]).endswith(f" | {share_text(float(share))}")
    said = texts(svg)
    for node in np.flatnonzero(tree.n_children > 0):
        for gate in case.gates[node]:
            assert share_text(float(gate)) in said
    lit = [p for p in parse(svg).iter(f"{SVG}path") if p.get("class") == "ribbon lit"]
    assert {int(p.get("data-branch")) for p in lit} == {int(k) for k in np.flatnonzero(case.reach_hard > 0) if k}
    for p in lit:
        assert float(p.get("data-share")) == pytest.approx(float(case.reach[int(p.get("data-branch"))]), rel=1e-4)
    assert "the patient: path dark, % of each branch" in texts(tree_legend_svg(tree, view, Overlay(case=case)))


def test_other_patients_are_counted_on_splits_and_compared_in_leaves(soft):
    model, _, told, view = soft
    X, y = table(120, 11)
    others, tree = laid(model, X, y), model.tree_
    drawn = nodes(tree_svg(tree, told, view, Overlay(others=others)))
    for node in range(tree.n_nodes):
        said = node_text(drawn[node])
        if not tree.is_leaf(node):
            if np.isfinite(tree.threshold[node]) and "test ←" in said:
                left, _, right, _ = others.split_counts(node)
                assert f"test ← {left}" in said
                assert f"{right} →" in said
            continue
        assert f"test n {weight_text(float(others.weight[node]), True)}" in said
        found = others.compare(node, view.leaf_answers[list(tree.leaves).index(node)])
        if found.labelled > 0:
            assert probability_text(found.share) in said
            assert ("outside" in said) == found.outside


def test_the_table_holds_folded_filtered_and_laid_over(soft):
    model, _, told, view = soft
    X, y = table(120, 11)
    others, tree = laid(model, X, y), model.tree_
    node = int(tree.children(0)[0])
    failed = failing(tree, view.leaf_answers, LeafFilter(least=15))
    shown = replace(view, collapsed=frozenset({node}), set_back=dict.fromkeys(failed, "n < 15"))
    rows = tree_table(tree, told, shown, Overlay(others=others))
    assert len(rows) == tree.n_nodes
    state = rows["In the picture"].tolist()
    assert state.count("folded into a box") == 1
    assert sum(text.startswith("filtered out") for text in state) == len(failed)
    assert rows["Test patients"].tolist()[0] == weight_text(120.0, True)
    assert set(rows["Compared"]) <= {"", "in range", "in range, few", "outside range", "outside, few"}
    case = model.case(X.iloc[0])
    rows = tree_table(tree, told, view, Overlay(case=case))
    assert "In the picture" not in rows
    assert rows["Patient's share"].tolist()[0] == "all, on the path"


def test_filtered_leaves_stay_with_their_reason_and_stubs_say_how_many_pass(soft):
    model, _, told, view = soft
    tree = model.tree_
    failed = failing(tree, view.leaf_answers, LeafFilter(least=30))
    back = dict.fromkeys(failed, "n < 30")
    drawn = nodes(tree_svg(tree, told, replace(view, set_back=back)))
    for leaf in map(int, tree.leaves):
        assert ("out: n < 30" in node_text(drawn[leaf])) == (leaf in failed)
        assert ("dim back" in drawn[leaf].get("class")) == (leaf in failed)
    assert "dotted: filtered out" in texts(tree_legend_svg(tree, replace(view, set_back=back)))
    node = int(tree.children(0)[1])
    stub = nodes(tree_svg(tree, told, replace(view, set_back=back, collapsed=frozenset({node}))))[node]
    inside = [int(leaf) for leaf in tree.leaves if node in tree.path(int(leaf))]
    assert f"+{len(inside)} leaves" in node_text(stub)
    assert f"{sum(leaf not in failed for leaf in inside)} of {len(inside)} pass" in node_text(stub)


def test_every_open_split_has_a_mark_of_44_pixels_with_its_own_name(soft):
    model, _, told, view = soft
    tree = model.tree_
    shut = frozenset({int(tree.children(0)[0])})
    root = parse(tree_svg(tree, told, replace(view, collapsed=shut)))
    marks = {int(g.get("data-fold")): g for g in root.iter(f"{SVG}g") if g.get("data-fold")}
    drawn = {int(g.get("data-node")): g for g in root.iter(f"{SVG}g") if g.get("data-node")}
    assert set(marks) == {node for node in drawn if not tree.is_leaf(node) and node not in shut}
    for mark in marks.values():
        touch = mark.find(f"{SVG}rect")
        assert (float(touch.get("width")), float(touch.get("height"))) == (44, 44)
        assert mark.get("aria-label").startswith("Collapse ")
    assert all(drawn[node].get("aria-expanded") == str(node not in shut).lower() for node in {*marks, *shut})
    still = parse(tree_svg(tree, told, replace(view, foldable=False)))
    assert not [g for g in still.iter(f"{SVG}g") if g.get("data-fold") or g.get("aria-expanded")]


def test_names_from_data_are_escaped_in_marks_and_rows():
    tree, found, view = stump(EVIL)
    over = lay_over(tree, np.array([[1.0], [9.0]]), ["no", "yes"], "hard", noise_of(tree), 0.0, noise_of(tree))
    svg = tree_svg(tree, found, replace(view, foldable=True, set_back={1: EVIL}), Overlay(others=over))
    assert "<script>" not in svg
    parse(svg)


def noise_of(tree):
    return ResolvedNoise.none(len(tree.variables))
