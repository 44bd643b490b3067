"""The growth loop: plain Python over kernels, from a training table to a grown node with children.

In: a table, how splits are sought, how patients are propagated, when to stop. Out: the root `Node`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import is_pure
from engine.gates import child_boxes, divide, node_splits
from engine.leaves import leaf_probability
from engine.noise import ResolvedNoise
from engine.search import Arrivals, Candidate, Search, arrivals, best_split, child_codes, sifted
from engine.table import Table
from engine.tree import BINS, NOMINAL, REST, Node

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """How patients are propagated and when growing stops; the names are the constructor's (METHODS §0)."""

    search: Search
    propagation: str
    noise: ResolvedNoise  # of propagation
    weight_floor: float
    max_depth: int | None
    min_weight_split: float


def make_node(table: Table, rows: NDArray[np.int32], weight: Floats, depth: int) -> Node:
    """Return a leaf holding the weights of `rows` (n,); it keeps them where a naive Bayes may be put on them."""
    labels = table.labels
    by_code = np.bincount(labels.code[rows], weights=weight, minlength=len(labels.member)).astype(np.float64)
    node = Node(by_code @ labels.share, float(weight.sum()), float((weight * weight).sum()), depth)
    node.held = (rows, weight) if table.n_bins else None
    return node


def make_children(
    table: Table, node: Node, rows: NDArray[np.int32], pieces: Floats
) -> list[tuple[Node, NDArray[np.int32], Floats]]:
    """Return a leaf for each child of a split node, with its patients and their weights, from `pieces` (n, C)."""
    kept, weight, bounds, by_class, total, squares = kernels.sort_pieces(
        rows, pieces, table.labels.code, table.labels.share
    )
    made = []
    for c, (start, end) in enumerate(pairwise(bounds.tolist())):
        child = Node(by_class[c], float(total[c]), float(squares[c]), node.depth + 1)
        child.held = (kept[start:end], weight[start:end]) if table.n_bins else None
        made.append((child, kept[start:end], weight[start:end]))
    return made


def put_split(
    node: Node,
    candidate: Candidate,
    n_children: int,
    boxes: dict[int, tuple[float, float]],
) -> None:
    """Make `node` a split node without children yet."""
    node.variable, node.gate, node.gain = (
        candidate.variable,
        candidate.gate,
        candidate.gain,
    )
    node.threshold, node.closed_le = candidate.threshold, candidate.closed_le
    node.box = boxes.get(candidate.variable, (-np.inf, np.inf))
    node.codes = np.arange(n_children, dtype=np.int32)
    node.share = np.zeros(n_children)


def grow(growth: Growth) -> Node:
    """Grow a tree on the whole training table. METHODS §4, §5.

    Parameters
    ----------
    growth : the search (with its table), the propagation and the stop rules.

    Returns
    -------
    The root, its leaves' weights summing to the training weight; probabilities and zones are not yet set.
    """
    table = growth.search.table
    dense = np.zeros(table.n)
    whole = arrivals(table, table.weight)
    root = make_node(table, whole.rows, whole.weight, 0)
    stack: list[tuple[Node, Arrivals, dict[int, tuple[float, float]]]] = [(root, whole, {})]
    while stack:
        node, here, boxes = stack.pop()
        if stops(growth, node, here.rows, here.weight):
            continue
        dense[here.rows] = here.weight
        here = sifted(growth.search, replace(here, dense=dense, boxes=boxes))
        candidate = best_split(growth.search, here)
        dense[here.rows] = 0.0
        if candidate is None:
            continue
        codes = child_codes(growth.search, here, candidate)
        put_split(node, candidate, len(codes), boxes)
        node.codes = codes
        pieces = divide(
            node_splits(node, table), here.rows, here.weight, table.weight[here.rows], table.columns[node.variable],
            growth.propagation, growth.noise, growth.weight_floor, refit=True,
        )  # fmt: skip
        if (pieces.sum(axis=0) > 0.0).sum() < 2:  # a propagation finer than the search can leave everyone together
            node.become_leaf()
            continue
        used = here.used | {node.variable} if candidate.gate in (NOMINAL, BINS) else here.used
        for code, (child, rows, kept) in zip(node.codes, make_children(table, node, here.rows, pieces), strict=True):
            node.children.append(child)
            if code == REST or stops(growth, child, rows, kept):  # REST stays a leaf of the node itself
                continue
            dense[rows] = kept
            order, known = here.order, here.n_known  # accuracy reads values, not their order
            if growth.search.criterion != "nb_accuracy":
                order, known = kernels.keep_rows(here.order, here.n_known, dense, len(rows))
            dense[rows] = 0.0
            node_boxes = child_boxes(node, boxes, len(node.children) - 1)
            arrived = Arrivals(rows, kept, dense, order, known, used, node_boxes, here.points)
            stack.append((child, arrived, node_boxes))
    return root


def stops(growth: Growth, node: Node, rows: NDArray[np.int32], weight: Floats) -> bool:
    """Return True when the node is empty, pure, too deep or too light to split. METHODS §5"""
    if growth.max_depth is not None and node.depth >= growth.max_depth:
        return True
    if len(rows) == 0 or node.weight < growth.min_weight_split - kernels.SLACK_WEIGHT:
        return True
    labels, table = growth.search.labels, growth.search.table
    if labels.precise:
        return is_pure(node.class_weight, labels)
    by_code = np.bincount(table.labels.code[rows], weights=weight, minlength=len(labels.mask))
    return is_pure(by_code.astype(np.float64), labels)


def settle_leaves(root: Node, leaf: str) -> None:
    """Write the class probabilities of every node; one without weight, or of REST, has its parent's. METHODS §5"""
    stack: list[tuple[Node, Floats | None]] = [(root, None)]
    while stack:
        node, above = stack.pop()
        node.probability = leaf_probability(node.class_weight, above, leaf)
        for code, child in zip(node.codes, node.children, strict=True):
            if code == REST:
                child.probability = node.probability
            else:
                stack.append((child, node.probability))


def settle_boxes(root: Node) -> None:
    """Write the interval that the path leaves for each split's own variable, and the depths. METHODS §3"""
    stack: list[tuple[Node, dict[int, tuple[float, float]], int]] = [(root, {}, 0)]
    while stack:
        node, boxes, depth = stack.pop()
        node.depth, node.box = depth, boxes.get(node.variable, (-np.inf, np.inf))
        stack.extend((child, child_boxes(node, boxes, c), depth + 1) for c, child in enumerate(node.children))
