"""The exported Python and JavaScript functions, run beside the engine on 500 patients each: the same to 1e-12.

In: models of every named variant and of every gate, noise shape and decision. Out: failures that name what differs.
"""

from __future__ import annotations

import ast
import base64
import json
import math
import shutil
import subprocess
from functools import cache

import numpy as np
import pandas as pd
import pytest
from exported import ALL, as_dicts, named_model, nasty_model, outcomes, patients

from engine import Noise, PenumbraError, UncertainTreeClassifier, variant
from engine.exports import javascript_function, python_function

TOLERANCE = 1e-12
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PRECISE_ONLY = {"PLT", "CITree", *(f"Ternary-{zone}{end}" for zone in ("margin", "class_overlap")
                                   for end in ("", "-middle"))}  # fmt: skip
CASES = [(name, kind) for name in ALL for kind in ("numeric", "mixed", "three", "sets")
         if not (kind == "sets" and name in PRECISE_ONLY)]  # fmt: skip
RUN = """
const answers = (program, rows) => rows.map((row) => {
  try {
    const p = program.predict_proba(row);
    return [program.classes.map((name) => p[String(name)]), program.decide(row)];
  } catch (error) {
    return String(error);
  }
});
"""
BY_NODE = """
import { readFileSync } from "node:fs";
import vm from "node:vm";
const { text, module, rows } = JSON.parse(readFileSync(0, "utf8"));
const program = module ? await import("data:text/javascript;base64," + Buffer.from(text).toString("base64"))
  : vm.runInNewContext(text + "\\npenumbra");
console.log(JSON.stringify(answers(program, rows)));
"""
BY_CHROMIUM = "async ({ url, rows }) => { %s return JSON.stringify(answers(await import(url), JSON.parse(rows))); }"


def run_python(text, rows):
    """Return ([probabilities, answer] or the error's text) of each patient, by the exported Python alone."""
    program = {}
    exec(compile(text, "exported", "exec"), program)
    found = []
    for row in rows:
        try:
            p = program["predict_proba"](row)
            found.append([[p[name] for name in program["CLASSES"]], program["decide"](row)])
        except ValueError as error:
            found.append(str(error))
    return found


def run_javascript(text, rows, module=True):
    """Return the same by the exported JavaScript, in Node or else in Chromium."""
    node = shutil.which("node")
    if node:
        given = json.dumps({"text": text, "module": module, "rows": rows})
        command = [node, "--input-type=module", "-e", RUN + BY_NODE]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    if not module:
        pytest.skip("Node is not installed, which alone runs the plain script here.")
    playwright = pytest.importorskip("playwright.sync_api", reason="Neither Node nor Playwright runs JavaScript here.")
    if CHROMIUM is None:
        pytest.skip("Neither Node nor Chromium is installed, so the exported JavaScript was not run.")
    url = "data:text/javascript;base64," + base64.b64encode(text.encode()).decode("ascii")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            return json.loads(browser.new_page().evaluate(BY_CHROMIUM % RUN, {"url": url, "rows": json.dumps(rows)}))
        finally:
            browser.close()


def for_json(rows):
    """Return patients as JSON holds them: NaN as null."""
    return [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows]


def compare(model, X, tolerance=TOLERANCE):
    """Compare both programs with the engine on the patients X."""
    rows, proba, answers = as_dicts(X), model.predict_proba(X), list(model.decide(X))
    for found in (run_python(python_function(model), rows), run_javascript(javascript_function(model), for_json(rows))):
        assert not [each for each in found if isinstance(each, str)]
        assert np.abs(np.array([p for p, _ in found]) - proba).max() <= tolerance
        given = [frozenset(a) if isinstance(a, list) else a for _, a in found]
        assert given == answers


@cache
def fresh(kind):
    """Return 500 patients that no model here was fitted to."""
    X = patients(99, 500, 0.0 if kind == "numeric" else 0.2)
    return X[["glucose", "bmi", "shift"]] if kind == "numeric" else X


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_variant_answers_as_the_engine(name, kind):
    compare(named_model(name, kind=kind), fresh(kind))


@pytest.mark.parametrize("shape", ["normal", "uniform", "laplace", "logistic"])
@pytest.mark.parametrize("evaluation", ["soft", "coherent"])
@pytest.mark.parametrize(("branching", "leaf"), [
    ("binary", "frequency"), ("middle", "laplace"), ("nary", "laplace"), ("binary", "naive_bayes"),
    ("nary", "naive_bayes"),
])  # fmt: skip
def test_every_gate_and_noise_shape_answers_as_the_engine(evaluation, branching, leaf, shape):
    zone = "margin" if branching == "middle" else "none"
    depth = 3 if branching == "nary" else 6
    model = named_model(
        "C4.4", kind="three", shape=shape, evaluation=evaluation, branching=branching, leaf=leaf, zone=zone,
        max_depth=depth,
    )  # fmt: skip
    compare(model, fresh("three"))


@pytest.mark.parametrize("evaluation", ["soft", "coherent"])
def test_the_truncated_noise_of_udt_answers_as_the_engine(evaluation):
    compare(named_model("UDT", kind="three", noise=None, width=0.2, evaluation=evaluation), fresh("three"))


@pytest.mark.parametrize("evaluation", ["zone", "deferred", "hard"])
@pytest.mark.parametrize(
    "zone", ["margin", "node_bootstrap", "quality_plateau", "class_overlap", "gain_ratio", "quinlan", "noise"]
)
def test_every_zone_answers_as_the_engine(zone, evaluation):
    compare(named_model("C4.4", kind="mixed", zone=zone, evaluation=evaluation, max_depth=5), fresh("mixed"))


@pytest.mark.parametrize("threshold", ["value", "midpoint", "observed"])
def test_readings_on_and_beside_every_threshold_and_edge_answer_as_the_engine(threshold):
    for evaluation in ("hard", "zone"):
        model = named_model("Ternary-margin", kind="numeric", threshold=threshold, evaluation=evaluation, noise=None)
        tree = model.tree_
        edges = np.concatenate([tree.threshold, tree.low, tree.high])
        edges = edges[np.isfinite(edges)]
        values = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), edges + 1e-13])
        X = pd.DataFrame({name: np.resize(np.roll(values, j), 500) for j, name in enumerate(tree.variables)})
        compare(model, X)


@pytest.mark.parametrize("changes", [
    {"decision": "tau", "tau": 0.8}, {"decision": "tau", "tau": 1.0}, {"decision": "set", "tau": 0.9},
    {"decision": "set", "tau": 0.0}, {"decision": "cost", "cost": [[0, 1, 5], [2, 0, 1], [9, 3, 0]]},
    {"decision": "cost", "cost": [[0, 1, 5], [2, 0, 1], [9, 3, 0]], "abstain_cost": 0.4},
    {"decision": "cost", "cost": np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]), "abstain_cost": 0.25},
])  # fmt: skip
def test_every_decision_answers_as_the_engine(changes):
    for evaluation in ("hard", "soft"):
        compare(named_model("C4.5", kind="three", evaluation=evaluation, **changes), fresh("three"))


def test_what_was_set_after_the_fit_is_what_is_exported():
    model = named_model("C4.4", kind="three").with_decision(evaluation="coherent", decision="set", tau=0.95)
    compare(model, fresh("three"))


def test_readings_far_beyond_the_noise_answer_as_the_engine():
    X = fresh("three").copy()
    for j, name in enumerate(("glucose", "bmi", "shift")):
        X[name] = X[name] * np.where(np.arange(len(X)) % 3 == j, 40.0, 1.0) - np.where(
            np.arange(len(X)) % 5 == j, 1e6, 0
        )
    for evaluation in ("coherent", "soft"):
        for shape in ("normal", "laplace"):
            compare(named_model("C4.4", kind="three", evaluation=evaluation, shape=shape), X)


def test_noise_that_is_tiny_or_huge_answers_as_the_engine():
    for sigma in (1e-9, 1e4):
        noise = Noise(sigma={"glucose": sigma, "bmi": sigma})
        for evaluation in ("coherent", "soft"):
            compare(named_model("C4.4", kind="three", evaluation=evaluation, noise=noise), fresh("three"))


def test_classes_and_categories_that_are_numbers_or_truths():
    X = patients(3, 200)
    X["grade"] = pd.Categorical(np.random.default_rng(3).choice([1.5, 2.0, 10.0], 200), [10.0, 1.5, 2.0])
    for classes in ([False, True], [3, 10, 2], [0.0, 1.0, 2.0]):
        compare(variant("C4.4").fit(X, outcomes(X, 3, classes)), X)


def test_a_lone_leaf():
    X = patients(3, 30)
    compare(variant("CART", max_depth=0).fit(X, outcomes(X, 3, ["no", "yes"])), X)


def test_an_array_without_names():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = UncertainTreeClassifier().fit(X, (X[:, 0] > 0).astype(int))
    compare(model, pd.DataFrame(X, columns=["x0", "x1"]))


def test_a_model_read_from_a_file_gives_the_same_program():
    for name in ("PLT", "UDT", "CITree"):
        model = named_model(name)
        again = UncertainTreeClassifier.from_json(model.to_json())
        assert python_function(again) == python_function(model)
        assert javascript_function(again) == javascript_function(model)


# Names that try to break out of where they are written


def test_names_that_try_to_break_out():
    model, X = nasty_model()
    compare(model, X)
    for text in (javascript_function(model), javascript_function(model, module=False)):
        assert text.isascii()
        assert not [part for part in ("</", "<!--", "-->", "]]>") if part in text]
    assert python_function(model).isascii()


def test_a_plain_script_defines_one_name():
    model, X = nasty_model(evaluation="hard")
    rows = for_json(as_dicts(X))
    text = javascript_function(model, module=False)
    assert not [line for line in text.splitlines() if line.startswith("export")]
    assert run_javascript(text, rows, module=False) == run_javascript(javascript_function(model), rows)


def test_the_python_imports_math_alone_and_runs_on_3_9():
    for name in ("CITree", "SS+STP+SE", "Ternary-margin-middle"):
        tree = ast.parse(python_function(named_model(name)), feature_version=(3, 9))
        names = [a.name for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
        assert names == ["math"]
        called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert not called & {"eval", "exec", "compile", "open", "__import__"}


def test_the_javascript_needs_nothing():
    text = javascript_function(named_model("CITree"))
    assert not [word for word in ("import ", "require(", "eval(", "Function(", "document", "fetch(") if word in text]


@pytest.mark.parametrize(("write", "mark"), [(python_function, "#"), (javascript_function, "//")])
def test_the_top_says_what_it_is_for(write, mark):
    top = [line for line in write(named_model("CART")).splitlines()[:6] if line]
    assert all(line.startswith(mark) for line in top)
    words = " ".join(top)
    assert "Penumbra" in words
    assert "supports a clinician's decision and is not a diagnosis" in words
    assert "no patient data" in words


# What is refused


BAD = [
    ({"glucose": "high"}, "glucose"), ({"glucose": True}, "glucose"), ({"glucose": [1.0]}, "glucose"),
    ({"glucose": 1e400}, "glucose"), ({"colour": "pink"}, "colour"), ({"colour": 1}, "colour"),
    ({"colour": ["red"]}, "colour"), ({"smoker": "yes"}, "smoker"), ({"glucos": 1.0}, "glucos"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "name"), BAD)
def test_a_wrong_value_is_named_and_never_told(row, name):
    model = named_model("SS+STP+SE")
    (found,) = run_python(python_function(model), [row])
    assert isinstance(found, str)
    assert name in found
    assert not {"high", "pink", "yes"} & set(found.replace(";", " ").split())
    if 1e400 in row.values():
        return  # JSON, by which the patient reaches Node here, has no infinity
    (found,) = run_javascript(javascript_function(model), [row])
    assert isinstance(found, str)
    assert name in found
    assert not {"high", "pink", "yes"} & set(found.replace(";", " ").split())


def test_what_is_no_patient_is_refused():
    model = named_model("CART")
    assert all(isinstance(found, str) for found in run_python(python_function(model), [None, 3, [1.0], "x"]))
    assert all(isinstance(found, str) for found in run_javascript(javascript_function(model), [None, 3, [1.0], "x"]))


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed; JSON has none of these values.")
@pytest.mark.parametrize("given", ["new Map([['glucose', 1]])", "new Date()", "undefined", "{glucose: Infinity}",
                                   "{glucose: 1n}", "{smoker: 1}", "{colour: new String('red')}"])  # fmt: skip
def test_javascript_values_that_look_like_something_else_are_refused(given):
    text = javascript_function(named_model("SE"), module=False)
    text += (
        f"\ntry {{ penumbra.decide({given}); console.log('answered'); }} catch (error) {{ console.log('refused'); }}"
    )
    done = subprocess.run(["node", "-e", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "refused"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed; JSON has none of these values.")
def test_every_way_to_say_missing_is_the_same_in_javascript():
    text = javascript_function(named_model("SE"), module=False)
    text += "\nconst told = [{}, {glucose: NaN, bmi: undefined, colour: null}].map(penumbra.predict_proba);"
    text += "\nconsole.log(JSON.stringify(told));"
    done = subprocess.run(["node", "-e", text], capture_output=True, text=True, check=True)
    first, second = json.loads(done.stdout)
    assert first == second


def test_python_takes_what_numpy_and_pandas_hand_over():
    model = named_model("C4.4", kind="mixed")
    X = fresh("mixed").head(20)
    rows = [row for _, row in X.astype(object).iterrows()]
    rows += [{"glucose": np.float32(100.0), "bmi": np.int64(30), "shift": pd.NA, "colour": np.str_("red")}]
    found = run_python(python_function(model), rows)
    assert not [each for each in found if isinstance(each, str)]
    assert np.allclose([p for p, _ in found[:20]], model.predict_proba(X), rtol=0, atol=TOLERANCE)


def test_a_reading_at_which_cv_makes_sigma_endless_is_refused():
    model = named_model("SE", kind="mixed", noise=Noise(cv={"shift": 10.0}))
    (found,) = run_python(python_function(model), [{"shift": 1.7e308}])
    assert "shift" in found
    (found,) = run_javascript(javascript_function(model), [{"shift": 1.7e308}])
    assert "shift" in found


def test_whole_numbers_beyond_javascript_are_refused():
    X = patients(3, 60)
    model = variant("CART").fit(X, outcomes(X, 3, [2**53, 2**53 + 1]))
    compare_python = run_python(python_function(model), as_dicts(X))
    assert not [each for each in compare_python if isinstance(each, str)]
    with pytest.raises(PenumbraError, match="JavaScript"):
        javascript_function(model)


def test_a_category_that_no_program_can_be_given_is_refused():
    X = pd.DataFrame({"age": pd.cut(np.arange(60.0), 3), "bmi": np.arange(60.0) % 7})
    model = variant("CART").fit(X, np.arange(60) % 2)
    for write in (python_function, javascript_function):
        with pytest.raises(PenumbraError, match="Interval"):
            write(model)


def test_erfc_of_the_javascript_is_that_of_the_c_library():
    from engine.interpreters import JAVASCRIPT

    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed; the other tests here read erfc through the gates.")
    x = np.concatenate([np.linspace(-6.0, 26.0, 20001), np.linspace(-1.0, 1.0, 5001), [0.46875, 4.0, -40.0, 40.0]])
    text = JAVASCRIPT[JAVASCRIPT.index("// erfc by") :]
    text += "\nconsole.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(erfc)));"
    done = subprocess.run([node, "-e", text], input=json.dumps(x.tolist()), capture_output=True, text=True, check=True)
    expected = np.array([math.erfc(each) for each in x])
    assert np.allclose(json.loads(done.stdout), expected, rtol=2e-15, atol=1e-310)
