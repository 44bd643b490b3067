"""The best split of a node, among the candidates of all variables, whichever way each is searched.

In: a search, the patients at a node. Out: the best candidate, or every variable's; one variable's gains.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.search.by_value import accuracy_gains, category_tables, most_accurate, nominal_candidate, value_gate
from engine.search.candidate import Candidate, Split
from engine.search.choices import Search
from engine.search.exact import TIE, exact_candidates, exact_curve
from engine.search.patients import Arrivals
from engine.search.resampled import resampled_candidates, resampled_curve, weighed_points
from engine.search.soft import soft_candidates, soft_curve
from engine.tree import BINS, NOMINAL

Floats = NDArray[np.float64]
LEAST_GAIN = 1e-12


def numeric_curve(search: Search, here: Arrivals, j: int, labels: kernels.Labels) -> tuple[Floats, Floats]:
    """Return thresholds and gains of numeric variable `j` as this search weighs them; no MDL correction."""
    if search.is_resampled(j):
        return resampled_curve(search, here, j, labels)
    return (soft_curve if search.is_soft(j) else exact_curve)(search, here, j, labels)


def candidates(search: Search, here: Arrivals, only_the_best: bool = False) -> list[Candidate]:
    """Return the best split of every variable that has an admissible one, by column. METHODS §4.

    Parameters
    ----------
    search : table, noise and choices. here : the patients at the node.
    only_the_best : leave out variables that cannot gain what another one gains, which saves work.
    """
    if search.criterion == "nb_accuracy":
        gains = accuracy_gains(search, here, every=True)
        return [Candidate(int(j), float(gains[j]), value_gate(search, int(j))) for j in np.flatnonzero(gains > -np.inf)]
    labels, ways = search.labels, search.ways
    found = exact_candidates(search, here, ways.exact, labels, only_the_best) if ways.any_exact else []
    for j in ways.by_value:
        candidate = None if j in here.used else nominal_candidate(search, here, j, labels)
        if candidate is not None:
            found.append(candidate)
    if len(ways.soft):
        floor = max((each.gain for each in found), default=-np.inf) if only_the_best else None
        found += soft_candidates(search, here, ways.soft, labels, floor)
    if len(ways.resampled):
        floor = max((each.gain for each in found), default=-np.inf) if only_the_best else None
        found += resampled_candidates(search, here, ways.resampled, labels, floor)
    if search.criterion == "gain_ratio":
        found = [replace(each, split_entropy=split_entropy(search, here, each)) for each in found]
    return sorted(found, key=lambda candidate: candidate.variable)


def left_weight(search: Search, here: Arrivals, split: Split) -> float:
    """Return the known weight that a numeric split sends left by the search's own weights."""
    j = split.variable
    known = here.order[j, : here.n_known[j]]
    if search.is_resampled(j):
        value, _, weight = weighed_points(search, here, j)
        return float(weight[value <= split.threshold].sum())
    if search.is_soft(j):
        column = search.table.columns[j]
        return float(kernels.soft_left(known, column, here.dense, search.noise.error, j, split.threshold))
    x = search.table.columns[j][known]
    left = x <= split.threshold if split.closed_le else x < split.threshold
    return float(here.dense[known][left].sum())


def split_entropy(search: Search, here: Arrivals, split: Split) -> float:
    """Return the entropy in bits of a split's own parts, unknowns as one more part. C4.5, METHODS §4

    Parameters
    ----------
    search : whose weights the parts are counted by. here : the patients at the node.
    split : a candidate, or a growing node that is split; a middle child is not counted apart.
    """
    if split.gate in (NOMINAL, BINS):
        parts = category_tables(search, here, split.variable)[0].sum(axis=1)
    else:
        known = float(here.dense[here.order[split.variable, : here.n_known[split.variable]]].sum())
        left = left_weight(search, here, split)
        parts = np.array([left, known - left])
    unknown = max(0.0, float(here.weight.sum() - parts.sum()))
    return float(kernels.entropy(np.append(np.maximum(0.0, parts), unknown)))


def largest_ratio(found: list[Candidate]) -> Candidate:
    """Return the candidate with the largest gain ratio among those whose gain is at least the mean. C4.5, METHODS §4"""
    mean = sum(candidate.gain for candidate in found) / len(found)
    enough = [candidate for candidate in found if candidate.gain >= mean - TIE]
    top = max(candidate.gain / candidate.split_entropy for candidate in enough)
    return next(candidate for candidate in enough if candidate.gain / candidate.split_entropy >= top - TIE)


def best_split(search: Search, here: Arrivals) -> Candidate | None:
    """Return the split with the largest gain or gain ratio, the lowest variable on ties; None without a gain.

    METHODS §4.
    """
    if search.criterion == "nb_accuracy":
        return most_accurate(search, here)
    by_gain = search.criterion != "gain_ratio"  # a ratio is weighed against the mean of every variable's gain
    found = [candidate for candidate in candidates(search, here, only_the_best=by_gain) if candidate.gain > LEAST_GAIN]
    if not found:
        return None
    if not by_gain:
        return largest_ratio(found)
    top = max(candidate.gain for candidate in found)
    return next(candidate for candidate in found if candidate.gain >= top - TIE)
