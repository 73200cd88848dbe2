"""Select the frames of a video that the network must see, and measure what moves in the others without it.

Motion is measured once that of the camera is taken out, on luma of 96 px on the long side: enough to see what a viewer
would notice at once, and too coarse for film grain and compression noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from mediaan.errors import AnalysisError
from mediaan.types.arrays import Float32, Float64, UInt8

LUMA_LONG_SIDE = 96
"""px of the luma on which motion is measured."""

MOTION_DECAY_S = 0.2
"""Motion energy is that of the last so many seconds: about the time from an event to the saccade that it causes."""

_BLUR_PX = 2.0  # px; 2 % of the picture, about the fovea's share of a screen
_RESAMPLING_BLUR = 1.0  # px; what warping a frame by parts of a pixel blurs, both frames are blurred by
_NOISE_LEVELS = 2.0  # grey levels of 255 that change without anything moving
_QUANTILES = (20, 50, 80)  # percent; small things that come and go hardly move them
_SPREAD_PX = 3.0  # px; 3 % of the picture
_RESTING_ENERGY = 5.0  # grey levels per MOTION_DECAY_S; a picture whose mean energy is less counts as resting
_HALF_CHANGE_ENERGY = 20.0  # grey levels per MOTION_DECAY_S of mean energy at which unrest is half
_MIN_POINTS = 12
_MIN_SPREAD = 0.2  # standard deviation of the points, share of each side; points all over have .29
_MIN_INLIER_SHARE = 0.5
_TREMBLING_PX = 0.3  # tracked corners of a picture at rest move by less
_MAX_CAMERA_TRAVEL = 0.25  # share of the width by which a camera may move between two samples, and by which it may zoom


def to_luma(frame: UInt8) -> UInt8:
    """Reduce a frame to grey of at most 96 px on the long side, (h, w) uint8."""
    scale = min(1.0, LUMA_LONG_SIDE / max(frame.shape[:2]))
    size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
    small = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def luma_change(before: UInt8, now: UInt8) -> Float32:
    """Measure the change that no change of light explains, (h, w) float32, grey levels 0-255, smoothed."""
    old, new = before.astype(np.float32), now.astype(np.float32)
    return _smooth(np.abs(new - _match_illumination(old, new)))


def camera_motion(before: UInt8, now: UInt8) -> Float64 | None:
    """Estimate shift, zoom and turn of the whole picture between two frames.

    Corners are tracked (Lucas & Kanade 1981, in pyramids) and the similarity that most agree on is taken (RANSAC,
    Fischler & Bolles 1981). It is the camera's only if the agreeing corners lie all over the picture: one object that
    moves before a plain ground is not a pan.

    `before`, `now` (h, w) uint8: luma.
    Returns (2, 3) float64 or None: takes unit coordinates in `before` to those in `now`; None where the camera rests or
        nothing can be told.
    """
    corners = cv2.goodFeaturesToTrack(before, maxCorners=80, qualityLevel=0.02, minDistance=5)
    if corners is None or len(corners) < _MIN_POINTS:
        return None
    moved, tracked, _ = cv2.calcOpticalFlowPyrLK(
        before, now, corners, np.empty_like(corners), winSize=(13, 13), maxLevel=2
    )
    kept = tracked.ravel() == 1
    start, end = corners.reshape(-1, 2)[kept], moved.reshape(-1, 2)[kept]
    if len(start) < _MIN_POINTS:
        return None
    matrix, agree = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=0.7)
    if matrix is None:
        return None
    height, width = now.shape
    agreeing = start[agree.ravel() == 1]
    if len(agreeing) < max(_MIN_POINTS, _MIN_INLIER_SHARE * len(start)):
        return None
    spread = agreeing.std(axis=0) / (width, height)
    edges = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]], np.float64)
    travel = float(np.abs(edges @ matrix.T - edges[:, :2]).max())
    if spread.min() < _MIN_SPREAD or not _TREMBLING_PX < travel <= _MAX_CAMERA_TRAVEL * max(width, height):
        return None
    grid = _unit_to_grid(width, height)
    return np.asarray((np.linalg.inv(grid) @ np.vstack([matrix, [0, 0, 1.0]]) @ grid)[:2], np.float64)


def motion_energy(before: UInt8, now: UInt8, camera: Float64 | None, seconds: float) -> Float32:
    """Measure change that neither camera nor light explains, (h, w) float32, grey levels per `MOTION_DECAY_S`.

    Where the camera shows what was not in view before, nothing is known to move.
    """
    old, new = before.astype(np.float32), now.astype(np.float32)
    seen = np.ones_like(new)
    if camera is not None:
        matrix = _to_grid_coordinates(camera, now.shape[1], now.shape[0])
        old = _warp(old, matrix, cv2.BORDER_REPLICATE)
        seen = _warp(seen, matrix, cv2.BORDER_CONSTANT)
    old, new = _smooth(old, _RESAMPLING_BLUR), _smooth(new, _RESAMPLING_BLUR)
    left = np.maximum(np.abs(new - _match_illumination(old, new)) - _NOISE_LEVELS, 0.0) * (seen > 0.99)
    seconds = max(seconds, 1e-3)
    rate = MOTION_DECAY_S / seconds * (1 - np.exp(-seconds / MOTION_DECAY_S))
    return np.asarray(_smooth(left.astype(np.float32)) * rate, np.float32)


def accumulate_energy(old: Float32 | None, new: Float32, seconds: float) -> Float32:
    """Add energy to that of the last `MOTION_DECAY_S`, which fades with time, whatever the sampling rate."""
    if old is None:
        return new
    return np.asarray(old * np.exp(-seconds / MOTION_DECAY_S) + new, np.float32)


def motion_contrast(energy: Float32) -> Float32:
    """Return how much each place and what is around it move beyond the rest, (h, w) float32, 0 and more.

    Energy above its mean, over that mean: divisive normalisation (Carandini & Heeger 2012). One small thing that moves
    before a resting ground counts in full however small it is, and motion everywhere draws gaze nowhere. Gaze lands
    near what moves rather than on its edges, and ahead of it, so energy is spread first.
    """
    mean = float(energy.mean(dtype=np.float64))
    return np.asarray(np.maximum(_smooth(energy, _SPREAD_PX) - mean, 0.0) / (_RESTING_ENERGY + mean), np.float32)


def global_change(energy: Float32) -> float:
    """Return how much the picture changes all over, beyond what camera and light explain, 0-1."""
    mean = float(energy.mean(dtype=np.float64))
    return mean / (mean + _HALF_CHANGE_ENERGY)


def warp_with_camera(values: Float32, camera: Float64) -> Float32:
    """Warp a map along with the camera.

    `values` (h, w) float32: a map of the frame before, on any grid.
    `camera` (2, 3) float64: from `camera_motion`.
    Returns (h, w) float32: the edge is repeated into what comes into view.
    """
    rows, columns = values.shape
    return _warp(values, _to_grid_coordinates(camera, columns, rows), cv2.BORDER_REPLICATE)


def _to_grid_coordinates(camera: Float64, columns: int, rows: int) -> Float64:
    """Turn a similarity of unit coordinates into one of the centres of a grid's cells."""
    scale = _unit_to_grid(columns, rows)
    return np.asarray((scale @ np.vstack([camera, [0, 0, 1.0]]) @ np.linalg.inv(scale))[:2], np.float64)


def _unit_to_grid(columns: int, rows: int) -> Float64:
    """Return the matrix from unit coordinates to those in which the centre of the first cell is 0."""
    return np.array([[columns, 0, -0.5], [0, rows, -0.5], [0, 0, 1.0]], np.float64)


def _warp(values: Float32, matrix: Float64, border: int) -> Float32:
    rows, columns = values.shape
    return np.asarray(cv2.warpAffine(values, matrix, (columns, rows), borderMode=border), np.float32)


def _match_illumination(old: Float32, new: Float32) -> Float32:
    """Bring the frame before into the light of the frame now: fades and flashes change mean and contrast, not places.

    Quantiles are matched and not grey levels at their places, so that things that move change nothing.
    """
    dark, middle, light = np.percentile(old, _QUANTILES)
    now_dark, now_middle, now_light = np.percentile(new, _QUANTILES)
    # of a nearly even picture nothing can be told; a slope above 2 would be amplified noise
    slope = min(2.0, (now_light - now_dark) / (light - dark)) if light - dark > 4 else 1.0
    return np.asarray((old - middle) * slope + now_middle, np.float32)


def _smooth(values: Float32, sd_px: float = _BLUR_PX) -> Float32:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sd_px, borderType=cv2.BORDER_REFLECT), np.float32)


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

    if fresh:
        after, camera = _follow(before, frame, t, since)
    else:
        faded = before.energy
        faded = None if faded is None else accumulate_energy(faded, np.zeros_like(faded), since)
        after, camera = replace(before, t=t, energy=faded), None
    energy = after.energy
    # a frame that is held was compared when it came
    change = luma_change(before.predicted_luma, after.luma) if after.changed else None
    is_due = t - before.predicted_s >= INFERENCE_INTERVAL_S - _TIME_TOLERANCE_S
    predict = is_due and (after.changed or before.predictions < _MIN_INFERENCES)
    if fresh and not predict and change is not None and float(change.mean()) > _CHANGE_FORCING_INFERENCE:
        predict = float(luma_change(after.expected_luma, after.luma).mean()) > _CHANGE_FORCING_INFERENCE
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


def _follow(before: SelectorState, frame: UInt8, t: float, since: float) -> tuple[SelectorState, Float64 | None]:
    """Measure what moves in a fresh frame; return the state with it, and the motion of the camera."""
    luma, energy, expected = to_luma(frame), before.energy, before.expected_luma
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
    return replace(before, t=t, luma=luma, expected_luma=expected, energy=energy, changed=True), camera
