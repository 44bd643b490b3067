"""The present patient: which row, the readings, the case under the present tree, and patients like this one.

In: this session's choices. Out: readings and a case, held by the session until the patient or the tree is another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.case import Case
from engine.classifier import UncertainTreeClassifier
from engine.draw.patient_svg import OFF_PATH
from engine.draw.variable_charts import FieldStrip
from engine.neighbours import Neighbours, neighbours, spreads
from engine.patient_row import one_row
from pages.shared import case_words, state
from pages.shared.cache import same
from pages.shared.choices import NEAR_A_THRESHOLD
from pages.shared.present_data import prepared
from pages.shared.present_tree import Fitted, decided, fitted

Floats = NDArray[np.float64]
FARTHEST_WHOLE = 1e9  # beyond it whole numbers are no readings a person writes
WHOLE_STEPS = (4, 32, 256)  # how many whole changes are tried at a time


@dataclass(frozen=True, eq=False)
class Known:
    """The training values of a variable that are not missing, none of a category; what a page says of them, once."""

    values: Floats

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest, None of none."""
        return (float(self.values.min()), float(self.values.max())) if len(self.values) else None

    @cached_property
    def whole(self) -> bool:
        """Whether there are values, and all of them whole numbers."""
        return bool(len(self.values)) and not np.any(self.values % 1)

    @cached_property
    def sd(self) -> float:
        return float(np.std(self.values))

    @cached_property
    def step(self) -> float:
        """The step of a reading's control."""
        return case_words.step(self.values)

    @cached_property
    def strip(self) -> FieldStrip:
        """The strip under a reading's control."""
        return FieldStrip(self.values, width=224)


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
    if chosen != NEAR_A_THRESHOLD:
        state.forget_patient()
        state.refuse_row(chosen)
    state.keep_row(int(found.data.lines[place]))
    return place


def readings() -> dict[str, Any]:
    """Return the readings: the chosen row, or the middle of the training patients, with what was typed on top."""
    found, place = fitted(), row()
    return same("readings", (found, place, state.choices().typed), lambda: _readings(found, place))


def _readings(found: Fitted, place: int | None) -> dict[str, Any]:
    values = untouched(found, place)
    return values | {name: value for name, value in state.choices().typed.items() if name in values}


def untouched(found: Fitted, place: int | None) -> dict[str, Any]:
    """Return the readings before anything was typed."""
    categories = found.model.schema_.categories
    if place is not None:
        start = found.values[place]
    else:
        start = np.array([middle(found.values[:, j], categories[j] is None) for j in range(found.values.shape[1])])
    return {
        name: None if np.isnan(x) else float(x) if known is None else known[int(x)]
        for name, x, known in zip(found.data.columns, start, categories, strict=True)
    }


def typed() -> list[str]:
    """Return the variables whose reading was typed, of a patient of the data those where it is another, in order."""
    found, place, now = fitted(), row(), state.choices().typed
    before = untouched(found, place) if place is not None else {}
    return [name for name in found.data.columns if name in now and (place is None or now[name] != before[name])]


def middle(column: Floats, numeric: bool) -> float:
    """Return the median reading that occurs, or the most frequent category."""
    known = column[~np.isnan(column)]
    if not len(known):
        return float("nan")
    if numeric:
        return float(np.sort(known)[len(known) // 2])
    return float(np.argmax(np.bincount(known.astype(int))))


def case() -> Case:
    """Return the present patient's case under the present tree and decision.

    The nearest change of a whole-numbered variable is the smallest to a whole number that alters the answer.
    """
    return same("case", (decided(), readings()), _case)


def _case() -> Case:
    found, model = exact(), decided()
    shown, after = whole_changes(found, model, found.nearest_shown_change, found.nearest_shown_answer, found.answer)
    by_hard = (found.nearest_change, found.nearest_answer, found.hard_answer)
    hard, after_hard = whole_changes(found, model.with_decision(evaluation="hard"), *by_hard)
    return replace(
        found, nearest_shown_change=shown, nearest_shown_answer=after, nearest_change=hard, nearest_answer=after_hard
    )


def exact() -> Case:
    """Return the case with its changes as the tree finds them, whole numbers or not."""
    model, values = decided(), readings()
    return same("exact_case", (model, values), lambda: model.case(values))


def unrounded(shown: Case) -> dict[str, float]:
    """Return the exact change of every reading whose change was taken to a whole number."""
    if not any(is_whole(shown, name) for name, change in shown.nearest_shown_change.items() if change is not None):
        return {}
    return {name: change for name, change in exact().nearest_shown_change.items() if change is not None}


def is_whole(found: Case, name: str) -> bool:
    """Return whether a reading and all training values of its variable are whole, so that others cannot occur."""
    value = found.values.get(name)
    return isinstance(value, float) and not value % 1 and known()[name].whole


def whole_changes(
    found: Case, model: UncertainTreeClassifier, changes: dict[str, float | None], after: dict[str, Any], before: Any
) -> tuple[dict[str, float | None], dict[str, Any]]:
    """Return changes as they can be made, and the answers after them: to whole numbers where no others can occur.

    Parameters
    ----------
    model : how the tree is read. changes, after : the exact ones. before : the answer at the readings.
    """
    changes, after = dict(changes), dict(after)
    for name, change in changes.items():
        if change is None or not is_whole(found, name) or abs(change) > FARTHEST_WHOLE:
            continue
        whole = whole_change(found, name, change, model, before)
        changes[name] = None if whole is None else whole[0]
        if whole is None:
            after.pop(name, None)
        else:
            after[name] = whole[1]
    return changes, after


def whole_change(
    found: Case, name: str, exact: float, model: UncertainTreeClassifier, before: Any
) -> tuple[float, Any] | None:
    """Return the smallest whole change after which the answer is another, and that answer; on ties as `exact` goes."""
    value = float(found.values[name] or 0.0)
    row, first = one_row(found.values, model.schema_), max(math.ceil(abs(exact)), 1)
    onward = math.copysign(1.0, exact)
    for many in WHOLE_STEPS:
        steps = np.arange(first, first + many, dtype=np.float64)
        tried = np.stack([onward * steps, -onward * steps], axis=1).ravel()
        frame = row.loc[row.index.repeat(len(tried))].reset_index(drop=True)
        frame[name] = value + tried
        for change, answer in zip(tried, model.decide(frame), strict=True):
            if answer != before:
                return float(change), answer
        first += many
    return None


def known() -> dict[str, Known]:
    """Return the known training values of every variable."""
    return same("known", (fitted(),), _known)


def _known() -> dict[str, Known]:
    found = fitted()
    parts = zip(found.data.columns, found.values.T, found.model.schema_.numeric, strict=True)
    return {name: Known(column[~np.isnan(column)] if numeric else np.empty(0)) for name, column, numeric in parts}


def costs() -> case_words.Costs | None:
    """Return what answers cost, None when the decision does not ask."""
    model = decided()
    return None if model.cost is None else case_words.Costs(model.cost, model.abstain_cost)


def similar(count: int = 20) -> Neighbours:
    """Return the past patients most like the present one; the patient's own row is left out."""
    return same("similar", (fitted(), row(), readings(), count), lambda: _similar(count))


def _similar(count: int) -> Neighbours:
    found, place = fitted(), row()
    patient = found.model.encode(one_row(readings(), found.model.schema_))[0]
    sd = same("spreads", (found,), lambda: spreads(found.values))
    near = neighbours(found.values, found.model.schema_.numeric, patient, count + 1, sd)
    keep = near.rows != (-1 if place is None else place)
    return Neighbours(near.rows[keep][:count], near.distance[keep][:count])


def leaf_reached(found: Case) -> int:
    """Return the leaf that the reading reaches by hard gates, the heaviest when a missing value shares the patient."""
    leaves = decided().tree_.leaves
    return int(leaves[np.argmax(found.reach_hard[leaves])])


def leaf_shares() -> Floats:
    """Return the patient's share in each leaf (L,) under the present evaluation: what P is made of."""
    model = decided()
    shares: Floats = model.shares(one_row(readings(), model.schema_))[0]
    return shares


def lacking(found: Case) -> list[str]:
    """Return the missing variables that the tree asks where this patient can come; no others bear on the answer."""
    tree = decided().tree_
    here = (found.reach >= OFF_PATH) | (found.reach_hard > 0)
    asked = {tree.variables[int(j)] for j in tree.variable[here] if j >= 0}
    return [name for name in found.missing if name in asked]


def unread(found: Case) -> list[str]:
    """Return the other missing variables, which a leaf's naive Bayes would have read; none of a tree without."""
    return [name for name in found.missing if name not in lacking(found)] if decided().tree_.has_bayes else []


def ranges(found: Case) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest training value of every number that the patient has."""
    each = known()
    ends = {name: each[name].ends for name, value in found.values.items() if isinstance(value, float)}
    return {name: pair for name, pair in ends.items() if pair is not None}


def spread(found: Case) -> dict[str, float]:
    """Return the training SD of every variable whose change alters the answer."""
    each = known()
    return {name: each[name].sd for name, change in found.nearest_shown_change.items() if change is not None}


def doubtful_zeros() -> list[str]:
    """Return the variables of which the Data page says that 0 may mean missing."""
    said = [text for text in prepared().read.problems if text.startswith("0 stands far below")]
    return [name for name in prepared().columns if any(f"“{name}” (" in text for text in said)]
