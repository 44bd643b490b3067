"""The pictures of one patient: the way through the tree, and four cards of what measurement error could change.

In: the fitted tree, the case and the view. Out: drawn pictures.
"""

from __future__ import annotations

import streamlit as st

from engine.case import Case
from engine.draw import View, path_svg, patient_legend_svg, patient_svg
from engine.draw.case_charts import four_ways_svg, nearest_change_svg, repeat_svg, stability_bars_svg
from pages.shared import case_words, present_case, present_tree, stability_words, words
from pages.shared.tree_view import svg_view


def cards(found: present_tree.Fitted, case: Case, view: View, lacking: list[str]) -> None:
    """Draw stability, nearest change, what to repeat, and the ways to evaluate."""
    tree, spread = found.model.tree_, present_case.spread(case)
    nearest = nearest_change_svg(case, view, spread=spread, width=200) if case.nearest_shown_answer else ""
    asked = case_words.asked_of(tree)
    bars = stability_bars_svg(tree, case, view, width=200) if stability_words.assessed(case, asked, lacking) else ""
    change = case_words.change_card(case, view, spread, present_case.unrounded(case))
    repeat = repeat_svg(case, view, width=200) if case.best_repeat else ""
    pictures = (
        (case_words.stability_card(case, view, asked, lacking), bars),
        (change, nearest),
        (case_words.repeat_card(case, view, lacking, asked), repeat),
        (case_words.ways_card(case, view), four_ways_svg(case, view, width=200)),
    )
    for column, (card, svg) in zip(st.columns(4), pictures, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{words.plain(card.title)}**", help=card.help)
            st.markdown(f"## {words.plain(card.key)}")
            st.caption(words.plain(card.sentence))
            if svg:
                svg_view(svg)


def tree_pictures(found: present_tree.Fitted, case: Case, view: View) -> None:
    """Draw the whole tree, or on a narrow screen the path alone with the whole tree one touch away."""
    tree = found.model.tree_
    svg_view(patient_legend_svg(view, tree))
    with st.container(key="path_only"):
        svg_view(path_svg(tree, case, found.evidence, present_tree.view(352)))
        opened = st.toggle(case_words.WHOLE_TREE, key="whole_tree_wanted")
    with st.container(key="whole_tree_opened" if opened else "whole_tree"):
        svg_view(patient_svg(tree, case, found.evidence, view))
