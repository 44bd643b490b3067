"""Sentences about one patient; all of them speak of measurement error alone.

In: a case and the view. Out: text and small cards.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.case import DRAWS_REPEAT, Case
from engine.decide import expected_costs
from engine.draw import View
from engine.draw.case_charts import hundred_counts, nearest_first
from engine.draw.patient_svg import OFF_PATH
from engine.export import FEW_PATIENTS, OTHER_VALUES, is_fractional, leaf_names
from engine.leaves import probability_range
from engine.number_words import difference_unit, error_text, percent_text, probability_text, weight_text
from engine.tree import Tree
from pages.shared import stability_words
from pages.shared.stability_words import noisy_readings
from pages.shared.words import CAVEATS, FEW, PRIVATE, REPEATING, count, listing, number, opening, plural

Floats = NDArray[np.float64]


TYPED = "It starts at the middle of the training patients; empty means missing. " + PRIVATE
ROW = "The patient's row in the file, the first under the names being 1; it stays theirs whoever is set aside."
WHOLE_TREE = "Show the whole tree"
BRANCH_SHARES = "Shares on the branches are coherent: how often the true patient goes each way."
BLENDED = {
    "zone": "Inside a zone the two sides are blended, by how far the reading lies into it.",
    "deferred": "The two sides are blended at the first zone met; below it the reading decides.",
}
SIMILAR = "By standardised distance over the values both have. They take no part in the answer."


@dataclass(frozen=True)
class Card:
    """One small card: its title, its key figure, a sentence, and what is one hover away."""

    title: str
    key: str
    sentence: str
    help: str = CAVEATS


def refused(asked: int, shown: int) -> str:
    return f"Patient {asked:,} is set aside on the Data page, so this is patient {shown:,}."


def not_asked(n: int, by_bayes: bool = False) -> str:
    return f"Show {plural(n, 'more reading')}" if by_bayes else f"Show {n} not asked"


def step(known: Floats) -> float:
    """Return the step of a reading's control, after the decimals of the training values."""
    for decimals in range(5):
        if np.allclose(known, np.round(known, decimals), atol=1e-9, rtol=0):
            return float(10.0**-decimals)
    span = float(np.ptp(np.clip(known, -1e300, 1e300))) if len(known) else 0.0
    return float(10.0 ** (math.floor(math.log10(span or 1.0)) - 2))


def best_probability(case: Case) -> float:
    return float(np.max(case.probability))


def best_class(case: Case, view: View) -> str:
    return view.class_name(view.classes[int(np.argmax(case.probability))])


def named(names: Sequence[str], view: View, most: int = 3) -> str:
    """Return the display names of some variables, the first few of many."""
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return listing([*(view.variable(name) for name in names[:most]), *more])


def advice(case: Case, view: View, lacking: Sequence[str]) -> str:
    """Return what to do first: a missing value comes before a second reading."""
    if lacking:
        return f" Measure first: {named(lacking, view)}."
    if case.best_repeat is None:
        return ""
    though = ", though it may stay unanswered" if case.answer is None else ""
    return f" Repeat first: {view.variable(case.best_repeat)}{though}."


@dataclass(frozen=True)
class Costs:
    """What answers cost: cost[true, answer] in the order of the classes, and the cost of giving none."""

    table: Sequence[Sequence[float]]
    abstain: float | None


def cost_reason(case: Case, costs: Costs | None, view: View) -> str:
    """Return why abstaining costs least, in the expected costs."""
    if costs is None or costs.abstain is None:
        return "abstaining costs least"
    expected = expected_costs(case.probability[None, :], costs.table)[0]
    best = int(np.argmin(expected))
    cheapest = view.class_name(view.classes[best])
    return f"it costs {number(costs.abstain, 3)}, the cheapest answer, {cheapest}, {number(float(expected[best]), 3)}"


def simulated(case: Case) -> str:
    """Return that the figures come from drawn true values, "" where they are exact."""
    if not case.simulated:
        return ""
    return f"Worked out from {case.n_draws:,} simulated true values, since a naive Bayes leaf answers by each reading."


def case_heading(case: Case, view: View, target: str, lacking: Sequence[str], costs: Costs | None = None) -> str:
    """Return the answer under the name of what is answered, or that there is none and why."""
    if case.answer is not None:
        return f"{opening(target)}: {view.spoken(case.answer)}"
    if view.decision != "tau":
        return f"No answer: {cost_reason(case, costs, view)}.{advice(case, view, lacking)}"
    p = probability_text(best_probability(case), view.tau)
    return f"No answer: best class {best_class(case, view)}, {p} < τ {view.tau:.2f}.{advice(case, view, lacking)}"


def asked_of(tree: Tree) -> set[str]:
    """Return the variables that bear on an answer: those of the splits, and all where leaves are naive Bayes."""
    return set(tree.variables) if tree.has_bayes else {tree.variables[int(j)] for j in tree.variable if j >= 0}


def causes(noisy: Sequence[str], lacking: Sequence[str], view: View) -> str:
    """Return what the plausible true states differ by: measurement error, what is missing, or both."""
    missing = [f"the missing {named(lacking, view)}"] if lacking else []
    return " and ".join([*(["measurement error"] if noisy or not lacking else []), *missing])


def agree(case: Case, view: View, asked: Collection[str], lacking: Sequence[str]) -> str:
    """Return the stability as a count of a hundred plausible true states, or why there is no such count.

    Where the tree is not read by exact thresholds, it says what those would answer instead: a soft answer that
    abstains is one that hard gates hardly ever give.
    """
    if not stability_words.assessed(case, asked, lacking):
        return stability_words.NOT_ASSESSED
    if stability_words.read_as(case) != "hard":
        return stability_words.by_truth(case, view)
    counts = hundred_counts(case.answer_shares)
    same = sum(n for answer, n in counts if answer == case.answer)
    one = same <= 1
    said = f"{'gives' if one else 'give'} this answer too"
    if case.answer is None:
        said = f"{'leaves' if one else 'leave'} it unanswered too"
    shown = "More than 99" if same > 99 else "Fewer than 1" if same < 1 else str(same)
    by = f" ({causes(noisy_readings(case, asked), lacking, view)})" if lacking else ""
    return f"{shown} of 100 plausible true states{by} {said}."


def were(n: str) -> str:
    return "was" if n == "1" else "were"


def one_added(tree: Tree, node: int, k: int) -> bool:
    """Return whether a leaf's P is not its patients' share but that with one patient of each class added."""
    inside, n, p = float(tree.class_weight[node, k]), float(tree.weight[node]), float(tree.probability[node, k])
    added = (inside + 1.0) / (n + len(tree.classes))
    return abs(p - added) < 1e-9 and abs(p * n - inside) > 1e-9 * n


def leaf_words(tree: Tree, shares: Floats, k: int, view: View) -> str:
    """Return who the training patients of the leaf were, or of the leaf with the largest share of a shared patient."""
    place = int(np.argmax(shares))
    node, among = int(tree.leaves[place]), int(np.sum(shares >= OFF_PATH))
    weight, parts = float(tree.weight[node]), is_fractional(tree)
    inside, n = weight_text(float(tree.class_weight[node, k]), parts), weight_text(weight, parts)
    few = f", {FEW}" if weight < FEW_PATIENTS else ""
    who = f"{inside} of {n} {'patient' if n == '1' else 'patients'} {were(inside)} “{view.class_name(tree.classes[k])}”"
    if tree.has_bayes:
        who = f"{who}{few}; P itself is its naive Bayes at this reading"
        few = ""
    elif one_added(tree, node, k):
        who = f"{who}{few}; P itself counts one more patient of each class (Laplace)"
        few = ""
    if among < 2:
        return f"In the leaf reached {who}{few}"
    share, where = percent_text(float(shares[place])), leaf_names(tree)[node]
    where = "the leaf of other values" if where == OTHER_VALUES else where
    return f"Shared among {count(among)} leaves; the largest share, {share}, is in {where}, where {who}{few}"


def leaf_range(tree: Tree, shares: Floats, case: Case, view: View) -> str:
    """Return the 95 % range of P in the leaf that `leaf_words` tells of; a naive Bayes leaf has none."""
    if tree.has_bayes:
        return "A naive Bayes leaf's P has no 95 % range of its own."
    k = view.positive_index if not view.several else int(np.argmax(case.probability))
    node = int(tree.leaves[int(np.argmax(shares))])
    if tree.weight[node] <= 0:
        return "No training patient is in this leaf, so its P has no 95 % range."
    weights = tree.class_weight[node, k], tree.weight[node], tree.weight_squared[node]
    low, high, about = probability_range(*map(float, weights))
    shared = ", approximate, since patients are shared" if about else ""
    ends = f"{probability_text(low)} to {probability_text(high)}"
    return f"95 % range of that leaf's share {ends} (Clopper–Pearson{shared})."


def case_sentence(
    tree: Tree,
    shares: Floats,
    case: Case,
    view: View,
    similar: Sequence[Any],
    lacking: Sequence[str],
) -> str:
    """Return P and where it comes from, its range over the plausible true states, and the similar patients.

    `shares` (L,) is the patient's share in each leaf under the present evaluation.
    """
    k = view.positive_index if not view.several else int(np.argmax(case.probability))
    name = view.class_name(tree.classes[k])
    low, high = (float(edge) for edge in case.interval[k])
    asked = asked_of(tree)
    why = causes(noisy_readings(case, asked), lacking, view)
    if not noisy_readings(case, asked) and not lacking:
        spread_words = "; every reading is taken as exact"
    elif high - low > 0.005:
        spread_words = f"; range from {why} only {probability_text(low)} to {probability_text(high)}"
    else:
        spread_words = f"; {why} hardly {'move' if ' and ' in why else 'moves'} it"
    first = f"P({name}) {probability_text(float(case.probability[k]))}. {leaf_words(tree, shares, k, view)}"
    alike = sum(label == tree.classes[k] for label in similar)
    return f"{first}{spread_words}. Of the {len(similar)} most similar patients, {alike} {were(str(alike))} “{name}”."


def stability_sentence(case: Case, view: View, asked: Collection[str], lacking: Sequence[str]) -> str:
    """Return stability in the words of the design, with the noisy and the missing readings named."""
    noisy = noisy_readings(case, asked)
    said = f"answer {view.spoken(case.answer)}" if case.answer is not None else "give no answer"
    share = case.stability
    hundred = "more than 99" if share > 0.995 else "fewer than 1" if share < 0.005 else f"about {100 * share:.0f}"
    missing = f"the missing {named(lacking, view)} as among the training patients" if lacking else ""
    if not noisy and not lacking:
        return stability_words.NOT_STATED
    soft = stability_words.read_as(case) != "hard"
    known = ", known, and read by exact thresholds" if soft else ""
    again = stability_words.as_read(case, noisy)
    again = f" {again}" if again else ""
    if not noisy:
        return (
            f"With {missing} and every other reading taken as exact, this tree would {said} for {hundred} of 100 "
            "such patients. This is not the chance of disease."
        )
    readings = []
    for name in noisy[:3]:
        value, unit = case.values[name], view.units.get(name, "")
        if not isinstance(value, (int, float)):
            readings.append(f"{view.quoted(name)} {stability_words.misrecorded(case, name)}")
            continue
        around = number(float(value))
        spread_words = f"{error_text(number(case.sigma[name], 3), unit)}, 1 SD"
        readings.append(f"{view.quoted(name)} truly anywhere around {around} ({spread_words})")
    more = f" and {len(noisy) - 3} more likewise" if len(noisy) > 3 else ""
    held = f", {missing}" if lacking else ""
    drawn = f" {simulated(case)}" if case.simulated else ""
    return (
        f"{opening(causes(noisy, lacking, view))} alone: were {listing(readings)}{more}{held}{known}, this tree would "
        f"{said} for {hundred} of 100 such values.{again} This is not the chance of disease.{drawn}"
    )


def outside(
    case: Case, view: View, ranges: Mapping[str, tuple[float, float]], doubtful_zeros: Collection[str]
) -> list[str]:
    """Return a warning for every reading that no training patient had, or that cannot be, or that may be missing.

    `ranges` holds the lowest and highest training value by variable.
    """
    lines = []
    for name, (low, high) in ranges.items():
        value, unit = float(case.values[name] or 0.0), view.units.get(name, "")
        zero = " 0 may mean missing." if value == 0 and (low > 0 or name in doubtful_zeros) else ""
        shown = f"{view.variable(name)} {number(value)} {unit}".rstrip()
        if unit == "%" and not 0 <= value <= 100 and low >= 0 and high <= 100:
            lines.append(f"{shown} cannot be: a percentage lies from 0 to 100. Check the reading.")
        elif not low <= value <= high:
            lines.append(
                f"{shown} lies outside the training patients' {number(low)} to {number(high)}: "
                f"the tree has seen nobody like this, and its figures may not hold. Check the reading.{zero}"
            )
        elif zero:
            lines.append(f"{shown}:{zero}")
    return lines


def entered(typed: Sequence[str], of: int, from_data: bool, view: View) -> str:
    """Return which of a patient's readings were typed and where the others come from, "" for a patient of the data."""
    if from_data:
        return f"Changed by hand: {named(typed, view)}. The other readings are as in the data." if typed else ""
    if len(typed) == of:
        return ""
    middle = "the middle of the training patients, not this patient's"
    if not typed:
        return f"No reading was typed: each is {middle}."
    rest = "other reading is" if of - len(typed) == 1 else f"other {of - len(typed)} readings are"
    return f"Typed: {named(typed, view, 6)}. The {rest} {middle}."


def case_remarks(
    case: Case, view: View, lacking: Sequence[str], evaluation: str = "hard", unread: Sequence[str] = ()
) -> list[str]:
    """Return what else must be said: missing readings, an undecided zone, where τ would silence the tree.

    `unread` are the missing variables that only a leaf's naive Bayes would have read.
    """
    lines = []
    if lacking:
        one = len(lacking) == 1
        lines.append(
            f"Missing: {listing([view.variable(name) for name in lacking])}. {'It is' if one else 'They are'} shared "
            f"at each split as the training patients went; measure {'it' if one else 'them'} before repeating anything."
        )
    if unread:
        lines.append(
            f"Also missing: {named(unread, view)}. The leaf's naive Bayes does without "
            f"{'it' if len(unread) == 1 else 'them'}."
        )
    if not case.decided:
        inside = list(dict.fromkeys(step.variable for step in case.path if step.undecided))
        lines.append(
            f"Undecided: {named(inside, view)} {'lies' if len(inside) == 1 else 'lie'} inside a zone on the path, or "
            "cannot be told from it. The verdict qualifies the answer, it does not withhold it."
        )
        lines += [BLENDED[evaluation]] if evaluation in BLENDED else []
    p = best_probability(case)
    above = math.floor(100 * p + 1e-9) / 100 + 0.01
    if view.decision == "tau" and case.answer is not None and above <= 1.0:
        where = f"From τ {above:.2f} up" if above < 0.995 else "At τ 1.00"
        lines.append(
            f"{where} there would be no answer: best class {best_class(case, view)}, {probability_text(p, above)}."
        )
    return lines


def answers_up_to(case: Case, view: View) -> str:
    """Return up to which τ the best class would be answered."""
    if view.decision != "tau":
        return ""
    p, name = best_probability(case), best_class(case, view)
    most = f"{math.floor(100 * p + 1e-9) / 100:.2f}"  # τ moves by 0.01
    return f"This patient is answered, with {name}, {'at every τ' if p > 1 - 1e-9 else f'up to τ {most}'}."


def stability_card(case: Case, view: View, asked: Collection[str], lacking: Sequence[str]) -> Card:
    """Return the stability; where the tree is not read by exact thresholds, beside how often its own answer returns."""
    if not stability_words.assessed(case, asked, lacking):
        return Card("Stability", "Not assessed", stability_words.NOT_STATED_CARD)
    if stability_words.read_as(case) != "hard" and noisy_readings(case, asked):
        return Card(*stability_words.two_figures(case, view), f"{stability_words.TWO_FIGURES} {CAVEATS}")
    said = "give this answer" if case.answer is not None else "leave it unanswered"
    drawn = f" {simulated(case)} The bars are where the true patient lies." if case.simulated else ""
    return Card("Stability", probability_text(case.stability), f"of plausible true states {said}.{drawn}")


def signed(change: float, unit: str) -> str:
    """Return a change with its sign and unit: "+6.5 percentage points"."""
    size = f"{'+' if change > 0 else '−'}{number(abs(change), 3)}"
    return f"{size}\u00a0{difference_unit(unit, whole_words=True, size=size)}".rstrip()


def turned(answer: Any, view: View) -> str:
    return "abstain" if answer is None else f"answer {view.spoken(answer)}"


def by_thresholds(case: Case, view: View, name: str) -> str:
    """Return what exact thresholds alone would make of a reading, where that differs from what is shown; else ""."""
    if stability_words.read_as(case) == "hard":
        return ""
    shown, hard = case.nearest_shown_change.get(name), case.nearest_change.get(name)
    alike = case.hard_answer == case.answer and case.nearest_answer.get(name) == case.nearest_shown_answer.get(name)
    kinds = case.nearest_shown_category.get(name) == case.nearest_category.get(name)
    same = (shown is None) == (hard is None) and (shown is None or hard is None or abs(shown - hard) < 1e-6 * abs(hard))
    if alike and kinds and same:
        return ""
    first = f"Read by exact thresholds, the tree would {turned(case.hard_answer, view)} at these readings"
    if name not in case.nearest_answer:
        return f"{first}, and no change of {view.quoted(name)} alone would alter that. "
    to = f"“{case.nearest_category[name]}”" if hard is None else signed(hard, view.units.get(name, ""))
    return f"{first}; with {to} in {view.quoted(name)} it would {turned(case.nearest_answer[name], view)}. "


def change_card(
    case: Case, view: View, spread: Mapping[str, float], unrounded: Mapping[str, float] | None = None
) -> Card:
    """Return the smallest change of one reading that alters the answer shown.

    Noisy readings are compared in σ and come first; exact ones are compared in `spread`, their training SD. `unrounded`
    holds the exact change of readings whose own was taken to the next whole number.
    """

    def then(name: str) -> str:
        return f"the others held: the tree would {turned(case.nearest_shown_answer.get(name), view)}."

    names = nearest_first(case, spread)
    if names:
        name = names[0]
        change, sigma = float(case.nearest_shown_change[name] or 0.0), case.sigma.get(name, 0.0)
        unit = view.units.get(name, "")
        exact = (unrounded or {}).get(name, change)
        size = f", {number(abs(change) / sigma, 3)} σ" if sigma > 0 else ", taken as exact"
        whole = ""
        if number(abs(exact), 3) != number(abs(change), 3):
            enough = "the least change" if number(abs(exact), 3) == "0" else f"about {signed(exact, unit)}"
            whole = f" Rounded up, since readings are whole numbers: {enough} would do."
        help_words = f"{by_thresholds(case, view, name)}{CAVEATS}"
        sentence = f"of {view.quoted(name)}{size}, {then(name)}{whole}"
        return Card("Nearest change", signed(change, unit), sentence, help_words)
    if case.nearest_shown_category:
        name, category = next(iter(case.nearest_shown_category.items()))
        sentence = f"in place of {case.values[name]} as {view.quoted(name)}, {then(name)}"
        return Card("Nearest change", f"{category}", sentence, f"{by_thresholds(case, view, name)}{CAVEATS}")
    hard = "".join(by_thresholds(case, view, name) for name in list(case.nearest_answer)[:1])
    return Card("Nearest change", "none", "No single reading, changed alone, alters the answer.", f"{hard}{CAVEATS}")


def repeat_card(case: Case, view: View, lacking: Sequence[str], asked: Collection[str] | None = None) -> Card:
    """Return which measurement is worth repeating; `asked` are the variables of the tree, None for all."""
    help_words = f"{CAVEATS} {REPEATING}"
    if case.best_repeat is None:
        if lacking:
            return Card(
                "Measure what is missing",
                "–",
                f"{listing([view.variable(n) for n in lacking])}: a missing value cannot be repeated. {REPEATING}",
                help_words,
            )
        noisy = noisy_readings(case, case.values if asked is None else asked)
        if not any(case.sigma[name] > 0 for name in noisy):
            why = stability_words.NO_REPEAT_CATEGORY if noisy else stability_words.NO_REPEAT
            return Card("Repeat a measurement", "Not assessed", why)
        return Card(
            "Repeat a measurement",
            "None would help",
            f"No second reading would make the tree surer by 0.005 or more. {REPEATING}",
            help_words,
        )
    drawn = f"From {DRAWS_REPEAT:,} simulated true values. " if case.simulated else ""
    gain = float(case.repeat_advice[case.best_repeat])
    before, after = probability_text(case.certainty), probability_text(min(1.0, case.certainty + gain))
    first = "Then repeat" if lacking else "Repeat first"  # what is missing is measured before
    by = "" if stability_words.read_as(case) == "hard" else " by exact thresholds"
    return Card(
        f"{first}: {view.variable(case.best_repeat)}",
        f"{before} → {after}",
        f"expected certainty{by}, with the two readings averaged. {drawn}{REPEATING}",
        help_words,
    )


def ways_card(case: Case, view: View) -> Card:
    """Return how the ways to evaluate compare."""
    k = view.positive_index if not view.several else int(np.argmax(case.probability))
    found = [float(p[k]) for p in case.probabilities.values() if p is not None]
    low, high = min(found), max(found)
    key = probability_text(low) if high - low < 0.005 else f"{probability_text(low)} to {probability_text(high)}"
    said = {view.spoken(answer) for answer in case.answers.values()}
    drawn = f" {simulated(case)}" if case.simulated else ""
    same = f"all {count(len(found))} say {said.pop()}" if len(said) == 1 else "they disagree on the answer"
    line = " Line: its range over the plausible true states." if np.ptp(case.interval[k]) > 0 else ""
    return Card(
        f"{opening(count(len(found)))} ways to evaluate",
        key,
        f"P of {view.class_name(view.classes[k])}: {same}.{line}{drawn}",
    )
