"""Writing a run: rows gather as media finish, tables are laid down at the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.files import write_whole
from mediaan.run.schema import TABLES
from mediaan.types.outcome import Problem
from mediaan.types.result import Failed, Outcome, Result


class RunWriter:
    """Gathers outcomes and writes the tables and ``run.json``.

    Parameters
    ----------
    run_dir : Path
        Made if absent. A folder that holds something else than a run is refused.
    facts : mapping
        What ``run.json`` says beside the counts: recipe, versions, models, metrics, maps.

    Raises
    ------
    UsageError
        `run_dir` is a file, holds other things, or holds a run of another recipe.
    """

    def __init__(self, run_dir: Path, facts: Mapping[str, Any]) -> None:
        self.run_dir = run_dir
        self._facts = dict(facts)
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self._seen: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._stages: Counter[str] = Counter()
        self._check_folder()
        run_dir.mkdir(parents=True, exist_ok=True)

    def _check_folder(self) -> None:
        if not self.run_dir.exists():
            return
        if not self.run_dir.is_dir():
            raise UsageError(f"--out {self.run_dir}: is a file; name a folder", code="bad_out")
        if not any(self.run_dir.iterdir()):
            return
        try:
            earlier = json.loads((self.run_dir / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--out {self.run_dir}: holds files that are no run of mediaan; name a new or empty folder",
                code="bad_out",
            ) from error
        if earlier.get("recipe_id") != self._facts.get("recipe_id"):
            raise UsageError(
                f"--out {self.run_dir}: holds a run of another recipe ({earlier.get('recipe_id')}); "
                "name another folder, or delete this one",
                code="bad_out",
            )

    def add(self, outcome: Outcome, files: Mapping[str, str], seconds: float) -> None:
        """Take in what came of one file."""
        if isinstance(outcome, Failed):
            self._add_failed(outcome, seconds)
        else:
            self._add_result(outcome, files, seconds)

    def _add_failed(self, failed: Failed, seconds: float) -> None:
        self._counts["failed"] += 1
        self._rows["media"].append(
            {
                "path": failed.path,
                "medium_id": failed.medium_id,
                "name": failed.name,
                "status": "failed",
                "error_code": failed.code,
                "error_message": failed.message,
                "size_bytes": failed.size_bytes,
                "created_at": datetime.now(UTC),
                "seconds": seconds,
            }
        )
        self._add_problem(failed.path, failed.medium_id, "error", Problem(failed.code, failed.trace or failed.message))

    def _add_result(self, result: Result, files: Mapping[str, str], seconds: float) -> None:
        medium, medium_id = result.medium, str(result.medium.medium_id)
        self._counts["done"] += 1
        self._stages.update(dict(result.stages))
        self._rows["media"].append(
            {
                "path": result.path,
                "medium_id": medium_id,
                "name": medium.name,
                "type": medium.kind,
                "status": "done",
                "width": medium.width,
                "height": medium.height,
                "codec": medium.codec,
                "size_bytes": result.size_bytes,
                "created_at": datetime.now(UTC),
                "seconds": seconds,
            }
        )
        for problem in result.problems:
            self._add_problem(result.path, medium_id, "warning", problem)
        if medium_id in self._seen:  # the same bytes under another path: its numbers are there already
            return
        self._seen.add(medium_id)
        self._rows["metrics"] += [
            {
                "medium_id": medium_id,
                "metric": s.metric,
                "metric_time": s.time,
                "value": s.value,
                "lo": s.lo,
                "hi": s.hi,
                "basis": s.basis,
                "unit": s.unit,
                "reason": s.reason,
            }
            for s in result.scores
        ]
        self._rows["maps"] += [{"medium_id": medium_id, "map": name, "path": path} for name, path in files.items()]

    def _add_problem(self, path: str, medium_id: str | None, severity: str, problem: Problem) -> None:
        row = {
            "path": path,
            "medium_id": medium_id,
            "severity": severity,
            "code": problem.code,
            "message": problem.message,
        }
        self._rows["problems"].append(row)

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
        self._sort({path: i for i, path in enumerate(order)})
        (self.run_dir / "tables").mkdir(exist_ok=True)
        for name, schema in TABLES.items():
            table = pa.Table.from_pylist(self._rows[name], schema=schema)
            sink = pa.BufferOutputStream()
            pq.write_table(table, sink, compression="zstd")
            write_whole(self.run_dir / "tables" / f"{name}.parquet", sink.getvalue().to_pybytes())
        total = self._counts["done"] + self._counts["failed"]
        facts = {
            **self._facts,
            "counts": {"done": self._counts["done"], "failed": self._counts["failed"], "skipped": skipped},
            "seconds": round(seconds, 3),
            "media_per_s": round(total / seconds, 3) if seconds > 0 else None,
            "stages": {name: round(value, 4) for name, value in self._stages.items()},
        }
        write_whole(self.run_dir / "run.json", (json.dumps(facts, indent=2) + "\n").encode())
        return facts

    def _sort(self, rank: Mapping[str, int]) -> None:
        self._rows["media"].sort(key=lambda row: rank[row["path"]])
        self._rows["problems"].sort(key=lambda row: rank[row["path"]])
        by_id: dict[str, int] = {}
        for i, row in enumerate(self._rows["media"]):
            by_id.setdefault(row["medium_id"], i)
        for name in ("metrics", "maps"):
            self._rows[name].sort(key=lambda row: by_id[row["medium_id"]])
