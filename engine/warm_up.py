"""Compile the kernels before anybody waits for them; numba keeps what is compiled on disk.

In: nothing; as a program, `python -m engine.warm_up` compiles for the processes to come. Out: compiled kernels.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

from engine.classifier import UncertainTreeClassifier, variant
from engine.gates import gate_shares
from engine.labels import read_labels
from engine.noise import Noise, ResolvedNoise
from engine.recipe import VARIANTS
from engine.route import decided, hard_leaves, mixture, propagated, reach
from engine.search import arrivals, exact_curve, soft_curve
from engine.table import Table
from engine.tree import BINARY, Node, Tree, freeze

OFTEN = "SS+STP"  # what the app opens on
READINGS = ("hard", "soft", "coherent")


def search_ahead() -> None:
    """Compile how a first tree of the app is sought and divided; `read_ahead` does the rest of it."""
    X, y = patients()
    variant(OFTEN, noise=Noise(sigma={"a": 0.3, "d": 0.2}), max_depth=2).fit(X[["a", "d"]], y)


def read_ahead() -> None:
    """Compile what else a first tree and a first patient need: how a grown tree is read, and exact search.

    What `search_ahead` meanwhile leaves on the disk is not compiled again.
    """
    tree, noise = stump(), ResolvedNoise.none(1)
    rows = np.array([[0.0], [1.0]])
    propagated(tree, np.ascontiguousarray(rows.T), np.ones(2), "soft", noise, 0.0)
    for kind in READINGS:
        reach(tree, rows, kind, noise)
        mixture(tree, rows, kind, noise)
    decided(tree, rows)
    hard_leaves(tree, rows)
    gate_shares(tree, 0, 0.0, "soft", noise)
    without_a_split()


def curves_ahead() -> None:
    """Compile the gain curves that stand beside a tree, and are drawn after it."""
    model, X, y = without_a_split()
    table = Table(model.schema_, np.ascontiguousarray(model.encode(X).T), read_labels(y, len(y)), np.ones(len(y)))
    search, here = model.search_on(table), arrivals(table, table.weight)
    exact_curve(search, here, 0, search.labels)
    soft_curve(search, here, 0, search.labels)


def without_a_split() -> tuple[UncertainTreeClassifier, pd.DataFrame, list[str]]:
    """Return a model that sought a split by exact search and found none, so that nobody was divided; its patients."""
    X, y = pd.DataFrame({"a": np.ones(20), "c": ["p", "q"] * 10}), ["no", "no", "yes", "yes"] * 5
    return variant("C4.5", noise=Noise(sigma={"a": 1.0})).fit(X, y), X, y


def everything() -> None:
    """Compile what every named variant needs, the app's first one before the others."""
    for name in sorted(VARIANTS, key=lambda name: name != OFTEN):
        one(name)


def one(name: str) -> None:
    """Fit a named variant on a few made-up patients, and read one of them."""
    X, y = patients()
    error: dict[str, Any] = {"width": 0.1} if name == "UDT" else {"noise": Noise(sigma={"a": 0.3, "b": 0.2})}
    model: UncertainTreeClassifier = variant(name, **error).fit(X, y)
    model.predict(X)
    for evaluation in READINGS:
        model.with_decision(evaluation=evaluation).case(X.iloc[0])


def patients(n: int = 120) -> tuple[pd.DataFrame, list[str]]:
    """Return made-up patients with three measurements, one sometimes missing, and a category; the outcome asks all."""
    rng = np.random.default_rng(0)
    a, b, d = rng.normal(size=(3, n))
    c = rng.random(n) < 0.5
    y = ["yes" if value else "no" for value in a + b + d + 3.0 * c + rng.normal(size=n) > 1.5]
    b[::7] = np.nan
    return pd.DataFrame({"a": a, "b": b, "c": ["p" if value else "q" for value in c], "d": d}), y


def stump() -> Tree:
    """Return a tree of one split, laid out as every finished tree is."""
    leaves = [
        Node(np.array(weight), 1.0, 1.0, 1, np.array(weight)) for weight in ([1.0, 0.0], [0.0, 1.0])
    ]
    root = Node(
        np.ones(2), 2.0, 2.0, 0, np.full(2, 0.5), variable=0, gate=BINARY, threshold=0.5, gain=1.0,
        share=np.full(2, 0.5), children=leaves,
    )  # fmt: skip
    return freeze(root, ["a"], [None], ["no", "yes"])


if __name__ == "__main__":
    read_ahead()
    print("read", flush=True)
    curves_ahead()
    if hasattr(os, "nice"):
        os.nice(5)  # the rest can wait for whoever uses the app
    everything()
