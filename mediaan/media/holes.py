"""Parts of a file that were lost without an error: the demuxer went on after them as if nothing had been there."""

from __future__ import annotations

from typing import Any

import av

_FOUND_BY_SEARCH = frozenset({"matroska,webm", "flv", "mpegts", "mpeg", "asf"})
"""Formats whose packets are read one after the other; in others an index says where each lies, and a lost one fails."""

_OVERHEAD_BYTES, _OVERHEAD_SHARE = 1024, 0.05
"""What may lie between two packets: headers and tables, and in a transport stream 4 bytes of every 188."""

_STEPS = 3
"""A loss shows in time too: by more than so many frames."""

_SOON = 3
"""Packets of the video after skipped bytes in which it shows: decoding times of the first may be carried on."""


class Holes:
    """Adds up the time that is missing where bytes are skipped.

    Parameters
    ----------
    format_name : str
        In FFmpeg's words.

    Attributes
    ----------
    lost_s : float
        Seconds of the video that no packet came for.
    """

    def __init__(self, format_name: str) -> None:
        self._watches = format_name in _FOUND_BY_SEARCH
        self._next_byte: int | None = None
        self._suspicious = 0
        self._last_s: float | None = None
        self.lost_s = 0.0

    def see(self, packet: av.Packet[Any], step_s: float, *, of_video: bool) -> None:
        """Look at a packet of any stream, in the order of the file.

        Parameters
        ----------
        packet : av.Packet
        step_s : float
            Usual distance of frames, s.
        of_video : bool
            Whether it belongs to the stream that is watched.
        """
        if not self._watches or not packet.size:
            return
        if packet.pos is not None:
            allowed = _OVERHEAD_BYTES + _OVERHEAD_SHARE * packet.size
            if self._next_byte is not None and packet.pos - self._next_byte > allowed:
                self._suspicious = _SOON
            self._next_byte = packet.pos + round(packet.size * (1 + _OVERHEAD_SHARE))
        stamp = packet.dts if packet.dts is not None else packet.pts
        if not of_video or stamp is None or packet.time_base is None:
            return
        now_s = float(stamp * packet.time_base)
        if self._suspicious and self._last_s is not None and now_s - self._last_s > _STEPS * step_s:
            self.lost_s += now_s - self._last_s - step_s
            self._suspicious = 0
        self._suspicious, self._last_s = max(0, self._suspicious - 1), now_s
