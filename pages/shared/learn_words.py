"""What the lessons ask, answer and conclude, in words; every figure in them is the engine's.

In: results of `engine.lessons`. Out: text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import lessons
from engine.draw.lesson_charts import cuts_text
from engine.number_words import number_text, percent_text

COVERED = "Choose what you expect; the curves and the moral are covered until then."
SHOW, COVER = "Just show me", "Cover again"
NUMBERS = "The figure in numbers"
DESK, PROJECTOR = "Desk", "Projector"
LEAVE = "Leave (Esc)"
SPACE = " (space bar)"
FOR_THE_ROOM = (
    "Projector: figure alone, type at least half as large again. The space bar shows or hides the curves, Page Down "
    "goes on to what happens and the moral, arrow keys move σ or the mark that Tab has chosen, Esc comes back here."
)
LINK = "The link opens this lesson as it is set now; it holds nothing else."
NO_LESSON = "The link names a lesson that is not here, so the page opens as it would without it."
MOONS = (
    "200 patients and those you add, depth 3, leaves of at least 5; percentages on 1,000 new patients. Drag what you "
    "added, or move it by arrow keys: tree, zones and surface follow."
)
ACCURACY = "Accuracy counts patients whose own outcome is known; an open outcome is neither right nor wrong."
SHARED = (
    "The bounds let an open label be shared between the classes; with whole patients the upper one may lie lower, "
    "by at most 1/(2n²)."
)
ZONES = {
    "margin": "Margin",
    "node_bootstrap": "Bootstrap",
    "quality_plateau": "Plateau",
    "class_overlap": "Overlap",
    "gain_ratio": "Gain ratio",
}
ZONE_MEANINGS = {
    "margin": "up to the nearest patient on the wrong side",
    "node_bootstrap": "as far as the threshold strays when patients are drawn again",
    "quality_plateau": "as wide as the stretch where a threshold gains almost as much",
    "class_overlap": "as wide as the classes overlap",
    "gain_ratio": "a tenth of the range or less, the less the better the split",
}
ROUTINGS = {"zone": "Probabilistic", "deferred": "Deferred"}
RULES = {"differ": "one test alone +", "both": "both +", "first": "the first +"}
SETS = {"clean": "Clean", "noisy": "Noisy", "yours": "Yours"}
STATES = {1: "true", 0: "unknown", -1: "false"}
DRAWS = {100: "100", 1000: "1,000", 10000: "10,000"}
DEPTHS = {1: "one level", 2: "two", 3: "three"}
OPTIONS: dict[tuple[str, str], dict[Any, str]] = {  # by lesson and setting; the handout has the words of the screen
    ("points", "set"): SETS,
    ("order", "draws"): DRAWS,
    ("missed", "depth"): DEPTHS,
    ("moons", "zone"): ZONES,
    ("moons", "routing"): ROUTINGS,
    ("verdict", "split0"): STATES,
    ("verdict", "split1"): STATES,
    ("verdict", "split2"): STATES,
    ("tests", "rule"): RULES,
}
TABLE_II = (
    "In print, one leaf of Table II of the soft-tree paper carries 0.310 and 0.790, which sum to 1.10; 0.210 fits. The "
    "patients here are invented by our own code, not the paper's."
)


@dataclass(frozen=True)
class Lesson:
    """One lesson in words.

    `question` is asked of a fixed setting, so that its answer does not move with the figure. `answer` returns the
    right option's place and what happens.
    """

    title: str
    heading: str
    under: str
    minutes: int
    question: str
    options: tuple[str, ...]
    answer: Callable[[], tuple[int, str]]
    attempt: str
    moral: str


def points() -> tuple[int, str]:
    """Soft search on the noisy points at σ 1.6."""
    found = lessons.four_points(lessons.NOISY, 1.6)
    near = [abs(found.tops[0] - cut) for cut in (-0.2, 0.0, 2.0)]
    told = f"The curve has a single top at {cuts_text(found.tops)}, where the true classes part. Exact search ties: "
    return int(np.argmin(near)), told + f"{cuts_text(found.exact_best)}, gain {found.exact_gain:.3f} either way."


def order() -> tuple[int, str]:
    """Two readings at σ 2."""
    found = lessons.two_points(2.0)
    near = [abs(found.right - each) for each in (0.84, 0.92, 0.98)]
    told = (
        f"{100 * found.right:.1f} of 100: both readings err, so their difference has σ times √2. Printed is Φ(4/(2σ)), "
        f"which would be {100 * found.misprint:.1f}. Of {found.draws:,} simulated pairs "
        f"{100 * found.simulated[1]:.1f} % keep it."
    )
    return int(np.argmin(near)), told


def missed() -> tuple[int, str]:
    """The heart-failure tree of one split, at σ 5."""
    found = lessons.missed(33.0, 5.0)
    hard, soft = (found.counts[name] for name in ("hard", "soft"))
    (hard_n, hard_p), (soft_n, soft_p) = ((int(c[1, 0]), int(c[0, 1])) for c in (hard, soft))
    right = 0 if abs(soft_n - hard_n) <= 2 and soft_p < hard_p else 1 if soft_n < hard_n and soft_p < hard_p else 2
    told = (
        f"Missed: {hard_n} read hard, {soft_n} read soft. False alarms: {hard_p} and {soft_p}. Only answers near the "
        f"threshold change; {found.n_near} of {found.n} patients stand within one σ of it."
    )
    return right, told


def moons() -> tuple[int, str]:
    """Which zone leaves most new patients undecided."""
    rates = [lessons.two_moons(zone).told.boundary_uncertain_rate or 0.0 for zone in lessons.ZONES]
    each = ", ".join(f"{ZONES[z].lower()} {100 * rate:.0f} %" for z, rate in zip(lessons.ZONES, rates, strict=True))
    told = f"Of {lessons.NEW_MOONS:,} new patients undecided: {each}. The tree's splits are the same in all five."
    return int(np.argmax(rates)), told


def verdict() -> tuple[int, str]:
    """First split true, its left child's true, the other side's unknown."""
    found = lessons.verdict((lessons.TRUE, lessons.TRUE, lessons.UNKNOWN))
    told = f"The verdict is {'decided' if found.decided else 'undecided'}: the patient never meets that split. "
    return (0 if found.decided else 1), told + "False and unknown is false, so its leaves are ruled out all the same."


def open_labels() -> tuple[int, str]:
    """Six, two, and four without a label."""
    found = lessons.orthopartition(6, 2, 4)
    told = (
        f"From {found.low:.3f} (all four in class A) to {found.high:.3f} (all in class B), and nothing beyond. "
        f"The tree uses the mean, {found.mean:.3f}; gini of the eight alone is {found.gini:.3f}."
    )
    return (1 if found.low < found.gini < found.high else 0), told


def abstention() -> tuple[int, str]:
    """τ from 0.7 to 0.9."""
    before, after = lessons.abstention(0.7), lessons.abstention(0.9)
    change = (after.accuracy or 0.0) - (before.accuracy or 0.0)
    told = (
        f"At τ 0.7 {before.right} of {before.right + before.wrong} known outcomes are answered rightly "
        f"({100 * (before.accuracy or 0):.1f} %), at τ 0.9 {after.right} of {after.right + after.wrong} "
        f"({100 * (after.accuracy or 0):.1f} %); answered are {100 * before.coverage:.0f} % and "
        f"{100 * after.coverage:.0f} % of all. Of those given up, {before.right - after.right} had been answered "
        f"rightly and {before.wrong - after.wrong} wrongly."
    )
    return (0 if change > 0.005 else 2 if change < -0.005 else 1), told


def tests() -> tuple[int, str]:
    """Naive Bayes where exactly one test is positive."""
    found = lessons.two_tests("differ", 1.0)
    right = int(np.argmin([abs(found.bayes_accuracy - each) for each in (0.5, 0.75, 1.0)]))
    told = (
        f"{100 * found.bayes_accuracy:.0f} %: each test alone is positive in as many ill as well, so naive Bayes says "
        f"{percent_text(float(found.bayes[0, 0]))} to everybody. The tree asks one test first, and is right in "
        f"{100 * found.tree_accuracy:.0f} %."
    )
    return right, told


def repeated() -> tuple[int, str]:
    """A reading of 150 between 140 and 160 at σ 20."""
    found = lessons.repeated(150.0, 20.0, 140.0, 160.0)
    coherent, independent = float(found.coherent[1]), float(found.independent[1])
    told = (
        f"Independent gates say {100 * independent:.1f} %, coherent ones {100 * coherent:.1f} %, and of "
        f"{found.draws:,} true values drawn {100 * float(found.simulated[1]):.1f} % fall between. Who is above 140 is "
        "likelier above 160 too, which independent gates forget."
    )
    return (1 if independent > coherent + 1e-9 else 2 if independent < coherent - 1e-9 else 0), told


LESSONS = {
    "points": Lesson(
        "Soft search on four points",
        "A cut for what might have been measured, too",
        "Four patients, two of each class, before and after noise has swapped the two in the middle.",
        4,
        "Soft search knows that σ is 1.6. Where will it cut the four noisy patients?",
        ("near −0.2, as exact search may", "near 0, between the middle two", "at 2, as exact search may"),
        points,
        "Now try σ 1.0, and count the tops.",
        "Exact search serves the values it was shown. "
        "Soft search serves all that these patients might have shown, if σ is stated rightly.",
    ),
    "order": Lesson(
        "Soft propagation, two points",
        "Two readings err more than one",
        "Two patients truly at −2 and 2. How often do their readings stand in the right order?",
        3,
        "With σ 2 for each reading, how many of 100 pairs of readings keep their order?",
        ("about 84", "about 92", "about 98"),
        order,
        "Now move σ to 6, and see how far the printed formula is off.",
        "A difference of two readings carries the error of both, √2 times that of one. "
        "A formula in print can be checked by a simulation of ten lines.",
    ),
    "missed": Lesson(
        "Ejection fraction: who is missed",
        "A patient at the threshold is not a patient beyond it",
        "A tree of one question, grown on 200 invented heart-failure patients and tried on 200 others.",
        5,
        "The same tree is read by soft gates with σ 5 instead of hard ones. What becomes of its errors?",
        ("about as many missed, fewer false alarms", "fewer of both", "fewer missed, more false alarms"),
        missed,
        "Now let the tree ask three levels deep, and count again.",
        "A soft reading lets both sides of a threshold speak for a patient who stands near it. "
        "It moves errors as well as removing them, so count the missed and the false alarms apart.",
    ),
    "moons": Lesson(
        "Five zones on two moons",
        "Where a split should not be trusted",
        "The same tree with five rules for the width of its zones, and two ways to read a patient inside one.",
        5,
        "Which rule leaves most patients undecided?",
        tuple(f"{name}: {ZONE_MEANINGS[zone]}" for zone, name in ZONES.items()),
        moons,
        "Now switch the routing: who is undecided stays, and only what is answered there changes.",
        "A zone says where a split should not be trusted. "
        "A wider zone leaves more patients without a verdict, and mostly a surer rest.",
    ),
    "verdict": Lesson(
        "Verdicts along a path",
        "One unknown on the way, or beside it",
        "Each of three splits is true, false or unknown for a patient: a reading inside a zone is unknown.",
        3,
        "The first split is true, and so is the one below it. The split on the other side is unknown. The answer is …",
        ("decided", "undecided"),
        verdict,
        "Now make the first split unknown: how many leaves may be the patient's?",
        "An unknown on the way makes the whole way unknown; one beside it changes nothing. "
        "A verdict qualifies an answer, it never withholds it.",
    ),
    "open": Lesson(
        "Entropy when doctors abstain",
        "What an open label leaves possible",
        "Drag each patient without a label to either class, and back.",
        4,
        "Six patients of class A, two of class B, four without a label. How mixed is this group?",
        ("as mixed as the eight labelled ones", "only a range can be known, but that exactly", "nothing can be said"),
        open_labels,
        "Now drag one ⊥ to class A: which end of the range moves?",
        "An open label does not hide everything: the entropy has exact bounds, and the tree uses their mean. "
        "Every label that is settled can only narrow them.",
    ),
    "abstention": Lesson(
        "Abstention against τ",
        "What silence buys",
        "A three-way tree grown on 250 invented patients of a registry, tried on 250 others.",
        4,
        "τ rises from 0.7 to 0.9. Of those still answered, the part answered rightly …",
        ("rises", "stays about the same", "falls clearly"),
        abstention,
        "Now move τ down to 0.6, and weigh what is won in answers against what is lost in accuracy.",
        "Abstention buys accuracy only while the surest leaves are also the rightest. "
        "An accuracy says little without the part of the patients it speaks of.",
    ),
    "tests": Lesson(
        "Conditional independence",
        "Two tests that say nothing apart and all together",
        "80 invented patients by two tests; who is ill follows a rule that you choose.",
        4,
        "The ill are those with exactly one positive test. How many patients does naive Bayes answer rightly?",
        ("about half", "about three quarters", "all"),
        tests,
        "Now choose “both +”: does the tree still split?",
        "Naive Bayes adds up what each test says alone, and here neither says anything alone. "
        "One split is enough: in each branch the other test says all.",
    ),
    "repeated": Lesson(
        "Coherent or independent",
        "Two questions about one value are not two witnesses",
        "A path asks whether a value lies above 140, and then whether it lies at or below 160.",
        4,
        "A reading of 150 with σ 20: if the two questions are taken as independent, the middle leaf's share is …",
        ("the same", "too large", "too small"),
        repeated,
        "Now lower σ to 5: the two ways of reckoning meet. Why?",
        "Two questions about one value are not two pieces of evidence. "
        "A coherent gate remembers the first answer, and so agrees with simulation.",
    ),
}


SOFT = "Nunes et al., Decision Tree Learning for Uncertain Clinical Measurements"
TERNARY = "Smits, Ternary Decision Trees with Locally-Adaptive Uncertainty Zones"
SOURCES = {
    "points": f"{SOFT}, §3.4; the best cuts are worked anew.",
    "order": f"{SOFT}, §3.4, with the formula set right.",
    "missed": f"{SOFT}, §3.3 and Tables II and III; the patients are invented by our own code.",
    "moons": f"{TERNARY}; the points are scikit-learn's two moons.",
    "verdict": f"{TERNARY}; Kleene's three-valued logic.",
    "open": "Campagner, Cabitza and Ciucci, Exploring Medical Data Classification with Three-Way Decision Trees.",
    "abstention": (
        "Campagner, Cabitza and Ciucci, Exploring Medical Data Classification with Three-Way Decision Trees; the "
        "patients are invented by our own code."
    ),
    "tests": "Zhang and Su, Conditional Independence Trees; the patients are invented.",
    "repeated": f"{SOFT}, whose soft gates are independent; the coherent gate is our own addition.",
}


def happens(lesson: str, choice: int) -> tuple[str, str]:
    """Return what the reader said beside what is so, and what happens."""
    one = LESSONS[lesson]
    right, told = one.answer()
    if choice < 0:
        return opened(one.options[right]) + ".", told
    if choice == right:
        return f"{opened(one.options[choice])}, as you said.", told
    return f"You said: {one.options[choice]}. It is: {one.options[right]}.", told


def refused(names: list[str]) -> str:
    """Return in one sentence which parts of a link the lesson cannot take."""
    told = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    each = "it begins with its own" if len(names) == 1 else "it begins with its own instead"
    return f"This lesson cannot take the {told} that the link asks for; {each}."


def opened(text: str) -> str:
    """Return a text with a capital."""
    return text[:1].upper() + text[1:]


def tops(found: lessons.FourPoints) -> str:
    """Return what the two searches see, as the figure's heading."""
    exact, soft = len(found.exact_best), len(found.tops)
    seen = ("no cut", "one cut", "two cuts", "three cuts")
    return f"Exact search sees {seen[min(exact, 3)]}, soft search {('none', 'one', 'two')[min(soft, 2)]}"


def fork(found: lessons.Fork) -> str:
    """Return where two best cuts become one."""
    if not any(found.tops):
        return "No cut gains anything, whatever σ is."
    if all(len(each) == 1 for each in found.tops):
        return "One best cut, whatever σ is."
    last = number_text(round(found.one_top_from - 0.01, 2))
    return f"Up to {last} two cuts tie; from {number_text(found.one_top_from)} up, one."
