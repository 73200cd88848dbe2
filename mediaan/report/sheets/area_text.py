"""Say in words and numbers what a sheet shows of an area, and draw its outline."""

from __future__ import annotations

from mediaan.report.formatting import digits
from mediaan.types.aoi import Aoi, Point
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.metrics import Score

_ONE_DECIMAL_BELOW = 9.95  # %


def area_name(aoi: Aoi) -> str:
    """Return its own words in one line, else the title of its type."""
    title = AREA_TYPES[aoi.type].title
    words = " ".join((aoi.words or aoi.label).split())
    return words if words and words.lower() != title.lower() else title


def percent_text(score: Score | None) -> str:
    """Return a value in %, – for none."""
    return "–" if score is None or score.value is None else f"{_percent(score.value)} %"


def interval_text(score: Score | None) -> str:
    """Return a 90 % interval, such as 52–76; empty without one."""
    return "–".join(map(_percent, score.bounds)) if score and score.value is not None and score.bounds else ""


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


def _percent(value: float) -> str:
    return digits(value, 1 if 0 < value < _ONE_DECIMAL_BELOW else 0)
