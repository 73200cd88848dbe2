"""What every medium looks like once it is open: facts first, then a stream of chunks, then what was learned on the way.

A picture is one chunk of one frame; a video or an animation is many, read once, in order, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from mediaan.types.media import Chunk, Medium, Problem, Shot

MIXED_FORMATS = frozenset({"mp4", "quicktime", "matroska", "avi", "gif"})
"""What the v2 media analysis service takes as mixed media; WebM is Matroska by its signature."""


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """What is refused, before its pixels are decoded wherever the file states it.

    Attributes
    ----------
    max_megapixels : float
        Of a picture.
    max_video_megapixels : float
        Of a frame of a video or an animation.
    max_side : int or None
        Longest side of any frame, px; None sets no limit.
    time_limit_s : float
        Wall time for one medium, s; a medium that takes longer fails. A video of more than ten minutes gets as much for
        each ten.
    max_duration_s : float
        Of a video or an animation, s: a frame may state that it stays for years.
    mixed : bool
        Take only what the v2 service takes as mixed media: MP4, WebM, MOV, MKV, AVI and GIF.
    """

    max_megapixels: float = 100.0
    max_video_megapixels: float = 36.0
    max_side: int | None = None
    time_limit_s: float = 900.0
    max_duration_s: float = 86400.0
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which frames of a video are looked at.

    Attributes
    ----------
    fps : float
        Samples per second: the frame on display at each of the instants 0, 1/fps, 2/fps ...
    key_frames_only : bool
        Decode nothing but key frames, each of which stands for the time until the next.
    exposure_s : float
        How long a still picture is looked at, s.
    threads : int
        Threads of the decoder; 0 leaves it to the decoder.
    """

    fps: float = 5.0
    key_frames_only: bool = False
    exposure_s: float = 5.0
    threads: int = 0


class Source(Protocol):
    """An open medium; use it in a ``with`` statement, which closes the file."""

    @property
    def medium(self) -> Medium:
        """Facts; `duration_s` is what the file states until the chunks are exhausted, then what was read."""
        ...

    @property
    def size_bytes(self) -> int:
        """Size of the file."""
        ...

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is worth knowing; complete once the chunks are exhausted."""
        ...

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted; one for a still picture."""
        ...

    @property
    def share_read(self) -> float:
        """Share of the medium that could be decoded, 0-1; final once the chunks are exhausted."""
        ...

    @property
    def read_s(self) -> float:
        """How far the reading has come, s of the medium."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """The frames in order, once.

        Raises
        ------
        MediumError
            Less than 90 % of the medium could be decoded, it took longer than the limit, or a frame breaks a limit.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
