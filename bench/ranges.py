"""How long rating takes: a run of many pictures with invented scores, held against the norm set that ships.

``python -m bench.ranges [--media 10000] [--areas 0]``
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import numpy as np

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.registry import find_norm_set
from mediaan.metrics import metric_specs, metrics_of
from mediaan.run import TABLES
from mediaan.run.metadata import RUN_FILE
from mediaan.run.tables.writing import replace_table
from mediaan.types.aoi import AOI_TYPES
from mediaan.workflow.rating.ranges import rate_run


def main() -> None:
    """Write the run, rate it, and say how long that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--media", type=int, default=10_000)
    parser.add_argument("--areas", type=int, default=0, help="areas of each medium")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder)
        _write(run, asked.media, asked.areas)
        began, worked = time.perf_counter(), time.process_time()
        populations = rate_run(run)
        seconds, cpu = time.perf_counter() - began, time.process_time() - worked
        rows = json.loads((run / RUN_FILE).read_text())["benchmark"]["ranges"]
    names = ", ".join(norms.name for norms in populations.sets.values())
    print(f"{rows} scores of {asked.media} media against {names}: {seconds:.1f} s ({cpu:.1f} s of one core)")


def _write(run: Path, media: int, areas: int) -> None:
    """Scores are even between 0 and 100, each with an interval."""
    rng = np.random.default_rng(0)
    ids = [str(UUID(int=i)) for i in range(media)]
    now = datetime.now(UTC).replace(tzinfo=None)
    known = {"type": "image", "status": "done", "created_at": now, "seconds": 1.0}
    rows = {
        "media": [{"path": f"{i}.png", "name": f"{i}.png", "medium_id": i} | known for i in ids],
        "metrics": [
            {"medium_id": i, "metric": m.spec.name, "metric_time": m.window}
            | {"basis": m.spec.basis, "unit": m.spec.unit}
            | _score(rng)
            for i in ids
            for m in metrics_of("image")
        ],
        "aois": [_area(i, k) for i in ids for k in range(areas)],
        "aoi_scores": [
            {"medium_id": i, "aoi_id": f"{i}-{k}", "metric": spec.name, "metric_time": when, "unit": spec.unit}
            | _score(rng)
            for i in ids
            for k in range(areas)
            for spec in AOI_METRICS
            for when in ("total", "start", "end")
        ],
    }
    (run / "tables").mkdir()
    for name in TABLES:
        replace_table(run, name, rows.get(name, []))
    comparability_key = find_norm_set("ads").comparability_key
    facts = {
        "mediaan": comparability_key.mediaan,
        "recipe": {
            "exposure_s": comparability_key.exposure_s,
            "fps": comparability_key.fps,
            "fast": False,
            "aois": "all",
        },
        "recipe_id": "bench",
        "models": [{"name": comparability_key.model, "sha256": comparability_key.model_sha256}]
        + [{"name": name, "sha256": sha256} for name, sha256 in comparability_key.finders],
        "scores_id": comparability_key.scores_id,
        "metrics": [asdict(spec) for spec in metric_specs()],
    }
    (run / RUN_FILE).write_text(json.dumps(facts))


def _score(rng: np.random.Generator) -> dict[str, float]:
    value = float(rng.uniform(0, 100))
    return {"value": value, "lo": value - 10, "hi": value + 10}


def _area(medium_id: str, k: int) -> dict[str, object]:
    known = {"medium_id": medium_id, "aoi_id": f"{medium_id}-{k}", "type": AOI_TYPES[k % len(AOI_TYPES)]}
    return known | {"label": "", "source": "drawn", "method": "drawn", "x0": 0.0, "y0": 0.0, "x1": 1.0, "y1": 1.0}


if __name__ == "__main__":
    main()
