"""How near each training patient's readings lie to the cuts on the patient's own path, in units of σ.

In: a tree, encoded patients, their hard reach, the evaluation noise. Out: distances, shares of patients within them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.noise import TWO_SIDED_95, SigmaAt
from engine.tree import BINS, MIDDLE, Tree

Floats = NDArray[np.float64]


def distances(tree: Tree, values: Floats, reach: Floats, noise: SigmaAt) -> Floats:
    """Return (n, M): |x - θ| / σ(θ) at the nearest cut of each variable on the patient's hard path.

    A cut is a threshold, either edge of a middle branch, or a cut between two bins; those that only a leaf's naive
    Bayes reads are not counted.

    Parameters
    ----------
    tree : the finished tree. values : (n, M) encoded patients. reach : (n, N) share of each patient at each node, hard.
    noise : σ by variable and value.

    Returns
    -------
    Infinite where the variable is not asked on the path, is missing, or is exact.
    """
    found = np.full(values.shape, np.inf)
    for node in np.flatnonzero(tree.n_children > 0):
        j = int(tree.variable[node])
        rows = np.flatnonzero((reach[:, node] > 0.0) & ~np.isnan(values[:, j]))
        for cut in cuts_of(tree, int(node)):
            sigma = float(np.asarray(noise.at(j, cut)))
            if sigma > 0.0:
                found[rows, j] = np.minimum(found[rows, j], np.abs(values[rows, j] - cut) / sigma)
    return found


def cuts_of(tree: Tree, node: int) -> list[float]:
    """Return the values at which a hard gate of the node turns, rising: none for a category."""
    if tree.gate[node] == BINS:
        cuts = [edge for child in tree.children(node) for edge in tree.bin_range(child)]
        return sorted({cut for cut in cuts if np.isfinite(cut)})
    if tree.gate[node] == MIDDLE and tree.high[node] > tree.low[node]:
        return [float(tree.low[node]), float(tree.high[node])]
    theta = float(tree.threshold[node])
    return [theta] if np.isfinite(theta) else []


def near_share(distance: Floats, factors: Iterable[float] = (1.0,), variable: int | None = None) -> Floats:
    """Return, for every factor on all σ, the share of patients with a reading within 1.96 σ of a threshold.

    Parameters
    ----------
    distance : (n, M) of `distances`. factors : multiples of the present σ. variable : one column, or None for all.
    """
    nearest = distance.min(axis=1) if variable is None else distance[:, variable]
    return np.array([np.mean(nearest <= TWO_SIDED_95 * factor + 1e-12) if factor > 0 else 0.0 for factor in factors])
