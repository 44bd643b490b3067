"""A lesson's figure as it is set now: what the engine finds, and its picture, covered or not.

In: this session's settings of a lesson. Out: results of `engine.lessons`, SVG text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import lessons
from engine.draw import lesson_charts as charts
from engine.draw import lesson_maps as maps
from pages.shared.learn_settings import held

WIDE, SMALL, BESIDE = 640, 344, 300


def the_points() -> tuple[float, ...]:
    """Return the four points of the present set."""
    which = held("points", "set")
    return {"clean": lessons.CLEAN, "noisy": lessons.NOISY}.get(which) or held("points", "points")


def points() -> lessons.FourPoints:
    return lessons.four_points(the_points(), held("points", "sigma"))


def order() -> lessons.Order:
    return lessons.two_points(held("order", "sigma"), held("order", "draws"), held("order", "seed"))


def missed() -> lessons.Missed:
    return lessons.missed(held("missed", "reading"), held("missed", "sigma"), held("missed", "depth"))


def moons() -> lessons.Moons:
    return lessons.two_moons(held("moons", "zone"), held("moons", "routing"), held("moons", "added"))


def verdict() -> lessons.Verdict:
    return lessons.verdict((held("verdict", "split0"), held("verdict", "split1"), held("verdict", "split2")))


def open_places() -> list[int]:
    """Return where each patient without a label stands: -1 in class A, 0 open, 1 in class B."""
    placed = held("open", "placed")
    return [placed.get(k, 0) for k in range(held("open", "open"))]


def open_labels() -> lessons.Orthopartition:
    where = open_places()
    first, second = held("open", "first") + where.count(-1), held("open", "second") + where.count(1)
    return lessons.orthopartition(first, second, where.count(0))


def abstention() -> lessons.Abstention:
    return lessons.abstention(round(held("abstention", "tau"), 2))


def tests() -> lessons.TwoTests:
    return lessons.two_tests(held("tests", "rule"), held("tests", "follow") / 100)


def repeated() -> lessons.Repeated:
    return lessons.repeated(held("repeated", "reading"), held("repeated", "sigma"), *held("repeated", "cuts"))


def _points_svg(hidden: bool, wide: float) -> str:
    return charts.four_points_svg(points(), hidden, held("points", "set") == "noisy", wide)


def _open_svg(hidden: bool, wide: float) -> str:
    return maps.orthopartition_svg(open_labels(), open_places(), hidden, wide)


def _drawn(draw: Callable[[Any, bool, float], str], found: Callable[[], Any]) -> Callable[[bool, float], str]:
    return lambda hidden, wide: draw(found(), hidden, wide)


PICTURES: dict[str, Callable[[bool, float], str]] = {
    "points": _points_svg,
    "order": _drawn(charts.two_points_svg, order),
    "missed": _drawn(charts.missed_svg, missed),
    "moons": _drawn(maps.two_moons_svg, moons),
    "verdict": _drawn(maps.verdict_svg, verdict),
    "open": _open_svg,
    "abstention": _drawn(charts.abstention_svg, abstention),
    "tests": _drawn(maps.two_tests_svg, tests),
    "repeated": _drawn(charts.repeated_svg, repeated),
}


def picture(lesson: str, hidden: bool, wide: float = WIDE) -> str:
    """Return a lesson's figure as it is set now; what answers its question is left out while `hidden`."""
    return PICTURES[lesson](hidden, wide)
