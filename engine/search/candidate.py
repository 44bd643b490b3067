"""What a search finds of one variable, and what a candidate and a grown node that is split have in common.

In: a variable, its gain, gate and threshold. Out: a `Candidate`, or the `Split` that both kinds of split are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class Candidate:
    """One variable's best split: its gain (METHODS §4, the known fraction included), gate and threshold.

    split_entropy : in bits, unknowns as one more part; worked out for the gain ratio only, NaN otherwise.
    """

    variable: int
    gain: float
    gate: int
    threshold: float = np.nan
    closed_le: bool = True
    split_entropy: float = np.nan


class Split(Protocol):
    """A candidate, or a growing node that is split."""

    @property
    def variable(self) -> int:
        """The split variable's column."""

    @property
    def gate(self) -> int:
        """BINARY, MIDDLE, NOMINAL or BINS."""

    @property
    def threshold(self) -> float:
        """In the variable's unit, NaN where there is none."""

    @property
    def closed_le(self) -> bool:
        """True: left iff x <= threshold; False: left iff x < threshold."""
