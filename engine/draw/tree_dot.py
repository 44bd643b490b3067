"""A tree as DOT text, for the dot program and others that read it; nothing is called here.

In: a tree, the training evidence and the reader's view. Out: DOT text with its ink stated, labels escaped.
"""

from __future__ import annotations

from engine.draw.picture import Picture
from engine.draw.sheet import CLASS_FILL, SHADES, View
from engine.evidence import Evidence
from engine.number_words import probability_text, weight_text
from engine.tree import BINS, NOMINAL, Tree


def quoted(text: str) -> str:
    """Return a DOT string: quotes and backslashes escaped, line breaks as \\n, control characters dropped."""
    clean = "".join(c if c == "\n" or ord(c) >= 32 else " " for c in text)
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def tree_dot(tree: Tree, evidence: Evidence, view: View) -> str:
    """Return the tree in the DOT language; abstaining leaves are dashed and say so, set answers list their classes."""
    picture = Picture(tree, evidence, view)
    ink, second, ribbon = (SHADES[name][0] for name in ("ink", "second", "ribbon"))
    face = f'fontcolor="{ink}", fontname="Source Sans Pro,Helvetica,Arial,sans-serif"'
    out = [
        "digraph tree {",
        f'  graph [bgcolor="white", fontcolor="{ink}", ranksep=0.5, nodesep=0.25];',
        f'  node [shape=box, style="rounded,filled", fillcolor="white", color="{second}", {face}, fontsize=12];',
        f'  edge [color="{ribbon}", {face}, fontsize=11, arrowhead=none];',
    ]
    whole = float(tree.weight[0]) or 1.0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            out.append(f"  n{node} [{_leaf_words(picture, node)}];")
            continue
        lines = [f"{picture.name(node)} {picture.unit(node)}".rstrip()]
        if tree.gate[node] not in (NOMINAL, BINS):
            band, counts = evidence.band(node), evidence.split_counts(node)
            lines.append(f"cut at {evidence.threshold_text(node)}")
            if band.kind:
                edges = " to ".join(evidence.band_text(node))
                lines.append(f"{band.kind} {edges}: {counts.n[1]} patients")
        lines.append(f"n {evidence.count[node]}")
        out.append(f"  n{node} [label={quoted(chr(10).join(lines))}];")
        for label, child in zip(picture.labels[node], tree.children(node), strict=True):
            pen = max(0.8, 14 * float(tree.weight[child]) / whole)
            out.append(f"  n{node} -> n{child} [label={quoted(' ' + label)}, penwidth={pen:.2f}];")
    return "\n".join([*out, "}", ""])


def _leaf_words(picture: Picture, node: int) -> str:
    tree, view, answer = picture.tree, picture.view, picture.answers[node]
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
    label = quoted("\n".join([f"{head} {why}", p, n, picture.leaf_name[node]]))
    if picture.by_reading:
        return f"label={label}"
    place = view.class_index(answer)
    if answer is None:
        return f'label={label}, style="rounded,filled,dashed", fillcolor="{SHADES["hatch-ground"][0]}"'
    paint = SHADES["second"][0] if place is None else CLASS_FILL[place % len(CLASS_FILL)][0]
    return f'label={label}, color="{paint}", penwidth=2'
