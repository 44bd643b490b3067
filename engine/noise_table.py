"""A table of σ, one line a variable, as a person states it and keeps it in a file.

In: `Stated` errors by variable, or the bytes of a CSV. Out: CSV text, `Stated` errors and problems, a `Noise`.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import PenumbraError
from engine.legible import guarded, unguarded
from engine.names import listed
from engine.noise import SHAPES, Noise

FORMS = ("exact", "sd", "of_mean", "of_sd", "of_range", "cv", "sd+cv", "misrecord")
RELATIVE = {"of_mean": Noise.of_mean, "of_sd": Noise.of_sd, "of_range": Noise.of_range}
COLUMNS = ("variable", "form", "value", "percent", "unit", "shape", "source")
FIGURES = {"sd": ("value",), "sd+cv": ("value", "percent"), "exact": ()}  # of any other form, the percent
MOST_BYTES = 2**20
_NUMBER = r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_EITHER = r"[+-]?[1-9][0-9]{0,2},[0-9]{3}"  # thousands or decimals


@dataclass(frozen=True)
class Stated:
    """What is stated about one variable's measurement error.

    `form` is one of FORMS. `value` is an SD in the variable's unit (sd, sd+cv); `percent` is everything relative.
    """

    form: str = "exact"
    value: float = 0.0
    percent: float = 0.0
    shape: str = "normal"
    source: str = ""

    @property
    def noisy(self) -> bool:
        """True when the stated error is more than nothing."""
        absolute = self.form in ("sd", "sd+cv") and self.value > 0
        return absolute or (self.form not in ("exact", "sd") and self.percent > 0)


def to_noise(stated: Mapping[str, Stated]) -> Noise:
    """Return the engine's noise model of a table of σ; a variable not in it is exact."""
    sigma: dict[str, Any] = {}
    cv: dict[str, float] = {}
    misrecord: dict[str, float] = {}
    shape: dict[str, str] = {}
    for name, one in stated.items():
        fraction = one.percent / 100.0
        if one.form in ("sd", "sd+cv"):
            sigma[name] = one.value
        if one.form in ("cv", "sd+cv"):
            cv[name] = fraction
        if one.form in RELATIVE:
            sigma[name] = RELATIVE[one.form](fraction)
        if one.form == "misrecord":
            misrecord[name] = fraction
        elif one.form != "exact":
            shape[name] = one.shape
    return Noise(sigma=sigma, cv=cv, misrecord=misrecord, shape=shape or "normal")


def to_csv(stated: Mapping[str, Stated], names: Collection[str], units: Mapping[str, str]) -> str:
    """Return the table of σ as CSV, one line for each of `names`, exact ones too; no cell runs as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in names:
        one = stated.get(name, Stated())
        row = [name, one.form, one.value, one.percent, units.get(name, ""), one.shape, one.source]
        # a carriage return would end the line
        writer.writerow([guarded(c.replace("\r", " ")) if isinstance(c, str) else c for c in row])
    return out.getvalue()


def folded(name: str) -> str:
    """Return a name with single spaces and none around it, as a spreadsheet or a person may write it."""
    return " ".join(name.split())


def from_csv(content: bytes, numeric: Mapping[str, bool]) -> tuple[dict[str, Stated], list[str]]:
    """Read a table of σ.

    Parameters
    ----------
    content : the file, UTF-8, with commas, semicolons or tabs; columns `variable` and `form` at least.
    numeric : the variables of the data set, True where numeric.

    Returns
    -------
    stated : the lines that can be used. problems : a sentence for each line that cannot.

    Raises
    ------
    PenumbraError
        When the file is no table of σ at all.
    """
    if len(content) > MOST_BYTES:
        raise PenumbraError("The table of σ is larger than 1 MB; it needs one line a variable.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PenumbraError("The table of σ is not UTF-8 text; save it as CSV UTF-8.") from None
    first = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    fields = {str(name).strip().lower(): name for name in reader.fieldnames or ()}
    if "variable" not in fields or "form" not in fields:
        raise PenumbraError(f"A table of σ has the columns {', '.join(COLUMNS)}; this file lacks variable or form.")
    stated: dict[str, Stated] = {}
    problems: list[str] = []
    try:
        lines = list(reader)
    except csv.Error:
        raise PenumbraError("The table of σ cannot be read; a quotation mark may never be closed.") from None
    rows = [{key: str(line.get(name) or "").strip() for key, name in fields.items()} for line in lines]
    alike = Counter(map(folded, numeric))
    called = {folded(name): name for name in numeric if alike[folded(name)] == 1}
    for cells in rows:
        written = cells["variable"]
        name = unguarded(written)
        known = next((each for each in (name, written) if each in numeric), None)
        cells["variable"] = known or called.get(folded(name), name)
    times = Counter(cells["variable"] for cells in rows)
    problems += [f"“{name}” is passed over: it stands in {k} lines; keep one." for name, k in times.items() if k > 1]
    for cells in rows:
        name = cells["variable"]
        if times[name] > 1:
            continue
        reason = "it is no variable of this data set" if name not in numeric else _fault(cells, numeric[name])
        if reason:
            problems.append(f"“{name}” is passed over: {reason}.")
        else:
            value, percent = (_number(cells.get(key, "")) for key in ("value", "percent"))
            stated[name] = Stated(
                cells["form"], value, percent, cells.get("shape") or "normal", unguarded(cells.get("source", ""))[:200]
            )
    return stated, problems


def _number(text: str) -> float:
    """Return a cell as a number, a decimal comma allowed; an empty one is 0."""
    return float(text.replace(",", ".")) if text else 0.0


def _fault(cells: Mapping[str, str], numeric: bool) -> str:
    """Return what is wrong with a line, or nothing."""
    form, shape = cells["form"], cells.get("shape") or "normal"
    if form not in FORMS:
        return f"its form must be one of {listed(FORMS)}"
    if form != "exact" and (form == "misrecord") == numeric:
        return "a category has only misrecord, a measured variable everything else"
    if shape not in SHAPES:
        return f"its shape must be one of {listed(SHAPES)}"
    for key in ("value", "percent"):
        written = cells.get(key, "")
        if written and not re.fullmatch(_NUMBER, written):
            return f"its {key} is not a number"
        if re.fullmatch(_EITHER, written):
            return f"its {key} is written like 1,234, which could mean thousands or decimals; write a decimal point"
        if not 0.0 <= _number(written) < float("inf"):
            return f"its {key} must be 0 or more"
    needed = FIGURES.get(form, ("percent",))
    for key in needed:
        if not cells.get(key, ""):
            return f"its form {form} needs a figure under {key}, 0 for none"
    other = {"value", "percent"} - set(needed)
    if needed and not any(_number(cells[key]) for key in needed) and any(_number(cells.get(key, "")) for key in other):
        return f"its form {form} takes its figure under {' and '.join(needed)}, where this line has 0"
    if form == "misrecord" and _number(cells.get("percent", "")) > 100:
        return "a misrecording probability is at most 100 percent"
    return ""
