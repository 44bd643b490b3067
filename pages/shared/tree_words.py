"""Sentences about a tree and its nodes.

In: a finished tree, what its training patients say, the view. Out: text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.draw import View
from engine.draw.curves import best_thresholds
from engine.evidence import Evidence
from engine.export import FEW_PATIENTS, is_fractional, leaf_names
from engine.held_out import FOLDS, HeldOut
from engine.number_words import probability_text
from engine.search import Candidate
from engine.tree import BINS, MIDDLE, NOMINAL, REST, Tree
from engine.why import Reasons
from pages.shared.recipe_words import variant
from pages.shared.words import FEW, LEAF_AND_SHARES, count, listing, number, opening, part, plural

DOWNLOADS = {
    "SVG": "The picture, for documents.",
    "DOT": "For Graphviz.",
    "JSON": "The fitted tree; the engine opens it again.",
    "Nodes": "Every node as plain nested values.",
    "Rules": "The tree in words.",
    "Python": "A program that answers as this page does, without Penumbra.",
    "JavaScript": "The same as a module for a browser.",
    "PMML": "For other statistics programs; only trees without blending.",
}


BAYES_LEAF = (
    "It answers by a naive Bayes over the variables not asked on the way here. Below is only its class prior; the "
    "answer for a patient depends on the other readings, so the Patient page alone can say it."
)
BAYES_BELOW = "Each leaf shows only its class prior; the answer for a patient depends on the other readings."
BRANCH_SHARES = "The share that measurement error alone gives to this node; the Patient page shows the same figures."
SEARCH_NAMES = ("Soft search", "Resampled search")
CRITERION_LABELS = {
    "information_gain": "Gain in bits", "gini": "Gain in gini impurity", "gain_ratio": "Gain in bits",
    "nb_accuracy": "Accuracy of naive Bayes gained",
}


def tree_heading(tree: Tree, answers: Iterable[Any]) -> str:
    """Return the Tree page's finding: how many grown leaves answer and how many abstain."""
    answers = [each for leaf, each in zip(tree.leaves, answers, strict=True) if tree.code[leaf] != REST]
    if tree.has_bayes:
        if len(answers) == 1:
            return "One naive Bayes over all variables: no split was kept"
        return f"{opening(count(len(answers)))} leaves, each a naive Bayes over the other variables"
    silent = sum(answer is None for answer in answers)
    n = len(answers)
    leaves = f"{opening(count(n))} {'leaf' if n == 1 else 'leaves'}"
    if n == 1:
        return "One leaf: no split was worth taking" + (", and it abstains" if silent else "")
    if silent == 0:
        several = sum(isinstance(answer, frozenset) and len(answer) > 1 for answer in answers)
        return f"{leaves}: {'all answer' if not several else count(several) + ' name more than one class'}"
    if silent == n:
        return f"{leaves}: all abstain"
    said = f"{count(n - silent)} {'answers' if n - silent == 1 else 'answer'}"
    return f"{leaves}: {said}, {count(silent)} {'abstains' if silent == 1 else 'abstain'}"


def tree_under(tree: Tree, data_words: str) -> str:
    rest = " (values without a branch apart)" if (tree.code[tree.leaves] == REST).any() else ""
    return f"Depth {tree.max_depth}, {plural(tree.n_leaves, 'leaf', 'leaves')}{rest}, grown on {data_words}"


GAIN_CURVE = "Curve of the gain against the threshold; the sentence below it names the best of each search."
LEAVE_OUT = f"Try it on patients left out ({FOLDS} folds)"
LEAVING_OUT = f"Growing {FOLDS} trees, each without a fifth of the patients…"
LEFT_OUT = (
    "Each fifth of the patients is answered by a tree grown on the other four fifths with the same variant, σ, size "
    "and decision. These figures judge the way of growing, not this very tree; they flatter it when the settings "
    "were picked because the figures were good. Patients without one known class are not counted."
)


def left_out(found: HeldOut) -> str:
    """Return how trees grown the same way did on patients they had not seen."""
    who = f"of the {plural(found.n, 'patient')} left out"
    lead = f"In {FOLDS}-fold cross-validation, trees grown this way"
    if found.n == 0 or found.answered == 0:
        return f"{lead} answered none {who}."
    if found.answered == found.n:
        return f"{lead} answered all {found.n:,} patients left out and were right for {part(found.right, found.n)}."
    share = f"{part(found.answered, found.n)} {who}"
    return f"{lead} answered {share} and were right for {part(found.right, found.answered)} of those."


def tree_summary(tree: Tree, name: str, changed: int) -> str:
    moved = f", {plural(changed, 'setting')} changed" if changed else ""
    return f"Tree: {variant(name)}{moved}, depth {tree.max_depth}, {plural(tree.n_leaves, 'leaf', 'leaves')}."


def answered(decided: int, n: int) -> str:
    """Return how many training patients get an answer."""
    if decided == n:
        return f"Answers all {n:,} training patients."
    return f"Answers {decided:,} of {n:,} training patients ({part(decided, n)})."


def selected(tree: Tree, told: Evidence, node: int) -> str:
    n = int(told.count[node])
    if node == 0:
        return f"Selected: the root, all {plural(n, 'patient')}"
    if tree.is_leaf(node):
        return f"Selected: {leaf_names(tree)[node]}, {plural(n, 'patient')}"
    return f"Selected: a split at depth {int(tree.depth[node])}, {plural(n, 'patient')}"


def node_heading(tree: Tree, told: Evidence, node: int, view: View) -> str:
    """Return what a node does: "Glucose, cut at 140.8 mg/dL", or what a leaf answers."""
    if tree.is_leaf(node):
        if tree.has_bayes:
            return "Naive Bayes"
        said = view.leaf_answers[list(tree.leaves).index(node)]
        return "Abstains" if said is None else f"Answers {view.answer(said)}"
    name = tree.variables[int(tree.variable[node])]
    if tree.gate[node] in (NOMINAL, BINS):
        return f"{view.variable(name)}, one branch a {'category' if tree.gate[node] == NOMINAL else 'bin'}"
    return f"{view.variable(name)}, cut at {told.threshold_text(node)}\u00a0{view.units.get(name, '')}".rstrip()


def leaf_sentence(tree: Tree, node: int, view: View) -> str:
    """Return why a leaf answers or abstains, or that a naive Bayes leaf waits for the patient's other readings."""
    if tree.has_bayes:
        return BAYES_LEAF
    said = view.leaf_answers[list(tree.leaves).index(node)]
    best = int(np.argmax(tree.probability[node]))
    p, name = float(tree.probability[node, best]), view.class_name(tree.classes[best])
    few = f" Only {number(float(tree.weight[node]), 3)} patients: {FEW}." if tree.weight[node] < FEW_PATIENTS else ""
    if view.decision == "tau":
        sign = "<" if said is None else "≥"
        return f"The most frequent class, {name}, has P {probability_text(p, view.tau)} {sign} τ {view.tau:.2f}.{few}"
    return f"The most frequent class is {name}, with P {probability_text(p)}.{few}"


def rule_for_copy(path: str, tree: Tree, node: int, view: View) -> str:
    """Return the rule to a node with what it leads to, as one line that stands alone."""
    if not tree.is_leaf(node):
        return f"If {path}: asks {view.variable(tree.variables[int(tree.variable[node])])}."
    if tree.has_bayes:
        return f"If {path}: naive Bayes over the other variables."
    said = view.leaf_answers[list(tree.leaves).index(node)]
    best = int(np.argmax(tree.probability[node]))
    p = f"P of {view.class_name(tree.classes[best])} {probability_text(float(tree.probability[node, best]))}"
    does = "abstain" if said is None else f"answer {view.answer(said)}"
    return f"If {path}: {does} ({p}, n {number(float(tree.weight[node]))})."


def split_sentence(tree: Tree, told: Evidence, node: int, view: View) -> str:
    """Return who is near the threshold and what the measurement error does to one reading there."""
    name = tree.variables[int(tree.variable[node])]
    if tree.gate[node] in (NOMINAL, BINS):
        rest = any(tree.code[child] == REST for child in tree.children(node))
        other = " A value that no training patient here had ends in a leaf of this node's own." if rest else ""
        lie = "the bin in which their" if tree.gate[node] == BINS else "their own"
        return f"Each patient goes to the branch of {lie} {view.quoted(name)}{' lies' if 'bin' in lie else ''}.{other}"
    band, parts = told.band(node), told.split_counts(node)
    lost = f" {plural(parts.n[3], 'patient')} lack the value and are shared as the others went." if parts.n[3] else ""
    if band.kind is None:
        return f"{view.variable(name)} is taken as exact here, so there is no zone.{lost}"
    where = " to ".join(told.band_text(node))
    called = "zone" if tree.gate[node] == MIDDLE else "blend range"  # a middle branch blends nobody
    share = f"{plural(parts.n[1], 'patient')} ({part(parts.n[1], sum(parts.n))}) lie in the {called} {where}"
    why = (
        f". Their {view.quoted(name)}, measured again, could fall on the other side."
        if band.kind == "measurement error"
        else ": they go down the middle branch."
        if tree.gate[node] == MIDDLE
        else ": the tree calls them undecided here."
    )
    return share + why + lost


def at(told: Evidence, reasons: Reasons, candidate: Candidate) -> str:
    """Return where a variable would be cut; the split that was taken reads as everywhere else."""
    if not math.isfinite(candidate.threshold):
        return "by category" if candidate.gate == NOMINAL else "in bins"
    if candidate.variable == reasons.variable:
        return f"at {told.edge_text(reasons.node, candidate.threshold)}"
    return f"at {told.number(candidate.variable, candidate.threshold)}"


def gain_label(criterion: str) -> str:
    return CRITERION_LABELS.get(criterion, "Gain")


def two_searches(told: Evidence, reasons: Reasons, threshold: float, search: str) -> str:
    """Return how exact search and the one that weighs measurement error differ at a node."""
    own = SEARCH_NAMES[search == "resampled"]
    if reasons.exact_best is None:
        return ""
    exact, here = told.edge_text(reasons.node, reasons.exact_best), told.edge_text(reasons.node, threshold)
    if reasons.soft is None:
        return f"Taken as exact, so {own.lower()} cuts where exact search does, at {exact}."
    peaks = [told.edge_text(reasons.node, peak) for peak in best_thresholds(reasons.soft)]
    tie = (
        f" {own} finds {listing(peaks)} equally good; this tree takes {here}."
        if len(peaks) > 1 and here in peaks
        else ""
    )
    if exact == here:
        return f"Exact search cuts at {exact}. {own} weighs each patient by the measurement error.{tie}"
    if search == "exact":
        return f"Exact search cuts at {here}; the figure also shows what soft search would weigh.{tie}"
    return (
        f"Exact search would cut at {exact}; this tree cuts at {here}, where the gain outlasts the measurement error."
        f"{tie}"
    )


def below_tree(propagation: str, noisy: bool, tree: Tree, told: Evidence) -> str:
    """Return what a reader of the leaves must know; `noisy` says whether any σ plays a part in propagation."""
    lines = []
    if is_fractional(tree):
        asked = sorted({int(j) for j in tree.variable if j >= 0})
        why = ["near a threshold"] if propagation != "hard" and noisy else []
        why += ["with a missing value"] if np.isnan(told.values[:, asked]).any() else []
        shared = f"a patient {' or '.join(why)} is shared between branches" if why else "patients or labels are shared"
        lines.append(f"Leaves carry decimals because {shared}.")
    if any(tree.weight[leaf] < FEW_PATIENTS for leaf in tree.leaves):
        lines.append(f"Leaves under {FEW_PATIENTS} patients say “{FEW}”: their P can be far off.")
    return " ".join([*lines, BAYES_BELOW if tree.has_bayes else LEAF_AND_SHARES])
