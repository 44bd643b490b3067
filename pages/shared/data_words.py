"""Labels and sentences about a file and its columns.

In: what was understood of a file. Out: text.
"""

from __future__ import annotations

from pages.shared.words import count, part, plural

ROLE_LABELS = {
    "numeric": "measured",
    "nominal": "category",
    "target": "answer",
    "identifier": "identifier",
    "ignore": "left out",
}
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


def data_heading(patients: int, problems: int) -> str:
    """Return the Data page's finding."""
    left = f"{count(problems)} {'thing' if problems == 1 else 'things'} to look at" if problems else "nothing odd found"
    return f"{plural(patients, 'patient')} read, {left}"
