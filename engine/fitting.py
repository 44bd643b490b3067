"""From a training table and a recipe to a finished tree: grown, pruned, its leaves and zones settled, frozen.

In: a `Table`, a `Recipe`, the noise of each use. Out: a `Tree`, and what its search has to say.
"""

from __future__ import annotations

import numpy as np

from engine.bayes import settle_bayes
from engine.errors import ImpreciseLabels
from engine.grow import Growth, Middle, grow, settle_boxes, settle_leaves, settle_middles
from engine.noise import ResolvedNoise
from engine.prune import Pruning, prune_naive_bayes, prune_pessimistically
from engine.quinlan import settle_quinlan
from engine.recipe import Recipe, seed_of
from engine.search import Search
from engine.table import LabelSets, Table
from engine.tree import Tree, freeze
from engine.zones import Zone, settle_zones


def make_search(
    table: Table,
    recipe: Recipe,
    noise_search: ResolvedNoise,
    noise_propagation: ResolvedNoise,
) -> Search:
    """Return how splits are sought on `table`."""
    noisy = np.array(
        [noise_propagation.is_noisy(j) or noise_propagation.misrecord[j] > 0.0 for j in range(table.schema.n_variables)]
    )
    least = recipe.min_weight_leaf if isinstance(recipe.min_weight_leaf, str) else float(recipe.min_weight_leaf)
    hard = np.full(len(noisy), True) if recipe.propagation == "hard" else ~noisy
    return Search(
        table, noise_search, recipe.criterion, recipe.search, recipe.threshold, least, float(recipe.window),
        float(recipe.resolution), hard, n_points=int(recipe.n_points), mdl_correction=recipe.mdl_correction,
        nary=recipe.branching == "nary",
    )  # fmt: skip


def make_zone(search: Search, recipe: Recipe, noise_evaluation: ResolvedNoise) -> Zone:
    """Return how δ is found over the search's table."""
    return Zone(
        search, recipe.zone, recipe.epsilon, recipe.zone_z, noise_evaluation, recipe.weight_floor,
        float(recipe.alpha), float(recipe.percentile),
        None if recipe.n_bootstraps is None else int(recipe.n_bootstraps), seed_of(recipe.random_state),
    )  # fmt: skip


def fit_tree(
    table: Table,
    recipe: Recipe,
    noise_search: ResolvedNoise,
    noise_propagation: ResolvedNoise,
    noise_evaluation: ResolvedNoise,
) -> tuple[Tree, list[str]]:
    """Return the grown, pruned and settled tree, and what the search has to say."""
    search = make_search(table, recipe, noise_search, noise_propagation)
    max_depth = None if recipe.max_depth is None else int(recipe.max_depth)
    zone = make_zone(search, recipe, noise_evaluation)
    growth = Growth(
        search,
        recipe.propagation,
        noise_propagation,
        recipe.weight_floor,
        max_depth,
        float(recipe.min_weight_split),
        Middle(zone, int(recipe.min_samples_middle)) if recipe.branching == "middle" else None,
        keeps_patients=recipe.pruning != "none" or recipe.leaf == "naive_bayes",
        keeps_order=recipe.zone != "none" or recipe.threshold == "observed" or table.n_bins > 0,
    )
    root = grow(growth)
    if recipe.pruning != "none" and recipe.leaf == "naive_bayes":
        prune_naive_bayes(root, table, recipe.pruning, recipe.confidence)
    elif recipe.pruning == "pessimistic":
        prune_pessimistically(
            root,
            Pruning(
                table,
                recipe.propagation,
                noise_propagation,
                recipe.weight_floor,
                recipe.confidence,
                recipe.pruning_laplace,
            ),
        )
    if growth.middle is not None and recipe.pruning != "none":
        settle_middles(root, growth)
    settle_boxes(root)
    settle_leaves(root, recipe.leaf)
    if recipe.zone == "quinlan":
        settle_quinlan(root, table, recipe.weight_floor)
    elif recipe.zone != "none" and growth.middle is None:
        settle_zones(root, zone)
    if recipe.leaf == "naive_bayes":
        settle_bayes(root, table)
    classes = tuple(c.item() if isinstance(c, np.generic) else c for c in table.labels.classes)
    cuts = table.cuts if table.n_bins else None
    return freeze(root, table.schema.names, table.schema.categories, classes, cuts), sorted(search.notes)


def check_labels(labels: LabelSets, criterion: str, pruning: str, zone: str) -> None:
    """Refuse what imprecise labels cannot be combined with. METHODS §0.1"""
    if labels.precise:
        return
    for axis, chosen in (("criterion", criterion), ("pruning", pruning)):
        if "nb_accuracy" in chosen:
            raise ImpreciseLabels(
                f"{axis} {chosen!r} does not combine with imprecise labels: an answer is right or "
                "wrong only where the class is known; leave those patients out or choose another."
            )
    if zone in ("margin", "class_overlap", "quinlan"):
        raise ImpreciseLabels(
            f"zone {zone!r} does not combine with imprecise labels: it needs one class per patient; "
            "leave those patients out or choose another zone."
        )
