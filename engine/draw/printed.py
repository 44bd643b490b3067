"""One printed page: HTML that needs nothing from outside, at the largest type size at which everything fits.

In: blocks of HTML with the height each takes. Out: a self-contained document without script, in light colours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.draw.sheet import FONT, SHADES, STYLE, esc, text_width, with_theme

WIDTH, HEIGHT = 724.0, 972.0  # CSS pixels that A4 and Letter both have within margins of 9 mm, and a little less
SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0, 7.5)
LEAST_GOOD = 9.5  # smaller type only where nothing else helps
MOST_LETTERS = 2000  # of one text: a longer one leaves no room for the rest
SHORTENED = (240, 120, 60, 24)  # letters of a text where names are longer than there is room for
LINE, GAP = 1.32, 7.0
SPARE = 1.12  # lines end ragged, and another machine's type may be wider than the page's own
WIDEST = "WMm@%—"
INVISIBLE = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # marks that turn the text after them round
INK, SECOND, BORDER, UNSURE = (SHADES[name][0] for name in ("ink", "second", "border", "unsure"))
PAGE_STYLE = (
    "@page{size:auto;margin:9mm}*{box-sizing:border-box}html{background:#fff;color-scheme:light}"
    f"body{{margin:0;background:#fff;color:{INK};font-family:{FONT};line-height:{LINE};"
    "font-variant-numeric:tabular-nums;-webkit-print-color-adjust:exact;print-color-adjust:exact}"
    f"main{{width:{WIDTH:.0f}px;margin:0 auto;overflow-wrap:anywhere}}"
    f"main>*{{margin:0 0 {GAP:.0f}px}}main>:last-child{{margin-bottom:0}}p,ul,h1,h2,dl,dd,figure{{margin:0}}"
    "h1{font-size:1.8em;line-height:1.2;font-weight:650}h2{font-size:1.1em;font-weight:650}"
    f".big{{font-size:1.3em}}.second{{color:{SECOND}}}.unsure{{color:{UNSURE};font-weight:600}}ul{{padding-left:1.2em}}"
    f".card{{border:1px solid {BORDER};border-radius:6px;padding:6px 8px}}"
    f".rule{{border-top:1px solid {BORDER};padding-top:5px}}"
    ".row{display:flex;gap:12px}.row>*{flex:1 1 0;min-width:0}svg{display:block}"
    f".flag{{border-left:3px solid {INK};padding-left:7px;font-weight:600}}"
    f".by-hand{{border-bottom:1px solid {SECOND};flex:1}}table{{border-collapse:collapse;width:100%}}"
    "td,th{text-align:left;vertical-align:top;padding:0 8px 1px 0;font-weight:400}"
    f"thead th{{color:{SECOND};border-bottom:1px solid {BORDER}}}"
    "@media screen{body{padding:24px 12px}}@media print{main{width:auto}}"
)


@dataclass(frozen=True)
class Block:
    """A piece of the page over its whole width: how its HTML is written, and how many pixels it takes at a type size.

    Many sizes are tried before one fits, and writing costs more than reckoning, so only what is printed is written.
    """

    html: Callable[[], str]
    tall: Callable[[float], float]


def line_count(text: str, width: float, size: float) -> int:
    """Return on how many lines a text comes to stand (a little generous)."""
    wide = sum(map(text.count, WIDEST)) * size * 0.15  # the pictures' widths, cut with an ellipsis, reckon them less
    return max(1, math.ceil((text_width(text, size) + wide) * SPARE / width))


def shortened(text: str, most: int) -> str:
    """Return the text without its middle where it has more than `most` letters; a figure often stands at its end."""
    return text if len(text) <= most else f"{text[: most * 2 // 3].rstrip()} … {text[-(most // 3) :].lstrip()}"


def height_of(texts: Sequence[str], width: float, size: float) -> float:
    """Return the height of paragraphs under each other in pixels."""
    return sum(line_count(text, width, size) for text in texts) * size * LINE


def paragraphs(texts: Sequence[str], style: str = "", width: float = WIDTH, scale: float = 1.0) -> Block:
    """Return paragraphs of plain text under each other, escaped here; `scale` is their size beside the page's."""
    given = [text for text in texts if text]
    kind = f' class="{style}"' if style else ""

    def html() -> str:
        return f'<div>{"".join(f"<p{kind}>{esc(text)}</p>" for text in given)}</div>'

    return Block(html, lambda size: height_of(given, width, size * scale))


def inline_svg(svg: str, scale: float, size: float) -> str:
    """Return a picture for the page: light, still, and in proportion to the page's type of `size` pixels."""
    body = with_theme(svg, "light").replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)
    body = body.replace(f"<style>{STYLE}</style>", "", 1)  # the page states it once
    body = re.sub(r' role="button" tabindex="0"| aria-pressed="(?:true|false)"|<title>[^<]*</title>', "", body)
    wide, tall = svg_size(svg)
    extent = f'width="{wide * scale / size:.3f}em" height="{tall * scale / size:.3f}em"'
    return re.sub(r'width="[\d.]+" height="[\d.]+"', extent, body, count=1)


def svg_size(svg: str) -> tuple[float, float]:
    """Return the width and height that a picture states."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def total(blocks: Sequence[Block], size: float) -> float:
    """Return the height of blocks under each other with the gaps between them."""
    return sum(block.tall(size) for block in blocks) + GAP * (len(blocks) - 1)


def document(title: str, blocks: Sequence[Block], size: float, lang: str = "en") -> str:
    """Return the page as one HTML document; nothing in it is fetched, run or sent."""
    body = "".join(block.html() for block in blocks)
    page = (
        f'<!doctype html>\n<html lang="{esc(lang)}"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{esc(title)}</title><style>{PAGE_STYLE}{STYLE}body{{font-size:{size:g}px}}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )
    return page.translate(INVISIBLE)
