"""Open a video file and nothing else: no playlist, no script, no reference leads to another file or address."""

from __future__ import annotations

import errno
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import av
from av.container import InputContainer
from av.stream import Discard, Disposition
from av.video.stream import VideoStream

from mediaan.errors import MediumError
from mediaan.media.source import MediaLimits

DEMUXERS: Mapping[str, str] = {
    "mp4": "mov,mp4,m4a,3gp,3g2,mj2",
    "quicktime": "mov,mp4,m4a,3gp,3g2,mj2",
    "matroska": "matroska,webm",
    "webm": "matroska,webm",
    "avi": "avi",
    "mpeg-ps": "mpeg,mpegvideo",
    "mpeg-ts": "mpegts",
    "flv": "flv",
    "asf": "asf",
}
"""The one demuxer, in FFmpeg's words, that may read a file of each format of `identify.VIDEO_FORMATS`."""

_DURATION_TAG = re.compile(r"(\d+):(\d+):(\d+(?:\.\d+)?)")
_COUNTING_FROM_0 = frozenset({"matroska,webm", "flv"})
"""Whose duration includes what lies before the first packet."""

_ROUNDING_SHARE = 0.01
"""Containers round durations, and some leave out the last frame: a shortfall of less is none."""

_ALLOWED_EACH_S = 600.0
"""The time limit is for so much of a video, s."""

_FEWEST_BYTES_PER_S = 5000.0
"""40 kbit/s: a video that states to last longer than its size has room for does not get the time for it."""

_BOXES_AT_MOST = 10000
_ENCRYPTED_TAGS = frozenset({"encv", "drmi"})


class Deadline:
    """When a medium has taken long enough.

    Parameters
    ----------
    limit_s : float
        Wall time from now, s.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._ends = monotonic() + limit_s

    def allow_for(self, duration_s: float | None, size_bytes: int) -> None:
        """Give a long video the limit once for every ten minutes that it states, and that its size makes credible.

        Examples
        --------
        >>> deadline = Deadline(900)
        >>> deadline.allow_for(7200, 3_000_000_000)
        >>> deadline.limit_s
        10800.0
        >>> deadline = Deadline(900)
        >>> deadline.allow_for(1e9, 50_000)
        >>> deadline.limit_s
        900
        """
        credible_s = min(duration_s or 0.0, size_bytes / _FEWEST_BYTES_PER_S)
        if credible_s > _ALLOWED_EACH_S:
            more_s = self.limit_s * (credible_s / _ALLOWED_EACH_S - 1)
            self.limit_s, self._ends = self.limit_s + more_s, self._ends + more_s

    def check(self) -> None:
        """Raise MediumError with the code ``time_limit`` when the time is over."""
        if monotonic() > self._ends:
            raise self.error()

    def error(self) -> MediumError:
        """Say that the time is over."""
        message = f"takes longer than {self.limit_s:g} s; raise the limit with --time-limit, or use --fast"
        return MediumError(message, code="time_limit")


@dataclass(frozen=True, slots=True)
class StatedDuration:
    """How long a file says that its video lasts.

    Attributes
    ----------
    seconds : float or None
    file_start_s : float or None
        Where the count begins, s as the container counts, if it is the file's; None where it is the first frame.
        A file's sound may outlast its video, so then the latest end of either counts.
    """

    seconds: float | None
    file_start_s: float | None = None

    def share(self, end_s: float, file_end_s: float) -> float:
        """Tell how far a reading came, 0-1: to `end_s` from the first frame, to `file_end_s` in any stream.

        Examples
        --------
        >>> StatedDuration(10.0).share(9.0, 9.4), StatedDuration(10.0, 0.0).share(9.0, 10.0)
        (0.9, 1.0)
        """
        if self.seconds is None:
            return 1.0
        reached_s = end_s if self.file_start_s is None else max(end_s, file_end_s - self.file_start_s)
        share = reached_s / self.seconds
        return share if share < 1 - _ROUNDING_SHARE else 1.0


def stated_duration(container: InputContainer, stream: VideoStream) -> StatedDuration:
    """Read how long the video is to last: from its stream if that states it, else from the file."""
    if container.format.name == "avi" and stream.frames and stream.average_rate:
        # FFmpeg shortens the duration of an AVI file to what is left of it.
        return StatedDuration(float(stream.frames / stream.average_rate))
    if stream.duration and stream.time_base is not None:
        return StatedDuration(float(stream.duration * stream.time_base))
    if match := _DURATION_TAG.match(stream.metadata.get("DURATION", "")):
        hours, minutes, seconds = match.groups()
        return StatedDuration(3600 * int(hours) + 60 * int(minutes) + float(seconds) or None, 0.0)
    if not container.duration:
        return StatedDuration(None)
    counts_from_0 = container.format.name in _COUNTING_FROM_0
    start_s = 0.0 if counts_from_0 else (container.start_time or 0) / av.time_base
    return StatedDuration(container.duration / av.time_base, start_s)


@contextmanager
def translate_ffmpeg_errors(path: Path, codec: str, deadline: Deadline) -> Iterator[None]:
    """Translate what PyAV raises on files that cannot be opened."""
    try:
        yield
    except av.error.ExitError as error:
        raise deadline.error() from error
    except (av.error.PermissionError, av.error.FileNotFoundError, av.error.IsADirectoryError) as error:
        if error.errno == errno.EPERM:  # which is what demuxers return as a plain -1
            raise MediumError("the file is damaged; fetch or export it again", code="decode_failed") from error
        message = f"cannot be read ({error.strerror}); check that it is there and that you may read it"
        raise MediumError(message, code="unreadable") from error
    except (av.error.FFmpegError, UnicodeError) as error:
        if DEMUXERS[codec] == DEMUXERS["mp4"] and _boxes_end_late(path):
            raise MediumError("the file ends too early; fetch or export it again", code="truncated") from error
        message = f"the file is damaged ({_reason(error)}); fetch or export it again"
        raise MediumError(message, code="decode_failed") from error


def open_container(path: Path, codec: str, limits: MediaLimits, deadline: Deadline) -> InputContainer:
    """Open a file with the demuxer that its content calls for.

    Parameters
    ----------
    path : Path
    codec : str
        A key of `DEMUXERS`, as `identify.sniff` tells it.
    limits : TaskLimits
        Frames of a larger size are not decoded, not even to find out what the file holds.
    deadline : Deadline

    Raises
    ------
    MediumError
        With the code ``unreadable``, ``unsupported_format``, ``decode_failed`` or ``time_limit``.
    """
    if codec not in DEMUXERS:
        raise MediumError(f"{codec} is not supported; export it as MP4", code="unsupported_format")
    if not stat.S_ISREG(path.stat().st_mode):
        raise MediumError("is not a regular file", code="unreadable")
    options = {
        "format_whitelist": DEMUXERS[codec],
        "protocol_whitelist": "file",
        "enable_drefs": "0",
        "use_absolute_path": "0",
        "max_pixels": str(max_pixels(limits)),
    }
    with translate_ffmpeg_errors(path, codec, deadline):
        # The prefix keeps names such as concat:a|b from being taken for protocols.
        return av.open(
            f"file:{path.absolute()}",
            options=options,
            metadata_errors="replace",
            timeout=(limits.time_limit_s, limits.time_limit_s),
        )


def max_pixels(limits: MediaLimits) -> int:
    """Give the size at which FFmpeg itself refuses; it is well above ours, which comes with a better message."""
    return int(2e6 * limits.max_video_megapixels) + 1024


def video_stream(container: InputContainer) -> VideoStream:
    """Choose what is to be watched: the largest video that is no cover picture; all others are left unread.

    Raises
    ------
    MediumError
        With the code ``no_video`` or ``unsupported_format``.
    """
    pictures = Disposition.attached_pic | Disposition.timed_thumbnails
    videos = [stream for stream in container.streams.video if not stream.disposition & pictures]
    if not videos:
        what = "sound alone" if container.streams.audio else "no video"
        raise MediumError(f"holds {what}; there is nothing to look at", code="no_video")
    # PyAV leaves out the context of a stream that FFmpeg has no decoder for.
    decodable = [stream for stream in videos if stream.codec_context is not None]
    if not decodable:
        raise MediumError("its video codec is not supported; export it as H.264", code="unsupported_format")
    if any(_is_encrypted(stream) for stream in decodable):
        raise MediumError("is encrypted; export it without protection", code="unsupported_format")
    chosen = max(decodable, key=lambda stream: (stream.width or 0) * (stream.height or 0))
    for stream in container.streams:
        if stream is not chosen and stream.type != "audio":
            stream.discard = Discard.all
    return chosen


def _is_encrypted(stream: VideoStream) -> bool:
    try:
        return stream.codec_context.codec_tag in _ENCRYPTED_TAGS
    except UnicodeDecodeError:  # PyAV takes tags for ASCII
        return False


def check_duration(seconds: float, limits: MediaLimits) -> None:
    """Refuse what lasts too long, with MediumError and the code ``too_long``."""
    if seconds > limits.max_duration_s:
        message = f"lasts more than {limits.max_duration_s / 3600:g} hours, the limit; cut it into parts"
        raise MediumError(message, code="too_long")


def check_frame_size(width: int, height: int, limits: MediaLimits) -> None:
    """Refuse frames that are too large, with MediumError and the code ``too_large``."""
    megapixels = width * height / 1e6
    if megapixels > limits.max_video_megapixels:
        limit = f"{limits.max_video_megapixels:g}"
        message = f"has {width} x {height} px ({megapixels:.1f} megapixels), above the limit of {limit}"
    elif limits.max_side is not None and max(width, height) > limits.max_side:
        message = f"has {width} x {height} px, above the limit of {limits.max_side} px a side"
    else:
        return
    raise MediumError(f"{message}; scale it down or raise the limit", code="too_large")


def _boxes_end_late(path: Path) -> bool:
    """Tell whether the boxes of an ISO base media file are to end after it does."""
    size = path.stat().st_size
    at = 0
    with path.open("rb") as file:
        for _ in range(_BOXES_AT_MOST):
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[:4], "big")
            if length == 1:
                length = int.from_bytes(head[8:], "big")
            if length < 8:  # 0: to the end of the file
                return at < size and len(head) < 8
            at += length
            if at >= size:
                return at > size
    return False


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
