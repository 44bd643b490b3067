"""The table of σ goes out and comes in again as it was, whatever the variables are called.

In: stated errors under hard names. Out: failures that name the variable that was lost.
"""

from __future__ import annotations

import pytest

from engine.noise_table import Stated, from_csv, to_csv

NAMES = [
    "a", " lead", "trail ", 'q"x', "c,d", "s;e", "t\tf", "n\nl", "cr\rlf", "crlf\r\nx", "=1+1", "ü", "\u200fx",
    "variable", "two  spaces", "Glucose (mg/dL)", "'single'", "−5",
]  # fmt: skip


def test_a_table_comes_back_as_it_went():
    stated = {name: Stated("sd", 0.1 + 1 / (place + 3), 0.0, "laplace", 'src, "x"') for place, name in enumerate(NAMES)}
    text = to_csv(stated, NAMES, {"a": "mg/dL, fasting"})
    again, problems = from_csv(text.encode("utf-8"), dict.fromkeys(NAMES, True))
    assert problems == []
    assert again == stated


@pytest.mark.parametrize(("written", "name"), [("body  mass", "body mass"), ("body mass", " body\nmass ")])
def test_spaces_in_a_name_do_not_lose_a_variable(written, name):
    again, problems = from_csv(f"variable,form,value\n{written},sd,2\n".encode(), {name: True})
    assert again == {name: Stated("sd", 2.0)}
    assert problems == []


def test_names_that_differ_in_spaces_alone_are_not_taken_for_each_other():
    again, problems = from_csv(b"variable,form,value\na  b,sd,2\n", {"a b": True, " a  b": True})
    assert again == {}
    assert len(problems) == 1
