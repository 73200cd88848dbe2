"""Leave frames out of AV1 packets on which no other frame depends: dav1d cannot be told to, frame by frame.

Half the frames of usual encodings are such. Syntax and names are those of the AV1 Bitstream & Decoding Process
Specification, sections 5.3 to 5.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
