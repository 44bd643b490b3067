"""Pictures on the page: the tree one can click, fold, zoom and walk through by keyboard, and pictures that stand still.

In: SVG text from `engine.draw`, every text in it escaped there. Out: the node clicked or folded in this run.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAPIException

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
CLEARED = -1
TWINS = 200


def asset(*names: str) -> str:
    """Return the text of files in `assets`, one after the other."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


TREE_HTML = """
<div class="penumbra-view">
  <div class="bar" role="toolbar" aria-label="Size of the tree">
    <button type="button" data-act="out" aria-label="Smaller" title="Smaller">−</button>
    <button type="button" data-act="in" aria-label="Larger" title="Larger">+</button>
    <button type="button" data-act="fit" title="Fit the whole tree into the frame">Fit</button>
    <button type="button" data-act="png" title="Save the tree as a PNG picture">PNG</button>
  </div>
  <div class="frame"><div class="paper"></div></div>
</div>
"""
STILL_HTML = '<div class="frame"><div class="paper"></div></div>'
TREES_HTML = """
<div class="trees"><div class="letters" role="tablist" aria-label="Trees"></div><div class="panes"></div></div>
"""
COPY_HTML = '<div class="copy"><button type="button"></button><span role="status"></span></div>'

_tree = st.components.v2.component(
    "penumbra_tree", html=TREE_HTML, css=asset("view.css"), js=asset("theme_of.js", "tree_view.js")
)
_still = st.components.v2.component(
    "penumbra_picture",
    html=STILL_HTML,
    css=asset("view.css", "compare.css"),
    js=asset("theme_of.js", "still.js", "still_view.js"),
)
_cells = st.components.v2.component(
    "penumbra_cells",
    html=STILL_HTML,
    css=asset("view.css", "compare.css"),
    js=asset("theme_of.js", "still.js", "pick_view.js"),
)
_trees = st.components.v2.component(
    "penumbra_trees",
    html=TREES_HTML,
    css=asset("view.css", "compare.css"),
    js=asset("theme_of.js", "still.js", "trees_view.js"),
)
_copy = st.components.v2.component("penumbra_copy", html=COPY_HTML, css=asset("view.css"), js=asset("copy.js"))


@dataclass(frozen=True)
class Told:
    """What the reader did to the tree in this run; it is told once, so keep it.

    `clicked` is a node, `CLEARED` after Esc, `folded` a node whose subtree is to be folded or opened; None for nothing.
    """

    clicked: int | None = None
    folded: int | None = None


def _nothing() -> None:
    """Tell Streamlit that the event exists; the page reads the value itself."""


def tree_view(svg: str, key: str, height: int | None = None) -> Told:
    """Show a tree that can be clicked, folded, zoomed, dragged, and walked by keyboard (arrows, Enter, Space, Esc).

    Parameters
    ----------
    svg : from `engine.draw.tree_svg`. key : the component's key. height : of the frame in pixels; None fits the tree.
    """
    data = {"svg": svg, "height": height}
    result = _tree(key=key, data=data, on_clicked_change=_nothing, on_folded_change=_nothing)
    clicked, folded = result.clicked, result.folded
    return Told(None if clicked is None else int(clicked), None if folded is None else int(folded))


def copy_button(label: str, text: str, key: str) -> None:
    """Draw a button that copies a text to the reader's clipboard and says so."""
    _copy(key=key, data={"label": label, "text": text})


def cells_view(svg: str, key: str) -> str | None:
    """Show a picture whose cells can be pressed; return the `data-cell` of the one pressed in this run."""
    picked = _cells(key=key, data={"svg": svg}, on_picked_change=_nothing).picked
    return None if picked is None else str(picked)


def trees_view(trees: Sequence[Mapping[str, str]], across: int, most: int, key: str) -> None:
    """Show trees side by side, as tabs over one of them where the page is narrow.

    Parameters
    ----------
    trees : each with "letter", "name", "told" (how it differs, in words) and "svg". across : how many stand in a row.
    most : with more than this, one row scrolls sideways, and the first stays, and one that the reader holds.
    """
    _trees(key=key, data={"trees": [dict(each) for each in trees], "across": across, "most": most})


def svg_view(svg: str, key: str | None = None) -> None:
    """Show a picture that stands still; it shrinks to its column, to 72 % at least, else scrolls in its own frame."""
    if key is not None:
        _still(key=key, data={"svg": svg})
        return
    name = f"picture_{zlib.crc32(svg.encode('utf-8', 'replace')):08x}"
    for twin in range(TWINS):
        try:
            # By no key, or every field drawn later would have Streamlit gather it; a second one alike needs a name.
            _still(key=f"{name}_{twin}" if twin else None, data={"svg": svg})
            return
        except StreamlitAPIException as failure:
            if "Duplicate" not in type(failure).__name__:
                raise
