"""Re-identify objects: what is there again after a cut or an absence is the same object."""

from __future__ import annotations

import numpy as np
from rapidfuzz import fuzz

from mediaan.aoi.tracking.appearance import DESCRIPTOR_LENGTH, correlation
from mediaan.aoi.tracking.association import candidate_compatibility, normalized_text
from mediaan.aoi.tracking.track import Track
from mediaan.types.aoi import AoiType
from mediaan.types.arrays import Float32

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

_SHORTEST = 3  # letters that tell a text from others
_STAYED_IOU, _STAYED_CORRELATION, _STAYED_S = (
    0.6,
    0.75,
    0.6,
)  # what is set on top of a video stays where it was through cuts
_MOST_DESCRIPTORS = 6
_NAMED = frozenset({"brand_name", "logo_picture"})
_TICK_S = 1e-6


class TrackedObject:
    """An object with all its tracks, no two at the same time.

    Parameters
    ----------
    track : Track
        The first.
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
        self.descriptors = np.concatenate([self.descriptors, track.descriptors])[-_MOST_DESCRIPTORS:]
        self.patch = track.patch

    def release_appearance(self) -> None:
        """Release what it looks like."""
        self.descriptors = np.zeros((0, DESCRIPTOR_LENGTH), np.float32)

    def is_free(self, track: Track) -> bool:
        """Tell whether it was nowhere else while a track lasted."""
        first, last = track.sightings.t0_s + _TICK_S, track.sightings.t1_s - _TICK_S
        for other in reversed(self.tracks):
            if other.shot != track.shot:
                return True  # shots do not overlap
            if other.sightings.t0_s < last and first < other.sightings.t1_s:
                return False
        return True


class ObjectRegistry:
    """All objects of a medium.

    Attributes
    ----------
    objects : list of TrackedObject
        In the order in which they were taken in.
    """

    def __init__(self) -> None:
        self.objects: list[TrackedObject] = []
        self._remembered: list[TrackedObject] = []  # the one seen last comes last

    def register(self, tracks: list[Track]) -> None:
        """Add the tracks of one shot: to objects that they show again or, if they can be believed, as new objects."""
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
        """Assign tracks to the objects that they are likest to; return what is left over."""
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
    if min(len(words), len(tracked.text)) >= _SHORTEST:
        alike = fuzz.ratio(words, tracked.text) / 100
        if alike >= MIN_TEXT_SIMILARITY or "branding" not in (tracked.type, track.type):
            return alike if alike >= MIN_TEXT_SIMILARITY else 0.0
    least = MIN_BRAND_SIMILARITY if "branding" in (tracked.type, track.type) else MIN_OBJECT_SIMILARITY
    alike = float((tracked.descriptors @ track.descriptors.T).max(initial=0.0))
    if alike >= least:
        return alike
    # it may have stayed, where it was last seen when and where the track begins
    before = tracked.tracks[-1].sightings
    if tracked.patch is None or not 0 <= track.sightings.t0_s - before.t1_s + _TICK_S <= _STAYED_S:
        return 0.0
    same_place = before.box(len(before) - 1).iou(track.sightings.box(0)) >= _STAYED_IOU
    same_patch = tracked.patch.shape == track.patch.shape
    stayed = same_place and same_patch and correlation(tracked.patch, track.patch) >= _STAYED_CORRELATION
    return least if stayed else 0.0
