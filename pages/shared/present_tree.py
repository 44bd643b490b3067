"""The present tree: fitted on the present data, with the present decision, and what the training patients say of it.

In: this session's choices. Out: the fitted model, the view of it, its figures, kept for this session only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.borderline import distances, near_share
from engine.classifier import UncertainTreeClassifier
from engine.draw import View
from engine.draw.of_model import training_evidence
from engine.errors import PenumbraError
from engine.evidence import Evidence
from engine.held_out import Fold, HeldOut, grow_folds, held_out
from engine.leaf_filter import ANY, NAMES, LeafFilter, failing, set_back
from engine.noise import ResolvedNoise
from engine.noise_table import to_noise
from engine.route import reach
from engine.table import Table
from engine.why import Reasons, why
from pages.shared import overlay_words, ready, state
from pages.shared.cache import digest, holds, kept, same
from pages.shared.choices import READING, WHOLE
from pages.shared.present_data import Prepared, prepared

Floats = NDArray[np.float64]
TREES = 40  # kept at once: those that are compared, and the Tree page's

@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted tree with what its pictures need; the decision is not part of it.

    values (n, M) and weight (n, N) are the training patients and their weight at each node; distance (n, M) is how near
    each reading lies to a threshold, in σ.
    """

    key: str
    model: UncertainTreeClassifier
    data: Prepared
    table: Table
    values: Floats
    weight: Floats
    evidence: Evidence
    distance: Floats

    @property
    def noise(self) -> ResolvedNoise:
        found: ResolvedNoise = self.model.noise_evaluation_
        return found


def fitted() -> Fitted:
    """Return the tree of the present data, noise and recipe; a change of decision or τ fits nothing."""
    now = state.choices()
    chosen = (prepared(), now.variant, now.axes, now.factor, now.factors, now.calibrate)
    return same("fitted", chosen, _fitted)


def _fitted() -> Fitted:
    return grown(state.parameters(), state.all_factors(), state.choices().calibrate)


def grown(parameters: dict[str, Any], factors: dict[str, float], calibrate: str | float | None = None) -> Fitted:
    """Return the tree of the present data and noise by any recipe, whose decision plays no part."""
    data = prepared()
    recipe = {name: value for name, value in parameters.items() if name not in READING}
    sigma = {name: asdict(stated) | {"source": ""} for name, stated in sorted(data.sigma.items())}
    if noise_is_stated(data):
        recipe.pop("width", None)
    key = digest(data.key, recipe, factors, sigma, calibrate)
    found = kept("fitted", key, lambda: _fit(key, data, recipe | factors, calibrate), TREES)
    # Where a σ comes from and which class is positive play no part in the fit, and may be others since.
    return found if found.data is data else replace(found, data=data)


def unfitted(parameters: dict[str, Any], factors: dict[str, float]) -> UncertainTreeClassifier:
    """Return the model of the present noise by any recipe, before it is fitted and without a decision."""
    data = prepared()
    deciding = [name for name in READING if name != "evaluation"]
    recipe = {name: value for name, value in parameters.items() if name not in deciding}
    if noise_is_stated(data):
        recipe.pop("width", None)
    noise = None if recipe.get("width") is not None else to_noise(data.sigma)
    return UncertainTreeClassifier(**recipe, **factors, noise=noise)


def noise_is_stated(data: Prepared) -> bool:
    """Return whether some variable's error is stated, so that the UDT paper's own `width` has no place."""
    return any(stated.noisy for stated in data.sigma.values())


def can_calibrate() -> bool:
    """Return whether the present recipe has zones with a half-width that one factor can scale."""
    return state.value_of("zone") not in ("none", "quinlan") and state.value_of("branching") == "binary"


def _fit(key: str, data: Prepared, arguments: dict[str, Any], calibrate: str | float | None) -> Fitted:
    ready.wait()
    noise = None if arguments.get("width") is not None else to_noise(data.sigma)
    model = UncertainTreeClassifier(**arguments, noise=noise).fit(data.X, data.y)
    if calibrate is not None and can_calibrate():
        try:
            model.calibrate_zones(data.X, data.y, calibrate)
        except PenumbraError as error:
            model.notes_ = [*model.notes_, str(error)]
    table, weight, told = training_evidence(model, data.X, data.y)
    tree, values = model.tree_, np.ascontiguousarray(table.columns.T)
    hard = reach(tree, values, "hard")
    near = distances(tree, values, hard, model.noise_evaluation_)
    return Fitted(key, model, data, table, values, weight, told, near)


def reading() -> dict[str, Any]:
    """Return how the present tree is read; the table of costs only where the decision asks for it."""
    by_cost = state.value_of("decision") == "cost"
    settings = {name: state.value_of(name) for name in READING}
    cost = state.costs(fitted().model.tree_.classes) if by_cost else None
    return settings | {"cost": cost, "abstain_cost": settings["abstain_cost"] if by_cost else None}


def decided() -> UncertainTreeClassifier:
    """Return the present tree with the present decision on it; nothing is fitted again."""
    now = state.choices()
    return same("decided", (fitted(), now.variant, now.axes, now.costs), _decided)


def _decided() -> UncertainTreeClassifier:
    found, settings = fitted(), reading()
    key = digest(found.key, settings)
    return kept("decided", key, lambda: found.model.with_decision(**settings))


def folds() -> tuple[Fold, ...]:
    """Return the trees of a cross-validation of the present settings; growing them takes several fits."""
    found = fitted()
    return kept("folds", found.key, lambda: grow_folds(found.model, found.data.X, found.data.y))


def left_out() -> HeldOut | None:
    """Return the cross-validated counts under the present decision, None until the reader has asked for them."""
    found = fitted()
    if not holds("folds", found.key):
        return None
    key = digest(found.key, reading())
    return kept("left_out", key, lambda: held_out(folds(), found.data.X, found.data.y, **reading()))


def answered() -> int:
    """Return how many training patients the present tree answers."""
    found = fitted()
    model = decided()
    key = digest(found.key, reading())
    return kept("answered", key, lambda: sum(answer is not None for answer in model.decide(found.data.X)))


def near_by_variable() -> dict[str, float]:
    """Return, for each noisy variable, the share of patients near one of its thresholds, the largest first."""
    found = fitted()
    noisy = [j for j in range(len(found.data.columns)) if found.noise.is_noisy(j)]
    shares = {found.data.names[found.data.columns[j]]: float(near_share(found.distance, variable=j)[0]) for j in noisy}
    return dict(sorted(shares.items(), key=lambda each: -each[1]))


def folded() -> frozenset[int]:
    """Return the nodes of the present tree whose subtrees are folded on the Tree page: by depth, by hand, by filter."""
    found, now = fitted(), state.choices().picture
    tree, limit = found.model.tree_, depth_shown()
    ours = now.tree == found.key
    opened = now.opened if ours else ()
    by_hand = {node for node in now.closed if ours and not tree.is_leaf(node)}
    back = set_back(tree, filtered_out()) if now.fold_failing else frozenset()
    by_filter = {node for node in back if not tree.is_leaf(node) and int(tree.parent[node]) not in back}
    return View.folds(tree, limit, opened) | by_hand | (by_filter - set(opened))


def depth_shown() -> int | None:
    """Return the depth down to which the Tree page draws, None for all levels."""
    depth, tree = state.choices().picture.depth, fitted().model.tree_
    if depth is None:
        return View.open_depth(tree)
    return None if depth == WHOLE or depth >= tree.max_depth else depth


def leaf_filter() -> LeafFilter:
    """Return the leaves that the reader asked for; a class the tree does not know asks for nothing."""
    wanted, classes = state.choices().picture.leaves, fitted().model.tree_.classes
    known = wanted.answers != NAMES or wanted.named in classes
    return wanted if known else replace(wanted, answers=ANY, named=None)


def filtered_out() -> dict[int, str]:
    """Return the leaves that do not pass the reader's filter, and why."""
    model = decided()
    return failing(model.tree_, model.leaf_answers(), leaf_filter())


def drawn(width: float) -> View:
    """Return how the Tree page draws: as `view`, with what is folded and filtered out.

    A chosen node inside a folded subtree gives way to the subtree.
    """
    plain_view, closed = view(width), folded()
    path = fitted().model.tree_.path(plain_view.selected or 0)
    chosen = next((node for node in path if node in closed), path[-1])
    reasons = overlay_words.reasons_out(leaf_filter())
    back = {leaf: reasons[why] for leaf, why in filtered_out().items()}
    return replace(plain_view, selected=chosen, collapsed=closed, set_back=back, foldable=True)


def view(width: float) -> View:
    """Return how the present tree is to be drawn."""
    model, data, now = decided(), prepared(), state.choices()
    chosen, limit = min(now.node, model.tree_.n_nodes - 1), View.open_depth(model.tree_)
    return View(
        classes=tuple(model.tree_.classes),
        leaf_answers=same("leaf_answers", (model,), lambda: tuple(model.leaf_answers())),
        decision=state.value_of("decision"),
        tau=float(state.value_of("tau")),
        positive=data.positive,
        units=data.units,
        variable_names=data.names,
        class_names=data.class_names,
        selected=chosen,
        collapsed=View.folds(model.tree_, limit, model.tree_.path(chosen)),
        width=width,
    )


def reasons(node: int) -> Reasons:
    """Return why a node of the present tree splits as it does."""
    found = fitted()

    return kept(
        "reasons",
        digest(found.key, node),
        lambda: why(found.model.tree_, found.model.search_on(found.table), found.weight[:, node], node),
    )
