"""Wilcoxon's signed-rank test of figures in pairs.

In: figures of two models on the same folds or data sets. Out: a `PairedTest`; None where no pair differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from engine.labels import is_missing

Floats = NDArray[np.float64]
MOST_EXACT_TIES = 13  # differences, some of the same size: with more, p is taken from the normal, as scipy does


@dataclass(frozen=True)
class PairedTest:
    """A paired comparison: pairs that differ, the smaller rank sum, the two-sided p value, the mean difference."""

    n: int
    statistic: float
    p_value: float
    mean_difference: float


def wilcoxon(first: Iterable[float | None], second: Iterable[float | None]) -> PairedTest | None:
    """Return Wilcoxon's signed-rank test of paired figures, such as accuracies on the same data sets. [S], [C]

    Parameters
    ----------
    first, second : figures in pairs; a pair with one undefined (None) is left out.

    Returns
    -------
    The two-sided test of first - second, equal pairs dropped (Wilcoxon's own way), exact where scipy offers it;
    None when no pair differs. The mean difference is over all pairs.

    Notes
    -----
    Folds of one data set share patients, so their pairs are not independent and p is too small; data sets are.

    Examples
    --------
    >>> wilcoxon([0.8, 0.9, 0.7, 0.95, 0.6], [0.7, 0.85, 0.72, 0.8, 0.57]).p_value
    0.125
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if not is_missing(a) and not is_missing(b)]
    # Rounded, so that differences equal but for rounding stay tied or nil.
    differences = np.round([float(a) - float(b) for a, b in pairs if a is not None and b is not None], 12)
    unequal = differences[differences != 0.0]
    if len(unequal) == 0:
        return None
    size, mean = np.abs(unequal), float(differences.mean())
    if len(unequal) <= MOST_EXACT_TIES and len(np.unique(size)) < len(size):
        return PairedTest(len(unequal), *tied_signed_ranks(unequal), mean)
    found = stats.wilcoxon(unequal)
    return PairedTest(len(unequal), float(found.statistic), float(found.pvalue), mean)


def tied_signed_ranks(differences: Floats) -> tuple[float, float]:
    """Return the smaller rank sum and the exact two-sided p of n differences, of which some are of the same size.

    scipy tries all 2**n signs one after the other, which takes seconds; here the sums that they give are counted.
    """
    twice = np.rint(2.0 * stats.rankdata(np.abs(differences))).astype(np.int64)  # mean ranks of ties may be halves
    ways = np.zeros(int(twice.sum()) + 1)
    ways[0] = 1.0
    for rank in twice:
        ways[rank:] += ways[:-rank].copy()
    positive = int(twice[differences > 0.0].sum())
    tail = min(float(ways[: positive + 1].sum()), float(ways[positive:].sum())) / float(ways.sum())
    return min(positive, len(ways) - 1 - positive) / 2.0, min(1.0, 2.0 * tail)
