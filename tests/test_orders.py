"""A node's order of patients is handed over to its children, in its own memory where they find room there.

In: made-up tables with ties and missing values. Out: failures that name the order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.fitting import fit_tree
from engine.grow import hand_over
from engine.noise import ResolvedNoise
from engine.recipe import Recipe
from engine.schema import Schema
from engine.search import arrivals
from engine.table import LabelSets, Table

SEEDS = range(20)
N, M = 80, 4


def a_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 12, (M, N)).astype(float)
    columns[1, rng.random(N) < 0.3] = np.nan
    labels = LabelSets(np.arange(2), rng.integers(0, 2, N).astype(np.int32), np.eye(2, dtype=bool))
    return Table(Schema(tuple("abcd"), (None,) * M), columns, labels, np.ones(N))


@pytest.mark.parametrize("overlap", [False, True])
def test_children_get_the_order_of_their_own_patients(overlap):
    for seed in SEEDS:
        rng, table = np.random.default_rng(seed), a_table(seed)
        here, present = arrivals(table, table.weight), np.zeros(N, dtype=np.bool_)
        child = rng.integers(0, 4, N)  # the last is a leaf that wants no order
        parts = [np.flatnonzero((child == c) | (overlap & (rng.random(N) < 0.9))).astype(np.int32) for c in range(3)]
        wanted = [arrivals(table, np.isin(np.arange(N), rows).astype(float)) for rows in parts]
        found = hand_over(here, parts, present)
        assert not present.any()
        for (order, known), rows, own in zip(found, parts, wanted, strict=True):
            assert order.shape == (M, len(rows))
            assert order.flags.c_contiguous
            assert known.tolist() == own.n_known.tolist()
            for j in range(M):
                assert order[j, : known[j]].tolist() == own.order[j, : known[j]].tolist()
            assert np.shares_memory(order, here.order) is not overlap


@pytest.mark.parametrize("chosen", [{}, {"threshold": "observed"}, {"zone": "margin"}, {"branching": "nary"}])
def test_growing_leaves_no_order_behind_that_it_has_written_over(chosen):
    for seed in SEEDS:
        table, exact = a_table(seed), ResolvedNoise.none(M)
        if chosen.get("branching") == "nary":
            table = replace(table, n_bins=4)
        before = a_table(seed).sorted_rows
        tree, _ = fit_tree(table, Recipe(criterion="gini", max_depth=3, **chosen), exact, exact, exact)
        assert tree.n_leaves > 2
        assert ("sorted_rows" in vars(table)) is bool(chosen)
        for found, expected in zip(table.sorted_rows, before, strict=True):
            np.testing.assert_array_equal(found, expected)
