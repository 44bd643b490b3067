"""Paper: the report and the model facts need nothing from outside, escape what came from data, and fit on one sheet.

In: made-up files, Chromium where there is one. Out: the HTML, its figures beside the engine's, and counted sheets.
"""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from in_browser import new_page
from paper_cases import CASES, HOSTILE, open_case
from screens import clinic, on_paper, open_page, paper, sound, text, upload, validate

from engine.draw.facts import Facts, Predictor, facts_html
from engine.draw.printed import HEIGHT, SIZES, line_count
from engine.draw.report import Card, Reading, Report, report_html
from engine.errors import PenumbraError
from engine.leaves import probability_range
from engine.number_words import number_text, probability_text

VOID = {"meta", "br", "hr"}
FETCHING = {"script", "img", "link", "iframe", "a", "object", "embed", "form", "base", "use", "image", "foreignobject"}
WIDE = ["three variables", "sixty variables", "naive Bayes leaves", "long names", "seven classes"]


class Read(HTMLParser):
    """The text, tags and attributes of a page, each tag closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "title"):
            self.texts.append(data)

    @property
    def said(self) -> str:
        return " ".join(" ".join(self.texts).split())


def alone(page: str) -> Read:
    """Check that a page fetches, runs and links nothing, and return what it says."""
    read = Read(page)
    assert not set(read.tags) & FETCHING
    names = {name for name, _ in read.attributes}
    assert not names & {"src", "href", "xlink:href", "action", "srcset", "background"}
    assert not [name for name in names if name.startswith("on")]
    styles = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert not re.search(r"@import|https?:|url\((?!#)", " ".join(styles))
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069]", page)
    return read


@pytest.mark.parametrize("name", ["eight variables", "naive Bayes leaves", "missing values", "abstention"])
def test_the_report_says_what_the_page_says(name):
    at = open_case(name)
    sound(at)
    page = paper(at)
    said, shown = alone(page).said, text(at)
    found = list(at.session_state["penumbra_kept"]["fitted"].values())[-1]
    model = list(at.session_state["penumbra_kept"]["decided"].values())[-1]
    for each in [*at.markdown, *at.caption, *at.warning]:
        line = " ".join(each.value.replace("\\", "").split())
        if line.startswith(("#", "P(", "Missing", "Measurement error", "95 %", "From τ")):
            assert line.lstrip("# ") in said, line
    fields = {w.key[6:]: w.value for w in [*at.number_input, *at.selectbox] if w.key and w.key.startswith("field_")}
    line = at.number_input(key="patient_row").value - 1 if "patient_row" in [w.key for w in at.number_input] else 0
    case = model.case(found.data.X.iloc[line])
    assert all(case.values[key] == value for key, value in fields.items())
    assert probability_text(case.stability) in said
    k = model.tree_.classes.index(found.data.positive)
    assert f"P({found.data.positive}) {probability_text(float(case.probability[k]))}." in said
    for column, value in case.values.items():
        sigma = case.sigma[column]
        value_text = "missing" if value is None else number_text(value) if isinstance(value, float) else value
        assert f"{found.data.names[column]} {value_text}" in said
        if value is not None and sigma > 0:
            assert f"± {number_text(sigma, 4)} " in said
    leaf = model.tree_.leaves[int(np.argmax(model.shares(found.data.X.iloc[[line]])[0]))]
    if not model.tree_.has_bayes:
        tree = model.tree_
        low, high, _ = probability_range(tree.class_weight[leaf, k], tree.weight[leaf], tree.weight_squared[leaf])
        assert f"share {probability_text(low)} to {probability_text(high)}" in said
        assert f"share {probability_text(low)} to {probability_text(high)}" in shown
    assert hashlib.sha256(model.to_json().encode()).hexdigest() in said
    assert "This is not the chance of disease." in said
    assert "Intended use: teaching and research." in said


def test_a_reading_out_of_range_or_never_seen_is_flagged():
    at = upload(clinic())
    open_page("patient", at)
    at.number_input(key="field_Glucose (mg/dL)").set_value(900.0).run()
    sound(at)
    said = alone(paper(at)).said
    assert "Glucose 900 mg/dL" in said
    assert "outside the training range" in said
    assert "the tree has seen nobody like this" in said
    at.number_input(key="field_Glucose (mg/dL)").set_value(120.0).run()
    assert "outside the training range" not in alone(paper(at)).said


def test_no_report_is_made_unasked_and_none_outlives_its_run():
    at = open_case("three variables")
    assert on_paper(at)["html"] == ""
    assert "Penumbra: report" in paper(at)
    at.number_input(key="field_Marker 0 (mg/dL)").set_value(104.5).run()
    assert on_paper(at)["html"] == ""
    assert "Marker 0 104.5 mg/dL" in alone(paper(at)).said


def test_a_wish_to_print_stays_with_the_page_it_was_made_on():
    at = open_page("patient")
    at.session_state["penumbra_paper"] = ("a press", True)  # and another page was turned to before it could be met
    open_page("facts", at)
    assert (on_paper(at)["asked"], on_paper(at)["html"]) == ("", "")
    open_page("patient", at)
    assert (on_paper(at)["asked"], on_paper(at)["html"]) == ("", "")


def test_a_page_that_cannot_be_made_is_not_printed_later(monkeypatch):
    def fail(_):
        raise PenumbraError("No page.")

    at = open_page("facts")
    with monkeypatch.context() as broken:
        broken.setattr("engine.draw.facts.facts_html", fail)
        at.session_state["penumbra_paper"] = ("a press", True)
        at.run()
    assert [each.value for each in at.error] == ["No page."]
    at.run()
    sound(at)
    assert (on_paper(at)["asked"], on_paper(at)["html"]) == ("", "")


def test_the_title_and_the_similar_patients_tell_of_nobody():
    at = open_case("eight variables")
    page = paper(at)
    assert re.findall(r"<title>(.*?)</title>", page) == ["Penumbra: report on one patient"]
    assert '<html lang="en">' in page
    assert re.search(r"Of the 20 most similar patients, \d+ (was|were)", alone(page).said)
    table = at.dataframe[0].value  # the past patients, as the Patient page lists them below
    readings = {number_text(x) for x in table.select_dtypes("number").iloc[:, 1:].to_numpy().ravel()}
    figures = set(re.findall(r"(?<![\d.])\d+\.\d+(?![\d.])", alone(page).said))
    assert len(readings) > 100
    assert len(readings & figures) <= 3  # one may equal a threshold or the patient's own reading


def test_hostile_names_are_only_text():
    for page in (paper(open_case("hostile names")), paper(open_case("hostile names", "facts"))):
        said = alone(page).said
        assert HOSTILE[0] in said
        assert HOSTILE[3] in said
        assert "evil name" in said


def made_up(n: int) -> str:
    """Return a report with many readings, its pictures left out."""
    readings = [Reading(f"Variable {j}", "1", "exact", "training 0 to 2") for j in range(n)]
    cards = [Card("Stability", "0.9", "of plausible true states.")] * 4
    marks = '<svg class="penumbra" data-theme="auto" width="256" height="90"></svg>'
    return report_html(Report("Yes", "90", [], ["P 0.9"], [], "", marks, readings, [], ["On."], cards, [], [], []))


def test_more_to_say_makes_the_type_smaller_and_what_is_left_out_is_said():
    assert line_count("word " * 100, 300, 11) > line_count("word " * 100, 600, 11) > line_count("word " * 100, 600, 5)
    sizes = [float(re.findall(r"body\{font-size:([\d.]+)px", made_up(n))[0]) for n in (6, 90)]
    assert sizes[0] == SIZES[0] > sizes[1]
    assert "Variable 89" in made_up(90)
    assert "340 more readings stand on the Patient page only." in made_up(400)
    assert HEIGHT < 987.9  # Letter less two margins of 9 mm


@pytest.fixture(scope="module")
def sheet(browser):
    page = new_page(browser)
    yield page
    page.close()


def sheets(page, content: str, size: str) -> int:
    page.set_content(content)
    pdf = page.pdf(format=size)
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_sheets_are_counted(sheet):
    assert sheets(sheet, "<p>one</p>", "A4") == 1
    assert sheets(sheet, "<p>one</p><p style='break-before:page'>two</p>", "Letter") == 2


@pytest.mark.parametrize("name", CASES)
def test_a_report_is_one_sheet(sheet, name):
    at = open_case(name)
    sound(at)
    page = paper(at)
    assert [sheets(sheet, page, size) for size in ("A4", "Letter")] == [1, 1]
    assert sheet.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth")
    if name == "abstention":
        assert "No answer" in alone(page).said


@pytest.mark.parametrize("name", WIDE)
def test_model_facts_are_one_sheet(sheet, name):
    at = open_case(name, "facts")
    validate(at)
    sound(at)
    page = paper(at)
    assert [sheets(sheet, page, size) for size in ("A4", "Letter")] == [1, 1]
    assert "Right of answered" in alone(page).said


def endless(name: str) -> tuple[str, str]:
    """Return a report and model facts in which every text holds a name."""
    marks = '<svg class="penumbra" data-theme="auto" width="256" height="90"></svg>'
    readings = [Reading(f"{name} {j}", f"{name} 1", "± 2", f"training {name}", "outside", j < 3) for j in range(40)]
    cards = [Card(f"Nearest {name}", f"{name}: +2", f"then {name} is answered.")] * 4
    texts = [f"This is about {name}: 0.93."] * 9
    report = report_html(Report(
        f"Answer {name}", f"{name}, 90 of 100", texts, texts, texts, name, marks, readings, [],
        [f"{name} ≤ 3: left"] * 30, cards, ["Measurement error alone."] * 3, [("Grown on", name)] * 6, ["Foot."],
    ))  # fmt: skip
    facts = facts_html(Facts(
        name, f"Locale: {name}. Written today.",
        [(f"Part {j}", [(f"Label {k}", name) for k in range(4)]) for j in range(7)],
        [], "Not tried.", [], [Predictor(name, f"category, {name}", f"misrecorded {name}", name) for j in range(60)],
        ["Foot."],
    ))  # fmt: skip
    return report, facts


@pytest.mark.parametrize("letters", ["W", "word ", "🙂", "\u202eא", "<b>&"])
@pytest.mark.parametrize("times", [40, 3000])
def test_endless_names_leave_one_sheet_and_its_beginning(sheet, letters, times):
    for page in endless(letters * times):
        assert [sheets(sheet, page, size) for size in ("A4", "Letter")] == [1, 1]
        assert "Foot." in alone(page).said
