"""Who is who: what was seen before and is there again, after a cut or an absence, is the same thing."""

from __future__ import annotations

from rapidfuzz import fuzz

from mediaan.aoi.affinity import kinship, words
from mediaan.aoi.appearance import correlation, likeness
from mediaan.aoi.track import Track
from mediaan.types.aoi import AoiType, Candidate
from mediaan.types.arrays import Float32

SAME_LOOKS = 0.86
"""Likeness from which on two faces, persons, products or marks are taken to be the same."""

SAME_WORDS = 0.85
"""Similarity from which on two texts are the same."""

_SHORTEST = 3  # letters that tell a text from others
_STAYED_IOU, _STAYED_LOOKS, _STAYED_S = 0.6, 0.75, 0.6  # what is set on top of pictures stays where it was through cuts
_MOST_DESCRIPTORS = 6
_NAMED = frozenset({"brand_name", "logo_picture"})
_TICK_S = 1e-6


class Thing:
    """Something with all its tracks, no two at the same time."""

    def __init__(self, track: Track) -> None:
        self.tracks = [track]
        self.descriptors: list[Float32] = list(track.descriptors)
        self.said = words(track.chosen)
        self.type = track.type

    @property
    def chosen(self) -> Candidate:
        """The most confident finding of its type."""
        of_type = [track.chosen for track in self.tracks if track.type == self.type]
        return max(of_type or [track.chosen for track in self.tracks], key=lambda found: found.confidence)

    def is_free(self, track: Track) -> bool:
        """Whether it was nowhere else while a track lasted."""
        first, last = track.sightings.t0_s + _TICK_S, track.sightings.t1_s - _TICK_S
        for other in reversed(self.tracks):
            if other.shot != track.shot:
                return True  # shots do not overlap
            if other.sightings.t0_s < last and first < other.sightings.t1_s:
                return False
        return True

    def add(self, track: Track) -> None:
        """Take in another track."""
        self.tracks.append(track)
        self.descriptors = (self.descriptors[:1] + self.descriptors[1:] + track.descriptors)[-_MOST_DESCRIPTORS:]
        votes: dict[AoiType, float] = {}
        for one in self.tracks[-50:]:
            for kind, vote in one.votes.items():
                votes[kind] = votes.get(kind, 0.0) + vote
        self.type = max(votes, key=lambda kind: (votes[kind], kind))
        if len(words(track.chosen)) > len(self.said):
            self.said = words(track.chosen)


class Cast:
    """All things of a medium."""

    def __init__(self) -> None:
        self.things: list[Thing] = []

    def take(self, tracks: list[Track]) -> None:
        """Add the tracks of one shot: to the things that they show again or, if they can be believed, as new things."""
        tracks = sorted(tracks, key=lambda track: (track.sightings.t0_s, track.type, track.sightings.box(0)))
        left = self._link(tracks, self.things)
        known = len(self.things)
        for track in left:
            if self._link([track], self.things[known:]) and track.is_believable:
                self.things.append(Thing(track))

    @staticmethod
    def _link(tracks: list[Track], things: list[Thing]) -> list[Track]:
        """Give tracks to the things that they are likest to; what is left over."""
        scores = [
            (score, row, column)
            for row, track in enumerate(tracks)
            for column, thing in enumerate(things)
            if (score := sameness(thing, track)) > 0
        ]
        taken: set[int] = set()
        for _, row, column in sorted(scores, key=lambda found: (-found[0], found[1], found[2])):
            if row not in taken and things[column].is_free(tracks[row]):
                things[column].add(tracks[row])
                taken.add(row)
        return [track for row, track in enumerate(tracks) if row not in taken]


def sameness(thing: Thing, track: Track) -> float:
    """How surely a track shows a thing again, 0-1; 0 where it is not sure enough.

    Words decide where there are any; a brand's name or logo picture is a name too. All else goes by looks.
    """
    if not kinship(thing.type, track.type):
        return 0.0
    chosen, said = thing.chosen, words(track.chosen)
    if chosen.method in _NAMED and track.chosen.method in _NAMED:
        return 1.0 if chosen.label.casefold() == track.chosen.label.casefold() else 0.0
    if min(len(said), len(thing.said)) >= _SHORTEST:
        alike = fuzz.ratio(said, thing.said) / 100
        return alike if alike >= SAME_WORDS else 0.0
    alike = max((likeness(one, other) for one in thing.descriptors for other in track.descriptors), default=0.0)
    if alike >= SAME_LOOKS:
        return alike
    return SAME_LOOKS if _stayed(thing.tracks[-1], track) else 0.0


def _stayed(before: Track, now: Track) -> bool:
    """Whether one track ends where another begins."""
    if not 0 <= now.sightings.t0_s - before.sightings.t1_s + _TICK_S <= _STAYED_S:
        return False
    if before.sightings.box(len(before.sightings) - 1).iou(now.sightings.box(0)) < _STAYED_IOU:
        return False
    return before.patch.shape == now.patch.shape and correlation(before.patch, now.patch) >= _STAYED_LOOKS
