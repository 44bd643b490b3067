"""The typed, checked, frozen training table.

In: a schema, values laid out by column, labels as sets of classes, weights.
Out: `LabelSets` (codes with their class membership) and `Table`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.schema import Schema

Floats = NDArray[np.float64]
CUT_DIGITS = 14  # decimals typed by people have fewer; the last two of a float are rounding


@dataclass(frozen=True)
class LabelSets:
    """Labels as sets of classes: code k < K is class k alone, codes from K on are the larger sets that occur.

    Attributes
    ----------
    classes : (K,) the sorted union of all classes, those met only inside sets among them.
    code : (n,) int32, each patient's set. member : (S, K) bool, the classes in each set.
    """

    classes: NDArray[Any]
    code: NDArray[np.int32]
    member: NDArray[np.bool_]

    @property
    def precise(self) -> bool:
        """True when every label is one class."""
        return bool(len(self.member) == len(self.classes))

    @cached_property
    def share(self) -> Floats:
        """(S, K): a set gives each member 1/|set|."""
        return np.asarray(self.member / self.member.sum(axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def everything(self) -> bool:
        """True when each imprecise label is the full set: the doctor abstained."""
        return bool(self.member[len(self.classes) :].all())

    @property
    def class_weights(self) -> Floats:
        """(n, K): each patient's one unit of weight, shared evenly among the classes of its label."""
        return self.share[self.code]


@dataclass(frozen=True)
class Table:
    """Training patients as the engine computes on them.

    Attributes
    ----------
    schema : names and kinds. columns : (M, n) float64, one row a variable. labels : the label sets.
    weight : (n,) float64, all positive. n_bins : into how many bins numeric variables are cut, 0 when they are not.
    """

    schema: Schema
    columns: Floats
    labels: LabelSets
    weight: Floats
    n_bins: int = 0

    @property
    def n(self) -> int:
        """The number of patients."""
        return len(self.weight)

    @cached_property
    def sorted_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return patients by rising value (M, n), missing last, and how many are known (M,)."""
        order = np.empty(self.columns.shape, dtype=np.int32)
        for place, column in zip(order, self.columns, strict=True):  # argsort gives int64
            place[:] = np.argsort(column)
        kernels.level_ties(order, self.columns)
        return order, (~np.isnan(self.columns)).sum(axis=1)

    def give_sorted_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return `sorted_rows` to be written over; who asks for them again has them sorted anew."""
        given = self.sorted_rows
        del self.__dict__["sorted_rows"]
        return given

    @cached_property
    def cuts(self) -> Floats:
        """(M, n_bins - 1): the cuts of equal-width bins on each numeric variable's range, NaN for others. [C], §8"""
        cuts = np.full((self.schema.n_variables, max(0, self.n_bins - 1)), np.nan)
        for j in np.flatnonzero(self.schema.numeric) if self.n_bins else ():
            known = self.rising_values(int(j))
            if len(known):
                cuts[j] = equal_cuts(float(known[0]), float(known[-1]), self.n_bins)
        return cuts

    @cached_property
    def first_cell(self) -> NDArray[np.int64]:
        """(M + 1,): where each variable's cells begin, one cell a category or bin. METHODS §8"""
        return first_cells(np.where(self.schema.numeric, self.n_bins, self.schema.n_categories))

    @cached_property
    def values(self) -> kernels.Values:
        """Return the patients as naive Bayes reads them: every value a cell, -1 where missing."""
        cells = kernels.value_cells(
            np.ascontiguousarray(self.columns.T), self.cuts, self.schema.n_categories, self.first_cell
        )
        return kernels.Values(cells, self.first_cell, self.labels.code, self.labels.share)

    @cached_property
    def coded(self) -> Floats:
        """(M, n) float64, each value's category or bin from 0, NaN where missing."""
        codes = (self.values.cells - self.first_cell[:-1]).astype(np.float64)
        return np.ascontiguousarray(np.where(self.values.cells < 0, np.nan, codes).T)

    def rising_values(self, j: int) -> Floats:
        """Return the known training values of variable `j` in rising order."""
        order, known = self.sorted_rows
        values: Floats = self.columns[j][order[j, : known[j]]]
        return values


def equal_cuts(low: float, high: float, n_bins: int) -> Floats:
    """Return the cuts (n_bins - 1,) of equal-width bins, to 14 digits of the wider end. METHODS §8

    A value on a cut belongs below it, and rounding must not decide: the fourth of the cuts that part 0.3 to 1.8 into 10
    is 0.9, which floating point puts a digit lower. Cuts too close for that stay as they are.
    """
    step = (high - low) / n_bins
    cuts = low + np.arange(1, n_bins) * step
    widest = max(abs(low), abs(high))
    if not (np.isfinite(cuts).all() and widest > 0.0):
        return np.asarray(cuts, dtype=np.float64)
    digits = CUT_DIGITS - 1 - math.floor(math.log10(widest))
    near = np.array([round(cut, digits) for cut in cuts.tolist()], dtype=np.float64)
    return np.where(np.abs(near - cuts) < 1e-3 * step, near, cuts)


def first_cells(n_values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each variable's cells begin (M + 1,), from how many values each can take (M,)."""
    return np.concatenate([[0], np.cumsum(n_values)]).astype(np.int64)
