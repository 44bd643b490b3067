"""Names, classes and counts as the sentences of the engine say them.

In: names of columns, classes or categories; counts. Out: short text; what may be patients' readings is only counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

MOST_NAMED = 12  # a longer list of classes may be the readings or the words of patients
CODES = range(-1, 21)  # whole numbers that may name a class in a sentence; any other may be a patient's reading


def listed(names: Iterable[Any], most: int = 8) -> str:
    """Return names in quotes, the list cut where it grows long."""
    names = [repr(str(name)) for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def classes_named(values: Iterable[Any]) -> str:
    """Return classes or categories for a sentence, or only their number where they may be what patients said or had."""
    names = [str(value) for value in values]
    return f"{len(names)} in number" if len(names) > MOST_NAMED or not all(map(may_be_named, names)) else listed(names)


def may_be_named(name: str) -> bool:
    """Return True for a short word or a small whole number, which names a class rather than a patient's reading."""
    try:
        return float(name) in CODES
    except ValueError:
        return len(name) <= 40


def name_text(name: Any) -> str:
    """Return the text by which a column is found: that of a number or a tuple is the same whatever numpy calls it.

    Examples
    --------
    >>> name_text(("visit", np.int64(2)))
    "('visit', 2)"
    """
    if isinstance(name, tuple):
        return str(tuple(part.item() if isinstance(part, np.generic) else part for part in name))
    return str(name)


def counted(number: int, one: str, many: str) -> str:
    """Return a count with its word: "1 row", "2 rows"."""
    return f"{number} {one if number == 1 else many}"


def joined(parts: list[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def named(names: Iterable[str]) -> str:
    """Return column names in quotes: "“a”, “b” and “c”"."""
    return joined([f"“{name}”" for name in names])
