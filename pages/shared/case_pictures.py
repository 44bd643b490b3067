"""The pictures of one patient: the way through the tree, and four cards of what measurement error could change.

In: the fitted tree, the case and the view. Out: drawn pictures.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine.case import Case
from engine.draw import View, path_svg, patient_legend_svg, patient_svg
from pages.shared import case_told, case_words, present_tree, words
from pages.shared.tree_view import svg_view


def cards(found: present_tree.Fitted, case: Case, view: View) -> None:
    """Draw stability, nearest change, what to repeat, and the ways to evaluate."""
    for place, (column, (card, svg)) in enumerate(zip(st.columns(4), case_told.cards(found, case, view), strict=True)):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"### {words.plain(card.title)}", help=card.help)
            with st.container(key=f"key_figure_{place}"):
                st.markdown(words.plain(card.key))
            st.caption(words.plain(card.sentence))
            if svg:
                svg_view(svg)


def tree_pictures(found: present_tree.Fitted, case: Case, view: View) -> None:
    """Draw the whole tree, or on a narrow screen the path alone with the whole tree one touch away."""
    tree = found.model.tree_
    svg_view(patient_legend_svg(view, tree, case))
    with st.container(key="path_only"):
        svg_view(path_svg(tree, case, found.evidence, replace(view, width=352)))
        opened = st.toggle(case_words.WHOLE_TREE, key="whole_tree_wanted")
    with st.container(key="whole_tree_opened" if opened else "whole_tree"):
        svg_view(patient_svg(tree, case, found.evidence, view))
