"""How splits are sought: the choices of a search, which columns are searched how, the points of a resampled one.

In: a table, the noise, the constructor's choices. Out: a `Search`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.cells import lattice_ratio
from engine.criteria import kernel_labels
from engine.errors import PenumbraError
from engine.noise import ResolvedNoise, quantile
from engine.table import Table

Floats = NDArray[np.float64]
MOST_POINTS = 100_000_000  # of a resampled search, over all variables
MOST_MARKS = 64


class Ways(NamedTuple):
    """Which columns are searched how.

    exact : (M,) bool; any_exact : True when one of them is. by_value : with one child a category or bin. soft : on the
    soft grid; together : (M,) bool, those whose measurement error is normal with one σ, which one kernel searches.
    resampled : by their points.
    """

    exact: NDArray[np.bool_]
    any_exact: bool
    by_value: list[int]
    soft: NDArray[np.int64]
    together: NDArray[np.bool_]
    resampled: NDArray[np.int64]


@dataclass(frozen=True)
class Search:
    """How splits are sought; the names are the constructor's (METHODS §0).

    hard : (M,) bool, variables that propagation sends by the hard gate: there a soft candidate must leave
        `min_weight_leaf` on each side by that gate too.
    notes : sentences that the search adds to when it had to coarsen a grid.
    """

    table: Table
    noise: ResolvedNoise
    criterion: str
    search: str
    threshold: str
    min_weight_leaf: float | str
    window: float
    resolution: float
    hard: NDArray[np.bool_]
    notes: set[str] = field(default_factory=set)
    n_points: int = 100
    mdl_correction: bool = False
    nary: bool = False

    @cached_property
    def labels(self) -> kernels.Labels:
        """The label codes as the kernels read them."""
        return kernel_labels(self.table.labels.member)

    def is_soft(self, j: int) -> bool:
        """Return True when variable `j` is searched on the soft grid; with σ = 0 it is searched exactly."""
        return self.search == "soft" and self.noise.is_noisy(j)

    def is_resampled(self, j: int) -> bool:
        """Return True when variable `j` is searched by its points; with σ = 0 it is searched exactly."""
        return self.search == "resampled" and self.noise.is_noisy(j)

    @cached_property
    def ways(self) -> Ways:
        """Which columns are searched how."""
        numeric, every = self.table.schema.numeric, range(len(self.table.columns))
        soft = np.array([self.is_soft(j) for j in every])
        resampled = np.array([self.is_resampled(j) for j in every])
        exact = numeric & ~soft & ~resampled & ~(numeric & self.nary)
        by_value = np.flatnonzero((numeric & self.nary) | ~numeric)
        error = self.noise.error
        together = soft & (error.cv == 0.0) & (error.shape == kernels.NORMAL) & (lattice_ratio(self.resolution) > 0)
        return Ways(
            exact, bool(exact.any()), by_value.tolist(), np.flatnonzero(soft), together,
            np.flatnonzero(resampled),
        )  # fmt: skip

    @cached_property
    def one_minimum(self) -> Floats:
        """(M,) the least weight of a side, where it is stated."""
        return np.full(len(self.table.columns), self.min_weight_leaf, dtype=np.float64)

    @cached_property
    def points(self) -> kernels.Points:
        """By noisy variable `n_points` equally likely points x + σ·F⁻¹((k - ½)/s) for every known value. METHODS §4"""
        noisy: list[int] = self.ways.resampled.tolist()
        if len(noisy) * self.table.n * self.n_points > MOST_POINTS:
            raise PenumbraError(
                f"A resampled search with n_points {self.n_points} on {self.table.n:,} patients and {len(noisy)} noisy "
                f"variables would need more than {MOST_POINTS:,} points; lower n_points or search soft."
            )
        variable = np.array(noisy, dtype=np.int64)
        x, shapes = self.table.columns[variable], self.noise.shape[variable]
        sigma = np.array([self.noise.at(j, self.table.columns[j]) for j in noisy]).reshape(x.shape)
        level = (np.arange(self.n_points) + 0.5) / self.n_points
        z = np.array([quantile(level, int(shape)) for shape in shapes]).reshape(len(noisy), self.n_points)
        z = 0.5 * (z - z[:, ::-1])  # even to the last digit, so that midpoints of mirrored points meet readings
        marks = np.array([marks_of(*each) for each in zip(x, sigma, z, strict=True)]).reshape(len(noisy), -1)
        points = kernels.Points(variable, sigma, z, marks, np.empty((*x.shape, marks.shape[1]), dtype=np.int32))
        kernels.count_below(self.table.columns, points)
        return points


def marks_of(x: Floats, sigma: Floats, z: Floats) -> Floats:
    """Return thresholds that part one variable's points into stretches of about equal number, by one point a value.

    As many as half its points a value, 64 at most.
    """
    count = min(MOST_MARKS, max(1, len(z) // 2))
    one = np.sort((x + sigma * np.resize(z, len(x)))[~np.isnan(x)])
    if len(one) == 0:
        return np.zeros(count)
    marks: Floats = one[(np.arange(1, count + 1) * len(one)) // (count + 1)]
    return marks
