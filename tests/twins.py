"""Mark a test as the one that compares kernels with their naive twins.

In: names of kernels. Out: the test, unchanged; test_kernels.py reads the names from the files.
"""

from __future__ import annotations


def twin(*kernels):
    """Say which kernels a test compares with a naive twin."""
    return lambda test: test
