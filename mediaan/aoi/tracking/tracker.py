"""Track the areas of a medium that moves: link detections in single frames over time."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from mediaan.aoi.tracking.appearance import GreyPyramid, appearance_descriptor, descriptor_similarity
from mediaan.aoi.tracking.association import (
    affinity,
    candidate_compatibility,
    is_lettering,
    is_text,
    match_greedily,
    normalized_text,
    text_similarity,
    was_read,
)
from mediaan.aoi.tracking.detection_schedule import DetectionSchedule, DetectionScope
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
from mediaan.types.arrays import Float32, UInt8

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
