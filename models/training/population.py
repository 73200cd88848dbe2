"""The pictures on which scores are scaled, and what is measured on them once: drivers and densities."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from mediaan.analysis.augmentation import Augmentation
from mediaan.analysis.models import Models
from mediaan.media import open_image, view_size
from mediaan.metrics.drivers import DRIVER_VIEW, measure_drivers
from mediaan.metrics.scores.memory import measures
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Densities

HELD_OUT = Path(__file__).parent / "split" / "held_out"

# How many pictures of each kind stand for "pictures that people look at": half of them ads and web pages.
POPULATION = {
    "advertisement": 200,
    "visualizations": 80,
    "interior_design": 60,
    "objects": 60,
    "web": 200,
    "osie": 120,
    "crowd": 60,
    "scene": 60,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What scores need of one picture: its properties by name, and the features of the encoder."""

    values: dict[str, float | None]
    features: Float32


def files_of(data: Path, kind: str) -> list[Path]:
    """All pictures of a kind, in order."""
    if kind == "web":
        return sorted((data / "unlabelled/web/images").glob("*.jpg"))
    if kind == "ads":
        return sorted((data / "ads/images").glob("*.jpg"))
    if kind in ("osie", "crowd", "scene", "saleci"):
        return sorted((data / "gaze" / kind / "images").glob("*.jpg"))
    return sorted((data / "complexity/images").glob(f"{kind}_*.jpg"))


def population(data: Path) -> list[Path]:
    """Evenly spaced files of every kind, in a stable order."""
    chosen: list[Path] = []
    for kind, number in POPULATION.items():
        files = files_of(data, kind)
        chosen += [files[i] for i in np.linspace(0, len(files) - 1, min(number, len(files))).astype(int)]
    return chosen


def rated_pictures(folder: Path) -> tuple[list[Path], list[str], Float64]:
    """Pictures with a human rating of complexity, their categories, and the ratings, 0-100 within a category."""
    with (folder / "ratings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    paths = [folder / "images" / f"{row['image']}.jpg" for row in rows]
    return paths, [row["category"] for row in rows], np.array([float(row["complexity"]) for row in rows])


MODELS = Models("attention", "cpu", threads=1)


def views(path: Path) -> tuple[UInt8, UInt8]:
    """A picture in the views of the drivers and of the attention model."""
    opened = open_image(path, [DRIVER_VIEW, MODELS.still.view]).chunks[0].views
    return opened[DRIVER_VIEW.name][0], opened[MODELS.still.view.name][0]


@cache
def measure(path: Path) -> Measured:
    """Measure a picture as an analysis does; one that is of several populations is measured once."""
    small, shown = views(path)
    drivers = measure_drivers(small, MODELS.appearance.read(small))
    return Measured(measures(drivers, MODELS.still.predict(shown[None])[0]), drivers.appearance.features)


@cache
def measure_changed(path: Path, variants: tuple[Augmentation, ...]) -> list[Measured]:
    """The picture under changes that should not matter; attention by the cheaper model of video frames."""
    values = []
    for variant in variants:
        rgb = variant.apply(views(path)[0])
        drivers = measure_drivers(rgb, MODELS.appearance.read(rgb))
        values.append(Measured(measures(drivers, predict_frame(rgb)), drivers.appearance.features))
    return values


def predict_frame(rgb: UInt8) -> Densities:
    """Predict the densities of a picture of any size by the cheaper model of video frames."""
    size = view_size(rgb.shape[1], rgb.shape[0], MODELS.frames.view)
    method = cv2.INTER_AREA if size[0] <= rgb.shape[1] else cv2.INTER_LINEAR
    frame = np.asarray(cv2.resize(rgb, size, interpolation=method), np.uint8)
    return MODELS.frames.predict(frame[None])[0]
