"""Propagate tracks from sample to sample by optical flow and template matching, forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np

from mediaan.aoi.tracking.association import (
    GreyPyramid,
    correlation,
    high_pass,
    is_lettering,
    patch_shape,
    search_patch,
)
from mediaan.aoi.tracking.track import CLEARER, RISES_S, Track
from mediaan.types.aoi import Box, Candidate, Point
from mediaan.types.arrays import Float32

TRACKING_LONG_SIDE = 512
"""px at which objects are propagated."""


@dataclass(frozen=True, slots=True)
class PropagationSettings:
    """Steps and thresholds by which boxes follow what moves."""

    points: int = 40
    """Points followed in a box, at most."""
    fewest: int = 4
    """Points that must be followed to and fro."""
    corner_side: int = 96
    """Side to which larger objects are reduced before corners are looked for, px."""
    round_trip_px: float = 1.0
    """By which a point may miss its start when it is followed back."""
    agree_px: float = 1.5
    """By which a point may lie beside where the motion of its box takes it."""
    min_agree: float = 0.4
    """Share of the points that must agree on the motion of a box."""
    max_zoom: float = 1.35
    """Change of size between two samples."""
    still_px: float = 0.3
    """Motion under which a point rests."""
    still_share: float = 0.35
    """Share of resting points from which on an overlay rests."""
    there: float = 0.45
    """Correlation under which an object is lost."""
    overlay_there: float = 0.3
    """The same of letters on top of the picture, through which one sees what moves."""
    found_again: float = 0.75
    """Correlation from which on a search has found an object."""
    text_found_again: float = 0.6
    """The same for text."""
    text_just_lost: float = 0.5
    """The same for text that was there a sample ago."""
    before: float = 0.6
    """Correlation from which on an object was there before it was found."""
    text_before: float = 0.75
    """The same for text."""
    fading_in: float = 0.85
    """Correlation of text that was found while it faded in."""
    stronger: float = 1.1
    """Growth of its contrast."""
    zoomed: float = 0.01
    """By how much better letters must fit for their box to change its size."""
    nearby: float = 0.1
    """By how much better they must fit at a place nearby."""
    faded: float = 0.35
    """Share of its contrast under which a text has gone."""
    in_frame: float = 0.35
    """Share of its area under which an object has left."""
    rivals: float = 0.7
    """Overlap that two objects of a type cannot have."""


SETTINGS = PropagationSettings()

_LK = {"winSize": (15, 15), "maxLevel": 3, "criteria": (3, 15, 0.02)}

SAME_APPEARANCE = 0.6
"""Correlation with its patch from which on an object looks as it did when it was last found."""


@dataclass(frozen=True, slots=True)
class FlowTarget:
    """A box to propagate."""

    box: Box
    """Where it is in the first frame."""
    shift: Point = (0.0, 0.0)
    """By how much it has probably moved, in unit coordinates."""
    overlay: bool = False
    """It may be set on top of an image that moves: where enough of its points rest, it rests."""


def propagate_boxes(before: GreyPyramid, now: GreyPyramid, targets: Sequence[FlowTarget]) -> list[Box | None]:
    """Propagate boxes to another frame.

    Corners are followed there and back (Lucas & Kanade 1981, in pyramids); those that come back to their start are
    kept (forward-backward error, Kalal et al. 2010), and the shift and zoom that most of them agree on moves the box.

    `before`, `now`: two frames of the same size, at most a second or so apart, in any order.
    Returns: in the order of targets, not clipped; None where too few points could be followed.
    """
    starts = [_corners(before, target) for target in targets]
    counts = [len(points) for points in starts]
    if not sum(counts):
        return [None] * len(targets)
    start = np.concatenate(starts)
    shifts = np.repeat(
        np.array([t.shift for t in targets], np.float32) * np.array(now.size, np.float32), counts, axis=0
    )
    end = _optical_flow(before, now, start, start + shifts)
    back = _optical_flow(now, before, end, end - shifts)
    kept = np.abs(back - start).max(axis=1) <= SETTINGS.round_trip_px
    boxes_now: list[Box | None] = []
    for target, last, count in zip(targets, np.cumsum(counts), counts, strict=True):
        mine = np.arange(last - count, last)[kept[last - count : last]]
        boxes_now.append(_fit_motion(target, start[mine], end[mine], now.size))
    return boxes_now


def _corners(frame: GreyPyramid, target: FlowTarget) -> Float32:
    """Find points in a box that can be tracked, (n, 2) float32, px."""
    width, height = frame.size
    box = target.box
    # what is set on an image fills its box; of an object or person only the middle is surely its own
    margin = 0.0 if target.overlay else 0.12
    x0, x1 = box.x0 + margin * box.width, box.x1 - margin * box.width
    y0, y1 = box.y0 + margin * box.height, box.y1 - margin * box.height
    left, top = max(0, int(x0 * width)), max(0, int(y0 * height))
    inside = frame.full[top : max(0, round(y1 * height)), left : max(0, round(x1 * width))]
    if min(inside.shape) < 4:
        return np.zeros((0, 2), np.float32)
    scale = min(1.0, SETTINGS.corner_side / max(inside.shape))
    if scale < 1:
        inside = np.asarray(cv2.resize(inside, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    if min(inside.shape) < 4:
        return np.zeros((0, 2), np.float32)
    corners = cv2.goodFeaturesToTrack(inside, SETTINGS.points, 0.02, 3)
    if corners is None or not len(corners):
        return np.zeros((0, 2), np.float32)
    return np.asarray((corners.reshape(-1, 2) + 0.5) / scale - 0.5 + (left, top), np.float32)


def _optical_flow(before: GreyPyramid, now: GreyPyramid, start: Float32, guess: Float32) -> Float32:
    """Return where points went, (n, 2) float32, px; far outside where they were lost."""
    flags = cv2.OPTFLOW_USE_INITIAL_FLOW
    end, status, _ = cv2.calcOpticalFlowPyrLK(before.full, now.full, start, guess.copy(), flags=flags, **_LK)  # type: ignore[call-overload]
    return np.where(status.reshape(-1, 1) == 1, end, np.float32(-1e4)).astype(np.float32)


def _fit_motion(target: FlowTarget, start: Float32, end: Float32, size: tuple[int, int]) -> Box | None:
    if len(start) < SETTINGS.fewest:
        return None
    rests = np.abs(end - start).max(axis=1) <= SETTINGS.still_px
    if target.overlay and rests.mean() >= SETTINGS.still_share:
        return target.box
    matrix, agree = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=SETTINGS.agree_px)
    if matrix is None or agree.sum() < max(SETTINGS.fewest, SETTINGS.min_agree * len(start)):
        return None
    zoom = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    if not 1 / SETTINGS.max_zoom <= zoom <= SETTINGS.max_zoom:
        return None
    (x, y), (width, height) = target.box.centre, size
    moved_x, moved_y = matrix @ (x * width - 0.5, y * height - 0.5, 1.0)
    half_x, half_y = target.box.width * zoom / 2, target.box.height * zoom / 2
    at_x, at_y = (float(moved_x) + 0.5) / width, (float(moved_y) + 0.5) / height
    return Box(at_x - half_x, at_y - half_y, at_x + half_x, at_y + half_y)


@dataclass(frozen=True, slots=True)
class RecentFrame:
    """A sample: from when to when it is on display, s, and its frame."""

    t_s: float
    end_s: float
    frame: GreyPyramid


def propagate(tracks: Sequence[Track], before: GreyPyramid, now: GreyPyramid, seconds: float) -> None:
    """Propagate tracks to the next sample; those that are lost go on as they moved, and are searched there."""
    seen = [track for track in tracks if track.visible]
    lost = [track for track in tracks if not track.visible]
    moves = propagate_boxes(before, now, [FlowTarget(t.box, t.expected_shift(seconds), is_overlay(t)) for t in seen])
    for track, box in zip(seen, moves, strict=True):
        _update(track, box, now, seconds)
    for track in lost:
        track.box = _shifted(track.box, *track.expected_shift(seconds))
        _search(track, now)
    visible = [track for track in tracks if track.visible]
    for first, second in combinations(visible, 2):
        if (
            first.type == second.type and first.box.iou(second.box) >= SETTINGS.rivals
        ):  # they have come to lie on each other
            min(first, second, key=lambda track: (track.likeness, track.hits)).visible = False


def propagate_back(track: Track, t_s: float, frame: GreyPyramid, recent: Iterable[RecentFrame]) -> None:
    """Add the sightings of something, found now, since it came into sight or was last seen.

    `frame`: the sample in which it was found.
    `recent`: those before, the latest first.
    """
    box, at = track.box, len(track.sightings)
    since_s = track.sightings.t_s(at - 1) if at else float("-inf")
    least = SETTINGS.text_before if is_lettering(track.candidate) else SETTINGS.before
    for moment in recent:
        if moment.t_s <= since_s:
            return
        if moment.frame is not frame:
            (back,) = propagate_boxes(
                frame, moment.frame, [FlowTarget(box, track.expected_shift(moment.t_s - t_s), is_overlay(track))]
            )
            back = _zoomed(track, moment.frame, box, back) if back is not None else None
            if back is None or _likeness(track, moment.frame, back) < least or has_left(back):
                return
            if track.velocity is None:
                track.velocity = _velocity(back, box, t_s - moment.t_s)
            frame, box = moment.frame, back
        t_s = moment.t_s
        track.sightings.insert(at, t_s, moment.end_s, box, track.candidate.confidence)
        note_contrast(track, t_s, frame, box)


def has_left(box: Box) -> bool:
    """Tell whether most of a box is outside the frame."""
    return box.clipped().area < SETTINGS.in_frame * box.area


def is_overlay(track: Track) -> bool:
    """Tell whether it may be set on top of what is filmed."""
    return is_lettering(track.candidate) or track.candidate.type == "branding"


def patch_of(candidate: Candidate, frame: GreyPyramid, box: Box, shape: tuple[int, ...] | None = None) -> Float32:
    """Sample what is in a box, of lettering only the letters; (rows, columns) float32, as of `patch_shape`."""
    rows, columns = shape or patch_shape(box, frame.size)
    cells = frame.sample(box, rows, columns)
    return high_pass(cells) if is_lettering(candidate) else cells


def note_contrast(track: Track, t_s: float, frame: GreyPyramid, box: Box) -> None:
    """Note how clear lettering is, while it may still fade in."""
    if is_lettering(track.candidate) and t_s - track.sightings.t0_s <= RISES_S:
        track.contrasts[t_s] = float(patch_of(track.candidate, frame, box, track.patch.shape).std())


def _update(track: Track, box: Box | None, now: GreyPyramid, seconds: float) -> None:
    """Update a track to where it was propagated, if it looks there as it did."""
    old = track.box
    box = _zoomed(track, now, old, box) if box is not None else None
    track.likeness = 0.0 if box is None else _likeness(track, now, box)
    if box is not None and track.likeness >= (SETTINGS.overlay_there if is_overlay(track) else SETTINGS.there):
        track.box = box
        if is_lettering(track.candidate) and track.likeness < SAME_APPEARANCE:
            _, near = search_patch(now, box, track.patch, fine=True)  # it may have been followed to a place beside it
            fits = _likeness(track, now, near)
            if fits > track.likeness + SETTINGS.nearby:
                track.box, track.likeness = near, fits
        if is_lettering(track.candidate) and track.likeness >= SETTINGS.fading_in:
            # text that was still fading in when it was found: remember how it looks when it is fully there
            patch = patch_of(track.candidate, now, track.box, track.patch.shape)
            if float(patch.std()) > SETTINGS.stronger * float(track.patch.std()):
                track.patch = patch
                track.became_clearer = float(patch.std()) > CLEARER * track.detected_contrast
    else:
        track.box, track.visible = _shifted(old, *track.expected_shift(seconds)), False
        _search(track, now, just_lost=True)
    if track.visible:
        step = _velocity(old, track.box, seconds)
        last = track.velocity or step
        track.velocity = (last[0] + step[0]) / 2, (last[1] + step[1]) / 2


def _zoomed(track: Track, frame: GreyPyramid, old: Box, new: Box) -> Box:
    """Return the propagated box; lettering keeps its size unless its letters fit the new one better.

    What moves behind letters, seen between them, would otherwise make their box grow.
    """
    if not is_lettering(track.candidate) or (new.width, new.height) == (old.width, old.height):
        return new
    (x, y), half_x, half_y = new.centre, old.width / 2, old.height / 2
    kept = Box(x - half_x, y - half_y, x + half_x, y + half_y)
    fits = _likeness(track, frame, new)
    return new if fits >= SAME_APPEARANCE and fits > _likeness(track, frame, kept) + SETTINGS.zoomed else kept


def _search(track: Track, now: GreyPyramid, *, just_lost: bool = False) -> None:
    """Search something that was lost near where it should be; just lost, its place is known well."""
    text = is_lettering(track.candidate)
    least = (SETTINGS.text_just_lost if just_lost else SETTINGS.text_found_again) if text else SETTINGS.found_again
    score, box = search_patch(now, track.box, track.patch, fine=text)
    if score >= least and _likeness(track, now, box) >= min(least, SAME_APPEARANCE):
        track.box, track.visible, track.likeness = box, True, score


def _likeness(track: Track, frame: GreyPyramid, box: Box) -> float:
    """Return how much a box looks as the track did when last found, -1 to 1; 0 where it has faded."""
    now = patch_of(track.candidate, frame, box, track.patch.shape)
    return correlation(track.patch, now) if float(now.std()) >= SETTINGS.faded * float(track.patch.std()) else 0.0


def _shifted(box: Box, x: float, y: float) -> Box:
    return Box(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y)


def _velocity(old: Box, new: Box, seconds: float) -> tuple[float, float]:
    (x, y), (old_x, old_y) = new.centre, old.centre
    return (x - old_x) / seconds, (y - old_y) / seconds
