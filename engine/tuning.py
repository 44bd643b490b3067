"""Numbers chosen by cross-validation: pruning confidence, zone factors.

In: an unfitted choice and training data. Out: the chosen number. None is built yet; each says so.
"""

from __future__ import annotations

from typing import Any

from engine.errors import not_built


def confidence_for_leaves(X: Any, y: Any, target: int = 15) -> float:
    """Refuse: the search for a pruning confidence by leaf count is not built yet."""
    raise not_built("confidence_for_leaves")
