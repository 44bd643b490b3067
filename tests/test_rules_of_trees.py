"""Single rules of growing and weighing, each worked out by hand.

In: small tables. Out: the engine's figures against those, and a sentence for a refusal.
"""

import numpy as np
import pandas as pd
import pytest

from engine import Noise, PenumbraError, UncertainTreeClassifier, kernels


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


def test_a_light_piece_goes_to_the_first_of_two_children_that_rounding_alone_tells_apart():
    """The heaviest child is the first on ties, though the second be heavier by the last digit."""
    pieces = np.array([0.49995, 0.49995 + 1e-16, 0.0001])
    kernels.settle_pieces(pieces, 2.0, 0.001)
    assert pieces == pytest.approx([1.0001, 0.9999, 0.0], abs=1e-12)


def test_a_reading_on_the_cut_between_two_bins_leaves_its_light_pieces_to_the_lower():
    """A reading of 3 stands on the cut between the second and third of bins 0 to 1.5, 3, 4.5 and 6."""
    X = pd.DataFrame({"x": [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    model = UncertainTreeClassifier(
        branching="nary", n_bins=4, propagation="soft", weight_floor=0.01, min_weight_leaf=1, max_depth=1,
        noise=Noise(sigma=[0.6]),
    ).fit(X, list("aaabbbab"))  # fmt: skip
    _, weight = model.training_weights(X, list("aaabbbab"))
    outer = 0.0062096653  # of a normal beyond 1.5/0.6 = 2.5 standard deviations, under the floor on either side
    assert weight[4, 1:] == pytest.approx([0.0, 0.5 + outer, 0.5 - outer, 0.0], abs=1e-9)
