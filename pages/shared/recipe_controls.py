"""The controls of the tree's recipe: variant, axes, size, parameters, decision; and what the fit has to say of them.

In: this session's choices and what the engine refuses. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from engine.recipe import AXES, DEFAULTS, VARIANTS, refusal, refusals
from pages.shared import cost_controls, present_data, present_tree, recipe_words, state, words
from pages.shared.widgets import bind

THRESHOLDS = ("midpoint", "value", "observed")


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
        st.caption(words.plain(recipe_words.against(reason) if reason else meaning))


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
    options = [
        (name, recipe_words.variant(name), refusal(params), "") for name, params in VARIANTS.items()
    ]
    _choice_box("variant", recipe_words.variant(now.variant), options, now.variant, state.choose_variant)
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
    left.caption(recipe_words.AXIS_LABELS[name])
    options = [
        (each, recipe_words.choice(name, each), against.get((name, each)), recipe_words.choice_meaning(name, each))
        for each in AXES[name]
    ]
    with right:
        dot = " ●" if name in state.choices().axes else ""
        _choice_box(
            name,
            recipe_words.choice(name, value) + dot,
            options,
            value,
            partial(state.set_parameter, name),
            recipe_words.AXIS_MEANINGS[name],
        )


def axes(names: Sequence[str] | None = None) -> None:
    """Draw the axes, or those named."""
    against = refusals({"cost": ((0, 1), (1, 0))} | state.parameters())  # what costs there are is asked afterwards
    for name in names or AXES:
        axis(name, against)


def _number(
    name: str,
    value: float,
    low: float,
    high: float | None,
    step: float,
    convert: Callable[[float], Any],
    against: str = "",
) -> None:
    dot = " ●" if name in state.choices().axes else ""

    def chosen(new: float | None) -> None:
        if new is not None:
            state.set_parameter(name, convert(new))

    whole = isinstance(step, int)
    st.number_input(
        recipe_words.PARAMETER_LABELS[name] + dot,
        min_value=int(low) if whole else float(low),
        max_value=None if high is None else (int(high) if whole else float(high)),
        step=step,
        format=None if whole else "%g",
        help=against or recipe_words.PARAMETER_MEANINGS[name],
        disabled=bool(against),
        **bind(f"set_{name}", int(value) if whole else float(value), chosen),
    )


def size() -> None:
    """Draw the two limits on size."""
    left, right = st.columns(2)
    with left:
        _number("max_depth", state.value_of("max_depth") or 0, 0, 50, 1, lambda new: int(new) or None)
    with right:
        leaf = state.value_of("min_weight_leaf")
        c45 = recipe_words.C45_LEAF if leaf == "c45" else ""
        _number("min_weight_leaf", leaf if not c45 else 2, 1, None, 1, int, c45)


def _pick(name: str, options: Sequence[Any]) -> None:
    held = state.value_of(name)

    def chosen(new: Any) -> None:
        state.set_parameter(name, None if new == "none" else new)

    dot = " ●" if name in state.choices().axes else ""
    st.selectbox(
        recipe_words.PARAMETER_LABELS[name] + dot,
        options,
        format_func=lambda each: "no" if each is False else "yes" if each is True else str(each),
        help=recipe_words.PARAMETER_MEANINGS[name],
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
        if not on("branching", "nary"):
            _pick("threshold", THRESHOLDS)
        st.checkbox("C4.5's own rule for leaves", help=recipe_words.C45_LEAF, **bind("c45", leaf_rule(), set_leaf_rule))
        _number("min_weight_split", state.value_of("min_weight_split"), 1, None, 1, int)
        _pick("class_weight", ("none", "balanced"))
        if on("pruning", "pessimistic", "pessimistic+nb_accuracy"):
            real("confidence", 0.001, 0.999, 0.05)
            if on("pruning", "pessimistic") and not on("leaf", "naive_bayes"):
                _pick("pruning_laplace", (True, False))
        if on("criterion", "gain_ratio"):
            _pick("mdl_correction", (False, True))
        if on("search", "soft"):
            real("window", 0.5, 20, 0.5)
            real("resolution", 0.01, 1, 0.05)
        if on("search", "resampled"):
            _number("n_points", state.value_of("n_points"), 2, 1000, 10, int)
            stated = present_tree.noise_is_stated(present_data.prepared())
            held_width = 0.0 if stated else state.value_of("width") or 0.0
            against = recipe_words.WIDTH_STATED if stated else ""
            _number("width", held_width, 0, 10, 0.05, lambda new: float(new) or None, against)
            if against:
                st.caption(against)
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
        if on("zone", "noise"):
            real("zone_z", 0, 10, 0.1)
        if on("zone", "node_bootstrap") or state.choices().calibrate is not None:
            _number("random_state", state.value_of("random_state") or 0, 0, None, 1, int)
        if on("branching", "nary") or on("leaf", "naive_bayes"):
            _number("n_bins", state.value_of("n_bins"), 2, 100, 1, int)
        if on("branching", "middle"):
            _number("min_samples_middle", state.value_of("min_samples_middle"), 1, None, 1, int)


def leaf_rule() -> bool:
    return bool(state.value_of("min_weight_leaf") == "c45")


def set_leaf_rule(wanted: bool) -> None:
    """Take C4.5's own rule for the least weight of a leaf, or go back to the variant's number."""
    number = state.variant_parameters().get("min_weight_leaf", DEFAULTS["min_weight_leaf"])
    state.set_parameter("min_weight_leaf", "c45" if wanted else number)


def calibration() -> None:
    """Draw, folded, how wide zones are to be: as found, or scaled to a part of patients left undecided."""
    held, possible = state.choices().calibrate, present_tree.can_calibrate()
    kind = "found" if held is None else "bayes" if held == "bayes" else "rate"

    def chosen(new: str) -> None:
        state.change(calibrate={"found": None, "rate": 0.1}.get(new, new))

    with st.expander("Calibrate zones"):
        st.selectbox(
            "Width of zones",
            list(recipe_words.CALIBRATIONS),
            format_func=recipe_words.CALIBRATIONS.__getitem__,
            help=recipe_words.CALIBRATE,
            disabled=not possible,
            **bind("calibrate", kind, chosen),
        )
        if not possible:
            st.caption(recipe_words.NO_CALIBRATION)
        elif kind == "rate":
            st.slider(
                "Undecided, part of patients",
                0.0,
                1.0,
                step=0.01,
                **bind("calibrate_rate", float(held or 0.0), lambda new: state.change(calibrate=float(new))),
            )


def tau() -> None:
    """Draw what the decision asks for: τ, or costs, or one line when every patient is answered."""
    decision = state.value_of("decision")
    if decision in ("tau", "set"):
        label = "Answer only when P ≥ τ" if decision == "tau" else "Name classes until they reach τ"
        lowest = round(1 / max(2, len(present_data.prepared().classes)), 2)
        value = min(1.0, max(lowest, float(state.value_of("tau"))))
        st.slider(label, lowest, 1.0, step=0.01, **bind("tau", value, partial(state.set_parameter, "tau")))
    elif decision == "cost":
        cost_controls.costs()
    else:
        st.caption("This tree always answers; choose tau under Decision to let it abstain.")


def equals_hard() -> None:
    """Say so when every σ is 0 and a soft choice therefore changes nothing."""
    found = present_tree.fitted()
    resolved = (found.model.noise_search_, found.model.noise_propagation_, found.model.noise_evaluation_)
    uses = ("search", "propagation", "evaluation")
    idle = [
        f"{recipe_words.choice(use, state.value_of(use))} {use}"
        for use, noise in zip(uses, resolved, strict=True)
        if state.value_of(use) in ("soft", "coherent", "conditional", "resampled") and not noise.anything
    ]
    if idle:
        st.info(words.plain(recipe_words.equals_hard(idle)))


def notes() -> None:
    """Print what the fit had to say."""
    model = present_tree.fitted().model
    for note in model.notes_:
        st.caption(words.plain(note))
    if hasattr(model, "zone_rate_"):
        said = recipe_words.calibrated(model.zone_factor_, model.zone_rate_, model.zone_target_)
        st.caption(words.plain(said))
