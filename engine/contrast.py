"""Two trees set against each other: where their splits differ, and where they answer the same patient differently.

In: two fitted trees with the patients' values, two lists of answers. Out: marks by node, counts of answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError
from engine.tree import BINARY, MIDDLE, Tree

MOVED, OTHER, MORE = "moved", "other", "more"
Place = tuple[int, ...]


@dataclass(frozen=True)
class SplitDifferences:
    """Where a tree splits otherwise than the reference does at the same place on the path.

    Attributes
    ----------
    marks : {node of the tree: MOVED, another threshold of the same variable; OTHER, another variable or another kind of
        split; MORE, a split where the reference has a leaf or no such place}.
    fewer : splits of the reference at places where the tree has none.
    """

    marks: dict[int, str]
    fewer: int

    @property
    def none(self) -> bool:
        """Whether the two trees split alike everywhere."""
        return not self.marks and not self.fewer

    def count(self, mark: str) -> int:
        """Return how many splits carry a mark."""
        return sum(each == mark for each in self.marks.values())


def splits_by_place(tree: Tree) -> Iterator[tuple[Place, int]]:
    """Yield every split with its place: which child was taken at each step from the root."""
    waiting: list[tuple[Place, int]] = [((), 0)]
    while waiting:
        place, node = waiting.pop()
        children = tree.children(node)
        if children:
            yield place, node
            waiting.extend(((*place, k), child) for k, child in enumerate(children))


def split_differences(reference: Tree, other: Tree, values: Any) -> SplitDifferences:
    """Return where the second tree's splits differ from the first's.

    Parameters
    ----------
    values : (n, M) encoded training values, NaN missing, in the order of the trees' variables. Two thresholds that
        send every one of them the same way count as the same: a midpoint and a value between the same two patients.

    Raises
    ------
    PenumbraError
        When the trees are not of the same variables.

    Examples
    --------
    >>> from engine import variant
    >>> X, y = [[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"]
    >>> middle, upper = (variant("CART", threshold=t).fit(X, y).tree_ for t in ("midpoint", "value"))
    >>> split_differences(middle, upper, X)
    SplitDifferences(marks={}, fewer=0)
    """
    if reference.variables != other.variables:
        raise PenumbraError("The two trees ask different variables; set trees of the same data against each other.")
    columns = np.asarray(values, dtype=np.float64)
    first, second = dict(splits_by_place(reference)), dict(splits_by_place(other))
    marks = {}
    for place, node in second.items():
        mark = MORE if place not in first else _difference(reference, first[place], other, node, columns)
        if mark:
            marks[node] = mark
    return SplitDifferences(marks, len(set(first) - set(second)))


def _difference(one: Tree, a: int, two: Tree, b: int, columns: NDArray[np.float64]) -> str:
    """Return how two splits at the same place differ, "" when they send every patient the same way."""
    if one.variable[a] != two.variable[b] or one.gate[a] != two.gate[b]:
        return OTHER
    if one.gate[a] not in (BINARY, MIDDLE):
        codes = ([int(tree.code[child]) for child in tree.children(node)] for tree, node in ((one, a), (two, b)))
        return "" if len({tuple(each) for each in codes}) == 1 else MOVED
    column = columns[:, int(one.variable[a])]
    known = column[~np.isnan(column)]
    return "" if all(map(np.array_equal, _parts(one, a, known), _parts(two, b, known))) else MOVED


def _parts(tree: Tree, node: int, known: NDArray[np.float64]) -> list[NDArray[np.bool_]]:
    """Return which values lie left of each edge: of the threshold, or of a middle child's two edges."""
    if tree.gate[node] == MIDDLE:
        return [known <= tree.low[node], known <= tree.high[node]]
    threshold = tree.threshold[node]
    return [known <= threshold if tree.closed_le[node] else known < threshold]


def shown_answers(classes: Sequence[Any], answers: Sequence[Any]) -> list[Any]:
    """Return the answers that a matrix has rows for: every class, None for no answer, then sets of several classes."""
    several = dict.fromkeys(a for a in answers if isinstance(a, frozenset) and len(a) > 1)
    return [*classes, None, *sorted(several, key=lambda each: [classes.index(c) for c in classes if c in each])]


def answer_matrix(first: Sequence[Any], second: Sequence[Any], shown: Sequence[Any]) -> NDArray[np.int64]:
    """Return how many patients got each pair of answers (A, A), rows by the first; `shown` are the A answers.

    Examples
    --------
    >>> answer_matrix(["ill", None], ["ill", "well"], ["ill", "well", None]).tolist()
    [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    """
    place = {answer: k for k, answer in enumerate(shown)}
    table = np.zeros((len(shown), len(shown)), dtype=np.int64)
    for a, b in zip(first, second, strict=True):
        table[place[a], place[b]] += 1
    return table


def rows_between(first: Sequence[Any], second: Sequence[Any], one: Any, other: Any) -> NDArray[np.int64]:
    """Return the places of the patients to whom the first says `one` and the second `other`."""
    both = enumerate(zip(first, second, strict=True))
    return np.array([k for k, (a, b) in both if a == one and b == other], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Disagreement:
    """How two models' answers to the same patients agree.

    Attributes
    ----------
    shown : A answers, as `shown_answers` has them. counts : (A, A) patients, rows by the first model's answer.
    alike, differ : patients with the same answer from both, and with two. opposite : of those who differ, patients to
        whom both give an answer, each another.
    """

    shown: list[Any]
    counts: NDArray[np.int64]
    alike: int
    differ: int
    opposite: int

    def rows(self, names: Sequence[str], first: str, second: str) -> list[dict[str, Any]]:
        """Return the counts as rows, one a pair of answers; `names` are the answers in words."""
        k = range(len(self.shown))
        return [{first: names[i], second: names[j], "patients": int(self.counts[i, j])} for i in k for j in k]


def disagreement_of(first: Sequence[Any], second: Sequence[Any], classes: Sequence[Any]) -> Disagreement:
    """Return how two models' answers to the same n patients agree.

    Examples
    --------
    >>> found = disagreement_of(["ill", "ill", None], ["ill", "well", "well"], ["ill", "well"])
    >>> found.alike, found.differ, found.opposite
    (1, 2, 1)
    """
    shown = shown_answers(classes, [*first, *second])
    counts = answer_matrix(first, second, shown)
    alike = int(counts.trace())
    opposite = sum(a != b and a is not None and b is not None for a, b in zip(first, second, strict=True))
    return Disagreement(shown, counts, alike, len(first) - alike, opposite)
