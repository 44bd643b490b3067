"""What the columns of a table are, and how a DataFrame or an array is read under them.

In: DataFrames or arrays. Out: `Schema` (names, kinds, categories) and (n, M) float64, categories as their positions.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Complex, Real
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.names import classes_named, listed, name_text

Floats = NDArray[np.float64]
BAND = 1024  # patients whose readings are laid out by column together, while a cache holds them
MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period)


@dataclass(frozen=True)
class Schema:
    """What the columns are: M names, and per column its category names, or None for a numeric one."""

    names: tuple[str, ...]
    categories: tuple[tuple[Any, ...] | None, ...]
    named: bool = True  # False when the data came as an array, without names of its own
    text_names: bool = True  # False when a column was called by a number or a tuple; it is found by that name's text

    @property
    def n_variables(self) -> int:
        """M, the number of columns."""
        return len(self.names)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Per column "numeric" or "nominal"."""
        return tuple("numeric" if c is None else "nominal" for c in self.categories)

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """(M,) True for numeric columns."""
        return np.array([c is None for c in self.categories], dtype=bool)

    @cached_property
    def all_numeric(self) -> bool:
        """Return whether no column is nominal."""
        return all(categories is None for categories in self.categories)

    @cached_property
    def n_categories(self) -> NDArray[np.int64]:
        """(M,) how many categories a column has, 0 for a numeric one."""
        return np.array([0 if c is None else len(c) for c in self.categories], dtype=np.int64)

    def column(self, name: str) -> int:
        """Return the position of a column, or say which names there are."""
        if name not in self.names:
            raise PenumbraError(f"There is no column {name!r}; the columns are {listed(self.names)}.")
        return self.names.index(name)

    def encode(self, X: Any, by_column: bool = False) -> Floats:
        """Return X as (n, M) float64: numbers as they are, categories as their position, NaN where missing.

        Columns are matched by name when X is a DataFrame, so another order gives the same result. After training on an
        array the names are x0, x1 … or plain positions.

        Parameters
        ----------
        X : DataFrame or array (n, M). by_column : lay the result out column after column, as training reads it.

        Raises
        ------
        PenumbraError
            For wrong or repeated columns, text in a numeric column, infinite values, or a category not met in training.
        """
        if type(X) is np.ndarray and X.dtype == np.float64 and X.shape[1:] == (self.n_variables,) and self.all_numeric:
            return self._numbers_alone(X, by_column)
        frame = as_frame(X)
        if isinstance(X, pd.DataFrame):
            if not self.named:
                frame = frame.set_axis([f"x{name}" if name.isdigit() else name for name in frame.columns], axis=1)
            frame = self._in_order(frame)
        elif frame.shape[1] != self.n_variables:
            raise PenumbraError(
                f"X has {frame.shape[1]} features, but UncertainTreeClassifier is expecting {self.n_variables} "
                "features as input; give the columns of the training table."
            )
        if self.all_numeric and all(dtype == np.float64 for dtype in frame.dtypes):
            return self._numbers_alone(frame.to_numpy(), by_column)
        values = np.empty((len(frame), self.n_variables), dtype=np.float64, order="F" if by_column else "C")
        for j, (_, series) in enumerate(frame.items()):
            name, categories = self.names[j], self.categories[j]
            values[:, j] = numbers(name, series) if categories is None else category_codes(name, series, categories)
        return values

    def _in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a table with the columns of the training table in their order; refuse any other set of columns."""
        columns = list(frame.columns)
        if columns == list(self.names):
            return frame
        refuse_repeated(columns)
        place = {name: j for j, name in enumerate(columns)}  # pandas cannot look up half a character
        lost = [name for name in self.names if name not in place]
        extra = [str(name) for name in columns if name not in self.names]
        if lost or extra:
            parts = [f"lacks {listed(lost)}"] if lost else []
            parts += [f"has {listed(extra)} besides"] if extra else []
            given = "" if self.named else " After training on an array the columns are called x0, x1 and so on."
            raise PenumbraError(
                f"The columns differ from those the tree was trained on: the table {' and '.join(parts)}.{given} "
                "Feature names should match those that were passed during fit."
            )
        return frame.iloc[:, [place[name] for name in self.names]]

    def _numbers_alone(self, X: Floats, by_column: bool) -> Floats:
        """Return a table of numbers alone as it is, in the layout asked for; refuse infinity.

        A read-only one is copied: every kernel would be compiled once more for it.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            finite = bool(np.isfinite(X.sum()))  # quick; a missing value asks for a closer look
        if not finite and np.isinf(X).any():
            refuse_infinite(self.names[int(np.argmax(np.isinf(X).any(axis=0)))])
        if not by_column:
            return np.require(X, requirements=["C", "W"])
        values = np.empty(X.shape, dtype=np.float64, order="F")
        for start in range(0, len(X), BAND):
            values[start : start + BAND] = X[start : start + BAND]
        return values


def refuse_repeated(names: Sequence[str]) -> None:
    """Refuse columns of which two have the same name, since either could be meant."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise PenumbraError(f"Column names occur twice: {listed(twice)}; give each column a name of its own.")


def as_frame(X: Any) -> pd.DataFrame:
    """Return X as a DataFrame whose column names are text, without copying numbers; refuse what is not a table."""
    if isinstance(X, pd.DataFrame):
        plain = all(isinstance(name, str) for name in X.columns)
        return X if plain else X.set_axis([name_text(name) for name in X.columns], axis=1)
    if hasattr(X, "toarray"):
        raise PenumbraError("Sparse data was passed, but dense data is required; use X.toarray() to convert it.")
    try:
        array = np.asarray(X)
    except (ValueError, TypeError, OverflowError) as error:
        raise PenumbraError(
            "The rows of X differ in length or hold lists; give each patient one value a variable."
        ) from error
    if np.iscomplexobj(array):
        raise PenumbraError("Complex data not supported: give real numbers.")
    if array.ndim != 2:
        raise PenumbraError(
            f"Expected 2D array, got {array.ndim}D array instead: X needs one row a patient and one column a variable. "
            "Reshape your data with X.reshape(-1, 1) for one variable or X.reshape(1, -1) for one patient."
        )
    frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])], copy=False)
    return frame.infer_objects() if array.dtype == object else frame


def numbers(name: str, series: pd.Series[Any]) -> Floats:
    """Return a numeric column as float64 with NaN where missing, or say which column is not numeric, and why."""
    refuse_other_than_numbers(name, series)
    try:
        values: Floats = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    except OverflowError:
        raise PenumbraError(f"Column {name!r} holds a number too large to compute with; mend or recode it.") from None
    except (TypeError, ValueError):  # whose words may hold a cell
        raise PenumbraError(
            f"Column {name!r} is numeric but holds something that is no number; mend or recode it."
        ) from None
    if np.isinf(values).any():
        refuse_infinite(name)
    return values


def refuse_infinite(name: str) -> NoReturn:
    """Say which column holds infinity."""
    raise PenumbraError(f"Column {name!r} holds infinity; replace infinite values or leave them missing (NaN).")


def refuse_other_than_numbers(name: str, series: pd.Series[Any]) -> None:
    """Refuse cells that would turn into another number than they say: dates, complex numbers, True, 1_000."""
    if series.dtype.kind in "iuf" and not isinstance(series.dtype, pd.CategoricalDtype):
        return
    cells = series.to_numpy(dtype=object)
    for cell in cells[~np.asarray(pd.isna(cells))]:
        if isinstance(cell, str):
            what = "" if "_" not in cell else "text that is no number"
        elif isinstance(cell, MOMENTS):
            what = "dates or times"
        elif isinstance(cell, (bool, np.bool_)):
            what = "True or False"
        elif isinstance(cell, (Real, Decimal)):
            what = ""
        else:
            what = "complex numbers" if isinstance(cell, Complex) else "something that is no number"
        if what:
            raise PenumbraError(f"Column {name!r} is numeric but holds {what}; mend or recode it.")


def category_codes(name: str, series: pd.Series[Any], categories: Sequence[Any]) -> Floats:
    """Return a nominal column as category positions with NaN where missing; refuse an unseen category."""
    raw = series.astype(object)
    refuse_lists(name, raw)
    codes: Floats = pd.Index(categories, dtype=object).get_indexer(pd.Index(raw, dtype=object)).astype(np.float64)
    missing = raw.isna().to_numpy()
    unseen = (codes < 0) & ~missing
    if unseen.any():
        raise PenumbraError(
            f"Column {name!r} holds {int(unseen.sum())} values outside the categories met in training, "
            f"which are {classes_named(categories)}; correct them or leave them missing."
        )
    codes[missing] = np.nan
    return codes


def refuse_lists(name: str, raw: pd.Series[Any]) -> None:
    """Refuse a column whose cells are no single values."""
    if not all(map(pd.api.types.is_scalar, raw)):
        raise PenumbraError(f"Column {name!r} holds lists or other objects; give one number or one category a cell.")


def read_schema(X: Any, nominal: Sequence[Any] | None = None) -> Schema:
    """Work out names and kinds: text, categorical and boolean columns, and those in `nominal`, are nominal.

    Categories stand in the data frame's order, sorted where it has none.

    Parameters
    ----------
    X : DataFrame or array (n, M). nominal : names or positions of columns to read as nominal.
    """
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size > 0 and nominal is None:
        return Schema(tuple(f"x{j}" for j in range(X.shape[1])), (None,) * X.shape[1], named=False)
    frame = as_frame(X)
    if frame.shape[0] == 0:
        raise PenumbraError(
            "Found array with 0 sample(s): there are no patients; a minimum of 1 is required to fit a tree."
        )
    if frame.shape[1] == 0:
        raise PenumbraError(
            f"Found array with 0 feature(s) (shape={frame.shape}) while a minimum of 1 is required: "
            "give at least one variable."
        )
    names = list(frame.columns)
    refuse_repeated(names)
    if nominal is not None and (isinstance(nominal, (str, bytes, Mapping)) or not isinstance(nominal, Iterable)):
        raise PenumbraError("nominal is no list; give a list of column names or positions, such as ['smoker'].")
    chosen = set()
    for which in () if nominal is None else nominal:
        called = name_text(which)
        if isinstance(which, (int, np.integer)) and not isinstance(which, bool) and called not in names:
            if not 0 <= which < len(names):
                raise PenumbraError(f"nominal names column number {which}, but there are {len(names)} columns, from 0.")
            chosen.add(int(which))
        elif called in names:
            chosen.add(names.index(called))
        else:
            raise PenumbraError(f"nominal names {which!r}, which is no column; the columns are {listed(names)}.")
    categories = tuple(column_categories(name, frame.iloc[:, j], j in chosen) for j, name in enumerate(names))
    named = isinstance(X, pd.DataFrame)
    return Schema(tuple(names), categories, named, not named or all(isinstance(name, str) for name in X.columns))


def column_categories(name: str, series: pd.Series[Any], nominal: bool) -> tuple[Any, ...] | None:
    """Return a column's categories in order, or None when it is numeric."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        refuse_moments(name, series.cat.categories)
        return plain(series.cat.categories)
    if not nominal and pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        return None
    if series.dtype.kind in "mM":
        refuse_moments(name, [datetime.timedelta(0)])
    known = series.dropna()
    refuse_lists(name, known)
    if not nominal and len(known) == 0:
        return None  # nothing known: an empty column of numbers
    refuse_moments(name, known.astype(object))
    if not nominal and all(isinstance(v, (Real, Decimal)) and not isinstance(v, bool) for v in known):
        return None
    try:
        return plain(sorted(known.unique()))
    except TypeError as error:
        raise PenumbraError(f"Column {name!r} mixes text and numbers; make it one kind.") from error


def refuse_moments(name: str, cells: Iterable[Any]) -> None:
    """Refuse dates, times and spans, which are neither numbers nor categories."""
    if any(isinstance(cell, MOMENTS) for cell in cells):
        raise PenumbraError(
            f"Column {name!r} holds dates or times; turn it into a number (days since …) or leave it out."
        )


def plain(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values as plain Python objects, so that they can go into a file."""
    return tuple(v.item() if isinstance(v, np.generic) else v for v in values)
