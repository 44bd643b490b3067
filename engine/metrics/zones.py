"""What zones cost and bring: figures of decided patients, efficiency, and the undecided rate beside the Bayes error.

In: true labels, predictions and verdicts; figures of data sets. Out: `ZoneMetrics` and plain figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import PenumbraError
from engine.metrics.answers import accuracy, macro_f1
from engine.metrics.precise import finite_or_none, mean_or_none, precise_pairs

LEAST_RATE = 0.01  # METHODS §7: a smaller boundary-uncertain rate makes an efficiency too unsteady to average


@dataclass(frozen=True)
class ZoneMetrics:
    """What zones cost and bring, METHODS §7; each None where undefined.

    Attributes
    ----------
    overall_accuracy, decided_accuracy, decided_macro_f1 : of all, and of decided patients, whose truth is precise.
    boundary_uncertain_rate : share of all patients who are undecided.
    efficiency : (decided accuracy - CART accuracy)/rate. ub_ratio : rate/Bayes error.
    """

    overall_accuracy: float | None
    boundary_uncertain_rate: float | None
    decided_accuracy: float | None
    decided_macro_f1: float | None
    efficiency: float | None
    ub_ratio: float | None


def zone_metrics(
    truth: Iterable[Any],
    predicted: Iterable[Any],
    decided: Iterable[bool],
    cart_accuracy: float | None = None,
    bayes_error: float | None = None,
) -> ZoneMetrics:
    """Return the figures of predictions with verdicts. [T], METHODS §7

    Parameters
    ----------
    truth, predicted : n of each. decided : n verdicts, True where no zone was entered.
    cart_accuracy : accuracy of CART on the same patients; bayes_error : the least error possible, or its bound.

    Raises
    ------
    PenumbraError
        For unequal lengths.
    """
    given, said, verdicts = list(truth), list(predicted), list(decided)
    precise_pairs(given, said)
    if not all(isinstance(d, (bool, np.bool_, int, np.integer)) and d in (0, 1) for d in verdicts):
        raise PenumbraError("decided holds something that is no verdict; give True or False a patient.")
    sure = [bool(d) for d in verdicts]
    if len(sure) != len(given):
        raise PenumbraError(f"There are {len(given)} true labels but {len(sure)} verdicts; give one of each a patient.")
    kept = [(t, p) for t, p, d in zip(given, said, sure, strict=True) if d]
    decided_truth, decided_said = [t for t, _ in kept], [p for _, p in kept]
    rate = mean_or_none(not d for d in sure)
    decided_accuracy = accuracy(decided_truth, decided_said)
    return ZoneMetrics(
        overall_accuracy=accuracy(given, said),
        boundary_uncertain_rate=rate,
        decided_accuracy=decided_accuracy,
        decided_macro_f1=macro_f1(decided_truth, decided_said),
        efficiency=efficiency(decided_accuracy, cart_accuracy, rate),
        ub_ratio=ub_ratio(rate, bayes_error),
    )


def efficiency(decided_accuracy: float | None, cart_accuracy: float | None, rate: float | None) -> float | None:
    """Return (decided accuracy - CART accuracy)/boundary-uncertain rate; None at rate 0. [T], METHODS §7

    Examples
    --------
    >>> round(efficiency(0.9, 0.8, 0.2), 12)
    0.5
    >>> efficiency(0.9, 0.8, 0.0) is None
    True
    """
    decided_accuracy = finite_or_none(decided_accuracy, "decided_accuracy")
    cart_accuracy, rate = finite_or_none(cart_accuracy, "cart_accuracy"), finite_or_none(rate, "rate")
    if decided_accuracy is None or cart_accuracy is None or not rate:
        return None
    return (decided_accuracy - cart_accuracy) / rate


def mean_efficiency(
    efficiencies: Iterable[float | None], rates: Iterable[float | None], least_rate: float = LEAST_RATE
) -> float | None:
    """Return the mean efficiency over the data sets whose boundary-uncertain rate exceeds `least_rate`. [T]

    Data sets without an efficiency are left out too; None when none is left.
    """
    found, known = list(efficiencies), list(rates)
    if len(found) != len(known):
        raise PenumbraError(f"There are {len(found)} efficiencies but {len(known)} rates; give one of each a data set.")
    pairs = zip(found, known, strict=True)
    return mean_or_none(e for e, rate in pairs if e is not None and rate is not None and rate > least_rate)


def ub_ratio(rate: float | None, bayes_error: float | None) -> float | None:
    """Return boundary-uncertain rate/Bayes error; None when the error is 0 or unknown. [T], METHODS §7"""
    rate, bayes_error = finite_or_none(rate, "rate"), finite_or_none(bayes_error, "bayes_error")
    return rate / bayes_error if rate is not None and bayes_error else None
