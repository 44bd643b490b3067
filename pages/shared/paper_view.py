"""Two buttons that print or save one page of HTML, by the reader's own browser.

In: how a self-contained page is made. Out: the page, once a button is pressed, made of what is then on the screen. It
travels inside the session, as the pictures do: it is given no address on the server, as `st.download_button` would
give it, and is written nowhere there.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import state

CSS = """
:host { display: block; }
.papers { display: flex; flex-wrap: wrap; gap: 6px; justify-content: var(--papers-at, flex-end); padding-bottom: 4px; }
.papers button { font: 400 14px var(--st-font, sans-serif); color: var(--st-text-color);
  background: var(--st-background-color); border: 1px solid var(--st-border-color, #D9DDE3); border-radius: 8px;
  height: 32px; padding: 0 8px; cursor: pointer; white-space: nowrap; }
.papers button:hover { border-color: var(--st-primary-color); }
.papers button:focus-visible { outline: 2.5px solid var(--st-primary-color); outline-offset: 1px; }
@media (max-width: 640px) { .papers { justify-content: flex-start; } .papers button { min-height: 40px; } }
@media print { .papers { display: none; } }
"""
HTML = """
<div class="papers">
  <button type="button" data-act="print" title="Opens the browser's own print window">Print one page</button>
  <button type="button" data-act="save"></button>
</div>
"""
JS = """
const save = (html, filename) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([html], { type: 'text/html;charset=utf-8' }));
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const print = (html) => {
  document.querySelectorAll('iframe.penumbra-paper').forEach((old) => old.remove());
  const paper = document.createElement('iframe');
  paper.className = 'penumbra-paper';
  paper.title = 'The page to be printed';
  paper.setAttribute('aria-hidden', 'true');
  paper.tabIndex = -1;
  paper.style.cssText = 'position:fixed;right:0;bottom:0;width:0;height:0;border:0;visibility:hidden';
  paper.onload = () => {
    const page = paper.contentWindow;
    page.onafterprint = () => setTimeout(() => paper.remove(), 500);
    page.focus();
    page.print();
  };
  paper.srcdoc = html;
  document.body.append(paper);
};
// A press asks for the page; its name comes back with the page, so that no other run's page is taken for it.
export default function ({ data, parentElement, setTriggerValue }) {
  const find = (act) => parentElement.querySelector(`[data-act=${act}]`);
  const ask = (act, name, wait = 3000) => {
    window.penumbraAsked = { act, name };
    setTriggerValue('asked', name);
    setTimeout(() => {  // a wish that was lost on the way is made again, ever more rarely
      if (window.penumbraAsked?.name === name && parentElement.isConnected) ask(act, name, 2 * wait);
    }, wait);
  };
  // A field that the press leaves hands its value in a moment later; the wish follows it.
  const press = (act) => setTimeout(() => ask(act, `${Date.now()} ${Math.random()}`), 150);
  find('save').textContent = data.label;
  find('save').onclick = () => press('save');
  find('print').onclick = () => press('print');
  const asked = window.penumbraAsked;
  if (!asked || asked.name !== data.asked) return;
  if (!data.html) {  // a later run overtook the one that brought the page
    setTimeout(() => { if (window.penumbraAsked?.name === asked.name) ask(asked.act, asked.name); });
    return;
  }
  delete window.penumbraAsked;
  if (asked.act === 'save') save(data.html, data.filename); else print(data.html);
}
"""

_paper = st.components.v2.component("penumbra_paper", html=HTML, css=CSS, js=JS)


def paper_buttons(make: Callable[[], str], label: str, filename: str, key: str) -> None:
    """Draw "Print one page", and a button named `label` that saves the page under `filename`.

    `make` returns the page as HTML. It is called in the run after a press and in no other: a page costs time that a
    reader who does not print should not wait for.
    """
    asked, due = state.paper_asked()
    try:
        html = make() if due else ""
    except Exception:
        state.forget_paper()  # else it would be printed unasked, once whatever failed is mended
        raise
    data = {"html": html, "asked": asked, "label": label, "filename": filename}

    def ask() -> None:
        state.ask_for_paper(str(st.session_state[key]["asked"]))

    _paper(key=key, data=data, on_asked_change=ask)
    state.paper_is_given()
