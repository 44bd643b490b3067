"""The Tree and Patient pages on every form of tree: naive Bayes leaves, bins, middle branches, costs, sets, zones.

In: clicks. Out: what the pages say, beside what the engine answers.
"""

from __future__ import annotations

import numpy as np
import pytest
from screens import heading, open_page, sound, text
from test_app_tree import choose, fits

from engine import Noise, variant
from engine.decide import expected_costs
from engine.export import BAYES_DEPENDS
from engine.number_words import probability_text
from engine.tree import REST

EF = "field_Ejection fraction"


def turned(name, **choices):
    at = choose(open_page("tree"), "variant", name)
    for box, option in choices.items():
        choose(at, box, option)
    sound(at)
    return at


def decided(at):
    return list(at.session_state["penumbra_kept"]["decided"].values())[-1]


def fields(at):
    if any(each.key == "show_rest" and not each.value for each in at.toggle):
        at.toggle(key="show_rest").set_value(True).run()
    return {w.key[6:]: w.value for w in [*at.number_input, *at.selectbox] if w.key and w.key.startswith("field_")}


def unpruned():
    at = turned("CITree", pruning="none")
    at.number_input(key="set_max_depth").set_value(1).run()
    sound(at)
    return at


def test_a_naive_bayes_leaf_is_never_said_to_answer_or_abstain():
    at = unpruned()
    tree = list(fits(at).values())[-1].model.tree_
    assert "each a naive Bayes" in heading(at)
    assert not any(word in heading(at) for word in ("answer", "abstain"))
    for node in range(tree.n_nodes):
        at.session_state["penumbra_choices"].node = node
        at.run()
        sound(at)
        if tree.is_leaf(node):
            assert "naive Bayes over the variables not asked" in text(at)
            assert "Answers yes" not in text(at)
            assert "Abstains" not in text(at)
    table = next(each.value for each in at.dataframe if "Blend range" in each.value)
    assert "Class prior" in table
    assert "P" not in table


def test_a_naive_bayes_patient_gets_the_engines_figures_and_reads_that_they_are_simulated():
    at = open_page("patient", unpruned())
    sound(at)
    case = decided(at).case(fields(at))
    assert case.simulated
    assert f"P(yes) {probability_text(case.probability[1])}." in text(at)
    assert "10,000 simulated true values" in text(at)
    assert "naive Bayes at this reading" in text(at)
    assert "simulated" not in text(open_page("patient"))


def test_leaves_are_counted_without_those_of_values_that_have_no_branch():
    at = unpruned()
    at.number_input(key="set_n_bins").set_value(60).run()
    sound(at)
    model = list(fits(at).values())[-1].model
    assert (model.tree_.code[model.tree_.leaves] == REST).any()
    assert f"{model.n_leaves_} leaves (values without a branch apart)" in text(at)


@pytest.mark.parametrize("name", ["Ternary-margin-middle", "PLT", "UDT", "Ternary-class_overlap"])
def test_every_form_has_a_patient_page(name):
    at = open_page("patient", turned(name))
    sound(at)
    case = decided(at).case(fields(at))
    ways = len(case.probabilities)
    assert f"{ {3: 'Three', 5: 'Five'}[ways] } ways to evaluate" in text(at)


def test_costs_are_stated_by_class_and_abstaining_says_what_it_costs():
    at = turned("CART", decision="cost")
    assert decided(at).cost == [[0.0, 1.0], [1.0, 0.0]]
    assert "Truly yes, answered no" in [each.label for each in at.number_input]
    at.number_input(key="cost_yes_no").set_value(5.0).run()
    at.number_input(key="abstain_cost").set_value(0.05).run()
    sound(at)
    model = decided(at)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.cost == [[0.0, 1.0], [5.0, 0.0]]
    assert model.abstain_cost == 0.05
    open_page("patient", at)
    sound(at)
    case = decided(at).case(fields(at))
    assert case.answer is None
    least = float(expected_costs(case.probability[None, :], model.cost)[0].min())
    assert heading(at).startswith("No answer: it costs 0.05, the cheapest answer, ")
    assert f"{least:.3g}"[:4] in heading(at)
    assert "τ" not in heading(at)


def test_nothing_says_that_costs_are_not_built():
    at = open_page("tree")
    at.session_state["open_decision"] = True
    at.run()
    assert not at.button(key="decision=cost").disabled
    assert "Not built" not in text(at)


def test_a_set_names_its_classes():
    at = turned("CART", decision="set")
    at.slider(key="tau").set_value(0.99).run()
    open_page("patient", at)
    sound(at)
    assert heading(at) in ("Worse within a year: no or yes", "Worse within a year: no", "Worse within a year: yes")
    model = decided(at)
    assert ("no or yes" in heading(at)) == (len(model.case(fields(at)).answer) == 2)


def test_width_is_greyed_while_a_noise_is_stated_and_reaches_the_model_when_none_is():
    at = turned("UDT")
    assert at.number_input(key="set_width").disabled
    assert "a σ is stated" in text(at)
    at.session_state["penumbra_choices"].sigma = {}
    at.run()
    at.number_input(key="set_width").set_value(0.2).run()
    sound(at)
    found = list(fits(at).values())[-1]
    assert found.model.recipe_.width == 0.2
    mine = variant("UDT", width=0.2, max_depth=3, min_weight_leaf=20, pruning=found.model.recipe_.pruning)
    mine.fit(found.data.X, found.data.y)
    np.testing.assert_array_equal(mine.tree_.threshold, found.model.tree_.threshold)
    assert "every variable is exact" not in "".join(each.value for each in at.markdown)


def test_calibrated_zones_are_the_engines():
    at = turned("Ternary-gain_ratio")
    at.selectbox(key="calibrate").select("bayes").run()
    sound(at)
    found = list(fits(at).values())[-1]
    mine = variant("Ternary-gain_ratio", noise=Noise(), max_depth=3, min_weight_leaf=20)
    mine.fit(found.data.X, found.data.y).calibrate_zones(found.data.X, found.data.y, "bayes")
    assert found.model.zone_factor_ == pytest.approx(mine.zone_factor_)
    assert f"Every zone is {mine.zone_factor_:.3g} times as wide as found" in text(at)
    choose(at, "variant", "PLT")
    sound(at)
    assert at.selectbox(key="calibrate").disabled


def test_c45s_own_leaf_rule_can_be_taken_and_left():
    at = turned("C4.5")
    at.checkbox(key="c45").check().run()
    sound(at)
    assert list(fits(at).values())[-1].model.recipe_.min_weight_leaf == "c45"
    assert at.number_input(key="set_min_weight_leaf").disabled
    at.checkbox(key="c45").uncheck().run()
    assert list(fits(at).values())[-1].model.recipe_.min_weight_leaf == 2


def test_the_note_beside_a_naive_bayes_leaf_is_the_same_in_pictures_and_rules():
    assert BAYES_DEPENDS == "class prior; the answer for a patient depends on the other readings"
