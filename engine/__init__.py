"""Decision trees that know how sure they are: the public names.

In: tables, labels, noise. Out: `UncertainTreeClassifier` and what it says of patients.
Each name brings its part of the engine when it is first asked for; scikit-learn alone takes a second to read.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
FROM = {
    "VARIANTS": "recipe",
    "Noise": "noise",
    "PenumbraError": "errors",
    "Tree": "tree",
    "UncertainTreeClassifier": "classifier",
    "confidence_for_leaves": "tuning",
    "read_table": "read",
    "variant": "classifier",
}


def __getattr__(name: str) -> Any:
    if name not in FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{FROM[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
