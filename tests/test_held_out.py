"""Cross-validation counts: every patient is left out once, and the counts are those of the trees of the folds.

In: a made-up clinic. Out: failures that name the count.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from engine import Noise, variant
from engine.errors import PenumbraError
from engine.held_out import HeldOut, grow_folds, held_out


@pytest.fixture(scope="module")
def clinic():
    random = np.random.default_rng(4)
    X = pd.DataFrame({"a": random.normal(50, 10, 200), "b": random.choice(["x", "y"], 200)})
    y = np.where(X["a"] + random.normal(0, 6, 200) > 52, "ill", "well").tolist()
    model = variant("SS+STP", noise=Noise(sigma={"a": 3.0}), max_depth=2, min_weight_leaf=10)
    return model, X, y


def test_everyone_is_left_out_once_and_the_counts_are_the_folds_own(clinic):
    model, X, y = clinic
    folds = grow_folds(model, X, y)
    assert sorted(int(row) for fold in folds for row in fold.rows) == list(range(200))
    answers = {int(row): answer for fold in folds for row, answer in zip(
        fold.rows, fold.model.predict(X.iloc[fold.rows]), strict=True)}  # fmt: skip
    right = sum(answers[row] == y[row] for row in range(200))
    assert held_out(folds, X, y, decision="argmax") == HeldOut(200, 200, right)
    careful = held_out(folds, X, y, decision="tau", tau=0.9)
    assert careful.answered < 200
    assert careful.right <= careful.answered
    again = grow_folds(model, X, y)
    assert held_out(again, X, y, decision="argmax").right == right


def test_a_patient_without_one_class_is_grown_on_but_not_counted(clinic):
    model, X, y = clinic
    y = [None if i % 10 == 0 else ("ill", "well") if i % 10 == 1 else label for i, label in enumerate(y)]
    assert held_out(grow_folds(model, X, y), X, y, decision="argmax").n == 160


def test_too_few_patients_are_one_sentence(clinic):
    model, X, y = clinic
    with pytest.raises(PenumbraError, match="too few"):
        grow_folds(model, X.iloc[:4], y[:4])


def test_rare_classes_are_dealt_without_a_warning(clinic):
    model, X, y = clinic
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grow_folds(model, X, ["rare" if i < 2 else label for i, label in enumerate(y)])
