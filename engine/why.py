"""Why a node splits as it does: the best gain of every variable there, and the gain of every threshold.

In: a finished tree, the training table, how splits were sought, the patients' weight at the node. Out: `Reasons`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.search import Candidate, Search, arrivals, candidates, exact_curve, soft_curve
from engine.tree import BINS, NOMINAL, Tree

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]


@dataclass(frozen=True)
class Reasons:
    """What spoke for a split.

    Attributes
    ----------
    node, variable : the split node and its variable.
    best : every variable's best admissible split at the node, by falling gain in the tree's criterion.
    exact, soft : (thresholds, gains) of the node's variable, inadmissible ones left out; None where there is
        no such curve (categories or bins; soft: σ = 0).
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
    here = arrivals(search.table, weight, used)
    best = tuple(sorted(candidates(search, here), key=lambda each: -each.gain))
    if tree.gate[node] in (NOMINAL, BINS):
        return Reasons(node, j, best, None, None, None)
    labels = search.labels
    exact = admissible(exact_curve(replace(search, search="exact"), here, j, labels))
    soft = admissible(soft_curve(search, here, j, labels)) if search.noise.is_noisy(j) else None
    top = float(exact[0][np.argmax(exact[1])]) if exact is not None else None
    return Reasons(node, j, best, exact, soft, top)


def admissible(curve: Curve) -> Curve | None:
    """Return the part of a gain curve that could have been chosen, None when nothing could."""
    keep = np.isfinite(curve[1])
    return (curve[0][keep], curve[1][keep]) if keep.any() else None
