"""Labels as they are given become sets of classes.

In: one label a patient: a class, None or NaN for all classes, a set, tuple or list for a partial label.
Out: `LabelSets`; what is no label is refused in a sentence.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import DataConversionWarning

from engine.errors import PenumbraError
from engine.schema import plain
from engine.table import LabelSets

COLUMN_VECTOR = (
    "A column-vector y was passed when a 1d array was expected; it is read as one label a patient. "
    "Change the shape of y to (n_samples,), for example using y.ravel()."
)


def is_missing(label: Any) -> bool:
    """Return True for None, NaN, NaT and pandas' NA."""
    return (
        label is None
        or (isinstance(label, (float, np.floating)) and bool(np.isnan(label)))
        or label is pd.NA
        or label is pd.NaT
    )


def read_labels(y: Any, n: int) -> LabelSets:
    """Return labels as sets: a class, None or NaN for all classes, a set, tuple or list for a partial label. [W]

    Raises
    ------
    PenumbraError
        For another length, labels of mixed type, measurements, an empty set, or fewer than two classes.
    """
    raw, label_of = list(flat_labels(y)), np.arange(n)
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and len(raw) == n:
        different, label_of = np.unique(y.ravel(), return_inverse=True)
        raw = different.tolist()
    elif len(raw) != n:
        raise PenumbraError(f"X has {n} patients but y has {len(raw)} labels: inconsistent numbers of samples.")
    members: list[tuple[Any, ...] | None] = []
    for given in raw:
        if type(given) is str:
            members.append((given,))
            continue
        label = given.tolist() if isinstance(given, np.ndarray) else given
        if isinstance(label, (set, frozenset, tuple, list)):
            if not label or any(is_missing(c) for c in label):
                raise PenumbraError("y holds an empty or unfinished set of classes; use None where nothing is known.")
            members.append(plain(label))
        else:
            members.append(None if is_missing(label) else plain([label]))
    try:
        seen = {c for label in members if label is not None for c in label}
    except TypeError:
        raise PenumbraError(
            "y holds a label that is a dict or a list of lists; give a class, None or a set of classes."
        ) from None
    refuse_measurements(seen)
    try:
        classes = sorted(seen)
    except TypeError as error:
        raise PenumbraError("The labels in y are of mixed type; make them all text or all numbers.") from error
    if len({isinstance(c, str) for c in classes}) > 1:
        raise PenumbraError("The labels in y are of mixed type; make them all text or all numbers.")
    if len(classes) < 2:
        found = "only one class" if classes else "no class at all"
        raise PenumbraError(f"y holds {found}; a tree needs patients of at least two classes.")
    place = {c: k for k, c in enumerate(classes)}
    sets: dict[frozenset[int], int] = {frozenset([k]): k for k in range(len(classes))}
    code = np.empty(len(raw), dtype=np.int32)
    full = frozenset(range(len(classes)))
    met: dict[tuple[Any, ...] | None, int] = {}
    for i, label in enumerate(members):
        if label not in met:
            met[label] = sets.setdefault(full if label is None else frozenset(place[c] for c in label), len(sets))
        code[i] = met[label]
    code = code[label_of]
    member = np.zeros((len(sets), len(classes)), dtype=bool)
    for key, s in sets.items():
        member[s, list(key)] = True
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    if all(isinstance(c, str) for c in classes):
        return LabelSets(array, code, member)
    return LabelSets(np.array(classes), code, member)


def flat_labels(y: Any) -> Iterable[Any]:
    """Return y as a flat sequence of labels; refuse tables and missing y."""
    if y is None:
        raise PenumbraError(
            "This estimator requires y to be passed, but the target y is None: give one label a patient."
        )
    if isinstance(y, (str, bytes, Mapping, set, frozenset)):
        raise PenumbraError(f"y is a {type(y).__name__}; give a list or an array with one label a patient.")
    if isinstance(y, (pd.Series, pd.Index)):
        return list(y)
    if isinstance(y, pd.DataFrame):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(COLUMN_VECTOR, DataConversionWarning, stacklevel=4)
            y = y[:, 0]
        if y.ndim != 1:
            raise PenumbraError(f"y should be a 1d array, got an array of shape {y.shape}: give one label a patient.")
        return list(y.tolist())
    return list(y) if hasattr(y, "__iter__") else flat_labels(np.asarray(y))


def refuse_measurements(classes: Iterable[Any]) -> None:
    """Refuse labels that are measured numbers, whatever kind of list they came in."""
    measured = [c for c in classes if isinstance(c, float)]
    if np.isinf(measured).any():
        raise PenumbraError("y holds infinity; labels are classes.")
    if any(not c.is_integer() for c in measured):
        raise PenumbraError("Unknown label type: y is continuous; cut it into classes first.")
