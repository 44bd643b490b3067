"""The training patients at a node, in every variable's order.

In: a table, each patient's weight at the node, what the path decided. Out: `Arrivals`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Arrivals:
    """The training patients at a node.

    rows : (n,) int32, patients present. weight : (n,) their weight here. dense : (N,) the same by patient, 0 elsewhere.
    order : (M, n) int32, present patients by rising value, known first. n_known : (M,) how many are known.
    used : variables split into their values along the path: the nominal ones, and all of an n-ary tree.
    boxes : by variable the interval (a, b] that the path leaves for its true value; a variable not named is free.
    """

    rows: NDArray[np.int32]
    weight: Floats
    dense: Floats
    order: NDArray[np.int32]
    n_known: NDArray[np.int64]
    used: frozenset[int] = frozenset()
    boxes: Mapping[int, tuple[float, float]] = field(default_factory=dict)


def arrivals(
    table: Table,
    dense: Floats,
    used: frozenset[int] = frozenset(),
    boxes: Mapping[int, tuple[float, float]] | None = None,
) -> Arrivals:
    """Return the patients that have weight in `dense` (N,), in every variable's order."""
    dense = np.ascontiguousarray(dense)  # a column of a table would have every kernel compiled once more
    rows = np.flatnonzero(dense > 0.0).astype(np.int32)
    order = np.empty((len(table.columns), len(rows)), dtype=np.int32)
    known = kernels.keep_rows(*table.sorted_rows, dense > 0.0, order)
    return Arrivals(rows, dense[rows], dense, order, known, used, boxes or {})
