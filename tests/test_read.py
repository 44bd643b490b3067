"""Files of every kind become the right columns, labels and sentences; broken ones one clear sentence.

In: small texts, workbooks and frames made here. Out: failures of `engine.read`.
"""

from __future__ import annotations

import gzip
import io
import math
import pickle
import time
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from engine import UncertainTreeClassifier
from engine.cuts import even_cut
from engine.errors import PenumbraError
from engine.formats import MAX_BYTES
from engine.read import read_table

SMALL = "age,sex,class\n41,F,ill\n52,M,well\n63,F,ill\n"


def read(text, **arguments):
    return read_table(text.encode() if isinstance(text, str) else text, **arguments)


def column(table, name):
    return next(c for c in table.columns if c.name == name)


def said(table, *words):
    """Return the problems that hold all the words."""
    return [p for p in table.problems if all(word in p for word in words)]


def test_small_table_is_typed_and_nothing_is_said():
    table = read(SMALL)
    assert list(table.X.columns) == ["age", "sex"]
    assert table.X["age"].dtype == np.float64
    assert table.X["sex"].cat.categories.tolist() == ["F", "M"]
    assert table.y.tolist() == ["ill", "well", "ill"]
    assert [(c.name, c.kind, c.role, c.missing, c.levels) for c in table.columns] == [
        ("age", "numeric", "variable", 0, None),
        ("sex", "nominal", "variable", 0, ("F", "M")),
        ("class", "nominal", "target", 0, ("ill", "well")),
    ]
    assert table.problems == ()
    facts = ("delimiter", "decimal", "thousands", "encoding", "header", "rows")
    assert {fact: table.understood[fact] for fact in facts} == {
        "delimiter": ",", "decimal": ".", "thousands": "", "encoding": "utf-8", "header": True, "rows": 3,
    }  # fmt: skip
    assert table.preview.iloc[0].tolist() == ["41", "F", "ill"]


@pytest.mark.parametrize("mark", ["\t", ";", "|", ","])
def test_delimiters_are_detected(mark):
    table = read(SMALL.replace(",", mark))
    assert table.understood["delimiter"] == mark
    assert table.X["age"].tolist() == [41, 52, 63]


def test_excel_separator_line_is_taken():
    table = read("sep=;\nage;class\n41;a\n52;b\n")
    assert table.understood["delimiter"] == ";"
    assert table.X["age"].tolist() == [41, 52]


def test_quoted_cells_keep_delimiters_quotes_and_line_ends():
    table = read('note,age,class\n"a, ""b""\nc",41,x\nd,52,y\nd,53,y\n')
    assert table.X["note"].tolist() == ['a, "b"\nc', "d", "d"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings_are_detected(encoding):
    table = read_table("Größe,class\n1.5,ja\n2.5,für\n3,ja\n".encode(encoding))
    assert table.understood["encoding"] == encoding
    assert table.X.columns.tolist() == ["Größe"]
    assert table.y[1] == "für"


def test_stated_encoding_that_does_not_fit_is_refused():
    with pytest.raises(PenumbraError, match="not written in utf-8"):
        read_table("Größe,class\n1,a\n".encode("cp1252"), encoding="utf-8")
    with pytest.raises(PenumbraError, match="not known"):
        read_table(SMALL.encode(), encoding="klingon")


def test_gzip_is_unpacked():
    assert read_table(gzip.compress(SMALL.encode()), filename="a.csv.gz").X["age"].tolist() == [41, 52, 63]
    with pytest.raises(PenumbraError, match="damaged"):
        read_table(gzip.compress(SMALL.encode())[:-12])


def test_path_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(SMALL)
    assert len(read_table(path).X) == 3
    with pytest.raises(PenumbraError, match="cannot be opened"):
        read_table(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands", "want"),
    [
        (["1,5", "2,25", "-3"], ",", "", [1.5, 2.25, -3]),
        (["1.234,5", "2.000", "3,25"], ",", ".", [1234.5, 2000, 3.25]),
        (["1,234.5", "2,000", "3.25"], ".", ",", [1234.5, 2000, 3.25]),
        (["1 234,5", "2\u00a0000", "3,25"], ",", " ", [1234.5, 2000, 3.25]),
        (["1'234.5", "2’000", "3.25"], ".", "'", [1234.5, 2000, 3.25]),
        (["1e3", "-2.5E-2", "+.5"], ".", "", [1000, -0.025, 0.5]),
        (["0.627", "1.351", "12.672"], ".", "", [0.627, 1.351, 12.672]),
        (["\u22121.5", "2.5", "3."], ".", "", [-1.5, 2.5, 3]),
    ],
)
def test_decimal_and_thousands_marks(cells, decimal, thousands, want):
    table = read("x;class\n" + "".join(f"{cell};{label}\n" for cell, label in zip(cells, "aba", strict=True)))
    assert table.X["x"].tolist() == want
    assert (table.understood["decimal"], table.understood["thousands"]) == (decimal, thousands)


@pytest.mark.parametrize(
    ("delimiter", "want", "word"),
    [("\t", [1234, 2345, 3456], "as thousands"), (";", [1.234, 2.345, 3.456], "as decimals")],
)
def test_mark_that_could_be_either_is_said(delimiter, want, word):
    text = "x,y2,class\n1C234,1,a\n2C345,3,b\n3C456,2,a\n".replace(",", delimiter).replace("C", ",")
    table = read(text)
    assert table.X["x"].tolist() == want
    assert said(table, "“x”", word)
    settled = read(text, decimal=",")
    assert settled.X["x"].tolist() == [1.234, 2.345, 3.456]
    assert not said(settled, "“x”", "could mean")


def test_point_thousands_in_a_semicolon_file_are_doubted():
    assert said(read("x;class\n1.234;a\n2.345;b\n"), "“x”", "as decimals")
    assert not said(read("x;class\n1.234;a\n2.34;b\n"), "“x”", "could mean")


def test_column_with_marks_of_its_own():
    table = read("x;y2;z;class\n1,5;2.5;1,1;a\n2,5;3.5;1,2;b\n3,5;4.25;1,3;a\n")
    assert table.X["y2"].tolist() == [2.5, 3.5, 4.25]
    assert table.X["x"].tolist() == [1.5, 2.5, 3.5]
    assert said(table, "“y2”", "decimal point")


def test_stated_marks_are_followed():
    assert read("x;class\n1,234;a\n2,345;b\n", decimal=".", thousands=",").X["x"].tolist() == [1234, 2345]
    assert read("x;class\n1.234;a\n2.345;b\n", thousands=".").X["x"].tolist() == [1234, 2345]


@pytest.mark.parametrize(
    "wrong", [{"delimiter": "ab"}, {"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}]
)
def test_impossible_marks_are_refused(wrong):
    with pytest.raises(PenumbraError):
        read(SMALL, **wrong)


@pytest.mark.parametrize("token", ["", "NA", "N/A", "n/a", "NaN", "null", "?", ".", "-", " "])
def test_missing_tokens(token):
    table = read(f"x,s,class\n1.5,F,a\n{token},{token},b\n2.5,F,a\n3.5,M,a\n")
    assert np.isnan(table.X["x"][1])
    assert table.X["s"].isna().tolist() == [False, True, False, False]
    assert column(table, "x").missing == column(table, "s").missing == 1
    assert token.strip() in table.understood["missing"]
    assert len(said(table, "counts as missing", "“x”", "“s”")) == bool(token.strip())


def test_none_is_a_level_until_told_otherwise():
    text = "pain,x,class\nnone,1,a\nmild,2,b\nnone,4,a\n"
    assert column(read(text), "pain").levels == ("none", "mild")
    assert column(read(text, missing=["none"]), "pain").missing == 2


def test_minus_beside_plus_is_a_level():
    table = read("x,class\n1,+\n2,-\n4,+\n")
    assert table.y.tolist() == ["+", "-", "+"]


def test_tokens_of_one_column():
    table = read("glucose;preg;class\n0,0;0;a\n0;1;b\n142,5;n/a;a\n", missing={"glucose": ["0"]})
    assert column(table, "glucose").missing == 2
    assert column(table, "preg").missing == 1
    assert said(table, "“0”", "2 times", "“glucose”")
    with pytest.raises(PenumbraError, match="“sugar”"):
        read(SMALL, missing={"sugar": ["0"]})
    everywhere = read("a1,b1,class\nxx,1,a\n5,0,b\n6,2,a\n", missing={"*": "xx", "b1": "0"})
    assert [c.missing for c in everywhere.columns] == [1, 1, 0]


def test_zeros_far_below_all_others_are_suspected_and_kept():
    rows = "".join(f"{0 if i % 7 == 0 else 60 + i},{i % 5},{'ab'[i % 2]}\n" for i in range(40))
    table = read("glucose,preg,class\n" + rows)
    assert said(table, "“glucose” (6)", "may mean missing")
    assert not said(table, "“preg”", "may mean missing")
    assert column(table, "glucose").missing == 0


def test_few_cells_that_are_no_numbers_count_as_missing():
    rows = "".join(f"{1.5 + i},{'ab'[i % 2]}\n" for i in range(40))
    table = read("crp,class\nhaemolysed,a\n" + rows)
    assert column(table, "crp").kind == "numeric"
    assert column(table, "crp").missing == 1
    assert said(table, "“crp”", "1 cell is no number")
    assert not said(table, "haemolysed")


def test_many_cells_that_are_no_numbers_make_a_nominal_column():
    rows = "".join(f"{'haemolysed' if i % 4 == 0 else i % 3},{'ab'[i % 2]}\n" for i in range(40))
    table = read("crp,class\n" + rows)
    assert column(table, "crp").kind == "nominal"
    assert said(table, "“crp”", "10 of 40")
    forced = read("crp,class\n" + rows, roles={"crp": "numeric"})
    assert column(forced, "crp").kind == "numeric"
    assert column(forced, "crp").missing == 10
    assert said(forced, "“crp”", "10 cells")


def limited(share=4, text="<0.5"):
    rows = "".join(f"{text if i % share == 0 else 1.5 + i % 9},{'ab'[i % 2]}\n" for i in range(40))
    return "crp,class\n" + rows


@pytest.mark.parametrize(("how", "value"), [("missing", np.nan), ("limit", 0.5), ("half", 0.25)])
def test_values_below_a_limit_are_read_as_stated_and_told(how, value):
    table = read(limited(), limits=None if how == "missing" else {"crp": how})
    assert column(table, "crp").kind == "numeric"
    np.testing.assert_array_equal(table.X["crp"].to_numpy()[::4], value)
    assert not table.X["crp"].drop(range(0, 40, 4)).isna().any()
    assert column(table, "crp").missing == (10 if how == "missing" else 0)
    assert table.understood["limits"] == {"crp": {"cells": 10, "texts": ("<0.5",), "read_as": how}}
    assert said(table, "“crp”: 10 cells say only that the value lies beyond a limit (“<0.5”)")
    words = "known to be low, they are counted as missing all the same" if how == "missing" else "as stated"
    assert said(table, words)


def test_limits_follow_the_files_marks_and_an_upper_one_is_not_halved():
    rows = "".join(f"{1 + i},5;{'ab'[i % 2]}\n" for i in range(40))
    table = read("crp;class\n< 0,5;a\n>50;b\n≤1;a\n" + rows, limits={"crp": "half"})
    assert table.X["crp"].tolist()[:4] == [0.25, 50.0, 0.5, 1.5]
    assert table.understood["limits"]["crp"]["texts"] == ("< 0,5", ">50", "≤1")
    assert said(read("crp;class\n< 0,5;a\n>50;b\n" + rows), "known to be low or high")


def test_many_different_limits_are_counted_and_not_shown():
    rows = "".join(f"{'<0.' + str(i) if i % 4 == 0 else 1.5 + i},{'ab'[i % 2]}\n" for i in range(4, 44))
    table = read("crp,class\n" + rows)
    assert said(table, "(10 different ones)")
    assert table.understood["limits"]["crp"]["texts"] == ()


def test_a_column_mostly_beyond_limits_stays_nominal_until_it_is_stated_numeric():
    rows = "".join(f"{'<5' if i % 4 else 6 + i},{'ab'[i % 2]}\n" for i in range(40))
    assert column(read("crp,class\n" + rows), "crp").kind == "nominal"
    table = read("crp,class\n" + rows, roles={"crp": "numeric"}, limits={"crp": "limit"})
    assert (table.X["crp"] == 5).sum() == 30


@pytest.mark.parametrize("limits", [{"nobody": "half"}, {"crp": "third"}, ["crp"]])
def test_limits_that_do_not_fit_the_file_are_refused(limits):
    with pytest.raises(PenumbraError):
        read(limited(), limits=limits)


def test_infinite_and_huge_values_count_as_missing_and_are_said():
    table = read("x,class\ninf,a\n1e999,b\n-Infinity,a\n1e300,b\n2,a\n")
    assert table.X["x"].isna().tolist() == [True, True, True, False, False]
    assert said(table, "“x”", "3 infinite values")


def test_repeated_and_absent_names():
    table = read("x,x,,class\n1,2,3,a\n2,3,5,b\n4,4,4,a\n")
    assert [c.name for c in table.columns] == ["x", "x (2)", "column 3", "class"]
    assert said(table, "“x”", "“x (2)”")
    assert said(table, "“column 3”")
    assert [c.name for c in read("x,x (2),x,class\n1,2,3,a\n2,3,5,b\n").columns] == [
        "x",
        "x (2)",
        "x (3)",
        "class",
    ]


@pytest.mark.parametrize("text", ["5.1,3.5,setosa\n4.9,3,setosa\n6,2,other\n", "t,f,mild\nf,t,mild\nt,t,severe\n"])
def test_headerless_file_is_said(text):
    table = read(text)
    assert table.understood["header"] is False
    assert len(table.X) == 3
    assert said(table, "first line")
    assert column(table, "column 3").role == "target"


def test_numbered_names_are_names():
    assert read("0,1,2,3,class\n5.5,6,7,8,a\n5,6.5,7,8,b\n").understood["header"] is True


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Glucose (mg/dL)", "mg/dL"), ("Glucose [mg/dL]", "mg/dL"), ("BMI(kg/m2)", "kg/m2"),
        ("BMI (kg/m²)", "kg/m²"), ("EF (%)", "%"), ("Leukocytes (10^9/L)", "10^9/L"), ("Temp (°C)", "°C"),
        ("Pressure (mm Hg)", "mm Hg"), ("Age (years)", "years"), ("Glucose (fasting)", None),
        ("Smoker (yes/no)", None), ("HyWi_B(m)", None), ("age", None),
    ],
)  # fmt: skip
def test_units_behind_names(name, unit):
    table = read(f"{name},class\n1.5,a\n2.5,b\n")
    assert column(table, name).unit == unit


@pytest.mark.parametrize("name", ["outcome", "Diagnosis", "TARGET", "label", "Class"])
def test_target_by_name(name):
    table = read(f"{name},x,z\na,1.5,2\nb,2.5,3\na,2,2\n")
    assert column(table, name).role == "target"
    assert table.understood["target"] == name


def test_last_column_is_the_target_otherwise_and_that_is_said():
    table = read("x,z,sick\n1,2,a\n2,3,b\n4,1,a\n")
    assert table.y.tolist() == ["a", "b", "a"]
    assert said(table, "“sick”", "target")
    assert not said(read("x,z,sick\n1,2,a\n2,3,b\n4,1,a\n", target="sick"), "“sick”")


def test_numeric_labels_stay_as_written():
    assert read("x,class\n1.5,1\n2.5,0\n3.5,1\n").y.tolist() == ["1", "0", "1"]
    assert read("x,class\n1.5,01\n2.5,00\n3.5,01\n").y.tolist() == ["01", "00", "01"]
    frame = pd.DataFrame({"x": [1.5, 2, 3, 4], "class": [1.0, 0.0, np.nan, 1.0]})
    assert read_table(frame).y.tolist() == ["1", "0", None, "1"]


def test_rare_text_label_among_numeric_ones_is_a_label():
    table = read("x,class\n" + "".join(f"{i * 1.5},{'U' if i == 3 else i % 2}\n" for i in range(60)))
    assert table.y[3] == "U"
    assert not any(label is None for label in table.y)


def test_identifiers_dates_constants_and_empty_columns_are_left_out_and_said():
    rows = [f"{100 + i},P-{i},2024-01-{i + 1:02d},{i + 1}.02.2024,F,,{i * 1.5 % 7},{'ab'[i % 2]}" for i in range(24)]
    table = read("\n".join(["number,patient,seen,born,sex,void,x,class", *rows]))
    assert table.X.columns.tolist() == ["x"]
    assert [c.role for c in table.columns][:6] == [
        "identifier",
        "identifier",
        "ignore",
        "ignore",
        "ignore",
        "ignore",
    ]
    for words in [("“number”", "identifier"), ("“seen”", "date"), ("“sex”", "the same"), ("“void”", "empty")]:
        assert said(table, *words), words


def test_few_increasing_numbers_are_a_measurement():
    assert read("x,class\n-2,a\n-1,a\n1,b\n2,b\n5,b\n").X["x"].tolist() == [-2, -1, 1, 2, 5]
    assert column(read("id,x,class\n3,1,a\n9,1.5,b\n4,2,a\n7,2,b\n5,1,b\n"), "id").role == "identifier"


def test_roles_override_every_guess():
    text = "id,code,x,class\n" + "".join(f"{i},{i % 3},{i * 1.5 % 7},{'ab'[i % 2]}\n" for i in range(30))
    assert said(read(text), "“code”", "nominal if those are codes")
    table = read(text, roles={"id": "numeric", "code": "nominal", "x": "ignore"})
    assert table.X.columns.tolist() == ["id", "code"]
    assert table.X["code"].cat.categories.tolist() == [
        "0",
        "1",
        "2",
    ]
    assert table.problems == ()
    assert read(text, roles={"code": "target"}).y.tolist()[:3] == ["0", "1", "2"]
    for wrong in [{"roles": {"nothing": "numeric"}}, {"roles": {"x": "number"}}, {"target": "nothing"},
                  {"roles": {"x": "target", "code": "target"}}, {"roles": {"x": "target"}, "target": "code"},
                  {"roles": dict.fromkeys(["id", "code", "x"], "ignore")}]:  # fmt: skip
        with pytest.raises(PenumbraError):
            read(text, **wrong)


def test_abstention_is_suggested_and_only_taken_when_stated():
    text = "x,class\n1,a\n2,unclear\n4,b\n3,\n5,Unclear\n"
    table = read(text)
    assert table.y.tolist() == ["a", "unclear", "b", None, "Unclear"]
    assert said(table, "“unclear”", "may mean")
    assert said(table, "“class”", "no label in 1 row")
    stated = read(text, abstain=["unclear", "Unclear"])
    assert stated.y.tolist() == ["a", None, "b", None, None]
    assert column(stated, "class").levels == ("a", "b")
    assert column(stated, "class").missing == 3
    assert said(stated, "“unclear”", "doctor abstained, in 1 row")
    with pytest.raises(PenumbraError, match="labels are"):
        read(text, abstain="dunno")
    with pytest.raises(PenumbraError, match="no label at all"):
        read("x,class\n1,u\n2,u\n3,u\n", abstain="u")


def test_one_class_copies_capitals_spaces_and_missing_are_said():
    table = read("x,s,t,class\n1,Yes,,a\n1,Yes,,a\n2,yes,1,a\n3, No ,2,a\n")
    assert said(table, "“class”", "one class")
    assert said(table, "1 row is an exact copy")
    assert said(table, "“s”", "capitals")
    assert said(table, "“s”", "spaces around 1 cell")
    assert said(table, "Of 4 rows", "“t” in 2 (50 %)")


def test_empty_lines_are_left_out_and_said():
    table = read("x,class\n\n1,a\n,\n2,b\n\n")
    assert len(table.X) == 2
    assert said(table, "empty lines")


def test_frames_keep_types_levels_and_label_sets():
    frame = pd.DataFrame({
        "grade": pd.Categorical(["2", "1", None], categories=["3", "1", "2"], ordered=True),
        "flag": [True, False, True], "whole": [1, 2, 3], "half": [0.1 + 0.2, None, 1e-17],
        "label": ["a", ("a", "b"), None],
    })  # fmt: skip
    before = frame.copy()
    table = read_table(frame)
    assert table.X["grade"].cat.categories.tolist() == ["3", "1", "2"]
    assert column(table, "grade").missing == 1
    assert table.X["flag"].tolist() == ["True", "False", "True"]
    assert table.X["half"][0] == 0.1 + 0.2
    assert table.X["half"][2] == 1e-17
    assert table.y.tolist() == ["a", ("a", "b"), None]
    assert column(table, "label").levels == ("a", "b")
    pd.testing.assert_frame_equal(frame, before)
    with pytest.raises(PenumbraError, match="declared"):
        read_table(frame, roles={"grade": "numeric"})


def workbook(**sheets):
    content = io.BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return content.getvalue()


def test_excel():
    frame = pd.DataFrame({
        "Age (years)": [41, 52.5, None], "sex": ["F", "M", "F"], "class": [1, 0, 1],
        "seen": pd.to_datetime(["2024-01-01", "2024-01-01", "2024-03-01"]),
    })  # fmt: skip
    content = workbook(notes=pd.DataFrame({"only": ["text"]}), data=frame, more=frame.head(2))
    table = read_table(content, filename="a.xlsx")
    assert table.understood["sheet"] == "data"
    assert said(table, "3 sheets", "“more”")
    assert table.X["Age (years)"].tolist()[:2] == [41, 52.5]
    assert column(table, "Age (years)").unit == "years"
    assert table.y.tolist() == ["1", "0", "1"]
    assert column(table, "seen").role == "ignore"
    assert len(read_table(content, sheet="more").X) == 2
    for wrong in ("nothing", 7):
        with pytest.raises(PenumbraError, match="no sheet"):
            read_table(content, sheet=wrong)


def test_parquet(tmp_path):
    frame = pd.DataFrame({
        "x": [1.5, np.nan, 2], "s": pd.Categorical(["a", "b", "a"]), "n": pd.array([1, None, 3], "Int64"),
        "class": ["u", "v", None],
    })  # fmt: skip
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    table = read_table(path)
    assert table.understood["format"] == "Parquet"
    assert [(c.kind, c.missing) for c in table.columns] == [
        ("numeric", 1),
        ("nominal", 0),
        ("numeric", 1),
        ("nominal", 1),
    ]
    assert table.y.tolist() == ["u", "v", None]


ARFF = r"""% made here
@RELATION clinic
@attribute 'body mass' REAL
@attribute code {3, 1, '2 or more', never}
@ATTRIBUTE note string
@attribute count integer

@attribute class {well, ill}
@DATA
% a patient
1.5, 3, 'it\'s, so', 7, ill
?,'2 or more',"?",8,well

2.5,?,plain,?,ill
"""


def test_arff_keeps_types_levels_and_quoted_cells():
    table = read_table(ARFF.encode(), roles={"note": "nominal"}, missing=["NA"])
    assert table.understood["format"] == "ARFF"
    assert [(c.name, c.kind, c.missing) for c in table.columns] == [
        ("body mass", "numeric", 1), ("code", "nominal", 1), ("note", "nominal", 0), ("count", "numeric", 1),
        ("class", "nominal", 0),
    ]  # fmt: skip
    assert column(table, "code").levels == ("3", "1", "2 or more", "never")
    assert table.X["note"].tolist() == ["it's, so", "?", "plain"]
    assert table.X["body mass"].tolist()[::2] == [1.5, 2.5]
    assert table.y.tolist() == ["ill", "well", "ill"]
    assert column(table, "class").levels == ("well", "ill")
    assert column(read_table(ARFF.encode(), filename="a.arff"), "code").levels == column(table, "code").levels


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"x,class\n", "no rows"),
        (b"x\n1\n2\n", "[Oo]nly one column"),
        (b"x,class\n1,a\n2,b,c\n3,a\n", "Line 3 has 3 cells"),
        (b"x,class\n1,a\n\n2\n3,a\n", "Line 4 has 1 cell "),
        (b'x,class\n1,a\n2,"b\n3,a\n4,a,a\n', "Line 3 opens a quotation mark"),
        (bytes(range(256)) * 20, "not a text table"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "not a text table"),
        (b"PK\x03\x04" + bytes(100), "not an Excel"),
        (b"PAR1" + bytes(100), "Parquet file is damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "old .xls"),
        (b"% note\n@relation a\n@attribute x numeric\n", "no @data line"),
        (b"@relation a\n@attribute x relational\n@data\n", "Line 2 declares “x” of a type"),
        (b"@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n1,a\n1,z\n", "Line 6 holds a level"),
        (b"@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n1,a\ntwo,b\n", "Line 6 holds no number"),
        (b"@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n1,a,\n", "Line 5 has 3 cells"),
        (b"@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n{0 1, 1 a}\n", "sparse ARFF"),
        (b"@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n", "no rows"),
        (b"a,b\n" + b"1," * 30 + b"\n", "cells"),
        (b"x" * (MAX_BYTES + 1), "larger than 50 MB"),
        (gzip.compress(b"x" * (MAX_BYTES + 1)), "larger than 50 MB"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_sentence(content, words):
    with pytest.raises(PenumbraError, match=words) as caught:
        read_table(content)
    assert str(caught.value).count("\n") == 0


def test_name_that_promises_another_kind():
    with pytest.raises(PenumbraError, match="not what its name says"):
        read_table(SMALL.encode(), filename="a.xlsx")


def test_line_is_named_beyond_quoted_line_ends():
    with pytest.raises(PenumbraError, match="Line 5 has 3"):
        read('note,class\n"a\nb\nc",x\nd,y,z\n')


def test_no_patient_value_in_any_sentence():
    secret = "Zebedee"
    rows = "".join(f"{secret if i == 5 else i * 1.5},{secret}{i},{'ab'[i % 2]}\n" for i in range(60))
    assert not said(read("x,name,class\n" + rows), secret)
    with pytest.raises(PenumbraError) as caught:
        read("x,name,class\n" + rows + f"{secret},1,2,3,4\n")
    assert secret not in str(caught.value)


def test_single_patient_is_read():
    table = read("x,class\n1.5,a\n")
    assert table.X["x"].tolist() == [1.5]
    assert said(table, "“class”", "one class")


def test_formula_text_is_plain_text():
    table = read('s,x,class\n"=HYPERLINK(""http://a"")",1,a\n=1+1,2,b\n=1+1,2.5,b\n')
    assert table.X["s"].tolist()[1] == "=1+1"


def test_large_file_is_read_in_blocks():
    n = 45000
    text = "x,s,class\n" + "".join(f"{i % 977},{'uvw'[i % 3]},{'ab'[i % 2]}\n" for i in range(n))
    table = read(text)
    assert len(table.X) == n
    assert table.X["x"].iloc[-1] == (n - 1) % 977


def cells(*values, n=60):
    """Return the values, repeated to n."""
    return [values[i % len(values)] for i in range(n)]


@pytest.mark.parametrize(
    ("usual", "stray"), [(("1,5", "2,5"), "1.500"), (("1.5", "2.25"), '"1,500"'), (("1.5", "2.5"), "1 500"),
                         (("120", "130", "141"), "120 080"), (("0,5", "0,25"), "0.500")],
)  # fmt: skip
def test_one_stray_thousands_mark_is_not_multiplied_in_silence(usual, stray):
    lines = [f"{cell};{'ab'[i % 2]}" for i, cell in enumerate([*cells(*usual), stray])]
    table = read("\n".join(["x;class", *lines]))
    assert column(table, "x").kind == "numeric"
    assert table.X["x"].max() < 150
    assert np.isnan(table.X["x"].iloc[-1])
    assert said(table, "“x”", "1 cell is", "missing")


def test_thousands_beside_decimals_are_said():
    lines = [f"{cell};{'ab'[i % 2]}" for i, cell in enumerate([*cells("800,5", "950,25"), "1.500"])]
    table = read("\n".join(["x;class", *lines]))
    assert table.X["x"].iloc[-1] == 1500
    assert said(table, "“x”", "1 cell is", "read as thousands")
    assert read("\n".join(["x;class", *lines]), thousands="").X["x"].isna().sum() == 1
    whole = read("\n".join(["x;class", *[f"{cell};{'ab'[i % 2]}" for i, cell in enumerate(cells("950", "1 200"))]]))
    assert whole.X["x"].tolist()[:2] == [950, 1200]
    assert not said(whole, "“x”")


def test_typed_numbers_keep_their_point_beside_text():
    frame = pd.DataFrame({
        "dose": [*[12.345, 7.125, 3.5] * 20, "n/d"], "w": [*["1.234,5", "2.345,5"] * 30, "3,5"],
        "class": [*"ab" * 30, "a"],
    })  # fmt: skip
    for table in (read_table(frame), read_table(workbook(data=frame))):
        assert table.X["dose"].tolist()[:3] == [12.345, 7.125, 3.5]
        assert np.isnan(table.X["dose"].iloc[-1])
        assert table.X["w"].tolist()[:2] == [1234.5, 2345.5]
    exact = pd.DataFrame({"dose": [Decimal("12.345"), Decimal("7.125")], "w": ["1.234,5", "3,5"], "class": ["a", "b"]})
    assert read_table(exact).X["dose"].tolist() == [12.345, 7.125]


def test_all_sheets_are_understood():
    frame = pd.DataFrame({"x": [1, 2], "class": ["a", "b"]})
    assert read_table(workbook(men=frame, women=frame)).understood["sheets"] == ("men", "women")


def test_no_error_lists_readings_taken_as_labels():
    text = "age,x,class\n" + "".join(f"{30 + i},{i * 1.5 % 7},{'ab'[i % 2]}\n" for i in range(40))
    with pytest.raises(PenumbraError, match="40 in number") as caught:
        read(text, target="age", abstain="unclear")
    assert "31" not in str(caught.value)


def test_a_missing_code_is_missing_however_written_and_warned_of():
    text = "x,class\n" + "".join(f"{-999.0 if i % 9 == 0 else 20.5 + i},{'ab'[i % 2]}\n" for i in range(45))
    table = read(text)
    assert said(table, "“x” (5)", "-999", "may mean missing")
    assert column(table, "x").missing == 0
    stated = read(text, missing=["-999"])
    assert column(stated, "x").missing == 5
    assert not said(stated, "may mean missing")
    assert said(stated, "“-999” counts as missing, 5 times")
    assert not said(read("x,class\n" + "".join(f"{i % 30 - 1},{'ab'[i % 2]}\n" for i in range(90))), "may mean missing")


def test_percent_signs_are_said():
    lines = [f"{cell},{'ab'[i % 2]}" for i, cell in enumerate(cells("95%", "96.5%", "88 %"))]
    table = read("\n".join(["x,class", *lines]))
    assert table.X["x"].tolist()[:3] == [95, 96.5, 88]
    assert said(table, "“x”", "percent signs")
    mixed = read("\n".join(["x,class", *lines, *[f"0.9{i},a" for i in range(9)]]))
    assert column(mixed, "x").kind == "nominal"
    assert said(mixed, "“x”", "percent sign among other cells")


def test_label_sets_of_a_parquet_file_stay_sets(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": [1.5, 2, 3, 4], "class": [["a"], ["b", "a"], [], ["b"]]}).to_parquet(path)
    table = read_table(path)
    assert table.y.tolist() == [("a",), ("b", "a"), None, ("b",)]
    assert column(table, "class").levels == ("a", "b")


def test_one_number_written_twice_as_a_label_is_said():
    assert said(read("x,class\n1,1\n2,1.0\n4,0\n"), "“class”", "same number in more than one way")
    assert not said(read("x,class\n1,01\n2,00\n4,01\n"), "same number")


@pytest.mark.parametrize("dates", [("01.01", "02.11", "23.04"), ("20200101", "20191231", "20200228")])
def test_dates_that_look_like_numbers_are_left_out_and_said(dates):
    lines = [f"{day};{i * 1.5 % 7};{'ab'[i % 2]}" for i, day in enumerate(cells(*dates))]
    table = read("\n".join(["seen;x;class", *lines]))
    assert table.X.columns.tolist() == ["x"]
    assert said(table, "“seen”", "a date")
    assert "seen" in read("\n".join(["seen;x;class", *lines]), roles={"seen": "numeric"}).X


@pytest.mark.parametrize("dtype", [complex, object])
def test_complex_numbers_are_refused(dtype):
    with pytest.raises(PenumbraError, match="“z” holds complex numbers"):
        read_table(pd.DataFrame({"z": np.array([1 + 2j, 3j], dtype=dtype), "x": [1, 2], "class": ["a", "b"]}))


def test_an_underscore_is_no_part_of_a_number():
    with pytest.raises(PenumbraError, match="Line 5 holds no number"):
        read("@relation a\n@attribute x real\n@attribute c {a,b}\n@data\n1_0,a\n2,b\n")
    assert column(read("x,class\n1_0,a\n2_0,b\n"), "x").kind == "nominal"


@pytest.mark.parametrize("source", [None, 5, [1], io.BytesIO(SMALL.encode()), "a\0b", pd.Series([1])])
def test_a_source_of_another_kind_is_one_sentence(source):
    with pytest.raises(PenumbraError, match=r"given as|cannot be opened"):
        read_table(source)


@pytest.mark.parametrize(
    "wrong",
    [
        {"encoding": "a\0b"}, {"encoding": 5}, {"roles": ["age"]}, {"roles": {"age": ["numeric"]}},
        {"target": ["age"]}, {"missing": 5}, {"missing": {"age": 5}}, {"delimiter": 5}, {"delimiter": "\n"},
        {"delimiter": '"'}, {"decimal": [","]}, {"abstain": 5}, {"sheet": 1.5}, {"filename": 5},
    ],
)  # fmt: skip
def test_an_argument_of_another_kind_is_one_sentence(wrong):
    with pytest.raises(PenumbraError):
        read(SMALL, **wrong)


def test_bytes_of_every_kind_are_read():
    assert len(read_table(bytearray(SMALL.encode())).X) == 3


CHANGES = ("-6.25", "-6.24", "0.5", "6.24", "6.25", "")


def test_a_numeric_target_is_cut_in_three():
    rows = "age,change\n" + "\n".join(f"{50 + i},{value}" for i, value in enumerate(CHANGES))
    table = read_table(rows.encode(), target="change", cut=(-6.24, 6.24))
    want = ["low", None, None, None, "high", None]
    assert list(table.y) == want
    column = next(c for c in table.columns if c.role == "target")
    assert column.levels == ("low", "high")
    assert any("from −6.24 to 6.24 it is open, as if the doctor abstained, in 3" in said for said in table.problems)
    assert table.understood["cut"] == (-6.24, 6.24)
    model = UncertainTreeClassifier(min_weight_leaf=1).fit(table.X, table.y)
    assert list(model.classes_) == ["high", "low"]


@pytest.mark.parametrize("cut", [(1.0,), (2.0, 1.0), (math.nan, 1.0), "ab", 5, (0.0, math.inf)])
def test_a_cut_that_makes_no_sense_is_one_sentence(cut):
    with pytest.raises(PenumbraError, match="cut takes two"):
        read_table(b"age,change\n50,1.5\n51,2.5\n", target="change", cut=cut)


def test_the_numbers_of_a_target_are_at_hand_whether_or_not_it_is_cut():
    rows = "age;change (points)\n" + "".join(f"{50 + i};{cell}\n" for i, cell in enumerate(["1,5", "inf", "", "2,5"]))
    for given in ({}, {"target": "change (points)"}, {"target": "change (points)", "cut": (2, 2)}):
        table = read(rows, **given)
        assert np.array_equal(table.target_numbers, [1.5, np.nan, np.nan, 2.5], equal_nan=True)
        assert column(table, "change (points)").unit == "points"
    assert any("1 infinite value" in said for said in table.problems)
    assert "cut" not in read(rows).understood
    assert read("age,ill\n50,yes\n51,no\n").target_numbers is None


def test_labels_that_mean_abstained_are_open_whatever_the_cut_says():
    rows = "age,score\n" + "".join(f"{50 + i},{cell}\n" for i, cell in enumerate([1, 2, 8, 99, "unclear", "word"]))
    table = read(rows, target="score", cut=(5, 5), abstain=["99", "unclear"])
    assert list(table.y) == ["low", "low", "high", None, None, None]
    assert any("1 cell is no number" in said for said in table.problems)
    assert any("below 5 it is “low”, in 2 rows" in said and "is open" in said and "in 2 rows" in said
               for said in table.problems)  # fmt: skip
    with pytest.raises(PenumbraError, match="no label “7”"):
        read(rows, target="score", cut=(5, 5), abstain="7")


@pytest.mark.parametrize(
    ("values", "cut"),
    [([1, 2, 3, 4], 2.5), ([0, 0, 0, 1, 9], 0.5), ([5, 5], None), ([math.nan, 1.0], None), ([1.01, 1.02], 1.015)],
)
def test_the_cut_to_start_from_lies_between_two_values(values, cut):
    assert even_cut(np.array(values, dtype=float)) == cut


def test_labels_cannot_be_cut():
    with pytest.raises(PenumbraError, match="choose a numeric target"):
        read_table(b"age,ill\n50,yes\n51,no\n", target="ill", cut=(0.0, 1.0))


# ARFF as Weka and people write it


def test_a_comment_behind_the_levels_and_the_mark_of_a_missing_cell_are_understood():
    line = next(line for line in ARFF.splitlines() if "{" in line)
    commented = ARFF.replace(line, f"{line} % how often, {{once}} or '100 %'")
    table, plain = read_table(commented.encode()), read_table(ARFF.encode())
    assert [c.levels for c in table.columns] == [c.levels for c in plain.columns]
    assert table.understood["missing"] == ("?",)


def test_a_percent_sign_inside_levels_is_no_comment():
    head = "@relation r\n@attribute x numeric\n@attribute dose {'50 %', \"} %\", 100%}\n@attribute class {a,b}\n@data\n"
    table = read_table((head + "1,'50 %',a\n2,\"} %\",b\n3,100%,a\n").encode(), filename="a.arff")
    assert column(table, "dose").levels == ("50 %", "} %", "100%")


def test_long_runs_of_spaces_are_cut_at_once():
    head = "@relation r\n@attribute x numeric\n@attribute c {'a, b',c}\n@attribute class {y,n}\n@data\n1,'a, b',y\n"
    start = time.perf_counter()
    with pytest.raises(PenumbraError, match="declare"):
        read_table((head + "1,'a, b'," + "n " + " " * 1_000_000 + "o\n").encode(), filename="a.arff")
    assert time.perf_counter() - start < 5


def test_a_cut_that_leaves_nobody_outside_says_so():
    table = read_table(b"x,pain\n1,-1\n2,0\n3,1\n", target="pain", cut=(-5.0, 5.0))
    assert any("no class that is certain" in sentence for sentence in table.problems)


def test_a_sentence_stays_one_line_that_can_be_printed():
    for given in ({"encoding": "\ud800"}, {"target": "a\nb\x1b[31m\u2028"}, {"target": "x" * 100_000}):
        with pytest.raises(PenumbraError) as caught:
            read_table(SMALL.encode(), **given)
        said = str(caught.value)
        said.encode("utf-8")
        assert len(said.splitlines()) == 1
        assert len(said) <= 1000
        assert "\x1b" not in said
        assert str(pickle.loads(pickle.dumps(caught.value))) == said
