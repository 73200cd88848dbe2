"""Answers about a medium, written as small files that the server only has to read and as columns of its table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mediaan.analysis import TaskResult
from mediaan.errors import SetupError
from mediaan.judge.benchmark.ranges import recommended_ranges
from mediaan.judge.rules.rule import usual_time
from mediaan.judge.verdict import verdict_of
from mediaan.maps.catalogue import MAPS
from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.report.web.images import thumbnail
from mediaan.run import read_run
from mediaan.run.directory import link_or_copy
from mediaan.run.files import RESULT_NAMES, disk_errors, write_atomic
from mediaan.run.tables.reading import table_rows
from mediaan.run.tables.rows import Row, frame_row, scene_row
from mediaan.run.tables.schema import CHECKS
from mediaan.server.service.jobs import Outcome
from mediaan.server.service.media import StoredMedium
from mediaan.types.aoi import Aoi
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.metrics import Score
from mediaan.types.result import Result

FOLDER = "answers"
"""Inside the run directory."""

_PLAYED = {
    "mp4": (".mp4", ("h264", "av1", "vp9")),
    "matroska": (".webm", ("vp8", "vp9", "av1")),
    "gif": (".gif", ("gif",)),
}
"""Containers that browsers play, as what, and with which codecs."""
_ANALYZED = ("metrics", "frames", "scenes", "aois", "aoi_tracks", "aoi_scores", "problems")
_RATED = ("benchmark_ranges", "checks")
"""Tables of a result that the analysis makes, and those that are derived from it afterwards."""
_CHECK = tuple(name for name in CHECKS.names if name != "medium_id")
_NEVER_COMPARED = "The medium's objectives ask for no comparison with a norm set"


def write_answers(run_dir: Path, medium: StoredMedium, source: Path, analyzed: TaskResult | None = None) -> Outcome:
    """Write the files below `FOLDER` of a finished run over one medium, and return what the server's database keeps.

    `source`: the medium's own file.
    `analyzed`: what the analysis of the medium returned; without it the result is read from the run.
    """
    folder, run = run_dir / FOLDER, read_run(run_dir)
    with disk_errors(folder):
        folder.mkdir(exist_ok=True)
    (rated,) = run.results(_RATED if analyzed is not None else (*_ANALYZED, *_RATED))
    result = rated if analyzed is None else analyzed.outcome
    assert isinstance(result, Result)  # of a medium that failed there is no run
    maps: Mapping[str, str] = dict(table_rows(run_dir, "maps", ("map", "path")))
    about = {"media_id": str(medium.media_id), "name": medium.name}
    aois = [_aoi(result, aoi) for aoi in result.aois or ()]
    write_answer(folder / "aois.json", _of_brand(result) | {"aois": aois})
    write_answer(folder / "ranges.json", _ranges(rated.ranges))
    verdict = verdict_of(rated.checks)
    if verdict == "open" and "aoi_scores" not in maps:  # what is required needs areas, which nobody has looked for
        verdict = "unknown"
    checks = [{name: getattr(check, name) for name in _CHECK} for check in rated.checks]
    write_answer(folder / "checks.json", {"verdict": verdict, "checks": checks})
    metrics = {
        "width": result.medium.width,
        "height": result.medium.height,
        "codec": result.medium.codec,
        "duration_s": result.medium.duration_s,
        "share_read": result.share_read,
        "novelty": result.novelty,
        **_of_brand(result),
        "mediaan": run.facts["mediaan"],
        "models": run.facts["models"],
        "metrics": _by_time(result, result.scores, ("lo", "hi", "unit", "basis")),
        "frames": [_without_id(frame_row(result.medium.medium_id, frame)) for frame in result.frames],
        "scenes": [_without_id(scene_row(result.medium.medium_id, scene)) for scene in result.scenes],
        "problems": [{"code": problem.code, "message": problem.message} for problem in result.problems],
    }
    write_answer(folder / "metrics.json", about | {"type": medium.type} | metrics)
    # of a video the films go before its mean maps
    films = {spec.film_of: maps[film] for film, spec in MAPS.items() if spec.film_of and film in maps}
    images = {name: path for name, path in maps.items() if name not in ("density", "original", *RESULT_NAMES)}
    files = {"metrics": f"{FOLDER}/metrics.json", **images, **films, "formatted": maps["original"]}
    for name in RESULT_NAMES:
        if name in maps:
            write_answer(folder / f"{name}.json", json.loads((run_dir / maps[name]).read_bytes()) | about)
            files[name] = f"{FOLDER}/{name}.json"
    small = thumbnail(run_dir / maps["original"])
    if small is None:
        raise SetupError(f"{maps['original']}: was just written and cannot be read", code="cannot_read")
    write_atomic(folder / "thumbnail.webp", small)
    files["thumbnail"] = f"{FOLDER}/thumbnail.webp"
    if medium.kind != "image":
        files |= _formatted(folder, source, result.medium.codec, maps)
    of_metrics = {score.metric: score.value for score in result.scores if score.time == usual_time(score.metric)}
    return Outcome(run_dir.name, of_metrics, files, result.medium.duration_s)


def write_answer(path: Path, content: Mapping[str, Any]) -> None:
    """Write an answer as JSON."""
    write_atomic(path, (json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n").encode())


def _of_brand(result: Result) -> dict[str, bool | float | None]:
    return {"brand_found": result.brand_found, "brand_attention": result.brand_attention}


def _without_id(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "medium_id"}


def _by_time(result: Result, scores: Iterable[Score], keys: tuple[str, ...]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return metric → time → a score of a medium or of an area, and how far it moves; why it is null where it is."""
    by_time: dict[str, dict[str, dict[str, Any]]] = {}
    for score in scores:
        content = {"value": score.value, "repeatability": result.repeatability(score)}
        content |= {key: getattr(score, key) for key in keys} | ({"reason": score.reason} if score.reason else {})
        by_time.setdefault(score.metric, {})[score.time] = content
    return by_time


def _aoi(result: Result, aoi: Aoi) -> dict[str, Any]:
    return {
        "uuid": str(aoi.aoi_id),
        "aoi_type": aoi.type,
        "label": aoi.label,
        "box": list(aoi.box),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "t0_s": aoi.t0_s,
        "t1_s": aoi.t1_s,
        "track": [[sighting.t_s, *sighting.box, sighting.confidence] for sighting in aoi.track],
        "source": aoi.source,
        "method": aoi.method,
        "confidence": aoi.confidence,
        "text": aoi.words,
        "scores": _by_time(result, aoi.scores, ("lo", "hi", "unit")),
    }


def _ranges(ranges: Sequence[BenchmarkRange]) -> dict[str, Any]:
    """Return recommended ranges; without any, what keeps most scores from having one."""
    recommended = recommended_ranges(ranges)
    if recommended["medium"] or recommended["aois"]:
        return recommended | {"reason": None}
    reasons = Counter(rated.reason for rated in ranges if rated.reason)
    return recommended | {"reason": reasons.most_common(1)[0][0] if reasons else _NEVER_COMPARED}


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
