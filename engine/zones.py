"""δ, the half-width of the zone at a split: five methods of [T], and measurement noise.

In: a split and the training patients who reach it by hard gates. Out: δ in the variable's unit, clamped as METHODS §7
says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import CODES
from engine.errors import PenumbraError
from engine.gates import divide, node_splits
from engine.noise import ResolvedNoise
from engine.search import (
    TIE,
    Arrivals,
    Search,
    known_fraction,
    mdl_charge,
    numeric_curve,
    place_threshold,
    resampled_candidate,
    soft_candidate,
    weighed_points,
)
from engine.table import Table
from engine.tree import BINARY, LEAF, NOMINAL, Node

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
WIDEST = 0.25  # of the node's range
FEWEST_TO_RESAMPLE = 10
RESAMPLES = ((2_000, 20), (10_000, 15))  # training patients below which a node is resampled so often; 10 beyond
FEWEST_RESAMPLES = 10
MOST_DRAWS = 100_000_000  # patients drawn at one node, over all resamples: 0.4 GB
ROOT = 1  # the root's place; see `place_of_child`


@dataclass(frozen=True)
class Zone:
    """How δ is found; the names are the constructor's (METHODS §0).

    seed : of the bootstrap's draws; every node draws from its own stream, told by the seed and the node's place.
    """

    search: Search
    zone: str
    epsilon: float
    zone_z: float
    noise: ResolvedNoise  # of evaluation
    weight_floor: float
    alpha: float = 0.1
    percentile: float = 10.0
    n_bootstraps: int | None = None
    seed: int = 0


def place_of_child(place: int, child: int) -> int:
    """Return a number that tells a node by its path, from its parent's and which child it is.

    Draws that depend on the path alone are the same in whatever order nodes are visited.
    """
    return (place * 1_000_003 + child + 1) % (1 << 61)


def known_here(zone: Zone, node: Node, here: Arrivals) -> tuple[Rows, Floats]:
    """Return the patients whose value is known at the node and their values, both by rising value."""
    known = here.order[node.variable, : here.n_known[node.variable]]
    return known, zone.search.table.columns[node.variable][known]


def most_frequent(labels: NDArray[np.int32], n_classes: int) -> int:
    """Return the most frequent class, the lowest on ties."""
    return int(np.argmax(np.bincount(labels, minlength=n_classes)))


def margin(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return the distance of the nearest intrusion to θ: a patient of one side's main class on the other side. [T]

    Without an intrusion, or when both sides have one main class: the distance of the nearest patient.
    """
    labels = zone.search.table.labels
    known, x = known_here(zone, node, here)
    y = labels.code[known]
    left = x <= node.threshold
    distance = np.abs(x - node.threshold)
    if left.all() or not left.any():
        return float(distance.min())
    n_classes = len(labels.classes)
    main_left, main_right = (
        most_frequent(y[left], n_classes),
        most_frequent(y[~left], n_classes),
    )
    intrudes = np.where(left, y == main_right, y == main_left)
    if main_left == main_right or not intrudes.any():
        return float(distance.min())
    return float(distance[intrudes].min())


def quality_plateau(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return half the span of the candidates whose gain is at least (1 - ε) of the variable's best. [T]"""
    thresholds, gains = numeric_curve(zone.search, here, node.variable, zone.search.labels)
    if len(gains) == 0 or gains.max() == -np.inf:
        return 0.0
    good = thresholds[gains >= (1.0 - zone.epsilon) * gains.max() - TIE]  # a gain of 0 is not told by its rounding
    return float(good.max() - good.min()) / 2.0


def class_overlap(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return half the widest overlap of two classes' middle bands, P₁₀ to P₉₀ by default; 0 when none overlap. [T]

    Percentiles are interpolated linearly; a class with one patient has its value for both.
    """
    known, x = known_here(zone, node, here)
    y = zone.search.table.labels.code[known]
    by_class = [x[y == k] for k in np.flatnonzero(np.bincount(y))]
    low = np.array([percentile(values, zone.percentile) for values in by_class])
    high = np.array([percentile(values, 100.0 - zone.percentile) for values in by_class])
    overlap = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    pairs = overlap[np.triu_indices(len(by_class), 1)]
    return max(0.0, 0.5 * float(pairs.max())) if len(pairs) else 0.0


def percentile(rising: Floats, percent: float) -> float:
    """Return the linearly interpolated percentile of values (n,) that are sorted already."""
    at = (len(rising) - 1) * percent / 100.0
    below = min(int(at), len(rising) - 1)
    above = min(below + 1, len(rising) - 1)
    return float(rising[below] + (at - below) * (rising[above] - rising[below]))


def gain_ratio(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return α·range/(1 + GR): the surer the split, the narrower its zone. [T], METHODS §7"""
    _, x = known_here(zone, node, here)
    return zone.alpha * float(x[-1] - x[0]) / (1.0 + ratio(zone.search, node, here))


def ratio(search: Search, node: Node, here: Arrivals) -> float:
    """Return gain / split entropy of a numeric split on the patients here, 0 when all are on one side.

    The gain is the tree's own criterion's and the entropy in bits, both by the search's own weights; unknown values
    count as one more part. A middle child is not counted apart: θ has two sides. METHODS §4, §7
    """
    parts = sides(search, node, here)
    unknown = max(0.0, float(here.weight.sum() - parts.sum()))
    entropy = float(kernels.entropy(np.append(parts.sum(axis=1), unknown)))
    gain = float(kernels.partition_gain(parts, CODES[search.criterion], search.labels))
    gain *= known_fraction(search, here, node.variable)
    if search.mdl_correction and search.criterion == "gain_ratio":
        gains = numeric_curve(search, here, node.variable, search.labels)[1]
        gain -= mdl_charge(search, here, int(np.isfinite(gains).sum()))
    return max(0.0, gain) / entropy if entropy > 0.0 else 0.0


def sides(search: Search, node: Node, here: Arrivals) -> Floats:
    """Return the known weight by side and label code (2, S) of a numeric split, as the search weighs values."""
    j, theta = node.variable, node.threshold
    if search.is_resampled(j):
        x, code, weight = weighed_points(search, here, j)
    else:
        known = here.order[j, : here.n_known[j]]
        x, code, weight = search.table.columns[j][known], search.table.labels.code[known], here.dense[known]
    left = ((x <= theta) if node.closed_le else (x < theta)).astype(np.float64)
    if search.is_soft(j):
        sigma = search.noise.at(j, x)
        noisy = sigma > 0.0
        left[noisy] = kernels.cdf_all((theta - x[noisy]) / sigma[noisy], int(search.noise.shape[j]))
    n_codes = len(search.labels.mask)
    parts = [np.bincount(code, weights=weight * share, minlength=n_codes) for share in (left, 1.0 - left)]
    return np.array(parts, dtype=np.float64)


def n_resamples(zone: Zone) -> int:
    """Return B: as stated, or by the size of the training set. METHODS §7"""
    if zone.n_bootstraps is not None:
        return zone.n_bootstraps
    return next((count for below, count in RESAMPLES if zone.search.table.n < below), FEWEST_RESAMPLES)


def node_bootstrap(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return the standard deviation (ddof 0) of the variable's best threshold over B resamples of the node. [T], §7

    A resample draws as many patients as are known here, each with equal chance and with replacement; a patient brings
    its weight and label set along. Each is searched as the tree is (exact, soft or resampled), but with no leaf
    minimum. Skipped are those without a candidate, not those without a gain: of one class alone the lowest candidate
    counts, as ties go. 0 for under 10 patients or under two thresholds.
    """
    known = here.order[node.variable, : here.n_known[node.variable]]
    if len(known) < FEWEST_TO_RESAMPLE:
        return 0.0
    if n_resamples(zone) * len(known) > MOST_DRAWS:
        raise PenumbraError(
            f"n_bootstraps {n_resamples(zone):,} on {len(known):,} patients would draw more than {MOST_DRAWS:,} of "
            "them at one node; lower n_bootstraps or choose another zone."
        )
    free = replace(zone.search, min_weight_leaf=0.0, hard=np.zeros_like(zone.search.hard), mdl_correction=False)
    rng = np.random.default_rng([zone.seed, place])
    draws = rng.integers(0, len(known), size=(n_resamples(zone), len(known)), dtype=np.int32)
    known = in_plain_order(free, node.variable, known, here.dense)
    j = node.variable
    noisy = free.is_soft(j) or free.is_resampled(j)
    thresholds = (noisy_thresholds if noisy else exact_thresholds)(free, j, known, here, draws)
    return float(np.std(thresholds)) if len(thresholds) >= 2 else 0.0


def in_plain_order(search: Search, j: int, known: Rows, dense: Floats) -> Rows:
    """Return patients by rising value, then label, then weight, so that the order of rows in the table cannot matter.

    `known` are by rising value already; only ties need sorting.
    """
    x = search.table.columns[j][known]
    step = np.diff(x) > 0.0
    if step.all():
        return known
    rank = np.concatenate([[0], np.cumsum(step)])
    code, weight = search.table.labels.code[known], dense[known]
    keys = (rank * (int(code.max()) + 1) + code,)
    if np.ptp(weight) > 0.0:
        return np.asarray(known[np.lexsort((weight, *keys))])
    return np.asarray(known[np.argsort(keys[0], kind="stable")])


def exact_thresholds(search: Search, j: int, known: Rows, here: Arrivals, draws: Rows) -> Floats:
    """Return the best exact threshold of every resample (B, n) that has one."""
    column = search.table.columns[j]
    below, above = kernels.bootstrap_cuts(
        column[known], search.table.labels.code[known], here.dense[known], draws, CODES[search.criterion],
        search.labels,
    )  # fmt: skip
    found = ~np.isnan(below)
    return np.asarray(
        place_threshold(search.threshold, below[found], above[found], search.table, j), dtype=np.float64
    )


def noisy_thresholds(search: Search, j: int, known: Rows, here: Arrivals, draws: Rows) -> Floats:
    """Return the best soft or resampled threshold of every resample (B, n) that has one."""
    find = resampled_candidate if search.is_resampled(j) else soft_candidate
    found = []
    for draw in draws:
        count = np.bincount(draw, minlength=len(known))
        drawn = known[count > 0]
        dense = np.zeros(search.table.n)
        dense[drawn] = here.dense[drawn] * count[count > 0]
        rows = np.sort(drawn)
        again = one_variable(search, j, rows, dense[rows], dense, here.boxes.get(j, (-np.inf, np.inf)))
        candidate = find(search, again, j, search.labels)
        if candidate is not None:
            found.append(candidate.threshold)
    return np.array(found)


def measurement_noise(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return z·σ(θ) of the evaluation noise: the zone a stated measurement error implies. METHODS §7"""
    return zone.zone_z * float(zone.noise.at(node.variable, node.threshold))


ZONES: dict[str, Callable[[Zone, Node, Arrivals, int], float]] = {
    "margin": margin,
    "node_bootstrap": node_bootstrap,
    "quality_plateau": quality_plateau,
    "class_overlap": class_overlap,
    "gain_ratio": gain_ratio,
    "noise": measurement_noise,
}


def delta(zone: Zone, node: Node, here: Arrivals, place: int) -> float:
    """Return δ at a numeric split from the patients who arrive, clamped to a quarter of their range. METHODS §7

    Parameters
    ----------
    node : a growing node that is split. here : who arrives by hard gates; the order of its variable is read alone.
    place : tells the node by its path (`place_of_child`).
    """
    if zone.zone == "noise":
        return measurement_noise(zone, node, here, place)
    _, values = known_here(zone, node, here)
    if len(values) == 0:
        return 0.0
    widest = WIDEST * float(values[-1] - values[0])
    return float(min(max(0.0, ZONES[zone.zone](zone, node, here, place)), widest))


def one_variable(
    search: Search, j: int, rows: Rows, weight: Floats, dense: Floats, box: tuple[float, float]
) -> Arrivals:
    """Return patients in the order of variable `j` alone; of the others nobody counts as known.

    Parameters
    ----------
    rows : (n,) rising. weight : (n,). dense : (N,) the same weights by patient, 0 elsewhere.
    box : the interval (a, b] that the path leaves for the variable.
    """
    table = search.table
    column = table.columns[j]
    if len(rows) * np.log2(len(rows) + 2) < table.n:  # cheaper than reading the whole table's order
        known = rows[~np.isnan(column[rows])]
        known = known[np.argsort(column[known], kind="stable")]
    else:
        known = table.sorted_rows[0][j, : table.sorted_rows[1][j]]
        known = known[dense[known] > 0.0]
    order = np.empty((len(table.columns), len(known)), dtype=np.int32)
    order[j] = known
    n_known = np.zeros(len(order), dtype=np.int64)
    n_known[j] = len(known)
    return Arrivals(rows, weight, dense, order, n_known, frozenset(), {j: box})


def delta_of(zone: Zone, node: Node, rows: Rows, weight: Floats, dense: Floats, place: int) -> float:
    """Return δ from patients given as rows and weights; `dense` (N,) is a buffer of zeros, and is left so."""
    dense[rows] = weight
    found = delta(zone, node, one_variable(zone.search, node.variable, rows, weight, dense, node.box), place)
    dense[rows] = 0.0
    return found


def hard_parts(table: Table, node: Node, rows: Rows, weight: Floats, floor: float) -> list[tuple[Rows, Floats]]:
    """Return the patients and weights that a split node sends to each child by its hard gate."""
    x = table.columns[node.variable][rows]
    if node.gate == BINARY and not np.isnan(x).any():  # nobody is divided
        left = (x <= node.threshold) if node.closed_le else (x < node.threshold)
        return [(rows[side], weight[side]) for side in (left, ~left)]
    pieces = divide(
        node_splits(node, table), rows, weight, table.weight[rows], table.columns[node.variable], "hard",
        ResolvedNoise.none(len(table.columns)), floor, refit=False,
    )  # fmt: skip
    return [(rows[part > 0.0], np.ascontiguousarray(part[part > 0.0])) for part in pieces.T]


def settle_zones(root: Node, zone: Zone) -> None:
    """Write δ into every numeric split below `root`, from the patients arriving by hard gates. METHODS §0.1, §7"""
    table = zone.search.table
    rows, dense = np.flatnonzero(table.weight > 0.0).astype(np.int32), np.zeros(table.n)
    stack = [(root, rows, table.weight[rows], ROOT)]
    while stack:
        node, rows, weight, place = stack.pop()
        if node.gate == LEAF:
            continue
        if node.gate != NOMINAL:
            node.delta = delta_of(zone, node, rows, weight, dense, place)
        for c, part in enumerate(hard_parts(table, node, rows, weight, zone.weight_floor)):
            stack.append((node.children[c], *part, place_of_child(place, c)))
