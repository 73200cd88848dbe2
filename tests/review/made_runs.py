"""A small run with areas, and things too unsure to be areas, made without a detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import mediaan as mn


def write_ads(folder: Path, names: str = "abc") -> Path:
    """Pictures that differ: a headline above, a bottle-like shape, and a small mark."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        rgb = np.full((300, 400, 3), 235 - 20 * number, np.uint8)
        picture = Image.fromarray(rgb)
        draw = ImageDraw.Draw(picture)
        draw.text((30, 20), f"Fresh every day {name}", fill="black", font_size=40)
        draw.rounded_rectangle((150, 110, 220, 280), 20, fill=(30 + 40 * number, 90, 160))
        draw.ellipse((330, 240, 380, 290), fill="darkred")
        picture.save(folder / f"{name}.png")
    return folder


def analyze(folder: Path, out: Path, **options: object) -> mn.Run:
    recipe = {"model": "centre-prior", "maps": ("heat",), "aois": "all", "advice": "none"}
    return mn.analyze_folder(folder, out, mn.Recipe(**(recipe | options)), mn.Execution(workers=1, report="none"))
