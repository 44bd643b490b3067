"""The controls of measurement error: one variable's statement, factors, the table of σ.

In: the fitted tree and the stated σ. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from engine.noise import SHAPES
from engine.noise_table import FORMS, Stated, from_csv
from engine.number_words import difference_unit
from pages.shared import noise_words, present_data, present_tree, state, widgets, words

INNER = [1.35, 1, 0.8, 1.1]
MOST_ALONE = 100
SOURCES = 20


def factor(name: str, label: str) -> None:
    """Draw one use's factor on σ."""

    def chosen(new: float | None) -> None:
        if new is not None:
            state.put("factors", name, new)

    held = state.choices().factors[name]
    left, right = st.columns([2, 3], vertical_alignment="center", gap="small")
    left.caption(label)
    with right:
        st.number_input(
            f"σ factor in {label}", min_value=0.0, max_value=10.0, step=0.1, format="%.1f",
            label_visibility="collapsed",
            **widgets.bind(f"factor_{name}", held, chosen),
        )  # fmt: skip


def set_sigma(name: str, part: str, value: Any) -> None:
    """Change one part of what is stated about a variable's error."""
    held = present_data.prepared().sigma
    one = held.get(name, Stated())
    if part == "form":
        one = replace(one, source="" if one.form != "exact" else one.source)
    state.change(sigma=dict(held) | {name: replace(one, **{part: value})})


def sigma_value(name: str, part: str, value: float, label: str, most: float | None = None) -> None:
    """Draw the figure of a variable's σ, at most `most`, its unit beside it."""

    def chosen(new: float | None) -> None:
        set_sigma(name, part, 0.0 if new is None else new)

    st.number_input(
        f"σ of {words.hidden(name)}, {words.hidden(label)}",
        min_value=0.0,
        max_value=most,
        step=0.1,
        format="%g",
        label_visibility="collapsed",
        width="stretch",
        **widgets.bind(f"{part}_{name}", value if most is None else min(value, most), chosen),
    )


def sigma_for_all() -> None:
    """Draw one statement that can be given to every measured variable at once."""
    with st.popover("Same σ for all", width="stretch"):
        forms = [form for form in FORMS if form not in ("exact", "misrecord", "sd+cv")]
        form = st.selectbox("Form", forms, index=1, format_func=noise_words.FORM_LABELS.__getitem__, key="all_form")
        figure = st.number_input("Value", min_value=0.0, value=5.0, step=0.5, format="%g", key="all_value")
        st.caption(noise_words.ALL_ALIKE)

        def apply() -> None:
            data = present_data.prepared()
            part = {"value": figure} if form == "sd" else {"percent": figure}
            held = {
                name: data.sigma.get(name, Stated())
                for name, column in data.variables.items()
                if column.kind == "numeric"
            }
            stated = {name: Stated(form, shape=one.shape, source=one.source, **part) for name, one in held.items()}
            state.change(sigma=dict(data.sigma) | stated)

        st.button("Apply", key="apply_all", type="primary", on_click=apply)


def sigma_upload(data: present_data.Prepared) -> None:
    """Draw the way in for a table of σ: what it would change is listed first, then applied."""
    with st.popover("Upload a table", width="stretch"):
        file = st.file_uploader("Table of σ (CSV)", type=["csv", "txt"], key="sigma_upload")
        st.caption(noise_words.SIGMA_TABLE)
        if file is None:
            return
        numeric = {name: column.kind == "numeric" for name, column in data.variables.items()}
        with widgets.sentence():
            stated, odd = from_csv(file.getvalue(), numeric)
            for line in odd:
                st.warning(words.plain(line))
            changed = {name: one for name, one in stated.items() if one != data.sigma.get(name, Stated())}
            for name, one in changed.items():
                before = noise_words.sigma(data.sigma.get(name), data.units.get(name, ""))
                st.caption(words.plain(f"{name}: {before} → {noise_words.sigma(one, data.units.get(name, ''))}"))
            if not changed:
                st.caption("It changes nothing.")
            st.button(
                "Apply", key="apply_sigma", type="primary", disabled=not changed,
                on_click=lambda: state.change(sigma=dict(data.sigma) | changed),
            )  # fmt: skip


def near(rows: list[tuple[str, str, str]] | str) -> None:
    """Draw who is near each threshold of a variable, or the word for why nobody is."""
    if isinstance(rows, str):
        st.caption(words.plain(rows))
        return
    lines = [
        f"<tr><th scope='row'>{words.safe(a)}</th><td>{words.safe(b)}</td><td class='s'>{words.safe(c)}</td></tr>"
        for a, b, c in rows
    ]
    st.html(f"<table class='penumbra-near'>{''.join(lines)}</table>")


def statement(data: present_data.Prepared, name: str, numeric: bool) -> None:
    """Draw the form, figure and shape of one variable's σ; they need no tree, so that any of them can be taken back."""
    stated = data.sigma.get(name, Stated())
    cells = st.columns(INNER, gap="small", vertical_alignment="center")
    with cells[0]:
        st.selectbox(
            f"Form of σ of {words.hidden(name)}",
            [form for form in FORMS if form == "exact" or (form == "misrecord") != numeric],
            format_func=noise_words.FORM_LABELS.__getitem__,
            label_visibility="collapsed",
            **widgets.bind(f"form_{name}", stated.form, partial(set_sigma, name, "form")),
        )
    unit = difference_unit(data.units.get(name, ""))
    figures = [("value", stated.value, unit)] if stated.form in ("sd", "sd+cv") else []
    figures += (
        [("percent", stated.percent, noise_words.PERCENT_OF[stated.form])] if stated.form not in ("exact", "sd") else []
    )
    for part, value, measure in figures:
        with cells[1]:
            sigma_value(name, part, value, measure, 100.0 if stated.form == "misrecord" else None)
        cells[2].markdown(f":small[{words.plain(measure) or '&nbsp;'}]")
    if numeric and stated.form != "exact":
        with cells[3]:
            st.selectbox(
                f"Shape of the error of {words.hidden(name)}",
                list(SHAPES),
                format_func=noise_words.SHAPE_LABELS.__getitem__,
                label_visibility="collapsed",
                **widgets.bind(f"shape_{name}", stated.shape, partial(set_sigma, name, "shape")),
            )


def size(found: present_tree.Fitted, name: str, j: int) -> None:
    """Draw what one variable's σ comes to."""
    known = found.values[~np.isnan(found.values[:, j]), j]
    if found.model.schema_.numeric[j] and found.data.sigma.get(name, Stated()).noisy and len(known):
        at_mean = float(found.noise.at(j, known.mean()))
        st.caption(words.plain(noise_words.sigma_size(at_mean, known)))


def statements_alone(data: present_data.Prepared) -> None:
    """Draw the σ of every variable when no tree can be fitted with it, for the refusal may come from a σ."""
    stated = [name for name in data.columns if data.sigma.get(name, Stated()).noisy]
    for name in stated[:MOST_ALONE]:
        left, right = st.columns([1, 2], vertical_alignment="center")
        left.markdown(f"**{words.plain(data.names[name])}**")
        with right:
            statement(data, name, data.variables[name].kind == "numeric")


def put_aside() -> None:
    """Say whose σ is put aside because a role has changed."""
    names = present_data.unfit_sigma()
    if names:
        st.warning(words.plain(noise_words.put_aside(names)))


def sources(found: present_tree.Fitted) -> None:
    """Draw where each σ comes from, open to the reader's own words."""
    st.markdown("## Where each σ comes from")
    noisy = [name for name in found.data.columns if found.data.sigma.get(name, Stated()).noisy]
    if not noisy:
        st.caption(noise_words.NO_SOURCES)
    pages = -(-len(noisy) // SOURCES)
    page = min(st.session_state.get("sources_page", 1), max(pages, 1))
    for name in noisy[(page - 1) * SOURCES : page * SOURCES]:
        left, right = st.columns([1, 3], vertical_alignment="center", gap="small")
        left.caption(
            words.plain(
                f"{found.data.names[name]} {noise_words.sigma(found.data.sigma[name], found.data.units.get(name, ''))}"
            )
        )
        with right:
            st.text_area(
                f"Source of σ of {words.hidden(name)}", height="content", max_chars=300, placeholder="No source yet",
                label_visibility="collapsed",
                **widgets.bind(
                    f"source_{name}", found.data.sigma[name].source, partial(set_sigma, name, "source")
                ),
            )  # fmt: skip
    if pages > 1:
        st.pagination(pages, key="sources_page")
