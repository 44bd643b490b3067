"""The bundled data sets: synthetic clinics made by seeded code, a toy of four points, scikit-learn's breast cancer set.

In: nothing but the seeds written here.
Out: `EXAMPLES`, each with its table, target, units and suggested σ with the reason; `python -m engine.examples` writes
the synthetic ones as CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import PenumbraError

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "examples"

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """One bundled data set.

    Attributes
    ----------
    key, title, description : str
    table : callable
        Makes the DataFrame, the same at every call.
    target : str
        The column of labels.
    positive : str
        The label that the pages take as the positive class.
    units : mapping
        Unit by variable.
    sigma : mapping
        Suggested standard deviation of the measurement error by variable, in its unit; a variable not named is exact.
    sources : mapping
        By variable, one line that says where its σ comes from.
    abstain : tuple of str
        Labels that mean "the doctor abstained".
    story : str
        What to look for.
    roles : mapping
        Roles to read the columns with where a guess would go wrong.
    synthetic : bool
        Made by code, and so written as CSV as well.
    """

    key: str
    title: str
    description: str
    table: Callable[[], pd.DataFrame]
    target: str
    positive: str
    units: Mapping[str, str]
    sigma: Mapping[str, float]
    sources: Mapping[str, str]
    story: str
    abstain: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    synthetic: bool = True

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table, made once."""
        return self.table()


def load_example(key: str) -> Example:
    """Return a bundled example by its key.

    Raises
    ------
    PenumbraError
        When there is none of that name.
    """
    if key not in EXAMPLES:
        raise PenumbraError(f"There is no example “{key}”; the examples are: {', '.join(EXAMPLES)}.")
    return EXAMPLES[key]


def _chance(score: Numbers) -> Numbers:
    return 1.0 / (1.0 + np.exp(-score))


def _measured(
    true: Numbers, sigma: float, low: float, high: float, digits: int, random: np.random.Generator
) -> Numbers:
    """Return a reading: the true value with its error, kept within what the instrument reports, rounded as reported."""
    error: Numbers = random.normal(0, sigma, len(true)) if sigma else np.zeros(len(true))
    return np.asarray(np.round(np.clip(true + error, low, high), digits) + 0.0, dtype=np.float64)


def _with_gaps(values: Numbers, share: float, random: np.random.Generator) -> Numbers:
    return np.where(random.random(len(values)) < share, np.nan, values)


@lru_cache(maxsize=1)
def ejection_fraction() -> pd.DataFrame:
    """Return 400 invented patients of a heart-failure clinic; who worsened within a year depends on the true EF."""
    random = np.random.default_rng(2014)
    n = 400
    age = np.clip(random.normal(69, 10.5, n), 34, 94)
    female = random.random(n) < 0.36
    ef = np.clip(random.gamma(9.5, 4.0, n) + 3 * female, 12, 70)
    creatinine = np.exp(random.normal(np.log(1.08) + 0.006 * (age - 69) - 0.16 * female, 0.27, n))
    pressure = np.clip(random.normal(124 + 0.22 * (ef - 38), 17, n), 78, 196)
    bnp = np.exp(random.normal(7.05 - 0.042 * (ef - 38) + 0.015 * (age - 69) + 0.45 * np.log(creatinine), 0.7, n))
    steep = 3.6 * (_chance((34.5 - ef) / 2.2) - 0.5)
    score = (
        -0.55
        + steep
        + 0.028 * (age - 69)
        + 0.9 * np.log(creatinine)
        + 0.42 * (np.log(bnp) - 7)
        - 0.012 * (pressure - 124)
    )
    worsened = random.random(n) < _chance(score)
    return pd.DataFrame(
        {
            "Age": np.round(age),
            "Sex": np.where(female, "female", "male"),
            "Ejection fraction": _measured(ef, 5.0, 8, 78, 0, random),
            "Systolic pressure": _with_gaps(_measured(pressure, 5.0, 70, 210, 0, random), 0.03, random),
            "Creatinine": _with_gaps(_measured(creatinine, 0.05, 0.4, 6, 2, random), 0.05, random),
            "NT-proBNP": _with_gaps(
                _measured(bnp * np.exp(random.normal(0, 0.1, n)), 0, 20, 35000, 0, random), 0.16, random
            ),
            "Worse within a year": np.where(worsened, "yes", "no"),
        }
    )


@lru_cache(maxsize=1)
def sf12_registry() -> pd.DataFrame:
    """Return 500 invented patients of an orthopaedic registry; a change of the score inside ±6.24 has no label."""
    random = np.random.default_rng(624)
    n = 500
    age = np.clip(random.normal(64, 12, n), 19, 91)
    bmi = np.clip(random.gamma(38, 0.72, n), 17.5, 48)
    asa = 1 + (random.random(n) < _chance(-0.2 + 0.05 * (age - 60) + 0.07 * (bmi - 27))) + (random.random(n) < 0.16)
    physical = np.clip(random.normal(35.5 - 1.3 * (asa - 2) - 0.06 * (age - 64), 7.4, n), 14, 58)
    mental = np.clip(random.normal(47.5, 10.2, n), 18, 68)
    pain = np.clip(random.normal(6.2 - 0.09 * (physical - 35), 1.8, n), 0, 10)
    change = (
        4.6 - 0.78 * (physical - 35.5) + 0.2 * (mental - 47.5) + 1.05 * (pain - 6) - 0.1 * (age - 64)
        - 0.22 * (bmi - 27) - 1.9 * (asa - 2) + random.normal(0, 6.8, n)
    )  # fmt: skip
    outcome = np.select([change > 6.24, change < -6.24], ["improved", "declined"], "doctor abstained")
    return pd.DataFrame(
        {
            "Age": np.round(age),
            "BMI": _with_gaps(_measured(bmi, 0.5, 15, 55, 1, random), 0.04, random),
            "ASA class": np.array(["I", "II", "III"])[asa - 1],
            "Pain (VAS)": _with_gaps(_measured(pain, 0.5, 0, 10, 1, random), 0.03, random),
            "Physical score": _measured(physical, 2.25, 12, 62, 1, random),
            "Mental score": _with_gaps(_measured(mental, 2.25, 12, 70, 1, random), 0.05, random),
            "Outcome": outcome,
        }
    )


@lru_cache(maxsize=1)
def screening() -> pd.DataFrame:
    """Return 600 invented women screened for diabetes, in the spirit of the Pima set and not drawn from it."""
    random = np.random.default_rng(768)
    n = 600
    age = np.clip(21 + random.gamma(1.35, 9.5, n), 21, 79)
    pregnancies = np.minimum(random.poisson(np.clip((age - 19) / 6.5, 0.3, 5.5)), 14).astype(float)
    bmi = np.clip(random.normal(31.8 + 0.02 * (age - 33), 6.3, n), 18.2, 58)
    pressure = np.clip(random.normal(70.5 + 0.28 * (age - 33) + 0.42 * (bmi - 32), 10.2, n), 42, 114)
    glucose = np.clip(random.normal(118 + 0.5 * (age - 33) + 0.75 * (bmi - 32), 27, n), 58, 199)
    score = -1.05 + 0.041 * (glucose - 120) + 0.085 * (bmi - 32) + 0.026 * (age - 33) + 0.06 * (pregnancies - 3)
    diabetes = random.random(n) < _chance(score)
    return pd.DataFrame(
        {
            "Pregnancies": pregnancies,
            "Glucose": _with_gaps(_measured(glucose, 8.0, 50, 210, 0, random), 0.01, random),
            "Diastolic pressure": _with_gaps(_measured(pressure, 5.0, 36, 122, 0, random), 0.05, random),
            "BMI": _with_gaps(_measured(bmi, 0.6, 16, 62, 1, random), 0.02, random),
            "Age": np.round(age),
            "Diabetes": np.where(diabetes, "yes", "no"),
        }
    )


@lru_cache(maxsize=1)
def breast_cancer() -> pd.DataFrame:
    """Return scikit-learn's Wisconsin diagnostic breast cancer set, 569 patients and 30 variables."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    frame: pd.DataFrame = bunch.data.copy()
    frame["diagnosis"] = np.array(bunch.target_names)[bunch.target.to_numpy()].astype(str)
    return frame


@lru_cache(maxsize=1)
def four_points() -> pd.DataFrame:
    """Return the soft-tree paper's toy: four points, two of each class ([S] §3.4, as measured without error)."""
    return pd.DataFrame({"Measurement": [-2.0, -2.0, 2.0, 2.0], "Class": ["A", "A", "B", "B"]})


@lru_cache(maxsize=1)
def four_noisy_points() -> pd.DataFrame:
    """Return the same four points once measured: the two in the middle have changed places ([S] §3.4)."""
    return pd.DataFrame({"Measurement": [-2.0, 0.2, -0.2, 2.0], "Class": ["A", "A", "B", "B"]})


_ASSUMED = "Assumed for this example; put the figure of your own device or laboratory here."
_ECHOCARDIOGRAM = (
    "Assumed, and the data are made so. Published: repeated in unchanged patients, ejection fraction may vary by over "
    "10 points in 2D and by 6 in 3D (Thavendiranathan, J Am Coll Cardiol 2013;61:77)."
)
_SCORE = "2.25 points: the error whose smallest detectable change, 1.96·√2·σ, is 6.24."
_STANDARD_ERROR = "The set's own median standard error of this mean, over the cell nuclei of one image."
_NUCLEI = {
    "mean radius": 0.32,
    "mean texture": 1.1,
    "mean perimeter": 2.3,
    "mean area": 25.0,
    "mean smoothness": 0.0064,
    "mean compactness": 0.02,
    "mean concavity": 0.026,
    "mean concave points": 0.011,
    "mean symmetry": 0.019,
    "mean fractal dimension": 0.0032,
}

_ALL = (
    Example(
        key="ejection_fraction",
        title="Heart failure (synthetic)",
        description="400 invented patients of a heart-failure clinic, with gaps in three measurements.",
        table=ejection_fraction,
        target="Worse within a year",
        positive="yes",
        units={
            "Age": "years",
            "Ejection fraction": "%",
            "Systolic pressure": "mm Hg",
            "Creatinine": "mg/dL",
            "NT-proBNP": "pg/mL",
        },
        sigma={"Ejection fraction": 5.0, "Systolic pressure": 5.0, "Creatinine": 0.05},
        sources={
            "Ejection fraction": _ECHOCARDIOGRAM,
            "Systolic pressure": _ASSUMED,
            "Creatinine": _ASSUMED,
        },
        story=(
            "Devices are advised at an ejection fraction of about 35 %, and it is measured here to ± 5 points. "
            "How sure can an answer be for a reading of 33 %, and would a second echocardiogram help?"
        ),
    ),
    Example(
        key="sf12_registry",
        title="Joint surgery registry (synthetic)",
        description="500 invented patients with scores before surgery; small changes after it were left unlabelled.",
        table=sf12_registry,
        target="Outcome",
        positive="improved",
        units={
            "Age": "years",
            "BMI": "kg/m²",
            "Pain (VAS)": "points",
            "Physical score": "points",
            "Mental score": "points",
        },
        sigma={"Physical score": 2.25, "Mental score": 2.25, "Pain (VAS)": 0.5, "BMI": 0.5},
        sources={"Physical score": _SCORE, "Mental score": _SCORE, "Pain (VAS)": _ASSUMED, "BMI": _ASSUMED},
        abstain=("doctor abstained",),
        story=(
            "A change of the physical score within ± 6.24 points may be chance, so the doctor gave no label. "
            "A three-way tree learns from those patients too, and abstains where both outcomes stay possible."
        ),
    ),
    Example(
        key="screening",
        title="Diabetes screening (synthetic)",
        description="600 invented women screened for diabetes, in the spirit of the Pima set and not drawn from it.",
        table=screening,
        target="Diabetes",
        positive="yes",
        units={
            "Pregnancies": "count",
            "Glucose": "mg/dL",
            "Diastolic pressure": "mm Hg",
            "BMI": "kg/m²",
            "Age": "years",
        },
        sigma={"Glucose": 8.0, "Diastolic pressure": 5.0, "BMI": 0.6},
        sources={"Glucose": _ASSUMED, "Diastolic pressure": _ASSUMED, "BMI": _ASSUMED},
        story="Which answers would another blood sample change, and for whom is glucose the measurement to repeat?",
    ),
    Example(
        key="wdbc",
        title="Breast cancer (Wisconsin)",
        description="569 patients, 30 features of cell nuclei from fine-needle images; comes with scikit-learn.",
        table=breast_cancer,
        target="diagnosis",
        positive="malignant",
        units={},
        sigma=_NUCLEI,
        sources=dict.fromkeys(_NUCLEI, _STANDARD_ERROR),
        story="Well-separated classes: a small tree answers nearly everybody, and errors sit close to its thresholds.",
        synthetic=False,
    ),
    Example(
        key="four_points",
        title="Four points",
        description="Two patients of each class, measured without error.",
        table=four_points,
        target="Class",
        positive="B",
        units={},
        sigma={"Measurement": 2.0},
        sources={"Measurement": "Chosen for teaching: wide enough that the two classes overlap."},
        roles=MappingProxyType({"Measurement": "numeric"}),
        story="One cut at 0 tells them apart. Let it soften by raising σ.",
    ),
    Example(
        key="four_noisy_points",
        title="Four points, measured with error",
        description="The same four patients once measured: the two in the middle have changed places.",
        table=four_noisy_points,
        target="Class",
        positive="B",
        units={},
        sigma={"Measurement": 2.0},
        sources={"Measurement": "Chosen for teaching: from about 1.22 up, soft search finds the true cut again."},
        roles=MappingProxyType({"Measurement": "numeric"}),
        story="An exact search can only cut off one end or the other. A soft search with σ of 1.22 or more cuts at 0.",
    ),
)
EXAMPLES: Mapping[str, Example] = MappingProxyType({example.key: example for example in _ALL})


def csv_bytes(example: Example) -> bytes:
    """Return a table as the CSV that is kept in `assets/examples`: comma, decimal point, gaps empty."""
    columns = {
        name: column.map(lambda value: "" if value != value else f"{value:.10g}") if column.dtype == float else column
        for name, column in example.frame.items()
    }
    return pd.DataFrame(columns).to_csv(index=False, lineterminator="\n").encode()


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in EXAMPLES.values():
        if each.synthetic:
            (FOLDER / f"{each.key}.csv").write_bytes(csv_bytes(each))
