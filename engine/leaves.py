"""What a leaf says: class probabilities from its training weights, and how far they can be trusted.

In: class weights of a node. Out: probabilities that sum to 1; Clopper–Pearson limits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


def frequency(class_weight: Floats) -> Floats:
    """Return W(y)/W for class weights (K,). METHODS §5."""
    return np.asarray(class_weight / class_weight.sum(), dtype=np.float64)


def laplace(class_weight: Floats) -> Floats:
    """Return (W(y) + 1)/(W + K) for class weights (K,). METHODS §5."""
    return np.asarray((class_weight + 1.0) / (class_weight.sum() + len(class_weight)), dtype=np.float64)


LEAVES: dict[str, Callable[[Floats], Floats]] = {
    "frequency": frequency,
    "laplace": laplace,
    "naive_bayes": laplace,  # the class prior; the rest is read at the reading (engine.bayes)
}


def leaf_probability(class_weight: Floats, parent: Floats | None, leaf: str) -> Floats:
    """Return a node's class probabilities; a node without weight has its parent's. METHODS §5."""
    if class_weight.sum() <= 0.0 and parent is not None:
        return parent
    return LEAVES[leaf](class_weight)


def upper_limit(errors: float, n: float, confidence: float) -> float:
    """Return U(E, N), the one-sided upper Clopper–Pearson limit of an error rate. [S] App. B, METHODS §5.

    Parameters
    ----------
    errors, n : error weight E and weight N, fractions allowed. confidence : c in (0, 1).

    Returns
    -------
    BetaInv(1 - c; E + 1, N - E), and 1 when E >= N.

    Examples
    --------
    >>> round(upper_limit(0, 6, 0.25), 3)
    0.206
    """
    if errors >= n:
        return 1.0
    return float(special.betaincinv(errors + 1.0, n - errors, 1.0 - confidence))


def upper_limits(errors: Floats, n: Floats, confidence: float) -> Floats:
    """Return U(E, N) of `upper_limit` for many leaves at once, (L,)."""
    inside = errors < n
    limits = np.ones(len(n))
    limits[inside] = special.betaincinv(errors[inside] + 1.0, (n - errors)[inside], 1.0 - confidence)
    return limits


def lower_limit(errors: float, n: float, confidence: float) -> float:
    """Return the one-sided lower Clopper–Pearson limit of a rate, 0 when there is no event."""
    if errors <= 0.0:
        return 0.0
    return float(special.betaincinv(errors, n - errors + 1.0, confidence))


def probability_range(
    class_weight: float, weight: float, weight_squared: float, level: float = 0.95
) -> tuple[float, float, bool]:
    """Return the Clopper–Pearson range of a leaf's class frequency. METHODS §9.

    Parameters
    ----------
    class_weight, weight : training weight of the class and of the leaf.
    weight_squared : sum of the squared patient weights; the effective n is weight² / weight_squared.
    level : coverage, 0.95 unless said.

    Returns
    -------
    low, high, approximate : `approximate` is True when weights are fractional, so that n is an effective one.
    An empty leaf has the range 0 to 1.
    """
    if weight <= 0.0:
        return 0.0, 1.0, True
    n = weight * weight / weight_squared
    events = n * min(1.0, max(0.0, class_weight / weight))
    whole = (
        abs(n - weight) < 1e-9 and abs(weight - round(weight)) < 1e-9 and abs(class_weight - round(class_weight)) < 1e-9
    )
    tail = (1.0 - level) / 2.0
    return lower_limit(events, n, tail), upper_limit(events, n, tail), not whole
