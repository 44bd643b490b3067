"""The Patient page: its figures are the engine's, what-if, missing readings, nothing kept or linked.

In: rows and typed readings. Out: what the page says, beside `model.case`.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from screens import clinic, heading, open_page, paper, sound, text, upload, whole

from engine.borderline import distances, near_share
from engine.neighbours import neighbours
from engine.number_words import probability_text
from engine.patient_row import one_row
from engine.route import reach
from engine.why import why
from pages.shared.words import count

EF = "field_Ejection fraction"


def model_and_readings(at):
    kept = at.session_state["penumbra_kept"]
    found = list(kept["fitted"].values())[-1]
    model = list(kept["decided"].values())[-1]
    fields = {w.key[6:]: w.value for w in [*at.number_input, *at.selectbox] if w.key and w.key.startswith("field_")}
    return found, model, fields


@pytest.mark.parametrize("row", [1, 7, 33])
def test_the_figures_are_the_engines(row):
    at = open_page("patient")
    at.toggle(key="show_rest").set_value(True).run()
    at.number_input(key="patient_row").set_value(row).run()
    sound(at)
    found, model, fields = model_and_readings(at)
    case = model.case(fields)
    shown = text(at)
    k = model.tree_.classes.index("yes")
    assert f"P(yes) {probability_text(case.probability[k])}." in shown
    assert probability_text(case.stability) in shown
    assert ("No answer" in heading(at)) == (case.answer is None)
    whole = model.case(found.data.X.iloc[row - 1])
    np.testing.assert_allclose(whole.probability, case.probability)
    assert not re.search(r"(?<![\d.])(0|100) %", "\n".join(each.value for each in at.markdown))


def test_what_if_updates_at_once_and_goes_back():
    at = open_page("patient")
    first = heading(at), at.number_input(key=EF).value
    at.number_input(key=EF).set_value(70.0).run()
    sound(at)
    assert heading(at) == "Worse within a year: no"
    at.button(key="untype").click().run()
    assert (heading(at), at.number_input(key=EF).value) == first


def test_a_reading_may_be_missing():
    at = open_page("patient")
    at.number_input(key=EF).set_value(None).run()
    sound(at)
    assert "Missing: Ejection fraction" in text(at)


def test_a_case_can_be_typed_and_survives_a_page_change():
    at = open_page("patient")
    at.segmented_control(key="patient_kind").set_value("Typed case").run()
    at.number_input(key=EF).set_value(31.0).run()
    open_page("noise", at)
    open_page("patient", at)
    sound(at)
    assert at.number_input(key=EF).value == 31.0


def test_tau_turns_an_answer_into_none_with_its_reason():
    at = open_page("patient")
    at.number_input(key=EF).set_value(70.0).run()
    at.slider(key="tau").set_value(1.0).run()
    sound(at)
    assert heading(at).startswith("No answer: best class no, 0.9")
    assert "< τ 1.00" in heading(at)


def test_a_percentage_changes_by_points_and_names_stand_apart_from_the_sentence():
    at = open_page("patient")
    at.number_input(key=EF).set_value(33.0).run()
    shown = text(at)
    assert "percentage points" in shown
    assert "“Ejection fraction” truly anywhere around 33 (± 5 points, 1 SD)" in shown
    assert not re.search(r"[+−±] ?[\d.]+\s*%", shown)
    assert heading(at).endswith("Repeat first: Ejection fraction, though it may stay unanswered.")


def test_the_page_and_the_paper_say_what_was_typed_and_the_paper_what_is_predicted_and_from_which_data():
    at = open_page("patient")
    assert "Worse within a year: P(yes) 0.66." in text(at)  # there is no answer whose heading names the outcome
    at.number_input(key=EF).set_value(40.0).run()
    at.number_input(key=EF).set_value(33.0).run()  # as it was
    assert "Changed by hand" not in text(at)
    at.number_input(key=EF).set_value(45.0).run()
    changed = "Changed by hand: Ejection fraction. The other readings are as in the data."
    assert changed in text(at)
    sheet = unescape(paper(at))
    assert changed in sheet
    assert "Worse within a year: no or yes." in sheet
    assert "Heart failure (synthetic): 400 patients" in sheet
    at.segmented_control(key="patient_kind").set_value("Typed case").run()
    assert "No reading was typed: each is the middle of the training patients" in text(at)
    at.number_input(key=EF).set_value(45.0).run()
    rest = "Typed: Ejection fraction. The other 5 readings are the middle of the training patients"
    assert rest in text(at)
    assert rest in unescape(paper(at))


def test_every_evaluation_is_named_and_the_words_about_risk_stand():
    at = open_page("patient")
    shown = text(at)
    assert "This is not the chance of disease." in shown
    assert "Three ways to evaluate" in shown
    assert any("errors as independent" in (each.help or "") for each in at.markdown)


def test_with_no_error_stated_nothing_is_called_stable():
    at = upload(clinic())
    open_page("patient", at)
    sound(at)
    shown = text(at)
    assert "## Not assessed: no measurement error in force" in shown
    assert shown.count("\nNot assessed\n") == 2
    assert "How far error could change the answer is not known." in shown
    assert not re.search(r"plausible true states (give|leave)|None would help|> 0.999|plays no part", shown)


def test_nothing_of_a_patient_goes_into_the_address():
    at = open_page("patient")
    at.number_input(key=EF).set_value(31.0).run()
    assert not at.query_params


def test_similar_patients_by_hand():
    values = np.array([[1.0, 0.0], [2.0, 0.0], [np.nan, 1.0], [4.0, np.nan], [np.nan, np.nan]])
    near = neighbours(values, np.array([True, False]), np.array([2.0, 1.0]), count=9)
    sd = np.std([1.0, 2.0, 4.0])
    wanted = [0.0, np.sqrt(0.5), np.sqrt((1 / sd**2 + 1) / 2), 2 / sd]
    assert list(near.rows) == [2, 1, 0, 3]
    np.testing.assert_allclose(near.distance, wanted)


def test_near_a_threshold_by_hand():
    at = open_page("tree")
    found = list(at.session_state["penumbra_kept"]["fitted"].values())[-1]
    tree, values = found.model.tree_, found.values
    hard = reach(tree, values, "hard")
    distance = distances(tree, values, hard, found.noise)
    near = np.zeros(len(values), dtype=bool)
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node) and np.isfinite(tree.threshold[node]):
            j = tree.variable[node]
            sigma = float(found.noise.at(j, tree.threshold[node]))
            inside = np.abs(values[:, j] - tree.threshold[node]) <= 1.96 * sigma + 1e-9
            near |= (hard[:, node] > 0) & inside & (sigma > 0)
    assert near_share(distance)[0] == near.mean()
    assert near_share(distance, [0.0])[0] == 0.0


def test_why_finds_the_split_that_was_taken():
    at = open_page("tree")
    found = list(at.session_state["penumbra_kept"]["fitted"].values())[-1]
    tree = found.model.tree_
    for node in np.flatnonzero(tree.n_children > 0):
        reasons = why(tree, found.model.search_on(found.table), found.weight[:, node], int(node))
        assert reasons.best[0].variable == tree.variable[node]
        assert reasons.best[0].gain == pytest.approx(tree.gain[node])
        curve = reasons.soft or reasons.exact
        assert curve[1].max() == pytest.approx(tree.gain[node])


def test_another_sigma_leaves_the_same_patient_on_screen():
    at = open_page("patient")
    number = at.number_input(key="patient_row").value
    for sigma in (0.0, 15.0):
        open_page("noise", at)
        at.number_input(key="value_Ejection fraction").set_value(sigma).run()
        open_page("patient", at)
        assert at.number_input(key="patient_row").value == number


def lacking(n=60):
    """A clinic whose rows 3, 13, 23, … lack glucose."""
    lines = [f"{'' if i % 10 == 2 else 90 + i},{20 + i % 9},{'x' if i % 3 else 'y'}" for i in range(n)]
    return "\n".join(["glucose,bmi,class", *lines]).encode()


def test_a_patient_keeps_the_files_row_and_their_own_readings_when_others_are_set_aside():
    at = open_page("patient", upload(lacking()))
    at.toggle(key="show_rest").set_value(True).run()
    at.number_input(key="patient_row").set_value(9).run()
    at.number_input(key="field_bmi").set_value(77.0).run()
    open_page("data", at)
    at.multiselect(key="aside").select("glucose").run()
    open_page("patient", at)
    sound(at)
    assert at.number_input(key="patient_row").value == 9
    at.toggle(key="show_rest").set_value(True).run()
    assert (at.number_input(key="field_glucose").value, at.number_input(key="field_bmi").value) == (98.0, 77.0)
    listed = next(each.value for each in at.dataframe)
    assert listed.index.name == "row"
    assert 9 not in listed.index
    assert 3 not in listed.index


def test_a_patient_set_aside_is_refused_by_number_and_said_when_on_screen():
    at = open_page("patient", upload(lacking()))
    at.number_input(key="patient_row").set_value(13).run()
    at.toggle(key="show_rest").set_value(True).run()
    at.number_input(key="field_bmi").set_value(77.0).run()
    open_page("data", at)
    at.multiselect(key="aside").select("glucose").run()
    open_page("patient", at)
    shown = at.number_input(key="patient_row").value
    assert shown != 13
    assert any("Patient 13 is set aside" in each.value for each in at.warning)
    assert not at.session_state["penumbra_choices"].typed
    at.number_input(key="patient_row").set_value(20).run()
    assert not at.warning
    at.number_input(key="patient_row").set_value(23).run()
    assert at.number_input(key="patient_row").value == 20
    assert any("Patient 23 is set aside" in each.value for each in at.warning)


def test_undo_neither_changes_the_patient_nor_brings_typed_readings_back():
    at = open_page("patient")
    at.number_input(key="patient_row").set_value(30).run()
    at.number_input(key=EF).set_value(77.0).run()
    open_page("noise", at)
    at.number_input(key="value_Ejection fraction").set_value(2.0).run()
    open_page("patient", at)
    at.number_input(key="patient_row").set_value(40).run()
    reading = at.number_input(key=EF).value
    open_page("tree", at)
    at.button(key="undo").click().run()
    open_page("patient", at)
    assert at.number_input(key="patient_row").value == 40
    assert at.number_input(key=EF).value == reading != 77.0


def test_another_way_to_read_the_file_forgets_the_patient():
    at = open_page("patient", upload(lacking()))
    at.number_input(key="patient_row").set_value(9).run()
    at.number_input(key="field_bmi").set_value(500.0).run()
    open_page("data", at)
    at.text_input(key="fact_missing").set_value("-").run()
    held = at.session_state["penumbra_choices"]
    assert (held.row, held.typed) == (-1, {})


def test_only_what_the_tree_asks_of_the_patient_is_asked_for():
    at = open_page("patient")
    at.number_input(key="patient_row").set_value(10).run()
    sound(at)
    found, model, _ = model_and_readings(at)
    tree = found.model.tree_
    case = model.case(found.data.X.iloc[9])
    asked = {tree.variables[j] for j in tree.variable if j >= 0}
    assert case.missing
    assert not asked & set(case.missing)
    assert "Missing:" not in text(at)
    assert "Measure what is missing" not in text(at)


def test_a_patient_shared_among_leaves_is_not_told_of_one_leaf_alone():
    at = open_page("patient")
    at.number_input(key=EF).set_value(None).run()
    sound(at)
    _, model, fields = model_and_readings(at)
    at.toggle(key="show_rest").set_value(True).run()
    _, model, fields = model_and_readings(at)
    shares = model.shares(one_row(fields, model.schema_))[0]
    among = int((shares >= 0.005).sum())
    assert among > 1
    shown = text(at)
    assert f"Shared among {count(among)} leaves; the largest share, " in shown
    assert f"is in leaf {int(np.argmax(shares)) + 1}, where" in shown
    assert "In the leaf reached" not in shown


def test_a_missing_reading_is_not_called_measurement_error():
    at = open_page("patient")
    at.number_input(key=EF).set_value(None).run()
    shown = text(at)
    assert "plausible true states (measurement error and the missing Ejection fraction)" in shown
    assert "measurement error only" not in shown
    assert "range from measurement error and the missing Ejection fraction only" in shown
    assert heading(at).endswith("Measure first: Ejection fraction.") or not heading(at).startswith("No answer")
    open_page("noise", at)
    at.slider(key="factor").set_value(0.0).run()
    open_page("patient", at)
    shown = text(at)
    assert "measurement error plays no part" not in shown
    assert "plausible true states (the missing Ejection fraction)" in shown


@pytest.mark.parametrize(
    ("reading", "said"),
    [(330.0, "330 % cannot be"), (-5.0, "−5 % cannot be"), (0.0, "0 may mean missing"), (99.0, "lies outside the")],
)
def test_a_reading_that_cannot_be_or_that_nobody_had_is_said_first(reading, said):
    at = open_page("patient")
    assert not at.warning
    at.number_input(key=EF).set_value(reading).run()
    sound(at)
    assert any(said in each.value.replace("\\", "") for each in at.warning)


def test_a_probability_against_tau_names_its_class():
    at = open_page("patient")
    seen = set()
    for row in range(1, 60):
        at.number_input(key="patient_row").set_value(row).run()
        if heading(at).startswith("No answer"):
            best = re.search(r"best class (\w+), ([\d.]+) <", heading(at))
            p = float(re.search(r"P\(yes\) (\d\.\d+)", text(at))[1])
            assert float(best[2]) == pytest.approx(p if best[1] == "yes" else 1 - p, abs=0.006)
            assert f"This patient is answered, with {best[1]}, up to" in text(at)
            seen.add(best[1])
        if len(seen) == 2:
            break
    assert seen == {"yes", "no"}


def test_the_nearest_exact_change_is_counted_in_sd_and_whole_numbers_stay_whole():
    rows = [
        f"{i % 4},{(i * 37 % 101) * 100}.5,{'x' if (i % 4 >= 2) != (i * 37 % 101 > 60) else 'y'}" for i in range(200)
    ]
    at = upload("\n".join(["count,wide,class", *rows]).encode())
    open_page("patient", at)
    at.number_input(key="patient_row").set_value(102).run()
    sound(at)
    found, model, _ = model_and_readings(at)
    case = model.case(found.data.X.iloc[101])
    change = case.nearest_change["count"]
    assert change is not None
    assert change % 1
    keys = [each.value.replace("\\", "") for each in at.markdown]
    assert {"+1", "−1"} & set(keys)


@pytest.mark.filterwarnings("ignore:.*encountered")
def test_readings_at_the_end_of_the_floats_leave_every_page_standing():
    rows = "".join(f"{'-' if i % 2 else ''}1.{i % 5}e308,{i % 7},{'xy'[i % 2]}\n" for i in range(60))
    at = upload(f"huge,v,class\n{rows}".encode())
    for page in ("data", "noise", "tree", "patient"):
        whole(open_page(page, at))
        assert not any("unforeseen" in each.value for each in at.error)


@pytest.mark.filterwarnings("ignore:.*encountered")
def test_a_vanishing_sigma_draws():
    at = open_page("noise", upload(clinic()))
    at.selectbox(key="form_Glucose (mg/dL)").select("sd").run()
    at.number_input(key="value_Glucose (mg/dL)").set_value(1e-320).run()
    for page in ("noise", "tree", "patient"):
        whole(open_page(page, at))
        assert not any("unforeseen" in each.value for each in at.error)


def test_the_last_tau_that_is_said_to_answer_does():
    at = open_page("patient")
    at.number_input(key=EF).set_value(70.0).run()
    last = float(re.search(r"is answered, with no, up to τ ([\d.]+\d)", text(at))[1])
    at.slider(key="tau").set_value(last).run()
    assert heading(at) == "Worse within a year: no"
    at.slider(key="tau").set_value(round(last + 0.01, 2)).run()
    assert heading(at).startswith("No answer")


def test_what_is_missing_is_measured_before_anything_is_repeated():
    at = open_page("patient")
    assert "### Repeat first: Ejection fraction" in text(at)
    at.number_input(key="field_NT-proBNP").set_value(None).run()
    sound(at)
    assert heading(at).endswith("Measure first: NT-proBNP.")
    assert "### Then repeat: Ejection fraction" in text(at)
    assert "Repeat first" not in text(at)


def test_a_laplace_leaf_says_why_its_p_is_not_the_share_it_prints():
    at = open_page("patient")
    assert "Laplace" not in text(at)
    at.session_state["penumbra_choices"].axes |= {"leaf": "laplace"}
    at.run()
    sound(at)
    assert "P itself counts one more patient of each class (Laplace)" in text(at)



def test_the_certainty_of_the_repeat_card_says_how_it_is_read():
    at = open_page("patient")
    assert "expected certainty, with" in text(at)
    at.session_state["penumbra_choices"].axes |= {"evaluation": "soft"}
    at.run()
    sound(at)
    assert "expected certainty by exact thresholds, with" in text(at)  # beside a figure that is not
