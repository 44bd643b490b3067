"""The typed, checked training table: what a DataFrame or array means to the engine.

In: DataFrames or arrays, labels (a class, None, or a set of classes), weights.
Out: `Schema` (names, kinds, categories), `LabelSets` (codes with their class membership) and a frozen `Table`.
"""

from __future__ import annotations

import datetime
import math
import warnings
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
from sklearn.exceptions import DataConversionWarning

from engine import kernels
from engine.errors import PenumbraError
from engine.names import classes_named, listed, name_text

Floats = NDArray[np.float64]
BAND = 1024  # patients whose readings are laid out by column together, while a cache holds them
CUT_DIGITS = 14  # decimals typed by people have fewer; the last two of a float are rounding
MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period)
COLUMN_VECTOR = (
    "A column-vector y was passed when a 1d array was expected; it is read as one label a patient. "
    "Change the shape of y to (n_samples,), for example using y.ravel()."
)


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


@dataclass(frozen=True)
class LabelSets:
    """Labels as sets of classes: code k < K is class k alone, codes from K on are the larger sets that occur.

    Attributes
    ----------
    classes : (K,) the sorted union of all classes, those met only inside sets among them.
    code : (n,) int32, each patient's set. member : (S, K) bool, the classes in each set.
    """

    classes: NDArray[Any]
    code: NDArray[np.int32]
    member: NDArray[np.bool_]

    @property
    def precise(self) -> bool:
        """True when every label is one class."""
        return bool(len(self.member) == len(self.classes))

    @cached_property
    def share(self) -> Floats:
        """(S, K): a set gives each member 1/|set|."""
        return np.asarray(self.member / self.member.sum(axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def everything(self) -> bool:
        """True when each imprecise label is the full set: the doctor abstained."""
        return bool(self.member[len(self.classes) :].all())

    @property
    def class_weights(self) -> Floats:
        """(n, K): each patient's one unit of weight, shared evenly among the classes of its label."""
        return self.share[self.code]


@dataclass(frozen=True)
class Table:
    """Training patients as the engine computes on them.

    Attributes
    ----------
    schema : names and kinds. columns : (M, n) float64, one row a variable. labels : the label sets.
    weight : (n,) float64, all positive. n_bins : into how many bins numeric variables are cut, 0 when they are not.
    """

    schema: Schema
    columns: Floats
    labels: LabelSets
    weight: Floats
    n_bins: int = 0

    @property
    def n(self) -> int:
        """The number of patients."""
        return len(self.weight)

    @cached_property
    def sorted_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return patients by rising value (M, n), missing last, and how many are known (M,)."""
        order = np.empty(self.columns.shape, dtype=np.int32)
        for place, column in zip(order, self.columns, strict=True):  # argsort gives int64
            place[:] = np.argsort(column)
        kernels.level_ties(order, self.columns)
        return order, (~np.isnan(self.columns)).sum(axis=1)

    def give_sorted_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return `sorted_rows` to be written over; who asks for them again has them sorted anew."""
        given = self.sorted_rows
        del self.__dict__["sorted_rows"]
        return given

    @cached_property
    def cuts(self) -> Floats:
        """(M, n_bins - 1): the cuts of equal-width bins on each numeric variable's range, NaN for others. [C], §8"""
        cuts = np.full((self.schema.n_variables, max(0, self.n_bins - 1)), np.nan)
        for j in np.flatnonzero(self.schema.numeric) if self.n_bins else ():
            known = self.rising_values(int(j))
            if len(known):
                cuts[j] = equal_cuts(float(known[0]), float(known[-1]), self.n_bins)
        return cuts

    @cached_property
    def first_cell(self) -> NDArray[np.int64]:
        """(M + 1,): where each variable's cells begin, one cell a category or bin. METHODS §8"""
        return first_cells(np.where(self.schema.numeric, self.n_bins, self.schema.n_categories))

    @cached_property
    def values(self) -> kernels.Values:
        """Return the patients as naive Bayes reads them: every value a cell, -1 where missing."""
        cells = kernels.value_cells(
            np.ascontiguousarray(self.columns.T), self.cuts, self.schema.n_categories, self.first_cell
        )
        return kernels.Values(cells, self.first_cell, self.labels.code, self.labels.share)

    @cached_property
    def coded(self) -> Floats:
        """(M, n) float64, each value's category or bin from 0, NaN where missing."""
        codes = (self.values.cells - self.first_cell[:-1]).astype(np.float64)
        return np.ascontiguousarray(np.where(self.values.cells < 0, np.nan, codes).T)

    def rising_values(self, j: int) -> Floats:
        """Return the known training values of variable `j` in rising order."""
        order, known = self.sorted_rows
        values: Floats = self.columns[j][order[j, : known[j]]]
        return values


def equal_cuts(low: float, high: float, n_bins: int) -> Floats:
    """Return the cuts (n_bins - 1,) of equal-width bins, to 14 digits of the wider end. METHODS §8

    A value on a cut belongs below it, and rounding must not decide: the fourth of the cuts that part 0.3 to 1.8 into 10
    is 0.9, which floating point puts a digit lower. Cuts too close for that stay as they are.
    """
    step = (high - low) / n_bins
    cuts = low + np.arange(1, n_bins) * step
    widest = max(abs(low), abs(high))
    if not (np.isfinite(cuts).all() and widest > 0.0):
        return np.asarray(cuts, dtype=np.float64)
    digits = CUT_DIGITS - 1 - math.floor(math.log10(widest))
    near = np.array([round(cut, digits) for cut in cuts.tolist()], dtype=np.float64)
    return np.where(np.abs(near - cuts) < 1e-3 * step, near, cuts)


def first_cells(n_values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each variable's cells begin (M + 1,), from how many values each can take (M,)."""
    return np.concatenate([[0], np.cumsum(n_values)]).astype(np.int64)


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


def is_missing(label: Any) -> bool:
    """Return True for None, NaN, NaT and pandas' NA."""
    return (
        label is None
        or (isinstance(label, (float, np.floating)) and bool(np.isnan(label)))
        or label is pd.NA
        or label is pd.NaT
    )


def read_labels(y: Any, n: int) -> LabelSets:
    """Return labels as sets: a class, None or NaN for all classes, a set, tuple or list for a partial label. [W]

    Raises
    ------
    PenumbraError
        For another length, labels of mixed type, measurements, an empty set, or fewer than two classes.
    """
    raw, label_of = list(flat_labels(y)), np.arange(n)
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and len(raw) == n:
        different, label_of = np.unique(y.ravel(), return_inverse=True)
        raw = different.tolist()
    elif len(raw) != n:
        raise PenumbraError(f"X has {n} patients but y has {len(raw)} labels: inconsistent numbers of samples.")
    members: list[tuple[Any, ...] | None] = []
    for given in raw:
        if type(given) is str:
            members.append((given,))
            continue
        label = given.tolist() if isinstance(given, np.ndarray) else given
        if isinstance(label, (set, frozenset, tuple, list)):
            if not label or any(is_missing(c) for c in label):
                raise PenumbraError("y holds an empty or unfinished set of classes; use None where nothing is known.")
            members.append(plain(label))
        else:
            members.append(None if is_missing(label) else plain([label]))
    try:
        seen = {c for label in members if label is not None for c in label}
    except TypeError:
        raise PenumbraError(
            "y holds a label that is a dict or a list of lists; give a class, None or a set of classes."
        ) from None
    refuse_measurements(seen)
    try:
        classes = sorted(seen)
    except TypeError as error:
        raise PenumbraError("The labels in y are of mixed type; make them all text or all numbers.") from error
    if len({isinstance(c, str) for c in classes}) > 1:
        raise PenumbraError("The labels in y are of mixed type; make them all text or all numbers.")
    if len(classes) < 2:
        found = "only one class" if classes else "no class at all"
        raise PenumbraError(f"y holds {found}; a tree needs patients of at least two classes.")
    place = {c: k for k, c in enumerate(classes)}
    sets: dict[frozenset[int], int] = {frozenset([k]): k for k in range(len(classes))}
    code = np.empty(len(raw), dtype=np.int32)
    full = frozenset(range(len(classes)))
    met: dict[tuple[Any, ...] | None, int] = {}
    for i, label in enumerate(members):
        if label not in met:
            met[label] = sets.setdefault(full if label is None else frozenset(place[c] for c in label), len(sets))
        code[i] = met[label]
    code = code[label_of]
    member = np.zeros((len(sets), len(classes)), dtype=bool)
    for key, s in sets.items():
        member[s, list(key)] = True
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    if all(isinstance(c, str) for c in classes):
        return LabelSets(array, code, member)
    return LabelSets(np.array(classes), code, member)


def flat_labels(y: Any) -> Iterable[Any]:
    """Return y as a flat sequence of labels; refuse tables and missing y."""
    if y is None:
        raise PenumbraError(
            "This estimator requires y to be passed, but the target y is None: give one label a patient."
        )
    if isinstance(y, (str, bytes, Mapping, set, frozenset)):
        raise PenumbraError(f"y is a {type(y).__name__}; give a list or an array with one label a patient.")
    if isinstance(y, (pd.Series, pd.Index)):
        return list(y)
    if isinstance(y, pd.DataFrame):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(COLUMN_VECTOR, DataConversionWarning, stacklevel=4)
            y = y[:, 0]
        if y.ndim != 1:
            raise PenumbraError(f"y should be a 1d array, got an array of shape {y.shape}: give one label a patient.")
        return list(y.tolist())
    return list(y) if hasattr(y, "__iter__") else flat_labels(np.asarray(y))


def refuse_measurements(classes: Iterable[Any]) -> None:
    """Refuse labels that are measured numbers, whatever kind of list they came in."""
    measured = [c for c in classes if isinstance(c, float)]
    if np.isinf(measured).any():
        raise PenumbraError("y holds infinity; labels are classes.")
    if any(not c.is_integer() for c in measured):
        raise PenumbraError("Unknown label type: y is continuous; cut it into classes first.")


def read_weights(sample_weight: Any, n: int) -> Floats:
    """Return (n,) weights, 1 each when none are given; refuse negative, infinite, missing or all-zero ones."""
    if sample_weight is None:
        return np.ones(n)
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "biufO" or any(isinstance(w, (*MOMENTS, str)) for w in given.flat):
            raise TypeError
        weight = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PenumbraError("sample_weight holds something that is no number; give one number a patient.") from None
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.ndim != 1 or len(weight) != n:
        raise PenumbraError(f"sample_weight has shape {weight.shape}, expected ({n},): give one weight a patient.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise PenumbraError("sample_weight holds negative, missing or infinite weights; give positive numbers.")
    if not (weight > 0).any():
        raise PenumbraError("sample_weight is zero for every patient; at least one must be positive.")
    refuse_extreme("sample_weight", weight)
    return weight


def refuse_extreme(what: str, weight: Floats) -> None:
    """Refuse weights whose sum or sum of squares leaves the range of a float, or counts of patients become NaN."""
    with np.errstate(over="ignore", under="ignore"):
        squares = float(np.square(weight).sum())
    if not np.isfinite(squares) or squares <= 0.0 or not np.isfinite(weight.sum()):
        raise PenumbraError(
            f"{what} is so large or small that its squares leave the range of numbers; divide all weights by one "
            "number, such as their mean."
        )
