"""Lessons in a plane: the five zones on two moons, and two tests under naive Bayes and under a tree.

In: a zone, a routing, patients added by hand; a rule. Out: one frozen result a lesson; nothing here draws anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.classifier import UncertainTreeClassifier, variant
from engine.errors import PenumbraError
from engine.metrics import ZoneMetrics, accuracy, zone_metrics

Floats = NDArray[np.float64]

ZONES = ("margin", "node_bootstrap", "quality_plateau", "class_overlap", "gain_ratio")
ROUTINGS = ("zone", "deferred")
MOONS, NEW_MOONS, SPREAD, MOON_SEED = 200, 1000, 0.25, 1
ACROSS, UP = (-1.7, 2.7), (-1.2, 1.7)  # where a patient may be put
MOST_ADDED = 8
Added = tuple[tuple[float, float, int], ...]

RULES = ("differ", "both", "first")
PER_CELL = 20


@dataclass(frozen=True, eq=False)
class Moons:
    """A ternary tree on two moons: 200 points and those added, depth 3, smallest leaf 5. [T]

    Attributes
    ----------
    zone, routing : how δ was found, and how a patient in a zone is read.
    X : (n, 2) points, the added ones last. y : (n,) class 0 or 1. inside : (n,) True where a point is undecided.
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


def may_be_added(added: Added) -> bool:
    """Return whether these patients, (across, up, class) each, may be added to the moons."""
    inside = all(ACROSS[0] <= a <= ACROSS[1] and UP[0] <= u <= UP[1] and k in (0, 1) for a, u, k in added)
    return inside and len(added) <= MOST_ADDED


def with_added(added: Added) -> tuple[Floats, NDArray[np.int64]]:
    """Return the moons' points and classes, and after them the patients added."""
    X, y = moons(MOONS, MOON_SEED)
    places = np.array([each[:2] for each in added]).reshape(-1, 2)
    return np.vstack([X, places]), np.concatenate([y, np.array([each[2] for each in added], dtype=np.int64)])


@lru_cache(maxsize=64)
def _moon_tree(zone: str, routing: str, added: Added = ()) -> UncertainTreeClassifier:
    X, y = with_added(added)
    model = variant(f"Ternary-{zone}", evaluation=routing, max_depth=3, min_weight_leaf=5, random_state=0)
    return model.fit(X, y.tolist())


@lru_cache(maxsize=64)
def two_moons(zone: str, routing: str = "zone", added: Added = ()) -> Moons:
    """Return a tree of the two moons with its decision surface and its figures on new points.

    Parameters
    ----------
    zone : a δ method of `ZONES`. routing : "zone" (every zone blends) or "deferred" (the first zone alone).
    added : patients put among the points by hand, (across, up, class) each, at most 8.
    """
    if zone not in ZONES or routing not in ROUTINGS:
        raise PenumbraError(f"Choose a zone of {', '.join(ZONES)}, and a routing of {', '.join(ROUTINGS)}.")
    if not may_be_added(added):
        raise PenumbraError(f"Put at most {MOST_ADDED} patients, each inside the picture.")
    model = _moon_tree(zone, routing, added)
    (X, y), (new, truth) = with_added(added), moons(NEW_MOONS, MOON_SEED + 1)
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
