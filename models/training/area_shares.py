"""Compare the attention that people give to kinds of areas in advertisements with what is predicted.

    python models/training/area_shares.py DATA --areas FILE              # held-out ads, all kinds
    python models/training/area_shares.py DATA --side all --drawn-only   # all ads, most of them trained on

Products, faces, persons and logos are the boxes drawn by eye on SalECI (`labels/saleci.json`); texts are those that
mediaan finds, headlines and body text by their role, prices by their words, whatever role they have (`--areas` keeps
what was found, which no attention model changes). For each kind: the share of all fixations in any of its areas, that
of their density (blurred as the model's targets are, which takes attention out of small areas), that of the predicted
density, and the first over the last, both summed over ads, with 95 % intervals over ads drawn again. Kinds
overlap: a face is a part of a person. "Other" lies in no area.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

import mediaan as mn
from mediaan.aoi.region import coverage
from mediaan.aoi.words import mentions_price
from mediaan.media import open_image
from mediaan.saliency import load_predictor
from mediaan.saliency.density import fixation_density
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float32, Float64

HERE = Path(__file__).resolve().parent
SET = "saleci"
DRAWN = {"product": "product", "person": "person", "face": "face", "branding": "logo"}
ROLES = {"headline_text": "headline", "body_text": "body text"}
KINDS = (*DRAWN.values(), *ROLES.values(), "price")
RESAMPLES = 2000
Areas = dict[str, list[Box]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with gaze/")
    parser.add_argument("--side", choices=("held_out", "dev", "all"), default="held_out")
    parser.add_argument("--areas", type=Path, help="file that keeps the texts that were found")
    parser.add_argument("--drawn-only", action="store_true", help="leave texts out, which take long to find")
    parser.add_argument("--model", default="attention", help="name or card of an attention model")
    args = parser.parse_args()
    images = args.data / "gaze" / SET / "images"
    labels = json.loads((HERE / "labels" / f"{SET}.json").read_text(encoding="utf-8"))
    names = list(labels)
    if args.side != "all":
        side = set((HERE / "split" / args.side / f"{SET}.txt").read_text().split())
        names = [name for name in labels if Path(name).stem in side]
    fixations = pd.read_parquet(args.data / "gaze" / SET / "fixations.parquet")
    by_image = dict(iter(fixations.groupby("image")))
    texts = {} if args.drawn_only else found_texts([images / name for name in names], args.areas)
    model = load_predictor(args.model, "cpu", threads=1)
    people, blurred, predicted, present = [], [], [], []
    for name in names:
        areas: Areas = defaultdict(list)
        for item in labels[name]:
            if item["type"] in DRAWN:
                areas[DRAWN[item["type"]]].append(Box(*item["box"]))
        for kind, box in texts.get(name, ()):
            areas[kind].append(box)
        view = open_image(images / name, [model.view]).chunks[0].views[model.view.name]
        rows = by_image[Path(name).stem]
        density = model.predict(view)[0]["total"]
        fixated, shares = shares_of(areas, density, rows.x.to_numpy(), rows.y.to_numpy())
        people.append(fixated)
        predicted.append(shares)
        blurred.append(shares_of(areas, fixation_density(rows.x, rows.y, density.shape), rows.x, rows.y)[1])
        present.append([bool(areas.get(kind)) for kind in KINDS] + [True])
    print_table(np.array(people), np.array(blurred), np.array(predicted), np.array(present))


def found_texts(paths: Iterable[Path], kept: Path | None) -> dict[str, list[tuple[str, Box]]]:
    """Kind and box of headlines, body texts and prices in each ad, by file name; what `kept` holds is not sought."""
    texts: dict[str, list[tuple[str, Box]]] = {}
    if kept is not None and kept.exists():
        for line in kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts[row["image"]] = [(kind, Box(*box)) for kind, box in row["texts"]]
    for path in paths:
        if path.name in texts:
            continue
        areas = mn.analyze(path, advice="none").aois
        texts[path.name] = [
            ("price" if mentions_price(area.words or "") else ROLES[area.type], area.box)
            for area in areas
            if area.type in ROLES or mentions_price(area.words or "")
        ]
        if kept is not None:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"image": path.name, "texts": texts[path.name]}) + "\n")
    return texts


def shares_of(areas: Areas, density: Float32, x: Float64, y: Float64) -> tuple[list[float], list[float]]:
    """Share of the fixations and of a density in any area of each of `KINDS`, and in no area."""
    fixated, predicted = [], []
    everywhere = [box for boxes in areas.values() for box in boxes]
    for boxes in (*(areas.get(kind, []) for kind in KINDS), everywhere):
        inside = np.zeros(len(x), bool)
        outside = np.ones(density.shape)
        for box in boxes:
            inside |= (x >= box.x0) & (x < box.x1) & (y >= box.y0) & (y < box.y1)
            outside *= 1 - coverage(box, None, (density.shape[0], density.shape[1]))
        fixated.append(float(inside.mean()))
        predicted.append(float((density * (1 - outside)).sum()))
    return [*fixated[:-1], 1 - fixated[-1]], [*predicted[:-1], 1 - predicted[-1]]


def print_table(people: Float64, blurred: Float64, predicted: Float64, present: np.ndarray) -> None:
    """One row a kind; (ads, kinds) arrays."""
    draws = np.random.default_rng(0).integers(len(people), size=(RESAMPLES, len(people)))
    print(f"{len(people)} ads\n")
    print("| kind of area | ads with it | people, % | blurred, % | predicted, % | people / predicted [95 %] |")
    print("|---|---|---|---|---|---|")
    for i, kind in enumerate((*KINDS, "other")):
        has = present[:, i]
        if not has.any() or not predicted[has, i].sum():
            continue
        ratio = people[:, i].sum() / predicted[:, i].sum()
        drawn = people[draws, i].sum(1) / np.maximum(predicted[draws, i].sum(1), 1e-9)
        low, high = np.quantile(drawn, [0.025, 0.975])
        means = (100 * share[has, i].mean() for share in (people, blurred, predicted))
        print(
            f"| {kind} | {has.sum()} |", *(f"{mean:.1f} |" for mean in means), f"{ratio:.2f} [{low:.2f}, {high:.2f}] |"
        )


if __name__ == "__main__":
    main()
