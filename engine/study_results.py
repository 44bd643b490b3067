"""What a cross-validated study has found so far: one record a fold, model and noise level, kept as JSON on request.

In: predictions of patients left out, sizes and times. Out: a `Study`, which can be written, read and taken up again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.decide import Rule, decide
from engine.errors import PenumbraError
from engine.labels import is_missing

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Bools = NDArray[np.bool_]
FORMAT, VERSION = "penumbra-study", 1
LONGEST = 500_000_000  # characters
SUM_SLACK = 1e-6
UNREADABLE = "This is no readable study: it is cut short, altered, or of another kind. Choose a file saved by Compare."


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What one model, grown on one training part, said of the patients left out.

    Attributes
    ----------
    model : its name. level : the level of added noise, 0 = the data as they are.
    split : which training part, counted over all repeats. repeat, fold : the same place as two numbers, from 0.
    rows : (m,) which patients were left out. probability : (m, K), columns in the order of the study's classes.
    predicted : (m,) position of the predicted class. answers : m answers: a class, None = abstained, or a frozenset
        of several classes.
    decided : (m,) True where no zone was entered; all True for a model without verdicts.
    leaves, depth, nodes : size of the tree, None for a model that is no single tree. fit_seconds : of the fit alone.
    """

    model: str
    level: float
    split: int
    repeat: int
    fold: int
    rows: Codes
    probability: Floats
    predicted: Codes
    answers: tuple[Any, ...]
    decided: Bools
    leaves: int | None
    depth: int | None
    nodes: int | None
    fit_seconds: float

    @property
    def place(self) -> tuple[str, float, int]:
        """Model, level and split, which no other result of the study shares."""
        return self.model, self.level, self.split


@dataclass(frozen=True, eq=False)
class Study:
    """A cross-validation, finished or cut short: every model on the same splits.

    Attributes
    ----------
    classes : K classes. truth : n labels: a class, None = unlabelled, or a frozenset of classes.
    models : {name: key of its settings}. levels : noise levels, (0,) in a plain cross-validation.
    noise_in : "training" or "test", where noise is added; None in a plain cross-validation.
    n_splits : training parts, over all repeats. overlap : mean size of a test part over that of its training part.
    key : of the data, the splits and the seed; only a study with the same key can be taken up again.
    results : those there are so far, in the order of models, levels and splits.
    """

    classes: tuple[Any, ...]
    truth: tuple[Any, ...]
    models: dict[str, str]
    levels: tuple[float, ...]
    noise_in: str | None
    n_splits: int
    overlap: float
    key: str
    results: tuple[FoldResult, ...] = ()

    def __repr__(self) -> str:
        """Say what was compared, and point to the functions that read it."""
        names = ", ".join(self.models)
        levels = f" at levels {', '.join(map(str, self.levels))}" if self.noise_in else ""
        reading = "engine.comparison.by_level" if self.noise_in else "engine.comparison.compare"
        return f"<Study of {names}{levels}: {self.n_done} of {self.n_total} results; read it with {reading}>"

    @property
    def n_total(self) -> int:
        """How many results the whole study has."""
        return len(self.models) * len(self.levels) * self.n_splits

    @property
    def n_done(self) -> int:
        """How many results there are."""
        return len(self.results)

    @property
    def complete(self) -> bool:
        """True when nothing is left to do."""
        return self.n_done == self.n_total

    def of(self, model: str, level: float = 0.0) -> tuple[FoldResult, ...]:
        """Return the results of one model at one noise level, in the order of the splits."""
        if model not in self.models or level not in self.levels:
            raise PenumbraError(
                f"The study has no model {model!r} at level {level:g}; its models are {', '.join(self.models)}, "
                f"its levels {', '.join(f'{known:g}' for known in self.levels)}."
            )
        return tuple(r for r in self.results if r.model == model and r.level == level)

    def with_results(self, results: Sequence[FoldResult]) -> Study:
        """Return the study with these results, put in order."""
        place = {name: k for k, name in enumerate(self.models)}
        ordered = sorted(results, key=lambda r: (place[r.model], r.level, r.split))
        return replace(self, results=tuple(ordered))

    def with_rule(self, rule: Rule, models: Sequence[str] | None = None) -> Study:
        """Return the study with answers by another decision rule; no tree is grown again. METHODS §6

        Parameters
        ----------
        rule : the decision with its τ or costs, on each patient's probabilities; predictions and verdicts stay.
        models : those it holds for, all unless given. Their settings count as changed: keep the original to resume.

        Examples
        --------
        >>> from engine.decide import Rule
        >>> study = Study(("ill", "well"), ("ill",), {}, (0.0,), None, 1, 1.0, "")
        >>> study.with_rule(Rule("tau", tau=0.8)).n_done
        0
        """
        chosen = set(self.models if models is None else models)
        results = [
            replace(r, answers=tuple(map(plain_label, decide(r.probability, self.classes, rule))))
            if r.model in chosen
            else r
            for r in self.results
        ]
        keys = {name: f"{key} {rule!r}" if name in chosen else key for name, key in self.models.items()}
        return replace(self, models=keys, results=tuple(results))

    def to_json(self) -> str:
        """Return the study as JSON text: labels and predictions, none of the patients' measured values."""
        code = {c: k for k, c in enumerate(self.classes)}
        record = {
            "format": FORMAT,
            "version": VERSION,
            "classes": self.classes,
            "truth": [label_out(label, code) for label in self.truth],
            "models": self.models,
            "levels": self.levels,
            "noise_in": self.noise_in,
            "n_splits": self.n_splits,
            "overlap": self.overlap,
            "key": self.key,
            "results": [result_out(r, code) for r in self.results],
        }
        return json.dumps(record, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Study:
        """Return the study that `to_json` wrote.

        Raises
        ------
        PenumbraError
            When the text is no study, is cut short or altered, or has another version.
        """
        if len(text) > LONGEST:
            raise PenumbraError(f"The study is longer than {LONGEST} characters and is not read.")
        try:
            record = json.loads(text)
            if record["format"] != FORMAT:
                raise PenumbraError(UNREADABLE)
            if record["version"] != VERSION:
                raise PenumbraError(
                    f"The study has version {record['version']!r}; this program reads version {VERSION}. Run it again."
                )
            study = study_in(record)
        except PenumbraError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
            raise PenumbraError(UNREADABLE) from error
        check_study(study)
        return study


def plain_label(label: Any) -> Any:
    """Return a label as a class, None where it is missing, or a frozenset; a set of one is its class."""
    if isinstance(label, (set, frozenset, tuple, list)):
        members = frozenset(c.item() if isinstance(c, np.generic) else c for c in label)
        return next(iter(members)) if len(members) == 1 else members
    if is_missing(label):
        return None
    return label.item() if isinstance(label, np.generic) else label


def label_out(label: Any, code: Mapping[Any, int]) -> Any:
    """Return a label or answer as JSON holds it: the position of its class, a list of positions, or null."""
    if isinstance(label, frozenset):
        return sorted(code[c] for c in label)
    return None if label is None else code[label]


def label_in(held: Any, classes: Sequence[Any]) -> Any:
    """Return a label or answer from what `label_out` wrote."""
    if isinstance(held, list):
        return frozenset(classes[position(k, len(classes))] for k in held)
    return None if held is None else classes[position(held, len(classes))]


def position(held: Any, n: int) -> int:
    """Return a position from 0 to below n; refuse anything else."""
    if type(held) is not int or not 0 <= held < n:
        raise PenumbraError(UNREADABLE)
    return held


def count_or_none(held: Any) -> int | None:
    """Return a number of leaves, nodes or levels, None for a model that is no tree."""
    return None if held is None else position(held, 2**31)


def result_out(result: FoldResult, code: Mapping[Any, int]) -> dict[str, Any]:
    """Return one result as JSON holds it."""
    held = dict(vars(result))
    for name in ("rows", "probability", "predicted", "decided"):
        held[name] = held[name].tolist()
    held["answers"] = [label_out(answer, code) for answer in result.answers]
    return held


def result_in(held: Mapping[str, Any], classes: Sequence[Any]) -> FoldResult:
    """Return one result from what `result_out` wrote."""
    rows = [position(row, 2**31) for row in held["rows"]]
    return FoldResult(
        model=str(held["model"]),
        level=float(held["level"]),
        split=position(held["split"], 2**31),
        repeat=position(held["repeat"], 2**31),
        fold=position(held["fold"], 2**31),
        rows=np.array(rows, dtype=np.int64),
        probability=np.array(held["probability"], dtype=np.float64).reshape(len(rows), len(classes)),
        predicted=np.array([position(k, len(classes)) for k in held["predicted"]], dtype=np.int64),
        answers=tuple(label_in(answer, classes) for answer in held["answers"]),
        decided=np.array([bool(d) for d in held["decided"]], dtype=np.bool_),
        leaves=count_or_none(held["leaves"]),
        depth=count_or_none(held["depth"]),
        nodes=count_or_none(held["nodes"]),
        fit_seconds=float(held["fit_seconds"]),
    )


def study_in(record: Mapping[str, Any]) -> Study:
    """Return a study from its JSON record."""
    classes = tuple(record["classes"])
    return Study(
        classes=classes,
        truth=tuple(label_in(label, classes) for label in record["truth"]),
        models={str(name): str(key) for name, key in record["models"].items()},
        levels=tuple(float(level) for level in record["levels"]),
        noise_in=record["noise_in"],
        n_splits=position(record["n_splits"], 2**31),
        overlap=float(record["overlap"]),
        key=str(record["key"]),
        results=tuple(result_in(held, classes) for held in record["results"]),
    )


def check_study(study: Study) -> None:
    """Refuse a study whose parts do not fit together."""
    places = [r.place for r in study.results]
    fits = (
        study.noise_in in (None, "training", "test")
        and len(set(study.classes)) == len(study.classes) >= 2
        and len(set(places)) == len(places)
        and math.isfinite(study.overlap)
        and all(math.isfinite(level) for level in study.levels)
        and all(result_fits(r, study) for r in study.results)
    )
    if not fits:
        raise PenumbraError(UNREADABLE)


def result_fits(result: FoldResult, study: Study) -> bool:
    """Return True when a result belongs to the study and its arrays go together."""
    m = len(result.rows)
    return (
        result.model in study.models
        and result.level in study.levels
        and result.split < study.n_splits
        and len(set(result.rows.tolist())) == m > 0
        and int(result.rows.max()) < len(study.truth)
        and len(result.predicted) == len(result.answers) == len(result.decided) == m
        and bool((result.probability >= 0.0).all())
        and bool((np.abs(result.probability.sum(axis=1) - 1.0) <= SUM_SLACK).all())
        and math.isfinite(result.fit_seconds)
    )
