"""Labels and sentences about measurement error.

In: what is stated of a variable's σ, the fitted tree, its training patients. Out: text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.number_words import error_text
from engine.tree import BINS, NOMINAL, Tree
from pages.shared.words import listing, number, opening, part, plural

Floats = NDArray[np.float64]
NOTHING_UNCERTAIN = "Nothing is uncertain yet"
FORM_LABELS = {
    "exact": "exact",
    "sd": "SD, fixed",
    "of_mean": "% of mean",
    "of_sd": "% of SD",
    "of_range": "% of range",
    "cv": "CV, %",
    "sd+cv": "SD and CV",
    "misrecord": "misrecorded, %",
}
FORM_MEANINGS = (
    "How the error is stated: a fixed SD in the unit, a part of the training mean, SD or range, "
    "or as a laboratory states it, in proportion to the reading (CV), with or without a fixed part."
)
SHAPE_LABELS = {"normal": "normal", "uniform": "uniform", "laplace": "Laplace", "logistic": "logistic"}
FACTOR_LABELS = {"u_s": "Search", "u_p": "Propagation", "u_e": "Evaluation"}
SIGMA_TABLE = "One line a variable: variable, form, value, percent, unit, shape, source. The download has this form."
FACTOR = "Multiplies every σ, whatever its form; misrecording is not scaled."
PERCENT_OF = {
    "of_mean": "% of mean",
    "of_sd": "% of SD",
    "of_range": "% of range",
    "cv": "% CV",
    "sd+cv": "% CV",
    "misrecord": "%",
}
NOISE_HEADS = (
    "Variable",
    "Training patients, σ as a bell, thresholds of this tree",
    "Within 1.96 σ of a threshold",
    "σ: form, value, unit, shape of the error",
)
NO_SOURCES = (
    "Every variable is taken as exact. A σ should come from a device's sheet, a laboratory, or repeated readings."
)
UNFIT = "No tree can be fitted with this σ"
UNFIT_UNDER = "Change the statement that is refused, set it to exact, or undo."
ALL_ALIKE = "Every measured variable gets the same statement; categories and sources stay as they are."


def larger_noise(now: float, doubled: float) -> str:
    """Return in words what the curve of larger noise shows."""
    near = f"{part(now, 1)} of patients near a threshold now, {part(doubled, 1)} with every σ doubled"
    return f"Curve that rises with σ: {near}."


def sigma(stated: Any, unit: str) -> str:
    """Return one variable's σ in short."""
    if stated is None or not stated.noisy:
        return "exact"
    fixed, share = error_text(number(stated.value), unit), number(stated.percent)
    return {
        "sd": fixed,
        "of_mean": f"± {share} % of mean",
        "of_sd": f"± {share} % of SD",
        "of_range": f"± {share} % of range",
        "cv": f"CV {share} %",
        "sd+cv": f"{fixed}, CV {share} %",
        "misrecord": f"{share} % misrecorded",
    }[stated.form]


def factors(values: Mapping[str, float]) -> str:
    """Return by what the stated σ are multiplied in each use: "σ in search times 1, in propagation times 1"."""
    return "σ " + ", ".join(f"in {FACTOR_LABELS[name].lower()} times {number(x)}" for name, x in values.items())


def put_aside(names: Sequence[str]) -> str:
    """Return whose σ does not fit the column's present role."""
    more = f" and {plural(len(names) - 3, 'other')}" if len(names) > 3 else ""
    return (
        f"The σ stated of {listing([f'“{name}”' for name in names[:3]])}{more} does not fit the present role "
        "(a category is misrecorded, a measured variable has everything else): it is put aside, and they are exact."
    )


def used_in(evaluation: str) -> str:
    if evaluation == "hard":
        return "Evaluation is hard here, so its noise speaks only of stability."
    return "Each use of σ may have its own factor."


def spread(values: Floats, unit: str) -> str:
    """Return a variable's mean and range."""
    known = values[~np.isnan(values)]
    if not len(known):
        return "no known value"
    after = f" {unit}" if unit else ""
    return f"mean {number(known.mean())}{after}, {number(known.min())} to {number(known.max())}"


def sigma_size(sigma: float, values: Floats) -> str:
    """Return σ at the mean beside the variable's mean and SD."""
    known = values[~np.isnan(values)]
    mean, sd = abs(float(known.mean())), float(known.std())
    parts = [f"σ {number(sigma, 3)} at the mean"]
    parts += [f"{number(100 * sigma / mean, 2)} % of mean"] if mean > 0.1 * sd else []
    parts += [f"{number(100 * sigma / sd, 2)} % of SD"] if sd > 0 else []
    return ", ".join(parts)


def near(tree: Tree, told: Evidence, nodes: Sequence[int], noisy: bool) -> list[tuple[str, str, str]] | str:
    """Return, for each threshold of a variable, how many of the node's patients are within 1.96 σ; or why nobody is."""
    if not nodes:
        return "not used by this tree"
    if tree.gate[nodes[0]] in (NOMINAL, BINS):
        return "a category: no threshold" if tree.gate[nodes[0]] == NOMINAL else "cut into bins"
    if not noisy:
        return "nobody: taken as exact"
    rows = []
    for node in sorted(nodes, key=lambda node: tree.threshold[node]):
        parts = told.split_counts(node)
        inside, n = parts.n[1], sum(parts.n)
        rows.append((told.threshold_text(node), f"{inside:,} of {n:,}", part(inside, n)))
    return rows


def noise_heading(shares: dict[str, float], together: float, n: int) -> tuple[str, str]:
    """Return the Noise page's finding and the line under it; `shares` by variable, the largest first."""
    if not shares:
        return (
            NOTHING_UNCERTAIN,
            "Every measurement is taken as exact. State how much a reading would differ if it were taken again.",
        )
    name, share = next(iter(shares.items()))
    if together == 0:
        return (
            "No patient is near a threshold",
            "No reading of the training data, measured again, would be likely to fall on the other side.",
        )
    rest = (
        f"{round(together * n):,} of {n:,} have a reading that, measured again, could fall on the other side "
        "of a threshold on their own path."
    )
    together_words = (
        f"With the others it is {part(round(together * n), n)}: " if round(together * n) > round(share * n) else ""
    )
    return f"{opening(name)} noise puts {part(round(share * n), n)} of patients near a threshold", together_words + rest
