"""One frozen choice per axis, what combines with what, and the named variants as visible rows.

In: constructor arguments. Out: a checked `Recipe`, or one sentence that names both choices and why they do not combine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from engine.decide import check_costs
from engine.errors import PenumbraError

AXES: dict[str, tuple[str, ...]] = {
    "criterion": ("information_gain", "gain_ratio", "gini", "nb_accuracy"),
    "search": ("exact", "soft", "resampled"),
    "propagation": ("hard", "soft", "conditional"),
    "branching": ("binary", "middle", "nary"),
    "zone": (
        "none", "margin", "node_bootstrap", "quality_plateau", "class_overlap", "gain_ratio", "quinlan", "noise",
    ),
    "pruning": ("none", "pessimistic", "nb_accuracy", "pessimistic+nb_accuracy"),
    "leaf": ("frequency", "laplace", "naive_bayes"),
    "evaluation": ("hard", "soft", "coherent", "zone", "deferred"),
    "decision": ("argmax", "tau", "cost", "set"),
}  # fmt: skip

MOST_BINS = 1000  # a leaf holds a weight for every bin of every variable and class
THRESHOLDS = ("value", "midpoint", "observed")
NO_COST = "decision 'cost' needs cost, a table cost[true, answer] in the order of classes_; give one or decide by tau."


@dataclass(frozen=True)
class Recipe:
    """Every choice and number of METHODS §0 but the noise; the defaults are the constructor's."""

    criterion: str = "information_gain"
    search: str = "exact"
    threshold: str = "midpoint"
    propagation: str = "hard"
    branching: str = "binary"
    zone: str = "none"
    pruning: str = "none"
    leaf: str = "frequency"
    evaluation: str = "hard"
    decision: str = "argmax"
    tau: float = 0.7
    cost: Any = None
    abstain_cost: float | None = None
    window: float = 6.0
    resolution: float = 0.1
    confidence: float = 0.25
    pruning_laplace: bool = True
    mdl_correction: bool = False
    max_depth: int | None = None
    min_weight_leaf: float | str = 2
    min_weight_split: float = 2
    weight_floor: float = 1e-4
    n_points: int = 100
    width: float | None = None
    epsilon: float = 0.05
    alpha: float = 0.1
    percentile: float = 10
    n_bootstraps: int | None = None
    zone_z: float = 1.96
    n_bins: int = 10
    min_samples_middle: int = 5
    class_weight: str | Mapping[Any, float] | None = None
    u_s: float = 1.0
    u_p: float = 1.0
    u_e: float = 1.0
    random_state: Any = None

    def __post_init__(self) -> None:
        check_recipe(self)


DEFAULTS: dict[str, Any] = {f.name: f.default for f in fields(Recipe)}

FAMILY_C45: dict[str, Any] = {
    "min_weight_leaf": 2,
    "confidence": 0.25,
    "pruning_laplace": True,
}
FAMILY_CART: dict[str, Any] = {
    "criterion": "gini",
    "min_weight_leaf": 1,
    "max_depth": 4,
}
PESSIMISTIC: dict[str, Any] = {"pruning": "pessimistic", **FAMILY_C45}
DELTA_METHODS = (
    "margin",
    "node_bootstrap",
    "quality_plateau",
    "class_overlap",
    "gain_ratio",
)

VARIANTS: dict[str, dict[str, Any]] = {
    "CART": FAMILY_CART,
    "C4.5": PESSIMISTIC,
    "C4.4": {**FAMILY_C45, "leaf": "laplace"},
    "SS": {**PESSIMISTIC, "search": "soft"},
    "STP": {**PESSIMISTIC, "propagation": "soft"},
    "SS+STP": {**PESSIMISTIC, "search": "soft", "propagation": "soft"},
    "SE": {**PESSIMISTIC, "evaluation": "soft"},
    "SS+STP+SE": {**PESSIMISTIC, "search": "soft", "propagation": "soft", "evaluation": "soft"},
    "PLT": {**PESSIMISTIC, "threshold": "observed", "zone": "quinlan", "evaluation": "zone"},
    "UDT": {**PESSIMISTIC, "search": "resampled", "propagation": "conditional", "evaluation": "coherent"},
    **{f"Ternary-{zone}": {**FAMILY_CART, "zone": zone, "evaluation": "zone"} for zone in DELTA_METHODS},
    **{f"Ternary-{zone}-middle": {**FAMILY_CART, "zone": zone, "branching": "middle"} for zone in DELTA_METHODS},
    "TWDT": {**FAMILY_CART, "decision": "tau", "tau": 0.7},
    "CITree": {
        "criterion": "nb_accuracy", "branching": "nary", "pruning": "pessimistic+nb_accuracy", "leaf": "naive_bayes",
        "confidence": 0.025, "n_bins": 10,
    },
}  # fmt: skip

# METHODS §0.1, choices alone: two axes, the choices on each that do not combine, and why.
REFUSALS: tuple[tuple[str, frozenset[str], str, frozenset[str], str], ...] = (
    ("evaluation", frozenset({"zone", "deferred"}), "zone", frozenset({"none"}),
     "there is no zone to blend in; choose a zone or another evaluation"),
    ("criterion", frozenset({"nb_accuracy"}), "branching", frozenset({"binary", "middle"}),
     "accuracy-driven growth is defined for n-ary splits; choose branching nary"),
    ("criterion", frozenset({"nb_accuracy"}), "search", frozenset({"soft", "resampled"}),
     "accuracy-driven growth searches exactly"),
    ("criterion", frozenset({"nb_accuracy"}), "leaf", frozenset({"frequency", "laplace"}),
     "accuracy-driven growth measures naive Bayes leaves; choose leaf naive_bayes"),
    ("branching", frozenset({"middle"}), "zone", frozenset({"none", "quinlan"}),
     "a middle child needs a zone known while the tree grows; choose another zone"),
    ("branching", frozenset({"middle"}), "evaluation", frozenset({"zone", "deferred"}),
     "the middle child already takes the patients of the zone; evaluate hard, soft or coherent"),
    ("branching", frozenset({"nary"}), "search", frozenset({"soft", "resampled"}),
     "bins leave no threshold to search; search exactly"),
    ("branching", frozenset({"nary"}), "zone", frozenset(AXES["zone"]) - {"none"},
     "bins have no threshold to put a zone around; choose zone none"),
    ("pruning", frozenset({"nb_accuracy", "pessimistic+nb_accuracy"}), "leaf", frozenset({"frequency", "laplace"}),
     "accuracy pruning compares naive Bayes leaves; choose leaf naive_bayes"),
)  # fmt: skip


def clashes(params: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return every pair of axes whose choices do not combine, with the sentence that says why. METHODS §0.1"""
    chosen = {**DEFAULTS, **params}
    return [
        (
            first,
            second,
            f"{first} {chosen[first]!r} does not combine with {second} {chosen[second]!r}: {why}.",
        )
        for first, firsts, second, seconds, why in REFUSALS
        if chosen[first] in firsts and chosen[second] in seconds
    ]


def refusal(params: Mapping[str, Any]) -> str | None:
    """Return the sentence that says which two choices do not combine, or None when all do. METHODS §0.1

    Parameters
    ----------
    params : constructor arguments; those not given have their defaults.
    """
    found = clashes(params)
    if found:
        return found[0][2]
    for name in ("noise", "noise_search", "noise_propagation", "noise_evaluation"):
        if params.get("width") is not None and params.get(name) is not None:
            return f"width does not combine with a stated {name}: it is UDT's own noise; give one of the two."
    return None


def refusals(params: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return {(axis, choice): sentence} for every choice that would be refused, given the others."""
    found = {}
    for axis, choices in AXES.items():
        for choice in choices:
            here = [why for first, second, why in clashes({**params, axis: choice}) if axis in (first, second)]
            if (axis, choice) == ("decision", "cost") and params.get("cost") is None:
                found[axis, choice] = NO_COST
            elif here:
                found[axis, choice] = here[0]
    return found


def number_between(low: float, high: float, low_open: bool = False, high_open: bool = False) -> Callable[[Any], bool]:
    """Return a check that a value is a number in the interval."""

    def check(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        try:
            number = float(value)
        except (OverflowError, TypeError):  # 10**400, or a span of time, which numpy counts among the numbers
            return False
        if math.isnan(number):
            return False
        return (low < number if low_open else low <= number) and (number < high if high_open else number <= high)

    return check


def is_whole(value: Any, least: int) -> bool:
    """Return True for a whole number that is at least `least`."""
    return number_between(least, math.inf, high_open=True)(value) and float(value).is_integer()


POSITIVE = number_between(0.0, math.inf, low_open=True, high_open=True)
NOT_NEGATIVE = number_between(0.0, math.inf, high_open=True)
NUMBERS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "tau": (number_between(0.0, 1.0), "a number from 0 to 1"),
    "window": (NOT_NEGATIVE, "a number, 0 or more"),
    "resolution": (POSITIVE, "a number above 0"),
    "confidence": (
        number_between(0.0, 1.0, True, True),
        "a number between 0 and 1, both excluded",
    ),
    "min_weight_split": (NOT_NEGATIVE, "a number, 0 or more"),
    "weight_floor": (
        number_between(0.0, 1.0, high_open=True),
        "a number from 0 to below 1",
    ),
    "epsilon": (number_between(0.0, 1.0), "a number from 0 to 1"),
    "alpha": (NOT_NEGATIVE, "a number, 0 or more"),
    "percentile": (number_between(0.0, 50.0), "a number from 0 to 50"),
    "zone_z": (NOT_NEGATIVE, "a number, 0 or more"),
    "u_s": (number_between(0.0, 1e6), "a number from 0 to 1,000,000"),
    "u_p": (number_between(0.0, 1e6), "a number from 0 to 1,000,000"),
    "u_e": (number_between(0.0, 1e6), "a number from 0 to 1,000,000"),
}


def shown(value: Any) -> str:
    """Return a setting for a sentence: as it is written when it is a plain value, else what kind it is."""
    plain = value is None or isinstance(value, (str, bool, Real))
    return repr(value)[:80] if plain else f"a {type(value).__name__}"


def seed_of(random_state: Any) -> int:
    """Return the seed of everything that draws: `random_state` itself when it is a whole number, and 0 when None.

    The same patients must give the same tree today and tomorrow, so None is one fixed seed, not (as elsewhere in
    scikit-learn) fresh randomness; pass a RandomState or Generator for that.

    Raises
    ------
    PenumbraError
        For anything but None, a whole number from 0, a RandomState or a Generator.
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, (str, bool)) or not is_whole(random_state, 0):
        raise PenumbraError(
            f"random_state is {shown(random_state)}; give a whole number, 0 or more, a RandomState, or None for seed 0."
        )
    return int(random_state)


def check_rule(recipe: Recipe) -> None:
    """Refuse costs that cannot be read, or the decision by cost without any. METHODS §6"""
    if recipe.cost is not None:
        check_costs(recipe.cost)
    elif recipe.decision == "cost":
        raise PenumbraError(NO_COST)
    if recipe.abstain_cost is not None and not NOT_NEGATIVE(recipe.abstain_cost):
        raise PenumbraError(
            f"abstain_cost is {shown(recipe.abstain_cost)}; give a number, 0 or more, or None where abstaining is no "
            "answer."
        )


def check_class_weight(class_weight: Any) -> None:
    """Refuse class weights that are neither None, "balanced", nor a dict of numbers that are not negative."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise PenumbraError(
            f"class_weight is {shown(class_weight)}; give None, 'balanced' or a dict {{class: weight}}."
        )
    for name, weight in class_weight.items():
        if not NOT_NEGATIVE(weight):
            raise PenumbraError(f"class_weight of {name!r} is {shown(weight)}; give a number, 0 or more.")


def check_recipe(recipe: Recipe) -> None:
    """Refuse an unknown choice, a number out of range, or an illegal combination."""
    params = vars(recipe)
    for name, choices in {**AXES, "threshold": THRESHOLDS}.items():
        if not isinstance(params[name], str) or params[name] not in choices:
            raise PenumbraError(f"{name} is {shown(params[name])}; choose one of {', '.join(choices)}.")
    for name, (check, allowed) in NUMBERS.items():
        if not check(params[name]):
            raise PenumbraError(f"{name} is {shown(params[name])}; give {allowed}.")
    for name in ("pruning_laplace", "mdl_correction"):
        if type(params[name]).__name__ not in ("bool", "bool_"):  # numpy's own True is one too
            raise PenumbraError(f"{name} is {shown(params[name])}; give True or False.")
    least = recipe.min_weight_leaf
    if not (isinstance(least, str) and least == "c45") and not NOT_NEGATIVE(least):
        raise PenumbraError(f"min_weight_leaf is {shown(least)}; give a number, 0 or more, or 'c45'.")
    if recipe.width is not None and not NOT_NEGATIVE(recipe.width):
        raise PenumbraError(f"width is {shown(recipe.width)}; give a number, 0 or more, or None for a stated noise.")
    if not (POSITIVE(recipe.n_points) and float(recipe.n_points).is_integer()):
        raise PenumbraError(f"n_points is {shown(recipe.n_points)}; give a whole number, 1 or more.")
    if not is_whole(recipe.n_bins, 1) or recipe.n_bins > MOST_BINS:
        raise PenumbraError(f"n_bins is {shown(recipe.n_bins)}; give a whole number from 1 to {MOST_BINS:,}.")
    if recipe.max_depth is not None and not (NOT_NEGATIVE(recipe.max_depth) and float(recipe.max_depth).is_integer()):
        raise PenumbraError(
            f"max_depth is {shown(recipe.max_depth)}; give a whole number, 0 or more, or None for no limit."
        )
    if recipe.n_bootstraps is not None and not is_whole(recipe.n_bootstraps, 1):
        raise PenumbraError(
            f"n_bootstraps is {shown(recipe.n_bootstraps)}; give a whole number from 1, or None for the rule by size."
        )
    if not is_whole(recipe.min_samples_middle, 0):
        raise PenumbraError(f"min_samples_middle is {shown(recipe.min_samples_middle)}; give a whole number from 0.")
    check_class_weight(recipe.class_weight)
    sentence = refusal(params)
    if sentence is not None:
        raise PenumbraError(sentence)
    check_rule(recipe)
