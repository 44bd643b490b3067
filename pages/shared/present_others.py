"""Other patients on the present tree: a second file, read in this session only and kept in its memory.

In: this session's choices. Out: `Others`: the patients laid over the tree, and what was odd about their file.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.draw.overlay import Overlay
from engine.other_patients import OtherPatients, answered_right, lay_over
from engine.other_table import OtherTable, read_other_table
from pages.shared import present_case, present_data, present_tree, state
from pages.shared.cache import digest, kept
from pages.shared.choices import OTHERS, PATIENT


@dataclass(frozen=True, eq=False)
class Others:
    """A second file's patients laid over the tree.

    `answers` counts, under the present decision: answered, with a known class, answered among those, rightly so.
    """

    told: OtherPatients
    answers: tuple[int, int, int, int]
    remarks: tuple[str, ...]


def others() -> Others | None:
    """Return the second file's patients on the present tree and decision, None without a file."""
    now = state.choices()
    if now.others is None:
        return None
    found, model = present_tree.fitted(), present_tree.decided()
    file = digest(now.others, now.others_name)
    table = kept("other_table", digest(found.key, file), lambda: _read(found, now.others or b"", now.others_name))
    told = kept("other_patients", digest(found.key, file), lambda: _lay_over(found, table))
    key = digest(found.key, file, present_tree.reading())
    answers = kept("other_answers", key, lambda: answered_right(list(model.decide(table.X)), table.y))
    return Others(told, answers, table.remarks)


def _read(found: present_tree.Fitted, content: bytes, filename: str) -> OtherTable:
    tree, (_, table) = found.model.tree_, present_data.read()
    read_by_leaf = range(len(tree.variables)) if tree.has_bayes else ()
    asked = {tree.variables[int(j)] for j in [*tree.variable, *read_by_leaf] if j >= 0}
    target, cut = present_data.target_of(table).name, present_data.stated_cut()
    missing, aside = present_data.missing_words(), state.choices().aside
    return read_other_table(
        content, filename, found.model.schema_, asked, target, tree.classes, missing,
        [name for name in aside if name in found.model.schema_.names],
        None if cut is None else state.choices().cuts[cut], state.choices().limits,
    )  # fmt: skip


def _lay_over(found: present_tree.Fitted, table: OtherTable) -> OtherPatients:
    model = found.model
    recipe = model.recipe_
    return lay_over(
        model.tree_, model.encode(table.X), table.y, recipe.propagation, model.noise_propagation_, recipe.weight_floor,
        model.noise_evaluation_, judged=model.class_weight is None,
    )  # fmt: skip


def overlay() -> Overlay:
    """Return what the reader laid over the tree: the present patient, other patients, or nothing."""
    over = state.choices().picture.over
    if over == PATIENT:
        return Overlay(case=present_case.case())
    told = others() if over == OTHERS else None
    return Overlay(others=None if told is None else told.told)
