"""Say in words and numbers what a sheet shows of an area, and draw its outline."""

from __future__ import annotations

from mediaan.report.formatting import digits, plus_minus
from mediaan.types.aoi import Aoi, Point
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.metrics import Score

_ONE_DECIMAL_BELOW = 9.95  # %


def area_name(aoi: Aoi) -> str:
    """Return its own words in one line, else the title of its type."""
    title = AREA_TYPES[aoi.type].title
    words = " ".join((aoi.words or aoi.label).split())
    return words if words and words.lower() != title.lower() else title


def percent_text(score: Score | None, moves: float | None = None) -> str:
    """Return a value in % with how far it moves, where that is known; – for none.

    >>> from mediaan.aoi.scoring.specs import ATTENTION
    >>> percent_text(Score.of(ATTENTION, 37.4), 5.8), percent_text(Score.of(ATTENTION, 3.24)), percent_text(None)
    ('37 ± 6 %', '3.2 %', '–')
    """
    if score is None or score.value is None:
        return "–"
    decimals = 1 if 0 < score.value < _ONE_DECIMAL_BELOW else 0
    return f"{f'{digits(score.value, decimals)} {plus_minus(moves, decimals)}'.rstrip()} %"


def first_seen_text(aoi: Aoi) -> str:
    """Return when it is first seen, – where that is unknown."""
    first = aoi.value("first_seen_s")
    return "–" if first is None else f"{digits(first, 1)} s"


def area_label(number: int, aoi: Aoi) -> str:
    """Return the percentage beside its outline; its number where no percentage is known."""
    seen = aoi.value("percentage_seen")
    if seen is None:
        return f"{number}"
    return "<1 %" if 0 < seen < 0.5 else f"{digits(seen, 0)} %"


def outline(aoi: Aoi) -> tuple[Point, ...]:
    """Return the corners of its outline, in unit coordinates."""
    x0, y0, x1, y1 = aoi.box
    return aoi.polygon or ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def svg_points(aoi: Aoi) -> str:
    """Return its outline as an SVG polygon in the unit square has it."""
    return " ".join(f"{x:.4f},{y:.4f}" for x, y in outline(aoi))
