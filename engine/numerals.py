"""Numbers written in any country's way: which mark is the decimal one, which one groups thousands.

In: columns of cells as text, and the marks that are stated.
Out: the marks of the file and of each column, and the numbers; a reading that is not certain in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

GROUP_MARKS = {",": ",", ".": r"\.", " ": "[ \u00a0\u202f]", "'": "['\u2019]"}
FAR_WITH_DECIMALS, FAR = 10.0, 100.0  # times the largest other cell: as thousands a cell would then be a stranger
_SIGN = "[+\u2212-]?"
WAYS = {  # what a cell written in each way says about the marks of its file
    "comma_decimal": rf"{_SIGN}(?:0,[0-9]+|[0-9]*,[0-9]{{1,2}}|[0-9]*,[0-9]{{4,}}|[0-9]{{4,}},[0-9]+"
    r"|[0-9]{1,3}(?:[. '\u00a0\u202f\u2019][0-9]{3})+,[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "point_decimal": rf"{_SIGN}(?:0\.[0-9]+|[0-9]*\.[0-9]{{1,2}}|[0-9]*\.[0-9]{{4,}}|[0-9]{{4,}}\.[0-9]+"
    r"|[0-9]{1,3}(?:[, '\u00a0\u202f\u2019][0-9]{3})+\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "comma_groups": rf"{_SIGN}(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{2,}}|[0-9]{{1,3}}(?:,[0-9]{{3}})+\.[0-9]+)",
    "point_groups": rf"{_SIGN}(?:[0-9]{{1,3}}(?:\.[0-9]{{3}}){{2,}}|[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]+)",
    "comma_either": rf"{_SIGN}[1-9][0-9]{{0,2}},[0-9]{{3}}",
    "point_either": rf"{_SIGN}[1-9][0-9]{{0,2}}\.[0-9]{{3}}",
    "space_groups": rf"{_SIGN}[0-9]{{1,3}}(?:[ \u00a0\u202f][0-9]{{3}})+(?:[.,][0-9]+)?",
    "apostrophe_groups": rf"{_SIGN}[0-9]{{1,3}}(?:['\u2019][0-9]{{3}})+(?:[.,][0-9]+)?",
}


def file_marks(
    evidence: list[dict[str, int]], decimal: str | None, thousands: str | None, delimiter: str | None
) -> tuple[str, str]:
    """Return the decimal and the thousands mark of the file, by the cells that allow one reading only."""
    total = {way: sum(found[way] for found in evidence) for way in WAYS}
    comma = total["comma_decimal"] + total["point_groups"]
    point = total["point_decimal"] + total["comma_groups"]
    if decimal is None:
        only_either = comma == point == 0 and total["comma_either"] > 0 and delimiter == ";"
        decimal = "," if thousands == "." or (thousands != "," and (comma > point or only_either)) else "."
    if thousands is None:
        other, written = (",", "comma") if decimal == "." else (".", "point")
        found = {
            other: total[f"{written}_groups"] + total[f"{written}_either"],
            " ": total["space_groups"],
            "'": total["apostrophe_groups"],
        }
        thousands = max(found, key=lambda mark: found[mark]) if any(found.values()) else ""
    return decimal, thousands


def column_marks(
    name: str, mine: Mapping[str, int], marks: tuple[str, str], doubt_points: bool, problems: list[str]
) -> tuple[str, str]:
    """Return the marks of one column: those of the file, or its own where they differ, which is said.

    With `doubt_points` a point before three digits is doubtful even where it is the decimal mark.
    """
    decimal, thousands = marks
    against, along, other = ("comma", "point", ",") if decimal == "." else ("point", "comma", ".")
    if mine[f"{against}_decimal"] and not mine[f"{along}_decimal"]:
        problems.append(f"“{name}” is written with a decimal {against}, unlike the rest of the file, and is read so.")
        return other, ""
    settled = any(mine[f"{mark}_{use}"] for mark in ("comma", "point") for use in ("decimal", "groups"))
    doubtful = mine["comma_either"] or (mine["point_either"] and (decimal == "," or doubt_points))
    if doubtful and not settled:
        as_thousands = bool(thousands) and bool(mine[f"{against}_either"])
        mark, reading = (other, "thousands") if as_thousands else (decimal, "decimals")
        problems.append(
            f"“{name}” has numbers written like 1{mark}234, which could mean thousands or decimals; "
            f"they are read as {reading}. State the decimal mark to settle it."
        )
    return marks


def stray_groups(
    name: str, cells: pd.Series[str], numbers: NDArray[np.float64], marks: tuple[str, str], problems: list[str]
) -> NDArray[np.bool_]:
    """Return which cells have a mark that could mean thousands but would then lie far outside all others.

    Parameters
    ----------
    cells : the column as text, a number that came typed as "". numbers : as read under `marks`; NaN where no number.
    problems : how a few cells with a thousands mark beside decimals are read is added to it in place.
    """
    decimal, thousands = marks
    none = np.zeros(len(cells), dtype=bool)
    if not thousands:
        return none
    point, group = re.escape(decimal), GROUP_MARKS[thousands]
    start, known = rf"{_SIGN}[1-9][0-9]{{0,2}}{group}[0-9]{{3}}", np.isfinite(numbers)
    grouped = known & cells.str.fullmatch(start).to_numpy(dtype=bool)
    others = known & ~grouped
    settled = cells.str.fullmatch(rf"{start}(?:(?:{group}[0-9]{{3}})+(?:{point}[0-9]*)?|{point}[0-9]+)").any()
    if settled or not grouped.any() or not others.any():
        return none
    fractions = bool((numbers[others] % 1.0 != 0.0).any())
    largest, times = float(np.abs(numbers[others]).max()), FAR_WITH_DECIMALS if fractions else FAR
    stray = grouped & (np.abs(numbers) > times * largest) & (largest > 0.0)
    few = grouped.sum() <= others.sum()
    if not (few and stray.any()) and not fractions:
        return none
    shown, count = (stray, int(stray.sum())) if few and stray.any() else (none, int(grouped.sum()))
    like = f"“{name}”: {count} {'cell is' if count == 1 else 'cells are'} written like 1{thousands}234"
    if shown.any():
        reading = "as thousands far outside all others, which counts as missing"
    else:
        reading = "beside others with decimals, and read as thousands"
    problems.append(f"{like}, {reading}. State the decimal and the thousands mark to settle it.")
    return shown


def evidence_of(known: pd.Series[str]) -> dict[str, int]:
    """Count the different cells of each way to write a number; nothing where most cells are no numbers."""
    different = known.drop_duplicates().head(5000)
    like_numbers = different.str.fullmatch(r"[+\u2212-]?[0-9.,][0-9., '\u00a0\u202f\u2019]*(?:[eE][+-]?[0-9]+)?")
    if not len(different) or like_numbers.mean() < 0.5:
        return dict.fromkeys(WAYS, 0)
    found = dict.fromkeys(WAYS, 0)
    marks = set("".join(different)) & set(",.' \u00a0\u202f\u2019")
    for way, pattern in WAYS.items() if marks else ():
        if marks != {"."} or way.startswith("point"):
            found[way] = int(different.str.fullmatch(pattern).sum())
    return found


def numbers_in(text: pd.Series[str], decimal: str, thousands: str) -> NDArray[np.float64]:
    """Read cells as numbers under two marks; NaN where a cell is none."""
    point = re.escape(decimal)
    whole = f"(?:[1-9][0-9]{{0,2}}(?:{GROUP_MARKS[thousands]}[0-9]{{3}})+|[0-9]+)" if thousands else "[0-9]+"
    pattern = rf"{_SIGN}(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    pattern += "|[+-]?(?i:inf|infinity)"
    numbers = np.full(len(text), np.nan)
    fits = text.str.fullmatch(pattern).to_numpy(dtype=bool)
    plain = text[fits].str.replace("\u2212", "-", regex=False)
    if thousands:
        plain = plain.str.replace(GROUP_MARKS[thousands], "", regex=True)
    if decimal != ".":
        plain = plain.str.replace(decimal, ".", regex=False)
    numbers[fits] = plain.to_numpy(dtype=object).astype(float)
    return numbers
