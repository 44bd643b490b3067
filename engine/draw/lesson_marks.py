"""Marks that the lessons' figures share: plots, curves, bells, what can be dragged, what is covered.

In: numbers and pixels. Out: pieces of SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.draw.picture import Scale
from engine.draw.sheet import box, esc, line, words
from engine.noise import density
from engine.number_words import number_text

VIOLET, GREY, INK, SLATE = "var(--unsure)", "var(--third)", "var(--ink)", "var(--control)"
COVERED = "Covered until you answer"
TOUCH = 22.0  # half of the 44 pixels that a finger needs
NARROW = 480.0


def path(points: Sequence[tuple[float, float]], paint: str, width: float = 1.0, dash: str = "", fill: str = "") -> str:
    """Return a line through pixels, dashed by `dash`, filled with `fill`."""
    if not points:
        return ""
    way = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{way}" fill="{fill or "none"}" stroke="{paint}" stroke-width="{width:g}"{dashed}/>'


@dataclass(frozen=True)
class Plot:
    """A plotting area: data `x` and `y` ranges, and the pixels of its edges."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float
    top: float
    right: float
    bottom: float

    def x(self, value: float) -> float:
        """Return the pixel of a value across."""
        return Scale(*self.x_range, self.left, self.right)(value)

    def y(self, value: float) -> float:
        """Return the pixel of a value up."""
        return Scale(*self.y_range, self.bottom, self.top)(value)

    @property
    def per_unit(self) -> float:
        """Pixels of one unit across."""
        return (self.right - self.left) / (self.x_range[1] - self.x_range[0])

    def curve(self, xs: Any, ys: Any, paint: str, width: float = 1.0, dash: str = "") -> str:
        """Return a curve through data; NaN breaks it off."""
        parts: list[list[tuple[float, float]]] = [[]]
        for a, b in zip(np.asarray(xs, dtype=float), np.asarray(ys, dtype=float), strict=True):
            if np.isfinite(b):
                parts[-1].append((self.x(float(a)), self.y(float(b))))
            elif parts[-1]:
                parts.append([])
        return "".join(path(part, paint, width, dash) for part in parts)

    def axes(self, across: Sequence[float], up: Sequence[float], name: str = "", percent: bool = False) -> str:
        """Return ticks below and at the left with hairlines, and the name of the axis below."""
        drawn = []
        for value in up:
            y = self.y(value)
            drawn += [line(self.left, y, self.right, y, "hair")]
            drawn += [words(self.left - 6, y + 4, f"{100 * value:.0f} %" if percent else number_text(value, 3), "i2 e")]
        drawn.append(line(self.left, self.bottom, self.right, self.bottom, "axis"))
        drawn += [words(self.x(value), self.bottom + 16, number_text(value, 4), "i2 m") for value in across]
        if name:
            drawn.append(words((self.left + self.right) / 2, self.bottom + 32, name, "i2 m"))
        return "".join(drawn)

    def rule(self, value: float, paint: str = SLATE, width: float = 1.5, dash: str = "") -> str:
        """Return an upright line at a value."""
        return path([(self.x(value), self.top), (self.x(value), self.bottom)], paint, width, dash)

    def cover(self, text: str = COVERED) -> str:
        """Return a plain sheet over the plot: what is under it is not drawn at all."""
        return covered(self.left, self.top, self.right - self.left, self.bottom - self.top, text)


def covered(x: float, y: float, width: float, height: float, text: str = COVERED) -> str:
    """Return a plain sheet that says it covers something."""
    sheet = box(x, y, width, height, "var(--hair)", round_=8)
    return sheet + words(x + width / 2, y + height / 2 + 5, text, "z14 i2 m")


def bell(
    scale: Scale, middle: float, sigma: float, floor: float, height: float, within: tuple[float, float] | None = None
) -> list[tuple[float, float]]:
    """Return the pixels of a normal bell over an axis, its top `height` above `floor`.

    It is drawn `within` a range, else as far as it can be seen, and never beyond the axis's ends.
    """
    low, high = within or (middle - 4 * sigma, middle + 4 * sigma)
    places = np.linspace(max(scale.low, low), min(scale.high, high), 61)
    tall = density((places - middle) / sigma, 0) / float(density(0.0, 0))
    return [(scale(float(a)), floor - height * float(b)) for a, b in zip(places, tall, strict=True)]


def draggable(
    name: str, x: float, y: float, value: float, reach: tuple[float, float], step: float, per_unit: float, label: str,
    body: str, said: str = "", up: tuple[float, float, float, float] | None = None,
) -> str:  # fmt: skip
    """Return a mark that a pointer drags sideways, or in the plane, and arrow keys move by a step.

    Parameters
    ----------
    name : told to the page with the new value. x, y : its middle in pixels. value, reach, step : in data.
    per_unit : pixels of one unit. label : what it is. body : its drawing. said : the value in words, else the number.
    up : for a mark in the plane its value up, the ends of it, and pixels of one unit up.
    """
    plane = ""
    if up is not None:
        plane = ' data-up="{:g}" data-low="{:g}" data-high="{:g}" data-per-up="{:.4f}"'.format(*up)
    told = esc(said or number_text(value, 4))
    return (
        f'<g class="drag" role="slider" tabindex="0" data-name="{esc(name)}" data-step="{step:g}" '
        f'data-per-unit="{per_unit:.4f}"{plane} aria-label="{esc(label)}" aria-valuemin="{reach[0]:g}" '
        f'aria-valuemax="{reach[1]:g}" aria-valuenow="{value:g}" aria-valuetext="{told}">'
        f'<circle class="touch" cx="{x:.1f}" cy="{y:.1f}" r="{TOUCH:g}" fill="transparent"/>{body}</g>'
    )


def disc(x: float, y: float, radius: float, paint: str) -> str:
    """Return a filled disc."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{paint}"/>'


def hoop(x: float, y: float, radius: float, paint: str, width: float = 1.2, dash: str = "") -> str:
    """Return an empty ring."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    at = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
    return f'<circle {at} fill="none" stroke="{paint}" stroke-width="{width:g}"{dashed}/>'


def outline(
    x: float, y: float, width: float, height: float, paint: str, stroke: float = 1.0, dash: str = "", round_: float = 8,
    style: str = "",
) -> str:  # fmt: skip
    """Return an empty rectangle."""
    extra = (f' stroke-dasharray="{dash}"' if dash else "") + (f' class="{style}"' if style else "")
    at = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_:g}"'
    return f'<rect {at} fill="none" stroke="{paint}" stroke-width="{stroke:g}"{extra}/>'


def ring(x: float, y: float, radius: float) -> str:
    """Return the slate ring that marks what can be dragged."""
    at = f'class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
    return f'<circle {at} fill="var(--card)" stroke="{SLATE}" stroke-width="1.5"/>'


def class_mark(x: float, y: float, place: int, radius: float = 5.0) -> str:
    """Return a patient: a disc of the first class, a square of the second."""
    side = 1.8 * radius
    if place == 0:
        return disc(x, y, radius, "var(--c0)")
    return box(x - side / 2, y - side / 2, side, side, "var(--c1)")


def key_row(items: Sequence[tuple[str, str]], x: float, y: float, room: float) -> tuple[str, float]:
    """Return a legend that wraps: (mark, text) pairs, a mark drawn in a box of 20 by 10 at the origin; and its foot."""
    drawn, at = [], x
    for mark, text in items:
        wide = 26 + 6.3 * len(text)
        if at > x and at + wide > x + room:
            at, y = x, y + 20
        drawn.append(f'<g transform="translate({at:.1f} {y - 9:.1f})">{mark}</g>{words(at + 26, y, text, "i2")}')
        at += wide + 14
    return "".join(drawn), y


def line_key(paint: str, width: float, dash: str = "") -> str:
    """Return a short line as a legend's mark."""
    return path([(0, 5), (20, 5)], paint, width, dash)
