"""How good answers are, those not given among them: accuracy, F1, cost, rates of abstention and sizes of sets.

In: true labels and answers. Out: plain figures and tables of counts; None where a figure is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.decide import check_costs
from engine.errors import PenumbraError
from engine.labels import is_missing
from engine.metrics.precise import code_of, finite_or_none, mean_or_none, precise_pairs, single_class


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
