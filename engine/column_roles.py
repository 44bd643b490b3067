"""What each column of a file is for: a variable, the target, an identifier, or nothing.

In: columns that have been read, the roles that are stated. Out: a role a column; what is left out, and why, in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from engine.column_cells import Cells
from engine.errors import PenumbraError
from engine.names import named

Role = Literal["variable", "target", "identifier", "ignore"]
_TARGET_NAMES = ("class", "target", "outcome", "label", "diagnosis", "response", "result", "y")
_IDENTIFIER_NAME = re.compile(r"(?:^|[ _.-])(?:id|mrn|nr|no|number|patient|case|record|subject)$|^id(?:$|[ _.-])", re.I)
_DATE = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ][0-9:.+Z-]+)?"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2})(?: [0-9:]+(?: ?[AaPp][Mm])?)?"
)
_DAY_AND_MONTH = r"(?:0[1-9]|[12][0-9]|3[01])\.(?:0[1-9]|1[0-2])"
_WHOLE_DATE = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"


def find_roles(cells: list[Cells], stated: Mapping[str, str], problems: list[str]) -> dict[str, Role]:
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


def _guess_role(c: Cells) -> tuple[Role, str]:
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
