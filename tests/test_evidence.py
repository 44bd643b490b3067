"""What the training patients say at each node: counts add up, bars respect the threshold, texts stay true.

In: small hand-made trees and a fitted one. Out: failures that name the number.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from engine import Noise, variant
from engine.borderline import distances
from engine.evidence import axis_of, evidence, round_to_total
from engine.number_words import plain
from engine.route import reach
from engine.tree import BINARY, BINS, MIDDLE, Node, freeze


class Constant:
    """The same σ at every value of a variable."""

    def __init__(self, *sigma):
        self.sigma = sigma

    def at(self, j, x):
        return self.sigma[j] + 0.0 * np.asarray(x)


def leaf(class_weight, depth):
    mix = np.asarray(class_weight, dtype=float)
    whole = mix.sum()
    return Node(mix, whole, whole, depth, probability=mix / whole)


def stump(theta, left, right, closed=True, delta=np.nan):
    a, b = leaf(left, 1), leaf(right, 1)
    root = leaf(a.class_weight + b.class_weight, 0)
    root.variable, root.gate, root.threshold, root.closed_le, root.delta, root.gain = (
        0,
        BINARY,
        theta,
        closed,
        delta,
        0.2,
    )
    root.share, root.children = np.array([a.weight, b.weight]) / root.weight, [a, b]
    return freeze(root, ["x"], [None], ["no", "yes"])


def told(tree, x, y, noise=None):
    values = np.asarray(x, dtype=float)[:, None]
    return evidence(tree, values, np.eye(2)[np.asarray(y)], np.ones(len(x)), reach(tree, values, "hard"), noise)


X = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
Y = [0, 0, 0, 1, 0, 1, 1, 0, 1, 1]


@pytest.fixture
def ten():
    return stump(5.5, [4, 1], [1, 4])


def test_rounding_adds_up_to_the_total():
    assert round_to_total([1, 1, 1], 10) == [4, 3, 3]
    assert round_to_total([0.5, 0.5], 1) == [1, 0]
    assert round_to_total([0, 0], 0) == [0, 0]
    assert round_to_total([], 3) == []
    assert sum(round_to_total([0.2, 17.3, 99.9, 0.0], 117)) == 117


def test_histogram_has_an_edge_on_the_threshold_and_holds_everyone(ten):
    bars = told(ten, X, Y).histogram(0)
    assert 5.5 in bars.edges
    assert bars.counts.sum() == pytest.approx(10)
    left = bars.edges[1:] <= 5.5
    assert bars.counts[left].sum(axis=0) == pytest.approx([4, 1])
    assert bars.counts[~left].sum(axis=0) == pytest.approx([1, 4])


@pytest.mark.parametrize("closed", [True, False])
def test_a_patient_on_the_threshold_is_on_the_side_the_gate_sends_it(closed):
    tree = stump(5.0, [4, 1] if closed else [3, 1], [1, 4] if closed else [2, 4], closed=closed)
    found = told(tree, X, Y)
    bars, counts = found.histogram(0), found.split_counts(0)
    assert bars.counts[bars.edges[1:] <= 5.0].sum() == pytest.approx(5 if closed else 4)
    assert counts.n[:3] == ((5, 0, 5) if closed else (4, 0, 6))


def test_histogram_takes_a_wanted_number_of_bars(ten):
    assert len(told(ten, X, Y).histogram(0, bins=5).counts) in (5, 6)


def test_band_is_measurement_error_without_a_zone_and_nothing_when_exact(ten):
    band = told(ten, X, Y, Constant(1.0)).band(0)
    assert band.kind == "measurement error"
    assert (band.low, band.high) == pytest.approx((5.5 - 1.96, 5.5 + 1.96))
    exact = told(ten, X, Y).band(0)
    assert exact.kind is None
    assert exact.sigma == 0
    assert math.isnan(exact.low)


def test_a_zone_comes_before_measurement_error_and_is_open_below():
    tree = stump(5.5, [4, 1], [1, 4], delta=1.5)
    found = told(tree, X, Y, Constant(1.0))
    band, counts = found.band(0), found.split_counts(0)
    assert (band.kind, band.low, band.high) == ("zone", 4.0, 7.0)
    assert counts.n == (4, 3, 3, 0)
    assert counts.share[0] == pytest.approx([0.75, 0.25])


def test_counts_with_missing_values_add_up_to_the_node(ten):
    x = [*X[:-1], np.nan]
    counts = told(ten, x, Y).split_counts(0)
    assert counts.n == (5, 0, 4, 1)
    assert counts.missing == 1


def test_threshold_text_is_short_but_parts_the_same_patients():
    x = [1.0, 1.00041, 1.00049, 2000.0]
    tree = stump(1.00045, [1, 1], [1, 1])
    text = told(tree, x, [0, 1, 0, 1]).threshold_text(0)
    assert [value <= float(text) for value in x] == [True, True, False, False]
    assert len(text) <= 7


def test_a_half_stays_a_half_between_whole_numbers(ten):
    found = told(ten, X, Y)
    assert found.threshold_text(0) == "5.5"
    assert found.number(0, 4.0) == "4"


def test_a_threshold_midway_between_two_readings_is_told_in_full():
    x = np.round(np.linspace(0.4, 2.5, 211), 2)
    y = (x > 1.32).astype(int)
    found = told(stump(1.325, [1, 1], [1, 1]), x, y)
    assert found.axis(0).decimals < 3
    assert found.threshold_text(0) == "1.325"  # a typed 1.322 goes left, which "≤ 1.32" would deny
    assert told(stump(1.3251234, [1, 1], [1, 1]), x, y).threshold_text(0) == "1.32"


def test_the_axis_ignores_a_few_far_off_values_but_reaches_the_threshold():
    values = np.concatenate([np.linspace(0, 10, 200), [100000.0]])
    axis = axis_of(values)
    assert axis.high < 100
    assert axis.above
    assert not axis.below
    assert axis_of(values, [500.0]).high >= 500
    plain_axis = axis_of(np.array([44.0, 199.0, 120.0]))
    assert (plain_axis.low, plain_axis.high, plain_axis.above) == (40.0, 200.0, False)


def test_far_off_values_are_counted_in_the_end_bars():
    x = [*np.linspace(0, 10, 200), 100000.0]
    y = [0] * 100 + [1] * 101
    tree = stump(4.99, [100, 0], [0, 101])
    bars = told(tree, x, y).histogram(0)
    assert bars.counts.sum() == pytest.approx(201)


def test_an_axis_of_one_value_or_none_is_still_an_axis():
    for values in (np.array([3.0, 3.0]), np.array([np.nan]), np.array([0.0])):
        axis = axis_of(values)
        assert axis.high > axis.low
        assert axis.step > 0


def test_plain_numbers_have_a_true_minus_and_no_minus_zero():
    assert plain(-0.01, 1) == "0.0"
    assert plain(-1.25, 1).startswith("−")


def test_soft_propagation_counts_agree_with_the_tree():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(50, 10, 300), "b": rng.normal(0, 1, 300)})
    labels = np.where(frame["a"] + 6 * frame["b"] + rng.normal(0, 6, 300) > 52, "yes", "no")
    model = variant("SS+STP", noise=Noise(sigma={"a": 3.0}), max_depth=4, min_weight_leaf=10).fit(frame, labels)
    tree, values = model.tree_, model.encode(frame)
    one_hot = (np.asarray(labels)[:, None] == np.asarray(model.classes_)[None, :]).astype(float)
    gate = reach(tree, values, "soft", model.noise_propagation_)
    found = evidence(tree, values, one_hot, np.ones(300), gate, model.noise_evaluation_)
    assert found.weight == pytest.approx(tree.weight, abs=0.05)
    assert found.class_weight == pytest.approx(tree.class_weight, abs=0.05)
    assert found.count[0] == 300
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            assert sum(found.branch_counts(node)) == found.count[node]
            assert sum(found.split_counts(node).n) == found.count[node]
            assert found.histogram(node).counts.sum() == pytest.approx(found.weight[node])
    rows, present = found.patients(0)
    assert len(rows) == 300
    assert np.all(np.diff(present) <= 0)


def test_nearness_counts_the_edges_of_bins_and_of_middle_branches():
    children = [leaf([4, 1], 1), leaf([1, 4], 1)]
    root = leaf([5, 5], 0)
    root.variable, root.gate, root.codes = 0, BINS, np.array([0, 1])
    root.share, root.children, root.gain = np.array([0.5, 0.5]), children, 0.1
    tree = freeze(root, ["x"], [None], ["no", "yes"], cuts=np.array([[5.5, 9.0]]))
    values = np.array([[1.5], [5.0], [8.0], [np.nan]])
    near = distances(tree, values, reach(tree, values, "hard"), Constant(2.0))[:, 0]
    assert near == pytest.approx([2.0, 0.25, 0.5, np.inf])
    middle = [leaf([4, 1], 1), leaf([1, 1], 1), leaf([1, 4], 1)]
    root = leaf([6, 6], 0)
    root.variable, root.gate, root.threshold, root.delta, root.gain = 0, MIDDLE, 5.5, 1.5, 0.1
    root.share, root.children = np.array([5, 2, 5]) / 12, middle
    tree = freeze(root, ["x"], [None], ["no", "yes"])
    near = distances(tree, values, reach(tree, values, "hard"), Constant(2.0))[:, 0]
    assert near == pytest.approx([1.25, 0.5, 0.5, np.inf])
