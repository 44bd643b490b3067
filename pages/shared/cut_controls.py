"""The controls of a numeric outcome: where it is cut into low and high, and how many patients that leaves open.

In: the data set as read. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from engine.cuts import HIGH, LOW, OPEN, cut_counts, different_numbers, even_cut
from engine.draw.variable_charts import cut_svg
from engine.number_words import number_text
from engine.read import ReadTable
from pages.shared import case_words, data_words, present_data, state, widgets, words
from pages.shared.tree_view import svg_view

Cut = tuple[float, float]
LOOKS = {label: f"c{place}" for place, label in enumerate(sorted((LOW, HIGH)))} | {OPEN: "hatch", "": "other"}
FEWEST = 3  # two numbers are two classes already


def is_measured(table: ReadTable) -> bool:
    """Return whether the outcome is cut, or has too many numbers to be anything but a measurement."""
    return "cut" in table.understood or present_data.must_be_cut(table)


def without_number(table: ReadTable) -> int:
    """Return how many patients have no outcome: no number where it is measured, else no label."""
    if is_measured(table) and table.target_numbers is not None:
        return int(np.isnan(table.target_numbers).sum()) - sum(table.understood["abstained"].values())
    return present_data.target_of(table).missing


def set_cut(name: str, cut: Cut | None) -> None:
    """Cut the answer column, which is from then on stated, or with None leave it as it is."""
    now = state.choices()
    cuts = {held: edges for held, edges in now.cuts.items() if held != name} | ({name: cut} if cut else {})
    if cuts == now.cuts:
        state.withdraw_cut()
    elif now.roles.get(name) == "target":
        state.change(cuts=cuts, node=0)
    else:
        state.change(cuts=cuts, roles=now.roles | {name: "target"})


def drop(name: str) -> None:
    """Draw the way back to an outcome that is not cut."""
    st.button(data_words.CUT_DROP, key="drop_cut", type="tertiary", on_click=partial(set_cut, name, None))


def ask(table: ReadTable) -> None:
    """Offer to cut an outcome of a few numbers, a score; words are never cut, nor two numbers."""
    if table.target_numbers is not None and different_numbers(table.target_numbers) >= FEWEST:
        start = even_cut(table.target_numbers) or 0.0
        name = present_data.target_of(table).name
        st.button(data_words.CUT_ASK, key="ask_cut", on_click=partial(set_cut, name, (start, start)))


def cut_outcome(table: ReadTable) -> bool:
    """Draw the outcome as it is cut, or would be; return whether both classes are there."""
    target, numbers = present_data.target_of(table), table.target_numbers
    start = even_cut(numbers) if numbers is not None else None
    held: Cut | None = table.understood.get("cut")
    if numbers is None or (start is None and held is None):
        return True
    shown: Cut = held or (start or 0.0, start or 0.0)
    unit = present_data.unit_of(target)
    if held is None:
        st.markdown(words.plain(data_words.must_be_cut(target.name, different_numbers(numbers))))
    svg_view(cut_svg(numbers, shown, unit=unit, name=target.name))
    _fields(target.name, shown, held, unit, case_words.step(numbers[np.isfinite(numbers)]))
    counts = cut_counts(numbers, shown) | {"": without_number(table)}
    for label, name, values, patients in data_words.cut_rows(shown, counts, unit):
        _row(name, values, patients, len(numbers), LOOKS[label])
    st.caption(data_words.CUT_OPEN)
    if shown[0] == shown[1]:
        st.caption(words.plain(data_words.cut_equal(shown, counts[OPEN])))
    if held is None or held == (start, start):
        st.caption(data_words.CUT_START)
    if held is None:
        st.button(
            f"Cut at {words.plain(number_text(shown[0], 15))}", key="cut_here", type="primary",
            on_click=partial(set_cut, target.name, shown),
        )  # fmt: skip
        return False
    drop(target.name)
    if not counts[LOW] or not counts[HIGH]:
        st.error(words.plain(data_words.cut_one_class(counts)))
    return bool(counts[LOW] and counts[HIGH])


def _fields(name: str, shown: Cut, held: Cut | None, unit: str, step: float) -> None:
    """Draw the two cuts; two that do not go together stay in the fields, and the last good ones stay in force."""
    refused = state.refused_cut(name)
    asked = refused or shown

    def chosen(place: int, new: float | None) -> None:
        if new is None:
            return
        low, high = (new, asked[1]) if place == 0 else (asked[0], new)
        if low > high:
            state.refuse_cut(name, low, high)
        else:
            set_cut(name, (low, high))

    for place, (cell, label) in enumerate(zip(st.columns(2), ("Low cut", "High cut"), strict=True)):
        with cell:
            st.number_input(
                label + (f", {words.plain(unit)}" if unit else ""), value=None, step=step, format="%g",
                help=data_words.CUT_HELP, **widgets.bind(f"cut_{place}", asked[place], partial(chosen, place)),
            )  # fmt: skip
    if refused:
        st.error(words.plain(data_words.cut_refused(refused, held)))


def _row(name: str, values: str, patients: int, of: int, look: str) -> None:
    """Draw how many patients one label takes."""
    left, right = st.columns([4, 5], vertical_alignment="center")
    left.markdown(f"**{name}** :gray[{words.plain(values)}]")
    count = f"{patients:,} ({words.part(patients, of)})"
    bar = f"<i class='{look}' style='width:{max(4, 60 * patients / of):.0f}%'></i>" if patients else ""
    right.html(f"<div class='penumbra-bar'>{bar}{words.safe(count)}</div>")
