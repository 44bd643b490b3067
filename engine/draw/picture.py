"""What every picture of a tree shares: scales, bells, ribbons, class bars, and a node in words.

In: a tree, its evidence, and the reader's view. Out: pieces of SVG, labels and sentences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from engine.draw.sheet import View, box, esc, fill, fit, fit_apart, ink, letter, text_width, words
from engine.evidence import Evidence
from engine.export import ANY_OTHER, BAYES_DEPENDS, FEW_PATIENTS, branch_tests, is_fractional, leaf_names
from engine.leaves import probability_range
from engine.legible import contained
from engine.number_words import number_text, probability_text, weight_text
from engine.tree import BINS, MIDDLE, Tree


def bell_points(
    centre: float, sigma_px: float, base: float, height: float, reach: float = 3.2
) -> list[tuple[float, float]]:
    """Return points of a normal curve in pixels, from `reach` σ left to `reach` σ right of the centre."""
    steps = np.linspace(-reach, reach, 33)
    return [(centre + z * sigma_px, base - height * math.exp(-z * z / 2)) for z in steps]


def polyline(points: Sequence[tuple[float, float]], closed: bool = False) -> str:
    """Return the path data through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("Z" if closed else "")


class Scale:
    """A straight scale from data to pixels; it reckons in halves, for the whole range of the largest floats is none."""

    def __init__(self, low: float, high: float, left: float, right: float) -> None:
        self.low, self.high, self.left, self.right = low, high, left, right

    def __call__(self, value: float) -> float:
        """Return the pixel of a value, kept inside the axis."""
        part = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2) if self.high > self.low else 0.5
        return self.left + min(max(part, 0.0), 1.0) * (self.right - self.left)

    def length(self, width: float) -> float:
        """Return how many pixels a width in data takes."""
        span = self.high / 2 - self.low / 2
        return width / 2 / span * (self.right - self.left) if span > 0 else 0.0


def ribbon(x1: float, y1: float, x2: float, y2: float, width: float, style: str, attributes: str = "") -> str:
    """Return a flowing band of even width down to (x2, y2), rimmed where it is too pale to stand alone."""
    middle = (y1 + y2) / 2
    bend = f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"
    way = f"M{x1:.1f} {y1 - 1:.1f}V{y1:.1f}{bend}V{y2 + 1:.1f}"
    rim = f'<path d="{way}" stroke-width="{width + 1.6:.1f}" class="{style} rim"/>'
    band = f'<path d="{way}" stroke-width="{width:.1f}" class="{style}"{attributes}/>'
    return band if "lit" in style.split() else rim + band


def branch_labels(tree: Tree, evidence: Evidence, node: int) -> list[str]:
    """Return a label per child, true to the gate, in the short text that still parts the same patients."""
    labels = branch_tests(tree, node, evidence.edge_text)
    if tree.gate[node] in (MIDDLE, BINS):
        return [span_words(label) for label in labels]
    return labels


def span_words(test: str) -> str:
    """Return a test against two edges as a span: "> 35 and ≤ 41" as "35 – 41"; its upper edge belongs to it."""
    low, between, high = test.removeprefix("> ").partition(" and ≤ ")
    return f"{low} – {high}" if between else test


def short_label(label: str, width: float, size: float = 12) -> str:
    """Return a branch's label in the room there is: a span by its upper edge, then cut with an ellipsis."""
    if text_width(label, size) > width:
        label = f"to {label.partition(' – ')[2]}" if " – " in label else "others" if label == ANY_OTHER else label
    return fit(label, width, size)


class Picture:
    """What every node's drawing needs: the tree, its evidence, the view, and names worked out once."""

    def __init__(self, tree: Tree, evidence: Evidence, view: View, case: Any = None) -> None:
        self.tree, self.evidence, self.view = tree, evidence, view
        self.leaf_name = leaf_names(tree)
        self.by_reading = tree.has_bayes and case is None  # leaves that say nothing before there is a patient
        self.fractional = is_fractional(tree)
        told = view.leaf_answers if case is None or not tree.has_bayes else case.leaf_answers
        shown = tuple(told) if len(told) == len(tree.leaves) else None
        answers = shown or tuple(tree.classes[int(np.argmax(tree.probability[leaf]))] for leaf in tree.leaves)
        self.answers: dict[int, Any] = {int(leaf): answer for leaf, answer in zip(tree.leaves, answers, strict=True)}
        self.labels = {v: branch_labels(tree, evidence, v) for v in range(tree.n_nodes) if not tree.is_leaf(v)}

    def name(self, node: int) -> str:
        """Return the display name of the node's split variable."""
        return self.view.variable(self.tree.variables[int(self.tree.variable[node])])

    def unit(self, node: int) -> str:
        """Return the unit of the node's split variable, "" when it is not known."""
        return contained(str(self.view.units.get(self.tree.variables[int(self.tree.variable[node])], "") or ""))

    def shown_class(self, node: int) -> int:
        """Return the class whose P a leaf prints: the positive one of two, else the most probable."""
        return int(np.argmax(self.tree.probability[node])) if self.view.several else self.view.positive_index

    def best(self, node: int) -> tuple[int, float]:
        """Return the leaf's answered class, or its most probable one, and its P."""
        place_ = self.view.class_index(self.answers.get(node))
        place_ = int(np.argmax(self.tree.probability[node])) if place_ is None else place_
        return place_, float(self.tree.probability[node, place_])

    def abstains(self, node: int) -> bool:
        """Return whether a leaf gives no answer; a naive Bayes leaf is not asked before there is a patient."""
        return self.answers[node] is None and not self.by_reading

    def reason(self, node: int) -> tuple[str, str]:
        """Return a leaf's answer and, in a second line, why."""
        answer, view = self.answers[node], self.view
        if self.by_reading:
            return "Naive Bayes", "asks the other readings"
        if self.tree.has_bayes:
            text = view.answer(answer)
            return "Abstains" if answer is None else text[:1].upper() + text[1:], "naive Bayes at this reading"
        p = self.best(node)[1]
        if view.decision == "tau":
            sign = "<" if answer is None else "≥"
            why = f"{probability_text(p, view.tau)} {sign} τ {view.tau:.2f}"
        elif view.decision == "set" and isinstance(answer, (set, frozenset)):
            total = sum(float(self.tree.probability[node, k]) for k, c in enumerate(view.classes) if c in answer)
            sum_ = "sum " if len(answer) > 1 else ""
            why = f"{sum_}{probability_text(total, view.tau)} ≥ τ {view.tau:.2f}"
        elif view.decision == "cost":
            why = "costs least" if answer is None else f"P {probability_text(self.best(node)[1])}, costs least"
        else:
            why = f"P {probability_text(p)}"
        if answer is None:
            return "Abstains:", why
        text = view.answer(answer)
        return (text[:1].upper() + text[1:] if not view.several else text), why

    def fit_answer(self, text: str, width: float, size: float = 12) -> str:
        """Return a leaf's answer in bold, cut so that the classes stay apart."""
        if text.startswith(("Abstains", "Naive Bayes")):
            return fit(text, width, size, True)
        heads = [self.view.lettered(k) for k in range(len(self.view.classes))]
        heads = heads if self.view.several else [head[:1].upper() + head[1:] for head in heads]
        return fit_apart(text, heads, width, size, True)

    def path_words(self, node: int) -> str:
        """Return the way from the root to the node in words."""
        route, steps = self.tree.path(node), []
        for above, below in pairwise(route):
            label = self.labels[above][list(self.tree.children(above)).index(below)]
            steps.append(f"{self.name(above)} {label}")
        return ", then ".join(steps) or "all patients"

    def button(
        self, node: int, sentence: str, title: str, body: Sequence[str], style: str = "", opened: bool | None = None
    ) -> str:
        """Return a node as a focusable button with its sentence and its unrounded numbers.

        `opened` says of a subtree that can be folded whether it is open.
        """
        kin = f' data-parent="{self.tree.parent[node]}" data-path="{" ".join(map(str, self.tree.path(node)))}"'
        if opened is not None and self.view.foldable:
            kin += f' aria-expanded="{str(opened).lower()}" aria-keyshortcuts="Space"'
        pressed = "true" if self.view.selected == node else "false"
        return (
            f'<g role="button" tabindex="0" class="node{" " + style if style else ""}" data-node="{node}"{kin} '
            f'aria-pressed="{pressed}" aria-label="{esc(sentence)}"><title>{esc(title)}</title>{"".join(body)}</g>'
        )

    def frame_style(self, node: int, unanswered: bool = False) -> str:
        """Return the CSS classes of a node's frame."""
        return "frame" + (" unanswered" if unanswered else "") + (" picked" if self.view.selected == node else "")


def class_bar(weights: Sequence[float], x: float, y: float, width: float, height: float, letters: bool) -> list[str]:
    """Return the class mix as one bar in class order, with letters where they fit."""
    whole = float(sum(weights))
    if whole <= 0:
        return [box(x, y, width, height, paint="var(--hair)")]
    drawn, start, present = [], x, sum(w > 0 for w in weights)
    gap = 1.0 if present * 3 < width else 0.0
    for place_, weight in enumerate(weights):
        if weight <= 0:
            continue
        wide = width * float(weight) / whole
        drawn.append(box(start, y, max(wide - gap, 0.8), height, paint=fill(place_)))
        if letters and wide >= 13 and height >= 12:
            drawn.append(words(start + wide / 2 - 0.5, y + height / 2 + 4.2, letter(place_), "m b mark"))
        start += wide
    return drawn


def leaf_range(tree: Tree, node: int, k: int) -> tuple[float, float, bool]:
    """Return the 95 % Clopper–Pearson range of class `k` in a leaf, and whether it is approximate."""
    return probability_range(
        float(tree.class_weight[node, k]), float(tree.weight[node]), float(tree.weight_squared[node])
    )


def leaf_sentence(picture: Picture, node: int) -> tuple[str, str]:
    """Return a leaf in one sentence, and its unrounded numbers."""
    tree, view = picture.tree, picture.view
    place_, p = picture.best(node)
    answer, weight = picture.answers[node], float(tree.weight[node])
    name = picture.leaf_name[node].capitalize()
    if tree.has_bayes:
        return bayes_sentence(picture, node)
    says = "abstains" if answer is None else f"answers {view.answer(answer)}"
    sentence = f"{name} {says}: P of {view.lettered(place_)} {probability_text(p)}"
    if view.decision == "tau":
        sentence += f" {'below' if answer is None else 'reaches'} τ {view.tau:.2f}"
    if weight <= 0:
        sentence += ", no training patients."
    else:
        sentence += f", {weight_text(weight, picture.fractional)} patients"
        sentence += ", few patients." if weight < FEW_PATIENTS else "."
    title = [picture.path_words(node)]
    for k in range(len(view.classes)):
        title.append(
            f"{view.lettered(k)}: weight {tree.class_weight[node, k]:.6g}, "
            f"P {number_text(float(np.clip(tree.probability[node, k], 1e-6, 1 - 1e-6)), 6)}"
        )
    if weight > 0:
        k = picture.shown_class(node)
        low, high, about = leaf_range(tree, node, k)
        title.append(
            f"95 % range of P({view.lettered(k)}): {probability_text(low)} to {probability_text(high)}"
            + (", approximate: patients are shared" if about else "")
        )
    return sentence, "\n".join(title)


def bayes_sentence(picture: Picture, node: int) -> tuple[str, str]:
    """Return a naive Bayes leaf in one sentence, and its class prior unrounded."""
    tree, view, weight = picture.tree, picture.view, float(picture.tree.weight[node])
    says = f"{view.answer(picture.answers[node])}, by its naive Bayes at this reading"
    lead = "naive Bayes" if picture.by_reading else says
    n = "no training patients" if weight <= 0 else f"{weight_text(weight, picture.fractional)} patients"
    few = ", few patients" if 0 < weight < FEW_PATIENTS else ""
    prior = [f"{view.lettered(k)} {probability_text(float(p))}" for k, p in enumerate(tree.probability[node])]
    mix = [f"{view.lettered(k)}: weight {w:.6g}" for k, w in enumerate(tree.class_weight[node])]
    sentence = f"{picture.leaf_name[node].capitalize()}: {lead}, {n}{few}. Class prior {', '.join(prior)}; "
    sentence += "the answer for a patient depends on the other readings."
    return sentence, "\n".join([picture.path_words(node), *mix, BAYES_DEPENDS])


def leaf_style(picture: Picture, node: int) -> str:
    """Return the CSS classes of a leaf's answer."""
    place_ = None if picture.by_reading else picture.view.class_index(picture.answers[node])
    return f"b {ink(place_)}".strip()
