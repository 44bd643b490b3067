"""Docstrings, read from the source: what is public says what it does, and the public face shows it by an example.

In: the source files of `engine`. Out: failures that name the file and what lacks words.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import engine
import engine.exports

ENGINE = Path(__file__).resolve().parent.parent / "engine"
FILES = sorted(path for path in ENGINE.rglob("*.py") if "__pycache__" not in path.parts)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
EXAMPLES = [
    *(name for name in engine.__all__ if callable(getattr(engine, name))),
    *(f"UncertainTreeClassifier.{name}" for name in (
        "fit", "predict", "predict_proba", "decide", "decided", "shares", "case", "with_decision", "calibrate_zones",
        "to_json", "from_json",
    )),
    *(f"Noise.{name}" for name in ("of_mean", "of_sd", "of_range")),
    *(f"exports.{name}" for name in ("pmml", "python_function", "javascript_function")),
]  # fmt: skip


def public(body, inside=""):
    """Yield (dotted name, definition) of what is public; what stands inside a function is not."""
    for definition in body:
        if isinstance(definition, (*FUNCTIONS, ast.ClassDef)) and not definition.name.startswith("_"):
            yield inside + definition.name, definition
            if isinstance(definition, ast.ClassDef):
                yield from public(definition.body, f"{inside}{definition.name}.")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_what_is_public_has_a_docstring(path):
    module = ast.parse(path.read_text(encoding="utf-8"))
    opening = ast.get_docstring(module) or ""
    assert re.search(r"\bIn: ", opening), f"{path.name} does not open with what it is"
    assert re.search(r"\bOut: ", opening), f"{path.name} does not open with what goes out"
    silent = [name for name, definition in public(module.body) if not ast.get_docstring(definition)]
    assert not silent, f"{path.name}: {', '.join(silent)} lack a docstring"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_public_face_names_its_arguments_and_shows_an_example(name):
    found = engine
    for part in name.split("."):
        found = getattr(found, part)
    said = inspect.getdoc(found)
    assert "Examples\n--------\n>>> " in said
    if found is not engine.Tree and found is not engine.PenumbraError:  # made by the engine alone
        needed = [argument for argument in inspect.signature(found).parameters if argument != "self"]
        left_out = [argument for argument in needed if not re.search(rf"\b{argument}\b", said)]
        assert not left_out, f"the docstring of {name} leaves out {', '.join(left_out)}"
        assert not needed or "Parameters\n----------\n" in said


def test_the_package_is_typed():
    assert (ENGINE / "py.typed").is_file()
