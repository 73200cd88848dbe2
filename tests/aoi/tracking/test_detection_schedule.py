"""When detectors are run again, and objects that count once a second look has found them."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import numpy as np
import pytest
from moving_scenes import HEIGHT, WIDTH, camera, photo, write

from mediaan.aoi.tracking.association import GreyPyramid
from mediaan.aoi.tracking.tracker import MOVING_TEXT_EVERY_S, DetectionSchedule, DetectionScope, Tracker
from mediaan.types.aoi import Aoi, AoiMethod, AoiType, Box, Candidate

GROUND, _ = camera(photo("coffee"), 0.5, 0.5, 0.9)


def run(frames: list[np.ndarray], *, found_text: bool = False, text: bool = True) -> list[DetectionScope]:
    """What is wanted of frames, five a second, by one that looks at once for what is wanted."""
    schedule, wanted = DetectionSchedule(), []
    for at, frame in enumerate(frames):
        schedule.observe(GreyPyramid(np.clip(frame, 0, 255).astype(np.uint8), 512))
        wanted.append(schedule.due(at / 5, [], text=text, kinetic=False, doubtful=False))
        schedule.record(at / 5, wanted[-1], new_text=found_text)
    return wanted


def test_a_still_picture_is_looked_at_once_whatever_the_noise() -> None:
    rng = np.random.default_rng(0)
    frames = [GROUND + rng.normal(0, 3, GROUND.shape) for _ in range(25)]
    assert run(frames) == [DetectionScope.ALL, *[DetectionScope.NOTHING] * 24]


@pytest.mark.parametrize("size", [0.5, 0.8, 1.5])
def test_a_title_is_read_once_it_rests(size: float) -> None:
    titled, _ = write(GROUND, "Fresh every day", (20, 60), size)
    wanted = run([GROUND] * 5 + [titled] * 10)
    assert [at for at, want in enumerate(wanted) if want == DetectionScope.ALL] == [0, 6]


def test_a_title_is_read_over_a_picture_that_moves() -> None:
    frames = [camera(photo("rocket"), 0.3 + 0.01 * at, 0.5, 0.5)[0] for at in range(30)]
    frames[15:] = [write(frame, "Summer Sale", (60, 120), 1.2)[0] for frame in frames[15:]]
    wanted = run(frames)
    assert any(want == DetectionScope.ALL for want in wanted[15:19])


def test_a_title_that_was_looked_at_while_it_faded_in_is_looked_at_again() -> None:
    alphas = np.interp(np.arange(20), [5, 9], [0, 1])
    frames = [write(np.zeros((HEIGHT, WIDTH, 3)) + 30, "Good morning", (40, 100), 1.0, alpha)[0] for alpha in alphas]
    wanted = run(frames)
    assert DetectionScope.ALL in wanted[8:12], "when it can be read well"


def test_a_moving_camera_calls_for_text_every_other_second() -> None:
    frames = [camera(photo("hubble"), 0.2 + 0.008 * at, 0.5, 0.4)[0] for at in range(70)]
    at = [i / 5 for i, want in enumerate(run(frames)) if want == DetectionScope.ALL]
    np.testing.assert_allclose(np.diff(at), MOVING_TEXT_EVERY_S, atol=0.21)


def test_objects_are_looked_for_every_other_sample_while_things_move() -> None:
    frames = [camera(photo("hubble"), 0.2 + 0.008 * at, 0.5, 0.4)[0] for at in range(21)]
    assert [at for at, want in enumerate(run(frames, text=False)) if want] == list(range(0, 21, 2))


def test_a_picture_out_of_black_is_looked_at_when_it_is_there() -> None:
    frames = [GROUND * share for share in (0, 0, 0.02, 0.5, 1, 1, 1)]
    wanted = run(frames)
    assert wanted[:3] == [DetectionScope.NOTHING] * 3
    assert DetectionScope.ALL in wanted[3:5]


def test_held_frames_settle_what_has_come_up() -> None:
    titled, _ = write(GROUND, "Fresh every day", (20, 60), 1.0)
    schedule = DetectionSchedule()
    schedule.observe(GreyPyramid(GROUND, 512))
    assert schedule.due(0.0, [], text=True, kinetic=False, doubtful=False) == DetectionScope.ALL
    schedule.record(0.0, DetectionScope.ALL, new_text=False)
    schedule.observe(GreyPyramid(titled.astype(np.uint8), 512))
    assert schedule.due(1.0, [], text=True, kinetic=False, doubtful=False) != DetectionScope.ALL, "it may still move"
    schedule.repeat()
    assert schedule.due(1.2, [], text=True, kinetic=False, doubtful=False) == DetectionScope.ALL
    schedule.record(1.2, DetectionScope.ALL, new_text=True)
    schedule.repeat()
    assert schedule.due(9.0, [], text=True, kinetic=False, doubtful=False) == DetectionScope.NOTHING


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
