"""A column of a file on its way: its text, which cells are missing, its numbers, its unit.

In: columns of cells, the tokens that mean missing, the marks that are stated. Out: `Cells`; oddities in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.formats import MISSING_TOKENS, SETS, as_number, as_text, is_nothing, is_number
from engine.names import counted, named
from engine.numerals import WAYS, column_marks, evidence_of, file_marks, numbers_in, stray_groups

Kind = Literal["numeric", "nominal"]
MAX_UNREADABLE = 0.05  # a larger share of cells that are no numbers makes a column nominal
_PERCENT = r"[+\u2212-]?[0-9.,][0-9., '\u00a0\u202f\u2019]*%"
_LIMIT = r"(?:[<>]=?|[≤≥])\s*[0-9.,][0-9.,']*"  # a value beyond what the method can tell, "<5"
MOST_LIMITS, LONGEST_LIMIT = 4, 8  # of different texts that a sentence shows, and of their letters
_UNIT_IN_NAME = re.compile(r"^(?P<name>.*?\S)(?P<space>\s*)[(\[](?P<unit>[^()\[\]]{1,20})[)\]]\s*$")
_UNITS = frozenset(
    "% ‰ ° °c c deg degree degrees g kg mg µg μg ug ng pg l dl ml µl μl ul fl mol mmol µmol μmol umol nmol "
    "pmol m cm mm µm μm um nm h hr hrs hour hours min s sec ms d day days week weeks month months yr yrs y "
    "year years bpm mmhg hg kpa pa cmho u iu ku mu miu µu μu µiu μiu uiu meq count counts n points point score "
    "kcal kj w j ratio cells copies".split()
)


@dataclass(eq=False)
class Cells:
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
        """The text of the cells that are not missing."""
        return self.text[~self.missing]

    @property
    def written(self) -> NDArray[np.bool_]:
        """True for the known cells that came as text, whose marks are open."""
        return ~self.missing if self.typed is None else ~self.missing & np.isnan(self.typed)

    @property
    def unit(self) -> str | None:
        """The unit written behind a numeric column's name."""
        return unit_in(self.name) if self.kind == "numeric" else None

    def met(self) -> tuple[str, ...]:
        """Return the levels: as declared, or in the order met."""
        return tuple(pd.unique(self.known)) if self.levels is None else self.levels

    def values(self) -> NDArray[np.float64] | pd.Categorical:
        """Return the column as a classifier takes it."""
        if self.kind == "numeric" and self.numbers is not None:
            return np.where(self.missing, np.nan, self.numbers)
        return pd.Categorical(self.text.where(~self.missing).astype(object), categories=list(self.met()))


def cells_of(name: str, column: pd.Series[Any]) -> Cells:
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
    return Cells(name, text.astype("str"), empty, empty, numbers, levels, sets, typed)


def _tokens(
    missing: str | Iterable[str] | Mapping[str, Any] | None, names: list[str]
) -> dict[str, tuple[set[str], set[str]]]:
    """Return for every column the tokens that mean missing: those of the whole file, and its own."""
    own: Mapping[str, Any] = missing if isinstance(missing, Mapping) else {}
    every = own.get("*") if isinstance(missing, Mapping) else missing
    common = set(MISSING_TOKENS) if every is None else {""} | texts_given(every, "missing")
    for name in own:
        if name != "*" and name not in names:
            raise PenumbraError(f"Missing tokens are stated for “{name}”, which is not a column of the file.")
    return {name: (common, texts_given(own.get(name, ()), "missing")) for name in names}


def texts_given(tokens: str | Iterable[str], argument: str) -> set[str]:
    """Return one text or several as a set, without spaces around them."""
    if not isinstance(tokens, str) and (isinstance(tokens, bytes) or not isinstance(tokens, Iterable)):
        raise PenumbraError(f"{argument} is a {type(tokens).__name__}; give a text or a list of texts.")
    return {str(token).strip() for token in ([tokens] if isinstance(tokens, str) else tokens)}


def mark_missing(cells: list[Cells], missing: str | Iterable[str] | Mapping[str, Any] | None) -> None:
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


def say_missing(cells: list[Cells], problems: list[str]) -> tuple[str, ...]:
    """Say which tokens counted as missing, and where; return those met."""
    met = sorted({token for c in cells for token in c.tokens})
    for token in filter(None, met):
        where = [c for c in cells if token in c.tokens]
        times = counted(sum(c.tokens[token] for c in where), "time", "times")
        problems.append(f"“{token}” counts as missing, {times} in {named([c.name for c in where])}.")
    return tuple(met)


def read_numbers(
    cells: list[Cells],
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
    c: Cells, text: pd.Series[str], numbers: NDArray[np.float64], marks: tuple[str, str]
) -> NDArray[np.bool_]:
    """Return True for the cells that are no numbers but say that the value lies beyond one, "<5"."""
    open_ = np.isnan(numbers) & ~c.empty & text.str.fullmatch(_LIMIT).to_numpy(dtype=bool)
    return open_ & np.isfinite(numbers_in(_at_limit(text.where(open_, "")), *marks))


def _at_limit(text: pd.Series[str]) -> pd.Series[str]:
    """Return "5" of "<5"."""
    return text.str.replace(r"^[<>≤≥]=?\s*", "", regex=True)


def _read_limits(c: Cells, text: pd.Series[str], beyond: NDArray[np.bool_], marks: tuple[str, str]) -> None:
    """Put numbers in place of values beyond a limit, where the reader has said which; note what was met."""
    c.limited, c.limits = int(beyond.sum()), tuple(map(str, pd.unique(text[beyond])))
    if not c.limited or c.read_as == "missing" or c.numbers is None:
        return
    limit = numbers_in(_at_limit(text.where(beyond, "")), *marks)
    lower = text.str.match("[<≤]").to_numpy(dtype=bool)
    c.numbers = np.where(beyond, np.where(lower & (c.read_as == "half"), limit / 2.0, limit), c.numbers)


def few_limits(c: Cells) -> tuple[str, ...]:
    """Return the different texts beyond a limit where few and short: they are the method's own, not a patient's."""
    short = len(c.limits) <= MOST_LIMITS and all(len(text) <= LONGEST_LIMIT for text in c.limits)
    return c.limits if short else ()


def limit_sentence(c: Cells) -> str:
    """Return how a column's values beyond a limit are read, and what else could be chosen."""
    texts = few_limits(c)
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


def _without_percent(c: Cells, problems: list[str]) -> pd.Series[str]:
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


def _become_numeric(c: Cells, decimal: str, thousands: str) -> None:
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


def unit_in(name: str) -> str | None:
    """Return the unit a name ends in, "mg/dL" in "Glucose (mg/dL)"; None for other words in brackets."""
    match = _UNIT_IN_NAME.match(name)
    if match is None or (not match["space"] and re.fullmatch(r"\w", match["unit"])):
        return None
    parts = [re.sub(r"[0-9²³^.,×+-]+", "", part).lower() for part in re.split(r"[/·*\s]", match["unit"])]
    return match["unit"].strip() if any(parts) and all(part in _UNITS for part in parts if part) else None
