"""Model facts as plain data: whole repeats alone, calibration bins by hand, labels, the fingerprint.

In: small studies put together here. Out: figures worked by hand.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from engine import PenumbraError, variant
from engine.metrics import rate_interval
from engine.model_facts import fingerprint, label_counts, missing_counts, validation
from engine.study import cross_validate


@pytest.fixture(scope="module")
def study():
    random = np.random.default_rng(3)
    x = random.normal(0, 1, 80)
    y = np.where(x + random.normal(0, 1, 80) > 0.4, "ill", "well").astype(object)
    y[:4] = None
    model = variant("TWDT", tau=0.8, max_depth=2, min_weight_leaf=5)
    return cross_validate(pd.DataFrame({"x": x}), y, {"m": model}, folds=5, repeats=3)


def test_a_repeat_cut_short_is_left_out(study):
    cut = replace(study, results=study.results[:12])
    found = validation(cut, "m", 5)
    assert (found.repeats, found.folds, found.n) == (2, 5, 76)
    alone = validation(replace(study, results=study.results[:10]), "m", 5)
    assert found.figures == alone.figures
    with pytest.raises(PenumbraError, match="No repeat of the 5 folds is finished"):
        validation(replace(study, results=study.results[:4]), "m", 5)


def test_figures_and_bins_by_hand(study):
    found = validation(study, "m", 5)
    answers, truth, wrong = {}, study.truth, []
    for k in range(3):
        for result in study.results:
            if result.repeat == k:
                answers |= {(k, int(row)): a for row, a in zip(result.rows, result.answers, strict=True)}
    share = np.mean([a is not None for a in answers.values()])
    assert found.figures["answered"].value == pytest.approx(share)
    low, high = found.figures["answered"].interval
    assert low <= share <= high
    p_ill = np.mean([label == "ill" for label in truth if label is not None])
    assert found.base_brier == pytest.approx(2 * p_ill * (1 - p_ill))
    rows = [
        (float(p.max()), study.classes[int(p.argmax())] == truth[int(row)])
        for result in study.results
        if result.repeat == 0
        for row, p in zip(result.rows, result.probability, strict=True)
        if truth[int(row)] is not None
    ]
    assert sum(each.n for each in found.bins) == len(rows) == 76
    for each in found.bins:
        inside = [(p, right) for p, right in rows if each.low + 1e-9 < p <= each.high + 1e-9]
        wrong.append(len(inside) - each.n)
        assert each.mean_probability == pytest.approx(np.mean([p for p, _ in inside]))
        assert each.rate == pytest.approx(np.mean([right for _, right in inside]))
        assert each.interval == rate_interval(sum(right for _, right in inside), each.n)
    assert not any(wrong)


def test_labels_and_missing_values_are_counted():
    labels = label_counts(["a", ("a", "b"), None, float("nan"), frozenset({"b"}), "b"], ["a", "b", "c"])
    assert (labels.one, labels.several, labels.none, labels.n) == (3, 1, 2, 6)
    assert labels.by_class == {"a": 1, "b": 2, "c": 0}
    assert missing_counts(pd.DataFrame({"x": [1.0, None], "y": [1.0, 2.0]})) == {"x": 1, "y": 0}


def test_the_fingerprint_is_the_files_checksum_and_moves_with_the_model():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    one, other = variant("CART").fit(X, y), variant("CART", max_depth=1).fit(X, y)
    assert fingerprint(one.to_json()) == hashlib.sha256(one.to_json().encode()).hexdigest()
    assert fingerprint(one.to_json()) != fingerprint(other.to_json())
    assert fingerprint(one.to_json()) == fingerprint(variant("CART").fit(X, y).to_json())
