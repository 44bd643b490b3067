"""The lessons' figures that are no curves: two moons, verdicts in a tree, open labels, two tests.

In: a result of `engine.lessons`, whether its answer is still covered, a width in pixels. Out: SVG text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.draw.lesson_marks import (
    GREY,
    INK,
    NARROW,
    SLATE,
    VIOLET,
    class_mark,
    covered,
    disc,
    draggable,
    hoop,
    key_row,
    outline,
    path,
    ring,
)
from engine.draw.picture import Scale
from engine.draw.sheet import box, hatched, line, on_hatch, sheet, words
from engine.lessons import ACROSS, FALSE, MOONS, PER_CELL, TRUE, UNKNOWN, UP, Moons, Orthopartition, TwoTests, Verdict
from engine.number_words import number_text, percent_text, share_text

Floats = NDArray[np.float64]
CLEAR = 15.0  # pixels that a letter keeps from any patient
STATE_WORDS = {TRUE: "true", UNKNOWN: "unknown", FALSE: "false"}
LEAF_WORDS = {TRUE: "here", UNKNOWN: "may be here", FALSE: "not here"}


def moon_surface(found: Moons, x: float, y: float, width: float, height: float, hidden: bool, letters: bool) -> str:
    """Return the decision surface in a box: pale class grounds, the undecided part hatched, the points over it."""
    half_a, half_u = (found.across[1] - found.across[0]) / 2, (found.up[1] - found.up[0]) / 2
    across = Scale(found.across[0] - half_a, found.across[-1] + half_a, x, x + width)
    up = Scale(found.up[0] - half_u, found.up[-1] + half_u, y + height, y)
    drawn = []
    if not hidden:
        kind = np.where(found.undecided, 2, (found.p > 0.5).astype(int))
        grounds: list[list[str]] = [[], [], []]
        for row, at in enumerate(found.up):
            place = 0
            for what, run in groupby(kind[row]):
                n = len(list(run))
                a, b = across(found.across[place] - half_a), across(found.across[place + n - 1] + half_a)
                top, tall = up(at + half_u), up(at - half_u) - up(at + half_u)
                grounds[what].append(f"M{a:.1f} {top:.1f}H{b:.1f}v{tall:.1f}H{a:.1f}z")
                place += n
        for what, ways in enumerate(grounds):  # one path a ground, so that no seams show
            paint = 'fill="url(#HATCH)"' if what == 2 else f'fill="var(--c{what})" opacity=".22"'
            drawn.append(f'<path d="{"".join(ways)}" {paint} shape-rendering="crispEdges" style="stroke:none"/>')
        if letters:
            for row in range(5, len(found.up), 10):
                for column in range(4, len(found.across), 9):
                    px, py = across(found.across[column]), up(found.up[row])
                    near = min(abs(across(float(a)) - px) + abs(up(float(u)) - py) for a, u in found.X)
                    if kind[row, column] != 2 and near > CLEAR:
                        drawn.append(words(px, py + 4, "AB"[kind[row, column]], f"m halo t{kind[row, column]}"))
    drawn.append(outline(x, y, width, height, "var(--border)", round_=0))
    for place, ((a, u), k, open_) in enumerate(zip(found.X, found.y, found.inside, strict=True)):
        px, py = across(float(a)), up(float(u))
        mark = class_mark(px, py, int(k), (5.0 if place >= MOONS else 3.2) if letters else 1.8)
        if open_ and letters and not hidden:
            mark += hoop(px, py, 12 if place >= MOONS else 6, VIOLET)
        if place < MOONS:
            drawn.append(mark)
            continue
        said = f"{number_text(float(a))} across, {number_text(float(u))} up"
        drawn.append(
            draggable(
                f"added{place - MOONS}", px, py, float(a), ACROSS, 0.1, across.length(1.0),
                f"Added patient {place - MOONS + 1}, class {'AB'[int(k)]}", ring(px, py, 10) + mark, said,
                (float(u), *UP, -up.length(1.0)),
            )
        )  # fmt: skip
    return "".join(drawn)


def two_moons_svg(found: Moons, hidden: bool, width: float = 640) -> str:
    """Return the two moons with the tree's decision surface; what it calls undecided is hatched."""
    height = (width - 24) * 0.62
    more = len(found.y) - MOONS
    told = f"{MOONS} patients{f' and {more} added' if more else ''}, two measurements each"
    drawn = [words(12, 14, told, "i2")]
    drawn.append(moon_surface(found, 12, 26, width - 24, height, hidden, letters=True))
    foot = 26 + height
    if hidden:
        drawn.append(words(width / 2, foot + 20, "The surface is covered until you answer", "z14 i2 m"))
    ringed = hoop(10, 5, 5, VIOLET)
    items = [(class_mark(10, 5, 0), "class A"), (class_mark(10, 5, 1), "class B")]
    if more:
        items.append((ring(10, 5, 6), "added: drag it"))
    if not hidden:
        items += [(hatched(2, 0, 16, 10, rim=True), "undecided"), (ringed, "patient in a zone")]
        items += [("", "A, B: what the tree answers")]
    legend, foot = key_row(items, 12, foot + (44 if hidden else 24), width - 24)
    drawn.append(legend)
    return sheet(width, foot + 12, drawn, "Two moons of patients under the tree's decision surface")


def verdict_svg(found: Verdict, hidden: bool, width: float = 640) -> str:
    """Return the small tree, each split true, false or unknown, and what follows at each leaf."""
    narrow = width < NARROW
    middles = [width * part for part in (0.5, 0.26, 0.74)]
    wide = 156.0 if narrow else 200.0
    leaves = [width * (2 * k + 1) / 8 for k in range(4)]
    leaf_wide = width / 4 - 8
    tops = (8.0, 118.0, 236.0)
    drawn = []
    for side, held in enumerate((found.states[0], -found.states[0])):
        x, y = middles[1 + side], tops[1]
        drawn.append(branch(middles[0], tops[0] + 62, x, y, held, ("yes", "no")[side]))
        for below in (0, 1):
            state = found.states[1 + side] * (1 - 2 * below)
            drawn.append(branch(x, y + 62, leaves[2 * side + below], tops[2], state, ("yes", "no")[below]))
    for k, (name, cut) in enumerate(zip(found.names, found.thresholds, strict=True)):
        x, y = middles[k] - wide / 2, tops[min(k, 1)]
        unknown = found.states[k] == UNKNOWN
        drawn.append(box(x, y, wide, 62, "var(--card)", round_=8))
        drawn.append(outline(x, y, wide, 62, VIOLET if unknown else SLATE, 1.5, "4 3" if unknown else ""))
        drawn.append(words(middles[k], y + 22, f"{name} ≤ {number_text(cut)}?", "m b"))
        told = f"{number_text(found.values[k], 3)}: {STATE_WORDS[found.states[k]]}"
        told += ", in the zone" if unknown and not narrow else ""
        drawn.append(words(middles[k], y + 42, told, "m u b" if unknown else "m"))
    for k, state in enumerate(found.leaves):
        x, y = leaves[k] - leaf_wide / 2, tops[2]
        if hidden:
            drawn.append(covered(x, y, leaf_wide, 66, "?"))
            continue
        unknown = state == UNKNOWN
        drawn.append(hatched(x, y, leaf_wide, 66, 8) if unknown else box(x, y, leaf_wide, 66, "var(--card)", round_=8))
        rim = INK if state == TRUE else GREY
        drawn.append(outline(x, y, leaf_wide, 66, rim, 2.5 if state == TRUE else 1, "4 3" if unknown else ""))
        write = on_hatch if unknown else words
        drawn.append(write(leaves[k], y + 22, f"leaf {k + 1}", "m i2"))
        drawn.append(write(leaves[k], y + 40, LEAF_WORDS[state], "m b" if state != FALSE else "m i2"))
        drawn.append(write(leaves[k], y + 58, f"share {share_text(found.shares[k])}", "m"))
    told = "covered until you answer" if hidden else "decided" if found.decided else "undecided"
    unsure = not hidden and not found.decided
    drawn.append(words(width / 2, tops[2] + 96, f"Verdict: {told}", "z18 b m u" if unsure else "z18 b m"))
    return sheet(width, tops[2] + 110, drawn, "A tree of three splits and four leaves, with a patient's way through it")


def branch(x1: float, y1: float, x2: float, y2: float, state: int, name: str) -> str:
    """Return one branch: solid where the patient goes, dotted violet where that is unknown, thin grey where not."""
    paint, width, dash = {
        TRUE: (INK, 3.0, ""), UNKNOWN: (VIOLET, 2.0, "2 4"), FALSE: ("var(--grey-bar)", 1.0, ""),
    }[state]  # fmt: skip
    drawn = path([(x1, y1), (x2, y2)], paint, width, dash)
    return drawn + words((x1 + x2) / 2, (y1 + y2) / 2 + 4, name, "m i2 halo")


def orthopartition_svg(found: Orthopartition, moved: Sequence[int], hidden: bool, width: float = 640) -> str:
    """Return the patients of both classes, those without a label to be dragged, and the range of the entropy.

    Parameters
    ----------
    moved : per patient without a label -1 (in the first class), 0 (open) or 1 (in the second); `found` counts them so.
    """
    side = 20.0 if width < NARROW else 28.0
    columns = (width * 0.17, width * 0.5, width * 0.83)
    names = zip(columns, ("class A", "no label (⊥)", "class B"), strict=True)
    drawn = [words(x, 16, name, "m b") for x, name in names]
    fixed = (found.first - sum(m == -1 for m in moved), 0, found.second - sum(m == 1 for m in moved))
    per_row, used, top = 4, list(fixed), 30.0

    def place(column: int, k: int) -> tuple[float, float]:
        x = columns[column] - per_row * (side + 4) / 2 + (k % per_row) * (side + 4)
        return x, top + (k // per_row) * (side + 4)

    for column in (0, 2):
        for k in range(fixed[column]):
            x, y = place(column, k)
            drawn.append(box(x, y, side, side, f"var(--c{column // 2})", round_=4))
            drawn.append(words(x + side / 2, y + side / 2 + 4, "AB"[column // 2], "m b mark"))
    for k, where in enumerate(moved):
        x, y = place(where + 1, used[where + 1])
        used[where + 1] += 1
        ground = hatched(x, y, side, side, 4)
        inner = ground if where == 0 else box(x, y, side, side, f"var(--c{0 if where < 0 else 1})", round_=4)
        inner += outline(x, y, side, side, SLATE, 1.5, "4 3", 4, "ring")
        write, style = (on_hatch, "m b") if where == 0 else (words, "m b mark")
        inner += write(x + side / 2, y + side / 2 + 4, "⊥", style)
        said = ("in class A", "open", "in class B")[where + 1]
        middle, label = (x + side / 2, y + side / 2), f"Patient {k + 1} without a label"
        gap = columns[1] - columns[0]
        drawn.append(draggable(f"open{k}", *middle, where, (-1, 1), 1, gap, label, inner, said))
    rows = max(-(-n // per_row) for n in [*used, 1])
    foot = top + rows * (side + 4) + 18
    for column, n in enumerate((found.first, found.open, found.second)):
        drawn.append(words(columns[column], foot, str(n), "m b z18"))
    y = foot + 72
    axis = Scale(0.0, 0.5, 40, width - 40)
    drawn.append(words(40, y - 40, "Logical entropy of the node", "i2"))
    drawn.append(line(40, y, width - 40, y, "axis"))
    drawn += [words(axis(v), y + 40, number_text(v), "m i2") for v in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    if hidden:
        drawn.append(covered(40, y - 30, width - 80, 54))
    else:
        drawn.append(path([(axis(found.low), y), (axis(found.high), y)], VIOLET, 5))
        drawn.append(disc(axis(found.mean), y, 6, VIOLET))
        drawn.append(words(axis(found.mean), y - 14, f"mean {found.mean:.3f}", "m u b halo"))
        if found.high - found.low > 0.5 * 110 / (width - 80):
            drawn.append(words(axis(found.low), y + 20, f"least {found.low:.3f}", "m i2 halo"))
            drawn.append(words(axis(found.high), y + 20, f"most {found.high:.3f}", "m i2 halo"))
        x = axis(found.gini)
        drawn.append(path([(x, y - 9), (x, y + 9)], INK, 2))
    note = "gini of the labelled alone" + ("" if hidden else f", {found.gini:.3f}")
    items = [(path([(10, 0), (10, 10)], INK, 2), note)]
    items += [(path([(0, 5), (20, 5)], VIOLET, 5), "all that the open labels allow; dot: the mean")]
    legend, end = key_row(items, 40, y + 70, width - 60)
    drawn.append(legend)
    return sheet(width, end + 12, drawn, "Patients with and without a label, and the range of their logical entropy")


def two_tests_svg(found: TwoTests, hidden: bool, width: float = 640) -> str:
    """Return the patients by the results of two tests under naive Bayes, and under the tree."""
    narrow = width < NARROW
    side = width - 60 if narrow else (width - 100) / 2
    tall = side * 0.78
    drawn = []
    sides = (
        ("Naive Bayes alone", found.bayes, found.bayes_ill, found.bayes_accuracy),
        (
            "After the tree's split" if found.asked else "The tree does not split",
            found.tree,
            found.tree_ill,
            found.tree_accuracy,
        ),
    )
    for k, (name, p, ill, right) in enumerate(sides):
        x, y = (46.0, 40.0 + k * (tall + 70)) if narrow else (46.0 + k * (side + 40), 40.0)
        drawn.append(cell_map(found, p, ill, x, y, side, tall, hidden, split=k == 1 and found.asked is not None))
        drawn.append(words(x, y - 14, "After the tree's work" if hidden and k else name, "b z14"))
        drawn.append(words(x + side, y - 14, "covered" if hidden else f"{100 * right:.0f} % right", "b e"))
        for b in (0, 1):
            drawn.append(words(x + (2 * b + 1) * side / 4, y + tall + 18, f"second test {'−+'[b]}", "m i2"))
    height = 40.0 + (2 * tall + 70 if narrow else tall)
    items = [(class_mark(10, 5, 0), "well"), (class_mark(10, 5, 1), "ill"), ("", "ground and words: the answer")]
    if not hidden and found.asked:
        items.append((path([(0, 5), (20, 5)], INK, 2.5), f"the tree asks the {found.asked.lower()}"))
    legend, foot = key_row(items, 46, height + 46, width - 60)
    return sheet(width, foot + 12, [*drawn, legend], "Patients by two tests under two answers")


def cell_map(
    found: TwoTests, p: Floats, ill: NDArray[np.bool_], x: float, y: float, side: float, tall: float, hidden: bool,
    split: bool, small: bool = False,
) -> str:  # fmt: skip
    """Return four cells of patients, each over the ground of its answer; the tree's split as a thick line."""
    drawn = []
    for a in (0, 1):
        for b in (0, 1):
            cx, cy = x + b * side / 2, y + (1 - a) * tall / 2
            if not hidden:
                ground, tied = int(ill[a, b]), abs(float(p[a, b]) - 0.5) < 1e-9
                drawn.append(f'<g opacity=".22">{box(cx, cy, side / 2, tall / 2, f"var(--c{ground})")}</g>')
                told = f"{'tie: ' if tied else ''}{('well', 'ill')[ground]}, P(ill) {percent_text(float(p[a, b]))}"
                drawn.append("" if small else words(cx + side / 4, cy + tall / 2 - 8, told, "m halo"))
            for k in range(PER_CELL):
                px = cx + side / 2 * (0.1 + 0.8 * (k % 7) / 6)
                py = cy + tall / 2 * (0.14 + 0.22 * (k // 7))
                drawn.append(class_mark(px, py, int(k < found.ill[a, b]), 1.6 if small else 3.4))
        at = y + (1 - a) * tall / 2 + tall / 4
        drawn.append("" if small else words(x - 6, at, "first", "e i2") + words(x - 6, at + 14, "−+"[a], "e b"))
    drawn.append(outline(x, y, side, tall, "var(--border)", round_=0))
    if split and not hidden:
        level = found.asked == "First test"
        ends = [(x, y + tall / 2), (x + side, y + tall / 2)] if level else [(x + side / 2, y), (x + side / 2, y + tall)]
        drawn.append(path(ends, INK, 2.5))
    return "".join(drawn)
