"""What is odd about the columns that stay, and about the rows: values that may mean missing, codes, copies.

In: columns that have been read, their roles. Out: sentences for the user; nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.column_cells import Cells, limit_sentence
from engine.formats import as_text
from engine.names import counted, joined, named
from engine.numerals import numbers_in

_CODE = re.compile(r"-?(?:7{2,}|8{2,}|9{2,})|-[1-9]")  # how files write "unknown" as a number


def say_doubts(cells: list[Cells], found: Mapping[str, str], stated: Mapping[str, str], problems: list[str]) -> None:
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
            problems.append(limit_sentence(c))
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
            for code, times in far_off_codes(values):
                problems.append(far_off(c.name, code, times))
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


def far_off_codes(values: NDArray[np.float64]) -> list[tuple[str, int]]:
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


def far_off(name: str, code: str, times: int) -> str:
    """Return the sentence about an extreme value that repeats."""
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
