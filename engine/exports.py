"""A fitted classifier as a file for other programs: PMML, a Python function, a JavaScript function.

In: a fitted `UncertainTreeClassifier`. Out: text. All three hold the tree and its noise, and no patient's values.
"""

from __future__ import annotations

from importlib import metadata

from sklearn.utils.validation import check_is_fitted

from engine.classifier import UncertainTreeClassifier
from engine.code_export import to_javascript, to_python
from engine.decide import Rule
from engine.export import INTENDED_USE
from engine.noise import ResolvedNoise
from engine.pmml import to_pmml
from engine.recipe import Recipe
from engine.tree import Tree

NOT_A_DIAGNOSIS = "It supports a clinician's decision and is not a diagnosis. It holds no patient data."


def pmml(model: UncertainTreeClassifier, target: str = "class") -> str:
    """Return a fitted model as PMML 4.4, for hard-gated trees with fixed leaves.

    Parameters
    ----------
    model : fitted; its evaluation and decision as they are set now. target : name of the class's field.

    Raises
    ------
    PenumbraError
        With the reason, when PMML has no way to say what the model does.

    Examples
    --------
    >>> model = UncertainTreeClassifier(min_weight_leaf=1).fit([[88.0], [95.0], [142.0], [160.0]], [0, 0, 1, 1])
    >>> pmml(model).splitlines()[-1]
    '</PMML>'
    """
    tree, rule, evaluation, noise = parts(model)
    application = ("Penumbra", version())
    return to_pmml(tree, rule, evaluation, noise, " ".join(heading(model)), application, target)


def python_function(model: UncertainTreeClassifier) -> str:
    """Return a fitted model as a Python program with `predict_proba(patient)` and `decide(patient)`.

    It needs Python 3.9 and nothing else, and answers within 1e-12 of the model, whatever its evaluation and decision.

    Parameters
    ----------
    model : fitted; its evaluation and decision as they are set now.

    Examples
    --------
    >>> model = UncertainTreeClassifier(min_weight_leaf=1).fit([[88.0], [95.0], [142.0], [160.0]], [0, 0, 1, 1])
    >>> program = python_function(model)
    >>> "import math" in program, "import numpy" in program
    (True, False)
    """
    return to_python(*parts(model), heading(model))


def javascript_function(model: UncertainTreeClassifier, module: bool = True) -> str:
    """Return a fitted model as a JavaScript program with `predict_proba(patient)` and `decide(patient)`.

    Parameters
    ----------
    model : fitted. module : True: an ES module; False: a plain script that defines `penumbra`.

    Examples
    --------
    >>> model = UncertainTreeClassifier(min_weight_leaf=1).fit([[88.0], [95.0], [142.0], [160.0]], [0, 0, 1, 1])
    >>> javascript_function(model).splitlines()[-1]
    'export const { classes, predict_proba, decide } = penumbra;'
    """
    return to_javascript(*parts(model), heading(model), module)


def parts(model: UncertainTreeClassifier) -> tuple[Tree, Rule, str, ResolvedNoise]:
    """Return what answers a patient: the tree, the decision, the evaluation and its noise, as they are set now."""
    check_is_fitted(model)
    model.with_decision()  # refuses an evaluation or decision that was set after the fit and does not fit
    rule = Rule(model.decision, float(model.tau), model.cost, model.abstain_cost)
    return model.tree_, rule, model.evaluation, model.noise_evaluation_


def heading(model: UncertainTreeClassifier) -> list[str]:
    """Return the lines that every export opens with: what it is, what it is for, what made it."""
    recipe: Recipe = model.recipe_
    return [
        f"Decision tree by Penumbra {version()}: {model.n_leaves_} leaves, evaluation {model.evaluation}, "
        f"decision {model.decision}, grown by {recipe.search} search on {recipe.criterion}.",
        INTENDED_USE,
        NOT_A_DIAGNOSIS,
    ]


def version() -> str:
    """Return this program's version, or say that it was not installed as a package."""
    try:
        return metadata.version("penumbra")
    except metadata.PackageNotFoundError:
        return "(source)"
