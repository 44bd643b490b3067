"""A lesson's figure on the page: marks in it can be dragged or moved by arrow keys, and it grows for a projector.

In: SVG text from `engine.draw`, for a desk and for a telephone. Out: what was moved in this run, and to where.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared.tree_view import STILL_HTML, asset

PROJECTED = 1.5

_lesson = st.components.v2.component(
    "penumbra_lesson",
    html=STILL_HTML,
    css=asset("view.css", "lesson.css"),
    js=asset("theme_of.js", "lesson.js"),
)


def _nothing() -> None:
    """Tell Streamlit that the event exists; the page reads the value itself."""


def lesson_view(svg: str, narrow: str, key: str, projector: bool = False) -> tuple[str, float] | None:
    """Show a figure and return (name, new value) of the mark that the reader moved in this run, None for nothing.

    Parameters
    ----------
    svg, narrow : drawn for a wide and for a narrow column. projector : up to half as large again.
    """
    data = {"svg": svg, "narrow": narrow, "zoom": PROJECTED if projector else 1.0}
    moved: Any = _lesson(key=key, data=data, on_moved_change=_nothing).moved
    return None if moved is None else (str(moved["name"]), float(moved["value"]))
