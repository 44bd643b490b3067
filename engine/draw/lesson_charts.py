"""The lessons' figures that are curves: four points, two points, a borderline reading, abstention, a repeated variable.

In: a result of `engine.lessons`, whether its answer is still covered, a width in pixels. Out: SVG text.
"""

from __future__ import annotations

import math

import numpy as np

from engine.draw.lesson_marks import (
    GREY,
    INK,
    SLATE,
    VIOLET,
    Plot,
    bell,
    class_mark,
    covered,
    disc,
    draggable,
    hoop,
    key_row,
    line_key,
    path,
    ring,
)
from engine.draw.picture import Scale
from engine.draw.sheet import box, hatched, line, sheet, words
from engine.lessons import CLEAN, FOUR_CLASSES, REACH, Abstention, Fork, FourPoints, Missed, Order, Repeated
from engine.number_words import number_text, percent_text, probability_text

LETTERS = "AB"


def cut_text(value: float) -> str:
    """Return a cut to two decimals at most, without idle zeros."""
    return number_text(round(value, 2))


def cuts_text(cuts: tuple[float, ...]) -> str:
    """Return the best cuts in words: "0", "−1.27 or 1.27"."""
    return " or ".join(cut_text(cut) for cut in cuts)


def four_points_svg(found: FourPoints, hidden: bool, truth: bool = False, width: float = 640) -> str:
    """Return the four patients with their bells, and under them the gain of every cut by exact and by soft search.

    Parameters
    ----------
    hidden : leave the curves out. truth : ring the places where the patients truly are.
    """
    left, right = 40.0, width - 16
    scale = Scale(-REACH, REACH, left, right)
    drawn = [words(left, 14, "Four patients, as measured. Drag any of them.", "i2")]
    for x in found.points:
        drawn.append(path(bell(scale, x, found.sigma, 72, 40), VIOLET, 1.2))
    drawn.append(line(left, 72, right, 72, "hair"))
    base = 112.0
    drawn.append(line(left, base, right, base, "axis"))
    marks = []
    for place, (x, k) in enumerate(zip(found.points, FOUR_CLASSES, strict=True)):
        twin = next(i for i, y in enumerate(FOUR_CLASSES) if y == k and i != place)
        other = found.points[twin]
        second = place > twin
        up = -1 if k == 0 else 1
        far = 40.0 if second and abs(scale(x) - scale(other)) < 26 else 15.0
        px, py = scale(x), base + up * far
        if truth and CLEAN[place] != x:
            true = scale(CLEAN[place])
            drawn.append(path([(px, py), (true, py)], GREY, 1, "2 2"))
            drawn.append(
                hoop(true, py, 14, GREY, 1.2, "2 2")
            )
        leftmost = x < other or (x == other and not second)
        name = words(px + (-16 if leftmost else 16), py + 4, cut_text(x), f"b halo{' e' if leftmost else ''}")
        body = ring(px, py, 10) + class_mark(px, py, k) + name
        label = f"Patient {place + 1}, class {LETTERS[k]}"
        marks.append(
            draggable(f"point{place}", px, py, x, (-REACH, REACH), 0.1, scale.length(1.0), label, body, cut_text(x))
        )
    drawn += marks
    top = 188.0
    plot_top = max(found.exact_gain, found.top_gain, 0.02) * 1.22
    plot = Plot((-REACH, REACH), (0.0, plot_top), left, top, right, top + 190)
    drawn.append(words(left, top - 14, "Gain in bits, if the cut stood here", "i2"))
    if hidden:
        drawn.append(plot.axes(range(-4, 5), ()))
        drawn.append(plot.cover())
    else:
        drawn.append(plot.axes(range(-4, 5), nice_ticks(plot_top)))
        drawn.append(exact_steps(plot, found))
        drawn.append(plot.curve(*found.soft, VIOLET, 2.5))
        for cut in found.exact_best:
            drawn.append(disc(plot.x(cut), plot.y(found.exact_gain), 4, GREY))
        for cut in found.tops:
            drawn.append(plot.rule(cut, INK, 1.5))
            drawn.append(disc(plot.x(cut), plot.y(found.top_gain), 5, VIOLET))
        told = f"exact: {cuts_text(found.exact_best) or 'no cut'}, gain {found.exact_gain:.3f}"
        drawn.append(words(left + 4, plot.y(found.exact_gain) - 8, told, "i2 halo"))
        told = f"soft: {cuts_text(found.tops) or 'no cut'}, gain {found.top_gain:.3f}"
        near = abs(plot.y(found.top_gain) - plot.y(found.exact_gain)) < 26
        at = plot.y(found.top_gain) + (26 if near else -12)
        middle = sum(found.tops) / max(len(found.tops), 1)
        edge = 3.2 * len(told)
        drawn.append(words(min(max(plot.x(middle), left + edge), right - edge), at, told, "u b m halo"))
    items = [(line_key(GREY, 1), "exact search"), (line_key(VIOLET, 2.5), f"soft search, σ {number_text(found.sigma)}")]
    items += [(line_key(VIOLET, 1.2), "bells: each patient, measured again")]
    items += [(class_mark(10, 5, 0), "class A, above"), (class_mark(10, 5, 1), "class B, below")]
    if truth:
        ringed = hoop(10, 5, 5, GREY, 1, "2 2")
        items.append((ringed, "truly here"))
    legend, foot = key_row(items, left, plot.bottom + 42, right - left)
    drawn.append(legend)
    return sheet(width, foot + 12, drawn, "Four patients on an axis, and the gain of cutting at each value")


def exact_steps(plot: Plot, found: FourPoints) -> str:
    """Return the exact gains as grey steps: a cut between two readings gains the same wherever it stands."""
    points = sorted(set(found.points))
    if len(points) < 2:
        return ""
    steps = [(points[0], 0.0)]
    for low, high, gain in zip(points, points[1:], found.exact[1], strict=False):
        steps += [(low, float(gain)), (high, float(gain))]
    steps.append((points[-1], 0.0))
    return path([(plot.x(a), plot.y(b)) for a, b in steps], GREY, 1.2)


def nice_ticks(top: float) -> list[float]:
    """Return a few round values from 0 up to `top`."""
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0) if top / s <= 4.5)
    return [round(step * k, 3) for k in range(math.floor(top / step) + 1)]


def fork_svg(found: Fork, sigma: float, exact_best: tuple[float, ...], hidden: bool, width: float = 300) -> str:
    """Return the best soft cuts against σ, the reader's σ as an upright line, the exact ones dashed."""
    plot = Plot((0.0, 3.0), (-REACH, REACH), 30, 8, width - 10, 158)
    drawn = [plot.axes((0, 1, 2, 3), (-4, -2, 0, 2, 4), "σ")]
    if hidden:
        drawn.append(plot.cover("Covered"))
    else:
        for cut in exact_best:
            drawn.append(path([(plot.left, plot.y(cut)), (plot.right, plot.y(cut))], GREY, 1, "3 3"))
            at = plot.y(cut) + (15 if abs(cut) < 0.6 or cut > 3.0 else -4)  # clear of the fork's handle and the edge
            drawn.append(words(plot.right, at, f"exact: {cut_text(cut)}", "i2 e halo"))
        for pick in (min, max):
            drawn.append(plot.curve(found.sigmas, [pick(tops, default=math.nan) for tops in found.tops], VIOLET, 2.5))
        drawn.append(plot.rule(sigma, SLATE, 2))
    return sheet(width, 196, drawn, f"Best soft cut against σ; at σ {number_text(sigma)} now")


def two_points_svg(found: Order, hidden: bool, width: float = 640) -> str:
    """Return two true values with their bells, and how often two readings keep their order, against σ."""
    left, right = 46.0, width - 16
    scale = Scale(-14.0, 14.0, left, right)
    drawn = [words(left, 14, "Two patients, truly at −2 and 2, and their bells", "i2")]
    for x, k in ((-2.0, 0), (2.0, 1)):
        drawn.append(path(bell(scale, x, found.sigma, 74, 48), VIOLET, 1.5))
        drawn.append(class_mark(scale(x), 84, k))
        drawn.append(words(scale(x), 106, number_text(x), "m b"))
    drawn.append(line(left, 74, right, 74, "axis"))
    plot = Plot((0.0, 8.0), (0.5, 1.02), left, 146, right, 340)
    drawn.append(words(left, 132, "How often the two readings keep their order: P(d < 0)", "i2"))
    drawn.append(plot.axes(range(9), (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "σ of one reading"))
    if hidden:
        drawn.append(plot.cover())
    else:
        drawn.append(plot.curve(*found.printed, GREY, 1.5, "5 4"))
        drawn.append(plot.curve(*found.curve, VIOLET, 2.5))
        for at, share, low, high in found.dots:
            drawn.append(path([(plot.x(at), plot.y(low)), (plot.x(at), plot.y(high))], INK, 1.2))
            drawn.append(disc(plot.x(at), plot.y(share), 3.5, INK))
        drawn.append(disc(plot.x(found.sigma), plot.y(found.right), 5, VIOLET))
    drawn.append(sigma_handle(plot, found.sigma, (0.1, 8.0)))
    items = [
        (line_key(VIOLET, 2.5), "Φ(4/(√2·σ))"),
        (line_key(GREY, 1.5, "5 4"), "as printed, Φ(4/(2σ))"),
        (disc(10, 5, 3.5, INK), f"{found.draws:,} simulated pairs, 95 % range"),
    ]
    legend, foot = key_row(items, left, 396, right - left)
    drawn.append(legend)
    return sheet(width, foot + 12, drawn, "Two bells, and the share of readings that keep their order against σ")


def sigma_handle(plot: Plot, sigma: float, reach: tuple[float, float], step: float = 0.1, name: str = "sigma") -> str:
    """Return the reader's upright line with a handle on the axis."""
    x, y = plot.x(sigma), plot.bottom
    body = plot.rule(sigma, SLATE, 2) + ring(x, y, 8) + disc(x, y, 4, SLATE)
    label = {"sigma": "Noise σ", "tau": "τ", "reading": "Reading"}[name]
    return draggable(name, x, y, sigma, reach, step, plot.per_unit, label, body)


def missed_svg(found: Missed, hidden: bool, width: float = 640) -> str:
    """Return P(worse) against the ejection fraction by hard and soft gates, and who is missed under each."""
    left, right = 46.0, width - 16
    plot = Plot((15.0, 60.0), (0.0, 1.0), left, 40, right, 230)
    drawn = [words(left, 14, "P(worse), were only the ejection fraction another", "i2")]
    low, high = plot.x(found.threshold - found.sigma), plot.x(found.threshold + found.sigma)
    drawn.append(box(low, plot.top, high - low, plot.bottom - plot.top, style="band"))
    drawn.append(plot.axes(range(20, 61, 10), (0, 0.5, 1), "ejection fraction, %"))
    drawn.append(path([(left, plot.y(0.5)), (right, plot.y(0.5))], INK, 1, "2 3"))
    drawn.append(words(right, plot.y(0.5) - 5, "answers “worse” above", "i2 e halo"))
    drawn.append(plot.rule(found.threshold, INK))
    told = f"asks ≤ {number_text(found.threshold)}; band ± σ"
    drawn.append(words(plot.x(found.threshold) + 6, plot.top - 6, told, ""))
    reading = Scale(15.0, 60.0, left, right)
    drawn.append(path(bell(reading, found.reading, found.sigma, plot.bottom, 46), VIOLET, 1.2))
    if hidden:
        drawn.append(covered(left, plot.top, right - left, 120))
    else:
        drawn.append(path(stairs(plot, *found.hard), GREY, 1.5))
        drawn.append(plot.curve(*found.soft, VIOLET, 2.5))
        x = plot.x(found.reading)
        drawn.append(disc(x, plot.y(found.at_hard), 4, GREY))
        drawn.append(disc(x, plot.y(found.at_soft), 5, VIOLET))
    drawn.append(sigma_handle(plot, found.reading, (15.0, 60.0), 1.0, "reading"))
    items = [
        (line_key(GREY, 1.5), f"hard, {probability_text(found.at_hard)} here"),
        (line_key(VIOLET, 2.5), f"soft, {probability_text(found.at_soft)} here"),
    ]
    if hidden:
        items = [(line_key(GREY, 1.5), "hard"), (line_key(VIOLET, 2.5), "soft")]
    legend, foot = key_row(items, left, 284, right - left)
    drawn.append(legend)
    top = foot + 30
    drawn.append(words(left, top, f"{found.n} patients left out: who is told wrongly", "i2"))
    if hidden:
        drawn.append(covered(left, top + 10, right - left, 92, "Covered"))
    else:
        drawn.append(errors_rows(found, left, top + 28, right))
    return sheet(
        width, top + 112, drawn, "P(worse) by hard and by soft gates, and the errors of each"
    )


def stairs(plot: Plot, xs: object, ys: object) -> list[tuple[float, float]]:
    """Return a step function through data: level to each next place, then up or down."""
    x, y = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    points = [(plot.x(float(x[0])), plot.y(float(y[0])))]
    for k in range(1, len(x)):
        if y[k] != y[k - 1]:
            middle = plot.x(float(x[k] + x[k - 1]) / 2)
            points += [(middle, plot.y(float(y[k - 1]))), (middle, plot.y(float(y[k])))]
    return [*points, (plot.x(float(x[-1])), plot.y(float(y[-1])))]


def errors_rows(found: Missed, left: float, top: float, right: float) -> str:
    """Return bars of false negatives and false positives by hard and soft gates."""
    drawn, bar = [], left + 128.0
    most = max(float(max(c[1, 0], c[0, 1])) for c in found.counts.values()) or 1.0
    unit = (right - bar - 76) / most
    y = top
    for row, (kind, true) in enumerate((("missed", 1), ("false alarms", 0))):
        for place, name in enumerate(("hard", "soft")):
            counts = found.counts[name]
            wrong, of = int(counts[true, 1 - true]), int(counts[true].sum())
            y = top + 22 * (2 * row + place) + 4 * row
            drawn.append(words(left, y, f"{kind}, {name}", "u b" if name == "soft" else "i2"))
            drawn.append(box(bar, y - 9, wrong * unit, 10, VIOLET if name == "soft" else "var(--grey-bar)", round_=1))
            drawn.append(words(bar + wrong * unit + 6, y, f"{wrong} of {of}", "b"))
    return "".join(drawn)


def abstention_svg(found: Abstention, hidden: bool, width: float = 640) -> str:
    """Return what becomes of the patients at τ, and accuracy and coverage against τ."""
    left, right = 46.0, width - 16
    drawn = [words(left, 14, f"{found.n} patients left out, at τ {found.tau:.2f}", "i2")]
    drawn.append(fates(found, left, 24, right - left) if not hidden else covered(left, 24, right - left, 62))
    plot = Plot((0.5, 1.0), (0.0, 1.04), left, 128, right, 318)
    drawn.append(words(left, 114, "Answered, and of those rightly, against τ", "i2"))
    drawn.append(plot.axes((0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0, 0.25, 0.5, 0.75, 1.0), "τ", percent=True))
    if hidden:
        drawn.append(plot.cover())
    else:
        drawn.append(path(stairs(plot, found.taus, found.coverages), GREY, 1.5))
        finite = np.isfinite(found.accuracies)
        drawn.append(path(stairs(plot, found.taus[finite], found.accuracies[finite]), INK, 2.5))
        for value, paint in ((found.coverage, GREY), (found.accuracy, INK)):
            if value is not None:
                drawn.append(disc(plot.x(found.tau), plot.y(value), 5, paint))
    drawn.append(sigma_handle(plot, found.tau, (0.5, 1.0), 0.01, "tau"))
    answered = "nobody" if found.accuracy is None else percent_text(found.accuracy)
    items = [
        (line_key(INK, 2.5), "right, of those answered" + ("" if hidden else f": {answered}")),
        (line_key(GREY, 1.5), "answered" + ("" if hidden else f": {share_of(found.coverage)}")),
    ]
    legend, foot = key_row(items, left, 374, right - left)
    drawn.append(legend)
    return sheet(width, foot + 12, drawn, "Answered and rightly answered patients against τ")


def share_of(part: float) -> str:
    """Return a counted share in percent, all and none included."""
    return f"{100 * part:.0f} %"


def fates(found: Abstention, x: float, y: float, width: float) -> str:
    """Return one bar: right, wrong, answered with the outcome open, abstained (hatched); its counts in words below."""
    parts = [
        ("right", found.right, "var(--grey-bar)"), ("wrong", found.wrong, "var(--ink)"),
        ("outcome open", found.open_answered, "var(--ribbon)"), ("abstains", found.abstained, ""),
    ]  # fmt: skip
    drawn, at = [], x
    for _, n, paint in parts:
        wide = width * n / found.n
        if n:
            drawn.append(box(at, y, wide, 22, paint) if paint else hatched(at, y, wide, 22, rim=True))
        at += wide
    items = []
    for name, n, paint in parts:
        mark = box(4, 0, 12, 10, paint) if paint else hatched(4, 0, 12, 10, rim=True)
        items.append((mark, f"{name} {n}"))
    return "".join(drawn) + key_row(items, x, y + 42, width)[0]


def coverage_svg(found: Abstention, hidden: bool, width: float = 300) -> str:
    """Return accuracy against coverage of those whose outcome is known, the surest answered first."""
    plot = Plot((0.0, 1.0), (0.5, 1.0), 40, 8, width - 12, 148)
    drawn = [plot.axes((0, 0.5, 1), (0.5, 0.75, 1.0), "part answered, of those whose outcome is known", percent=True)]
    if hidden:
        drawn.append(plot.cover("Covered"))
    else:
        drawn.append(plot.curve(found.known_coverage, found.known_accuracy, INK, 2))
        for a, b in zip(found.known_coverage, found.known_accuracy, strict=True):
            drawn.append(disc(plot.x(float(a)), plot.y(float(b)), 2.5, INK))
        if found.accuracy is not None:
            now = (found.right + found.wrong) / (found.n - found.n_open)
            x, y = plot.x(now), plot.y(found.accuracy)
            drawn.append(hoop(x, y, 6, SLATE, 2.5))
            drawn.append(words(min(x, plot.right - 40), y + 22, f"τ {found.tau:.2f}", "b m halo"))
    return sheet(width, 188, drawn, "Accuracy against the part of patients answered")


def repeated_svg(found: Repeated, hidden: bool, width: float = 640) -> str:
    """Return the reading's bell cut at both thresholds, and each part's share by three ways of reckoning."""
    left, right = 40.0, width - 16
    span = (60.0, 240.0)
    plot = Plot(span, (0.0, 1.0), left, 34, right, 164)
    scale = Scale(*span, left, right)
    drawn = [words(left, 14, "Where the true value may lie, and two questions", "i2")]
    body = bell(scale, found.reading, found.sigma, plot.bottom, 118)
    inside = bell(scale, found.reading, found.sigma, plot.bottom, 118, (found.low, found.high))
    ends = [(inside[0][0], plot.bottom), *inside, (inside[-1][0], plot.bottom)]
    drawn.append(path(ends, "none", 0, fill="var(--zone)"))
    drawn.append(path(body, VIOLET, 1.5))
    drawn.append(plot.axes(range(60, 241, 40), ()))
    for value, side in ((found.low, "e"), (found.high, "")):
        drawn.append(plot.rule(value, INK))
        drawn.append(
            words(plot.x(value) + (-5 if side else 5), plot.top + 4, number_text(value), f"b halo {side}".strip())
        )
    drawn.append(sigma_handle(plot, found.reading, (60.0, 240.0), 1.0, "reading"))
    top = 216.0
    drawn.append(words(left, top, "Share of each leaf", "i2"))
    if hidden:
        drawn.append(covered(left, top + 12, right - left, 206))
    else:
        drawn.append(share_bars(found, left, top + 30, right))
    return sheet(width, top + 226, drawn, "A bell cut by two thresholds, and the shares of three leaves")


def share_bars(found: Repeated, left: float, top: float, right: float) -> str:
    """Return per leaf three bars: coherent (violet), independent (grey), simulated (a dot with its range)."""
    names = [f"≤ {number_text(found.low)}", "between", f"> {number_text(found.high)}"]
    bar, drawn = left + 130.0, []
    unit = (right - bar - 54) / max(float(found.independent.max()), float(found.coherent.max()), 0.01)
    for leaf, name in enumerate(names):
        y = top + 66 * leaf
        for place, (kind, share, paint) in enumerate(
            (("coherent", found.coherent[leaf], VIOLET), ("independent", found.independent[leaf], "var(--grey-bar)"))
        ):
            at = y + 20 * place
            drawn.append(words(left, at, name if place == 0 else "", "b"))
            drawn.append(words(bar - 6, at, kind, f"e {'u b' if place == 0 else 'i2'}"))
            drawn.append(box(bar, at - 9, float(share) * unit, 10, paint, round_=1))
            drawn.append(
                words(bar + float(share) * unit + 6, at, percent_text(float(share)), "b" if place == 0 else "")
            )
        at = y + 40
        low, high = (bar + float(end) * unit for end in found.ranges[leaf])
        drawn.append(words(bar - 6, at, "simulated", "e i2"))
        drawn.append(path([(low, at - 4), (high, at - 4)], INK, 1.5))
        x = bar + float(found.simulated[leaf]) * unit
        drawn.append(disc(x, at - 4, 4, INK))
        drawn.append(words(max(x, high) + 10, at, percent_text(float(found.simulated[leaf]))))
    return "".join(drawn)
