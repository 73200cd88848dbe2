"""Commit the result of one medium as one file, written by the worker that analyzed it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pyarrow as pa

from mediaan.errors import AnalysisError, SetupError
from mediaan.run.files import is_result_file, medium_prefix, parse_json
from mediaan.run.tables.rows import Columns, Row, columns_of, outcome_rows, rows_of
from mediaan.run.tables.schema import TABLES
from mediaan.storage import Storage
from mediaan.types.aoi import Aoi
from mediaan.types.media import Medium
from mediaan.types.result import Failed, Outcome, Result

PART_FORMAT = 1
"""Of these files; what was written in another is as if it were not there."""

_LEVEL = 1  # of gzip: a fifth of the size at a tenth of the time of 9

Tables = Mapping[str, Columns]
"""Rows by table; tables without any may be absent."""


class DamagedError(Exception):
    """A file that is not what was written, by its checksum, its format or what it holds."""


def check_tables(rows: Mapping[str, Sequence[Row]]) -> dict[str, Columns]:
    """Convert rows to columns by table, and check them against the schemas.

    Raises AnalysisError: a value that its column cannot hold, such as NaN or text that is no Unicode: a fault of ours.
    """
    tables = {name: columns_of(of_table) for name, of_table in rows.items() if of_table}
    for name, columns in tables.items():
        for column, values in columns.items():
            columns[column] = _checked(values, TABLES[name].field(column), name)
    return tables


def pack(tables: Tables, **facts: Any) -> bytes:
    """Serialize tables and other facts.

    `tables`: as `check_tables` gives them.
    `**facts`: what else to write, as JSON has it.
    """
    content = {"format": PART_FORMAT, **facts, "tables": tables}
    text = json.dumps(content, default=_plain, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), _LEVEL, mtime=0)


def unpack(data: bytes) -> tuple[dict[str, Columns], dict[str, Any]]:
    """Parse tables and other facts of a file.

    Raises DamagedError: it is not what was written, or was written in another format.
    """
    try:
        facts = parse_json(gzip.decompress(data))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise DamagedError(str(error)) from error
    if not isinstance(facts, dict) or facts.pop("format", None) != PART_FORMAT:
        raise DamagedError("another format")
    tables = facts.pop("tables", None)
    if not isinstance(tables, dict) or not all(_fits(name, columns) for name, columns in tables.items()):
        raise DamagedError("no tables of this version")
    for columns in tables.values():
        if "created_at" in columns:
            columns["created_at"] = [datetime.fromisoformat(value) for value in columns["created_at"]]
    return tables, facts


def _checked(values: list[Any], field: pa.Field, table: str) -> list[Any]:
    plain = [value.item() if hasattr(value, "item") else value for value in values]  # numbers of numpy
    try:
        cells = pa.array(plain, field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as error:
        raise _unfit(table, field, f"does not fit there ({error})") from error
    if cells.null_count and not field.nullable:
        raise _unfit(table, field, "is missing")
    if pa.types.is_floating(field.type) and any(value is not None and value - value != 0 for value in plain):
        raise _unfit(table, field, "is not finite")
    return plain


def _unfit(table: str, field: pa.Field, what: str) -> AnalysisError:
    return AnalysisError(f"a value of {table}.{field.name} {what}; please report this", code="internal")


def _fits(name: str, columns: Any) -> bool:
    if name not in TABLES or not isinstance(columns, dict) or not columns.keys() <= set(TABLES[name].names):
        return False
    lengths = {len(values) if isinstance(values, list) else None for values in columns.values()}
    return len(lengths) == 1 and None not in lengths


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no value of a table")


PARTS_FOLDER = "parts"
_FACTS = {"key", "sizes", "stages", "exposure_s"}
_DONE, _FAILED = ".json.gz", ".failed.json.gz"


@dataclass(frozen=True, slots=True)
class ResultPart:
    """Result of one medium as rows of tables."""

    key: str
    tables: Tables
    """Its rows: table → column → values."""
    sizes: Mapping[str, int]
    """Bytes of each file of maps, by path relative to the run."""
    stages: Mapping[str, float]
    """Seconds of each stage of the analysis."""
    exposure_s: float | None = None
    """For how long the medium is looked at in its scores of AOIs, if it is an image; None where nobody says."""

    @property
    def failed(self) -> bool:
        """True where there is a reason in place of a result."""
        return bool(self.tables["media"]["status"][0] == "failed")

    @property
    def path(self) -> str:
        """Path under which the medium was analyzed."""
        return str(self.tables["media"]["path"][0])

    @property
    def medium_id(self) -> str | None:
        """Id of a medium that could be read."""
        medium_id: str | None = self.tables["media"]["medium_id"][0]
        return medium_id

    @property
    def densities(self) -> str | None:
        """File of its densities, relative to the run; None where the run keeps none."""
        return next((row["path"] for row in self.rows("maps") if row["map"] == "density"), None)

    def is_exposed(self, exposure_s: float) -> bool:
        """Return whether its AOI scores are for an exposure, s; only images with AOIs depend on it."""
        if self.exposure_s in (None, exposure_s) or not self.tables.get("aois"):
            return True
        return bool(self.tables["media"]["type"][0] != "image")

    def serves(self, exposure_s: float) -> bool:
        """Return whether its AOI scores are for an exposure, s, or can be computed from its densities."""
        return self.is_exposed(exposure_s) or self.densities is not None

    def rows(self, table: str) -> list[Row]:
        """Return the rows of one table."""
        return rows_of(self.tables.get(table, {}))


def identity_of(outcome: Outcome, medium_id: UUID | None) -> str:
    """Return what identifies a part: the content that was analyzed, else the requested content, else the path."""
    content_id = outcome.medium.medium_id if isinstance(outcome, Result) else medium_id
    return f"path {outcome.path}" if content_id is None else str(content_id)


@dataclass(frozen=True, slots=True)
class PartStore:
    """The parts of one run, one for each medium; picklable.

    `storage`: of the run.
    """

    storage: Storage

    def commit(
        self,
        key: str,
        outcome: Outcome,
        files: Mapping[str, str],
        seconds: float,
        *,
        exposure_s: float | None = None,
    ) -> None:
        """Keep what came of a medium; from now on it is not lost.

        `files`: its maps, by name.
        `seconds`: that the analysis took, s.
        `exposure_s`: as of `ResultPart`.
        Raises AnalysisError: a value that its table cannot hold.
        Raises SetupError: it cannot be written, or a file of its maps is not there.
        """
        tables = check_tables(outcome_rows(outcome, files, seconds, datetime.now(UTC).replace(tzinfo=None)))
        stages = dict(outcome.stages) if isinstance(outcome, Result) else {}
        sizes = {}
        for path in files.values():
            size = self.storage.size(path)
            if size is None:
                message = f"{self.storage.display_name}: {path} vanished while it was written"
                raise SetupError(message, code="cannot_write")
            sizes[path] = size
        failed = isinstance(outcome, Failed)
        data = pack(tables, key=key, sizes=sizes, stages=stages, exposure_s=exposure_s)
        self.storage.write(_part_file(key, failed=failed), data, durable=True)
        self.storage.remove(_part_file(key, failed=not failed))

    def read(self, key: str) -> ResultPart | None:
        """Read the part of a key; None where there is none, or it is damaged: it is then made again."""
        part = self.of_medium(key)
        return part if part is not None and part.key == key else None

    def of_medium(self, key: str) -> ResultPart | None:
        """Read the part of a medium, whatever its options were."""
        for failed in (False, True):
            try:
                tables, facts = unpack(self.storage.read(_part_file(key, failed=failed)))
                if facts.keys() == _FACTS and len(tables.get("media", {}).get("path", ())) == 1:
                    return ResultPart(tables=tables, **facts)
                return None
            except FileNotFoundError:
                continue
            except (DamagedError, OSError):
                return None
        return None

    def whole(self, key: str, *, edited: Collection[str] = ()) -> ResultPart | None:
        """Read the part of a key, if all its map files have the size as written.

        `edited`: media of which AOIs were changed since: the results of these are others now.
        """
        part = self.read(key)
        if part is None:
            return None
        sizes = part.sizes.items()
        kept = [pair for pair in sizes if part.medium_id not in edited or not is_result_file(pair[0])]
        return part if all(self.storage.size(path) == size for path, size in kept) else None

    def count(self) -> int:
        """Count parts, including failures and those that no file needs any more."""
        return sum(1 for file in self.storage.files(f"{PARTS_FOLDER}/") if file.path.endswith(_DONE))

    def remove_failed(self, key: str) -> None:
        """Forget that a medium failed."""
        self.storage.remove(_part_file(key, failed=True))


def _part_file(key: str, *, failed: bool) -> str:
    digits = medium_prefix(key)
    return f"{PARTS_FOLDER}/{digits[:2]}/{digits}{_FAILED if failed else _DONE}"


def aoi_results(medium: Medium, aois: Sequence[Aoi]) -> dict[str, bytes]:
    """Return the contents of the files ``NAME.json``, by name."""
    marks = [aoi for aoi in aois if aoi.type == "branding"]
    detections = [  # where a mark is: at one place, or by sampled instant
        _named(aoi)
        | {
            "source": aoi.source,
            "method": aoi.method,
            "confidence": aoi.confidence,
            "box": list(aoi.box),
            "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
            "t0_s": aoi.t0_s,
            "t1_s": aoi.t1_s,
            "sightings": [{"t_s": s.t_s, "box": list(s.box), "confidence": s.confidence} for s in aoi.track],
        }
        for aoi in marks
    ]
    brands = []  # how often, how large and from when the marks of each label are there, and their scores
    for label in dict.fromkeys(aoi.label for aoi in marks):
        of_label = [aoi for aoi in marks if aoi.label == label]
        areas = [box.area for aoi in of_label for box in ([s.box for s in aoi.track] or [aoi.box])]
        brands.append(
            {
                "brand": label,
                "marks": len(of_label),
                "first_visible_s": None if medium.duration_s is None else min(aoi.t0_s or 0.0 for aoi in of_label),
                "mean_area_pct": 100 * sum(areas) / len(areas),
                "largest_area_pct": 100 * max(areas),
                "scores": {str(aoi.aoi_id): _scores(aoi) for aoi in of_label},
            }
        )
    head = {"media_id": str(medium.medium_id), "name": medium.name, "duration_s": medium.duration_s}
    contents = {
        "brand_detection": head | {"detections": detections},
        "brand_detection_metrics": head | {"brands": brands},
        "aoi_scores": head | {"aois": [_named(aoi) | {"scores": _scores(aoi)} for aoi in aois]},
    }
    return {name: (json.dumps(content, ensure_ascii=False) + "\n").encode() for name, content in contents.items()}


def _scores(aoi: Aoi) -> dict[str, dict[str, Any]]:
    """Return metric → time → value, lo, hi, unit."""
    scores: dict[str, dict[str, Any]] = {}
    for score in aoi.scores:
        values = {"value": score.value, "lo": score.lo, "hi": score.hi, "unit": score.unit}
        scores.setdefault(score.metric, {})[score.time] = values
    return scores


def _named(aoi: Aoi) -> dict[str, Any]:
    return {"uuid": str(aoi.aoi_id), "aoi_type": aoi.type, "label": aoi.label}
