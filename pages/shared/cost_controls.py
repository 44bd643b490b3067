"""The controls of what an answer costs: a table of costs by class names, and the cost of giving no answer.

In: the classes and this session's choices. Out: drawn controls that write to the choices.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from pages.shared import present_data, recipe_words, state, words
from pages.shared.widgets import bind

MOST_AT_ONCE = 3


def set_cost(true: Any, answer: Any, new: float | None) -> None:
    """State what it costs to give an answer to a patient whose true class is another."""
    if new is not None:
        state.change(costs=state.choices().costs | {(str(true), str(answer)): float(new)})


def costs() -> None:
    """Draw the table of costs: every wrong answer, those to one true class at a time when there are many classes."""
    data = present_data.prepared()
    classes, names = data.classes, data.class_names
    with st.expander("What answers cost", expanded=True):
        st.caption(recipe_words.COSTS)
        truths = classes
        if len(classes) > MOST_AT_ONCE:
            label = words.hidden("When the patient is truly")
            truths = (st.selectbox(label, classes, format_func=lambda each: str(names[each]), key="cost_truth"),)
        table = state.costs(classes)
        for true in truths:
            for answer in classes:
                if answer == true:
                    continue
                held = table[classes.index(true)][classes.index(answer)]
                st.number_input(
                    words.hidden(recipe_words.cost_label(names[true], names[answer])),
                    min_value=0.0,
                    step=0.5,
                    format="%g",
                    **bind(f"cost_{true}_{answer}", held, partial(set_cost, true, answer)),
                )
        st.number_input(
            "Giving no answer",
            min_value=0.0,
            step=0.1,
            format="%g",
            placeholder="not offered",
            help=recipe_words.ABSTAIN_COST,
            **bind("abstain_cost", state.value_of("abstain_cost"), partial(state.set_parameter, "abstain_cost")),
        )
