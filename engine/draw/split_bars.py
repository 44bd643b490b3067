"""The training patients of a split as bars: mirrored for two classes, a lane a class for more.

In: weights by bin or category and class, where each is to stand. Out: SVG text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.draw.picture import Picture, Scale
from engine.draw.sheet import fill, letter, line, words

SHOWN_LANES = 4


def histogram_bars(picture: Picture, node: int, scale: Scale, top: float, base: float) -> list[str]:
    """Return mirrored bars for two classes; for more, a lane a class with its letter, lightest classes together."""
    histogram = picture.evidence.histogram(node)
    spots = [(scale(a), scale(b)) for a, b in zip(histogram.edges, histogram.edges[1:], strict=False)]
    return (
        mirrored_bars(histogram.counts, spots, top, base, scale.left, scale.right)
        if not picture.view.several
        else class_lanes(picture, node, histogram.counts, spots, top, base, scale.left, scale.right)
    )


def mirrored_bars(
    counts: Any, spots: Sequence[tuple[float, float]], top: float, base: float, left: float, right: float
) -> list[str]:
    """Return the first class's bars above a line and the second's below it, between `top` and `base`."""
    up = counts[:, 0]
    down = counts[:, 1] if counts.shape[1] > 1 else np.zeros_like(up)
    whole = float(up.max() + down.max()) or 1.0
    unit = (base - top) / whole
    zero = top + float(up.max()) * unit
    drawn = []
    for values, sign, place_ in ((up, -1, 0), (down, 1, 1)):
        path = []
        for value, (a, b) in zip(values, spots, strict=True):
            if value > 0 and b - a > 0.2:
                inset = 0.5 if b - a > 3 else 0.0
                end = zero + sign * max(value * unit, 0.6)
                path.append(f"M{a + inset:.1f} {zero:.1f}V{end:.1f}H{b - inset:.1f}V{zero:.1f}Z")
        if path:
            drawn.append(f'<path d="{"".join(path)}" fill="{fill(place_)}"/>')
    return [*drawn, line(left, zero, right, zero, "axis")]


def class_lanes(
    picture: Picture,
    node: int,
    counts: Any,
    spots: Sequence[tuple[float, float]],
    top: float,
    base: float,
    left: float,
    right: float,
) -> list[str]:
    """Return a row of bars a class, each with its letter; beyond `SHOWN_LANES` the lightest share the last."""
    n_classes = counts.shape[1]
    order = np.argsort(-picture.tree.class_weight[0], kind="stable")
    chosen = sorted(int(k) for k in (order[: SHOWN_LANES - 1] if n_classes > SHOWN_LANES else order))
    lanes = [(letter(k), fill(k), counts[:, k]) for k in chosen]
    if n_classes > SHOWN_LANES:
        rest = [k for k in range(n_classes) if k not in chosen]
        lanes.append(("+", "var(--grey-bar)", counts[:, rest].sum(axis=1)))
    tall = max(float(lane[2].max()) for lane in lanes) or 1.0
    height, drawn = (base - top) / len(lanes), []
    for place_, (sign, paint, values) in enumerate(lanes):
        floor = top + (place_ + 1) * height
        path = []
        for value, (a, b) in zip(values, spots, strict=True):
            if value > 0 and b - a > 0.2:
                inset = 0.5 if b - a > 3 else 0.0
                rise = max(value / tall * (height - 3), 0.8)
                path.append(f"M{a + inset:.1f} {floor:.1f}v{-rise:.1f}H{b - inset:.1f}V{floor:.1f}Z")
        if path:
            drawn.append(f'<path d="{"".join(path)}" fill="{paint}"/>')
        drawn.append(line(left, floor, right, floor, "axis" if place_ == len(lanes) - 1 else "hair"))
        drawn.append(words(left - 10, floor - height / 2 + 5, sign, "i3"))
    return drawn
