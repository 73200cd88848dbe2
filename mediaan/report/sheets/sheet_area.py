"""One area of interest as a sheet shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mediaan.report.detail.areas import SIDES, ReportArea
from mediaan.report.formatting import digits
from mediaan.types.aoi import AoiType
from mediaan.types.area_types import AREA_TYPES

_ONE_DECIMAL_BELOW = 9.95  # %


@dataclass(frozen=True, slots=True)
class SheetArea:
    """One area of interest."""

    number: int  # from 1, the most seen first, as on the page
    type: AoiType
    title: str  # of the type
    name: str  # its own words, else its type
    box: tuple[float, float, float, float]  # x0, y0, x1, y1 in unit coordinates
    polygon: Sequence[tuple[float, float]] | None  # corners, in unit coordinates, where it is no box
    seen: float | None  # share of viewers who see it, %
    attention: float | None  # share of all attention, %
    seen_text: str  # this and the next three as tables show them
    seen_interval: str
    attention_text: str
    first_seen_text: str
    on_screen: str  # when it is visible, in a video; empty in a picture

    @property
    def corners(self) -> Sequence[tuple[float, float]]:
        """Corners of its outline, in unit coordinates."""
        x0, y0, x1, y1 = self.box
        return self.polygon or ((x0, y0), (x1, y0), (x1, y1), (x0, y1))

    @property
    def points(self) -> str:
        """Corners as an SVG polygon in the unit square has them."""
        return " ".join(f"{x:.4f},{y:.4f}" for x, y in self.corners)

    @property
    def label(self) -> str:
        """Percentage beside its outline; its number where no percentage is known."""
        if self.seen is None:
            return f"{self.number}"
        return "<1 %" if 0 < self.seen < 0.5 else f"{digits(self.seen, 0)} %"


def sheet_area(area: ReportArea, number: int) -> SheetArea:
    """Make the area of a sheet, with the number that the page gives it."""

    def bounded(metric: str) -> tuple[float | None, str, str]:
        row = area.scores.get((metric, "total"))
        if row is None or row["value"] is None:
            return None, "–", ""
        has_interval = row["lo"] is not None and row["hi"] is not None
        interval = f"{_percent(row['lo'])}–{_percent(row['hi'])}" if has_interval else ""
        return row["value"], f"{_percent(row['value'])} %", interval

    row, title = area.row, AREA_TYPES[area.row["type"]].title
    text = " ".join((row["text"] or row["label"] or "").split())
    seen, seen_text, seen_interval = bounded("percentage_seen")
    attention, attention_text, _ = bounded("attention")
    first = area.value("first_seen_s")
    x0, y0, x1, y1 = (row[side] for side in SIDES)
    on_screen = "" if row["t0_s"] is None or row["t1_s"] is None else f"{row['t0_s']:.1f}–{row['t1_s']:.1f} s"
    return SheetArea(
        number=number,
        type=row["type"],
        title=title,
        name=text if text and text.lower() != title.lower() else title,
        box=(x0, y0, x1, y1),
        polygon=[(x, y) for x, y in row["polygon"]] if row["polygon"] else None,
        seen=seen,
        attention=attention,
        seen_text=seen_text,
        seen_interval=seen_interval,
        attention_text=attention_text,
        first_seen_text="–" if first is None else f"{digits(first, 1)} s",
        on_screen=on_screen,
    )


def _percent(value: float) -> str:
    return digits(value, 1 if 0 < value < _ONE_DECIMAL_BELOW else 0)
