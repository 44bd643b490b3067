"""The Learn page: every lesson from a cold link, the question before the curves, the figures beside the engine.

In: clicks, settings. Out: what the page and its pictures say, beside `engine.lessons`.
"""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import parse_qsl

import pytest
from screens import ROOT, heading, open_page, paper, sound, text
from streamlit.testing.v1 import AppTest

from engine import lessons
from engine.draw.lesson_thumbnails import THUMBNAILS, thumbnail_svg
from engine.draw.sheet import text_width
from engine.number_words import percent_text, probability_text, share_text
from pages.shared import learn_words, state
from pages.shared.choices import JUST_SHOWN, Learning
from pages.shared.learn_figures import FIGURES
from pages.shared.learn_handout import AS_IT_BEGINS
from pages.shared.learn_settings import SETTINGS

NAMES = list(learn_words.LESSONS)
SECRETS = {
    "points": r"soft: |exact: ", "order": r"of 100", "missed": r"\d+ of \d+", "moons": "undecided",
    "verdict": r"decided$|here", "open": r"least|most|\d\.\d{3}", "abstention": r"right \d|: \d+ %",
    "tests": r"P\(ill\)", "repeated": r"\d %",
}  # fmt: skip


def figures(at):
    """Return the wide and the narrow picture that the lesson's component holds."""
    waiting = [at.main]
    while waiting:
        block = waiting.pop(0)
        proto = getattr(block, "proto", None)
        if getattr(proto, "component_name", "") == "penumbra_lesson":
            held = json.loads(proto.json)
            return held["svg"], held["narrow"]
        waiting += getattr(block, "children", {}).values()
    raise AssertionError("this lesson has no figure")


def thumbnails(at):
    """Return the foot of every small picture on the page."""
    found, waiting = [], [at.main]
    while waiting:
        block = waiting.pop(0)
        proto = getattr(block, "proto", None)
        if getattr(proto, "component_name", "") == "penumbra_picture":
            found.append(texts(json.loads(proto.json)["svg"])[-1])
        waiting += getattr(block, "children", {}).values()
    return found


def texts(svg):
    return [unescape(re.sub(r"<title>.*?</title>", "", found)) for found in re.findall(r"<text[^>]*>(.*?)</text>", svg)]


def said(at):
    return "\n".join(texts(figures(at)[0]))


def turn_to(name, shown=True, **settings):
    at = open_page("learn")
    held = Learning(lesson=name, settings={(name, key): value for key, value in settings.items()})
    if shown:
        held.answers[name] = JUST_SHOWN
    at.session_state[state.LEARNING] = held
    at.run()
    sound(at)
    return at


def by_link(**asked):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.switch_page("pages/learn.py")
    for name, value in asked.items():
        at.query_params[name] = value
    at.run()
    sound(at)
    return at


def test_a_cold_link_opens_the_first_lesson_covered():
    at = open_page("learn")
    sound(at)
    assert heading(at) == learn_words.LESSONS["points"].title
    assert at.radio(key="answer_points").value is None
    assert "Covered until you answer" in said(at)
    assert set(FIGURES) == set(THUMBNAILS) == set(NAMES)
    assert len(NAMES) == 9


@pytest.mark.parametrize("name", NAMES)
def test_nothing_tells_the_answer_before_it_is_given(name):
    at = turn_to(name, shown=False)
    shown, told = [line for svg in figures(at) for line in texts(svg)], learn_words.LESSONS[name].answer()[1]
    assert not [line for line in shown if re.search(SECRETS[name], line)]
    assert any("over" in line or line == "?" for line in shown)
    assert told not in text(at)
    lesson = learn_words.LESSONS[name]
    assert heading(at) == lesson.title
    assert not [each for each in (lesson.heading, lesson.moral, lesson.attempt, "Moral") if each in text(at)]
    assert not [each for each in at.expander if each.label == learn_words.NUMBERS]
    assert not at.dataframe


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_uncovers_what_happens_whether_right_or_wrong(name):
    at = turn_to(name, shown=False)
    lesson = learn_words.LESSONS[name]
    right, told = lesson.answer()
    for choice in (right, (right + 1) % len(lesson.options)):
        at.radio(key=f"answer_{name}").set_value(choice).run()
        sound(at)
        assert told in text(at)
        assert lesson.attempt in text(at)
        assert heading(at) == lesson.heading
        told_in_turn = [text(at).index(each) for each in (told, lesson.attempt, lesson.moral)]
        assert told_in_turn == sorted(told_in_turn)
        assert ("as you said." in text(at)) == (choice == right)
        if choice != right:
            assert f"You said: {lesson.options[choice]}. It is: {lesson.options[right]}." in text(at)
        assert re.search(SECRETS[name], said(at), re.M) or name == "order"
    assert not at.success
    at.button(key="cover_again").click().run()
    sound(at)
    assert told not in text(at)
    at.button(key="just_show").click().run()
    sound(at)
    assert told in text(at)
    assert "as you said" not in text(at)
    assert "You said" not in text(at)
    assert at.dataframe
    assert len(re.findall(r"[.?!](?= |$)", lesson.moral)) == 2


def test_four_points_are_the_engines():
    at = turn_to("points", sigma=1.0)
    found = lessons.four_points(lessons.NOISY, 1.0)
    assert f"soft: −1.13 or 1.13, gain {found.top_gain:.3f}" in said(at)
    assert f"exact: −0.2 or 2, gain {found.exact_gain:.3f}" in said(at)
    assert "Exact search sees two cuts, soft search two" in text(at)
    assert f"from {lessons.fork(lessons.NOISY).one_top_from:g} up, one." in text(at)
    at.slider(key="points_sigma").set_value(1.6).run()
    assert f"soft: 0, gain {lessons.four_points(lessons.NOISY, 1.6).top_gain:.3f}" in said(at)
    at.segmented_control(key="points_set").set_value("clean").run()
    sound(at)
    assert at.slider(key="points_sigma").value == 1.6
    assert "gain 1.000" in said(at)
    at = turn_to("points", set="yours", points=(-2.0, 0.5, -0.2, 2.0))
    found = lessons.four_points((-2.0, 0.5, -0.2, 2.0), 1.6)
    assert f"gain {found.top_gain:.3f}" in said(at)
    assert "Patient 2, class A" in figures(at)[0]


def test_two_points_are_the_engines():
    at = turn_to("order", sigma=3.0, draws=100)
    found = lessons.two_points(3.0, 100, 1)
    assert f"At σ 3: {100 * found.right:.1f} of 100 keep their order" in text(at)
    table = at.dataframe[0].value
    assert table["Simulated"].tolist() == [f"{share:.4f}" for _, share, _, _ in found.dots]
    at.button(key="again").click().run()
    sound(at)
    assert at.dataframe[0].value["Simulated"].tolist() == [
        f"{share:.4f}" for _, share, _, _ in lessons.two_points(3.0, 100, 2).dots
    ]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_who_is_missed_is_the_engines(depth):
    at = turn_to("missed", depth=depth, reading=30.0)
    found = lessons.missed(30.0, 5.0, depth)
    lines = texts(figures(at)[0])
    for name in ("hard", "soft"):
        counts = found.counts[name]
        assert f"{counts[1, 0]} of {counts[1].sum()}" in lines
        assert f"{counts[0, 1]} of {counts[0].sum()}" in lines
    assert f"P {probability_text(found.at_hard)} read hard, {probability_text(found.at_soft)} read soft" in text(at)
    assert "0.210 fits" in text(at)


@pytest.mark.parametrize("zone", lessons.ZONES)
def test_moons_are_the_engines(zone):
    at = turn_to("moons", zone=zone)
    found = lessons.two_moons(zone)
    rate = f"{100 * found.told.boundary_uncertain_rate:.0f} % undecided"
    assert rate in text(at)
    assert figures(at)[0].count('r="6"') == found.inside.sum()
    rows = at.dataframe[0].value
    assert len(rows) == 10
    assert rows["Undecided"].tolist()[::2] == rows["Undecided"].tolist()[1::2]


def test_verdicts_are_the_engines():
    at = turn_to("verdict")
    for states in ((0, 1, 1), (-1, 0, 1), (-1, 0, 0)):
        for place, value in enumerate(states):
            at.segmented_control(key=f"verdict_split{place}").set_value(value)
        at.run()
        sound(at)
        found = lessons.verdict(states)
        lines = texts(figures(at)[0])
        assert f"Verdict: {'decided' if found.decided else 'undecided'}" in lines
        assert [line for line in lines if line.startswith("share ")] == [f"share {share_text(s)}" for s in found.shares]


def test_open_labels_are_the_engines():
    at = turn_to("open", placed={0: -1, 2: 1})
    found = lessons.orthopartition(7, 3, 2)
    assert f"Entropy from {found.low:.3f} to {found.high:.3f}, mean {found.mean:.3f}" in text(at)
    assert f"mean {found.mean:.3f}" in said(at)
    assert at.dataframe[0].value["Value"].tolist() == [
        f"{v:.4f}" for v in (found.low, found.high, found.mean, found.gini, found.leaf)
    ]
    at.button(key="reopen").click().run()
    assert f"mean {lessons.orthopartition(6, 2, 4).mean:.3f}" in said(at)
    at.number_input(key="open_first").set_value(0).run()
    at.number_input(key="open_second").set_value(0).run()
    sound(at)
    at = turn_to("open", placed=dict.fromkeys(range(4), 1))
    assert "Every label settled: entropy 0.500, which is gini" in text(at)


@pytest.mark.parametrize("tau", [0.5, 0.75, 1.0])
def test_abstention_is_the_engines(tau):
    at = turn_to("abstention", tau=tau)
    found = lessons.abstention(tau)
    lines = texts(figures(at)[0])
    for told in (f"right {found.right}", f"wrong {found.wrong}", f"abstains {found.abstained}"):
        assert told in lines
    assert f"{100 * found.coverage:.0f} % answered, {100 * found.accuracy:.0f} % of them rightly" in text(at)


@pytest.mark.parametrize("rule", lessons.RULES)
def test_two_tests_are_the_engines(rule):
    at = turn_to("tests", rule=rule, follow=80.0)
    found = lessons.two_tests(rule, 0.8)
    assert f"Naive Bayes {100 * found.bayes_accuracy:.0f} % right" in text(at)
    shown = [line for line in texts(figures(at)[0]) if "P(ill)" in line]
    wanted = [percent_text(float(p[a, b])) for p in (found.bayes, found.tree) for a in (0, 1) for b in (0, 1)]
    assert [line.split("P(ill) ")[1] for line in shown] == wanted


def test_a_repeated_variable_is_the_engines():
    at = turn_to("repeated", reading=170.0, sigma=12.0, cuts=(150.0, 180.0))
    found = lessons.repeated(170.0, 12.0, 150.0, 180.0)
    rows = at.dataframe[0].value
    for column, shares in (("Coherent", found.coherent), ("Independent", found.independent)):
        assert rows[column].tolist() == [f"{share:.4f}" for share in shares]
    assert f"{100 * found.coherent[1]:.0f} % coherent" in text(at)
    at.slider(key="repeated_cuts").set_value((160.0, 160.0)).run()
    sound(at)  # two thresholds in one place are not taken up
    assert rows.equals(at.dataframe[0].value)


def test_lessons_keep_what_was_set_and_the_data_stay_out_of_it():
    at = turn_to("points", sigma=0.7)
    at.button(key="Next →").click().run()
    assert heading(at) == learn_words.LESSONS["order"].title
    at.button(key="← Previous").click().run()
    assert at.slider(key="points_sigma").value == 0.7
    at.button(key="open=moons").click().run()
    sound(at)
    open_page("data", at)
    at.selectbox(key="data_set").select("four_points").run()
    open_page("learn", at)
    sound(at)
    assert heading(at) == learn_words.LESSONS["moons"].title


def test_the_projector_shows_the_figure_alone():
    at = turn_to("repeated", shown=False)
    at.segmented_control(key="room").set_value("Projector").run()
    sound(at)
    assert not at.radio
    assert "More lessons" not in text(at)
    assert "Covered until you answer" in said(at)
    lesson = learn_words.LESSONS["repeated"]
    told = (lesson.answer()[1], lesson.attempt, lesson.moral)
    assert not [each for each in told if each in text(at)]
    at.button(key="just_show").click().run()
    assert "coherent" in said(at)
    assert all(each in text(at) for each in told)
    at.segmented_control(key="room").set_value("Desk").run()
    assert "More lessons" in text(at)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("hidden", [True, False])
def test_thumbnails_are_sheets_with_a_label(name, hidden):
    svg = thumbnail_svg(name, hidden)
    assert 'data-theme="auto"' in svg
    label = unescape(re.search(r'aria-label="([^"]*)"', svg)[1])
    assert label == texts(svg)[-1]
    assert not re.search(r"(fill|stroke)=\"#", svg)


NUMBERS = {
    "points": lambda: f"soft gain {lessons.four_points(lessons.NOISY, 1.6).top_gain:.3f}",
    "order": lambda: f"σ 4: {percent_text(lessons.two_points(4.0).right)} keep order",
    "missed": lambda: f"at 33 %: P {lessons.missed(33.0, 5.0).at_soft:.2f}",
    "moons": lambda: f"{percent_text(lessons.two_moons('gain_ratio').told.boundary_uncertain_rate)} undecided",
    "verdict": lambda: f"{lessons.verdict((1, 0, 1)).leaves.count(0)} leaves may be the patient's",
    "open": lambda: "0.28 to 0.50, mean 0.39",
    "abstention": lambda: f"τ 0.7: {percent_text(lessons.abstention(0.7).coverage)} answered",
    "tests": lambda: "50 % and 100 % right",
    "repeated": lambda: "38 % between 140 and 160",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_thumbnail_keeps_the_answer_until_it_is_given(name):
    """Covered, it draws less than shown, and says nothing but what the lesson gives away itself."""
    covered, shown = thumbnail_svg(name, True), thumbnail_svg(name, False)
    assert texts(shown)[-1] == NUMBERS[name]()
    assert texts(covered)[-1] != texts(shown)[-1]
    assert not re.search(r"\d\.\d{2}|\d %(?!, asks)|undecided|may be", " ".join(texts(covered)))
    at = turn_to("points" if name != "points" else "order", shown=False)
    assert texts(covered)[-1] in thumbnails(at)
    assert texts(shown)[-1] not in thumbnails(at)
    at.session_state[state.LEARNING].answers[name] = JUST_SHOWN
    at.run()
    assert texts(shown)[-1] in thumbnails(at)


@pytest.mark.parametrize("name", NAMES)
def test_figures_take_their_colours_from_the_sheet(name):
    for svg in figures(turn_to(name)):
        assert not re.search(r"(fill|stroke)=\"#", svg)
        assert "NaN" not in svg
        assert "nan" not in re.sub(r"<style>.*?</style>", "", svg)
        wide = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
        pattern = r'<text x="([\d.-]+)" y="[\d.-]+"(?: class="([^"]*)")?>(.*?)</text>'
        legend = re.sub(r'<g transform="translate.*?</text>', "", svg)  # laid out by itself
        for x, style, content in re.findall(pattern, legend):
            long = text_width(unescape(content), 18 if "z18" in style else 14 if "z14" in style else 12) * 0.9
            part = {"e": 1.0, "m": 0.5}.get(next(iter(set(style.split()) & {"e", "m"}), ""), 0.0)
            assert float(x) - part * long > -4, content
            assert float(x) + (1 - part) * long < wide + 4, content
        for mark in re.findall(r'<g class="drag"[^>]*>', svg):
            assert re.search(r'role="slider".*tabindex="0".*aria-label="[^"]+".*aria-valuenow="[^"]+"', mark)


SET = {
    "points": {"set": "yours", "points": (-3.0, 0.5, -0.2, 2.0), "sigma": 0.8},
    "order": {"sigma": 5.3, "draws": 10000, "seed": 7},
    "missed": {"reading": 41.0, "sigma": 2.5, "depth": 3},
    "moons": {"zone": "margin", "routing": "deferred", "added": ((0.5, -0.2, 1), (-1.3, 1.1, 0))},
    "verdict": {"split0": 0, "split1": -1, "split2": 1},
    "open": {"first": 3, "second": 5, "open": 6, "placed": {0: -1, 4: 1}},
    "abstention": {"tau": 0.83},
    "tests": {"rule": "both", "follow": 75.0},
    "repeated": {"reading": 171.0, "sigma": 12.0, "cuts": (150.0, 180.0)},
}


def parts(link):
    return dict(parse_qsl(link.partition("?")[2]))


def link_of(at):
    """Return the link that the copy button holds."""
    waiting = [at.sidebar]
    while waiting:
        block = waiting.pop(0)
        proto = getattr(block, "proto", None)
        if getattr(proto, "component_name", "") == "penumbra_copy":
            return json.loads(proto.json)["text"]
        waiting += getattr(block, "children", {}).values()
    raise AssertionError("there is no link to copy")


@pytest.mark.parametrize("name", NAMES)
def test_a_link_keeps_every_setting_of_its_lesson(name):
    assert set(SET[name]) == set(SETTINGS[name])
    assert not [each for each in SET[name] if SET[name][each] == SETTINGS[name][each].default]
    at = turn_to(name, **SET[name])
    asked = parts(link_of(at))
    assert set(asked) == {"lesson", *SETTINGS[name]}
    there = by_link(**asked)
    held = there.session_state[state.LEARNING]
    assert held.lesson == name
    assert {each: held.settings[name, each] for each in SET[name]} == SET[name]
    assert not there.warning
    assert parts(link_of(there)) == asked
    there.button(key="just_show").click().run()
    assert figures(there) == figures(at)


FORGED = ["nan", "inf", "-1e308", "1e999", "9" * 400, "<script>alert(1)</script>", "", ",", "1,2,3,4,5,6,7", "null"]


@pytest.mark.parametrize("forged", FORGED)
def test_no_setting_takes_what_is_forged(forged):
    taken = [(name, key) for name in NAMES for key, each in SETTINGS[name].items() if each.read(forged) is not None]
    assert taken == ([("moons", "added"), ("open", "placed")] if forged == "" else [])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("forged", ["nan", "9" * 400, "<script>alert(1)</script>"])
def test_a_forged_link_is_told_in_one_sentence_and_begins_as_the_lesson_does(name, forged):
    at = by_link(lesson=name, **dict.fromkeys(SETTINGS[name], forged))
    held = at.session_state[state.LEARNING]
    for each in SETTINGS[name]:
        assert held.settings[name, each] == SETTINGS[name][each].default
    assert len(at.warning) == 1
    told = at.warning[0].value.replace("\\", "")
    assert len(re.findall(r"[.?!](?= |$)", told)) == 1
    assert all(SETTINGS[name][each].called in told for each in SETTINGS[name])
    assert "script" not in told
    at.button(key="Next →").click().run()
    sound(at)
    assert not at.warning


@pytest.mark.parametrize(
    ("lesson", "name", "text_"),
    [
        ("points", "points", "1,2,3,40"), ("points", "sigma", "-1"), ("order", "draws", "100000000"),
        ("order", "seed", "-3"), ("missed", "depth", "30"), ("moons", "added", "0,0,A;" * 8 + "0,0,A"),
        ("moons", "added", "9,0,A"), ("moons", "added", "0,0,AB"), ("moons", "zone", "none"), ("open", "open", "0"),
        ("open", "placed", "AAAAAAAAAAAAA"), ("abstention", "tau", "0.4"), ("tests", "follow", "101"),
        ("repeated", "cuts", "160,160"), ("repeated", "cuts", "180,150"), ("repeated", "cuts", "79,150"),
    ],
)  # fmt: skip
def test_what_a_lesson_does_not_take_is_left(lesson, name, text_):
    assert SETTINGS[lesson][name].read(text_) is None


def test_a_links_number_is_put_on_the_sliders_step():
    assert SETTINGS["points"]["sigma"].read("1.2345") == 1.2
    assert SETTINGS["missed"]["sigma"].read("2.6") == 2.5
    assert SETTINGS["points"]["points"].read("-0.04,0,1.26,2") == (0.0, 0.0, 1.3, 2.0)


def test_a_link_names_any_lesson_and_only_those():
    at = by_link(lesson="tests")
    assert heading(at) == learn_words.LESSONS["tests"].title
    assert not at.warning
    at.button(key="lesson=moons").click().run()
    assert heading(at) == learn_words.LESSONS["moons"].title
    at = by_link(lesson="../data", sigma="2")
    assert heading(at) == learn_words.LESSONS["points"].title
    assert [each.value.replace("\\", "") for each in at.warning] == [learn_words.NO_LESSON]
    assert at.slider(key="points_sigma").value == 1.6


def test_a_link_holds_nothing_of_the_data():
    at = open_page("patient")
    open_page("learn", at)
    assert set(parts(link_of(at))) <= {"lesson", *SETTINGS["points"]}


def test_added_patients_are_the_engines():
    at = turn_to("moons")
    for _ in range(3):
        at.button(key="add_A").click().run()
    at.button(key="add_B").click().run()
    sound(at)
    added = at.session_state[state.LEARNING].settings["moons", "added"]
    assert [each[2] for each in added] == [0, 0, 0, 1]
    found = lessons.two_moons("gain_ratio", "zone", added)
    assert f"{100 * found.told.boundary_uncertain_rate:.0f} % undecided" in text(at)
    assert "200 patients and 4 added, two measurements each" in said(at)
    assert figures(at)[0].count('class="drag"') == 4
    rows = at.dataframe[0].value
    every = [lessons.two_moons(z, r, added).told for z in lessons.ZONES for r in lessons.ROUTINGS]
    for head, part in (
        ("Undecided", "boundary_uncertain_rate"), ("Decided accuracy", "decided_accuracy"),
        ("Overall accuracy", "overall_accuracy"),
    ):  # fmt: skip
        assert rows[head].tolist() == [f"{getattr(each, part):.3f}" for each in every]
    for _ in range(4):
        at.button(key="add_B").click().run()
    assert at.button(key="add_A").disabled
    assert at.button(key="add_B").disabled
    at.button(key="take_out").click().run()
    assert "200 patients, two measurements each" in said(at)


@pytest.mark.parametrize("name", NAMES)
def test_the_handout_says_what_the_lesson_says_on_one_page(name):
    at = turn_to(name, shown=False, **SET[name])
    page = paper(at)
    plain = unescape(re.sub(r"<[^>]+>", " ", page))
    lesson = learn_words.LESSONS[name]
    right, told = lesson.answer()
    for wanted in (
        lesson.title, lesson.question, *lesson.options, lesson.heading, told, lesson.attempt, lesson.moral,
        learn_words.SOURCES[name], link_of(at), "Fold here", AS_IT_BEGINS,
    ):  # fmt: skip
        assert wanted in plain, wanted
    assert lesson.options[right] in plain
    before, after = page.split("Fold here")
    assert len(re.findall("<svg", before)) == len(re.findall("<svg", after)) == 1
    hidden, shown = (texts(figure) for figure in (before, after))
    at.button(key="just_show").click().run()
    drawn = [texts(each) for each in figures(at)]
    assert shown in drawn
    assert hidden not in drawn
    assert not re.search(r"<script|<iframe|<link|https?://(?!localhost|www\.w3\.org)|tabindex|NaN|role=\"slider", page)
    assert not [each for each in (told, lesson.moral) if each in unescape(re.sub(r"<[^>]+>", " ", before))]


def test_a_handout_of_a_lesson_as_it_begins_has_no_such_word():
    assert AS_IT_BEGINS not in unescape(paper(turn_to("points", shown=False)))
    assert AS_IT_BEGINS in unescape(paper(turn_to("points", shown=False, sigma=0.9)))


@pytest.mark.parametrize("name", NAMES)
def test_the_handout_calls_what_is_chosen_by_the_words_of_the_screen(name):
    at = turn_to(name, shown=False)
    plain = unescape(paper(at)).partition("The figure is set to: ")[2].partition("Open it again")[0]
    chosen = {each.key: each for each in at.segmented_control}
    rows = [each for each in SETTINGS[name] if f"{name}_{each}" in chosen]
    assert rows == [each for lesson, each in learn_words.OPTIONS if lesson == name]
    for each in rows:
        shown = chosen[f"{name}_{each}"]
        assert shown.format_func(shown.value) in [option.content for option in shown.proto.options]
        assert f"{SETTINGS[name][each].called} {shown.format_func(shown.value)}" in plain
