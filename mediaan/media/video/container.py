"""Open a video file and nothing else: no playlist, script or reference leads to another file or address."""

from __future__ import annotations

import errno
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path

import av
from av.codec import CodecContext
from av.container import InputContainer
from av.stream import Discard, Disposition
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from mediaan.errors import MediumError
from mediaan.media.limits import Deadline, MediaLimits

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
    "mxf": "mxf",
    "ogg": "ogg",
    "h264": "h264",
    "hevc": "hevc",
}
"""FFmpeg's name of the one demuxer that may read a file of each format of `probe.VIDEO_FORMATS`."""

_DURATION_TAG = re.compile(r"(\d+):(\d+):(\d+(?:\.\d+)?)")
_COUNTING_FROM_0 = frozenset({"matroska,webm", "flv"})
"""Formats whose duration includes what lies before the first packet."""

_ROUNDING_SHARE = 0.01
"""Containers round durations, and some leave out the last frame: a shortfall of less is none."""

_PADDING_S = 0.05
"""Durations of whole files count what an audio encoder put before and after the sound, which demuxers cut off."""

_ALPHA_DECODERS = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""FFmpeg's own decoders pass over the opacity, a second stream inside of each WebM block."""

_OLD_X264 = {"x264_build": "150"}
"""Up to this build, x264 coded 4:4:4 otherwise than the standard says. FFmpeg allows for it where the stream names its
encoder, and a stream from which that was removed looks damaged."""
_PROBED_PACKETS = 100

MAX_FRAME_RATE = 500
"""Matroska from browsers and screen recorders states 1 ms for each frame, which is 1000 a second."""

_MAX_BOXES = 10000
_ENCRYPTED_TAGS = frozenset({"encv", "drmi"})


@dataclass(frozen=True, slots=True)
class StatedDuration:
    """The duration of a video as its file states it."""

    seconds: float | None
    file_start_s: float | None = None
    """Start of the file, s as the container counts, if the duration is the file's; None if it is that of the stream. A
    file's sound may outlast its video, so then the latest end of either counts."""

    def share(self, end_s: float, file_end_s: float) -> float:
        """Return the share that was read, 0-1: to `end_s` from the first frame, to `file_end_s` in any stream.

        >>> StatedDuration(10.0).share(9.0, 9.4), StatedDuration(10.0, 0.0).share(9.0, 10.0)
        (0.9, 1.0)
        """
        if self.seconds is None:
            return 1.0
        reached_s = end_s
        if self.file_start_s is not None:
            reached_s = max(end_s, file_end_s - self.file_start_s)
            if reached_s > self.seconds - _PADDING_S:
                return 1.0
        share = reached_s / self.seconds
        return share if share < 1 - _ROUNDING_SHARE else 1.0


def stated_duration(container: InputContainer, stream: VideoStream) -> StatedDuration:
    """Read the stated duration: from the stream of the video if that has one, else from the file."""
    if container.format.name == "avi" and stream.frames and stream.average_rate:
        # FFmpeg shortens the duration of an AVI file to what is left of it.
        return StatedDuration(float(stream.frames / stream.average_rate))
    if stream.duration and stream.time_base is not None:
        displayed_ticks = _shown_after_empty_edit(stream) if container.format.name == DEMUXERS["mp4"] else None
        ticks = stream.duration if displayed_ticks is None else min(stream.duration, displayed_ticks)
        return StatedDuration(float(ticks * stream.time_base))
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
        reason = getattr(error, "strerror", None) or error
        message = f"the file is damaged ({reason}); fetch or export it again"
        raise MediumError(message, code="decode_failed") from error


def open_container(path: Path, codec: str, limits: MediaLimits, deadline: Deadline) -> InputContainer:
    """Open a file with the demuxer that its content calls for.

    `codec`: a key of `DEMUXERS`, as `probe.sniff` tells it.
    `limits`: frames of a larger size are not decoded, not even to find out what the file holds.
    Raises MediumError: with the code ``unreadable``, ``unsupported_format``, ``decode_failed`` or ``time_limit``.
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
    """Return the size at which FFmpeg itself refuses; it is well above ours, which comes with a better message."""
    return int(2e6 * limits.max_video_megapixels) + 1024


def video_stream(container: InputContainer) -> VideoStream:
    """Choose the largest video stream that is no cover image; all others are left unread.

    Raises MediumError: with the code ``no_video`` or ``unsupported_format``.
    """
    images = Disposition.attached_pic | Disposition.timed_thumbnails
    videos = [stream for stream in container.streams.video if not stream.disposition & images]
    if not videos:
        what = "sound alone" if container.streams.audio else "no video"
        raise MediumError(f"holds {what}; there is nothing to look at", code="no_video")
    # PyAV leaves out the context of a stream that FFmpeg has no decoder for.
    decodable = [stream for stream in videos if stream.codec_context is not None]
    if not decodable:
        raise MediumError("its video codec is not supported; export it as H.264", code="unsupported_format")
    for stream in decodable:
        with suppress(UnicodeDecodeError):  # PyAV takes tags for ASCII
            if stream.codec_context.codec_tag in _ENCRYPTED_TAGS:
                raise MediumError("is encrypted; export it without protection", code="unsupported_format")
    chosen = max(decodable, key=lambda stream: (stream.width or 0) * (stream.height or 0))
    for other in container.streams:
        if other is not chosen and other.type not in {"audio", "subtitle"}:
            other.discard = Discard.all
    return chosen


def usual_rate(stream: VideoStream) -> Fraction | None:
    """Return the frames per second of a stream, on average or else most often; None where what is stated cannot be."""
    rates = (stream.average_rate, stream.guessed_rate)
    return next((rate for rate in rates if rate and rate <= MAX_FRAME_RATE), None)


def video_decoder(
    stream: VideoStream, path: Path, codec: str, limits: MediaLimits, deadline: Deadline
) -> VideoCodecContext:
    """Return a decoder for a stream: of VP8 and VP9 with opacity one that decodes it.

    `stream`: from `video_stream`.
    `path`, `codec`, `limits`, `deadline`: as the container was opened with.
    Raises MediumError: there is no such decoder here, ``unsupported_format``.
    """
    context = stream.codec_context
    name = _ALPHA_DECODERS.get(context.codec.canonical_name)
    if name and ("alpha_mode", "1") in {(key.lower(), value) for key, value in stream.metadata.items()}:
        if name not in av.codecs_available:
            message = f"has opacity, and FFmpeg is here without {name}; install PyAV's wheels: pip install -U av"
            raise MediumError(message, code="unsupported_format")
        with_alpha = CodecContext.create(name, "r")
        assert isinstance(with_alpha, VideoCodecContext)
        with_alpha.extradata = context.extradata
        context = with_alpha
    context.options = {"max_pixels": str(max_pixels(limits))}
    if context.codec.canonical_name == "h264" and (context.pix_fmt or "").startswith("yuv444p"):
        flaws = [_flaws(path, codec, limits, deadline, options) for options in ({}, _OLD_X264)]
        if flaws[1] < flaws[0]:
            context.options |= _OLD_X264
    return context


def _flaws(path: Path, codec: str, limits: MediaLimits, deadline: Deadline, options: dict[str, str]) -> int:
    """Count the flawed frames at the beginning of a video if it is decoded with these options."""
    flaws = 0
    with open_container(path, codec, limits, deadline) as container:
        stream = video_stream(container)
        stream.codec_context.options = options
        for packet in islice(container.demux(stream), _PROBED_PACKETS):
            deadline.check()
            try:
                flaws += sum(frame.is_corrupt for frame in stream.codec_context.decode(packet))
            except av.error.FFmpegError:
                flaws += 1
    return flaws


def _shown_after_empty_edit(stream: VideoStream) -> int | None:
    """Return how long a track is shown, in its ticks, if its edit list begins with an empty edit; None otherwise.

    FFmpeg's duration of such a track can include the empty edit, in which nothing is shown (ISO/IEC 14496-12, 8.6.6).
    """
    if not stream.start_time:
        return None
    index = getattr(stream, "index_entries", ())  # early versions of PyAV do not show it
    entries = sorted((entry.timestamp, entry.is_discard) for entry in index)
    steps = [later - earlier for (earlier, _), (later, _) in pairwise(entries)]
    if not steps:
        return None
    displayed: int = sum(step for step, (_, hidden) in zip([*steps, steps[-1]], entries, strict=True) if not hidden)
    return displayed


def _boxes_end_late(path: Path) -> bool:
    """Return True if the boxes of an ISO base media file state to end after it does."""
    size = path.stat().st_size
    at = 0
    with path.open("rb") as file:
        for _ in range(_MAX_BOXES):
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
