"""What is compiled ahead is what a first tree needs, and the page says so while it lasts.

In: the kernels' compiled signatures, a server's compiling with its work held back. Out: nothing left to compile; words.
"""

from __future__ import annotations

import threading

import pytest
from screens import open_page

from engine import kernels, warm_up
from engine.classifier import variant
from engine.examples import load_example
from engine.noise import Noise
from pages.shared import ready


def compiled():
    """Return how many signatures of the kernels this process holds."""
    return sum(len(each.signatures) for each in vars(kernels).values() if hasattr(each, "signatures"))


def test_after_compiling_ahead_a_first_tree_and_patient_compile_nothing():
    warm_up.fit_often()
    before = compiled()
    found = load_example("ejection_fraction")
    X, y = found.frame.drop(columns=[found.target]), found.frame[found.target].tolist()
    model = variant(warm_up.OFTEN, noise=Noise(sigma=dict(found.sigma)), decision="tau", max_depth=3).fit(X, y)
    model.predict(X)
    model.case(X.iloc[0])
    assert before > 0
    assert compiled() == before


@pytest.mark.parametrize("name", ["C4.5", "UDT", "PLT", "CITree", "Ternary-margin", "Ternary-gain_ratio-middle"])
def test_everything_is_what_other_methods_need_too(name):
    warm_up.one(name)
    before = compiled()
    X, y = warm_up.patients(60)
    more = {"width": 0.2} if name == "UDT" else {}
    variant(name, **more).fit(X, y).predict(X)
    assert compiled() == before


def test_what_one_split_is_read_by_is_what_a_grown_tree_is_read_by():
    warm_up.fit_often()
    before = compiled()
    warm_up.read_often()
    assert compiled() == before


def test_the_words_last_as_long_as_the_compiling(monkeypatch):
    held, rest = threading.Event(), threading.Event()

    class Other:
        def __init__(self, command, **_):
            assert command[1:] == ["-m", "engine.warm_up"]

        def poll(self):
            return 0 if rest.is_set() else None

        def kill(self):
            rest.set()

    monkeypatch.setattr(ready.warm_up, "is_cold", lambda: True)
    monkeypatch.setattr(ready.warm_up, "fit_often", held.wait)
    monkeypatch.setattr(ready.subprocess, "Popen", Other)
    work = ready.Compiling()
    assert work.words() == ready.FIRST
    held.set()
    work.thread.join(10)
    assert work.words() == ready.REST
    rest.set()
    assert work.words() == ""


def test_compiling_that_fails_holds_nobody_up(monkeypatch):
    def fail():
        raise OSError

    monkeypatch.setattr(ready.warm_up, "is_cold", fail)
    work = ready.Compiling()
    work.thread.join(10)
    assert work.words() == ""


def test_without_a_server_nothing_is_compiled_ahead():
    assert ready.compiling() is None
    open_page("data")  # a page that a test draws has a stand-in for the server
    assert ready.compiling() is None
