"""Labels and sentences about a file and its columns.

In: what was understood of a file. Out: text.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.cuts import HIGH, LOW, OPEN
from engine.number_words import number_text
from pages.shared.words import count, part, plural

ROLE_LABELS = {
    "numeric": "measured",
    "nominal": "category",
    "target": "answer",
    "identifier": "identifier",
    "ignore": "left out",
}
MOST_LABELS = 50
READING_LABELS = {
    "delimiter": "Separator",
    "decimal": "Decimal mark",
    "thousands": "Thousands mark",
    "encoding": "Encoding",
    "missing": "Missing written as",
    "sheet": "Sheet",
}
DELIMITERS = {",": ", comma", ";": "; semicolon", "\t": "tab", "|": "| bar", " ": "space"}
DECIMALS = {".": ". point", ",": ", comma"}
THOUSANDS = {"": "none", ",": ", comma", ".": ". point", " ": "space", "'": "' apostrophe"}
DATA_UNDER = "Nothing is fitted until you go on. Everything below was guessed from the file and can be changed."
UNSETTLED = "not settled"
UNREAD = "This file could not be read as a table"
UNREAD_UNDER = "State how it is written, choose another file or an example, or undo."
DATA_HEADS = ("Column", "Role", "Unit", "Values", "Missing", "First rows")
MISSING_HELP = "In place of the usual ones (NA, n/a, ?, … and empty cells); empty returns to those."
ASIDE = "They are left out of the tree. Kept, a missing value is shared at each split by where the others went."
ABSTAINED = "In a leaf such a label counts evenly for each class; at a split it widens the impurity."
OPEN_ASIDE = (
    "Missing, abstained, or several classes still possible. Left in, every class that is possible stays so; some "
    "variants (PLT, CITree, Ternary by margin or by class overlap) need one class for every patient."
)
LIMITS = {"missing": "as missing", "limit": "as the limit itself", "half": "as half the limit"}
LIMIT_HELP = (
    "Such a value is known to be low (or high, with >), but not how low. Read as missing, that knowledge is lost; as a "
    "number, it is a guess that a threshold near the limit may hang on. Half is taken of lower limits only."
)
POSITIVE = "The class whose probability is shown; it changes no answer."
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with mark",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}


CUT_ASK = "Cut it into low and high instead"
CUT_DROP = "Do not cut"
CUT_OPEN = "Open: counted as a patient whose doctor did not decide. " + ABSTAINED
CUT_START = (
    "To start, both cuts stand at the median, or the nearest place between two values: as even a number of "
    "patients as can be on either side, nobody open. Put in the limit your field uses; where a value near it "
    "proves nothing, as a change no larger than its measurement error, put the two cuts apart."
)
CUT_HELP = "Below the low cut a patient is low, above the high cut high; from one to the other, both included, open."


def role(value: str) -> str:
    return ROLE_LABELS.get(value, value)


def unlabelled(n: int) -> str:
    return f"{plural(n, 'patient')} without a class: every class stays possible. {ABSTAINED}"


def open_aside(n: int) -> str:
    return f"Set aside {plural(n, 'patient')} whose outcome is open"


def limit_label(texts: tuple[str, ...], cells: int) -> str:
    """Return what a column's values beyond a limit are called: "3 written <5"."""
    return f"{cells:,} written {', '.join(texts)}" if texts else f"{cells:,} beyond a limit"


def missing(n: int, of: int) -> str:
    return f"{n:,} ({part(n, of)})" if n else "none"


def must_be_cut(name: str, different: int, where: str = "") -> str:
    """Return why a measurement cannot be answered as it stands."""
    return (
        f"An outcome must be classes, and “{name}” holds {different:,} different numbers: cut it into low and high "
        f"{where + ', ' if where else ''}or choose another column."
    )


def cut_said(cut: tuple[float, float], unit: str) -> str:
    """Return where the outcome is cut, in short."""
    low, high = (number_text(edge, 15) for edge in cut)
    return f"{low if cut[0] == cut[1] else f'{low} and {high}'} {unit}".rstrip()


def more_labels(n: int) -> str:
    return f"and {n:,} more labels, each a class of its own"


def cut_refused(asked: tuple[float, float], held: tuple[float, float] | None) -> str:
    """Return why two cuts do not go together, and what stays in force."""
    low, high = map(number_text, asked)
    stays = "nothing is cut" if held is None else f"it stays cut at {cut_said(held, '')}"
    return f"The low cut, {low}, lies above the high cut, {high}; until it is equal or lower, {stays}."


def cut_equal(cut: tuple[float, float], exactly: int) -> str:
    """Return what equal cuts leave open."""
    on = number_text(cut[0], 15)
    if not exactly:
        return "The cuts are equal: no value is open."
    return (
        f"The cuts are equal: only a value of exactly {on} is open, {plural(exactly, 'patient')}. "
        "Cut between two values to leave nobody open."
    )


def cut_one_class(counts: Mapping[str, int]) -> str:
    """Return what is wrong where a cut leaves a class without patients."""
    if not counts[LOW] and not counts[HIGH]:
        return "Every patient is open by these cuts; bring them closer together, for a tree needs both classes."
    empty, move = (LOW, "raise the low cut") if not counts[LOW] else (HIGH, "lower the high cut")
    return f"No patient is {empty} by these cuts, and a tree needs both classes; {move}."


def cut_rows(cut: tuple[float, float], counts: Mapping[str, int], unit: str) -> list[tuple[str, str, str, int]]:
    """Return for low, open, high and no value: the label, its name, which values it takes, how many patients."""
    low, high = (f"{number_text(edge, 15)} {unit}".strip() for edge in cut)
    middle = f"exactly {low}" if cut[0] == cut[1] else f"{number_text(cut[0], 15)} to {high}"
    rows = [(LOW, "low", f"below {low}"), (OPEN, "open", middle), (HIGH, "high", f"above {high}")]
    rows += [("", "no value", "every class possible")] if counts[""] else []
    return [(*row, counts[row[0]]) for row in rows]


def data_heading(patients: int, problems: int) -> str:
    """Return the Data page's finding."""
    left = f"{count(problems)} {'thing' if problems == 1 else 'things'} to look at" if problems else "nothing odd found"
    return f"{plural(patients, 'patient')} read, {left}"
