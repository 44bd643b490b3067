"""The Tree page's picture: folding, depth, filter and what lies over it; numbers beside the engine, no second fit.

In: clicks. Out: what the page says and draws, beside what the engine answers.
"""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from screens import clinic, open_page, sound, text, upload, whole
from test_app_tree import choose, fits

from engine.case import Case
from engine.leaf_filter import ABSTAINS, ANY, NAMES
from engine.number_words import probability_text, share_text, weight_text
from engine.other_patients import answered_right


def chosen(at):
    return at.session_state["penumbra_choices"]


def found(at):
    return list(fits(at).values())[-1]


def decided(at):
    return list(at.session_state["penumbra_kept"]["decided"].values())[-1]


def table(at):
    return next(each.value for each in at.dataframe if "Blend range" in each.value)


def filters(at):
    at.session_state["open_leaf_filter"] = True
    return at.run()


def test_a_subtree_is_folded_opened_and_undone_without_a_fit():
    at = open_page("tree")
    before, tree = dict(fits(at)), found(at).model.tree_
    node = int(tree.children(0)[0])
    chosen(at).node = node
    at.run()
    assert at.button(key="fold_node").label == "Collapse"
    at.button(key="fold_node").click().run()
    sound(at)
    below = [int(leaf) for leaf in tree.leaves if node in tree.path(int(leaf))]
    assert f"1 subtree is folded, with {len(below)} leaves." in text(at)
    assert at.button(key="fold_node").label == "Open"
    rows = table(at)
    assert len(rows) == tree.n_nodes
    assert rows["In the picture"].tolist().count("folded into a box") == 1
    assert dict(fits(at)) == before
    at.button(key="undo").click().run()
    assert "folded" not in text(at)
    assert chosen(at).node == node
    at.button(key="fold_node").click().run()
    open_page("patient", at)
    open_page("tree", at)
    assert "1 subtree is folded" in text(at)
    at.button(key="open_all").click().run()
    sound(at)
    assert "is folded" not in text(at)
    assert dict(fits(at)) == before


def test_what_was_folded_belongs_to_one_tree():
    at = open_page("tree")
    at.button(key="fold_node").click().run()
    assert "with 8 leaves" in text(at)
    choose(at, "criterion", "gini")
    sound(at)
    assert "is folded" not in text(at)
    at.button(key="undo").click().run()
    assert "with 8 leaves" in text(at)


def test_depth_draws_fewer_levels_of_the_same_tree():
    at = open_page("tree")
    before, tree = dict(fits(at)), found(at).model.tree_
    at.selectbox(key="shown_depth").select(1).run()
    sound(at)
    assert dict(fits(at)) == before
    assert found(at).model.tree_.max_depth == 3
    at_one = np.flatnonzero((tree.depth == 1) & (tree.n_children > 0))
    assert f"{len(at_one)} subtrees are folded, with 8 leaves." in text(at)
    assert "nothing is fitted again" in at.selectbox(key="shown_depth").help
    assert "grows another tree" in at.selectbox(key="shown_depth").help
    at.button(key="undo").click().run()
    assert "folded" not in text(at)


def test_a_chosen_leaf_inside_a_folded_subtree_gives_way_to_the_subtree():
    at = open_page("tree")
    tree = found(at).model.tree_
    chosen(at).node = int(tree.leaves[0])
    at.selectbox(key="shown_depth").select(2).run()
    sound(at)
    assert "Selected: a split at depth 2" in text(at)


@pytest.mark.parametrize(("least", "surely"), [(33.0, 0.0), (0.0, 0.8), (30.0, 0.75)])
def test_the_line_counts_the_leaves_that_pass(least, surely):
    at = filters(open_page("tree"))
    before, tree, told = dict(fits(at)), found(at).model.tree_, found(at).evidence
    if least:
        at.number_input(key="filter_least").set_value(least).run()
    if surely:
        at.slider(key="filter_surely").set_value(surely).run()
    sound(at)
    passed = [leaf for leaf in tree.leaves if tree.weight[leaf] >= least and tree.probability[leaf].max() >= surely]
    line = next(each for each in text(at).splitlines() if each.startswith("Showing "))
    assert line.startswith(f"Showing {len(passed)} of 8 leaves (")
    assert f"{told.count[passed].sum()} of 400 patients" in line
    state = table(at)["In the picture"].tolist()
    assert sum(each.startswith("filtered out") for each in state) == 8 - len(passed)
    assert dict(fits(at)) == before
    at.button(key="show_all").click().run()
    assert "Showing " not in text(at)
    at.button(key="undo").click().run()
    assert line in text(at)


def test_percent_and_answers():
    at = filters(open_page("tree"))
    at.selectbox(key="filter_least_of").select("percent").run()
    at.number_input(key="filter_least").set_value(10.0).run()
    tree = found(at).model.tree_
    passed = sum(tree.weight[leaf] >= 40 for leaf in tree.leaves)
    assert f"Showing {passed} of 8 leaves (n ≥ 10 %)" in text(at)
    at.button(key="show_all").click().run()
    at.selectbox(key="filter_answers").select((ABSTAINS, None)).run()
    assert "Showing 4 of 8 leaves (that abstain)" in text(at)
    at.selectbox(key="filter_answers").select((NAMES, "yes")).run()
    yes = sum(answer == "yes" for answer in decided(at).leaf_answers())
    assert f"Showing {yes} of 8 leaves (that answer yes)" in text(at)
    at.checkbox(key="filter_fold").check().run()
    sound(at)
    assert "folded" in text(at)
    at.selectbox(key="filter_answers").select((ANY, None)).run()
    assert "Showing" not in text(at)
    assert "folded" not in text(at)


def test_the_present_patient_is_the_patient_pages():
    at = open_page("patient")
    at.number_input(key="field_Ejection fraction").set_value(33.0).run()
    open_page("tree", at)
    before = dict(fits(at))
    at.selectbox(key="laid_over").select("patient").run()
    sound(at)
    model = decided(at)
    rows = table(at)["Patient's share"].tolist()
    values = found(at).values[found(at).data.place(chosen(at).row)]
    row = {name: None if np.isnan(x) else x for name, x in zip(found(at).data.columns, values, strict=True)}
    row = {n: v if c is None or v is None else c[int(v)] for (n, v), c in zip(
        row.items(), model.schema_.categories, strict=True)}  # fmt: skip
    case: Case = model.case(row | {"Ejection fraction": 33.0})
    order = depth_first(model.tree_)
    assert [each.partition(",")[0] for each in rows] == [share_text(float(case.reach[node])) for node in order]
    assert [", on the path" in each for each in rows] == [bool(case.reach_hard[node] > 0) for node in order]
    assert dict(fits(at)) == before


def depth_first(tree):
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(tree.children(order[-1])))
    return order


def lay(at, content, name="new.csv"):
    at.selectbox(key="laid_over").select("others").run()
    at.file_uploader(key="others_upload").upload(name, content, "text/csv").run()
    return at


def test_other_patients_are_counted_by_the_engine_and_forgotten_on_request():
    at = open_page("tree", upload(clinic(240, seed=11)))
    before = dict(fits(at))
    lay(at, clinic(90, seed=3))
    sound(at)
    assert dict(fits(at)) == before
    told = list(at.session_state["penumbra_kept"]["other_patients"].values())[-1]
    other = list(at.session_state["penumbra_kept"]["other_table"].values())[-1]
    model = decided(at)
    given, known, among, right = answered_right(list(model.decide(other.X)), other.y)
    assert f"90 test patients, {given} answered" in text(at)
    assert f"Of {known} with a known class {among} are answered, {right} of them right" in text(at)
    rows, order = table(at), depth_first(model.tree_)
    assert rows["Test patients"].tolist() == [weight_text(float(told.weight[k]), told.fractional) for k in order]
    answers = dict(zip(map(int, model.tree_.leaves), model.leaf_answers(), strict=True))
    for node, share in zip(order, rows["Test share"], strict=True):
        if node in answers and told.class_weight[node].sum() > 0:
            assert share.endswith(probability_text(told.compare(node, answers[node]).share))
    chosen(at).node = int(model.tree_.leaves[0])
    at.run()
    assert f"Test patients here: {weight_text(float(told.weight[chosen(at).node]), told.fractional)}." in text(at)
    open_page("data", at)
    open_page("tree", at)
    assert "90 test patients" in text(at)
    at.button(key="close_others").click().run()
    sound(at)
    assert "test patients" not in text(at)
    assert chosen(at).others is None


def test_a_file_that_does_not_fit_is_one_sentence_and_the_tree_stays():
    at = open_page("tree", upload(clinic(240, seed=11)))
    tree = found(at).model.tree_
    asked = tree.variables[int(tree.variable[0])]
    frame = pd.read_csv(io.BytesIO(clinic(40))).drop(columns=[asked])
    lay(at, frame.to_csv(index=False).encode())
    whole(at)
    assert [f"no column “{asked}”, which the tree asks" in each.value.replace("\\", "") for each in at.error] == [True]
    assert len(table(at)) == tree.n_nodes


def test_the_panel_lists_patients_on_request_and_keeps_the_list_on_another_node():
    at = open_page("tree")
    assert len(at.dataframe) == 1
    at.button(key="list_patients").click().run()
    assert [len(each.value) for each in at.dataframe if "share here" in each.value] == [400]
    tree, told = found(at).model.tree_, found(at).evidence
    chosen(at).node = int(tree.leaves[0])
    at.run()
    rows, _ = told.patients(int(tree.leaves[0]))
    assert [len(each.value) for each in at.dataframe if "share here" in each.value] == [len(rows)]
    at.button(key="list_patients").click().run()
    assert len(at.dataframe) == 1
