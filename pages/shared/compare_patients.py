"""Where two variants answer the same patient differently: a matrix, the patients of a cell, the way to one of them.

In: two variants' trees, the patients of the data. Out: drawn cells one can choose, rows, the way to Patient and back.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine.contrast import rows_between
from engine.draw.answer_matrix import answer_matrix_svg
from engine.draw.sheet import letter
from engine.metrics import single_class
from engine.number_words import number_text, probability_text
from engine.recipe import DEFAULTS, VARIANTS
from pages.shared import compare_words, present_compare, state, widgets, words
from pages.shared.choices import FACTORS
from pages.shared.present_compare import Variant
from pages.shared.present_data import prepared
from pages.shared.tree_view import cells_view

LISTED = 8
MOST_SHOWN = 7  # answers a side; with more, a list of the differing pairs
NOTHING = "abstains"


def answer_name(answer: Any) -> str:
    """Return an answer as the matrix names it."""
    data = prepared()
    return NOTHING if answer is None else str(data.class_names.get(answer, answer))


def pair_choice(found: list[Variant]) -> tuple[Variant, Variant]:
    """Draw the choice of two of the variants, unless there are no more."""
    places = [(a.mark.place, b.mark.place) for a, b in itertools.combinations(found, 2)]
    a, b = present_compare.chosen_pair(found)
    if len(places) == 1:
        return a, b

    def chosen(new: tuple[int, int]) -> None:
        if new in places:  # a browser that still shows the pairs of before may send one that is none
            state.compare(pair=tuple(new), cell=None)

    draw = st.segmented_control if len(places) <= 6 else st.selectbox
    extra = {"required": True} if len(places) <= 6 else {}
    draw(
        "Two variants", places, format_func=lambda p: f"{letter(p[0])} {letter(p[1])}", label_visibility="collapsed",
        **extra, **widgets.bind("pair", (a.mark.place, b.mark.place), chosen),
    )  # type: ignore[operator]  # fmt: skip
    return present_compare.chosen_pair(found)


def matrix(found: list[Variant]) -> None:
    """Draw the matrix of both variants' answers for all patients of the data, and the patients of the chosen cell."""
    if len(found) < 2:
        st.caption("Add a second variant.")
        return
    heading = st.empty()
    a, b = pair_choice(found)
    heading.markdown(f"## Where {a.mark.letter} and {b.mark.letter} answer differently")
    st.caption(f"the trees above, all {len(prepared().y):,} patients of the data, τ {present_compare.tau():.2f}")
    found_here = present_compare.disagreement(a, b)
    names = [answer_name(each) for each in found_here.shown]
    left, right = st.columns([1, 1.6], gap="medium")
    with left:
        if len(names) <= MOST_SHOWN:
            cells(a, b, names)
        else:
            pair_list(names, found_here.counts)
        st.markdown(compare_words.matrix_sum(found_here.alike, found_here.differ, found_here.opposite))
    cell = state.choices().comparing.cell
    with right:
        if cell is not None and cell[0] in names and cell[1] in names:
            one, other = found_here.shown[names.index(cell[0])], found_here.shown[names.index(cell[1])]
            rows = rows_between(present_compare.answers(a), present_compare.answers(b), one, other)
            patients(a, b, cell, rows)
        else:
            st.caption("Choose a cell to see its patients.")


def choose_cell(one: str, other: str) -> None:
    """List a cell's patients, or no cell's when it is chosen already."""
    now = state.choices().comparing.cell
    state.compare(cell=None if now == (one, other) else (one, other))


def cells(a: Variant, b: Variant, names: list[str]) -> None:
    """Draw the matrix, each cell with patients a button."""
    if picked := cells_view(matrix_svg(a, b, opens=True), f"matrix_{a.mark.letter}_{b.mark.letter}"):
        row, column = map(int, picked.split())
        choose_cell(names[row], names[column])
        st.rerun()


def matrix_svg(a: Variant, b: Variant, opens: bool = False) -> str:
    """Return the matrix of two variants as a picture, the chosen cell marked on the page."""
    told = present_compare.disagreement(a, b)
    names = [answer_name(each) for each in told.shown]
    cell = state.choices().comparing.cell if opens else None
    chosen = None if cell is None or not {*cell} <= {*names} else (names.index(cell[0]), names.index(cell[1]))
    return answer_matrix_svg(a.mark, b.mark, names, told.counts, chosen=chosen, opens=opens)


def matrix_rows(found: list[Variant]) -> list[dict[str, Any]]:
    """Return how every two variants' answers agree as rows, one a pair of variants and of answers."""
    rows = []
    for a, b in itertools.combinations(found, 2):
        told = present_compare.disagreement(a, b)
        pair = {"first": a.mark.said, "second": b.mark.said}
        names = [answer_name(each) for each in told.shown]
        rows += [pair | row for row in told.rows(names, "first answers", "second answers")]
    return rows


def pair_list(names: list[str], counts: Any) -> None:
    """Draw, where there are many classes, the pairs of different answers as a list."""
    k = range(len(names))
    pairs = [(int(counts[i, j]), names[i], names[j]) for i in k for j in k if i != j and counts[i, j]]
    options = [(one, other) for _, one, other in sorted(pairs, key=lambda each: -each[0])]
    n = {(one, other): count for count, one, other in pairs}
    held = state.choices().comparing.cell
    st.selectbox(
        "Different answers", options, index=None, format_func=lambda p: f"{p[0]} → {p[1]}: {n[p]}",
        **widgets.bind("cell_list", held if held in options else None, lambda new: state.compare(cell=new)),
    )  # fmt: skip


def patients(a: Variant, b: Variant, cell: tuple[str, str], rows: Any) -> None:
    """List a cell's patients, each with both P and the ways to open them in Patient."""
    data = prepared()
    k = list(a.found.model.tree_.classes).index(data.positive)
    first, second = present_compare.probabilities(a)[:, k], present_compare.probabilities(b)[:, k]
    positive = words.unscored(data.positive)
    truly = sum(single_class(data.y[int(row)]) == data.positive for row in rows)
    title = compare_words.cell_title(a.mark.letter, cell[0], b.mark.letter, cell[1], len(rows), truly, positive)
    st.markdown(f"**{words.plain(title)}**")
    asked = asked_columns(a, b)
    for place, row in enumerate(rows[:LISTED]):
        line = int(data.lines[row])
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"patient_{place}"):
            told = [f"row {line + 1}", *[f"{data.names[name]} {reading(row, name)}" for name in asked]]
            ps = f"P {probability_text(float(first[row]))} and {probability_text(float(second[row]))}"
            said = f"{', '.join(told)}; {ps}; truly {words.label(data.y[int(row)])}"
            st.markdown(f":small[{words.plain(said)}]", width="stretch")
            for one in (a, b):
                st.button(
                    f"open {one.mark.letter}", key=f"open_{one.mark.letter}_{place}", type="tertiary",
                    help=words.plain(f"Show this patient in {one.mark.letter}, {one.name}"),
                    on_click=partial(open_in, one, line),
                )  # fmt: skip
    if len(rows) > LISTED:
        with st.expander(f"All {len(rows):,}"):
            st.dataframe(all_patients(a, b, rows, first, second), hide_index=True)


def asked_columns(a: Variant, b: Variant) -> list[str]:
    """Return the two variables that the trees ask first."""
    asked = [
        one.found.model.tree_.variables[int(j)] for one in (a, b) for j in one.found.model.tree_.variable if j >= 0
    ]
    return list(dict.fromkeys(asked))[:2]


def reading(row: int, name: str) -> str:
    value = prepared().X[name].iloc[int(row)]
    if pd.isna(value):
        return "missing"
    return number_text(float(value), 4) if isinstance(value, (int, float)) else str(value)


def all_patients(a: Variant, b: Variant, rows: Any, first: Any, second: Any) -> pd.DataFrame:
    """Return all of a cell's patients with their readings."""
    data = prepared()
    table = data.X.iloc[rows].rename(columns=data.names)
    table.insert(0, "row", data.lines[rows] + 1)
    table.insert(1, "truly", [words.label(data.y[int(row)]) for row in rows])
    table.insert(2, f"{a.mark.letter}: P", first[rows])
    table.insert(3, f"{b.mark.letter}: P", second[rows])
    return table


def open_in(one: Variant, line: int) -> None:
    """Turn Tree and Patient to a variant and a patient, and remember the way back."""
    own = VARIANTS[one.stated.name]
    settings = present_compare.parameters(one.stated) | {"decision": "tau", "tau": present_compare.tau()}
    axes = {name: value for name, value in settings.items() if value != own.get(name, DEFAULTS[name])}
    factors = (
        {u: float(one.stated.changes.get(u, 1.0)) for u in FACTORS}
        if one.stated.kept
        else dict(state.choices().factors)
    )
    state.open_compared(f"{one.mark.letter} {one.name}", one.stated.name, axes, factors, line)
