"""A lesson's handout: one printed page with the question over a covered figure, and what happens below the fold.

In: a lesson's words and its figure, covered and shown, in two widths each. Out: one self-contained HTML page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.draw.printed import (
    GAP,
    HEIGHT,
    SIZES,
    WIDTH,
    Block,
    document,
    height_of,
    inline_svg,
    paragraphs,
    svg_size,
    total,
)
from engine.draw.sheet import esc

BESIDE_IT = 16.0
SCALES = tuple(round(1.12 - 0.02 * k, 2) for k in range(35))
LEAST_COLUMN = 240.0  # pixels in which sentences still read well
FOLD = "Fold here, and look below only when you have answered."
DRAGGED = re.compile(r'<g class="drag"[^>]*>')
Text = tuple[str, str, float]  # a paragraph, its style, and its size beside the page's


@dataclass(frozen=True)
class Handout:
    """Everything a handout says.

    Attributes
    ----------
    title, place : of the lesson; which of how many. question, options : what is asked, and what may be ticked.
    covered, shown : the figure, each (narrow, wide) SVG. heading, told, moral, attempt : what happens, in words.
    settings, source, foot : how the figure was set, where the lesson comes from, software and intended use.
    """

    title: str
    place: str
    question: str
    options: tuple[str, ...]
    covered: tuple[str, str]
    shown: tuple[str, str]
    heading: str
    told: str
    moral: str
    attempt: str
    settings: str
    source: str
    foot: tuple[str, ...]


def written(texts: Sequence[Text]) -> str:
    """Return paragraphs of plain text, escaped here."""
    return "".join(
        f'<p{f" class={style!r}" if style else ""} style="font-size:{scale:g}em;margin-bottom:4px">{esc(text)}</p>'
        for text, style, scale in texts
    )


def tall(texts: Sequence[Text], width: float, size: float) -> float:
    """Return the height of paragraphs at a type size."""
    return sum(height_of([text], width, size * scale) + 4.0 for text, _, scale in texts)


def half(svg: str, scale: float, texts: Sequence[Text], size: float, beside: bool) -> Block:
    """Return a figure with its texts beside it, or above it over the whole width."""
    wide, high = (scale * each for each in svg_size(svg))

    def html() -> str:
        figure = f"<figure>{inline_svg(DRAGGED.sub('<g>', svg), scale, size)}</figure>"
        if not beside:
            return f"<div>{written(texts)}{figure}</div>"
        return (
            f'<div style="display:flex;gap:{BESIDE_IT:g}px"><div style="flex:0 0 auto">{figure}</div>'
            f'<div style="flex:1 1 0;min-width:0">{written(texts)}</div></div>'
        )

    if not beside:
        return Block(html, lambda at: high + tall(texts, WIDTH, at))
    room = WIDTH - wide - BESIDE_IT
    return Block(html, lambda at: max(high, tall(texts, room, at)))


def blocks(told: Handout, scale: float, size: float, beside: bool) -> list[Block]:
    """Return the page's blocks with figures at a scale, texts `beside` them or above."""
    place = 0 if beside else 1
    asked = [(told.question, "", 1.2), *((f"☐  {option}", "", 1.1) for option in told.options)]
    after = [
        (told.heading, "", 1.35), (told.told, "", 1.1), (f"One thing to try. {told.attempt}", "", 1.1),
        (f"Moral. {told.moral}", "", 1.2),
    ]  # fmt: skip
    title = Block(
        lambda: f'<div><h1>{esc(told.title)}</h1><p class="second">{esc(told.place)}</p></div>',
        lambda at: height_of([told.title], WIDTH, at * 1.8) + at * 1.32,
    )
    fold = Block(
        lambda: f'<p class="second" style="border-top:1px dashed;padding-top:4px">{esc(FOLD)}</p>',
        lambda at: at * 1.32 + 5,
    )
    small = paragraphs([told.settings, told.source, *told.foot], "second")
    return [
        title,
        half(told.covered[place], scale, asked, size, beside),
        fold,
        half(told.shown[place], scale, after, size, beside),
        small,
    ]


def handout_html(told: Handout) -> str:
    """Return the handout at the largest figures that fit one page of A4 and of Letter."""
    for size in SIZES:
        for scale in SCALES:
            for beside in (True, False):
                wide = scale * max(svg_size(svg)[0] for svg in (told.covered[not beside], told.shown[not beside]))
                if wide > WIDTH - (LEAST_COLUMN + BESIDE_IT if beside else 0.0):
                    continue
                page = blocks(told, scale, size, beside)
                if total(page, size) <= HEIGHT - GAP:
                    return document(f"Penumbra: {told.title}", page, size)
    return document(f"Penumbra: {told.title}", blocks(told, SCALES[-1], SIZES[-1], True), SIZES[-1])
