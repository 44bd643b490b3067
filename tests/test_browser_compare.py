"""A comparison in a real browser: begun, left, come back to, cancelled, saved, opened again; ended with its session.

In: Chromium by Playwright, the bundled example. Out: what the page says; the saved file; the server's threads.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from in_browser import go, new_page, settled


@pytest.fixture
def page(address, browser):
    opened = new_page(browser, viewport={"width": 1280, "height": 1600}, accept_downloads=True)
    yield opened
    log = address[1].read_text()
    assert "unforeseen" not in log
    assert "Traceback" not in log
    opened.close()


def choose(page, key, option):
    page.locator(f".st-key-choose_{key} input").click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def begin(page, url):
    page.goto(f"{url}/compare")
    settled(page)
    for name in ("UDT", "Ternary-node_bootstrap"):  # long enough to be left and come back to
        page.locator(".st-key-add_variant button").first.click()
        page.locator(".st-key-choice_add").get_by_role("button", name=name, exact=True).click()
        settled(page)
        page.keyboard.press("Escape")
    choose(page, "repeats", "10")
    choose(page, "folds", "10")
    page.locator(".st-key-compare").get_by_role("button", name="Compare").click()
    page.wait_for_selector(".st-key-cancel_compare")


def test_left_come_back_to_cancelled_saved_and_resumed(address, browser, page):
    url, _ = address
    begin(page, url)
    page.wait_for_selector("text=/fold ([4-9]|[1-9][0-9]) of 100/")
    go(page, "Noise")
    line = page.locator(".st-key-job_line")
    assert re.search(r"Compare: 4 variants, fold \d+ of 100", line.inner_text())
    assert re.search(r"About|few seconds", line.inner_text())
    before = int(re.search(r"fold (\d+)", line.inner_text())[1])
    page.wait_for_function(
        "n => Number(/fold (\\d+)/.exec(document.querySelector('.st-key-job_line').innerText)?.[1]) > n", arg=before
    )
    page.get_by_role("link", name=re.compile("Compare: 4 variants")).click()
    settled(page)
    assert page.url == f"{url}/compare"
    page.locator(".st-key-cancel_compare button").first.click()
    page.wait_for_selector("text=/cancelled after/")
    settled(page)
    done = int(re.search(r"cancelled after (\d+) of 100", page.locator(".st-key-job_compare").inner_text())[1])
    assert done > before
    assert page.locator("h1").inner_text() != ""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save so far").click()
    saved = Path(waiting.value.path()).read_bytes()
    assert len(json.loads(saved)["study"]["results"]) >= 4 * done
    assert b"Ejection" not in saved

    fresh = new_page(browser, viewport={"width": 1280, "height": 1600})
    fresh.goto(f"{url}/compare")
    settled(fresh)
    fresh.get_by_text("Open a saved comparison").click()
    fresh.set_input_files("input[type=file]", {"name": "c.json", "mimeType": "application/json", "buffer": saved})
    settled(fresh)
    fresh.get_by_role("button", name="Open it").click()
    settled(fresh)
    assert f"cancelled after {done} of 100" in fresh.locator(".st-key-job_compare").inner_text()
    fresh.get_by_role("button", name="Compare the rest").click()
    fresh.wait_for_selector(".st-key-cancel_compare")
    told = fresh.locator(".st-key-job_compare")
    fresh.wait_for_function(
        "n => Number(/fold (\\d+)/.exec(document.querySelector('.st-key-job_compare').innerText)?.[1]) > n", arg=done
    )
    assert re.search(r"fold \d+ of 100", told.inner_text())
    fresh.locator(".st-key-cancel_compare button").first.click()
    fresh.wait_for_selector("text=/cancelled after/")
    fresh.close()


def test_the_path_under_the_mouse_lights_in_both_trees(address, browser, page):
    page.goto(f"{address[0]}/compare")
    settled(page)
    node = page.locator("svg[aria-label^='Tree A'] [data-place='r.1']")
    node.hover()
    for tree in ("A", "B"):
        assert page.locator(f"svg[aria-label^='Tree {tree}'] .on-path").count() == 2
    page.mouse.move(2, 2)
    assert page.locator(".on-path").count() == 0


def test_a_cell_leads_to_its_patient_and_back(address, browser, page):
    url, _ = address
    page.goto(f"{url}/compare")
    settled(page)
    page.locator("[class*=st-key-cell_other_] button:not([disabled])").first.click()
    page.get_by_role("button", name="open B").first.click()
    page.wait_for_url(f"{url}/patient")
    page.wait_for_selector(".st-key-from_compare")
    settled(page)
    assert "This is B SS+STP, opened from Compare" in page.get_by_test_id("stMain").inner_text()
    page.get_by_role("link", name="← Back to Compare").click()
    page.wait_for_url(f"{url}/compare")
    settled(page)
    assert page.locator("[class*=st-key-patient_] ").count() > 0  # the cell is still open


def test_at_320_pixels_a_finished_comparison_does_not_scroll_sideways(address, browser, page):
    url, _ = address
    page.goto(f"{url}/compare")
    settled(page)
    choose(page, "repeats", "1")
    choose(page, "folds", "2")
    page.locator(".st-key-compare").get_by_role("button", name="Compare").click()
    page.wait_for_selector("text=against what happened")
    settled(page)
    page.set_viewport_size({"width": 320, "height": 1600})
    page.wait_for_timeout(800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = page.evaluate("""() => {
      const hosts = [...document.querySelectorAll('[data-testid=stMain] *')].filter((each) => each.shadowRoot);
      return hosts.flatMap((each) => [...each.shadowRoot.querySelectorAll('.frame')])
        .filter((each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1 && !each.querySelector('.node'))
        .map((each) => each.textContent.slice(-80));
    }""")
    assert wide == []
    assert page.locator(".st-key-figures_narrow").is_visible()
    assert not page.locator(".st-key-figures_wide").is_visible()
