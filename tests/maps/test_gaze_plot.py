"""Gaze plots: circles where the fixations are, as large as they are long, in order."""

from io import BytesIO

import numpy as np
from PIL import Image

from mediaan.maps import gaze_animation, gaze_plot
from mediaan.types.scanpath import PathFixation

GREY = np.full((300, 400, 3), 128, np.uint8)
PATH = (PathFixation(0.2, 0.5, 0.3, 0.25), PathFixation(0.8, 0.5, 0.7, 1.0), PathFixation(0.5, 0.2, 1.8, 0.2))


def changed(drawn: np.ndarray) -> np.ndarray:
    """Pixels that differ from the background."""
    return (np.abs(drawn[:300].astype(int) - drawn[299, 399].astype(int)).max(axis=2) > 8).astype(float)


def test_circles_are_where_the_fixations_are_and_grow_with_their_length() -> None:
    marks = changed(gaze_plot(GREY, PATH, legend=False))
    widths = [marks[150, max(0, x - 60) : x + 60].sum() for x in (80, 320)]
    assert marks[150, 72:88].all()
    assert marks[60, 195:205].all()
    columns = [marks[100:200, x].sum() for x in (80, 320)]  # across the line, through the middle of each
    assert 1.7 < columns[1] / columns[0] < 2.3, widths  # four times as long: twice the radius
    assert not marks[250:, :].any()


def test_order_goes_from_dark_to_bright() -> None:
    drawn = gaze_plot(GREY, PATH, legend=False).astype(float).mean(axis=2)
    assert drawn[150, 75] < drawn[60, 193]  # beside the number


def test_legend_stands_below_and_the_image_is_not_touched() -> None:
    untouched = GREY.copy()
    assert gaze_plot(GREY, PATH).shape[0] > 300
    assert (untouched == GREY).all()


def test_animation_shows_one_fixation_after_the_other() -> None:
    with Image.open(BytesIO(gaze_animation(GREY, PATH, 2.0))) as film:
        assert film.format == "WEBP"
        frames = []
        for index in range(film.n_frames):
            film.seek(index)
            frames.append(np.asarray(film.convert("RGB")))
    marks = [changed(frame) for frame in frames]
    assert not marks[0].any()
    assert marks[-1].sum() > marks[len(marks) // 3].sum() > 0
    assert not any(mark[60, 200] for mark in marks[: len(marks) // 2])
    assert marks[-1][60, 200]


def test_a_path_of_one_fixation_in_a_tiny_image() -> None:
    assert gaze_plot(GREY[:3, :5], PATH[:1], legend=False).shape == (3, 5, 3)
