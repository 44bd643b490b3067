"""A tree in the DOT language of Graphviz, built by its Python package; the dot program is not needed.

In: a tree, the training evidence and the reader's view. Out: DOT text with its ink stated, every label literal.
"""

from __future__ import annotations

import graphviz

from engine.draw.picture import Picture
from engine.draw.sheet import CLASS_FILL, SHADES, View
from engine.evidence import Evidence
from engine.legible import visible
from engine.number_words import probability_text, weight_text
from engine.tree import BINS, NOMINAL, Tree

FONT = "Source Sans Pro,Helvetica,Arial,sans-serif"


def literal(text: str) -> str:
    r"""Return a label that dot prints as it stands: no markup, no entity, no escape; line breaks stay line breaks.

    `graphviz.escape` alone leaves two ways open: dot reads `&lt;` as `<`, and a lone surrogate cannot be written.

    Examples
    --------
    >>> print(literal(r"a &lt; \N"))
    a &amp;lt; \\N
    """
    lines = visible(text, kept="\n").split("\n")
    label: str = graphviz.nohtml(r"\n".join(graphviz.escape(line.replace("&", "&amp;")) for line in lines))
    return label  # of a subclass that is quoted even where it begins with < and ends with >


def tree_dot(tree: Tree, evidence: Evidence, view: View) -> str:
    """Return the tree in the DOT language; abstaining leaves are dashed and say so, set answers list their classes."""
    picture = Picture(tree, evidence, view)
    ink, second, ribbon = (SHADES[name][0] for name in ("ink", "second", "ribbon"))
    face = {"fontcolor": ink, "fontname": FONT}
    paper = {"fillcolor": "white", "color": second}
    graph = graphviz.Digraph(
        "tree",
        graph_attr={"bgcolor": "white", "fontcolor": ink, "ordering": "out", "ranksep": "0.5", "nodesep": "0.25"},
        node_attr={"shape": "box", "style": "rounded,filled", "fontsize": "12", **paper, **face},
        edge_attr={"color": ribbon, "fontsize": "11", "arrowhead": "none", **face},
    )
    whole = float(tree.weight[0]) or 1.0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            graph.node(f"n{node}", literal(_leaf_words(picture, node)), **_leaf_ink(picture, node))
            continue
        graph.node(f"n{node}", literal(_split_words(picture, node)))
        for label, child in zip(picture.labels[node], tree.children(node), strict=True):
            pen = max(0.8, 14 * float(tree.weight[child]) / whole)
            graph.edge(f"n{node}", f"n{child}", literal(f" {label}"), penwidth=f"{pen:.2f}")
    return str(graph.source)


def _split_words(picture: Picture, node: int) -> str:
    tree, evidence = picture.tree, picture.evidence
    name, unit = picture.name(node), picture.unit(node)
    lines = [f"{name} {unit}" if unit else name]
    if tree.gate[node] not in (NOMINAL, BINS):
        band, counts = evidence.band(node), evidence.split_counts(node)
        lines.append(f"cut at {evidence.threshold_text(node)}")
        if band.kind:
            edges = " to ".join(evidence.band_text(node))
            lines.append(f"{band.kind} {edges}: {counts.n[1]} patients")
    return "\n".join([*lines, f"n {evidence.count[node]}"])


def _leaf_words(picture: Picture, node: int) -> str:
    tree, view = picture.tree, picture.view
    head, why = picture.reason(node)
    k = picture.shown_class(node)
    mix = ", ".join(
        f"{view.lettered(j)} {weight_text(float(w), picture.fractional)}" for j, w in enumerate(tree.class_weight[node])
    )
    weight = float(tree.weight[node])
    n = "no training patients" if weight <= 0 else f"n {weight_text(weight, picture.fractional)}: {mix}"
    p = f"P({view.lettered(k)}) {probability_text(float(tree.probability[node, k]))}"
    if picture.by_reading:
        p = f"class prior {p}"
    return "\n".join([f"{head} {why}", p, n, picture.leaf_name[node]])


def _leaf_ink(picture: Picture, node: int) -> dict[str, str]:
    answer = picture.answers[node]
    if picture.by_reading:
        return {}
    if answer is None:
        return {"style": "rounded,filled,dashed", "fillcolor": SHADES["hatch-ground"][0]}
    place = picture.view.class_index(answer)
    paint = SHADES["second"][0] if place is None else CLASS_FILL[place % len(CLASS_FILL)][0]
    return {"color": paint, "penwidth": "2"}
