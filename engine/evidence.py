"""What the training patients say at each node of a finished tree, as plain numbers for pictures and panels.

In: a tree, the encoded patients, their label weights and patient weights, their reach of every node, and σ.
Out: an `Evidence`: histograms, blend ranges, counts that add up, and the patients of a node.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.noise import TWO_SIDED_95, SigmaAt
from engine.number_words import plain, shortest
from engine.tree import BINARY, BINS, Tree

Floats = NDArray[np.float64]
NICE_STEPS = (1.0, 2.0, 2.5, 4.0, 5.0, 10.0)
NEAR_ENOUGH = 0.8
MIDDLE_PART = (0.025, 0.975)
FAR_OFF = 3.0
BARS = 30
TINY = 1e-12
LARGEST = 1e300  # a range of larger values may be more than a float holds
SHRINK = 1e20  # a power of ten, which leaves round ends round


@dataclass(frozen=True)
class Axis:
    """A variable's axis, the same at every node: `low` to `high` in the variable's unit, bars of width `step`.

    `below` and `above` say that far-off values lie beyond the ends; they are counted in the end bars.
    """

    low: float
    high: float
    step: float
    decimals: int
    below: bool = False
    above: bool = False


@dataclass(frozen=True)
class Band:
    """The blend range of a split: (low, high], why it is there ("zone", "measurement error" or None), and σ at θ."""

    low: float
    high: float
    kind: str | None
    sigma: float


@dataclass(frozen=True)
class Histogram:
    """Patient weight by bar and class: `edges` (B + 1,), `counts` (B, K); a nominal variable has a bar a category."""

    edges: Floats
    counts: Floats


@dataclass(frozen=True)
class SplitCounts:
    """Patient weight left of the blend range, in it, right of it and missing; `n` rounds them to add up to the node.

    `share` (3, K) is the class mix of the three parts, NaN for an empty one.
    """

    left: float
    zone: float
    right: float
    missing: float
    n: tuple[int, int, int, int]
    share: Floats


def round_to_total(parts: Sequence[float] | Floats, total: int) -> list[int]:
    """Round parts to whole numbers that add up to `total`, by the largest remainder (the first part on ties)."""
    weights = np.asarray(parts, dtype=np.float64)
    whole = float(weights.sum())
    if len(weights) == 0 or whole <= 0.0:
        return [0] * len(weights)
    exact = weights * (total / whole)
    rounded = np.floor(exact + 1e-9).astype(int)
    short = total - int(rounded.sum())
    order = np.argsort(-(exact - rounded), kind="stable")
    rounded[order[: max(short, 0)]] += 1
    return [int(value) for value in rounded]


def axis_of(values: Floats, include: Sequence[float] = ()) -> Axis:
    """Return a round axis over the known values, with about 20 to 40 bars and the decimals that a reader needs.

    Parameters
    ----------
    include : values the axis must reach, such as thresholds.

    Notes
    -----
    Where the whole range is more than three times the middle 95 %, a few far-off values would squeeze all others into
    one bar: the axis then covers the middle 95 % and what must be included.
    """
    known = values[np.isfinite(values)]
    if known.size == 0:
        return Axis(0.0, 1.0, 1.0, 0)
    if max(abs(float(known.min())), abs(float(known.max()))) > LARGEST:
        return enlarged(axis_of(known / SHRINK, [value / SHRINK for value in include]))
    least, most = float(known.min()), float(known.max())
    if most - least <= 1.0 / LARGEST:
        width = abs(least) * 0.1 if abs(least) > 1.0 / LARGEST else 1.0
        return Axis(least - width, least + width, width / 5, max(0, math.ceil(-math.log10(width / 10))))
    low, high = (float(edge) for edge in np.quantile(known, MIDDLE_PART))
    if high > low and most - least > FAR_OFF * (high - low):
        wanted = [value for value in include if math.isfinite(value)]
        low, high = max(min([low, *wanted]), least), min(max([high, *wanted]), most)
    else:
        low, high = least, most
    whole = bool(np.all(known == np.round(known)))
    rough = (high - low) / BARS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice * power for nice in NICE_STEPS if nice * power >= NEAR_ENOUGH * rough)
    if whole:
        step = max(float(math.ceil(step)), 1.0)
    start, end = math.floor(low / step + 1e-9) * step, (math.floor(high / step + 1e-9) + 1) * step
    if whole and step == 1.0:
        start -= 0.5
    decimals = 0 if whole else max(0, math.ceil(-math.log10((high - low) / 200)))
    return Axis(start, end, step, decimals, least < start, most > end)


def enlarged(axis: Axis) -> Axis:
    """Return the axis of values that were shrunk, its ends no further than a float reaches."""
    end = float(np.finfo(np.float64).max)
    low, high = (min(max(edge * SHRINK, -end), end) for edge in (axis.low, axis.high))
    return Axis(low, high, axis.step * SHRINK, 0, axis.below, axis.above)


def steps_between(start: float, end: float, step: float) -> float:
    """Return how many steps lead from start to end, also where their distance is more than a float holds."""
    distance = end - start
    return distance / step if math.isfinite(distance) else end / step - start / step


@dataclass(frozen=True, eq=False)
class Evidence:
    """The training patients at each node of `tree`; every number is patient weight × share of the node.

    Attributes
    ----------
    tree : the finished tree.
    values : (n, M) encoded values, NaN missing. label_weights : (n, K), a set label shared evenly.
    weights : (n,) patient weights. reach : (n, N) share of each patient at each node.
    noise : σ by variable and value, or None when every value is exact.
    """

    tree: Tree
    values: Floats
    label_weights: Floats
    weights: Floats
    reach: Floats
    noise: SigmaAt | None = None
    _axes: dict[int, Axis] = field(default_factory=dict, repr=False)
    _bars: dict[tuple[int, int | None], Histogram] = field(default_factory=dict, repr=False)
    _texts: dict[tuple[int, float], str] = field(default_factory=dict, repr=False)

    @cached_property
    def weight(self) -> Floats:
        """(N,) patient weight at each node."""
        return np.asarray(self.weights @ self.reach, dtype=np.float64)

    @cached_property
    def class_weight(self) -> Floats:
        """(N, K) patient weight at each node by class."""
        return np.asarray(self.reach.T @ (self.weights[:, None] * self.label_weights), dtype=np.float64)

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """(N,) whole patients at each node, rounded so that children add up to their parent."""
        counts = np.zeros(self.tree.n_nodes, dtype=np.int64)
        counts[0] = round(float(self.tree.weight[0]))
        for node in range(self.tree.n_nodes):
            below = list(self.tree.children(node))
            if below:
                counts[below] = round_to_total(self.tree.weight[below], int(counts[node]))
        counts.setflags(write=False)
        return counts

    def at_node(self, node: int) -> Floats:
        """Return the (n,) weight × share of every patient at `node`."""
        return np.asarray(self.weights * self.reach[:, node], dtype=np.float64)

    def patients(self, node: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the rows present at `node`, the most present first, and their weight × share."""
        present = self.at_node(node)
        rows = np.flatnonzero(present > TINY)
        rows = rows[np.argsort(-present[rows], kind="stable")]
        return rows, present[rows]

    def axis(self, variable: int) -> Axis:
        """Return the variable's axis, the same for every node of the tree."""
        if variable not in self._axes:
            names = self.tree.categories[variable]
            if names is None:
                nodes = np.flatnonzero(self.tree.variable == variable)
                cuts = [float(self.tree.threshold[node]) for node in nodes]
                cuts += [cut for node in nodes for cut in self.bin_cuts(int(node))]
                self._axes[variable] = axis_of(self.values[:, variable], cuts)
            else:
                self._axes[variable] = Axis(0.0, float(len(names)), 1.0, 0)
        return self._axes[variable]

    def bin_cuts(self, node: int) -> list[float]:
        """Return the edges of the bins that have a child at this node, rising; none of another kind of split."""
        if self.tree.gate[node] != BINS:
            return []
        edges = {edge for child in self.tree.children(node) for edge in self.tree.bin_range(child)}
        return sorted(edge for edge in edges if math.isfinite(edge))

    def number(self, variable: int, value: float) -> str:
        """Return a value in the decimals of its variable's axis; a whole-number variable may still have a half."""
        return plain(value, self._decimals(variable, value, False))

    def _decimals(self, variable: int, value: float, cuts: bool) -> int:
        axis = self.axis(variable)
        if axis.high - axis.low > 1000:
            return axis.decimals
        short, longer = (round(value, axis.decimals + more) for more in (0, 1))
        midway = cuts and short != longer and abs(value - longer) < TINY * abs(value)  # between two readings
        return axis.decimals + int(midway or (axis.decimals == 0 and abs(value - round(value)) > 1e-9))

    def threshold_text(self, node: int) -> str:
        """Return the node's threshold, short but still parting the same patients ("" without one)."""
        theta = float(self.tree.threshold[node])
        return self.edge_text(node, theta) if self.tree.variable[node] >= 0 and np.isfinite(theta) else ""

    def edge_text(self, node: int, edge: float) -> str:
        """Return a threshold or zone edge of the node, short but with every training patient on its own side.

        Notes
        -----
        A zone is closed above, `low < x <= high` (METHODS §7), whatever the side on which the threshold is closed.
        """
        variable, theta = int(self.tree.variable[node]), float(self.tree.threshold[node])
        if (node, edge) not in self._texts:
            cuts = edge == theta and self.tree.gate[node] == BINARY
            closed, slack = (bool(self.tree.closed_le[node]), 0.0) if cuts else (True, self._slack(node))
            values, decimals = self.values[:, variable], self._decimals(variable, edge, cuts)
            wanted = left_of(values, edge + slack, closed)
            self._texts[node, edge] = shortest(
                edge, decimals, lambda x: not np.any(left_of(values, x, closed) != wanted)
            )
        return self._texts[node, edge]

    def _slack(self, node: int) -> float:
        """What rounding may take off a zone's edge: a reading on the edge still counts as the gate counts it."""
        theta, low, high = (float(part[node]) for part in (self.tree.threshold, self.tree.low, self.tree.high))
        return TINY * sum(abs(part) for part in (theta, (high - low) / 2) if np.isfinite(part))

    def sigma(self, node: int) -> float:
        """Return σ at the node's threshold, 0 when the variable is exact or nominal."""
        theta, variable = float(self.tree.threshold[node]), int(self.tree.variable[node])
        if self.noise is None or variable < 0 or not np.isfinite(theta):
            return 0.0
        return float(np.asarray(self.noise.at(variable, theta)))

    def band(self, node: int) -> Band:
        """Return the node's blend range: its zone where it has one, else θ ± 1.96 σ, else nothing.

        Notes
        -----
        A zone is `low < x <= high` (METHODS §7); the same reading serves θ ± 1.96 σ.
        """
        sigma, theta = self.sigma(node), float(self.tree.threshold[node])
        low, high = float(self.tree.low[node]), float(self.tree.high[node])
        if np.isfinite(low) and np.isfinite(high) and high > low:
            return Band(low, high, "zone", sigma)
        if sigma > 0.0:
            return Band(theta - TWO_SIDED_95 * sigma, theta + TWO_SIDED_95 * sigma, "measurement error", sigma)
        return Band(math.nan, math.nan, None, sigma)

    def band_text(self, node: int) -> tuple[str, str]:
        """Return the edges of the node's blend range in words, true to the counts of `split_counts`."""
        band = self.band(node)
        return (self.edge_text(node, band.low), self.edge_text(node, band.high)) if band.kind else ("", "")

    def histogram(self, node: int, bins: int | None = None) -> Histogram:
        """Return the node's patients by class along its split variable.

        Parameters
        ----------
        bins : wanted number of bars over the variable's axis; None takes the axis's own step.

        Notes
        -----
        A bar edge lies on θ, and bars are closed on the side the split is, so that no bar straddles the threshold; a
        split into bins has a bar a bin.
        Values beyond the axis count in its end bars.
        """
        if (node, bins) in self._bars:
            return self._bars[node, bins]
        variable, theta = int(self.tree.variable[node]), float(self.tree.threshold[node])
        if variable < 0:
            return Histogram(np.array([0.0, 1.0]), self.class_weight[node][None, :].copy())
        axis = self.axis(variable)
        step = axis.step if bins is None else steps_between(axis.low, axis.high, max(bins, 1))
        if self.tree.categories[variable] is not None:
            edges: Floats = np.arange(axis.low, axis.high + 1.0, dtype=np.float64)
            closed = False
        elif self.tree.gate[node] == BINS:
            inside = [cut for cut in self.bin_cuts(node) if axis.low < cut < axis.high]
            edges, closed = np.array([axis.low, *inside, axis.high]), True
        else:
            origin = theta if np.isfinite(theta) else axis.low
            first = math.ceil(steps_between(origin, axis.low, step) - 1e-9)
            last = math.floor(steps_between(origin, axis.high, step) + 1e-9)
            inner = 4.0 * (origin / 4.0 + step / 4.0 * np.arange(first, last + 1))  # no product leaves the floats
            edges = np.unique(np.concatenate(([axis.low], inner, [axis.high]))).astype(np.float64)
            edges = edges[np.concatenate(([True], np.diff(edges / 4.0) > 1e-9 * step / 4.0))]
            closed = bool(self.tree.closed_le[node]) if np.isfinite(theta) else True
        present, reading = self.at_node(node), self.values[:, variable]
        rows = np.flatnonzero((present > 0.0) & np.isfinite(reading))
        place = np.searchsorted(edges, reading[rows], side="left" if closed else "right") - 1
        place = np.clip(place, 0, len(edges) - 2)
        mass, size = present[rows, None] * self.label_weights[rows], len(edges) - 1
        by_class = [np.bincount(place, weights=part, minlength=size) for part in mass.T]
        counts: Floats = np.column_stack(by_class).astype(np.float64)
        self._bars[node, bins] = Histogram(edges, counts)
        return self._bars[node, bins]

    def split_counts(self, node: int) -> SplitCounts:
        """Return patient weight left of the blend range, in it and right of it; with none, left and right of θ."""
        band, variable = self.band(node), int(self.tree.variable[node])
        theta, closed = float(self.tree.threshold[node]), bool(self.tree.closed_le[node])
        present, column = self.at_node(node), self.values[:, variable]
        known = np.isfinite(column)
        if band.kind is None:
            left = left_of(column, theta, closed)
            inside = np.zeros_like(left)
        else:
            slack = self._slack(node)
            left = column <= band.low + slack
            inside = known & ~left & (column <= band.high + slack)
        parts = [left & known, inside, known & ~left & ~inside, ~known]
        sums = [float(present[part].sum()) for part in parts]
        mixes = np.array([(present[part, None] * self.label_weights[part]).sum(axis=0) for part in parts[:3]])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = mixes / mixes.sum(axis=1, keepdims=True)
        n = round_to_total(sums, int(self.count[node]))
        return SplitCounts(sums[0], sums[1], sums[2], sums[3], n=(n[0], n[1], n[2], n[3]), share=share)

    def branch_counts(self, node: int) -> list[int]:
        """Return the whole patients at each child; they add up to the node's."""
        return [int(self.count[child]) for child in self.tree.children(node)]


def left_of(values: Floats, theta: float, closed: bool) -> NDArray[np.bool_]:
    """Return which values a hard gate at θ sends left (missing values nowhere)."""
    return np.asarray(values <= theta if closed else values < theta)


def evidence(
    tree: Tree,
    values: Floats,
    label_weights: Floats,
    weights: Floats,
    reach: Floats,
    noise: SigmaAt | None = None,
) -> Evidence:
    """Return what the training patients say at each node.

    Parameters
    ----------
    tree : the finished tree.
    values : (n, M) encoded values, a nominal one as its category code, NaN missing.
    label_weights : (n, K), 1/|set| for each member of the patient's label set.
    weights : (n,) patient weights.
    reach : (n, N) share of each patient at each node under the tree's own propagation gate (`route.reach`).
    noise : the evaluation noise (`ResolvedNoise`), or None when every value is exact.
    """
    return Evidence(
        tree=tree,
        values=np.asarray(values, dtype=np.float64),
        label_weights=np.asarray(label_weights, dtype=np.float64),
        weights=np.asarray(weights, dtype=np.float64),
        reach=np.asarray(reach, dtype=np.float64),
        noise=noise,
    )
