"""Lessons on one axis: four points, two points, and a variable that a path asks twice.

In: readings, σ, thresholds. Out: one frozen result a lesson; nothing here draws or words anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine import kernels
from engine.classifier import variant
from engine.errors import PenumbraError
from engine.metrics import rate_interval
from engine.noise import Noise
from engine.route import leaf_shares
from engine.search import arrivals, exact_curve

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]

CLEAN = (-2.0, -2.0, 2.0, 2.0)
NOISY = (-2.0, 0.2, -0.2, 2.0)
FOUR_CLASSES = (0, 0, 1, 1)
REACH = 4.0  # the points' axis runs from -4 to 4
PLACES = np.round(np.linspace(-REACH, REACH, 801), 2)
FORK_SIGMAS = np.round(np.arange(0.2, 3.01, 0.05), 2)
NO_GAIN = 1e-12  # METHODS §4
SAME_TOP = 1e-9  # gains nearer than this part of the best are one height

APART = 4.0  # the two true values, -2 and 2
ORDER_SIGMAS = np.round(np.arange(0.1, 8.01, 0.1), 1)
ORDER_DOTS = np.arange(0.5, 8.01, 0.5)


@dataclass(frozen=True, eq=False)
class FourPoints:
    """Soft and exact search on four points. [S] §3.4

    Attributes
    ----------
    points : (4,) readings, the first two of the first class. sigma : of the search.
    exact : thresholds (candidates, thresholds at a value) and gains in bits. exact_best : those that tie for the best.
    soft : (801,) cuts from -4 to 4 and gains. tops : the best soft cuts, from left to right. top_gain : their gain.
    """

    points: tuple[float, ...]
    sigma: float
    exact: Curve
    exact_best: tuple[float, ...]
    exact_gain: float
    soft: Curve
    tops: tuple[float, ...]
    top_gain: float


@dataclass(frozen=True, eq=False)
class Fork:
    """The best soft cuts for rising σ; `one_top_from` is the least σ (in steps of 0.01) from which there is one."""

    sigmas: tuple[float, ...]
    tops: tuple[tuple[float, ...], ...]
    one_top_from: float


def soft_gains(points: Sequence[float], classes: Sequence[int], sigma: float, cuts: Floats) -> Floats:
    """Return the soft gain (T,) in bits of cutting points of two classes at each of `cuts` (T,). [S] §3.2"""
    x, member = np.asarray(points, dtype=np.float64), np.eye(2)[np.asarray(classes)]
    away = (cuts[:, None] - x) / sigma
    left = kernels.cdf_all(away.ravel(), kernels.NORMAL).reshape(away.shape) @ member
    whole, n = member.sum(axis=0), float(len(x))
    after = [part.sum(axis=1) * _entropies(part) for part in (left, whole - left)]
    return np.asarray(_entropies(whole[None])[0] - (after[0] + after[1]) / n)


def _entropies(weights: Floats) -> Floats:
    """Return the entropy (T,) in bits of each row of class weights (T, K): for many cuts at once, which a drag asks."""
    part = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(-(part * np.log2(np.where(part > 0.0, part, 1.0))).sum(axis=1))


def best_cuts(cuts: Floats, gains: Floats) -> tuple[float, ...]:
    """Return the middle of every run of cuts whose gain is the best but for rounding; none where nothing gains."""
    if gains.max() <= NO_GAIN:
        return ()
    best = gains >= gains.max() * (1.0 - SAME_TOP)
    starts = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    ends = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    return tuple(float((cuts[a] + cuts[b]) / 2.0) for a, b in zip(starts, ends, strict=True))


@lru_cache(maxsize=256)
def four_points(points: tuple[float, ...], sigma: float) -> FourPoints:
    """Return what exact and soft search see of four points, two of each class.

    Parameters
    ----------
    points : readings, the first two of the first class. sigma : standard deviation of each reading, above 0.

    Raises
    ------
    PenumbraError
        For another number of points, or a σ of 0 or less.
    """
    if len(points) != len(FOUR_CLASSES) or not sigma > 0.0:
        raise PenumbraError("This lesson takes four points and a σ above 0.")
    X, y = pd.DataFrame({"x": points}), [("A", "B")[k] for k in FOUR_CLASSES]
    model = variant("C4.5", threshold="value", min_weight_leaf=1, pruning="none").fit(X, y)
    table, weight = model.training_weights(X, y)
    search = replace(model.search_on(table), min_weight_leaf=0.0)
    exact = exact_curve(search, arrivals(table, weight[:, 0]), 0, search.labels)
    best = float(exact[1].max()) if len(exact[1]) else 0.0
    ties = tuple(float(x) for x, gain in zip(*exact, strict=True) if gain >= best * (1.0 - SAME_TOP) and best > 0.0)
    gains = soft_gains(points, FOUR_CLASSES, sigma, PLACES)
    return FourPoints(
        points, sigma, exact, ties, best, (PLACES, gains), best_cuts(PLACES, gains), float(gains.max())
    )


@lru_cache(maxsize=32)
def fork(points: tuple[float, ...]) -> Fork:
    """Return the best soft cuts of four points for σ from 0.2 to 3."""

    def tops(sigma: float) -> tuple[float, ...]:
        return best_cuts(PLACES, soft_gains(points, FOUR_CLASSES, sigma, PLACES))

    found = [tops(float(sigma)) for sigma in FORK_SIGMAS]
    several = [k for k, each in enumerate(found) if len(each) > 1]
    if not several:
        return Fork(tuple(map(float, FORK_SIGMAS)), tuple(found), float(FORK_SIGMAS[0]))
    last = float(FORK_SIGMAS[several[-1]])
    finer = [round(last + 0.01 * k, 2) for k in range(1, 6)]
    single = next((sigma for sigma in finer if len(tops(sigma)) == 1), finer[-1])
    return Fork(tuple(map(float, FORK_SIGMAS)), tuple(found), single)


@dataclass(frozen=True, eq=False)
class Order:
    """How often two readings keep the order of their true values, -2 and 2. [S] §3.4, METHODS §10

    Attributes
    ----------
    curve : σ and Φ(4/(√2·σ)). printed : σ and Φ(4/(2σ)), the misprint.
    dots : per simulated σ (σ, share kept, low, high), a 95 % Clopper–Pearson range. draws : simulated pairs a dot.
    sigma : the reader's σ, where `right`, `misprint` and `simulated` are read off; simulated counts as a dot does.
    """

    sigma: float
    draws: int
    curve: Curve
    printed: Curve
    dots: tuple[tuple[float, float, float, float], ...]
    right: float
    misprint: float
    simulated: tuple[float, float, float, float]


def order_kept(sigma: Any) -> Floats:
    """Return P(d < 0) = Φ(4/(√2·σ)): the difference of two readings has variance 2σ². [S] §3.4, METHODS §10"""
    return np.asarray(kernels.cdf_all(APART / (np.sqrt(2.0) * np.atleast_1d(sigma)), kernels.NORMAL))


def order_as_printed(sigma: Any) -> Floats:
    """Return Φ(4/(2σ)), as the paper prints it: a misprint. METHODS §10"""
    return np.asarray(kernels.cdf_all(APART / (2.0 * np.atleast_1d(sigma)), kernels.NORMAL))


def simulated_order(sigma: float, draws: int, seed: int) -> tuple[float, float, float, float]:
    """Return (σ, share of simulated pairs that keep their order, its 95 % range)."""
    random = np.random.default_rng([seed, round(1000 * sigma)])
    first = random.normal(-APART / 2, sigma, draws)
    kept = int((first < random.normal(APART / 2, sigma, draws)).sum())
    low, high = rate_interval(kept, draws) or (0.0, 1.0)
    return sigma, kept / draws, low, high


@lru_cache(maxsize=128)
def two_points(sigma: float, draws: int = 1000, seed: int = 1) -> Order:
    """Return the curve of P(d < 0) against σ, right and as printed, beside a seeded simulation.

    Parameters
    ----------
    sigma : the reader's σ, above 0. draws : simulated pairs a dot. seed : of the simulation.
    """
    return Order(
        sigma,
        draws,
        (ORDER_SIGMAS, order_kept(ORDER_SIGMAS)),
        (ORDER_SIGMAS, order_as_printed(ORDER_SIGMAS)),
        tuple(simulated_order(float(each), draws, seed) for each in ORDER_DOTS),
        float(order_kept(sigma)[0]),
        float(order_as_printed(sigma)[0]),
        simulated_order(sigma, draws, seed),
    )


@dataclass(frozen=True, eq=False)
class Repeated:
    """A variable asked twice on one path: the share of each leaf, independent, coherent and simulated. METHODS §3

    Attributes
    ----------
    low, high : the two thresholds. reading, sigma : in the variable's unit.
    parts : the three leaves' intervals, (-inf, low], (low, high], (high, inf), in tree order.
    independent, coherent : (3,) shares by soft and by coherent gates. simulated : (3,) shares of true values drawn.
    ranges : (3, 2) 95 % ranges of the simulated shares. draws : how many.
    """

    low: float
    high: float
    reading: float
    sigma: float
    parts: tuple[tuple[float, float], ...]
    independent: Floats
    coherent: Floats
    simulated: Floats
    ranges: Floats
    draws: int


@lru_cache(maxsize=256)
def repeated(reading: float, sigma: float, low: float, high: float, draws: int = 10_000, seed: int = 1) -> Repeated:
    """Return what independent and coherent gates say when a path asks one variable twice.

    Parameters
    ----------
    reading : the patient's value. sigma : its error, above 0. low, high : the thresholds, at least 2 apart.
    draws, seed : of the simulation of true values.
    """
    if not (sigma > 0.0 and high - low >= 2.0):
        raise PenumbraError("Give a σ above 0, and thresholds at least 2 apart.")
    X = pd.DataFrame({"x": [low - 1, low - 1, low + 1, high - 1, high + 1]})
    noise = Noise(sigma={"x": sigma})
    model = variant("CART", noise=noise).fit(X, ["out", "out", "between", "between", "out"])
    tree, error = model.tree_, model.noise_evaluation_
    value = np.array([[reading]])
    independent, coherent = (leaf_shares(tree, value, kind, error)[0] for kind in ("soft", "coherent"))
    truth = np.random.default_rng([seed, round(100 * reading), round(100 * sigma)]).normal(reading, sigma, (draws, 1))
    counts = leaf_shares(tree, truth, "hard").sum(axis=0)
    ranges = np.array([rate_interval(float(each), draws) or (0.0, 1.0) for each in counts])
    edges = [(-np.inf, low), (low, high), (high, np.inf)]
    return Repeated(
        low, high, reading, sigma, tuple(edges), independent, coherent, counts / draws, ranges, draws
    )
