"""What marks a variant in every picture of several: a letter in an ink disc and a style of line, never a hue.

In: the place of a variant, from 0. Out: pieces of SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.draw.sheet import letter, text_width, words

DASHES = ("", "7 4", "1.5 3.5", "10 3 2 3", "4 2", "12 5 4 5")
INK, FAINT = "var(--ink)", "var(--grey-bar)"
RADIUS = 8.5


@dataclass(frozen=True)
class Lettered:
    """A variant as pictures name it: its place (0 is the reference, letter A), its name, a few words more.

    `faint` sets its lines back where many stand in one picture.
    """

    place: int
    name: str
    more: str = ""
    faint: bool = False

    @property
    def letter(self) -> str:
        """A, B, C …"""
        return letter(self.place)

    @property
    def said(self) -> str:
        """Letter and name, as rows of a file have them."""
        return f"{self.letter} {self.name}"


class HasVariant(Protocol):
    """Anything drawn for one variant."""

    @property
    def variant(self) -> Lettered:
        """Whose it is."""


Marked = TypeVar("Marked", bound=HasVariant)


def disc(x: float, y: float, place: int) -> str:
    """Return a variant's letter in an ink disc around (x, y)."""
    text = letter(place)
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS + 2 * (len(text) - 1):g}" fill="var(--ink)"/>'
    return ring + words(x, y + 4.2, text, "m b").replace("<text", '<text style="fill:var(--page)"', 1)


def way(points: Sequence[tuple[float, float]], variant: Lettered) -> str:
    """Return a line through points in the variant's own style; nothing for fewer than two."""
    if len(points) < 2:
        return ""
    dashes = DASHES[variant.place % len(DASHES)]
    paint, wide = (FAINT, 0.8) if variant.faint else (INK, 1.6)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    drawn = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="{drawn}" fill="none" stroke="{paint}" stroke-width="{wide:g}"{dashed}/>'


def ink_last(drawn: Sequence[Marked]) -> list[Marked]:
    """Return what is drawn for each variant so that no faint line runs over one in ink."""
    return sorted(drawn, key=lambda each: not each.variant.faint)


def key(variants: Sequence[Lettered], x: float, y: float, room: float, names: bool = False) -> tuple[list[str], float]:
    """Return which line is whose, in rows from (x, y) within `room`, and the height that takes."""
    drawn, across, row = [], x, 0
    for each in variants:
        said = f"{each.letter} {each.name}" if names else each.letter
        wide = text_width(said, 12, True) + 44
        if across > x and across + wide > x + room:
            across, row = x, row + 1
        at = y + 16 * row
        drawn += [
            words(across, at, said, "b"),
            way([(across + wide - 38, at - 4), (across + wide - 10, at - 4)], each),
        ]
        across += wide
    return drawn, 16.0 * (row + 1)
