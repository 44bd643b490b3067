"""Patients through gates: which nodes they reach, with what share, and what the leaves then say.

In: a finished tree, encoded values (n, M), a gate kind, the noise. Out: reach, shares, mixtures, verdicts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.gates import KINDS, divide, tree_node_splits, tree_splits
from engine.noise import ResolvedNoise
from engine.table import Table, first_cells
from engine.tree import Tree

Floats = NDArray[np.float64]


def noise_or_none(tree: Tree, noise: ResolvedNoise | None) -> ResolvedNoise:
    """Return the noise, or exact measurements when there is none."""
    return noise if noise is not None else ResolvedNoise.none(len(tree.variables))


def reach(tree: Tree, values: Floats, kind: str, noise: ResolvedNoise | None = None) -> Floats:
    """Return the share (n, N) of each patient at each node. METHODS §3.

    Parameters
    ----------
    tree : finished tree. values : (n, M) encoded values, NaN = missing. kind : "hard", "soft", "coherent" or "zone".
    noise : resolved noise, read by soft and coherent gates; None = exact.
    """
    out = np.zeros((len(values), tree.n_nodes))
    kernels.reach_all(
        np.ascontiguousarray(values),
        tree_splits(tree),
        KINDS[kind],
        noise_or_none(tree, noise).error,
        out,
    )
    return out


def leaf_shares(tree: Tree, values: Floats, kind: str, noise: ResolvedNoise | None = None) -> Floats:
    """Return the share (n, L) of each leaf, in tree order; rows sum to 1."""
    return reach(tree, values, kind, noise)[:, tree.leaves]


def mixture(tree: Tree, values: Floats, kind: str, noise: ResolvedNoise | None = None) -> Floats:
    """Return Σ share(leaf)·p(y | leaf) for each patient, (n, K), a naive Bayes read at the reading. METHODS §3, §8."""
    out = np.empty((len(values), len(tree.classes)))
    if tree.has_bayes:
        kernels.mix_bayes(
            np.ascontiguousarray(values), cells(tree, values), tree_splits(tree), KINDS[kind],
            noise_or_none(tree, noise).error, tree.probability, tree.bayes_of, tree.log_likelihood, out,
        )  # fmt: skip
        return out
    kernels.mix_leaves(
        np.ascontiguousarray(values), tree_splits(tree), KINDS[kind], noise_or_none(tree, noise).error,
        tree.probability, out,
    )  # fmt: skip
    return out


def hard_leaves(tree: Tree, values: Floats) -> NDArray[np.int32]:
    """Return the leaf (n,), a node, where each patient ends by hard gates; -1 for one that may be shared among leaves.

    A missing value, a category or a bin on its path may share it. METHODS §3
    """
    leaf = np.empty(len(values), dtype=np.int32)
    kernels.hard_leaves(np.ascontiguousarray(values), tree_splits(tree), leaf)
    return leaf


def cells(tree: Tree, values: Floats) -> NDArray[np.int32]:
    """Return the cell (n, M) of each value as the leaves' naive Bayes reads it, -1 where missing. METHODS §8"""
    found: NDArray[np.int32] = kernels.value_cells(
        np.ascontiguousarray(values), tree.cuts, tree.n_categories, first_cells(tree.n_values)
    )
    return found


def leaf_posteriors(tree: Tree, values: Floats, row: NDArray[np.int64], leaf: NDArray[np.int32]) -> Floats:
    """Return what leaves say, (p, K): leaf `leaf[i]` (a node) of patient `row[i]` of `values` (n, M). METHODS §8"""
    if not tree.has_bayes:
        return np.asarray(tree.probability[leaf])
    out = np.empty((len(row), len(tree.classes)))
    kernels.posteriors(cells(tree, values), row, leaf, tree.probability, tree.bayes_of, tree.log_likelihood, out)
    return out


def decided(tree: Tree, values: Floats) -> NDArray[np.bool_]:
    """Return True for each patient (n,) whose hard path enters no zone and lacks no value where there is one. [T]"""
    undecided = np.empty(len(values), dtype=np.bool_)
    kernels.undecided_all(
        np.ascontiguousarray(values),
        tree_splits(tree),
        ResolvedNoise.none(len(tree.variables)).error,
        undecided,
    )
    return ~undecided


def training_weights(tree: Tree, table: Table, kind: str, noise: ResolvedNoise, floor: float) -> Floats:
    """Return the weight (n, N) of each training patient at each node, as the propagation sends it. METHODS §5.

    Parameters
    ----------
    kind : the tree's propagation gate. floor : the weight floor.
    """
    return propagated(tree, table.columns, table.weight, kind, noise, floor)


def propagated(
    tree: Tree, columns: Floats, weight: Floats, kind: str, noise: ResolvedNoise, floor: float
) -> Floats:
    """Return the weight (n, N) of any patients at each node, sent down as the fit sent its own. METHODS §5.

    Parameters
    ----------
    columns : (M, n) encoded values, NaN missing. weight : (n,) patient weights. kind, floor : as `training_weights`.
    """
    out = np.zeros((len(weight), tree.n_nodes))
    out[:, 0] = weight
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            continue
        rows = np.flatnonzero(out[:, node] > 0.0).astype(np.int32)
        children = tree.children(node)
        out[rows, children.start : children.stop] = divide(
            tree_node_splits(tree, node), rows, out[rows, node], weight[rows],
            columns[tree.variable[node]], kind, noise, floor, refit=False,
        )  # fmt: skip
    return out
