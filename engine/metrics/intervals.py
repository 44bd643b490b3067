"""Confidence intervals of a rate and of a mean.

In: counts of events, figures of folds. Out: (low, high); None where there is nothing to go by.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import stats

from engine.errors import PenumbraError
from engine.labels import is_missing
from engine.leaves import lower_limit, upper_limit


def rate_interval(
    events: float, n: float, level: float = 0.95, method: str = "clopper_pearson"
) -> tuple[float, float] | None:
    """Return a confidence interval of a rate; None without patients.

    Parameters
    ----------
    events, n : how many of how many. level : coverage. method : "clopper_pearson" (exact) or "wilson" (shorter).

    Raises
    ------
    PenumbraError
        For another method, or events outside 0 to n.

    Examples
    --------
    >>> [round(end, 3) for end in rate_interval(0, 10)]
    [0.0, 0.308]
    >>> [round(end, 3) for end in rate_interval(8, 10, method="wilson")]
    [0.49, 0.943]
    """
    if not 0.0 <= events <= n or not 0.0 < level < 1.0:
        raise PenumbraError("An interval takes from 0 to n events of n patients, and a level between 0 and 1.")
    if method not in ("clopper_pearson", "wilson"):
        raise PenumbraError(f"method is {method!r}; choose clopper_pearson or wilson.")
    if n == 0:
        return None
    tail = (1.0 - level) / 2.0
    if method == "clopper_pearson":
        return lower_limit(events, n, tail), upper_limit(events, n, tail)
    z = float(stats.norm.isf(tail))
    middle = (events + z * z / 2.0) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(events * (n - events) / n + z * z / 4.0)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(
    values: Iterable[float | None], level: float = 0.95, overlap: float = 0.0
) -> tuple[float, float] | None:
    """Return Student's t interval of the mean of fold figures, undefined ones left out; None under two figures.

    Parameters
    ----------
    values : one figure a fold. level : coverage.
    overlap : test size over training size, 1/9 in 10-fold cross-validation: widens the interval for training sets that
        share patients (Nadeau & Bengio 2003). At 0 the folds are taken as independent.

    Examples
    --------
    >>> [round(end, 4) for end in mean_interval([0.7, 0.8, 0.9])]
    [0.5516, 1.0484]
    """
    found = np.array([float(v) for v in values if v is not None and not is_missing(v)])
    if len(found) < 2:
        return None
    spread = float(found.std(ddof=1)) * math.sqrt(1.0 / len(found) + overlap)
    half = float(stats.t.isf((1.0 - level) / 2.0, len(found) - 1)) * spread
    return float(found.mean()) - half, float(found.mean()) + half
