"""The pictures of a comparison: trees side by side, the table, the plane, stated P, ROC, net benefit, answers, sweeps.

In: the variants and, once there is one, the study. Out: drawn pictures, each with its figures as a table.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

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
from engine.swept import TauCurve, answer_counts, at_tau, benefit, by_zones, roc, stated, tau_curve, tau_steps
from pages.shared import compare_words, job_view, jobs, present_compare, present_noise_study, state, widgets, words
from pages.shared.cache import digest, kept
from pages.shared.present_compare import Variant
from pages.shared.present_data import prepared
from pages.shared.tree_view import svg_view, trees_view

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
    across = min(A_ROW, len(drawn)) if len(drawn) != 4 else 2
    told = []
    for one in drawn:
        svg, differs = tree_svg_of(drawn[0], one, WIDTHS[across])
        told.append({"letter": one.mark.letter, "name": one.name, "told": differs, "svg": svg})
    trees_view(told, across, MOST_TREES, "compared_trees")
    positive = prepared().class_names[prepared().positive]
    shown = f"P({positive})" if len(prepared().classes) == 2 else "P of the answered class"
    svg_view(compact_legend_svg(present_compare.tau(), 940, shown))


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
            svg_view(table_svg(study, found, figures, columns, opens=True))
    with st.container(key="figures_narrow"):
        names, zones = {v.mark.place: v.name for v in found}, {v.name: v.zones for v in found}
        marks = [v.mark for v in found]
        svg_view(figure_cards_svg(figures, marks, names, zones, notes=notes(study, found), opens=True))
    if any(notes(study, found).values()):
        st.caption(compare_words.SO_FAR)
    st.caption(compare_words.TESTS)
    with st.expander("The same as text"):
        st.dataframe(pd.DataFrame(text_rows(found, figures)), hide_index=True)


def notes(study: Study, found: list[Variant]) -> dict[str, str]:
    """Return by variant how many of its folds are done, "" when all are."""
    return {v.name: compare_words.partial(len(study.of(v.name)), study.n_splits) for v in found}


def table_svg(study: Study, found: list[Variant], figures: Comparison, columns: Any, opens: bool = False) -> str:
    """Return a part of the table as a picture."""
    return figure_table_svg(
        figures, [v.mark for v in found], {v.mark.place: v.name for v in found}, {v.name: v.zones for v in found},
        columns=columns, width=960, notes=notes(study, found), opens=opens,
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


def plane_curves(study: Study, found: list[Variant], figures: Comparison) -> list[PlaneCurve]:
    """Return each variant on the accuracy–coverage plane."""
    curves = []
    for v in found:
        row, swept = figures.figures[v.name], tau_curves(study, found)[v.name]
        zones = by_zones(row) if v.zones else None
        curves.append(PlaneCurve(v.mark, swept.tau, swept.coverage, swept.accuracy, at_tau(row), zones))
    return curves


def plane(study: Study, found: list[Variant], figures: Comparison) -> str:
    """Return the accuracy–coverage plane."""
    baseline = figures.figures[found[0].name]["accuracy"].value or 0.0
    return plane_svg(plane_curves(study, found, figures), baseline, width=400)


def stated_bins(study: Study, found: list[Variant], figures: Comparison) -> list[Stated]:
    """Return how often each variant's stated P came true."""
    positive = prepared().positive if len(study.classes) == 2 else None
    return [
        Stated(v.mark, stated(study, v.name, positive), figures.figures[v.name]["calibration_error"].value)
        for v in found
    ]


def stated_picture(study: Study, found: list[Variant], figures: Comparison) -> str:
    """Return how often a stated P came true, one small plot a variant."""
    at, two = present_compare.tau(), len(study.classes) == 2
    name = prepared().class_names[prepared().positive]
    title = f"P of {name} that the tree states" if two else "P of the answered class"
    return stated_svg(
        stated_bins(study, found, figures), present_compare.view(found[0], 300),
        silent=(1.0 - at, at) if two else (0.0, at), x_title=title,
    )  # fmt: skip


def roc_lines(study: Study, found: list[Variant]) -> list[Line]:
    """Return each variant's ROC curve of the positive class."""

    def make() -> list[Line]:
        curves = [(v.mark, roc(study, v.name, prepared().positive)) for v in found]
        return [
            Line(mark, c.threshold, c.false_positive_rate, c.true_positive_rate, f"area {plain(c.area, 3)}")
            for mark, c in curves if c is not None
        ]  # fmt: skip

    return kept("roc", digest(present_compare.study_key(study), prepared().positive, [v.mark for v in found]), make)


def benefit_lines(study: Study, found: list[Variant]) -> tuple[list[Line], Any, Any]:
    """Return each variant's net benefit, the thresholds, and that of treating all."""

    def make() -> tuple[list[Line], Any, Any]:
        curves = [(v.mark, c) for v in found if (c := benefit(study, v.name, prepared().positive)) is not None]
        lines = [Line(mark, c.threshold, c.threshold, c.model) for mark, c in curves]
        return (lines, curves[0][1].threshold, curves[0][1].treat_all) if curves else ([], (), ())

    return kept("benefit", digest(present_compare.study_key(study), prepared().positive, [v.mark for v in found]), make)


def benefit_picture(study: Study, found: list[Variant]) -> str:
    """Return the net benefits."""
    return net_benefit_svg(*benefit_lines(study, found), width=390)


def answers(study: Study, found: list[Variant]) -> list[Answers]:
    """Return who got which answer under τ, each patient once."""
    read = present_compare.at_tau(study)
    counted = [(v.mark, answer_counts(read, v.name)) for v in found]
    return [Answers(mark, counts) for mark, counts in counted if counts is not None]


def discrimination(study: Study, found: list[Variant]) -> None:
    """Draw ROC and net benefit."""
    name = words.plain(prepared().class_names[prepared().positive])
    left, middle = st.columns([1, 1.3], gap="medium")
    with left:
        st.markdown(f"## Telling {name} from the rest")
        st.caption("ROC, all repeats together")
        svg_view(roc_svg(roc_lines(study, found)))
    with middle:
        st.markdown(f"## Worth of treating by P({name})")
        st.caption("net benefit a patient, all repeats together")
        svg_view(benefit_picture(study, found))


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
    since = job_view.at_work(("sweep",))
    job = jobs.jobs().of("sweep")
    done = present_noise_study.sweep_study(what)
    if job is not None and job.title == compare_words.SWEEPS[what]:
        job_view.strip("sweep", since)
    if (done is None or not done.complete) and not (job is not None and job.active):
        st.button("Sweep", key="start_sweep", on_click=lambda: present_noise_study.start_sweep(what))
    if done is not None:
        by_step(what, present_noise_study.sweep_curves(what, done))


def by_tau(study: Study, found: list[Variant]) -> None:
    """Draw what is answered, and rightly, against τ."""
    for column, (title, curves) in zip(st.columns(2, gap="medium"), tau_sweep(study, found).items(), strict=True):
        with column:
            st.markdown(f"**{title}**")
            svg_view(tau_picture(title, curves))
    with st.expander("The same as text"):
        st.dataframe(pd.DataFrame(sweep_rows("tau", tau_sweep(study, found))), hide_index=True)


def tau_sweep(study: Study, found: list[Variant]) -> dict[str, list[Curve]]:
    """Return by title the curves against τ."""
    told = tau_curves(study, found)
    return {
        title: [Curve(v.mark, tuple(told[v.name].tau), tuple(getattr(told[v.name], name))) for v in found]
        for name, title in (("coverage", "Answered"), ("accuracy", "Right of those answered"))
    }


def tau_picture(title: str, curves: list[Curve]) -> str:
    """Return one figure against τ."""
    return curves_svg(
        curves, label=f"{title} against τ", x_title="τ", write_x=lambda x: f"{x:.2f}",
        write_y=lambda y: f"{100 * y:.0f} %", mark=present_compare.tau(),
    )  # fmt: skip


TITLES = {"accuracy": "Accuracy, all patients", "abstention_rate": "Abstention at τ", "leaves": "Leaves"}


def by_step(what: str, curves: dict[str, list[Curve]]) -> None:
    """Draw figures against what was swept."""
    for column, (figure, told) in zip(st.columns(3, gap="medium"), curves.items(), strict=True):
        with column:
            st.markdown(f"**{TITLES[figure]}**")
            svg_view(step_picture(what, figure, told))
    with st.expander("The same as text"):
        titled = {TITLES[figure]: told for figure, told in curves.items()}
        st.dataframe(pd.DataFrame(sweep_rows(what, titled)), hide_index=True)


def step_picture(what: str, figure: str, curves: list[Curve]) -> str:
    """Return one figure against what was swept."""
    leaves = figure == "leaves"
    return curves_svg(
        curves, label=f"{TITLES[figure]} against {compare_words.SWEEPS[what]}", x_title=compare_words.SWEEPS[what],
        write_y=(lambda y: plain(y, 1)) if leaves else percent, least_span=2.0 if leaves else 0.05, width=310,
    )  # fmt: skip


def sweep_rows(what: str, titled: dict[str, list[Curve]]) -> list[dict[str, Any]]:
    """Return a sweep as rows, one a figure, variant and value."""
    return [
        {"figure": title} | row
        for title, curves in titled.items()
        for row in curve_rows(curves, compare_words.SWEEPS[what], "value")
    ]
