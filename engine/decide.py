"""From class probabilities to an answer: a class, an abstention, or a set of classes.

In: probabilities (n, K) and the classes. Out: one answer a row; None means abstain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SLACK = 1e-12


def most_probable(probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the column of the largest probability in each row, the first class on ties."""
    top = probability.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(probability >= top - SLACK, axis=1), dtype=np.int64)


def by_argmax(probability: NDArray[np.float64], classes: Sequence[Any], tau: float) -> list[Any]:
    """Answer the most probable class of each row."""
    return [classes[k] for k in most_probable(probability)]


def by_tau(probability: NDArray[np.float64], classes: Sequence[Any], tau: float) -> list[Any]:
    """Answer the most probable class where its probability is at least τ - 1e-12, else abstain. [W], METHODS §6."""
    best = most_probable(probability)
    reached = probability[np.arange(len(best)), best] >= tau - SLACK
    return [classes[k] if sure else None for k, sure in zip(best, reached, strict=True)]


DECISIONS: dict[str, Callable[[NDArray[np.float64], Sequence[Any], float], list[Any]]] = {
    "argmax": by_argmax,
    "tau": by_tau,
}


def decide(probability: NDArray[np.float64], classes: Sequence[Any], decision: str, tau: float) -> list[Any]:
    """Return one answer a row of `probability` (n, K): a class, or None for an abstention. METHODS §6.

    Parameters
    ----------
    probability : (n, K), rows sum to 1. classes : the K classes.
    decision : a key of DECISIONS. tau : threshold of "tau".
    """
    return DECISIONS[decision](probability, classes, tau)
