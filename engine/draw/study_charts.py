"""Figures of several variants against a number that was varied: noise, a factor, a confidence, τ.

In: one curve a variant, plain numbers with their intervals. Out: SVG, one plot or a small one each, and rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.draw.picture import Scale
from engine.draw.sheet import dot, fit, line, sheet, text_width, words
from engine.draw.variant_marks import Lettered, disc, ink_last, key, way
from engine.number_words import number_text

LEFT, BOTTOM, TOP = 46.0, 60.0, 10.0
MARKED = 12  # points: with more, a curve carries no dots
SIDE_BY_SIDE = 3  # intervals at one x that are still told apart in one plot
ACROSS, BETWEEN, HEAD, PLOT = 2, 14.0, 24.0, 74.0  # small plots: how many in a row, the room between, name, height


@dataclass(frozen=True, eq=False)
class Curve:
    """One variant's figure at each x; NaN where it is undefined. low, high : its 95 % interval, or None without."""

    variant: Lettered
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


def round_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return a few round numbers from low to high.

    Examples
    --------
    >>> round_ticks(0.68, 0.83)
    [0.7, 0.75, 0.8]
    """
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(nice * power for nice in (1, 2, 5, 10, 20) if span / (nice * power) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _ends(curves: Sequence[Curve], least_span: float) -> tuple[float, float]:
    held = [v for c in curves for part in (c.y, c.low or (), c.high or ()) for v in part if math.isfinite(v)]
    low, high = (min(held), max(held)) if held else (0.0, 1.0)
    short = max(least_span - (high - low), 0.0) / 2
    room = 0.05 * (high - low + 2 * short)
    return low - short - room, high + short + room


def curves_svg(
    curves: Sequence[Curve],
    *,
    label: str,
    x_title: str,
    write_x: Callable[[float], str] = number_text,
    write_y: Callable[[float], str] = number_text,
    mark: float | None = None,
    least_span: float = 0.05,
    width: float = 390,
    height: float = 260,
) -> str:
    """Return the curves in the variants' own line styles, with intervals, and a letter at each end.

    More curves with intervals than can stand side by side are drawn in a small plot each, all on the same axes.

    Parameters
    ----------
    mark : an x to draw a line at, such as the τ in force. least_span : of the y axis, so that next to no difference
        does not look like a great one. height : of one plot that holds all curves.
    """
    xs = sorted({x for c in curves for x in c.x})
    said = f"{label}. {told(curves, write_x, write_y)}"
    if sum(c.low is not None and not c.variant.faint for c in curves) > SIDE_BY_SIDE:
        tall, drawn = _small_plots(curves, xs, _ends(curves, least_span), x_title, write_x, write_y, mark, width)
        return sheet(width, tall, drawn, said, role="img")
    across = Scale(xs[0] if xs else 0.0, xs[-1] if xs else 1.0, LEFT + 8, width - 30)
    low, high = _ends(curves, least_span)
    up = Scale(low, high, height - BOTTOM, TOP)
    drawn = []
    for tick in round_ticks(low, high):
        drawn += [
            line(LEFT, up(tick), width - 20, up(tick), "hair"),
            words(LEFT - 6, up(tick) + 4, write_y(tick), "i3 e"),
        ]
    drawn.append(line(LEFT, height - BOTTOM, width - 20, height - BOTTOM, "axis"))
    drawn += _x_ticks(xs, across, height - BOTTOM, write_x)
    if mark is not None:
        drawn.append(line(across(mark), TOP, across(mark), height - BOTTOM, "axis"))
    shift = 5.0 if len(xs) <= MARKED else 0.0
    ends = []
    inked = [curve.variant.place for curve in curves if not curve.variant.faint]
    for curve in ink_last(curves):
        mine = curve.variant.place
        off = shift * (inked.index(mine) - (len(inked) - 1) / 2) if curve.low and mine in inked else 0.0
        points = _points(curve, across, up, off)
        drawn += _curve(curve, across, up, off)
        if points and not curve.variant.faint:
            ends.append((points[-1][1], curve.variant.place))
    drawn += _end_letters(ends, width - 12, TOP + 4, height - BOTTOM)
    drawn.append(words((LEFT + width - 20) / 2, height - BOTTOM + 34, x_title, "m i2"))
    rows, tall = key([c.variant for c in curves], LEFT, height - 5, width - LEFT - 20)
    drawn += rows
    return sheet(width, height + max(tall - 16, 0), drawn, said, role="img")


def _points(curve: Curve, across: Scale, up: Scale, off: float = 0.0) -> list[tuple[float, float]]:
    return [(across(x) + off, up(y)) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]


def _curve(curve: Curve, across: Scale, up: Scale, off: float = 0.0) -> list[str]:
    """A curve's line; in ink with its intervals, and with dots where they are few."""
    points = _points(curve, across, up, off)
    drawn = [way(points, curve.variant)]
    if curve.variant.faint:
        return drawn
    if curve.low and curve.high:
        for x, a, b in zip(curve.x, curve.low, curve.high, strict=True):
            if math.isfinite(a) and math.isfinite(b):
                drawn.append(line(across(x) + off, up(a), across(x) + off, up(b), "axis"))
    if len(curve.x) <= MARKED:
        drawn += [dot(x, y, 3, "var(--ink)", "var(--ink)", 0.5) for x, y in points]
    return drawn


def _small_plots(
    curves: Sequence[Curve], xs: Sequence[float], ends: tuple[float, float], x_title: str,
    write_x: Callable[[float], str], write_y: Callable[[float], str], mark: float | None, width: float,
) -> tuple[float, list[str]]:  # fmt: skip
    """Return the height and the pieces of one small plot for each curve in ink, the first curve faint in all others."""
    inked = [curve for curve in curves if not curve.variant.faint]
    wide, row = (width - LEFT - BETWEEN * (ACROSS - 1) - 8) / ACROSS, HEAD + PLOT + 8
    first = replace(inked[0], variant=replace(inked[0].variant, faint=True))
    drawn = []
    for k, curve in enumerate(inked):
        left, top = LEFT + (k % ACROSS) * (wide + BETWEEN), (k // ACROSS) * row
        floor = top + HEAD + PLOT
        across, up = Scale(xs[0], xs[-1], left + 8, left + wide - 8), Scale(*ends, floor, top + HEAD)
        for tick in round_ticks(*ends, 4):
            drawn.append(line(left, up(tick), left + wide, up(tick), "hair"))
            if k % ACROSS == 0:
                drawn.append(words(left - 6, up(tick) + 4, write_y(tick), "i3 e"))
        drawn.append(line(left, floor, left + wide, floor, "axis"))
        if k + ACROSS >= len(inked):
            drawn += _x_ticks(xs, across, floor, write_x)
        if mark is not None:
            drawn.append(line(across(mark), top + HEAD, across(mark), floor, "axis"))
        drawn += [] if k == 0 else _curve(first, across, up)
        drawn += _curve(curve, across, up)
        drawn.append(disc(left + 9, top + 10, curve.variant.place))
        drawn.append(words(left + 24, top + 14, fit(curve.variant.name, wide - 26, 12, True), "b"))
    foot = -(-len(inked) // ACROSS) * row + 28
    drawn.append(words((LEFT + width) / 2, foot, x_title, "m i2"))
    drawn.append(words((LEFT + width) / 2, foot + 17, f"faint line: {first.variant.letter}", "m i2"))
    return foot + 24, drawn


def _x_ticks(xs: Sequence[float], across: Scale, y: float, write: Callable[[float], str]) -> list[str]:
    """The x that were tried, or round ones where they are many; one that has no room beside the last is left out."""
    shown = list(xs) if len(xs) <= MARKED else round_ticks(xs[0], xs[-1], 6)
    drawn, last = [], -math.inf
    for x in shown:
        wide = text_width(write(x)) / 2
        if across(x) - wide > last:
            drawn += [line(across(x), y, across(x), y + 4, "axis"), words(across(x), y + 17, write(x), "i3 m")]
            last = across(x) + wide + 4
    return drawn


def _end_letters(ends: Sequence[tuple[float, int]], x: float, top: float, bottom: float) -> list[str]:
    """Letters at the curves' ends, pushed apart so that none covers another."""
    placed, last = [], top - 18.0
    for y, place_ in sorted(ends):
        last = max(y, last + 18.0)
        placed.append([last, place_])
    over = (placed[-1][0] - bottom) if placed else 0.0
    return [disc(x, y - max(over, 0.0), int(place_)) for y, place_ in placed]


def told(curves: Sequence[Curve], write_x: Callable[[float], str], write_y: Callable[[float], str]) -> str:
    """Return the curves in words: each at its first and last x."""
    said = []
    for c in curves:
        known = [(x, y) for x, y in zip(c.x, c.y, strict=True) if math.isfinite(y)]
        if known:
            (x0, y0), (x1, y1) = known[0], known[-1]
            said.append(
                f"{c.variant.letter} {c.variant.name}: {write_y(y0)} at {write_x(x0)}, {write_y(y1)} at {write_x(x1)}"
            )
    return "; ".join(said)


def curve_rows(curves: Sequence[Curve], x_name: str, y_name: str) -> list[dict[str, Any]]:
    """Return the curves as rows of plain numbers, NaN where undefined."""
    rows = []
    for c in curves:
        nothing = (np.nan,) * len(c.x)
        for x, y, low, high in zip(c.x, c.y, c.low or nothing, c.high or nothing, strict=True):
            row = {"variant": c.variant.said, x_name: x, y_name: y}
            rows.append(row | ({"95 % from": low, "95 % to": high} if c.low else {}))
    return rows
