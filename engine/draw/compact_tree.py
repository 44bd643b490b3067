"""A tree small enough to stand beside others: variable, threshold and range of each split, and where it differs.

In: a tree with its evidence and view, and marks by node from `engine.contrast`. Out: SVG.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from engine.contrast import MORE, MOVED, OTHER
from engine.draw.layout import LEAF, STUB, Rectangle, Seat, place, tidy
from engine.draw.picture import Picture, class_bar, leaf_sentence, leaf_style, ribbon
from engine.draw.sheet import View, box, dot, fit, flow, hatched, on_hatch, sheet, text_width, titled, words
from engine.evidence import Evidence
from engine.number_words import plain, probability_text
from engine.tree import BINS, NOMINAL, Tree

SIGNS = {MOVED: "≈", OTHER: "≠", MORE: "+"}
MEANINGS = {
    MOVED: "same variable, threshold moved",
    OTHER: "other variable than A at this place",
    MORE: "a split where A has none",
}
SPLIT_TALL, LEAF_TALL, STUB_TALL, RISE = 40.0, 58.0, 40.0, 26.0
WIDEST, RIBBON = 128.0, 22.0


@dataclass(frozen=True, eq=False)
class Compact:
    """What a small tree is drawn from."""

    tree: Tree
    evidence: Evidence
    view: View
    marks: Mapping[int, str]


def compact_tree_svg(found: Compact, *, width: float, label: str) -> str:
    """Return the small tree; `label` says in words which tree it is and how it differs."""
    picture = Picture(found.tree, found.evidence, found.view)
    seats = tidy(found.tree, found.view.collapsed, found.view.depth_limit)
    placed = place(seats, width, _size, slot_least=38.0, slot_most=120.0, gap=8.0, rise=RISE, top=12.0)
    drawn = _ribbons(picture, placed.rectangles)
    for node, at in placed.rectangles.items():
        mark = f'data-place="{place_of(found.tree, node)}" data-node='
        drawn.append(_node(picture, found.marks.get(node, ""), at).replace("data-node=", mark, 1))
    return sheet(placed.width, placed.height, drawn, label)


def place_of(tree: Tree, node: int) -> str:
    """Return a node's place as the page knows it: "r" is the root, "r.1.0" the first child of its second child."""
    route = tree.path(node)
    steps = [str(list(tree.children(above)).index(below)) for above, below in pairwise(route)]
    return ".".join(["r", *steps])


def _size(seat: Seat, slot: float, room: float) -> tuple[float, float]:
    if seat.kind == LEAF:
        return slot - 5, LEAF_TALL
    wide = min(max(room, slot - 5), WIDEST)
    return wide, STUB_TALL if seat.kind == STUB else SPLIT_TALL


def _ribbons(picture: Picture, boxes: Mapping[int, Rectangle]) -> list[str]:
    tree, drawn = picture.tree, []
    whole = float(tree.weight[0]) or 1.0
    for node, at in boxes.items():
        children = [child for child in tree.children(node) if child in boxes]
        widths = [max(RIBBON * float(tree.weight[child]) / whole, 1.0) for child in children]
        start = at.centre - sum(widths) / 2
        for child, wide in zip(children, widths, strict=True):
            to = boxes[child]
            drawn.append(ribbon(start + wide / 2, at.bottom, to.centre, to.y, wide, "ribbon"))
            start += wide
    return drawn


def split_words(picture: Picture, node: int) -> tuple[str, str, str]:
    """Return a split's variable, its threshold, and its range or that it has none."""
    tree, told = picture.tree, picture.evidence
    name, band = picture.name(node), told.band(node)
    if tree.gate[node] in (NOMINAL, BINS):
        return name, "", f"{len(tree.children(node))} branches"
    low, high = told.band_text(node)
    half = (band.high - band.low) / 2 if band.kind else 0.0
    axis = told.axis(int(tree.variable[node]))
    under = f"{low}–{high}" if low != high else f"± {plain(half, axis.decimals + 1)}" if half else ""
    return name, told.threshold_text(node), under if band.kind else "no range"


def _node(picture: Picture, mark: str, at: Rectangle) -> str:
    if at.kind == LEAF:
        return _leaf(picture, at)
    body, sentence = _stub(picture, at) if at.kind == STUB else _split(picture, at)
    frame = "frame differs" if mark else "frame"
    drawn = [box(at.x, at.y, at.width, at.height, style=frame, round_=6), *body]
    if mark:
        sentence += f" {MEANINGS[mark].capitalize()}."
        drawn.append(mark_sign(at.x + at.width - 6, at.y + 1, mark))
    return picture.button(at.node, sentence, f"{picture.path_words(at.node)}\n{sentence}", drawn)


def mark_sign(x: float, y: float, mark: str) -> str:
    """Return the mark of a difference: an open disc for a moved threshold, a filled one for anything else."""
    filled = mark != MOVED
    disc = dot(x, y, 7.5, "var(--ink)" if filled else "var(--card)", "var(--ink)", 1.2)
    paint = "var(--page)" if filled else "var(--ink)"
    return disc + words(x, y + 4, SIGNS[mark], "m b").replace("<text", f'<text style="fill:{paint}"', 1)


def _split(picture: Picture, at: Rectangle) -> tuple[list[str], str]:
    name, threshold, under = split_words(picture, at.node)
    room, gap = at.width - 8, 4.0 if threshold else 0.0
    number = text_width(threshold, 12, True)
    shown = fit(name, max(room - number - gap, 14.0))
    wide = text_width(shown) + gap + number
    x = at.centre - wide / 2
    title = words(x, at.y + 17, shown)
    drawn = [titled(title, name) if shown != name else title]
    if threshold:
        drawn.append(words(x + text_width(shown) + gap, at.y + 17, threshold, "b"))
    style = "m i3" if under in ("no range", "") or under.endswith("branches") else "m u"
    drawn.append(words(at.centre, at.y + 33, fit(under, room + 4), style))
    unit = picture.unit(at.node)
    size = f"{threshold}{' ' + unit if unit else ''}"
    sentence = f"{name} {size}, {under}." if threshold else f"{name}, {under}."
    return drawn, sentence


def _stub(picture: Picture, at: Rectangle) -> tuple[list[str], str]:
    name = picture.name(at.node)
    drawn = [
        words(at.centre, at.y + 17, fit(name, at.width - 6), "m"),
        words(at.centre, at.y + 33, fit(f"+{at.folded} leaves", at.width - 4), "m i3"),
    ]
    return drawn, f"{name}: {at.folded} leaves below are not drawn."


def _leaf(picture: Picture, at: Rectangle) -> str:
    tree, node = picture.tree, at.node
    silent = picture.abstains(node)
    sentence, title = leaf_sentence(picture, node)
    drawn = [hatched(at.x, at.y, at.width, at.height, 6)] if silent else []
    drawn.append(
        box(at.x, at.y, at.width, at.height, style="frame unanswered" if silent else "frame", round_=6).replace(
            "<rect", '<rect style="fill:none"', 1
        )
        if silent
        else box(at.x, at.y, at.width, at.height, style="frame", round_=6)
    )
    answer = picture.answers[node]
    said = "abst." if silent else "naive B." if picture.by_reading else picture.view.answer(answer)
    write = on_hatch if silent else words
    drawn.append(write(at.centre, at.y + 17, picture.fit_answer(said, at.width - 4), f"m {leaf_style(picture, node)}"))
    if not picture.by_reading:
        k = picture.shown_class(node)
        drawn.append(
            write(at.centre, at.y + 34, probability_text(float(tree.probability[node, k])).replace(" ", ""), "m")
        )
    weights = [float(w) for w in tree.class_weight[node]]
    drawn += class_bar(weights, at.x + 5, at.y + 42, at.width - 10, 8, False)
    return picture.button(node, sentence, title, drawn)


def compact_legend_svg(tau: float | None, width: float, positive: str) -> str:
    """Return what the marks of the small trees mean."""
    items = []
    for mark, meaning in MEANINGS.items():
        items.append((words(24, 20, meaning, "i2") + mark_sign(10, 16, mark), 24 + text_width(meaning)))
    said = "range where a reading is shared or in doubt"
    items.append((words(58, 20, said, "i2") + words(0, 20, "125–157", "u b"), 58 + text_width(said)))
    if tau is not None:
        said = f"abst.: best P below τ {tau:.2f}"
        items.append((hatched(0, 9, 22, 14, 3, True) + words(30, 20, said, "i2"), 30 + text_width(said)))
    said = f"figure in a leaf: {positive}"
    items.append((words(0, 20, said, "i2"), text_width(said)))
    return flow(items, width, "What the marks of the trees mean")
