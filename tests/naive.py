"""The methods written a second time, slowly and plainly, to test the engine against.

In: rows of numbers (a category is its code, NaN is missing), labels, parameters named as in METHODS, plain noise.
Out: curves, bounds, gates, trees as nested dicts, probabilities, one patient's figures. Nothing comes from `engine`.
"""

from __future__ import annotations

import copy
import itertools
import math
from types import SimpleNamespace

import naive_search
import numpy as np
from scipy import special

SLACK = 1e-12
LEAF_SLACK = 1e-9
MOST_CANDIDATES = 20_000
DEFAULTS = {
    "criterion": "information_gain", "search": "exact", "threshold": "midpoint", "propagation": "hard",
    "branching": "binary", "zone": "none", "pruning": "none", "leaf": "frequency", "evaluation": "hard",
    "decision": "argmax", "tau": 0.7, "cost": None, "abstain_cost": None, "window": 6.0, "resolution": 0.1,
    "confidence": 0.25, "pruning_laplace": True, "max_depth": None, "min_weight_leaf": 2.0,
    "min_weight_split": 2.0, "weight_floor": 1e-4, "epsilon": 0.05, "zone_z": 1.96, "n_points": 100,
    "mdl_correction": False,
    "u_s": 1.0, "u_p": 1.0, "u_e": 1.0,
}  # fmt: skip


# Noise


def cdf(shape, z):
    """Return F(z), one number at a time, of the unit-variance shape."""
    if z == math.inf:
        return 1.0
    if z == -math.inf:
        return 0.0
    if shape == "normal":
        return 0.5 * math.erfc(-z / math.sqrt(2.0))
    if shape == "uniform":
        half = math.sqrt(3.0)
        return min(1.0, max(0.0, (z + half) / (2.0 * half)))
    if shape == "laplace":
        tail = 0.5 * math.exp(-math.sqrt(2.0) * abs(z))
        return tail if z < 0.0 else 1.0 - tail
    if shape == "truncated":
        return naive_search.truncated_cdf(z)
    if shape == "logistic":
        s = z * math.pi / math.sqrt(3.0)
        return 1.0 / (1.0 + math.exp(-s)) if s > -700.0 else 0.0
    raise ValueError(shape)


def mass(shape, low, high):
    """Return F(high) - F(low), from the upper tail (the shapes are even) when both ends are above 0."""
    if high <= low:
        return 0.0
    return cdf(shape, -low) - cdf(shape, -high) if low > 0.0 else cdf(shape, high) - cdf(shape, low)


def pdf(shape, z):
    """Return the density of the unit-variance shape at an array of z."""
    z = np.asarray(z, dtype=float)
    if shape == "normal":
        return np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    if shape == "uniform":
        return np.where(np.abs(z) <= math.sqrt(3.0), 1.0 / (2.0 * math.sqrt(3.0)), 0.0)
    if shape == "laplace":
        return np.exp(-math.sqrt(2.0) * np.abs(z)) / math.sqrt(2.0)
    if shape == "truncated":
        return naive_search.truncated_pdf(z)
    if shape == "logistic":
        s = math.sqrt(3.0) / math.pi
        e = np.exp(-np.abs(z) / s)
        return e / (s * (1.0 + e) ** 2)
    raise ValueError(shape)


def draw(shape, rng, size):
    """Return zero-mean, unit-variance errors."""
    if shape == "normal":
        return rng.normal(size=size)
    if shape == "uniform":
        return rng.uniform(-math.sqrt(3.0), math.sqrt(3.0), size)
    if shape == "laplace":
        return rng.laplace(0.0, 1.0 / math.sqrt(2.0), size)
    if shape == "logistic":
        return rng.logistic(0.0, math.sqrt(3.0) / math.pi, size)
    raise ValueError(shape)


def make_noise(n_variables, sigma=0.0, cv=0.0, misrecord=0.0, shape="normal"):
    """Return plain noise: one sigma, CV, misrecording probability and shape a variable."""

    def per_variable(value):
        return [value] * n_variables if isinstance(value, (str, int, float)) else list(value)

    return SimpleNamespace(
        sigma=per_variable(sigma), cv=per_variable(cv), misrecord=per_variable(misrecord), shape=per_variable(shape)
    )


def scale_noise(noise, u):
    """Return the noise with sigma and CV, not the misrecording, times `u`."""
    return SimpleNamespace(
        sigma=[u * s for s in noise.sigma],
        cv=[u * c for c in noise.cv],
        misrecord=list(noise.misrecord),
        shape=list(noise.shape),
    )


def sigma_at(noise, j, x):
    """Return sigma of variable `j` at the value `x`."""
    return math.sqrt(noise.sigma[j] ** 2 + (noise.cv[j] * x) ** 2)


# Impurity


def entropy(weights):
    """Return the entropy in bits of class weights."""
    total = sum(weights)
    if total <= 0.0:
        return 0.0
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0.0)


def gini(weights):
    """Return 1 - sum of squared shares of class weights."""
    total = sum(weights)
    if total <= 0.0:
        return 0.0
    return 1.0 - sum((w / total) ** 2 for w in weights)


def largest_sum_of_squares(groups, n_classes):
    """Try every order of serving the classes: each takes all the weight that may still be its own."""
    best = 0.0
    for order in itertools.permutations(range(n_classes)):
        left = dict(groups)
        total = 0.0
        for c in order:
            mine = [s for s in left if c in s]
            total += sum(left.pop(s) for s in mine) ** 2
        best = max(best, total)
    return best


def most_level_loads(groups, n_classes):
    """Level the class weights: again and again the set of classes with the heaviest forced load a class."""
    classes, groups, load = set(range(n_classes)), dict(groups), [0.0] * n_classes
    while classes:
        best, chosen = -1.0, ()
        for size in range(1, len(classes) + 1):
            for subset in itertools.combinations(sorted(classes), size):
                level = sum(w for s, w in groups.items() if s <= set(subset)) / size
                if level >= best - 1e-13 * max(1.0, best):
                    best, chosen = max(best, level), subset
        for c in chosen:
            load[c] = best
        classes -= set(chosen)
        left = {}
        for s, w in groups.items():
            if not s <= set(chosen):
                rest = frozenset(s - set(chosen))
                left[rest] = left.get(rest, 0.0) + w
        groups = left
    return load


def logical_entropy_bounds(groups, n_classes):
    """Return (h_*, h^*) of label sets with weights, as `{frozenset of classes: weight}`."""
    groups = {frozenset(s): float(w) for s, w in groups.items() if w > 0.0}
    total = sum(groups.values())
    if total <= 1e-100:
        return 0.0, 0.0
    lower = 1.0 - largest_sum_of_squares(groups, n_classes) / total**2
    upper = 1.0 - sum(x * x for x in most_level_loads(groups, n_classes)) / total**2
    return lower, upper


def mean_logical_entropy(groups, n_classes):
    """Return the mean of the two bounds."""
    return sum(logical_entropy_bounds(groups, n_classes)) / 2.0


# Data of a fit


def label_sets(y, classes):
    """Return each patient's set of possible classes as a frozenset of codes."""
    code = {c: k for k, c in enumerate(classes)}
    every = frozenset(code.values())
    sets = []
    for label in y:
        if label is None or (isinstance(label, float) and math.isnan(label)):
            sets.append(every)
        elif isinstance(label, (set, frozenset, tuple, list)):
            sets.append(frozenset(code[c] for c in label))
        else:
            sets.append(frozenset([code[label]]))
    return sets


def prepare(X, y, params=None, noise=None, weights=None, variables=None, classes=None):
    """Put one fit's inputs together."""
    X = np.asarray(X, dtype=float)
    n, m = X.shape
    p = {**DEFAULTS, **(params or {})}
    if variables is None:
        variables = [{"name": f"x{j}", "kind": "numeric"} for j in range(m)]
    if classes is None:
        found = set()
        for label in y:
            if isinstance(label, (set, frozenset, tuple, list)):
                found |= set(label)
            elif label is not None:
                found.add(label)
        classes = sorted(found)
    sets = label_sets(y, classes)
    share = np.array([[1.0 / len(s) if k in s else 0.0 for k in range(len(classes))] for s in sets])
    noise = make_noise(m) if noise is None else noise
    return SimpleNamespace(
        X=X,
        sets=sets,
        share=share,
        precise=all(len(s) == 1 for s in sets),
        w0=np.ones(n) if weights is None else np.asarray(weights, dtype=float),
        n_categories=[len(v["categories"]) if v["kind"] == "nominal" else 0 for v in variables],
        variables=variables,
        classes=list(classes),
        p=p,
        search=scale_noise(noise, p["u_s"]),
        propagation=scale_noise(noise, p["u_p"]),
        evaluation=scale_noise(noise, p["u_e"]),
    )


def impurity(data, weight):
    """Return the criterion's impurity of patients with these weights."""
    if data.p["criterion"] in ("information_gain", "gain_ratio"):
        return entropy(weight @ data.share)
    if data.precise:
        return gini(weight @ data.share)
    groups = {}
    for s, w in zip(data.sets, weight, strict=True):
        groups[s] = groups.get(s, 0.0) + w
    return mean_logical_entropy(groups, len(data.classes))


def is_pure(data, weight):
    """Tell whether at most one class is possible among these weights."""
    if data.p["criterion"] == "gini" and not data.precise:
        groups = {}
        for s, w in zip(data.sets, weight, strict=True):
            groups[s] = groups.get(s, 0.0) + w
        return logical_entropy_bounds(groups, len(data.classes))[1] <= SLACK
    return sum(w > SLACK for w in weight @ data.share) <= 1


# Search


def gain_of_parts(data, weight, parts):
    """Return the gain of dividing the known patients' weights into parts, times the known fraction."""
    known = sum(parts)
    total_known = known.sum()
    if total_known <= 0.0:
        return 0.0
    gain = impurity(data, known) - sum(part.sum() / total_known * impurity(data, part) for part in parts)
    return gain * total_known / weight.sum()


def known_patients(data, weight, j):
    """Return who is at the node with variable `j` known."""
    return (weight > 0.0) & ~np.isnan(data.X[:, j])


def exact_candidates(data, weight, j):
    """Return the thresholds of exact search by the placement rule, and whether left is `<=`."""
    values = sorted(set(data.X[known_patients(data, weight, j), j]))
    middles = [(a + b) / 2.0 for a, b in itertools.pairwise(values)]
    if data.p["threshold"] == "value":
        return values[1:], False
    if data.p["threshold"] == "midpoint":
        return middles, True
    everyone = data.X[~np.isnan(data.X[:, j]), j]
    slack = [SLACK * (abs(a) + abs(b)) for a, b in itertools.pairwise(values)]
    return [
        max(v for v in everyone if v <= middle + s and v < above)
        for middle, s, above in zip(middles, slack, values[1:], strict=True)
    ], True


def exact_gain_curve(data, weight, j):
    """Return the list of (threshold, gain, admissible) of exact search, and whether left is `<=`."""
    thresholds, closed_le = exact_candidates(data, weight, j)
    known = known_patients(data, weight, j)
    x, curve = data.X[:, j], []
    for theta in thresholds:
        left = np.where(known & ((x <= theta) if closed_le else (x < theta)), weight, 0.0)
        right = np.where(known, weight, 0.0) - left
        fits = min(left.sum(), right.sum()) >= naive_search.minimum_weight(data, weight, j) - LEAF_SLACK
        curve.append((theta, gain_of_parts(data, weight, [left, right]), fits))
    return curve, closed_le


def soft_grid(data, weight, j):
    """Return the candidates of the soft search."""
    x = data.X[known_patients(data, weight, j), j]
    sigma = [sigma_at(data.search, j, v) for v in x]
    half = data.p["window"] / 2.0
    start = min(v - half * s for v, s in zip(x, sigma, strict=True))
    end = max(v + half * s for v, s in zip(x, sigma, strict=True))
    step = data.p["resolution"] * min(sigma)
    if step <= 0.0 or math.floor((end - start) / step + 1e-9) + 1 > MOST_CANDIDATES:
        step = (end - start) / MOST_CANDIDATES
    return [start + k * step for k in range(math.floor((end - start) / step + 1e-9) + 1)]


def soft_left(data, weight, j, theta):
    """Return each patient's weight left of `theta` by the whole CDF of the search's noise."""
    known, x = known_patients(data, weight, j), data.X[:, j]
    left = np.zeros(len(weight))
    for i in np.flatnonzero(known):
        left[i] = (
            weight[i] * gate_numeric("soft", x[i], theta, True, sigma_at(data.search, j, x[i]), data.search.shape[j])[0]
        )
    return left


def sends_hard(data, j):
    """Tell whether the propagation sends patients by the hard gate at a split on `j`: hard, or soft without noise."""
    noise = data.propagation
    return data.p["propagation"] == "hard" or (noise.sigma[j] == noise.cv[j] == noise.misrecord[j] == 0.0)


def soft_gain_curve(data, weight, j, grid=None):
    """Return the list of (threshold, gain, admissible) of soft search, on its own grid unless one is given."""
    known, x, curve = known_patients(data, weight, j), data.X[:, j], []
    here = np.where(known, weight, 0.0)
    hard = sends_hard(data, j)
    least = naive_search.minimum_weight(data, weight, j) - LEAF_SLACK
    for theta in soft_grid(data, weight, j) if grid is None else grid:
        left = soft_left(data, weight, j, theta)
        fits = min(left.sum(), (here - left).sum()) >= least
        if hard:
            by_hard = here[known & (x <= theta)].sum()
            fits = fits and min(by_hard, here.sum() - by_hard) >= least
        curve.append((theta, gain_of_parts(data, weight, [left, here - left]), fits))
    return curve


def pick_exact(curve):
    """Return the place of the lowest threshold among the best, or None."""
    gains = [g if fits and g > SLACK else -math.inf for _, g, fits in curve]
    if not gains or max(gains) == -math.inf:
        return None
    return next(k for k, g in enumerate(gains) if g >= max(gains) - SLACK)


def pick_soft(curve):
    """Return the lower middle of the first run of neighbouring candidates tied for the best, or None."""
    gains = [g if fits and g > SLACK else -math.inf for _, g, fits in curve]
    if not gains or max(gains) == -math.inf:
        return None
    tied = [g >= max(gains) - SLACK for g in gains]
    first = last = tied.index(True)
    while last + 1 < len(tied) and tied[last + 1]:
        last += 1
    return (first + last) // 2


def nominal_parts(data, weight, j):
    """Return the weights of each category by the search's gate."""
    known, x, size = known_patients(data, weight, j), data.X[:, j], data.n_categories[j]
    wrong = data.search.misrecord[j] if data.p["search"] == "soft" else 0.0
    parts = [np.zeros(len(weight)) for _ in range(size)]
    for i in np.flatnonzero(known):
        for c, share in enumerate(gate_nominal("soft", int(x[i]), size, wrong)):
            parts[c][i] = weight[i] * share
    return parts


def is_soft_search(data, weight, j):
    """Tell whether variable `j` is searched on the soft grid at this node."""
    known = known_patients(data, weight, j)
    return data.p["search"] == "soft" and any(sigma_at(data.search, j, v) > 0.0 for v in data.X[known, j])


def best_of_variable(data, weight, j, box=(-math.inf, math.inf)):
    """Return (gain, threshold, closed_le) of the best split on `j`, or None; `box` is what the path leaves for it."""
    least = naive_search.minimum_weight(data, weight, j) - LEAF_SLACK
    if data.n_categories[j]:
        parts = nominal_parts(data, weight, j)
        holding = sum(part.sum() >= least for part in parts)
        if sends_hard(data, j):
            x, known = data.X[:, j], known_patients(data, weight, j)
            holding = min(holding, sum(weight[known & (x == c)].sum() >= least for c in range(len(parts))))
        gain = gain_of_parts(data, weight, parts)
        return (gain, None, True) if holding >= 2 and gain > SLACK else None
    if naive_search.is_resampled(data, j):
        curve, closed_le = naive_search.resampled_gain_curve(data, weight, j, box), True
        place = pick_exact(curve)
    elif is_soft_search(data, weight, j):
        curve, closed_le = soft_gain_curve(data, weight, j), True
        place = pick_soft(curve)
    else:
        curve, closed_le = exact_gain_curve(data, weight, j)
        place = pick_exact(curve)
    if place is None:
        return None
    gain = curve[place][1] - naive_search.mdl_charge(data, weight, curve)
    return (gain, curve[place][0], closed_le) if gain > SLACK else None


def best_split(data, weight, used, boxes):
    """Return (variable, gain, threshold, closed_le), lowest variable on ties, or None."""
    found = {}
    for j in range(data.X.shape[1]):
        if j not in used:
            best = best_of_variable(data, weight, j, boxes.get(j, (-math.inf, math.inf)))
            if best is not None:
                found[j] = best
    if not found:
        return None
    if data.p["criterion"] == "gain_ratio":
        j = naive_search.best_by_ratio(data, weight, found, boxes)
        return (j, *found[j])
    most = max(best[0] for best in found.values())
    j = min(j for j, best in found.items() if best[0] >= most - SLACK)
    return (j, *found[j])


# Gates


def gate_numeric(kind, x, theta, closed_le, sigma=0.0, shape="normal", box=(-math.inf, math.inf), delta=None):
    """Return (left, right) shares of a known value."""
    if kind in ("zone", "deferred") and delta is not None and delta > 0.0:
        left = zone_left(x, theta, delta)
    elif kind in ("soft", "coherent", "conditional") and sigma > 0.0:
        if kind == "soft":
            left = cdf(shape, (theta - x) / sigma)
        else:
            low, cut, high = (box[0] - x) / sigma, (theta - x) / sigma, (box[1] - x) / sigma
            whole = mass(shape, low, high)
            left = mass(shape, low, min(cut, high)) / whole if whole > 0.0 else float(low >= 0.0)
    else:
        left = 1.0 if (x <= theta if closed_le else x < theta) else 0.0
    return left, 1.0 - left


def zone_left(x, theta, delta):
    """Return the left share of the symmetric ramp, an edge met within rounding counting as met."""
    low, high, slack = theta - delta, theta + delta, 1e-12 * (abs(theta) + delta)
    if x <= low or abs(x - low) <= slack:
        return 1.0
    if x >= high or abs(x - high) <= slack:
        return 0.0
    return (high - x) / (2.0 * delta)


def in_zone(x, theta, delta):
    """Tell whether a known value is undecided: low < x <= high, edges within rounding."""
    if delta is None or not delta > 0.0:
        return False
    low, high, slack = theta - delta, theta + delta, 1e-12 * (abs(theta) + delta)
    if abs(x - low) <= slack:
        return False
    return low < x <= high or abs(x - high) <= slack


def gate_nominal(kind, code, size, misrecord):
    """Return the shares of a known category."""
    if kind in ("soft", "coherent", "conditional") and misrecord > 0.0 and size > 1:
        return [1.0 - misrecord if c == code else misrecord / (size - 1) for c in range(size)]
    return [1.0 if c == code else 0.0 for c in range(size)]


def gate(node, row, kind, noise, box=(-math.inf, math.inf)):
    """Return the shares of one patient among a node's children."""
    j = node["index"]
    x = row[j]
    if math.isnan(x):
        return list(node["share"])
    if node["threshold"] is None:
        return gate_nominal(kind, int(x), len(node["children"]), noise.misrecord[j])
    return list(
        gate_numeric(
            kind,
            x,
            node["threshold"],
            node["closed"] == "le",
            sigma_at(noise, j, x),
            noise.shape[j],
            box,
            node["delta"],
        )
    )


# Growing


def divide(weight, original, gates, floor):
    """Divide one patient's weight; a piece under the floor goes whole to the heaviest piece, the first on ties."""
    pieces = [weight * g for g in gates]
    heaviest = next(c for c, piece in enumerate(pieces) if piece >= max(pieces) - 1e-12 * weight)
    for c, piece in enumerate(pieces):
        if c != heaviest and piece < floor * original:
            pieces[heaviest] += piece
            pieces[c] = 0.0
    return pieces


def send_down(data, node, weight, kind):
    """Set the node's share from the known patients and return the weights of each child."""
    n_children = len(node["children"]) or (2 if node["threshold"] is not None else data.n_categories[node["index"]])
    node["children"] = node["children"] or [None] * n_children
    pieces = np.zeros((len(weight), n_children))
    missing = np.isnan(data.X[:, node["index"]])
    for i in np.flatnonzero((weight > 0.0) & ~missing):
        gates = gate(node, data.X[i], kind, data.propagation, node.get("box", (-math.inf, math.inf)))
        pieces[i] = divide(weight[i], data.w0[i], gates, data.p["weight_floor"])
    known = pieces.sum(axis=0)
    if kind == data.p["propagation"]:
        node["share"] = (
            [float(k / known.sum()) for k in known] if known.sum() > 0.0 else [1.0 / n_children] * n_children
        )
    for i in np.flatnonzero((weight > 0.0) & missing):
        pieces[i] = divide(weight[i], data.w0[i], node["share"], data.p["weight_floor"])
    return [pieces[:, c] for c in range(n_children)]


def fill(data, node, weight, parent):
    """Write the node's own weights and distribution."""
    classes = weight @ data.share
    total = float(weight.sum())
    if total <= 0.0 and parent is not None:
        probability = list(parent)
    elif data.p["leaf"] == "laplace":
        probability = [float((c + 1.0) / (total + len(classes))) for c in classes]
    else:
        probability = [float(c / total) for c in classes]
    node.update(weight=total, class_weight=[float(c) for c in classes], probability=probability)
    return probability


def new_leaf(data, weight, parent):
    """Return a leaf of these patients."""
    node = {
        "variable": None, "index": None, "threshold": None, "closed": None, "delta": None, "low_high": None,
        "gain": None, "share": [], "children": [], "branch": [], "box": (-math.inf, math.inf),
    }  # fmt: skip
    fill(data, node, weight, parent)
    return node


def grow(data, weight, depth=0, used=frozenset(), parent=None, boxes=None):
    """Return the tree of these patients; `boxes` are the intervals that the path leaves, by variable."""
    boxes = boxes or {}
    node = new_leaf(data, weight, parent)
    deep = data.p["max_depth"] is not None and depth >= data.p["max_depth"]
    if deep or is_pure(data, weight) or weight.sum() < data.p["min_weight_split"] - LEAF_SLACK:
        return node
    best = best_split(data, weight, used, boxes)
    if best is None:
        return node
    j, gain, theta, closed_le = best
    nominal = theta is None
    node.update(
        variable=data.variables[j]["name"],
        index=j,
        threshold=theta,
        gain=gain,
        box=boxes.get(j, (-math.inf, math.inf)),
        closed=None if nominal else ("le" if closed_le else "lt"),
        branch=[str(c) for c in data.variables[j]["categories"]] if nominal else ["left", "right"],
    )
    pieces = send_down(data, node, weight, data.p["propagation"])
    if sum(piece.sum() > 0.0 for piece in pieces) < 2:
        return new_leaf(data, weight, parent)
    below = used | {j} if nominal else used
    node["children"] = [
        grow(data, piece, depth + 1, below, node["probability"], naive_search.child_boxes(node, boxes, c))
        for c, piece in enumerate(pieces)
    ]
    return node


def refill(data, node, weight, parent, boxes):
    """Send patients down a finished subtree and work its weights, shares, intervals and distributions out again."""
    own = fill(data, node, weight, parent)
    if node["children"]:
        node["box"] = boxes.get(node["index"], (-math.inf, math.inf))
        pieces = send_down(data, node, weight, data.p["propagation"])
        for c, (child, piece) in enumerate(zip(node["children"], pieces, strict=True)):
            refill(data, child, piece, own, naive_search.child_boxes(node, boxes, c))


# Pruning


def upper_limit(errors, n, c):
    """Return the one-sided Clopper-Pearson upper limit U(E, N) by bisection of the binomial tail."""
    if errors >= n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if special.betainc(errors + 1.0, n - errors, middle) < 1.0 - c:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def charge(class_weight, c, laplace):
    """Return N * U(E, N) of a leaf with these class weights; an empty leaf is charged nothing."""
    n, largest = sum(class_weight), max(class_weight)
    if n <= 0.0:
        return 0.0
    errors = n * (1.0 - (largest + 1.0) / (n + len(class_weight))) if laplace else n - largest
    return n * upper_limit(errors, n, c)


def subtree_charge(data, node):
    """Return the sum of the charges of a subtree's leaves."""
    if not node["children"]:
        return charge(node["class_weight"], data.p["confidence"], data.p["pruning_laplace"])
    return sum(subtree_charge(data, child) for child in node["children"])


def prune(data, node, weight, parent=None, trace=None, boxes=None):
    """Return the pruned subtree: itself, a leaf, or a child with all the node's patients."""
    boxes = boxes or {}
    if not node["children"]:
        return node
    pieces = send_down(data, node, weight, data.p["propagation"])
    node["children"] = [
        prune(data, child, piece, node["probability"], trace, naive_search.child_boxes(node, boxes, c))
        for c, (child, piece) in enumerate(zip(node["children"], pieces, strict=True))
    ]
    leaf = new_leaf(data, weight, parent)
    options = [("leaf", subtree_charge(data, leaf), leaf)]
    for k, child in enumerate(node["children"]):
        raised = copy.deepcopy(child)
        refill(data, raised, weight, parent, boxes)
        options.append((f"child {k}", subtree_charge(data, raised), raised))
    options.append(("subtree", subtree_charge(data, node), node))
    least = min(option[1] for option in options)
    choice = next(option for option in options if option[1] <= least + 1e-9)
    if trace is not None:
        trace.append(
            {
                "variable": node["variable"],
                "threshold": node["threshold"],
                "subtree": options[-1][1],
                "leaf": options[0][1],
                "children": [o[1] for o in options[1:-1]],
                "choice": choice[0],
            }
        )
    return choice[2]


# Zones


def margin(x, codes, theta):
    """Return delta of the margin zone, unclamped, of known values with precise classes."""

    def commonest(side):
        counts = {}
        for c in codes[side]:
            counts[c] = counts.get(c, 0) + 1
        return min(c for c in counts if counts[c] == max(counts.values()))

    left, right = x <= theta, x > theta
    if not left.any() or not right.any():
        return min(abs(v - theta) for v in x) if len(x) else 0.0
    c_left, c_right = commonest(left), commonest(right)
    intruders = [
        abs(v - theta)
        for v, c in zip(x, codes, strict=True)
        if (c == c_left and v > theta) or (c == c_right and v <= theta)
    ]
    if c_left == c_right or not intruders:
        return min(theta - max(x[left]), min(x[right]) - theta)
    return min(intruders)


def quality_plateau(curve, epsilon):
    """Return half the distance of the outermost admissible candidates within `epsilon` of the best gain."""
    fit = [(theta, gain) for theta, gain, fits in curve if fits]
    if not fit:
        return 0.0
    best = max(gain for _, gain in fit)
    near = [theta for theta, gain in fit if gain >= (1.0 - epsilon) * best - SLACK]
    return (max(near) - min(near)) / 2.0


def set_zones(data, node, weight):
    """Write delta at every numeric split from the patients that arrive by hard gates."""
    if not node["children"] or data.p["zone"] == "none":
        return
    j, theta = node["index"], node["threshold"]
    if theta is not None:
        known = known_patients(data, weight, j)
        x = data.X[known, j]
        if data.p["zone"] == "noise":
            delta = data.p["zone_z"] * sigma_at(data.evaluation, j, theta)
        else:
            if data.p["zone"] == "margin":
                codes = np.array([min(s) for s, k in zip(data.sets, known, strict=True) if k])
                delta = margin(x, codes, theta)
            elif naive_search.is_resampled(data, j):
                delta = quality_plateau(
                    naive_search.resampled_gain_curve(data, weight, j, node["box"]), data.p["epsilon"]
                )
            elif is_soft_search(data, weight, j):
                delta = quality_plateau(soft_gain_curve(data, weight, j), data.p["epsilon"])
            else:
                delta = quality_plateau(exact_gain_curve(data, weight, j)[0], data.p["epsilon"])
            delta = min(max(delta, 0.0), 0.25 * (x.max() - x.min()) if len(x) else 0.0)
        node["delta"], node["low_high"] = float(delta), [float(theta - delta), float(theta + delta)]
    for child, piece in zip(node["children"], send_down(data, node, weight, "hard"), strict=True):
        set_zones(data, child, piece)


# Whole fits


def naive_fit(X, y, params=None, noise=None, weights=None, variables=None, classes=None, trace=None):
    """Return the tree as nested dicts (golden/SCHEMA.md), with each split's column in `index`."""
    data = prepare(X, y, params, noise, weights, variables, classes)
    root = grow(data, data.w0.copy())
    if data.p["pruning"] == "pessimistic":
        root = prune(data, root, data.w0.copy(), trace=trace)
        refill(data, root, data.w0.copy(), None, {})
    set_zones(data, root, data.w0.copy())
    return root


def leaves_of(node):
    """Return the leaves in tree order."""
    return [node] if not node["children"] else [leaf for child in node["children"] for leaf in leaves_of(child)]


def nodes_of(node):
    """Return every node, a parent before its children."""
    return [node] + [below for child in node["children"] for below in nodes_of(child)]


def depth_of(node):
    """Return the depth of the deepest leaf."""
    return 1 + max(depth_of(child) for child in node["children"]) if node["children"] else 0


def leaf_shares(tree, row, kind, noise):
    """Return one patient's share of every leaf; the coherent one by the masses of the leaves' boxes."""
    row = [float(v) for v in row]
    shares = []

    def visit(node, share, boxes, blended=False):
        if not node["children"]:
            if kind == "coherent":
                for j, (a, b) in boxes.items():
                    s, shape = sigma_at(noise, j, row[j]), noise.shape[j]
                    share *= mass(shape, (a - row[j]) / s, (b - row[j]) / s)
            shares.append(share)
            return
        j = node["index"]
        x = row[j]
        noisy = (
            kind == "coherent" and node["threshold"] is not None and not math.isnan(x) and sigma_at(noise, j, x) > 0.0
        )
        if noisy:
            low, high = boxes.get(j, (-math.inf, math.inf))
            theta = node["threshold"]
            visit(node["children"][0], share, {**boxes, j: (low, max(low, min(high, theta)))})
            visit(node["children"][1], share, {**boxes, j: (min(high, max(low, theta)), high)})
        else:
            gates = gate(node, row, "hard" if blended else kind, noise)
            known = node["threshold"] is not None and not math.isnan(x)
            inside = known and in_zone(x, node["threshold"], node["delta"])
            for child, g in zip(node["children"], gates, strict=True):
                visit(child, share * g, boxes, blended or (kind == "deferred" and inside))

    visit(tree, 1.0, {})
    return np.array(shares)


def node_reach(tree, row, kind, noise):
    """Return one patient's share of every node in the order of `nodes_of`."""
    leaf = iter(leaf_shares(tree, row, kind, noise))

    def visit(node):
        if not node["children"]:
            return [next(leaf)]
        below, total = [], 0.0
        for child in node["children"]:
            part = visit(child)
            total += part[0]
            below += part
        return [total, *below]

    return np.array(visit(tree))


def naive_proba(tree, rows, kind, noise):
    """Return the probabilities of rows under an evaluation."""
    P = np.array([leaf["probability"] for leaf in leaves_of(tree)])
    return np.array([leaf_shares(tree, row, kind, noise) @ P for row in np.asarray(rows, dtype=float)])


def is_decided(tree, row):
    """Tell whether no node reached by hard gates has the value in its zone, or missing where it has one."""
    exact = make_noise(len(row))

    def visit(node):
        if not node["children"]:
            return True
        x, delta = row[node["index"]], node["delta"]
        zoned = node["threshold"] is not None and delta is not None and delta > 0.0
        if zoned and (math.isnan(x) or in_zone(x, node["threshold"], delta)):
            return False
        return all(visit(c) for c, g in zip(node["children"], gate(node, row, "hard", exact), strict=True) if g > 0.0)

    return visit(tree)


def decide(p, decision="argmax", tau=0.7, cost=None, abstain_cost=None):
    """Return the class code, None to abstain, or a frozenset of codes."""
    p = [float(v) for v in p]
    first = p.index(max(p))
    if decision == "argmax":
        return first
    if decision == "tau":
        return first if p[first] >= tau - SLACK else None
    if decision == "set":
        chosen, total = set(), 0.0
        for k in sorted(range(len(p)), key=lambda k: (-p[k], k)):
            chosen.add(k)
            total += p[k]
            if total >= tau - SLACK:
                break
        return frozenset(chosen)
    if decision == "cost":
        expected = [sum(p[t] * cost[t][a] for t in range(len(p))) for a in range(len(cost[0]))]
        best = expected.index(min(expected))
        return None if abstain_cost is not None and abstain_cost < expected[best] - SLACK else best
    raise ValueError(decision)


# One patient


def answers_of_leaves(tree, **rule):
    """Return each leaf's own answer."""
    return [decide(leaf["probability"], **rule) for leaf in leaves_of(tree)]


def answer_shares(tree, row, noise, **rule):
    """Return {answer: coherent share of the leaves that give it}."""
    total = {}
    for answer, share in zip(answers_of_leaves(tree, **rule), leaf_shares(tree, row, "coherent", noise), strict=True):
        total[answer] = total.get(answer, 0.0) + share
    return total


def certainty(tree, row, noise, **rule):
    """Return the largest share of an answer."""
    return max(answer_shares(tree, row, noise, **rule).values())


def nearest_change(tree, row, j, n_categories=0, **rule):
    """Return the smallest change of variable `j` that alters the hard tree's answer (for a nominal one the first
    category that does, as its code), or None."""
    exact = make_noise(len(row))
    row = [float(v) for v in row]
    if math.isnan(row[j]):
        return None

    def answer(value):
        return decide(naive_proba(tree, [[*row[:j], value, *row[j + 1 :]]], "hard", exact)[0], **rule)

    now = answer(row[j])
    if n_categories:
        return next((c for c in range(n_categories) if c != row[j] and answer(float(c)) != now), None)
    tried = []
    for node in nodes_of(tree):
        if node["index"] == j and node["threshold"] is not None:
            theta = node["threshold"]
            tried += [theta, np.nextafter(theta, -math.inf), np.nextafter(theta, math.inf)]
    change = [value - row[j] for value in tried if answer(value) != now]
    return min(change, key=abs) if change else None


def repeat_gain(tree, row, j, noise, n=1201, **rule):
    """Return the expected gain in certainty from averaging a second reading, by plain quadrature.

    With f the density of the error, true value t, readings x and r, and g_k(t) the share of answer k were variable j
    truly t, the expectation is the integral over r of max_k of the integral over t of f(x - t) f(r - t) g_k(t).
    """
    row = [float(v) for v in row]
    x = row[j]
    if math.isnan(x):
        return None
    sigma, shape = sigma_at(noise, j, x), noise.shape[j]
    if sigma <= 0.0:
        return None
    known = scale_noise(noise, 1.0)
    known.sigma[j] = known.cv[j] = 0.0
    cuts = sorted({node["threshold"] for node in nodes_of(tree) if node["index"] == j})
    edges = [-math.inf, *cuts, math.inf]
    inside = [(max(a, x - 12 * sigma) + min(b, x + 12 * sigma)) / 2.0 for a, b in itertools.pairwise(edges)]
    spots = [s if a < s < b else None for s, a, b in zip(inside, edges[:-1], edges[1:], strict=True)]
    tables = [answer_shares(tree, [*row[:j], s, *row[j + 1 :]], known, **rule) if s is not None else {} for s in spots]
    answers = list(dict.fromkeys(a for table in tables for a in table))
    table = np.array([[t.get(a, 0.0) for t in tables] for a in answers])
    width = {"normal": 8.0, "uniform": math.sqrt(3.0)}.get(shape, 16.0) * sigma
    node, weight = np.polynomial.legendre.leggauss(24)

    def joint(r):
        """Return the integral over the truth of f(x - t) f(r - t) g_k(t) by answer, piece by piece between kinks."""
        low, high = max(x, r) - width, min(x, r) + width
        marks = [m for m in {*cuts, x, r, (x + r) / 2.0} if low < m < high] if low < high else []
        ends = sorted({low, high, *marks}) if low < high else []
        total = np.zeros(len(answers))
        for a, b in itertools.pairwise(ends):
            t = (a + b) / 2.0 + (b - a) / 2.0 * node
            f = pdf(shape, (x - t) / sigma) * pdf(shape, (r - t) / sigma) / sigma**2
            total += table[:, np.searchsorted(cuts, (a + b) / 2.0)] * ((f * weight).sum() * (b - a) / 2.0)
        return total

    second = np.linspace(x - 2.0 * width, x + 2.0 * width, n)
    each = np.array([joint(r) for r in second])
    return max(0.0, float((each.max(axis=1).sum() - each.sum(axis=0).max()) * (second[1] - second[0])))


def interval(tree, row, noise):
    """Return the 2.5 and 97.5 % points of each class's leaf probability under the coherent shares."""
    shares = leaf_shares(tree, row, "coherent", noise)
    P = np.array([leaf["probability"] for leaf in leaves_of(tree)])
    ends = []
    for k in range(P.shape[1]):
        order = np.argsort(P[:, k], kind="stable")
        run = np.cumsum(shares[order]) / shares.sum()
        ends.append([P[order[np.searchsorted(run, q - 1e-12)], k] for q in (0.025, 0.975)])
    return np.array(ends)


def clopper_pearson(k, n, level=0.95):
    """Return the two-sided exact range of a share `k` of `n`, both possibly fractional."""
    tail = (1.0 - level) / 2.0
    low = 0.0 if k <= 0.0 else 1.0 - upper_limit(n - k, n, tail)
    return low, upper_limit(k, n, tail)


# Simulation


def draw_truth(tree, row, noise, n, rng, n_categories=None):
    """Return `n` true rows that the noise allows around the reading."""
    row = np.asarray(row, dtype=float)
    truth = np.tile(row, (n, 1))
    for j, x in enumerate(row):
        if math.isnan(x):
            continue
        if n_categories is not None and n_categories[j]:
            wrong = rng.random(n) < noise.misrecord[j]
            other = rng.integers(0, n_categories[j] - 1, n)
            truth[wrong, j] = (other + (other >= x))[wrong]
        else:
            truth[:, j] = x + sigma_at(noise, j, x) * draw(noise.shape[j], rng, n)
    return truth


def simulated_shares(tree, row, noise, n, rng, n_categories=None):
    """Return the mean hard share of every leaf over draws of the true row."""
    truth = draw_truth(tree, row, noise, n, rng, n_categories)
    return _hard_shares(tree, truth).mean(axis=0)


def simulated_stability(tree, row, noise, answer, n, rng, n_categories=None, **rule):
    """Return how often the hard tree gives `answer` over draws of the true row."""
    truth = draw_truth(tree, row, noise, n, rng, n_categories)
    P = np.array([leaf["probability"] for leaf in leaves_of(tree)])
    probability = _hard_shares(tree, truth) @ P
    return sum(decide(p, **rule) == answer for p in probability) / n


def simulated_repeat(tree, row, j, noise, n, rng, **rule):
    """Return the gain in certainty over simulated second readings of a normal measurement."""
    row = np.asarray(row, dtype=float)
    s = sigma_at(noise, j, row[j])
    sharper = scale_noise(noise, 1.0)
    sharper.sigma[j], sharper.cv[j] = s / math.sqrt(2.0), 0.0
    after = []
    for r in rng.normal(row[j], math.sqrt(2.0) * s, n):
        again = row.copy()
        again[j] = (row[j] + r) / 2.0
        after.append(certainty(tree, again, sharper, **rule))
    return float(np.mean(after) - certainty(tree, row, noise, **rule)), float(np.std(after) / math.sqrt(n))


def _hard_shares(tree, rows):
    """Return the hard shares of many rows at once."""
    columns = []

    def visit(node, share):
        if not node["children"]:
            columns.append(share)
            return
        x = rows[:, node["index"]]
        for c, child in enumerate(node["children"]):
            if node["threshold"] is None:
                here = x == c
            else:
                left = x <= node["threshold"] if node["closed"] == "le" else x < node["threshold"]
                here = left if c == 0 else ~left
            visit(child, share * np.where(np.isnan(x), node["share"][c], here))

    visit(tree, np.ones(len(rows)))
    return np.stack(columns, axis=1)
