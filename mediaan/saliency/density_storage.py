"""Keep densities: over time in a temporary file, and by window and over time in an .npz file."""

from __future__ import annotations

import io
import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.saliency.density import normalise, resize_density
from mediaan.types.arrays import Float32
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.media import Shot

_MAX_LONG_SIDE, _MAX_CELLS = 64, 2304
_TOP_CODE = 255

TRACK_ARRAYS = ("codes", "t_s", "weight_s", "shot")
"""A track as arrays: (n, h, w) uint8 codes, (n,) float64 times and weights in s, (n,) int32 shots."""


DOMAINS, DOMAIN_PROBABILITIES = "domains", "domain_probabilities"
"""Names of the arrays that hold the names and the values of `Densities.domains`."""

SCREEN = "screen"
"""Name of the array that holds `Densities.screen`."""


class TrackSample(NamedTuple):
    """One sample of a track: when, for how long, in which shot, and the density, (h, w) float32 of sum 1."""

    t_s: float
    weight_s: float
    shot: int
    density: Float32


class DensityTrack:
    """Densities over time, one byte per cell, kept in a temporary file.

    A byte is the cube root of the density as a share of its peak, so that a density of a hundredth of the peak is still
    kept to 3 %. At most 64 cells on the long side and 2,304 in all: 2.4 KB a sample.

    `shots`: where the cuts are; without them a cut takes place at the first sample after it.
    """

    def __init__(self) -> None:
        self.shots: tuple[Shot, ...] = ()
        self._codes: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the track
        self._shape = (0, 0)
        self._times_s = array("d")
        self._weights_s = array("d")
        self._shot = array("i")

    def __len__(self) -> int:
        return len(self._times_s)

    def add(self, t_s: float, weight_s: float, shot: int, density: Float32) -> None:
        """Append the density, (h, w) float32 of sum 1, at a time, s, that stands for `weight_s`; times must rise."""
        if self._times_s and t_s <= self._times_s[-1]:
            raise ValueError(f"a density at {t_s} s comes after one at {self._times_s[-1]} s")
        if not len(self):
            rows, columns = density.shape
            scale = min(1.0, _MAX_LONG_SIDE / max(rows, columns), (_MAX_CELLS / (rows * columns)) ** 0.5)
            self._shape = max(1, int(rows * scale)), max(1, int(columns * scale))
        small = resize_density(density, self._shape)
        codes = np.asarray(np.round(_TOP_CODE * np.cbrt(small / small.max())), dtype=np.uint8)
        self._codes.write(codes.tobytes())
        self._times_s.append(t_s)
        self._weights_s.append(weight_s)
        self._shot.append(shot)

    def at(self, t_s: float) -> Float32:
        """Return the density at any time.

        Between two samples of a shot it is interpolated linearly; before the first and after the last sample of its
        shot it is that sample's.

        Returns (h, w) float32: sums to 1.
        Raises ValueError: the track is empty.
        """
        if not len(self):
            raise ValueError("the track holds no density")
        after = bisect_right(self._times_s, t_s)
        before = max(0, after - 1)
        if after in (0, len(self)):
            return normalise(self._decode(before))
        shot = self._shot[after]
        if shot != self._shot[before]:
            has_cut = shot < len(self.shots) and self.shots[shot].start_s <= t_s
            return normalise(self._decode(after if has_cut else before))
        share = (t_s - self._times_s[before]) / (self._times_s[after] - self._times_s[before])
        density = self._decode(before)
        if share > 0:
            density = density * (1.0 - share) + self._decode(after) * share
        return normalise(density)

    def samples(self) -> Iterator[TrackSample]:
        """Yield all samples in the order of time."""
        for i in range(len(self)):
            yield TrackSample(self._times_s[i], self._weights_s[i], self._shot[i], self._decode(i))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the track as `TRACK_ARRAYS`."""
        self._codes.seek(0)
        codes = np.frombuffer(self._codes.read(), np.uint8).reshape(-1, *self._shape)
        times = np.array(self._times_s, np.float64), np.array(self._weights_s, np.float64)
        return dict(zip(TRACK_ARRAYS, (codes, *times, np.array(self._shot, np.int32)), strict=True))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> DensityTrack:
        """Make a track of what `arrays` returned."""
        track = cls()
        codes = np.asarray(arrays["codes"], np.uint8)
        track._shape = (codes.shape[1], codes.shape[2])
        track._codes.write(codes.tobytes())
        track._times_s.extend(arrays["t_s"].tolist())
        track._weights_s.extend(arrays["weight_s"].tolist())
        track._shot.extend(arrays["shot"].tolist())
        return track

    def __del__(self) -> None:
        self._codes.close()

    def _decode(self, i: int) -> Float32:
        """Decode the density of the i-th sample; sums to 1."""
        size = self._shape[0] * self._shape[1]
        self._codes.seek(i * size)
        codes = np.frombuffer(self._codes.read(size), np.uint8).reshape(self._shape)
        return normalise((codes / np.float32(_TOP_CODE)) ** 3)


def encode_densities(densities: Densities, series: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Write an .npz file of densities by window, and a track where `series` holds one.

    Windows alone are stored as they are: compressing a density's noise would save next to nothing.
    """
    file = io.BytesIO()
    windows: dict[str, npt.NDArray[Any]] = {window: densities[window] for window in WINDOWS if window in densities.maps}
    if densities.domains is not None:
        windows[DOMAINS] = np.array(list(densities.domains))
        windows[DOMAIN_PROBABILITIES] = np.array(list(densities.domains.values()))
    if densities.screen is not None:
        windows[SCREEN] = np.array(densities.screen)
    if series:
        np.savez_compressed(file, allow_pickle=False, **windows, **series)
    else:
        np.savez(file, allow_pickle=False, **windows)
    return file.getvalue()


def read_densities(file: Path | BinaryIO) -> tuple[Densities, DensityTrack | None]:
    """Read densities by window, and over time; None for the latter of a still image.

    Raises OSError, ValueError: there is no such file, or it holds something else.
    """
    with np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    track = DensityTrack.of_arrays(arrays) if set(TRACK_ARRAYS) <= arrays.keys() else None
    windows = {window: arrays[window] for window in WINDOWS if window in arrays}
    domains = None
    if DOMAINS in arrays:
        domains = dict(zip(arrays[DOMAINS].tolist(), arrays[DOMAIN_PROBABILITIES].tolist(), strict=True))
    screen = float(arrays[SCREEN]) if SCREEN in arrays else None
    return Densities(windows, domains, screen), track
