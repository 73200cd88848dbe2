"""Open a video file: checked, decoded once and in order, given as chunks of samples in the sizes asked for."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import av
import numpy as np
from av.container import InputContainer

from mediaan.errors import MediumError
from mediaan.media.listing import displayable
from mediaan.media.probe import file_medium_id
from mediaan.media.source import MediaLimits, Sampling
from mediaan.media.video.container import (
    Deadline,
    check_duration,
    check_frame_size,
    max_pixels,
    open_container,
    stated_duration,
    video_stream,
)
from mediaan.media.video.decoder import FrameReader
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.media.video.sampling import FrameSample, TimedFrame, sample_at_instants, sample_each_frame
from mediaan.media.video.shots import ShotDetector
from mediaan.types.arrays import UInt8
from mediaan.types.media import Chunk, Medium, Problem, Shot, ViewSpec

ItemT = TypeVar("ItemT")


def prefetch(items: Iterator[ItemT], depth: int) -> Generator[ItemT, None, None]:
    """Make the next `depth` items in a thread while the one before is being used.

    Errors come out where the item would have. When the generator is closed, the item under way is finished and the
    thread joined.

    Examples
    --------
    >>> list(prefetch(iter("abc"), depth=2))
    ['a', 'b', 'c']
    """
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="mediaan-decode") as pool:
        coming = deque(pool.submit(next, items, end) for _ in range(depth))
        try:
            while (item := coming.popleft().result()) is not end:
                coming.append(pool.submit(next, items, end))
                yield item  # type: ignore[misc]
        finally:
            for future in coming:
                future.cancel()


SAMPLES_PER_CHUNK = 5
READ_AT_LEAST = 0.9
"""Share of a video that must be readable for its numbers to count."""

_CHUNKS_AHEAD = 2
_THREADS_AT_MOST = 4
"""Each thread of a decoder holds a frame of its own: 3 MB at 1080p, 12 MB in 4K."""


def open_video(
    path: Path, codec: str, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling
) -> VideoSource:
    """Open a video and decode its first frame.

    Parameters
    ----------
    path : Path
    codec : str
        The container, a member of `identify.VIDEO_FORMATS`, as `identify.sniff` tells it.
    views : sequence of ViewSpec
        Wanted sizes; their names become the keys of `Chunk.views`.
    limits : TaskLimits
    sampling : Sampling

    Returns
    -------
    VideoSource
        To be closed, best by a ``with`` statement.

    Raises
    ------
    MediumError
        With the code ``unreadable``, ``unsupported_format``, ``no_video``, ``too_large``, ``decode_failed``,
        ``truncated`` or ``time_limit``.
    """
    name = displayable(path.name)
    deadline = Deadline(limits.time_limit_s)
    with _errors_about(name):
        container = open_container(path, codec, limits, deadline)
        try:
            return VideoSource(path, name, container, views, limits, sampling, deadline)
        except BaseException:
            container.close()
            raise


@dataclass(frozen=True, slots=True)
class _Ready:
    """A sample whose views are made; `shown_s` is when its frame comes on display."""

    t: float
    weight_s: float
    shown_s: float
    fresh: bool
    views: Mapping[str, UInt8]


class VideoSource:
    """An open video; made by `open_video`. See `source.Source` for what its members mean."""

    def __init__(
        self,
        path: Path,
        name: str,
        container: InputContainer,
        views: Sequence[ViewSpec],
        limits: MediaLimits,
        sampling: Sampling,
        deadline: Deadline,
    ) -> None:
        self._name, self._container, self._limits, self._sampling = name, container, limits, sampling
        self._deadline = deadline
        self._stream = video_stream(container)
        check_frame_size(self._stream.width, self._stream.height, limits)
        self._prepare_decoder()
        self._stated = stated_duration(container, self._stream)
        self.size_bytes = path.stat().st_size
        deadline.allow_for(self._stated.seconds, self.size_bytes)
        self._reader = FrameReader(container, self._stream, sampling, self._stated.seconds, deadline)
        first = self._first_frame()
        self._reformatter = FrameConverter(first, self._stream.sample_aspect_ratio, views)
        check_frame_size(self._reformatter.width, self._reformatter.height, limits)
        rate = self._stream.average_rate
        self._shots = ShotDetector(float(rate) if rate else None, sparse=sampling.key_frames_only)
        self.share_read = 0.0
        self.read_s = 0.0
        self._problems: list[Problem] = []
        self._running: Generator[Chunk, None, None] | None = None
        self._begun = self._closed = False
        self.medium = Medium(
            medium_id=file_medium_id(path),
            name=name,
            kind="mixed" if limits.mixed else "video",
            width=self._reformatter.width,
            height=self._reformatter.height,
            codec=self._stream.codec_context.codec.canonical_name,
            duration_s=self._stated.seconds,
            frame_rate=rate,
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is worth knowing; complete once the chunks are exhausted."""
        return (*self._reformatter.problems, *self._reader.clock.problems, *self._problems)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted."""
        return self._shots.shots

    def chunks(self) -> Iterator[Chunk]:
        """Give the frames in order, once: up to five samples a chunk.

        Unless `Sampling.threads` is 1, a thread decodes ahead.

        Raises
        ------
        MediumError
            With the code ``truncated``, ``decode_failed``, ``too_large``, ``too_long`` or ``time_limit``.
        ValueError
            The source is closed, or its chunks were asked for before.
        """
        if self._closed or self._begun:
            raise ValueError(
                f"{self._name}: {'the source is closed' if self._closed else 'chunks are given only once'}"
            )
        self._begun = True
        self._running = self._watched_chunks()
        return self._running

    def close(self) -> None:
        """Stop decoding and let go of the file."""
        self._closed = True
        if self._running is not None:
            self._running.close()
        self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _watched_chunks(self) -> Generator[Chunk, None, None]:
        chunks = self._chunks()
        with _errors_about(self._name):
            for chunk in chunks if self._sampling.threads == 1 else prefetch(chunks, _CHUNKS_AHEAD):
                self.read_s = float(chunk.t[-1] + chunk.weight_s[-1])
                yield chunk
            self._conclude()

    def _chunks(self) -> Iterator[Chunk]:
        """Hold samples back until it is certain to which shot they belong."""
        waiting: deque[_Ready] = deque()
        for ready in self._ready():
            waiting.append(ready)
            if len(waiting) >= SAMPLES_PER_CHUNK and self._is_certain(waiting[SAMPLES_PER_CHUNK - 1]):
                yield self._chunk([waiting.popleft() for _ in range(SAMPLES_PER_CHUNK)])
        self._shots.finish(self._reader.end_s)
        while waiting:
            yield self._chunk([waiting.popleft() for _ in range(min(SAMPLES_PER_CHUNK, len(waiting)))])

    def _ready(self) -> Iterator[_Ready]:
        """Sample and reformat; a held frame keeps the views that it has."""
        views: Mapping[str, UInt8] = {}
        for sample in self._samples():
            self._deadline.check()
            check_duration(sample.t, self._limits)
            if sample.fresh:
                views = self._reformatter.views(sample.shown.frame)
            yield _Ready(sample.t, sample.weight_s, sample.shown.time_s, sample.fresh, views)

    def _samples(self) -> Iterator[FrameSample[av.VideoFrame]]:
        if self._sampling.key_frames_only:
            return sample_each_frame(self._seen(), lambda: self._reader.end_s)
        return sample_at_instants(self._seen(), self._sampling.fps, lambda: self._reader.end_s)

    def _seen(self) -> Iterator[TimedFrame[av.VideoFrame]]:
        """Show every decoded frame to the shot detector on its way."""
        for timed in self._frames:
            self._check_size(timed.frame)
            self._shots.feed(timed.time_s, self._reformatter.thumbnail(timed.frame))
            yield timed

    def _is_certain(self, ready: _Ready) -> bool:
        return ready.shown_s < self._shots.certain_s

    def _chunk(self, group: list[_Ready]) -> Chunk:
        return Chunk(
            t=np.array([ready.t for ready in group]),
            weight_s=np.array([ready.weight_s for ready in group]),
            views={name: np.stack([ready.views[name] for ready in group]) for name in group[0].views},
            shot=np.array([self._shots.shot_of(ready.shown_s) for ready in group], np.int32),
            fresh=np.array([ready.fresh for ready in group]),
        )

    def _first_frame(self) -> av.VideoFrame:
        frames = iter(self._reader)
        first = next(frames, None)
        if first is None:
            cause = self._reader.cause
            raise MediumError(f"no frame of it can be decoded ({cause}); export it again", code="decode_failed")
        self._frames = chain([first], frames)
        self._checked_size = (self._stream.width, self._stream.height)
        self._check_size(first.frame)
        return first.frame

    def _check_size(self, frame: av.VideoFrame) -> None:
        if (frame.width, frame.height) != self._checked_size:
            self._checked_size = (frame.width, frame.height)
            check_frame_size(frame.width, frame.height, self._limits)

    def _prepare_decoder(self) -> None:
        context = self._stream.codec_context
        context.thread_type = "AUTO"
        context.thread_count = self._sampling.threads or min(os.cpu_count() or 1, _THREADS_AT_MOST)
        context.options = {"max_pixels": str(max_pixels(self._limits))}
        if self._sampling.key_frames_only:
            context.skip_frame = "NONKEY"

    def _conclude(self) -> None:
        """State what was really read; too little of it fails."""
        reader = self._reader
        self.medium = replace(self.medium, duration_s=reader.end_s)
        stated_s = self._stated.seconds or reader.end_s
        reached = self._stated.share(reader.end_s, reader.file_end_s)
        whole = 1 - reader.damaged / max(1, reader.tried, reader.damaged)
        whole *= max(0.0, 1 - reader.holes.lost_s / max(stated_s, reader.end_s, reader.holes.lost_s, 1e-9))
        self.share_read = reached * whole
        if self.share_read == 1.0:
            return
        cause = "the file ends too early" if reached < whole else f"the file is damaged ({reader.cause})"
        read = f"{self.share_read * stated_s:.1f} of {stated_s:.1f} s could be read; {cause}"
        if self.share_read < READ_AT_LEAST:
            code = "truncated" if reached < whole else "decode_failed"
            raise MediumError(f"only {read}; fetch or export it again", code=code)
        self._problems.append(Problem("partly_read", f"{read} ({self.share_read:.1%})"))


@contextmanager
def _errors_about(name: str) -> Iterator[None]:
    try:
        yield
    except MediumError as error:
        raise MediumError(f"{name}: {error.message}", code=error.code) from error
    except OSError as error:
        message = f"{name}: cannot be read ({error.strerror}); check that it is there and that you may read it"
        raise MediumError(message, code="unreadable") from error
