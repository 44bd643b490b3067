"""Pictures on the page: the tree one can click, zoom and walk through by keyboard, and pictures that stand still.

In: SVG text from `engine.draw`, every text in it escaped there. Out: the node clicked in this run.
"""

from __future__ import annotations

import zlib

import streamlit as st
from streamlit.errors import StreamlitAPIException

CLEARED = -1
TWINS = 200

CSS = """
:host, .penumbra-view { display: block; min-width: 0; }
.bar { display: flex; gap: 8px; justify-content: flex-end; align-items: center; margin: 0 0 8px; }
.bar button { font: 400 14px var(--st-font, sans-serif);
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color, #D9DDE3); border-radius: 8px;
  min-width: 32px; height: 32px; padding: 0 10px; cursor: pointer; }
.bar button:hover { border-color: var(--st-primary-color); }
.bar button:focus-visible, .frame:focus-visible { outline: 2.5px solid var(--st-primary-color); outline-offset: 1px; }
.frame { overflow: auto; max-width: 100%; touch-action: pan-x pan-y; }
.penumbra-view .frame { border-radius: 8px; }
.frame.held { cursor: grabbing; user-select: none; }
.paper { width: fit-content; }
.penumbra-view .paper { margin: 0 auto; }
.paper svg { display: block; }
@media print { .bar { display: none; } .frame { overflow: visible; max-height: none !important; } }
"""

STARTING = """
const themeOf = (element) => {
  const colour = getComputedStyle(element).getPropertyValue('--st-background-color').trim();
  const hex = /^#([0-9a-f]{6})/i.exec(colour);
  const rgb = /^rgba?\\(\\s*([\\d.]+)[,\\s]+([\\d.]+)[,\\s]+([\\d.]+)/.exec(colour);
  const pairs = [0, 2, 4];
  const parts = hex ? pairs.map((i) => parseInt(hex[1].slice(i, i + 2), 16)) : rgb ? rgb.slice(1, 4).map(Number) : null;
  if (!parts) return 'auto';
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? 'dark' : 'light';
};
"""

STILL_JS = (
    STARTING
    + """
// A legend's text goes on below itself where the page is narrower than it is; returns its number of lines.
const wrapped = (text, room) => {
  if (text.dataset.said === undefined && text.children.length) return 1;
  text.textContent = text.dataset.said ??= text.textContent;
  const x = text.getAttribute('x'), least = Math.max(room - Number(x), 60);
  if (text.getComputedTextLength() <= least) return 1;
  const parts = text.dataset.said.split(' ');
  text.textContent = '';
  const begin = () => {
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'tspan');
    line.setAttribute('x', x);
    if (text.children.length) line.setAttribute('dy', 15);
    return text.appendChild(line);
  };
  let line = begin();
  parts.forEach((word) => {
    const before = line.textContent;
    line.textContent = before ? `${before} ${word}` : word;
    if (before && line.getComputedTextLength() > least) {
      line.textContent = `${before} `;
      line = begin();
      line.textContent = word;
    }
  });
  return text.children.length;
};
const flow = (svg, room) => {
  const row = Number(svg.dataset.row), gap = Number(svg.dataset.gap);
  let x = 2, y = 0, far = 0, tall = row;
  svg.querySelectorAll('.item').forEach((item) => {
    const said = item.querySelector('text'), more = 15 * (wrapped(said, room - 4) - 1);
    const text = said.getBBox(), wide = Math.max(text.x + text.width, 0);
    if (x > 2 && x + wide > room) { x = 2; y += tall; tall = row; }
    item.setAttribute('transform', `translate(${x} ${y})`);
    x += wide + gap;
    far = Math.max(far, x - gap);
    tall = Math.max(tall, row + more);
  });
  svg.setAttribute('width', far + 2); svg.setAttribute('height', y + tall);
  svg.setAttribute('viewBox', `0 0 ${far + 2} ${y + tall}`);
};
export default function ({ data, parentElement }) {
  const frame = parentElement.querySelector('.frame'), paper = frame.querySelector('.paper');
  if (frame.drawn !== data.svg) { paper.innerHTML = data.svg; frame.drawn = data.svg; }
  const svg = paper.querySelector('svg');
  if (!svg) return;
  svg.dataset.theme = themeOf(frame);
  const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
  svg.querySelectorAll('[role=button]').forEach((node) => {
    node.setAttribute('role', 'img');
    ['aria-pressed', 'tabindex'].forEach((name) => node.removeAttribute(name));  // nothing to press, so no stop for Tab
  });
  let seen = false;
  const fit = () => {
    const room = frame.clientWidth;
    if (!room) return;
    if (svg.classList.contains('flow')) { flow(svg, room); return; }
    const zoom = room >= wide ? 1 : room / wide >= 0.72 ? room / wide : 1;
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    const first = svg.querySelector('.node');
    if (!seen && first) {
      seen = true;
      const a = first.getBoundingClientRect(), b = frame.getBoundingClientRect();
      frame.scrollLeft += a.left + a.width / 2 - b.left - b.width / 2;
    }
    const scrolls = { tabindex: '0', role: 'region', 'aria-label': `${svg.getAttribute('aria-label')}; scrolls` };
    Object.entries(scrolls).forEach(([name, value]) => {
      if (wide * zoom > room + 1) frame.setAttribute(name, value); else frame.removeAttribute(name);
    });
  };
  frame.watch?.disconnect();  // a rerun calls this again without the clean-up; an old watcher would fit the old picture
  const watch = (frame.watch = new ResizeObserver(fit));
  watch.observe(frame);
  fit();
  return () => watch.disconnect();
}
"""
)

TREE_JS = (
    STARTING
    + """
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.penumbra-view');
  const frame = root.querySelector('.frame'), paper = root.querySelector('.paper');
  const state = (root.state ??= { zoom: null, drawn: null, seen: false });
  const active = (parentElement.activeElement || document.activeElement)?.dataset?.node;
  if (state.drawn !== data.svg) { paper.innerHTML = data.svg; state.drawn = data.svg; }
  const svg = paper.querySelector('svg');
  if (!svg) return;
  svg.dataset.theme = themeOf(root);
  const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
  const node = (k) => svg.querySelector(`[data-node="${k}"]`);
  const middle = (element) => {
    const a = element.getBoundingClientRect(), b = frame.getBoundingClientRect();
    frame.scrollLeft += a.left + a.width / 2 - b.left - b.width / 2;
  };
  const fitted = () => Math.min(1, frame.clientWidth / wide);
  const show = () => {
    if (!frame.clientWidth) return;
    const opening = fitted() >= 0.72 ? fitted() : 1;
    const zoom = state.zoom === 'fit' ? fitted() : state.zoom ?? opening;
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    svg.classList.toggle('distant', zoom < 0.6);
    frame.style.maxHeight = data.height ? data.height + 'px' : Math.max(tall * opening + 18, 240) + 'px';
    return zoom;
  };
  const set = (zoom) => {
    const x = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
    const y = (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight;
    state.zoom = zoom === 'fit' ? 'fit' : Math.min(3, Math.max(0.15, zoom));
    show();
    frame.scrollLeft = x * frame.scrollWidth - frame.clientWidth / 2;
    frame.scrollTop = y * frame.scrollHeight - frame.clientHeight / 2;
  };
  const current = () => Number(svg.getAttribute('width')) / wide;
  show();
  if (state.wide !== wide) { state.wide = wide; state.seen = false; }  // another tree: its root comes into view
  if (!state.seen && frame.clientWidth) {
    state.seen = true;
    const chosen = svg.querySelector('[aria-pressed=true]') || svg.querySelector('.node');
    if (chosen) middle(chosen);
  }
  if (active !== undefined && node(active)) node(active).focus({ preventScroll: true });

  const light = (event) => {
    const at = event.target.closest?.('.node');
    svg.querySelectorAll('.on').forEach((part) => part.classList.remove('on'));
    if (!at) return;
    at.dataset.path.split(' ').forEach((k) => {
      svg.querySelectorAll(`[data-child="${k}"]`).forEach((part) => part.classList.add('on'));
    });
  };
  svg.onpointerover = light;
  svg.onpointerleave = light;
  svg.onfocusin = light;

  let hold = null, moved = false;
  frame.onpointerdown = (event) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    hold = { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop };
    moved = false;
  };
  frame.onpointermove = (event) => {
    if (!hold) return;
    const dx = event.clientX - hold.x, dy = event.clientY - hold.y;
    if (!moved && Math.hypot(dx, dy) > 4) {
      moved = true;
      frame.classList.add('held');
      frame.setPointerCapture(event.pointerId);
    }
    if (moved) { frame.scrollLeft = hold.left - dx; frame.scrollTop = hold.top - dy; }
  };
  const release = () => { hold = null; frame.classList.remove('held'); };
  frame.onpointerup = release;
  frame.onpointercancel = release;
  frame.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    set(current() * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  };
  svg.onclick = (event) => {
    const at = event.target.closest('.node');
    if (moved || !at) { moved = false; return; }
    at.focus({ preventScroll: true });
    setTriggerValue('clicked', Number(at.dataset.node));
  };

  const step = (at, key) => {
    const family = (k) => [...svg.querySelectorAll(`[data-parent="${k}"]`)];
    if (key === 'ArrowUp') return node(at.dataset.parent);
    if (key === 'ArrowDown') return family(at.dataset.node)[0];
    const row = family(at.dataset.parent), place = row.indexOf(at);
    return row[place + (key === 'ArrowLeft' ? -1 : 1)];
  };
  svg.onkeydown = (event) => {
    const at = event.target.closest('.node');
    if (!at) return;
    if (event.key === 'Enter') { event.preventDefault(); setTriggerValue('clicked', Number(at.dataset.node)); }
    else if (event.key === 'Escape') { event.preventDefault(); setTriggerValue('clicked', -1); }
    else if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const next = step(at, event.key);
      if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
    }
  };

  root.querySelectorAll('.bar button').forEach((button) => {
    button.onclick = () => {
      const act = button.dataset.act;
      if (act === 'in') set(current() * 1.25);
      if (act === 'out') set(current() / 1.25);
      if (act === 'fit') set('fit');
      if (act === 'png') picture();
    };
  });
  const picture = () => {
    const copy = svg.cloneNode(true), scale = 2;
    copy.classList.remove('distant');
    copy.dataset.theme = 'light';
    copy.setAttribute('width', wide * scale); copy.setAttribute('height', tall * scale);
    const text = new XMLSerializer().serializeToString(copy);
    const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = wide * scale; canvas.height = tall * scale;
      const pen = canvas.getContext('2d');
      pen.fillStyle = '#FFFFFF'; pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0);
      URL.revokeObjectURL(url);
      canvas.toBlob((blob) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob); link.download = 'tree.png'; link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
    };
    image.src = url;
  };
  state.watch?.disconnect();  // as above: an old watcher would set the old picture's height
  const watch = (state.watch = new ResizeObserver(show));
  watch.observe(frame);
  return () => watch.disconnect();
}
"""
)

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

_tree = st.components.v2.component("penumbra_tree", html=TREE_HTML, css=CSS, js=TREE_JS)
_still = st.components.v2.component("penumbra_picture", html=STILL_HTML, css=CSS, js=STILL_JS)


def _nothing() -> None:
    """Tell Streamlit that the event exists; the page reads the value itself."""


def tree_view(svg: str, key: str, height: int | None = None) -> int | None:
    """Show a tree that can be clicked, zoomed, dragged, and walked by keyboard (arrows, Enter, Esc).

    Parameters
    ----------
    svg : from `engine.draw.tree_svg`. key : the component's key. height : of the frame in pixels; None fits the tree.

    Returns
    -------
    The node clicked in this run, `CLEARED` (-1) after Esc, None when nothing happened. It is told once: keep it.
    """
    result = _tree(key=key, data={"svg": svg, "height": height}, on_clicked_change=_nothing)
    clicked = result.clicked
    return None if clicked is None else int(clicked)


def svg_view(svg: str, key: str | None = None) -> None:
    """Show a picture that stands still; it shrinks to its column, to 72 % at least, else scrolls in its own frame."""
    if key is not None:
        _still(key=key, data={"svg": svg})
        return
    name = f"picture_{zlib.crc32(svg.encode('utf-8', 'replace')):08x}"
    for twin in range(TWINS):
        try:
            _still(key=f"{name}_{twin}", data={"svg": svg})
            return
        except StreamlitAPIException as failure:
            if "Duplicate" not in type(failure).__name__:
                raise
