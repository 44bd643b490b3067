"""Words of the printed report that the Patient page has no place for: readings in a list, the model in brief.

In: one reading with its σ and training range, the fitted tree. Out: short text.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.number_words import error_text, number_text

BUTTON, FILE = "Download report", "penumbra-report.html"
MISSING, OUTSIDE, NOBODY = "missing", "outside the training range", "no training patient had it"


def value(reading: float | str | None, unit: str) -> str:
    """Return a reading with its unit."""
    if reading is None:
        return MISSING
    return f"{number_text(reading, 6)} {unit}".rstrip() if isinstance(reading, float) else str(reading)


def error(sigma: float, unit: str) -> str:
    """Return the σ of a measured reading."""
    return f"{error_text(number_text(sigma, 4), unit)} (1 SD)" if sigma > 0 else "exact"


def span(low: str, high: str) -> str:
    """Return the training patients' range."""
    return f"training {low} to {high}" if low else "no training value known"


def predicts(target: str, classes: Sequence[str]) -> str:
    """Return what is predicted, and what can be."""
    return f"{target}: {' or '.join(classes)}."


def fingerprint(found: str) -> str:
    """Return which model the page speaks of."""
    return f"Fingerprint of the model (SHA-256 of its JSON file): {found}"


def software(version: str, today: str, found: str) -> str:
    """Return what wrote the page, when, and with which model."""
    return f"Penumbra {version}, {today}. {fingerprint(found)}"
