"""Curves to read values off: the gain of every threshold, and who is near one when the noise grows.

In: arrays. Out: plotly figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from engine.draw.sheet import SHADES
from engine.number_words import number_text, percent_text

Curve = tuple[Any, Any]
HEADROOM = 1.6  # soft gains fill this part of the height; an exact curve far above them is cut off
SAME_GAIN = 1e-6
NO_ROOM = 0.42  # of the axis: nearer an end, a label on that side would be cut


def _plain_figure(height: int, dark: bool) -> go.Figure:
    """A figure without ground, so that it sits on either theme."""
    ink, hair = SHADES["second"][dark], SHADES["hair"][dark]
    axis = {"zeroline": False, "automargin": True, "tickfont": {"size": 12, "color": ink}}
    return go.Figure(  # in one call: every later one costs milliseconds
        layout={
            "height": height,
            "margin": {"l": 8, "r": 12, "t": 28, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 12, "color": ink},
            "hovermode": "x unified",
            "legend": {"orientation": "h", "y": -0.2, "x": 0},
            "hoverlabel": {"bgcolor": SHADES["card"][dark], "font": {"color": SHADES["ink"][dark], "size": 12}},
            "xaxis": axis | {"showgrid": False, "linecolor": hair, "tickcolor": hair},
            "yaxis": axis | {"gridcolor": hair, "rangemode": "tozero"},
        }
    )


def gain_curve_figure(
    *,
    exact: Curve | None = None,
    soft: Curve | None = None,
    zone: tuple[float, float] | None = None,
    chosen: float,
    chosen_text: str = "",
    exact_best: float | None = None,
    exact_text: str = "",
    unit: str = "",
    label: str = "Gain in bits",
    soft_search: bool = False,
    soft_name: str = "soft search",
    dark: bool = False,
) -> go.Figure:
    """Return the gain of every threshold: exact search in grey steps, soft in violet, the range shaded, optima marked.

    Parameters
    ----------
    exact, soft : (thresholds, gains). zone : low and high edge of the split's range. chosen : the tree's θ.
    chosen_text, exact_text : θ and the exact optimum as the page prints them.
    soft_search : the tree was grown by soft search, so its curve sets the scale and a far higher exact one is cut off.
    soft_name : what that curve is called, "resampled search" where it counts points.
    """
    figure = _plain_figure(260, dark)
    violet, grey, ink = (SHADES[name][dark] for name in ("unsure", "third", "ink"))
    exact, soft = (None if curve is None or not len(np.asarray(curve[0])) else curve for curve in (exact, soft))
    curves = [curve for curve in (exact, soft) if curve is not None]
    if zone is not None:
        figure.add_vrect(x0=zone[0], x1=zone[1], fillcolor=SHADES["zone"][dark], line_width=0, layer="below")
    for curve, name, style in (
        (exact, "exact search", {"color": grey, "width": 1, "shape": "hvh"}),
        (soft, soft_name, {"color": violet, "width": 2.5}),
    ):
        if curve is not None:
            figure.add_scatter(x=curve[0], y=curve[1], mode="lines", name=name, line=style, hovertemplate="%{y:.4f}")
    figure.add_vline(x=chosen, line_width=1.5, line_color=ink)
    figure.update_layout(
        title={"text": f"{label}, by threshold{f' in {unit}' if unit else ''}", "font": {"size": 12}, "x": 0, "y": 0.98}
    )
    if not curves:
        return figure
    places = np.concatenate([np.asarray(curve[0], dtype=float) for curve in curves])
    room = 0.12 * (float(np.ptp(places)) or 1.0)
    ends = (float(places.min()) - room, float(places.max()) + room)
    figure.update_xaxes(range=ends)
    tops = [float(np.nanmax(np.asarray(curve[1], dtype=float))) for curve in curves]
    top = (
        tops[-1] * HEADROOM if soft_search and len(tops) == 2 and tops[0] > HEADROOM * tops[1] > 0 else max(tops) * 1.18
    )
    figure.update_yaxes(range=[0, top or 1])
    if top < max(tops):
        figure.data[0].name = "exact search, cut off above"
    marks = [(chosen, gain_at(soft or exact, chosen), f"chosen {chosen_text or number_text(chosen, 4)}")]
    colours = [(violet if soft else grey, violet if soft else ink)]
    if exact is not None and exact_best is not None and abs(exact_best - chosen) > 1e-12:
        marks.append(
            (
                exact_best,
                min(gain_at(exact, exact_best), 0.94 * top),
                f"exact {exact_text or number_text(exact_best, 4)}",
            )
        )
        colours.append((grey, SHADES["second"][dark]))
    for mark, (paint, text_paint), side in zip(marks, colours, label_sides(marks, ends), strict=True):
        _mark(figure, mark, side, paint, text_paint, SHADES["card"][dark])
    return figure


def best_thresholds(curve: Curve | None) -> list[float]:
    """Return the threshold of every peak that is as high as the highest but for rounding, from left to right."""
    if curve is None:
        return []
    places, gains = (np.asarray(part, dtype=float) for part in curve)
    level = float(gains.max()) if len(gains) else 0.0
    best = gains >= level - SAME_GAIN * abs(level)
    starts = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    ends = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    return [float(places[(a + b) // 2]) for a, b in zip(starts, ends, strict=True)] if level > 0 else []


def gain_at(curve: Curve | None, x: float) -> float:
    """Return the gain at x, of the nearest candidate."""
    places, gains = (np.asarray(part, dtype=float) for part in curve or ([x], [0.0]))
    return float(gains[int(np.argmin(np.abs(places - x)))])


def label_sides(marks: Sequence[tuple[float, float, str]], ends: tuple[float, float]) -> list[tuple[str, str]]:
    """Return where each label stands beside its mark, (left or right, above or below), so that none is cut or covered.

    Two labels part to the outer sides; one that has no room there turns inward, and then the lower mark's goes below.
    """
    xs = [x for x, _, _ in marks]
    sides = []
    for x, _, _ in marks:
        part = (x - ends[0]) / (ends[1] - ends[0])
        outward = "left" if x < max(xs) or (len(marks) == 1 and part > 0.5) else "right"
        sides.append("right" if part < NO_ROOM else "left" if part > 1 - NO_ROOM else outward)
    lowest = min(range(len(marks)), key=lambda i: marks[i][1])
    same = len(marks) > 1 and len(set(sides)) == 1
    return [(side, "below" if same and i == lowest else "above") for i, side in enumerate(sides)]


def _mark(
    figure: go.Figure, mark: tuple[float, float, str], side: tuple[str, str], paint: str, text_paint: str, ground: str
) -> None:
    """A dot with its label on a plain ground, which the curves do not cross."""
    x, y, text = mark
    figure.add_scatter(
        x=[x], y=[y], mode="markers", marker={"size": 9, "color": paint}, showlegend=False, hoverinfo="skip"
    )
    left, above = side[0] == "left", side[1] == "above"
    figure.add_annotation(
        x=x, y=y, text=text, showarrow=False, font={"color": text_paint}, bgcolor=ground, opacity=0.9, borderpad=1,
        xanchor="right" if left else "left", xshift=-7 if left else 7,
        yanchor="bottom" if above else "top", yshift=2 if above else -2,
    )  # fmt: skip


def larger_noise_figure(factors: Any, shares: Any, *, now: float = 1.0, dark: bool = False) -> go.Figure:
    """Return the share of patients near a threshold while all σ grow together, the tree unchanged.

    Parameters
    ----------
    factors : what every σ is multiplied by. shares : share of patients within 1.96 σ of a threshold, 0 to 1.
    """
    figure, violet = _plain_figure(240, dark), SHADES["unsure"][dark]
    x, y = np.asarray(factors, dtype=float), np.asarray(shares, dtype=float)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": violet, "width": 2.5},
        showlegend=False,
        hovertemplate="× %{x:.1f}: %{y:.0%}",
    )
    if len(x):
        figure.add_vline(x=now, line_width=1.5, line_color=SHADES["control"][dark])
        for factor, colour in ((now, SHADES["control"][dark]), (2 * now, violet)):
            if x.min() <= factor <= x.max():
                share = float(np.interp(factor, x, y))
                figure.add_scatter(
                    x=[factor],
                    y=[share],
                    mode="markers+text",
                    text=[f"× {factor:g}: {percent_text(share)}"],
                    textposition="bottom right",
                    marker={"size": 9, "color": colour},
                    showlegend=False,
                    hoverinfo="skip",
                )
    figure.update_xaxes(title={"text": "all σ together", "font": {"size": 12}}, tickprefix="× ")
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02])
    figure.update_layout(margin={"t": 8})
    return figure
