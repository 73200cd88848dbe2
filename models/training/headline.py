"""Fit the weights that tell an advertisement's headline: WEIGHTS and BIAS of mediaan/aoi/roles.py.

    python models/training/headline.py ../shared/data models/training/labels

reads `complexity/images` there and the boxes of `train_1.json` and `train_2.json`, prints weights and the F1 of
headlines at IoU 0.5, in and out of sample and, never fitted on, of `check.json`; takes some minutes on one core.

Marks are those that mediaan/aoi/branding.py finds; products are not known for sure either, so while fitting each
labelled one is seen with a probability, and with a random confidence.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.optimize import minimize

from mediaan.aoi.blocks import Block
from mediaan.aoi.branding import find_branding
from mediaan.aoi.roles import FEATURES, MIN_SHARE, features_of
from mediaan.aoi.text import blocks_and_calls
from mediaan.media.view import resize, view_size
from mediaan.predictors import load_predictor
from mediaan.predictors.text import load_text_reader
from mediaan.types.aoi import Box, Candidate, Detection
from mediaan.types.arrays import Bool, Float32, Float64

SEEN_PRODUCTS = 0.6
DRAWS = 3
RIDGE = 0.1
FOLDS = 8
IOU, NEAR = 0.5, 0.25


class Ad(NamedTuple):
    """A labelled advertisement, read."""

    blocks: list[Block]
    density: Float32
    size: tuple[int, int]
    marks: tuple[Candidate, ...]
    boxes: dict[str, list[Box]]

    @property
    def ious(self) -> Float64:
        """Of each block with the headline, 0 without one."""
        truth = self.boxes.get("headline_text", [])
        return np.array([max((block.box.iou(box) for box in truth), default=0.0) for block in self.blocks])


def read_ads(images: Path, labels: Path) -> list[Ad]:
    reader, predictor = load_text_reader(1), load_predictor(device="cpu", threads=1)
    ads = []
    for name, drawn in sorted(json.loads(labels.read_text("utf-8")).items()):
        if drawn is None:
            continue
        image = Image.open(images / name).convert("RGB")
        view = resize(image, view_size(*image.size, predictor.view))
        rgb = np.asarray(image)
        boxes: dict[str, list[Box]] = {}
        for aoi in drawn:
            boxes.setdefault(aoi["type"], []).append(Box(*aoi["box"]))
        lines = reader.read(rgb)
        density = predictor.predict(np.asarray(view)[None])[0]["total"]
        blocks, _ = blocks_and_calls(rgb, lines, ())
        ads.append(Ad(blocks, density, image.size, find_branding(rgb, lines, (), density=density), boxes))
    return ads


def features(ad: Ad, rng: np.random.Generator, seen_products: float) -> Float64:
    if not ad.blocks:
        return np.zeros((0, len(FEATURES)))
    products = [box for box in ad.boxes.get("product", []) if rng.random() < seen_products]
    detections = [Detection("product", box, rng.uniform(0.3, 0.9)) for box in products]
    return features_of(ad.blocks, ad.density, detections, ad.marks, ad.size)


def goal(ad: Ad) -> Bool:
    """Which choice is right, the last being 'none'; no choice is where the headline was not read."""
    ious = ad.ious
    right = np.zeros(len(ious) + 1, dtype=np.bool_)
    if ious.size and ious.max() >= NEAR:
        right[:-1] = ious >= min(IOU, ious.max())
    else:
        right[-1] = not ad.boxes.get("headline_text")
    return right


def fit(rows: list[Float64], goals: list[Bool]) -> Float64:
    """Weights and bias of a conditional logistic regression with a ridge."""
    choices = [np.vstack([np.c_[x, np.ones(len(x))], np.zeros(x.shape[1] + 1)]) for x in rows]
    pairs = [(x, right) for x, right in zip(choices, goals, strict=True) if right.any()]
    ridge = np.append(np.full(len(FEATURES), RIDGE * DRAWS), 0.0)

    def loss(weights: Float64) -> tuple[float, Float64]:
        total, slope = float(ridge @ weights**2), 2 * ridge * weights
        for x, right in pairs:
            share = shares(x @ weights)
            hit = share[right].sum()
            total -= float(np.log(hit))
            slope += (share - np.where(right, share / hit, 0)) @ x
        return total, slope

    found: Float64 = minimize(loss, np.zeros(len(FEATURES) + 1), jac=True, method="L-BFGS-B").x
    return found


def shares(scores: Float64) -> Float64:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def f1(ads: list[Ad], rows: list[Float64], weights: Float64) -> tuple[int, int, int]:
    """How many headlines were right, found, and there."""
    right = found = there = 0
    for ad, x in zip(ads, rows, strict=True):
        there += len(ad.boxes.get("headline_text", []))
        share = shares(np.append(x @ weights[:-1] + weights[-1], 0.0))[:-1]
        if share.size and share.max() >= MIN_SHARE:
            found += 1
            right += int(ad.ious[share.argmax()] >= IOU)
    return right, found, there


def said(name: str, counts: tuple[int, int, int]) -> None:
    right, found, there = counts
    print(f"{name}: {right} of {found} right, {there} there, F1 {2 * right / max(1, found + there):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("labels", type=Path)
    asked = parser.parse_args()
    images = asked.data / "complexity" / "images"
    ads = [ad for part in ("train_1", "train_2") for ad in read_ads(images, asked.labels / f"{part}.json")]
    rng = np.random.default_rng(0)
    goals = [goal(ad) for ad in ads] * DRAWS
    rows = [features(ad, rng, SEEN_PRODUCTS) for _ in range(DRAWS) for ad in ads]
    ceiling = sum(int((ad.ious >= IOU).any()) for ad in ads)
    print(f"{len(ads)} advertisements; one block is the headline in {ceiling}")
    weights = fit(rows, goals)
    print("\n".join(f"{name:14} {weight:6.2f}" for name, weight in zip((*FEATURES, "bias"), weights, strict=True)))
    total = np.zeros(3, dtype=int)
    for fold in range(FOLDS):
        kept = [i for i in range(len(rows)) if i % len(ads) % FOLDS != fold]
        left = [i for i in range(len(rows)) if i % len(ads) % FOLDS == fold]
        part = fit([rows[i] for i in kept], [goals[i] for i in kept])
        total += f1([ads[i % len(ads)] for i in left], [rows[i] for i in left], part)
    said("in sample", f1(ads * DRAWS, rows, weights))
    said("left out", (int(total[0]), int(total[1]), int(total[2])))
    check = read_ads(images, asked.labels / "check.json")
    for name, seen in (
        ("check, no products seen", 0.0),
        (f"check, {SEEN_PRODUCTS:.0%} of products seen", SEEN_PRODUCTS),
    ):
        said(name, f1(check, [features(ad, rng, seen) for ad in check], weights.round(2)))


if __name__ == "__main__":
    main()
