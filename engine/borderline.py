"""How near each training patient's readings lie to the thresholds on the patient's own path, in units of σ.

In: a tree, encoded patients, their hard reach, the evaluation noise. Out: distances, shares of patients within them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.noise import TWO_SIDED_95, SigmaAt
from engine.tree import Tree

Floats = NDArray[np.float64]


def distances(tree: Tree, values: Floats, reach: Floats, noise: SigmaAt) -> Floats:
    """Return (n, M): |x - θ| / σ(θ) at the nearest threshold of each variable on the patient's hard path.

    Parameters
    ----------
    tree : the finished tree. values : (n, M) encoded patients. reach : (n, N) share of each patient at each node, hard.
    noise : σ by variable and value.

    Returns
    -------
    Infinite where the variable is not asked on the path, is missing, or is exact.
    """
    found = np.full(values.shape, np.inf)
    for node in np.flatnonzero(np.isfinite(tree.threshold)):
        j, theta = int(tree.variable[node]), float(tree.threshold[node])
        sigma = float(np.asarray(noise.at(j, theta)))
        if sigma <= 0.0:
            continue
        rows = np.flatnonzero((reach[:, node] > 0.0) & ~np.isnan(values[:, j]))
        found[rows, j] = np.minimum(found[rows, j], np.abs(values[rows, j] - theta) / sigma)
    return found


def near_share(distance: Floats, factors: Iterable[float] = (1.0,), variable: int | None = None) -> Floats:
    """Return, for every factor on all σ, the share of patients with a reading within 1.96 σ of a threshold.

    Parameters
    ----------
    distance : (n, M) of `distances`. factors : multiples of the present σ. variable : one column, or None for all.
    """
    nearest = distance.min(axis=1) if variable is None else distance[:, variable]
    return np.array([np.mean(nearest <= TWO_SIDED_95 * factor + 1e-12) if factor > 0 else 0.0 for factor in factors])
