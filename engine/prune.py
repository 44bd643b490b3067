"""Pruning: a subtree, a leaf, or a child in its parent's place, whichever is charged least; or by accuracy.

In: a grown root and the training patients. Out: the same root, pruned in place, its weights worked out again.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.bayes import places, right_weights
from engine.gates import child_boxes
from engine.grow import Arriving, send_down
from engine.leaves import upper_limits
from engine.noise import ResolvedNoise
from engine.table import Table
from engine.tree import LEAF, Node

Floats = NDArray[np.float64]
Boxes = dict[int, tuple[float, float]]
TIE = 1e-9


@dataclass(frozen=True)
class Pruning:
    """How leaves are charged and patients sent down again; the names are the constructor's (METHODS §0)."""

    table: Table
    propagation: str
    noise: ResolvedNoise  # of propagation
    weight_floor: float
    confidence: float
    pruning_laplace: bool


def charges(class_weight: Floats, confidence: float, pruning_laplace: bool) -> Floats:
    """Return N·U(E, N), what leaves with these class weights (L, K) are charged, (L,). [S] App. B, METHODS §5.

    An empty leaf is charged nothing. With `pruning_laplace`, E is N·(1 - (N_maj + 1)/(N + K)).
    """
    n, most = class_weight.sum(axis=1), class_weight.max(axis=1)
    errors = n * (1.0 - (most + 1.0) / (n + class_weight.shape[1])) if pruning_laplace else n - most
    return np.asarray(n * upper_limits(np.maximum(0.0, errors), n, confidence), dtype=np.float64)


def sent_down(pruning: Pruning, node: Node, rows: NDArray[np.int32], weight: Floats, refit: bool) -> list[Arriving]:
    """Return for each child of a split node a leaf of the patients sent there, their rows and their weights."""
    return send_down(
        pruning.table, node, rows, weight, pruning.propagation, pruning.noise, pruning.weight_floor, refit
    )


def subtree_copy(node: Node) -> Node:
    """Return the splits below `node` as new nodes."""
    top = copy.copy(node)
    stack = [top]
    while stack:
        here = stack.pop()
        here.share = here.share.copy()
        here.children = [copy.copy(child) for child in here.children]
        stack.extend(here.children)
    return top


def refill(
    pruning: Pruning, top: Node, above: Node, rows: NDArray[np.int32], weight: Floats, boxes: Boxes
) -> float:
    """Send patients down the subtree again, writing weights and shares; return the sum of its leaves' charges.

    The intervals that the path leaves are written anew from those at the top, `boxes`: a raised child's are wider, and
    conditional propagation divides by them.

    Parameters
    ----------
    top : the subtree, in whose leaves the weights are to be. above : a node with the same patients as `top` is to have.
    """
    leaves = []
    stack = [(top, above, rows, weight, boxes)]
    while stack:
        node, fresh, rows, weight, boxes = stack.pop()
        node.class_weight, node.weight, node.weight_squared = fresh.class_weight, fresh.weight, fresh.weight_squared
        if node.gate == LEAF:
            leaves.append(node.class_weight)
            continue
        node.box = boxes.get(node.variable, (-np.inf, np.inf))
        parts = sent_down(pruning, node, rows, weight, refit=True)
        stack.extend(
            (child, *part, child_boxes(node, boxes, c))
            for c, (child, part) in enumerate(zip(node.children, parts, strict=True))
        )
    return float(charges(np.array(leaves), pruning.confidence, pruning.pruning_laplace).sum())


def choose(
    pruning: Pruning, node: Node, rows: NDArray[np.int32], weight: Floats, boxes: Boxes, as_leaf: float, kept: float
) -> float:
    """Turn a split node into a leaf or one of its children when that is charged less; return what it is charged now.

    Parameters
    ----------
    boxes : the intervals that the path leaves at the node.
    as_leaf : what the node is charged as a leaf; so it is when a child that is a leaf is put in its place.
    kept : the sum of the charges of the leaves below. The smallest wins, preferring the leaf, then the first child.
    """
    raised = [subtree_copy(child) for child in node.children if child.gate != LEAF]
    options = [as_leaf, *(refill(pruning, child, node, rows, weight, boxes) for child in raised), kept]
    choice = next(k for k, value in enumerate(options) if value <= min(options) + TIE)
    if choice == 0:
        node.become_leaf()
    elif choice <= len(raised):
        vars(node).update(vars(raised[choice - 1]))
    return options[choice]


def prune_pessimistically(root: Node, pruning: Pruning) -> None:
    """Prune a grown tree bottom-up in place. [S] App. B, METHODS §5.

    At every split node the least charged of its subtree, a leaf, and each child in its place (with all the node's
    patients sent down it again, not pruned again) is kept.
    """
    rows = np.flatnonzero(pruning.table.weight > 0.0).astype(np.int32)
    start: Boxes = {}
    arriving = [(root, rows, pruning.table.weight[rows], start)]
    for node, rows, weight, boxes in arriving:  # grows while it is read: parents before children
        if node.gate != LEAF:
            parts = [child.held for child in node.children if child.held is not None]
            if len(parts) < len(node.children):
                parts = [(kept, part) for _, kept, part in sent_down(pruning, node, rows, weight, refit=False)]
            arriving.extend(
                (child, *part, child_boxes(node, boxes, c))
                for c, (child, part) in enumerate(zip(node.children, parts, strict=True))
            )
    grown = np.array([node.class_weight for node, *_ in arriving])
    as_leaf = charges(grown, pruning.confidence, pruning.pruning_laplace).tolist()
    charged: dict[int, float] = {}
    while arriving:
        (node, rows, weight, boxes), own = arriving.pop(), as_leaf.pop()
        if node.gate != LEAF:
            kept = sum(charged.pop(id(child)) for child in node.children)
            own = choose(pruning, node, rows, weight, boxes, own, kept)
        charged[id(node)] = own


def prune_naive_bayes(root: Node, table: Table, how: str, confidence: float) -> None:
    """Prune a grown tree with naive Bayes leaves bottom-up in place. [C], METHODS §8.

    Parameters
    ----------
    how : "pessimistic", a node becomes a leaf when it is then charged no more, without Laplace and without raising a
        child; "nb_accuracy", when its own naive Bayes does not do worse on its patients than the subtree;
        "pessimistic+nb_accuracy", one after the other.
    """
    found = places(root)
    right = right_weights(found, table)
    weight = np.array([place.node.weight for place in found])
    wrong = np.maximum(0.0, weight - right)
    charges = weight * upper_limits(wrong, np.maximum(weight, TIE), confidence)
    steps = {"pessimistic": [charges], "nb_accuracy": [wrong], "pessimistic+nb_accuracy": [charges, wrong]}
    position = {id(place): p for p, place in enumerate(found)}
    parent = np.array([-1 if place.above is None else position[id(place.above)] for place in found], dtype=np.int64)
    splits = np.array([place.node.gate != LEAF for place in found])
    for cost in steps[how]:
        for p in np.flatnonzero(kernels.cut_where_no_worse(parent, splits, cost)).tolist():
            found[p].node.become_leaf()
