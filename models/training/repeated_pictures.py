"""What people reach on a set with pooled viewers: `python models/training/repeated_pictures.py DATA/gaze/saleci`.

Viewers of SalECI are pooled, so that one cannot be told from the others. But some pictures are in the set twice, under
two names and seen by two groups. How well one group's density predicts where the other looked is what a model as good
as so many viewers would reach; the square root of the correlation of both is what a perfect model would (Spearman 1904,
correction for attenuation).
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import cv2
import numpy as np
import pandas as pd

from mediaan.evaluation.datasets.image_set import grid_shape
from mediaan.evaluation.saliency.metrics import cc, nss
from mediaan.saliency.density import fixation_cells, fixation_density


def repeats(images: Path) -> list[tuple[Path, Path]]:
    """Return pairs of files whose decoded pixels are the same."""
    first: dict[bytes, Path] = {}
    pairs = []
    for path in sorted(images.iterdir()):
        pixels = cv2.imread(str(path))
        key = hashlib.sha256(np.array(pixels.shape).tobytes() + pixels.tobytes()).digest()
        if key in first:
            pairs.append((first[key], path))
        first.setdefault(key, path)
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="folder with images/ and fixations.parquet")
    folder = parser.parse_args().set
    groups = dict(iter(pd.read_parquet(folder / "fixations.parquet").groupby("image")))
    pairs = repeats(folder / "images")
    if not pairs:
        raise SystemExit(f"{folder}: no picture is there twice")
    correlations = []
    print("| picture, again | fixations | CC of both groups | NSS of each by the other |\n|---|---|---|---|")
    for pair in pairs:
        shape = grid_shape(pair[0])
        gaze = [groups[path.stem] for path in pair]
        densities = [fixation_density(g["x"], g["y"], shape) for g in gaze]
        correlations.append(cc(*densities))
        by_other = [nss(densities[1 - i], fixation_cells(g["x"], g["y"], shape)) for i, g in enumerate(gaze)]
        print(
            f"| {pair[0].stem}, {pair[1].stem} | {len(gaze[0])}, {len(gaze[1])} | {correlations[-1]:.3f} "
            f"| {by_other[0]:.2f}, {by_other[1]:.2f} |"
        )
    mean = float(np.mean(correlations))
    print(f"mean CC {mean:.3f}; a perfect model would reach about {mean**0.5:.2f}")


if __name__ == "__main__":
    main()
