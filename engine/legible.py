"""Text that came from data, so that a reader sees what it holds and nothing beside it changes.

In: names of columns, classes and categories. Out: the same text; what no screen shows has a sign of its own, and what
a spreadsheet would run as a formula an apostrophe before it.
"""

from __future__ import annotations

import re

CONTROL, DELETE, UNKNOWN = 0x2400, "\u2421", "\ufffd"  # ␀ and the 31 after it, ␡, and the sign of a broken character
EMBEDDINGS, ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
END_EMBEDDING, END_ISOLATE = "\u202c", "\u2069"
LAST_TWO = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))  # of each plane: none
HIDDEN = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{LAST_TWO}]")  # characters that no picture or file can hold
FORMULA = re.compile(r"'*[=+\-@\t\r]")  # how a text begins that a spreadsheet would run, and one guarded before


def visible(text: str, kept: str = "") -> str:
    """Return the text with a sign for each character that no picture or file can hold: ␀ for NUL, � for half a pair.

    Parameters
    ----------
    kept : control characters to leave as they are, such as the line break.

    Examples
    --------
    >>> visible("a\\x00b\\tc\\n", kept="\\n")
    'a␀b␉c\\n'
    """
    return HIDDEN.sub(lambda found: found[0] if found[0] in kept else _sign(found[0]), text.replace("\r\n", "\n"))


def _sign(character: str) -> str:
    code = ord(character)
    return chr(CONTROL + code) if code < 32 else DELETE if code == 127 else UNKNOWN


def contained(name: str) -> str:
    """Return a name that ends each change of writing direction which it begins.

    A right-to-left override that a name leaves open would turn round the figures printed after it: 0.23 as 32.0. One
    that it ends without having begun would end another's.

    Examples
    --------
    >>> ascii(contained("\\u202eabc"))
    "'\\\\u202eabc\\\\u202c'"
    """
    if not set(name) & set(EMBEDDINGS + ISOLATES + END_EMBEDDING + END_ISOLATE):
        return name
    kept, open_ = [], []
    for character in name:
        if character in EMBEDDINGS + ISOLATES:
            open_.append(END_EMBEDDING if character in EMBEDDINGS else END_ISOLATE)
        elif character == END_EMBEDDING:
            if open_[-1:] != [END_EMBEDDING]:
                continue
            open_.pop()
        elif character == END_ISOLATE:
            if END_ISOLATE not in open_:
                continue
            while open_.pop() != END_ISOLATE:  # an isolate's end closes the embeddings begun inside it
                pass
        kept.append(character)
    return "".join(kept + open_[::-1])


def guarded(text: str) -> str:
    """Return a text of a table with an apostrophe before it where a spreadsheet would run it as a formula.

    A text that looks guarded already gets one more, so that `unguarded` gives every text back.

    Examples
    --------
    >>> guarded("=1+1"), guarded("'=1+1"), guarded("glucose")
    ("'=1+1", "''=1+1", 'glucose')
    """
    return f"'{text}" if FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("'glucose'")
    ('=1+1', "'glucose'")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text
