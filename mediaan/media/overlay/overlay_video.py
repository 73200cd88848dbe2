"""Decode a video in full, draw on each frame and write it again with its timing and sound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from mediaan.errors import MediumError
from mediaan.media.limits import Deadline, MediaLimits, check_frame_size
from mediaan.media.listing import displayable
from mediaan.media.open import open_medium
from mediaan.media.overlay.video_writer import TICK_S, VideoWriter
from mediaan.media.probe import HEAD_BYTES, VIDEO_FORMATS, sniff
from mediaan.media.source import Sampling
from mediaan.media.video.container import open_container, stated_duration, video_stream
from mediaan.media.video.decoder import FrameReader
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec

DrawFrame = Callable[[UInt8, float], UInt8]
"""From a frame, (H, W, 3) uint8 sRGB, and its time, s from the first frame, to the frame to show."""

_FULL = ViewSpec("full", long_side=1_000_000)  # larger than any frame, and views are never enlarged
_EVERY_PATCH = Sampling(fps=1000.0, key_frames_only=True)
"""Of animations, whose delays are whole milliseconds and whose frames are all key frames."""
_EVERY_FRAME = Sampling(fps=1e6)
"""Of videos: each frame is on display at one of these instants, and none moves by more than half a microsecond."""

_FINEST_TICKS_PER_S = 1_000_000
_THREADS_AT_MOST = 4
_SOUND_BEFORE_S = 0.1
"""How much sound from before the first frame is carried over: decoders want a little to begin with."""


@dataclass(frozen=True, slots=True)
class VideoEncoding:
    """How large and how good a film becomes.

    Attributes
    ----------
    crf : int
        Constant rate factor of x264, 0-51; lower is larger and better.
    preset : str
        Of x264; slower is smaller.
    threads : int
        Of decoder and encoder; 0 leaves it to them.
    """

    crf: int = 23
    preset: str = "veryfast"
    threads: int = 0


def write_overlay_video(
    source: Path, target: Path, draw: DrawFrame, limits: MediaLimits, encoding: VideoEncoding = VideoEncoding()
) -> None:
    """Write a video or an animation again with something drawn on each of its frames.

    Every frame is decoded at its full displayed size (rotation and pixel aspect applied) and shown when it was, from
    the first frame on. The first sound track is copied where MP4 can hold it, else encoded as AAC. What is damaged is
    left out; the frame before stays on display.

    Parameters
    ----------
    source : Path
        As `open_medium` takes it.
    target : Path
        The MP4 to write; it appears when it is complete.
    draw : callable
        Called with each frame, (H, W, 3) uint8 sRGB, and its time, s; returns a frame of the same size. The film takes
        the pixels before the next call.
    limits : MediaLimits
        Its time limit counts the reading, not the drawing and encoding.
    encoding : VideoEncoding

    Raises
    ------
    MediumError
        The file is bad or breaks a limit.
    SetupError
        No H.264 encoder is here, or the target cannot be written.
    """
    with _errors_about(displayable(source.name)):
        codec = _format(source)
        if codec in VIDEO_FORMATS:
            _redraw_video(source, codec, target, draw, limits, encoding)
            return
    with open_medium(source, (_FULL,), limits, _EVERY_PATCH) as animation:
        medium = animation.medium
        size = medium.width, medium.height
        with _film(target, size, medium.frame_rate or 1, TICK_S, encoding) as film:
            for chunk in animation.chunks():
                for rgb, t, weight_s in zip(chunk.views[_FULL.name], chunk.t, chunk.weight_s, strict=True):
                    film.add(draw(rgb, float(t)), float(t), float(weight_s))


class _ReadingTime(Deadline):
    """Stands still while frames are drawn and encoded, which is no fault of the file."""

    @contextmanager
    def stopped(self) -> Iterator[None]:
        began = monotonic()
        yield
        self._ends += monotonic() - began


def _redraw_video(
    source: Path, codec: str, target: Path, draw: DrawFrame, limits: MediaLimits, encoding: VideoEncoding
) -> None:
    deadline = _ReadingTime(limits.time_limit_s)
    with ExitStack() as stack:
        container = stack.enter_context(open_container(source, codec, limits, deadline))
        stream = _prepared(container, limits, encoding.threads)
        deadline.allow_for(stated_duration(container, stream).seconds, source.stat().st_size)
        reader = FrameReader(container, stream, _EVERY_FRAME, None, deadline)
        frames = iter(reader)
        timed = next(frames, None)
        if timed is None:
            raise MediumError(f"no frame of it can be decoded ({reader.cause}); export it again", code="decode_failed")
        reformatter = FrameConverter(timed.frame, stream.sample_aspect_ratio, (_FULL,))
        size = reformatter.width, reformatter.height
        check_frame_size(*size, limits)
        film = _film(target, size, stream.average_rate or round(1 / reader.clock.step_s), _tick_s(stream), encoding)
        stack.enter_context(film)
        sound = _AudioCopier(
            stack.enter_context(open_container(source, codec, limits, deadline)), reader.clock.origin_s, film
        )
        while timed is not None:
            check_frame_size(timed.frame.width, timed.frame.height, limits)
            rgb = np.ascontiguousarray(reformatter.views(timed.frame)[_FULL.name])
            end_s = reader.end_s
            with deadline.stopped():
                film.add(draw(rgb, timed.time_s), timed.time_s, end_s - timed.time_s)
            sound.carry(end_s)
            timed = next(frames, None)
        sound.carry(float("inf"))


class _AudioCopier:
    """The first sound track of a file, read beside its frames.

    It has a container of its own, since what the frames' reader passes over is gone.
    """

    def __init__(self, container: InputContainer, origin_s: float, film: VideoWriter) -> None:
        self._film, self._shift_s = film, Fraction(-origin_s)
        self._packets: Iterator[Packet[AudioStream]] = iter(())
        stream = next((stream for stream in container.streams.audio if stream.codec_context is not None), None)
        if stream is not None:
            self._packets = _readable(container.demux(stream))
        self._next = next(self._packets, None)
        while self._next is not None and self._starts_s(self._next) < -_SOUND_BEFORE_S:
            self._next = next(self._packets, None)
        if stream is not None and self._next is not None:
            film.carry_sound(stream)

    def carry(self, until_s: float) -> None:
        """Carry over what is heard before a time, s from the first frame."""
        while self._next is not None and self._starts_s(self._next) < until_s:
            self._film.add_sound(self._next, self._shift_s)
            self._next = next(self._packets, None)

    def _starts_s(self, packet: Packet[AudioStream]) -> float:
        """When a packet is heard; one without a time belongs to those before."""
        return 0.0 if packet.pts is None else float(packet.pts * packet.time_base + self._shift_s)


def _readable(packets: Iterator[Packet[AudioStream]]) -> Iterator[Packet[AudioStream]]:
    """Packets up to the first place where the file cannot be read on."""
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            return
        if packet is None:
            return
        yield packet


def _prepared(container: InputContainer, limits: MediaLimits, threads: int) -> VideoStream:
    stream = video_stream(container)
    check_frame_size(stream.width, stream.height, limits)
    stream.thread_type = "AUTO"
    stream.codec_context.thread_count = threads or min(os.cpu_count() or 1, _THREADS_AT_MOST)
    return stream


def _tick_s(stream: VideoStream) -> Fraction:
    """The source's own unit of time, so that every time is kept exactly, unless it is too fine for MP4."""
    base = stream.time_base
    return base if base is not None and 1 / base <= _FINEST_TICKS_PER_S else TICK_S


def _film(
    target: Path, size: tuple[int, int], rate: Fraction | float, tick_s: Fraction, encoding: VideoEncoding
) -> VideoWriter:
    crf, preset, threads = encoding.crf, encoding.preset, encoding.threads
    return VideoWriter(target, size, rate, tick_s=tick_s, crf=crf, preset=preset, threads=threads)


def _format(source: Path) -> str | None:
    try:
        with source.open("rb") as file:
            return sniff(file.read(HEAD_BYTES))
    except OSError as error:
        message = f"cannot be read ({error.strerror}); check that it is there and that you may read it"
        raise MediumError(message, code="unreadable") from error


@contextmanager
def _errors_about(name: str) -> Iterator[None]:
    try:
        yield
    except MediumError as error:
        raise MediumError(f"{name}: {error.message}", code=error.code) from error
