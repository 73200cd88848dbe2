"""Write AOIs as files that people and annotation tools read; `load_aois` reads each format back."""

from __future__ import annotations

import base64
import csv
import io
import json
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np

from mediaan.config.attributes import escape_formula
from mediaan.errors import UsageError
from mediaan.types.aoi import AOI_TYPES, Aoi, AoiType, Point
from mediaan.types.arrays import Float32
from mediaan.types.media import MediumKind


@dataclass(frozen=True, slots=True)
class AnnotatedMedium:
    """A medium with its AOIs; width and height in px."""

    name: str
    width: int
    height: int
    aois: Sequence[Aoi]
    absent: Collection[AoiType] = ()
    """Types of which a person said that there are none."""
    kind: MediumKind = "image"
    density: Float32 | None = None
    """(h, w). Of attention over the whole exposure, where it is written."""


def to_json(media: Sequence[AnnotatedMedium]) -> str:
    """Write our own format, which loses nothing: AOIs by file name, one a line."""
    blocks = []
    for medium in media:
        none = [{"type": aoi_type, "none": True} for aoi_type in sorted(medium.absent)]
        records = [*map(dump_aoi, medium.aois), *none]
        lines = ",\n".join(f"  {json.dumps(record, ensure_ascii=False)}" for record in records)
        blocks.append(f"{json.dumps(medium.name, ensure_ascii=False)}: [" + (f"\n{lines}\n]" if lines else "]"))
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def dump_aoi(aoi: Aoi) -> dict[str, Any]:
    """Return an AOI as our own format holds it."""
    record: dict[str, Any] = {"type": aoi.type, "label": aoi.label, "box": _rounded(aoi.box)}
    if aoi.polygon:
        record["polygon"] = [_rounded(point) for point in aoi.polygon]
    if aoi.t0_s is not None:
        record["t0_s"] = aoi.t0_s
    if aoi.t1_s is not None:
        record["t1_s"] = aoi.t1_s
    if aoi.track:
        record["track"] = [[t, *_rounded(box), round(confidence, 3)] for t, box, confidence in aoi.track]
    record |= {"aoi_id": str(aoi.aoi_id), "source": aoi.source, "method": aoi.method}
    if aoi.confidence is not None:
        record["confidence"] = round(aoi.confidence, 3)
    if aoi.text and aoi.text.transcription is not None:
        record["text"] = aoi.text.transcription
    return record


def to_csv(media: Sequence[AnnotatedMedium]) -> str:
    """Write a table, one row an AOI; tracks are left out, texts are escaped so that no spreadsheet runs them.

    A medium without AOIs has a row with its name alone.
    """
    out = io.StringIO()
    writer = csv.writer(out)  # line ends of RFC 4180: with others, Python leaves a CR in a text unquoted
    writer.writerow(["name", "type", "label", "x0", "y0", "x1", "y1", "polygon", "t0_s", "t1_s", "aoi_id"])
    for medium in media:
        if not medium.aois:
            writer.writerow([escape_formula(medium.name), *[""] * 10])
        for aoi in medium.aois:
            polygon = " ".join(f"{x:.5f},{y:.5f}" for x, y in aoi.polygon or ())
            times = ("" if t is None else t for t in (aoi.t0_s, aoi.t1_s))
            texts = (escape_formula(text) for text in (medium.name, aoi.type, aoi.label))
            writer.writerow([*texts, *_rounded(aoi.box), polygon, *times, aoi.aoi_id])
    return out.getvalue()


def to_coco(media: Sequence[AnnotatedMedium]) -> str:
    """Write COCO: boxes and outlines in px; what it has no place for is in `attributes`; no tracks."""
    images = [
        {"id": i, "file_name": medium.name, "width": medium.width, "height": medium.height}
        for i, medium in enumerate(media, start=1)
    ]
    annotations: list[dict[str, Any]] = []
    for i, medium in enumerate(media, start=1):
        for aoi in medium.aois:
            x0, y0, x1, y1 = aoi.box
            corners = aoi.polygon or ((x0, y0), (x1, y0), (x1, y1), (x0, y1))  # not all programs read a box alone
            outline = [(x * medium.width, y * medium.height) for x, y in corners]
            left, top = x0 * medium.width, y0 * medium.height
            annotations.append({
                "id": len(annotations) + 1,
                "image_id": i,
                "category_id": AOI_TYPES.index(aoi.type) + 1,
                "bbox": _rounded((left, top, x1 * medium.width - left, y1 * medium.height - top)),
                "area": round(_area(outline), 2),
                "segmentation": [_rounded([side for point in outline for side in point])],
                "iscrowd": 0,
                "attributes": _attributes(aoi) | {"aoi_id": str(aoi.aoi_id)},
            })  # fmt: skip
    categories = [{"id": i, "name": name, "supercategory": "area"} for i, name in enumerate(AOI_TYPES, start=1)]
    content = {
        "info": {"description": "Areas of interest, by mediaan"},
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": categories,
    }
    return json.dumps(content, indent=1) + "\n"


def _area(outline: Sequence[Point]) -> float:
    """Return the area of a polygon by Gauss's formula."""
    following = [*outline[1:], *outline[:1]]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(outline, following, strict=True))) / 2


LABEL_STUDIO_FILES = "/data/local-files/?d="
"""Before the path of a picture, below the folder that Label Studio serves; encoded."""


def to_label_studio(media: Sequence[AnnotatedMedium]) -> str:
    """Write Label Studio tasks with annotations, in % of the image, for the controls `box` and `outline`; what they
    have no place for is in `meta`, without tracks."""
    tasks = []
    value: dict[str, Any]
    for medium in media:
        results = []
        for aoi in medium.aois:
            facts = _attributes(aoi)
            common = {
                "id": str(aoi.aoi_id),
                "meta": {"text": [name]} | facts if (name := facts.pop("name", "")) else facts,
                "to_name": "image",
                "original_width": medium.width,
                "original_height": medium.height,
                "image_rotation": 0,
            }
            if aoi.polygon:
                points = [[round(x * 100, 4), round(y * 100, 4)] for x, y in aoi.polygon]
                value = {"points": points, "closed": True, "polygonlabels": [aoi.type]}
                results.append(common | {"from_name": "outline", "type": "polygonlabels", "value": value})
            else:
                sides = (aoi.box.x0, aoi.box.y0, aoi.box.width, aoi.box.height)
                named = dict(zip(("x", "y", "width", "height"), (round(side * 100, 4) for side in sides), strict=True))
                value = named | {"rotation": 0, "rectanglelabels": [aoi.type]}
                results.append(common | {"from_name": "box", "type": "rectanglelabels", "value": value})
        address = LABEL_STUDIO_FILES + quote(medium.name)
        tasks.append({"data": {"image": address}, "annotations": [{"result": results}]})
    return json.dumps(tasks, indent=1) + "\n"


def to_fiftyone(media: Sequence[AnnotatedMedium]) -> str:
    """Write the samples.json of a dataset of FiftyOne: areas, outlines and the density of images, without videos."""
    samples = []
    for medium in media:
        if medium.kind != "image":
            continue
        sample: dict[str, Any] = {"filepath": medium.name}
        boxes, outlines = [], []
        for aoi in medium.aois:
            facts = {"label": aoi.type, "aoi_id": str(aoi.aoi_id), "tags": [], **_attributes(aoi)}
            if aoi.polygon:
                points = [[_rounded(point) for point in aoi.polygon]]
                outlines.append({"_cls": "Polyline", **facts, "points": points, "closed": True, "filled": True})
            else:
                bounds = _rounded((*aoi.box[:2], aoi.box.width, aoi.box.height))
                boxes.append({"_cls": "Detection", **facts, "bounding_box": bounds})
        sample |= {"areas": {"_cls": "Detections", "detections": boxes}}
        sample |= {"outlines": {"_cls": "Polylines", "polylines": outlines}}
        if medium.density is not None:
            sample["heat"] = {"_cls": "Heatmap", "map": _packed(medium.density), "range": [0.0, 255.0], "tags": []}
        samples.append(sample)
    return json.dumps({"samples": samples}) + "\n"


def _packed(density: Float32) -> dict[str, Any]:
    """Return a density as FiftyOne keeps arrays, in 256 steps from none to its peak."""
    array = io.BytesIO()
    np.save(array, np.round(density * (255 / density.max())).astype(np.uint8))
    return {"$binary": {"base64": base64.b64encode(zlib.compress(array.getvalue())).decode(), "subType": "00"}}


EXPORT_FORMATS: Mapping[str, Callable[[Sequence[AnnotatedMedium]], str]] = {
    "json": to_json,
    "csv": to_csv,
    "coco": to_coco,
    "labelstudio": to_label_studio,
    "fiftyone": to_fiftyone,
}
OWN_FORMATS = ("json", "csv")


def export_aois(media: Sequence[AnnotatedMedium], format: str) -> str:
    """Return the text of a file that holds the AOIs of media.

    Raises UsageError: there is no such format.
    """
    if format not in EXPORT_FORMATS:
        raise UsageError(f"no format {format!r}; there are {', '.join(EXPORT_FORMATS)}", code="unknown_format")
    return EXPORT_FORMATS[format](media)


def _attributes(aoi: Aoi) -> dict[str, Any]:
    """Return the name and times of an AOI, as far as there are any; to other programs, its label is its type."""
    facts = {"name": aoi.label or None, "t0_s": aoi.t0_s, "t1_s": aoi.t1_s}
    return {name: value for name, value in facts.items() if value is not None}


def _rounded(numbers: Sequence[float], digits: int = 5) -> list[float]:
    return [round(number, digits) for number in numbers]
