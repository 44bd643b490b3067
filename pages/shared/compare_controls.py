"""The controls of a comparison: variants, what is the same for all, folds and seed, τ, a saved file.

In: this session's choices. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from engine.draw.sheet import letter
from engine.errors import PenumbraError
from engine.recipe import VARIANTS, refusal
from pages.shared import (
    compare_words,
    jobs,
    present_compare,
    present_noise_study,
    recipe_words,
    state,
    study_file,
    widgets,
    words,
)
from pages.shared.choices import Compared

MOST = 26
REPEATS = (1, 2, 5, 10)
FOLDS = (2, 3, 5, 10)


def variants() -> None:
    """Draw the variants, each with its letter and a way to take it away, and the ways to add one."""
    now = state.choices().comparing
    st.markdown("**Variants**")
    names = compare_words.study_names(now.variants)
    for place, (one, name) in enumerate(zip(now.variants, names, strict=True)):
        left, right = st.columns([6, 1], vertical_alignment="center", gap="small")
        more = compare_words.more(one, present_compare.parameters(one))
        left.html(
            f"<div class='penumbra-variant'><b class='letter'>{letter(place)}</b><span>{words.safe(name)}"
            f"<small>{words.safe(more)}</small></span></div>"
        )
        right.button(
            "×", key=f"drop_{place}", type="tertiary", help=f"Take {letter(place)} {words.plain(name)} away",
            on_click=partial(drop, place), disabled=len(now.variants) == 1,
        )  # fmt: skip
    full = len(now.variants) >= MOST
    box = st.popover("Add a variant", key="add_variant", width="stretch", disabled=full)
    with box, st.container(key="choice_add", gap=None, width=320):
        for name, params in VARIANTS.items():
            st.button(
                recipe_words.variant(name), key=f"add={name}", type="tertiary", width="stretch",
                disabled=bool(refusal(params)), on_click=partial(add, Compared(name)),
            )  # fmt: skip
    st.button(
        compare_words.KEEP, key="keep_tree", help=compare_words.KEEP_HELP, width="stretch",
        disabled=full, on_click=lambda: add(state.as_kept()),
    )  # fmt: skip
    if len(now.variants) > 1:
        st.selectbox(
            "Reference", range(len(names)), format_func=lambda k: f"{letter(k)} {names[k]}",
            **widgets.bind("reference", 0, make_reference),
        )  # fmt: skip


def add(one: Compared) -> None:
    """Set one more variant beside the others."""
    now = state.choices().comparing
    if one not in now.variants:
        state.compare(variants=(*now.variants, one), size=state.common_size(), noisy=())


def drop(place: int) -> None:
    """Take a variant away; the letters after it move up."""
    now = state.choices().comparing
    rest = now.variants[:place] + now.variants[place + 1 :]
    state.compare(variants=rest, pair=(0, min(1, len(rest) - 1)), cell=None, noisy=())


def make_reference(place: int) -> None:
    """Put a variant first; a browser that still shows the variants of before may send one that is none."""
    now = state.choices().comparing
    if place not in range(len(now.variants)):
        return
    rest = now.variants[:place] + now.variants[place + 1 :]
    state.compare(variants=(now.variants[place], *rest), pair=(0, 1), cell=None, noisy=())


def same_for_all() -> None:
    """Draw the size that all named variants share."""
    size = state.common_size()
    st.markdown("**The same for all**")
    left, right = st.columns(2)

    def number(name: str, new: float | None) -> None:
        state.set_common(name, int(new) if new else None)

    with left:
        st.number_input(
            "Depth at most", min_value=0, max_value=50, step=1, help=f"{compare_words.SIZE_HELP} 0: as each names it.",
            **widgets.bind("common_depth", int(size.get("max_depth") or 0), partial(number, "max_depth")),
        )  # fmt: skip
    with right:
        held = size.get("min_weight_leaf")
        leaf = int(held) if isinstance(held, (int, float)) else 0
        st.number_input(
            "Leaf, at least", min_value=0, step=1, help=f"{compare_words.SIZE_HELP} 0: as each names it.",
            **widgets.bind("common_leaf", leaf, partial(number, "min_weight_leaf")),
        )  # fmt: skip
    st.selectbox(
        "Pruning", list(compare_words.PRUNING), format_func=compare_words.PRUNING.__getitem__,
        **widgets.bind(
            "common_pruning", "none" if size.get("pruning") == "none" else "named",
            lambda new: state.set_common("pruning", "none" if new == "none" else None),
        ),
    )  # fmt: skip


def folds(repeats: str = "repeats") -> None:
    """Draw how often and into how many parts the patients are parted, and the seed."""
    now = state.choices().comparing
    held = getattr(now, repeats)
    left, right = st.columns(2)
    with left:
        st.selectbox(
            "Repeats",
            sorted({*REPEATS, held}),
            **widgets.bind(f"choose_{repeats}", held, lambda new: state.compare(**{repeats: new})),
        )
    with right:
        st.selectbox(
            "Folds", sorted({*FOLDS, now.folds}), help="Stratified by outcome; the same for all variants.",
            **widgets.bind("choose_folds", now.folds, lambda new: state.compare(folds=new)),
        )  # fmt: skip

    def seed(new: float | None) -> None:
        if new is not None:
            state.compare(seed=int(new))

    st.number_input("Seed", min_value=0, max_value=2**31, step=1, **widgets.bind("choose_seed", now.seed, seed))


def tau() -> None:
    """Draw τ, which moves everything on the page at once."""
    low = present_compare.least_tau()
    st.slider(
        "Answer only when P ≥ τ", low, 1.0, step=0.01,
        **widgets.bind("compare_tau", present_compare.tau(), partial(state.set_parameter, "tau")),
    )  # fmt: skip
    st.caption("Moves the answers on this page and on Tree and Patient; nothing is fitted again.")


def open_file() -> None:
    """Draw the way to open a saved comparison, which goes on where it was."""
    with st.expander(compare_words.OTHER_FILE):
        held = st.file_uploader("A JSON file saved here", type=["json"], key="study_file", max_upload_size=50)
        if held is not None and st.button("Open it", key="open_study", type="primary"):
            with widgets.sentence():
                take(study_file.from_json(held.getvalue()))
                st.rerun()


def take(saved: study_file.Saved) -> None:
    """Turn to a saved comparison: its variants, folds and seed, and the results that hold for the present data."""
    now, held = state.choices(), saved.comparing
    before = now.comparing
    state.compare(
        **{name: getattr(held, name) for name in study_file.KEPT}, pair=(0, min(1, len(held.variants) - 1)), cell=None
    )
    if saved.study is not None:
        try:
            _hold(saved, saved.study)
        except Exception:
            now.comparing = before
            raise
    state.set_parameter("tau", saved.tau)


def _hold(saved: study_file.Saved, study: Any) -> None:
    """Put the results here; those of other data are refused in a sentence."""
    if saved.kind == "compare":
        work = present_compare.work_of(present_compare.models(), study)
        kind, page = present_compare.COMPARE, present_compare.PAGE
    else:
        work = present_noise_study.work_of(saved.kind, study)
        kind, page = saved.kind, present_noise_study.PAGE
    still = work(lambda _: None, lambda: True)
    if study.n_done and not still.n_done:
        raise PenumbraError(compare_words.OTHER_SETTINGS)
    jobs.jobs().hold(kind, words.plural(len(still.models), "variant"), page, work, still)
