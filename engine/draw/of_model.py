"""A fitted model's pictures and rules in one call: what its training patients say is worked out here.

In: a fitted classifier and the patients it was trained on. Out: SVG or DOT text, or rules in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.classifier import UncertainTreeClassifier
from engine.draw.sheet import View, with_theme
from engine.draw.tree_dot import tree_dot
from engine.draw.tree_svg import tree_svg
from engine.evidence import Evidence, evidence
from engine.export import rules_text
from engine.table import Table

Floats = NDArray[np.float64]
WIDTH = 1100.0


def training_evidence(
    model: UncertainTreeClassifier, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Table, Floats, Evidence]:
    """Return the training table, the weight (n, N) of its patients at each node, and what they say at each node.

    Parameters
    ----------
    model : fitted. X, y, sample_weight : the patients it was trained on, as `fit` takes them.
    """
    table, weight = model.training_weights(X, y, sample_weight)
    values, share = np.ascontiguousarray(table.columns.T), weight / table.weight[:, None]
    told = evidence(
        model.tree_, values, table.labels.class_weights, table.weight, share, model.noise_evaluation_
    )  # fmt: skip
    return table, weight, told


def view_of(model: UncertainTreeClassifier, units: Mapping[str, str] | None = None, width: float = WIDTH) -> View:
    """Return the view of a whole tree under the model's decision, nothing folded."""
    return View(
        classes=tuple(model.tree_.classes), leaf_answers=tuple(model.leaf_answers()), decision=model.decision,
        tau=float(model.tau), units=units or {}, width=width,
    )  # fmt: skip


def svg(model: UncertainTreeClassifier, X: Any, y: Any, units: Mapping[str, str] | None = None) -> str:
    """Return the tree as a self-contained SVG picture on light ground: thresholds, blend ranges, leaves, abstentions.

    Parameters
    ----------
    model : fitted. X, y : the patients it was trained on, for histograms and counts. units : {variable: unit}.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from engine import Noise, variant
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = variant("SS+STP", noise=Noise(sigma=0.2), max_depth=2).fit(X, y)
    >>> svg(model, X, y)[:4]
    '<svg'
    """
    told = training_evidence(model, X, y)[-1]
    return with_theme(tree_svg(model.tree_, told, view_of(model, units)), "light")


def dot(model: UncertainTreeClassifier, X: Any, y: Any, units: Mapping[str, str] | None = None) -> str:
    """Return the tree in the DOT language, for the dot program; parameters as for `svg`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from engine import variant
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> dot(variant("C4.5", max_depth=2).fit(X, y), X, y).split()[:2]
    ['digraph', 'tree']
    """
    told = training_evidence(model, X, y)[-1]
    return tree_dot(model.tree_, told, view_of(model, units))


def rules(model: UncertainTreeClassifier, X: Any, y: Any, units: Mapping[str, str] | None = None) -> str:
    """Return the tree as rules in words, thresholds as short as leaves every training patient on its side.

    Parameters as for `svg`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from engine import variant
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> "petal" in rules(variant("C4.5", max_depth=2).fit(X, y), X, y)
    True
    """
    told, view = training_evidence(model, X, y)[-1], view_of(model, units)
    return rules_text(
        model.tree_, view.leaf_answers, view.decision, view.tau, units,
        noise=model.noise_evaluation_, edge_text=told.edge_text,
    )  # fmt: skip
