"""One patient's way through a tree: readings with their noise at each split, shares on every branch.

In: a tree, the training evidence, the patient's case, and the reader's view. Out: SVG text for light and dark.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from engine.draw.layout import SPLIT, STUB, Placed, Rectangle, Seat, place, tidy
from engine.draw.picture import Picture, leaf_sentence, leaf_style, polyline, ribbon, span_words
from engine.draw.sheet import (
    View,
    box,
    dot,
    esc,
    fill,
    fit,
    flow,
    hatched,
    line,
    on_hatch,
    sheet,
    text_width,
    titled,
    words,
)
from engine.evidence import Evidence
from engine.export import ANY_OTHER, answer_text, branch_tests
from engine.gates import in_zone
from engine.number_words import (
    error_text,
    exact_text,
    number_text,
    percent_text,
    plain,
    probability_text,
    share_text,
    weight_text,
)
from engine.tree import BINARY, BINS, MIDDLE, NOMINAL, Tree

PATIENT_RIBBON = 22.0
TWO_SIDED_SLOT = 90.0
OFF_PATH = 0.005


def patient_legend_svg(view: View, tree: Tree | None = None, case: Any = None) -> str:
    """Return the legend of a patient's tree: of its marks, those that the picture of this case can hold.

    Noise is cut at thresholds alone, so a tree without any says nothing of it; no more does one without σ.
    """
    other = "where else the true patient may be; width and % = share"
    noise = "the reading's noise, cut at the threshold into two shares"
    marks = (
        (box(0, 12, 26, 8, style="lit"), "path of the reading"),
        (box(0, 13, 26, 5, style="pale"), other),
        ("".join(_cut_bell(0, 22, 32, 18, -1.0, True, exact=False)), noise),
    )
    noisy = case is None or any(sigma > 0 for sigma in case.sigma.values())
    shared = case is None or bool(np.any((case.reach > 1e-9) & (case.reach < 1 - 1e-9)))
    holds = (True, shared, noisy and (tree is None or bool((tree.gate == BINARY).any())))
    shown = [mark for mark, held in zip(marks, holds, strict=True) if held]
    items = [(mark + words(36, 20, text, "i2"), 36 + text_width(text)) for mark, text in shown]
    return flow(items, view.width, "Legend of the patient's tree")


def _cut_bell(x: float, base: float, width: float, height: float, z: float, above: bool, exact: bool) -> list[str]:
    """The reading's noise cut at the threshold, `z` σ from the reading; the share of the path is solid."""
    if exact:
        middle = x + width / 2
        cut = middle - width / 4 if above else middle + width / 4
        reading = middle + width / 4 if above else middle - width / 4
        return [
            line(x, base, x + width, base, "axis"),
            line(cut, base - height, cut, base, "cut"),
            dot(reading, base, 4, "var(--lit)"),
        ]
    span, centre = 3.3, x + width / 2
    unit = width / 2 / span
    cut_z = min(max(z, -span), span)
    steps = np.linspace(-span, span, 41)
    curve = [(centre + s * unit, base - height * 0.92 * math.exp(-s * s / 2)) for s in steps]
    edge = (centre + cut_z * unit, base - height * 0.92 * math.exp(-cut_z * cut_z / 2))
    low = [p for p in curve if p[0] < edge[0]] + [edge, (edge[0], base)]
    high = [(edge[0], base), edge] + [p for p in curve if p[0] > edge[0]]
    solid, pale = (high, low) if above else (low, high)
    drawn = (
        [f'<path d="{polyline([(p[0], p[1]) for p in pale], True)}" fill="var(--ribbon)"/>'] if len(pale) > 2 else []
    )
    if len(solid) > 2:
        drawn.append(f'<path d="{polyline(solid, True)}" class="lit"/>')
    drawn.append(f'<path d="{polyline(curve)}" class="bell"/>')
    return [
        *drawn,
        line(x, base, x + width, base, "axis"),
        line(edge[0], base - height - 2, edge[0], base, "cut"),
    ]


def _value_words(picture: Picture, node: int, case: Any) -> str:
    """A reading in words: a number at the variable's decimals, a category, or "missing"."""
    variable = int(picture.tree.variable[node])
    value = case.values.get(picture.tree.variables[variable])
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if picture.tree.categories[variable] is not None or isinstance(value, str):
        return str(value)
    return number_text(float(value), 6)


def _sigma(picture: Picture, node: int, case: Any) -> float:
    return float(case.sigma.get(picture.tree.variables[int(picture.tree.variable[node])], 0.0) or 0.0)


def _reading_words(name: str, value: str, unit: str, x: float, y: float, room: float) -> list[str]:
    """The variable and its reading; a long name is cut before the reading is, and the unit follows where it fits."""
    name = fit(name, max(room - 6 - text_width(value, 14, True), 30), 14, True)
    shown = fit(f"{name} {value}", room, 14, True)
    used = text_width(shown, 14, True) + 5
    said = words(x, y, shown, "z14 b")
    if unit and used + text_width(unit) <= room:  # in one text, so that a wider type than ours moves the unit along
        after = f'<tspan dx="5" fill="var(--second)" style="font-size:12px;font-weight:400">{esc(unit)}</tspan>'
        said = said.replace("</text>", f"{after}</text>")
    return [said]


def _threshold_beside(picture: Picture, node: int, value: float, sigma: float) -> str:
    """The threshold in so many decimals that a distance worked out from it comes out as the one that is printed."""
    theta, closed = float(picture.tree.threshold[node]), bool(picture.tree.closed_le[node])
    text = picture.evidence.threshold_text(node)
    slack = 0.005 * (sigma if sigma > 0 else abs(value - theta))

    def true(text: str) -> bool:
        cut = float(text.replace("−", "-"))
        same = (value <= cut) == (value <= theta) if closed else (value < cut) == (value < theta)
        return same and abs(cut - theta) <= slack

    decimals = len(text.partition(".")[2])
    tried = (text, *(plain(theta, places) for places in range(decimals, 13)))
    return next(filter(true, tried), exact_text(theta))


def _test(picture: Picture, node: int, place: int, case: Any) -> str:
    """The test on the branch to a child, its threshold in as many decimals as it has where the reading is told."""
    label = picture.labels[node][place]
    value = case.values.get(picture.tree.variables[int(picture.tree.variable[node])])
    if picture.tree.gate[node] != BINARY or value is None or not math.isfinite(float(value)):
        return label
    beside = _threshold_beside(picture, node, float(value), _sigma(picture, node, case))
    return label.replace(picture.evidence.threshold_text(node), beside, 1)


def _difference(value: str, theta: str) -> str:
    """The distance of two printed figures, exactly as a reader would work it out."""
    a, b = (Decimal(text.replace("−", "-")) for text in (value, theta))
    return format(abs(a - b).normalize(), "f")


def _where(picture: Picture, node: int, case: Any) -> tuple[str, float, bool]:
    """How far the reading lies from the threshold in words, the threshold in σ from the reading, and whether above."""
    tree, sigma = picture.tree, _sigma(picture, node, case)
    theta, text = float(tree.threshold[node]), picture.evidence.threshold_text(node)
    value = case.values.get(tree.variables[int(tree.variable[node])])
    if tree.gate[node] in (NOMINAL, BINS):
        return _branch_taken(picture, node, case), 0.0, False
    if value is None or not math.isfinite(float(value)):
        return f"threshold {text}, shared", 0.0, False
    if tree.gate[node] == MIDDLE:
        return _beside_zone(picture, node, case), 0.0, False
    text = _threshold_beside(picture, node, float(value), sigma)
    distance = float(value) - theta
    above = distance > 0 or (distance == 0 and not tree.closed_le[node])
    word = "above" if above else "below" if distance < 0 else "on"
    if sigma > 0:
        return f"{abs(distance) / sigma:.2f} σ {word} {text}", -distance / sigma, above
    return f"{_difference(number_text(float(value), 6), text)} {word} {text}", 0.0, above


def _branch_taken(picture: Picture, node: int, case: Any) -> str:
    """Which branch of a split by category or bin the reading takes."""
    tree = picture.tree
    taken = [k for k, child in enumerate(tree.children(node)) if case.reach_hard[child] > 0]
    if len(taken) != 1:
        return f"{tree.n_children[node]} branches"
    label = picture.labels[node][taken[0]]
    if label == ANY_OTHER:
        return "no branch of its own"
    return f"in the bin {label}" if tree.gate[node] == BINS else f"one of {tree.n_children[node]} branches"


def _beside_zone(picture: Picture, node: int, case: Any) -> str:
    """Where the reading lies beside the zone of a split with a middle branch."""
    tree, value = picture.tree, float(case.values[picture.tree.variables[int(picture.tree.variable[node])]])
    if not tree.high[node] > tree.low[node]:
        side = "up to" if value <= tree.threshold[node] else "above"
        return f"{side} {picture.evidence.threshold_text(node)}, no zone"
    inside = in_zone(tree, node, value)
    place = "inside" if inside else "below" if value <= tree.threshold[node] else "above"
    return f"{place} the zone {span_words(branch_tests(tree, node, picture.evidence.edge_text)[1])}"


def _has_cut(picture: Picture, node: int) -> bool:
    """Whether the split has one threshold, at which the reading's noise can be drawn cut in two."""
    return bool(picture.tree.gate[node] == BINARY)


def _case_lit(case: Any) -> list[bool]:
    return [bool(share > 0) for share in case.reach_hard]


def _patient_size(seat: Seat, slot: float, room: float) -> tuple[float, float]:
    if seat.kind == SPLIT:
        return min(room, 206.0), 70.0
    return min(slot - 8, 130.0), 92.0


def patient_svg(tree: Tree, case: Any, evidence: Evidence, view: View) -> str:
    """Return one patient's way through the tree: readings with their noise at each split, shares on every branch.

    Parameters
    ----------
    case : `model.case(row)`; branch shares are `case.gates` (coherent, within their node), leaf shares `case.shares`.

    Notes
    -----
    The path of the reading is solid; branches the true patient takes with less than 0.5 % are dotted and dimmed.
    """
    picture = Picture(tree, evidence, view, case)
    on_path = frozenset(int(node) for node in np.flatnonzero(case.reach_hard > 0))
    folded = View.folds(tree, view.depth_limit, on_path) | (view.collapsed - on_path)
    seats = tidy(tree, folded, None)
    placed = place(seats, view.width, _patient_size, rise=60.0, slot_least=72.0)
    lit, reach = _case_lit(case), [float(share) for share in case.reach]
    paths, grey, solid, labels = [], [], [], []
    for node, at in placed.rectangles.items():
        if at.kind != SPLIT:
            continue
        gates = [float(g) for g in case.gates[node]]
        children = list(tree.children(node))
        widths = [max(PATIENT_RIBBON * reach[child], 1.0) for child in children]
        start = at.centre - sum(widths) / 2
        for place_, (child, width) in enumerate(zip(children, widths, strict=True)):
            to, x = placed.rectangles[child], start + width / 2
            start += width
            attributes = f' data-child="{child}"'
            if reach[child] < OFF_PATH and not lit[child]:
                middle = (at.bottom + to.y) / 2
                paths.append(
                    f'<path d="M{x:.1f} {at.bottom:.1f}C{x:.1f} {middle:.1f} {to.centre:.1f} {middle:.1f} '
                    f'{to.centre:.1f} {to.y:.1f}" class="trace"{attributes}/>'
                )
            elif lit[child]:
                solid.append(ribbon(x, at.bottom, to.centre, to.y, max(width, 3), "ribbon lit", attributes))
            else:
                grey.append(ribbon(x, at.bottom, to.centre, to.y, width, "ribbon", attributes))
            labels.append(_share_words(picture, placed, node, place_, gates[place_], lit[child], reach[node], width))
    body = [*paths, *grey, *solid, *labels]
    for node, at in placed.rectangles.items():
        dim = "dim" if reach[node] < OFF_PATH and not lit[node] else ""
        draw = _patient_split if at.kind == SPLIT else _patient_leaf
        body.append(draw(picture, at, case, lit[node], dim))
    return sheet(placed.width, placed.height, body, f"The patient's way through the tree: {view.answer(case.answer)}")


def _share_words(
    picture: Picture,
    placed: Placed,
    node: int,
    place_: int,
    gate: float,
    lit: bool,
    reach: float,
    width: float,
) -> str:
    children = list(picture.tree.children(node))
    to = placed.rectangles[children[place_]]
    text = share_text(gate)
    title = f"{picture.name(node)} {picture.labels[node][place_]}: share {gate:.6g} of those who come this far"
    dim = " dim" if reach < OFF_PATH else ""
    style = ("z14 b" if lit else "i2") + dim
    if len(children) == 2 and to.room >= TWO_SIDED_SLOT:
        x, anchor = (to.centre - width / 2 - 8, " e") if place_ == 0 else (to.centre + width / 2 + 8, "")
        return titled(words(x, to.y - 9, text, style + anchor), title)
    outward = -1 if to.centre < placed.rectangles[node].centre else 1
    x, anchor = to.centre + outward * (width / 2 + 6), " e" if outward < 0 else ""
    return titled(words(x, to.y - 7, fit(text, to.room), style.replace("z14 ", "") + anchor + " halo"), title)


def _patient_split(picture: Picture, at: Rectangle, case: Any, lit: bool, dim: str) -> str:
    node = at.node
    value, sigma = _value_words(picture, node, case), _sigma(picture, node, case)
    where, z, above = _where(picture, node, case)
    unit = picture.unit(node)
    error = error_text(number_text(sigma, 4), unit) if sigma > 0 else "taken as exact"
    error = "" if value == "missing" else error
    nominal = picture.tree.gate[node] in (NOMINAL, BINS)
    error = "" if picture.tree.gate[node] == NOMINAL and sigma == 0 else error
    bell = lit and at.width >= 180 and _has_cut(picture, node) and value != "missing"
    left = at.x + 10
    room = at.width - 16 - (76 if bell else 0)
    body = [box(at.x, at.y, at.width, at.height, style="frame" + (" picked" if lit else ""), round_=8)]
    after = unit if value != "missing" else ""
    body += _reading_words(picture.name(node), value, after, left, at.y + 20, at.width - 16)
    body.append(words(left, at.y + 39, fit(error, room), "u" if sigma > 0 else "i2"))
    if not lit:
        cut = picture.evidence.threshold_text(node)
        where = f"{picture.tree.n_children[node]} branches" if nominal else f"threshold {cut}"
    body.append(words(left, at.y + 57, fit(where, room + (8 if bell else 0)), "i2"))
    if bell:
        body += _cut_bell(at.x + at.width - 78, at.y + 61, 66, 31, z, above, exact=sigma <= 0)
    told = f"{picture.name(node)} {value}, {f'{error}, ' if error else ''}{where}; share of the true patient here"
    sentence = f"{told} {share_text(float(case.reach[node]))}."
    cut = picture.evidence.threshold_text(node)
    title = f"{picture.path_words(node)}\n{picture.name(node)}{f': threshold {cut}' if cut else ''}\n"
    title += f"share {float(case.reach[node]):.6g}"
    return picture.button(node, sentence, title, body, dim)


def _patient_leaf(picture: Picture, at: Rectangle, case: Any, lit: bool, dim: str) -> str:
    node, view = at.node, picture.view
    left, right = at.x + 8, at.x + at.width - 8
    share = float(case.reach[node])
    if at.kind == STUB:
        body = [box(at.x, at.y, at.width, at.height, style="frame" + (" picked" if lit else ""), round_=8)]
        body.append(words(left, at.y + 18, fit(f"+{at.folded} leaves", right - left, 12, True), "b"))
        body.append(words(left, at.y + 44, share_text(share), "z18 b"))
        sentence = f"{at.folded} leaves folded, share {share_text(share)}."
        return picture.button(node, sentence, sentence, body, dim)
    answer = picture.answers[node]
    style = "frame" + (" unanswered" if answer is None else "") + (" picked" if lit else "")
    body = [box(at.x, at.y, at.width, at.height, style=style, round_=8)]
    if answer is None:
        body.append(hatched(at.x + 1.5, at.y + 1.5, at.width - 3, 22, 6))
    head = picture.reason(node)[0].rstrip(":")
    write = on_hatch if answer is None else words
    body.append(write(left, at.y + 17, picture.fit_answer(head, at.width - 14), leaf_style(picture, node)))
    body.append(words(left, at.y + 47, share_text(share), "z18 b"))
    place_ = view.class_index(answer)
    body.append(box(left, at.y + 55, right - left, 6, "var(--hair)", round_=3))
    if share > 1e-9:
        paint = "var(--third)" if place_ is None else fill(place_)
        body.append(
            box(
                left,
                at.y + 55,
                max((right - left) * share, 1.0),
                6,
                paint,
                round_=min(3.0, (right - left) * share / 2),
            )
        )
    k = picture.shown_class(node)
    p = f"P {probability_text(float(picture.tree.probability[node, k]))}"
    p = "naive Bayes" if picture.tree.has_bayes else p
    number = picture.leaf_name[node]
    body.append(words(left, at.y + 82, p, "i2"))
    if text_width(p) + text_width(number) + 4 <= right - left:
        body.append(words(right, at.y + 82, number, "i3 e"))
    sentence, title = leaf_sentence(picture, node)
    sentence = f"{sentence} Share of this patient {share_text(share)}."
    return picture.button(node, sentence, f"{title}\nshare {share:.6g}", body, dim)


def _turned_answer(picture: Picture, case: Any, node: int, kept: int) -> str:
    """What those who turn off are answered, when nearly all get the same answer; else nothing."""
    tree = picture.tree
    sums: dict[Any, float] = {}
    for leaf in (int(leaf) for leaf in tree.leaves):
        route = tree.path(leaf)
        if node in route and kept not in route:
            sums[picture.answers[leaf]] = sums.get(picture.answers[leaf], 0.0) + float(case.reach[leaf])
    whole, best = sum(sums.values()), max(sums, key=lambda answer: sums[answer])
    return fit(f": {picture.view.answer(best)}", 110) if whole > 0 and sums[best] > 0.99 * whole else ""


def path_svg(tree: Tree, case: Any, evidence: Evidence, view: View) -> str:
    """Return the patient's path alone, one card under the other, for a narrow screen."""
    picture = Picture(tree, evidence, view, case)
    width, y, body = view.width, 2.0, []
    lit = _case_lit(case)
    route = [0]
    while not tree.is_leaf(route[-1]):
        children = list(tree.children(route[-1]))
        route.append(max(children, key=lambda child: (lit[child], float(case.reach_hard[child]))))
    for step, node in enumerate(route[:-1]):
        value, sigma = _value_words(picture, node, case), _sigma(picture, node, case)
        where, z, above = _where(picture, node, case)
        error = error_text(number_text(sigma, 4), picture.unit(node)) if sigma > 0 else "taken as exact"
        error = "" if value == "missing" or (tree.gate[node] == NOMINAL and sigma == 0) else error
        body.append(box(1.25, y, width - 2.5, 76, style="frame picked", round_=8))
        unit = picture.unit(node) if value != "missing" else ""
        body += _reading_words(picture.name(node), value, unit, 13, y + 21, width - 134)
        body.append(words(13, y + 42, fit(error, width - 140), "u" if sigma > 0 else "i2"))
        body.append(words(13, y + 61, fit(where, width - 130), "i2"))
        if _has_cut(picture, node) and value != "missing":
            body += _cut_bell(width - 118, y + 60, 106, 44, z, above, exact=sigma <= 0)
        place_ = list(tree.children(node)).index(route[step + 1])
        gates = [float(g) for g in case.gates[node]]
        wide = max(26 * float(case.reach[route[step + 1]]), 2)
        body.append(box(40 - wide / 2, y + 76, wide, 34, style="lit"))
        body.append(
            words(
                60,
                y + 97,
                fit(f"{share_text(gates[place_])} on: {_test(picture, node, place_, case)}", width - 240, 12, True),
                "b",
            )
        )
        off = 1 - gates[place_]
        if off > 1e-9:
            turned = _turned_answer(picture, case, node, route[step + 1])
            body.append(words(width - 4, y + 97, f"{percent_text(off)} turn off{turned}", "i2 e"))
        y += 110
    leaf = route[-1]
    head, why = picture.reason(leaf)
    unanswered = picture.answers[leaf] is None
    body.append(box(1.25, y, width - 2.5, 66, style="frame picked" + (" unanswered" if unanswered else ""), round_=8))
    if unanswered:
        body.append(hatched(2.5, y + 1.2, width - 5, 28, 7))
    head, style = picture.fit_answer(head, width - 100, 14), "z14 " + leaf_style(picture, leaf)
    body.append(on_hatch(13, y + 20, head, style) if unanswered else words(13, y + 20, head, style))
    n = weight_text(float(tree.weight[leaf]), picture.fractional)
    told = f"{picture.leaf_name[leaf]}, {why}, n {n}"
    body.append(words(13, y + 48, fit(told, width - 100), "i2"))
    body.append(words(width - 13, y + 48, share_text(float(case.reach[leaf])), "z18 b e"))
    return sheet(width, y + 70, body, f"The path of the reading: {answer_text(case.answer, view.class_names)}")


def path_steps(tree: Tree, case: Any, evidence: Evidence, view: View) -> list[str]:
    """Return the path of the reading in words, one split a line and the leaf last: for paper, where a picture is small.

    A missing value goes every way; the one most training patients went is told.
    """
    picture = Picture(tree, evidence, view, case)
    told, node = [], 0
    while not tree.is_leaf(node):
        children = list(tree.children(node))
        place_ = max(range(len(children)), key=lambda k: float(case.reach_hard[children[k]]))
        value, sigma, unit = _value_words(picture, node, case), _sigma(picture, node, case), picture.unit(node)
        reading = value if value == "missing" else f"{value} {unit}".rstrip()
        error = f" ({error_text(number_text(sigma, 4), unit)})" if sigma > 0 and value != "missing" else ""
        gate = float(case.gates[node][place_])
        on = f"{share_text(gate)} on: {_test(picture, node, place_, case)}"
        off = f"; {percent_text(1 - gate)} turn off" if 1 - gate > 1e-9 else ""
        told.append(f"{picture.name(node)} {reading}{error}, {_where(picture, node, case)[0]}; {on}{off}.")
        node = int(children[place_])
    head, why = picture.reason(node)
    n = weight_text(float(tree.weight[node]), picture.fractional)
    share = share_text(float(case.reach[node]))
    return [*told, f"{head.rstrip(':')}: {picture.leaf_name[node]}, {why}, n {n}; share of the true patient {share}."]
