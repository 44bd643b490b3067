"""The facts of the present model: gathered from the data, the tree, a cross-validation and what the reader states.

In: this session's choices. Out: the facts in words.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from engine.draw.facts import EXACT, Facts, Predictor
from engine.draw.variable_charts import training_ends
from engine.examples import EXAMPLES
from engine.model_facts import label_counts, missing_counts, software_version
from engine.noise_table import Stated
from pages.shared import (
    data_words,
    facts_words,
    noise_words,
    present_report,
    present_tree,
    recipe_words,
    report_words,
    state,
    tree_words,
    words,
)
from pages.shared.present_data import Prepared
from pages.shared.present_validation import validated


def source_of_data() -> str:
    """Return where the data are from: as stated, or what a bundled example is known to be."""
    now = state.choices()
    stated = now.stated.get("source")
    if stated or now.example is None:
        return stated or facts_words.NOT_STATED
    example = EXAMPLES[now.example]
    return f"bundled example “{example.title}”. {example.description}"


def cut(data: Prepared) -> str:
    """Return where a measured outcome was cut into classes, "" where it was not."""
    edges = data.read.understood.get("cut")
    unit = next(data.units.get(column.name, "") for column in data.read.columns if column.role == "target")
    return data_words.cut_said(edges, unit) if edges is not None else ""


def predictors(found: present_tree.Fitted) -> list[Predictor]:
    """Return every predictor in words."""
    data, absent, told = found.data, missing_counts(found.data.X), []
    for j, name in enumerate(data.columns):
        unit, column, categories = data.units.get(name, ""), found.values[:, j], found.model.schema_.categories[j]
        span = words.levels(categories) if categories else " to ".join(training_ends(column[~np.isnan(column)]))
        one, numeric = data.sigma.get(name, Stated()), categories is None
        shape = "" if one.form == "misrecord" else f", {noise_words.SHAPE_LABELS[one.shape]}"
        error = f"{'σ ' if numeric else ''}{noise_words.sigma(one, unit)}{shape}" if one.noisy else EXACT
        source = (one.source or "no source stated") if one.noisy else ""
        text = facts_words.kind(numeric, unit, span, absent[name], len(data.y))
        told.append(Predictor(data.names[name], text, error, source))
    return told


def settings(found: present_tree.Fitted) -> str:
    """Return every setting the tree was grown and is read with."""
    reading = present_tree.reading()
    said = [recipe_words.in_full(found.model.get_params() | reading), noise_words.factors(state.all_factors())]
    if reading["cost"] is not None:
        names, classes = found.data.class_names, found.model.tree_.classes
        said.append(recipe_words.costs(reading["cost"], reading["abstain_cost"], names, classes))
    if hasattr(found.model, "zone_factor_"):
        said.append(f"every zone times {words.number(found.model.zone_factor_, 3)}, calibrated")
    return "; ".join(said) + "."


def facts() -> Facts:
    """Return the present model's facts in words."""
    found, now, view = present_tree.fitted(), state.choices(), present_tree.view(808)
    data, tree, stated = found.data, found.model.tree_, state.choices().stated
    counted, tried = label_counts(data.y, data.classes), validated()
    noisy = [data.sigma[name].source for name in data.columns if data.sigma.get(name, Stated()).noisy]
    model = f"Decision tree: {tree_words.tree_summary(tree, now.variant, len(now.axes)).removeprefix('Tree: ')}"
    sections = [
        ("Summary", [
            ("Model", f"{model} It {tree_words.answered(present_tree.answered(), len(data.y)).lower()}"),
            ("Differs from the variant", recipe_words.changed(now.variant, now.axes) + "."),
        ]),
        ("Mechanism", [
            ("Outcome", facts_words.outcome(data.target, cut(data), stated)),
            ("Output", facts_words.output(view)),
            ("Target population", facts_words.said(stated, "population")),
            ("Time of prediction", facts_words.said(stated, "time")),
            ("Input data source", source_of_data()),
            ("Input data type", f"{words.plural(len(data.columns), 'predictor')}, listed below"),
            ("Training data, place and period", facts_words.said(stated, "period")),
            ("Model type", "decision tree that knows measurement error"),
        ]),
        ("Participants and data", [
            ("Labels", facts_words.labels(counted, data.class_names)),
            ("Missing outcomes", facts_words.open_labels(counted, stated)),
            ("Sample size", facts_words.size(len(data.y), tree)),
            ("Missing values", facts_words.missing(missing_counts(data.X), data.names, data.aside)),
            ("Measurement error", facts_words.sources(noisy)),
        ]),
        ("Uses and directions", [
            ("Intended use", facts_words.uses()), ("Directions", facts_words.DIRECTIONS),
        ]),
        ("Warnings", [
            ("When not to use it", facts_words.NOT_FOR),
            ("Fairness", facts_words.fairness(stated)),
            ("External validation", facts_words.said(stated, "external")),
            ("Limits", " ".join(facts_words.LIMITS)),
        ]),
        ("Other information", [
            ("Development, all settings", settings(found)),
            ("Code and model", facts_words.AVAILABLE),
            ("Contact", facts_words.said(stated, "contact")),
        ]),
    ]  # fmt: skip
    return Facts(
        heading=facts_words.heading(stated, data.target),
        under=facts_words.under(stated, software_version(), date.today().isoformat()),
        sections=sections,
        performance=facts_words.performance(tried) if tried else [],
        method=facts_words.method(tried) if tried else facts_words.UNTRIED,
        bins=tried.bins if tried else (),
        predictors=predictors(found),
        foot=[report_words.fingerprint(present_report.model_fingerprint()), words.FOOT],
    )
