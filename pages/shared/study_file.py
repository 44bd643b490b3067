"""A comparison as one JSON file: variants, size, folds, seed and the results so far; opened again, it goes on.

In: what is compared and a study. Out: text; or from a text, checked, the same again. It holds no measured value.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import PenumbraError
from engine.recipe import DEFAULTS, VARIANTS, Recipe, refusal
from engine.study import Study
from engine.study_results import LONGEST
from pages.shared.choices import FACTORS, SIZE, Compared, Comparing

FORMAT, VERSION = "penumbra-comparison", 1
KINDS = ("compare", "training", "test")
UNREADABLE = (
    "This is no comparison that Penumbra saved, or it was cut short or altered. Choose a file saved by Compare."
)
MOST_VARIANTS, MOST_LEVELS, MOST_FOLDS = 26, 50, 100
HIGHEST_LEVEL = 10.0
BOUNDS = {
    "max_depth": (0, 50), "min_weight_leaf": (0, 1e9), "window": (0.5, 20), "resolution": (0.01, 1),
    "n_points": (2, 1000), "n_bootstraps": (1, 500), "n_bins": (2, 100),
}  # what the Tree page offers; beyond it a file could ask for trees that never end
KEPT = ("variants", "size", "folds", "repeats", "seed", "levels", "noisy", "noise_repeats")


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file holds: of which kind, what was compared, τ, and the results, None where there were none yet."""

    kind: str
    comparing: Comparing
    tau: float
    study: Study | None


def to_json(
    kind: str, comparing: Comparing, tau: float, study: Study | None, table: list[dict[str, Any]] | None = None
) -> str:
    """Return the file's text; `table` holds the figures for those who read it, and is worked out anew when opened."""
    head = {name: value for name, value in asdict(comparing).items() if name in KEPT} | {"table": table or []}
    text = json.dumps({"format": FORMAT, "version": VERSION, "kind": kind, "tau": tau, **head}, allow_nan=False)
    return f'{text[:-1]}, "study": {"null" if study is None else study.to_json()}}}'


def from_json(content: bytes) -> Saved:
    """Return what a file holds.

    Raises
    ------
    PenumbraError
        When it is no such file, is altered, of another version, or names settings that do not combine.
    """
    if len(content) > LONGEST:
        raise PenumbraError("The file is too long for a comparison and is not read.")
    try:
        record = json.loads(content.decode("utf-8"))
        if record["format"] != FORMAT:
            raise PenumbraError(UNREADABLE)
        version = _whole(record["version"], 0, 10**6)
        if version != VERSION:
            raise PenumbraError(f"The file has version {version}; this program reads {VERSION}. Run it again.")
        study = None if record["study"] is None else Study.from_json(json.dumps(record["study"]))
        return _checked(record, study)
    except PenumbraError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise PenumbraError(UNREADABLE) from error


def _checked(record: dict[str, Any], study: Study | None) -> Saved:
    variants = tuple(_variant(each) for each in record["variants"])
    size = None if record["size"] is None else _settings(record["size"])
    if not set(size or {}) <= set(SIZE):
        raise PenumbraError(UNREADABLE)
    levels = tuple(sorted({float(level) for level in record["levels"]}))
    noisy = tuple(_whole(place, 0, MOST_VARIANTS) for place in record["noisy"])
    tau = float(record["tau"])
    sound = (
        record["kind"] in KINDS
        and 1 <= len(variants) <= MOST_VARIANTS
        and 1 <= len(levels) <= MOST_LEVELS
        and all(0.0 <= level <= HIGHEST_LEVEL for level in levels)
        and 0.0 < tau <= 1.0
    )
    if not sound:
        raise PenumbraError(UNREADABLE)
    for one in variants:
        settings = VARIANTS[one.name] | (one.changes if one.kept else size or {})
        reason = refusal({name: value for name, value in settings.items() if name in DEFAULTS})
        if reason:
            raise PenumbraError(f"The file names settings that do not combine: {reason}.")
        Recipe(**settings)
    held = Comparing(
        variants=variants, size=size, levels=levels, noisy=noisy,
        folds=_whole(record["folds"], 2, MOST_FOLDS), repeats=_whole(record["repeats"], 1, MOST_FOLDS),
        seed=_whole(record["seed"], 0, 2**31), noise_repeats=_whole(record["noise_repeats"], 1, MOST_FOLDS),
    )  # fmt: skip
    return Saved(record["kind"], held, tau, study)


def _variant(held: dict[str, Any]) -> Compared:
    if held["name"] not in VARIANTS or not isinstance(held["kept"], bool):
        raise PenumbraError(UNREADABLE)
    return Compared(held["name"], _settings(held["changes"]), held["kept"])


def _settings(held: dict[str, Any]) -> dict[str, Any]:
    """Return settings whose names are the constructor's, each a plain value."""
    for name, value in held.items():
        if name not in DEFAULTS or name in ("decision", "tau", "cost", "abstain_cost") or isinstance(value, list):
            raise PenumbraError(UNREADABLE)
        if name in FACTORS and not (isinstance(value, (int, float)) and 0.0 <= value < 1e6):
            raise PenumbraError(UNREADABLE)
        low, high = BOUNDS.get(name, (-math.inf, math.inf))
        if isinstance(value, (int, float)) and not low <= value <= high:
            raise PenumbraError(f"The file sets {name} to {str(value)[:40]}; Penumbra takes {low:g} to {high:,.0f}.")
    return dict(held)


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise PenumbraError(UNREADABLE)
    return value
