"""The tree as rows: what its picture shows, for readers who want or need a table, and any node's path in words.

In: a tree, what its training patients say, the view, what is laid over. Out: a DataFrame, sentences.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from engine.draw.overlay import Overlay, verdict
from engine.draw.sheet import View
from engine.evidence import Evidence
from engine.export import FEW_PATIENTS, branch_tests, is_fractional, leaf_names
from engine.leaves import probability_range
from engine.number_words import probability_text, share_text, weight_text
from engine.tree import Tree


def step_words(tree: Tree, told: Evidence, node: int, view: View) -> str:
    """Return what leads from a node's parent to it, "Glucose ≤ 140.8 mg/dL"; "everyone" at the root."""
    parent = int(tree.parent[node])
    if parent < 0:
        return "everyone"
    place = node - int(tree.first_child[parent])
    name = tree.variables[int(tree.variable[parent])]
    test = branch_tests(tree, parent, told.edge_text, sentence=True)[place]
    unit = "" if test.startswith("is ") else view.units.get(name, "")
    return f"{view.variable(name)} {test} {unit}".rstrip()


def path_words(tree: Tree, told: Evidence, node: int, view: View) -> str:
    """Return the whole path to a node in words, "Glucose ≤ 140.8 mg/dL and BMI > 26.4 kg/m²"."""
    steps = [step_words(tree, told, each, view) for each in tree.path(node)[1:]]
    return " and ".join(steps) if steps else "everyone"


def probability_words(tree: Tree, node: int, k: int) -> str:
    """Return a node's P of class `k` with its 95 % range and n, "0.84 (0.74 to 0.91), n 77"; a prior has none."""
    if tree.weight[node] <= 0:
        return f"{probability_text(float(tree.probability[node, k]))}, no training patients"
    low, high, about = probability_range(
        float(tree.class_weight[node, k]), float(tree.weight[node]), float(tree.weight_squared[node])
    )
    few = ", few patients" if tree.weight[node] < FEW_PATIENTS else ""
    if tree.has_bayes:
        n = weight_text(float(tree.weight[node]), is_fractional(tree))
        return f"{probability_text(float(tree.probability[node, k]))}, n {n}{few}"
    spread = f"{'about ' if about else ''}{probability_text(low)} to {probability_text(high)}"
    n = weight_text(float(tree.weight[node]), is_fractional(tree))
    return f"{probability_text(float(tree.probability[node, k]))} ({spread}), n {n}{few}"


def picture_words(tree: Tree, view: View, node: int) -> str:
    """Return how a node stands in the picture: shown, folded, or filtered out and why."""
    if node in view.set_back:
        return f"filtered out, {view.set_back[node]}"
    path = tree.path(node)
    if any(above in view.collapsed for above in path[:-1]):
        return "inside a folded box"
    return "folded into a box" if node in view.collapsed else "shown"


def over_columns(tree: Tree, told: Evidence, view: View, over: Overlay, node: int, answer: Any) -> dict[str, str]:
    """Return the cells of what is laid over a node: the patient's share, or other patients."""
    if over.case is not None:
        on = ", on the path" if over.case.reach_hard[node] > 0 else ""
        return {"Patient's share": f"{share_text(float(over.case.reach[node]))}{on}"}
    if over.others is None:
        return {}
    others = over.others
    cells = {"Test patients": weight_text(float(others.weight[node]), others.fractional), "Test sides": ""}
    if not tree.is_leaf(node) and math.isfinite(float(tree.threshold[node])):
        left, inside, right, missing = others.split_counts(node)
        middle = f"{inside} in range, " if told.band(node).kind else ""
        cells["Test sides"] = f"{left} left, {middle}{right} right{f', {missing} missing' if missing else ''}"
    for k, label in enumerate(tree.classes):
        cells[f"Test {view.class_name(label)}"] = weight_text(float(others.class_weight[node, k]), others.fractional)
    found = others.compare(node, answer) if tree.is_leaf(node) else None
    known = found is not None and found.labelled > 0
    names = " or ".join(view.class_name(tree.classes[k]) for k in found.classes) if found is not None else ""
    cells["Test share"] = f"{names} {probability_text(found.share)}" if found is not None and known else ""
    judged = found is not None and known and others.judged and math.isfinite(found.training)
    cells["Training share"] = (
        f"{probability_text(found.training)} ({probability_text(found.low)} to {probability_text(found.high)})"
        if found is not None and judged
        else ""
    )
    cells["Compared"] = verdict(found) if found is not None and judged else ""
    return cells


def tree_table(tree: Tree, told: Evidence, view: View, over: Overlay | None = None) -> pd.DataFrame:
    """Return one row a node, depth first, with the content of the picture as text, folded nodes among them."""
    answer_of = dict(zip(map(int, tree.leaves), view.leaf_answers, strict=True))
    fractional = is_fractional(tree)
    rows, stack, called = [], [0], leaf_names(tree)
    figure = "Class prior" if tree.has_bayes else "P"

    def said(leaf: int) -> str:
        return f"{called[leaf]}: {'naive Bayes' if tree.has_bayes else view.answer(answer_of[leaf])}"

    while stack:
        node = stack.pop()
        stack.extend(reversed(tree.children(node)))
        leaf, j = tree.is_leaf(node), int(tree.variable[node])
        band = None if leaf else told.band(node)
        shown = band is not None and math.isfinite(band.low)
        k = view.positive_index
        if view.several:
            k = int(np.argmax(tree.probability[node]))
        counts = {
            view.class_name(label): weight_text(float(weight), fractional)
            for label, weight in zip(tree.classes, tree.class_weight[node], strict=True)
        }
        rows.append(
            {
                "Step": "· " * int(tree.depth[node]) + step_words(tree, told, node, view),
                "Then": said(node) if leaf else f"asks {view.variable(tree.variables[j])}",
                "Blend range": f"{' to '.join(told.band_text(node))}, {band.kind}" if shown and band else "",
                "Patients": weight_text(float(tree.weight[node]), fractional),
                **counts,
                figure: f"{view.class_name(tree.classes[k])} {probability_words(tree, node, k)}",
                **({"In the picture": picture_words(tree, view, node)} if view.collapsed or view.set_back else {}),
                **over_columns(tree, told, view, over or Overlay(), node, answer_of.get(node)),
            }
        )
    return pd.DataFrame(rows)
