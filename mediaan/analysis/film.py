"""Films of a medium that moves: small previews of the samples, and its own frames with attention laid over them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from mediaan.maps import Overlay, OverlayKind
from mediaan.maps.density import normalise, resize_density
from mediaan.media.film import FilmWriter
from mediaan.media.redraw import Encoding, redraw_film
from mediaan.media.source import Limits
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.media import Shot

PREVIEWS: tuple[str, ...] = ("preview", "preview_heat")

_CELLS_LONG_SIDE, _MOST_CELLS = 64, 2304
_TOP_CODE = 255


class DensityTrack:
    """Densities over time, small enough to keep for hours: one byte per cell.

    A byte is the cube root of the density as a share of its peak, so that a density of a hundredth of the peak is still
    kept to 3 %. At most 64 cells on the long side and 2,304 in all: 2.4 KB a sample.

    Attributes
    ----------
    shots : tuple of Shot
        Where the cuts are; without them a cut takes place at the first sample after it.
    """

    def __init__(self) -> None:
        self.shots: tuple[Shot, ...] = ()
        self._codes: list[UInt8] = []
        self._times_s = array("d")
        self._shot = array("i")

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, t_s: float, shot: int, density: Float32) -> None:
        """Take in the density, (h, w) float32 of sum 1, at a time, s; times must rise."""
        if self._times_s and t_s <= self._times_s[-1]:
            raise ValueError(f"a density at {t_s} s comes after one at {self._times_s[-1]} s")
        self._codes.append(_encoded(density))
        self._times_s.append(t_s)
        self._shot.append(shot)

    def at(self, t_s: float) -> Float32:
        """The density at any time.

        Between two samples of a shot it is interpolated linearly; before the first and after the last sample of its
        shot it is that sample's.

        Returns
        -------
        (h, w) float32
            Sums to 1.

        Raises
        ------
        ValueError
            The track is empty.
        """
        if not self._codes:
            raise ValueError("the track holds no density")
        before, after, share = self._neighbours(t_s)
        density = _decoded(self._codes[before])
        if share > 0:
            density = density * (1.0 - share) + _decoded(self._codes[after]) * share
        return normalise(density)

    def _neighbours(self, t_s: float) -> tuple[int, int, float]:
        """The samples on either side and how far the time lies towards the later one, 0-1."""
        after = bisect_right(self._times_s, t_s)
        if after == 0:
            return 0, 0, 0.0
        if after == len(self._codes):
            return after - 1, after - 1, 0.0
        before = after - 1
        if self._shot[before] != self._shot[after]:
            side = after if self._cut_before(t_s, self._shot[after]) else before
            return side, side, 0.0
        span = self._times_s[after] - self._times_s[before]
        return before, after, (t_s - self._times_s[before]) / span

    def _cut_before(self, t_s: float, shot: int) -> bool:
        """Whether a shot has begun, as far as the shots are known."""
        return shot < len(self.shots) and self.shots[shot].start_s <= t_s


def _encoded(density: Float32) -> UInt8:
    rows, columns = density.shape
    scale = min(1.0, _CELLS_LONG_SIDE / max(rows, columns), (_MOST_CELLS / (rows * columns)) ** 0.5)
    small = resize_density(density, (max(1, int(rows * scale)), max(1, int(columns * scale))))
    codes = np.round(_TOP_CODE * np.cbrt(small / small.max()))
    return np.asarray(codes, dtype=np.uint8)


def _decoded(codes: UInt8) -> Float32:
    """Sums to 1."""
    return normalise((codes / np.float32(_TOP_CODE)) ** 3)


def overlay_film(
    path: Path,
    target: Path,
    track: DensityTrack,
    kind: OverlayKind,
    limits: Limits,
    *,
    threads: int = 0,
) -> None:
    """Write a video again with attention laid over each of its frames, timing and sound kept.

    Parameters
    ----------
    path : Path
        A video or an animation.
    target : Path
        The film to write, an MP4.
    track : DensityTrack
        Densities at the sampled times.
    kind : {'heat', 'fog'}
    limits : Limits
    threads : int
        Of decoder and encoder; 0 leaves it to them.

    Raises
    ------
    MediumError
        The file is bad, or breaks a limit.
    SetupError
        No H.264 encoder is here, or the target cannot be written.
    """
    overlay = Overlay(kind)

    def draw(rgb: UInt8, t_s: float) -> UInt8:
        return overlay(rgb, track.at(t_s))

    redraw_film(path, target, draw, limits, Encoding(threads=threads))


class Preview:
    """Writes the samples of a medium as two small films, without and with heat.

    Use it in a ``with`` statement and close it there: films that are not finished at its end are dropped.

    Parameters
    ----------
    folder : Path
        Where the films shall lie: ``preview.mp4`` and ``preview_heat.mp4``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._overlay = Overlay("heat")
        self._films: dict[str, FilmWriter] = {}

    def add(self, rgb: UInt8, density: Float32, t_s: float, weight_s: float) -> None:
        """Write a sample.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            Small, such as the view for the drivers; the same size each time.
        density : (h, w) float32
        t_s, weight_s : float
            When it is shown and for how long, s; times must rise.
        """
        if not self._films:
            size = rgb.shape[1], rgb.shape[0]
            rate = min(max(1.0 / weight_s, 1.0), 60.0)
            self._films = {name: FilmWriter(self._file(name), size, rate, preset="ultrafast") for name in PREVIEWS}
        self._films["preview"].add(rgb, t_s, weight_s)
        self._films["preview_heat"].add(self._overlay(rgb, density), t_s, weight_s)

    def close(self) -> dict[str, Path]:
        """Finish the films; their files by name, none if there was no sample."""
        for film in self._films.values():
            film.close()
        return {name: film.path for name, film in self._films.items()}

    def abort(self) -> None:
        """Drop what is not finished."""
        for film in self._films.values():
            film.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.mp4"
