"""Where the boxes of a tree go: equal slots for leaves, a parent over the middle of its children, rows by depth.

In: a tree, what is folded, and the sizes to use. Out: plain rectangles; nothing here draws.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.tree import REST, Tree

SPLIT, LEAF, STUB = "split", "leaf", "stub"


@dataclass(frozen=True)
class Seat:
    """A node's place in slots: its centre, the span of slots under it, its row, and the leaves folded into it."""

    node: int
    kind: str
    row: int
    centre: float
    span: tuple[float, float]
    folded: int = 0


@dataclass(frozen=True)
class Rectangle:
    """A node's place in pixels; `room` is the width of all slots under it."""

    node: int
    kind: str
    x: float
    y: float
    width: float
    height: float
    folded: int = 0
    room: float = 0.0

    @property
    def centre(self) -> float:
        """Middle of the rectangle, across."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height


@dataclass(frozen=True)
class Placed:
    """The whole picture: rectangles by node (parents before children), its size and the slot's width."""

    rectangles: dict[int, Rectangle]
    width: float
    height: float
    slot: float


def leaves_below(tree: Tree) -> list[int]:
    """Return the number of grown leaves under every node (1 for a leaf); those of values without a branch are none."""
    below = [0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        children = tree.children(node)
        below[node] = sum(below[child] for child in children) if children else int(tree.code[node] != REST)
    return below


def tidy(tree: Tree, collapsed: Collection[int] = (), depth_limit: int | None = None) -> dict[int, Seat]:
    """Seat every visible node, parents before children.

    Parameters
    ----------
    collapsed : split nodes whose subtree is folded into one stub.
    depth_limit : splits at this depth are folded as well (None: no limit); the root is never folded by it.
    """
    below, folded = leaves_below(tree), set(collapsed)
    if depth_limit is not None:
        folded |= {v for v in range(tree.n_nodes) if tree.depth[v] == max(depth_limit, 1) and not tree.is_leaf(v)}
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if node not in folded:
            stack.extend(reversed(tree.children(node)))
    seats: dict[int, Seat] = {}
    slot = 0
    ends = {node: node in folded or tree.is_leaf(node) for node in order}
    for node in order:
        if ends[node]:
            kind = LEAF if tree.is_leaf(node) else STUB
            hidden = 0 if kind == LEAF else below[node]
            seats[node] = Seat(node, kind, int(tree.depth[node]), slot + 0.5, (slot, slot + 1.0), hidden)
            slot += 1
    for node in reversed(order):
        if not ends[node]:
            first, last = seats[tree.children(node)[0]], seats[tree.children(node)[-1]]
            span = (first.span[0], last.span[1])
            seats[node] = Seat(node, SPLIT, int(tree.depth[node]), (first.centre + last.centre) / 2, span)
    return {node: seats[node] for node in order}


def place(
    seats: dict[int, Seat],
    width: float,
    size: Callable[[Seat, float, float], tuple[float, float]],
    *,
    slot_least: float = 64.0,
    slot_most: float = 190.0,
    gap: float = 8.0,
    rise: float = 60.0,
    top: float = 2.0,
) -> Placed:
    """Turn seats into pixels.

    Parameters
    ----------
    width : the wanted width; the picture is wider when slots would fall under `slot_least`.
    size : (seat, slot width, room in pixels) -> width and height of the box.
    gap : space between neighbours. rise : space between rows, for ribbons and their labels.
    """
    slots = max(seat.span[1] for seat in seats.values())
    slot = min(max(width / slots, slot_least), slot_most)
    whole = max(width, slots * slot)
    left = (whole - slots * slot) / 2
    sizes = {}
    for node, seat in seats.items():
        room = 2 * min(seat.centre - seat.span[0], seat.span[1] - seat.centre) * slot - gap
        sizes[node] = size(seat, slot, room)
    rows = range(max(seat.row for seat in seats.values()) + 1)
    heights = [max(sizes[v][1] for v, seat in seats.items() if seat.row == row) for row in rows]
    tops = [top + sum(heights[:row]) + rise * row for row in rows]
    rectangles = {}
    for node, seat in seats.items():
        x, (wide, tall) = left + seat.centre * slot - sizes[node][0] / 2, sizes[node]
        room = (seat.span[1] - seat.span[0]) * slot
        rectangles[node] = Rectangle(node, seat.kind, x, tops[seat.row], wide, tall, seat.folded, room)
    return Placed(rectangles, whole, tops[-1] + heights[-1] + 4, slot)
