"""Small pictures of one patient: plausible true states, shares, nearest change, what to repeat, ways to evaluate.

In: a case and the reader's view. Out: SVG text for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.case import WORTH_REPEATING
from engine.draw.picture import Scale
from engine.draw.sheet import (
    View,
    box,
    dot,
    fill,
    fit,
    hatched,
    letter,
    line,
    sheet,
    stroke,
    text_width,
    titled,
    words,
    wrapped,
)  # fmt: skip
from engine.evidence import round_to_total
from engine.export import leaf_names
from engine.number_words import difference_unit, number_text, probability_text, share_text
from engine.tree import Tree

ROW = 44.0
FAR = 1e6  # σ: beyond it the axis ends
EVALUATIONS = ("hard", "soft", "coherent", "zone", "deferred")


def hundred_counts(answer_shares: Sequence[tuple[Any, float]]) -> list[tuple[Any, int]]:
    """Return whole numbers of a hundred plausible true states by answer, by the largest remainder."""
    counts = round_to_total([max(share, 0.0) for _, share in answer_shares], 100)
    return [(answer, count) for (answer, _), count in zip(answer_shares, counts, strict=True)]


def _mark(answer: Any, view: View, x: float, y: float, size: float) -> str:
    """The mark of an answer: the first class a square, others discs, abstention a struck ring, a set a plain ring."""
    place, r = view.class_index(answer), size / 2
    if place is None:
        ring, slant = dot(x, y, r - 0.65, "none", "var(--third)", 1.3), r * 0.66
        ends = f'x1="{x - slant:.1f}" y1="{y + slant:.1f}" x2="{x + slant:.1f}" y2="{y - slant:.1f}"'
        return ring + (f'<line {ends} stroke="var(--third)" stroke-width="1.3"/>' if answer is None else "")
    mark = box(x - r, y - r, size, size, fill(0)) if place == 0 else dot(x, y, r, fill(place), "none", 0)
    return mark + (words(x, y + 4, letter(place), "m b mark") if view.several and size >= 12 else "")


def hundred_marks_svg(answer_shares: Sequence[tuple[Any, float]], view: View, *, width: float = 256) -> str:
    """Return a hundred marks, one for each plausible true state, and the count of every answer.

    The patient's own answer is expected first; abstentions come first when it abstains.
    """
    counts, columns, gap = hundred_counts(answer_shares), 20, width / 20
    size = min(gap - (0.8 if view.several else 3.2), 13.0)  # a letter needs the room
    drawn, place = [], 0
    for answer, count in counts:
        for _ in range(count):
            drawn.append(_mark(answer, view, (place % columns + 0.5) * gap, (place // columns + 0.5) * gap, size))
            place += 1
    x, y = 2.0, math.ceil(100 / columns) * gap + 16
    met = {view.class_index(answer) for answer, _ in counts}  # a set of one class is that class
    listed = counts + [(c, 0) for k, c in enumerate(view.classes) if k not in met and len(view.classes) <= 3]
    for answer, count in listed:
        word = "abstain" if answer is None else view.answer(answer)
        text = f"{count} {word}"
        text = fit(text, width - 20)
        if x + 16 + text_width(text) > width and x > 2:
            x, y = 2.0, y + 18
        drawn += [_mark(answer, view, x + 5, y - 4, 9), words(x + 14, y, text, "i2")]
        x += 26 + text_width(text)
    label = "Of 100 plausible true states: " + ", ".join(
        f"{count} {'abstain' if answer is None else view.answer(answer)}" for answer, count in counts
    )
    return sheet(width, y + 6, drawn, label, role="img")


def stability_bars_svg(tree: Tree, case: Any, view: View, *, width: float = 184, rows: int = 4) -> str:
    """Return the leaves the true patient may be in, by falling share; the leaf of the reading is bold.

    A naive Bayes leaf answers by each patient's readings, so its bar is a share of patients and names no answer.
    """
    order = np.argsort(-np.asarray(case.shares), kind="stable")
    chosen = [int(place) for place in order if case.shares[place] >= 0.005][:rows] or [int(order[0])]
    bar, right = width * 0.55, width - 42
    drawn, called = [], leaf_names(tree)
    for row, place in enumerate(chosen):
        y, share = 14.0 + 22 * row, float(case.shares[place])
        answer = case.leaf_answers[place] if len(case.leaf_answers) else view.leaf_answers[place]
        text = called[int(tree.leaves[place])]
        text += "" if tree.has_bayes else f", {'abstains' if answer is None else view.answer(answer)}"
        here = float(case.reach_hard[tree.leaves[place]]) > 0
        drawn.append(titled(words(0, y, fit(text, bar - 6, 12, here), "b" if here else ""), text))
        drawn.append(box(bar, y - 9, right - bar, 8, "var(--hair)", round_=1))
        paint = None if tree.has_bayes else view.class_index(answer)
        drawn.append(
            box(
                bar,
                y - 9,
                max((right - bar) * share, 1),
                8,
                "var(--third)" if paint is None else fill(paint),
                round_=1,
            )
        )
        drawn.append(words(width, y, share_text(share), "e"))
    rest = 1.0 - sum(float(case.shares[place]) for place in chosen)
    y = 14.0 + 22 * len(chosen)
    if len(order) > len(chosen) and rest >= 0.005:
        drawn.append(words(0, y, f"other leaves together {share_text(rest)}", "i2"))
        y += 22
    return sheet(width, y - 6, drawn, f"Stability {probability_text(case.stability)}: shares of the leaves")


def _ruled(scale: Scale, ticks: Sequence[float], texts: Sequence[str], bottom: float) -> list[str]:
    """Hairlines from top to bottom at the ticks, their figures below."""
    drawn = []
    for tick, text in zip(ticks, texts, strict=True):
        half = text_width(text) / 2
        x = min(max(scale(tick), half), scale.right + 6 - half)
        drawn += [line(scale(tick), 4, scale(tick), bottom, "hair"), words(x, bottom + 14, text, "i3 m halo")]
    return drawn


def _named(name: str, text: str, y: float, width: float) -> list[str]:
    """A variable's name in bold, and under it what is told of it; both over the whole width, so that neither is cut."""
    head = titled(words(0, y, fit(name, width, 12, True), "b halo"), name)
    return [head, words(0, y + 15, fit(text, width), "i2 halo")]


def nearest_first(case: Any, spread: Mapping[str, float] | None = None) -> list[str]:
    """Return the readings whose change alters the answer shown: noisy ones by their change in σ, then exact ones.

    Parameters
    ----------
    spread : a scale by variable, such as the training SD, in which changes of exact readings can be compared.
    """
    scales = spread or {}

    def far(name: str) -> tuple[float, float]:
        change, sigma = abs(float(case.nearest_shown_change[name])), float(case.sigma.get(name, 0.0))
        scale = float(scales.get(name, 0.0)) or 1.0
        return (change / sigma if sigma > 0 else math.inf, change / scale)

    return sorted((name for name, change in case.nearest_shown_change.items() if change is not None), key=far)


def nearest_change_svg(
    case: Any, view: View, *, spread: Mapping[str, float] | None = None, width: float = 184, rows: int = 4
) -> str:
    """Return the smallest change of each reading that alters the answer, in units of σ; exact readings in words.

    Parameters
    ----------
    spread : as for `nearest_first`.
    """
    names = nearest_first(case, spread)
    changes = {name: float(case.nearest_shown_change[name]) for name in names}
    steps = {n: abs(changes[n]) / case.sigma[n] for n in names if case.sigma.get(n, 0) > 0}
    exact = [n for n in names if n not in steps]
    ordered = list(steps)[:rows]
    span = float(math.ceil(min(max([2.0, *(steps[name] for name in ordered)]), FAR)))
    scale, y = Scale(0, span, 5, width - 6), 12.0
    drawn: list[str] = []
    if ordered:
        ticks = sorted({0.0, float(round(span / 2)), span})
        drawn += _ruled(scale, ticks, [f"{tick:g} σ" for tick in ticks], ROW * len(ordered))
    for name in ordered:
        drawn += _named(view.variable(name), f"{_signed(name, changes[name], view)}, {_steps(steps[name])}", y, width)
        drawn.append(stroke(scale(0), y + 24, scale(steps[name]), "var(--control)", 2))
        drawn.append(dot(scale(steps[name]), y + 24, 4, "var(--control)", "none", 0))
        y += ROW
    y += 20 if ordered else 0
    told = [
        (view.variable(n), f"{_signed(n, changes[n], view)} (exact)", " ") for n in exact[: max(rows - len(ordered), 1)]
    ]
    categories = [(n, c) for n, c in (case.nearest_shown_category or {}).items() if c is not None]
    told += [(view.variable(n), str(category), ": ") for n, category in categories[:rows]]
    for name, change, between in told:
        text = f"{name}{between}{change}"
        if text_width(text) <= width:
            drawn.append(titled(words(0, y, text, ""), text))
        else:  # on paper nothing can be pointed at, so a long name must not push the change out
            drawn.append(titled(words(0, y, fit(name, width), ""), text))
            y += 15
            drawn.append(titled(words(0, y, fit(change, width), "i2"), text))
        y += 18
    if not drawn:
        drawn.append(words(0, y, fit("No single change alters the answer.", width), "i2"))
        y += 18
    return sheet(width, y - 4, drawn, "Nearest change of each reading that alters the answer")


def _steps(steps: float) -> str:
    """A change in σ: two decimals, or that it is far beyond the axis."""
    return f"{steps:.2f} σ" if steps <= FAR else "over a million σ"


def _signed(name: str, change: float, view: View) -> str:
    """A change with its sign and unit: "+6.5 points", "−0.4 mg/dL"."""
    size = f"{'+' if change > 0 else ''}{number_text(change, 3)}"
    return f"{size} {difference_unit(str(view.units.get(name, '') or ''), size=size)}".rstrip()


def repeat_svg(case: Any, view: View, *, width: float = 184, rows: int = 4) -> str:
    """Return the certainty now and after repeating each measurement; gains under 0.005 are told in words."""
    ranked = sorted(case.repeat_advice.items(), key=lambda pair: -pair[1])
    shown = [(name, gain) for name, gain in ranked if gain >= WORTH_REPEATING][:rows]
    drawn: list[str] = []
    now, y = float(case.certainty), 12.0
    if shown:
        low = math.floor((now - 0.02) * 10) / 10
        high = min(1.0, math.ceil((now + shown[0][1] + 0.02) * 10) / 10)
        scale = Scale(low, max(high, low + 0.1), 8, width - 9)
        tenths = round((scale.high - scale.low) * 10)
        ticks = [float(tick) for tick in np.linspace(scale.low, scale.high, 2 if tenths > 4 else tenths + 1)]
        drawn += _ruled(scale, ticks, [f"{tick:.1f}" for tick in ticks], ROW * len(shown))
    for name, gain in shown:
        after = min(now + gain, 1.0)
        drawn += _named(view.variable(name), f"{probability_text(now)} → {probability_text(after, now)}", y, width)
        a, b = scale(now), scale(after)
        drawn.append(stroke(a, y + 24, b, "var(--unsure)", 3.5))
        drawn.append(dot(a, y + 24, 4, "var(--card)", "var(--unsure)", 1.6))
        drawn.append(dot(b, y + 24, 4.6, "var(--unsure)", "none", 0))
        y += ROW
    y += 20 if shown else 0
    none = [view.variable(name) for name, gain in ranked if gain < WORTH_REPEATING]
    if none:
        y += 8 if shown else 0
        text = ("None would help" if not shown else "No gain") + f": {', '.join(none)}"
        for piece in wrapped(text, width, lines=3):
            drawn.append(titled(words(0, y, piece, "i2"), text))
            y += 16
        y += 2
    if not ranked:
        drawn.append(words(0, y, fit("Every reading is taken as exact.", width), "i2"))
        y += 18
    return sheet(width, y - 4, drawn, "Expected certainty after repeating a measurement")


def four_ways_svg(case: Any, view: View, *, width: float = 184) -> str:
    """Return P under each evaluation, with its range from measurement error, over the part that abstains."""
    k = int(np.argmax(case.probability)) if view.several else view.positive_index
    ways = [way for way in EVALUATIONS if way in case.probabilities]
    left, right = width * 0.34, width - 52
    scale, top, step = Scale(0, 1, left, right), 4.0, 20.0
    bottom = top + step * len(ways) + 2
    drawn = []
    own = next((way for way in ways if case.probabilities[way] is case.probability), "hard")
    if view.decision == "tau":
        low, high = (0.0, view.tau) if view.several else (1 - view.tau, view.tau)
        if high > low:
            drawn.append(hatched(scale(low), top, scale(high) - scale(low), bottom - top, rim=True))
            if right - left > text_width("abstains") + 24:
                half = text_width("abstains") / 2 + 8
                middle = min(max((scale(low) + scale(high)) / 2, left + half), right - half)
                drawn.append(words(middle, bottom + 15, "abstains", "i2 m"))
    for row, way in enumerate(ways):
        y, p = top + step * row + 11, float(case.probabilities[way][k])
        place = view.class_index(case.answers[way])
        drawn.append(line(left, y, right, y, "hair"))
        drawn.append(words(0, y + 4, way, "b" if way == own else ""))
        if way == "coherent":
            low, high = (scale(float(edge)) for edge in case.interval[k])
            drawn += [
                line(low, y, high, y, "cut"),
                line(low, y - 4, low, y + 4, "cut"),
                line(high, y - 4, high, y + 4, "cut"),
            ]
        drawn.append(dot(scale(p), y, 4.4, "var(--third)" if place is None else fill(place), width=1.2))
        drawn.append(words(width, y + 4, probability_text(p), "e"))
    drawn += [
        line(left, bottom, right, bottom, "axis"),
        words(left, bottom + 15, "0", "i3 m"),
        words(right, bottom + 15, "1", "i3 m"),
    ]
    return sheet(width, bottom + 20, drawn, f"P({view.lettered(k)}) under {len(ways)} ways to evaluate")
