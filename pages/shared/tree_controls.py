"""The controls above and below the tree's picture: depth, which leaves, what lies over it; none of them fits anything.

In: the fitted tree, the view, this session's choices. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from engine.draw import View
from engine.leaf_filter import ABSTAINS, ANY, NAMES, PATIENTS, PERCENT, SEVERAL, passing
from pages.shared import overlay_words, present_case, present_others, present_tree, state, widgets, words
from pages.shared.choices import NOBODY, OTHERS, PATIENT, WHOLE
from pages.shared.file_controls import FILE_KINDS

OVER = {NOBODY: "nobody", PATIENT: "the present patient", OTHERS: "other patients (test data)"}


def bar(found: present_tree.Fitted, view: View) -> None:
    """Draw the row of controls above the picture."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="tree_controls", gap="small"):
        _depth(found.model.tree_.max_depth)
        _leaves(view)
        _over()
        st.button(
            "Open all",
            key="open_all",
            on_click=lambda: state.draw(depth=WHOLE, closed=(), opened=(), fold_failing=False),
            disabled=not view.collapsed,
            help="Draws every level and opens every folded subtree.",
        )


def _depth(most: int) -> None:
    shown = present_tree.depth_shown() or WHOLE
    st.selectbox(
        "Show to depth",
        [WHOLE, *range(1, most)],
        format_func=overlay_words.depth_label,
        help=overlay_words.DEPTH,
        disabled=most < 2,
        width=150,
        **widgets.bind("shown_depth", shown, state.draw_to_depth),
    )


def _wish(**values: Any) -> None:
    state.draw(leaves=replace(state.choices().picture.leaves, **values))


def _count_as(unit: str) -> None:
    least = present_tree.leaf_filter().least
    _wish(least_of=unit, least=min(least, 100.0) if unit == PERCENT else least)


def _leaves(view: View) -> None:
    wanted, bayes = present_tree.leaf_filter(), present_tree.fitted().model.tree_.has_bayes
    # The label stays as it is: another one would close the box at every change.
    box = st.popover("Filter leaves", key="open_leaf_filter", on_change="rerun", width=130)
    if not box.open:
        return
    with box, st.container(width=420):
        st.caption(overlay_words.FILTER)
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        with left:
            most = 100.0 if wanted.least_of == PERCENT else None
            st.number_input(
                "Training patients in a leaf, at least",
                min_value=0.0,
                max_value=most,
                step=1.0,
                format="%g",
                help=overlay_words.SUPPORT,
                **widgets.bind("filter_least", float(wanted.least), lambda n: _wish(least=float(n or 0))),
            )
        with right:
            st.selectbox(
                "Counted as",
                [PATIENTS, PERCENT],
                format_func={PATIENTS: "patients", PERCENT: "% of all"}.__getitem__,
                **widgets.bind("filter_least_of", wanted.least_of, _count_as),
            )
        st.slider(
            "P of the most frequent class, at least",
            0.0,
            1.0,
            step=0.01,
            help=overlay_words.SURELY,
            disabled=bayes,
            **widgets.bind("filter_surely", wanted.surely, lambda p: _wish(surely=p)),
        )
        options: list[tuple[str, Any]] = [(ANY, None), (ABSTAINS, None)]
        options += [(SEVERAL, None)] if view.decision == "set" else []
        options += [(NAMES, label) for label in view.classes]
        now = (wanted.answers, wanted.named)
        st.selectbox(
            "Only leaves that",
            options,
            format_func=lambda each: overlay_words.answer_label(*each, view).lower(),
            disabled=bayes,
            **widgets.bind(
                "filter_answers",
                now if now in options else (ANY, None),
                lambda each: _wish(answers=each[0], named=each[1]),
            ),
        )
        if bayes:
            st.caption(overlay_words.BAYES)
        st.checkbox(
            "Fold subtrees in which no leaf passes",
            **widgets.bind(
                "filter_fold", state.choices().picture.fold_failing, lambda on: state.draw(fold_failing=on)
            ),
        )


def _over() -> None:
    st.selectbox(
        "Lay over the tree",
        list(OVER),
        format_func=OVER.__getitem__,
        help=overlay_words.OVERLAY,
        width=200,
        **widgets.bind("laid_over", state.choices().picture.over, lambda over: state.draw(over=over)),
    )


def _file() -> None:
    """Draw the way to the file of other patients, or its name and the way to take it away."""

    def arrived() -> None:
        file = st.session_state["others_upload"]
        if file is not None:
            state.open_others(file.getvalue(), file.name)

    if state.choices().others is None:
        st.file_uploader(
            "A file of other patients, with the training columns",
            type=FILE_KINDS,
            key="others_upload",
            on_change=arrived,
            help=overlay_words.TEST_FILE,
        )
        st.caption(words.PRIVATE)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="others_file"):
        st.markdown(f"Test data: **{words.plain(state.choices().others_name)}**", width="content")
        st.button("take it away", key="close_others", type="tertiary", on_click=state.close_others)


def said(found: present_tree.Fitted, view: View) -> None:
    """Say how much of the tree is shown, and how the tree does for the patients laid over it."""
    tree = found.model.tree_
    if not present_tree.leaf_filter().idle:
        with st.container(horizontal=True, vertical_alignment="center", key="filter_line"):
            counted = passing(tree, found.evidence.count, view.set_back)
            told = overlay_words.showing(counted, present_tree.leaf_filter(), view)
            st.markdown(words.plain(told), width="content")
            st.button(
                "show all",
                key="show_all",
                type="tertiary",
                on_click=lambda: state.draw(leaves=type(present_tree.leaf_filter())(), fold_failing=False),
            )
    closed = overlay_words.folded(tree, view.collapsed)
    if closed:
        st.caption(words.plain(closed))
    if state.choices().picture.over == PATIENT:
        with st.container(horizontal=True, vertical_alignment="center", key="patient_line"), widgets.sentence():
            st.markdown(words.plain(overlay_words.patient_summary(present_case.case(), view)), width="content")
            st.page_link("pages/patient.py", label="choose another")
    if state.choices().picture.over == OTHERS:
        _file()
        with widgets.sentence():
            others_said(view)


def others_said(view: View) -> None:
    """Say who the other patients are, how the tree does for them, and what was odd about their file."""
    others = present_others.others()
    if others is None:
        return
    st.markdown(words.plain(overlay_words.file_summary(others.told, others.answers)))
    line = overlay_words.outside(others.told, view)
    if line:
        st.markdown(words.plain(line), help=overlay_words.TEST_READ)
    if not others.told.judged:
        st.caption("Classes are weighted in this tree, so its shares are not held against those of test patients.")
    for remark in others.remarks:
        st.caption(words.plain(remark))
