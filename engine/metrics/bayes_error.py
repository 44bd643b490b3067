"""The least error that any classifier could make, bounded by how often a patient's nearest neighbour differs.

In: patients and their labels. Out: the leave-one-out error of the nearest neighbour and the Cover–Hart bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.labels import read_labels
from engine.metrics.precise import TIE, finite_or_none, mean_or_none
from engine.schema import read_schema

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
CHUNK = 256  # patients whose distances to all others are held at a time


def cover_hart(nearest_error: float, n_classes: int) -> float:
    """Return the Cover–Hart lower bound on the Bayes error from a 1-NN error rate. [T], METHODS §7

    Parameters
    ----------
    nearest_error : R, the leave-one-out error of the nearest neighbour, from 0 to 1. n_classes : K, at least 2.

    Returns
    -------
    ((K-1)/K)·(1 - sqrt(1 - K·R/(K-1))), and (K-1)/K for a larger R.

    Raises
    ------
    PenumbraError
        For an error outside 0 to 1, or under two classes.

    Examples
    --------
    >>> round(cover_hart(0.1, 2), 4)
    0.0528
    """
    error, count = finite_or_none(nearest_error, "nearest_error"), finite_or_none(n_classes, "n_classes")
    if error is None or count is None or count < 2 or count % 1.0 or not 0.0 <= error <= 1.0:
        raise PenumbraError("The Cover–Hart bound takes an error rate from 0 to 1 and at least two classes.")
    most = (n_classes - 1) / n_classes
    return most * (1.0 - math.sqrt(max(0.0, 1.0 - nearest_error / most)))


def nearest_neighbour_error(
    X: Any, y: Any, nominal: Sequence[Any] | None = None, standardise: bool = True
) -> float | None:
    """Return the leave-one-out error of the nearest neighbour on standardised variables. [T], METHODS §7

    Parameters
    ----------
    X : DataFrame or array (n, M). y : n labels; patients with an imprecise one are left out, also as neighbours.
    nominal : columns to read as nominal. standardise : divide by the standard deviation (ddof 0) first.

    Returns
    -------
    A share from 0 to 1; None when no patient has a neighbour.

    Notes
    -----
    The squared distance is the mean, over the variables known in both patients, of the squared difference; a nominal
    variable gives 0 or 1 (same category or not), a variable that does not vary plays no part. Patients who share no
    known variable are no neighbours. Where several are equally near, the share of them with another class counts, so
    that the order of rows does not matter.

    Examples
    --------
    >>> nearest_neighbour_error([[0.0], [1.0], [9.0], [10.0]], ["a", "a", "b", "a"])
    0.5
    """
    schema = read_schema(X, nominal)
    values = schema.encode(X)
    labels = read_labels(y, len(values))
    precise = labels.code < len(labels.classes)
    values, code = values[precise], labels.code[precise]
    columns = [scaled_column(values[:, j], bool(schema.numeric[j]), standardise) for j in range(values.shape[1])]
    wrong: list[float] = []
    for start in range(0, len(values), CHUNK):
        rows = np.arange(start, min(start + CHUNK, len(values)))
        distance = squared_distances(columns, schema.numeric, rows)
        distance[np.arange(len(rows)), rows] = np.inf
        least = distance.min(axis=1, keepdims=True)
        nearest = np.isfinite(distance) & (distance <= least + TIE * (1.0 + least))
        others = (nearest & (code[None, :] != code[rows, None])).sum(axis=1)
        found = nearest.sum(axis=1)
        wrong.extend((others[found > 0] / found[found > 0]).tolist())
    return mean_or_none(wrong)


def scaled_column(column: Floats, numeric: bool, standardise: bool) -> Floats:
    """Return a variable's values in standard deviations when numeric, all missing when it does not vary."""
    known = column[~np.isnan(column)]
    if len(known) == 0 or np.ptp(known) == 0.0:
        return np.full(len(column), np.nan)
    return column / known.std() if numeric and standardise else column


def squared_distances(columns: list[Floats], numeric: Bools, rows: NDArray[np.intp]) -> Floats:
    """Return mean squared distances (r, n) of patients `rows` to all, inf where no variable is known in both."""
    total = np.zeros((len(rows), len(columns[0])))
    shared = np.zeros(total.shape, dtype=np.int64)
    for column, is_number in zip(columns, numeric, strict=True):
        apart = column[rows, None] - column[None, :]
        known = ~np.isnan(apart)
        part = apart * apart if is_number else (apart != 0.0).astype(np.float64)
        total += np.where(known, part, 0.0)
        shared += known
    return np.where(shared > 0, total / np.maximum(shared, 1), np.inf)


def bayes_error_bound(X: Any, y: Any, nominal: Sequence[Any] | None = None) -> float | None:
    """Return the Cover–Hart bound of the leave-one-out 1-NN error on standardised variables. [T], METHODS §7

    K counts the classes of `y`. None when no patient has a neighbour.
    """
    error = nearest_neighbour_error(X, y, nominal)
    return None if error is None else cover_hart(error, len(read_labels(y, len(X)).classes))
