"""Compiling ahead when the server starts, and the words on every page while it lasts.

In: nothing. Out: compiled kernels, for all sessions of this server; one line on the page until they are there.
"""

from __future__ import annotations

import atexit
import logging
import subprocess
import sys
import threading
from pathlib import Path

import streamlit as st
from streamlit import runtime
from streamlit.runtime import Runtime

from engine import warm_up

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 1.5  # seconds in which compiled kernels are read from disk, and no word is needed
EVERY = 1.0  # seconds between two looks
FIRST = (
    "Getting ready: Penumbra compiles its calculations the first time it runs on a computer. The first tree comes in "
    "about half a minute; later starts take seconds."
)
REST = "The first tree is ready. Other methods are still being compiled; the first use of one may take half a minute."


class Compiling:
    """What is compiled ahead: what a first tree needs here, the rest in another process, which leaves it on disk."""

    def __init__(self) -> None:
        self.first = threading.Event()
        self.other: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self._run, name="penumbra compiling", daemon=True)
        self.thread.start()

    def words(self) -> str:
        """Return what to say while it lasts, nothing when all is compiled."""
        if not self.first.is_set():
            return FIRST
        return REST if self.other is not None and self.other.poll() is None else ""

    def _run(self) -> None:
        try:
            if warm_up.is_cold():
                self.other = subprocess.Popen(
                    [sys.executable, "-m", "engine.warm_up"], cwd=ROOT, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                atexit.register(self.other.kill)
            warm_up.fit_often()
        except Exception as error:  # compiling ahead only saves time: what fails here is said where it is needed
            logging.getLogger("penumbra").error("unforeseen %s while compiling ahead", type(error).__name__)
        finally:
            self.first.set()


_compiling: Compiling | None = None
_turn = threading.Lock()


def compiling() -> Compiling | None:
    """Return what this server compiles ahead, begun at the first call; None where no server runs."""
    global _compiling
    with _turn:
        if _compiling is None and runtime.exists() and type(runtime.get_instance()) is Runtime:  # no test's stand-in
            _compiling = Compiling()
        return _compiling


def line() -> None:
    """Draw, above a page, what is still being compiled, and look again every second until nothing is."""
    work = compiling()
    if work is None or (work.first.wait(AT_ONCE) and not work.words()):
        return

    def look() -> None:
        said = work.words()
        if not said:
            st.rerun(scope="app")
        st.info(said)

    st.fragment(look, run_every=EVERY)()
