"""Write frames and a sound track to an MP4 that every browser plays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import av
import cv2
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet
from av.video.frame import PictureType, VideoFrame
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, VideoReformatter
from av.video.stream import VideoStream

from mediaan.errors import SetupError
from mediaan.types.arrays import UInt8

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
