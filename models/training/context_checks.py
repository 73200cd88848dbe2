"""What can be tested of `mediaan context`: ``python models/training/context_checks.py ../shared/data [--write]``.

On the 48 eye-tracked web pages (11 viewers each): boxes of the usual sizes of display ads at random places, the areas
that mediaan finds, and the display ads that are on 17 of these pages, marked by hand (``labels/page_ads.csv``);
predicted against measured shares of fixations. Three questions: how well do shares agree, how
well do shares beside what the place gets on average, and who gets more at one place of two pages, which is what a ratio
to others at the same place says. ``--write`` makes the average page that ships, from the first screens of well-known
sites, and notes how the shares agree. Takes some three minutes on one core.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from mediaan.analysis import MediumOptions, Plan, load_models
from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.aoi.scoring.aoi_scores import AttentionShares
from mediaan.media import open_image
from mediaan.saliency.density import fixation_density, resize_density
from mediaan.studies.context import attention as shipped
from mediaan.studies.context.attention import ContextPredictor, context_predictor, scale_shares
from mediaan.types.aoi import Box
from mediaan.types.media import ViewSpec

GRID = 20, 32
EXPOSURE_S = 5.0
AD_SIZES = (300, 250), (728, 90), (160, 600), (300, 600), (970, 250), (320, 100)  # CSS px, on pages of 1360 x 768
PAGE_SIZE = 1360, 768
PLACES = 4  # of each size on every page: the same on all
FOUND_AREAS = 0.005, 0.4  # share of the page
VIEW = ViewSpec("large", long_side=1024)
MARKED = Path(__file__).with_name("labels") / "page_ads.csv"
FILE = Path(shipped.__file__).with_name("average_page.json")


@dataclass(frozen=True)
class Judged:
    """A box on a page: shares of attention 0-1 with the ends of the interval, and shares of viewers likewise."""

    page: str
    kind: str
    box: Box
    predicted: float
    lo: float
    hi: float
    measured: float
    seen: tuple[float, float, float]
    measured_seen: float
    shares: AttentionShares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="write the average page that ships")
    arguments = parser.parse_args()
    plan = Plan(exposure_s=EXPOSURE_S, aois="all")
    density = average_density(arguments.data / "unlabelled" / "web" / "images", plan)
    judged, people = judge(arguments.data / "gaze" / "dev" / "fiwi", plan)
    mean_people = np.mean(list(people.values()), axis=0)
    print(f"average page: CC with the mean of people on {len(people)} other pages {cc(density, mean_people):.2f}")
    on_pages = [judgement for judgement in judged if judgement.kind == "ads on pages"]
    ads = display_ads(on_pages, spread(on_pages, predictor := context_predictor(plan, "page")))
    average = shipped.AveragePage(density.astype(np.float32), 0, {}, ads)
    judged += lowered(on_pages, predictor, ads.relative_sd)
    print(f"display ads: {ads}")
    for kind in ("ad sizes", "found areas", "ads on pages", "ads on pages, lowered"):
        print_agreement(kind, [judgement for judgement in judged if judgement.kind == kind], average)
    pairs = same_place([judgement for judgement in judged if judgement.kind == "ad sizes"])
    if arguments.write:
        shares_of_ads = [judgement for judgement in judged if judgement.kind == "ad sizes"]
        shares = np.array([[judgement.predicted, judgement.measured] for judgement in shares_of_ads])
        sites = len(list((arguments.data / "unlabelled" / "web" / "images").iterdir()))
        command = "python models/training/context_checks.py DATA --write"
        content = {
            "provenance": {"command": command, "pages": sites, "data": "first screens of well-known sites, predicted"},
            "checked": {
                "pages": len(people),
                "boxes": len(shares_of_ads),
                "r": round(float(np.corrcoef(shares.T)[0, 1]), 3),
                "mean_absolute_error": round(float(np.abs(shares[:, 0] - shares[:, 1]).mean()), 4),
                "same_place": pairs,
            },
            "display_ads": asdict(ads),
            "density": [[float(f"{value:.3g}") for value in row] for row in density],
        }
        FILE.write_text(json.dumps(content) + "\n", encoding="utf-8")
        print(f"written: {FILE}")


def average_density(folder: Path, plan: Plan) -> np.ndarray:
    """Mean predicted density of the pictures of a folder."""
    predictor = context_predictor(plan, "page")
    candidates = [
        resize_density(predictor.predict(open_image(path, [VIEW]).chunks[0].views[VIEW.name][0])["total"], GRID)
        for path in sorted(folder.iterdir())
    ]
    return np.mean(candidates, axis=0)


def judge(folder: Path, plan: Plan) -> tuple[list[Judged], dict[str, np.ndarray]]:
    """Every box of every page; and people's density by page."""
    predictor, models = context_predictor(plan, "page"), load_models(*plan.models)
    table = pd.read_parquet(folder / "fixations.parquet")
    table = table[table.onset_s > 0]  # the first is on the cross before the page
    marked = pd.read_csv(MARKED)
    judged, people = [], {}
    for name, rows in table.groupby("image"):
        opened = open_image(next((folder / "images").glob(f"{name}.*")), [VIEW])
        rgb = opened.chunks[0].views[VIEW.name][0]
        densities = predictor.predict(rgb)
        viewers = rows.viewer.nunique()
        people[str(name)] = fixation_density(rows.x, rows.y, GRID)
        areas, _ = AoiDetector("all", models, MediumOptions(), opened.medium).detect_image(rgb)
        boxes = [("ad sizes", box) for box in ad_boxes()]
        boxes += [("ads on pages", Box(*ad[1:])) for ad in marked.itertuples(index=False) if ad.image == name]
        boxes += [("found areas", area.box) for area in areas if FOUND_AREAS[0] <= area.box.area <= FOUND_AREAS[1]]
        for kind, box in boxes:
            shares = predictor.shares(densities, box)
            inside = (rows.x >= box.x0) & (rows.x < box.x1) & (rows.y >= box.y0) & (rows.y < box.y1)
            saw = rows.viewer[inside].nunique() / viewers
            judged.append(scored(predictor, str(name), kind, box, shares, 0.0, float(inside.mean()), saw))
    return judged, people


def scored(
    predictor: ContextPredictor,
    page: str,
    kind: str,
    box: Box,
    shares: AttentionShares,
    relative_sd: float,
    measured: float,
    seen: float,
) -> Judged:
    """A box with its scores."""
    attention, viewers, *_ = predictor.score(shares, relative_sd)
    told = tuple(value / 100 for value in (viewers.value, viewers.lo, viewers.hi))
    lo, hi = attention.lo / 100, attention.hi / 100
    return Judged(page, kind, box, shares.total or 0.0, lo, hi, measured, told, seen, shares)


def display_ads(judged: list[Judged], relative_sd: float = 0.0) -> shipped.DisplayAds:
    """Measured over predicted attention of ads, with a bootstrap over pages; `relative_sd` as of `spread`."""
    pages = sorted({judgement.page for judgement in judged})
    of_pages = ([judgement for judgement in judged if judgement.page == page] for page in pages)
    sums = np.array([[sum(j.measured for j in of_page), sum(j.predicted for j in of_page)] for of_page in of_pages])
    drawn = sums[np.random.default_rng(0).integers(len(pages), size=(4000, len(pages)))].sum(axis=1)
    lo, hi = np.quantile(drawn[:, 0] / drawn[:, 1], [0.05, 0.95])
    factor, lo, hi = (round(float(number), 3) for number in (sums[:, 0].sum() / sums[:, 1].sum(), lo, hi))
    return shipped.DisplayAds(value=factor, lo=lo, hi=hi, ads=len(judged), pages=len(pages), relative_sd=relative_sd)


def lowered(judged: list[Judged], predictor: ContextPredictor, relative_sd: float) -> list[Judged]:
    """Ads with their attention lowered by the factor of all other pages, and intervals widened."""
    rows = []
    for judgement in judged:
        shares = scale_shares(
            judgement.shares, display_ads([other for other in judged if other.page != judgement.page]).value
        )
        kind = "ads on pages, lowered"
        rows.append(
            scored(
                predictor,
                judgement.page,
                kind,
                judgement.box,
                shares,
                relative_sd,
                judgement.measured,
                judgement.measured_seen,
            )
        )
    return rows


def spread(judged: list[Judged], predictor: ContextPredictor) -> float:
    """The smallest spread between ads with which both intervals hold 90 % of them, pages left out."""
    for step in np.arange(0.05, 1.01, 0.05):
        ads = lowered(judged, predictor, float(step))
        if min(held(ads), held_seen(ads)) >= 0.9:
            return round(float(step), 2)
    return 1.0


def held(judged: list[Judged]) -> float:
    """Share of measured attention inside its interval."""
    return float(np.mean([judgement.lo - 1e-9 <= judgement.measured <= judgement.hi + 1e-9 for judgement in judged]))


def held_seen(judged: list[Judged]) -> float:
    """Share of measured shares of viewers inside theirs."""
    return float(
        np.mean(
            [judgement.seen[1] - 1e-9 <= judgement.measured_seen <= judgement.seen[2] + 1e-9 for judgement in judged]
        )
    )


def ad_boxes() -> Iterator[Box]:
    """Boxes of ads, at the same random places of every page."""
    rng = np.random.default_rng(0)
    for width, height in AD_SIZES:
        for x, y in rng.random((PLACES, 2)):
            w, h = width / PAGE_SIZE[0], height / PAGE_SIZE[1]
            yield Box(x * (1 - w), y * (1 - h), x * (1 - w) + w, y * (1 - h) + h)


def print_agreement(kind: str, judged: list[Judged], average: shipped.AveragePage) -> None:
    """How predicted shares agree with measured ones, beside naive ones."""
    told, truth = (np.array([getattr(judgement, name) for judgement in judged]) for name in ("predicted", "measured"))
    place = np.array([average.share(judgement.box) for judgement in judged])
    area = np.array([judgement.box.area for judgement in judged])
    pages = {judgement.page for judgement in judged}
    print(f"\n{kind}: {len(judged)} boxes on {len(pages)} pages, mean share {truth.mean():.3f}")
    for name, guess in (("predicted", told), ("average page", place), ("area", area)):
        error = guess - truth
        print(
            f"  {name:12} r {np.corrcoef(guess, truth)[0, 1]:.2f}  rank {spearmanr(guess, truth)[0]:.2f}  "
            f"mean abs. error {100 * np.abs(error).mean():.2f} points  bias {100 * error.mean():+.2f}"
        )
    print(f"  90 % intervals hold {100 * held(judged):.0f} %")
    seen = np.array([[judgement.seen[0], judgement.measured_seen] for judgement in judged])
    print(
        f"  seen by {100 * seen[:, 1].mean():.0f} % of viewers, predicted {100 * seen[:, 0].mean():.0f} %: "
        f"r {np.corrcoef(seen[:, 0], seen[:, 1])[0, 1]:.2f}, mean abs. error "
        f"{100 * np.abs(seen[:, 0] - seen[:, 1]).mean():.1f} points, intervals hold {100 * held_seen(judged):.0f} %"
    )
    beside, people = told / place, truth / place
    print(f"  times an average page: rank correlation with people {spearmanr(beside, people)[0]:.2f}")
    for name, chosen, right in (
        ("more", [judgement.lo > p for judgement, p in zip(judged, place, strict=True)], people > 1),
        ("less", [judgement.hi < p for judgement, p in zip(judged, place, strict=True)], people < 1),
    ):
        rows = np.flatnonzero(chosen)
        share = f"true of {100 * right[rows].mean():.0f} %" if len(rows) else "never"
        print(f"  called {name}: {len(rows)}, {share} (of all boxes {100 * right.mean():.0f} % are)")


def same_place(judged: list[Judged]) -> list[dict[str, float]]:
    """Of two pages at one place: how often the one with the larger predicted share has the larger measured one."""
    ratios, right = [], []
    by_place: dict[Box, list[Judged]] = {}
    for judgement in judged:
        by_place.setdefault(judgement.box, []).append(judgement)
    for of_place in by_place.values():
        for a, b in combinations(of_place, 2):
            if a.measured != b.measured and min(a.predicted, b.predicted) > 0:
                more, less = (a, b) if a.predicted > b.predicted else (b, a)
                ratios.append(more.predicted / less.predicted)
                right.append(more.measured > less.measured)
    ratio, hit = np.array(ratios), np.array(right)
    print(f"\none place of two pages: {len(hit)} pairs, right in {100 * hit.mean():.0f} %")
    results = []
    for low, high in ((1, 1.25), (1.25, 1.5), (1.5, 2), (2, 4), (4, 1e9)):
        rows = (ratio >= low) & (ratio < high)
        results.append({"from": low, "to": high, "pairs": int(rows.sum()), "right": round(float(hit[rows].mean()), 3)})
        print(f"  predicted ratio {low:g} to {high:g}: {rows.sum()}, right in {100 * hit[rows].mean():.0f} %")
    places = [
        np.array([[judgement.predicted, judgement.measured] for judgement in boxes]) for boxes in by_place.values()
    ]
    inner = np.concatenate([shares - shares.mean(axis=0) for shares in places])
    print(f"  shares beside the mean of their place: r {np.corrcoef(inner.T)[0, 1]:.2f}")
    return results


def cc(a: np.ndarray, b: np.ndarray) -> float:
    """Correlation of two maps."""
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


if __name__ == "__main__":
    main()
