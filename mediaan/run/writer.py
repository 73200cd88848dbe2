"""Writing a run: outcomes gather as media finish, tables are laid down at the end."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.aoi_rows import aoi_row, score_rows, track_rows
from mediaan.run.files import make_folder, remove_files, write_whole
from mediaan.run.schema import TABLES
from mediaan.types.result import Failed, Outcome, Result

RUN_FILE = "run.json"
UNFINISHED_FILE = "unfinished.json"
"""Lies in a run directory from the first medium to the last table: what an interrupted run leaves can be taken up."""
SCRATCH_FOLDER = ".scratch"
"""For films that are being made; empty but during a run."""

Row = dict[str, Any]

_ROWS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class _Entry:
    """What came of one file, and when."""

    outcome: Outcome
    files: Mapping[str, str]
    seconds: float
    at: datetime


class RunWriter:
    """Gathers outcomes and writes the tables and ``run.json``.

    Parameters
    ----------
    run_dir : Path
        Made if absent. A folder that holds something else than a run of the same recipe is refused.
    facts : mapping
        What ``run.json`` says beside the counts: recipe, versions, models, metrics, maps.

    Raises
    ------
    UsageError
        `run_dir` is a file, holds other things, holds a run of another recipe, or cannot be made.
    """

    def __init__(self, run_dir: Path, facts: Mapping[str, Any]) -> None:
        self.run_dir = run_dir
        self._facts = dict(facts)
        self._entries: dict[str, _Entry] = {}
        _check_folder(run_dir, self._facts.get("recipe_id"))
        make_folder(run_dir)
        shutil.rmtree(run_dir / SCRATCH_FOLDER, ignore_errors=True)
        make_folder(run_dir / SCRATCH_FOLDER)
        write_whole(run_dir / UNFINISHED_FILE, _as_json({"recipe_id": self._facts.get("recipe_id")}))

    @property
    def scratch(self) -> Path:
        """Folder for files in the making."""
        return self.run_dir / SCRATCH_FOLDER

    def add(self, outcome: Outcome, files: Mapping[str, str], seconds: float) -> None:
        """Take in what came of one file."""
        self._entries[outcome.path] = _Entry(outcome, files, seconds, datetime.now(UTC).replace(tzinfo=None))

    def finish(self, *, order: Sequence[str], skipped: int, seconds: float) -> dict[str, Any]:
        """Write the tables, then ``run.json``; returns the latter's contents.

        Parameters
        ----------
        order : sequence of str
            Paths in the order in which rows shall stand, whatever the order in which workers finished.
        skipped : int
            Files that are no media.
        seconds : float
            Wall time of the run, s.
        """
        entries = [self._entries[path] for path in order]
        firsts = self._firsts(entries)
        rows: dict[str, Iterator[Row]] = {
            "media": map(_media_row, entries),
            "metrics": chain.from_iterable(map(_metric_rows, firsts)),
            "drivers": chain.from_iterable(map(_driver_rows, firsts)),
            "frames": chain.from_iterable(map(_frame_rows, firsts)),
            "scenes": chain.from_iterable(map(_scene_rows, firsts)),
            "aois": chain.from_iterable(map(_aoi_rows, firsts)),
            "aoi_tracks": chain.from_iterable(map(_track_rows, firsts)),
            "aoi_scores": chain.from_iterable(map(_aoi_score_rows, firsts)),
            "maps": chain.from_iterable(map(_map_rows, firsts)),
            "problems": chain.from_iterable(map(_problem_rows, entries)),
            "benchmark_ranges": iter(()),  # they follow from the others: `mediaan.run.derived`
            "rule_results": iter(()),
        }
        make_folder(self.run_dir / "tables")
        for name, schema in TABLES.items():
            write_whole(self.run_dir / "tables" / f"{name}.parquet", _as_parquet(rows[name], schema))
        facts = {**self._facts, **_sums(entries, seconds)}
        facts["counts"]["skipped"] = skipped
        write_whole(self.run_dir / RUN_FILE, _as_json(facts))
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.run_dir / UNFINISHED_FILE).unlink(missing_ok=True)
        return facts

    def _firsts(self, entries: Sequence[_Entry]) -> list[_Entry]:
        """The first of each medium's results; what the same bytes under other names left in ``maps/`` is removed."""
        firsts: dict[str, _Entry] = {}
        for entry in entries:
            if isinstance(entry.outcome, Result):
                first = firsts.setdefault(str(entry.outcome.medium.medium_id), entry)
                remove_files(self.run_dir, set(entry.files.values()) - set(first.files.values()))
        return list(firsts.values())


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    finished = (folder / RUN_FILE).is_file() and (folder / "tables").is_dir()
    return finished or (folder / UNFINISHED_FILE).is_file()


def _check_folder(run_dir: Path, recipe_id: object) -> None:
    if not run_dir.exists():
        return
    if not run_dir.is_dir():
        raise UsageError(f"--out {run_dir}: is a file; name a folder", code="bad_out")
    if not any(run_dir.iterdir()):
        return
    earlier = [_recipe_id(run_dir / name) for name in (UNFINISHED_FILE, RUN_FILE) if (run_dir / name).exists()]
    if not earlier or None in earlier:
        raise UsageError(
            f"--out {run_dir}: holds files that are no run of mediaan; name a new or empty folder", code="bad_out"
        )
    if set(earlier) != {recipe_id}:
        raise UsageError(
            f"--out {run_dir}: holds a run of another recipe ({earlier[0]}: other settings, model or version); "
            "name another folder, or delete this one",
            code="bad_out",
        )


def _recipe_id(path: Path) -> str | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = facts.get("recipe_id") if isinstance(facts, dict) else None
    return found if isinstance(found, str) else None


def _as_json(facts: Mapping[str, Any]) -> bytes:
    return (json.dumps(facts, indent=2) + "\n").encode()


def _as_parquet(rows: Iterator[Row], schema: pa.Schema) -> bytes:
    """A table as a file, some thousand rows at a time: hours of video make hundreds of thousands."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return bytes(sink.getvalue().to_pybytes())


def _media_row(entry: _Entry) -> Row:
    outcome = entry.outcome
    row: Row = {
        "path": outcome.path,
        "size_bytes": outcome.size_bytes,
        "created_at": entry.at,
        "seconds": entry.seconds,
    }
    if isinstance(outcome, Failed):
        return row | {
            "medium_id": outcome.medium_id,
            "name": outcome.name,
            "status": "failed",
            "error_code": outcome.code,
            "error_message": outcome.message,
        }
    medium = outcome.medium
    return row | {
        "medium_id": str(medium.medium_id),
        "name": medium.name,
        "type": medium.kind,
        "status": "done",
        "width": medium.width,
        "height": medium.height,
        "codec": medium.codec,
        "duration_s": medium.duration_s,
        "frame_rate": None if medium.frame_rate is None else float(medium.frame_rate),
        "share_read": outcome.share_read,
        "novelty": outcome.novelty,
    }


def _metric_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    for score in entry.outcome.scores:
        yield {
            "medium_id": str(entry.outcome.medium.medium_id),
            "metric": score.metric,
            "metric_time": score.time,
            "value": score.value,
            "lo": score.lo,
            "hi": score.hi,
            "basis": score.basis,
            "unit": score.unit,
            "reason": score.reason,
        }


def _driver_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    for score in entry.outcome.scores:
        for rank, driver in enumerate(score.drivers, 1):
            yield {
                "medium_id": str(entry.outcome.medium.medium_id),
                "metric": score.metric,
                "metric_time": score.time,
                "rank": rank,
                "driver": driver.driver,
                "value": driver.value,
                "points": driver.points,
                "text": driver.text,
            }


def _frame_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    medium_id = str(entry.outcome.medium.medium_id)
    for frame in entry.outcome.frames:
        yield {"medium_id": medium_id} | asdict(frame)


def _scene_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    medium_id = str(entry.outcome.medium.medium_id)
    for scene in entry.outcome.scenes:
        yield {
            "medium_id": medium_id,
            "scene_id": scene.scene_id,
            "start_s": scene.start_s,
            "end_s": scene.end_s,
            "cut_type": scene.cut_type,
        } | dict(scene.scores)


def _aoi_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    for aoi in entry.outcome.aois or ():
        yield aoi_row(entry.outcome.medium.medium_id, aoi)


def _track_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    for aoi in entry.outcome.aois or ():
        yield from track_rows(entry.outcome.medium.medium_id, aoi)


def _aoi_score_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    yield from score_rows(entry.outcome.medium.medium_id, entry.outcome.aoi_scores)


def _map_rows(entry: _Entry) -> Iterator[Row]:
    assert isinstance(entry.outcome, Result)
    for name, path in entry.files.items():
        yield {"medium_id": str(entry.outcome.medium.medium_id), "map": name, "path": path}


def _problem_rows(entry: _Entry) -> Iterator[Row]:
    outcome = entry.outcome
    row = {"path": outcome.path}
    if isinstance(outcome, Failed):
        message = outcome.trace or outcome.message
        yield row | {
            "medium_id": outcome.medium_id,
            "severity": "error",
            "code": outcome.code,
            "message": message,
        }
        return
    for problem in outcome.problems:
        yield row | {
            "medium_id": str(outcome.medium.medium_id),
            "severity": "warning",
            "code": problem.code,
            "message": problem.message,
        }


def _sums(entries: Sequence[_Entry], seconds: float) -> dict[str, Any]:
    results = [entry.outcome for entry in entries if isinstance(entry.outcome, Result)]
    stages: Counter[str] = Counter()
    for result in results:
        stages.update(dict(result.stages))
    return {
        "counts": {"done": len(results), "failed": len(entries) - len(results)},
        "seconds": round(seconds, 3),
        "media_per_s": round(len(entries) / seconds, 3) if seconds > 0 else None,
        "stages": {name: round(value, 4) for name, value in stages.items()},
    }
