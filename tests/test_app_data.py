"""The Data page: examples, uploads, corrections, and files that are no tables.

In: bytes as a browser would send them. Out: what the page then says.
"""

from __future__ import annotations

import re

import pytest
from screens import clinic, heading, open_page, sound, text, upload, whole

from engine.examples import EXAMPLES

AWKWARD = {
    "empty.csv": b"",
    "one_column.csv": b"a\n1\n2\n",
    "names_only.csv": b"a,b\n",
    "ragged.csv": b"a,b,c\n1,2,x\n1,2\n3,4,y,5\n",
    "no_labels.csv": b"a,b\n1,\n2,\n3,\n",
    "binary.csv": bytes(range(256)) * 4,
    "not_a_workbook.xlsx": b"PK\x03\x04 no workbook",
    "not_parquet.parquet": b"PAR1 nothing",
}
ODD = {
    "one_class.csv": b"a,b\n1,x\n2,x\n3,x\n",
    "one_patient.csv": b"a,class\n1,x\n",
    "script.csv": b"<script>alert(1)</script>,class\n1,<b>x</b>\n2,y\n3,y\n4,<b>x</b>\n",
    "same_names.csv": b"a,a,class\n1,2,x\n2,3,y\n3,4,x\n4,5,y\n",
    "all_missing.csv": b"a,b,class\n,1,x\n,2,y\n,3,x\n,4,y\n",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_opens(name):
    at = open_page("data")
    at.selectbox(key="data_set").select(name).run()
    sound(at)
    assert f"{len(EXAMPLES[name].frame):,} patient" in heading(at)


def test_the_front_door_opens_the_data_page():
    at = open_page(None)
    sound(at)
    assert heading(at) == heading(open_page("data")) == "400 patients read, nothing odd found"


def test_upload_says_what_was_understood():
    at = upload(clinic())
    sound(at)
    assert heading(at).startswith("160 patients read")
    assert {"Separator", "Decimal mark", "Encoding", "Missing written as"} <= {each.value for each in at.caption}
    assert at.text_input(key="unit_Glucose (mg/dL)").value == "mg/dL"
    assert at.selectbox(key="role_patient id").value == "identifier"
    assert at.selectbox(key="role_outcome").value == "target"


def test_a_role_can_be_changed_and_undone():
    at = upload(clinic())
    at.selectbox(key="role_smoker").select("ignore").run()
    sound(at)
    assert "smoker" not in at.session_state["penumbra_choices"].sigma
    assert "160 patients, 2 variables" in text(at)
    at.button(key="undo").click().run()
    assert at.selectbox(key="role_smoker").value == "nominal"
    assert "160 patients, 3 variables" in text(at)


def test_the_answer_can_be_another_column():
    at = upload(clinic())
    at.selectbox(key="target").select("smoker").run()
    sound(at)
    assert at.selectbox(key="role_smoker").value == "target"
    assert set(at.radio(key="positive").options) == {"yes", "no"}


def test_delimiter_and_decimal_mark_can_be_stated():
    at = upload("a;b;class\n1,5;2,5;x\n2,5;3,5;y\n3,5;1,5;x\n4,5;2,0;y\n".encode("cp1252"))
    sound(at)
    at.selectbox(key="fact_delimiter").select(",").run()
    whole(at)
    at.button(key="undo").click().run()
    sound(at)
    assert heading(at).startswith("4 patients")


def test_zeros_become_missing_and_those_patients_can_be_set_aside():
    rows = "".join(f"{0 if i < 7 else 90 + i},{20 + i % 9},{'x' if i % 3 else 'y'}\n" for i in range(60))
    at = upload(f"glucose,bmi,class\n{rows}".encode())
    at.checkbox(key="zero_glucose").check().run()
    sound(at)
    assert "7 (12 %)" in text(at)
    at.multiselect(key="aside").select("glucose").run()
    sound(at)
    assert "53 patients, 2 variables" in text(at)
    assert "7 set aside" in text(at)


def test_a_label_may_mean_that_the_doctor_abstained():
    rows = "".join(f"{i % 7}.5,{['no', 'yes', 'unclear'][i % 3]}\n" for i in range(30))
    at = upload(f"value,diagnosis\n{rows}".encode())
    at.selectbox(key="means_unclear").select("abstained").run()
    sound(at)
    assert set(at.radio(key="positive").options) == {"no", "yes"}
    assert "10 patients without a class" in text(at)
    at.selectbox(key="means_unclear").select("class").run()
    assert "unclear" in at.radio(key="positive").options


def test_a_column_taken_for_an_identifier_can_be_measured_again():
    at = upload(("number,diagnosis\n" + "".join(f"{i},{'no' if i < 9 else 'yes'}\n" for i in range(30))).encode())
    whole(at)
    assert "variable" in at.error[0].value
    at.selectbox(key="role_number").select("numeric").run()
    sound(at)
    assert heading(at).startswith("30 patients")


def test_the_positive_class_is_named():
    at = upload(clinic())
    other = next(label for label in at.radio(key="positive").options if label != at.radio(key="positive").value)
    at.radio(key="positive").set_value(other).run()
    sound(at)
    assert f"Positive class: {other}" in text(at)


def test_a_tree_that_was_drawn_before_names_the_positive_class_of_now():
    at = upload(clinic())
    open_page("tree", at)
    open_page("data", at)
    other = next(label for label in at.radio(key="positive").options if label != at.radio(key="positive").value)
    at.radio(key="positive").set_value(other).run()
    open_page("tree", at)
    sound(at)
    assert re.findall(r"Positive class: (\w+)", text(at)) == [other, other]  # in the sidebar and under the heading


@pytest.mark.parametrize("name", AWKWARD)
def test_a_file_that_is_no_table_gives_one_sentence_and_a_way_on(name):
    at = upload(AWKWARD[name], name)
    whole(at)
    assert at.error
    assert len({each.value for each in at.error}) == 1
    assert at.error[0].value.count("Traceback") == 0
    at.button(key="undo").click().run()
    sound(at)
    assert heading(at).startswith("400 patients")


@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_leaves_every_page_standing(name):
    at = upload(ODD[name], name)
    for page in ("data", "noise", "tree", "patient"):
        whole(open_page(page, at))


def test_nothing_of_the_data_is_read_as_html():
    at = upload(ODD["script.csv"])
    for page in ("data", "noise", "tree", "patient"):
        open_page(page, at)
        assert not [each for each in at.get("html") if "<script" in each.proto.body or "<b>x" in each.proto.body]
        assert not any(each.proto.allow_html for each in at.markdown)


def test_a_title_that_is_no_example_opens_nothing():
    at = upload(clinic(), "first.csv")
    at.file_uploader[0].upload("second.csv", clinic(80), "text/csv").run()
    sound(at)
    box = next(each for each in at.selectbox if each.key.startswith("data_set"))
    assert box.value == ""
    assert "File: second.csv" in box.options
    box.select("four_points").run()
    sound(at)
    assert heading(at).startswith("4 patients")


def test_another_answer_column_of_an_example_is_no_dead_end():
    at = open_page("data")
    at.selectbox(key="data_set").select("sf12_registry").run()
    other = next(name for name in at.selectbox(key="target").options if name != at.selectbox(key="target").value)
    for name in (other, "Sex"):
        if name in at.selectbox(key="target").options:
            at.selectbox(key="target").select(name).run()
            whole(at)
            assert not any("abstain" in each.value for each in at.error)


def test_an_answer_of_one_class_leaves_every_role_open():
    at = upload(b"a,b\n1,x\n2,x\n3,x\n4,x\n5,x\n")
    whole(at)
    assert at.error
    assert {"role_a", "role_b"} <= {each.key for each in at.selectbox}
    rows = "".join(f"{i % 9}.5,{i % 2},{'xyz'[i % 3]}\n" for i in range(40))
    at = upload(f"v,flag,cls\n{rows}".encode())
    at.checkbox(key="zero_flag").check().run()
    at.selectbox(key="target").select("flag").run()
    whole(at)
    assert at.error
    assert {"role_v", "role_flag", "role_cls", "target", "means_1"} <= {each.key for each in at.selectbox}
    at.selectbox(key="target").select("cls").run()
    sound(at)


def test_one_of_two_labels_marked_abstained_can_be_a_class_again():
    at = upload(("v,cls\n" + "".join(f"{i % 9}.5,{'xy'[i % 2]}\n" for i in range(40))).encode())
    at.selectbox(key="means_x").select("abstained").run()
    whole(at)
    assert at.error
    at.selectbox(key="means_x").select("class").run()
    sound(at)


def wide(n, rows=30):
    names = ",".join(f"v{j}" for j in range(n))
    return f"{names},class\n".encode() + b"".join(
        (",".join(f"{(i * 7 + j * 3) % 11}.5" for j in range(n)) + f",{'xy'[i % 2]}\n").encode() for i in range(rows)
    )


def test_a_file_with_fewer_columns_is_shown_from_a_page_it_has():
    at = upload(wide(70), "wide.csv")
    at.session_state["column_page"] = 5
    at.run()
    at.file_uploader[0].upload("narrow.csv", wide(19), "text/csv").run()
    sound(at)
    assert [each.key for each in at.selectbox if each.key.startswith("role_")]


def test_every_sheet_that_was_found_can_be_chosen():
    import io

    import pandas as pd

    book = io.BytesIO()
    with pd.ExcelWriter(book) as writer:
        for name, n in (("men", 40), ("women", 30)):
            frame = pd.DataFrame({"v": [i % 9 + 0.5 for i in range(n)], "class": ["xy"[i % 2] for i in range(n)]})
            frame.to_excel(writer, sheet_name=name, index=False)
    at = upload(book.getvalue(), "book.xlsx")
    sound(at)
    box = at.selectbox(key="fact_sheet")
    assert "women" in box.options
    box.select("women").run()
    sound(at)
    assert heading(at).startswith("30 patients")


def test_a_sheet_that_holds_no_table_leaves_the_others_open():
    import io

    import pandas as pd

    book = io.BytesIO()
    with pd.ExcelWriter(book) as writer:
        frame = pd.DataFrame({"v": [i % 9 + 0.5 for i in range(40)], "class": [i % 3 for i in range(40)]})
        frame.to_excel(writer, sheet_name="data", index=False)
        pd.DataFrame({"note": ["hello"]}).to_excel(writer, sheet_name="notes", index=False)
    at = upload(book.getvalue(), "book.xlsx")
    at.selectbox(key="fact_sheet").select("notes").run()
    whole(at)
    assert "holds no table" in at.error[0].value
    assert not {"fact_delimiter", "fact_encoding"} & {each.key for each in at.selectbox}
    at.selectbox(key="fact_sheet").select("data").run()
    sound(at)
    assert heading(at).startswith("40 patients")


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_number_may_mean_that_the_doctor_abstained(form):
    import io

    import pandas as pd

    frame = pd.DataFrame({"v": [i % 9 + 0.5 for i in range(60)], "class": [(0, 1, 9)[i % 3] for i in range(60)]})
    book = io.BytesIO()
    if form == "csv":
        frame.to_csv(book, index=False)
    else:
        frame.to_excel(book, index=False)
    at = upload(book.getvalue(), f"clinic.{form}")
    at.selectbox(key="means_9").select("abstained").run()
    sound(at)
    assert set(at.radio(key="positive").options) == {"0", "1"}
    assert "20 patients without a class" in text(at)
    assert any(">20</div>" in each.proto.body and "hatch" in each.proto.body for each in at.get("html"))


def test_a_wrong_statement_of_how_a_file_is_written_is_one_sentence_and_can_be_taken_back():
    rows = "".join(f"{150 + i % 30},5;{'jaß' if i % 2 else 'nein'}\n" for i in range(40))
    at = upload(f"größe;klasse\n{rows}".encode("cp1252"))
    sound(at)
    for key, wrong in (
        ("fact_encoding", "utf-8"), ("fact_encoding", "utf-16"), ("fact_delimiter", ","), ("fact_delimiter", "|"),
        ("fact_decimal", "."),
    ):  # fmt: skip
        at.selectbox(key=key).select(wrong).run()
        whole(at)
        assert len({each.value for each in at.error}) == 1
        at.selectbox(key=key).select("detect").run()
        sound(at)
        assert heading(at).startswith("40 patients")
    at.text_input(key="fact_missing").set_value("nein").run()
    whole(at)
    at.text_input(key="fact_missing").set_value("").run()
    sound(at)


def test_names_from_a_file_are_no_pictures_and_no_links():
    bad = "![i](http://evil.test/x.png)"
    rows = "".join(f"{i % 9}.5,{i % 7},{'xy'[i % 2]}\n" for i in range(40))
    at = upload(f"{bad},www.evil.test,class\n{rows}".encode())
    for page in ("data", "noise", "tree", "patient"):
        open_page(page, at)
        labels = [each.label for each in [*at.selectbox, *at.text_input, *at.number_input, *at.text_area]]
        shown = [*labels, *(each.value for each in [*at.markdown, *at.caption])]
        assert not any("![i](" in each or "](http" in each for each in shown)
        assert not any("http://" in each or "www.evil" in each for each in shown)
