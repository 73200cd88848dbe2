"""Read what LabelMe, X-AnyLabeling, VIA, CreateML, CVAT, Pascal VOC, COCO and FiftyOne write.

LabelMe and X-AnyLabeling: one JSON file an image. VIA: https://www.robots.ox.ac.uk/~vgg/software/via. CVAT:
https://docs.cvat.ai/docs/manual/advanced/xml_format. Pascal VOC: one XML file an image. COCO, as CVAT and Roboflow
write it, too: https://cocodataset.org/#format-data. FiftyOne: the samples.json of a dataset,
https://docs.voxel51.com/user_guide/export_datasets.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import degrees as to_degrees
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from mediaan.config.aoi_formats.shapes import (
    UNREADABLE,
    Collected,
    Picture,
    ShapeError,
    coco_counts,
    describe,
    ellipse,
    from_mask,
    joined,
    mask_from_image,
    mask_from_runs,
    number,
    polygon,
    rectangle,
    stated_size,
    turned,
)
from mediaan.types.aoi import Point

_CORNERS = ("xmin", "ymin", "xmax", "ymax")

# ---- LabelMe, X-AnyLabeling ------------------------------------------------------------------------------------------

_OUTLINES = ("polygon", "rotation", "quadrilateral", "oriented_rectangle", "rotated_rectangle")


def from_labelme(content: Mapping[str, Any], stem: str) -> Collected:
    """Read a file of LabelMe or X-AnyLabeling, in px of the stated size.

    `stem`: name of the file without its extension, which is that of the image where the file names none.
    """
    collected = Collected()
    name = content.get("imagePath")
    size = stated_size(content.get("imageWidth"), content.get("imageHeight"))
    picture = collected.picture(name if isinstance(name, str) and name else stem, size=size)
    for place, shape in enumerate(content["shapes"] or (), start=1):
        if not isinstance(shape, Mapping):
            collected.reject(picture, f"shape {place}", "is no shape")
            continue
        kind = str(shape.get("shape_type") or "polygon")
        collected.add(picture, f"{kind} {place}", shape.get("label"), partial(_labelme, shape, kind))
    return collected


def _labelme(shape: Mapping[str, Any], kind: str) -> Sequence[Point]:
    points = [(number(x), number(y)) for x, y in shape["points"]]
    if kind in _OUTLINES:
        return polygon(points)
    if kind == "rectangle":
        xs, ys = zip(*points, strict=True)
        return rectangle(min(xs), min(ys), max(xs), max(ys))
    if kind == "circle":
        (cx, cy), *edge = points
        radius = max(((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 for x, y in edge)
        if len(edge) == 3:  # corners of its box
            return ellipse((cx + edge[1][0]) / 2, (cy + edge[1][1]) / 2, radius / 8**0.5, radius / 8**0.5)
        return ellipse(cx, cy, radius, radius)
    if kind == "ellipse":
        (cx, cy), (x1, y1), (x2, y2) = points
        return ellipse(cx, cy, max(abs(x1 - cx), abs(x2 - cx)), max(abs(y1 - cy), abs(y2 - cy)))
    if kind == "mask":
        xs, ys = zip(*points, strict=True)
        return from_mask(mask_from_image(str(shape["mask"])), min(xs), min(ys))
    raise ShapeError("is no area")


# ---- VIA -------------------------------------------------------------------------------------------------------------


def from_via(content: Mapping[str, Any]) -> Collected:
    """Read a project or an export of annotations of VIA 1 or 2, in px."""
    collected = Collected()
    entries = content.get("_via_img_metadata", content)
    for entry in entries.values():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("filename"), str):
            continue
        picture = collected.picture(entry["filename"])
        regions = entry.get("regions") or ()
        for place, region in enumerate(regions.values() if isinstance(regions, Mapping) else regions, start=1):
            add_via_region(collected, picture, place, region.get("shape_attributes"), region.get("region_attributes"))
    return collected


def add_via_region(collected: Collected, picture: Picture, place: int, drawn: Any, attributes: Any) -> None:
    """Add a region of VIA: the shape that it draws, and its attributes."""
    kind = str(drawn.get("name") or "region") if isinstance(drawn, Mapping) else "region"
    collected.add(picture, f"{kind} {place}", _via_label(attributes), lambda: _via(drawn, kind))


def _via(drawn: Mapping[str, Any], kind: str) -> Sequence[Point]:
    if kind == "rect":
        x, y = number(drawn["x"]), number(drawn["y"])
        return rectangle(x, y, x + number(drawn["width"]), y + number(drawn["height"]))
    if kind in ("polygon", "polyline"):
        points = [(number(x), number(y)) for x, y in zip(drawn["all_points_x"], drawn["all_points_y"], strict=True)]
        if kind == "polyline" and points[0] != points[-1]:
            raise ShapeError("is a line, not an area")
        return polygon(points)
    if kind == "circle":
        radius = number(drawn["r"])
        return ellipse(number(drawn["cx"]), number(drawn["cy"]), radius, radius)
    if kind == "ellipse":
        degrees = to_degrees(number(drawn.get("theta") or 0))
        cx, cy, rx, ry = (number(drawn[key]) for key in ("cx", "cy", "rx", "ry"))
        return ellipse(cx, cy, rx, ry, degrees)
    raise ShapeError("is no area")


def _via_label(attributes: Any) -> str:
    """Return the label among the attributes of a region, whatever their author called it."""
    if not isinstance(attributes, Mapping):
        return ""
    order = ("type", "label", "class", "category", "name", "aoi")
    ranks = {name: rank for rank, name in enumerate(order)}
    for key in sorted(attributes, key=lambda key: ranks.get(str(key).lower(), len(order))):
        value = attributes[key]
        if isinstance(value, Mapping):
            value = next((name for name, ticked in value.items() if ticked), "")
        if isinstance(value, str) and value.strip():
            return value
    return ""


# ---- CreateML --------------------------------------------------------------------------------------------------------


def from_createml(content: Sequence[Any]) -> Collected:
    """Read CreateML, which Roboflow writes, too: boxes by their middle, in px."""
    collected = Collected()
    for place, entry in enumerate(content, start=1):
        name = entry.get("image", entry.get("imagefilename")) if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            collected.reject(f"entry {place}", "image", "is not named")
            continue
        picture = collected.picture(name)
        for place, annotation in enumerate(entry.get("annotations") or (), start=1):
            label = annotation.get("label") if isinstance(annotation, Mapping) else None
            collected.add(picture, f"box {place}", label, partial(_centred, annotation))
    return collected


def _centred(annotation: Mapping[str, Any]) -> Sequence[Point]:
    x, y, width, height = (number(annotation["coordinates"][key]) for key in ("x", "y", "width", "height"))
    return rectangle(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


# ---- CVAT and Pascal VOC, in XML -------------------------------------------------------------------------------------


def from_cvat(root: Element) -> Collected:
    """Read CVAT for images 1.1, in px of the stated size; tracks of CVAT for video are named and left out."""
    collected = Collected()
    for image in root.iter("image"):
        if not (name := image.get("name")):
            collected.reject(f"image {image.get('id', '?')}", "entry", "has no name")
            continue
        picture = collected.picture(name, size=stated_size(image.get("width"), image.get("height")))
        for place, shape in enumerate(image, start=1):
            if shape.tag == "tag":
                continue
            kind = f"{shape.tag} {place}"
            collected.add(picture, kind, shape.get("label"), partial(_cvat, shape))
    source = root.findtext("./meta/task/source") or root.findtext("./meta/source") or "the video"
    for track in root.iter("track"):
        collected.reject(source, f"track {track.get('id', '?')} ({track.get('label')})", "counts frames, not seconds")
    return collected


def _cvat(shape: Element) -> Sequence[Point]:
    def value(name: str) -> float:
        if (text := shape.get(name)) is None:
            raise KeyError(name)
        return number(text)

    degrees = number(shape.get("rotation") or 0)
    if shape.tag == "box":
        return rectangle(value("xtl"), value("ytl"), value("xbr"), value("ybr"), degrees)
    if shape.tag == "ellipse":
        return ellipse(value("cx"), value("cy"), value("rx"), value("ry"), degrees)
    if shape.tag == "polygon":
        points = [(number(x), number(y)) for x, y in (pair.split(",") for pair in str(shape.get("points")).split(";"))]
        corners = polygon(points)
        xs, ys = zip(*points, strict=True)
        return turned(corners, degrees, ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2))
    if shape.tag == "mask":
        runs = [int(run) for run in str(shape.get("rle")).split(",")]
        mask = mask_from_runs(runs, int(value("width")), int(value("height")), by_column=False)
        return from_mask(mask, value("left"), value("top"))
    raise ShapeError("is no area")


def from_voc(root: Element, stem: str) -> Collected:
    """Read Pascal VOC, in px of the stated size; turned boxes of roLabelImg, too."""
    collected = Collected()
    size = root.find("size")
    stated = None if size is None else stated_size(size.findtext("width"), size.findtext("height"))
    name = (root.findtext("filename") or "").strip()
    path = (root.findtext("path") or "").strip()
    picture = collected.picture(name or path or stem, size=stated)
    if name and path and PurePosixPath(path.replace("\\", "/")).name == name:
        picture.names.insert(0, path)
    for place, element in enumerate(root.iter("object"), start=1):
        collected.add(picture, f"object {place}", element.findtext("name"), partial(_voc, element))
    return collected


def _voc(shape: Element) -> Sequence[Point]:
    def values(parent: str, names: Iterable[str]) -> list[float] | None:
        box = shape.find(parent)
        if box is None:
            return None
        return [number(text) if (text := box.findtext(name)) is not None else _lacking(name) for name in names]

    outline = shape.find("polygon")
    if outline is not None:
        sides = {child.tag: number(child.text) for child in outline}
        count = len(sides) // 2
        return polygon([(sides[f"x{i}"], sides[f"y{i}"]) for i in range(1, count + 1)])
    if (box := values("robndbox", ("cx", "cy", "w", "h", "angle"))) is not None:
        cx, cy, width, height, angle = box
        degrees = to_degrees(angle)
        return rectangle(cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2, degrees)
    if (box := values("bndbox", _CORNERS)) is not None:
        return rectangle(*box)
    raise ShapeError("has no box")


def _lacking(name: str) -> float:
    raise KeyError(name)


# ---- tables of VIA and of TensorFlow ---------------------------------------------------------------------------------


def from_via_rows(rows: Iterable[Mapping[str, str]]) -> Collected:
    """Read the CSV of VIA 2: a row a region, with what it draws in JSON."""
    collected = Collected()
    for place, row in enumerate(rows, start=1):
        picture = collected.picture(row.get("filename") or row["#filename"])
        try:
            drawn, attributes = (json.loads(row.get(f"{key}_attributes") or "{}") for key in ("region_shape", "region"))
        except ValueError:
            collected.reject(picture, f"region {place}", "is not JSON")
            continue
        if drawn:
            add_via_region(collected, picture, place, drawn, attributes)
    return collected


def from_corner_rows(rows: Iterable[Mapping[str, str]]) -> Collected:
    """Read the CSV of Roboflow for TensorFlow: filename, width, height, class, xmin, ymin, xmax, ymax."""
    collected = Collected()
    for place, row in enumerate(rows, start=1):
        picture = collected.picture(row["filename"], size=stated_size(row.get("width"), row.get("height")))
        collected.add(picture, f"box {place}", row.get("class"), partial(_corners, row))
    return collected


def _corners(row: Mapping[str, str]) -> Sequence[Point]:
    x0, y0, x1, y1 = (number(row[side]) for side in _CORNERS)
    return rectangle(x0, y0, x1, y1)


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
