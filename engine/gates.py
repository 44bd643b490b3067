"""Gates: how a node shares a patient among its children, as codes and parameters for the kernels.

In: a tree or one growing node, a gate kind, the noise. Out: shares per child.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.noise import ResolvedNoise
from engine.table import Table
from engine.tree import BINS, LEAF, MIDDLE, NOMINAL, Node, Tree

KINDS = {
    "hard": kernels.HARD,
    "soft": kernels.SOFT,
    "coherent": kernels.COHERENT,
    "conditional": kernels.COHERENT,  # what propagation calls it
    "zone": kernels.ZONE,
    "deferred": kernels.DEFERRED,
}
assert (MIDDLE, NOMINAL, BINS) == (kernels.MIDDLE_GATE, kernels.NOMINAL_GATE, kernels.BINS_GATE)


def tree_splits(tree: Tree) -> kernels.Splits:
    """Return the arrays of a finished tree that routing reads."""
    return kernels.Splits(
        tree.variable, tree.gate, tree.first_child, tree.n_children, tree.threshold, tree.closed_le, tree.low,
        tree.high, tree.box_low, tree.box_high, tree.share, tree.code, tree.cuts, tree.n_categories,
    )  # fmt: skip


def node_splits(node: Node, table: Table) -> kernels.Splits:
    """Return one growing node as arrays of length 1; `share` (C,) is the node's own, to be refitted in place.

    All others are read-only, as those of a finished tree are: one type, so that numba compiles one kernel for both.
    """
    symmetric = node.delta == node.delta
    low, high = (node.threshold - node.delta, node.threshold + node.delta) if symmetric else node.zone
    return kernels.Splits(
        locked(np.array([node.variable], dtype=np.int32)),
        locked(np.array([node.gate], dtype=np.int8)),
        locked(np.array([0], dtype=np.int32)),
        locked(np.array([len(node.share)], dtype=np.int32)),
        locked(np.array([node.threshold])),
        locked(np.array([node.closed_le])),
        locked(np.array([low])),
        locked(np.array([high])),
        locked(np.array([node.box[0]])),
        locked(np.array([node.box[1]])),
        node.share,
        locked(node.codes[:]),
        locked(table.cuts[:]),
        table.schema.n_categories,
    )


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array made read-only; give a view of one that others write to."""
    array.flags.writeable = False
    return array


def tree_node_splits(tree: Tree, node: int) -> kernels.Splits:
    """Return one split node of a finished tree as arrays of length 1, `share` (C,) its children's."""
    one, below = slice(node, node + 1), slice(tree.children(node).start, tree.children(node).stop)
    return kernels.Splits(
        tree.variable[one], tree.gate[one], locked(np.zeros(1, dtype=np.int32)), tree.n_children[one],
        tree.threshold[one], tree.closed_le[one], tree.low[one], tree.high[one], tree.box_low[one], tree.box_high[one],
        tree.share[below].copy(), tree.code[below], tree.cuts, tree.n_categories,
    )  # fmt: skip


def divide(
    splits: kernels.Splits,
    rows: NDArray[np.int32],
    weight: NDArray[np.float64],
    original: NDArray[np.float64],
    column: NDArray[np.float64],
    kind: str,
    noise: ResolvedNoise,
    floor: float,
    refit: bool,
) -> NDArray[np.float64]:
    """Divide the training patients at a split node among its children. METHODS §5.

    Parameters
    ----------
    splits : one node, from `node_splits` or `tree_node_splits`; its `share` is worked out again in place when `refit`.
    rows, weight, original : (n,) patients, their weight here and their original weight.
    column : (N,) training values of the split variable. kind : "hard", "soft" or "coherent".
    floor : pieces under this part of the original weight go whole to the heaviest child.

    Returns
    -------
    (n, C) weights; each row sums to the patient's weight.
    """
    pieces = np.zeros((len(rows), len(splits.share)))
    kernels.divide(
        rows,
        weight,
        original,
        column,
        splits._replace(share=locked(splits.share[:])),
        splits.share,
        KINDS[kind],
        noise.error,
        floor,
        refit,
        pieces,
    )
    return pieces


def gate_shares(tree: Tree, node: int, x: float, kind: str, noise: ResolvedNoise) -> NDArray[np.float64]:
    """Return the share of a patient with value `x` (NaN = missing) that `node` sends to each child. METHODS §3.

    Parameters
    ----------
    tree : the finished tree. node : a split node. x : the value of its variable, a category's position when nominal.
    kind : "hard", "soft", "coherent", "zone" or "deferred" (here the zone's: the first zone met).

    Returns
    -------
    (C,) shares that sum to 1.
    """
    children = tree.children(node)
    if np.isnan(x):
        return tree.share[children.start : children.stop].copy()
    shares = np.zeros(len(children))
    kernels.gate_shares(float(x), node, tree_splits(tree), KINDS[kind], noise.error, shares)
    return shares


def in_zone(tree: Tree, node: int, x: float) -> bool:
    """Return True when the known value `x` lies in the node's zone, low < x <= high. METHODS §7"""
    return bool(kernels.in_zone(float(x), node, tree_splits(tree)))


def child_boxes(node: Node, boxes: dict[int, tuple[float, float]], child: int) -> dict[int, tuple[float, float]]:
    """Return the intervals (a, b] that the path leaves at a node's child, by variable, from those at the node."""
    if node.gate in (LEAF, NOMINAL, BINS):
        return boxes
    low, high = boxes.get(node.variable, (-np.inf, np.inf))
    inner = [node.threshold - node.delta, node.threshold + node.delta] if node.gate == MIDDLE else [node.threshold]
    cuts = [low, *(min(max(cut, low), high) for cut in inner), high]  # a soft search may cut beyond what the path left
    return {**boxes, node.variable: (cuts[child], cuts[child + 1])}
