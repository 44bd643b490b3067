"""δ, the half-width of the zone at a split: margin, quality plateau, measurement noise.

In: a split and the training patients at it. Out: δ in the variable's unit, clamped as METHODS §7 says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.gates import divide, node_splits
from engine.noise import ResolvedNoise
from engine.search import TIE, Arrivals, Search, arrivals, numeric_curve
from engine.tree import LEAF, NOMINAL, Node

Floats = NDArray[np.float64]
WIDEST = 0.25  # of the node's range


@dataclass(frozen=True)
class Zone:
    """How δ is found; the names are the constructor's (METHODS §0)."""

    search: Search
    zone: str
    epsilon: float
    zone_z: float
    noise: ResolvedNoise  # of evaluation
    weight_floor: float


def most_frequent(labels: NDArray[np.int32], n_classes: int) -> int:
    """Return the most frequent class, the lowest on ties."""
    return int(np.argmax(np.bincount(labels, minlength=n_classes)))


def margin(zone: Zone, node: Node, here: Arrivals) -> float:
    """Return the distance of the nearest intrusion to θ: a patient of one side's main class on the other side. [T]

    Without an intrusion, or when both sides have one main class: the distance of the nearest patient.
    """
    table = zone.search.table
    known = here.order[node.variable, : here.n_known[node.variable]]
    x, y = table.columns[node.variable][known], table.labels.code[known]
    left = x <= node.threshold
    distance = np.abs(x - node.threshold)
    if left.all() or not left.any():
        return float(distance.min())
    n_classes = len(table.labels.classes)
    main_left, main_right = (
        most_frequent(y[left], n_classes),
        most_frequent(y[~left], n_classes),
    )
    intrudes = np.where(left, y == main_right, y == main_left)
    if main_left == main_right or not intrudes.any():
        return float(distance.min())
    return float(distance[intrudes].min())


def quality_plateau(zone: Zone, node: Node, here: Arrivals) -> float:
    """Return half the span of the candidates whose gain is at least (1 - ε) of the variable's best. [T]"""
    thresholds, gains = numeric_curve(zone.search, here, node.variable, zone.search.labels)
    if len(gains) == 0 or gains.max() == -np.inf:
        return 0.0
    good = thresholds[gains >= (1.0 - zone.epsilon) * gains.max() - TIE]  # a gain of 0 is not told by its rounding
    return float(good.max() - good.min()) / 2.0


def measurement_noise(zone: Zone, node: Node, here: Arrivals) -> float:
    """Return z·σ(θ) of the evaluation noise: the zone a stated measurement error implies. METHODS §7"""
    return zone.zone_z * float(zone.noise.at(node.variable, node.threshold))


ZONES: dict[str, Callable[[Zone, Node, Arrivals], float]] = {
    "margin": margin,
    "quality_plateau": quality_plateau,
    "noise": measurement_noise,
}


def delta(zone: Zone, node: Node, here: Arrivals) -> float:
    """Return δ at a numeric split from the patients who arrive, clamped to a quarter of their range. METHODS §7"""
    known = here.order[node.variable, : here.n_known[node.variable]]
    if zone.zone == "noise":
        return measurement_noise(zone, node, here)
    if len(known) == 0:
        return 0.0
    values = zone.search.table.columns[node.variable][known]
    return float(
        min(
            max(0.0, ZONES[zone.zone](zone, node, here)),
            WIDEST * (values[-1] - values[0]),
        )
    )


def settle_zones(root: Node, zone: Zone) -> None:
    """Write δ into every numeric split below `root`, from the patients arriving by hard gates. METHODS §0.1, §7"""
    table = zone.search.table
    stack = [(root, table.weight.copy())]
    while stack:
        node, dense = stack.pop()
        if node.gate == LEAF:
            continue
        here = arrivals(table, dense, boxes={node.variable: node.box})
        if node.gate != NOMINAL:
            node.delta = delta(zone, node, here)
        pieces = divide(
            node_splits(node, table), here.rows, here.weight, table.weight[here.rows], table.columns[node.variable],
            "hard", zone.noise, zone.weight_floor, refit=False,
        )  # fmt: skip
        for child, weight in zip(node.children, pieces.T, strict=True):
            below = np.zeros(table.n)
            below[here.rows] = weight
            stack.append((child, below))
