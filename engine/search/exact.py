"""Exact cuts of numeric variables: between readings, without measurement error.

In: a search, the patients at a node, a variable. Out: thresholds with their gains, or the best cut of each variable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import CODES
from engine.search.candidate import Candidate
from engine.search.choices import Search
from engine.search.limits import known_fraction, mdl_charge, minimum_weight, minimum_weights
from engine.search.patients import Arrivals
from engine.table import Table
from engine.tree import BINARY

Floats = NDArray[np.float64]
TIE = 1e-12
SAME_VALUE = 1e-12


def place_threshold(how: str, below: Any, above: Any, table: Table, j: int) -> Any:
    """Return the threshold of a cut of variable `j` between two neighbouring values. METHODS §4.

    `value` [S]: the value above, left iff x < θ. `midpoint` [T]: halfway. `observed` (C4.5 release 8): the largest
    value of the whole training set (`table`) not above the midpoint, where 1e-12 of the two values is no
    difference: the midpoint of 0.557 and 0.565 is 0.561, which rounding puts a digit lower.
    """
    below, above = (
        np.asarray(below, dtype=np.float64),
        np.asarray(above, dtype=np.float64),
    )
    if how == "value":
        return above
    middle = below + (above - below) / 2.0 if not np.isfinite(below + above).all() else (below + above) / 2.0
    middle = np.where((middle >= above) | (middle < below), below, middle)
    if how == "midpoint":
        return middle
    reach = np.minimum(middle + SAME_VALUE * (np.abs(below) + np.abs(above)), np.nextafter(above, -np.inf))
    training = table.rising_values(j)
    return training[np.maximum(0, np.searchsorted(training, reach, side="right") - 1)]


def exact_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains of every exact cut of numeric variable `j`, -inf where inadmissible. METHODS §4."""
    known = here.order[j, : here.n_known[j]]
    below, above, gain = (
        np.empty(len(known)),
        np.empty(len(known)),
        np.empty(len(known)),
    )
    cuts = kernels.exact_curve(
        known, search.table.columns[j], search.table.labels.code, here.dense, CODES[search.criterion], labels,
        minimum_weight(search, here, j), below, above, gain,
    )  # fmt: skip
    thresholds = place_threshold(search.threshold, below[:cuts], above[:cuts], search.table, j)
    return thresholds, gain[:cuts] * known_fraction(search, here, j)


def exact_candidates(
    search: Search, here: Arrivals, wanted: NDArray[np.bool_], labels: kernels.Labels, only_the_best: bool = False
) -> list[Candidate]:
    """Return the best exact cut of each wanted numeric variable that has one, or `only_the_best` and what ties with it.

    Of ties among all variables of the table the first is enough.
    """
    gains, below, above, tried = kernels.best_exact_cuts(
        here.rows, here.order, here.n_known, wanted, search.table.columns, search.table.labels.code, here.dense,
        CODES[search.criterion], labels, minimum_weights(search, here),
    )  # fmt: skip
    for column in np.flatnonzero((gains > -np.inf) & (here.n_known < len(here.rows))):
        gains[column] *= known_fraction(search, here, int(column))
    if search.mdl_correction:
        gains -= [mdl_charge(search, here, int(cuts)) for cuts in tried]
    floor = gains.max(initial=-np.inf) - TIE if only_the_best else -np.inf
    found = []
    kept: list[int] = np.flatnonzero((gains > -np.inf) & (gains >= floor)).tolist()
    if only_the_best and wanted.all():
        kept = kept[:1]  # the lowest variable wins
    for j in kept:
        theta = place_threshold(search.threshold, below[j], above[j], search.table, j)
        found.append(Candidate(j, float(gains[j]), BINARY, float(theta), search.threshold != "value"))
    return found
