"""Pictures and rules of a fitted model in one call: the same as from the parts, on every kind of tree.

In: made-up patients and all named variants. Out: failures where a picture is not the one that its parts give.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine import VARIANTS, Noise, variant
from engine.draw.of_model import dot, rules, svg, training_evidence


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(3)
    glucose = rng.normal(110.0, 25.0, 150)
    ward = pd.Categorical(rng.choice(["a", "b"], 150))
    y = np.where(glucose + rng.normal(0.0, 9.0, 150) > 112.0, "ill", "well")
    return pd.DataFrame({"glucose": glucose, "ward": ward}), y


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_every_variant_is_drawn_and_told(patients, name):
    X, y = patients
    noise = {} if name == "UDT" else {"noise": Noise(sigma={"glucose": 6.0})}
    model = variant(name, max_depth=2, **noise).fit(X, y)
    table, weight, told = training_evidence(model, X, y)
    assert weight[:, model.tree_.leaves].sum() == pytest.approx(table.weight.sum())
    assert int(told.count[0]) == 150
    picture, graph, words = svg(model, X, y, {"glucose": "mg/dL"}), dot(model, X, y), rules(model, X, y)
    assert picture.count('role="button"') == model.tree_.n_nodes
    assert graph.startswith("digraph")
    for text in (picture, graph, words):
        assert (("glucose" in text) or ("ward" in text)) == (model.tree_.n_nodes > 1)
