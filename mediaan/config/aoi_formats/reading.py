"""Read AOIs that people drew: our own JSON and CSV, and what other programs export.

Labels that are no AOI type become ``other`` and keep their name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from unicodedata import normalize
from uuid import UUID
from xml.etree import ElementTree

from pydantic import ValidationError

from mediaan.config.aoi_formats.label_studio import from_rows, from_tasks
from mediaan.config.aoi_formats.record import AoiRecord, describe_record_error
from mediaan.config.aoi_formats.shapes import Collected
from mediaan.config.aoi_formats.tools import (
    from_coco,
    from_corner_rows,
    from_createml,
    from_cvat,
    from_labelme,
    from_samples,
    from_via,
    from_via_rows,
    from_voc,
)
from mediaan.config.attributes import matches, unescape_formula
from mediaan.errors import UsageError
from mediaan.media.names import NameIndex, closest
from mediaan.storage.input_file import Table, describe_content, open_table, plain_number, read_file
from mediaan.types.aoi import Drawing
from mediaan.types.arguments import as_path

Record: TypeAlias = Mapping[str, Any]
Records: TypeAlias = Mapping[str, Sequence[Record]]

MOST_BYTES = 100_000_000
"""Of a file: the areas of some hundred thousand images."""

EXAMPLE = '{"ad.png": [{"type": "branding", "label": "Acme", "box": [0.7, 0.85, 0.95, 0.97]}]}'

_NAME_COLUMNS = ("name", "path", "file", "filename", "image", "media", "medium")
_COLUMNS = ("name", "type", "label", "x0", "y0", "x1", "y1", "polygon", "unit", "t0_s", "t1_s", "aoi_id")
_NOT_READ_BACK = ("source", "method", "confidence", "text")
_MOST_SHOWN = 20
_MAGIC = frozenset("*?")

_Match: TypeAlias = tuple[dict[str, list[str]], set[str], list[str]]
"""Entries by path; entries that fit any path; sentences on those that fit several."""


@dataclass(frozen=True)
class MatchedAois:
    """AOIs of media, by their displayed paths."""

    by_path: Mapping[str, tuple[Drawing, ...]]
    unused: tuple[str, ...]
    """Names of the file that are of no medium."""
    problems: tuple[str, ...]
    """Names that could be of several media, and media that several names could be of; these have no AOIs."""

    def drawings(self, display_path: str) -> tuple[Drawing, ...] | None:
        """Return the AOIs of a medium; None where the file does not name it."""
        return self.by_path.get(display_path)


@dataclass(frozen=True)
class AoiFile:
    """AOIs by the names that a file gives media."""

    entries: dict[str, tuple[Drawing, ...]]
    """By name, path or pattern as written; those of other programs by address."""
    sha256: str
    """Of what was read."""
    format: Literal["json", "csv", "foreign"] = "json"
    """Ours, or that of another program."""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By entry, what the media may be called, the surest first; only of files of other programs."""
    problems: tuple[str, ...] = ()
    """What could not be read, a sentence each."""
    unread: frozenset[str] = frozenset()
    """Entries of which nothing could be read, or that nobody annotated: they say nothing of a medium."""

    @property
    def means_empty(self) -> bool:
        """Tell whether an empty list says that a medium has no AOIs; other programs may mean that nobody looked."""
        return self.format != "foreign"

    def among(self, display_paths: Iterable[str]) -> MatchedAois:
        """Match names with media, by the displayed paths of all of them.

        A path or name goes before patterns; of patterns all that fit count. Files of other programs name a medium by an
        address of another machine: the longest ending that both have in common counts.
        """
        paths = tuple(dict.fromkeys(display_paths))
        match = self._match_foreign if self.format == "foreign" else self._match_own
        keys, fitting, conflicts = match(paths)
        by_path = {
            path: tuple(drawing for key in entries for drawing in self.entries[key])
            for path, entries in keys.items()
            if not self.unread.issuperset(entries)
        }
        unused = tuple(key for key in self.entries if key not in fitting)
        return MatchedAois(by_path, unused, tuple(dict.fromkeys(conflicts)))

    def drawings(self, display_path: str) -> tuple[Drawing, ...] | None:
        """Return the AOIs of a medium, as if it were the only one; None where no entry matches."""
        return self.among([display_path]).drawings(display_path)

    def _match_own(self, paths: Sequence[str]) -> _Match:
        index = NameIndex(self.entries)
        best = {path: keys for path in paths if (keys := index.find(path))}
        named = {key for keys in best.values() for key in keys}
        patterns = [key for key in self.entries if _MAGIC & set(key) and key not in named]
        matched = {path: keys for path, keys in best.items() if len(keys) == 1}
        fitting = set(self.entries) - set(index.unused(paths))
        for path in paths:
            fit = [key for key in patterns if matches(key, path)]
            fitting.update(fit)
            if fit and path not in best:
                matched[path] = fit
        conflicts = [
            f"{' and '.join(keys)} could both be {path}; write paths" for path, keys in best.items() if len(keys) > 1
        ]
        return matched, fitting, conflicts

    def _match_foreign(self, paths: Sequence[str]) -> _Match:
        finder = _PathFinder(paths)
        claims: dict[str, list[tuple[int, str]]] = {}
        fitting: set[str] = set()
        conflicts: list[str] = []
        for key in self.entries:
            for sureness, name in enumerate(self.names[key]):
                if not (hits := finder.find(name)):
                    continue
                fitting.add(key)
                if len(hits) == 1:
                    claims.setdefault(hits[0], []).append((2 * sureness + (hits[0] != name), key))
                else:
                    conflicts.append(f"{key} could be {' or '.join(hits)}; write the path of one")
                break
        keys: dict[str, list[str]] = {}
        for path, claimed in claims.items():
            surest = min(sureness for sureness, _ in claimed)
            best = [key for sureness, key in claimed if sureness == surest]
            fitting -= {key for sureness, key in claimed if sureness > surest}
            if len(best) == 1:
                keys[path] = best
            else:
                conflicts.append(f"{' and '.join(best)} could both be {path}; give them different names")
        return keys, fitting, conflicts


class _PathFinder:
    """Paths of media, to be found by names that other programs give them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_file: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._by_upload: dict[str, list[str]] = {}
        for path in paths:
            file = _file(path)
            self._by_file.setdefault(file, []).append(path)
            self._by_stem.setdefault(file.rpartition(".")[0], []).append(path)
            self._by_upload.setdefault(_upload_name(file), []).append(path)

    def find(self, name: str) -> list[str]:
        """Return the paths that a name means: by its file, without extension, or as uploads change it."""
        file = _file(name)
        for paths in (self._by_file.get(file), self._by_stem.get(file), self._by_upload.get(_upload_name(file))):
            if paths:
                return closest(name, paths)
        return []


def _file(path: str) -> str:
    return normalize("NFC", path).replace("\\", "/").rsplit("/", 1)[-1].casefold()


def _upload_name(file: str) -> str:
    """Return what servers make of a file name when it is uploaded: spaces are underscores, other signs are gone."""
    return re.sub(r"[^-\w.]", "", file.strip().replace(" ", "_"))


def load_aois(path: str | Path) -> AoiFile:
    """Read a file of AOIs, or a folder of files with an image each (LabelMe, Pascal VOC).

    Parameters
    ----------
    path : path
        JSON as mediaan writes it (`EXAMPLE`), CSV, or an export of COCO, Label Studio, FiftyOne, CVAT, LabelMe,
        X-AnyLabeling, VIA, CreateML, Pascal VOC or Roboflow; told by content. At most `MOST_BYTES`.

    Raises
    ------
    UsageError
        ``aois_invalid``: it cannot be read as any of these, is no regular file or too large, or an id or a name stands
        twice; naming the file, the medium and the AOI that must change. What other programs wrote and cannot be read
        is in `AoiFile.problems`.
    """
    path = as_path(path)
    if path.is_dir():
        return _load_folder(path)
    data = read_file(path, "aois_invalid", MOST_BYTES)
    return _with_distinct_ids(path, _read(path, data, hashlib.sha256(data).hexdigest()))


def _load_folder(folder: Path) -> AoiFile:
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in (".json", ".xml"))
    if not files:
        raise _refusal(folder, "is a folder and holds no .json or .xml file of AOIs")
    digest = hashlib.sha256()
    read = []
    for file in files:
        data = read_file(file, "aois_invalid", MOST_BYTES)
        digest.update(data)
        read.append(_read(file, data, ""))
    entries: dict[str, tuple[Drawing, ...]] = {}
    for part in read:
        for name, drawings in part.entries.items():
            entries[name] = entries.get(name, ()) + drawings
    unread = {name for part in read for name in part.unread if not entries[name]}
    names = {name: part.names.get(name, [name]) for part in read for name in part.entries}
    problems = tuple(problem for part in read for problem in part.problems)
    is_own = all(part.format == "json" for part in read)
    return _with_distinct_ids(
        folder,
        AoiFile(
            entries, digest.hexdigest(), "json" if is_own else "foreign", {} if is_own else names, problems,
            frozenset(unread),
        ),
    )  # fmt: skip


def _with_distinct_ids(path: Path, file: AoiFile) -> AoiFile:
    """Refuse ids that stand twice: tables are joined by them."""
    places: dict[UUID, str] = {}
    for name, drawings in file.entries.items():
        for number, drawing in enumerate(drawings, start=1):
            place = f"{name}, AOI {number}"
            if drawing.aoi_id is not None and places.setdefault(drawing.aoi_id, place) != place:
                other = places[drawing.aoi_id]
                raise _refusal(path, f"{place}: aoi_id {drawing.aoi_id} is that of {other}; leave it out for a new one")
    return file


def _read(path: Path, data: bytes, sha256: str) -> AoiFile:
    if path.suffix.lower() in (".csv", ".tsv"):
        return _read_table(open_table(path, "aois_invalid", most_bytes=MOST_BYTES), sha256)
    if kind := describe_content(data):
        raise _refusal(path, f"is {kind}; unpack it, or export the areas as JSON, CSV or XML")
    if data.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] == b"<":
        return _foreign(_read_xml(path, data), sha256)
    content = _read_json(path, data)
    try:
        collected = _from_json(path, content)
        if collected is not None:
            return _foreign(collected, sha256)
        if not isinstance(content, dict):
            raise ValueError("AOIs by file name were expected")
        by_name = {name: records for name, records in content.items() if records is not None}
        for name, records in by_name.items():
            if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
                raise ValueError(f"{name!r} must hold a list of AOIs, or null where none were looked for")
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise _refusal(path, f"cannot be understood: {what}; for example write {EXAMPLE}") from error
    return AoiFile(_drawn(path, by_name), sha256)


def _from_json(path: Path, content: Any) -> Collected | None:
    """Read what another program wrote in JSON; None where it is none that is known."""
    if isinstance(content, list):
        entries = [entry for entry in content if isinstance(entry, dict)]
        if content and not entries:
            raise ValueError("AOIs by file name were expected")
        if any("data" in entry for entry in entries) or not entries:
            return from_tasks(content)
        if all(
            {"image", "annotations"} <= entry.keys() or {"imagefilename", "annotation"} <= entry.keys()
            for entry in entries
        ):
            return from_createml(content)
        return from_rows(entries)
    if not isinstance(content, dict):
        return None
    if isinstance(content.get("images"), list) and (
        isinstance(content.get("annotations"), list)
        or all(isinstance(image, dict) and "id" in image for image in content["images"])
    ):
        return from_coco(content)
    if isinstance(content.get("samples"), list):
        return from_samples(content["samples"])
    if (
        "shapes" in content
        and isinstance(content["shapes"], list)
        and {"imagePath", "version", "imageWidth"} & content.keys()
    ):
        return from_labelme(content, path.stem)
    if isinstance(content.get("data"), dict) and "annotations" in content:
        return from_tasks([content])
    entries = list(content.get("_via_img_metadata", content).values())
    if entries and all(isinstance(entry, dict) and {"filename", "regions"} <= entry.keys() for entry in entries):
        return from_via(content)
    if "_via_img_metadata" in content:
        return Collected()
    return None


def _read_json(path: Path, data: bytes) -> Any:
    """Return the contents of a file in JSON whose keys differ."""
    repeated = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        content = dict(items)
        repeated = repeated or len(content) < len(items)
        return content

    try:
        encoding = json.detect_encoding(data)
        text = data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        content = json.loads(text, object_pairs_hook=pairs)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        what = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise _refusal(path, f"is neither JSON nor a .csv of AOIs, nor XML of CVAT or Pascal VOC: {what}") from error
    except RecursionError as error:
        raise _refusal(path, "is nested too deep to be AOIs") from error
    if repeated:
        raise _refusal(path, _repeated_key(text))
    return content


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?|[{}\[\]]', re.DOTALL)


def _repeated_key(text: str) -> str:
    """Say which key stands twice in an object of a JSON text, and where."""
    objects: list[dict[str, int]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            objects.append({})
        elif token[0] in "}]":
            objects.pop()
        elif token[1]:
            key = json.loads(token[0][: -len(token[1])])
            if key in objects[-1]:
                first, again = (text.count("\n", 0, at) + 1 for at in (objects[-1][key], token.start()))
                columns = [at - (text.rfind("\n", 0, at) + 1) + 1 for at in (objects[-1][key], token.start())]
                return (
                    f"{key!r} stands twice, in line {first}, column {columns[0]} and in line {again}, column "
                    f"{columns[1]}; keep one, or put the AOIs of both into one list"
                )
            objects[-1][key] = token.start()
    return "a key stands twice"


def _read_xml(path: Path, data: bytes) -> Collected:
    """Read CVAT for images or Pascal VOC; entities, which can grow without end, are refused."""
    try:
        encoding = json.detect_encoding(data)
        if encoding != "utf-8":  # or one that the first line names, in which these words are the same bytes
            data = re.sub(r"<\?xml[^>]*\?>", "", data.decode(encoding).lstrip("\ufeff"), count=1).encode()
        if re.search(rb"<!(doctype|entity)", data, re.IGNORECASE):
            raise _refusal(path, "is HTML, or XML with a document type, which no annotation tool writes")
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise _refusal(path, f"is no XML that can be read: {error}") from error
    if root.tag == "annotations":
        return from_cvat(root)
    if root.tag == "annotation":
        return from_voc(root, path.stem)
    raise _refusal(path, f"is XML of an unknown kind ({root.tag}); CVAT for images and Pascal VOC are read")


def _foreign(collected: Collected, sha256: str) -> AoiFile:
    pictures = collected.pictures
    return AoiFile(
        {name: tuple(picture.drawings) for name, picture in pictures.items()},
        sha256,
        "foreign",
        {name: picture.names for name, picture in pictures.items()},
        tuple(collected.problems),
        frozenset(name for name, picture in pictures.items() if not picture.drawings and not picture.annotated),
    )


def _read_table(table: Table, sha256: str) -> AoiFile:
    columns = {name.casefold() for name in table.header}
    if {"region_shape_attributes", "region_attributes"} <= columns:
        return _foreign(from_via_rows(_mappings(table)), sha256)
    if {"filename", "xmin", "ymin", "xmax", "ymax"} <= columns:
        return _foreign(from_corner_rows(_mappings(table)), sha256)
    if {"annotation_id", "annotator", "lead_time"} & columns:
        return _foreign(from_rows(_mappings(table)), sha256)
    try:
        records = _own_records(table)
    except ValueError as error:
        raise _refusal(table.path, str(error)) from error
    return AoiFile(_drawn(table.path, records), sha256, "csv")


def _mappings(table: Table) -> Iterable[Mapping[str, str]]:
    names = [name.casefold() for name in table.header]
    for _, cells in table.rows():
        yield dict(zip(names, (cell.strip() for cell in cells), strict=False))


def _own_records(table: Table) -> Records:
    """Parse AOIs of a table with columns name, type, x0, y0, x1, y1, and optionally label, polygon, unit, t0_s, t1_s,
    aoi_id.

    A polygon is written ``x,y x,y x,y``. The apostrophe before what a spreadsheet would run as a formula is no part of
    a text. A row with a name alone says that a medium has no AOIs.

    Raises ValueError: a column is missing or unknown, or a number cannot be read.
    """
    rows = list(table.rows())
    width = max((len(cells) for _, cells in rows), default=0)
    header = [name.casefold() for name in table.header] + [""] * width
    filled = {i for _, cells in rows for i, cell in enumerate(cells) if cell.strip()}
    places = {name: i for i, name in enumerate(header) if name}
    if len(places) < sum(bool(name) for name in header):
        twice = next(name for name in header if name and header.count(name) > 1)
        raise ValueError(f"has the column {twice!r} twice")
    if unnamed := [i for i in filled if not header[i]]:
        raise ValueError(f"has a column without a name, the {unnamed[0] + 1}th; write its name, or empty it")
    if "name" not in places and (other := next((name for name in _NAME_COLUMNS if name in places), None)):
        places["name"] = places.pop(other)
    if missing := {"name", "type"} - places.keys():
        raise ValueError(f"lacks the column {sorted(missing)[0]!r}; it needs name, type, x0, y0, x1, y1")
    if unknown := [name for name in places if name not in (*_COLUMNS, *_NOT_READ_BACK)]:
        raise ValueError(f"unknown column {unknown[0]!r}; known: {', '.join(sorted(_COLUMNS))}")
    records: dict[str, list[Record]] = {}
    for line, cells in rows:
        given = {name: cells[i] for name, i in places.items() if i < len(cells) and cells[i].strip()}
        if "name" not in given:
            raise ValueError(f"line {line}: names no file")
        of_medium = records.setdefault(unescape_formula(given.pop("name")), [])
        if not given:
            continue
        try:
            of_medium.append(_own_record(given, table.delimiter))
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from error
    return records


def _own_record(cells: Mapping[str, str], delimiter: str) -> Record:
    def value(name: str) -> float:
        cell = cells.get(name, "")
        try:
            return float(plain_number(cell, delimiter))
        except ValueError:
            raise ValueError(f"{name} is {cell!r}, which is no number") from None

    record: dict[str, Any] = {}
    if "type" in cells:
        record["type"] = unescape_formula(cells["type"]).strip().lower().replace(" ", "_")
    if "label" in cells:
        record["label"] = unescape_formula(cells["label"])
    record |= {name: cells[name].strip().lower() for name in ("unit", "aoi_id") if name in cells}
    record |= {name: value(name) for name in ("t0_s", "t1_s") if name in cells}
    if "polygon" in cells:
        corners = [point.split(",") for point in cells["polygon"].split()]
        if any(len(corner) != 2 for corner in corners):
            raise ValueError(f"polygon is {cells['polygon'][:80]!r}; write x,y x,y x,y")
        record["polygon"] = [[float(side) for side in corner] for corner in corners]
    else:
        record["box"] = [value(name) for name in ("x0", "y0", "x1", "y1")]
    return record


def _drawn(path: Path, by_name: Records) -> dict[str, tuple[Drawing, ...]]:
    """Validate the AOIs of our own formats; all that must change is said at once."""
    problems: list[str] = []
    entries: dict[str, tuple[Drawing, ...]] = {}
    for name, records in by_name.items():
        drawings = []
        for number, record in enumerate(records, start=1):
            try:
                drawings.append(AoiRecord.model_validate(record).drawing())
            except ValidationError as error:
                problems.append(f"  {name}, AOI {number}: {describe_record_error(error)}")
        absent = {drawing.type for drawing in drawings if drawing.absent}
        problems += [
            f"  {name}: has an AOI of the type {aoi_type}, and says that there is none; keep one"
            for aoi_type in sorted(absent & {drawing.type for drawing in drawings if not drawing.absent})
        ]
        entries[name] = tuple(drawings)
    if problems:
        more = [f"  and {len(problems) - _MOST_SHOWN} more"] if len(problems) > _MOST_SHOWN else []
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise _refusal(path, "\n".join([count, *problems[:_MOST_SHOWN], *more]))
    return entries


def _refusal(path: Path, what: str) -> UsageError:
    return UsageError(f"{path}: {what}", code="aois_invalid")
