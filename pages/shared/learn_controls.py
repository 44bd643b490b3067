"""The controls that the lessons share: a slider, a row of options, a figure whose marks can be moved, its numbers.

In: the settings of a lesson. Out: drawn controls that write to the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import learn_words as said
from pages.shared import state, widgets
from pages.shared.choices import JUST_SHOWN
from pages.shared.learn_pictures import SMALL, WIDE, picture
from pages.shared.learn_settings import SETTINGS, Span, held
from pages.shared.learn_view import Room, lesson_view

TURNED = {
    "points": "sigma", "order": "sigma", "missed": "sigma", "abstention": "tau", "tests": "follow", "repeated": "sigma",
}  # fmt: skip
Moved = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Seen:
    """How a figure is seen: with its answer `hidden`, and in front of a room (`projector`) or at a desk."""

    hidden: bool
    projector: bool = False


def span_of(lesson: str, name: str) -> Span:
    """Return a setting that is a number between two ends."""
    found = SETTINGS[lesson][name]
    assert isinstance(found, Span), "a slider stands for a number between two ends"
    return found


def slider(lesson: str, name: str, label: str) -> None:
    """Draw a slider of a lesson; what is dragged in the figure moves it too. A narrow window pins the chief one."""
    span = span_of(lesson, name)
    with st.container(key="pinned" if TURNED.get(lesson) == name else f"slider_{name}"):
        st.slider(
            label, span.low, span.high, step=span.step, format="%g",
            **widgets.bind(f"{lesson}_{name}", float(held(lesson, name)), partial(state.set_lesson, lesson, name)),
        )  # fmt: skip


def choice(lesson: str, name: str, label: str, quiet: bool = False) -> Any:
    """Draw a row of options of a lesson."""
    value, options = held(lesson, name), said.OPTIONS[lesson, name]

    def chosen(new: Any) -> None:
        if new is not None:
            state.set_lesson(lesson, name, new)
            st.session_state[f"{lesson}_{name}"] = new  # told again: a run before may have told the browser another

    st.segmented_control(
        label, list(options), format_func=options.__getitem__, label_visibility="collapsed" if quiet else "visible",
        **widgets.bind(f"{lesson}_{name}", value, chosen),
    )  # fmt: skip
    return value


def pressed(lesson: str, key: str) -> None:
    """Do what a key asked for in front of a room: show, cover, or leave."""
    if key == "leave":
        state.project(False)
    else:
        state.answer_lesson(lesson, JUST_SHOWN if key == "show" else None)


def show(lesson: str, seen: Seen, moved: Moved | None = None) -> None:
    """Show a figure; a mark named as a setting moves that, of any other `moved` is told the name and the place."""

    def note(name: str, value: float, up: float) -> None:
        if name in SETTINGS[lesson]:
            state.set_lesson(lesson, name, value)
        elif moved is not None:
            moved(name, value, up)

    room = None
    if seen.projector:
        name = TURNED.get(lesson)
        room = Room(not seen.hidden, None if name is None else (name, held(lesson, name), span_of(lesson, name)))
    wide, small = (picture(lesson, seen.hidden, each) for each in (WIDE, SMALL))
    lesson_view(wide, small, f"figure_{lesson}", note, room, partial(pressed, lesson))


def numbers(seen: Seen, rows: Iterable[tuple[Any, ...]], heads: list[str]) -> None:
    """Draw the figure's numbers as a table, once they may be seen; a room sees the figure alone."""
    if not seen.hidden and not seen.projector:
        with st.expander(said.NUMBERS):
            st.dataframe(pd.DataFrame(list(rows), columns=heads), hide_index=True)
