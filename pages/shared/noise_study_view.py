"""The noise experiments on the page: which variants and levels, the curves, the table beside them, files.

In: this session's choices, the studies. Out: drawn controls and pictures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from engine.draw import with_theme
from engine.draw.sheet import letter
from engine.draw.study_charts import Curve, curve_rows, curves_svg
from engine.number_words import plain
from engine.study import Study
from pages.shared import compare_tables, compare_words, present_noise_study, state, widgets, words
from pages.shared.compare_downloads import button, json_button
from pages.shared.jobs import Job
from pages.shared.study_file import HIGHEST_LEVEL, MOST_LEVELS
from pages.shared.tree_view import svg_view

TITLES = {"accuracy": "Accuracy, all patients", "leaves": "Leaves"}
X_TITLE = "added noise, SD as a part of each variable's mean"
BAD_LEVELS = f"Give levels as numbers from 0 to {HIGHEST_LEVEL:g}, such as 0, 0.1, 0.2; those from before stay."


def which() -> None:
    """Draw the choice of variants; the last one cannot be left out."""
    now = state.choices().comparing
    names = compare_words.study_names(now.variants)
    held = {k for k in now.noisy if k < len(names)} or set(range(len(names)))

    def chosen(place: int, wanted: bool) -> None:
        state.compare(noisy=tuple(sorted(held | {place} if wanted else held - {place})))

    st.markdown("**Variants**")
    for place, name in enumerate(names):
        st.checkbox(
            f"{letter(place)} {words.plain(name)}", disabled=held == {place},
            **widgets.bind(f"noisy_{place}", place in held, partial(chosen, place)),
        )  # fmt: skip


def levels() -> None:
    """Draw the levels of noise as one line of numbers."""
    now = state.choices().comparing

    def chosen(text: str) -> None:
        found = read_levels(text)
        state.compare(levels=found or now.levels, levels_refused=found is None)

    shown = ", ".join(f"{level:g}" for level in now.levels)
    st.text_input(
        "Levels of noise", help=f"{X_TITLE}; 0 is the data as they are.", **widgets.bind("levels", shown, chosen)
    )
    if now.levels_refused:
        st.error(BAD_LEVELS)


def read_levels(text: str) -> tuple[float, ...] | None:
    """Return the levels that a line of numbers names, rising and each once; None when it is not one."""
    try:
        found = {float(part) for part in re.split(r"[;\s]+|,\s*(?=\S)|,$", text.strip()) if part}
    except ValueError:
        return None
    sound = 0 < len(found) <= MOST_LEVELS and all(0.0 <= level <= HIGHEST_LEVEL for level in found)
    return tuple(sorted(found)) if sound else None


def finding(studies: Mapping[str, Study | None]) -> tuple[str, str]:
    """Return what the experiments found, and the line under it."""
    parts = []
    for where, found in studies.items():
        if found is None or not found.complete or len(found.levels) < 2:
            continue
        curves = [c for c in present_noise_study.level_curves(where, found, "accuracy") if len(c.y) > 1]
        lost = {c.variant.letter: c.y[0] - c.y[-1] for c in curves}
        if lost:
            told = ", ".join(f"{name} {plain(100 * loss, 1)}" for name, loss in lost.items())
            parts.append(f"{where} noise of {found.levels[-1]:g}: {told} points of accuracy lost")
    if not parts:
        return "How much noise do the trees bear?", compare_words.NOISE_QUESTION
    return "What noise costs", f"{words.opening('; '.join(parts))}. The bars show how sure that is."


def experiment(where: str, found: Study | None) -> None:
    """Draw accuracy and leaves against noise, the table beside."""
    if found is None:
        st.caption("Not tried yet.")
        return
    done, n = found.n_done, found.n_total
    if done < n:
        st.caption(f"{done:,} of {n:,} trees. {compare_words.SO_FAR}")
    left, middle, right = st.columns([1, 1, 0.95], gap="medium")
    rows = []
    for column, figure in ((left, "accuracy"), (middle, "leaves")):
        curves = present_noise_study.level_curves(where, found, figure)
        with column:
            st.markdown(f"**{TITLES[figure]}**")
            svg_view(svg(where, figure, curves, 350))
        rows.append((figure, curves))
    with right:
        st.dataframe(table(found, rows), hide_index=True)


def svg(where: str, figure: str, curves: list[Curve], width: float = 390) -> str:
    """Return one picture of an experiment."""
    leaves = figure == "leaves"
    return curves_svg(
        curves, label=f"{TITLES[figure]} against noise in {where}", x_title=X_TITLE, write_x=lambda x: f"{x:g}",
        write_y=(lambda y: plain(y, 0)) if leaves else (lambda y: f"{100 * y:.4g} %"),
        least_span=2.0 if leaves else 0.05, width=width,
    )  # fmt: skip


def table(found: Study, rows: list[tuple[str, list[Curve]]]) -> pd.DataFrame:
    """Return value and interval by variant and level, in words, and of how many folds while a study is unfinished."""
    told: dict[tuple[str, float], dict[str, Any]] = {}
    for figure, curves in rows:
        title, times = ("Accuracy, %", 100.0) if figure == "accuracy" else ("Leaves", 1.0)
        for c in curves:
            for x, y, low, high in zip(c.x, c.y, c.low or (), c.high or (), strict=False):
                row = told.setdefault((c.variant.letter, x), {"variant": c.variant.letter, "noise": f"{x:g}"})
                if not found.complete:
                    row["folds"] = f"{len(found.of(c.variant.name, x))} of {found.n_splits}"
                ends = "" if isnan(low) else f" ({plain(times * low, 1)} to {plain(times * high, 1)})"
                row[title] = f"{plain(times * y, 1)}{ends}"
    return pd.DataFrame(list(told.values()))


def file_rows(where: str, found: Study, figure: str, curves: list[Curve]) -> compare_tables.Rows:
    """Return curves as rows of plain numbers, each with how many folds it is of, as Compare's table has them."""
    name = {c.variant.said: c.variant.name for c in curves}
    return [
        {"noise in": where, "figure": TITLES[figure]}
        | row
        | {"folds": len(found.of(name[row["variant"]], row["noise"])), "folds planned": found.n_splits}
        for row in curve_rows(curves, "noise", "mean")
    ]


def files() -> None:
    """Draw the downloads of both experiments."""
    st.markdown("**Download**")
    rows: compare_tables.Rows = []
    pictures = {}
    for where in present_noise_study.WHERE:
        found = present_noise_study.study(where)
        if found is None:
            continue
        for figure in present_noise_study.FIGURES:
            curves = present_noise_study.level_curves(where, found, figure)
            pictures[f"{figure}-{where}"] = with_theme(svg(where, figure, curves), "light")
            rows += file_rows(where, found, figure, curves)
    with st.container(horizontal=True, gap="small", key="noise_files"):
        if rows:
            told = compare_tables.with_settings(rows, state.choices().comparing.noise_repeats)
            button("CSV", compare_tables.csv_text(told), "noise.csv", "text/csv")
        for where in present_noise_study.WHERE:
            json_button(f"JSON, {where}", where, present_noise_study.study(where), f"download_{where}")
    box = st.popover("SVG of every figure", key="noise_svg", width="stretch", on_change="rerun", disabled=not pictures)
    if box.open:
        with box:
            for name, text in pictures.items():
                button(name.replace("-", ", noise in "), text, f"{name}.svg", "image/svg+xml")
    st.caption(compare_words.RESUMES)


def save_so_far(job: Job, label: str) -> None:
    json_button(label, job.kind, job.study, f"save_{job.kind}")
