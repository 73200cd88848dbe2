"""How often the main area of a type is right, and what is missed: `python models/training/checks.py --data DATA`.

DATA/ads holds the modern designs; their labels are in models/training/labels. Designs of the sides dev and check are
analysed with their brand named, as users do (a run is kept in --run and used again). The thresholds `least` in
mediaan/judge/checks.toml rest on what is printed.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import mediaan as mn
from mediaan.analysis import Execution, Recipe
from mediaan.aoi.scoring.main_area import main_area
from mediaan.run import Run, is_run, read_run
from mediaan.types.aoi import Box

LABELS = Path(__file__).resolve().parent / "labels"
KINDS = ("branding", "headline_text", "product", "offer", "call_to_action", "body_text", "face", "person")
LEAST = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)


def run_of(data: Path, images: list[str], where: Path) -> Run:
    """Analyse designs with their brands named; a run that is there is used again."""
    if is_run(where):
        return read_run(where)
    with (LABELS / "modern.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["image"] in images and row["brand"]]
    media = [{"match": f"**/{row['image']}", "brand": row["brand"]} for row in rows]
    aliases: dict[str, set[str]] = {}
    for row in rows:
        aliases.setdefault(row["brand"], set()).update(filter(None, row["aliases"].split("|")))
    brands = [{"name": name, "aliases": sorted(others)} for name, others in aliases.items()]
    with tempfile.TemporaryDirectory() as folder:
        objectives = Path(folder) / "objectives.yaml"
        objectives.write_text(json.dumps({"media": media, "brands": brands}), encoding="utf-8")
        settings = (Recipe(maps=(), objectives=objectives, benchmark="none"), Execution())
        return mn.analyze_folder([data / "ads" / "images" / image for image in images], where, *settings)


def kind_of(area: Any) -> str:
    """Type of an area; offers are told by their label."""
    return "offer" if area.type == "other" and area.label == "offer" else str(area.type)


def overlap(a: Box, b: Box) -> float:
    """Intersection over union, or 1 where most of the smaller box lies in the other."""
    inside = a.intersection(b) / max(min(a.area, b.area), 1e-9)
    return 1.0 if inside >= 0.7 else a.iou(b)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--run", type=Path, default=Path("checks_run"))
    args = parser.parse_args()
    drawn = {}
    for side in ("dev", "check"):
        drawn |= json.loads((LABELS / f"modern_{side}.json").read_text(encoding="utf-8"))
    run = run_of(args.data, sorted(drawn), args.run)
    names = run.media.set_index("medium_id").path.str.rsplit("/", n=1).str[-1]
    attention = run.aoi_scores.query("metric == 'attention' and metric_time == 'total'").set_index("aoi_id").value
    results: dict[str, list[SimpleNamespace]] = {}
    for row in run.aois.itertuples():
        box = Box(row.x0, row.y0, row.x1, row.y1)
        area = SimpleNamespace(type=row.type, label=row.label, box=box, confidence=row.confidence)
        area.attention, area.type = float(attention[row.aoi_id]), kind_of(area)
        results.setdefault(str(names[row.medium_id]), []).append(area)
    print(f"{len(drawn)} designs")
    for kind in KINDS:
        there, sure = [], []
        for image, labels in drawn.items():
            boxes = [Box(*label["box"]) for label in labels if kind == label["type"] or kind == label.get("label")]
            area = main_area(results.get(image, []), kind)
            there.append((bool(boxes), area is not None))
            if area is not None:
                sure.append((area.confidence, max((overlap(area.box, box) for box in boxes), default=0.0) >= 0.3))
        drawn_there, was_found = np.array(there).T
        missed = drawn_there[~was_found].mean() if (~was_found).any() else float("nan")
        right = [
            f"{np.mean([ok for _, ok in kept]):.2f} of {len(kept)} from {least:.1f}"
            for least in LEAST
            if (kept := [box for box in sure if box[0] >= least])
        ]
        print(
            f"{kind:15} drawn in {drawn_there.mean():.2f}; where none is found {missed:.2f}; right: {', '.join(right)}"
        )


if __name__ == "__main__":
    main()
