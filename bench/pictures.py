"""Pictures to measure on: the sample ads enlarged to 2-12 MP, cut, textured and grained; the same on every machine."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

UInt8 = npt.NDArray[np.uint8]
ADS = Path(__file__).resolve().parents[1] / "tests" / "sample_ads" / "ads"
CACHE = Path(__file__).parent / "cache"
VERSION = "pictures-1"

ASPECTS = (1.0, 4 / 5, 9 / 16, 16 / 9, 3 / 2, 1.91, 3 / 4)
MEGAPIXELS = (2.0, 12.0)
TILE_PX = 1024


def pictures(count: int) -> list[Path]:
    """Paths of the first `count` pictures, made where they are missing."""
    folder = CACHE / VERSION
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{index:04d}{suffix(index)}" for index in range(count)]
    missing = [index for index, path in enumerate(paths) if not path.exists()]
    if missing:
        ads, texture = _ads(), _texture()
        for index in missing:
            _write(_compose(index, ads, texture), paths[index], index)
    return paths


def suffix(index: int) -> str:
    """One in ten is PNG, one in twenty WebP, the others JPEG."""
    if index % 10 == 9:
        return ".png"
    return ".webp" if index % 20 == 4 else ".jpg"


def _ads() -> list[UInt8]:
    opened = [ImageOps.exif_transpose(Image.open(path)).convert("RGB") for path in sorted(ADS.iterdir())]
    return [np.asarray(picture) for picture in opened]


def _texture() -> UInt8:
    """Noise whose amplitude falls with frequency, as in natural surfaces: a tile of sums of octaves, 128 = neutral."""
    random = np.random.default_rng(7)
    total = np.zeros((TILE_PX, TILE_PX), np.float32)
    for octave in range(2, 10):
        coarse = random.standard_normal((2**octave, 2**octave)).astype(np.float32)
        total += cv2.resize(coarse, (TILE_PX, TILE_PX), interpolation=cv2.INTER_CUBIC) * 0.62**octave
    return np.asarray(np.clip(128 + 42 * total / total.std(), 0, 255), np.uint8)


def _compose(index: int, ads: list[UInt8], texture: UInt8) -> UInt8:
    random = np.random.default_rng([20, index])
    area = 1e6 * np.exp(random.uniform(*np.log(MEGAPIXELS)))
    aspect = ASPECTS[random.integers(len(ASPECTS))]
    width, height = round(float(np.sqrt(area * aspect))), round(float(np.sqrt(area / aspect)))
    ground = _surface(width, height, texture, random)
    ad = ads[index % len(ads)]
    # An ad as in a layout or a photographed wall: fills 70-100 % of one side, the rest is surface.
    scale = min(width / ad.shape[1], height / ad.shape[0]) * random.uniform(0.7, 1.0)
    placed = cv2.resize(ad, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)[:height, :width]
    top = int(random.integers(height - placed.shape[0] + 1))
    left = int(random.integers(width - placed.shape[1] + 1))
    ground[top : top + placed.shape[0], left : left + placed.shape[1]] = placed
    return _grained(ground, random)


def _surface(width: int, height: int, texture: UInt8, random: np.random.Generator) -> UInt8:
    times = (height // TILE_PX + 1, width // TILE_PX + 1)
    grey = np.tile(texture, times)[:height, :width]
    tint = random.uniform(0.35, 1.0, 3)
    tables = [np.clip(np.arange(256) * part + 40, 0, 255).astype(np.uint8) for part in tint]
    return np.ascontiguousarray(np.stack([table[grey] for table in tables], axis=-1))


def _grained(picture: UInt8, random: np.random.Generator) -> UInt8:
    """Sensor-like grain, σ about 3 levels, from one tile repeated."""
    grain = (random.standard_normal((TILE_PX, TILE_PX)) * 3).round().astype(np.int16)
    height, width = picture.shape[:2]
    tiled = np.tile(grain, (height // TILE_PX + 1, width // TILE_PX + 1))[:height, :width, None]
    return np.asarray(np.clip(picture + tiled, 0, 255), np.uint8)


def _write(picture: UInt8, path: Path, index: int) -> None:
    """Write beside, then rename: a picture that is there is whole."""
    part = path.with_suffix(".part")
    image = Image.fromarray(picture)
    if path.suffix == ".png":
        image.save(part, "PNG", compress_level=4)
    elif path.suffix == ".webp":
        image.save(part, "WEBP", quality=88, method=2)
    else:
        image.save(part, "JPEG", quality=88 + index % 5)
    part.rename(path)
