"""1080p clips to measure on: pans and zooms over the sample ads with cuts, grain and a moving badge, in four codecs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

from bench.pictures import ADS, CACHE

UInt8 = npt.NDArray[np.uint8]
VERSION = "clips-2"
SIZE = (1920, 1080)
FPS = 30
TAKE_S = 30
"""Encoded once; longer clips repeat it without encoding again."""
SHOT_S = 2.5
GRAIN = 2.5
"""σ, code values."""

CODECS: dict[str, tuple[str, str, int, dict[str, str]]] = {
    "h264": ("libx264", "mp4", 8_000_000, {"preset": "veryfast"}),
    "hevc": ("libx265", "mp4", 5_000_000, {"preset": "ultrafast", "x265-params": "log-level=none"}),
    "vp9": ("libvpx-vp9", "webm", 5_000_000, {"deadline": "realtime", "cpu-used": "8", "row-mt": "1"}),
    "av1": ("libsvtav1", "mp4", 4_000_000, {"preset": "12", "svtav1-params": "rc=1"}),
}
"""Encoder, container, bit/s and options by codec; 8 Mbit/s is what video platforms ask for 1080p30 in H.264."""


def clip(codec: str, seconds: int) -> Path:
    """Path of a clip, made where it is missing."""
    folder = CACHE / VERSION
    folder.mkdir(parents=True, exist_ok=True)
    _, suffix, _, _ = CODECS[codec]
    take = folder / f"{codec}-{TAKE_S}.{suffix}"
    if not take.exists():
        _encode(codec, take)
    path = folder / f"{codec}-{seconds}.{suffix}"
    if not path.exists():
        _repeat(take, path, seconds // TAKE_S)
    return path


def _encode(codec: str, path: Path) -> None:
    encoder, _, bit_rate, options = CODECS[codec]
    part = path.with_name(f"part-{path.name}")
    ads = [cv2.cvtColor(cv2.imread(str(ad)), cv2.COLOR_BGR2RGB) for ad in sorted(ADS.iterdir())]
    grain = np.random.default_rng(3).normal(0, GRAIN, (4, SIZE[1], SIZE[0], 1)).round().astype(np.int16)
    with av.open(str(part), "w") as container:
        stream = container.add_stream(encoder, rate=FPS, options=options)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = bit_rate
        for index in range(TAKE_S * FPS):
            rgb = np.clip(_frame(index / FPS, ads) + grain[index % 4], 0, 255).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(rgb, "rgb24")))
        container.mux(stream.encode(None))
    part.rename(path)


def _frame(t: float, ads: list[UInt8]) -> npt.NDArray[np.int16]:
    """Write a clip: a camera moves over an ad, another every `SHOT_S`, and a badge moves across."""
    shot, along = int(t / SHOT_S), t % SHOT_S / SHOT_S
    ad = ads[shot % len(ads)]
    height, width = ad.shape[:2]
    zoom = 0.6 + 0.3 * (along if shot % 2 else 1 - along)
    across = min(width, height * SIZE[0] / SIZE[1]) * zoom
    scale = SIZE[0] / across
    left, top = (width - across) * along, (height - across * SIZE[1] / SIZE[0]) / 2
    place = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]], np.float32)
    rgb = cv2.warpAffine(ad, place, SIZE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    centre = int(SIZE[0] * (0.3 * t % 1)), int(SIZE[1] * (0.5 + 0.3 * np.sin(1.7 * t)))
    return np.asarray(cv2.circle(rgb, centre, 60, (250, 205, 40), -1), np.int16)


def _repeat(take: Path, path: Path, times: int) -> None:
    """Join a clip to itself, packet by packet."""
    part = path.with_name(f"part-{path.name}")
    with av.open(str(part), "w") as target:
        out = None
        for turn in range(times):
            with av.open(str(take)) as source:
                stream = source.streams.video[0]
                out = out or target.add_stream_from_template(stream, opaque=True)
                shift = int(turn * TAKE_S / Fraction(stream.time_base))
                for packet in source.demux(stream):
                    if packet.dts is None:
                        continue
                    packet.pts, packet.dts, packet.stream = packet.pts + shift, packet.dts + shift, out
                    target.mux(packet)
    part.rename(path)
