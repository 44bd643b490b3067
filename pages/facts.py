"""The Model facts page: what the present model is, how it was tried, when not to use it; on screen and on one page.

In: this session's data, tree and what the reader states. Out: the facts in words, to print and to save.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from engine.draw.facts import PERFORMANCE, Facts, facts_html, reliability_svg
from pages.shared import facts_words, job_view, jobs, present_facts, present_validation, state, widgets, words
from pages.shared.paper_view import paper_buttons
from pages.shared.tree_view import svg_view


def sidebar() -> None:
    widgets.data_set()
    st.page_link("pages/tree.py", label="back to the tree")
    st.page_link("pages/patient.py", label="back to the patient")
    with widgets.sentence(quiet=True):
        widgets.sigma_summary()


def only_you() -> None:
    """Draw the fields for what no program can know."""
    with st.expander(facts_words.ONLY_YOU):
        st.caption(facts_words.ONLY_YOU_UNDER)
        for place, (key, (label, asked)) in enumerate(facts_words.STATED.items()):
            if place % 2 == 0:
                columns = st.columns(2)
            columns[place % 2].text_input(
                label,
                placeholder=asked,
                max_chars=200,
                **widgets.bind(f"stated_{key}", state.choices().stated.get(key, ""), partial(state.state_fact, key)),
            )


def performance(facts: Facts, since: dict[str, int]) -> None:
    """Draw how the model did on patients left out, or the button that asks for it."""
    st.markdown(f"## {PERFORMANCE}")
    if facts.performance:
        table, picture = st.columns([2, 1], gap="medium")
        rows = pd.DataFrame(facts.performance, columns=["Measure", "Value", "95 % interval"])
        table.dataframe(rows, hide_index=True)
        with picture:
            svg_view(reliability_svg(facts.bins))
    else:
        job_view.strip(present_validation.KIND, since)
        job = jobs.jobs().of(present_validation.KIND)
        waits = job is not None and job.active
        if not waits and st.button(facts_words.VALIDATE, key="validate", help=facts_words.VALIDATE_HELP):
            with widgets.sentence():
                present_validation.run()
                st.rerun()
    st.caption(words.plain(facts.method))


def page() -> None:
    since = job_view.at_work((present_validation.KIND,))
    facts = present_facts.facts()
    left, right = st.columns([2.2, 1])
    with left:
        widgets.heading(facts.heading, facts.under)
    with right, widgets.sentence():
        paper_buttons(partial(facts_html, facts), facts_words.BUTTON, facts_words.FILE, key="facts")
    only_you()
    performance(facts, since)
    columns = st.columns(2, gap="large")
    half = (len(facts.sections) + 1) // 2
    for place, (heading, rows) in enumerate(facts.sections):
        with columns[place // half]:
            st.markdown(f"## {heading}")
            for label, text in rows:
                st.markdown(f"**{label}:** {words.plain(text)}")
    st.markdown("## Predictors")
    told = [(p.name, p.told, p.error, p.source) for p in facts.predictors]
    cells = [[words.plain(cell) for cell in row] for row in told]
    heads = ["Name", "What it is", "Error", "Source"]
    st.table(pd.DataFrame(cells, columns=heads), hide_index=True, border="horizontal")
    for line in facts.foot[:1]:
        st.caption(words.plain(line))


widgets.show(__file__, sidebar, page)
