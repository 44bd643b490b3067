"""The Data page: what the file was understood to hold, open to correction before anything is fitted.

In: an uploaded file or a bundled example. Out: the reader's corrections, in this session's choices.
"""

from __future__ import annotations

import streamlit as st

from engine.errors import PenumbraError
from engine.read import ReadTable
from pages.shared import cut_controls, data_words, file_controls, present_data, state, widgets, words


def sidebar() -> None:
    widgets.data_set(story=True)
    file_controls.upload()


def problems(table: ReadTable) -> None:
    """List what was odd, in words, and offer to set patients aside."""
    with st.container(border=True):
        st.markdown("## " + ("What was odd" if table.problems else "Nothing odd was found"))
        for text in table.problems:
            st.markdown(f"- {words.plain(text)}")
        lacking = [name for name in table.X.columns if table.X[name].isna().any()]
        if lacking:
            st.multiselect(
                "Set aside patients who lack",
                lacking,
                help=data_words.ASIDE,
                placeholder="nobody: a missing value is shared at each split",
                **widgets.bind(
                    "aside", [name for name in state.choices().aside if name in lacking], file_controls.set_aside
                ),
            )


def page() -> None:
    try:
        table = present_data.read()[1]
    except PenumbraError as error:
        widgets.top(data_words.UNREAD, data_words.UNREAD_UNDER, "Continue to Noise", "pages/noise.py")
        st.error(words.plain(error))
        file_controls.facts(present_data.stated_reading())
        cut = present_data.stated_cut()
        if cut is not None:
            cut_controls.drop(cut)
        file_controls.roles_alone(present_data.column_names())
        return
    finding = data_words.data_heading(len(table.y), len(table.problems))
    widgets.top(finding, data_words.DATA_UNDER, "Continue to Noise", "pages/noise.py")
    file_controls.facts(table.understood)
    file_controls.column_rows(table)
    left, right = st.columns([11, 9])
    with left:
        problems(table)
    with right, st.container(border=True), widgets.sentence():
        file_controls.labels(table)
    with st.expander("First rows as they stand in the file"):
        st.dataframe(table.preview, hide_index=True)


widgets.show(__file__, sidebar, page)
