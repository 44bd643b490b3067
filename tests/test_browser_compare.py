"""A comparison in a real browser: begun, left, come back to, cancelled, saved, opened again; ended with its session.

In: Chromium by Playwright, the bundled example. Out: what the page says; the saved file; the server's threads.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from in_browser import go, new_page, settled, still, unclean

from pages.shared import compare_words, study_file
from pages.shared.choices import Compared, Comparing


@pytest.fixture
def page(address, browser):
    opened = new_page(browser, viewport={"width": 1280, "height": 1600}, accept_downloads=True)
    yield opened
    assert unclean(address[1]) == []
    opened.close()


def choose(page, key, option):
    page.locator(f".st-key-choose_{key} input").click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def begin(page, url):
    page.goto(f"{url}/compare")
    settled(page)
    slow = ["UDT", "SS+STP+SE", "SE", "CITree", *(f"Ternary-{zone}" for zone in ("node_bootstrap", "gain_ratio"))]
    slow += ["Ternary-node_bootstrap-middle", "Ternary-gain_ratio-middle"]
    for name in slow:  # long enough to be left, and still at work when a press is heard
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
    assert re.search(r"Compare: 10 variants, fold \d+ of 100", line.inner_text())
    assert re.search(r"About|few seconds", line.inner_text())
    before = int(re.search(r"fold (\d+)", line.inner_text())[1])
    page.wait_for_function(
        "n => Number(/fold (\\d+)/.exec(document.querySelector('.st-key-job_line').innerText)?.[1]) > n", arg=before
    )
    page.get_by_role("link", name=re.compile("Compare: 10 variants")).click()
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
    assert len(json.loads(saved)["study"]["results"]) >= 10 * done
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


def quick(page, url, repeats="1", folds="2"):
    """Compare the two variants of a cold link in a few folds."""
    page.goto(f"{url}/compare")
    settled(page)
    choose(page, "repeats", repeats)
    choose(page, "folds", folds)
    page.locator(".st-key-compare").get_by_role("button", name="Compare").click()
    page.wait_for_selector("text=against what happened")
    page.wait_for_function("() => !document.querySelector('.st-key-job_compare')")
    settled(page)
    assert "So far" not in page.get_by_test_id("stMain").inner_text()


def test_a_test_opens_its_folds_by_mouse_by_keyboard_and_by_touch(address, browser, page):
    quick(page, address[0])
    tests = page.locator(".st-key-figures_wide .tested")
    tip = page.locator(".st-key-figures_wide .tip-box:popover-open")
    said = tests.first.get_attribute("aria-label")
    found = re.match(r"Accuracy, B SS\+STP less A C4.5: mean \S+", said)
    assert found
    assert re.search(r"p \S+( \S+)? as tested, .* after Holm; of 2 folds B is over A in \d, under in \d", said)
    tests.first.hover()
    tip.wait_for()
    assert "Accuracy: B less A" in tip.inner_text()
    assert "2 folds" in tip.inner_text()
    page.mouse.move(2, 2)
    tip.wait_for(state="detached")

    tests.first.focus()
    tip.wait_for()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.st-key-figures_wide *')].some((each) => each.shadowRoot"
        "?.querySelector('.tip-box:popover-open')?.textContent.includes('Abstention'))"
    )
    page.keyboard.press("Escape")
    tip.wait_for(state="detached")
    stops = page.locator(".st-key-figures_wide .tested[tabindex='0']")
    assert stops.count() == 2  # one a table, the arrows go on from there

    phone = new_page(browser, viewport={"width": 1280, "height": 900}, has_touch=True)
    quick(phone, address[0])
    phone.set_viewport_size({"width": 400, "height": 900})
    pressed = phone.locator(".st-key-figures_narrow .tested").nth(1)
    pressed.scroll_into_view_if_needed()
    pressed.tap()
    shown = phone.locator(".st-key-figures_narrow .tip-box:popover-open")
    shown.wait_for()
    assert "Abstention" in shown.inner_text()
    at = shown.bounding_box()
    assert at["x"] >= 0
    assert at["x"] + at["width"] <= 400
    phone.close()


def test_on_a_phone_letters_are_tabs_over_one_tree(address, browser, page):
    page.set_viewport_size({"width": 400, "height": 1600})
    page.goto(f"{address[0]}/compare")
    settled(page)
    tabs, shown = page.get_by_role("tab"), page.locator(".trees .pane:visible svg")
    assert [tabs.nth(k).get_attribute("aria-label") for k in range(2)] == ["A C4.5", "B SS+STP"]
    assert shown.count() == 1
    assert shown.get_attribute("aria-label").startswith("Tree A")
    tabs.nth(1).click()
    assert shown.count() == 1
    assert shown.get_attribute("aria-label").startswith("Tree B")
    page.keyboard.press("ArrowRight")
    assert shown.get_attribute("aria-label").startswith("Tree A")
    assert tabs.first.get_attribute("aria-selected") == "true"
    page.set_viewport_size({"width": 1280, "height": 1600})
    page.wait_for_function("() => true")
    page.locator(".trees:not(.narrow)").wait_for()
    assert shown.count() == 2
    assert not page.locator(".trees .letters").is_visible()


def test_more_than_six_trees_slide_beside_the_first_and_the_one_held(address, browser, page):
    """A file with eight variants is opened over the two of a cold link."""
    page.goto(f"{address[0]}/compare")
    settled(page)
    names = ["CART", "C4.5", "C4.4", "SS", "STP", "SS+STP", "SE", "Ternary-margin"]
    comparing = Comparing(variants=tuple(map(Compared, names)), size={"max_depth": 2}, folds=2, repeats=1)
    content = study_file.to_json("compare", comparing, 0.7, None).encode()
    page.get_by_text("Open a saved comparison").click()
    page.set_input_files("input[type=file]", {"name": "c.json", "mimeType": "application/json", "buffer": content})
    settled(page)
    page.get_by_role("button", name="Open it").click()
    page.wait_for_selector("text=Ternary-margin")
    settled(page)
    panes, row = page.locator(".trees .pane"), page.locator(".trees .panes")
    assert panes.count() == 8
    left = panes.first.bounding_box()["x"]
    page.get_by_role("button", name="Hold D SS beside A").click()
    row.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    assert panes.nth(0).bounding_box()["x"] == pytest.approx(left, abs=3)
    held, last = panes.nth(3).bounding_box(), panes.nth(7).bounding_box()
    edge = row.bounding_box()
    assert edge["x"] <= held["x"] < last["x"]
    assert last["x"] + last["width"] <= edge["x"] + edge["width"] + 3
    assert panes.nth(1).bounding_box()["x"] < edge["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_first_fold_shows_a_table_that_says_how_far_it_is(address, browser, page):
    begin(page, address[0])
    page.wait_for_selector(f"text={compare_words.SO_FAR}")
    noted = page.locator(".st-key-figures_wide svg").first.text_content()
    assert re.search(r"\b\d+ of 100 folds", noted)
    assert page.locator(".st-key-cancel_compare").count()  # it is still at work
    page.locator(".st-key-cancel_compare button").first.click()
    page.wait_for_selector("text=/cancelled after/")


def test_a_cell_leads_to_its_patient_and_back(address, browser, page):
    url, _ = address
    page.goto(f"{url}/compare")
    settled(page)
    page.locator("[data-cell='0 1'], [data-cell='0 2'], [data-cell='1 2']").first.click()
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
    quick(page, url)
    page.set_viewport_size({"width": 320, "height": 1600})
    page.wait_for_timeout(300)
    still(page)
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
