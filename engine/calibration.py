"""Zones calibrated by cross-validation: one factor on every δ, so that as many patients are undecided as wanted.

In: a fitted model, training data and a target rate. Out: the factor, and the model that uses it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from engine.classifier import UncertainTreeClassifier
from engine.errors import PenumbraError
from engine.fitting import fit_tree
from engine.gates import divide, tree_node_splits
from engine.metrics import bayes_error_bound, code_of
from engine.noise import ResolvedNoise
from engine.recipe import seed_of
from engine.table import LabelSets, Table
from engine.tree import BINARY, Tree

Floats = NDArray[np.float64]
N_FOLDS = 5
JUST_ABOVE = 1e-9  # how far a factor is put beyond one at which the rate changes
ON_EDGE = 1e-12  # of |θ| + δ: so near an edge counts as on it, METHODS §7


def undecided_beyond(tree: Tree, values: Floats) -> Floats:
    """Return the factor on every δ beyond which each patient (n,) is undecided, inf = never. METHODS §7

    Parameters
    ----------
    tree : of binary splits, its δ at factor 1. values : (n, M) encoded values, NaN = missing.
    """
    beyond = np.full(len(values), np.inf)
    exact, columns = ResolvedNoise.none(len(tree.variables)), np.ascontiguousarray(values.T)
    stack = [(0, np.arange(len(values), dtype=np.int32))]
    while stack:
        node, rows = stack.pop()
        if tree.is_leaf(node) or len(rows) == 0:
            continue
        x = columns[tree.variable[node]]
        theta, delta = float(tree.threshold[node]), float(tree.delta[node])
        if delta > 0.0:
            met = (np.abs(x[rows] - theta) + ON_EDGE * abs(theta)) / delta
            beyond[rows] = np.minimum(beyond[rows], np.where(np.isnan(met), 0.0, met))
        one = np.ones(len(rows))
        pieces = divide(tree_node_splits(tree, node), rows, one, one, x, "hard", exact, 0.0, refit=False)
        stack.extend((child, rows[part > 0.0]) for child, part in zip(tree.children(node), pieces.T, strict=True))
    return beyond


def nearest_factor(beyond: Floats, target: float) -> tuple[float, float]:
    """Return the factor whose undecided rate is nearest `target`, the smallest on ties, and that rate.

    The rate is a step function, so it is tried at 0 and just above every factor at which it changes: exact, with no
    grid. Just above, since on the very factor some patients lie on an edge, decided left of the threshold and
    undecided right of it: a rate that the next rounding would change.
    """
    met = np.sort(beyond[np.isfinite(beyond)])
    hair = JUST_ABOVE * (1.0 + met)
    apart_from_next = np.diff(met, append=np.inf) > 2.0 * hair  # nearer ones differ by rounding alone
    factors = np.append(0.0, (met + hair)[apart_from_next])
    rates = np.append(0.0, np.flatnonzero(apart_from_next) + 1.0) / len(beyond)
    apart = np.abs(rates - target)
    best = int(np.flatnonzero(apart <= apart.min() + 1e-12)[0])
    return float(factors[best]), float(rates[best])


def folds(table: Table, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield training and held-out patients of 5 folds, stratified by label (an imprecise one by its set)."""
    most = int(np.bincount(table.labels.code).max())
    if most < N_FOLDS:
        raise PenumbraError(
            f"Zones are calibrated over {N_FOLDS} folds, but no class has that many patients; give more patients."
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        yield from StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(
            np.zeros((table.n, 1)), table.labels.code
        )


def out_of_fold(model: UncertainTreeClassifier, table: Table) -> Floats:
    """Return the factor beyond which each patient (n,) is undecided on the tree grown without its fold."""
    recipe, beyond = model.recipe_, np.empty(table.n)
    noises = (model.noise_search_, model.noise_propagation_, model.noise_evaluation_)
    for train, held in folds(table, seed_of(recipe.random_state)):
        labels = LabelSets(table.labels.classes, table.labels.code[train], table.labels.member)
        part = Table(
            table.schema, np.ascontiguousarray(table.columns[:, train]), labels, table.weight[train], table.n_bins
        )
        tree, _ = fit_tree(part, recipe, *noises)
        beyond[held] = undecided_beyond(tree, np.ascontiguousarray(table.columns[:, held].T))
    return beyond


def check_calibration(model: UncertainTreeClassifier, target: Any) -> None:
    """Refuse a model without a δ to scale, or a target that is no rate. METHODS §7"""
    recipe = model.recipe_
    if recipe.branching == "middle":
        raise PenumbraError(
            "calibrate_zones does not combine with branching 'middle': the middle children were grown on the zones as "
            "they are; choose branching binary."
        )
    if recipe.zone in ("none", "quinlan"):
        why = "there is no zone" if recipe.zone == "none" else "its edges are found one by one and have no half-width δ"
        raise PenumbraError(f"calibrate_zones does not combine with zone {recipe.zone!r}: {why}; choose another zone.")
    if target == "bayes":
        return
    if isinstance(target, (str, bool)) or not hasattr(target, "__float__") or not 0.0 <= float(target) <= 1.0:
        raise PenumbraError(f"target is {target!r}; give a rate from 0 to 1, or 'bayes' for the Bayes error's bound.")


def scaled_zones(tree: Tree, factor: float) -> Tree:
    """Return the tree with every δ times `factor`, not clamped again."""
    delta = np.where(tree.gate == BINARY, tree.delta * factor, tree.delta)
    return replace(tree, delta=delta, low=tree.threshold - delta, high=tree.threshold + delta)


def calibrate_zones(
    model: UncertainTreeClassifier, X: Any, y: Any, target: Any, sample_weight: Any = None
) -> UncertainTreeClassifier:
    """Put one factor on every δ of a fitted model, so that the undecided rate comes nearest a target. METHODS §7 (+)

    Parameters
    ----------
    model : fitted, of binary splits with a zone that has a δ. Its `tree_` is replaced by one with the scaled zones;
        splits, leaves and probabilities stay. Another call starts from the zones of the fit again.
    X, y : training patients and labels. sample_weight : (n,), as in the fit.
    target : the part of patients to be left undecided, from 0 to 1, or "bayes": the Cover–Hart lower bound on the
        Bayes error, from the leave-one-out error of the nearest neighbour on standardised variables.

    Returns
    -------
    The model itself, with `zone_factor_`, `zone_rate_` (the out-of-fold rate reached) and `zone_target_`.

    Raises
    ------
    PenumbraError
        For middle branching, zone none or quinlan, a target that is no rate, too few patients, or columns and classes
        that the model was not fitted on.

    Notes
    -----
    The rate is counted on patients held out of 5 stratified folds (seeded by random_state), each read by a tree of
    the same recipe grown without them. It is a step function of the factor; ties go to the smaller one.
    """
    check_is_fitted(model)
    check_calibration(model, target)
    table = model._training_table(X, y, sample_weight, model.recipe_, model.schema_)
    for name in table.labels.classes:
        code_of(name, list(model.classes_), "y")
    rate = bayes_error_bound(X, y, model.nominal) if target == "bayes" else float(target)
    if rate is None or not math.isfinite(rate):
        raise PenumbraError("No patient has a neighbour to tell the Bayes error from; give a rate as the target.")
    fitted = fitted_zones(model)
    factor, reached = nearest_factor(out_of_fold(model, table), rate)
    model.tree_, model._uncalibrated_tree = scaled_zones(fitted, factor), fitted
    model.zone_factor_, model.zone_rate_, model.zone_target_ = factor, reached, rate
    return model


def fitted_zones(model: UncertainTreeClassifier) -> Tree:
    """Return the model's tree with the zones of its fit, undoing an earlier calibration."""
    kept: Tree | None = getattr(model, "_uncalibrated_tree", None)
    if kept is not None:
        return kept
    factor = getattr(model, "zone_factor_", 1.0)  # a model read from a file
    if factor == 0.0:
        raise PenumbraError("The zones of this model have been calibrated to nothing; fit it again to calibrate them.")
    return scaled_zones(model.tree_, 1.0 / factor)
