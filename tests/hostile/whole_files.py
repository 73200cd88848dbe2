"""Small sound files of every format that can be opened: what hostile ones are made from."""

from __future__ import annotations

import io
import os
import struct
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageCms

os.environ.setdefault("SVT_LOG", "-1")  # its encoder talks to stderr otherwise

WIDTH, HEIGHT, FRAMES = 64, 48, 12

_CLIPS: dict[str, tuple[str, str, dict[str, str]]] = {
    "mp4": ("mp4", "libx264", {"movflags": "faststart"}),
    "mp4-fragments": ("mp4", "libx264", {"movflags": "frag_keyframe+empty_moov"}),
    "mp4-hevc": ("mp4", "libx265", {}),
    "mp4-av1": ("mp4", "libsvtav1", {}),
    "m4v": ("mp4", "mpeg4", {}),
    "mov": ("mov", "mpeg4", {}),
    "mov-prores": ("mov", "prores_ks", {}),
    "mov-mjpeg": ("mov", "mjpeg", {}),
    "3gp": ("3gp", "mpeg4", {}),
    "webm": ("webm", "libvpx-vp9", {}),
    "webm-vp8": ("webm", "libvpx", {}),
    "mkv": ("matroska", "libx264", {}),
    "avi": ("avi", "mpeg4", {}),
    "avi-mjpeg": ("avi", "mjpeg", {}),
    "mpg": ("mpeg", "mpeg1video", {}),
    "vob": ("vob", "mpeg2video", {}),
    "ts": ("mpegts", "libx264", {}),
    "m2ts": ("mpegts", "mpeg2video", {"mpegts_m2ts_mode": "1"}),
    "flv": ("flv", "flv1", {}),
    "wmv": ("asf", "wmv2", {}),
    "mxf": ("mxf", "mpeg2video", {}),
    "mxf-prores": ("mxf", "prores_ks", {}),
    "h264": ("h264", "libx264", {}),
    "hevc": ("hevc", "libx265", {}),
}
"""By name: the muxer in FFmpeg's words, the encoder, and options of the muxer."""

_QUICK = {
    "libx264": {"preset": "ultrafast", "g": "6"},
    "libx265": {"preset": "ultrafast", "x265-params": "log-level=none:keyint=6:pools=1"},
    "libsvtav1": {"preset": "12", "g": "6"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8", "g": "6"},
    "libvpx": {"deadline": "realtime", "cpu-used": "8", "g": "6"},
}
_PIXELS = {"prores_ks": "yuv422p10le", "mjpeg": "yuvj420p"}


def frame(number: int = 0, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Draw something with edges, colours and noise: (h, w, 3) uint8."""
    y, x = np.mgrid[:height, :width]
    rng = np.random.default_rng(number)
    picture = np.stack([x * 4 + 9 * number, y * 5, (x + y) * 2], axis=-1) + rng.integers(0, 24, (height, width, 1))
    picture[height // 4 : height // 2, width // 4 + number : width // 2 + number] = (250, 240, 20)
    return picture.astype(np.uint8)


def whole_files() -> dict[str, bytes]:
    """Encode one file of each kind, by a name of which the part before a hyphen is its usual suffix."""
    made = {name: make() for name, make in {**_pictures(), **_animations()}.items()}
    return made | {name: _clip(*how) for name, how in _CLIPS.items()}


def clip(name: str, **how: Any) -> bytes:
    """Encode the clip of that name in another way; see `_clip`."""
    return _clip(*_CLIPS[name], **how)


def _pictures() -> dict[str, Callable[[], bytes]]:
    rgb = Image.fromarray(frame())
    rgba = rgb.copy()
    rgba.putalpha(Image.linear_gradient("L").resize(rgb.size))
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "an advertisement"
    wide = Image.fromarray(frame()[..., 0].astype(np.uint16) * 257)
    return {
        "jpg": lambda: _saved(rgb, "JPEG", exif=exif, icc_profile=profile),
        "jpg-progressive": lambda: _saved(rgb, "JPEG", progressive=True),
        "jpg-cmyk": lambda: _saved(rgb.convert("CMYK"), "JPEG"),
        "png": lambda: _saved(rgb, "PNG", exif=exif, icc_profile=profile),
        "png-palette": lambda: _saved(rgb.quantize(16), "PNG", transparency=3),
        "png-16": lambda: _saved(wide, "PNG"),
        "png-alpha": lambda: _saved(rgba, "PNG"),
        "webp": lambda: _saved(rgb, "WEBP", exif=exif, icc_profile=profile),
        "webp-lossless": lambda: _saved(rgba, "WEBP", lossless=True),
        "gif-still": lambda: _saved(rgb.quantize(32), "GIF"),
        "tif": lambda: _saved(rgb, "TIFF", tiffinfo={0x0112: 3}),
        "tif-lzw": lambda: _saved(rgba, "TIFF", compression="tiff_lzw"),
        "tif-jpeg": lambda: _saved(rgb, "TIFF", compression="jpeg"),
        "tif-pages": lambda: _saved(wide, "TIFF", save_all=True, append_images=[rgb] * 3),
        "tif-big": lambda: _saved(rgb, "TIFF", big_tiff=True),
        "bmp": lambda: _saved(rgb, "BMP"),
        "bmp-palette": lambda: _saved(rgb.quantize(16), "BMP"),
        "avif": lambda: _saved(rgb, "AVIF", exif=exif, speed=10),
        "avif-alpha": lambda: _saved(rgba, "AVIF", speed=10),
        "avif-sequence": lambda: _saved(rgb, "AVIF", save_all=True, append_images=[rgba] * 2, speed=10),
        "ppm": lambda: _saved(rgb, "PPM"),
        "ppm-text": lambda: f"P3\n# text\n{WIDTH} {HEIGHT} 255\n{' '.join(map(str, frame().ravel()))}\n".encode(),
        "pgm-16": lambda: _saved(wide, "PPM"),
        "qoi": lambda: _saved(rgba, "QOI"),
        "jp2": lambda: _saved(rgb, "JPEG2000"),
        "j2k": lambda: _saved(rgba, "JPEG2000", no_jp2=True, tile_size=(32, 32)),
        "psd": lambda: _psd([band.tobytes() for band in rgb.split()]),
        "psd-packed": lambda: _psd([bytes([WIDTH - 1]) + bytes(WIDTH)] * 3 * HEIGHT, packed=True),
    } | _heic(rgb)


def _psd(rows: list[bytes], *, packed: bool = False) -> bytes:
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, 3, HEIGHT, WIDTH, 8, 3)
    resource = b"8BIM" + struct.pack(">HHI", 1039, 0, 8) + b"profile?"
    counts = b"".join(struct.pack(">H", len(row)) for row in rows) if packed else b""
    sections = bytes(4) + struct.pack(">I", len(resource)) + resource + bytes(4)
    return head + sections + struct.pack(">H", packed) + counts + b"".join(rows)


def _heic(rgb: Image.Image) -> dict[str, Callable[[], bytes]]:
    try:
        import pillow_heif
    except ImportError:
        return {}
    return {"heic": lambda: _written(lambda file: pillow_heif.from_pillow(rgb).save(file, quality=50))}


def _animations() -> dict[str, Callable[[], bytes]]:
    frames = [Image.fromarray(frame(number)) for number in range(6)]

    def saved(codec: str, **options: Any) -> bytes:
        many = [each.quantize(32) for each in frames] if codec == "GIF" else frames
        return _saved(many[0], codec, save_all=True, append_images=many[1:], duration=120, **options)

    return {"gif": lambda: saved("GIF"), "webp-animated": lambda: saved("WEBP"), "apng": lambda: saved("PNG")}


def _saved(image: Image.Image, codec: str, **options: Any) -> bytes:
    return _written(lambda file: image.save(file, codec, **options))


def _written(write: Callable[[io.BytesIO], Any]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _clip(
    muxer: str,
    encoder: str,
    options: dict[str, str],
    *,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    metadata: dict[str, str] | None = None,
) -> bytes:
    if encoder == "flv1" or muxer == "3gp":
        size = (176, 144)  # all that H.263 and its kin are sure to take
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip"
        _write_clip(path, muxer, encoder, options, size, metadata or {})
        return path.read_bytes()


def _write_clip(
    path: Path, muxer: str, encoder: str, options: dict[str, str], size: tuple[int, int], metadata: dict[str, str]
) -> None:
    with av.open(str(path), "w", format=muxer, options=options) as container:
        container.metadata.update(metadata)
        stream: Any = container.add_stream(encoder, rate=Fraction(25), options=_QUICK.get(encoder, {}))
        stream.width, stream.height = size
        stream.pix_fmt = _PIXELS.get(encoder, "yuv420p")
        stream.codec_context.thread_count = 1
        for number in range(FRAMES):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame(number, *size), format="rgb24")))
        container.mux(stream.encode(None))
