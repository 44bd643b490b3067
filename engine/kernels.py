"""Every compiled function of the engine, and the only importer of numba.

In: plain arrays (values by variable, label codes, weights, the tree's arrays). Out: plain arrays.
Label codes 0 … K-1 are the precise classes; codes from K on are sets of several classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

NORMAL, UNIFORM, LAPLACE, LOGISTIC, TRUNCATED = range(5)
ENTROPY, LOGICAL = range(2)
HARD, SOFT, COHERENT, ZONE, DEFERRED = range(5)
BINARY_GATE, MIDDLE_GATE, NOMINAL_GATE, BINS_GATE = 1, 2, 3, 4  # engine.tree.BINARY, MIDDLE, NOMINAL, BINS
REACH = np.array([9.0, 1.7320508075688774, 28.0, 23.0, 2.0])  # |z| beyond which F is 0 or 1 to 1e-17, by shape
TRUNCATION = 2.0  # |z| at which UDT's own normal ends
BELOW_TRUNCATION = 0.5 * math.erfc(TRUNCATION / math.sqrt(2.0))
SLACK_WEIGHT = 1e-9
TIE = 1e-12
NO_SHARE = 1e-17
GRID_SLACK = 1e-9  # of a step, at the end of a soft grid
MOST_LOGS = 1000.0  # of weight above four a patient, past which logarithms are worked out one by one
TAPS, FINE = 16, 256  # lattice points a patient is laid on, and steps between two of them, by a screen
SCREENED = 5e-7  # of gain a label code, to which a screen finds it: weights are found to UNSURE of the node's
UNSURE = 1e-8
BLOCK, STRIP = 64, 16  # neighbouring cuts that are bounded together, and such blocks bounded together
LANES, CHUNK = 4, 24  # classes multiplied side by side, and factors between two rescalings of a naive Bayes
MOST_BLOCK_CODES = 4  # a block's bound tries every corner, two to the power of its label codes


class Labels(NamedTuple):
    """Label sets as numbers: `share` (S, K) gives each member 1/|set|; `mask` (S,) the members as bits.

    `precise` is True when every patient has one class; `everything` when each imprecise label is the full set.
    """

    share: Any
    mask: Any
    precise: bool
    everything: bool


class Error(NamedTuple):
    """Measurement error by variable: constant σ, coefficient of variation, shape code, misrecording probability."""

    sigma: Any
    cv: Any
    shape: Any
    misrecord: Any


class Splits(NamedTuple):
    """The arrays of a tree that routing reads; see `engine.tree.Tree`."""

    variable: Any
    gate: Any
    first_child: Any
    n_children: Any
    threshold: Any
    closed_le: Any
    low: Any
    high: Any
    box_low: Any
    box_high: Any
    share: Any
    code: Any
    cuts: Any
    n_categories: Any


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile with a cache on disk, or without where no folder can be written; no kernel is called from C."""
    options |= {"nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
    kernel: Callable[..., Any]
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        kernel = numba.njit(**options)(function)
    else:
        compile_where_damaged(kernel)
    return kernel


def compile_where_damaged(kernel: Any) -> None:
    """Have a kernel compiled anew where its file on disk is damaged or is for other arguments, in place.

    numba would fail at every call, or run the wrong one: two processes that save at once may name one file for both.
    """
    cache = getattr(kernel, "_cache", None)  # None when nothing is compiled at all
    if cache is None:
        return
    read = cache.load_overload

    def read_if_sound(arguments: Any, target: Any) -> Any:
        with suppress(Exception):  # half a file may raise anything
            found = read(arguments, target)
            if found is None or tuple(found.signature.args) == tuple(arguments):
                return found
        with suppress(OSError):
            cache.flush()
        return None

    cache.load_overload = read_if_sound


def in_its_caller(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as a part of the one kernel that calls it, which takes less time than two kernels."""
    return compiled(function, inline="always")


def are_new() -> bool:
    """Return True when kernels of a first tree are on no disk, as before a first start and after one broken off."""
    last: tuple[Any, Any] = (divide_in_two, soft_curve)  # of those compiled ahead, in two processes
    return not all(is_on_disk(kernel) for kernel in last)


def is_on_disk(kernel: Any) -> bool:
    """Return True when a kernel has been compiled, for some arguments, since this file was last changed."""
    folder, written = kernel.stats.cache_path, Path(__file__).stat().st_mtime
    files = Path(folder).glob(f"kernels.{kernel.__name__}-*.nbi") if folder else ()
    return any(file.stat().st_mtime >= written for file in files)


# Noise shapes


@compiled
def cdf(z, shape):
    """Return F(z), the CDF of the unit-variance shape; of UDT's truncated normal, in its parent's σ. METHODS §2, §4."""
    if shape == TRUNCATED:
        if abs(z) >= TRUNCATION:
            return 0.0 if z < 0.0 else 1.0
        return (0.5 * math.erfc(-z * 0.7071067811865476) - BELOW_TRUNCATION) / (1.0 - 2.0 * BELOW_TRUNCATION)
    if shape == NORMAL:
        return 1.0 if z > 8.3 else 0.5 * math.erfc(-z * 0.7071067811865476)  # 1 to the last digit from there on
    if shape == UNIFORM:
        return min(1.0, max(0.0, 0.5 + z * 0.28867513459481287))
    if shape == LAPLACE:
        if z < 0.0:
            return 0.5 * math.exp(1.4142135623730951 * z)
        return 1.0 - 0.5 * math.exp(-1.4142135623730951 * z)
    t = 1.8137993642342178 * z
    if t < 0.0:
        e = math.exp(t)
        return e / (1.0 + e)
    return 1.0 / (1.0 + math.exp(-t))


@compiled
def cdf_all(z, shape):
    """Return F at every element of `z` (n,)."""
    out = np.empty(len(z))
    for i in range(len(z)):
        out[i] = cdf(z[i], shape)
    return out


@compiled
def mass(low, high, shape):
    """Return F(high) - F(low), worked in the lower tail so that far intervals keep their digits."""
    if high <= low:
        return 0.0
    if low > 0.0:
        return cdf(-low, shape) - cdf(-high, shape)
    return cdf(high, shape) - cdf(low, shape)


@compiled
def sigma_of(x, sigma, cv):
    """Return σ at the value `x`: sqrt(σ0² + (CV·x)²)."""
    return sigma if cv == 0.0 else math.hypot(sigma, cv * x)


@compiled
def sigma_at(x, variable, error):
    """Return σ of `variable` at the value `x`: sqrt(σ0² + (CV·x)²)."""
    return sigma_of(x, error.sigma[variable], error.cv[variable])


# Impurity


@compiled
def entropy(weights):
    """Return -Σ p log2 p of class weights; 0 when there is no weight."""
    total = weights.sum()
    if total <= 0.0:
        return 0.0
    h = 0.0
    for w in weights:
        if w > 0.0:
            p = w / total
            h -= p * math.log2(p)
    return h


@compiled
def gini(weights):
    """Return 1 - Σ p² of class weights; 0 when there is no weight."""
    total = weights.sum()
    if total <= 0.0:
        return 0.0
    squares = 0.0
    for w in weights:
        squares += (w / total) * (w / total)
    return 1.0 - squares


@compiled
def most_level(weights, extra):
    """Return Σ n² after pouring `extra` on the lightest of `weights` until they are level."""
    level = weights.copy()
    k = len(level)
    for i in range(1, k):  # a handful: numba takes a second to compile its own sort
        own, place = level[i], i
        while place > 0 and level[place - 1] > own:
            level[place] = level[place - 1]
            place -= 1
        level[place] = own
    poured, height = extra, level[0]
    count = 1
    while count < k and poured > 0.0:
        need = (level[count] - height) * count
        if need >= poured:
            break
        poured -= need
        height = level[count]
        count += 1
    height += poured / count
    squares = 0.0
    for i in range(k):
        n = height if i < count else level[i]
        squares += n * n
    return squares


@compiled
def logical_bounds(by_code, labels):
    """Return the least and the largest logical entropy over the partitions compatible with the label sets. METHODS §6.

    Parameters: `by_code` (S,) weights by label code; `labels` the sets. Divisible weights.
    """
    n_classes = labels.share.shape[1]
    total, extra, heaviest, squares = 0.0, 0.0, 0.0, 0.0
    for c in range(len(by_code)):
        total += by_code[c]
        if c < n_classes:
            heaviest = max(heaviest, by_code[c])
            squares += by_code[c] * by_code[c]
        else:
            extra += by_code[c]
    if total <= 0.0:
        return 0.0, 0.0
    precise = by_code[:n_classes]
    if labels.precise or extra <= 0.0:
        h = gini(precise)
        return h, h
    scale = 1.0 / (total * total)
    if labels.everything:
        most = squares - heaviest * heaviest + (heaviest + extra) ** 2
        return 1.0 - most * scale, 1.0 - most_level(precise, extra) * scale
    subsets = 1 << n_classes
    meets = np.zeros(subsets)
    for s in range(subsets):
        for c in range(len(by_code)):
            if by_code[c] > 0.0 and labels.mask[c] & s:
                meets[s] += by_code[c]
    best = np.zeros(subsets)
    for s in range(1, subsets):
        for k in range(n_classes):
            if s >> k & 1:
                rest = s & ~(1 << k)
                value = best[rest] + (meets[s] - meets[rest]) ** 2
                best[s] = max(best[s], value)
    most = best[subsets - 1]
    mask = labels.mask.copy()
    left = by_code.copy()
    alive = subsets - 1
    least = 0.0
    while alive:
        densest, load, size = 0, -1.0, 0
        for s in range(1, subsets):
            if s & ~alive:
                continue
            inside = 0.0
            for c in range(len(left)):
                if left[c] > 0.0 and mask[c] & ~s == 0:
                    inside += left[c]
            members = 0
            for k in range(n_classes):
                members += s >> k & 1
            here = inside / members
            if here > load + 1e-15 * total or (here > load - 1e-15 * total and members > size):
                densest, load, size = s, max(load, here), members
        least += size * load * load
        for c in range(len(left)):
            if left[c] > 0.0 and mask[c] & ~densest == 0:
                left[c] = 0.0
            mask[c] &= ~densest
        alive &= ~densest
    return 1.0 - most * scale, 1.0 - least * scale


@compiled
def impurity(by_code, criterion, labels):
    """Return the impurity of weights by label code: entropy, or the mean logical entropy (gini when precise)."""
    if criterion == ENTROPY:
        if labels.precise:
            return entropy(by_code)
        weights = np.zeros(labels.share.shape[1])
        for c in range(len(by_code)):
            for k in range(len(weights)):
                weights[k] += by_code[c] * labels.share[c, k]
        return entropy(weights)
    if labels.precise:
        return gini(by_code)
    low, high = logical_bounds(by_code, labels)
    return 0.5 * (low + high)


# Search


@compiled
def code_weights(rows, label, weight, n_codes):
    """Return the weight by label code of the patients `rows`."""
    by_code = np.zeros(n_codes)
    for i in rows:
        by_code[label[i]] += weight[i]
    return by_code


@compiled
def level_ties(order, columns):
    """Bring rows of equal value, missing ones too, into rising order in every sorted `order` (M, n), in place.

    An unstable sort is the fastest, but its order of equal values differs from one machine to another.
    """
    n = order.shape[1]
    start, place = np.empty(n, np.int32), np.empty(n, np.int32)
    for j in range(len(order)):
        first, before, tied = 0, np.inf, False
        for position in range(n):
            value = columns[j, order[j, position]]
            if value != before and not (np.isnan(value) and np.isnan(before)):
                first = position
            before = value
            tied = tied or first < position
            start[order[j, position]] = place[position] = first  # of the run of equal values
        if tied:
            for i in range(n):  # in rising order, each to the next place of its run
                order[j, place[start[i]]] = i
                place[start[i]] += 1


@compiled
def whole_logs(rows, weight):
    """Return w·log2(w) for w = 0 … W, the weight of `rows`, where every weight is a whole number; else nothing.

    Entropies of whole weights are then sums of what stands here, at the price of a few readings.
    """
    total = 0.0
    for i in rows:
        w = weight[i]
        if w != np.floor(w):
            return np.zeros(0)
        total += w
    if total > MOST_LOGS + 4.0 * len(rows):
        return np.zeros(0)
    logs = np.zeros(int(total) + 1)
    for w in range(2, len(logs)):
        logs[w] = w * math.log2(w)
    return logs


@compiled
def spread(by_code, total, criterion, labels, logs):
    """Return impurity times weight of weights by label code, with `logs` from `whole_logs` when there are any."""
    if labels.precise:
        return class_spread(by_code, total, criterion, logs)
    return total * impurity(by_code, criterion, labels) if total > 0.0 else 0.0


@compiled
def class_spread(by_class, total, criterion, logs):
    """Return impurity times weight of class weights; `logs` as in `spread`."""
    if total <= 0.0:
        return 0.0
    if criterion == LOGICAL:
        squares = 0.0
        for w in by_class:
            squares += w * w
        return total - squares / total
    h = 0.0
    if len(logs) > 0:
        for w in by_class:
            h -= logs[int(w)]
        return h + logs[int(total)]
    for w in by_class:
        if w > 0.0:
            h -= w * math.log2(w / total)
    return h


@compiled
def exact_gains(order, column, label, weight, unit, criterion, labels, logs, min_leaf, value, first, second, gain):
    """Gain of the cut after every patient of one variable's order. METHODS §4.

    `order` (n,) lists the node's known patients by rising value; `weight` (N,) their weights, which are not read when
    all are 1 (`unit`).
    Writes the values in that order into `value` (n,), and the gains into `gain` (n,): -inf where the next value is the
    same, or a side is too light. `first` and `second` (n,) are overwritten.
    """
    n, n_codes = len(order), len(labels.mask)
    limit = min_leaf - SLACK_WEIGHT
    whole = np.zeros(n_codes)
    two = labels.precise and n_codes == 2 and (criterion == LOGICAL or len(logs) > 0)
    if unit:
        for r in range(n):
            i = order[r]
            value[r], first[r], second[r] = column[i], 1.0, label[i]
    else:
        for r in range(n):
            i = order[r]
            value[r], first[r], second[r] = column[i], weight[i], label[i]
    for r in range(n):
        whole[int(second[r])] += first[r]
    total = whole.sum()
    before = spread(whole, total, criterion, labels, logs)
    if two:
        both, one = 0.0, 0.0
        for r in range(n):
            both += first[r]
            one += first[r] * second[r]
            first[r], second[r] = both, one
        if criterion == LOGICAL:
            for r in range(n):
                left, a = first[r], second[r]
                b, right = left - a, total - left
                c, d = whole[1] - a, whole[0] - b
                gain[r] = before - total + (a * a + b * b) / left + (c * c + d * d) / right
        else:
            for r in range(n):
                left, a = int(first[r]), int(second[r])
                c, right = int(whole[1]) - a, int(total) - left
                after = logs[left] - logs[a] - logs[left - a] + logs[right] - logs[c] - logs[right - c]
                gain[r] = before - after
        for r in range(n - 1):
            left = first[r]
            fits = (value[r] < value[r + 1]) & (left >= limit) & (total - left >= limit) & (total - left > 0.0)
            gain[r] = gain[r] / total if fits else -np.inf
    else:
        side, rest, left = np.zeros(n_codes), whole.copy(), 0.0
        for r in range(n - 1):
            w, c = first[r], int(second[r])
            side[c] += w
            rest[c] = max(0.0, rest[c] - w)
            left += w
            right = total - left
            gain[r] = -np.inf
            if value[r] < value[r + 1] and left >= limit and right >= limit and right > 0.0:
                after = spread(side, left, criterion, labels, logs) + spread(rest, right, criterion, labels, logs)
                gain[r] = (before - after) / total
    if n > 0:
        gain[n - 1] = -np.inf


@compiled
def exact_curve(order, column, label, weight, criterion, labels, min_leaf, below, above, gain):
    """Gain of every cut between neighbouring distinct values of one variable. METHODS §4.

    `order` (n,) lists the node's known patients by rising value; `weight` (N,) their weights.
    Writes the values either side of cut c into `below`, `above` and its gain into `gain` (-inf when inadmissible).
    Returns the number of cuts.
    """
    n = len(order)
    logs = whole_logs(order, weight) if criterion == ENTROPY and labels.precise else np.zeros(0)
    value = np.empty(n)
    unit = n < 0  # False: a constant would have `exact_gains` compiled once more
    exact_gains(order, column, label, weight, unit, criterion, labels, logs, min_leaf, value, below, above, gain)
    cuts = 0
    for r in range(n - 1):
        if value[r] < value[r + 1]:
            below[cuts], above[cuts], gain[cuts] = value[r], value[r + 1], gain[r]
            cuts += 1
    return cuts


@compiled
def soft_curve(
    order,
    column,
    label,
    weight,
    error,
    variable,
    start,
    step,
    criterion,
    labels,
    min_leaf,
    hard,
    gain,
):
    """Gain of every threshold start + k·step when each value is a distribution. [S] §3.2, METHODS §4.

    `gain` (m,) is written; -inf where a side is lighter than `min_leaf` by soft weights, or, when `hard`, by hard ones.
    Each patient touches only the thresholds within reach of its noise; beyond them it counts whole.
    """
    m, n_codes = len(gain), len(labels.mask)
    left = np.zeros((m + 1, n_codes))
    jump = np.zeros((m + 1, n_codes))
    whole = code_weights(order, label, weight, n_codes)
    total = whole.sum()
    no_logs = np.zeros(0)
    before = spread(whole, total, criterion, labels, no_logs)
    shape = error.shape[variable]
    for i in order:
        x, w, c = column[i], weight[i], label[i]
        sigma = sigma_at(x, variable, error)
        first = min(m, max(0, int(math.ceil((x - REACH[shape] * sigma - start) / step))))
        past = (
            min(
                m,
                max(
                    first,
                    int(math.floor((x + REACH[shape] * sigma - start) / step)) + 1,
                ),
            )
            if sigma > 0.0
            else first
        )
        for k in range(first, past):
            left[k, c] += w * cdf((start + k * step - x) / sigma, shape)
        jump[past, c] += w
    limit = min_leaf - SLACK_WEIGHT
    low, high = -np.inf, np.inf
    if hard:
        low, high = hard_limits(order, column, weight, limit)
    gone, side, rest = np.zeros(n_codes), np.zeros(n_codes), np.zeros(n_codes)
    for k in range(m):
        tau = start + k * step
        left_total = 0.0
        for c in range(n_codes):
            gone[c] += jump[k, c]
            side[c] = min(whole[c], left[k, c] + gone[c])
            rest[c] = whole[c] - side[c]
            left_total += side[c]
        gain[k] = -np.inf
        if low <= tau < high:
            gain[k] = soft_gain(side, rest, left_total, total, before, criterion, labels, limit, no_logs)


@compiled
def hard_limits(order, column, weight, limit):
    """Return (low, high): a threshold leaves `limit` of weight on each side by the hard gate when low <= it < high.

    `order` (n,) lists patients by rising value. Nothing does when low >= high.
    """
    n = len(order)
    first, last, left, right = 0, n - 1, 0.0, 0.0
    while first < n:
        left += weight[order[first]]
        if left >= limit and left > 0.0:
            break
        first += 1
    while last >= 0:
        right += weight[order[last]]
        if right >= limit and right > 0.0:
            break
        last -= 1
    if first >= n or last < 0:
        return np.inf, -np.inf
    return column[order[first]], column[order[last]]


@compiled
def cell_kernel(reach, width, orders):
    """Return (orders, 2·reach + 1) the normal CDF's derivatives over p! at whole cells from -reach to reach.

    `orders` are filled up with zeros to whole groups of three, which `cell_left` adds together.
    """
    table = np.zeros(((orders + 2) // 3 * 3, 2 * reach + 1))
    for d in range(-reach, reach + 1):
        z = d * width
        table[0, d + reach] = cdf(z, NORMAL)
        before, here, factorial = 0.0, 0.3989422804014327 * math.exp(-0.5 * z * z), 1.0
        for p in range(1, orders):
            factorial *= p
            table[p, d + reach] = here / factorial
            before, here = here, -z * here - (p - 1) * before
    return table


@compiled
def cell_weights(order, column, label, weight, sigma, start, step, orders, n_codes, m):
    """Lay patients down in the nearest of `m` cells: (n_codes, orders, m) of Σ w·(-e)^p, e the distance in σ."""
    laid = np.zeros((n_codes, m, orders))
    per_step, per_sigma = 1.0 / step, 1.0 / sigma
    for i in order:
        x = column[i]
        q = min(m - 1, max(0, int((x - start) * per_step + 0.5)))
        e = (start + q * step - x) * per_sigma
        c, part = label[i], weight[i]
        for p in range(orders):
            laid[c, q, p] += part
            part *= e
    turned = np.zeros((n_codes, orders, m))
    for c in range(n_codes):
        for p in range(orders):
            turned[c, p] = laid[c, :, p]
    return turned


@compiled
def cell_left(laid, table, reach):
    """Return (n_codes, m) the weight left of every grid point, from what `cell_weights` laid down."""
    n_codes, orders, m = laid.shape
    left = np.zeros((n_codes, m))
    cells = np.zeros((len(table), m))
    for c in range(n_codes):
        cells[:orders] = laid[c]
        out, gone = left[c], 0.0
        for k in range(reach + 1, m):
            gone += cells[0, k - reach - 1]
            out[k] = gone
        for d in range(-reach, reach + 1):
            for p in range(0, orders, 3):
                a, b, e = table[p, d + reach], table[p + 1, d + reach], table[p + 2, d + reach]
                for k in range(max(0, d), min(m, m + d)):
                    q = k - d
                    out[k] += a * cells[p, q] + b * cells[p + 1, q] + e * cells[p + 2, q]
    return left


@compiled
def grid_gains(left, whole, order, column, weight, start, step, criterion, labels, min_leaf, hard, gain):
    """Gain of every threshold start + k·step from the weight left of it, `left` (S, m), written into `gain` (m,).

    `whole` (S,) is the weight by label code of the patients `order`, who are listed by rising value.
    -inf where a side is lighter than `min_leaf` by those weights, or, when `hard`, by the hard gate. METHODS §4.
    """
    n_codes, total = len(left), whole.sum()
    limit = min_leaf - SLACK_WEIGHT
    low, high = -np.inf, np.inf
    if hard:
        low, high = hard_limits(order, column, weight, limit)
    no_logs = np.zeros(0)
    before, precise = spread(whole, total, criterion, labels, no_logs), labels.precise
    side, rest = np.zeros(n_codes), np.zeros(n_codes)
    for k in range(len(gain)):
        tau, left_total = start + k * step, 0.0
        for c in range(n_codes):
            side[c] = min(whole[c], max(0.0, left[c, k]))
            rest[c] = whole[c] - side[c]
            left_total += side[c]
        right_total = total - left_total
        gain[k] = -np.inf
        fits = low <= tau < high and min(left_total, right_total) >= limit
        if fits and left_total > 0.0 and right_total > 0.0:
            if precise:  # the same as below, without handing on what label sets need
                after = class_spread(side, left_total, criterion, no_logs)
                after += class_spread(rest, right_total, criterion, no_logs)
                gain[k] = (before - after) / total
            else:
                gain[k] = soft_gain(side, rest, left_total, total, before, criterion, labels, limit, no_logs)


@compiled
def soft_gain(side, rest, left_total, total, before, criterion, labels, limit, logs):
    """Return the gain of soft weights left and right, -inf unless each side holds `limit`.

    `before` is the node's `spread`; `logs` is empty, since soft weights are no whole numbers.
    """
    right_total = total - left_total
    if left_total < limit or right_total < limit or left_total <= 0.0 or right_total <= 0.0:
        return -np.inf
    after = spread(side, left_total, criterion, labels, logs) + spread(rest, right_total, criterion, labels, logs)
    return (before - after) / total


@compiled
def soft_gains_at(order, column, label, weight, error, variable, thresholds, criterion, labels, min_leaf, hard):
    """Return the gain of each of a few thresholds when each value is a distribution, summed patient by patient. §4."""
    n_codes = len(labels.mask)
    whole = code_weights(order, label, weight, n_codes)
    total = whole.sum()
    no_logs = np.zeros(0)
    before = spread(whole, total, criterion, labels, no_logs)
    limit = min_leaf - SLACK_WEIGHT
    low, high = -np.inf, np.inf
    if hard:
        low, high = hard_limits(order, column, weight, limit)
    shape = error.shape[variable]
    gain = np.empty(len(thresholds))
    for k in range(len(thresholds)):
        tau = thresholds[k]
        side, rest = np.zeros(n_codes), np.zeros(n_codes)
        for i in order:
            sigma = sigma_at(column[i], variable, error)
            if sigma > 0.0:
                side[label[i]] += weight[i] * cdf((tau - column[i]) / sigma, shape)
            elif column[i] <= tau:
                side[label[i]] += weight[i]
        for c in range(n_codes):
            side[c] = min(whole[c], side[c])
            rest[c] = whole[c] - side[c]
        gain[k] = -np.inf
        if low <= tau < high:
            gain[k] = soft_gain(side, rest, side.sum(), total, before, criterion, labels, limit, no_logs)
    return gain


@compiled
def same_values(known, column, label, weight, value, held):
    """Write the distinct values of sorted patients, and their weights by label code; return how many there are."""
    held[: len(known)] = 0.0
    count, before = 0, column[known[0]]
    for i in known:
        x = column[i]
        count += x != before
        value[count], before = x, x
        held[count, label[i]] += weight[i]
    return count + 1


@in_its_caller
def lay_down(value, held, start, spacing, first, table, lattice):
    """Lay weights down on points start + (p - first)·spacing, each spread by the first half of its normal error.

    `value` (D,) and `held` (D, S) are those of `same_values`; `table`, from `cells.laying_table`, is read by a parabola
    through three rows; `lattice` (S, P) is written.
    """
    lattice[:] = 0.0
    taps = table.shape[1]  # known to the compiler, their number would be unrolled rather than done many at a time
    part = np.empty(taps)
    for d in range(len(value)):
        q = (value[d] - start) / spacing
        p = int(q)
        f = int((q - p) * FINE + 0.5)
        e = (q - p) * FINE - f
        a, b, c = 0.5 * e * (e - 1.0), 1.0 - e * e, 0.5 * e * (e + 1.0)
        one, two, three = table[f], table[f + 1], table[f + 2]
        for t in range(taps):
            part[t] = a * one[t] + b * two[t] + c * three[t]
        begin = first + p - (TAPS // 2 - 1)
        for s in range(held.shape[1]):
            w, out = held[d, s], lattice[s, begin : begin + taps]
            for t in range(taps):
                out[t] += w * part[t]


@in_its_caller
def read_lattice(lattice, table, first, n_spacings, left):
    """Write the weight left of every grid point, from what `lay_down` spread, by the second half of the error.

    `left` (S, ratio·n_spacings): grid point J·ratio + t is at t·n_spacings + J.
    """
    reach = table.shape[1] // 2
    for c in range(len(lattice)):
        gone, laid = 0.0, lattice[c]
        for p in range(first - reach + 1):
            gone += laid[p]
        whole = left[c, :n_spacings]
        for j in range(n_spacings):
            whole[j] = gone
            gone += laid[first - reach + 1 + j]
        for t in range(len(table) - 1, -1, -1):
            out = left[c, t * n_spacings : (t + 1) * n_spacings]
            for j in range(n_spacings):
                out[j] = whole[j]
            for d in range(0, 2 * reach, 4):
                a, b, e, f = table[t, d], table[t, d + 1], table[t, d + 2], table[t, d + 3]
                begin = first - reach + 1 + d
                one, two = laid[begin : begin + n_spacings], laid[begin + 1 : begin + 1 + n_spacings]
                three, four = laid[begin + 2 : begin + 2 + n_spacings], laid[begin + 3 : begin + 3 + n_spacings]
                for j in range(n_spacings):
                    out[j] += a * one[j] + b * two[j] + e * three[j] + f * four[j]


@compiled
def add_weight_logs(weight, sign, bits, parts, out):
    """Add sign·w·log2(w) of every `weight` (m,), none negative, to `out` (m,), to 1e-9 of w, many at a time.

    `bits` and `parts` (m,) are overwritten: the exponents, and the numbers brought between 1 and 2.
    """
    raw, mantissa = weight.view(np.int64), parts.view(np.int64)
    for k in range(len(weight)):
        bits[k] = (raw[k] >> 52) - 1023
        mantissa[k] = (raw[k] & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000
    for k in range(len(weight)):
        z = (parts[k] - 1.4142135623730951) / (parts[k] + 1.4142135623730951)
        q = z * z
        series = 1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0)))))
        out[k] += sign * weight[k] * (bits[k] + 0.5 + 2.8853900817779268 * z * series)


@compiled
def screened_gains(left, whole, total, before, criterion, labels, least, room, gain):
    """Write into `gain` (L,) what every left side `left` (S, L) gains, to SCREENED; -inf where a side is under `least`.

    `left` becomes the sides, kept from 0 to `whole` (S,). `room` (5, L) is overwritten, its first row by the weight
    left.
    """
    n_codes, m = left.shape
    left_total, right_total, rest, bits, parts = room[0], room[1], room[2], room[3], room[4]
    left_total[:] = 0.0
    for c in range(n_codes):
        side, most = left[c], whole[c]
        for k in range(m):
            side[k] = min(most, max(0.0, side[k]))
            left_total[k] += side[k]
    for k in range(m):
        right_total[k] = max(0.0, total - left_total[k])
    gain[:] = 0.0
    if not labels.precise:
        one, two, no_logs = np.empty(n_codes), np.empty(n_codes), np.zeros(0)
        for k in range(m):
            for c in range(n_codes):
                one[c] = left[c, k]
                two[c] = whole[c] - one[c]
            gain[k] = soft_gain(one, two, left_total[k], total, before, criterion, labels, least, no_logs)
        return
    if criterion == ENTROPY:
        add_weight_logs(left_total, -1.0, bits, parts, gain)
        add_weight_logs(right_total, -1.0, bits, parts, gain)
        for c in range(n_codes):
            for k in range(m):
                rest[k] = whole[c] - left[c, k]
            add_weight_logs(left[c], 1.0, bits, parts, gain)
            add_weight_logs(rest, 1.0, bits, parts, gain)
    else:
        for c in range(n_codes):
            for k in range(m):
                a, b = left[c, k], whole[c] - left[c, k]
                gain[k] += a * a / max(left_total[k], 1e-300) + b * b / max(right_total[k], 1e-300)
        for k in range(m):
            gain[k] -= total
    for k in range(m):
        fits = (left_total[k] >= least) & (right_total[k] >= least)
        gain[k] = (before + gain[k]) / total if fits else -np.inf


@compiled
def summed_gain(value, held, tau, sigma, whole, total, before, criterion, labels, limit, side, rest):
    """Return the gain of the threshold `tau` under normal noise of one σ, summed value by value. METHODS §4.

    `value` (D,) and `held` (D, S) are those of `same_values`; `side` and `rest` (S,) are overwritten.
    """
    side[:] = 0.0
    for d in range(len(value)):
        z = (tau - value[d]) / sigma
        if z < -REACH[NORMAL]:
            break
        f = cdf(z, NORMAL)
        for c in range(len(side)):
            side[c] += held[d, c] * f
    left_total = 0.0
    for c in range(len(side)):
        side[c] = min(whole[c], side[c])
        rest[c] = whole[c] - side[c]
        left_total += side[c]
    return soft_gain(side, rest, left_total, total, before, criterion, labels, limit, np.zeros(0))


@in_its_caller
def screened_curve(
    value, held, whole, total, before, sigma, start, step, laying, reading, criterion, labels, limit, low, high, gain
):  # fmt: skip
    """Write into `gain` (m,) what every threshold start + k·step gains, to SCREENED a label code. Returns top, number.

    -inf where a side is under `limit`, which is summed in full where the screen cannot tell, and outside low <= τ <
    high. `value` and `held` are those of `same_values`, `laying` and `reading` as in `best_soft_cuts`.
    """
    m, n_codes, ratio, first = len(gain), held.shape[1], len(reading), reading.shape[1] + TAPS
    n_spacings = (m - 1) // ratio + 1
    lattice, left = np.empty((n_codes, n_spacings + 2 * first)), np.empty((n_codes, ratio * n_spacings))
    room, found = np.empty((5, ratio * n_spacings)), np.empty(ratio * n_spacings)
    lay_down(value, held, start, ratio * step, first, laying, lattice)
    read_lattice(lattice, reading, first, n_spacings, left)
    near = UNSURE * total + SLACK_WEIGHT
    screened_gains(left, whole, total, before, criterion, labels, limit - near, room, found)
    side, rest = np.empty(n_codes), np.empty(n_codes)
    top, tried, place = -np.inf, 0, 0
    for t in range(ratio):
        for k in range(t, ratio * n_spacings, ratio):
            g, sure = found[place], min(room[0, place], room[1, place]) >= limit + near
            place += 1
            if k >= m:
                continue
            if not (g > -np.inf and low <= start + k * step < high):
                g = -np.inf
            elif not sure:
                g = summed_gain(
                    value, held, start + k * step, sigma, whole, total, before, criterion, labels, limit, side, rest
                )
            gain[k] = g
            top, tried = max(top, g), tried + (g > -np.inf)
    return top, tried


@compiled
def best_soft_cuts(
    order, n_known, everyone, wanted, columns, label, weight, sigma, window, resolution, most, laying, reading,
    criterion, labels, min_leaf, hard, every, floor,
):  # fmt: skip
    """Best soft threshold of the variables `wanted` (V,) under normal noise of one σ. METHODS §4.

    Returns gain (the known part of `everyone`, the node's weight, included), threshold and number tried, each (M,). A
    variable without an admissible threshold has gain -inf; one whose grid would take `most` steps or more is not
    searched, and -1 tried. Unless `every` one is wanted, those that gain less than another, or than `floor`, have -inf.

    All gains are first found to SCREENED a label code on a lattice a few grid steps wide: half of the noise lays the
    patients down on it by `laying`, the other half reads it at the grid by `reading`; see `cells.laying_table`
    and `cells.reading_table`. What could be the best is then summed in full.
    """
    n_variables, n, n_codes, n_wanted = len(order), order.shape[1], len(labels.mask), len(wanted)
    top, theta, tried = np.full(n_variables, -np.inf), np.full(n_variables, np.nan), np.zeros(n_variables, np.int64)
    start, step, begins = np.empty(n_wanted), np.empty(n_wanted), np.zeros(n_wanted + 1, np.int64)
    for v in range(n_wanted):
        j, count = wanted[v], 0
        if n_known[j] > 0:
            beyond, step[v] = 0.5 * window * sigma[j], resolution * sigma[j]
            start[v] = columns[j, order[j, 0]] - beyond
            steps = (columns[j, order[j, n_known[j] - 1]] + beyond - start[v]) / step[v] + GRID_SLACK
            count, tried[j] = (int(steps) + 1, 0) if steps < most else (0, -1)
        begins[v + 1] = begins[v] + count
    value, held, gains, no_logs = np.empty(n), np.empty((n, n_codes)), np.empty(begins[n_wanted]), np.zeros(0)
    screened, tops, fraction = np.full(n_wanted, -np.inf), np.empty(n_wanted), np.ones(n_wanted)
    slack = SCREENED * n_codes
    whole, side, rest = np.empty(n_codes), np.empty(n_codes), np.empty(n_codes)
    for turn in range(2 * n_wanted):  # the screen of all, then the sums of the best, the most promising first
        v = turn if turn < n_wanted else int(screened.argmax())
        j, gain = wanted[v], gains[begins[v] : begins[v + 1]]
        if turn >= n_wanted and (screened[v] == -np.inf or (screened[v] < floor - slack and not every)):
            break
        if len(gain) == 0:
            continue
        known = order[j, : n_known[j]]
        count = same_values(known, columns[j], label, weight, value, held)
        whole[:] = 0.0
        for d in range(count):
            for c in range(n_codes):
                whole[c] += held[d, c]
        total, limit = whole.sum(), min_leaf[j] - SLACK_WEIGHT
        before = spread(whole, total, criterion, labels, no_logs)
        if turn < n_wanted:
            low, high = hard_limits(known, columns[j], weight, limit) if hard[j] else (-np.inf, np.inf)
            tops[v], tried[j] = screened_curve(
                value[:count], held[:count], whole, total, before, sigma[j], start[v], step[v], laying, reading,
                criterion, labels, limit, low, high, gain,
            )  # fmt: skip
            fraction[v] = total / everyone if n_known[j] < n else 1.0
            screened[v] = tops[v] * fraction[v]
            continue
        screened[v] = -np.inf
        for k in range(len(gain)):
            if gain[k] >= tops[v] - slack:
                gain[k] = summed_gain(
                    value[:count], held[:count], start[v] + k * step[v], sigma[j], whole, total, before, criterion,
                    labels, limit, side, rest,
                )  # fmt: skip
        best = middle_of_first_run(gain)
        if best >= 0:
            top[j], theta[j] = gain[best] * fraction[v], start[v] + best * step[v]
            floor = max(floor, top[j])
    return top, theta, tried


@compiled
def first_best(gain):
    """Return the index of the first gain within 1e-12 of the largest, -1 when none is admissible."""
    top = -np.inf
    for g in gain:
        top = max(top, g)
    if top == -np.inf:
        return -1
    for k in range(len(gain)):
        if gain[k] >= top - TIE:
            return k
    return -1


@compiled
def middle_of_first_run(gain):
    """Return the (lower) middle of the first run of neighbouring gains within 1e-12 of the largest, -1 when none is."""
    first = first_best(gain)
    if first < 0:
        return -1
    top = gain[first]
    for g in gain:
        top = max(top, g)
    last = first
    while last + 1 < len(gain) and gain[last + 1] >= top - TIE:
        last += 1
    return (first + last) // 2


@compiled
def best_exact_cuts(rows, order, n_known, wanted, columns, label, weight, criterion, labels, min_leaf):
    """Best cut of every wanted numeric variable. Returns gain, value below and above the cut, cuts tried, each (M,).

    `rows` (n,) are the patients here. `min_leaf` (M,) is the least weight of a side. A variable without an admissible
    cut has gain -inf.
    """
    n_variables, n = order.shape
    tried = np.zeros(n_variables, np.int64)
    value, first, second, gains = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    gain, low, high = np.full(n_variables, -np.inf), np.full(n_variables, np.nan), np.full(n_variables, np.nan)
    logs = whole_logs(rows, weight) if criterion == ENTROPY and labels.precise else np.zeros(0)
    unit = len(rows) > 0  # a constant would have `exact_gains` compiled once more
    for i in rows:
        unit = unit and weight[i] == 1.0
    for j in range(n_variables):
        if not wanted[j]:
            continue
        known = order[j, : n_known[j]]
        exact_gains(
            known, columns[j], label, weight, unit, criterion, labels, logs, min_leaf[j], value, first, second, gains
        )
        best = first_best(gains[: len(known)])
        if best >= 0:
            gain[j], low[j], high[j] = gains[best], value[best], value[best + 1]
            tried[j] = (gains[: len(known)] > -np.inf).sum()
    return gain, low, high, tried


@compiled
def soft_left(order, column, weight, error, variable, theta):
    """Return the weight left of `theta` of the patients `order`, each value a distribution. [S] §3.2"""
    left = 0.0
    for i in order:
        x = column[i]
        sigma = sigma_at(x, variable, error)
        if sigma > 0.0:
            left += weight[i] * cdf((theta - x) / sigma, error.shape[variable])
        elif x <= theta:
            left += weight[i]
    return left


class Points(NamedTuple):
    """What stands for the readings of a resampled search, over the V variables `variable` (V,). METHODS §4

    A reading x of the v-th is the points x + sigma[v, i]·z[v], with `sigma` (V, N) and rising `z` (V, s).
    `marks` (V, G) are rising thresholds; `below` (V, N, G) is how many points of each reading are at most each mark.
    """

    variable: Any
    sigma: Any
    z: Any
    marks: Any
    below: Any


class Lone(NamedTuple):
    """Patients without a point left: `place` among those known and the `value` that stands for each, both (L,).

    Those of the v-th variable of `Points` are from `first[v]` to `first[v + 1]`.
    """

    place: Any
    value: Any
    first: Any


class Spread(NamedTuple):
    """One variable's points at a node: patient r's are x[r] + sigma[r]·z[k], k from `start[r]` to `stop[r]`.

    Each weighs `part[r]` and has label code `code[r]`; all but `z` are (n,). `below` (n, G) tells how many of all its
    points are at most each of the `marks` (G,).
    """

    x: Any
    sigma: Any
    z: Any
    start: Any
    stop: Any
    part: Any
    code: Any
    marks: Any
    below: Any


@compiled
def points_at_most(x, sigma, z, end):
    """Return how many of the rising points x + sigma·z are at most `end`."""
    low, high = 0, len(z)
    while low < high:
        k = (low + high) // 2
        if x + sigma * z[k] <= end:
            low = k + 1
        else:
            high = k
    return low


@compiled
def points_inside(x, sigma, z, low, high):
    """Return the first point of each reading of `x` (n,) in the interval (low, high] and the first beyond, (n,) each.

    They are the same where no point lies in it.
    """
    start, stop = np.zeros(len(x), np.int32), np.full(len(x), len(z), np.int32)
    for r in range(len(x)):
        if low > -np.inf:
            start[r] = points_at_most(x[r], sigma[r], z, low)
        if high < np.inf:
            stop[r] = points_at_most(x[r], sigma[r], z, high)
    return start, stop


@compiled
def count_below(columns, points):
    """Write into `points.below` how many points of each known reading of `columns` (M, N) are at most each mark."""
    for v in range(len(points.variable)):
        column, z, marks = columns[points.variable[v]], points.z[v], points.marks[v]
        for i in range(len(column)):
            x, sigma, k = column[i], points.sigma[v, i], 0
            for g in range(len(marks)):
                while k < len(z) and x + sigma * z[k] <= marks[g]:
                    k += 1
                points.below[v, i, g] = k


@compiled
def spread_points(known, column, label, weight, points, v, low, high, lone):
    """Return the points of the v-th variable at a node, a `Spread` of the patients `known` (n,).

    Those outside the interval (low, high] of its path are dropped, and a patient's others share its `weight` equally.
    """
    n, marks = len(known), points.marks[v]
    x, sigma, z = column[known], points.sigma[v][known], points.z[v]
    start, stop = points_inside(x, sigma, z, low, high)
    below = np.empty((n, len(marks)), np.int32)
    part, code = np.empty(n), label[known]
    for r in range(n):
        below[r] = points.below[v, known[r]]
    for q in range(lone.first[v], lone.first[v + 1]):
        r = lone.place[q]
        x[r], sigma[r], start[r], stop[r] = lone.value[q], 0.0, 0, 1
        for g in range(len(marks)):
            below[r, g] = points_at_most(x[r], 0.0, z, marks[g])
    for r in range(n):
        part[r] = weight[known[r]] / (stop[r] - start[r])
    return Spread(x, sigma, z, start, stop, part, code, marks, below)


@compiled
def weigh_marks(spread, n_codes):
    """Return (G + 2, n_codes) the weight by label code of points at most -inf, each of the G marks, and inf."""
    n_marks = len(spread.marks)
    left = np.zeros((n_codes, n_marks + 2))
    for r in range(len(spread.x)):
        c, part, start = spread.code[r], spread.part[r], spread.start[r]
        count = spread.stop[r] - start
        for g in range(n_marks):
            left[c, g + 1] += part * min(max(spread.below[r, g] - start, 0), count)
        left[c, n_marks + 1] += part * count
    return left.T.copy()


@compiled
def points_between(spread, first, last):
    """Return value, label code and weight of the points between two marks by rising value, each (m,).

    Marks are counted from 0, which is -inf, to G + 1, which is inf; the upper one belongs to the stretch.
    """
    n, n_marks = len(spread.x), len(spread.marks)
    start, stop = spread.start.copy(), spread.stop.copy()
    for r in range(n):
        if first > 0:
            start[r] = min(max(spread.below[r, first - 1], start[r]), stop[r])
        if last <= n_marks:
            stop[r] = max(min(spread.below[r, last - 1], stop[r]), start[r])
    m, count = (stop - start).sum(), 0
    value, owner = np.empty(m), np.empty(m, np.int32)
    for r in range(n):
        for k in range(start[r], stop[r]):
            value[count], owner[count] = spread.x[r] + spread.sigma[r] * spread.z[k], r
            count += 1
    order = np.argsort(value)
    owner = owner[order]
    return value[order], spread.code[owner], spread.part[owner]


@compiled
def largest_point(spread):
    """Return the largest point of a `Spread`, -inf when it has none."""
    largest = -np.inf
    for r in range(len(spread.x)):
        largest = max(largest, spread.x[r] + spread.sigma[r] * spread.z[spread.stop[r] - 1])
    return largest


@compiled
def stretch_gains(spread, g, left, whole, total, before, criterion, labels, limit, low, high, largest, value, gain):
    """Gain of every admissible cut after a point between the marks `g` and `g + 1`; returns how many there are.

    `left` (S,) is the weight by label code at most the lower mark, of the node's `whole`. A threshold is admissible
    when low <= threshold < high, no side is under `limit`, and it is not the `largest` point. Writes thresholds into
    `value` and gains into `gain`.
    """
    side, rest, left_total, count = left.copy(), np.empty(len(left)), left.sum(), 0
    values, codes, parts = points_between(spread, g, g + 1)
    for p in range(len(values)):
        x = values[p]
        side[codes[p]] += parts[p]
        left_total += parts[p]
        right_total = total - left_total
        apart = x < largest and (p + 1 == len(values) or x < values[p + 1])
        if apart and low <= x < high and left_total >= limit and right_total >= limit and right_total > 0.0:
            value[count] = x
            gain[count] = gain_of_left(side, whole, total, before, criterion, labels, rest)
            count += 1
    return count


@compiled
def best_point_cuts(
    wanted, order, n_known, columns, label, weight, points, lone, boxes, windows, fraction, criterion, labels,
    min_leaf, floor, every,
):  # fmt: skip
    """Best cut after a point of each variable of `points` that is `wanted`. Returns gain, threshold, tried, (V,) each.

    `boxes` and `windows` (V, 2): the interval (a, b] of the path and the thresholds [low, high) allowed. Gains are
    multiplied by `fraction` (V,); a variable's lowest cut within 1e-12 of its best wins. Stretches between
    neighbouring marks are passed over when no side they could make gains as much as the best cut found, or as `floor`:
    a variable that is not the best may then have less than its own best, or none. With `every` none is. METHODS §4
    """
    n_variables, n_marks, n_codes = len(points.variable), points.marks.shape[1], len(labels.mask)
    best, theta = np.full(n_variables, -np.inf), np.full(n_variables, np.nan)
    tried, marks = np.zeros(n_variables, np.int64), np.empty((n_variables, n_marks + 2, n_codes))
    corner, rest, top = np.empty(n_codes), np.empty(n_codes), floor
    for v in wanted:
        j = points.variable[v]
        known = order[j, : n_known[j]]
        spread = spread_points(known, columns[j], label, weight, points, v, boxes[v, 0], boxes[v, 1], lone)
        marks[v] = weigh_marks(spread, n_codes)
        whole, limit = marks[v, n_marks + 1], min_leaf[j] - SLACK_WEIGHT
        total, before = whole.sum(), impurity(whole, criterion, labels)
        if windows[v, 0] == -np.inf and windows[v, 1] == np.inf:  # then a mark is as good as the point before it
            for g in range(1, n_marks + 1):
                left_total = marks[v, g].sum()
                if min(left_total, total - left_total) >= limit and left_total > 0.0 and total - left_total > 0.0:
                    gain = gain_of_left(marks[v, g], whole, total, before, criterion, labels, rest)
                    top = max(top, gain * fraction[v])
    value, gains = np.empty(n_known.max() * points.z.shape[1]), np.empty(n_known.max() * points.z.shape[1])
    for v in wanted:
        j, whole, count = points.variable[v], marks[v, n_marks + 1], 0
        known, limit = order[j, : n_known[j]], min_leaf[j] - SLACK_WEIGHT
        total, before = whole.sum(), impurity(whole, criterion, labels)
        spread = spread_points(known, columns[j], label, weight, points, v, boxes[v, 0], boxes[v, 1], lone)
        largest = largest_point(spread)
        for g in range(n_marks + 1):
            low, high = marks[v, g], marks[v, g + 1]
            if high.sum() < limit or total - low.sum() < limit:
                continue
            if not every:
                bound = corner_bound(low, high, whole, total, before, criterion, labels, corner, rest)
                if bound * fraction[v] < top - 10.0 * TIE:
                    continue
            found = stretch_gains(
                spread, g, low, whole, total, before, criterion, labels, limit, windows[v, 0], windows[v, 1], largest,
                value[count:], gains[count:],
            )  # fmt: skip
            for p in range(count, count + found):
                top = max(top, gains[p] * fraction[v])
            count += found
        place, tried[v] = first_best(gains[:count]), count
        if place >= 0:
            best[v], theta[v] = gains[place] * fraction[v], value[place]
    return best, theta, tried


@compiled
def gain_of_left(left, whole, total, before, criterion, labels, rest):
    """Return the gain of dividing the weights `whole` by label code into `left` and the rest.

    `total` and `before` are the sum and the impurity of `whole`; `rest` (S,) is overwritten.
    """
    left_total, rest_total = 0.0, 0.0
    for c in range(len(whole)):
        rest[c] = max(0.0, whole[c] - left[c])
        left_total += left[c]
        rest_total += rest[c]
    after = left_total * impurity(left, criterion, labels) + rest_total * impurity(rest, criterion, labels)
    return before - after / total


@compiled
def corner_bound(low, high, whole, total, before, criterion, labels, corner, rest):
    """Return a bound on the gain of every left side between `low` and `high`, inf where there is none to be had.

    The gain is convex in the left side's weights, so over the box between both it is largest at a corner.
    `total` and `before` are the sum and the impurity of `whole`; `corner` and `rest` (S,) are overwritten.
    """
    changed = 0
    for c in range(len(whole)):
        corner[c] = low[c]
        changed += 1 if high[c] > low[c] else 0
    if changed > MOST_BLOCK_CODES or not (criterion == ENTROPY or labels.precise):
        return np.inf
    bound = -np.inf
    for choice in range(1 << changed):
        bit = 0
        for c in range(len(whole)):
            if high[c] > low[c]:
                corner[c] = high[c] if choice >> bit & 1 else low[c]
                bit += 1
        bound = max(bound, gain_of_left(corner, whole, total, before, criterion, labels, rest))
    return bound


@compiled
def best_point_cut(value, code, weight, criterion, labels):
    """Return the place of the last value left of the best cut between `value` (m,), which rise; -1 without one.

    The lowest wins within 1e-12. A block of neighbouring cuts is passed over when no side it could make gains as much
    as the best found before. METHODS §4.
    """
    m, n_codes = len(value), len(labels.mask)
    n_blocks = (m + BLOCK - 1) // BLOCK
    gain, fits = np.full(m, -np.inf), np.zeros(m, np.bool_)
    marks = np.zeros((n_blocks + 1, n_codes))
    whole = np.zeros(n_codes)
    for p in range(m):
        whole[code[p]] += weight[p]
    total, before = whole.sum(), impurity(whole, criterion, labels)
    left_total, top, strip = 0.0, -np.inf, np.inf
    left, corner, rest = np.zeros(n_codes), np.empty(n_codes), np.empty(n_codes)
    for p in range(m):
        left[code[p]] += weight[p]
        left_total += weight[p]
        if p + 1 < m and value[p] < value[p + 1]:
            fits[p] = left_total > 0.0 and total - left_total > 0.0
        if (p + 1) % BLOCK == 0 or p + 1 == m:
            marks[p // BLOCK + 1] = left
            if fits[p]:
                gain[p] = gain_of_left(left, whole, total, before, criterion, labels, rest)
                top = max(top, gain[p])
    for b in range(n_blocks):
        start, stop = b * BLOCK, min(m, (b + 1) * BLOCK)
        if b % STRIP == 0:
            end = min(n_blocks, b + STRIP)
            strip = corner_bound(marks[b], marks[end], whole, total, before, criterion, labels, corner, rest)
        if strip < top - 10.0 * TIE or not fits[start:stop].any():
            continue
        bound = corner_bound(marks[b], marks[b + 1], whole, total, before, criterion, labels, corner, rest)
        if bound < top - 10.0 * TIE:
            continue
        left[:] = marks[b]
        for p in range(start, stop):
            left[code[p]] += weight[p]
            if fits[p]:
                gain[p] = gain_of_left(left, whole, total, before, criterion, labels, rest)
                top = max(top, gain[p])
    return first_best(gain)


@compiled
def bootstrap_cuts(value, code, weight, draws, criterion, labels):
    """Return the values either side of the best cut of every resample of a node, (B,) and (B,), NaN where none is.

    `value` (n,) rises, with the patients' label codes and weights. `draws` (B, n) lists who is drawn, by position; a
    patient drawn twice weighs twice. The lowest of equally good cuts counts, a gain of 0 among them. METHODS §7.
    """
    n, n_resamples = len(value), len(draws)
    below, above = np.full(n_resamples, np.nan), np.full(n_resamples, np.nan)
    count = np.empty(n, np.int64)
    drawn, drawn_code, drawn_weight = np.empty(n), np.empty(n, code.dtype), np.empty(n)
    for b in range(n_resamples):
        count[:] = 0
        for i in draws[b]:
            count[i] += 1
        m = 0
        for i in range(n):
            if count[i] > 0:
                drawn[m], drawn_code[m], drawn_weight[m] = value[i], code[i], count[i] * weight[i]
                m += 1
        best = best_point_cut(drawn[:m], drawn_code[:m], drawn_weight[:m], criterion, labels)
        if best >= 0:
            below[b], above[b] = drawn[best], drawn[best + 1]
    return below, above


@compiled
def category_weights(rows, column, label, weight, n_categories, n_codes):
    """Return the weight by category and label code (V, S) of the patients `rows` whose category is known."""
    table = np.zeros((n_categories, n_codes))
    for i in rows:
        if not np.isnan(column[i]):
            table[int(column[i]), label[i]] += weight[i]
    return table


@compiled
def partition_gain(table, criterion, labels):
    """Return the gain of dividing weights by label code into the rows of `table` (V, S)."""
    whole = np.zeros(table.shape[1])
    for v in range(len(table)):
        for c in range(len(whole)):
            whole[c] += table[v, c]
    total = whole.sum()
    if total <= 0.0:
        return -np.inf
    after = 0.0
    for v in range(len(table)):
        part = table[v].sum()
        if part > 0.0:
            after += part * impurity(table[v], criterion, labels)
    return impurity(whole, criterion, labels) - after / total


# Gates and routing


@compiled
def gate_shares(x, node, splits, kind, error, out):
    """Write into `out` the share of a patient with the known value `x` that `node` sends to each child. METHODS §3."""
    gate = splits.gate[node]
    if gate == NOMINAL_GATE:
        nominal_shares(x, node, splits, kind, error, out)
    elif gate == BINS_GATE:
        bin_shares(x, node, splits, kind, error, out)
    elif gate == MIDDLE_GATE:
        middle_shares(x, node, splits, kind, error, out)
    else:
        left = left_share(x, node, splits, kind, error)
        out[0] = left
        out[1] = 1.0 - left


@compiled
def gate_shares_all(values, node, splits, kind, error, out):
    """Write into `out` (n, C) the share that `node` sends to each child at every known value of `values` (n,)."""
    if splits.gate[node] != BINARY_GATE:
        for i in range(len(values)):
            gate_shares(values[i], node, splits, kind, error, out[i])
        return
    variable, theta, closed_le = splits.variable[node], splits.threshold[node], splits.closed_le[node]
    low, high, box_low, box_high = splits.low[node], splits.high[node], splits.box_low[node], splits.box_high[node]
    sigma, cv, shape = error.sigma[variable], error.cv[variable], error.shape[variable]
    for i in range(len(values)):  # numbers alone, as in `divide`
        x = values[i]
        out[i, 0] = binary_share(x, theta, closed_le, low, high, box_low, box_high, sigma_of(x, sigma, cv), shape, kind)
        out[i, 1] = 1.0 - out[i, 0]


@in_its_caller
def left_share(x, node, splits, kind, error):
    """Return the share that a binary node sends left."""
    variable = splits.variable[node]
    return binary_share(
        x, splits.threshold[node], splits.closed_le[node], splits.low[node], splits.high[node], splits.box_low[node],
        splits.box_high[node], sigma_of(x, error.sigma[variable], error.cv[variable]), error.shape[variable], kind,
    )  # fmt: skip


@compiled
def binary_share(x, theta, closed_le, low, high, box_low, box_high, sigma, shape, kind):
    """Return the share that goes left of `theta`, of a patient with the known value `x`. METHODS §3.

    It takes numbers alone: handing on a tree's arrays costs many times what is worked out here.
    """
    left = 1.0 if (x <= theta if closed_le else x < theta) else 0.0
    if kind == HARD:
        return left
    if kind in (ZONE, DEFERRED):
        if high > low:
            side = zone_side(x, low, high)
            if side == 0:
                return ramp(x, low, theta, high)
            left = 1.0 if side < 0 else 0.0
        return left
    if sigma == 0.0:
        return left
    z = (theta - x) / sigma
    if kind == SOFT or (box_low == -np.inf and box_high == np.inf):
        return cdf(z, shape)
    from_x, to_x = (box_low - x) / sigma, (box_high - x) / sigma
    whole = mass(from_x, to_x, shape)
    if whole > 0.0:
        return min(1.0, mass(from_x, z, shape) / whole)
    return 1.0 if from_x >= 0.0 else 0.0


@compiled
def ramp(x, low, theta, high):
    """Return the left share inside a zone: 1 at `low`, ½ at θ, 0 at `high`, straight between. METHODS §3."""
    if x <= theta:
        return min(1.0, max(0.5, 1.0 - 0.5 * (x - low) / (theta - low))) if theta > low else (0.5 if x > low else 1.0)
    return min(0.5, max(0.0, 0.5 * (high - x) / (high - theta))) if high > theta else 0.0


@in_its_caller
def middle_shares(x, node, splits, kind, error, out):
    """Write the shares of a node with a middle child: the zone low < x <= high is the middle's. METHODS §0.1, §3."""
    theta, low, high = splits.threshold[node], splits.low[node], splits.high[node]
    out[0] = out[1] = out[2] = 0.0
    variable = splits.variable[node]
    sigma = sigma_at(x, variable, error)
    if sigma == 0.0 or (kind != SOFT and kind != COHERENT):
        if high > low:
            out[zone_side(x, low, high) + 1] = 1.0
        else:
            out[0 if (x <= theta if splits.closed_le[node] else x < theta) else 2] = 1.0
        return
    shape = error.shape[variable]
    a, b = -np.inf, np.inf
    if kind == COHERENT:
        a, b = splits.box_low[node], splits.box_high[node]
    first, last = min(max(low, a), b), min(max(high, a), b)
    out[0] = mass((a - x) / sigma, (first - x) / sigma, shape)
    out[1] = mass((first - x) / sigma, (last - x) / sigma, shape)
    out[2] = mass((last - x) / sigma, (b - x) / sigma, shape)
    whole = out[0] + out[1] + out[2]
    if whole > 0.0:
        out[0] /= whole
        out[1] /= whole
        out[2] /= whole
    elif x <= a:  # the interval is too far for any mass: its nearest part takes all
        out[0 if first > a else (1 if last > first else 2)] = 1.0
    else:
        out[2 if b > last else (1 if last > first else 0)] = 1.0


@in_its_caller
def nominal_shares(x, node, splits, kind, error, out):
    """Write the shares of a node with one child a category; categories without a child fall to the rest's. §2, §3."""
    first, n_children = splits.first_child[node], splits.n_children[node]
    variable, recorded = splits.variable[node], int(x)
    n_categories = splits.n_categories[variable]
    epsilon = error.misrecord[variable] if kind in (SOFT, COHERENT) and n_categories > 1 else 0.0
    other = epsilon / max(1, n_categories - 1)
    rest, met, children = -1, False, 0
    for c in range(n_children):
        code = splits.code[first + c]
        if code < 0:
            rest = c
        else:
            children += 1
            met = met or code == recorded
            out[c] = 1.0 - epsilon if code == recorded else other
    if rest >= 0:
        absent = n_categories - children
        out[rest] = absent * other if met else 1.0 - epsilon + (absent - 1) * other


@compiled
def bin_of(x, cuts):
    """Return the bin of `x` between rising `cuts`: a value on a cut belongs below it. METHODS §8."""
    found = 0
    for cut in cuts:
        if x > cut:
            found += 1
    return found


@in_its_caller
def bin_shares(x, node, splits, kind, error, out):
    """Write the shares of a node with one child a bin, end bins open; the rest takes bins without one. §3, §8"""
    first, n_children, variable = splits.first_child[node], splits.n_children[node], splits.variable[node]
    cuts = splits.cuts[variable]
    sigma = sigma_at(x, variable, error) if kind in (SOFT, COHERENT) else 0.0
    shape = error.shape[variable]
    own = bin_of(x, cuts)
    rest, covered = -1, 0.0
    for c in range(n_children):
        code = splits.code[first + c]
        if code < 0:
            rest = c
            continue
        if sigma > 0.0:
            below = (cuts[code - 1] - x) / sigma if code > 0 else -np.inf
            above = (cuts[code] - x) / sigma if code < len(cuts) else np.inf
            out[c] = mass(below, above, shape)
        else:
            out[c] = 1.0 if code == own else 0.0
        covered += out[c]
    if rest >= 0:
        out[rest] = max(0.0, 1.0 - covered)


@compiled
def zone_side(x, low, high):
    """Return -1 left of the zone, 0 in it, 1 right of it: the zone is low < x <= high. METHODS §7.

    A value within 1e-12·(|θ|+δ) of an edge counts as on it.
    """
    near = 1e-12 * (0.5 * abs(low + high) + 0.5 * (high - low))
    if x <= low + near:
        return -1
    if x <= high + near:
        return 0
    return 1


@compiled
def divide(rows, weight, original, column, splits, share, kind, error, floor, refit, pieces):
    """Divide the patients at one node (index 0 of `splits`) among its children. METHODS §5.

    `weight` and `original` belong to `rows` (n,). Writes their weights into `pieces` (n, C). A piece under
    `floor` times the original weight goes whole to the patient's heaviest child. When `refit`, writes the known
    weight's shares into `share` (C,); patients with the value missing follow those shares.
    """
    n_children = pieces.shape[1]
    sent = np.zeros(n_children)
    known = 0.0
    binary, variable = splits.gate[0] == BINARY_GATE, splits.variable[0]
    sigma_0, cv, shape = error.sigma[variable], error.cv[variable], error.shape[variable]
    root = np.int64(0)  # a constant would have every function below compiled once more
    for r in range(len(rows)):
        x = column[rows[r]]
        if np.isnan(x):
            continue
        if binary:
            pieces[r, 0] = binary_share(
                x, splits.threshold[0], splits.closed_le[0], splits.low[0], splits.high[0], splits.box_low[0],
                splits.box_high[0], sigma_of(x, sigma_0, cv), shape, kind,
            )  # fmt: skip
            pieces[r, 1] = 1.0 - pieces[r, 0]
        else:
            gate_shares(x, root, splits, kind, error, pieces[r])
        settle_pieces(pieces[r], weight[r], floor * original[r])
        for c in range(n_children):
            sent[c] += pieces[r, c]
        known += weight[r]
    if refit and known > 0.0:
        total = sent.sum()
        for c in range(n_children):
            share[c] = sent[c] / total
    for r in range(len(rows)):
        if np.isnan(column[rows[r]]):
            for c in range(n_children):  # one array put into another takes numba two seconds to compile
                pieces[r, c] = share[c]
            settle_pieces(pieces[r], weight[r], floor * original[r])


@compiled
def sort_pieces(rows, pieces, code, share):
    """Sort the patients of a divided node by child: rows and weights (m,), bounds (C + 1,) and each child's sums.

    `pieces` (n, C) holds their weights, a patient in no child of which it has none. The sums are the class weights
    (C, K), a label set shared among its members, the weights and the squared weights (C,).
    """
    n, n_children = pieces.shape
    bounds = np.zeros(n_children + 1, np.int64)
    for r in range(n):
        for c in range(n_children):
            bounds[c + 1] += pieces[r, c] > 0.0
    for c in range(n_children):
        bounds[c + 1] += bounds[c]
    kept, weight, place = np.empty(bounds[-1], np.int32), np.empty(bounds[-1]), bounds[:-1].copy()
    by_class, total, squares = np.zeros((n_children, share.shape[1])), np.zeros(n_children), np.zeros(n_children)
    for r in range(n):
        own = share[code[rows[r]]]
        for c in range(n_children):
            w = pieces[r, c]
            if w > 0.0:
                kept[place[c]], weight[place[c]] = rows[r], w
                place[c] += 1
                total[c] += w
                squares[c] += w * w
                for k in range(len(own)):
                    by_class[c, k] += w * own[k]
    return kept, weight, bounds, by_class, total, squares


@compiled
def divide_in_two(
    rows, weight, original, column, code, class_share, theta, closed_le, box_low, box_high, sigma, cv, shape, kind,
    floor, refit, share,
):  # fmt: skip
    """Divide patients at a binary node as `divide` does, and return what `sort_pieces` then says of its two children.

    `weight` (n,) belongs to `rows`; `original` and `column` (N,) to every patient; `code` and `class_share` are the
    labels. `share` (2,) is written when `refit`. It takes numbers alone; handing on a tree's arrays would cost more.
    """
    n, lost, sent_left, sent_right = len(rows), 0, 0.0, 0.0
    left, right = np.empty(n), np.empty(n)
    for r in range(n):
        i = rows[r]
        x = column[i]
        if np.isnan(x):
            lost += 1
            continue
        own = binary_share(
            x, theta, closed_le, np.nan, np.nan, box_low, box_high, sigma_of(x, sigma, cv), shape, kind
        )  # fmt: skip
        left[r], right[r] = two_pieces(own, 1.0 - own, weight[r], floor * original[i])
        sent_left += left[r]
        sent_right += right[r]
    if refit and lost < n:
        share[0], share[1] = sent_left / (sent_left + sent_right), sent_right / (sent_left + sent_right)
    for r in range(n if lost > 0 else 0):
        if np.isnan(column[rows[r]]):
            left[r], right[r] = two_pieces(share[0], share[1], weight[r], floor * original[rows[r]])
    bounds = np.zeros(3, np.int64)
    for r in range(n):
        bounds[1] += left[r] > 0.0
        bounds[2] += right[r] > 0.0
    bounds[2] += bounds[1]
    kept, parts = np.empty(bounds[2], np.int32), np.empty(bounds[2])
    by_class, total, squares = np.zeros((2, class_share.shape[1])), np.zeros(2), np.zeros(2)
    for c in range(2):
        pieces, place = left if c == 0 else right, bounds[c]
        for r in range(n):
            w = pieces[r]
            if w > 0.0:
                kept[place], parts[place] = rows[r], w
                place += 1
                total[c] += w
                squares[c] += w * w
                own_code = code[rows[r]]
                for k in range(class_share.shape[1]):
                    by_class[c, k] += w * class_share[own_code, k]
    return kept, parts, bounds, by_class, total, squares


@compiled
def two_pieces(left, right, weight, least):
    """Return two shares as weights, as `settle_pieces` turns them."""
    if right > left + TIE:
        left = weight * left if weight * left >= least else 0.0
        return left, weight - left
    right = weight * right if weight * right >= least else 0.0
    return weight - right, right


@compiled
def settle_pieces(pieces, weight, least):
    """Turn shares in `pieces` into weights; a piece below `least` goes whole to the heaviest child.

    The first on ties, where 1e-12 of the patient is no difference: two bins may lie alike about a reading. METHODS §5
    """
    heaviest = 0
    for c in range(1, len(pieces)):
        if pieces[c] > pieces[heaviest] + TIE:
            heaviest = c
    kept = 0.0
    for c in range(len(pieces)):
        if c != heaviest:
            pieces[c] = weight * pieces[c] if weight * pieces[c] >= least else 0.0
            kept += pieces[c]
    pieces[heaviest] = weight - kept


@compiled
def keep_rows(order, n_known, present, kept):
    """Write the sorted orders of the patients `present` (N,) into `kept` (M, n_kept); return how many are known (M,).

    `kept` may begin where `order` does: nothing is written where it has not been read yet.
    """
    n_variables, n_kept = kept.shape
    counts = np.zeros(n_variables, np.int64)
    for j in range(n_variables):
        count = 0
        for position in range(n_known[j]):
            i = order[j, position]
            if count < n_kept:
                kept[j, count] = i  # overwritten by the next one kept, so that no branch is guessed wrong
            count += present[i]
        counts[j] = count
    return counts


@compiled
def walk(x, splits, kind, error, nodes, shares, blended, scratch):
    """List in `nodes` and `shares` every node that the patient `x` (M,) reaches; return how many.

    A share of 1e-17 or less counts as none: all such shares together do not change the last digit of a sum of 1.

    Parents come before their children. `blended` marks nodes below a zone that the patient was in (deferred
    evaluation reads hard gates there); `scratch` holds the shares of one node's children.
    """
    nodes[0], shares[0], blended[0] = 0, 1.0, False
    count, place = 1, 0
    while place < count:
        node, share, hard = nodes[place], shares[place], blended[place]
        place += 1
        first, n_children = splits.first_child[node], splits.n_children[node]
        if n_children == 0:
            continue
        value = x[splits.variable[node]]
        if np.isnan(value):
            for c in range(n_children):
                scratch[c] = splits.share[first + c]
        elif splits.gate[node] == BINARY_GATE:
            low, high, variable = splits.low[node], splits.high[node], splits.variable[node]
            scratch[0] = binary_share(
                value, splits.threshold[node], splits.closed_le[node], low, high, splits.box_low[node],
                splits.box_high[node], sigma_of(value, error.sigma[variable], error.cv[variable]),
                error.shape[variable], HARD if hard else kind,
            )  # fmt: skip
            scratch[1] = 1.0 - scratch[0]
            if kind == DEFERRED and high > low and zone_side(value, low, high) == 0:
                hard = True
        else:
            gate_shares(value, node, splits, HARD if hard else kind, error, scratch)
            if kind == DEFERRED and in_zone(value, node, splits):
                hard = True
        for c in range(n_children):
            part = share * scratch[c]
            if part > NO_SHARE:
                nodes[count], shares[count], blended[count] = first + c, part, hard
                count += 1
    return count


@compiled
def hard_leaves(values, splits, leaf):
    """Write into `leaf` (n,) where each patient of `values` (n, M) ends by hard gates.

    -1 where a missing value, a category or a bin decides. Places are unsigned: a sign would be tested for.
    """
    variable, gate, threshold, closed_le = splits.variable, splits.gate, splits.threshold, splits.closed_le
    for i in range(len(values)):
        node = np.uint64(0)
        while gate[node] in (BINARY_GATE, MIDDLE_GATE):
            x, first = values[i, np.uint64(variable[node])], np.uint64(splits.first_child[node])
            if np.isnan(x):
                break
            left = x <= threshold[node] if closed_le[node] else x < threshold[node]
            if gate[node] == BINARY_GATE:
                node = first + np.uint64(not left)  # no branch to be guessed wrong
            elif splits.high[node] > splits.low[node]:
                node = first + np.uint64(zone_side(x, splits.low[node], splits.high[node]) + 1)
            else:
                node = first + np.uint64(0 if left else 2)
        leaf[i] = node if splits.n_children[node] == 0 else -1


@compiled
def in_zone(x, node, splits):
    """Return True when the known value `x` lies in the zone of `node`."""
    low, high = splits.low[node], splits.high[node]
    return high > low and zone_side(x, low, high) == 0


@compiled
def reach_all(values, splits, kind, error, reach):
    """Write into `reach` (n, N) the share of each patient of `values` (n, M) at each node."""
    n_nodes = reach.shape[1]
    nodes, shares, scratch = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    blended = np.empty(n_nodes, np.bool_)
    for i in range(len(values)):
        count = walk(values[i], splits, kind, error, nodes, shares, blended, scratch)
        for p in range(count):
            reach[i, nodes[p]] = shares[p]


@compiled
def mix_leaves(values, splits, kind, error, answer, out):
    """Write into `out` (n, K) each patient's mixture Σ share(leaf)·answer[leaf]. METHODS §3."""
    n_nodes = len(answer)
    nodes, shares, scratch = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    blended, leaf = np.empty(n_nodes, np.bool_), np.full(len(values), -1, np.int32)
    if kind == HARD:
        hard_leaves(values, splits, leaf)
    for i in range(len(values)):
        if leaf[i] >= 0:
            for k in range(answer.shape[1]):
                out[i, k] = answer[leaf[i], k]
            continue
        count = walk(values[i], splits, kind, error, nodes, shares, blended, scratch)
        out[i, :] = 0.0
        for p in range(count):
            node = nodes[p]
            if splits.n_children[node] == 0:
                for k in range(answer.shape[1]):
                    out[i, k] += shares[p] * answer[node, k]


@compiled
def undecided_all(values, splits, error, undecided):
    """Write True for each patient who meets a zone at a node of positive hard share, or lacks a value there."""
    n_nodes = len(splits.variable)
    nodes, shares, scratch = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    blended = np.empty(n_nodes, np.bool_)
    hard = np.int64(HARD)  # a constant would have every function below compiled once more
    for i in range(len(values)):
        count = walk(values[i], splits, hard, error, nodes, shares, blended, scratch)
        undecided[i] = False
        for p in range(count):
            node = nodes[p]
            if splits.n_children[node] == 0 or not splits.high[node] > splits.low[node]:
                continue
            x = values[i, splits.variable[node]]
            if np.isnan(x) or in_zone(x, node, splits):
                undecided[i] = True


# Naive Bayes


class Values(NamedTuple):
    """Patients' values as naive Bayes reads them.

    `cells` (N, M): `first[j]` plus the category or bin of variable j, -1 when missing; `first` (M + 1,) where each
    variable's cells begin; `code` (N,) label codes and `share` (S, K) what each gives its classes.
    """

    cells: Any
    first: Any
    code: Any
    share: Any


class Fit(NamedTuple):
    """Room for one naive Bayes, classes padded to a multiple of LANES so that they are multiplied side by side.

    `table` (T·L,) by cell and class, weights that become likelihoods; `known` (M·L,) weight with the variable known;
    `prior` and `score` (L,) by class; `met` (T,) marks the cells in use, `cells` (T,) lists them and `variable` (T,)
    whose they are. Between two fits `table` is 0 and `met` False.
    """

    table: Any
    known: Any
    prior: Any
    score: Any
    met: Any
    cells: Any
    variable: Any


@compiled
def value_cells(values, cuts, n_categories, first):
    """Return the cell (n, M) of each of `values` (n, M), -1 where missing. METHODS §8."""
    n, n_variables = values.shape
    cells = np.full((n, n_variables), -1, np.int32)
    for i in range(n):
        for j in range(n_variables):
            x = values[i, j]
            if not np.isnan(x):
                cells[i, j] = first[j] + (int(x) if n_categories[j] > 0 else bin_of(x, cuts[j]))
    return cells


@compiled
def empty_fit(first, n_classes):
    """Return room for a naive Bayes over variables whose cells begin at `first` (M + 1,)."""
    n_cells, lanes = first[-1], (n_classes + LANES - 1) // LANES * LANES
    return Fit(
        np.zeros(n_cells * lanes), np.zeros((len(first) - 1) * lanes), np.zeros(lanes), np.zeros(lanes),
        np.zeros(n_cells, np.bool_), np.empty(n_cells, np.int64), np.empty(n_cells, np.int64),
    )  # fmt: skip


@compiled
def count_patients(rows, weight, values, free, fit):
    """Add patients and their `weight` (n,) to a naive Bayes over the variables `free`; return how many cells they use.

    A patient without weight only makes its cells ready to be read. Places are unsigned: a sign would be tested for.
    """
    table, met, cells, share = fit.table, fit.met, values.cells, values.share
    n_classes, lanes, count = share.shape[1], np.uint64(len(fit.prior)), 0
    fit.prior[:] = 0.0
    for r in range(len(rows)):
        i, w = np.uint64(rows[r]), weight[r]
        code = values.code[i]
        low, high = (code, code + 1) if code < n_classes else (0, n_classes)
        for k in range(low, high):
            fit.prior[k] += w * share[code, k]
        for q in range(len(free)):
            j = np.uint64(free[q])
            if cells[i, j] < 0:
                continue
            cell = np.uint64(cells[i, j])
            if not met[cell]:
                met[cell], fit.cells[count], fit.variable[count] = True, cell, j
                count += 1
            for k in range(low, high):
                table[cell * lanes + np.uint64(k)] += w * share[code, k]
    return count


@compiled
def weigh_cells(count, values, fit):
    """Turn the weights of the first `count` cells into P(a|y) = (W(a,y) + 1)/(W_known(y) + V). METHODS §8."""
    lanes = len(fit.prior)
    for c in range(count):
        j = fit.variable[c]
        fit.known[j * lanes : (j + 1) * lanes] = 0.0
    for c in range(count):
        cell, j = fit.cells[c], fit.variable[c]
        for k in range(lanes):
            fit.known[j * lanes + k] += fit.table[cell * lanes + k]
    for c in range(count):
        cell, j = fit.cells[c], fit.variable[c]
        size = values.first[j + 1] - values.first[j]
        for k in range(lanes):
            place = cell * lanes + k
            fit.table[place] = (fit.table[place] + 1.0) / (fit.known[j * lanes + k] + size)


@compiled
def clear_cells(count, fit):
    """Put the first `count` cells back to no weight."""
    lanes = len(fit.prior)
    for c in range(count):
        cell = fit.cells[c]
        fit.met[cell] = False
        fit.table[cell * lanes : (cell + 1) * lanes] = 0.0


@compiled
def read_right(rows, worth, values, free, fit):
    """Return the `worth` (n,) of the patients that a naive Bayes classifies rightly. METHODS §8.

    Its answer is the lowest class within 1e-12 of the top; a missing value is left out of the product.
    """
    table, cells, share, score = fit.table, values.cells, values.share, fit.score
    n_classes, lanes, right = share.shape[1], len(score), 0.0
    places = np.empty(len(free), np.uint64)
    for r in range(len(rows)):
        i, count = np.uint64(rows[r]), 0
        for q in range(len(free)):
            cell = cells[i, np.uint64(free[q])]
            places[count] = np.uint64(cell) * np.uint64(lanes)
            count += cell >= 0
        for k in range(lanes):
            score[k] = fit.prior[k] + 1.0 if k < n_classes else 0.0
        for start in range(0, count, CHUNK):
            if start > 0:  # a likelihood is above 1e-10, so that a chunk of them cannot vanish
                score /= score.max()
            for k in range(0, lanes, LANES):
                a, b, c, d = score[k], score[k + 1], score[k + 2], score[k + 3]
                for q in range(start, min(start + CHUNK, count)):
                    place = places[np.uint64(q)] + np.uint64(k)
                    a *= table[place]
                    b *= table[place + np.uint64(1)]
                    c *= table[place + np.uint64(2)]
                    d *= table[place + np.uint64(3)]
                score[k], score[k + 1], score[k + 2], score[k + 3] = a, b, c, d
        right += worth[r] * share[values.code[i], top_class(score, n_classes)]
    return right


@compiled
def top_class(score, n_classes):
    """Return the lowest class whose share of the first `n_classes` scores is within 1e-12 of the top. METHODS §8."""
    top, total = 0.0, 0.0
    for k in range(n_classes):
        top = max(top, score[k])
        total += score[k]
    for k in range(n_classes):
        if score[k] >= top - TIE * total:
            return k
    return 0


@compiled
def right_weight(rows, weight, worth, values, free, fit):
    """Return the `worth` (n,) of the patients that a naive Bayes on them, by `weight` (n,), classifies rightly. [C]"""
    count = count_patients(rows, weight, values, free, fit)
    weigh_cells(count, values, fit)
    right = read_right(rows, worth, values, free, fit)
    clear_cells(count, fit)
    return right


@compiled
def sort_by_value(rows, weight, values, j, order, ends):
    """Put patients in order of their value of variable `j`, missing last; return how many values occur.

    Writes `order` (n,), places in `rows`, and `ends` (V,), where in it each value's patients end.
    """
    first, size = values.first[j], values.first[j + 1] - values.first[j]
    counts = np.zeros(size + 1, np.int64)
    for r in range(len(rows)):
        cell = values.cells[rows[r], j]
        counts[cell - first if cell >= 0 else size] += 1
    place, occurring, begin = np.zeros(size + 1, np.int64), 0, 0
    for v in range(size + 1):
        place[v] = begin
        begin += counts[v]
        if v < size:
            ends[v] = begin
            occurring += counts[v] > 0
    for r in range(len(rows)):
        cell = values.cells[rows[r], j]
        v = cell - first if cell >= 0 else size
        order[place[v]] = r
        place[v] += 1
    return occurring


@compiled
def split_right(rows, weight, values, free, j, least, order, ends, fit):
    """Return the weight classified rightly by a naive Bayes on every part of a split on variable `j`; -inf without two.

    Patients with the value missing count in every part by fragment. A split that cannot pass `least` is given up and
    has -inf too. `order` (n,) and `ends` (V,) are written.
    """
    if sort_by_value(rows, weight, values, j, order, ends) < 2:
        return -np.inf
    size = values.first[j + 1] - values.first[j]
    n, n_known = len(rows), ends[size - 1]
    members, part, known = np.empty(n, np.int64), np.empty(n), 0.0
    for r in order[:n_known]:
        known += weight[r]
    others, left = free[free != j], weight.sum()
    right, begin = 0.0, 0
    for v in range(size):
        end, inside, count = ends[v], 0.0, 0
        for r in order[begin:end]:
            members[count], part[count] = rows[r], weight[r]
            inside += weight[r]
            count += 1
        begin = end
        if count == 0:
            continue
        for r in order[n_known:]:
            members[count], part[count] = rows[r], weight[r] * (inside / known)
            count += 1
        right += right_weight(members[:count], part[:count], part[:count], values, others, fit)
        left -= part[:count].sum()
        if right + left <= least:
            return -np.inf
    return right


@compiled
def rights_of_splits(rows, weight, values, free, every, order, ends, fit):
    """Return what `bayes_splits` does of one node's patients, `rows` (n,) int64, with room for what it needs.

    `order` (n,) and `ends` (V,), as many as a variable has values at most, are written.
    """
    right, least = np.full(len(values.first) - 1, -np.inf), -np.inf
    own = right_weight(rows, weight, weight, values, free, fit)
    for j in free:
        right[j] = split_right(rows, weight, values, free, j, least, order, ends, fit)
        if not every:
            least = max(least, right[j] + SLACK_WEIGHT)
    return right, own


@compiled
def bayes_splits(rows, weight, free, every, cells, first, code, share):
    """Training accuracy of an n-ary split on the variables `free`, a naive Bayes on each part. [C], METHODS §8.

    Returns `right` (M,), the weight then classified rightly (-inf for a variable without two occurring values or not
    free), and the weight that one naive Bayes on the whole node classifies rightly. Unless `every` split is wanted,
    those that are no better than one before by 1e-9 are given up.
    """
    values, fit = Values(cells, first, code, share), empty_fit(first, share.shape[1])
    order, ends = np.empty(len(rows), np.int64), np.empty(max(1, np.diff(first).max()), np.int64)
    return rights_of_splits(rows.astype(np.int64), weight, values, free, every, order, ends, fit)


@compiled
def most_accurate_splits(rows, weight, bounds, wanted, used, cells, first, code, share):
    """Variable (G,) of each node's most accurate split, -1 without one, and the accuracy (G,) it adds. [C], METHODS §8.

    `rows`, `weight`, `bounds` and `used` are those of `bayes_right`; only `wanted` nodes (G,) are split. The lowest
    variable wins within 1e-9 of weight.
    """
    values, fit = Values(cells, first, code, share), empty_fit(first, share.shape[1])
    order, ends = np.empty(len(rows), np.int64), np.empty(max(1, np.diff(first).max()), np.int64)
    variable, gain = np.full(len(wanted), -1, np.int64), np.full(len(wanted), np.nan)
    for g in range(len(wanted)):
        free, a, b = np.flatnonzero(~used[g]), bounds[g], bounds[g + 1]
        if not wanted[g] or len(free) == 0:
            continue
        right, own = rights_of_splits(
            rows[a:b].astype(np.int64), weight[a:b], values, free, False, order[: b - a], ends, fit
        )
        top = right.max()
        if top > -np.inf:
            variable[g] = np.flatnonzero(top - right <= SLACK_WEIGHT)[0]
            gain[g] = (right[variable[g]] - own) / weight[a:b].sum()
    return variable, gain


@compiled
def divide_by_value(rows, weight, original, bounds, variable, floor, cells, first, code, share):
    """Divide the patients of every node with a `variable` (G,) of 0 or more into one child a value that occurs.

    `rows`, `weight` and `bounds` are those of `bayes_right`; `original` (N,) the patients' whole weight. A value
    missing follows the known weight, a piece under `floor` of the original weight goes to the heaviest child. The last
    child, of code -1, stands for values that do not occur; a node where all do has none. Returns the children's
    patients, weights and bounds, and parent, code, share, class weights, weight and squared weight of each. METHODS §8
    """
    most, children = 0, 0
    for g in range(len(variable)):
        if variable[g] >= 0:
            size, j = first[variable[g] + 1] - first[variable[g]], variable[g]
            children += size + 1
            for r in range(bounds[g], bounds[g + 1]):
                most += 1 if cells[rows[r], j] >= 0 else size + 1
    kept, part, ends = np.empty(most, np.int32), np.empty(most), np.zeros(children + 1, np.int64)
    parent, codes, sent = np.empty(children, np.int64), np.empty(children, np.int32), np.empty(children)
    by_class, total, squares = np.empty((children, share.shape[1])), np.empty(children), np.empty(children)
    count = 0
    for g in range(len(variable)):
        j, a, b = variable[g], bounds[g], bounds[g + 1]
        if j < 0:
            continue
        size, child, known = first[j + 1] - first[j], count, 0.0
        weights, place = np.zeros(size + 1), np.full(size, -1, np.int64)
        for r in range(a, b):
            if cells[rows[r], j] >= 0:
                place[cells[rows[r], j] - first[j]] = 0
        for v in range(size + 1):
            if v == size or place[v] == 0:
                if v < size:
                    place[v] = count - child
                elif count - child == size:
                    break
                parent[count], codes[count] = g, v if v < size else -1
                count += 1
        pieces = np.zeros((b - a, count - child))
        for r in range(a, b):
            cell = cells[rows[r], j]
            if cell >= 0:
                c = place[cell - first[j]]
                pieces[r - a, c] = weight[r]
                weights[c] += weight[r]
                known += weight[r]
        sent[child:count] = weights[: count - child] / known
        for r in range(a, b):
            if cells[rows[r], j] < 0:
                pieces[r - a] = sent[child:count]
                settle_pieces(pieces[r - a], weight[r], floor * original[rows[r]])
        some, parts, inner, sums, wholes, squared = sort_pieces(rows[a:b], pieces, code, share)
        start = ends[child]
        kept[start : start + len(some)], part[start : start + len(some)] = some, parts
        ends[child + 1 : count + 1] = start + inner[1:]
        by_class[child:count], total[child:count], squares[child:count] = sums, wholes, squared
    last = ends[count]
    return (
        kept[:last], part[:last], ends[: count + 1], parent[:count], codes[:count], sent[:count], by_class[:count],
        total[:count], squares[:count],
    )  # fmt: skip


@compiled
def bayes_right(rows, weight, worth, bounds, used, cells, first, code, share):
    """Return the worth (G,) of each node's patients that a naive Bayes on them, by their weight, classifies rightly.

    `rows`, `weight` and `worth` hold the patients of all nodes, node g's from `bounds[g]` to `bounds[g + 1]`; `used`
    (G, M) marks the variables on its path, which the naive Bayes leaves out. METHODS §8.
    """
    values = Values(cells, first, code, share)
    right = np.zeros(len(used))
    fit = empty_fit(values.first, values.share.shape[1])
    for g in range(len(used)):
        free = np.flatnonzero(~used[g])
        a, b = bounds[g], bounds[g + 1]
        right[g] = right_weight(rows[a:b], weight[a:b], worth[a:b], values, free, fit)
    return right


@compiled
def cut_where_no_worse(parent, splits, cost):
    """Return the split nodes (N,), bottom-up, that cost as a leaf no more than the leaves below them do together.

    `parent` (N,) comes before its children, -1 at the root; `cost` (N,) is what each node costs as a leaf. Those
    found become leaves in `splits` (N,), which tells the split nodes. METHODS §8
    """
    cut, below = np.zeros(len(parent), np.bool_), np.zeros(len(parent))
    for p in range(len(parent) - 1, -1, -1):
        cut[p] = splits[p] and cost[p] <= below[p] + SLACK_WEIGHT
        splits[p] = splits[p] and not cut[p]
        if parent[p] >= 0:
            below[parent[p]] += below[p] if splits[p] else cost[p]
    return cut


@compiled
def bayes_tables(rows, weight, bounds, used, values):
    """Return the weights (G, T, K) by cell and class of each node's patients, none for variables on its path. §8.

    `rows`, `weight`, `bounds` and `used` are those of `bayes_right`.
    """
    n_classes = values.share.shape[1]
    tables = np.zeros((len(used), values.first[-1], n_classes))
    for g in range(len(used)):
        for r in range(bounds[g], bounds[g + 1]):
            share = values.share[values.code[rows[r]]]
            for j in range(used.shape[1]):
                cell = values.cells[rows[r], j]
                if cell >= 0 and not used[g, j]:
                    for k in range(n_classes):
                        tables[g, cell, k] += weight[r] * share[k]
    return tables


@compiled
def posterior(cells, prior, log_likelihood, out):
    """Write into `out` (K,) the naive Bayes posterior of one patient's `cells` (M,), -1 left out. METHODS §8."""
    for k in range(len(out)):
        out[k] = math.log(prior[k]) if prior[k] > 0.0 else -np.inf
    for cell in cells:
        if cell >= 0:
            for k in range(len(out)):
                out[k] += log_likelihood[cell, k]
    top = out.max()
    total = 0.0
    for k in range(len(out)):
        out[k] = math.exp(out[k] - top)
        total += out[k]
    for k in range(len(out)):
        out[k] /= total


@compiled
def posteriors(cells, row, leaf, prior, place, log_likelihood, out):
    """Write into `out` (p, K) what leaf `leaf[i]` says of patient `row[i]` of `cells` (n, M); see `mix_bayes`."""
    for i in range(len(row)):
        posterior(cells[row[i]], prior[leaf[i]], log_likelihood[place[leaf[i]]], out[i])


@compiled
def mix_bayes(values, cells, splits, kind, error, prior, place, log_likelihood, out):
    """Write into `out` (n, K) each patient's mixture Σ share(leaf)·naive Bayes(leaf, reading). METHODS §3, §8.

    `prior` (N, K) by node; `place` (N,) the leaf's naive Bayes in `log_likelihood` (B, T, K).
    """
    n_nodes, n_classes = prior.shape
    nodes, shares, scratch = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    blended, own = np.empty(n_nodes, np.bool_), np.empty(n_classes)
    for i in range(len(values)):
        count = walk(values[i], splits, kind, error, nodes, shares, blended, scratch)
        out[i, :] = 0.0
        for p in range(count):
            node = nodes[p]
            if splits.n_children[node] == 0:
                posterior(cells[i], prior[node], log_likelihood[place[node]], own)
                for k in range(n_classes):
                    out[i, k] += shares[p] * own[k]
