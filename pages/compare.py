"""The Compare page: any number of variants side by side, on the same patients, folds and seed.

In: this session's data, noise and the variants chosen. Out: trees, figures with intervals and tests, who is answered
differently.
"""

from __future__ import annotations

import streamlit as st

from engine.study import Study
from pages.shared import (
    compare_controls,
    compare_downloads,
    compare_patients,
    compare_pictures,
    compare_words,
    job_view,
    jobs,
    present_compare,
    state,
    widgets,
    words,
)
from pages.shared.present_compare import COMPARE, Variant


def arrive() -> None:
    """Turn to Patient when one was chosen here, or take back what was lent to Tree and Patient for that."""
    if state.choices().comparing.turn:
        state.compare(turn=False)
        st.switch_page("pages/patient.py")
    state.close_compared()


def sidebar() -> None:
    arrive()
    widgets.data_set()
    with widgets.sentence(quiet=True):
        compare_controls.variants()
        compare_controls.same_for_all()
        compare_controls.folds()
        compare_controls.tau()
    with widgets.sentence():
        found = present_compare.study()
        compare_downloads.files(found, present_compare.shown(found))
        compare_controls.open_file()


def top(study: Study | None, shown: tuple[Study, list[Variant]] | None, since: dict[str, int]) -> None:
    """Print the finding, and beside it the work that goes on, or the button that begins it."""
    found = present_compare.usable()
    figures = None if shown is None else present_compare.figures(shown[0])
    alike = sum(present_compare.differences(found[0], one).none for one in found[1:])
    letters = {v.name: v.mark.letter for v in found}
    left, right = st.columns([2.2, 1])
    with left:
        under = compare_words.UNTRIED
        if shown is not None and figures is not None:
            under = compare_words.under(figures, [v.name for v in shown[1]], present_compare.tau())
        widgets.heading(compare_words.finding(len(found), alike, figures, letters), under)
    with right:
        job = jobs.jobs().of(COMPARE)
        job_view.strip(COMPARE, since, compare_downloads.save_so_far)
        if jobs.of_before(job, study):
            st.caption(compare_words.OF_BEFORE)
        if found and (job is None or not job.active) and (study is None or not study.complete):
            label = compare_words.COMPARE_BUTTON if study is None else compare_words.COMPLETE
            st.button(label, key="compare", type="primary", help=compare_words.COMPARE_HELP, on_click=begin)


def begin() -> None:
    with widgets.sentence():
        present_compare.start()


def tried(shown: tuple[Study, list[Variant]] | None, found: list[Variant]) -> None:
    """Draw what the cross-validation says, beside where two trees differ."""
    if shown is None:
        with widgets.sentence():
            compare_patients.matrix(found)
        with widgets.sentence():
            compare_pictures.sweeps(None, [])
        return
    study, ready = shown
    figures = present_compare.figures(study)
    with widgets.sentence():
        compare_pictures.table(study, ready, figures)
        compare_downloads.under_table(study, ready)
    lines = present_compare.in_ink(ready)
    if len(lines) > present_compare.MOST_IN_INK:
        st.caption(compare_words.IN_INK.format(*(v.mark.letter for v in lines if not v.mark.faint)))
    left, middle, right = st.columns([1.2, 1, 1], gap="medium")
    with left, widgets.sentence():
        st.markdown("## Accuracy when some are not answered")
        st.caption(compare_words.PLANE_UNDER)
        compare_pictures.svg_view(compare_pictures.plane(study, lines, figures))
    with middle, widgets.sentence():
        st.markdown("## Stated P against what happened")
        st.caption(f"hatched: where a tree abstains; {compare_words.STATED_UNDER}")
        compare_pictures.svg_view(compare_pictures.stated_picture(study, ready, figures))
    with right, widgets.sentence():
        compare_pictures.answered(study, ready)
    with widgets.sentence():
        compare_patients.matrix(found)
    with widgets.sentence():
        compare_pictures.discrimination(study, lines)
    with widgets.sentence():
        compare_pictures.sweeps(study, lines)


def page() -> None:
    since = job_view.at_work((COMPARE,))
    study = present_compare.study()
    shown = present_compare.shown(study)
    found = present_compare.variants()
    top(study, shown, since)
    with widgets.sentence():
        compare_pictures.trees(found)
    tried(shown, present_compare.usable())
    st.caption(words.plain(compare_words.CV_NOTE))


widgets.show(__file__, sidebar, page)
