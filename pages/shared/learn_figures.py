"""The lessons' figures with their controls: each reads what was set, asks the engine, draws, and notes what is moved.

In: this session's settings of a lesson, whether its answer is still covered. Out: drawn figures, tables in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine import lessons
from engine.draw import lesson_charts as charts
from engine.draw import lesson_maps as maps
from engine.number_words import number_text
from pages.shared import learn_words as said
from pages.shared import state, widgets, words
from pages.shared.learn_view import lesson_view
from pages.shared.tree_view import svg_view

WIDE, SMALL, BESIDE = 640, 344, 300
MOST_OPEN = 12
Draw = Callable[[int], str]


def held(lesson: str, name: str, default: Any) -> Any:
    """Return what the reader set, or how the lesson begins."""
    return state.learning().settings.get((lesson, name), default)


def slider(lesson: str, name: str, label: str, low: float, high: float, step: float, default: float) -> float:
    """Draw a slider of a lesson; what is dragged in the figure moves it too."""
    value = float(held(lesson, name, default))
    st.slider(
        label, low, high, step=step, format="%g",
        **widgets.bind(f"{lesson}_{name}", value, partial(state.set_lesson, lesson, name)),
    )  # fmt: skip
    return value


def choice(lesson: str, name: str, label: str, options: dict[Any, str], default: Any, quiet: bool = False) -> Any:
    """Draw a row of options of a lesson."""
    value = held(lesson, name, default)

    def chosen(new: Any) -> None:
        if new is not None:
            state.set_lesson(lesson, name, new)

    st.segmented_control(
        label, list(options), format_func=options.__getitem__, label_visibility="collapsed" if quiet else "visible",
        **widgets.bind(f"{lesson}_{name}", value, chosen),
    )  # fmt: skip
    return value


def show(lesson: str, draw: Draw, projector: bool, moved: Callable[[str, float], None]) -> None:
    """Show a figure, and hand on what the reader moved in it."""
    told = lesson_view(draw(WIDE), draw(SMALL), f"figure_{lesson}", projector)
    if told is not None:
        moved(*told)
        st.rerun()


def numbers(hidden: bool, rows: Iterable[tuple[Any, ...]], heads: list[str]) -> None:
    """Draw the figure's numbers as a table, once they may be seen."""
    if not hidden:
        with st.expander(said.NUMBERS):
            st.dataframe(pd.DataFrame(list(rows), columns=heads), hide_index=True)


def put(lesson: str) -> Callable[[str, float], None]:
    """Return what notes a mark moved in a lesson whose marks are its settings."""
    return lambda name, value: state.set_lesson(lesson, name, value)


def the_points() -> tuple[float, ...]:
    """Return the four points of the present set."""
    which = held("points", "set", "noisy")
    return {"clean": lessons.CLEAN, "noisy": lessons.NOISY}.get(which) or held("points", "yours", lessons.NOISY)


def points(hidden: bool, projector: bool) -> None:
    """Four points: drag any; both gain curves."""
    left, right = st.columns([3, 2])
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        which = choice("points", "set", "Points", said.SETS, "noisy", quiet=True)
    sigma, now = float(held("points", "sigma", 1.6)), the_points()
    found = lessons.four_points(now, sigma)
    left.markdown(f"## {'Four patients, four bells' if hidden else said.tops(found)}")

    def moved(name: str, value: float) -> None:
        place = int(name.removeprefix("point"))
        state.set_lesson("points", "yours", (*now[:place], round(value, 1), *now[place + 1 :]))
        state.set_lesson("points", "set", "yours")

    show("points", lambda wide: charts.four_points_svg(found, hidden, which == "noisy", wide), projector, moved)
    slider("points", "sigma", "Noise σ", 0.1, 3.0, 0.1, 1.6)
    rows = [("exact", number_text(x), f"{gain:.3f}") for x, gain in zip(*found.exact, strict=True)]
    rows += [("soft, best", charts.cut_text(cut), f"{found.top_gain:.3f}") for cut in found.tops]
    numbers(hidden, rows, ["Search", "Cut", "Gain in bits"])


def order(hidden: bool, projector: bool) -> None:
    """Two points: how often their readings keep their order."""
    draws, seed = held("order", "draws", 1000), held("order", "seed", 1)
    found = lessons.two_points(float(held("order", "sigma", 2.0)), draws, seed)
    told = f"At σ {number_text(found.sigma)}: {100 * found.right:.1f} of 100 keep their order"
    st.markdown(f"## {'Two patients, two bells' if hidden else told}")
    show("order", lambda wide: charts.two_points_svg(found, hidden, wide), projector, put("order"))
    slider("order", "sigma", "Noise σ", 0.1, 8.0, 0.1, 2.0)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        choice("order", "draws", "Simulated pairs", {100: "100", 1000: "1,000", 10000: "10,000"}, 1000)
    right.button("Simulate again", key="again", on_click=state.set_lesson, args=("order", "seed", seed + 1))
    at_dots = (lessons.order_kept(lessons.ORDER_DOTS), lessons.order_as_printed(lessons.ORDER_DOTS))
    rows = [
        (number_text(at), f"{right:.4f}", f"{share:.4f}", f"{low:.3f} to {high:.3f}", f"{printed:.4f}")
        for (at, share, low, high), right, printed in zip(found.dots, *at_dots, strict=True)
    ]
    numbers(hidden, rows, ["σ", "Φ(4/(√2·σ))", "Simulated", "95 % range", "As printed"])


def missed(hidden: bool, projector: bool) -> None:
    """The ejection fraction: one reading, and the errors of a tree read twice."""
    depth, sigma = held("missed", "depth", 1), float(held("missed", "sigma", 5.0))
    found = lessons.missed(float(held("missed", "reading", 33.0)), sigma, depth)
    told = "" if hidden else f": P {found.at_hard:.2f} read hard, {found.at_soft:.2f} read soft"
    st.markdown(f"## A reading of {number_text(found.reading)} %{told}")
    show("missed", lambda wide: charts.missed_svg(found, hidden, wide), projector, put("missed"))
    slider("missed", "reading", "Ejection fraction read, %", 15.0, 60.0, 1.0, 33.0)
    slider("missed", "sigma", "Noise σ, percentage points", 0.5, 10.0, 0.5, 5.0)
    choice("missed", "depth", "Questions the tree may ask", {1: "one level", 2: "two", 3: "three"}, 1)
    rows = [
        (f"{where}, read {name}", *(int(n) for n in (c[1, 1], c[1, 0], c[0, 0], c[0, 1])))
        for where, table in (("all left out", found.counts), ("within σ of the threshold", found.near))
        for name, c in table.items()
    ]
    numbers(hidden, rows, ["Patients", "Worse, found", "Worse, missed", "Well, left alone", "Well, false alarm"])
    st.caption(words.plain(said.TABLE_II))


def moons(hidden: bool, projector: bool) -> None:
    """Two moons: five zones, two routings."""
    zone = choice("moons", "zone", "How the zone is drawn", said.ZONES, "gain_ratio")
    routing = choice("moons", "routing", "How a patient in a zone is read", said.ROUTINGS, "zone")
    found = lessons.two_moons(zone, routing)
    rate, right = found.told.boundary_uncertain_rate or 0.0, found.told.decided_accuracy or 0.0
    told = f"{100 * rate:.0f} % undecided; {100 * right:.0f} % of the decided are right"
    st.markdown(f"## {'Two moons, 200 patients' if hidden else told}")
    show("moons", lambda wide: maps.two_moons_svg(found, hidden, wide), projector, put("moons"))
    st.caption("200 patients, depth 3, leaves of at least 5; percentages on 1,000 new patients.")
    if hidden:
        return
    each = [(z, r, lessons.two_moons(z, r).told) for z in lessons.ZONES for r in lessons.ROUTINGS]
    rows = [
        (
            said.ZONES[z],
            said.ROUTINGS[r],
            *(f"{part:.3f}" for part in (t.boundary_uncertain_rate, t.decided_accuracy, t.overall_accuracy)),
        )
        for z, r, t in each
    ]
    numbers(hidden, rows, ["Zone", "Routing", "Undecided", "Decided accuracy", "Overall accuracy"])


def verdict(hidden: bool, projector: bool) -> None:
    """Verdicts: true, false or unknown at each split."""
    names = lessons.verdict((1, 1, 0)).names
    states = []
    for place, (name, column) in enumerate(zip(names, st.columns(3), strict=True)):
        with column:
            states.append(choice("verdict", f"split{place}", name, said.STATES, (1, 1, 0)[place]))
    found = lessons.verdict((states[0], states[1], states[2]))
    show("verdict", lambda wide: maps.verdict_svg(found, hidden, wide), projector, put("verdict"))
    rows = [
        (f"leaf {k}", maps.LEAF_WORDS[state], f"{share:.2f}")
        for k, (state, share) in enumerate(zip(found.leaves, found.shares, strict=True), start=1)
    ]
    numbers(hidden, rows, ["Leaf", "Is the patient there?", "Share by the zones' gates"])


def open_labels(hidden: bool, projector: bool) -> None:
    """Orthopartition: drag the patients without a label."""
    first, second, n_open = (int(held("open", name, n)) for name, n in (("first", 6), ("second", 2), ("open", 4)))
    placed = held("open", "placed", {})
    where = [int(placed.get(k, 0)) for k in range(n_open)]
    n_first, n_second = where.count(-1), where.count(1)
    found = lessons.orthopartition(first + n_first, second + n_second, where.count(0))
    told = f"Entropy from {found.low:.3f} to {found.high:.3f}, mean {found.mean:.3f}"
    if found.open == 0:
        told = f"Every label settled: entropy {found.mean:.3f}, which is gini"
    st.markdown(f"## {'How mixed is this group?' if hidden else told}")

    def moved(name: str, value: float) -> None:
        state.set_lesson("open", "placed", placed | {int(name.removeprefix("open")): int(value)})

    show("open", lambda wide: maps.orthopartition_svg(found, where, hidden, wide), projector, moved)
    cells = st.columns(4, vertical_alignment="bottom")
    counts = (("first", "Class A", first, 0), ("second", "Class B", second, 0), ("open", "No label", n_open, 1))
    for cell, (name, label, now, least) in zip(cells, counts, strict=False):
        cell.number_input(
            label, least, MOST_OPEN, step=1,
            **widgets.bind(f"open_{name}", now, partial(state.set_lesson, "open", name)),
        )  # fmt: skip
    cells[3].button("All open again", key="reopen", on_click=state.set_lesson, args=("open", "placed", {}))
    rows = [
        ("least, h_*", found.low), ("most, h^*", found.high), ("mean, the criterion", found.mean),
        ("gini of the labelled alone", found.gini), ("P(class A) of a leaf", found.leaf),
    ]  # fmt: skip
    numbers(hidden, [(name, f"{value:.4f}") for name, value in rows], ["Figure", "Value"])


def abstention(hidden: bool, projector: bool) -> None:
    """Abstention: τ against what is answered."""
    found = lessons.abstention(round(float(held("abstention", "tau", 0.7)), 2))
    right = "nobody of a known outcome" if found.accuracy is None else f"{100 * found.accuracy:.0f} % of them rightly"
    st.markdown(f"## {'250 patients left out' if hidden else f'{100 * found.coverage:.0f} % answered, {right}'}")
    show("abstention", lambda wide: charts.abstention_svg(found, hidden, wide), projector, put("abstention"))
    slider("abstention", "tau", "τ", 0.5, 1.0, 0.01, 0.7)
    st.caption("Accuracy counts patients whose own outcome is known; an open outcome is neither right nor wrong.")
    rows = [
        (f"{at:.2f}", f"{coverage:.3f}", "–" if accuracy != accuracy else f"{accuracy:.3f}")
        for at, coverage, accuracy in zip(found.taus[::5], found.coverages[::5], found.accuracies[::5], strict=True)
    ]
    numbers(hidden, rows, ["τ", "Answered", "Right, of those"])


def tests(hidden: bool, projector: bool) -> None:
    """Two tests: naive Bayes alone, and after the tree's split."""
    rule = choice("tests", "rule", "The ill have …", said.RULES, "differ")
    follow = float(held("tests", "follow", 100)) / 100
    found = lessons.two_tests(rule, follow)
    told = f"Naive Bayes {100 * found.bayes_accuracy:.0f} % right, the tree {100 * found.tree_accuracy:.0f} %"
    st.markdown(f"## {'80 patients, two tests' if hidden else told}")
    show("tests", lambda wide: maps.two_tests_svg(found, hidden, wide), projector, put("tests"))
    slider("tests", "follow", "Patients for whom the rule holds, %", 50.0, 100.0, 5.0, 100.0)
    signs = ("−", "+")
    rows = [
        (
            signs[a],
            signs[b],
            f"{found.ill[a, b]} of {lessons.PER_CELL}",
            f"{found.bayes[a, b]:.3f}",
            f"{found.tree[a, b]:.3f}",
        )
        for a in (0, 1)
        for b in (0, 1)
    ]
    numbers(hidden, rows, ["First test", "Second test", "Ill", "P(ill), naive Bayes", "P(ill), tree"])


def repeated(hidden: bool, projector: bool) -> None:
    """A variable asked twice: coherent, independent, simulated."""
    reading, sigma = float(held("repeated", "reading", 150.0)), float(held("repeated", "sigma", 20.0))
    low, high = held("repeated", "cuts", (140.0, 160.0))
    found = lessons.repeated(reading, sigma, low, high)
    told = f"Between the cuts: {100 * found.coherent[1]:.0f} % coherent, {100 * found.independent[1]:.0f} % independent"
    st.markdown(f"## {'One reading, two questions' if hidden else told}")
    show("repeated", lambda wide: charts.repeated_svg(found, hidden, wide), projector, put("repeated"))
    slider("repeated", "reading", "Reading", 60.0, 240.0, 1.0, 150.0)
    slider("repeated", "sigma", "Noise σ", 1.0, 40.0, 1.0, 20.0)

    def cuts(new: tuple[float, float]) -> None:
        if new[1] - new[0] >= 2.0:
            state.set_lesson("repeated", "cuts", new)

    st.slider(
        "The two thresholds", 80.0, 220.0, step=1.0, format="%g", **widgets.bind("repeated_cuts", (low, high), cuts)
    )
    names = (f"≤ {number_text(low)}", "between", f"> {number_text(high)}")
    found_shares = (found.coherent, found.independent, found.simulated)
    rows = [
        (name, f"{c:.4f}", f"{i:.4f}", f"{s:.4f}", f"{r[0]:.3f} to {r[1]:.3f}")
        for name, c, i, s, r in zip(names, *found_shares, found.ranges, strict=True)
    ]
    numbers(hidden, rows, ["Leaf", "Coherent", "Independent", "Simulated", "95 % range"])


FIGURES: dict[str, Callable[[bool, bool], None]] = {
    "points": points, "order": order, "missed": missed, "moons": moons, "verdict": verdict, "open": open_labels,
    "abstention": abstention, "tests": tests, "repeated": repeated,
}  # fmt: skip


def figure(lesson: str, hidden: bool, projector: bool = False) -> None:
    """Draw a lesson's figure with its controls; what answers the question is left out while `hidden`."""
    with widgets.sentence():
        FIGURES[lesson](hidden, projector)


def beside(lesson: str, hidden: bool) -> None:
    """Draw the small picture that stands beside some figures."""
    with widgets.sentence(quiet=True):
        if lesson == "points":
            now, sigma = the_points(), float(held("points", "sigma", 1.6))
            found, split = lessons.four_points(now, sigma), lessons.fork(now)
            with st.container(border=True):
                st.markdown("## Best cut as σ grows")
                if not hidden:
                    st.caption(words.plain(said.fork(split)))
                svg_view(charts.fork_svg(split, sigma, found.exact_best, hidden, BESIDE))
        if lesson == "abstention":
            at = lessons.abstention(round(float(held("abstention", "tau", 0.7)), 2))
            with st.container(border=True):
                st.markdown("## Accuracy against coverage")
                st.caption("The surest are answered first; each dot is a leaf's P.")
                svg_view(charts.coverage_svg(at, hidden, BESIDE))
