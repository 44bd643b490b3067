"""A lesson in front of a room: its figure alone, its question beside it, and below it what happens and the moral.

In: this session's lesson and its answer. Out: the drawn room, and the parts of it that the desk shows as well.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import learn_figures, state, widgets, words
from pages.shared import learn_words as said
from pages.shared.choices import JUST_SHOWN
from pages.shared.learn_controls import Seen


def steps(name: str) -> None:
    """Draw the buttons to the lessons before and after."""
    names = list(said.LESSONS)
    for label, step in (("← Previous", -1), ("Next →", 1)):
        to = names[(names.index(name) + step) % len(names)]
        st.button(label, key=label, on_click=state.choose_lesson, args=(to,), help=said.LESSONS[to].title)


def happens(name: str, choice: int) -> None:
    """Tell what happens beside what the reader said, and one thing to try."""
    yours, told = said.happens(name, choice)
    st.markdown(f"**{words.plain(yours)}** {words.plain(told)}")
    st.markdown(words.plain(said.LESSONS[name].attempt))


def projector(name: str, hidden: bool) -> None:
    """Draw the figure alone, its question beside it; once the curves are shown, what happens stands below it."""
    lesson = said.LESSONS[name]
    with st.container(key="projector"):
        widgets.heading(lesson.question if hidden else lesson.heading)
        if hidden:
            st.markdown("\n".join(f"{k}. {words.plain(each)}" for k, each in enumerate(lesson.options, start=1)))
        with st.container(horizontal=True, key="room_steps"):
            label, answer = (said.SHOW, JUST_SHOWN) if hidden else (said.COVER, None)
            st.button(f"{label}{said.SPACE}", key="just_show", on_click=state.answer_lesson, args=(name, answer))
            steps(name)
            st.button(said.LEAVE, key="leave_room", on_click=state.project, args=(False,))
        learn_figures.figure(name, Seen(hidden, projector=True))
        if not hidden:
            with st.container(key="room_told"):
                happens(name, state.learning().answers[name])
                st.markdown(f"**Moral.** {words.plain(lesson.moral)}")
