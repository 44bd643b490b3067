"""The present patient: which row, the readings, the case under the present tree, and patients like this one.

In: this session's choices. Out: readings and a case, worked out anew and never kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.case import Case
from engine.classifier import one_row
from engine.neighbours import Neighbours, neighbours
from pages.shared import state
from pages.shared.present_tree import decided, fitted

Floats = NDArray[np.float64]


def row() -> int | None:
    """Return the patient's row, None for a typed case; until one is chosen, the first within 1 σ of a threshold."""
    chosen, distance = state.choices().row, fitted().distance
    if chosen is None:
        return None
    if chosen == state.NEAR_A_THRESHOLD:
        near = np.flatnonzero(distance.min(axis=1) <= 1.0)
        return int(near[0]) if len(near) else 0
    return min(chosen, len(distance) - 1)


def readings() -> dict[str, Any]:
    """Return the readings: the chosen row, or the middle of the training patients, with what was typed on top."""
    found, place = fitted(), row()
    categories = found.model.schema_.categories
    if place is not None:
        start = found.values[place]
    else:
        start = np.array([middle(found.values[:, j], categories[j] is None) for j in range(found.values.shape[1])])
    values = {
        name: None if np.isnan(x) else float(x) if known is None else known[int(x)]
        for name, x, known in zip(found.data.columns, start, categories, strict=True)
    }
    return values | {name: value for name, value in state.choices().typed.items() if name in values}


def middle(column: Floats, numeric: bool) -> float:
    """Return the median reading that occurs, or the most frequent category."""
    known = column[~np.isnan(column)]
    if not len(known):
        return float("nan")
    if numeric:
        return float(np.sort(known)[len(known) // 2])
    return float(np.argmax(np.bincount(known.astype(int))))


def case() -> Case:
    """Return the present patient's case under the present tree and decision; it is worked out anew, never kept."""
    found: Case = decided().case(readings())
    return found


def similar(count: int = 20) -> Neighbours:
    """Return the past patients most like the present one; the patient's own row is left out."""
    found, place = fitted(), row()
    patient = found.model.encode(one_row(readings(), found.model.schema_))[0]
    near = neighbours(found.values, found.model.schema_.numeric, patient, count + 1)
    keep = near.rows != (-1 if place is None else place)
    return Neighbours(near.rows[keep][:count], near.distance[keep][:count])


def leaf_reached(found: Case) -> int:
    """Return the leaf that the reading reaches by hard gates, the heaviest when a missing value shares the patient."""
    leaves = decided().tree_.leaves
    return int(leaves[np.argmax(found.reach_hard[leaves])])
