"""How long the engine takes beside scikit-learn's plain tree: `python -m tests.bench`, one table of ratios.

In: made-up patients and scikit-learn's own sets. Out: printed ratios with the bars they are to reach; nothing is
asserted. `--quick` leaves out what takes longer than a minute; a word picks the rows whose name holds it.
"""

from __future__ import annotations

import statistics
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.tree import DecisionTreeClassifier

from engine import Noise, UncertainTreeClassifier, variant

from .app import latencies, starts
from .rows import chosen, seconds

REPEATS = 5
BIG, WIDE = 100_000, 30


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, float]:
    """Return the median time of ours in seconds, and the median of its ratios to theirs, run in turn."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    return statistics.median(a for a, _ in pairs), statistics.median(a / b for a, b in pairs)


def big(n: int = BIG, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, WIDE, n_informative=10, random_state=seed)


def segments(n: int = 2310) -> tuple[np.ndarray, np.ndarray]:
    """Return patients shaped like the segment set: 19 variables, seven classes."""
    return make_classification(n, 19, n_informative=10, n_classes=7, n_clusters_per_class=1, random_state=3)


def diabetic() -> tuple[np.ndarray, np.ndarray]:
    """Return patients shaped like the diabetes set: 768 with eight whole or rounded readings."""
    X, y = make_classification(768, 8, n_informative=4, flip_y=0.2, random_state=5)
    return np.round(10.0 * X + 120.0), y


def row(name: str, bar: str, ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int = REPEATS) -> None:
    if chosen(name):
        took, ratio = paired(ours, theirs, repeats)
        print(f"{name:<58} {1000 * took:>10.1f} ms {ratio:>9.2f} x   bar {bar}", flush=True)


def fits() -> None:
    (X, y), (wx, wy) = big(), load_breast_cancer(return_X_y=True)
    for depth, bar in ((4, "0.25"), (None, "0.5")):
        plain, ours = (
            DecisionTreeClassifier(max_depth=depth),
            UncertainTreeClassifier(criterion="gini", max_depth=depth),
        )
        row(f"exact fit 100,000 x 30, depth {depth}", bar, partial(ours.fit, X, y), partial(plain.fit, X, y), 3)
    plain, ours = DecisionTreeClassifier(), UncertainTreeClassifier(criterion="gini")
    row("exact fit wdbc", "1", partial(ours.fit, wx, wy), partial(plain.fit, wx, wy), 15)
    plain = DecisionTreeClassifier(max_depth=4)
    for u, bar in ((0.1, "0.5"), (0.5, "0.5"), (0.02, "1")):
        soft = UncertainTreeClassifier(criterion="gini", search="soft", max_depth=4, noise=Noise.of_sd(u))
        row(
            f"soft search 100,000 x 30, depth 4, σ {u:.0%} of SD",
            bar,
            partial(soft.fit, X, y),
            partial(plain.fit, X, y),
            3,
        )
    for name, (px, py) in {"wdbc": (wx, wy), "diabetes-like": diabetic()}.items():
        both = variant("SS+STP", noise=Noise.of_mean(0.1))
        entropy = DecisionTreeClassifier(criterion="entropy")
        row(f"soft search + propagation, pruned, {name}", "20", partial(both.fit, px, py), partial(entropy.fit, px, py))
    entropy = DecisionTreeClassifier(criterion="entropy")
    row(
        "UDT, 100 points, w 0.1, wdbc",
        "50",
        partial(variant("UDT", width=0.1).fit, wx, wy),
        partial(entropy.fit, wx, wy),
    )
    for zone in ("margin", "quality_plateau", "class_overlap", "gain_ratio", "node_bootstrap"):
        more = {"n_bootstraps": 20} if zone == "node_bootstrap" else {}
        ternary = UncertainTreeClassifier(criterion="gini", zone=zone, evaluation="zone", max_depth=4, **more)
        bar = "0.6" if more else "0.35"
        row(f"ternary {zone} 100,000 x 30, depth 4", bar, partial(ternary.fit, X, y), partial(plain.fit, X, y), 3)
    sx, sy = segments()
    row(
        "CITree, segment-like",
        "4",
        partial(variant("CITree").fit, sx, sy),
        partial(DecisionTreeClassifier().fit, sx, sy),
    )


def predictions() -> None:
    X, y = big()
    plain = DecisionTreeClassifier(max_leaf_nodes=15).fit(X, y)
    noise = Noise.of_sd(0.1)
    for evaluation, bar in (("hard", "1"), ("coherent", "10")):
        ours = UncertainTreeClassifier(criterion="gini", max_depth=4, evaluation=evaluation, noise=noise).fit(X, y)
        row(
            f"predict {evaluation}, 100,000 rows, {ours.n_leaves_} leaves",
            bar,
            partial(ours.predict, X),
            partial(plain.predict, X),
        )
    name = "one patient's case, 30 variables"
    if chosen(name):
        model = UncertainTreeClassifier(criterion="gini", max_depth=4, noise=noise).fit(X[:5000], y[:5000])
        for evaluation in ("hard", "soft", "coherent"):
            read = model.with_decision(evaluation=evaluation)
            read.case(X[0])
            took = statistics.median(seconds(partial(read.case, X[i])) for i in range(40))
            print(
                f"{name}, {evaluation}, {model.n_leaves_} leaves{'':<14} {1000 * took:>10.1f} ms {'':>9}     bar 20 ms",
                flush=True,
            )


def growth() -> None:
    name = "growth of cost, 100,000 to 1,000,000 rows, depth 6"
    if not chosen(name) or "--quick" in sys.argv:
        return
    took, data = [], 0
    for n in (BIG, 10 * BIG):
        X, y = big(n)
        model, data = UncertainTreeClassifier(criterion="gini", max_depth=6), X.nbytes
        model.fit(X[:1000], y[:1000])
        took.append(seconds(partial(model.fit, X, y)))
    tracemalloc.start()
    model.fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{name:<58} {1000 * took[1]:>10.1f} ms {took[1] / took[0]:>9.2f} x   bar 16", flush=True)
    print(
        f"{'memory beside the data, 1,000,000 rows':<58} {most / 1e6:>10.0f} MB {most / data:>9.2f} x   bar 2",
        flush=True,
    )


if __name__ == "__main__":
    fits()
    predictions()
    growth()
    latencies()
    starts()
