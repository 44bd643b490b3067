"""Other patients on a tree: counts beside a naive walk, shares beside plain sums, sentences about their file.

In: fitted trees and made-up files. Out: failures that name the number or the sentence.
"""

from __future__ import annotations

import math

import naive
import numpy as np
import pandas as pd
import pytest

from engine import Noise, PenumbraError, variant
from engine.evidence import evidence
from engine.other_patients import answered_right, lay_over
from engine.other_table import read_other_table

RECIPES = {
    "soft": {"search": "soft", "propagation": "soft"},
    "hard": {},
    "zone": {"zone": "noise"},
    "middle": {"branching": "middle", "zone": "margin"},
}


def table(n, seed, missing=0.08):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "glucose": np.round(rng.normal(120, 25, n), 1),
            "bmi": np.round(rng.normal(30, 5, n), 1),
            "smoker": rng.choice(["yes", "no", "never"], n),
        }
    )
    risk = frame["glucose"] + 2 * frame["bmi"] + 12 * (frame["smoker"] == "yes") + rng.normal(0, 15, n)
    labels = np.where(risk > 186, "sick", "well").tolist()
    frame.loc[rng.random(n) < missing, "glucose"] = np.nan
    return frame, labels


def grown(**settings):
    X, y = table(300, 1)
    noise = Noise(sigma={"glucose": 6.0, "bmi": 1.0})
    base = {"max_depth": 4, "min_weight_leaf": 8, "pruning": "none", "weight_floor": 0.01}
    return variant("CART", noise=noise, **base | settings).fit(X, y), X, y


def laid(model, X, y, **more):
    recipe = model.recipe_
    return lay_over(
        model.tree_, model.encode(X), y, recipe.propagation, model.noise_propagation_, recipe.weight_floor,
        model.noise_evaluation_, **more,
    )  # fmt: skip


def walked(tree, row, kind, noise, floor):
    """One patient's weight at every node, by recursion over plain gates."""
    weight = [0.0] * tree.n_nodes

    def visit(node, here):
        weight[node] = here
        if tree.is_leaf(node):
            return
        below = list(tree.children(node))
        nominal = math.isnan(tree.threshold[node])
        told = {
            "index": int(tree.variable[node]),
            "threshold": None if nominal else float(tree.threshold[node]),
            "closed": "le" if tree.closed_le[node] else "lt",
            "delta": None if math.isnan(tree.delta[node]) else float(tree.delta[node]),
            "share": [float(tree.share[child]) for child in below],
            "children": below,
        }
        for child, piece in zip(below, naive.divide(here, 1.0, naive.gate(told, row, kind, noise), floor), strict=True):
            if piece > 0:
                visit(child, piece)

    visit(0, 1.0)
    return weight


@pytest.mark.parametrize("name", ["soft", "hard", "zone"])
def test_counts_at_every_node_are_those_of_a_naive_walk(name):
    model, _, _ = grown(**RECIPES[name])
    X, y = table(90, 7)
    told, tree = laid(model, X, y), model.tree_
    used = model.noise_propagation_
    noise = naive.make_noise(3, used.sigma.tolist(), 0.0, 0.0, "normal")
    kind = model.recipe_.propagation
    rows = [walked(tree, row, kind, noise, 0.01) for row in model.encode(X).tolist()]
    assert told.weight == pytest.approx(np.sum(rows, axis=0), abs=1e-9)
    for k, label in enumerate(tree.classes):
        mine = np.sum([row for row, given in zip(rows, y, strict=True) if given == label], axis=0)
        assert told.class_weight[:, k] == pytest.approx(mine, abs=1e-9)


@pytest.mark.parametrize("name", RECIPES)
def test_the_training_patients_laid_over_their_own_tree_are_its_evidence(name):
    model, X, y = grown(**RECIPES[name])
    told, tree = laid(model, X, y), model.tree_
    table_, weight = model.training_weights(X, y)
    own = evidence(
        tree, np.ascontiguousarray(table_.columns.T), table_.labels.class_weights, table_.weight, weight,
        model.noise_evaluation_,
    )  # fmt: skip
    assert told.weight == pytest.approx(tree.weight, abs=1e-6)
    assert told.class_weight == pytest.approx(tree.class_weight, abs=1e-6)
    assert told.count.tolist() == own.count.tolist()
    for node in np.flatnonzero(tree.n_children > 0):
        if np.isfinite(tree.threshold[node]):
            assert told.split_counts(node) == own.split_counts(node).n
    for leaf, answer in zip(tree.leaves, model.leaf_answers(), strict=True):
        found = told.compare(int(leaf), answer)
        assert found.share == pytest.approx(found.training)
        assert not found.outside


def test_counts_add_up_and_split_in_three_by_the_readings():
    model, _, _ = grown(**RECIPES["soft"])
    X, y = table(77, 9)
    told, tree = laid(model, X, y), model.tree_
    assert told.count[0] == told.n == 77
    for node in np.flatnonzero(tree.n_children > 0):
        assert told.count[list(tree.children(node))].sum() == told.count[node]
        assert sum(told.split_counts(int(node))) == told.count[node]
    band, readings = told.told.band(0), X[tree.variables[tree.variable[0]]]
    left, inside, right, missing = told.split_counts(0)
    assert left == int((readings <= band.low).sum())
    assert inside == int(((readings > band.low) & (readings <= band.high)).sum())
    assert right == int((readings > band.high).sum())
    assert missing == int(readings.isna().sum())


def test_a_leafs_share_is_judged_by_the_range_of_its_training_share():
    model, X, y = grown()
    turned = ["well" if label == "sick" else "sick" for label in y]
    told, tree = laid(model, X, turned), model.tree_
    answers = model.leaf_answers()
    for leaf, answer in zip(map(int, tree.leaves), answers, strict=True):
        k = tree.classes.index(answer)
        found = told.compare(leaf, answer)
        n = tree.weight[leaf] ** 2 / tree.weight_squared[leaf]
        low, high = naive.clopper_pearson(n * tree.class_weight[leaf, k] / tree.weight[leaf], n)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
        assert found.training == pytest.approx(tree.class_weight[leaf, k] / tree.weight[leaf])
        assert found.share == pytest.approx(1 - found.training)
        assert found.outside == (not found.low <= found.share <= found.high)
    assert any(told.compare(int(leaf), a).outside for leaf, a in zip(tree.leaves, answers, strict=True))
    unjudged = laid(model, X, turned, judged=False)
    assert not any(unjudged.compare(int(leaf), a).outside for leaf, a in zip(tree.leaves, answers, strict=True))


def test_an_abstaining_leaf_is_compared_by_its_best_class_and_a_set_by_its_sum():
    model, X, y = grown()
    told, tree = laid(model, X, y), model.tree_
    leaf = int(tree.leaves[0])
    assert told.compare(leaf, None).classes == (int(np.argmax(tree.probability[leaf])),)
    both = told.compare(leaf, frozenset(tree.classes))
    assert both.share == pytest.approx(1.0)
    assert both.classes == (0, 1)


def test_patients_without_a_class_are_counted_and_judge_nothing():
    model, _, _ = grown()
    X, y = table(60, 3)
    told = laid(model, X, [None] * 60)
    assert (told.n, told.labelled) == (60, 0)
    assert told.weight[0] == pytest.approx(60)
    found = told.compare(int(model.tree_.leaves[0]), model.leaf_answers()[0])
    assert math.isnan(found.share)
    assert not found.outside
    half = laid(model, X, [label if i % 2 else None for i, label in enumerate(y)])
    assert half.class_weight[0].sum() == pytest.approx(30)


def test_naive_bayes_leaves_are_not_compared():
    X, y = table(200, 2, missing=0.0)
    model = variant("CITree", max_depth=1, pruning="none").fit(X, y)
    told = laid(model, X, y)
    assert told.compare(int(model.tree_.leaves[0]), "sick") is None
    assert told.weight[model.tree_.leaves].sum() == pytest.approx(200)


def test_right_answers_are_counted_as_a_reader_would():
    answers = ["a", None, "b", frozenset({"a", "b"}), "a", "a"]
    assert answered_right(answers, ["a", "a", "a", "b", None, "a"]) == (5, 5, 4, 3)


# The file


def read(content, asked=("glucose", "bmi", "smoker"), **more):
    model, _, _ = grown()
    return read_other_table(content, "x.csv", model.schema_, asked, "outcome", ("sick", "well"), **more)


GOOD = b"outcome;bmi;smoker;glucose;note\nsick;30,5;yes;150,25;a\nwell;22,1;no;90;b\n;25;never;;c\n"


def test_columns_are_matched_by_name_and_read_as_numbers():
    found = read(GOOD)
    assert list(found.X.columns) == ["glucose", "bmi", "smoker"]
    assert found.X["glucose"].tolist()[:2] == [150.25, 90.0]
    assert math.isnan(found.X["glucose"][2])
    assert found.y == ["sick", "well", None]
    assert [text for text in found.remarks if "without a label" in text] == [
        "1 patient without a label in “outcome”: counted, but no answer is judged by them."
    ]
    model, _, _ = grown()
    assert model.encode(found.X).shape == (3, 3)


def test_an_unknown_category_or_class_is_said_and_left_open():
    found = read(b"outcome,bmi,smoker,glucose\nsick,30,pipe,150\nill,22,no,90\nwell,25,no,80\n")
    assert found.X["smoker"].isna().tolist() == [True, False, False]
    assert found.y == ["sick", None, "well"]
    assert any("1 value of “smoker” is no category met in training" in text for text in found.remarks)
    assert any("none of the tree's classes" in text for text in found.remarks)


def test_a_column_the_tree_asks_must_be_there_and_others_need_not():
    with pytest.raises(PenumbraError, match="no column “glucose”, which the tree asks"):
        read(b"outcome,bmi,smoker\nsick,30,yes\nwell,20,no\n")
    found = read(b"outcome,bmi,smoker\nsick,30,yes\nwell,20,no\n", asked=("bmi",))
    assert found.X["glucose"].isna().all()
    assert any("no column “glucose”; the tree asks for none of it" in text for text in found.remarks)


@pytest.mark.parametrize(
    "content", [b"bmi,smoker,glucose\n30,yes,150\n20,no,90\n", b"outcome,bmi,smoker,glucose\n,30,yes,150\n,20,no,90\n"]
)
def test_a_file_without_labels_is_counted_only(content):
    found = read(content)
    assert found.y == [None, None]
    assert found.X["bmi"].tolist() == [30.0, 20.0]
    assert any("no answer can be judged" in text for text in found.remarks)


def test_patients_are_set_aside_and_zeros_missing_as_in_the_training_file():
    content = b"outcome,bmi,smoker,glucose\nsick,30,yes,0\nwell,20,no,90\n"
    found = read(content, missing={"glucose": ["0"], "elsewhere": ["9"]}, aside=["glucose"])
    assert len(found.X) == 1
    assert found.y == ["well"]
    assert any(text.startswith("1 patient set aside") for text in found.remarks)
    with pytest.raises(PenumbraError, match="lacks one of the measurements"):
        read(b"outcome,bmi,smoker,glucose\nsick,30,yes,\nwell,20,no,\n", aside=["glucose"])


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"bmi,smoker,glucose\n"])
def test_what_is_no_table_is_refused_in_a_sentence(content):
    with pytest.raises(PenumbraError):
        read(content)


LIMITED = b"outcome,bmi,smoker,glucose\nsick,30,yes,150\nwell,22,no,<70\nwell,25,no,80\n"


@pytest.mark.parametrize(
    ("limits", "value", "said"),
    [(None, None, "counted as missing"), ({"glucose": "half", "elsewhere": "limit"}, 35.0, "read as half of it")],
)
def test_values_beyond_a_limit_are_read_as_the_training_files_are_and_said(limits, value, said):
    for content in (LIMITED, LIMITED.replace(b"outcome", b"remark")):
        found = read(content, limits=limits)
        read_as = found.X["glucose"][1]
        assert math.isnan(read_as) if value is None else read_as == value
        assert f"“glucose”: 1 cell says only that the value lies beyond a limit; {said}, as in the training data." in (
            found.remarks
        )


@pytest.mark.parametrize(
    ("glucose", "said"),
    [("inf", "infinite value"), ("1e400", "infinite value"), ("NA", "“NA” counts as missing"), ("high", "no number")],
)
def test_what_becomes_missing_in_a_column_the_tree_asks_is_said(glucose, said):
    content = f"outcome,bmi,smoker,glucose\nsick,30,yes,150\nwell,22,no,{glucose}\nwell,25,no,80\n".encode()
    found = read(content)
    assert math.isnan(found.X["glucose"][1])
    assert any(said in text and "“glucose”" in text for text in found.remarks)


def test_a_column_that_stands_twice_or_could_be_read_in_two_ways_is_said():
    twice = read(b"outcome,bmi,smoker,glucose,glucose\nsick,30,yes,150,9\nwell,22,no,90,8\n")
    assert twice.X["glucose"].tolist() == [150.0, 90.0]
    assert any("“glucose” names more than one column" in text for text in twice.remarks)
    doubtful = read(b'outcome,bmi,smoker,glucose\nsick,30,yes,"1,234"\nwell,22,no,"1,100"\n')
    assert any("could mean thousands or decimals; they are read as" in text for text in doubtful.remarks)
    assert not any("State the" in text for text in doubtful.remarks)  # there is no such control for this file


def test_a_label_that_is_a_set_of_one_class_is_that_class():
    frame = pd.DataFrame({"glucose": [150.0, 90.0], "bmi": [30.0, 20.0], "smoker": ["yes", "no"]})
    found = read(frame.assign(outcome=[("sick",), ("sick", "well")]))
    assert found.y == ["sick", None]
