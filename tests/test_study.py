"""Studies against plain loops over scikit-learn's folds, and what cancelling, resuming and joblib must not change.

In: seeded synthetic patients. Out: failures that name the figure.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from engine import Noise, PenumbraError, UncertainTreeClassifier, confidence_for_leaves, variant
from engine.comparison import FIGURES, by_level, compare, compare_sets, holm, pooled_accuracy
from engine.decide import Rule
from engine.folds import stratified_folds
from engine.study import cross_validate, robustness, soft_tree_study
from engine.study_results import Study
from engine.tuning import accuracy_by_noise, noise_factor


def patients(seed=0, n=90, noise=1.0):
    """Return two readings, positive and rounded so that ties occur, and two classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(20.0, 4.0, n).round(), rng.uniform(5.0, 15.0, n).round(1)])
    score = (X[:, 0] - 20.0) / 4.0 + (X[:, 1] - 10.0) / 3.0 + rng.normal(0.0, noise, n)
    return X, np.where(score > 0.0, "ill", "well").astype(object)


def soft(**changes):
    """Return a small soft tree that abstains."""
    return UncertainTreeClassifier(
        search="soft", evaluation="soft", noise=Noise(sigma=[2.0, 1.0]), max_depth=3, decision="tau", **changes
    )


def same(first, second):
    """Fail unless two studies hold the same results, times apart."""
    assert [r.place for r in first.results] == [r.place for r in second.results]
    for a, b in zip(first.results, second.results, strict=True):
        np.testing.assert_array_equal(a.rows, b.rows)
        np.testing.assert_array_equal(a.probability, b.probability)
        np.testing.assert_array_equal(a.predicted, b.predicted)
        np.testing.assert_array_equal(a.decided, b.decided)
        assert (a.answers, a.leaves, a.depth, a.nodes) == (b.answers, b.leaves, b.depth, b.nodes)


# Cross-validation


def test_every_model_is_that_of_a_plain_loop_over_scikit_learns_folds():
    X, y = patients()
    models = {
        "soft": soft(),
        "zones": variant("Ternary-margin"),
        "sklearn": DecisionTreeClassifier(max_depth=3, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=4)
    study = cross_validate(X, y, models, folds)
    assert (study.n_done, study.n_total, study.complete) == (15, 15, True)
    assert study.classes == ("ill", "well")
    assert study.overlap == pytest.approx(1 / 4)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for name in models:
            model = {"soft": soft(), "zones": variant("Ternary-margin")}.get(name, models["sklearn"])
            model.fit(X[train], y[train])
            result = study.of(name)[split]
            assert (result.repeat, result.fold) == (0, split)
            np.testing.assert_array_equal(result.rows, test)
            np.testing.assert_allclose(result.probability, model.predict_proba(X[test]), atol=1e-12)
            assert [study.classes[k] for k in result.predicted] == model.predict(X[test]).tolist()
            if name == "sklearn":
                assert (result.leaves, result.depth) == (model.get_n_leaves(), model.get_depth())
                assert result.decided.all()
            else:
                assert list(result.answers) == model.decide(X[test]).tolist()
                np.testing.assert_array_equal(result.decided, model.decided(X[test]))
                assert (result.leaves, result.depth) == (model.n_leaves_, model.depth_)
            assert result.fit_seconds > 0.0
    assert not hasattr(models["soft"], "tree_")


def test_repeats_are_runs_of_the_next_seeds_on_the_folds_of_tuning():
    X, y = patients(1)
    whole = cross_validate(X, y, {"SE": "SE"}, folds=4, repeats=3, random_state=5)
    assert whole.n_splits == 12
    code = np.unique(y, return_inverse=True)[1].astype(np.int32)
    for repeat in range(3):
        once = cross_validate(X, y, {"SE": "SE"}, folds=4, random_state=5 + repeat)
        fold = stratified_folds(code, 4, 5 + repeat)
        part = [r for r in whole.results if r.repeat == repeat]
        for a, b in zip(part, once.results, strict=True):
            np.testing.assert_array_equal(a.rows, np.flatnonzero(fold == a.fold))
            np.testing.assert_array_equal(a.probability, b.probability)
    tuned = accuracy_by_noise(X, y, variant("SE", noise=Noise(sigma=[2.0, 1.0])), [1.0], folds=4, random_state=5)
    noisy = cross_validate(X, y, {"SE": variant("SE", noise=Noise(sigma=[2.0, 1.0]))}, folds=4, random_state=5)
    assert pooled_accuracy(noisy, "SE") == pytest.approx(tuned[1.0])


def test_a_splitter_that_leaves_patients_out_again_begins_a_repeat():
    X, y = patients(2)
    study = cross_validate(X, y, {"CART": "CART"}, RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1))
    assert [(r.repeat, r.fold) for r in study.results] == [(k // 3, k % 3) for k in range(6)]
    with pytest.raises(PenumbraError, match="repeats"):
        cross_validate(X, y, {"CART": "CART"}, StratifiedKFold(3), repeats=2)


def test_imprecise_patients_train_our_trees_and_count_in_abstention_alone():
    X, y = patients(3)
    y[:10] = None
    y[10] = {"ill", "well"}
    y[11] = frozenset({"ill"})
    models = {"TWDT": variant("TWDT", tau=0.8), "logistic": make_pipeline(StandardScaler(), LogisticRegression())}
    study = cross_validate(X, y, models, folds=3)
    assert study.truth[0] is None
    assert study.truth[10] == {"ill", "well"}
    assert study.truth[11] == "ill"
    figures = compare(study).figures
    answers = {int(row): a for r in study.of("TWDT") for row, a in zip(r.rows, r.answers, strict=True)}
    told = [row for row in range(len(y)) if study.truth[row] in ("ill", "well") and answers[row] is not None]
    right = np.mean([answers[row] == study.truth[row] for row in told])
    assert figures["TWDT"]["answered_accuracy"].value == pytest.approx(right)
    assert figures["TWDT"]["abstention_rate"].value == pytest.approx(np.mean([a is None for a in answers.values()]))
    precise = np.array([label in ("ill", "well") for label in study.truth])
    for result in study.of("logistic"):
        train = np.setdiff1d(np.flatnonzero(precise), result.rows)
        alone = make_pipeline(StandardScaler(), LogisticRegression())
        alone.fit(X[train], [study.truth[row] for row in train])
        np.testing.assert_allclose(result.probability, alone.predict_proba(X[result.rows]))
        assert (result.leaves, result.depth, result.nodes) == (None, None, None)
    assert figures["logistic"]["leaves"].value is None


def test_categories_weights_and_a_class_of_few_patients_are_no_trouble():
    X, y = patients(4, n=60)
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(ward=["n"] * 59 + ["s"], code=[1] * 59 + [2])
    frame.loc[3, "u"] = np.nan
    y[7] = "rare"
    weight = np.where(np.arange(60) % 2, 1.0, 3.0)
    models = {"own": variant("CART", nominal=["code"]), "numeric": "CART"}
    study = cross_validate(frame, y, models, folds=3, sample_weight=weight)
    assert study.classes == ("ill", "rare", "well")
    for result in study.results:
        np.testing.assert_allclose(result.probability.sum(axis=1), 1.0)
    without = next(r for r in study.of("numeric") if 7 in r.rows)
    assert (without.probability[:, 1] == 0.0).all()
    by_study = cross_validate(frame, y, {"own": "CART"}, folds=3, nominal=["code"], sample_weight=weight)
    np.testing.assert_array_equal(by_study.results[0].probability, study.of("own")[0].probability)
    heavy = cross_validate(X, y, {"tree": DecisionTreeClassifier(random_state=0)}, folds=3, sample_weight=weight)
    train = np.setdiff1d(np.arange(60), heavy.results[0].rows)
    alone = DecisionTreeClassifier(random_state=0).fit(X[train], y[train], sample_weight=weight[train])
    columns = [heavy.classes.index(c) for c in alone.classes_]
    np.testing.assert_array_equal(
        heavy.results[0].probability[:, columns], alone.predict_proba(X[heavy.results[0].rows])
    )
    assert heavy.results[0].leaves == alone.get_n_leaves()


@pytest.mark.parametrize("dtype", [int, bool, float])
def test_classes_that_are_numbers_stay_numbers(dtype):
    X, y = patients(5)
    y = (y == "ill").astype(dtype)
    study = cross_validate(X, y, {"own": "CART", "sklearn": DecisionTreeClassifier()}, folds=3)
    assert study.classes == (dtype(0), dtype(1))
    back = Study.from_json(study.to_json())
    assert [type(c) for c in back.classes] == [dtype, dtype]
    same(study, back)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"models": {}}, "models"),
        ({"models": {"a": LinearSVC()}}, "predict_proba"),
        ({"models": {"a": "C5"}}, "variant"),
        ({"folds": 1}, "folds"),
        ({"folds": 2.5}, "folds"),
        ({"repeats": 0}, "repeats"),
        ({"random_state": None}, "random_state"),
        ({"models": {"a": variant("TWDT", cost=[[0, 1]])}}, "'a', fold 1 of repeat 1"),
        ({"models": {"a": make_pipeline(StandardScaler(), LogisticRegression())}}, "'a'.*pipeline"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_a_sentence(changes, word):
    X, y = patients(6)
    X[4, 1] = np.nan
    with pytest.raises(PenumbraError, match=word):
        cross_validate(**{"X": X, "y": y, "models": {"CART": "CART"}, "folds": 3, **changes})


# Cancelling, resuming, joblib


MODELS = {"soft": soft(), "C4.5": "C4.5", "forest of one": DecisionTreeClassifier(max_features=1)}


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_any_backend_gives_the_same_study(backend):
    X, y = patients(7, n=60)
    alone = cross_validate(X, y, MODELS, folds=3)
    seen = []
    study = cross_validate(
        X, y, MODELS, folds=3, n_jobs=2, backend=backend, progress=lambda s: seen.append((s.n_done, s.n_total))
    )
    same(alone, study)
    assert seen == [(k, 9) for k in range(1, 10)]


def test_the_surrounding_joblib_configuration_holds():
    X, y = patients(7, n=60)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        same(cross_validate(X, y, MODELS, folds=3), cross_validate(X, y, MODELS, folds=3, n_jobs=1))


def test_a_cancelled_study_keeps_whole_folds_and_is_taken_up_where_it_stopped():
    X, y = patients(8)
    whole = cross_validate(X, y, MODELS, folds=3, repeats=2)
    done = []
    part = cross_validate(X, y, MODELS, folds=3, repeats=2, progress=done.append, cancel=lambda: len(done) == 7)
    assert (part.n_done, part.complete) == (7, False)
    assert sorted(r.split for r in part.results) == [0, 0, 0, 1, 1, 1, 2]
    assert done[-1].n_done == 7
    assert set(compare(part).figures) == set(MODELS)
    kept = Study.from_json(part.to_json())
    seen = []
    same(whole, cross_validate(X, y, MODELS, folds=3, repeats=2, resume=kept, progress=seen.append))
    assert [s.n_done for s in seen] == list(range(8, 19))
    assert cross_validate(X, y, MODELS, folds=3, cancel=lambda: True).n_done == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["classes"].reverse(),
        lambda r: r.update(n_splits=9),
        lambda r: r["results"][0].update(repeat=7),
        lambda r: r["results"][0].update(fold=1),
        lambda r: r["results"][0]["rows"].reverse(),
        lambda r: r["results"][0].update(rows=r["results"][1]["rows"]),
    ],
)
def test_results_that_are_not_of_the_patients_a_split_leaves_out_are_not_taken_up(change):
    X, y = patients(12, n=40)
    with pytest.raises(PenumbraError, match="study"):
        cross_validate(X, y, {"CART": "CART"}, folds=2, resume=Study.from_json(altered(change)))


def test_resuming_does_again_what_changed_and_drops_what_is_not_named():
    X, y = patients(9)
    before = cross_validate(X, y, {"A": soft(), "B": "C4.5", "C": "CART"}, folds=3)
    seen = []
    models = {"A": soft(tau=0.9), "B": "C4.5", "D": "SE"}
    after = cross_validate(X, y, models, folds=3, resume=before, progress=seen.append)
    assert len(seen) == 6
    same(after, cross_validate(X, y, models, folds=3))
    noisier = {"A": UncertainTreeClassifier(evaluation="soft", noise=Noise(sigma=[2.0, 1.5]), max_depth=3)}
    less = {"A": UncertainTreeClassifier(evaluation="soft", noise=Noise(sigma=[2.0, 1.0]), max_depth=3)}
    first = cross_validate(X, y, less, folds=3)
    same(cross_validate(X, y, noisier, folds=3, resume=first), cross_validate(X, y, noisier, folds=3))


@pytest.mark.parametrize("what", ["X", "y", "folds", "random_state", "sample_weight"])
def test_a_study_of_other_patients_or_splits_is_not_resumed(what):
    X, y = patients(10)
    before = cross_validate(X, y, {"C4.5": "C4.5"}, folds=3)
    other_y = y.copy()
    other_y[0] = None
    others = {"X": X + 1.0, "y": other_y, "folds": 4, "random_state": 1, "sample_weight": np.arange(1.0, len(y) + 1.0)}
    with pytest.raises(PenumbraError, match="resume"):
        cross_validate(**{"X": X, "y": y, "models": {"C4.5": "C4.5"}, "folds": 3, "resume": before, what: others[what]})


def test_a_saved_study_holds_no_reading_and_comes_back_whole():
    X, y = patients(11)
    X += 0.123456
    y[3], y[4] = None, {"ill", "well"}
    study = cross_validate(X, y, {"set": variant("TWDT", decision="set"), "logistic": LogisticRegression()}, folds=3)
    text = study.to_json()
    assert "123456" not in text
    back = Study.from_json(text)
    same(study, back)
    assert vars(back) | {"results": ()} == vars(study) | {"results": ()}
    assert back.to_json() == text


def altered(change):
    """Return a saved study with one part changed."""
    X, y = patients(12, n=40)
    record = json.loads(cross_validate(X, y, {"CART": "CART"}, folds=2).to_json())
    change(record)
    return json.dumps(record)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(format="other"),
        lambda r: r.update(version=99),
        lambda r: r.update(classes=["ill"]),
        lambda r: r.update(noise_in="both"),
        lambda r: r["truth"].__setitem__(0, 5),
        lambda r: r["truth"].__setitem__(0, True),
        lambda r: r["results"].append(r["results"][0]),
        lambda r: r["results"][0].update(split=2),
        lambda r: r["results"][0].update(model="unknown"),
        lambda r: r["results"][0]["rows"].__setitem__(0, 1000),
        lambda r: r["results"][0]["rows"].__setitem__(0, r["results"][0]["rows"][1]),
        lambda r: r["results"][0]["probability"].__setitem__(0, [0.9, 0.9]),
        lambda r: r["results"][0]["probability"].pop(),
        lambda r: r["results"][0]["predicted"].pop(),
        lambda r: r["results"][0].pop("answers"),
        lambda r: r["results"][0].update(leaves=-1),
        lambda r: r["results"][0].update(fit_seconds="long"),
    ],
)
def test_an_altered_study_is_refused(change):
    with pytest.raises(PenumbraError, match="study"):
        Study.from_json(altered(change))


@pytest.mark.parametrize("text", ["", "[]", "null", '{"format": "penumbra-study"}', '{"format": "penumbra-st'])
def test_what_is_no_study_is_refused(text):
    with pytest.raises(PenumbraError, match="study"):
        Study.from_json(text)


def test_another_rule_answers_anew_without_growing_a_tree():
    X, y = patients(22)
    models = {"A": soft(tau=0.6), "B": soft(tau=0.6)}
    study = cross_validate(X, y, models, folds=3)
    for rule, settings in (
        (Rule("tau", tau=0.85), {"tau": 0.85}),
        (Rule("set", tau=0.85), {"decision": "set", "tau": 0.85}),
        (Rule("cost", cost=[[0, 5], [1, 0]], abstain_cost=0.4),
         {"decision": "cost", "cost": [[0, 5], [1, 0]], "abstain_cost": 0.4}),
    ):  # fmt: skip
        other = cross_validate(X, y, {"A": soft().set_params(**{"tau": 0.6, **settings})}, folds=3)
        again = study.with_rule(rule, ["A"])
        assert [r.answers for r in again.of("A")] == [r.answers for r in other.of("A")]
        assert [r.answers for r in again.of("B")] == [r.answers for r in study.of("B")]
        same(study, cross_validate(X, y, models, folds=3, resume=again))


def test_a_study_without_results_compares_to_nothing():
    X, y = patients(23)
    none = cross_validate(X, y, {"A": "CART"}, folds=3, cancel=lambda: True)
    assert compare(none).figures == {}
    assert len(compare(none).table()) == 0
    assert pooled_accuracy(none, "A") is None
    same(none, Study.from_json(none.to_json()))


# Comparison


def test_figures_are_pooled_by_repeat_and_intervals_stand_around_them():
    X, y = patients(13)
    study = cross_validate(X, y, {"SE": soft(), "C4.5": "C4.5"}, folds=3, repeats=2)
    comparison = compare(study, positive="ill")
    found, folds = comparison.figures["SE"], study.of("SE")
    pooled = []
    for repeat in range(2):
        rows = np.concatenate([r.rows for r in folds if r.repeat == repeat])
        said = np.array(study.classes)[np.concatenate([r.predicted for r in folds if r.repeat == repeat])]
        p = np.concatenate([r.probability for r in folds if r.repeat == repeat])
        truth = y[rows].astype(str)
        pooled.append(
            {
                "accuracy": sk.accuracy_score(truth, said),
                "balanced_accuracy": sk.balanced_accuracy_score(truth, said),
                "f1": sk.f1_score(truth, said, pos_label="ill"),
                "auc": sk.roc_auc_score(truth == "ill", p[:, 0]),
                "brier": 2.0 * sk.brier_score_loss(truth == "ill", p[:, 0]),
            }
        )
    for name in pooled[0]:
        assert found[name].value == pytest.approx(np.mean([part[name] for part in pooled])), name
    alone = np.array([np.mean(np.array(study.classes)[r.predicted] == y[r.rows]) for r in folds])
    assert found["accuracy"].by_fold == pytest.approx(alone)
    half = stats.t.ppf(0.975, 5) * alone.std(ddof=1) * math.sqrt(1 / 6 + 1 / 2)
    low, high = found["accuracy"].interval
    assert low == pytest.approx(found["accuracy"].value - half)
    assert high == pytest.approx(min(1.0, found["accuracy"].value + half))
    assert found["leaves"].value == pytest.approx(np.mean([r.leaves for r in folds]))
    assert comparison.n_folds == {"SE": 6, "C4.5": 6}
    table = comparison.table()
    assert list(table.columns) == list(FIGURES)
    assert table.loc["SE", "accuracy"] == found["accuracy"].value


def test_pairs_are_wilcoxons_tests_of_the_same_folds_adjusted_by_holm():
    X, y = patients(14, n=120)
    study = cross_validate(X, y, {"A": soft(), "B": "C4.5", "C": variant("CART", max_depth=1)}, folds=8)
    comparison = compare(study, ["brier", "leaves"])
    for name in ("brier", "leaves"):
        raw = []
        for first, second in (("A", "B"), ("A", "C"), ("B", "C")):
            one, other = (comparison.figures[m][name].by_fold for m in (first, second))
            pair = comparison.pair(name, first, second)
            assert pair.differences == pytest.approx(np.subtract(one, other))
            assert pair.mean_difference == pytest.approx(np.mean(one) - np.mean(other))
            assert pair.p_value == pytest.approx(stats.wilcoxon(np.round(np.subtract(one, other), 12)).pvalue)
            raw.append(pair.p_value)
        assert [p.adjusted_p for p in comparison.pairs if p.figure == name] == pytest.approx(holm(raw))
    with pytest.raises(PenumbraError, match="pair"):
        comparison.pair("brier", "B", "A")


def test_models_alike_have_p_1_and_undefined_figures_stay_undefined():
    X, y = patients(15)
    study = cross_validate(X, y, {"A": "C4.5", "B": "C4.5", "C": LogisticRegression()}, folds=3)
    comparison = compare(study)
    assert comparison.pair("accuracy", "A", "B").p_value == 1.0
    assert comparison.pair("leaves", "A", "C").differences == ()
    assert comparison.pair("leaves", "A", "C").interval is None
    never = cross_validate(X, y, {"A": variant("TWDT", tau=1.0, max_depth=0)}, folds=3)
    assert compare(never).figures["A"]["answered_accuracy"].value is None
    assert compare(never).figures["A"]["abstention_rate"].value == 1.0


def test_an_interval_of_leaves_never_reaches_below_one_leaf():
    X, y = patients(17)
    whole = cross_validate(X, y, {"A": variant("CART", max_depth=1)}, folds=5)
    sizes = dict(zip(range(5), (1, 1, 4, 1, 1), strict=True))
    study = whole.with_results([
        replace(r, leaves=sizes[r.split], nodes=2 * sizes[r.split] - 1, depth=sizes[r.split] - 1)
        for r in whole.results if r.split > 0
    ])  # fmt: skip
    found = compare(study, ["leaves", "nodes", "depth"]).figures["A"]
    spread = stats.t.ppf(0.975, 3) * 1.5 * math.sqrt(1 / 4 + 1 / 4)
    assert found["leaves"].value - spread < 1.0
    assert found["leaves"].interval == (1.0, pytest.approx(1.75 + spread))
    assert found["nodes"].interval == (1.0, pytest.approx(2.5 + 2 * spread))
    assert found["depth"].interval == (0.0, pytest.approx(0.75 + spread))


def test_a_cancelled_study_pairs_only_the_folds_that_both_have():
    X, y = patients(16)
    done = []
    study = cross_validate(X, y, {"A": "C4.5", "B": "SE"}, folds=5, progress=done.append, cancel=lambda: len(done) == 7)
    comparison = compare(study)
    assert comparison.n_folds == {"A": 4, "B": 3}
    assert len(comparison.pair("accuracy", "A", "B").differences) == 3


def test_holm_by_hand_and_wrong_names():
    assert holm([0.02, 0.5, 0.01, 0.04]) == pytest.approx([0.06, 0.5, 0.04, 0.08])
    assert holm([]) == []
    X, y = patients(17)
    study = cross_validate(X, y, {"A": "CART"}, folds=2)
    for changes, word in (
        ({"figures": ["skill"]}, "skill"),
        ({"positive": "dead"}, "positive"),
        ({"level": 0.5}, "level"),
    ):
        with pytest.raises(PenumbraError, match=word):
            compare(study, **changes)


def test_several_data_sets_are_paired_by_set():
    sets = {}
    for seed in range(6):
        X, y = patients(seed, n=50)
        models = {"C4.5": "C4.5", "stump": variant("CART", max_depth=1)}
        sets[str(seed)] = compare(cross_validate(X, y, models, folds=3), ["accuracy"])
    (pair,) = compare_sets(sets)
    one, other = (np.array([c.figures[m]["accuracy"].value for c in sets.values()]) for m in ("C4.5", "stump"))
    assert pair.differences == pytest.approx(one - other)
    nonzero = np.round(one - other, 12)
    assert pair.p_value == pytest.approx(stats.wilcoxon(nonzero[nonzero != 0.0]).pvalue)


# Noise experiments


@pytest.mark.parametrize("where", ["training", "test"])
def test_noise_is_as_large_as_the_level_says_and_in_one_part_alone(where):
    X, y = patients(18, n=3000)
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(ward=np.where(X[:, 0] > 20.0, "n", "s"))
    frame.loc[5, "v"] = np.nan
    seen = []

    class Spy(DecisionTreeClassifier):
        """A tree that keeps what it is shown."""

        def fit(self, X, y):
            seen.append(["training", X.copy()])
            return super().fit(X[["u"]], y)

        def predict_proba(self, X):
            seen.append(["test", X.copy()])
            return super().predict_proba(X[["u"]])

        def predict(self, X):
            return super().predict(X[["u"]])

    study = robustness(frame, y, {"spy": Spy()}, [0.0, 0.1, 0.3], where, folds=2)
    assert study.noise_in == where
    assert study.levels == (0.0, 0.1, 0.3)
    by_part = {}
    order = [(level, part) for _ in range(2) for level in study.levels for part in ("training", "test")]
    for k, ((level, part), (named, shown)) in enumerate(zip(order, seen, strict=True)):
        assert part == named
        by_part.setdefault((k // 6, part), {})[level] = shown
    for (_, part), shown in by_part.items():
        for level in (0.1, 0.3):
            for name in ("u", "v"):
                error = (shown[level][name] - shown[0.0][name]).dropna()
                expected = level * abs(frame[name].mean()) if part == where else 0.0
                assert error.std() == pytest.approx(expected, rel=0.05)
                assert error.mean() == pytest.approx(0.0, abs=0.1 * expected)
            assert (shown[level]["ward"] == shown[0.0]["ward"]).all()
            assert shown[level]["v"].isna().sum() == shown[0.0]["v"].isna().sum()
        stretched = 3.0 * (shown[0.1]["u"] - shown[0.0]["u"])
        np.testing.assert_allclose(shown[0.3]["u"] - shown[0.0]["u"], stretched, atol=1e-9)


def test_level_0_is_the_plain_study_and_curves_go_by_level():
    X, y = patients(19)
    models = {"C4.5": "C4.5", "SE": soft()}
    study = robustness(X, y, models, [0.4, 0.0], "training", folds=3)
    plain = cross_validate(X, y, models, folds=3)
    for name in models:
        for a, b in zip(study.of(name), plain.of(name), strict=True):
            np.testing.assert_array_equal(a.probability, b.probability)
    curves = by_level(study)
    assert list(curves) == ["accuracy", "leaves"]
    for name in models:
        for level in (0.0, 0.4):
            assert curves["accuracy"][name][level].value == pytest.approx(pooled_accuracy(study, name, level))
            assert curves["leaves"][name][level].value == np.mean([r.leaves for r in study.of(name, level)])
    seen = []
    more = robustness(X, y, models, [0.0, 0.4, 0.8], "training", folds=3, resume=study, progress=seen.append)
    assert len(seen) == 6
    same(more, robustness(X, y, models, [0.0, 0.4, 0.8], "training", folds=3))
    with pytest.raises(PenumbraError, match="resume"):
        robustness(X, y, models, [0.0, 0.4], "test", folds=3, resume=study)


@pytest.mark.parametrize(
    ("changes", "word"), [({"where": "both"}, "where"), ({"levels": []}, "levels"), ({"levels": [-1.0]}, "levels")]
)
def test_a_noise_experiment_that_is_none_is_refused(changes, word):
    with pytest.raises(PenumbraError, match=word):
        robustness(*patients(), **{"models": {"CART": "CART"}, "levels": [0.1], **changes})


# The soft-tree paper's protocol


def test_the_protocol_is_confidence_then_factor_then_the_same_splits():
    X, y = patients(20, n=110)
    grid = (0.0, 0.1, 0.4)
    found = soft_tree_study(X, y, ("C4.5", "STP"), target=5, grid=grid, folds=4)
    assert found.confidence == confidence_for_leaves(X, y, 5)
    stp = variant("STP", confidence=found.confidence)
    u = noise_factor(X, y, stp, grid, folds=4)
    assert found.factor == {("C4.5", 0.0): 0.0, ("STP", 0.0): u}
    models = {
        "C4.5": variant("C4.5", confidence=found.confidence),
        "STP": variant("STP", confidence=found.confidence, noise=Noise.of_mean(u)),
    }
    same(found.study, cross_validate(X, y, models, folds=4))
    assert found.searched.n_done == 16  # C4.5 reads no noise and is grown once a fold


def test_the_protocol_chooses_a_factor_by_noise_level_and_can_be_taken_up():
    X, y = patients(21, n=80)
    settings = {"grid": (0.0, 0.2), "folds": 3, "confidence": 0.3, "threshold": "value"}
    done = []
    args = (X, y, ("STP",), (0.0, 0.5), "training")
    assert soft_tree_study(*args, **settings, progress=done.append, cancel=lambda: len(done) == 5) is None
    found = soft_tree_study(*args, **settings, resume=Study.from_json(done[-1].to_json()))
    assert set(found.factor) == {("STP", 0.0), ("STP", 0.5)}
    for level in (0.0, 0.5):
        u = found.factor["STP", level]
        alone = {"STP": variant("STP", confidence=0.3, threshold="value", noise=Noise.of_mean(u))}
        once = robustness(X, y, alone, [level], "training", folds=3)
        for a, b in zip(found.study.of("STP", level), once.of("STP", level), strict=True):
            np.testing.assert_array_equal(a.probability, b.probability)
        others = [robustness(X, y, {"STP": variant("STP", confidence=0.3, threshold="value", noise=Noise.of_mean(v))},
                             [level], "training", folds=3) for v in (0.0, 0.2)]  # fmt: skip
        assert pooled_accuracy(found.study, "STP", level) == max(pooled_accuracy(s, "STP", level) for s in others)


def test_a_study_is_told_in_one_line():
    X, y = patients()
    study = robustness(X, y, {"C4.5": "C4.5"}, levels=[0, 0.1], where="test")
    assert repr(study).startswith("<Study of C4.5 at levels 0")
    assert f"{study.n_done} of {study.n_total}" in repr(study)
    assert len(repr(study)) < 200
