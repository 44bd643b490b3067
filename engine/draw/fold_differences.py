"""One test of the table, opened: p as tested and after Holm, and the differences fold by fold as dots around zero.

In: a `Pair` of the reference and another variant, both as pictures name them. Out: a piece of SVG, and a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.comparison import Pair
from engine.draw.picture import Scale
from engine.draw.sheet import esc, fit, line, text_width, words
from engine.draw.variant_marks import Lettered
from engine.number_words import plain

WIDTH, EDGE, DOT, TALLEST = 310.0, 12.0, 5.0, 60.0
SHARED = "The interval allows for shared patients; p does not."


def p_value(p: float) -> str:
    """Return a p value without its letter: "0.36", "< 0.001"."""
    return "< 0.001" if p < 0.001 else plain(p, 3 if p < 0.1 else 2)


def signed(value: float, write: Callable[[float], str]) -> str:
    """Return a difference in words with its sign; one of percentages is in points."""
    text = write(abs(value)).replace(" %", " points")
    return text if not any(c in text for c in "123456789") else f"{'−' if value < 0 else '+'}{text}"


def parts(pair: Pair) -> tuple[int, int, int]:
    """Return in how many folds the second model is over the first, under it, and the same."""
    over = sum(round(d, 12) < 0 for d in pair.differences)
    under = sum(round(d, 12) > 0 for d in pair.differences)
    return over, under, len(pair.differences) - over - under


def mean_words(pair: Pair, write: Callable[[float], str]) -> str:
    """Return the mean difference, the second model less the first, with its interval."""
    mean = signed(-(pair.mean_difference or 0.0), write)
    if pair.interval is None:
        return f"mean {mean}"
    low, high = signed(-pair.interval[1], write), signed(-pair.interval[0], write)
    return f"mean {mean}, 95 % {low.removesuffix(' points')} to {high}"


def test_words(pair: Pair) -> str:
    """Return p as tested and after Holm's correction."""
    return f"p {p_value(pair.p_value)} as tested, {p_value(pair.adjusted_p)} after Holm"


def sentence(pair: Pair, reference: Lettered, other: Lettered, title: str, write: Callable[[float], str]) -> str:
    """Return the whole test as one sentence."""
    over, under, same = parts(pair)
    a, b = f"{reference.letter} {reference.name}", f"{other.letter} {other.name}"
    folds = f"of {n} folds" if (n := len(pair.differences)) > 1 else "of one fold"
    return (
        f"{title}, {b} less {a}: {mean_words(pair, write)}; {test_words(pair)}; {folds} {other.letter} is over "
        f"{reference.letter} in {over}, under in {under}, the same in {same}. {SHARED if pair.interval else ''}"
    ).strip()


def opened(
    pair: Pair, reference: Lettered, other: Lettered, title: str, write: Callable[[float], str]
) -> tuple[str, float, float]:
    """Return the test as a piece of SVG with its width and height: every fold a dot, the reference at the zero line."""
    over, under, same = parts(pair)
    values = [-d for d in pair.differences]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = 0.04 * (high - low) or 1.0
    across = Scale(low - room, high + room, EDGE, WIDTH - EDGE)
    rows = Counter(round((across(v) - EDGE) / DOT) for v in values)
    step = min(DOT, TALLEST / max(rows.values(), default=1))
    base = 48.0 + step * max(rows.values(), default=1)
    places = [(EDGE + DOT * column, base - 4 - step * k) for column, n in sorted(rows.items()) for k in range(n)]
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    zero = across(0.0)
    drawn = [
        words(EDGE, 18, fit(f"{title}: {other.letter} less {reference.letter}", WIDTH - 2 * EDGE, 12, True), "b"),
        words(EDGE, 36, fit(mean_words(pair, write), WIDTH - 2 * EDGE), "i2"),
        line(EDGE, base, WIDTH - EDGE, base, "axis"),
        line(zero, 44, zero, base + 5, "cut"),
        f'<path d="{dots}" stroke="var(--control)" stroke-width="{DOT - 0.6:g}" stroke-linecap="round"/>',
    ]
    ends = signed(low, write), signed(high, write)
    if low < 0:
        drawn.append(words(EDGE, base + 18, ends[0], "i3"))
    if high > 0:
        drawn.append(words(WIDTH - EDGE, base + 18, ends[1], "i3 e"))
    clear = (low == 0 or zero - EDGE > text_width(ends[0]) + 12) and (
        high == 0 or WIDTH - EDGE - zero > text_width(ends[1]) + 12
    )
    if clear:
        drawn.append(words(zero, base + 18, "0", "m i3"))
    folds = f"{len(values)} folds" if len(values) > 1 else "one fold"
    told = f"{folds}: {over} over {reference.letter}, {under} under, {same} the same"
    drawn.append(words(EDGE, base + 38, fit(told, WIDTH - 2 * EDGE)))
    drawn.append(words(EDGE, base + 56, fit(test_words(pair), WIDTH - 2 * EDGE), "b"))
    if pair.interval is not None:
        drawn.append(words(EDGE, base + 74, SHARED, "i2"))
    return "".join(drawn), WIDTH, base + (66 if pair.interval is None else 84)


def tested(
    pair: Pair, reference: Lettered, other: Lettered, title: str, write: Callable[[float], str],
    box: tuple[float, float, float, float], at: tuple[int, int], first: bool,
) -> str:  # fmt: skip
    """Return a place of the table that opens its test: box (x, y, width, height), row and column, one stop for Tab."""
    x, y, width, height = box
    body, wide, tall = opened(pair, reference, other, title, write)
    said = sentence(pair, reference, other, title, write)
    return (
        f'<g class="tested" role="button" tabindex="{0 if first else -1}" data-row="{at[0]}" data-column="{at[1]}" '
        f'aria-label="{esc(said)}"><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"/>'
        f'<g class="tip" data-width="{wide:.0f}" data-height="{tall:.0f}">{body}</g></g>'
    )
