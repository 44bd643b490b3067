"""A finished tree in words: indented rules a person can read.

In: a tree, its leaves' answers, the noise, and what its training patients say. Out: plain text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.leaves import probability_range
from engine.legible import contained, visible
from engine.noise import TWO_SIDED_95, SigmaAt
from engine.number_words import exact_text, number_text, probability_text, share_text, shortest, weight_text
from engine.tree import BINARY, BINS, MIDDLE, NOMINAL, REST, Tree

Floats = NDArray[np.float64]
FEW_PATIENTS = 10
EDGE_SLACK = 1e-12  # what rounding may take off a zone's edge, METHODS §7
INTENDED_USE = (
    "Intended use: teaching and research. It informs a clinician's judgement and does not replace it; "
    "not a certified medical device."
)

OTHER_VALUES = "other values"
ANY_OTHER = "any other value"
NO_ZONE = "no zone"
BAYES_DEPENDS = "class prior; the answer for a patient depends on the other readings"
OWN_PROBABILITIES = "Probabilities are the leaf's own, with their 95 % range (Clopper–Pearson)."
BAYES_RULES = (
    "These leaves are naive Bayes: P beside a leaf is only its class prior. The answer for a patient is worked out "
    "from the other readings too, so these rules alone do not give it; the JSON file does."
)

EdgeText = Callable[[int, float], str]  # (node, a threshold or zone edge of it) -> text


def is_fractional(tree: Tree) -> bool:
    """Return whether some leaf, or some class in a leaf, holds parts of patients."""
    weights = tree.class_weight[tree.leaves]
    return bool(np.any(np.abs(weights - np.round(weights)) > 1e-6))


def answer_text(answer: Any, class_names: Mapping[Any, str] | None = None) -> str:
    """Return an answer in words: the class's name, "abstains", or "a or b" for a set."""
    if answer is None:
        return "abstains"
    if isinstance(answer, (set, frozenset)):
        return " or ".join(class_word(c, class_names) for c in sorted(answer, key=str)) or "no class"
    return class_word(answer, class_names)


def class_word(name: Any, class_names: Mapping[Any, str] | None = None) -> str:
    """Return a class's display name."""
    return contained(str((class_names or {}).get(name, name)))


def exact_edge(node: int, edge: float) -> str:
    """Return a threshold or zone edge to its last digit: true to the tree where no training patients are at hand."""
    return exact_text(edge)


def short_edges(tree: Tree, values: Floats) -> EdgeText:
    """Return how to write thresholds and zone edges in the fewest digits that part the training patients alike.

    Parameters
    ----------
    values : (n, M) encoded training values. Without them no shorter text is safe: a patient may lie on the next digit.
    """

    def text(node: int, edge: float) -> str:
        theta, column = float(tree.threshold[node]), values[:, int(tree.variable[node])]
        cuts = edge == theta and tree.gate[node] == BINARY
        closed = bool(tree.closed_le[node]) if cuts else True
        ends = [abs(part) for part in (theta, float(tree.high[node] - tree.low[node]) / 2) if math.isfinite(part)]
        at = edge if cuts else edge + EDGE_SLACK * sum(ends)

        def left(x: float) -> NDArray[np.bool_]:
            return np.asarray(column <= x if closed else column < x)

        wanted = left(at)
        return shortest(edge, 0, lambda x: bool(np.array_equal(left(x), wanted)))

    return text


def leaf_names(tree: Tree) -> dict[int, str]:
    """Return what every leaf is called: "leaf 3" in tree order, "other values" for one of values without a child."""
    grown = [int(leaf) for leaf in tree.leaves if tree.code[leaf] != REST]
    return dict.fromkeys(map(int, tree.leaves), OTHER_VALUES) | {
        leaf: f"leaf {place + 1}" for place, leaf in enumerate(grown)
    }


def bin_test(tree: Tree, child: int, edge_text: EdgeText = exact_edge) -> str:
    """Return the bin that a child of a split into bins stands for: "≤ 20", "> 20 and ≤ 40", "> 40"."""
    low, high = tree.bin_range(child)
    node = int(tree.parent[child])
    above = [f"> {edge_text(node, low)}"] if math.isfinite(low) else []
    upto = [f"≤ {edge_text(node, high)}"] if math.isfinite(high) else []
    return " and ".join(above + upto) or "any value"


def branch_tests(tree: Tree, node: int, edge_text: EdgeText = exact_edge, sentence: bool = False) -> list[str]:
    """Return what sends a patient to each child, true to the gate: "≤ 140.8", "> 140.8", or a category's name.

    A threshold placed on an observed value reads "< 3" and "≥ 3"; a middle branch or a bin "> 125.1 and ≤ 156.5"; the
    leaf of all values that have no child of their own "any other value".

    Parameters
    ----------
    sentence : write "is" before a category, so that the test can follow the variable's name.
    edge_text : how a threshold is written; `Evidence.edge_text` is short and still parts the training patients.
    """
    theta, low, high = (float(edge[node]) for edge in (tree.threshold, tree.low, tree.high))
    if tree.gate[node] in (NOMINAL, BINS):
        named, lead = tree.categories[tree.variable[node]] is not None, "is " if sentence else ""
        return [
            lead + ANY_OTHER
            if tree.code[child] == REST
            else lead + contained(label) if named else bin_test(tree, child, edge_text)
            for child, label in zip(tree.children(node), tree.branch(node), strict=True)
        ]
    if tree.gate[node] == MIDDLE:
        a, b = (edge_text(node, edge if math.isfinite(edge) else theta) for edge in (low, high))
        between = f"> {a} and ≤ {b}" if high > low else "is in a zone without width: nobody" if sentence else NO_ZONE
        return [f"≤ {a}", between, f"> {b}"]
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
    edge_text: EdgeText | None = None,
    values: Floats | None = None,
) -> str:
    """Return the tree as indented rules, with blend ranges, abstentions, and every leaf's probabilities and n.

    Parameters
    ----------
    leaf_answers : one per leaf in tree order (class, None or frozenset); None takes each leaf's most probable class.
    decision, tau : the decision rule, told in the heading; `tau` also beside every leaf.
    noise : the evaluation noise, for measurement error at thresholds of trees without a zone.
    note : a line put under the heading.
    values : (n, M) encoded training values: thresholds are then written in the fewest digits that keep every training
        patient on their side. Without them they are written to the last digit, since no shorter text could be checked.
    edge_text : how thresholds are written in place of that, such as `Evidence.edge_text`.
    """
    if edge_text is None:
        edge_text = exact_edge if values is None else short_edges(tree, values)
    units, names = units or {}, class_names or {}
    fractional = is_fractional(tree)
    if leaf_answers is None:
        leaf_answers = [tree.classes[int(np.argmax(tree.probability[leaf]))] for leaf in tree.leaves]
    called = leaf_names(tree)
    number_of = {int(leaf): place for place, leaf in enumerate(tree.leaves)}
    decided_by = "each patient by the naive Bayes of the leaf reached; " if tree.has_bayes else ""
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
    rule = f"rule {decision}"
    if decision == "tau" and tau is not None:
        rule = f"an answer needs P {tau:g}" if tree.has_bayes else f"a leaf answers when its P reaches {tau:g}"
    lines = [
        f"Decision tree: {leaves}, depth {tree.max_depth}, {weight_text(tree.weight[0], False)} training patients",
        f"Classes: {', '.join(class_word(c, names) for c in tree.classes)}. Decision: {decided_by}{rule}.",
    ]
    lines += [note] if note else []
    lines += [
        BAYES_RULES if tree.has_bayes else OWN_PROBABILITIES,
        "A missing value is shared among the branches as given in brackets.",
        "",
    ]

    def mix_of(node: int) -> str:
        return ", ".join(
            f"{class_word(c, names)} {weight_text(w, fractional)}"
            for c, w in zip(tree.classes, tree.class_weight[node], strict=True)
        )

    def bayes_line(node: int) -> str:
        weight = float(tree.weight[node])
        prior = ", ".join(
            f"{class_word(c, names)} {probability_text(float(p))}"
            for c, p in zip(tree.classes, tree.probability[node], strict=True)
        )
        n = f"n {weight_text(weight, fractional)}: {mix_of(node)}" if weight > 0 else "no training patients"
        return f"{called[node]}: ask its naive Bayes; class prior {prior}; {n}"

    def leaf_line(node: int) -> str:
        if tree.has_bayes:
            return bayes_line(node)
        answer = leaf_answers[number_of[node]]
        best = int(np.argmax(tree.probability[node]))
        if answer is not None and not isinstance(answer, (set, frozenset)) and answer in tree.classes:
            best = tree.classes.index(answer)
        p, weight = float(tree.probability[node, best]), float(tree.weight[node])
        word = "abstain" if answer is None else f"answer {answer_text(answer, names)}"
        if answer is None and decision == "tau" and tau is not None:
            word += f" (P {probability_text(p, tau)} < τ {tau:g})"
        name = class_word(tree.classes[best], names)
        text = f"{word}: {called[node]}, P({name}) {probability_text(p)}"
        if weight <= 0:
            return text + ", no training patients: the parent's probabilities"
        low, high, approximate = probability_range(
            float(tree.class_weight[node, best]), weight, float(tree.weight_squared[node])
        )
        text += f" ({'about ' if approximate else ''}{probability_text(low)} to {probability_text(high)})"
        text += f", n {weight_text(weight, fractional)}: {mix_of(node)}"
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
        variable = tree.variables[int(tree.variable[node])]
        name, unit = contained(variable), contained(units.get(variable, ""))
        blend = blend_words(tree, node, noise, unit, edge_text)
        if blend:
            lines.append(f"{indent}# {name}: {blend}")
        tests, children = branch_tests(tree, node, edge_text, sentence=True), list(tree.children(node))
        for place in range(len(children) - 1, -1, -1):
            after = f" {unit}" if unit and not tests[place].startswith("is ") else ""
            share = f"  [missing: {share_text(float(tree.share[children[place]]))}]"
            stack.append((children[place], depth + 1, f"if {name} {tests[place]}{after}{share}"))
    return "\n".join([*map(visible, lines), "", INTENDED_USE, ""])
