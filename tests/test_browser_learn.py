"""A lesson in a real browser: points are dragged and moved by arrow keys, and the figure follows.

In: Chromium by Playwright. Out: what the figure says, beside what the engine computes alone.
"""

from __future__ import annotations

import re

import pytest
from in_browser import new_page, settled
from test_accessibility import CONTRASTS, axe, findings  # noqa: F401

from engine import lessons
from pages.shared.learn_words import LESSONS

MARK = ".st-key-lesson_figure .drag[data-name='{}']"
FOCUSED = """(() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.dataset?.name;
})()"""


@pytest.fixture(scope="module")
def page(address, browser):
    opened = new_page(browser, viewport={"width": 1280, "height": 1400})
    opened.goto(f"{address[0]}/learn")
    settled(opened)
    yield opened
    assert "unforeseen" not in address[1].read_text()
    assert "Traceback" not in address[1].read_text()
    opened.close()


def value(page, name):
    return float(page.locator(MARK.format(name)).get_attribute("aria-valuenow"))


def reaches(page, name, wanted):
    """Wait until a mark stands at a value and the page has drawn the figure for it."""
    page.wait_for_function(
        """([name, wanted]) => {
          const find = (root) => [...root.querySelectorAll('*')].flatMap((each) =>
            each.shadowRoot ? [...each.shadowRoot.querySelectorAll(`.drag[data-name='${name}']`)] : []);
          return find(document).some((mark) => Math.abs(Number(mark.getAttribute('aria-valuenow')) - wanted) < 1e-6
            && !mark.hasAttribute('transform'));
        }""",
        arg=[name, wanted],
    )


def told(page):
    return " ".join(page.locator(".st-key-lesson_figure svg.penumbra text").all_text_contents())


def test_a_question_is_answered_and_the_curves_appear(page):
    assert "Covered until you answer" in told(page)
    page.get_by_text("near 0, between the middle two").click()
    page.wait_for_selector("text=Near 0, between the middle two, as you said.")
    settled(page)
    assert f"soft: 0, gain {lessons.four_points(lessons.NOISY, 1.6).top_gain:.3f}" in told(page)


def test_arrow_keys_move_a_point_and_keep_the_focus(page):
    page.locator(MARK.format("point1")).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    reaches(page, "point1", 0.5)
    settled(page)
    found = lessons.four_points((-2.0, 0.5, -0.2, 2.0), 1.6)
    assert f"gain {found.top_gain:.3f}" in told(page)
    assert page.evaluate(FOCUSED) == "point1"
    page.keyboard.press("ArrowLeft")
    reaches(page, "point1", 0.4)


def test_a_point_is_dragged_and_the_curve_follows(page):
    box = page.locator(MARK.format("point3") + " .ring").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    per_unit = float(page.locator(MARK.format("point3")).get_attribute("data-per-unit"))
    wide = page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate(
        "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x - 0.1 * step * per_unit * wide, y)
        page.wait_for_timeout(60)
    page.mouse.up()
    reaches(page, "point3", 1.0)
    settled(page)
    points = tuple(value(page, f"point{k}") for k in range(4))
    assert points == (-2.0, 0.4, -0.2, 1.0)
    found = lessons.four_points(points, 1.6)
    assert re.search(rf"soft: .*gain {found.top_gain:.3f}", told(page))
    assert f"gain {found.exact_gain:.3f}" in told(page)


def test_an_open_label_is_dragged_to_a_class(page):
    page.get_by_role("button", name="Entropy when doctors abstain").first.click()
    settled(page)
    page.get_by_role("button", name="Just show me").click()
    page.wait_for_selector("text=Entropy from 0.278 to 0.500")
    page.locator(MARK.format("open0")).focus()
    page.keyboard.press("ArrowLeft")
    found = lessons.orthopartition(7, 2, 3)
    page.wait_for_selector(f"text=Entropy from {found.low:.3f} to {found.high:.3f}")


def test_a_narrow_window_asks_first_and_draws_the_narrow_figure(page):
    page.set_viewport_size({"width": 400, "height": 1400})
    settled(page)
    order = ("lesson_question", "lesson_figure", "moral")
    tops = [page.locator(f".st-key-{name}").bounding_box()["y"] for name in order]
    assert tops == sorted(tops)
    assert page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate("svg => svg.viewBox.baseVal.width") == 344
    assert page.evaluate("document.querySelector('.stMain').scrollWidth <= 401")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_lesson_can_be_read_by_eye_and_by_a_screen_reader(address, browser, axe, scheme):  # noqa: F811
    page = new_page(browser, viewport={"width": 1280, "height": 1600}, color_scheme=scheme)
    page.goto(f"{address[0]}/learn")
    settled(page)
    page.evaluate(axe)
    wrong = {}
    for name, lesson in LESSONS.items():
        page.locator(f".st-key-lesson-{name} button").click()
        page.wait_for_selector(f"h1:has-text('{lesson.heading}')")
        page.get_by_role("button", name="Just show me").click()
        page.wait_for_selector("text=Cover again")
        settled(page)
        faint = [each for each in page.evaluate(CONTRASTS) if each[0] < 4.5]
        wrong[name] = faint + (findings(page) if scheme == "light" else [])
        page.set_viewport_size({"width": 320, "height": 1600})
        page.wait_for_timeout(300)
        if page.evaluate("document.querySelector('.stMain').scrollWidth") > 320:
            wrong[name].append("wider than 320 pixels")
        page.set_viewport_size({"width": 1280, "height": 1600})
        page.wait_for_timeout(300)
    assert {name: found for name, found in wrong.items() if found} == {}
    page.close()
