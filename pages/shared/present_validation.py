"""The present model tried on patients left out, once the reader asks for it; kept for this session only.

In: this session's choices. Out: a cross-validation, and its figures under the present decision.
"""

from __future__ import annotations

import time

from sklearn.base import clone

from engine.decide import Rule
from engine.errors import PenumbraError
from engine.model_facts import Validation, validation
from engine.study import Study, cross_validate
from pages.shared import facts_words, present_tree, state
from pages.shared.cache import digest, holds, kept

FOLDS, REPEATS, LONG = 5, 5, 60.0  # seconds: after them no further repeat is begun
MODEL = "model"


def study_key() -> str:
    """Return what a cross-validation depends on; the decision and its τ or costs are put on it afterwards."""
    return digest(present_tree.fitted().key, state.value_of("evaluation"))


def run() -> None:
    """Grow the trees of the cross-validation; whole repeats are done until it has taken long.

    Raises
    ------
    PenumbraError
        With fewer patients than folds, or when the patients of some folds cannot grow a tree.
    """
    found, began, done = present_tree.fitted(), time.monotonic(), 0
    if len(found.data.y) < FOLDS:
        raise PenumbraError(facts_words.too_few(len(found.data.y), FOLDS))

    def counted(_: Study) -> None:
        nonlocal done
        done += 1

    def enough() -> bool:
        return bool(done) and done % FOLDS == 0 and time.monotonic() - began > LONG

    model = clone(found.model).set_params(evaluation=state.value_of("evaluation"))
    kept("study", study_key(), lambda: cross_validate(
        found.data.X, found.data.y, {MODEL: model}, FOLDS, REPEATS, progress=counted, cancel=enough
    ))  # fmt: skip


def validated() -> Validation | None:
    """Return the cross-validated figures under the present decision, None until the reader has asked for them."""
    key, reading = study_key(), present_tree.reading()
    if not holds("study", key):
        return None

    def figures() -> Validation:
        study = kept("study", key, lambda: None)
        rule = Rule(reading["decision"], reading["tau"], reading["cost"], reading["abstain_cost"])
        return validation(study.with_rule(rule), MODEL, FOLDS)

    return kept("validation", digest(key, reading), figures)
