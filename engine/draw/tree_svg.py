"""The training tree as a picture: cards of splits, leaves and folded subtrees, joined by ribbons of patients.

In: a tree, the training evidence, the reader's view, what is laid over. Out: SVG text for light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.layout import LEAF, SPLIT, STUB, Placed, Rectangle, Seat, leaves_below, place, tidy
from engine.draw.leaf_card import FULL_LEAF, PASS_ROW, leaf_card, stub_card
from engine.draw.overlay import Overlay, branch_share, case_ribbon
from engine.draw.picture import Picture, leaf_style, ribbon, short_label
from engine.draw.sheet import View, box, esc, fit, sheet, text_width, titled, words
from engine.draw.split_card import FULL_CARD, split_card
from engine.evidence import Evidence
from engine.export import FEW_PATIENTS
from engine.leaf_filter import set_back
from engine.tree import REST, Tree

RIBBON = 48.0


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
        draw = split_card if at.kind == SPLIT else leaf_card if at.kind == LEAF else stub_card
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
