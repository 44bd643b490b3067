"""What is compiled ahead is what a first tree needs, and the page says so while it lasts.

In: the kernels' compiled signatures, a server's compiling with its work held back. Out: nothing left to compile; words.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
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
    warm_up.search_ahead()
    warm_up.read_ahead()
    warm_up.curves_ahead()
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


def test_what_is_compiled_ahead_is_found_on_the_disk(tmp_path):
    warm_up.search_ahead()
    warm_up.read_ahead()
    warm_up.curves_ahead()
    assert not kernels.are_new()
    kernel = SimpleNamespace(__name__="divide", stats=SimpleNamespace(cache_path=str(tmp_path)))
    assert not kernels.is_on_disk(kernel)
    for name, age, found in (("divide_in_two-1.nbi", 1, False), ("divide-1.nbi", -1, False), ("divide-2.nbi", 1, True)):
        file = tmp_path / f"kernels.{name}"
        file.touch()
        written = Path(kernels.__file__).stat().st_mtime + age
        os.utime(file, (written, written))
        assert kernels.is_on_disk(kernel) == found
    kernel.stats.cache_path = None  # no folder can be written
    assert not kernels.is_on_disk(kernel)


def test_the_app_s_first_tree_and_patient_compile_nothing_more_either():
    warm_up.search_ahead()
    warm_up.read_ahead()
    warm_up.curves_ahead()
    before = compiled()
    open_page("patient", open_page("tree"))
    assert compiled() == before


class Other:
    """A second process that writes and ends when it is told to."""

    def __init__(self, command, **_):
        assert command[1:] == ["-m", "engine.warm_up"]
        self.written, self.ended, self.stdout = threading.Event(), threading.Event(), self

    def readline(self):
        assert self.written.wait(10)
        return "read"

    def poll(self):
        return 0 if self.ended.is_set() else None

    def kill(self):
        self.written.set()
        self.ended.set()


def test_the_words_last_as_long_as_the_compiling(monkeypatch):
    held = threading.Event()
    monkeypatch.setattr(kernels, "are_new", lambda: True)
    monkeypatch.setattr(warm_up, "search_ahead", held.wait)
    monkeypatch.setattr(ready.subprocess, "Popen", Other)
    work = ready.Preparing()
    assert work.known.wait(10)  # long before anything is compiled
    assert work.words() == ready.FIRST
    held.set()
    assert not work.first.wait(0.2)  # the other half is not there yet
    work.other.written.set()
    work.thread.join(10)
    assert work.words() == ready.REST
    work.other.ended.set()
    assert work.words() == ""


def test_a_server_that_closes_ends_the_second_process(monkeypatch):
    monkeypatch.setattr(ready, "preparing", None)
    monkeypatch.setattr(ready.PagesManager, "uses_pages_directory", None)
    monkeypatch.setattr(kernels, "are_new", lambda: True)
    monkeypatch.setattr(warm_up, "search_ahead", lambda: None)
    monkeypatch.setattr(ready.subprocess, "Popen", Other)

    async def opened_and_closed():
        async with ready.ahead(None):
            return ready.preparing

    work = asyncio.run(opened_and_closed())
    work.thread.join(60)
    assert work.other.ended.is_set()


def test_what_is_on_the_disk_is_not_compiled_again(monkeypatch):
    def fail(*_, **__):
        raise AssertionError

    monkeypatch.setattr(kernels, "are_new", lambda: False)
    monkeypatch.setattr(warm_up, "search_ahead", fail)
    monkeypatch.setattr(ready.subprocess, "Popen", fail)
    work = ready.Preparing()
    work.thread.join(60)
    assert work.other is None
    assert work.words() == ""


def test_getting_ready_that_fails_holds_nobody_up(monkeypatch, caplog):
    def fail():
        raise OSError

    monkeypatch.setattr(kernels, "are_new", fail)
    work = ready.Preparing()
    work.thread.join(10)
    assert work.words() == ""
    assert "OSError" in caplog.text


def test_a_fit_waits_for_what_is_being_compiled(monkeypatch):
    monkeypatch.setattr(kernels, "are_new", lambda: False)
    work = ready.Preparing()
    work.thread.join(60)
    work.first.clear()
    monkeypatch.setattr(ready, "preparing", work)
    waiting = threading.Thread(target=ready.wait, daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    work.first.set()
    waiting.join(10)
    assert not waiting.is_alive()


def test_without_a_server_nothing_is_made_ready():
    open_page("data")  # a page that a test draws has a stand-in for the server
    assert ready.preparing is None
    ready.wait()


def test_the_words_need_nothing_of_the_engine():
    told = subprocess.run(
        [sys.executable, "-c", "import sys, pages.shared.ready; print([m for m in sys.modules if m[:6] == 'engine'])"],
        capture_output=True, text=True, check=True, cwd=ready.ROOT,
    )  # fmt: skip
    assert told.stdout.strip() == "[]"


def cdf_from_disk():
    """Return F(0.3) by a kernel of its own, by both kinds of code, and how often it was found on disk."""
    kernel = kernels.compiled(kernels.cdf.py_func)
    values = kernel(0.3, kernels.UNIFORM), kernel(0.3, np.int32(kernels.UNIFORM))
    return values, sum(kernel.stats.cache_hits.values())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("ending", ["*.nbi", "*.nbc"])
def test_a_damaged_file_is_compiled_anew(monkeypatch, tmp_path, ending):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    right, hits = cdf_from_disk()
    assert hits == 0
    assert cdf_from_disk() == (right, 2)
    for file in tmp_path.rglob(ending):
        file.write_bytes(file.read_bytes()[:20])
    assert cdf_from_disk() == (right, 0)
    assert cdf_from_disk() == (right, 2)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_file_for_other_arguments_is_not_run(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    right, _ = cdf_from_disk()
    one, other = tmp_path.rglob("*.nbc")
    one.write_bytes(other.read_bytes())
    assert [cdf_from_disk()[0] for _ in range(2)] == [right, right]
    assert cdf_from_disk() == (right, 2)
