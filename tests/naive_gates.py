"""Gates worked out slowly: Quinlan's ramp, middle children, bins, categories without a child.

In: plain numbers and dicts. Out: shares. Imports nothing from `engine`.
"""

from __future__ import annotations

import math
from itertools import pairwise

import naive


def zone_edges(x, low, high):
    """Return -1, 0 or 1: left of, inside or right of low < x <= high, an edge met within rounding counting as met."""
    slack = 1e-12 * (abs((low + high) / 2.0) + (high - low) / 2.0)
    if x < low or abs(x - low) <= slack:
        return -1
    return 0 if x < high or abs(x - high) <= slack else 1


def ramp(x, low, theta, high):
    """Return the left share of a value inside low < x <= high, ½ at θ; a side without width is a step."""
    if x <= theta:
        return 1.0 - 0.5 * (x - low) / (theta - low)
    return 0.5 - 0.5 * (x - theta) / (high - theta)


def middle(kind, x, theta, closed_le, low, high, sigma, shape, box):
    """Return the (left, middle, right) shares of a known value."""
    if kind not in ("soft", "coherent") or sigma == 0.0:
        if not high > low:
            left = x <= theta if closed_le else x < theta
            return [float(left), 0.0, float(not left)]
        side = zone_edges(x, low, high)
        return [float(side == -1), float(side == 0), float(side == 1)]
    a, b = box if kind == "coherent" else (-math.inf, math.inf)
    ends = [a, min(max(low, a), b), min(max(high, a), b), b]
    parts = [naive.mass(shape, (p - x) / sigma, (q - x) / sigma) for p, q in pairwise(ends)]
    total = sum(parts)
    if total > 0.0:
        return [part / total for part in parts]
    wide = [c for c in range(3) if ends[c + 1] > ends[c]]
    return [float(c == (wide[0] if x <= a else wide[-1])) for c in range(3)]


def bins(kind, x, cuts, codes, sigma, shape):
    """Return the shares by child; code -1 takes every bin without a child."""
    masses = []
    for b in range(len(cuts) + 1):
        low = cuts[b - 1] if b > 0 else -math.inf
        high = cuts[b] if b < len(cuts) else math.inf
        if kind in ("soft", "coherent") and sigma > 0.0:
            masses.append(naive.mass(shape, (low - x) / sigma, (high - x) / sigma))
        else:
            masses.append(1.0 if low < x <= high else 0.0)
    return by_code(masses, codes)


def categories(kind, code, n_categories, codes, misrecord):
    """Return the shares by child; code -1 takes every category without a child."""
    return by_code(naive.gate_nominal(kind, code, n_categories, misrecord), codes)


def by_code(masses, codes):
    """Return what each child takes of the masses of all values."""
    rest = sum(mass for value, mass in enumerate(masses) if value not in codes)
    return [rest if code == -1 else masses[code] for code in codes]
