"""Areas of interest for a fake run, at places and with scores that a test can work out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fake_run import add_facts, medium_id
from fake_video import FPS

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.run.tables.writing import replace_table

HOSTILE_LABEL = '</script><img src=x onerror="alert(\'3\')"> \u2028 O\'Neill & "Sons"'
NOBODY = "Fewer than 5 % of the viewers are predicted to see it."


@dataclass(frozen=True)
class FakeArea:
    """An AOI of the medium `of`; `seen` is its percentage_seen, and the other scores follow from it."""

    number: int
    of: int
    type: str
    box: tuple[float, float, float, float]
    seen: float | None
    label: str = ""
    method: str = "detector"
    polygon: tuple[tuple[float, float], ...] | None = None
    text: str | None = None
    t0_s: float | None = None
    t1_s: float | None = None
    samples: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        return f"00000000-0000-4000-9000-{self.number:012d}"

    def box_at(self, k: int) -> tuple[float, float, float, float]:
        """Return a box that goes right and grows for ten samples, rests, and jumps at sample 15."""
        x0, y0, x1, y1 = self.box
        by = 0.01 * min(k, 10) + (0.2 if k >= 15 else 0.0)
        return x0 + by, y0, x1 + 1.5 * by, y1


LOGO = FakeArea(1, 0, "branding", (0.7, 0.8, 0.95, 0.93), 40.0, HOSTILE_LABEL, "word_mark")
HEADLINE = FakeArea(2, 0, "headline_text", (0.1, 0.1, 0.62, 0.31), 80.0, "Big sale", "text", text="Big\nsale")
BOTTLE = FakeArea(3, 0, "product", (0.2, 0.4, 0.6, 0.9), 62.5, "bottle",
                  polygon=((0.4, 0.4), (0.6, 0.7), (0.45, 0.9), (0.2, 0.65)))  # fmt: skip
FACE = FakeArea(4, 0, "face", (0.3, 0.6, 0.4, 0.72), None)
DRAWN = FakeArea(5, 1, "branding", (0.0, 0.0, 0.5, 0.25), 71.0, "=Acme", "drawn")
SMALL_LOGO = FakeArea(6, 1, "branding", (0.9, 0.9, 1.0, 1.0), 9.0, "Acme")
STILLS = (LOGO, HEADLINE, BOTTLE, FACE, DRAWN, SMALL_LOGO)

RUNNER = FakeArea(10, 100, "person", (0.1, 0.2, 0.3, 0.7), 55.0, "runner", t0_s=2 / FPS, t1_s=21 / FPS,
                  samples=(*range(2, 9), *range(12, 21)))  # fmt: skip
CARD = FakeArea(11, 100, "branding", (0.4, 0.4, 0.6, 0.6), 30.0, "end card", "drawn", t0_s=4.0, t1_s=None)
MOVING = (RUNNER, CARD)


def add_areas(run_dir: Path, areas: Sequence[FakeArea]) -> Path:
    """Give a fake run areas of interest, in the place of those that it has."""
    areas = sorted(areas, key=lambda area: area.of)
    rows = {
        "aois": [_row(area) for area in areas],
        "aoi_tracks": [row for area in areas for row in track_rows(area)],
        "aoi_scores": [row for area in areas for row in _score_rows(area)],
    }
    for name, found in rows.items():
        replace_table(run_dir, name, found)
    add_facts(run_dir, aoi_metrics=[asdict(spec) for spec in AOI_METRICS])
    return run_dir


def scores_of(area: FakeArea, time: str) -> Mapping[str, float | None]:
    """Half as much is seen in the first two seconds, a quarter in the last two."""
    seen = None if area.seen is None else area.seen * {"total": 1, "start": 0.5, "end": 0.25}[time]
    return {
        "percentage_seen": seen,
        "attention": 0.0 if seen is None else seen / 5,
        "time_spent": None if seen is None else 3 - seen / 40,
        "availability": 100.0,
        "relative_attention": 0.0 if seen is None else seen / 5,
        "lift": None if seen is None else seen / 100,
    } | ({"first_seen_s": None if seen is None else 2 - seen / 50} if time == "total" else {})


def track_rows(area: FakeArea) -> list[dict[str, object]]:
    return [
        {"medium_id": medium_id(area.of), "aoi_id": area.id, "t_s": k / FPS, "confidence": 0.6}
        | dict(zip(("x0", "y0", "x1", "y1"), area.box_at(k), strict=True))
        for k in area.samples
    ]


def _row(area: FakeArea) -> dict[str, object]:
    drawn = area.method == "drawn"
    return {
        "medium_id": medium_id(area.of),
        "aoi_id": area.id,
        "type": area.type,
        "label": area.label,
        "source": "drawn" if drawn else "detected",
        "method": area.method,
        "confidence": None if drawn else 0.875,
        **dict(zip(("x0", "y0", "x1", "y1"), area.box, strict=True)),
        "polygon": None if area.polygon is None else [list(point) for point in area.polygon],
        "t0_s": area.t0_s,
        "t1_s": area.t1_s,
        "text": area.text,
        "line_height_pct": None if area.text is None else 9.14,
        "contrast_ratio": None if area.text is None else 7.26,
        "legible": None if area.text is None else True,
    }


def _score_rows(area: FakeArea) -> list[dict[str, object]]:
    units = {spec.name: spec.unit for spec in AOI_METRICS}
    return [
        {
            "medium_id": medium_id(area.of),
            "aoi_id": area.id,
            "metric": metric,
            "metric_time": time,
            "value": value,
            "lo": None if value is None else 0.5 * value,
            "hi": None if value is None else 1.25 * value,
            "unit": units[metric],
            "reason": NOBODY if value is None else None,
        }
        for time in ("total", "start", "end")
        for metric, value in scores_of(area, time).items()
    ]
