"""Media whose frames carry their own number, so that a test can tell which frame it was given.

The upper half of a frame is eight stripes, the bits of its number with the highest at the left, light for 1. The lower
half is red at the left and blue at the right: it shows the order of the channels and which way is up.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

os.environ.setdefault("SVT_LOG", "-1")  # its encoder talks to stderr otherwise

BITS = 8
WIDTH, HEIGHT = 96, 64
DARK, LIGHT = 40, 215
RED, BLUE = (200, 30, 30), (30, 30, 200)

_QUIET_AND_FAST: Mapping[str, Mapping[str, str]] = {
    "libx264": {"crf": "12", "preset": "veryfast", "bf": "2", "g": "12", "sc_threshold": "0"},
    "libx265": {
        "crf": "12",
        "preset": "ultrafast",
        "x265-params": "log-level=none:bframes=2:keyint=12:scenecut=0:pools=1",
    },
    "libsvtav1": {"crf": "20", "preset": "12", "g": "12"},
    "libvpx-vp9": {"crf": "12", "b": "0", "deadline": "realtime", "cpu-used": "8", "g": "12"},
    "libvpx": {"crf": "6", "b": "2M", "deadline": "realtime", "cpu-used": "8", "g": "12"},
    "mpeg4": {"qscale": "2", "g": "12"},
}
_PIXELS = {"prores_ks": "yuv422p10le", "prores": "yuv422p10le"}


def numbered(number: int, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Draw a frame that carries `number` (0-255): (h, w, 3) uint8, RGB."""
    bits = [number >> (BITS - 1 - place) & 1 for place in range(BITS)]
    stripes = np.repeat(np.where(bits, LIGHT, DARK), -(-width // BITS))[:width]
    frame = np.empty((height, width, 3), np.uint8)
    frame[: height // 2] = stripes[None, :, None]
    frame[height // 2 :, : width // 2] = RED
    frame[height // 2 :, width // 2 :] = BLUE
    return frame


def number_in(frame: np.ndarray) -> int:
    """Read the number off a frame (h, w, 3) of any size, checking that it is upright and its colours are right."""
    height, width = frame.shape[:2]
    low, left, right = int(0.75 * height), int(0.25 * width), int(0.75 * width)
    for found, wanted in ((frame[low, left], RED), (frame[low, right], BLUE)):
        assert np.abs(found.astype(int) - wanted).max() < 60, f"{found} is not {wanted}"
    stripes = frame[int(0.25 * height), [int((place + 0.5) * width / BITS) for place in range(BITS)]].mean(axis=-1)
    assert (np.abs(stripes - (DARK + LIGHT) / 2) > 40).all(), f"stripes cannot be told: {stripes}"
    return int("".join("1" if stripe > (DARK + LIGHT) / 2 else "0" for stripe in stripes), 2)


def numbers_in(view: np.ndarray) -> list[int]:
    """Read the numbers off a view (N, h, w, 3)."""
    return [number_in(frame) for frame in view]


def write_clip(
    path: Path,
    numbers: Sequence[int] = tuple(range(50)),
    *,
    codec: str = "libx264",
    rate: Fraction | int = 25,
    times_s: Sequence[float] | None = None,
    start_s: float = 0.0,
    rotation: int = 0,
    pixel_aspect: Fraction | int = 1,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    audio: bool = False,
    pixel_format: str | None = None,
    options: Mapping[str, str] | None = None,
    muxer: Mapping[str, str] | None = None,
) -> Path:
    """Write a video of numbered frames; the suffix of `path` names the container.

    Parameters
    ----------
    numbers : sequence of int
        What the frames carry, in order of presentation; equal neighbours are a held picture.
    rate : Fraction or int
        Frames per second, as stated and, without `times_s`, as presented.
    times_s : sequence of float, optional
        Presentation times, kept to 1 ms: a variable frame rate. The last frame lasts for ``1 / rate``.
    start_s : float
        Presentation time of the first frame, added to all.
    rotation : int
        Degrees counter-clockwise by which a player shall turn the picture; stored frames are turned the other way.
    pixel_aspect : Fraction or int
        Width of a pixel over its height.
    size : (int, int)
        Width and height as stored before rotation, px; frames are drawn at that size.
    audio : bool
        Whether a silent sound track is added.
    options, muxer : mapping of str to str, optional
        For the encoder and for the container, over the defaults.
    """
    rate = Fraction(rate)
    # MPEG-4 states times in at most 16 bits per second; 1 ms serves all when frames come at odd times.
    tick = Fraction(1, 1000) if times_s is not None else 1 / rate
    starts_s = list(times_s) if times_s is not None else [float(index / rate) for index in range(len(numbers))]
    ends_s = [*starts_s[1:], starts_s[-1] + float(1 / rate)]
    durations: dict[int, int] = {}
    container_options = {"movflags": "faststart"} if path.suffix in {".mp4", ".mov"} else {}
    with av.open(str(path), "w", options={**container_options, **(muxer or {})}) as container:
        stream: Any = container.add_stream(
            codec, rate=rate, options={**_QUIET_AND_FAST.get(codec, {}), **(options or {})}
        )
        stream.width, stream.height = size
        stream.pix_fmt = pixel_format or _PIXELS.get(codec, "yuv420p")
        stream.codec_context.time_base = tick
        stream.codec_context.thread_count = 1
        stream.codec_context.sample_aspect_ratio = Fraction(pixel_aspect)
        if rotation:
            stream.set_display_rotation(rotation)
        sound: Any = container.add_stream("aac" if path.suffix != ".webm" else "libopus", rate=48000) if audio else None
        for index, number in enumerate(numbers):
            frame = _stored(number, size, rotation)
            seconds = start_s + starts_s[index]
            frame.pts, frame.time_base = round(seconds / tick), tick
            durations[frame.pts] = round((ends_s[index] + start_s) / tick) - frame.pts
            container.mux(_lasting(stream.encode(frame), durations))
        if sound:
            write_silence(container, sound, len(numbers) / float(rate))
        container.mux(_lasting(stream.encode(None), durations))
    return path


COLOUR_TAGS = ("color_range", "colorspace", "color_trc", "color_primaries")


def encode_frames(
    path: Path, frames: Sequence[av.VideoFrame], codec: str, rate: int = 25, prepare: Any = None, **options: str
) -> Path:
    """Encode frames of one size and layout at a steady rate, with the colours that the first of them states.

    `prepare` is called with the stream before the first frame; `options` are the encoder's.
    """
    first = frames[0]
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, first.format.name
        for tag in COLOUR_TAGS:
            setattr(stream.codec_context, tag, getattr(first, tag))
        if prepare is not None:
            prepare(stream)
        for number, frame in enumerate(frames):
            frame.pts, frame.time_base = number, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_audio(path: Path, seconds: float = 1.0) -> Path:
    """Write a file that holds sound alone."""
    with av.open(str(path), "w") as container:
        codec = {".mp3": "libmp3lame", ".webm": "libopus", ".ogg": "libopus", ".wav": "pcm_s16le"}.get(
            path.suffix, "aac"
        )
        write_silence(container, container.add_stream(codec, rate=48000), seconds)
    return path


def write_animation(
    path: Path,
    numbers: Sequence[int] = tuple(range(10)),
    delays_ms: Sequence[int] | int = 100,
    *,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    **options: Any,
) -> Path:
    """Write an animated GIF, WebP or PNG of numbered frames with a delay for each.

    Pillow drops frames that equal the one before and lengthens that one instead.
    """
    frames = [Image.fromarray(numbered(number, *size)) for number in numbers]
    if path.suffix == ".gif":
        frames = [frame.quantize(256) for frame in frames]
    codec = {".gif": "GIF", ".webp": "WEBP"}.get(path.suffix, "PNG")
    lossless = {"lossless": True} if codec == "WEBP" else {}
    durations = delays_ms if isinstance(delays_ms, int) else list(delays_ms)
    frames[0].save(
        path, codec, save_all=True, append_images=frames[1:], duration=durations, loop=0, **lossless, **options
    )
    return path


def truncated(path: Path, share: float) -> Path:
    """Write the first part of a file beside it."""
    data = path.read_bytes()
    part = path.with_stem(f"{path.stem}-{share:g}")
    part.write_bytes(data[: int(len(data) * share)])
    return part


def _stored(number: int, size: tuple[int, int], rotation: int) -> av.VideoFrame:
    width, height = size if rotation % 180 == 0 else size[::-1]
    upright = numbered(number, width, height)
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(np.rot90(upright, -rotation // 90)), format="rgb24")


def _lasting(packets: list[av.Packet], durations: Mapping[int, int]) -> list[av.Packet]:
    """State how long each packet's frame is on display, which encoders leave out; it tells where a clip ends."""
    for packet in packets:
        packet.duration = durations[packet.pts]
    return packets


def write_silence(container: Any, stream: Any, seconds: float) -> None:
    """Encode silence at 48 kHz into a stream of sound."""
    step = stream.codec_context.frame_size or 1024
    layout = stream.codec_context.layout.name
    channels = len(stream.codec_context.layout.channels)
    packed = stream.codec_context.format.is_packed
    shape = (1, step * channels) if packed else (channels, step)
    kind = {"s16": np.int16, "s32": np.int32}.get(stream.codec_context.format.name.removesuffix("p"), np.float32)
    for start in range(0, int(seconds * 48000), step):
        frame = av.AudioFrame.from_ndarray(np.zeros(shape, kind), stream.codec_context.format.name, layout)
        frame.sample_rate, frame.pts, frame.time_base = 48000, start, Fraction(1, 48000)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
