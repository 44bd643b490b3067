"""Small pictures of numbers: variables with their noise, a patient's shares, certainty and changes, gain curves.

In: arrays, a case, the reader's view. Out: SVG text for light and dark, or a plotly figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from engine.draw.picture import Scale, bell_points, class_bar, polyline
from engine.draw.sheet import (
    SHADES,
    View,
    box,
    dot,
    fill,
    fit,
    hatched,
    letter,
    line,
    sheet,
    text_width,
    titled,
    words,
)
from engine.evidence import TWO_SIDED_95, Evidence, axis_of, plain, round_to_total, shortest
from engine.export import branch_tests, number_text, percent_text, probability_text, share_text
from engine.tree import Tree

Sigma = float | Callable[[float], Any] | None
Curve = tuple[Any, Any]
WORTH_REPEATING = 0.005
EVALUATIONS = ("hard", "soft", "coherent", "zone", "deferred")


def _sigma_at(sigma: Sigma, x: float) -> float:
    return float(np.asarray(sigma(x))) if callable(sigma) else float(sigma or 0.0)


def _ends(low: float, high: float, decimals: int) -> tuple[str, str]:
    ends = (math.ceil(low - 1e-9), math.floor(high + 1e-9)) if decimals == 0 else (low, high)
    texts = [plain(end, decimals) for end in ends]
    return tuple(t.rstrip("0").rstrip(".") if "." in t else t for t in texts)  # type: ignore[return-value]


def stroke(x1: float, y: float, x2: float, paint: str, width: float) -> str:
    """Return a level stroke."""
    return f'<line x1="{x1:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y:.1f}" stroke="{paint}" stroke-width="{width:g}"/>'


def _bars(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    scale: Scale,
    step: float,
    top: float,
    base: float,
    origin: float,
) -> str:
    first, last = math.floor((scale.low - origin) / step), math.ceil((scale.high - origin) / step)
    edges = origin + step * np.arange(first, last + 1)
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges, weights=weights)
    tall = float(counts.max()) if counts.size else 0.0
    path = []
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        a, b = scale(float(low)), scale(float(high))
        if count > 0 and b - a > 0.2:
            inset = 0.4 if b - a > 3 else 0.0
            height = max(float(count) / tall * (base - top), 0.7)
            path.append(f"M{a + inset:.1f} {base:.1f}v{-height:.1f}H{b - inset:.1f}V{base:.1f}Z")
    return f'<path d="{"".join(path)}" fill="var(--grey-bar)"/>' if path else ""


def variable_svg(
    values: Any,
    thresholds: Sequence[float] = (),
    sigma: Sigma = None,
    *,
    weights: Any = None,
    width: float = 355,
    height: float | None = None,
    unit: str = "",
    name: str = "",
    decimals: int | None = None,
) -> str:
    """Return one variable: training histogram in grey, θ ± 1.96 σ in violet, a bell at each threshold.

    Parameters
    ----------
    values : (n,) readings, NaN missing. thresholds : the tree's, none draws the bell at the mean.
    sigma : σ in the variable's unit, or a function of the value; 0 or None is exact: no bell, no band.
    """
    column = np.asarray(values, dtype=np.float64)
    known = np.isfinite(column)
    share = np.ones(len(column)) if weights is None else np.asarray(weights, dtype=np.float64)
    cuts = sorted({float(t) for t in thresholds if math.isfinite(t)})
    axis = axis_of(column, cuts)
    places = cuts or ([float(column[known].mean())] if known.any() else [])
    sigmas = [_sigma_at(sigma, x) for x in places]
    noisy = any(s > 0 for s in sigmas)
    small = height is not None and height < 60
    tall = height if height is not None else 92.0 if noisy else 64.0
    lane = 20.0 if noisy and not small else 8.0 if noisy else 3.0
    base, scale = tall - 19, Scale(axis.low, axis.high, 1, width - 1)
    drawn = []
    for x, s in zip(places, sigmas, strict=True):
        if s > 0 and cuts:
            a, b = scale(x - TWO_SIDED_95 * s), scale(x + TWO_SIDED_95 * s)
            drawn.append(box(a, 2, b - a, base - 2, style="band"))
    drawn.append(
        _bars(
            column[known],
            share[known],
            scale,
            axis.step,
            lane + 2,
            base,
            cuts[0] if len(cuts) == 1 else axis.low,
        )
    )
    drawn.append(line(1, base, width - 1, base, "axis"))
    for x, s in zip(places, sigmas, strict=True):
        if s > 0:
            points = [p for p in bell_points(scale(x), scale.length(s), lane, lane - 3) if 0 <= p[0] <= width]
            drawn.append(f'<path d="{polyline(points)}" class="bell"/>' if len(points) > 1 else "")
        if cuts:
            drawn.append(line(scale(x), 2, scale(x), base, "cut"))
    shown = axis.decimals if decimals is None else decimals
    low, high = _ends(axis.low, axis.high, shown)
    low, high = ("≤ " if axis.below else "") + low, high + ("+" if axis.above else "")
    drawn += _cut_words([(x, scale(x), _short(x, shown, column[known])) for x in cuts], low, high, width, tall - 5)
    if not cuts and noisy:
        drawn.append(
            words(
                min(max(scale(places[0]), 60), width - 60),
                tall - 5,
                f"mean {number_text(places[0], 3)}",
                "i3 m",
            )
        )
    after = f" in {unit}" if unit else ""
    cut_words = ", ".join(_short(x, shown, column[known]) for x in cuts) or "not used by the tree"
    label = f"{name or 'Variable'}{after}: training values {low} to {high}; thresholds {cut_words}"
    return sheet(width, tall, drawn, label)


def _short(x: float, decimals: int, known: NDArray[np.float64]) -> str:
    """A threshold in few decimals that still part the same readings."""
    wanted = int((known <= x).sum())
    if decimals == 0 and abs(x - round(x)) > 1e-9 and abs(x) < 1000:
        decimals = 1
    return shortest(x, decimals, lambda cut: int((known <= cut).sum()) == wanted)


def _cut_words(cuts: Sequence[tuple[float, float, str]], low: str, high: str, width: float, y: float) -> list[str]:
    """Thresholds below the axis, neighbours joined with a comma rather than printed over each other."""
    groups: list[tuple[float, str]] = []
    for _, x, text in cuts:
        if groups and x - groups[-1][0] < text_width(groups[-1][1], 12, True) / 2 + text_width(text, 12, True) / 2 + 8:
            groups[-1] = (groups[-1][0] + (x - groups[-1][0]) / 2, f"{groups[-1][1]}, {text}")
        else:
            groups.append((x, text))
    drawn, left, right = [], width, 0.0
    for x, text in groups:
        text = fit(text, width, 12, True)
        half = text_width(text, 12, True) / 2
        x = min(max(x, half), width - half)
        left, right = min(left, x - half), max(right, x + half)
        drawn.append(words(x, y, text, "b m"))
    if left > text_width(low) + 4:
        drawn.append(words(1, y, low, "i3"))
    if right < width - text_width(high) - 4:
        drawn.append(words(width - 1, y, high, "i3 e"))
    return drawn


def category_svg(names: Sequence[str], counts: Sequence[float], *, width: float = 355, height: float = 64) -> str:
    """Return a nominal variable: one grey bar a category, named where there is room."""
    step, tall, base = width / max(len(names), 1), max([float(c) for c in counts] or [0]) or 1.0, height - 19
    drawn = []
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        top = base - max(float(count) / tall * (base - 4), 0.7 if count else 0)
        drawn.append(box(place * step + step * 0.12, top, step * 0.76, base - top, "var(--grey-bar)"))
        if step >= 26:
            drawn.append(titled(words((place + 0.5) * step, height - 5, fit(str(name), step - 3), "i3 m"), str(name)))
    drawn.append(line(0, base, width, base, "axis"))
    if step < 26:
        drawn.append(words(0, height - 5, f"{len(names)} categories", "i3"))
    told = ", ".join(f"{name} {count:g}" for name, count in list(zip(names, counts, strict=True))[:20])
    return sheet(width, height, drawn, f"Categories: {told}")


def field_strip_svg(
    values: Any,
    reading: float | None,
    sigma: float,
    *,
    width: float = 224,
    unit: str = "",
    decimals: int | None = None,
) -> str:
    """Return the strip under a reading's field: training histogram, the reading as a dot, ± 1.96 σ as a bar."""
    column = np.asarray(values, dtype=np.float64)
    column = column[np.isfinite(column)]
    axis = axis_of(column)
    scale, base = Scale(axis.low, axis.high, 5, width - 5), 17.0
    drawn = [
        _bars(column, np.ones(len(column)), scale, axis.step, 2, base, axis.low),
        line(5, base, width - 5, base, "axis"),
    ]
    known = reading is not None and math.isfinite(reading)
    if known and reading is not None:
        if sigma > 0:
            a, b = scale(reading - TWO_SIDED_95 * sigma), scale(reading + TWO_SIDED_95 * sigma)
            drawn.append(stroke(a, base, b, "var(--unsure)", 4))
        drawn.append(dot(scale(reading), base, 5, "var(--control)", width=1.5))
        outside = reading < float(column.min()) or reading > float(column.max()) if column.size else False
    else:
        outside = False
    shown = axis.decimals if decimals is None else decimals
    low, high = (plain(float(end), shown) for end in (column.min(), column.max())) if column.size else ("", "")
    middle = f"± {number_text(sigma, 4)} {unit}".rstrip() if sigma > 0 else "exact"
    middle = "missing" if not known else "outside the training range" if outside else middle
    style = "u b m" if sigma > 0 and known and not outside else "b m" if outside else "i2 m"
    room = width - text_width(low) - text_width(high) - 18
    drawn += [words(4, 34, low, "i3"), words(width - 4, 34, high, "i3 e")]
    drawn.append(words(width / 2, 34, fit(middle, room, 12, "b" in style.split()), style))
    return sheet(width, 38, drawn, f"Training values {low} to {high}; this reading {middle}")


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
    if place == 0:
        return box(x - r, y - r, size, size, fill(0))
    mark = dot(x, y, r, fill(place), "none", 0)
    return mark + (words(x, y + 4, letter(place), "m b mark") if view.several and size >= 12 else "")


def hundred_marks_svg(answer_shares: Sequence[tuple[Any, float]], view: View, *, width: float = 256) -> str:
    """Return a hundred marks, one for each plausible true state, and the count of every answer.

    The patient's own answer is expected first; abstentions come first when it abstains.
    """
    counts, columns, gap = hundred_counts(answer_shares), 20, width / 20
    size = min(gap - 3.2, 13.0)
    drawn, place = [], 0
    for answer, count in counts:
        for _ in range(count):
            drawn.append(_mark(answer, view, (place % columns + 0.5) * gap, (place // columns + 0.5) * gap, size))
            place += 1
    x, y = 2.0, math.ceil(100 / columns) * gap + 16
    met = [answer for answer, _ in counts]
    listed = counts + [(c, 0) for c in view.classes if c not in met and len(view.classes) <= 3]
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
    return sheet(width, y + 6, drawn, label)


def tau_strip_svg(tree: Tree, view: View, *, width: float = 208, marked: int | None = None) -> str:
    """Return every leaf at its best P, area as patients, over the hatched part under τ; a ring marks one leaf."""
    floor = 1.0 / max(len(tree.classes), 2)
    low = math.floor(floor * 10) / 10
    scale, y = Scale(low, 1.0, 8, width - 8), 14.0
    drawn = []
    if view.decision == "tau" and view.tau > low:
        drawn.append(hatched(scale(low), 4, scale(view.tau) - scale(low), 17))
    drawn.append(line(8, 23, width - 8, 23, "axis"))
    leaves = sorted((int(leaf) for leaf in tree.leaves), key=lambda leaf: -float(tree.weight[leaf]))
    heaviest = max(float(tree.weight[leaves[0]]), 1e-12)
    answers = dict(zip((int(leaf) for leaf in tree.leaves), view.leaf_answers, strict=False))
    for leaf in leaves:
        best = int(np.argmax(tree.probability[leaf]))
        radius = max(7.0 * math.sqrt(float(tree.weight[leaf]) / heaviest), 1.4)
        place = view.class_index(answers.get(leaf, tree.classes[best]))
        x = scale(float(tree.probability[leaf, best]))
        drawn.append(dot(x, y, radius, "var(--third)" if place is None else fill(place), width=0.8))
        if leaf == marked:
            drawn.append(dot(x, y, radius + 2.5, "none", "var(--control)", 2))
    drawn += [words(4, 39, f"{low:g}", "i3"), words(width - 4, 39, "1", "i3 e")]
    drawn.append(words(width / 2, 39, fit("each leaf at its best P", width - 50), "i2 m"))
    return sheet(width, 44, drawn, f"{tree.n_leaves} leaves at their best probability, τ {view.tau:.2f}")


def stability_bars_svg(tree: Tree, case: Any, view: View, *, width: float = 184, rows: int = 4) -> str:
    """Return the leaves the true patient may be in, by falling share; the leaf of the reading is bold."""
    order = np.argsort(-np.asarray(case.shares), kind="stable")
    chosen = [int(place) for place in order if case.shares[place] >= 0.005][:rows] or [int(order[0])]
    bar, right = width * 0.55, width - 42
    drawn = []
    for row, place in enumerate(chosen):
        y, share = 14.0 + 22 * row, float(case.shares[place])
        answer = case.leaf_answers[place] if len(case.leaf_answers) else view.leaf_answers[place]
        text = f"leaf {place + 1}, {'abstains' if answer is None else view.answer(answer)}"
        here = float(case.reach_hard[tree.leaves[place]]) > 0
        drawn.append(titled(words(0, y, fit(text, bar - 6, 12, here), "b" if here else ""), text))
        drawn.append(box(bar, y - 9, right - bar, 8, "var(--hair)", round_=1))
        paint = view.class_index(answer)
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


def nearest_change_svg(case: Any, view: View, *, width: float = 184, rows: int = 4) -> str:
    """Return the smallest change of each reading that alters the answer, in units of σ; exact readings in words."""
    changes = {name: change for name, change in case.nearest_change.items() if change is not None}
    noisy = {n: abs(c) / case.sigma[n] for n, c in changes.items() if case.sigma.get(n, 0) > 0}
    exact = [n for n in changes if n not in noisy]
    drawn: list[str] = []
    left = width * 0.31
    span = max(2.0, math.ceil(max(noisy.values(), default=0.0)))
    span = min(span, 1e6)
    scale, y = Scale(0, span, left, width - 10), 16.0
    ordered = sorted(noisy, key=lambda n: noisy[n])[:rows]
    height_of_axis = 16 + 38 * len(ordered)
    if ordered:
        ticks = sorted({0.0, float(round(span / 2)) if span >= 2 else span / 2, span})
        for tick in ticks:
            drawn.append(line(scale(tick), 4, scale(tick), height_of_axis - 8, "hair"))
            drawn.append(words(scale(tick), height_of_axis + 6, f"{tick:g} σ", "i3 m"))
    for name in ordered:
        unit, change = str(view.units.get(name, "") or ""), float(changes[name])
        drawn.append(titled(words(0, y + 4, fit(view.variable(name), left - 8, 12, True), "b"), view.variable(name)))
        end = scale(noisy[name])
        drawn.append(stroke(left, y, end, "var(--control)", 2))
        drawn.append(dot(end, y, 4, "var(--control)", "none", 0))
        text = f"{signed(change)} {unit}".rstrip() + f", {noisy[name]:.2f} σ"
        drawn.append(words(left + 4, y + 19, fit(text, width - left - 4), "i2"))
        y += 38
    if ordered:
        y += 18
    for name in exact[: max(rows - len(ordered), 1)]:
        unit = str(view.units.get(name, "") or "")
        text = f"{view.variable(name)} {signed(float(changes[name]))} {unit}".rstrip() + " (exact)"
        drawn.append(titled(words(0, y, fit(text, width), ""), text))
        y += 18
    for name, category in list((case.nearest_category or {}).items())[:rows]:
        if category is None:
            continue
        text = f"{view.variable(name)}: {category}"
        drawn.append(titled(words(0, y, fit(text, width), ""), text))
        y += 18
    if not drawn:
        drawn.append(words(0, y, fit("No single change alters the answer.", width), "i2"))
        y += 18
    return sheet(width, y - 6, drawn, "Nearest change of each reading that alters the answer")


def signed(change: float) -> str:
    """Return a change with its sign."""
    return ("+" if change > 0 else "") + number_text(change, 3)


def repeat_svg(case: Any, view: View, *, width: float = 184, rows: int = 4) -> str:
    """Return the certainty now and after repeating each measurement; gains under 0.005 are told in words."""
    ranked = sorted(case.repeat_advice.items(), key=lambda pair: -pair[1])
    shown = [(name, gain) for name, gain in ranked if gain >= WORTH_REPEATING][:rows]
    drawn: list[str] = []
    left, now, y = width * 0.31, float(case.certainty), 16.0
    if shown:
        low = math.floor((now - 0.02) * 10) / 10
        high = min(1.0, math.ceil((now + shown[0][1] + 0.02) * 10) / 10)
        scale = Scale(low, max(high, low + 0.1), left, width - 12)
        bottom = 16 + 38 * len(shown)
        for tick in np.linspace(
            scale.low,
            scale.high,
            2 if scale.high - scale.low > 0.45 else round((scale.high - scale.low) * 10) + 1,
        ):
            drawn.append(line(scale(float(tick)), 4, scale(float(tick)), bottom - 8, "hair"))
            drawn.append(words(scale(float(tick)), bottom + 6, f"{tick:.1f}", "i3 m"))
        for name, gain in shown:
            a, b = scale(now), scale(min(now + gain, 1.0))
            drawn.append(
                titled(words(0, y + 4, fit(view.variable(name), left - 8, 12, True), "b"), view.variable(name))
            )
            drawn.append(stroke(a, y, b, "var(--unsure)", 3.5))
            drawn.append(dot(a, y, 4, "var(--card)", "var(--unsure)", 1.6) + dot(b, y, 4.6, "var(--unsure)", "none", 0))
            text = f"{probability_text(now)} → {probability_text(min(now + gain, 1.0), now)}"
            drawn.append(words(left + 4, y + 19, text, "i2"))
            y += 38
        y += 18
    none = [view.variable(name) for name, gain in ranked if gain < WORTH_REPEATING]
    if none:
        y += 10 if shown else 0
        text = ("None would help" if not shown else "No gain") + f": {', '.join(none)}"
        drawn.append(titled(words(0, y, fit(text, width), "i2"), text))
        y += 18
    if not ranked:
        drawn.append(words(0, y, fit("Every reading is taken as exact.", width), "i2"))
        y += 18
    return sheet(width, y - 6, drawn, "Expected certainty after repeating a measurement")


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
            drawn.append(hatched(scale(low), top, scale(high) - scale(low), bottom - top))
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


def parts_svg(evidence: Evidence, node: int, view: View, *, width: float = 260) -> str:
    """Return the parts of a split (up to the range, in it, above it): patients, class mix, the positive share."""
    tree, counts, band = evidence.tree, evidence.split_counts(node), evidence.band(node)
    variable = int(tree.variable[node])
    names = tree.categories[variable]
    if names is not None:
        mixes = evidence.histogram(node).counts
        rounded = round_to_total([*(float(mix.sum()) for mix in mixes), counts.missing], int(evidence.count[node]))
        parts = [(str(name), n, mix, False) for name, n, mix in zip(names, rounded, mixes, strict=False)]
    elif not math.isfinite(float(tree.threshold[node])):
        below = zip(tree.children(node), evidence.branch_counts(node), strict=True)
        labels = branch_tests(tree, node)
        parts = [(labels[i], n, tree.class_weight[child], False) for i, (child, n) in enumerate(below)]
    elif band.kind:
        low, high = evidence.number(variable, band.low), evidence.number(variable, band.high)
        labels = [f"up to {low}", f"{low} to {high}", f"above {high}"]
        parts = [(labels[i], counts.n[i], counts.share[i], i == 1) for i in range(3)]
    else:
        cut, closed = evidence.threshold_text(node), bool(tree.closed_le[node])
        labels = ["≤ " + cut if closed else "< " + cut, "", "> " + cut if closed else "≥ " + cut]
        parts = [(labels[i], counts.n[i], counts.share[i], False) for i in (0, 2)]
    if counts.n[3] and (names is not None or math.isfinite(float(tree.threshold[node]))):
        parts.append(("missing", counts.n[3], np.full(len(tree.classes), np.nan), False))
    drawn, bar, right = [], width * 0.62, width - 44
    k = view.positive_index
    for row, (label, n, mix, inside) in enumerate(parts):
        y, whole = 14.0 + 20 * row, float(np.nansum(mix))
        drawn.append(titled(words(0, y, fit(label, width * 0.34, 12, inside), "u b" if inside else ""), label))
        drawn.append(words(bar - 8, y, f"{n} patients" if width >= 240 else str(n), "i2 e"))
        if whole > 0:
            drawn += class_bar([float(m) for m in mix], bar, y - 9, right - bar, 8, False)
            best = int(np.nanargmax(mix)) if view.several else k
            style = "e" if view.several else f"e t{k}"
            drawn.append(words(width, y, percent_text(float(mix[best]) / whole), style))
    return sheet(width, 20.0 * len(parts) + 4, drawn, "Patients in the parts of the split")


def gain_bars_svg(rows: Sequence[tuple[str, str, float, bool]], *, width: float = 260) -> str:
    """Return the best gain of each variable as bars, the chosen one in slate: (name, note, gain, chosen) by row."""
    tall = max((gain for _, _, gain, _ in rows if math.isfinite(gain)), default=0.0) or 1.0
    drawn, bar, right = [], width * 0.62, width - 44
    for row, (name, note, gain, chosen) in enumerate(rows):
        y = 14.0 + 20 * row
        room = bar - 10 - text_width(note) - 6
        drawn.append(titled(words(0, y, fit(name, room, 12, chosen), "b" if chosen else ""), name))
        drawn.append(words(bar - 8, y, note, "i2 e"))
        part = max(gain, 0.0) / tall if math.isfinite(gain) else 0.0
        drawn.append(
            box(
                bar,
                y - 8,
                max((right - bar) * part, 0.6),
                7,
                "var(--control)" if chosen else "var(--ribbon)",
                round_=1,
            )
        )
        drawn.append(words(width, y, f"{gain:.3f}" if math.isfinite(gain) else "none", "e"))
    return sheet(width, 20.0 * max(len(rows), 1) + 2, drawn, "Best gain of each variable")


def _plain_figure(height: int, dark: bool) -> go.Figure:
    """A figure without ground, so that it sits on either theme."""
    ink, hair = SHADES["second"][dark], SHADES["hair"][dark]
    figure = go.Figure()
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 12, "color": ink},
        hovermode="x unified",
        legend={"orientation": "h", "y": -0.2, "x": 0},
        hoverlabel={"bgcolor": SHADES["card"][dark], "font": {"color": SHADES["ink"][dark], "size": 12}},
    )
    figure.update_xaxes(showgrid=False, zeroline=False, linecolor=hair, tickcolor=hair, automargin=True)
    figure.update_yaxes(gridcolor=hair, zeroline=False, rangemode="tozero", automargin=True)
    return figure


def gain_curve_figure(
    *,
    exact: Curve | None = None,
    soft: Curve | None = None,
    zone: tuple[float, float] | None = None,
    chosen: float,
    exact_best: float | None = None,
    unit: str = "",
    label: str = "Gain in bits",
    dark: bool = False,
) -> go.Figure:
    """Return the gain of every threshold: exact search in grey steps, soft in violet, the range shaded, optima marked.

    Parameters
    ----------
    exact, soft : (thresholds, gains). zone : low and high edge of the split's range. chosen : the tree's θ.
    """
    figure = _plain_figure(260, dark)
    violet, grey = SHADES["unsure"][dark], SHADES["third"][dark]
    tops: list[float] = []

    def gain_at(curve: Curve, x: float) -> float:
        """The gain at x, of the nearest candidate."""
        places, gains = np.asarray(curve[0], dtype=float), np.asarray(curve[1], dtype=float)
        return float(gains[int(np.argmin(np.abs(places - x)))])

    if zone is not None:
        figure.add_vrect(x0=zone[0], x1=zone[1], fillcolor=SHADES["zone"][dark], line_width=0, layer="below")
    for curve, name, style in (
        (exact, "exact search", {"color": grey, "width": 1, "shape": "hvh"}),
        (soft, "soft search", {"color": violet, "width": 2.5}),
    ):
        if curve is not None and len(np.asarray(curve[0])):
            figure.add_scatter(x=curve[0], y=curve[1], mode="lines", name=name, line=style, hovertemplate="%{y:.4f}")
            tops.append(float(np.nanmax(np.asarray(curve[1], dtype=float))))
    figure.add_vline(x=chosen, line_width=1.5, line_color=SHADES["ink"][dark])
    main, side = (soft, violet) if soft is not None and len(np.asarray(soft[0])) else (exact, grey)
    leftmost = exact_best is None or chosen <= exact_best
    if main is not None and len(np.asarray(main[0])):
        figure.add_scatter(
            x=[chosen],
            y=[gain_at(main, chosen)],
            mode="markers+text",
            text=[f"chosen {number_text(chosen, 4)}"],
            textposition="top left" if leftmost else "top right",
            textfont={"color": side if main is soft else SHADES["ink"][dark]},
            marker={"size": 9, "color": side},
            showlegend=False,
            hoverinfo="skip",
        )
    if exact is not None and exact_best is not None and len(np.asarray(exact[0])) and abs(exact_best - chosen) > 1e-12:
        figure.add_scatter(
            x=[exact_best],
            y=[gain_at(exact, exact_best)],
            mode="markers+text",
            text=[f"exact {number_text(exact_best, 4)}"],
            textposition="top right" if leftmost else "top left",
            marker={"size": 8, "color": grey},
            showlegend=False,
            hoverinfo="skip",
        )
    after = f" in {unit}" if unit else ""
    figure.update_layout(title={"text": f"{label}, by threshold{after}", "font": {"size": 12}, "x": 0, "y": 0.98})
    if tops:
        figure.update_yaxes(range=[0, max(tops) * 1.18 or 1])
    ends = [float(x) for curve in (exact, soft) if curve is not None for x in np.asarray(curve[0], dtype=float)]
    if ends:
        room = 0.12 * (max(ends) - min(ends) or 1.0)
        figure.update_xaxes(range=[min(ends) - room, max(ends) + room])
    return figure


def larger_noise_figure(factors: Any, shares: Any, *, now: float = 1.0, dark: bool = False) -> go.Figure:
    """Return the share of patients near a threshold while all σ grow together, the tree unchanged.

    Parameters
    ----------
    factors : what every σ is multiplied by. shares : share of patients within 1.96 σ of a threshold, 0 to 1.
    """
    figure, violet = _plain_figure(240, dark), SHADES["unsure"][dark]
    x, y = np.asarray(factors, dtype=float), np.asarray(shares, dtype=float)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": violet, "width": 2.5},
        showlegend=False,
        hovertemplate="× %{x:.1f}: %{y:.0%}",
    )
    if len(x):
        figure.add_vline(x=now, line_width=1.5, line_color=SHADES["control"][dark])
        for factor, colour in ((now, SHADES["control"][dark]), (2 * now, violet)):
            if x.min() <= factor <= x.max():
                share = float(np.interp(factor, x, y))
                figure.add_scatter(
                    x=[factor],
                    y=[share],
                    mode="markers+text",
                    text=[f"× {factor:g}: {percent_text(share)}"],
                    textposition="bottom right",
                    marker={"size": 9, "color": colour},
                    showlegend=False,
                    hoverinfo="skip",
                )
    figure.update_xaxes(title={"text": "all σ together", "font": {"size": 12}}, tickprefix="× ")
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02])
    figure.update_layout(margin={"t": 8})
    return figure
