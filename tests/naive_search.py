"""Resampled search, the gain ratio and the intervals of a path, written a second time, slowly and plainly.

In: naive data of a fit (`naive.prepare`), weights, the intervals that the path leaves. Out: points, curves, splits.
Nothing comes from `engine`.
"""

from __future__ import annotations

import functools
import math

import naive
import numpy as np

EVERYWHERE = (-math.inf, math.inf)
CUT_OFF = 2.0


# Noise


def truncated_cdf(z):
    """Return F(z) of the standard normal cut off at two standard deviations."""
    if z <= -CUT_OFF:
        return 0.0
    if z >= CUT_OFF:
        return 1.0
    low, high = naive.cdf("normal", -CUT_OFF), naive.cdf("normal", CUT_OFF)
    return (naive.cdf("normal", z) - low) / (high - low)


def truncated_pdf(z):
    """Return the density of the standard normal cut off at two standard deviations."""
    inside = naive.cdf("normal", CUT_OFF) - naive.cdf("normal", -CUT_OFF)
    return np.where(np.abs(z) <= CUT_OFF, naive.pdf("normal", z) / inside, 0.0)


def width_noise(X, variables, width):
    """Return UDT's own noise: a quarter of the width's part of each numeric variable's range, truncated normal."""
    sigma = []
    for j, v in enumerate(variables):
        known = [x for x in X[:, j] if not math.isnan(x)]
        sigma.append(width * (max(known) - min(known)) / 4.0 if v["kind"] == "numeric" and known else 0.0)
    return naive.make_noise(len(variables), sigma, shape="truncated")


@functools.cache
def quantile(shape, q):
    """Return the z with F(z) = q by bisection; the shapes are even, so the middle is 0 without rounding."""
    if q == 0.5:
        return 0.0
    low, high = -60.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if naive.cdf(shape, middle) < q:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def conditional_median(x, sigma, shape, box):
    """Return the value of the interval (a, b] that halves the noise's mass inside it."""
    a, b = box
    inside = math.nextafter(a, math.inf)
    if sigma <= 0.0:
        return min(max(x, inside), b)
    ends = (a - x) / sigma, (b - x) / sigma
    whole = naive.mass(shape, *ends)
    if whole <= 0.0:
        return b if x > b else inside
    low, high = max(ends[0], min(0.0, ends[1]) - 60.0), min(ends[1], max(0.0, ends[0]) + 60.0)
    for _ in range(200):
        middle = (low + high) / 2.0
        if naive.mass(shape, ends[0], middle) < whole / 2.0:
            low = middle
        else:
            high = middle
    return min(max(x + sigma * (low + high) / 2.0, inside), b)


# Intervals of a path


def child_boxes(node, boxes, child):
    """Return the intervals (a, b] at a node's child, by variable."""
    if node["threshold"] is None:
        return boxes
    a, b = boxes.get(node["index"], EVERYWHERE)
    theta = min(max(node["threshold"], a), b)
    return {**boxes, node["index"]: (a, theta) if child == 0 else (theta, b)}


# Points


def all_points(data, j, i):
    """Return the equally likely points of one patient's value."""
    x, s = data.X[i, j], data.p["n_points"]
    sigma = naive.sigma_at(data.search, j, x)
    z = [quantile(data.search.shape[j], (k - 0.5) / s) for k in range(1, s + 1)]
    return [x + sigma * (z[k] - z[-1 - k]) / 2.0 for k in range(s)]


def points_left(data, j, i, box):
    """Return the points of one patient's value inside the interval, or the conditional median when none is left."""
    inside = [p for p in all_points(data, j, i) if box[0] < p <= box[1]]
    x = data.X[i, j]
    median = conditional_median(x, naive.sigma_at(data.search, j, x), data.search.shape[j], box)
    return inside or [median]


def points_of_node(data, weight, j, box):
    """Return {patient: points}; conditional medians that differ by rounding alone are one value, the lowest."""
    known = np.flatnonzero(naive.known_patients(data, weight, j))
    points = {i: points_left(data, j, i, box) for i in known}
    lone = [i for i in known if not any(box[0] < p <= box[1] for p in all_points(data, j, i))]
    lone.sort(key=lambda i: points[i][0])
    widest = max((naive.sigma_at(data.search, j, data.X[i, j]) for i in lone), default=0.0)
    last, stands = -math.inf, -math.inf
    for i in lone:
        if points[i][0] - last > 1e-9 * widest:
            stands = points[i][0]
        last, points[i] = points[i][0], [stands]
    return points


def is_resampled(data, j):
    """Tell whether variable `j` is searched by its points."""
    noisy = data.search.sigma[j] > 0.0 or data.search.cv[j] > 0.0
    return data.p["search"] == "resampled" and not data.n_categories[j] and noisy


def resampled_gain_curve(data, weight, j, box=EVERYWHERE):
    """Return the list of (threshold, gain, admissible) of every cut between points of different value."""
    known = np.flatnonzero(naive.known_patients(data, weight, j))
    points = points_of_node(data, weight, j, box)
    values = sorted({p for own in points.values() for p in own})
    here = np.zeros(len(weight))
    here[known] = weight[known]
    least = minimum_weight(data, weight, j) - naive.LEAF_SLACK
    curve = []
    for theta in values[:-1]:  # the points are the candidates
        left = np.zeros(len(weight))
        for i, own in points.items():
            left[i] = weight[i] * sum(p <= theta for p in own) / len(own)
        fits = min(left.sum(), (here - left).sum()) >= least
        if naive.sends_hard(data, j):
            by_hard = sum(weight[i] for i in known if data.X[i, j] <= theta)
            to_right = sum(weight[i] for i in known if data.X[i, j] > theta)
            fits = fits and min(by_hard, to_right) >= least and min(by_hard, to_right) > 0.0
        curve.append((theta, naive.gain_of_parts(data, weight, [left, here - left]), fits))
    return curve


# Splits


def minimum_weight(data, weight, j):
    """Return the least weight of a side of a split on variable `j`."""
    if data.p["min_weight_leaf"] != "c45":
        return data.p["min_weight_leaf"]
    if data.n_categories[j]:
        return 2.0
    known = weight[naive.known_patients(data, weight, j)].sum()
    return min(25.0, max(2.0, 0.1 * known / len(data.classes)))


def mdl_charge(data, weight, curve):
    """Return what a numeric variable's gain is charged for its admissible cuts."""
    if not data.p.get("mdl_correction") or data.p["criterion"] != "gain_ratio":
        return 0.0
    return math.log2(sum(fits for _, _, fits in curve)) / weight.sum()


def parts_of_split(data, weight, j, theta, closed_le, box=EVERYWHERE):
    """Return the known weight that goes to each child by the search's own weights."""
    if theta is None:
        return [part.sum() for part in naive.nominal_parts(data, weight, j)]
    known = np.flatnonzero(naive.known_patients(data, weight, j))
    left, points = 0.0, points_of_node(data, weight, j, box) if is_resampled(data, j) else {}
    for i in known:
        x = data.X[i, j]
        if is_resampled(data, j):
            left += weight[i] * sum(p <= theta for p in points[i]) / len(points[i])
        elif naive.is_soft_search(data, weight, j):
            sigma, shape = naive.sigma_at(data.search, j, x), data.search.shape[j]
            left += weight[i] * naive.gate_numeric("soft", x, theta, True, sigma, shape)[0]
        elif x <= theta if closed_le else x < theta:
            left += weight[i]
    return [left, weight[known].sum() - left]


def split_entropy(data, weight, j, theta, closed_le, box=EVERYWHERE):
    """Return the entropy in bits of a split's parts, the unknowns as one more."""
    unknown = sum(w for w, x in zip(weight, data.X[:, j], strict=True) if math.isnan(x))
    return naive.entropy(
        [max(0.0, part) for part in parts_of_split(data, weight, j, theta, closed_le, box)] + [unknown]
    )


def best_by_ratio(data, weight, found, boxes):
    """Return the variable of the largest gain ratio among those whose gain is at least the mean gain."""
    mean = sum(best[0] for best in found.values()) / len(found)
    ratio = {}
    for j, (gain, theta, closed_le) in found.items():
        if gain >= mean - naive.SLACK:
            ratio[j] = gain / split_entropy(data, weight, j, theta, closed_le, boxes.get(j, EVERYWHERE))
    return min(j for j, r in ratio.items() if r >= max(ratio.values()) - naive.SLACK)
