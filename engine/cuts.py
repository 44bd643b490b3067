"""A numeric outcome as classes: below one cut it is low, above another high, from one to the other it is left open.

In: the outcome's numbers and two cuts in its unit. Out: labels, how many patients each takes, a cut to start from.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.number_words import number_text, shortest

Floats = NDArray[np.float64]
LOW, OPEN, HIGH = "low", "between", "high"
MOST_CLASSES = 20  # more different numbers than this are a measurement rather than names of classes


def checked_cut(cut: Any) -> tuple[float, float]:
    """Return the two cuts as numbers.

    Raises
    ------
    PenumbraError
        When they are not two finite numbers, the lower first; equal ones are allowed.
    """
    try:
        low, high = (float(edge) for edge in cut)
    except (TypeError, ValueError) as error:
        raise PenumbraError("cut takes two numbers, (low, high), in the target's unit.") from error
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise PenumbraError(
            "cut takes two finite numbers, the lower first: "
            f"the low cut is {number_text(low)} and the high cut {number_text(high)}."
        )
    return low, high


def cut_labels(numbers: Floats, cut: tuple[float, float]) -> NDArray[np.object_]:
    """Return `LOW`, `OPEN` or `HIGH` for each number (n,), "" where there is none; a value on a cut is open. [W]"""
    low, high = cut
    return np.select([numbers < low, numbers > high, np.isnan(numbers)], [LOW, HIGH, ""], OPEN).astype(object)


def cut_counts(numbers: Floats, cut: tuple[float, float]) -> dict[str, int]:
    """Return how many patients are `LOW`, `OPEN` and `HIGH`, and under "" how many have no number."""
    labels = cut_labels(numbers, cut)
    return {label: int((labels == label).sum()) for label in (LOW, OPEN, HIGH, "")}


def different_numbers(numbers: Floats) -> int:
    """Return how many different numbers there are."""
    return len(np.unique(numbers[np.isfinite(numbers)]))


def even_cut(numbers: Floats) -> float | None:
    """Return the cut that leaves as even a number of patients as can be on either side; None for fewer than two values.

    It lies between two neighbouring values, in as few digits as keep it there, so that nobody is on it.

    Examples
    --------
    >>> even_cut(np.array([1.0, 2.0, 3.0, 4.0]))
    2.5
    """
    values, counts = np.unique(numbers[np.isfinite(numbers)], return_counts=True)
    if len(values) < 2:
        return None
    below = np.cumsum(counts)[:-1]
    place = int(np.argmin(np.abs(below - counts.sum() / 2)))
    under, over = float(values[place]), float(values[place + 1])
    text = shortest(under / 2 + over / 2, 0, lambda cut: under < cut < over)
    return float(text.replace("−", "-"))
