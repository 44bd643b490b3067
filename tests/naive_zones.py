"""Zones, middle children, Quinlan's thresholds and calibration, worked out slowly.

In: rows, labels, parameters and noise as `naive` takes them. Out: δ, edges, whole trees as nested dicts, shares.
Nothing comes from `engine`.
"""

from __future__ import annotations

import copy
import itertools
import math

import naive
import naive_gates
import naive_search
import numpy as np

EVERYWHERE = (-math.inf, math.inf)
MORE = {
    "alpha": 0.1, "percentile": 10, "n_bootstraps": None, "min_samples_middle": 5, "random_state": None,
}  # fmt: skip


# δ


def class_overlap(x, codes, percentile=10):
    """Return half the widest overlap of two classes' bands of percentiles."""
    bands = [np.percentile(x[codes == k], [percentile, 100 - percentile]) for k in sorted(set(codes))]
    overlaps = [min(b[1], c[1]) - max(b[0], c[0]) for b, c in itertools.combinations(bands, 2)]
    return max([0.5 * overlap for overlap in overlaps if overlap > 0.0], default=0.0)


def split_parts(data, weight, j, theta, closed_le):
    """Return the known patients' weights left and right of a threshold as the search weighs them."""
    known, x = naive.known_patients(data, weight, j), data.X[:, j]
    here = np.where(known, weight, 0.0)
    if naive.is_soft_search(data, weight, j):
        left = naive.soft_left(data, weight, j, theta)
    else:
        left = np.where((x <= theta) if closed_le else (x < theta), here, 0.0)
    return left, here - left


def exact_curve(data, weight, j):
    """Return the exact gain curve alone."""
    return naive.exact_gain_curve(data, weight, j)[0]


def gain_ratio(data, weight, j, theta, closed_le):
    """Return alpha * range / (1 + gain / split entropy)."""
    left, right = split_parts(data, weight, j, theta, closed_le)
    curve = naive.soft_gain_curve if naive.is_soft_search(data, weight, j) else exact_curve
    gain = naive.gain_of_parts(data, weight, [left, right])
    gain -= naive_search.mdl_charge(data, weight, curve(data, weight, j))
    unknown = weight.sum() - left.sum() - right.sum()
    bits = naive.entropy([left.sum(), right.sum(), unknown])
    x = data.X[naive.known_patients(data, weight, j), j]
    return data.p["alpha"] * (x.max() - x.min()) / (1.0 + (max(gain, 0.0) / bits if bits > 0.0 else 0.0))


def without_leaf_minimum(data):
    """Return the data with the search's leaf minimum off, by hard gates too."""
    free = copy.copy(data)
    free.p = {**data.p, "min_weight_leaf": 0.0, "propagation": "soft"}
    free.propagation = naive.make_noise(data.X.shape[1], 1.0)
    return free


def best_threshold(data, weight, j):
    """Return the best candidate of variable `j` by its search's rule on ties, a gain of 0 included; None without."""
    soft = naive.is_soft_search(data, weight, j)
    curve = naive.soft_gain_curve(data, weight, j) if soft else naive.exact_gain_curve(data, weight, j)[0]
    gains = []
    for theta, gain, _ in curve:
        left = naive.soft_left(data, weight, j, theta).sum() if soft else 1.0
        known = weight[naive.known_patients(data, weight, j)].sum() if soft else 2.0
        gains.append(gain if 0.0 < left < known else -math.inf)
    if not gains or max(gains) == -math.inf:
        return None
    tied = [gain >= max(gains) - naive.SLACK for gain in gains]
    first = last = tied.index(True)
    while soft and last + 1 < len(tied) and tied[last + 1]:
        last += 1
    return curve[(first + last) // 2][0]


def resample_thresholds(data, weight, j, patients, draws):
    """Return the best threshold of each resample; `draws` are lists of places in `patients`."""
    found, free = [], without_leaf_minimum(data)
    for draw in draws:
        drawn = np.zeros(len(weight))
        for place in draw:
            drawn[patients[place]] += weight[patients[place]]
        best = best_threshold(free, drawn, j)
        if best is not None:
            found.append(best)
    return found


def node_bootstrap(data, weight, j, place):
    """Return the standard deviation of the best threshold over resamples of the node."""
    known = np.flatnonzero(naive.known_patients(data, weight, j))
    if len(known) < 10:
        return 0.0
    n = len(data.w0)
    rule = 20 if n < 2000 else 15 if n < 10000 else 10
    times = data.p["n_bootstraps"] or rule
    patients = sorted(known, key=lambda i: (data.X[i, j], min(data.sets[i]), weight[i]))
    rng = np.random.default_rng([data.p["random_state"] or 0, place])
    draws = rng.integers(0, len(known), size=(times, len(known)), dtype=np.int32)
    found = resample_thresholds(data, weight, j, patients, draws)
    return float(np.std(found)) if len(found) >= 2 else 0.0


def delta_of(data, node, weight, place):
    """Return delta of a numeric split from the patients that arrive by hard gates, clamped."""
    j, theta, closed_le, zone = node["index"], node["threshold"], node["closed"] == "le", data.p["zone"]
    if zone == "noise":
        return data.p["zone_z"] * naive.sigma_at(data.evaluation, j, theta)
    known = naive.known_patients(data, weight, j)
    if not known.any():
        return 0.0
    x = data.X[known, j]
    codes = np.array([min(s) for s, k in zip(data.sets, known, strict=True) if k])
    if zone == "margin":
        delta = naive.margin(x, codes, theta)
    elif zone == "class_overlap":
        delta = class_overlap(x, codes, data.p["percentile"])
    elif zone == "gain_ratio":
        delta = gain_ratio(data, weight, j, theta, closed_le)
    elif zone == "node_bootstrap":
        delta = node_bootstrap(data, weight, j, place)
    elif naive.is_soft_search(data, weight, j):
        delta = naive.quality_plateau(naive.soft_gain_curve(data, weight, j), data.p["epsilon"])
    else:
        delta = naive.quality_plateau(naive.exact_gain_curve(data, weight, j)[0], data.p["epsilon"])
    return float(min(max(delta, 0.0), 0.25 * (x.max() - x.min())))


def put_delta(data, node, weight, place):
    """Write delta and the edges into a node."""
    delta = delta_of(data, node, weight, place)
    node["delta"], node["low_high"] = delta, [node["threshold"] - delta, node["threshold"] + delta]


def below(place, child):
    """Return the number that tells a child by its path."""
    return (place * 1_000_003 + child + 1) % 2**61


# Gates


def is_middle(node):
    """Tell whether a node has a middle child."""
    return node["branch"] == ["left", "middle", "right"]


def gate(node, row, kind, noise, box=EVERYWHERE):
    """Return one patient's shares by child."""
    j, x = node["index"], row[node["index"]]
    kind = "coherent" if kind == "conditional" else kind
    if math.isnan(x):
        return list(node["share"])
    if node["threshold"] is None:
        return naive.gate_nominal(kind, int(x), len(node["branch"]), noise.misrecord[j])
    theta, closed_le, sigma, shape = node["threshold"], node["closed"] == "le", naive.sigma_at(noise, j, x), None
    shape = noise.shape[j]
    if is_middle(node):
        return naive_gates.middle(kind, x, theta, closed_le, *node["low_high"], sigma, shape, box)
    if kind in ("zone", "deferred") and node["low_high"] and node["low_high"][1] > node["low_high"][0]:
        side = naive_gates.zone_edges(x, *node["low_high"])
        left = {-1: 1.0, 1: 0.0}.get(side)
        left = naive_gates.ramp(x, node["low_high"][0], theta, node["low_high"][1]) if left is None else left
        return [left, 1.0 - left]
    return list(naive.gate_numeric(kind, x, theta, closed_le, sigma, shape, box))


def child_boxes(node, boxes, child):
    """Return the intervals that the path leaves below a child."""
    if node["threshold"] is None:
        return boxes
    a, b = boxes.get(node["index"], EVERYWHERE)
    cuts = node["low_high"] if is_middle(node) else [node["threshold"]]
    ends = [a, *(min(max(cut, a), b) for cut in cuts), b]
    return {**boxes, node["index"]: (ends[child], ends[child + 1])}


def send(data, node, weight, kind, boxes, refit):
    """Return the weights of each child; work the node's share out again when `refit`."""
    box = boxes.get(node["index"], EVERYWHERE)
    pieces = np.zeros((len(weight), len(node["branch"])))
    missing = np.isnan(data.X[:, node["index"]])

    def put(i, gates):
        pieces[i] = naive.divide(weight[i], data.w0[i], gates, data.p["weight_floor"])

    for i in np.flatnonzero((weight > 0.0) & ~missing):
        put(i, gate(node, data.X[i], kind, data.propagation, box))
    if refit and pieces.sum() > 0.0:
        node["share"] = [float(k / pieces.sum()) for k in pieces.sum(axis=0)]
    elif not node["share"]:
        node["share"] = [1.0 / len(node["branch"])] * len(node["branch"])
    for i in np.flatnonzero((weight > 0.0) & missing):
        put(i, node["share"])
    return list(pieces.T)


# Growing, pruning


def too_light(data, node, pieces):
    """Tell whether the zone leaves too little left or right."""
    return is_middle(node) and min(pieces[0].sum(), pieces[2].sum()) < data.p["min_weight_leaf"] - naive.LEAF_SLACK


def too_few(data, node, child, piece):
    """Tell whether a middle child is to be a leaf."""
    return is_middle(node) and child == 1 and (piece / data.w0).sum() < data.p["min_samples_middle"] - naive.LEAF_SLACK


def grow(data, weight, hard, boxes, depth=0, used=frozenset(), parent=None, place=1):
    """Return the tree of these patients; `hard` are the weights that arrive by hard gates."""
    node = naive.new_leaf(data, weight, parent)
    deep = data.p["max_depth"] is not None and depth >= data.p["max_depth"]
    light = weight.sum() < data.p["min_weight_split"] - naive.LEAF_SLACK
    best = None if deep or light or naive.is_pure(data, weight) else naive.best_split(data, weight, used, boxes)
    if best is None:
        return node
    j, gain, theta, closed_le = best
    nominal = theta is None
    node.update(variable=data.variables[j]["name"], index=j, threshold=theta, gain=gain)
    if nominal:
        node["branch"] = [str(c) for c in data.variables[j]["categories"]]
    else:
        node["closed"] = "le" if closed_le else "lt"
        node["branch"] = ["left", "middle", "right"] if data.p["branching"] == "middle" else ["left", "right"]
    if is_middle(node):
        put_delta(data, node, hard, place)
    pieces = send(data, node, weight, data.p["propagation"], boxes, True)
    if sum(piece.sum() > 0.0 for piece in pieces) < 2 or too_light(data, node, pieces):
        return naive.new_leaf(data, weight, parent)
    hards = send(data, node, hard, "hard", boxes, False)
    inner = used | {j} if nominal else used
    for c, (piece, arrived) in enumerate(zip(pieces, hards, strict=True)):
        if too_few(data, node, c, piece):
            child = naive.new_leaf(data, piece, node["probability"])
        else:
            below_it = child_boxes(node, boxes, c)
            child = grow(data, piece, arrived, below_it, depth + 1, inner, node["probability"], below(place, c))
        node["children"].append(child)
    return node


def refill(data, node, weight, parent, boxes):
    """Work a finished subtree's weights, shares and distributions out again."""
    own = naive.fill(data, node, weight, parent)
    if node["children"]:
        pieces = send(data, node, weight, data.p["propagation"], boxes, True)
        for c, (child, piece) in enumerate(zip(node["children"], pieces, strict=True)):
            refill(data, child, piece, own, child_boxes(node, boxes, c))


def prune(data, node, weight, parent, boxes):
    """Return the pruned subtree: itself, a leaf, or a child with all the node's patients."""
    if not node["children"]:
        return node
    pieces = send(data, node, weight, data.p["propagation"], boxes, False)
    node["children"] = [
        prune(data, child, piece, node["probability"], child_boxes(node, boxes, c))
        for c, (child, piece) in enumerate(zip(node["children"], pieces, strict=True))
    ]
    options = [naive.new_leaf(data, weight, parent)]
    for child in node["children"]:
        options.append(copy.deepcopy(child))
        refill(data, options[-1], weight, parent, boxes)
    options.append(node)
    charges = [naive.subtree_charge(data, option) for option in options]
    return next(o for o, c in zip(options, charges, strict=True) if c <= min(charges) + 1e-9)


def settle_middles(data, node, weight, hard, parent, boxes, place=1):
    """Return the subtree with every delta found again and its patients sent down the changed gates."""
    own = naive.fill(data, node, weight, parent)
    if not node["children"]:
        return node
    if is_middle(node):
        put_delta(data, node, hard, place)
    pieces = send(data, node, weight, data.p["propagation"], boxes, True)
    if too_light(data, node, pieces):
        return naive.new_leaf(data, weight, parent)
    hards = send(data, node, hard, "hard", boxes, False)
    for c, (piece, arrived) in enumerate(zip(pieces, hards, strict=True)):
        if too_few(data, node, c, piece):
            node["children"][c] = naive.new_leaf(data, piece, own)
        else:
            inner = child_boxes(node, boxes, c)
            node["children"][c] = settle_middles(data, node["children"][c], piece, arrived, own, inner, below(place, c))
    return node


def settle_zones(data, node, weight, place=1):
    """Write delta at every numeric split from the patients that arrive by hard gates."""
    if not node["children"]:
        return
    if node["threshold"] is not None:
        put_delta(data, node, weight, place)
    for c, (child, piece) in enumerate(zip(node["children"], send(data, node, weight, "hard", {}, False), strict=True)):
        settle_zones(data, child, piece, below(place, c))


# Quinlan's thresholds


def quinlan_edges(x, wrong_left, wrong_right, cut):
    """Return (θ⁻, θ⁺), straight from Quinlan's description."""

    def errors(v):
        return sum(wrong_right) + sum(left - right for a, left, right in rows if a <= v)

    rows = list(zip(x, wrong_left, wrong_right, strict=True))
    if not rows:
        return cut, cut
    n, own = len(rows), errors(cut)
    limit = own + math.sqrt((own + 0.5) * (n - own + 0.5) / (n + 1.0))
    values = sorted(set(x))
    low, high, met = min(cut, values[0]), max(cut, values[-1]), False
    for p, q in itertools.pairwise(values):
        at_p, at_q = errors(p), errors(q)
        if not met and at_p > limit >= at_q and q <= cut:
            low, met = q - (q - p) * (limit - at_q) / (at_p - at_q), True
        if at_p <= limit < at_q and q > cut:
            high = max(cut, p + (q - p) * (limit - at_p) / (at_q - at_p))
    return low, high


def settle_quinlan(data, node, weight):
    """Write the edges at every numeric split."""
    if not node["children"]:
        return
    exact = naive.make_noise(data.X.shape[1])
    if node["threshold"] is not None:
        known = np.flatnonzero(naive.known_patients(data, weight, node["index"]))
        wrong = []
        for child in node["children"]:
            P = [proba(child, data.X[i], "hard", exact) for i in known]
            wrong.append([int(list(p).index(max(p)) != min(data.sets[i])) for p, i in zip(P, known, strict=True)])
        x = [float(data.X[i, node["index"]]) for i in known]
        node["low_high"] = list(quinlan_edges(x, *wrong, node["threshold"]))
    for child, piece in zip(node["children"], send(data, node, weight, "hard", {}, False), strict=True):
        settle_quinlan(data, child, piece)


# Whole fits


def fit(X, y, params=None, noise=None, weights=None, variables=None):
    """Return the tree as nested dicts, zones and middle children included."""
    data = naive.prepare(X, y, {**MORE, **(params or {})}, noise, weights, variables)
    root = grow(data, data.w0.copy(), data.w0.copy(), {})
    if data.p["pruning"] == "pessimistic":
        root = prune(data, root, data.w0.copy(), None, {})
        refill(data, root, data.w0.copy(), None, {})
        if data.p["branching"] == "middle":
            root = settle_middles(data, root, data.w0.copy(), data.w0.copy(), None, {})
    if data.p["zone"] == "quinlan":
        settle_quinlan(data, root, data.w0.copy())
    elif data.p["zone"] != "none" and data.p["branching"] == "binary":
        settle_zones(data, root, data.w0.copy())
    return root


def leaf_shares(tree, row, kind, noise):
    """Return one patient's share of every leaf."""
    shares = []

    def visit(node, share, boxes, blended):
        if not node["children"]:
            shares.append(share)
            return
        gates = gate(node, row, "hard" if blended else kind, noise, boxes.get(node["index"], EVERYWHERE))
        blended = blended or (kind == "deferred" and meets_zone(node, row))
        for c, child in enumerate(node["children"]):
            visit(child, share * gates[c], child_boxes(node, boxes, c), blended)

    visit(tree, 1.0, {}, False)
    return np.array(shares)


def proba(tree, row, kind, noise):
    """Return one patient's class probabilities."""
    leaves = np.array([leaf["probability"] for leaf in naive.leaves_of(tree)])
    return leaf_shares(tree, row, kind, noise) @ leaves


def meets_zone(node, row):
    """Tell whether a known value lies in the node's zone."""
    edges, x = node["low_high"], row[node["index"]]
    zoned = edges is not None and edges[1] > edges[0]
    return zoned and not math.isnan(x) and naive_gates.zone_edges(x, *edges) == 0


def is_decided(tree, row):
    """Tell whether no node reached by hard gates has the value in its zone, or missing where it has one."""
    exact = naive.make_noise(len(row))

    def visit(node):
        if not node["children"]:
            return True
        edges = node["low_high"]
        lacking = edges is not None and edges[1] > edges[0] and math.isnan(row[node["index"]])
        if lacking or meets_zone(node, row):
            return False
        gates = gate(node, row, "hard", exact)
        return all(visit(child) for child, g in zip(node["children"], gates, strict=True) if g > 0.0)

    return visit(tree)


# Calibration


def scaled(tree, factor):
    """Return the tree with every delta times `factor`."""
    other = copy.deepcopy(tree)
    for node in naive.nodes_of(other):
        if node["delta"] is not None:
            node["delta"] *= factor
            node["low_high"] = [node["threshold"] - node["delta"], node["threshold"] + node["delta"]]
    return other


def undecided_rate(tree, rows, factor):
    """Return the part of the rows that are undecided when every delta is times `factor`."""
    return sum(not is_decided(scaled(tree, factor), row) for row in rows) / len(rows)


def nearest_factor(trees_and_rows, target):
    """Return (factor, rate): a hair beyond every factor at which an edge meets a patient is tried."""
    tried = {0.0, 1e-9}
    for tree, rows in trees_and_rows:
        for node in naive.nodes_of(tree):
            if node["delta"]:
                for row in rows:
                    factor = abs(row[node["index"]] - node["threshold"]) / node["delta"]
                    if not math.isnan(factor):
                        tried.add(factor * (1.0 + 1e-9) + 1e-9)
    n = sum(len(rows) for _, rows in trees_and_rows)
    best = None
    for factor in sorted(tried):
        undecided = sum(undecided_rate(tree, rows, factor) * len(rows) for tree, rows in trees_and_rows)
        apart = abs(undecided / n - target)
        if best is None or apart < best[0] - 1e-9:
            best = apart, factor, undecided / n
    return best[1:]
