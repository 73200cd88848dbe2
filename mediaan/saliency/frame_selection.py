"""Select the frames of a video that the network must see, and measure what changes in the others without it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mediaan.errors import AnalysisError
from mediaan.saliency.motion import (
    accumulate_energy,
    camera_motion,
    global_change,
    luma_change,
    motion_contrast,
    motion_energy,
    to_luma,
    warp_with_camera,
)
from mediaan.types.arrays import Float32, Float64, UInt8

INFERENCE_INTERVAL_S = 0.35
"""A fresh frame is looked at when the last look is so old: viewers fixate about as often (2.5 to 3 times a second)."""

_MIN_INFERENCES = 2  # of a shot, even of a still one: the picture and its mirror image
_CHANGE_FORCING_INFERENCE = 20.0  # mean grey levels since the last look that ask for another one at once
_MOVING_CHANGE = 6.0  # grey levels somewhere since the last look from which the picture counts as moving
_FULL_NOVELTY_CHANGE = 24.0  # grey levels somewhere from which older looks no longer count
_TIME_TOLERANCE_S = 1e-6  # s; sample times are sums of fractions


@dataclass(frozen=True, slots=True, eq=False)
class FrameDecision:
    """One sample, as far as it can be seen without the network.

    Attributes
    ----------
    t, weight_s : float
        s.
    since : float
        s since the sample before; 0 for the first.
    cut : bool
        The first sample of a shot.
    look : bool
        Whether the network shall look at it.
    mirrored : bool
        Whether it shall see the mirror image: every other look, so that averaging over looks replaces looking twice.
    camera : (2, 3) float64 or None
        Motion of the whole picture since the sample before, in unit coordinates.
    motion : (h, w) float32 or None
        How much each place moves beyond the rest, 0 and more, as `mediaan.saliency.motion.motion_contrast`; None where
        nothing does.
    unrest : float
        How much the picture changes all over, 0-1.
    novelty : float
        How little earlier looks of the shot still say, 0-1.
    moving : bool
        Whether anything changed since the last look.
    """

    t: float
    weight_s: float
    since: float
    cut: bool
    look: bool
    mirrored: bool
    camera: Float64 | None
    motion: Float32 | None
    unrest: float
    novelty: float
    moving: bool


@dataclass(frozen=True, slots=True, eq=False)
class SelectorState:
    """What is kept from sample to sample.

    Attributes
    ----------
    t, shot : float, int
        Of the last sample.
    luma, looked : (h, w) uint8
        Luma of the last sample, and of the last one that was looked at.
    looked_s : float
        When that was, s.
    looks : int
        How often the shot was looked at.
    energy : (h, w) float32 or None
        Motion energy.
    unseen : bool
        Whether anything was fresh since.
    """

    t: float
    shot: int
    luma: UInt8
    looked: UInt8
    looked_s: float
    looks: int
    energy: Float32 | None = None
    unseen: bool = False


def select_frame(
    before: SelectorState | None, frame: UInt8, t: float, weight_s: float, shot: int, *, fresh: bool
) -> tuple[FrameDecision, SelectorState]:
    """See one sample after the others.

    Parameters
    ----------
    before : Watch or None
        None before the first sample.
    frame : (H, W, 3) uint8
    t, weight_s : float
        When it comes on display and for how long it stands, s.
    shot : int
    fresh : bool
        Whether it differs from the frame before.
    """
    since = 0.0 if before is None else max(0.0, t - before.t)
    if before is None or shot != before.shot:
        grey = to_luma(frame)
        sight = FrameDecision(t, weight_s, since, True, True, False, None, None, 0.0, 1.0, False)
        return sight, SelectorState(t, shot, grey, grey, t, 1)
    return _continue_shot(before, frame if fresh else None, t, weight_s)


def _continue_shot(
    before: SelectorState, frame: UInt8 | None, t: float, weight_s: float
) -> tuple[FrameDecision, SelectorState]:
    """Another sample of the same shot; `frame` is None where it shows what the one before showed."""
    since = max(0.0, t - before.t)
    if frame is None:
        energy = (
            None if before.energy is None else accumulate_energy(before.energy, np.zeros_like(before.energy), since)
        )
        after, camera = replace(before, t=t, energy=energy), None
    else:
        after, camera = _measure_change(before, frame, t, since)
    # what is held still was compared when it came
    change = luma_change(before.looked, after.luma) if after.unseen else None
    due = t - before.looked_s >= INFERENCE_INTERVAL_S - _TIME_TOLERANCE_S and (
        after.unseen or before.looks < _MIN_INFERENCES
    )
    look = due or (frame is not None and change is not None and float(change.mean()) > _CHANGE_FORCING_INFERENCE)
    peak = 0.0 if change is None else float(change.max())
    motion, restless = (
        (None, 0.0) if after.energy is None else (motion_contrast(after.energy), global_change(after.energy))
    )
    moving = frame is not None and (camera is not None or peak > _MOVING_CHANGE)
    novelty, mirrored = min(1.0, peak / _FULL_NOVELTY_CHANGE), before.looks % 2 == 1
    sight = FrameDecision(t, weight_s, since, False, look, mirrored, camera, motion, restless, novelty, moving)
    if look:
        after = replace(after, looked=after.luma, looked_s=t, looks=before.looks + 1, unseen=False)
    return sight, after


def _measure_change(
    before: SelectorState, frame: UInt8, t: float, since: float
) -> tuple[SelectorState, Float64 | None]:
    """Take in a fresh frame, and how the camera moved to it."""
    grey = to_luma(frame)
    if grey.shape != before.luma.shape:
        raise AnalysisError(
            f"a frame of {frame.shape[0]} x {frame.shape[1]} px follows frames of another shape; "
            "scale all frames of a medium to one size"
        )
    camera = camera_motion(before.luma, grey)
    energy = before.energy if camera is None or before.energy is None else warp_with_camera(before.energy, camera)
    energy = accumulate_energy(energy, motion_energy(before.luma, grey, camera, since), since)
    return replace(before, t=t, luma=grey, energy=energy, unseen=True), camera
