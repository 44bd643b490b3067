"""Sentences that more than one page says, and how counts, names and data texts are written on screen.

In: plain results. Out: text. No text from data reaches a page without passing through `plain` or `safe`.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.export import INTENDED_USE
from engine.number_words import percent_text

Floats = NDArray[np.float64]
UNEXPECTED = (
    "Something unforeseen happened in this part of the page, and nothing was changed. "
    "Undo the last choice or pick another; the rest of the page still works."
)
PRIVATE = "It stays in this session: never in a link, a log or a shared cache."
_LOST = "The page was loaded anew or lost its connection, and a new session began."
LOST = {
    "file": f"{_LOST} Your file and your choices are gone, since nothing is kept: upload the file again. What you see "
    "is not your patients.",
    "choices": f"{_LOST} Your choices are gone, since nothing is kept: what you see is the app as it begins.",
}
CAVEATS = (
    "What this figure means: measurement error alone. True values around the reading are taken as equally likely "
    "beforehand, errors as independent between variables, and the tree as right. It is not the chance of disease."
)
REPEATING = "Repeating removes neither bias nor a missing variable."
FEW = "few patients"
FOOT = INTENDED_USE
LEAF_AND_SHARES = "A leaf's own P decides here; a patient shared among leaves may be answered where a leaf abstains."
SHORT_TITLES = {"four_noisy_points": "Four noisy points"}  # of examples whose own title the sidebar would cut
PRESENT, DISTANCE = "share here", "distance, SD"
LEAF_RANGE = (
    "the 95 % Clopper–Pearson range of that share in brackets, approximate where patients are shared between branches."
)
ADDRESS = r"(?<=[wW])(?=\.)|(?<=[a-zA-Z])(?=://)|(?<=\w)(?=@\w)"
MARKUP = r"(?<=:)(?=[/\w])|(?<=[!\]])(?=[\[(])|(?<=[<`$])"
_COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split()


def count(n: int) -> str:
    """Return a whole number as a word up to twelve."""
    return _COUNTS[n] if 0 <= n < len(_COUNTS) else f"{n:,}"


def opening(text: str) -> str:
    """Return the text with a capital."""
    return text[:1].upper() + text[1:]


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return `n` and its noun: "1 patient", "724 patients"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def number(value: float | None, digits: int = 4) -> str:
    """Return a figure with up to `digits` significant digits and no idle zeros."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(places, 8)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def part(n: float, total: float) -> str:
    """Return a counted part as a percent; unlike a probability, none and all may be said."""
    if total <= 0:
        return "none"
    return "0 %" if n == 0 else "100 %" if n == total else percent_text(n / total)


def display(name: str, unit: str | None) -> str:
    """Return a column's name as a person would write it: no unit behind it, no underscores, a capital."""
    if unit:
        name = re.sub(r"\s*[(\[]" + re.escape(unit) + r"[)\]]\s*$", "", name) or name
    return opening(unscored(name).strip()) or name


def unscored(name: Any) -> str:
    """Return a name with spaces for the underscores between letters; those beside a figure or sign stay."""
    return re.sub(r"(?<=[^\W\d_])_(?=[^\W\d_])", " ", str(name))


def listing(names: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def plain(text: Any) -> str:
    """Return a data text so that Streamlit's Markdown shows it as it stands."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~$:&\-])", r"\\\1", _parted(text, ADDRESS))


def hidden(text: Any) -> str:
    """Return a data text for the label of a control that hides it: Markdown still, but read aloud as it stands.

    So nothing is escaped; a word joiner keeps it from becoming a picture, a link or a colour.
    """
    return _parted(text, f"{ADDRESS}|{MARKUP}")


def _parted(text: Any, places: str) -> str:
    """Return a text in one line with a word joiner, which nobody sees or hears, at places Markdown would act on."""
    return re.sub(places, "\u2060", re.sub(r"\s*\n\s*", " ", str(text)))


def safe(text: Any) -> str:
    """Return a data text so that HTML shows it as it stands."""
    return html.escape(str(text))


def leaf_range(leaf: str) -> str:
    """Return what a leaf's P and its range are."""
    if leaf == "laplace":
        return f"P counts one more patient of each class than the leaf has; {LEAF_RANGE.replace('that', 'the plain')}"
    return f"P is the share of the class among the leaf's training patients; {LEAF_RANGE}"


def levels(names: Sequence[Any]) -> str:
    """Return categories or labels in short."""
    names = [str(name) for name in names]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def label(value: Any) -> str:
    """Return a patient's label as text."""
    if value is None:
        return "every class possible"
    return " or ".join(map(str, value)) if isinstance(value, (tuple, set, frozenset, list)) else str(value)
