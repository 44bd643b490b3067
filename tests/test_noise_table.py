"""The table of σ goes out and comes in again as it was, whatever the variables are called.

In: stated errors under hard names. Out: failures that name the variable that was lost.
"""

from __future__ import annotations

import csv
import io

import pytest

from engine.noise_table import Stated, from_csv, to_csv

NAMES = [
    "a", " lead", "trail ", 'q"x', "c,d", "s;e", "t\tf", "n\nl", "cr\rlf", "crlf\r\nx", "=1+1", "ü", "\u200fx",
    "variable", "two  spaces", "Glucose (mg/dL)", "'single'", "−5", "+b", "-b", "@b", "'=1+1", "''=1+1", "'+b", "\t=b",
    "=quoted, \"x\"", "=",
]  # fmt: skip


def test_a_table_comes_back_as_it_went():
    stated = {name: Stated("sd", 0.1 + 1 / (place + 3), 0.0, "laplace", 'src, "x"') for place, name in enumerate(NAMES)}
    text = to_csv(stated, NAMES, {"a": "mg/dL, fasting"})
    again, problems = from_csv(text.encode("utf-8"), dict.fromkeys(NAMES, True))
    assert problems == []
    assert again == stated


def test_no_cell_of_the_file_begins_as_a_formula_does():
    hard = ["=1+1", "+b", "-b", "@b", "\tc", "\rd", "a\r=b"]
    stated = {name: Stated("sd", 1.0, source=f"{name} of a sheet") for name in hard}
    text = to_csv(stated, hard, dict.fromkeys(hard, "=unit"))
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert len(cells) == 7 * 8
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    again, problems = from_csv(text.encode(), dict.fromkeys(hard, True))
    assert problems == []
    assert [again[name].source for name in hard[:4]] == [stated[name].source for name in hard[:4]]


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "@b"])
def test_a_file_whose_names_have_no_guard_is_read_too(name):
    again, problems = from_csv(f"variable,form,value\n{name},sd,2\n".encode(), {name: True})
    assert (again, problems) == ({name: Stated("sd", 2.0)}, [])


@pytest.mark.parametrize(("written", "name"), [("body  mass", "body mass"), ("body mass", " body\nmass ")])
def test_spaces_in_a_name_do_not_lose_a_variable(written, name):
    again, problems = from_csv(f"variable,form,value\n{written},sd,2\n".encode(), {name: True})
    assert again == {name: Stated("sd", 2.0)}
    assert problems == []


def test_names_that_differ_in_spaces_alone_are_not_taken_for_each_other():
    again, problems = from_csv(b"variable,form,value\na  b,sd,2\n", {"a b": True, " a  b": True})
    assert again == {}
    assert len(problems) == 1
