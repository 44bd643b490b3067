"""Naive Bayes in the leaves of a grown tree: the training patients at every node, errors, the weights a leaf reads.

In: a grown root whose nodes hold their patients, the training table.
Out: the weight classified rightly at every node; `Node.bayes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.table import Table
from engine.tree import LEAF, REST, Node

Floats = NDArray[np.float64]


@dataclass(eq=False)
class Place:
    """A node of a grown tree with the training patients that arrive there.

    above : the parent, None at the root. code : which of its children this is (`Tree.code`).
    rows, weight : (n,) patients and their weight here. used : the variables split on along the path.
    """

    node: Node
    above: Place | None
    code: int
    rows: NDArray[np.int32]
    weight: Floats
    used: frozenset[int]

    @property
    def speaker(self) -> Place:
        """The place whose naive Bayes this one answers by: its own, or its parent's when it is empty or REST."""
        place = self
        while place.above is not None and (place.code == REST or len(place.rows) == 0):
            place = place.above
        return place


def places(root: Node) -> list[Place]:
    """Return every node of a tree just grown with the training patients it holds, parents before their children."""
    found: list[Place] = []
    coming: list[tuple[Node, Place | None, int, frozenset[int]]] = [(root, None, 0, frozenset())]
    for node, above, code, used in coming:  # grows while it is read
        assert node.held is not None, "the patients of a node were not kept"
        place = Place(node, above, code, *node.held, used)
        found.append(place)
        if node.children:
            below = used | {node.variable}
            for c, child in zip(node.codes.tolist(), node.children, strict=True):
                coming.append((child, place, c, below))
    return found


def bounds(parts: list[NDArray[np.int32]]) -> NDArray[np.int64]:
    """Return where each of the joined parts begins, and the end of the last."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def marked(places: list[Place], n_variables: int) -> NDArray[np.bool_]:
    """Return (N, M) True for the variables on each place's path."""
    used = np.zeros((len(places), n_variables), dtype=bool)
    row = np.repeat(np.arange(len(places)), [len(place.used) for place in places])
    used[row, np.array([j for place in places for j in place.used], dtype=np.int64)] = True
    return used


def right_weights(found: list[Place], table: Table) -> Floats:
    """Return the weight (N,) of each node's patients that the naive Bayes it answers by classifies rightly. METHODS §8

    A leaf of REST holds patients only when they are shared by a soft gate; its parent's naive Bayes answers them.
    """
    rows, weight, worth = ([getattr(place, name) for place in found] for name in ("rows", "weight", "weight"))
    speakers = [place.speaker if len(place.rows) else place for place in found]
    for p, (place, speaker) in enumerate(zip(found, speakers, strict=True)):
        if speaker is not place:
            rows[p] = np.concatenate([speaker.rows, place.rows])
            weight[p] = np.concatenate([speaker.weight, np.zeros(len(place.rows))])
            worth[p] = np.concatenate([np.zeros(len(speaker.rows)), place.weight])
    right: Floats = kernels.bayes_right(
        np.concatenate(rows), np.concatenate(weight), np.concatenate(worth), bounds(rows),
        marked(speakers, len(table.columns)), *table.values,
    )  # fmt: skip
    return right


def settle_bayes(root: Node, table: Table) -> None:
    """Give every leaf the training weights that its naive Bayes reads, an empty one its parent's. [C], METHODS §8"""
    leaves = [place for place in places(root) if place.node.gate == LEAF]
    speakers = list({id(place.speaker): place.speaker for place in leaves}.values())
    rows = [place.rows for place in speakers]
    tables = kernels.bayes_tables(
        np.concatenate(rows), np.concatenate([place.weight for place in speakers]), bounds(rows),
        marked(speakers, len(table.columns)), table.values,
    )  # fmt: skip
    by_speaker = {id(place): weights for place, weights in zip(speakers, tables, strict=True)}
    for place in leaves:
        place.node.bayes = by_speaker[id(place.speaker)]
