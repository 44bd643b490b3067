"""How good answers, probabilities, verdicts and zones are: every figure a comparison of trees shows.

In: true labels, answers, probabilities, verdicts of patients the tree has not seen; figures of folds or data sets.
Out: plain numbers and small frozen records; None where a figure is undefined, never NaN.

A true label is precise when it names one class; patients with an imprecise one count in rates of abstention and of
verdicts only. An answer of one class, or of a set of one, is answered; None and larger sets are not. Every patient
counts once, whatever its weight in training.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from engine.decide import check_costs
from engine.errors import PenumbraError
from engine.labels import is_missing, read_labels
from engine.leaves import lower_limit, upper_limit
from engine.names import classes_named
from engine.schema import read_schema

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TIE = 1e-12
LEAST_RATE = 0.01  # METHODS §7: a smaller boundary-uncertain rate makes an efficiency too unsteady to average
MOST_EXACT_TIES = 13  # differences, some of the same size: with more, p is taken from the normal, as scipy does
CHUNK = 256  # patients whose distances to all others are held at a time


# Labels and answers


def single_class(label: Any) -> Any:
    """Return the class that a label or answer names alone; None for ⊥, a missing label, and a set of several."""
    if isinstance(label, (set, frozenset, tuple, list)):
        return next(iter(label)) if len(label) == 1 else None
    return None if is_missing(label) else label


def precise_pairs(truth: Iterable[Any], answers: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return (true class, answer) of the patients whose truth is precise; the answer is None where not answered."""
    given, said = list(truth), list(answers)
    if len(given) != len(said):
        raise PenumbraError(f"There are {len(given)} true labels but {len(said)} answers; give one of each a patient.")
    pairs = [(single_class(t), single_class(a)) for t, a in zip(given, said, strict=True)]
    if not all(isinstance(name, Hashable) for pair in pairs for name in pair):
        raise PenumbraError("A true label or an answer is a dict or a list of lists; give a class, None or a set.")
    return [pair for pair in pairs if pair[0] is not None]


def mean_or_none(values: Iterable[float]) -> float | None:
    """Return the mean, None when there is nothing to average."""
    found = [float(v) for v in values]
    return math.fsum(found) / len(found) if found else None


def finite_or_none(value: Any, what: str) -> float | None:
    """Return a figure as a float, None as it is, or say that it must be a number; NaN would pass on unseen."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise PenumbraError(f"{what} is {value!r}; give a finite number, or None where there is none.")
    return number


def code_of(name: Any, classes: Sequence[Any], what: str) -> int:
    """Return the position of a class, or say which classes there are."""
    known = list(classes)
    if name not in known:
        raise PenumbraError(
            f"{what} holds a class that the model does not know; its classes are {classes_named(known)}."
        )
    return known.index(name)


# Abstention [W]


def abstention_rate(answers: Iterable[Any]) -> float | None:
    """Return the share of patients who are not answered. [W], METHODS §6

    Parameters
    ----------
    answers : n answers: a class, None = abstain, or a set of classes (answered when it holds one).

    Returns
    -------
    A share from 0 to 1; None without patients.

    Examples
    --------
    >>> abstention_rate(["ill", None, "well", None])
    0.5
    """
    return mean_or_none(single_class(a) is None for a in answers)


def accuracy(truth: Iterable[Any], answers: Iterable[Any]) -> float | None:
    """Return the share of right answers among answered patients whose truth is precise. [W], METHODS §6

    Parameters
    ----------
    truth : n true labels. answers : n answers.

    Returns
    -------
    A share from 0 to 1; None when nobody is answered.

    Raises
    ------
    PenumbraError
        When there are not as many answers as true labels.

    Examples
    --------
    >>> accuracy(["ill", "ill", "well", None], ["ill", None, "ill", "ill"])
    0.5
    """
    return mean_or_none(t == a for t, a in precise_pairs(truth, answers) if a is not None)


def balanced_accuracy(truth: Iterable[Any], answers: Iterable[Any]) -> float | None:
    """Return the mean over classes of the accuracy on that class's answered patients. [W], METHODS §6

    A class with no answered patient is left out; None when nobody is answered. Parameters and errors as `accuracy`.
    """
    right: dict[Any, list[bool]] = {}
    for t, a in precise_pairs(truth, answers):
        if a is not None:
            right.setdefault(t, []).append(t == a)
    return mean_or_none(sum(hits) / len(hits) for hits in right.values())


def answer_table(truth: Iterable[Any], answers: Iterable[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Return how many patients of each true class got each answer, or none. [W] Tables 3, 4

    Parameters
    ----------
    truth, answers : n of each. classes : the K classes.

    Returns
    -------
    (K + 1, K + 1) counts: rows are true classes, the last row imprecise truths; columns are answers, the last one
    patients who were not answered.

    Raises
    ------
    PenumbraError
        For a class outside `classes`, or unequal lengths.

    Examples
    --------
    >>> answer_table(["ill", "well", None], ["ill", None, "ill"], ["ill", "well"]).tolist()
    [[1, 0, 0], [0, 0, 1], [1, 0, 0]]
    """
    given, said = list(truth), list(answers)
    precise_pairs(given, said)
    table = np.zeros((len(classes) + 1, len(classes) + 1), dtype=np.int64)
    for t, a in zip(map(single_class, given), map(single_class, said), strict=True):
        row = len(classes) if t is None else code_of(t, classes, "truth")
        column = len(classes) if a is None else code_of(a, classes, "answers")
        table[row, column] += 1
    return table


@dataclass(frozen=True)
class Aggregate:
    """The two-class figures of [W] eq. 12, None without patients."""

    accuracy: float | None
    balanced_accuracy: float | None


def two_class_aggregate(truth: Iterable[Any], answers: Iterable[Any], classes: Sequence[Any]) -> Aggregate:
    """Return accuracy and balanced accuracy with ⊥ counted once as either class, averaged. [W] eq. 12, METHODS §6

    ⊥ is replaced in truth and answers alike, so that every patient counts.

    Parameters
    ----------
    truth, answers : n of each. classes : the two classes.

    Raises
    ------
    PenumbraError
        When there are not two classes, for a class outside them, or unequal lengths.
    """
    if len(classes) != 2:
        raise PenumbraError(f"The aggregate of abstentions is defined for two classes; there are {len(classes)}.")
    given, said = list(map(single_class, truth)), list(map(single_class, answers))
    for what, labels in (("truth", given), ("answers", said)):
        for name in labels:
            if name is not None:
                code_of(name, classes, what)
    filled = [([c if t is None else t for t in given], [c if a is None else a for a in said]) for c in classes]
    if not given:
        return Aggregate(None, None)
    return Aggregate(
        mean_or_none(accuracy(t, a) or 0.0 for t, a in filled),
        mean_or_none(balanced_accuracy(t, a) or 0.0 for t, a in filled),
    )


def set_coverage(truth: Iterable[Any], answers: Iterable[Any]) -> float | None:
    """Return how often the true class is among those named, of patients with a precise truth and a named class.

    None when there is no such patient. A single class counts as a set of one; None names nothing.
    """
    given, said = list(truth), list(answers)
    precise_pairs(given, said)
    named = [(single_class(t), named_classes(a)) for t, a in zip(given, said, strict=True)]
    return mean_or_none(t in a for t, a in named if t is not None and a)


def mean_set_size(answers: Iterable[Any]) -> float | None:
    """Return how many classes an answer names on average, abstentions left out; None when all abstain."""
    sizes = [len(named_classes(a)) for a in answers]
    return mean_or_none(size for size in sizes if size)


def named_classes(answer: Any) -> frozenset[Any]:
    """Return the classes that an answer names, none for an abstention."""
    if isinstance(answer, (set, frozenset, tuple, list)):
        return frozenset(answer)
    return frozenset() if is_missing(answer) else frozenset([answer])


def mean_cost(
    truth: Iterable[Any], answers: Iterable[Any], classes: Sequence[Any], cost: Any, abstain_cost: float | None = None
) -> float | None:
    """Return what the answers cost on average, over patients whose truth is precise. [W], METHODS §6

    Parameters
    ----------
    truth, answers : n of each. classes : the K classes. cost : (K, K) cost[true, answer]. abstain_cost : of no answer.

    Raises
    ------
    PenumbraError
        When somebody is not answered and abstaining has no cost; for a class outside `classes`; for costs that are no
        table of finite numbers with a row and a column for each of them.
    """
    check_costs(cost, len(classes))
    table, abstain_cost = np.asarray(cost, dtype=np.float64), finite_or_none(abstain_cost, "abstain_cost")
    paid = []
    for t, a in precise_pairs(truth, answers):
        if a is None and abstain_cost is None:
            raise PenumbraError("Some patients are not answered, but abstain_cost is None; give what that costs.")
        row = code_of(t, classes, "truth")
        paid.append(float(abstain_cost or 0.0) if a is None else table[row, code_of(a, classes, "answers")])
    return mean_or_none(paid)


def f1_score(truth: Iterable[Any], answers: Iterable[Any], positive: Any) -> float | None:
    """Return 2·TP/(2·TP + FP + FN) of one class on answered patients whose truth is precise.

    None when the class is neither true nor answered among them.
    """
    pairs = [(t == positive, a == positive) for t, a in precise_pairs(truth, answers) if a is not None]
    both, either = sum(t and a for t, a in pairs), sum(t + a for t, a in pairs)
    return 2.0 * both / either if either else None


def macro_f1(truth: Iterable[Any], answers: Iterable[Any]) -> float | None:
    """Return the mean F1 over the classes true or answered among answered patients whose truth is precise. [T]

    None when nobody is answered.
    """
    pairs = [(t, a) for t, a in precise_pairs(truth, answers) if a is not None]
    true, said = [t for t, _ in pairs], [a for _, a in pairs]
    return mean_or_none(f1_score(true, said, c) or 0.0 for c in {*true, *said})


# Zones [T]


@dataclass(frozen=True)
class ZoneMetrics:
    """What zones cost and bring, METHODS §7; each None where undefined.

    Attributes
    ----------
    overall_accuracy, decided_accuracy, decided_macro_f1 : of all, and of decided patients, whose truth is precise.
    boundary_uncertain_rate : share of all patients who are undecided.
    efficiency : (decided accuracy - CART accuracy)/rate. ub_ratio : rate/Bayes error.
    """

    overall_accuracy: float | None
    boundary_uncertain_rate: float | None
    decided_accuracy: float | None
    decided_macro_f1: float | None
    efficiency: float | None
    ub_ratio: float | None


def zone_metrics(
    truth: Iterable[Any],
    predicted: Iterable[Any],
    decided: Iterable[bool],
    cart_accuracy: float | None = None,
    bayes_error: float | None = None,
) -> ZoneMetrics:
    """Return the figures of predictions with verdicts. [T], METHODS §7

    Parameters
    ----------
    truth, predicted : n of each. decided : n verdicts, True where no zone was entered.
    cart_accuracy : accuracy of CART on the same patients; bayes_error : the least error possible, or its bound.

    Raises
    ------
    PenumbraError
        For unequal lengths.
    """
    given, said, verdicts = list(truth), list(predicted), list(decided)
    precise_pairs(given, said)
    if not all(isinstance(d, (bool, np.bool_, int, np.integer)) and d in (0, 1) for d in verdicts):
        raise PenumbraError("decided holds something that is no verdict; give True or False a patient.")
    sure = [bool(d) for d in verdicts]
    if len(sure) != len(given):
        raise PenumbraError(f"There are {len(given)} true labels but {len(sure)} verdicts; give one of each a patient.")
    kept = [(t, p) for t, p, d in zip(given, said, sure, strict=True) if d]
    decided_truth, decided_said = [t for t, _ in kept], [p for _, p in kept]
    rate = mean_or_none(not d for d in sure)
    decided_accuracy = accuracy(decided_truth, decided_said)
    return ZoneMetrics(
        overall_accuracy=accuracy(given, said),
        boundary_uncertain_rate=rate,
        decided_accuracy=decided_accuracy,
        decided_macro_f1=macro_f1(decided_truth, decided_said),
        efficiency=efficiency(decided_accuracy, cart_accuracy, rate),
        ub_ratio=ub_ratio(rate, bayes_error),
    )


def efficiency(decided_accuracy: float | None, cart_accuracy: float | None, rate: float | None) -> float | None:
    """Return (decided accuracy - CART accuracy)/boundary-uncertain rate; None at rate 0. [T], METHODS §7

    Examples
    --------
    >>> round(efficiency(0.9, 0.8, 0.2), 12)
    0.5
    >>> efficiency(0.9, 0.8, 0.0) is None
    True
    """
    decided_accuracy = finite_or_none(decided_accuracy, "decided_accuracy")
    cart_accuracy, rate = finite_or_none(cart_accuracy, "cart_accuracy"), finite_or_none(rate, "rate")
    if decided_accuracy is None or cart_accuracy is None or not rate:
        return None
    return (decided_accuracy - cart_accuracy) / rate


def mean_efficiency(
    efficiencies: Iterable[float | None], rates: Iterable[float | None], least_rate: float = LEAST_RATE
) -> float | None:
    """Return the mean efficiency over the data sets whose boundary-uncertain rate exceeds `least_rate`. [T]

    Data sets without an efficiency are left out too; None when none is left.
    """
    found, known = list(efficiencies), list(rates)
    if len(found) != len(known):
        raise PenumbraError(f"There are {len(found)} efficiencies but {len(known)} rates; give one of each a data set.")
    pairs = zip(found, known, strict=True)
    return mean_or_none(e for e, rate in pairs if e is not None and rate is not None and rate > least_rate)


def ub_ratio(rate: float | None, bayes_error: float | None) -> float | None:
    """Return boundary-uncertain rate/Bayes error; None when the error is 0 or unknown. [T], METHODS §7"""
    rate, bayes_error = finite_or_none(rate, "rate"), finite_or_none(bayes_error, "bayes_error")
    return rate / bayes_error if rate is not None and bayes_error else None


def cover_hart(nearest_error: float, n_classes: int) -> float:
    """Return the Cover–Hart lower bound on the Bayes error from a 1-NN error rate. [T], METHODS §7

    Parameters
    ----------
    nearest_error : R, the leave-one-out error of the nearest neighbour, from 0 to 1. n_classes : K, at least 2.

    Returns
    -------
    ((K-1)/K)·(1 - sqrt(1 - K·R/(K-1))), and (K-1)/K for a larger R.

    Raises
    ------
    PenumbraError
        For an error outside 0 to 1, or under two classes.

    Examples
    --------
    >>> round(cover_hart(0.1, 2), 4)
    0.0528
    """
    error, count = finite_or_none(nearest_error, "nearest_error"), finite_or_none(n_classes, "n_classes")
    if error is None or count is None or count < 2 or count % 1.0 or not 0.0 <= error <= 1.0:
        raise PenumbraError("The Cover–Hart bound takes an error rate from 0 to 1 and at least two classes.")
    most = (n_classes - 1) / n_classes
    return most * (1.0 - math.sqrt(max(0.0, 1.0 - nearest_error / most)))


def nearest_neighbour_error(
    X: Any, y: Any, nominal: Sequence[Any] | None = None, standardise: bool = True
) -> float | None:
    """Return the leave-one-out error of the nearest neighbour on standardised variables. [T], METHODS §7

    Parameters
    ----------
    X : DataFrame or array (n, M). y : n labels; patients with an imprecise one are left out, also as neighbours.
    nominal : columns to read as nominal. standardise : divide by the standard deviation (ddof 0) first.

    Returns
    -------
    A share from 0 to 1; None when no patient has a neighbour.

    Notes
    -----
    The squared distance is the mean, over the variables known in both patients, of the squared difference; a nominal
    variable gives 0 or 1 (same category or not), a variable that does not vary plays no part. Patients who share no
    known variable are no neighbours. Where several are equally near, the share of them with another class counts, so
    that the order of rows does not matter.

    Examples
    --------
    >>> nearest_neighbour_error([[0.0], [1.0], [9.0], [10.0]], ["a", "a", "b", "a"])
    0.5
    """
    schema = read_schema(X, nominal)
    values = schema.encode(X)
    labels = read_labels(y, len(values))
    precise = labels.code < len(labels.classes)
    values, code = values[precise], labels.code[precise]
    columns = [scaled_column(values[:, j], bool(schema.numeric[j]), standardise) for j in range(values.shape[1])]
    wrong: list[float] = []
    for start in range(0, len(values), CHUNK):
        rows = np.arange(start, min(start + CHUNK, len(values)))
        distance = squared_distances(columns, schema.numeric, rows)
        distance[np.arange(len(rows)), rows] = np.inf
        least = distance.min(axis=1, keepdims=True)
        nearest = np.isfinite(distance) & (distance <= least + TIE * (1.0 + least))
        others = (nearest & (code[None, :] != code[rows, None])).sum(axis=1)
        found = nearest.sum(axis=1)
        wrong.extend((others[found > 0] / found[found > 0]).tolist())
    return mean_or_none(wrong)


def scaled_column(column: Floats, numeric: bool, standardise: bool) -> Floats:
    """Return a variable's values in standard deviations when numeric, all missing when it does not vary."""
    known = column[~np.isnan(column)]
    if len(known) == 0 or np.ptp(known) == 0.0:
        return np.full(len(column), np.nan)
    return column / known.std() if numeric and standardise else column


def squared_distances(columns: list[Floats], numeric: Bools, rows: NDArray[np.intp]) -> Floats:
    """Return mean squared distances (r, n) of patients `rows` to all, inf where no variable is known in both."""
    total = np.zeros((len(rows), len(columns[0])))
    shared = np.zeros(total.shape, dtype=np.int64)
    for column, is_number in zip(columns, numeric, strict=True):
        apart = column[rows, None] - column[None, :]
        known = ~np.isnan(apart)
        part = apart * apart if is_number else (apart != 0.0).astype(np.float64)
        total += np.where(known, part, 0.0)
        shared += known
    return np.where(shared > 0, total / np.maximum(shared, 1), np.inf)


def bayes_error_bound(X: Any, y: Any, nominal: Sequence[Any] | None = None) -> float | None:
    """Return the Cover–Hart bound of the leave-one-out 1-NN error on standardised variables. [T], METHODS §7

    K counts the classes of `y`. None when no patient has a neighbour.
    """
    error = nearest_neighbour_error(X, y, nominal)
    return None if error is None else cover_hart(error, len(read_labels(y, len(X)).classes))


# Probabilities


def precise_rows(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> tuple[NDArray[np.int64], Floats]:
    """Return the true class code (m,) and probabilities (m, K) of the patients whose truth is precise.

    Raises
    ------
    PenumbraError
        For probabilities of another shape or missing, or a class outside `classes`.
    """
    given = [single_class(t) for t in truth]
    p = np.asarray(probability, dtype=np.float64)
    if p.shape != (len(given), len(classes)):
        raise PenumbraError(
            f"The probabilities have shape {p.shape}; {len(given)} patients and {len(classes)} classes need "
            f"({len(given)}, {len(classes)})."
        )
    if not np.isfinite(p).all():
        raise PenumbraError("Some probabilities are missing or infinite; give one for each patient and class.")
    kept = [i for i, t in enumerate(given) if t is not None]
    return np.array([code_of(given[i], classes, "truth") for i in kept], dtype=np.int64), p[kept]


def brier_score(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> float | None:
    """Return the mean over patients of Σ_k (p_k - [true class is k])², from 0 to 2. Brier 1950

    With two classes it is twice the score of one class's probability. None without a patient whose truth is precise.

    Parameters
    ----------
    truth : n labels. probability : (n, K). classes : the K classes, in the order of the columns.

    Raises
    ------
    PenumbraError
        As `precise_rows`.

    Examples
    --------
    >>> round(brier_score(["ill", "well"], [[0.9, 0.1], [0.4, 0.6]], ["ill", "well"]), 12)
    0.17
    """
    code, p = precise_rows(truth, probability, classes)
    return mean_or_none(((p - np.eye(len(classes))[code]) ** 2).sum(axis=1))


def confidence(truth: Iterable[Any], probability: Any, classes: Sequence[Any]) -> tuple[Floats, Bools]:
    """Return the largest probability and whether its class is the true one, of patients with a precise truth, (m,).

    The first class on ties, as `predict` has it. Input to `reliability` and `accuracy_coverage`.
    """
    code, p = precise_rows(truth, probability, classes)
    top = p.max(axis=1, initial=0.0)
    return top, np.argmax(p >= top[:, None] - TIE, axis=1) == code


def class_scores(
    truth: Iterable[Any],
    probability: Any,
    classes: Sequence[Any],
    positive: Any,
    answers: Iterable[Any] | None = None,
) -> tuple[Floats, Bools]:
    """Return one class's probability and whether it is the true class, of patients with a precise truth, (m,).

    Parameters
    ----------
    positive : the class. answers : n answers; given, only answered patients are returned.
    """
    given = list(truth)
    if answers is not None:
        said = list(answers)
        precise_pairs(given, said)
        given = [None if single_class(a) is None else t for t, a in zip(given, said, strict=True)]
    code, p = precise_rows(given, probability, classes)
    k = code_of(positive, classes, "positive")
    return p[:, k], code == k


def checked_scores(score: Any, hit: Any) -> tuple[Floats, Bools]:
    """Return scores and outcomes as arrays (m,), or say what is wrong with them."""
    try:
        scores, hits = np.asarray(score, dtype=np.float64), np.asarray(hit, dtype=bool)
    except (TypeError, ValueError):
        raise PenumbraError("Give one finite score and one outcome, True or False, a patient.") from None
    if scores.ndim != 1 or scores.shape != hits.shape or not np.isfinite(scores).all():
        raise PenumbraError("Give one finite score and one outcome, True or False, a patient.")
    return scores, hits


@dataclass(frozen=True)
class Bin:
    """Patients whose probability lies in (low, high]: how many, their mean probability and the rate of events."""

    low: float
    high: float
    n: int
    mean_probability: float
    rate: float


def reliability(score: Any, hit: Any, n_bins: int = 10, bins: str = "width") -> list[Bin]:
    """Return the bins of a reliability curve, empty ones left out.

    Parameters
    ----------
    score : (m,) probabilities from 0 to 1. hit : (m,) whether the event came (of `confidence` or `class_scores`).
    n_bins : how many bins at most. bins : "width", equal parts of 0 to 1, the upper edge inside; or "count", equally
        many patients each, equal probabilities never parted.

    Raises
    ------
    PenumbraError
        For other bins, or scores outside 0 to 1.

    Examples
    --------
    >>> [(b.n, b.rate) for b in reliability([0.1, 0.2, 0.8, 0.9], [False, True, True, True], n_bins=2)]
    [(2, 0.5), (2, 1.0)]
    """
    scores, hits = checked_scores(score, hit)
    if bins not in ("width", "count") or n_bins < 1:
        raise PenumbraError(f"bins is {bins!r} with n_bins {n_bins}; choose width or count, and at least one bin.")
    if len(scores) and (scores.min() < -TIE or scores.max() > 1.0 + TIE):
        raise PenumbraError("Reliability takes probabilities; some scores lie outside 0 to 1.")
    if bins == "width":
        place = np.clip(np.ceil(scores * n_bins - 1e-9).astype(np.int64) - 1, 0, n_bins - 1)
        edges = [(k / n_bins, (k + 1) / n_bins) for k in range(n_bins)]
    else:
        place = equal_count_places(scores, n_bins)
        edges = [(float(scores[place == k].min()), float(scores[place == k].max())) for k in np.unique(place)]
    return [
        Bin(low, high, int((place == k).sum()), float(scores[place == k].mean()), float(hits[place == k].mean()))
        for k, (low, high) in enumerate(edges)
        if (place == k).any()
    ]


def equal_count_places(scores: Floats, n_bins: int) -> NDArray[np.int64]:
    """Return each score's bin, from 0; a bin ends with the run of equal scores that meets its share of patients."""
    if len(scores) == 0:
        return np.zeros(0, dtype=np.int64)
    order, ends = tied_runs(-scores)
    shares = len(scores) * np.arange(1, n_bins + 1) / n_bins
    closing = np.unique(ends[np.searchsorted(ends, shares - 1e-9)])
    place = np.empty(len(scores), dtype=np.int64)
    place[order] = np.searchsorted(closing, np.arange(len(scores)), side="right")
    return place


def expected_calibration_error(score: Any, hit: Any, n_bins: int = 10, bins: str = "width") -> float | None:
    """Return the mean over patients of |rate - mean probability| of their bin; None without patients.

    Naeini et al. 2015. Parameters and errors as `reliability`; with `confidence` it is the usual top-label error.
    """
    found = reliability(score, hit, n_bins, bins)
    n = sum(b.n for b in found)
    return math.fsum(b.n * abs(b.rate - b.mean_probability) for b in found) / n if n else None


def tied_runs(score: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order by falling score and, for each run of ties (1e-12), how many patients stand up to its end."""
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.diff(score[order]) < -TIE) + 1
    return order, np.append(ends, len(score)) if len(score) else ends


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Points of a ROC curve from (0, 0) to (1, 1), one a distinct score.

    Attributes
    ----------
    threshold : (P,) falling scores from which a patient is called positive, inf first.
    false_positive_rate, true_positive_rate : (P,). area : of the trapezoids, P(score of a positive > of a negative),
        ties one half.
    """

    threshold: Floats
    false_positive_rate: Floats
    true_positive_rate: Floats
    area: float


def roc_curve(score: Any, positive: Any) -> RocCurve | None:
    """Return the ROC curve; None when all patients are positive, or none is.

    Parameters
    ----------
    score : (m,) higher = more likely positive. positive : (m,) True or False; both from `class_scores`.

    Examples
    --------
    >>> roc_curve([0.9, 0.6, 0.6, 0.1], [True, True, False, False]).area
    0.875
    """
    scores, hits = checked_scores(score, positive)
    if hits.all() or not hits.any():
        return None
    order, ends = tied_runs(scores)
    true = np.concatenate([[0.0], np.cumsum(hits[order])[ends - 1] / hits.sum()])
    false = np.concatenate([[0.0], np.cumsum(~hits[order])[ends - 1] / (~hits).sum()])
    threshold = np.concatenate([[np.inf], scores[order][ends - 1]])
    return RocCurve(threshold, false, true, float(np.trapezoid(true, false)))


def auc_by_class(
    truth: Iterable[Any], probability: Any, classes: Sequence[Any], answers: Iterable[Any] | None = None
) -> dict[Any, float | None]:
    """Return the area under each class's one-versus-rest ROC curve, None where it is undefined.

    Parameters
    ----------
    truth, probability, classes : as `brier_score`. answers : given, only answered patients count.
    """
    given, said = list(truth), None if answers is None else list(answers)
    curves = {c: roc_curve(*class_scores(given, probability, classes, c, said)) for c in classes}
    return {c: None if curve is None else curve.area for c, curve in curves.items()}


def macro_auc(
    truth: Iterable[Any], probability: Any, classes: Sequence[Any], answers: Iterable[Any] | None = None
) -> float | None:
    """Return the mean of `auc_by_class` over the classes that have one; None when none has."""
    areas = auc_by_class(truth, probability, classes, answers).values()
    return mean_or_none(area for area in areas if area is not None)


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """Accuracy when only the surest patients are answered, one point a distinct confidence.

    Attributes
    ----------
    threshold : (P,) falling confidence from which a patient is answered. coverage, accuracy : (P,) then.
    area : mean over patients of the accuracy at the point where each is first answered; 1 = always right.
    """

    threshold: Floats
    coverage: Floats
    accuracy: Floats
    area: float


def accuracy_coverage(score: Any, correct: Any) -> CoverageCurve | None:
    """Return the accuracy–coverage curve, patients of equal confidence answered together; None without patients.

    Parameters
    ----------
    score : (m,) confidence. correct : (m,) whether the prediction is right; both from `confidence`.

    Notes
    -----
    One minus the area is the area under the risk–coverage curve of Geifman & El-Yaniv 2017.

    Examples
    --------
    >>> curve = accuracy_coverage([0.9, 0.8, 0.8, 0.6], [True, True, False, False])
    >>> curve.coverage.tolist(), curve.accuracy.round(2).tolist()
    ([0.25, 0.75, 1.0], [1.0, 0.67, 0.5])
    """
    scores, hits = checked_scores(score, correct)
    if len(scores) == 0:
        return None
    order, ends = tied_runs(scores)
    right = np.cumsum(hits[order])[ends - 1] / ends
    area = float((np.diff(ends, prepend=0) * right).sum() / len(scores))
    return CoverageCurve(scores[order][ends - 1], ends / len(scores), right, area)


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit per patient at each threshold probability (P,): of the model, of treating all, of treating none."""

    threshold: Floats
    model: Floats
    treat_all: Floats
    treat_none: Floats


def net_benefit(score: Any, positive: Any, thresholds: Any = None) -> DecisionCurve | None:
    """Return the decision curve TP/n - FP/n · t/(1 - t), treating from a probability of t on; None without patients.

    Parameters
    ----------
    score : (m,) probability of the positive class. positive : (m,) True or False; both from `class_scores`.
    thresholds : (P,) from 0 to below 1; 0.01, 0.02, … 0.99 unless given.

    Raises
    ------
    PenumbraError
        For a threshold outside 0 to below 1.

    Notes
    -----
    Vickers & Elkin 2006. A probability within 1e-12 of the threshold reaches it.

    Examples
    --------
    >>> curve = net_benefit([0.9, 0.4, 0.2], [True, False, False], [0.25])
    >>> curve.model.round(3).tolist(), curve.treat_all.round(3).tolist()
    ([0.222], [0.111])
    """
    scores, hits = checked_scores(score, positive)
    t = np.arange(1, 100) / 100.0 if thresholds is None else np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if not ((t >= 0.0) & (t < 1.0)).all():
        raise PenumbraError("A threshold probability lies from 0 to below 1.")
    if len(scores) == 0:
        return None
    treated = scores[None, :] >= t[:, None] - TIE
    odds = t / (1.0 - t)
    model = (treated & hits).mean(axis=1) - (treated & ~hits).mean(axis=1) * odds
    return DecisionCurve(t, model, hits.mean() - (~hits).mean() * odds, np.zeros(len(t)))


# Tests and intervals


@dataclass(frozen=True)
class PairedTest:
    """A paired comparison: pairs that differ, the smaller rank sum, the two-sided p value, the mean difference."""

    n: int
    statistic: float
    p_value: float
    mean_difference: float


def wilcoxon(first: Iterable[float | None], second: Iterable[float | None]) -> PairedTest | None:
    """Return Wilcoxon's signed-rank test of paired figures, such as accuracies on the same data sets. [S], [C]

    Parameters
    ----------
    first, second : figures in pairs; a pair with one undefined (None) is left out.

    Returns
    -------
    The two-sided test of first - second, equal pairs dropped (Wilcoxon's own way), exact where scipy offers it;
    None when no pair differs. The mean difference is over all pairs.

    Notes
    -----
    Folds of one data set share patients, so their pairs are not independent and p is too small; data sets are.

    Examples
    --------
    >>> wilcoxon([0.8, 0.9, 0.7, 0.95, 0.6], [0.7, 0.85, 0.72, 0.8, 0.57]).p_value
    0.125
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if not is_missing(a) and not is_missing(b)]
    # Rounded, so that differences equal but for rounding stay tied or nil.
    differences = np.round([float(a) - float(b) for a, b in pairs if a is not None and b is not None], 12)
    unequal = differences[differences != 0.0]
    if len(unequal) == 0:
        return None
    size, mean = np.abs(unequal), float(differences.mean())
    if len(unequal) <= MOST_EXACT_TIES and len(np.unique(size)) < len(size):
        return PairedTest(len(unequal), *tied_signed_ranks(unequal), mean)
    found = stats.wilcoxon(unequal)
    return PairedTest(len(unequal), float(found.statistic), float(found.pvalue), mean)


def tied_signed_ranks(differences: Floats) -> tuple[float, float]:
    """Return the smaller rank sum and the exact two-sided p of n differences, of which some are of the same size.

    scipy tries all 2**n signs one after the other, which takes seconds; here the sums that they give are counted.
    """
    twice = np.rint(2.0 * stats.rankdata(np.abs(differences))).astype(np.int64)  # mean ranks of ties may be halves
    ways = np.zeros(int(twice.sum()) + 1)
    ways[0] = 1.0
    for rank in twice:
        ways[rank:] += ways[:-rank].copy()
    positive = int(twice[differences > 0.0].sum())
    tail = min(float(ways[: positive + 1].sum()), float(ways[positive:].sum())) / float(ways.sum())
    return min(positive, len(ways) - 1 - positive) / 2.0, min(1.0, 2.0 * tail)


def rate_interval(
    events: float, n: float, level: float = 0.95, method: str = "clopper_pearson"
) -> tuple[float, float] | None:
    """Return a confidence interval of a rate; None without patients.

    Parameters
    ----------
    events, n : how many of how many. level : coverage. method : "clopper_pearson" (exact) or "wilson" (shorter).

    Raises
    ------
    PenumbraError
        For another method, or events outside 0 to n.

    Examples
    --------
    >>> [round(end, 3) for end in rate_interval(0, 10)]
    [0.0, 0.308]
    >>> [round(end, 3) for end in rate_interval(8, 10, method="wilson")]
    [0.49, 0.943]
    """
    if not 0.0 <= events <= n or not 0.0 < level < 1.0:
        raise PenumbraError("An interval takes from 0 to n events of n patients, and a level between 0 and 1.")
    if method not in ("clopper_pearson", "wilson"):
        raise PenumbraError(f"method is {method!r}; choose clopper_pearson or wilson.")
    if n == 0:
        return None
    tail = (1.0 - level) / 2.0
    if method == "clopper_pearson":
        return lower_limit(events, n, tail), upper_limit(events, n, tail)
    z = float(stats.norm.isf(tail))
    middle = (events + z * z / 2.0) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(events * (n - events) / n + z * z / 4.0)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(
    values: Iterable[float | None], level: float = 0.95, overlap: float = 0.0
) -> tuple[float, float] | None:
    """Return Student's t interval of the mean of fold figures, undefined ones left out; None under two figures.

    Parameters
    ----------
    values : one figure a fold. level : coverage.
    overlap : test size over training size, 1/9 in 10-fold cross-validation: widens the interval for training sets that
        share patients (Nadeau & Bengio 2003). At 0 the folds are taken as independent.

    Examples
    --------
    >>> [round(end, 4) for end in mean_interval([0.7, 0.8, 0.9])]
    [0.5516, 1.0484]
    """
    found = np.array([float(v) for v in values if v is not None and not is_missing(v)])
    if len(found) < 2:
        return None
    spread = float(found.std(ddof=1)) * math.sqrt(1.0 / len(found) + overlap)
    half = float(stats.t.isf((1.0 - level) / 2.0, len(found) - 1)) * spread
    return float(found.mean()) - half, float(found.mean()) + half
