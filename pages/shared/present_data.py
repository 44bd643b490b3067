"""The present data set: the file as read, and the patients, units, classes and σ as the tree will see them.

In: this session's choices. Out: `Prepared`, kept for this session only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.cuts import HIGH, MOST_CLASSES, different_numbers
from engine.errors import PenumbraError
from engine.examples import load_example
from engine.formats import kind_of, read_file
from engine.labels import read_labels
from engine.noise_table import Stated
from engine.read import Column, ReadTable, read_table
from engine.target_labels import may_mean_abstained
from pages.shared import data_words, state, words
from pages.shared.cache import digest, kept, same
from pages.shared.choices import OF_THE_DATA

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

    @cached_property
    def target(self) -> str:
        """Display name of the column that is answered."""
        column = target_of(self.read)
        return words.display(column.name, column.unit)

    @cached_property
    def columns(self) -> list[str]:
        return [str(name) for name in self.X.columns]

    @cached_property
    def variables(self) -> dict[str, Column]:
        """The columns the tree may ask, by name."""
        return {column.name: column for column in self.read.columns if column.role == "variable"}

    @cached_property
    def names(self) -> dict[str, str]:
        """Display names of the variables: without unit and underscores, where they stay different."""
        shown = {name: words.display(name, column.unit) for name, column in self.variables.items()}
        return {name: new if list(shown.values()).count(new) == 1 else name for name, new in shown.items()}

    @cached_property
    def class_names(self) -> dict[Any, str]:
        """Display names of the classes."""
        shown = {label: words.unscored(label) for label in self.classes}
        return {label: new if list(shown.values()).count(new) == 1 else str(label) for label, new in shown.items()}

    @property
    def aside(self) -> int:
        return len(self.read.y) - len(self.y)

    def place(self, line: int) -> int | None:
        """Return where the patient of a row of the file stands among those not set aside, None when not there."""
        found = np.flatnonzero(self.lines == line)
        return int(found[0]) if len(found) else None

    def summary(self) -> str:
        """Return the data set in one line, the positive class named."""
        aside = f" {self.aside:,} set aside." if self.aside else ""
        return (
            f"{words.plural(len(self.y), 'patient')}, {words.plural(len(self.columns), 'variable')}. "
            f"Positive class: {self.class_names[self.positive]}.{aside}"
        )


def source() -> tuple[bytes | pd.DataFrame, str, str]:
    """Return the present data set's source, file name and digest."""
    now = state.choices()
    if now.example is not None:
        frame = load_example(now.example).frame
        return frame, now.example, digest("example", now.example)
    if now.content is None:
        raise PenumbraError("There is no data set yet; choose an example or upload a file on the Data page.")
    return now.content, now.filename, digest(now.content)


def title() -> str:
    """Return what the present data set is called on paper: an example by its title, a file by no name."""
    now = state.choices()
    return "Uploaded file" if now.example is None else load_example(now.example).title


def abstaining() -> tuple[str, ...]:
    """Return the labels that mean that the doctor abstained."""
    now = state.choices()
    if now.abstain is None and now.example is not None:
        return load_example(now.example).abstain
    return now.abstain or ()


def stated_reading() -> dict[str, Any]:
    """Return how a file that cannot be read is to be corrected: what it is, with what the reader has stated so far."""
    found, filename, key = source()
    if not isinstance(found, bytes):
        return {"format": "DataFrame"}
    return dict(kept("kind", key, lambda: kind_of(found, filename))) | state.choices().reading


def column_names() -> list[str]:
    """Return the columns of a file that was refused, so that roles can still be stated; none when no table."""
    found, filename, _ = source()
    if not isinstance(found, bytes):
        return [str(name) for name in found.columns]
    stated = state.choices().reading
    try:
        frame = read_file(found, filename, stated.get("delimiter"), stated.get("encoding"), stated.get("sheet"), [])[0]
    except PenumbraError:
        return []
    return [str(name) for name in frame.columns]


def missing_words() -> Any:
    """Return what means missing besides an empty cell, as the reader stated it; None for nothing stated."""
    now = state.choices()
    stated = now.reading.get("missing")
    if now.zeros:
        return {name: ["0", "0.0", "0,0"] for name in now.zeros} | ({"*": stated} if stated else {})
    return stated


def read() -> tuple[str, ReadTable]:
    """Return the file as read with the reader's corrections, and the key it is kept under."""
    now = state.choices()
    found, filename, key = source()
    arguments = dict(now.reading)
    arguments.pop("missing", None)
    missing = missing_words()
    if missing:
        arguments["missing"] = missing
    if now.limits:
        arguments["limits"] = now.limits
    if now.example is not None:
        example = load_example(now.example)
        arguments = {"target": example.target, "roles": dict(example.roles)} | arguments
        arguments["roles"] = arguments["roles"] | now.roles
    else:
        arguments["roles"] = now.roles
    if "target" in arguments["roles"].values():
        arguments.pop("target", None)
    cut = stated_cut()
    if cut is not None:
        arguments["cut"] = now.cuts[cut]
    abstain = abstaining()
    settings = digest(key, arguments, list(abstain))
    return settings, kept("read", settings, lambda: read_table(found, filename, abstain=abstain or None, **arguments))


def stated_cut() -> str | None:
    """Return the column that is to be cut into classes: the answer column, where it is stated and has cuts."""
    now = state.choices()
    own = load_example(now.example).target if now.example is not None else None
    stated = next((name for name, role in now.roles.items() if role == "target"), own)
    if stated is None or now.roles.get(stated, "target") != "target":
        return None
    return stated if stated in now.cuts else None


def target_of(table: ReadTable) -> Column:
    """Return the column that is answered."""
    return next(column for column in table.columns if column.role == "target")


def must_be_cut(table: ReadTable) -> bool:
    """Return whether the answer is a measurement that has not been cut into classes."""
    numbers = table.target_numbers
    return numbers is not None and "cut" not in table.understood and different_numbers(numbers) > MOST_CLASSES


def prepared() -> Prepared:
    """Return the data set with patients set aside, units, classes, and the stated σ."""
    now = state.choices()
    return same("prepared", tuple(getattr(now, name) for name in OF_THE_DATA), _prepare)


def _prepare() -> Prepared:
    now = state.choices()
    key, table = read()
    if must_be_cut(table) and table.target_numbers is not None:
        count = different_numbers(table.target_numbers)
        raise PenumbraError(data_words.must_be_cut(target_of(table).name, count, "on the Data page"))
    example = load_example(now.example) if now.example is not None else None
    aside = [name for name in now.aside if name in table.X.columns]
    keep = ~table.X[aside].isna().any(axis=1).to_numpy() if aside else np.ones(len(table.X), dtype=bool)
    keep &= ~(imprecise(table.y) & now.open_aside)
    lines = np.flatnonzero(keep)
    if not len(lines):
        raise PenumbraError(
            "Every patient lacks one of the chosen measurements or has an open outcome; set fewer aside on the Data "
            "page."
        )
    y = [table.y[i] for i in lines]
    X = table.X.iloc[lines].reset_index(drop=True)
    classes = tuple(read_labels(y, len(y)).classes)
    usual = HIGH if "cut" in table.understood else example.positive if example else None
    wanted = now.positive if now.positive is not None else usual
    by_text = {str(label): label for label in classes}
    counted = {label: sum(each == label for each in y) for label in classes}
    sure = [label for label in classes if not may_mean_abstained(str(label))] or list(classes)
    positive = by_text.get(str(wanted), min(reversed(sure), key=counted.__getitem__))
    units = {column.name: unit_of(column) for column in table.columns}
    stated: Mapping[str, Stated] = now.sigma if now.sigma is not None else (example_sigma(example) if example else {})
    kinds = {column.name: column.kind for column in table.columns if column.role == "variable"}
    sigma = {name: held for name, held in stated.items() if name in kinds and fits(held, kinds[name])}
    key = digest(key, aside, now.open_aside, units)
    return Prepared(key, table, X, y, lines, units, classes, positive, sigma)


def imprecise(y: Sequence[Any]) -> NDArray[np.bool_]:
    """Return True for each patient (n,) whose outcome leaves more than one class possible: none given, or several."""
    return np.array([label is None or (isinstance(label, tuple) and len(set(label)) != 1) for label in y], dtype=bool)


def unit_of(column: Column) -> str:
    """Return a column's unit: as the reader gave it, else the example's, else the one in the column's name."""
    now = state.choices()
    own = load_example(now.example).units if now.example is not None else {}
    return now.units.get(column.name, own.get(column.name, column.unit or ""))


def fits(stated: Stated, kind: str) -> bool:
    """Return whether a statement of σ suits such a column: misrecording a category, everything else a number."""
    return stated.form == "exact" or (stated.form == "misrecord") == (kind == "nominal")


def unfit_sigma() -> list[str]:
    """Return the variables whose stated σ is put aside because their role has changed."""
    now, (_, table) = state.choices(), read()
    kinds = {column.name: column.kind for column in table.columns if column.role == "variable"}
    return [name for name, held in (now.sigma or {}).items() if name in kinds and not fits(held, kinds[name])]


def example_sigma(example: Any) -> dict[str, Stated]:
    """Return an example's own measurement errors as the Noise page shows them."""
    return {
        name: Stated("sd", float(value), source=example.sources.get(name, "")) for name, value in example.sigma.items()
    }


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
