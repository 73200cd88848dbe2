"""Fit how a detected logo and its words speak for a mark: the constants of mediaan/aoi/detection/branding.py.

    python models/training/branding.py --data DATA --cache LINES.pkl

Fits to the modern designs of dev, whose pictures neither the detector nor the roles of lines were fitted to, and prints
the constants, and precision and recall on dev from several confidences on. Of marks in train and dev whose lettering
only resembles the brand's name, prints how many are right.
"""

from __future__ import annotations

import argparse
import csv
import pickle
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from text_layout import INSIDE, LABELS, pictures

from mediaan.aoi.detection.brand_names import find_names, resembles_name
from mediaan.aoi.detection.branding import SETTINGS, BrandMark, mark_probability, possible_marks
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.media import resize, view_size
from mediaan.types.aoi import Box, Brand
from mediaan.vision.objects.detector import load_detector

RIGHT, HIDDEN = 0.5, 0.5  # IoU with a drawn mark; share in an undecided area from which on a find counts neither way
LEVELS = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


class Judged(NamedTuple):
    """A possible mark, whether people drew one there, and whether it resembles the brand's name and does not say it."""

    mark: BrandMark
    right: bool
    resembles: bool


def collect(data: Path, cache: Path, model: str) -> tuple[dict[str, list[Judged]], int]:
    """Possible marks of train and dev, and how many marks were drawn in dev."""
    read, detector = pickle.loads(cache.read_bytes()), load_detector(model, threads=1)
    with (LABELS / "modern.csv").open(newline="", encoding="utf-8") as file:
        brands = {row["image"]: Brand(row["brand"], tuple(row["aliases"].split("|"))) for row in csv.DictReader(file)}
    judged: dict[str, list[Judged]] = {"train": [], "dev": []}
    drawn = 0
    for name, path, areas, undecided, side, print_ad in pictures(data):
        if side == "check" or print_ad:
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
        detections = detector.detect(np.asarray(frame, np.uint8)[None])[0]
        lines = [typeset_line(rgb, line) for line in read[name]]
        marks = [Box(*a["box"]) for a in areas if a["type"] == "branding"]
        doubtful = [Box(*a["box"]) for a in undecided if a["type"] in ("branding", "other")]
        doubtful += [Box(*a["box"]) for a in areas if a.get("label", "").startswith("other mark")]  # of other companies
        drawn += len(marks) * (side == "dev")
        brand = brands[name]
        says = [match.box for match in find_names([line.line for line in lines], brand)]
        for mark in possible_marks(lines, predict_layout(rgb, lines, detections).roles, detections):
            right = any(mark.box.iou(box) >= RIGHT for box in marks)
            if right or not any(box.intersection(mark.box) >= HIDDEN * mark.box.area for box in doubtful):
                read_in = [line.line for line in lines if line.box.intersection(mark.box) >= INSIDE * line.box.area]
                unsaid = not any(mark.box.intersection(box) >= INSIDE * box.area for box in says)
                sure = mark_probability(mark.detected, mark.words) >= SETTINGS.like_name
                judged[side].append(Judged(mark, right, unsaid and sure and resembles_name(read_in, brand)))
    return judged, drawn


def log_odds(share: float) -> float:
    share = min(0.99, max(0.01, share))
    return float(np.log(share / (1 - share)))


def evidence(mark: BrandMark) -> list[float]:
    """Log odds of the logo and whether there is none, log odds of the words and whether there are none."""
    logo = 0.0 if mark.detected is None else log_odds(mark.detected)
    words = 0.0 if mark.words is None else log_odds(mark.words)
    return [logo, float(mark.detected is None), words, float(mark.words is None)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="of text_layout.py")
    parser.add_argument("--detector", default="objects", help="name or card of the object detector")
    args = parser.parse_args()
    judged, drawn = collect(args.data, args.cache, args.detector)
    dev = judged["dev"]
    x = torch.tensor([evidence(mark.mark) for mark in dev], dtype=torch.float64)
    y = torch.tensor([float(mark.right) for mark in dev], dtype=torch.float64)
    weights = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=500)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = F.binary_cross_entropy_with_logits(x @ weights[:4] + weights[4], y, reduction="sum")
        value = value + weights[:4].square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    logo, unseen, words, wordless, start = weights.detach().tolist()
    print(f"_LOGO, _WORDS, _WORDLESS, _INTERCEPT = {logo:.2f}, {words:.2f}, {wordless:.2f}, {start:.2f}")
    print(f"_UNDETECTED = {1 / (1 + np.exp(-unseen / logo)):.3f}")
    chance = torch.sigmoid(x @ weights[:4] + weights[4]).detach().numpy()
    for level in LEVELS:
        right = y.numpy()[chance >= level]
        print(f"from {level}: precision {right.mean():.2f}, recall {right.sum() / drawn:.2f} ({len(right)} shown)")
    alike = [mark.right for side in judged.values() for mark in side if mark.resembles]
    print(f"lettering that resembles the name: {sum(alike)} of {len(alike)} right")


if __name__ == "__main__":
    main()
