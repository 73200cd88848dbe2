"""Play an animated GIF, WebP or PNG once, as a browser does, with one frame in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media.animation_formats import READERS, AnimationCanvas, AnimationFile, FramePatch
from mediaan.media.colour import CodedColours, ToSrgb, scalable
from mediaan.media.image_decoder import ImageDecoder
from mediaan.media.limits import (
    DECODER_ERRORS,
    MIN_SHARE_READ,
    Deadline,
    MediaLimits,
    check_duration,
    check_image_size,
    translate_decode_errors,
    translate_read_errors,
)
from mediaan.media.names import displayable
from mediaan.media.probe import file_medium_id
from mediaan.media.source import Sampling, Source
from mediaan.media.video.sampling import (
    SAME_INSTANT_S,
    FrameSample,
    TimedFrame,
    Views,
    chunk_samples,
    covers_instant,
    sample_at_instants,
    sample_each_frame,
    snap_to_instant,
)
from mediaan.media.video.shots import THUMBNAIL_WIDTH, ShotDetector
from mediaan.media.views import HiddenOnWhite, resize_all, view_size
from mediaan.types.media import Chunk, Medium, MediumKind, Problem, Shot, ViewSpec

_MAX_BYTES_PER_PIXEL, _MAX_OTHER_BYTES = 16, 1 << 20
"""No encoder writes more for a patch; more is not read into memory."""

_THUMBNAIL = ViewSpec("thumbnail", long_side=THUMBNAIL_WIDTH, upscale=True)


class AnimationSource(Source):
    """An animation as a `Source`, from its first frame to its last, once, however often it is meant to loop.

    Frames of 10 ms or less are shown for 100 ms, as browsers do. A frame that cannot be decoded leaves the one before
    on display, and its time counts as not read.

    `path`: a GIF, WebP or PNG file.
    `codec`: which of them, a member of `ANIMATED_FORMATS`.
    `views`: wanted sizes.
    `sampling`: all frames are key frames: with `key_frames_only` each is sampled once, when it appears, unless less
        than ``1 / fps`` has passed since the one before.
    Raises MediumError: with the code ``unreadable``, ``too_large``, ``too_long``, ``truncated``, ``decode_failed`` or
        ``time_limit``.
    """

    def __init__(
        self, path: Path, codec: str, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling
    ) -> None:
        self._name, self._codec = displayable(path.name), codec
        self._limits, self._sampling = limits, sampling
        self._deadline = Deadline(limits.time_limit_s)
        self._problems: list[Problem] = []
        self._notes: dict[Problem, None] = {}
        self._hidden = HiddenOnWhite()
        self._lost_s = 0.0
        with translate_decode_errors(self._name):
            with translate_read_errors():
                self._file: BinaryIO = path.open("rb")
                self.size_bytes = path.stat().st_size
            try:
                self._animation: AnimationFile = READERS[codec](self._file)
                self.medium = self._facts(file_medium_id(path))
            except BaseException:
                self._file.close()
                raise
        self._sizes = {spec.name: view_size(self.medium.width, self.medium.height, spec) for spec in views}
        self._canvas = AnimationCanvas(self._animation.size)
        self._to_srgb: ToSrgb | None = None
        self._colours: bytes | CodedColours | None = None
        self._shots = ShotDetector(float(self.medium.frame_rate or 0))

    def _facts(self, identity: UUID) -> Medium:
        """Go through the file once without decoding, for its duration and to see if it is whole."""
        width, height = self._animation.size
        check_image_size(
            (width, height), min(self._limits.max_megapixels, self._limits.max_video_megapixels), self._limits.max_side
        )
        frames, duration_s = 0, 0.0
        for patch in self._animation.patches():
            self._deadline.check()
            frames, duration_s = frames + 1, duration_s + patch.shown_s
        self._held, self._duration_s = self._animation.share_held, round(duration_s, 6)
        check_duration(self._duration_s, self._limits)
        if not frames or self._held < 1:
            self._check_share_read("the file ends too early", "truncated")
        rate = Fraction(frames / self._duration_s).limit_denominator(1000)
        kind: MediumKind = "mixed" if self._limits.mixed else "video"
        facts = (identity, self._name, kind, width, height, self._codec, self._duration_s, rate)
        return Medium(*facts, has_audio=False)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems that did not end the reading; complete once the chunks are exhausted."""
        colours = self._to_srgb.problem if self._to_srgb else None
        noted = (problem for problem in (colours, self._hidden.problem) if problem)
        return tuple(dict.fromkeys((*self._problems, *self._notes, *noted)))

    @property
    def share_read(self) -> float:
        """Share of the animation that is in the file and could be decoded, 0-1."""
        return self._held * (1 - self._lost_s / self._duration_s) if self._duration_s else 0.0

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots, complete once the chunks are exhausted."""
        return self._shots.shots

    def close(self) -> None:
        """Stop the reading and close the file."""
        super().close()
        self._file.close()

    def _chunks(self) -> Generator[Chunk, None, None]:
        with translate_decode_errors(self._name):
            for chunk in chunk_samples(self._samples(), self._shots, lambda: self._duration_s):
                self.read_s = float(chunk.t[-1] + chunk.weight_s[-1])
                yield chunk

    def _samples(self) -> Iterator[FrameSample[Views]]:
        fps = self._sampling.fps
        if self._sampling.key_frames_only:
            samples = sample_each_frame(self._frames(_Spaced(1 / fps)), lambda: self._duration_s)
        else:
            samples = sample_at_instants(self._frames(partial(covers_instant, fps=fps)), fps, lambda: self._duration_s)
        for sample in samples:
            self._deadline.check()
            yield sample

    def _frames(self, is_sampled: Callable[[float, float], bool]) -> Iterator[TimedFrame[Views]]:
        """Play the animation; yield the views of those frames that are sampled, told by when they come and go."""
        start_s, changed, canvas = 0.0, True, self._canvas
        small_size = view_size(*self._animation.size, _THUMBNAIL)
        for patch in self._animation.patches():
            end_s = start_s + patch.shown_s
            now_s = snap_to_instant(start_s, self._sampling.fps)
            if self._draw(patch) or not start_s:
                # for shot detection: BGR on white; exact colours do not matter
                small = canvas.image.resize(small_size, Image.Resampling.BOX)
                page = Image.new("RGB", small_size, "white")
                page.paste(small, mask=small)
                self._shots.feed(now_s, np.ascontiguousarray(np.asarray(page)[..., ::-1]))
                changed = True
            if changed and is_sampled(now_s, snap_to_instant(end_s, self._sampling.fps)):
                pixels = scalable(canvas.image.convert("LA") if self._animation.is_grey else canvas.image, "")
                self._to_srgb = self._to_srgb or ToSrgb(pixels.mode, self._colours)
                self._hidden.add(pixels)
                scaled = resize_all(pixels, self._sizes.values(), (0, 0, *canvas.image.size))
                views = {size: np.asarray(self._to_srgb(image)) for size, image in scaled.items()}
                yield TimedFrame(now_s, {name: views[size] for name, size in self._sizes.items()})
                changed = False
            start_s = end_s

    def _draw(self, patch: FramePatch) -> bool:
        """Decode and draw a frame; return True if the canvas may have changed."""
        self._deadline.check()
        if not self._canvas.shows(patch):
            self._canvas.draw(None, patch)
            return True
        left, top, right, bottom = patch.box
        size = (right - left, bottom - top)
        try:
            check_image_size(size, self._limits.max_megapixels)
            if patch.size_bytes > size[0] * size[1] * _MAX_BYTES_PER_PIXEL + _MAX_OTHER_BYTES:
                raise ValueError(f"{patch.size_bytes} bytes for {size[0]} x {size[1]} px")
            decoder = ImageDecoder(patch.still(), self._codec)
            if decoder.size != size:
                raise ValueError(f"{decoder.size} px instead of {size}")
            self._colours = self._colours or decoder.colours
            self._notes |= {problem: None for problem in decoder.problems if problem.code == "colours_not_converted"}
            self._canvas.draw(decoder.pixels(), patch)
        except (*DECODER_ERRORS, Image.DecompressionBombError) as error:
            self._lost_s += patch.shown_s
            self._check_share_read(f"frames are damaged ({error})", "decode_failed")
            return False
        return True

    def _check_share_read(self, cause: str, code: str) -> None:
        """Note that some of the animation is missing, or raise MediumError if it is too much."""
        share = self.share_read
        if share < MIN_SHARE_READ:
            raise MediumError(f"only {share:.0%} could be read: {cause}; fetch or export it again", code=code)
        self._problems = [Problem("partly_read", f"{share:.1%} could be read: {cause}")]


class _Spaced:
    """Select frames that come at least `interval_s` after the one selected before."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s, self._next_s = interval_s, 0.0

    def __call__(self, start_s: float, end_s: float) -> bool:
        if start_s < self._next_s - SAME_INSTANT_S:
            return False
        self._next_s = start_s + self._interval_s
        return True
