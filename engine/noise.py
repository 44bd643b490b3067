"""Measurement error: how noisy each variable is, as a user states it and as the kernels read it.

In: `Noise` (σ absolute or relative, CV, misrecording, shape) and a training table.
Out: `ResolvedNoise`, one number per variable in the variable's own unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from engine import kernels
from engine.errors import PenumbraError
from engine.names import listed, name_text
from engine.schema import Schema

SHAPES = {
    "normal": kernels.NORMAL,
    "uniform": kernels.UNIFORM,
    "laplace": kernels.LAPLACE,
    "logistic": kernels.LOGISTIC,
}
WIDEST = 1e6  # in training ranges, and of a cv: more makes every reading say nothing, which is a slip of the pen
LEAST_MEAN = 0.1  # in standard deviations: nearer zero, a fraction of the mean says nothing about the error
TWO_SIDED_95 = 1.96
Value = TypeVar("Value")


class SigmaAt(Protocol):
    """Anything that knows the measurement error of a variable at a value, as `ResolvedNoise` does."""

    def at(self, j: int, x: Any) -> Any:
        """Return σ of variable `j` at `x`, in the variable's unit."""


@dataclass(frozen=True)
class Relative:
    """σ as a fraction of a property of the training values: "mean", "sd" or "range"."""

    of: str
    fraction: float


@dataclass(frozen=True, eq=False)
class Noise:
    """How noisy the measurements are. [S] §3.1, METHODS §2.

    Parameters
    ----------
    sigma : standard deviation of the error in the variable's own unit. A number holds for every numeric variable,
        a sequence goes by column order, a dict by name; its values may be relative (`Noise.of_mean(0.05)`).
        A variable not named is taken as exact.
    cv : coefficient of variation, the proportional part: σ(x)² = sigma² + (cv·x)². Same forms as `sigma`.
    misrecord : probability that a nominal variable's category was misrecorded. Same forms, nominal variables only.
    shape : "normal", "uniform", "laplace" or "logistic", for all or by name; each is scaled to σ.

    Raises
    ------
    PenumbraError
        At fit: for a negative σ, an unknown variable, σ for a nominal variable, or an unknown shape.

    Examples
    --------
    >>> noise = Noise(sigma={"glucose": 8.0, "bmi": Noise.of_sd(0.1)}, shape={"glucose": "laplace"})
    >>> noise == Noise.from_dict(noise.to_dict())
    True
    """

    sigma: Any = None
    cv: Any = None
    misrecord: Any = None
    shape: Any = "normal"

    def __eq__(self, other: object) -> bool:
        """Return True for a noise that states the same, be it in lists or arrays."""
        return self.to_dict() == other.to_dict() if isinstance(other, Noise) else NotImplemented

    def __hash__(self) -> int:
        return hash(hashable(self.to_dict()))

    @classmethod
    def of_mean(cls, u: float, shape: Any = "normal") -> Noise:
        """Return noise with σ = u·|training mean| for every numeric variable. [S]

        Parameters
        ----------
        u : the fraction, 0.1 for a tenth. shape : "normal", "uniform", "laplace" or "logistic", or a dict by name.

        Examples
        --------
        >>> Noise.of_mean(0.1) == Noise.from_dict(Noise.of_mean(0.1).to_dict())
        True
        """
        return cls(sigma=Relative("mean", u), shape=shape)

    @classmethod
    def of_sd(cls, u: float, shape: Any = "normal") -> Noise:
        """Return noise with σ = u·training standard deviation (ddof 0) for every numeric variable.

        Parameters
        ----------
        u : the fraction, 0.1 for a tenth. shape : "normal", "uniform", "laplace" or "logistic", or a dict by name.

        Examples
        --------
        >>> Noise.of_sd(0.1) == Noise.from_dict(Noise.of_sd(0.1).to_dict())
        True
        """
        return cls(sigma=Relative("sd", u), shape=shape)

    @classmethod
    def of_range(cls, w: float, shape: Any = "normal") -> Noise:
        """Return noise with σ = w·training range for every numeric variable.

        Parameters
        ----------
        w : the fraction, 0.1 for a tenth. shape : "normal", "uniform", "laplace" or "logistic", or a dict by name.

        Examples
        --------
        >>> Noise.of_range(0.1) == Noise.from_dict(Noise.of_range(0.1).to_dict())
        True
        """
        return cls(sigma=Relative("range", w), shape=shape)

    def resolve(self, schema: Schema, columns: NDArray[np.float64]) -> ResolvedNoise:
        """Return σ, CV, shape and misrecording of every variable.

        Parameters
        ----------
        schema : the training table's schema. columns : (M, n) training values, for the relative forms.

        Raises
        ------
        PenumbraError
            For a negative σ, an unknown variable or shape, σ for a nominal variable, or a mean too near zero.
        """
        sigma = np.zeros(schema.n_variables)
        cv = np.zeros(schema.n_variables)
        misrecord = np.zeros(schema.n_variables)
        shape = np.full(schema.n_variables, kernels.NORMAL, dtype=np.int64)
        for j, value in by_variable("sigma", self.sigma, schema, schema.numeric).items():
            sigma[j] = resolved_sigma(schema.names[j], value, columns[j])
        for j, value in by_variable("cv", self.cv, schema, schema.numeric).items():
            cv[j] = checked_number(f"cv of {schema.names[j]!r}", value)
            if cv[j] > WIDEST:
                raise PenumbraError(f"cv of {schema.names[j]!r} is {value}; it is a fraction, such as 0.05 for 5 %.")
        for j, value in by_variable("misrecord", self.misrecord, schema, ~schema.numeric).items():
            misrecord[j] = checked_number(f"misrecord of {schema.names[j]!r}", value)
            if misrecord[j] > 1.0:
                raise PenumbraError(f"misrecord of {schema.names[j]!r} is {value}; it is a probability from 0 to 1.")
        for j, name in by_variable("shape", self.shape, schema, schema.numeric).items():
            if not isinstance(name, str) or name not in SHAPES:
                raise PenumbraError(
                    f"shape of {schema.names[j]!r} is {name!r}, which is not known; choose one of {listed(SHAPES)}."
                )
            shape[j] = SHAPES[name]
        for j, name in enumerate(schema.names):
            if not schema.numeric[j] and (sigma[j] > 0.0 or cv[j] > 0.0):
                raise PenumbraError(
                    f"σ is given for the nominal variable {name!r}; a category has no σ, state misrecord instead."
                )
            if schema.numeric[j] and misrecord[j] > 0.0:
                raise PenumbraError(f"misrecord is given for the numeric variable {name!r}; state its σ instead.")
        return ResolvedNoise(sigma, cv, shape, misrecord)

    def to_dict(self) -> dict[str, Any]:
        """Return the noise as plain values that JSON can hold."""
        return {name: stored(getattr(self, name)) for name in ("sigma", "cv", "misrecord", "shape")}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Noise:
        """Return the noise that `to_dict` wrote."""
        return cls(**{name: loaded(fields[name]) for name in ("sigma", "cv", "misrecord", "shape")})


@dataclass(frozen=True, eq=False)
class ResolvedNoise:
    """Measurement error of M variables: σ and CV (0 = exact), shape codes, misrecording; each (M,)."""

    sigma: NDArray[np.float64]
    cv: NDArray[np.float64]
    shape: NDArray[np.int64]
    misrecord: NDArray[np.float64]

    @classmethod
    def none(cls, n_variables: int) -> ResolvedNoise:
        """Return exact measurements."""
        zero = np.zeros(n_variables)
        return cls(zero, zero, np.zeros(n_variables, dtype=np.int64), zero)

    def at(self, j: int, x: Any) -> Any:
        """Return σ of variable `j` at the value or values `x`, in its unit: sqrt(σ0² + (CV·x)²).

        Raises
        ------
        PenumbraError
            When σ would be infinite, since an answer would then look certain.
        """
        with np.errstate(over="ignore"):
            sigma = np.hypot(self.sigma[j], self.cv[j] * np.asarray(x, dtype=np.float64))
        if np.isinf(sigma).any():
            raise PenumbraError(f"σ of variable number {j + 1} is too large to compute with; state a smaller σ or cv.")
        return sigma

    def at_reading(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return σ (M,) at each value of a reading; of a missing one with a proportional error, the constant part."""
        with np.errstate(over="ignore"):
            sigma = np.hypot(self.sigma, self.cv * np.where(np.isnan(row), 0.0, row))
        for j in np.flatnonzero(np.isinf(sigma)):
            self.at(int(j), row[j])  # which refuses it
        return sigma

    def check_readings(self, names: Sequence[str], values: NDArray[np.float64]) -> None:
        """Refuse readings (n, M) at which a σ would be infinite; the kernels would call such an answer certain."""
        for j in map(int, np.flatnonzero(self.cv > 0.0)):
            with np.errstate(over="ignore"):
                endless = np.isinf(np.hypot(self.sigma[j], self.cv[j] * values[:, j])).any()
            if endless:
                raise PenumbraError(
                    f"Column {names[j]!r} holds a number at which its cv makes σ infinite; correct it or state a "
                    "smaller cv."
                )

    def scaled(self, u: float) -> ResolvedNoise:
        """Return the noise with σ and CV times `u`; misrecording is not scaled. METHODS §0.1"""
        with np.errstate(over="ignore"):
            endless = np.isinf(self.sigma * u).any() or np.isinf(self.cv * u).any()
        if endless:
            raise PenumbraError(f"A σ times {u:g} is too large to compute with; give a smaller factor or a smaller σ.")
        return ResolvedNoise(self.sigma * u, self.cv * u, self.shape, self.misrecord)

    def is_noisy(self, j: int) -> bool:
        """Return True when variable `j` has σ > 0 somewhere."""
        return bool(self.sigma[j] > 0.0 or self.cv[j] > 0.0)

    @property
    def anything(self) -> bool:
        """True when any variable is noisy or may be misrecorded."""
        return bool((self.sigma > 0).any() or (self.cv > 0).any() or (self.misrecord > 0).any())

    @property
    def error(self) -> kernels.Error:
        """The same arrays as the kernels read them."""
        return kernels.Error(self.sigma, self.cv, self.shape, self.misrecord)


def width_noise(schema: Schema, columns: NDArray[np.float64], width: float) -> ResolvedNoise:
    """Return UDT's own noise: a normal with σ = width·range/4, cut off at ±2σ, for every numeric variable. METHODS §4

    Parameters
    ----------
    schema : the training table's schema. columns : (M, n) training values; the range is theirs. width : w, 0 or more.
    """
    sigma = np.zeros(schema.n_variables)
    for j in np.flatnonzero(schema.numeric):
        sigma[j] = resolved_sigma(schema.names[j], Relative("range", width / 4.0), columns[j])
    zero = np.zeros(schema.n_variables)
    return ResolvedNoise(sigma, zero, np.full(schema.n_variables, kernels.TRUNCATED, dtype=np.int64), zero)


def density(z: Any, shape: int) -> Any:
    """Return the density of the unit-variance shape at `z`; of the truncated normal, in its parent's σ. METHODS §2"""
    z = np.asarray(z, dtype=np.float64)
    if shape == kernels.TRUNCATED:
        inside = density(z, kernels.NORMAL) / (1.0 - 2.0 * kernels.BELOW_TRUNCATION)
        return np.where(np.abs(z) <= kernels.TRUNCATION, inside, 0.0)
    if shape == kernels.NORMAL:
        return np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    if shape == kernels.UNIFORM:
        return np.where(np.abs(z) <= math.sqrt(3.0), 0.5 / math.sqrt(3.0), 0.0)
    if shape == kernels.LAPLACE:
        return np.exp(-math.sqrt(2.0) * np.abs(z)) / math.sqrt(2.0)
    scale = math.pi / math.sqrt(3.0)
    return 0.25 * scale / np.cosh(0.5 * scale * z) ** 2


def quantile(q: Any, shape: int) -> Any:
    """Return F⁻¹ of the unit-variance shape at probabilities `q`; of the truncated normal, in its parent's σ."""
    q = np.asarray(q, dtype=np.float64)
    if shape == kernels.NORMAL:
        return special.ndtri(q)
    if shape == kernels.TRUNCATED:
        inside = kernels.BELOW_TRUNCATION + q * (1.0 - 2.0 * kernels.BELOW_TRUNCATION)
        return np.clip(special.ndtri(inside), -kernels.TRUNCATION, kernels.TRUNCATION)
    if shape == kernels.UNIFORM:
        return math.sqrt(3.0) * (2.0 * q - 1.0)
    if shape == kernels.LOGISTIC:
        return math.sqrt(3.0) / math.pi * special.logit(q)
    with np.errstate(divide="ignore"):
        tail = np.log(2.0 * np.minimum(q, 1.0 - q)) / math.sqrt(2.0)
    return np.where(q < 0.5, tail, -tail)


def conditional_median(x: Any, sigma: Any, shape: int, low: float, high: float) -> NDArray[np.float64]:
    """Return the median of the true values of readings `x` with noise `sigma`, given that they lie in (low, high].

    Parameters
    ----------
    x, sigma : (n,). shape : code. low, high : the interval, ends may be infinite.

    Returns
    -------
    (n,) medians, inside the interval; the nearest value of it where the noise does not reach the interval.
    """
    x, sigma = np.asarray(x, dtype=np.float64), np.asarray(sigma, dtype=np.float64)
    scale = np.where(sigma > 0.0, sigma, 1.0)
    below, above = (low - x) / scale, (high - x) / scale
    flip = below > 0.0  # the upper tail is read as the lower one, where F keeps its digits
    below, above = np.where(flip, -above, below), np.where(flip, -below, above)
    level = 0.5 * (kernels.cdf_all(below, shape) + kernels.cdf_all(above, shape))
    z = np.where(level > 0.0, quantile(level, shape), above)
    z = np.where(sigma > 0.0, z, 0.0)
    median: NDArray[np.float64] = x + sigma * np.where(flip, -z, z)
    return np.minimum(np.maximum(median, np.nextafter(low, np.inf)), high)


def unwrapped(value: Any) -> Any:
    """Return the σ inside a Noise used as one variable's value."""
    if isinstance(value, Noise):
        if value.cv is not None or value.misrecord is not None or value.shape != "normal":
            raise PenumbraError(
                "A σ by name may be a number or Noise.of_mean, .of_sd, .of_range; state cv and shape beside it."
            )
        return value.sigma
    return value


def by_variable(what: str, given: Any, schema: Schema, applies: NDArray[np.bool_]) -> dict[int, Any]:
    """Return {column: value} from a scalar (for the columns it `applies` to), a sequence or a dict by name."""
    given = unwrapped(given)
    if given is None:
        return {}
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given.item()
    if isinstance(given, Mapping):
        for name in given:
            called = name_text(name)
            if called not in schema.names:
                raise PenumbraError(
                    f"{what} is given for {called!r}, which is no column; the columns are {listed(schema.names)}."
                )
        return {schema.column(name_text(name)): unwrapped(value) for name, value in given.items() if value is not None}
    if isinstance(given, (Relative, str)) or np.isscalar(given):
        return {int(j): given for j in np.flatnonzero(applies)}
    if isinstance(given, (Sequence, np.ndarray)):
        if len(given) != schema.n_variables:
            raise PenumbraError(f"{what} has {len(given)} values for {schema.n_variables} columns; give one a column.")
        return {j: unwrapped(value) for j, value in enumerate(given) if value is not None}
    raise PenumbraError(
        f"{what} is a {type(given).__name__}; give a number, one number a column, or a dict by column name."
    )


def checked_number(what: str, value: Any) -> float:
    """Return `value` as a float, or say that it must be a number that is not negative."""
    try:
        if isinstance(value, (bool, str, bytes, np.bool_)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        kind = repr(value)[:80] if np.isscalar(value) else f"a {type(value).__name__}"
        raise PenumbraError(f"{what} is {kind}; give a number, 0 for exact.") from None
    if not math.isfinite(number) or number < 0.0:
        raise PenumbraError(f"{what} is {number}; it must be a finite number, 0 or more.")
    return number


def resolved_sigma(name: str, value: Any, column: NDArray[np.float64]) -> float:
    """Return a variable's σ in its unit, a relative one worked out on the training values."""
    known = column[~np.isnan(column)]
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(value, Relative):
            sigma = relative_sigma(name, value, known)
        else:
            sigma = checked_number(f"σ of {name!r}", value)
        wide = sigma > WIDEST * np.ptp(known) > 0.0 if len(known) else False
    if not math.isfinite(sigma) or wide:
        raise PenumbraError(
            f"σ of {name!r} is more than a million times the range of its training values, or more than a number can "
            "hold; state it in the unit of the column."
        )
    return sigma


def relative_sigma(name: str, value: Relative, known: NDArray[np.float64]) -> float:
    """Return σ as a fraction of the mean, the standard deviation or the range of the known training values."""
    fraction = checked_number(f"σ of {name!r} as a fraction of its {value.of}", value.fraction)
    if fraction == 0.0 or len(known) == 0:
        return 0.0
    if value.of == "mean":
        mean, sd = abs(float(known.mean())), float(known.std())
        if mean < LEAST_MEAN * sd:
            raise PenumbraError(
                f"σ of {name!r} is stated as a fraction of its mean, but that mean is nearer zero than a tenth of its "
                "standard deviation; state σ in its unit, or as a fraction of the standard deviation."
            )
        return fraction * mean
    sizes: dict[str, Callable[[], float]] = {
        "sd": lambda: float(known.std()),
        "range": lambda: float(np.ptp(known)),
    }
    if value.of not in sizes:
        raise PenumbraError(f"σ of {name!r} is stated as a fraction of {value.of!r}; choose mean, sd or range.")
    return fraction * sizes[value.of]()


def stored(value: Any) -> Any:
    """Return a noise field as JSON can hold it."""
    value = unwrapped(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, Relative):
        return {"relative_to": value.of, "fraction": float(value.fraction)}
    if isinstance(value, Mapping):
        return {"by_name": {name_text(name): stored(v) for name, v in value.items()}}
    if isinstance(value, np.ndarray) or (isinstance(value, Sequence) and not isinstance(value, str)):
        return [stored(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def hashable(value: Any) -> Any:
    """Return what `stored` wrote as values that have a hash, the same for fields in another order."""
    if isinstance(value, Mapping):
        return frozenset((name, hashable(v)) for name, v in value.items())
    return tuple(map(hashable, value)) if isinstance(value, list) else value


def loaded(value: Any) -> Any:
    """Return a noise field from what `stored` wrote."""
    if isinstance(value, Mapping) and "relative_to" in value:
        return Relative(str(value["relative_to"]), float(value["fraction"]))
    if isinstance(value, Mapping):
        return {name: loaded(v) for name, v in value["by_name"].items()}
    if isinstance(value, list):
        return [loaded(v) for v in value]
    return value
