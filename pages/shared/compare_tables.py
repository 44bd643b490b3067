"""A comparison as tables of plain numbers that can be cited: every row names its data, folds, seed and τ.

In: the study, its variants and figures. Out: rows by the name of their file, and CSV text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from engine.comparison import Comparison
from engine.draw.compare_charts import answers_rows, benefit_rows, plane_rows, roc_rows, stated_rows
from engine.draw.figure_table import COLUMNS
from engine.examples import EXAMPLES
from engine.legible import guarded
from engine.model_facts import software_version
from engine.study import Study
from pages.shared import (
    compare_patients,
    compare_pictures,
    compare_words,
    noise_words,
    present_compare,
    present_noise_study,
    state,
)
from pages.shared.present_compare import Variant
from pages.shared.present_data import prepared

Rows = list[dict[str, Any]]
METHOD = (
    "stratified cross-validation; mean over repeats, each of all patients left out, sizes and times over folds; 95 % "
    "Student's t over folds, widened for folds that share patients (Nadeau and Bengio 2003); less A is the mean over "
    "paired folds; p two-sided Wilcoxon signed-rank over paired folds, those without a "
    "difference dropped, exact up to 50 folds (13 where some differ by the same), else normal; Holm over all pairs of "
    "variants on a measure"
)


def csv_text(rows: Rows) -> str:
    """Return rows as CSV; a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    safe = [{as_text(name): as_text(value) for name, value in row.items()} for row in rows]
    return pd.DataFrame(safe, dtype=object).to_csv(index=False, lineterminator="\n")


def as_text(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value


def settings(repeats: int | None = None) -> dict[str, Any]:
    """Return what all rows of a comparison have in common; `repeats` where they are not the comparison's own."""
    data, now = prepared(), state.choices()
    return {
        "data": EXAMPLES[now.example].title if now.example else now.filename, "patients": len(data.y),
        "positive class": data.class_names[data.positive],
        "repeats": now.comparing.repeats if repeats is None else repeats, "folds per repeat": now.comparing.folds,
        "seed": now.comparing.seed, "τ": present_compare.tau(),
    }  # fmt: skip


def stated_sigma() -> str:
    """Return every variable's σ in one line."""
    data = prepared()
    told = [
        f"{data.names[name]} {noise_words.sigma(data.sigma[name], data.units.get(name, ''))}"
        for name in data.columns if name in data.sigma and data.sigma[name].noisy
    ]  # fmt: skip
    return "; ".join(told) or "none"


def variant_settings(one: Variant) -> str:
    """Return what a variant's model is built with where it is not the default, as JSON."""
    factors = {u: f for u, f in present_compare.factors(one.stated).items() if f != 1.0}
    return json.dumps(present_compare.parameters(one.stated) | factors, sort_keys=True, default=str)


def figure_rows(study: Study, found: list[Variant], figures: Comparison) -> Rows:
    """Return the table as plain numbers, one row a variant and measure, with everything one needs to cite it."""
    marks = {v.name: v for v in found}
    titles = {column.figure: f"{column.title} ({column.under})" for column in COLUMNS}
    titles["auc"] = "AUC (mean over classes)"
    zoned = {column.figure for column in COLUMNS if column.zones}
    shared = settings()
    stated = {"σ": stated_sigma(), "method": METHOD, "program": f"Penumbra {software_version()}"}
    own = {v.name: variant_settings(v) for v in found}
    untested = {"difference", "difference_low", "difference_high", "pairs", "p", "p_holm"}
    rows = [
        row | dict.fromkeys(untested) if row["measure"] in zoned and not found[0].zones else row
        for row in figures.rows()
    ]
    return [
        {
            "variant": marks[row["model"]].mark.said, "measure": titles[row["measure"]], "mean": row["value"],
            "95 % from": row["low"], "95 % to": row["high"], "folds": row["folds"], "folds planned": study.n_splits,
            "less A": row["difference"], "less A, 95 % from": row["difference_low"],
            "less A, 95 % to": row["difference_high"], "paired folds": row["pairs"], "p (Wilcoxon)": row["p"],
            "p after Holm": row["p_holm"],
        }
        | shared | {"settings": own[row["model"]]} | stated
        for row in rows
        if marks[row["model"]].zones or row["measure"] not in zoned
    ]  # fmt: skip


def fold_rows(study: Study, found: list[Variant], figures: Comparison) -> Rows:
    """Return what each fold alone gives, one row a variant, measure and fold."""
    titles = {column.figure: column.title for column in COLUMNS}
    return [
        {"variant": v.mark.said, "measure": titles[name], "repeat": r.repeat + 1, "fold": r.fold + 1, "value": value}
        for v in found for name, figure in figures.figures[v.name].items() if name in titles
        for r, value in zip(study.of(v.name), figure.by_fold, strict=True) if value is not None
    ]  # fmt: skip


def tables(shown: tuple[Study, list[Variant]] | None) -> dict[str, Callable[[], Rows]]:
    """Return by title how to make every table but the first, in the order of the page."""
    drawn = present_compare.usable()
    made: dict[str, Callable[[], Rows]] = {}
    if shown is not None:
        study, found = shown
        figures = present_compare.figures(study)
        made = {
            "Folds": lambda: fold_rows(study, found, figures),
            "Accuracy and coverage": lambda: plane_rows(
                compare_pictures.plane_curves(study, found, figures), present_compare.tau()
            ),
            "Stated P": lambda: stated_rows(compare_pictures.stated_bins(study, found, figures)),
            "Answers": lambda: answers_rows(
                compare_pictures.answers(study, found), present_compare.view(found[0], 300)
            ),
            "ROC": lambda: roc_rows(compare_pictures.roc_lines(study, found)),
            "Net benefit": lambda: benefit_rows(
                compare_pictures.benefit_lines(study, found)[0], compare_pictures.benefit_lines(study, found)[2]
            ),
            "Sweep of τ": lambda: compare_pictures.sweep_rows("tau", compare_pictures.tau_sweep(study, found)),
        }
    if len(drawn) > 1:
        made["Matrix"] = lambda: compare_patients.matrix_rows(drawn)
    for what, curves in sweeps().items():
        made[compare_words.SWEEP_TITLES[what]] = lambda what=what, curves=curves: compare_pictures.sweep_rows(
            what, {compare_pictures.TITLES[figure]: told for figure, told in curves.items()}
        )
    return made


def sweeps() -> dict[str, dict[str, list[Any]]]:
    """Return the curves of every sweep that has been done, by what was swept."""
    found = {what: present_noise_study.sweep_study(what) for what in present_noise_study.STEPS}
    return {what: present_noise_study.sweep_curves(what, done) for what, done in found.items() if done is not None}


def with_settings(rows: Sequence[dict[str, Any]], repeats: int | None = None) -> Rows:
    """Return rows with what they have in common after what is their own."""
    shared = settings(repeats)
    return [row | {name: value for name, value in shared.items() if name not in row} for row in rows]
