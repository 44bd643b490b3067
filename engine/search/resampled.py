"""Thresholds among equally likely points of every reading, within the interval that the path leaves.

In: a search, the patients at a node, variables with σ. Out: points with their gains, or the best of each variable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import CODES
from engine.noise import conditional_median
from engine.search.candidate import Candidate
from engine.search.choices import Search
from engine.search.limits import known_fraction, mdl_charge, minimum_weight, minimum_weights
from engine.search.patients import Arrivals
from engine.tree import BINARY

Floats = NDArray[np.float64]
SAME_MEDIAN = 1e-9  # of σ
EVERYWHERE = (-np.inf, np.inf)


def lone_readings(search: Search, here: Arrivals, which: NDArray[np.int64]) -> kernels.Lone:
    """Return the conditional medians that stand for the readings without a point in their path's interval. METHODS §4

    Parameters
    ----------
    which : places in `search.points` of the variables that are asked for.
    """
    points, places, values = search.points, [np.empty(0, dtype=np.int64)], [np.empty(0)]
    count = np.zeros(len(points.variable) + 1, dtype=np.int64)
    for v in which:
        j = int(points.variable[v])
        if j not in here.boxes:
            continue
        known = here.order[j, : here.n_known[j]]
        x, sigma = search.table.columns[j][known], points.sigma[v][known]
        start, stop = kernels.points_inside(x, sigma, points.z[v], *here.boxes[j])
        lone = np.flatnonzero(start == stop)
        if not len(lone):
            continue
        median = conditional_median(x[lone], sigma[lone], int(search.noise.shape[j]), *here.boxes[j])
        rising = np.argsort(median, kind="stable")
        places.append(lone[rising])
        values.append(levelled(median[rising], SAME_MEDIAN * float(sigma[lone].max())))
        count[v + 1] = len(lone)
    return kernels.Lone(np.concatenate(places), np.concatenate(values), np.cumsum(count))


def weighed_points(search: Search, here: Arrivals, j: int) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return value, label code and weight of every point of variable `j` at a node, by rising value. METHODS §4

    The points outside the path's interval are dropped and a patient's others share its weight equally; where none is
    left the conditional median stands for them.
    """
    points = search.points
    which = np.flatnonzero(points.variable == j)
    low, high = here.boxes.get(j, EVERYWHERE)
    spread = kernels.spread_points(
        here.order[j, : here.n_known[j]], search.table.columns[j], search.table.labels.code, here.dense, points,
        int(which[0]), float(low), float(high), lone_readings(search, here, which),
    )  # fmt: skip
    value, code, weight = kernels.points_between(spread, 0, points.marks.shape[1] + 1)
    return value, code, weight


def levelled(rising: Floats, tolerance: float) -> Floats:
    """Return rising values where neighbours within `tolerance` are one value: the first of their run.

    Under uniform and Laplace noise many readings have one conditional median, and rounding is no cut between them.
    """
    starts = np.diff(rising, prepend=-np.inf) > tolerance
    return rising[np.maximum.accumulate(np.where(starts, np.arange(len(rising)), 0))]


def hard_window(search: Search, here: Arrivals, j: int) -> tuple[float, float]:
    """Return the thresholds [low, high) of variable `j` that leave the least weight on each side by the hard gate."""
    if not search.hard[j]:
        return EVERYWHERE
    known = here.order[j, : here.n_known[j]]
    limit = minimum_weight(search, here, j) - kernels.SLACK_WEIGHT
    low, high = kernels.hard_limits(known, search.table.columns[j], here.dense, limit)
    return float(low), float(high)


def resampled_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains at the points of numeric variable `j`, -inf where inadmissible. METHODS §4

    The points themselves are the candidates, left iff at most one; `threshold` places exact ones only.
    """
    value, code, weight = weighed_points(search, here, j)
    below, above, gain = np.empty(len(value)), np.empty(len(value)), np.empty(len(value))
    cuts = kernels.exact_curve(
        np.arange(len(value), dtype=np.int32), value, code, weight, CODES[search.criterion], labels,
        minimum_weight(search, here, j), below, above, gain,
    )  # fmt: skip
    thresholds = below[:cuts]
    low, high = hard_window(search, here, j)
    gain = np.where((low <= thresholds) & (thresholds < high), gain[:cuts], -np.inf)
    return thresholds, gain * known_fraction(search, here, j)


def resampled_candidates(
    search: Search, here: Arrivals, resampled: NDArray[np.int64], labels: kernels.Labels, floor: float | None
) -> list[Candidate]:
    """Return the best point of each variable of `resampled` as a threshold, the lowest on ties. METHODS §4

    Parameters
    ----------
    floor : the gain below which variables may be left out, as those may that cannot gain what another one gains;
        None keeps all.
    """
    points = search.points
    which = np.flatnonzero(np.isin(points.variable, resampled))
    columns: list[int] = points.variable.tolist()
    boxes = np.array([here.boxes.get(j, EVERYWHERE) for j in columns])
    windows = np.array([hard_window(search, here, j) if j in resampled else EVERYWHERE for j in columns])
    fraction = np.array([known_fraction(search, here, j) for j in columns])
    lone, found = lone_readings(search, here, which), []
    for together in [which] if floor is not None else which[:, None]:
        gains, theta, tried = kernels.best_point_cuts(
            together, here.order, here.n_known, search.table.columns, search.table.labels.code, here.dense, points,
            lone, boxes, windows, fraction, CODES[search.criterion], labels, minimum_weights(search, here),
            -np.inf if floor is None else floor, search.mdl_correction,
        )  # fmt: skip
        for v in map(int, together[gains[together] > -np.inf]):
            gain = float(gains[v]) - mdl_charge(search, here, int(tried[v]))
            found.append(Candidate(columns[v], gain, BINARY, float(theta[v])))
    return found


def resampled_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the best of the points of numeric variable `j` as a threshold, the lowest on ties."""
    found = resampled_candidates(search, here, np.array([j]), labels, None)
    return found[0] if found else None
