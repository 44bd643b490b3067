"""How good probabilities are: Brier score, and how near a probability comes to the rate of its event.

In: true labels and probabilities; scores and outcomes. Out: plain figures and the bins of a reliability curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.metrics.precise import TIE, code_of, mean_or_none, precise_pairs, single_class

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def precise_rows(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> tuple[NDArray[np.int64], Floats]:
    """Return the true class code (m,) and probabilities (m, K) of the patients whose truth is precise.

    Raises
    ------
    PenumbraError
        For probabilities of another shape or missing, or a class outside `classes`.
    """
    given = [single_class(t) for t in truth]
    p = np.asarray(probability, dtype=np.float64)
    if p.shape != (len(given), len(classes)):
        raise PenumbraError(
            f"The probabilities have shape {p.shape}; {len(given)} patients and {len(classes)} classes need "
            f"({len(given)}, {len(classes)})."
        )
    if not np.isfinite(p).all():
        raise PenumbraError("Some probabilities are missing or infinite; give one for each patient and class.")
    kept = [i for i, t in enumerate(given) if t is not None]
    return np.array([code_of(given[i], classes, "truth") for i in kept], dtype=np.int64), p[kept]


def brier_score(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> float | None:
    """Return the mean over patients of Σ_k (p_k - [true class is k])², from 0 to 2. Brier 1950

    With two classes it is twice the score of one class's probability. None without a patient whose truth is precise.

    Parameters
    ----------
    truth : n labels. probability : (n, K). classes : the K classes, in the order of the columns.

    Raises
    ------
    PenumbraError
        As `precise_rows`.

    Examples
    --------
    >>> round(brier_score(["ill", "well"], [[0.9, 0.1], [0.4, 0.6]], ["ill", "well"]), 12)
    0.17
    """
    code, p = precise_rows(truth, probability, classes)
    return mean_or_none(((p - np.eye(len(classes))[code]) ** 2).sum(axis=1))


def confidence(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> tuple[Floats, Bools]:
    """Return the largest probability and whether its class is the true one, of patients with a precise truth, (m,).

    The first class on ties, as `predict` has it. Input to `reliability` and `accuracy_coverage`.
    """
    code, p = precise_rows(truth, probability, classes)
    top = p.max(axis=1, initial=0.0)
    return top, np.argmax(p >= top[:, None] - TIE, axis=1) == code


def class_scores(
    truth: Iterable[Any],
    probability: Any,
    classes: Sequence[Any],
    positive: Any,
    answers: Iterable[Any] | None = None,
) -> tuple[Floats, Bools]:
    """Return one class's probability and whether it is the true class, of patients with a precise truth, (m,).

    Parameters
    ----------
    positive : the class. answers : n answers; given, only answered patients are returned.
    """
    given = list(truth)
    if answers is not None:
        said = list(answers)
        precise_pairs(given, said)
        given = [None if single_class(a) is None else t for t, a in zip(given, said, strict=True)]
    code, p = precise_rows(given, probability, classes)
    k = code_of(positive, classes, "positive")
    return p[:, k], code == k


def checked_scores(score: Any, hit: Any) -> tuple[Floats, Bools]:
    """Return scores and outcomes as arrays (m,), or say what is wrong with them."""
    try:
        scores, hits = np.asarray(score, dtype=np.float64), np.asarray(hit, dtype=bool)
    except (TypeError, ValueError):
        raise PenumbraError("Give one finite score and one outcome, True or False, a patient.") from None
    if scores.ndim != 1 or scores.shape != hits.shape or not np.isfinite(scores).all():
        raise PenumbraError("Give one finite score and one outcome, True or False, a patient.")
    return scores, hits


@dataclass(frozen=True)
class Bin:
    """Patients whose probability lies in (low, high]: how many, their mean probability and the rate of events."""

    low: float
    high: float
    n: int
    mean_probability: float
    rate: float


def reliability(score: Any, hit: Any, n_bins: int = 10, bins: str = "width") -> list[Bin]:
    """Return the bins of a reliability curve, empty ones left out.

    Parameters
    ----------
    score : (m,) probabilities from 0 to 1. hit : (m,) whether the event came (of `confidence` or `class_scores`).
    n_bins : how many bins at most. bins : "width", equal parts of 0 to 1, the upper edge inside; or "count", equally
        many patients each, equal probabilities never parted.

    Raises
    ------
    PenumbraError
        For other bins, or scores outside 0 to 1.

    Examples
    --------
    >>> [(b.n, b.rate) for b in reliability([0.1, 0.2, 0.8, 0.9], [False, True, True, True], n_bins=2)]
    [(2, 0.5), (2, 1.0)]
    """
    scores, hits = checked_scores(score, hit)
    if bins not in ("width", "count") or n_bins < 1:
        raise PenumbraError(f"bins is {bins!r} with n_bins {n_bins}; choose width or count, and at least one bin.")
    if len(scores) and (scores.min() < -TIE or scores.max() > 1.0 + TIE):
        raise PenumbraError("Reliability takes probabilities; some scores lie outside 0 to 1.")
    if bins == "width":
        place = np.clip(np.ceil(scores * n_bins - 1e-9).astype(np.int64) - 1, 0, n_bins - 1)
        edges = [(k / n_bins, (k + 1) / n_bins) for k in range(n_bins)]
    else:
        place = equal_count_places(scores, n_bins)
        edges = [(float(scores[place == k].min()), float(scores[place == k].max())) for k in np.unique(place)]
    return [
        Bin(low, high, int((place == k).sum()), float(scores[place == k].mean()), float(hits[place == k].mean()))
        for k, (low, high) in enumerate(edges)
        if (place == k).any()
    ]


def equal_count_places(scores: Floats, n_bins: int) -> NDArray[np.int64]:
    """Return each score's bin, from 0; a bin ends with the run of equal scores that meets its share of patients."""
    if len(scores) == 0:
        return np.zeros(0, dtype=np.int64)
    order, ends = tied_runs(-scores)
    shares = len(scores) * np.arange(1, n_bins + 1) / n_bins
    closing = np.unique(ends[np.searchsorted(ends, shares - 1e-9)])
    place = np.empty(len(scores), dtype=np.int64)
    place[order] = np.searchsorted(closing, np.arange(len(scores)), side="right")
    return place


def expected_calibration_error(score: Any, hit: Any, n_bins: int = 10, bins: str = "width") -> float | None:
    """Return the mean over patients of |rate - mean probability| of their bin; None without patients.

    Naeini et al. 2015. Parameters and errors as `reliability`; with `confidence` it is the usual top-label error.
    """
    found = reliability(score, hit, n_bins, bins)
    n = sum(b.n for b in found)
    return math.fsum(b.n * abs(b.rate - b.mean_probability) for b in found) / n if n else None


def tied_runs(score: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order by falling score and, for each run of ties (1e-12), how many patients stand up to its end."""
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.diff(score[order]) < -TIE) + 1
    return order, np.append(ends, len(score)) if len(score) else ends
