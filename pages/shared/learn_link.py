"""A link to a lesson, so that a class can open the same picture; it holds a lesson and four points, never a patient.

In: the link that opened the page. Out: the lesson it names, and a link to the present one.
"""

from __future__ import annotations

import math
from urllib.parse import urlencode

import streamlit as st

from engine import lessons
from pages.shared import state
from pages.shared.learn_words import LESSONS

SIGMAS = (0.1, 3.0)


def follow() -> None:
    """Turn to what the link names when the page was just opened; what makes no sense in it is passed over."""
    asked = st.query_params
    if not state.page_is_new() or asked.get("lesson") not in LESSONS:
        return
    state.choose_lesson(asked["lesson"])
    found = numbers(asked.get("points", ""))
    if len(found) == len(lessons.CLEAN) and all(abs(x) <= lessons.REACH for x in found):
        state.set_lesson("points", "yours", found)
        state.set_lesson("points", "set", "yours")
    sigma = numbers(asked.get("sigma", ""))
    if len(sigma) == 1 and SIGMAS[0] <= sigma[0] <= SIGMAS[1]:
        state.set_lesson("points", "sigma", sigma[0])


def numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a list with commas to one decimal, none when something in it is no number."""
    try:
        found = tuple(round(float(part), 1) + 0.0 for part in text.split(","))
    except (ValueError, OverflowError):
        return ()
    return found if all(map(math.isfinite, found)) else ()


def link() -> str:
    """Return the address of the present lesson, with its points and σ where it has them."""
    now = state.learning()
    asked = {"lesson": now.lesson}
    if now.lesson == "points":
        if now.settings.get(("points", "set")) == "yours" and ("points", "yours") in now.settings:
            asked["points"] = ",".join(f"{x:g}" for x in now.settings["points", "yours"])
        asked["sigma"] = f"{now.settings.get(('points', 'sigma'), 1.6):g}"
    return f"{(st.context.url or '').partition('?')[0]}?{urlencode(asked, safe=',')}"
