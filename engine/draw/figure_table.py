"""The table of a comparison as a picture: every figure with its 95 % interval on its column's own scale, and its test.

In: a `Comparison`, its variants in order, which measures to show. Out: SVG, and the same as rows of text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.comparison import Comparison, Figure
from engine.draw.fold_differences import p_value, tested
from engine.draw.picture import Scale
from engine.draw.sheet import dot, fit, line, sheet, text_width, words
from engine.draw.variant_marks import Lettered, disc
from engine.number_words import plain

CERTAIN = 0.05
NAMES, ROW, HEAD = 150.0, 44.0, 40.0
NO_ZONE, NOT_IN_A = "no zone", "not in A"


def percent(value: float) -> str:
    """Return a figure from 0 to 1 in percent with one decimal."""
    return f"{plain(100 * value, 1)} %"


def seconds(value: float) -> str:
    """Return a time: milliseconds under a second."""
    return f"{plain(1000 * value, 0)} ms" if value < 1 else f"{plain(value, 1)} s"


@dataclass(frozen=True)
class Column:
    """One measure as the table shows it: its key in FIGURES, heading, the line under it, how a value is written.

    zones : defined for a variant with zones alone.
    """

    figure: str
    title: str
    under: str
    write: Callable[[float], str]
    zones: bool = False


COLUMNS = (
    Column("accuracy", "Accuracy", "all patients", percent),
    Column("abstention_rate", "Abstention", "P < τ", percent),
    Column("answered_accuracy", "Answered accuracy", "P ≥ τ", percent),
    Column("undecided_rate", "Undecided", "in a zone", percent, True),
    Column("decided_accuracy", "Decided accuracy", "outside zones", percent, True),
    Column("balanced_accuracy", "Balanced accuracy", "mean over classes", percent),
    Column("f1", "F1", "of the positive class", lambda v: plain(v, 3)),
    Column("brier", "Brier", "0 to 2, lower is better", lambda v: plain(v, 3)),
    Column("calibration_error", "Calibration error", "10 bins, lower is better", lambda v: plain(v, 3)),
    Column("leaves", "Leaves", "mean over trees", lambda v: plain(v, 1)),
    Column("depth", "Depth", "mean over trees", lambda v: plain(v, 1)),
    Column("fit_seconds", "Time", "to grow one tree", seconds),
)


@dataclass(frozen=True)
class Cell:
    """One figure in words: value, 95 % interval, what the test against the reference says, and whether it differs."""

    value: str
    interval: str
    test: str
    differs: bool = False


def p_text(p: float) -> str:
    """Return a p value: "p 0.36", "p < 0.001"."""
    return f"p {p_value(p)}"


def cell(
    found: Comparison, variant: str, reference: str, column: Column, zones: Mapping[str, bool] | None = None
) -> Cell:
    """Return one figure in words; the test is Wilcoxon's p as it stands, the mark is set after Holm's correction.

    `zones` says which variants have zones, all by default; a measure of zones is tested between two that have.
    """
    has_zone = {variant: True, reference: True} if zones is None or not column.zones else zones
    if not has_zone[variant]:
        return Cell(NO_ZONE, "", "")
    figure = found.figures[variant][column.figure]
    if figure.value is None:
        return Cell("undefined", "", "")
    span = (
        "" if figure.interval is None else f"{column.write(figure.interval[0])} to {column.write(figure.interval[1])}"
    )
    test = against(found, variant, reference, column) if has_zone[reference] else (NOT_IN_A, False)
    return Cell(column.write(figure.value), span, *test)


def against(found: Comparison, variant: str, reference: str, column: Column) -> tuple[str, bool]:
    """Return how a variant's figure stands to the reference's, and whether it differs after Holm's correction."""
    if variant == reference:
        return "reference", False
    pair = found.pair(column.figure, reference, variant)
    if pair.mean_difference is None:
        return NOT_IN_A, False
    if pair.adjusted_p >= CERTAIN:
        return f"= A, {p_text(pair.p_value)}", False
    return f"{'▼ under' if pair.mean_difference > 0 else '▲ over'} A, {p_text(pair.p_value)}", True


def adjusted(found: Comparison, variant: str, reference: str, column: Column) -> str:
    """Return p of the test against the reference after Holm's correction, "" for the reference itself."""
    return "" if variant == reference else p_text(found.pair(column.figure, reference, variant).adjusted_p)


def column_scale(figures: Sequence[Figure], left: float, right: float) -> Scale:
    """Return the column's own scale: over all its intervals, with a little room."""
    ends = [end for f in figures if f.value is not None for end in (f.interval or (f.value, f.value))]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    return Scale(low - room, high + room, left, right)


def table_rows(
    found: Comparison, variants: Sequence[Lettered], zones: Mapping[str, bool], names: Mapping[int, str]
) -> list[dict[str, str]]:
    """Return the whole table as rows of text, one a variant and measure."""
    reference = names[variants[0].place]
    rows = []
    for each in variants:
        for column in COLUMNS:
            told = cell(found, names[each.place], reference, column, zones)
            rows.append(
                {
                    "variant": each.said, "measure": f"{column.title} ({column.under})",
                    "value": told.value, "95 % interval": told.interval, "against A": told.test,
                    "p after Holm": adjusted(found, names[each.place], reference, column)
                    if told.test not in ("", NOT_IN_A) else "",
                }
            )  # fmt: skip
    return rows


def figure_table_svg(
    found: Comparison,
    variants: Sequence[Lettered],
    names: Mapping[int, str],
    zones: Mapping[str, bool],
    *,
    columns: Sequence[Column] = COLUMNS[:6],
    width: float = 980,
    notes: Mapping[str, str] | None = None,
    opens: bool = False,
) -> str:
    """Return the table as a picture.

    Parameters
    ----------
    variants : those with results, the reference first. names : {place: the study's name of the variant}.
    zones : {the study's name: whether the variant has zones}. notes : {name: a line under it}. opens : whether each
        test opens its differences fold by fold, for the page; a file has none.
    """
    share = (width - NAMES) / len(columns)
    tall = HEAD + ROW * len(variants) + 4
    drawn, told, tests = [], [], _Tests(found, variants, names)
    reference = names[variants[0].place]
    for k, column in enumerate(columns):
        x = NAMES + share * k
        drawn += [
            words(x, 14, fit(column.title, share - 6, 12, True), "b"),
            words(x, 30, fit(column.under, share - 6), "i2"),
        ]
        shown = [names[v.place] for v in variants if not column.zones or zones[names[v.place]]]
        figures = [found.figures[name][column.figure] for name in shown]
        widest = max((text_width(column.write(f.value), 14, True) for f in figures if f.value is not None), default=0.0)
        scale = column_scale(figures, x + widest + 14, x + share - 18)
        if figures and reference in shown and figures[0].value is not None and len(variants) > 1:
            at = scale(figures[0].value)
            drawn.append(line(at, HEAD + 10, at, tall - 12, "hair"))
        for row, variant in enumerate(variants):
            name, y = names[variant.place], HEAD + ROW * row
            said = cell(found, name, reference, column, zones)
            told.append(f"{variant.letter} {column.title} {said.value} {said.interval} {said.test}".strip())
            drawn += _cell(found.figures[name][column.figure], said, scale, x, y, share)
            if opens:
                tests.add(column, variant, said, (x - 4, y + 2, share - 6, ROW - 4), (row, k))
    for row, variant in enumerate(variants):
        y = HEAD + ROW * row
        more = (notes or {}).get(names[variant.place]) or variant.more
        drawn += [line(0, y, width, y, "hair"), disc(9, y + 18, variant.place)]
        drawn.append(words(26, y + 18, fit(variant.name, NAMES - 32, 14, True), "b z14"))
        drawn.append(words(26, y + 35, fit(more, NAMES - 30), "i2"))
    drawn.append(line(0, tall - 2, width, tall - 2, "hair"))
    return _sheet(width, tall, drawn, tests, told)


class _Tests:
    """The places of a table that open their test, as they are drawn."""

    def __init__(self, found: Comparison, variants: Sequence[Lettered], names: Mapping[int, str]) -> None:
        self.found, self.reference, self.names = found, variants[0], names
        self.drawn: list[str] = []

    def add(
        self, column: Column, variant: Lettered, said: Cell, box: tuple[float, float, float, float], at: tuple[int, int]
    ) -> None:
        """Add a test, unless a cell has none."""
        if variant == self.reference or not said.test or said.test == NOT_IN_A:
            return
        pair = self.found.pair(column.figure, self.names[self.reference.place], self.names[variant.place])
        first = not self.drawn
        self.drawn.append(tested(pair, self.reference, variant, column.title, column.write, box, at, first))


def _sheet(width: float, tall: float, drawn: Sequence[str], tests: _Tests, told: Sequence[str]) -> str:
    """Return a table as one picture, or as a group whose tests can be reached, the rest hidden behind its label."""
    label = f"Figures with 95 % intervals. {'; '.join(told)}."
    if not tests.drawn:
        return sheet(width, tall, drawn, label, role="img")
    return sheet(width, tall, [f'<g aria-hidden="true">{"".join(drawn)}</g>', *tests.drawn], label)


def _cell(figure: Figure, said: Cell, scale: Scale, x: float, y: float, share: float) -> list[str]:
    if said.value in (NO_ZONE, "undefined"):
        return [words(x, y + 18, said.value, "i2")]
    drawn = [words(x, y + 18, said.value, "b z14")]
    drawn.append(words(x, y + 35, fit(said.test, share - 4, 12, said.differs), "b" if said.differs else "i2"))
    if figure.interval is not None and all(map(math.isfinite, figure.interval)):
        low, high = scale(figure.interval[0]), scale(figure.interval[1])
        drawn.append(line(low, y + 14, high, y + 14, "cut"))
        drawn += [line(end, y + 10, end, y + 18, "cut") for end in (low, high)]
    if figure.value is not None:
        drawn.append(dot(scale(figure.value), y + 14, 3.6, "var(--ink)", "var(--ink)", 0.5))
    return drawn


def figure_cards_svg(
    found: Comparison,
    variants: Sequence[Lettered],
    names: Mapping[int, str],
    zones: Mapping[str, bool],
    *,
    columns: Sequence[Column] = COLUMNS,
    width: float = 340,
    notes: Mapping[str, str] | None = None,
    opens: bool = False,
) -> str:
    """Return the table turned, for a narrow screen: a card a variant, a line a measure; parameters as the table's."""
    reference, drawn, told, y = names[variants[0].place], [], [], 4.0
    scales, tests = {}, _Tests(found, variants, names)
    for column in columns:
        shown = [names[v.place] for v in variants if not column.zones or zones[names[v.place]]]
        scales[column] = column_scale([found.figures[name][column.figure] for name in shown], 0.66 * width, width - 6)
    for card, variant in enumerate(variants):
        name = names[variant.place]
        note = (notes or {}).get(name, "")
        room = width - 30 - (text_width(note) + 8 if note else 0)
        drawn += [disc(9, y + 10, variant.place), words(26, y + 15, fit(variant.name, room, 14, True), "b z14")]
        drawn += [words(width, y + 15, note, "i2 e")] if note else []
        y += 26
        for k, column in enumerate(columns):
            said = cell(found, name, reference, column, zones)
            told.append(f"{variant.letter} {column.title} {said.value} {said.interval} {said.test}".strip())
            drawn.append(line(0, y, width, y, "hair"))
            drawn.append(words(0, y + 15, fit(column.title, 0.44 * width)))
            drawn += _cell(found.figures[name][column.figure], said, scales[column], 0.44 * width, y - 3, 0.56 * width)
            drawn.append(words(0, y + 32, fit(column.under, 0.42 * width), "i2"))
            if opens:
                tests.add(column, variant, said, (0.44 * width - 4, y + 1, 0.56 * width + 2, 36), (card, k))
            y += 38
        y += 16
    return _sheet(width, y, drawn, tests, told)
