"""Sentences about one patient; all of them speak of measurement error alone.

In: a case and the view. Out: text and small cards.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.case import Case
from engine.draw import View
from engine.draw.case_charts import hundred_counts
from engine.export import FEW_PATIENTS, is_fractional
from engine.number_words import difference_unit, error_text, probability_text, weight_text
from engine.tree import Tree
from pages.shared.words import CAVEATS, PRIVATE, REPEATING, count, listing, number, opening

Floats = NDArray[np.float64]


TYPED = "It starts at the middle of the training patients; empty means missing. " + PRIVATE
WHOLE_TREE = "Show the whole tree"
BRANCH_SHARES = "Shares on the branches are coherent: how often the true patient goes each way."
SIMILAR = "By standardised distance over the values both have. They take no part in the answer."


@dataclass(frozen=True)
class Card:
    """One small card: its title, its key figure, a sentence, and what is one hover away."""

    title: str
    key: str
    sentence: str
    help: str = CAVEATS


def not_asked(n: int) -> str:
    return f"Show {n} not asked"


def step(known: Floats) -> float:
    """Return the step of a reading's control, after the decimals of the training values."""
    for decimals in range(5):
        if np.allclose(known, np.round(known, decimals), atol=1e-9, rtol=0):
            return float(10.0**-decimals)
    return float(10.0 ** (math.floor(math.log10(float(np.ptp(known)) or 1.0)) - 2))


def best_probability(case: Case) -> float:
    return float(np.max(case.probability))


def repeat_advice(case: Case, view: View) -> str:
    if case.best_repeat is None:
        return ""
    return f" Repeat first: {view.variable(case.best_repeat)}."


def case_heading(case: Case, view: View, target: str) -> str:
    """Return the answer under the name of what is answered, or that there is none and why."""
    if case.answer is not None:
        return f"{opening(target)}: {view.answer(case.answer)}"
    p = probability_text(best_probability(case), view.tau)
    return f"No answer: {p} < τ {view.tau:.2f}.{repeat_advice(case, view)}"


def agree(case: Case, view: View) -> str:
    """Return the stability as a count of a hundred plausible true states."""
    counts = hundred_counts(case.answer_shares)
    same = sum(n for answer, n in counts if answer == case.answer)
    said = "give this answer too" if case.answer is not None else "leave it unanswered too"
    shown = "More than 99" if same > 99 else "Fewer than 1" if same < 1 else str(same)
    return f"{shown} of 100 plausible true states {said}."


def case_sentence(tree: Tree, node: int, case: Case, view: View, similar: Sequence[Any]) -> str:
    """Return the leaf reached, its P and n, the range under the noise, and the similar patients, in one line each."""
    k = view.positive_index if not view.several else int(np.argmax(case.probability))
    name = view.class_name(tree.classes[k])
    low, high = (float(edge) for edge in case.interval[k])
    weight = float(tree.weight[node])
    few = ", few patients" if weight < FEW_PATIENTS else ""
    parts = is_fractional(tree)
    inside, n = weight_text(float(tree.class_weight[node, k]), parts), weight_text(weight, parts)
    first = f"P({name}) {probability_text(float(case.probability[k]))}. "
    first += f"In the leaf reached {inside} of {n} patients were “{name}”{few}"
    spread_words = (
        f"; range from measurement error only {probability_text(low)} to {probability_text(high)}"
        if high - low > 0.005
        else "; measurement error hardly moves it"
    )
    alike = sum(label == tree.classes[k] for label in similar)
    return f"{first}{spread_words}. Of the {len(similar)} most similar patients, {alike} were “{name}”."


def stability_sentence(case: Case, view: View, asked: Collection[str]) -> str:
    """Return stability in the words of the design, with the noisy readings named."""
    noisy = [
        name for name, sigma in case.sigma.items() if sigma > 0 and case.values.get(name) is not None and name in asked
    ]
    said = f"answer {view.answer(case.answer)}" if case.answer is not None else "give no answer"
    if not noisy:
        return (
            "Every reading the tree asks is taken as exact or missing, so measurement error plays no part. "
            "This is not the chance of disease."
        )
    readings = []
    for name in noisy[:3]:
        value, unit = case.values[name], view.units.get(name, "")
        around = number(float(value)) if isinstance(value, (int, float)) else str(value)
        spread_words = f"{error_text(number(case.sigma[name], 3), unit)}, 1 SD"
        readings.append(f"{view.quoted(name)} truly anywhere around {around} ({spread_words})")
    more = f" and {len(noisy) - 3} more likewise" if len(noisy) > 3 else ""
    share = case.stability
    hundred = "more than 99" if share > 0.995 else "fewer than 1" if share < 0.005 else f"about {100 * share:.0f}"
    return (
        f"Measurement error alone: were {listing(readings)}{more}, this tree would {said} for {hundred} of 100 "
        "such values. This is not the chance of disease."
    )


def case_remarks(case: Case, view: View) -> list[str]:
    """Return what else must be said: missing readings, an undecided zone, where τ would silence the tree."""
    lines = []
    if case.missing:
        names = listing([view.variable(name) for name in case.missing])
        lines.append(
            f"Missing: {names}. It is shared at each split as the training patients went; "
            "measure it before repeating anything."
        )
    if not case.decided:
        lines.append(
            "Undecided: a reading lies inside a zone on the path. "
            "The verdict qualifies the answer, it does not withhold it."
        )
    p = best_probability(case)
    above = math.floor(100 * p + 1e-9) / 100 + 0.01
    if view.decision == "tau" and case.answer is not None and above <= 1.0:
        text = f"No answer: {probability_text(p, above)} < τ {above:.2f}.{repeat_advice(case, view)}"
        lines.append(f"From τ {above:.2f} up this line reads: {text}")
    return lines


def answers_up_to(case: Case, decision: str) -> str:
    if decision != "tau":
        return ""
    p = best_probability(case)
    return f"This patient is answered {'at every τ' if p > 1 - 1e-9 else f'up to τ {probability_text(p)}'}."


def stability_card(case: Case, view: View) -> Card:
    said = "give this answer" if case.answer is not None else "leave it unanswered"
    return Card("Stability", probability_text(case.stability), f"of plausible true states {said}.")


def change_card(case: Case, view: View) -> Card:
    """Return the smallest change of one reading that alters the answer."""
    changes = {name: change for name, change in case.nearest_change.items() if change is not None}
    asked = [step.variable for step in case.path]

    def then(name: str) -> str:
        after = case.nearest_answer.get(name)
        return "the others held: the tree would " + ("abstain." if after is None else f"answer {view.answer(after)}.")

    def far(name: str) -> tuple[float, int]:
        sigma = case.sigma.get(name, 0.0)
        steps = abs(changes[name] or 0.0) / sigma if sigma > 0 else math.inf
        return steps, asked.index(name) if name in asked else len(asked)

    if changes:
        name = min(changes, key=far)
        change, steps = changes[name] or 0.0, far(name)[0]
        unit = difference_unit(view.units.get(name, ""), whole_words=True)
        size = f", {number(steps, 3)} σ" if math.isfinite(steps) else ", taken as exact"
        key = f"{'+' if change > 0 else '−'}{number(abs(change), 3)}\u00a0{unit}".rstrip()
        return Card("Nearest change", key, f"of {view.quoted(name)}{size}, {then(name)}")
    if case.nearest_category:
        name, category = next(iter(case.nearest_category.items()))
        return Card(
            "Nearest change", f"{category}", f"in place of {case.values[name]} as {view.quoted(name)}, {then(name)}"
        )
    return Card("Nearest change", "none", "No single reading, changed alone, alters the answer.")


def repeat_card(case: Case, view: View) -> Card:
    """Return which measurement is worth repeating."""
    help_words = f"{CAVEATS} {REPEATING}"
    if case.best_repeat is None:
        if case.missing:
            return Card(
                "Measure what is missing",
                "–",
                f"{listing([view.variable(n) for n in case.missing])}: a missing value cannot be repeated. {REPEATING}",
                help_words,
            )
        return Card(
            "Repeat a measurement",
            "None would help",
            f"No second reading would make the tree surer by 0.005 or more. {REPEATING}",
            help_words,
        )
    gain = float(case.repeat_advice[case.best_repeat])
    before, after = probability_text(case.certainty), probability_text(min(1.0, case.certainty + gain))
    return Card(
        f"Repeat first: {view.variable(case.best_repeat)}",
        f"{before} → {after}",
        f"expected certainty, with the two readings averaged. {REPEATING}",
        help_words,
    )


def ways_card(case: Case, view: View) -> Card:
    """Return how the ways to evaluate compare."""
    k = view.positive_index if not view.several else int(np.argmax(case.probability))
    found = [float(p[k]) for p in case.probabilities.values() if p is not None]
    low, high = min(found), max(found)
    key = probability_text(low) if high - low < 0.005 else f"{probability_text(low)} to {probability_text(high)}"
    said = {view.answer(answer) if answer is not None else "no answer" for answer in case.answers.values()}
    same = f"all {count(len(found))} say {said.pop()}" if len(said) == 1 else "they disagree on the answer"
    return Card(
        f"{opening(count(len(found)))} ways to evaluate",
        key,
        f"P of {view.class_name(view.classes[k])}: {same}. Line: its range under noise.",
    )
