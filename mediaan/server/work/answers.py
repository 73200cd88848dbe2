"""What a medium's run answers to its client, as small files that the server only has to read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediaan.benchmark.recommended import recommended_ranges
from mediaan.checks.verdict import CheckCounts
from mediaan.errors import SetupError
from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.report.data.contents import Row, RunContents, read_contents
from mediaan.report.web.images import thumbnail
from mediaan.run import read_run
from mediaan.run.aois.results import RESULT_NAMES
from mediaan.run.aois.tables import read_aois
from mediaan.run.directory import link_or_copy
from mediaan.run.files import disk_errors, write_atomic
from mediaan.run.tables.ranges import read_ranges
from mediaan.server.storage.media import StoredMedium
from mediaan.types.aoi import Aoi

FOLDER = "answers"
"""Inside the run directory."""

_PLAYED = {
    "mp4": (".mp4", ("h264", "av1", "vp9")),
    "matroska": (".webm", ("vp8", "vp9", "av1")),
    "gif": (".gif", ("gif",)),
}
"""Containers that browsers play, as what, and with which codecs."""
_NEVER_COMPARED = "The medium's objectives ask for no comparison with a norm set"


@dataclass(frozen=True, slots=True)
class Answers:
    """What the server keeps of a run in its database.

    Attributes
    ----------
    metrics : mapping of str to float or None
        Scores over the whole exposure, or the first or last two seconds where the name says so.
    results : mapping of str to str
        Files relative to the run directory, by the service's names.
    duration_s : float or None
        Of a medium that moves, s.
    """

    metrics: Mapping[str, float | None]
    results: Mapping[str, str]
    duration_s: float | None


def write_answers(run_dir: Path, medium: StoredMedium, source: Path) -> Answers:
    """Write the files below `FOLDER` of a finished run over one medium.

    Parameters
    ----------
    run_dir : Path
    medium : StoredMedium
        Whose id and name stand in the files.
    source : Path
        The medium's own file.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    folder = run_dir / FOLDER
    with disk_errors(folder):
        folder.mkdir(exist_ok=True)
    contents = read_contents(run_dir)
    about = {"media_id": str(medium.media_id), "name": medium.name}
    maps = {str(row["map"]): str(row["path"]) for row in contents.maps}
    _write(folder / "aois.json", {"brand_found": contents.media[0]["brand_found"], "aois": _aois(contents)})
    _write(folder / "ranges.json", _ranges(run_dir))
    _write(folder / "checks.json", _checks(contents))
    _write(folder / "metrics.json", about | {"type": medium.type} | _metrics(contents))
    results = {"metrics": f"{FOLDER}/metrics.json"} | _pictures(maps)
    for name in RESULT_NAMES:
        if name in maps:
            _write(folder / f"{name}.json", json.loads((run_dir / maps[name]).read_bytes()) | about)
            results[name] = f"{FOLDER}/{name}.json"
    results |= _thumbnail(run_dir, maps)
    (row,) = contents.media
    if medium.kind != "image":
        results |= _formatted(folder, source, row["codec"], maps)
    return Answers(_scores(contents), results, row["duration_s"])


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_atomic(path, (json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n").encode())


def _scores(contents: RunContents) -> dict[str, float | None]:
    return {
        row["metric"]: row["value"]
        for row in contents.metrics
        if row["metric_time"] == "total" or row["metric"].endswith("_two")
    }


def _metrics(contents: RunContents) -> dict[str, Any]:
    """All scores, each with its interval; of what moves, over time, too."""
    (row,) = contents.media
    keys = ("width", "height", "codec", "duration_s", "share_read", "novelty", "brand_found")
    return {
        **{key: row[key] for key in keys},
        "mediaan": contents.run["mediaan"],
        "models": contents.run["models"],
        "metrics": _by_time(contents.metrics, ("value", "lo", "hi", "unit", "basis")),
        "frames": [_without_id(one) for one in contents.frames.to_pylist()],
        "scenes": [_without_id(one) for one in contents.scenes],
        "problems": [{"code": one["code"], "message": one["message"]} for one in contents.problems],
    }


def _without_id(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "medium_id"}


def _by_time(rows: Sequence[Row], keys: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Metric → time → what is known of the score; why it is null where it is."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        known = {key: row[key] for key in keys} | ({"reason": row["reason"]} if row["reason"] else {})
        found.setdefault(row["metric"], {})[row["metric_time"]] = known
    return found


def _aois(contents: RunContents) -> list[dict[str, Any]]:
    scores: dict[str, list[Row]] = {}
    for row in contents.aoi_scores:
        scores.setdefault(row["aoi_id"], []).append(row)
    aois = [aoi for found in read_aois(read_run(contents.run_dir)).values() for aoi in found]
    keys = ("value", "lo", "hi", "unit")
    return [_aoi(aoi) | {"scores": _by_time(scores.get(str(aoi.aoi_id), ()), keys)} for aoi in aois]


def _aoi(aoi: Aoi) -> dict[str, Any]:
    return {
        "uuid": str(aoi.aoi_id),
        "aoi_type": aoi.type,
        "label": aoi.label,
        "box": list(aoi.box),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "t0_s": aoi.t0_s,
        "t1_s": aoi.t1_s,
        "track": [[seen.t_s, *seen.box, seen.confidence] for seen in aoi.track],
        "source": aoi.source,
        "method": aoi.method,
        "confidence": aoi.confidence,
        "text": aoi.text.transcription if aoi.text else None,
    }


def _ranges(run_dir: Path) -> dict[str, Any]:
    """Recommended ranges; without any, what keeps most scores from having one."""
    ranges = list(read_ranges(run_dir))
    found = recommended_ranges(ranges)
    if found["medium"] or found["aois"]:
        return found | {"reason": None}
    reasons = Counter(one.reason for one in ranges if one.reason)
    return found | {"reason": reasons.most_common(1)[0][0] if reasons else _NEVER_COMPARED}


def _checks(contents: RunContents) -> dict[str, Any]:
    counts = Counter(f"required_{row['status']}" if row["required"] else row["status"] for row in contents.checks)
    return {"verdict": CheckCounts(**counts).verdict, "checks": [_without_id(row) for row in contents.checks]}


def _pictures(maps: Mapping[str, str]) -> dict[str, str]:
    """Maps by the service's names; of a video the films go before its mean maps."""
    named = {name: path for name, path in maps.items() if name not in ("density", "original", *RESULT_NAMES)}
    films = {name: maps[film] for name, film in (("heat", "heat_video"), ("fog", "fog_video")) if film in maps}
    return named | films | {"formatted": maps["original"]}


def _thumbnail(run_dir: Path, maps: Mapping[str, str]) -> dict[str, str]:
    data = thumbnail(run_dir / maps["original"])
    if data is None:
        raise SetupError(f"{maps['original']}: was just written and cannot be read", code="cannot_read")
    write_atomic(run_dir / FOLDER / "thumbnail.webp", data)
    return {"thumbnail": f"{FOLDER}/thumbnail.webp"}


def _formatted(folder: Path, source: Path, codec: str, maps: Mapping[str, str]) -> dict[str, str]:
    """A film that every browser plays: the source, or else the small film of its samples."""
    with source.open("rb") as file:
        container = sniff(file.read(HEAD_BYTES))
    suffix, codecs = _PLAYED.get(container or "", ("", ()))
    if codec not in codecs:
        return {"formatted": maps["preview"]} if "preview" in maps else {}
    with disk_errors(folder):
        (folder / f"formatted{suffix}").unlink(missing_ok=True)
        link_or_copy(source, folder / f"formatted{suffix}")
    return {"formatted": f"{FOLDER}/formatted{suffix}"}
