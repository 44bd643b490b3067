"""What the engine raises when a person can do something about it.

In: a sentence. Out: an exception whose text names what was given, what is allowed and what to do.
"""


class PenumbraError(ValueError):
    """One sentence a user can act on; it never holds a patient's value. It is a ValueError, as scikit-learn expects.

    Examples
    --------
    >>> from engine import PenumbraError, variant
    >>> try:
    ...     variant("C5")
    ... except PenumbraError as error:
    ...     print(str(error)[:24])
    There is no variant 'C5'
    """


class ImpreciseLabels(PenumbraError):
    """A choice that needs one class per patient met labels that leave several classes possible. METHODS §0.1"""
