"""Read COCO (https://cocodataset.org/#format-data), as COCO, CVAT and Roboflow write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mediaan.config.aoi_formats.collected import UNREADABLE, Collected, describe, number, stated_size
from mediaan.config.aoi_formats.geometry import (
    ShapeError,
    coco_counts,
    from_mask,
    joined,
    mask_from_runs,
    rectangle,
)
from mediaan.types.aoi import Point

_FACTS = ("name", "aoi_id", "t0_s", "t1_s")


def from_coco(content: Mapping[str, Any]) -> Collected:
    """Read annotations: boxes, turned ones too, polygons and masks, in px of the stated size.

    Raises ValueError: two pictures, or two categories, have the same id: nobody knows which is meant.
    """
    collected = Collected()
    pictures = {}
    for image_id, image in _by_id(content["images"], "images").items():
        size = stated_size(image.get("width"), image.get("height"))
        extra = image.get("extra")
        before = extra.get("name") if isinstance(extra, Mapping) else None
        others = [before] if isinstance(before, str) and before else []
        name = image.get("file_name") or image.get("path") or image.get("coco_url")
        if not isinstance(name, str):
            collected.reject(f"image {image_id}", "entry", "has no file_name")
            continue
        pictures[image_id] = collected.picture(name, *others, size=size)
    categories = _by_id(content.get("categories", ()), "categories")
    labels = {key: str(category.get("name", "")) for key, category in categories.items()}
    for place, annotation in enumerate(content.get("annotations") or (), start=1):
        if not isinstance(annotation, Mapping):
            collected.reject(f"annotation {place}", "entry", "is no annotation")
            continue
        shape = f"annotation {annotation.get('id', f'number {place}')}"
        image_id = _key(annotation.get("image_id"))
        if image_id not in pictures:
            collected.reject("no picture", shape, f"is of image {annotation.get('image_id')!r}, which the file lacks")
            continue
        facts = {key: annotation[key] for key in _FACTS if key in annotation}  # FiftyOne writes them without attributes
        if isinstance(attributes := annotation.get("attributes"), Mapping):
            facts |= attributes
        try:
            corners = _outline(annotation) or _box(annotation)
        except UNREADABLE as error:
            try:
                corners = _box(annotation)
            except UNREADABLE:
                collected.reject(pictures[image_id], shape, describe(error))
                continue
            collected.problems.append(f"{pictures[image_id].name}, {shape} {describe(error)}: its box is read instead")
        collected.add(
            pictures[image_id],
            shape,
            labels.get(_key(annotation.get("category_id")), ""),
            corners,
            facts=facts,
        )
    return collected


def _key(value: Any) -> str:
    """Return an id in one way of writing; tools write 1, "1" and 1.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _by_id(entries: Any, what: str) -> dict[str, Mapping[str, Any]]:
    by_id: dict[str, Mapping[str, Any]] = {}
    place: dict[str, int] = {}
    for at, entry in enumerate(entries, start=1):
        if not isinstance(entry, Mapping):
            continue
        key = _key(entry.get("id"))
        if key in by_id and entry != by_id[key]:
            raise ValueError(f"{what}: entries {place[key]} and {at} have the same id {key}; give each its own")
        by_id.setdefault(key, entry)
        place.setdefault(key, at)
    return by_id


def _outline(annotation: Mapping[str, Any]) -> Sequence[Point]:
    """Return the corners of a mask or of polygons; nothing where there is only a box."""
    outline = annotation.get("segmentation")
    if isinstance(outline, Mapping) and outline:
        height, width = (int(side) for side in outline["size"])
        counts = outline["counts"]
        runs = coco_counts(counts) if isinstance(counts, str) else counts
        return from_mask(mask_from_runs(runs, width, height, by_column=True))
    if isinstance(outline, list) and outline:
        parts = [_pairs(part) for part in (outline if isinstance(outline[0], list) else [outline]) if part]
        corners = joined(parts) if parts else []
        return _upright(corners) or corners
    return ()


def _upright(corners: Sequence[Point]) -> Sequence[Point] | None:
    """Return two corners of an outline that is an upright rectangle, as programs write that read no box alone."""
    xs, ys = sorted({x for x, _ in corners}), sorted({y for _, y in corners})
    if len(corners) != 4 or len(xs) != 2 or len(ys) != 2 or len(set(corners)) != 4:
        return None
    turns = all((a[0] == b[0]) != (a[1] == b[1]) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))
    return [(xs[0], ys[0]), (xs[1], ys[1])] if turns else None


def _box(annotation: Mapping[str, Any]) -> Sequence[Point]:
    if not annotation.get("bbox"):
        raise ShapeError("has neither a box nor an outline")
    x, y, width, height = (number(side) for side in annotation["bbox"])
    if not (width > 0 and height > 0):
        raise ShapeError(f"has a box of {width:g} x {height:g} px")
    attributes = annotation.get("attributes")
    degrees = number(attributes.get("rotation") or 0) if isinstance(attributes, Mapping) else 0.0
    return rectangle(x, y, x + width, y + height, degrees)


def _pairs(flat: Sequence[Any]) -> list[Point]:
    if flat and isinstance(flat[0], (list, tuple)):
        return [(number(x), number(y)) for x, y in flat]
    if len(flat) % 2:
        raise ShapeError("has an outline with an odd number of coordinates")
    sides = [number(side) for side in flat]
    return list(zip(sides[::2], sides[1::2], strict=True))
