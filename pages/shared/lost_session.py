"""What a reader is told when the session is another than before: their file and choices are gone, for nothing is kept.

In: whether this session holds a file or choices of the reader's. Out: a drawn sentence, shown by the browser, which
alone knows that this window belonged to another session. It keeps the session's random number and nothing of the data.
"""

from __future__ import annotations

import secrets

import streamlit as st

from pages.shared import state, words

NUMBER = "penumbra_session"
CSS = """
:host { display: block; }
.lost { position: fixed; top: 64px; left: 50%; transform: translateX(-50%); z-index: 1000; width: min(640px, 92vw);
  display: flex; gap: 16px; align-items: center; padding: 12px 16px; border-radius: 8px; box-sizing: border-box;
  font: 400 14px/1.4 var(--st-font, sans-serif); color: var(--st-text-color);
  background: var(--st-background-color); border: 2px solid var(--st-text-color); }
.lost[hidden] { display: none; }
.lost p { margin: 0; flex: 1; }
.lost button { font: inherit; min-height: 40px; padding: 0 12px; border-radius: 8px; cursor: pointer;
  color: var(--st-text-color); background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color, #D9DDE3); }
.lost button:focus-visible { outline: 2.5px solid var(--st-primary-color); outline-offset: 1px; }
@media print { .lost { display: none; } }
"""
HTML = '<div class="lost" role="alert" hidden><p></p><button type="button">Understood</button></div>'
JS = """
export default function ({ data, parentElement }) {
  const box = parentElement.querySelector('.lost'), KEY = 'penumbra_session';
  let held = null;
  try { held = JSON.parse(sessionStorage.getItem(KEY)); } catch { held = null; }
  const keep = (lost) => {
    box.hidden = !data.sentences[lost];
    if (!box.hidden) box.querySelector('p').textContent = data.sentences[lost];
    sessionStorage.setItem(KEY, JSON.stringify({ session: data.session, own: data.own, lost }));
  };
  const before = held === null ? '' : held.session === data.session ? held.lost : held.own || held.lost;
  keep(data.own === 'file' ? '' : before);
  box.querySelector('button').onclick = () => keep('');
}
"""

_lost = st.components.v2.component("penumbra_lost", html=HTML, css=CSS, js=JS)


def line() -> None:
    """Say that the session before this one is lost, where the window held a file or choices in it."""
    number = st.session_state.setdefault(NUMBER, secrets.token_hex(8))
    own = "file" if state.choices().content is not None else "choices" if state.can_undo() else ""
    with st.container(key="lost_session"):
        _lost(key="lost", data={"session": number, "own": own, "sentences": words.LOST})
