"""A tree as one self-contained Python or JavaScript program: nested tables, and a small fixed interpreter below them.

In: a finished tree, how it is read, its decision and the evaluation noise. Out: program text without dependencies.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import kernels
from engine.decide import Rule
from engine.errors import PenumbraError
from engine.interpreters import JAVASCRIPT, PYTHON
from engine.noise import SHAPES, ResolvedNoise
from engine.table import first_cells
from engine.tree import BINARY, BINS, MIDDLE, NOMINAL, Tree

GATES = {BINARY: "binary", MIDDLE: "middle", NOMINAL: "nominal", BINS: "bins"}
SHAPE_NAMES = {code: name for name, code in SHAPES.items()} | {kernels.TRUNCATED: "truncated"}
LARGEST_WHOLE = 2**53 - 1  # beyond it two whole numbers may be one and the same in JavaScript
HOW_PYTHON = (
    "predict_proba(patient) gives {class: probability}, decide(patient) the answer, CLASSES the classes in order.",
    "A patient is a dict {variable: value}; None, NaN or a variable left out means missing.",
)
HOW_JAVASCRIPT = (
    "predict_proba(patient) gives {class: probability}, decide(patient) the answer, classes the classes in order.",
    "A patient is an object {variable: value}; null, NaN or a variable left out means missing.",
)


def to_python(tree: Tree, rule: Rule, evaluation: str, noise: ResolvedNoise, heading: Sequence[str] = ()) -> str:
    """Return a Python program (3.9 or newer, nothing imported but math) that answers as the tree does.

    It defines `predict_proba(patient)`, `decide(patient)` and `CLASSES`. A patient is a dict by variable name.

    Parameters
    ----------
    tree : the finished tree. rule : the decision. evaluation, noise : how nodes share a patient, by what error.
    heading : lines of comment put on top.

    Raises
    ------
    PenumbraError
        When a class or category is neither text, a number, nor True or False.
    """
    lines = [comment("#", line) for line in (*heading, *HOW_PYTHON)]
    table = written(model_table(tree, rule, evaluation, noise), ascii)
    return "\n".join([*lines, "", f"MODEL = {table}", PYTHON.strip("\n"), ""])


def to_javascript(
    tree: Tree, rule: Rule, evaluation: str, noise: ResolvedNoise, heading: Sequence[str] = (), module: bool = True
) -> str:
    """Return a JavaScript program without dependencies that answers as the tree does.

    It offers `predict_proba(patient)`, `decide(patient)` and `classes`, which hold classes in order where an object
    by class may not. Nothing in it can end a script element.

    Parameters
    ----------
    tree, rule, evaluation, noise, heading : as of `to_python`.
    module : True: an ES module that exports the three names; False: a plain script that defines `penumbra` with them.

    Raises
    ------
    PenumbraError
        As `to_python`, and for a class or category beyond JavaScript's whole numbers.
    """
    refuse_endless_numbers(tree)
    lines = [comment("//", line) for line in (*heading, *HOW_JAVASCRIPT)]
    table = written(model_table(tree, rule, evaluation, noise), script_json)
    names = "{ classes, predict_proba, decide }"
    body = [
        "const penumbra = (() => {", '"use strict";', f"const MODEL = {table};", JAVASCRIPT.strip("\n"),
        f"return {names};", "})();",
    ]  # fmt: skip
    return "\n".join([*lines, "", *body, *([f"export const {names} = penumbra;"] if module else []), ""])


def comment(mark: str, line: str) -> str:
    """Return a line of comment that nothing in `line` can end, nor the script element around it."""
    text = " ".join(line.split()).encode("ascii", "backslashreplace").decode("ascii")
    return f"{mark} {text.replace('<', '(').replace('>', ')')}"


def script_json(value: Any) -> str:
    """Return JSON in ASCII that is safe inside a script element: no <, > or & stands in it as such."""
    text = json.dumps(value, allow_nan=False)
    for sign in "<>&":  # they occur in texts only, where an escape says the same
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def written(table: dict[str, Any], dump: Callable[[Any], str]) -> str:
    """Return the model's table, a node, variable or naive Bayes a line."""
    parts = []
    for name, value in table.items():
        if isinstance(value, list) and name != "classes":
            rows = "".join(f"    {dump(row)},\n" for row in value)
            parts.append(f'  "{name}": [\n{rows}  ],\n')
        else:
            parts.append(f'  "{name}": {dump(value)},\n')
    return "{\n" + "".join(parts) + "}"


def model_table(tree: Tree, rule: Rule, evaluation: str, noise: ResolvedNoise) -> dict[str, Any]:
    """Return the tree, its decision and its noise as nested plain values; None stands for an open end or none."""
    return {
        "classes": [plain_name(name, "class") for name in tree.classes],
        "evaluation": evaluation,
        "decision": {
            "rule": rule.decision,
            "tau": float(rule.tau),
            "cost": None if rule.cost is None else np.asarray(rule.cost, dtype=np.float64).tolist(),
            "abstain_cost": None if rule.abstain_cost is None else float(rule.abstain_cost),
        },
        "variables": [variable_table(tree, j, noise) for j in range(len(tree.variables))],
        "nodes": [leaf_table(tree, k) if tree.is_leaf(k) else split_table(tree, k) for k in range(tree.n_nodes)],
        "bayes": tree.log_likelihood.tolist() if tree.has_bayes else [],
    }


def variable_table(tree: Tree, j: int, noise: ResolvedNoise) -> dict[str, Any]:
    """Return a variable's name, categories or cuts, and measurement error."""
    names, cuts = tree.categories[j], tree.cuts[j]
    return {
        "name": tree.variables[j],
        "categories": None if names is None else [plain_name(name, "category") for name in names],
        "cuts": None if names is not None else [float(cut) for cut in cuts if not math.isnan(cut)],
        "first_cell": int(first_cells(tree.n_values)[j]),
        "sigma": float(noise.sigma[j]),
        "cv": float(noise.cv[j]),
        "shape": SHAPE_NAMES[int(noise.shape[j])],
        "misrecord": float(noise.misrecord[j]),
    }


def leaf_table(tree: Tree, node: int) -> dict[str, Any]:
    """Return what a leaf answers, and which naive Bayes it reads."""
    bayes = int(tree.bayes_of[node])
    return {"children": None, "probability": tree.probability[node].tolist(), "bayes": bayes if bayes >= 0 else None}


def split_table(tree: Tree, node: int) -> dict[str, Any]:
    """Return what a split node reads to share a patient among its children."""
    children = list(tree.children(node))
    return {
        "children": children,
        "codes": [int(tree.code[child]) for child in children],
        "missing": [float(tree.share[child]) for child in children],
        "variable": int(tree.variable[node]),
        "gate": GATES[int(tree.gate[node])],
        "threshold": finite(tree.threshold[node]),
        "closed": bool(tree.closed_le[node]),
        "zone": None if math.isnan(tree.low[node]) else [float(tree.low[node]), float(tree.high[node])],
        "box": [finite(tree.box_low[node]), finite(tree.box_high[node])],
    }


def finite(value: float) -> float | None:
    """Return a number as the table holds it, None where it is open or there is none."""
    return float(value) if math.isfinite(value) else None


def plain_name(name: Any, what: str) -> Any:
    """Return a class or category that a program can hold and a caller can give."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (bool, int)) or (isinstance(name, float) and math.isfinite(name)):
        return name
    raise PenumbraError(
        f"A {what} is a {type(name).__name__}, which a program cannot be given; name classes and categories by text, "
        "numbers or True and False, and fit again."
    )


def refuse_endless_numbers(tree: Tree) -> None:
    """Refuse classes and categories that JavaScript, whose numbers are all float64, would confuse."""
    for names in (tree.classes, *(names for names in tree.categories if names is not None)):
        if any(isinstance(name, int) and abs(name) > LARGEST_WHOLE for name in names):
            raise PenumbraError(
                "A class or category is a whole number beyond 2^53, which JavaScript cannot tell from its neighbours; "
                "name it by text and fit again."
            )
