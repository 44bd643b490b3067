"""Splits into one child a category or bin, by gain or by the accuracy of a naive Bayes on each child.

In: a search, the patients at a node, a variable. Out: its candidate, the most accurate one, the codes of children.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.criteria import CODES
from engine.search.candidate import Candidate, Split
from engine.search.choices import Search
from engine.search.limits import minimum_weight
from engine.search.patients import Arrivals
from engine.tree import BINARY, BINS, NOMINAL, REST

Floats = NDArray[np.float64]
TIE_ACCURACY = 1e-9  # of weight classified rightly


def category_tables(search: Search, here: Arrivals, j: int) -> list[Floats]:
    """Return the weights by category and label code (V, S): as the search shares patients, and, if not the same, hard.

    A soft search shares each patient by the misrecording probability; under hard propagation the hard counts
    matter too.
    """
    binned = bool(search.table.schema.numeric[j])
    n_categories = search.table.n_bins if binned else int(search.table.schema.n_categories[j])
    parts: Floats = kernels.category_weights(
        here.rows,
        search.table.coded[j] if binned else search.table.columns[j],
        search.table.labels.code,
        here.dense,
        n_categories,
        len(search.labels.mask),
    )
    epsilon = float(search.noise.misrecord[j])
    if search.search != "soft" or epsilon <= 0.0 or n_categories < 2:
        return [parts]
    others = parts.sum(axis=0) - parts
    shared = (1.0 - epsilon) * parts + epsilon / (n_categories - 1) * others
    return [shared, parts] if search.hard[j] else [shared]


def nominal_candidate(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> Candidate | None:
    """Return the split of variable `j` into one child a category or bin, when two children are heavy enough."""
    tables = category_tables(search, here, j)
    limit = minimum_weight(search, here, j) - kernels.SLACK_WEIGHT
    for weights in tables:
        sums = weights.sum(axis=1)
        if ((sums >= limit) & (sums > 0.0)).sum() < 2:
            return None
    fraction = float(tables[-1].sum() / here.weight.sum())
    gain = float(kernels.partition_gain(tables[0], CODES[search.criterion], labels)) * fraction
    return Candidate(j, gain, value_gate(search, j))


def value_gate(search: Search, j: int) -> int:
    """Return the gate of a split of variable `j` into one child a value: bins of a numeric one, or categories."""
    return BINS if search.table.schema.numeric[j] else NOMINAL


def child_codes(search: Search, here: Arrivals, split: Split) -> NDArray[np.int32]:
    """Return the code of each child: its place, category or bin. METHODS §8

    Accuracy-driven growth has a child for every value that occurs, and one for the REST when others are possible.
    """
    if split.gate == BINARY:
        return np.arange(2, dtype=np.int32)
    first = search.table.first_cell
    size = int(first[split.variable + 1] - first[split.variable])
    if search.criterion != "nb_accuracy":
        return np.arange(size, dtype=np.int32)
    cells = search.table.values.cells[here.rows, split.variable]
    met = np.flatnonzero(np.bincount(cells[cells >= 0] - first[split.variable], minlength=size)).astype(np.int32)
    return met if len(met) == size else np.append(met, np.int32(REST))


def accuracy_gains(search: Search, here: Arrivals, every: bool) -> Floats:
    """Return (M,) the training accuracy that splitting each unused variable adds, -inf without two values. [C], §8

    The split has a child for every value that occurs, a naive Bayes on each, against one on the whole node: what it
    adds may be none or negative. Unless `every` one is wanted, splits that cannot be the best are left at -inf.
    """
    free = np.array([j for j in range(len(search.table.columns)) if j not in here.used], dtype=np.int64)
    right, own = kernels.bayes_splits(here.rows, here.weight, free, every, *search.table.values)
    gains: Floats = (right - own) / here.weight.sum()
    return gains


def most_accurate(search: Search, here: Arrivals) -> Candidate | None:
    """Return the split with the most weight classified rightly, the lowest variable within 1e-9. [C], METHODS §8"""
    gains = accuracy_gains(search, here, every=False)
    if gains.max() == -np.inf:
        return None
    j = int(np.argmax((gains.max() - gains) * here.weight.sum() <= TIE_ACCURACY))
    return Candidate(j, float(gains[j]), value_gate(search, j))
