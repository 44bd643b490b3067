"""The controls of one patient: which one, and every reading with its unit, range and σ.

In: the fitted tree and the readings. Out: drawn controls that write to the choices, in this session only.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.shared import case_words, present_case, present_data, present_tree, state, widgets, words
from pages.shared.choices import NEAR_A_THRESHOLD
from pages.shared.tree_view import svg_view


def turn_to(data: present_data.Prepared, number: int | None) -> None:
    """Turn to the patient of a row of the file, as printed from 1; one who is set aside is refused."""
    if number is None:
        return
    if data.place(int(number) - 1) is None:
        state.refuse_row(int(number) - 1)
    else:
        state.choose_row(int(number) - 1)


def patient_choice() -> None:
    """Draw the choice between a patient of the data and a typed case."""
    data, row = present_data.prepared(), present_case.row()
    typed = "Typed case"
    st.segmented_control(
        "Patient",
        ["From the data", typed],
        required=True,
        width="stretch",
        **widgets.bind(
            "patient_kind",
            "From the data" if row is not None else typed,
            lambda kind: state.choose_row(None if kind == typed else NEAR_A_THRESHOLD),
        ),
    )
    if row is not None:
        line, rows = int(data.lines[row]), len(data.read.y)
        st.number_input(
            f"Patient, 1 to {rows:,}",
            min_value=1,
            max_value=rows,
            step=1,
            help=case_words.ROW,
            **widgets.bind("patient_row", line + 1, lambda new: turn_to(data, new)),
        )
        refused = state.refused_row()
        if refused is not None and data.place(refused) is None:
            st.warning(case_words.refused(refused + 1, line + 1))
    if state.choices().typed:
        st.button(
            "Back to the readings as they were",
            key="untype",
            type="tertiary",
            on_click=lambda: state.choose_row(state.choices().row),
        )
    st.caption(words.PRIVATE if row is not None else case_words.TYPED)


def label(found: present_tree.Fitted, j: int, unit: str = "") -> str:
    """Draw a reading's name and unit; return them without Markdown, which a screen reader would spell out."""
    name = found.data.names[found.data.columns[j]]
    st.markdown(words.plain(name) + (f" :gray[{words.plain(unit)}]" if unit else ""))
    return words.hidden(f"{name}, {unit}" if unit else name)


def number_field(found: present_tree.Fitted, j: int, value: float | None) -> None:
    """Draw one reading with its unit, range and σ."""
    name = found.data.columns[j]
    unit = found.data.units.get(name, "")
    known = present_case.known()[name]
    st.number_input(
        label(found, j, unit),
        label_visibility="collapsed",
        value=None,
        step=known.step,
        format="%g",
        placeholder="missing",
        **widgets.bind(f"field_{name}", value, partial(state.type_value, name)),
    )
    sigma = 0.0 if value is None else float(found.noise.at(j, value))
    svg_view(known.strip.svg(value, sigma, unit))


def category_field(found: present_tree.Fitted, j: int, value: str | None) -> None:
    """Draw one category, missing among its choices."""
    name = found.data.columns[j]
    st.selectbox(
        label(found, j),
        label_visibility="collapsed",
        options=list(found.model.schema_.categories[j] or ()),
        index=None,
        format_func=str,
        placeholder="missing",
        **widgets.bind(f"field_{name}", value, partial(state.type_value, name)),
    )


def fields(found: present_tree.Fitted) -> None:
    """Draw the readings, those the tree asks first."""
    tree, readings = found.model.tree_, present_case.readings()
    asked = list(dict.fromkeys(int(j) for j in tree.variable if j >= 0))
    rest = [j for j in range(len(found.data.columns)) if j not in asked]

    def draw(j: int) -> None:
        kind = number_field if found.model.schema_.numeric[j] else category_field
        kind(found, j, readings[found.data.columns[j]])

    for j in asked:
        draw(j)
    if rest and st.toggle(case_words.not_asked(len(rest), tree.has_bayes), key="show_rest"):
        for j in rest:
            draw(j)
