"""Thresholds on the soft grid: patients are shared by the measurement error of their readings.

In: a search, the patients at a node, variables with σ. Out: grid thresholds with their gains, or the best of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.cells import lattice_tables, left_weights, orders_for
from engine.criteria import CODES
from engine.search.candidate import Candidate
from engine.search.choices import Search
from engine.search.limits import known_fraction, mdl_charge, minimum_weight, minimum_weights
from engine.search.patients import Arrivals
from engine.tree import BINARY

Floats = NDArray[np.float64]
MOST_GRID_STEPS = 20_000
GRID_SLACK = kernels.GRID_SLACK
CELL_SLACK = 1e-8  # of gain: cells tell more than this apart
FEW_FOR_CELLS, CELLS_A_PATIENT = 100, 100  # below which the direct sum costs less
MOST_TOPS = 40
FEW_TOGETHER = 2_000  # patients up to whom one kernel sums all variables of a node


def soft_grid(search: Search, here: Arrivals, j: int) -> tuple[float, float, int]:
    """Return start, step and number of the soft thresholds of variable `j` at a node. [S] §3.2, METHODS §4."""
    known = here.order[j, : here.n_known[j]]
    values = search.table.columns[j][known if search.noise.error.cv[j] > 0.0 else known[[0, -1]]]
    sigma = search.noise.at(j, values)
    start = float((values - 0.5 * search.window * sigma).min())
    end = float((values + 0.5 * search.window * sigma).max())
    step = search.resolution * float(sigma.min())
    if step > 0.0 and (end - start) / step + GRID_SLACK < MOST_GRID_STEPS:
        return start, step, int(np.floor((end - start) / step + GRID_SLACK)) + 1
    name = search.table.schema.names[j]
    search.notes.add(
        f"The soft grid of {name!r} was coarsened to {MOST_GRID_STEPS:,} steps, because its least σ is tiny."
    )
    return start, (end - start) / MOST_GRID_STEPS, MOST_GRID_STEPS + 1


def soft_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains on the soft grid of numeric variable `j`, -inf where inadmissible. [S] §3.2"""
    known = here.order[j, : here.n_known[j]]
    if len(known) == 0:
        return np.empty(0), np.empty(0)
    start, step, count = soft_grid(search, here, j)
    if not step > 0.0:
        return np.empty(0), np.empty(0)
    gain = np.empty(count)
    kernels.soft_curve(
        known, search.table.columns[j], search.table.labels.code, here.dense, search.noise.error, j, start, step,
        CODES[search.criterion], labels, minimum_weight(search, here, j), bool(search.hard[j]), gain,
    )  # fmt: skip
    thresholds: Floats = start + np.arange(count, dtype=np.float64) * step
    return thresholds, gain * known_fraction(search, here, j)


def soft_candidates(
    search: Search, here: Arrivals, soft: NDArray[np.int64], labels: kernels.Labels, floor: float | None
) -> list[Candidate]:
    """Return the best soft threshold of each variable of `soft`: the middle of the first run of tied tops. [S] §3.2

    A variable whose σ is one number is searched on the cells of its grid first; every threshold that could be the best
    is then summed patient by patient, so that ties are what the direct sum says.

    Parameters
    ----------
    floor : the gain below which, within what the cells can tell, variables may be left out; None keeps all.
    """
    found, alone = soft_candidates_together(search, here, soft, labels, floor)
    if not alone:
        return found
    if floor is not None:
        floor = max([floor, *(each.gain for each in found)])
    curves = {}
    for j in alone:
        curve = soft_curve_by_cells(search, here, j, labels)
        curves[j] = (*soft_curve(search, here, j, labels), True) if curve is None else (*curve, False)
    if floor is not None:
        charged = [
            gain.max(initial=-np.inf) - mdl_charge(search, here, int(np.isfinite(gain).sum()))
            for _, gain, _ in curves.values()
        ]
        floor = max([floor, *charged]) - CELL_SLACK
    for j, (thresholds, gain, summed) in curves.items():
        charge = mdl_charge(search, here, int(np.isfinite(gain).sum()))
        if floor is not None and gain.max(initial=-np.inf) - charge < floor:
            continue
        if not summed:
            gain = summed_tops(search, here, j, labels, thresholds, gain)
        best = int(kernels.middle_of_first_run(gain)) if len(gain) else -1
        if best >= 0:
            found.append(Candidate(j, float(gain[best]) - charge, BINARY, float(thresholds[best])))
    return found


def soft_candidates_together(
    search: Search, here: Arrivals, soft: NDArray[np.int64], labels: kernels.Labels, floor: float | None
) -> tuple[list[Candidate], list[int]]:
    """Return what one kernel finds for the variables of `soft`, as `soft_candidates` does, and those not for it.

    It takes few patients, a normal error of one σ, and a usual grid.
    """
    together = soft[search.ways.together[soft]]
    if len(here.rows) > FEW_TOGETHER or len(together) == 0:
        return [], soft.tolist()
    gains, theta, tried = kernels.best_soft_cuts(
        here.order, here.n_known, here.weight.sum(), together, search.table.columns, search.table.labels.code,
        here.dense, search.noise.error.sigma, search.window, search.resolution, MOST_GRID_STEPS,
        *lattice_tables(search.resolution), CODES[search.criterion], labels, minimum_weights(search, here), search.hard,
        floor is None, -np.inf if floor is None else floor,
    )  # fmt: skip
    found = [
        Candidate(j, float(gains[j]) - mdl_charge(search, here, int(tried[j])), BINARY, float(theta[j]))
        for j in (gains > -np.inf).nonzero()[0].tolist()
    ]
    alone = soft.tolist() if len(together) < len(soft) else []
    return found, [j for j in alone if not search.ways.together[j]] + (tried < 0).nonzero()[0].tolist()


def soft_curve_by_cells(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats] | None:
    """Return thresholds and gains as `soft_curve` does, to 1e-9; None where the direct sum serves better."""
    known = here.order[j, : here.n_known[j]]
    if search.noise.error.cv[j] > 0.0 or int(search.noise.shape[j]) != kernels.NORMAL or len(known) < FEW_FOR_CELLS:
        return None
    start, step, count = soft_grid(search, here, j)
    sigma = float(search.noise.error.sigma[j])
    orders = orders_for(step / sigma) if step > 0.0 else 0
    if orders == 0 or len(known) * CELLS_A_PATIENT < count * orders * len(search.labels.mask):
        return None
    column, code, gain = search.table.columns[j], search.table.labels.code, np.empty(count)
    rows = here.rows if len(known) == len(here.rows) else np.sort(known)  # their own order is read faster than known's
    left = left_weights(rows, column, code, here.dense, len(labels.mask), sigma, start, step, count)
    whole = kernels.code_weights(rows, code, here.dense, len(labels.mask))
    kernels.grid_gains(
        left, whole, known, column, here.dense, start, step, CODES[search.criterion], labels,
        minimum_weight(search, here, j), bool(search.hard[j]), gain,
    )  # fmt: skip
    thresholds: Floats = start + np.arange(count, dtype=np.float64) * step
    return thresholds, gain * known_fraction(search, here, j)


def summed_tops(
    search: Search, here: Arrivals, j: int, labels: kernels.Labels, thresholds: Floats, gain: Floats
) -> Floats:
    """Return the gains with each that may be the largest worked out again by the direct sum."""
    tops = np.flatnonzero(gain >= gain.max(initial=-np.inf) - CELL_SLACK)
    if not len(tops) or gain[tops[0]] == -np.inf:
        return gain
    if len(tops) > MOST_TOPS:
        return soft_curve(search, here, j, labels)[1]
    known = here.order[j, : here.n_known[j]]
    gain = gain.copy()
    gain[tops] = kernels.soft_gains_at(
        known, search.table.columns[j], search.table.labels.code, here.dense, search.noise.error, j, thresholds[tops],
        CODES[search.criterion], labels, minimum_weight(search, here, j), bool(search.hard[j]),
    ) * known_fraction(search, here, j)  # fmt: skip
    return gain


def soft_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the best soft threshold of numeric variable `j`: the middle of the first run of tied tops."""
    found = soft_candidates(search, here, np.array([j]), labels, None)
    return found[0] if found else None
