"""A lesson's figure on the page: its marks are dragged or moved by arrow keys, and it grows for a projector.

In: SVG text from `engine.draw`, for a desk and for a telephone. Out: what was moved or pressed, told before the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.draw.printed import svg_size
from pages.shared.learn_settings import Span
from pages.shared.tree_view import STILL_HTML, asset

PROJECTED = 1.5

_lesson = st.components.v2.component(
    "penumbra_lesson",
    html=STILL_HTML,
    css=asset("view.css", "lesson.css"),
    js=asset("theme_of.js", "lesson.js"),
)


@dataclass(frozen=True)
class Room:
    """A figure in front of a room: whether it is `shown`, and (name, value, span) of what the arrow keys turn."""

    shown: bool
    turned: tuple[str, float, Span] | None = None

    def told(self) -> dict[str, Any]:
        """Return what the figure's own script needs of it."""
        turn = None
        if self.turned is not None:
            name, value, span = self.turned
            turn = {"name": name, "value": value, "step": span.step, "low": span.low, "high": span.high}
        return {"shown": self.shown, "turn": turn}


def lesson_view(
    svg: str,
    narrow: str,
    key: str,
    moved: Callable[[str, float, float], None],
    room: Room | None,
    pressed: Callable[[str], None],
) -> None:
    """Show a figure.

    Parameters
    ----------
    svg, narrow : drawn for a wide and for a narrow column. room : in front of one, the figure takes the page's keys.
    moved : is told the name of a mark that the reader moved and its place, across and up, before the page is drawn.
    pressed : is told what a key asked for: "show", "cover" or "leave".
    """

    def on_moved() -> None:
        told = st.session_state[key]["moved"]
        moved(str(told["name"]), float(told["value"]), float(told["up"]))

    def on_pressed() -> None:
        pressed(str(st.session_state[key]["pressed"]))

    data = {
        "svg": svg,
        "narrow": narrow,
        "tall": svg_size(svg)[1],
        "zoom": 1.0 if room is None else PROJECTED,
        "room": None if room is None else room.told(),
    }
    _lesson(key=key, data=data, on_moved_change=on_moved, on_pressed_change=on_pressed)
