"""Model facts: what can be known of a fitted tree from its data, its file and a cross-validation; plain data, no words.

In: patients and labels, a model's JSON, a study's results. Out: counts, figures with intervals, calibration bins.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from engine import metrics
from engine.comparison import compare
from engine.errors import PenumbraError
from engine.metrics import single_class
from engine.study_results import Study, plain_label

MEASURES = (
    "abstention_rate",
    "answered_accuracy",
    "accuracy",
    "balanced_accuracy",
    "auc",
    "brier",
    "calibration_error",
)


@dataclass(frozen=True)
class Labels:
    """How many patients have one class, several still possible, or none known; and how many each class has."""

    one: int
    several: int
    none: int
    by_class: dict[Any, int]

    @property
    def n(self) -> int:
        """All patients."""
        return self.one + self.several + self.none


@dataclass(frozen=True)
class Measured:
    """One figure on patients left out, and its 95 % interval; None = undefined."""

    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class CalibrationBin:
    """Patients whose best class has P in (low, high]: how many, mean P, how often it was right and its 95 % range."""

    low: float
    high: float
    n: int
    mean_probability: float
    rate: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Validation:
    """What trees grown the same way come to on patients left out.

    Attributes
    ----------
    figures : {"answered", "answered_accuracy", "accuracy", "balanced_accuracy", "auc", "brier", "calibration_error"}.
    base_brier : the Brier score of telling every patient the class shares of all. n : patients with one known class.
    folds, repeats : of the cross-validation, whole repeats alone. bins : of the first repeat, so that each patient
        counts once.
    """

    figures: dict[str, Measured]
    base_brier: float | None
    n: int
    folds: int
    repeats: int
    bins: tuple[CalibrationBin, ...]


def fingerprint(model_json: str) -> str:
    """Return the SHA-256 of a model's JSON, as any checksum program gives it for the file.

    Examples
    --------
    >>> fingerprint("{}")[:8]
    '44136fa3'
    """
    return hashlib.sha256(model_json.encode()).hexdigest()


def software_version() -> str:
    """Return the version of this program: of the checkout it runs from, else of the installed package."""
    project = Path(__file__).resolve().parent.parent / "pyproject.toml"
    if project.exists():
        stated = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
        if stated.get("name") == "penumbra":
            return str(stated["version"])
    try:
        return importlib.metadata.version("penumbra")
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def label_counts(y: Sequence[Any], classes: Sequence[Any]) -> Labels:
    """Return how many of `n` labels are one class, several or none. METHODS §1

    Examples
    --------
    >>> label_counts(["ill", "well", None, ("ill", "well")], ["ill", "well"])
    Labels(one=2, several=1, none=1, by_class={'ill': 1, 'well': 1})
    """
    known = [plain_label(label) for label in y]
    one = [label for label in known if single_class(label) is not None]
    several = sum(isinstance(label, frozenset) for label in known)
    return Labels(len(one), several, len(known) - len(one) - several, {c: one.count(c) for c in classes})


def missing_counts(X: pd.DataFrame) -> dict[str, int]:
    """Return how many values of each variable are missing."""
    return {str(name): int(n) for name, n in X.isna().sum().items()}


def validation(study: Study, model: str, folds: int) -> Validation:
    """Return what a model of a study comes to on the patients left out.

    Parameters
    ----------
    study : a repeated cross-validation, finished or cut short. model : its name there. folds : of each repeat.

    Raises
    ------
    PenumbraError
        When not even one repeat is whole.
    """
    results = study.of(model)
    whole = [k for k in sorted({r.repeat for r in results}) if sum(r.repeat == k for r in results) == folds]
    if not whole:
        raise PenumbraError(f"No repeat of the {folds} folds is finished; let the cross-validation run longer.")
    done = replace(study, models={model: study.models[model]}, results=tuple(r for r in results if r.repeat in whole))
    found = compare(done, MEASURES).figures[model]
    figures = {name: Measured(found[name].value, found[name].interval) for name in MEASURES}
    figures = {"answered": _rest(figures.pop("abstention_rate")), **figures}
    known = [label for label in study.truth if single_class(label) is not None]
    shares = [known.count(c) / len(known) for c in study.classes] if known else []
    base = metrics.brier_score(known, [shares] * len(known), study.classes) if known else None
    return Validation(figures, base, len(known), folds, len(whole), _bins(done, whole[0]))


def _rest(part: Measured) -> Measured:
    """The figure of those who are not in a part."""
    value = None if part.value is None else 1.0 - part.value
    return Measured(value, None if part.interval is None else (1.0 - part.interval[1], 1.0 - part.interval[0]))


def _bins(study: Study, repeat: int) -> tuple[CalibrationBin, ...]:
    """The bins of the calibration error, of one repeat."""
    results = [r for r in study.results if r.repeat == repeat]
    truth = [study.truth[row] for r in results for row in r.rows]
    sure, right = metrics.confidence(truth, [p for r in results for p in r.probability], study.classes)
    found = []
    for each in metrics.reliability(sure, right):
        interval = metrics.rate_interval(round(each.rate * each.n), each.n) or (0.0, 1.0)
        found.append(CalibrationBin(each.low, each.high, each.n, each.mean_probability, each.rate, interval))
    return tuple(found)
