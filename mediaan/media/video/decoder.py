"""Decode the frames of a video stream in order of presentation, past damage, and no more than will be sampled."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import av
from av.container import InputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from mediaan.media.limits import Deadline
from mediaan.media.source import Sampling
from mediaan.media.video.container import MAX_FRAME_RATE, usual_rate
from mediaan.media.video.sampling import TimedFrame, covers_instant, snap_to_instant
from mediaan.types.media import Problem

_READ_SEQUENTIALLY = frozenset({"matroska,webm", "flv", "mpegts", "mpeg", "asf"})
"""Formats whose packets are read one after the other; in others an index says where each lies, and a lost one fails."""

_OVERHEAD_BYTES, _OVERHEAD_SHARE = 1024, 0.05
"""Bytes between two packets: headers and tables, and in a transport stream 4 of every 188."""

_MIN_GAP_STEPS = 3
"""A loss shows in time, too: by more than so many frames."""

_SUSPICIOUS_PACKETS = 3
"""A loss shows in so many packets of the video after skipped bytes: decoding times of the first may be carried on."""

_SKIPPABLE = frozenset({"h264", "hevc", "vp9", "mpeg4", "mpeg2video", "mpeg1video"})
"""Decoders that leave out single frames on which no other depends, and give the others bit by bit as before."""

_PROGRESSIVE = frozenset({0, 1})  # AVFieldOrder: unknown, progressive
_LOOK_AHEAD = 40
"""Packets; more than any codec's reordering, at which the frame that follows one on display is known."""

_JUMP_S = 0.5
"""Times that step back by more are a new beginning, by less a frame that came too late to be shown."""

_GAP_S = 10.0
_MAX_READ_ERRORS = 100


class PacketGapDetector:
    """Adds up the time that is lost without an error, where the demuxer skips bytes.

    `format_name`: FFmpeg's name.
    `lost_s`: time of the video without packets, s.
    """

    def __init__(self, format_name: str) -> None:
        self._is_sequential = format_name in _READ_SEQUENTIALLY
        self._next_byte: int | None = None
        self._block_byte: int | None = None
        self._suspicious = 0
        self._last_s: float | None = None
        self.lost_s = 0.0

    def add(self, packet: av.Packet[Any], step_s: float, *, of_video: bool) -> None:
        """Look at a packet of any stream, in the order of the file.

        `step_s`: usual distance of frames, s.
        `of_video`: True if it belongs to the stream that is decoded.
        """
        if not self._is_sequential or not packet.size:
            return
        if packet.pos is not None:
            allowed = _OVERHEAD_BYTES + _OVERHEAD_SHARE * packet.size
            if self._next_byte is not None and packet.pos - self._next_byte > allowed:
                self._suspicious = _SUSPICIOUS_PACKETS
            if packet.pos != self._block_byte:
                self._next_byte = self._block_byte = packet.pos
            # several frames in one block (Matroska's lacing) state where it begins
            self._next_byte = (self._next_byte or 0) + round(packet.size * (1 + _OVERHEAD_SHARE))
        stamp = packet.dts if packet.dts is not None else packet.pts
        if not of_video or stamp is None or packet.time_base is None:
            return
        now_s = float(stamp * packet.time_base)
        if self._suspicious and self._last_s is not None and now_s - self._last_s > _MIN_GAP_STEPS * step_s:
            self.lost_s += now_s - self._last_s - step_s
            self._suspicious = 0
        self._suspicious, self._last_s = max(0, self._suspicious - 1), now_s


class PresentationClock:
    """Turns presentation times into seconds from the first frame, mending what is missing or jumps.

    `step_s`: usual duration of a frame, s.
    `stated_s`: duration of the medium that the container states, s.
    """

    def __init__(self, step_s: float, stated_s: float | None) -> None:
        self.step_s = step_s
        self.problems: list[Problem] = []
        self.last_s: float | None = None
        self.origin_s = 0.0
        self._stated_s = stated_s

    def read(self, stamp_s: float | None) -> float | None:
        """Return the time of the next frame, s; None if it came too late to be shown."""
        if self.last_s is None:
            self.origin_s = stamp_s or 0.0
            self.last_s = 0.0
            return 0.0
        if stamp_s is None:
            self._note("times_missing", "frames without a presentation time were taken to follow at the usual rate")
            stamp_s = self.origin_s + self.last_s + self.step_s
        time_s = stamp_s - self.origin_s
        stated_s = self._stated_s
        is_beyond = stated_s is not None and time_s > stated_s + _GAP_S and time_s > self.last_s + _GAP_S
        if is_beyond or time_s < self.last_s - _JUMP_S:
            self._note("times_jump", "presentation times jump; what follows was joined to what came before")
            self.origin_s = stamp_s - self.last_s - self.step_s
            time_s = self.last_s + self.step_s
        if time_s <= self.last_s:
            self._note("frames_late", "frames whose time had passed already were left out")
            return None
        self.last_s = time_s
        return time_s

    def _note(self, code: str, message: str) -> None:
        problem = Problem(code, message)
        if problem not in self.problems:
            self.problems.append(problem)


def _without_unreferenced(
    packets: Iterable[tuple[av.Packet[Any], bool]],
) -> Iterator[tuple[av.Packet[Any], bool]]:
    """Leave unreferenced AV1 frames out of packets that are not needed."""
    frames = UnreferencedFrames()
    for packet, is_needed in packets:
        stripped = frames.strip(data := bytes(packet))
        if is_needed or len(stripped) == len(data):
            yield packet, True
        elif stripped:
            shorter: av.Packet[Any] = av.Packet(stripped)
            shorter.pts, shorter.dts, shorter.time_base = packet.pts, packet.dts, packet.time_base
            yield shorter, True


class FrameReader:
    """Decodes a stream once.

    `context`: its decoder, from `container.video_decoder`.
    `sampling`: frames that are not sampled, and on which no sampled one depends, are not decoded.
    `stated_s`: duration of the medium that the container states, s.
    `deadline`: checked before every packet.
    `tried`, `damaged`: packets that were decoded, and those of them with errors.
    `file_end_s`: the latest end of any packet of any stream, s as the container counts.
    `gaps`: of what was lost without an error.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        context: VideoCodecContext,
        sampling: Sampling,
        stated_s: float | None,
        deadline: Deadline,
    ) -> None:
        self._container, self._stream, self._sampling, self._deadline = container, stream, sampling, deadline
        self._context = context
        rate = usual_rate(stream)
        self._stated_s = stated_s
        # an average over times that jump says nothing about a frame
        self.clock = PresentationClock(min(float(1 / rate), _GAP_S) if rate else 0.04, stated_s)
        self.tried = self.damaged = 0
        self.file_end_s = 0.0
        self._last_pts: dict[int, int] = {}
        self.gaps = PacketGapDetector(container.format.name)
        self._frames_end_s, self._packets_end_s = 0.0, float("-inf")
        self.has_started = False
        self._error: str | None = None

    @property
    def end_s(self) -> float:
        """End of the last frame so far, s from the first one; of key frames alone, of the last packet."""
        end_s = max(self._frames_end_s, self._packets_end_s - self.clock.origin_s)
        if self._stated_s is None or self._stated_s <= (self.clock.last_s or 0.0):
            return end_s
        # MP4 states durations in order of decoding: at a variable rate the last one displayed may have another's.
        return min(end_s, self._stated_s)

    @property
    def cause(self) -> str:
        """The first error, in the decoder's words."""
        return self._error or ("parts of it are missing" if self.gaps.lost_s else "flawed frames")

    def __iter__(self) -> Iterator[TimedFrame[av.VideoFrame]]:
        fps = self._sampling.fps
        for frame in self._decoded():
            self.damaged += frame.is_corrupt
            time_s = self.clock.read(self._stamp(frame.pts if frame.pts is not None else frame.dts))
            if time_s is None:
                continue
            self.has_started = True
            lasts = float(frame.duration * frame.time_base) if frame.duration and frame.time_base else 0.0
            if lasts * MAX_FRAME_RATE < 1:
                lasts = self.clock.step_s
            self._frames_end_s = max(self._frames_end_s, time_s + lasts)
            yield TimedFrame(snap_to_instant(time_s, fps) if not self._sampling.key_frames_only else time_s, frame)

    def _decoded(self) -> Iterator[av.VideoFrame]:
        context = self._context
        packets = self._packets()
        if self._sampling.key_frames_only:
            chosen: Iterator[tuple[av.Packet[Any], bool]] = ((packet, True) for packet in self._key_packets(packets))
        elif context.codec.canonical_name in _SKIPPABLE and context.field_order in _PROGRESSIVE:
            chosen = self._needed_packets(packets)
        elif context.codec.canonical_name == "av1":
            chosen = _without_unreferenced(self._needed_packets(packets))
        else:
            chosen = ((packet, True) for packet in packets)
        for packet, is_needed in chosen:
            if not self._sampling.key_frames_only:
                context.skip_frame = "DEFAULT" if is_needed else "NONREF"
            self.tried += 1
            try:
                frames = context.decode(packet)
            except av.error.FFmpegError as error:
                self._note_damage(error)
            else:
                yield from frames
        for _ in range(_LOOK_AHEAD):  # what the decoder still holds; an error among it does not end the rest
            try:
                yield from context.decode(None)
            except EOFError:
                return
            except av.error.FFmpegError as error:
                self._note_damage(error)

    def _key_packets(self, packets: Iterable[av.Packet[Any]]) -> Iterator[av.Packet[Any]]:
        """Select key frames, at most one per sampling interval.

        Where an edit list begins between key frames, the decoder needs all that lies before the first frame shown.
        """
        due_s = float("-inf")
        before_edit = False
        for packet in packets:
            before_edit = (before_edit or packet.is_discard) and not self.has_started
            stamp_s = self._stamp(packet.pts)
            if stamp_s is not None:  # the medium ends no earlier, though the packet may not be decoded
                end_s = stamp_s + (float(packet.duration * packet.time_base) if packet.duration else self.clock.step_s)
                jumped = stamp_s < self._packets_end_s - _LOOK_AHEAD * self.clock.step_s - _JUMP_S
                self._packets_end_s = end_s if jumped else max(self._packets_end_s, end_s)
            if packet.is_keyframe and (stamp_s is None or stamp_s >= due_s):
                due_s = (stamp_s or 0.0) + 1 / self._sampling.fps - 1e-3
                yield packet
            elif before_edit:
                yield packet

    def _needed_packets(self, packets: Iterator[av.Packet[Any]]) -> Iterator[tuple[av.Packet[Any], bool]]:
        """Yield each packet, and True if its frame is on display at an instant, as a later packet tells."""
        waiting: deque[av.Packet[Any]] = deque()
        stamps: deque[int] = deque(maxlen=2 * _LOOK_AHEAD)
        for packet in packets:
            waiting.append(packet)
            if packet.pts is not None:
                stamps.append(packet.pts)
            while waiting:
                pts, needed = waiting[0].pts, True
                if pts is not None and packet.dts is not None and self.has_started and len(waiting) <= _LOOK_AHEAD:
                    end = min((stamp for stamp in stamps if stamp > pts), default=None)
                    # No frame is displayed before it is decoded: packets to come lie at or after this decoding time.
                    if end is None or end > packet.dts:
                        break
                    start_s, end_s = ((self._stamp(stamp) or 0.0) - self.clock.origin_s for stamp in (pts, end))
                    needed = covers_instant(start_s, end_s, self._sampling.fps)
                yield waiting.popleft(), needed
        # The end of the last frames is not known, so they are decoded.
        yield from ((packet, True) for packet in waiting)

    def _packets(self) -> Iterator[av.Packet[Any]]:
        """Yield the stream's packets, going on after errors as long as there is something to read."""
        # what is not decoded tells where the file ends: sound and subtitles can outlast the video
        streams = [self._stream, *self._container.streams.audio, *self._container.streams.subtitles]
        demuxed = self._container.demux(*streams)
        errors = 0
        while errors <= _MAX_READ_ERRORS:
            self._deadline.check()
            try:
                packet = next(demuxed, None)
            except av.error.ExitError as error:
                raise self._deadline.error() from error
            except av.error.FFmpegError as error:
                errors += 1
                self._note_damage(error)
                demuxed = self._container.demux(*streams)
                continue
            except IndexError:
                # At the end PyAV asks for a last packet of streams, too, that came up after the file was opened.
                return
            if packet is None:
                return
            if packet.size and packet.pts is not None:
                # Matroska leaves out durations; a packet is then taken to last as long as the one before
                before = self._last_pts.get(packet.stream.index, packet.pts)
                self._last_pts[packet.stream.index] = packet.pts
                end = packet.pts + (packet.duration or max(0, packet.pts - before))
                self.file_end_s = max(self.file_end_s, float(end * packet.time_base))
            self.gaps.add(packet, self.clock.step_s, of_video=packet.stream is self._stream)
            if packet.size and packet.stream is self._stream:
                errors = 0
                yield packet

    def _note_damage(self, error: Exception) -> None:
        self.damaged += 1
        self._error = self._error or str(getattr(error, "strerror", None) or error)

    def _stamp(self, pts: int | None) -> float | None:
        base = self._stream.time_base
        return None if pts is None or base is None else pts * base.numerator / base.denominator


# Frames of AV1 on which no other frame depends are left out of its packets: dav1d cannot be told to, frame by frame.
# Half the frames of usual encodings are such. Syntax and names are those of the AV1 Bitstream & Decoding Process
# Specification, sections 5.3 to 5.9.
_SEQUENCE_HEADER, _FRAME_HEADER, _TILE_GROUP, _FRAME, _REDUNDANT_FRAME_HEADER = 1, 3, 4, 6, 7  # obu_type
_PARTS_OF_FRAME = frozenset({_FRAME_HEADER, _TILE_GROUP, _FRAME, _REDUNDANT_FRAME_HEADER})
_INTER_FRAME = 1  # frame_type
_SELECT = 2  # each frame states it
_HEADER_BYTES = 64
"""More than what is read of a header."""


class _Bits:
    """Bits of a header, from the most significant one on."""

    def __init__(self, data: bytes) -> None:
        self._value, self._left = int.from_bytes(data[:_HEADER_BYTES]), 8 * min(len(data), _HEADER_BYTES)

    def read(self, count: int) -> int:
        """Return the next bits as a number; raise ValueError at the end."""
        self._left -= count
        if self._left < 0:
            raise ValueError("a header is cut off")
        return (self._value >> self._left) & ((1 << count) - 1)


@dataclass(frozen=True, slots=True)
class _Sequence:
    """Fields of a sequence header that say where a frame header has what."""

    force_screen_content_tools: int
    force_integer_mv: int
    order_hint_bits: int

    @classmethod
    def read(cls, data: bytes) -> _Sequence | None:
        """Read a sequence header; None for a still picture, layers, a decoder model or numbered frames."""
        bits = _Bits(data)
        bits.read(3)  # seq_profile
        if bits.read(2):  # still_picture, reduced_still_picture_header
            return None
        if bits.read(1):  # timing_info_present_flag
            bits.read(64)
            if bits.read(2):  # equal_picture_interval, decoder_model_info_present_flag
                return None
        has_delay = bits.read(1)
        if bits.read(5):  # operating_points_cnt_minus_1
            return None
        bits.read(12)
        if bits.read(5) > 7:  # seq_level_idx
            bits.read(1)
        if has_delay and bits.read(1):
            bits.read(4)
        size_bits = bits.read(4) + bits.read(4) + 2
        bits.read(size_bits)
        if bits.read(1):  # frame_id_numbers_present_flag
            return None
        bits.read(7)  # use_128x128_superblock ... enable_dual_filter
        has_order_hint = bits.read(1)
        if has_order_hint:
            bits.read(2)
        force_screen_content_tools = _SELECT if bits.read(1) else bits.read(1)
        force_integer_mv = _SELECT
        if force_screen_content_tools and not bits.read(1):
            force_integer_mv = bits.read(1)
        return cls(force_screen_content_tools, force_integer_mv, bits.read(3) + 1 if has_order_hint else 0)

    def is_unreferenced(self, header: bytes) -> bool:
        """Return True if a frame is shown when it is decoded, and kept for no other."""
        bits = _Bits(header)
        if bits.read(1) or bits.read(2) != _INTER_FRAME or not bits.read(1):
            return False  # shows a frame that was decoded before, is a key frame, or is not shown yet
        error_resilient = bits.read(1)
        bits.read(1)  # disable_cdf_update
        screen_content = self.force_screen_content_tools
        if screen_content == _SELECT:
            screen_content = bits.read(1)
        if screen_content and self.force_integer_mv == _SELECT:
            bits.read(1)
        bits.read(1 + self.order_hint_bits)  # frame_size_override_flag, order_hint
        if not error_resilient:
            bits.read(3)  # primary_ref_frame
        return bits.read(8) == 0  # refresh_frame_flags


class UnreferencedFrames:
    """Removes unreferenced frames from the packets of one stream."""

    def __init__(self) -> None:
        self._sequence: _Sequence | None = None

    def strip(self, packet: bytes) -> bytes:
        """Return a packet without its unreferenced frames, which may leave nothing of it.

        It is called for all packets in order, for sequence headers lie in some. What cannot be read stays whole.
        """
        kept, drops = [], False
        try:
            for kind, unit, payload in _units(packet):
                if kind == _SEQUENCE_HEADER:
                    self._sequence = _Sequence.read(payload)
                if kind in (_FRAME_HEADER, _FRAME):
                    drops = self._sequence is not None and self._sequence.is_unreferenced(payload)
                if not (drops and kind in _PARTS_OF_FRAME):
                    kept.append((kind, unit))
        except (ValueError, IndexError):
            return packet
        has_more = any(kind in _PARTS_OF_FRAME or kind == _SEQUENCE_HEADER for kind, _ in kept)
        return b"".join(unit for _, unit in kept) if has_more else b""


def _units(packet: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the type of each open bitstream unit, all of its bytes, and its payload."""
    at = 0
    while at < len(packet):
        start, header = at, packet[at]
        at += 2 if header & 4 else 1  # obu_extension_flag
        size = len(packet) - at
        if header & 2:  # obu_has_size_field: leb128
            size = shift = 0
            while True:
                byte = packet[at]
                at, size, shift = at + 1, size | (byte & 127) << shift, shift + 7
                if byte < 128:
                    break
        if at + size > len(packet):
            raise ValueError("a unit is cut off")
        yield (header >> 3) & 15, packet[start : at + size], packet[at : at + size]
        at += size
