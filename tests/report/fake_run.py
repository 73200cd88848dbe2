"""A run directory as an analysis would leave it, made from numpy pictures and seeded scores."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from mediaan.run.tables.schema import TABLES

METRICS = [
    ("focus", "Focus", "total", "higher", "measured", "How strongly attention gathers in few places."),
    ("focus_first_two", "Focus, first 2 s", "start", "higher", "measured", "Focus of the first two seconds."),
    ("focus_last_two", "Focus, last 2 s", "end", "higher", "measured", "Focus of the last two seconds."),
    ("cognitive_demand", "Cognitive demand", "total", "middle", "learned", "How much there is to take in."),
    ("clarity", "Clarity", "total", "higher", "learned", "How easily the message can be taken in."),
    ("engagement", "Engagement", "total", "higher", "proxy", "How lively and appealing the image is."),
    ("memory", "Memory", "total", "higher", "proxy", "How likely the image is to be recognised."),
]
MAPS = [
    ("heat", "Attention"),
    ("fog", "Fog"),
    ("first_two_heat", "First 2 s"),
    ("first_two_fog", "First 2 s, fog"),
    ("last_two_heat", "Last 2 s"),
    ("last_two_fog", "Last 2 s, fog"),
    ("clarity_heat", "Clarity"),
    ("engagement_heat", "Engagement"),
    ("cognitive_demand_heat", "Cognitive demand"),
]
MAP_NAMES = ("original", *(name for name, _ in MAPS))
HOSTILE = "</script><img src=x onerror=\"alert('1')\">&amp;.png"
DRIVERS = [
    ("text_height", 18.4, "large text: smaller lines 6.1 % of the height (median 3.0 %)"),
    ("feature_congestion", -9.25, "much clutter: feature congestion 5.2 (median 3.9) <b>"),
    ("white_space", 0.04, "little empty space: empty space 21 % (median 25 %)"),
]
UNLIKE = 5  # the medium that is unlike the training material
NAMES = ["spring hero.jpg", HOSTILE, "été—夏.webp", "=cmd|calc.png", "50% off #1?.jpg"]


def medium_id(i: int) -> str:
    return f"00000000-0000-4000-8000-{i:012d}"


def name_of(i: int) -> str:
    return NAMES[i] if i < len(NAMES) else f"ad {i:03d}.jpg"


def score_of(i: int, metric: str, n: int) -> float | None:
    """Scores follow from the index, so a test can work them out: focus falls from 95, medium 4 has no clarity."""
    if metric == "clarity" and i == 4:
        return None
    if metric == "focus":
        return 95.0 - 90.0 * i / n
    rng = np.random.default_rng([i, len(metric), n])
    return float(np.clip(rng.normal(55, 18), 2, 98))


def by_score(metric: str, n: int = 12) -> list[str]:
    """Names of the media that have a score, the highest first."""
    known = {name_of(i): score for i in range(n) if (score := score_of(i, metric, n)) is not None}
    return sorted(known, key=lambda name: -known[name])


def write_fake_run(run_dir: Path, n: int = 12, *, maps: Sequence[str] = MAP_NAMES, failed: bool = True) -> Path:
    """Write a run of `n` distinct media; medium 0 lies in two places, one more file could not be read."""
    media = [_media_row(f"ads/{name_of(i)}", i) for i in range(n)]
    media.append(_media_row("copies/spring hero.jpg", 0))
    if failed:
        media.append(_failed_row("ads/broken <b>.jpg"))
    tables = {
        "media": media,
        "metrics": [_metric_row(i, metric, n) for i in range(n) for metric in METRICS],
        "drivers": [row for i in range(n) for metric in METRICS for row in _driver_rows(i, metric)],
        "maps": [row for i in range(n) for row in _write_maps(run_dir, i, maps)],
        "problems": [_problem(2, "profile_ignored", "The colour profile is damaged <i>and</i> was ignored.")][: n > 2],
    }
    (run_dir / "tables").mkdir(parents=True, exist_ok=True)
    for name, schema in TABLES.items():
        table = pa.Table.from_pylist(tables.get(name, []), schema=schema)
        pq.write_table(table, run_dir / "tables" / f"{name}.parquet")
    (run_dir / "run.json").write_text(json.dumps(_description(n, failed)), encoding="utf-8")
    return run_dir


def _media_row(path: str, i: int) -> dict[str, object]:
    return {
        "path": path,
        "medium_id": medium_id(i),
        "name": path.removeprefix("ads/").removeprefix("copies/"),
        "type": "image",
        "status": "done",
        "error_code": None,
        "error_message": None,
        "width": 1200,
        "height": 900,
        "codec": "jpeg",
        "size_bytes": 345_678 + i,
        "share_read": 1.0,
        "novelty": 0.9964 if i == UNLIKE else 0.4,
        "created_at": datetime(2026, 3, 2, 9, 30),
        "seconds": 0.4,
    }


def _failed_row(path: str) -> dict[str, object]:
    row = dict.fromkeys(_media_row("", 0))
    return row | {
        "path": path,
        "name": path.removeprefix("ads/"),
        "status": "failed",
        "error_code": "truncated",
        "error_message": "The file ends in mid-picture; export it again.",
        "size_bytes": 12,
        "created_at": datetime(2026, 3, 2, 9, 30),
        "seconds": 0.1,
    }


def _metric_row(i: int, metric: tuple[str, ...], n: int) -> dict[str, object]:
    name, _, time, _, basis, _ = metric
    value = score_of(i, name, n)
    half = 4.0 + i % 3
    return {
        "medium_id": medium_id(i),
        "metric": name,
        "metric_time": time,
        "value": value,
        "lo": None if value is None else max(value - half, 0.0),
        "hi": None if value is None else min(value + half, 100.0),
        "basis": basis,
        "unit": "score",
        "reason": "no text was found" if value is None else None,
    }


def _driver_rows(i: int, metric: tuple[str, ...]) -> list[dict[str, object]]:
    """Focus has none; what moves the others down is first for odd media."""
    if metric[0].startswith("focus") or score_of(i, metric[0], 1) is None:
        return []
    found = sorted(DRIVERS, key=lambda driver: -driver[1] if i % 2 == 0 else driver[1])
    rows = [{"rank": r, "driver": d, "value": 1.0, "points": p, "text": t} for r, (d, p, t) in enumerate(found, 1)]
    return [{"medium_id": medium_id(i), "metric": metric[0], "metric_time": metric[2]} | row for row in rows]


def _write_maps(run_dir: Path, i: int, maps: Sequence[str]) -> list[dict[str, object]]:
    folder = run_dir / "maps" / f"m {i}#-{i:08x}"
    folder.mkdir(parents=True)
    rows: list[dict[str, object]] = []
    for k, name in enumerate(maps):
        path = folder / f"{name}.jpg"
        picture = _picture(i, k)
        if name != "original":
            picture = np.concatenate([picture, np.full((14, 120, 3), 250, np.uint8)])  # the legend strip
        Image.fromarray(picture).save(path, quality=60)
        rows.append({"medium_id": medium_id(i), "map": name, "path": path.relative_to(run_dir).as_posix()})
    rows.append(
        {"medium_id": medium_id(i), "map": "density", "path": f"{folder.relative_to(run_dir).as_posix()}/d.npz"}
    )
    return rows


def _picture(i: int, k: int) -> np.ndarray:
    y, x = np.mgrid[0:90, 0:120].astype(np.float32)
    blob = np.exp(-(((x - 10 - i * 7 % 100) / 20) ** 2) - ((y - 20 - k * 5) / 15) ** 2)
    return np.stack([255 * blob, 2 * x, 255 - 2 * y], axis=2).clip(0, 255).astype(np.uint8)


def _problem(i: int, code: str, message: str) -> dict[str, object]:
    return {
        "path": f"ads/{name_of(i)}",
        "medium_id": medium_id(i),
        "severity": "warning",
        "code": code,
        "message": message,
    }


def _description(n: int, failed: bool) -> dict[str, object]:
    keys = ("name", "title", "time", "direction", "basis", "caption")
    metrics = [dict(zip(keys, metric, strict=True)) for metric in METRICS]
    return {
        "mediaan": "0.1.0",
        "created_at": "2026-03-02T09:30:00+00:00",
        "recipe": {"model": "attention", "maps": [name for name, _ in MAPS]},
        "recipe_id": "b1946ac92492d234",
        "models": [{"name": "attention", "sha256": "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"}],
        "device": "cpu",
        "counts": {"done": n, "failed": int(failed), "skipped": 0},
        "seconds": 8.4,
        "media_per_s": n / 8.4,
        "metrics": [m | {"unit": "score", "low": 0.0, "high": 100.0, "reference": "Invented 2026"} for m in metrics],
        "maps": [{"name": n, "title": t, "caption": f"{t}.", "scale": "0 to 4 times the average"} for n, t in MAPS],
        "objectives": {f"ads/{name_of(0)}": {"purpose": "brand_building", "industry": {"category": "food"}}},
    }


def data_of(page: Path | str) -> dict[str, Any]:
    """Return the data that the scripts of a page read, from its file or its text."""
    text = page.read_text("utf-8") if isinstance(page, Path) else page
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def facts_of(run_dir: Path) -> dict[str, Any]:
    return json.loads((run_dir / "run.json").read_text("utf-8"))


def add_facts(run_dir: Path, **facts: Any) -> None:
    """Put entries of run.json in the place of those that are there."""
    (run_dir / "run.json").write_text(json.dumps(facts_of(run_dir) | facts), encoding="utf-8")
