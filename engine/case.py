"""One patient: path, shares, stability, nearest change, which measurement to repeat, interval. METHODS §9.

In: a finished tree, the recipe's evaluation and decision, the evaluation noise, one encoded row.
Out: a frozen `Case`. All of it speaks of measurement error alone: the tree is taken as right, errors as independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from engine import kernels
from engine.decide import Rule, decide
from engine.gates import gate_shares, in_zone
from engine.nearest import TAIL, Decision, nearest_changes, nearest_shown_changes, trials
from engine.noise import ResolvedNoise, density, quantile
from engine.route import decided, leaf_posteriors, leaf_shares, mixture, reach
from engine.tree import BINARY, BRANCHES, NOMINAL, Tree

Floats = NDArray[np.float64]
WORTH_REPEATING = 0.005
INTERVAL = (0.025, 0.975)
DRAWS, DRAWS_REPEAT, SEED = 10_000, 2_000, 20_040  # of true values, where a leaf's answer varies inside it
DRAWS_AS_READ = 500  # of true values, each read as the patient is
ROWS_AT_ONCE = 1_000
SECOND_READINGS = np.linspace(-8.0, 8.0, 4001)  # of the mean of both, in its σ; the midpoint rule
SECOND_WEIGHTS = np.exp(-0.5 * SECOND_READINGS**2) / np.exp(-0.5 * SECOND_READINGS**2).sum()
PANEL_NODES, PANEL_WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class Step:
    """One split node that the reading reaches by hard gates; shares are per child, conditional on the node."""

    node: int
    variable: str
    value: float | str | None
    sigma: float
    threshold: float | None
    closed: str | None
    distance: float | None  # value - threshold, in the variable's unit
    distance_in_sigma: float | None
    low: float | None
    high: float | None
    undecided: bool
    missing: bool
    hard: tuple[float, ...]
    soft: tuple[float, ...]
    coherent: tuple[float, ...]
    zone: tuple[float, ...] | None


@dataclass(frozen=True, eq=False)
class Case:
    """What one patient is told. METHODS §9.

    Attributes
    ----------
    answer : the model's answer: a class, None = abstain, or a frozenset of classes.
    probability : (K,) under the model's evaluation.
    probabilities, answers : the same under "hard", "soft", "coherent", and "zone" when the tree has zones.
    decided : no zone entered on the hard path. values, sigma : per variable, the reading and its σ (0 = exact).
    misrecord : per variable, the probability that its category was misrecorded; 0 for a number.
    path : the split nodes of the hard path, root first.
    reach, reach_hard : (N,) share of every node, coherent and hard. gates : per node the coherent share of each child.
    shares : (L,) coherent share of each leaf, in tree order. leaf_answers : each leaf's own answer.
    answer_shares : (answer, coherent share of the leaves that give it), the largest first.
    stability : coherent share of the leaves that answer as shown. certainty : the largest answer share.
    stability_as_read : share of the plausible true values that are answered as shown when each is put in place of the
        reading and read by the same evaluation and decision; from 500 seeded draws, exactly 1 without noise. None
        where the tree is read by hard gates: `stability` says it. A missing value stays missing.
    nearest_change : per variable the smallest signed change that alters the hard tree's answer, None when none does;
        None too for a nominal variable, whose first category that does stands in `nearest_category`.
    nearest_answer : per variable with such a change, the hard tree's answer after it. hard_answer : before it.
    nearest_shown_change, nearest_shown_category, nearest_shown_answer : the same for the answer shown, under the
        chosen evaluation and decision: the model's `decide` at the reading so changed is that other answer, and no
        smaller change alters it. A proportional σ moves with the reading. Equal to the three above where the tree is
        read by hard gates; None where no reading alters the answer as far as the error reaches beyond the outermost
        threshold or zone edge (8 σ when normal; up to twenty times the edge where σ is proportional).
    repeat_advice : per variable with σ > 0, the expected gain in certainty from a second reading.
    best_repeat : the variable with the largest gain, None when all are under 0.005.
    missing : variables without a value. interval : (K, 2) 2.5–97.5 % range of the hard tree's p under the noise: of the
        leaves' own p by coherent share, so that a missing value widens it as measurement error does.
    simulated : the answer varies inside a naive Bayes leaf, so answer_shares, stability, certainty, interval and
        repeat_advice come from a seeded simulation of the true values; the last from 2,000 draws, the others from
        n_draws. False and 0 where the closed form holds. Leaf answers are those at the reading.
    """

    answer: Any
    probability: Floats
    probabilities: dict[str, Floats]
    answers: dict[str, Any]
    decided: bool
    values: dict[str, float | str | None]
    sigma: dict[str, float]
    misrecord: dict[str, float]
    path: tuple[Step, ...]
    reach: Floats
    reach_hard: Floats
    gates: list[tuple[float, ...]]
    shares: Floats
    leaf_answers: list[Any]
    answer_shares: list[tuple[Any, float]]
    stability: float
    stability_as_read: float | None
    certainty: float
    hard_answer: Any
    nearest_change: dict[str, float | None]
    nearest_category: dict[str, Any]
    nearest_answer: dict[str, Any]
    nearest_shown_change: dict[str, float | None]
    nearest_shown_category: dict[str, Any]
    nearest_shown_answer: dict[str, Any]
    repeat_advice: dict[str, float]
    best_repeat: str | None
    missing: tuple[str, ...]
    interval: Floats
    simulated: bool = False
    n_draws: int = 0

    def __repr__(self) -> str:
        """Say the answer and how sure it is; what a patient's readings were is not repeated."""
        answer = "no answer" if self.answer is None else f"answer {self.answer}"
        best = f"best class P {float(np.max(self.probability)):.3g}, stability {self.stability:.3g}"
        return f"<Case: {answer}, {best}, {len(self.path)} splits on the way>"


@dataclass(frozen=True)
class Reader:
    """A tree with the way it is read: evaluation, decision with its τ or costs, and the evaluation noise."""

    tree: Tree
    evaluation: str
    decision: str
    tau: float
    noise: ResolvedNoise
    cost: Any = None
    abstain_cost: float | None = None

    def answers(self, probability: Floats) -> list[Any]:
        """Return the answer to each row of probabilities: a class, None = abstain, or a frozenset of classes."""
        return decide(probability, self.tree.classes, self.decided_by.rule)

    @property
    def decided_by(self) -> Decision:
        """The classes and the rule that answers."""
        return Decision(self.tree.classes, Rule(self.decision, self.tau, self.cost, self.abstain_cost))

    @property
    def hard(self) -> bool:
        """Whether every gate is read hard, by choice or because nothing is noisy."""
        return self.evaluation == "hard" or (self.evaluation in ("soft", "coherent") and not self.noise.anything)


def make_case(reader: Reader, row: Floats) -> Case:
    """Work out everything a patient is told.

    Parameters
    ----------
    reader : the tree and how it is read. row : (M,) encoded values, NaN = missing.
    """
    tree, noise = reader.tree, reader.noise
    x = np.ascontiguousarray(row, dtype=np.float64).reshape(1, -1)
    kinds = ["hard", "soft", "coherent", *zoned_kinds(tree, reader.evaluation)]
    probabilities = {kind: mixture(tree, x, kind, noise)[0] for kind in kinds}
    answers = {kind: reader.answers(p[None, :])[0] for kind, p in probabilities.items()}
    answer = answers[reader.evaluation]
    reached = reach(tree, x, "coherent", noise)[0]
    shares = reached[tree.leaves]
    leaf_probability = leaf_posteriors(tree, x, np.zeros(len(tree.leaves), dtype=np.int64), tree.leaves)
    leaf_answers = reader.answers(leaf_probability)
    simulated = tree.has_bayes and is_noisy_at(noise, x[0])
    drawn = draw_truth(tree, noise, x[0], DRAWS, frozenset()) if simulated else x
    spoken = speak(reader, drawn) if tree.has_bayes else Spoken(leaf_probability, leaf_answers, shares)
    answer_shares = share_by_answer(spoken.answers, spoken.share)
    by_hard = by_shown = nearest_changes(tree, x[0], answers["hard"], reader.decided_by)
    if not reader.hard:
        by_shown = nearest_shown_changes(tree, x[0], answer, reader.decided_by, reader.evaluation, noise)
    sigma = noise.at_reading(x[0])
    advice = repeat_advice(reader, x[0], leaf_answers, dict(answer_shares), simulated)
    best = max(advice, key=lambda name: advice[name], default=None)
    names = tree.variables
    return Case(
        answer=answer,
        probability=probabilities[reader.evaluation],
        probabilities=probabilities,
        answers=answers,
        decided=bool(decided(tree, x)[0]),
        values={name: shown_value(tree, j, x[0, j]) for j, name in enumerate(names)},
        sigma=dict(zip(names, sigma.tolist(), strict=True)),
        misrecord={name: float(noise.misrecord[j]) for j, name in enumerate(names)},
        path=tuple(steps(reader, x[0])),
        reach=reached,
        reach_hard=reach(tree, x, "hard")[0],
        gates=[
            () if tree.is_leaf(node) else tuple(gate_shares(tree, node, x[0, tree.variable[node]], "coherent", noise))
            for node in range(tree.n_nodes)
        ],
        shares=shares,
        leaf_answers=leaf_answers,
        answer_shares=answer_shares,
        stability=min(1.0, dict(answer_shares).get(answer, 0.0)),
        stability_as_read=stability_as_read(reader, x[0], answer),
        certainty=min(1.0, answer_shares[0][1]),
        hard_answer=answers["hard"],
        nearest_change=by_hard.changes,
        nearest_category=by_hard.categories,
        nearest_answer=by_hard.answers,
        nearest_shown_change=by_shown.changes,
        nearest_shown_category=by_shown.categories,
        nearest_shown_answer=by_shown.answers,
        repeat_advice=advice,
        best_repeat=best if best is not None and advice[best] >= WORTH_REPEATING else None,
        missing=tuple(name for j, name in enumerate(names) if np.isnan(x[0, j])),
        interval=np.array([quantiles(p, spoken.share) for p in spoken.probability.T]),
        simulated=simulated,
        n_draws=DRAWS if simulated else 0,
    )


@dataclass(frozen=True, eq=False)
class Spoken:
    """What leaves say: probability (p, K) and answer of each leaf a true value reaches, with its share (p,)."""

    probability: Floats
    answers: list[Any]
    share: Floats


def is_noisy_at(noise: ResolvedNoise, row: Floats) -> bool:
    """Return True when some known value of the reading may differ from the true one."""
    return bool((((noise.misrecord > 0.0) | (noise.at_reading(row) > 0.0)) & ~np.isnan(row)).any())


def draw_truth(tree: Tree, noise: ResolvedNoise, row: Floats, n: int, held: frozenset[int]) -> Floats:
    """Return `n` true rows (n, M) that the noise allows around a reading, the variables `held` as they are. METHODS §9

    Seeded, and each variable spread evenly over its own distribution, so that one patient's figures never change.
    """
    rng = np.random.default_rng(SEED)
    truth = np.repeat(row[None, :], n, axis=0)
    sigma, shape = noise.at_reading(row), noise.shape.tolist()
    levels = (np.arange(n) + 0.5) / n
    errors = {each: quantile(levels, each) for each in set(shape)}
    for j, x in enumerate(row):
        order = rng.permutation(n)  # drawn for every variable: those held change no other's draws
        if np.isnan(x) or j in held:
            continue
        names = tree.categories[j]
        if names is None:
            truth[:, j] = x + sigma[j] * errors[shape[j]][order]
        elif noise.misrecord[j] > 0.0 and len(names) > 1:
            level = levels[order]
            wrong = level < noise.misrecord[j]
            other = np.floor(level[wrong] / noise.misrecord[j] * (len(names) - 1))
            truth[wrong, j] = other + (other >= x)
    return truth


def speak(reader: Reader, rows: Floats) -> Spoken:
    """Return what every leaf says that a row of (n, M) reaches by hard gates; the shares of all sum to 1."""
    tree = reader.tree
    probability, shares = [], []
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        reached = reach(tree, some, "hard")[:, tree.leaves]
        row, leaf = np.nonzero(reached)
        probability.append(leaf_posteriors(tree, some, row, tree.leaves[leaf]))
        shares.append(reached[row, leaf] / len(rows))
    said = np.concatenate(probability)
    return Spoken(said, reader.answers(said), np.concatenate(shares))


def stability_as_read(reader: Reader, row: Floats, shown: Any) -> float | None:
    """Return how often a plausible true value, read as the reading was, is answered as shown; None by hard gates."""
    if reader.evaluation == "hard":
        return None
    tree, noise = reader.tree, reader.noise
    bears = set(range(len(row))) if tree.has_bayes else {int(j) for j in tree.variable if j >= 0}
    if not is_noisy_at(noise, np.array([x if j in bears else np.nan for j, x in enumerate(row)])):
        return 1.0
    truth = draw_truth(tree, noise, row, DRAWS_AS_READ, frozenset(range(len(row))) - bears)
    same = ~reader.decided_by.differs(mixture(tree, truth, reader.evaluation, noise), shown)
    return float(same.mean())


def zoned_kinds(tree: Tree, evaluation: str) -> list[str]:
    """Return the evaluations that blend inside zones, for a tree that has some outside middle children."""
    if evaluation in ("zone", "deferred"):
        return ["zone", "deferred"]
    return ["zone", "deferred"] if np.any((tree.high > tree.low) & (tree.gate == BINARY)) else []


def shown_value(tree: Tree, j: int, x: float) -> Any:
    """Return a reading as a person knows it: a number, a category, or None when missing."""
    if np.isnan(x):
        return None
    categories = tree.categories[j]
    return float(x) if categories is None else categories[int(x)]


def share_by_answer(leaf_answers: list[Any], shares: Floats) -> list[tuple[Any, float]]:
    """Return (answer, summed share) by falling share, answers of leaves in tree order on ties."""
    sums: dict[Any, float] = {}
    for answer, share in zip(leaf_answers, shares, strict=True):
        sums[answer] = sums.get(answer, 0.0) + float(share)
    return sorted(sums.items(), key=lambda pair: -pair[1])


def steps(reader: Reader, row: Floats) -> Iterator[Step]:
    """Yield the split nodes that the reading reaches with positive hard share, parents first."""
    tree, noise = reader.tree, reader.noise
    hard, sigmas = reach(tree, row[None, :], "hard")[0], noise.at_reading(row)
    for node in sorted((int(k) for k in np.flatnonzero(hard > 0.0)), key=lambda k: (int(tree.depth[k]), k)):
        if tree.is_leaf(node):
            continue
        j = int(tree.variable[node])
        x, theta, low, high = (float(a) for a in (row[j], tree.threshold[node], tree.low[node], tree.high[node]))
        cut, missing = int(tree.gate[node]) in BRANCHES, bool(np.isnan(x))
        sigma = float(sigmas[j]) if tree.gate[node] != NOMINAL else 0.0
        known = cut and not missing
        zoned = high > low
        gates = {kind: tuple(gate_shares(tree, node, x, kind, noise)) for kind in ("hard", "soft", "coherent", "zone")}
        yield Step(
            node=node,
            variable=tree.variables[j],
            value=shown_value(tree, j, x),
            sigma=sigma,
            threshold=theta if cut else None,
            closed=("le" if tree.closed_le[node] else "lt") if cut else None,
            distance=x - theta if known else None,
            distance_in_sigma=(x - theta) / sigma if known and sigma > 0.0 else None,
            low=low if zoned else None,
            high=high if zoned else None,
            undecided=zoned and (missing or in_zone(tree, node, x)),
            missing=missing,
            hard=gates["hard"],
            soft=gates["soft"],
            coherent=gates["coherent"],
            zone=gates["zone"] if zoned else None,
        )


def quantiles(p: Floats, shares: Floats) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % quantiles of leaf values `p` weighted by `shares`."""
    order = np.argsort(p, kind="stable")
    rising = np.cumsum(shares[order])
    low, high = (int(np.searchsorted(rising, q * rising[-1] - 1e-12)) for q in INTERVAL)
    return float(p[order[min(low, len(p) - 1)]]), float(p[order[min(high, len(p) - 1)]])


# Which measurement to repeat


def repeat_advice(
    reader: Reader,
    row: Floats,
    leaf_answers: list[Any],
    answer_shares: dict[Any, float],
    simulated: bool = False,
) -> dict[str, float]:
    """Return the expected gain in certainty from a second reading of each noisy variable. METHODS §9.

    The second reading is averaged with the first (normal noise); other shapes weigh both by their own posterior.
    When `simulated`, the other variables' true values are drawn, and the certainty before is worked out on the same
    draws.
    """
    tree, noise = reader.tree, reader.noise
    certainty = max(answer_shares.values())
    distinct = list(dict.fromkeys(leaf_answers))
    says = np.array([[answer == own for answer in distinct] for own in leaf_answers], dtype=np.float64)
    advice: dict[str, float] = {}
    for j, (x, sigma) in enumerate(zip(row.tolist(), noise.at_reading(row).tolist(), strict=True)):
        if tree.categories[j] is not None or np.isnan(x) or not sigma > 0.0:
            continue
        cuts, shape = np.unique(tree.turning_points[j][0]), int(noise.shape[j])
        if len(cuts) == 0:
            advice[tree.variables[j]] = 0.0
            continue
        if simulated:
            by_cell = drawn_answers_by_cell(reader, row, j, cuts)
            certainty = float((cell_masses(x, sigma, shape, cuts) @ by_cell).max())
        else:
            by_cell = answers_by_cell(reader, row, j, cuts, says)
        far = TAIL[shape] * sigma
        near = by_cell[np.searchsorted(cuts, x - far) : np.searchsorted(cuts, x + far) + 1]
        if (near == near[0]).all():  # wherever the true value lies, no second reading tells the answers apart
            expected = float(near[0].max())
        elif shape == kernels.NORMAL:
            expected = averaged_reading(x, sigma, cuts, by_cell)
        else:
            expected = weighed_reading(x, sigma, shape, cuts, by_cell)
        advice[tree.variables[j]] = max(0.0, expected - certainty)
    return advice


def answers_by_cell(reader: Reader, row: Floats, j: int, cuts: Floats, says: Floats) -> Floats:
    """Return the share (cells, answers) of each answer when variable `j` is known to lie in each cell.

    Parameters
    ----------
    says : (L, answers), 1 where a leaf gives the answer.
    """
    ends = ends_of(cuts)
    exact = replace(reader.noise, sigma=reader.noise.sigma.copy(), cv=reader.noise.cv.copy())
    exact.sigma[j] = exact.cv[j] = 0.0
    return leaf_shares(reader.tree, trials(row, j, 0.5 * ends[:-1] + 0.5 * ends[1:]), "coherent", exact) @ says


def ends_of(cuts: Floats) -> Floats:
    """Return the ends of the cells between rising `cuts`; those of the two outermost lie a way beyond them."""
    return np.concatenate([[cuts[0] - 1.0 - abs(cuts[0])], cuts, [cuts[-1] + 1.0 + abs(cuts[-1])]])


def cell_masses(x: float, sigma: float, shape: int, cuts: Floats) -> Floats:
    """Return the probability (cells,) that the true value lies between each two of the rising `cuts`."""
    below = kernels.cdf_all(np.ascontiguousarray((cuts - x) / sigma), shape)
    return np.diff(below, prepend=0.0, append=1.0)


def drawn_answers_by_cell(reader: Reader, row: Floats, j: int, cuts: Floats) -> Floats:
    """Return the share (cells, answers) of each answer when variable `j` lies in each cell, the others drawn.

    Cells that neither reading could come from have none.
    """
    far, ends = TAIL[int(reader.noise.shape[j])] * float(reader.noise.at(j, row[j])), ends_of(cuts)
    truth = draw_truth(reader.tree, reader.noise, row, DRAWS_REPEAT, frozenset({j}))
    shares: list[dict[Any, float]] = []
    for place, (low, high) in enumerate(pairwise(ends)):
        near = (place == len(cuts) or high >= row[j] - far) and (place == 0 or low <= row[j] + far)
        truth[:, j] = 0.5 * low + 0.5 * high
        spoken = speak(reader, truth) if near else None
        shares.append(dict(share_by_answer(spoken.answers, spoken.share)) if spoken is not None else {})
    distinct = list(dict.fromkeys(answer for share in shares for answer in share))
    return np.array([[share.get(answer, 0.0) for answer in distinct] for share in shares])


def averaged_reading(x: float, sigma: float, cuts: Floats, by_cell: Floats) -> float:
    """Return the expected certainty when the mean of both readings, N(x, σ²/2), is read with noise σ/√2."""
    below = special.ndtr(((cuts - x) / (sigma / np.sqrt(2.0)))[:, None] - SECOND_READINGS)
    shares = (by_cell[:-1] - by_cell[1:]).T @ below + by_cell[-1][:, None]  # by parts: (answers, readings)
    return float(shares.max(axis=0) @ SECOND_WEIGHTS)


def weighed_reading(x: float, sigma: float, shape: int, cuts: Floats, by_cell: Floats) -> float:
    """Return the expected certainty after a second reading r, ∫ max_k ∫ f(x - t) f(r - t) A_k(cell of t) dt dr.

    Panels between all kinks of both densities, the cuts and the readings, Gauss–Legendre inside each.
    """
    tail = TAIL[shape]
    n = 1001
    width = 4.0 * tail / n
    readings = (np.arange(n) + 0.5) * width - 2.0 * tail
    at = (cuts - x) / sigma
    fixed = np.concatenate([at, [0.0], tail * np.array([-1.0, -0.5, -0.25, -0.1, 0.1, 0.25, 0.5, 1.0])])
    moving = readings[:, None] + tail * np.array([-1.0, -0.25, 0.0, 0.25, 1.0])
    kinks = np.concatenate([np.broadcast_to(fixed, (n, len(fixed))), moving], axis=1)
    kinks = np.sort(np.clip(kinks, -tail, tail), axis=1)
    half, centre = 0.5 * np.diff(kinks, axis=1), 0.5 * (kinks[:, 1:] + kinks[:, :-1])
    masses = np.zeros_like(half)  # of panels without width, or too far from the second reading
    some = np.nonzero((half > 0.0) & (density(centre - readings[:, None], shape) > 0.0))
    t = centre[some][:, None] + half[some][:, None] * PANEL_NODES
    joint = density(t, shape) * density(t - readings[some[0]][:, None], shape)
    masses[some] = half[some] * (joint @ PANEL_WEIGHTS)
    cell = np.searchsorted(at, centre)
    expected = np.einsum("rp,rpk->rk", masses, by_cell[cell]).max(axis=1)
    return float(expected.sum() / masses.sum())
