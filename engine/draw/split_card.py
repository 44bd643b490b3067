"""A split as a card: its variable, the doubtful edge over the training patients, how many go where.

In: a picture of the training tree, what is laid over it, a place. Out: SVG text.
"""

from __future__ import annotations

import math

from engine.draw.layout import Rectangle
from engine.draw.overlay import Overlay, category_mark, over_sentence, reading_mark, split_row
from engine.draw.picture import Picture, Scale, bell_points, polyline
from engine.draw.sheet import box, esc, fit, line, text_width, titled, words
from engine.draw.split_bars import class_lanes, histogram_bars, mirrored_bars
from engine.export import ANY_OTHER
from engine.number_words import number_text
from engine.tree import BINS, MIDDLE, NOMINAL, REST, Tree

FULL_CARD = 150.0
LANE = 17.0


def split_card(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    """Return a split as a button: whole where its card is wide, else its name, threshold and counts alone."""
    node, inset = at.node, 12 if at.width >= FULL_CARD else 8
    left, right = at.x + inset, at.x + at.width - inset
    body = [box(at.x, at.y, at.width, at.height, style=picture.frame_style(node), round_=8)]
    near = _split_full(picture, over, at) if at.width >= FULL_CARD else _split_compact(picture, over, at)
    near += split_row(picture, over, at, left, right)
    sentence, title = _split_sentence(picture, node)
    told = over_sentence(picture, over, node)
    body += ['<g class="near">', *near, "</g>"]
    return picture.button(node, sentence + told, f"{title}\n{told.strip()}".rstrip(), body, style, opened=True)


def _split_sentence(picture: Picture, node: int) -> tuple[str, str]:
    """A split in one sentence, and its unrounded numbers."""
    tree, evidence = picture.tree, picture.evidence
    name, unit, n = picture.name(node), picture.unit(node), int(evidence.count[node])
    after = f" {unit}" if unit else ""
    children = ", ".join(
        f"{label}: {count} patients"
        for label, count in zip(picture.labels[node], evidence.branch_counts(node), strict=True)
    )
    if tree.gate[node] in (NOMINAL, BINS):
        sentence = f"{name}, {n} patients, {branches_words(tree, node)}. {children}."
        return sentence, f"{picture.path_words(node)}\n{name}: {children}\ngain {tree.gain[node]:.6g}"
    counts, band = evidence.split_counts(node), evidence.band(node)
    sentence = f"{name}, cut at {evidence.threshold_text(node)}{after}, {n} patients. "
    if band.kind:
        low, high = picture.evidence.band_text(node)
        third = "in the middle branch, its zone" if tree.gate[node] == MIDDLE else "in its zone"
        what = third if band.kind == "zone" else "within measurement error"
        sentence += f"{counts.n[0]} left, {counts.n[1]} {what} {low} to {high}, {counts.n[2]} right"
    else:
        sentence += f"{counts.n[0]} left, {counts.n[2]} right, taken as exact"
    sentence += f", {counts.n[3]} missing." if counts.n[3] else "."
    parts = (
        ("left", counts.left),
        ("in the range", counts.zone),
        ("right", counts.right),
        ("missing", counts.missing),
    )
    title = [
        picture.path_words(node),
        f"{name} at {number_text(float(tree.threshold[node]), 10)}{after}",
        f"weight {tree.weight[node]:.6g}: " + ", ".join(f"{part} {value:.6g}" for part, value in parts),
    ]
    if band.kind:
        range_ = f"{number_text(band.low, 8)} to {number_text(band.high, 8)}{after}"
        title.append(f"{'zone' if band.kind == 'zone' else 'θ ± 1.96 σ'}: {range_}")
    title.append(f"σ {number_text(band.sigma)} at the threshold, gain {tree.gain[node]:.6g}")
    return sentence, "\n".join(title)


def _split_full(picture: Picture, over: Overlay, at: Rectangle) -> list[str]:
    tree, evidence, node = picture.tree, picture.evidence, at.node
    left, right, name = at.x + 12, at.x + at.width - 12, picture.name(node)
    counts = f"n {evidence.count[node]}"
    unit = picture.unit(node)
    room = at.width - 34 - text_width(counts)
    shown = fit(name, room, 14, True)
    drawn = [words(left, at.y + 20, shown, "z14 b"), words(right, at.y + 20, counts, "i2 e")]
    used = text_width(shown, 14, True) + 6
    if unit and room - used > 18:
        drawn.append(words(left + used, at.y + 20, fit(unit, room - used), "i2"))
    if tree.gate[node] in (NOMINAL, BINS):
        return drawn + _category_bars(picture, over, at, left, right)
    top, base = at.y + 30, at.y + 103
    axis, band = evidence.axis(int(tree.variable[node])), evidence.band(node)
    scale = Scale(axis.low, axis.high, left, right)
    theta = float(tree.threshold[node])
    if band.kind:
        drawn.append(box(scale(band.low), top, scale(band.high) - scale(band.low), base - top, style="band"))
    lane = LANE if band.sigma > 0 else 4.0
    drawn += histogram_bars(picture, node, scale, top + lane, base)
    if band.sigma > 0:
        points = [
            p
            for p in bell_points(scale(theta), scale.length(band.sigma), top + lane - 1, lane - 2)
            if left <= p[0] <= right
        ]
        drawn.append(f'<path d="{polyline(points)}" class="bell"/>' if len(points) > 1 else "")
    drawn.append(line(scale(theta), top, scale(theta), base, "cut"))
    drawn += reading_mark(picture, over, node, scale, base)
    drawn += _axis_words(picture, node, scale, theta, at.y + 117)
    drawn.append(line(left, at.y + 124, right, at.y + 124, "hair"))
    return drawn + _three_counts(picture, node, left, right, at.y + 141)


def _ends(picture: Picture, node: int) -> tuple[str, str]:
    """The ends of the split variable's axis in words."""
    axis = picture.evidence.axis(int(picture.tree.variable[node]))
    ends = [math.ceil(axis.low - 1e-9), math.floor(axis.high + 1e-9)] if axis.decimals == 0 else [axis.low, axis.high]
    low, high = (f"{end:.{axis.decimals}f}".replace("-", "−") for end in ends)
    low, high = (text.rstrip("0").rstrip(".") if "." in text else text for text in (low, high))
    return ("≤ " if axis.below else "") + low, high + ("+" if axis.above else "")


def _end_words(picture: Picture, node: int, scale: Scale, y: float, middle: str) -> list[str]:
    low, high = _ends(picture, node)
    drawn = [words(scale.left, y, low, "i3"), words(scale.right, y, high, "i3 e")]
    room = scale.right - scale.left - 2 * max(text_width(low), text_width(high)) - 8
    return [*drawn, words((scale.left + scale.right) / 2, y, middle, "i3 m")] if text_width(middle) <= room else drawn


def _axis_words(picture: Picture, node: int, scale: Scale, theta: float, y: float) -> list[str]:
    low, high = _ends(picture, node)
    cut = picture.evidence.threshold_text(node)
    half, x = text_width(cut, 12, True) / 2, scale(theta)
    x = min(max(x, scale.left + half), scale.right - half)
    drawn = [words(x, y, cut, "b m")]
    if x - half > scale.left + text_width(low) + 4:
        drawn.append(words(scale.left, y, low, "i3"))
    if x + half < scale.right - text_width(high) - 4:
        drawn.append(words(scale.right, y, high, "i3 e"))
    return drawn


def _three_counts(picture: Picture, node: int, left: float, right: float, y: float) -> list[str]:
    counts, band = picture.evidence.split_counts(node), picture.evidence.band(node)
    a, b = f"← {counts.n[0]}", f"{counts.n[2]} →"
    drawn = [words(left, y, a), words(right, y, b, "e")]
    free_left, free_right = left + text_width(a) + 4, right - text_width(b) - 4
    room, middle = free_right - free_left, (left + right) / 2
    missing = f" + {counts.n[3]} missing" if counts.n[3] else ""
    if band.kind:
        low, high = picture.evidence.band_text(node)
        number, span = str(counts.n[1]), f" in {low}–{high}"
        tries = [span + missing, span, ""]
        rest = next((t for t in tries if text_width(number, 12, True) + text_width(t) <= room), "")
        wide = text_width(number, 12, True) + text_width(rest)
        middle = min(max(middle, free_left + wide / 2), free_right - wide / 2)
        drawn.append(
            f'<text x="{middle:.1f}" y="{y:.1f}" class="u m"><tspan class="b">{number}</tspan>{esc(rest)}</text>'
        )
    else:
        tries = [f"σ 0, no zone{missing}", f"σ 0{missing}", "σ 0"]
        drawn.append(words(middle, y, next((t for t in tries if text_width(t) <= room), ""), "i3 m"))
    return drawn


def _category_bars(picture: Picture, over: Overlay, at: Rectangle, left: float, right: float) -> list[str]:
    """A nominal split: a group a category, its name below while there is room."""
    tree, evidence, node = picture.tree, picture.evidence, at.node
    histogram, variable = evidence.histogram(node), int(tree.variable[node])
    top, base = at.y + 30, at.y + 103
    if tree.categories[variable] is None:
        scale = Scale(evidence.axis(variable).low, evidence.axis(variable).high, left, right)
        drawn = histogram_bars(picture, node, scale, top, base)
        for cut in evidence.bin_cuts(node):
            drawn.append(line(scale(cut), top, scale(cut), base, "hair"))
        drawn += reading_mark(picture, over, node, scale, base)
        ends = [evidence.edge_text(node, cut) for cut in evidence.bin_cuts(node)]
        drawn += _end_words(picture, node, scale, at.y + 117, middle=f"cut at {ends[0]} to {ends[-1]}" if ends else "")
        note = branches_words(tree, node)
    else:
        names, step = tree.categories[variable] or (), (right - left) / max(len(histogram.counts), 1)
        spots = [(left + (k + 0.14) * step, left + (k + 0.86) * step) for k in range(len(histogram.counts))]
        if picture.view.several:
            drawn = class_lanes(picture, node, histogram.counts, spots, top, base, left, right)
        else:
            drawn = mirrored_bars(histogram.counts, spots, top, base, left, right)
        if step >= 24:
            for place_, name in enumerate(names):
                text = words(left + (place_ + 0.5) * step, at.y + 117, fit(str(name), step - 3), "i3 m")
                drawn.append(titled(text, str(name)))
        drawn += category_mark(picture, over, node, [left + (k + 0.5) * step for k in range(len(names))], base)
        note = branches_words(tree, node)
    missing = round(evidence.split_counts(node).missing)
    note += f", {missing} missing" if missing else ""
    drawn.append(line(left, at.y + 124, right, at.y + 124, "hair"))
    return [*drawn, titled(words((left + right) / 2, at.y + 141, fit(note, right - left), "i3 m"), note)]


def branches_words(tree: Tree, node: int) -> str:
    """Return how many branches a split by category or bin has: "4 categories, one branch each"."""
    rest = any(tree.code[child] == REST for child in tree.children(node))
    many = int(tree.n_children[node]) - rest
    noun = ("category", "categories") if tree.gate[node] == NOMINAL else ("bin", "bins")
    each = "one branch" + (" each" if many > 1 else "")
    return f"{many} {noun[many != 1]}, {each}" + (f"; {ANY_OTHER} ends here" if rest else "")


def _split_compact(picture: Picture, over: Overlay, at: Rectangle) -> list[str]:
    """Name, threshold, band, the three counts."""
    tree, evidence, node = picture.tree, picture.evidence, at.node
    left, right = at.x + 8, at.x + at.width - 8
    drawn = [words(left, at.y + 19, fit(picture.name(node), right - left, 14, True), "z14 b")]
    if tree.gate[node] in (NOMINAL, BINS):
        drawn.append(words(left, at.y + 38, fit(f"{tree.n_children[node]} branches", right - left), "i2"))
        return [*drawn, words(left, at.y + 88, f"n {evidence.count[node]}", "i2")]
    axis, band, theta = (
        evidence.axis(int(tree.variable[node])),
        evidence.band(node),
        float(tree.threshold[node]),
    )
    cut = f"{evidence.threshold_text(node)} {picture.unit(node)}".strip()
    drawn.append(words(left, at.y + 37, fit(cut, right - left), "i2"))
    scale = Scale(axis.low, axis.high, left, right)
    if band.kind:
        drawn.append(box(scale(band.low), at.y + 47, max(scale(band.high) - scale(band.low), 2), 20, style="band"))
    drawn += [
        line(left, at.y + 67, right, at.y + 67, "axis"),
        line(scale(theta), at.y + 45, scale(theta), at.y + 67, "cut"),
        *reading_mark(picture, over, node, scale, at.y + 67),
    ]
    counts = evidence.split_counts(node)
    drawn += [words(left, at.y + 87, str(counts.n[0])), words(right, at.y + 87, str(counts.n[2]), "e")]
    if band.kind:
        drawn.append(words((left + right) / 2, at.y + 87, str(counts.n[1]), "u b m"))
    return drawn
