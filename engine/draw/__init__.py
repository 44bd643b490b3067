"""Pictures of trees, patients and numbers: plain results in, SVG, DOT and plotly figures out.

In: trees, evidence, cases, arrays. Out: text of pictures; nothing here opens a file or knows of the web app.
"""

from engine.draw.patient_svg import path_steps, path_svg, patient_legend_svg, patient_svg
from engine.draw.sheet import View, with_theme
from engine.draw.tree_dot import tree_dot
from engine.draw.tree_legend import tree_legend_svg
from engine.draw.tree_svg import tree_svg

__all__ = [
    "View",
    "path_steps",
    "path_svg",
    "patient_legend_svg",
    "patient_svg",
    "tree_dot",
    "tree_legend_svg",
    "tree_svg",
    "with_theme",
]
