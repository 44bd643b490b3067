"""What is laid over the training tree: one patient's way with its shares, or other patients beside the training ones.

In: the case or the other patients, and where the training tree's boxes stand. Out: pieces of SVG and sentences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.draw.layout import Rectangle
from engine.draw.picture import Picture, Scale, class_bar, ribbon
from engine.draw.sheet import box, dot, fit, line, text_width, words
from engine.export import FEW_PATIENTS
from engine.number_words import probability_text, share_text, weight_text
from engine.other_patients import Compared, OtherPatients
from engine.tree import BINS, NOMINAL

OFF_PATH = 0.005
PATIENT_RIBBON = 14.0
CASE_ROW, COUNT_ROW, LEAF_ROWS, FEW_ROWS = 19.0, 17.0, 66.0, 34.0
NARROW = 120.0  # a card in which the three counts of a split do not fit


@dataclass(frozen=True, eq=False)
class Overlay:
    """One patient's case, or other patients; None of either lays nothing over the tree."""

    case: Any = None
    others: OtherPatients | None = None

    @property
    def on_splits(self) -> float:
        """How much taller split cards become."""
        return COUNT_ROW if self.others is not None else 0.0

    def on_leaves(self, full: bool) -> float:
        """How much taller leaves become; `full` ones have room for a comparison."""
        if self.others is not None:
            return LEAF_ROWS if full and not self.others.tree.has_bayes else FEW_ROWS
        return CASE_ROW if self.case is not None else 0.0

    @property
    def on_stubs(self) -> float:
        """How much taller folded subtrees become."""
        return COUNT_ROW if self.case is not None or self.others is not None else 0.0


def case_ribbon(over: Overlay, child: int, x1: float, y1: float, x2: float, y2: float) -> str:
    """Return the patient's band on a branch: solid on the reading's path, grey by share beside it, else nothing."""
    if over.case is None:
        return ""
    share, lit = float(over.case.reach[child]), over.case.reach_hard[child] > 0
    if share < OFF_PATH and not lit:
        return ""
    width = max(PATIENT_RIBBON * share, 3.0 if lit else 1.0)
    attributes = f' data-branch="{child}" data-share="{share:.6g}"'
    return ribbon(x1, y1, x2, y2, width, "ribbon lit" if lit else "ribbon may", attributes)


def branch_share(over: Overlay, node: int, place: int, child: int) -> tuple[str, str]:
    """Return the patient's share of a branch, of those who come this far, and its style; "" without a patient."""
    if over.case is None:
        return "", ""
    lit = over.case.reach_hard[child] > 0
    dim = over.case.reach[node] < OFF_PATH
    return share_text(float(over.case.gates[node][place])), "b" if lit else "i3" if dim else "i2"


def reading_mark(picture: Picture, over: Overlay, node: int, scale: Scale, base: float) -> list[str]:
    """Return a dot where the patient's reading lies on a split's axis; none for a missing one or a category."""
    if over.case is None:
        return []
    value = over.case.values.get(picture.tree.variables[int(picture.tree.variable[node])])
    if not isinstance(value, float) or not math.isfinite(value):
        return []
    return [dot(scale(value), base, 4.5, "var(--lit)", "var(--page)", 1.5)]


def category_mark(picture: Picture, over: Overlay, node: int, centres: list[float], base: float) -> list[str]:
    """Return a dot under the category that the patient has; none for a missing one."""
    if over.case is None:
        return []
    variable = int(picture.tree.variable[node])
    value, known = over.case.values.get(picture.tree.variables[variable]), picture.tree.categories[variable] or ()
    return [dot(centres[known.index(value)], base, 4.5, "var(--lit)", "var(--page)", 1.5)] if value in known else []


def split_row(picture: Picture, over: Overlay, at: Rectangle, left: float, right: float) -> list[str]:
    """Return the row of other patients at the foot of a split card: left of the range, in it, right of it."""
    if over.others is None:
        return []
    node, y = at.node, at.bottom - 8
    drawn = [line(left, at.bottom - COUNT_ROW - 3, right, at.bottom - COUNT_ROW - 3, "hair")]
    n = int(over.others.count[node])
    if picture.tree.gate[node] in (NOMINAL, BINS) or right - left < NARROW:
        return [*drawn, words(left, y, fit(f"test n {n}", right - left), "tst")]
    a, inside, b, missing = over.others.split_counts(node)
    first, last = f"test ← {a}", f"{b} →"
    drawn += [words(left, y, first, "tst"), words(right, y, last, "e tst")]
    free = right - left - text_width(first) - text_width(last) - 8
    zone = f"{inside} in range" if picture.evidence.band(node).kind else ""
    lost = f"{missing} missing" if missing else ""
    both = ", ".join(filter(None, (zone, lost)))
    short = f"{inside}" if zone else ""
    middle = next((text for text in (both, zone, short) if text and text_width(text) <= free), "")
    centre = left + text_width(first) + 4 + free / 2
    return [*drawn, words(centre, y, middle, "m tst")] if middle else drawn


def stub_row(picture: Picture, over: Overlay, at: Rectangle, left: float, right: float) -> list[str]:
    """Return what lies over a folded subtree: the patient's share, or how many other patients."""
    text = node_words(over, at.node)
    return [words(left, at.bottom - 12, fit(text, right - left, 12, True), "b tst")] if text else []


def node_words(over: Overlay, node: int) -> str:
    """Return what lies over a node in two words: "test n 12", or "patient 31 %"."""
    if over.others is not None:
        return f"test n {weight_text(float(over.others.weight[node]), over.others.fractional)}"
    if over.case is not None:
        return f"patient {share_text(float(over.case.reach[node]))}"
    return ""


def verdict(found: Compared) -> str:
    """Return whether the share of other patients lies in the training range, in few words."""
    few = found.labelled < FEW_PATIENTS
    if found.outside:
        return "outside, few" if few else "outside range"
    return "in range, few" if few else "in range"


def leaf_rows(picture: Picture, over: Overlay, at: Rectangle, left: float, right: float, full: bool) -> list[str]:
    """Return what lies over a leaf: the patient's share, or the thin bar of other patients and how its answer does."""
    node = at.node
    if over.case is not None:
        y, lit = at.bottom - 7, over.case.reach_hard[node] > 0
        share = share_text(float(over.case.reach[node]))
        drawn = [line(left, y - 15, right, y - 15, "hair")]
        if text_width("patient") + text_width(share, 12, True) + 4 <= right - left:
            drawn.append(words(left, y, "patient", "i2"))
        return [*drawn, words(right, y, share, "b e" if lit else "e")]
    if over.others is None:
        return []
    top = at.bottom - over.on_leaves(full)
    mix = [float(w) for w in over.others.class_weight[node]]
    drawn = [line(left, top, right, top, "hair"), *class_bar(mix, left, top + 6, right - left, 6, False)]
    n = weight_text(float(over.others.weight[node]), over.others.fractional)
    drawn.append(words(left, top + 27, fit(f"test n {n}" if full else f"test {n}", right - left + 3), "tst"))
    found = over.others.compare(node, picture.answers[node])
    if not full or found is None:
        return drawn
    if not found.labelled > 0:
        return [*drawn, words(left, top + 43, fit("no class known", right - left), "i2")]
    share = probability_text(found.share)
    if len(found.classes) == len(picture.tree.classes):
        return [*drawn, words(left, top + 43, fit("names every class", right - left), "i2")]
    said = "right" if picture.answers[node] is not None else picture.view.lettered(found.classes[0])
    drawn.append(words(left, top + 43, fit(said, right - left - text_width(share) - 4), "i2"))
    drawn.append(words(right, top + 43, share, "e"))
    if over.others.judged:
        told = fit(verdict(found), right - left + 3, 12, found.outside)
        drawn.append(words(left, top + 59, told, "b" if found.outside else "i3"))
    return drawn


def over_sentence(picture: Picture, over: Overlay, node: int) -> str:
    """Return what lies over a node as one sentence for those who hear it; "" for nothing."""
    if over.case is not None:
        share = share_text(float(over.case.reach[node]))
        return f" Share of the patient here: {share}{', on the path' if over.case.reach_hard[node] > 0 else ''}."
    if over.others is None:
        return ""
    told, tree = over.others, picture.tree
    lead = f" Test patients here: {weight_text(float(told.weight[node]), told.fractional)}"
    if not tree.is_leaf(node):
        if tree.gate[node] in (NOMINAL, BINS):
            below = zip(picture.labels[node], tree.children(node), strict=True)
            parts = [f"{label} {weight_text(float(told.weight[child]), told.fractional)}" for label, child in below]
            return f"{lead}; {', '.join(parts)}."
        a, inside, b, missing = told.split_counts(node)
        middle = f", {inside} in the range" if picture.evidence.band(node).kind else ""
        return f"{lead}, {a} left{middle}, {b} right{f', {missing} missing' if missing else ''}."
    found = told.compare(node, picture.answers[node])
    return f"{lead}. {compared_words(picture, told, node, found)}".rstrip()


def compared_words(picture: Picture, told: OtherPatients, node: int, found: Compared | None) -> str:
    """Return a leaf's share for other patients beside its training share as a sentence; "" where there is none."""
    if found is None:
        return ""
    if not found.labelled > 0:
        return "No test patient here has a known class."
    names = " or ".join(picture.view.lettered(k) for k in found.classes)
    whose = weight_text(found.labelled, told.fractional)
    sentence = f"Of {whose} with a known class the share of {names} is {probability_text(found.share)}"
    if not told.judged or not np.isfinite(found.training):
        return f"{sentence}."
    span = f"{probability_text(found.low)} to {probability_text(found.high)}"
    where = "outside" if found.outside else "inside"
    few = "; few patients" if found.labelled < FEW_PATIENTS else ""
    return f"{sentence}; training {probability_text(found.training)}: {where} its 95 % range {span}{few}."


def overlay_legend(over: Overlay, bar_letters: bool = False) -> list[tuple[str, float]]:
    """Return the legend of what lies over the tree, as pieces with their widths."""
    if over.case is not None:
        said = "the patient: path dark, % of each branch"
        return [(box(0, 12, 26, 8, style="lit") + words(34, 20, said, "i2"), 34 + text_width(said))]
    if over.others is not None:
        said = "thin bar: test patients with a known class"
        bars = class_bar([2.0, 1.0], 0, 8, 26, 6, bar_letters) + class_bar([1.0, 1.0], 0, 17, 26, 3, bar_letters)
        return [("".join(bars) + words(34, 20, said, "i2"), 34 + text_width(said))]
    return []
