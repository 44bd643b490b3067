"""The best split of a node: exact thresholds, the soft grid, nominal variables.

In: the patients at a node with their weights, the noise, the choices. Out: the best candidate, or every variable's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import CODES, kernel_labels
from engine.noise import ResolvedNoise
from engine.table import Table
from engine.tree import BINARY, NOMINAL

Floats = NDArray[np.float64]
LEAST_GAIN = 1e-12
TIE = 1e-12
MOST_GRID_STEPS = 20_000
GRID_SLACK = 1e-9


@dataclass(frozen=True)
class Candidate:
    """One variable's best split: its gain (METHODS §4, the known fraction included), gate and threshold."""

    variable: int
    gain: float
    gate: int
    threshold: float = np.nan
    closed_le: bool = True


@dataclass(frozen=True)
class Arrivals:
    """The training patients at a node.

    rows : (n,) int32, patients present. weight : (n,) their weight here. dense : (N,) the same by patient, 0 elsewhere.
    order : (M, n) int32, present patients by rising value, known first. n_known : (M,) how many are known.
    used : nominal variables already split on along the path.
    """

    rows: NDArray[np.int32]
    weight: Floats
    dense: Floats
    order: NDArray[np.int32]
    n_known: NDArray[np.int64]
    used: frozenset[int] = frozenset()


def arrivals(table: Table, dense: Floats, used: frozenset[int] = frozenset()) -> Arrivals:
    """Return the patients that have weight in `dense` (N,), in every variable's order."""
    rows = np.flatnonzero(dense > 0.0).astype(np.int32)
    order, known = kernels.keep_rows(*table.sorted_rows, dense, len(rows))
    return Arrivals(rows, dense[rows], dense, order, known, used)


@dataclass(frozen=True)
class Search:
    """How splits are sought; the names are the constructor's (METHODS §0).

    hard : (M,) bool, variables that propagation sends by the hard gate: there a soft candidate must leave
        `min_weight_leaf` on each side by that gate too.
    notes : sentences that the search adds to when it had to coarsen a grid.
    """

    table: Table
    noise: ResolvedNoise
    criterion: str
    search: str
    threshold: str
    min_weight_leaf: float
    window: float
    resolution: float
    hard: NDArray[np.bool_]
    notes: set[str] = field(default_factory=set)

    @cached_property
    def labels(self) -> kernels.Labels:
        return kernel_labels(self.table.labels.member)

    def is_soft(self, j: int) -> bool:
        """Return True when variable `j` is searched on the soft grid; with σ = 0 it is searched exactly."""
        return self.search == "soft" and self.noise.is_noisy(j)


def place_threshold(how: str, below: Any, above: Any, training: Floats) -> Any:
    """Return the threshold of a cut between two neighbouring values. METHODS §4.

    `value` [S]: the value above, left iff x < θ. `midpoint` [T]: halfway. `observed` (C4.5 release 8): the largest
    value of the whole training set (`training`, sorted) not above the midpoint.
    """
    below, above = (
        np.asarray(below, dtype=np.float64),
        np.asarray(above, dtype=np.float64),
    )
    if how == "value":
        return above
    middle = below + (above - below) / 2.0 if not np.isfinite(below + above).all() else (below + above) / 2.0
    middle = np.where((middle >= above) | (middle < below), below, middle)
    if how == "midpoint":
        return middle
    return training[np.maximum(0, np.searchsorted(training, middle, side="right") - 1)]


def known_fraction(search: Search, here: Arrivals, j: int) -> float:
    """Return the known weight's part of all weight at the node for variable `j`."""
    known = here.order[j, : here.n_known[j]]
    return 1.0 if len(known) == len(here.rows) else float(here.dense[known].sum() / here.weight.sum())


def exact_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains of every exact cut of numeric variable `j`, -inf where inadmissible. METHODS §4."""
    known = here.order[j, : here.n_known[j]]
    below, above, gain = (
        np.empty(len(known)),
        np.empty(len(known)),
        np.empty(len(known)),
    )
    cuts = kernels.exact_curve(
        known, search.table.columns[j], search.table.labels.code, here.dense, CODES[search.criterion], labels,
        search.min_weight_leaf, below, above, gain,
    )  # fmt: skip
    thresholds = place_threshold(search.threshold, below[:cuts], above[:cuts], search.table.sorted_values[j])
    return thresholds, gain[:cuts] * known_fraction(search, here, j)


def soft_grid(search: Search, here: Arrivals, j: int) -> tuple[float, float, int]:
    """Return start, step and number of the soft thresholds of variable `j` at a node. [S] §3.2, METHODS §4."""
    values = search.table.columns[j][here.order[j, : here.n_known[j]]]
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
        CODES[search.criterion], labels, search.min_weight_leaf, bool(search.hard[j]), gain,
    )  # fmt: skip
    thresholds: Floats = start + np.arange(count, dtype=np.float64) * step
    return thresholds, gain * known_fraction(search, here, j)


def numeric_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains of numeric variable `j` as this search weighs them."""
    return (soft_curve if search.is_soft(j) else exact_curve)(search, here, j, labels)


def exact_candidates(
    search: Search, here: Arrivals, wanted: NDArray[np.bool_], labels: kernels.Labels
) -> list[Candidate]:
    """Return the best exact cut of each wanted numeric variable that has one."""
    gains, below, above = kernels.best_exact_cuts(
        here.order, here.n_known, wanted, search.table.columns, search.table.labels.code, here.dense,
        CODES[search.criterion], labels, search.min_weight_leaf,
    )  # fmt: skip
    found = []
    for j in np.flatnonzero(gains > -np.inf):
        theta = place_threshold(search.threshold, below[j], above[j], search.table.sorted_values[j])
        gain = float(gains[j]) * known_fraction(search, here, int(j))
        found.append(Candidate(int(j), gain, BINARY, float(theta), search.threshold != "value"))
    return found


def soft_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the best soft threshold of numeric variable `j`: the middle of the first run of tied tops."""
    thresholds, gains = soft_curve(search, here, j, labels)
    best = int(kernels.middle_of_first_run(gains)) if len(gains) else -1
    return Candidate(j, float(gains[best]), BINARY, float(thresholds[best])) if best >= 0 else None


def nominal_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the split of nominal variable `j` into one child a category, when two children are heavy enough.

    A soft search shares each patient by the misrecording probability; under hard propagation the hard counts
    must be heavy enough too.
    """
    n_categories = int(search.table.schema.n_categories[j])
    parts = kernels.category_weights(
        here.rows,
        search.table.columns[j],
        search.table.labels.code,
        here.dense,
        n_categories,
        len(labels.mask),
    )
    limit = search.min_weight_leaf - kernels.SLACK_WEIGHT
    tables = [parts]
    epsilon = float(search.noise.misrecord[j])
    if search.search == "soft" and epsilon > 0.0 and n_categories > 1:
        others = parts.sum(axis=0) - parts
        tables = [(1.0 - epsilon) * parts + epsilon / (n_categories - 1) * others] + ([parts] if search.hard[j] else [])
    for weights in tables:
        sums = weights.sum(axis=1)
        if ((sums >= limit) & (sums > 0.0)).sum() < 2:
            return None
    fraction = float(parts.sum() / here.weight.sum())
    gain = float(kernels.partition_gain(tables[0], CODES[search.criterion], labels)) * fraction
    return Candidate(j, gain, NOMINAL)


def candidates(search: Search, here: Arrivals) -> list[Candidate]:
    """Return the best split of every variable that has an admissible one, by column. METHODS §4.

    Parameters
    ----------
    search : table, noise and choices. here : the patients at the node.
    """
    labels = search.labels
    numeric = search.table.schema.numeric
    soft = np.array([search.is_soft(j) for j in range(len(numeric))])
    found = exact_candidates(search, here, numeric & ~soft, labels)
    one: Callable[[Search, Arrivals, int, kernels.Labels], Candidate | None]
    for j in np.flatnonzero(soft | ~numeric):
        if int(j) in here.used:
            continue
        one = soft_candidate if numeric[j] else nominal_candidate
        candidate = one(search, here, int(j), labels)
        if candidate is not None:
            found.append(candidate)
    return sorted(found, key=lambda candidate: candidate.variable)


def best_split(search: Search, here: Arrivals) -> Candidate | None:
    """Return the split with the largest gain, the lowest variable on ties; None without a gain. METHODS §4."""
    found = candidates(search, here)
    if not found:
        return None
    top = max(candidate.gain for candidate in found)
    if not top > LEAST_GAIN:
        return None
    return next(candidate for candidate in found if candidate.gain >= top - TIE)
