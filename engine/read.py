"""Files and data frames become typed columns and labels, with every guess said and open to correction.

In: bytes, a path or a DataFrame, and whatever the reader of the preview has already corrected.
Out: a `ReadTable`: variables, labels, one `Column` per column of the file, what was understood, problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.cuts import HIGH, LOW, MOST_CLASSES, OPEN, checked_cut, cut_labels, different_numbers
from engine.errors import PenumbraError
from engine.formats import (
    MISSING_TOKENS,
    SETS,
    as_number,
    as_text,
    is_nothing,
    is_number,
    read_file,
    unique_names,
)
from engine.names import classes_named, counted, joined, listed, named
from engine.number_words import number_text
from engine.numerals import GROUP_MARKS, WAYS, column_marks, evidence_of, file_marks, numbers_in, stray_groups

Kind = Literal["numeric", "nominal"]
Role = Literal["variable", "target", "identifier", "ignore"]
ROLES = ("numeric", "nominal", "target", "identifier", "ignore")
PREVIEW_ROWS = 20
MAX_UNREADABLE = 0.05  # a larger share of cells that are no numbers makes a column nominal

_TARGET_NAMES = ("class", "target", "outcome", "label", "diagnosis", "response", "result", "y")
_IDENTIFIER_NAME = re.compile(r"(?:^|[ _.-])(?:id|mrn|nr|no|number|patient|case|record|subject)$|^id(?:$|[ _.-])", re.I)
_ABSTAIN = re.compile(
    r"abstain\w*|abstention|unclear|undetermined|indeterminate|undecided|uncertain|not sure|unsure"
    r"|don'?t know|equivocal|(?:the )?doctor abstained",
    re.I,
)
_DATE = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ][0-9:.+Z-]+)?"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2})(?: [0-9:]+(?: ?[AaPp][Mm])?)?"
)
_DAY_AND_MONTH = r"(?:0[1-9]|[12][0-9]|3[01])\.(?:0[1-9]|1[0-2])"
_WHOLE_DATE = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
_PERCENT = r"[+\u2212-]?[0-9.,][0-9., '\u00a0\u202f\u2019]*%"
_LIMIT = r"(?:[<>]=?|[≤≥])\s*[0-9.,][0-9.,']*"  # a value beyond what the method can tell, "<5"
LIMITS = ("missing", "limit", "half")
MOST_LIMITS, LONGEST_LIMIT = 4, 8  # of different texts that a sentence shows, and of their letters
_CODE = re.compile(r"-?(?:7{2,}|8{2,}|9{2,})|-[1-9]")  # how files write "unknown" as a number
_UNIT_IN_NAME = re.compile(r"^(?P<name>.*?\S)(?P<space>\s*)[(\[](?P<unit>[^()\[\]]{1,20})[)\]]\s*$")
_UNITS = frozenset(
    "% ‰ ° °c c deg degree degrees g kg mg µg μg ug ng pg l dl ml µl μl ul fl mol mmol µmol μmol umol nmol "
    "pmol m cm mm µm μm um nm h hr hrs hour hours min s sec ms d day days week weeks month months yr yrs y "
    "year years bpm mmhg hg kpa pa cmho u iu ku mu miu µu μu µiu μiu uiu meq count counts n points point score "
    "kcal kj w j ratio cells copies".split()
)


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


@dataclass(eq=False)
class _Cells:
    """One column on its way: its text, which cells are missing, and its numbers."""

    name: str
    text: pd.Series[str]
    empty: NDArray[np.bool_]  # a missing token
    missing: NDArray[np.bool_]  # that, or no number, in a numeric column
    numbers: NDArray[np.float64] | None
    levels: tuple[str, ...] | None
    sets: NDArray[np.object_] | None
    typed: NDArray[np.float64] | None = None  # the cells that came as numbers among others that came as text
    legible: NDArray[np.float64] | None = None  # the numbers among its cells, however few
    tokens: dict[str, int] = field(default_factory=dict)
    number_tokens: frozenset[str] = frozenset()
    kind: Kind = "nominal"
    spaced: int = 0
    unreadable: int = 0
    infinite: int = 0
    limits: tuple[str, ...] = ()  # the different texts beyond a limit, "<5"
    limited: int = 0
    read_as: str = "missing"

    @property
    def known(self) -> pd.Series[str]:
        return self.text[~self.missing]

    @property
    def written(self) -> NDArray[np.bool_]:
        """True for the known cells that came as text, whose marks are open."""
        return ~self.missing if self.typed is None else ~self.missing & np.isnan(self.typed)

    @property
    def unit(self) -> str | None:
        return _unit(self.name) if self.kind == "numeric" else None

    def met(self) -> tuple[str, ...]:
        """Return the levels: as declared, or in the order met."""
        return tuple(pd.unique(self.known)) if self.levels is None else self.levels

    def values(self) -> NDArray[np.float64] | pd.Categorical:
        """Return the column as a classifier takes it."""
        if self.kind == "numeric" and self.numbers is not None:
            return np.where(self.missing, np.nan, self.numbers)
        return pd.Categorical(self.text.where(~self.missing).astype(object), categories=list(self.met()))


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

    cells = [_cells(name, frame[name]) for name in frame.columns]
    stated = _check_roles(roles, target, [c.name for c in cells])
    _mark_missing(cells, missing)
    as_read = stated if cut is None else {**stated, _cut_target(stated): "numeric"}
    _check_limits(limits, cells)
    understood |= _read_numbers(cells, as_read, decimal, thousands, understood.get("delimiter"), problems)
    met, nothing = _say_missing(cells, problems), "?" if understood["format"] == "ARFF" else ""
    understood["missing"] = tuple(dict.fromkeys(token or nothing for token in met))
    found = _find_roles(cells, stated, problems)
    _say_doubts(cells, found, stated, problems)

    understood["limits"] = {
        c.name: {"cells": c.limited, "texts": _few_limits(c), "read_as": c.read_as}
        for c in cells
        if c.limited and c.kind == "numeric" and found[c.name] == "variable"
    }
    labels = next(c for c in cells if found[c.name] == "target")
    abstained = _words(abstain, "abstain") if abstain is not None else set()
    target_numbers = _target_numbers(labels, abstained)
    understood["abstained"] = _say_abstained(labels, abstained, problems)
    if cut is not None:
        understood["cut"] = checked_cut(cut)
        y, classes = _labels(_cut(labels, understood["cut"], abstained, problems), {OPEN}, 0, problems)
    else:
        different = 0 if target_numbers is None else different_numbers(target_numbers)
        y, classes = _labels(labels, abstained, different, problems)
    variables = [c for c in cells if found[c.name] == "variable"]
    if not variables:
        raise PenumbraError("No column is left as a variable; set the role of at least one to numeric or nominal.")
    columns = tuple(
        Column(
            c.name,
            "nominal",
            "target",
            None if target_numbers is None else _unit(c.name),
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


def _check_limits(limits: Mapping[str, str] | None, cells: list[_Cells]) -> None:
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


def _cells(name: str, column: pd.Series[Any]) -> _Cells:
    """Return a column as text, with its numbers and declared levels where it comes typed."""
    numbers, levels, sets, typed = None, None, None, None
    if column.dtype.kind == "c":
        raise PenumbraError(f"“{name}” holds complex numbers; give their parts as columns of their own.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = tuple(as_text(level) for level in column.cat.categories)
        column = column.astype(object)
    elif pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
    if isinstance(column.dtype, pd.StringDtype):
        text = column.fillna("")
    else:
        cells = column.tolist()
        if any(isinstance(cell, complex | np.complexfloating) for cell in cells):
            raise PenumbraError(f"“{name}” holds complex numbers; give their parts as columns of their own.")
        if numbers is None and levels is None:
            typed = np.array([as_number(cell) for cell in cells], dtype=float)
            numbers = typed if all(is_number(cell) for cell in cells if not is_nothing(cell)) else None
        if any(isinstance(cell, SETS) for cell in cells):
            sets = np.empty(len(cells), dtype=object)
            for i, cell in enumerate(cells):
                sets[i] = tuple(map(as_text, cell)) if isinstance(cell, SETS) else None
        text = pd.Series([as_text(cell) for cell in cells], dtype="str")
    empty = np.zeros(len(text), dtype=bool)
    return _Cells(name, text.astype("str"), empty, empty, numbers, levels, sets, typed)


def _tokens(
    missing: str | Iterable[str] | Mapping[str, Any] | None, names: list[str]
) -> dict[str, tuple[set[str], set[str]]]:
    """Return for every column the tokens that mean missing: those of the whole file, and its own."""
    own: Mapping[str, Any] = missing if isinstance(missing, Mapping) else {}
    every = own.get("*") if isinstance(missing, Mapping) else missing
    common = set(MISSING_TOKENS) if every is None else {""} | _words(every, "missing")
    for name in own:
        if name != "*" and name not in names:
            raise PenumbraError(f"Missing tokens are stated for “{name}”, which is not a column of the file.")
    return {name: (common, _words(own.get(name, ()), "missing")) for name in names}


def _words(tokens: str | Iterable[str], argument: str) -> set[str]:
    if not isinstance(tokens, str) and (isinstance(tokens, bytes) or not isinstance(tokens, Iterable)):
        raise PenumbraError(f"{argument} is a {type(tokens).__name__}; give a text or a list of texts.")
    return {str(token).strip() for token in ([tokens] if isinstance(tokens, str) else tokens)}


def _mark_missing(cells: list[_Cells], missing: str | Iterable[str] | Mapping[str, Any] | None) -> None:
    """Mark the cells that mean missing; a minus beside a plus is a level, and so is a declared one."""
    tokens = _tokens(missing, [c.name for c in cells])
    for c in cells:
        stripped = c.text.str.strip()
        c.spaced, c.text = int((stripped != c.text).sum()), stripped
        common, own = tokens[c.name]
        if c.levels is not None:
            common = common - set(c.levels) | {""}
        elif common == set(MISSING_TOKENS) and "-" not in own and (c.text == "+").any():
            common = common - {"-"}
        c.number_tokens = frozenset(token for token in common | own if any(map(str.isdigit, token)))
        c.tokens = {str(k): int(v) for k, v in c.text[c.text.isin(common | own)].value_counts().items()}
        c.empty = c.missing = c.text.isin(list(c.tokens)).to_numpy(dtype=bool)


def _say_missing(cells: list[_Cells], problems: list[str]) -> tuple[str, ...]:
    """Say which tokens counted as missing, and where; return those met."""
    met = sorted({token for c in cells for token in c.tokens})
    for token in filter(None, met):
        where = [c for c in cells if token in c.tokens]
        times = counted(sum(c.tokens[token] for c in where), "time", "times")
        problems.append(f"“{token}” counts as missing, {times} in {named([c.name for c in where])}.")
    return tuple(met)


def _read_numbers(
    cells: list[_Cells],
    stated: Mapping[str, str],
    decimal: str | None,
    thousands: str | None,
    delimiter: str | None,
    problems: list[str],
) -> dict[str, str]:
    """Settle the decimal and thousands marks, then give every column its kind and its numbers."""
    is_open = [c.numbers is None and c.levels is None and stated.get(c.name) != "nominal" for c in cells]
    # How numbers among labels are written is nobody's doubt until they are cut, and then their role is numeric.
    doubts: list[list[str]] = [[] if stated.get(c.name) == "target" else problems for c in cells]
    texts = [
        _without_percent(c, mine) if open_ else c.text for c, open_, mine in zip(cells, is_open, doubts, strict=True)
    ]
    evidence = [
        evidence_of(text[c.written]) if open_ else dict.fromkeys(WAYS, 0)
        for c, text, open_ in zip(cells, texts, is_open, strict=True)
    ]
    file_decimal, file_thousands = file_marks(evidence, decimal, thousands, delimiter)
    settled = any(mine["point_decimal"] or mine["comma_groups"] for mine in evidence)
    doubt_points = delimiter == ";" and not settled
    for c, text, open_, mine, said in zip(cells, texts, is_open, evidence, doubts, strict=True):
        role = stated.get(c.name)
        if open_:
            marks = (file_decimal, file_thousands)
            if decimal is None and thousands is None:
                marks = column_marks(c.name, mine, marks, doubt_points, said)
            numbers = numbers_in(text, *marks)
            if c.typed is not None:
                numbers = np.where(np.isnan(c.typed), numbers, c.typed)
            known = int((~c.empty).sum())
            beyond = _beyond_limits(c, text, numbers, marks)
            unreadable = int((np.isnan(numbers) & ~c.empty & ~beyond).sum())
            mostly = unreadable <= MAX_UNREADABLE * known and int(beyond.sum()) <= known / 2
            c.legible = numbers
            if role == "numeric" or mostly:
                if thousands is None:
                    numbers[stray_groups(c.name, text.where(c.written, ""), numbers, marks, said)] = np.nan
                c.numbers = numbers if role != "target" else None
                if role != "target":
                    _read_limits(c, text, beyond, marks)
            if role == "target":
                continue
            if role == "numeric" or unreadable <= known / 2:
                c.unreadable = unreadable
        if c.levels is not None and role == "numeric":
            raise PenumbraError(f"“{c.name}” has declared categories and cannot be read as numbers; leave it nominal.")
        if c.numbers is not None and role not in ("nominal", "target"):
            _become_numeric(c, file_decimal, file_thousands)
    return {"decimal": file_decimal, "thousands": file_thousands}


def _beyond_limits(
    c: _Cells, text: pd.Series[str], numbers: NDArray[np.float64], marks: tuple[str, str]
) -> NDArray[np.bool_]:
    """Return True for the cells that are no numbers but say that the value lies beyond one, "<5"."""
    open_ = np.isnan(numbers) & ~c.empty & text.str.fullmatch(_LIMIT).to_numpy(dtype=bool)
    return open_ & np.isfinite(numbers_in(_at_limit(text.where(open_, "")), *marks))


def _at_limit(text: pd.Series[str]) -> pd.Series[str]:
    """Return "5" of "<5"."""
    return text.str.replace(r"^[<>≤≥]=?\s*", "", regex=True)


def _read_limits(c: _Cells, text: pd.Series[str], beyond: NDArray[np.bool_], marks: tuple[str, str]) -> None:
    """Put numbers in place of values beyond a limit, where the reader has said which; note what was met."""
    c.limited, c.limits = int(beyond.sum()), tuple(map(str, pd.unique(text[beyond])))
    if not c.limited or c.read_as == "missing" or c.numbers is None:
        return
    limit = numbers_in(_at_limit(text.where(beyond, "")), *marks)
    lower = text.str.match("[<≤]").to_numpy(dtype=bool)
    c.numbers = np.where(beyond, np.where(lower & (c.read_as == "half"), limit / 2.0, limit), c.numbers)


def _few_limits(c: _Cells) -> tuple[str, ...]:
    """Return the different texts beyond a limit where few and short: they are the method's own, not a patient's."""
    short = len(c.limits) <= MOST_LIMITS and all(len(text) <= LONGEST_LIMIT for text in c.limits)
    return c.limits if short else ()


def _limit_sentence(c: _Cells) -> str:
    """Return how a column's values beyond a limit are read, and what else could be chosen."""
    texts = _few_limits(c)
    shown = f" ({', '.join(f'“{text}”' for text in texts)})" if texts else f" ({len(c.limits)} different ones)"
    cells = f"“{c.name}”: {counted(c.limited, 'cell says', 'cells say')} only that the value lies beyond a limit{shown}"
    if c.read_as == "missing":
        known = "low" if all(text[0] in "<≤" for text in c.limits) else "low or high"
        one = "it is" if c.limited == 1 else "they are"
        return (
            f"{cells}: known to be {known}, {one} counted as missing all the same. Choose the limit itself, or half "
            "of it, in place of missing."
        )
    return f"{cells}: read as {'the limit itself' if c.read_as == 'limit' else 'half of it'}, as stated."


def _without_percent(c: _Cells, problems: list[str]) -> pd.Series[str]:
    """Return a column's text without its percent signs where every number has one, and say so."""
    written = c.text[c.written]
    if not written.str.endswith("%").any():
        return c.text
    share = float(written.str.fullmatch(_PERCENT).mean())
    if share >= 1.0 - MAX_UNREADABLE and len(written) == len(c.known):
        problems.append(f"“{c.name}” is written with percent signs; its numbers are read as they stand, 95% as 95.")
        return c.text.str.removesuffix("%").str.strip()
    if share > 0.5:
        problems.append(
            f"“{c.name}” has numbers with a percent sign among other cells, so they are no numbers; write all alike."
        )
    return c.text


def _become_numeric(c: _Cells, decimal: str, thousands: str) -> None:
    """Count what a numeric column cannot hold as missing, and tokens that are numbers however written."""
    assert c.numbers is not None
    c.kind = "numeric"
    c.infinite = int((np.isinf(c.numbers) & ~c.empty).sum())
    c.missing = c.empty | ~np.isfinite(c.numbers)
    for token in c.number_tokens:
        same = ~c.missing & (c.numbers == numbers_in(pd.Series([token], dtype="str"), decimal, thousands)[0])
        if same.any():
            c.tokens[token] = c.tokens.get(token, 0) + int(same.sum())
            c.missing = c.missing | same


def _unit(name: str) -> str | None:
    """Return the unit a name ends in, "mg/dL" in "Glucose (mg/dL)"; None for other words in brackets."""
    match = _UNIT_IN_NAME.match(name)
    if match is None or (not match["space"] and re.fullmatch(r"\w", match["unit"])):
        return None
    parts = [re.sub(r"[0-9²³^.,×+-]+", "", part).lower() for part in re.split(r"[/·*\s]", match["unit"])]
    return match["unit"].strip() if any(parts) and all(part in _UNITS for part in parts if part) else None


def _find_roles(cells: list[_Cells], stated: Mapping[str, str], problems: list[str]) -> dict[str, Role]:
    """Give every column a role: as stated, by its name, or by what it holds; say what is left out and why."""
    found: dict[str, Role] = {}
    reasons: dict[str, str] = {}
    for c in cells:
        match stated.get(c.name):
            case "target":
                found[c.name] = "target"
            case "identifier":
                found[c.name] = "identifier"
            case "ignore":
                found[c.name] = "ignore"
            case "numeric" | "nominal":
                found[c.name] = "variable"
            case _:
                found[c.name], reasons[c.name] = _guess_role(c)
    if "target" not in found.values():
        open_names = [c.name for c in cells if c.name not in stated]
        as_word = {name.strip().lower(): name for name in open_names}
        usable = [name for name in open_names if found[name] == "variable"]
        by_name = next((as_word[word] for word in _TARGET_NAMES if word in as_word), None)
        if by_name is None and not usable:
            raise PenumbraError("No column is left that could hold the labels; state which one is the target.")
        target = by_name or usable[-1]
        if by_name is None:
            problems.append(f"No column is named as a class; “{target}”, the last one of use, is taken as the target.")
        found[target], reasons[target] = "target", ""
    for reason in dict.fromkeys(filter(None, reasons.values())):
        names = [name for name, why in reasons.items() if why == reason]
        problems.append(f"{named(names)} {'is' if len(names) == 1 else 'are'} {reason}")
    return found


def _guess_role(c: _Cells) -> tuple[Role, str]:
    """Return a role and, when it leaves the column out, the end of the sentence that says why."""
    known, n = c.known, len(c.text)
    different = known.nunique()
    if different == 0:
        return "ignore", "empty in every row: left out."
    if different == 1 < n:
        return "ignore", "the same in every row, or wherever known: nothing to split on, left out."
    if (c.kind == "nominal" and known.str.fullmatch(_DATE).mean() >= 0.9) or (
        c.kind == "numeric" and _are_dates(known)
    ):
        return "ignore", "a date: left out. Turn it into a number, such as an age in days, to use it."
    if different == n >= 5:
        whole = c.kind == "numeric" and c.numbers is not None and bool((c.numbers == np.floor(c.numbers)).all())
        rising = whole and n >= 20 and c.numbers is not None and bool((np.diff(c.numbers) > 0).all())
        if rising or (whole and _IDENTIFIER_NAME.search(c.name)) or (c.kind == "nominal" and c.levels is None):
            return "identifier", "different in every row: an identifier, left out."
    if c.kind == "nominal" and c.levels is None and different > max(20, len(known) / 2):
        return "ignore", "text that differs in most rows, too much to split on: left out."
    return "variable", ""


def _are_dates(known: pd.Series[str]) -> bool:
    """Tell whether all numbers of a column are days such as 20240131, or 01.02 with zeros no number would have."""
    if known.str.fullmatch(_WHOLE_DATE).all():
        return True
    return bool(known.str.startswith("0").any() and known.str.fullmatch(_DAY_AND_MONTH).all())


def _say_doubts(cells: list[_Cells], found: Mapping[str, str], stated: Mapping[str, str], problems: list[str]) -> None:
    """Say what is odd about the columns that stay, and about the rows."""
    n = len(cells[0].text)
    absent, zeros, codes = [], [], []
    for c in cells:
        if found[c.name] not in ("variable", "target"):
            continue
        numeric = c.kind == "numeric" and found[c.name] == "variable"
        if c.spaced and not numeric:
            problems.append(f"“{c.name}”: spaces around {counted(c.spaced, 'cell', 'cells')} were removed.")
        levels = () if numeric else c.met()
        if len({level.lower() for level in levels}) < len(levels):
            problems.append(f"“{c.name}” has levels that differ only in capitals; they are kept apart.")
        if _repeats_a_number(levels):
            problems.append(
                f"“{c.name}” writes the same number in more than one way, like 1 and 1.0; they are kept apart."
            )
        if found[c.name] == "target":
            continue
        missing = int(c.missing.sum())
        if missing >= 0.2 * n:
            absent.append(f"“{c.name}” in {missing} ({100 * missing / n:.0f} %)")
        if c.limited and numeric:
            problems.append(_limit_sentence(c))
        if c.unreadable and numeric:
            verb = "is no number and counts" if c.unreadable == 1 else "are no numbers and count"
            problems.append(f"“{c.name}”: {counted(c.unreadable, 'cell', 'cells')} {verb} as missing.")
        elif c.unreadable and c.name not in stated:
            problems.append(
                f"“{c.name}” mixes numbers and words: {c.unreadable} of {n - missing} cells are no numbers, "
                "so it is read as nominal. Set it to numeric to have those count as missing."
            )
        if c.infinite:
            values_are = counted(c.infinite, "infinite value, which counts", "infinite values, which count")
            problems.append(f"“{c.name}” holds {values_are} as missing.")
        if numeric and c.numbers is not None:
            values = c.numbers[~c.missing]
            for code, times in _far_off_codes(values):
                problems.append(_far_off(c.name, code, times))
            count = _suspicious_zeros(values)
            if count:
                zeros.append(f"“{c.name}” ({count})")
            if c.name not in stated and n >= 30 and _is_code(values):
                codes.append(c.name)
    if absent:
        problems.append(f"Of {n} rows a value is missing for {joined(absent)}.")
    if zeros:
        problems.append(
            f"0 stands far below all other values of {joined(zeros)}; it may mean missing. It is read as 0."
        )
    if codes:
        verb, it = ("takes", "it") if len(codes) == 1 else ("take", "them")
        shown = named(codes) if len(codes) <= 8 else f"{named(codes[:7])} and {len(codes) - 7} more"
        problems.append(f"{shown} {verb} only a few whole numbers; set {it} to nominal if those are codes.")
    repeated = int(pd.DataFrame({c.name: c.text for c in cells}).duplicated().sum())
    if repeated:
        rows_are = counted(repeated, "row is an exact copy", "rows are exact copies")
        problems.append(f"{rows_are} of an earlier one; all are kept.")


def _is_code(values: NDArray[np.float64]) -> bool:
    """Tell whether a column takes three to five whole numbers only."""
    different = np.unique(values)
    return 3 <= len(different) <= 5 and bool((different == np.floor(different)).all())


def _repeats_a_number(levels: tuple[str, ...]) -> bool:
    """Tell whether two levels are one number written differently."""
    numbers = numbers_in(pd.Series(levels, dtype="str"), ".", "") if levels else np.empty(0)
    numbers = numbers[~np.isnan(numbers)]
    return len(np.unique(numbers)) < len(numbers)


def _far_off_codes(values: NDArray[np.float64]) -> list[tuple[str, int]]:
    """Return extreme values that repeat, look like -999, and lie further off than all others do from each other."""
    different, counts = np.unique(values, return_counts=True)
    if len(different) < 6:
        return []
    found = []
    for end, rest in ((0, different[1:]), (-1, different[:-1])):
        code, gap = as_text(different[end]), abs(different[end] - rest[end])
        if counts[end] > 1 and gap > rest[-1] - rest[0] and _CODE.fullmatch(code):
            found.append((code, int(counts[end])))
    return found


def _far_off(name: str, code: str, times: int) -> str:
    return (
        f"{code} repeats far outside all other values of “{name}” ({times}); it may mean missing. "
        "It is read as a number until it is stated as missing."
    )


def _suspicious_zeros(values: NDArray[np.float64]) -> int:
    """Count the zeros of a column whose other values all lie far above, as if 0 stood for "unknown"."""
    zeros = int((values == 0).sum())
    different = np.unique(values)
    if not 0 < zeros <= len(values) / 2 or different[0] < 0 or len(different) < 16:
        return 0
    step = float(np.median(np.diff(different[1:])))
    return zeros if different[1] > 0.1 * np.median(values[values > 0]) and different[1] >= 5 * step else 0


def _cut_target(stated: Mapping[str, str]) -> str:
    """Return the column that is to be cut; it must be stated, since any number could be meant."""
    for name, role in stated.items():
        if role == "target":
            return name
    raise PenumbraError("cut needs the column that it cuts; state the target.")


def _target_numbers(c: _Cells, abstained: set[str]) -> NDArray[np.float64] | None:
    """Return the target's numbers, NaN where there is none or it means abstained; None where most labels are words."""
    found = c.numbers if c.numbers is not None else c.legible
    given = ~c.empty & ~c.text.isin(list(abstained)).to_numpy(dtype=bool)
    if found is None or c.levels is not None or c.sets is not None or np.isnan(found[given]).sum() > given.sum() / 2:
        return None
    return np.where(given & ~c.missing & np.isfinite(found), found, np.nan)


def _cut(c: _Cells, cut: tuple[float, float], abstained: set[str], problems: list[str]) -> _Cells:
    """Return a numeric target as the labels low, between and high, and say what became of its values. [W]"""
    open_ = c.text.isin(list(abstained)).to_numpy(dtype=bool) & ~c.empty
    if c.numbers is None or _target_numbers(c, abstained) is None:
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
    problems += [_far_off(c.name, code, times) for code, times in _far_off_codes(values[~np.isnan(values)])]
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


def _say_abstained(c: _Cells, abstained: set[str], problems: list[str]) -> dict[str, int]:
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


def _labels(
    c: _Cells, abstained: set[str], different: int, problems: list[str]
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
