"""Everything worked out from the choices, kept for this session only and found again by a SHA-256 of what it came from.

In: this session's choices. Out: the data as the tree sees them, the fitted model, and what the training patients say.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from engine.borderline import distances, near_share
from engine.case import Case
from engine.classifier import UncertainTreeClassifier, one_row
from engine.draw import View
from engine.errors import PenumbraError
from engine.evidence import Evidence, evidence
from engine.examples import load_example
from engine.formats import read_file
from engine.neighbours import Neighbours, neighbours
from engine.noise import ResolvedNoise
from engine.noise_table import Stated, to_noise
from engine.read import Column, ReadTable, read_table
from engine.route import reach
from engine.table import Table, read_labels
from engine.why import Reasons, why
from pages.shared import state, words

KEY = "penumbra_kept"
KEPT = 12
Made = TypeVar("Made")
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """The data set as the tree will see it.

    X and y leave out the patients set aside; `lines` (n,) are their rows in the file, from 0.
    """

    key: str
    read: ReadTable
    X: pd.DataFrame
    y: list[Any]
    lines: NDArray[np.int64]
    units: dict[str, str]
    classes: tuple[Any, ...]
    positive: Any
    sigma: dict[str, Stated]

    @property
    def abstained(self) -> tuple[str, ...]:
        """Labels that mean the doctor abstained."""
        return abstaining()

    @property
    def target(self) -> str:
        """Display name of the column that is answered."""
        return words.display(next(column.name for column in self.read.columns if column.role == "target"), None)

    @property
    def columns(self) -> list[str]:
        return [str(name) for name in self.X.columns]

    @property
    def variables(self) -> dict[str, Column]:
        """The columns the tree may ask, by name."""
        return {column.name: column for column in self.read.columns if column.role == "variable"}

    @property
    def names(self) -> dict[str, str]:
        """Display names of the variables: without unit and underscores, where they stay different."""
        shown = {name: words.display(name, column.unit) for name, column in self.variables.items()}
        return {name: new if list(shown.values()).count(new) == 1 else name for name, new in shown.items()}

    @property
    def class_names(self) -> dict[Any, str]:
        """Display names of the classes."""
        shown = {label: words.unscored(label) for label in self.classes}
        return {label: new if list(shown.values()).count(new) == 1 else str(label) for label, new in shown.items()}

    @property
    def aside(self) -> int:
        return len(self.read.y) - len(self.y)

    def summary(self) -> str:
        """Return the data set in one line, the positive class named."""
        aside = f" {self.aside:,} set aside." if self.aside else ""
        return (
            f"{words.plural(len(self.y), 'patient')}, {words.plural(len(self.columns), 'variable')}. "
            f"Positive class: {self.class_names[self.positive]}.{aside}"
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted tree with what its pictures need; the decision is not part of it.

    values (n, M) and weight (n, N) are the training patients and their weight at each node; distance (n, M) is how near
    each reading lies to a threshold, in σ.
    """

    key: str
    model: UncertainTreeClassifier
    data: Prepared
    table: Table
    values: Floats
    weight: Floats
    evidence: Evidence
    distance: Floats

    @property
    def noise(self) -> ResolvedNoise:
        found: ResolvedNoise = self.model.noise_evaluation_
        return found


def digest(*parts: Any) -> str:
    """Return a SHA-256 over bytes and plain values."""
    text = hashlib.sha256()
    for part in parts:
        text.update(part if isinstance(part, bytes) else json.dumps(part, sort_keys=True, default=str).encode())
        text.update(b"\0")
    return text.hexdigest()


def kept(kind: str, key: str, make: Callable[[], Made]) -> Made:
    """Return what was made for this key in this session, or make it now; the oldest of a kind goes after twelve."""
    shelf: OrderedDict[str, Any] = st.session_state.setdefault(KEY, {}).setdefault(kind, OrderedDict())
    if key not in shelf:
        shelf[key] = make()
        while len(shelf) > KEPT:
            shelf.popitem(last=False)
    shelf.move_to_end(key)
    found: Made = shelf[key]
    return found


def source() -> tuple[bytes | pd.DataFrame, str, str]:
    """Return the present data set's source, file name and digest."""
    now = state.choices()
    if now.example is not None:
        frame = load_example(now.example).frame
        return frame, now.example, digest("example", now.example)
    if now.content is None:
        raise PenumbraError("There is no data set yet; choose an example or upload a file on the Data page.")
    return now.content, now.filename, digest(now.content)


def abstaining() -> tuple[str, ...]:
    """Return the labels that mean that the doctor abstained."""
    now = state.choices()
    if now.abstain is None and now.example is not None:
        return load_example(now.example).abstain
    return now.abstain or ()


def stated_reading() -> dict[str, Any]:
    """Return how a file that cannot be read is to be corrected: as text, with what the reader has stated so far."""
    return {"format": "text"} | state.choices().reading


def column_names() -> list[str]:
    """Return the columns of a file that was refused, so that roles can still be stated; none when no table."""
    found, filename, _ = source()
    if not isinstance(found, bytes):
        return []
    stated = state.choices().reading
    try:
        frame = read_file(found, filename, stated.get("delimiter"), stated.get("encoding"), stated.get("sheet"), [])[0]
    except PenumbraError:
        return []
    return [str(name) for name in frame.columns]


def read() -> tuple[str, ReadTable]:
    """Return the file as read with the reader's corrections, and the key it is kept under."""
    now = state.choices()
    found, filename, key = source()
    arguments = dict(now.reading)
    missing = arguments.pop("missing", None)
    if now.zeros:
        arguments["missing"] = {name: ["0", "0.0", "0,0"] for name in now.zeros} | ({"*": missing} if missing else {})
    elif missing:
        arguments["missing"] = missing
    if now.example is not None:
        example = load_example(now.example)
        arguments = {"target": example.target, "roles": dict(example.roles)} | arguments
        arguments["roles"] = arguments["roles"] | now.roles
    else:
        arguments["roles"] = now.roles
    if "target" in arguments["roles"].values():
        arguments.pop("target", None)
    abstain = abstaining()
    settings = digest(key, arguments, list(abstain))
    return settings, kept("read", settings, lambda: read_table(found, filename, abstain=abstain or None, **arguments))


def prepared() -> Prepared:
    """Return the data set with patients set aside, units, classes, and the stated σ."""
    now = state.choices()
    key, table = read()
    example = load_example(now.example) if now.example is not None else None
    aside = [name for name in now.aside if name in table.X.columns]
    keep = ~table.X[aside].isna().any(axis=1).to_numpy() if aside else np.ones(len(table.X), dtype=bool)
    lines = np.flatnonzero(keep)
    if not len(lines):
        raise PenumbraError("Every patient lacks one of the chosen measurements; set fewer aside on the Data page.")
    y = [table.y[i] for i in lines]
    X = table.X.iloc[lines].reset_index(drop=True)
    classes = tuple(read_labels(y, len(y)).classes)
    wanted = now.positive if now.positive is not None else (example.positive if example else None)
    by_text = {str(label): label for label in classes}
    counted = {label: sum(each == label for each in y) for label in classes}
    positive = by_text.get(str(wanted), min(reversed(classes), key=counted.__getitem__))
    units = {column.name: column.unit or "" for column in table.columns}
    stated: Mapping[str, Stated] = now.sigma if now.sigma is not None else (example_sigma(example) if example else {})
    if example:
        units |= {name: unit for name, unit in example.units.items() if name in units}
    units |= {name: unit for name, unit in now.units.items() if name in units}
    sigma = {name: held for name, held in stated.items() if name in X.columns}
    key = digest(key, aside, units)
    return Prepared(key, table, X, y, lines, units, classes, positive, sigma)


def example_sigma(example: Any) -> dict[str, Stated]:
    """Return an example's own measurement errors as the Noise page shows them."""
    return {
        name: Stated("sd", float(value), source=example.sources.get(name, "")) for name, value in example.sigma.items()
    }


def fitted() -> Fitted:
    """Return the tree of the present data, noise and recipe; a change of decision or τ fits nothing."""
    now, data = state.choices(), prepared()
    recipe = {name: value for name, value in state.parameters().items() if name not in state.READING}
    factors = {name: now.factor * now.factors[name] for name in state.FACTORS}
    sigma = {name: asdict(stated) | {"source": ""} for name, stated in sorted(data.sigma.items())}
    key = digest(data.key, recipe, factors, sigma)
    return kept("fitted", key, lambda: _fit(key, data, recipe | factors))


def _fit(key: str, data: Prepared, arguments: dict[str, Any]) -> Fitted:
    model = UncertainTreeClassifier(**arguments, noise=to_noise(data.sigma)).fit(data.X, data.y)
    table, weight = model.training_weights(data.X, data.y)
    tree, values = model.tree_, np.ascontiguousarray(table.columns.T)
    share = weight / table.weight[:, None]
    told = evidence(tree, values, table.labels.class_weights, table.weight, share, model.noise_evaluation_)
    hard = reach(tree, values, "hard")
    near = distances(tree, values, hard, model.noise_evaluation_)
    return Fitted(key, model, data, table, values, weight, told, near)


def decided() -> UncertainTreeClassifier:
    """Return the present tree with the present decision on it; nothing is fitted again."""
    found = fitted()
    settings = {name: state.value_of(name) for name in state.READING}
    key = digest(found.key, settings)
    return kept("decided", key, lambda: found.model.with_decision(**settings))


def answered() -> int:
    """Return how many training patients the present tree answers."""
    found = fitted()
    model = decided()
    key = digest(found.key, state.value_of("decision"), state.value_of("tau"))
    return kept("answered", key, lambda: sum(answer is not None for answer in model.decide(found.data.X)))


def near_by_variable() -> dict[str, float]:
    """Return, for each noisy variable, the share of patients near one of its thresholds, the largest first."""
    found = fitted()
    noisy = [j for j in range(len(found.data.columns)) if found.noise.is_noisy(j)]
    shares = {found.data.names[found.data.columns[j]]: float(near_share(found.distance, variable=j)[0]) for j in noisy}
    return dict(sorted(shares.items(), key=lambda each: -each[1]))


def units() -> dict[str, str]:
    """Return the unit of every column as read, the example's own or the reader's."""
    return prepared().units


def view(width: float) -> View:
    """Return how the present tree is to be drawn."""
    model, data, now = decided(), prepared(), state.choices()
    return View(
        classes=tuple(model.tree_.classes),
        leaf_answers=tuple(model.leaf_answers()),
        decision=state.value_of("decision"),
        tau=float(state.value_of("tau")),
        positive=data.positive,
        units=data.units,
        variable_names=data.names,
        class_names=data.class_names,
        selected=min(now.node, model.tree_.n_nodes - 1),
        depth_limit=View.open_depth(model.tree_),
        width=width,
    )


def reasons(node: int) -> Reasons:
    """Return why a node of the present tree splits as it does."""
    found = fitted()

    return kept(
        "reasons",
        digest(found.key, node),
        lambda: why(found.model.tree_, found.model.search_on(found.table), found.weight[:, node], node),
    )


def row() -> int | None:
    """Return the patient's row, None for a typed case; until one is chosen, the first within 1 σ of a threshold."""
    chosen, distance = state.choices().row, fitted().distance
    if chosen is None:
        return None
    if chosen == state.NEAR_A_THRESHOLD:
        near = np.flatnonzero(distance.min(axis=1) <= 1.0)
        return int(near[0]) if len(near) else 0
    return min(chosen, len(distance) - 1)


def readings() -> dict[str, Any]:
    """Return the readings: the chosen row, or the middle of the training patients, with what was typed on top."""
    found, place = fitted(), row()
    categories = found.model.schema_.categories
    if place is not None:
        start = found.values[place]
    else:
        start = np.array([middle(found.values[:, j], categories[j] is None) for j in range(found.values.shape[1])])
    values = {
        name: None if np.isnan(x) else float(x) if known is None else known[int(x)]
        for name, x, known in zip(found.data.columns, start, categories, strict=True)
    }
    return values | {name: value for name, value in state.choices().typed.items() if name in values}


def middle(column: Floats, numeric: bool) -> float:
    """Return the median reading that occurs, or the most frequent category."""
    known = column[~np.isnan(column)]
    if not len(known):
        return float("nan")
    if numeric:
        return float(np.sort(known)[len(known) // 2])
    return float(np.argmax(np.bincount(known.astype(int))))


def case() -> Case:
    """Return the present patient's case under the present tree and decision; it is worked out anew, never kept."""
    found: Case = decided().case(readings())
    return found


def similar(count: int = 20) -> Neighbours:
    """Return the past patients most like the present one; the patient's own row is left out."""
    found, place = fitted(), row()
    patient = found.model.encode(one_row(readings(), found.model.schema_))[0]
    near = neighbours(found.values, found.model.schema_.numeric, patient, count + 1)
    keep = near.rows != (-1 if place is None else place)
    return Neighbours(near.rows[keep][:count], near.distance[keep][:count])


def past_patients(rows: NDArray[np.int64], figure: str, values: Floats) -> pd.DataFrame:
    """Return training patients as a table, their label and one figure in front, their row in the file as index."""
    data = prepared()
    frame = data.X.iloc[rows].copy()
    labels = [words.label(data.y[i]) for i in rows]
    for title, column in ((figure, np.round(values, 2)), (data.target, labels)):
        while title in frame.columns:
            title += " "
        frame.insert(0, title, column)
    frame.index = pd.Index(data.lines[rows] + 1, name="row")
    return frame


def leaf_reached(found: Case) -> int:
    """Return the leaf that the reading reaches by hard gates, the heaviest when a missing value shares the patient."""
    leaves = decided().tree_.leaves
    return int(leaves[np.argmax(found.reach_hard[leaves])])
