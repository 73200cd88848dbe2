"""Judge the order of areas by simulated viewers: which of two areas people look at first, and which of all.

    python models/training/scanpath_areas.py ../shared/data ../shared/weights

Areas are lines of text, faces and objects that detectors find in the pictures of `scanpath.py`, MIT1003 left out. The
rival is the ranking by attention: of two areas, the share of the viewers who look at one first is that of its
attention. Prints also how far the simulated viewers are from `percentage_seen` and `first_seen_s` of the hazard model.

    python models/training/scanpath_areas.py ../shared/data ../shared/weights --run RUN

says of a run over images, such as ads, how often the order of looks contradicts `first_seen_s`, and nothing else.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import cv2
import numpy as np
import pandas as pd
from hazard_truth import AOI_LIKE, Regions, looked_at
from scanpath import FITTED, _cell, viewed_images
from scanpath_evaluation.evaluation import ViewedImage

import mediaan as mn
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.looks import fixated_areas, order_of_looks
from mediaan.saliency.scanpath import simulate_scanpaths
from mediaan.types.aoi import Aoi, Box
from mediaan.types.scanpath import Scanpaths

SMALLEST, LARGEST, SAME = 0.003, 0.5, 0.5  # shares of the picture; intersection over union
FEWEST = 6  # people who look at one of two areas
LOOKED = 0.2  # share of the viewers with a first fixation, for its time to be compared
NEVER = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path, help="folder with yunet_n_dynamic.onnx and yolox_nano.onnx")
    parser.add_argument("--regions", type=Path, help="file that keeps the regions found in the pictures")
    parser.add_argument("--run", type=Path, help="run with areas whose order is compared with its first_seen_s")
    arguments = parser.parse_args()
    if arguments.run:
        return print_contradictions(mn.read_run(arguments.run))
    cv2.setNumThreads(1)
    regions = Regions(arguments.weights, arguments.regions)
    measures = {
        (picture.set, picture.name): [box for kind, box in regions.of(picture) if kind in AOI_LIKE]
        for domain in ("photo", "page")
        for picture in looked_at(arguments.data, domain)
    }
    pairs, firsts, scores = [], [], []
    for image in viewed_images(arguments.data / "gaze", [*FITTED, "dev/fiwi"]):
        areas = distinct(measures[image.set, image.name])
        if len(areas) > 1:
            for rows, more in zip((pairs, firsts, scores), judge(image, areas), strict=True):
                rows += more
    print_pairs(pd.DataFrame(pairs))
    print_firsts(pd.DataFrame(firsts))
    print_scores(pd.DataFrame(scores))
    return None


def distinct(boxes: Sequence[Box]) -> list[Aoi]:
    """Keep boxes of the size of areas that are not nearly the same, as drawn AOIs."""
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda box: -box.area):
        if SMALLEST <= box.area <= LARGEST and all(box.iou(other) <= SAME for other in kept):
            kept.append(box)
    return [Aoi(UUID(int=i), "other", f"area {i}", box, None, "drawn") for i, box in enumerate(kept)]


def judge(image: ViewedImage, aois: Sequence[Aoi]) -> tuple[list[dict[str, object]], ...]:
    """Return rows on pairs of areas, on the area looked at first, and on each area's scores."""
    simulated = simulate_scanpaths(image.densities, image.exposure_s, seed=image.seed).paths
    people = Scanpaths(image.x, image.y, image.onset_s, image.duration_s, image.exposure_s, 0)
    score = {
        (aoi.aoi_id.int, s.metric): s.value
        for aoi in score_still(aois, image.densities, image.exposure_s)
        for s in aoi.scores
        if s.time == "total"
    }
    attention = np.array([score[i, "attention"] for i in range(len(aois))])
    key = {"set": image.set, "name": image.name}
    order = {
        who: first_looks(fixated_areas(aois, paths), len(aois))
        for who, paths in (("people", people), ("model", simulated))
    }
    pairs = []
    for i in range(len(aois)):
        for j in range(i):
            shares = {who: ahead(looks[i], looks[j]) for who, looks in order.items()}
            enough = (np.minimum(order["people"][i], order["people"][j]) < NEVER).sum() >= FEWEST
            if enough and shares["model"] is not None and aois[i].box.intersection(aois[j].box) == 0:
                pairs.append({**key, **shares, "attention": attention[i] / (attention[i] + attention[j])})
    first = {
        who: np.bincount(looks.argmin(0)[looks.min(0) < NEVER], minlength=len(aois)) for who, looks in order.items()
    }
    times = {aoi.aoi_id: value for i, aoi in enumerate(aois) if (value := score[i, "first_seen_s"]) is not None}
    typical = order_of_looks(aois, simulated, times)[0]
    winners = {"model": typical.aoi_id.int, "attention": attention.argmax()}
    shares = first["people"] / max(1, first["people"].sum())
    firsts = [{**key, **{f"{who} right": shares[i] == shares.max() for who, i in winners.items()},
               "stated": (typical.share or 0.0) / 100, "true": shares[winners["model"]]}]  # fmt: skip
    return pairs, firsts, list(area_rows(key, aois, people, simulated, score))


def area_rows(
    key: dict[str, str],
    aois: Sequence[Aoi],
    people: Scanpaths,
    simulated: Scanpaths,
    score: dict[tuple[int, str], float],
) -> Iterator[dict[str, object]]:
    """Yield, for each area by itself, who saw it and when, by people, simulated viewers and the hazard model."""
    for i, aoi in enumerate(aois):
        row = dict(key) | {"seen, hazard": score[i, "percentage_seen"] / 100, "first, hazard": score[i, "first_seen_s"]}
        for who, paths in (("people", people), ("model", simulated)):
            inside = fixated_areas([aoi], paths) == 0
            looked = inside.any(1)
            row[f"seen, {who}"] = looked.mean()
            times = paths.onset_s[np.arange(len(inside)), inside.argmax(1)][looked]
            row[f"first, {who}"] = float(np.median(times)) if looked.mean() >= LOOKED else np.nan
        yield row


def first_looks(areas: np.ndarray, count: int) -> np.ndarray:
    """Index of each viewer's first fixation in each area, (count, n); `NEVER` where there is none."""
    hits = [areas == i for i in range(count)]
    return np.stack([np.where(hit.any(1), hit.argmax(1), NEVER) for hit in hits])


def ahead(first: np.ndarray, other: np.ndarray) -> float | None:
    """Share of the viewers who look at one of two areas that look at the first one first; None where nobody does."""
    looked = np.minimum(first, other) < NEVER
    return float((first < other)[looked].mean()) if looked.any() else None


def print_pairs(pairs: pd.DataFrame) -> None:
    print("\nOf two areas, share of viewers who look at one first")
    print("| set | pictures | pairs | r, model | r, attention | "
          "error, model | error, attention | attention - model |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    for name, rows in pairs.groupby("set", sort=False):
        r = rows[["people", "model", "attention"]].corr()["people"]
        apart = rows.assign(**{who: (rows[who] - rows.people).abs() for who in ("model", "attention")})
        by_image = apart.groupby("name")[["model", "attention"]].mean()
        cells = [
            _cell(values, 3) for values in (by_image.model, by_image.attention, by_image.attention - by_image.model)
        ]
        print(f"| {name} | {len(by_image)} | {len(rows)} | {r.model:.2f} | {r.attention:.2f} |", " | ".join(cells), "|")


def print_firsts(firsts: pd.DataFrame) -> None:
    print("\nThe area that most people look at first")
    print("| set | pictures | right, model | right, attention | difference | "
          "share stated | true share |\n|---|---|---|---|---|---|---|")  # fmt: skip
    for name, rows in firsts.groupby("set", sort=False):
        model, attention = (rows[f"{who} right"].astype(float) for who in ("model", "attention"))
        cells = [_cell(values, 2) for values in (model, attention, model - attention, rows.stated, rows.true)]
        print(f"| {name} | {len(rows)} |", " | ".join(cells), "|")


def print_scores(scores: pd.DataFrame) -> None:
    print("\nAreas by themselves: shares seen, and median times of first fixations, s\n| set | areas | seen: people | "
          "model | hazard | error, model | error, hazard | model to hazard | first: error, model | error, hazard | "
          "model to hazard | rank correlation |\n|---|" + "---|" * 11)  # fmt: skip
    for name, rows in scores.groupby("set", sort=False):
        seen, first = (
            {who: rows[f"{what}, {who}"].astype(float) for who in ("people", "model", "hazard")}
            for what in ("seen", "first")
        )
        numbers = [
            *(values.mean() for values in seen.values()),
            *(
                (seen[a] - seen[b]).abs().mean()
                for a, b in (("model", "people"), ("hazard", "people"), ("model", "hazard"))
            ),
            *(
                (first[a] - first[b]).abs().mean()
                for a, b in (("model", "people"), ("hazard", "people"), ("model", "hazard"))
            ),
            first["model"].corr(first["hazard"], method="spearman"),
        ]
        print(f"| {name} | {len(rows)} |", " | ".join(f"{n:.3f}" for n in numbers), "|")


def print_contradictions(run: mn.Run) -> None:
    """Print how often an area comes before the next of the order that is seen earlier by its score."""
    scores = run.aoi_scores[(run.aoi_scores.metric == "first_seen_s") & run.aoi_scores.value.notna()]
    rows = run.looks.dropna(subset="rank").merge(scores[["aoi_id", "value"]], on="aoi_id")
    rows = rows.sort_values(["medium_id", "rank"])
    earlier = rows.value - rows.groupby("medium_id").value.shift(-1)
    first = rows.groupby("medium_id").value.agg(["first", "min"])
    print(f"{first.shape[0]} images, {earlier.notna().sum()} pairs of areas that follow each other in the order")
    shares = [f"{100 * (earlier.dropna() > by).mean():.0f} % by more than {by} s" for by in (0.0, 0.3, 0.5)]
    print("the second is seen earlier:", ", ".join(shares))
    print(f"the first area is seen first, to 0.2 s: {100 * (first['first'] <= first['min'] + 0.2).mean():.0f} %")


if __name__ == "__main__":
    main()
