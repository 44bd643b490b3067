"""A study read at every τ and threshold: coverage and accuracy, how often a stated P came true, ROC, net benefit.

In: a `Study`; no tree is grown again. Out: curves, bins and counts of plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import metrics
from engine.comparison import Figure, Pool
from engine.decide import SLACK
from engine.errors import PenumbraError
from engine.study_results import Study

Floats = NDArray[np.float64]
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class TauCurve:
    """What one model answers as τ moves: per τ (T,) the part of patients answered, and the part of those right.

    Both are worked out a repeat and averaged, as `compare` does; accuracy is NaN where nobody is answered.
    """

    tau: Floats
    coverage: Floats
    accuracy: Floats


@dataclass(frozen=True)
class StatedBin:
    """Patients whose stated P lies in (low, high]: how many, mean P, how often it came true, its 95 % range."""

    low: float
    high: float
    n: int
    mean_probability: float
    rate: float
    interval: tuple[float, float]


def tau_steps(n_classes: int) -> Floats:
    """Return every hundredth from the least τ that leaves nobody unanswered to 1."""
    return np.arange(math.floor(100.0 / max(2, n_classes)), 101) / 100.0


def tau_curve(study: Study, model: str, tau: Any) -> TauCurve | None:
    """Return coverage and accuracy of a model at each τ, (T,); None without results. METHODS §6, §7

    Coverage counts every patient left out, accuracy those answered whose one true class is known.
    """
    asked, results = np.atleast_1d(np.asarray(tau, dtype=np.float64)), study.of(model)
    if not results:
        return None
    coverage, accuracy = [], []
    for repeat in sorted({r.repeat for r in results}):
        pool = Pool.of(study, [r for r in results if r.repeat == repeat])
        coverage.append((pool.probability.max(axis=1)[None, :] >= asked[:, None] - SLACK).mean(axis=1))
        sure, right = metrics.confidence(pool.truth, pool.probability, pool.classes)
        told = sure[None, :] >= asked[:, None] - SLACK
        n = told.sum(axis=1)
        accuracy.append(np.divide((told & right).sum(axis=1), n, out=np.full(len(asked), np.nan), where=n > 0))
    held = np.array(accuracy)
    some = ~np.isnan(held)
    total, n = np.where(some, held, 0.0).sum(axis=0), some.sum(axis=0)
    mean = np.divide(total, n, out=np.full(len(asked), np.nan), where=n > 0)
    return TauCurve(asked, np.mean(coverage, axis=0), mean)


def first_repeat(study: Study, model: str) -> Pool | None:
    """Return the patients of a model's first repeat, each of whom is left out once; None without results."""
    results = study.of(model)
    first = min((r.repeat for r in results), default=0)
    return Pool.of(study, [r for r in results if r.repeat == first]) if results else None


def all_repeats(study: Study, model: str) -> Pool | None:
    """Return the patients of all a model's repeats, one after the other; None without results."""
    results = study.of(model)
    return Pool.of(study, results) if results else None


def stated_bins(score: Any, hit: Any, edges: Sequence[float] = EDGES) -> tuple[StatedBin, ...]:
    """Return how often a stated probability came true, bin by bin, empty ones left out.

    Parameters
    ----------
    score : (m,) stated probabilities. hit : (m,) whether the event came. edges : rising, from 0 to 1; an upper edge
        belongs to its bin, and 0 to the first.

    Examples
    --------
    >>> [(b.low, b.n, b.rate) for b in stated_bins([0.05, 0.1, 0.2, 0.9], [False, False, True, True])]
    [(0.0, 2, 0.0), (0.1, 1, 1.0), (0.7, 1, 1.0)]
    """
    scores, hits = np.asarray(score, dtype=np.float64), np.asarray(hit, dtype=np.bool_)
    sound = scores.shape == hits.shape and scores.ndim == 1 and bool((np.abs(scores - 0.5) <= 0.5 + ROUNDING).all())
    if not sound:
        raise PenumbraError("Give one probability from 0 to 1 and one outcome, True or False, a patient.")
    place = np.clip(np.searchsorted(np.asarray(edges), scores, side="left") - 1, 0, len(edges) - 2)
    found = []
    for k in range(len(edges) - 1):
        inside = place == k
        n, events = int(inside.sum()), int((inside & hits).sum())
        interval = metrics.rate_interval(events, n)
        if interval is not None:
            mean = float(scores[inside].mean())
            found.append(StatedBin(float(edges[k]), float(edges[k + 1]), n, mean, events / n, interval))
    return tuple(found)


def at_tau(row: Mapping[str, Figure]) -> tuple[float, float] | None:
    """Return a model's coverage and accuracy at the τ in force, from its row of `Comparison.figures`; None unless both.

    `row` holds "abstention_rate" and "answered_accuracy".
    """
    return _point(row, "abstention_rate", "answered_accuracy")


def by_zones(row: Mapping[str, Figure]) -> tuple[float, float] | None:
    """Return a model's coverage and accuracy when patients in a zone are set aside; None unless both are known."""
    return _point(row, "undecided_rate", "decided_accuracy")


def _point(row: Mapping[str, Figure], silent: str, right: str) -> tuple[float, float] | None:
    out, sure = row[silent].value, row[right].value
    return None if out is None or sure is None else (1.0 - out, sure)


def stated(study: Study, model: str, positive: Any = None) -> tuple[StatedBin, ...]:
    """Return how often a model's stated P came true in its first repeat, where each patient is left out once.

    Parameters
    ----------
    positive : the class whose P is read; None = the class answered, whichever it is.
    """
    pool = first_repeat(study, model)
    if pool is None:
        return ()
    if positive is None:
        return stated_bins(*metrics.confidence(pool.truth, pool.probability, pool.classes))
    return stated_bins(*metrics.class_scores(pool.truth, pool.probability, pool.classes, positive))


def roc(study: Study, model: str, positive: Any) -> metrics.RocCurve | None:
    """Return a model's ROC curve of the positive class, all repeats together; None without one."""
    pool = all_repeats(study, model)
    if pool is None:
        return None
    return metrics.roc_curve(*metrics.class_scores(pool.truth, pool.probability, pool.classes, positive))


def benefit(study: Study, model: str, positive: Any) -> metrics.DecisionCurve | None:
    """Return a model's net benefit of treating the positive class, all repeats together; None without one."""
    pool = all_repeats(study, model)
    if pool is None:
        return None
    return metrics.net_benefit(*metrics.class_scores(pool.truth, pool.probability, pool.classes, positive))


def answer_counts(study: Study, model: str) -> NDArray[np.int64] | None:
    """Return who got which answer in the first repeat, as `metrics.answer_table` has it; None without results."""
    pool = first_repeat(study, model)
    return None if pool is None else metrics.answer_table(pool.truth, pool.answers, pool.classes)
