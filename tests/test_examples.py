"""The bundled examples are what they say, made the same every time, and read without surprises.

In: `engine.examples` and the CSV files kept in `assets/examples`. Out: failures that name the example.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import PenumbraError
from engine.examples import EXAMPLES, FOLDER, csv_bytes, load_example
from engine.read import read_table

KEYS = list(EXAMPLES)
SYNTHETIC = [key for key in KEYS if EXAMPLES[key].synthetic]


def read(key):
    example = load_example(key)
    return read_table(example.frame, target=example.target, roles=example.roles, abstain=example.abstain or None)


@pytest.mark.parametrize("key", KEYS)
def test_what_is_said_of_an_example_fits_its_table(key):
    example, table = EXAMPLES[key], read(key)
    assert example.key == key
    assert all(column.role in ("variable", "target") for column in table.columns)
    assert example.positive in {label for label in table.y if label is not None}
    numeric = {column.name for column in table.columns if column.kind == "numeric"}
    assert set(example.units) <= numeric
    assert set(example.sigma) == set(example.sources) <= numeric
    for name, sigma in example.sigma.items():
        assert 0 < sigma < (0.8 if len(table.X) > 4 else 1.5) * np.nanstd(table.X[name])


@pytest.mark.parametrize("key", SYNTHETIC)
def test_made_again_it_is_the_same_to_the_byte(key):
    example = EXAMPLES[key]
    example.table.cache_clear()
    made = example.table()
    assert made.equals(example.frame)
    assert (FOLDER / f"{key}.csv").read_bytes() == csv_bytes(example)


@pytest.mark.parametrize("key", SYNTHETIC)
def test_file_reads_as_the_table_does(key):
    example = EXAMPLES[key]
    from_file = read_table(
        FOLDER / f"{key}.csv", target=example.target, roles=example.roles, abstain=example.abstain or None
    )
    from_table = read(key)
    assert from_file.y.tolist() == from_table.y.tolist()
    assert from_file.X.equals(from_table.X)
    assert from_file.columns == from_table.columns


def test_clinics_have_gaps_overlap_and_abstention():
    assert read("ejection_fraction").X.isna().to_numpy().sum() > 50
    registry = read("sf12_registry")
    abstained = sum(label is None for label in registry.y)
    assert 0.3 < abstained / len(registry.y) < 0.6
    assert len(read("wdbc").X.columns) == 30


def test_unknown_example_is_one_sentence():
    with pytest.raises(PenumbraError, match="examples are"):
        load_example("nothing")
