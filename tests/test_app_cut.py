"""A numeric outcome on the Data page: it is cut into low, open and high, and the counts shown are the engine's.

In: bytes as a browser would send them. Out: what the pages then say, beside what the engine reads alone.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from screens import clinic, heading, open_page, sound, text, upload, whole

from engine import UncertainTreeClassifier, read_table
from engine.cuts import even_cut

TARGET = "change (points)"


def registry(cells=None, n=200, seed=1, name=TARGET, delimiter=","):
    """Return a made-up registry as CSV whose last column is a change; `cells` replace its first rows."""
    random = np.random.default_rng(seed)
    age = random.integers(40, 80, n)
    change = [str(value) for value in np.round(random.normal(0, 8, n) + (age - 60) / 3, 2)]
    change[: len(cells or ())] = cells or ()
    rows = [f"{a}{delimiter}{60 + i % 17}{delimiter}{c}" for i, (a, c) in enumerate(zip(age, change, strict=True))]
    return "\n".join([f"age{delimiter}weight{delimiter}{name}", *rows]).encode()


def score(n=80):
    return b"age,score\n" + b"".join(f"{40 + i % 37},{i % 11}\n".encode() for i in range(n))


def cut(at, low, high):
    at.number_input(key="cut_0").set_value(low).run()
    at.number_input(key="cut_1").set_value(high).run()
    return at


def bars(at):
    """Return the counts beside the bars, from the top."""
    found = [each.proto.body for each in at.get("html") if "penumbra-bar" in each.proto.body]
    return [int(re.findall(r">([0-9,]+)", body)[-1].replace(",", "")) for body in found]


def counted(table):
    """Return how many patients the engine reads as low, open, high and without a number."""
    y = list(table.y)
    absent = int(np.isnan(table.target_numbers).sum())
    return [y.count("low"), y.count(None) - absent, y.count("high"), *([absent] if absent else [])]


def test_a_measurement_is_no_class_until_it_is_cut():
    at = upload(registry())
    sound(at)
    assert "An outcome must be classes" in text(at)
    start = even_cut(read_table(registry()).target_numbers)
    assert at.number_input(key="cut_0").value == at.number_input(key="cut_1").value == start
    assert bars(at)[0] + bars(at)[2] == 200
    assert abs(bars(at)[0] - bars(at)[2]) <= 2
    for page in ("noise", "tree", "patient"):
        whole(open_page(page, at))
        assert any("cut it into low and high on the Data page" in each.value for each in at.error)
    open_page("data", at).button(key="cut_here").click().run()
    sound(at)
    assert at.session_state["penumbra_choices"].cuts == {TARGET: (start, start)}
    assert "200 patients, 2 variables. Positive class: high" in text(at)


def test_the_counts_are_those_of_the_engine_and_the_tree_is_the_engines():
    content = registry(["", "NA", "inf", "-6.24", "6.24", "-6.25"])
    at = cut(upload(content), -6.24, 6.24)
    sound(at)
    table = read_table(content, target=TARGET, cut=(-6.24, 6.24))
    assert bars(at) == counted(table)
    assert f"{bars(at)[1]} row" in text(at)
    assert "1 infinite value" in text(at)
    assert "**−6.24 and 6.24** ●" in text(at)
    open_page("tree", at)
    sound(at)
    model = UncertainTreeClassifier(
        search="soft", propagation="soft", decision="tau", max_depth=3, min_weight_leaf=20, pruning="none"
    ).fit(table.X, table.y)
    assert f"{model.n_leaves_} leaves" in text(at)
    open_page("data", at)
    assert [at.number_input(key=f"cut_{place}").value for place in (0, 1)] == [-6.24, 6.24]
    before = len(at.session_state["penumbra_history"])
    at.number_input(key="cut_1").set_value(9.0).run()
    assert bars(at) == counted(read_table(content, target=TARGET, cut=(-6.24, 9.0)))
    assert len(at.session_state["penumbra_history"]) == before + 1


def test_a_low_cut_above_the_high_one_is_refused_and_the_last_good_one_stays():
    at = cut(upload(registry()), -6.24, 6.24)
    good = bars(at)
    at.number_input(key="cut_0").set_value(8.0).run()
    whole(at)
    assert [each.value.replace("\\", "") for each in at.error] == [
        "The low cut, 8, lies above the high cut, 6.24; until it is equal or lower, it stays cut at −6.24 and 6.24."
    ]
    assert bars(at) == good
    assert at.session_state["penumbra_choices"].cuts == {TARGET: (-6.24, 6.24)}
    open_page("tree", at)
    sound(at)
    open_page("data", at)
    at.number_input(key="cut_1").set_value(10.0).run()
    sound(at)
    assert at.session_state["penumbra_choices"].cuts == {TARGET: (8.0, 10.0)}
    at.button(key="undo").click().run()
    sound(at)
    assert bars(at) == good
    assert at.number_input(key="cut_0").value == -6.24


def test_a_cut_can_be_taken_away_and_comes_back_by_undo():
    at = cut(upload(registry()), -1.0, 1.0)
    at.button(key="drop_cut").click().run()
    sound(at)
    assert "An outcome must be classes" in text(at)
    at.button(key="undo").click().run()
    sound(at)
    assert "An outcome must be classes" not in text(at)
    at.selectbox(key="target").select("age").run()
    at.selectbox(key="target").select(TARGET).run()
    sound(at)
    assert at.number_input(key="cut_1").value == 1.0


def test_equal_cuts_leave_only_the_value_itself_open():
    at = upload(score())
    at.button(key="ask_cut").click().run()
    sound(at)
    assert at.number_input(key="cut_0").value == 4.5
    assert bars(at)[1] == 0
    cut(at, 4.0, 4.0)
    sound(at)
    assert bars(at) == counted(read_table(score(), target="score", cut=(4, 4)))
    assert "only a value of exactly 4 is open" in text(at)


def test_a_score_keeps_its_labels_until_it_is_asked_for():
    at = upload(score())
    sound(at)
    assert {"means_0", "means_10"} <= {each.key for each in at.selectbox}
    at.selectbox(key="means_10").select("abstained").run()
    at.button(key="ask_cut").click().run()
    sound(at)
    start = at.number_input(key="cut_0").value
    assert bars(at) == counted(read_table(score(), target="score", cut=(start, start), abstain="10"))
    at.selectbox(key="means_10").select("class").run()
    sound(at)
    assert bars(at) == counted(read_table(score(), target="score", cut=(start, start)))
    at.button(key="drop_cut").click().run()
    assert "means_0" in {each.key for each in at.selectbox}


@pytest.mark.parametrize("content", [clinic(), b"a,class\n" + b"1.5,0\n2.5,1\n3.5,0\n4.5,1\n" * 9])
def test_words_and_two_numbers_are_not_offered_a_cut(content):
    at = upload(content)
    sound(at)
    assert not {"ask_cut", "cut_here", "drop_cut"} & {each.key for each in at.button}


def test_zeros_of_the_outcome_can_count_as_missing():
    content = registry(["0"] * 12)
    at = upload(content)
    at.checkbox(key=f"zero_{TARGET}").check().run()
    sound(at)
    cut(at, -6.24, 6.24)
    sound(at)
    table = read_table(content, target=TARGET, cut=(-6.24, 6.24), missing={TARGET: ["0"]})
    assert bars(at) == counted(table)
    assert bars(at)[3] == 12


def test_a_cut_that_leaves_a_class_empty_is_one_sentence():
    at = upload(registry())
    at.number_input(key="cut_1").set_value(1000.0).run()
    whole(at)
    assert [each.value for each in at.error] == [
        "No patient is high by these cuts, and a tree needs both classes; lower the high cut."
    ]
    at.number_input(key="cut_1").set_value(5.0).run()
    sound(at)


def test_an_outcome_that_never_changes_is_no_dead_end():
    at = upload(b"age,weight,outcome\n" + b"".join(f"{40 + i},{60 + i % 7},5.5\n".encode() for i in range(30)))
    whole(at)
    assert at.error
    at.selectbox(key="target").select("age").run()
    sound(at)
    assert "“age” holds 30 different numbers" in text(at)


def test_decimal_commas_and_a_wrong_correction_are_no_dead_end():
    content = registry(delimiter=";").decode().replace(".", ",").encode()
    at = cut(upload(content), -1.5, 1.5)
    sound(at)
    assert bars(at) == counted(read_table(content, target=TARGET, cut=(-1.5, 1.5)))
    at.selectbox(key="fact_decimal").select(".").run()
    whole(at)
    if at.error:
        assert "drop_cut" in {each.key for each in at.button}
        at.button(key="drop_cut").click().run()
        sound(at)


def test_the_name_of_a_cut_outcome_is_no_markup():
    at = cut(upload(registry(name="<b>x</b>![i](http://evil.test)")), -1.0, 1.0)
    sound(at)
    assert not any("![i](" in each.value for each in [*at.markdown, *at.caption])
    assert not any("<b>x" in each.proto.body for each in at.get("html"))
    assert heading(at).startswith("200 patients")
