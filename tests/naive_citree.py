"""n-ary trees and naive Bayes leaves, written a second time, slowly and plainly. [C], METHODS §4, §5, §8.

In: rows of numbers (a category is its code, NaN is missing), labels, parameters, plain noise, as in `naive`.
Out: trees as nested dicts, shares of leaves, probabilities, a patient's nearest change. Nothing comes from `engine`.
"""

from __future__ import annotations

import copy
import math
from fractions import Fraction

import naive
import naive_gates
import naive_search
import numpy as np

REST = -1
RIGHT_SLACK = 1e-9


# Values and naive Bayes


def prepare(X, y, params, noise, weights, variables):
    """Put one fit's inputs together, with the cuts of numeric variables and how many values each can take."""
    data = naive.prepare(X, y, {"n_bins": 10, **params}, noise, weights, variables)
    data.cuts, data.n_values = [], []
    for j, size in enumerate(data.n_categories):
        known = data.X[~np.isnan(data.X[:, j]), j]
        bins = data.p["n_bins"]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        data.cuts.append([] if size else equal_cuts(low, high, bins))
        data.n_values.append(size or bins)
    return data


def equal_cuts(low, high, bins):
    """Return the cuts of equal-width bins, worked out on the decimals that the ends are written as."""
    low, high = Fraction(repr(float(low))), Fraction(repr(float(high)))
    return [float(low + b * (high - low) / bins) for b in range(1, bins)]


def value_code(data, j, x):
    """Return the category or bin of a known value; one on a cut belongs below it."""
    return int(x) if data.n_categories[j] else sum(x > cut for cut in data.cuts[j])


def fit_bayes(data, weight, used):
    """Return a naive Bayes of patients with these weights over the variables not `used`."""
    n_classes = len(data.classes)
    tables = {j: np.zeros((data.n_values[j], n_classes)) for j in range(data.X.shape[1]) if j not in used}
    for i in np.flatnonzero(weight > 0.0):
        for j, table in tables.items():
            if not math.isnan(data.X[i, j]):
                table[value_code(data, j, data.X[i, j])] += weight[i] * data.share[i]
    return {"prior": weight @ data.share, "tables": tables}


def posterior(data, bayes, row):
    """Return the class probabilities of one row, by plain products of fractions."""
    p = (bayes["prior"] + 1.0) / (bayes["prior"].sum() + len(data.classes))
    for j, table in bayes["tables"].items():
        if not math.isnan(row[j]):
            p = p * (table[value_code(data, j, row[j])] + 1.0) / (table.sum(axis=0) + data.n_values[j])
            p = p / p.sum()
    return p / p.sum()


def right(data, bayes, weight):
    """Return the weight of the patients whom a naive Bayes classifies rightly, the lowest class on ties."""
    total = 0.0
    for i in np.flatnonzero(weight > 0.0):
        p = posterior(data, bayes, data.X[i])
        total += weight[i] * data.share[i][np.flatnonzero(p >= p.max() - 1e-12)[0]]
    return total


# Search


def occurring(data, weight, j):
    """Return the codes of variable `j` that some patient here has."""
    return sorted({value_code(data, j, x) for x in data.X[naive.known_patients(data, weight, j), j]})


def parts_by_value(data, weight, j):
    """Return the weight of known patients at each value of variable `j`."""
    parts = [np.zeros(len(weight)) for _ in range(data.n_values[j])]
    for i in np.flatnonzero(naive.known_patients(data, weight, j)):
        parts[value_code(data, j, data.X[i, j])][i] = weight[i]
    return parts


def right_after_split(data, weight, j, used):
    """Return the weight right when a naive Bayes is put on every occurring value; patients without one by fragment."""
    parts = [part for part in parts_by_value(data, weight, j) if part.sum() > 0.0]
    if len(parts) < 2:
        return None
    known = sum(part.sum() for part in parts)
    unknown = np.where(np.isnan(data.X[:, j]), weight, 0.0)
    whole = [part + unknown * (part.sum() / known) for part in parts]
    return sum(right(data, fit_bayes(data, part, used | {j}), part) for part in whole)


def best_by_accuracy(data, weight, used):
    """Return (variable, gain) of the split with the most weight right, the lowest variable within 1e-9."""
    found = {j: right_after_split(data, weight, j, used) for j in range(data.X.shape[1]) if j not in used}
    found = {j: r for j, r in found.items() if r is not None}
    if not found:
        return None
    j = min(j for j, r in found.items() if r >= max(found.values()) - RIGHT_SLACK)
    return j, (found[j] - right(data, fit_bayes(data, weight, used), weight)) / weight.sum()


def best_by_gain(data, weight, used):
    """Return (variable, gain) of the best n-ary split by gain or gain ratio, or None."""
    found, entropies = {}, {}
    for j in range(data.X.shape[1]):
        parts = parts_by_value(data, weight, j)
        gain = naive.gain_of_parts(data, weight, parts)
        least = data.p["min_weight_leaf"] - naive.LEAF_SLACK
        if j not in used and sum(part.sum() >= least for part in parts) >= 2 and gain > naive.SLACK:
            found[j] = gain
            known = [part.sum() for part in parts]
            entropies[j] = naive.entropy([*known, max(0.0, weight.sum() - sum(known))])
    if not found:
        return None
    if data.p["criterion"] == "gain_ratio":
        mean = sum(found.values()) / len(found)
        ratio = {j: gain / entropies[j] for j, gain in found.items() if gain >= mean - naive.SLACK}
        j = min(j for j, r in ratio.items() if r >= max(ratio.values()) - naive.SLACK)
    else:
        j = min(j for j, gain in found.items() if gain >= max(found.values()) - naive.SLACK)
    return j, found[j]


# Growing


def gate(data, node, row, kind, noise):
    """Return the shares of one patient among a node's children."""
    j = node["index"]
    x = row[j]
    if math.isnan(x):
        return list(node["share"])
    if node["threshold"] is not None:
        return naive.gate(node, row, kind, noise, node["box"])
    if data.n_categories[j]:
        return naive_gates.categories(kind, int(x), data.n_categories[j], node["codes"], noise.misrecord[j])
    sigma = naive.sigma_at(noise, j, x)
    kind = "soft" if kind == "conditional" else kind
    return naive_gates.bins(kind, x, data.cuts[j], node["codes"], sigma, noise.shape[j])


def send_down(data, node, weight):
    """Set the node's share from the known patients and return the weights of each child."""
    pieces = np.zeros((len(weight), len(node["codes"])))
    unknown = np.isnan(data.X[:, node["index"]])
    kind, floor = data.p["propagation"], data.p["weight_floor"]
    for i in np.flatnonzero((weight > 0.0) & ~unknown):
        pieces[i] = naive.divide(weight[i], data.w0[i], gate(data, node, data.X[i], kind, data.propagation), floor)
    node["share"] = [float(s) for s in pieces.sum(axis=0) / pieces.sum()]
    for i in np.flatnonzero((weight > 0.0) & unknown):
        pieces[i] = naive.divide(weight[i], data.w0[i], node["share"], floor)
    return list(pieces.T)


def new_leaf(data, weight, used):
    """Return a leaf that holds these patients."""
    node = naive.new_leaf(data, weight, [1.0] * len(data.classes))
    return {**node, "codes": [], "patients": weight, "used": used}


def grow(data, weight, depth=0, used=frozenset(), boxes=None):
    """Return the tree of these patients."""
    boxes = boxes or {}
    node = new_leaf(data, weight, used)
    deep = data.p["max_depth"] is not None and depth >= data.p["max_depth"]
    light = weight.sum() < data.p["min_weight_split"] - naive.LEAF_SLACK
    if deep or light or weight.sum() <= 0.0 or naive.is_pure(data, weight):
        return node
    j, theta, closed = None, None, None
    if data.p["branching"] == "nary":
        pick = best_by_accuracy if data.p["criterion"] == "nb_accuracy" else best_by_gain
        best = pick(data, weight, once(data, used))
        if best is not None:
            j, gain = best
    else:
        best = naive.best_split(data, weight, once(data, used), boxes)
        if best is not None:
            j, gain, theta, closed_le = best
            closed = None if theta is None else ("le" if closed_le else "lt")
    if j is None:
        return node
    codes = list(range(data.n_values[j])) if theta is None else [0, 1]
    if data.p["criterion"] == "nb_accuracy":
        codes = occurring(data, weight, j)
        codes += [REST] if len(codes) < data.n_values[j] else []
    node.update(
        variable=data.variables[j]["name"], index=j, threshold=theta, closed=closed, gain=gain, codes=codes,
        box=boxes.get(j, (-math.inf, math.inf)), branch=branch_names(data, j, theta, codes),
    )  # fmt: skip
    pieces = send_down(data, node, weight)
    if sum(piece.sum() > 0.0 for piece in pieces) < 2:
        return new_leaf(data, weight, used)
    below = used | {j}
    for c, (code, piece) in enumerate(zip(codes, pieces, strict=True)):
        inner = naive_search.child_boxes(node, boxes, c) if theta is not None else boxes
        child = new_leaf(data, piece, below) if code == REST else grow(data, piece, depth + 1, below, inner)
        node["children"].append(child)
    return node


def once(data, used):
    """Return the variables on the path that may not be split again: all in an n-ary tree, else the nominal ones."""
    return frozenset(j for j in used if data.p["branching"] == "nary" or data.n_categories[j])


def branch_names(data, j, theta, codes):
    """Return the label of every child."""
    if theta is not None:
        return ["left", "right"]
    names = data.variables[j].get("categories")
    return ["other" if c == REST else str(c if names is None else names[c]) for c in codes]


# Leaves


def settle(data, node, above=None, speaker=None, rest=False):
    """Write every node's distribution and the naive Bayes it answers by; an empty or REST leaf has its parent's."""
    if above is not None and (rest or node["weight"] <= 0.0):
        node["probability"], node["bayes"] = above["probability"], speaker
    else:
        weights = np.array(node["class_weight"])
        smooth = 1.0 if data.p["leaf"] in ("laplace", "naive_bayes") else 0.0
        p = (weights + smooth) / (weights.sum() + smooth * len(weights))
        node["probability"] = [float(q) for q in p]
        node["bayes"] = fit_bayes(data, node["patients"], node["used"])
    for code, child in zip(node["codes"], node["children"], strict=True):
        settle(data, child, node, node["bayes"], code == REST)


# Pruning


def wrong(data, node):
    """Return the weight of the node's patients that the naive Bayes it answers by classifies wrongly."""
    return max(0.0, node["weight"] - right(data, node["bayes"], node["patients"]))


def bayes_charge(data, node):
    """Return N * U(E, N) of a node as a leaf, with its naive Bayes' errors."""
    n = node["weight"]
    return n * naive.upper_limit(wrong(data, node), n, data.p["confidence"]) if n > 0.0 else 0.0


def cut(data, node, cost):
    """Return the node, a leaf when that costs no more than its subtree's leaves, and what it costs now."""
    if not node["children"]:
        return node, cost(data, node)
    both = [cut(data, child, cost) for child in node["children"]]
    node["children"] = [child for child, _ in both]
    own, below = cost(data, node), sum(paid for _, paid in both)
    if own <= below + RIGHT_SLACK:
        leaf = new_leaf(data, node["patients"], node["used"])
        return {**leaf, "bayes": node["bayes"], "probability": node["probability"]}, own
    return node, below


def refill(data, node, weight):
    """Send patients down a finished subtree and work its weights and shares out again."""
    classes = weight @ data.share
    node.update(weight=float(weight.sum()), class_weight=[float(c) for c in classes], patients=weight)
    if node["children"]:
        pieces = send_down(data, node, weight)
        for child, piece in zip(node["children"], pieces, strict=True):
            refill(data, child, piece)


def frequency_charge(data, node):
    """Return the sum of the charges of a subtree's leaves by their own class weights."""
    if node["children"]:
        return sum(frequency_charge(data, child) for child in node["children"])
    return naive.charge(node["class_weight"], data.p["confidence"], data.p["pruning_laplace"])


def prune_with_raising(data, node, weight):
    """Return the subtree, a leaf, or a child in its place with all the node's patients, whichever is charged least."""
    if not node["children"]:
        return node
    pieces = send_down(data, node, weight)
    node["children"] = [prune_with_raising(data, c, w) for c, w in zip(node["children"], pieces, strict=True)]
    options = [new_leaf(data, weight, node["used"])]
    for child in node["children"]:
        raised = copy.deepcopy(child)
        refill(data, raised, weight)
        options.append(raised)
    options.append(node)
    charges = [frequency_charge(data, option) for option in options]
    return options[next(k for k, c in enumerate(charges) if c <= min(charges) + 1e-9)]


def whole_tree(data):
    """Return the grown, pruned and settled tree of a prepared fit."""
    root = grow(data, data.w0.copy())
    pruning = data.p["pruning"]
    if data.p["leaf"] == "naive_bayes":
        settle(data, root)
        for cost in {"pessimistic": [bayes_charge], "nb_accuracy": [wrong], "none": []}.get(
            pruning, [bayes_charge, wrong]
        ):
            root, _ = cut(data, root, cost)
    elif pruning == "pessimistic":
        root = prune_with_raising(data, root, data.w0.copy())
    settle(data, root)
    return root


# Readers


def reached_leaves(data, node, row, kind, noise, share=1.0):
    """Return (leaf, share, is REST) of every leaf in tree order."""
    found = []
    gates = gate(data, node, row, kind, noise) if node["children"] else []
    for code, child, part in zip(node["codes"], node["children"], gates, strict=True):
        if child["children"]:
            found += reached_leaves(data, child, row, kind, noise, share * part)
        else:
            found.append((child, share * part, code == REST))
    return found or [(node, share, False)]


def answer_of_leaf(data, leaf, row):
    """Return what a leaf says of a row."""
    return posterior(data, leaf["bayes"], row) if data.p["leaf"] == "naive_bayes" else np.array(leaf["probability"])


def proba(data, tree, row, kind, noise):
    """Return the mixture of what the leaves say."""
    return sum(s * answer_of_leaf(data, leaf, row) for leaf, s, _ in reached_leaves(data, tree, row, kind, noise))


def without_rest(node):
    """Return the tree without the leaves of REST, as it is shown."""
    kept = [c for c, code in enumerate(node["codes"]) if code != REST]
    shown = {name: [node[name][c] for c in kept] for name in ("share", "branch")}
    return {**node, **shown, "children": [without_rest(node["children"][c]) for c in kept]}


def nearest_change(data, tree, row, j, noise, **rule):
    """Return the smallest change of variable `j` that alters the hard tree's answer (a category's code), or None."""

    def answer(value):
        return naive.decide(proba(data, tree, [*row[:j], value, *row[j + 1 :]], "hard", noise), **rule)

    row = [float(v) for v in row]
    if math.isnan(row[j]):
        return None
    now = answer(row[j])
    if data.n_categories[j]:
        return next((c for c in range(data.n_categories[j]) if answer(float(c)) != now), None)
    marks = [*data.cuts[j], *(node["threshold"] for node in naive.nodes_of(tree) if node["index"] == j)]
    marks = [m for m in marks if m is not None]
    tried = [v for m in marks for v in (np.nextafter(m, -math.inf), m, np.nextafter(m, math.inf))]
    changes = [v - row[j] for v in tried if answer(v) != now]
    return min(changes, key=abs) if changes else None


def simulated(data, tree, row, noise, n, rng, **rule):
    """Return {answer: share} over `n` drawn true rows, every leaf reached answering for itself."""
    sizes = data.n_categories
    total = {}
    for truth in naive.draw_truth(tree, row, noise, n, rng, sizes):
        for leaf, share, _ in reached_leaves(data, tree, truth, "hard", noise):
            if share > 0.0:
                answer = naive.decide(answer_of_leaf(data, leaf, truth), **rule)
                total[answer] = total.get(answer, 0.0) + share / n
    return total
