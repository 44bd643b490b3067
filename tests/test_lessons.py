"""The lessons' numbers, beside calculations that share nothing with the engine.

In: the lessons' own examples. Out: failures that name the figure.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from engine import lessons
from engine.classifier import variant
from engine.errors import PenumbraError
from engine.examples import load_example
from engine.lessons import patients, plane
from engine.noise import Noise


def phi(z):
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def entropy(parts):
    whole = sum(parts)
    return -sum(p / whole * math.log2(p / whole) for p in parts if p > 0) if whole > 0 else 0.0


def gain_of(left, right):
    whole = [a + b for a, b in zip(left, right, strict=True)]
    n = sum(whole)
    return entropy(whole) - sum(left) / n * entropy(left) - sum(right) / n * entropy(right)


def soft_gain(points, sigma, cut):
    shares = [phi((cut - x) / sigma) for x in points]
    left = [sum(shares[:2]), sum(shares[2:])]
    return gain_of(left, [2 - left[0], 2 - left[1]])


@pytest.mark.parametrize("points", [lessons.CLEAN, lessons.NOISY, (-3.1, 0.4, 0.4, 1.7)])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 1.6])
def test_four_points_beside_a_naive_gain(points, sigma):
    found = lessons.four_points(points, sigma)
    cuts, gains = found.soft
    for k in range(0, len(cuts), 50):
        assert gains[k] == pytest.approx(soft_gain(points, sigma, cuts[k]), abs=1e-9)
    for cut, gain in zip(*found.exact, strict=True):
        left = [sum(x < cut for x in points[:2]), sum(x < cut for x in points[2:])]
        assert gain == pytest.approx(gain_of(left, [2 - left[0], 2 - left[1]]), abs=1e-12)
    best = max(soft_gain(points, sigma, cut) for cut in np.arange(-4, 4.001, 0.01))
    assert found.top_gain == pytest.approx(best, abs=1e-9)
    assert all(soft_gain(points, sigma, cut) == pytest.approx(best, abs=1e-7) for cut in found.tops)


@pytest.mark.parametrize("sigma", [0.6, 1.6, 2.5])
def test_the_lessons_best_cut_is_the_one_soft_search_finds(sigma):
    X, y = pd.DataFrame({"x": lessons.NOISY}), ["A", "A", "B", "B"]
    found = lessons.four_points(lessons.NOISY, sigma)
    model = variant(
        "SS+STP", noise=Noise(sigma=sigma), pruning="none", max_depth=1, min_weight_leaf=0.5, resolution=0.01
    ).fit(X, y)
    assert min(abs(float(model.tree_.threshold[0]) - cut) for cut in found.tops) < 0.02
    assert float(model.tree_.gain[0]) == pytest.approx(found.top_gain, abs=1e-4)


def test_the_fork_closes_where_the_methods_say():
    found = lessons.fork(lessons.NOISY)
    assert found.one_top_from == pytest.approx(1.22, abs=0.005)
    for sigma, tops in zip(found.sigmas, found.tops, strict=True):
        assert len(tops) == (2 if sigma < 1.22 else 1)
        assert tops[0] == pytest.approx(-tops[-1], abs=1e-9)
    assert all(tops == pytest.approx((0.0,)) for tops in lessons.fork(lessons.CLEAN).tops)
    exact = lessons.four_points(lessons.NOISY, 1.0)
    assert exact.exact_best == (-0.2, 2.0)
    assert exact.exact_gain == pytest.approx(0.3113, abs=5e-5)


def test_points_that_cannot_be_are_refused():
    for points, sigma in (((1.0, 2.0), 1.0), (lessons.CLEAN, 0.0)):
        with pytest.raises(PenumbraError):
            lessons.four_points(points, sigma)
    assert lessons.four_points((1.0, 1.0, 1.0, 1.0), 1.0).exact_best == ()


def test_two_readings_keep_their_order_as_simulated():
    found = lessons.two_points(1.0, 10_000)
    assert found.right == pytest.approx(0.9977, abs=5e-5)
    assert found.misprint == pytest.approx(0.9772, abs=5e-5)
    for sigma, share in zip(*found.curve, strict=True):
        assert share == pytest.approx(phi(4 / (math.sqrt(2) * sigma)), abs=1e-12)
    for sigma, share in zip(*found.printed, strict=True):
        assert share == pytest.approx(phi(4 / (2 * sigma)), abs=1e-12)
    inside = [low <= phi(4 / (math.sqrt(2) * sigma)) <= high for sigma, _, low, high in found.dots]
    assert sum(inside) >= len(inside) - 3
    printed = [low <= phi(4 / (2 * sigma)) <= high for sigma, _, low, high in found.dots]
    assert sum(printed) <= 2
    assert lessons.two_points(2.0, 100, 1).dots == lessons.two_points(2.0, 100, 1).dots
    assert lessons.two_points(2.0, 100, 1).dots != lessons.two_points(2.0, 100, 2).dots


def test_who_is_missed_is_counted_by_hand():
    example = load_example("ejection_fraction")
    ef, worse = example.frame[lessons.EF].to_numpy(), (example.frame[example.target] == "yes").to_numpy()
    found = lessons.missed(33.0, 5.0)
    grown = slice(0, 200)
    left = ef[grown] <= found.threshold
    p_left, p_right = worse[grown][left].mean(), worse[grown][~left].mean()
    hard = lambda x: p_left if x <= found.threshold else p_right  # noqa: E731
    soft = lambda x: phi((found.threshold - x) / 5) * p_left + phi((x - found.threshold) / 5) * p_right  # noqa: E731
    assert found.at_hard == pytest.approx(hard(33.0))
    assert found.at_soft == pytest.approx(soft(33.0), abs=1e-9)
    for name, p in (("hard", hard), ("soft", soft)):
        said = np.array([p(x) > 0.5 for x in ef[200:]])
        near = np.abs(ef[200:] - found.threshold) <= 5
        truth = worse[200:]
        for counts, kept in ((found.counts[name], np.ones(200, dtype=bool)), (found.near[name], near)):
            by_hand = [[(kept & (truth == t) & (said == a)).sum() for a in (False, True)] for t in (False, True)]
            assert counts.tolist() == by_hand
        assert found.n_near == near.sum()
    far = found.counts["hard"] - found.near["hard"]
    assert (far == found.counts["soft"] - found.near["soft"]).all()  # only answers near the threshold change


@pytest.mark.parametrize("zone", lessons.ZONES)
def test_moons_are_undecided_where_a_zone_on_their_way_holds_them(zone):
    found = lessons.two_moons(zone)
    assert len(found.y) == 200
    model = plane._moon_tree(zone, "zone")
    nested = model.tree_.to_dict()

    def undecided(point, node):
        if not node.get("children"):
            return False
        value = point[int(str(node["variable"])[-1])]
        inside = node["threshold"] - node["delta"] < value <= node["threshold"] + node["delta"]
        return inside or undecided(point, node["children"][0 if value <= node["threshold"] else 1])

    by_hand = [undecided(point, nested) for point in found.X]
    assert np.mean(by_hand == found.inside) > 0.985  # a margin zone ends exactly on patients
    new, truth = lessons.moons(lessons.NEW_MOONS, lessons.MOON_SEED + 1)
    open_ = np.array([undecided(point, nested) for point in new])
    assert found.told.boundary_uncertain_rate == pytest.approx(open_.mean(), abs=1e-9)
    right = model.predict(new) == truth
    assert found.told.decided_accuracy == pytest.approx(right[~open_].mean())
    assert found.told.overall_accuracy == pytest.approx(right.mean())
    deferred = lessons.two_moons(zone, "deferred")
    assert (deferred.undecided == found.undecided).all()
    assert deferred.told.boundary_uncertain_rate == found.told.boundary_uncertain_rate
    assert model.tree_.max_depth <= 3
    assert model.tree_.weight[model.tree_.leaves].min() >= 5


@pytest.mark.parametrize("states", list(itertools.product((1, 0, -1), repeat=3)))
def test_verdicts_beside_kleenes_tables(states):
    table = {(1, 1): 1, (1, 0): 0, (1, -1): -1, (0, 0): 0, (0, -1): -1, (-1, -1): -1}
    both = lambda a, b: table[max(a, b), min(a, b)]  # noqa: E731
    root, left, right = states
    found = lessons.verdict(states)
    assert found.leaves == (both(root, left), both(root, -left), both(-root, right), both(-root, -right))
    assert found.decided == (root != 0 and (left if root > 0 else right) != 0)
    assert found.decided == (1 in found.leaves)
    for leaf, share in zip(found.leaves, found.shares, strict=True):
        assert (share > 0) == (leaf >= 0)
        assert (share == pytest.approx(1.0)) == (leaf == 1)
    for value, cut, zone, state in zip(found.values, found.thresholds, found.zones, states, strict=True):
        assert (zone[0] < value <= zone[1]) == (state == 0)
        assert state == 0 or (value <= cut) == (state == 1)
    assert found.names == ("Ejection fraction", "Creatinine", "Age")


@pytest.mark.parametrize("counts", [(6, 2, 4), (0, 0, 3), (5, 5, 0), (1, 8, 2), (3, 0, 9)])
def test_open_labels_beside_every_way_to_settle_them(counts):
    first, second, n_open = counts
    n = sum(counts)
    found = lessons.orthopartition(*counts)
    every = [1 - ((first + k) ** 2 + (n - first - k) ** 2) / n**2 for k in np.linspace(0, n_open, 1 + 200 * n_open)]
    assert found.low == pytest.approx(min(every))
    assert found.high == pytest.approx(max(every), abs=1e-9)
    assert found.mean == pytest.approx((found.low + found.high) / 2)
    known = first + second
    assert found.gini == pytest.approx(1 - (first**2 + second**2) / known**2 if known else 0.0)
    assert found.leaf == pytest.approx((first + n_open / 2) / n)
    if n_open:
        for settled in ((first + 1, second, n_open - 1), (first, second + 1, n_open - 1)):
            after = lessons.orthopartition(*settled)
            assert after.low >= found.low - 1e-12
            assert after.high <= found.high + 1e-12
    else:
        assert found.low == found.high == found.gini


@pytest.mark.parametrize("tau", [0.5, 0.6, 0.7, 0.9, 1.0])
def test_abstention_is_counted_by_hand(tau):
    p, classes, truth = patients._registry()
    found = lessons.abstention(tau)
    right = wrong = silent = vague = 0
    for row, label in zip(p, truth, strict=True):
        best = max(range(len(classes)), key=lambda k: (row[k], -k))
        if row[best] < tau - 1e-12:
            silent += 1
        elif label not in classes:
            vague += 1
        else:
            right, wrong = right + (label == classes[best]), wrong + (label != classes[best])
    assert (found.right, found.wrong, found.abstained, found.open_answered) == (right, wrong, silent, vague)
    assert found.n == right + wrong + silent + vague == 250
    assert found.coverage == pytest.approx(1 - silent / found.n)
    assert found.accuracy == pytest.approx(right / (right + wrong))
    at = int(np.argmin(np.abs(found.taus - tau)))
    assert found.coverages[at] == pytest.approx(found.coverage)
    assert found.accuracies[at] == pytest.approx(found.accuracy)


@pytest.mark.parametrize("rule", lessons.RULES)
@pytest.mark.parametrize("follow", [1.0, 0.8])
def test_two_tests_beside_naive_bayes_by_hand(rule, follow):
    found = lessons.two_tests(rule, follow)
    n = {"ill": found.ill, "well": lessons.PER_CELL - found.ill}
    right = 0
    for a in (0, 1):
        for b in (0, 1):
            score = {}
            for k in ("ill", "well"):
                total, first, second = n[k].sum(), n[k][a].sum(), n[k][:, b].sum()
                score[k] = (total + 1) / (80 + 2) * (first + 1) / (total + 2) * (second + 1) / (total + 2)
            assert found.bayes[a, b] == pytest.approx(score["ill"] / sum(score.values()))
            right += n["ill" if found.bayes_ill[a, b] else "well"][a, b]
    assert found.bayes_accuracy == pytest.approx(right / 80)
    assert found.asked == ("First test" if rule == "differ" else None)
    if rule == "differ":
        for a in (0, 1):
            for b in (0, 1):
                score = {k: (n[k][a].sum() + 1) / 42 * (n[k][a, b] + 1) / (n[k][a].sum() + 2) for k in ("ill", "well")}
                assert found.tree[a, b] == pytest.approx(score["ill"] / sum(score.values()))
        assert found.bayes_accuracy == 0.5
        assert found.tree_accuracy == pytest.approx(follow)


@pytest.mark.parametrize(
    ("reading", "sigma", "low", "high"), [(150, 20, 140, 160), (120, 8, 110, 180), (200, 35, 90, 101)]
)
def test_a_repeated_variable_beside_areas_under_the_bell(reading, sigma, low, high):
    found = lessons.repeated(float(reading), float(sigma), float(low), float(high))
    below, above = phi((low - reading) / sigma), phi((high - reading) / sigma)
    assert found.coherent == pytest.approx([below, above - below, 1 - above], abs=1e-9)
    assert found.independent == pytest.approx([below, (1 - below) * above, (1 - below) * (1 - above)], abs=1e-9)
    assert found.independent.sum() == pytest.approx(1.0)
    assert all(a - 0.01 <= c <= b + 0.01 for c, (a, b) in zip(found.coherent, found.ranges, strict=True))
    assert found.independent[1] >= found.coherent[1]


def test_what_makes_no_sense_is_refused_in_a_sentence():
    for wrong in (
        lambda: lessons.two_moons("wide"), lambda: lessons.verdict((2, 0, 0)), lambda: lessons.orthopartition(0, 0, 0),
        lambda: lessons.two_tests("xor", 1.0), lambda: lessons.repeated(1.0, 0.0, 1.0, 5.0),
    ):  # fmt: skip
        with pytest.raises(PenumbraError):
            wrong()
