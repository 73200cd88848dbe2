"""Measure how far scores move when an image is changed in ways that should not matter.

    python models/training/repeatability.py IMAGES [--count 200] [--write]

Each of `count` random images of the folder is scored as it is and in the views of `mediaan.analysis.augmentation`
(mirrored, cropped, resized, blurred). By metric and by tenth of its values, the root of the mean square of what a score
moves is fitted on half of the images. On the other half: how many scores of a view lie within 1.645 times that, which
should be 90 %. ``--write`` fits to all and replaces mediaan/types/repeatability.json.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
from tqdm import tqdm

import mediaan as mn
from mediaan.analysis import Plan, load_models
from mediaan.analysis.differences import score_augmented
from mediaan.analysis.plan import AOI_VIEW
from mediaan.media import open_image
from mediaan.types.metrics import Z90

TARGET = Path(mn.__file__).parent / "types" / "repeatability.json"
BINS = 8
SKIPPED = {"availability", "hotspot_count"}
"""It is always 100 % of a still image; a count has no normal error."""

Moves = dict[str, list[tuple[int, float, float]]]
"""By metric: number of the image, score of the image as it is, score in a view."""


def collect(images: list[Path]) -> Moves:
    """Score images as they are and in the views."""
    plan = Plan()
    models = load_models(*plan.models)
    moves: Moves = defaultdict(list)
    for number, path in enumerate(tqdm(images)):
        result = mn.analyze(path, aois="all")
        opened = open_image(path, [AOI_VIEW])
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        scored = score_augmented(rgb, opened.medium, result.aois or (), plan, models)
        for key, score in scored.views[0].items():
            if key[1] in SKIPPED or score.value is None:
                continue
            for view in scored.views[1:]:
                seen = view.get(key)
                if seen is not None and seen.value is not None:
                    moves[key[1]].append((number, score.value, seen.value))
    return moves


def fit(values: np.ndarray, seen: np.ndarray) -> dict[str, list[float]]:
    """Fit the root of the mean square of the moves, by the value of the score."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)))
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    at = [float(np.median(values[place == i])) for i in range(len(edges) - 1)]
    sd = [float(np.sqrt(np.mean((seen - values)[place == i] ** 2))) for i in range(len(edges) - 1)]
    return {"value": [round(v, 3) for v in at], "sd": [round(s, 4) for s in sd]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    images = sorted(path for path in options.images.iterdir() if path.suffix in (".jpg", ".png"))
    random.Random(7).shuffle(images)
    images = images[: options.count]
    curves = {}
    for metric, rows in collect(images).items():
        number, values, seen = (np.array(column) for column in zip(*rows, strict=True))
        half = number % 2 == 0
        curve = fit(values[half], seen[half])
        reach = Z90 * np.interp(values[~half], curve["value"], curve["sd"])
        within = np.mean(np.abs(seen - values)[~half] <= reach)
        print(
            f"{metric}: {len(np.unique(number))} images, {len(values)} scores; within on the other half: {within:.3f}"
        )
        curves[metric] = fit(values, seen)
    if options.write:
        command = f"python models/training/repeatability.py IMAGES --count {options.count} --write"
        lines = ",\n".join(f'    "{metric}": {json.dumps(curve)}' for metric, curve in curves.items())
        text = f'{{\n  "command": "{command}",\n  "metrics": {{\n{lines}\n  }}\n}}\n'
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
