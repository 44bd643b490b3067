"""The Model facts page: what is known is filled in, what only the reader knows is asked for, nothing is invented.

In: bundled examples, typed statements. Out: what the page and its paper say, beside the engine.
"""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pytest
from screens import clinic, open_page, paper, sound, text, upload, validate, whole

from engine.comparison import compare
from engine.held_out import grow_folds, held_out
from engine.model_facts import label_counts, software_version
from engine.number_words import plain
from engine.study import cross_validate
from pages.shared import facts_words
from pages.shared.words import part


def rows(at) -> dict[str, tuple[str, str]]:
    """Return the performance table: {measure: (value, interval)}."""
    table = at.dataframe[0].value
    return {row["Measure"]: (row["Value"], row["95 % interval"]) for _, row in table.iterrows()}


def test_a_cold_link_says_what_is_known_and_states_nothing_else():
    at = open_page("facts")
    sound(at)
    shown = text(at)
    for label in ("Target population", "Time of prediction", "Training data, place and period", "Contact"):
        assert f"**{label}:** not stated" in shown
    assert "**Fairness:** not assessed" in shown
    assert "249 no and 151 yes; none open, partial or unlabelled" in shown
    assert "Creatinine 12" in shown
    assert "invented patients" in shown
    assert facts_words.UNTRIED in shown
    assert f"Penumbra {software_version()} on {date.today().isoformat()}" in shown
    assert facts_words.NOT_FOR in shown
    assert "(Thavendiranathan" in paper(at)
    assert software_version() == "0.1.0" or re.fullmatch(r"\d+\.\d+\.\d+\S*", software_version())


def test_the_buttons_of_tree_and_patient_lead_there():
    for name in ("tree", "patient"):
        at = open_page(name)
        at.button(key="to_facts").click().run()
        sound(at)
        assert any(each.label == facts_words.ONLY_YOU for each in at.expander)


def test_what_the_reader_states_is_printed_as_written_and_can_be_undone():
    at = open_page("facts")
    at.text_input(key="stated_locale").set_value("Ward <b>7</b> & *9*").run()
    at.text_input(key="stated_groups").set_value("Men and women alike.").run()
    sound(at)
    assert "Locale: Ward <b>7</b> & *9*." in text(at)
    assert "Ward &lt;b&gt;7&lt;/b&gt; &amp; *9*" in paper(at)
    assert "as stated: Men and women alike." in text(at)
    open_page("tree", at)
    open_page("facts", at)
    assert at.text_input(key="stated_locale").value == "Ward <b>7</b> & *9*"
    at.selectbox(key="data_set").set_value("screening").run()
    assert "Locale: not stated" in text(at)  # what was said of other data does not go with these


def test_the_figures_are_the_studys():
    at = open_page("facts")
    validate(at)
    sound(at)
    found = list(at.session_state["penumbra_kept"]["fitted"].values())[-1]
    model = list(at.session_state["penumbra_kept"]["decided"].values())[-1]
    study = cross_validate(found.data.X, found.data.y, {"it": model}, 5, 5)
    wanted = compare(study).figures["it"]
    shown = rows(at)
    for label, name in (("Right of answered", "answered_accuracy"), ("Balanced accuracy", "balanced_accuracy")):
        low, high = wanted[name].interval
        assert shown[label] == (part(wanted[name].value, 1), f"{part(low, 1)} to {part(high, 1)}")
    for label, name in (("AUC", "auc"), ("Brier score (0 to 2)", "brier"), ("Calibration error", "calibration_error")):
        low, high = wanted[name].interval
        assert shown[label] == (plain(wanted[name].value, 3), f"{plain(low, 3)} to {plain(high, 3)}")
    silent, (low, high) = wanted["abstention_rate"].value, wanted["abstention_rate"].interval
    assert shown["Answered"] == (part(1 - silent, 1), f"{part(1 - high, 1)} to {part(1 - low, 1)}")
    rate = np.mean([label == "yes" for label in found.data.y])
    assert shown["Brier of the base rate"] == (plain(2 * rate * (1 - rate), 3), "")
    for value, interval in shown.values():
        assert value in paper(at)
        assert interval in paper(at)
    once = held_out(grow_folds(model, found.data.X, found.data.y), found.data.X, found.data.y)
    assert abs(once.right / once.answered - wanted["answered_accuracy"].value) < 0.05  # the Tree page's own figure


def test_the_report_tells_of_the_figures_once_there_are_some():
    at = open_page("patient")
    assert facts_words.UNTRIED_ELSEWHERE in paper(at)
    open_page("facts", at)
    validate(at)
    (answered, first), (right, second) = rows(at)["Answered"], rows(at)["Right of answered"]
    open_page("patient", at)
    sound(at)
    assert f"answered {answered} ({first}), right of answered {right} ({second}); 5-fold" in paper(at)


def test_another_tau_is_put_on_the_same_trees():
    at = open_page("facts")
    validate(at)
    before = rows(at)
    at.session_state["penumbra_choices"].axes |= {"tau": 0.95}
    at.run()
    sound(at)
    after = rows(at)
    assert int(after["Answered"][0].split()[0]) < int(before["Answered"][0].split()[0])
    assert after["AUC"] == before["AUC"]


def test_open_labels_are_counted_apart_and_their_handling_is_said():
    at = open_page("facts")
    at.selectbox(key="data_set").set_value("sf12_registry").run()
    sound(at)
    data = list(at.session_state["penumbra_kept"]["fitted"].values())[-1].data
    counted = label_counts(data.y, data.classes)
    assert counted.none > 0
    assert counted.n == len(data.y)
    assert f"{counted.none} with none known" in text(at)
    assert "counts evenly for each class it leaves possible" in text(at)
    validate(at)
    assert f"on {counted.one} patients with one known class" in text(at)


@pytest.mark.parametrize(
    "axes", [{"decision": "cost", "abstain_cost": 0.2}, {"decision": "set"}, {"leaf": "naive_bayes"}]
)
def test_any_decision_and_leaf_can_be_tried(axes):
    at = open_page("facts")
    at.session_state["penumbra_choices"].axes = {"max_depth": 2, **axes}
    at.run()
    validate(at)
    sound(at)
    assert len(rows(at)) == 8
    assert ("costs: truly no answered yes 1" in text(at)) == ("abstain_cost" in axes)


def test_the_tree_page_repeats_the_figures_of_the_model_facts():
    at = open_page("facts")
    at.session_state["penumbra_choices"].axes = {"max_depth": 2}
    at.run()
    validate(at)
    open_page("tree", at)
    sound(at)
    said = next(each.value for each in at.caption if "right of answered" in each.value)
    assert "5-fold cross-validation, 5 repeats, 95 % intervals in brackets." in said.replace("\\", "")
    assert not any(button.key == "leave_out" for button in at.button)


def test_too_few_patients_are_told_in_a_sentence():
    at = open_page("facts")
    at.selectbox(key="data_set").set_value("four_noisy_points").run()
    at.button(key="validate").click().run()
    whole(at)
    assert [each.value.replace("\\", "") for each in at.error] == [
        "4 patients are too few for 5 folds; 5 or more are needed."
    ]


def test_a_file_without_any_sigma_says_that_all_is_exact():
    at = upload(clinic())
    open_page("facts", at)
    sound(at)
    assert "Every variable is taken as exact" in text(at)
    assert "**Input data source:** not stated" in text(at)
    assert paper(at).count("<span>exact</span>") == 3


def test_a_measured_outcome_is_told_with_its_cut():
    random = np.random.default_rng(4)
    lines = [f"{a:.1f},{a + b:.2f}" for a, b in zip(random.normal(50, 9, 90), random.normal(0, 4, 90), strict=True)]
    at = upload(("before,after (points)\n" + "\n".join(lines)).encode())
    held = at.session_state["penumbra_choices"]
    held.roles, held.cuts = {"after (points)": "target"}, {"after (points)": (48.0, 52.0)}
    open_page("facts", at)
    sound(at)
    assert "low below and high above its cut at 48 and 52 points, open on or between" in text(at)


def test_the_page_does_not_send_its_reader_to_itself():
    at = open_page("facts")
    assert "Model facts page" not in text(at)
    assert "Model facts page" not in paper(at)


def test_every_source_is_read_in_full():
    at = open_page("facts")
    sound(at)
    table = at.table[0].value
    told = dict(zip(table["Name"], table["Source"], strict=True))
    assert "J Am Coll Cardiol 2013;61:77" in told["Ejection fraction"].replace("\\", "")
