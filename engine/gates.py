"""Gates: how a node shares a patient among its children, as codes and parameters for the kernels.

In: a tree or one growing node, a gate kind, the noise. Out: shares per child.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.noise import ResolvedNoise
from engine.tree import LEAF, MIDDLE, NOMINAL, Node, Tree

KINDS = {
    "hard": kernels.HARD,
    "soft": kernels.SOFT,
    "coherent": kernels.COHERENT,
    "conditional": kernels.COHERENT,  # what propagation calls it
    "zone": kernels.ZONE,
}
assert NOMINAL == kernels.NOMINAL_GATE


def tree_splits(tree: Tree) -> kernels.Splits:
    """Return the arrays of a finished tree that routing reads."""
    return kernels.Splits(
        tree.variable, tree.gate, tree.first_child, tree.n_children, tree.threshold, tree.closed_le,
        tree.delta, tree.box_low, tree.box_high, tree.share,
    )  # fmt: skip


def node_splits(node: Node) -> kernels.Splits:
    """Return one growing node as arrays of length 1; `share` (C,) is the node's own, to be refitted in place."""
    n_children = len(node.share)
    return kernels.Splits(
        np.array([node.variable], dtype=np.int32),
        np.array([node.gate], dtype=np.int8),
        np.array([0], dtype=np.int32),
        np.array([n_children], dtype=np.int32),
        np.array([node.threshold]),
        np.array([node.closed_le]),
        np.array([node.delta]),
        np.array([node.box[0]]),
        np.array([node.box[1]]),
        node.share,
    )


def tree_node_splits(tree: Tree, node: int) -> kernels.Splits:
    """Return one split node of a finished tree as arrays of length 1, `share` (C,) its children's."""
    children, one = tree.children(node), slice(node, node + 1)
    return kernels.Splits(
        tree.variable[one], tree.gate[one], tree.first_child[one], tree.n_children[one], tree.threshold[one],
        tree.closed_le[one], tree.delta[one], tree.box_low[one], tree.box_high[one],
        tree.share[children.start : children.stop].copy(),
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
        splits,
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
    kind : "hard", "soft", "coherent" or "zone".

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


def child_boxes(node: Node, boxes: dict[int, tuple[float, float]], child: int) -> dict[int, tuple[float, float]]:
    """Return the intervals (a, b] that the path leaves at a node's child, by variable, from those at the node."""
    if node.gate in (LEAF, NOMINAL):
        return boxes
    low, high = boxes.get(node.variable, (-np.inf, np.inf))
    inner = [node.threshold - node.delta, node.threshold + node.delta] if node.gate == MIDDLE else [node.threshold]
    cuts = [low, *(min(max(cut, low), high) for cut in inner), high]  # a soft search may cut beyond what the path left
    return {**boxes, node.variable: (cuts[child], cuts[child + 1])}
