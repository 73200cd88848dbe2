"""Objects in films count once a second look has found them."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import numpy as np
import pytest
from moving_scenes import camera, photo

from mediaan.aoi.tracking.detection_schedule import DetectionScope
from mediaan.aoi.tracking.tracker import Tracker
from mediaan.types.aoi import Aoi, AoiMethod, AoiType, Box, Candidate

PLACE = Box(0.3, 0.2, 0.6, 0.7)


def pan(at: int) -> np.ndarray:
    """A camera that moves slowly over a photo."""
    frame, _ = camera(photo("rocket"), 0.4 + 0.005 * at, 0.5, 0.7)
    return frame


def thing(
    kind: AoiType = "person", confidence: float = 0.6, label: str = "", method: AoiMethod = "detector"
) -> Candidate:
    return Candidate(kind, label, PLACE, confidence, method)


def watched(found: Mapping[int, Candidate], samples: int, rate: float = 5.0) -> tuple[tuple[Aoi, ...], list[int]]:
    """Follow a film in which a detector finds something at some of its looks, by number."""
    tracker, looks = Tracker(UUID(int=9)), list[int]()
    for at in range(samples):
        wanted = tracker.due(at / rate, 0, True, pan(at))
        candidates = None
        if wanted != DetectionScope.NOTHING:
            candidates = [found[len(looks)]] if len(looks) in found else []
            looks.append(at)
        tracker.add(at / rate, 1 / rate, 0, True, pan(at), candidates, scope=wanted)
    return tracker.aois(), looks


@pytest.mark.parametrize("kind", ["person", "face", "product", "branding"])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_what_one_look_of_several_found_is_no_area(kind: AoiType, confidence: float) -> None:
    aois, looks = watched({0: thing(kind, confidence)}, 15)
    assert len(looks) >= 3
    assert aois == ()


def test_two_looks_confirm() -> None:
    aois, looks = watched({0: thing(), 1: thing()}, 3)
    assert looks[:2] == [0, 1], "the second look comes at once, for the scene may be short"
    assert [(aoi.type, aoi.t0_s) for aoi in aois] == [("person", 0.0)]


def test_what_comes_later_is_confirmed_at_the_usual_rate() -> None:
    aois, looks = watched({2: thing(), 3: thing()}, 12)
    assert len(aois) == 1
    assert min(np.diff(looks[1:])) >= 2


@pytest.mark.parametrize(("confidence", "areas"), [(0.6, 0), (0.85, 1)])
def test_a_scene_with_time_for_one_look_takes_what_is_sure(confidence: float, areas: int) -> None:
    aois, looks = watched({0: thing(confidence=confidence)}, 1)
    assert looks == [0]
    assert len(aois) == areas


def test_a_sample_that_stands_for_a_second_is_judged_as_a_picture() -> None:
    aois, looks = watched({0: thing(confidence=0.4)}, 1, rate=1.0)
    assert looks == [0]
    assert len(aois) == 1


def test_marks_that_say_a_name_need_no_second_look() -> None:
    for mark in (thing("branding", 0.9, "Acme", "word_mark"), thing("branding", 0.9, "Acme", "logo_picture")):
        aois, _ = watched({0: mark}, 15)
        assert [aoi.label for aoi in aois] == ["Acme"]


def test_a_mark_without_words_is_read_at_once() -> None:
    """The detector sees a logo in between two looks for text."""
    tracker, wanted = Tracker(UUID(int=9)), list[DetectionScope]()
    for at in range(12):
        wanted.append(tracker.due(at / 5, 0, True, pan(at)))
        found = [thing("branding")] if at >= 4 and wanted[-1] else []
        tracker.add(at / 5, 0.2, 0, True, pan(at), found if wanted[-1] else None, scope=wanted[-1])
    seen = next(at for at in range(4, 12) if wanted[at])
    assert wanted[seen] == DetectionScope.OBJECTS
    assert DetectionScope.ALL in wanted[seen + 1 : seen + 3]
