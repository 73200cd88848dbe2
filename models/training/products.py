"""Fit how probable it is that a detected product is one: the constants of mediaan/aoi/detection/objects.py.

    python models/training/products.py --data DATA --cache FOLDER

The weights are fitted to the modern designs of train, on which the detector learned; slope and constant then to those
of dev, which it has not seen. Prints them, and precision and recall on dev, and on products that were detected in rated
ads (labels/rated_products.csv, judged by eye; recall among these), with the detector's confidence alone and with all
terms. FOLDER is that of detection_steps.py.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from detection_steps import LABELS, designs

from mediaan.analysis import load_models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection.objects import product_terms
from mediaan.evaluation.aoi.scores import match_areas
from mediaan.media import open_image
from mediaan.types.aoi import Box, Candidate

LEVELS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
RIDGE = 0.05
SAME = 0.9  # IoU of a product with one that was judged


def collect(data: Path, cache: Path, side: str, models) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Terms of all detected products of a side, whether each is right, and how many were drawn."""
    terms, right, drawn = [], [], 0
    for design in designs(data, cache, side, models):
        products = [d for d in design.detections if d.type == "product"]
        candidates = [Candidate("product", str(i), d.box, d.confidence, "detector") for i, d in enumerate(products)]
        matches = match_areas(design.image.name, "product", design.drawn, candidates, undecided=design.undecided)
        drawn += len(matches.drawn)
        for i, candidate in enumerate(matches.detected):
            terms.append(product_terms(products[int(candidate.label)], design.detections))
            right.append(float(i in matches.pairs))
    return torch.tensor(terms, dtype=torch.float64), torch.tensor(right, dtype=torch.float64), drawn


def judge(data: Path, models) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Terms of the products in rated ads that were judged, whether each is right, and how many are."""
    terms, right = [], []
    with (LABELS / "rated_products.csv").open(newline="") as file:
        judged = [
            (row["image"], Box(*(float(row[s]) for s in Box._fields)), row["product"]) for row in csv.DictReader(file)
        ]
    for image in sorted({image for image, _, _ in judged}):
        medium = open_image(data / "rated_ads" / "images" / image, [AOI_VIEW, models.still.view])
        detections = models.detect_objects(np.array(medium.chunks[0].views[AOI_VIEW.name][0]))
        for product in (d for d in detections if d.type == "product"):
            verdicts = [verdict for name, box, verdict in judged if name == image and product.box.iou(box) > SAME]
            terms += [product_terms(product, detections) for _ in verdicts]
            right += map(float, verdicts)
    return torch.tensor(terms, dtype=torch.float64), torch.tensor(right, dtype=torch.float64), int(sum(right))


def fit(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Weights of a logistic regression, the constant last."""
    weights = torch.zeros(x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=500)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = F.binary_cross_entropy_with_logits(x @ weights[:-1] + weights[-1], y, reduction="sum")
        value = value + RIDGE * weights[:-1].square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return weights.detach()


def show(title: str, chance: np.ndarray, right: np.ndarray, drawn: int) -> None:
    order = np.argsort(-chance)
    precision = right[order].cumsum() / np.arange(1, len(order) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    print(f"{title}: average precision {best[right[order] > 0].sum() / drawn:.3f}")
    for level in LEVELS:
        some = right[chance >= level]
        print(f"  from {level}: precision {some.mean():.2f}, recall {some.sum() / drawn:.2f} ({len(some)} shown)")
    for low, high in zip((0.05, 0.2, 0.35, 0.5, 0.65, 0.8), (0.2, 0.35, 0.5, 0.65, 0.8, 1.01), strict=True):
        some = right[(chance >= low) & (chance < high)]
        print(f"  {low} to {high}: {some.mean():.2f} of {len(some)} right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    args = parser.parse_args()
    models = load_models("attention", "cpu")
    x, y, _ = collect(args.data, args.cache, "train", models)
    unseen, right, drawn = collect(args.data, args.cache, "dev", models)
    weights = fit(x, y)
    odds = unseen @ weights[:-1]
    slope, constant = fit(odds[:, None], right).tolist()
    print("weights:", (slope * weights[:-1]).numpy().round(2).tolist(), "constant:", round(constant, 2))
    for side, x, y, all_right in (("dev", unseen, right, drawn), ("rated ads", *judge(args.data, models))):
        chance = torch.sigmoid(slope * (x @ weights[:-1]) + constant)
        show(f"{side}, detector's confidence", torch.sigmoid(x[:, 0]).numpy(), y.numpy(), all_right)
        show(f"{side}, all terms", chance.numpy(), y.numpy(), all_right)


if __name__ == "__main__":
    main()
