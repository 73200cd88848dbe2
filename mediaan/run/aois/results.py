"""Write brand and AOI results as the v2 media analysis service gives them, one JSON file each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mediaan.types.aoi import Aoi
from mediaan.types.media import Medium

RESULT_NAMES = ("brand_detection", "brand_detection_metrics", "aoi_scores")


def is_result_file(path: str) -> bool:
    """Return whether a file of maps is one of these results.

    >>> is_result_file("maps/a-4f2a91c000008000/aoi_scores.json"), is_result_file("maps/a-4f2a91c000008000/heat.jpg")
    (True, False)
    """
    return path.rsplit("/", 1)[-1] in {f"{name}.json" for name in RESULT_NAMES}


def aoi_results(medium: Medium, aois: Sequence[Aoi]) -> dict[str, bytes]:
    """Return the contents of the files ``NAME.json``, by name."""
    marks = [aoi for aoi in aois if aoi.type == "branding"]
    detections = [  # where a mark is: at one place, or by sampled instant
        _named(aoi)
        | {
            "source": aoi.source,
            "method": aoi.method,
            "confidence": aoi.confidence,
            "box": list(aoi.box),
            "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
            "t0_s": aoi.t0_s,
            "t1_s": aoi.t1_s,
            "sightings": [{"t_s": s.t_s, "box": list(s.box), "confidence": s.confidence} for s in aoi.track],
        }
        for aoi in marks
    ]
    brands = []  # how often, how large and from when the marks of each label are there, and their scores
    for label in dict.fromkeys(aoi.label for aoi in marks):
        of_label = [aoi for aoi in marks if aoi.label == label]
        areas = [box.area for aoi in of_label for box in ([s.box for s in aoi.track] or [aoi.box])]
        brands.append(
            {
                "brand": label,
                "marks": len(of_label),
                "first_visible_s": None if medium.duration_s is None else min(aoi.t0_s or 0.0 for aoi in of_label),
                "mean_area_pct": 100 * sum(areas) / len(areas),
                "largest_area_pct": 100 * max(areas),
                "scores": {str(aoi.aoi_id): _scores(aoi) for aoi in of_label},
            }
        )
    head = {"media_id": str(medium.medium_id), "name": medium.name, "duration_s": medium.duration_s}
    contents = {
        "brand_detection": head | {"detections": detections},
        "brand_detection_metrics": head | {"brands": brands},
        "aoi_scores": head | {"aois": [_named(aoi) | {"scores": _scores(aoi)} for aoi in aois]},
    }
    return {name: (json.dumps(content, ensure_ascii=False) + "\n").encode() for name, content in contents.items()}


def _scores(aoi: Aoi) -> dict[str, dict[str, Any]]:
    """Return metric → time → value, lo, hi, unit."""
    scores: dict[str, dict[str, Any]] = {}
    for score in aoi.scores:
        values = {"value": score.value, "lo": score.lo, "hi": score.hi, "unit": score.unit}
        scores.setdefault(score.metric, {})[score.time] = values
    return scores


def _named(aoi: Aoi) -> dict[str, Any]:
    return {"uuid": str(aoi.aoi_id), "aoi_type": aoi.type, "label": aoi.label}
