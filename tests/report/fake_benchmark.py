"""Ranges and rule results for a fake run, worked out from a population whose edges are known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from fake_run import add_facts, medium_id, name_of

from mediaan.run.tables.writing import replace_table
from mediaan.types.benchmark import CATEGORIES, EDGES

EDGES_OF: Mapping[str, tuple[float, ...]] = {
    "focus": (20.0, 40.0, 60.0, 85.0),
    "cognitive_demand": (13.0, 29.5, 50.9, 63.0),
    "memory": (40.0, 50.0, 60.0, 64.0),
}
USUAL = (15.0, 38.0, 72.0, 90.0)
TARGETS: Mapping[str, tuple[str, ...]] = {
    "cognitive_demand": ("medium",),
    "memory": ("extreme_high",),
    "clarity": (),
    "engagement": ("extreme_low", "low"),
}
UPWARDS = ("high", "extreme_high")
AREA_EDGES = (5.0, 30.0, 60.0, 75.0)
SET, TITLE, N = "ads", "Print and display advertisements", 198
SEGMENT, SEGMENT_N = "industry=food", 37
FALLBACK = "industry=food holds 7 media, fewer than 30; the whole was used."
WHY = "What gathers attention is seen <b>first</b>."


def add_benchmark(run_dir: Path, *, areas: bool = False) -> Path:
    """Give a fake run ranges: even media are compared with a segment, pacing with nothing."""
    rows = [_row(metric, i) for i, metric in _numbered(_table(run_dir, "metrics"))]
    if areas:
        types = {row["aoi_id"]: row["type"] for row in _table(run_dir, "aois")}
        rows += [_area_row(score, types[score["aoi_id"]]) for score in _table(run_dir, "aoi_scores")]
    media = list(dict.fromkeys(row["medium_id"] for row in _table(run_dir, "media")))
    replace_table(run_dir, "benchmark_ranges", sorted(rows, key=lambda row: media.index(row["medium_id"])))
    add_facts(run_dir, benchmark={"norm_sets": [{"name": SET, "title": TITLE, "n": N}], "refused": []})
    return run_dir


def add_checks(run_dir: Path, checks: Mapping[int, Mapping[str, str]]) -> Path:
    """Give a fake run checks by medium: name, with an exclamation mark where it is required, to status.

    ``~passed`` is likely, not certain.
    """
    rows = [
        {
            "medium_id": medium_id(i),
            "name": name.rstrip("!"),
            "title": f"{name.rstrip('!')} is so",
            "status": status.lstrip("~"),
            "required": name.endswith("!"),
            "sure": not status.startswith("~"),
            "probability": 0.7 if status.startswith("~") else None,
            "text": f"{name.rstrip('!')} of {i} has {status.lstrip('~')} <b>here</b>.",
            "todo": f"Mend {name.rstrip('!')}." if status.endswith("failed") else None,
            "why": "Because.",
            "source": "",
        }
        for i, of in checks.items()
        for name, status in of.items()
    ]
    replace_table(run_dir, "checks", rows)
    return run_dir


def some_checks(n: int) -> dict[int, dict[str, str]]:
    """Make checks of a fake run: every third medium fails, every fourth is too close to call, the others work."""
    found = {}
    for i in range(n):
        needed = "failed" if i % 3 == 2 else "close" if i % 4 == 3 else "passed"
        message = "close" if needed == "close" else "passed"
        other = "failed" if i % 2 else "close"
        found[i] = {"brand_seen!": needed, "message_seen!": message, "action_legible": other}
    return found


def add_rules(run_dir: Path, results: Sequence[Mapping[str, Any]], written: Sequence[Any] = ()) -> Path:
    """Give a fake run rule results; what a row lacks is a passed error."""
    usual = {"severity": "error", "status": "passed", "value": 50.0, "limit": 40.0, "margin": 10.0, "sure": True}
    replace_table(run_dir, "rule_results", [usual | {"name": row["rule"]} | dict(row) for row in results])
    add_facts(run_dir, rules=list(written))
    return run_dir


RULES = ("focus >= 30", "Readable", "Branded")
STATUSES = {0: "ppp", 1: "fpf", 2: "pfp", 3: "pps"}
"""Passed, failed or skipped, of a medium by each of the rules, the second of which warns; other media pass all."""


def add_some_rules(run_dir: Path, n: int) -> Path:
    words = {"p": "passed", "f": "failed", "s": "skipped"}
    results = [
        {"path": f"ads/{name_of(i)}", "medium_id": medium_id(i), "rule": rule, "status": words[status],
         "severity": "warning" if rule == "Readable" else "error", "sure": i != 1, "message": f"{rule}: <b>{i}</b>."}
        for i in range(n)
        for rule, status in zip(RULES, STATUSES.get(i, "ppp"), strict=True)
    ]  # fmt: skip
    return add_rules(run_dir, results, [{"rule": "focus >= 30", "why": "Two <b>seconds</b>."}])


def percentile(value: float, edges: Sequence[float], low: float = 0.0, high: float = 100.0) -> float:
    """Linear between the edges and the ends of the range."""
    return float(np.interp(value, (low, *edges, high), (0.0, *EDGES, 100.0)))


def category(value: float, edges: Sequence[float]) -> str:
    return CATEGORIES[bisect_right(edges, value)]


def recommended(edges: Sequence[float], target: Sequence[str]) -> tuple[float | None, float | None]:
    if not target:
        return None, None
    bounds = (0.0, *edges, 100.0)
    return bounds[CATEGORIES.index(target[0])], bounds[CATEGORIES.index(target[-1]) + 1]


def position(value: float, edges: Sequence[float], target: Sequence[str]) -> str | None:
    lower, upper = recommended(edges, target)
    if lower is None or upper is None:
        return None
    if lower <= value < upper:
        return "within"
    gap = abs(percentile(value, edges) - percentile(lower if value < lower else upper, edges))
    return "close_to" if gap <= 5 else "below" if value < lower else "above"


def standing(value: float, lo: float | None, hi: float | None, edges: Sequence[float], target: Sequence[str]) -> dict:
    lower, upper = recommended(edges, target)
    ends = {"": value, "_lo": lo, "_hi": hi}
    ranks = {f"percentile{key}": None if end is None else percentile(end, edges) for key, end in ends.items()}
    names = {f"category{key}": None if end is None else category(end, edges) for key, end in ends.items()}
    return ranks | names | {
        "sure": None if lo is None else names["category_lo"] == names["category_hi"],
        "lower": lower,
        "upper": upper,
        "target": list(target),
        "position": position(value, edges, target),
        "edges": list(edges),
        "edges_lo": [edge - 2.5 for edge in edges],
        "edges_hi": [edge + 1.5 for edge in edges],
    }  # fmt: skip


def _row(score: Mapping[str, Any], i: int) -> dict[str, Any]:
    keys = ("medium_id", "metric", "metric_time", "value", "lo", "hi")
    row = {key: score[key] for key in keys} | {"norm_set": SET, "segment": "all"}
    if score["metric"] == "pacing":
        return row | {"reason": "The norm set ads is one of pictures."}
    if score["value"] is None:
        return row | {"reason": f"there is no score: {score['reason']}"}
    target = TARGETS.get(score["metric"], UPWARDS)
    found = standing(score["value"], score["lo"], score["hi"], EDGES_OF.get(score["metric"], USUAL), target)
    part = {"segment": SEGMENT, "n": SEGMENT_N} if i % 2 == 0 else {"n": N, "fallback": FALLBACK}
    return (
        row | found | part | {"score_title": _sentence(score, found), "why": WHY if target else "Neither end is good."}
    )


def _area_row(score: Mapping[str, Any], of: str) -> dict[str, Any]:
    keys = ("medium_id", "aoi_id", "metric", "metric_time", "value", "lo", "hi")
    row = {key: score[key] for key in keys} | {"aoi_type": of, "norm_set": SET, "segment": "all"}
    if score["value"] is None or score["metric"] not in ("percentage_seen", "attention", "time_spent"):
        return row | {"reason": "No such norm."}
    target = UPWARDS if of == "branding" else ()
    found = standing(score["value"], score["lo"], score["hi"], AREA_EDGES, target)
    return row | found | {"n": 538, "score_title": _sentence(score, found)}


def _sentence(score: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    words = str(found["position"] or "beside").replace("_", " ")
    title = score["metric"].replace("_", " ").capitalize()
    return f"{title} is {score['value']:.0f}, {words} {found['lower']} to {found['upper']} of {N} ads."


def _numbered(rows: Iterable[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    rows = list(rows)
    ids = {medium: i for i, medium in enumerate(dict.fromkeys(row["medium_id"] for row in rows))}
    return [(ids[row["medium_id"]], row) for row in rows]


def _table(run_dir: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(run_dir / "tables" / f"{name}.parquet").to_pylist()
