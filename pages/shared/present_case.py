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
    """Return the patient's place among those not set aside, None for a typed case.

    Until one is chosen it is the first within 1 σ of a threshold, who is then held on to. A patient who has been set
    aside meanwhile is not silently another: the page says so, and what was typed of them is forgotten.
    """
    chosen, found = state.choices().row, fitted()
    if chosen is None:
        return None
    place = found.data.place(chosen)
    if place is not None:
        return place
    near = np.flatnonzero(found.distance.min(axis=1) <= 1.0)
    place = int(near[0]) if len(near) else 0
    if chosen != state.NEAR_A_THRESHOLD:
        state.forget_patient()
        state.refuse_row(chosen)
    state.keep_row(int(found.data.lines[place]))
    return place


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
