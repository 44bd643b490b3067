"""Words of the model facts: the headings of the Model Facts label and the items of TRIPOD+AI.

In: what is known of the data, the tree and a cross-validation, and what the reader has stated. Out: labels and texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.draw import View
from engine.export import FEW_PATIENTS, INTENDED_USE, is_fractional
from engine.model_facts import Labels, Measured, Validation
from engine.number_words import plain, weight_text
from engine.tree import Tree
from pages.shared.words import FEW, listing, part, plural

NOT_STATED = "not stated"
BUTTON, FILE = "Download facts", "penumbra-model-facts.html"
LINK = "Model facts"
STATED = {
    "name": ("Model name", "What the model is called"),
    "locale": ("Locale", "Where it is to be used"),
    "outcome": ("Outcome, as defined", "What was observed, how, and until when"),
    "population": ("Target population", "For whom it is meant, and for whom not"),
    "time": ("Time of prediction", "At which moment of care the readings are taken"),
    "source": ("Source of the data", "Which records or study, how patients were chosen"),
    "period": ("Training data: place and period", "Where and when the patients were seen"),
    "unlabelled": ("Why outcomes are missing", "How it came that some patients have no known outcome"),
    "external": ("External validation", "Where else it was tried, and what came of it"),
    "groups": ("Performance by group", "Sex, age, ethnicity: what was compared, what came of it"),
    "contact": ("Contact", "Who answers for the model"),
}
ONLY_YOU = "What only you know"
ONLY_YOU_UNDER = (
    "It stays in this session and is printed as you write it; what is left empty is printed as “not stated”. "
    "Name no patient."
)
VALIDATE = "Try it on patients left out (5 folds, 5 times)"
VALIDATE_HELP = (
    "Each fifth of the patients is answered by a tree grown on the other four fifths with the same variant, σ, size "
    "and decision, five times with other fifths. Very long work is ended early, after whole repeats."
)
UNTRIED = "Not tried on patients left out, so nothing is known of its performance."
UNTRIED_ELSEWHERE = f"{UNTRIED[:-1]}; the Model facts page can try it."
AVAILABLE = "The program's code and tests come with it; the fitted model is saved as JSON or code on the Tree page."
LIMITS = (
    "Performance is that of trees grown the same way, not of this very tree; it flatters when the settings were picked "
    "because the figures were good.",
    "Another clinic's patients, devices or laboratory may differ; σ is what was stated, not measured here.",
    "Stability, shares and repeat advice speak of measurement error alone, never of the chance of disease.",
    "It finds associations; changing a reading by treatment need not change the outcome.",
)
NOT_FOR = (
    "Not for diagnosis or treatment by itself; not where a reading lies outside the training range, a needed reading "
    "is missing, or a patient is unlike the training patients; not for a population, device or unit other than stated."
)
DIRECTIONS = (
    "Enter the readings in the units below. Read the answer with its P, the leaf's n and range, and its stability; "
    "where it abstains, measure or repeat what it names, or decide without it. A clinician decides."
)
MEASURES = {
    "answered": "Answered",
    "answered_accuracy": "Right of answered",
    "accuracy": "Accuracy, all answered",
    "balanced_accuracy": "Balanced accuracy",
    "auc": "AUC",
    "brier": "Brier score (0 to 2)",
    "calibration_error": "Calibration error",
}
PERCENT = ("answered", "answered_accuracy", "accuracy", "balanced_accuracy")


def too_few(n: int, folds: int) -> str:
    return f"{plural(n, 'patient')} are too few for {folds} folds; {folds} or more are needed."


def heading(stated: Mapping[str, str], target: str) -> str:
    return stated.get("name") or f"Tree for “{target}” (no name stated)"


def under(stated: Mapping[str, str], version: str, today: str) -> str:
    """Return locale, version and date."""
    return f"Locale: {said(stated, 'locale')}. Model facts written by Penumbra {version} on {today}."


def said(stated: Mapping[str, str], key: str) -> str:
    """Return what the reader stated, or that nothing is."""
    return stated.get(key) or NOT_STATED


def percent(value: float) -> str:
    """Return a rate on patients left out; none and all may be said of counted patients."""
    return part(value, 1.0)


def figure(name: str, value: float) -> str:
    return percent(value) if name in PERCENT else plain(value, 3)


def performance(found: Validation) -> list[tuple[str, str, str]]:
    """Return (measure, value, 95 % interval) rows; the base rate's Brier score stands under the model's."""
    rows = []
    for name, label in MEASURES.items():
        one: Measured = found.figures[name]
        value = "undefined" if one.value is None else figure(name, one.value)
        ends = "" if one.interval is None else " to ".join(figure(name, end) for end in one.interval)
        rows.append((label, value, ends))
        if name == "brier" and found.base_brier is not None:
            rows.append(("Brier of the base rate", plain(found.base_brier, 3), ""))
    return rows


def in_brief(found: Validation) -> str:
    """Return how many were answered, and how many of those rightly, each with its 95 % interval."""

    def with_range(name: str) -> str:
        one = found.figures[name]
        ends = "" if one.interval is None else f" ({' to '.join(percent(end) for end in one.interval)})"
        return "undefined" if one.value is None else percent(one.value) + ends

    said_of = f"answered {with_range('answered')}, right of answered {with_range('answered_accuracy')}"
    times = plural(found.repeats, "repeat")
    return f"{said_of}; {found.folds}-fold cross-validation, {times}, 95 % intervals in brackets."


def method(found: Validation) -> str:
    """Return how the figures were got."""
    times = f", {plural(found.repeats, 'repeat')}" if found.repeats > 1 else ", once"
    who = f"{plural(found.n, 'patient')} with one known class"
    return (
        f"{found.folds}-fold cross-validation, stratified{times}, on {who}; each figure pooled over a repeat, then "
        "averaged. Intervals: Student's t over the folds, widened for training parts that share patients (Nadeau & "
        "Bengio 2003). Calibration error: ten equal bins of the best class's P; picture: first repeat, bars 95 % "
        "Clopper–Pearson, area = patients. No other clinic's patients took part."
    )


def outcome(target: str, cut: str, stated: Mapping[str, str]) -> str:
    """Return what is predicted; `cut` is where a measured outcome was cut into classes, "" where it was not."""
    where = f", low below and high above its cut at {cut}, open on or between" if cut else ""
    return f"“{target}”, a column of the data{where}; as defined: {said(stated, 'outcome')}"


def fairness(stated: Mapping[str, str]) -> str:
    """Return what is known of its performance by group: nothing, unless the reader knows more."""
    told = stated.get("groups")
    return f"as stated: {told} Nothing was assessed here." if told else "not assessed: no group was looked at apart."


def labels(found: Labels, class_names: Mapping[Any, str]) -> str:
    """Return how many patients have which label."""
    each = listing([f"{n:,} {class_names.get(label, label)}" for label, n in found.by_class.items()])
    open_ones = [f"{found.several:,} with several classes still possible"] if found.several else []
    open_ones += [f"{found.none:,} with none known"] if found.none else []
    rest = f"; {listing(open_ones)}" if open_ones else "; none open, partial or unlabelled"
    return f"{each}{rest}"


def open_labels(found: Labels, stated: Mapping[str, str]) -> str:
    """Return how patients without one known class were handled."""
    if not found.several + found.none:
        return "Every patient has one known outcome; none was left out or filled in for that."
    return (
        "Kept: such a label counts evenly for each class it leaves possible in a leaf, and widens the impurity of a "
        f"split; not counted in performance. Why they are missing: {said(stated, 'unlabelled')}."
    )


def missing(found: Mapping[str, int], names: Mapping[str, str], aside: int) -> str:
    """Return how many values are missing and how they were handled."""
    some = [f"{names[name]} {n:,}" for name, n in found.items() if n]
    listed = listing(some[:6] + ([f"{len(some) - 6} more variables"] if len(some) > 6 else []))
    away = f" {plural(aside, 'patient')} set aside for lacking a chosen measurement." if aside else ""
    if not some:
        return f"No value is missing.{away}"
    return (
        f"{listed}. Nothing is filled in: at a split a patient without the value is shared as the others went.{away}"
    )


def size(n: int, tree: Tree) -> str:
    """Return the sample size beside the size of the tree; whether it was planned, only the reader knows."""
    smallest = min(float(tree.weight[leaf]) for leaf in tree.leaves)
    few = f", {FEW}" if smallest < FEW_PATIENTS else ""
    least = weight_text(smallest, is_fractional(tree))
    leaves = plural(tree.n_leaves, "leaf", "leaves")
    return f"{plural(n, 'patient')} for {leaves}, {least} in the smallest{few}; a planned sample size is not stated."


def output(view: View) -> str:
    """Return what the model says of a patient."""
    classes = listing([view.class_name(c) for c in view.classes])
    silent = {
        "tau": f"; no answer where P < τ {view.tau:.2f}",
        "cost": "; the answer that costs least, abstaining among them where that has a cost",
        "set": f"; every class needed to reach τ {view.tau:.2f} together",
    }.get(view.decision, "")
    positive = view.class_name(view.classes[view.positive_index])
    return f"One of {classes}, with P of each{silent}. Positive class: {positive}."


def kind(numeric: bool, unit: str, span: str, n_missing: int, n: int) -> str:
    """Return what a predictor is."""
    unit = f", {unit}" if unit else ", no unit stated" if numeric else ""
    absent = f", {n_missing:,} missing ({part(n_missing, n)})" if n_missing else ""
    return f"{'measured' if numeric else 'category'}{unit}, {span}{absent}"


def sources(stated: Sequence[str]) -> str:
    """Return how many of the noisy variables have a source for their σ."""
    if not stated:
        return "Every variable is taken as exact: no measurement error is stated."
    known = sum(bool(each) for each in stated)
    return f"σ is stated for {plural(len(stated), 'variable')}, with a source for {known}; see each predictor."


def uses() -> str:
    return INTENDED_USE.removeprefix("Intended use: ")
