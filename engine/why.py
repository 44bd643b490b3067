"""Why a node splits as it does: the best gain of every variable there, and the gain of every threshold.

In: a finished tree, the training table, how splits were sought, the patients' weight at the node. Out: `Reasons`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.gates import child_boxes
from engine.search import Candidate, Search, arrivals, candidates, exact_curve, resampled_curve, soft_curve
from engine.tree import BINS, NOMINAL, Node, Tree

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]
MOST_SHOWN = 4_000  # thresholds of a curve; a resampled search has one for every point


@dataclass(frozen=True)
class Reasons:
    """What spoke for a split.

    Attributes
    ----------
    node, variable : the split node and its variable.
    best : every variable's best admissible split at the node, by falling gain in the tree's criterion.
    exact, soft : (thresholds, gains) of the node's variable, inadmissible ones left out; None where there is
        no such curve (categories or bins; soft: σ = 0). In a resampled search `soft` is the curve of its points.
    exact_best : the threshold that exact search would take, None without one.
    """

    node: int
    variable: int
    best: tuple[Candidate, ...]
    exact: Curve | None
    soft: Curve | None
    exact_best: float | None


def why(tree: Tree, search: Search, weight: Floats, node: int) -> Reasons:
    """Return what spoke for the split of `node`.

    Parameters
    ----------
    tree : the finished tree. search : as the tree was grown, with its table and search noise.
    weight : (n,) weight of each training patient at the node (`classifier.training_weights`). node : a split node.
    """
    j = int(tree.variable[node])
    used = frozenset(int(tree.variable[each]) for each in tree.path(node)[:-1] if tree.gate[each] in (NOMINAL, BINS))
    here = arrivals(search.table, weight, used, path_boxes(tree, node))
    best = tuple(sorted(candidates(search, here), key=lambda each: -each.gain))
    if tree.gate[node] in (NOMINAL, BINS):
        return Reasons(node, j, best, None, None, None)
    labels = search.labels
    exact = admissible(exact_curve(replace(search, search="exact"), here, j, labels))
    own = resampled_curve if search.is_resampled(j) else soft_curve
    soft = thinned(admissible(own(search, here, j, labels))) if search.noise.is_noisy(j) else None
    top = float(exact[0][np.argmax(exact[1])]) if exact is not None else None
    return Reasons(node, j, best, exact, soft, top)


def path_boxes(tree: Tree, node: int) -> dict[int, tuple[float, float]]:
    """Return by variable the interval (a, b] that the path to `node` leaves. METHODS §3"""
    boxes: dict[int, tuple[float, float]] = {}
    path = tree.path(node)
    for above, below in pairwise(path):
        split = Node(
            tree.class_weight[above], float(tree.weight[above]), float(tree.weight_squared[above]),
            int(tree.depth[above]), variable=int(tree.variable[above]), gate=int(tree.gate[above]),
            threshold=float(tree.threshold[above]), delta=float(tree.delta[above]),
        )  # fmt: skip
        boxes = child_boxes(split, boxes, below - int(tree.first_child[above]))
    return boxes


def thinned(curve: Curve | None) -> Curve | None:
    """Return a curve of at most 4,000 thresholds: of every stretch of neighbours the one that gains most."""
    if curve is None or len(curve[0]) <= MOST_SHOWN:
        return curve
    starts = np.linspace(0, len(curve[1]), MOST_SHOWN + 1).astype(np.int64)
    best = [a + int(np.argmax(curve[1][a:b])) for a, b in pairwise(starts)]
    return curve[0][best], curve[1][best]


def admissible(curve: Curve) -> Curve | None:
    """Return the part of a gain curve that could have been chosen, None when nothing could."""
    keep = np.isfinite(curve[1])
    return (curve[0][keep], curve[1][keep]) if keep.any() else None
