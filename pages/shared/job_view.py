"""How far long work is, on every page: a strip where it belongs, one line under the navigation elsewhere.

In: this session's jobs. Out: drawn progress with time left, cancel, what to do when it ended.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.shared import compare_words, jobs, words
from pages.shared.jobs import Job

EVERY = 1.0  # seconds between two looks
SHOWN_AFTER = (1, 5, 20, 50)  # folds, after which the page draws the results so far anew
NAMES = {
    "compare": "Compare", "sweep": "Sweep", "training": "Noise in training", "test": "Noise in test",
    "validate": "Model facts",
}  # fmt: skip
Save = Callable[[Job, str], None]


def line(page: str) -> None:
    """Draw, under the navigation, work that belongs to another page: at work, waiting, or ended since it was seen."""
    own = jobs.jobs()
    for job in own.by_kind.values():
        if job.page == page and not job.active:
            job.seen = True
    elsewhere = [job for job in [*own.active(), *own.unseen()] if job.page != page]
    if elsewhere:
        with st.container(key="job_line"):
            watched(tuple(job.kind for job in elsewhere), _line)


def at_work(kinds: tuple[str, ...]) -> dict[str, int]:
    """Return the kinds of work that go on, each with how often the page has been due to draw its results so far."""
    active = [job for kind in kinds if (job := jobs.jobs().of(kind)) is not None and job.active]
    return {job.kind: sum(job.folds[0] >= n for n in SHOWN_AFTER) for job in active}


def strip(kind: str, since: dict[str, int], save: Save | None = None) -> None:
    """Draw work where it belongs: name, fold, time left, save, cancel; when it failed, the sentence and Try again.

    `since` is what `at_work` said before the page read the results: they are drawn anew when the work has ended since.
    """
    if kind in since and kind not in at_work((kind,)):
        st.rerun()
    job = jobs.jobs().of(kind)
    if job is None or job.state == jobs.DONE:
        return
    with st.container(border=True, key=f"job_{kind}"):
        watched((kind,), partial(_strip, save=save), {k: n for k, n in since.items() if k == kind})


def watched(kinds: tuple[str, ...], draw: Callable[[Job], None], since: dict[str, int] | None = None) -> None:
    """Draw jobs, again every second while one of them is at work; the page is drawn anew when one ends.

    With `since`, where the results stand on the page, also after the first fold and a few more.
    """
    own = jobs.jobs()
    before = at_work(kinds) if since is None else since

    def look() -> None:
        now = at_work(kinds)
        if now != before if since is not None else {*now} != {*before}:
            st.rerun(scope="app")
        for kind in kinds:
            if (job := own.of(kind)) is not None:
                draw(job)

    st.fragment(look, run_every=EVERY if before else None)()


def _told(job: Job) -> str:
    if job.state == jobs.WAITING:
        return "waits for other work"
    return compare_words.folds_done(*job.folds)


def _line(job: Job) -> None:
    name = NAMES.get(job.kind, job.kind)
    with st.container(horizontal=True, vertical_alignment="center", key=f"line_{job.kind}", gap="small"):
        if not job.active:
            ended = {jobs.DONE: "is done", jobs.CANCELLED: "was cancelled", jobs.FAILED: "failed"}[job.state]
            st.page_link(f"pages/{job.page}.py", label=f"{name}: {words.plain(job.title)} {ended}")
            return
        st.page_link(f"pages/{job.page}.py", label=f"{name}: {words.plain(job.title)}, {_told(job)}")
        st.progress(job.part)
        st.caption(compare_words.time_left(job.seconds_left()))
        st.button("Cancel", key=f"cancel_line_{job.kind}", on_click=partial(jobs.jobs().cancel, job.kind))


def _strip(job: Job, save: Save | None) -> None:
    own, title = jobs.jobs(), words.plain(job.title)
    if job.state == jobs.FAILED:
        st.error(words.plain(job.sentence))
        st.button("Try again", key=f"again_{job.kind}", on_click=partial(own.again, job.kind))
        return
    said = (
        _told(job)
        if job.active
        else f"cancelled after {compare_words.partial(*job.folds) or words.plural(job.folds[1], 'fold')}"
    )
    named = "" if job.kind == "compare" else f"{NAMES.get(job.kind, job.kind)}: "
    st.markdown(f"**{named}{title}**, {said}")
    if job.active:
        st.progress(job.part)
        left = compare_words.time_left(job.seconds_left()) if job.state == jobs.RUNNING else ""
        st.caption(f"{left} It goes on when you leave this page.".strip())
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if save is not None and job.study is not None and job.study.n_done:
            save(job, "Save so far")
        if job.active:
            asked = job.stop.is_set()
            st.button(
                "Cancelling" if asked else "Cancel", key=f"cancel_{job.kind}", disabled=asked,
                on_click=partial(own.cancel, job.kind),
            )  # fmt: skip
