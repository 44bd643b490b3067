"""What a person who sees, points or hears differently meets on the pages, in a real browser.

In: the bundled example, Chromium by Playwright, the rules of axe-core. Out: no finding, and contrast as it is drawn.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest
from in_browser import address as server
from in_browser import browser as chromium
from in_browser import new_page, settled, still

from engine.draw.sheet import CLASS_FILL, SHADES, STYLE

__all__ = ["chromium", "server"]

PAGES = ["data", "noise", "tree", "patient", "compare", "learn", "robustness", "facts"]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]
# What Streamlit's own widgets bring and no page can mend: (rule, selector or piece of the element, why).
OF_STREAMLIT = [
    ("presentation-role-conflict", "stFileUploaderDropzone", "its drop zone has a label although its role hides it"),
]

FINDINGS = """
async (rules) => {
  const run = rules.length ? { type: 'rule', values: rules } : { type: 'tag', values: TAGS };
  const more = rules.length ? {} : { 'target-size': { enabled: true } };
  const found = await axe.run(document, { runOnly: run, rules: more, resultTypes: ['violations'] });
  return found.violations.flatMap((rule) => rule.nodes.map((node) =>
    ({ rule: rule.id, impact: node.impact, target: JSON.stringify(node.target), element: node.html.slice(0, 300) })));
}
""".replace("TAGS", repr(TAGS))

OPEN = """
() => {
  document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary').forEach((each) => each.click());
  if (document.querySelector('[data-testid=stPopoverBody]')) return;
  [...document.querySelectorAll('[data-testid=stPopoverButton]')].find((each) => each.offsetParent)?.click();
}
"""

# Texts of the pictures with the worst contrast to what lies under them: axe does not look under SVG text.
CONTRASTS = """
() => {
  const rgba = (colour) => {
    const parts = (colour.match(/[\\d.]+/g) || []).map(Number);
    return parts.length < 3 ? null : [...parts.slice(0, 3), parts[3] ?? 1];
  };
  const over = (top, ground) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * ground[i]);
  const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => sum + part * linear(c[i] / 255), 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement || at.getRootNode().host) {
      const c = rgba(getComputedStyle(at).backgroundColor);
      if (c && c[3] === 1) return c;
    }
    return [255, 255, 255, 1];
  };
  const told = [];
  const roots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter(Boolean);
  roots.flatMap((root) => [...root.querySelectorAll('svg.penumbra text')]).forEach((text) => {
    const at = text.getBoundingClientRect(), style = getComputedStyle(text);
    const x = at.left + at.width / 2, y = at.top + at.height / 2;
    if (!at.width || x < 0 || y < 0 || x > innerWidth || y > innerHeight) return;
    const stack = text.getRootNode().elementsFromPoint(x, y), svg = text.closest('svg');
    if (!stack.some((each) => svg.contains(each))) return;
    let grounds = [paper(svg)];
    const shapes = stack.filter((each) => svg.contains(each) && /^(rect|path|circle)$/.test(each.tagName)).reverse();
    shapes.forEach((shape) => {
      const own = getComputedStyle(shape), hatch = /url\\(.*#(hatch\\w+)/.exec(own.fill);
      if (hatch) {
        const pattern = svg.querySelector('#' + hatch[1]);
        grounds = [getComputedStyle(pattern.children[0]).fill, getComputedStyle(pattern.children[1]).stroke].map(rgba);
      } else {
        const paint = rgba(own.fill === 'none' ? own.stroke : own.fill);
        if (paint) grounds = grounds.map((ground) => over(paint, ground));
      }
    });
    const rim = style.paintOrder.startsWith('stroke') && rgba(style.stroke);
    if (rim) grounds = [rim];
    [...(text.querySelectorAll('tspan').length ? text.querySelectorAll('tspan') : [text])].forEach((part) => {
      const ink = rgba(getComputedStyle(part).fill);
      told.push([Math.min(...grounds.map((ground) => ratio(ink, ground))), text.textContent, style.fontSize]);
    });
  });
  return told.sort((a, b) => a[0] - b[0]);
}
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The rules themselves, as the package ships them; the page is given them by the browser, not by the network."""
    return (files(pytest.importorskip("axe_playwright_python")) / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def turn(chromium, server):
    """Return a function that shows a page of the app, opened once, in a window and in the colours asked for."""
    opened, colours = {}, {}

    def show(name, width=1280, height=900, scheme="light", forced="none"):
        if name not in opened:
            opened[name] = new_page(chromium.new_context(reduced_motion="reduce"))
            opened[name].set_viewport_size({"width": width, "height": height})
            opened[name].goto(f"{server[0]}/{name}")
        page = opened[name]
        page.emulate_media(color_scheme=scheme, forced_colors=forced, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": height})
        if colours.get(name) != (scheme, forced):  # the page runs again for its other theme, not for another width
            settled(page)
        colours[name] = (scheme, forced)
        page.wait_for_timeout(300)
        page.wait_for_function("() => !document.querySelector('[data-stale=true]')")
        still(page)
        return page

    yield show
    for page in opened.values():
        page.context.close()


def findings(page, rules=()) -> list[str]:
    """Return what axe finds, but for what is Streamlit's own and listed above."""
    told = []
    for each in page.evaluate(FINDINGS, list(rules)):
        place = each["target"] + each["element"]
        if not any(each["rule"] == rule and piece in place for rule, piece, _ in OF_STREAMLIT):
            told.append(f"{each['impact']} {each['rule']} at {each['target']}: {each['element']}")
    return told


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_of_our_own(turn, axe, name):
    """Every rule at both widths, with what opens opened."""
    page = turn(name)
    if name == "learn":  # covered until it is answered
        page.get_by_role("button", name="Just show me").click()
        settled(page)
    page.evaluate(axe)
    page.evaluate(OPEN)
    settled(page)
    opened = page.locator("details[open], [data-testid=stPopoverBody]").count()
    assert bool(opened) == (name != "robustness")  # which has nothing to open
    assert findings(page) == []
    turn(name, width=400)
    assert findings(page) == []


def test_axe_looks_inside_the_components(turn, axe):
    """A button without a name inside the tree's shadow root is found: the pictures are not passed over."""
    page = turn("tree")
    page.evaluate(axe)
    page.keyboard.press("Escape")
    page.locator(".bar button").first.evaluate("""(each) => {
      each.kept = each.getAttribute('aria-label') + '|' + each.title + '|' + each.textContent;
      ['aria-label', 'title'].forEach((name) => each.removeAttribute(name));
      each.textContent = '';
    }""")
    found = findings(page, ["button-name"])
    page.locator(".bar button").first.evaluate("""(each) => {
      const [label, title, text] = each.kept.split('|');
      each.setAttribute('aria-label', label); each.title = title; each.textContent = text;
    }""")
    assert len(found) == 1
    assert "penumbra" in found[0] or "bar" in found[0] or "data-act" in found[0]


@pytest.mark.parametrize("name", PAGES)
def test_at_320_pixels_only_trees_and_tables_scroll_sideways(turn, name):
    """WCAG 2.1 §1.4.10, what a window of 1280 pixels is at 400 % zoom."""
    page = turn(name, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = page.evaluate("""() => {
      const hosts = [...document.querySelectorAll('[data-testid=stMain] *')].filter((each) => each.shadowRoot);
      const frames = hosts.flatMap((each) => [...each.shadowRoot.querySelectorAll('.frame')]);
      return [document.querySelector('[data-testid=stMain]'), ...frames]
        .filter((each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.querySelector('.node') ? 'tree' : each.textContent.slice(-80));
    }""")
    assert [each for each in wide if each != "tree"] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES[1:6])  # Robustness and Model facts have no picture before they have tried
def test_words_in_pictures_stand_out_from_what_is_drawn_under_them(turn, name, scheme):
    told = turn(name, height=2600, scheme=scheme).evaluate(CONTRASTS)
    assert len(told) > 10
    assert [each for each in told if each[0] < 4.5] == []


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_faint_words_in_the_dark(turn, axe, name):
    """What depends on colour alone; the rest is the same in both themes."""
    page = turn(name, scheme="dark")
    page.evaluate(axe)
    page.evaluate(OPEN)
    settled(page)
    assert findings(turn(name, scheme="dark"), OF_COLOUR) == []
    assert findings(turn(name, width=400, scheme="dark"), OF_COLOUR) == []


def luminance(shade):
    parts = np.array([int(shade[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("column", [0, 1], ids=["light", "dark"])
def test_every_mark_has_three_to_one_with_its_ground(column):
    """A class's fill, or else the rim that the style gives it; and the greys, lines and rings that carry meaning."""
    block = STYLE.split("{", 2)[1] if column == 0 else STYLE.split(".penumbra[data-theme=dark]{", 1)[1].split("}")[0]
    shades = dict(part.split(":", 1) for part in block.split(";") if part.startswith("--"))
    for k in range(len(CLASS_FILL)):
        rimmed = f"[fill='var(--c{k})']{{stroke:var(--e{k})" in STYLE
        shade = shades[f"--e{k}" if rimmed else f"--c{k}"]
        assert contrast(shade, SHADES["card"][column]) >= 3, k
        assert contrast(shade, SHADES["page"][column]) >= 3, k
    for name in ("third", "grey-bar", "unsure", "control", "lit", "ink", "second"):
        assert contrast(SHADES[name][column], SHADES["card"][column]) >= (4.5 if name in ("third", "second") else 3), (
            name
        )


def test_pictures_take_the_colours_the_system_sets(turn):
    """Chromium stands in for a black on white contrast theme; the page's own dark grey and slate are not among it."""
    seen = turn("tree", forced="active").evaluate("""() => {
      const host = [...document.querySelectorAll('*')].find((each) => each.shadowRoot?.querySelector('.node'));
      const fill = (selector) => getComputedStyle(host.shadowRoot.querySelector(selector)).fill;
      const thumb = document.querySelector('.stSlider [data-rac]:has(> div > input)');
      return [fill('text.i2'), fill('rect.frame'), getComputedStyle(thumb).backgroundColor];
    }""")
    turn("tree")
    assert seen[:2] == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert seen[2] not in ("rgb(52, 73, 94)", "rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")


STOP = """
() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return null;
  let ring = false;
  for (let each = at, up = 0; each && up < 5; each = each.parentElement, up += 1) {
    const style = getComputedStyle(each);
    ring ||= (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  }
  return { what: at.outerHTML.slice(0, 160), still: !!at.closest('.node'), ring };
}
"""


def test_the_keyboard_passes_through_and_is_seen_wherever_it_stands(turn):
    """Tab leads from the first control to the last and out; every stop has a ring; still pictures are no stop."""
    page = turn("patient")
    page.reload()
    settled(page)
    stops = []
    for _ in range(120):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(STOP))
        if stops[-1] is None:
            break
    assert stops.pop() is None, "Tab never leaves the page"
    assert len(stops) > 15
    assert [each["what"] for each in stops if each["still"]] == []
    assert [each["what"] for each in stops if not each["ring"]] == []
