"""Fit how a detected logo and its words speak for a mark: the constants of mediaan/aoi/detection/branding.py.

    python models/training/branding.py --data DATA --cache LINES.pkl

Fits to the modern designs of dev, whose pictures neither the detector nor the roles of lines were fitted to, and prints
the constants, and precision and recall on dev from several confidences on.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from text_layout import pictures

from mediaan.aoi.detection.branding import BrandMark, possible_marks
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.media import resize, view_size
from mediaan.types.aoi import Box
from mediaan.vision.objects.detector import load_detector

RIGHT, HIDDEN = 0.5, 0.5  # IoU with a drawn mark; share in an undecided area from which on a find counts neither way
LEVELS = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


class Judged(NamedTuple):
    """A possible mark, and whether people drew one there."""

    mark: BrandMark
    right: bool


def collect(data: Path, cache: Path, model: str) -> tuple[list[Judged], int]:
    """Possible marks of dev, and how many marks were drawn."""
    read, detector = pickle.loads(cache.read_bytes()), load_detector(model, threads=1)
    found, drawn = [], 0
    for name, path, areas, undecided, side, print_ad in pictures(data):
        if side != "dev" or print_ad:
            continue
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
        detections = detector.detect(np.asarray(frame, np.uint8)[None])[0]
        lines = [typeset_line(rgb, line) for line in read[name]]
        marks = [Box(*a["box"]) for a in areas if a["type"] == "branding"]
        doubtful = [Box(*a["box"]) for a in undecided if a["type"] in ("branding", "other")]
        doubtful += [Box(*a["box"]) for a in areas if a.get("label", "").startswith("other mark")]  # of other companies
        drawn += len(marks)
        for mark in possible_marks(rgb, lines, predict_layout(rgb, lines, detections).roles, detections):
            right = any(mark.box.iou(box) >= RIGHT for box in marks)
            if right or not any(box.intersection(mark.box) >= HIDDEN * mark.box.area for box in doubtful):
                found.append(Judged(mark, right))
    return found, drawn


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
    found, drawn = collect(args.data, args.cache, args.detector)
    x = torch.tensor([evidence(one.mark) for one in found], dtype=torch.float64)
    y = torch.tensor([float(one.right) for one in found], dtype=torch.float64)
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


if __name__ == "__main__":
    main()
