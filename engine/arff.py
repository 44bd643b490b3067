"""Weka's ARFF becomes a frame that keeps the declared types and levels.

In: the text of a file. Out: a frame with one column per attribute: numbers, categories in the order declared, or text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.errors import PenumbraError

_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")
_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.*)$""", re.I)
_COMMENTED = re.compile(r"""^(\{(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"}])*\})\s*%.*$""")  # Weka's, behind levels
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    name: str
    levels: dict[str, int] | None  # of a nominal attribute, with their places
    numeric: bool


def read_arff(text: str) -> pd.DataFrame:
    """Read an ARFF file, the dense form.

    Parameters
    ----------
    text : str

    Returns
    -------
    DataFrame
        float64 for numeric attributes, categories for nominal ones (also those that never occur), text for strings
        and dates; missing where the cell is a bare ``?``. A quoted one is a value.

    Raises
    ------
    PenumbraError
        Naming the line, and the attribute, but no cell.
    """
    lines = enumerate(re.split(r"\r\n|\r|\n", text), 1)
    attributes = _header(lines)
    columns: list[list[str | None]] = [[] for _ in attributes]
    for line, row in lines:
        if not row.strip() or row.lstrip().startswith("%"):
            continue
        if row.lstrip().startswith("{"):
            raise PenumbraError("Rows of sparse ARFF are not read; save the file with one value a column.")
        cells = _cells(row)
        if len(cells) != len(attributes):
            raise PenumbraError(f"Line {line} has {len(cells)} cells where {len(attributes)} attributes are declared.")
        for column, cell, attribute in zip(columns, cells, attributes, strict=True):
            if cell is not None and attribute.levels is not None and cell not in attribute.levels:
                raise PenumbraError(
                    f"Line {line} holds a level that the attribute “{attribute.name}” does not declare."
                )
            if cell is not None and attribute.numeric and not _is_number(cell):
                raise PenumbraError(f"Line {line} holds no number where the attribute “{attribute.name}” declares one.")
            column.append(cell)
    series = [_series(attribute, column) for attribute, column in zip(attributes, columns, strict=True)]
    frame = pd.concat(series, axis=1) if series else pd.DataFrame()
    frame.columns = pd.Index([attribute.name for attribute in attributes])
    return frame


def _header(lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    """Read the declarations up to ``@data``, and leave the rows in `lines`."""
    attributes: list[_Attribute] = []
    for line, row in lines:
        word = row.strip().lower()
        if word.startswith("@data"):
            return attributes
        if not word.startswith("@attribute"):
            continue
        match = _ATTRIBUTE.match(row.strip())
        if match is None:
            raise PenumbraError(f"Line {line} starts with @attribute but declares no name and type.")
        name, kind = _unescaped(match[1], match[2], match[3]), match[4].strip()
        if kind.startswith("{"):
            kind = _COMMENTED.sub(r"\1", kind)
        if kind.startswith("{") and kind.endswith("}"):
            found = [cell or "?" for cell in _cells(kind[1:-1])]
            attributes.append(
                _Attribute(name, {level: place for place, level in enumerate(dict.fromkeys(found))}, False)
            )
        elif kind.lower().split()[:1] in ([word] for word in (*_NUMERIC, "string", "date")):
            attributes.append(_Attribute(name, None, kind.lower().split()[0] in _NUMERIC))
        else:
            raise PenumbraError(
                f"Line {line} declares “{name}” of a type that cannot be read; numeric, {{levels}}, string, date can."
            )
    raise PenumbraError("The ARFF file has no @data line, so no rows; export it again.")


def _unescaped(single: str | None, double: str | None, bare: str) -> str:
    quoted = single if single is not None else double
    return bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _cells(row: str) -> list[str | None]:
    """Cut a row at its commas; None for a bare question mark."""
    if "'" not in row and '"' not in row:
        return [None if cell == "?" else cell for cell in (cell.strip() for cell in row.split(","))]
    cells: list[str | None] = []
    at = 0
    while match := _CELL.match(row.strip(), at):
        bare = match[3] and match[3].strip()  # by the pattern, long runs of spaces would be tried one by one
        cells.append(None if bare == "?" else _unescaped(match[1], match[2], bare))
        if not match[4]:
            return cells
        at = match.end()
    return []


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's own 1_0 is no number in a file


def _series(attribute: _Attribute, column: list[str | None]) -> pd.Series:
    if attribute.numeric:
        return pd.Series([np.nan if cell is None else float(cell) for cell in column], dtype=float)
    if attribute.levels is None:
        return pd.Series(column, dtype="str")
    codes = [-1 if cell is None else attribute.levels[cell] for cell in column]
    return pd.Series(pd.Categorical.from_codes(np.array(codes, dtype=np.int64), categories=pd.Index(attribute.levels)))
