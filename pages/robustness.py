"""The Robustness page: what becomes of accuracy and size when noise is added in training, or in the patients tried.

In: this session's data, the variants that are compared, levels of noise. Out: curves with intervals, tables, files.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import (
    compare_controls,
    compare_words,
    job_view,
    jobs,
    noise_study_view,
    present_noise_study,
    widgets,
    words,
)


def sidebar() -> None:
    widgets.data_set()
    with widgets.sentence(quiet=True):
        st.page_link("pages/compare.py", label="change the variants")
        noise_study_view.which()
        noise_study_view.levels()
        compare_controls.folds("noise_repeats")
        widgets.sigma_summary()
    with widgets.sentence():
        noise_study_view.files()
        compare_controls.open_file()


def page() -> None:
    since = job_view.at_work(present_noise_study.WHERE)
    studies = {where: present_noise_study.study(where) for where in present_noise_study.WHERE}
    left, right = st.columns([2.2, 1])
    with left:
        finding, under = noise_study_view.finding(studies)
        widgets.heading(finding, under)
    with right:
        for where in present_noise_study.WHERE:
            job_view.strip(where, since, noise_study_view.save_so_far)
            if jobs.of_before(jobs.jobs().of(where), studies[where]):
                st.caption(compare_words.OF_BEFORE)
        active = any((job := jobs.jobs().of(where)) is not None and job.active for where in present_noise_study.WHERE)
        if not active and not all(found is not None and found.complete for found in studies.values()):
            begun = any(studies.values())
            label = "Go on" if begun else "Add noise and try"
            st.button(label, key="start_noise", type="primary", on_click=begin)
    for where, found in studies.items():
        st.markdown(f"## {compare_words.NOISE_WHERE[where]}")
        st.caption(compare_words.NOISE_UNDER[where])
        with widgets.sentence():
            noise_study_view.experiment(where, found)
    st.caption(words.plain(compare_words.NOISE_METHOD))


def begin() -> None:
    with widgets.sentence():
        present_noise_study.start()


widgets.show(__file__, sidebar, page)
