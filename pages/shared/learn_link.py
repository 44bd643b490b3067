"""A link to a lesson, so that a class can open the same picture; it holds a lesson's settings, never a patient.

In: the link that opened the page. Out: the lesson it names with its settings, and a link to the present one.
"""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from pages.shared import learn_words, state
from pages.shared.learn_settings import LONGEST, SETTINGS, all_of


def follow() -> None:
    """Turn to what the link names when the page was just opened; what the lesson does not take is noted and left."""
    if not state.page_is_new():
        return
    asked = st.query_params.to_dict()
    name = asked.get("lesson")
    if name is None:
        return
    if name not in SETTINGS:
        state.refuse_link(learn_words.NO_LESSON)
        return
    state.choose_lesson(name)
    found, refused = {}, []
    for key, setting in SETTINGS[name].items():
        if key in asked:
            value = setting.read(asked[key]) if len(asked[key]) <= LONGEST else None
            if value is None:
                refused.append(setting.called)
            else:
                found[key] = value
    if name == "points" and "points" in found:
        found.setdefault("set", "yours")
    for key, setting in SETTINGS[name].items():
        if found or refused:
            state.set_lesson(name, key, found.get(key, setting.default))
    if refused:
        state.refuse_link(learn_words.refused(refused))


def link() -> str:
    """Return the address of the present lesson, with what is set in it."""
    name = state.learning().lesson
    asked = {"lesson": name}
    for key, value in all_of(name).items():
        if key != "points" or all_of(name)["set"] == "yours":
            asked[key] = SETTINGS[name][key].write(value)
    return f"{(st.context.url or '').partition('?')[0]}?{urlencode(asked, safe=',;')}"
