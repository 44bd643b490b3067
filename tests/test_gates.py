"""Gates beside the binary ones against their slow twins: middle, bins, Quinlan's ramp, missing children.

In: random splits and values on and off their edges. Out: equal shares that sum to 1.
"""

from __future__ import annotations

import math

import naive
import naive_gates
import numpy as np
import pytest
from test_kernels import KINDS, error_of
from twins import twin

from engine import kernels

SHAPES = ("normal", "uniform", "laplace", "logistic")


def split_of(gate, codes, theta=math.nan, zone=(math.nan, math.nan), box=(-math.inf, math.inf), **more):
    """Return one split node as the kernels read it."""
    return kernels.Splits(
        np.zeros(1, np.int32), np.array([gate], np.int8), np.zeros(1, np.int32), np.array([len(codes)], np.int32),
        np.array([theta]), np.array([more.get("closed_le", True)]), np.array([zone[0]]), np.array([zone[1]]),
        np.array([box[0]]), np.array([box[1]]), np.full(len(codes), 1.0 / len(codes)), np.array(codes, np.int32),
        np.array([more.get("cuts", [])], dtype=float).reshape(1, -1), np.array([more.get("n_categories", 0)]),
    )  # fmt: skip


def shares_of(x, splits, kind, noise):
    out = np.full(int(splits.n_children[0]), 9.0)
    kernels.gate_shares(x, 0, splits, KINDS[kind], error_of(noise), out)
    return out


@twin("middle_shares", "in_zone")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["hard", "soft", "coherent"])
def test_middle_shares(kind, shape):
    rng = np.random.default_rng(11)
    for _ in range(300):
        theta, delta, sigma = rng.normal(), rng.choice([0.0, 0.4, 1.5]), rng.choice([0.0, 0.3, 2.0])
        box = rng.choice([-math.inf, theta - 0.2, theta + 30.0]), rng.choice([math.inf, theta + 30.5])
        closed_le = bool(rng.integers(0, 2))
        x = rng.choice([theta, theta - delta, theta + delta, theta + 0.1, theta - 3.0, theta + 29.0, theta + 70.0])
        zone = theta - delta, theta + delta
        splits = split_of(kernels.MIDDLE_GATE, range(3), theta, zone, box, closed_le=closed_le)
        got = shares_of(x, splits, kind, naive.make_noise(1, sigma, 0.0, 0.0, shape))
        want = naive_gates.middle(kind, x, theta, closed_le, *zone, sigma, shape, box)
        assert got == pytest.approx(want, abs=1e-12)
        assert got.sum() == pytest.approx(1.0, abs=1e-12)
        inside = delta > 0.0 and naive_gates.zone_edges(x, *zone) == 0
        assert kernels.in_zone(x, 0, splits) == inside


@twin("bin_shares", "bin_of")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["hard", "soft", "coherent"])
def test_bin_shares(kind, shape):
    rng = np.random.default_rng(12)
    for _ in range(200):
        cuts = np.cumsum(rng.random(int(rng.integers(0, 5))))
        present = [b for b in range(len(cuts) + 1) if rng.random() < 0.6]
        codes = present if len(present) == len(cuts) + 1 else [*present, -1]
        x = rng.choice([*cuts, -1.0, 0.4, 5.0])
        sigma = rng.choice([0.0, 0.2, 3.0])
        got = shares_of(x, split_of(kernels.BINS_GATE, codes, cuts=cuts), kind, naive.make_noise(1, sigma, 0, 0, shape))
        assert got == pytest.approx(naive_gates.bins(kind, x, cuts, codes, sigma, shape), abs=1e-12)
        assert kernels.bin_of(x, cuts) == sum(x > cut for cut in cuts)


@twin("nominal_shares")
@pytest.mark.parametrize("misrecord", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["hard", "soft", "coherent"])
def test_categories_without_a_child_fall_to_the_rest(kind, misrecord):
    noise = naive.make_noise(1, 0.0, 0.0, misrecord)
    for codes in ([0, 1, 2, 3], [0, 2, -1], [1, -1], [-1]):
        for code in range(4):
            got = shares_of(float(code), split_of(kernels.NOMINAL_GATE, codes, n_categories=4), kind, noise)
            assert got == pytest.approx(naive_gates.categories(kind, code, 4, codes, misrecord), abs=1e-15)


@twin("left_share", "binary_share", "ramp")
def test_quinlan_ramp():
    rng = np.random.default_rng(13)
    noise = naive.make_noise(1, 0.0)
    for _ in range(200):
        theta = float(rng.normal())
        low, high = theta - rng.choice([0.0, 0.5, 2.0]), theta + rng.choice([0.0, 0.7])
        x = rng.choice([low, theta, high, low - 1.0, high + 1.0, theta - 0.2, theta + 0.3])
        left, right = shares_of(x, split_of(1, range(2), theta, (low, high)), "zone", noise)
        if low < x <= high and naive_gates.zone_edges(x, low, high) == 0:
            assert left == pytest.approx(naive_gates.ramp(x, low, theta, high), abs=1e-12)
        else:
            assert left == float(x <= theta)
        assert left + right == 1.0
