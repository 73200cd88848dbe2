"""Track the areas of a medium that moves: schedule detectors, and link detections in single frames over time."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID, uuid5

import cv2
import numpy as np

from mediaan.aoi.tracking.association import (
    GreyPyramid,
    affinity,
    appearance_descriptor,
    candidate_compatibility,
    descriptor_similarity,
    is_lettering,
    is_text,
    match_greedily,
    normalized_text,
    text_similarity,
    was_read,
)
from mediaan.aoi.tracking.propagation import (
    SAME_APPEARANCE,
    TRACKING_LONG_SIDE,
    RecentFrame,
    has_left,
    is_overlay,
    note_contrast,
    patch_of,
    propagate,
    propagate_back,
)
from mediaan.aoi.tracking.track import HELD_STILL_S, ObjectRegistry, ShotDetections, Track, merge_sightings
from mediaan.types.aoi import Aoi, AoiLevel, Box, Candidate
from mediaan.types.arrays import Bool, Float32, UInt8

OBJECTS_EVERY_S = 0.4
"""Objects are looked for this often while the image changes."""

CONFIRM_AFTER_S = 0.2
"""What the first detection in a scene finds is looked for again so soon: the scene may be short."""

TEXT_EVERY_S = 0.4
"""Text that has come up and stays is looked for at the earliest so long after the last time."""

MOVING_TEXT_EVERY_S = 2.0
"""Text that may have come up but does not rest is looked for at the earliest so long after the last time: a brand on
something that moves is there for seconds."""

SLOW_TEXT_EVERY_S = 0.8
"""The same while the rest of the image rests: a title that grows or drifts slowly never rests."""

_PATIENCE = 2.5  # times as long at most, when looking for text has brought nothing new
_TEXT_SIDE = 256  # px: letters of 2 % of the height still have edges
_EDGE = 24.0  # grey levels a px: readable letters have more
_STRONGER = 1.25  # times as strong as it was: an edge of a title that was still fading in
_BLOCK = 8  # px, about a letter or two
_STEADY = 8  # grey levels by which an edge that rests changes at most: what moves by half a px changes more
_CAMERA_RESTS = 0.5  # share of the known edges that rest where the camera does
_DENSE = 0.15  # share of a block's pixels that are edges of letters, at least
_FEWEST_BLOCKS = 3
_FLAT_BLOCKS = 2  # an image with fewer is black, or not there yet
_OBJECT_SIDE = 64
_CHANGED, _CHANGED_SHARE = 12, 0.02  # grey levels of 255; share of the cells
_TICK_S = 1e-3


class DetectionScope(IntEnum):
    """Detectors to run on a frame: each level takes in the one before."""

    NOTHING = 0
    OBJECTS = 1
    ALL = 2


class DetectionSchedule:
    """Decide by what has changed in the image since the last detection.

    Edges stand for letters. Those that rest and were not there, or not as strong, when text was last looked for are a
    title that has come up; those that do not rest may be.
    """

    def __init__(self) -> None:
        self._grey: UInt8 | None = None
        self._edges: UInt8 | None = None  # strength, grey levels a px
        self._resting: UInt8 | None = None  # 1 where the image is as it was a sample ago
        self._thumbnail: Float32 | None = None
        self._text_at: tuple[float, UInt8] | None = None
        self._objects_at: tuple[float, Float32] | None = None
        self._patience = 1.0
        self._first, self._held = True, False  # the last detection was the scene's first; its image is still there
        self._rising = 0  # samples for which something new has been there that does not rest

    def reset(self) -> None:
        """Begin again: the scene is another."""
        self._grey = self._edges = self._resting = self._text_at = self._objects_at = None
        self._patience = 1.0
        self._first, self._held, self._rising = True, False, 0

    def observe(self, frame: GreyPyramid) -> None:
        """Take in the next sample."""
        grey = _shrunk(frame.full, _TEXT_SIDE)
        across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=0.25), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=0.25)
        edges = np.asarray(np.maximum(np.abs(across), np.abs(down)), np.uint8)  # at most 255
        if self._grey is not None:
            change = cv2.dilate(cv2.absdiff(grey, self._grey), np.ones((3, 3), np.uint8))  # an edge is that wide
            self._resting = np.asarray(change <= _STEADY, np.uint8)
        self._grey, self._edges, self._held = grey, edges, False
        self._thumbnail = _shrunk(frame.full, _OBJECT_SIDE).astype(np.float32)

    def repeat(self) -> None:
        """Register a sample whose image equals that of the one before."""
        self._resting = None if self._edges is None else np.ones_like(self._edges)

    def record(self, t_s: float, scope: DetectionScope, *, new_text: bool) -> None:
        """Record which detectors ran on the last sample, and whether text was found that was not known."""
        if self._edges is None or self._thumbnail is None or scope == DetectionScope.NOTHING:
            return
        self._first, self._held = self._objects_at is None, True
        self._objects_at = t_s, self._thumbnail
        if scope == DetectionScope.ALL:
            first = self._text_at is None
            self._rising = 0
            self._text_at = t_s, self._edges
            self._patience = 1.0 if new_text or first else min(_PATIENCE, 2 * self._patience)

    def due(
        self,
        t_s: float,
        explained: Iterable[Box],
        *,
        text: bool,
        kinetic: bool = False,
        doubtful: bool = False,
        unread: bool = False,
        unconfirmed: bool = False,
    ) -> DetectionScope:
        """Return the detectors to run on the last sample.

        `explained`: where text is known to be.
        `text`: text is looked for at all.
        `kinetic`: known text moves; then more of it is likely to come.
        `doubtful`: known text does not look as it did.
        `unread`: there is a text that has become much clearer since it was read, or a mark that was not read.
        `unconfirmed`: something was found by one detection only.
        """
        most = DetectionScope.ALL if text else DetectionScope.OBJECTS
        if self._objects_at is None or (text and self._text_at is None):
            visible = self._edges is not None and _dense_blocks(self._edges >= _EDGE) >= _FLAT_BLOCKS
            return most if visible else DetectionScope.NOTHING
        if text and self._text_is_due(t_s, explained, kinetic=kinetic, doubtful=doubtful, unread=unread):
            return DetectionScope.ALL
        since_s = t_s - self._objects_at[0] + _TICK_S
        if unconfirmed and not self._held and since_s >= (CONFIRM_AFTER_S if self._first else OBJECTS_EVERY_S):
            return DetectionScope.OBJECTS
        if since_s < OBJECTS_EVERY_S:
            return DetectionScope.NOTHING
        assert self._thumbnail is not None
        changed = np.abs(self._thumbnail - self._objects_at[1]) > _CHANGED
        return DetectionScope.OBJECTS if changed.mean() >= _CHANGED_SHARE else DetectionScope.NOTHING

    def _text_is_due(
        self, t_s: float, explained: Iterable[Box], *, kinetic: bool, doubtful: bool, unread: bool
    ) -> bool:
        assert self._text_at is not None
        assert self._edges is not None
        since_s = t_s - self._text_at[0] + _TICK_S
        if unread and since_s >= TEXT_EVERY_S:
            return True
        if since_s < TEXT_EVERY_S * self._patience:
            return False
        if doubtful:
            return True
        read_text = cv2.dilate(self._text_at[1], np.ones((3, 3), np.uint8)).astype(np.float32)
        new = (self._edges >= _EDGE) & (self._edges > _STRONGER * read_text)
        height, width = new.shape
        for box in explained:
            top, left = max(0, int(box.y0 * height) - 1), max(0, int(box.x0 * width) - 1)
            new[top : max(0, int(box.y1 * height) + 2), left : max(0, int(box.x1 * width) + 2)] = False
        if self._resting is not None and _dense_blocks(new & (self._resting == 1)) >= _FEWEST_BLOCKS:
            return True
        rising = _dense_blocks(new) >= _FEWEST_BLOCKS
        self._rising = self._rising + 1 if rising else 0
        old = (self._edges >= _EDGE) & (self._edges <= _STRONGER * read_text)
        rests = self._resting is not None and bool(old.any()) and float(self._resting[old].mean()) >= _CAMERA_RESTS
        moving_s = MOVING_TEXT_EVERY_S
        if kinetic or (self._rising > 1 and rests):
            moving_s = min(moving_s, SLOW_TEXT_EVERY_S * max(1.0, self._patience / 2))
        return rising and since_s >= moving_s


def _dense_blocks(edges: Bool) -> int:
    """Count the blocks that are full of edges."""
    height, width = (max(1, side // _BLOCK) for side in edges.shape)
    shares = cv2.resize(edges.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    return int((shares >= _DENSE).sum())


def _shrunk(grey: UInt8, side: int) -> UInt8:
    scale = min(1.0, side / max(grey.shape))
    size = (max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


LOST_S = 1.2
"""What has been out of sight for longer has gone; if it comes back it is re-identified, not propagated."""


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """When a track ends, and how its box is smoothed."""

    back: int = 11
    """Samples through which something found late is propagated back."""
    sure_place: float = 0.5
    """Slack of something that was propagated and looks right."""
    smooth: float = 0.35
    """Least share of a new box in the average with the propagated one, if they agree."""
    smooth_iou: float = 0.8
    """IoU from which on they agree."""
    seen_before: float = 0.7
    """Correlation with its patch from which on a text is surely the one that was read."""
    kinetic: float = 0.03
    """Speed of moving letters, in sides a second."""
    replaced: float = 0.5
    """Overlap from which on a text has taken the place of another."""
    same_extent: float = 1.3
    """Ratio of sides of a text, propagated and read, above which it has changed."""
    tick_s: float = 1e-06
    """Tolerance of times, s."""
    part: float = 0.7
    """Share of a text inside another that says the same."""


SETTINGS = TrackerSettings()

_FEWER_MISSES = {"text": 1, "object": 2}  # end a track that does not look right, or that was found only once
_MISSES = {"text": 2, "object": 4}  # end any track


class Tracker:
    """Link detections in some samples of a medium, and propagate them through the others.

    For each sample, in order of time, ask `due` which detectors to run, run them, and `add` what they found.

    `medium_id`: identifiers of AOIs derive from it.
    `level`: detectors that the caller has; `due` asks for nothing else.

    >>> import numpy as np
    >>> tracker = Tracker(UUID(int=1))
    >>> frame = np.zeros((90, 160, 3), np.uint8)
    >>> frame[30:60, 40:80] = np.random.default_rng(0).integers(0, 255, (30, 40, 3))
    >>> logo = Candidate("branding", "Acme", Box(0.25, 1 / 3, 0.5, 2 / 3), 0.9, "detector")
    >>> for i in range(4):
    ...     wanted = tracker.due(i / 5, 0, i == 0, frame)
    ...     tracker.add(i / 5, 0.2, 0, i == 0, frame, [logo] if wanted else None, scope=wanted)
    >>> (aoi,) = tracker.aois()
    >>> aoi.label, aoi.t0_s, aoi.t1_s, len(aoi.track)
    ('Acme', 0.0, 0.8, 4)
    """

    def __init__(self, medium_id: UUID, *, level: AoiLevel = "all") -> None:
        self._medium_id, self._level = medium_id, level
        self._registry, self._schedule = ObjectRegistry(), DetectionSchedule()
        self._active: list[Track] = []
        self._ended: list[Track] = []
        self._recent: deque[RecentFrame] = deque(maxlen=SETTINGS.back)
        self._frame: GreyPyramid | None = None
        self._t_s: float | None = None
        self._shot = -1
        self._scene = ShotDetections(0.0)
        self._frame_s, self._held = 0.0, False  # since when the image shows; another sample had the same

    def due(self, t_s: float, shot: int, fresh: bool, rgb: UInt8) -> DetectionScope:
        """Return the detectors to run on a sample.

        `t_s`: time at which it comes on display, s; later than the one before.
        `shot`: number of its shot.
        `fresh`: False where its pixels are those of the sample before.
        `rgb` (H, W, 3) uint8: all samples in the same size; about 512 px on the long side is enough.
        """
        self._advance(t_s, shot, fresh, rgb)
        if self._level == "none":
            return DetectionScope.NOTHING
        set_on_top = [track for track in self._active if track.visible and is_overlay(track)]
        wanted = self._schedule.due(
            t_s,
            [track.box for track in set_on_top if track.likeness >= SETTINGS.seen_before],
            text=self._level != "objects",
            kinetic=any(track.velocity and math.hypot(*track.velocity) >= SETTINGS.kinetic for track in set_on_top),
            doubtful=any(
                is_lettering(track.candidate) and track.likeness < SETTINGS.seen_before for track in self._active
            ),
            unread=any(track.visible and (track.became_clearer or track.may_have_text) for track in self._active),
            unconfirmed=any(track.hits == 1 and not track.was_read for track in self._active),
        )
        return DetectionScope.NOTHING if self._level == "text" and wanted == DetectionScope.OBJECTS else wanted

    def add(
        self,
        t_s: float,
        weight_s: float,
        shot: int,
        fresh: bool,
        rgb: UInt8,
        candidates: Sequence[Candidate] | None,
        *,
        scope: DetectionScope,
    ) -> None:
        """Add a sample.

        `t_s`, `shot`, `fresh`, `rgb`: as of `due`.
        `weight_s`: seconds that the sample stands for.
        `candidates`: findings; None where no detector ran.
        `scope`: detectors that ran: with ``OBJECTS``, texts that were not found may still be there.
        """
        self._advance(t_s, shot, fresh, rgb)
        assert self._frame is not None
        if candidates is not None and scope != DetectionScope.NOTHING:
            self._associate(candidates, scope, rgb, t_s, self._frame)
        end_s = t_s + weight_s
        for track in self._active:
            if track.visible:
                track.last_visible_s = t_s
                track.sightings.append(t_s, end_s, track.box, track.candidate.confidence)
                note_contrast(track, t_s, self._frame, track.box)
                stays = self._held and not track.misses and track.detected_s >= self._frame_s
                track.held_still |= stays and end_s - track.detected_s >= HELD_STILL_S - SETTINGS.tick_s
                if track.likeness >= SAME_APPEARANCE:
                    track.matched_at = len(track.sightings)
        self._scene.t1_s = end_s
        self._recent.append(RecentFrame(t_s, end_s, self._frame))

    def aois(self) -> tuple[Aoi, ...]:
        """Return the AOIs in the order of first sight, after the last sample."""
        self._end_shot()
        objects = [
            (sorted(tracked.tracks, key=lambda t: t.sightings.t0_s), tracked) for tracked in self._registry.objects
        ]
        objects.sort(key=lambda row: (row[0][0].sightings.t0_s, row[1].type, row[0][0].sightings.box(0)))
        numbers: dict[float, float] = {}
        return tuple(
            Aoi(
                aoi_id=uuid5(self._medium_id, f"aoi {number}"),
                type=tracked.type,
                label=tracked.chosen.label,
                box=tracked.chosen.box,
                confidence=tracked.chosen.confidence,
                method=tracked.chosen.method,
                polygon=tracked.chosen.polygon,
                text=tracked.chosen.text,
                t0_s=tracks[0].sightings.t0_s,
                t1_s=tracks[-1].sightings.t1_s,
                track=merge_sightings(tracks, numbers),
            )
            for number, (tracks, tracked) in enumerate(objects)
        )

    def _advance(self, t_s: float, shot: int, fresh: bool, rgb: UInt8) -> None:
        """Propagate the active tracks to the next sample, unless that has been done."""
        if t_s == self._t_s:
            return
        if shot != self._shot:
            self._end_shot()
            self._shot, self._scene = shot, ShotDetections(t_s)
        before, seconds = self._frame, t_s - (self._t_s or 0.0)
        self._t_s = t_s
        if fresh or before is None:
            self._frame, self._frame_s, self._held = GreyPyramid(rgb, TRACKING_LONG_SIDE), t_s, False
            if before is not None:
                propagate(self._active, before, self._frame, seconds)
            self._schedule.observe(self._frame)
        else:
            self._schedule.repeat()
            self._held = True
        for track in list(self._active):
            if has_left(track.box) or (not track.visible and t_s - track.last_visible_s > LOST_S):
                self._end(track)

    def _associate(
        self, candidates: Sequence[Candidate], scope: DetectionScope, rgb: UInt8, t_s: float, frame: GreyPyramid
    ) -> None:
        """Match candidates with tracks, begin tracks with the others, and count misses."""
        descriptors = [None if is_text(c) else appearance_descriptor(rgb, c.box) for c in candidates]
        scores = []
        for row, track in enumerate(self._active):
            slack = 1.0 + 2 * (t_s - track.last_visible_s)
            if track.visible:
                slack = SETTINGS.sure_place if track.likeness >= SAME_APPEARANCE else 1.0
            for column, (candidate, descriptor) in enumerate(zip(candidates, descriptors, strict=True)):
                alike = None
                if descriptor is not None and len(track.descriptors):
                    alike = descriptor_similarity(track.descriptors[-1], descriptor)
                score = affinity(track.candidate, track.type, track.box, candidate, alike, slack)
                scores.append((score, row, column))
        pairs, tracks = match_greedily(scores), list(self._active)
        for row, column in pairs:
            self._detected(tracks[row], candidates[column], descriptors[column], t_s, frame)
        rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
        new = [
            column
            for column in range(len(candidates))
            if column not in columns and not self._is_part(candidates[column])
        ]
        missed = [track for row, track in enumerate(tracks) if row not in rows]
        self._missed(missed, scope, [candidates[column] for column in new])
        for column in new:
            patch = patch_of(candidates[column], frame, candidates[column].box)
            track = Track(candidates[column], self._shot, patch, self._scene)
            track.hit(candidates[column], descriptors[column], t_s, patch)
            propagate_back(track, t_s, frame, reversed(self._recent))
            track.detected_at = len(track.sightings) + 1
            self._active.append(track)
        self._scene.seen += 1
        if scope == DetectionScope.ALL:
            self._scene.read += 1
            for track in self._active:
                track.read_attempted |= track.visible
        self._schedule.record(t_s, scope, new_text=any(was_read(candidates[column]) for column in new))

    def _detected(
        self, track: Track, candidate: Candidate, descriptor: Float32 | None, t_s: float, frame: GreyPyramid
    ) -> None:
        """Correct a track by the candidate that matches it."""
        box, propagated = candidate.box, track.box
        if track.visible:
            if propagated.iou(box) >= SETTINGS.smooth_iou and not is_text(candidate):  # a text is where it was read
                share = max(SETTINGS.smooth, 1 / (track.hits + 1))
                box = Box(*(old + share * (new - old) for old, new in zip(propagated, box, strict=True)))
            sides = ((propagated.width, box.width), (propagated.height, box.height))
            same_extent = all(max(pair) <= SETTINGS.same_extent * min(pair) for pair in sides)
            if not is_text(candidate) or same_extent:
                track.correct(t_s, Box(*(new - old for new, old in zip(box, propagated, strict=True))))
        track.hit(candidate, descriptor, t_s, patch_of(candidate, frame, box))
        track.box, track.likeness = box, 1.0
        if not track.visible:
            track.visible = True
            propagate_back(track, t_s, frame, reversed(self._recent))
        track.detected_at = len(track.sightings) + 1

    def _missed(self, tracks: list[Track], scope: DetectionScope, new: Sequence[Candidate]) -> None:
        """Record misses of tracks, and end those that have gone or were replaced."""
        for track in tracks:
            if scope == DetectionScope.OBJECTS and track.was_read:
                continue
            good = track.visible and track.likeness >= SAME_APPEARANCE
            track.miss(doubtful=good)
            allowed = _MISSES if good and track.hits > 1 else _FEWER_MISSES
            replaced = is_text(track.candidate) and any(
                is_text(c) and c.box.iou(track.box) >= SETTINGS.replaced for c in new
            )
            if replaced or track.misses >= allowed["text" if is_text(track.candidate) else "object"]:
                self._end(track, replaced=replaced)

    def _is_part(self, candidate: Candidate) -> bool:
        """Tell whether a text is only a part of one that is there."""
        for track in self._active:
            inside = candidate.box.intersection(track.box) >= SETTINGS.part * candidate.box.area
            if inside and candidate_compatibility(track.candidate, track.type, candidate):
                similarity = text_similarity(normalized_text(track.chosen), normalized_text(candidate))
                if similarity is not None and similarity >= SETTINGS.part:
                    return True
        return False

    def _end(self, track: Track, *, replaced: bool = False) -> None:
        """End a track and drop the sightings that were only propagated after its last detection."""
        self._active.remove(track)
        if track.misses > 1 or (track.misses and (replaced or not track.visible)):
            track.sightings.keep_first(min(track.missed_at, max(track.detected_at, track.matched_at)))
        if len(track.sightings):
            track.trim_fade_in()
            self._ended.append(track)

    def _end_shot(self) -> None:
        for track in list(self._active):
            self._end(track)
        self._registry.register(self._ended)
        self._ended = []
        self._recent.clear()
        self._schedule.reset()
        self._frame = None
