"""The training tree as a picture: splits with their doubtful edges, ribbons of patients, leaves with answers.

In: a tree, the training evidence, the reader's view, what is laid over. Out: SVG text for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.draw.layout import LEAF, SPLIT, STUB, Placed, Rectangle, Seat, leaves_below, place, tidy
from engine.draw.overlay import (
    Overlay,
    branch_share,
    case_ribbon,
    category_mark,
    leaf_rows,
    over_sentence,
    overlay_legend,
    reading_mark,
    split_row,
    stub_row,
)
from engine.draw.picture import (
    Picture,
    Scale,
    bell_points,
    class_bar,
    leaf_range,
    leaf_sentence,
    leaf_style,
    polyline,
    ribbon,
    short_label,
)
from engine.draw.sheet import (
    View,
    box,
    dot,
    esc,
    fill,
    fit,
    fit_apart,
    flow,
    hatched,
    letter,
    line,
    on_hatch,
    sheet,
    text_width,
    titled,
    words,
)
from engine.evidence import Evidence
from engine.export import ANY_OTHER, FEW_PATIENTS
from engine.leaf_filter import set_back
from engine.number_words import number_text, probability_text, weight_text
from engine.tree import BINARY, BINS, MIDDLE, NOMINAL, REST, Tree

FULL_CARD, FULL_LEAF = 150.0, 88.0
RIBBON = 48.0
LANE = 17.0
SHOWN_LANES = 4
PASS_ROW = 17.0


def _size(picture: Picture, over: Overlay, seat: Seat, slot: float, room: float) -> tuple[float, float]:
    if seat.kind == SPLIT:
        width = min(room, max(300.0 - 44.0 * seat.row, 194.0))
        return width, (150.0 if width >= FULL_CARD else 96.0) + over.on_splits
    if seat.kind == STUB:
        return min(slot - 8, 140.0), 74.0 + over.on_stubs + (PASS_ROW if picture.view.set_back else 0.0)
    if slot < FULL_LEAF:
        return slot - 8, 98.0 + over.on_leaves(False)
    few = any(0 < picture.tree.weight[leaf] < FEW_PATIENTS for leaf in picture.tree.leaves)
    return min(slot - 8, 150.0), (158.0 if few else 142.0) + over.on_leaves(True)


def tree_svg(tree: Tree, evidence: Evidence, view: View, over: Overlay | None = None) -> str:
    """Return the training tree: split cards with doubtful edges, ribbons as wide as patients, leaves with their answer.

    Parameters
    ----------
    tree, evidence : the tree and what its training patients say (`engine.evidence.evidence`).
    view : answers, decision, names, units, the chosen node, what is folded and what is filtered out.
    over : one patient, or other patients, laid over the tree.

    Returns
    -------
    SVG text. Nodes are `<g role="button" data-node=k>`, marks that fold `<g role="button" data-fold=k>`; colours follow
    `data-theme` on the root element.
    """
    picture, over = Picture(tree, evidence, view), over or Overlay()
    seats = tidy(tree, view.collapsed, view.depth_limit)
    placed = place(seats, view.width, lambda seat, slot, room: _size(picture, over, seat, slot, room))
    body, back = _training_ribbons(picture, over, placed), set_back(tree, view.set_back)
    for at in placed.rectangles.values():
        draw = _split if at.kind == SPLIT else _leaf if at.kind == LEAF else _stub
        body.append(draw(picture, over, at, "dim back" if at.node in back else ""))
        body.append(_far_words(picture, at))
        if view.foldable and at.kind == SPLIT:
            body.append(_fold_mark(picture, at))
    grown = [int(leaf) for leaf in tree.leaves if tree.code[leaf] != REST]
    silent = sum(picture.abstains(leaf) for leaf in grown)
    says = "each a naive Bayes" if tree.has_bayes else f"{len(grown) - silent} answer, {silent} abstain"
    label = f"Decision tree with {len(grown)} leaves: {says}"
    if view.set_back:
        label += f"; {sum(leaf not in view.set_back for leaf in grown)} pass the filter, the others are dimmed"
    return sheet(placed.width, placed.height, body, label)


def _fold_mark(picture: Picture, at: Rectangle) -> str:
    """A minus under a split, 44 pixels to touch, that folds its subtree."""
    below, y = leaves_below(picture.tree)[at.node], at.bottom + 9
    label = f"Collapse {picture.name(at.node)}, {below} {'leaf' if below == 1 else 'leaves'} below it"
    hit = box(at.centre - 22, at.bottom + 1, 44, 44, "transparent")
    mark = f'<circle cx="{at.centre:.1f}" cy="{y:.1f}" r="7.5"/><path d="M{at.centre - 4:.1f} {y:.1f}h8"/>'
    return (
        f'<g role="button" tabindex="-1" class="fold" data-fold="{at.node}" aria-label="{esc(label)}">'
        f"<title>{esc(label)}</title>{hit}{mark}</g>"
    )


def _training_ribbons(picture: Picture, over: Overlay, placed: Placed) -> list[str]:
    tree, drawn, laid, labels = picture.tree, [], [], []
    whole = float(tree.weight[0]) or 1.0
    for node, at in placed.rectangles.items():
        if at.kind != SPLIT:
            continue
        children = list(tree.children(node))
        widths = [max(RIBBON * float(tree.weight[child]) / whole, 1.0) for child in children]
        start = at.centre - sum(widths) / 2
        for child, width in zip(children, widths, strict=True):
            to = placed.rectangles[child]
            attributes = f' data-child="{child}"'
            drawn.append(ribbon(start + width / 2, at.bottom, to.centre, to.y, width, "ribbon", attributes))
            laid.append(case_ribbon(over, child, start + width / 2, at.bottom, to.centre, to.y))
            start += width
        labels += _branch_words(picture, over, placed, node, widths)
    return drawn + laid + labels


def _branch_words(
    picture: Picture, over: Overlay, placed: Placed, node: int, widths: Sequence[float]
) -> list[str]:
    """Beside the ribbon for the outer children where there is room, else on it with a plate; the share stands above."""
    children, drawn = list(picture.tree.children(node)), []
    for place_, (child, width) in enumerate(zip(children, widths, strict=True)):
        text, to = picture.labels[node][place_], placed.rectangles[child]
        title = f"{picture.name(node)} {text}"
        share, style = branch_share(over, node, place_, child)
        outer = place_ in (0, len(children) - 1) and len(children) > 1 and to.room >= FULL_LEAF
        wide = max(text_width(text), text_width(share, 12, True))
        if outer and wide <= to.room / 2 - width / 2 - 9:  # 4 px stay free to the next slot's label
            x, anchor = (to.centre - width / 2 - 5, "i2 e") if place_ == 0 else (to.centre + width / 2 + 5, "i2")
            drawn.append(titled(words(x, to.y - 10, text, anchor), title))
            if share:
                drawn.append(words(x, to.y - 25, share, anchor.replace("i2", style)))
            continue
        shown = short_label(text, max(to.room - 6, 40))
        if share:
            share = fit(share, max(to.room - 6, 40), 12, True)
            wide = max(text_width(shown), text_width(share, 12, True)) + 6
            drawn.append(box(to.centre - wide / 2, to.y - 33, wide, 29, "var(--page)", round_=3))
            drawn.append(words(to.centre, to.y - 22, share, f"{style} m"))
        drawn.append(titled(words(to.centre, to.y - 8, shown, "i2 m halo"), title))
    return drawn


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


def _split(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    node, inset = at.node, 12 if at.width >= FULL_CARD else 8
    left, right = at.x + inset, at.x + at.width - inset
    body = [box(at.x, at.y, at.width, at.height, style=picture.frame_style(node), round_=8)]
    near = _split_full(picture, over, at) if at.width >= FULL_CARD else _split_compact(picture, over, at)
    near += split_row(picture, over, at, left, right)
    sentence, title = _split_sentence(picture, node)
    told = over_sentence(picture, over, node)
    body += ['<g class="near">', *near, "</g>"]
    return picture.button(node, sentence + told, f"{title}\n{told.strip()}".rstrip(), body, style, opened=True)


def _far_words(picture: Picture, at: Rectangle) -> str:
    """Name and threshold, or answer and n, alone and large, for a picture seen from far."""
    node, middle = at.node, at.y + at.height / 2
    if at.kind == SPLIT:
        first, second = picture.name(node), picture.evidence.threshold_text(node)
        big = 26 if at.width >= FULL_CARD else 18
        style = ""
    else:
        first = f"+{at.folded}" if at.kind == STUB else picture.reason(node)[0].rstrip(":")
        second, big = str(picture.evidence.count[node]), 18
        style = "" if at.kind == STUB else leaf_style(picture, node).replace("b", "", 1).strip()
    name = fit(first, at.width - 8, big, True)
    upper, lower = (middle - 4, middle + big - 2) if at.kind == SPLIT else (at.y + 25, at.y + 78)
    return (
        '<g class="far" aria-hidden="true" pointer-events="none">'
        f"{words(at.centre, upper, name, f'z{big} b m {style}'.strip())}"
        f"{words(at.centre, lower, second, f'z{big} m i2')}</g>"
    )


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
    drawn += _bars(picture, node, scale, top + lane, base)
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


def _bars(picture: Picture, node: int, scale: Scale, top: float, base: float) -> list[str]:
    """Mirrored bars for two classes; for more, a lane a class with its letter, lightest classes together."""
    histogram = picture.evidence.histogram(node)
    spots = [(scale(a), scale(b)) for a, b in zip(histogram.edges, histogram.edges[1:], strict=False)]
    return (
        _mirrored(histogram.counts, spots, top, base, scale.left, scale.right)
        if not picture.view.several
        else _lanes(picture, node, histogram.counts, spots, top, base, scale.left, scale.right)
    )


def _mirrored(
    counts: Any, spots: Sequence[tuple[float, float]], top: float, base: float, left: float, right: float
) -> list[str]:
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


def _lanes(
    picture: Picture,
    node: int,
    counts: Any,
    spots: Sequence[tuple[float, float]],
    top: float,
    base: float,
    left: float,
    right: float,
) -> list[str]:
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


def _category_bars(picture: Picture, over: Overlay, at: Rectangle, left: float, right: float) -> list[str]:
    """A nominal split: a group a category, its name below while there is room."""
    tree, evidence, node = picture.tree, picture.evidence, at.node
    histogram, variable = evidence.histogram(node), int(tree.variable[node])
    top, base = at.y + 30, at.y + 103
    if tree.categories[variable] is None:
        scale = Scale(evidence.axis(variable).low, evidence.axis(variable).high, left, right)
        drawn = _bars(picture, node, scale, top, base)
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
            drawn = _lanes(picture, node, histogram.counts, spots, top, base, left, right)
        else:
            drawn = _mirrored(histogram.counts, spots, top, base, left, right)
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


def _header(picture: Picture, at: Rectangle, height: float, lines: Sequence[tuple[str, str]]) -> list[str]:
    """The leaf's answer over plain ground, or over hatch when it abstains."""
    unanswered = picture.abstains(at.node)
    drawn = [hatched(at.x + 1, at.y + 1, at.width - 2, height, 7)] if unanswered else []
    write = on_hatch if unanswered else words
    for place_, (text, style) in enumerate(lines):
        bold = "b" in style.split()
        shown = picture.fit_answer(text, at.width - 13) if bold else fit(text, at.width - 13)
        drawn.append(write(at.x + 8, at.y + 17 + 16 * place_, shown, style))
    return drawn


def _leaf(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    node, full = at.node, at.width + 8 >= FULL_LEAF
    unanswered, inset = picture.abstains(node), 8 if full else 6
    own = replace(at, height=at.height - over.on_leaves(full))
    body = [box(at.x, at.y, at.width, at.height, style=picture.frame_style(node, unanswered), round_=8)]
    body += _leaf_full(picture, own) if full else _leaf_compact(picture, own)
    body += leaf_rows(picture, over, at, at.x + inset, at.x + at.width - inset, full)
    sentence, title = leaf_sentence(picture, node)
    out = picture.view.set_back.get(node)
    told = (f" Filtered out: {out}." if out else "") + over_sentence(picture, over, node)
    return picture.button(node, sentence + told, f"{title}\n{told.strip()}".rstrip(), body, style)


def _weights_line(picture: Picture, node: int, left: float, right: float, y: float) -> list[str]:
    tree = picture.tree
    weights = [weight_text(float(w), picture.fractional) for w in tree.class_weight[node]]
    if not picture.view.several:
        return [
            words(left, y, weights[0], "t0"),
            words(right, y, weights[-1], "t1 e") if len(weights) > 1 else "",
        ]
    order = np.argsort(-tree.class_weight[node], kind="stable")[:2]
    pair = [f"{letter(int(k))} {weights[k]}" for k in order if tree.class_weight[node, k] > 0]
    drawn = [words(left, y, pair[0])] if pair else []
    if len(pair) > 1 and text_width(pair[0] + pair[1]) + 6 <= right - left:
        drawn.append(words(right, y, pair[1], "e i2"))
    return drawn


def _leaf_full(picture: Picture, at: Rectangle) -> list[str]:
    tree, view, node = picture.tree, picture.view, at.node
    left, right = at.x + 8, at.x + at.width - 8
    head, why = picture.reason(node)
    empty, few = tree.weight[node] <= 0, 0 < tree.weight[node] < FEW_PATIENTS
    why = f"out: {view.set_back[node]}" if node in view.set_back else why
    if text_width(why) > at.width - 13:
        why = why.replace("τ ", "")
    drawn = _header(picture, at, 38, [(head, leaf_style(picture, node)), (why, "i2")])
    drawn += class_bar([float(w) for w in tree.class_weight[node]], left, at.y + 46, right - left, 13, view.several)
    if empty:
        drawn.append(words(left, at.y + 75, fit("no patients", right - left), "i3"))
    else:
        drawn += _weights_line(picture, node, left, right, at.y + 75)
    k = picture.shown_class(node)
    if not picture.by_reading:
        drawn += ['<g class="near">', *_interval(picture, node, k, left, right, at.y + 91), "</g>"]
    else:
        drawn.append(words(left, at.y + 95, "class prior", "i3"))
    p = probability_text(float(tree.probability[node, k]))
    names = [view.lettered(each) for each in range(len(view.classes))]
    name = fit_apart(names[k], names, right - left - text_width(p) - 5)
    drawn += [words(left, at.y + 112, name, "i2"), words(right, at.y + 112, p, "e")]
    drawn.append(line(left, at.y + 119, right, at.y + 119, "hair"))
    y = at.bottom - 9
    n = "empty" if empty else f"n {weight_text(float(tree.weight[node]), picture.fractional)}"
    drawn += [words(left, y, n, "i2"), words(right, y, _own_name(picture, node), "i3 e")]
    if few:
        drawn.append(words(left, y - 16, "few patients", "b"))
    return drawn


def _interval(picture: Picture, node: int, k: int, left: float, right: float, y: float) -> list[str]:
    """P with its 95 % Clopper–Pearson range on 0 to 1, over the hatched range that abstains."""
    tree, view, scale = picture.tree, picture.view, Scale(0, 1, left, right)
    drawn = []
    if view.decision == "tau":
        low, high = (0.0, view.tau) if view.several else (1 - view.tau, view.tau)
        if high > low:
            drawn.append(hatched(scale(low), y - 6, scale(high) - scale(low), 12, rim=True))
    drawn += [
        line(left, y, right, y, "hair"),
        line(left, y - 3, left, y + 3, "axis"),
        line(right, y - 3, right, y + 3, "axis"),
    ]
    drawn.append(line(left, y, right, y, "axis thin"))
    p = float(tree.probability[node, k])
    if tree.weight[node] > 0:
        low, high, _ = leaf_range(tree, node, k)
        drawn += [line(scale(low), y, scale(high), y, "cut")]
        drawn += [line(scale(end), y - 3, scale(end), y + 3, "cut") for end in (low, high)]
    place_ = view.class_index(picture.answers[node])
    drawn.append(dot(scale(p), y, 3.6, "var(--third)" if place_ is None else fill(place_), width=1.2))
    return drawn


def _leaf_compact(picture: Picture, at: Rectangle) -> list[str]:
    tree, node = picture.tree, at.node
    left, right = at.x + 6, at.x + at.width - 6
    head = picture.reason(node)[0].rstrip(":")
    drawn = _header(picture, at, 24, [(head, leaf_style(picture, node))])
    drawn += class_bar(
        [float(w) for w in tree.class_weight[node]], left, at.y + 32, right - left, 13, picture.view.several
    )
    weight, p = float(tree.weight[node]), probability_text(float(tree.probability[node, picture.shown_class(node)]))
    n, few = weight_text(weight, picture.fractional), 0 < weight < FEW_PATIENTS
    counted = ("empty", "i2") if weight <= 0 else (f"few: {n}", "b") if few else (f"n {n}", "i2")
    sign = "prior" if picture.by_reading else "P"
    probability = f"{sign} {p}" if text_width(f"{sign} {p}") <= right - left + 3 else p
    last = ("filtered out", "b") if node in picture.view.set_back else (_own_name(picture, node), "i3")
    for row, (text, style) in enumerate((counted, (probability, ""), last)):
        drawn.append(words(left, at.y + 60 + 16 * row, fit(text, right - left + 3), style))
    return drawn


def _own_name(picture: Picture, node: int) -> str:
    """A leaf's name in a few letters: "leaf 3", or "others" for all values without a branch."""
    return "others" if picture.tree.code[node] == REST else picture.leaf_name[node]


def _stub(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    tree, node, out = picture.tree, at.node, picture.view.set_back
    left, right, n = at.x + 6, at.x + at.width - 6, int(picture.evidence.count[node])
    folded = f"+{at.folded} leaves" if at.folded != 1 else "+1 leaf"
    plus = f"M{right - 13:.1f} {at.y + 14:.1f}h8m-4 -4v8"
    room = right - left - (16 if picture.view.foldable else 2)
    body = [
        box(at.x + 4, at.y + 4, at.width - 4, at.height - 4, style="frame", round_=8),
        box(at.x, at.y, at.width - 4, at.height - 5, style=picture.frame_style(node), round_=8),
        words(left, at.y + 18, folded if text_width(folded, 12, True) <= room else f"+{at.folded}", "b"),
        f'<path d="{plus}" class="sign"/>' if picture.view.foldable else "",
    ]
    weights = [float(w) for w in tree.class_weight[node]]
    body += class_bar(weights, left, at.y + 30, right - left - 4, 13, picture.view.several)
    grown = [int(leaf) for leaf in tree.leaves if tree.code[leaf] != REST] if out else []
    inside = [leaf for leaf in grown if node in tree.path(leaf)]
    passed = f"{sum(leaf not in out for leaf in inside)} of {at.folded} pass" if out else ""
    body.append(words(left, at.y + 62, f"n {n}", "i2"))
    if passed:
        body.append(words(left, at.y + 62 + PASS_ROW, fit(passed, right - left - 2), "i2"))
    body += stub_row(picture, over, at, left, right - 4)
    sentence = f"{picture.name(node)} and {folded.removeprefix('+')} below it, folded, {n} patients"
    sentence += f", {passed} the filter." if out else "."
    sentence += over_sentence(picture, over, node)
    return picture.button(node, sentence, f"{picture.path_words(node)}\n{sentence}", body, style, opened=False)


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
