"""The finished tree: a struct of arrays, one entry a node, and the growing node it is frozen from.

In: a root `Node` grown in lists, with the names of variables, categories and classes.
Out: a read-only `Tree` that every reader (routing, pictures, files) shares, and nested dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF, BINARY, MIDDLE, NOMINAL, BINS = range(5)
BRANCHES = {BINARY: ("left", "right"), MIDDLE: ("left", "middle", "right")}
REST = -1  # the code of a child that stands for the values without a child of their own


@dataclass
class Node:
    """A node while the tree grows and is pruned; the arrays of `Tree` say what each field means."""

    class_weight: NDArray[np.float64]
    weight: float
    weight_squared: float
    depth: int
    probability: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    variable: int = -1
    gate: int = LEAF
    threshold: float = np.nan
    closed_le: bool = True
    delta: float = np.nan
    zone: tuple[float, float] = (np.nan, np.nan)
    codes: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    gain: float = np.nan
    box: tuple[float, float] = (-np.inf, np.inf)
    share: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    children: list[Node] = field(default_factory=list)
    held: tuple[NDArray[np.int32], NDArray[np.float64]] | None = None  # its patients and weights, where kept
    bayes: NDArray[np.float64] | None = None

    def become_leaf(self) -> None:
        """Forget the split."""
        self.variable, self.gate, self.gain = -1, LEAF, np.nan
        self.threshold, self.closed_le, self.delta, self.zone = np.nan, True, np.nan, (np.nan, np.nan)
        self.codes = np.empty(0, dtype=np.int32)
        self.box, self.share, self.children = (-np.inf, np.inf), np.empty(0), []


@dataclass(frozen=True, eq=False)
class Tree:
    """A finished tree of `N` nodes over `M` variables and `K` classes; node 0 is the root.

    Children of a node are contiguous, so two, three and n children share one layout. All arrays are read-only.

    Attributes
    ----------
    parent : (N,) int32, -1 at the root.
    first_child : (N,) int32, the first child's node, -1 at a leaf.
    n_children : (N,) int32, 0 at a leaf.
    depth : (N,) int32, 0 at the root.
    variable : (N,) int32, the split variable's column, -1 at a leaf.
    gate : (N,) int8, LEAF, BINARY, MIDDLE, NOMINAL or BINS.
    threshold : (N,) float64 in the variable's unit, NaN where there is none.
    closed_le : (N,) bool, True: left iff x <= threshold; False: left iff x < threshold.
    delta : (N,) float64, half-width of a symmetric zone in the variable's unit, NaN without one.
    low, high : (N,) float64, the zone's edges (Quinlan's θ⁻ and θ⁺ need not be symmetric), NaN without a zone.
    code : (N,) int32, which of its parent's children a node is: 0, 1 … by threshold; the category's or bin's position
        under a NOMINAL or BINS parent, REST (-1) for the leaf of all values that have no child of their own. That leaf
        answers as its parent would and has a share column, but it is no leaf of the grown tree.
    cuts : (M, n_bins - 1) float64, the cuts between a numeric variable's bins, NaN where it has none; (M, 0) without.
    share : (N,) float64, this node's part of its parent's known training weight, where missing values go (root 1).
    box_low, box_high : (N,) float64, the interval (a, b] that the path leaves for the node's own split variable.
    gain : (N,) float64, the split's gain in the tree's criterion, NaN at a leaf.
    weight : (N,) float64, training weight. weight_squared : (N,) float64, sum of squared patient weights.
    class_weight : (N, K) float64, training weight by class, a set label shared evenly.
    probability : (N, K) float64, what the node would answer as a leaf; rows sum to 1.
    leaves : (L,) int32, the leaves depth first, left to right ("tree order"), those of REST among them.
    bayes_of : (N,) int32, which naive Bayes a leaf answers by, -1 at other nodes and in trees without. An empty leaf
        and one of REST answer by their parent's.
    bayes : (B, T, K) float64, a naive Bayes' training weights by cell and class, 0 for the variables on its path, which
        so drop out; the cells are the categories or bins of variable 0, then of variable 1 …
    variables : names of the M variables. categories : per variable the category names, None when numeric.
    classes : the K classes.

    Examples
    --------
    >>> from engine import variant
    >>> tree = variant("CART").fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"]).tree_
    >>> float(tree.threshold[0]), tree.n_leaves, tree.classes
    (118.5, 2, ('no', 'yes'))
    >>> [child["probability"] for child in tree.to_dict()["children"]]
    [[1.0, 0.0], [0.0, 1.0]]
    """

    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    depth: NDArray[np.int32]
    variable: NDArray[np.int32]
    gate: NDArray[np.int8]
    threshold: NDArray[np.float64]
    closed_le: NDArray[np.bool_]
    delta: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    code: NDArray[np.int32]
    share: NDArray[np.float64]
    box_low: NDArray[np.float64]
    box_high: NDArray[np.float64]
    gain: NDArray[np.float64]
    weight: NDArray[np.float64]
    weight_squared: NDArray[np.float64]
    class_weight: NDArray[np.float64]
    probability: NDArray[np.float64]
    cuts: NDArray[np.float64]
    bayes_of: NDArray[np.int32]
    bayes: NDArray[np.float64]
    variables: tuple[str, ...]
    categories: tuple[tuple[Any, ...] | None, ...]
    classes: tuple[Any, ...]

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of: what was worked out from it is worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy read-only: copying unlocks arrays, for which every kernel would be compiled once more."""
        vars(self).update(state)
        self.__post_init__()

    @property
    def n_nodes(self) -> int:
        """N, leaves and splits together."""
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of the grown tree, empty and middle ones included, those of REST not."""
        return int((self.code[self.leaves] != REST).sum())

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; a lone root has 0."""
        return int(self.depth.max())

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """(L,) the leaves depth first, left to right ("tree order"), those of REST among them."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            if self.is_leaf(node):
                order.append(node)
            stack.extend(reversed(self.children(node)))
        found = np.array(order, dtype=np.int32)
        found.setflags(write=False)
        return found

    @property
    def has_bayes(self) -> bool:
        """True when leaves answer by a naive Bayes, read at the reading."""
        return len(self.bayes) > 0

    @cached_property
    def n_values(self) -> NDArray[np.int64]:
        """(M,): how many categories or bins each variable has."""
        bins = self.cuts.shape[1] + 1
        return np.array([bins if names is None else len(names) for names in self.categories], dtype=np.int64)

    @cached_property
    def n_categories(self) -> NDArray[np.int64]:
        """(M,): how many categories each variable has, 0 for a numeric one."""
        return np.array([0 if names is None else len(names) for names in self.categories], dtype=np.int64)

    @cached_property
    def turning_points(self) -> tuple[tuple[NDArray[np.float64], NDArray[np.bool_]], ...]:
        """Per variable the values at which some hard gate of the tree turns, and whether they belong below.

        Where leaves answer by naive Bayes, the cuts between the variable's bins are among them.
        """
        return tuple(self._turning_points(j) for j in range(len(self.variables)))

    def _turning_points(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        cuts = self.cuts[j] if self.has_bayes and self.categories[j] is None else np.empty(0)
        at: list[float] = cuts[np.isfinite(cuts)].tolist()
        below: list[bool] = [True] * len(at)
        for node in np.flatnonzero(self.variable == j):
            if self.gate[node] == BINS:
                turns, le = [float(cut) for cut in self.cuts[j]], True
            elif self.gate[node] == MIDDLE and self.high[node] > self.low[node]:
                near = 1e-12 * (abs(float(self.threshold[node])) + float(self.delta[node]))  # on the edge, METHODS §7
                turns, le = [float(self.low[node]) + near, float(self.high[node]) + near], True
            else:
                turns, le = [float(self.threshold[node])], bool(self.closed_le[node])
            at.extend(turns)
            below.extend([le] * len(turns))
        found = np.array(at), np.array(below, dtype=bool)
        for part in found:
            part.setflags(write=False)
        return found

    @cached_property
    def log_likelihood(self) -> NDArray[np.float64]:
        """(B, T, K): log P(a|y) of every naive Bayes, P(a|y) = (W(a,y) + 1)/(W_known(y) + V). [C], METHODS §8"""
        found = np.zeros(self.bayes.shape)
        ends = np.cumsum(self.n_values)
        for size, end in zip(self.n_values, ends, strict=True):
            weight = self.bayes[:, end - size : end]
            found[:, end - size : end] = np.log((weight + 1.0) / (weight.sum(axis=1, keepdims=True) + size))
        return found

    def is_leaf(self, node: int) -> bool:
        """Return True for a node without children."""
        return bool(self.n_children[node] == 0)

    def children(self, node: int) -> range:
        """Return the nodes below a node, left to right; none below a leaf."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node])) if first >= 0 else range(0)

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to `node`, both included."""
        nodes = [int(node)]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def branch(self, node: int) -> list[str]:
        """Return a label for each child: left and right, the category or the bin's number; "other" for REST."""
        if self.is_leaf(node):
            return []
        gate, codes = int(self.gate[node]), [int(self.code[child]) for child in self.children(node)]
        if gate in BRANCHES:
            return list(BRANCHES[gate])
        names = self.categories[self.variable[node]]
        return ["other" if code == REST else str(code if names is None else names[code]) for code in codes]

    def bin_range(self, node: int) -> tuple[float, float]:
        """Return the interval (a, b] of the bin that `node` is in its parent's split; the end bins are open."""
        code, cuts = int(self.code[node]), self.cuts[self.variable[self.parent[node]]]
        if code == REST:
            return -np.inf, np.inf
        return (float(cuts[code - 1]) if code > 0 else -np.inf), (float(cuts[code]) if code < len(cuts) else np.inf)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested dicts of plain Python values."""

        def known(value: float) -> float | None:
            return None if np.isnan(value) else float(value)

        dicts: list[dict[str, Any]] = [{} for _ in range(self.n_nodes)]
        for node, record in enumerate(dicts):
            split, every = not self.is_leaf(node), self.children(node)
            children = [child for child in every if self.code[child] != REST]
            numeric = split and int(self.gate[node]) in BRANCHES
            record["variable"] = self.variables[self.variable[node]] if split else None
            record["threshold"] = known(self.threshold[node])
            record["closed"] = ("le" if self.closed_le[node] else "lt") if numeric else None
            record["delta"] = known(self.delta[node])
            record["low_high"] = None if np.isnan(self.low[node]) else [float(self.low[node]), float(self.high[node])]
            record["gain"] = known(self.gain[node])
            record["share"] = [float(self.share[child]) for child in children]
            record["weight"] = float(self.weight[node])
            record["class_weight"] = [float(w) for w in self.class_weight[node]]
            record["probability"] = [float(p) for p in self.probability[node]]
            record["branch"] = self.branch(node)[: len(children)]
            record["children"] = [dicts[child] for child in children]
        return dicts[0]


def freeze(
    root: Node,
    variables: Sequence[str],
    categories: Sequence[tuple[Any, ...] | None],
    classes: Sequence[Any],
    cuts: NDArray[np.float64] | None = None,
) -> Tree:
    """Lay a grown tree out in arrays, children contiguous; `cuts` (M, n_bins - 1) when numeric variables are binned."""
    nodes, parent, first, share, code, place = [root], [-1], [-1], [1.0], [0], 0
    while place < len(nodes):
        node = nodes[place]
        if node.children:
            first[place] = len(nodes)
            nodes.extend(node.children)
            parent.extend([place] * len(node.children))
            first.extend([-1] * len(node.children))
            share.extend(float(s) for s in node.share)
            code.extend(int(c) for c in (node.codes if len(node.codes) else range(len(node.children))))
        place += 1

    def column(name: str, dtype: Any) -> NDArray[Any]:
        return np.array([getattr(node, name) for node in nodes], dtype=dtype)

    threshold, delta = column("threshold", np.float64), column("delta", np.float64)
    tables: dict[int, NDArray[np.float64]] = {id(node.bayes): node.bayes for node in nodes if node.bayes is not None}
    places = {key: place for place, key in enumerate(tables)}
    box = np.array([node.box for node in nodes], dtype=np.float64)
    zone = np.array([node.zone for node in nodes], dtype=np.float64)
    own = np.isnan(delta)
    return Tree(
        parent=np.array(parent, dtype=np.int32),
        first_child=np.array(first, dtype=np.int32),
        n_children=np.array([len(node.children) for node in nodes], dtype=np.int32),
        depth=column("depth", np.int32),
        variable=column("variable", np.int32),
        gate=column("gate", np.int8),
        threshold=threshold,
        closed_le=column("closed_le", np.bool_),
        delta=delta,
        low=np.where(own, zone[:, 0], threshold - delta),
        high=np.where(own, zone[:, 1], threshold + delta),
        code=np.array(code, dtype=np.int32),
        share=np.array(share),
        box_low=np.ascontiguousarray(box[:, 0]),
        box_high=np.ascontiguousarray(box[:, 1]),
        gain=column("gain", np.float64),
        weight=column("weight", np.float64),
        weight_squared=column("weight_squared", np.float64),
        class_weight=np.array([node.class_weight for node in nodes], dtype=np.float64),
        probability=np.array([node.probability for node in nodes], dtype=np.float64),
        cuts=np.empty((len(variables), 0)) if cuts is None else np.array(cuts, dtype=np.float64),
        bayes_of=np.array([places.get(id(node.bayes), -1) for node in nodes], dtype=np.int32),
        bayes=np.array(list(tables.values())) if tables else np.empty((0, 0, len(classes))),
        variables=tuple(variables),
        categories=tuple(categories),
        classes=tuple(classes),
    )
