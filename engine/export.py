"""A finished tree in words: indented rules a person can read.

In: a tree, its leaves' answers, the noise, and what its training patients say. Out: plain text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.leaves import probability_range
from engine.noise import TWO_SIDED_95, SigmaAt
from engine.number_words import exact_text, number_text, probability_text, share_text, weight_text
from engine.tree import BINS, MIDDLE, NOMINAL, REST, Tree

FEW_PATIENTS = 10
INTENDED_USE = (
    "Intended use: teaching and research. It informs a clinician's judgement and does not replace it; "
    "not a certified medical device."
)

EdgeText = Callable[[int, float], str]  # (node, a threshold or zone edge of it) -> text


def is_fractional(tree: Tree) -> bool:
    """Return whether some leaf, or some class in a leaf, holds parts of patients."""
    weights = tree.class_weight[tree.leaves]
    return bool(np.any(np.abs(weights - np.round(weights)) > 1e-6))


def answer_text(answer: Any, class_names: Mapping[Any, str] | None = None) -> str:
    """Return an answer in words: the class's name, "abstains", or "a or b" for a set."""
    names = class_names or {}
    if answer is None:
        return "abstains"
    if isinstance(answer, (set, frozenset)):
        return " or ".join(str(names.get(c, c)) for c in sorted(answer, key=str)) or "no class"
    return str(names.get(answer, answer))


def exact_edge(node: int, edge: float) -> str:
    """Return a threshold or zone edge to its last digit: true to the tree where no training patients are at hand."""
    return exact_text(edge)


def bin_test(tree: Tree, child: int, edge_text: EdgeText = exact_edge) -> str:
    """Return the bin that a child of a split into bins stands for: "≤ 20", "> 20 and ≤ 40", "> 40"."""
    low, high = tree.bin_range(child)
    node = int(tree.parent[child])
    above = [f"> {edge_text(node, low)}"] if math.isfinite(low) else []
    upto = [f"≤ {edge_text(node, high)}"] if math.isfinite(high) else []
    return " and ".join(above + upto) or "any value"


def branch_tests(tree: Tree, node: int, edge_text: EdgeText = exact_edge, sentence: bool = False) -> list[str]:
    """Return what sends a patient to each child, true to the gate: "≤ 140.8", "> 140.8", or a category's name.

    A threshold placed on an observed value reads "< 3" and "≥ 3"; a middle branch or a bin "> 125.1 and ≤ 156.5".

    Parameters
    ----------
    sentence : write "is" before a category, so that the test can follow the variable's name.
    edge_text : how a threshold is written; `Evidence.edge_text` is short and still parts the training patients.
    """
    theta, low, high = (float(edge[node]) for edge in (tree.threshold, tree.low, tree.high))
    if tree.gate[node] in (NOMINAL, BINS):
        labels = tree.branch(node)
        if tree.categories[tree.variable[node]] is not None:
            return [f"is {label}" for label in labels] if sentence else labels
        return [
            ("is other" if sentence else label) if tree.code[child] == REST else bin_test(tree, child, edge_text)
            for child, label in zip(tree.children(node), labels, strict=True)
        ]
    if tree.gate[node] == MIDDLE:
        a, b = (edge_text(node, edge if math.isfinite(edge) else theta) for edge in (low, high))
        return [f"≤ {a}", f"> {a} and ≤ {b}", f"> {b}"]
    text = edge_text(node, theta)
    return [f"≤ {text}", f"> {text}"] if tree.closed_le[node] else [f"< {text}", f"≥ {text}"]


def blend_words(tree: Tree, node: int, noise: SigmaAt | None, unit: str = "", edge_text: EdgeText = exact_edge) -> str:
    """Return the split's blend range in words: its zone, else θ ± 1.96 σ as measurement error, else ""."""
    low, high, theta = float(tree.low[node]), float(tree.high[node]), float(tree.threshold[node])
    after = f" {unit}" if unit else ""
    if math.isfinite(low) and math.isfinite(high) and high > low:
        return f"zone above {edge_text(node, low)} up to {edge_text(node, high)}{after}"
    if noise is None or not math.isfinite(theta):
        return ""
    sigma = float(np.asarray(noise.at(int(tree.variable[node]), theta)))
    if sigma <= 0:
        return ""
    edges = f"{number_text(theta - TWO_SIDED_95 * sigma, 4)} to {number_text(theta + TWO_SIDED_95 * sigma, 4)}{after}"
    return f"measurement error: {edges} may cross when measured again"


def rules_text(
    tree: Tree,
    leaf_answers: Sequence[Any] | None = None,
    decision: str = "argmax",
    tau: float | None = None,
    units: Mapping[str, str] | None = None,
    class_names: Mapping[Any, str] | None = None,
    noise: SigmaAt | None = None,
    note: str = "",
    edge_text: EdgeText = exact_edge,
) -> str:
    """Return the tree as indented rules, with blend ranges, abstentions, and every leaf's probabilities and n.

    Parameters
    ----------
    leaf_answers : one per leaf in tree order (class, None or frozenset); None takes each leaf's most probable class.
    decision, tau : the decision rule, told in the heading; `tau` also beside every leaf.
    noise : the evaluation noise, for measurement error at thresholds of trees without a zone.
    note : a line put under the heading.
    edge_text : how thresholds are written; `Evidence.edge_text` is short and keeps training patients on their side.
    """
    units, names = units or {}, class_names or {}
    fractional = is_fractional(tree)
    if leaf_answers is None:
        leaf_answers = [tree.classes[int(np.argmax(tree.probability[leaf]))] for leaf in tree.leaves]
    number_of = {int(leaf): place for place, leaf in enumerate(tree.leaves)}
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
    rule = f"a leaf answers when its P reaches {tau:g}" if decision == "tau" and tau is not None else f"rule {decision}"
    lines = [
        f"Decision tree: {leaves}, depth {tree.max_depth}, {weight_text(tree.weight[0], False)} training patients",
        f"Classes: {', '.join(str(names.get(c, c)) for c in tree.classes)}. Decision: {rule}.",
    ]
    lines += [note] if note else []
    lines += [
        "Probabilities are the leaf's own, with their 95 % range (Clopper–Pearson).",
        "A missing value is shared among the branches as given in brackets.",
        "",
    ]

    def leaf_line(node: int) -> str:
        place = number_of[node]
        answer = leaf_answers[place]
        best = int(np.argmax(tree.probability[node]))
        if answer is not None and not isinstance(answer, (set, frozenset)) and answer in tree.classes:
            best = tree.classes.index(answer)
        p, weight = float(tree.probability[node, best]), float(tree.weight[node])
        word = "abstain" if answer is None else f"answer {answer_text(answer, names)}"
        if answer is None and decision == "tau" and tau is not None:
            word += f" (P {probability_text(p, tau)} < τ {tau:g})"
        text = f"{word}: leaf {place + 1}, P({names.get(tree.classes[best], tree.classes[best])}) {probability_text(p)}"
        if weight <= 0:
            return text + ", no training patients: the parent's probabilities"
        low, high, approximate = probability_range(
            float(tree.class_weight[node, best]), weight, float(tree.weight_squared[node])
        )
        text += f" ({'about ' if approximate else ''}{probability_text(low)} to {probability_text(high)})"
        mix = ", ".join(
            f"{names.get(c, c)} {weight_text(w, fractional)}"
            for c, w in zip(tree.classes, tree.class_weight[node], strict=True)
        )
        text += f", n {weight_text(weight, fractional)}: {mix}"
        return text + (", few patients" if weight < FEW_PATIENTS else "")

    stack: list[tuple[int, int, str]] = [(0, 0, "")]
    while stack:
        node, depth, test = stack.pop()
        indent = "    " * depth
        if test:
            lines.append("    " * (depth - 1) + test)
        if tree.is_leaf(node):
            lines.append(indent + leaf_line(node))
            continue
        name = tree.variables[int(tree.variable[node])]
        unit = units.get(name, "")
        blend = blend_words(tree, node, noise, unit, edge_text)
        if blend:
            lines.append(f"{indent}# {name}: {blend}")
        tests, children = branch_tests(tree, node, edge_text, sentence=True), list(tree.children(node))
        for place in range(len(children) - 1, -1, -1):
            after = f" {unit}" if unit and not tests[place].startswith("is ") else ""
            share = f"  [missing: {share_text(float(tree.share[children[place]]))}]"
            stack.append((children[place], depth + 1, f"if {name} {tests[place]}{after}{share}"))
    return "\n".join([*lines, "", INTENDED_USE, ""])
