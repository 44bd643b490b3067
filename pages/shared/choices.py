"""What a reader can choose: the records of their choices, and which of these belong together.

In: nothing. Out: records of plain data with what a session begins with, and names of choices; no session key.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from engine.leaf_filter import LeafFilter
from engine.noise_table import Stated

SIZE = ("pruning", "max_depth", "min_weight_leaf")  # what all named variants that are compared share
FIRST_EXAMPLE = "ejection_fraction"
FIRST_VARIANT = "SS+STP"
FIRST_CHANGES = {"pruning": "none", "decision": "tau", "max_depth": 3, "min_weight_leaf": 20}
READING = ("evaluation", "decision", "tau", "cost", "abstain_cost")
FACTORS = ("u_s", "u_p", "u_e")
JUST_SHOWN = -1  # as an answer to a lesson's question: the reader asked to be shown
NEAR_A_THRESHOLD = -1  # as a row: the first patient who is, until the Patient page has shown one
WHOLE = 0  # as a depth: all levels
NOBODY, PATIENT, OTHERS = "nobody", "patient", "others"
OF_THE_PATIENT = ("node", "row", "typed", "listed", "comparing")  # where the reader looks: no step of undo
OF_THE_PICTURE = ("picture", "others", "others_name")  # with another of these, the tree and its nodes are the same
OF_THE_FILE = ("example", "content", "filename", "reading", "roles")  # with another of these, rows are other patients
OF_THE_DATA = (
    *OF_THE_FILE, "units", "zeros", "aside", "open_aside", "limits", "abstain", "cuts", "positive", "sigma",
)  # what patients, classes and σ follow from


@dataclass(frozen=True)
class Picture:
    """How much of the tree is drawn, and what is laid over it; nothing of this is fitted.

    `closed` and `opened` are nodes folded and unfolded by hand; they belong to the tree whose key is `tree` and mean
    nothing for another. `depth` is the depth down to which levels are drawn, `WHOLE`, or None: as the tree opens.
    """

    tree: str = ""
    closed: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    depth: int | None = None
    leaves: LeafFilter = field(default_factory=LeafFilter)
    fold_failing: bool = False
    over: str = NOBODY


@dataclass(frozen=True)
class Compared:
    """One variant to compare: a named one in the common size, or `kept`, the Tree page's settings as they were.

    `changes` are the parameters in which a kept one differs from the named variant, the factors of σ among them.
    """

    name: str
    changes: dict[str, Any] = field(default_factory=dict)
    kept: bool = False


@dataclass(frozen=True)
class Comparing:
    """What the Compare and Robustness pages set side by side; the first variant is the reference.

    `size` is the size of all named variants, None while it is the Tree page's. `pair` are two places among the
    variants, `cell` the answers of both, as text, whose patients are listed. `levels` are those of the noise added on
    Robustness, `levels_refused` says that what was asked for last was none, `noisy` are the variants that are tried
    there, all while empty. `left` is what the Tree page held before
    a patient was opened from here, `opened` the variant that was, and `turn` that Patient is still to be turned to.
    """

    variants: tuple[Compared, ...] = (Compared("C4.5"), Compared("SS+STP"))
    size: dict[str, Any] | None = None
    folds: int = 5
    repeats: int = 5
    seed: int = 0
    pair: tuple[int, int] = (0, 1)
    cell: tuple[str, str] | None = None
    sweep: str = "tau"
    levels: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3)
    noisy: tuple[int, ...] = ()
    noise_repeats: int = 1
    levels_refused: bool = False
    left: dict[str, Any] | None = None
    opened: str = ""
    turn: bool = False


@dataclass
class Choices:
    """All choices; everything is plain data, and a patient's values stay here, in the session's memory.

    `costs` holds what an answer costs by (true class, answer), both as text; a pair not named costs 1.
    `calibrate` is the part of patients that zones are to leave undecided, "bayes", or None for zones as they are.
    `open_aside` sets patients aside whose outcome is open: missing, abstained, or several classes still possible.
    `limits` holds, by column, how a value below the limit of detection is read: "limit" or "half"; else as missing.
    `cuts` holds by column, should it be the answer, below which number it is low and above which it is high.
    `stated` is what only the reader knows of the model facts, such as where the data are from, by what it is called.
    `row` is a patient's row in the file, from 0, whoever is set aside; None is a typed case.
    `others` is a second file of patients to lay over the tree; `listed` says that the node's patients are listed.
    """

    example: str | None = FIRST_EXAMPLE
    content: bytes | None = None
    filename: str = ""
    reading: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    open_aside: bool = False
    limits: dict[str, str] = field(default_factory=dict)
    abstain: tuple[str, ...] | None = None
    cuts: dict[str, tuple[float, float]] = field(default_factory=dict)
    positive: str | None = None
    sigma: dict[str, Stated] | None = None
    factor: float = 1.0
    factors: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FACTORS, 1.0))
    variant: str = FIRST_VARIANT
    axes: dict[str, Any] = field(default_factory=FIRST_CHANGES.copy)
    costs: dict[tuple[str, str], float] = field(default_factory=dict)
    calibrate: str | float | None = None
    node: int = 0
    row: int | None = NEAR_A_THRESHOLD
    typed: dict[str, Any] = field(default_factory=dict)
    picture: Picture = field(default_factory=Picture)
    others: bytes | None = None
    others_name: str = ""
    listed: bool = False
    stated: dict[str, str] = field(default_factory=dict)
    comparing: Comparing = field(default_factory=Comparing)


def snapshot(now: Choices) -> dict[str, Any]:
    """Return what a step of undo gives back: all choices but where the reader looks, dicts as they are now."""
    values = {each.name: getattr(now, each.name) for each in fields(now) if each.name not in OF_THE_PATIENT}
    return {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}


@dataclass
class Learning:
    """Where the reader is on the Learn page; it has nothing to do with the data, and is no step of undo.

    `answers` holds by lesson the option chosen, or `JUST_SHOWN`; a lesson not named is still covered.
    `settings` holds what was moved in the figures, by lesson and name. `projector` shows the figure alone, larger.
    `refused` says what of the link that opened the page is not taken up, "" when all is.
    """

    lesson: str = "points"
    answers: dict[str, int] = field(default_factory=dict)
    settings: dict[tuple[str, str], Any] = field(default_factory=dict)
    projector: bool = False
    refused: str = ""
