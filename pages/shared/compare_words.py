"""What Compare and Robustness say: names of variants, findings, how far work is.

In: plain results. Out: text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.comparison import Comparison
from engine.contrast import MORE, MOVED, OTHER, SplitDifferences
from engine.draw.figure_table import CERTAIN
from engine.number_words import percent_text
from engine.recipe import DEFAULTS
from pages.shared import words

COMPARE_BUTTON = "Compare"
COMPARE_HELP = "Cross-validates every variant on the same folds: trees answer patients they have not seen."
COMPLETE = "Compare the rest"
FIGURING = "Working out figures and tests"
UNTRIED = "Not tried on patients left out yet. The trees and the answers below are those of all patients."
SIZE_HELP = "Held for every named variant, so that trees of like size are set side by side."
PRUNING = {"named": "as each names it", "none": "none"}
KEEP = "Keep the Tree page's settings"
KEEP_HELP = "Adds what is set on Tree now as one more letter; it stays as it is when you change the Tree page."
TESTS = (
    "▲ ▼ differs from A after Holm's correction over all pairs of variants on that figure; p as tested, Wilcoxon on "
    "paired folds, which share patients, so that p is rather too small. Intervals allow for folds that share patients. "
    "Point at a figure, or press it, to see its test fold by fold."
)
SO_FAR = "So far: all figures here move until every fold is done; do not cite them yet."
PLANE_UNDER = "% right of those answered; grey fan: equal efficiency"
IN_INK = "The pair chosen for the matrix, {} and {}, in ink; the other curves faint. Choose another pair there."
STATED_UNDER = "first repeat, each patient once"
SWEEPS = {"tau": "τ", "sigma": "σ × factor", "confidence": "Pruning confidence c"}
SWEEP_TITLES = {"sigma": "Sweep of σ", "confidence": "Sweep of the pruning confidence"}
SWEEP_HELP = {
    "tau": "From the cross-validation; no tree is grown again.",
    "sigma": "Every σ of the Noise page times the factor, in search, propagation and evaluation alike; one repeat.",
    "confidence": "C4.5's pruning confidence: lower prunes more; one repeat. A variant that does not prune is level.",
}
NOTHING_MOVES = {
    "sigma": "No variant here reads σ, or no σ is stated: nothing would change. State σ on Noise, or add SS+STP.",
    "confidence": "No variant here prunes: set Pruning to “as each names it”, or keep a pruned tree of Tree.",
}
NOISE_WHERE = {"training": "Noise in the training data", "test": "Noise in the test data"}
NOISE_UNDER = {
    "training": "Trees grow on blurred readings and are tried on the readings as they are.",
    "test": "Trees grow on the readings as they are and are tried on blurred ones: their leaves stay the same.",
}
NOISE_METHOD = (
    "At level n every number gets a normal error whose SD is n times the absolute mean of its variable in the training "
    "part. All variants and levels meet the same errors, stretched (Nunes et al., §5). Your own σ stay as stated. "
    "Bars are 95 % intervals, which allow for folds that share patients."
)
CV_NOTE = (
    "Trees and the matrix are of all patients of the data. Figures, curves and intervals are of patients left out of "
    "the trees that answer them. Every variant decides by the one τ."
)
NOISE_QUESTION = (
    "Two experiments on your own data: noise added to the readings that trees grow on, or to those they are tried on."
)
OF_BEFORE = (
    "This is of the data or settings that stood here when it began. Go back to them to see it, or cancel it and begin "
    "anew."
)
RESUMES = "This file also resumes a comparison that was cut short: open it here on the same data."
TABLE_FILE = (
    "The table in plain numbers: mean, 95 % interval, p, folds, and the settings of each variant, the data, seed and τ."
)
OTHER_SETTINGS = (
    "The results in this file are of other settings or another σ than stand on the Noise page now; state those first, "
    "or compare anew."
)
OTHER_FILE = "Open a saved comparison"


def study_names(stated: Sequence[Any]) -> list[str]:
    """Return a name for each variant, no two alike; a letter that is taken away changes none of them."""
    names: list[str] = []
    for one in stated:
        base = f"{one.name}, kept" if one.kept else one.name
        names.append(
            base if base not in names else next(f"{base} {k}" for k in range(2, 99) if f"{base} {k}" not in names)
        )
    return names


def more(stated: Any, settings: Mapping[str, Any]) -> str:
    """Return in a few words what a variant is."""
    pruning = str(settings.get("pruning", DEFAULTS["pruning"]))
    zone = str(settings.get("zone", DEFAULTS["zone"]))
    parts = [f"{zone.replace('_', ' ')} zones"] if zone != "none" else []
    parts += [] if parts and pruning == "none" else ["unpruned" if pruning == "none" else "pruned"]
    if stated.kept:
        parts = [words.plural(len(stated.changes), "setting") + " changed", *parts]
    return ", ".join(parts)


def job_title(missing: Sequence[Any]) -> str:
    """Return what a comparison is at work on."""
    return missing[0].name if len(missing) == 1 else words.plural(len(missing), "variant")


def split_words(found: SplitDifferences) -> str:
    """Return how a tree's splits differ from the reference's."""
    moved, other, extra = (found.count(mark) for mark in (MOVED, OTHER, MORE))
    parts = [words.plural(moved, "threshold") + " moved"] if moved else []
    parts += [words.plural(other, "other variable", "other variables")] if other else []
    parts += [f"{words.plural(extra, 'split')} more"] if extra else []
    parts += [f"{words.plural(found.fewer, 'split')} fewer"] if found.fewer else []
    return ", ".join(parts) or "the same splits as A"


def finding(n: int, alike: int, found: Comparison | None, letters: Mapping[str, str]) -> str:
    """Return the page's finding; `alike` is how many trees split as the reference does, without it."""
    trees = f"{words.count(n)} variants" if alike else f"{words.count(n)} different trees"
    if n > 1 and alike == n - 1:
        trees = f"{words.count(n)} variants, one tree"
    if n < 2:
        return "Add a variant to compare" if n else "No variant can be grown on these data"
    if found is None:
        return words.opening(trees if "one tree" in trees else f"{trees} side by side")
    pairs = [p for p in found.pairs if p.figure == "accuracy" and p.first in letters and p.second in letters]
    sure = [p for p in pairs if p.adjusted_p < CERTAIN and apart(p.interval)]
    if not sure:
        return words.opening(f"{trees}, no sure difference in accuracy" if "one tree" not in trees else trees)
    first = sure[0]
    better, worse = (first.first, first.second) if (first.mean_difference or 0) > 0 else (first.second, first.first)
    return f"{letters[better]} is right more often than {letters[worse]}"


def apart(interval: tuple[float, float] | None) -> bool:
    """Return whether the interval of a difference excludes 0; over folds that share patients p alone is too small."""
    return interval is not None and (interval[0] > 0.0 or interval[1] < 0.0)


def span(values: Sequence[float | None]) -> str:
    """Return the least and the largest of some shares in percent: "73 to 74 %", "73 %"."""
    known = [v for v in values if v is not None]
    if not known:
        return "none"
    low, high = percent_text(min(known)), percent_text(max(known))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def under(found: Comparison, names: Sequence[str], tau: float) -> str:
    """Return the line under the finding: accuracy, answers, accuracy of the answers."""
    rows = [found.figures[name] for name in names]
    right = span([row["accuracy"].value for row in rows])
    answered = span([None if (v := row["abstention_rate"].value) is None else 1 - v for row in rows])
    sure = span([row["answered_accuracy"].value for row in rows])
    whose = "Both are" if len(names) == 2 else "All are" if len(names) > 2 else "It is"
    return (
        f"{whose} right for {right} of patients left out. At τ {tau:.2f} {answered} are answered, and {sure} of those "
        "rightly."
    )


def time_left(seconds: float | None) -> str:
    """Return how long work may take yet, in words; nothing certain is said before there is a rate."""
    if seconds is None:
        return "The time left can be told after a few folds."
    if seconds < 10:
        return "A few seconds left."
    if seconds < 90:
        return f"About {round(seconds / 5) * 5} s left."
    return f"About {words.plural(round(seconds / 60), 'minute')} left."


def folds_done(done: int, n: int) -> str:
    return f"fold {min(done + 1, n)} of {n}" if n else "about to begin"


def partial(done: int, n: int) -> str:
    """Return how much of a variant's folds is done, "" when all are."""
    return "" if done == n else f"{done} of {n} folds"


def refused(letter: str, name: str, reason: Any) -> str:
    return f"{letter} {name} cannot be grown here: {reason}"


def cell_title(a: str, first: str, b: str, second: str, n: int, truly: int, positive: str) -> str:
    """Return whose patients a cell of the matrix lists."""
    who = words.plural(n, "patient")
    if first == second:
        return f"{a} and {b} both say {first}: {who}, {truly} truly {positive}"
    return f"{a} says {first}, {b} says {second}: {who}, {truly} truly {positive}"


def matrix_sum(alike: int, differ: int, opposite: int) -> str:
    """Return what a matrix comes to."""
    rest = differ - opposite
    told = f"{alike:,} alike, **{differ:,} differ**"
    return f"{told}: in {rest:,} only one of them answers; opposite answers: {opposite:,}" if differ else f"{told}."
