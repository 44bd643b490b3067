"""What is compared: the variants' trees on the present data, their answers, and the cross-validation as far as it is.

In: this session's choices and its long work. Out: trees, answers, a study and its figures, kept for this session only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.comparison import Comparison, compare
from engine.contrast import Disagreement, SplitDifferences, disagreement_of, split_differences
from engine.decide import Rule
from engine.draw import View
from engine.draw.figure_table import COLUMNS
from engine.draw.variant_marks import Lettered
from engine.errors import PenumbraError
from engine.recipe import DEFAULTS, VARIANTS
from engine.study import Study, cross_validate
from pages.shared import compare_words, jobs, present_tree, state
from pages.shared.cache import digest, kept
from pages.shared.choices import FACTORS, Compared
from pages.shared.present_data import prepared

COMPARE, PAGE = "compare", "compare"
BY_TAU = ("abstention_rate", "answered_accuracy")
MOST_IN_INK = 6  # curves in one picture that are all told apart
SHOWN = tuple(column.figure for column in COLUMNS)


@dataclass(frozen=True, eq=False)
class Variant:
    """One variant that is compared: its mark, what it was called in the study, its tree or why it has none."""

    mark: Lettered
    stated: Compared
    tree: present_tree.Fitted | None
    refused: PenumbraError | None

    @property
    def name(self) -> str:
        """Its name in the study."""
        return self.mark.name

    @property
    def zones(self) -> bool:
        """Whether it sets patients in a zone aside."""
        return parameters(self.stated).get("zone", "none") != "none"

    @property
    def found(self) -> present_tree.Fitted:
        """Its tree; only of a variant that has one."""
        assert self.tree is not None
        return self.tree


def parameters(stated: Compared) -> dict[str, Any]:
    """Return what a variant's model is built with, except its noise and its decision."""
    own = stated.changes if stated.kept else state.common_size()
    settings = VARIANTS[stated.name] | own
    return {name: value for name, value in settings.items() if name not in (*FACTORS, "decision", "tau")}


def factors(stated: Compared) -> dict[str, float]:
    """Return what every σ is multiplied by in search, propagation and evaluation of a variant."""
    now = state.choices()
    own = {u: float(stated.changes.get(u, 1.0)) for u in FACTORS} if stated.kept else now.factors
    return {u: now.factor * own[u] for u in FACTORS}


def variants() -> list[Variant]:
    """Return the variants in order, each with its tree; one that cannot be grown says why."""
    stated, found = state.choices().comparing.variants, []
    for place, (one, name) in enumerate(zip(stated, compare_words.study_names(stated), strict=True)):
        mark = Lettered(place, name, compare_words.more(one, parameters(one)))
        try:
            found.append(Variant(mark, one, present_tree.grown(parameters(one), factors(one)), None))
        except PenumbraError as error:
            found.append(Variant(mark, one, None, error))
    return found


def chosen_pair(found: list[Variant]) -> tuple[Variant, Variant]:
    """Return the two variants that are set against each other."""
    held = state.choices().comparing.pair
    chosen = [v for v in found if v.mark.place in held]
    return (chosen[0], chosen[1]) if len(chosen) == 2 else (found[0], found[1])


def in_ink(found: list[Variant]) -> list[Variant]:
    """Return the variants with all but the chosen pair faint, where too many curves would stand in one picture."""
    if len(found) <= MOST_IN_INK:
        return found
    held = [v.mark.place for v in chosen_pair(found)]
    return [replace(v, mark=replace(v.mark, faint=v.mark.place not in held)) for v in found]


def usable() -> list[Variant]:
    """Return the variants that have a tree."""
    return [each for each in variants() if each.tree is not None]


def tau() -> float:
    """Return the τ in force, the same as on Tree and Patient."""
    return max(float(state.value_of("tau")), least_tau())


def least_tau() -> float:
    return round(1 / max(2, len(prepared().classes)), 2)


def answers(one: Variant) -> list[Any]:
    """Return what a variant's tree answers each patient of the data under τ; None where it abstains."""
    found, at, way = one.found, tau(), evaluation(one.stated)
    model = found.model.with_decision(evaluation=way, decision="tau", tau=at)
    return kept(
        "compared_answers", digest(found.key, way, at), lambda: list(model.decide(found.data.X)), present_tree.TREES
    )


def evaluation(stated: Compared) -> str:
    """Return how a variant's tree is read."""
    return str(parameters(stated).get("evaluation", DEFAULTS["evaluation"]))


def probabilities(one: Variant) -> Any:
    """Return a variant's P of each class for each patient of the data, (n, K)."""
    found, way = one.found, evaluation(one.stated)
    model = found.model.with_decision(evaluation=way, decision="argmax")
    make = lambda: model.predict_proba(found.data.X)  # noqa: E731
    return kept("compared_probability", digest(found.key, way), make, present_tree.TREES)


def view(one: Variant, width: float) -> View:
    """Return how a variant's tree is drawn: as the Tree page draws its own, under the common τ."""
    found = one.found
    tree, data = found.model.tree_, found.data
    model = found.model.with_decision(evaluation=evaluation(one.stated), decision="tau", tau=tau())
    limit = View.open_depth(tree)
    return View(
        classes=tuple(tree.classes), leaf_answers=tuple(model.leaf_answers()), decision="tau", tau=tau(),
        positive=data.positive, units=data.units, variable_names=data.names, class_names=data.class_names,
        selected=None, collapsed=View.folds(tree, limit, ()), width=width,
    )  # fmt: skip


def differences(reference: Variant, other: Variant) -> SplitDifferences:
    """Return where a variant's splits differ from the reference's."""
    a, b = reference.found, other.found
    return kept(
        "compared_splits", digest(a.key, b.key), lambda: split_differences(a.model.tree_, b.model.tree_, a.values), 200
    )


def disagreement(a: Variant, b: Variant) -> Disagreement:
    """Return how two variants' answers to the patients of the data agree."""
    return disagreement_of(answers(a), answers(b), prepared().classes)


# The cross-validation


def models(chosen: list[Variant] | None = None) -> dict[str, Any]:
    """Return the unfitted models by their names in the study."""
    return {each.name: unfitted(each.stated) for each in (usable() if chosen is None else chosen)}


def unfitted(stated: Compared, scale: float = 1.0, **changes: Any) -> Any:
    """Return a variant's model before it is fitted, its σ multiplied by `scale`."""
    scaled = {u: scale * factor for u, factor in factors(stated).items()}
    return present_tree.unfitted(parameters(stated) | changes, scaled)


def work_of(named: Mapping[str, Any], resume: Study | None) -> jobs.Work:
    """Return the cross-validation of models under the chosen folds and seed; it closes over everything it needs."""
    data, now = prepared(), state.choices().comparing
    folds, repeats, seed = now.folds, now.repeats, now.seed

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> Study:
        return cross_validate(
            data.X, data.y, named, folds, repeats, seed, progress=progress, cancel=cancel, resume=resume
        )

    return work


def standing(kind: str, work_with: Any, key: str) -> Study | None:
    """Return what the results of a kind of work come to now: those of the present data and settings, None for none.

    `work_with` makes the work from results to take up; asked to end at once, it says which of them still hold.
    """
    job = jobs.jobs().of(kind)
    if job is None or job.study is None or not job.study.n_done:
        return None
    held = job.study

    def still_valid() -> Study | None:
        try:
            found = work_with(held)(lambda _: None, lambda: True)
        except PenumbraError:
            return None
        return found if found.n_done else None

    return kept("standing", digest(kind, key, job.number, held.n_done, prepared().key), still_valid)


def study() -> Study | None:
    """Return the results that hold for the present data, variants, folds and seed; None before there are any."""
    named, now = models(), state.choices().comparing
    if not named:
        return None
    sigma = {name: vars(stated) | {"source": ""} for name, stated in sorted(prepared().sigma.items())}
    settings = {name: model.get_params() | {"noise": None} for name, model in named.items()}
    key = digest(settings, sigma, now.folds, now.repeats, now.seed)
    return standing(COMPARE, lambda held: work_of(named, held), key)


def start() -> None:
    """Begin the cross-validation of what is not done yet."""
    state.compare(size=state.common_size())
    found, named = study(), models()
    missing = [v for v in usable() if found is None or len(found.of(v.name)) < found.n_splits]
    title = compare_words.job_title(missing)
    jobs.jobs().start(COMPARE, title, PAGE, work_of(named, found), found)


def shown(found: Study | None) -> tuple[Study, list[Variant]] | None:
    """Return the study and the variants whose figures are shown, None while there is too little to show.

    Those whose folds are all done while others go on; in a first run, all as soon as each has one fold; when the work
    has ended, all with one fold and more. The reference must be among them.
    """
    if found is None:
        return None
    job, all_variants = jobs.jobs().of(COMPARE), usable()
    done = {v.name: len(found.of(v.name)) if v.name in found.models else 0 for v in all_variants}
    ready = [v for v in all_variants if done[v.name]]
    if job is not None and job.active:
        whole = [v for v in ready if done[v.name] == found.n_splits]
        ready = whole or (ready if len(ready) == len(all_variants) else [])
    if not ready or ready[0].mark.place != all_variants[0].mark.place:
        return None
    some = {v.name: found.models[v.name] for v in ready}
    kept_results = tuple(r for r in found.results if r.model in some)
    return replace(found, models=some, results=kept_results), ready


def study_key(found: Study) -> str:
    """Return what tells one study from another, as far as it is."""
    return digest(found.key, found.models, found.n_done)


def at_tau(found: Study) -> Study:
    """Return the study with the answers under the τ in force; no tree is grown again."""
    return kept("study_at_tau", digest(study_key(found), tau()), lambda: found.with_rule(Rule("tau", tau=tau())))


def figures(found: Study) -> Comparison:
    """Return every figure that is shown, with its tests; what τ moves is worked out for the τ in force alone."""
    data = prepared()
    positive = data.positive if len(data.classes) == 2 else None
    rest = [name for name in SHOWN if name not in BY_TAU] + ["auc"]
    fixed = kept("figures", digest(study_key(found), positive), lambda: compare(found, rest, positive))
    moved = kept("figures_at_tau", digest(study_key(found), tau()), lambda: compare(at_tau(found), BY_TAU))
    both = {name: fixed.figures[name] | moved.figures[name] for name in fixed.figures}
    return Comparison(both, fixed.pairs + moved.pairs, fixed.n_folds)
