"""The target column becomes labels: as they stand, cut from numbers, or open where the doctor abstained.

In: the target's cells, the labels that mean abstained, where to cut.
Out: labels as `fit` takes them, and their classes; oddities in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.column_cells import Cells
from engine.column_doubts import far_off, far_off_codes
from engine.cuts import HIGH, LOW, MOST_CLASSES, OPEN, cut_labels
from engine.errors import PenumbraError
from engine.names import classes_named, counted
from engine.number_words import number_text

_ABSTAIN = re.compile(
    r"abstain\w*|abstention|unclear|undetermined|indeterminate|undecided|uncertain|not sure|unsure"
    r"|don'?t know|equivocal|(?:the )?doctor abstained",
    re.I,
)


def target_to_cut(stated: Mapping[str, str]) -> str:
    """Return the column that is to be cut; it must be stated, since any number could be meant."""
    for name, role in stated.items():
        if role == "target":
            return name
    raise PenumbraError("cut needs the column that it cuts; state the target.")


def numbers_of_target(c: Cells, abstained: set[str]) -> NDArray[np.float64] | None:
    """Return the target's numbers, NaN where there is none or it means abstained; None where most labels are words."""
    found = c.numbers if c.numbers is not None else c.legible
    given = ~c.empty & ~c.text.isin(list(abstained)).to_numpy(dtype=bool)
    if found is None or c.levels is not None or c.sets is not None or np.isnan(found[given]).sum() > given.sum() / 2:
        return None
    return np.where(given & ~c.missing & np.isfinite(found), found, np.nan)


def cut_to_labels(c: Cells, cut: tuple[float, float], abstained: set[str], problems: list[str]) -> Cells:
    """Return a numeric target as the labels low, between and high, and say what became of its values. [W]"""
    open_ = c.text.isin(list(abstained)).to_numpy(dtype=bool) & ~c.empty
    if c.numbers is None or numbers_of_target(c, abstained) is None:
        raise PenumbraError(f"“{c.name}” holds labels, not numbers, and cannot be cut; choose a numeric target.")
    values = np.where(c.missing | open_, np.nan, c.numbers)
    text = np.where(open_, OPEN, cut_labels(values, cut))
    words = int((np.isnan(c.numbers) & ~c.empty & ~open_).sum())
    if words:
        verb = "is no number and counts" if words == 1 else "are no numbers and count"
        problems.append(f"“{c.name}”: {counted(words, 'cell', 'cells')} {verb} as missing.")
    if c.infinite:
        values_are = counted(c.infinite, "infinite value, which counts", "infinite values, which count")
        problems.append(f"“{c.name}” holds {values_are} as missing.")
    problems += [far_off(c.name, code, times) for code, times in far_off_codes(values[~np.isnan(values)])]
    low, high = (number_text(edge, 15) for edge in cut)
    rows = {label: counted(int((text == label).sum()), "row", "rows") for label in (LOW, OPEN, HIGH)}
    where, middle = (f" at {low}", f"exactly {low}") if low == high else ("", f"from {low} to {high}")
    problems.append(
        f"“{c.name}” is cut{where}: below {low} it is “{LOW}”, in {rows[LOW]}; above {high} “{HIGH}”, in {rows[HIGH]}; "
        f"{middle} it is open, as if the doctor abstained, in {rows[OPEN]}."
    )
    return replace(
        c, text=pd.Series(text, dtype="str"), empty=c.missing & ~open_, levels=(LOW, OPEN, HIGH), sets=None,
        kind="nominal",
    )  # fmt: skip


def say_abstained(c: Cells, abstained: set[str], problems: list[str]) -> dict[str, int]:
    """Say which labels mean that the doctor abstained, and return in how many rows; refuse one that is not there."""
    if not abstained:
        return {}
    met = dict.fromkeys(c.text[~c.empty] if c.levels is None else c.levels)
    for label in c.sets if c.sets is not None else ():
        met |= dict.fromkeys(label or ())
    rows = {label: int((c.text == label).sum()) for label in sorted(abstained)}
    for label, times in rows.items():
        if label not in met:
            raise PenumbraError(
                f"“{c.name}” has no label “{label}” that could mean abstained; its labels are {classes_named(met)}."
            )
        problems.append(f"“{label}” in “{c.name}” means that the doctor abstained, in {counted(times, 'row', 'rows')}.")
    return rows


def labels_of(
    c: Cells, abstained: set[str], different: int, problems: list[str]
) -> tuple[NDArray[np.object_], tuple[str, ...]]:
    """Return the labels as `fit` takes them, and the classes in the order met.

    Parameters
    ----------
    different : how many different numbers there are, 0 where the labels are words.
    """
    y = c.text.to_numpy(dtype=object)
    y[c.empty] = None
    if c.sets is not None:
        for i, label in enumerate(c.sets):
            y[i] = label or y[i]  # an empty set says no more than an empty cell
    members = [
        member for label in y if label is not None for member in (label if isinstance(label, tuple) else (label,))
    ]
    classes = list(c.levels or dict.fromkeys(members))
    if c.empty.any():
        rows = counted(int(c.empty.sum()), "row", "rows")
        problems.append(f"“{c.name}” has no label in {rows}; there every class stays possible.")
    y[c.text.isin(list(abstained)).to_numpy(dtype=bool)] = None
    classes = [label for label in classes if label not in abstained]
    for label in classes:
        if may_mean_abstained(label):
            problems.append(
                f"“{label}” in “{c.name}” may mean that the doctor abstained; until you say so it is a class."
            )
    if not classes:
        raise PenumbraError(f"“{c.name}” holds no label at all; choose another target.")
    left = {member for label in y for member in (label if isinstance(label, tuple) else (label,))} - {None}
    if len(left) < 2:
        found = "one class only" if left else "no class that is certain"
        problems.append(f"“{c.name}” has {found}; a tree needs at least two to tell apart.")
    if different > MOST_CLASSES:
        problems.append(
            f"“{c.name}” has {different} different numbers as labels; if it is a measurement, cut it into low and "
            "high, or choose another target."
        )
    elif len(classes) > 50:
        problems.append(f"“{c.name}” has {len(classes)} labels; if it is a measurement, choose another target.")
    return y, tuple(classes)


def may_mean_abstained(label: str) -> bool:
    """Return True for a label that reads as if the doctor abstained, such as "unclear"."""
    return _ABSTAIN.fullmatch(label) is not None
