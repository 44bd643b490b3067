"""The Patient page: its figures are the engine's, what-if, missing readings, nothing kept or linked.

In: rows and typed readings. Out: what the page says, beside `model.case`.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from screens import clinic, heading, open_page, sound, text, upload

from engine.borderline import distances, near_share
from engine.neighbours import neighbours
from engine.number_words import probability_text
from engine.route import reach
from engine.why import why

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
    assert heading(at).startswith("No answer: 0.9")
    assert "< τ 1.00" in heading(at)


def test_a_percentage_changes_by_points_and_names_stand_apart_from_the_sentence():
    at = open_page("patient")
    at.number_input(key=EF).set_value(33.0).run()
    shown = text(at)
    assert "percentage points" in shown
    assert "“Ejection fraction” truly anywhere around 33 (± 5 points, 1 SD)" in shown
    assert not re.search(r"[+−±] ?[\d.]+\s*%", shown)
    assert heading(at).endswith("Repeat first: Ejection fraction.")


def test_every_evaluation_is_named_and_the_words_about_risk_stand():
    at = open_page("patient")
    shown = text(at)
    assert "This is not the chance of disease." in shown
    assert "Three ways to evaluate" in shown
    assert any("errors as independent" in (each.help or "") for each in at.markdown)


def test_with_everything_exact_it_says_so():
    at = upload(clinic())
    open_page("patient", at)
    sound(at)
    assert "measurement error plays no part" in text(at)


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
