"""The lessons' thumbnails: each a live figure at rest, with one number worked by the engine.

In: the name of a lesson, whether its answer is still covered. Out: SVG text, 188 by 132.
"""

from __future__ import annotations

import numpy as np

from engine.draw.lesson_charts import stairs
from engine.draw.lesson_maps import branch, cell_map, moon_surface
from engine.draw.lesson_marks import GREY, INK, SLATE, VIOLET, Plot, bell, class_mark, disc, path
from engine.draw.picture import Scale
from engine.draw.sheet import box, hatched, line, sheet, words
from engine.lessons import (
    FOUR_CLASSES,
    NOISY,
    PER_CELL,
    UNKNOWN,
    abstention,
    four_points,
    missed,
    orthopartition,
    repeated,
    two_moons,
    two_points,
    two_tests,
    verdict,
)
from engine.number_words import number_text, percent_text

WIDTH, HEIGHT = 188.0, 132.0
FOOT = 124.0


def _plot(x: tuple[float, float], y: tuple[float, float]) -> Plot:
    return Plot(x, y, 8, 8, WIDTH - 8, 100)


def _points(hidden: bool) -> tuple[list[str], str]:
    found = four_points(NOISY, 1.6)
    plot = _plot((-4, 4), (0, 0.36))
    steps = [(-2, 0.0), (-2, found.exact_gain), (-0.2, found.exact_gain), (-0.2, 0), (0.2, 0)]
    steps += [(0.2, found.exact_gain), (2, found.exact_gain), (2, 0.0)]
    drawn = [plot.axes((), ())]
    if hidden:
        for place, (x, k) in enumerate(zip(NOISY, FOUR_CLASSES, strict=True)):
            drawn.append(path(bell(Scale(-4, 4, plot.left, plot.right), x, 1.6, plot.bottom, 60), VIOLET, 1.2))
            drawn.append(class_mark(plot.x(x), plot.bottom - 6 - 14 * (place % 2), k))
        return drawn, "four patients, σ 1.6"
    drawn.append(path([(plot.x(a), plot.y(b)) for a, b in steps], GREY))
    drawn += [plot.curve(*found.soft, VIOLET, 2.5), disc(plot.x(found.tops[0]), plot.y(found.top_gain), 4, VIOLET)]
    return drawn, f"soft gain {found.top_gain:.3f}"


def _order(hidden: bool) -> tuple[list[str], str]:
    found = two_points(4.0)
    plot = _plot((0, 8), (0.5, 1.02))
    if hidden:
        scale = Scale(-6, 6, plot.left, plot.right)
        bells = [path(bell(scale, x, 2.0, 92, 70), VIOLET, 1.5) for x in (-2.0, 2.0)]
        return [*bells, *(class_mark(scale(x), 92, k) for k, x in enumerate((-2.0, 2.0)))], "two patients, two bells"
    drawn = [plot.axes((), ()), plot.curve(*found.printed, GREY, 1.2, "4 3"), plot.curve(*found.curve, VIOLET, 2.5)]
    drawn += [disc(plot.x(at), plot.y(share), 2.4, INK) for at, share, _, _ in found.dots]
    return drawn, f"σ 4: {percent_text(found.right)} keep order"


def _missed(hidden: bool) -> tuple[list[str], str]:
    found = missed(33.0, 5.0)
    plot = _plot((15, 60), (0, 1))
    if hidden:
        way = bell(Scale(15, 60, plot.left, plot.right), found.reading, found.sigma, plot.bottom, 70)
        told = f"reading {number_text(found.reading)} %, asks ≤ {number_text(found.threshold)}"
        return [plot.axes((), ()), path(way, VIOLET, 1.5), plot.rule(found.threshold, INK)], told
    drawn = [plot.axes((), ()), path(stairs(plot, *found.hard), GREY, 1.2), plot.curve(*found.soft, VIOLET, 2.5)]
    return drawn, f"at 33 %: P {found.at_soft:.2f}"


def _moons(hidden: bool) -> tuple[list[str], str]:
    found = two_moons("gain_ratio")
    rate = found.told.boundary_uncertain_rate or 0.0
    told = f"{len(found.y)} patients" if hidden else f"{percent_text(rate)} undecided"
    return [moon_surface(found, 8, 6, WIDTH - 16, 98, hidden, letters=False)], told


def _verdict(hidden: bool) -> tuple[list[str], str]:
    found = verdict((1, UNKNOWN, 1))
    root, below, leaves = (94.0, 14.0), ((50.0, 54.0), (138.0, 54.0)), [24.0, 72.0, 116.0, 164.0]
    drawn = []
    for side, held in enumerate((found.states[0], -found.states[0])):
        drawn.append(branch(*root, *below[side], held, ""))
        for k in (0, 1):
            drawn.append(branch(*below[side], leaves[2 * side + k], 86, found.states[1 + side] * (1 - 2 * k), ""))
    for (x, y), state in zip((root, *below), found.states, strict=True):
        drawn.append(disc(x, y, 7, VIOLET if state == UNKNOWN else SLATE))
    for x, state in zip(leaves, found.leaves, strict=True):
        if hidden:
            drawn += [box(x - 14, 86, 28, 16, "var(--hair)", round_=3), words(x, 98, "?", "m i2")]
            continue
        drawn.append(
            hatched(x - 14, 86, 28, 16, 3, rim=True) if state == UNKNOWN else box(x - 14, 86, 28, 16, "var(--ribbon)")
        )
    if hidden:
        return drawn, "three splits, four leaves"
    return drawn, f"{sum(state == UNKNOWN for state in found.leaves)} leaves may be the patient's"


def _open(hidden: bool) -> tuple[list[str], str]:
    found = orthopartition(6, 2, 4)
    drawn = [box(14 + 17 * (k % 3), 14 + 17 * (k // 3), 14, 14, "var(--c0)", round_=3) for k in range(found.first)]
    drawn += [hatched(80 + 17 * (k % 2), 14 + 17 * (k // 2), 14, 14, 3, rim=True) for k in range(found.open)]
    drawn += [box(140 + 17 * k, 14, 14, 14, "var(--c1)", round_=3) for k in range(found.second)]
    if hidden:
        return drawn, f"{found.first}, {found.second}, and {found.open} without a label"
    axis = Scale(0, 0.5, 14, WIDTH - 14)
    drawn += [line(14, 82, WIDTH - 14, 82, "axis"), path([(axis(found.low), 82), (axis(found.high), 82)], VIOLET, 4)]
    drawn.append(disc(axis(found.mean), 82, 5, VIOLET))
    return drawn, f"{found.low:.2f} to {found.high:.2f}, mean {found.mean:.2f}"


def _abstention(hidden: bool) -> tuple[list[str], str]:
    found = abstention(0.7)
    if hidden:
        plot = _plot((0.5, 1), (0, 1.04))
        return [plot.axes((), ()), plot.cover("?"), plot.rule(0.7, SLATE, 2)], f"{found.n} patients left out"
    plot, finite = _plot((0.5, 1), (0, 1.04)), np.isfinite(found.accuracies)
    drawn = [plot.axes((), ()), path(stairs(plot, found.taus, found.coverages), GREY, 1.2)]
    drawn.append(path(stairs(plot, found.taus[finite], found.accuracies[finite]), INK, 2))
    return drawn, f"τ 0.7: {percent_text(found.coverage)} answered"


def _tests(hidden: bool) -> tuple[list[str], str]:
    found = two_tests("differ", 1.0)
    drawn = [cell_map(found, found.bayes, found.bayes_ill, 6, 10, 84, 86, hidden, split=False, small=True)]
    drawn.append(cell_map(found, found.tree, found.tree_ill, 98, 10, 84, 86, hidden, split=True, small=True))
    if hidden:
        return drawn, f"{4 * PER_CELL} patients, two tests"
    return drawn, f"{100 * found.bayes_accuracy:.0f} % and {100 * found.tree_accuracy:.0f} % right"


def _repeated(hidden: bool) -> tuple[list[str], str]:
    found = repeated(150.0, 20.0, 140.0, 160.0)
    scale = Scale(85, 215, 8, WIDTH - 8)
    body = bell(scale, found.reading, found.sigma, 92, 78)
    inside = bell(scale, found.reading, found.sigma, 92, 78, (found.low, found.high))
    drawn = []
    if not hidden:
        drawn.append(path([(inside[0][0], 92), *inside, (inside[-1][0], 92)], "none", 0, fill="var(--zone)"))
    drawn += [path(body, VIOLET, 1.5), line(8, 92, WIDTH - 8, 92, "axis")]
    for cut in (found.low, found.high):
        drawn.append(path([(scale(cut), 8), (scale(cut), 92)], INK, 1.5))
        drawn.append(words(scale(cut), 106, number_text(cut), "m i2"))
    if hidden:
        return drawn, f"one reading, {number_text(found.reading)}"
    return drawn, f"{percent_text(float(found.coherent[1]))} between 140 and 160"


THUMBNAILS = {
    "points": _points, "order": _order, "missed": _missed, "moons": _moons, "verdict": _verdict, "open": _open,
    "abstention": _abstention, "tests": _tests, "repeated": _repeated,
}  # fmt: skip


def thumbnail_svg(lesson: str, hidden: bool) -> str:
    """Return the lesson's figure at rest; its label and its foot say the number, or what is given while `hidden`."""
    drawn, told = THUMBNAILS[lesson](hidden)
    return sheet(WIDTH, HEIGHT, [*drawn, words(WIDTH / 2, FOOT, told, "m b")], told, role="img")
