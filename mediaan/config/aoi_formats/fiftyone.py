"""Read the samples.json of a dataset of FiftyOne (https://docs.voxel51.com/user_guide/export_datasets.html)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mediaan.config.aoi_formats.collected import Collected, number
from mediaan.config.aoi_formats.geometry import ShapeError, joined, rectangle
from mediaan.types.aoi import Point

OURS = ("areas", "outlines")
"""Fields that our export writes; where a sample has one, its others, such as those of a model, are not read."""

_LISTS = {"Detections": "detections", "Polylines": "polylines"}


def from_samples(samples: Sequence[Any]) -> Collected:
    """Read detections and closed polylines, coordinates in shares of the picture; of a mask its box."""
    collected = Collected()
    for place, sample in enumerate(samples, start=1):
        if not isinstance(sample, Mapping) or not isinstance(sample.get("filepath"), str):
            collected.reject(f"sample {place}", "entry", "has no filepath")
            continue
        picture = collected.picture(sample["filepath"])
        shapes = list(_shapes(sample))
        if not any(field in sample for field in OURS) and not shapes:
            picture.annotated = False
            collected.problems.append(f"{picture.name}, sample {place} has no areas")
        for shape, label in shapes:
            if not isinstance(label, Mapping):
                collected.reject(picture, shape, "is no label")
                continue
            if label.get("mask") or label.get("mask_path"):
                collected.problems.append(f"{picture.name}, {shape} is a mask: its box is read instead")
            points = partial(_polyline if label.get("_cls") == "Polyline" else _detection, label)
            collected.add(picture, shape, label.get("label"), points, unit="unit", facts=label)
    return collected


def _shapes(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield detections and polylines, each with its field and number."""
    fields = [field for field in OURS if field in sample] or [*sample]
    for field in fields:
        value = sample[field]
        kind = value.get("_cls") if isinstance(value, Mapping) else None
        if kind in _LISTS:
            for place, label in enumerate(value.get(_LISTS[kind]) or (), start=1):
                yield f"{field} {place}", label
        elif kind in ("Detection", "Polyline"):
            yield field, value


def _detection(label: Mapping[str, Any]) -> Sequence[Point]:
    x, y, width, height = (number(side) for side in label["bounding_box"])
    return rectangle(x, y, x + width, y + height)


def _polyline(label: Mapping[str, Any]) -> Sequence[Point]:
    if not label.get("closed"):
        raise ShapeError("is an open line")
    return joined([[(number(x), number(y)) for x, y in part] for part in label["points"]])
