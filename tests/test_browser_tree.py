"""The tree in a real browser: mouse and keyboard fold it, filter it, and lay patients over it.

In: Chromium by Playwright, a second file made here. Out: what the SVG says, beside what the engine computes alone.
"""

from __future__ import annotations

import re

import pytest
from in_browser import arrive, go, new_page, settled, unclean
from screens import clinic

from engine import Noise, read_table, variant
from engine.examples import load_example
from engine.number_words import share_text, weight_text
from engine.other_patients import lay_over
from engine.other_table import read_other_table

SETTINGS = {"pruning": "none", "decision": "tau", "max_depth": 3, "min_weight_leaf": 20}

FOCUSED = """(() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.dataset?.node;
})()"""
SHARES = """all => all.map((node) =>
  [Number(node.dataset.node), node.querySelector('title').textContent.split('share ').pop()])"""


@pytest.fixture(scope="module")
def tree_page(address, browser):
    page = new_page(browser, viewport={"width": 1280, "height": 1600})
    page.goto(f"{address[0]}/tree")
    settled(page)
    yield page
    assert unclean(address[1]) == []
    page.close()


@pytest.fixture(scope="module")
def example():
    found = load_example("ejection_fraction")
    X, y = found.frame.drop(columns=[found.target]), found.frame[found.target].tolist()
    model = variant("SS+STP", noise=Noise(sigma=dict(found.sigma)), **SETTINGS).fit(X, y)
    return model, X, y


def calm(page):
    """Wait until a choice has been answered; shorter than `settled`, for nothing is fitted."""
    page.wait_for_timeout(200)
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(100)


def drawn(page, wanted):
    """Wait until exactly these nodes are drawn."""
    for _ in range(200):
        if nodes(page) == set(wanted):
            return
        page.wait_for_timeout(100)
    assert nodes(page) == set(wanted)


def nodes(page):
    return {int(k) for k in page.locator(".penumbra-view .node").evaluate_all("all => all.map(n => n.dataset.node)")}


def said(page, node):
    return page.locator(f".penumbra-view [data-node='{node}'] text").all_text_contents()


def pick(page, label, option):
    page.get_by_role("combobox", name=label).last.click()
    page.get_by_role("option", name=option, exact=True).click()
    calm(page)


def undo(page):
    page.get_by_role("button", name="Undo", exact=True).click()
    calm(page)


def test_marks_keys_and_the_panel_fold_and_open(tree_page, example):
    page, tree = tree_page, example[0].tree_
    drawn(page, range(tree.n_nodes))
    node = int(tree.children(0)[0])
    below = [k for k in range(tree.n_nodes) if node in tree.path(k) and k != node]
    leaves = sum(tree.is_leaf(k) for k in below)

    mark = page.locator(f".penumbra-view [data-fold='{node}']")
    assert mark.get_attribute("aria-label").endswith(f"{leaves} leaves below it")
    area = mark.locator("rect").bounding_box()
    assert min(area["width"], area["height"]) >= 43.5
    mark.click()
    drawn(page, set(range(tree.n_nodes)) - set(below))
    assert f"+{leaves} leaves" in said(page, node)
    assert f"{leaves} leaves" in page.get_by_test_id("stMain").inner_text()

    page.locator(f".penumbra-view [data-node='{node}']").click()  # a stub opens on a click
    drawn(page, set(range(tree.n_nodes)))

    stub = page.locator(f".penumbra-view [data-node='{node}']")
    stub.focus()
    page.keyboard.press("Space")
    drawn(page, set(range(tree.n_nodes)) - set(below))
    assert page.evaluate(FOCUSED) == str(node)
    page.keyboard.press("Space")
    drawn(page, set(range(tree.n_nodes)))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = int(tree.children(node)[0])
    page.wait_for_selector(f".penumbra-view [data-node='{chosen}'][aria-pressed=true]")
    calm(page)
    page.locator(".st-key-fold_node").get_by_role("button", name="Collapse", exact=True).click()
    drawn(page, set(range(tree.n_nodes)) - set(tree.children(chosen)))
    calm(page)
    page.locator(".st-key-fold_node").get_by_role("button", name="Open", exact=True).click()
    drawn(page, set(range(tree.n_nodes)))


def test_depth_and_open_all(tree_page, example):
    page, tree = tree_page, example[0].tree_
    pick(page, "Show to depth", "1 level")
    drawn(page, {0, *tree.children(0)})
    for child in tree.children(0):
        inside = sum(child in tree.path(int(leaf)) for leaf in tree.leaves)
        assert f"+{inside} leaves" in said(page, child)
    page.get_by_role("button", name="Open all", exact=True).click()
    drawn(page, set(range(tree.n_nodes)))
    undo(page)
    drawn(page, {0, *tree.children(0)})
    undo(page)
    drawn(page, range(tree.n_nodes))


def test_filtered_leaves_are_dimmed_counted_and_brought_back(tree_page, example):
    page, tree = tree_page, example[0].tree_
    page.get_by_role("button", name=re.compile("^Filter leaves")).click()
    box = page.get_by_role("spinbutton", name="Training patients in a leaf, at least")
    box.fill("33")
    box.press("Enter")
    page.wait_for_selector(".penumbra-view .node.back")
    calm(page)
    assert box.is_visible()  # the box stays open while the picture changes
    page.keyboard.press("Escape")
    out = {int(leaf) for leaf in tree.leaves if tree.weight[leaf] < 33}
    dim = page.locator(".penumbra-view .node.back").evaluate_all("all => all.map(n => Number(n.dataset.node))")
    assert out == {k for k in dim if tree.is_leaf(k)}
    for leaf in map(int, tree.leaves):
        assert ("out: n < 33" in said(page, leaf)) == (leaf in out)
    line = page.get_by_test_id("stMain").inner_text()
    assert f"Showing {tree.n_leaves - len(out)} of {tree.n_leaves} leaves" in line
    page.get_by_role("button", name="show all", exact=True).click()
    page.wait_for_selector(".penumbra-view .node.back", state="detached")
    assert "Showing " not in page.get_by_test_id("stMain").inner_text()


def test_the_present_patient_has_the_patient_pages_numbers(tree_page, example):
    page, (model, X, _) = tree_page, example
    go(page, "Patient")
    whose = int(page.get_by_label(re.compile("^Patient, 1 to")).first.input_value())
    shares = page.locator(".st-key-whole_tree .node").evaluate_all(SHARES)
    go(page, "Tree")
    pick(page, "Lay over the tree", "the present patient")
    page.wait_for_selector(".penumbra-view [data-share]", state="attached")
    case, tree = model.case(X.iloc[whose - 1]), model.tree_
    for leaf, share in zip(map(int, tree.leaves), case.shares, strict=True):
        assert said(page, leaf)[-1] == share_text(float(share))
    on_patient_page = {node: float(text) for node, text in shares}
    drawn = page.locator(".penumbra-view [data-share]").evaluate_all(
        "all => all.map(p => [Number(p.dataset.branch), Number(p.dataset.share)])"
    )
    assert drawn
    for node, share in drawn:
        assert share == pytest.approx(float(case.reach[node]), rel=1e-4)
        assert share == pytest.approx(on_patient_page[node], rel=1e-4)
    pick(page, "Lay over the tree", "nobody")
    page.wait_for_selector(".penumbra-view [data-share]", state="detached")
    assert page.locator(".penumbra-view [data-share]").count() == 0


def test_other_patients_of_a_second_file(address, browser):
    first, second = clinic(240, seed=11), clinic(90, seed=3)
    page = new_page(browser, viewport={"width": 1280, "height": 1600})
    page.goto(f"{address[0]}/data")
    settled(page)
    arrive(page, "clinic.csv", first, "240 patients read")
    go(page, "Tree")
    pick(page, "Lay over the tree", "other patients (test data)")
    page.set_input_files("input[type=file]", {"name": "new.csv", "mimeType": "text/csv", "buffer": second})
    page.wait_for_selector("text=90 test patients")
    calm(page)
    table = read_table(first, "clinic.csv")
    model = variant("SS+STP", **SETTINGS).fit(table.X, table.y)
    tree, recipe = model.tree_, model.recipe_
    asked = {tree.variables[j] for j in tree.variable if j >= 0}
    other = read_other_table(second, "new.csv", model.schema_, asked, "outcome", tree.classes)
    told = lay_over(
        tree, model.encode(other.X), other.y, recipe.propagation, model.noise_propagation_, recipe.weight_floor,
        model.noise_evaluation_,
    )  # fmt: skip
    for leaf in map(int, tree.leaves):
        n = weight_text(float(told.weight[leaf]), told.fractional)
        assert {f"test n {n}", f"test {n}"} & set(said(page, leaf))
    left, _, right, _ = told.split_counts(0)
    assert f"test ← {left}" in said(page, 0)
    assert f"{right} →" in said(page, 0)
    page.get_by_role("button", name="take it away", exact=True).click()
    calm(page)
    assert not [text for text in said(page, 0) if text.startswith("test")]
    page.close()


def test_the_rule_is_copied(address, browser):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = new_page(context)
    page.goto(f"{address[0]}/tree")
    settled(page)
    page.get_by_role("button", name="Copy rule").click()
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "If everyone: asks Ejection fraction."
    context.close()
