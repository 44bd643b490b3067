"""A comparison as files: its table as CSV, its pictures as SVG, and one JSON that resumes.

In: the variants, and the study once there is one. Out: drawn buttons; texts are made when asked for.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.draw import with_theme
from engine.draw.compare_charts import answers_svg, net_benefit_svg, roc_svg
from engine.draw.figure_table import COLUMNS
from engine.study import Study
from pages.shared import compare_pictures, compare_words, present_compare, state, study_file
from pages.shared.jobs import Job
from pages.shared.present_compare import Variant


def files(study: Study | None, shown: tuple[Study, list[Variant]] | None) -> None:
    """Draw the downloads of a comparison."""
    st.markdown("**Download**")
    with st.container(horizontal=True, gap="small", key="compare_files"):
        if shown is not None:
            with st.spinner(compare_words.FIGURING):
                present_compare.figures(shown[0])
            rows = pd.DataFrame(compare_pictures.text_rows(shown[1], present_compare.figures(shown[0])))
            button("CSV", rows.to_csv(index=False), "comparison.csv", "text/csv")
        json_button("JSON", "compare", study, "download_study")
    box = st.popover("SVG", key="svg_files", width="stretch", on_change="rerun")
    if box.open:  # every picture is drawn a second time for it
        with box:
            pictures(shown)
    st.caption(compare_words.RESUMES)


def button(label: str, text: str, name: str, kind: str, said: str = "", key: str = "") -> None:
    """Draw one file's button."""
    st.download_button(label, text, name, kind, key=key or f"file_{name}", on_click="ignore", help=said or None)


def json_button(label: str, kind: str, study: Study | None, key: str) -> None:
    """Draw the button of the file that resumes; its text is made when it is asked for."""
    comparing, tau = state.choices().comparing, present_compare.tau()
    st.download_button(
        label, lambda: study_file.to_json(kind, comparing, tau, study), f"{kind}.json", "application/json", key=key,
        on_click="ignore",
    )  # fmt: skip


def save_so_far(job: Job, label: str) -> None:
    """Draw the button that saves the results so far of work that is going on."""
    json_button(label, job.kind, job.study, f"save_{job.kind}")


def pictures(shown: tuple[Study, list[Variant]] | None) -> None:
    """Draw one button a picture, on light ground."""
    drawn = present_compare.usable()
    for one in drawn:
        svg = compare_pictures.tree_svg_of(drawn[0], one, 460)[0]
        button(f"Tree {one.mark.letter}", with_theme(svg, "light"), f"tree-{one.mark.letter}.svg", "image/svg+xml")
    if shown is None:
        return
    study, found = shown
    figures = present_compare.figures(study)
    lines, threshold, everyone = compare_pictures.benefit(study, found)
    made = {
        "Table": compare_pictures.table_svg(study, found, figures, COLUMNS[:6]),
        "Table, second part": compare_pictures.table_svg(study, found, figures, COLUMNS[6:]),
        "Accuracy and coverage": compare_pictures.plane(study, found, figures),
        "Stated P": compare_pictures.stated(study, found, figures),
        "ROC": roc_svg(compare_pictures.roc_lines(study, found)),
        "Net benefit": net_benefit_svg(lines, threshold, everyone),
        "Answers": answers_svg(compare_pictures.answers(study, found), present_compare.view(found[0], 300)),
    }
    for title, svg in made.items():
        name = title.lower().replace(",", "").replace(" ", "-")
        button(title, with_theme(svg, "light"), f"{name}.svg", "image/svg+xml")
