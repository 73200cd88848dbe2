"""Define the interface of every open medium: facts first, then a stream of chunks, then findings of the reading.

An image is one chunk of one frame; a video or an animation is many, read once, in order, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from mediaan.types.media import Chunk, Medium, Problem, Shot

MIXED_FORMATS = frozenset({"mp4", "quicktime", "matroska", "avi", "gif"})
"""Formats that the v2 media analysis service takes as mixed media; WebM is Matroska by its signature."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a medium is sampled."""

    fps: float = 5.0
    """Samples per second: the frame on display at each of the instants 0, 1/fps, 2/fps ..."""
    key_frames_only: bool = False
    """Decode nothing but key frames, each of which stands for the time until the next."""
    exposure_s: float = 5.0
    """Viewing time of a still image, s."""
    threads: int = 0
    """Threads of the decoder; 0 leaves it to the decoder."""


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
        """Problems that did not end the reading; complete once the chunks are exhausted."""
        ...

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted; one for a still image."""
        ...

    @property
    def share_read(self) -> float:
        """Share of the medium that could be decoded, 0-1; final once the chunks are exhausted."""
        ...

    @property
    def read_s(self) -> float:
        """Position that the reading has reached, s of the medium."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Yield the frames in order, once.

        Raises MediumError: less than 90 % of the medium could be decoded, it took longer than the limit, or a frame
            breaks a limit.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
