"""Sentences about how far the answer holds: by exact thresholds at the true values, and read again as it was read.

In: a case and the view. Out: text. Nothing is promised where no measurement error is stated.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.case import DRAWS_AS_READ, Case
from engine.draw import View
from engine.draw.case_charts import hundred_counts
from engine.number_words import percent_text, probability_text
from pages.shared.words import listing

NOT_ASSESSED = "Not assessed: no measurement error in force"
STATE_IT = "See Noise"
NOT_STATED = (
    "No measurement error is in force for any reading the tree asks of this patient (none stated, or its factor is 0): "
    "each is taken as exact. How far error could change the answer is not known. This is not the chance of disease."
)
NOT_STATED_CARD = "No measurement error is in force for any reading the tree asks; each is taken as exact."
NO_REPEAT = "What a second reading would add is not known: no measurement error is in force. Repeating removes no bias."
NO_REPEAT_CATEGORY = "Only numbers are weighed for a second reading; recording a category again may help all the same."
KNOWN_TRUTH = "Were the true values known (read by exact thresholds):"
TWO_FIGURES = (
    "Two figures. Read the same way: each plausible true value is put in place of the reading and read by the rule "
    "used here. Stability: the true value is taken as known, and exact thresholds decide. Near a threshold the first "
    "can be high and the second low: the rule holds back exactly because the true values are divided."
)
GATES = {
    "soft": "by soft gates",
    "coherent": "by coherent gates",
    "zone": "blended inside the zones",
    "deferred": "blended at the first zone",
}


def read_as(case: Case) -> str:
    """Return the evaluation that gave the answer shown."""
    return next(way for way, p in case.probabilities.items() if p is case.probability)


def noisy_readings(case: Case, asked: Collection[str]) -> list[str]:
    """Return the readings that the tree asks and that may differ from the true value."""
    unsure = {name for name, sigma in case.sigma.items() if sigma > 0 or case.misrecord.get(name, 0.0) > 0}
    return [name for name in case.values if name in unsure and case.values[name] is not None and name in asked]


def assessed(case: Case, asked: Collection[str], lacking: Sequence[str]) -> bool:
    """Return whether the figures weigh anything: an error of some reading asked, or a missing one."""
    return bool(lacking) or bool(noisy_readings(case, asked))


def marks(case: Case, assessed: bool) -> str:
    """Return what stands over the hundred plausible true states, or in their place; "" when nothing need be said."""
    if not assessed:
        return NOT_ASSESSED
    return KNOWN_TRUTH if read_as(case) != "hard" else ""


def of_hundred(share: float) -> str:
    return "more than 99" if share > 0.995 else "fewer than 1" if share < 0.005 else f"{100 * share:.0f}"


def by_truth(case: Case, view: View) -> str:
    """Return what the tree would answer if the true values were known, as counts of a hundred."""
    counts = hundred_counts(case.answer_shares)
    share = dict(case.answer_shares)
    given = [(answer, n) for answer, n in counts if answer is not None and n > 0]
    vacant = next((n for answer, n in counts if answer is None), 0)

    def times(answer: object, n: int) -> str:
        return of_hundred(share[answer]) if n in (0, 100) else str(n)

    if not given:
        return f"Were the true values known, the tree would leave {times(None, vacant)} of 100 such patients open."
    said = listing([f"{view.spoken(answer)} for {times(answer, n)}" for answer, n in given])
    may_abstain = vacant or case.answer is None or view.decision == "tau"
    rest = f", and leave {vacant or 'none'} open" if may_abstain else ""
    divided = len(given) > 1 and given[1][1] >= 5 and not vacant and read_as(case) in ("soft", "coherent")
    why = "; it abstains because they are divided" if case.answer is None and divided else ""
    return f"Were the true values known, the tree would answer {said} of 100 such patients{rest}{why}."


def as_read(case: Case, noisy: Sequence[str]) -> str:
    """Return how often the answer comes again when the true values are read as the reading was; "" by hard gates."""
    if case.stability_as_read is None or not noisy:
        return ""
    again = "gives no answer again" if case.answer is None else "gives this answer again"
    missing = ", what is missing left missing" if case.missing else ""
    return (
        f"Read as here, {GATES[read_as(case)]}, at each plausible true value{missing}, it {again} for "
        f"{of_hundred(case.stability_as_read)} of 100 ({DRAWS_AS_READ} simulated values)."
    )


def two_figures(case: Case, view: View) -> tuple[str, str, str]:
    """Return title, key figure and sentence of the card where the tree is not read by exact thresholds."""
    assert case.stability_as_read is not None
    again = "give no answer again" if case.answer is None else "give this answer again"
    return (
        "Same answer, read the same way",
        probability_text(case.stability_as_read),
        f"of plausible true values, each read {GATES[read_as(case)]} as here, {again} ({DRAWS_AS_READ} simulated "
        f"values). Stability, by exact thresholds: {probability_text(case.stability)}. {by_truth(case, view)}",
    )


def misrecorded(case: Case, name: str) -> str:
    """Return a category with its chance of being misrecorded."""
    return f"recorded as {case.values[name]} (misrecorded in {percent_text(case.misrecord[name])})"
