"""Titles that fade in, grow or ride on what moves: when they are read, and how large their boxes are."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import numpy as np
import pytest
from budget import budget
from moving_scenes import HEIGHT, WIDTH, camera, paste, photo, write

from mediaan.aoi.tracking.tracker import DetectionScope, Tracker
from mediaan.types.aoi import Aoi, AoiType, Box, Candidate, TextFacts

Scene = Callable[[int], tuple[np.ndarray, Box | None, float]]
"""Frame of a sample, where its title is, and how much of the title's full contrast it has."""

SAID, GARBLED = "Acme Bakery", "Acne Bakcry"
STILL, _ = camera(photo("coffee"), 0.5, 0.5, 0.9)


def read(box: Box, alpha: float, kind: AoiType = "headline_text") -> list[Candidate]:
    """What a reader makes of a title: nothing while it is faint, something wrong while it is weak."""
    if alpha < 0.3:
        return []
    said = SAID if alpha >= 0.7 else GARBLED
    if kind == "branding":
        return [Candidate(kind, said, box, 0.7, "word_mark")]
    return [Candidate(kind, said, box, 0.7, "text", text=TextFacts(said, 100 * box.height, 5.0, True))]


def watched(
    scene: Scene, samples: int, kind: AoiType = "headline_text"
) -> tuple[tuple[Aoi, ...], list[DetectionScope]]:
    tracker, wanted = Tracker(UUID(int=2)), list[DetectionScope]()
    for at in range(samples):
        frame, box, alpha = scene(at)
        rgb = np.clip(frame, 0, 255).astype(np.uint8)
        wanted.append(tracker.due(at / 5, 0, True, rgb))
        found = None
        if wanted[-1] != DetectionScope.NOTHING:
            found = read(box, alpha, kind) if box is not None and wanted[-1] == DetectionScope.ALL else []
        tracker.add(at / 5, 0.2, 0, True, rgb, found, scope=wanted[-1])
    return tracker.aois(), wanted


def faded(ground: Callable[[int], np.ndarray], fade: int, start: int = 10, end: int = 40) -> Scene:
    """A title that takes some samples to come up, and is cut off."""

    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        alpha = float(np.clip((at - start + 1) / fade, 0, 1)) if at < end else 0.0
        frame, box = write(ground(at), SAID, (60, 120), 1.2, alpha)
        return frame, box if alpha else None, alpha

    return scene


def still(at: int) -> np.ndarray:
    return STILL


def panned(at: int) -> np.ndarray:
    return camera(photo("rocket"), 0.3 + 0.008 * at, 0.5, 0.5)[0]


@pytest.mark.parametrize("kind", ["headline_text", "branding"])
@pytest.mark.parametrize("ground", [still, panned])
@pytest.mark.parametrize("fade", budget([1, 10], [1, 5, 10]))
def test_a_title_is_timed_to_half_a_second_and_read_when_it_is_clear(
    fade: int, ground: Callable[[int], np.ndarray], kind: AoiType
) -> None:
    (aoi,), _ = watched(faded(ground, fade), 50, kind)
    clear_s = 2.0 + 0.2 * 0.5 * (fade - 1)  # half there
    assert aoi.label == SAID
    assert aoi.t0_s == pytest.approx(clear_s, abs=0.5)
    assert aoi.t1_s == pytest.approx(8.0, abs=0.5)


def test_a_title_that_was_read_while_weak_is_read_again_soon() -> None:
    """It is there, weak, from the first look at the scene on."""

    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        alpha = float(np.clip(0.4 + 0.1 * at, 0, 1))
        frame, box = write(np.full((HEIGHT, WIDTH, 3), 40.0), SAID, (60, 120), 1.2, alpha)
        return frame, box, alpha

    (aoi,), wanted = watched(scene, 30)
    assert aoi.label == SAID
    assert DetectionScope.ALL in wanted[3:9]
    assert wanted.count(DetectionScope.ALL) <= 5, "and not for ever"


@pytest.mark.parametrize("wrong", budget([0, 2], range(4)))
def test_a_title_is_what_most_readings_of_it_say(wrong: int) -> None:
    """It is there all the time and read again and again; one reading is wrong, and the surest of all."""
    rng = np.random.default_rng(3)
    tracker, reads = Tracker(UUID(int=4)), 0
    for at in range(60):
        ground = camera(photo("rocket"), 0.3 + 0.008 * at, 0.5, 0.5)[0]
        frame, box = write(ground, SAID, (60, 120), 1.2)
        rgb = np.clip(frame + rng.normal(0, 2, frame.shape), 0, 255).astype(np.uint8)
        scope = tracker.due(at / 5, 0, True, rgb)
        found = None
        if scope != DetectionScope.NOTHING:
            found = []
        if scope == DetectionScope.ALL:
            said, sure = (GARBLED, 0.99) if reads == wrong else (SAID, 0.7)
            found = [Candidate("headline_text", said, box, sure, "text", text=TextFacts(said, 10, 5.0, True))]
            reads += 1
        tracker.add(at / 5, 0.2, 0, True, rgb, found, scope=scope)
    (aoi,) = tracker.aois()
    assert reads >= 3
    assert (aoi.label, aoi.text and aoi.text.transcription) == (SAID, SAID)


def test_a_title_that_grows_slowly_and_never_rests_is_read_within_a_second() -> None:
    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        if at < 10:
            return STILL, None, 0.0
        frame, box = write(STILL, SAID, (60 - 0.7 * at, 120), 1.0 + 0.012 * (at - 10))
        return frame, box, 1.0

    (aoi,), wanted = watched(scene, 40)
    assert DetectionScope.ALL in wanted[10:15]
    assert aoi.t0_s == pytest.approx(2.0, abs=0.5)


@pytest.mark.parametrize("start", budget([10, 14], range(10, 20, 2)))
def test_a_name_on_something_that_moves_for_two_seconds_is_read_and_timed(start: int) -> None:
    """As on a van that drives through the picture, while the camera moves too."""
    plate = np.full((40, 150, 3), (180, 30, 30), np.float32)
    plate[8:32, 10:140] = write(np.full((HEIGHT, WIDTH, 3), 40.0), "ACME", (20, 60), 1.0)[0][38:62, 10:140]

    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        ground = panned(at)
        if not start <= at < start + 11:
            return ground, None, 0.0
        frame, box = paste(ground, plate, (90 + 8 * (at - start), 150))
        return frame, box, 1.0

    aois, _ = watched(scene, 45)
    assert len(aois) == 1
    assert aois[0].t0_s == pytest.approx(start / 5, abs=0.5)
    assert aois[0].t1_s == pytest.approx((start + 11) / 5, abs=0.5)


def sizes(aoi: Aoi) -> np.ndarray:
    return np.array([(s.box.width, s.box.height) for s in aoi.track])


def test_a_box_keeps_to_its_letters_while_the_picture_behind_them_grows() -> None:
    truth: list[Box] = []

    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        ground, _ = camera(photo("hubble"), 0.5, 0.5, 0.95 * 0.96**at)
        frame, box = write(ground, SAID, (60, 120), 1.2, 0.55)
        truth.append(box)
        return frame, box, 0.8

    (aoi,), _ = watched(scene, 25)
    assert len(aoi.track) >= 22
    assert (sizes(aoi) <= 1.05 * np.array([truth[0].width, truth[0].height])).all()


def test_a_box_grows_with_its_letters() -> None:
    truth: list[Box] = []

    def scene(at: int) -> tuple[np.ndarray, Box | None, float]:
        frame, box = write(STILL, SAID, (30, 120), 0.8 + 0.02 * at)
        truth.append(box)
        return frame, box, 1.0

    (aoi,), _ = watched(scene, 25)
    wide = np.array([box.width for box in truth])
    assert len(aoi.track) == 25
    np.testing.assert_allclose(sizes(aoi)[:, 0], wide, rtol=0.1)
