"""Decision trees that know how sure they are: the public names.

In: tables, labels, noise. Out: `UncertainTreeClassifier` and what it says of patients.
"""

from engine.classifier import UncertainTreeClassifier, variant
from engine.errors import PenumbraError
from engine.noise import Noise
from engine.read import read_table
from engine.recipe import VARIANTS
from engine.tree import Tree
from engine.tuning import confidence_for_leaves

__all__ = [
    "VARIANTS",
    "Noise",
    "PenumbraError",
    "Tree",
    "UncertainTreeClassifier",
    "confidence_for_leaves",
    "read_table",
    "variant",
]
