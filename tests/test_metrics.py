"""Every metric against its naive twin, on ties, abstentions, imprecise truths and nothing at all.

In: seeded random patients, and figures worked out by hand. Out: failures that name the metric.
"""

from __future__ import annotations

import ast
import math
from dataclasses import astuple
from pathlib import Path

import naive_metrics as naive
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as peer

from engine import PenumbraError, metrics
from engine.metrics.bayes_error import CHUNK

CLASSES = ["a", "b", "c"]
SEEDS = range(12)


def same(got, want, tolerance=1e-12):
    """Tell whether two figures agree, None only with None."""
    if got is None or want is None:
        return got is None and want is None
    return math.isfinite(got) and abs(got - want) <= tolerance * max(1.0, abs(want))


def random_patients(seed, n_classes=3):
    """Return truth, answers, probabilities and verdicts, some truths imprecise and some answers withheld or sets."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(1, 60)), CLASSES[:n_classes]
    counts = rng.integers(0, 5, (n, n_classes)).astype(float)
    counts[counts.sum(axis=1) == 0, -1] = 1.0
    P = counts / counts.sum(axis=1, keepdims=True)
    truth = [classes[int(k)] if rng.random() < 0.7 else classes[int(p.argmax())] for k, p in
             zip(rng.integers(0, n_classes, n), P, strict=True)]  # fmt: skip
    answers = [classes[int(p.argmax())] for p in P]
    for i in range(n):
        if rng.random() < 0.1:
            truth[i] = [None, float("nan"), tuple(classes[:2]), (truth[i],)][int(rng.integers(0, 4))]
        if rng.random() < 0.3:
            answers[i] = [None, frozenset(classes[:2]), frozenset({answers[i]})][int(rng.integers(0, 3))]
    return truth, answers, P, (rng.random(n) < 0.6).tolist(), classes


def test_the_naive_twin_imports_nothing_from_the_engine():
    tree = ast.parse(Path(naive.__file__).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"__future__", "itertools", "math"}


# Abstention


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_of_answers(seed):
    truth, answers, _, _, classes = random_patients(seed)
    assert same(metrics.abstention_rate(answers), naive.abstention_rate(answers))
    assert same(metrics.accuracy(truth, answers), naive.accuracy(truth, answers))
    assert same(metrics.balanced_accuracy(truth, answers), naive.balanced_accuracy(truth, answers))
    assert same(metrics.macro_f1(truth, answers), naive.macro_f1(truth, answers))
    for c in classes:
        assert same(metrics.f1_score(truth, answers, c), naive.f1(truth, answers, c))
    table = metrics.answer_table(truth, answers, classes)
    assert table.sum() == len(truth)
    assert same(table[:, -1].sum() / table.sum(), naive.abstention_rate(answers))
    inner = table[:-1, :-1]
    assert same(np.trace(inner) / inner.sum() if inner.sum() else None, naive.accuracy(truth, answers))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_two_class_aggregate(seed):
    truth, answers, _, _, classes = random_patients(seed, 2)
    got, want = metrics.two_class_aggregate(truth, answers, classes), naive.two_class_aggregate(truth, answers, classes)
    assert same(got.accuracy, want[0])
    assert same(got.balanced_accuracy, want[1])


def from_counts(counts):
    """Return truth and answers of {class: (answered 0, answered 1, abstained)}."""
    truth = [c for c, row in counts.items() for _ in range(sum(row))]
    answers = [a for row in counts.values() for a, n in zip(["0", "1", None], row, strict=True) for _ in range(n)]
    return truth, answers


@pytest.mark.parametrize(
    ("counts", "want"),
    [
        # The published counts: METHODS §6.
        ({"0": (43, 7, 30), "1": (38, 144, 200)}, (0.497835, 0.806034, 0.825604, 0.653680, 0.681872)),
        ({"0": (10, 0, 0), "1": (3, 7, 0)}, (0.0, 0.85, 0.85, 0.85, 0.85)),
        ({"0": (0, 0, 5), "1": (2, 6, 4)}, (0.529412, 0.75, 0.75, 0.617647, 0.583333)),
        ({"0": (0, 0, 4), "1": (0, 0, 4)}, (1.0, None, None, 0.5, 0.5)),
    ],
)
def test_published_and_worked_counts(counts, want):
    truth, answers = from_counts(counts)
    both = metrics.two_class_aggregate(truth, answers, ["0", "1"])
    got = (
        metrics.abstention_rate(answers),
        metrics.accuracy(truth, answers),
        metrics.balanced_accuracy(truth, answers),
        both.accuracy,
        both.balanced_accuracy,
    )
    assert all(same(g, w, 1e-6) for g, w in zip(got, want, strict=True)), got
    assert metrics.answer_table(truth, answers, ["0", "1"])[:2].tolist() == [list(row) for row in counts.values()]


def test_sets_and_costs():
    truth = ["a", "b", "c", None, "a"]
    answers = [frozenset("ab"), frozenset("a"), "c", "a", None]
    assert metrics.set_coverage(truth, answers) == pytest.approx(2 / 3)
    assert metrics.mean_set_size(answers) == pytest.approx(5 / 4)
    cost = [[0, 2, 3], [4, 0, 5], [6, 7, 0]]
    # a not answered (0.5), b answered a (4), c right (0), a abstained (0.5); the imprecise truth is left out.
    assert metrics.mean_cost(truth, answers, CLASSES, cost, 0.5) == pytest.approx(5.0 / 4)
    with pytest.raises(PenumbraError, match="abstain_cost"):
        metrics.mean_cost(truth, answers, CLASSES, cost)


# Zones


@pytest.mark.parametrize("seed", SEEDS)
def test_zone_metrics(seed):
    truth, _, P, decided, classes = random_patients(seed)
    predicted = [classes[int(p.argmax())] for p in P]
    for verdicts in (decided, [True] * len(truth), [False] * len(truth)):
        got = metrics.zone_metrics(truth, predicted, verdicts, 0.6, 0.1)
        want = naive.zone_metrics(truth, predicted, verdicts, 0.6, 0.1)
        assert all(same(g, w) for g, w in zip(astuple(got), want, strict=True)), (got, want)
    alone = metrics.zone_metrics(truth, predicted, decided)
    assert alone.efficiency is None
    assert alone.ub_ratio is None


def test_undefined_ratios_and_their_mean():
    assert metrics.efficiency(0.9, 0.8, 0.0) is None
    assert metrics.efficiency(None, 0.8, 0.5) is None
    assert metrics.ub_ratio(0.3, 0.0) is None
    assert metrics.mean_efficiency([0.5, 9.0, None, 0.1], [0.2, 0.01, 0.4, 0.3]) == pytest.approx(0.3)
    assert metrics.mean_efficiency([9.0], [0.005]) is None


def test_the_cover_hart_bound():
    for error, n_classes, bound in [
        (0.0, 2, 0.0), (0.1, 2, 0.0527864045), (0.26, 3, 0.1459833549), (0.5, 2, 0.5), (0.7, 3, 2 / 3),
        (0.2, 5, 0.1071796770), (1.0, 2, 0.5),
    ]:  # fmt: skip
        assert metrics.cover_hart(error, n_classes) == pytest.approx(bound, abs=1e-9)
    for error, n_classes in [(-0.1, 2), (1.1, 2), (float("nan"), 2), (0.1, 1)]:
        with pytest.raises(PenumbraError):
            metrics.cover_hart(error, n_classes)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("standardise", [True, False])
def test_the_nearest_neighbour_error(seed, standardise):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    X = np.column_stack([rng.integers(0, 5, n), rng.normal(0.0, 30.0, n).round(), rng.integers(0, 3, n), np.ones(n)])
    X[rng.random(X.shape) < 0.15] = np.nan
    y = np.empty(n, dtype=object)
    y[:] = [None if rng.random() < 0.1 else CLASSES[int(k)] for k in rng.integers(0, 3, n)]
    y[:3] = CLASSES
    frame = pd.DataFrame(X, columns=["u", "v", "w", "same"])
    frame["w"] = pd.Categorical(np.where(np.isnan(X[:, 2]), None, X[:, 2]))
    got = metrics.nearest_neighbour_error(frame, y, standardise=standardise)
    assert same(got, naive.one_nn_error(X.tolist(), [False, False, True, False], list(y), standardise))
    order = rng.permutation(n)
    assert same(metrics.nearest_neighbour_error(frame.iloc[order], y[order], standardise=standardise), got)


def test_units_do_not_change_the_bound_and_chunks_do_not_show():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2 * CHUNK + 7, 3))
    y = np.where(X[:, 0] + rng.normal(0.0, 0.5, len(X)) > 0.0, "ill", "well")
    bound = metrics.bayes_error_bound(X, y)
    assert same(metrics.bayes_error_bound(X * np.array([1000.0, 1.0, 0.25]), y), bound)
    assert 0.0 < bound < metrics.nearest_neighbour_error(X, y)


# Probabilities


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_of_probabilities(seed):
    truth, answers, P, _, classes = random_patients(seed)
    assert same(metrics.brier_score(truth, P, classes), naive.brier(truth, P.tolist(), classes))
    score, hit = metrics.confidence(truth, P, classes)
    for bins in ("width", "count"):
        for n_bins in (1, 4, 10):
            got = metrics.expected_calibration_error(score, hit, n_bins, bins)
            assert same(got, naive.calibration_error(score.tolist(), hit.tolist(), n_bins, bins)), (bins, n_bins)
            found = metrics.reliability(score, hit, n_bins, bins)
            assert sum(b.n for b in found) == len(score)
            assert len(found) <= n_bins
            assert all(b.low - 1e-9 <= b.mean_probability <= b.high + 1e-9 for b in found)
    curve = metrics.accuracy_coverage(score, hit)
    points, area = naive.coverage_points(score.tolist(), hit.tolist()) if len(score) else ([], None)
    assert same(None if curve is None else curve.area, area)
    if curve is not None:
        np.testing.assert_allclose(np.column_stack([curve.coverage, curve.accuracy]), points, atol=1e-12)
    for only in (None, answers):
        areas = metrics.auc_by_class(truth, P, classes, only)
        for c in classes:
            p, positive = metrics.class_scores(truth, P, classes, c, only)
            assert same(areas[c], naive.auc(p.tolist(), positive.tolist()))
        known = [a for a in areas.values() if a is not None]
        assert same(metrics.macro_auc(truth, P, classes, only), naive.mean(known))
    kept = [i for i, a in enumerate(answers) if naive.alone(a) is not None and naive.alone(truth[i]) is not None]
    p, positive = metrics.class_scores(truth, P, classes, "b", answers)
    assert p.tolist() == P[kept, 1].tolist()
    assert positive.tolist() == [naive.alone(truth[i]) == "b" for i in kept]


def test_scikit_learn_says_the_same():
    rng = np.random.default_rng(5)
    P = rng.dirichlet([1.0, 1.0, 1.0], 300)
    truth = [CLASSES[int(rng.choice(3, p=p))] for p in P]
    said = [CLASSES[int(p.argmax())] for p in P]
    assert metrics.macro_auc(truth, P, CLASSES) == pytest.approx(peer.roc_auc_score(truth, P, multi_class="ovr"))
    assert metrics.balanced_accuracy(truth, said) == pytest.approx(peer.balanced_accuracy_score(truth, said))
    assert metrics.macro_f1(truth, said) == pytest.approx(peer.f1_score(truth, said, average="macro"))
    score, positive = metrics.class_scores(truth, P.round(1), CLASSES, "a")
    curve = metrics.roc_curve(score, positive)
    false, true, threshold = peer.roc_curve(positive, score, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_positive_rate, false)
    np.testing.assert_allclose(curve.true_positive_rate, true)
    np.testing.assert_allclose(curve.threshold, threshold)


@pytest.mark.parametrize("seed", SEEDS)
def test_net_benefit(seed):
    rng = np.random.default_rng(seed)
    score, positive = rng.integers(0, 11, 40) / 10.0, rng.random(40) < 0.4
    curve = metrics.net_benefit(score, positive)
    assert len(curve.threshold) == 99
    for t, *got in zip(curve.threshold, curve.model, curve.treat_all, curve.treat_none, strict=True):
        assert got == pytest.approx(naive.net_benefit(score.tolist(), positive.tolist(), float(t)), abs=1e-12)
    at_zero = metrics.net_benefit(score, positive, [0.0])
    assert at_zero.model[0] == pytest.approx(positive.mean())


def test_hand_worked_limits():
    assert metrics.brier_score(["a"], [[1.0, 0.0]], ["a", "b"]) == 0.0
    assert metrics.brier_score(["b"], [[1.0, 0.0]], ["a", "b"]) == 2.0
    perfect = metrics.accuracy_coverage([0.9, 0.8, 0.7], [True] * 3)
    assert perfect.area == 1.0
    together = metrics.accuracy_coverage([0.8] * 4, [True, True, True, False])
    assert (together.coverage.tolist(), together.accuracy.tolist(), together.area) == ([1.0], [0.75], 0.75)
    assert metrics.roc_curve([0.5] * 4, [True, False, True, False]).area == 0.5
    # A score that differs by rounding alone is a tie.
    assert metrics.roc_curve([0.1 + 0.2, 0.3], [False, True]).area == 0.5
    edges = metrics.reliability([0.3, 0.7, 0.0, 1.0], [True] * 4)
    assert [(round(b.low, 1), b.n) for b in edges] == [(0.0, 1), (0.2, 1), (0.6, 1), (0.9, 1)]
    # 0.07 · 100 is 7.000000000000001: rounding must not lift a probability over the edge it stands on.
    assert metrics.reliability([0.07], [True], n_bins=100)[0].high == 0.07


def test_nothing_at_all_is_none_and_never_nan():
    assert metrics.abstention_rate([]) is None
    assert metrics.accuracy(["a"], [None]) is None
    assert metrics.balanced_accuracy([None], ["a"]) is None
    assert metrics.macro_f1([], []) is None
    assert metrics.f1_score(["a"], ["a"], "b") is None
    assert metrics.set_coverage(["a"], [None]) is None
    assert metrics.mean_set_size([None]) is None
    assert metrics.mean_cost([None], ["a"], ["a", "b"], [[0, 1], [1, 0]]) is None
    assert astuple(metrics.two_class_aggregate([], [], ["a", "b"])) == (None, None)
    assert astuple(metrics.zone_metrics([], [], [], 0.5, 0.1)) == (None,) * 6
    assert metrics.brier_score([None], [[0.5, 0.5]], ["a", "b"]) is None
    assert metrics.expected_calibration_error([], []) is None
    assert metrics.expected_calibration_error([], [], bins="count") is None
    assert metrics.accuracy_coverage([], []) is None
    assert metrics.roc_curve([0.1, 0.2], [True, True]) is None
    assert metrics.roc_curve([], []) is None
    assert metrics.net_benefit([], []) is None
    assert metrics.macro_auc(["a"], [[1.0, 0.0]], ["a", "b"]) is None
    assert metrics.wilcoxon([0.5, None], [0.5, 0.7]) is None
    assert metrics.rate_interval(0, 0) is None
    assert metrics.mean_interval([0.5, None]) is None
    assert metrics.nearest_neighbour_error([[1.0], [2.0], [np.nan]], ["a", None, "b"]) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: metrics.accuracy(["a"], []),
        lambda: metrics.answer_table(["a"], ["z"], CLASSES),
        lambda: metrics.zone_metrics(["a"], ["a"], []),
        lambda: metrics.two_class_aggregate(["a"], ["a"], CLASSES),
        lambda: metrics.brier_score(["a"], [[0.5, 0.5]], CLASSES),
        lambda: metrics.brier_score(["a"], [[np.nan, 0.5, 0.5]], CLASSES),
        lambda: metrics.brier_score(["z"], [[0.2, 0.3, 0.5]], CLASSES),
        lambda: metrics.class_scores(["a"], [[0.2, 0.3, 0.5]], CLASSES, "z"),
        lambda: metrics.reliability([0.5], [True], bins="even"),
        lambda: metrics.reliability([1.5], [True]),
        lambda: metrics.roc_curve([np.nan, 0.5], [True, False]),
        lambda: metrics.net_benefit([0.5], [True], [1.0]),
        lambda: metrics.rate_interval(3, 2),
        lambda: metrics.rate_interval(1, 2, method="wald"),
    ],
)
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(PenumbraError):
        wrong()


# Tests and intervals


@pytest.mark.parametrize("seed", SEEDS)
def test_the_signed_rank_test(seed):
    rng = np.random.default_rng(seed)
    first = rng.normal(0.8, 0.05, 9)
    second = first - rng.normal(0.02, 0.05, 9)
    found = metrics.wilcoxon([*first, 0.5, None], [*second, 0.5, 0.9])
    statistic, p = naive.wilcoxon_exact((first - second).tolist())
    assert found.n == 9
    assert found.statistic == statistic
    assert found.p_value == pytest.approx(p)
    assert found.mean_difference == pytest.approx((first - second).sum() / 10.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_signed_rank_test_of_differences_of_the_same_size_tries_every_sign(seed):
    rng = np.random.default_rng(seed)
    for n in (2, 5, 9, 13):
        differences = rng.integers(1, 5, n) * rng.choice([-1.0, 1.0], n)
        differences[0] = -differences[1]
        found = metrics.wilcoxon(differences, np.zeros(n))
        statistic, p = naive.wilcoxon_exact(differences.tolist())
        assert found.statistic == statistic
        assert found.p_value == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(("events", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (37, 120)])
def test_intervals_of_rates(events, n):
    for level in (0.9, 0.95):
        assert metrics.rate_interval(events, n, level) == pytest.approx(naive.clopper_pearson(events, n, level))
    got = metrics.rate_interval(events, n, method="wilson")
    assert got == pytest.approx(naive.wilson(events, n, 1.959963984540054), abs=1e-12)


def test_intervals_of_fold_means():
    # t of 4 degrees at 97.5 % is 2.776445; mean 0.8, standard deviation 0.0158114 of five folds.
    values = [0.78, 0.79, 0.8, 0.81, 0.82]
    half = 2.7764451 * 0.0158113883 / math.sqrt(5.0)
    assert metrics.mean_interval(values) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-8)
    wide = metrics.mean_interval([*values, None], overlap=1 / 4)
    assert wide == pytest.approx((0.8 - 1.5 * half, 0.8 + 1.5 * half), abs=1e-8)
