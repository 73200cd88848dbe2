"""Define the interface of every open medium: facts first, then a stream of chunks, then findings of the reading.

An image is one chunk of one frame; a video or an animation is many, read once, in order, in bounded memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

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


class Source(ABC):
    """An open medium; use it in a ``with`` statement, which closes the file."""

    medium: Medium
    """Facts; `duration_s` is what the file states until the chunks are exhausted, then what was read."""
    size_bytes: int
    """Of the file."""
    read_s = 0.0
    """Position that the reading has reached, s of the medium."""
    is_closed = False
    _running: Generator[Chunk, None, None] | None = None

    @property
    @abstractmethod
    def problems(self) -> tuple[Problem, ...]:
        """Problems that did not end the reading; complete once the chunks are exhausted."""

    @property
    @abstractmethod
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted; one for a still image."""

    @property
    @abstractmethod
    def share_read(self) -> float:
        """Share of the medium that could be decoded, 0-1; final once the chunks are exhausted."""

    @abstractmethod
    def _chunks(self) -> Generator[Chunk, None, None]:
        """Yield the frames in order."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield the frames in order, once: up to five samples a chunk.

        Raises MediumError: with the code ``truncated`` or ``decode_failed``, less than 90 % of the medium could be
            decoded; ``time_limit``, it took longer than the limit; ``too_large`` or ``too_long``, a frame breaks a
            limit.
        Raises ValueError: as Python's files do, if the source is closed or its chunks were asked for before.
        """
        if self.is_closed:
            raise ValueError(f"{self.medium.name}: the source is closed; open the medium again")
        if self._running is not None:
            raise ValueError(f"{self.medium.name}: chunks are given only once; open the medium again")
        self._running = self._chunks()
        return self._running

    def close(self) -> None:
        """Stop the reading and close the file."""
        self.is_closed = True
        if self._running is not None:
            self._running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
