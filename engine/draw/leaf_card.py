"""A leaf as a card, with its answer, class bar and probability; and a folded subtree as a stub.

In: a picture of the training tree, what is laid over it, a place. Out: SVG text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.draw.layout import Rectangle
from engine.draw.overlay import Overlay, leaf_rows, over_sentence, stub_row
from engine.draw.picture import Picture, Scale, class_bar, leaf_range, leaf_sentence, leaf_style
from engine.draw.sheet import box, dot, fill, fit, fit_apart, hatched, letter, line, on_hatch, text_width, words
from engine.export import FEW_PATIENTS
from engine.number_words import probability_text, weight_text
from engine.tree import REST

FULL_LEAF = 88.0
PASS_ROW = 17.0


def leaf_card(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    """Return a leaf as a button: its answer over its class bar, weights and probability, in few words where narrow."""
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


def stub_card(picture: Picture, over: Overlay, at: Rectangle, style: str) -> str:
    """Return a folded subtree as a button: how many leaves it has, its class bar and its patients."""
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
