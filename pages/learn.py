"""The Learn page: the papers' small examples as live figures, each with a question to answer before one looks.

In: the reader's lesson, answer, and what was moved in the figure. Out: the figure, what happens, a moral; no data.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from engine.draw.lesson_thumbnails import thumbnail_svg
from pages.shared import learn_figures, learn_handout, learn_link, state, widgets, words
from pages.shared import learn_words as said
from pages.shared.choices import JUST_SHOWN
from pages.shared.learn_controls import Seen
from pages.shared.learn_room import happens, projector, steps
from pages.shared.tree_view import copy_button, svg_view


def sidebar() -> None:
    learn_link.follow()
    now = state.learning()
    st.markdown("**Lessons**")
    with st.container(key="choice_lesson"):
        for place, (name, lesson) in enumerate(said.LESSONS.items(), start=1):
            st.button(
                f"{place}  {lesson.title}",
                key=f"lesson={name}",
                type="primary" if name == now.lesson else "tertiary",
                width="stretch",
                on_click=state.choose_lesson,
                args=(name,),
            )
    st.markdown("**For the room**")
    mode = said.PROJECTOR if now.projector else said.DESK
    st.segmented_control(
        "For the room",
        [said.DESK, said.PROJECTOR],
        label_visibility="collapsed",
        **widgets.bind("room", mode, lambda new: state.project(new == said.PROJECTOR)),
    )
    st.caption(said.FOR_THE_ROOM)
    copy_button("Copy link", learn_link.link(), key="copy_link")
    st.caption(said.LINK)
    with widgets.sentence(quiet=True):
        learn_handout.buttons(now.lesson)


def question(name: str) -> None:
    """Ask what the reader expects; once it is said, tell what happens."""
    lesson, choice = said.LESSONS[name], state.learning().answers.get(name)
    st.markdown("## Predict before you look")
    st.radio(
        lesson.question,
        range(len(lesson.options)),
        format_func=lesson.options.__getitem__,
        **widgets.bind(
            f"answer_{name}", None if choice == JUST_SHOWN else choice, partial(state.answer_lesson, name)
        ),
    )
    if choice is None:
        st.caption(said.COVERED)
        st.button(said.SHOW, key="just_show", on_click=state.answer_lesson, args=(name, JUST_SHOWN))
        return
    happens(name, choice)
    st.button(said.COVER, key="cover_again", type="tertiary", on_click=state.answer_lesson, args=(name, None))


def more_lessons(name: str) -> None:
    """Draw the other lessons as figures at rest; what a lesson asks stays covered in its picture too."""
    st.markdown("## More lessons")
    with st.container(horizontal=True, key="more_lessons"):
        for other, lesson in said.LESSONS.items():
            if other != name:
                with st.container(border=True, width=222, key=f"thumbnail_{other}"):
                    svg_view(thumbnail_svg(other, other not in state.learning().answers))
                    st.button(lesson.title, key=f"open={other}", on_click=state.choose_lesson, args=(other,))


def page() -> None:
    now = state.learning()
    name, hidden = now.lesson, now.lesson not in now.answers
    lesson, names = said.LESSONS[name], list(said.LESSONS)
    if now.refused:
        st.warning(words.plain(now.refused))
    if now.projector:
        projector(name, hidden)
        return
    left, right = st.columns([2.6, 1])
    with left:
        minutes = f"Lesson {names.index(name) + 1} of {len(names)}, about {words.count(lesson.minutes)} minutes."
        widgets.heading(lesson.title if hidden else lesson.heading, f"{minutes} {lesson.under}")
    with right, st.container(horizontal=True, horizontal_alignment="right", key="lesson_steps"):
        steps(name)
    with st.container(key="lesson"):
        middle, beside = st.columns([664, 344], gap="medium")
        with middle, st.container(border=True, key="lesson_figure"):
            learn_figures.figure(name, Seen(hidden))
        with beside:
            with st.container(border=True, key="lesson_question"):
                question(name)
            with st.container(key="lesson_beside"):
                learn_figures.beside(name, hidden)
                if not hidden:
                    st.markdown("## Moral")
                    with st.container(key="moral"):
                        st.markdown(words.plain(lesson.moral))
    more_lessons(name)


widgets.show(__file__, sidebar, page)
