"""The lessons' figures with their controls: each reads what was set, asks the engine, draws, and notes what is moved.

In: this session's settings of a lesson, whether its answer is still covered. Out: drawn figures, tables in words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from engine import lessons
from engine.draw import lesson_charts as charts
from engine.draw import lesson_maps as maps
from engine.number_words import number_text, percent_text, probability_text
from pages.shared import learn_pictures as pictures
from pages.shared import learn_words as said
from pages.shared import state, widgets, words
from pages.shared.learn_controls import Seen, choice, numbers, show, slider
from pages.shared.learn_pictures import BESIDE
from pages.shared.learn_settings import CLOSEST_CUTS, CUTS, MOST_OPEN, MOST_SEEDS, held
from pages.shared.tree_view import svg_view

ROOM_FOR_MORE = ((0.5, 0.2), (0.5, 0.4), (0.3, 0.3), (0.7, 0.3), (0.5, 0.6), (0.5, 0.0), (0.1, 0.2), (0.9, 0.4))


def points(seen: Seen) -> None:
    """Four points: drag any; both gain curves."""
    left, right = st.columns([3, 2])
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        choice("points", "set", "Points", quiet=True)
    found, drawn = pictures.points(), held("points", "set")
    left.markdown(f"## {'Four patients, four bells' if seen.hidden else said.tops(found)}")

    def moved(name: str, value: float, _: float) -> None:
        if held("points", "set") not in (drawn, "yours"):
            return  # another set was chosen since: of what is told together, a control's choice is taken first
        place, now = int(name.removeprefix("point")), pictures.the_points()
        state.set_lesson("points", "points", (*now[:place], round(value, 1), *now[place + 1 :]))
        state.set_lesson("points", "set", "yours")

    show("points", seen, moved)
    slider("points", "sigma", "Noise σ")
    rows = [("exact", number_text(x), f"{gain:.3f}") for x, gain in zip(*found.exact, strict=True)]
    rows += [("soft, best", charts.cut_text(cut), f"{found.top_gain:.3f}") for cut in found.tops]
    numbers(seen, rows, ["Search", "Cut", "Gain in bits"])


def order(seen: Seen) -> None:
    """Two points: how often their readings keep their order."""
    found, seed = pictures.order(), held("order", "seed")
    kept = "more than 99.9" if found.right > 0.999 else f"{100 * found.right:.1f}"
    told = f"At σ {number_text(found.sigma)}: {kept} of 100 keep their order"
    st.markdown(f"## {'Two patients, two bells' if seen.hidden else told}")
    show("order", seen)
    slider("order", "sigma", "Noise σ")
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        choice("order", "draws", "Simulated pairs")
    after = seed % MOST_SEEDS + 1
    right.button("Simulate again", key="again", on_click=state.set_lesson, args=("order", "seed", after))
    at_dots = (lessons.order_kept(lessons.ORDER_DOTS), lessons.order_as_printed(lessons.ORDER_DOTS))
    rows = [
        (number_text(at), f"{right:.4f}", f"{share:.4f}", f"{low:.3f} to {high:.3f}", f"{printed:.4f}")
        for (at, share, low, high), right, printed in zip(found.dots, *at_dots, strict=True)
    ]
    numbers(seen, rows, ["σ", "Φ(4/(√2·σ))", "Simulated", "95 % range", "As printed"])


def missed(seen: Seen) -> None:
    """The ejection fraction: one reading, and the errors of a tree read twice."""
    found = pictures.missed()
    hard, soft = probability_text(found.at_hard), probability_text(found.at_soft)
    told = "" if seen.hidden else f": P {hard} read hard, {soft} read soft"
    st.markdown(f"## A reading of {number_text(found.reading)} %{told}")
    show("missed", seen)
    slider("missed", "reading", "Ejection fraction read, %")
    slider("missed", "sigma", "Noise σ, percentage points")
    choice("missed", "depth", "Questions the tree may ask")
    rows = [
        (f"{where}, read {name}", *(int(n) for n in (c[1, 1], c[1, 0], c[0, 0], c[0, 1])))
        for where, table in (("all left out", found.counts), ("within σ of the threshold", found.near))
        for name, c in table.items()
    ]
    numbers(seen, rows, ["Patients", "Worse, found", "Worse, missed", "Well, left alone", "Well, false alarm"])
    if not seen.projector:
        st.caption(words.plain(said.TABLE_II))


def moons(seen: Seen) -> None:
    """Two moons: five zones, two routings."""
    choice("moons", "zone", "How the zone is drawn")
    choice("moons", "routing", "How a patient in a zone is read")
    added, found = held("moons", "added"), pictures.moons()
    rate, right = found.told.boundary_uncertain_rate or 0.0, found.told.decided_accuracy or 0.0
    told = f"{100 * rate:.0f} % undecided; {100 * right:.0f} % of the decided are right"
    st.markdown(f"## {'Two moons, 200 patients' if seen.hidden else told}")

    def moved(name: str, value: float, up: float) -> None:
        place, now = int(name.removeprefix("added")), held("moons", "added")
        if place < len(now):
            put = (round(value, 1), round(up, 1), now[place][2])
            state.set_lesson("moons", "added", (*now[:place], put, *now[place + 1 :]))

    show("moons", seen, moved)
    with st.container(horizontal=True, vertical_alignment="center", key="adding"):
        for k, letter in enumerate("AB"):
            st.button(
                f"Add a patient of class {letter}", key=f"add_{letter}", disabled=len(added) >= lessons.MOST_ADDED,
                on_click=add_patient, args=(k,),
            )  # fmt: skip
        st.button(
            "Take them out", key="take_out", disabled=not added, on_click=state.set_lesson, args=("moons", "added", ())
        )
    if not seen.projector:
        st.caption(said.MOONS)
    if seen.hidden or seen.projector:
        return
    each = [(z, r, lessons.two_moons(z, r, added).told) for z in lessons.ZONES for r in lessons.ROUTINGS]
    rows = [
        (
            said.ZONES[z],
            said.ROUTINGS[r],
            *(f"{part:.3f}" for part in (t.boundary_uncertain_rate, t.decided_accuracy, t.overall_accuracy)),
        )
        for z, r, t in each
    ]
    numbers(seen, rows, ["Zone", "Routing", "Undecided", "Decided accuracy", "Overall accuracy"])


def add_patient(k: int) -> None:
    """Add a patient of a class to the moons, in the middle of the picture and beside those added before."""
    added = held("moons", "added")
    if len(added) < lessons.MOST_ADDED:
        state.set_lesson("moons", "added", (*added, (*ROOM_FOR_MORE[len(added)], k)))


def verdict(seen: Seen) -> None:
    """Verdicts: true, false or unknown at each split."""
    names = lessons.verdict((1, 1, 0)).names
    for place, (name, column) in enumerate(zip(names, st.columns(3), strict=True)):
        with column:
            choice("verdict", f"split{place}", name)
    found = pictures.verdict()
    show("verdict", seen)
    rows = [
        (f"leaf {k}", maps.LEAF_WORDS[state], f"{share:.2f}")
        for k, (state, share) in enumerate(zip(found.leaves, found.shares, strict=True), start=1)
    ]
    numbers(seen, rows, ["Leaf", "Is the patient there?", "Share by the zones' gates"])


def open_labels(seen: Seen) -> None:
    """Orthopartition: drag the patients without a label."""
    found = pictures.open_labels()
    told = f"Entropy from {found.low:.3f} to {found.high:.3f}, mean {found.mean:.3f}"
    if found.open == 0:
        told = f"Every label settled: entropy {found.mean:.3f}, which is gini"
    st.markdown(f"## {'How mixed is this group?' if seen.hidden else told}")

    def moved(name: str, value: float, _: float) -> None:
        if not st.session_state.get("reopen"):  # else the button was pressed since
            state.set_lesson("open", "placed", held("open", "placed") | {int(name.removeprefix("open")): int(value)})

    show("open", seen, moved)
    cells = st.columns(4, vertical_alignment="bottom")
    counts = (("first", "Class A", 0), ("second", "Class B", 0), ("open", "No label", 1))
    for cell, (name, label, least) in zip(cells, counts, strict=False):
        cell.number_input(
            label, least, MOST_OPEN, step=1,
            **widgets.bind(f"open_{name}", held("open", name), partial(state.set_lesson, "open", name)),
        )  # fmt: skip
    cells[3].button("All open again", key="reopen", on_click=state.set_lesson, args=("open", "placed", {}))
    if not (seen.hidden or seen.projector):
        st.caption(said.SHARED)
    rows = [
        ("least, h_*", found.low), ("most, h^*", found.high), ("mean, the criterion", found.mean),
        ("gini of the labelled alone", found.gini), ("P(class A) of a leaf", found.leaf),
    ]  # fmt: skip
    numbers(seen, [(name, f"{value:.4f}") for name, value in rows], ["Figure", "Value"])


def abstention(seen: Seen) -> None:
    """Abstention: τ against what is answered."""
    found = pictures.abstention()
    right = "nobody of a known outcome" if found.accuracy is None else f"{100 * found.accuracy:.0f} % of them rightly"
    st.markdown(f"## {'250 patients left out' if seen.hidden else f'{100 * found.coverage:.0f} % answered, {right}'}")
    show("abstention", seen)
    slider("abstention", "tau", "τ")
    if not seen.projector:
        st.caption(said.ACCURACY)
    rows = [
        (f"{at:.2f}", f"{coverage:.3f}", "–" if accuracy != accuracy else f"{accuracy:.3f}")
        for at, coverage, accuracy in zip(found.taus[::5], found.coverages[::5], found.accuracies[::5], strict=True)
    ]
    numbers(seen, rows, ["τ", "Answered", "Right, of those"])


def tests(seen: Seen) -> None:
    """Two tests: naive Bayes alone, and after the tree's split."""
    choice("tests", "rule", "The ill have …")
    found = pictures.tests()
    told = f"Naive Bayes {100 * found.bayes_accuracy:.0f} % right, the tree {100 * found.tree_accuracy:.0f} %"
    st.markdown(f"## {'80 patients, two tests' if seen.hidden else told}")
    show("tests", seen)
    slider("tests", "follow", "Patients for whom the rule holds, %")
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
    numbers(seen, rows, ["First test", "Second test", "Ill", "P(ill), naive Bayes", "P(ill), tree"])


def repeated(seen: Seen) -> None:
    """A variable asked twice: coherent, independent, simulated."""
    found, (low, high) = pictures.repeated(), held("repeated", "cuts")
    coherent, independent = (percent_text(float(shares[1])) for shares in (found.coherent, found.independent))
    told = f"Between the cuts: {coherent} coherent, {independent} independent"
    st.markdown(f"## {'One reading, two questions' if seen.hidden else told}")
    show("repeated", seen)
    slider("repeated", "reading", "Reading")
    slider("repeated", "sigma", "Noise σ")

    def cuts(new: tuple[float, float]) -> None:
        if new[1] - new[0] >= CLOSEST_CUTS:
            state.set_lesson("repeated", "cuts", new)

    st.slider(
        "The two thresholds", *CUTS, step=1.0, format="%g", **widgets.bind("repeated_cuts", (low, high), cuts)
    )
    names = (f"≤ {number_text(low)}", "between", f"> {number_text(high)}")
    found_shares = (found.coherent, found.independent, found.simulated)
    rows = [
        (name, f"{c:.4f}", f"{i:.4f}", f"{s:.4f}", f"{r[0]:.3f} to {r[1]:.3f}")
        for name, c, i, s, r in zip(names, *found_shares, found.ranges, strict=True)
    ]
    numbers(seen, rows, ["Leaf", "Coherent", "Independent", "Simulated", "95 % range"])


FIGURES: dict[str, Callable[[Seen], None]] = {
    "points": points, "order": order, "missed": missed, "moons": moons, "verdict": verdict, "open": open_labels,
    "abstention": abstention, "tests": tests, "repeated": repeated,
}  # fmt: skip


def figure(lesson: str, seen: Seen) -> None:
    """Draw a lesson's figure with its controls; what answers the question is left out while hidden."""
    with widgets.sentence():
        FIGURES[lesson](seen)


def beside(lesson: str, hidden: bool) -> None:
    """Draw the small picture that stands beside some figures."""
    with widgets.sentence(quiet=True):
        if lesson == "points":
            found, split = pictures.points(), lessons.fork(pictures.the_points())
            with st.container(border=True):
                st.markdown("## Best cut as σ grows")
                if not hidden:
                    st.caption(words.plain(said.fork(split)))
                svg_view(charts.fork_svg(split, found.sigma, found.exact_best, hidden, BESIDE))
        if lesson == "abstention":
            with st.container(border=True):
                st.markdown("## Accuracy against coverage")
                st.caption("The surest are answered first; each dot is a leaf's P.")
                svg_view(charts.coverage_svg(pictures.abstention(), hidden, BESIDE))
