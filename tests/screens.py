"""Opens the app's pages without a browser, for the page tests.

In: a page's name, bytes to upload. Out: a running `AppTest`, and checks every page must pass.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
FOOT = "Intended use: teaching and research."


def open_page(name: str | None, at: AppTest | None = None) -> AppTest:
    """Return the app turned to a page (None: by the front door), a cold start unless `at` is given."""
    at = at or AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if name is not None:
        at.switch_page(f"pages/{name}.py")
    return at.run()


def upload(content: bytes, filename: str = "clinic.csv") -> AppTest:
    """Return the Data page after a file was uploaded."""
    at = open_page("data")
    at.file_uploader[0].upload(filename, content, "text/csv").run()
    return at


def validate(at: AppTest) -> AppTest:
    """Try the model on patients left out, wait for it, and draw the page anew."""
    at.button(key="validate").click().run()
    if "penumbra_jobs" in at.session_state and (job := at.session_state["penumbra_jobs"].of("validate")) is not None:
        job.thread.join(120)
    return at.run()


def whole(at: AppTest) -> None:
    """Check that a page ran to its foot without a traceback."""
    assert not at.exception, [each.message for each in at.exception]
    assert any(FOOT in each.value for each in at.caption)


def sound(at: AppTest) -> None:
    """Check that a page ran to its foot and had nothing to complain of."""
    whole(at)
    assert not at.error, [each.value for each in at.error]


def heading(at: AppTest) -> str:
    """Return the page's finding as it reads on screen."""
    return next(each.value for each in at.markdown if each.value.startswith("# ")).removeprefix("# ").replace("\\", "")


def text(at: AppTest) -> str:
    """Return all Markdown and captions of a page as they read on screen."""
    return "\n".join(each.value for each in [*at.markdown, *at.caption]).replace("\\", "")


def paper(at: AppTest) -> str:
    """Return the page of HTML that the screen's print and save buttons ask for, as after a press."""
    at.session_state["penumbra_paper"] = ("a press", True)
    found = on_paper(at.run())
    assert found["asked"] == "a press"
    return found["html"]


def on_paper(at: AppTest) -> dict[str, str]:
    """Return what the screen's print and save buttons were sent."""
    waiting = [at.main, at.sidebar]
    while waiting:
        block = waiting.pop(0)
        proto = getattr(block, "proto", None)
        if getattr(proto, "component_name", "") == "penumbra_paper":
            return dict(json.loads(proto.json))
        waiting += getattr(block, "children", {}).values()
    raise AssertionError("nothing on this screen can be printed")


def clinic(n: int = 160, seed: int = 5) -> bytes:
    """Return a made-up clinic as CSV: glucose and BMI with units, a category, an identifier, two labels."""
    random = np.random.default_rng(seed)
    glucose = np.round(random.normal(120, 25, n), 1)
    bmi = np.round(random.normal(30, 5, n), 1)
    sick = glucose + 2 * bmi + random.normal(0, 15, n) > 185
    smoker = random.choice(["yes", "no"], n)
    lines = ["patient id,Glucose (mg/dL),BMI (kg/m²),smoker,outcome"]
    lines += [f"{1000 + i},{glucose[i]},{bmi[i]},{smoker[i]},{'sick' if sick[i] else 'well'}" for i in range(n)]
    return "\n".join(lines).encode()
