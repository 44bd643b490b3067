"""How much each patient counts: stated weights, and a factor by class.

In: sample weights, class weights, labels. Out: (n,) float64; what is no weight is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.names import classes_named, listed
from engine.schema import MOMENTS
from engine.table import LabelSets

Floats = NDArray[np.float64]


def read_weights(sample_weight: Any, n: int) -> Floats:
    """Return (n,) weights, 1 each when none are given; refuse negative, infinite, missing or all-zero ones."""
    if sample_weight is None:
        return np.ones(n)
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "biufO" or any(isinstance(w, (*MOMENTS, str)) for w in given.flat):
            raise TypeError
        weight = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PenumbraError("sample_weight holds something that is no number; give one number a patient.") from None
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.ndim != 1 or len(weight) != n:
        raise PenumbraError(f"sample_weight has shape {weight.shape}, expected ({n},): give one weight a patient.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise PenumbraError("sample_weight holds negative, missing or infinite weights; give positive numbers.")
    if not (weight > 0).any():
        raise PenumbraError("sample_weight is zero for every patient; at least one must be positive.")
    refuse_extreme("sample_weight", weight)
    return weight


def refuse_extreme(what: str, weight: Floats) -> None:
    """Refuse weights whose sum or sum of squares leaves the range of a float, or counts of patients become NaN."""
    with np.errstate(over="ignore", under="ignore"):
        squares = float(np.square(weight).sum())
    if not np.isfinite(squares) or squares <= 0.0 or not np.isfinite(weight.sum()):
        raise PenumbraError(
            f"{what} is so large or small that its squares leave the range of numbers; divide all weights by one "
            "number, such as their mean."
        )


def class_weights(labels: LabelSets, stated: str | Mapping[Any, float], present: NDArray[np.bool_]) -> Floats:
    """Return a factor a patient (n,) from its class, 1 for imprecise labels. METHODS §1, §6

    Parameters
    ----------
    stated : "balanced", n / (K · n_class) over precise labels, or a dict {class: weight}, 1 for a class not named.
    present : (n,) True for the patients that are counted: one of weight 0 is left out.
    """
    n_classes = len(labels.classes)
    precise = labels.code < n_classes
    by_class = np.ones(n_classes)
    if isinstance(stated, Mapping):
        classes = list(labels.classes)
        unknown = [name for name in stated if name not in classes]
        if unknown:
            raise PenumbraError(
                f"class_weight names {listed(unknown)}, but the classes in y are {classes_named(classes)}."
            )
        for name, factor in stated.items():
            by_class[classes.index(name)] = float(factor)
    else:
        counts = np.bincount(labels.code[precise & present], minlength=n_classes)
        by_class = counts.sum() / (n_classes * np.maximum(counts, 1))
    weight = np.ones(len(labels.code))
    weight[precise] = by_class[labels.code[precise]]
    return weight
