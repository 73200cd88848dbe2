"""AOIs and their scores as rows of tables, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from mediaan.types.aoi import Aoi, AoiScore

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
