"""Two buttons that print or save one page of HTML, by the reader's own browser.

In: a self-contained page. Out: nothing comes back. The page travels inside the session, as the pictures do: it is
given no address on the server, as `st.download_button` would give it, and is written nowhere there.
"""

from __future__ import annotations

import streamlit as st

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
export default function ({ data, parentElement }) {
  const find = (act) => parentElement.querySelector(`[data-act=${act}]`);
  find('save').textContent = data.label;
  find('save').onclick = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([data.html], { type: 'text/html;charset=utf-8' }));
    link.download = data.filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  find('print').onclick = () => {
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
    paper.srcdoc = data.html;
    document.body.append(paper);
  };
}
"""

_paper = st.components.v2.component("penumbra_paper", html=HTML, css=CSS, js=JS)


def paper_buttons(html: str, label: str, filename: str, key: str) -> None:
    """Draw "Print one page", and a button named `label` that saves the page under `filename`."""
    _paper(key=key, data={"html": html, "label": label, "filename": filename})
