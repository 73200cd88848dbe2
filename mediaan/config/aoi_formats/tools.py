"""Read what LabelMe, X-AnyLabeling, VIA, CreateML, CVAT and Pascal VOC write.

LabelMe and X-AnyLabeling: one JSON file an image. VIA: https://www.robots.ox.ac.uk/~vgg/software/via. CVAT:
https://docs.cvat.ai/docs/manual/advanced/xml_format. Pascal VOC: one XML file an image.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import degrees as to_degrees
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from mediaan.config.aoi_formats.collected import Collected, Picture, number, stated_size
from mediaan.config.aoi_formats.geometry import (
    ShapeError,
    ellipse,
    from_mask,
    mask_from_image,
    mask_from_runs,
    polygon,
    rectangle,
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
