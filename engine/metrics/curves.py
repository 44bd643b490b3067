"""What a moving threshold does: ROC curves and their areas, accuracy against coverage, net benefit.

In: scores and outcomes of patients. Out: frozen records of points; None where a curve is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.metrics.precise import TIE, mean_or_none
from engine.metrics.probabilities import checked_scores, class_scores, tied_runs

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Points of a ROC curve from (0, 0) to (1, 1), one a distinct score.

    Attributes
    ----------
    threshold : (P,) falling scores from which a patient is called positive, inf first.
    false_positive_rate, true_positive_rate : (P,). area : of the trapezoids, P(score of a positive > of a negative),
        ties one half.
    """

    threshold: Floats
    false_positive_rate: Floats
    true_positive_rate: Floats
    area: float


def roc_curve(score: Any, positive: Any) -> RocCurve | None:
    """Return the ROC curve; None when all patients are positive, or none is.

    Parameters
    ----------
    score : (m,) higher = more likely positive. positive : (m,) True or False; both from `class_scores`.

    Examples
    --------
    >>> roc_curve([0.9, 0.6, 0.6, 0.1], [True, True, False, False]).area
    0.875
    """
    scores, hits = checked_scores(score, positive)
    if hits.all() or not hits.any():
        return None
    order, ends = tied_runs(scores)
    true = np.concatenate([[0.0], np.cumsum(hits[order])[ends - 1] / hits.sum()])
    false = np.concatenate([[0.0], np.cumsum(~hits[order])[ends - 1] / (~hits).sum()])
    threshold = np.concatenate([[np.inf], scores[order][ends - 1]])
    return RocCurve(threshold, false, true, float(np.trapezoid(true, false)))


def auc_by_class(
    truth: Iterable[Any], probability: Any, classes: Sequence[Any], answers: Iterable[Any] | None = None
) -> dict[Any, float | None]:
    """Return the area under each class's one-versus-rest ROC curve, None where it is undefined.

    Parameters
    ----------
    truth, probability, classes : as `brier_score`. answers : given, only answered patients count.
    """
    given, said = list(truth), None if answers is None else list(answers)
    curves = {c: roc_curve(*class_scores(given, probability, classes, c, said)) for c in classes}
    return {c: None if curve is None else curve.area for c, curve in curves.items()}


def macro_auc(
    truth: Iterable[Any], probability: Any, classes: Sequence[Any], answers: Iterable[Any] | None = None
) -> float | None:
    """Return the mean of `auc_by_class` over the classes that have one; None when none has."""
    areas = auc_by_class(truth, probability, classes, answers).values()
    return mean_or_none(area for area in areas if area is not None)


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """Accuracy when only the surest patients are answered, one point a distinct confidence.

    Attributes
    ----------
    threshold : (P,) falling confidence from which a patient is answered. coverage, accuracy : (P,) then.
    area : mean over patients of the accuracy at the point where each is first answered; 1 = always right.
    """

    threshold: Floats
    coverage: Floats
    accuracy: Floats
    area: float


def accuracy_coverage(score: Any, correct: Any) -> CoverageCurve | None:
    """Return the accuracy–coverage curve, patients of equal confidence answered together; None without patients.

    Parameters
    ----------
    score : (m,) confidence. correct : (m,) whether the prediction is right; both from `confidence`.

    Notes
    -----
    One minus the area is the area under the risk–coverage curve of Geifman & El-Yaniv 2017.

    Examples
    --------
    >>> curve = accuracy_coverage([0.9, 0.8, 0.8, 0.6], [True, True, False, False])
    >>> curve.coverage.tolist(), curve.accuracy.round(2).tolist()
    ([0.25, 0.75, 1.0], [1.0, 0.67, 0.5])
    """
    scores, hits = checked_scores(score, correct)
    if len(scores) == 0:
        return None
    order, ends = tied_runs(scores)
    right = np.cumsum(hits[order])[ends - 1] / ends
    area = float((np.diff(ends, prepend=0) * right).sum() / len(scores))
    return CoverageCurve(scores[order][ends - 1], ends / len(scores), right, area)


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit per patient at each threshold probability (P,): of the model, of treating all, of treating none."""

    threshold: Floats
    model: Floats
    treat_all: Floats
    treat_none: Floats


def net_benefit(score: Any, positive: Any, thresholds: Any = None) -> DecisionCurve | None:
    """Return the decision curve TP/n - FP/n · t/(1 - t), treating from a probability of t on; None without patients.

    Parameters
    ----------
    score : (m,) probability of the positive class. positive : (m,) True or False; both from `class_scores`.
    thresholds : (P,) from 0 to below 1; 0.01, 0.02, … 0.99 unless given.

    Raises
    ------
    PenumbraError
        For a threshold outside 0 to below 1.

    Notes
    -----
    Vickers & Elkin 2006. A probability within 1e-12 of the threshold reaches it.

    Examples
    --------
    >>> curve = net_benefit([0.9, 0.4, 0.2], [True, False, False], [0.25])
    >>> curve.model.round(3).tolist(), curve.treat_all.round(3).tolist()
    ([0.222], [0.111])
    """
    scores, hits = checked_scores(score, positive)
    t = np.arange(1, 100) / 100.0 if thresholds is None else np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if not ((t >= 0.0) & (t < 1.0)).all():
        raise PenumbraError("A threshold probability lies from 0 to below 1.")
    if len(scores) == 0:
        return None
    treated = scores[None, :] >= t[:, None] - TIE
    odds = t / (1.0 - t)
    model = (treated & hits).mean(axis=1) - (treated & ~hits).mean(axis=1) * odds
    return DecisionCurve(t, model, hits.mean() - (~hits).mean() * odds, np.zeros(len(t)))
