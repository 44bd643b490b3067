"""The controls of the Data page: the file, how it was read, the role of each column, what the tree should answer.

In: the data set as read. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from engine.draw.variable_charts import category_svg, variable_svg
from engine.examples import load_example
from engine.read import Column, ReadTable
from pages.shared import cut_controls, data_words, present_data, state, widgets, words
from pages.shared.tree_view import svg_view

ROWS = 14
WIDTHS = [2.4, 1.7, 1.2, 2, 1.5, 2.2]
FILE_KINDS = ["csv", "tsv", "txt", "xlsx", "parquet", "arff", "gz"]


def upload() -> None:
    """Draw the uploader; a file that arrives becomes the data set."""

    def arrived() -> None:
        file = st.session_state["upload"]
        if file is not None:
            state.open_file(file.getvalue(), file.name)

    st.file_uploader("Upload a file", type=FILE_KINDS, key="upload", on_change=arrived, help=words.PRIVATE)
    st.caption(words.PRIVATE)


def fact(name: str, understood: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Draw one thing that was understood of a file, and the way to correct it."""
    now = state.choices()
    value = now.reading.get(name, understood.get(name))
    detected = "detect"

    def chosen(new: Any) -> None:
        tokens = [each.strip() for each in new.split(",") if each.strip()] if name == "missing" else new
        state.put(
            "reading", name, None if (new in (detected, "") and name != "thousands") or new == detected else tokens
        )

    with st.container(width="content", gap=None):
        st.caption(data_words.READING_LABELS[name])
        shown = (
            ", ".join(each or "empty" for each in value)
            if isinstance(value, (list, tuple))
            else names.get(str(value), value)
        )
        nothing = "none" if name in understood else data_words.UNSETTLED
        st.markdown(f"**{words.plain(shown or nothing)}**" + (" ●" if name in now.reading else ""))
        with st.popover("change", type="tertiary"):
            if name == "missing":
                tokens = ", ".join(now.reading.get("missing", []))
                st.text_input(
                    "Tokens, with commas between them",
                    help=data_words.MISSING_HELP,
                    **widgets.bind("fact_missing", tokens, chosen),
                )
            else:
                options = [detected, *(names or ([value] if value else []))]
                st.selectbox(
                    data_words.READING_LABELS[name],
                    options,
                    format_func=lambda each: names.get(each, str(each)),
                    **widgets.bind(f"fact_{name}", now.reading.get(name, detected), chosen),
                )


def set_role(name: str, role: str) -> None:
    """Give a column a role; there is one column of answers at most."""
    roles = {key: held for key, held in state.choices().roles.items() if not (role == "target" and held == "target")}
    changed: dict[str, Any] = {"roles": roles | {name: role}}
    if role == "target":
        own = state.choices().example is not None and name == load_example(str(state.choices().example)).target
        changed |= {"positive": None, "abstain": None if own else ()}
    state.change(**changed)


def set_zero(name: str, missing: bool) -> None:
    """Say whether 0 means missing in a column."""
    others = tuple(each for each in state.choices().zeros if each != name)
    state.change(zeros=(*others, name) if missing else others, node=0)


def set_limit(name: str, read_as: str) -> None:
    """Say how a column's values beyond a limit of detection are read."""
    others = {key: held for key, held in state.choices().limits.items() if key != name}
    state.change(limits=others if read_as == "missing" else others | {name: read_as}, node=0)


def set_aside(names: list[str]) -> None:
    """Leave out the patients who lack one of these."""
    state.change(aside=tuple(names), node=0)


def _set_meaning(label: str, meaning: str) -> None:
    others = tuple(each for each in present_data.abstaining() if each != label)
    state.change(abstain=(*others, label) if meaning == "abstained" else others, node=0)


def labels(table: ReadTable) -> None:
    """Draw what the tree should answer: the labels, which of them mean abstained, the positive class."""
    target = present_data.target_of(table)
    names = [column.name for column in table.columns]
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown("## What the tree should answer")
    with right:
        st.selectbox(
            "Answer column",
            names,
            label_visibility="collapsed",
            **widgets.bind("target", target.name, lambda name: set_role(name, "target")),
        )
    if cut_controls.is_measured(table):
        both = cut_controls.cut_outcome(table)
        _abstained_rows(table, len(table.y))
        if both:
            open_outcomes(table)
            positive()
        return
    classes = sorted(target.levels or ())
    counts = {label: sum(each == label for each in table.y) for label in classes}
    most = max([*counts.values(), *table.understood["abstained"].values()], default=0) or 1
    for k, (label, n) in list(enumerate(counts.items()))[: data_words.MOST_LABELS]:
        _label_row(label, f"{n:,}", n / most, k, "class")
    if len(counts) > data_words.MOST_LABELS:
        st.caption(data_words.more_labels(len(counts) - data_words.MOST_LABELS))
    _abstained_rows(table, most)
    unlabelled = sum(each is None for each in table.y)
    if unlabelled:
        st.caption(data_words.unlabelled(unlabelled))
    open_outcomes(table)
    cut_controls.ask(table)
    positive()


def open_outcomes(table: ReadTable) -> None:
    """Offer to set aside the patients whose outcome is open."""
    vague = int(present_data.imprecise(table.y).sum())
    if vague:
        st.checkbox(
            data_words.open_aside(vague),
            help=data_words.OPEN_ASIDE,
            **widgets.bind("open_aside", state.choices().open_aside, lambda on: state.change(open_aside=on, node=0)),
        )


def positive() -> None:
    """Draw which class is the positive one."""
    data = present_data.prepared()
    st.radio(
        "Positive class",
        [str(label) for label in data.classes],
        format_func=words.plain,
        horizontal=True,
        help=data_words.POSITIVE,
        **widgets.bind("positive", str(data.positive), lambda label: state.change(positive=label)),
    )


def _abstained_rows(table: ReadTable, most: int) -> None:
    for label, n in table.understood["abstained"].items():
        _label_row(label, f"{n:,}", n / most, -1, "abstained")


def _label_row(label: str, count: str, part: float, k: int, meaning: str) -> None:
    name, bar, means = st.columns([3, 4, 4], vertical_alignment="center")
    name.markdown(f"**{words.plain(label)}**")
    look = f"c{k}" if 0 <= k < 2 else "hatch" if k < 0 else "other"
    bar.html(f"<div class='penumbra-bar'><i class='{look}' style='width:{max(4, 70 * part):.0f}%'></i>{count}</div>")
    with means:
        st.selectbox(
            f"What {words.hidden(label)} means",
            ["class", "abstained"],
            format_func={"class": "a class", "abstained": "the doctor abstained"}.__getitem__,
            label_visibility="collapsed",
            **widgets.bind(f"means_{label}", meaning, partial(_set_meaning, label)),
        )


def facts(understood: Mapping[str, Any]) -> None:
    """Draw what was understood of the file, each part with a way to change it."""
    if understood["format"] == "DataFrame":
        return
    with st.container(horizontal=True, key="facts", gap="medium"):
        if understood["format"] == "text":
            fact("delimiter", understood, data_words.DELIMITERS)
            fact("encoding", understood, data_words.ENCODINGS)
        if understood["format"] in ("text", "Excel"):
            fact("decimal", understood, data_words.DECIMALS)
            fact("thousands", understood, data_words.THOUSANDS)
        if understood["format"] == "Excel":
            sheets = understood.get("sheets") or [understood.get("sheet", "")]
            fact("sheet", understood, {str(name): str(name) for name in sheets})
        fact("missing", understood, {})
        if "cut" in understood:
            with st.container(width="content", gap=None):
                st.caption("Outcome cut at")
                st.markdown(f"**{words.plain(data_words.cut_said(understood['cut'], ''))}** ●")


def roles_alone(names: list[str]) -> None:
    """Draw the role of each column of a file that was refused, for a refusal may come from the roles."""
    pages = -(-len(names) // ROWS)
    page = min(st.session_state.get("column_page", 1), max(pages, 1))
    for name in names[(page - 1) * ROWS : page * ROWS]:
        left, right = st.columns([1, 2], vertical_alignment="center")
        left.markdown(f"**{words.plain(name)}**")
        with right:
            st.selectbox(
                f"Role of {words.hidden(name)}",
                list(data_words.ROLE_LABELS),
                index=None,
                placeholder="as guessed",
                format_func=data_words.role,
                label_visibility="collapsed",
                **widgets.bind(f"role_{name}", state.choices().roles.get(name), partial(set_role, name)),
            )
    if pages > 1:
        st.pagination(pages, key="column_page")


def column_row(table: ReadTable, column: Column, place: int) -> None:
    """Draw one column of the file: role, unit, values, what is missing."""
    name = column.name
    cells = st.container(key=f"column_{place}").columns(WIDTHS, vertical_alignment="center", gap="small")
    variable = column.role == "variable"
    cells[0].markdown(
        f"**{words.plain(name)}**" if variable or column.role == "target" else f":gray[{words.plain(name)}]"
    )
    role = column.kind if variable else column.role
    numbers = None
    if variable and column.kind == "numeric":
        numbers = table.X[name].to_numpy()
    elif column.role == "target" and cut_controls.is_measured(table):
        numbers = table.target_numbers
    with cells[1]:
        st.selectbox(
            f"Role of {words.hidden(name)}",
            list(data_words.ROLE_LABELS),
            format_func=data_words.role,
            label_visibility="collapsed",
            **widgets.bind(f"role_{name}", role, partial(set_role, name)),
        )
    with cells[2]:
        if numbers is not None:
            unit = present_data.unit_of(column)
            widgets.text(
                f"Unit of {words.hidden(name)}", f"unit_{name}", unit, "unit", partial(state.put, "units", name)
            )
    with cells[3]:
        if numbers is not None:
            cuts = () if variable else table.understood.get("cut", ())
            svg_view(variable_svg(numbers, cuts, name=name, width=170, height=44))
        elif variable:
            counts = table.X[name].value_counts(sort=False)
            svg_view(category_svg([str(each) for each in counts.index], counts.tolist(), width=170))
        elif column.levels:
            st.caption(words.plain(words.levels(column.levels)))
    with cells[4]:
        lacking = cut_controls.without_number(table) if name == table.understood["target"] else column.missing
        st.caption(data_words.missing(lacking, len(table.y)))
        if numbers is not None and (name in state.choices().zeros or (numbers == 0).any()):
            st.checkbox(
                "0 is missing",
                **widgets.bind(f"zero_{name}", name in state.choices().zeros, partial(set_zero, name)),
            )
        limited = table.understood.get("limits", {}).get(name) if variable else None
        if limited:
            st.selectbox(
                words.plain(data_words.limit_label(limited["texts"], limited["cells"])),
                list(data_words.LIMITS),
                format_func=data_words.LIMITS.__getitem__,
                help=data_words.LIMIT_HELP,
                **widgets.bind(f"limit_{name}", limited["read_as"], partial(set_limit, name)),
            )
    shown = [str(value) if str(value).strip() else "empty" for value in table.preview[name].head(4)]
    cells[5].caption(words.plain(", ".join(shown)))


def column_rows(table: ReadTable) -> None:
    """Draw the columns, a page of them at a time when there are many."""
    measured = sum(column.role == "variable" for column in table.columns)
    n = len(table.columns)
    st.markdown(f"## {words.opening(words.count(n))} columns, {words.count(measured)} of them variables")
    with st.container(key="column_heads"):
        for cell, label in zip(st.columns(WIDTHS, gap="small"), data_words.DATA_HEADS, strict=True):
            cell.caption(label)
    pages = -(-n // ROWS)
    page = min(st.session_state.get("column_page", 1), pages)
    for place, column in list(enumerate(table.columns))[(page - 1) * ROWS : page * ROWS]:
        column_row(table, column, place)
    if pages > 1:
        st.pagination(pages, key="column_page")
