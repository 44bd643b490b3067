"""The panel beside the tree: who is in the chosen node, why it splits as it does, the rule that leads there.

In: the fitted tree and the chosen node. Out: a drawn panel.
"""

from __future__ import annotations

import streamlit as st

from engine.draw import View
from engine.draw.curves import gain_curve_figure
from engine.draw.node_charts import gain_bars_svg, parts_svg
from engine.draw.tree_table import path_words, probability_words
from engine.why import Reasons
from pages.shared import present_data, present_tree, state, tree_words, widgets, words
from pages.shared.tree_view import svg_view


def panel(found: present_tree.Fitted, view: View, node: int) -> None:
    """Draw who is in the chosen node, why it splits as it does, and the rule that leads there."""
    tree, told = found.model.tree_, found.evidence
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words.plain(tree_words.selected(tree, told, node)), width="content")
        if node:
            st.button("to the root", key="unselect", type="tertiary", on_click=lambda: state.choose_node(0))
    st.markdown(f"## {words.plain(tree_words.node_heading(tree, told, node, view))}")
    if tree.is_leaf(node):
        st.markdown(words.plain(tree_words.leaf_sentence(tree, node, view)))
        for k, label in enumerate(tree.classes):
            st.markdown(
                f"**{words.plain(view.class_name(label))}** {words.plain(probability_words(tree, node, k))}",
                help=tree_words.BAYES_LEAF if tree.has_bayes else words.leaf_range(found.model.recipe_.leaf),
            )
        st.caption(tree_words.BAYES_BELOW if tree.has_bayes else words.LEAF_AND_SHARES)
    else:
        st.markdown(words.plain(tree_words.split_sentence(tree, told, node, view)))
        svg_view(parts_svg(told, node, view, width=260))
        reasons_box(found, view, present_tree.reasons(node))
    st.markdown("**The rule that leads here**")
    st.markdown(words.plain(words.opening(path_words(tree, told, node, view))) + ".")
    with st.expander("Who is in it"):
        rows, present = told.patients(node)
        past = present_data.past_patients(rows, words.PRESENT, present)
        narrow = {name: st.column_config.Column(width=72) for name in past.columns[:2]}
        st.dataframe(past, height=240, column_config=narrow)


def reasons_box(found: present_tree.Fitted, view: View, reasons: Reasons) -> None:
    """Draw the best gain of each variable, and the gain of every threshold of the chosen one."""
    tree, told, node = found.model.tree_, found.evidence, reasons.node
    st.markdown(f"**Why {words.plain(view.quoted(tree.variables[reasons.variable]))}**")
    st.caption(f"Best of each variable, with its cut. {tree_words.gain_label(found.model.recipe_.criterion)}")
    rows = [
        (
            view.variable(tree.variables[each.variable]),
            tree_words.at(told, reasons, each),
            each.gain,
            each.variable == reasons.variable,
        )
        for each in reasons.best[:8]
    ]
    svg_view(gain_bars_svg(rows, width=260))
    if reasons.exact is None:
        return
    st.markdown(f"**Why {words.plain(told.threshold_text(node))}**")
    band, search = told.band(node), found.model.recipe_.search
    figure = gain_curve_figure(
        exact=reasons.exact,
        soft=reasons.soft,
        zone=(band.low, band.high) if band.kind else None,
        chosen=float(tree.threshold[node]),
        chosen_text=told.threshold_text(node),
        exact_best=reasons.exact_best,
        exact_text="" if reasons.exact_best is None else told.edge_text(node, reasons.exact_best),
        unit=view.units.get(tree.variables[reasons.variable], ""),
        soft_search=search != "exact",
        soft_name=tree_words.SEARCH_NAMES[search == "resampled"].lower(),
        label=tree_words.gain_label(found.model.recipe_.criterion),
        dark=widgets.dark(),
    )
    st.plotly_chart(figure, config={"displayModeBar": False}, key="gain_curve", alt=tree_words.GAIN_CURVE)
    st.caption(words.plain(tree_words.two_searches(told, reasons, float(tree.threshold[node]), search)))
