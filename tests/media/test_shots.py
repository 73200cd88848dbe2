"""Cuts are found to the frame; motion, flashes and noise are none."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from budget import budget
from make_media import write_clip

from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling
from mediaan.media.video.shots import THUMBNAIL_WIDTH, ShotDetector
from mediaan.media.video.source import open_video
from mediaan.types.media import ViewSpec

PHOTOS = sorted((Path(__file__).resolve().parents[1] / "sample_ads" / "source" / "photos").iterdir())
SIZE = (THUMBNAIL_WIDTH, THUMBNAIL_WIDTH * 9 // 16)
MOVES = ["static", "pan", "fast pan", "zoom", "fast zoom", "handheld", "object"]
Frames = list[np.ndarray]
Skip = Callable[[int], bool]


@pytest.fixture(scope="module")
def photos() -> Frames:
    full = [cv2.imread(str(path)) for path in PHOTOS]
    scales = [300 / max(photo.shape[:2]) for photo in full]
    return [cv2.resize(p, None, fx=s, fy=s, interpolation=cv2.INTER_AREA) for p, s in zip(full, scales, strict=True)]


def camera(photo: np.ndarray, x: float, y: float, zoom: float, angle: float = 0.0) -> np.ndarray:
    """What a camera sees that points at (x, y) of a photo and takes in `zoom` of it."""
    (width, height), (tall, wide) = SIZE, photo.shape[:2]
    scale = max(width / wide, height / tall) / zoom
    matrix = cv2.getRotationMatrix2D((wide * x, tall * y), angle, scale)
    matrix[:, 2] += width / 2 - wide * x, height / 2 - tall * y
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return cv2.warpAffine(photo, matrix, SIZE, flags=how, borderMode=cv2.BORDER_REFLECT)


def shot(photo: np.ndarray, frames: int, move: str, fps: float, rng: np.random.Generator) -> Frames:
    """Film a photo with a moving camera, or with an object that goes through the picture."""
    phase = rng.uniform(0, 6, 5)
    made = []
    for t in np.arange(frames) / fps:
        sway = 0.02 * np.sin([9 * t + phase[0], 8 * t + phase[2]]) + 0.015 * np.sin([23 * t + phase[1], 19 * t])
        jolt = sway + 0.01 * rng.normal(size=2)
        views = {
            "static": (0.5, 0.5, 0.8),
            "pan": (0.3 + 0.25 * t, 0.5, 0.5),
            "fast pan": (0.3 + 0.4 * t, 0.5, 0.4),
            "zoom": (0.5, 0.5, 0.9 * np.exp(-0.5 * t)),
            "fast zoom": (0.5, 0.5, 0.95 * np.exp(-1.6 * t)),
            "handheld": (0.5 + jolt[0], 0.5 + jolt[1], 0.6, 1.5 * np.sin(7 * t + phase[4])),
            "object": (0.5, 0.5, 0.8),
        }
        frame = camera(photo, *views[move])
        if move == "object":
            left = int(100 * t) % 110 - 35
            cv2.rectangle(frame, (left, 5), (left + 30, 31), (30, 30, 240), -1)
        made.append(np.clip(frame + rng.normal(0, 0.7, frame.shape), 0, 255).astype(np.uint8))
    return made


def montage(photos: Frames, move: str, shot_s: float, fps: float, shots: int) -> tuple[Frames, list[int]]:
    """Put shots of different photos one after the other, and tell where each but the first begins."""
    rng = np.random.default_rng(7)
    frames, cuts = [], []
    for number in range(shots):
        cuts.append(len(frames))
        frames += shot(photos[number % len(photos)], round(shot_s * fps), move, fps, rng)
    return frames, cuts[1:]


def detect(frames: Frames, fps: float, skip: Skip | None = None, *, sparse: bool = False) -> list[tuple[int, str]]:
    """Give the frames at which shots begin, and how; `skip` tells which frames are not decoded."""
    detector = ShotDetector(fps, sparse=sparse)
    for number, frame in enumerate(frames):
        if skip is None or not skip(number):
            detector.feed(number / fps, frame)
    detector.finish(len(frames) / fps)
    shots = detector.shots
    assert shots[0].start_s == 0.0
    assert shots[-1].end_s == len(frames) / fps
    assert all(a.end_s == b.start_s for a, b in pairwise(shots)), "shots tile the medium"
    return [(round(found.start_s * fps), found.begins) for found in shots[1:]]


@pytest.mark.parametrize("shot_s", [2.0, 0.4])
@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("fps", budget([25], [12, 25, 60]))
def test_cuts_between_moving_pictures_are_found_to_the_frame(
    fps: int, move: str, shot_s: float, photos: Frames
) -> None:
    frames, cuts = montage(photos, move, shot_s, fps, 5 if shot_s > 1 else 9)
    assert detect(frames, fps) == [(cut, "cut") for cut in cuts]


@pytest.mark.parametrize("every", [2, 3, 4], ids=["I B P", "I b b P", "I b B b P"])
def test_frames_left_out_cost_few_cuts_and_make_none(every: int, photos: Frames) -> None:
    """Decoded are references and, of the others, those on display at an instant: steps of uneven length."""
    missed = total = 0
    for move in MOVES:
        for shot_s in (2.0, 0.4):
            frames, cuts = montage(photos, move, shot_s, 25, 5 if shot_s > 1 else 9)
            found = [at for at, _ in detect(frames, 25, lambda number: bool(number % every and number % 5))]
            near = [cut for cut in cuts if any(0 <= at - cut < every for at in found)]
            assert len(near) == len(found), "no cut but those"
            missed, total = missed + len(cuts) - len(near), total + len(cuts)
    assert missed <= 0.03 * total


@pytest.mark.parametrize("fps", budget([12], [12, 25, 60]))
@pytest.mark.parametrize("move", MOVES)
def test_motion_alone_makes_no_cut(move: str, fps: int, photos: Frames) -> None:
    rng = np.random.default_rng(3)
    for photo in photos[:3]:
        assert detect(shot(photo, 3 * fps, move, fps, rng), fps) == []


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_flashes_make_no_cut(length: int, photos: Frames) -> None:
    frames = shot(photos[0], 100, "handheld", 25, np.random.default_rng(1))
    for at in range(length):
        frames[40 + at] = np.full_like(frames[0], 250)
        frames[70 + at] = np.zeros_like(frames[0])
    assert detect(frames, 25) == []


@pytest.mark.parametrize("length", [1, 3])
def test_a_cut_through_a_white_flash_is_one(length: int, photos: Frames) -> None:
    rng = np.random.default_rng(1)
    white = [np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)] * length
    frames = [*shot(photos[0], 50, "pan", 25, rng), *white, *shot(photos[2], 50, "pan", 25, rng)]
    ((at, begins),) = detect(frames, 25)
    assert begins == "cut"
    assert at in {50, 50 + length}, "at one side of the flash"


def faded(frames: Frames, first: float, last: float) -> Frames:
    shares = np.linspace(first, last, len(frames))
    return [(frame * share).astype(np.uint8) for frame, share in zip(frames, shares, strict=True)]


@pytest.mark.parametrize("length", [5, 12, 25])
def test_a_shot_that_fades_in_begins_where_black_ends(length: int, photos: Frames) -> None:
    rng = np.random.default_rng(1)
    one, two = (shot(photos[number], 60, "handheld", 25, rng) for number in (0, 2))
    black = [rng.integers(0, 5, one[0].shape, dtype=np.uint8) for _ in range(8)]
    frames = one[:-length] + faded(one[-length:], 1, 0) + black + faded(two[:length], 0, 1) + two[length:]
    ((at, begins),) = detect(frames, 25)
    assert begins == "fade"
    assert 68 < at <= 68 + max(2, length // 5), "soon after the 60 frames and 8 of black"


def test_black_belongs_to_what_comes_before_it(photos: Frames) -> None:
    rng = np.random.default_rng(1)
    one, two = (shot(photos[number], 60, "pan", 25, rng) for number in (0, 2))
    black = [np.zeros_like(one[0])] * 12
    assert detect(black + one, 25) == [], "black at the start"
    assert detect(black + faded(one[:12], 0, 1) + one[12:], 25) == [], "a fade in at the start"
    assert detect(one + black * 2, 25) == [], "black at the end"
    assert [at for at, _ in detect(one + black + two, 25)] == [72]


def test_a_title_on_black_is_a_picture(photos: Frames) -> None:
    frames = shot(photos[0], 60, "pan", 25, np.random.default_rng(1))
    card = np.zeros_like(frames[0])
    cv2.putText(card, "LOGO", (10, 24), 0, 0.6, (255, 255, 255), 1)
    assert detect(frames + [card] * 30, 25) == [(60, "cut")]


@pytest.mark.parametrize("colours", [((0, 0, 255), (0, 255, 0)), ((40, 40, 40), (200, 200, 200))])
def test_cards_of_one_colour(colours: tuple[tuple[int, ...], ...]) -> None:
    one, two = (np.full((SIZE[1], SIZE[0], 3), colour, np.uint8) for colour in colours)
    assert detect([one] * 20 + [two] * 20, 25) == [(20, "cut")]


def test_frames_far_apart_are_compared_on_their_own(photos: Frames) -> None:
    """One a second: of a slideshow, or key frames."""
    slides = [camera(photos[number // 3], 0.5, 0.5, 0.8) for number in range(15)]
    wanted = [3, 6, 9, 12]
    found = [at for at, _ in detect(slides, 1.0)]
    assert set(found) <= set(wanted)
    assert len(found) >= 3, "the night sky and the rocket before it are both dark"
    assert [at for at, _ in detect(slides, 1.0, sparse=True)] == found


def test_shots_are_certain_a_few_frames_behind(photos: Frames) -> None:
    frames, cuts = montage(photos, "pan", 0.8, 25, 6)
    detector = ShotDetector(25.0)
    claimed: dict[int, int] = {}
    for number, frame in enumerate(frames):
        detector.feed(number / 25, frame)
        assert number / 25 - detector.certain_s < 0.3
        for done in range(number + 1):
            if done / 25 < detector.certain_s:
                assert claimed.setdefault(done, detector.shot_of(done / 25)) == detector.shot_of(done / 25)
    detector.finish(len(frames) / 25)
    assert len(detector.shots) == len(cuts) + 1
    for number, shot_ in claimed.items():
        assert shot_ == sum(cut <= number for cut in cuts)


def test_samples_of_a_video_know_their_shot(tmp_path: Path) -> None:
    # 0 and 255 differ in every stripe, and B-frames lie across the cut.
    path = write_clip(tmp_path / "clip.mp4", [0] * 33 + [255] * 21 + [0] * 46, options={"bf": "3"})
    with open_video(path, "mp4", [ViewSpec("view", long_side=64)], MediaLimits(), Sampling(fps=5.0)) as source:
        chunks = list(source.chunks())
        shots = source.shots
    assert [(shot_.start_s, shot_.begins) for shot_ in shots] == [(0.0, "start"), (33 / 25, "cut"), (54 / 25, "cut")]
    for t, number in zip(np.concatenate([c.t for c in chunks]), np.concatenate([c.shot for c in chunks]), strict=True):
        assert shots[number].start_s <= t < shots[number].end_s
