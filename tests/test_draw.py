"""Pictures say what the numbers say: parsed as XML, read back, compared with the evidence and the case.

In: hand-made trees and fitted ones. Out: failures that name the mark.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from engine import Noise, UncertainTreeClassifier, variant
from engine.draw import (
    View,
    path_steps,
    path_svg,
    patient_legend_svg,
    patient_svg,
    tree_dot,
    tree_legend_svg,
    tree_svg,
    with_theme,
)
from engine.draw.case_charts import (
    four_ways_svg,
    hundred_counts,
    hundred_marks_svg,
    nearest_change_svg,
    nearest_first,
    repeat_svg,
    stability_bars_svg,
)
from engine.draw.curves import best_thresholds, gain_curve_figure, larger_noise_figure
from engine.draw.layout import place, tidy
from engine.draw.node_charts import gain_bars_svg, parts_svg, tau_strip_svg
from engine.draw.sheet import fit, fit_apart, text_width, wrapped
from engine.draw.tree_table import path_words, tree_table
from engine.draw.variable_charts import FieldStrip, category_svg, cut_svg, variable_svg
from engine.evidence import axis_of, evidence
from engine.export import branch_tests, is_fractional, rules_text, short_edges
from engine.number_words import (
    difference_unit,
    error_text,
    exact_text,
    percent_text,
    probability_text,
    share_text,
    shortest,
)
from engine.route import reach
from engine.tree import BINARY, BINS, MIDDLE, NOMINAL, REST, Node, freeze

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert('x')</script> & \"quoted\" ]]>"


def parse(svg):
    return ElementTree.fromstring(svg)


def texts(svg):
    """Return what a reader sees, without titles and style."""
    found = []
    for element in parse(svg).iter(f"{SVG}text"):
        found.append(
            (element.text or "") + "".join((t.text or "") + (t.tail or "") for t in element.iter(f"{SVG}tspan"))
        )
    return found


def nodes(svg):
    return {int(g.get("data-node")): g for g in parse(svg).iter(f"{SVG}g") if g.get("data-node")}


def node_text(group):
    return " | ".join("".join(t.itertext()) for t in group.iter(f"{SVG}text"))


def grown(class_weight, depth=0, children=(), **fields):
    mix = np.asarray(class_weight, dtype=float)
    whole = float(mix.sum())
    even = np.full(len(mix), 1 / len(mix))
    node = Node(mix, whole, whole, depth, probability=mix / whole if whole else even, **fields)
    node.children = list(children)
    if node.children:
        node.share = np.array([c.weight for c in node.children]) / max(whole, 1e-12)
        node.gain = 0.1
    return node


def picture_of(root, names, categories, classes, values, labels, **view):
    tree = freeze(root, names, categories, classes)
    values = np.asarray(values, dtype=float)
    one_hot = np.eye(len(classes))[np.asarray(labels)]
    found = evidence(tree, values, one_hot, np.ones(len(values)), reach(tree, values, "hard"))
    answers = tuple(classes[int(np.argmax(tree.probability[v]))] for v in tree.leaves)
    return tree, found, replace(View(classes=tuple(classes), leaf_answers=answers), **view)


def stump(name="x", classes=("no", "yes"), **view):
    left, right = grown([4, 1], 1), grown([1, 4], 1)
    root = grown([5, 5], 0, [left, right], variable=0, gate=BINARY, threshold=5.5)
    x = np.arange(1.0, 11.0)[:, None]
    return picture_of(root, [name], [None], classes, x, [0, 0, 0, 1, 0, 1, 1, 0, 1, 1], **view)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(5)
    n = 400
    frame = pd.DataFrame(
        {"glucose": rng.normal(120, 30, n), "bmi": rng.normal(30, 6, n), "age": rng.integers(20, 80, n).astype(float)}
    )
    risk = (frame["glucose"] - 130) / 20 + (frame["bmi"] - 31) / 6 + (frame["age"] - 50) / 40 + rng.normal(0, 1.2, n)
    labels = np.where(risk > 0, "diabetes", "no diabetes")
    model = variant(
        "SS+STP", noise=Noise(sigma={"glucose": 8.0, "bmi": 0.6}), max_depth=3, min_weight_leaf=20, pruning="none",
        decision="tau", tau=0.8,
    ).fit(frame, labels)  # fmt: skip
    tree, values = model.tree_, model.encode(frame)
    one_hot = (np.asarray(labels)[:, None] == np.asarray(model.classes_)[None, :]).astype(float)
    gate = reach(tree, values, "soft", model.noise_propagation_)
    found = evidence(tree, values, one_hot, np.ones(n), gate, model.noise_evaluation_)
    view = View(
        classes=tree.classes, leaf_answers=tuple(model.leaf_answers()), decision="tau", tau=0.8, positive="diabetes",
        units={"glucose": "mg/dL"}, variable_names={"glucose": "Glucose"},
    )  # fmt: skip
    return model, frame, tree, found, view


def test_the_tree_shows_the_numbers_of_the_evidence(fitted):
    _, _, tree, found, view = fitted
    drawn = nodes(tree_svg(tree, found, view))
    assert set(drawn) == set(range(tree.n_nodes))
    for node, group in drawn.items():
        said = node_text(group)
        assert group.get("role") == "button"
        assert group.get("tabindex") == "0"
        assert len(group.get("aria-label")) > 20
        if tree.is_leaf(node):
            assert f"n {tree.weight[node]:.1f}" in said
            assert f"{tree.class_weight[node, 0]:.1f}" in said
            k = tree.classes.index("diabetes")
            assert probability_text(float(tree.probability[node, k])) in said
        else:
            counts, band = found.split_counts(node), found.band(node)
            assert f"n {found.count[node]}" in said
            assert f"← {counts.n[0]}" in said
            assert f"{counts.n[2]} →" in said
            assert found.threshold_text(node) in said
            if band.kind:
                assert str(counts.n[1]) in said
            assert f"{counts.n[0]} left" in group.get("aria-label")
            assert sum(counts.n) == found.count[node]


def test_branch_labels_are_true_to_the_gate(fitted):
    _, _, tree, found, view = fitted
    said = texts(tree_svg(tree, found, view))
    assert f"≤ {found.threshold_text(0)}" in said
    assert f"> {found.threshold_text(0)}" in said
    left, right = grown([4, 1], 1), grown([1, 4], 1)
    root = grown([5, 5], 0, [left, right], variable=0, gate=BINARY, threshold=6.0, closed_le=False)
    x = np.arange(1.0, 11.0)[:, None]
    said = texts(tree_svg(*picture_of(root, ["x"], [None], ("no", "yes"), x, [0, 0, 0, 1, 0, 1, 1, 0, 1, 1])))
    assert "< 6" in said
    assert "≥ 6" in said


def test_abstaining_leaves_have_hatch_dashes_and_the_word(fitted):
    _, _, tree, found, view = fitted
    drawn = nodes(tree_svg(tree, found, view))
    abstaining = [int(leaf) for leaf, a in zip(tree.leaves, view.leaf_answers, strict=True) if a is None]
    answering = [int(leaf) for leaf, a in zip(tree.leaves, view.leaf_answers, strict=True) if a is not None]
    assert abstaining
    assert answering
    for node in abstaining:
        marks = ElementTree.tostring(drawn[node], encoding="unicode")
        assert "Abstains" in node_text(drawn[node])
        assert "< τ 0.80" in node_text(drawn[node])
        assert "unanswered" in marks
        assert "url(#hatch" in marks
        assert "abstains" in drawn[node].get("aria-label")
    for node in answering:
        assert "unanswered" not in ElementTree.tostring(drawn[node], encoding="unicode")
        assert "Abstains" not in node_text(drawn[node])


def test_names_from_data_are_escaped_everywhere(fitted):
    classes = ("<b>no</b>", EVIL)
    tree, found, view = stump(EVIL, classes, decision="tau", tau=0.99, units={EVIL: "<i>"}, leaf_answers=(None, EVIL))
    pictures = [
        tree_svg(tree, found, view),
        tree_legend_svg(tree, view),
        parts_svg(found, 0, view),
        tau_strip_svg(tree, view),
        hundred_marks_svg([(EVIL, 0.6), (None, 0.4)], view),
        variable_svg(found.values[:, 0], [5.5], 1.0, name=EVIL, unit="<u>"),
        category_svg([EVIL, "b"], [1, 2]),
        gain_bars_svg([(EVIL, "<at>", 0.2, True)]),
    ]
    for svg in pictures:
        parse(svg)
        assert "<script" not in svg
        assert "<b>" not in svg
        assert "<u>" not in svg
    dot = tree_dot(tree, found, view)
    assert '\\"quoted\\"' in dot
    control = tree_svg(*stump("a\x00b\x1fc\ud800"))
    parse(control)


def test_long_names_are_cut_and_kept_whole_in_the_title():
    name = "a_variable_with_a_name_that_no_card_could_ever_hold_in_one_line_of_text"
    svg = tree_svg(*stump(name))
    assert any(text.endswith("…") for text in texts(svg))
    assert any(name in (title.text or "") for title in parse(svg).iter(f"{SVG}title"))


def test_twelve_classes_have_letters_and_more_than_twenty_still_draw():
    for count in (3, 12, 23):
        classes = tuple(f"class {k}" for k in range(count))
        left = grown([3.0] * (count - 1) + [0.0], 1)
        right = grown([0.0] * (count - 1) + [9.0], 1)
        whole = left.class_weight + right.class_weight
        root = grown(whole, 0, [left, right], variable=0, gate=BINARY, threshold=float(count) - 1.5)
        labels = [k for k in range(count - 1) for _ in range(3)] + [count - 1] * 9
        x = np.asarray(labels, dtype=float)[:, None]
        tree, found, view = picture_of(root, ["x"], [None], classes, x, labels, decision="tau", tau=0.7)
        svg = tree_svg(tree, found, replace(view, leaf_answers=(None, classes[-1])))
        said = node_text(nodes(svg)[2])
        letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[count - 1]
        assert f"{letter} class {count - 1}"[:6] in said
        assert f"{letter} 9" in said
        legend = texts(tree_legend_svg(tree, view))
        assert any(text.startswith(f"{letter} ") for text in legend)


def test_nominal_splits_name_every_branch():
    names = ("red", "green", "blue", "<none>")
    children = [grown([5, 1], 1), grown([1, 5], 1), grown([2, 2], 1), grown([0, 0], 1)]
    children[3].probability = np.array([0.5, 0.5])
    root = grown([8, 8], 0, children, variable=0, gate=NOMINAL)
    x = np.array([0] * 6 + [1] * 6 + [2] * 4, dtype=float)[:, None]
    labels = [0] * 5 + [1] + [0] + [1] * 5 + [0, 0, 1, 1]
    tree, found, view = picture_of(root, ["colour"], [names], ("no", "yes"), x, labels)
    svg = tree_svg(tree, found, view)
    said = texts(svg)
    for name in names:
        assert name in said
    empty = node_text(nodes(svg)[4])
    assert "empty" in empty
    assert "no patients" in empty
    assert "no training patients" in nodes(svg)[4].get("aria-label")
    assert found.histogram(0).counts.sum(axis=1) == pytest.approx([6, 6, 4, 0])
    assert "red" in "".join(texts(parts_svg(found, 0, view)))


def test_bins_and_values_without_a_child_are_named():
    children = [grown([4, 1], 1), grown([1, 4], 1), grown([0, 0], 1)]
    root = grown([5, 5], 0, children, variable=0, gate=BINS, codes=np.array([0, 2, REST]))
    x = np.array([1.0, 2, 3, 4, 5, 41, 42, 43, 44, 45])
    labels = [0, 0, 0, 1, 0, 1, 1, 0, 1, 1]
    tree = freeze(root, ["x"], [None], ("no", "yes"), cuts=np.array([[20.0, 40.0]]))
    found = evidence(tree, x[:, None], np.eye(2)[labels], np.ones(10), reach(tree, x[:, None], "hard"))
    view = View(classes=("no", "yes"), leaf_answers=("no", "yes", "no"), units={"x": "mm"})
    said = texts(tree_svg(tree, found, view))
    assert "≤ 20" in said
    assert "> 40" in said
    assert "any other value" in said
    rules = rules_text(tree, view.leaf_answers, units=view.units)
    assert "if x ≤ 20 mm" in rules
    assert "if x is any other value  [" in rules
    assert path_words(tree, found, 2, view) == "x > 40 mm"
    parse(parts_svg(found, 0, view))
    tree_dot(tree, found, view)
    assert len(tree_table(tree, found, view)) == 4


def test_a_leaf_of_few_patients_says_so():
    svg = tree_svg(*stump())
    assert "few patients" in node_text(nodes(svg)[1])


def test_a_tree_of_one_leaf_is_drawn():
    root = grown([3, 7])
    tree, found, view = picture_of(root, ["x"], [None], ("no", "yes"), np.arange(10.0)[:, None], [0] * 3 + [1] * 7)
    svg = tree_svg(tree, found, view)
    assert list(nodes(svg)) == [0]
    assert "n 10" in node_text(nodes(svg)[0])
    tree_dot(tree, found, view)
    parse(tau_strip_svg(tree, view))


def chain(depth, n=64):
    """A tree that splits off one patient at each of many levels."""
    node = grown([n - depth, 0], depth)
    for level in range(depth - 1, -1, -1):
        side = grown([0, 1], level + 1)
        node = grown(
            node.class_weight + side.class_weight, level, [side, node], variable=0, gate=BINARY, threshold=level + 0.5
        )
    x = np.arange(float(n))[:, None]
    return picture_of(node, ["x"], [None], ("no", "yes"), x, [1] * depth + [0] * (n - depth))


def test_a_deep_tree_opens_at_depth_three_with_stubs_that_count():
    tree, found, view = chain(9)
    assert View.open_depth(tree) == 3
    assert View.open_depth(stump()[0]) is None
    svg = tree_svg(tree, found, replace(view, depth_limit=View.open_depth(tree)))
    assert "+7 leaves" in texts(svg)
    stub = next(g for g in nodes(svg).values() if "+7 leaves" in node_text(g))
    assert "n 61" in node_text(stub)
    whole = nodes(tree_svg(tree, found, view))
    assert len(whole) == tree.n_nodes
    folded = nodes(tree_svg(tree, found, replace(view, collapsed=frozenset({0}))))
    assert list(folded) == [0]


def test_boxes_never_overlap_and_parents_stand_over_the_middle_of_their_children():
    tree, _, _ = chain(9)
    seats = tidy(tree)
    placed = place(seats, 808, lambda seat, slot, room: (min(room, 300.0), 100.0))
    assert placed.slot >= 64
    boxes = list(placed.rectangles.values())
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.bottom <= b.y or b.bottom <= a.y
            assert apart
    for node, seat in seats.items():
        if seat.kind == "split":
            ends = [seats[child].centre for child in tree.children(node)]
            assert seat.centre == pytest.approx((ends[0] + ends[-1]) / 2)
    wide = place(seats, 300, lambda seat, slot, room: (min(room, 300.0), 100.0))
    assert wide.width >= 64 * tree.n_leaves


def test_ribbons_are_as_wide_as_their_patients(fitted):
    _, _, tree, found, view = fitted
    ribbons = [p for p in parse(tree_svg(tree, found, view)).iter(f"{SVG}path") if p.get("data-child")]
    assert len(ribbons) == tree.n_nodes - 1
    for path in ribbons:
        wanted = max(48 * float(tree.weight[int(path.get("data-child"))]) / float(tree.weight[0]), 1.0)
        assert float(path.get("stroke-width")) == pytest.approx(wanted, abs=0.06)


def test_only_four_type_sizes_and_no_certain_probability(fitted):
    model, frame, tree, found, view = fitted
    case = model.case(frame.iloc[0])
    for svg in (tree_svg(tree, found, view), patient_svg(tree, case, found, view)):
        assert set(re.findall(r"font-size:(\d+)px", svg)) <= {"12", "14", "18", "26"}
        for said in texts(svg):
            assert said not in ("0 %", "100 %", "1.00", "0.00")
    assert probability_text(1.0) == "> 0.999"
    assert probability_text(0.0) == "< 0.001"
    assert percent_text(0.0) == "< 1 %"
    assert percent_text(1.0) == "> 99 %"
    assert share_text(0.0) == "none"
    assert share_text(1.0) == "all"
    assert probability_text(0.6996, 0.7) != probability_text(0.7)


def test_themes_share_one_picture(fitted):
    _, _, tree, found, view = fitted
    svg = tree_svg(tree, found, view)
    assert 'data-theme="auto"' in svg
    assert with_theme(svg, "dark").replace('data-theme="dark"', 'data-theme="auto"', 1) == svg
    assert "#11161D" in svg
    assert "#FFFFFF" in svg


def test_the_patient_shows_the_shares_of_the_case(fitted):
    model, frame, tree, found, view = fitted
    for row in range(0, 60, 7):
        case = model.case(frame.iloc[row])
        svg = patient_svg(tree, case, found, view)
        drawn = nodes(svg)
        for place_, node in enumerate(int(leaf) for leaf in tree.leaves):
            assert share_text(float(case.shares[place_])) in node_text(drawn[node])
        lit = [p for p in parse(svg).iter(f"{SVG}path") if p.get("class") == "ribbon lit"]
        hard = [v for v in range(1, tree.n_nodes) if case.reach_hard[v] > 0]
        assert sorted(int(p.get("data-child")) for p in lit) == hard
        for step in case.path:
            value = node_text(drawn[step.node])
            assert f"{(step.distance_in_sigma and abs(step.distance_in_sigma)) or 0:.2f} σ" in value or step.sigma == 0
        narrow = path_svg(tree, case, found, replace(view, width=352))
        assert share_text(float(case.reach[int(tree.leaves[int(np.argmax(case.reach_hard[tree.leaves]))])])) in texts(
            narrow
        )


def test_a_patient_with_missing_values_is_drawn(fitted):
    model, frame, tree, found, view = fitted
    row = frame.iloc[0].copy()
    row["glucose"] = np.nan
    case = model.case(row)
    svg = patient_svg(tree, case, found, view)
    assert any("missing" in said for said in texts(svg))
    parse(path_svg(tree, case, found, view))
    assert "missing" in "".join(texts(FieldStrip(frame["glucose"]).svg(None, 0.0)))


def test_small_pictures_say_what_the_case_says(fitted):
    model, frame, tree, found, view = fitted
    case = model.case(frame.iloc[2])
    counts = hundred_counts(case.answer_shares)
    assert sum(count for _, count in counts) == 100
    marks = hundred_marks_svg(case.answer_shares, view)
    for answer, count in counts:
        assert f"{count} {'abstain' if answer is None else answer}" in texts(marks)
    ways = texts(four_ways_svg(case, view))
    k = tree.classes.index("diabetes")
    for way, p in case.probabilities.items():
        assert way in ways
        assert probability_text(float(p[k])) in ways
    bars = texts(stability_bars_svg(tree, case, view, rows=tree.n_leaves))
    top = int(np.argmax(case.shares))
    assert share_text(float(case.shares[top])) in bars
    assert any(f"leaf {top + 1}" in said for said in bars)
    for svg in (
        nearest_change_svg(case, view),
        repeat_svg(case, view),
        tau_strip_svg(tree, view, marked=int(tree.leaves[top])),
    ):
        parse(svg)
    said = texts(parts_svg(found, 0, view))
    for n in found.split_counts(0).n[:3]:
        assert f"{n} patients" in said


def test_legends_and_figures_draw(fitted):
    _, _, tree, _, view = fitted
    parse(tree_legend_svg(tree, view))
    parse(patient_legend_svg(view))
    figure = gain_curve_figure(
        exact=([1, 2, 3], [0.1, 0.3, 0.2]),
        soft=([1, 2, 3], [0.1, 0.2, 0.2]),
        zone=(1.5, 2.5),
        chosen=2.0,
        exact_best=2.5,
    )
    assert {trace.name for trace in figure.data} >= {"exact search", "soft search"}
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
    gain_curve_figure(exact=([], []), soft=None, chosen=1.0)
    larger_noise_figure(np.linspace(0, 3, 31), np.linspace(0, 1, 31), dark=True)
    for values in ([], [np.nan], [3.0, 3.0]):
        parse(variable_svg(np.array(values, dtype=float)))
        parse(FieldStrip(np.array(values, dtype=float)).svg(1.0, 0.5))


def test_dot_text_keeps_the_answers_and_marks_abstention(fitted):
    _, _, tree, found, view = fitted
    dot = tree_dot(tree, found, view)
    assert dot.count("->") == tree.n_nodes - 1
    assert dot.count("dashed") == sum(answer is None for answer in view.leaf_answers)
    assert "Abstains:" in dot
    assert "fontcolor" in dot


def test_rules_read_as_the_tree(fitted):
    model, _, tree, _, view = fitted
    text = rules_text(tree, view.leaf_answers, "tau", 0.8, {"glucose": "mg/dL"}, noise=model.noise_evaluation_)
    assert text.count("abstain (P") == sum(answer is None for answer in view.leaf_answers)
    for number in range(1, tree.n_leaves + 1):
        assert f"leaf {number}," in text
    assert "mg/dL" in text
    assert "measurement error" in text
    assert "not a certified medical device" in text


SIGN = {"≤": np.less_equal, "<": np.less, ">": np.greater, "≥": np.greater_equal}


def follow(text, row, units):
    """Return the number of the leaf that the written rules lead a patient to."""
    depth = 0
    for line in text.splitlines():
        stripped = line.strip()
        if (len(line) - len(line.lstrip())) // 4 != depth or stripped.startswith("#"):
            continue
        if stripped.startswith("if "):
            test = stripped.removeprefix("if ").split("  [")[0]
            name = next(name for name in row if test.startswith(f"{name} "))
            sign, cut = test.removeprefix(f"{name} ").removesuffix(f" {units.get(name, '')}").strip().split(" ")
            depth += bool(SIGN[sign](row[name], float(cut.replace("−", "-"))))
        elif ": leaf " in stripped:
            return int(stripped.split(": leaf ")[1].split(",")[0])
    raise AssertionError("the rules lead nowhere")


@pytest.mark.parametrize("known", [True, False])
def test_the_rules_put_every_training_patient_into_the_leaf_the_tree_does(fitted, known):
    model, frame, tree, found, view = fitted
    told = {"edge_text": found.edge_text} if known else {}
    text = rules_text(tree, view.leaf_answers, "tau", 0.8, view.units, noise=model.noise_evaluation_, **told)
    hard = reach(tree, model.encode(frame), "hard")[:, tree.leaves].argmax(axis=1)
    for row, leaf in zip(frame.to_dict("records"), hard, strict=True):
        assert follow(text, row, view.units) == leaf + 1


@pytest.mark.parametrize("closed", [True, False])
def test_a_threshold_between_close_readings_is_written_so_that_it_parts_them(closed):
    a, b = 1234567.0000001, 1234567.0000002
    root = grown(
        [1, 1], 0, [grown([1, 0], 1), grown([0, 1], 1)], variable=0, gate=BINARY, closed_le=closed,
        threshold=a if closed else b,
    )  # fmt: skip
    tree, found, _ = picture_of(root, ["x"], [None], ("no", "yes"), [[a], [b]], [0, 1])
    for told in ((), (found.edge_text,)):
        left, right = branch_tests(tree, 0, *told)
        for test, value in ((left, a), (right, b)):
            sign, cut = test.split(" ")
            assert SIGN[sign](value, float(cut))


def test_numbers_are_written_to_the_last_digit_where_it_matters():
    for value in (0.1, 140.75, -3.0, 1e-7, 123456789012.5, 1 / 3, 5e-324, 1.7e308, 2.0**53):
        assert float(exact_text(value).replace("−", "-")) == value
    assert exact_text(140.0) == "140"
    assert exact_text(-1e-7) == "−0.0000001"
    assert shortest(0.3, 0, lambda x: x == 0.1 + 0.2 - 5e-17) in ("0.3", exact_text(0.3))


def test_a_difference_of_a_percentage_is_said_in_points():
    assert difference_unit("%") == "points"
    assert difference_unit("%", whole_words=True) == "percentage points"
    assert difference_unit("% of predicted") == "points (% of predicted)"
    assert difference_unit("mg/dL") == "mg/dL"
    assert error_text("5", "%") == "± 5 points"
    assert error_text("5", "") == "± 5"


@pytest.mark.parametrize(("chosen", "best"), [(1.1, 1.2), (1.2, 1.1), (2.9, 2.8), (1.0, None), (2.0, 2.1), (3.0, 1.0)])
def test_the_labels_of_the_gain_curve_are_neither_cut_nor_covered(chosen, best):
    places = np.linspace(1, 3, 41)
    figure = gain_curve_figure(
        exact=(places, places / 9), soft=(places, places / 10), chosen=chosen, exact_best=best, chosen_text="1.1"
    )
    low, high = figure.layout.xaxis.range
    labels = figure.layout.annotations
    assert labels[0].text == "chosen 1.1"
    assert len(labels) == (1 if best is None else 2)
    for label in labels:
        part = (label.x - low) / (high - low)
        assert (1 - part if label.xanchor == "left" else part) >= 0.4
    assert len({(label.xanchor, label.yanchor) for label in labels}) == len(labels)


def test_set_and_cost_answers_are_words():
    tree, found, view = stump()
    both = replace(view, decision="set", tau=0.9, leaf_answers=(frozenset({"no", "yes"}), frozenset({"yes"})))
    said = node_text(nodes(tree_svg(tree, found, both))[1])
    assert "No or yes" in said
    assert "≥ τ 0.90" in said
    cost = replace(view, decision="cost", leaf_answers=(None, "yes"))
    assert "Abstains" in node_text(nodes(tree_svg(tree, found, cost))[1])


def test_parts_of_a_patient_are_decimals_even_where_a_leaf_weighs_a_whole_number():
    tree, found, view = stump()
    assert not is_fractional(tree)
    left, right = grown([1.3, 0.7], 1), grown([0.7, 1.3], 1)
    root = grown([2, 2], 0, [left, right], variable=0, gate=BINARY, threshold=5.5)
    tree, found, view = picture_of(root, ["x"], [None], ("no", "yes"), [[1.0], [2.0], [9.0], [10.0]], [0, 1, 0, 1])
    assert is_fractional(tree)
    assert "2.0" in tree_table(tree, found, view)["Patients"].to_list()


def test_a_distance_to_a_threshold_is_what_the_printed_figures_say():
    values = np.array([[1200.0], [1267.0], [1270.0], [1376.0], [1500.0]])
    left, right = grown([2, 0], 1), grown([0, 3], 1)
    for theta, reading, sigma in ((1268.5, 1269.0, 0.0), (1268.5, 1376.0, 0.0), (1268.5, 1268.6, 0.1)):
        root = grown([2, 3], 0, [left, right], variable=0, gate=BINARY, threshold=theta)
        tree, found, view = picture_of(root, ["x"], [None], ("no", "yes"), values, [0, 0, 1, 1, 1])
        case = SimpleNamespace(
            values={"x": reading}, sigma={"x": sigma}, reach_hard=np.array([1.0, 0.0, 1.0]), gates=[(0.1, 0.9), (), ()],
            reach=np.array([1.0, 0.1, 0.9]), answer="yes",
        )  # fmt: skip
        for draw in (patient_svg, path_svg):
            said = next(text for text in texts(draw(tree, case, found, view)) if " above " in text)
            distance, shown = said.split(" above ")
            if sigma:
                distance = float(distance.removesuffix(" σ")) * sigma
                assert reading - float(shown) == pytest.approx(distance, abs=0.01 * sigma)
            else:
                assert reading - float(shown) == pytest.approx(float(distance), abs=1e-12)
                assert float(distance) == pytest.approx(reading - theta, rel=0.01)


def test_nearest_changes_of_exact_readings_are_ranked_on_their_own_scale_and_a_tiny_sigma_draws():
    view = View(classes=("no", "yes"), leaf_answers=("no", "yes"))
    case = SimpleNamespace(
        nearest_shown_change={"chol": 20.0, "age": -0.5, "bp": 3.0, "none": None},
        sigma={"chol": 0.0, "age": 0.0, "bp": 2.0},
        nearest_shown_category={},
    )
    assert nearest_first(case, {"chol": 50.0, "age": 9.0, "bp": 17.0}) == ["bp", "age", "chol"]
    case.sigma = dict.fromkeys(case.sigma, 1e-320)
    assert "over a million σ" in " ".join(texts(nearest_change_svg(case, view)))


def test_values_at_the_end_of_the_floats_draw():
    for values in ([-1.5e308, 1.5e308, 0.0, 1.0], [1e-320, 2e-320, 3e-320], [5e-324, 0.0]):
        column = np.array(values)
        axis = axis_of(column)
        assert np.isfinite([axis.low, axis.high, axis.step]).all()
        parse(variable_svg(column, [0.5], 1.0))
        parse(FieldStrip(column).svg(values[0], 1e300))


def test_the_soft_curve_sets_the_scale_of_a_soft_search_and_equal_peaks_are_both_found():
    places = np.linspace(-2, 2, 41)
    humps = 0.05 + 0.01 * np.exp(-((np.abs(places) - 1) ** 2))
    shown = {}
    for soft_search in (False, True):
        figure = gain_curve_figure(
            exact=([-1.1, 1.1], [0.4, 0.4]), soft=(places, humps), chosen=-1.0, exact_best=-1.1, soft_search=soft_search
        )
        shown[soft_search] = figure.layout.yaxis.range[1]
        assert max(each.y for each in figure.layout.annotations) <= shown[soft_search]
    assert shown[True] < 0.12 < 0.4 < shown[False]
    np.testing.assert_allclose(best_thresholds((places, humps)), [-1, 1])
    assert best_thresholds(None) == []
    assert figure.layout.xaxis.tickfont.size == 12


def test_names_that_begin_alike_are_cut_where_they_differ():
    names = ["tested negative", "tested positive"]
    assert fit_apart(names[1], names, 200) == names[1]
    assert {fit_apart(name, names, 50)[:3] for name in names} == {"…ne", "…po"}
    assert fit_apart("a long name of its own", names, 50).startswith("a long")


def test_a_branch_the_patient_does_not_take_is_dotted_and_not_faded(fitted):
    model, frame, tree, found, view = fitted
    svg = patient_svg(tree, model.case(frame.iloc[0]), found, view)
    assert "opacity:.5" not in svg
    assert 'class="node dim"' in svg


def test_one_patient_is_no_patients():
    left, right = grown([1, 0], 1), grown([0, 3], 1)
    root = grown([1, 3], 0, [left, right], variable=0, gate=BINARY, threshold=1.5)
    _, found, view = picture_of(root, ["x"], [None], ("no", "yes"), [[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 1])
    assert {"1 patient", "3 patients"} <= set(texts(parts_svg(found, 0, view)))


def naive_bayes():
    """A small fitted tree of bins with naive Bayes leaves, its evidence and view."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 300).astype(float), "sex": rng.choice(["f", "m"], 300)})
    frame["bmi"] = np.where(rng.random(300) < 0.5, 21.0, 35.0) + rng.normal(0, 0.5, 300)
    labels = np.where((frame["age"] > 50) ^ (frame["bmi"] > 28), "yes", "no")
    model = variant("CITree", pruning="none", max_depth=1, n_bins=6, decision="tau", tau=0.9).fit(frame, labels)
    tree, values = model.tree_, model.encode(frame)
    one_hot = (np.asarray(labels)[:, None] == np.asarray(model.classes_)[None, :]).astype(float)
    found = evidence(tree, values, one_hot, np.ones(300), reach(tree, values, "hard"), model.noise_evaluation_)
    view = View(
        classes=tree.classes, leaf_answers=tuple(model.leaf_answers()), decision="tau", tau=0.9, positive="yes"
    )
    return model, frame, tree, found, view


def test_naive_bayes_leaves_give_only_their_prior():
    model, frame, tree, found, view = naive_bayes()
    drawn = nodes(tree_svg(tree, found, view))
    for leaf in map(int, tree.leaves):
        said = node_text(drawn[leaf])
        assert "Abstain" not in said
        assert "unanswered" not in ElementTree.tostring(drawn[leaf], encoding="unicode")
        assert "depends on the other readings" in drawn[leaf].get("aria-label")
    rules = rules_text(tree, view.leaf_answers, "tau", 0.9)
    assert "abstain" not in rules
    assert "answer yes" not in rules
    assert "class prior" in rules
    assert "these rules alone do not give it" in rules
    dot = tree_dot(tree, found, view)
    assert "class prior" in dot
    assert "Abstains" not in dot
    assert any("class prior" in said for said in texts(tree_legend_svg(tree, view)))
    case = model.case(frame.iloc[0])
    lit = next(int(leaf) for leaf in tree.leaves if case.reach_hard[leaf] > 0)
    wanted = view.answer(case.leaf_answers[list(tree.leaves).index(lit)])
    assert wanted.capitalize()[:6] in node_text(nodes(patient_svg(tree, case, found, view))[lit])


def test_bins_are_named_by_their_edges_and_drawn_between_them():
    model, frame, tree, found, view = naive_bayes()
    if tree.gate[0] != BINS:
        pytest.skip("the root parts a category")
    counts = found.histogram(0).counts.sum(axis=1)
    column = frame[tree.variables[int(tree.variable[0])]]
    edges = [-np.inf, *found.bin_cuts(0), np.inf]
    wanted = [((column > a) & (column <= b)).sum() for a, b in pairwise(edges)]
    np.testing.assert_allclose(counts[: len(wanted)], wanted)
    said = " ".join(texts(parts_svg(found, 0, view, width=500)))
    assert re.search(r"\d – \d", said)
    case = model.case(frame.iloc[0])
    assert "in the bin" in node_text(nodes(patient_svg(tree, case, found, view))[0])
    parse(path_svg(tree, case, found, view))


def test_a_middle_branch_without_width_says_so():
    sides = [grown([4, 1], 1), grown([0, 0], 1), grown([1, 4], 1)]
    sides[1].probability = np.array([0.5, 0.5])
    root = grown([5, 5], 0, sides, variable=0, gate=MIDDLE, threshold=5.5, delta=0.0)
    x = np.arange(1.0, 11.0)[:, None]
    tree, found, view = picture_of(root, ["x"], [None], ("no", "yes"), x, [0, 0, 0, 1, 0, 1, 1, 0, 1, 1])
    assert "no zone" in texts(tree_svg(tree, found, view))
    assert "without width: nobody" in rules_text(tree, view.leaf_answers)


def test_many_branches_open_no_wider_than_forty_slots():
    _, _, tree, _, _ = naive_bayes()
    assert View.open_depth(tree) is None
    rows = [grown([2, 1], 2) for _ in range(60)]
    names = tuple(f"c{k}" for k in range(60))
    inner = grown([120, 60], 1, rows, variable=1, gate=NOMINAL, codes=np.arange(60, dtype=np.int32))
    root = grown([121, 61], 0, [inner, grown([1, 1], 1)], variable=0, gate=BINARY, threshold=0.5)
    assert View.open_depth(freeze(root, ["x", "y"], [None, names], ("no", "yes"))) == 1


def test_what_is_folded_opens_where_the_reader_or_the_patient_is():
    tree, found, view = chain(9)
    node = next(k for k in range(tree.n_nodes) if tree.depth[k] == 4 and not tree.is_leaf(k))
    folded = View.folds(tree, 3, tree.path(node))
    drawn = nodes(tree_svg(tree, found, replace(view, collapsed=folded, selected=node)))
    assert set(tree.children(node)) <= set(drawn)
    assert len(drawn) < tree.n_nodes
    assert View.folds(tree, None, ()) == frozenset()


def test_the_bars_of_a_cut_outcome_are_its_patients_in_the_colours_of_their_labels():
    values = np.append(np.round(np.random.default_rng(3).normal(0, 8, 300), 2), np.nan)
    cut = (-6.24, 6.24)
    boxes = [each for each in ElementTree.fromstring(cut_svg(values, cut)).iter() if each.tag.endswith("rect")]
    tall = dict.fromkeys(("var(--c1)", "var(--third)", "var(--c0)"), 0.0)
    for each in boxes:
        if each.get("fill") in tall:
            tall[each.get("fill")] += float(each.get("height"))
    counts = np.array([(values < -6.24).sum(), ((values >= -6.24) & (values <= 6.24)).sum(), (values > 6.24).sum()])
    heights = np.array(list(tall.values()))
    assert np.allclose(heights / heights.sum(), counts / counts.sum(), atol=0.01)


@pytest.mark.parametrize("cut", [(1e9, 1e300), (-1e300, -1e9), (-1e300, 1e300), (0.1, 0.1), (5.0, 1e308)])
@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [5.0, 5.0], [np.nan], [], [-1.7e308, 1.7e308, 0.0]])
def test_a_cut_far_from_every_value_still_draws_a_small_picture(values, cut):
    svg = cut_svg(np.array(values, dtype=float), cut, name="<b>", unit="&")
    ElementTree.fromstring(svg)
    assert "NaN" not in svg
    assert len(svg) < 20_000


def test_rules_are_short_and_part_the_training_patients_alike():
    random = np.random.default_rng(4)
    X = np.round(random.normal(3.5, 0.4, (160, 2)), 2)
    y = np.where(X[:, 0] + random.normal(0, 0.2, 160) > 3.5, "ill", "well")
    for arguments in ({}, {"zone": "gain_ratio", "criterion": "gini"}, {"threshold": "value"}):
        model = UncertainTreeClassifier(max_depth=3, min_weight_leaf=8, **arguments).fit(X, y)
        tree = model.tree_
        text = rules_text(tree, values=X)
        assert not re.search(r"\d\.\d{5,}", text)
        edge = short_edges(tree, X)
        for node in np.flatnonzero(tree.n_children > 0):
            theta, column = float(tree.threshold[node]), X[:, tree.variable[node]]
            short = float(edge(int(node), theta).replace("−", "-"))
            side = np.less_equal if tree.closed_le[node] else np.less
            np.testing.assert_array_equal(side(column, short), side(column, theta))
    on_a_patient = np.array([[0.1 + 0.2], [0.1 + 0.2], [0.5], [0.6]])
    tree = UncertainTreeClassifier(threshold="observed", min_weight_leaf=1).fit(on_a_patient, list("aabb")).tree_
    assert (on_a_patient[:, 0] <= float(short_edges(tree, on_a_patient)(0, float(tree.threshold[0])))).sum() == 2


def test_a_threshold_is_written_as_elsewhere_on_the_page():
    values = np.array([1.3, 1.31, 1.35, 1.4])
    assert "1.32500" not in variable_svg(values, [1.325])
    assert variable_svg(values, [1.325], texts={1.325: "1.32500"}).count("1.32500") == 2  # on the axis and in the label


def a_case(**known):
    """Return what the cards read of a case, nothing of it but what is stated."""
    held = {"sigma": {}, "nearest_shown_change": {}, "nearest_shown_category": {}, "repeat_advice": {}}
    return SimpleNamespace(**(held | known))


def test_a_long_text_goes_on_below_and_loses_nothing_it_has_lines_for():
    text = "No gain: Creatinine, Systolic pressure, Left ventricular ejection fraction"
    lines = wrapped(text, 172, lines=3)
    assert " ".join(lines) == text
    assert all(text_width(line) <= 172 for line in lines)
    assert [*wrapped(text, 172, lines=2)][-1].endswith("…")
    assert wrapped("short", 172, lines=3) == ["short"]


def test_the_repeat_card_names_every_measurement_that_would_not_help():
    gains = {"Ejection fraction": 0.01, "Creatinine": 0.0, "Systolic pressure": 0.0}
    view = View(("no", "yes"))
    said = texts(repeat_svg(a_case(certainty=0.9, repeat_advice=gains), view, width=150))
    assert "No gain: Creatinine, Systolic pressure" in " ".join(said)


def test_a_long_name_does_not_push_the_change_out_of_its_card():
    name = "Left ventricular ejection fraction by echocardiography"
    case = a_case(nearest_shown_change={name: 3.0, "Age": 2.0}, nearest_shown_category={name: "a category"})
    said = texts(nearest_change_svg(case, View(("no", "yes")), width=172))
    assert "+3 (exact)" in said
    assert "a category" in said
    assert "Age +2 (exact)" in said  # where there is room both stand on one line


def test_a_set_of_one_class_is_counted_once():
    view = View(("no", "yes"), decision="set")
    shares = [(frozenset({"no", "yes"}), 0.9), (frozenset({"no"}), 0.1)]
    said = texts(hundred_marks_svg(shares, view))
    assert said == ["90 no or yes", "10 no", "0 yes"]


def test_the_sign_of_a_cut_is_as_wide_as_it_is_drawn():
    assert text_width("…") > 9  # in Source Sans three full stops, not one letter
    assert text_width(fit("Intensive care", 40)) <= 40


def test_a_legend_explains_no_mark_that_the_picture_cannot_hold():
    x = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    model = UncertainTreeClassifier(max_depth=1, noise=Noise(sigma={"x": 0.4})).fit(x, [0, 0, 0, 0, 1, 1, 1, 1])
    exact = UncertainTreeClassifier(max_depth=1).fit(x, [0, 0, 0, 0, 1, 1, 1, 1])
    view = View((0, 1), leaf_answers=(0, 1))
    assert any("1.96 σ" in said for said in texts(tree_legend_svg(model.tree_, view)))
    assert not any("σ" in said for said in texts(tree_legend_svg(exact.tree_, view, noisy=False)))
    told = texts(patient_legend_svg(view, model.tree_, model.case(x.iloc[3])))
    assert len(told) == 3
    assert texts(patient_legend_svg(view, exact.tree_, exact.case(x.iloc[3]))) == ["path of the reading"]


def test_the_words_of_the_path_have_the_reading_on_the_side_it_goes():
    x = pd.DataFrame({"x": np.array([0.91, 1.2, 1.3, 1.37, 1.7, 2.0])})
    model = UncertainTreeClassifier(max_depth=1, min_weight_leaf=1).fit(x, [0, 0, 0, 1, 1, 1])
    values, labels = x.to_numpy(), np.eye(2)[[0, 0, 0, 1, 1, 1]]
    told = evidence(model.tree_, values, labels, np.ones(6), reach(model.tree_, values, "hard"))
    for reading in (1.3349, 1.3351):
        case = model.case(pd.Series({"x": reading}))
        step = path_steps(model.tree_, case, told, View((0, 1), leaf_answers=(0, 1)))[0]
        sign, cut = re.search(r"on: (≤|>) (\d+\.\d+)", step).groups()
        assert (reading <= float(cut)) == (sign == "≤")


def test_a_text_is_cut_to_the_longest_part_that_has_room_however_long_it_is():
    for text in ("glucose", "Wm·漢字 iii", "🙂" * 40, "a" * 30):
        for width in range(0, 200, 7):
            cut = fit(text, width, 14, True)
            if text_width(text, 14, True) > width:
                ends = [text[:k] for k in range(len(text) + 1) if text_width(text[:k] + "…", 14, True) <= width]
                assert cut == max(ends, key=len, default="").rstrip() + "…"
            else:
                assert cut == text
    start = time.perf_counter()
    assert len(fit("L" * 100_000, 200)) < 60
    assert time.perf_counter() - start < 5
