"""What every way of searching asks of a cut: the least weight of a side, the known part, the charge for cuts tried.

In: a search, the patients at a node, a variable. Out: weights, a fraction, a charge on the gain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.search.choices import Search
from engine.search.patients import Arrivals

Floats = NDArray[np.float64]
C45_LEAST, C45_MOST, C45_NOMINAL = 2.0, 25.0, 2.0  # release 8's bounds on a leaf's weight, and its MINOBJS


def minimum_weight(search: Search, here: Arrivals, j: int) -> float:
    """Return the least weight that a side of a split on variable `j` must hold at a node. METHODS §4

    "c45" (C4.5 release 8): a tenth of the known weight per class, from 2 to 25; 2 for a nominal variable.
    """
    if not isinstance(search.min_weight_leaf, str):
        return search.min_weight_leaf
    if search.nary or not search.table.schema.numeric[j]:
        return C45_NOMINAL
    known = float(here.dense[here.order[j, : here.n_known[j]]].sum())
    return min(C45_MOST, max(C45_LEAST, 0.1 * known / len(search.table.labels.classes)))


def minimum_weights(search: Search, here: Arrivals) -> Floats:
    """Return (M,) what `minimum_weight` says of every variable."""
    if isinstance(search.min_weight_leaf, str):
        return np.array([minimum_weight(search, here, j) for j in range(len(here.order))], dtype=np.float64)
    return search.one_minimum


def least_to_split(search: Search) -> float:
    """Return the weight under which no split of a node can be admissible: two sides at their least. METHODS §4

    Slack is taken off twice a side, so that rounding never stops a node that the search would split.
    """
    if search.criterion == "nb_accuracy":
        return 0.0
    least = C45_LEAST if isinstance(search.min_weight_leaf, str) else search.min_weight_leaf
    return 2.0 * (least - 2.0 * kernels.SLACK_WEIGHT)


def known_fraction(search: Search, here: Arrivals, j: int) -> float:
    """Return the known weight's part of all weight at the node for variable `j`."""
    known = here.order[j, : here.n_known[j]]
    return 1.0 if len(known) == len(here.rows) else float(here.dense[known].sum() / here.weight.sum())


def mdl_charge(search: Search, here: Arrivals, tried: int) -> float:
    """Return what a numeric variable's gain is charged for its admissible cuts: log2(tried)/W, with `mdl_correction`.

    C4.5 release 8; part of the gain ratio alone (METHODS §4).
    """
    if not search.mdl_correction or search.criterion != "gain_ratio" or tried < 1:
        return 0.0
    return float(np.log2(tried) / here.weight.sum())
