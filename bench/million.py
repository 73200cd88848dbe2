"""A run of very many media with invented scores, one step at a time: ``python -m bench.million STEP FOLDER --rows N``.

Each step is a process of its own, so that `bench.growth` can measure its memory. What `mediaan analyze` does after the
last medium goes through the same code here: inventory, tables compacted from parts, ratings, rules, report.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark import find_norm_set
from mediaan.metrics import metric_specs, metrics_of
from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.run.inventory import InventoryItem, InventoryWriter
from mediaan.run.metadata import RUN_FILE, pack_objectives
from mediaan.run.parts import ResultPart
from mediaan.run.tables.rows import columns_of
from mediaan.run.tables.writing import write_tables
from mediaan.workflow.ranges import rate_run, refresh_rule_results

STEPS = ("inventory", "tables", "ratings", "rules", "report")
_DRIVERS = ("text_height", "white_space")
_A_FOLDER = 1000  # media
_AT = datetime(2026, 3, 2, 9, 30)


def main() -> None:
    """Do one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args()
    {"inventory": _inventory, "tables": _tables, "ratings": _ratings, "rules": _rules, "report": _report}[asked.step](
        asked.folder, asked.rows
    )


def _inventory(run: Path, rows: int) -> None:
    run.mkdir(parents=True, exist_ok=True)
    inventory = InventoryWriter(run)
    for i in range(rows):
        inventory.add(InventoryItem(_path(i), 20_000 + i % 997, str(10**18 + i), _id(i)))
    inventory.save(complete=True)


def _tables(run: Path, rows: int) -> None:
    (run / "tables").mkdir(parents=True, exist_ok=True)
    write_tables(run / "tables", ((_path(i), _part(i)) for i in range(rows)))
    (run / RUN_FILE).write_text(json.dumps(_facts(rows)))


def _ratings(run: Path, rows: int) -> None:
    rate_run(run)


def _rules(run: Path, rows: int) -> None:
    refresh_rule_results(read_run(run))


def _report(run: Path, rows: int) -> None:
    write_report(read_run(run))


def _path(i: int) -> str:
    return f"campaign {i // _A_FOLDER:04d}/creative {i:07d}.png"


def _id(i: int) -> UUID:
    """Ids of content are in no order; these are made from numbers that are not either."""
    return UUID(int=(i * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128)


def _part(i: int) -> ResultPart:
    """One in a thousand failed; the others are pictures with eight scores, each moved by two properties."""
    medium_id, path = str(_id(i)), _path(i)
    media = {"path": path, "medium_id": medium_id, "name": path.rpartition("/")[2], "created_at": _AT, "seconds": 0.1}
    if i % 1000 == 999:
        reason = {"code": "truncated", "message": f"{path}: the file ends in mid-picture; export it again"}
        failed = {
            "status": "failed",
            "error_code": reason["code"],
            "error_message": reason["message"],
            "size_bytes": 12,
        }
        problem = {"path": path, "medium_id": medium_id, "severity": "error"} | reason
        return _of_rows(i, {"media": [media | failed], "problems": [problem]})
    done = {"type": "image", "status": "done", "width": 96, "height": 96, "codec": "png", "size_bytes": 20_000 + i}
    scores = list(_scores(i, medium_id))
    drivers = [row for score in scores for row in _moved(score)]
    media_row = media | done | {"share_read": 1.0, "novelty": (i % 9973) / 9973}
    return _of_rows(i, {"media": [media_row], "metrics": scores, "drivers": drivers})


def _of_rows(i: int, rows: dict[str, list[dict[str, Any]]]) -> ResultPart:
    tables = {name: columns_of(of_table) for name, of_table in rows.items()}
    return ResultPart(key=f"{i:032x}", tables=tables, sizes={}, stages={"attention": 0.1})


def _scores(i: int, medium_id: str) -> Iterator[dict[str, Any]]:
    values = np.random.default_rng(i).uniform(5, 95, len(metrics_of("image"))).tolist()
    for metric, value in zip(metrics_of("image"), values, strict=True):
        yield {
            "medium_id": medium_id,
            "metric": metric.spec.name,
            "metric_time": metric.window,
            "value": value,
            "lo": value - 5,
            "hi": value + 5,
            "basis": metric.spec.basis,
            "unit": metric.spec.unit,
        }


def _moved(score: dict[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {key: score[key] for key in ("medium_id", "metric", "metric_time")}
    for rank, driver in enumerate(_DRIVERS, 1):
        yield shared | {"rank": rank, "driver": driver, "value": 1.0, "points": 5.0 / rank, "text": f"much {driver}"}


def _facts(rows: int) -> dict[str, Any]:
    """As of a run with the norm set's own comparability_key, objectives for each folder, and two rules."""
    key = find_norm_set("ads").comparability_key
    objectives = [{"purpose": "conversion"}, {"purpose": "brand_building", "country": "DE"}]
    return {
        "mediaan": key.mediaan,
        "created_at": "2026-03-02T09:30:00+00:00",
        "recipe": {"exposure_s": key.exposure_s, "fps": key.fps, "fast": False, "aois": "none"},
        "recipe_id": "bench",
        "models": [{"name": key.model, "sha256": key.model_sha256}]
        + [{"name": name, "sha256": sha256} for name, sha256 in key.finders],
        "scores_id": key.scores_id,
        "metrics": [asdict(spec) for spec in metric_specs()],
        "aoi_metrics": [asdict(spec) for spec in AOI_METRICS],
        "maps": [],
        "objectives": pack_objectives((_path(i), objectives[i // _A_FOLDER % 2]) for i in range(rows)),
        "rules": ["focus >= 20", {"rule": "memory >= p30", "severity": "warning"}],
        "targets": {},
        "device": "cpu",
        "counts": {"done": rows - rows // 1000, "failed": rows // 1000, "skipped": 0},
        "seconds": 0.1 * rows,
        "media_per_s": 10.0,
    }


if __name__ == "__main__":
    main()
