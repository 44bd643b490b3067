"""A finished tree in words: indented rules a person can read, and how probabilities and numbers are worded.

In: a tree, its leaves' answers and the noise. Out: plain text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from engine.leaves import probability_range
from engine.tree import BINS, MIDDLE, NOMINAL, Tree

FEW_PATIENTS = 10
INTENDED_USE = (
    "Intended use: teaching and research. It informs a clinician's judgement and does not replace it; "
    "not a certified medical device."
)


class SigmaAt(Protocol):
    """Anything that knows the measurement error of a variable at a value, as `ResolvedNoise` does."""

    def at(self, j: int, x: Any) -> Any:
        """Return σ of variable `j` at `x`, in the variable's unit."""


def number_text(value: float, digits: int = 6) -> str:
    """Return a number without needless zeros, never in powers of ten below a billion, with a true minus sign."""
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "unknown"
    if value == 0:
        return "0"
    if not 1e-6 <= abs(value) < 1e9:
        return f"{value:.{digits - 1}g}".replace("-", "−")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def probability_text(p: float, against: float | None = None) -> str:
    """Return a probability on 0 to 1, never printed as 0 or 1.

    Parameters
    ----------
    against : a threshold it is compared with; decimals are added until the two read differently, unless they are equal.
    """
    if not math.isfinite(p):
        return "unknown"
    if p > 0.9995:
        return "> 0.999"
    if p < 0.0005:
        return "< 0.001"
    decimals = 3 if p >= 0.995 or p < 0.005 else 2
    while against is not None and decimals < 6 and abs(p - against) > 1e-9 and _same(p, against, decimals):
        decimals += 1
    return f"{p:.{decimals}f}"


def _same(a: float, b: float, decimals: int) -> bool:
    return f"{a:.{decimals}f}" == f"{b:.{decimals}f}"


def percent_text(p: float) -> str:
    """Return a probability in percent, never 0 % or 100 %."""
    if not math.isfinite(p):
        return "unknown"
    return "> 99 %" if p > 0.995 else "< 1 %" if p < 0.005 else f"{100 * p:.0f} %"


def share_text(p: float) -> str:
    """Return a share in percent; exactly nothing and exactly everything are words."""
    return "none" if p <= 1e-9 else "all" if p >= 1 - 1e-9 else percent_text(p)


def weight_text(weight: float, fractional: bool) -> str:
    """Return a number of patients: one decimal when patients are shared among leaves."""
    return f"{weight:.1f}" if fractional else f"{weight:.0f}"


def is_fractional(tree: Tree) -> bool:
    """Return whether some leaf holds parts of patients."""
    weights = tree.weight[tree.leaves]
    return bool(np.any(np.abs(weights - np.round(weights)) > 1e-6))


def answer_text(answer: Any, class_names: Mapping[Any, str] | None = None) -> str:
    """Return an answer in words: the class's name, "abstains", or "a or b" for a set."""
    names = class_names or {}
    if answer is None:
        return "abstains"
    if isinstance(answer, (set, frozenset)):
        return " or ".join(str(names.get(c, c)) for c in sorted(answer, key=str)) or "no class"
    return str(names.get(answer, answer))


def branch_tests(tree: Tree, node: int) -> list[str]:
    """Return what sends a patient to each child, true to the gate: "≤ 140.8", "> 140.8", or a category's name.

    A threshold placed on an observed value reads "< 3" and "≥ 3"; a middle branch reads "> 125.1 and ≤ 156.5".
    """
    theta, low, high = (float(edge[node]) for edge in (tree.threshold, tree.low, tree.high))
    if tree.gate[node] == NOMINAL:
        return tree.branch(node)
    if tree.gate[node] == BINS:
        try:
            return tree.branch(node)
        except KeyError:
            return [f"bin {place + 1}" for place in range(len(tree.children(node)))]
    if tree.gate[node] == MIDDLE:
        a, b = (
            number_text(low if math.isfinite(low) else theta),
            number_text(high if math.isfinite(high) else theta),
        )
        return [f"≤ {a}", f"> {a} and ≤ {b}", f"> {b}"]
    text = number_text(theta)
    return [f"≤ {text}", f"> {text}"] if tree.closed_le[node] else [f"< {text}", f"≥ {text}"]


def blend_words(tree: Tree, node: int, noise: SigmaAt | None, unit: str = "") -> str:
    """Return the split's blend range in words: its zone, else θ ± 1.96 σ as measurement error, else ""."""
    low, high, theta = float(tree.low[node]), float(tree.high[node]), float(tree.threshold[node])
    after = f" {unit}" if unit else ""
    if math.isfinite(low) and math.isfinite(high) and high > low:
        return f"zone above {number_text(low)} up to {number_text(high)}{after}"
    if noise is None or not math.isfinite(theta):
        return ""
    sigma = float(np.asarray(noise.at(int(tree.variable[node]), theta)))
    if sigma <= 0:
        return ""
    edges = f"{number_text(theta - 1.96 * sigma, 4)} to {number_text(theta + 1.96 * sigma, 4)}{after}"
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
) -> str:
    """Return the tree as indented rules, with blend ranges, abstentions, and every leaf's probabilities and n.

    Parameters
    ----------
    leaf_answers : one per leaf in tree order (class, None or frozenset); None takes each leaf's most probable class.
    decision, tau : the decision rule, told in the heading; `tau` also beside every leaf.
    noise : the evaluation noise, for measurement error at thresholds of trees without a zone.
    note : a line put under the heading.
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
        blend = blend_words(tree, node, noise, unit)
        if blend:
            lines.append(f"{indent}# {name}: {blend}")
        tests, children = branch_tests(tree, node), list(tree.children(node))
        for place in range(len(children) - 1, -1, -1):
            after = f" {unit}" if unit and tree.gate[node] not in (NOMINAL, BINS) else ""
            how = "is " if tree.gate[node] in (NOMINAL, BINS) else ""
            share = f"  [missing: {share_text(float(tree.share[children[place]]))}]"
            stack.append((children[place], depth + 1, f"if {name} {how}{tests[place]}{after}{share}"))
    return "\n".join([*lines, "", INTENDED_USE, ""])
