"""Sound of one file carried over to another: as it is where MP4 can hold it, else encoded again."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet

COPIED = frozenset({"aac", "mp3", "ac3", "eac3", "opus", "alac", "flac"})
"""Codecs that MP4 can hold and that players know there."""

_RATE_HZ = 48_000
_BITS_PER_S = 128_000


class Soundtrack:
    """One sound track on its way into a film.

    Parameters
    ----------
    film : OutputContainer
        An MP4 whose header is not yet written.
    source : AudioStream
        The track of an open file.
    """

    def __init__(self, film: OutputContainer, source: AudioStream) -> None:
        self._copied = source.codec_context.codec.canonical_name in COPIED
        self._last_dts: int | None = None
        self._usual = 0
        if self._copied:
            self._stream = film.add_stream_from_template(source)
        else:
            layout = "mono" if source.codec_context.layout.nb_channels == 1 else "stereo"
            self._stream = film.add_stream("aac", rate=_RATE_HZ, layout=layout, bit_rate=_BITS_PER_S)

    def packets(self, packet: Packet[AudioStream], shift_s: Fraction) -> list[Packet[AudioStream]]:
        """What a packet of the source becomes, `shift_s` later than it says, s."""
        if self._copied:
            return list(self._as_it_is(packet, shift_s))
        return [made for frame in self._frames(packet, shift_s) for made in self._stream.encode(frame)]

    def rest(self) -> list[Packet[AudioStream]]:
        """What is left when the source has ended."""
        return [] if self._copied else self._stream.encode(None)

    def _as_it_is(self, packet: Packet[AudioStream], shift_s: Fraction) -> Iterator[Packet[AudioStream]]:
        if packet.dts is None or packet.pts is None:
            return
        shift = round(shift_s / packet.time_base)
        packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
        if self._last_dts is not None:
            if packet.dts <= self._last_dts:
                return  # the source jumps back in time, which MP4 cannot
            self._usual = packet.dts - self._last_dts
        packet.duration = packet.duration or self._usual  # players leave out a last packet that lasts for nothing
        self._last_dts, packet.stream = packet.dts, self._stream
        yield packet

    def _frames(self, packet: Packet[AudioStream], shift_s: Fraction) -> Iterator[AudioFrame]:
        """Decode; what is damaged is left out."""
        try:
            frames = packet.decode()
        except av.FFmpegError:
            return
        for frame in frames:
            if frame.pts is not None and frame.time_base is not None:
                frame.pts += round(shift_s / frame.time_base)
                yield frame
