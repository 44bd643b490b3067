"""How a number, a probability, a share and a difference are written for a person.

In: plain figures. Out: short text that is still true: signs, no false certainty, thresholds on the right side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal


def number_text(value: float, digits: int = 6) -> str:
    """Return a number without needless zeros, never in powers of ten below a billion, with a true minus sign."""
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "unknown"
    if value == 0:
        return "0"
    if not 1e-6 <= abs(value) < 1e9:
        return f"{value:.{digits - 1}g}".replace("-", "−")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def exact_text(value: float) -> str:
    """Return a number in the fewest digits that read back as the very same float, with a true minus sign."""
    if not math.isfinite(value):
        return number_text(value)
    text = repr(float(value))
    if "e" in text and 1e-9 <= abs(value) < 1e16:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0").replace("-", "−")


def plain(value: float, decimals: int) -> str:
    """Return a number at a fixed number of decimals with a true minus sign, never "−0"; a huge one in powers of ten."""
    if not abs(value) < 1e15:
        return number_text(value)
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0.0 else text.replace("-", "−")


def shortest(theta: float, decimals: int, same: Callable[[float], bool]) -> str:
    """Return θ in as few decimals as still part the same patients, rounded down or up where that takes fewer.

    Parameters
    ----------
    decimals : the fewest to try. same : whether a threshold parts the patients as θ does.
    """
    for places in range(decimals, 13):
        unit = 10.0**places
        whole = math.isfinite(theta * unit)
        for x in (theta, math.floor(theta * unit) / unit, math.ceil(theta * unit) / unit) if whole else (theta,):
            text = plain(x, places)
            if same(float(text.replace("−", "-"))):
                return text
    return exact_text(theta)


def probability_text(p: float, against: float | None = None) -> str:
    """Return a probability on 0 to 1, never printed as 0 or 1.

    Parameters
    ----------
    against : a threshold it is compared with; decimals are added until the two read differently, unless they are equal.
    """
    if not math.isfinite(p):
        return "unknown"
    if p > 0.9995:
        return "> 0.999"
    if p < 0.0005:
        return "< 0.001"
    decimals = 3 if p >= 0.995 or p < 0.005 else 2
    while against is not None and decimals < 6 and abs(p - against) > 1e-9 and _same(p, against, decimals):
        decimals += 1
    return f"{p:.{decimals}f}"


def _same(a: float, b: float, decimals: int) -> bool:
    return f"{a:.{decimals}f}" == f"{b:.{decimals}f}"


def percent_text(p: float) -> str:
    """Return a probability in percent, never 0 % or 100 %."""
    if not math.isfinite(p):
        return "unknown"
    return "> 99 %" if p > 0.995 else "< 1 %" if p < 0.005 else f"{100 * p:.0f} %"


def share_text(p: float) -> str:
    """Return a share in percent; exactly nothing and exactly everything are words."""
    return "none" if p <= 1e-9 else "all" if p >= 1 - 1e-9 else percent_text(p)


def weight_text(weight: float, fractional: bool) -> str:
    """Return a number of patients: one decimal when patients are shared among leaves."""
    return f"{weight:.1f}" if fractional else f"{weight:.0f}"


def difference_unit(unit: str, whole_words: bool = False, size: str = "") -> str:
    """Return the unit of a difference or an error: of a variable in percent it is points, not percent of the reading.

    `size` is the figure as it stands before the unit: after a bare 1 it is one point.

    "+6.5 %" of an ejection fraction of 33 % could be 39.5 or 35.1; "+6.5 points" can only be the first.
    """
    if not unit.startswith("%"):
        return unit
    points = ("percentage point" if whole_words else "point") + ("" if size.lstrip("+−-") == "1" else "s")
    return points + (f" ({unit})" if unit != "%" else "")


def error_text(sigma: str, unit: str) -> str:
    """Return a σ already in words with its unit: "± 8 mg/dL", "± 5 points"."""
    return f"± {sigma} {difference_unit(unit, size=sigma)}".rstrip()
