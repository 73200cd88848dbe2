"""Take tracks along from sample to sample: follow, tell whether it is still the same thing, search, trace back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mediaan.aoi.affinity import is_lettering
from mediaan.aoi.appearance import Grey, correlation, patch_shape, search, strokes
from mediaan.aoi.follow import Target, follow
from mediaan.aoi.track import CLEARER, RISES_S, Track
from mediaan.types.aoi import Box, Candidate
from mediaan.types.arrays import Float32

LOOKS_RIGHT = 0.6
"""Correlation with its patch from which on a thing looks as it did when it was last found."""

_THERE, _OVERLAY_THERE = 0.45, 0.3  # correlation under which it is lost; through letters one sees what moves
_FOUND_AGAIN, _TEXT_FOUND_AGAIN = 0.75, 0.6  # correlation from which on a search has found it
_TEXT_JUST_LOST = 0.5  # the same for text that was there a sample ago
_BEFORE, _TEXT_BEFORE = 0.6, 0.75  # correlation from which on it was there before it was found
_FADING_IN, _STRONGER = 0.85, 1.1  # correlation, and growth of contrast, of text that was found while it faded in
_ZOOMED = 0.01  # by how much better letters must fit for their box to change its size
_NEARBY = 0.1  # by how much better they must fit at a place nearby
_FADED = 0.35  # share of its contrast under which it has gone
_IN_FRAME = 0.35  # share of its area under which it has left
_RIVALS = 0.7  # overlap that two things of a type cannot have


@dataclass(frozen=True, slots=True)
class Moment:
    """A sample: when it comes on display, when the next one does, s, and what it shows."""

    t_s: float
    end_s: float
    frame: Grey


def advance(tracks: Sequence[Track], before: Grey, now: Grey, seconds: float) -> None:
    """Follow tracks from one sample to the next; those that are lost go on as they moved, and are searched there."""
    seen = [track for track in tracks if track.visible]
    lost = [track for track in tracks if not track.visible]
    moves = follow(before, now, [Target(t.box, t.ahead(seconds), is_overlay(t)) for t in seen])
    for track, box in zip(seen, moves, strict=True):
        _place(track, box, now, seconds)
    for track in lost:
        track.box = _shifted(track.box, *track.ahead(seconds))
        _search(track, now)
    for one, other in _rivals([track for track in tracks if track.visible]):
        min(one, other, key=lambda track: (track.likeness, track.hits)).visible = False


def trace_back(track: Track, t_s: float, frame: Grey, recent: Iterable[Moment]) -> None:
    """Add the sightings of something, found now, since it came into sight or was last seen.

    Parameters
    ----------
    track : Track
    t_s : float
    frame : Grey
        The sample in which it was found.
    recent : iterable of Moment
        Those before, the latest first.
    """
    box, at = track.box, len(track.sightings)
    since_s = track.sightings.t_s(at - 1) if at else float("-inf")
    least = _TEXT_BEFORE if is_lettering(track.candidate) else _BEFORE
    for moment in recent:
        if moment.t_s <= since_s:
            return
        if moment.frame is not frame:
            (back,) = follow(frame, moment.frame, [Target(box, track.ahead(moment.t_s - t_s), is_overlay(track))])
            back = _zoomed(track, moment.frame, box, back) if back is not None else None
            if back is None or _likeness(track, moment.frame, back) < least or _has_left(back):
                return
            if track.velocity is None:
                track.velocity = _velocity(back, box, t_s - moment.t_s)
            frame, box = moment.frame, back
        t_s = moment.t_s
        track.sightings.put(at, t_s, moment.end_s, box, track.candidate.confidence)
        note_contrast(track, t_s, frame, box)


def has_left(track: Track) -> bool:
    """Whether most of it is outside the frame."""
    return _has_left(track.box)


def is_overlay(track: Track) -> bool:
    """Whether it may be set on top of what is filmed."""
    return is_lettering(track.candidate) or track.candidate.type == "branding"


def patch_of(candidate: Candidate, frame: Grey, box: Box, shape: tuple[int, ...] | None = None) -> Float32:
    """What there is in a box, of lettering only the letters; (rows, columns) float32, as `patch_shape` has it."""
    rows, columns = shape or patch_shape(box, frame.size)
    cells = frame.sample(box, rows, columns)
    return strokes(cells) if is_lettering(candidate) else cells


def note_contrast(track: Track, t_s: float, frame: Grey, box: Box) -> None:
    """Note how clear lettering is, while it may still fade in."""
    if is_lettering(track.candidate) and t_s - track.sightings.t0_s <= RISES_S:
        track.contrasts[t_s] = float(patch_of(track.candidate, frame, box, track.patch.shape).std())


def _place(track: Track, box: Box | None, now: Grey, seconds: float) -> None:
    """Put a track where it was followed to, if it looks there as it did."""
    old = track.box
    box = _zoomed(track, now, old, box) if box is not None else None
    track.likeness = 0.0 if box is None else _likeness(track, now, box)
    if box is not None and track.likeness >= (_OVERLAY_THERE if is_overlay(track) else _THERE):
        track.box = box
        if is_lettering(track.candidate) and track.likeness < LOOKS_RIGHT:
            _, near = search(now, box, track.patch, fine=True)  # it may have been followed to a place beside it
            fits = _likeness(track, now, near)
            if fits > track.likeness + _NEARBY:
                track.box, track.likeness = near, fits
        _refresh(track, now)
    else:
        track.box, track.visible = _shifted(old, *track.ahead(seconds)), False
        _search(track, now, just_lost=True)
    if track.visible:
        step = _velocity(old, track.box, seconds)
        last = track.velocity or step
        track.velocity = (last[0] + step[0]) / 2, (last[1] + step[1]) / 2


def _zoomed(track: Track, frame: Grey, old: Box, new: Box) -> Box:
    """Where something was followed to; lettering keeps its size unless its letters fit the new one better.

    What moves behind letters, seen between them, would otherwise make their box grow.
    """
    if not is_lettering(track.candidate) or (new.width, new.height) == (old.width, old.height):
        return new
    (x, y), half_x, half_y = new.centre, old.width / 2, old.height / 2
    kept = Box(x - half_x, y - half_y, x + half_x, y + half_y)
    fits = _likeness(track, frame, new)
    return new if fits >= LOOKS_RIGHT and fits > _likeness(track, frame, kept) + _ZOOMED else kept


def _refresh(track: Track, now: Grey) -> None:
    """Of text that was still fading in when it was found, remember how it looks when it is fully there."""
    if is_lettering(track.candidate) and track.likeness >= _FADING_IN:
        patch = patch_of(track.candidate, now, track.box, track.patch.shape)
        if float(patch.std()) > _STRONGER * float(track.patch.std()):
            track.patch = patch
            track.risen = float(patch.std()) > CLEARER * track.read_contrast


def _search(track: Track, now: Grey, *, just_lost: bool = False) -> None:
    """Look for something that was lost near where it should be; where that was just now, its place is known well."""
    text = is_lettering(track.candidate)
    least = (_TEXT_JUST_LOST if just_lost else _TEXT_FOUND_AGAIN) if text else _FOUND_AGAIN
    score, box = search(now, track.box, track.patch, fine=text)
    if score >= least and _likeness(track, now, box) >= min(least, LOOKS_RIGHT):
        track.box, track.visible, track.likeness = box, True, score


def _likeness(track: Track, frame: Grey, box: Box) -> float:
    """How much something in a box looks as the track did when it was last found, -1 to 1; 0 where it has faded."""
    now = patch_of(track.candidate, frame, box, track.patch.shape)
    return correlation(track.patch, now) if float(now.std()) >= _FADED * float(track.patch.std()) else 0.0


def _has_left(box: Box) -> bool:
    return box.clipped().area < _IN_FRAME * box.area


def _shifted(box: Box, x: float, y: float) -> Box:
    return Box(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y)


def _velocity(old: Box, new: Box, seconds: float) -> tuple[float, float]:
    (x, y), (old_x, old_y) = new.centre, old.centre
    return (x - old_x) / seconds, (y - old_y) / seconds


def _rivals(tracks: Sequence[Track]) -> list[tuple[Track, Track]]:
    """Tracks of one type that have come to lie on each other."""
    return [
        (one, other)
        for at, one in enumerate(tracks)
        for other in tracks[at + 1 :]
        if one.type == other.type and one.box.iou(other.box) >= _RIVALS
    ]
