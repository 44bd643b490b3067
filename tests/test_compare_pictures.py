"""Pictures of several variants: what they mark, what they say to those who do not see them, that nothing escapes.

In: small trees, studies and plain numbers. Out: the SVG's parts beside the engine's figures.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from engine import UncertainTreeClassifier, variant
from engine.comparison import Pair, compare
from engine.contrast import (
    MORE,
    MOVED,
    OTHER,
    answer_matrix,
    disagreement_of,
    rows_between,
    shown_answers,
    split_differences,
    splits_by_place,
)
from engine.decide import Rule
from engine.draw.answer_matrix import answer_matrix_svg
from engine.draw.compact_tree import SIGNS, Compact, compact_legend_svg, compact_tree_svg, place_of
from engine.draw.compare_charts import (
    Answers,
    Line,
    PlaneCurve,
    Stated,
    answers_svg,
    net_benefit_svg,
    plane_svg,
    roc_svg,
    stated_svg,
)
from engine.draw.figure_table import COLUMNS, cell, figure_cards_svg, figure_table_svg, p_text, percent, table_rows
from engine.draw.fold_differences import opened, signed
from engine.draw.of_model import training_evidence, view_of
from engine.draw.sheet import CLASS_FILL, View
from engine.draw.study_charts import Curve, curve_rows, curves_svg, round_ticks
from engine.draw.variant_marks import DASHES, Lettered, way
from engine.errors import PenumbraError
from engine.metrics import (
    answer_table,
    class_scores,
    confidence,
    mean_or_none,
    net_benefit,
    rate_interval,
    roc_curve,
)
from engine.study import cross_validate
from engine.swept import (
    all_repeats,
    answer_counts,
    at_tau,
    benefit,
    by_zones,
    first_repeat,
    roc,
    stated,
    stated_bins,
    tau_curve,
    tau_steps,
)

A, B = Lettered(0, "C4.5"), Lettered(1, "<b>SS</b> & co")


@pytest.fixture(scope="module")
def patients():
    random = np.random.default_rng(3)
    X = pd.DataFrame({"glucose": random.normal(120, 25, 160).round(1), "bmi": random.normal(30, 5, 160).round(1)})
    y = list(np.where(X["glucose"] + 2 * X["bmi"] + random.normal(0, 18, 160) > 182, "ill", "well"))
    return X, y


@pytest.fixture(scope="module")
def study(patients):
    models = {"one": variant("CART", max_depth=2), "two": variant("Ternary-margin", max_depth=3)}
    return cross_validate(*patients, models, folds=3, repeats=2)


def texts(svg):
    return [each.text or "" for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def label(svg):
    return ET.fromstring(svg).get("aria-label")


def test_splits_are_set_against_each_other_by_their_place(patients):
    X, y = patients
    values = X.to_numpy()
    shallow, deep = (variant("CART", max_depth=d).fit(X, y).tree_ for d in (1, 3))
    assert split_differences(deep, deep, values).marks == {}
    more = split_differences(shallow, deep, values)
    assert set(more.marks.values()) == {MORE}
    assert more.count(MORE) == int((deep.n_children > 0).sum()) - 1
    assert split_differences(deep, shallow, values).fewer == more.count(MORE)
    half = np.arange(len(y)) % 2 == 0
    other = variant("CART", max_depth=3).fit(X[half], [label for label, use in zip(y, half, strict=True) if use]).tree_
    found = split_differences(deep, other, values)
    first, second = dict(splits_by_place(deep)), dict(splits_by_place(other))
    for place, node in second.items():
        if place not in first:
            assert found.marks[node] == MORE
        elif deep.variable[first[place]] != other.variable[node]:
            assert found.marks[node] == OTHER
        else:
            column = values[:, deep.variable[first[place]]]
            same = ((column <= deep.threshold[first[place]]) == (column <= other.threshold[node])).all()
            assert found.marks.get(node, "") == ("" if same else MOVED)
    with pytest.raises(PenumbraError, match="different variables"):
        split_differences(deep, variant("CART").fit(X[["bmi"]], y).tree_, values)


def test_a_midpoint_and_a_value_between_the_same_patients_are_the_same_split(patients):
    X, y = patients
    middle, upper = (variant("CART", threshold=t, max_depth=2).fit(X, y).tree_ for t in ("midpoint", "value"))
    assert split_differences(middle, upper, X.to_numpy()).marks == {}


def test_answers_are_counted_pair_by_pair():
    classes, both = ("ill", "well"), frozenset({"ill", "well"})
    first, second = ["ill", None, "well", both], ["ill", "well", "well", None]
    shown = shown_answers(classes, [*first, *second])
    assert shown == ["ill", "well", None, both]
    table = answer_matrix(first, second, shown)
    assert table.sum() == 4
    assert table[shown.index(None), shown.index("well")] == 1
    assert rows_between(first, second, both, None).tolist() == [3]


def test_the_curve_at_tau_is_what_the_comparison_counts(study):
    steps = tau_steps(2)
    assert steps[0] == 0.5
    assert steps[-1] == 1.0
    for name in ("one", "two"):
        curve = tau_curve(study, name, steps)
        for tau in (0.5, 0.7, 0.85):
            row = compare(study.with_rule(Rule("tau", tau=tau)), ["abstention_rate", "answered_accuracy"]).figures[name]
            at = int(np.argmin(np.abs(steps - tau)))
            assert curve.coverage[at] == pytest.approx(1 - row["abstention_rate"].value)
            assert curve.accuracy[at] == pytest.approx(row["answered_accuracy"].value)
    assert len(first_repeat(study, "one").truth) == len(study.truth)
    assert len(all_repeats(study, "one").truth) == 2 * len(study.truth)
    assert tau_curve(study.with_results(()), "one", steps) is None
    assert math.isnan(tau_curve(study, "one", [1.0 + 1e-6]).accuracy[0])


def test_stated_bins_hold_everybody_once_with_exact_ranges():
    random = np.random.default_rng(0)
    score = np.round(random.uniform(size=200), 2)
    hit = random.uniform(size=200) < score
    bins = stated_bins(score, hit)
    assert sum(b.n for b in bins) == 200
    for b in bins:
        inside = (score > b.low) & (score <= b.high) | (score == 0) & (b.low == 0)
        assert b.n == inside.sum()
        assert b.rate == hit[inside].mean()
        assert b.interval == rate_interval(int(hit[inside].sum()), b.n)
    with pytest.raises(PenumbraError):
        stated_bins([1.2], [True])


def test_small_trees_mark_what_differs_in_signs_and_words(patients):
    X, y = patients
    reference = variant("CART", max_depth=2).fit(X, y)
    model = UncertainTreeClassifier(max_depth=3, min_weight_leaf=20, decision="tau", tau=0.9).fit(X, y)
    found = split_differences(reference.tree_, model.tree_, X.to_numpy())
    told = training_evidence(model, X, y)[-1]
    svg = compact_tree_svg(Compact(model.tree_, told, view_of(model), found.marks), width=460, label="Tree B")
    said = texts(svg)
    for mark, sign in SIGNS.items():
        assert said.count(sign) == found.count(mark)
    assert said.count("abst.") == sum(answer is None for answer in model.leaf_answers())
    assert svg.count('role="button"') == model.tree_.n_nodes
    assert place_of(model.tree_, 0) == "r"
    assert svg.count("data-place=") == model.tree_.n_nodes
    legend = compact_legend_svg(0.9, 900, "P(ill)")
    assert "abst.: best P below τ 0.90" in texts(legend)


def test_the_table_prints_the_engines_figures_and_tests(study):
    found = compare(study)
    marks, names, zones = [A, Lettered(1, "two")], {0: "one", 1: "two"}, {"one": False, "two": True}
    rows = table_rows(found, marks, zones, names)
    assert len(rows) == 2 * len(COLUMNS)
    for column in COLUMNS:
        told = cell(found, "two", "one", column)
        figure = found.figures["two"][column.figure]
        assert told.value == column.write(figure.value)
        assert told.interval == f"{column.write(figure.interval[0])} to {column.write(figure.interval[1])}"
        pair = found.pair(column.figure, "one", "two")
        assert told.differs == (pair.adjusted_p < 0.05)
        assert p_text(pair.p_value) in told.test
        if told.differs:
            assert told.test.startswith("▼" if pair.mean_difference > 0 else "▲")
    assert cell(found, "one", "one", COLUMNS[3], zones).value == "no zone"
    for column in COLUMNS:  # what the reference has not is not tested against it
        assert (cell(found, "two", "one", column, zones).test == "not in A") == column.zones
        row = next(r for r in rows if r["variant"].startswith("B") and r["measure"].startswith(f"{column.title} ("))
        assert bool(row["p after Holm"]) != column.zones
    cards = figure_cards_svg(found, marks, names, zones)
    assert all(f"B {column.title} {cell(found, 'two', 'one', column).value}" in label(cards) for column in COLUMNS)
    svg = figure_table_svg(found, marks, names, zones, notes={"two": "4 of 6 folds"})
    assert "4 of 6 folds" in texts(svg)
    assert "reference" in texts(svg)
    assert COLUMNS[0].write(found.figures["one"]["accuracy"].value) in texts(svg)
    assert f"A Accuracy {COLUMNS[0].write(found.figures['one']['accuracy'].value)}" in label(svg)


def test_the_plane_says_each_variants_point_and_draws_no_hue(study):
    curve = tau_curve(study, "one", tau_steps(2))
    svg = plane_svg([PlaneCurve(A, curve.tau, curve.coverage, curve.accuracy, (0.8, 0.9), (0.95, 0.85))], 0.8)
    assert "A C4.5 answers 80 %, right for 90 % of them; by its zones 95 %, right for 85 %." in label(svg)
    assert "A by its zones" in texts(svg)
    assert not any(f"var(--c{k})" in svg.partition("</style>")[2] for k in range(len(CLASS_FILL)))


def test_lines_differ_by_style_alone():
    points = [(0.0, 0.0), (9.0, 9.0)]
    drawn = {way(points, Lettered(k, "one")) for k in range(len(DASHES))}
    assert len(drawn) == len(DASHES)
    assert all('stroke="var(--ink)"' in each for each in drawn)
    assert way(points[:1], A) == ""
    assert 'stroke="var(--ink)"' not in way(points, Lettered(0, "one", faint=True))


def test_stated_p_roc_benefit_and_answers_tell_their_numbers(study):
    view = View(classes=study.classes, positive="ill", decision="tau", tau=0.7)
    pool = first_repeat(study, "one")
    sure, right = confidence(pool.truth, pool.probability, pool.classes)
    bins = stated_bins(sure, right)
    svg = stated_svg([Stated(A, bins, 0.05), Stated(B, bins, None)], view, silent=(0.3, 0.7), x_title="P of ill")
    for each in bins:
        assert f"P {each.mean_probability:.2f}, true {each.rate:.2f} of {each.n}" in label(svg)
    curve = roc_curve(sure, right)
    found = Line(B, curve.threshold, curve.false_positive_rate, curve.true_positive_rate, "area 0.9")
    assert "area 0.9" in texts(roc_svg([found]))
    treated = Line(A, [0.25, 0.5], [0.25, 0.5], [0.2, 0.125])
    assert "0.125" in label(net_benefit_svg([treated], [0.25, 0.5], [0.1, -0.2]))
    counts = answer_table(pool.truth, pool.answers, pool.classes)
    svg = answers_svg([Answers(A, counts), Answers(B, counts)], view)
    ill, well, nobody = counts[0]
    assert f"truly ill ({counts[0].sum()}): ill {ill}, well {well}, no answer {nobody}" in label(svg)


def test_curves_keep_their_numbers_as_rows_and_names_are_escaped():
    curve = Curve(B, (0.0, 0.1, 0.2), (0.8, math.nan, 0.7), (0.7, math.nan, 0.6), (0.9, math.nan, 0.8))
    svg = curves_svg([curve], label="Accuracy", x_title="noise")
    assert "<b>SS</b>" not in svg
    assert "B <b>SS</b> & co: 0.8 at 0, 0.7 at 0.2" in label(svg)
    rows = curve_rows([curve], "noise", "value")
    assert [row["value"] for row in rows][::2] == [0.8, 0.7]
    assert rows[2]["95 % to"] == 0.8
    assert ET.fromstring(curves_svg([], label="Nothing", x_title="x")) is not None
    assert round_ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert mean_or_none([]) is None


def bars(svg):
    """Return the upright strokes of a picture that are longer than a tick: (x, top, foot)."""
    found = [[float(each.get(name)) for name in ("x1", "x2", "y1", "y2")] for each in parts(svg, "line")]
    return [(a, min(c, d), max(c, d)) for a, b, c, d in found if a == b and abs(c - d) > 4.5]


def parts(svg, tag):
    return ET.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}")


@pytest.mark.parametrize(("n", "apart"), [(3, 5.0), (4, 12.0), (6, 12.0), (26, 12.0)])
@pytest.mark.parametrize("width", [310, 350])
def test_intervals_of_many_variants_stand_apart(n, apart, width):
    xs = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    marks = [Lettered(k, f"variant {k} <&>") for k in range(n)]
    curves = [Curve(m, xs, (0.8 - 0.01 * m.place,) * 6, (0.7,) * 6, (0.9,) * 6) for m in marks]
    svg = curves_svg(curves, label="Accuracy", x_title="noise", width=width)
    drawn = sorted(bars(svg))
    assert len(drawn) == n * len(xs)
    for k, (x, top, foot) in enumerate(drawn):
        assert all(abs(x - other) >= apart - 0.1 or foot <= above or below <= top for other, above, below in drawn[:k])
    box = ET.fromstring(svg)
    assert all(0 <= x <= width and top >= 0 and foot <= float(box.get("height")) for x, top, foot in drawn)
    assert {m.letter for m in marks} <= {*texts(svg)}
    assert all(f"{m.letter} variant {m.place} <&>: {0.8 - 0.01 * m.place:g} at 0" in label(svg) for m in marks)


def test_small_plots_share_their_axes_and_set_the_first_curve_behind_every_other():
    xs = (0.0, 0.5)
    curves = [Curve(Lettered(k, f"v{k}"), xs, (y, y), (y - 0.1, y - 0.1), (y + 0.1, y + 0.1))
              for k, y in enumerate((0.8, 0.8, 0.5, 0.6, 0.7))]  # fmt: skip
    svg = curves_svg(curves, label="x", x_title="noise", write_y=lambda y: f"{y:g}")
    heights = [low - high for _, high, low in sorted(bars(svg))]
    assert heights == pytest.approx([heights[0]] * 10, abs=0.2)
    faint = [each for each in parts(svg, "path") if each.get("stroke") == "var(--grey-bar)"]
    assert len(faint) == 4
    assert "faint line: A" in texts(svg)
    assert texts(svg).count("0.6") == 3  # rows of plots with the same ticks
    assert texts(svg).count("noise") == 1


def test_a_test_opens_every_fold_and_says_the_engines_figures(study):
    found = compare(study)
    marks, names, zones = [A, Lettered(1, "two")], {0: "one", 1: "two"}, {"one": False, "two": True}
    shown = [c for c in COLUMNS if not c.zones]
    for svg in (
        figure_table_svg(found, marks, names, zones, columns=shown, opens=True),
        figure_cards_svg(found, marks, names, zones, columns=shown, opens=True),
    ):
        groups = [g for g in ET.fromstring(svg).iter() if g.get("class") == "tested"]
        assert len(groups) == len(shown)
        assert [g.get("tabindex") for g in groups] == ["0"] + ["-1"] * (len(shown) - 1)
        for column, group in zip(shown, groups, strict=True):
            pair = found.pair(column.figure, "one", "two")
            said, drawn = group.get("aria-label"), " ".join(each.text or "" for each in group.iter())
            over = sum(d < -1e-12 for d in pair.differences)
            under = sum(d > 1e-12 for d in pair.differences)
            assert said.startswith(f"{column.title}, B two less A C4.5: mean ")
            assert f"of 6 folds B is over A in {over}, under in {under}, the same in {6 - over - under}" in said
            tests = f"{p_text(pair.p_value)} as tested, {p_text(pair.adjusted_p).removeprefix('p ')} after Holm"
            assert tests in said
            assert tests in drawn
            dots = next(each.get("d") for each in group.iter() if each.get("stroke-linecap"))
            assert dots.count("M") == len(pair.differences)
    assert "tested" not in figure_table_svg(found, marks, names, zones).partition("</style>")[2]


def test_the_dots_of_a_test_stand_left_and_right_of_zero():
    pair = Pair("accuracy", "one", "two", (-0.02, -0.02, 0.01, 0.0), -0.0075, (-0.03, 0.015), 0.5, 1.0)
    body, wide, _ = opened(pair, A, Lettered(1, "two"), "Accuracy", percent)
    root = ET.fromstring(f"<g>{body}</g>")
    zero = next(float(each.get("x1")) for each in root if each.get("class") == "cut")
    path = next(each.get("d") for each in root if each.get("d"))
    places = [float(part.split()[0]) for part in path.split("M")[1:]]
    assert sum(x > zero + 3 for x in places) == 2  # B is over A in two folds
    assert sum(x < zero - 3 for x in places) == 1
    assert all(0 < x < wide for x in places)
    words = [each.text for each in root if each.text]
    assert "mean +0.8 points, 95 % −1.5 to +3.0 points" in words
    assert "4 folds: 2 over A, 1 under, 1 the same" in words
    assert signed(0.00001, percent) == "0.0 points"


def test_the_matrix_marks_the_diagonal_the_difference_and_the_chosen_cell():
    found = disagreement_of(["ill", "ill", None, "well"], ["ill", "well", "well", "well"], ("ill", "well"))
    assert (found.alike, found.differ, found.opposite) == (2, 2, 1)
    names = ["<ill>", "well", "abstains"]
    svg = answer_matrix_svg(A, B, names, found.counts, chosen=(0, 1), opens=True)
    assert "<ill>" not in svg
    cells = {g.get("data-cell"): g for g in ET.fromstring(svg).iter() if g.get("class") == "cell"}
    assert set(cells) == {"0 0", "0 1", "1 1", "2 1"}  # one without patients is no button
    assert [c for c, g in cells.items() if g.get("aria-pressed") == "true"] == ["0 1"]
    assert cells["2 1"].get("aria-label") == "A abstains, B well: 1 patient"
    assert "picked" in ET.tostring(cells["0 1"], encoding="unicode")
    styles = {c: next(e.get("class") for e in g if e.tag.endswith("text")) for c, g in cells.items()}
    assert styles == {"0 0": "m z14", "0 1": "m b z14", "1 1": "m z14", "2 1": "m b z14"}
    assert 'role="button"' not in answer_matrix_svg(A, B, names, found.counts)
    assert [row["patients"] for row in found.rows(names, "A", "B")] == found.counts.ravel().tolist()


def test_curves_are_those_of_the_metrics_and_points_those_of_the_comparison(study):
    once, repeats = first_repeat(study, "two"), all_repeats(study, "two")
    scores = class_scores(repeats.truth, repeats.probability, repeats.classes, "ill")
    assert roc(study, "two", "ill").area == roc_curve(*scores).area
    assert benefit(study, "two", "ill").model.tolist() == net_benefit(*scores).model.tolist()
    assert stated(study, "two") == stated_bins(*confidence(once.truth, once.probability, once.classes))
    own = class_scores(once.truth, once.probability, once.classes, "ill")
    assert stated(study, "two", "ill") == stated_bins(*own)
    assert answer_counts(study, "two").tolist() == answer_table(once.truth, once.answers, once.classes).tolist()
    row = compare(study).figures["two"]
    assert at_tau(row) == (1 - row["abstention_rate"].value, row["answered_accuracy"].value)
    assert by_zones(row) == (1 - row["undecided_rate"].value, row["decided_accuracy"].value)
    nothing = study.with_results(())
    assert roc(nothing, "two", "ill") is benefit(nothing, "two", "ill") is answer_counts(nothing, "two") is None
    assert stated(nothing, "two") == ()


def test_a_comparison_in_rows_takes_the_first_model_as_the_reference(study):
    found = compare(study, ["accuracy", "leaves"])
    rows = {(row["model"], row["measure"]): row for row in found.rows()}
    assert len(rows) == 4
    assert rows["one", "accuracy"]["p"] is None
    row, pair = rows["two", "leaves"], found.pair("leaves", "one", "two")
    assert (row["value"], row["folds"]) == (found.figures["two"]["leaves"].value, 6)
    assert (row["difference"], row["p"], row["p_holm"]) == (-pair.mean_difference, pair.p_value, pair.adjusted_p)
    assert (row["difference_low"], row["difference_high"]) == (-pair.interval[1], -pair.interval[0])


def test_twelve_curves_keep_their_letters_inside_the_picture(study):
    curve = tau_curve(study, "one", tau_steps(2))
    marks = [Lettered(k, f"v{k}", faint=k not in (0, 3)) for k in range(12)]
    plane = plane_svg([PlaneCurve(m, curve.tau, curve.coverage, curve.accuracy, (0.8, 0.9)) for m in marks], 0.8)
    lines = [Line(m, [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], "area 0.5") for m in marks]
    curves = [Curve(m, (0.0, 1.0), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7)) for m in marks]
    swept = curves_svg(curves, label="x", x_title="x")
    for svg in (plane, roc_svg(lines), net_benefit_svg(lines, [0.0, 1.0], [0.3, 0.1]), swept):
        root = ET.fromstring(svg)
        tall = float(root.get("height"))
        assert {m.letter for m in marks} <= {*texts(svg)}
        assert all(float(each.get("y")) <= tall for each in root.iter() if each.tag.endswith("text"))
        drawn = svg.partition("</style>")[2]
        assert drawn.rindex('stroke="var(--grey-bar)" stroke-width="0.8"') > 0
        inked = [k for k in range(len(drawn)) if drawn.startswith('fill="none" stroke="var(--ink)"', k)]
        assert len(inked) == 4  # two curves and their samples in the key
