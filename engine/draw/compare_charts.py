"""Pictures of several variants on the same patients: the accuracy–coverage plane, stated P, ROC, net benefit, answers.

In: plain curves, bins and counts, one set a variant. Out: SVG, and the same as rows; a variant is a letter and a line
style, never a hue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.draw.picture import Scale
from engine.draw.sheet import View, box, dot, fill, fit, hatched, line, sheet, text_width, words
from engine.draw.study_charts import round_ticks
from engine.draw.variant_marks import FAINT, Lettered, disc, ink_last, key, way
from engine.number_words import plain, share_text

EFFICIENCIES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
LEAST_COVERAGE = 0.3
INSIDE = 5  # lines whose letters have room inside the picture


@dataclass(frozen=True, eq=False)
class PlaneCurve:
    """One variant on the accuracy–coverage plane.

    Attributes
    ----------
    tau, coverage, accuracy : (T,) as τ is swept. at : the last two at the τ in force. zones : the same when patients in
        a zone are set aside, None for a variant without zones.
    """

    variant: Lettered
    tau: Any
    coverage: Any
    accuracy: Any
    at: tuple[float, float] | None
    zones: tuple[float, float] | None = None


def plane_svg(curves: Sequence[PlaneCurve], baseline: float, *, width: float = 400, height: float = 330) -> str:
    """Return accuracy against the part of patients answered, with a grey fan of equal efficiency.

    A line of the fan holds what is as good as another: each part of patients left out buys the same accuracy. It starts
    at all patients answered with the reference's accuracy, `baseline`.
    """
    least = _least_coverage(curves)
    points = [(c, a) for curve in curves for c, a in _known(curve, least)]
    points += [p for curve in curves for p in (curve.at, curve.zones) if p is not None and all(map(math.isfinite, p))]
    low, high = (min([baseline, *(a for _, a in points)]), max([baseline, *(a for _, a in points)]))
    room = max(0.06 * (high - low), 0.01)
    left, bottom = 40.0, height - 54
    across, up = (
        Scale(least, 1.0, left, width - 14),
        Scale(low - room, min(high + room, 1.0), bottom, 14),
    )
    drawn = []
    for tick in round_ticks(up.low, up.high):
        drawn += [
            line(left, up(tick), width - 14, up(tick), "hair"),
            words(left - 6, up(tick) + 4, f"{100 * tick:.4g}", "i3 e"),
        ]
    drawn += _fan(across, up, baseline)
    drawn.append(line(left, bottom, width - 14, bottom, "axis"))
    for tick in round_ticks(across.low, 1.0):
        drawn.append(words(across(tick), bottom + 16, f"{100 * tick:.0f} %", "i3 m" if tick < 0.97 else "i3 e"))
    for curve in ink_last(curves):
        drawn.append(way([(across(c), up(a)) for c, a in _known(curve, least)], curve.variant))
    placed: list[tuple[float, float]] = []
    for curve in ink_last(curves):
        if curve.at is not None and curve.variant.faint and all(map(math.isfinite, curve.at)):
            x, y = across(curve.at[0]), up(curve.at[1])
            drawn += [dot(x, y, 2.5, FAINT, "var(--page)", 0.5), words(x + 4, y - 3, curve.variant.letter, "i3 halo")]
        elif curve.at is not None and all(map(math.isfinite, curve.at)):
            drawn += _leader(
                across(curve.at[0]), up(curve.at[1]), curve.variant.place, placed, (left, 14.0, width - 14, bottom)
            )
        if curve.zones is not None and all(map(math.isfinite, curve.zones)):
            x, y = across(curve.zones[0]), up(curve.zones[1])
            drawn.append(dot(x, y, 4.5, "var(--page)", "var(--unsure)", 2))
            said = curve.variant.letter if curve.variant.faint else f"{curve.variant.letter} by its zones"
            wide = text_width(said) + 8
            at, end = (x - 8, " e") if x - wide > left else (x + 8, "")
            drawn.append(words(at, min(y + 16, bottom - 4), said, f"u halo{end}"))
    drawn.append(words((left + width - 14) / 2, bottom + 34, "patients answered", "m i2"))
    whose, tall = key([c.variant for c in curves], left, height - 4, width - left)
    drawn += whose
    told = [_plane_words(curve) for curve in curves]
    return sheet(width, height + tall - 16, drawn, f"Accuracy when some are not answered. {' '.join(told)}", role="img")


def plane_rows(curves: Sequence[PlaneCurve], tau: float) -> list[dict[str, Any]]:
    """Return the plane as rows: every τ swept, then the point at the τ in force, and that of the zones."""
    rows = []
    for each in curves:
        points = zip(*(np.asarray(held).tolist() for held in (each.tau, each.coverage, each.accuracy)), strict=True)
        told: list[tuple[str, float | None, float, float]] = [("τ swept", t, c, a) for t, c, a in points]
        told += [] if each.at is None else [("at τ in force", tau, *each.at)]
        told += [] if each.zones is None else [("by its zones", None, *each.zones)]
        rows += [
            {"variant": each.variant.said, "point": point, "τ": t, "answered": c, "right of those": a}
            for point, t, c, a in told
        ]
    return rows


def _least_coverage(curves: Sequence[PlaneCurve]) -> float:
    """Where the axis begins: the last few patients answered make a curve leap, so that it is cut before them."""
    held = [c.at[0] for c in curves if c.at is not None] + [c.zones[0] for c in curves if c.zones is not None]
    return max(min([LEAST_COVERAGE, *(c - 0.1 for c in held if math.isfinite(c))]), 0.0)


def _known(curve: PlaneCurve, least: float) -> list[tuple[float, float]]:
    """A curve's points from a coverage on, each once."""
    pairs = zip(np.asarray(curve.coverage).tolist(), np.asarray(curve.accuracy).tolist(), strict=True)
    return list(dict.fromkeys((c, a) for c, a in pairs if c >= max(least, 1e-9) and math.isfinite(a)))


def _fan(across: Scale, up: Scale, baseline: float) -> list[str]:
    """Dotted lines of equal efficiency, each named where it leaves the picture."""
    drawn: list[str] = []
    taken: list[tuple[float, float]] = []
    for e in EFFICIENCIES:
        last = min(1.0 - across.low, (up.high - baseline) / e if e else math.inf)
        x, y = across(1.0 - last), up(baseline + e * last)
        drawn.append(f'<path d="M{across(1.0):.1f} {up(baseline):.1f}L{x:.1f} {y:.1f}" class="trace"/>')
        at = (x + 4, max(y - 4, 12.0)) if x <= across.left + 1 else (x, 11.0)
        if all(abs(at[0] - a) > 22 or abs(at[1] - b) > 13 for a, b in taken):
            taken.append(at)
            drawn.append(words(*at, f"{e:g}", "i3 halo"))
    return drawn


def _leader(
    x: float, y: float, place: int, placed: list[tuple[float, float]], inside: tuple[float, float, float, float]
) -> list[str]:
    """A dot at (x, y) with its letter at the end of a short line, clear of the letters before it."""
    left, top, right, bottom = inside
    spots = [
        (x + r * math.cos(a), y + r * math.sin(a)) for r in (26, 40, 56, 74) for a in (-0.8, 2.4, -2.2, 0.7, -1.5, 1.6)
    ]
    free = [
        s for s in spots
        if left + 10 < s[0] < right - 10 and top + 8 < s[1] < bottom - 10
        and all(math.dist(s, other) > 22 for other in placed)
    ]  # fmt: skip
    at = free[0] if free else (x, y)
    placed += [at, (x, y)]
    return [line(x, y, *at, "axis"), dot(x, y, 3.5, "var(--ink)", "var(--page)", 1), disc(*at, place)]


def _plane_words(curve: PlaneCurve) -> str:
    said = f"{curve.variant.letter} {curve.variant.name}"
    if curve.at is not None and all(map(math.isfinite, curve.at)):
        said += f" answers {share_text(curve.at[0])}, right for {share_text(curve.at[1])} of them"
    if curve.zones is not None:
        said += f"; by its zones {share_text(curve.zones[0])}, right for {share_text(curve.zones[1])}"
    return said + "."


@dataclass(frozen=True, eq=False)
class Stated:
    """One variant's stated P: `bins` of `engine.swept`, and its calibration error."""

    variant: Lettered
    bins: Sequence[Any]
    error: float | None


def stated_svg(
    told: Sequence[Stated], view: View, *, silent: tuple[float, float] | None, x_title: str, width: float = 330
) -> str:
    """Return one small plot a variant: how often a stated P came true; area = patients, hatched where it abstains."""
    a_row = 2 if len(told) in (2, 4) else min(3, max(1, len(told)))
    side = min((width - 26) / a_row - 12, 190.0)
    drawn, said = [], []
    for k, one in enumerate(told):
        x, y = 26 + (side + 12) * (k % a_row), (side + 62) * (k // a_row)
        drawn += _stated_one(one, view, silent, x, y, side, first=k % a_row == 0)
        bins = "; ".join(f"P {b.mean_probability:.2f}, true {b.rate:.2f} of {b.n}" for b in one.bins)
        said.append(f"{one.variant.letter} {one.variant.name}: {bins}.")
    rows = math.ceil(len(told) / a_row)
    tall = (side + 62) * rows
    drawn.append(words(width / 2, tall + 2, fit(x_title, width), "m i2"))
    drawn.append(words(width / 2, tall + 18, fit("up: how often it came true; area = patients", width), "m i2"))
    return sheet(width, tall + 24, drawn, f"Stated P against what happened. {' '.join(said)}", role="img")


def _stated_one(
    one: Stated, view: View, silent: tuple[float, float] | None, x: float, y: float, side: float, first: bool
) -> list[str]:
    top = y + 24
    across, up = Scale(0, 1, x, x + side), Scale(0, 1, top + side, top)
    error = "" if one.error is None else f"error {plain(one.error, 3)}"
    drawn = [disc(x + 9, y + 10, one.variant.place), words(x + 24, y + 14, fit(error, side - 22), "i2")]
    if silent is not None:
        drawn.append(hatched(across(silent[0]), top, across(silent[1]) - across(silent[0]), side, rim=True))
    drawn.append(box(x, top, side, side, style="frame").replace("<rect", '<rect style="fill:none"', 1))
    drawn.append(f'<path d="M{x:.1f} {top + side:.1f}L{x + side:.1f} {top:.1f}" class="trace"/>')
    ticks = ((0.0, "0", "i3"), (0.5, "0.5", "i3 m"), (1.0, "1", "i3 e"))
    drawn += [words(across(at), top + side + 15, text, style) for at, text, style in ticks]
    if first:
        drawn += [words(x - 5, up(at) + 4, text, "i3 e") for at, text in ((0.5, "½"), (1.0, "1"))]
    most = max((b.n for b in one.bins), default=1)
    for each in one.bins:
        at, (low, high) = across(each.mean_probability), each.interval
        drawn.append(line(at, up(low), at, up(high), "cut"))
        paint = "var(--control)"
        if silent is not None and len(view.classes) == 2:
            k = view.positive_index
            outer = each.mean_probability >= silent[1], each.mean_probability <= silent[0]
            paint = fill(k) if outer[0] else fill(1 - k) if outer[1] else "var(--third)"
        drawn.append(dot(at, up(each.rate), 2 + 4 * (each.n / most) ** 0.5, paint, "var(--card)", 1))
    return drawn


def stated_rows(told: Sequence[Stated]) -> list[dict[str, Any]]:
    """Return the bins as rows, one a variant and bin."""
    return [
        {
            "variant": one.variant.said, "P over": b.low, "P up to": b.high, "patients": b.n,
            "mean P": b.mean_probability, "came true": b.rate, "95 % from": b.interval[0], "95 % to": b.interval[1],
        }
        for one in told for b in one.bins
    ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Line:
    """One variant's line through points (x, y) of one threshold each; a figure printed behind its letter."""

    variant: Lettered
    threshold: Any
    x: Any
    y: Any
    figure: str = ""


def roc_rows(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the ROC curves as rows: from which P on a patient is called positive, and what that finds."""
    return [
        {"variant": each.variant.said, "P from": t, "false alarms": x, "found": y}
        for each in lines
        for t, x, y in zip(*(np.asarray(held).tolist() for held in (each.threshold, each.x, each.y)), strict=True)
    ]


def benefit_rows(lines: Sequence[Line], treat_all: Any) -> list[dict[str, Any]]:
    """Return the net benefits as rows, beside treating all; treating none is 0."""
    everyone = np.asarray(treat_all).tolist()
    return [
        {"variant": each.variant.said, "treated from P": x, "net benefit": y, "treating all": whole}
        for each in lines
        for x, y, whole in zip(np.asarray(each.x).tolist(), np.asarray(each.y).tolist(), everyone, strict=True)
    ]


def roc_svg(lines: Sequence[Line], *, width: float = 310) -> str:
    """Return the ROC curves: true positives against false positives, as P is swept."""
    side = width - 54
    across, up = Scale(0, 1, 44, 44 + side), Scale(0, 1, 10 + side, 10)
    drawn = [box(44, 10, side, side, style="frame").replace("<rect", '<rect style="fill:none"', 1)]
    drawn.append(f'<path d="M44 {10 + side:.1f}L{44 + side:.1f} 10" class="trace"/>')
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawn += [
            words(38, up(tick) + 4, f"{100 * tick:.0f}", "i3 e"),
            words(across(tick), side + 26, f"{100 * tick:.0f}", "i3 m"),
        ]
    for each in ink_last(lines):
        points = zip(np.asarray(each.x).tolist(), np.asarray(each.y).tolist(), strict=True)
        drawn.append(way([(across(x), up(y)) for x, y in points], each.variant))
    drawn.append(words(44 + side / 2, side + 44, "false alarms, % of those without", "m i2"))
    drawn.append(words(44 + side / 2, side + 60, "up: found, % of those with", "m i2"))
    below = len(lines) > INSIDE
    rows = math.ceil(len(lines) / 2) if below else len(lines)
    tall = side + 68.0 + (17 * rows + 8 if below else 0)
    for k, each in enumerate(lines):
        y = (side + 84 + 17 * (k % rows)) if below else 10 + side - 12 - 17 * (rows - 1 - k)
        right = 44 + side / 2 + (k // rows) * side / 2 - 8 if below else 40 + side
        wide = text_width(each.figure)
        drawn += [way([(right - wide - 42, y - 4), (right - wide - 14, y - 4)], each.variant)]
        drawn += [words(right - wide - 48, y, each.variant.letter, "b e"), words(right, y, each.figure, "e i2 halo")]
    said = "; ".join(f"{e.variant.letter} {e.variant.name} {e.figure}" for e in lines)
    return sheet(width, tall, drawn, f"ROC curves. {said}.", role="img")


def net_benefit_svg(
    lines: Sequence[Line], threshold: Any, treat_all: Any, *, width: float = 400, height: float = 300
) -> str:
    """Return the net benefit of treating from each threshold probability on, beside treating all and treating none."""
    t, everyone = np.asarray(threshold, dtype=float), np.asarray(treat_all, dtype=float)
    highest = max([0.02, float(everyone.max(initial=0.0)), *(float(np.max(e.y)) for e in lines)])
    lowest, left, bottom = -0.15 * highest, 44.0, height - 54
    across, up = Scale(0, 1, left, width - 12), Scale(lowest, 1.08 * highest, bottom, 10)
    drawn = []
    for tick in round_ticks(lowest, 1.08 * highest):
        drawn += [
            line(left, up(tick), width - 12, up(tick), "hair"),
            words(left - 6, up(tick) + 4, f"{tick:g}".replace("-", "−"), "i3 e"),
        ]
    drawn.append(line(left, up(0.0), width - 12, up(0.0), "axis"))
    drawn += [words(across(tick), bottom + 16, f"{tick:g}", "i3 m") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)]
    shown = [(across(x), up(y)) for x, y in zip(t, everyone, strict=True) if y >= lowest]
    if len(shown) > 1:
        drawn.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in shown)}" class="trace"/>')
        drawn.append(words(min(shown[-1][0] + 5, width - 70), shown[-1][1] - 6, "treat all", "i3 halo"))
    drawn.append(words(left + 4, up(0.0) + 15, "treat none", "i3 halo"))
    for each in ink_last(lines):
        points = zip(np.asarray(each.x).tolist(), np.asarray(each.y).tolist(), strict=True)
        drawn.append(way([(across(x), up(y)) for x, y in points if y >= lowest], each.variant))
    drawn.append(words((left + width - 12) / 2, bottom + 34, "threshold probability from which one treats", "m i2"))
    whose, tall = key([e.variant for e in lines], left, height - 4, width - left)
    drawn += whose
    at = int(np.argmin(np.abs(t - 0.5))) if len(t) else 0
    said = "; ".join(f"{e.variant.letter} {e.variant.name} {float(e.y[at]):.3f}" for e in lines)
    label = f"Net benefit. At a threshold probability of 0.5: {said}."
    return sheet(width, height + tall - 16, drawn, label, role="img")


@dataclass(frozen=True, eq=False)
class Answers:
    """One variant's answers: counts (K + 1, K + 1) of `engine.metrics.answer_table`, the last of each for none."""

    variant: Lettered
    counts: Any


def answers_svg(told: Sequence[Answers], view: View, *, width: float = 310) -> str:
    """Return who got which answer, or none, by true class: one block of rows a variant."""
    k = len(view.classes)
    names = [view.lettered(c) for c in range(k)]
    first = min(max(text_width(f"truly {name}") for name in names) + 30, 0.42 * width)
    share = (width - first) / (k + 1)
    drawn, said, y = [], [], 4.0
    heads = [*names, "no answer"]
    for c, head in enumerate(heads):
        drawn.append(words(first + share * (c + 0.5), y + 12, fit(head, share - 4), "m i2"))
    y += 20
    for one in told:
        counts = np.asarray(one.counts)
        drawn += [line(0, y, width, y, "hair"), disc(9, y + 16, one.variant.place)]
        for row in range(k):
            at = y + 26 * row
            whole = int(counts[row].sum())
            drawn.append(words(24, at + 20, fit(f"truly {names[row]}", first - 28), ""))
            for c in range(k + 1):
                n = int(counts[row, c])
                x = first + share * c
                if c == k:
                    drawn.append(hatched(x + 2, at + 3, share - 4, 22, 4))
                elif c == row:
                    drawn.append(box(x + 2, at + 3, share - 4, 22, paint="var(--hair)", round_=4))
                style = "m b halo" if c not in (row, k) and n else "m"
                style += " on-hatch" if c == k else ""
                drawn.append(words(x + share / 2, at + 19, f"{n:,}", style.replace(" halo", "")))
            parts = ", ".join(f"{head} {int(n)}" for head, n in zip(heads, counts[row], strict=True))
            said.append(f"{one.variant.letter}, truly {names[row]} ({whole}): {parts}")
        y += 26 * k + 8
    drawn.append(line(0, y, width, y, "hair"))
    return sheet(width, y + 4, drawn, f"Answers by true class. {'; '.join(said)}.", role="img")


def answers_rows(told: Sequence[Answers], view: View) -> list[dict[str, Any]]:
    """Return the answers as rows, one a variant, true class and answer."""
    names = [view.class_name(each) for each in view.classes]
    return [
        {"variant": one.variant.said, "truly": names[i], "answer": head, "patients": int(np.asarray(one.counts)[i, j])}
        for one in told for i in range(len(names)) for j, head in enumerate([*names, "no answer"])
    ]  # fmt: skip
