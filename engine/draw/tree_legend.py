"""The legend of the training tree: what its bars, thresholds, zones and leaves look like.

In: a tree, the reader's view, what is laid over. Out: SVG text.
"""

from __future__ import annotations

import numpy as np

from engine.draw.overlay import Overlay, overlay_legend
from engine.draw.picture import bell_points, polyline
from engine.draw.sheet import View, box, esc, fill, fit, flow, hatched, line, text_width, words
from engine.draw.split_bars import SHOWN_LANES
from engine.tree import BINARY, BINS, MIDDLE, Tree


def _threshold_legend(tree: Tree, noisy: bool) -> list[tuple[str, float]]:
    """What thresholds, zones and the edges of bins look like, of those the tree has."""
    items = []
    if np.isin(tree.gate, (BINARY, MIDDLE)).any():
        cut, said, zones = line(9, 4, 9, 24, "cut"), "threshold", bool(np.any(tree.high > tree.low))
        if noisy or zones:
            cut = box(0, 4, 18, 20, style="band") + cut
        if noisy:
            cut += f'<path d="{polyline(bell_points(9, 4, 19, 13))}" class="bell"/>'
            said = "threshold ± 1.96 σ: re-measured, may cross"
        if zones:
            said = "threshold and zone: " + ("its own branch" if (tree.gate == MIDDLE).any() else "undecided inside it")
        items.append((cut + words(26, 20, said, "i2"), 26 + text_width(said)))
    if (tree.gate == BINS).any():
        edges = "".join(line(x, 6, x, 22, "axis") for x in (2, 9, 16)) + line(0, 22, 18, 22, "axis")
        said = "35 – 41: a bin, above 35 up to 41"
        items.append((edges + words(26, 20, said, "i2"), 26 + text_width(said)))
    return items


def tree_legend_svg(tree: Tree, view: View, over: Overlay | None = None, noisy: bool = True) -> str:
    """Return the legend of the training tree; three or more classes are listed with their letters.

    Parameters
    ----------
    noisy : whether any split has a σ; without one no bell stands in the picture, and none in the legend.
    """
    items: list[tuple[str, float]] = []
    if view.several:
        for k in range(len(view.classes)):
            text = fit(view.lettered(k), 150)
            items.append((box(0, 10, 11, 11, fill(k)) + words(15, 20, text, "i2"), 15 + text_width(text)))
        if len(view.classes) > SHOWN_LANES:
            items.append((box(0, 10, 11, 11, "var(--grey-bar)") + words(15, 20, "+ the others", "i2"), 80))
    else:
        bars = "".join(
            box(6 * k, 14 - height, 5, height, fill(0)) + box(6 * k, 15, 5, height / 2, fill(1))
            for k, height in enumerate((5, 11, 8, 4))
        )
        up, down = [fit(view.class_name(c), 120, 12, True) for c in (*view.classes, "", "")][:2]
        text = (
            f'<text x="30" y="20" class="i2">patients: <tspan class="b t0">{esc(up)}</tspan> up, '
            f'<tspan class="b t1">{esc(down)}</tspan> down</text>'
        )
        items.append((bars + text, 30 + text_width(f"patients: {up} up, {down} down", 12, True)))
    items += _threshold_legend(tree, noisy)
    widths = box(0, 7, 24, 8, style="pale") + box(0, 19, 24, 2, style="pale")
    items.append((widths + words(32, 20, "width = patients", "i2"), 32 + text_width("width = patients")))
    if tree.has_bayes:
        said = "naive Bayes leaf: its class prior alone"
        items.append((box(0, 8, 22, 15, style="frame", round_=4) + words(30, 20, said, "i2"), 30 + text_width(said)))
    elif view.decision in ("tau", "cost") and any(answer is None for answer in view.leaf_answers):
        said = "abstains: best P < τ" if view.decision == "tau" else "abstains: costs least"
        items.append((hatched(0, 8, 22, 15, rim=True) + words(30, 20, said, "i2"), 30 + text_width(said)))
    if view.set_back:
        mark = box(0, 8, 22, 15, style="frame dotted", round_=4)
        items.append((mark + words(30, 20, "dotted: filtered out", "i2"), 30 + text_width("dotted: filtered out")))
    items += overlay_legend(over or Overlay())
    return flow(items, view.width, "Legend of the tree")
