"""AOIs and their scores as rows of tables, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from mediaan.types.aoi import Aoi, AoiScore, Box, Sighting, TextFacts

Row = dict[str, Any]


def aoi_row(medium_id: UUID, aoi: Aoi) -> Row:
    """A row of the table ``aois``."""
    text = aoi.text
    return {
        "medium_id": str(medium_id),
        "aoi_id": str(aoi.aoi_id),
        "type": aoi.type,
        "label": aoi.label,
        "source": aoi.source,
        "method": aoi.method,
        "confidence": aoi.confidence,
        **aoi.box._asdict(),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "t0_s": aoi.t0_s,
        "t1_s": aoi.t1_s,
        "text": text.transcription if text else None,
        "line_height_pct": text.line_height_pct if text else None,
        "contrast_ratio": text.contrast_ratio if text else None,
        "legible": text.legible if text else None,
    }


def track_rows(medium_id: UUID, aoi: Aoi) -> Iterator[Row]:
    """Rows of the table ``aoi_tracks``."""
    for sighting in aoi.track:
        yield {
            "medium_id": str(medium_id),
            "aoi_id": str(aoi.aoi_id),
            "t_s": sighting.t_s,
            **sighting.box._asdict(),
            "confidence": sighting.confidence,
        }


def score_rows(medium_id: UUID, scores: Iterable[AoiScore]) -> Iterator[Row]:
    """Rows of the table ``aoi_scores``."""
    for score in scores:
        yield {
            "medium_id": str(medium_id),
            "aoi_id": str(score.aoi_id),
            "metric": score.metric,
            "metric_time": score.time,
            "value": score.value,
            "lo": score.lo,
            "hi": score.hi,
            "unit": score.unit,
            "reason": score.reason,
        }


def aois_of(rows: Iterable[Mapping[str, Any]], tracks: Iterable[Mapping[str, Any]]) -> Iterator[tuple[UUID, Aoi]]:
    """AOIs with their media, from rows of the tables ``aois`` and ``aoi_tracks``."""
    sightings: dict[str, list[Sighting]] = {}
    for row in tracks:
        sightings.setdefault(row["aoi_id"], []).append(Sighting(row["t_s"], _box(row), row["confidence"]))
    for row in rows:
        yield UUID(row["medium_id"]), _aoi(row, tuple(sightings.get(row["aoi_id"], ())))


def scores_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[AoiScore]:
    """Scores from rows of the table ``aoi_scores``."""
    for row in rows:
        yield AoiScore(
            aoi_id=UUID(row["aoi_id"]),
            metric=row["metric"],
            time=row["metric_time"],
            value=row["value"],
            lo=row["lo"],
            hi=row["hi"],
            unit=row["unit"],
            reason=row["reason"],
        )


def _box(row: Mapping[str, Any]) -> Box:
    return Box(row["x0"], row["y0"], row["x1"], row["y1"])


def _aoi(row: Mapping[str, Any], track: tuple[Sighting, ...]) -> Aoi:
    polygon = None if row["polygon"] is None else tuple((x, y) for x, y in row["polygon"])
    text = None
    if row["line_height_pct"] is not None:
        text = TextFacts(row["text"], row["line_height_pct"], row["contrast_ratio"], row["legible"])
    return Aoi(
        aoi_id=UUID(row["aoi_id"]),
        type=row["type"],
        label=row["label"],
        box=_box(row),
        confidence=row["confidence"],
        method=row["method"],
        polygon=polygon,
        text=text,
        t0_s=row["t0_s"],
        t1_s=row["t1_s"],
        track=track,
    )
