"""Sums of shifted normal CDFs on a uniform grid, as a convolution over its cells; the soft search's fast way.

In: patients' values, labels and weights, one σ, a grid. Out: the weight left of every grid point, by label code.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

from engine import kernels
from engine.kernels import FINE, TAPS

Floats = NDArray[np.float64]
REACH = 7.2  # |z| beyond which the normal CDF is 0 or 1 to 1e-12
TOLERANCE = 2e-10  # of one patient's weight
FIRST_HALF = 1.25  # σ of the first half of a screen's error, in lattice spacings
HALF_REACH = 6.2  # |z| of its second half beyond which nothing is summed
WIDEST_LATTICE = 0.5  # σ between the lattice points of a screen
MOST_ORDERS = 12
LONG = 256  # grid points from which a Fourier transform is the faster convolution
SIZES = sorted({base << shift for base in (2, 3) for shift in range(6, 24)})


def orders_for(width: float) -> int:
    """Return how many powers of a patient's distance from its cell the tolerance asks for, 0 when over 12.

    Parameters
    ----------
    width : of a cell in σ; a patient is at most half of it away. The bound on the normal CDF's derivatives is Cramér's,
        1.09·sqrt((p - 1)!/2π).
    """
    term = 0.5 * width * 1.09 / math.sqrt(2.0 * math.pi)
    for p in range(1, MOST_ORDERS + 1):
        if term < TOLERANCE:
            return p
        term *= 0.5 * width * math.sqrt(p) / (p + 1)
    return 0


def cell_reach(width: float) -> int:
    """Return how many cells of `width` σ a patient's noise reaches on either side."""
    return math.ceil(REACH / width)


def left_weights(
    rows: NDArray[np.int32], column: Floats, label: NDArray[np.int32], weight: Floats, n_codes: int, sigma: float,
    start: float, step: float, count: int,
) -> Floats:  # fmt: skip
    """Return (n_codes, count) the weight left of start + k·step under normal noise: Σ w·F((τ - x)/σ). METHODS §4

    Each patient is laid down in the nearest cell by the powers of its distance, and the cells are combined by the CDF's
    derivatives at whole cells; exact to about 1e-10 of each patient's weight.

    Parameters
    ----------
    rows : (n,) the patients, all with a value from the grid's first point to its last. column, label, weight : (N,).
    """
    width = step / sigma
    orders, reach = orders_for(width), cell_reach(width)
    laid = kernels.cell_weights(rows, column, label, weight, sigma, start, step, orders, n_codes, count)
    if count < LONG:
        left: Floats = kernels.cell_left(laid, kernels.cell_kernel(reach, width, orders), reach)
        return left
    size = next(size for size in SIZES if size >= count + 2 * reach + 1)
    near = fft.irfft((fft.rfft(laid, size) * kernel_spectrum(reach, width, orders, size)).sum(axis=1), size)
    left = np.ascontiguousarray(near[:, reach : reach + count])
    left[:, reach + 1 :] += np.cumsum(laid[:, 0, : max(0, count - reach - 1)], axis=1)
    return left


def lattice_ratio(resolution: float) -> int:
    """Return how many grid steps of `resolution` σ a screen's lattice is wide; 0 for a grid wider than it may be."""
    return math.floor(WIDEST_LATTICE / resolution + kernels.GRID_SLACK)


@lru_cache(maxsize=16)
def lattice_tables(resolution: float) -> tuple[Floats, Floats]:
    """Return the tables by which patients are laid on a screen's lattice, and by which it is read at the grid."""
    return laying_table(), reading_table(lattice_ratio(resolution), resolution)


def laying_table() -> Floats:
    """Return (FINE + 3, TAPS): how the first half of a normal error shares a patient among lattice points.

    Row 1 + f is for a patient f/FINE of a spacing above a lattice point; column TAPS/2 - 1 is that point's.
    """
    fine, taps = np.arange(FINE + 3)[:, None], np.arange(TAPS)
    away = (taps - (TAPS // 2 - 1) - (fine - 1) / FINE) / FIRST_HALF
    table: Floats = np.exp(-0.5 * away * away) / (FIRST_HALF * math.sqrt(2.0 * math.pi))
    return table


def reading_table(ratio: int, resolution: float) -> Floats:
    """Return (ratio, 2·reach) the CDF of the second half of a normal error, by which lattice points are summed up.

    `ratio` grid steps of `resolution` σ are one lattice spacing. Row t is for a grid point t steps above a lattice
    point; its columns are the lattice points 1 - reach … reach spacings above that one.
    """
    spacing = ratio * resolution
    sigma = math.sqrt(1.0 - (FIRST_HALF * spacing) ** 2)
    reach = 2 * math.ceil(0.5 * HALF_REACH * sigma / spacing)
    points = np.arange(ratio)[:, None] / ratio - (np.arange(2 * reach) + 1 - reach)
    table: Floats = special.ndtr(points * spacing / sigma)
    return table


@lru_cache(maxsize=64)
def kernel_spectrum(reach: int, width: float, orders: int, size: int) -> NDArray[Any]:
    """Return (orders, size/2 + 1) the Fourier transforms of `kernels.cell_kernel`."""
    spectrum: NDArray[Any] = fft.rfft(kernels.cell_kernel(reach, width, orders)[:orders], size)
    return spectrum
