"""A second look at a video, in full: each of its frames drawn upon and written to a film, with its timing and sound."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from mediaan.errors import MediumError
from mediaan.media.film import TICK_S, FilmWriter
from mediaan.media.source import Limits
from mediaan.types.arrays import UInt8

Draw = Callable[[UInt8, float], UInt8]

_FINEST_TICKS_PER_S = 1_000_000
_DEMUXERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,flv,asf"


def redraw_film(
    source: Path,
    target: Path,
    draw: Draw,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    crf: int = 23,
    preset: str = "veryfast",
    threads: int = 0,
) -> None:
    """Write a video again with something drawn on each frame."""
    options = {"format_whitelist": _DEMUXERS, "protocol_whitelist": "file"}
    with av.open(f"file:{source}", options=options, metadata_errors="replace") as container:
        video = container.streams.video[0]
        rate = video.average_rate or Fraction(25)
        writer: FilmWriter | None = None
        first: Fraction | None = None
        sound = container.streams.audio[0] if container.streams.audio else None
        held: list[Packet[AudioStream]] = []
        try:
            for packet in container.demux([s for s in (video, sound) if s is not None]):
                if packet.stream.type == "audio":
                    if writer is None or first is None:
                        held.append(packet)
                    else:
                        writer.add_sound(packet, -first)
                    continue
                try:
                    frames = packet.decode()
                except av.FFmpegError:
                    continue
                for frame in frames:
                    at = frame.pts * frame.time_base
                    rgb = np.rot90(frame.to_ndarray(format="rgb24"), frame.rotation // 90)
                    if first is None:
                        first = at
                        tick = frame.time_base if frame.time_base.denominator <= _FINEST_TICKS_PER_S else TICK_S
                        writer = FilmWriter(
                            target,
                            (rgb.shape[1], rgb.shape[0]),
                            rate,
                            tick_s=tick,
                            crf=crf,
                            preset=preset,
                            threads=threads,
                        )
                        if sound is not None:
                            writer.carry_sound(sound)
                    t = float(at - first)
                    duration = float(frame.duration * frame.time_base) if frame.duration else float(1 / rate)
                    writer.add(draw(rgb, t), t, duration)
                    while held:
                        writer.add_sound(held.pop(0), -first)
            writer.close()
        finally:
            if writer is not None:
                writer.discard()
