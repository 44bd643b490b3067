"""The house's floors, read from the imports themselves: a file imports only from floors below its own.

In: the source files of `engine` and `tests/naive.py`. Out: failures that name the file and the import.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"
FLOORS = {
    "errors": 0, "kernels": 0, "tree": 0, "interpreters": 0, "names": 0,
    "schema": 1, "folds": 1, "criteria": 1, "leaves": 1, "decide": 1,
    "arff": 1, "numerals": 1, "number_words": 1, "legible": 1, "json_form": 1,
    "table": 2, "noise": 2, "formats": 2, "examples": 2, "cuts": 2, "patient_row": 2,
    "labels": 3, "weights": 3, "column_cells": 3, "gates": 3, "cells": 3, "noise_table": 3,
    "column_roles": 4, "column_doubts": 4, "search": 4, "route": 4,
    "target_labels": 5, "zones": 5, "bayes": 5, "nearest": 5,
    "read": 6, "grow": 6,
    "other_table": 7, "prune": 7,
    "quinlan": 8,
    "recipe": 9,
    "fitting": 10, "case": 10, "metrics": 10, "model_file": 10, "export": 10, "evidence": 10, "neighbours": 10,
    "borderline": 10, "why": 10, "pmml": 10, "code_export": 10, "leaf_filter": 10,
    "classifier": 11, "study_results": 11, "other_patients": 11, "contrast": 11,
    "tuning": 12, "calibration": 12, "held_out": 12, "comparison": 12, "exports": 12, "lessons": 12,
    "warm_up": 12,
    "study": 13, "draw": 13, "model_facts": 13, "swept": 13,
    "cli": 14,
}  # fmt: skip
DELEGATES = {("classifier", "calibration"): "calibrate_zones"}  # the design: the classifier's method delegates upstairs
FILES = sorted(p for p in ENGINE.rglob("*.py") if "__pycache__" not in p.parts)
FOLDERS = sorted({p.parent.name for p in FILES if p.parent != ENGINE})
INNER = [p for p in FILES if p != ENGINE / "__init__.py"]


def name_of(path):
    """Return the floor's key of an engine file: its folder below engine, or its own name."""
    return path.relative_to(ENGINE).parts[0].removesuffix(".py")


def imports(path):
    """Return the full dotted names that a file imports, anywhere in it; relative ones resolved."""
    package = path.relative_to(ROOT).parent.parts
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            origin = ".".join(base + ([node.module] if node.module else []))
            found += [f"{origin}.{alias.name}" for alias in node.names]
    return found


def engine_parts(path):
    """Return the engine files (or folders) that a file imports from; "" is the package itself."""
    parts = []
    for name in imports(path):
        pieces = name.split(".")
        if pieces[0] == "engine":
            known = len(pieces) > 1 and ((ENGINE / pieces[1]).is_dir() or (ENGINE / f"{pieces[1]}.py").exists())
            parts.append(pieces[1] if known else "")
    return parts


def late_imports(path, part):
    """Return what a file imports of `part`; "*" stands for an import that runs when the file is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    every = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == f"engine.{part}"]
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    return [alias.name if id(n) in inside else "*" for n in every for alias in n.names]


@pytest.mark.parametrize("path", INNER, ids=lambda p: str(p.relative_to(ENGINE)))
def test_imports_only_from_floors_below(path):
    mine = name_of(path)
    assert mine in FLOORS, f"{path.name} has no declared floor: give it one here and in the design"
    for part in engine_parts(path):
        if (mine, part) in DELEGATES and late_imports(path, part) == [DELEGATES[mine, part]]:
            continue
        if part == mine and path.parent != ENGINE:
            continue
        assert part, f"{path.name} imports from the package engine itself; name the file"
        assert part in FLOORS, f"{path.name} imports {part}, which has no declared floor"
        assert FLOORS[part] < FLOORS[mine], f"{path.name} (floor {FLOORS[mine]}) imports {part} (floor {FLOORS[part]})"


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_of_a_folder_do_not_import_in_circles(folder):
    files = {p.stem: p for p in (ENGINE / folder).glob("*.py") if p.stem != "__init__"}
    below = {
        name: {n.split(".")[2] for n in imports(path) if n.startswith(f"engine.{folder}.") and n.split(".")[2] in files}
        for name, path in files.items()
    }
    while below:
        free = [name for name, needs in below.items() if not needs & set(below)]
        assert free, f"these import each other: {sorted(below)}"
        for name in free:
            del below[name]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ENGINE)))
def test_numba_only_in_kernels_and_streamlit_nowhere(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert "streamlit" not in roots, f"{path.name} imports streamlit"
    assert not roots & {"pages", "app"}, f"{path.name} imports the app"
    if path != ENGINE / "kernels.py":
        assert "numba" not in roots, f"{path.name} imports numba; only kernels.py may"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ENGINE)))
def test_nothing_that_runs_what_it_reads(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert not roots & {"pickle", "cloudpickle", "dill", "marshal", "shelve"}, f"{path.name} can load code"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec"}, f"{path.name} line {node.lineno} calls {node.func.id}"


def test_the_naive_twin_imports_nothing_from_the_engine():
    assert engine_parts(ROOT / "tests" / "naive.py") == []
    assert "numba" not in {name.split(".")[0] for name in imports(ROOT / "tests" / "naive.py")}
