"""The report on the present patient: gathered from what the Patient page shows when it is asked for, and never kept.

In: the fitted tree, the case, what is said of it. Out: two buttons, to print it and to save it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np

from engine.case import Case
from engine.draw import View, path_steps, path_svg, patient_svg
from engine.draw.case_charts import hundred_marks_svg
from engine.draw.report import Card, Reading, Report, report_html
from engine.draw.variable_charts import training_ends
from engine.model_facts import fingerprint, software_version
from engine.noise_table import Stated
from pages.shared import (
    case_told,
    case_words,
    facts_words,
    noise_words,
    present_data,
    present_tree,
    recipe_words,
    report_words,
    state,
    tree_words,
    words,
)
from pages.shared.cache import digest, kept
from pages.shared.paper_view import paper_buttons
from pages.shared.present_validation import validated


def model_fingerprint() -> str:
    """Return the fingerprint of the present tree under the present decision: that of the file the Tree page saves."""
    key = digest(present_tree.fitted().key, present_tree.reading())
    return kept("fingerprint", key, lambda: fingerprint(present_tree.decided().to_json()))


def software() -> str:
    """Return the line that names the software, the day and the model."""
    return report_words.software(software_version(), date.today().isoformat(), model_fingerprint())


def reading(found: present_tree.Fitted, case: Case, name: str, asked: set[str]) -> Reading:
    """Return one reading in words, with what is wrong with it."""
    data, j = found.data, found.data.columns.index(name)
    value, unit = case.values[name], data.units.get(name, "")
    column, categories = found.values[:, j], found.model.schema_.categories[j]
    known = column[~np.isnan(column)]
    flag = ""
    if categories is None:
        error = report_words.error(case.sigma[name], unit) if value is not None else ""
        span = report_words.span(*training_ends(known))
        if isinstance(value, float) and len(known) and not known.min() <= value <= known.max():
            flag = report_words.OUTSIDE
    else:
        error, span = noise_words.sigma(data.sigma.get(name, Stated()), unit), words.levels(categories)
        if value is not None and not np.any(known == list(categories).index(value)):
            flag = report_words.NOBODY
    return Reading(data.names[name], report_words.value(value, unit), error, span, flag, name in asked)


def read_with() -> str:
    """Return the evaluation and the decision, with the τ or the costs that it asks for."""
    reading, view = present_tree.reading(), present_tree.view(808)
    asked = ["evaluation", "decision", *(["tau"] if reading["decision"] in ("tau", "set") else [])]
    cost = reading["cost"]
    costs = [] if cost is None else [recipe_words.costs(cost, reading["abstain_cost"], view.class_names, view.classes)]
    return "; ".join([recipe_words.in_full({name: reading[name] for name in asked}), *costs])


def tried() -> str:
    """Return how the tree did on patients left out: by the Model facts page, else by the Tree page, else untried."""
    found, counts = validated(), present_tree.left_out()
    if found is not None:
        return facts_words.in_brief(found)
    return facts_words.UNTRIED_ELSEWHERE if counts is None else tree_words.left_out(counts)


def facts(found: present_tree.Fitted) -> list[tuple[str, str]]:
    """Return the model in brief."""
    tree, now = found.model.tree_, state.choices()
    factors = {name: factor for name, factor in state.all_factors().items() if factor != 1}
    times = noise_words.factors(factors) if factors else ""
    return [
        ("Tree", words.opening(tree_words.tree_summary(tree, now.variant, len(now.axes)).removeprefix("Tree: "))),
        ("Predicts", report_words.predicts(found.data.target, list(found.data.class_names.values()))),
        ("Grown on", f"{present_data.title()}: {found.data.summary()}"),
        ("Answers", tree_words.answered(present_tree.answered(), len(found.data.y)).removeprefix("Answers ")),
        ("Left out", tried()),
        ("Settings", "; ".join(filter(None, (recipe_words.changed(now.variant, now.axes), times))) + "."),
        ("Read with", read_with() + "."),
    ]


def report(found: present_tree.Fitted, case: Case, view: View, said: case_told.Told) -> str:
    """Return the report as HTML."""
    tree = found.model.tree_
    asked = case_words.asked_of(tree)
    order = sorted(found.data.columns, key=lambda name: name not in asked)
    folded = replace(view, collapsed=frozenset(), depth_limit=1)
    whole = replace(view, collapsed=frozenset())
    pictures = [patient_svg(tree, case, found.evidence, each) for each in (whole, folded)]
    return report_html(Report(
        finding=said.heading,
        agree=said.agree,
        warnings=said.warnings,
        sentences=[said.sentence, said.leaf_range, said.stability],
        remarks=said.remarks,
        over_marks=said.marks,
        marks=hundred_marks_svg(case.answer_shares, view, width=256) if said.assessed else "",
        readings=[reading(found, case, name, asked) for name in order],
        pictures=[*pictures, path_svg(tree, case, found.evidence, replace(view, width=352))],
        steps=path_steps(tree, case, found.evidence, view),
        cards=[Card(card.title, card.key, card.sentence, svg) for card, svg in case_told.cards(found, case, view, 172)],
        caveats=[words.CAVEATS, case_words.BRANCH_SHARES, words.REPEATING],
        facts=facts(found),
        foot=[software(), words.FOOT],
    ))  # fmt: skip


def buttons(found: present_tree.Fitted, case: Case, view: View, said: case_told.Told) -> None:
    """Draw the buttons that print and save the report."""
    paper_buttons(partial(report, found, case, view, said), report_words.BUTTON, report_words.FILE, key="report")
