"""The Noise page: each variable's measurement error, beside its distribution and the tree's thresholds.

In: σ in any form, from controls or a table. Out: the reader's σ, in this session's choices.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from engine.borderline import near_share
from engine.draw.curves import larger_noise_figure
from engine.draw.variable_charts import category_svg, variable_svg
from engine.errors import PenumbraError
from engine.noise_table import Stated, to_csv
from pages.shared import noise_words, present_data, present_tree, recipe_controls, sigma_controls, state, widgets, words
from pages.shared.tree_view import svg_view

ROWS = 10
WIDTHS = [1.5, 3.4, 1.6, 4.2]


def sidebar() -> None:
    widgets.data_set()
    recipe_controls.variant_choice("Thresholds from")
    factor = state.choices().factor
    st.slider(
        "All σ times",
        0.0,
        3.0,
        step=0.1,
        help=noise_words.FACTOR,
        **widgets.bind("factor", factor, lambda new: state.change(factor=new)),
    )
    st.markdown("**Used in**")
    for name, label in noise_words.FACTOR_LABELS.items():
        sigma_controls.factor(name, label)
    st.caption(noise_words.used_in(state.value_of("evaluation")))
    st.markdown("**Table of σ**")
    sigma_controls.sigma_for_all()
    with widgets.sentence(quiet=True):
        data = present_data.prepared()
        text = to_csv(data.sigma, data.columns, data.units)
        st.download_button("Download CSV", text, "sigma.csv", "text/csv", on_click="ignore", width="stretch")
        sigma_controls.sigma_upload(data)


def row(found: present_tree.Fitted, name: str) -> None:
    """Draw one variable: its picture, who is near a threshold, and the form of its σ."""
    data, j = found.data, found.data.columns.index(name)
    stated = data.sigma.get(name, Stated())
    unit = data.units.get(name, "")
    categories = found.model.schema_.categories[j] or ()
    numeric = bool(found.model.schema_.numeric[j])
    cells = st.container(key=f"variable_{j}").columns(WIDTHS, gap="small")
    values = found.values[:, j]
    nodes = [int(node) for node in np.flatnonzero(found.model.tree_.variable == j)]
    with cells[0]:
        st.markdown(f"**{words.plain(data.names[name])}**")
        st.caption(words.plain(noise_words.spread(values, unit) if numeric else words.levels(categories)))
    with cells[1]:
        if numeric:
            texts = {float(found.model.tree_.threshold[node]): found.evidence.threshold_text(node) for node in nodes}
            sigma = partial(found.noise.at, j)
            svg_view(variable_svg(values, sorted(texts), sigma, unit=unit, name=name, width=340, texts=texts))
        else:
            counts = [int((values == code).sum()) for code in range(len(categories))]
            svg_view(category_svg([str(each) for each in categories], counts, width=340))
    with cells[2]:
        sigma_controls.near(noise_words.near(found.model.tree_, found.evidence, nodes, stated.noisy))
    with cells[3]:
        sigma_controls.statement(data, name, numeric)
        sigma_controls.size(found, name, j)


def rows(found: present_tree.Fitted) -> None:
    """Draw the variables, those the tree asks first, a page of them at a time when there are many."""
    data, tree = found.data, found.model.tree_
    asked = list(dict.fromkeys(tree.variables[j] for j in tree.variable if j >= 0))
    noisy = [name for name in data.columns if data.sigma.get(name, Stated()).noisy and name not in asked]
    names = [*asked, *noisy, *(name for name in data.columns if name not in asked and name not in noisy)]
    with st.container(key="column_heads"):
        for cell, label in zip(st.columns(WIDTHS, gap="small"), noise_words.NOISE_HEADS, strict=True):
            cell.caption(label, help=noise_words.FORM_MEANINGS if label == noise_words.NOISE_HEADS[-1] else None)
    pages = -(-len(names) // ROWS)
    page = min(st.session_state.get("noise_page", 1), pages)
    for name in names[(page - 1) * ROWS : page * ROWS]:
        row(found, name)
    if pages > 1:
        st.pagination(pages, key="noise_page")


def page() -> None:
    data = present_data.prepared()
    sigma_controls.put_aside()
    try:
        found = present_tree.fitted()
    except PenumbraError as error:
        widgets.top(noise_words.UNFIT, noise_words.UNFIT_UNDER, "Continue to Tree", "pages/tree.py")
        st.error(words.plain(error))
        sigma_controls.statements_alone(data)
        return
    together = float(near_share(found.distance)[0])
    finding = noise_words.noise_heading(present_tree.near_by_variable(), together, len(found.values))
    widgets.top(*finding, "Continue to Tree", "pages/tree.py")
    rows(found)
    left, right = st.columns(2)
    with left, st.container(border=True):
        sigma_controls.sources(found)
    if np.isfinite(found.distance).any():
        with right, st.container(border=True):
            st.markdown("## If the noise is larger")
            st.caption("Share of patients near a threshold, the tree unchanged")
            factors = np.linspace(0, 3, 31)
            figure = larger_noise_figure(factors, near_share(found.distance, factors), dark=widgets.dark())
            now, doubled = (float(part) for part in near_share(found.distance, [1.0, 2.0]))
            told = noise_words.larger_noise(now, doubled)
            st.plotly_chart(figure, config={"displayModeBar": False}, alt=told)


widgets.show(__file__, sidebar, page)
