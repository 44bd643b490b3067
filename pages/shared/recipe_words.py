"""Labels and hover explanations of variants, axes and parameters.

In: names as the engine knows them. Out: text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.number_words import percent_text
from pages.shared.words import listing, number, plural, unscored

VARIANT_LABELS = {"C4.5": "C4.5 (by information gain)"}
AXIS_LABELS = {
    "criterion": "Criterion",
    "search": "Search",
    "propagation": "Propagation",
    "branching": "Branching",
    "zone": "Zone",
    "pruning": "Pruning",
    "leaf": "Leaf",
    "evaluation": "Evaluation",
    "decision": "Decision",
}
AXIS_MEANINGS = {
    "criterion": "What a good split is.",
    "search": "How a threshold is looked for.",
    "propagation": "How training patients near a threshold go down the tree.",
    "branching": "How many children a split has.",
    "zone": "How wide the zone around a threshold is where the tree calls a patient undecided.",
    "pruning": "Which branches are cut back after growing.",
    "leaf": "How a leaf turns its patients into probabilities.",
    "evaluation": "How a new patient near a threshold goes down the tree.",
    "decision": "What is answered from the probabilities, and when nothing is.",
}
CHOICE_LABELS = {
    ("evaluation", "zone"): "zone (blend inside it)",
    ("decision", "tau"): "tau (abstain below τ)",
    ("decision", "argmax"): "argmax (always answer)",
    ("decision", "cost"): "cost (least expected)",
    ("decision", "set"): "set (all plausible)",
}
CHOICE_MEANINGS = {
    "information_gain": "Entropy lost by the split, in bits.",
    "gain_ratio": "Gain divided by the split's own entropy, so that many-valued variables are not favoured.",
    "gini": "Gini impurity lost; with abstained labels the mean logical entropy.",
    "nb_accuracy": "Accuracy of a naive Bayes put on each part.",
    "exact": "Thresholds between readings taken at face value.",
    "soft": "Patients near the threshold are divided by their measurement error.",
    "resampled": "Each reading stands for 100 equally likely true values.",
    "hard": "Each patient goes one way, by the reading.",
    "conditional": "Divided by measurement error, remembering what the path has already said.",
    "coherent": "Shared by the chance that the true values lie in each leaf.",
    "binary": "Two children at a threshold.",
    "middle": "A third child for the zone around the threshold.",
    "nary": "One child per category or bin.",
    "none": "None.",
    "margin": "Up to the nearest patient on the wrong side.",
    "node_bootstrap": "How much the threshold moves when the node's patients are drawn again.",
    "quality_plateau": "Between the outermost thresholds that are nearly as good.",
    "class_overlap": "Where the classes' middle 80 % overlap.",
    "quinlan": "Where the error would rise by one standard error (Quinlan's C4.5).",
    "noise": "The stated measurement error at the threshold, ± 1.96 σ.",
    "pessimistic": "Branches go that a cautious estimate of their error does not justify.",
    "pessimistic+nb_accuracy": "Both, one after the other.",
    "frequency": "The share of each class.",
    "laplace": "The share after one more patient of each class.",
    "naive_bayes": "A naive Bayes over the variables not on the path.",
    "zone": "Blended inside the zone, by the reading outside it.",
    "deferred": "Blended at the first zone met, by the reading below it.",
    "argmax": "Always the most probable class.",
    "tau": "The most probable class when its P reaches τ, otherwise no answer.",
    "cost": "The answer with the least expected cost, abstaining among them.",
    "set": "The most probable classes until they reach τ together.",
}
ZONE_GAIN_RATIO = "A tenth of the range, narrower the better the split."
PARAMETER_LABELS = {
    "max_depth": "Depth at most",
    "min_weight_leaf": "Patients in a leaf, at least",
    "threshold": "Threshold stands",
    "min_weight_split": "Patients to split, at least",
    "confidence": "Pruning confidence",
    "pruning_laplace": "Laplace errors in pruning",
    "mdl_correction": "Charge for many cuts",
    "window": "Soft search window, σ",
    "resolution": "Soft search step, σ",
    "weight_floor": "Smallest piece of a patient",
    "n_points": "True values a reading",
    "epsilon": "Plateau tolerance",
    "alpha": "Gain-ratio zone, of range",
    "percentile": "Overlap percentile",
    "n_bootstraps": "Bootstrap draws",
    "zone_z": "Noise zone, σ",
    "n_bins": "Bins a variable",
    "min_samples_middle": "Patients in a middle child, at least",
    "class_weight": "Class weights",
    "random_state": "Seed",
    "width": "UDT's own noise, of range",
}
PARAMETER_MEANINGS = {
    "max_depth": "How many questions at most from the root to a leaf; 0 sets no limit.",
    "min_weight_leaf": (
        "A split that leaves fewer patients on a side is not taken; of a split by category, two categories "
        "must hold that many, and others may hold fewer."
    ),
    "threshold": "Between two readings (midpoint), on the upper one (value) or on one that was observed.",
    "min_weight_split": "A node with fewer patients stays a leaf.",
    "confidence": "Lower prunes more; C4.5's own is 0.25.",
    "pruning_laplace": "Count one more patient of each class before pruning weighs errors.",
    "mdl_correction": "Take log2(cuts tried)/patients off a numeric variable's gain.",
    "window": "How far beyond the readings soft search looks, in σ.",
    "resolution": "Step of the soft search grid, in σ.",
    "weight_floor": "A piece of a patient lighter than this goes whole to the heavier side.",
    "n_points": "How many equally likely true values stand for one reading.",
    "epsilon": "How much worse a threshold may be and still belong to the plateau.",
    "alpha": "The zone's half-width as a part of the range, before the gain ratio narrows it.",
    "percentile": "Which outer part of each class is left out of the overlap, in percent.",
    "n_bootstraps": "0 follows the rule: 20, 15 or 10 by number of patients.",
    "zone_z": "The zone's half-width in σ.",
    "n_bins": "Equal-width bins that each numeric variable is cut into.",
    "min_samples_middle": "With fewer patients in the zone the middle child is a leaf.",
    "class_weight": "Balanced gives each class the same total weight.",
    "width": "In place of a stated σ: normal with σ a quarter of this part of the range, cut off at ± 2 σ. 0 is none.",
    "random_state": "The same seed gives the same tree where chance plays a part.",
}


C45_LEAF = "A tenth of the known patients per class, at least 2, at most 25, in place of a stated number."
COSTS = "In any one unit; a right answer costs nothing. The tree gives the answer that costs least on average."
ABSTAIN_COST = (
    "What a patient without an answer costs, in the same unit: no answer is given where every answer would cost more "
    "on average. Empty: the tree always answers."
)
WIDTH_STATED = "Not possible while a σ is stated, whose place it takes. Set every σ to exact on Noise first."
NO_CALIBRATION = "Needs a zone with a half-width (not none, not Quinlan's) and two children a split."
CALIBRATE = (
    "One factor on every zone, so that of patients left out (5 folds) this part is undecided. The trees tried on "
    "patients left out keep their zones as found."
)
CALIBRATIONS = {"found": "as found", "bayes": "to the least error possible (Cover–Hart)", "rate": "to a rate I state"}


def cost_label(true: str, answer: str) -> str:
    return f"Truly {true}, answered {answer}"


def calibrated(factor: float, rate: float, target: float) -> str:
    """Return what calibrating did to the zones."""
    return (
        f"Every zone is {factor:.3g} times as wide as found: {percent_text(rate)} of patients left out are undecided, "
        f"{percent_text(target)} were wanted."
    )


def variant(name: str) -> str:
    return VARIANT_LABELS.get(name, name)


def choice(axis: str, value: Any) -> str:
    return CHOICE_LABELS.get((axis, value), str(value).replace("_", " "))


def setting(name: str, value: Any) -> str:
    """Return one axis or parameter with its value: "search soft", "depth at most 3"."""
    if name in AXIS_LABELS:
        return f"{AXIS_LABELS[name].lower()} {choice(name, value)}"
    label = PARAMETER_LABELS.get(name, "τ" if name == "tau" else unscored(name))
    label = label if label.startswith(("UDT", "Laplace")) else label[:1].lower() + label[1:]
    if value is None:
        none = {"max_depth": "no limit", "n_bootstraps": "by the rule", "random_state": "none stated"}.get(name, "none")
        return f"{label} {none}"
    shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
    return f"{label} {number(shown) if isinstance(shown, (int, float)) else unscored(shown)}"


def changed(name: str, axes: Mapping[str, Any]) -> str:
    """Return a variant and what differs from it as named."""
    differs = "; ".join(setting(each, value) for each, value in axes.items())
    return f"{variant(name)}, {f'with {differs}' if differs else 'as named, nothing changed'}"


def in_full(parameters: Mapping[str, Any]) -> str:
    """Return every axis and parameter with its value; costs are told apart, for they stand in a table."""
    said = [name for name in (*AXIS_LABELS, "tau", *PARAMETER_LABELS) if name in parameters]
    return "; ".join(setting(name, parameters[name]) for name in said)


def costs(
    table: Sequence[Sequence[float]], abstain: float | None, class_names: Mapping[Any, str], classes: Sequence[Any]
) -> str:
    """Return what answers cost, the first six pairs of many, and what giving none costs."""
    names = [str(class_names.get(each, each)) for each in classes]
    pairs = [
        f"truly {true} answered {answer} {number(float(table[t][a]))}"
        for t, true in enumerate(names)
        for a, answer in enumerate(names)
        if a != t
    ]
    more = [f"{len(pairs) - 6} more pairs"] if len(pairs) > 6 else []
    none = "no answer is not possible" if abstain is None else f"no answer {number(abstain)}"
    return f"costs: {', '.join([*pairs[:6], *more, none])}"


def choice_meaning(axis: str, value: str) -> str:
    if axis == "zone" and value == "gain_ratio":
        return ZONE_GAIN_RATIO
    return CHOICE_MEANINGS.get(value, "")


def against(reason: str) -> str:
    """Return why a choice cannot be had, in short."""
    return f"Not possible: {in_words(reason)}"


def in_words(text: str) -> str:
    """Return a sentence of the engine with the axes and choices as this page names them."""
    return unscored(re.sub(r"'(\w[\w+]*)'", lambda found: f"“{choice('', found[1])}”", text))


def equals_hard(idle: Sequence[str]) -> str:
    """Return what to say when choices that allow for measurement error meet none."""
    verb = "has" if len(idle) == 1 else "have"
    return (
        f"No measurement error is stated, so {listing(idle)} {verb} nothing to allow for: every reading is taken at "
        "face value, and this is the ordinary tree of exact thresholds. State the error on Noise to change that."
    )


def imprecise(name: str, changed: bool, vague: int, of: int, reason: str) -> str:
    """Return that the chosen variant needs one class a patient, who has none, and the engine's reason."""
    moved = " as changed here" if changed else ""
    have = "has an outcome that is" if vague == 1 else "have an outcome that is"
    return (
        f"{variant(name)}{moved} needs one class for every patient, but {plural(vague, 'patient')} of {of:,} {have} "
        "missing, abstained or still open between classes. Set them aside, or choose another variant. "
        f"The reason: {in_words(reason)}"
    )


def set_aside(vague: int) -> str:
    return "Set this patient aside" if vague == 1 else f"Set these {vague:,} patients aside"
