"""The controls that more than one page shows, and the frame around every page.

In: this session's choices and what the engine says about them. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from engine.errors import PenumbraError
from engine.examples import EXAMPLES
from engine.noise_table import Stated
from engine.recipe import AXES, DEFAULTS, VARIANTS, refusal, refusals, unbuilt
from pages.shared import cache, state, words

THRESHOLDS = ("midpoint", "value", "observed")


@contextmanager
def sentence(quiet: bool = False) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence on the page; the rest of the page stays.

    `quiet` is for the sidebar: what a reader can mend is said once, by the page itself.
    """
    try:
        yield
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


def bind(key: str, value: Any, chosen: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a control's key and callback so that it shows `value` and hands a new one to `chosen`.

    The choice lives in the session's choices; the control only mirrors it, so a page change loses nothing. On a page
    just turned to, the browser knows no value yet; later, sending the same one again would make a dragged slider jump.
    """
    if state.page_is_new() or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    def changed() -> None:
        chosen(st.session_state[key])

    return {"key": key, "on_change": changed}


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
        for name in ("data", "noise", "tree", "patient"):
            st.page_link(f"pages/{name}.py", label=name.capitalize())


def foot() -> None:
    """Print the intended-use line that every page ends with."""
    st.caption(words.FOOT)
    state.page_is_drawn()


def dark() -> bool:
    """Tell whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def data_set(story: bool = False) -> None:
    """Draw the choice of data set and what is in it; `story` adds what an example is about."""
    now = state.choices()
    names = [*EXAMPLES, *([""] if now.example is None else [])]
    titles = {name: example.title for name, example in EXAMPLES.items()} | {"": now.filename}

    def chosen(name: str) -> None:
        if name:
            state.open_example(name)

    st.selectbox("Data set", names, format_func=titles.__getitem__, **bind("data_set", now.example or "", chosen))
    with sentence(quiet=True):
        st.caption(words.plain(cache.prepared().summary()))
    if story and now.example is not None:
        st.caption(words.plain(EXAMPLES[now.example].description))
        st.caption(words.plain(EXAMPLES[now.example].story))


def _option(
    name: str, label: str, reason: str | None, meaning: str, picked: bool, key: str, chosen: Callable[[], Any]
) -> None:
    def click() -> None:
        st.session_state[name] = False
        chosen()

    st.button(
        label, key=key, on_click=click, disabled=bool(reason), type="primary" if picked else "tertiary", width="stretch"
    )
    if reason or meaning:
        st.caption(words.plain(words.against(reason) if reason else meaning))


def _choice_box(
    name: str,
    label: str,
    options: Sequence[tuple[str, str, str | None, str]],
    value: Any,
    chosen: Callable[[Any], Any],
    meaning_of_all: str = "",
) -> None:
    """Draw a list that opens on a click; options: (value, label, reason against it or None, meaning)."""
    key = f"open_{name}"
    box = st.popover(label, key=key, on_change="rerun", width="stretch")
    if box.open:
        with box, st.container(key=f"choice_{name}", gap=None, width=320):
            if meaning_of_all:
                st.caption(words.plain(meaning_of_all))
            for option, text, reason, meaning in options:
                _option(key, text, reason, meaning, option == value, f"{name}={option}", partial(chosen, option))


def variant_choice(title: str = "Variant") -> None:
    """Draw the choice of a named variant, and how far the reader has moved from it."""
    now = state.choices()
    st.markdown(f"**{title}**")
    options = [(name, words.variant(name), refusal(params) or unbuilt(params), "") for name, params in VARIANTS.items()]
    _choice_box("variant", words.variant(now.variant), options, now.variant, state.choose_variant)
    if now.axes:
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.markdown(f":small[● {words.plural(len(now.axes), 'setting')} changed]")
        right.button("reset", key="reset_variant", type="tertiary", on_click=state.reset_variant)
    else:
        st.caption("As named, nothing changed")


def axis(name: str, against: dict[tuple[str, Any], str]) -> None:
    """Draw one axis: its name and its choices, those that cannot be had greyed with the reason."""
    value = state.value_of(name)
    left, right = st.columns([2, 3], vertical_alignment="center", gap="small")
    left.caption(words.AXIS_LABELS[name])
    options = [
        (each, words.choice(name, each), against.get((name, each)), words.choice_meaning(name, each))
        for each in AXES[name]
    ]
    with right:
        dot = " ●" if name in state.choices().axes else ""
        _choice_box(
            name,
            words.choice(name, value) + dot,
            options,
            value,
            partial(state.set_parameter, name),
            words.AXIS_MEANINGS[name],
        )


def axes(names: Sequence[str] | None = None) -> None:
    """Draw the axes, or those named."""
    against = refusals(state.parameters())
    for name in names or AXES:
        axis(name, against)


def _number(
    name: str, value: float, low: float, high: float | None, step: float, convert: Callable[[float], Any]
) -> None:
    dot = " ●" if name in state.choices().axes else ""

    def chosen(new: float | None) -> None:
        if new is not None:
            state.set_parameter(name, convert(new))

    whole = isinstance(step, int)
    st.number_input(
        words.PARAMETER_LABELS[name] + dot,
        min_value=int(low) if whole else float(low),
        max_value=None if high is None else (int(high) if whole else float(high)),
        step=step,
        format=None if whole else "%g",
        help=words.PARAMETER_MEANINGS[name],
        **bind(f"set_{name}", int(value) if whole else float(value), chosen),
    )


def size() -> None:
    """Draw the two limits on size."""
    left, right = st.columns(2)
    with left:
        _number("max_depth", state.value_of("max_depth") or 0, 0, 50, 1, lambda new: int(new) or None)
    with right:
        leaf = state.value_of("min_weight_leaf")
        _number("min_weight_leaf", leaf if leaf != "c45" else 2, 1, None, 1, int)


def _pick(name: str, options: Sequence[Any]) -> None:
    held = state.value_of(name)

    def chosen(new: Any) -> None:
        state.set_parameter(name, None if new == "none" else new)

    dot = " ●" if name in state.choices().axes else ""
    st.selectbox(
        words.PARAMETER_LABELS[name] + dot,
        options,
        format_func=lambda each: "no" if each is False else "yes" if each is True else str(each),
        help=words.PARAMETER_MEANINGS[name],
        **bind(f"set_{name}", "none" if held is None else held, chosen),
    )


def advanced() -> None:
    """Draw, folded, the parameters that play a part in the present tree."""
    held = state.parameters()

    def on(axis_name: str, *choices: str) -> bool:
        return held.get(axis_name, DEFAULTS[axis_name]) in choices

    def real(name: str, low: float, high: float | None, step: float) -> None:
        _number(name, state.value_of(name), low, high, step, float)

    with st.expander("Advanced"):
        _pick("threshold", THRESHOLDS)
        _number("min_weight_split", state.value_of("min_weight_split"), 1, None, 1, int)
        _pick("class_weight", ("none", "balanced"))
        if not on("pruning", "none"):
            real("confidence", 0.001, 0.999, 0.05)
            _pick("pruning_laplace", (True, False))
        if on("criterion", "gain_ratio"):
            _pick("mdl_correction", (False, True))
        if on("search", "soft"):
            real("window", 0.5, 20, 0.5)
            real("resolution", 0.01, 1, 0.05)
        if on("search", "resampled"):
            _number("n_points", state.value_of("n_points"), 2, 1000, 10, int)
        if not on("propagation", "hard"):
            real("weight_floor", 0, 0.5, 0.0001)
        if on("zone", "quality_plateau"):
            real("epsilon", 0, 1, 0.01)
        if on("zone", "gain_ratio"):
            real("alpha", 0, 1, 0.01)
        if on("zone", "class_overlap"):
            real("percentile", 0, 50, 1.0)
        if on("zone", "node_bootstrap"):
            _number("n_bootstraps", state.value_of("n_bootstraps") or 0, 0, 500, 1, lambda new: int(new) or None)
            _number("random_state", state.value_of("random_state") or 0, 0, None, 1, int)
        if on("zone", "noise"):
            real("zone_z", 0, 10, 0.1)
        if on("branching", "nary"):
            _number("n_bins", state.value_of("n_bins"), 2, 100, 1, int)
        if on("branching", "middle"):
            _number("min_samples_middle", state.value_of("min_samples_middle"), 1, None, 1, int)


def tau() -> None:
    """Draw what the decision asks for: τ, or costs, or one line when every patient is answered."""
    decision = state.value_of("decision")
    if decision in ("tau", "set"):
        label = "Answer only when P ≥ τ" if decision == "tau" else "Name classes until they reach τ"
        lowest = round(1 / max(2, len(cache.prepared().classes)), 2)
        value = min(1.0, max(lowest, float(state.value_of("tau"))))
        st.slider(label, lowest, 1.0, step=0.01, **bind("tau", value, partial(state.set_parameter, "tau")))
    else:
        st.caption("This tree always answers; choose tau under Decision to let it abstain.")


def sigma_summary() -> None:
    """Draw every variable's σ in short, with the way to change it."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown("**Noise σ**")
    right.page_link("pages/noise.py", label="edit")
    data = cache.prepared()
    noisy = [name for name in data.columns if data.sigma.get(name, Stated()).noisy]
    stated = [(data.names[name], words.sigma(data.sigma[name], data.units.get(name, ""))) for name in noisy[:12]]
    lines = [f"<tr><td>{words.safe(name)}</td><td class='s'>{words.safe(text)}</td></tr>" for name, text in stated]
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
    lines += [f"<tr><td colspan='2' class='e'>all times {words.number(factor)}</td></tr>"] if factor != 1 else []
    st.html(f"<table class='penumbra-sigma'>{''.join(lines)}</table>")


def text(label: str, key: str, value: str, placeholder: str, chosen: Callable[[str], Any], most: int = 30) -> None:
    """Draw a one-line text without its label."""
    st.text_input(
        label, label_visibility="collapsed", placeholder=placeholder, max_chars=most, **bind(key, value, chosen)
    )


def equals_hard() -> None:
    """Say so when every σ is 0 and a soft choice therefore changes nothing."""
    found = cache.fitted()
    resolved = (found.model.noise_search_, found.model.noise_propagation_, found.model.noise_evaluation_)
    uses = ("search", "propagation", "evaluation")
    idle = [
        f"{use} {state.value_of(use)}"
        for use, noise in zip(uses, resolved, strict=True)
        if state.value_of(use) in ("soft", "coherent", "conditional", "resampled") and not noise.anything
    ]
    if idle:
        st.info(words.plain(words.equals_hard(idle)))


def notes() -> None:
    """Print what the fit had to say."""
    for note in cache.fitted().model.notes_:
        st.caption(words.plain(note))
