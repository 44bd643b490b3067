"""How trees grown the same way do on patients they have not seen, by cross-validation.

In: a classifier and its training patients. Out: the trees of the folds, and counts under any decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from engine.classifier import UncertainTreeClassifier
from engine.errors import PenumbraError
from engine.folds import stratified_folds

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """A tree and the rows of the patients who took no part in growing it."""

    model: UncertainTreeClassifier
    rows: NDArray[np.int64]


@dataclass(frozen=True)
class HeldOut:
    """Of `n` left-out patients with one known class: how many were answered, and how many of those rightly."""

    n: int
    answered: int
    right: int


def grow_folds(
    model: UncertainTreeClassifier, X: pd.DataFrame, y: Sequence[Any], folds: int = FOLDS, seed: int = 0
) -> tuple[Fold, ...]:
    """Return one tree a fold, grown on the other folds with the model's own settings and noise.

    Parameters
    ----------
    X : (n, M) patients. y : (n,) labels; None or several classes are dealt over the folds like a class of their own.

    Raises
    ------
    PenumbraError
        With fewer patients than folds, or when the patients of some folds cannot grow a tree.
    """
    if len(y) < folds:
        raise PenumbraError(f"{len(y)} patients are too few for {folds} folds; {folds} or more are needed.")
    kinds = np.unique([str(label) for label in y], return_inverse=True)[1]
    fold_of, grown = stratified_folds(kinds, folds, seed), []
    for fold in range(folds):
        rest, rows = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        grown.append(Fold(clone(model).fit(X.iloc[rest], [y[int(i)] for i in rest]), rows))
    return tuple(grown)


def held_out(folds: Sequence[Fold], X: pd.DataFrame, y: Sequence[Any], **reading: Any) -> HeldOut:
    """Return the counts over all folds; an answer of several classes is right when the true one is among them.

    Parameters
    ----------
    reading : `evaluation`, `decision` and `tau` to read the trees with; nothing is grown again.
    """
    n = answered = right = 0
    for fold in folds:
        answers = fold.model.with_decision(**reading).decide(X.iloc[fold.rows])
        for row, answer in zip(fold.rows, answers, strict=True):
            label = y[row]
            if label is None or isinstance(label, (tuple, list, set, frozenset)):
                continue
            n += 1
            answered += answer is not None
            right += label in answer if isinstance(answer, frozenset) else answer is not None and answer == label
    return HeldOut(n, answered, right)
