"""Cross-validation folds: seeded, and with every label spread evenly.

In: label codes of the patients, how many folds. Out: each patient's fold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import PenumbraError


def stratified_folds(code: NDArray[np.integer[Any]], n_folds: int, random_state: Any) -> NDArray[np.int64]:
    """Return each patient's fold (n,): shuffled, then dealt out label by label, so that folds differ by one at most.

    Parameters
    ----------
    code : (n,) label codes. n_folds : at least 2; n where there are fewer patients. random_state : a seed.
    """
    if n_folds < 2:
        raise PenumbraError(f"folds is {n_folds}; cross-validation needs at least 2.")
    shuffled = np.random.default_rng(random_state).permutation(len(code))
    dealt = shuffled[np.argsort(code[shuffled], kind="stable")]
    fold = np.empty(len(code), dtype=np.int64)
    fold[dealt] = np.arange(len(code)) % min(n_folds, len(code))
    return fold
