"""From class probabilities to an answer: a class, an abstention, or a set of classes.

In: probabilities (n, K), the classes, the rule with its τ or its costs. Out: one answer a row; None means abstain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError

Floats = NDArray[np.float64]
SLACK = 1e-12
ABSTAIN = -1  # in place of a column


@dataclass(frozen=True)
class Rule:
    """How probabilities become answers; the names are the constructor's (METHODS §6).

    Attributes
    ----------
    decision : a key of DECISIONS. tau : threshold of "tau" and "set".
    cost : (K, K) cost[true, answer] in the order of the classes, any one unit. abstain_cost : in the same unit,
        None = abstention is not offered. Both belong to "cost".
    """

    decision: str = "argmax"
    tau: float = 0.7
    cost: Any = None
    abstain_cost: float | None = None


def most_probable(probability: Floats) -> NDArray[np.int64]:
    """Return the column of the largest probability in each row, the first class on ties."""
    top = probability.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(probability >= top - SLACK, axis=1), dtype=np.int64)


def expected_costs(probability: Floats, cost: Any) -> Floats:
    """Return Σ_true p(true)·cost[true, answer] for each row and answer, (n, K). [W], METHODS §6"""
    return np.asarray(probability @ np.asarray(cost, dtype=np.float64), dtype=np.float64)


def cost_slack(cost: Any) -> float:
    """Return how far two expected costs may lie apart and still tie: 1e-12 in the unit of the largest cost."""
    return SLACK * max(1.0, float(np.abs(np.asarray(cost, dtype=np.float64)).max()))


def cheapest(probability: Floats, cost: Any) -> NDArray[np.int64]:
    """Return the column of the least expected cost in each row, the first class on ties. [W], METHODS §6"""
    expected = expected_costs(probability, cost)
    least = expected.min(axis=1, keepdims=True)
    return np.asarray(np.argmax(expected <= least + cost_slack(cost), axis=1), dtype=np.int64)


def by_argmax(probability: Floats, rule: Rule) -> NDArray[np.int64]:
    """Choose the most probable class of each row."""
    return most_probable(probability)


def by_tau(probability: Floats, rule: Rule) -> NDArray[np.int64]:
    """Choose the most probable class where its probability is at least τ - 1e-12, else abstain. [W], METHODS §6."""
    best = most_probable(probability)
    reached = probability[np.arange(len(best)), best] >= rule.tau - SLACK
    return np.where(reached, best, ABSTAIN)


def by_cost(probability: Floats, rule: Rule) -> NDArray[np.int64]:
    """Choose what costs least on average, abstention among the answers where it has a cost. [W], METHODS §6.

    On ties an answer comes before abstention, then the first class.
    """
    best = cheapest(probability, rule.cost)
    if rule.abstain_cost is None:
        return best
    least = expected_costs(probability, rule.cost).min(axis=1)
    worth = least <= rule.abstain_cost + cost_slack(rule.cost)
    return np.where(worth, best, ABSTAIN)


def by_set(probability: Floats, rule: Rule) -> NDArray[np.bool_]:
    """Choose the classes that it takes, most probable first, until their sum reaches τ - 1e-12. METHODS §6.

    At least one class is named, and on ties the first is added first.
    """
    left = np.array(probability, dtype=np.float64)
    named = np.zeros(left.shape, dtype=bool)
    total = np.zeros(len(left))
    short = np.arange(len(left))
    for _ in range(left.shape[1]):
        added = most_probable(left[short])
        named[short, added] = True
        total[short] += left[short, added]
        left[short, added] = -np.inf
        short = short[total[short] < rule.tau - SLACK]
        if len(short) == 0:
            break
    return named


Chosen = NDArray[np.int64] | NDArray[np.bool_]  # (n,) columns or ABSTAIN, or (n, K) the classes of a set
DECISIONS: dict[str, Callable[[Floats, Rule], Chosen]] = {
    "argmax": by_argmax,
    "tau": by_tau,
    "cost": by_cost,
    "set": by_set,
}


def decide(probability: Floats, classes: Sequence[Any], rule: Rule) -> list[Any]:
    """Return one answer a row of `probability` (n, K): a class, None for an abstention, a frozenset. METHODS §6.

    Parameters
    ----------
    probability : (n, K), rows sum to 1. classes : the K classes. rule : the decision with its τ or costs.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.6, 0.4], [0.9, 0.1]])
    >>> decide(p, ["ill", "well"], Rule("tau", tau=0.7))
    [None, 'ill']
    >>> decide(p, ["ill", "well"], Rule("cost", cost=[[0, 1], [1, 0]], abstain_cost=0.3))
    [None, 'ill']
    >>> [sorted(answer) for answer in decide(p, ["ill", "well"], Rule("set", tau=0.7))]
    [['ill', 'well'], ['ill']]
    """
    chosen = DECISIONS[rule.decision](probability, rule)
    if chosen.ndim == 2:
        return [frozenset(classes[int(k)] for k in np.flatnonzero(row)) for row in chosen]
    return [None if k == ABSTAIN else classes[k] for k in chosen]


def answered_otherwise(probability: Floats, answer: Any, classes: Sequence[Any], rule: Rule) -> NDArray[np.bool_]:
    """Return where (n,) the answer that `decide` gives to a row of `probability` (n, K) is not `answer`."""
    chosen = DECISIONS[rule.decision](probability, rule)
    if chosen.ndim == 2:
        return np.asarray((chosen != [label in answer for label in classes]).any(axis=1))
    return np.asarray(chosen != (ABSTAIN if answer is None else list(classes).index(answer)))


def margins(probability: Floats, answer: Any, classes: Sequence[Any], rule: Rule) -> Floats:
    """Return by how much each condition of an answer holds, (n, C); it is given where none is negative, but for slack.

    Every condition is linear in the probabilities: the answer turns where the least of them crosses zero.

    Parameters
    ----------
    answer : a class, None or a frozenset, as `decide` gives it under `rule`.
    """
    p = np.asarray(probability, dtype=np.float64)
    if rule.decision == "set":
        inside = np.array([label in answer for label in classes])
        total = p[:, inside].sum(axis=1, keepdims=True)
        pairs = (p[:, inside, None] - p[:, None, ~inside]).reshape(len(p), -1)
        needed = rule.tau - (total - p[:, inside]) if inside.sum() > 1 else np.empty((len(p), 0))
        return np.concatenate([pairs, total - rule.tau, needed], axis=1)
    own = None if answer is None else list(classes).index(answer)
    if rule.decision == "cost":
        cost = expected_costs(p, rule.cost)
        if rule.abstain_cost is not None:
            cost = np.concatenate([cost, np.full((len(p), 1), float(rule.abstain_cost))], axis=1)
        given = cost.shape[1] - 1 if own is None else own
        return np.asarray(cost[:, others(given, cost.shape[1])] - cost[:, given, None])
    if own is None:
        return rule.tau - p
    ahead: Floats = p[:, own, None] - p[:, others(own, p.shape[1])]
    return ahead if rule.decision == "argmax" else np.concatenate([ahead, p[:, own, None] - rule.tau], axis=1)


def others(own: int, count: int) -> list[int]:
    """Return the columns of `count` but for one."""
    return [k for k in range(count) if k != own]


def check_costs(cost: Any, n_classes: int | None = None) -> None:
    """Refuse costs that are no square table of finite numbers, or none of as many rows as there are classes.

    Parameters
    ----------
    cost : nested list or array, cost[true, answer]. n_classes : K once it is known, None before.
    """
    if hasattr(cost, "columns") or hasattr(cost, "keys"):
        raise PenumbraError(
            "cost is a labelled table, whose labels are not read; give a nested list with one row a true class and "
            "one column an answer, both in the order of classes_."
        )
    try:
        table = np.asarray(cost)
    except ValueError as error:
        raise PenumbraError(
            "cost has rows of different length; give one row a true class, one column an answer."
        ) from error
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise PenumbraError(
            f"cost has shape {table.shape}; give a square table cost[true, answer] with one row and one column a class."
        )
    if table.dtype.kind not in "iuf":
        raise PenumbraError("cost holds something that is no number; give a number for each true class and answer.")
    if not np.isfinite(table).all():
        raise PenumbraError(
            "cost holds a missing or infinite number; give a finite cost for each true class and answer."
        )
    if n_classes is not None and len(table) != n_classes:
        limit = " With these costs Only binary classification is supported." if len(table) == 2 else ""
        raise PenumbraError(
            f"cost has shape {table.shape}, but there are {n_classes} classes; give one row a true class and one "
            f"column an answer, both in the order of classes_.{limit}"
        )
