"""Lessons on patients: a borderline reading, verdicts along a path, open labels, abstention.

In: readings, states, counts, τ; the patients are made by seeded code or bundled, and invented. Out: one frozen result
a lesson; nothing here draws or words anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.classifier import UncertainTreeClassifier, variant
from engine.criteria import logical_entropy
from engine.decide import Rule, decide
from engine.errors import PenumbraError
from engine.examples import load_example
from engine.metrics import abstention_rate, accuracy, accuracy_coverage, answer_table, confidence
from engine.noise import Noise
from engine.read import read_table

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]

EF = "Ejection fraction"
EF_GRID = np.arange(15.0, 60.01, 0.5)

TRUE, UNKNOWN, FALSE = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Missed:
    """One tree of the heart-failure example, read by hard and by soft gates. [S] §3.3

    Attributes
    ----------
    threshold : the root's, in percent. reading, sigma : in percent.
    hard, soft : P(worse) for ejection fractions `EF_GRID`, the other readings at the training median.
    at_hard, at_soft : P(worse) at `reading`.
    counts : by reading ("hard", "soft") the patients left out: rows are the truth, columns the answer, both no and yes.
    near : the same of those whose reading lies within one σ of the threshold. n, n_near : patients left out, and near.
    """

    threshold: float
    reading: float
    sigma: float
    hard: Curve
    soft: Curve
    at_hard: float
    at_soft: float
    counts: dict[str, NDArray[np.int64]]
    near: dict[str, NDArray[np.int64]]
    n: int
    n_near: int


@lru_cache(maxsize=64)
def _heart(sigma: float, depth: int) -> tuple[Any, ...]:
    """The tree on the first half of the patients, both readings of it, and the second half."""
    example = load_example("ejection_fraction")
    X, y = example.frame.drop(columns=[example.target]), example.frame[example.target].tolist()
    half = len(X) // 2
    hard, soft = (
        variant(
            "SE", noise=Noise(sigma={EF: sigma}), pruning="none", max_depth=depth, min_weight_leaf=20,
            evaluation=evaluation,
        ).fit(X[:half], y[:half])
        for evaluation in ("hard", "soft")
    )  # fmt: skip
    typical = {
        name: float(column.median()) if column.dtype != object and column.dtype.kind == "f" else column.mode()[0]
        for name, column in X[:half].items()
    }
    return hard, soft, X[half:], y[half:], typical


@lru_cache(maxsize=256)
def missed(reading: float, sigma: float, depth: int = 1) -> Missed:
    """Return how a borderline ejection fraction is read by hard and by soft gates, and who is missed.

    Parameters
    ----------
    reading : the patient's ejection fraction in percent. sigma : its error in points, above 0. depth : of the tree.
    """
    hard, soft, X, y, typical = _heart(sigma, depth)
    tree = hard.tree_
    threshold = float(tree.threshold[0])
    yes = list(tree.classes).index("yes")
    asked = pd.DataFrame([typical] * (len(EF_GRID) + 1))
    asked[EF] = [*EF_GRID, reading]
    curves = [model.predict_proba(asked)[:, yes] for model in (hard, soft)]
    close = (X[EF] - threshold).abs().to_numpy() <= sigma
    said = {name: model.predict(X).tolist() for name, model in (("hard", hard), ("soft", soft))}
    kept = np.flatnonzero(close)
    return Missed(
        threshold, reading, sigma,
        (EF_GRID, curves[0][:-1]), (EF_GRID, curves[1][:-1]), float(curves[0][-1]), float(curves[1][-1]),
        {name: answer_table(y, answers, ["no", "yes"])[:2, :2] for name, answers in said.items()},
        {
            name: answer_table([y[i] for i in kept], [answers[i] for i in kept], ["no", "yes"])[:2, :2]
            for name, answers in said.items()
        },
        len(y), int(close.sum()),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Verdict:
    """A small tree whose splits are each true, false or unknown for a patient. [T], METHODS §7

    Attributes
    ----------
    names, thresholds : of the three splits: the root, its left and its right child.
    states : TRUE, UNKNOWN or FALSE a split; true goes left.
    leaves : per leaf, from left to right, whether the patient is there by Kleene's "and" along its path.
    decided : the engine's verdict on a patient whose readings give these states.
    values : that patient's readings, in the order of `names`. shares : of the leaves, read by the zones' own gates.
    zones : (low, high) of each split.
    """

    names: tuple[str, str, str]
    thresholds: tuple[float, float, float]
    states: tuple[int, int, int]
    leaves: tuple[int, int, int, int]
    decided: bool
    values: tuple[float, float, float]
    shares: tuple[float, ...]
    zones: tuple[tuple[float, float], ...]


def kleene_and(*parts: int) -> int:
    """Return Kleene's conjunction: false if any part is, else unknown if any is, else true; the least part."""
    return min(parts)


@lru_cache(maxsize=1)
def _clinic() -> UncertainTreeClassifier:
    """A tree of two levels that asks ejection fraction, then creatinine or age; each with a noise zone."""
    rows = [
        (ef, creatinine, age, "worse" if (creatinine > 1.3 if ef <= 35 else age > 70) else "well")
        for ef in (25.0, 30.0, 40.0, 45.0)
        for creatinine in (1.0, 1.6, 1.6, 1.6)
        for age in (60.0, 60.0, 60.0, 80.0)
    ]
    frame = pd.DataFrame(rows, columns=[EF, "Creatinine", "Age", "Course"])
    noise = Noise(sigma={EF: 2.0, "Creatinine": 0.1, "Age": 2.0})
    model = variant("CART", zone="noise", evaluation="zone", noise=noise, max_depth=2)
    return model.fit(frame[[EF, "Creatinine", "Age"]], frame["Course"].tolist())


@lru_cache(maxsize=32)
def verdict(states: tuple[int, int, int]) -> Verdict:
    """Return where a patient may be and whether the tree's answer is decided, from the states of its three splits."""
    if len(states) != 3 or any(state not in (TRUE, UNKNOWN, FALSE) for state in states):
        raise PenumbraError("Give three states, each 1 (true), 0 (unknown) or -1 (false).")
    model = _clinic()
    tree = model.tree_
    below = [int(child) for child in tree.children(0)]
    nodes = [0, *below]
    values = np.empty((1, len(tree.variables)))
    for node, state in zip(nodes, states, strict=True):
        theta, far = float(tree.threshold[node]), 2.0 * float(tree.delta[node])
        values[0, tree.variable[node]] = theta - state * far
    root, left, right = states
    held = (kleene_and(root, left), kleene_and(root, -left), kleene_and(-root, right), kleene_and(-root, -right))
    frame = pd.DataFrame(values, columns=list(tree.variables))
    names = [str(tree.variables[tree.variable[node]]) for node in nodes]
    cuts = [float(tree.threshold[node]) for node in nodes]
    read = [float(values[0, tree.variable[node]]) for node in nodes]
    return Verdict(
        (names[0], names[1], names[2]), (cuts[0], cuts[1], cuts[2]), states, held,
        bool(model.decided(frame)[0]),
        (read[0], read[1], read[2]),
        tuple(float(share) for share in model.shares(frame)[0]),
        tuple((float(tree.low[node]), float(tree.high[node])) for node in nodes),
    )  # fmt: skip


@dataclass(frozen=True)
class Orthopartition:
    """The logical entropy of patients some of whom have no label. [W], METHODS §6

    Attributes
    ----------
    first, second, open : patients of either class and without a label (⊥), as they stand now.
    low, high, mean : h_*, h^* and their mean, the criterion. gini : of the labelled patients alone, 0 without any.
    leaf : P of the first class, an open label counted as half.
    """

    first: int
    second: int
    open: int
    low: float
    high: float
    mean: float
    gini: float
    leaf: float


def orthopartition(first: int, second: int, open_: int) -> Orthopartition:
    """Return the exact bounds of the logical entropy of two classes with some labels open, and their mean.

    Parameters
    ----------
    first, second, open_ : patients of the first class, of the second, and of either; not all 0.
    """
    if min(first, second, open_) < 0 or first + second + open_ == 0:
        raise PenumbraError("Give counts of 0 or more, and at least one patient.")
    low, high = logical_entropy([first, second, open_], [[True, False], [False, True], [True, True]])
    gini = logical_entropy([first, second], [[True, False], [False, True]])[0] if first + second else 0.0
    return Orthopartition(
        first, second, open_, low, high, (low + high) / 2.0, gini,
        (first + open_ / 2.0) / (first + second + open_),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Abstention:
    """A three-way tree on patients left out, at one τ and over all. [W]

    Attributes
    ----------
    n, n_open : patients left out, and those of them whose own outcome is open, who count as neither right nor wrong.
    right, wrong, abstained, open_answered : patients at `tau`; they add up to `n`.
    coverage, accuracy : at `tau`; accuracy is None when nobody of a known outcome is answered.
    taus : (T,) with `accuracies` (NaN where nobody is answered) and `coverages`.
    known_coverage, known_accuracy : the curve of those whose outcome is known, the surest first.
    """

    tau: float
    n: int
    n_open: int
    right: int
    wrong: int
    abstained: int
    open_answered: int
    coverage: float
    accuracy: float | None
    taus: Floats
    accuracies: Floats
    coverages: Floats
    known_coverage: Floats
    known_accuracy: Floats


@lru_cache(maxsize=1)
def _registry() -> tuple[Floats, tuple[Any, ...], list[Any]]:
    """Probabilities of the second half of the registry by a tree grown on the first, its classes, and the truth."""
    example = load_example("sf12_registry")
    table = read_table(example.frame, target=example.target, abstain=list(example.abstain))
    half, y = len(table.X) // 2, list(table.y)
    model = variant("TWDT").fit(table.X[:half], y[:half])
    return model.predict_proba(table.X[half:]), tuple(model.tree_.classes), y[half:]


@lru_cache(maxsize=64)
def abstention(tau: float) -> Abstention:
    """Return how many patients left out are answered at τ, and how many of those answers are right.

    Parameters
    ----------
    tau : from 0.5 to 1.
    """
    p, classes, truth = _registry()

    def answers(at: float) -> list[Any]:
        return decide(p, classes, Rule("tau", tau=at))

    given = answers(tau)
    known = [(t, a) for t, a in zip(truth, given, strict=True) if t in classes]
    right = sum(t == a for t, a in known)
    wrong = sum(a is not None and t != a for t, a in known)
    silent = sum(a is None for a in given)
    taus = np.round(np.arange(0.5, 1.001, 0.01), 2)
    every = [answers(float(each)) for each in taus]
    found = [accuracy(truth, each) for each in every]
    curve = accuracy_coverage(*confidence(truth, p, classes))
    assert curve is not None, "the registry has patients"
    return Abstention(
        tau, len(truth), len(truth) - len(known), right, wrong, silent, len(truth) - right - wrong - silent,
        1.0 - float(abstention_rate(given) or 0.0), accuracy(truth, given), taus,
        np.array([np.nan if each is None else each for each in found]),
        np.array([1.0 - float(abstention_rate(each) or 0.0) for each in every]),
        curve.coverage, curve.accuracy,
    )  # fmt: skip
