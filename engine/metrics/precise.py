"""What the metrics share: precise labels and answers, and figures that may be undefined.

In: true labels and answers of patients. Out: single classes, pairs of them, means; None where there is none, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from engine.errors import PenumbraError
from engine.labels import is_missing
from engine.names import classes_named

TIE = 1e-12  # figures no further apart count as equal


def single_class(label: Any) -> Any:
    """Return the class that a label or answer names alone; None for ⊥, a missing label, and a set of several."""
    if isinstance(label, (set, frozenset, tuple, list)):
        return next(iter(label)) if len(label) == 1 else None
    return None if is_missing(label) else label


def precise_pairs(truth: Iterable[Any], answers: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return (true class, answer) of the patients whose truth is precise; the answer is None where not answered."""
    given, said = list(truth), list(answers)
    if len(given) != len(said):
        raise PenumbraError(f"There are {len(given)} true labels but {len(said)} answers; give one of each a patient.")
    pairs = [(single_class(t), single_class(a)) for t, a in zip(given, said, strict=True)]
    if not all(isinstance(name, Hashable) for pair in pairs for name in pair):
        raise PenumbraError("A true label or an answer is a dict or a list of lists; give a class, None or a set.")
    return [pair for pair in pairs if pair[0] is not None]


def mean_or_none(values: Iterable[float]) -> float | None:
    """Return the mean, None when there is nothing to average."""
    found = [float(v) for v in values]
    return math.fsum(found) / len(found) if found else None


def finite_or_none(value: Any, what: str) -> float | None:
    """Return a figure as a float, None as it is, or say that it must be a number; NaN would pass on unseen."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise PenumbraError(f"{what} is {value!r}; give a finite number, or None where there is none.")
    return number


def code_of(name: Any, classes: Sequence[Any], what: str) -> int:
    """Return the position of a class, or say which classes there are."""
    known = list(classes)
    if name not in known:
        raise PenumbraError(
            f"{what} holds a class that the model does not know; its classes are {classes_named(known)}."
        )
    return known.index(name)
