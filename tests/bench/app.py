"""How long the app takes: a control changed until the tree is redrawn, a what-if value until the numbers, its start.

In: a made-up table of 1,000 patients and 30 variables. Out: printed times with the bars they are to reach.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from sklearn.datasets import make_classification
from streamlit.testing.v1 import AppTest

from .rows import chosen, seconds, times

sys.path.insert(0, "tests")

from in_browser import CHROMIUM, FLAGS, ROOT, free_port
from screens import open_page, sound, upload

ROWS, WIDE = 1_000, 30
ROUNDS = 8
SIGMA = 10.0  # % of each variable's SD


def table() -> bytes:
    """Return the patients as CSV."""
    X, y = make_classification(ROWS, WIDE, n_informative=10, random_state=0)
    head = ",".join([*(f"m{j}" for j in range(WIDE)), "outcome"])
    lines = [",".join([*(f"{x:.3f}" for x in row), "sick" if k else "well"]) for row, k in zip(X, y, strict=True)]
    return "\n".join([head, *lines]).encode()


def opened() -> AppTest:
    """Return the app with the patients uploaded and a σ for every variable."""
    at = open_page("noise", upload(table()))
    at.selectbox(key="all_form").set_value("% of SD").run()
    at.number_input(key="all_value").set_value(SIGMA).run()
    at.button(key="apply_all").click().run()
    return at


def spent(at: AppTest, changes: list[Callable[[], Any]]) -> list[float]:
    """Return the seconds of each change and of the drawing after it; the first of each is not counted."""
    took = []
    for change in changes:
        took.append(seconds(change))
        sound(at)
    return took


def latencies() -> None:
    """Print what a reader waits for on the server's side."""
    name, again = "app: a control changed, tree redrawn, 1,000 x 30", "app: a what-if value, numbers, 1,000 x 30"
    if not chosen(name) and not chosen(again):
        return
    at = open_page("tree", opened())
    at.run()
    changes: list[Callable[[], Any]] = []
    for k in range(ROUNDS):
        changes += [
            lambda k=k: at.slider(key="tau").set_value(0.6 + 0.02 * k).run(),
            lambda k=k: at.number_input(key="set_max_depth").set_value(3 + k % 3).run(),
            lambda k=k: at.number_input(key="set_min_weight_leaf").set_value(10.0 + k).run(),
        ]
    times(name, spent(at, changes), "150 ms, 300 ms at 95 %")
    at = open_page("patient", at)
    field = next(box.key for box in at.number_input if box.key.startswith("field_"))
    values = [0.1 * k for k in range(3 * ROUNDS)]
    types = [lambda value=value: at.number_input(key=field).set_value(value).run() for value in values]
    times(again, spent(at, types), "100 ms at 95 %")


def starts() -> None:
    """Print how long `streamlit run` takes to a first tree, with compiled kernels on disk and without."""
    for name, bar, fresh in (("start, warm", "3 s", False), ("start, first ever", "15 s", True)):
        if not chosen(name) or (fresh and "--quick" in sys.argv):
            continue
        with tempfile.TemporaryDirectory() as empty:
            more = {"NUMBA_CACHE_DIR": empty} if fresh else {}
            words, tree = start(os.environ | more)
        said = "" if words is None else f", words after {words:.1f} s"
        print(f"{name + ': streamlit run to first tree' + said:<58} {tree:>10.1f} s {'':>20}   bar {bar}", flush=True)


def start(env: dict[str, str]) -> tuple[float | None, float]:
    """Return the seconds from starting the server to the words on the page (None: none) and to the first tree."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS).new_page()
        port, began, words = free_port(), time.perf_counter(), None
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    page.goto(f"http://localhost:{port}/tree")
                    break
                except Exception:
                    time.sleep(0.05)
            while not page.locator(".penumbra-view .node").count():
                if words is None and page.locator("text=Getting ready").count():
                    words = time.perf_counter() - began
                time.sleep(0.05)
            return words, time.perf_counter() - began
        finally:
            server.terminate()
            server.wait(20)
