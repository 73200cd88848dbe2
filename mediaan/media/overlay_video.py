"""Decode a video in full, draw on each frame and write it again, as an MP4 that every browser plays, with its sound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self, cast

import av
import cv2
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.video.frame import PictureType, VideoFrame
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, VideoReformatter
from av.video.stream import VideoStream

from mediaan.errors import MediumError, SetupError
from mediaan.media.limits import Deadline, MediaLimits, check_frame_size, errors_name_file, translate_read_errors
from mediaan.media.names import displayable
from mediaan.media.open import open_medium
from mediaan.media.probe import HEAD_BYTES, VIDEO_FORMATS, sniff
from mediaan.media.source import Sampling
from mediaan.media.video.container import open_container, stated_duration, usual_rate, video_decoder, video_stream
from mediaan.media.video.decoder import FrameReader
from mediaan.media.video.frame_conversion import FrameConverter
from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec

MP4_AUDIO_CODECS = frozenset({"aac", "mp3", "ac3", "eac3", "opus", "alac", "flac"})
"""Codecs that MP4 can hold and that players support in it."""

TICK_S = Fraction(1, 120_000)
"""Frames of 23.976, 24, 25, 29.97, 30, 50, 59.94, 60 and 120 per second last whole ticks; other times move by 4 µs."""

KEY_FRAME_EVERY_S = 1.0
"""A player that jumps must decode everything since the last key frame."""

_CODEC = "libx264"
_AUDIO_RATE_HZ = 48_000
_AUDIO_BITS_PER_S = 128_000


class AudioTrack:
    """The audio track of a video that is written: copied where MP4 can hold it, else encoded as AAC.

    `video`: an MP4 whose header is not yet written.
    `source`: the track of an open file.
    """

    def __init__(self, video: OutputContainer, source: AudioStream) -> None:
        self._copied = source.codec_context.codec.canonical_name in MP4_AUDIO_CODECS
        self._last_dts: int | None = None
        self._usual_duration = 0
        if self._copied:
            self._stream = video.add_stream_from_template(source)
        else:
            layout = "mono" if source.codec_context.layout.nb_channels == 1 else "stereo"
            self._stream = video.add_stream("aac", rate=_AUDIO_RATE_HZ, layout=layout, bit_rate=_AUDIO_BITS_PER_S)

    def packets(self, packet: Packet[AudioStream], shift_s: Fraction) -> list[Packet[AudioStream]]:
        """Convert a packet of the source, `shift_s` later than it states, s; what is damaged is left out."""
        if not self._copied:
            encoded: list[Packet[AudioStream]] = []
            try:
                frames = packet.decode()
            except av.FFmpegError:
                return encoded
            for frame in frames:
                if frame.pts is not None and frame.time_base is not None:
                    frame.pts += round(shift_s / frame.time_base)
                    encoded += self._stream.encode(frame)
            return encoded
        if packet.dts is None or packet.pts is None:
            return []
        shift = round(shift_s / packet.time_base)
        packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
        if self._last_dts is not None:
            if packet.dts <= self._last_dts:
                return []  # the source jumps back in time, which MP4 cannot
            self._usual_duration = packet.dts - self._last_dts
        # players leave out a last packet that lasts for nothing
        packet.duration = packet.duration or self._usual_duration
        self._last_dts, packet.stream = packet.dts, self._stream
        return [packet]

    def flush(self) -> list[Packet[AudioStream]]:
        """Return what the encoder still holds."""
        return [] if self._copied else self._stream.encode(None)


class VideoWriter:
    """Writes frames as they come; use it in a ``with`` statement.

    H.264 in MP4, 8 bits, 4:2:0, BT.709 in limited range and tagged so, index in front. Frames are shown in the order in
    which they are stored (no B-frames), so that their times start at 0 in every player. The file lies under another
    name until it is complete, and goes away if the block is left by an error.

    `path`: of the video; replaced if it is there.
    `size` (int, int): width and height of the frames, px; odd sides are padded by repeating their last pixels.
    `rate`: frames per second on average, for players that want to know; times are those given with each frame.
    `tick_s`: unit of time, s; each frame's time is rounded to it.
    `crf`: constant rate factor of x264, 0-51; lower is larger and better.
    `preset`: of x264; slower is smaller.
    `threads`: of the encoder; 0 leaves it to the encoder. Memory grows with it.
    Raises SetupError: there is no such encoder here, ``no_encoder``; or the file cannot be written, ``cannot_write``.
    """

    def __init__(
        self,
        path: Path,
        size: tuple[int, int],
        rate: Fraction | float,
        *,
        tick_s: Fraction = TICK_S,
        crf: int = 31,
        preset: str = "superfast",
        threads: int = 1,
    ) -> None:
        try:
            av.Codec(_CODEC, "w")
        except ValueError as error:
            missing = f"FFmpeg is here without {_CODEC}, so no film can be written"
            message = f"{missing}; install PyAV's wheels: pip install -U av"
            raise SetupError(message, code="no_encoder") from error
        self.path = path
        self._partial = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._tick_s, self._size, self._threads = tick_s, (size[0] + size[0] % 2, size[1] + size[1] % 2), threads
        with self._disk_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
        # "file:" keeps a colon in a name from being read as a protocol.
        self._container = av.open(f"file:{self._partial}", "w", format="mp4", options={"movflags": "+faststart"})
        options = {"preset": preset, "crf": str(crf), "bf": "0", "forced-idr": "1", "threads": str(threads)}
        fps = Fraction(rate).limit_denominator(1001)
        self._stream = cast(VideoStream, self._container.add_stream(_CODEC, rate=fps, options=options))
        self._stream.width, self._stream.height = self._size
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = tick_s
        self._stream.colorspace, self._stream.color_range = Colorspace.ITU709, ColorRange.MPEG
        self._stream.color_primaries, self._stream.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
        self._to_yuv = VideoReformatter()
        self._audio: AudioTrack | None = None
        self._durations: dict[int, int] = {}
        self._last: int | None = None
        self._key_frame_s = -np.inf

    def add_audio_track(self, source: AudioStream) -> None:
        """Add an audio track like that of an open file; before the first frame is added."""
        self._audio = AudioTrack(self._container, source)

    def add(self, rgb: UInt8, t_s: float, duration_s: float) -> None:
        """Write a frame.

        `rgb` (H, W, 3) uint8: sRGB, of the size of the video.
        `t_s`: presentation time, s; later than that of the frame before, by a tick at least.
        `duration_s`: duration, s; it counts for the last frame only, others are shown until the next.
        Raises ValueError: the frame has another size or comes too early.
        Raises SetupError: the disk is full or may not be written to.
        """
        width, height = self._size
        right, below = width - rgb.shape[1], height - rgb.shape[0]
        if rgb.ndim != 3 or rgb.shape[2] != 3 or right not in (0, 1) or below not in (0, 1):
            raise ValueError(f"a frame of {rgb.shape} does not fit a film of {width} x {height} px")
        if right or below:
            rgb = np.asarray(cv2.copyMakeBorder(rgb, 0, below, 0, right, cv2.BORDER_REPLICATE), dtype=np.uint8)
        frame = self._to_yuv.reformat(
            VideoFrame.from_numpy_buffer(np.ascontiguousarray(rgb), format="rgb24"),
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            threads=self._threads,
        )
        frame.pts, frame.time_base = self._ticks(t_s), self._tick_s
        if self._last is not None and frame.pts <= self._last:
            raise ValueError(f"a frame at {t_s} s comes after one at {float(self._last * self._tick_s)} s")
        self._last = frame.pts
        self._durations[frame.pts] = max(1, self._ticks(duration_s))
        frame.pict_type = PictureType.NONE
        if t_s - self._key_frame_s >= KEY_FRAME_EVERY_S - float(self._tick_s):
            frame.pict_type, self._key_frame_s = PictureType.I, t_s
        self._mux(self._stream.encode(frame))

    def add_audio(self, packet: Packet[AudioStream], shift_s: Fraction) -> None:
        """Write a packet of the source of the audio track, `shift_s` later than it states, s."""
        if self._audio is not None:
            with self._disk_errors():
                self._container.mux(self._audio.packets(packet, shift_s))

    def close(self) -> None:
        """Finish the video and rename it to its path.

        Raises ValueError: there is no frame.
        Raises SetupError: the disk is full or may not be written to.
        """
        if self._last is None:
            self.discard()
            raise ValueError(f"a film needs a frame: {self.path}")
        try:
            self._mux(self._stream.encode(None))
            with self._disk_errors():
                if self._audio is not None:
                    self._container.mux(self._audio.flush())
                self._container.close()
                self._partial.replace(self.path)
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove what was written, unless the video is finished."""
        with suppress(av.FFmpegError, OSError):
            self._container.close()
        self._partial.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.discard()

    def _ticks(self, seconds: float) -> int:
        return round(Fraction(seconds) / self._tick_s)

    def _mux(self, packets: Iterable[Packet[VideoStream]]) -> None:
        """Write packets with the duration of their frame, which the encoder does not pass on."""
        with self._disk_errors():
            for packet in packets:
                assert packet.pts is not None
                packet.duration = self._durations.pop(packet.pts)
                self._container.mux(packet)

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except (av.FFmpegError, OSError) as error:
            message = f"{self.path} cannot be written ({error.strerror}); make room or name another folder"
            raise SetupError(message, code="cannot_write") from error


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


_CRF, _PRESET = 23, "veryfast"
"""Constant rate factor and preset of x264 for a video with something drawn on it."""


def write_overlay_video(source: Path, target: Path, draw: DrawFrame, limits: MediaLimits, threads: int = 0) -> None:
    """Write a video or an animation again with something drawn on each of its frames.

    Every frame is decoded at its full displayed size (rotation and pixel aspect applied) and shown when it was, from
    the first frame on. The first sound track is copied where MP4 can hold it, else encoded as AAC. What is damaged is
    left out; the frame before stays on display.

    `source`: a file that `open_medium` takes.
    `target`: the MP4 to write; it appears when it is complete.
    `draw`: called with each frame, (H, W, 3) uint8 sRGB, and its time, s; returns a frame of the same size, whose
        pixels are read before the next call.
    `limits`: its time limit counts the reading, not the drawing and encoding.
    `threads`: of decoder and encoder; 0 leaves it to them.
    Raises MediumError: the file is bad or breaks a limit.
    Raises SetupError: no H.264 encoder is here, or the target cannot be written.
    """
    with errors_name_file(displayable(source.name)):
        with translate_read_errors(), source.open("rb") as file:
            codec = sniff(file.read(HEAD_BYTES))
        if codec in VIDEO_FORMATS:
            _overlay_video(source, codec, target, draw, limits, threads)
            return
    with open_medium(source, (_FULL,), limits, _EVERY_PATCH) as animation:
        size = animation.medium.width, animation.medium.height
        rate = animation.medium.frame_rate or 1
        with VideoWriter(target, size, rate, crf=_CRF, preset=_PRESET, threads=threads) as writer:
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


def _overlay_video(source: Path, codec: str, target: Path, draw: DrawFrame, limits: MediaLimits, threads: int) -> None:
    deadline = _ReadingDeadline(limits.time_limit_s)
    with ExitStack() as stack:
        container = stack.enter_context(open_container(source, codec, limits, deadline))
        stream = video_stream(container)
        check_frame_size(stream.width, stream.height, limits)
        context = video_decoder(stream, source, codec, limits, deadline)
        context.thread_type = "AUTO"
        context.thread_count = threads or min(os.cpu_count() or 1, _MAX_THREADS)
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
        writer = stack.enter_context(
            VideoWriter(target, size, rate, tick_s=tick_s, crf=_CRF, preset=_PRESET, threads=threads)
        )
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
