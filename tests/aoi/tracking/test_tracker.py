"""What a tracker makes of findings, on pictures that leave no doubt about what is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.tracking import track as tracks
from mediaan.aoi.tracking.track import ShotDetections, Sightings, Track, merge_sightings
from mediaan.aoi.tracking.tracker import DetectionScope, Tracker
from mediaan.types.aoi import Aoi, AoiLevel, AoiType, Box, Candidate, TextFacts

MEDIUM = UUID(int=3)
LEFT, RIGHT = Box(0.1, 0.2, 0.35, 0.6), Box(0.6, 0.2, 0.85, 0.6)


def noise(seed: int) -> np.ndarray:
    """A picture with something to follow everywhere."""
    coarse = np.random.default_rng(seed).integers(0, 255, (18, 32, 3), dtype=np.uint8)
    return np.repeat(np.repeat(coarse, 10, axis=0), 10, axis=1)


def found(kind: AoiType, box: Box, confidence: float = 0.7, said: str | None = None, label: str = "") -> Candidate:
    text = TextFacts(said, 10.0, None, None) if said is not None else None
    return Candidate(kind, label or said or kind, box, confidence, "text" if text else "detector", text=text)


def linked(
    samples: Sequence[tuple[np.ndarray, Sequence[Candidate] | None]],
    shots: Sequence[int] | None = None,
    scope: DetectionScope = DetectionScope.ALL,
    medium: UUID = MEDIUM,
) -> tuple[Aoi, ...]:
    """Link findings in samples, five a second, whatever the tracker wants."""
    tracker, before = Tracker(medium), None
    for at, (frame, candidates) in enumerate(samples):
        fresh = before is None or frame is not before
        tracker.add(at / 5, 0.2, shots[at] if shots else 0, fresh, frame, candidates, scope=scope)
        before = frame
    return tracker.aois()


def test_a_track_is_what_it_was_found_to_be_with_most_confidence() -> None:
    frame = noise(0)
    roles: list[tuple[AoiType, float]] = [("body_text", 0.6), ("headline_text", 0.9), ("headline_text", 0.8)]
    (aoi,) = linked([(frame, [found(role, LEFT, confidence, "Big news")]) for role, confidence in roles])
    assert (aoi.type, aoi.label, aoi.confidence) == ("headline_text", "Big news", 0.9)
    assert aoi.text == TextFacts("Big news", 10.0, None, None)
    assert [round(s.confidence, 3) for s in aoi.track] == [0.6, 0.9, 0.8]


def test_what_was_read_names_a_track_that_was_mostly_only_found() -> None:
    frame = noise(0)
    mark = found("branding", LEFT, 0.6, "Acme")
    (aoi,) = linked([(frame, [replace(mark, label="", text=None, method="detector", confidence=0.9)]), (frame, [mark])])
    assert (aoi.label, aoi.method) == ("Acme", "text")


def test_two_alike_at_once_are_two() -> None:
    frame = noise(0)
    frame[36:108, 192:272] = frame[36:108, 32:112]
    aois = linked([(frame, [found("product", LEFT), found("product", RIGHT)])] * 4)
    assert [aoi.box for aoi in aois] == [LEFT, RIGHT]
    assert [len(aoi.track) for aoi in aois] == [4, 4]


def test_types_that_cannot_be_one_thing_are_two() -> None:
    frame = noise(0)
    aois = linked([(frame, [found("face", LEFT)]), (frame, [found("person", LEFT)])] * 2)
    assert {aoi.type for aoi in aois} == {"face", "person"}


def test_other_words_at_the_same_place_are_another_text() -> None:
    frame = noise(0)
    says = ["Save forty", "Save forty", "Every Monday", "Every Monday"]
    aois = linked([(frame, [found("headline_text", LEFT, said=said)]) for said in says])
    assert [aoi.label for aoi in aois] == ["Save forty", "Every Monday"]


@pytest.mark.parametrize("said", ["Sumner Sale", "SUMMER  sale", "Summer Sal"])
def test_a_slip_of_the_reader_makes_no_other_text(said: str) -> None:
    one, other = (found("headline_text", LEFT, 0.7, text) for text in ("Summer Sale", said))
    frame = noise(0)
    assert len(linked([(frame, [one]), (frame, [other]), (frame, [one])])) == 1
    assert len(linked([(noise(0), [one]), (noise(1), [other])], shots=[0, 1])) == 1, "nor after a cut"


def test_text_is_not_missed_where_it_was_not_looked_for() -> None:
    frame = noise(0)
    samples = [(frame, [found("body_text", LEFT, said="Ask your doctor")]), *[(frame, [])] * 9]
    (aoi,) = linked(samples, scope=DetectionScope.OBJECTS)
    assert len(aoi.track) == 10
    assert linked(samples, scope=DetectionScope.ALL) == (), "looked for in vain in the same picture again and again"


def test_a_single_doubtful_finding_is_believed_only_if_nothing_speaks_against_it() -> None:
    frame, thing = noise(0), found("product", LEFT, 0.4)
    assert len(linked([(frame, [thing]), *[(frame, None)] * 5])) == 1, "the only look: as in a picture"
    assert linked([(frame, [thing]), *[(frame, [])] * 5]) == (), "found once, missed often"
    assert linked([(frame, []), (frame, []), (frame, [thing])]) == (), "came late, and was found once"
    assert len(linked([(frame, []), (frame, [thing]), (frame, [thing])])) == 1


def test_a_track_ends_where_it_was_missed_first() -> None:
    frame, thing = noise(0), found("product", LEFT)
    (aoi,) = linked([*[(frame, [thing])] * 5, *[(frame, [])] * 10])
    assert (aoi.t0_s, aoi.t1_s) == (0.0, 1.0)


def test_brands_are_the_same_by_name_and_others_by_words() -> None:
    acme, other = (replace(found("branding", LEFT, label=name), method="brand_name") for name in ("Acme", "Zenith"))
    frames = [noise(seed) for seed in range(3)]
    aois = linked([(frames[0], [acme]), (frames[1], [other]), (frames[2], [acme])], shots=[0, 1, 2])
    assert [(aoi.label, [s.t_s for s in aoi.track]) for aoi in aois] == [("Acme", [0.0, 0.4]), ("Zenith", [0.2])]


def test_generic_labels_are_no_names() -> None:
    samples = [(noise(seed), [found("product", LEFT, 0.9, label="bottle")]) for seed in range(2)]
    assert len(linked(samples, shots=[0, 1])) == 2


def test_a_new_shot_looks_for_everything_and_a_still_one_for_nothing_more() -> None:
    tracker = Tracker(MEDIUM)
    wanted = []
    for at in range(10):
        frame = noise(at // 5)
        wanted.append(tracker.due(at / 5, at // 5, at % 5 == 0, frame))
        tracker.add(at / 5, 0.2, at // 5, at % 5 == 0, frame, [] if wanted[-1] else None, scope=wanted[-1])
    assert wanted == [DetectionScope.ALL, *[DetectionScope.NOTHING] * 4] * 2


@pytest.mark.parametrize(
    ("level", "allowed"),
    [
        ("none", {DetectionScope.NOTHING}),
        ("text", {DetectionScope.NOTHING, DetectionScope.ALL}),
        ("objects", {DetectionScope.NOTHING, DetectionScope.OBJECTS}),
        ("all", {DetectionScope.NOTHING, DetectionScope.OBJECTS, DetectionScope.ALL}),
    ],
)
def test_only_what_is_to_be_looked_for_is_wanted(level: AoiLevel, allowed: set[DetectionScope]) -> None:
    tracker, wanted = Tracker(MEDIUM, level=level), set()
    for at in range(20):
        frame = np.roll(noise(0), 3 * at, axis=1)
        want = tracker.due(at / 5, 0, True, frame)
        tracker.add(at / 5, 0.2, 0, True, frame, [] if want else None, scope=want)
        wanted.add(want)
    assert wanted == allowed


def test_ids_depend_on_the_medium_and_the_order() -> None:
    samples = [(noise(0), [found("product", LEFT), found("face", RIGHT)])] * 2
    one, other = linked(samples), linked(samples, medium=UUID(int=4))
    assert linked(samples) == one
    assert not {aoi.aoi_id for aoi in one} & {aoi.aoi_id for aoi in other}


def test_nothing_found_is_no_aoi() -> None:
    assert Tracker(MEDIUM).aois() == ()
    assert linked([(np.zeros((90, 160, 3), np.uint8), [])] * 3) == ()


def test_black_is_not_looked_at() -> None:
    assert Tracker(MEDIUM).due(0.0, 0, True, np.zeros((90, 160, 3), np.uint8)) == DetectionScope.NOTHING


def track(boxes: Sequence[Box]) -> Track:
    made = Track(found("product", LEFT), 0, np.zeros((8, 8), np.float32), ShotDetections(0.0))
    for at, box in enumerate(boxes):
        made.sightings.append(at / 5, (at + 1) / 5, box, 0.5)
    return made


def test_the_error_of_following_is_spread_over_the_time_since_the_last_finding() -> None:
    followed = track([LEFT] * 4)
    followed.detected_at = 1
    followed.correct(0.8, Box(0.04, 0.0, 0.04, 0.0))
    assert [round(s.box.x0, 4) for s in merge_sightings([followed], {})] == [0.1, 0.11, 0.12, 0.13]


def test_hours_take_little_memory() -> None:
    """Ten things at all times for two hours at five samples a second are 360,000 sightings: under 100 MB."""
    kept = Sightings()
    for at in range(1000):
        kept.append(at / 5, at / 5 + 0.2, LEFT, 0.5)
    inside = sum(len(column) * column.itemsize for column in (kept._t, kept._end, kept._sides, kept._confidence))
    assert inside / len(kept) * 360_000 < 15e6
    one, other = (track([LEFT] * 3 + [RIGHT]) for _ in range(2))
    numbers: dict[float, float] = {}
    first, second = (merge_sightings([made], numbers) for made in (one, other))
    assert first == second
    assert first[0].box is first[1].box
    assert all(a.t_s is b.t_s and a.box.x0 is b.box.x0 for a, b in zip(first, second, strict=True))


def test_what_was_seen_long_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cast of thousands: those seen last are recognised, and nothing of the others' looks is kept."""
    monkeypatch.setattr(tracks, "MAX_REMEMBERED", 2)
    order = [0, 1, 2, 1, 0]
    samples = [(noise(seed), [found("face", LEFT, 0.9)]) for seed in order]
    aois = linked(samples, shots=list(range(len(order))))
    assert [[s.t_s for s in aoi.track] for aoi in aois] == [[0.0], [0.2, 0.6], [0.4], [0.8]]
