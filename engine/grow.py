"""The growth loop: plain Python over kernels, from a training table to a grown node with children.

In: a table, how splits are sought, how patients are propagated, when to stop. Out: the root `Node`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import is_pure
from engine.gates import KINDS, child_boxes, divide, node_splits
from engine.leaves import leaf_probability
from engine.noise import ResolvedNoise
from engine.search import (
    Arrivals,
    Candidate,
    Search,
    arrivals,
    best_split,
    child_codes,
    least_to_split,
    minimum_weight,
    value_gate,
)
from engine.table import Table
from engine.tree import BINARY, LEAF, MIDDLE, REST, Node
from engine.zones import ROOT, Zone, delta, delta_of, hard_parts, one_variable, place_of_child

Floats = NDArray[np.float64]
Arriving = tuple[Node, NDArray[np.int32], Floats]  # a child, its patients and their weights


@dataclass(frozen=True)
class Middle:
    """A third child for the patients of the zone; the names are the constructor's (METHODS §0, §7)."""

    zone: Zone
    min_samples: int


@dataclass(frozen=True)
class Trail:
    """Who arrives at a node by hard gates, from whom alone δ is found, and where the node is.

    rows : (n,) int32. weight : (n,), the same as the propagated one under hard propagation.
    place : tells the node by its path.
    """

    rows: NDArray[np.int32]
    weight: Floats
    place: int = ROOT


@dataclass(frozen=True)
class Growth:
    """How patients are propagated and when growing stops; the names are the constructor's (METHODS §0)."""

    search: Search
    propagation: str
    noise: ResolvedNoise  # of propagation
    weight_floor: float
    max_depth: int | None
    min_weight_split: float
    middle: Middle | None = None
    keeps_patients: bool = False  # at every node, for what follows growing
    keeps_order: bool = False  # the table's own, which zones and observed thresholds read again


def make_node(table: Table, rows: NDArray[np.int32], weight: Floats, depth: int) -> Node:
    """Return a leaf holding the weights of `rows` (n,)."""
    labels = table.labels
    by_code = np.bincount(labels.code[rows], weights=weight, minlength=len(labels.member)).astype(np.float64)
    return Node(by_code @ labels.share, float(weight.sum()), float((weight * weight).sum()), depth)


def send_down(
    table: Table,
    node: Node,
    rows: NDArray[np.int32],
    weight: Floats,
    propagation: str,
    noise: ResolvedNoise,
    floor: float,
    refit: bool,
) -> list[Arriving]:
    """Divide the training patients at a split node: return a leaf for each child, its patients and their weights.

    Parameters
    ----------
    rows, weight : (n,) patients and their weight here. The others are those of `engine.gates.divide`; the node's shares
        are worked out again when `refit`.
    """
    j, labels, error = node.variable, table.labels, noise.error
    if node.gate == BINARY:
        parts = kernels.divide_in_two(
            rows, weight, table.weight, table.columns[j], labels.code, labels.share, node.threshold, node.closed_le,
            *node.box, error.sigma[j], error.cv[j], error.shape[j], KINDS[propagation], floor, refit, node.share,
        )  # fmt: skip
    else:
        pieces = divide(
            node_splits(node, table), rows, weight, table.weight[rows], table.columns[j], propagation, noise, floor,
            refit,
        )  # fmt: skip
        parts = kernels.sort_pieces(rows, pieces, labels.code, labels.share)
    kept, shared, bounds, by_class, total, squares = parts
    sums = zip(by_class, total.tolist(), squares.tolist(), pairwise(bounds.tolist()), strict=True)
    return [
        (Node(class_weight, whole, squared, node.depth + 1), kept[start:end], shared[start:end])
        for class_weight, whole, squared, (start, end) in sums
    ]


def put_split(
    node: Node,
    candidate: Candidate,
    n_children: int,
    boxes: dict[int, tuple[float, float]],
) -> None:
    """Make `node` a split node without children yet."""
    node.variable, node.gate, node.gain = (
        candidate.variable,
        candidate.gate,
        candidate.gain,
    )
    node.threshold, node.closed_le = candidate.threshold, candidate.closed_le
    node.box = boxes.get(candidate.variable, (-np.inf, np.inf))
    node.codes = np.arange(n_children, dtype=np.int32)
    node.share = np.zeros(n_children)


def grow(growth: Growth) -> Node:
    """Grow a tree on the whole training table. METHODS §4, §5.

    Parameters
    ----------
    growth : the search (with its table), the propagation and the stop rules.

    Returns
    -------
    The root, its leaves' weights summing to the training weight; probabilities and zones are not yet set.
    """
    if growth.search.criterion == "nb_accuracy" and growth.propagation == "hard":
        return grow_by_accuracy(growth)
    table = growth.search.table
    dense, present = np.zeros(table.n), np.zeros(table.n, dtype=np.bool_)
    whole = everyone(growth)
    root = make_node(table, whole.rows, whole.weight, 0)
    if growth.keeps_patients:
        root.held = whole.rows, whole.weight
    start = Trail(whole.rows, whole.weight)
    stack: list[tuple[Node, Arrivals, dict[int, tuple[float, float]], Trail]] = []
    if not stops(growth, root, whole.rows, whole.weight):
        stack.append((root, whole, {}, start))
    while stack:
        node, here, boxes, trail = stack.pop()
        dense[here.rows] = here.weight
        here = replace(here, dense=dense, boxes=boxes)
        candidate = best_split(growth.search, here)
        if candidate is None:
            dense[here.rows] = 0.0
            continue
        codes = child_codes(growth.search, here, candidate)
        put_split(node, candidate, len(codes), boxes)
        node.codes = codes
        least = minimum_weight(growth.search, here, candidate.variable)
        if growth.middle is not None and candidate.gate == BINARY:
            open_middle(growth, node, here, trail)
        dense[here.rows] = 0.0
        made = send_down(
            table, node, here.rows, here.weight, growth.propagation, growth.noise, growth.weight_floor, refit=True
        )
        if together(made) or too_light(node, made, least):
            node.become_leaf()
            continue
        trails = child_trails(growth, node, trail, made)
        used = here.used if candidate.gate == BINARY else here.used | {node.variable}
        node.children = [child for child, _, _ in made]
        if growth.keeps_patients:
            for child, rows, kept in made:
                child.held = rows, kept
        open_ = [  # REST stays a leaf of the node itself
            c for c, code in enumerate(node.codes.tolist()) if code != REST and not stops(growth, *made[c])
        ]
        orders = [(here.order, here.n_known)] * len(open_)  # accuracy reads values, not their order
        if growth.search.criterion != "nb_accuracy":
            orders = hand_over(here, [made[c][1] for c in open_], present)
        for c, (order, known) in zip(open_, orders, strict=True):
            child, rows, kept = made[c]
            arrived = Arrivals(rows, kept, dense, order, known, used)
            stack.append((child, arrived, child_boxes(node, boxes, c), trails[c]))
        if too_few_between(growth, node, made):
            stack = [entry for entry in stack if entry[0] is not node.children[1]]
    return root


def grow_by_accuracy(growth: Growth) -> Node:
    """Grow a tree of accuracy-driven splits under hard gates, all nodes of one depth at once. [C], METHODS §8

    It is the tree that `grow` would find node by node: there are many nodes, and most hold few patients.
    """
    search, table = growth.search, growth.search.table
    rows = np.flatnonzero(table.weight > 0.0).astype(np.int32)
    weight = table.weight[rows]
    root = make_node(table, rows, weight, 0)
    root.held = rows, weight
    nodes, bounds, used = [root], np.array([0, len(rows)]), np.zeros((1, len(table.columns)), dtype=np.bool_)
    wanted = np.array([not stops(growth, root, rows, weight)])
    while wanted.any():
        variable, gain = kernels.most_accurate_splits(rows, weight, bounds, wanted, used, *table.values)
        rows, weight, bounds, parent, codes, share, by_class, total, squares = kernels.divide_by_value(
            rows, weight, table.weight, bounds, variable, growth.weight_floor, *table.values
        )
        depth, ends = nodes[0].depth + 1, bounds.tolist()
        held = [(rows[start:end], weight[start:end]) for start, end in pairwise(ends)]
        sums = zip(by_class, total.tolist(), squares.tolist(), held, strict=True)
        made = [Node(class_weight, whole, squared, depth, held=own) for class_weight, whole, squared, own in sums]
        first = np.searchsorted(parent, np.arange(len(nodes) + 1)).tolist()
        for g in np.flatnonzero(variable >= 0).tolist():
            node, below, j = nodes[g], slice(first[g], first[g + 1]), int(variable[g])
            put_split(node, Candidate(j, float(gain[g]), value_gate(search, j)), below.stop - below.start, {})
            node.codes, node.share, node.children = codes[below], share[below], made[below]
        used = used[parent]
        used[np.arange(len(parent)), variable[parent]] = True
        nodes, wanted = made, codes != REST
        open_ = [not stops(growth, node, *own) for node, own in zip(nodes, held, strict=True)]
        wanted &= np.array(open_, dtype=np.bool_)
    return root


def everyone(growth: Growth) -> Arrivals:
    """Return the whole table's patients, in an order that growing writes over."""
    table = growth.search.table
    if growth.keeps_order:
        return arrivals(table, table.weight)
    return Arrivals(np.arange(table.n, dtype=np.int32), table.weight, table.weight, *table.give_sorted_rows())


def hand_over(
    here: Arrivals, parts: list[NDArray[np.int32]], present: NDArray[np.bool_]
) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Return the order of the patients of each part of a node, and how many are known. The node's own is lost.

    The parts' orders lie in its memory, one after another, if they find room there: not when a patient is in several.

    Parameters
    ----------
    parts : (n_c,) the patients of each child that wants an order. present : (N,) a buffer of False, and is left so.
    """
    memory, n_variables = here.order.reshape(-1), len(here.order)
    sizes = [n_variables * len(rows) for rows in parts]
    room = sum(sizes) <= len(memory)
    orders, known = [here.order] * len(parts), [here.n_known] * len(parts)
    rising = sorted(range(len(parts)), key=sizes.__getitem__)  # the largest is put in place at once
    for c in rising:
        in_place = room and c == rising[-1]
        order = memory[: sizes[c]] if in_place else np.empty(sizes[c], dtype=np.int32)
        orders[c] = order.reshape(n_variables, -1)
        present[parts[c]] = True
        known[c] = kernels.keep_rows(here.order, here.n_known, present, orders[c])
        present[parts[c]] = False
    end = len(memory)
    for c in rising[:-1] if room else ():
        place = memory[end - sizes[c] : end].reshape(n_variables, -1)
        place[:] = orders[c]
        orders[c], end = place, end - sizes[c]
    return list(zip(orders, known, strict=True))


def together(made: list[Arriving]) -> bool:
    """Return True when one child gets everyone: a propagation finer than the search can leave them together."""
    return sum(len(rows) > 0 for _, rows, _ in made) < 2


def open_middle(growth: Growth, node: Node, here: Arrivals, trail: Trail) -> None:
    """Give a numeric split its δ and a middle child. METHODS §7

    `here` carries its weights in `dense`. δ comes from the patients that arrive by hard gates, who are the same under
    hard propagation.
    """
    assert growth.middle is not None
    zone = growth.middle.zone
    if growth.propagation == "hard":
        node.delta = delta(zone, node, here, trail.place)
    else:
        here.dense[here.rows] = 0.0
        node.delta = delta_of(zone, node, trail.rows, trail.weight, here.dense, trail.place)
    node.gate, node.codes, node.share = MIDDLE, np.arange(3, dtype=np.int32), np.zeros(3)


def too_light(node: Node, made: list[Arriving], least: float) -> bool:
    """Return True when the zone leaves a middle split's left or right child lighter than `least`. METHODS §7"""
    if node.gate != MIDDLE:
        return False
    return min(made[0][0].weight, made[-1][0].weight) < least - kernels.SLACK_WEIGHT


def too_few_between(growth: Growth, node: Node, made: list[Arriving]) -> bool:
    """Return True when a middle child is to be a leaf, because under `min_samples_middle` patients are in the zone.

    A patient counts by the part of it that is there, whatever its own weight. METHODS §7
    """
    if growth.middle is None or node.gate != MIDDLE:
        return False
    _, rows, weight = made[1]
    patients = float((weight / growth.search.table.weight[rows]).sum())
    return patients < growth.middle.min_samples - kernels.SLACK_WEIGHT


def child_trails(growth: Growth, node: Node, trail: Trail, made: list[Arriving]) -> list[Trail]:
    """Return who arrives at each child by hard gates; only middle branching asks."""
    if growth.middle is None:
        return [trail] * len(made)
    places = [place_of_child(trail.place, c) for c in range(len(made))]
    if growth.propagation == "hard":
        return [Trail(rows, weight, place) for (_, rows, weight), place in zip(made, places, strict=True)]
    parts = hard_parts(growth.search.table, node, trail.rows, trail.weight, growth.weight_floor)
    return [Trail(*part, place) for part, place in zip(parts, places, strict=True)]


def settle_middles(root: Node, growth: Growth) -> None:
    """Work every δ out again after pruning and send all patients down the changed gates, in place. METHODS §0.1, §7

    The rules of growing hold again: a node whose zone now leaves too little left or right becomes a leaf, and so does
    a middle child with too few patients.
    """
    table, dense = growth.search.table, np.zeros(growth.search.table.n)
    rows = np.flatnonzero(table.weight > 0.0).astype(np.int32)
    weight = table.weight[rows]
    boxes: dict[int, tuple[float, float]] = {}
    stack = [(root, rows, weight, boxes, Trail(rows, weight))]
    while stack:
        node, rows, weight, boxes, trail = stack.pop()
        fresh = make_node(table, rows, weight, node.depth)
        node.class_weight, node.weight, node.weight_squared = fresh.class_weight, fresh.weight, fresh.weight_squared
        node.held = (rows, weight) if growth.keeps_patients else None
        if node.gate == LEAF:
            continue
        node.box = boxes.get(node.variable, (-np.inf, np.inf))
        least = 0.0
        if node.gate == MIDDLE:
            least = settle_middle(growth, node, rows, weight, trail, dense)
        made = send_down(table, node, rows, weight, growth.propagation, growth.noise, growth.weight_floor, refit=True)
        if too_light(node, made, least):
            node.become_leaf()
            continue
        if too_few_between(growth, node, made):
            node.children[1].become_leaf()
        trails = child_trails(growth, node, trail, made)
        for c, (child, (_, kept, part)) in enumerate(zip(node.children, made, strict=True)):
            stack.append((child, kept, part, child_boxes(node, boxes, c), trails[c]))


def settle_middle(
    growth: Growth, node: Node, rows: NDArray[np.int32], weight: Floats, trail: Trail, dense: Floats
) -> float:
    """Write a middle split's δ from those who arrive by hard gates; return the least weight of its left and right."""
    assert growth.middle is not None
    zone = growth.middle.zone
    node.delta = delta_of(zone, node, trail.rows, trail.weight, dense, trail.place)
    if not isinstance(growth.search.min_weight_leaf, str):
        return growth.search.min_weight_leaf
    dense[rows] = weight
    least = minimum_weight(
        growth.search, one_variable(growth.search, node.variable, rows, weight, dense, node.box), node.variable
    )
    dense[rows] = 0.0
    return least


def stops(growth: Growth, node: Node, rows: NDArray[np.int32], weight: Floats) -> bool:
    """Return True when the node is empty, pure, too deep or too light to split. METHODS §5

    A node too light for two sides that are admissible is not searched at all.
    """
    if growth.max_depth is not None and node.depth >= growth.max_depth:
        return True
    if len(rows) == 0 or node.weight < growth.min_weight_split - kernels.SLACK_WEIGHT:
        return True
    if node.weight < least_to_split(growth.search):
        return True
    labels, table = growth.search.labels, growth.search.table
    if labels.precise:
        return is_pure(node.class_weight, labels)
    by_code = np.bincount(table.labels.code[rows], weights=weight, minlength=len(labels.mask))
    return is_pure(by_code.astype(np.float64), labels)


def settle_leaves(root: Node, leaf: str) -> None:
    """Write the class probabilities of every node; one without weight, or of REST, has its parent's. METHODS §5"""
    stack: list[tuple[Node, Floats | None]] = [(root, None)]
    while stack:
        node, above = stack.pop()
        node.probability = leaf_probability(node.class_weight, above, leaf)
        for code, child in zip(node.codes, node.children, strict=True):
            if code == REST:
                child.probability = node.probability
            else:
                stack.append((child, node.probability))


def settle_boxes(root: Node) -> None:
    """Write the interval that the path leaves for each split's own variable, and the depths. METHODS §3"""
    stack: list[tuple[Node, dict[int, tuple[float, float]], int]] = [(root, {}, 0)]
    while stack:
        node, boxes, depth = stack.pop()
        node.depth, node.box = depth, boxes.get(node.variable, (-np.inf, np.inf))
        stack.extend((child, child_boxes(node, boxes, c), depth + 1) for c, child in enumerate(node.children))
