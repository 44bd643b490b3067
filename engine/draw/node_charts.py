"""Small pictures of a tree's nodes: leaves against τ, the parts of a split, the best gain of each variable.

In: a tree, what its training patients say, the reader's view. Out: SVG text for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.draw.picture import Scale, branch_labels, class_bar, short_label
from engine.draw.sheet import View, box, dot, fill, fit, hatched, letter, line, sheet, text_width, titled, words
from engine.evidence import Evidence, round_to_total
from engine.number_words import percent_text
from engine.tree import BINS, Tree


def tau_strip_svg(tree: Tree, view: View, *, width: float = 208, marked: int | None = None) -> str:
    """Return every leaf at its best P, area as patients, over the hatched part under τ; a ring marks one leaf."""
    floor = 1.0 / max(len(tree.classes), 2)
    low = math.floor(floor * 10) / 10
    scale, y = Scale(low, 1.0, 11, width - 11), 14.0
    drawn = []
    if view.decision == "tau" and view.tau > low:
        drawn.append(hatched(scale(low), 4, scale(view.tau) - scale(low), 17, rim=True))
    drawn.append(line(11, 23, width - 11, 23, "axis"))
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
    return sheet(width, 44, drawn, f"{len(leaves)} leaves at their best probability, τ {view.tau:.2f}")


def parts_svg(evidence: Evidence, node: int, view: View, *, width: float = 260) -> str:
    """Return the parts of a split (up to the range, in it, above it): patients, class mix, the positive share."""
    tree, counts, band = evidence.tree, evidence.split_counts(node), evidence.band(node)
    variable = int(tree.variable[node])
    names = tree.categories[variable]
    if names is not None:
        mixes = evidence.histogram(node).counts
        rounded = round_to_total([*(float(mix.sum()) for mix in mixes), counts.missing], int(evidence.count[node]))
        parts = [(str(name), n, mix, False) for name, n, mix in zip(names, rounded, mixes, strict=False)]
    elif tree.gate[node] == BINS:
        below = zip(tree.children(node), evidence.branch_counts(node), strict=True)
        labels = branch_labels(tree, evidence, node)
        parts = [(labels[i], n, tree.class_weight[child], False) for i, (child, n) in enumerate(below)]
    elif band.kind:
        low, high = evidence.band_text(node)
        labels = [f"up to {low}", f"{low} to {high}", f"above {high}"]
        parts = [(labels[i], counts.n[i], counts.share[i], i == 1) for i in range(3)]
    else:
        cut, closed = evidence.threshold_text(node), bool(tree.closed_le[node])
        labels = ["≤ " + cut if closed else "< " + cut, "", "> " + cut if closed else "≥ " + cut]
        parts = [(labels[i], counts.n[i], counts.share[i], False) for i in (0, 2)]
    if counts.n[3] and (names is not None or math.isfinite(float(tree.threshold[node]))):
        parts.append(("missing", counts.n[3], np.full(len(tree.classes), np.nan), False))
    bar, right, k = width * 0.62, width - 44, view.positive_index
    # Which class a percentage counts is said in words: above the column of two classes, else by the class's letter.
    drawn = [] if view.several else [words(width, 12, fit(view.lettered(k), width - bar), f"e t{k}")]
    for row, (label, n, mix, inside) in enumerate(parts, start=len(drawn)):
        y, whole = 14.0 + 20 * row, float(np.nansum(mix))
        shown = short_label(label, width * 0.34, 12 * (1.06 if inside else 1))
        drawn.append(titled(words(0, y, shown, "u b" if inside else ""), label))
        drawn.append(words(bar - 8, y, f"{n} patient{'' if n == 1 else 's'}" if width >= 240 else str(n), "i2 e"))
        if whole > 0:
            drawn += class_bar([float(m) for m in mix], bar, y - 9, right - bar, 8, False)
            best = int(np.nanargmax(mix)) if view.several else k
            sign, style = (f"{letter(best)} ", "e") if view.several else ("", f"e t{k}")
            drawn.append(words(width, y, sign + percent_text(float(mix[best]) / whole), style))
    rows = len(parts) + (not view.several)
    return sheet(width, 20.0 * rows + 4, drawn, "Patients in the parts of the split")


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
                "var(--control)" if chosen else "var(--grey-bar)",
                round_=1,
            )
        )
        drawn.append(words(width, y, f"{gain:.3f}" if math.isfinite(gain) else "none", "e"))
    return sheet(width, 20.0 * max(len(rows), 1) + 2, drawn, "Best gain of each variable")
