"""A comparison as files: its tables as CSV, its pictures as SVG, and one JSON that resumes.

In: the variants, and the study once there is one. Out: drawn buttons; texts are made when asked for.
"""

from __future__ import annotations

import streamlit as st

from engine.draw import with_theme
from engine.draw.compare_charts import answers_svg, roc_svg
from engine.draw.figure_table import COLUMNS
from engine.study import Study
from pages.shared import (
    compare_patients,
    compare_pictures,
    compare_tables,
    compare_words,
    present_compare,
    state,
    study_file,
)
from pages.shared.jobs import Job
from pages.shared.present_compare import Variant

Shown = tuple[Study, list[Variant]]


def files(study: Study | None, shown: Shown | None) -> None:
    """Draw the downloads of a comparison."""
    st.markdown("**Download**")
    with st.container(horizontal=True, gap="small", key="compare_files"):
        rows: compare_tables.Rows = []
        if shown is not None:
            with st.spinner(compare_words.FIGURING):
                rows = compare_tables.figure_rows(*shown, present_compare.figures(shown[0]))
            table_button(rows, "file_table")
        json_button("JSON", "compare", study, "download_study", rows)
    box = st.popover("CSV of every figure", key="csv_files", width="stretch", on_change="rerun")
    if box.open:
        with box, st.container(key="choice_csv", gap=None):
            for title, make in compare_tables.tables(shown).items():
                text = compare_tables.csv_text(compare_tables.with_settings(make()))
                button(title, text, f"{file_name(title)}.csv", "text/csv")
    box = st.popover("SVG of every figure", key="svg_files", width="stretch", on_change="rerun")
    if box.open:  # every picture is drawn a second time for it
        with box, st.container(key="choice_svg", gap=None):
            for title, svg in pictures(shown).items():
                button(title, with_theme(svg, "light"), f"{file_name(title)}.svg", "image/svg+xml")
    st.caption(compare_words.RESUMES)


def file_name(title: str) -> str:
    """Return a title as the name of a file."""
    return title.lower().replace("σ", "sigma").replace("τ", "tau").replace(",", "").replace(" ", "-")


def under_table(study: Study, found: list[Variant]) -> None:
    """Draw, under the table, the way to have it as a file: a narrow page hides the sidebar."""
    table_button(compare_tables.figure_rows(study, found, present_compare.figures(study)), "file_under_table")


def table_button(rows: compare_tables.Rows, key: str) -> None:
    """Draw the button of the table in plain numbers."""
    text = compare_tables.csv_text(rows)
    button("Table as CSV", text, "comparison.csv", "text/csv", compare_words.TABLE_FILE, key)


def button(label: str, text: str, name: str, kind: str, said: str = "", key: str = "") -> None:
    """Draw one file's button."""
    st.download_button(label, text, name, kind, key=key or f"file_{name}", on_click="ignore", help=said or None)


def json_button(label: str, kind: str, study: Study | None, key: str, rows: compare_tables.Rows | None = None) -> None:
    """Draw the button of the file that resumes, the table in it; its text is made when it is asked for."""
    comparing, tau = state.choices().comparing, present_compare.tau()
    st.download_button(
        label, lambda: study_file.to_json(kind, comparing, tau, study, rows), f"{kind}.json", "application/json",
        key=key, on_click="ignore",
    )  # fmt: skip


def save_so_far(job: Job, label: str) -> None:
    """Draw the button that saves the results so far of work that is going on."""
    json_button(label, job.kind, job.study, f"save_{job.kind}")


def pictures(shown: Shown | None) -> dict[str, str]:
    """Return every picture of the page by its title."""
    drawn = present_compare.usable()
    made = {f"Tree {one.mark.letter}": compare_pictures.tree_svg_of(drawn[0], one, 460)[0] for one in drawn}
    if shown is not None:
        study, found = shown
        lines = present_compare.in_ink(found)
        figures = present_compare.figures(study)
        made |= {
            "Table": compare_pictures.table_svg(study, found, figures, COLUMNS[:6]),
            "Table, second part": compare_pictures.table_svg(study, found, figures, COLUMNS[6:]),
            "Accuracy and coverage": compare_pictures.plane(study, lines, figures),
            "Stated P": compare_pictures.stated_picture(study, found, figures),
            "Answers": answers_svg(compare_pictures.answers(study, found), present_compare.view(found[0], 300)),
            "ROC": roc_svg(compare_pictures.roc_lines(study, lines)),
            "Net benefit": compare_pictures.benefit_picture(study, lines),
        }
        for title, curves in compare_pictures.tau_sweep(study, lines).items():
            made[f"Sweep of τ, {title.lower()}"] = compare_pictures.tau_picture(title, curves)
    if len(drawn) > 1:
        a, b = present_compare.chosen_pair(drawn)
        made[f"Matrix {a.mark.letter} {b.mark.letter}"] = compare_patients.matrix_svg(a, b)
    for what, by_figure in compare_tables.sweeps().items():
        for figure, curves in by_figure.items():
            title = f"{compare_words.SWEEP_TITLES[what]}, {compare_pictures.TITLES[figure].lower()}"
            made[title] = compare_pictures.step_picture(what, figure, curves)
    return made
