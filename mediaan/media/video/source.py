"""Open a video file: checked, decoded once and in order, given as chunks of samples in the sizes asked for."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from mediaan.errors import MediumError
from mediaan.media.limits import (
    MIN_SHARE_READ,
    Deadline,
    MediaLimits,
    check_duration,
    check_frame_size,
    errors_name_file,
    translate_read_errors,
)
from mediaan.media.names import displayable
from mediaan.media.probe import file_medium_id
from mediaan.media.source import Sampling, Source
from mediaan.media.video.container import open_container, stated_duration, usual_rate, video_decoder, video_stream
from mediaan.media.video.decoder import FrameReader, PresentationClock
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.media.video.sampling import (
    FrameSample,
    TimedFrame,
    Views,
    chunk_samples,
    sample_at_instants,
    sample_each_frame,
)
from mediaan.media.video.shots import ShotDetector
from mediaan.types.media import Chunk, Medium, Problem, Shot, ViewSpec

ItemT = TypeVar("ItemT")


def prefetch(items: Iterator[ItemT], depth: int) -> Generator[ItemT, None, None]:
    """Compute the next `depth` items in a thread while the one before is being used.

    Errors come out where the item would have. When the generator is closed, the item under way is finished and the
    thread joined.

    >>> list(prefetch(iter("abc"), depth=2))
    ['a', 'b', 'c']
    """
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="mediaan-decode") as pool:
        ahead = deque(pool.submit(next, items, end) for _ in range(depth))
        try:
            while (item := ahead.popleft().result()) is not end:
                ahead.append(pool.submit(next, items, end))
                yield item  # type: ignore[misc]
        finally:
            for future in ahead:
                future.cancel()


_CHUNKS_AHEAD = 2
_MAX_THREADS = 4
"""Each thread of a decoder holds a frame of its own: 3 MB at 1080p, 12 MB in 4K."""


_HD_PIXELS = 1920 * 1088


def _thread_count(stream: VideoStream, sampling: Sampling) -> int:
    """Return how many threads decode: one for AV1 up to HD, which keeps ahead of the analysis.

    dav1d takes a fifth more CPU time in two threads and a third more in four; other decoders take hardly more.
    """
    is_slow = sampling.key_frames_only or stream.width * stream.height > _HD_PIXELS
    if stream.codec_context.codec.canonical_name == "av1" and not is_slow:
        return 1
    return min(os.cpu_count() or 1, _MAX_THREADS)


def open_video(
    path: Path, codec: str, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling
) -> VideoSource:
    """Open a video and decode its first frame.

    `codec`: the container, a member of `probe.VIDEO_FORMATS`, as `probe.sniff` tells it.
    `views`: wanted sizes; their names become the keys of `Chunk.views`.
    Returns: to be closed, best by a ``with`` statement.
    Raises MediumError: with the code ``unreadable``, ``unsupported_format``, ``no_video``, ``too_large``,
        ``decode_failed``, ``truncated`` or ``time_limit``.
    """
    name = displayable(path.name)
    deadline = Deadline(limits.time_limit_s)
    with errors_name_file(name), translate_read_errors():
        container = open_container(path, codec, limits, deadline)
        try:
            return VideoSource(path, name, codec, container, views, limits, sampling, deadline)
        except BaseException:
            container.close()
            raise


def _last_frame_s(path: Path, codec: str, limits: MediaLimits, deadline: Deadline) -> float:
    """Return the time of the last frame of a video that states no duration, s, without decoding."""
    with open_container(path, codec, limits, deadline) as container:
        stream = video_stream(container)
        clock = PresentationClock(0.0, None)
        with suppress(av.error.FFmpegError):  # which the reading will note
            for packet in container.demux(stream):
                deadline.check()
                if packet.pts is not None and packet.time_base is not None:
                    clock.read(float(packet.pts * packet.time_base))
    return clock.last_s or 0.0


class VideoSource(Source):
    """An open video as a `Source`; made by `open_video`. Unless `Sampling.threads` is 1, a thread decodes ahead."""

    share_read = 0.0

    def __init__(
        self,
        path: Path,
        name: str,
        codec: str,
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
        context = video_decoder(self._stream, path, codec, limits, deadline)
        context.thread_type = "AUTO"
        context.thread_count = sampling.threads or _thread_count(self._stream, sampling)
        if sampling.key_frames_only:
            context.skip_frame = "NONKEY"
        self._stated = stated_duration(container, self._stream)
        stated_s = self._stated.seconds
        check_duration(_last_frame_s(path, codec, limits, deadline) if stated_s is None else stated_s, limits)
        self.size_bytes = path.stat().st_size
        deadline.allow_for(self._stated.seconds, self.size_bytes)
        self._reader = FrameReader(container, self._stream, context, sampling, self._stated.seconds, deadline)
        frames = iter(self._reader)
        first = next(frames, None)
        if first is None:
            message = f"no frame of it can be decoded ({self._reader.cause}); export it again"
            raise MediumError(message, code="decode_failed")
        self._frames = chain([first], frames)
        self._checked_size = (self._stream.width, self._stream.height)
        self._check_size(first.frame)
        self._converter = FrameConverter(first.frame, self._stream.sample_aspect_ratio, views)
        check_frame_size(self._converter.width, self._converter.height, limits)
        rate = usual_rate(self._stream)
        self._shots = ShotDetector(float(rate) if rate else None, sparse=sampling.key_frames_only)
        self._problems: list[Problem] = []
        self.medium = Medium(
            medium_id=file_medium_id(path),
            name=name,
            kind="mixed" if limits.mixed else "video",
            width=self._converter.width,
            height=self._converter.height,
            codec=context.codec.canonical_name,
            duration_s=self._stated.seconds,
            frame_rate=rate,
            has_audio=bool(container.streams.audio),
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems that did not end the reading; complete once the chunks are exhausted."""
        return (*self._converter.problems, *self._reader.clock.problems, *self._problems)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted."""
        return self._shots.shots

    def close(self) -> None:
        """Stop decoding and close the file."""
        super().close()
        self._container.close()

    def _chunks(self) -> Generator[Chunk, None, None]:
        chunks = chunk_samples(self._samples(), self._shots, lambda: self._reader.end_s)
        with errors_name_file(self._name), translate_read_errors():
            for chunk in chunks if self._sampling.threads == 1 else prefetch(chunks, _CHUNKS_AHEAD):
                self.read_s = float(chunk.t[-1] + chunk.weight_s[-1])
                yield chunk
            self._check_share_read()

    def _samples(self) -> Iterator[FrameSample[Views]]:
        """Sample frames and convert them to views; a held frame keeps the views that it has."""
        if self._sampling.key_frames_only:
            samples = sample_each_frame(self._detect_shots(), lambda: self._reader.end_s)
        else:
            samples = sample_at_instants(self._detect_shots(), self._sampling.fps, lambda: self._reader.end_s)
        views: Views = {}
        for sample in samples:
            self._deadline.check()
            if sample.fresh:
                views = self._converter.views(sample.shown.frame)
            yield FrameSample(sample.t, sample.weight_s, TimedFrame(sample.shown.time_s, views), sample.fresh)

    def _detect_shots(self) -> Iterator[TimedFrame[av.VideoFrame]]:
        """Pass every decoded frame on, after the shot detector has seen it."""
        for timed in self._frames:
            check_duration(timed.time_s, self._limits)  # before the frame on display is sampled until then
            self._check_size(timed.frame)
            self._shots.feed(timed.time_s, self._converter.thumbnail(timed.frame))
            yield timed

    def _check_size(self, frame: av.VideoFrame) -> None:
        if (frame.width, frame.height) != self._checked_size:
            self._checked_size = (frame.width, frame.height)
            check_frame_size(frame.width, frame.height, self._limits)

    def _check_share_read(self) -> None:
        """Set the duration and share that were really read; raise MediumError if that is too little."""
        reader = self._reader
        check_duration(reader.end_s, self._limits)
        self.medium = replace(self.medium, duration_s=reader.end_s)
        stated_s = self._stated.seconds or reader.end_s
        reached = self._stated.share(reader.end_s, reader.file_end_s)
        intact = 1 - reader.damaged / max(1, reader.tried, reader.damaged)
        intact *= max(0.0, 1 - reader.gaps.lost_s / max(stated_s, reader.end_s, reader.gaps.lost_s, 1e-9))
        self.share_read = reached * intact
        if self.share_read == 1.0:
            return
        cause = "the file ends too early" if reached < intact else f"the file is damaged ({reader.cause})"
        read = f"{self.share_read * stated_s:.1f} of {stated_s:.1f} s could be read; {cause}"
        if self.share_read < MIN_SHARE_READ:
            code = "truncated" if reached < intact else "decode_failed"
            raise MediumError(f"only {read}; fetch or export it again", code=code)
        self._problems.append(Problem("partly_read", f"{read} ({self.share_read:.1%})"))
