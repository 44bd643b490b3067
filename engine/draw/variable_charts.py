"""Small pictures of one variable: training values, measurement error as a bell, thresholds, a reading.

In: readings, thresholds, σ. Out: SVG text for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cuts import HIGH, LOW, OPEN, cut_counts, cut_labels
from engine.draw.picture import Scale, bell_points, polyline
from engine.draw.sheet import box, dot, fill, fit, hatched, ink, line, sheet, stroke, text_width, titled, words
from engine.evidence import axis_of
from engine.noise import TWO_SIDED_95
from engine.number_words import error_text, number_text, plain, shortest

Sigma = float | Callable[[float], Any] | None


def _sigma_at(sigma: Sigma, x: float) -> float:
    return float(np.asarray(sigma(x))) if callable(sigma) else float(sigma or 0.0)


def _ends(low: float, high: float, decimals: int) -> tuple[str, str]:
    ends = (math.ceil(low - 1e-9), math.floor(high + 1e-9)) if decimals == 0 else (low, high)
    texts = [plain(end, decimals) for end in ends]
    return tuple(t.rstrip("0").rstrip(".") if "." in t else t for t in texts)  # type: ignore[return-value]


def _edges(scale: Scale, step: float, origin: float) -> NDArray[np.float64]:
    half = step / 2  # of the largest floats only half a range is a number
    first = math.floor((scale.low / 2 - origin / 2) / half)
    last = math.ceil((scale.high / 2 - origin / 2) / half)
    edges: NDArray[np.float64] = np.nan_to_num(2 * (origin / 2 + half * np.arange(first, last + 1)))
    return edges


def _bars(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    scale: Scale,
    step: float,
    top: float,
    base: float,
    origin: float,
) -> str:
    edges = _edges(scale, step, origin)
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
    texts: Mapping[float, str] | None = None,
) -> str:
    """Return one variable: training histogram in grey, θ ± 1.96 σ in violet, a bell at each threshold.

    Parameters
    ----------
    values : (n,) readings, NaN missing. thresholds : the tree's, none draws the bell at the mean.
    sigma : σ in the variable's unit, or a function of the value; 0 or None is exact: no bell, no band.
    texts : how thresholds are written elsewhere on the page, by threshold; others are written short.
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
    told = {x: (texts or {}).get(x) or _short(x, shown, column[known]) for x in cuts}
    drawn += _cut_words([(x, scale(x), told[x]) for x in cuts], low, high, width, tall - 5)
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
    cut_words = ", ".join(told.values()) or "not used by the tree"
    label = f"{name or 'Variable'}{after}: training values {low} to {high}; thresholds {cut_words}"
    return sheet(width, tall, drawn, label, role="img")


def cut_svg(
    values: Any, cut: tuple[float, float], *, width: float = 330, height: float = 112, unit: str = "", name: str = ""
) -> str:
    """Return a numeric outcome as it is cut: low and high in their classes' colours, what is left open in the hatch.

    A cut beyond the axis stands at its end with an arrow, for an axis out to it would squeeze every bar into one.

    Parameters
    ----------
    values : (n,) the outcome, NaN missing. cut : (low, high) in its unit. name, unit : for the spoken label.
    """
    column = np.asarray(values, dtype=np.float64)
    column = column[np.isfinite(column)]
    axis = axis_of(column, cut)
    scale, base, top = Scale(axis.low, axis.high, 1, width - 1), height - 19, 18.0
    a, b = scale(cut[0]), scale(cut[1])
    drawn = [hatched(a, top, b - a, base - top)] if b > a else []
    edges = _edges(scale, axis.step, cut[0] if axis.low < cut[0] < axis.high else axis.low)
    labels, inside = cut_labels(column, cut), np.clip(column, edges[0], edges[-1])
    groups = {label: np.histogram(inside[labels == label], bins=edges)[0] for label in (LOW, OPEN, HIGH)}
    tall = max(float(np.sum(list(groups.values()), axis=0).max()), 1.0)
    floor = np.zeros(len(edges) - 1)
    places = {label: place for place, label in enumerate(sorted((LOW, HIGH)))}  # colours follow the classes' order
    for label, counts in groups.items():
        for i in np.flatnonzero(counts):
            left, right = scale(float(edges[i])), scale(float(edges[i + 1]))
            tallness = float(counts[i]) / tall * (base - top)
            paint = fill(places[label]) if label in places else "var(--third)"
            drawn.append(box(left + 0.4, base - floor[i] - tallness, right - left - 0.8, tallness, paint))
            floor[i] += tallness
    drawn += [line(1, base, width - 1, base, "axis"), line(a, 2, a, base, "cut")]
    drawn += [line(b, 2, b, base, "cut")] if b > a else []
    for label, text, left, right in ((LOW, LOW, 0.0, a), (OPEN, "open", a, b), (HIGH, HIGH, b, width)):
        if right - left > text_width(text, 12, True) + 8:
            drawn.append(words((left + right) / 2, 12, text, f"{ink(places.get(label))} b m".strip()))
    cuts = sorted(set(cut))
    first, last = _ends(axis.low, axis.high, axis.decimals)
    first, last = ("≤ " if axis.below else "") + first, last + ("+" if axis.above else "")
    arrows = ["← " * (x < axis.low) + number_text(x) + " →" * (x > axis.high) for x in cuts]
    under = [(x, scale(x), text) for x, text in zip(cuts, arrows, strict=True)]
    drawn += _cut_words(under, first, last, width, height - 5)
    said = cut_counts(column, cut)
    after = f" in {unit}" if unit else ""
    label = f"{name or 'Outcome'}{after}, cut at {' and '.join(map(number_text, cuts))}: "
    return sheet(width, height, drawn, label + f"{said[LOW]} low, {said[OPEN]} open, {said[HIGH]} high")


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
    return sheet(width, height, drawn, f"Categories: {told}", role="img")


def training_ends(values: Any, decimals: int | None = None) -> tuple[str, str]:
    """Return the lowest and highest training value as the strip under a reading's field writes them, "" for none."""
    column = np.asarray(values, dtype=np.float64)
    column = column[np.isfinite(column)]
    if not column.size:
        return "", ""
    shown = axis_of(column).decimals if decimals is None else decimals
    return plain(float(column.min()), shown), plain(float(column.max()), shown)


class FieldStrip:
    """The strip under a reading's field: training histogram, the reading as a dot, ± 1.96 σ as a bar.

    It is drawn anew with every reading that is typed; what the training values alone decide is worked out once.
    """

    def __init__(self, values: Any, *, width: float = 224, decimals: int | None = None) -> None:
        column = np.asarray(values, dtype=np.float64)
        column = column[np.isfinite(column)]
        axis = axis_of(column)
        self.width, self.base = width, 17.0
        self.scale = Scale(axis.low, axis.high, 5, width - 5)
        self.bars = _bars(column, np.ones(len(column)), self.scale, axis.step, 2, self.base, axis.low)
        self.range = (float(column.min()), float(column.max())) if column.size else None
        self.ends = training_ends(column, decimals)

    def svg(self, reading: float | None, sigma: float, unit: str = "") -> str:
        """Return the strip for a reading, None for a missing one, with its σ in the variable's unit."""
        width, base, scale, (low, high) = self.width, self.base, self.scale, self.ends
        drawn = [self.bars, line(5, base, width - 5, base, "axis")]
        known, outside = reading is not None and math.isfinite(reading), False
        if known and reading is not None:
            if sigma > 0:
                a, b = scale(reading - TWO_SIDED_95 * sigma), scale(reading + TWO_SIDED_95 * sigma)
                drawn.append(stroke(a, base, b, "var(--unsure)", 4))
            drawn.append(dot(scale(reading), base, 5, "var(--control)", width=1.5))
            outside = self.range is not None and not self.range[0] <= reading <= self.range[1]
        middle = error_text(number_text(sigma, 4), unit) if sigma > 0 else "exact"
        middle = "missing" if not known else "outside the training range" if outside else middle
        style = "u b m" if sigma > 0 and known and not outside else "b m" if outside else "i2 m"
        room = width - text_width(low) - text_width(high) - 18
        drawn += [words(4, 34, low, "i3"), words(width - 4, 34, high, "i3 e")]
        drawn.append(words(width / 2, 34, fit(middle, room, 12, "b" in style.split()), style))
        return sheet(width, 38, drawn, f"Training values {low} to {high}; this reading {middle}", role="img")
