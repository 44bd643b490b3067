"""Files and data frames become typed columns and labels, with every guess said and open to correction.

In: bytes, a path or a DataFrame, and whatever the reader of the preview has already corrected.
Out: a `ReadTable`: variables, labels, one `Column` per column of the file, what was understood, problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.column_cells import (
    Cells,
    Kind,
    cells_of,
    few_limits,
    mark_missing,
    read_numbers,
    say_missing,
    texts_given,
    unit_in,
)
from engine.column_doubts import say_doubts
from engine.column_roles import Role, find_roles
from engine.cuts import OPEN, checked_cut, different_numbers
from engine.errors import PenumbraError
from engine.formats import read_file, unique_names
from engine.names import listed
from engine.numerals import GROUP_MARKS
from engine.target_labels import cut_to_labels, labels_of, numbers_of_target, say_abstained, target_to_cut

ROLES = ("numeric", "nominal", "target", "identifier", "ignore")
LIMITS = ("missing", "limit", "half")
PREVIEW_ROWS = 20


@dataclass(frozen=True)
class Column:
    """One column of the file, as it will be used.

    Attributes
    ----------
    name : str
        As in the file, unit included; a repeated name gets a number and a sentence in `ReadTable.problems`.
    kind : {"numeric", "nominal"}
    role : {"variable", "target", "identifier", "ignore"}
    unit : str or None
        The unit written behind a numeric column's name, "mg/dL" in "Glucose (mg/dL)"; also of a target of numbers.
    missing : int
        Cells that count as missing; for the target, labels that are empty or mean that the doctor abstained.
    levels : tuple of str or None
        Categories or labels in the order met, or in the order given; None for numbers.
    """

    name: str
    kind: Kind
    role: Role
    unit: str | None
    missing: int
    levels: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A file that has been read.

    Attributes
    ----------
    X : DataFrame
        The variables under their original names, float64 or categories; NaN where missing.
    y : object array
        A label as in the file, a tuple of labels still possible, or None (empty, or abstained).
    columns : tuple of Column
        One per column of the file, in its order.
    understood : mapping
        format, delimiter, decimal, thousands, encoding, missing (tokens met), limits (by column with values beyond a
        limit of detection: how many cells, their different texts where few and short, how they are read), sheet,
        sheets (all of the workbook), rows, header (False: the first line is data), target, abstained (rows by label
        that means so), cut (where the target was cut).
    problems : tuple of str
        Sentences for the user; nothing was dropped or changed without one. None holds a patient's value; a method's
        limit of detection, such as “<5”, may stand in one.
    preview : DataFrame
        The first rows of every column as they stand in the file, as text.
    target_numbers : (n,) float64 or None
        The target's numbers, which `cut` would cut: NaN where empty, infinite, no number, or a label that means
        abstained. None where most of its labels are words, or where they are declared or sets.
    """

    X: pd.DataFrame
    y: NDArray[np.object_]
    columns: tuple[Column, ...]
    understood: Mapping[str, Any]
    problems: tuple[str, ...]
    preview: pd.DataFrame
    target_numbers: NDArray[np.float64] | None = None


def read_table(
    source: bytes | str | Path | pd.DataFrame,
    filename: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    missing: str | Iterable[str] | Mapping[str, Iterable[str] | str] | None = None,
    sheet: str | int | None = None,
    roles: Mapping[str, str] | None = None,
    target: str | None = None,
    abstain: str | Iterable[str] | None = None,
    cut: tuple[float, float] | None = None,
    limits: Mapping[str, str] | None = None,
) -> ReadTable:
    """Read a table of patients, one row each; whatever is not given is detected.

    Parameters
    ----------
    source : bytes, path or DataFrame
        CSV, TSV or other separated text (also .gz), Excel (.xlsx), Parquet or ARFF, up to 50 MB.
    filename : str, optional
        The name an upload came with.
    delimiter, decimal, thousands, encoding : str, optional
        Of a text file; ``thousands=""`` means that there is no such mark.
    missing : str, sequence of str or mapping, optional
        Tokens that mean missing in every column, in place of `MISSING_TOKENS`; or a mapping from a column
        to tokens of its own *beside* the usual ones (``{"glucose": ["0"]}``), ``"*"`` for the whole file.
        An empty cell is always missing.
    sheet : str or int, optional
        Of a workbook.
    roles : mapping, optional
        ``{column: "numeric" | "nominal" | "target" | "identifier" | "ignore"}``.
    target : str, optional
        The column that holds the labels.
    abstain : str or sequence of str, optional
        Labels that mean "the doctor abstained": every class stays possible, whatever `cut` would say of them.
    cut : (low, high), optional
        For a numeric target, in its unit: below `low` the label is "low", above `high` it is "high", from one to the
        other it is left open, as where a change is no larger than chance (±6.24 points of SF-12). [W]
    limits : mapping, optional
        How a numeric column's values beyond a limit of detection ("<5", "> 100") are read: ``{column: "missing" |
        "limit" | "half"}``. They are known to be low (or high), and count as missing unless stated: "limit" takes the
        limit itself, "half" half of a lower limit (an upper one itself). A sentence and `understood` tell them.

    Returns
    -------
    ReadTable

    Raises
    ------
    PenumbraError
        With one sentence, when the file cannot be read as a table or an argument does not fit it.

    Examples
    --------
    >>> table = read_table(b"glucose;ill\\n5,4;no\\n7,9;yes\\n", target="ill")
    >>> table.X["glucose"].tolist(), list(table.y)
    ([5.4, 7.9], ['no', 'yes'])
    >>> crp = read_table(b"crp,ill\\n<5,no\\n7,yes\\n9,yes\\n", target="ill", limits={"crp": "half"}).X["crp"]
    >>> crp.tolist()
    [2.5, 7.0, 9.0]
    """
    _check_words({"filename": filename, "delimiter": delimiter, "decimal": decimal, "thousands": thousands,
                  "encoding": encoding, "target": target})  # fmt: skip
    _check_marks(delimiter, decimal, thousands)
    if sheet is not None and (isinstance(sheet, bool) or not isinstance(sheet, str | int)):
        raise PenumbraError(f"sheet is a {type(sheet).__name__}; give the name or the number of one sheet.")
    problems: list[str] = []
    understood: dict[str, Any]
    if isinstance(source, pd.DataFrame):
        frame, understood = source.reset_index(drop=True), {"format": "DataFrame", "header": True}
        frame.columns = pd.Index(unique_names([str(name) for name in frame.columns], problems))
    else:
        frame, understood = read_file(source, filename, delimiter, encoding, sheet, problems)
    if frame.shape[1] < 2:
        raise PenumbraError(
            "Only one column was found; a table needs at least one variable and one column of labels. "
            "If the file has more, state its delimiter."
        )
    if not len(frame):
        raise PenumbraError("The file holds column names but no rows; add at least one patient.")

    cells = [cells_of(name, frame[name]) for name in frame.columns]
    stated = _check_roles(roles, target, [c.name for c in cells])
    mark_missing(cells, missing)
    as_read = stated if cut is None else {**stated, target_to_cut(stated): "numeric"}
    _check_limits(limits, cells)
    understood |= read_numbers(cells, as_read, decimal, thousands, understood.get("delimiter"), problems)
    met, nothing = say_missing(cells, problems), "?" if understood["format"] == "ARFF" else ""
    understood["missing"] = tuple(dict.fromkeys(token or nothing for token in met))
    found = find_roles(cells, stated, problems)
    say_doubts(cells, found, stated, problems)

    understood["limits"] = {
        c.name: {"cells": c.limited, "texts": few_limits(c), "read_as": c.read_as}
        for c in cells
        if c.limited and c.kind == "numeric" and found[c.name] == "variable"
    }
    labels = next(c for c in cells if found[c.name] == "target")
    abstained = texts_given(abstain, "abstain") if abstain is not None else set()
    target_numbers = numbers_of_target(labels, abstained)
    understood["abstained"] = say_abstained(labels, abstained, problems)
    if cut is not None:
        understood["cut"] = checked_cut(cut)
        y, classes = labels_of(cut_to_labels(labels, understood["cut"], abstained, problems), {OPEN}, 0, problems)
    else:
        different = 0 if target_numbers is None else different_numbers(target_numbers)
        y, classes = labels_of(labels, abstained, different, problems)
    variables = [c for c in cells if found[c.name] == "variable"]
    if not variables:
        raise PenumbraError("No column is left as a variable; set the role of at least one to numeric or nominal.")
    columns = tuple(
        Column(
            c.name,
            "nominal",
            "target",
            None if target_numbers is None else unit_in(c.name),
            sum(label is None for label in y),
            classes,
        )
        if c is labels
        else Column(
            c.name,
            c.kind,
            found[c.name],
            c.unit,
            int(c.missing.sum()),
            c.met() if c.kind == "nominal" else None,
        )
        for c in cells
    )
    understood |= {"rows": len(frame), "target": labels.name}
    X = pd.DataFrame({c.name: c.values() for c in variables})
    preview = pd.DataFrame({c.name: c.text.head(PREVIEW_ROWS) for c in cells})
    return ReadTable(X, y, columns, understood, tuple(problems), preview, target_numbers)


def _check_words(arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if value is not None and not isinstance(value, str):
            raise PenumbraError(f"{name} is a {type(value).__name__}; give a text, or None to have it detected.")


def _check_marks(delimiter: str | None, decimal: str | None, thousands: str | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n\0"'):
        raise PenumbraError("The delimiter must be one character, such as a comma, a semicolon, a bar or a tab.")
    if decimal not in (None, ".", ","):
        raise PenumbraError("The decimal mark must be a point or a comma.")
    if thousands not in (None, "", *GROUP_MARKS):
        raise PenumbraError("The thousands mark must be a comma, a point, a space, an apostrophe, or empty for none.")
    if thousands and thousands == decimal:
        raise PenumbraError("The decimal mark and the thousands mark are the same; state two different ones.")


def _check_limits(limits: Mapping[str, str] | None, cells: list[Cells]) -> None:
    """Give every column the way its values beyond a limit are read; refuse what does not fit the file."""
    if limits is not None and not isinstance(limits, Mapping):
        raise PenumbraError(f"limits is a {type(limits).__name__}; give a dict {{column: how}}.")
    by_name = {c.name: c for c in cells}
    for name, how in (limits or {}).items():
        if str(name) not in by_name:
            raise PenumbraError(f"There is no column “{name}”; the columns are {listed(by_name, 20)}.")
        if how not in LIMITS:
            raise PenumbraError(f"limits of “{name}” is “{how}”, which is not known; choose among {', '.join(LIMITS)}.")
        by_name[str(name)].read_as = how


def _check_roles(roles: Mapping[str, str] | None, target: str | None, names: list[str]) -> dict[str, str]:
    """Return the roles the user stated, the target among them; refuse what does not fit the file."""
    if roles is not None and not isinstance(roles, Mapping):
        raise PenumbraError(f"roles is a {type(roles).__name__}; give a dict {{column: role}}.")
    stated = {str(name): role for name, role in (roles or {}).items()}
    if target is not None:
        others = [name for name, role in stated.items() if role == "target" and name != target]
        for name in others:
            raise PenumbraError(f"Both “{target}” and “{name}” are stated as the target; choose one.")
        stated[target] = "target"
    for name, role in stated.items():
        if name not in names:
            raise PenumbraError(f"There is no column “{name}”; the columns are {listed(names, 20)}.")
        if role not in ROLES:
            raise PenumbraError(f"The role “{role}” of “{name}” is not known; choose among {', '.join(ROLES)}.")
    if sum(role == "target" for role in stated.values()) > 1:
        raise PenumbraError("More than one column is stated as the target; choose one.")
    return stated
