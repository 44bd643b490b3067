"""The app in a real browser, as its tests start it and wait for it.

In: nothing. Out: fixtures for a server and Chromium of a test file's own, and how to open, leave and await a page.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

PATIENCE = 300_000  # ms: on cold caches and two busy cores a first fit compiles for minutes
ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
RACE = "RuntimeError: dictionary changed size during iteration"
STILL = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const now = [document.documentElement, main].map((each) => [each?.scrollWidth, each?.scrollHeight]).join();
  if (window.seenSize !== now) [window.seenSize, window.seenAt] = [now, performance.now()];
  return performance.now() - window.seenAt > 500;
}"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    port = free_port()
    log = tmp_path_factory.mktemp("server") / "log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=os.environ)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://localhost:{port}", log
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed, so no browser test.")
    if CHROMIUM is None:
        pytest.skip("No Chromium is installed (apt-get install chromium), so no browser test.")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


def unclean(log: Path) -> list[str]:
    """Return what a server's log holds and should not: tracebacks, and words of what nobody foresaw.

    One traceback is Streamlit's own: under a burst of keys it starts a run while the one before still writes the
    session's state, and iterates over it.
    """
    text = log.read_text()
    found = re.findall(r"Traceback \(most recent call last\):\n(?:  .*\n)+.*", text)
    own = [each for each in found if RACE not in each or str(ROOT / "pages") in each]
    return own + [line for line in text.splitlines() if "unforeseen" in line]


def new_page(opener, **options):
    """Open a page of a browser or of a context; it waits as long as a first compilation may take."""
    page = opener.new_page(**options)
    page.set_default_timeout(PATIENCE)
    return page


def settled(page) -> None:
    page.wait_for_selector("text=Intended use")
    page.wait_for_timeout(300)
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    still(page)


def still(page) -> None:
    """Wait until nothing on the page has moved for half a second: on a busy machine a new width takes its time."""
    page.wait_for_function(STILL)


def go(page, name: str) -> None:
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    settled(page)


def arrive(page, name: str, content: bytes, heading: str) -> None:
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": content})
    page.wait_for_selector(f"h1:has-text('{heading}')")
    settled(page)
