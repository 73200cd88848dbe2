"""Open a file of any kind of medium, told by its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mediaan.errors import MediumError
from mediaan.media.documents import read_format
from mediaan.media.errors import translate_decode_errors, translate_read_errors
from mediaan.media.limits import MediaLimits
from mediaan.media.names import displayable
from mediaan.media.probe import ANIMATED_FORMATS, VIDEO_FORMATS
from mediaan.media.source import MIXED_FORMATS, Sampling, Source
from mediaan.media.stills.image import ImageSource, open_image
from mediaan.types.media import ViewSpec

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
        from mediaan.media.animation.source import AnimationSource

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
    from mediaan.media.animation.formats import is_animated

    with translate_read_errors():
        return is_animated(path, codec)
