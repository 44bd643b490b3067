"""The Tree page: the fitted tree with its blend ranges and abstention leaves, and why each node is as it is.

In: this session's data, noise and recipe. Out: a drawn tree, a panel on the chosen node, downloads.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.draw import View, tree_legend_svg, tree_svg
from engine.draw.node_charts import tau_strip_svg
from engine.draw.overlay import Overlay
from engine.draw.tree_table import tree_table
from pages.shared import (
    facts_words,
    node_panel,
    overlay_words,
    present_data,
    present_others,
    present_tree,
    present_validation,
    recipe_controls,
    state,
    tree_controls,
    tree_words,
    widgets,
    words,
)
from pages.shared.choices import OTHERS
from pages.shared.tree_downloads import downloads
from pages.shared.tree_view import svg_view, tree_view


def sidebar() -> None:
    widgets.data_set()
    recipe_controls.variant_choice()
    with widgets.sentence(quiet=True):
        recipe_controls.axes()
    recipe_controls.size()
    recipe_controls.advanced()
    with widgets.sentence(quiet=True):
        recipe_controls.calibration()
    with widgets.sentence(quiet=True):
        recipe_controls.tau()
        model, view = present_tree.decided(), present_tree.view(208)
        if not model.tree_.has_bayes:
            svg_view(tau_strip_svg(model.tree_, view, width=208))
        st.caption(tree_words.answered(present_tree.answered(), len(present_data.prepared().y)))
        widgets.sigma_summary()


def left_out() -> None:
    """Say how trees grown this way do on patients left out, once the reader asks: it takes several fits.

    Where the Model facts page has tried it over several repeats, its figures stand here too, so that no two differ.
    """
    validation, counts = present_validation.validated(), present_tree.left_out()
    if validation is not None:
        st.caption(words.plain(words.opening(facts_words.in_brief(validation))), help=tree_words.LEFT_OUT)
    elif counts is not None:
        st.caption(words.plain(tree_words.left_out(counts)), help=tree_words.LEFT_OUT, width="content")
    elif st.button(tree_words.LEAVE_OUT, key="leave_out", type="tertiary", help=tree_words.LEFT_OUT):
        with widgets.sentence():
            with st.spinner(tree_words.LEAVING_OUT):
                present_tree.folds()
            st.rerun()


def picture(found: present_tree.Fitted, view: View, over: Overlay) -> None:
    """Draw the tree with its controls and legend, and do what the reader did to it."""
    tree = found.model.tree_
    tree_controls.bar(found, view)
    tree_controls.said(found, view)
    noisy = any(found.evidence.sigma(int(node)) > 0 for node in np.flatnonzero(tree.variable >= 0))
    svg_view(tree_legend_svg(tree, view, over, noisy))
    told = tree_view(tree_svg(tree, found.evidence, view, over), key="tree")
    folded = told.folded if told.folded is not None else told.clicked if told.clicked in view.collapsed else None
    if folded is not None:
        state.choose_node(folded)
        state.fold(found.key, folded, folded not in view.collapsed)
        st.rerun()
    if told.clicked is not None and max(told.clicked, 0) != view.selected:
        state.choose_node(max(told.clicked, 0))
        st.rerun()
    noisy = found.model.noise_propagation_.anything
    below = tree_words.below_tree(state.value_of("propagation"), noisy, tree, found.evidence)
    st.caption(words.plain(below), help=overlay_words.SPACE)
    with st.expander("The same tree as a table"):
        st.dataframe(tree_table(tree, found.evidence, view, over), hide_index=True)


def page() -> None:
    found = present_tree.fitted()
    view, over = present_tree.drawn(808), Overlay()
    finding, under = (
        tree_words.tree_heading(found.model.tree_, view.leaf_answers),
        tree_words.tree_under(found.model.tree_, found.data.summary()),
    )
    still = replace(view, foldable=False)
    widgets.top(finding, under, "Continue to Patient", "pages/patient.py", lambda: downloads(found, still))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="tried"):
        left_out()
        widgets.facts_link()
    recipe_controls.equals_hard()
    recipe_controls.notes()
    with widgets.sentence(quiet=state.choices().picture.over == OTHERS):  # said below, beside the file
        over = present_others.overlay()
    middle, beside = st.columns([808, 312], gap="medium")
    with middle:
        picture(found, view, over)
    with beside, st.container(border=True), widgets.sentence():
        node_panel.panel(found, view, view.selected or 0, over)


widgets.show(__file__, sidebar, page)
