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

from mediaan.errors import MediumError
from mediaan.media.errors import errors_name_file, translate_read_errors
from mediaan.media.limits import Deadline, MediaLimits, check_frame_size
from mediaan.media.names import displayable
from mediaan.media.open import open_medium
from mediaan.media.overlay.video_writer import TICK_S, VideoWriter
from mediaan.media.probe import HEAD_BYTES, VIDEO_FORMATS, sniff
from mediaan.media.source import Sampling
from mediaan.media.video.container import open_container, stated_duration, usual_rate, video_decoder, video_stream
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

_MAX_TICKS_PER_S = 1_000_000
_MAX_THREADS = 4
_AUDIO_BEFORE_S = 0.1
"""Audio from before the first frame that is copied: decoders need a little to begin with."""


@dataclass(frozen=True, slots=True)
class VideoEncoding:
    """Size and quality of an encoded video."""

    crf: int = 23
    """Constant rate factor of x264, 0-51; lower is larger and better."""
    preset: str = "veryfast"
    """Of x264; slower is smaller."""
    threads: int = 0
    """Of decoder and encoder; 0 leaves it to them."""


def write_overlay_video(
    source: Path, target: Path, draw: DrawFrame, limits: MediaLimits, encoding: VideoEncoding = VideoEncoding()
) -> None:
    """Write a video or an animation again with something drawn on each of its frames.

    Every frame is decoded at its full displayed size (rotation and pixel aspect applied) and shown when it was, from
    the first frame on. The first sound track is copied where MP4 can hold it, else encoded as AAC. What is damaged is
    left out; the frame before stays on display.

    `source`: a file that `open_medium` takes.
    `target`: the MP4 to write; it appears when it is complete.
    `draw`: called with each frame, (H, W, 3) uint8 sRGB, and its time, s; returns a frame of the same size, whose
        pixels are read before the next call.
    `limits`: its time limit counts the reading, not the drawing and encoding.
    Raises MediumError: the file is bad or breaks a limit.
    Raises SetupError: no H.264 encoder is here, or the target cannot be written.
    """
    with errors_name_file(displayable(source.name)):
        with translate_read_errors(), source.open("rb") as file:
            codec = sniff(file.read(HEAD_BYTES))
        if codec in VIDEO_FORMATS:
            _overlay_video(source, codec, target, draw, limits, encoding)
            return
    with open_medium(source, (_FULL,), limits, _EVERY_PATCH) as animation:
        size = animation.medium.width, animation.medium.height
        with _writer(target, size, animation.medium.frame_rate or 1, TICK_S, encoding) as writer:
            for chunk in animation.chunks():
                for rgb, t, weight_s in zip(chunk.views[_FULL.name], chunk.t, chunk.weight_s, strict=True):
                    writer.add(draw(rgb, float(t)), float(t), float(weight_s))


class _ReadingDeadline(Deadline):
    """A deadline that stands still while frames are drawn and encoded, which is no fault of the file."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        began = monotonic()
        yield
        self._ends += monotonic() - began


def _overlay_video(
    source: Path, codec: str, target: Path, draw: DrawFrame, limits: MediaLimits, encoding: VideoEncoding
) -> None:
    deadline = _ReadingDeadline(limits.time_limit_s)
    with ExitStack() as stack:
        container = stack.enter_context(open_container(source, codec, limits, deadline))
        stream = video_stream(container)
        check_frame_size(stream.width, stream.height, limits)
        context = video_decoder(stream, source, codec, limits, deadline)
        context.thread_type = "AUTO"
        context.thread_count = encoding.threads or min(os.cpu_count() or 1, _MAX_THREADS)
        deadline.allow_for(stated_duration(container, stream).seconds, source.stat().st_size)
        reader = FrameReader(container, stream, context, _EVERY_FRAME, None, deadline)
        frames = iter(reader)
        timed = next(frames, None)
        if timed is None:
            raise MediumError(f"no frame of it can be decoded ({reader.cause}); export it again", code="decode_failed")
        converter = FrameConverter(timed.frame, stream.sample_aspect_ratio, (_FULL,))
        size = converter.width, converter.height
        check_frame_size(*size, limits)
        # the source's own unit of time keeps every time exactly, unless it is too fine for MP4
        base = stream.time_base
        tick_s = base if base is not None and 1 / base <= _MAX_TICKS_PER_S else TICK_S
        rate = usual_rate(stream) or round(1 / reader.clock.step_s)
        writer = stack.enter_context(_writer(target, size, rate, tick_s, encoding))
        # in a container of its own, since packets that the reader of frames passes over are gone
        audio_container = stack.enter_context(open_container(source, codec, limits, deadline))
        audio = _AudioCopier(audio_container, reader.clock.origin_s, writer)
        while timed is not None:
            check_frame_size(timed.frame.width, timed.frame.height, limits)
            rgb = np.ascontiguousarray(converter.views(timed.frame)[_FULL.name])
            end_s = reader.end_s
            with deadline.paused():
                writer.add(draw(rgb, timed.time_s), timed.time_s, end_s - timed.time_s)
            audio.copy_until(end_s)
            timed = next(frames, None)
        audio.copy_until(float("inf"))


class _AudioCopier:
    """Copies the first audio track of a container to a video, as far as it can be read.

    `origin_s`: time of the first frame, s as the container counts.
    """

    def __init__(self, container: InputContainer, origin_s: float, writer: VideoWriter) -> None:
        self._writer, self._shift_s = writer, Fraction(-origin_s)
        self._packets: Iterator[Packet[AudioStream]] = iter(())
        stream = next((stream for stream in container.streams.audio if stream.codec_context is not None), None)
        if stream is not None:
            self._packets = container.demux(stream)
        self._advance()
        while self._next is not None and self._start_s(self._next) < -_AUDIO_BEFORE_S:
            self._advance()
        if stream is not None and self._next is not None:
            writer.add_audio_track(stream)

    def copy_until(self, end_s: float) -> None:
        """Copy the packets that start before a time, s from the first frame."""
        while self._next is not None and self._start_s(self._next) < end_s:
            self._writer.add_audio(self._next, self._shift_s)
            self._advance()

    def _advance(self) -> None:
        try:
            self._next = next(self._packets, None)
        except av.FFmpegError:
            self._next, self._packets = None, iter(())

    def _start_s(self, packet: Packet[AudioStream]) -> float:
        """Return the time of a packet; one without a time belongs to those before."""
        return 0.0 if packet.pts is None else float(packet.pts * packet.time_base + self._shift_s)


def _writer(
    target: Path, size: tuple[int, int], rate: Fraction | float, tick_s: Fraction, encoding: VideoEncoding
) -> VideoWriter:
    crf, preset, threads = encoding.crf, encoding.preset, encoding.threads
    return VideoWriter(target, size, rate, tick_s=tick_s, crf=crf, preset=preset, threads=threads)
