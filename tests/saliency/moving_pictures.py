"""Tiny clips of a textured ground with things that happen on it, and an image model that numpy can work out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import cv2
import numpy as np

from mediaan.saliency import GazeState, TemporalAttention
from mediaan.saliency.density import normalise, resize_density
from mediaan.types.densities import Densities
from mediaan.types.media import ViewSpec

HEIGHT, WIDTH = 128, 192


@dataclass
class Clip:
    """What `TemporalAttention.advance` takes."""

    frames: np.ndarray
    t: np.ndarray
    shot: np.ndarray
    fresh: np.ndarray

    @property
    def weight_s(self) -> np.ndarray:
        step = self.t[1] - self.t[0] if len(self.t) > 1 else 0.2
        return np.full(len(self.t), step)

    def part(self, first: int, last: int) -> tuple[np.ndarray, ...]:
        where = slice(first, last)
        return tuple(a[where] for a in (self.frames, self.t, self.weight_s, self.shot, self.fresh))


def clip(draw, seconds: float, fps: float = 5.0, cuts: tuple[float, ...] = ()) -> Clip:  # type: ignore[no-untyped-def]
    """Sample `draw(t)`, an (H, W, 3) uint8 picture; what does not change is not fresh."""
    t = np.arange(round(seconds * fps)) / fps
    frames = np.stack([draw(float(x)) for x in t])
    same = [False, *(np.array_equal(a, b) for a, b in pairwise(frames))]
    shot = np.searchsorted(np.array(cuts), t + 1e-9, side="right").astype(np.int32)
    return Clip(frames, t, shot, ~np.array(same))


def follow(model: TemporalAttention, clip: Clip) -> list[np.ndarray]:
    densities, _ = model.advance(model.start(), *clip.part(0, len(clip.t)))
    return densities


def follow_in_parts(model: TemporalAttention, clip: Clip, ends: list[int]) -> tuple[list[np.ndarray], GazeState]:
    state, densities = model.start(), []
    for first, last in zip([0, *ends], [*ends, len(clip.t)], strict=True):
        some, state = model.advance(state, *clip.part(first, last))
        densities += some
    return densities, state


def texture(seed: int, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Smooth random grey-green ground, (height, width, 3) uint8."""
    noise = np.random.default_rng(seed).normal(size=(height, width, 1)).repeat(3, axis=2).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 3)
    return np.clip(90 + smooth * 220, 20, 160).astype(np.uint8)


def with_square(ground: np.ndarray, x: float, y: float, side: int = 20, grey: int = 250) -> np.ndarray:
    """A bright square whose middle is at (x, y) in unit coordinates."""
    picture = ground.copy()
    left, top = round(x * ground.shape[1] - side / 2), round(y * ground.shape[0] - side / 2)
    picture[max(0, top) : top + side, max(0, left) : left + side] = grey
    return picture


@dataclass
class Bright:
    """Gaze goes to what is bright at first, to what is dark later unless `steady`; it counts how often it was asked."""

    windows: tuple[str, ...] = ("start", "end", "total")
    cells: int = 4
    steady: bool = False
    name: str = "bright"
    sha256: str | None = None
    device: str = "cpu"
    domains: tuple[str, ...] = ()
    view: ViewSpec = field(default_factory=lambda: ViewSpec("attention", pixels=HEIGHT * WIDTH))
    batches: list[int] = field(default_factory=list)

    @property
    def looks(self) -> int:
        return sum(self.batches)

    def predict(self, frames: np.ndarray, *, domain: str | None = None) -> list[Densities]:
        self.batches.append(len(frames))
        return [self._one(frame) for frame in frames]

    def _one(self, frame: np.ndarray) -> Densities:
        grey = frame.mean(axis=2, dtype=np.float64)
        bright, dark = (normalise(values**4 + 1e3) for values in (grey, 255.0 - grey))
        dark = bright if self.steady else dark
        maps = {"start": bright, "end": dark, "total": normalise(bright.astype(np.float64) + dark)}
        shape = (frame.shape[0] // self.cells, frame.shape[1] // self.cells)
        return Densities({name: resize_density(maps[name], shape) for name in self.windows})  # type: ignore[misc]


def mass(density: np.ndarray, x0: float, x1: float, y0: float = 0.0, y1: float = 1.0) -> float:
    """Probability of a box in unit coordinates."""
    rows, columns = density.shape
    box = density[round(y0 * rows) : round(y1 * rows), round(x0 * columns) : round(x1 * columns)]
    return float(box.sum(dtype=np.float64))
