"""Answers about a medium, written as small files that the server only has to read and as columns of its table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from mediaan.analysis import TaskResult
from mediaan.errors import SetupError
from mediaan.judge.benchmark.recommended import recommended_ranges
from mediaan.judge.checks.verdict import CheckCounts
from mediaan.judge.rules.scores import usual_time
from mediaan.maps.catalogue import MAPS
from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.report.web.images import thumbnail
from mediaan.run import read_run
from mediaan.run.aois.results import RESULT_NAMES
from mediaan.run.directory import link_or_copy
from mediaan.run.files import disk_errors, write_atomic
from mediaan.run.tables.ranges import read_ranges
from mediaan.run.tables.rows import Row, aois_of, outcome_rows
from mediaan.server.storage.media import StoredMedium

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
    """Part of the answers that the server keeps in its database."""

    metrics: Mapping[str, float | None]  # over the whole exposure, or the two seconds that the name says
    results: Mapping[str, str]  # files relative to the run directory, by the service's names
    duration_s: float | None  # of a medium that moves


def write_answers(run_dir: Path, medium: StoredMedium, source: Path, found: TaskResult | None = None) -> Answers:
    """Write the files below `FOLDER` of a finished run over one medium.

    Parameters
    ----------
    run_dir : Path
    medium : StoredMedium
        Whose id and name stand in the files.
    source : Path
        The medium's own file.
    found : TaskResult, optional
        What the analysis of the medium returned; without it the tables of the run are read.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    folder, run = run_dir / FOLDER, read_run(run_dir)
    with disk_errors(folder):
        folder.mkdir(exist_ok=True)
    made = {} if found is None else outcome_rows(found.outcome, found.files, found.seconds, datetime.now(UTC))

    def rows(table: str) -> list[Row]:
        """Return the rows of a table: of the result, or else from the run."""
        if table not in made:
            file = run.path / "tables" / f"{table}.parquet"
            made[table] = pq.read_table(file).to_pylist() if file.is_file() else []
        return made[table]

    (row,) = rows("media")
    about = {"media_id": str(medium.media_id), "name": medium.name}
    maps = {str(one["map"]): str(one["path"]) for one in rows("maps")}
    _write(folder / "aois.json", {"brand_found": row["brand_found"], "aois": _aois(rows)})
    _write(folder / "ranges.json", _ranges(run_dir))
    checks = rows("checks")
    counts = Counter(f"required_{one['status']}" if one["required"] else one["status"] for one in checks)
    verdict = CheckCounts(**counts).verdict
    if verdict == "open" and "aoi_scores" not in maps:  # what is required needs areas, which nobody has looked for
        verdict = "unknown"
    _write(folder / "checks.json", {"verdict": verdict, "checks": [_without_id(one) for one in checks]})
    scores = rows("metrics")
    columns = ("width", "height", "codec", "duration_s", "share_read", "novelty", "brand_found")
    metrics = {
        **{name: row[name] for name in columns},
        "mediaan": run.facts["mediaan"],
        "models": run.facts["models"],
        "metrics": _by_time(scores, ("value", "lo", "hi", "unit", "basis")),
        "frames": [_without_id(one) for one in rows("frames")],
        "scenes": [_without_id(one) for one in rows("scenes")],
        "problems": [{"code": one["code"], "message": one["message"]} for one in rows("problems")],
    }
    _write(folder / "metrics.json", about | {"type": medium.type} | metrics)
    # of a video the films go before its mean maps
    films = {spec.film_of: maps[film] for film, spec in MAPS.items() if spec.film_of and film in maps}
    shown = {name: path for name, path in maps.items() if name not in ("density", "original", *RESULT_NAMES)}
    results = {"metrics": f"{FOLDER}/metrics.json", **shown, **films, "formatted": maps["original"]}
    for name in RESULT_NAMES:
        if name in maps:
            _write(folder / f"{name}.json", json.loads((run_dir / maps[name]).read_bytes()) | about)
            results[name] = f"{FOLDER}/{name}.json"
    small = thumbnail(run_dir / maps["original"])
    if small is None:
        raise SetupError(f"{maps['original']}: was just written and cannot be read", code="cannot_read")
    write_atomic(folder / "thumbnail.webp", small)
    results["thumbnail"] = f"{FOLDER}/thumbnail.webp"
    if medium.kind != "image":
        results |= _formatted(folder, source, row["codec"], maps)
    kept = {one["metric"]: one["value"] for one in scores if one["metric_time"] == usual_time(one["metric"])}
    return Answers(kept, results, row["duration_s"])


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_atomic(path, (json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n").encode())


def _without_id(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "medium_id"}


def _by_time(rows: Iterable[Row], keys: tuple[str, ...]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return metric → time → the score; why it is null where it is."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        known = {key: row[key] for key in keys} | ({"reason": row["reason"]} if row["reason"] else {})
        found.setdefault(row["metric"], {})[row["metric_time"]] = known
    return found


def _aois(rows: Callable[[str], list[Row]]) -> list[dict[str, Any]]:
    scores: dict[str, list[Row]] = {}
    for row in rows("aoi_scores"):
        scores.setdefault(row["aoi_id"], []).append(row)
    keys = ("value", "lo", "hi", "unit")
    return [
        {
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
            "scores": _by_time(scores.get(str(aoi.aoi_id), ()), keys),
        }
        for aoi in aois_of(rows("aois"), rows("aoi_tracks"))
    ]


def _ranges(run_dir: Path) -> dict[str, Any]:
    """Return recommended ranges; without any, what keeps most scores from having one."""
    ranges = list(read_ranges(run_dir))
    found = recommended_ranges(ranges)
    if found["medium"] or found["aois"]:
        return found | {"reason": None}
    reasons = Counter(one.reason for one in ranges if one.reason)
    return found | {"reason": reasons.most_common(1)[0][0] if reasons else _NEVER_COMPARED}


def _formatted(folder: Path, source: Path, codec: str, maps: Mapping[str, str]) -> dict[str, str]:
    """Return a video that every browser plays: the source, or else the preview made of its samples."""
    with source.open("rb") as file:
        container = sniff(file.read(HEAD_BYTES))
    suffix, codecs = _PLAYED.get(container or "", ("", ()))
    if codec not in codecs:
        return {"formatted": maps["preview"]} if "preview" in maps else {}
    with disk_errors(folder):
        (folder / f"formatted{suffix}").unlink(missing_ok=True)
        link_or_copy(source, folder / f"formatted{suffix}")
    return {"formatted": f"{FOLDER}/formatted{suffix}"}
