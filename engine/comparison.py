"""Models compared: what a study's predictions come to, with intervals and paired tests.

In: a `Study`. Out: one `Figure` a model and measure, and one `Pair` for every two models; plain frozen records.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine import metrics
from engine.errors import PenumbraError
from engine.study_results import FoldResult, Study

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pool:
    """Patients left out of one or more folds, and the trees that spoke of them.

    Attributes
    ----------
    truth, predicted, answers : m labels. decided : (m,). probability : (m, K). classes : K. positive : a class or None.
    folds : the results pooled.
    """

    truth: list[Any]
    predicted: list[Any]
    answers: list[Any]
    decided: list[bool]
    probability: Floats
    classes: tuple[Any, ...]
    positive: Any
    folds: tuple[FoldResult, ...]

    @classmethod
    def of(cls, study: Study, folds: Sequence[FoldResult], positive: Any = None) -> Pool:
        """Return the patients of some results of a study, one after the other."""
        return cls(
            truth=[study.truth[row] for r in folds for row in r.rows],
            predicted=[study.classes[k] for r in folds for k in r.predicted],
            answers=[answer for r in folds for answer in r.answers],
            decided=[bool(d) for r in folds for d in r.decided],
            probability=np.concatenate([r.probability for r in folds]),
            classes=study.classes,
            positive=positive,
            folds=tuple(folds),
        )


def f1(pool: Pool) -> float | None:
    """Return F1 of the positive class, the mean over classes where none is named."""
    if pool.positive is None:
        return metrics.macro_f1(pool.truth, pool.predicted)
    return metrics.f1_score(pool.truth, pool.predicted, pool.positive)


def calibration_error(pool: Pool) -> float | None:
    """Return the expected calibration error of the predicted class's probability, ten bins of equal width."""
    sure, right = metrics.confidence(pool.truth, pool.probability, pool.classes)
    return metrics.expected_calibration_error(sure, right)


def decided_accuracy(pool: Pool) -> float | None:
    """Return the accuracy on patients whom no zone leaves undecided. [T]"""
    return metrics.zone_metrics(pool.truth, pool.predicted, pool.decided).decided_accuracy


def mean_size(name: str) -> Callable[[Pool], float | None]:
    """Return the mean over folds of a number that each has, None where a model has none."""

    def measure(pool: Pool) -> float | None:
        return metrics.mean_or_none(n for r in pool.folds if (n := getattr(r, name)) is not None)

    return measure


FIGURES: dict[str, Callable[[Pool], float | None]] = {
    "accuracy": lambda p: metrics.accuracy(p.truth, p.predicted),
    "balanced_accuracy": lambda p: metrics.balanced_accuracy(p.truth, p.predicted),
    "f1": f1,
    "answered_accuracy": lambda p: metrics.accuracy(p.truth, p.answers),
    "answered_balanced_accuracy": lambda p: metrics.balanced_accuracy(p.truth, p.answers),
    "abstention_rate": lambda p: metrics.abstention_rate(p.answers),
    "decided_accuracy": decided_accuracy,
    "undecided_rate": lambda p: metrics.mean_or_none(not d for d in p.decided),
    "auc": lambda p: metrics.macro_auc(p.truth, p.probability, p.classes),
    "brier": lambda p: metrics.brier_score(p.truth, p.probability, p.classes),
    "calibration_error": calibration_error,
    "leaves": mean_size("leaves"),
    "depth": mean_size("depth"),
    "nodes": mean_size("nodes"),
    "fit_seconds": mean_size("fit_seconds"),
}
UNBOUNDED = frozenset({"leaves", "depth", "nodes", "fit_seconds"})
LEAST = {"leaves": 1.0, "nodes": 1.0}  # a tree that never splits is one leaf
LARGEST = {"brier": 2.0}


@dataclass(frozen=True)
class Figure:
    """One measure of one model: its value, a confidence interval, and what each fold alone gives; None = undefined."""

    name: str
    model: str
    value: float | None
    interval: tuple[float, float] | None
    by_fold: tuple[float | None, ...]


@dataclass(frozen=True)
class Pair:
    """Two models on one measure, fold by fold (or data set by data set).

    Attributes
    ----------
    figure, first, second : the measure and the models. differences : first - second of each fold both have.
    mean_difference, interval : of the differences; the interval allows for training parts that share patients.
    p_value : Wilcoxon's, two-sided; 1 when no pair differs. adjusted_p : after Holm, over all pairs on this measure.
    """

    figure: str
    first: str
    second: str
    differences: tuple[float, ...]
    mean_difference: float | None
    interval: tuple[float, float] | None
    p_value: float
    adjusted_p: float


@dataclass(frozen=True)
class Comparison:
    """Every measure of every model, and every two models on every measure.

    Attributes
    ----------
    figures : {model: {measure: Figure}}. pairs : in the order of measures, then of models. n_folds : {model: how many}.
    """

    figures: dict[str, dict[str, Figure]]
    pairs: tuple[Pair, ...]
    n_folds: dict[str, int]

    def table(self) -> pd.DataFrame:
        """Return the values, one row a model, one column a measure, NaN where undefined."""
        values = {m: {name: f.value for name, f in row.items()} for m, row in self.figures.items()}
        return pd.DataFrame.from_dict(values, orient="index").astype(np.float64)

    def pair(self, figure: str, first: str, second: str) -> Pair:
        """Return the pair of two models on a measure, in the order in which the study holds them."""
        found = [p for p in self.pairs if (p.figure, p.first, p.second) == (figure, first, second)]
        if not found:
            raise PenumbraError(f"There is no pair {first!r}, {second!r} on {figure!r}; models stand in study order.")
        return found[0]

    def rows(self) -> list[dict[str, Any]]:
        """Return every figure as plain numbers, one row a model and measure; tests are against the first model.

        `difference` is the model's figure less the first model's, with its own interval; None where undefined.
        """
        told = []
        first = next(iter(self.figures), "")
        for model, row in self.figures.items():
            for name, figure in row.items():
                low, high = figure.interval or (None, None)
                record: dict[str, Any] = {
                    "model": model, "measure": name, "value": figure.value, "low": low, "high": high,
                    "folds": sum(v is not None for v in figure.by_fold),
                }  # fmt: skip
                told.append(record | _against(None if model == first else self.pair(name, first, model)))
        return told


def _against(pair: Pair | None) -> dict[str, Any]:
    """Return a pair as plain numbers, the second model less the first; nothing where no fold has both."""
    names = ("difference", "difference_low", "difference_high", "pairs", "p", "p_holm")
    if pair is None or pair.mean_difference is None:
        return dict.fromkeys(names)
    low, high = (None, None) if pair.interval is None else (-pair.interval[1], -pair.interval[0])
    told = (-pair.mean_difference, low, high, len(pair.differences), pair.p_value, pair.adjusted_p)
    return dict(zip(names, told, strict=True))


def compare(
    study: Study, figures: Sequence[str] | None = None, positive: Any = None, level: float = 0.0, coverage: float = 0.95
) -> Comparison:
    """Return what the models of a study come to, and how every two of them differ.

    Parameters
    ----------
    study : finished or not; a model without results is left out.
    figures : measures, keys of FIGURES, all unless given. positive : the class of F1; None = the mean over classes.
    level : the noise level to compare at. coverage : of the intervals.

    Returns
    -------
    Comparison. A measure is worked out on all patients of a repeat together, then averaged over the repeats. Sizes and
    times are means over folds.

    Raises
    ------
    PenumbraError
        For an unknown measure, class or level.

    Notes
    -----
    Intervals are Student's over the figures of the folds, widened for training parts that share patients (Nadeau &
    Bengio 2003), and stand around the pooled value, cut off where the measure ends. Wilcoxon's test knows nothing of
    shared patients, so that its p within one data set is too small; over data sets, see `compare_sets`, it is right.
    Patients whose truth is not one class count in abstention and undecided rates alone.
    """
    names = checked_figures(figures)
    if positive is not None:
        metrics.code_of(positive, study.classes, "positive")
    folds = {m: found for m in study.models if (found := study.of(m, level))}
    table = {m: {name: figure_of(study, found, name, positive, coverage) for name in names}
             for m, found in folds.items()}  # fmt: skip
    splits = {m: [r.split for r in found] for m, found in folds.items()}
    pairs: list[Pair] = []
    for name in names:
        by_split = {m: dict(zip(splits[m], table[m][name].by_fold, strict=True)) for m in folds}
        pairs.extend(all_pairs(name, by_split, study.overlap, coverage))
    return Comparison(table, tuple(pairs), {m: len(found) for m, found in folds.items()})


def by_level(
    study: Study, figures: Sequence[str] = ("accuracy", "leaves"), positive: Any = None, coverage: float = 0.95
) -> dict[str, dict[str, dict[float, Figure]]]:
    """Return {measure: {model: {level: Figure}}}: the curves of a noise experiment. [S] §5

    Levels without results yet are left out. Parameters, intervals and errors as `compare`.
    """
    return {
        name: {
            model: {
                level: figure_of(study, found, name, positive, coverage)
                for level in study.levels
                if (found := study.of(model, level))
            }
            for model in study.models
        }
        for name in checked_figures(figures)
    }


def compare_sets(comparisons: Mapping[str, Comparison], figure: str = "accuracy") -> tuple[Pair, ...]:
    """Return every two models on one measure over several data sets, as the papers test them. [S], [C]

    Parameters
    ----------
    comparisons : {data set: Comparison}. figure : the measure. Models that a data set lacks are not paired on it.
    """
    checked_figures([figure])
    models = dict.fromkeys(m for c in comparisons.values() for m in c.figures)
    values = {
        m: {name: c.figures[m][figure].value for name, c in comparisons.items() if m in c.figures} for m in models
    }
    return tuple(all_pairs(figure, values, 0.0, 0.95))


def pooled_accuracy(study: Study, model: str, level: float = 0.0) -> float | None:
    """Return a model's accuracy on all patients left out, pooled over splits; None without results. METHODS §10"""
    found = study.of(model, level)
    return FIGURES["accuracy"](Pool.of(study, found)) if found else None


def checked_figures(figures: Sequence[str] | None) -> tuple[str, ...]:
    """Return the measures asked for, or say which there are."""
    names = tuple(FIGURES) if figures is None else tuple(figures)
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise PenumbraError(f"There is no measure {unknown[0]!r}; the measures are {', '.join(FIGURES)}.")
    return names


def figure_of(study: Study, folds: Sequence[FoldResult], name: str, positive: Any, coverage: float) -> Figure:
    """Return one measure of one model's results."""
    measure = FIGURES[name]
    repeats = [[r for r in folds if r.repeat == k] for k in sorted({r.repeat for r in folds})]
    found = [measure(Pool.of(study, part, positive)) for part in repeats]
    value = metrics.mean_or_none(v for v in found if v is not None)
    alone = tuple(measure(Pool.of(study, [r], positive)) for r in folds)
    return Figure(name, folds[0].model, value, interval_around(name, value, alone, study.overlap, coverage), alone)


def interval_around(
    name: str, value: float | None, by_fold: Iterable[float | None], overlap: float, coverage: float
) -> tuple[float, float] | None:
    """Return an interval as wide as the folds' own, around the pooled value and within the measure's ends."""
    found = metrics.mean_interval(by_fold, coverage, overlap)
    if value is None or found is None:
        return None
    half = (found[1] - found[0]) / 2.0
    most = np.inf if name in UNBOUNDED else LARGEST.get(name, 1.0)
    return max(LEAST.get(name, 0.0), value - half), min(most, value + half)


def all_pairs(
    figure: str, values: Mapping[str, Mapping[Any, float | None]], overlap: float, coverage: float
) -> list[Pair]:
    """Return every two models on one measure, from {model: {fold or data set: value}}."""
    found = [
        paired(figure, first, second, values[first], values[second], overlap, coverage)
        for first, second in itertools.combinations(values, 2)
    ]
    adjusted = holm([pair.p_value for pair in found])
    return [Pair(**{**vars(pair), "adjusted_p": p}) for pair, p in zip(found, adjusted, strict=True)]


def paired(
    figure: str, first: str, second: str, one: Mapping[Any, float | None], other: Mapping[Any, float | None],
    overlap: float, coverage: float,
) -> Pair:  # fmt: skip
    """Return two models where both have a value; p is not adjusted yet."""
    both = [(a, b) for k, a in one.items() if a is not None and (b := other.get(k)) is not None]
    differences = tuple(a - b for a, b in both)
    test = metrics.wilcoxon([a for a, _ in both], [b for _, b in both])
    p = 1.0 if test is None else test.p_value
    interval = metrics.mean_interval(differences, coverage, overlap)
    return Pair(figure, first, second, differences, metrics.mean_or_none(differences), interval, p, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted for how many there are, in the order given. Holm 1979

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, so_far = [1.0] * len(p_values), 0.0
    for rank, k in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[k]))
        adjusted[k] = so_far
    return adjusted
