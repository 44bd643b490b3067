"""The pictures of a comparison: trees side by side, the table, the plane, stated P, ROC, net benefit, answers, sweeps.

In: the variants and, once there is one, the study. Out: drawn pictures, each with its figures as a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from engine import metrics
from engine.comparison import Comparison
from engine.draw.compact_tree import Compact, compact_legend_svg, compact_tree_svg
from engine.draw.compare_charts import (
    Answers,
    Line,
    PlaneCurve,
    Stated,
    answers_svg,
    net_benefit_svg,
    plane_svg,
    roc_svg,
    stated_svg,
)
from engine.draw.figure_table import COLUMNS, figure_cards_svg, figure_table_svg, percent, table_rows
from engine.draw.study_charts import Curve, curve_rows, curves_svg
from engine.number_words import plain
from engine.study import Study
from engine.swept import TauCurve, all_repeats, first_repeat, stated_bins, tau_curve, tau_steps
from pages.shared import compare_words, jobs, present_compare, present_noise_study, state, widgets, words
from pages.shared.cache import digest, kept
from pages.shared.job_view import strip
from pages.shared.present_compare import Variant
from pages.shared.present_data import prepared
from pages.shared.tree_view import svg_view

A_ROW = 3
WIDTHS = {1: 940.0, 2: 460.0, 3: 304.0}
MOST_TREES = 6


# Trees


def trees(found: list[Variant]) -> None:
    """Draw the variants' trees side by side, with what differs from the reference."""
    drawn = [v for v in found if v.tree is not None]
    for one in found:
        if one.refused is not None:
            st.warning(words.plain(compare_words.refused(one.mark.letter, one.name, one.refused)))
    if not drawn:
        return
    if len(drawn) > MOST_TREES:
        rest = {f"{v.mark.letter} {v.name}": v for v in drawn[1:]}
        picked = st.selectbox("Tree beside A", list(rest), key="tree_beside")
        drawn = [drawn[0], rest[picked or next(iter(rest))]]
    across = min(A_ROW, len(drawn)) if len(drawn) != 4 else 2
    for start in range(0, len(drawn), across):
        for column, one in zip(st.columns(across), drawn[start : start + across], strict=False):
            with column:
                tree(drawn[0], one, WIDTHS[across])
    positive = prepared().class_names[prepared().positive]
    shown = f"P({positive})" if len(prepared().classes) == 2 else "P of the answered class"
    svg_view(compact_legend_svg(present_compare.tau(), 940, shown))


def tree(reference: Variant, one: Variant, width: float) -> None:
    """Draw one variant's tree under its letter."""
    svg, told = tree_svg_of(reference, one, width)
    name = f"<b class='letter'>{one.mark.letter}</b><span>{words.safe(one.name)}"
    st.html(f"<div class='penumbra-variant'>{name} <small class='beside'>{words.safe(told)}</small></span></div>")
    svg_view(svg)


def tree_svg_of(reference: Variant, one: Variant, width: float) -> tuple[str, str]:
    """Return a variant's small tree and how it differs, in words."""
    told = "the reference"
    marks: dict[int, str] = {}
    if one.mark.place != reference.mark.place:
        found = present_compare.differences(reference, one)
        marks, told = found.marks, compare_words.split_words(found)
    view = present_compare.view(one, width)
    held = Compact(one.found.model.tree_, one.found.evidence, view, marks)
    label = f"Tree {one.mark.letter}, {one.name}: {told}"
    return compact_tree_svg(held, width=width, label=label), told


# The table


def table(study: Study, found: list[Variant], figures: Comparison) -> None:
    """Draw every figure with its interval and test, and the same as text."""
    with st.container(key="figures_wide"):
        for columns in (COLUMNS[:6], COLUMNS[6:]):
            svg_view(table_svg(study, found, figures, columns))
    with st.container(key="figures_narrow"):
        names = {v.mark.place: v.name for v in found}
        svg_view(figure_cards_svg(figures, [v.mark for v in found], names, {v.name: v.zones for v in found}))
    st.caption(compare_words.TESTS)
    with st.expander("The same as text"):
        st.dataframe(pd.DataFrame(text_rows(found, figures)), hide_index=True)


def table_svg(study: Study, found: list[Variant], figures: Comparison, columns: Any) -> str:
    """Return a part of the table as a picture."""
    notes = {v.name: compare_words.partial(len(study.of(v.name)), study.n_splits) for v in found}
    return figure_table_svg(
        figures, [v.mark for v in found], {v.mark.place: v.name for v in found}, {v.name: v.zones for v in found},
        columns=columns, width=960, notes=notes,
    )  # fmt: skip


def text_rows(found: list[Variant], figures: Comparison) -> list[dict[str, str]]:
    """Return the table as rows of text."""
    names = {v.mark.place: v.name for v in found}
    return table_rows(figures, [v.mark for v in found], {v.name: v.zones for v in found}, names)


# Curves at every τ


def tau_curves(study: Study, found: list[Variant]) -> dict[str, TauCurve]:
    """Return each variant's coverage and accuracy at every τ."""
    steps = tau_steps(len(study.classes))

    def make() -> dict[str, TauCurve]:
        told = {v.name: tau_curve(study, v.name, steps) for v in found}
        return {name: curve for name, curve in told.items() if curve is not None}

    return kept("tau_curves", digest(present_compare.study_key(study)), make)


def plane(study: Study, found: list[Variant], figures: Comparison) -> str:
    """Return the accuracy–coverage plane."""
    curves = []
    for v in found:
        row, swept = figures.figures[v.name], tau_curves(study, found)[v.name]
        silent, right = row["abstention_rate"].value, row["answered_accuracy"].value
        at = None if silent is None or right is None else (1.0 - silent, right)
        out, sure = row["undecided_rate"].value, row["decided_accuracy"].value
        zones = (1.0 - out, sure) if v.zones and out is not None and sure is not None else None
        curves.append(PlaneCurve(v.mark, swept.coverage, swept.accuracy, at, zones))
    baseline = figures.figures[found[0].name]["accuracy"].value or 0.0
    return plane_svg(curves, baseline, width=400)


def stated(study: Study, found: list[Variant], figures: Comparison) -> str:
    """Return how often a stated P came true, one small plot a variant."""
    told, two = [], len(study.classes) == 2
    for v in found:
        pool = first_repeat(study, v.name)
        assert pool is not None
        if two:
            score, hit = metrics.class_scores(pool.truth, pool.probability, pool.classes, prepared().positive)
        else:
            score, hit = metrics.confidence(pool.truth, pool.probability, pool.classes)
        told.append(Stated(v.mark, stated_bins(score, hit), figures.figures[v.name]["calibration_error"].value))
    at = present_compare.tau()
    silent = (1.0 - at, at) if two else (0.0, at)
    name = prepared().class_names[prepared().positive]
    title = f"P of {name} that the tree states" if two else "P of the answered class"
    return stated_svg(told, present_compare.view(found[0], 300), silent=silent, x_title=title)


def roc_lines(study: Study, found: list[Variant]) -> list[Line]:
    """Return each variant's ROC curve of the positive class, all repeats together."""
    lines = []
    for v in found:
        pool = all_repeats(study, v.name)
        assert pool is not None
        curve = metrics.roc_curve(
            *metrics.class_scores(pool.truth, pool.probability, pool.classes, prepared().positive)
        )
        if curve is not None:
            area = f"area {plain(curve.area, 3)}"
            lines.append(Line(v.mark, curve.false_positive_rate, curve.true_positive_rate, area))
    return lines


def benefit(study: Study, found: list[Variant]) -> tuple[list[Line], Any, Any]:
    """Return each variant's net benefit, the thresholds, and that of treating all; all repeats together."""
    lines, threshold, everyone = [], np.empty(0), np.empty(0)
    for v in found:
        pool = all_repeats(study, v.name)
        assert pool is not None
        curve = metrics.net_benefit(
            *metrics.class_scores(pool.truth, pool.probability, pool.classes, prepared().positive)
        )
        if curve is not None:
            lines.append(Line(v.mark, curve.threshold, curve.model))
            if not len(threshold):
                threshold, everyone = curve.threshold, curve.treat_all
    return lines, threshold, everyone


def answers(study: Study, found: list[Variant]) -> list[Answers]:
    """Return who got which answer under τ, each patient once."""
    read = present_compare.at_tau(study)
    told = []
    for v in found:
        pool = first_repeat(read, v.name)
        assert pool is not None
        told.append(Answers(v.mark, metrics.answer_table(pool.truth, pool.answers, pool.classes)))
    return told


def discrimination(study: Study, found: list[Variant]) -> None:
    """Draw ROC and net benefit."""
    name = words.plain(prepared().class_names[prepared().positive])
    left, middle = st.columns([1, 1.3], gap="medium")
    key = digest(present_compare.study_key(study), prepared().positive)
    with left:
        st.markdown(f"## Telling {name} from the rest")
        st.caption("ROC, all repeats together")
        svg_view(roc_svg(kept("roc", key, lambda: roc_lines(study, found))))
    with middle:
        st.markdown(f"## Worth of treating by P({name})")
        st.caption("net benefit a patient, all repeats together")
        lines, threshold, everyone = kept("benefit", key, lambda: benefit(study, found))
        svg_view(net_benefit_svg(lines, threshold, everyone, width=390))


def answered(study: Study, found: list[Variant]) -> None:
    """Draw who is answered, and how, by true class."""
    st.markdown("## Who is answered, and how")
    st.caption(f"at τ {present_compare.tau():.2f}; {compare_words.STATED_UNDER}")
    svg_view(answers_svg(answers(study, found), present_compare.view(found[0], 300)))


# Sweeps


def sweeps(study: Study | None, found: list[Variant]) -> None:
    """Draw figures against τ, σ or the pruning confidence."""
    st.markdown("## Along a scale")
    what = st.segmented_control(
        "Sweep", list(compare_words.SWEEPS), format_func=compare_words.SWEEPS.__getitem__, required=True,
        label_visibility="collapsed",
        **widgets.bind("sweep", state.choices().comparing.sweep, lambda new: state.compare(sweep=new)),
    )  # fmt: skip
    what = what or "tau"
    st.caption(compare_words.SWEEP_HELP[what])
    if what == "tau":
        if study is None:
            st.caption(compare_words.UNTRIED)
        else:
            by_tau(study, found)
        return
    if not any(present_noise_study.moved(v, what) for v in present_compare.usable()):
        st.info(compare_words.NOTHING_MOVES[what])
        return
    job = jobs.jobs().of("sweep")
    done = present_noise_study.sweep_study(what)
    if job is not None and job.title == compare_words.SWEEPS[what]:
        strip("sweep")
    if (done is None or not done.complete) and not (job is not None and job.active):
        st.button("Sweep", key="start_sweep", on_click=lambda: present_noise_study.start_sweep(what))
    if done is not None:
        by_step(what, present_noise_study.sweep_curves(what, done))


def by_tau(study: Study, found: list[Variant]) -> None:
    told = tau_curves(study, found)
    left, right = st.columns(2, gap="medium")
    pairs = ((left, "coverage", "Answered"), (right, "accuracy", "Right of those answered"))
    rows = []
    for column, name, title in pairs:
        curves = [Curve(v.mark, tuple(told[v.name].tau), tuple(getattr(told[v.name], name))) for v in found]
        with column:
            st.markdown(f"**{title}**")
            svg_view(curves_svg(
                curves, label=f"{title} against τ", x_title="τ", write_x=lambda x: f"{x:.2f}",
                write_y=lambda y: f"{100 * y:.0f} %", mark=present_compare.tau(),
            ))  # fmt: skip
        rows += [row | {"figure": title} for row in curve_rows(curves, "τ", "value")]
    with st.expander("The same as text"):
        st.dataframe(pd.DataFrame(rows), hide_index=True)


TITLES = {"accuracy": "Accuracy, all patients", "abstention_rate": "Abstention at τ", "leaves": "Leaves"}


def by_step(what: str, curves: dict[str, list[Curve]]) -> None:
    rows = []
    for column, (figure, told) in zip(st.columns(3, gap="medium"), curves.items(), strict=True):
        leaves = figure == "leaves"
        with column:
            st.markdown(f"**{TITLES[figure]}**")
            svg_view(curves_svg(
                told, label=f"{TITLES[figure]} against {compare_words.SWEEPS[what]}",
                x_title=compare_words.SWEEPS[what],
                write_y=(lambda y: plain(y, 1)) if leaves else percent, least_span=2.0 if leaves else 0.05, width=310,
            ))  # fmt: skip
        rows += [row | {"figure": TITLES[figure]} for row in curve_rows(told, compare_words.SWEEPS[what], "value")]
    with st.expander("The same as text"):
        st.dataframe(pd.DataFrame(rows), hide_index=True)
