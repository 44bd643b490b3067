"""The report on one patient: one printed page that says what the Patient page says.

In: sentences, readings and pictures as the Patient page shows them. Out: one self-contained HTML page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.draw.printed import (
    GAP,
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
    paragraphs,
    shortened,
    svg_size,
    total,
)
from engine.draw.sheet import esc

TITLE = "Penumbra: report on one patient"
COLUMNS, BETWEEN, INSIDE, MARKS = 3, 12.0, 18.0, 200.0
SMALLEST, LARGEST = 0.62, 0.92  # scale of the picture of the tree: below it nobody reads it, above it nothing is gained
MOST_LISTED, MOST_STEPS, FEWEST = (60, 24), 24, 8
MOST_SAID, SAID = 6, ("warnings", "sentences", "remarks")  # sentences of a kind, where names are endless


@dataclass(frozen=True)
class Reading:
    """One reading in words: its name, value with unit, σ, training range, and what is wrong with it, "" for nothing."""

    name: str
    value: str
    error: str
    range: str
    flag: str = ""
    asked: bool = True

    @property
    def under(self) -> str:
        """The second line: its σ and the training patients' range."""
        return "; ".join(filter(None, (self.error, self.range)))


@dataclass(frozen=True)
class Card:
    """One card of the Patient page, its picture as SVG, "" for none."""

    title: str
    key: str
    sentence: str
    svg: str = ""


@dataclass(frozen=True)
class Report:
    """Everything the report says, in the Patient page's own words.

    Attributes
    ----------
    finding, agree : the answer or why there is none; how many plausible true states agree.
    warnings, sentences, remarks : what may be wrong, what the figures are, what else must be said.
    marks : the hundred marks, "" where none are known. over_marks : what stands over them, or in their place.
    pictures : of the way through the tree, the fullest first; the first that can be read at the size there is room for
        is printed, else `steps`, the path in words.
    cards : stability, nearest change, what to repeat, ways to evaluate. caveats : what the figures mean.
    facts : the model in brief, (label, text). foot : software, date, fingerprint, intended use.
    """

    finding: str
    agree: str
    warnings: Sequence[str]
    sentences: Sequence[str]
    remarks: Sequence[str]
    over_marks: str
    marks: str
    readings: Sequence[Reading]
    pictures: Sequence[str]
    steps: Sequence[str]
    cards: Sequence[Card]
    caveats: Sequence[str]
    facts: Sequence[tuple[str, str]]
    foot: Sequence[str]


def report_html(report: Report) -> str:
    """Return the report as one HTML page that prints on one sheet of A4 or Letter."""
    for candidate, listed in _candidates(_shortened(report, MOST_LETTERS)):
        for size in SIZES if listed else [size for size in SIZES if size >= LEAST_GOOD]:
            blocks = _blocks(candidate, size)
            if blocks is not None:
                return document(TITLE, blocks, size)
    blocks = _blocks(candidate, SIZES[-1], forced=True)
    return document(TITLE, blocks or [], SIZES[-1])


def _candidates(report: Report) -> Iterator[tuple[Report, bool]]:
    """Yield what could be printed, the fullest first, and whether small type is allowed."""
    apart, words_alone = _set_apart(report.readings), replace(report, pictures=())
    for pictures in [*([picture] for picture in report.pictures), []]:
        yield replace(report, pictures=pictures), False
        yield replace(report, pictures=pictures, readings=apart), False
    yield words_alone, True
    last = replace(words_alone, readings=apart, cards=[replace(card, svg="") for card in report.cards])
    yield last, True
    for most in MOST_LISTED:
        yield replace(last, readings=_first(apart, most), steps=_few_steps(report.steps, MOST_STEPS)), True
    said = {name: getattr(last, name)[:MOST_SAID] for name in SAID}
    for letters, most in [*((letters, MOST_LISTED[-1]) for letters in SHORTENED), (SHORTENED[-1], FEWEST)]:
        less = _shortened(replace(last, **said), letters)
        yield replace(less, readings=_first(less.readings, most), steps=_few_steps(less.steps, most)), True


def _set_apart(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Return the readings with those that bear on nothing and are not odd as one running line."""
    plain = [r for r in readings if not r.asked and not r.flag]
    if len(plain) < 2:
        return readings
    text = "; ".join(f"{r.name} {r.value} ({r.under})" for r in plain)
    return [r for r in readings if r not in plain] + [Reading("Not asked by the tree", "", text, "", asked=False)]


def _first(readings: Sequence[Reading], most: int) -> Sequence[Reading]:
    """Return the first readings of very many, and that there are more."""
    kept = [replace(r, error=_cut(r.error, 600)) for r in readings[:most]]
    over = len(readings) - most
    return [*kept, Reading("", f"{over} more readings stand on the Patient page only.", "", "")] if over > 0 else kept


def _few_steps(steps: Sequence[str], most: int) -> Sequence[str]:
    over = len(steps) - most
    return [*steps[:most], f"{over} more splits stand on the Patient page only."] if over > 0 else steps


def _shortened(report: Report, most: int) -> Report:
    """Return the report with the middle of long texts left out, since a name may be longer than a page."""

    def short(text: str) -> str:
        return shortened(text, most)

    return replace(
        report,
        finding=short(report.finding),
        agree=short(report.agree),
        warnings=[short(text) for text in report.warnings],
        sentences=[short(text) for text in report.sentences],
        remarks=[short(text) for text in report.remarks],
        over_marks=short(report.over_marks),
        readings=[
            Reading(short(r.name), short(r.value), short(r.error), short(r.range), short(r.flag), r.asked)
            for r in report.readings
        ],
        steps=[short(text) for text in report.steps],
        cards=[
            replace(card, title=short(card.title), key=short(card.key), sentence=short(card.sentence))
            for card in report.cards
        ],
        facts=[(label, short(text)) for label, text in report.facts],
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "… and more on the Patient page"


def _blocks(report: Report, size: float, forced: bool = False) -> list[Block] | None:
    """Return the page's blocks at a type size, None when they do not fit; the picture takes the room that is left."""
    above = [_head(report, size), *([paragraphs(report.warnings, "flag")] if report.warnings else [])]
    above += [paragraphs(report.remarks)] if any(report.remarks) else []
    above.append(_readings(report.readings))
    below = [_cards(report.cards, size), _foot(report)]
    rest = total([*above, *below], size) + GAP
    if report.pictures:
        way = _picture(report.pictures[0], HEIGHT - rest, size)
    else:
        way = _steps(report.steps)
        way = way if forced or rest + way.tall(size) <= HEIGHT else None
    return None if way is None else [*above, way, *below]


def _head(report: Report, size: float) -> Block:
    """The answer with its figures, and beside it the hundred marks."""
    wide, tall = svg_size(report.marks)
    scale = MARKS / wide if wide else 0.0
    room = WIDTH - MARKS - 20

    def html() -> str:
        texts = "".join(f"<p>{esc(text)}</p>" for text in report.sentences)
        over = f"<p>{esc(report.over_marks)}</p>" if report.over_marks else ""
        marks = inline_svg(report.marks, scale, size) if report.marks else ""
        finding, agree = f"<h1>{esc(report.finding)}</h1>", f'<p class="big">{esc(report.agree)}</p>'
        return (
            f'<div class="row" style="gap:20px"><div>{finding}{agree}{texts}</div>'
            f'<figure style="flex:none;width:{MARKS:.0f}px">{over}{marks}</figure></div>'
        )

    def height(at: float) -> float:
        said = height_of([report.finding], room, at * 1.8) + height_of([report.agree], room, at * 1.3)
        beside = height_of([report.over_marks], MARKS, at) if report.over_marks else 0.0
        return max(said + height_of(report.sentences, room, at), beside + tall * scale)

    return Block(html, height)


def _readings(readings: Sequence[Reading]) -> Block:
    """The readings in columns; one without a value is a running text over the whole width."""
    cells = [r for r in readings if r.value]
    running = [r for r in readings if not r.value]
    column = (WIDTH - BETWEEN * (COLUMNS - 1)) / COLUMNS
    rows = [cells[k : k + COLUMNS] for k in range(0, len(cells), COLUMNS)]

    def html() -> str:
        told = "".join(f"<div>{_cell(r)}</div>" for r in cells)
        style = f"display:grid;grid-template-columns:repeat({COLUMNS},minmax(0,1fr));gap:3px {BETWEEN:.0f}px"
        grid = f'<div style="{style}">{told}</div>'
        text = "".join(f'<p class="second">{esc(r.name)}: {esc(r.error)}.</p>' for r in running)
        return f'<section class="rule"><h2>Readings</h2>{grid}{text}</section>'

    def height(size: float) -> float:
        tall = [max(_cell_height(r, column, size) for r in row) + 3 for row in rows]
        return size * 1.1 * LINE + 8 + sum(tall) + height_of([f"{r.name}: {r.error}." for r in running], WIDTH, size)

    return Block(html, height)


def _cell(reading: Reading) -> str:
    style = "unsure" if reading.error.startswith("±") else "second"
    first = f"<p>{esc(reading.name)} <b>{esc(reading.value)}</b></p>"
    parts = [f'<span class="{style}">{esc(reading.error)}</span>'] if reading.error else []
    parts += [f'<span class="second">{esc(reading.range)}</span>'] if reading.range else []
    under = f"<p>{'; '.join(parts)}</p>" if parts else ""
    return first + under + (f'<p class="flag">{esc(reading.flag)}</p>' if reading.flag else "")


def _cell_height(reading: Reading, width: float, size: float) -> float:
    texts = [f"{reading.name} {reading.value} ", reading.under, reading.flag]
    return height_of([text for text in texts if text], width - 10, size * 1.03)


def _picture(svg: str, room: float, size: float) -> Block | None:
    """The picture of the way through the tree in the room that is left, None when it could not be read there."""
    wide, tall = svg_size(svg)
    scale = min(LARGEST, WIDTH / wide, (room - 12) / tall)
    if scale < SMALLEST:
        return None
    style = "display:flex;justify-content:center"

    def html() -> str:
        return f'<figure class="rule" style="{style}">{inline_svg(svg, scale, size)}</figure>'

    return Block(html, partial(_fixed, tall * scale + 6))


def _fixed(tall: float, _: float) -> float:
    return tall


def _steps(steps: Sequence[str]) -> Block:
    """The path of the reading in words, one split a line."""

    def html() -> str:
        lines = "".join(f"<p>{esc(text)}</p>" for text in steps)
        return f'<section class="rule"><h2>The path of the reading</h2>{lines}</section>'

    return Block(html, lambda size: size * 1.1 * LINE + 6 + height_of(steps, WIDTH, size))


def _cards(cards: Sequence[Card], size: float) -> Block:
    """The cards side by side, their pictures at the width they have."""
    room = (WIDTH - BETWEEN * (len(cards) - 1)) / len(cards) - INSIDE
    sizes = [svg_size(card.svg) for card in cards]
    scales = [min(1.0, room / wide) if wide else 0.0 for wide, _ in sizes]
    drawn = [tall * scale for (_, tall), scale in zip(sizes, scales, strict=True)]

    def html() -> str:
        told = []
        for card, scale in zip(cards, scales, strict=True):
            figure = f'<figure style="margin-top:4px">{inline_svg(card.svg, scale, size)}</figure>' if card.svg else ""
            text = f'<p>{esc(card.title)}</p><p class="big"><b>{esc(card.key)}</b></p>'
            text += f'<p class="second">{esc(card.sentence)}</p>'
            told.append(f'<div class="card">{text}{figure}</div>')
        return f'<div class="row">{"".join(told)}</div>'

    def height(at: float) -> float:
        tall = [
            height_of([card.title, card.sentence], room, at) + height_of([card.key], room, at * 1.38) + picture
            for card, picture in zip(cards, drawn, strict=True)
        ]
        return max(tall) + 20

    return Block(html, height)


def _foot(report: Report) -> Block:
    """What the figures mean, beside the model in brief; then software, fingerprint, lines to fill in, intended use."""
    left, right = 0.36 * WIDTH, 0.64 * WIDTH - 16

    def html() -> str:
        meaning = "".join(f"<p>{esc(text)}</p>" for text in report.caveats)
        facts = "".join(f"<p><b>{esc(label)}</b> {esc(text)}</p>" for label, text in report.facts)
        foot = "".join(f'<p class="second">{esc(text)}</p>' for text in report.foot)
        lines = ("Patient, by hand", "Signed")
        by_hand = "".join(f'<span>{name}</span><span class="by-hand"></span>' for name in lines)
        return (
            f'<section class="rule"><div class="row" style="gap:16px"><div style="flex:none;width:{left:.0f}px">'
            f"<h2>Caveats</h2>{meaning}</div><div><h2>The model in brief</h2>{facts}</div></div>"
            f'<div style="display:flex;gap:8px;margin:6px 0 4px">{by_hand}</div>{foot}</section>'
        )

    def height(size: float) -> float:
        told = [f"{label} {text}" for label, text in report.facts]
        beside = max(height_of(report.caveats, left, size), height_of(told, right, size * 1.02))
        return 6 + size * 1.1 * LINE + beside + size * LINE + 12 + height_of(report.foot, WIDTH, size)

    return Block(html, height)
