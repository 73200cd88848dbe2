"""Read exports of Label Studio: JSON, JSON-MIN and CSV (https://labelstud.io/guide/export)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from mediaan.config.aoi_formats.shapes import (
    Collected,
    Picture,
    ShapeError,
    Size,
    ellipse,
    from_mask,
    likely_names,
    mask_from_brush,
    mask_from_image,
    number,
    polygon,
    rectangle,
    stated_size,
    turned,
)
from mediaan.types.aoi import Point

_MEDIUM = re.compile(
    r"\.(png|jpe?g|jfif|webp|gif|bmp|tiff?|avif|heic|heif|jp2|jxl|psd|svg|mp4|mov|webm|mkv|avi|m4v|mpe?g|ts|ogv|h26[45])\b",
    re.IGNORECASE,
)
_MEDIUM_KEYS = ("image", "img", "picture", "photo", "ad", "url", "path", "file", "filename", "video", "media", "medium")
_SURPLUS = ("choices", "taxonomy", "rating", "number", "datetime", "pairwise", "textarea", "ranker")
"""Kinds of results that say something of a whole picture, or of a shape that stands beside them."""


def from_tasks(content: Sequence[Any]) -> Collected:
    """Read tasks with annotations, coordinates in % of the picture."""
    collected = Collected()
    for place, task in enumerate(content, start=1):
        if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
            collected.reject(f"task {place}", "entry", "is no task of Label Studio")
            continue
        name = f"task {task.get('id', place)}"
        address = _address(task["data"], task.get("file_upload"))
        if address is None:
            collected.reject(name, "data", "names no picture")
            continue
        picture = collected.picture(address)
        if isinstance(upload := task.get("file_upload"), str):
            picture.names += [form for form in likely_names(upload) if form not in picture.names]
        annotations = task.get("annotations", task.get("completions")) or []
        kept = [
            entry
            for entry in annotations
            if isinstance(entry, Mapping)
            and not (entry.get("was_cancelled") or entry.get("skipped") or entry.get("result") is None)
        ]
        kept.sort(key=lambda entry: not entry.get("ground_truth"))  # stable: otherwise the first that was not skipped
        if not kept:
            picture.annotated = False
            why = "was skipped" if annotations else "has predictions only" if task.get("predictions") else "has none"
            collected.problems.append(f"{address}, annotation of {name} {why}: no areas")
            continue
        if len(kept) > 1:
            collected.problems.append(
                f"{address}, {name} has {len(kept)} annotations: that with id {kept[0].get('id', '?')} is read"
            )
        _add_results(collected, picture, kept[0].get("result") or [])
    return collected


def from_rows(rows: Iterable[Mapping[str, Any]]) -> Collected:
    """Read JSON-MIN, or CSV: a row an annotation, with lists of shapes beside the address of the picture."""
    collected = Collected()
    for place, row in enumerate(rows, start=1):
        shapes = {key: shape for key, value in row.items() if (shape := _shapes(value)) is not None}
        address = _address({key: value for key, value in row.items() if key not in shapes}, None)
        if address is None:
            collected.reject(f"row {place}", "entry", "names no picture")
            continue
        picture = collected.picture(address)
        for values in shapes.values():
            _add_results(collected, picture, [{"value": value, **value} for value in values])
    return collected


def _shapes(value: Any) -> list[Any] | None:
    """Return the shapes of a cell; None where it holds something else."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if isinstance(value, list) and value and all(isinstance(shape, Mapping) for shape in value):
        return value
    return None


def _address(data: Mapping[str, Any], upload: Any) -> str | None:
    """Return the address of the picture among what a task says."""
    texts = {key: value for key, value in data.items() if isinstance(value, str) and value.strip()}

    def likeliness(item: tuple[str, str]) -> tuple[bool, bool, bool]:
        key, value = item
        return bool(_MEDIUM.search(value)), key.casefold() in _MEDIUM_KEYS, "/" in value

    best = max(texts.items(), key=likeliness, default=None)
    if best is not None and any(likeliness(best)):
        return best[1]
    if isinstance(upload, str) and upload:
        return upload
    return best[1] if best is not None and len(texts) == 1 else None


def _add_results(collected: Collected, picture: Picture, results: Sequence[Any]) -> None:
    """Add the shapes of an annotation; results of one id are one shape, with its geometry, label and text."""
    shapes: dict[str, list[Mapping[str, Any]]] = {}
    for place, result in enumerate(results, start=1):
        if not isinstance(result, Mapping):
            collected.reject(picture, f"result {place}", "is no shape")
            continue
        shapes.setdefault(str(result.get("id") or f"number {place}"), []).append(result)
    apart = [(shape_id, parts) for shape_id, results in shapes.items() for parts in _by_geometry(results)]
    for shape_id, parts in apart:
        kinds = list(dict.fromkeys(str(part.get("type") or "shape") for part in parts))
        values = [part["value"] for part in parts if isinstance(part.get("value"), Mapping)]
        drawn = next(((part, kind) for part in parts if (kind := _kind(part.get("value")))), None)
        shape = f"{' and '.join(kinds)} {shape_id}"
        if drawn is None:
            if not all(kind in _SURPLUS for kind in kinds):
                annotated = picture.annotated
                collected.reject(picture, shape, "is no area")
                picture.annotated = annotated and "relation" in kinds
            continue
        result, kind = drawn
        if any(int(number(part.get("image_rotation") or 0)) % 360 for part in parts):
            collected.reject(
                picture, shape, "was drawn on the picture turned in Label Studio; turn it back and draw it again"
            )
            continue
        size = stated_size(result.get("original_width"), result.get("original_height"))
        picture.size = picture.size or size
        label = next((word for value in values for word in _labels(value)), "")
        facts = dict(result.get("meta") or {}) if isinstance(result.get("meta"), Mapping) else {}
        note = facts.get("text")
        facts |= {"name": note[0] if isinstance(note, list) and note else note, "aoi_id": result.get("id")}
        unit = "px" if kind in ("brush", "bitmask") else "unit"
        collected.add(
            picture, shape, label, partial(_points, kind, result["value"], size),
            unit=unit, facts=facts,
        )  # fmt: skip


_GEOMETRY = ("x", "y", "width", "height", "radiusX", "radiusY", "rotation", "points", "rle", "imageDataURL")


def _by_geometry(results: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return results of one id by their geometry; those without any belong to the first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    others = []
    for result in results:
        value = result.get("value")
        if not isinstance(value, Mapping) or _kind(value) is None:
            others.append(result)
            continue
        key = json.dumps([value.get(name) for name in _GEOMETRY], default=str)
        groups.setdefault(key, []).append(result)
    if not groups:
        return [others]
    first, *rest = groups.values()
    return [[*first, *others], *rest]


def _labels(value: Mapping[str, Any]) -> Iterable[str]:
    for key, labels in value.items():
        if key.endswith("labels") and isinstance(labels, list):
            yield from map(str, labels)
        elif key.endswith("labels") and isinstance(labels, str):
            yield labels


def _kind(value: Any) -> str | None:
    """Return which area a value draws; None where it draws none."""
    if not isinstance(value, Mapping):
        return None
    for kind, keys in (
        ("brush", ("rle",)),
        ("bitmask", ("imageDataURL",)),
        ("ellipse", ("x", "y", "radiusX", "radiusY")),
        ("rectangle", ("x", "y", "width", "height")),
    ):
        if all(key in value for key in keys):
            return kind
    points = value.get("points")
    return "polygon" if isinstance(points, list) and value.get("closed", True) is not False else None


def _points(kind: str, value: Mapping[str, Any], size: Size | None) -> Sequence[Point]:
    """Return the corners of a shape, of 0 to 1; px of a mask."""
    if kind in ("brush", "bitmask"):
        if kind == "bitmask":
            return from_mask(mask_from_image(str(value["imageDataURL"])))
        if size is None:
            raise ShapeError("does not say of which size the picture was")
        return from_mask(mask_from_brush(value["rle"], int(size[0]), int(size[1])))
    if kind == "polygon":
        return polygon([(number(x) / 100, number(y) / 100) for x, y in value["points"]])
    degrees = number(value.get("rotation") or 0)
    x, y = number(value["x"]) / 100, number(value["y"]) / 100
    aspect = 1.0
    if degrees % 360:
        if size is None:
            raise ShapeError("is turned, and does not say of which size the picture was")
        aspect = size[1] / size[0]  # turned with sides of equal length, in widths
    if kind == "ellipse":
        rx, ry = number(value["radiusX"]) / 100, number(value["radiusY"]) / 100
        return [(px, py / aspect) for px, py in ellipse(x, y * aspect, rx, ry * aspect, degrees)]
    width, height = number(value["width"]) / 100, number(value["height"]) / 100
    if degrees % 360 == 0:
        return rectangle(x, y, x + width, y + height)
    rectangle(x, y, x + width, y + height)  # refuses one without extent
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    in_widths = turned([(px, py * aspect) for px, py in corners], degrees, (x, y * aspect))
    return [(px, py / aspect) for px, py in in_widths]
