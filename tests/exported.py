"""Models and patients for the tests of what is exported: every named variant on several kinds of data.

In: seeds. Out: fitted classifiers, tables of patients, and the patients as dicts.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine import VARIANTS, Noise, variant

NASTY = ['it\'s "x"', "a\nb\\", "</script><!--", "\u2028é\u2029", "]]> & {0} %s"]


def patients(seed, n, missing=0.15):
    """Return patients with numbers, some repeated, and categories, some missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "glucose": np.round(rng.normal(120.0, 30.0, n), 0),
        "bmi": rng.normal(28.0, 5.0, n),
        "shift": rng.normal(0.0, 2.0, n),
        "colour": pd.Categorical(rng.choice(["red", "green", "blue", "grey"], n), ["red", "green", "blue", "grey"]),
        "smoker": pd.Categorical(rng.choice([True, False], n), [False, True]),
    })  # fmt: skip
    return X.mask(rng.random(X.shape) < missing) if missing else X


def outcomes(X, seed, classes):
    """Return a class a patient that depends on every kind of variable, with some chance."""
    rng = np.random.default_rng(seed + 1)
    score = (X["glucose"].fillna(120.0) - 120.0) / 30.0 + (X["bmi"].fillna(28.0) - 28.0) / 10.0
    score = score + (X["colour"].astype(object) == "red") + 0.3 * X["shift"].fillna(0.0) ** 2
    score = score + rng.normal(0.0, 0.5, len(X))
    return [classes[k] for k in np.searchsorted(np.quantile(score, np.linspace(0, 1, len(classes) + 1)[1:-1]), score)]


def named_model(name, seed=0, kind="mixed", shape="normal", **changes):
    """Return a variant fitted to 150 patients of a kind of data, with measurement error in every variable.

    kind : "numeric", "mixed" (nominal and missing too), "three" (classes) or "sets" (abstentions among the labels).
    """
    X = patients(seed, 150, 0.0 if kind == "numeric" else 0.15)
    y = outcomes(X, seed, ["ill", "unclear", "well"] if kind == "three" else ["ill", "well"])
    X = X[["glucose", "bmi", "shift"]] if kind == "numeric" else X
    if kind == "sets":
        y[::7] = [None] * len(y[::7])
    noise = Noise(
        sigma={"glucose": 8.0, "bmi": Noise.of_sd(0.2)}, cv={"shift": 0.2, "glucose": 0.02}, shape=shape,
        misrecord=None if kind == "numeric" else {"colour": 0.1, "smoker": 0.05},
    )  # fmt: skip
    return variant(name, **{"noise": noise, **changes}).fit(X, y)


def as_dicts(X):
    """Return the patients as dicts, a missing value None, NaN, or left out in turn."""
    rows = []
    for i, row in enumerate(X.astype(object).to_dict("records")):
        for name in [name for name, value in row.items() if pd.isna(value)]:
            row[name] = None
            if i % 3 == 1:
                row[name] = float("nan")
            elif i % 3 == 2:
                del row[name]
        rows.append(row)
    return rows


def nasty_model(**changes):
    """Return a model whose every name tries to break out of where it is written, and its patients."""
    rng = np.random.default_rng(5)
    n = 120
    X = pd.DataFrame({
        NASTY[0] + "__proto__": rng.normal(size=n),
        "__proto__": rng.normal(size=n),
        NASTY[2]: pd.Categorical(rng.choice(NASTY, n), NASTY),
    })  # fmt: skip
    score = X.iloc[:, 0] + X.iloc[:, 1] + (X.iloc[:, 2].astype(object) == NASTY[1]) * 2.0
    y = np.where(score > 0.5, NASTY[2], np.where(score > -0.5, "__proto__", NASTY[3]))
    return variant("C4.4", **changes).fit(X, y), X


ALL = list(VARIANTS)
