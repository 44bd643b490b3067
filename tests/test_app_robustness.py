"""The Robustness page: both noise experiments as work of their own, their figures beside the engine, levels, files.

In: clicks and small data. Out: what the page says, beside what the engine answers.
"""

from __future__ import annotations

import pytest
from screens import clinic, heading, open_page, sound, text, upload
from test_app_compare import models, svgs, wait

from engine.comparison import by_level
from engine.draw.study_charts import Curve
from engine.draw.variant_marks import Lettered
from engine.number_words import plain
from engine.study import robustness
from pages.shared import compare_words, study_file
from pages.shared.noise_study_view import BAD_LEVELS, file_rows, read_levels


def tried(at, folds=2, levels="0, 0.3"):
    at.selectbox(key="choose_folds").set_value(folds).run()
    at.text_input(key="levels").set_value(levels).run()
    at.button(key="start_noise").click().run()
    wait(at, "training")
    return wait(at, "test")


def test_a_cold_link_asks_and_offers_one_button():
    at = open_page("robustness")
    sound(at)
    assert heading(at) == "How much noise do the trees bear?"
    assert text(at).count("Not tried yet.") == 2


@pytest.mark.parametrize("where", ["training", "test"])
def test_both_experiments_are_the_engines(where):
    at = tried(open_page("robustness"))
    sound(at)
    open_page("compare", at)
    both, data = models(at)
    open_page("robustness", at)
    found = by_level(robustness(data.X, data.y, both, [0.0, 0.3], where, 2))
    table = at.dataframe[0 if where == "training" else 1].value
    rows = {(row["variant"], row["noise"]): row for _, row in table.iterrows()}
    assert len(rows) == 4
    for letter, name in zip("AB", both, strict=True):
        for level in (0.0, 0.3):
            figure, leaves = found["accuracy"][name][level], found["leaves"][name][level]
            low, high = figure.interval
            row = rows[letter, f"{level:g}"]
            ends = f"{plain(100 * low, 1)} to {plain(100 * high, 1)}"
            assert row["Accuracy, %"] == f"{plain(100 * figure.value, 1)} ({ends})"
            assert row["Leaves"].startswith(plain(leaves.value, 1))
        lost = 100 * (found["accuracy"][name][0.0].value - found["accuracy"][name][0.3].value)
        assert f"{letter} {plain(lost, 1)}" in text(at)
        start = f"{100 * found['accuracy'][name][0.0].value:.4g} % at 0"
        assert any(f"{letter} {name}: {start}" in label for label in svgs(at) if where in label)


def test_an_unfinished_run_says_of_how_many_folds_it_is_and_that_it_is_not_to_be_cited():
    at = tried(open_page("robustness"))
    assert compare_words.SO_FAR not in text(at)
    assert "folds" not in at.dataframe[0].value.columns
    job = at.session_state["penumbra_jobs"].of("training")
    whole = job.study
    job.study = whole.with_results([r for r in whole.results if r.split == 0 or (r.model, r.level) == ("C4.5", 0.0)])
    at.run()
    sound(at)
    assert text(at).count(f"5 of 8 trees. {compare_words.SO_FAR}") == 1
    rows = {(row["variant"], row["noise"]): row["folds"] for _, row in at.dataframe[0].value.iterrows()}
    assert rows == {("A", "0"): "2 of 2", ("A", "0.3"): "1 of 2", ("B", "0"): "1 of 2", ("B", "0.3"): "1 of 2"}
    assert "folds" not in at.dataframe[1].value.columns
    curves = [Curve(Lettered(0, "C4.5"), (0.0, 0.3), (0.7, 0.6))]
    filed = file_rows("training", job.study, "accuracy", curves)
    assert [(row["noise"], row["mean"], row["folds"], row["folds planned"]) for row in filed] == [
        (0.0, 0.7, 2, 2), (0.3, 0.6, 1, 2),
    ]  # fmt: skip
    job.study = whole


def test_levels_are_read_or_refused():
    assert read_levels("0, 0.1,0.2") == (0.0, 0.1, 0.2)
    assert read_levels("0.2; 0 0.2") == (0.0, 0.2)
    for bad in ("", "much", "-1", "0, 99", "nan", "inf"):
        assert read_levels(bad) is None
    at = open_page("robustness")
    at.text_input(key="levels").set_value("a lot").run()
    assert at.error[0].value == BAD_LEVELS
    assert at.session_state["penumbra_choices"].comparing.levels[0] == 0.0
    at.text_input(key="levels").set_value("0, 0.5").run()
    sound(at)


def test_one_variant_alone_can_be_tried_and_another_level_does_the_rest_alone():
    at = open_page("robustness")
    at.checkbox(key="noisy_0").uncheck().run()
    assert at.checkbox(key="noisy_1").disabled
    tried(at)
    own = at.session_state["penumbra_jobs"]
    assert list(own.of("test").study.models) == ["SS+STP"]
    before = own.of("test").study.results
    at.text_input(key="levels").set_value("0, 0.3, 0.6").run()
    sound(at)
    at.button(key="start_noise").click().run()
    wait(at, "training")
    wait(at, "test")
    after = own.of("test").study
    assert after.levels == (0.0, 0.3, 0.6)
    assert all(result in after.results for result in before)


def test_a_saved_experiment_is_opened_again():
    at = tried(open_page("robustness"))
    study = at.session_state["penumbra_jobs"].of("test").study
    saved = study_file.to_json("test", at.session_state["penumbra_choices"].comparing, 0.7, study)
    fresh = open_page("robustness")
    fresh.file_uploader(key="study_file").upload("test.json", saved.encode(), "application/json").run()
    fresh.button(key="open_study").click().run()
    sound(fresh)
    assert fresh.session_state["penumbra_jobs"].of("test").study.complete
    assert heading(fresh) == "What noise costs"


def test_a_file_of_ones_own_without_any_sigma_is_tried_too():
    at = upload(clinic())
    open_page("robustness", at)
    tried(at)
    sound(at)
    assert heading(at) == "What noise costs"
