"""The controls that more than one page shows, and the frame around every page.

In: this session's choices and what the engine says about them. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ImpreciseLabels, PenumbraError
from engine.examples import EXAMPLES
from engine.noise_table import Stated
from pages.shared import job_view, lost_session, noise_words, present_data, recipe_words, state, words
from pages.shared.cache import digest


@contextmanager
def sentence(quiet: bool = False, remedy: bool = False) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence on the page; the rest of the page stays.

    `quiet` is for the sidebar: what a reader can mend is said once, by the page itself, with a `remedy` where a button
    can be one.
    """
    try:
        yield
    except ImpreciseLabels as error:
        if not quiet:
            open_outcomes(str(error), remedy)
    except PenumbraError as error:
        if not quiet:
            st.error(words.plain(error))
    except Exception as error:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where else "?"
        logging.getLogger("penumbra").error("unforeseen %s at %s", type(error).__name__, place)
        st.error(words.UNEXPECTED)


def open_outcomes(reason: str, remedy: bool) -> None:
    """Say that the chosen variant needs one class a patient, and offer to set aside those without."""
    now, y = state.choices(), present_data.prepared().y
    vague = int(present_data.imprecise(y).sum())
    changed = any(axis in now.axes for axis in ("criterion", "zone", "pruning"))
    st.error(words.plain(recipe_words.imprecise(now.variant, changed, vague, len(y), reason)))
    if remedy:
        st.button(
            recipe_words.set_aside(vague),
            key="set_open_aside",
            type="primary",
            on_click=lambda: state.change(open_aside=True, node=0),
        )


def bind(key: str, value: Any, chosen: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a control's key and callback so that it shows `value` and hands a new one to `chosen`.

    The choice lives in the session's choices; the control only mirrors it, so a page change loses nothing. On a page
    just turned to, the browser knows no value yet; later, sending the same one again would make a dragged slider jump.
    """
    if state.page_is_new() or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    def changed() -> None:
        if state.has_begun():  # else a browser has sent what it held into a session that is not the one it lost
            chosen(st.session_state[key])

    return {"key": key, "on_change": changed}


def show(file: str, sidebar: Callable[[], None], page: Callable[[], None]) -> None:
    """Draw a page in the frame that all pages share: its sidebar, the way between pages, the page, the intended use.

    `file` is the page's own, for a link that opened it alone.
    """
    state.front_door(file)
    with st.sidebar:
        sidebar()
    narrow_steps()
    lost_session.line()
    job_view.line(Path(file).stem)
    opened_from_compare(Path(file).stem)
    with sentence(remedy=True):
        page()
    st.caption(words.FOOT)
    state.page_is_drawn()


def top(finding: str, under: str, onward: str, page: str, more: Callable[[], None] | None = None) -> None:
    """Print the page's finding, the line under it, and beside it undo, `more`, and the way on."""
    left, right = st.columns([2.2, 1] if more else [4, 1.2])
    with left:
        heading(finding, under)
    with right, st.container(horizontal=True, horizontal_alignment="right", key="steps"):
        if more is not None:
            more()
        st.button("Undo", key="undo", on_click=state.undo, disabled=not state.can_undo())
        if st.button(onward, key="onward", type="primary"):
            st.switch_page(page)


def heading(finding: str, under: str = "") -> None:
    """Print a finding and the line under it."""
    st.markdown(f"# {words.plain(finding)}")
    if under:
        st.markdown(f":gray[{words.plain(under)}]")


def narrow_steps() -> None:
    """Draw the way between pages where there is no room for it at the top."""
    with st.container(horizontal=True, key="narrow_steps", gap="small"):
        for name in ("data", "noise", "tree", "patient", "compare", "robustness", "learn"):
            st.page_link(f"pages/{name}.py", label=name.capitalize())


def opened_from_compare(page: str) -> None:
    """Say, under the navigation, that the tree was opened from Compare, with the way back and the way to keep it."""
    opened = state.choices().comparing.opened
    if not opened or page in ("compare", "robustness", "learn"):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="from_compare", gap="small"):
        st.page_link("pages/compare.py", label="← Back to Compare")
        st.caption(words.plain(f"This is {opened}, opened from Compare; your own tree returns when you go back."))
        st.button("Keep this one", key="keep_compared", type="tertiary", on_click=state.keep_compared)


def facts_link() -> None:
    """Draw the button that leads to the model facts, which stand outside the way between pages."""
    if st.button("Model facts", key="to_facts", type="tertiary"):
        st.switch_page("pages/facts.py")


def dark() -> bool:
    """Tell whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def data_set(story: bool = False) -> None:
    """Draw the choice of data set and what is in it; `story` adds what an example is about."""
    with sentence():
        now = state.choices()
        names = [*EXAMPLES, *([""] if now.example is None else [])]
        titles = {name: words.SHORT_TITLES.get(name, example.title) for name, example in EXAMPLES.items()}
        titles[""] = f"File: {now.filename}"
        # A browser keeps the title it has shown: a second file under the same key would come back under the first's.
        key = "data_set" if now.example is not None else f"data_set_{digest(now.filename, now.content or b'')[:16]}"

        def chosen(name: str) -> None:
            if name in EXAMPLES:
                state.open_example(name)

        st.selectbox("Data set", names, format_func=titles.__getitem__, **bind(key, now.example or "", chosen))
        with sentence(quiet=True):
            st.caption(words.plain(present_data.prepared().summary()))
        if story and now.example is not None:
            st.caption(words.plain(EXAMPLES[now.example].description))
            st.caption(words.plain(EXAMPLES[now.example].story))


def sigma_summary() -> None:
    """Draw every variable's σ in short, with the way to change it."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown("**Noise σ**")
    right.page_link("pages/noise.py", label="edit")
    data = present_data.prepared()
    noisy = [name for name in data.columns if data.sigma.get(name, Stated()).noisy]
    stated = [(data.names[name], noise_words.sigma(data.sigma[name], data.units.get(name, ""))) for name in noisy[:12]]
    row = "<tr><th scope='row'>{}</th><td class='s'>{}</td></tr>"
    lines = [row.format(words.safe(name), words.safe(text)) for name, text in stated]
    others = len(data.columns) - len(lines)
    exact = (
        "every variable is exact"
        if not noisy
        else f"and {others} more"
        if len(noisy) > 12
        else f"{others} others are exact"
    )
    lines += [f"<tr><td class='e' colspan='2'>{exact}</td></tr>"] if others else []
    factor = state.choices().factor
    width = state.value_of("width")
    if width is not None and not noisy:
        own = f"σ = {words.number(width / 4)} of each range (UDT's own noise)"
        lines = [f"<tr><td class='e' colspan='2'>{own}</td></tr>"]
    lines += [f"<tr><td colspan='2' class='e'>all times {words.number(factor)}</td></tr>"] if factor != 1 else []
    st.html(f"<table class='penumbra-sigma'>{''.join(lines)}</table>")


def text(label: str, key: str, value: str, placeholder: str, chosen: Callable[[str], Any], most: int = 30) -> None:
    """Draw a one-line text without its label."""
    st.text_input(
        label, label_visibility="collapsed", placeholder=placeholder, max_chars=most, **bind(key, value, chosen)
    )
