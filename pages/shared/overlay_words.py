"""Sentences about how much of a tree is drawn, which leaves pass a filter, and what is laid over it.

In: plain results of the engine, the reader's choices. Out: text.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from engine.case import Case
from engine.draw import View
from engine.draw.layout import leaves_below
from engine.export import leaf_names
from engine.leaf_filter import ABSTAINS, ANY, FEW, NAMES, OTHER, PATIENTS, SEVERAL, UNSURE, LeafFilter, Passing
from engine.number_words import probability_text, share_text, weight_text
from engine.other_patients import OtherPatients
from engine.tree import Tree
from pages.shared.words import number, part, plural

DEPTH = (
    "Draws fewer levels of this same tree; nothing is fitted again. “Depth at most”, in the sidebar, is another thing: "
    "it grows another tree."
)
OVERLAY = "Lays one patient, or a second file of patients, over this tree; nothing is fitted again."
FILTER = (
    "Leaves that do not pass stay in the picture, dotted and dimmed, and are counted below. Nothing is fitted again, "
    "and no patient is left out of any figure."
)
SUPPORT = "How many training patients a leaf must hold; where patients are shared, parts of patients count."
SURELY = "P of a leaf's most frequent class. 0 lets every leaf pass."
BAYES = "These leaves answer each patient by a naive Bayes, so they can be filtered by patients only."
TEST_FILE = (
    "CSV, Excel, Parquet or ARFF with the training columns under the same names. The label column may be missing. It "
    "is read in this session only: never written to disk, never in a link, a log or a shared cache."
)
TEST_READ = (
    "“Right” is the share of test patients in a leaf whose class is the leaf's answer. It is held against the 95 % "
    "Clopper–Pearson range of the same share among the leaf's training patients. A share outside does not prove a "
    "difference: where few test patients are in a leaf, chance alone often leads outside."
)
SPACE = "Click or Enter chooses a node, Space folds or opens what is below it, arrows walk, Esc returns to the root."


def reasons_out(wanted: LeafFilter) -> dict[str, str]:
    """Return in few words why a leaf does not pass, by the engine's reason."""
    unit = "" if wanted.least_of == PATIENTS else " %"
    return {
        FEW: f"n < {number(wanted.least)}{unit}",
        UNSURE: f"P < {wanted.surely:.2f}",
        OTHER: {ABSTAINS: "answers", SEVERAL: "one class"}.get(wanted.answers, "other answer"),
    }


def filter_words(wanted: LeafFilter, view: View) -> str:
    """Return what a leaf must have to pass, in a few words."""
    parts = []
    if wanted.least > 0:
        parts.append(f"n ≥ {number(wanted.least)}{'' if wanted.least_of == PATIENTS else ' %'}")
    if wanted.surely > 0:
        parts.append(f"P ≥ {wanted.surely:.2f}")
    if wanted.answers != ANY:
        parts.append(f"that {answer_label(wanted.answers, wanted.named, view)}")
    return ", ".join(parts)


def answer_label(answers: str, named: object, view: View) -> str:
    """Return a choice of the filter by answer."""
    if answers == NAMES:
        return f"answer {view.class_name(named)}"
    return {ANY: "say anything", ABSTAINS: "abstain", SEVERAL: "name several classes"}[answers]


def showing(found: Passing, wanted: LeafFilter, view: View) -> str:
    """Return what passes the filter in one line."""
    rest = found.of_leaves - found.leaves
    others = f"the other {rest} {'is' if rest == 1 else 'are'} dotted and dimmed" if rest else "all pass"
    return (
        f"Showing {found.leaves} of {plural(found.of_leaves, 'leaf', 'leaves')} ({filter_words(wanted, view)}), "
        f"{found.patients:,} of {plural(found.of_patients, 'patient')}; {others}."
    )


def patient_summary(case: Case, view: View) -> str:
    """Return what the tree says of the patient laid over it."""
    said = "No answer" if case.answer is None else f"Answer: {view.spoken(case.answer)}"
    return f"{said} for the present patient; the figures are those of the Patient page."


def folded(tree: Tree, closed: Collection[int]) -> str:
    """Return how much is folded in one line, "" for nothing."""
    top = [node for node in closed if not any(above in closed for above in tree.path(node)[:-1])]
    if not top:
        return ""
    below = leaves_below(tree)
    hidden = sum(below[node] for node in top)
    return f"{plural(len(top), 'subtree is', 'subtrees are')} folded, with {plural(hidden, 'leaf', 'leaves')}."


def depth_label(depth: int) -> str:
    """Return a choice of depth: "all levels", "1 level", "2 levels".

    It does not say of how many: a browser keeps the text of a choice it has shown, also when another tree is deeper.
    """
    return "all levels" if depth == 0 else plural(depth, "level")


def file_summary(told: OtherPatients, answers: tuple[int, int, int, int]) -> str:
    """Return the second file's patients and how the tree does for them."""
    given, known, among, right = answers
    lead = f"{plural(told.n, 'test patient')}, {given:,} answered ({part(given, told.n)})."
    if not known:
        return lead
    if not among:
        return f"{lead} Of {known:,} with a known class none is answered."
    rightly = f"{right:,} of them right ({part(right, among)})"
    return f"{lead} Of {known:,} with a known class {among:,} are answered, {rightly}."


def outside(told: OtherPatients, view: View) -> str:
    """Return the leaves whose share for other patients lies outside the training range, in one line."""
    tree, called = told.tree, leaf_names(told.tree)
    if tree.has_bayes or not told.judged:
        return ""
    pairs = [(int(leaf), told.compare(int(leaf), a)) for leaf, a in zip(tree.leaves, view.leaf_answers, strict=True)]
    judged = [leaf for leaf, found in pairs if found is not None and found.labelled > 0]
    out = [called[leaf] for leaf, found in pairs if found is not None and found.outside]
    if not judged:
        return ""
    if not out:
        where = plural(len(judged), "leaf", "leaves")
        return f"In all {where} with labelled test patients the share lies in its training range."
    listed = ", ".join(out[:8]) + (f" and {len(out) - 8} more" if len(out) > 8 else "")
    return f"Outside the training range in {len(out)} of {plural(len(judged), 'leaf', 'leaves')}: {listed}."


def patient_here(share: float, lit: bool) -> str:
    """Return how much of the present patient is at the chosen node."""
    where = "on the path of the reading" if lit else "off the path of the reading"
    return f"The present patient: share here {share_text(share)}, {where}."


def others_here(told: OtherPatients, node: int, view: View, answer: object, banded: bool) -> str:
    """Return what the other patients do at the chosen node."""
    tree, n = told.tree, weight_text(float(told.weight[node]), told.fractional)
    if not tree.is_leaf(node):
        if not math.isfinite(float(tree.threshold[node])):
            below = [weight_text(float(told.weight[child]), told.fractional) for child in tree.children(node)]
            return f"Test patients here: {n}; to its branches {', '.join(below)}."
        left, inside, right, missing = told.split_counts(node)
        middle = f"{inside} in the range, " if banded else ""
        lost = f", {missing} without the value" if missing else ""
        return f"Test patients here: {n}. {left} left, {middle}{right} right{lost}."
    found = told.compare(node, answer)
    lead = f"Test patients here: {n}."
    if found is None:
        return lead
    if not found.labelled > 0:
        return f"{lead} None has a known class."
    names = " or ".join(view.class_name(tree.classes[k]) for k in found.classes)
    of = weight_text(found.labelled, told.fractional)
    text = f"{lead} Of {of} with a known class the share of {names} is {probability_text(found.share)}"
    if not told.judged or not math.isfinite(found.training):
        return f"{text}."
    span = f"{probability_text(found.low)} to {probability_text(found.high)}"
    where = "outside" if found.outside else "inside"
    return f"{text}; among training patients {probability_text(found.training)}. That is {where} the range {span}."
