"""Penumbra's front door: page configuration and navigation, and for the server the app that gets ready at once.

In: nothing. Out: the page the reader chose.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.shared import ready

ASSETS = Path(__file__).parent / "assets"


def front() -> None:
    """Open the Data page: Streamlit serves its default page at `/` alone, so no page with a name can be the default."""
    st.switch_page("pages/data.py")


def draw() -> None:
    """Draw the frame, what is still being made ready, and the page."""
    st.set_page_config("Penumbra", str(ASSETS / "mark.svg"), layout="wide", initial_sidebar_state=264)
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "mark.svg"), size="large")
    st.html(ASSETS / "style.css")
    page = st.navigation(
        [
            st.Page(front, title="Penumbra", default=True, visibility="hidden"),
            st.Page("pages/data.py", title="Data"),
            st.Page("pages/noise.py", title="Noise"),
            st.Page("pages/tree.py", title="Tree"),
            st.Page("pages/patient.py", title="Patient"),
            st.Page("pages/compare.py", title="Compare"),
            st.Page("pages/robustness.py", title="Robustness"),
            st.Page("pages/learn.py", title="Learn"),
            st.Page("pages/facts.py", title="Model facts", visibility="hidden"),
        ],
        position="top",
    )
    ready.line()
    from pages.shared import state  # the engine comes with it, so after the words that ask for patience

    state.enter_by_the_front_door()
    page.run()


if __name__ == "__main__":
    draw()
else:  # the server reads this file once, before any browser asks for a page
    app = st.App(__file__, lifespan=ready.ahead)
