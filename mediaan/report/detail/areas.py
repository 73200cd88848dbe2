"""Areas of interest in the data of the page."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.metrics.guide import agreements
from mediaan.report.data.scan import count_distinct, scan
from mediaan.report.detail.tracks import GRID, TICKS
from mediaan.run.tables.rows import aoi_row
from mediaan.types.aoi import AOI_TYPES, Aoi, AoiMethod, AoiType
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.report.data.entries import MediumEntry

TIMES: tuple[Window, ...] = ("total", "start", "end")

_METHODS: Mapping[AoiMethod, str] = {
    "text": "read as text",
    "wording": "recognized by its wording",
    "brand_name": "found by the brand's name",
    "logo_picture": "found by an image of the logo",
    "pack_picture": "found by an image of the pack",
    "word_mark": "looks like a logo, brand unknown",
    "detector": "found by the object detector",
    "drawn": "drawn by a person",
}
_COORDINATE_DIGITS = 5  # so that what is saved again is at the same place
_SCORE_DIGITS = 3


def most_seen_first(aoi: Aoi) -> tuple[float, float]:
    """Sort areas by the share of viewers who see them, those of which it is unknown last."""
    seen = aoi.value("percentage_seen")
    return -(-1.0 if seen is None else seen), -aoi.attention


def area_data(entry: MediumEntry, specs: Sequence[MetricSpec]) -> list[Mapping[str, Any]]:
    """Return the areas of a medium for the page's script; what is absent or null is left out to keep the page light."""
    return [_area_data(entry, aoi, specs) for aoi in entry.areas]


def _area_data(entry: MediumEntry, aoi: Aoi, specs: Sequence[MetricSpec]) -> Mapping[str, Any]:
    names = [spec.name for spec in specs]
    text, track = aoi.text, entry.tracks.get(aoi.aoi_id)
    ranges = entry.area_ranges.get(str(aoi.aoi_id))
    values = {
        "id": str(aoi.aoi_id),
        "type": aoi.type,
        "label": aoi.label,
        "method": "confirmed by a person" if aoi.confirmed else _METHODS.get(aoi.method, aoi.method),
        "box": [round(side, _COORDINATE_DIGITS) for side in aoi.box],
        "polygon": aoi.polygon and [[round(side, _COORDINATE_DIGITS) for side in point] for point in aoi.polygon],
        "confidence": _rounded(aoi.confidence),
        "t0": aoi.t0_s,
        "t1": aoi.t1_s,
        "text": aoi.words,
        "line": _rounded(text.line_height_pct) if text else None,
        "contrast": _rounded(text.contrast_ratio) if text else None,
        "legible": aoi.legible,
        "track": track and track.data(),
        "ranges": ranges and [_by_time([ranges.get((name, time)) for time in TIMES]) for name in names],
    }
    scores = [[_score(aoi.score(name, time)) for time in TIMES] for name in names]
    return {key: value for key, value in values.items() if value is not None} | {"scores": scores}


def _by_time(ranges: list[Any]) -> list[Any] | int:
    return 0 if all(encoded is None for encoded in ranges) else ranges


def _score(score: Score | None) -> list[float] | str | None:
    """Return a value alone, one with its interval, or the reason why there is none."""
    if score is None:
        return None
    if score.value is None:
        return score.reason or "not computed"
    return [round(number, _SCORE_DIGITS) for number in (score.value, *(score.bounds or ()))]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _SCORE_DIGITS)


def agreement_data(metric: str) -> Mapping[str, str]:
    """Return how well a score agrees with people, in words by domain; ``any`` for pictures of every domain."""
    return {grade.domain or "any": grade.text for grade in agreements(metric)}


def areas_data(entries: Iterable[MediumEntry], specs: Sequence[MetricSpec]) -> Mapping[str, Any]:
    """Return what the page's script needs of the areas of all media together."""
    keys = ("name", "title", "unit", "direction", "caption")
    return {
        "metrics": [
            {key: getattr(spec, key) for key in keys}
            | {"high": spec.high if math.isfinite(spec.high) else None, "agreement": agreement_data(spec.name)}
            for spec in specs
        ],
        "times": TIMES,
        "grid": GRID,
        "ticks": TICKS,
        "types": [{"name": name, "title": AREA_TYPES[name].title} for name in AOI_TYPES],
        "version": _version(entries),
    }


def _version(entries: Iterable[MediumEntry]) -> str:
    """Return a hash of the areas: a draft that was begun on other areas cannot be continued."""
    rows = {
        entry.medium_id: [aoi_row(entry.result.medium.medium_id, aoi) for aoi in entry.areas]
        for entry in entries
        if entry.result and entry.areas
    }
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class AreaTypeCount:
    """Media of a run that have an AOI of a type, and such AOIs."""

    type: AoiType
    title: str
    media: int
    areas: int


def count_area_types(run_dir: Path) -> list[AreaTypeCount]:
    """Count the areas of a whole run by type, in the order of `AOI_TYPES`."""
    media: dict[str, list[pa.Array]] = defaultdict(list)
    areas: Counter[str] = Counter()
    for batch in scan(run_dir, "aois", ("medium_id", "type")):
        for name in pc.unique(batch["type"]).to_pylist():
            medium_ids = batch.filter(pc.equal(batch["type"], name))["medium_id"]
            media[name].append(pc.unique(medium_ids))
            areas[name] += len(medium_ids)
    return [
        AreaTypeCount(name, AREA_TYPES[name].title, count_distinct(media[name]), areas[name])
        for name in AOI_TYPES
        if name in media
    ]
