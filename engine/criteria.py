"""Impurities: entropy, gini, and the mean logical entropy of label sets.

In: weights by label code, and which classes each code leaves possible. Out: numbers, and the `Labels` the kernels read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import kernels
from engine.errors import PenumbraError

CODES = {"information_gain": kernels.ENTROPY, "gain_ratio": kernels.ENTROPY, "gini": kernels.LOGICAL}
MOST_PARTIAL_CLASSES = 12
MOST_MASKED_CLASSES = 62


def kernel_labels(member: NDArray[np.bool_]) -> kernels.Labels:
    """Return the label sets as the kernels read them.

    Parameters
    ----------
    member : (S, K) bool, the classes that each label code leaves possible; the first K rows are the single classes.

    Raises
    ------
    PenumbraError
        For partial labels over more than 12 classes.
    """
    n_sets, n_classes = member.shape
    everything = bool(member[n_classes:].all())
    if not everything and n_classes > MOST_PARTIAL_CLASSES:
        raise PenumbraError(
            f"Partial labels over {n_classes} classes are not possible, {MOST_PARTIAL_CLASSES} at most; "
            "name one class or leave the label empty."
        )
    bits = 1 << np.arange(min(n_classes, MOST_MASKED_CLASSES), dtype=np.int64)
    mask = (member[:, : len(bits)] * bits).sum(axis=1).astype(np.int64)
    share = np.ascontiguousarray(member / member.sum(axis=1, keepdims=True))
    return kernels.Labels(share, mask, n_sets == n_classes, everything)


def logical_entropy(weights: ArrayLike, member: ArrayLike) -> tuple[float, float]:
    """Return the least and the largest logical entropy over the partitions that the label sets allow. [W], METHODS §6.

    Parameters
    ----------
    weights : (G,) weight of each group of patients, divisible.
    member : (G, K) bool, the classes still possible for the group.

    Returns
    -------
    The bounds h_* and h^*; the criterion is their mean.

    Raises
    ------
    PenumbraError
        For a negative or missing weight, a group without a class, unequal lengths, or partial labels over more than 12
        classes.

    Examples
    --------
    >>> low, high = logical_entropy([3.0, 1.0], [[True, False], [True, True]])
    >>> round(low, 3), round(high, 3)
    (0.0, 0.375)
    """
    groups, weight = np.asarray(member, dtype=bool), np.asarray(weights, dtype=np.float64)
    if groups.ndim != 2 or weight.shape != groups.shape[:1] or not groups.any(axis=1).all():
        raise PenumbraError("Give one weight and at least one possible class a group, as many columns as classes.")
    if not (np.isfinite(weight) & (weight >= 0.0)).all():
        raise PenumbraError("A group's weight is negative, missing or infinite; give a finite weight of 0 or more.")
    n_classes, single = groups.shape[1], groups.sum(axis=1) == 1
    labels = kernel_labels(np.vstack([np.eye(n_classes, dtype=bool), groups[~single]]))
    of_one = weight[single] @ groups[single].astype(np.float64)
    by_code = np.concatenate([of_one, weight[~single]])
    low, high = kernels.logical_bounds(by_code, labels)
    return float(low), float(high)


def impurity(by_code: NDArray[np.float64], criterion: str, labels: Any) -> float:
    """Return the impurity of weights by label code (S,) in the named criterion; 0 when there is no weight."""
    return float(kernels.impurity(by_code, CODES[criterion], labels))


def is_pure(by_code: NDArray[np.float64], labels: Any) -> bool:
    """Return True when at most one class has weight above 1e-12, or, with label sets, when h^* is at most 1e-12."""
    if labels.precise:
        return bool(sum(w > 1e-12 for w in by_code.tolist()) <= 1)
    return float(kernels.logical_bounds(by_code, labels)[1]) <= 1e-12
