"""The Compare page: variants, figures beside the engine, τ without a fit, a saved comparison, the way to Patient.

In: clicks and small data. Out: what the page says, beside what the engine answers.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest
from screens import clinic, heading, open_page, sound, text, upload, whole

from engine import variant
from engine.comparison import Comparison, Pair, compare
from engine.contrast import answer_matrix, split_differences
from engine.decide import Rule
from engine.draw.figure_table import COLUMNS, cell
from engine.errors import PenumbraError
from engine.metrics import answer_table
from engine.noise_table import to_noise
from engine.study import cross_validate
from pages.shared import compare_controls, compare_words, study_file
from pages.shared.choices import Compared, Comparing


def svgs(at):
    """Return the pictures on a page, by their labels."""
    found, waiting = {}, [at.main]
    while waiting:
        block = waiting.pop(0)
        proto = getattr(block, "proto", None)
        if getattr(proto, "component_name", "") in ("penumbra_picture", "penumbra_cells", "penumbra_trees"):
            data = json.loads(proto.json)
            for svg in [data["svg"]] if "svg" in data else [tree["svg"] for tree in data["trees"]]:
                found[svg.partition('aria-label="')[2].partition('"')[0]] = svg
        waiting += getattr(block, "children", {}).values()
    return found


def told(at, start):
    return next(label for label in svgs(at) if label.startswith(start))


def choose_cell(at, one, other):
    """Choose a cell of the matrix, as a press in the picture does."""
    now = at.session_state["penumbra_choices"]
    now.comparing = replace(now.comparing, cell=(one, other))
    return at.run()


def set_folds(at, folds=2, repeats=1):
    at.selectbox(key="choose_repeats").set_value(repeats).run()
    return at.selectbox(key="choose_folds").set_value(folds).run()


def wait(at, kind="compare"):
    """Wait for work to end, then draw the page anew."""
    job = at.session_state["penumbra_jobs"].of(kind)
    end = time.monotonic() + 120
    while job.active:
        assert time.monotonic() < end
        time.sleep(0.02)
    return at.run()


def compared(at=None, folds=2, repeats=1):
    at = set_folds(at or open_page("compare"), folds, repeats)
    at.button(key="compare").click().run()
    return wait(at)


def grown(at):
    """Return the data and the two trees that stand side by side at first."""
    found = list(at.session_state["penumbra_kept"]["fitted"].values())
    return found[0].data, found


def models(at, names=("C4.5", "SS+STP")):
    """Return the models of named variants in the first size, and the data."""
    data = grown(at)[0]
    size = {"pruning": "none", "max_depth": 3, "min_weight_leaf": 20}
    return {name: variant(name, noise=to_noise(data.sigma), **size) for name in names}, data


def test_a_cold_link_shows_two_trees_and_one_button():
    at = open_page("compare")
    sound(at)
    assert heading(at) == "Two different trees side by side"
    assert compare_words.UNTRIED in text(at)
    assert [each.key for each in at.button if each.key == "compare"]
    both, data = models(at)
    a, b = (model.fit(data.X, data.y) for model in both.values())
    found = split_differences(a.tree_, b.tree_, grown(at)[1][0].values)
    assert told(at, "Tree B") == f"Tree B, SS+STP: {compare_words.split_words(found)}"


def test_the_table_is_the_studys():
    at = compared(folds=2, repeats=2)
    sound(at)
    both, data = models(at)
    study = cross_validate(data.X, data.y, both, 2, 2)
    found = compare(study.with_rule(Rule("tau", tau=0.7)), positive=data.positive)
    rows = {(row["variant"], row["measure"]): row for _, row in at.dataframe[0].value.iterrows()}
    assert len(rows) == 2 * len(COLUMNS)
    for letter, name in zip("AB", both, strict=True):
        for column in COLUMNS:
            if column.figure == "fit_seconds":
                continue
            wanted = cell(found, name, "C4.5", column, dict.fromkeys(both, False))
            row = rows[f"{letter} {name}", f"{column.title} ({column.under})"]
            shown = row["value"], row["95 % interval"], row["against A"]
            assert shown == (wanted.value, wanted.interval, wanted.test)
    plane = told(at, "Accuracy when some are not answered")
    silent = found.figures["SS+STP"]["abstention_rate"].value
    assert f"B SS+STP answers {100 * (1 - silent):.0f} %" in plane
    answered = told(at, "Answers by true class")
    first = [r for r in study.with_rule(Rule("tau", tau=0.7)).of("C4.5") if r.repeat == 0]
    truth = [study.truth[row] for r in first for row in r.rows]
    counts = answer_table(truth, [answer for r in first for answer in r.answers], study.classes)
    parts = ", ".join(f"{head} {n}" for head, n in zip([*study.classes, "no answer"], counts[0], strict=True))
    assert f"A, truly {study.classes[0]} ({counts[0].sum()}): {parts}" in answered


def test_a_first_run_shows_its_table_once_every_variant_has_a_fold():
    at = compared(folds=5)
    job = at.session_state["penumbra_jobs"].of("compare")
    whole = job.study

    def at_work(*results):
        job.state, job.study = "running", whole.with_results(results)
        at.run()
        sound(at)
        return any(label.startswith("Figures with 95") for label in svgs(at))

    first = [r for r in whole.results if r.split < 1]
    assert not at_work(first[0])
    assert at_work(*first)
    assert compare_words.SO_FAR in text(at)
    table = next(svg for label, svg in svgs(at).items() if label.startswith("Figures with 95"))
    assert table.count("1 of 5 folds") == 2
    row = at.dataframe[0].value.iloc[0]
    assert row["value"] == COLUMNS[0].write(compare(whole.with_results(first)).figures["C4.5"]["accuracy"].value)
    reference_done = [r for r in whole.results if r.model == "C4.5" or r.split < 1]
    assert at_work(*reference_done)  # one is whole, and another goes on: only what is whole is shown
    assert len(at.dataframe[0].value) == len(COLUMNS)
    assert compare_words.SO_FAR not in text(at)
    job.state, job.study = "done", whole


def test_tau_moves_everything_and_grows_nothing():
    at = compared()
    before = svgs(at)
    study = at.session_state["penumbra_jobs"].of("compare").study
    fitted = dict(at.session_state["penumbra_kept"]["fitted"])
    at.slider(key="compare_tau").set_value(0.9).run()
    sound(at)
    assert at.session_state["penumbra_jobs"].of("compare").study is study
    assert dict(at.session_state["penumbra_kept"]["fitted"]) == fitted
    for start in ("Tree A", "Figures with 95", "Accuracy when", "Stated P", "Answers by"):
        old = {svg for label, svg in before.items() if label.startswith(start)}
        new = {svg for label, svg in svgs(at).items() if label.startswith(start)}
        assert old != new, start
    assert "At τ 0.90" in text(at)
    assert at.session_state["penumbra_choices"].axes["tau"] == 0.9


def test_the_matrix_counts_the_trees_answers_and_leads_to_a_patient_and_back():
    at = open_page("compare")
    both, data = models(at)
    said = [list(m.fit(data.X, data.y).with_decision(decision="tau", tau=0.7).decide(data.X)) for m in both.values()]
    shown = [*data.classes, None]
    counts, names = answer_matrix(*said, shown), [*data.classes, "abstains"]
    cells = svgs(at)[told(at, "Answers of A C4.5 by rows")]
    for row in range(3):
        for column in range(3):
            n = counts[row, column]
            label = f"A {names[row]}, B {names[column]}: {n:,} patient"
            assert (f'data-cell="{row} {column}" aria-pressed="false" aria-label="{label}' in cells) == bool(n)
    row, column = next((i, j) for i in range(3) for j in range(3) if i != j and counts[i, j])
    choose_cell(at, names[row], names[column])
    sound(at)
    assert f'data-cell="{row} {column}" aria-pressed="true"' in svgs(at)[told(at, "Answers of A C4.5 by rows")]
    rows = [k for k, pair in enumerate(zip(*said, strict=True)) if pair == (shown[row], shown[column])]
    assert f"{counts[row, column]} patient" in text(at)
    assert f"row {data.lines[rows[0]] + 1}, " in text(at)
    before = at.session_state["penumbra_choices"].axes
    at.button(key="open_A_0").click().run()
    sound(at)
    now = at.session_state["penumbra_choices"]
    assert (now.variant, now.row) == ("C4.5", data.lines[rows[0]])
    assert now.axes["decision"] == "tau"
    assert "This is A C4.5, opened from Compare" in text(at)
    assert at.number_input(key="patient_row").value == data.lines[rows[0]] + 1
    open_page("compare", at)
    sound(at)
    assert (now.variant, now.axes) == ("SS+STP", before)
    assert "opened from Compare" not in text(at)


def test_the_one_opened_can_be_kept():
    at = open_page("compare")
    name = grown(at)[0].classes[0]
    choose_cell(at, name, name)
    at.button(key="open_A_0").click().run()
    at.button(key="keep_compared").click().run()
    open_page("compare", at)
    assert at.session_state["penumbra_choices"].variant == "C4.5"


def test_variants_come_and_go_and_what_is_done_stays_done():
    at = compared()
    at.button(key="add=Ternary-margin").click().run()
    sound(at)
    assert "Ternary-margin" in told(at, "Tree C")
    job = at.session_state["penumbra_jobs"].of("compare")
    first = {r.place: r for r in job.study.results}
    at.button(key="compare").click().run()
    wait(at)
    sound(at)
    study = at.session_state["penumbra_jobs"].of("compare").study
    assert list(study.models) == ["C4.5", "SS+STP", "Ternary-margin"]
    assert all(result in study.results for result in first.values())
    plane = told(at, "Accuracy when some")
    found = compare(study, ["undecided_rate", "decided_accuracy"]).figures["Ternary-margin"]
    assert f"by its zones {100 * (1 - found['undecided_rate'].value):.0f} %" in plane
    at.button(key="drop_0").click().run()
    sound(at)
    assert "SS+STP" in told(at, "Tree A")


def test_the_tree_pages_settings_become_a_letter_that_stays():
    at = open_page("tree")
    at.number_input(key="set_max_depth").set_value(2).run()
    open_page("compare", at)
    at.button(key="keep_tree").click().run()
    sound(at)
    assert "SS+STP, kept" in told(at, "Tree C")
    open_page("tree", at)
    at.number_input(key="set_max_depth").set_value(4).run()
    open_page("compare", at)
    kept = at.session_state["penumbra_choices"].comparing.variants[2]
    assert kept.changes["max_depth"] == 2
    at.number_input(key="common_depth").set_value(1).run()
    sound(at)
    assert "Tree A" in told(at, "Tree A")
    at.selectbox(key="reference").set_value(2).run()
    sound(at)
    assert "SS+STP, kept" in told(at, "Tree A")


@pytest.mark.parametrize("what", ["sigma", "confidence"])
def test_sweeps_are_the_studys_of_the_values(what):
    at = set_folds(open_page("compare"))
    at.selectbox(key="common_pruning").set_value("named").run()
    now = at.session_state["penumbra_choices"]
    now.comparing = replace(now.comparing, sweep=what)
    at.run()
    at.button(key="start_sweep").click().run()
    wait(at, "sweep")
    sound(at)
    table = next(each.value for each in at.dataframe if compare_words.SWEEPS[what] in each.value.columns)
    both, data = models(at)
    step = 2.0 if what == "sigma" else 0.05
    model = both["SS+STP"].set_params(pruning="pessimistic")
    if what == "sigma":
        model.set_params(u_s=step, u_p=step, u_e=step)
    else:
        model.set_params(confidence=step)
    figure = compare(cross_validate(data.X, data.y, {"it": model}, 2), ["accuracy"]).figures["it"]["accuracy"]
    own = table[(table["variant"] == "B SS+STP") & (table["figure"] == "Accuracy, all patients")]
    row = own[own[compare_words.SWEEPS[what]] == step].iloc[0]
    assert row["value"] == pytest.approx(figure.value)
    assert (row["95 % from"], row["95 % to"]) == pytest.approx(figure.interval)


def test_a_comparison_cut_short_is_saved_opened_and_goes_on():
    at = set_folds(open_page("compare"), 5, 2)
    at.button(key="compare").click().run()
    own = at.session_state["penumbra_jobs"]
    while own.of("compare").study is None or own.of("compare").study.n_done < 6:
        time.sleep(0.01)
    own.cancel("compare")
    wait(at)
    sound(at)
    part = own.of("compare").study
    assert 6 <= part.n_done < part.n_total
    assert f"cancelled after {own.of('compare').folds[0]} of 10 folds" in text(at)
    saved = study_file.to_json("compare", at.session_state["penumbra_choices"].comparing, 0.8, part)
    assert "Ejection fraction" not in saved

    fresh = open_page("compare")
    fresh.file_uploader(key="study_file").upload("compare.json", saved.encode(), "application/json").run()
    fresh.button(key="open_study").click().run()
    sound(fresh)
    held = fresh.session_state["penumbra_jobs"].of("compare").study
    assert held.n_done == part.n_done
    assert "At τ 0.80" in text(fresh)
    fresh.button(key="compare").click().run()
    wait(fresh)
    done = fresh.session_state["penumbra_jobs"].of("compare").study
    both, data = models(fresh)
    straight = cross_validate(data.X, data.y, both, 5, 2)
    assert done.complete
    for a, b in zip(done.results, straight.results, strict=True):
        np.testing.assert_array_equal(a.probability, b.probability)


def test_a_file_of_other_patients_is_refused_in_a_sentence():
    at = compared()
    comparing = at.session_state["penumbra_choices"].comparing
    study = at.session_state["penumbra_jobs"].of("compare").study
    saved = study_file.to_json("compare", comparing, 0.7, study)
    other = upload(clinic())
    open_page("compare", other)
    other.file_uploader(key="study_file").upload("compare.json", saved.encode(), "application/json").run()
    other.button(key="open_study").click().run()
    whole(other)
    assert "of other patients" in other.error[0].value
    assert other.session_state["penumbra_choices"].comparing == Comparing()


@pytest.mark.parametrize("bad", [
    b"", b"[]", b"{}", b'{"format": "penumbra-comparison"}', b"\xff\xfe",
    b'{"format": "penumbra-comparison", "version": 2}',
])  # fmt: skip
def test_what_is_no_saved_comparison_is_refused(bad):
    with pytest.raises(PenumbraError):
        study_file.from_json(bad)


def altered(**changes):
    held = json.loads(study_file.to_json("compare", Comparing(), 0.7, None))
    return json.dumps(held | changes).encode()


def test_a_file_is_checked_part_by_part():
    assert study_file.from_json(altered()).comparing.variants == Comparing().variants
    good = {"name": "CART", "changes": {"max_depth": 3, "u_s": 2.0}, "kept": True}
    assert study_file.from_json(altered(variants=[good])).comparing.variants == (
        Compared("CART", {"max_depth": 3, "u_s": 2.0}, True),
    )
    for bad in (
        {"variants": []}, {"variants": [good | {"name": "Oak"}]}, {"variants": [good | {"changes": {"noise": 1}}]},
        {"variants": [good | {"changes": {"max_depth": "deep"}}]}, {"variants": [good | {"changes": {"u_s": -1}}]},
        {"variants": [good | {"changes": {"evaluation": "zone"}}]}, {"folds": 1}, {"seed": 0.5}, {"tau": 2},
        {"levels": [-1]}, {"levels": [11]}, {"kind": "other"}, {"version": "1" * 999},
        {"size": {"search": "soft"}}, {"size": {"max_depth": 99}}, {"size": {"min_weight_leaf": 1e308}},
        {"variants": [good | {"changes": {"n_points": 10**9}}]},
        {"variants": [good | {"changes": {"resolution": 1e-9}}]},
        {"study": {}}, {"variants": [good] * 40},
    ):  # fmt: skip
        with pytest.raises(PenumbraError):
            study_file.from_json(altered(**bad))


def test_levels_of_a_file_rise_and_stand_once_each():
    assert study_file.from_json(altered(levels=[0.2, 0, 0.2])).comparing.levels == (0.0, 0.2)


@pytest.mark.parametrize(("low", "high", "said"), [
    (0.01, 0.03, "B is right more often than A"), (-0.01, 0.05, "Two different trees, no sure difference in accuracy"),
])  # fmt: skip
def test_a_variant_is_called_better_only_when_p_and_the_interval_agree(low, high, said):
    pair = Pair("accuracy", "A", "B", (-0.02,), -0.02, (-high, -low), 0.001, 0.001)
    found = Comparison({}, (pair,), {})
    assert compare_words.finding(2, 0, found, {"A": "A", "B": "B"}) == said
    assert "No variant" in compare_words.finding(0, 0, None, {})


def test_text_from_data_stays_text():
    content = clinic().replace(b"sick", b"<img src=x>").replace(b"Glucose (mg/dL)", b"<b>Glucose</b>")
    at = upload(content)
    open_page("compare", at)
    sound(at)
    compared(at)
    sound(at)
    for svg in svgs(at).values():
        assert "<img" not in svg
        assert "<b>Glucose" not in svg
    for each in at.markdown:
        assert "<img" not in each.value.replace("\\<img", "")


def test_a_variant_that_these_data_do_not_allow_is_said_and_the_others_stand():
    at = open_page("compare")
    at.selectbox(key="data_set").set_value("sf12_registry").run()
    whole(at)
    assert heading(at)
    if at.warning:
        assert "cannot be grown here" in at.warning[0].value.replace("\\", "")


def test_a_line_follows_to_every_page_and_says_how_it_ended():
    at = set_folds(open_page("compare"), 5, 5)
    at.button(key="compare").click().run()
    open_page("noise", at)
    sound(at)
    assert any(each.key == "cancel_line_compare" for each in at.button)
    at.button(key="cancel_line_compare").click().run()
    wait(at)
    assert not any(each.key == "cancel_line_compare" for each in at.button)
    open_page("compare", at)
    sound(at)
    assert "cancelled after" in text(at)


def test_names_of_variants_never_clash():
    stated = [Compared("CART"), Compared("CART", {"max_depth": 2}, True), Compared("CART", {"max_depth": 3}, True)]
    assert compare_words.study_names(stated) == ["CART", "CART, kept", "CART, kept 2"]
    assert compare_controls.MOST == 26


def test_every_picture_can_be_had_as_a_file():
    at = compared()
    assert {each.label for each in at.get("download_button")} >= {"Table as CSV", "JSON"}
    at.session_state["svg_files"] = True
    at.run()
    sound(at)
    titles = {each.label for each in at.get("download_button")}
    assert titles >= {"Tree A", "Tree B", "Table", "Accuracy and coverage", "Stated P", "ROC", "Net benefit", "Answers"}
