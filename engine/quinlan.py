"""Quinlan's probabilistic thresholds: θ⁻ and θ⁺ around every cut of a pruned tree, as C4.5 release 8 finds them.

In: a grown, pruned root with its probabilities, and the training table. Out: the edges, in `Node.zone`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.gates import tree_splits
from engine.noise import ResolvedNoise
from engine.table import Table
from engine.tree import BINARY, LEAF, Node, freeze
from engine.zones import hard_parts

Floats = NDArray[np.float64]
PER_NODE = (
    "variable", "gate", "first_child", "n_children", "threshold", "closed_le", "low", "high", "box_low", "box_high",
    "code",
)  # fmt: skip


class Subtrees:
    """What the subtree below any node of a finished tree answers by hard gates.

    Nobody below points to entry 0 of the arrays, so a node's own entry is copied there and read as the root.
    """

    def __init__(self, root: Node, table: Table) -> None:
        categories = table.schema.categories
        tree = freeze(root, table.schema.names, categories, list(table.labels.classes), table.cuts)
        self.splits = tree_splits(tree)
        self.at_root = self.splits._replace(**{name: getattr(self.splits, name).copy() for name in PER_NODE})
        self.probability, self.answer = tree.probability, tree.probability.copy()
        self.error = ResolvedNoise.none(len(categories)).error

    def answers(self, node: int, values: Floats) -> NDArray[np.intp]:
        """Return the most probable class, the first on ties, of patients (n, M) who start at `node`."""
        for name in PER_NODE:
            getattr(self.at_root, name)[0] = getattr(self.splits, name)[node]
        self.answer[0] = self.probability[node]
        mixture = np.empty((len(values), self.answer.shape[1]))
        kernels.mix_leaves(values, self.at_root, kernels.HARD, self.error, self.answer, mixture)
        return np.asarray(mixture.argmax(axis=1))


def edges(x: Floats, wrong_left: Floats, wrong_right: Floats, cut: float) -> tuple[float, float]:
    """Return θ⁻ and θ⁺ of one cut. PLT in [S]; QUINLAN.md

    Parameters
    ----------
    x : (N,) known values of the patients at the node, in the variable's unit.
    wrong_left, wrong_right : (N,) 1 where the whole left, or right, subtree would misclassify the patient, else 0.
    cut : the tree's own threshold, left iff x <= cut.

    Returns
    -------
    The values at which the errors, were the cut there, leave their standard error above those at the tree's own cut.

    Examples
    --------
    >>> x = np.arange(6.0)
    >>> low, high = edges(x, np.array([0, 0, 0, 1, 1, 1.0]), np.array([1, 1, 1, 0, 0, 0.0]), 2.0)
    >>> round(low, 3), round(high, 3)
    (1.319, 2.681)
    """
    n = len(x)
    if n == 0:
        return cut, cut
    values, place = np.unique(x, return_inverse=True)
    change = np.bincount(place, weights=wrong_left - wrong_right, minlength=len(values))
    errors = wrong_right.sum() + np.cumsum(change)
    own = float(wrong_right.sum() + (wrong_left - wrong_right)[x <= cut].sum())
    limit = own + float(np.sqrt((own + 0.5) * (n - own + 0.5) / (n + 1.0)))
    p, q, err_p, err_q = values[:-1], values[1:], errors[:-1], errors[1:]
    low, high = min(cut, float(values[0])), max(cut, float(values[-1]))
    falls = np.flatnonzero((err_p > limit) & (limit >= err_q) & (q <= cut))
    if len(falls):
        k = falls[0]
        low = float(q[k] - (q[k] - p[k]) * (limit - err_q[k]) / (err_p[k] - err_q[k]))
    rises = np.flatnonzero((err_p <= limit) & (limit < err_q) & (q > cut))
    if len(rises):
        k = rises[-1]
        high = max(cut, float(p[k] + (q[k] - p[k]) * (limit - err_p[k]) / (err_q[k] - err_p[k])))
    return low, high


def settle_quinlan(root: Node, table: Table, weight_floor: float) -> None:
    """Write θ⁻ and θ⁺ into every numeric split below `root`, its probabilities being settled. PLT in [S]; QUINLAN.md

    Patients reach the nodes and are judged by hard gates, whatever the propagation; each counts once.
    """
    subtrees, values = Subtrees(root, table), np.ascontiguousarray(table.columns.T)
    rows = np.flatnonzero(table.weight > 0.0).astype(np.int32)
    stack, found = [(root, 0, rows, table.weight[rows])], []
    first = subtrees.splits.first_child
    while stack:
        node, place, rows, weight = stack.pop()
        if node.gate == LEAF:
            continue
        if node.gate == BINARY:
            known = rows[~np.isnan(values[rows, node.variable])]
            truth = table.labels.code[known]
            left, right = (subtrees.answers(int(first[place]) + c, values[known]) != truth for c in (0, 1))
            x = values[known, node.variable]
            found.append((node, edges(x, left.astype(np.float64), right.astype(np.float64), node.threshold)))
        for c, part in enumerate(hard_parts(table, node, rows, weight, weight_floor)):
            stack.append((node.children[c], int(first[place]) + c, *part))
    for node, zone in found:
        node.zone = zone
