"""What is said of the present patient, put together once: the page shows it and the report prints it.

In: the fitted tree, the case and the view. Out: sentences and cards; worked out anew, never kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.case import Case
from engine.draw import View
from engine.draw.case_charts import four_ways_svg, nearest_change_svg, repeat_svg, stability_bars_svg
from pages.shared import case_words, present_case, present_tree, stability_words, state
from pages.shared.case_words import Card
from pages.shared.words import opening


@dataclass(frozen=True)
class Told:
    """The sentences: the answer, how many plausible true states agree, warnings, P, its range, stability, the rest.

    `assessed` is False where no measurement error is stated, and nothing is known of other true states; `marks` stands
    over the hundred of them.
    """

    heading: str
    agree: str
    warnings: list[str]
    sentence: str
    leaf_range: str
    stability: str
    remarks: list[str]
    assessed: bool
    marks: str


def told(found: present_tree.Fitted, case: Case, view: View) -> Told:
    """Return everything that is said of the present patient in sentences."""
    tree, near, lacking = found.model.tree_, present_case.similar(), present_case.lacking(case)
    asked, shares = case_words.asked_of(tree), present_case.leaf_shares()
    alike = [found.data.y[i] for i in near.rows]
    evaluation, assessed = state.value_of("evaluation"), stability_words.assessed(case, asked, lacking)
    remarks = case_words.case_remarks(case, view, lacking, evaluation, present_case.unread(case))
    entered = case_words.entered(present_case.typed(), len(case.values), present_case.row() is not None, view)
    sentence = case_words.case_sentence(tree, shares, case, view, alike, lacking)
    return Told(
        heading=case_words.case_heading(case, view, found.data.target, lacking, present_case.costs()),
        agree=case_words.agree(case, view, asked, lacking),
        warnings=case_words.outside(case, view, present_case.ranges(case), present_case.doubtful_zeros()),
        sentence=sentence if case.answer is not None else f"{opening(found.data.target)}: {sentence}",
        leaf_range=case_words.leaf_range(tree, shares, case, view),
        stability=case_words.stability_sentence(case, view, asked, lacking),
        remarks=[entered, *remarks] if entered else remarks,
        assessed=assessed,
        marks=stability_words.marks(case, assessed),
    )


def cards(found: present_tree.Fitted, case: Case, view: View, width: float = 200) -> list[tuple[Card, str]]:
    """Return stability, nearest change, what to repeat and the ways to evaluate, each with its picture, "" for none."""
    tree, spread, lacking = found.model.tree_, present_case.spread(case), present_case.lacking(case)
    asked = case_words.asked_of(tree)
    assessed = stability_words.assessed(case, asked, lacking)
    nearest = nearest_change_svg(case, view, spread=spread, width=width) if case.nearest_shown_answer else ""
    bars = stability_bars_svg(tree, case, view, width=width) if assessed else ""
    repeat = repeat_svg(case, view, width=width) if case.best_repeat else ""
    return [
        (case_words.stability_card(case, view, asked, lacking), bars),
        (case_words.change_card(case, view, spread, present_case.unrounded(case)), nearest),
        (case_words.repeat_card(case, view, lacking, asked), repeat),
        (case_words.ways_card(case, view), four_ways_svg(case, view, width=width)),
    ]
