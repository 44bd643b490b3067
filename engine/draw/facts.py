"""The model facts on paper: headings of the Model Facts label, performance, calibration, predictors, on one page.

In: labels and texts, bins of calibration. Out: one self-contained HTML page; a small reliability picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from engine.draw.picture import Scale
from engine.draw.printed import (
    HEIGHT,
    LEAST_GOOD,
    LINE,
    MOST_LETTERS,
    SHORTENED,
    SIZES,
    WIDTH,
    Block,
    document,
    height_of,
    inline_svg,
    shortened,
    svg_size,
    total,
)
from engine.draw.sheet import dot, esc, line, sheet, words

TITLE = "Penumbra: model facts"
BETWEEN, TABLE = 16.0, 270.0
PERFORMANCE = "Validation and performance"
HALF = (WIDTH - BETWEEN) / 2
CUT_SOURCE, SHORT, MOST_VARIABLES = 60, 20, 40
EXACT, MARKED, ON_NOISE = "exact", ' class="unsure"', "source on the Noise page"

Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Predictor:
    """One predictor in words: name, kind with unit, range and missing values, its σ or "exact", its source."""

    name: str
    told: str
    error: str
    source: str = ""


@dataclass(frozen=True)
class Facts:
    """The model facts in words.

    Attributes
    ----------
    heading, under : the model's name, and where, which version and when. sections : (heading, (label, text) rows).
    performance : (measure, value, 95 % interval) rows, empty before a cross-validation; method : how they were got.
    bins : `CalibrationBin`s for the picture. predictors : every variable. foot : fingerprint, intended use.
    """

    heading: str
    under: str
    sections: Sequence[tuple[str, Rows]]
    performance: Sequence[tuple[str, str, str]]
    method: str
    bins: Sequence[Any]
    predictors: Sequence[Predictor]
    foot: Sequence[str]


def reliability_svg(bins: Sequence[Any], *, width: float = 240, height: float = 170) -> str:
    """Return how often the best class was right against its P, bin by bin, with 95 % ranges; area = patients."""
    across, up = Scale(0, 1, 34, width - 8), Scale(0, 1, height - 34, 8)
    drawn = [line(across(0), up(0), across(1), up(1), "trace")]
    for tick in (0.0, 0.5, 1.0):
        drawn += [line(across(0), up(tick), across(1), up(tick), "hair"), words(28, up(tick) + 4, f"{tick:g}", "i3 e")]
        drawn.append(words(across(tick), height - 20, f"{tick:g}", "i3 m"))
    drawn.append(line(across(0), up(0), across(1), up(0), "axis"))
    most = max((each.n for each in bins), default=1)
    for each in bins:
        x, (low, high) = across(each.mean_probability), each.interval
        drawn.append(line(x, up(low), x, up(high), "cut"))
        drawn.append(dot(x, up(each.rate), 2 + 4 * (each.n / most) ** 0.5, "var(--control)", width=1))
    drawn.append(words((across(0) + across(1)) / 2, height - 4, "P of the best class; up: how often right", "i2 m"))
    told = "; ".join(f"P {b.mean_probability:.2f}, right {b.rate:.2f} of {b.n}" for b in bins)
    return sheet(width, height, drawn, f"Reliability: {told}")


def facts_html(facts: Facts) -> str:
    """Return the model facts as one HTML page that prints on one sheet of A4 or Letter."""
    told = list(_candidates(_shortened(facts, MOST_LETTERS)))
    tried = [(each, size) for each in told for size in SIZES if size >= LEAST_GOOD - 1]
    tried += [(each, size) for each in told[-1 - len(SHORTENED) :] for size in SIZES if size < LEAST_GOOD - 1]
    for each, size in tried:
        blocks = _blocks(each, size)
        if total(blocks, size) <= HEIGHT:
            return document(TITLE, blocks, size)
    return document(TITLE, _blocks(told[-1], SIZES[-1]), SIZES[-1])


def _candidates(facts: Facts) -> Iterator[Facts]:
    """Yield the facts in full, then with shorter sources, with none, with the first of very many predictors, and last
    with the middle of long texts left out, since a name may be longer than a page."""
    yield facts
    short = [replace(p, source=_cut(p.source, CUT_SOURCE)) for p in facts.predictors]
    yield replace(facts, predictors=short)
    bare = [replace(p, source=p.source if len(p.source) <= SHORT else ON_NOISE) for p in facts.predictors]
    yield replace(facts, predictors=bare)
    names = [replace(p, name=_cut(p.name, 40)) for p in bare[:MOST_VARIABLES]]
    more = len(bare) - MOST_VARIABLES
    rest = [Predictor(f"{more} more predictors", "stand on the Model facts page only", "")] if more > 0 else []
    few = replace(facts, predictors=[*names, *rest])
    yield few
    for most in SHORTENED:
        yield _shortened(few, most)


def _shortened(facts: Facts, most: int) -> Facts:
    return replace(
        facts,
        heading=shortened(facts.heading, most),
        under=shortened(facts.under, max(most, SHORTENED[1])),
        sections=[
            (heading, [(label, shortened(text, most)) for label, text in rows]) for heading, rows in facts.sections
        ],
        predictors=[Predictor(*(shortened(text, most) for text in astuple(p))) for p in facts.predictors],
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "…"


def _blocks(facts: Facts, size: float) -> list[Block]:
    head = Block(
        lambda: f"<div><h1>{esc(facts.heading)}</h1><p>{esc(facts.under)}</p></div>",
        lambda at: height_of([facts.heading], WIDTH, at * 1.8) + height_of([facts.under], WIDTH, at),
    )
    foot = Block(
        lambda: '<div class="rule">' + "".join(f'<p class="second">{esc(text)}</p>' for text in facts.foot) + "</div>",
        lambda at: 6 + height_of(facts.foot, WIDTH, at),
    )
    return [head, _sections(facts.sections, size), _performance(facts, size), _predictors(facts.predictors), foot]


def _sections(sections: Sequence[tuple[str, Rows]], size: float) -> Block:
    """The sections in two columns of nearly the same height, in order."""
    pieces = [_section(heading, rows) for heading, rows in sections]

    def heights(cut: int, at: float) -> tuple[float, float]:
        return sum(piece.tall(at) for piece in pieces[:cut]), sum(piece.tall(at) for piece in pieces[cut:])

    cut = min(range(len(pieces) + 1), key=lambda k: max(heights(k, size)))

    def html() -> str:
        left, right = ("".join(piece.html() for piece in part) for part in (pieces[:cut], pieces[cut:]))
        return f'<div class="row rule" style="gap:{BETWEEN:.0f}px"><div>{left}</div><div>{right}</div></div>'

    return Block(html, lambda at: 6 + max(heights(cut, at)))


def _section(heading: str, rows: Rows) -> Block:
    def html() -> str:
        lines = "".join(f"<p><b>{esc(label)}:</b> {esc(text)}</p>" for label, text in rows)
        return f'<section style="margin-bottom:6px"><h2>{esc(heading)}</h2>{lines}</section>'

    def height(size: float) -> float:
        return size * 1.1 * LINE + 6 + height_of([f"{label}: {text}" for label, text in rows], HALF, size * 1.02)

    return Block(html, height)


def _performance(facts: Facts, size: float) -> Block:
    """The figures on patients left out, the reliability picture, and how they were got, side by side."""
    head = f"<h2>{esc(PERFORMANCE)}</h2>"
    if not facts.performance:
        alone = f'<section class="rule">{head}<p>{esc(facts.method)}</p></section>'
        return Block(lambda: alone, lambda at: at * 1.1 * LINE + 6 + height_of([facts.method], WIDTH, at))
    picture, scale = reliability_svg(facts.bins), 0.8
    wide, tall = (side * scale for side in svg_size(picture))
    room = WIDTH - TABLE - wide - 2 * BETWEEN

    def html() -> str:
        cells = [(esc(name), esc(value), esc(interval)) for name, value, interval in facts.performance]
        rows = "".join(f"<tr><td>{a}</td><td><b>{b}</b></td><td>{c}</td></tr>" for a, b, c in cells)
        titles = "<thead><tr><th>Measure</th><th>Value</th><th>95 % interval</th></tr></thead>"
        table = f'<table style="white-space:nowrap;overflow-wrap:normal">{titles}<tbody>{rows}</tbody></table>'
        return (
            f'<section class="rule">{head}<div style="display:flex;gap:{BETWEEN:.0f}px">'
            f'<div style="flex:none;width:{TABLE:.0f}px">{table}</div>'
            f'<figure style="flex:none;width:{wide:.0f}px">{inline_svg(picture, scale, size)}</figure>'
            f'<p style="flex:1;min-width:0">{esc(facts.method)}</p></div></section>'
        )

    def height(at: float) -> float:
        measures = (len(facts.performance) + 1) * (at * LINE + 1.5) + 2
        return at * 1.1 * LINE + 6 + max(measures, tall, height_of([facts.method], room, at))

    return Block(html, height)


def _predictors(predictors: Sequence[Predictor]) -> Block:
    """Every predictor in one running column beside the other."""
    texts = [_predictor_text(p) for p in predictors]
    columns = 2
    style = f"columns:{columns};column-gap:{BETWEEN:.0f}px"

    def html() -> str:
        told = "".join(
            f"<p><b>{esc(p.name)}</b> {esc(p.told)}"
            + (f'; <span{"" if p.error == EXACT else MARKED}>{esc(p.error)}</span>' if p.error else "")
            + (f' <span class="second">({esc(p.source)})</span>' if p.source else "")
            + "</p>"
            for p in predictors
        )
        return f'<section class="rule"><h2>Predictors</h2><div style="{style}">{told}</div></section>'

    def height(size: float) -> float:
        each = [height_of([text], HALF, size * 1.03) for text in texts]
        return size * 1.1 * LINE + 8 + sum(each) / columns + max(each, default=0.0)

    return Block(html, height)


def _predictor_text(p: Predictor) -> str:
    return f"{p.name} {p.told}; {p.error} ({p.source})"
