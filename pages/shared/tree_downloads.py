"""The tree's downloads: picture, model, rules, programs.

In: the fitted tree and its view. Out: a drawn list of files.
"""

from __future__ import annotations

import json

import streamlit as st

from engine.draw import View, tree_dot, tree_svg, with_theme
from engine.draw.overlay import Overlay
from engine.errors import PenumbraError
from engine.export import rules_text
from engine.exports import javascript_function, pmml, python_function
from pages.shared import present_data, present_tree, tree_words, words


def downloads(found: present_tree.Fitted, view: View) -> None:
    """Draw the tree's downloads; the picture is as on the page, without what is laid over it."""
    tree, model = found.model.tree_, present_tree.decided()
    svg = with_theme(tree_svg(tree, found.evidence, view, Overlay()), "light")
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
