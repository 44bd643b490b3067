"""The sheet every picture is drawn on: colours for light and dark, the four type sizes, text that fits, the view.

In: what the reader chose to see (`View`) and strings of SVG. Out: one self-contained SVG document.
"""

from __future__ import annotations

import html
import unicodedata
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from engine.legible import contained, visible
from engine.tree import Tree

FONT = "'Source Sans','Source Sans 3','Source Sans Pro',system-ui,-apple-system,'Segoe UI',sans-serif"
X_HEIGHT = 0.486  # of Source Sans, for which every text is measured: another machine's own type comes out as large
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPEN_AT_DEPTH, DEEP, MANY_LEAVES = 3, 5, 40

SHADES = {
    "page": ("#FFFFFF", "#11161D"),
    "card": ("#FFFFFF", "#171E27"),
    "ink": ("#1F2630", "#E8ECF1"),
    "second": ("#5A6472", "#A9B3C0"),
    "third": ("#626C7A", "#8B96A5"),
    "border": ("#D9DDE3", "#36404D"),
    "hair": ("#E9ECF0", "#262F3A"),
    "ribbon": ("#D8DCE3", "#333D4A"),
    "grey-bar": ("#858F9D", "#616E7D"),
    "unsure": ("#6B4FA0", "#B9A2EC"),
    "zone": ("rgba(122,92,178,.20)", "rgba(165,135,235,.24)"),
    "control": ("#34495E", "#9DB4CC"),
    "lit": ("#3D566E", "#C7D3E0"),
    "hatch-ground": ("#F1F2F4", "#1C242E"),
    "hatch-line": ("#C9CED6", "#46515F"),
}
CLASS_TEXT = (("#1E5A8E", "#8CC1F0"), ("#9A5200", "#F3B673"))
CLASS_FILL = (
    ("#3F7AB5", "#4A8AC8"),
    ("#F0A04B", "#F2B163"),
    ("#4E9B78", "#74B894"),
    ("#B5546B", "#D47C92"),
    ("#C9B037", "#D8C860"),
    ("#4C9CA6", "#6DBBC5"),
    ("#8A5A34", "#C98F66"),
    ("#7D8896", "#93A3B8"),
    ("#C78BB8", "#DDAFD4"),
    ("#7A8F3F", "#A3B868"),
    ("#1F4E79", "#A9CDEE"),
    ("#C46A14", "#C77B1F"),
    ("#2B6B4F", "#BFE3D0"),
    ("#7E2C40", "#EDB3C0"),
    ("#8C7A1A", "#9C8C2E"),
    ("#1F6A73", "#B7E2E7"),
    ("#C79A76", "#7D5433"),
    ("#AAB3BF", "#5F6D7F"),
    ("#8F4E80", "#A7639A"),
    ("#B3C57C", "#6A7D33"),
)
LEAST_CONTRAST = 3.0  # of a mark with its ground, WCAG 2.1 §1.4.11


def _luminance(shade: str) -> float:
    parts = [int(shade[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours written #RRGGBB, 1 to 21 (WCAG 2.1)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def edge(place: int, column: int) -> str:
    """Return the shade that rims a class's marks: its own, or one far enough from the ground where its own is not."""
    own, away = CLASS_FILL[place][column], 255 * column
    for step in range(0, 101, 2):
        parts = [int(own[i : i + 2], 16) for i in (1, 3, 5)]
        shade = "#" + "".join(f"{round(c + (away - c) * step / 100):02X}" for c in parts)
        if min(contrast(shade, SHADES[ground][column]) for ground in GROUNDS) >= LEAST_CONTRAST:
            return shade
    return SHADES["ink"][column]


GROUNDS = ("page", "card", "hatch-ground")
RIMMED = [k for k in range(len(CLASS_FILL)) if any(edge(k, column) != CLASS_FILL[k][column] for column in (0, 1))]


def _variables(column: int) -> str:
    shades = [f"--{name}:{pair[column]}" for name, pair in SHADES.items()]
    shades += [f"--c{k}:{pair[column]}" for k, pair in enumerate(CLASS_FILL)]
    shades += [f"--t{k}:{pair[column]}" for k, pair in enumerate(CLASS_TEXT)]
    shades += [f"--e{k}:{edge(k, column)}" for k in RIMMED]
    return ";".join(shades)


RIMS = "".join(f".penumbra [fill='var(--c{k})']{{stroke:var(--e{k});stroke-width:1}}" for k in RIMMED)

# Where the system sets the colours, text, frames and ways follow it; the classes keep theirs, with a rim.
FORCED = {
    "page": "Canvas", "card": "Canvas", "ink": "CanvasText", "second": "CanvasText", "third": "CanvasText",
    "border": "CanvasText", "hair": "Canvas", "ribbon": "Canvas", "grey-bar": "GrayText", "unsure": "CanvasText",
    "zone": "transparent", "control": "Highlight", "lit": "Highlight", "hatch-ground": "Canvas",
    "hatch-line": "GrayText", "t0": "CanvasText", "t1": "CanvasText",
}  # fmt: skip


STYLE = (
    f".penumbra{{{_variables(0)};font-family:{FONT};font-size-adjust:{X_HEIGHT};font-variant-numeric:tabular-nums}}"
    f"@media (prefers-color-scheme:dark){{.penumbra[data-theme=auto]{{{_variables(1)}}}}}"
    f".penumbra[data-theme=dark]{{{_variables(1)}}}"
    f"@media print{{.penumbra,.penumbra[data-theme]{{{_variables(0)}}}}}"
    "@media (forced-colors:active){.penumbra,.penumbra[data-theme]{forced-color-adjust:none;"
    f"{';'.join(f'--{name}:{shade}' for name, shade in FORCED.items())}}}"
    ".penumbra .band{stroke:CanvasText;stroke-dasharray:2 2}}"
    ".penumbra text{font-size:12px;fill:var(--ink)}"
    ".penumbra .z26{font-size:26px}.penumbra .z18{font-size:18px}.penumbra .z14{font-size:14px}"
    ".penumbra .b{font-weight:650}.penumbra .e{text-anchor:end}.penumbra .m{text-anchor:middle}"
    ".penumbra .i2{fill:var(--second)}.penumbra .i3{fill:var(--third)}.penumbra .u{fill:var(--unsure)}"
    ".penumbra .t0{fill:var(--t0)}.penumbra .t1{fill:var(--t1)}"
    ".penumbra .halo{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}"
    ".penumbra .on-hatch{paint-order:stroke;stroke:var(--hatch-ground);stroke-width:5px;stroke-linejoin:round}"
    ".penumbra .frame{fill:var(--card);stroke:var(--border);stroke-width:1}"
    ".penumbra .on-path .frame{stroke:var(--control);stroke-width:2.5}"
    ".penumbra .differs{stroke:var(--ink);stroke-width:1.4}"
    ".penumbra .hatch{stroke:var(--grey-bar);stroke-width:.8}"
    ".penumbra .unanswered{stroke:var(--third);stroke-dasharray:4 3}"
    ".penumbra .picked{stroke:var(--control);stroke-width:2.5}"
    ".penumbra .hair{stroke:var(--hair);stroke-width:1}.penumbra .axis{stroke:var(--third);stroke-width:1}"
    f"{RIMS}"
    ".penumbra .band{fill:var(--zone)}.penumbra .cut{stroke:var(--ink);stroke-width:1.5}"
    ".penumbra .bell{fill:none;stroke:var(--unsure);stroke-width:1.5}"
    ".penumbra .ribbon{fill:none;stroke:var(--ribbon)}.penumbra .rim{stroke:var(--grey-bar)}"
    ".penumbra .ribbon.lit,.penumbra .ribbon.on{stroke:var(--lit)}"
    ".penumbra .pale{fill:var(--ribbon);stroke:var(--grey-bar);stroke-width:.8}"
    ".penumbra .lit{fill:var(--lit)}.penumbra .ribbon.lit{fill:none}"
    ".penumbra .trace{fill:none;stroke:var(--grey-bar);stroke-width:1.2;stroke-dasharray:1.5 3}"
    ".penumbra .node{cursor:pointer}.penumbra .node:focus{outline:none}"
    ".penumbra .node:focus-visible{outline:2.5px solid var(--control);outline-offset:1px}"
    ".penumbra .dim text,.penumbra text.dim{fill:var(--third);font-weight:400}"
    ".penumbra .dim .frame,.penumbra .dotted{stroke:var(--third);stroke-dasharray:1.5 3}"
    ".penumbra .dim:hover text{fill:var(--ink)}"
    ".penumbra .mark{fill:#fff;paint-order:stroke;stroke:#1F2630;stroke-width:2.4px}"
    ".penumbra .ribbon.may{stroke:var(--control);stroke-opacity:.6}.penumbra .tst{fill:var(--control)}"
    ".penumbra .back rect[fill^='var(--c']:not([fill='var(--card)']),.penumbra .back path,.penumbra .back circle"
    "{opacity:.35}.penumbra .fold{cursor:pointer}.penumbra .fold:focus{outline:none}"
    ".penumbra .fold circle{fill:var(--card);stroke:var(--third)}.penumbra .fold path,.penumbra .sign{fill:none;"
    "stroke:var(--ink);stroke-width:1.5}.penumbra .fold:hover circle{stroke:var(--control);stroke-width:2}"
    ".penumbra .fold:focus-visible circle{stroke:var(--control);stroke-width:2.5}"
    "@media print{.penumbra .fold{display:none}}"
    ".penumbra .trace.on{stroke:var(--lit)}.penumbra .far{display:none}"
    ".penumbra.distant .near,.penumbra.distant .node text{display:none}.penumbra.distant .far{display:inline}"
)


@dataclass(frozen=True)
class View:
    """What the reader chose to see of a tree.

    Attributes
    ----------
    classes : the tree's classes, in order; colours follow this order.
    leaf_answers : one per leaf in tree order: a class, None (abstains) or a frozenset.
    decision, tau : the decision rule and its confidence.
    positive : the class whose probability is printed with two classes (None: the second).
    units, variable_names : by variable. class_names : by class.
    selected : the chosen node. collapsed : nodes whose subtrees are folded. depth_limit : fold below this depth.
    set_back : leaves that the reader filtered out, with the reason in few words; they are drawn, but dimmed.
    foldable : draw a mark on every split that folds or opens its subtree.
    width : the wanted width in pixels; a wide tree is drawn wider and scrolls.
    """

    classes: tuple[Any, ...] = ()
    leaf_answers: tuple[Any, ...] = ()
    decision: str = "argmax"
    tau: float = 0.7
    positive: Any = None
    units: Mapping[str, str] = field(default_factory=dict)
    class_names: Mapping[Any, str] = field(default_factory=dict)
    variable_names: Mapping[str, str] = field(default_factory=dict)
    selected: int | None = None
    collapsed: frozenset[int] = frozenset()
    depth_limit: int | None = None
    set_back: Mapping[int, str] = field(default_factory=dict)
    foldable: bool = False
    width: float = 808.0

    @staticmethod
    def open_depth(tree: Tree) -> int | None:
        """Return the depth at which a tree opens: 3 when it is deep or has many leaves, else all of it (None).

        Less where its many branches would still stand in more than 40 slots.
        """
        if tree.max_depth <= DEEP and tree.n_leaves <= MANY_LEAVES:
            return None
        slots = [sum(d == at or (d < at and not n) for d, n in _shapes(tree)) for at in range(OPEN_AT_DEPTH + 1)]
        return max([at for at in range(1, OPEN_AT_DEPTH + 1) if slots[at] <= MANY_LEAVES], default=1)

    @staticmethod
    def folds(tree: Tree, limit: int | None, shown: Collection[int]) -> frozenset[int]:
        """Return the nodes to fold where a tree opens at a depth: all from there down but those to be shown."""
        deep = [] if limit is None else np.flatnonzero((tree.depth >= limit) & (tree.n_children > 0)).tolist()
        return frozenset(node for node in deep if node not in shown)

    @property
    def several(self) -> bool:
        """Whether there are three or more classes, which then carry letters."""
        return len(self.classes) > 2

    @property
    def positive_index(self) -> int:
        """The class whose probability is printed when there are two."""
        if self.positive is not None and self.positive in self.classes:
            return self.classes.index(self.positive)
        return min(1, len(self.classes) - 1)

    def variable(self, name: str) -> str:
        """Return a variable's display name."""
        return contained(str(self.variable_names.get(name, name)))

    def quoted(self, name: str) -> str:
        """Return a display name for the middle of a sentence, where the column's own capital would look like a slip."""
        return f"“{self.variable(name)}”"

    def class_name(self, name: Any) -> str:
        """Return a class's display name."""
        return contained(str(self.class_names.get(name, name)))

    def class_index(self, answer: Any) -> int | None:
        """Return the place of a single-class answer, None for an abstention or a set of several."""
        if isinstance(answer, (set, frozenset)):
            if len(answer) != 1:
                return None
            answer = next(iter(answer))
        return None if answer is None or answer not in self.classes else self.classes.index(answer)

    def answer(self, answer: Any) -> str:
        """Return an answer in words; with three or more classes each class carries its letter."""
        if answer is None:
            return "abstains"
        if isinstance(answer, (set, frozenset)):
            members = [c for c in self.classes if c in answer]
            return " or ".join(self.lettered(self.classes.index(c)) for c in members) or "no class"
        place = self.class_index(answer)
        return str(answer) if place is None else self.lettered(place)

    def spoken(self, answer: Any) -> str:
        """Return an answer for the middle of a sentence: the class's name alone, without its letter."""
        if answer is None:
            return "no answer"
        members = answer if isinstance(answer, (set, frozenset)) else (answer,)
        return " or ".join(self.class_name(c) for c in self.classes if c in members) or "no class"

    def lettered(self, place: int) -> str:
        """Return a class name, after its letter when there are three or more classes."""
        name = self.class_name(self.classes[place])
        return f"{letter(place)} {name}" if self.several else name


def _shapes(tree: Tree) -> list[tuple[int, int]]:
    """The depth and the number of children of every node."""
    return list(zip(tree.depth.tolist(), tree.n_children.tolist(), strict=True))


def letter(place: int) -> str:
    """Return a class's letter: A to Z, then AA, AB, …"""
    return LETTERS[place] if place < 26 else LETTERS[place // 26 - 1] + LETTERS[place % 26]


def fill(place: int) -> str:
    """Return the CSS colour of a class's bars."""
    return f"var(--c{place % len(CLASS_FILL)})"


def ink(place: int | None) -> str:
    """Return the CSS class of a class's words ("" is plain ink)."""
    return "" if place is None or place >= len(CLASS_TEXT) else f"t{place}"


def esc(text: Any) -> str:
    """Escape text that came from data, for element content and attributes; characters XML forbids become signs."""
    return html.escape(visible(str(text), kept="\t\n"), quote=True)


@cache  # of single letters, which tell of nobody
def _advance(character: str) -> float:
    if character in "iIljtfr.,:;'|!()[] /\\-":
        return 0.29
    if character in "mwMW%@—…":
        return 0.80
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.58 if character.isupper() else 0.5


def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """Return about how many pixels a text takes (a little generous)."""
    return sum(map(_advance, text)) * size * (1.06 if bold else 1.0)


def fit(text: str, width: float, size: float = 12, bold: bool = False) -> str:
    """Return the text, cut with an ellipsis when it would be wider than `width` pixels."""
    if text_width(text, size, bold) <= width:
        return text
    used, place = text_width("…", size, bold), 0
    for character in text:  # from the front, for a name of ten thousand letters is cut to thirty
        used += text_width(character, size, bold)
        if used > width:
            break
        place += 1
    return text[:place].rstrip() + "…"


def wrapped(text: str, width: float, lines: int, size: float = 12) -> list[str]:
    """Return the text on at most so many lines, broken between words; what does not go on the last ends in "…"."""
    told, left = [""], text.split(" ")
    while left:
        longer = f"{told[-1]} {left[0]}".strip()
        if told[-1] and text_width(longer, size) > width:
            if len(told) == lines:
                told[-1] = f"{told[-1]} {' '.join(left)}"
                break
            told.append("")
            continue
        told[-1] = longer
        left.pop(0)
    return [fit(line, width, size) for line in told]


def fit_apart(text: str, others: Sequence[str], width: float, size: float = 12, bold: bool = False) -> str:
    """Return the text, cut at the front where it begins as another does, so that the part that differs is kept."""
    if text_width(text, size, bold) <= width:
        return text
    alike = max((_same_start(text, other) for other in others if other != text), default=0)
    return fit(f"…{text[alike:]}" if alike > 2 else text, width, size, bold)


def _same_start(a: str, b: str) -> int:
    return next((i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b)))


def words(x: float, y: float, content: str, style: str = "") -> str:
    """Return a text element; `content` is escaped here."""
    style = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{esc(content)}</text>'


def titled(element: str, title: str) -> str:
    """Return a text element with a title of its own, for a name that was cut."""
    return element.replace("</text>", f"<title>{esc(title)}</title></text>", 1)


def box(x: float, y: float, width: float, height: float, paint: str = "", style: str = "", round_: float = 0) -> str:
    """Return a rectangle, filled with `paint` or styled by a CSS class."""
    extra = (f' fill="{paint}"' if paint else "") + (f' class="{style}"' if style else "")
    extra += f' rx="{round_:g}"' if round_ else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"{extra}/>'


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """Return a straight line styled by a CSS class."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def stroke(x1: float, y: float, x2: float, paint: str, width: float) -> str:
    """Return a level stroke of a stated colour and width."""
    return f'<line x1="{x1:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y:.1f}" stroke="{paint}" stroke-width="{width:g}"/>'


def dot(x: float, y: float, radius: float, paint: str, stroke: str = "var(--card)", width: float = 1.5) -> str:
    """Return a disc with a thin rim."""
    rim = f' stroke="{stroke}" stroke-width="{width:g}"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{paint}"{rim}/>'


def hatched(x: float, y: float, width: float, height: float, round_: float = 0, rim: bool = False) -> str:
    """Return a hatched rectangle: the mark of abstention; with a rim where no frame shows how far it reaches."""
    return box(x, y, width, height, paint="url(#HATCH)", style="hatch" if rim else "", round_=round_)


def on_hatch(x: float, y: float, content: str, style: str = "") -> str:
    """Return a text that clears the hatch around its letters, so that no line runs through them."""
    return words(x, y, content, f"{style} on-hatch".strip())


def sheet(
    width: float,
    height: float,
    body: Sequence[str],
    label: str,
    theme: str = "auto",
    extra: str = "",
    role: str = "group",
) -> str:
    """Return a whole SVG document; `label` says in words what the picture shows.

    The hatch's id is drawn from the body, so that several pictures can share one page. A `role` of "img" hides the
    texts inside from a screen reader: it is for a picture whose label says all of it.
    """
    drawn = "".join(body)
    hatch = f"hatch{zlib.crc32(drawn.encode('utf-8', 'replace')):08x}"
    pattern = (
        f'<defs><pattern id="{hatch}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" fill="var(--hatch-ground)"/>'
        '<line x1="1" y1="0" x2="1" y2="6" stroke="var(--hatch-line)" stroke-width="1.4"/></pattern></defs>'
        if "url(#HATCH)" in drawn
        else ""
    )
    drawn = drawn.replace("url(#HATCH)", f"url(#{hatch})")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="penumbra{" " + extra if extra else ""}" data-theme="{theme}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="{role}" '
        f'aria-label="{esc(label)}"><style>{STYLE}</style>{pattern}{drawn}</svg>'
    )


def flow(items: Sequence[tuple[str, float]], width: float, label: str, row: float = 28.0, gap: float = 20.0) -> str:
    """Return pieces side by side, wrapped into rows; each is drawn on a row of its own height and states its width.

    The page lays them out again for the width it has (`data-width`, `data-row`, `data-gap`).
    """
    x, y, drawn = 2.0, 0.0, []
    for piece, wide in items:
        if x > 2.0 and x + wide > width:
            x, y = 2.0, y + row
        drawn.append(f'<g class="item" data-width="{wide:.1f}" transform="translate({x:.1f} {y:.1f})">{piece}</g>')
        x += wide + gap
    extra = f'flow" data-row="{row:g}" data-gap="{gap:g}'
    return sheet(width, y + row, drawn, label, extra=extra)


def with_theme(svg: str, theme: str) -> str:
    """Return the picture fixed to "light" or "dark", or following the reader's system ("auto")."""
    start = svg.index('data-theme="') + len('data-theme="')
    return svg[:start] + theme + svg[svg.index('"', start) :]
