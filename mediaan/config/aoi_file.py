"""Files of AOIs that people drew: our own JSON, CSV, and what annotation tools export."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from pydantic import ValidationError

from mediaan.config.aoi_imports import Records, from_coco, from_csv, from_label_studio, from_labelme
from mediaan.config.aoi_record import AoiRecord, record_complaint
from mediaan.config.pattern import matches
from mediaan.errors import UsageError
from mediaan.types.aoi import Drawing

_MOST_BYTES = 500_000_000
_MOST_SHOWN = 20
_MAGIC = frozenset("*?")

EXAMPLE = '{"ad.png": [{"type": "branding", "label": "Acme", "box": [0.7, 0.85, 0.95, 0.97]}]}'


@dataclass(frozen=True)
class AoiSheet:
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

    def drawings(self, shown: str) -> tuple[Drawing, ...] | None:
        """AOIs of a medium by its path as tables show it; None where no entry speaks of it.

        A name or path goes before patterns; of patterns all that fit count.
        """
        shown = normalize("NFC", shown)
        for name in (shown, shown.rsplit("/", 1)[-1]):
            if name in self.entries:
                return self.entries[name]
        fitting = [found for key, found in self.entries.items() if _MAGIC & set(key) and matches(key, shown)]
        if not fitting:
            return None
        return tuple(drawing for found in fitting for drawing in found)

    def unused(self, shown: Iterable[str]) -> tuple[str, ...]:
        """Entries that speak of none of the media: probably misspelt."""
        paths = [normalize("NFC", path) for path in shown]
        names = {*paths, *(path.rsplit("/", 1)[-1] for path in paths)}
        return tuple(
            key
            for key in self.entries
            if key not in names and not (_MAGIC & set(key) and any(matches(key, path) for path in paths))
        )


def load_aois(path: Path) -> AoiSheet:
    """Read a file of AOIs, or a folder of LabelMe files.

    Parameters
    ----------
    path : Path
        JSON as mediaan writes it (`EXAMPLE`), CSV, or an export of COCO, Label Studio or LabelMe; told by content.

    Raises
    ------
    UsageError
        Naming the file, the medium and the AOI that must change.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path}: holds no .json file of AOIs", code="aois_invalid")
    digest = hashlib.sha256()
    entries: dict[str, tuple[Drawing, ...]] = {}
    for file in files:
        data = _bytes(file)
        digest.update(data)
        for name, drawings in _entries(file, data).items():
            entries[name] = entries.get(name, ()) + drawings
    return AoiSheet(entries, digest.hexdigest())


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path}: is larger than {_MOST_BYTES // 1_000_000} MB", code="aois_invalid")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="aois_invalid") from error


def _entries(path: Path, data: bytes) -> dict[str, tuple[Drawing, ...]]:
    problems: list[str] = []
    entries: dict[str, tuple[Drawing, ...]] = {}
    for name, records in _records(path, data).items():
        drawings = []
        for number, record in enumerate(records, start=1):
            try:
                drawings.append(AoiRecord.model_validate(record).drawing())
            except ValidationError as error:
                problems.append(f"  {name}, AOI {number}: {record_complaint(error)}")
        entries[normalize("NFC", name)] = tuple(drawings)
    if problems:
        more = [f"  and {len(problems) - _MOST_SHOWN} more"] if len(problems) > _MOST_SHOWN else []
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise UsageError("\n".join([f"{path}: {count}", *problems[:_MOST_SHOWN], *more]), code="aois_invalid")
    return entries


def _records(path: Path, data: bytes) -> Records:
    """AOIs by medium as plain mappings, whatever the format."""
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
        return _recognised(content)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        message = f"{path}: cannot be understood: {what}; for example write {EXAMPLE}"
        raise UsageError(message, code="aois_invalid") from error


def _recognised(content: Any) -> Records:
    if isinstance(content, list):
        return from_label_studio(content)
    if not isinstance(content, dict):
        raise ValueError("AOIs by file name were expected")
    if {"images", "annotations"} <= content.keys():
        return from_coco(content)
    if {"shapes", "imagePath"} <= content.keys():
        return from_labelme(content)
    judged = {name: records for name, records in content.items() if records is not None}
    for name, records in judged.items():
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise ValueError(f"{name!r} must hold a list of AOIs, or null where nobody has looked")
    return judged
