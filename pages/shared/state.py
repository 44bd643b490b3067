"""Every choice the reader has made in this session; the only owner of session keys that hold choices.

In: changes from the controls. Out: one `Choices`, which survives page changes, with undo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from engine.errors import PenumbraError
from engine.examples import EXAMPLES
from engine.recipe import AXES, DEFAULTS, VARIANTS
from pages.shared.choices import (
    FACTORS,
    NEAR_A_THRESHOLD,
    NOBODY,
    OF_THE_FILE,
    OF_THE_PICTURE,
    OTHERS,
    READING,
    SIZE,
    Choices,
    Compared,
    Learning,
    snapshot,
)

KEY = "penumbra_choices"
HISTORY = "penumbra_history"
ENTERED = "penumbra_entered"
TURNED_TO, DRAWN = "penumbra_turned_to", "penumbra_drawn"
REFUSED = "penumbra_refused_row"
REFUSED_CUT = "penumbra_refused_cut"
JOBS = "penumbra_jobs"
PAPER = "penumbra_paper"
LEARNING = "penumbra_learning"
UNDO_STEPS = 50


def enter_by_the_front_door() -> None:
    """Note that app.py ran, so that its navigation is in force."""
    st.session_state[ENTERED] = True


def front_door(page: str) -> None:
    """Send a page that was opened on its own back through app.py.

    Until app.py has run once, Streamlit takes every file in `pages` for a page of its own, and a cold link opens that
    file without the frame. A call of `st.navigation` that holds the page ends this; the rerun then finds it again.
    """
    if ENTERED not in st.session_state:
        st.navigation([st.Page(enter_by_the_front_door), st.Page(page)], position="hidden")
        st.rerun()
    if st.session_state.get(TURNED_TO) != page:
        forget_paper()  # a wish to print is for the page it was made on
    st.session_state[TURNED_TO] = page


def page_is_new() -> bool:
    """Return whether this page has not been drawn to its foot since the reader turned to it."""
    return st.session_state.get(DRAWN) != st.session_state.get(TURNED_TO)


def page_is_drawn() -> None:
    """Note that the page has been drawn to its foot."""
    st.session_state[DRAWN] = st.session_state.get(TURNED_TO)


def has_begun() -> bool:
    """Return whether this session has drawn a page, so that what its controls say was asked on it."""
    return KEY in st.session_state


def choices() -> Choices:
    """Return this session's choices, made afresh on the first call."""
    found: Choices | None = st.session_state.get(KEY)
    if found is None:
        st.session_state[KEY] = found = Choices()
        st.session_state[HISTORY] = []
    return found


def remember() -> None:
    """Keep the present choices as one step of undo."""
    now = choices()
    st.session_state[HISTORY] = [*st.session_state[HISTORY][-UNDO_STEPS:], snapshot(now)]


def undo() -> None:
    """Go one step back; the patient on screen stays, unless the step changes how the file is read."""
    now = choices()
    withdraw_cut()
    if st.session_state[HISTORY]:
        before = st.session_state[HISTORY].pop()
        changed = {name for name, value in before.items() if getattr(now, name) != value}
        another_file = any(name in changed for name in OF_THE_FILE)
        for name, value in before.items():
            setattr(now, name, value)
        if not changed <= set(OF_THE_PICTURE):
            now.node = 0
        if another_file:
            forget_patient()


def can_undo() -> bool:
    choices()
    return bool(st.session_state[HISTORY])


def change(**values: Any) -> None:
    """Set choices by name as one step of undo."""
    now = choices()
    remember()
    withdraw_cut()
    if any(name in OF_THE_FILE for name in values):
        forget_patient()
        now.node = 0
    for name, value in values.items():
        setattr(now, name, value)


def forget_patient() -> None:
    """Turn away from the patient on screen, and forget what was typed of them."""
    now = choices()
    now.row, now.typed = NEAR_A_THRESHOLD, {}
    st.session_state.pop(REFUSED, None)


def put(name: str, key: str, value: Any) -> None:
    """Set one entry of a dict of choices as one step of undo; None takes the entry away."""
    held = dict(getattr(choices(), name) or {})
    if value is None:
        held.pop(key, None)
    else:
        held[key] = value
    change(**{name: held})


def _fresh_data(**source: Any) -> None:
    clean = Choices()
    kept = ("factor", "factors", "variant", "axes", "calibrate", "comparing")
    change(**{each.name: getattr(clean, each.name) for each in fields(clean) if each.name not in kept} | source)


def open_example(name: str) -> None:
    """Turn to a bundled example; the tree's recipe stays as it is."""
    if name not in EXAMPLES:
        raise PenumbraError(f"There is no example “{name}”; pick one of the list, or upload a file.")
    _fresh_data(example=name)


def open_file(content: bytes, filename: str) -> None:
    """Turn to an uploaded file, with every measurement exact until the reader says otherwise."""
    _fresh_data(example=None, content=content, filename=filename, sigma={})


def choose_variant(name: str) -> None:
    """Turn to a named variant; size and decision, which fit every variant, stay as the reader set them."""
    kept = {axis: value for axis, value in choices().axes.items() if axis not in AXES or axis == "decision"}
    change(
        variant=name,
        axes={axis: value for axis, value in kept.items() if value != VARIANTS[name].get(axis, DEFAULTS[axis])},
        node=0,
    )


def set_parameter(name: str, value: Any) -> None:
    """Set one axis or parameter; what equals the variant's own is not a difference."""
    axes = {key: held for key, held in choices().axes.items() if key != name}
    if value != variant_parameters().get(name, DEFAULTS[name]):
        axes[name] = value
    change(axes=axes, **({} if name in READING else {"node": 0}))


def reset_variant() -> None:
    """Return to the variant as it is named."""
    change(axes={}, node=0)


def variant_parameters() -> dict[str, Any]:
    """Return the named variant's own parameters."""
    return dict(VARIANTS[choices().variant])


def parameters() -> dict[str, Any]:
    """Return everything the model is built with, except its noise."""
    now = choices()
    return VARIANTS[now.variant] | now.axes


def value_of(name: str) -> Any:
    """Return a parameter's present value, defaults included."""
    now = choices()
    return now.axes.get(name, VARIANTS[now.variant].get(name, DEFAULTS[name]))


def all_factors() -> dict[str, float]:
    """Return what every σ is multiplied by in search, propagation and evaluation."""
    now = choices()
    return {name: now.factor * now.factors[name] for name in FACTORS}


def costs(classes: Sequence[Any]) -> list[list[float]]:
    """Return cost[true, answer] in the order of the classes: what was stated, else 1 for a wrong answer."""
    held = choices().costs
    return [[0.0 if t == a else held.get((str(t), str(a)), 1.0) for a in classes] for t in classes]


def refuse_cut(name: str, low: float, high: float) -> None:
    """Note two cuts of a column that were asked for and do not go together; the last good ones stay in force."""
    st.session_state[REFUSED_CUT] = (name, low, high)


def withdraw_cut() -> None:
    """Forget the cuts that were refused: those in force were asked for again."""
    st.session_state.pop(REFUSED_CUT, None)


def refused_cut(name: str) -> tuple[float, float] | None:
    """Return the cuts of this column that were asked for last and refused, None when there are none."""
    held = st.session_state.get(REFUSED_CUT)
    return (held[1], held[2]) if held is not None and held[0] == name else None


def state_fact(name: str, text: str) -> None:
    """State one of the model facts that only the reader knows; empty takes it away."""
    put("stated", name, text.strip() or None)


def choose_node(node: int) -> None:
    """Turn the panel to a node; no step of undo."""
    choices().node = node


def draw(**values: Any) -> None:
    """Change how much of the tree is drawn, or what lies over it, as one step of undo."""
    change(picture=replace(choices().picture, **values))


def draw_to_depth(depth: int) -> None:
    """Draw the levels down to a depth, `WHOLE` for all; what was folded or opened by hand is forgotten."""
    draw(depth=depth, closed=(), opened=())


def fold(tree: str, node: int, closed: bool) -> None:
    """Fold a subtree of the tree whose key is given, or open it."""
    now = choices().picture
    ours = now.tree == tree
    others = {name: set(getattr(now, name)) - {node} if ours else set() for name in ("closed", "opened")}
    others["closed" if closed else "opened"].add(node)
    draw(tree=tree, **{name: tuple(sorted(nodes)) for name, nodes in others.items()})


def open_others(content: bytes, filename: str) -> None:
    """Lay the patients of a second file over the tree; the file stays in the session's memory."""
    change(others=content, others_name=filename, picture=replace(choices().picture, over=OTHERS))


def close_others() -> None:
    """Forget the second file."""
    change(others=None, others_name="", picture=replace(choices().picture, over=NOBODY))


def list_patients(listed: bool) -> None:
    """Open or close the list of a node's patients; no step of undo."""
    choices().listed = listed


def type_value(name: str, value: Any) -> None:
    """Type one reading of the case; None means missing. A patient's values are no step of undo."""
    now = choices()
    now.typed = now.typed | {name: value}


def choose_row(row: int | None) -> None:
    """Turn to a patient of the data, or to a typed case (None); what was typed is forgotten."""
    now = choices()
    now.row, now.typed = row, {}
    st.session_state.pop(REFUSED, None)


def keep_row(row: int) -> None:
    """Hold on to the patient who is shown, so that another tree does not put another in their place."""
    choices().row = row


def refuse_row(row: int) -> None:
    """Note that a row was asked for that is set aside or not in the file."""
    st.session_state[REFUSED] = row


def refused_row() -> int | None:
    """Return the row that was asked for last and could not be shown, None when the one shown is the one asked for."""
    found: int | None = st.session_state.get(REFUSED)
    return found


def ask_for_paper(asked: str) -> None:
    """Note that a page is to be printed or saved; `asked` is the browser's own name for the wish."""
    st.session_state[PAPER] = (asked, True)


def paper_asked() -> tuple[str, bool]:
    """Return the last wish for a page to print or save, "" for none, and whether it is still to be met."""
    found: tuple[str, bool] = st.session_state.get(PAPER, ("", False))
    return found


def paper_is_given() -> None:
    """Note that the page was sent to the browser."""
    st.session_state[PAPER] = (paper_asked()[0], False)


def forget_paper() -> None:
    """Forget a wish for a page to print or save that is not to be met."""
    st.session_state.pop(PAPER, None)


def own_jobs(make: Callable[[], Any]) -> Any:
    """Return what does this session's long work, made on the first call."""
    if JOBS not in st.session_state:
        st.session_state[JOBS] = make()
    return st.session_state[JOBS]


def compare(**values: Any) -> None:
    """Change what is compared, or where the reader looks among it; no step of undo."""
    now = choices()
    now.comparing = replace(now.comparing, **values)


def common_size() -> dict[str, Any]:
    """Return the size of all named variants that are compared: as set, else the Tree page's changes."""
    now = choices()
    if now.comparing.size is not None:
        return now.comparing.size
    return {name: now.axes[name] for name in SIZE if name in now.axes}


def set_common(name: str, value: Any) -> None:
    """Set one part of the common size; None leaves it as each variant names it."""
    size = {key: held for key, held in common_size().items() if key != name}
    compare(size=size | ({} if value is None else {name: value}))


def as_kept() -> Compared:
    """Return the Tree page's present settings as a variant to compare; how they decide is common to all."""
    now = choices()
    deciding = ("decision", "tau", "cost", "abstain_cost")
    changes = {name: value for name, value in now.axes.items() if name not in deciding}
    return Compared(now.variant, changes | {name: u for name, u in now.factors.items() if u != 1.0}, kept=True)


def open_compared(name: str, variant: str, axes: dict[str, Any], factors: dict[str, float], row: int) -> None:
    """Turn Tree and Patient to a variant that is compared and to a patient, as one step of undo."""
    now = choices()
    held = {"variant": now.variant, "axes": now.axes, "factors": now.factors, "calibrate": now.calibrate}
    before = now.comparing.left or held
    compare(left=before, size=common_size(), opened=name, turn=True)
    change(variant=variant, axes=axes, factors=factors, calibrate=None, node=0)
    choose_row(row)


def close_compared() -> None:
    """Give Tree and Patient back what they held before a patient was opened from Compare."""
    now = choices()
    held = now.comparing.left
    if held is not None:
        tau = {name: value for name, value in now.axes.items() if name == "tau"}
        axes = {name: value for name, value in held["axes"].items() if name != "tau"} | tau
        change(**held | {"axes": axes}, node=0)
        compare(left=None, opened="")


def keep_compared() -> None:
    """Let Tree and Patient keep the variant that was opened from Compare."""
    compare(left=None, opened="")


def learning() -> Learning:
    """Return where the reader is on the Learn page, made afresh on the first call."""
    found: Learning = st.session_state.setdefault(LEARNING, Learning())
    return found


def choose_lesson(name: str) -> None:
    """Turn to another lesson; what was set and answered in this one stays."""
    learning().lesson, learning().refused = name, ""


def refuse_link(reason: str) -> None:
    """Note what of the link that opened the page makes no sense."""
    learning().refused = reason


def answer_lesson(lesson: str, option: int | None) -> None:
    """Note what the reader predicts, and uncover the figure; None covers it again."""
    if option is None:
        learning().answers.pop(lesson, None)
    else:
        learning().answers[lesson] = option


def set_lesson(lesson: str, name: str, value: Any) -> None:
    """Set one thing of a lesson's figure."""
    learning().settings[lesson, name] = value


def project(on: bool) -> None:
    """Show the figure alone and larger, or the whole page."""
    learning().projector = on
