"""A made world in which it is known where people look: a spot that moves, and models that know it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import UUID

import numpy as np
import pandas as pd

from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling
from mediaan.saliency.density import normalise, uniform_density
from mediaan.types.arrays import Bool, Float32, Float64, Int32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import Chunk, Medium, Shot, ViewSpec

SIDE = 80
DURATION_S = 4.0
Path2D = Callable[[float], tuple[float, float]]


def circling(t_s: float) -> tuple[float, float]:
    """Once round in 2 s, well within the frame: the spot moves by its own width in about .2 s."""
    angle = np.pi * t_s
    return 0.5 + 0.25 * float(np.cos(angle)), 0.5 + 0.25 * float(np.sin(angle))


def spot_density(x: float, y: float, sd: float) -> Float32:
    """Gaussian at a place of the square frame, written out anew."""
    at = (np.arange(SIDE) + 0.5) / SIDE
    across, down = np.exp(-((at - x) ** 2) / (2 * sd**2)), np.exp(-((at - y) ** 2) / (2 * sd**2))
    return normalise(np.outer(down, across))


class FakeSource:
    """Frames of nothing at the sampled instants, three to a chunk."""

    size_bytes, problems, share_read, read_s = 0, (), 1.0, 0.0
    shots = (Shot(0.0, DURATION_S, "start"),)

    def __init__(self, path: Path, views: Sequence[ViewSpec], sampling: Sampling, duration_s: float) -> None:
        self.medium = Medium(UUID(int=0), path.name, "video", 200, 200, "h264", duration_s)
        self._views, self._sampling = views, sampling

    def chunks(self) -> Iterator[Chunk]:
        assert self.medium.duration_s is not None
        count = int(self.medium.duration_s * self._sampling.fps)
        for first in range(0, count, 3):
            t = np.arange(first, min(first + 3, count)) / self._sampling.fps
            frames: UInt8 = np.zeros((t.size, 32, 32, 3), np.uint8)
            yield Chunk(
                t=t,
                weight_s=np.full(t.size, 1 / self._sampling.fps),
                views={view.name: frames for view in self._views},
                shot=np.zeros(t.size, np.int32),
                fresh=t == 0,
            )

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_fake(path: Path, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling) -> FakeSource:
    return FakeSource(path, views, sampling, DURATION_S)


class Oracle:
    """Knows where the spot is, `behind_s` too late; counts its calls to see that its state comes back."""

    view = ViewSpec("attention", long_side=32)

    def __init__(self, where: Path2D = circling, *, sd: float = 0.05, behind_s: float = 0.0) -> None:
        self._where, self._sd, self._behind_s = where, sd, behind_s

    def start(self) -> int:
        return 0

    def advance(
        self, state: int, frames: UInt8, t: Float64, weight_s: Float64, shot: Int32, fresh: Bool
    ) -> tuple[list[Float32], int]:
        assert np.allclose(t[0] * 5, state), "the state of the chunk before comes back"
        return [spot_density(*self._where(one - self._behind_s), self._sd) for one in t], state + t.size


class Blank:
    """Sees nothing."""

    name, sha256, device = "blank", None, "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", long_side=32)

    def __init__(self) -> None:
        self.calls = 0

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        self.calls += len(frames)
        return [Densities({"total": uniform_density((8, 8))}) for _ in frames]


def samples(
    video: str, rng: np.random.Generator, where: Path2D = circling, *, sd: float = 0.03, viewers: int = 8
) -> pd.DataFrame:
    """Gaze at 50 per second of viewers who follow the spot, each sample Gaussian about it."""
    t = (np.arange(int(DURATION_S * 50)) + 0.5) / 50
    centres = np.array([where(one) for one in t])
    tables = []
    for viewer in range(viewers):
        at = centres + rng.normal(0, sd, centres.shape)
        tables.append(pd.DataFrame({"video": video, "viewer": viewer, "t_s": t, "x": at[:, 0], "y": at[:, 1]}))
    return pd.concat(tables, ignore_index=True)


def write_set(folder: Path, table: pd.DataFrame, files: Sequence[str]) -> Path:
    """A folder in the layout of sets of clips; the videos are empty files."""
    (folder / "videos").mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / "videos" / name).touch()
    table.to_parquet(folder / "fixations.parquet")
    return folder
