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
"""A fresh frame is predicted when the last prediction is so old: viewers fixate 2.5 to 3 times a second."""

_MIN_INFERENCES = 2  # of a shot, even of a still one: the frame and its mirror image
_CHANGE_FORCING_INFERENCE = 20.0  # mean grey levels since the last prediction, beyond what the camera explains, that
# ask for another one at once: what was predicted moves along with the camera
_MOVING_CHANGE = 6.0  # grey levels somewhere since the last prediction from which the frame counts as moving
_FULL_NOVELTY_CHANGE = 24.0  # grey levels somewhere from which older predictions no longer count
_TIME_TOLERANCE_S = 1e-6  # sample times are sums of fractions


@dataclass(frozen=True, slots=True, eq=False)
class FrameDecision:
    """Decision on whether the network must see a sample, and what is known of the sample without it."""

    t: float
    weight_s: float
    """Time, s."""
    since: float
    """s since the sample before; 0 for the first."""
    cut: bool
    """The first sample of a shot."""
    predict: bool
    """Whether the network must see it."""
    mirrored: bool
    """Whether it must see the mirror image: every other time, so that averaging over predictions replaces predicting
    twice."""
    camera: Float64 | None
    """(2, 3) float64 or None. Motion of the whole frame since the sample before, in unit coordinates."""
    motion: Float32 | None
    """(h, w) float32 or None. How much each place moves beyond the rest, 0 and more, as `motion_contrast`; None where
    nothing does."""
    global_change: float
    """How much the frame changes all over, 0-1."""
    novelty: float
    """How little earlier predictions of the shot still say, 0-1."""
    moving: bool
    """Whether anything changed since the last prediction."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectorState:
    """State of the selection from sample to sample."""

    t: float
    shot: int
    """Of the last sample."""
    luma: UInt8
    predicted_luma: UInt8
    """(h, w) uint8. Luma of the last sample, and of the last one that was predicted."""
    expected_luma: UInt8
    """(h, w) uint8. The latter, moved along with the camera since."""
    predicted_s: float
    """When that was, s."""
    predictions: int
    """Number of predictions of the shot so far."""
    energy: Float32 | None = None
    """(h, w) float32 or None. Motion energy."""
    changed: bool = False
    """Whether any sample was fresh since the last prediction."""


def select_frame(
    before: SelectorState | None, frame: UInt8, t: float, weight_s: float, shot: int, *, fresh: bool
) -> tuple[FrameDecision, SelectorState]:
    """Decide whether the network must see the next sample of a medium.

    `before`: None before the first sample.
    `frame`: (H, W, 3) uint8.
    `t`, `weight_s`: when it comes on display and for how long it stands, s.
    `fresh`: whether it differs from the frame before.
    Raises AnalysisError: the frame is not of the size of those before.
    """
    since = 0.0 if before is None else max(0.0, t - before.t)
    if before is None or shot != before.shot:
        luma = to_luma(frame)
        decision = FrameDecision(t, weight_s, since, True, True, False, None, None, 0.0, 1.0, False)
        return decision, SelectorState(t, shot, luma, luma, luma, t, 1)

    camera, energy, expected = None, before.energy, before.expected_luma
    if fresh:
        luma = to_luma(frame)
        if luma.shape != before.luma.shape:
            raise AnalysisError(
                f"a frame of {frame.shape[0]} x {frame.shape[1]} px follows frames of another shape; "
                "scale all frames of a video to one size"
            )
        camera = camera_motion(before.luma, luma)
        if camera is not None:
            expected = np.asarray(warp_with_camera(expected.astype(np.float32), camera), np.uint8)
            energy = None if energy is None else warp_with_camera(energy, camera)
        energy = accumulate_energy(energy, motion_energy(before.luma, luma, camera, since), since)
        after = replace(before, t=t, luma=luma, expected_luma=expected, energy=energy, changed=True)
    else:
        energy = None if energy is None else accumulate_energy(energy, np.zeros_like(energy), since)
        after = replace(before, t=t, energy=energy)

    # a frame that is held was compared when it came
    change = luma_change(before.predicted_luma, after.luma) if after.changed else None
    is_due = t - before.predicted_s >= INFERENCE_INTERVAL_S - _TIME_TOLERANCE_S
    predict = is_due and (after.changed or before.predictions < _MIN_INFERENCES)
    if fresh and not predict and change is not None and float(change.mean()) > _CHANGE_FORCING_INFERENCE:
        predict = float(luma_change(expected, after.luma).mean()) > _CHANGE_FORCING_INFERENCE
    peak = 0.0 if change is None else float(change.max())
    decision = FrameDecision(
        t,
        weight_s,
        since,
        cut=False,
        predict=predict,
        mirrored=before.predictions % 2 == 1,
        camera=camera,
        motion=None if energy is None else motion_contrast(energy),
        global_change=0.0 if energy is None else global_change(energy),
        novelty=min(1.0, peak / _FULL_NOVELTY_CHANGE),
        moving=fresh and (camera is not None or peak > _MOVING_CHANGE),
    )
    if predict:
        after = replace(
            after,
            predicted_luma=after.luma,
            expected_luma=after.luma,
            predicted_s=t,
            predictions=before.predictions + 1,
            changed=False,
        )
    return decision, after
