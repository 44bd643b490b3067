"""The panel beside the tree: who is in the chosen node, why it splits as it does, the rule that leads there.

In: the fitted tree and the chosen node. Out: a drawn panel.
"""

from __future__ import annotations

import streamlit as st

from engine.draw import View
from engine.draw.curves import gain_curve_figure
from engine.draw.node_charts import gain_bars_svg, parts_svg
from engine.draw.overlay import Overlay
from engine.draw.tree_table import path_words, probability_words
from engine.why import Reasons
from pages.shared import overlay_words, present_data, present_tree, state, tree_words, widgets, words
from pages.shared.tree_view import copy_button, svg_view


def panel(found: present_tree.Fitted, view: View, node: int, over: Overlay) -> None:
    """Draw who is in the chosen node, why it splits as it does, and the rule that leads there."""
    tree, told = found.model.tree_, found.evidence
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words.plain(tree_words.selected(tree, told, node)), width="content")
        if node:
            st.button("to the root", key="unselect", type="tertiary", on_click=lambda: state.choose_node(0))
    st.markdown(f"## {words.plain(tree_words.node_heading(tree, told, node, view))}")
    actions(found, view, node)
    if tree.is_leaf(node):
        st.markdown(words.plain(tree_words.leaf_sentence(tree, node, view)))
        if node in view.set_back:
            st.markdown(words.plain(f"Filtered out: {view.set_back[node]}."))
        laid_over(found, view, node, over)
        for k, label in enumerate(tree.classes):
            st.markdown(
                f"**{words.plain(view.class_name(label))}** {words.plain(probability_words(tree, node, k))}",
                help=tree_words.BAYES_LEAF if tree.has_bayes else words.leaf_range(found.model.recipe_.leaf),
            )
        st.caption(tree_words.BAYES_BELOW if tree.has_bayes else words.LEAF_AND_SHARES)
    else:
        st.markdown(words.plain(tree_words.split_sentence(tree, told, node, view)))
        laid_over(found, view, node, over)
        svg_view(parts_svg(told, node, view, width=260))
        reasons_box(found, view, present_tree.reasons(node))
    rule(found, view, node)


def actions(found: present_tree.Fitted, view: View, node: int) -> None:
    """Draw what can be done with the chosen node: fold or open what is below it, list its patients."""
    listed = state.choices().listed
    with st.container(horizontal=True, gap="small", key="node_actions"):
        st.button(
            "Close the list" if listed else "List patients",
            key="list_patients",
            on_click=lambda: state.list_patients(not listed),
        )
        if not found.model.tree_.is_leaf(node):
            closed = node in view.collapsed
            st.button(
                "Open" if closed else "Collapse",
                key="fold_node",
                on_click=lambda: state.fold(found.key, node, not closed),
                help="Folds what is below this split into one box, or opens it again. Space does the same in the tree.",
            )
    if listed:
        rows, present = found.evidence.patients(node)
        past = present_data.past_patients(rows, words.PRESENT, present)
        narrow = {name: st.column_config.Column(width=72) for name in past.columns[:2]}
        st.dataframe(past, height=240, column_config=narrow)


def laid_over(found: present_tree.Fitted, view: View, node: int, over: Overlay) -> None:
    """Say what the patients laid over the tree do at the chosen node."""
    tree = found.model.tree_
    if over.case is not None:
        share, lit = float(over.case.reach[node]), bool(over.case.reach_hard[node] > 0)
        st.markdown(words.plain(overlay_words.patient_here(share, lit)), help=tree_words.BRANCH_SHARES)
    if over.others is not None:
        answer = dict(zip(map(int, tree.leaves), view.leaf_answers, strict=True)).get(node)
        banded = not tree.is_leaf(node) and found.evidence.band(node).kind is not None
        said = overlay_words.others_here(over.others, node, view, answer, banded)
        st.markdown(words.plain(said), help=overlay_words.TEST_READ)


def rule(found: present_tree.Fitted, view: View, node: int) -> None:
    """Draw the rule that leads to the chosen node, with a button that copies it."""
    tree = found.model.tree_
    said = words.opening(path_words(tree, found.evidence, node, view)) + "."
    st.markdown("**The rule that leads here**")
    st.markdown(words.plain(said))
    copied = f"{tree_words.rule_for_copy(path_words(tree, found.evidence, node, view), tree, node, view)}"
    copy_button("Copy rule", copied, key="copy_rule")


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
