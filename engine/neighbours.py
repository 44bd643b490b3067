"""Past patients most like one patient, by standardised distance over the values both have.

In: encoded training patients (n, M), which columns are numeric, one encoded patient (M,). Out: rows and distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Neighbours:
    """The most similar patients, nearest first.

    Attributes
    ----------
    rows : (k,) positions among the training patients. distance : (k,) in training standard deviations.
    """

    rows: NDArray[np.int64]
    distance: Floats


def neighbours(values: Floats, numeric: NDArray[np.bool_], patient: Floats, count: int = 20) -> Neighbours:
    """Return the `count` training patients nearest to `patient`; the earlier row first on ties.

    Parameters
    ----------
    values : (n, M) training patients, a nominal variable as its category code, NaN where missing.
    numeric : (M,) True where the variable is numeric.
    patient : (M,) the patient, coded alike.
    count : how many to return; fewer when fewer share a known value with the patient.

    Notes
    -----
    The distance is the root of the mean, over the variables known in both, of ((x - x')/SD)² for a numeric variable and
    of 0 or 1 (same category or not) for a nominal one. A variable that does not vary in training plays no part.
    It describes the training data; it takes no part in the tree's answer.
    """
    known = ~np.isnan(values)
    part = np.zeros_like(values)
    for j in range(values.shape[1]):
        column = values[known[:, j], j]
        varies = len(column) > 0 and bool(np.ptp(column) > 0)
        if np.isnan(patient[j]) or not varies:
            known[:, j] = False
        elif numeric[j]:
            part[:, j] = ((values[:, j] - patient[j]) / column.std()) ** 2
        else:
            part[:, j] = values[:, j] != patient[j]
    shared = known.sum(axis=1)
    usable = np.flatnonzero(shared > 0)
    distance = np.sqrt(np.where(known, part, 0.0)[usable].sum(axis=1) / shared[usable])
    order = np.argsort(distance, kind="stable")[:count]
    return Neighbours(usable[order].astype(np.int64), distance[order])
