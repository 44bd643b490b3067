"""The Patient page: one patient through the tree, the answer or its absence, and what measurement error could change.

In: a row of the data or typed readings, kept in this session only. Out: the case in words and pictures.
"""

from __future__ import annotations

import streamlit as st

from engine.case import Case
from engine.draw import View, path_svg, patient_legend_svg, patient_svg
from engine.draw.case_charts import (
    four_ways_svg,
    hundred_marks_svg,
    nearest_change_svg,
    repeat_svg,
    stability_bars_svg,
)
from engine.draw.node_charts import tau_strip_svg
from pages.shared import (
    case_controls,
    case_words,
    present_case,
    present_data,
    present_tree,
    recipe_controls,
    state,
    tree_words,
    widgets,
    words,
)
from pages.shared.tree_view import svg_view


def sidebar() -> None:
    widgets.data_set()
    with widgets.sentence(quiet=True):
        st.caption(
            words.plain(
                tree_words.tree_summary(
                    present_tree.fitted().model.tree_, state.choices().variant, len(state.choices().axes)
                )
            )
        )
        st.page_link("pages/tree.py", label="change the tree")
        case_controls.patient_choice()
    with widgets.sentence(quiet=True):
        recipe_controls.axes(["evaluation"])
    st.caption(case_words.BRANCH_SHARES)
    with widgets.sentence(quiet=True):
        recipe_controls.tau()
        case, view = present_case.case(), present_tree.view(208)
        tree = present_tree.decided().tree_
        svg_view(tau_strip_svg(tree, view, width=208, marked=present_case.leaf_reached(case)))
        st.caption(words.plain(case_words.answers_up_to(case, view)))
        widgets.sigma_summary()


def finding(found: present_tree.Fitted, case: Case, view: View, lacking: list[str]) -> None:
    """Say what the tree answers and how sure it is, beside a hundred plausible true states."""
    tree, near = found.model.tree_, present_case.similar()
    asked = {found.data.columns[int(j)] for j in tree.variable if j >= 0}
    alike = [found.data.y[i] for i in near.rows]
    left, right = st.columns([3, 1.1], gap="large")
    with left:
        widgets.heading(case_words.case_heading(case, view, found.data.target, lacking))
        for line in case_words.outside(case, view, present_case.ranges(case), present_case.doubtful_zeros()):
            st.warning(words.plain(line))
        st.markdown(f"#### {words.plain(case_words.agree(case, view, asked, lacking))}", help=words.CAVEATS)
        shares = present_case.leaf_shares()
        st.markdown(words.plain(case_words.case_sentence(tree, shares, case, view, alike, lacking)))
        st.caption(words.plain(case_words.stability_sentence(case, view, asked, lacking)))
        for line in case_words.case_remarks(case, view, lacking):
            st.markdown(words.plain(line))
    with right:
        svg_view(hundred_marks_svg(case.answer_shares, view, width=256))


def cards(found: present_tree.Fitted, case: Case, view: View, lacking: list[str]) -> None:
    """Draw stability, nearest change, what to repeat, and the ways to evaluate."""
    tree, spread = found.model.tree_, present_case.spread(case)
    nearest = nearest_change_svg(case, view, spread=spread, width=200) if case.nearest_answer else ""
    pictures = (
        (case_words.stability_card(case, view), stability_bars_svg(tree, case, view, width=200)),
        (case_words.change_card(case, view, spread), nearest),
        (case_words.repeat_card(case, view, lacking), repeat_svg(case, view, width=200) if case.best_repeat else ""),
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
    svg_view(patient_legend_svg(view))
    with st.container(key="path_only"):
        svg_view(path_svg(tree, case, found.evidence, present_tree.view(352)))
        opened = st.toggle(case_words.WHOLE_TREE, key="whole_tree_wanted")
    with st.container(key="whole_tree_opened" if opened else "whole_tree"):
        svg_view(patient_svg(tree, case, found.evidence, view))


def similar() -> None:
    """List the past patients most like this one."""
    near = present_case.similar()
    with st.expander(f"The {len(near.rows)} most similar past patients"):
        st.caption(case_words.SIMILAR)
        st.dataframe(present_data.past_patients(near.rows, words.DISTANCE, near.distance))


def page() -> None:
    found, case = present_tree.fitted(), present_case.case()
    view = present_tree.view(876)
    lacking = present_case.lacking(case)
    finding(found, case, view, lacking)
    recipe_controls.equals_hard()
    left, right = st.columns([224, 876], gap="medium")
    with left, widgets.sentence():
        case_controls.fields(found)
    with right, widgets.sentence():
        tree_pictures(found, case, view)
        cards(found, case, view, lacking)
        similar()


widgets.show(__file__, sidebar, page)
