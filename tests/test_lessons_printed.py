"""Every number that a lesson prints, beside a calculation of its own: METHODS' formulas, counts by hand, simulation.

In: the Learn page as it opens, and as it is set. Out: failures that name the lesson and the number.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from screens import text
from test_app_learn import figures, texts, turn_to
from test_lessons import gain_of, phi, soft_gain

from engine import lessons
from engine.examples import load_example
from engine.lessons import patients, plane
from pages.shared import learn_words


def told(name):
    return learn_words.LESSONS[name].answer()[1]


def lines(at, which=0):
    return texts(figures(at)[which])


def table(at):
    return at.dataframe[0].value


def test_four_noisy_points_at_their_own_sigma():
    at = turn_to("points")
    exact = gain_of([1, 0], [1, 2])  # cut left of -0.2: one of the first class alone
    soft = soft_gain(lessons.NOISY, 1.6, 0.0)
    assert f"{exact:.3f}" == "0.311"
    assert f"exact: −0.2 or 2, gain {exact:.3f}" in lines(at)
    assert f"soft: 0, gain {soft:.3f}" in lines(at)
    assert told("points").endswith(f"−0.2 or 2, gain {exact:.3f} either way.")
    at_middle = gain_of([1, 1], [1, 1])
    rows = [["exact", "−0.2", f"{exact:.3f}"], ["exact", "0.2", f"{at_middle:.3f}"], ["exact", "2", f"{exact:.3f}"]]
    assert table(at).values.tolist() == [*rows, ["soft, best", "0", f"{soft:.3f}"]]


def test_four_clean_points():
    at = turn_to("points", set="clean")
    soft = soft_gain(lessons.CLEAN, 1.6, 0.0)
    assert "exact: 2, gain 1.000" in lines(at)
    assert f"soft: 0, gain {soft:.3f}" in lines(at)
    assert table(at).values.tolist() == [["exact", "2", "1.000"], ["soft, best", "0", f"{soft:.3f}"]]


@pytest.mark.parametrize(("sigma", "n"), [(1.21, 2), (1.22, 1), (1.23, 1)])
def test_two_best_cuts_become_one_at_sigma_1_22(sigma, n):
    """METHODS §10, by a search of its own over cuts a thousandth apart."""
    places = np.round(np.arange(-2, 2.0005, 0.001), 3)
    gains = np.array([soft_gain(lessons.NOISY, sigma, place) for place in places])
    tops = places[gains >= gains.max() * (1 - 1e-9)]
    runs = 1 + int((np.diff(tops) > 0.0015).sum())
    assert runs == n
    assert len(lessons.four_points(lessons.NOISY, sigma).tops) == n
    assert "Up to 1.21 two cuts tie; from 1.22 up, one." in text(turn_to("points"))


@pytest.mark.parametrize("points", [(1.0, 1.0, 1.0, 1.0), (1.0, 2.0, 1.0, 2.0), (-4.0, 4.0, 4.0, -4.0)])
def test_points_that_no_cut_parts(points):
    at = turn_to("points", set="yours", points=points)
    assert "exact: no cut, gain 0.000" in lines(at)
    assert "soft: no cut, gain 0.000" in lines(at)
    assert "Exact search sees no cut, soft search none" in text(at)
    assert "No cut gains anything, whatever σ is." in text(at)
    assert "nan" not in " ".join(lines(at))


def test_two_points_by_the_right_formula_and_simulation():
    at = turn_to("order")
    right, printed = phi(4 / (math.sqrt(2) * 2)), phi(4 / (2 * 2))
    assert f"{100 * right:.1f} of 100" in told("order")
    assert f"would be {100 * printed:.1f}." in told("order")
    rows = table(at)
    sigmas = [k / 2 for k in range(1, 17)]
    assert rows["σ"].tolist() == [f"{s:g}" for s in sigmas]
    assert rows["Φ(4/(√2·σ))"].tolist() == [f"{phi(4 / (math.sqrt(2) * s)):.4f}" for s in sigmas]
    assert rows["As printed"].tolist() == [f"{phi(4 / (2 * s)):.4f}" for s in sigmas]
    random = np.random.default_rng(2026)
    for s, low_high in zip(sigmas, rows["95 % range"], strict=True):
        low, high = map(float, low_high.split(" to "))
        again = (random.normal(-2, s, 20_000) < random.normal(2, s, 20_000)).mean()
        assert low - 0.025 < again < high + 0.025
    assert lessons.two_points(1.0).right == pytest.approx(0.9977, abs=5e-5)
    assert lessons.two_points(1.0).misprint == pytest.approx(0.9772, abs=5e-5)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_false_negatives_and_false_positives_of_the_ejection_fraction(depth):
    """What Tables II and III count, here for the invented patients: the tree walked by hand, hard and soft."""
    found, sigma = lessons.missed(33.0, 5.0, depth), 5.0
    hard, _, X, y, typical = patients._heart(sigma, depth)
    nested = hard.tree_.to_dict()

    def p(node, row, soft):
        children = node.get("children")
        if not children:
            return node["probability"][hard.tree_.classes.index("yes")]
        value, cut = row[node["variable"]], node.get("threshold")
        if cut is None:
            place = list(hard.schema_.categories[list(X.columns).index(node["variable"])]).index(value)
            return p(children[place], row, soft)
        left = phi((cut - value) / sigma) if soft and node["variable"] == lessons.EF else float(value <= cut)
        return left * p(children[0], row, soft) + (1 - left) * p(children[1], row, soft)

    at = turn_to("missed", depth=depth)
    shown, rows = lines(at), table(at)
    for name, soft in (("hard", False), ("soft", True)):
        said = np.array([p(nested, row, soft) > 0.5 for _, row in X.iterrows()])
        truth = np.array([each == "yes" for each in y])
        missed, alarms = int((truth & ~said).sum()), int((~truth & said).sum())
        assert found.counts[name][1, 0] == missed
        assert found.counts[name][0, 1] == alarms
        assert f"{missed} of {truth.sum()}" in shown
        assert f"{alarms} of {(~truth).sum()}" in shown
        of = rows[rows["Patients"] == f"all left out, read {name}"].iloc[0]
        assert [of["Worse, missed"], of["Well, false alarm"]] == [missed, alarms]
        assert [of["Worse, found"], of["Well, left alone"]] == [truth.sum() - missed, (~truth).sum() - alarms]
        reading = typical | {lessons.EF: 33.0}
        assert f"{name}, {p(nested, reading, soft):.2f} here" in shown
        if depth == 1:
            assert str(missed) in told("missed")
            assert str(alarms) in told("missed")
    assert found.threshold == nested["threshold"]
    assert found.n == len(load_example("ejection_fraction").frame) // 2


@pytest.mark.parametrize("zone", lessons.ZONES)
def test_both_routings_of_the_moons_by_hand(zone):
    nested = plane._moon_tree(zone, "zone").tree_.to_dict()

    def walk(point, node, deferred):
        """Return (P of the second class, undecided): in a zone both sides speak, below it one or both."""
        if not node.get("children"):
            return node["probability"][1], False
        x, cut, delta = point[int(node["variable"][-1])], node["threshold"], node["delta"]
        inside = delta > 0 and cut - delta < x <= cut + delta
        if not inside or deferred == "below":
            p, open_ = walk(point, node["children"][int(x > cut)], deferred)
            return p, open_ or inside
        left = (cut + delta - x) / (2 * delta)
        below = "below" if deferred else deferred
        sides = [walk(point, child, below)[0] for child in node["children"]]
        return left * sides[0] + (1 - left) * sides[1], True

    new, truth = lessons.moons(lessons.NEW_MOONS, lessons.MOON_SEED + 1)
    rows = table(turn_to("moons", zone=zone))
    for routing, deferred in (("zone", ""), ("deferred", "first")):
        told_ = [walk(point, nested, deferred) for point in new]
        right = np.array([(p > 0.5) == k for (p, _), k in zip(told_, truth, strict=True)])
        open_ = np.array([each[1] for each in told_])
        of = (rows["Zone"] == learn_words.ZONES[zone]) & (rows["Routing"] == learn_words.ROUTINGS[routing])
        row = rows[of].iloc[0]
        assert row["Undecided"] == f"{open_.mean():.3f}"
        assert float(row["Decided accuracy"]) == pytest.approx(right[~open_].mean(), abs=6e-4)
        assert float(row["Overall accuracy"]) == pytest.approx(right.mean(), abs=2.1e-3)  # a P of ½ is a tie
        found = lessons.two_moons(zone, routing)
        for k in range(0, len(found.up), 7):
            for j in range(0, len(found.across), 7):
                p, undecided = walk((found.across[j], found.up[k]), nested, deferred)
                assert found.p[k, j] == pytest.approx(p, abs=1e-9)
                assert found.undecided[k, j] == undecided


@pytest.mark.parametrize("added", [((0.5, 0.2, 0),), ((-1.5, 1.5, 1), (2.5, -1.0, 0), (0.0, -1.0, 0))])
def test_added_patients_are_grown_on_as_any_other(added):
    found = lessons.two_moons("margin", "zone", added)
    assert found.X[200:].tolist() == [list(each[:2]) for each in added]
    assert found.y[200:].tolist() == [each[2] for each in added]
    tree = plane._moon_tree("margin", "zone", added).tree_
    assert tree.weight[0] == 200 + len(added)
    nested = tree.to_dict()
    left = [x[int(nested["variable"][-1])] <= nested["threshold"] for x in found.X]
    assert nested["children"][0]["weight"] == sum(left)


def test_verdicts_are_kleenes_in_figure_and_table():
    at = turn_to("verdict", split0=0, split1=1, split2=-1)
    assert "Verdict: undecided" in lines(at)
    assert table(at)["Is the patient there?"].tolist() == ["may be here", "not here", "not here", "may be here"]
    assert table(at)["Share by the zones' gates"].tolist() == ["0.50", "0.00", "0.00", "0.50"]
    assert "decided" in told("verdict")


def test_open_labels_have_these_bounds():
    """METHODS §6 for 6, 2 and 4: all four with the six, all four with the two, their mean; gini of the eight."""
    low, high = 1 - (10**2 + 2**2) / 144, 1 - (6**2 + 6**2) / 144
    mean, gini = (low + high) / 2, 1 - (6**2 + 2**2) / 64
    at = turn_to("open")
    for each in (f"mean {mean:.3f}", f"least {low:.3f}", f"most {high:.3f}"):
        assert each in lines(at)
    assert f"gini of the labelled alone, {gini:.3f}" in lines(at)
    assert [f"{v:.3f}" for v in (low, high, mean, gini)] == re.findall(r"0\.\d{3}", told("open"))
    assert table(at)["Value"].tolist() == [f"{v:.4f}" for v in (low, high, mean, gini, (6 + 2) / 12)]


def test_abstention_against_tau_by_hand():
    p, classes, truth = patients._registry()
    best, known = p.max(axis=1), np.array([each in classes for each in truth])
    right = np.array([classes[k] == t for k, t in zip(p.argmax(axis=1), truth, strict=True)])
    at = turn_to("abstention")
    rows = table(at)
    for _, row in rows.iterrows():
        given = best >= float(row["τ"]) - 1e-12
        assert row["Answered"] == f"{given.mean():.3f}"
        if (given & known).any():
            assert row["Right, of those"] == f"{right[given & known].mean():.3f}"
    counts = []
    for tau in (0.7, 0.9):
        given = (best >= tau - 1e-12) & known
        assert f"{right[given].sum()} of {given.sum()}" in told("abstention")
        counts.append((int(right[given].sum()), int((~right)[given].sum())))
    given_up = [a - b for a, b in zip(*counts, strict=True)]
    assert told("abstention").endswith(f"{given_up[0]} had been answered rightly and {given_up[1]} wrongly.")


def test_naive_bayes_and_the_tree_answer_as_counted():
    at = turn_to("tests")
    assert table(at)["Ill"].tolist() == ["0 of 20", "20 of 20", "20 of 20", "0 of 20"]
    assert table(at)["P(ill), naive Bayes"].tolist() == ["0.500"] * 4
    one, other = 1 / 42, 41 / 42  # P of ½ for the class in each branch; of the other test, (20 + 1)/(20 + 2) and 1/22
    split = [(1 / 22) / (1 / 22 + 21 / 22), (21 / 22) / (1 / 22 + 21 / 22)]
    assert one < split[0] < split[1] < other
    assert table(at)["P(ill), tree"].tolist() == [f"{split[k]:.3f}" for k in (0, 1, 1, 0)]
    assert "50 % right" in lines(at)
    assert "100 % right" in lines(at)


def test_independent_and_coherent_gates_part_as_areas_do():
    below, above = phi(-0.5), phi(0.5)
    coherent, independent = above - below, (1 - below) * above
    assert f"independent gates say {100 * independent:.1f} %, coherent ones {100 * coherent:.1f} %" in told(
        "repeated"
    ).replace("Independent", "independent")
    rows = table(turn_to("repeated"))
    assert rows["Coherent"].tolist() == [f"{v:.4f}" for v in (below, coherent, 1 - above)]
    assert rows["Independent"].tolist() == [f"{v:.4f}" for v in (below, independent, (1 - below) * (1 - above))]
    drawn = np.random.default_rng(5).normal(150, 20, 50_000)
    leaves = (drawn <= 140, (drawn > 140) & (drawn <= 160), drawn > 160)
    for simulated, leaf in zip(rows["Simulated"], leaves, strict=True):
        assert float(simulated) == pytest.approx(leaf.mean(), abs=0.025)
