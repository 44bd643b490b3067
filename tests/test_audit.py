"""What an independent reading of METHODS found: each test is one sentence of it, worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from engine import PenumbraError, UncertainTreeClassifier


def test_balanced_weights_count_only_patients_with_weight():
    """A weight of 0 leaves a patient out, so balanced classes weigh the same with and without that patient."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    y = np.array(["a", "a", "a", "b", "b", "b"])
    weight = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    kept = weight > 0.0
    with_zero = UncertainTreeClassifier(class_weight="balanced").fit(X, y, sample_weight=weight)
    without = UncertainTreeClassifier(class_weight="balanced").fit(X[kept], y[kept])
    # Five patients, two classes: 5/(2·2) for each of the two a and 5/(2·3) for each of the three b.
    assert with_zero.tree_.to_dict()["class_weight"] == pytest.approx([2.5, 2.5])
    assert with_zero.tree_.to_dict() == without.tree_.to_dict()


def test_more_resamples_than_memory_holds_are_refused():
    """A billion resamples end in a sentence, not in a want of memory."""
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = np.repeat(["a", "b"], 10)
    with pytest.raises(PenumbraError, match="lower n_bootstraps"):
        UncertainTreeClassifier(zone="node_bootstrap", n_bootstraps=10**9).fit(X, y)
