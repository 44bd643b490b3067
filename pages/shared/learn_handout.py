"""The handout of the present lesson: gathered from its words and its figure as it is set now.

In: this session's settings of a lesson. Out: two buttons, to print it and to save it.
"""

from __future__ import annotations

from datetime import date
from functools import partial

from engine.draw.lesson_handout import Handout, handout_html
from engine.model_facts import software_version
from pages.shared import words
from pages.shared.learn_link import link
from pages.shared.learn_pictures import SMALL, WIDE, picture
from pages.shared.learn_settings import SETTINGS, held
from pages.shared.learn_words import LESSONS, OPTIONS, SOURCES
from pages.shared.paper_view import paper_buttons

SAVE = "Save the handout"
AS_IT_BEGINS = " The question and its answer are about the lesson as it begins."


def settings(name: str) -> str:
    """Return how a lesson is set now, in words, and whether that is how its question has it."""
    written = {each: setting.write(held(name, each)) for each, setting in SETTINGS[name].items()}
    written |= {each: OPTIONS[name, each][held(name, each)] for each in written if (name, each) in OPTIONS}
    told = ", ".join(f"{SETTINGS[name][each].called} {text}" for each, text in written.items() if text)
    moved = any(held(name, each) != setting.default for each, setting in SETTINGS[name].items())
    return f"The figure is set to: {told}.{AS_IT_BEGINS if moved else ''}"


def handout(name: str) -> str:
    """Return a lesson's handout as one page of HTML."""
    lesson, names = LESSONS[name], list(LESSONS)
    covered, shown = ((picture(name, hidden, SMALL), picture(name, hidden, WIDE)) for hidden in (True, False))
    right, told = lesson.answer()
    software = f"Penumbra {software_version()}, {date.today().isoformat()}."
    return handout_html(
        Handout(
            lesson.title,
            f"Lesson {names.index(name) + 1} of {len(names)}, about {words.count(lesson.minutes)} minutes",
            lesson.question,
            lesson.options,
            covered,
            shown,
            lesson.heading,
            f"The answer is: {lesson.options[right]}. {told}",
            lesson.moral,
            lesson.attempt,
            f"{settings(name)} Open it again: {link()}",
            f"Source: {SOURCES[name]}",
            (software, words.FOOT),
        )
    )


def buttons(name: str) -> None:
    """Draw the buttons that print and save the handout."""
    paper_buttons(partial(handout, name), SAVE, f"penumbra-lesson-{name}.html", key="handout")
