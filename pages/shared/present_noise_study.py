"""The noise experiments and the sweeps: variants tried under added noise, larger σ, or another pruning confidence.

In: this session's choices and its long work. Out: studies as far as they are, and their curves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from engine.comparison import Figure, by_level
from engine.decide import Rule
from engine.draw.study_charts import Curve
from engine.draw.variant_marks import Lettered
from engine.recipe import DEFAULTS
from engine.study import Study, cross_validate, robustness
from pages.shared import compare_words, jobs, present_compare, state
from pages.shared.cache import digest, kept
from pages.shared.present_compare import Variant
from pages.shared.present_data import prepared

PAGE = "robustness"
WHERE = ("training", "test")
FIGURES = ("accuracy", "leaves")
SWEPT = ("accuracy", "abstention_rate", "leaves")
STEPS: dict[str, tuple[float, ...]] = {
    "sigma": (0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
    "confidence": (0.01, 0.05, 0.1, 0.25, 0.4, 0.5),
}


def chosen() -> list[Variant]:
    """Return the variants that the noise experiments try: those chosen, all usable ones unless some are."""
    wanted = state.choices().comparing.noisy
    found = present_compare.usable()
    return [v for v in found if v.mark.place in wanted] or found


def work_of(where: str, resume: Study | None) -> jobs.Work:
    """Return a noise experiment under the chosen levels, folds and seed; it closes over everything it needs."""
    data, now = prepared(), state.choices().comparing
    named = present_compare.models(chosen())

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> Study:
        return robustness(
            data.X, data.y, named, now.levels, where, now.folds, now.noise_repeats, now.seed,
            progress=progress, cancel=cancel, resume=resume,
        )  # fmt: skip

    return work


def settings_key() -> str:
    """Return what the experiments depend on besides the data."""
    now = state.choices().comparing
    sigma = {name: asdict(stated) | {"source": ""} for name, stated in sorted(prepared().sigma.items())}
    named = {v.name: [present_compare.parameters(v.stated), present_compare.factors(v.stated)] for v in chosen()}
    return digest(named, sigma, now.levels, now.folds, now.noise_repeats, now.repeats, now.seed)


def study(where: str) -> Study | None:
    """Return the results of one experiment that hold for the present settings."""
    return present_compare.standing(where, lambda held: work_of(where, held), settings_key()) if chosen() else None


def start() -> None:
    """Begin both experiments, or what is not done of them; the second waits for the first."""
    state.compare(size=state.common_size())
    for where in WHERE:
        found = study(where)
        if found is None or not found.complete:
            title = compare_words.job_title(chosen())
            jobs.jobs().start(where, title, PAGE, work_of(where, found), found)


def level_figures(where: str, found: Study) -> dict[str, dict[str, dict[float, Figure]]]:
    """Return accuracy and leaves by variant and level."""
    key = digest(where, present_compare.study_key(found), found.levels)
    return kept("by_level", key, lambda: by_level(found, FIGURES))


def curve(mark: Lettered, told: dict[float, Figure]) -> Curve:
    """Return one variant's figures as a curve."""
    x = tuple(told)
    nothing = (np.nan, np.nan)
    y = tuple(np.nan if f.value is None else f.value for f in told.values())
    ends = [f.interval or nothing for f in told.values()]
    return Curve(mark, x, y, tuple(low for low, _ in ends), tuple(high for _, high in ends))


def level_curves(where: str, found: Study, figure: str) -> list[Curve]:
    """Return one curve a variant of one figure against the noise."""
    told = level_figures(where, found)[figure]
    return [curve(v.mark, told[v.name]) for v in chosen() if told.get(v.name)]


# Sweeps on the Compare page


def sweep_name(one: Variant, value: float) -> str:
    return f"{one.name} at {value:g}"


def moved(one: Variant, what: str) -> bool:
    """Return whether a variant changes at all with what is swept."""
    held = DEFAULTS | present_compare.parameters(one.stated)
    if what == "confidence":
        return str(held["pruning"]).startswith("pessimistic")
    soft = ("soft", "coherent", "conditional", "resampled")
    own = held["search"] in soft or held["propagation"] in soft or held["evaluation"] in soft or held["zone"] == "noise"
    return bool(own) and present_compare.present_tree.noise_is_stated(prepared())


def steps(one: Variant, what: str) -> tuple[float, ...]:
    """Return the values at which a variant is tried: one alone where nothing would change."""
    return STEPS[what] if moved(one, what) else (1.0 if what == "sigma" else 0.25,)


def sweep_models(what: str) -> dict[str, Any]:
    """Return every variant at every value."""
    made: dict[str, Callable[[Variant, float], Any]] = {
        "sigma": lambda one, value: present_compare.unfitted(one.stated, scale=value),
        "confidence": lambda one, value: present_compare.unfitted(one.stated, confidence=value),
    }
    each = [(one, value) for one in present_compare.usable() for value in steps(one, what)]
    return {sweep_name(one, value): made[what](one, value) for one, value in each}


def sweep_work(what: str, resume: Study | None) -> jobs.Work:
    """Return the cross-validation of a sweep, one repeat."""
    data, now, named = prepared(), state.choices().comparing, sweep_models(what)

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> Study:
        return cross_validate(
            data.X, data.y, named, now.folds, 1, now.seed, progress=progress, cancel=cancel, resume=resume
        )

    return work


def sweep_study(what: str) -> Study | None:
    """Return the results of a sweep that hold for the present settings."""
    job = jobs.jobs().of("sweep")
    if job is None or not present_compare.usable():
        return None
    sigma = {name: asdict(stated) | {"source": ""} for name, stated in sorted(prepared().sigma.items())}
    named = {
        v.name: [present_compare.parameters(v.stated), present_compare.factors(v.stated)]
        for v in present_compare.usable()
    }
    now = state.choices().comparing
    key = digest(what, named, sigma, now.folds, now.seed)
    return present_compare.standing("sweep", lambda held: sweep_work(what, held), key)


def start_sweep(what: str) -> None:
    """Begin a sweep, or what is not done of it."""
    state.compare(size=state.common_size())
    found = sweep_study(what)
    jobs.jobs().start("sweep", compare_words.SWEEPS[what], present_compare.PAGE, sweep_work(what, found), found)


def sweep_curves(what: str, found: Study) -> dict[str, list[Curve]]:
    """Return one curve a variant and figure; a variant that nothing changes is level."""
    key = digest(what, present_compare.study_key(found), present_compare.tau())
    read: dict[str, dict[str, dict[float, Figure]]] = kept(
        "sweep", key, lambda: by_level(found.with_rule(Rule("tau", tau=present_compare.tau())), SWEPT)
    )
    curves: dict[str, list[Curve]] = {figure: [] for figure in SWEPT}
    for one in present_compare.in_ink(present_compare.usable()):
        for figure in SWEPT:
            told = _swept(one, what, read[figure])
            if told:
                curves[figure].append(curve(one.mark, told))
    return curves


def _swept(one: Variant, what: str, read: dict[str, dict[float, Figure]]) -> dict[float, Figure]:
    """Return a variant's figure by value swept, as far as it is known."""
    at: Sequence[float] = steps(one, what)
    known = {value: read[sweep_name(one, value)].get(0.0) for value in at if sweep_name(one, value) in read}
    found = {value: figure for value, figure in known.items() if figure is not None}
    return dict.fromkeys(STEPS[what], next(iter(found.values()))) if len(at) == 1 and found else found
