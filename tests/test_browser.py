"""The whole way in a real browser: upload, σ, variant, τ, patient; the probability shown is the engine's.

In: a CSV made here, Chromium by Playwright. Out: what a person sees, beside what the engine computes alone.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from in_browser import arrive, go, new_page, settled, unclean
from screens import clinic

from engine import Noise, read_table, variant
from engine.number_words import probability_text


def fill(page, label: str, value: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(value)
    box.press("Enter")
    settled(page)


def pick(page, box: str, option: str) -> None:
    page.locator(f".st-key-open_{box} button").first.click()
    page.locator(f".st-key-choice_{box}").get_by_role("button", name=option, exact=True).click()
    settled(page)


@pytest.mark.parametrize("name", ["", "data", "noise", "tree", "patient", "compare", "robustness", "learn"])
def test_every_page_has_an_address_of_its_own(address, browser, name):
    url, _ = address
    page = new_page(browser, viewport={"width": 1280, "height": 900})
    page.goto(f"{url}/{name}")
    settled(page)
    assert page.url == f"{url}/{name or 'data'}"
    assert page.locator("[role=dialog]").count() == 0
    marked = page.locator("[data-testid=stTopNavLink][aria-current=page]")
    assert marked.inner_text().lower() == (name or "data")
    page.reload()
    settled(page)
    assert page.url == f"{url}/{name or 'data'}"
    assert page.locator("[role=dialog]").count() == 0
    page.close()


def test_a_narrow_patient_page_opens_the_whole_tree(address, browser):
    url, _ = address
    page = new_page(browser, viewport={"width": 400, "height": 2600})
    page.goto(f"{url}/patient")
    settled(page)
    whole = page.locator(".st-key-whole_tree_opened div.frame")
    assert whole.count() == 0
    page.get_by_text("Show the whole tree").click()
    settled(page)
    assert whole.is_visible()
    assert whole.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= 400")
    page.close()


def test_from_upload_to_patient(address, browser):
    url, log = address
    content = clinic(240, seed=11)
    page = new_page(browser, viewport={"width": 1280, "height": 1400})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/tree")  # a cold link first: the bundled example, inside the frame
    settled(page)
    assert page.locator("h1").inner_text() == "Eight leaves: four answer, four abstain"

    go(page, "Data")
    page.set_input_files("input[type=file]", {"name": "clinic.csv", "mimeType": "text/csv", "buffer": content})
    page.wait_for_selector("h1:has-text('240 patients read')")
    settled(page)

    go(page, "Noise")
    form = page.get_by_label("Form of σ of Glucose (mg/dL)")
    form.click()
    page.get_by_role("option", name="SD, fixed").click()
    settled(page)
    fill(page, "σ of Glucose (mg/dL), mg/dL", "9")
    assert "Glucose noise puts" in page.locator("h1").inner_text()

    go(page, "Tree")
    page.get_by_role("button", name="reset").click()
    settled(page)
    pick(page, "variant", "CART")
    pick(page, "variant", "SS+STP")
    pick(page, "decision", "tau (abstain below τ)")
    thumb = page.get_by_role("slider").first
    thumb.focus()
    for _ in range(10):
        thumb.press("ArrowRight")
    settled(page)
    assert float(thumb.input_value()) == 0.8

    go(page, "Patient")
    assert float(page.get_by_role("slider").first.input_value()) == 0.8
    fill(page, "Patient, 1 to 240", "3")
    table = read_table(content, "clinic.csv")
    noise = Noise(sigma={"Glucose (mg/dL)": 9.0})
    model = variant("SS+STP", noise=noise, decision="tau", tau=0.8).fit(table.X, table.y)
    case = model.case(table.X.iloc[2])
    positive = min(model.classes_, key=lambda label: sum(each == label for each in table.y))
    shown = page.get_by_test_id("stMain").inner_text()
    wanted = probability_text(float(case.probability[list(model.classes_).index(positive)]))
    assert f"P({positive}) {wanted}." in shown
    assert page.locator("h1").inner_text().startswith("No answer" if case.answer is None else "Outcome: ")
    assert "This is not the chance of disease." in shown

    page.get_by_label(re.compile("^Glucose")).first.fill("200")
    page.get_by_label(re.compile("^Glucose")).first.press("Enter")
    settled(page)
    changed = model.case({**table.X.iloc[2].to_dict(), "Glucose (mg/dL)": 200.0})
    k = list(model.classes_).index(positive)
    wanted = probability_text(float(changed.probability[k]))
    assert f"P({positive}) {wanted}." in page.get_by_test_id("stMain").inner_text()

    assert page.url == f"{url}/patient"
    assert not [each for each in asked if not each.startswith((url, "data:", "blob:", url.replace("http", "ws")))]
    assert unclean(log) == []
    assert "unforeseen" not in log.read_text()
    page.close()


def test_a_second_file_is_named_and_leaves_the_session_alive(address, browser):
    url, log = address
    page = new_page(browser, viewport={"width": 1280, "height": 1400})
    page.goto(f"{url}/data")
    settled(page)
    arrive(page, "clinic.csv", clinic(240, seed=11), "240 patients read")
    arrive(page, "clinic2.csv", clinic(90, seed=3), "90 patients read")
    shown = page.get_by_test_id("stSidebar").inner_text() + page.get_by_label("Data set").first.input_value()
    assert "File: clinic2.csv" in shown
    assert "File: clinic.csv" not in shown
    go(page, "Noise")
    page.get_by_label("Form of σ of Glucose (mg/dL)").click()
    page.get_by_role("option", name="SD, fixed").click()
    settled(page)
    go(page, "Data")
    assert "90 patients" in page.locator("h1").inner_text()
    assert "This app has encountered an error" not in page.inner_text("body")
    assert "unforeseen" not in log.read_text()
    page.close()


def test_no_name_of_a_file_makes_the_browser_ask_outside(address, browser):
    url, _ = address
    page = new_page(browser, viewport={"width": 1280, "height": 1400})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/data")
    settled(page)
    bad = ["![i](http://evil.test/x.png)", "![j](http://evil.test/y.png) (mg)", "see http://evil.test/z www.evil.test"]
    rows = "".join(f"{i % 9}.5,{i % 7},{i % 5}.25,{'xy'[i % 2]}\n" for i in range(60))
    content = (",".join([*bad, "![k](http://evil.test/k.png)"]) + "\n" + rows).encode()
    arrive(page, "![l](http:evil.test).csv", content, "60 patients read")
    for name in ("Noise", "Tree", "Patient"):
        go(page, name)
        assert page.locator("img[src*='evil.test'], a[href*='evil.test']").count() == 0
    go(page, "Noise")
    page.get_by_label("Form of σ of").first.click()
    page.get_by_role("option", name="SD, fixed").click()
    settled(page)
    assert page.locator("img[src*='evil.test'], a[href*='evil.test']").count() == 0
    assert not [each for each in asked if "evil" in each]
    page.close()


CATCH_PRINT = "window.print = () => { window.top.printed = document.documentElement.outerHTML; };"


@pytest.mark.parametrize(("name", "title"), [("patient", "report on one patient"), ("facts", "model facts")])
def test_paper_is_printed_and_saved_without_an_address_on_the_server(address, browser, name, title):
    url, log = address
    page = new_page(browser, viewport={"width": 1280, "height": 1400}, accept_downloads=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(CATCH_PRINT)
    page.goto(f"{url}/{name}")
    settled(page)
    asked.clear()
    with page.expect_download() as waiting:
        page.locator("[data-act=save]").click()
    saved = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename.endswith(".html")
    page.get_by_role("button", name="Print one page").click()
    page.wait_for_function("() => window.printed")
    printed = page.evaluate("window.printed")
    for each in (saved, printed):
        assert f"<title>Penumbra: {title}</title>" in each
        assert "Fingerprint of the model" in each
    heading = page.locator("h1").inner_text()
    assert html.escape(heading) in saved
    assert not [each for each in asked if not each.startswith(("data:", "blob:", "about:"))]
    assert page.url == f"{url}/{name}"
    assert "unforeseen" not in log.read_text()
    page.close()


def test_paper_is_of_the_patient_on_the_screen_when_it_is_asked_for(address, browser):
    page = new_page(browser, viewport={"width": 1280, "height": 1400}, accept_downloads=True)
    page.add_init_script(CATCH_PRINT)
    page.goto(f"{address[0]}/patient")
    settled(page)
    box = page.locator(".st-key-field_Ejection-fraction input")
    press = page.get_by_role("button", name="Print one page")

    def printed() -> str:
        page.wait_for_function("() => window.printed")
        return page.evaluate("() => { const text = window.printed; window.printed = ''; return text; }")

    box.fill("31")
    press.click()  # at once: the button takes the reading out of its field
    assert "Ejection fraction <b>31 %</b>" in printed()
    box.fill("45")
    box.press("Enter")
    settled(page)
    assert not page.evaluate("window.printed")  # nothing is printed unasked
    with page.expect_download() as waiting:
        page.locator("[data-act=save]").click()
    assert "Ejection fraction <b>45 %</b>" in Path(waiting.value.path()).read_text(encoding="utf-8")
    assert not page.evaluate("window.printed")
    for value in ("52", "33", "61"):
        press.click()
        box.fill(value)
        box.press("Enter")  # overtakes the press, whose page still comes
        assert "Ejection fraction <b>" in printed()
        settled(page)
        press.click()
        assert f"Ejection fraction <b>{value} %</b>" in printed()
        assert not page.evaluate("window.printed")
    assert unclean(address[1]) == []
    page.close()


COUNT_WATCHERS = """
window.watching = 0;
const Real = window.ResizeObserver;
window.ResizeObserver = class extends Real {
  observe(element, options) {
    if (element.classList.contains('frame') && !this.counted) { this.counted = true; window.watching += 1; }
    super.observe(element, options);
  }
  disconnect() {
    if (this.counted) { this.counted = false; window.watching -= 1; }
    super.disconnect();
  }
};
"""


def test_a_tree_that_grows_is_not_cut_to_the_height_of_the_one_before(address, browser):
    url, _ = address
    page = new_page(browser, viewport={"width": 1280, "height": 1400})
    page.add_init_script(COUNT_WATCHERS)
    page.goto(f"{url}/tree")
    settled(page)
    thumb = page.get_by_role("slider").first
    thumb.focus()
    for _ in range(5):
        thumb.press("ArrowRight")
        settled(page)
    assert page.evaluate("window.watching") <= page.locator("div.frame").count()
    for depth in ("1", "3"):
        fill(page, "Depth at most ●", depth)
    frame = page.locator(".frame", has=page.locator("svg .node")).first
    for width in (1200, 1280, 1100, 1280):
        page.set_viewport_size({"width": width, "height": 1400})
        page.wait_for_timeout(250)
        room = frame.evaluate("f => [f.clientHeight, f.scrollHeight]")
        assert room[0] >= room[1] - 1
    page.close()


def test_a_lost_session_says_so_and_takes_up_nothing_of_the_old_one(address, browser):
    url, log = address
    page = new_page(browser, viewport={"width": 1280, "height": 1400})
    page.goto(f"{url}/data")
    settled(page)
    page.reload()
    settled(page)
    assert page.get_by_role("alert").filter(has_text="new session").count() == 0  # nothing was lost
    arrive(page, "clinic.csv", clinic(240, seed=11), "240 patients read")
    go(page, "Noise")
    assert page.get_by_role("alert").filter(has_text="new session").count() == 0
    page.reload()
    settled(page)
    said = page.get_by_role("alert").filter(has_text="upload the file again")
    assert said.is_visible()
    go(page, "Tree")
    assert said.is_visible()  # until it is understood
    said.get_by_role("button", name="Understood").click()
    assert not said.is_visible()
    page.reload()
    settled(page)
    assert not said.is_visible()
    assert "clinic" not in page.evaluate("JSON.stringify({...sessionStorage})")
    assert unclean(log) == []
    page.close()
