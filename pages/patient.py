"""The Patient page: one patient through the tree, the answer or its absence, and what measurement error could change.

In: a row of the data or typed readings, kept in this session only. Out: the case in words and pictures.
"""

from __future__ import annotations

import streamlit as st

from engine.case import Case
from engine.draw import View
from engine.draw.case_charts import hundred_marks_svg
from engine.draw.node_charts import tau_strip_svg
from pages.shared import (
    case_controls,
    case_pictures,
    case_told,
    case_words,
    present_case,
    present_data,
    present_report,
    present_tree,
    recipe_controls,
    stability_words,
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
        if not tree.has_bayes:
            svg_view(tau_strip_svg(tree, view, width=208, marked=present_case.leaf_reached(case)))
        st.caption(words.plain(case_words.answers_up_to(case, view)))
        widgets.sigma_summary()


def finding(found: present_tree.Fitted, case: Case, view: View) -> None:
    """Say what the tree answers and how sure it is, beside a hundred plausible true states; offer it on paper."""
    said = case_told.told(found, case, view)
    left, right = st.columns([3, 1.1], gap="large")
    with left:
        widgets.heading(said.heading)
        for line in said.warnings:
            st.warning(words.plain(line))
        with st.container(key="agree"):
            st.markdown(f"## {words.plain(said.agree)}", help=words.CAVEATS)
        if not said.assessed:
            with st.container(key="state_it"):
                st.page_link("pages/noise.py", label=stability_words.STATE_IT)
        st.markdown(words.plain(said.sentence))
        st.caption(words.plain(f"{said.leaf_range} {said.stability}"))
        for line in said.remarks:
            st.markdown(words.plain(line))
    with right:
        with widgets.sentence():
            present_report.buttons(found, case, view, said)
        if said.marks:
            st.caption(words.plain(said.marks))
        if said.assessed:
            svg_view(hundred_marks_svg(case.answer_shares, view, width=256))
        widgets.facts_link()


def similar() -> None:
    """List the past patients most like this one."""
    near = present_case.similar()
    with st.expander(f"The {len(near.rows)} most similar past patients"):
        st.caption(case_words.SIMILAR)
        st.dataframe(present_data.past_patients(near.rows, words.DISTANCE, near.distance))


def page() -> None:
    found, case = present_tree.fitted(), present_case.case()
    view = present_tree.view(876)
    finding(found, case, view)
    recipe_controls.equals_hard()
    left, right = st.columns([224, 876], gap="medium")
    with left, widgets.sentence():
        case_controls.fields(found)
    with right, widgets.sentence():
        case_pictures.tree_pictures(found, case, view)
        case_pictures.cards(found, case, view)
        similar()


widgets.show(__file__, sidebar, page)
