"""Open a file of any kind of medium, told by its content."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mediaan.errors import MediumError
from mediaan.media.animation.source import ANIMATED_FORMATS, AnimationSource, is_animated
from mediaan.media.documents import DOCUMENTS, document_kind
from mediaan.media.errors import translate_decode_errors, translate_read_errors
from mediaan.media.limits import MediaLimits
from mediaan.media.listing import displayable
from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, MAX_FILE_BYTES, VIDEO_FORMATS, sniff
from mediaan.media.source import MIXED_FORMATS, Sampling, Source
from mediaan.media.stills.image import ImageSource, open_image
from mediaan.media.video.source import open_video
from mediaan.types.media import ViewSpec

_MIXED_MAX_SIDE = 3000
"""Resolution limit of the v2 media analysis service for mixed media, px."""

_LIMITS, _SAMPLING = MediaLimits(), Sampling()
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_MEDIA = (
    (b"#EXTM3U", "a playlist", "it only names other files; give those"),
    (b"[playlist]", "a playlist", "it only names other files; give those"),
    (b"ffconcat", "a concat script", "it only names other files; give those"),
    (b"v=0", "a session description (SDP)", "it only names an address; record the stream to a file"),
    (b"OggS", "an Ogg file", "export it as MP4 or WebM"),
)
"""Files that are given by mistake: first bytes, kind, and advice."""

_OGG_SOUND = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")
_AUDIO_SIGNATURES = (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"\xff\xf9", b"fLaC")


def open_medium(
    path: Path, views: Sequence[ViewSpec], limits: MediaLimits = _LIMITS, sampling: Sampling = _SAMPLING
) -> Source:
    """Open an image, an animation or a video.

    Its kind is told by its content, never by its name. GIF, WebP and PNG files with several frames are animations;
    with one frame they are images, but as mixed media a GIF always plays.

    Parameters
    ----------
    path : Path
        A regular file.
    views : sequence of ViewSpec
        Wanted sizes; their names become the keys of `Chunk.views`.
    limits : MediaLimits
        Mixed media are limited to 3000 px a side unless it says otherwise.
    sampling : Sampling

    Returns
    -------
    Source
        To be used in a ``with`` statement.

    Raises
    ------
    MediumError
        With the code ``unreadable``, ``empty_file``, ``not_a_picture`` (nor a video), ``unsupported_format``,
        ``not_mixed_media``, ``no_video``, ``too_large``, ``truncated``, ``decode_failed`` or ``time_limit``.
    """
    with translate_decode_errors(displayable(path.name)):
        codec = _read_format(path)
        if limits.mixed:
            if codec not in MIXED_FORMATS:
                message = f"{codec} is not taken as mixed media; MP4, WebM, MOV, MKV, AVI and GIF are"
                raise MediumError(message, code="not_mixed_media")
            limits = limits if limits.max_side is not None else replace(limits, max_side=_MIXED_MAX_SIDE)
        is_animation = _is_animation(path, codec, limits)
    if codec in VIDEO_FORMATS:
        return open_video(path, codec, views, limits, sampling)
    if is_animation:
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
        codec = _read_format(path)
        return codec in VIDEO_FORMATS or _is_animation(path, codec, limits)
    except MediumError:
        return False


def _is_animation(path: Path, codec: str, limits: MediaLimits) -> bool:
    with translate_read_errors():
        return codec in ANIMATED_FORMATS and (limits.mixed or is_animated(path, codec))


def _read_format(path: Path) -> str:
    """Return the format of a file that can be opened; refuse others with the advice that fits."""
    with translate_read_errors():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise MediumError("is not a regular file", code="unreadable")
        if status.st_size > MAX_FILE_BYTES:
            message = f"{status.st_size / 1e9:.0f} GB are more than the limit of {MAX_FILE_BYTES / 1e9:.0f} GB"
            raise MediumError(f"{message}; export it shorter or smaller", code="too_large")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    if not head:
        raise MediumError("the file is empty; fetch or export it again", code="empty_file")
    codec = sniff(head)
    if codec in IMAGE_FORMATS | VIDEO_FORMATS:
        return codec
    if codec is not None:
        raise MediumError(f"{codec} is not supported; export it as PNG or JPEG", code="unsupported_format")
    is_ogg_sound = head[:4] == b"OggS" and head[28:].startswith(_OGG_SOUND)
    if head.startswith(_AUDIO_SIGNATURES) or (head[:4], head[8:12]) == (b"RIFF", b"WAVE") or is_ogg_sound:
        raise MediumError("is sound alone: there is nothing to look at", code="no_video")
    if kind := document_kind(head, path.name):
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        raise MediumError(f"is {article} {kind}: {DOCUMENTS[kind]}", code="unsupported_format")
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    for first_bytes, kind, advice in _NOT_MEDIA:
        if text.startswith(first_bytes):
            raise MediumError(f"is {kind}: {advice}", code="unsupported_format")
    if text.startswith(b"<") and b"<MPD" in text:
        raise MediumError("is a playlist (DASH): it only names other files; give those", code="unsupported_format")
    message = "by its content this is neither an image nor a video, whatever its name says"
    raise MediumError(message, code="not_a_picture")
