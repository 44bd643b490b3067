"""Patients and models whose printed page is hard to fit or to write safely, for the tests of paper.

In: a case's name. Out: the Patient page or the Model facts page, opened on it.
"""

from __future__ import annotations

import csv
import io

import numpy as np
from screens import open_page, upload
from streamlit.testing.v1 import AppTest

from engine.noise_table import Stated

LONG = "Serum marker {} measured in fasting plasma by immunoassay in the central laboratory, diluted by ten (mg/dL)"
HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single' onload=x",
    "\u202eevil\u202c name",
    "</style><img src=http://evil.test/x.png onerror=alert(1)>",
    "a\u2066b ![i](http://evil.test/y.png)",
)
DEEP = {"variant": "CART", "axes": {"max_depth": 9}}
BAYES = {"variant": "CITree", "axes": {}}
SILENT = {"axes": {"pruning": "none", "decision": "tau", "tau": 0.99, "max_depth": 3, "min_weight_leaf": 20}}


def names(m: int, pattern: str = "Marker {} (mg/dL)") -> list[str]:
    return [pattern.format(j) for j in range(m)]


def table(columns: list[str], missing: float = 0.0, categories: int = 0, classes: int = 2, n: int = 220) -> bytes:
    """Return a made-up file as CSV, its outcome hanging on the first three columns."""
    random = np.random.default_rng(1)
    m = len(columns)
    values = np.round(random.normal(100, 20, (n, m)), 1)
    score = values[:, 0] + 0.5 * values[:, 1] - 0.4 * values[:, 2] + random.normal(0, 15, n)
    label = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    cells = values.astype(str).astype(object)
    cells[random.random((n, m)) < missing] = ""
    for k in range(categories):
        cells[:, m - 1 - k] = random.choice(["yes", "no", "perhaps"], n)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*columns, "outcome"])
    kinds = ["sick", "well"] if classes == 2 else [f"a rather long name of class {k}" for k in range(classes)]
    writer.writerows([*row, kinds[k]] for row, k in zip(cells, label, strict=True))
    return out.getvalue().encode()


CASES = {
    "three variables": (table(names(3)), {}),
    "eight variables": (table(names(8)), {}),
    "twenty variables": (table(names(20), missing=0.1, categories=2), {}),
    "sixty variables": (table(names(60), missing=0.05), {}),
    "naive Bayes leaves": (table(names(20), categories=4), BAYES),
    "abstention": (table(names(5)), SILENT),
    "missing values": (table(names(8), missing=0.3), {}),
    "long names": (table(names(20, LONG), missing=0.2), {}),
    "hostile names": (table([f"{HOSTILE[j % 5]} {j}" for j in range(6)]), {}),
    "deep tree": (table(names(8), n=400), DEEP),
    "seven classes": (table(names(8), classes=7), {}),
}


def open_case(name: str, page: str = "patient") -> AppTest:
    """Return a page opened on a case, with σ 5 for its first six measured columns."""
    content, choices = CASES[name]
    at = upload(content)
    held = at.session_state["penumbra_choices"]
    heads = next(csv.reader(io.StringIO(content.decode())))[:-1]
    held.sigma = {head: Stated("sd", 5.0) for head in heads[:6]}
    for key, value in choices.items():
        setattr(held, key, value)
    return open_page(page, at)
