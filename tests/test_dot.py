"""DOT text says what it was given: read back by the rules of the language, and by the dot program where there is one.

In: small trees whose names try to be markup, entities, escapes or links. Out: failures that show the label.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest
from test_draw import grown, picture_of, stump

from engine import Noise, variant
from engine.draw import tree_dot
from engine.draw.sheet import SHADES, esc
from engine.export import rules_text
from engine.legible import contained, visible
from engine.tree import NOMINAL

NAMES = {  # as given: as a reader sees it, where the two differ
    "<b>x</b>": None, "<": None, "<>": None, "<table><tr><td>": None, "a &lt; b": None, "&amp;": None, "&#65;": None,
    "&": None, "R&D": None, r"x\N": None, r"\G\l\r\T\n": None, "\\": None, "\\\\": None, 'quo"ted': None, '\\"': None,
    '"];x[URL="javascript:alert(1)"': None, "node": None, "5": None, "a:b:c": None, "{a|b}": None, "%3": None,
    "👩‍⚕️ 🩺": None, "שלום": None, "\u200fmark\u200e": None, "é": None, "日本": None,
    "//c": None, "/*c*/": None, "#c": None, "nul\x00": "nul␀", "tab\there": "tab␉here",
    "esc\x1b[31m": "esc␛[31m", "del\x7f": "del␡", "c1\x85": "c1\ufffd", "half\ud83d": "half\ufffd",
    "no\uffffcharacter": "no\ufffdcharacter", "turn\u202eabc": "turn\u202eabc\u202c", "end\u202cs": "ends",
    "two\nlines": None, "win\r\ndows": "win\ndows", "mac\rold": "mac␍old",
}  # fmt: skip
SHOWN = {name: seen or name for name, seen in NAMES.items()}


def first(name):
    """Return a class at the head of its leaf: with two classes it opens with a capital."""
    return name[:1].upper() + name[1:]


def with_category(name):
    """Return a tree, its evidence and the view, of a split into categories of which one has that name."""
    root = grown([5, 5], 0, [grown([4, 1], 1), grown([1, 4], 1)], variable=0, gate=NOMINAL)
    x = np.array([0.0, 0, 0, 0, 0, 1, 1, 1, 1, 1])[:, None]
    return picture_of(root, ["colour"], [(name, "other")], ("no", "yes"), x, [0, 0, 0, 1, 0, 1, 1, 0, 1, 1])


def labels(dot):
    """Return the labels of DOT text as dot prints them, by the language's own rules."""
    texts = re.findall(r'label=(?:"((?:[^"\\]|\\.)*)"|(\w+))', dot, flags=re.DOTALL)
    seen = []
    for quoted, bare in texts:
        text = quoted.replace('\\"', '"') or bare  # the lexer
        text = html.unescape(re.sub(r"&(?!\w+;|#\d+;)", "&amp;", text))  # entities first, then escapes
        seen.append(re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text, flags=re.DOTALL))
    return seen


def drawn(dot):
    """Return dot's SVG and the lines of text of each node and edge in it."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("The dot program is not installed, so the DOT text was only read, not drawn.")
    done = subprocess.run([program, "-Tsvg"], input=dot.encode("utf-8"), capture_output=True, check=True, timeout=60)
    assert not done.stderr.strip() or b"font" in done.stderr
    svg = done.stdout.decode("utf-8")
    groups = [g for g in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g") if g.get("id") != "graph0"]
    return svg, ["\n".join(t.text or "" for t in g.iter("{http://www.w3.org/2000/svg}text")) for g in groups]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_are_labels_as_they_stand(name):
    seen = SHOWN[name]
    dot = tree_dot(*stump(name, (name, "other class")))
    dot.encode("utf-8")
    root, *rest = labels(dot)
    assert root == f"{seen}\ncut at 5.5\nn 10"
    leaf = f"{first(seen)} P 0.80\nP(other class) 0.20\nn 5: {seen} 4, other class 1\nleaf 1"
    assert leaf in rest
    found = labels(tree_dot(*with_category(name)))
    assert found[1] == f" {seen}"


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_dot_prints_names_as_they_stand(name):
    seen = SHOWN[name]
    svg, texts = drawn(tree_dot(*stump(name, (name, "other class"))))
    plain = [text.replace("\u00a0", " ") for text in texts]
    assert f"{seen}\ncut at 5.5\nn 10" in plain
    assert any(text.startswith(f"{first(seen)} P 0.80\nP(other class) 0.20") for text in plain)
    assert not [part for part in ("href", "<a ", "<image", "<script") if part in svg]
    plain = [text.replace("\u00a0", " ").strip() for text in drawn(tree_dot(*with_category(name)))[1]]
    assert seen.strip() in plain


def test_the_ink_and_the_paper_are_stated_and_nothing_is_a_link():
    dot = tree_dot(*stump('x"];y[URL="http://x"', ("URL=", 'href="x"')))
    ink = SHADES["ink"][0]
    assert f'graph [bgcolor=white fontcolor="{ink}"' in dot
    assert re.search(rf'node \[.*fillcolor=white fontcolor="{ink}"', dot)
    assert re.search(rf'edge \[.*fontcolor="{ink}"', dot)
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', dot)
    assert not re.search(r"url|href|target|image|tooltip", outside, flags=re.IGNORECASE)


def test_branches_stand_in_the_order_of_the_tree():
    dot = tree_dot(*stump())
    assert "ordering=out" in dot
    assert re.findall(r"n0 -> n(\d)", dot) == ["1", "2"]


@pytest.mark.parametrize("name", ["SS+STP+SE", "Ternary-margin-middle", "CITree"])
def test_dot_draws_fitted_trees(name):
    from engine.draw import View
    from engine.evidence import evidence
    from engine.route import reach

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = variant(name, noise=Noise(sigma=0.2), max_depth=3).fit(X, X[:, 0] + X[:, 1] > 0)
    tree = model.tree_
    found = evidence(tree, X, np.eye(2)[(X[:, 0] + X[:, 1] > 0).astype(int)], np.ones(120), reach(tree, X, "hard"))
    view = View(classes=tree.classes, leaf_answers=tuple(model.leaf_answers()))
    svg, _ = drawn(tree_dot(tree, found, view))
    assert svg.count('class="node"') == tree.n_nodes
    assert svg.count('class="edge"') == tree.n_nodes - 1


# The same names elsewhere


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_rules_keep_one_line_a_rule(name):
    tree, _, view = stump(name, (name, "other class"))
    text = rules_text(tree, view.leaf_answers)
    text.encode("utf-8")
    plain = rules_text(*stump("x", ("no", "yes"))[:1])
    assert len(text.split("\n")) == len(plain.split("\n"))
    seen = visible(SHOWN[name])
    assert f"if {seen} ≤ 5.5" in text
    assert f"answer {seen}: leaf 1" in text


def test_a_picture_shows_a_sign_where_it_cannot_hold_the_character():
    assert esc("a\x00b\ud800c\uffff\t<") == "a␀b\ufffdc\ufffd\t&lt;"


@pytest.mark.parametrize(("name", "end"), [
    ("\u202e", "\u202c"), ("\u2067a\u202e", "\u202c\u2069"), ("\u2066a\u202eb\u2069", ""), ("\u202ea\u202c", ""),
])  # fmt: skip
def test_a_change_of_direction_ends_with_the_name(name, end):
    assert contained(name) == name + end


def test_an_end_without_a_beginning_is_left_out():
    assert contained("a\u2069b\u202c") == "ab"
    assert contained("\u202aa\u2069") == "\u202aa\u202c"
