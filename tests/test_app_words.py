"""What the pages promise when the tree is not read by exact thresholds, and the ways out that they offer.

In: examples and made-up files. Out: sentences that hold when a reader tries them.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from screens import heading, open_page, sound, text, upload

from engine.draw import View
from engine.draw.case_charts import stability_bars_svg
from engine.number_words import difference_unit, error_text
from pages.shared import data_words, recipe_words, state
from pages.shared.words import plain

EF = "field_Ejection fraction"
BLENDED = ["SE", "SS+STP+SE", "UDT", "PLT", "Ternary-gain_ratio", "Ternary-margin"]


def turn_to(at, variant, **axes):
    """Turn to a variant as a reader does who also set depth, leaf size and τ."""
    held = at.session_state[state.KEY]
    held.variant, held.axes = variant, {"decision": "tau", "max_depth": 3, "min_weight_leaf": 20} | axes
    return at.run()


def answer_of(at):
    found = heading(at)
    return None if found.startswith("No answer") else found.rsplit(": ", 1)[1]


def card(at, title):
    """Return a card's key figure and its sentence, without the marks of Markdown."""
    told = [each for each in at.main if each.type in ("markdown", "caption")]
    plain_text = [each.value.replace("\\", "") for each in told]
    place = plain_text.index(f"### {title}")
    return plain_text[place + 1], plain_text[place + 2], told[place].help


@pytest.mark.parametrize("variant", BLENDED)
def test_the_nearest_change_on_the_card_is_true_when_it_is_typed(variant):
    at = turn_to(open_page("patient"), variant)
    at.number_input(key="patient_row").set_value(8).run()
    at.number_input(key=EF).set_value(33.0).run()
    sound(at)
    before = answer_of(at)
    key, sentence, _ = card(at, "Nearest change")
    assert "of “Ejection fraction”" in sentence
    change = float(re.match(r"[+−][\d.]+", key)[0].replace("−", "-"))
    assert change % 1 == 0
    said = re.search(r"the tree would (?:answer (\w+)|(abstain))\.", sentence)
    at.number_input(key=EF).set_value(33.0 + change).run()
    assert answer_of(at) == said[1] != before
    for smaller in np.arange(1, abs(change)):
        for sign in (-1, 1):
            at.number_input(key=EF).set_value(33.0 + sign * smaller).run()
            assert answer_of(at) == before
    exact = re.search(r"about ([+−][\d.]+)", sentence)
    assert exact is None or float(exact[1][1:]) <= abs(change)


def test_the_hard_trees_own_change_is_one_hover_away():
    at = turn_to(open_page("patient"), "SE")
    at.number_input(key="patient_row").set_value(8).run()
    at.number_input(key=EF).set_value(33.0).run()
    said = card(at, "Nearest change")[2]
    found = re.match(
        r"Read by exact thresholds, the tree would answer (\w+) at these readings; with ([+−]\d+)\u00a0"
        r"percentage points? in “Ejection fraction” it would answer (\w+)\.",
        said,
    )
    turn_to(at, "SE", evaluation="hard")
    assert answer_of(at) == found[1]
    at.number_input(key=EF).set_value(33.0 + float(found[2].replace("−", "-"))).run()
    assert answer_of(at) == found[3]


def test_an_answer_that_abstains_by_soft_gates_is_not_called_unstable():
    at = turn_to(open_page("patient"), "SE")
    at.number_input(key="patient_row").set_value(8).run()
    at.number_input(key=EF).set_value(33.0).run()
    shown = text(at)
    assert answer_of(at) is None
    assert re.search(
        r"## Were the true values known, the tree would answer yes for \d+ and no for \d+ of 100 such patients, and "
        r"leave none open; it abstains because they are divided\.",
        shown,
    )
    assert "Fewer than 1 of 100" not in shown
    key, sentence, said = card(at, "Same answer, read the same way")
    model = list(at.session_state["penumbra_kept"]["decided"].values())[-1]
    at.toggle(key="show_rest").set_value(True).run()
    fields = {w.key[6:]: w.value for w in [*at.number_input, *at.selectbox] if w.key and w.key.startswith("field_")}
    case = model.case(fields)
    assert key == f"{case.stability_as_read:.2f}"
    assert "simulated" in sentence
    assert "Stability, by exact thresholds: < 0.001" in sentence
    assert said.startswith("Two figures.")


def test_a_misrecorded_category_counts_as_measurement_error():
    rows = "".join(f"{'uv'[i % 2]},{i % 7},{'xy'[(i % 2) ^ (i % 9 == 0)]}\n" for i in range(90))
    at = open_page("noise", upload(f"kind,v,class\n{rows}".encode()))
    at.selectbox(key="form_kind").select("misrecord").run()
    at.number_input(key="percent_kind").set_value(5.0).run()
    open_page("patient", at)
    sound(at)
    assert "Not assessed: no" not in text(at)
    assert re.search(r"“Kind” recorded as [uv] \(misrecorded in 5 %\)", text(at))
    assert card(at, "Repeat a measurement")[0] == "Not assessed"
    assert "None would help" not in text(at)


def vague(n=120):
    """A clinic with outcomes missing in every tenth row, and "unclear", the rarest, as a label."""
    label = lambda i: "" if i % 10 == 0 else "unclear" if i % 31 == 1 else "ill" if i % 7 > 3 else "well"  # noqa: E731
    return ("v,w,class\n" + "".join(f"{i % 7},{i % 11},{label(i)}\n" for i in range(n))).encode()


@pytest.mark.parametrize("variant", ["PLT", "CITree", "Ternary-margin"])
def test_a_variant_that_needs_one_class_a_patient_says_so_and_offers_the_way_out(variant):
    at = turn_to(open_page("tree", upload(vague())), variant)
    told = at.error[0].value.replace("\\", "")
    assert told.startswith(
        f"{variant} needs one class for every patient, but 12 patients of 120"
    )
    assert "Traceback" not in told
    at.button(key="set_open_aside").click().run()
    sound(at)
    assert "108 patients" in text(at)
    at.button(key="undo").click().run()
    assert at.error


def test_open_outcomes_are_set_aside_on_the_data_page():
    at = upload(vague())
    at.checkbox(key="open_aside").set_value(True).run()
    sound(at)
    assert "108 patients, 2 variables" in text(at)
    assert "12 set aside" in text(at)
    at.selectbox(key="means_unclear").select("abstained").run()
    sound(at)
    assert at.checkbox(key="open_aside").value
    assert at.checkbox(key="open_aside").label == "Set aside 16 patients whose outcome is open"


def test_a_label_that_may_mean_abstained_is_not_the_positive_class():
    at = upload(vague())
    assert at.radio(key="positive").value == "ill"
    at.radio(key="positive").set_value("unclear").run()
    assert at.radio(key="positive").value == "unclear"


def test_values_below_a_limit_are_shown_and_can_be_read_as_a_number():
    rows = "".join(f"{'<5' if i % 4 == 0 else 6 + i % 9},{'ab'[i % 2]}\n" for i in range(60))
    at = upload(f"crp,class\n{rows}".encode())
    sound(at)
    assert "“crp”: 15 cells say only that the value lies beyond a limit (“<5”): known to be low" in text(at)
    assert at.selectbox(key="limit_crp").label == plain("15 written <5")
    at.selectbox(key="limit_crp").select("half").run()
    sound(at)
    assert "read as half of it, as stated" in text(at)
    assert "counted as missing all the same" not in text(at)
    at.button(key="undo").click().run()
    assert "counted as missing all the same" in text(at)
    assert data_words.limit_label((), 3) == "3 beyond a limit"


def test_one_point_is_singular():
    assert difference_unit("%", whole_words=True, size="−1") == "percentage point"
    assert difference_unit("%", whole_words=True, size="+1.5") == "percentage points"
    assert error_text("1", "%") == "± 1 point"
    assert error_text("8", "mg/dL") == "± 8 mg/dL"


def test_without_noise_soft_choices_are_told_in_plain_words():
    said = recipe_words.equals_hard(["soft search", "soft propagation"])
    assert said.startswith("No measurement error is stated, so soft search and soft propagation have nothing to allow")
    assert "σ" not in said


def test_bars_of_a_naive_bayes_leaf_name_no_answer():
    at = turn_to(open_page("patient"), "CITree")
    sound(at)
    found, model = (list(at.session_state["penumbra_kept"][kind].values())[-1] for kind in ("fitted", "decided"))
    case, tree = model.case(found.data.X.iloc[0]), model.tree_
    view = View(classes=tuple(tree.classes), leaf_answers=tuple(model.leaf_answers()))
    drawn = stability_bars_svg(tree, case, view)
    assert "leaf 1" in drawn
    assert not re.search(r"leaf \d+, ", drawn)
