"""Films of a medium that moves: small previews of the samples, and its own frames with attention laid over them."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from mediaan.maps import Overlay, OverlayKind
from mediaan.maps.track import DensityTrack
from mediaan.media.film import FilmWriter
from mediaan.media.redraw import Encoding, redraw_film
from mediaan.media.source import Limits
from mediaan.types.arrays import Float32, UInt8

PREVIEWS: tuple[str, ...] = ("preview", "preview_heat")


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
