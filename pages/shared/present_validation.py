"""The present model tried on patients left out, once the reader asks for it; kept for this session only.

In: this session's choices. Out: a cross-validation, and its figures under the present decision.
"""

from __future__ import annotations

from sklearn.base import clone

from engine.decide import Rule
from engine.errors import PenumbraError
from engine.model_facts import Validation, validation
from engine.study import Study, cross_validate
from pages.shared import facts_words, jobs, present_tree, state
from pages.shared.cache import digest, holds, kept

FOLDS, REPEATS = 5, 5
MODEL, KIND, PAGE = "model", "validate", "facts"


def study_key() -> str:
    """Return what a cross-validation depends on; the decision and its τ or costs are put on it afterwards."""
    return digest(present_tree.fitted().key, state.value_of("evaluation"))


def run() -> None:
    """Begin to grow the trees of the cross-validation, off the page's thread.

    Raises
    ------
    PenumbraError
        With fewer patients than folds.
    """
    found = present_tree.fitted()
    X, y = found.data.X, found.data.y
    if len(y) < FOLDS:
        raise PenumbraError(facts_words.too_few(len(y), FOLDS))
    model = clone(found.model).set_params(evaluation=state.value_of("evaluation"))

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> Study:
        return cross_validate(X, y, {MODEL: model}, FOLDS, REPEATS, progress=progress, cancel=cancel)

    jobs.jobs().start(KIND, state.choices().variant, PAGE, work, key=study_key())


def validated() -> Validation | None:
    """Return the cross-validated figures under the present decision, None until the reader has asked for them."""
    key, reading, job = study_key(), present_tree.reading(), jobs.jobs().of(KIND)
    if job is not None and job.key == key and not job.active and job.study is not None and job.folds[0] >= FOLDS:
        ended = job.study
        kept("study", key, lambda: ended)
    if not holds("study", key):
        return None

    def figures() -> Validation:
        study = kept("study", key, lambda: None)
        rule = Rule(reading["decision"], reading["tau"], reading["cost"], reading["abstain_cost"])
        return validation(study.with_rule(rule), MODEL, FOLDS)

    return kept("validation", digest(key, reading), figures)
