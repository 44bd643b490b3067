"""Studies: cross-validation of several models on the same splits, noise experiments, the soft-tree paper's protocol.

In: patients, named models; any joblib backend does the work. Out: a `Study`, whole or so far, never kept on disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from engine.classifier import UncertainTreeClassifier, variant
from engine.comparison import compare, pooled_accuracy
from engine.errors import PenumbraError
from engine.folds import stratified_folds
from engine.labels import read_labels
from engine.metrics import single_class
from engine.noise import Noise
from engine.schema import Schema, numbers, read_schema
from engine.study_results import UNREADABLE, FoldResult, Study, plain_label
from engine.tuning import (
    FOLDS,
    NOISE_GRID,
    Data,
    Rows,
    checked_grid,
    confidence_for_leaves,
    read_data,
    with_noise,
)

__all__ = ["SoftTreeStudy", "Study", "compare", "cross_validate", "robustness", "soft_tree_study"]

Floats = NDArray[np.float64]
Progress = Callable[[Study], None]
Cancel = Callable[[], bool]
NOISE_IN = ("training", "test")


def cross_validate(
    X: Any,
    y: Any,
    models: Mapping[str, Any],
    folds: Any = FOLDS,
    repeats: int = 1,
    random_state: int = 0,
    *,
    nominal: Sequence[Any] | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    backend: Any = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    resume: Study | None = None,
) -> Study:
    """Return what each model says of the patients left out of its training part, every model on the same splits.

    Parameters
    ----------
    X : DataFrame or array (n, M). y : n labels, as `fit` takes them.
    models : {name: unfitted classifier}, ours or scikit-learn's with `predict_proba`, or a variant's name.
    folds : how many, each label spread evenly by a seeded shuffle; or a scikit-learn splitter, given X and label codes.
    repeats : of the whole, with seeds random_state, random_state + 1 and so on. random_state : a whole number.
    nominal : columns to read as nominal; None = as each model says. sample_weight : (n,), in training alone.
    n_jobs, backend : as joblib takes them; None = 1, or what a surrounding `joblib.parallel_config` says.
    progress : called with the study so far after each fold. cancel : asked between folds; True ends the study there.
    resume : a study cut short, or one to add models to: what it holds is not done again.

    Returns
    -------
    Study, with what is finished when cancelled. The same seed gives the same study on any backend, but for times.

    Raises
    ------
    PenumbraError
        For no models, folds or repeats out of range, data that cannot be fitted, a model that fails, or a study to
        resume that is of other patients, splits or seed.

    Notes
    -----
    A model with `random_state=None` gets a seed of the split. One of scikit-learn's is trained on patients with one
    known class only. In `resume`, a model whose settings have changed is done again, one not named is dropped. Folds
    come in turn for all models, so that a study cut short still compares like with like.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> study = cross_validate(X, y, {"A": "C4.5", "B": variant("SE", noise=Noise(sigma=0.1))}, folds=5)
    >>> study.n_done
    10
    >>> compare(study).figures["A"]["accuracy"].value > 0.9
    True
    """
    plan = Plan.of(X, y, models, folds, repeats, random_state, nominal, sample_weight, (0.0,), None)
    return run(plan, n_jobs, backend, progress, cancel, resume)


def robustness(
    X: Any,
    y: Any,
    models: Mapping[str, Any],
    levels: Sequence[float],
    where: str = "training",
    folds: Any = FOLDS,
    repeats: int = 1,
    random_state: int = 0,
    *,
    nominal: Sequence[Any] | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    backend: Any = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    resume: Study | None = None,
) -> Study:
    """Return a cross-validation under noise added to the training data, or to the test data. [S] §5, METHODS §10

    At level n every numeric value gets a normal error whose SD is n times the absolute mean of the variable in the
    training part. Of one split, all levels and models meet the same errors, stretched by the level. `by_level` of
    `engine.comparison` gives accuracy and leaves against the level.

    Parameters
    ----------
    levels : 0 or more, each once. where : "training" or "test". The others, and errors, as `cross_validate`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> study = robustness(X, y, {"C4.5": "C4.5"}, [0.0, 0.5], where="test", folds=5)
    >>> pooled_accuracy(study, "C4.5", 0.0) > pooled_accuracy(study, "C4.5", 0.5)
    True
    """
    if where not in NOISE_IN:
        raise PenumbraError(f"where is {where!r}; noise is added in {' or '.join(NOISE_IN)}.")
    asked = checked_levels(levels)
    plan = Plan.of(X, y, models, folds, repeats, random_state, nominal, sample_weight, asked, where)
    return run(plan, n_jobs, backend, progress, cancel, resume)


# The soft-tree paper's protocol


@dataclass(frozen=True)
class SoftTreeStudy:
    """The soft-tree paper's table for one data set.

    Attributes
    ----------
    confidence : c of the pruning, the same for all. factor : {(variant, level): u} with the best accuracy.
    study : the cross-validation of each variant under its u. searched : that of every u tried.
    """

    confidence: float
    factor: dict[tuple[str, float], float]
    study: Study
    searched: Study


def soft_tree_study(
    X: Any,
    y: Any,
    variants: Sequence[str] = ("C4.5", "SS", "STP"),
    levels: Sequence[float] = (0.0,),
    where: str | None = None,
    *,
    target: float = 15,
    grid: Sequence[float] = NOISE_GRID,
    folds: int = FOLDS,
    repeats: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
    backend: Any = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    resume: Study | None = None,
    **settings: Any,
) -> SoftTreeStudy | None:
    """Return variants under the protocol of the soft-tree paper. [S] §5, METHODS §5, §10

    The pruning confidence is the one that gives C4.5 about `target` leaves. Then each variant gets, at each noise
    level, the factor u with the best accuracy pooled over all splits, the smaller on ties; σ = u·|mean|. As in the
    paper, sizes and accuracies are those of the same splits that chose u, so that they flatter the soft variants.

    Parameters
    ----------
    variants : names in VARIANTS. levels, where : as `robustness`; where None, the data are taken as they are.
    target : leaves. grid : factors tried. settings : constructor arguments for all variants, such as
        `threshold="value"`, the paper's placement; `confidence` fixes c.
    resume : the `searched` study, cut short. progress, cancel and the others as `cross_validate`.

    Returns
    -------
    SoftTreeStudy, None when cancelled: the study so far has gone to `progress`.
    """
    confidence = settings.pop("confidence", None)
    if confidence is None:
        confidence = confidence_for_leaves(X, y, target, nominal=settings.get("nominal"), random_state=random_state)
    factors = checked_grid(grid)
    models: dict[str, Any] = {}
    for name in variants:
        base = variant(name, confidence=confidence, **settings)
        models.update({under(name, u): with_noise(base, u) for u in (factors if reads_noise(base) else factors[:1])})
    asked = checked_levels(levels) if where is not None else (0.0,)
    plan = Plan.of(X, y, models, folds, repeats, random_state, settings.get("nominal"), None, asked, where)
    searched = run(plan, n_jobs, backend, progress, cancel, resume)
    if not searched.complete:
        return None
    chosen = {(name, level): best_factor(searched, name, factors, level) for name in variants for level in asked}
    return SoftTreeStudy(float(confidence), chosen, kept_factors(searched, variants, chosen), searched)


def under(name: str, u: float) -> str:
    """Return the name of a variant under a noise factor."""
    return f"{name}, u = {u:g}"


def reads_noise(model: UncertainTreeClassifier) -> bool:
    """Return True when σ plays a part in growing or reading the model's trees."""
    reads = model.search != "exact" or model.propagation != "hard" or model.evaluation in ("soft", "coherent")
    return bool(reads or model.zone == "noise")


def best_factor(searched: Study, name: str, factors: Sequence[float], level: float) -> float:
    """Return the factor with the best pooled accuracy, the smaller on ties."""
    found = {u: pooled_accuracy(searched, under(name, u), level) for u in factors if under(name, u) in searched.models}
    best = max(accuracy for accuracy in found.values() if accuracy is not None)
    return min(u for u, accuracy in found.items() if accuracy is not None and accuracy >= best - 1e-12)


def kept_factors(searched: Study, variants: Sequence[str], chosen: Mapping[tuple[str, float], float]) -> Study:
    """Return the part of a study that was done under the factors chosen, named by variant alone."""
    keys = {
        name: " ".join(searched.models[under(name, chosen[name, level])] for level in searched.levels)
        for name in variants
    }
    results = [
        replace(r, model=name) for (name, level), u in chosen.items() for r in searched.of(under(name, u), level)
    ]
    return replace(searched, models=keys, results=()).with_results(results)


# What is to be done


@dataclass(frozen=True, eq=False)
class Split:
    """One training part and the patients left out of it."""

    repeat: int
    fold: int
    train: Rows
    test: Rows


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything a study needs: the patients as each model reads them, the models, the splits, the levels of noise."""

    data: dict[str, Data]
    schema: dict[str, Schema]
    models: dict[str, Any]
    splits: list[Split]
    random_state: int
    empty: Study

    @classmethod
    def of(
        cls, X: Any, y: Any, models: Mapping[str, Any], folds: Any, repeats: int, random_state: int,
        nominal: Sequence[Any] | None, sample_weight: Any, levels: tuple[float, ...], noise_in: str | None,
    ) -> Plan:  # fmt: skip
        """Return the plan of a study, checked."""
        named = checked_models(models)
        whole(random_state, "random_state", 0)
        data = data_by_model(X, y, named, nominal, sample_weight)
        any_data = next(iter(data.values()))
        splits = list(all_splits(any_data, folds, whole(repeats, "repeats", 1), random_state))
        labels = read_labels(any_data.y, len(any_data.y))
        empty = Study(
            classes=tuple(c.item() if isinstance(c, np.generic) else c for c in labels.classes),
            truth=tuple(plain_label(label) for label in any_data.y),
            models={name: settings_key(model) for name, model in named.items()},
            levels=levels,
            noise_in=noise_in,
            n_splits=len(splits),
            overlap=float(np.mean([len(s.test) / len(s.train) for s in splits])),
            key=data_key(X, nominal, any_data, splits, random_state),
        )
        schemas = {name: read_schema(part.X) for name, part in data.items()}
        return cls(data, schemas, named, splits, random_state, empty)

    def places(self) -> Iterator[tuple[str, float, int]]:
        """Yield (model, level, split) in the order of work: a split for all models and levels, then the next."""
        for split in range(len(self.splits)):
            for level in self.empty.levels:
                for name in self.models:
                    yield name, level, split


def checked_models(models: Mapping[str, Any]) -> dict[str, Any]:
    """Return the models by name, variants' names made models; refuse none at all and what is no classifier."""
    if not isinstance(models, Mapping) or not models:
        raise PenumbraError("models holds nothing to compare; give {name: classifier or variant's name}.")
    found = {str(name): variant(model) if isinstance(model, str) else model for name, model in models.items()}
    for name, model in found.items():
        if not all(hasattr(model, method) for method in ("fit", "predict_proba", "get_params")):
            raise PenumbraError(
                f"Model {name!r} is a {type(model).__name__} without fit or predict_proba; give a classifier that "
                "predicts probabilities."
            )
    return found


def whole(value: Any, what: str, least: int) -> int:
    """Return a whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise PenumbraError(f"{what} is {value!r}; give a whole number, {least} or more.")
    return int(value)


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Return the levels in rising order, each once; refuse none at all, and what is no level."""
    found = tuple(sorted({float(level) for level in levels}))
    if not found or not all(0.0 <= level < math.inf for level in found):
        raise PenumbraError("levels holds no level, or one that is negative or no number; give numbers, 0 or more.")
    return found


def data_by_model(
    X: Any, y: Any, models: Mapping[str, Any], nominal: Sequence[Any] | None, sample_weight: Any
) -> dict[str, Data]:
    """Return the patients as each model reads them: nominal columns as the study says, or else as the model does."""
    read: dict[tuple[Any, ...], Data] = {}
    found = {}
    for name, model in models.items():
        own = model.nominal if isinstance(model, UncertainTreeClassifier) else None
        columns = tuple((own if nominal is None else nominal) or ())
        if columns not in read:
            read[columns] = read_data(X, y, columns, sample_weight)
        found[name] = read[columns]
    return found


def all_splits(data: Data, folds: Any, repeats: int, random_state: int) -> Iterator[Split]:
    """Yield the splits: of seeded, stratified folds, or those of a scikit-learn splitter."""
    if hasattr(folds, "split"):
        if repeats != 1:
            raise PenumbraError("repeats goes with a number of folds; a splitter repeats by itself.")
        yield from splits_of(folds, data)
        return
    n_folds = whole(folds, "folds", 2)
    for repeat in range(repeats):
        fold = stratified_folds(data.code, n_folds, random_state + repeat)
        for k in range(int(fold.max()) + 1):
            yield Split(repeat, k, np.flatnonzero(fold != k), np.flatnonzero(fold == k))


def splits_of(splitter: Any, data: Data) -> Iterator[Split]:
    """Yield a splitter's splits; one that leaves out a patient again begins another repeat."""
    left_out, places = np.zeros(len(data.y), dtype=np.int64), dict[int, int]()
    for train, test in splitter.split(data.X, data.code):
        repeat = int(left_out[test].max())
        left_out[test] = repeat + 1
        places[repeat] = places.get(repeat, -1) + 1
        yield Split(repeat, places[repeat], np.asarray(train), np.asarray(test))


def data_key(X: Any, nominal: Sequence[Any] | None, data: Data, splits: Sequence[Split], random_state: int) -> str:
    """Return a short text that differs where patients, labels, weights, splits or the seed do."""
    schema, labels = read_schema(X, nominal), read_labels(data.y, len(data.y))
    digest = hashlib.sha256(repr((schema.names, schema.categories, list(labels.classes), random_state)).encode())
    for array in (schema.encode(X), labels.code, labels.member, data.weight):
        digest.update(np.ascontiguousarray(array).tobytes())
    for split in splits:
        digest.update(split.train.tobytes() + b"|" + split.test.tobytes())
    return digest.hexdigest()


def settings_key(model: Any) -> str:
    """Return a short text that differs where a model's kind or settings do."""
    text = json.dumps([type(model).__qualname__, model.get_params(deep=True)], sort_keys=True, default=setting_out)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def setting_out(value: Any) -> Any:
    """Return a setting that JSON cannot hold as something that it can."""
    if isinstance(value, Noise):
        return value.to_dict()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    return type(value).__qualname__ if hasattr(value, "get_params") else repr(value)


# Doing it


def run(
    plan: Plan, n_jobs: int | None, backend: Any, progress: Progress | None, cancel: Cancel | None, resume: Study | None
) -> Study:
    """Return the study that a plan describes, or as much of it as was done before it was cancelled."""
    done = [] if resume is None else taken_up(resume, plan)
    finished = {r.place for r in done}
    left = [place for place in plan.places() if place not in finished]
    if cancel is not None and cancel():
        return plan.empty.with_results(done)
    with contextlib.closing(in_parallel(plan, left, n_jobs, backend)) as results:
        for result in results:
            done.append(result)
            if progress is not None:
                progress(plan.empty.with_results(done))
            if cancel is not None and cancel():
                break
    return plan.empty.with_results(done)


def taken_up(before: Study, plan: Plan) -> list[FoldResult]:
    """Return the results that still hold; refuse a study of other patients, splits or seed, or one that was altered."""
    empty = plan.empty
    if (before.key, before.noise_in) != (empty.key, empty.noise_in):
        raise PenumbraError(
            "The study to resume is of other patients, labels, folds, noise or seed; run it with those, or start anew."
        )
    alike = (before.classes, before.n_splits) == (empty.classes, empty.n_splits)
    if not alike or not all(stands_in(r, plan.splits) for r in before.results):
        raise PenumbraError(UNREADABLE)
    return [
        r for r in before.results
        if empty.models.get(r.model) == before.models[r.model] and r.level in empty.levels
    ]  # fmt: skip


def stands_in(result: FoldResult, splits: Sequence[Split]) -> bool:
    """Return whether a result is of the patients whom its split leaves out."""
    split = splits[result.split]
    return (result.repeat, result.fold) == (split.repeat, split.fold) and np.array_equal(result.rows, split.test)


def in_parallel(
    plan: Plan, places: Sequence[tuple[str, float, int]], n_jobs: int | None, backend: Any
) -> Generator[FoldResult, None, None]:
    """Yield results as they are finished, on any joblib backend.

    Patients' values would go to a file where joblib maps large arrays to memory, so it is told not to.
    """
    calls = [joblib.delayed(one_fold)(*plan_part(plan, place)) for place in places]
    try:
        workers = joblib.Parallel(n_jobs=n_jobs, backend=backend, max_nbytes=None, return_as="generator_unordered")
    except ValueError:  # a backend that can only return all at once, such as multiprocessing
        workers = joblib.Parallel(n_jobs=n_jobs, backend=backend, max_nbytes=None)
        at_once = max(1, joblib.effective_n_jobs(n_jobs))
        for start in range(0, len(calls), at_once):
            yield from workers(calls[start : start + at_once])
        return
    with contextlib.closing(workers(calls)) as finished:
        yield from finished


def plan_part(plan: Plan, place: tuple[str, float, int]) -> tuple[Any, ...]:
    """Return the arguments of `one_fold`."""
    name, level, number = place
    split, study = plan.splits[number], plan.empty
    seeds = np.random.SeedSequence([plan.random_state, number]).generate_state(2)
    part = Part(plan.data[name], plan.schema[name], split, level, study.noise_in, int(seeds[0]))
    return place, plan.models[name], part, study.classes, int(seeds[1] >> 1)


@dataclass(frozen=True, eq=False)
class Part:
    """A split of the patients with noise added in one of its parts."""

    data: Data
    schema: Schema
    split: Split
    level: float
    noise_in: str | None
    seed: int

    def training(self) -> tuple[pd.DataFrame, NDArray[Any], Floats]:
        """Return X, labels and weights to train on."""
        X, y, weight = self.data.part(self.split.train)
        return (self.noisy(self.split.train) if self.noise_in == "training" else X), y, weight

    def test(self) -> pd.DataFrame:
        """Return X of the patients left out."""
        return self.noisy(self.split.test) if self.noise_in == "test" else self.data.X.iloc[self.split.test]

    def noisy(self, rows: Rows) -> pd.DataFrame:
        """Return X of some patients, its numbers with an error of `level` times |mean of the training part|.

        Errors are drawn by variable for all patients of the study, so that they depend on neither level nor model.
        """
        X = self.data.X.iloc[rows]
        if self.level == 0.0:
            return X
        noisy: dict[str, Any] = {}
        for j in np.flatnonzero(self.schema.numeric):
            name = self.schema.names[j]
            column = numbers(name, self.data.X[name])
            known = column[self.split.train][~np.isnan(column[self.split.train])]
            sd = self.level * abs(float(known.mean())) if len(known) else 0.0
            error = np.random.default_rng([self.seed, int(j)]).standard_normal(len(column))
            noisy[name] = (column + sd * error)[rows]
        return X.assign(**noisy)


def one_fold(place: tuple[str, float, int], model: Any, part: Part, classes: tuple[Any, ...], seed: int) -> FoldResult:
    """Return what a model grown on the training part says of the patients left out."""
    name, level, number = place
    split = part.split
    fresh = seeded(clone(model), seed)
    try:
        start = time.perf_counter()
        fitted = fit(fresh, *part.training(), classes)
        seconds = time.perf_counter() - start
        said = predictions(fitted, part.test(), classes)
    except PenumbraError as error:
        raise PenumbraError(f"Model {name!r}, fold {split.fold + 1} of repeat {split.repeat + 1}: {error}") from error
    except (TypeError, ValueError) as error:
        raise PenumbraError(
            f"Model {name!r} ({type(model).__name__}) cannot take fold {split.fold + 1} of repeat {split.repeat + 1}; "
            "it may not allow missing values or categories: put it in a pipeline that prepares them."
        ) from error
    return FoldResult(name, level, number, split.repeat, split.fold, split.test, *said, *size_of(fitted), seconds)


def seeded(model: Any, seed: int) -> Any:
    """Return the model with every `random_state` left open set to `seed`."""
    open_ones = [k for k, v in model.get_params().items() if k.split("__")[-1] == "random_state" and v is None]
    return model.set_params(**dict.fromkeys(open_ones, seed)) if open_ones else model


def fit(model: Any, X: pd.DataFrame, y: NDArray[Any], weight: Floats, classes: tuple[Any, ...]) -> Any:
    """Return the fitted model; one of scikit-learn's sees patients with one known class only."""
    if isinstance(model, UncertainTreeClassifier):
        # The columns say themselves which are nominal, with the categories of all patients.
        return model.set_params(nominal=None).fit(X, y, sample_weight=weight)
    code = {c: k for k, c in enumerate(classes)}
    known = np.array([single_class(label) is not None for label in y])
    truth = np.array(classes)[[code[single_class(label)] for label in y[known]]]
    if (weight == 1.0).all():
        return model.fit(X[known], truth)
    if not has_fit_parameter(model, "sample_weight"):
        raise PenumbraError(f"{type(model).__name__} takes no sample_weight; leave it out, or the weights.")
    return model.fit(X[known], truth, sample_weight=weight[known])


def predictions(
    model: Any, X: pd.DataFrame, classes: tuple[Any, ...]
) -> tuple[Floats, NDArray[np.int64], tuple[Any, ...], NDArray[np.bool_]]:
    """Return probabilities (m, K), predicted positions (m,), answers and verdicts of the patients left out."""
    code = {c: k for k, c in enumerate(classes)}
    probability = np.zeros((len(X), len(classes)))
    probability[:, [code[plain_label(c)] for c in model.classes_]] = model.predict_proba(X)
    predicted = np.array([code[plain_label(c)] for c in model.predict(X)], dtype=np.int64)
    if not isinstance(model, UncertainTreeClassifier):
        return probability, predicted, tuple(classes[k] for k in predicted), np.ones(len(X), dtype=np.bool_)
    answers = tuple(map(plain_label, model.decide(X)))
    return probability, predicted, answers, model.decided(X)


def size_of(model: Any) -> tuple[int | None, int | None, int | None]:
    """Return leaves, depth and nodes of a tree, ours or scikit-learn's; None each for any other model."""
    if isinstance(model, UncertainTreeClassifier):
        return model.n_leaves_, model.depth_, model.tree_.n_nodes
    if hasattr(model, "get_n_leaves") and hasattr(model, "get_depth"):
        return int(model.get_n_leaves()), int(model.get_depth()), int(model.tree_.node_count)
    return None, None, None
