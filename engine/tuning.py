"""Numbers chosen by cross-validation: the pruning confidence for a size of tree, the factor on the noise.

In: training data, and for the noise an unfitted model or a variant's name. Out: the chosen number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from engine.classifier import UncertainTreeClassifier, variant
from engine.errors import PenumbraError
from engine.folds import stratified_folds
from engine.labels import flat_labels, read_labels
from engine.metrics import single_class
from engine.noise import Noise
from engine.prune import Pruning, prune_pessimistically, subtree_copy
from engine.schema import as_frame, read_schema
from engine.table import Table
from engine.tree import Node, Tree
from engine.weights import read_weights

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
FOLDS = 10
SMALLER_TARGETS = (10, 5)  # METHODS §5: where the target is out of reach
NOISE_GRID = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # METHODS §10
GRID_ENDS, GRID_SIZE, HALVINGS = (1e-6, 0.995), 25, 9


# Folds


@dataclass(frozen=True)
class Data:
    """Training data that can be cut into folds: X, n labels, n weights, each label set's code.

    Nominal columns are categorical with the categories of all patients, so that no fold meets an unknown one.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    weight: Floats
    code: NDArray[np.int32]

    def part(self, rows: Rows) -> tuple[pd.DataFrame, NDArray[Any], Floats]:
        """Return X, labels and weights of some patients."""
        return self.X.iloc[rows], self.y[rows], self.weight[rows]

    def folds(self, n_folds: int, random_state: Any) -> Iterator[tuple[Rows, Rows]]:
        """Yield (training rows, test rows), each label spread evenly over the folds by a seeded shuffle."""
        fold = stratified_folds(self.code, n_folds, random_state)
        for k in range(int(fold.max()) + 1):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def read_data(X: Any, y: Any, nominal: Sequence[Any] | None, sample_weight: Any) -> Data:
    """Return checked training data; refuse what the classifier would."""
    schema = read_schema(X, nominal)
    frame = as_frame(X).copy()
    for name, categories in zip(schema.names, schema.categories, strict=True):
        if categories is not None:
            frame[name] = pd.Categorical(frame[name].astype(object), categories=list(categories))
    labels = np.empty(len(frame), dtype=object)
    labels[:] = list(flat_labels(y))
    return Data(frame, labels, read_weights(sample_weight, len(frame)), read_labels(labels, len(frame)).code)


# Pruning confidence


def confidence_for_leaves(
    X: Any,
    y: Any,
    target: float = 15,
    *,
    nominal: Sequence[Any] | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> float:
    """Return the pruning confidence with which C4.5 has about `target` leaves. [S], METHODS §5

    The mean number of leaves of the trees grown on ten seeded, stratified training parts is brought nearest the
    target. Where no confidence reaches it, 10 leaves are aimed at, and where these are out of reach, 5.

    Parameters
    ----------
    X : DataFrame or array (n, M). y : n labels, as `fit` takes them. target : leaves wanted, above 1.
    nominal, sample_weight : as the classifier takes them. random_state : the seed of the folds.

    Returns
    -------
    c, between 0 and 1. Of several that come equally near, the middle one of those tried, away from where the tree
    changes.

    Raises
    ------
    PenumbraError
        For a target of 1 or less, or data that cannot be fitted.

    Notes
    -----
    The count mostly rises with c, but not always: another c may come nearer by a fraction of a leaf. A target is out of
    reach where the largest trees fall short of it by over half a leaf. Trees are grown once a fold; nominal variables
    have the categories of all patients, and empty leaves count.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> c = confidence_for_leaves(X, y, target=4)
    >>> variant("C4.5", confidence=c).fit(X, y).n_leaves_
    4
    """
    if isinstance(target, (bool, str)) or not hasattr(target, "__float__") or not 1.0 < float(target) < math.inf:
        raise PenumbraError(f"target is {target!r}; give a number of leaves above 1.")
    data = read_data(X, y, nominal, sample_weight)
    trees = [Prunable.grown(data, rows) for rows, _ in data.folds(FOLDS, random_state)]
    counted: dict[float, float] = {}

    def leaves(confidence: float) -> float:
        if confidence not in counted:
            counted[confidence] = float(np.mean([tree.leaves_at(confidence) for tree in trees]))
        return counted[confidence]

    ends = [log_odds(c) for c in GRID_ENDS]
    grid = [from_log_odds(float(z)) for z in np.linspace(ends[0], ends[1], GRID_SIZE)]
    wanted = reachable_target(float(target), max(map(leaves, grid)))
    approach(leaves, grid, wanted)
    return nearest_confidence(counted, wanted)


def reachable_target(target: float, most: float) -> float:
    """Return the target, or 10 or 5 where trees of `most` leaves on average fall short of it by over half a leaf."""
    targets = [target, *(t for t in SMALLER_TARGETS if t < target)]
    return float(next((t for t in targets if t <= most + 0.5), targets[-1]))


def log_odds(c: float) -> float:
    """Return log(c/(1 - c)), in which small confidences stand as far apart as large ones."""
    return math.log(c / (1.0 - c))


def from_log_odds(z: float) -> float:
    """Return the confidence with these log odds."""
    return 1.0 / (1.0 + math.exp(-z))


def approach(leaves: Callable[[float], float], grid: Sequence[float], wanted: float) -> None:
    """Count leaves closer and closer to each place of the grid where the count crosses what is wanted.

    The count mostly rises with the confidence, but not always, so every crossing is followed.
    """
    for low, high in itertools.pairwise(grid):
        if (leaves(low) < wanted) == (leaves(high) < wanted):
            continue
        low_side = leaves(low) < wanted
        for _ in range(HALVINGS):
            middle = from_log_odds((log_odds(low) + log_odds(high)) / 2.0)
            low, high = (middle, high) if (leaves(middle) < wanted) == low_side else (low, middle)


def nearest_confidence(counted: Mapping[float, float], wanted: float) -> float:
    """Return the confidence whose count is nearest; of several the (lower) middle one."""
    distance = {c: abs(n - wanted) for c, n in counted.items()}
    least = min(distance.values())
    equal = sorted(c for c, d in distance.items() if d <= least + 1e-9)
    return equal[(len(equal) - 1) // 2]


@dataclass(frozen=True)
class Prunable:
    """A tree of C4.5 grown once, to be pruned again and again, with what pruning reads."""

    root: Node
    model: UncertainTreeClassifier
    table: Table

    @classmethod
    def grown(cls, data: Data, rows: Rows) -> Prunable:
        """Return the unpruned tree of some patients."""
        X, y, weight = data.part(rows)
        model = variant("C4.5", pruning="none").fit(X, y, sample_weight=weight)
        return cls(thawed(model.tree_), model, model.training_weights(X, y, weight)[0])

    def leaves_at(self, confidence: float) -> int:
        """Return how many leaves are left after pruning a copy."""
        recipe, root = self.model.recipe_, subtree_copy(self.root)
        prune_pessimistically(
            root,
            Pruning(
                table=self.table,
                propagation=recipe.propagation,
                noise=self.model.noise_propagation_,
                weight_floor=recipe.weight_floor,
                confidence=confidence,
                pruning_laplace=recipe.pruning_laplace,
            ),
        )
        return count_leaves(root)


def thawed(tree: Tree) -> Node:
    """Return a finished tree as the nodes that pruning works on."""
    nodes = [
        Node(
            class_weight=tree.class_weight[k].copy(),
            weight=float(tree.weight[k]),
            weight_squared=float(tree.weight_squared[k]),
            depth=int(tree.depth[k]),
            probability=tree.probability[k].copy(),
            variable=int(tree.variable[k]),
            gate=int(tree.gate[k]),
            threshold=float(tree.threshold[k]),
            closed_le=bool(tree.closed_le[k]),
            delta=float(tree.delta[k]),
            gain=float(tree.gain[k]),
            box=(float(tree.box_low[k]), float(tree.box_high[k])),
            share=np.array([tree.share[child] for child in tree.children(k)]),
        )
        for k in range(tree.n_nodes)
    ]
    for k, node in enumerate(nodes):
        node.children = [nodes[child] for child in tree.children(k)]
    return nodes[0]


def count_leaves(root: Node) -> int:
    """Return the number of leaves, empty ones included."""
    count, stack = 0, [root]
    while stack:
        node = stack.pop()
        count += not node.children
        stack.extend(node.children)
    return count


# Noise


def noise_factor(
    X: Any,
    y: Any,
    model: UncertainTreeClassifier | str,
    grid: Sequence[float] = NOISE_GRID,
    folds: int = FOLDS,
    random_state: Any = 0,
    *,
    nominal: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    """Return the noise factor u with the best cross-validated accuracy, the smaller on ties. [S], METHODS §10

    Parameters
    ----------
    X : DataFrame or array (n, M). y : n labels, as `fit` takes them.
    model : an unfitted classifier, or a variant's name. Where it states no noise, σ of each numeric variable is u times
        the absolute mean of the training part; where it does, u multiplies u_s, u_p and u_e, and with them its σ.
    grid : the factors tried, 0 or more. folds : parts of the cross-validation. random_state : the seed of the folds.
    nominal, sample_weight : as the classifier takes them; weights count in the accuracy too.

    Raises
    ------
    PenumbraError
        For an empty grid, a negative factor, under 2 folds, or data that cannot be fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> noise_factor(X, y, "SE", grid=(0.0, 0.5))
    0.0
    """
    found = accuracy_by_noise(X, y, model, grid, folds, random_state, nominal=nominal, sample_weight=sample_weight)
    best = max(found.values())
    return min(u for u, accuracy in found.items() if accuracy >= best - 1e-12)


def accuracy_by_noise(
    X: Any,
    y: Any,
    model: UncertainTreeClassifier | str,
    grid: Sequence[float] = NOISE_GRID,
    folds: int = FOLDS,
    random_state: Any = 0,
    *,
    nominal: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> dict[float, float]:
    """Return {u: accuracy}, right predictions pooled over the splits; the folds are the same for every u.

    Patients whose label is not one class are trained on and not counted. Parameters and errors as `noise_factor`.
    """
    factors = checked_grid(grid)
    base = variant(model) if isinstance(model, str) else model
    data = read_data(X, y, base.nominal if nominal is None else nominal, sample_weight)
    right, total = dict.fromkeys(factors, 0.0), 0.0
    for rows, others in data.folds(folds, random_state):
        asked, truth, weight = data.part(others)
        precise = np.array([single_class(t) is not None for t in truth])
        total += float(weight[precise].sum())
        for u in factors:
            X_part, y_part, weight_part = data.part(rows)
            said = with_noise(base, u).fit(X_part, y_part, sample_weight=weight_part).predict(asked)
            hits = np.array([single_class(t) == a for t, a in zip(truth, said, strict=True)])
            right[u] += float(weight[precise & hits].sum())
    if total <= 0.0:
        raise PenumbraError("No patient with weight has a label of one class; accuracy cannot be measured.")
    return {u: value / total for u, value in right.items()}


def checked_grid(grid: Sequence[float]) -> list[float]:
    """Return the factors in rising order, each once; refuse none at all, and what is no factor."""
    factors = sorted({float(u) for u in grid})
    if not factors or not all(0.0 <= u < math.inf for u in factors):
        raise PenumbraError("grid holds no factor, or one that is negative or no number; give numbers, 0 or more.")
    return factors


def with_noise(model: UncertainTreeClassifier, u: float) -> UncertainTreeClassifier:
    """Return an unfitted copy of the model under the noise factor `u`."""
    copy: UncertainTreeClassifier = clone(model)
    stated = (copy.noise, copy.noise_search, copy.noise_propagation, copy.noise_evaluation)
    if all(noise is None for noise in stated):
        copy.set_params(noise=Noise.of_mean(u))
    else:
        copy.set_params(u_s=copy.u_s * u, u_p=copy.u_p * u, u_e=copy.u_e * u)
    copy.set_params(nominal=None)  # the columns say it themselves, see `Data`
    return copy
