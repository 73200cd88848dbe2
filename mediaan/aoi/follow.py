"""Follow boxes from one frame to another without detecting anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.aoi.appearance import Grey
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32

LONG_SIDE = 512
"""px at which things are followed."""

_POINTS = 40  # at most in a box
_FEWEST = 4  # points that must be followed to and fro
_CORNER_SIDE = 96  # px: corners of larger things are looked for at this size
_ROUND_TRIP_PX = 1.0  # by which a point may miss its start when it is followed back
_AGREE_PX = 1.5  # by which a point may lie beside where the motion of its box takes it
_MIN_AGREE = 0.4  # share of the points
_MAX_ZOOM = 1.35  # between two samples
_STILL_PX = 0.3
_STILL_SHARE = 0.35
_LK = {"winSize": (15, 15), "maxLevel": 3, "criteria": (3, 15, 0.02)}


@dataclass(frozen=True, slots=True)
class Target:
    """Something to follow.

    Attributes
    ----------
    box : Box
        Where it is in the first frame.
    shift : tuple of float
        By how much it has probably moved, in unit coordinates.
    overlay : bool
        It may be set on top of a picture that moves: where enough of its points rest, it rests.
    """

    box: Box
    shift: Point = (0.0, 0.0)
    overlay: bool = False


def follow(before: Grey, now: Grey, targets: Sequence[Target]) -> list[Box | None]:
    """Tell where things are in another frame.

    Corners are followed there and back (Lucas & Kanade 1981, in pyramids); those that come back to their start are
    kept (forward-backward error, Kalal et al. 2010), and the shift and zoom that most of them agree on moves the box.

    Parameters
    ----------
    before, now : Grey
        Two frames of the same size, at most a second or so apart, in any order.
    targets : sequence of Target

    Returns
    -------
    list of Box or None
        In the order of targets, not clipped; None where too few points could be followed.
    """
    starts = [_corners(before, target) for target in targets]
    counts = [len(points) for points in starts]
    if not sum(counts):
        return [None] * len(targets)
    start = np.concatenate(starts)
    shifts = np.repeat(
        np.array([t.shift for t in targets], np.float32) * np.array(now.size, np.float32), counts, axis=0
    )
    end = _flow(before, now, start, start + shifts)
    back = _flow(now, before, end, end - shifts)
    kept = np.abs(back - start).max(axis=1) <= _ROUND_TRIP_PX
    found: list[Box | None] = []
    for target, last, count in zip(targets, np.cumsum(counts), counts, strict=True):
        mine = np.arange(last - count, last)[kept[last - count : last]]
        found.append(_moved(target, start[mine], end[mine], now.size))
    return found


def _corners(frame: Grey, target: Target) -> Float32:
    """Points in a box that can be followed, (n, 2) float32, px."""
    width, height = frame.size
    box = target.box
    # what is set on a picture fills its box; of a thing or person only the middle is surely its own
    margin = 0.0 if target.overlay else 0.12
    x0, x1 = box.x0 + margin * box.width, box.x1 - margin * box.width
    y0, y1 = box.y0 + margin * box.height, box.y1 - margin * box.height
    left, top = max(0, int(x0 * width)), max(0, int(y0 * height))
    inside = frame.full[top : max(0, round(y1 * height)), left : max(0, round(x1 * width))]
    if min(inside.shape) < 4:
        return np.zeros((0, 2), np.float32)
    scale = min(1.0, _CORNER_SIDE / max(inside.shape))
    if scale < 1:
        inside = np.asarray(cv2.resize(inside, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    if min(inside.shape) < 4:
        return np.zeros((0, 2), np.float32)
    corners = cv2.goodFeaturesToTrack(inside, _POINTS, 0.02, 3)
    if corners is None or not len(corners):
        return np.zeros((0, 2), np.float32)
    return np.asarray((corners.reshape(-1, 2) + 0.5) / scale - 0.5 + (left, top), np.float32)


def _flow(before: Grey, now: Grey, start: Float32, guess: Float32) -> Float32:
    """Where points went, (n, 2) float32, px; far outside where they were lost."""
    flags = cv2.OPTFLOW_USE_INITIAL_FLOW
    end, status, _ = cv2.calcOpticalFlowPyrLK(before.full, now.full, start, guess.copy(), flags=flags, **_LK)  # type: ignore[call-overload]
    return np.where(status.reshape(-1, 1) == 1, end, np.float32(-1e4)).astype(np.float32)


def _moved(target: Target, start: Float32, end: Float32, size: tuple[int, int]) -> Box | None:
    if len(start) < _FEWEST:
        return None
    rests = np.abs(end - start).max(axis=1) <= _STILL_PX
    if target.overlay and rests.mean() >= _STILL_SHARE:
        return target.box
    matrix, agree = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=_AGREE_PX)
    if matrix is None or agree.sum() < max(_FEWEST, _MIN_AGREE * len(start)):
        return None
    zoom = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    if not 1 / _MAX_ZOOM <= zoom <= _MAX_ZOOM:
        return None
    (x, y), (width, height) = target.box.centre, size
    moved_x, moved_y = matrix @ (x * width - 0.5, y * height - 0.5, 1.0)
    half_x, half_y = target.box.width * zoom / 2, target.box.height * zoom / 2
    at_x, at_y = (float(moved_x) + 0.5) / width, (float(moved_y) + 0.5) / height
    return Box(at_x - half_x, at_y - half_y, at_x + half_x, at_y + half_y)
