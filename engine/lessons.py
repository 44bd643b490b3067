"""The papers' small examples, worked out for teaching: every number that the Learn page shows.

In: what a teacher sets (points, σ, τ, toggles); the examples' own data are made by seeded code or bundled.
Out: one frozen result a lesson; nothing here draws or words anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine import kernels
from engine.classifier import UncertainTreeClassifier, variant
from engine.criteria import kernel_labels, logical_entropy
from engine.decide import Rule, decide
from engine.errors import PenumbraError
from engine.examples import load_example
from engine.metrics import (
    ZoneMetrics,
    abstention_rate,
    accuracy,
    accuracy_coverage,
    answer_table,
    confidence,
    rate_interval,
    zone_metrics,
)
from engine.noise import Noise
from engine.read import read_table
from engine.route import leaf_shares
from engine.search import arrivals, exact_curve

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]

# 1 Four points
CLEAN = (-2.0, -2.0, 2.0, 2.0)
NOISY = (-2.0, 0.2, -0.2, 2.0)
FOUR_CLASSES = (0, 0, 1, 1)
REACH = 4.0  # the points' axis runs from -4 to 4
PLACES = np.round(np.linspace(-REACH, REACH, 801), 2)
FORK_SIGMAS = np.round(np.arange(0.2, 3.01, 0.05), 2)
SAME_TOP = 1e-9  # gains nearer than this part of the best are one height

# 2 Two points
APART = 4.0  # the two true values, -2 and 2
ORDER_SIGMAS = np.round(np.arange(0.1, 8.01, 0.1), 1)
ORDER_DOTS = np.arange(0.5, 8.01, 0.5)

# 3 Ejection fraction
EF = "Ejection fraction"
EF_GRID = np.arange(15.0, 60.01, 0.5)

# 4 Two moons
ZONES = ("margin", "node_bootstrap", "quality_plateau", "class_overlap", "gain_ratio")
ROUTINGS = ("zone", "deferred")
MOONS, NEW_MOONS, SPREAD, MOON_SEED = 200, 1000, 0.25, 1

# 5 Verdicts
TRUE, UNKNOWN, FALSE = 1, 0, -1


@dataclass(frozen=True, eq=False)
class FourPoints:
    """Soft and exact search on four points. [S] §3.4

    Attributes
    ----------
    points : (4,) readings, the first two of the first class. sigma : of the search.
    exact : thresholds (candidates, thresholds at a value) and gains in bits. exact_best : those that tie for the best.
    soft : (801,) cuts from -4 to 4 and gains. tops : the best soft cuts, from left to right. top_gain : their gain.
    """

    points: tuple[float, ...]
    sigma: float
    exact: Curve
    exact_best: tuple[float, ...]
    exact_gain: float
    soft: Curve
    tops: tuple[float, ...]
    top_gain: float


@dataclass(frozen=True, eq=False)
class Fork:
    """The best soft cuts for rising σ; `one_top_from` is the least σ (in steps of 0.01) from which there is one."""

    sigmas: tuple[float, ...]
    tops: tuple[tuple[float, ...], ...]
    one_top_from: float


def soft_gains(points: Sequence[float], classes: Sequence[int], sigma: float, cuts: Floats) -> Floats:
    """Return the soft gain (T,) in bits of cutting points of two classes at each of `cuts` (T,). [S] §3.2"""
    x, member = np.asarray(points, dtype=np.float64), np.eye(2)[np.asarray(classes)]
    labels = kernel_labels(np.eye(2, dtype=bool))
    found = np.empty(len(cuts))
    for k, cut in enumerate(cuts):
        left = kernels.cdf_all((cut - x) / sigma, kernels.NORMAL)
        sides = np.vstack([left @ member, (1.0 - left) @ member])
        found[k] = kernels.partition_gain(sides, kernels.ENTROPY, labels)
    return found


def best_cuts(cuts: Floats, gains: Floats) -> tuple[float, ...]:
    """Return the middle of every run of cuts whose gain is the best but for rounding, from left to right."""
    best = gains >= gains.max() * (1.0 - SAME_TOP)
    starts = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    ends = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    return tuple(float((cuts[a] + cuts[b]) / 2.0) for a, b in zip(starts, ends, strict=True))


@lru_cache(maxsize=256)
def four_points(points: tuple[float, ...], sigma: float) -> FourPoints:
    """Return what exact and soft search see of four points, two of each class.

    Parameters
    ----------
    points : readings, the first two of the first class. sigma : standard deviation of each reading, above 0.

    Raises
    ------
    PenumbraError
        For another number of points, or a σ of 0 or less.
    """
    if len(points) != len(FOUR_CLASSES) or not sigma > 0.0:
        raise PenumbraError("This lesson takes four points and a σ above 0.")
    X, y = pd.DataFrame({"x": points}), [("A", "B")[k] for k in FOUR_CLASSES]
    model = variant("C4.5", threshold="value", min_weight_leaf=1, pruning="none").fit(X, y)
    table, weight = model.training_weights(X, y)
    search = replace(model.search_on(table), min_weight_leaf=0.0)
    exact = exact_curve(search, arrivals(table, weight[:, 0]), 0, search.labels)
    best = float(exact[1].max()) if len(exact[1]) else 0.0
    ties = tuple(float(x) for x, gain in zip(*exact, strict=True) if gain >= best * (1.0 - SAME_TOP) and best > 0.0)
    gains = soft_gains(points, FOUR_CLASSES, sigma, PLACES)
    return FourPoints(
        points, sigma, exact, ties, best, (PLACES, gains), best_cuts(PLACES, gains), float(gains.max())
    )


@lru_cache(maxsize=32)
def fork(points: tuple[float, ...]) -> Fork:
    """Return the best soft cuts of four points for σ from 0.2 to 3."""

    def tops(sigma: float) -> tuple[float, ...]:
        return best_cuts(PLACES, soft_gains(points, FOUR_CLASSES, sigma, PLACES))

    found = [tops(float(sigma)) for sigma in FORK_SIGMAS]
    several = [k for k, each in enumerate(found) if len(each) > 1]
    if not several:
        return Fork(tuple(map(float, FORK_SIGMAS)), tuple(found), float(FORK_SIGMAS[0]))
    last = float(FORK_SIGMAS[several[-1]])
    finer = [round(last + 0.01 * k, 2) for k in range(1, 6)]
    single = next((sigma for sigma in finer if len(tops(sigma)) == 1), finer[-1])
    return Fork(tuple(map(float, FORK_SIGMAS)), tuple(found), single)


@dataclass(frozen=True, eq=False)
class Order:
    """How often two readings keep the order of their true values, -2 and 2. [S] §3.4, METHODS §10

    Attributes
    ----------
    curve : σ and Φ(4/(√2·σ)). printed : σ and Φ(4/(2σ)), the misprint.
    dots : per simulated σ (σ, share kept, low, high), a 95 % Clopper–Pearson range. draws : simulated pairs a dot.
    sigma : the reader's σ, where `right`, `misprint` and `simulated` are read off; simulated counts as a dot does.
    """

    sigma: float
    draws: int
    curve: Curve
    printed: Curve
    dots: tuple[tuple[float, float, float, float], ...]
    right: float
    misprint: float
    simulated: tuple[float, float, float, float]


def order_kept(sigma: Any) -> Floats:
    """Return P(d < 0) = Φ(4/(√2·σ)): the difference of two readings has variance 2σ². [S] §3.4, METHODS §10"""
    return np.asarray(kernels.cdf_all(APART / (np.sqrt(2.0) * np.atleast_1d(sigma)), kernels.NORMAL))


def order_as_printed(sigma: Any) -> Floats:
    """Return Φ(4/(2σ)), as the paper prints it: a misprint. METHODS §10"""
    return np.asarray(kernels.cdf_all(APART / (2.0 * np.atleast_1d(sigma)), kernels.NORMAL))


def simulated_order(sigma: float, draws: int, seed: int) -> tuple[float, float, float, float]:
    """Return (σ, share of simulated pairs that keep their order, its 95 % range)."""
    random = np.random.default_rng([seed, round(1000 * sigma)])
    first = random.normal(-APART / 2, sigma, draws)
    kept = int((first < random.normal(APART / 2, sigma, draws)).sum())
    low, high = rate_interval(kept, draws) or (0.0, 1.0)
    return sigma, kept / draws, low, high


@lru_cache(maxsize=128)
def two_points(sigma: float, draws: int = 1000, seed: int = 1) -> Order:
    """Return the curve of P(d < 0) against σ, right and as printed, beside a seeded simulation.

    Parameters
    ----------
    sigma : the reader's σ, above 0. draws : simulated pairs a dot. seed : of the simulation.
    """
    return Order(
        sigma,
        draws,
        (ORDER_SIGMAS, order_kept(ORDER_SIGMAS)),
        (ORDER_SIGMAS, order_as_printed(ORDER_SIGMAS)),
        tuple(simulated_order(float(each), draws, seed) for each in ORDER_DOTS),
        float(order_kept(sigma)[0]),
        float(order_as_printed(sigma)[0]),
        simulated_order(sigma, draws, seed),
    )


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
class Moons:
    """A ternary tree on two moons: 200 points, depth 3, smallest leaf 5. [T]

    Attributes
    ----------
    zone, routing : how δ was found, and how a patient in a zone is read.
    X : (200, 2) points. y : (200,) class 0 or 1. inside : (200,) True where a point is undecided.
    across, up : middles of the surface's cells. p : (U, A) probability of the second class. undecided : (U, A).
    cuts : per split (variable, threshold, low edge, high edge).
    told : figures on 1,000 new points.
    """

    zone: str
    routing: str
    X: Floats
    y: NDArray[np.int64]
    inside: NDArray[np.bool_]
    across: Floats
    up: Floats
    p: Floats
    undecided: NDArray[np.bool_]
    cuts: tuple[tuple[int, float, float, float], ...]
    told: ZoneMetrics


def moons(n: int, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return `n` points of scikit-learn's two moons and their classes, noise 0.25."""
    from sklearn.datasets import make_moons

    X, y = make_moons(n, noise=SPREAD, random_state=seed)
    return np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)


@lru_cache(maxsize=16)
def _moon_tree(zone: str, routing: str) -> UncertainTreeClassifier:
    X, y = moons(MOONS, MOON_SEED)
    model = variant(f"Ternary-{zone}", evaluation=routing, max_depth=3, min_weight_leaf=5, random_state=0)
    return model.fit(X, y.tolist())


@lru_cache(maxsize=16)
def two_moons(zone: str, routing: str = "zone") -> Moons:
    """Return a tree of the two moons with its decision surface and its figures on new points.

    Parameters
    ----------
    zone : a δ method of `ZONES`. routing : "zone" (every zone blends) or "deferred" (the first zone alone).
    """
    if zone not in ZONES or routing not in ROUTINGS:
        raise PenumbraError(f"Choose a zone of {', '.join(ZONES)}, and a routing of {', '.join(ROUTINGS)}.")
    model = _moon_tree(zone, routing)
    (X, y), (new, truth) = moons(MOONS, MOON_SEED), moons(NEW_MOONS, MOON_SEED + 1)
    across, up = np.linspace(-1.75, 2.75, 91), np.linspace(-1.25, 1.75, 61)
    cells = np.array([(a, u) for u in up for a in across])
    shape = (len(up), len(across))
    tree = model.tree_
    cuts = tuple(
        (int(tree.variable[k]), float(tree.threshold[k]), float(tree.low[k]), float(tree.high[k]))
        for k in range(tree.n_nodes)
        if not tree.is_leaf(k)
    )
    told = zone_metrics(truth.tolist(), model.predict(new).tolist(), model.decided(new).tolist())
    return Moons(
        zone, routing, X, y, ~model.decided(X), across, up,
        model.predict_proba(cells)[:, 1].reshape(shape), ~model.decided(cells).reshape(shape), cuts, told,
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


RULES = ("differ", "both", "first")
PER_CELL = 20


@dataclass(frozen=True, eq=False)
class TwoTests:
    """Naive Bayes beside a conditional-independence tree on two tests. [C]

    Attributes
    ----------
    ill : (2, 2) patients who are ill by first and second test (negative, positive); each cell has 20 patients.
    bayes, tree : (2, 2) P(ill) by naive Bayes alone and by the tree. bayes_ill, tree_ill : (2, 2) True where the answer
        is ill (on a tie it is the first class by name). bayes_accuracy, tree_accuracy : on these patients.
    asked : the test the tree splits on, None when it is naive Bayes alone.
    """

    rule: str
    follow: float
    ill: NDArray[np.int64]
    bayes: Floats
    tree: Floats
    bayes_ill: NDArray[np.bool_]
    tree_ill: NDArray[np.bool_]
    bayes_accuracy: float
    tree_accuracy: float
    asked: str | None


@lru_cache(maxsize=64)
def two_tests(rule: str, follow: float) -> TwoTests:
    """Return what naive Bayes and a conditional-independence tree make of two tests.

    Parameters
    ----------
    rule : who is ill: "differ" (one test is positive and the other not), "both" positive, or "first" positive.
    follow : the part of the patients, 0.5 to 1, for whom the rule holds; for the others the opposite.
    """
    if rule not in RULES or not 0.5 <= follow <= 1.0:
        raise PenumbraError(f"Choose a rule of {', '.join(RULES)}, and a part from 0.5 to 1.")
    true = round(PER_CELL * follow)
    by_rule = {"differ": [[0, 1], [1, 0]], "both": [[0, 0], [0, 1]], "first": [[0, 0], [1, 1]]}[rule]
    ill = np.where(np.array(by_rule) == 1, true, PER_CELL - true).astype(np.int64)
    signs = ("negative", "positive")
    rows = [
        (signs[a], signs[b], "ill" if k < ill[a, b] else "well")
        for a in (0, 1)
        for b in (0, 1)
        for k in range(PER_CELL)
    ]
    frame = pd.DataFrame(rows, columns=["First test", "Second test", "Course"])
    X, y = frame[["First test", "Second test"]], frame["Course"].tolist()
    alone, grown = variant("CITree", max_depth=0).fit(X, y), variant("CITree").fit(X, y)
    cells = pd.DataFrame([(signs[a], signs[b]) for a in (0, 1) for b in (0, 1)], columns=X.columns)
    said = [model.predict_proba(cells)[:, list(model.classes_).index("ill")].reshape(2, 2) for model in (alone, grown)]
    answers = [(model.predict(cells) == "ill").reshape(2, 2) for model in (alone, grown)]
    right = [float(accuracy(y, model.predict(X).tolist()) or 0.0) for model in (alone, grown)]
    tree = grown.tree_
    asked = None if tree.n_nodes == 1 else str(tree.variables[tree.variable[0]])
    return TwoTests(rule, follow, ill, said[0], said[1], answers[0], answers[1], right[0], right[1], asked)


@dataclass(frozen=True, eq=False)
class Repeated:
    """A variable asked twice on one path: the share of each leaf, independent, coherent and simulated. METHODS §3

    Attributes
    ----------
    low, high : the two thresholds. reading, sigma : in the variable's unit.
    parts : the three leaves' intervals, (-inf, low], (low, high], (high, inf), in tree order.
    independent, coherent : (3,) shares by soft and by coherent gates. simulated : (3,) shares of true values drawn.
    ranges : (3, 2) 95 % ranges of the simulated shares. draws : how many.
    """

    low: float
    high: float
    reading: float
    sigma: float
    parts: tuple[tuple[float, float], ...]
    independent: Floats
    coherent: Floats
    simulated: Floats
    ranges: Floats
    draws: int


@lru_cache(maxsize=256)
def repeated(reading: float, sigma: float, low: float, high: float, draws: int = 10_000, seed: int = 1) -> Repeated:
    """Return what independent and coherent gates say when a path asks one variable twice.

    Parameters
    ----------
    reading : the patient's value. sigma : its error, above 0. low, high : the thresholds, at least 2 apart.
    draws, seed : of the simulation of true values.
    """
    if not (sigma > 0.0 and high - low >= 2.0):
        raise PenumbraError("Give a σ above 0, and thresholds at least 2 apart.")
    X = pd.DataFrame({"x": [low - 1, low - 1, low + 1, high - 1, high + 1]})
    noise = Noise(sigma={"x": sigma})
    model = variant("CART", noise=noise).fit(X, ["out", "out", "between", "between", "out"])
    tree, error = model.tree_, model.noise_evaluation_
    value = np.array([[reading]])
    independent, coherent = (leaf_shares(tree, value, kind, error)[0] for kind in ("soft", "coherent"))
    truth = np.random.default_rng([seed, round(100 * reading), round(100 * sigma)]).normal(reading, sigma, (draws, 1))
    counts = leaf_shares(tree, truth, "hard").sum(axis=0)
    ranges = np.array([rate_interval(float(each), draws) or (0.0, 1.0) for each in counts])
    edges = [(-np.inf, low), (low, high), (high, np.inf)]
    return Repeated(
        low, high, reading, sigma, tuple(edges), independent, coherent, counts / draws, ranges, draws
    )
