"""A folder of files as people have them: pictures of all sorts, broken ones, and what is no picture at all."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
from PIL import Image

QUOTED = "50% off \"now\" & 'free' – größe 夏.png"
GOOD = ["autumn/hero.png", "banner.jpg", "copy of banner.jpeg", QUOTED, "spring/hero.png"]
BROKEN = {"not really.jpg": "not_a_picture", "truncated.jpg": "truncated"}
IN_ORDER = sorted([*GOOD, *BROKEN])
DISTINCT = 4
"""The copy of the banner is the same medium as the banner."""


def picture(seed: int, width: int = 160, height: int = 120) -> Image.Image:
    """Discs on a plain ground, drawn from a seed."""
    rng = np.random.default_rng(seed)
    rgb = np.full((height, width, 3), rng.integers(180, 256, 3), np.uint8)
    y, x = np.mgrid[:height, :width]
    for _ in range(6):
        centre_y, centre_x, radius = rng.integers(0, height), rng.integers(0, width), rng.integers(5, 25)
        rgb[(y - centre_y) ** 2 + (x - centre_x) ** 2 < radius**2] = rng.integers(0, 256, 3)
    return Image.fromarray(rgb)


def as_jpeg(seed: int) -> bytes:
    file = io.BytesIO()
    picture(seed).save(file, "jpeg", quality=90)
    return file.getvalue()


def write_ads(folder: Path) -> Path:
    """Fill a folder with `GOOD` and `BROKEN` files, a text file and a hidden one."""
    for sub in ("", "autumn", "spring"):
        (folder / sub).mkdir(parents=True, exist_ok=True)
    picture(1).save(folder / "autumn" / "hero.png")
    picture(2).save(folder / "spring" / "hero.png")
    picture(3, 90, 200).save(folder / QUOTED)
    (folder / "banner.jpg").write_bytes(as_jpeg(4))
    (folder / "copy of banner.jpeg").write_bytes(as_jpeg(4))
    data = as_jpeg(5)
    (folder / "truncated.jpg").write_bytes(data[: len(data) // 2])
    (folder / "not really.jpg").write_text("this is a text, whatever its name says\n" * 20)
    (folder / "notes.txt").write_text("remember the milk\n")
    (folder / ".hidden.png").write_bytes((folder / "autumn" / "hero.png").read_bytes())
    return folder


def write_pictures_and_animation(folder: Path) -> Path:
    """Write a.png, b.png and sofa_banner.gif."""
    picture(1).save(folder / "a.png")
    picture(2).save(folder / "b.png")
    shutil.copy(Path(__file__).resolve().parents[1] / "sample_ads" / "videos" / "sofa_banner.gif", folder)
    return folder
