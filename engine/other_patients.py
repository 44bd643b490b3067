"""Patients the tree was not grown on, laid over it: how many come to each node, and how its leaves do for them.

In: a fitted tree, how the fit sent its own patients down, encoded patients and what is known of their labels.
Out: `OtherPatients`: counts that add up, class shares, each leaf's answer beside its training range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence, evidence, round_to_total
from engine.leaves import probability_range
from engine.noise import ResolvedNoise
from engine.route import propagated
from engine.tree import Tree

Floats = NDArray[np.float64]
SLACK = 1e-9


@dataclass(frozen=True)
class Compared:
    """A leaf's answer for the other patients beside the training patients.

    Attributes
    ----------
    classes : places of the classes compared: those of the answer, the most frequent one where the leaf abstains.
    labelled : weight of the other patients there whose class is known. share : their share of `classes`, NaN for none.
    training, low, high : the training share and its 95 % Clopper–Pearson range.
    outside : the share lies outside that range.
    """

    classes: tuple[int, ...]
    labelled: float
    share: float
    training: float
    low: float
    high: float
    outside: bool


@dataclass(frozen=True, eq=False)
class OtherPatients:
    """Other patients at every node; `told` holds their weight, classes and readings as for training patients.

    Attributes
    ----------
    told : an `Evidence` over these patients; only what is theirs is read from it.
    judged : whether shares may be held against the training shares; not where the fit weighed classes.
    """

    told: Evidence
    judged: bool = True

    @property
    def tree(self) -> Tree:
        """The tree they are laid over."""
        return self.told.tree

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.told.weights)

    @property
    def labelled(self) -> int:
        """How many of them have a known class."""
        return int((self.told.label_weights.sum(axis=1) > 0).sum())

    @property
    def weight(self) -> Floats:
        """(N,) patients at each node, in parts where the tree shares them."""
        return self.told.weight

    @property
    def class_weight(self) -> Floats:
        """(N, K) those with a known class, by class."""
        return self.told.class_weight

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """(N,) whole patients at each node, rounded so that children add up to their parent."""
        counts = np.zeros(self.tree.n_nodes, dtype=np.int64)
        counts[0] = self.n
        for node in range(self.tree.n_nodes):
            below = list(self.tree.children(node))
            if below:
                counts[below] = round_to_total(self.weight[below], int(counts[node]))
        counts.setflags(write=False)
        return counts

    @property
    def fractional(self) -> bool:
        """Whether some leaf holds parts of patients."""
        held = self.weight[self.tree.leaves]
        return bool(np.any(np.abs(held - np.round(held)) > 1e-6))

    def split_counts(self, node: int) -> tuple[int, int, int, int]:
        """Return whole patients left of the blend range, in it, right of it, missing; they add up to the node's."""
        parts = self.told.split_counts(node)
        left, inside, right, missing = round_to_total(
            [parts.left, parts.zone, parts.right, parts.missing], int(self.count[node])
        )
        return left, inside, right, missing

    def compare(self, leaf: int, answer: Any) -> Compared | None:
        """Return how a leaf's answer does; None for a naive Bayes leaf, which answers each patient on their own.

        Parameters
        ----------
        leaf : a leaf's node. answer : its own answer: a class, None (abstains) or a set of classes.
        """
        tree = self.tree
        if tree.has_bayes:
            return None
        if answer is None:
            places: tuple[int, ...] = (int(np.argmax(tree.probability[leaf])),)
        else:
            members = answer if isinstance(answer, (set, frozenset)) else {answer}
            places = tuple(k for k, label in enumerate(tree.classes) if label in members)
        known, mine = float(self.class_weight[leaf].sum()), float(self.class_weight[leaf, list(places)].sum())
        whole, own = float(tree.weight[leaf]), float(tree.class_weight[leaf, list(places)].sum())
        low, high, _ = probability_range(own, whole, float(tree.weight_squared[leaf]))
        share = mine / known if known > SLACK else float("nan")
        training = own / whole if whole > 0 else float("nan")
        outside = self.judged and known > SLACK and whole > 0 and not low - SLACK <= share <= high + SLACK
        return Compared(places, known, share, training, low, high, bool(outside))


def lay_over(
    tree: Tree,
    values: Floats,
    labels: Sequence[Any],
    kind: str,
    noise: ResolvedNoise,
    floor: float,
    evaluation: ResolvedNoise,
    judged: bool = True,
) -> OtherPatients:
    """Send other patients down the tree as the fit sent its own, one unit of weight each.

    Parameters
    ----------
    values : (n, M) encoded values, NaN missing. labels : (n,) a class, or None where it is not known.
    kind, noise, floor : the fit's propagation gate, its noise and its weight floor.
    evaluation : the noise by which blend ranges are drawn.
    """
    place = {label: k for k, label in enumerate(tree.classes)}
    weights, mix = np.ones(len(values)), np.zeros((len(values), len(tree.classes)))
    for row, label in enumerate(labels):
        if label is not None:
            mix[row, place[label]] = 1.0
    columns = np.ascontiguousarray(values.T)
    share = propagated(tree, columns, weights, kind, noise, floor)
    return OtherPatients(evidence(tree, values, mix, weights, share, evaluation), judged)


def answered_right(answers: Sequence[Any], labels: Sequence[Any]) -> tuple[int, int, int, int]:
    """Return how many were answered, how many have a known class, how many of those were answered, and rightly.

    An answer of several classes is right when the true one is among them.
    """
    known = [(answer, label) for answer, label in zip(answers, labels, strict=True) if label is not None]
    right = sum(
        label in answer if isinstance(answer, (set, frozenset)) else answer is not None and bool(answer == label)
        for answer, label in known
    )
    told = sum(answer is not None for answer, _ in known)
    return sum(answer is not None for answer in answers), len(known), told, right
