"""One patient, however given, as a table of one row.

In: a DataFrame, a Series or dict by column name, or a sequence in column order. Out: a DataFrame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.names import name_text
from engine.schema import Schema, refuse_repeated


def one_row(x: Any, schema: Schema) -> Any:
    """Return one patient as a table of one row."""
    if isinstance(x, pd.DataFrame):
        return x
    if isinstance(x, (pd.Series, Mapping)):
        names = [name_text(name) for name in x.keys()]  # noqa: SIM118, a Series iterates over its values
        refuse_repeated(names)
        return row_of([cell for _, cell in x.items()], names)
    try:
        values = np.asarray(x, dtype=object)
    except ValueError:  # rows of different length
        values = np.empty(0, dtype=object)
    if values.ndim == 2:
        values = values[0] if len(values) == 1 else values
    if values.ndim != 1 or len(values) != schema.n_variables:
        raise PenumbraError(f"case takes one patient with {schema.n_variables} values; {values.size} were given.")
    return row_of(values, schema.names)


def row_of(cells: Sequence[Any] | NDArray[np.object_], names: Sequence[str]) -> pd.DataFrame:
    """Return a table of one row: of numbers when every cell is a float, which are read at once, else of the cells."""
    numbers_alone = all(type(cell) in (float, np.float64) for cell in cells)
    row = np.empty((1, len(names)), dtype=np.float64 if numbers_alone else object)
    for j, cell in enumerate(cells):  # a cell may be a list, which a whole row would take apart
        row[0, j] = cell
    columns = pd.Index(list(names), dtype=object)  # as text, pandas takes no name with half a character in it
    return pd.DataFrame(row, columns=columns, dtype=row.dtype)
