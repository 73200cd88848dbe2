"""What small pictures do to AOIs: `python benchmarks_data/sizes.py FOLDER...` analyzes them as they are and at 512 px.

Those whose long side is under 1024 px are passed over.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image

import mediaan as mn

LEAST_PX, SMALL_PX = 1024, 512


def copies(folders: list[Path], target: Path) -> None:
    """Large pictures as they are, and small, as PNG."""
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.suffix not in (".jpg", ".png", ".webp"):
                continue
            with Image.open(path) as opened:
                picture = opened.convert("RGB")
            if max(picture.size) < LEAST_PX:
                continue
            for name, side in (("large", max(picture.size)), ("small", SMALL_PX)):
                (target / name).mkdir(exist_ok=True)
                scale = side / max(picture.size)
                size = (round(picture.width * scale), round(picture.height * scale))
                picture.resize(size, Image.Resampling.LANCZOS).save(target / name / f"{path.stem}.png")


def measured(folder: Path, workers: int) -> mn.Run:
    return mn.analyze_folder(
        folder, folder.with_name(f"{folder.name}-run"), maps=(), aois="all", densities=False,
        advice="none", workers=workers,
    )  # fmt: skip


def aois_of(run: mn.Run) -> pd.DataFrame:
    """Count areas by type, with their median attention and percentage seen."""
    scores = run.aoi_scores[(run.aoi_scores.metric_time == "total")].merge(run.aois[["medium_id", "aoi_id", "type"]])
    wide = scores.pivot(index=["type", "aoi_id"], columns="metric", values="value").groupby("type")
    return wide.agg(n=("attention", "size"), attention=("attention", "median"), seen=("percentage_seen", "median"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        copies(args.folders, Path(scratch))
        large, small = (measured(Path(scratch) / name, args.workers) for name in ("large", "small"))
        print(f"{len(large.media)} pictures")
        found = pd.concat({"large": aois_of(large), "small": aois_of(small)}, axis=1)
        print(found.round(2).to_string())
        before, after = (run.scores.set_index("path") for run in (large, small))
        for metric in (spec["name"] for spec in large.facts["metrics"]):
            moved = (after[metric] - before[metric]).dropna()
            if len(moved):
                print(f"{metric}: mean {moved.mean():+.2f}, median of sizes {moved.abs().median():.2f}")


if __name__ == "__main__":
    main()
