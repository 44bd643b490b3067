"""Getting ready when the server starts: the engine read, its kernels compiled, and words on every page meanwhile.

In: nothing. Out: modules and compiled kernels, for all sessions of this server; one line on the page until they are
there. Nothing of the engine is imported with this file, so that the words come before it.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("engine.warm_up", "engine.draw", "plotly.graph_objects", "pages.shared.recipe_controls")
AT_ONCE = 4.0  # seconds in which modules are read from disk where nothing is to be compiled, and no word is needed
EVERY, SELDOM = 1.0, 10.0  # seconds between two looks, before a first tree can be fitted and after
LONGEST = 180.0  # seconds after which a fit compiles for itself what has not come
FIRST = (
    "Getting ready: Penumbra compiles its calculations the first time it runs on a computer. The first tree comes in "
    "about half a minute; later starts take seconds."
)
REST = "The first tree is ready. Other methods are still being compiled; the first use of one may take half a minute."


class Preparing:
    """What is made ready ahead; of kernels that are on no disk, half are compiled here, half in another process."""

    def __init__(self) -> None:
        self.known, self.first = threading.Event(), threading.Event()  # what to say; that a first tree can be fitted
        self.other: subprocess.Popen[str] | None = None
        self.closed = False
        self.thread = threading.Thread(target=self._run, name="penumbra getting ready", daemon=True)
        self.thread.start()

    def words(self) -> str:
        """Return what to say while it lasts, nothing when all is there."""
        if not self.first.is_set():
            return FIRST
        return REST if self.other is not None and self.other.poll() is None else ""

    def stop(self) -> None:
        """End the other process, or begin none: the server closes."""
        self.closed = True
        if self.other is not None:
            self.other.kill()

    def _run(self) -> None:
        try:
            kernels = importlib.import_module("engine.kernels")
            if kernels.are_new():
                self.known.set()
                self.other = subprocess.Popen(
                    [sys.executable, "-m", "engine.warm_up"], cwd=ROOT, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                )  # fmt: skip
                atexit.register(self.other.kill)
                if self.closed:
                    self.other.kill()
            warm_up, *_ = [importlib.import_module(part) for part in PARTS]
            if self.other is not None and self.other.stdout is not None:
                warm_up.search_ahead()
                self.other.stdout.readline()  # written when the other half is on the disk
        except Exception as error:  # it only saves time: what fails here is said where it is needed
            logging.getLogger("penumbra").error("unforeseen %s while getting ready", type(error).__name__)
        finally:
            self.first.set()
            self.known.set()


preparing: Preparing | None = None  # nothing without a server, as in a test that draws a page


@asynccontextmanager
async def ahead(_app: Any) -> AsyncIterator[None]:
    """Begin to get ready before a browser asks for a page, and have every page entered by app.py."""
    global preparing
    PagesManager.uses_pages_directory = False  # else a cold link runs its page alone first
    preparing = work = Preparing()
    try:
        yield
    finally:
        work.stop()  # a server that is told to terminate ends without what `atexit` would do


def line() -> None:
    """Draw, above a page, what is still being made ready, and look again now and then until nothing is."""
    work = preparing
    if work is None or (work.known.wait(AT_ONCE) and not work.words()):
        return
    now = work.words()

    def look() -> None:
        if work.words() != now:
            st.rerun(scope="app")
        st.info(now)

    st.fragment(look, run_every=EVERY if now == FIRST else SELDOM)()


def wait() -> None:
    """Wait until a first tree can be fitted without compiling what is being compiled already, but not for ever."""
    if preparing is not None:
        preparing.first.wait(LONGEST)
