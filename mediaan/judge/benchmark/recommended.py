"""Recommended ranges as the v2 media analysis service gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mediaan.metrics.catalogue import METRICS
from mediaan.types.benchmark import BenchmarkRange

_METRICS = {
    name: (metric.part_of or metric.spec.frame_name or name, metric.window if metric.part_of else None)
    for name, metric in METRICS.items()
}
"""Names there, and the time where the name held it; scores of areas are called as here.

The service names engagement by its series over time; of a whole medium it is the series' time-weighted mean, and of a
picture its one value.
"""


def recommended_ranges(ranges: Iterable[BenchmarkRange]) -> dict[str, list[dict[str, Any]]]:
    """Return the ranges of one medium in the shape of the service's RecommendedRanges.

    Every field is required there, so that scores without a recommended range are left out. Areas of one type share one
    entry for each metric and time, with the identifiers of all of them.

    Parameters
    ----------
    ranges : iterable of BenchmarkRange
        Of one medium.

    Returns
    -------
    dict
        `medium`: a list of upper, lower, metric_name, metric_time, score_categorization, score_title; `aois`: a list of
        upper, lower, metric_name, metric_time, aoi_type, uuids.
    """
    medium: dict[tuple[str, str], dict[str, Any]] = {}
    aois: dict[tuple[str, str, str], dict[str, Any]] = {}
    for rating in ranges:
        if rating.lower is None or rating.upper is None:
            continue
        name, time = service_name(rating.metric, rating.metric_time)
        ends = {"upper": rating.upper, "lower": rating.lower, "metric_name": name, "metric_time": time}
        if rating.aoi_type is None:
            titles = {"score_categorization": rating.category, "score_title": rating.score_title}
            medium.setdefault((name, time), ends | titles)
        else:
            entry = aois.setdefault((rating.aoi_type, name, time), ends | {"aoi_type": rating.aoi_type, "uuids": []})
            entry["uuids"].append(rating.aoi_id)
    return {"medium": list(medium.values()), "aois": list(aois.values())}


def service_name(metric: str, metric_time: str) -> tuple[str, str]:
    """Return the name and time of a score in the service.

    >>> service_name("focus_first_two", "start"), service_name("engagement", "total"), service_name("memory", "total")
    (('focus', 'start'), ('engagement_frt', 'total'), ('memory', 'total'))
    """
    name, time = _METRICS.get(metric, (metric, None))
    return name, time or metric_time
