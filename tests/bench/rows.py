"""Which rows of the bench are wanted, how long a piece of work takes, and how times are printed.

In: the words after `python -m tests.bench`. Out: seconds; printed rows.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def chosen(name: str) -> bool:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    return not words or any(word in name for word in words)


def times(name: str, took: list[float], bar: str) -> None:
    """Print the median and the 95th percentile of some times in seconds."""
    median, late = 1000 * statistics.median(took), 1000 * float(np.quantile(took, 0.95))
    print(f"{name:<58} {median:>10.1f} ms {late:>8.0f} ms at 95 %   bar {bar}", flush=True)
