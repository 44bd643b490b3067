"""The Tree page: the fitted tree with its blend ranges and abstention leaves, and why each node is as it is.

In: this session's data, noise and recipe. Out: a drawn tree, a panel on the chosen node, downloads.
"""

from __future__ import annotations

import json

import streamlit as st

from engine.draw import View, tree_dot, tree_legend_svg, tree_svg, with_theme
from engine.draw.node_charts import tau_strip_svg
from engine.draw.tree_table import tree_table
from engine.errors import PenumbraError
from engine.export import rules_text
from engine.exports import javascript_function, pmml, python_function
from pages.shared import node_panel, present_data, present_tree, recipe_controls, state, tree_words, widgets, words
from pages.shared.tree_view import svg_view, tree_view


def sidebar() -> None:
    widgets.data_set()
    recipe_controls.variant_choice()
    with widgets.sentence(quiet=True):
        recipe_controls.axes()
    recipe_controls.size()
    recipe_controls.advanced()
    with widgets.sentence(quiet=True):
        recipe_controls.calibration()
    with widgets.sentence(quiet=True):
        recipe_controls.tau()
        model, view = present_tree.decided(), present_tree.view(208)
        if not model.tree_.has_bayes:
            svg_view(tau_strip_svg(model.tree_, view, width=208))
        st.caption(tree_words.answered(present_tree.answered(), len(present_data.prepared().y)))
        widgets.sigma_summary()


def downloads(found: present_tree.Fitted, view: View) -> None:
    """Draw the tree's downloads."""
    tree, model = found.model.tree_, present_tree.decided()
    svg = with_theme(tree_svg(tree, found.evidence, view), "light")
    rules = rules_text(
        tree, view.leaf_answers, view.decision, view.tau, found.data.units,
        noise=found.noise, edge_text=found.evidence.edge_text,
    )  # fmt: skip
    files = {
        "SVG": (svg, "tree.svg", "image/svg+xml"),
        "DOT": (tree_dot(tree, found.evidence, view), "tree.dot", "text/vnd.graphviz"),
        "JSON": (model.to_json(), "tree.json", "application/json"),
        "Nodes": (json.dumps(tree.to_dict(), indent=1, default=str), "nodes.json", "application/json"),
        "Rules": (rules, "rules.txt", "text/plain"),
        "Python": (python_function(model), "tree.py", "text/x-python"),
        "JavaScript": (javascript_function(model), "tree.mjs", "text/javascript"),
    }
    with st.popover("Download", key="downloads"):
        for label, (content, name, kind) in files.items():
            download(label, content, name, kind)
        try:
            download("PMML", pmml(model, present_data.prepared().target), "tree.pmml", "application/xml")
        except PenumbraError as error:  # PMML has no soft gates, for one
            st.button("PMML", key="no_pmml", disabled=True, help=words.plain(str(error)), width="stretch")


def download(label: str, content: str, name: str, kind: str) -> None:
    """Draw one file's button."""
    helped = tree_words.DOWNLOADS[label]
    st.download_button(
        label, content, name, kind, key=f"download_{label}", on_click="ignore", help=helped, width="stretch"
    )


def left_out() -> None:
    """Say how trees grown this way do on patients left out, once the reader asks: it takes several fits."""
    counts = present_tree.left_out()
    if counts is not None:
        st.caption(words.plain(tree_words.left_out(counts)), help=tree_words.LEFT_OUT)
    elif st.button(tree_words.LEAVE_OUT, key="leave_out", type="tertiary", help=tree_words.LEFT_OUT):
        with widgets.sentence():
            with st.spinner(tree_words.LEAVING_OUT):
                present_tree.folds()
            st.rerun()


def page() -> None:
    found = present_tree.fitted()
    view = present_tree.view(808)
    finding, under = (
        tree_words.tree_heading(found.model.tree_, view.leaf_answers),
        tree_words.tree_under(found.model.tree_, found.data.summary()),
    )
    widgets.top(finding, under, "Continue to Patient", "pages/patient.py", lambda: downloads(found, view))
    left_out()
    widgets.facts_link()
    recipe_controls.equals_hard()
    recipe_controls.notes()
    node = view.selected or 0
    picture, beside = st.columns([808, 312], gap="medium")
    with picture:
        svg_view(tree_legend_svg(found.model.tree_, view))
        clicked = tree_view(tree_svg(found.model.tree_, found.evidence, view), key="tree")
        if clicked is not None and max(clicked, 0) != node:
            state.choose_node(max(clicked, 0))
            st.rerun()
        noisy = found.model.noise_propagation_.anything
        below = tree_words.below_tree(state.value_of("propagation"), noisy, found.model.tree_, found.evidence)
        st.caption(words.plain(below))
        with st.expander("The same tree as a table"):
            st.dataframe(tree_table(found.model.tree_, found.evidence, view), hide_index=True)
    with beside, st.container(border=True), widgets.sentence():
        node_panel.panel(found, view, node)


widgets.show(__file__, sidebar, page)
