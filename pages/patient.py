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
    case_words,
    present_case,
    present_data,
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


def finding(found: present_tree.Fitted, case: Case, view: View, lacking: list[str]) -> None:
    """Say what the tree answers and how sure it is, beside a hundred plausible true states."""
    tree, near = found.model.tree_, present_case.similar()
    asked = case_words.asked_of(tree)
    alike = [found.data.y[i] for i in near.rows]
    evaluation = state.value_of("evaluation")
    left, right = st.columns([3, 1.1], gap="large")
    with left:
        widgets.heading(case_words.case_heading(case, view, found.data.target, lacking, present_case.costs()))
        for line in case_words.outside(case, view, present_case.ranges(case), present_case.doubtful_zeros()):
            st.warning(words.plain(line))
        st.markdown(f"#### {words.plain(case_words.agree(case, view, asked, lacking))}", help=words.CAVEATS)
        if not stability_words.assessed(case, asked, lacking):
            st.page_link("pages/noise.py", label=stability_words.STATE_IT)
        shares = present_case.leaf_shares()
        st.markdown(words.plain(case_words.case_sentence(tree, shares, case, view, alike, lacking)))
        st.caption(words.plain(case_words.stability_sentence(case, view, asked, lacking)))
        for line in case_words.case_remarks(case, view, lacking, evaluation, present_case.unread(case)):
            st.markdown(words.plain(line))
    with right:
        marks(case, view, asked, lacking)


def marks(case: Case, view: View, asked: set[str], lacking: list[str]) -> None:
    """Draw a hundred plausible true states, or say that nothing is known of them."""
    if not stability_words.assessed(case, asked, lacking):
        st.caption(stability_words.NOT_ASSESSED)
        return
    if stability_words.read_as(case) != "hard":
        st.caption(stability_words.KNOWN_TRUTH)
    svg_view(hundred_marks_svg(case.answer_shares, view, width=256))


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
        case_pictures.tree_pictures(found, case, view)
        case_pictures.cards(found, case, view, lacking)
        similar()


widgets.show(__file__, sidebar, page)
