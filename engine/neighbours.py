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


def spreads(values: Floats) -> Floats:
    """Return the SD (M,) of the known values of each variable, NaN where they do not vary."""
    columns = [column[~np.isnan(column)] for column in values.T]
    return np.array([float(known.std()) if len(known) and np.ptp(known) > 0 else np.nan for known in columns])


def neighbours(
    values: Floats, numeric: NDArray[np.bool_], patient: Floats, count: int = 20, sd: Floats | None = None
) -> Neighbours:
    """Return the `count` training patients nearest to `patient`; the earlier row first on ties.

    Parameters
    ----------
    values : (n, M) training patients, a nominal variable as its category code, NaN where missing.
    numeric : (M,) True where the variable is numeric.
    patient : (M,) the patient, coded alike.
    count : how many to return; fewer when fewer share a known value with the patient.
    sd : (M,) the `spreads` of the values, for who asks again and again; None works them out.

    Notes
    -----
    The distance is the root of the mean, over the variables known in both, of ((x - x')/SD)² for a numeric variable and
    of 0 or 1 (same category or not) for a nominal one. A variable that does not vary in training plays no part.
    It describes the training data; it takes no part in the tree's answer.
    """
    sd = spreads(values) if sd is None else sd
    known = ~np.isnan(values) & ~np.isnan(patient) & ~np.isnan(sd)
    part = np.where(numeric, ((values - patient) / sd) ** 2, values != patient)
    shared = known.sum(axis=1)
    usable = np.flatnonzero(shared > 0)
    distance = np.sqrt(np.where(known, part, 0.0)[usable].sum(axis=1) / shared[usable])
    order = np.argsort(distance, kind="stable")[:count]
    return Neighbours(usable[order].astype(np.int64), distance[order])
