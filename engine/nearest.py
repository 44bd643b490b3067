"""The smallest change of one reading that alters an answer: by hard gates, and as the tree is read. METHODS §9.

In: a tree, one encoded row, how probabilities are answered, the evaluation and its noise. Out: signed changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.decide import Rule, answered_otherwise, decide, margins
from engine.gates import KINDS, tree_splits
from engine.noise import ResolvedNoise
from engine.route import mixture
from engine.tree import BINARY, NOMINAL, Tree

Floats = NDArray[np.float64]
Profile = Callable[[Floats], Floats]  # values of one variable (n,) -> probabilities (n, K), the others held
TAIL = {
    kernels.NORMAL: 8.0,
    kernels.UNIFORM: np.sqrt(3.0),
    kernels.LAPLACE: 14.0,
    kernels.LOGISTIC: 12.0,
    kernels.TRUNCATED: kernels.TRUNCATION,
}
FAR = TAIL | {kernels.LAPLACE: 23.0, kernels.LOGISTIC: 18.0}  # beyond it P moves by less than a decision's slack
STEP = 0.125  # σ, between two values that are tried
PARTS = 16  # of an interval between zone edges, or one where the answer may turn and turn back
SECTIONS = 64  # of an interval in which the answer turns
PRECISE = 1e-10  # of the first such interval
DOUBTS, MOST_DOUBTFUL = 3, 24  # rounds of looking closer, and at how many intervals
WIDEST_RATIO = 3.0  # log of how far beyond an edge a proportional error is followed: twenty times the edge
NEAR_EDGE = 4e-12  # of |θ| + δ: beyond what rounding may take off a zone's edge, METHODS §7


class Changes(NamedTuple):
    """Per variable the signed change or None; the first category that does, of nominal ones; the answer after it."""

    changes: dict[str, float | None]
    categories: dict[str, Any]
    answers: dict[str, Any]


class Decision(NamedTuple):
    """How probabilities are answered."""

    classes: Sequence[Any]
    rule: Rule

    def differs(self, probability: Floats, shown: Any) -> NDArray[np.bool_]:
        """Return where (n,) probabilities (n, K) are answered otherwise than `shown`."""
        return answered_otherwise(probability, shown, self.classes, self.rule)


def nearest_changes(tree: Tree, row: Floats, hard_answer: Any, by: Decision) -> Changes:
    """Return, per variable, the smallest change that alters the hard tree's answer, the others held. METHODS §9.

    Returns
    -------
    signed changes in the variable's unit (None when no value does, or the value is missing, or it is nominal);
    the first category that does, of nominal variables; the answer after either.
    """
    found = Changes(dict.fromkeys(tree.variables), {}, {})
    tried = {j: categories_or_sides(tree, j, row[j]) for j in asked(tree, row)}
    if not tried:
        return found
    rows = np.concatenate([trials(row, j, values) for j, values in tried.items()])
    differs = by.differs(mixture(tree, rows, "hard"), hard_answer)
    ends = np.cumsum([len(values) for values in tried.values()])
    for (j, values), turned in zip(tried.items(), np.split(differs, ends[:-1]), strict=True):
        for value in values[turned]:
            read = verified(tree, row, j, float(value), hard_answer, by, "hard")
            if read is not None:
                note(found, tree, row, j, *read)
                break
    return found


def nearest_shown_changes(
    tree: Tree, row: Floats, shown: Any, by: Decision, evaluation: str, noise: ResolvedNoise
) -> Changes:
    """Return, per variable, the smallest change that alters the answer under an evaluation other than hard. METHODS §9.

    P is smooth in a reading between the edges where a gate turns, so it is looked at on both sides of every edge and at
    every eighth of σ between (σ moves with the reading where it is proportional), closer wherever the answer might turn
    and turn back, and the first turn is then narrowed down. What is returned has been read once more as the patient is.

    Parameters
    ----------
    shown : the answer at the reading. by : how probabilities are answered.

    Returns
    -------
    as `nearest_changes`; a change is at most some 1e-11 σ beyond the smallest. None when no reading alters the answer
    as far as the error reaches beyond the outermost edges: 8 σ when it is normal, and up to twenty times the edge where
    it is proportional.
    """
    found = Changes(dict.fromkeys(tree.variables), {}, {})
    held = Held(tree, row, evaluation, noise)
    for j in asked(tree, row):
        known = tree.categories[j]
        if known is not None:
            tried = np.arange(len(known), dtype=np.float64)
            turned = tried[by.differs(held.profile(j)(tried), shown)]
            value = float(turned[0]) if len(turned) else None
        else:
            value = first_turn(held.profile(j), grid(tree, j, row[j], evaluation, noise), row[j], shown, by)
        if value is None:
            continue
        read = verified(tree, row, j, value, shown, by, evaluation, noise)
        if read is not None:
            note(found, tree, row, j, *read)
    return found


def asked(tree: Tree, row: Floats) -> list[int]:
    """Return the known variables that may bear on the answer: those of the splits, all where leaves are Bayes."""
    of_splits = range(len(row)) if tree.has_bayes else sorted({int(j) for j in tree.variable if j >= 0})
    return [j for j in of_splits if not np.isnan(row[j])]


def trials(row: Floats, j: int, values: Floats) -> Floats:
    """Return the row (n, M) with variable `j` at each of the values, the others held."""
    rows = np.repeat(row[None, :], len(values), axis=0)
    rows[:, j] = values
    return rows


def note(found: Changes, tree: Tree, row: Floats, j: int, value: float, answer: Any) -> None:
    """Write down in place that variable `j` at `value` is answered otherwise."""
    name, known = tree.variables[j], tree.categories[j]
    found.answers[name] = answer
    if known is None:
        found.changes[name] = float(value - row[j])
    else:
        found.categories[name] = known[int(value)]


def categories_or_sides(tree: Tree, j: int, x: float) -> Floats:
    """Return the values of variable `j` that may be answered otherwise by hard gates, in the order they are tried."""
    known = tree.categories[j]
    return np.arange(len(known), dtype=np.float64) if known is not None else other_sides(tree, j, x)


def other_sides(tree: Tree, j: int, x: float) -> Floats:
    """Return the first values either side of each threshold on `j`, nearest to `x` first, the lower on ties."""
    theta, le = tree.turning_points[j]
    below = np.where(le, theta, np.nextafter(theta, -np.inf))
    above = np.where(le, np.nextafter(theta, np.inf), theta)
    values = np.unique(np.concatenate([below, above]))
    return values[np.argsort(np.abs(values - x), kind="stable")]


class Held:
    """One patient with every reading but one held: what the rest of the tree says is worked out once."""

    def __init__(self, tree: Tree, row: Floats, evaluation: str, noise: ResolvedNoise) -> None:
        self.tree, self.row, self.evaluation, self.noise = tree, row, evaluation, noise
        self.splits, self.kind, self.error = tree_splits(tree), KINDS[evaluation], noise.error
        self.whole = tree.has_bayes or evaluation == "deferred"  # a branch then depends on more than its own gates
        self.share = np.array(tree.share)  # of its parent's, as the gates send it
        self.said = np.array(tree.probability)
        for node in () if self.whole else np.argsort(-tree.depth, kind="stable").tolist():
            if tree.is_leaf(node):
                continue
            below, x = tree.children(node), float(row[tree.variable[node]])
            share = self.share[below.start : below.stop]
            if not math.isnan(x):
                kernels.gate_shares(x, node, self.splits, self.kind, self.error, share)
            self.said[node] = share @ self.said[below.start : below.stop]

    def profile(self, j: int) -> Profile:
        """Return P (n, K) as a function of the values (n,) of variable `j`."""
        if self.whole:
            return lambda values: mixture(self.tree, trials(self.row, j, values), self.evaluation, self.noise)
        tree, fixed = self.tree, self.said.copy()
        moved = np.flatnonzero(tree.variable == j).tolist()
        hanging: dict[int, list[tuple[float, int]]] = {}  # by the root or a moved node's child: weights, moved nodes
        for node in moved:
            top, weight = node, 1.0
            while top > 0 and tree.parent[top] not in moved:
                weight, top = weight * float(self.share[top]), int(tree.parent[top])
            hanging.setdefault(top, []).append((weight, node))
            fixed[top] -= weight * self.said[node]

        def moving(top: int, values: Floats) -> Floats:
            total = np.zeros((len(values), len(tree.classes)))
            for weight, node in hanging[top]:
                below = tree.children(node)
                gate = np.zeros((len(values), len(below)))
                kernels.gate_shares_all(values, node, self.splits, self.kind, self.error, gate)
                gate *= weight
                total += gate @ fixed[below.start : below.stop]
                for c, child in enumerate(below):
                    if child in hanging:
                        total += gate[:, c, None] * moving(child, values)
            return total

        return lambda values: fixed[0] + moving(0, np.ascontiguousarray(values, dtype=np.float64))


def edges(tree: Tree, j: int, evaluation: str) -> Floats:
    """Return the rising values of variable `j` on either side of which a gate may differ by a jump or a kink."""
    at = [tree.turning_points[j][0]]
    slack = NEAR_EDGE * np.abs(at[0])
    if evaluation in ("zone", "deferred"):
        zoned = np.flatnonzero((tree.variable == j) & (tree.gate == BINARY) & (tree.high > tree.low))
        ends = np.concatenate([tree.low[zoned], tree.high[zoned]])
        wide = np.maximum(np.abs(tree.threshold[zoned]), np.abs(ends.reshape(2, -1))).ravel()
        slack = np.concatenate([slack, NEAR_EDGE * wide])
        at.append(ends)
    ends = np.concatenate(at)
    sides = [ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf), ends - slack, ends + slack]
    found: Floats = np.unique(np.concatenate(sides))
    return found[np.isfinite(found)]


def grid(tree: Tree, j: int, x: float, evaluation: str, noise: ResolvedNoise) -> Floats:
    """Return the rising values of variable `j` at which the answer is looked at, the reading `x` among them."""
    at = edges(tree, j, evaluation)
    if not len(at):
        return np.array([x])
    values: list[Floats] = [at, np.array([x])]
    splits = np.any((tree.variable == j) & (tree.gate != NOMINAL))
    if evaluation in ("soft", "coherent") and splits and noise.is_noisy(j):
        values.append(between(at, float(noise.sigma[j]), float(noise.cv[j]), FAR[int(noise.shape[j])]))
    elif evaluation in ("zone", "deferred"):
        part = np.arange(1, PARTS) / PARTS
        values.append((at[:-1, None] + np.diff(at)[:, None] * part).ravel())
    found: Floats = np.unique(np.concatenate(values))
    return found[np.isfinite(found)]


def between(at: Floats, sigma: float, cv: float, tail: float) -> Floats:
    """Return values an eighth of σ apart wherever they lie within `tail` σ of some edge; σ is that at the value.

    A proportional error is measured along u with dx = σ(x) du, so x = (σ0/cv)·sinh(cv·u). It grows ahead of a rising
    reading, which therefore comes away from an edge θ only where θ·exp(cv·u) is `tail` of its own σ beyond it, if ever.
    Where it never does, a reading of the other sign comes near the edge too, so all between -θ and θ is looked at.
    """
    least = max(sigma, 1e-3 * cv * float(np.abs(at).max()))
    if not least > 0.0:  # every edge is zero, so a proportional error is the same σ away from it at every reading
        return at
    u = np.arcsinh(cv * at / least) / cv if cv > 0.0 else at / least
    cells = np.unique(np.floor(u / STEP))
    if cv * tail >= 1.0:
        widest = int(np.ceil(np.abs(u).max() / STEP))
        cells = np.arange(-widest, widest + 1)
    ahead = min(WIDEST_RATIO, -np.log1p(-cv * tail) if cv * tail < 1.0 else np.inf) / cv if cv > 0.0 else tail
    reach = int(np.ceil(ahead / STEP))
    runs = np.split(cells, np.flatnonzero(np.diff(cells) > 2 * reach + 2) + 1)  # what is near one edge meets the next
    steps = np.concatenate([np.arange(run[0] - reach, run[-1] + reach + 2) for run in runs]) * STEP
    values = least * steps if cv == 0.0 else least / cv * np.sinh(np.clip(cv * steps, -700.0, 700.0))
    return np.asarray(values, dtype=np.float64)


def first_turn(profile: Profile, at: Floats, x: float, shown: Any, by: Decision) -> float | None:
    """Return the value nearest to `x` whose answer is not `shown`, the lower on ties, None when there is none.

    Parameters
    ----------
    at : (n,) rising values to begin with, `x` among them.
    """
    p = profile(at)
    turned = by.differs(p, shown)
    for _ in range(DOUBTS):
        more = doubtful(at, p, turned, x, shown, by)
        if not len(more):
            break
        said, at = profile(more), np.concatenate([at, more])
        order = np.argsort(at, kind="stable")
        at, p = at[order], np.concatenate([p, said])[order]
        turned = np.concatenate([turned, by.differs(said, shown)])[order]
    place = int(np.searchsorted(at, x))
    down, up = np.flatnonzero(turned[:place]), np.flatnonzero(turned[place + 1 :]) + place + 1
    brackets = []
    if len(down):
        brackets.append((float(at[down[-1] + 1]), float(at[down[-1]])))
    if len(up):
        brackets.append((float(at[up[0] - 1]), float(at[up[0]])))
    if len(brackets) == 2:
        (near_down, far_down), (near_up, far_up) = brackets
        if x - near_down > far_up - x:
            brackets = brackets[1:]
        elif near_up - x > x - far_down:
            brackets = brackets[:1]
    found = [narrowed(profile, same, other, shown, by) for same, other in brackets]
    return min(found, key=lambda value: (abs(value - x), value), default=None)


def doubtful(at: Floats, p: Floats, turned: NDArray[np.bool_], x: float, shown: Any, by: Decision) -> Floats:
    """Return values inside the intervals, nearest to `x` first, in which the answer may turn and turn back.

    Where P is smooth it bends off the chord between two values by an eighth of its second difference; where the margin
    by which the answer holds is smaller than eight times that, the interval is looked at more closely.
    """
    place = int(np.searchsorted(at, x))
    before, after = np.flatnonzero(turned[:place]), np.flatnonzero(turned[place:]) + place
    first, last = int(before[-1]) if len(before) else 0, int(after[0]) if len(after) else len(at) - 1
    held = margins(p, shown, by.classes, by.rule)
    bend = np.zeros_like(held)
    bend[1:-1] = np.abs(held[2:] - 2.0 * held[1:-1] + held[:-2])
    room = np.minimum(held[1:], held[:-1]) - np.maximum(bend[1:], bend[:-1])
    open_ = np.flatnonzero((room[first:last] < 0.0).any(axis=1)) + first
    low, high = at[open_], at[open_ + 1]
    wide = high - low > 1e-9 * np.maximum(np.abs(low), np.abs(high))
    open_ = open_[wide & ~turned[open_] & ~turned[open_ + 1]]
    if not len(open_):
        return np.empty(0)
    far = np.maximum(np.maximum(at[open_] - x, x - at[open_ + 1]), 0.0)
    open_ = open_[np.argsort(far, kind="stable")][:MOST_DOUBTFUL]
    part = np.arange(1, PARTS) / PARTS
    values: Floats = (at[open_, None] + (at[open_ + 1] - at[open_])[:, None] * part).ravel()
    return values


def narrowed(profile: Profile, same: float, other: float, shown: Any, by: Decision) -> float:
    """Return the value nearest to `same`, answered as shown, that is not; `other` is such a value."""
    wanted = PRECISE * abs(other - same)
    while abs(other - same) > wanted:
        tried = same + (other - same) * (np.arange(1, SECTIONS) / SECTIONS)
        tried = tried[(tried != same) & (tried != other)]
        if not len(tried):
            break
        turned = np.flatnonzero(by.differs(profile(tried), shown))
        first = int(turned[0]) if len(turned) else len(tried)
        same, other = float(tried[first - 1]) if first else same, float(tried[first]) if len(turned) else other
    return other


def verified(
    tree: Tree,
    row: Floats,
    j: int,
    value: float,
    shown: Any,
    by: Decision,
    evaluation: str,
    noise: ResolvedNoise | None = None,
) -> tuple[float, Any] | None:
    """Return a value whose change, added to the reading, is answered otherwise, and that answer.

    Rounding may put the sum, or P as the whole tree works it out, a digit short: the value then goes a digit further.
    """
    x = float(row[j])
    further = max(abs(value - x), abs(value)) * 1e-15
    for _ in range(24):
        moved = x + (value - x) if tree.categories[j] is None else value
        p = mixture(tree, trials(row, j, np.array([moved])), evaluation, noise)
        answer = decide(p, by.classes, by.rule)[0]
        if answer != shown:
            return value, answer
        value += np.copysign(further, value - x)
        further *= 2.0
    return None
