"""Read AOIs that people drew: our own JSON, CSV, and exports of COCO, Label Studio and LabelMe.

COCO: https://cocodataset.org/#format-data. Label Studio: https://labelstud.io/guide/export (JSON). LabelMe: one JSON
file an image. Labels that are no AOI type become ``other`` and keep their name.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from unicodedata import normalize

import numpy as np
from pydantic import ValidationError

from mediaan.config.aoi_formats.record import AoiRecord, describe_record_error, parse_aoi_type
from mediaan.config.attributes import unescape_formula
from mediaan.config.path_patterns import matches
from mediaan.errors import UsageError
from mediaan.types.aoi import Drawing
from mediaan.types.arguments import as_path

Record: TypeAlias = Mapping[str, Any]
Records: TypeAlias = Mapping[str, Sequence[Record]]

_COLUMNS = {"name", "type", "label", "x0", "y0", "x1", "y1", "polygon", "unit", "t0_s", "t1_s", "aoi_id"}
_UPLOAD_PREFIX = re.compile(r"^[0-9a-f]{8}-")


def from_csv(text: str) -> Records:
    """Parse AOIs of a CSV with columns name, type, x0, y0, x1, y1, and optionally label, polygon, unit, t0_s, t1_s,
    aoi_id.

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
        given = {key: value for key, value in row.items() if value}
        texts = [key for key in ("type", "label", "unit", "aoi_id") if key in given]
        try:
            record: dict[str, Any] = {key: unescape_formula(given[key]) for key in texts}
            record |= {key: float(given[key]) for key in ("t0_s", "t1_s") if key in given}
            if "polygon" in given:
                record["polygon"] = [[float(side) for side in point.split(",")] for point in given["polygon"].split()]
            else:
                record["box"] = [float(given.get(key, "")) for key in ("x0", "y0", "x1", "y1")]
            records.setdefault(unescape_formula(row["name"]), []).append(record)
        except (ValueError, TypeError) as error:
            raise ValueError(f"line {line}: {error}") from error
    return records


def from_coco(content: Mapping[str, Any]) -> Records:
    """Parse AOIs of a COCO file: boxes and polygons in px; run-length masks become their bounds."""
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
    """Parse AOIs of a Label Studio export: rectangles, rotated ones too, and polygons in % of the image."""
    records: dict[str, list[Record]] = {}
    for task in content:
        texts = (value for value in task.get("data", {}).values() if isinstance(value, str))
        folder, _, name = _path(next(texts, None) or task["file_upload"]).rpartition("/")
        found = records.setdefault(f"{folder}/{_UPLOAD_PREFIX.sub('', name)}", [])
        for annotation in (task.get("annotations") or task.get("completions") or ())[:1]:
            for result in annotation.get("result", ()):
                if record := _label_studio_record(result):
                    found.append(record)
    return _by_name(records)


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
    """Return the corners of a rectangle rotated clockwise about its top-left corner; lengths scale with the aspect."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    return [[float(x + a * cos - b * aspect * sin), float(y + a / aspect * sin + b * cos)] for a, b in corners]


def from_labelme(content: Mapping[str, Any]) -> Records:
    """Parse AOIs of a LabelMe file: rectangles and polygons in px; circles, lines and points are left out."""
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
    kind = parse_aoi_type(label)
    return {"type": kind, "label": label if kind == "other" else ""}


def _path(path: str) -> str:
    """Normalize a path or address of any system to ``/`` between folders."""
    return path.split("?", 1)[0].replace("\\", "/")


def _by_name(records: Mapping[str, list[Record]]) -> Records:
    """Key records by file name alone, unless two folders share it: paths of other machines mean nothing here."""
    names = Counter(path.rsplit("/", 1)[-1] for path in records)
    return {name if names[name := path.rsplit("/", 1)[-1]] == 1 else path: found for path, found in records.items()}


_MOST_BYTES = 500_000_000
_MOST_SHOWN = 20
_MAGIC = frozenset("*?")

EXAMPLE = '{"ad.png": [{"type": "branding", "label": "Acme", "box": [0.7, 0.85, 0.95, 0.97]}]}'


@dataclass(frozen=True)
class AoiFile:
    """AOIs by file name or pattern.

    Attributes
    ----------
    entries : dict of str to tuple of Drawing
        By name, path or pattern.
    sha256 : str
        Of what was read.
    """

    entries: dict[str, tuple[Drawing, ...]]
    sha256: str

    def drawings(self, display_path: str) -> tuple[Drawing, ...] | None:
        """Return the AOIs of a medium by its displayed path; None where no entry matches.

        A name or path goes before patterns; of patterns all that fit count.
        """
        display_path = normalize("NFC", display_path)
        for name in (display_path, display_path.rsplit("/", 1)[-1]):
            if name in self.entries:
                return self.entries[name]
        fitting = [found for key, found in self.entries.items() if _MAGIC & set(key) and matches(key, display_path)]
        if not fitting:
            return None
        return tuple(drawing for found in fitting for drawing in found)

    def unused(self, display_paths: Iterable[str]) -> tuple[str, ...]:
        """Return the entries that match none of the media: probably misspelt."""
        paths = [normalize("NFC", path) for path in display_paths]
        names = {*paths, *(path.rsplit("/", 1)[-1] for path in paths)}
        return tuple(
            key
            for key in self.entries
            if key not in names and not (_MAGIC & set(key) and any(matches(key, path) for path in paths))
        )


def load_aois(path: str | Path) -> AoiFile:
    """Read a file of AOIs, or a folder of LabelMe files.

    Parameters
    ----------
    path : str or Path
        JSON as mediaan writes it (`EXAMPLE`), CSV, or an export of COCO, Label Studio or LabelMe; told by content.

    Raises
    ------
    UsageError
        Naming the file, the medium and the AOI that must change.
    """
    path = as_path(path)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path}: holds no .json file of AOIs", code="aois_invalid")
    digest = hashlib.sha256()
    entries: dict[str, tuple[Drawing, ...]] = {}
    for file in files:
        try:
            if file.stat().st_size > _MOST_BYTES:
                raise UsageError(f"{file}: is larger than {_MOST_BYTES // 1_000_000} MB", code="aois_invalid")
            data = file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: cannot be read: {error.strerror}", code="aois_invalid") from error
        digest.update(data)
        for name, drawings in _entries(file, data).items():
            entries[name] = entries.get(name, ()) + drawings
    return AoiFile(entries, digest.hexdigest())


def _entries(path: Path, data: bytes) -> dict[str, tuple[Drawing, ...]]:
    problems: list[str] = []
    entries: dict[str, tuple[Drawing, ...]] = {}
    for name, records in _records(path, data).items():
        drawings = []
        for number, record in enumerate(records, start=1):
            try:
                drawings.append(AoiRecord.model_validate(record).drawing())
            except ValidationError as error:
                problems.append(f"  {name}, AOI {number}: {describe_record_error(error)}")
        entries[normalize("NFC", name)] = tuple(drawings)
    if problems:
        more = [f"  and {len(problems) - _MOST_SHOWN} more"] if len(problems) > _MOST_SHOWN else []
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise UsageError("\n".join([f"{path}: {count}", *problems[:_MOST_SHOWN], *more]), code="aois_invalid")
    return entries


def _records(path: Path, data: bytes) -> Records:
    """Parse AOIs by medium into plain mappings, whatever the format."""
    try:
        text = data.decode("utf-8-sig")
        if path.suffix.lower() == ".csv":
            return from_csv(text)
        content = json.loads(text)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UsageError(f"{path}: is neither JSON nor a .csv of AOIs: {error}", code="aois_invalid") from error
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{path}: {error}", code="aois_invalid") from error
    except RecursionError as error:
        raise UsageError(f"{path}: is nested too deep to be AOIs", code="aois_invalid") from error
    try:
        if isinstance(content, list):
            return from_label_studio(content)
        if not isinstance(content, dict):
            raise ValueError("AOIs by file name were expected")
        if {"images", "annotations"} <= content.keys():
            return from_coco(content)
        if {"shapes", "imagePath"} <= content.keys():
            return from_labelme(content)
        by_name = {name: records for name, records in content.items() if records is not None}
        for name, records in by_name.items():
            if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
                raise ValueError(f"{name!r} must hold a list of AOIs, or null where none were looked for")
        return by_name
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        message = f"{path}: cannot be understood: {what}; for example write {EXAMPLE}"
        raise UsageError(message, code="aois_invalid") from error
