"""A lesson in a real browser: points are dragged and moved by arrow keys, and the figure follows.

In: Chromium by Playwright. Out: what the figure says, beside what the engine computes alone.
"""

from __future__ import annotations

import re

import pytest
from in_browser import new_page, settled, unclean
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
    assert unclean(address[1]) == []
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


def test_keys_pressed_faster_than_the_page_draws_all_count(page):
    mark = page.locator(MARK.format("point1"))
    before = value(page, "point1")
    mark.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    reaches(page, "point1", round(before + 3.0, 1))
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    reaches(page, "point1", before)
    settled(page)


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


def test_a_patient_added_to_the_moons_is_dragged_and_the_tree_follows(page):
    page.locator(".st-key-lesson-moons button").click()
    settled(page)
    page.get_by_role("button", name="Just show me").click()
    page.wait_for_selector("text=Cover again")
    page.get_by_role("button", name="Add a patient of class B").click()
    reaches(page, "added0", 0.5)
    settled(page)
    mark = page.locator(MARK.format("added0"))
    wide = page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate(
        "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
    )
    across, up = (float(mark.get_attribute(f"data-per-{name}")) * wide for name in ("unit", "up"))
    box = mark.locator(".ring").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.25, 0.5, 0.75, 1.0):
        page.mouse.move(x - 1.5 * across * part, y - 0.8 * up * part)
        page.wait_for_timeout(60)
    page.mouse.up()
    reaches(page, "added0", -1.0)
    mark.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    reaches(page, "added0", -0.9)
    settled(page)
    assert float(mark.get_attribute("data-up")) == pytest.approx(1.2)
    assert mark.get_attribute("aria-valuetext") == "−0.9 across, 1.2 up"
    assert page.evaluate(FOCUSED) == "added0"
    found = lessons.two_moons("gain_ratio", "zone", ((-0.9, 1.2, 1),))
    page.wait_for_selector(f"text={100 * found.told.boundary_uncertain_rate:.0f} % undecided")
    rings = page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate(
        "svg => svg.querySelectorAll('circle[r=\"6\"][stroke*=unsure]').length"
    )
    assert rings == found.inside[:200].sum()


def shown(page):
    return "Covered until you answer" not in told(page)


def test_in_front_of_a_room_the_keys_are_the_figures(address, browser):
    page = new_page(browser, viewport={"width": 1280, "height": 720})
    page.goto(f"{address[0]}/learn?lesson=points&sigma=1")
    settled(page)
    page.get_by_text("Projector", exact=True).first.click()
    page.wait_for_selector(".st-key-projector")
    settled(page)
    assert page.locator("[data-testid=stSidebar]:visible, [data-testid=stHeader]:visible").count() == 0
    assert page.locator(f"h1:has-text('{LESSONS['points'].question}')").count() == 1
    figure = page.locator(".st-key-projector svg.penumbra").first
    box = figure.bounding_box()
    assert box["width"] / figure.evaluate("svg => svg.viewBox.baseVal.width") >= 1.45
    assert box["y"] + box["height"] <= 720
    page.keyboard.press("Space")
    page.wait_for_selector(f"h1:has-text('{LESSONS['points'].heading}')")
    settled(page)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    found = lessons.four_points(lessons.NOISY, 1.4)
    page.wait_for_function(
        "() => document.querySelector('.st-key-pinned input[type=range]').value == '1.4'"
    )
    settled(page)
    figure_told = " ".join(page.locator(".st-key-projector svg.penumbra text").all_text_contents())
    assert f"gain {found.top_gain:.3f}" in figure_told
    page.locator(".st-key-projector .drag[data-name=point1]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=soft search one")
    settled(page)
    assert float(page.locator(".drag[data-name=point1]").get_attribute("aria-valuenow")) == pytest.approx(0.3)
    page.get_by_role("button", name="Next →").click()
    page.wait_for_selector(f"h1:has-text('{LESSONS['order'].question}')")
    settled(page)
    page.keyboard.press("Space")  # the button that the mouse pressed keeps no key
    page.wait_for_selector(f"h1:has-text('{LESSONS['order'].heading}')")
    page.wait_for_selector(f".st-key-room_told >> text={LESSONS['order'].moral[:40]}")
    settled(page)
    moral = page.locator(".st-key-room_told p").last
    assert moral.bounding_box()["y"] > 600  # below the figure
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 50")
    assert moral.bounding_box()["y"] + moral.bounding_box()["height"] <= 720
    next_lesson = page.get_by_role("button", name="Next →")
    next_lesson.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"h1:has-text('{LESSONS['missed'].question}')")
    settled(page)
    page.keyboard.press("Space")  # shows this lesson's curves, and does not press the button once more
    page.wait_for_selector(f"h1:has-text('{LESSONS['missed'].heading}')")
    settled(page)
    for key in "Space Space Space ArrowLeft ArrowRight Home End q Enter Space ArrowUp ArrowUp".split():
        page.keyboard.press(key)
    settled(page)
    page.keyboard.press("Escape")
    page.wait_for_selector("text=More lessons")
    settled(page)
    assert page.locator(".st-key-projector").count() == 0
    page.keyboard.press("Space")  # and the page has its own keys again
    settled(page)
    assert page.locator(".st-key-lesson_question").count() == 1
    assert unclean(address[1]) == []
    page.close()


SETS = "[...document.querySelectorAll('.st-key-points_set button')]"
CHOSEN = f"{SETS}.filter((each) => each.getAttribute('aria-checked') === 'true').map((each) => each.textContent).join()"


def choose(page, name, how):
    """Choose a set of points by a click, or by a slow press of the mouse."""
    option = page.locator(".st-key-points_set button", has_text=name)
    if how == "click":
        option.click()
    else:
        box = option.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.wait_for_timeout(90)
        page.mouse.up()


def test_a_set_chosen_just_after_an_arrow_key_stands(address, browser):
    page = new_page(browser, viewport={"width": 1280, "height": 720})
    page.goto(f"{address[0]}/learn?lesson=points&sigma=1")
    settled(page)
    page.get_by_text("Projector", exact=True).first.click()
    page.wait_for_selector(".st-key-projector")
    settled(page)
    for how, keys, gap in (
        ("click", 3, 0), ("click", 6, 0), ("click", 1, 400), ("press", 1, 100), ("press", 6, 0), ("press", 1, 1000),
    ):  # fmt: skip
        choose(page, "Noisy", "click")
        page.wait_for_function(f"{CHOSEN} === 'Noisy'")
        reaches(page, "point1", 0.2)
        settled(page)
        page.locator(".st-key-projector .drag[data-name=point1]").focus()
        for _ in range(keys):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
        choose(page, "Clean", how)
        page.wait_for_timeout(2000)  # longer than a figure holds what was moved, or tells it again
        settled(page)
        places = [page.locator(f".st-key-projector .drag[data-name=point{k}]") for k in range(4)]
        assert [float(each.get_attribute("aria-valuenow")) for each in places] == list(lessons.CLEAN), (how, keys, gap)
        assert page.evaluate(CHOSEN) == "Clean", (how, keys, gap)
        assert not any(each.get_attribute("transform") for each in places)
    places[1].focus()
    page.keyboard.press("ArrowRight")  # and a key pressed after it moves the point of that set
    reaches(page, "point1", lessons.CLEAN[1] + 0.1)
    page.wait_for_function(f"{CHOSEN} === 'Yours'")
    assert unclean(address[1]) == []
    page.close()


@pytest.mark.parametrize("name", list(LESSONS))
def test_a_handout_is_one_sheet_of_a4_and_of_letter(address, browser, tmp_path, name):
    page = new_page(browser, viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page.goto(f"{address[0]}/learn?lesson={name}")
    settled(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the handout").click()
    path = tmp_path / "sheet.html"
    saved.value.save_as(path)
    assert saved.value.suggested_filename == f"penumbra-lesson-{name}.html"
    sheet = new_page(browser, color_scheme="dark")
    asked = []
    sheet.on("request", lambda request: asked.append(request.url))
    sheet.goto(f"file://{path}")
    for paper in ("A4", "Letter"):
        pdf = sheet.pdf(format=paper, print_background=True, margin={"top": "9mm", "bottom": "9mm"})
        assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == 1
    assert len(asked) == 1
    assert sheet.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    sizes = sheet.evaluate("""() => [...document.querySelectorAll('svg.penumbra')].map((svg) =>
      12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)""")
    assert min(sizes) >= 9
    sheet.close()
    page.close()


def test_a_narrow_window_asks_first_and_draws_the_narrow_figure(page):
    page.set_viewport_size({"width": 400, "height": 1400})
    settled(page)
    order = ("lesson_question", "lesson_figure", "moral", "more_lessons")
    tops = [page.locator(f".st-key-{name}").bounding_box()["y"] for name in order]
    assert tops == sorted(tops)
    assert page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate("svg => svg.viewBox.baseVal.width") == 344
    assert page.evaluate("document.querySelector('.stMain').scrollWidth <= 401")
    touch = page.locator(".st-key-lesson_figure .drag .touch").first.bounding_box()
    assert min(touch["width"], touch["height"]) >= 44
    small = page.locator(".st-key-more_lessons")
    assert small.evaluate("each => each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === 'auto'")
    tops = {round(page.locator(f".st-key-thumbnail_{name}").bounding_box()["y"]) for name in ("points", "tests")}
    assert len(tops) == 1


def test_on_a_telephone_sigma_stays_under_the_figure(address, browser):
    page = new_page(browser, viewport={"width": 400, "height": 480}, has_touch=True)
    page.goto(f"{address[0]}/learn?lesson=points")
    settled(page)
    page.locator(".st-key-lesson_figure svg.penumbra").first.evaluate("each => each.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(300)
    foot = page.locator(".st-key-pinned").bounding_box()
    assert 470 <= foot["y"] + foot["height"] <= 481
    held = page.locator(MARK.format("point0") + " .ring").bounding_box()
    assert held["y"] + held["height"] < foot["y"]
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 100000)")
    page.wait_for_timeout(300)
    assert page.locator(".st-key-pinned").bounding_box()["y"] < 0  # it leaves with its figure
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_lesson_can_be_read_by_eye_and_by_a_screen_reader(address, browser, axe, scheme):  # noqa: F811
    page = new_page(browser, viewport={"width": 1280, "height": 1600}, color_scheme=scheme)
    page.goto(f"{address[0]}/learn")
    settled(page)
    page.evaluate(axe)
    wrong = {}
    for name, lesson in LESSONS.items():
        page.locator(f".st-key-lesson-{name} button").click()
        page.wait_for_selector(f"h1:has-text('{lesson.title}')")
        page.get_by_role("button", name="Just show me").click()
        page.wait_for_selector("text=Cover again")
        page.wait_for_selector(f"h1:has-text('{lesson.heading}')")
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
