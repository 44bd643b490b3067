"""Every file that Compare and Robustness offer: what stands in it, beside what the engine answers.

In: a comparison and the noise experiments in few folds. Out: CSV, SVG and JSON, read back.
"""

from __future__ import annotations

import io
import itertools
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from screens import open_page, sound
from test_app_compare import choose_cell, compared, models, set_folds, wait
from test_app_robustness import tried

from engine.comparison import by_level, compare
from engine.contrast import answer_matrix
from engine.decide import Rule
from engine.draw.figure_table import COLUMNS
from engine.examples import EXAMPLES
from engine.metrics import answer_table, class_scores, net_benefit, roc_curve
from engine.study import cross_validate, robustness
from engine.swept import all_repeats, first_repeat, stated_bins, tau_curve, tau_steps
from pages.shared import compare_downloads, compare_tables, noise_study_view, study_file

POPOVERS = ("csv_files", "svg_files")


@pytest.fixture
def files(monkeypatch):
    """Return what is offered as files, by name, as it is drawn."""
    found: dict[str, str] = {}

    def button(label, text, name, kind, said="", key=""):
        assert {"csv": "text/csv", "svg": "image/svg+xml"}[name.rpartition(".")[2]] == kind
        found[name] = text

    for module in (compare_downloads, noise_study_view):
        monkeypatch.setattr(module, "button", button)
    return found


def opened(at, *popovers):
    for key in popovers:
        at.session_state[key] = True
    at.run()
    sound(at)
    return at


def rows(files, name):
    return pd.read_csv(io.StringIO(files[name]))


def swept(at, what):
    now = at.session_state["penumbra_choices"]
    now.comparing = replace(now.comparing, sweep=what)
    at.run()
    at.button(key="start_sweep").click().run()
    return wait(at, "sweep")


def test_the_tables_are_the_engines(files):
    at = opened(compared(folds=2, repeats=2), *POPOVERS)
    both, data = models(at)
    study = cross_validate(data.X, data.y, both, 2, 2).with_rule(Rule("tau", tau=0.7))
    found = compare(study, positive=data.positive)

    table = rows(files, "comparison.csv")
    titles = {f"{c.title} ({c.under})": c for c in COLUMNS if not c.zones and c.figure != "fit_seconds"}
    assert {*titles} < {*table["measure"]}
    assert not any("zone" in each for each in table["measure"])  # neither has one
    for letter, name in zip("AB", both, strict=True):
        for title, column in titles.items():
            row = table[(table["variant"] == f"{letter} {name}") & (table["measure"] == title)].iloc[0]
            figure = found.figures[name][column.figure]
            assert row["mean"] == pytest.approx(figure.value)
            assert (row["95 % from"], row["95 % to"]) == pytest.approx(figure.interval)
            assert (row["folds"], row["folds planned"]) == (4, 4)
            if letter == "A":
                assert np.isnan(row["p (Wilcoxon)"])
                continue
            pair = found.pair(column.figure, "C4.5", name)
            assert row["less A"] == pytest.approx(-pair.mean_difference)
            low, high = pair.interval
            assert (row["less A, 95 % from"], row["less A, 95 % to"]) == pytest.approx((-high, -low))
            assert (row["p (Wilcoxon)"], row["p after Holm"]) == pytest.approx((pair.p_value, pair.adjusted_p))
    shared = table.iloc[0]
    assert (shared["data"], shared["patients"]) == (EXAMPLES["ejection_fraction"].title, len(data.y))
    assert [shared[name] for name in ("repeats", "folds per repeat", "seed", "τ")] == [2, 2, 0, 0.7]
    settings = json.loads(table[table["variant"] == "B SS+STP"].iloc[0]["settings"])
    assert settings["search"] == "soft"
    assert settings["max_depth"] == 3
    assert "Ejection fraction" in shared["σ"]

    folds = rows(files, "folds.csv")
    own = folds[(folds["variant"] == "B SS+STP") & (folds["measure"] == "Accuracy")]
    assert own["value"].tolist() == pytest.approx(list(found.figures["SS+STP"]["accuracy"].by_fold))
    assert own[["repeat", "fold"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]


def test_the_curves_are_the_engines(files):
    at = opened(compared(folds=2, repeats=2), *POPOVERS)
    both, data = models(at)
    study = cross_validate(data.X, data.y, both, 2, 2).with_rule(Rule("tau", tau=0.7))
    found = compare(study, positive=data.positive)
    name, mark = "SS+STP", "B SS+STP"

    def own(file):
        table = rows(files, file)
        return table[table["variant"] == mark]

    curve = tau_curve(study, name, tau_steps(2))
    plane = own("accuracy-and-coverage.csv")
    line, at_tau = plane[plane["point"] == "τ swept"], plane[plane["point"] == "at τ in force"].iloc[0]
    assert line["answered"].tolist() == pytest.approx(curve.coverage.tolist())
    assert line["right of those"].tolist() == pytest.approx(curve.accuracy.tolist(), nan_ok=True)
    row = found.figures[name]
    assert at_tau["answered"] == pytest.approx(1 - row["abstention_rate"].value)
    assert at_tau["right of those"] == pytest.approx(row["answered_accuracy"].value)
    sweep = own("sweep-of-tau.csv")
    assert sweep[sweep["figure"] == "Answered"]["value"].tolist() == pytest.approx(curve.coverage.tolist())

    once, all_of = first_repeat(study, name), all_repeats(study, name)
    bins = stated_bins(*class_scores(once.truth, once.probability, once.classes, data.positive))
    stated = own("stated-p.csv")
    assert stated["patients"].tolist() == [b.n for b in bins]
    assert stated["came true"].tolist() == pytest.approx([b.rate for b in bins])
    assert stated["95 % to"].tolist() == pytest.approx([b.interval[1] for b in bins])

    scores = class_scores(all_of.truth, all_of.probability, all_of.classes, data.positive)
    roc, benefit = roc_curve(*scores), net_benefit(*scores)
    assert own("roc.csv")["found"].tolist() == pytest.approx(roc.true_positive_rate.tolist())
    assert own("roc.csv")["false alarms"].tolist() == pytest.approx(roc.false_positive_rate.tolist())
    assert own("net-benefit.csv")["net benefit"].tolist() == pytest.approx(benefit.model.tolist())
    assert own("net-benefit.csv")["treating all"].tolist() == pytest.approx(benefit.treat_all.tolist())

    counts = answer_table(once.truth, once.answers, once.classes)
    assert own("answers.csv")["patients"].tolist() == counts[:2].ravel().tolist()
    told = {"data", "repeats", "folds per repeat", "seed", "τ"}
    assert all(told <= {*rows(files, name)} for name in files if name.endswith(".csv"))


def test_the_matrix_is_counted_from_the_trees_and_drawn_without_the_readers_choice(files):
    at = opened(open_page("compare"), *POPOVERS)
    both, data = models(at)
    said = [list(m.fit(data.X, data.y).with_decision(decision="tau", tau=0.7).decide(data.X)) for m in both.values()]
    counts = answer_matrix(*said, [*data.classes, None])
    table = rows(files, "matrix.csv")
    assert table["patients"].tolist() == counts.ravel().tolist()
    assert {*table["first"]} == {"A C4.5"}
    assert table["second answers"].tolist()[:3] == [*data.classes, "abstains"]
    before = files["matrix-a-b.svg"]
    choose_cell(at, data.classes[0], data.classes[0])
    opened(at, *POPOVERS)
    assert files["matrix-a-b.svg"] == before
    assert "button" not in before


@pytest.mark.parametrize("what", ["sigma", "confidence"])
def test_a_sweep_is_a_file_too(files, what):
    at = set_folds(open_page("compare"))
    at.selectbox(key="common_pruning").set_value("named").run()
    opened(swept(at, what), *POPOVERS)
    title = {"sigma": "sweep-of-sigma", "confidence": "sweep-of-the-pruning-confidence"}[what]
    step, column = (2.0, "σ × factor") if what == "sigma" else (0.05, "Pruning confidence c")
    both, data = models(at)
    model = both["SS+STP"].set_params(pruning="pessimistic")
    model.set_params(**({"u_s": step, "u_p": step, "u_e": step} if what == "sigma" else {"confidence": step}))
    figure = compare(cross_validate(data.X, data.y, {"it": model}, 2), ["leaves"]).figures["it"]["leaves"]
    table = rows(files, f"{title}.csv")
    row = table[(table["variant"] == "B SS+STP") & (table["figure"] == "Leaves") & (table[column] == step)].iloc[0]
    assert row["value"] == pytest.approx(figure.value)
    assert row["repeats"] == 1
    for each in ("accuracy-all-patients", "abstention-at-tau", "leaves"):
        assert f"{title}-{each}.svg" in files


def test_every_picture_is_a_whole_light_svg_that_needs_no_page(files):
    opened(compared(), *POPOVERS)
    pictures = {name: text for name, text in files.items() if name.endswith(".svg")}
    assert len(pictures) == 2 + 7 + 2 + 1  # trees, figures, sweeps of τ, the matrix
    for svg in pictures.values():
        root = ET.fromstring(svg)
        assert root.get("data-theme") == "light"
        assert len(root.get("aria-label")) > 20
        assert 'class="tip"' not in svg
        assert 'class="tested"' not in svg


def test_the_one_json_holds_the_table_and_resumes(monkeypatch):
    held = {}
    monkeypatch.setattr(
        compare_downloads, "json_button", lambda label, kind, study, key, rows=None: held.update(study=study, rows=rows)
    )
    at = compared()
    comparing = at.session_state["penumbra_choices"].comparing
    text = study_file.to_json("compare", comparing, 0.7, held["study"], held["rows"])
    record = json.loads(text)
    both, data = models(at)
    found = compare(cross_validate(data.X, data.y, both, 2, 1), ["accuracy"]).figures["SS+STP"]["accuracy"]
    row = next(r for r in record["table"] if r["variant"] == "B SS+STP" and r["measure"].startswith("Accuracy ("))
    assert row["mean"] == pytest.approx(found.value)
    assert study_file.from_json(text.encode()).study.complete


def test_the_noise_experiments_are_files(files):
    at = opened(tried(open_page("robustness")), "noise_svg")
    open_page("compare", at)
    both, data = models(at)
    table = rows(files, "noise.csv")
    for where in ("training", "test"):
        found = by_level(robustness(data.X, data.y, both, [0.0, 0.3], where, 2))
        for name, title in (("accuracy", "Accuracy, all patients"), ("leaves", "Leaves")):
            figure = found[name]["SS+STP"][0.3]
            own = table[(table["noise in"] == where) & (table["figure"] == title) & (table["variant"] == "B SS+STP")]
            row = own[own["noise"] == 0.3].iloc[0]
            assert row["mean"] == pytest.approx(figure.value)
            assert (row["95 % from"], row["95 % to"]) == pytest.approx(figure.interval)
    assert {(r, p) for r, p in zip(table["repeats"], table["folds per repeat"], strict=True)} == {(1, 2)}
    for figure, where in itertools.product(("accuracy", "leaves"), ("training", "test")):
        assert where in ET.fromstring(files[f"{figure}-{where}.svg"]).get("aria-label")


def test_a_spreadsheet_runs_nothing_of_a_file():
    told = compare_tables.csv_text([{"variant": '=HYPERLINK("x")', "value": -0.5, "more": "@sum", "n": None}])
    read = pd.read_csv(io.StringIO(told)).iloc[0]
    assert (read["variant"], read["value"], read["more"]) == ('\'=HYPERLINK("x")', -0.5, "'@sum")
