"""Follow areas through a shot, and recognize in later shots what was seen before."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np
from rapidfuzz import fuzz

from mediaan.aoi.tracking.association import (
    DESCRIPTOR_LENGTH,
    candidate_compatibility,
    correlation,
    is_text,
    normalized_text,
    was_read,
)
from mediaan.types.aoi import AoiType, Box, Candidate, Point, Sighting
from mediaan.types.arrays import Float32

BOX_STEPS = 10_000
"""Boxes are kept to this fraction of each side: a tenth of a px of the frames that objects are detected in."""

HELD_STILL_S = 0.4
"""An image that is shown unchanged for so long needs no second detection; a scene that lasts so long and was looked at
only once is sampled that rarely."""

CLEARER = 1.25
"""Growth of contrast from which on text can be read better: it was still fading in."""

FAINT = 0.4
"""Share of its contrast under which lettering is hardly there."""


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """Thresholds by which a track is believed and an object recognized again."""

    rising: float = 1.02
    """Growth of contrast from sample to sample while a text fades in."""
    most_readings: int = 12
    """The last readings, which vote."""
    most_descriptors: int = 3
    """Descriptors that a track keeps."""
    sure: float = 0.8
    """Confidence from which on one detection is enough."""
    fairly_sure: float = 0.5
    """The same where there was one attempt only."""
    often: float = 0.45
    """Share of the detections that must have found an object."""
    glimpse_s: float = 0.3
    """Nobody reads what is gone sooner."""
    tick_s: float = 1e-06
    """Tolerance of times, s."""
    shortest: int = 3
    """Letters that tell a text from others."""
    stayed_iou: float = 0.6
    """IoU from which on what is set on top of a video stayed where it was through a cut."""
    stayed_correlation: float = 0.75
    """Correlation of its patch."""
    stayed_s: float = 0.6
    """Longest absence, s."""
    object_descriptors: int = 6
    """Descriptors that an object keeps."""


SETTINGS = TrackSettings()


RISES_S = 4.0
"""Lettering has faded in after so long."""

_NO_DESCRIPTORS = np.zeros((0, DESCRIPTOR_LENGTH), np.float32)


class ShotDetections:
    """Count of the detections in one shot until now.

    `read`, `seen`: times that text, and objects, were looked for.
    `t0_s`, `t1_s`: when the shot begins, and when its last sample until now ends.
    """

    def __init__(self, t0_s: float) -> None:
        self.read = self.seen = 0
        self.t0_s = self.t1_s = t0_s

    @property
    def seconds(self) -> float:
        """Duration until now."""
        return self.t1_s - self.t0_s


class Sightings:
    """Boxes of one object over time, in about 28 bytes a sample."""

    def __init__(self) -> None:
        self._t, self._end, self._confidence = array("d"), array("d"), array("f")
        self._sides = array("H")

    def __len__(self) -> int:
        return len(self._t)

    @property
    def t0_s(self) -> float:
        """Time of the first."""
        return self._t[0]

    @property
    def t1_s(self) -> float:
        """End of the last one's sample."""
        return self._end[-1]

    def t_s(self, at: int) -> float:
        """Return the time of one of them."""
        return self._t[at]

    def box(self, at: int) -> Box:
        """Return the box of one of them."""
        return Box(*(side / BOX_STEPS for side in self._sides[4 * at : 4 * at + 4]))

    def insert(self, at: int, t_s: float, end_s: float, box: Box, confidence: float) -> None:
        """Insert one before the one at `at`."""
        self._t.insert(at, t_s)
        self._end.insert(at, end_s)
        self._confidence.insert(at, confidence)
        self._sides[4 * at : 4 * at] = array("H", _sides(box))

    def append(self, t_s: float, end_s: float, box: Box, confidence: float) -> None:
        """Append one."""
        self.insert(len(self), t_s, end_s, box, confidence)

    def move(self, at: int, by: Box, share: float) -> None:
        """Move the sides of one of them by a share of `by`."""
        box = Box(*(side + share * step for side, step in zip(self.box(at), by, strict=True)))
        self._sides[4 * at : 4 * at + 4] = array("H", _sides(box))

    def keep_first(self, length: int) -> None:
        """Keep only so many."""
        del self._t[length:], self._end[length:], self._confidence[length:], self._sides[4 * length :]

    def drop_first(self, number: int) -> None:
        """Drop the first so many."""
        del self._t[:number], self._end[:number], self._confidence[:number], self._sides[: 4 * number]

    def rows(self) -> zip[tuple[float, tuple[int, ...], float]]:
        """Return time, sides in `BOX_STEPS` and confidence of each."""
        sides = iter(self._sides)
        return zip(self._t, zip(sides, sides, sides, sides, strict=True), self._confidence, strict=True)


class Track:
    """One object in one shot.

    `candidate`: as it was first found.
    `patch` (h, w) float32: its appearance.
    `scene`: of that shot, the detection that found it not counted yet.
    """

    def __init__(self, candidate: Candidate, shot: int, patch: Float32, scene: ShotDetections) -> None:
        self.shot, self.scene = shot, scene
        self.first_detection = not (scene.read if was_read(candidate) else scene.seen)
        self.box, self.patch = candidate.box, patch
        self.candidate = candidate  # as it was found last
        self.sightings = Sightings()
        self.descriptors = _NO_DESCRIPTORS  # of its appearance at first and lately
        self.velocity: Point | None = None  # of its centre, unit coordinates a second
        self.visible = True
        self.likeness = 1.0  # of its patch now and when it was last found
        self.last_visible_s = 0.0  # when it was last visible
        self.detected_s = 0.0  # when it was last found
        self.detected_contrast = float(patch.std())  # of its patch then
        self.contrasts: dict[float, float] = {}  # of lettering, by time, in its first seconds
        self.became_clearer = False  # it is much clearer than when it was last found
        self.held_still = False  # the image in which it was found stayed
        self.read_attempted = False  # text was looked for while it was there
        self.hits = self.attempts = self.misses = 0
        # how many sightings there were when it was last found, first missed since, and last looked as it should
        self.detected_at = self.missed_at = self.matched_at = 0
        self.votes: dict[AoiType, float] = {}
        self._best: dict[AoiType, Candidate] = {}
        self._contrast: dict[AoiType, float] = {}  # of the best
        self._readings: list[tuple[float, Candidate]] = []  # of text, with its contrast then

    @property
    def type(self) -> AoiType:
        """The type with the most confidence in total."""
        return max(self.votes, key=lambda aoi_type: (self.votes[aoi_type], aoi_type))

    @property
    def chosen(self) -> Candidate:
        """The most confident finding of its type; of a text that was read several times the reading that most agree on.

        Readings while it was fading in have no vote.
        """
        best = self._best[self.type]
        if not is_text(best):
            return best
        clearest = max((contrast for contrast, _ in self._readings), default=0.0)
        clear = [
            reading
            for contrast, reading in self._readings
            if reading.type == self.type and CLEARER * contrast >= clearest
        ]
        return most_agreed(clear, best)

    @property
    def was_read(self) -> bool:
        """True where finding it took text recognition, at least once."""
        return any(was_read(candidate) for candidate in self._best.values())

    @property
    def may_have_text(self) -> bool:
        """True for a mark whose text has not been read since it appeared."""
        return self.candidate.type == "branding" and not normalized_text(self.candidate) and not self.read_attempted

    @property
    def is_believable(self) -> bool:
        """True where it was found often enough, or there is no reason to doubt that it was found once.

        What was only seen, not read, must be found twice. Once is enough where there was no other: in a scene
        that stands still, which is an image, or in one so short that it is over, where the detector was sure.
        """
        confidence = max(candidate.confidence for candidate in self._best.values())
        if not self.was_read and all(candidate.method != "logo_picture" for candidate in self._best.values()):
            if self.hits >= 2:
                return self.hits >= SETTINGS.often * self.attempts
            lasted = self.scene.seconds >= HELD_STILL_S - SETTINGS.tick_s
            return self.held_still or (self.scene.seen == 1 and (lasted or confidence >= SETTINGS.sure))
        lasted_s = self.sightings.t1_s - self.sightings.t0_s
        if is_text(self.candidate) and lasted_s < SETTINGS.glimpse_s < self.scene.seconds:
            return False
        if (self.hits >= 2 and self.hits >= SETTINGS.often * self.attempts) or confidence >= SETTINGS.sure:
            return True
        return self.attempts == 1 and (self.first_detection or confidence >= SETTINGS.fairly_sure)

    def hit(self, candidate: Candidate, descriptor: Float32 | None, t_s: float, patch: Float32) -> None:
        """Record that it was found, when, and its appearance then."""
        contrast = float(patch.std())
        self.candidate, self.detected_s = candidate, t_s
        self.patch, self.detected_contrast, self.became_clearer = patch, contrast, False
        self.votes[candidate.type] = self.votes.get(candidate.type, 0.0) + max(candidate.confidence, 1e-3)
        best, before = self._best.get(candidate.type), self._contrast.get(candidate.type, 0.0)
        if best is None:
            is_better = True
        elif is_text(candidate) and is_text(best) and max(contrast, before) >= CLEARER * min(contrast, before):
            is_better = contrast > before  # text that had faded in
        else:  # what was read is worth more than what was only found
            read, read_before = bool(normalized_text(candidate)), bool(normalized_text(best))
            is_better = (read, candidate.confidence) > (read_before, best.confidence)
        if is_text(candidate) and normalized_text(candidate):
            self._readings = [*self._readings, (contrast, candidate)][-SETTINGS.most_readings :]
        if is_better:
            self._best[candidate.type] = candidate
            self._contrast[candidate.type] = contrast
        self.hits, self.attempts, self.misses = self.hits + 1, self.attempts + 1, 0
        if descriptor is not None:
            first, lately = self.descriptors[:1], self.descriptors[1:][2 - SETTINGS.most_descriptors :]
            self.descriptors = np.concatenate([first, lately, descriptor[None]])

    def miss(self, *, doubtful: bool) -> None:
        """Record that it was looked for and not found: `doubtful` if it looks as it did when it was."""
        if not self.misses:
            self.missed_at = len(self.sightings)
        self.misses, self.attempts = self.misses + 1, self.attempts + doubtful

    def trim_fade_in(self) -> None:
        """Drop the time in which lettering that faded in was hardly there.

        The contrast that it has at first is taken for that of its ground alone; variances of letters and ground add up.
        """
        seen = [self.contrasts[t_s] ** 2 for t_s, _, _ in self.sightings.rows() if t_s in self.contrasts]
        if not seen or max(seen) < CLEARER**2 * seen[0]:
            return
        faint = seen[0] + FAINT**2 * (max(seen) - seen[0])
        rising = (now < faint and later > SETTINGS.rising**2 * now for now, later in pairwise(seen))
        self.sightings.drop_first(sum(takewhile(bool, rising)))

    def release_appearance(self) -> None:
        """Release what it looked like: hours of video have many tracks."""
        self.contrasts = {}
        self.patch, self.descriptors = np.zeros((0, 0), np.float32), _NO_DESCRIPTORS

    def expected_shift(self, seconds: float) -> Point:
        """Return by how much it moves in so many seconds if it goes on as it did."""
        return (self.velocity[0] * seconds, self.velocity[1] * seconds) if self.velocity else (0.0, 0.0)

    def correct(self, t_s: float, by: Box) -> None:
        """Distribute the error of propagation over the sightings since the last detection."""
        since = max(1, self.detected_at)
        begin = self.sightings.t_s(since - 1) if len(self.sightings) else t_s
        for at in range(since, len(self.sightings)):
            self.sightings.move(at, by, (self.sightings.t_s(at) - begin) / max(t_s - begin, 1e-9))


def most_agreed(readings: Sequence[Candidate], best: Candidate) -> Candidate:
    """Choose the reading of a text that is most like all readings, by their confidence; of equal ones the surest.

    `readings`: with a transcription.
    `best`: what is chosen of fewer than three readings, which have no majority.
    """
    if len(readings) < 3:
        return best
    texts = [normalized_text(reading) for reading in readings]

    def support(at: int) -> float:
        others = zip(texts, readings, strict=True)
        return sum(reading.confidence * fuzz.ratio(texts[at], words) / 100 for words, reading in others)

    return readings[max(range(len(readings)), key=lambda at: (support(at), readings[at].confidence))]


def merge_sightings(tracks: list[Track], numbers: dict[float, float]) -> tuple[Sighting, ...]:
    """Merge the sightings of tracks that follow each other.

    `tracks`: in the order of time.
    `numbers`: numbers used so far: equal ones, and equal boxes, are shared, which halves what hours of video take.
    """
    made: list[Sighting] = []
    last: tuple[tuple[int, ...], Box] | None = None
    for track in tracks:
        for t_s, sides, confidence in track.sightings.rows():
            if last is None or last[0] != sides:
                last = sides, Box(*(numbers.setdefault(side / BOX_STEPS, side / BOX_STEPS) for side in sides))
            rounded = round(confidence, 4)
            made.append(Sighting(numbers.setdefault(t_s, t_s), last[1], numbers.setdefault(rounded, rounded)))
    return tuple(made)


def _sides(box: Box) -> list[int]:
    return [round(side * BOX_STEPS) for side in box.clipped()]


MIN_OBJECT_SIMILARITY = 0.86
"""Likeness from which on two faces, persons or products are taken to be the same.

Of faces in images of crowds that were turned, scaled, shifted and relit, 91 % have more; of pairs of faces in one
image, under the same light, 2.4 %; of pairs from different images none of 83,003."""

MIN_BRAND_SIMILARITY = 0.82
"""The same for marks of brands, which are simpler."""

MIN_TEXT_SIMILARITY = 0.85
"""Similarity from which on two texts are the same."""

MAX_REMEMBERED = 500
"""Objects that are re-identified when they come back: those seen last."""

_NAMED = frozenset({"brand_name", "logo_picture"})


class TrackedObject:
    """An object with all its tracks, no two at the same time.

    `track`: the first.
    """

    def __init__(self, track: Track) -> None:
        self.tracks = [track]
        self.chosen, self.text = track.chosen, normalized_text(track.chosen)
        self.patch: Float32 | None = track.patch
        self.descriptors = track.descriptors
        self._votes = dict(track.votes)

    @property
    def type(self) -> AoiType:
        """The type with the most confidence in total."""
        return max(self._votes, key=lambda aoi_type: (self._votes[aoi_type], aoi_type))

    def add(self, track: Track) -> None:
        """Add another track."""
        self.tracks.append(track)
        for aoi_type, vote in track.votes.items():
            self._votes[aoi_type] = self._votes.get(aoi_type, 0.0) + vote
        self.chosen = max(self.chosen, track.chosen, key=lambda c: (c.type == self.type, c.confidence))
        self.text = max(self.text, normalized_text(track.chosen), key=len)
        self.descriptors = np.concatenate([self.descriptors, track.descriptors])[-SETTINGS.object_descriptors :]
        self.patch = track.patch

    def release_appearance(self) -> None:
        """Free the descriptors and the patch."""
        self.descriptors = np.zeros((0, DESCRIPTOR_LENGTH), np.float32)

    def is_free(self, track: Track) -> bool:
        """Tell whether the object was nowhere else during a track."""
        first, last = track.sightings.t0_s + SETTINGS.tick_s, track.sightings.t1_s - SETTINGS.tick_s
        for other in reversed(self.tracks):
            if other.shot != track.shot:
                return True  # shots do not overlap
            if other.sightings.t0_s < last and first < other.sightings.t1_s:
                return False
        return True


class ObjectRegistry:
    """All objects of a medium.

    `objects`: in the order in which they were taken in.
    """

    def __init__(self) -> None:
        self.objects: list[TrackedObject] = []
        self._remembered: list[TrackedObject] = []  # the one seen last comes last

    def register(self, tracks: list[Track]) -> None:
        """Add the tracks of one shot to the objects they show again or, if believable, as new objects."""
        tracks = sorted(tracks, key=lambda track: (track.sightings.t0_s, track.type, track.sightings.box(0)))
        new: list[TrackedObject] = []
        for track in self._assign(tracks, self._remembered):
            if self._assign([track], new) and track.is_believable:
                new.append(TrackedObject(track))
        self.objects += new
        back = {id(track) for track in tracks}
        again = [tracked for tracked in self._remembered if id(tracked.tracks[-1]) in back]
        rest = [tracked for tracked in self._remembered if id(tracked.tracks[-1]) not in back]
        self._remembered = [*rest, *again, *new]
        while len(self._remembered) > MAX_REMEMBERED:
            self._remembered.pop(0).release_appearance()
        for tracked in rest:
            tracked.patch = None  # it did not stay
        for track in tracks:
            track.release_appearance()

    @staticmethod
    def _assign(tracks: list[Track], objects: list[TrackedObject]) -> list[Track]:
        """Assign tracks to the most similar objects; return those left over."""
        scores = [
            (score, row, column)
            for row, track in enumerate(tracks)
            for column, tracked in enumerate(objects)
            if (score := reid_similarity(tracked, track)) > 0
        ]
        taken: set[int] = set()
        for _, row, column in sorted(scores, key=lambda match: (-match[0], match[1], match[2])):
            if row not in taken and objects[column].is_free(tracks[row]):
                objects[column].add(tracks[row])
                taken.add(row)
        return [track for row, track in enumerate(tracks) if row not in taken]


def reid_similarity(tracked: TrackedObject, track: Track) -> float:
    """Return how surely a track shows an object again, 0-1; 0 where it is not sure enough.

    Words decide where there are any; a brand's name or logo image is a name too. All else goes by appearance, and so do
    marks that were read differently.
    """
    if not candidate_compatibility(tracked.chosen, tracked.type, track.chosen):
        return 0.0
    chosen, words = track.chosen, normalized_text(track.chosen)
    if chosen.method in _NAMED and tracked.chosen.method in _NAMED:
        return float(chosen.label.casefold() == tracked.chosen.label.casefold())
    if min(len(words), len(tracked.text)) >= SETTINGS.shortest:
        alike = fuzz.ratio(words, tracked.text) / 100
        if alike >= MIN_TEXT_SIMILARITY or "branding" not in (tracked.type, track.type):
            return alike if alike >= MIN_TEXT_SIMILARITY else 0.0
    least = MIN_BRAND_SIMILARITY if "branding" in (tracked.type, track.type) else MIN_OBJECT_SIMILARITY
    alike = float((tracked.descriptors @ track.descriptors.T).max(initial=0.0))
    if alike >= least:
        return alike
    # it may have stayed, where it was last seen when and where the track begins
    before = tracked.tracks[-1].sightings
    if tracked.patch is None or not 0 <= track.sightings.t0_s - before.t1_s + SETTINGS.tick_s <= SETTINGS.stayed_s:
        return 0.0
    same_place = before.box(len(before) - 1).iou(track.sightings.box(0)) >= SETTINGS.stayed_iou
    same_patch = tracked.patch.shape == track.patch.shape
    stayed = same_place and same_patch and correlation(tracked.patch, track.patch) >= SETTINGS.stayed_correlation
    return least if stayed else 0.0
