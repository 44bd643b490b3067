"""How many patients got each pair of answers from two variants, as a picture one can choose a cell of.

In: counts of `engine.contrast.disagreement_of`, answers in words. Out: SVG; on the diagonal both answer alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.draw.sheet import box, esc, fit, sheet, text_width, words
from engine.draw.variant_marks import Lettered, disc

CELL, NARROWEST, GAP, TOP = 34.0, 46.0, 4.0, 48.0


def answer_matrix_svg(
    a: Lettered, b: Lettered, names: Sequence[str], counts: Any, *, chosen: tuple[int, int] | None = None,
    opens: bool = False, width: float = 340,
) -> str:  # fmt: skip
    """Return the matrix: rows by the first variant's answer, columns by the second's.

    Parameters
    ----------
    names : A answers in words. counts : (A, A). chosen : the cell in the reader's slate. opens : whether cells with
        patients are buttons, for the page; a file has none.
    """
    k = len(names)
    left = 26 + min(max(text_width(name) for name in names) + 10, 0.34 * width)
    share = max((width - left) / k, NARROWEST)
    across, tall = left + share * k, TOP + CELL * k + 2
    drawn = [disc(left + share * k / 2, 11, b.place), disc(10, TOP + CELL * k / 2, a.place)]
    for i, name in enumerate(names):
        drawn.append(words(left + share * (i + 0.5), 38, fit(name, share - GAP), "m i2"))
        drawn.append(words(left - 8, TOP + CELL * i + 20, fit(name, left - 34), "e i2"))
    cells, said = [], []
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            n = int(counts[i][j])
            told = f"{a.letter} {one}, {b.letter} {other}: {n:,}"
            said.append(told)
            cells.append(_cell(n, i == j, chosen == (i, j), left + share * j, TOP + CELL * i, share - GAP))
            if opens and n:
                pressed = str(chosen == (i, j)).lower()
                cells[-1] = (
                    f'<g class="cell" role="button" tabindex="0" data-cell="{i} {j}" aria-pressed="{pressed}" '
                    f'aria-label="{esc(told)} {"patient" if n == 1 else "patients"}">{cells[-1]}</g>'
                )
    label = f"Answers of {a.letter} {a.name} by rows, of {b.letter} {b.name} by columns. {'; '.join(said)}."
    shown = [f'<g aria-hidden="true">{"".join(drawn)}</g>', *cells] if opens else [*drawn, *cells]
    return sheet(across, tall, shown, label, role="group" if opens else "img")


def _cell(n: int, same: bool, chosen: bool, x: float, y: float, width: float) -> str:
    frame = box(x + 1, y + 1, width - 2, CELL - GAP - 2, style="frame picked" if chosen else "frame", round_=6)
    if same:
        frame = frame.replace("<rect", '<rect style="fill:var(--hair)"', 1)
    style = "m i2" if not n else "m z14" if same else "m b z14"
    return frame + words(x + width / 2, y + 20, f"{n:,}", style)
