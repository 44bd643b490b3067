"""The metrics written a second time, patient by patient in plain Python, to test the engine against.

In: lists of labels, answers, probabilities. Out: plain numbers, None where undefined. Nothing comes from `engine`.
"""

from __future__ import annotations

import itertools
import math

SLACK = 1e-12


def alone(label):
    """Return the one class that a label or answer names, or None."""
    if isinstance(label, (set, frozenset, tuple, list)):
        return next(iter(label)) if len(label) == 1 else None
    return None if label is None or label != label else label


def mean(values):
    """Return the mean of a list, or None when it is empty."""
    return sum(values) / len(values) if values else None


def abstention_rate(answers):
    """Count who is not answered."""
    return mean([1.0 if alone(a) is None else 0.0 for a in answers])


def answered(truth, answers):
    """Return (true class, answer) where both are one class."""
    pairs = [(alone(t), alone(a)) for t, a in zip(truth, answers, strict=True)]
    return [(t, a) for t, a in pairs if t is not None and a is not None]


def accuracy(truth, answers):
    """Count right answers among the answered."""
    return mean([1.0 if t == a else 0.0 for t, a in answered(truth, answers)])


def balanced_accuracy(truth, answers):
    """Average the accuracies of the classes met among the answered."""
    pairs = answered(truth, answers)
    return mean([mean([1.0 if t == a else 0.0 for t, a in pairs if t == c]) for c in {t for t, _ in pairs}])


def two_class_aggregate(truth, answers, classes):
    """Put each class in turn in the place of every abstention, in truth and answers, and average."""
    found = []
    for c in classes:
        t = [c if alone(label) is None else alone(label) for label in truth]
        a = [c if alone(label) is None else alone(label) for label in answers]
        found.append((accuracy(t, a), balanced_accuracy(t, a)))
    if not truth:
        return None, None
    return mean([f[0] for f in found]), mean([f[1] for f in found])


def f1(truth, answers, positive):
    """Return the harmonic mean of precision and recall by their own definitions."""
    pairs = answered(truth, answers)
    hits = sum(t == a == positive for t, a in pairs)
    said, true = sum(a == positive for _, a in pairs), sum(t == positive for t, _ in pairs)
    if said + true == 0:
        return None
    if hits == 0:
        return 0.0
    precision, recall = hits / said, hits / true
    return 2.0 * precision * recall / (precision + recall)


def macro_f1(truth, answers):
    """Average F1 over the classes true or answered among the answered."""
    pairs = answered(truth, answers)
    return mean([f1(truth, answers, c) for c in {t for t, _ in pairs} | {a for _, a in pairs}])


def zone_metrics(truth, predicted, decided, cart_accuracy, bayes_error):
    """Return the six figures of zones in the order of the engine's record."""
    sure = [(t, p) for t, p, d in zip(truth, predicted, decided, strict=True) if d]
    rate = mean([0.0 if d else 1.0 for d in decided])
    right = accuracy([t for t, _ in sure], [p for _, p in sure])
    gain = (right - cart_accuracy) / rate if right is not None and rate and cart_accuracy is not None else None
    ratio = rate / bayes_error if rate is not None and bayes_error else None
    return (
        accuracy(truth, predicted), rate, right, macro_f1([t for t, _ in sure], [p for _, p in sure]), gain, ratio,
    )  # fmt: skip


def one_nn_error(rows, nominal, labels, standardise=True):
    """Ask every patient's nearest others, one pair at a time; missing is NaN, a nominal value any code."""
    people = [(row, alone(label)) for row, label in zip(rows, labels, strict=True) if alone(label) is not None]
    spread = []
    for j in range(len(nominal)):
        known = [row[j] for row, _ in people if row[j] == row[j]]
        if not known or min(known) == max(known):
            spread.append(None)
            continue
        m = sum(known) / len(known)
        spread.append(math.sqrt(sum((v - m) ** 2 for v in known) / len(known)))

    def distance(a, b):
        parts = []
        for j, s in enumerate(spread):
            if s is None or a[j] != a[j] or b[j] != b[j]:
                continue
            if nominal[j]:
                parts.append(0.0 if a[j] == b[j] else 1.0)
            else:
                parts.append(((a[j] - b[j]) / (s if standardise else 1.0)) ** 2)
        return sum(parts) / len(parts) if parts else math.inf

    wrong = []
    for i, (row, label) in enumerate(people):
        others = [(distance(row, other), their) for k, (other, their) in enumerate(people) if k != i]
        others = [(d, their) for d, their in others if d < math.inf]
        if others:
            least = min(d for d, _ in others)
            near = [their for d, their in others if d <= least + 1e-12 * (1.0 + least)]
            wrong.append(sum(their != label for their in near) / len(near))
    return mean(wrong)


def brier(truth, probability, classes):
    """Add the squared distance of each probability to 1 for the true class and 0 for the others."""
    return mean(
        [
            sum((p - (1.0 if c == alone(t) else 0.0)) ** 2 for p, c in zip(row, classes, strict=True))
            for t, row in zip(truth, probability, strict=True)
            if alone(t) is not None
        ]
    )


def groups(scores, n_bins, bins):
    """Return lists of patients: by equal parts of 0 to 1, or by equal counts with equal scores together."""
    if bins == "width":
        found = [[] for _ in range(n_bins)]
        for i, s in enumerate(scores):
            k = 0
            while k < n_bins - 1 and s > (k + 1) / n_bins + 1e-9 / n_bins:
                k += 1
            found[k].append(i)
        return [g for g in found if g]
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    found, current = [], []
    closed, n = 0, len(scores)
    for place, i in enumerate(order):
        current.append(i)
        ends = place + 1 == n or scores[order[place + 1]] - scores[i] > SLACK
        due = [b for b in range(closed + 1, n_bins + 1) if (place + 1) * n_bins >= b * n - 1e-6]
        if ends and due:
            found.append(current)
            current, closed = [], due[-1]
    return found


def calibration_error(scores, hits, n_bins, bins):
    """Weigh each group's distance between rate and mean score by its size."""
    total = 0.0
    for g in groups(scores, n_bins, bins):
        total += len(g) * abs(sum(hits[i] for i in g) / len(g) - sum(scores[i] for i in g) / len(g))
    return total / len(scores) if scores else None


def auc(scores, positive):
    """Compare every positive with every negative; a tie counts one half."""
    pairs = [
        1.0 if a > b + SLACK else 0.5 if a >= b - SLACK else 0.0
        for a, p in zip(scores, positive, strict=True)
        if p
        for b, q in zip(scores, positive, strict=True)
        if not q
    ]
    return mean(pairs)


def coverage_points(scores, correct):
    """Return (coverage, accuracy) at every distinct confidence, and the area under them."""
    n, points, area = len(scores), [], 0.0
    for level in sorted(set(scores), reverse=True):
        inside = [i for i in range(n) if scores[i] >= level]
        right = sum(correct[i] for i in inside) / len(inside)
        points.append((len(inside) / n, right))
        area += sum(s == level for s in scores) / n * right
    return points, area


def net_benefit(scores, positive, t):
    """Return the net benefit per patient of treating whoever reaches t, of treating all, of treating none."""
    n = len(scores)
    true = sum(p and s >= t - SLACK for s, p in zip(scores, positive, strict=True))
    false = sum((not p) and s >= t - SLACK for s, p in zip(scores, positive, strict=True))
    odds, sick = t / (1.0 - t), sum(positive)
    return true / n - false / n * odds, sick / n - (n - sick) / n * odds, 0.0


def wilcoxon_exact(differences):
    """Return (smaller rank sum, two-sided p) by trying every sign; differences without zeros, ties at mean ranks."""
    size = sorted(abs(d) for d in differences)
    ranks = [size.index(abs(d)) + (size.count(abs(d)) + 1) / 2 for d in differences]
    up = sum(r for r, d in zip(ranks, differences, strict=True) if d > 0)
    whole = sum(ranks)
    least = min(up, whole - up)
    as_far = 0
    for signs in itertools.product((0, 1), repeat=len(ranks)):
        here = sum(r for r, s in zip(ranks, signs, strict=True) if s)
        as_far += min(here, whole - here) <= least
    return least, as_far / 2 ** len(ranks)


def binomial_tail(k, n, p):
    """Return P(at least k of n)."""
    return sum(math.comb(n, i) * p**i * (1.0 - p) ** (n - i) for i in range(k, n + 1))


def clopper_pearson(k, n, level):
    """Invert the binomial tails by bisection."""
    tail = (1.0 - level) / 2.0

    def root(rises_past):
        low, high = 0.0, 1.0
        for _ in range(100):
            middle = (low + high) / 2.0
            low, high = (low, middle) if rises_past(middle) else (middle, high)
        return low

    below = 0.0 if k == 0 else root(lambda p: binomial_tail(k, n, p) > tail)
    above = 1.0 if k == n else root(lambda p: 1.0 - binomial_tail(k + 1, n, p) < tail)
    return below, above


def wilson(k, n, z):
    """Solve (k/n - p)² = z²·p·(1 - p)/n for p."""
    a, b, c = 1.0 + z * z / n, -(2.0 * k / n + z * z / n), (k / n) ** 2
    root = math.sqrt(max(0.0, b * b - 4.0 * a * c))
    return (-b - root) / (2.0 * a), (-b + root) / (2.0 * a)
