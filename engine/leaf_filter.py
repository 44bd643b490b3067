"""Which leaves a reader asked to see: by support, by the best class's P, and by what they answer.

In: a finished tree, its leaves' answers, the reader's wishes. Out: the leaves that do not pass and why, and counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tree import REST, Tree

ANY, ABSTAINS, SEVERAL, NAMES = "any", "abstains", "several", "names"
PATIENTS, PERCENT = "patients", "percent"
FEW, UNSURE, OTHER = "few", "unsure", "other"  # why a leaf does not pass
SLACK = 1e-9


@dataclass(frozen=True)
class LeafFilter:
    """What a leaf must have to pass; the default lets every leaf pass.

    Attributes
    ----------
    least, least_of : patients in the leaf, in `PATIENTS` or as `PERCENT` of the root's.
    surely : P of the best class, at least. answers : `ANY`, `ABSTAINS`, `SEVERAL` (a set of classes), or `NAMES`.
    named : with `NAMES`, the class that the answer is or, in a set, may be.
    """

    least: float = 0.0
    least_of: str = PATIENTS
    surely: float = 0.0
    answers: str = ANY
    named: Any = None

    @property
    def idle(self) -> bool:
        """Whether every leaf passes whatever it holds."""
        return self.least <= 0 and self.surely <= 0 and self.answers == ANY


@dataclass(frozen=True)
class Passing:
    """How many grown leaves pass, of how many, and how many whole patients are in them, of how many."""

    leaves: int
    of_leaves: int
    patients: int
    of_patients: int


def failing(tree: Tree, answers: Sequence[Any], wanted: LeafFilter) -> dict[int, str]:
    """Return the leaves (as nodes) that do not pass and why: `FEW`, `UNSURE` or `OTHER`, the first that holds.

    Parameters
    ----------
    answers : each leaf's own answer in tree order. wanted : in a tree with naive Bayes leaves, which say nothing before
        there is a patient, only support is asked.
    """
    whole = float(tree.weight[0])
    least = wanted.least if wanted.least_of == PATIENTS else wanted.least / 100.0 * whole
    found = {}
    for leaf, answer in zip(map(int, tree.leaves), answers, strict=True):
        if tree.weight[leaf] < least - SLACK:
            found[leaf] = FEW
        elif not tree.has_bayes and float(tree.probability[leaf].max()) < wanted.surely - SLACK:
            found[leaf] = UNSURE
        elif not tree.has_bayes and not answers_as(answer, wanted):
            found[leaf] = OTHER
    return found


def answers_as(answer: Any, wanted: LeafFilter) -> bool:
    """Return whether an answer is of the wanted sort."""
    several = isinstance(answer, (set, frozenset))
    if wanted.answers == ABSTAINS:
        return answer is None
    if wanted.answers == SEVERAL:
        return several and len(answer) > 1
    if wanted.answers == NAMES:
        return wanted.named in answer if several else answer is not None and bool(answer == wanted.named)
    return True


def passing(tree: Tree, count: NDArray[np.int64], failed: Mapping[int, str]) -> Passing:
    """Return what passes; `count` (N,) are whole patients by node. A leaf of values without a branch is not counted."""
    shown = [int(leaf) for leaf in tree.leaves if int(leaf) not in failed]
    grown = [int(leaf) for leaf in tree.leaves if tree.code[leaf] != REST]
    return Passing(
        sum(leaf not in failed for leaf in grown), len(grown), int(count[shown].sum()), int(count[0])
    )


def set_back(tree: Tree, failed: Mapping[int, str]) -> frozenset[int]:
    """Return every node under which no leaf passes, the failed leaves themselves among them."""
    back = [False] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        below = tree.children(node)
        back[node] = all(back[child] for child in below) if len(below) else node in failed
    return frozenset(node for node, held in enumerate(back) if held)
