"""How much of the time on an ad people give its brand, and how much is predicted.

    python -m bench.brand_share DATA/gaze/dev/adgazer

Of 50 magazine spreads, each with an ad on one page, the brand's share of the seconds on the ad is known. It is compared
with the share of attention on the brand's areas: on those drawn by eye (models/training/labels/brand_elements.json),
all of them and the most attended alone, each kind alone, and widened; on those that are found with the brand named and
unnamed, as `brand_attention` scores them and the most attended mark alone. Printed are the rank correlation with its
90 % bootstrap interval over ads, both means, and the mean absolute error. ``leave one out`` widens the areas of each ad
by what fits the others best. Attention is predicted on the ad's page alone, and once on the whole spread.

In the published files red and blue are exchanged; people saw them right, and so are they shown here.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.stats import spearmanr  # type: ignore[import-untyped]

import mediaan as mn
from mediaan.aoi.region import coverage
from mediaan.types.aoi import Aoi, Box, Brand
from mediaan.types.arrays import Float32, Float64

LABELS = Path(__file__).resolve().parents[1] / "models" / "training" / "labels"
KINDS = ("name", "logo", "pack")
MARGINS = np.arange(0.0, 0.1, 0.005)
"""Widening on each side that is tried, as shares of the ad's width."""
DRAWS = 1000


class Ad(NamedTuple):
    """One page of a spread, and all that is compared on it."""

    people: float
    """Share of the time on the ad that people give its brand, 0-1."""
    aspect: float
    """Width by height."""
    elements: list[tuple[str, Box]]
    """Drawn by eye: kind and box, in unit coordinates of the page."""
    density: Float32
    """On the page alone."""
    of_spread: Float32
    """On the page, cut from the prediction on the spread."""
    unnamed: mn.Result
    named: mn.Result


def load(folder: Path, limit: int) -> list[Ad]:
    """Predict attention on each ad and find its areas."""
    with (folder / "seconds.csv").open() as file:
        seconds = {row["image"]: float(row["brand_s"]) / float(row["ad_s"]) for row in csv.DictReader(file)}
    elements = json.loads((LABELS / "brand_elements.json").read_text())
    with (LABELS / "brand_elements.csv").open() as file:
        rows = list(csv.DictReader(file))[:limit]
    ads = []
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            page = Box(*(float(row[side]) for side in ("x0", "y0", "x1", "y1")))
            with Image.open(folder / "images" / f"{row['image']}.jpg") as image:
                spread = image.convert("RGB")
            spread = Image.merge("RGB", spread.split()[::-1])
            width, height = spread.size
            cut = [round(side * length) for side, length in zip(page, (width, height) * 2, strict=True)]
            path = Path(scratch) / f"{row['image']}.png"
            spread.crop((cut[0], cut[1], cut[2], cut[3])).save(path)
            density = mn.predict_density(np.asarray(spread))
            on_page = density * coverage(page, None, (density.shape[0], density.shape[1]))
            brand = Brand(row["brand"], tuple(filter(None, row["aliases"].split("|"))))
            unnamed, named = (mn.analyze(path, advice="none", brand=who) for who in (None, brand))
            drawn = [(each["label"], Box(*each["box"])) for each in elements[f"{row['image']}.jpg"]]
            ads.append(
                Ad(
                    seconds[row["image"]],
                    (cut[2] - cut[0]) / (cut[3] - cut[1]),
                    [(kind, _within(box, page)) for kind, box in drawn],
                    np.asarray(unnamed.densities["total"]),
                    _cut(on_page, page),
                    unnamed,
                    named,
                )
            )
    return ads


def _within(box: Box, page: Box) -> Box:
    x0, x1 = ((x - page.x0) / page.width for x in (box.x0, box.x1))
    y0, y1 = ((y - page.y0) / page.height for y in (box.y0, box.y1))
    return Box(x0, y0, x1, y1).clipped()


def _cut(density: Float32, page: Box) -> Float32:
    """Return the part of a density on a page, on a fine grid, with the sum 1."""
    rows, columns = density.shape
    y = ((np.arange(256) + 0.5) / 256 * page.height + page.y0) * rows
    x = ((np.arange(256) + 0.5) / 256 * page.width + page.x0) * columns
    part = density[np.ix_(y.astype(int), x.astype(int))]
    return np.asarray(part / part.sum(), np.float32)


def share(density: Float32, boxes: Iterable[Box], margin: float = 0.0, aspect: float = 1.0) -> float:
    """Return the share of a density in any of some boxes, widened by a share of the width on each side."""
    outside = np.ones(density.shape, np.float32)
    for box in boxes:
        wide = Box(box.x0 - margin, box.y0 - margin * aspect, box.x1 + margin, box.y1 + margin * aspect).clipped()
        outside *= 1 - coverage(wide, None, (density.shape[0], density.shape[1]))
    return float((density * (1 - outside)).sum())


def report(title: str, predicted: Sequence[float], people: Float64) -> None:
    """Print a line."""
    values, chance = np.array(predicted), np.random.default_rng(0)
    draws = (chance.integers(0, len(values), len(values)) for _ in range(DRAWS))
    rhos = [spearmanr(values[rows], people[rows])[0] for rows in draws if np.ptp(values[rows]) > 0]
    low, high = np.percentile(rhos, [5, 95])
    print(
        f"{title:42} rank correlation {spearmanr(values, people)[0]:.2f} [{low:.2f}, {high:.2f}], mean "
        f"{values.mean():.3f} (people {people.mean():.3f}), error {np.abs(values - people).mean():.3f}"
    )


def leave_one_out(by_margin: Float64, people: Float64) -> list[float]:
    """Return the share of each ad with the margin that fits the others best, (margins, ads) in."""
    errors = np.abs(by_margin - people)
    best = [int((errors.sum(1) - errors[:, ad]).argmin()) for ad in range(len(people))]
    return [float(by_margin[margin, ad]) for ad, margin in enumerate(best)]


def most_attended_mark(aois: Sequence[Aoi]) -> float:
    """Return the share of the most attended branding, 0-1."""
    return max((aoi.attention for aoi in aois if aoi.type == "branding"), default=0.0) / 100


def main() -> None:
    """Measure, and print a line for each way to count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with seconds.csv and images")
    parser.add_argument("--count", type=int, default=50, help="ads")
    given = parser.parse_args()
    ads = load(given.folder, given.count)
    people = np.array([ad.people for ad in ads])
    drawn = [[box for _, box in ad.elements] for ad in ads]
    pairs = list(zip(ads, drawn, strict=True))
    report("drawn", [share(ad.density, boxes) for ad, boxes in pairs], people)
    report("drawn, predicted on the spread", [share(ad.of_spread, boxes) for ad, boxes in pairs], people)
    even = np.full((256, 256), 1 / 256**2, np.float32)
    report("drawn, share of the surface", [share(even, boxes) for boxes in drawn], people)
    report("drawn, the most attended", [max(share(ad.density, [box]) for box in boxes) for ad, boxes in pairs], people)
    for kind in KINDS:
        of_kind = [[box for each, box in ad.elements if each == kind] for ad in ads]
        shares = [share(ad.density, boxes) for ad, boxes in zip(ads, of_kind, strict=True)]
        report(f"drawn, {kind} alone", shares, people)
    by_margin = np.array([[share(ad.density, boxes, margin, ad.aspect) for ad, boxes in pairs] for margin in MARGINS])
    report("drawn, widened, leave one out", leave_one_out(by_margin, people), people)
    print(f"  best for all: {MARGINS[np.abs(by_margin - people).mean(1).argmin()]:.3f} of the width on each side")
    for title, results in (("named", [ad.named for ad in ads]), ("unnamed", [ad.unnamed for ad in ads])):
        together = [(result.brand_attention or 0.0) / 100 for result in results]
        report(f"found, {title}", together, people)
        report(f"found, {title}, the most attended mark", [most_attended_mark(r.aois or ()) for r in results], people)


if __name__ == "__main__":
    main()
