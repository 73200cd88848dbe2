"""Areas of interest of a run as the report shows them."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.area_tracks import SIDES, AreaTrack, Key, gather_tracks
from mediaan.report.benchmarks import Benchmarks
from mediaan.report.contents import Row, RunContents
from mediaan.report.scan import distinct, scan
from mediaan.types.aoi import AOI_TYPES, AoiType

TITLES: Mapping[AoiType, str] = MappingProxyType(
    {
        "branding": "Branding",
        "product": "Product",
        "headline_text": "Headline",
        "body_text": "Body text",
        "call_to_action": "Call to action",
        "face": "Face",
        "person": "Person",
        "other": "Other",
    }
)
TIMES = ("total", "start", "end")

_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "text": "read as text",
        "wording": "told by its wording",
        "brand_name": "found by the brand's name",
        "logo_picture": "found by a picture of the logo",
        "word_mark": "set like a logo, brand unknown",
        "detector": "found by the object detector",
        "drawn": "drawn by a person",
    }
)
_PLACES = 5  # digits of a coordinate: what is saved again is at the same place
_ROUGHLY = 3  # digits of a score


@dataclass(frozen=True, slots=True)
class Area:
    """An AOI with its scores.

    Attributes
    ----------
    row : Row
        Of the table of AOIs.
    scores : mapping of (metric, metric_time) to Row
        Of the table of their scores.
    track : AreaTrack or None
        Where it is over time, in a medium that moves.
    """

    row: Row
    scores: Mapping[tuple[str, str], Row]
    track: AreaTrack | None

    def value(self, metric: str) -> float | None:
        """A score of the whole."""
        score = self.scores.get((metric, "total"))
        return None if score is None else score["value"]

    def data(self, metrics: Sequence[Row], benchmarks: Benchmarks) -> Mapping[str, Any]:
        """What the page's script needs; what is absent or null is left out to keep the page light."""
        names = [metric["name"] for metric in metrics]
        row = self.row
        polygon = row["polygon"] and [[round(side, _PLACES) for side in point] for point in row["polygon"]]
        found = {
            "id": row["aoi_id"],
            "type": row["type"],
            "label": row["label"],
            "method": _METHODS.get(row["method"], row["method"]),
            "box": [round(row[side], _PLACES) for side in SIDES],
            "polygon": polygon,
            "confidence": _rounded(row["confidence"]),
            "t0": row["t0_s"],
            "t1": row["t1_s"],
            "text": row["text"],
            "line": _rounded(row["line_height_pct"]),
            "contrast": _rounded(row["contrast_ratio"]),
            "legible": row["legible"],
            "track": self.track and self.track.data(),
            "ranges": benchmarks.of_area(row["medium_id"], row["aoi_id"], names, TIMES),
        }
        scores = [[_score(self.scores.get((metric["name"], time))) for time in TIMES] for metric in metrics]
        return {key: value for key, value in found.items() if value is not None} | {"scores": scores}


@dataclass(frozen=True, slots=True)
class TypeCount:
    """How many media of a run have an AOI of a type, and how many such AOIs there are."""

    type: AoiType
    title: str
    media: int
    areas: int


@dataclass(frozen=True, slots=True)
class Areas:
    """The AOIs of a run.

    Attributes
    ----------
    of : mapping of str to list of Area
        By medium that is shown; the most seen first.
    metrics : sequence of rows
        What their scores mean, as `run.json` says it.
    counts : list of TypeCount
        One for each type that the run has, in the order of `AOI_TYPES`.
    """

    of: Mapping[str, list[Area]]
    metrics: Sequence[Row]
    counts: list[TypeCount] = field(default_factory=list)

    def data(self) -> Mapping[str, Any]:
        """What the page says of all of them together."""
        return {
            "metrics": [_metric(metric) for metric in self.metrics],
            "times": TIMES,
            "types": [{"name": name, "title": TITLES[name]} for name in AOI_TYPES],
            "version": self.version(),
        }

    def of_medium(self, medium_id: str | None, benchmarks: Benchmarks) -> list[Mapping[str, Any]]:
        """AOIs of one medium for the page's script."""
        return [area.data(self.metrics, benchmarks) for area in self.of.get(medium_id or "", [])]

    def version(self) -> str:
        """Changes when AOIs do: what was drawn on others cannot be gone on with."""
        rows = {medium: [area.row for area in areas] for medium, areas in self.of.items()}
        return hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()[:16]


def gather_areas(contents: RunContents) -> Areas:
    """Join the tables of AOIs; an AOI's place in its medium's list is the number that the page gives it."""
    scores: dict[Key, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in contents.aoi_scores:
        scores[row["medium_id"], row["aoi_id"]][row["metric"], row["metric_time"]] = row
    tracks = gather_tracks(contents.aoi_tracks, contents.frames)
    found: dict[str, list[Area]] = defaultdict(list)
    for row in contents.aois:
        key = row["medium_id"], row["aoi_id"]
        found[row["medium_id"]].append(Area(row, scores.get(key, {}), tracks.get(key)))
    of = {medium: sorted(areas, key=_most_seen) for medium, areas in found.items()}
    return Areas(of, contents.run.get("aoi_metrics", ()), _counts(contents.run_dir))


def _most_seen(area: Area) -> tuple[float, float]:
    seen, attention = area.value("percentage_seen"), area.value("attention")
    return -(-1.0 if seen is None else seen), -(attention or 0.0)


def _counts(run_dir: Path) -> list[TypeCount]:
    media: dict[str, list[pa.Array]] = defaultdict(list)
    areas: Counter[str] = Counter()
    for batch in scan(run_dir, "aois", ("medium_id", "type")):
        for name in pc.unique(batch["type"]).to_pylist():
            found = batch.filter(pc.equal(batch["type"], name))["medium_id"]
            media[name].append(pc.unique(found))
            areas[name] += len(found)
    return [TypeCount(name, TITLES[name], distinct(media[name]), areas[name]) for name in AOI_TYPES if name in media]


def _metric(metric: Row) -> Mapping[str, Any]:
    keys = ("name", "title", "unit", "direction", "basis", "caption")
    bounded = math.isfinite(metric["high"])
    return {key: metric[key] for key in keys} | {"high": metric["high"] if bounded else None}


def _score(row: Row | None) -> list[float] | str | None:
    """A value alone, one with its interval, or why there is none."""
    if row is None:
        return None
    if row["value"] is None:
        return row["reason"] or "not computed"
    bounds = [] if row["lo"] is None or row["hi"] is None else [row["lo"], row["hi"]]
    return [round(number, _ROUGHLY) for number in (row["value"], *bounds)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _ROUGHLY)
