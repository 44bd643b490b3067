"""A second file of patients, read as the tree needs it: its columns, its categories, its classes.

In: the file's bytes, what the tree was trained on. Out: `OtherTable`: patients, labels, and sentences on what was odd.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from engine.errors import PenumbraError
from engine.formats import read_file
from engine.names import named
from engine.read import ReadTable, read_table
from engine.schema import Schema

NO_LABELS = "no label"
LIMITED = "only that the value lies beyond a limit"


@dataclass(frozen=True, eq=False)
class OtherTable:
    """Patients under the training columns.

    Attributes
    ----------
    X : (n, M) as `encode` takes it, a column that the file lacks wholly missing.
    y : (n,) a class the tree knows, or None. remarks : sentences for the reader; none holds a patient's value.
    """

    X: pd.DataFrame
    y: list[Any]
    remarks: tuple[str, ...]


def read_other_table(
    source: bytes | pd.DataFrame,
    filename: str,
    schema: Schema,
    asked: Collection[str],
    target: str,
    classes: Sequence[Any],
    missing: Mapping[str, Iterable[str]] | Iterable[str] | None = None,
    aside: Collection[str] = (),
    cut: tuple[float, float] | None = None,
    limits: Mapping[str, str] | None = None,
) -> OtherTable:
    """Read a second file with the same columns.

    Parameters
    ----------
    schema : the training columns. asked : those that the tree asks; the file must have them.
    target, classes : the training labels' column and the tree's classes.
    missing, cut, limits : as `engine.read.read_table` took them for the training file.
    aside : patients who lack one of these are left out.

    Raises
    ------
    PenumbraError
        When the file is no table, lacks a column that the tree asks, or leaves nobody.
    """
    repeats: list[str] = []
    frame, _ = read_file(source, filename, None, None, None, repeats) if isinstance(source, bytes) else (source, {})
    there = [str(name) for name in frame.columns]
    lost = [name for name in schema.names if name in asked and name not in there]
    if lost:
        raise PenumbraError(
            f"The file has no column {named(lost)}, which the tree asks; add it under that very name, or choose "
            "another file."
        )
    if not len(frame):
        raise PenumbraError("The file holds column names but no rows; add at least one patient.")
    known = [name for name in schema.names if name in there]
    read, labelled = _read(source, frame, filename, schema, known, target, missing, cut, limits)
    used = [name for name in known if name in asked or name in aside]
    remarks = _said_of(used, dict.fromkeys([*repeats, *read.problems])) + _beyond_limits(used, read)
    unasked = [name for name in schema.names if name not in there]
    if unasked:
        remarks.append(f"The file has no column {named(unasked)}; the tree asks for none of it.")
    columns = {name: _column(read.X[name], schema, name, remarks) for name in known}
    empty = {name: np.full(len(frame), np.nan) for name in unasked}
    X = pd.DataFrame({name: (columns | empty)[name] for name in schema.names}, columns=list(schema.names))
    y = _labels(read.y, classes, target, remarks) if labelled else [None] * len(frame)
    if not labelled:
        remarks.append(
            f"The file has no label in a column “{target}”, so patients are counted but no answer can be judged."
        )
    keep = np.flatnonzero(~X[[name for name in aside if name in X.columns]].isna().any(axis=1).to_numpy())
    if not len(keep):
        raise PenumbraError("Every patient of the file lacks one of the measurements by which patients are set aside.")
    if len(keep) < len(X):
        remarks.append(f"{_rows(len(X) - len(keep))} set aside, as in the training data: {named(aside)} missing.")
    return OtherTable(X.iloc[keep].reset_index(drop=True), [y[i] for i in keep], tuple(remarks))


def _read(
    source: bytes | pd.DataFrame,
    frame: pd.DataFrame,
    filename: str,
    schema: Schema,
    known: Sequence[str],
    target: str,
    missing: Any,
    cut: tuple[float, float] | None,
    limits: Mapping[str, str] | None,
) -> tuple[ReadTable, bool]:
    """The file with the training kinds stated, and whether it holds a label.

    One without gets a column that says nothing, for a table needs a column of labels.
    """
    kinds = {name: schema.kinds[schema.names.index(name)] for name in known}
    roles = {str(name): kinds.get(str(name), "ignore") for name in frame.columns}
    if isinstance(missing, Mapping):
        missing = {name: tokens for name, tokens in missing.items() if name == "*" or name in roles}
    limits = {name: how for name, how in (limits or {}).items() if name in kinds}
    if target in roles and frame[target].astype(str).str.strip().replace({"nan": "", "None": "", "<NA>": ""}).any():
        roles = roles | {target: "target"}
        return read_table(source, filename, roles=roles, missing=missing or None, cut=cut, limits=limits), True
    bare = frame.drop(columns=[target], errors="ignore")
    roles.pop(target, None)
    while NO_LABELS in bare.columns:
        bare = bare.rename(columns={NO_LABELS: f"{NO_LABELS} "})
    roles.pop(NO_LABELS, None)
    bare = bare.assign(**{NO_LABELS: "none"})
    return read_table(bare, roles=roles | {NO_LABELS: "target"}, missing=missing or None, limits=limits), False


def _said_of(names: Iterable[str], problems: Iterable[str]) -> list[str]:
    """What was odd about these columns, without the advice that only the Data page can follow."""
    quoted = [f"“{name}”" for name in names]
    odd = [text for text in problems if LIMITED not in text and any(name in text for name in quoted)]
    return [text.partition(" State the decimal ")[0] for text in odd]


def _beyond_limits(names: Iterable[str], read: ReadTable) -> list[str]:
    """How values beyond a limit of detection are read: as the training file's are."""
    met = {name: read.understood["limits"][name] for name in names if name in read.understood["limits"]}
    ways = {"missing": "counted as missing", "limit": "read as the limit itself", "half": "read as half of it"}
    return [
        f"“{name}”: {held['cells']:,} {'cell says' if held['cells'] == 1 else 'cells say'} {LIMITED}; "
        f"{ways[held['read_as']]}, as in the training data."
        for name, held in met.items()
    ]


def _column(series: pd.Series[Any], schema: Schema, name: str, remarks: list[str]) -> pd.Series[Any]:
    """A column as the tree takes it; a category that it does not know becomes missing, and that is said."""
    categories = schema.categories[schema.names.index(name)]
    if categories is None:
        return series
    by_text = {str(each): each for each in categories}
    raw = series.astype(object)
    found = raw.map(lambda cell: by_text.get(str(cell)) if pd.notna(cell) else None)
    unknown = int((found.isna() & raw.notna()).sum())
    if unknown:
        remarks.append(
            f"{unknown:,} {'value' if unknown == 1 else 'values'} of “{name}” {'is' if unknown == 1 else 'are'} no "
            "category met in training; they count as missing."
        )
    return pd.Series(found.to_numpy(dtype=object), dtype=object)


def _labels(raw: Iterable[Any], classes: Sequence[Any], target: str, remarks: list[str]) -> list[Any]:
    """Labels as the tree's classes; what is none of them is no label, and that is said."""
    by_text, given = {str(each): each for each in classes}, [_only(label) for label in raw]
    y = [by_text.get(str(label)) if label is not None else None for label in given]
    without = sum(label is None for label in given)
    strange = sum(label is None for label in y) - without
    if without:
        remarks.append(f"{_rows(without)} without a label in “{target}”: counted, but no answer is judged by them.")
    if strange:
        remarks.append(
            f"{_rows(strange)} with a label in “{target}” that is none of the tree's classes: counted, but no answer "
            "is judged by them."
        )
    return y


def _only(label: Any) -> Any:
    """The one class of a label that names it as a set of one; other labels as they are."""
    return label[0] if isinstance(label, tuple) and len(set(label)) == 1 else label


def _rows(n: int) -> str:
    return f"{n:,} {'patient' if n == 1 else 'patients'}"
