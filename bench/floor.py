"""The floor: decode every picture once and encode the files that the command wrote for it, nothing else."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

UInt8 = npt.NDArray[np.uint8]

LONG_SIDE_PX = 1024
QUALITY = 85
REDUCING_GAP = 1.5
"""As in the command: shrink by whole factors with a box, then bicubic."""


@dataclass(frozen=True)
class Floor:
    """Seconds of work of all pictures, summed over processes."""

    decode_s: float
    encode_s: float
    processes: int

    @property
    def wall_s(self) -> float:
        """What the work takes when the processes share it evenly and starting them costs nothing."""
        return (self.decode_s + self.encode_s) / self.processes


def measure(pictures: list[Path], written: list[Path], processes: int) -> Floor:
    """Time the floor of `pictures`, whose maps the command has `written` (any order, the same number for each)."""
    each = len(written) // len(pictures)
    jobs = [(path, written[i * each : (i + 1) * each]) for i, path in enumerate(pictures)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        seconds = np.array(list(pool.map(_one, jobs, chunksize=4)))
    decode_s, encode_s = seconds.sum(axis=0)
    return Floor(float(decode_s), float(encode_s), processes)


def _one_thread() -> None:
    cv2.setNumThreads(1)


def _one(job: tuple[Path, list[Path]]) -> tuple[float, float]:
    picture, written = job
    began = time.perf_counter()
    _decode(picture)
    decoded = time.perf_counter()
    maps = [(path.suffix, _load(path)) for path in written]
    loaded = time.perf_counter()
    for suffix, pixels in maps:
        _encode(suffix, pixels)
    return decoded - began, time.perf_counter() - loaded


def _decode(path: Path) -> Image.Image:
    """To a long side of 1024 px, with the JPEG decoder's own reduction."""
    with Image.open(path) as picture:
        scale = min(1.0, LONG_SIDE_PX / max(picture.size))
        size = round(picture.width * scale), round(picture.height * scale)
        picture.draft("RGB", size)
        return picture.convert("RGB").resize(size, Image.Resampling.BICUBIC, reducing_gap=REDUCING_GAP)


def _load(path: Path) -> UInt8:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))[..., ::-1].copy()


def _encode(suffix: str, pixels: UInt8) -> None:
    flag = cv2.IMWRITE_WEBP_QUALITY if suffix == ".webp" else cv2.IMWRITE_JPEG_QUALITY
    cv2.imencode(suffix, pixels, [flag, QUALITY])
