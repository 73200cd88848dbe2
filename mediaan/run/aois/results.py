"""Write brand and AOI results as the v2 media analysis service gives them, one JSON file each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.media import Medium

RESULT_NAMES = ("brand_detection", "brand_detection_metrics", "aoi_scores")


def is_result_file(path: str) -> bool:
    """Return whether a file of maps is one of these results.

    Examples
    --------
    >>> is_result_file("maps/a-4f2a91c000008000/aoi_scores.json"), is_result_file("maps/a-4f2a91c000008000/heat.jpg")
    (True, False)
    """
    return path.rsplit("/", 1)[-1] in {f"{name}.json" for name in RESULT_NAMES}


def aoi_results(medium: Medium, aois: Sequence[Aoi], scores: Iterable[AoiScore]) -> dict[str, bytes]:
    """Return the contents of the files ``NAME.json``, by name.

    Parameters
    ----------
    medium : Medium
    aois : sequence of Aoi
    scores : iterable of AoiScore
    """
    by_aoi = _by_aoi(scores)
    brands = [aoi for aoi in aois if aoi.type == "branding"]
    head = {"media_id": str(medium.medium_id), "name": medium.name, "duration_s": medium.duration_s}
    contents = {
        "brand_detection": head | {"detections": [_detection(aoi) for aoi in brands]},
        "brand_detection_metrics": head | {"brands": list(_brands(brands, by_aoi, medium))},
        "aoi_scores": head | {"aois": [_named(aoi) | {"scores": by_aoi.get(str(aoi.aoi_id), {})} for aoi in aois]},
    }
    return {name: (json.dumps(content, ensure_ascii=False) + "\n").encode() for name, content in contents.items()}


def _by_aoi(scores: Iterable[AoiScore]) -> dict[str, dict[str, dict[str, Any]]]:
    """Map AOI → metric → time → value, lo, hi."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for score in scores:
        values = {"value": score.value, "lo": score.lo, "hi": score.hi, "unit": score.unit}
        found.setdefault(str(score.aoi_id), {}).setdefault(score.metric, {})[score.time] = values
    return found


def _named(aoi: Aoi) -> dict[str, Any]:
    return {"uuid": str(aoi.aoi_id), "aoi_type": aoi.type, "label": aoi.label}


def _detection(aoi: Aoi) -> dict[str, Any]:
    """Return where a mark is: at one place, or by sampled instant."""
    return _named(aoi) | {
        "source": aoi.source,
        "method": aoi.method,
        "confidence": aoi.confidence,
        "box": list(aoi.box),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "t0_s": aoi.t0_s,
        "t1_s": aoi.t1_s,
        "sightings": [{"t_s": s.t_s, "box": list(s.box), "confidence": s.confidence} for s in aoi.track],
    }


def _brands(
    aois: Sequence[Aoi], scores: dict[str, dict[str, dict[str, Any]]], medium: Medium
) -> Iterator[dict[str, Any]]:
    """Yield each brand by its label: how often, how large and from when its marks are there, and their scores."""
    for label in dict.fromkeys(aoi.label for aoi in aois):
        marks = [aoi for aoi in aois if aoi.label == label]
        areas = [box.area for aoi in marks for box in ([s.box for s in aoi.track] or [aoi.box])]
        starts = [aoi.t0_s or 0.0 for aoi in marks]
        yield {
            "brand": label,
            "marks": len(marks),
            "first_visible_s": None if medium.duration_s is None else min(starts),
            "mean_area_pct": 100 * sum(areas) / len(areas),
            "largest_area_pct": 100 * max(areas),
            "scores": {str(aoi.aoi_id): scores.get(str(aoi.aoi_id), {}) for aoi in marks},
        }
