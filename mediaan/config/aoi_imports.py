"""What annotation tools export, as records of AOIs by file name.

COCO: https://cocodataset.org/#format-data. Label Studio: https://labelstud.io/guide/export (JSON). LabelMe: one JSON
file a picture. Labels that are no AOI type become ``other`` and keep their name.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mediaan.config.aoi_record import type_of
from mediaan.config.spreadsheet import unguarded

Record: TypeAlias = Mapping[str, Any]
Records: TypeAlias = Mapping[str, Sequence[Record]]

_COLUMNS = {"name", "type", "label", "x0", "y0", "x1", "y1", "polygon", "unit", "t0_s", "t1_s", "aoi_id"}
_UPLOAD_PREFIX = re.compile(r"^[0-9a-f]{8}-")


def from_csv(text: str) -> Records:
    """AOIs of a CSV with the columns name, type, x0, y0, x1, y1, and perhaps label, polygon, unit, t0_s, t1_s, aoi_id.

    A polygon is written ``x,y x,y x,y``. The apostrophe before what a spreadsheet would run as a formula is no part of
    a text.

    Raises
    ------
    ValueError
        A column is missing or unknown, or a number cannot be read.

    Examples
    --------
    >>> from_csv("name,type,x0,y0,x1,y1\\na.png,branding,0,0,.5,.5")
    {'a.png': [{'type': 'branding', 'box': [0.0, 0.0, 0.5, 0.5]}]}
    """
    rows = csv.DictReader(io.StringIO(text))
    columns = set(rows.fieldnames or ())
    if missing := {"name", "type"} - columns:
        raise ValueError(f"lacks the column {sorted(missing)[0]!r}; it needs name, type, x0, y0, x1, y1")
    if unknown := columns - _COLUMNS:
        raise ValueError(f"unknown column {sorted(map(str, unknown))[0]!r}; known: {', '.join(sorted(_COLUMNS))}")
    records: dict[str, list[Record]] = {}
    for line, row in enumerate(rows, start=2):
        try:
            records.setdefault(unguarded(row["name"]), []).append(_csv_record(row))
        except (ValueError, TypeError) as error:
            raise ValueError(f"line {line}: {error}") from error
    return records


def _csv_record(row: Mapping[str, str | None]) -> Record:
    given = {key: value for key, value in row.items() if value not in (None, "")}
    record: dict[str, Any] = {
        key: unguarded(given[key] or "") for key in ("type", "label", "unit", "aoi_id") if key in given
    }
    record |= {key: float(given[key] or "") for key in ("t0_s", "t1_s") if key in given}
    if "polygon" in given:
        record["polygon"] = [[float(side) for side in point.split(",")] for point in (given["polygon"] or "").split()]
    else:
        record["box"] = [float(given.get(key) or "") for key in ("x0", "y0", "x1", "y1")]
    return record


def from_coco(content: Mapping[str, Any]) -> Records:
    """AOIs of a COCO file: boxes and polygons in px; run-length masks become their bounds."""
    names = {image["id"]: _path(image["file_name"]) for image in content["images"]}
    labels = {category["id"]: str(category["name"]) for category in content.get("categories", ())}
    records: dict[str, list[Record]] = {name: [] for name in names.values()}
    for annotation in content["annotations"]:
        label = labels.get(annotation.get("category_id"), "")
        common = _typed(label) | {"unit": "px"}
        polygons = annotation.get("segmentation")
        if isinstance(polygons, list) and len(polygons) == 1 and len(polygons[0]) >= 6:
            flat = polygons[0]
            record = common | {"polygon": [list(p) for p in zip(flat[::2], flat[1::2], strict=True)]}
        else:
            x, y, width, height = annotation["bbox"]
            record = common | {"box": [x, y, x + width, y + height]}
        records[names[annotation["image_id"]]].append(record)
    return _by_name(records)


def from_label_studio(content: Sequence[Any]) -> Records:
    """AOIs of a Label Studio export: rectangles, turned ones too, and polygons in % of the picture."""
    records: dict[str, list[Record]] = {}
    for task in content:
        found = records.setdefault(_label_studio_name(task), [])
        for annotation in (task.get("annotations") or task.get("completions") or ())[:1]:
            for result in annotation.get("result", ()):
                if record := _label_studio_record(result):
                    found.append(record)
    return _by_name(records)


def _label_studio_name(task: Mapping[str, Any]) -> str:
    data = task.get("data", {})
    path = next((value for value in data.values() if isinstance(value, str)), None) or task["file_upload"]
    folder, _, name = _path(path).rpartition("/")
    return f"{folder}/{_UPLOAD_PREFIX.sub('', name)}"


def _label_studio_record(result: Mapping[str, Any]) -> Record | None:
    value = result["value"]
    label = next((value[key][0] for key in ("rectanglelabels", "polygonlabels", "labels") if value.get(key)), "")
    if "points" in value:
        return _typed(label) | {"polygon": [[x / 100, y / 100] for x, y in value["points"]]}
    if "width" not in value:
        return None
    x, y, width, height = (value[key] / 100 for key in ("x", "y", "width", "height"))
    if turned := float(value.get("rotation") or 0) % 360:
        aspect = result["original_height"] / result["original_width"]
        return _typed(label) | {"polygon": _turned(x, y, width, height, turned, aspect)}
    return _typed(label) | {"box": [x, y, x + width, y + height]}


def _turned(x: float, y: float, width: float, height: float, degrees: float, aspect: float) -> list[list[float]]:
    """Corners of a rectangle that is turned clockwise about its top-left corner; lengths scale with the aspect."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    return [[float(x + a * cos - b * aspect * sin), float(y + a / aspect * sin + b * cos)] for a, b in corners]


def from_labelme(content: Mapping[str, Any]) -> Records:
    """AOIs of a LabelMe file: rectangles and polygons in px; circles, lines and points are left out."""
    records: list[Record] = []
    for shape in content["shapes"]:
        common = _typed(str(shape["label"])) | {"unit": "px"}
        points = shape["points"]
        if shape.get("shape_type", "polygon") == "polygon" and len(points) >= 3:
            records.append(common | {"polygon": points})
        elif shape.get("shape_type") == "rectangle":
            xs, ys = zip(*points, strict=True)
            records.append(common | {"box": [min(xs), min(ys), max(xs), max(ys)]})
    return _by_name({_path(content["imagePath"]): records})


def _typed(label: str) -> dict[str, Any]:
    kind = type_of(label)
    return {"type": kind, "label": label if kind == "other" else ""}


def _path(path: str) -> str:
    """A path or address of any system with ``/`` between folders."""
    return path.split("?", 1)[0].replace("\\", "/")


def _by_name(records: Mapping[str, list[Record]]) -> Records:
    """Paths of other machines mean nothing here: the file name alone counts, unless two folders share it."""
    names = Counter(path.rsplit("/", 1)[-1] for path in records)
    return {name if names[name := path.rsplit("/", 1)[-1]] == 1 else path: found for path, found in records.items()}
