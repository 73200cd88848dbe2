"""Sample the frames of a moving medium: those on display at evenly spaced instants."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from mediaan.media.video.shots import ShotDetector
from mediaan.types.arrays import UInt8
from mediaan.types.media import Chunk

FrameT = TypeVar("FrameT")
Views: TypeAlias = Mapping[str, UInt8]

SAMPLES_PER_CHUNK = 5

SAME_INSTANT_S = 0.001
"""Containers round presentation times, Matroska to 1 ms: a frame due within that of an instant is on display at it."""


@dataclass(frozen=True, slots=True)
class TimedFrame(Generic[FrameT]):
    """A frame and when it comes on display, s from the first frame."""

    time_s: float
    frame: FrameT


@dataclass(frozen=True, slots=True)
class FrameSample(Generic[FrameT]):
    """A frame that was sampled."""

    t: float
    """The instant, s from the first frame."""
    weight_s: float
    """Seconds that the sample stands for."""
    shown: TimedFrame[FrameT]
    """The frame on display at that instant."""
    fresh: bool
    """False where the sample before shows the same frame."""


def snap_to_instant(time_s: float, fps: float) -> float:
    """Move a presentation time onto the instant that it is meant for, if one is near enough.

    >>> snap_to_instant(0.4004, 5.0), snap_to_instant(0.41, 5.0)
    (0.4, 0.41)
    """
    instant = round(time_s * fps) / fps
    return instant if abs(time_s - instant) <= SAME_INSTANT_S else time_s


def covers_instant(start_s: float, end_s: float, fps: float) -> bool:
    """Return True if an instant falls into [start, end), the time for which a frame is on display.

    >>> covers_instant(0.36, 0.40, 5.0), covers_instant(0.40, 0.44, 5.0)
    (False, True)
    """
    return math.ceil((start_s - SAME_INSTANT_S) * fps) / fps < end_s - SAME_INSTANT_S


def sample_at_instants(
    frames: Iterable[TimedFrame[FrameT]], fps: float, end_s: Callable[[], float]
) -> Iterator[FrameSample[FrameT]]:
    """Sample the frames on display at 0, 1/fps, 2/fps ... until the end of the medium.

    `frames`: in order of presentation, the first at 0, times on instants where they are meant to be (see
        `snap_to_instant`).
    `fps`: samples per second.
    `end_s`: returns when the medium ends; asked once the frames are exhausted.
    Yields: weights are ``1 / fps``, but for the last, which ends with the medium: they sum to its duration.

    >>> clip = [TimedFrame(0.0, "a"), TimedFrame(0.1, "b"), TimedFrame(0.5, "c")]
    >>> [(s.t, round(s.weight_s, 3), s.shown.frame, s.fresh) for s in sample_at_instants(clip, 5.0, lambda: 0.7)]
    [(0.0, 0.2, 'a', True), (0.2, 0.2, 'b', True), (0.4, 0.2, 'b', False), (0.6, 0.1, 'c', True)]
    """
    current: TimedFrame[FrameT] | None = None
    last: FrameSample[FrameT] | None = None
    number = 0

    def due(until_s: float) -> Iterator[FrameSample[FrameT]]:
        nonlocal last, number
        while current is not None and number / fps < until_s:
            if last is not None:
                yield last
            last = FrameSample(number / fps, 1 / fps, current, last is None or last.shown is not current)
            number += 1

    for timed in frames:
        yield from due(timed.time_s)
        current = timed
    end = end_s()
    # An instant less than 1 ms before the end would make a sample that stands for nothing; but there is always one.
    yield from due(end - SAME_INSTANT_S if number else end)
    if last is not None:
        yield replace(last, weight_s=end - last.t)


def sample_each_frame(
    frames: Iterable[TimedFrame[FrameT]], end_s: Callable[[], float]
) -> Iterator[FrameSample[FrameT]]:
    """Sample every frame once, for as long as it is on display.

    >>> clip = [TimedFrame(0.0, "a"), TimedFrame(0.5, "b")]
    >>> [(s.t, s.weight_s, s.shown.frame) for s in sample_each_frame(clip, lambda: 0.75)]
    [(0.0, 0.5, 'a'), (0.5, 0.25, 'b')]
    """
    current: TimedFrame[FrameT] | None = None
    for timed in frames:
        if current is not None:
            yield FrameSample(current.time_s, timed.time_s - current.time_s, current, True)
        current = timed
    if current is not None:
        yield FrameSample(current.time_s, max(0.0, end_s() - current.time_s), current, True)


def chunk_samples(
    samples: Iterable[FrameSample[Views]], shots: ShotDetector, end_s: Callable[[], float]
) -> Iterator[Chunk]:
    """Group samples into chunks, each held back until it is certain to which shots its samples belong.

    `samples`: with the views of their frames; the detector has seen all frames up to each.
    `end_s`: returns when the medium ends; asked once the samples are exhausted.
    Yields: with read-only views.
    """
    waiting: deque[FrameSample[Views]] = deque()

    def chunk() -> Chunk:
        group = [waiting.popleft() for _ in range(min(SAMPLES_PER_CHUNK, len(waiting)))]
        views = {name: np.stack([sample.shown.frame[name] for sample in group]) for name in group[0].shown.frame}
        for view in views.values():
            view.flags.writeable = False
        return Chunk(
            t=np.array([sample.t for sample in group]),
            weight_s=np.array([sample.weight_s for sample in group]),
            views=views,
            shot=np.array([shots.shot_of(sample.shown.time_s) for sample in group], np.int32),
            fresh=np.array([sample.fresh for sample in group]),
        )

    for sample in samples:
        waiting.append(sample)
        if len(waiting) >= SAMPLES_PER_CHUNK and waiting[SAMPLES_PER_CHUNK - 1].shown.time_s < shots.certain_s:
            yield chunk()
    shots.finish(end_s())
    while waiting:
        yield chunk()
