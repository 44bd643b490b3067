"""scikit-learn's tools around the classifier: pipelines, searches, cross-validation, calibration, forests, copies.

In: the public classifier, made-up patients. Out: failures where a tool would stop, lose names or weights, or mislead.
"""

from __future__ import annotations

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from engine import VARIANTS, Noise, PenumbraError, UncertainTreeClassifier, variant
from engine.gates import tree_splits

SOFT = {"search": "soft", "propagation": "soft", "evaluation": "soft"}


def patients(n=120, seed=0):
    """Return made-up patients: two measurements, one of them telling, a category, and labels in words."""
    rng = np.random.default_rng(seed)
    glucose, bmi = rng.normal(110.0, 25.0, n), rng.normal(27.0, 4.0, n)
    smoker = pd.Categorical(rng.choice(["no", "yes"], n))
    ill = glucose + 10.0 * (smoker == "yes") + rng.normal(0.0, 8.0, n) > 115.0
    return pd.DataFrame({"glucose": glucose, "bmi": bmi, "smoker": smoker}), np.where(ill, "ill", "well")


X, Y = patients()
NUMBERS = X[["glucose", "bmi"]]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def same(a, b):
    np.testing.assert_array_equal(a, b)


# Scores


def test_score_is_accuracy_and_refuses_open_labels():
    model = variant("C4.5").fit(X, Y)
    assert model.score(X, Y) == pytest.approx((model.predict(X) == Y).mean())
    weight = np.arange(len(Y)) % 3
    assert model.score(X, Y, weight) == pytest.approx(np.average(model.predict(X) == Y, weights=weight))
    for unknown in (None, float("nan"), ("ill", "well")):
        labels = list(Y)
        labels[3] = unknown
        with pytest.raises(PenumbraError, match=r"1 labels in y are None or sets .* engine\.metrics\.accuracy"):
            model.score(X, labels)


# Pipelines


def test_a_pipeline_of_pandas_keeps_the_names():
    model = make_pipeline(StandardScaler(), variant("SE", noise=Noise(sigma={"glucose": 0.2})))
    model.set_output(transform="pandas").fit(NUMBERS, Y)
    assert list(model[-1].feature_names_in_) == ["glucose", "bmi"]
    assert model.score(NUMBERS, Y) > 0.7
    assert model[-1].noise_evaluation_.sigma.tolist() == [0.2, 0.0]


def test_a_column_transformer_keeps_names_and_categories():
    scaled = ColumnTransformer(
        [("scaled", StandardScaler(), ["glucose"])], remainder="passthrough", verbose_feature_names_out=False
    )
    model = make_pipeline(scaled, variant("C4.5")).set_output(transform="pandas").fit(X, Y)
    assert set(model[-1].feature_names_in_) == {"glucose", "bmi", "smoker"}
    assert dict(zip(model[-1].schema_.names, model[-1].schema_.kinds, strict=True)) == {
        "glucose": "numeric", "bmi": "numeric", "smoker": "nominal",
    }  # fmt: skip
    same(model.predict_proba(X[["smoker", "bmi", "glucose"]]), model.predict_proba(X))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_stands_behind_transformers_of_pandas(name):
    noise = {} if name == "UDT" else {"noise": Noise(sigma={"measured__glucose": 0.3})}
    columns = [("measured", StandardScaler(), ["glucose", "bmi"]), ("said", "passthrough", ["smoker"])]
    ready = ColumnTransformer(columns).set_output(transform="pandas")
    model = make_pipeline(ready, variant(name, **noise))
    found = GridSearchCV(model, {"uncertaintreeclassifier__max_depth": [1, 3]}, cv=2, error_score="raise")
    best = found.fit(X, Y).best_estimator_
    assert best[-1].feature_names_in_.tolist() == ["measured__glucose", "measured__bmi", "said__smoker"]
    again = UncertainTreeClassifier.from_json(best[-1].to_json())
    same(again.predict_proba(best[0].transform(X)), best.predict_proba(X))
    calibrated = CalibratedClassifierCV(model, cv=2).fit(X, Y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)


def test_weights_are_routed_through_searches_and_calibration():
    weight = np.where(Y == "ill", 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = variant("C4.4").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        for tool in (GridSearchCV(asked, {"max_depth": [3]}, cv=FOLDS), CalibratedClassifierCV(asked, cv=FOLDS)):
            weighed, plain = clone(tool).fit(X, Y, sample_weight=weight), clone(tool).fit(X, Y)
            assert np.abs(weighed.predict_proba(X) - plain.predict_proba(X)).max() > 0.01
        found = cross_val_predict(asked, X, Y, cv=FOLDS, method="predict_proba", params={"sample_weight": weight})
        assert np.abs(found - cross_val_predict(asked, X, Y, cv=FOLDS, method="predict_proba")).max() > 0.01
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            GridSearchCV(variant("C4.4"), {"max_depth": [3]}, cv=FOLDS).fit(X, Y, sample_weight=weight)


def test_weights_go_through_a_pipeline():
    weight = np.where(Y == "ill", 5.0, 1.0)
    alone = variant("C4.4").fit(NUMBERS, Y, sample_weight=weight).predict_proba(NUMBERS)
    named = Pipeline([("tree", variant("C4.4"))]).fit(NUMBERS, Y, tree__sample_weight=weight)
    same(named.predict_proba(NUMBERS), alone)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        asked = variant("C4.4").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = make_pipeline(scaler, asked).fit(NUMBERS, Y, sample_weight=weight)
        scored = cross_validate(asked, NUMBERS, Y, cv=FOLDS, params={"sample_weight": weight}, error_score="raise")
    plain = make_pipeline(StandardScaler(), variant("C4.4")).fit(NUMBERS, Y)
    assert np.abs(routed.predict_proba(NUMBERS) - plain.predict_proba(NUMBERS)).max() > 0.01
    assert len(scored["test_score"]) == 4


# Searches and cross-validation


def test_a_grid_goes_over_axes_factors_and_noises():
    noises = [Noise(sigma={"glucose": 2.0}), Noise.of_sd(0.1)]
    grid = {"search": ["exact", "soft"], "u_s": [0.5, 2.0], "noise": noises}
    found = GridSearchCV(variant("SS+STP"), grid, cv=FOLDS, error_score="raise").fit(NUMBERS, Y)
    assert len(found.cv_results_["params"]) == 8
    assert found.best_score_ > 0.7
    assert found.best_estimator_.noise in noises
    assert found.classes_.tolist() == ["ill", "well"]


def test_a_grid_that_meets_a_refusal_says_which():
    grid = {"branching": ["binary", "nary"]}
    with pytest.raises(PenumbraError, match="branching 'nary' does not combine with search 'soft'"):
        GridSearchCV(variant("SS"), grid, cv=FOLDS, error_score="raise").fit(NUMBERS, Y)


@pytest.mark.parametrize("params", [{}, SOFT, {"decision": "tau"}, {"leaf": "laplace", "evaluation": "coherent"}])
def test_cross_validated_probabilities_are_those_of_the_folds(params):
    model = UncertainTreeClassifier(noise=Noise.of_sd(0.1), **params)
    found = cross_val_predict(model, X, Y, cv=FOLDS, method="predict_proba")
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    for train, test in FOLDS.split(X, Y):
        same(found[test], clone(model).fit(X.iloc[train], Y[train]).predict_proba(X.iloc[test]))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_can_be_calibrated(method):
    model = CalibratedClassifierCV(variant("SS+STP+SE", noise=Noise.of_sd(0.1)), method=method, cv=FOLDS).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)
    assert model.score(X, Y) > 0.7
    assert model.classes_.tolist() == ["ill", "well"]


def test_permutation_finds_the_variable_that_tells():
    model = variant("C4.5").fit(X, Y)
    found = permutation_importance(model, X, Y, n_repeats=3, random_state=0).importances_mean
    assert X.columns[np.argmax(found)] == "glucose"
    assert X.columns[np.argmax(model.feature_importances_)] == "glucose"
    assert model.feature_importances_.sum() == pytest.approx(1.0)


# Forests


@pytest.mark.parametrize("name", [name for name in VARIANTS if name.startswith("Ternary-")])
def test_ternary_trees_make_a_forest(name):
    forest = BaggingClassifier(variant(name), n_estimators=5, max_features=2, random_state=0).fit(NUMBERS, Y)
    assert forest.score(NUMBERS, Y) > 0.8
    np.testing.assert_allclose(forest.predict_proba(NUMBERS).sum(axis=1), 1.0, atol=1e-12)
    assert set(forest.predict(NUMBERS)) == {"ill", "well"}


def test_a_forest_in_threads_is_the_forest():
    def forest(n_jobs):
        with joblib.parallel_backend("threading"):
            trees = BaggingClassifier(variant("Ternary-margin"), n_estimators=6, n_jobs=n_jobs, random_state=0)
            return trees.fit(NUMBERS, Y).predict_proba(NUMBERS)

    np.testing.assert_allclose(forest(2), forest(1), rtol=1e-12)  # sums over trees are rounded job by job


def test_a_forest_takes_missing_values_and_weights():
    holes = NUMBERS.mask(np.random.default_rng(0).random(NUMBERS.shape) < 0.1)
    forest = BaggingClassifier(variant("SE", noise=Noise.of_sd(0.1)), n_estimators=4, random_state=0)
    forest.fit(holes, Y, sample_weight=np.where(Y == "ill", 2.0, 1.0))
    assert np.isfinite(forest.predict_proba(holes)).all()


def test_variants_vote():
    model = VotingClassifier([(name, variant(name)) for name in ("CART", "C4.5", "TWDT")], voting="soft").fit(X, Y)
    assert model.score(X, Y) > 0.8


# Parameters and copies


@pytest.mark.parametrize("name", VARIANTS)
def test_parameters_go_round(name):
    stated = Noise(sigma={"glucose": np.float64(8.0), "bmi": Noise.of_mean(0.05)}, shape={"glucose": "laplace"})
    model = variant(name, noise=stated)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert UncertainTreeClassifier().set_params(**model.get_params()).get_params() == model.get_params()
    assert again is not model


def test_settings_are_kept_as_given():
    given = {"cost": np.array([[0, 1], [2, 0]]), "class_weight": {"ill": 2.0}, "nominal": ["smoker"], "noise": Noise()}
    model = UncertainTreeClassifier(**given).fit(X, Y)
    assert all(getattr(model, name) is value for name, value in given.items())


def test_an_unknown_setting_is_refused():
    with pytest.raises(ValueError, match="depth_limit"):
        variant("CART").set_params(depth_limit=3)


def test_noises_that_state_the_same_are_equal():
    a = Noise(sigma={"bmi": 1, "glucose": Noise.of_sd(0.1)}, cv=[0.1, None], shape="laplace")
    b = Noise(sigma={"glucose": Noise.of_sd(0.1), "bmi": np.float64(1.0)}, cv=np.array([0.1, None]), shape="laplace")
    assert a == b == copy.deepcopy(a)
    assert hash(a) == hash(b)
    assert len({a, b, Noise(), Noise.of_mean(0.1), Noise.of_sd(0.1)}) == 4
    assert a not in (Noise(sigma={"bmi": 1}), 3)
    assert Noise(sigma=np.array(2.0)).to_dict() == Noise(sigma=2.0).to_dict()


def dumped(model):
    """Return a model that went through joblib, as to another process."""
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), dumped])
@pytest.mark.parametrize("name", ["SS+STP+SE", "UDT", "Ternary-gain_ratio-middle", "CITree"])
def test_a_copy_for_another_process_says_the_same(name, copied):
    model = variant(name, noise=Noise(sigma={"glucose": 5.0}))
    with pytest.raises(sklearn.exceptions.NotFittedError):
        copied(model).predict(X)
    model.fit(X, Y)
    model.case(X.iloc[0])
    again = copied(model)
    again.case(X.iloc[0])
    first, second = (tree_splits(each.tree_) for each in (model, again))  # or kernels would be compiled once more
    assert [part.flags.writeable for part in second] == [part.flags.writeable for part in first]
    same(again.predict_proba(X), model.predict_proba(X))
    same(again.decided(X), model.decided(X))
    assert again.to_json() == model.to_json()
    assert not again.tree_.threshold.flags.writeable


# Names and kinds of columns


def test_columns_are_found_by_name():
    model = variant("SE", noise=Noise(sigma={"glucose": 8.0})).fit(X, Y)
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.n_features_in_ == 3
    same(model.predict_proba(X[["smoker", "bmi", "glucose"]]), model.predict_proba(X))
    with pytest.raises(PenumbraError, match=r"lacks 'bmi'.*should match"):
        model.predict(X.drop(columns="bmi"))
    with pytest.raises(PenumbraError, match=r"has 'age' besides"):
        model.predict(X.assign(age=1.0))


def test_arrays_leave_no_names_behind():
    model = variant("CART").fit(X, Y).fit(NUMBERS.to_numpy(), Y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2


@pytest.mark.parametrize(
    "kinds",
    [
        {"glucose": "Float64", "bmi": "Float64"}, {"glucose": "float32", "bmi": "float32"},
        {"glucose": "double[pyarrow]", "bmi": "double[pyarrow]"}, {"smoker": "string"}, {"smoker": object},
        {"smoker": "string[pyarrow]"},
    ],
)  # fmt: skip
def test_pandas_kinds_read_the_same(kinds):
    rounded = X.assign(glucose=X["glucose"].round(0), bmi=X["bmi"].round(0))
    model = variant("C4.4").fit(rounded, Y)
    same(model.predict_proba(rounded.astype(kinds)), model.predict_proba(rounded))
    same(variant("C4.4").fit(rounded.astype(kinds), Y).predict_proba(rounded), model.predict_proba(rounded))


@pytest.mark.parametrize("kind", ["Int64", "int8[pyarrow]", "Float32", "boolean"])
def test_nullable_columns_hold_missing_values(kind):
    flag = pd.Series((X["glucose"] > 110).astype(int))
    column = (flag.astype(bool) if kind == "boolean" else flag).astype(kind).mask(X["bmi"] > 32)
    data = pd.DataFrame({"flag": column, "bmi": X["bmi"]})
    model = variant("C4.4").fit(data, Y)
    assert model.score(data, Y) > 0.7
    values = model.encode(data)[:, 0]
    same(np.isnan(values), (X["bmi"] > 32).to_numpy())
    assert model.schema_.kinds[0] == ("nominal" if kind == "boolean" else "numeric")


@pytest.mark.parametrize("kind", [object, "string", "category", "string[pyarrow]"])
def test_labels_of_any_kind_are_the_same_classes(kind):
    model = variant("C4.5").fit(X, pd.Series(Y).astype(kind))
    assert model.classes_.tolist() == ["ill", "well"]
    same(model.predict(X), variant("C4.5").fit(X, Y).predict(X))


@pytest.mark.parametrize("y", [Y == "ill", (Y == "ill").astype(np.int8), pd.Series(Y == "ill").astype("boolean")])
def test_predictions_have_the_kind_of_the_labels(y):
    model = variant("C4.5").fit(X, y)
    assert model.predict(X).dtype.kind == np.asarray(y.tolist()).dtype.kind
    assert model.score(X, np.asarray(y.tolist())) > 0.8


# Weights


def test_weight_zero_leaves_a_patient_out_of_balanced_weights():
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    balanced = UncertainTreeClassifier(class_weight="balanced", leaf="laplace")
    left_out = clone(balanced).fit(NUMBERS[weight > 0], Y[weight > 0])
    same(balanced.fit(NUMBERS, Y, sample_weight=weight).tree_.class_weight, left_out.tree_.class_weight)


def test_tags_tell_what_the_classifier_takes():
    tags = UncertainTreeClassifier().__sklearn_tags__()
    assert (tags.input_tags.allow_nan, tags.input_tags.categorical, tags.input_tags.string) == (True, True, True)
    assert not tags.input_tags.sparse
    assert tags.target_tags.required
    assert tags.classifier_tags.multi_class
    for two in ([[0, 1], [1, 0]], np.array([[0, 1], [1, 0]])):
        assert not UncertainTreeClassifier(cost=two).__sklearn_tags__().classifier_tags.multi_class
    for cost in (np.eye(3), [[1], [1, 2], 3], np.array(2), 5):
        assert UncertainTreeClassifier(cost=cost).__sklearn_tags__().classifier_tags.multi_class
