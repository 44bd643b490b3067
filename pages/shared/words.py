"""Every sentence, label and hover explanation of the screens, and how figures are written.

In: plain results. Out: text. No text here comes from data without passing through `safe` or Streamlit's own escaping.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.export import INTENDED_USE, percent_text
from engine.tree import NOMINAL, Tree

Floats = NDArray[np.float64]
UNEXPECTED = (
    "Something unforeseen happened in this part of the page, and nothing was changed. "
    "Undo the last choice or pick another; the rest of the page still works."
)
PRIVATE = "It stays in this session: never in a link, a log or a shared cache."
CAVEATS = (
    "What this figure means: measurement error alone. True values around the reading are taken as equally likely "
    "beforehand, errors as independent between variables, and the tree as right. It is not the chance of disease."
)
REPEATING = "Repeating removes neither bias nor a missing variable."
FEW = "few patients"
FOOT = INTENDED_USE
LEAF_AND_SHARES = "A leaf's own P decides here; a patient shared among leaves may be answered where a leaf abstains."
NOTHING_UNCERTAIN = "Nothing is uncertain yet"
LEAF_RANGE = (
    "P is the share of the class among the leaf's training patients; the line is its 95 % Clopper–Pearson range, "
    "approximate where soft propagation makes the weights fractional."
)
VARIANT_LABELS = {"C4.5": "C4.5 ([S] settings: information gain)"}
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
    "n_points": "Points a reading",
    "epsilon": "Plateau tolerance",
    "alpha": "Gain-ratio zone, of range",
    "percentile": "Overlap percentile",
    "n_bootstraps": "Bootstrap draws",
    "zone_z": "Noise zone, σ",
    "n_bins": "Bins a variable",
    "min_samples_middle": "Patients in a middle child, at least",
    "class_weight": "Class weights",
    "random_state": "Seed",
}
PARAMETER_MEANINGS = {
    "max_depth": "How many questions at most from the root to a leaf; 0 sets no limit.",
    "min_weight_leaf": "A split that leaves fewer patients on a side is not taken.",
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
    "random_state": "The same seed gives the same tree where chance plays a part.",
}
FORM_LABELS = {
    "exact": "exact",
    "sd": "SD, fixed",
    "of_mean": "% of mean",
    "of_sd": "% of SD",
    "of_range": "% of range",
    "cv": "CV, %",
    "sd+cv": "SD and CV",
    "misrecord": "misrecorded, %",
}
FORM_MEANINGS = (
    "How the error is stated: a fixed SD in the unit, a part of the training mean, SD or range, "
    "or as a laboratory states it, in proportion to the reading (CV), with or without a fixed part."
)
SHAPE_LABELS = {"normal": "normal", "uniform": "uniform", "laplace": "Laplace", "logistic": "logistic"}
FACTOR_LABELS = {"u_s": "Search", "u_p": "Propagation", "u_e": "Evaluation"}
FACTOR_MEANINGS = {
    "u_s": "σ times this while thresholds are looked for.",
    "u_p": "σ times this while training patients are divided.",
    "u_e": "σ times this when a patient is read, and for every figure about measurement error.",
}
ROLE_LABELS = {
    "numeric": "measured",
    "nominal": "category",
    "target": "answer",
    "identifier": "identifier",
    "ignore": "left out",
}
READING_LABELS = {
    "delimiter": "Separator",
    "decimal": "Decimal mark",
    "thousands": "Thousands mark",
    "encoding": "Encoding",
    "missing": "Missing written as",
    "sheet": "Sheet",
}
DELIMITERS = {",": ", comma", ";": "; semicolon", "\t": "tab", "|": "| bar", " ": "space"}
DECIMALS = {".": ". point", ",": ", comma"}
THOUSANDS = {"": "none", ",": ", comma", ".": ". point", " ": "space", "'": "' apostrophe"}
DATA_UNDER = "Nothing is fitted until you go on. Everything below was guessed from the file and can be changed."
UNREAD = "This file could not be read as a table"
UNREAD_UNDER = "State how it is written, choose another file or an example, or undo."
DATA_HEADS = ("Column", "Role", "Unit", "Values", "Missing", "First rows")
MISSING_HELP = "In place of the usual ones (NA, n/a, ?, … and empty cells); empty returns to those."
ASIDE = "They are left out of the tree. Kept, a missing value is shared at each split by where the others went."
ABSTAINED = "In a leaf such a label counts evenly for each class; at a split it widens the impurity."
POSITIVE = "The class whose probability is shown; it changes no answer."
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with mark",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
_COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split()


def count(n: int) -> str:
    """Return a whole number as a word up to twelve."""
    return _COUNTS[n] if 0 <= n < len(_COUNTS) else f"{n:,}"


def opening(text: str) -> str:
    """Return the text with a capital."""
    return text[:1].upper() + text[1:]


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return `n` and its noun: "1 patient", "724 patients"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def number(value: float | None, digits: int = 4) -> str:
    """Return a figure with up to `digits` significant digits and no idle zeros."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(places, 8)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def part(n: float, total: float) -> str:
    """Return a counted part as a percent; unlike a probability, none and all may be said."""
    if total <= 0:
        return "none"
    return "0 %" if n == 0 else "100 %" if n == total else percent_text(n / total)


def display(name: str, unit: str | None) -> str:
    """Return a column's name as a person would write it: no unit behind it, no underscores, a capital."""
    if unit:
        name = re.sub(r"\s*[(\[]" + re.escape(unit) + r"[)\]]\s*$", "", name) or name
    return opening(unscored(name).strip()) or name


def unscored(name: Any) -> str:
    """Return a name with spaces for the underscores between letters; those beside a figure or sign stay."""
    return re.sub(r"(?<=[^\W\d_])_(?=[^\W\d_])", " ", str(name))


def listing(names: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def plain(text: Any) -> str:
    """Return a data text so that Streamlit's Markdown shows it as it stands."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~$:&\-])", r"\\\1", re.sub(r"\s*\n\s*", " ", str(text)))


def safe(text: Any) -> str:
    """Return a data text so that HTML shows it as it stands."""
    return html.escape(str(text))


def variant(name: str) -> str:
    return VARIANT_LABELS.get(name, name)


def choice(axis: str, value: Any) -> str:
    return CHOICE_LABELS.get((axis, value), str(value).replace("_", " "))


def choice_meaning(axis: str, value: str) -> str:
    if axis == "zone" and value == "gain_ratio":
        return ZONE_GAIN_RATIO
    return CHOICE_MEANINGS.get(value, "")


def against(reason: str) -> str:
    """Return why a choice cannot be had, in short."""
    unbuilt = re.match(r"(.*) is not built yet", reason)
    return f"Not built yet: {unbuilt[1]}" if unbuilt else f"Not possible: {reason}"


def role(value: str) -> str:
    return ROLE_LABELS.get(value, value)


def unlabelled(n: int) -> str:
    return f"{plural(n, 'patient')} without a class: every class stays possible. {ABSTAINED}"


def missing(n: int, of: int) -> str:
    return f"{n:,} ({part(n, of)})" if n else "none"


def levels(names: Sequence[Any]) -> str:
    """Return categories or labels in short."""
    names = [str(name) for name in names]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def data_heading(patients: int, problems: int) -> str:
    """Return the Data page's finding."""
    left = f"{count(problems)} {'thing' if problems == 1 else 'things'} to look at" if problems else "nothing odd found"
    return f"{plural(patients, 'patient')} read, {left}"


def equals_hard(idle: Sequence[str]) -> str:
    """Return what to say when soft choices meet σ = 0 everywhere."""
    verb = "is" if len(idle) == 1 else "are"
    return f"Every σ is 0, so {listing(idle)} {verb} the same as hard: the tree now equals its hard one."


def sigma(stated: Any, unit: str) -> str:
    """Return one variable's σ in short."""
    if stated is None or not stated.noisy:
        return "exact"
    value, share = number(stated.value), number(stated.percent)
    tail = f" {unit}" if unit else ""
    return {
        "sd": f"± {value}{tail}",
        "of_mean": f"± {share} % of mean",
        "of_sd": f"± {share} % of SD",
        "of_range": f"± {share} % of range",
        "cv": f"CV {share} %",
        "sd+cv": f"± {value}{tail}, CV {share} %",
        "misrecord": f"{share} % misrecorded",
    }[stated.form]


SIGMA_TABLE = "One line a variable: variable, form, value, percent, unit, shape, source. The download has this form."
FACTOR = "Multiplies every σ, whatever its form; misrecording is not scaled."
PERCENT_OF = {
    "of_mean": "% of mean",
    "of_sd": "% of SD",
    "of_range": "% of range",
    "cv": "% CV",
    "sd+cv": "% CV",
    "misrecord": "%",
}
NOISE_HEADS = (
    "Variable",
    "Training patients, σ as a bell, thresholds of this tree",
    "Within 1.96 σ of a threshold",
    "σ: form, value, unit, shape of the error",
)
NO_SOURCES = (
    "Every variable is taken as exact. A σ should come from a device's sheet, a laboratory, or repeated readings."
)


def used_in(evaluation: str) -> str:
    if evaluation == "hard":
        return "Evaluation is hard here, so its noise speaks only of stability."
    return "Each use of σ may have its own factor."


def spread(values: Floats, unit: str) -> str:
    """Return a variable's mean and range."""
    known = values[~np.isnan(values)]
    if not len(known):
        return "no known value"
    after = f" {unit}" if unit else ""
    return f"mean {number(known.mean())}{after}, {number(known.min())} to {number(known.max())}"


def sigma_size(sigma: float, values: Floats) -> str:
    """Return σ at the mean beside the variable's mean and SD."""
    known = values[~np.isnan(values)]
    mean, sd = abs(float(known.mean())), float(known.std())
    parts = [f"σ {number(sigma, 3)} at the mean"]
    parts += [f"{number(100 * sigma / mean, 2)} % of mean"] if mean > 0.1 * sd else []
    parts += [f"{number(100 * sigma / sd, 2)} % of SD"] if sd > 0 else []
    return ", ".join(parts)


def near(tree: Tree, told: Evidence, nodes: Sequence[int], noisy: bool) -> list[tuple[str, str, str]] | str:
    """Return, for each threshold of a variable, how many of the node's patients are within 1.96 σ; or why nobody is."""
    if not nodes:
        return "not used by this tree"
    if tree.gate[nodes[0]] == NOMINAL:
        return "a category: no threshold"
    if not noisy:
        return "nobody: taken as exact"
    rows = []
    for node in sorted(nodes, key=lambda node: tree.threshold[node]):
        parts = told.split_counts(node)
        inside, n = parts.n[1], sum(parts.n)
        rows.append((told.threshold_text(node), f"{inside:,} of {n:,}", part(inside, n)))
    return rows


def noise_heading(shares: dict[str, float], together: float, n: int) -> tuple[str, str]:
    """Return the Noise page's finding and the line under it; `shares` by variable, the largest first."""
    if not shares:
        return (
            NOTHING_UNCERTAIN,
            "Every measurement is taken as exact. State how much a reading would differ if it were taken again.",
        )
    name, share = next(iter(shares.items()))
    if together == 0:
        return (
            "No patient is near a threshold",
            "No reading of the training data, measured again, would be likely to fall on the other side.",
        )
    rest = (
        f"{round(together * n):,} of {n:,} have a reading that, measured again, could fall on the other side "
        "of a threshold on their own path."
    )
    together_words = (
        f"With the others it is {part(round(together * n), n)}: " if round(together * n) > round(share * n) else ""
    )
    return f"{opening(name)} noise puts {part(round(share * n), n)} of patients near a threshold", together_words + rest


ALL_ALIKE = "Every measured variable gets the same statement; categories and sources stay as they are."
PRESENT, DISTANCE = "share here", "distance, SD"


def label(value: Any) -> str:
    """Return a patient's label as text."""
    if value is None:
        return "every class possible"
    return " or ".join(map(str, value)) if isinstance(value, (tuple, set, frozenset, list)) else str(value)
