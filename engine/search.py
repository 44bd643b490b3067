"""The best split of a node: exact thresholds, the soft grid, resampled points, categories and bins, accuracy.

In: the patients at a node with their weights, the noise, the choices. Out: the best candidate, or every variable's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.cells import lattice_ratio, lattice_tables, left_weights, orders_for
from engine.criteria import CODES, kernel_labels
from engine.errors import PenumbraError
from engine.noise import ResolvedNoise, conditional_median, quantile
from engine.table import Table
from engine.tree import BINARY, BINS, NOMINAL, REST

Floats = NDArray[np.float64]
LEAST_GAIN = 1e-12
TIE = 1e-12
TIE_ACCURACY = 1e-9  # of weight classified rightly
MOST_GRID_STEPS = 20_000
GRID_SLACK = kernels.GRID_SLACK
CELL_SLACK = 1e-8  # of gain: cells tell more than this apart
FEW_FOR_CELLS, CELLS_A_PATIENT = 100, 100  # below which the direct sum costs less
MOST_TOPS = 40
FEW_TOGETHER = 2_000  # patients up to whom one kernel sums all variables of a node
SAME_VALUE = 1e-12
SAME_MEDIAN = 1e-9  # of σ
MOST_POINTS = 100_000_000  # of a resampled search, over all variables
MOST_MARKS = 64
C45_LEAST, C45_MOST, C45_NOMINAL = 2.0, 25.0, 2.0  # release 8's bounds on a leaf's weight, and its MINOBJS
EVERYWHERE = (-np.inf, np.inf)


@dataclass(frozen=True)
class Candidate:
    """One variable's best split: its gain (METHODS §4, the known fraction included), gate and threshold.

    split_entropy : in bits, unknowns as one more part; worked out for the gain ratio only, NaN otherwise.
    """

    variable: int
    gain: float
    gate: int
    threshold: float = np.nan
    closed_le: bool = True
    split_entropy: float = np.nan


class Split(Protocol):
    """A candidate, or a growing node that is split."""

    @property
    def variable(self) -> int:
        """The split variable's column."""

    @property
    def gate(self) -> int:
        """BINARY, MIDDLE, NOMINAL or BINS."""

    @property
    def threshold(self) -> float:
        """In the variable's unit, NaN where there is none."""

    @property
    def closed_le(self) -> bool:
        """True: left iff x <= threshold; False: left iff x < threshold."""


@dataclass(frozen=True)
class Arrivals:
    """The training patients at a node.

    rows : (n,) int32, patients present. weight : (n,) their weight here. dense : (N,) the same by patient, 0 elsewhere.
    order : (M, n) int32, present patients by rising value, known first. n_known : (M,) how many are known.
    used : variables split into their values along the path: the nominal ones, and all of an n-ary tree.
    boxes : by variable the interval (a, b] that the path leaves for its true value; a variable not named is free.
    """

    rows: NDArray[np.int32]
    weight: Floats
    dense: Floats
    order: NDArray[np.int32]
    n_known: NDArray[np.int64]
    used: frozenset[int] = frozenset()
    boxes: Mapping[int, tuple[float, float]] = field(default_factory=dict)


def arrivals(
    table: Table,
    dense: Floats,
    used: frozenset[int] = frozenset(),
    boxes: Mapping[int, tuple[float, float]] | None = None,
) -> Arrivals:
    """Return the patients that have weight in `dense` (N,), in every variable's order."""
    dense = np.ascontiguousarray(dense)  # a column of a table would have every kernel compiled once more
    rows = np.flatnonzero(dense > 0.0).astype(np.int32)
    order = np.empty((len(table.columns), len(rows)), dtype=np.int32)
    known = kernels.keep_rows(*table.sorted_rows, dense > 0.0, order)
    return Arrivals(rows, dense[rows], dense, order, known, used, boxes or {})


class Ways(NamedTuple):
    """Which columns are searched how.

    exact : (M,) bool; any_exact : True when one of them is. by_value : with one child a category or bin. soft : on the
    soft grid; together : (M,) bool, those whose measurement error is normal with one σ, which one kernel searches.
    resampled : by their points.
    """

    exact: NDArray[np.bool_]
    any_exact: bool
    by_value: list[int]
    soft: NDArray[np.int64]
    together: NDArray[np.bool_]
    resampled: NDArray[np.int64]


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
    min_weight_leaf: float | str
    window: float
    resolution: float
    hard: NDArray[np.bool_]
    notes: set[str] = field(default_factory=set)
    n_points: int = 100
    mdl_correction: bool = False
    nary: bool = False

    @cached_property
    def labels(self) -> kernels.Labels:
        """The label codes as the kernels read them."""
        return kernel_labels(self.table.labels.member)

    def is_soft(self, j: int) -> bool:
        """Return True when variable `j` is searched on the soft grid; with σ = 0 it is searched exactly."""
        return self.search == "soft" and self.noise.is_noisy(j)

    def is_resampled(self, j: int) -> bool:
        """Return True when variable `j` is searched by its points; with σ = 0 it is searched exactly."""
        return self.search == "resampled" and self.noise.is_noisy(j)

    @cached_property
    def ways(self) -> Ways:
        """Which columns are searched how."""
        numeric, every = self.table.schema.numeric, range(len(self.table.columns))
        soft = np.array([self.is_soft(j) for j in every])
        resampled = np.array([self.is_resampled(j) for j in every])
        exact = numeric & ~soft & ~resampled & ~(numeric & self.nary)
        by_value = np.flatnonzero((numeric & self.nary) | ~numeric)
        error = self.noise.error
        together = soft & (error.cv == 0.0) & (error.shape == kernels.NORMAL) & (lattice_ratio(self.resolution) > 0)
        return Ways(
            exact, bool(exact.any()), by_value.tolist(), np.flatnonzero(soft), together,
            np.flatnonzero(resampled),
        )  # fmt: skip

    @cached_property
    def one_minimum(self) -> Floats:
        """(M,) the least weight of a side, where it is stated."""
        return np.full(len(self.table.columns), self.min_weight_leaf, dtype=np.float64)

    @cached_property
    def points(self) -> kernels.Points:
        """By noisy variable `n_points` equally likely points x + σ·F⁻¹((k - ½)/s) for every known value. METHODS §4"""
        noisy: list[int] = self.ways.resampled.tolist()
        if len(noisy) * self.table.n * self.n_points > MOST_POINTS:
            raise PenumbraError(
                f"A resampled search with n_points {self.n_points} on {self.table.n:,} patients and {len(noisy)} noisy "
                f"variables would need more than {MOST_POINTS:,} points; lower n_points or search soft."
            )
        variable = np.array(noisy, dtype=np.int64)
        x, shapes = self.table.columns[variable], self.noise.shape[variable]
        sigma = np.array([self.noise.at(j, self.table.columns[j]) for j in noisy]).reshape(x.shape)
        level = (np.arange(self.n_points) + 0.5) / self.n_points
        z = np.array([quantile(level, int(shape)) for shape in shapes]).reshape(len(noisy), self.n_points)
        z = 0.5 * (z - z[:, ::-1])  # even to the last digit, so that midpoints of mirrored points meet readings
        marks = np.array([marks_of(*each) for each in zip(x, sigma, z, strict=True)]).reshape(len(noisy), -1)
        points = kernels.Points(variable, sigma, z, marks, np.empty((*x.shape, marks.shape[1]), dtype=np.int32))
        kernels.count_below(self.table.columns, points)
        return points


def marks_of(x: Floats, sigma: Floats, z: Floats) -> Floats:
    """Return thresholds that part one variable's points into stretches of about equal number, by one point a value.

    As many as half its points a value, 64 at most.
    """
    count = min(MOST_MARKS, max(1, len(z) // 2))
    one = np.sort((x + sigma * np.resize(z, len(x)))[~np.isnan(x)])
    if len(one) == 0:
        return np.zeros(count)
    marks: Floats = one[(np.arange(1, count + 1) * len(one)) // (count + 1)]
    return marks


def minimum_weight(search: Search, here: Arrivals, j: int) -> float:
    """Return the least weight that a side of a split on variable `j` must hold at a node. METHODS §4

    "c45" (C4.5 release 8): a tenth of the known weight per class, from 2 to 25; 2 for a nominal variable.
    """
    if not isinstance(search.min_weight_leaf, str):
        return search.min_weight_leaf
    if search.nary or not search.table.schema.numeric[j]:
        return C45_NOMINAL
    known = float(here.dense[here.order[j, : here.n_known[j]]].sum())
    return min(C45_MOST, max(C45_LEAST, 0.1 * known / len(search.table.labels.classes)))


def least_to_split(search: Search) -> float:
    """Return the weight under which no split of a node can be admissible: two sides at their least. METHODS §4

    Slack is taken off twice a side, so that rounding never stops a node that the search would split.
    """
    if search.criterion == "nb_accuracy":
        return 0.0
    least = C45_LEAST if isinstance(search.min_weight_leaf, str) else search.min_weight_leaf
    return 2.0 * (least - 2.0 * kernels.SLACK_WEIGHT)


def minimum_weights(search: Search, here: Arrivals) -> Floats:
    """Return (M,) what `minimum_weight` says of every variable."""
    if isinstance(search.min_weight_leaf, str):
        return np.array([minimum_weight(search, here, j) for j in range(len(here.order))], dtype=np.float64)
    return search.one_minimum


def place_threshold(how: str, below: Any, above: Any, table: Table, j: int) -> Any:
    """Return the threshold of a cut of variable `j` between two neighbouring values. METHODS §4.

    `value` [S]: the value above, left iff x < θ. `midpoint` [T]: halfway. `observed` (C4.5 release 8): the largest
    value of the whole training set (`table`) not above the midpoint, where 1e-12 of the two values is no
    difference: the midpoint of 0.557 and 0.565 is 0.561, which rounding puts a digit lower.
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
    reach = np.minimum(middle + SAME_VALUE * (np.abs(below) + np.abs(above)), np.nextafter(above, -np.inf))
    training = table.rising_values(j)
    return training[np.maximum(0, np.searchsorted(training, reach, side="right") - 1)]


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
        minimum_weight(search, here, j), below, above, gain,
    )  # fmt: skip
    thresholds = place_threshold(search.threshold, below[:cuts], above[:cuts], search.table, j)
    return thresholds, gain[:cuts] * known_fraction(search, here, j)


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


def numeric_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains of numeric variable `j` as this search weighs them; no MDL correction."""
    if search.is_resampled(j):
        return resampled_curve(search, here, j, labels)
    return (soft_curve if search.is_soft(j) else exact_curve)(search, here, j, labels)


def mdl_charge(search: Search, here: Arrivals, tried: int) -> float:
    """Return what a numeric variable's gain is charged for its admissible cuts: log2(tried)/W, with `mdl_correction`.

    C4.5 release 8; part of the gain ratio alone (METHODS §4).
    """
    if not search.mdl_correction or search.criterion != "gain_ratio" or tried < 1:
        return 0.0
    return float(np.log2(tried) / here.weight.sum())


def exact_candidates(
    search: Search, here: Arrivals, wanted: NDArray[np.bool_], labels: kernels.Labels, only_the_best: bool = False
) -> list[Candidate]:
    """Return the best exact cut of each wanted numeric variable that has one, or `only_the_best` and what ties with it.

    Of ties among all variables of the table the first is enough.
    """
    gains, below, above, tried = kernels.best_exact_cuts(
        here.rows, here.order, here.n_known, wanted, search.table.columns, search.table.labels.code, here.dense,
        CODES[search.criterion], labels, minimum_weights(search, here),
    )  # fmt: skip
    for column in np.flatnonzero((gains > -np.inf) & (here.n_known < len(here.rows))):
        gains[column] *= known_fraction(search, here, int(column))
    if search.mdl_correction:
        gains -= [mdl_charge(search, here, int(cuts)) for cuts in tried]
    floor = gains.max(initial=-np.inf) - TIE if only_the_best else -np.inf
    found = []
    kept: list[int] = np.flatnonzero((gains > -np.inf) & (gains >= floor)).tolist()
    if only_the_best and wanted.all():
        kept = kept[:1]  # the lowest variable wins
    for j in kept:
        theta = place_threshold(search.threshold, below[j], above[j], search.table, j)
        found.append(Candidate(j, float(gains[j]), BINARY, float(theta), search.threshold != "value"))
    return found


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


def category_tables(search: Search, here: Arrivals, j: int) -> list[Floats]:
    """Return the weights by category and label code (V, S): as the search shares patients, and, if not the same, hard.

    A soft search shares each patient by the misrecording probability; under hard propagation the hard counts
    matter too.
    """
    binned = bool(search.table.schema.numeric[j])
    n_categories = search.table.n_bins if binned else int(search.table.schema.n_categories[j])
    parts: Floats = kernels.category_weights(
        here.rows,
        search.table.coded[j] if binned else search.table.columns[j],
        search.table.labels.code,
        here.dense,
        n_categories,
        len(search.labels.mask),
    )
    epsilon = float(search.noise.misrecord[j])
    if search.search != "soft" or epsilon <= 0.0 or n_categories < 2:
        return [parts]
    others = parts.sum(axis=0) - parts
    shared = (1.0 - epsilon) * parts + epsilon / (n_categories - 1) * others
    return [shared, parts] if search.hard[j] else [shared]


def nominal_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the split of variable `j` into one child a category or bin, when two children are heavy enough."""
    tables = category_tables(search, here, j)
    limit = minimum_weight(search, here, j) - kernels.SLACK_WEIGHT
    for weights in tables:
        sums = weights.sum(axis=1)
        if ((sums >= limit) & (sums > 0.0)).sum() < 2:
            return None
    fraction = float(tables[-1].sum() / here.weight.sum())
    gain = float(kernels.partition_gain(tables[0], CODES[search.criterion], labels)) * fraction
    return Candidate(j, gain, value_gate(search, j))


def value_gate(search: Search, j: int) -> int:
    """Return the gate of a split of variable `j` into one child a value: bins of a numeric one, or categories."""
    return BINS if search.table.schema.numeric[j] else NOMINAL


def child_codes(search: Search, here: Arrivals, split: Split) -> NDArray[np.int32]:
    """Return the code of each child: its place, category or bin. METHODS §8

    Accuracy-driven growth has a child for every value that occurs, and one for the REST when others are possible.
    """
    if split.gate == BINARY:
        return np.arange(2, dtype=np.int32)
    first = search.table.first_cell
    size = int(first[split.variable + 1] - first[split.variable])
    if search.criterion != "nb_accuracy":
        return np.arange(size, dtype=np.int32)
    cells = search.table.values.cells[here.rows, split.variable]
    met = np.flatnonzero(np.bincount(cells[cells >= 0] - first[split.variable], minlength=size)).astype(np.int32)
    return met if len(met) == size else np.append(met, np.int32(REST))


def accuracy_gains(search: Search, here: Arrivals, every: bool) -> Floats:
    """Return (M,) the training accuracy that splitting each unused variable adds, -inf without two values. [C], §8

    The split has a child for every value that occurs, a naive Bayes on each, against one on the whole node: what it
    adds may be none or negative. Unless `every` one is wanted, splits that cannot be the best are left at -inf.
    """
    free = np.array([j for j in range(len(search.table.columns)) if j not in here.used], dtype=np.int64)
    right, own = kernels.bayes_splits(here.rows, here.weight, free, every, *search.table.values)
    gains: Floats = (right - own) / here.weight.sum()
    return gains


def most_accurate(search: Search, here: Arrivals) -> Candidate | None:
    """Return the split with the most weight classified rightly, the lowest variable within 1e-9. [C], METHODS §8"""
    gains = accuracy_gains(search, here, every=False)
    if gains.max() == -np.inf:
        return None
    j = int(np.argmax((gains.max() - gains) * here.weight.sum() <= TIE_ACCURACY))
    return Candidate(j, float(gains[j]), value_gate(search, j))


def candidates(search: Search, here: Arrivals, only_the_best: bool = False) -> list[Candidate]:
    """Return the best split of every variable that has an admissible one, by column. METHODS §4.

    Parameters
    ----------
    search : table, noise and choices. here : the patients at the node.
    only_the_best : leave out variables that cannot gain what another one gains, which saves work.
    """
    if search.criterion == "nb_accuracy":
        gains = accuracy_gains(search, here, every=True)
        return [Candidate(int(j), float(gains[j]), value_gate(search, int(j))) for j in np.flatnonzero(gains > -np.inf)]
    labels, ways = search.labels, search.ways
    found = exact_candidates(search, here, ways.exact, labels, only_the_best) if ways.any_exact else []
    for j in ways.by_value:
        candidate = None if j in here.used else nominal_candidate(search, here, j, labels)
        if candidate is not None:
            found.append(candidate)
    if len(ways.soft):
        floor = max((each.gain for each in found), default=-np.inf) if only_the_best else None
        found += soft_candidates(search, here, ways.soft, labels, floor)
    if len(ways.resampled):
        floor = max((each.gain for each in found), default=-np.inf) if only_the_best else None
        found += resampled_candidates(search, here, ways.resampled, labels, floor)
    if search.criterion == "gain_ratio":
        found = [replace(each, split_entropy=split_entropy(search, here, each)) for each in found]
    return sorted(found, key=lambda candidate: candidate.variable)


def left_weight(search: Search, here: Arrivals, split: Split) -> float:
    """Return the known weight that a numeric split sends left by the search's own weights."""
    j = split.variable
    known = here.order[j, : here.n_known[j]]
    if search.is_resampled(j):
        value, _, weight = weighed_points(search, here, j)
        return float(weight[value <= split.threshold].sum())
    if search.is_soft(j):
        column = search.table.columns[j]
        return float(kernels.soft_left(known, column, here.dense, search.noise.error, j, split.threshold))
    x = search.table.columns[j][known]
    left = x <= split.threshold if split.closed_le else x < split.threshold
    return float(here.dense[known][left].sum())


def split_entropy(search: Search, here: Arrivals, split: Split) -> float:
    """Return the entropy in bits of a split's own parts, unknowns as one more part. C4.5, METHODS §4

    Parameters
    ----------
    search : whose weights the parts are counted by. here : the patients at the node.
    split : a candidate, or a growing node that is split; a middle child is not counted apart.
    """
    if split.gate in (NOMINAL, BINS):
        parts = category_tables(search, here, split.variable)[0].sum(axis=1)
    else:
        known = float(here.dense[here.order[split.variable, : here.n_known[split.variable]]].sum())
        left = left_weight(search, here, split)
        parts = np.array([left, known - left])
    unknown = max(0.0, float(here.weight.sum() - parts.sum()))
    return float(kernels.entropy(np.append(np.maximum(0.0, parts), unknown)))


def largest_ratio(found: list[Candidate]) -> Candidate:
    """Return the candidate with the largest gain ratio among those whose gain is at least the mean. C4.5, METHODS §4"""
    mean = sum(candidate.gain for candidate in found) / len(found)
    enough = [candidate for candidate in found if candidate.gain >= mean - TIE]
    top = max(candidate.gain / candidate.split_entropy for candidate in enough)
    return next(candidate for candidate in enough if candidate.gain / candidate.split_entropy >= top - TIE)


def best_split(search: Search, here: Arrivals) -> Candidate | None:
    """Return the split with the largest gain or gain ratio, the lowest variable on ties; None without a gain.

    METHODS §4.
    """
    if search.criterion == "nb_accuracy":
        return most_accurate(search, here)
    by_gain = search.criterion != "gain_ratio"  # a ratio is weighed against the mean of every variable's gain
    found = [candidate for candidate in candidates(search, here, only_the_best=by_gain) if candidate.gain > LEAST_GAIN]
    if not found:
        return None
    if not by_gain:
        return largest_ratio(found)
    top = max(candidate.gain for candidate in found)
    return next(candidate for candidate in found if candidate.gain >= top - TIE)
