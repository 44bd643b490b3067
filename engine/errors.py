"""What the engine raises when a person can do something about it.

In: a sentence. Out: an exception whose text names what was given, what is allowed and what to do.
"""

from __future__ import annotations

LONGEST, FRONT, BACK = 1000, 700, 250  # characters of a sentence; of one that is longer, how much of each end is kept


class PenumbraError(ValueError):
    """One sentence a user can act on; it never holds a patient's value. It is a ValueError, as scikit-learn expects.

    A name in it stays on the line and can be printed, whatever the name holds; one without end is cut.

    Examples
    --------
    >>> from engine import PenumbraError, variant
    >>> try:
    ...     variant("C5")
    ... except PenumbraError as error:
    ...     print(str(error)[:24])
    There is no variant 'C5'
    """

    def __init__(self, sentence: str = "") -> None:
        text = "".join(c.encode("unicode_escape").decode("ascii") if _breaks_out(c) else c for c in str(sentence))
        super().__init__(text if len(text) <= LONGEST else f"{text[:FRONT]} … {text[-BACK:]}")


class ImpreciseLabels(PenumbraError):
    """A choice that needs one class per patient met labels that leave several classes possible. METHODS §0.1"""


def _breaks_out(character: str) -> bool:
    """Return True for what ends a line, drives a terminal or cannot be written at all."""
    code = ord(character)
    return code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 or code in (0x2028, 0x2029)
