"""The Tree page: variants, axes, refusals, τ without a fit, the panel, the table.

In: clicks. Out: what the page says, beside what the engine answers.
"""

from __future__ import annotations

import numpy as np
import pytest
from screens import clinic, heading, open_page, sound, text, upload

from engine.recipe import AXES, VARIANTS


def opened(at, box):
    at.session_state[f"open_{box}"] = True
    return at.run()


def choose(at, box, option):
    opened(at, box)
    return at.button(key=f"{box}={option}").click().run()


def left_out(at):
    return next(line for line in text(at).splitlines() if "cross-validation" in line)


def fits(at):
    return at.session_state["penumbra_kept"]["fitted"]


def test_cold_link_says_what_was_found():
    at = open_page("tree")
    sound(at)
    assert heading(at) == "Eight leaves: four answer, four abstain"
    assert "Positive class: yes" in text(at)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_built_variant_can_be_chosen(name):
    at = open_page("tree")
    if name != "SS+STP":
        choose(at, "variant", name)
    sound(at)
    model = list(fits(at).values())[-1].model
    for axis in ("criterion", "search", "propagation", "zone", "leaf"):
        assert getattr(model.recipe_, axis) == VARIANTS[name].get(axis, AXES[axis][0])
    opened(at, "variant")
    assert {each.key for each in at.button if each.key.startswith("variant=") and not each.disabled} == {
        f"variant={each}" for each in VARIANTS
    }


@pytest.mark.parametrize("axis", AXES)
def test_what_cannot_be_had_is_shown_with_its_reason(axis):
    at = opened(open_page("tree"), axis)
    sound(at)
    if axis == "evaluation":
        assert at.button(key="evaluation=zone").disabled
        assert "does not combine" in text(at)


def test_what_differs_is_marked_and_reset():
    at = open_page("tree")
    assert "4 settings changed" in text(at)
    at.button(key="reset_variant").click().run()
    sound(at)
    assert "As named, nothing changed" in text(at)
    choose(at, "leaf", "laplace")
    assert "1 setting changed" in text(at)
    choose(at, "leaf", "frequency")
    assert "As named, nothing changed" in text(at)


def test_tau_only_relabels():
    at = open_page("tree")
    before = dict(fits(at))
    at.slider(key="tau").set_value(0.55).run()
    sound(at)
    assert heading(at) == "Eight leaves: all answer"
    at.slider(key="tau").set_value(0.9).run()
    assert heading(at) != "Eight leaves: all answer"
    choose(at, "decision", "argmax")
    choose(at, "evaluation", "coherent")
    sound(at)
    assert dict(fits(at)) == before


def test_a_zone_opens_its_evaluation():
    at = choose(open_page("tree"), "zone", "noise")
    opened(at, "evaluation")
    assert not at.button(key="evaluation=zone").disabled
    at.button(key="evaluation=zone").click().run()
    sound(at)


def test_sizes_and_numbers_reach_the_model():
    at = open_page("tree")
    at.number_input(key="set_max_depth").set_value(2).run()
    at.number_input(key="set_min_weight_leaf").set_value(30).run()
    at.selectbox(key="set_class_weight").select("balanced").run()
    sound(at)
    recipe = list(fits(at).values())[-1].model.recipe_
    assert (recipe.max_depth, recipe.min_weight_leaf, recipe.class_weight) == (2, 30, "balanced")


def test_the_panel_follows_the_chosen_node():
    at = open_page("tree")
    found = list(fits(at).values())[-1]
    tree = found.model.tree_
    for node in range(tree.n_nodes):
        at.session_state["penumbra_choices"].node = node
        at.run()
        sound(at)
        said = text(at)
        assert ("Why " in said) == (not tree.is_leaf(node))
        assert "The rule that leads here" in said
    assert f"leaf {tree.n_leaves}" in said


def test_exact_measurements_make_soft_equal_hard():
    at = upload(clinic())
    open_page("tree", at)
    sound(at)
    assert any("nothing to allow for" in each.value.replace("\\", "") for each in at.info)
    soft = list(fits(at).values())[-1].model.tree_
    for axis, choice in (("search", "exact"), ("propagation", "hard")):
        choose(at, axis, choice)
    hard = list(fits(at).values())[-1].model.tree_
    assert not at.info
    np.testing.assert_array_equal(soft.threshold, hard.threshold)
    np.testing.assert_array_equal(soft.class_weight, hard.class_weight)


def test_patients_left_out_are_answered_on_request_and_tau_grows_nothing_again():
    at = open_page("tree")
    assert "cross-validation" not in text(at)
    at.button(key="leave_out").click().run()
    sound(at)
    first = left_out(at)
    grown = dict(at.session_state["penumbra_kept"]["folds"])
    at.slider(key="tau").set_value(0.9).run()
    sound(at)
    assert left_out(at) != first
    assert dict(at.session_state["penumbra_kept"]["folds"]) == grown
    choose(at, "variant", "CART")
    sound(at)
    assert "cross-validation" not in text(at)


def test_the_table_holds_every_node():
    at = open_page("tree")
    tree = list(fits(at).values())[-1].model.tree_
    table = next(each.value for each in at.dataframe if "Blend range" in each.value)
    assert len(table) == tree.n_nodes
    assert not table.astype(str).map(lambda cell: " 0 %" in cell or "100 %" in cell).any(axis=None)


def test_a_toy_of_four_patients_is_no_dead_end():
    at = open_page("data")
    at.selectbox(key="data_set").select("four_points").run()
    for page in ("noise", "tree", "patient"):
        sound(open_page(page, at))
    open_page("tree", at)
    at.number_input(key="set_min_weight_leaf").set_value(1).run()
    sound(at)
    assert "leaves" in heading(at) or "Two" in heading(at)


def test_the_teachers_steps_do_what_the_readme_says():
    at = open_page("data")
    at.selectbox(key="data_set").select("four_points").run()
    open_page("tree", at)
    for box, option in (("variant", "C4.5"), ("pruning", "none"), ("decision", "argmax")):
        choose(at, box, option)
    at.number_input(key="set_max_depth").set_value(1).run()
    at.number_input(key="set_min_weight_leaf").set_value(1).run()

    def cut():
        return float(list(fits(at).values())[-1].model.tree_.threshold[0])

    assert cut() == pytest.approx(0.0)
    open_page("data", at)
    at.selectbox(key="data_set").select("four_noisy_points").run()
    open_page("tree", at)
    assert abs(cut()) == pytest.approx(1.1)
    choose(at, "variant", "SS+STP")
    choose(at, "pruning", "none")
    assert cut() == pytest.approx(0.0, abs=0.05)
    open_page("noise", at)
    at.number_input(key="value_Measurement").set_value(1.0).run()
    open_page("tree", at)
    assert "equally good" in text(at)
    open_page("noise", at)
    at.number_input(key="value_Measurement").set_value(2.0).run()
    open_page("patient", at)
    at.segmented_control(key="patient_kind").set_value("Typed case").run()
    for reading, same in ((0.2, 54), (1.0, 69), (3.0, 93)):
        at.number_input(key="field_Measurement").set_value(reading).run()
        assert f"{same} of 100 plausible true states give this answer too" in text(at)


def test_the_clinicians_last_step_keeps_the_answer_and_silences_the_warning():
    at = open_page("patient")
    at.number_input(key="field_Ejection fraction").set_value(33.0).run()
    before = heading(at).removesuffix(" Repeat first: Ejection fraction, though it may stay unanswered.")
    assert before != heading(at)
    open_page("noise", at)
    at.number_input(key="factor_u_e").set_value(0.0).run()
    open_page("patient", at)
    assert heading(at) == before
    assert "Not assessed: no measurement error in force" in text(at)


def test_decimals_are_laid_to_what_shares_the_patients():
    def below(at):
        return next(line for line in text(at).splitlines() if line.startswith("Leaves carry decimals"))

    rows = "".join(f"{'' if i % 9 == 0 else i % 23},{i % 7},{'x' if i % 23 > 11 else 'y'}\n" for i in range(120))
    at = upload(f"a,b,class\n{rows}".encode())
    open_page("tree", at)
    assert "with a missing value" in below(at)
    assert "threshold" not in below(at)
    assert "near a threshold" in below(open_page("tree"))


def test_no_internal_name_is_shown_to_a_reader():
    at = open_page("tree")
    for box in ("variant", *AXES):
        opened(at, box)
        assert "[S]" not in text(at)
        assert not any("[S]" in each.label for each in at.button)
        said = [line for line in text(at).splitlines() if line.startswith(("Not possible", "Not built"))]
        assert not [line for line in said if "'" in line or "_" in line]
        at.session_state[f"open_{box}"] = False


def test_the_tree_can_be_had_as_a_program_where_its_gates_allow():
    at = open_page("tree")
    sound(at)
    labels = [each.proto.label for each in at.get("download_button")]
    assert {"Python", "JavaScript"} <= set(labels)
    choose(at, "variant", "CART")
    assert "PMML" in [each.proto.label for each in at.get("download_button")]
    choose(at, "variant", "SS+STP+SE")
    assert "PMML" not in [each.proto.label for each in at.get("download_button")]
    assert any(each.label == "PMML" and each.disabled for each in at.button)


def test_a_tree_that_answers_nothing_says_so():
    at = open_page("tree")
    at.slider(key="tau").set_value(1.0).run()
    sound(at)
    assert heading(at) == "Eight leaves: all abstain"


def test_choices_of_depth_hold_for_every_tree():
    # A browser keeps the text of a choice it has shown; a deeper tree must not stand under an older one's number.
    at = open_page("tree")
    assert at.selectbox(key="shown_depth").options == ["all levels", "1 level", "2 levels"]
