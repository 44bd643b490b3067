"""What can be set in each lesson: how it begins, what it may be, and how a link writes it and is read.

In: text from a link, or a value from a control. Out: values that a lesson takes, None for what it does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine import lessons
from pages.shared import state

LONGEST = 200  # letters of a setting in a link
MOST_OPEN = 12
MOST_SEEDS = 9999
CLOSEST_CUTS = 2.0
CLASSES = "AB"


@dataclass(frozen=True)
class Setting:
    """One thing of a lesson that can be set.

    `called` names it in a sentence. `read` returns the value that a link's text states, None when it states none that
    the lesson takes; `write` is its other side.
    """

    called: str
    default: Any
    read: Callable[[str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True)
class Span(Setting):
    """A number from `low` to `high` in steps of `step`."""

    low: float
    high: float
    step: float


def numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a list with commas, none when something in it is no number."""
    try:
        found = tuple(float(part) + 0.0 for part in text.split(","))
    except ValueError:
        return ()
    return found if all(map(math.isfinite, found)) else ()


def span(called: str, low: float, high: float, step: float, default: float) -> Span:
    """Return a number between two ends; a link's is put on the nearest step."""

    def read(text: str) -> float | None:
        found = numbers(text)
        if len(found) != 1 or not low <= found[0] <= high:
            return None
        return round(low + step * round((found[0] - low) / step), 6)

    return Span(called, default, read, "{:g}".format, low, high, step)


def pick(called: str, options: dict[str, Any], default: Any) -> Setting:
    """Return a choice among `options`, by how a link writes each."""
    written = {value: text for text, value in options.items()}
    return Setting(called, default, options.get, written.__getitem__)


def listed(numbers_: tuple[float, ...]) -> str:
    """Return numbers as a list with commas."""
    return ",".join(f"{x:g}" for x in numbers_)


def four(text: str) -> tuple[float, ...] | None:
    """Read four points to one decimal."""
    found = tuple(round(x, 1) + 0.0 for x in numbers(text) if abs(x) <= lessons.REACH)
    return found if len(found) == len(lessons.CLEAN) == text.count(",") + 1 else None


def two_cuts(text: str) -> tuple[float, ...] | None:
    """Read two thresholds, far enough apart."""
    found = tuple(float(round(x)) for x in numbers(text) if CUTS[0] <= x <= CUTS[1])
    apart = len(found) == 2 == text.count(",") + 1 and found[1] - found[0] >= CLOSEST_CUTS
    return found if apart else None


def added(text: str) -> tuple[tuple[float, float, int], ...] | None:
    """Read patients added to the moons: "0.5,-0.2,A;1,0,B"; an empty text is none of them."""
    found = []
    for part in text.split(";") if text else ():
        place, _, name = part.rpartition(",")
        at = numbers(place)
        if len(at) != 2 or name not in tuple(CLASSES):
            return None
        found.append((round(at[0], 1) + 0.0, round(at[1], 1) + 0.0, CLASSES.index(name)))
    return tuple(found) if lessons.may_be_added(tuple(found)) else None


def write_added(value: tuple[tuple[float, float, int], ...]) -> str:
    """Write patients added to the moons."""
    return ";".join(f"{a:g},{u:g},{CLASSES[k]}" for a, u, k in value)


def placed(text: str) -> dict[int, int] | None:
    """Read where patients without a label were dragged: one letter each, A, B or - for open."""
    where = {"A": -1, "-": 0, "B": 1}
    if len(text) > MOST_OPEN or any(letter not in where for letter in text):
        return None
    return {k: where[letter] for k, letter in enumerate(text) if where[letter]}


def write_placed(value: dict[int, int]) -> str:
    """Write where patients without a label were dragged."""
    return "".join("A-B"[value.get(k, 0) + 1] for k in range(max(value, default=-1) + 1))


CUTS = (80.0, 220.0)
STATES = {"true": lessons.TRUE, "unknown": lessons.UNKNOWN, "false": lessons.FALSE}
SETTINGS: dict[str, dict[str, Setting]] = {
    "points": {
        "set": pick("set of points", {name: name for name in ("clean", "noisy", "yours")}, "noisy"),
        "points": Setting("points", lessons.NOISY, four, listed),
        "sigma": span("σ", 0.1, 3.0, 0.1, 1.6),
    },
    "order": {
        "sigma": span("σ", 0.1, 8.0, 0.1, 2.0),
        "draws": pick("number of pairs", {"100": 100, "1000": 1000, "10000": 10000}, 1000),
        "seed": pick("simulation", {str(seed): seed for seed in range(1, MOST_SEEDS + 1)}, 1),
    },
    "missed": {
        "reading": span("reading", 15.0, 60.0, 1.0, 33.0),
        "sigma": span("σ", 0.5, 10.0, 0.5, 5.0),
        "depth": pick("depth", {"1": 1, "2": 2, "3": 3}, 1),
    },
    "moons": {
        "zone": pick("zone", {zone: zone for zone in lessons.ZONES}, "gain_ratio"),
        "routing": pick("routing", {routing: routing for routing in lessons.ROUTINGS}, "zone"),
        "added": Setting("patients added", (), added, write_added),
    },
    "verdict": {
        f"split{place}": pick(f"state of split {place + 1}", STATES, state_)
        for place, state_ in enumerate((lessons.TRUE, lessons.TRUE, lessons.UNKNOWN))
    },
    "open": {
        **{
            name: pick(called, {str(n): n for n in range(least, MOST_OPEN + 1)}, default)
            for name, called, least, default in (
                ("first", "number in class A", 0, 6), ("second", "number in class B", 0, 2),
                ("open", "number without a label", 1, 4),
            )
        },
        "placed": Setting("places of the open labels", {}, placed, write_placed),
    },
    "abstention": {"tau": span("τ", 0.5, 1.0, 0.01, 0.7)},
    "tests": {
        "rule": pick("rule", {rule: rule for rule in lessons.RULES}, "differ"),
        "follow": span("part for whom the rule holds", 50.0, 100.0, 5.0, 100.0),
    },
    "repeated": {
        "reading": span("reading", 60.0, 240.0, 1.0, 150.0),
        "sigma": span("σ", 1.0, 40.0, 1.0, 20.0),
        "cuts": Setting("thresholds", (140.0, 160.0), two_cuts, listed),
    },
}  # fmt: skip


def held(lesson: str, name: str) -> Any:
    """Return what the reader set, or how the lesson begins."""
    return state.learning().settings.get((lesson, name), SETTINGS[lesson][name].default)


def all_of(lesson: str) -> dict[str, Any]:
    """Return everything that is set in a lesson, by name."""
    return {name: held(lesson, name) for name in SETTINGS[lesson]}
