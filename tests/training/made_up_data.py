"""A small data folder in the layout that models/training reads, of invented pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

SIDE = 128
DRAWN = ("train_1", "train_2", "modern_train", "modern_dev", "saleci", "web")
UNDECIDED = ("modern_undecided", "saleci_undecided", "web_undecided")
FOLDERS = {
    "train_1": ("complexity", "advertisement_90{}", range(3)),
    "train_2": ("complexity", "advertisement_91{}", range(3)),
    "modern_train": ("ads", "design_{}", range(4)),
    "modern_dev": ("ads", "design_{}", range(4, 6)),
    "saleci": ("gaze/saleci", "market_{}", range(4)),
    "web": ("unlabelled/web", "page_{}", range(4)),
}
COLOURS = {"product": (200, 40, 40), "branding": (40, 180, 60), "face": (40, 60, 210), "call_to_action": (220, 190, 40)}


def picture_and_areas(rng: np.random.Generator) -> tuple[np.ndarray, list[dict]]:
    """A textured picture with coloured rectangles, and their areas."""
    height, width = (int(v) for v in rng.integers(SIDE // 2, SIDE + 1, 2))
    rgb = rng.integers(0, 60, (height, width, 3), dtype=np.uint8) + rng.integers(0, 120, 3, dtype=np.uint8)
    areas = []
    for kind, colour in COLOURS.items():
        x0, y0 = rng.uniform(0, 0.6, 2)
        x1, y1 = x0 + rng.uniform(0.2, 0.35), y0 + rng.uniform(0.2, 0.35)
        rgb[int(y0 * height) : int(y1 * height), int(x0 * width) : int(x1 * width)] = colour
        box = [round(float(v), 4) for v in (x0, y0, x1, y1)]
        areas.append({"type": kind, "label": "button" if kind == "call_to_action" else "", "box": box})
    return rgb, areas


def make(data: Path, labels: Path, seed: int = 0) -> None:
    """Write pictures, boxes, fixations, soft labels, what teachers saw, products and lines of text."""
    rng = np.random.default_rng(seed)
    labels.mkdir(parents=True)
    teachers, lines = [], []

    def save(path: str, rgb: np.ndarray) -> None:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rgb).save(data / path, quality=95)
        lines.append(
            {
                "image": path,
                "lines": [{"quad": [[0.1, 0.1], [0.6, 0.1], [0.6, 0.2], [0.1, 0.2]], "found": 0.9, "read": 0.8}],
            }
        )

    for name in DRAWN:
        folder, pattern, numbers = FOLDERS[name]
        drawn = {}
        for number in numbers:
            rgb, drawn[f"{pattern.format(number)}.jpg"] = picture_and_areas(rng)
            save(f"{folder}/images/{pattern.format(number)}.jpg", rgb)
        (labels / f"{name}.json").write_text(json.dumps(drawn))
    for name in UNDECIDED:
        (labels / f"{name}.json").write_text("{}")
    for folder in ("gaze/osie", "gaze/crowd", "gaze/scene"):
        for number in range(5):
            path = f"{folder}/images/photo_{number}.jpg"
            rgb, areas = picture_and_areas(rng)
            save(path, rgb)
            box = areas[0]["box"]
            boxes = [{"type": "product", "box": box, "confidence": 0.9, "label": "cat"}]
            size = {"width": rgb.shape[1], "height": rgb.shape[0]}
            teachers.append({"image": path, **size, "known": ["face", "person", "button"], "boxes": [], "zones": boxes})
    for folder in ("gaze/osie", "gaze/crowd", "gaze/scene", "gaze/saleci"):
        names = [path.stem for path in sorted((data / folder / "images").iterdir())]
        rows = {"image": np.repeat(names, 30), "viewer": "pooled", "index": 0, "duration_s": 0.3}
        places = {"x": rng.uniform(0.3, 0.7, 30 * len(names)), "y": rng.uniform(0.3, 0.7, 30 * len(names))}
        pd.DataFrame({**rows, **places, "onset_s": rng.uniform(0, 5, 30 * len(names))}).to_parquet(
            data / folder / "fixations.parquet"
        )
    for folder in ("complexity", "unlabelled/web"):
        (data / folder / "densities").mkdir()
        for path in (data / folder / "images").iterdir():
            grey = rng.integers(0, 65_535, (24, 24)).astype(np.uint16)
            Image.fromarray(grey).save(data / folder / "densities" / f"{path.stem}.png")
    (data / "ads" / "ads.csv").write_text("image,kind\n" + "".join(f"design_{k}.jpg,banner\n" for k in range(6)))
    (data / "products").mkdir()
    for k in range(2):
        white = np.full((100, 100, 3), 255, np.uint8)
        white[20:80, 30:70] = rng.integers(0, 200, 3, dtype=np.uint8)
        Image.fromarray(white).save(data / "products" / f"pack_{k:03d}.jpg", quality=95)
    for name, rows in (("teachers", teachers), ("lines", lines)):
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
