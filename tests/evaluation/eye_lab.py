"""A laboratory that does not exist: pictures, a model of attention, and viewers who differ from it by known numbers."""

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from PIL import Image

from mediaan.saliency.density import normalise
from mediaan.saliency.predictor import adjust_density
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities, Window
from mediaan.types.eye_tracking import Adjustment
from mediaan.types.media import ViewSpec

SHAPE = (36, 48)


class Brightness:
    """A model of attention by which people look where it is bright."""

    name = "brightness"
    sha256: str | None = "b" * 64
    device = "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", pixels=192 * 144, multiple=1, upscale=True)

    def __init__(self, windows: tuple[Window, ...] = ("total",)) -> None:
        self._windows = windows

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        return [Densities(dict.fromkeys(self._windows, self._density(frame))) for frame in frames]

    def _density(self, frame: UInt8) -> Float32:
        grey = cv2.resize(frame[:, :, 0], SHAPE[::-1], interpolation=cv2.INTER_AREA).astype(np.float64)
        return normalise(np.exp(grey / 40))


def make_pictures(folder: Path, number: int) -> None:
    """Smooth blobs of light, 192 x 144 px."""
    (folder / "images").mkdir(parents=True)
    random = np.random.default_rng(number)
    for i in range(number):
        light = cv2.GaussianBlur(random.random((144, 192)) ** 12, (0, 0), 9)
        grey = (255 * (light - light.min()) / np.ptp(light)).astype(np.uint8)
        Image.fromarray(grey).convert("RGB").save(folder / "images" / f"p{i:02}.png")


def look(
    folder: Path,
    truth: Adjustment,
    *,
    viewers: int = 20,
    fixations: int = 10,
    seed: int = 0,
    exposure_s: float | None = None,
) -> None:
    """Write the fixations of viewers whose density is the model's, adjusted; with times if an exposure is given."""
    random, rows = np.random.default_rng(seed), []
    for path in sorted((folder / "images").iterdir()):
        frame = np.asarray(Image.open(path))
        density = adjust_density(Brightness().predict(frame[None])[0]["total"], truth).astype(np.float64)
        n = viewers * fixations
        cells = random.choice(density.size, n, p=density.ravel() / density.sum())
        y, x = np.unravel_index(cells, SHAPE)
        table = pd.DataFrame(
            {
                "image": path.stem,
                "viewer": np.repeat(np.arange(viewers), fixations),
                "x": (x + random.random(n)) / SHAPE[1],
                "y": (y + random.random(n)) / SHAPE[0],
            }
        )
        if exposure_s is not None:
            step = exposure_s / fixations
            table["onset_s"] = np.tile(np.arange(fixations) * step, viewers)
            table["duration_s"] = 0.8 * step
        rows.append(table)
    pd.concat(rows).to_parquet(folder / "fixations.parquet")
