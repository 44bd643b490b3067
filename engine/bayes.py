"""Naive Bayes in the leaves of a grown tree: the training patients at every node, errors, the weights a leaf reads.

In: a grown root, the training table, how patients are propagated. Out: weight classified rightly by node; `Node.bayes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.gates import divide, node_splits
from engine.noise import ResolvedNoise
from engine.table import Table
from engine.tree import LEAF, REST, Node

Floats = NDArray[np.float64]


@dataclass
class Place:
    """A node of a grown tree with the training patients that arrive there.

    above : the parent, None at the root. code : which of its children this is (`Tree.code`).
    rows, weight : (n,) patients and their weight here. used : (M,) bool, the variables split on along the path.
    """

    node: Node
    above: Place | None
    code: int
    rows: NDArray[np.int32]
    weight: Floats
    used: NDArray[np.bool_]

    @property
    def speaker(self) -> Place:
        """The place whose naive Bayes this one answers by: its own, or its parent's when it is empty or REST."""
        place = self
        while place.above is not None and (place.code == REST or len(place.rows) == 0):
            place = place.above
        return place


def places(root: Node, table: Table, propagation: str, noise: ResolvedNoise, weight_floor: float) -> list[Place]:
    """Return every node with its training patients, parents before their children. METHODS §5"""
    rows = np.arange(table.n, dtype=np.int32)
    found = [Place(root, None, 0, rows, table.weight, np.zeros(len(table.columns), dtype=bool))]
    for place in found:  # grows while it is read
        node = place.node
        if node.gate == LEAF:
            continue
        pieces = divide(
            node_splits(node, table), place.rows, place.weight, table.weight[place.rows], table.columns[node.variable],
            propagation, noise, weight_floor, refit=False,
        )  # fmt: skip
        used = place.used.copy()
        used[node.variable] = True
        for code, child, part in zip(node.codes, node.children, pieces.T, strict=True):
            present = part > 0.0
            found.append(Place(child, place, int(code), place.rows[present], part[present], used))
    return found


def bounds(parts: list[NDArray[np.int32]]) -> NDArray[np.int64]:
    """Return where each of the joined parts begins, and the end of the last."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def right_weights(found: list[Place], table: Table) -> Floats:
    """Return the weight (N,) of each node's patients that the naive Bayes it answers by classifies rightly. METHODS §8

    A leaf of REST holds patients only when they are shared by a soft gate; its parent's naive Bayes answers them.
    """
    rows, weight, worth, used = [], [], [], []
    for place in found:
        speaker = place.speaker
        own = speaker is place
        rows.append(place.rows if own else np.concatenate([speaker.rows, place.rows]))
        weight.append(place.weight if own else np.concatenate([speaker.weight, np.zeros(len(place.rows))]))
        worth.append(place.weight if own else np.concatenate([np.zeros(len(speaker.rows)), place.weight]))
        used.append(speaker.used)
    right: Floats = kernels.bayes_right(
        np.concatenate(rows), np.concatenate(weight), np.concatenate(worth), bounds(rows), np.array(used), table.values
    )
    return right


def settle_bayes(root: Node, table: Table, propagation: str, noise: ResolvedNoise, weight_floor: float) -> None:
    """Give every leaf the training weights that its naive Bayes reads, an empty one its parent's. [C], METHODS §8"""
    found = places(root, table, propagation, noise, weight_floor)
    leaves = [place for place in found if place.node.gate == LEAF]
    speakers = list({id(place.speaker): place.speaker for place in leaves}.values())
    rows = [place.rows for place in speakers]
    tables = kernels.bayes_tables(
        np.concatenate(rows), np.concatenate([place.weight for place in speakers]), bounds(rows),
        np.array([place.used for place in speakers]), table.values,
    )  # fmt: skip
    by_speaker = {id(place): weights for place, weights in zip(speakers, tables, strict=True)}
    for place in leaves:
        place.node.bayes = by_speaker[id(place.speaker)]
