"""Open a file of any kind of medium, told by its content."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mediaan.errors import MediumError
from mediaan.media.image_checks import has_excessive_header, has_excessive_scans, is_truncated
from mediaan.media.image_decoder import ImageDecoder
from mediaan.media.limits import (
    MediaLimits,
    check_image_size,
    translate_decode_errors,
    translate_read_errors,
)
from mediaan.media.names import displayable
from mediaan.media.probe import ANIMATED_FORMATS, IMAGE_FORMATS, VIDEO_FORMATS, medium_id, read_format
from mediaan.media.source import MIXED_FORMATS, Sampling, Source
from mediaan.media.views import view_size
from mediaan.types.media import Chunk, Medium, Problem, Shot, ViewSpec

_MIXED_MAX_SIDE = 3000
"""Resolution limit of the v2 media analysis service for mixed media, px."""

_LIMITS, _SAMPLING = MediaLimits(), Sampling()


def open_medium(
    path: Path, views: Sequence[ViewSpec], limits: MediaLimits = _LIMITS, sampling: Sampling = _SAMPLING
) -> Source:
    """Open an image, an animation or a video.

    Its kind is told by its content, never by its name. GIF, WebP and PNG files with several frames are animations;
    with one frame they are images, but as mixed media a GIF always plays.

    `path`: a regular file.
    `views`: wanted sizes; their names become the keys of `Chunk.views`.
    `limits`: mixed media are limited to 3000 px a side unless it says otherwise.
    Returns: to be used in a ``with`` statement.
    Raises MediumError: with the code ``unreadable``, ``empty_file``, ``not_a_picture`` (nor a video),
        ``unsupported_format``, ``not_mixed_media``, ``no_video``, ``too_large``, ``truncated``, ``decode_failed`` or
        ``time_limit``.
    """
    with translate_decode_errors(displayable(path.name)):
        codec = read_format(path)
        if limits.mixed:
            if codec not in MIXED_FORMATS:
                message = f"{codec} is not taken as mixed media; MP4, WebM, MOV, MKV, AVI and GIF are"
                raise MediumError(message, code="not_mixed_media")
            limits = limits if limits.max_side is not None else replace(limits, max_side=_MIXED_MAX_SIDE)
        is_animation = _is_animation(path, codec, limits)
    if codec in VIDEO_FORMATS:
        from mediaan.media.video.source import open_video

        return open_video(path, codec, views, limits, sampling)
    if is_animation:
        from mediaan.media.animation import AnimationSource

        return AnimationSource(path, codec, views, limits, sampling)
    opened = open_image(
        path,
        views,
        max_megapixels=limits.max_megapixels,
        max_side=limits.max_side,
        exposure_s=sampling.exposure_s,
    )
    return ImageSource(opened)


def is_moving(path: Path, limits: MediaLimits = _LIMITS) -> bool:
    """Return True if `open_medium` opens a file as a video or an animation, False for what it refuses."""
    try:
        codec = read_format(path)
        return codec in VIDEO_FORMATS or _is_animation(path, codec, limits)
    except MediumError:
        return False


def _is_animation(path: Path, codec: str, limits: MediaLimits) -> bool:
    if codec not in ANIMATED_FORMATS or limits.mixed:
        return codec in ANIMATED_FORMATS
    from mediaan.media.animation_formats import is_animated

    with translate_read_errors():
        return is_animated(path, codec)


_MAX_BYTES_PER_PIXEL = {"tiff": 16, "png": 9, "pnm": 9, "jpeg-2000": 9, "psd": 20}
"""Four channels of 32 or 16 bits, uncompressed; of a PSD also its layers; 5 for others, of 8 bits, which no encoder
makes much larger."""

_MAX_OTHER_BYTES = 64 << 20
"""Metadata, profiles, previews."""


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """A medium with its pixels."""

    medium: Medium
    chunks: tuple[Chunk, ...]
    """For an image one chunk of one frame at t = 0 that stands for the whole exposure."""
    size_bytes: int
    """Size of the file."""
    problems: tuple[Problem, ...] = ()
    """Problems that did not hinder the decoding."""


def open_image(
    path: Path,
    views: Sequence[ViewSpec],
    *,
    max_megapixels: float = 100.0,
    max_side: int | None = None,
    exposure_s: float = 5.0,
) -> OpenedImage:
    """Decode an image file in the sizes that are wanted.

    The file is read once. JPEG is decoded at the smallest of the scales 1, 1/2, 1/4, 1/8 that covers all views.
    Of animations and of files with several pages the first image is taken, which is noted as a problem.

    `path`: of a format in `probe.IMAGE_FORMATS`, told by its content; HEIC needs the extra ``mediaan[heif]``.
    `views`: wanted sizes; their names become the keys of `Chunk.views`.
    `max_megapixels`: larger images are refused before their pixels are decoded. Above 178 MP, Pillow refuses WebP and
        TIFF itself.
    `max_side`: images with a longer side, px, are refused likewise; by default there is no such limit.
    `exposure_s`: assumed viewing time, s.
    Returns: with views of shape (1, H, W, 3), uint8, sRGB, read-only; the medium's size is the full size as displayed.
    Raises MediumError: with the code ``unreadable``, ``empty_file``, ``not_a_picture``, ``unsupported_format``,
        ``too_large``, ``truncated`` or ``decode_failed``.
    """
    name = displayable(path.name)
    with translate_decode_errors(name):
        data, codec = _read(path, max_megapixels)
        decoder = ImageDecoder(data, codec)
        check_image_size(decoder.size, max_megapixels, max_side)
        width, height = decoder.displayed_size()
        sizes = {spec.name: view_size(width, height, spec) for spec in views}
        frames = decoder.views(set(sizes.values()))
    medium = Medium(medium_id(data), name, "image", width, height, codec)
    chunk = Chunk(
        t=np.array([0.0]),
        weight_s=np.array([exposure_s]),
        views={view: frames[size] for view, size in sizes.items()},
        shot=np.array([0], np.int32),
        fresh=np.array([True]),
    )
    return OpenedImage(medium, (chunk,), len(data), tuple(dict.fromkeys(decoder.problems)))


class ImageSource(Source):
    """An image as a `Source`: one chunk of one frame, one shot that lasts for the exposure.

    `opened`: from `open_image`.
    """

    problems: tuple[Problem, ...] = ()
    shots: tuple[Shot, ...] = ()
    share_read = 1.0

    def __init__(self, opened: OpenedImage) -> None:
        (chunk,) = opened.chunks
        self.medium, self.size_bytes, self.problems = opened.medium, opened.size_bytes, opened.problems
        self.shots = (Shot(0.0, float(chunk.weight_s.sum()), "start"),)
        self._opened = opened.chunks

    def close(self) -> None:
        """Release the pixels."""
        super().close()
        self._opened = ()

    def _chunks(self) -> Generator[Chunk, None, None]:
        self.read_s = self.shots[0].end_s
        yield from self._opened


def _read(path: Path, max_megapixels: float) -> tuple[bytes, str]:
    """Read a file whole, once its first bytes have shown that it can be decoded; return its bytes and format."""
    codec = read_format(path)
    if codec not in IMAGE_FORMATS:
        raise MediumError(f"is a video ({codec}) and not an image", code="unsupported_format")
    with translate_read_errors():
        size_bytes = path.stat().st_size
        largest = max_megapixels * 1e6 * _MAX_BYTES_PER_PIXEL.get(codec, 5) + _MAX_OTHER_BYTES
        if size_bytes > largest:
            message = f"{size_bytes / 1e6:.0f} MB are more than {max_megapixels:g} megapixels can take"
            raise MediumError(message, code="too_large")
        data = path.read_bytes()
    if is_truncated(data, codec):
        raise MediumError("the file ends too early; fetch or export it again", code="truncated")
    if codec == "jpeg" and has_excessive_header(data):
        raise MediumError("has no end of headers before its pixels; export it again", code="decode_failed")
    if codec == "jpeg" and has_excessive_scans(data):
        raise MediumError("goes over its pixels hundreds of times; export it again", code="decode_failed")
    return data, codec
