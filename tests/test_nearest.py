"""The smallest change that alters the answer shown, against scanning; the own-rule share, against draws.

In: small made-up tables and every way to read a tree. Out: changes that hold, and none smaller that does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine import Noise, UncertainTreeClassifier

COST = [[0, 4], [1, 0]]
WAYS = [
    {"evaluation": "soft", "decision": "tau", "tau": 0.7},
    {"evaluation": "soft", "decision": "argmax"},
    {"evaluation": "coherent", "decision": "tau", "tau": 0.75},
    {"evaluation": "coherent", "decision": "cost", "cost": COST, "abstain_cost": 0.6},
    {"evaluation": "soft", "decision": "set", "tau": 0.8},
    {"evaluation": "zone", "zone": "margin", "criterion": "gini", "decision": "tau", "tau": 0.7},
    {"evaluation": "zone", "zone": "gain_ratio", "criterion": "gini", "decision": "tau", "tau": 0.7},
    {"evaluation": "zone", "zone": "quinlan", "decision": "tau", "tau": 0.7, "threshold": "observed"},
    {"evaluation": "deferred", "zone": "gain_ratio", "criterion": "gini", "decision": "tau", "tau": 0.7},
    {"evaluation": "soft", "branching": "middle", "zone": "gain_ratio", "decision": "tau", "tau": 0.7},
    {"evaluation": "coherent", "branching": "nary", "n_bins": 5, "decision": "tau", "tau": 0.7},
    {"evaluation": "soft", "leaf": "naive_bayes", "decision": "tau", "tau": 0.8},
]
NOISES = {
    "normal": Noise(sigma={"a": 2.0, "b": 1.0}),
    "proportional": Noise(sigma={"a": 0.5}, cv={"a": 0.06, "b": 0.1}),
    "uniform": Noise(sigma={"a": 2.0, "b": 1.0}, shape="uniform"),
    "laplace, misrecorded": Noise(sigma={"a": 2.0}, misrecord={"c": 0.1}, shape={"a": "laplace"}),
}


def patients(n=240, seed=3):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": np.round(random.normal(50, 10, n)),
            "b": np.round(random.normal(20, 4, n), 1),
            "c": pd.Categorical(random.choice(["u", "v", "w"], n)),
        }
    )
    ill = (X.a + 2 * (X.b - 20) + 8 * (X.c == "u") + random.normal(0, 6, n) > 52) ^ (X.a < 38)
    return X, np.where(ill, "yes", "no")


def fitted(way, noise):
    X, y = patients()
    model = UncertainTreeClassifier(max_depth=3, min_weight_leaf=12, noise=noise, **way)
    return model.fit(X, y), X


def moved(row, name, values):
    """Return the row (a one-row frame) with a variable at each value."""
    frame = row.loc[row.index.repeat(len(values))].reset_index(drop=True)
    frame[name] = values
    return frame


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(str(v) for v in way.values() if not isinstance(v, list)))
def test_the_shown_answer_turns_at_the_nearest_change_and_not_before(way, noise):
    model, X = fitted(way, NOISES[noise])
    turned = 0
    for i in range(0, 240, 29):
        row = X.iloc[[i]]
        case = model.case(row)
        assert case.answer == model.decide(row)[0]
        for name in ("a", "b"):
            x, change = float(row[name].iloc[0]), case.nearest_shown_change[name]
            far = 60.0 if change is None else abs(change) * (1 - 1e-9)
            steps = np.linspace(0.0, far, 700)
            for sign in (-1.0, 1.0):
                said = model.decide(moved(row, name, x + sign * steps))
                assert all(answer == case.answer for answer in said), (i, name, change)
            if change is not None:
                turned += 1
                after = model.decide(moved(row, name, [x + change]))[0]
                assert after == case.nearest_shown_answer[name] != case.answer
        kinds = ["u", "v", "w"]
        said = [model.decide(moved(row, "c", pd.Categorical([kind], kinds)))[0] for kind in kinds]
        others = [kind for kind, answer in zip(kinds, said, strict=True) if answer != case.answer]
        assert case.nearest_shown_category.get("c") == (others[0] if others else None)
    assert turned > 3


@pytest.mark.parametrize("evaluation", ["hard", "soft", "coherent"])
def test_by_hard_gates_or_without_noise_it_is_the_hard_trees(evaluation):
    noise = NOISES["normal"] if evaluation == "hard" else None
    model, X = fitted({"evaluation": evaluation, "decision": "tau", "tau": 0.8}, noise)
    for i in range(0, 240, 23):
        case = model.case(X.iloc[[i]])
        assert case.nearest_shown_change == case.nearest_change
        assert case.nearest_shown_answer == case.nearest_answer
        assert case.nearest_shown_category == case.nearest_category
        assert case.stability_as_read == (None if evaluation == "hard" else 1.0)


@pytest.mark.parametrize("way", WAYS[:7:2], ids=lambda way: "-".join(map(str, way.values())))
def test_the_share_answered_as_shown_against_draws(way):
    model, X = fitted(way, NOISES["normal"])
    random = np.random.default_rng(8)
    for i in range(0, 240, 60):
        row = X.iloc[[i]]
        case = model.case(row)
        drawn = row.loc[row.index.repeat(4000)].reset_index(drop=True)
        drawn["a"] += random.normal(0, 2.0, 4000)
        drawn["b"] += random.normal(0, 1.0, 4000)
        share = np.mean([answer == case.answer for answer in model.decide(drawn)])
        assert case.stability_as_read == pytest.approx(share, abs=0.04)
        assert model.case(row).stability_as_read == case.stability_as_read


def test_a_missing_reading_has_no_change_and_the_others_are_told_beside_it():
    model, X = fitted(WAYS[0], NOISES["normal"])
    row = X.iloc[[5]].copy()
    row["a"] = np.nan
    case = model.case(row)
    assert case.nearest_shown_change["a"] is None
    change = case.nearest_shown_change["b"]
    if change is not None:
        assert model.decide(moved(row, "b", [float(row.b.iloc[0]) + change]))[0] != case.answer


@pytest.mark.parametrize("x", [-1000.0, 1000.0, -1e9, 0.1])
def test_a_change_far_larger_than_the_threshold_still_turns_the_answer_when_added(x):
    model = UncertainTreeClassifier(min_weight_leaf=1).fit(pd.DataFrame({"a": [7.0, 7.0, 9.1, 9.1]}), list("nnyy"))
    case = model.case([x])
    assert model.decide([[x + case.nearest_change["a"]]])[0] == case.nearest_answer["a"] != case.answer


def scanned(model, x, far):
    """Return the smallest distance up to `far` at which the answer turns, on a fine grid either way."""
    away = np.linspace(0.0, far, 40_001)
    turned = np.concatenate([model.decide((x + sign * away)[:, None]) != model.decide([[x]])[0] for sign in (-1, 1)])
    return float(np.tile(away, 2)[turned].min())


@pytest.mark.parametrize("shape", ["laplace", "logistic"])
@pytest.mark.parametrize("x", [-4.0, 1.0])
def test_a_heavy_tail_is_followed_until_it_no_longer_moves_the_answer(shape, x):
    # Only one leaf is sure: τ = 1 is reached where the error's tail falls below a decision's slack, many σ away.
    X, y = pd.DataFrame({"a": [0.0, 0.0, 0.0, 4.0, 4.0, 4.0]}), list("nnynnn")
    model = UncertainTreeClassifier(
        evaluation="soft", decision="tau", tau=1.0, noise=Noise(sigma=0.25, shape=shape), min_weight_leaf=3
    ).fit(X, y)
    change = model.case([x]).nearest_shown_change["a"]
    assert change == pytest.approx(scanned(model, x, 15.0), abs=1e-3)


@pytest.mark.parametrize("x", [-2.0, -1.0, 2.0])
def test_a_proportional_error_reaches_over_zero(x):
    # At a reading far below zero a σ of a fifth of it lets the true value lie beyond a threshold above zero.
    X, y = pd.DataFrame({"a": [-0.5, 0.4, 0.4, 0.8, 0.8, 0.9]}), list("nnnnyy")
    model = UncertainTreeClassifier(
        evaluation="soft", decision="tau", tau=1.0, noise=Noise(cv=0.2), min_weight_leaf=3
    ).fit(X, y)
    assert len(set(model.decide([[-0.3], [-9.0]]))) == 2
    change = model.case([x]).nearest_shown_change["a"]
    assert change is not None
    assert abs(change) == pytest.approx(scanned(model, x, 3.0), abs=1e-4)


@pytest.mark.parametrize("shape", ["normal", "logistic"])
def test_a_threshold_at_zero_with_a_proportional_error_alone_has_a_nearest_change(shape):
    X, y = pd.DataFrame({"a": [-3.0, -3.0, -3.0, 3.0, 3.0, 3.0]}), list("nnnyyy")
    noise = Noise(cv=0.3, shape=shape)
    model = UncertainTreeClassifier(evaluation="soft", decision="tau", tau=0.7, noise=noise, min_weight_leaf=3)
    case = model.fit(X, y).case([-2.0])
    assert case.nearest_shown_change["a"] == pytest.approx(2.0)
    assert case.nearest_shown_answer["a"] in ("y", None)
