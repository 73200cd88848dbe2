"""Compare scores as a placement shows an ad with those of the cropped picture, predicted again.

    python bench/placements.py FOLDER [--count 60] [--seed 1]

For images of a folder that a placement crops by at least 2 %: areas are found and densities predicted on the whole
picture; scores as shown come from these. Then the crop is saved and predicted, and the same areas, in its coordinates,
are scored on that. Printed for each placement: number of ads and of areas at least half visible, the correlations of
attention and of the share of viewers, the mean absolute difference, and the same for scores that ignore the crop.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import mediaan as mn
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.placements.fit import fit_medium
from mediaan.placements.placed import place_medium
from mediaan.types.aoi import Aoi, Box
from mediaan.types.placement import BUILT_IN_PLACEMENTS
from mediaan.workflow.placements import analyzed

PLACEMENTS = ("instagram_feed_1x1", "instagram_feed_4x5")
METRICS = ("attention", "percentage_seen")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=60, help="images")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of images")
    given = parser.parse_args()
    files = sorted(p for p in given.folder.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"))
    random.Random(given.seed).shuffle(files)
    pairs: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    ads: dict[str, set[Path]] = {name: set() for name in PLACEMENTS}
    used = 0
    for file in files:
        if used == given.count:
            break
        with Image.open(file) as image:
            rgb = image.convert("RGB")
        fits = [fit_medium(*rgb.size, BUILT_IN_PLACEMENTS[name]) for name in PLACEMENTS]
        if all(fitted.cropped_share < 0.02 for fitted in fits):
            continue
        result = analyzed(file)
        used += 1
        for fitted in fits:
            if fitted.cropped_share < 0.02 or not result.aois:
                continue
            name, crop, exposure_s = fitted.placement.name, fitted.crop, fitted.placement.exposure_s or 5.0
            ads[name].add(file)
            aois = tuple(result.aois)
            placed = place_medium(result.medium, fitted.placement, aois, result.densities, exposure_s=exposure_s)
            whole = values(score_still(aois, result.densities, exposure_s))
            sides = (crop.x0 * rgb.width, crop.y0 * rgb.height, crop.x1 * rgb.width, crop.y1 * rgb.height)
            with tempfile.TemporaryDirectory() as folder:
                cut = Path(folder) / "cut.png"
                rgb.crop(tuple(map(round, sides))).save(cut)
                again = mn.analyze(cut, aois="none", advice="none")
            fresh = values(score_still([moved(aoi, crop) for aoi in aois], again.densities, exposure_s))
            for area in placed.areas:
                if area.visibility.cropped > 0.5:
                    continue
                for metric in METRICS:
                    key = area.aoi.aoi_id, metric
                    pairs.setdefault((name, metric), []).append(
                        (area.scores[metric].value or 0.0, fresh[key], whole[key])
                    )
    print(
        f"{'placement':20} {'metric':16} {'ads':>4} {'areas':>6} {'r':>6} {'diff':>6} {'r whole':>8} {'diff whole':>10}"
    )
    for (name, metric), listed in pairs.items():
        shown, fresh_values, whole_values = np.array(listed).T
        line = [f"{name:20} {metric:16} {len(ads[name]):4} {len(listed):6}"]
        for estimate, width in ((shown, 6), (whole_values, 8)):
            r = float(np.corrcoef(estimate, fresh_values)[0, 1])
            line.append(f"{r:{width}.3f} {float(np.abs(estimate - fresh_values).mean()):6.2f}")
        print(" ".join(line))


def values(scored: tuple[Aoi, ...]) -> dict[tuple[object, str], float]:
    """Return scores over the whole exposure by area and metric."""
    return {(aoi.aoi_id, metric): aoi.value(metric) or 0.0 for aoi in scored for metric in METRICS}


def moved(aoi: Aoi, crop: Box) -> Aoi:
    """Return an area in the coordinates of a crop."""

    def inside(x: float, y: float) -> tuple[float, float]:
        return (x - crop.x0) / crop.width, (y - crop.y0) / crop.height

    box = Box(*inside(aoi.box.x0, aoi.box.y0), *inside(aoi.box.x1, aoi.box.y1)).clipped()
    return replace(aoi, box=box, polygon=aoi.polygon and tuple(inside(x, y) for x, y in aoi.polygon))


if __name__ == "__main__":
    main()
