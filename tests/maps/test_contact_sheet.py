"""What a contact sheet promises: each scene once, in order, with its own heat, in a grid that can be read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mediaan.maps import MAX_SHEET_CELLS, SheetCell, contact_sheet, heatmap
from mediaan.maps.heatmap import PAPER
from mediaan.maps.overlay import format_time
from mediaan.saliency.density import fixation_density
from mediaan.types.metrics import Scene

SPOT = fixation_density([0.25], [0.3], (36, 64), sigma=0.08)


def scene(number: int, **scores: float | None) -> Scene:
    return Scene(number, 2.0 * number, 2.0 * number + 2.0, "cut", scores)


def colour(number: int) -> tuple[int, int, int]:
    """A colour by which a cell is found again; grey, green and blue parts spread over all numbers."""
    return (40, 60 + 3 * number % 190, 60 + 47 * number % 190)


def cell(number: int, size: tuple[int, int] = (180, 320), density: np.ndarray | None = None) -> SheetCell:
    return SheetCell(np.full((*size, 3), colour(number), np.uint8), density, scene(number, focus=50.0))


def places(sheet: np.ndarray, number: int) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of the rectangles of a cell's colour."""
    mask = (sheet == colour(number)).all(axis=-1).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    return [tuple(map(int, row[:4])) for row in stats[1:] if row[4] > 500]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 13])
def test_each_scene_is_there_once_in_reading_order(n: int) -> None:
    sheet = contact_sheet([cell(i) for i in range(n)])
    found = [places(sheet, i) for i in range(n)]
    assert [len(place) for place in found] == [1] * n
    assert {place[0][2:] for place in found} == {(320, 180)}
    corners = [(place[0][1], place[0][0]) for place in found]
    assert corners == sorted(corners)
    assert len({x for _, x in corners}) <= 6


@pytest.mark.parametrize(
    ("size", "shown"),
    [((320, 180), (180, 320)), ((300, 300), (240, 240)), ((40, 320), (320, 40)), ((640, 160), (80, 320))],
)
def test_frames_of_any_shape_keep_it(size: tuple[int, int], shown: tuple[int, int]) -> None:
    """`size` is height and width, `shown` width and height on the sheet."""
    sheet = contact_sheet([cell(i, size) for i in range(3)])
    for i in range(3):
        ((_, _, width, height),) = places(sheet, i)
        assert (width, height) == shown


@pytest.mark.parametrize("n", [1, 4, 9, 20, 60])
@pytest.mark.parametrize("size", [(180, 320), (320, 180), (240, 240)])
def test_a_sheet_fits_a_page(n: int, size: tuple[int, int]) -> None:
    height, width = contact_sheet([cell(i, size) for i in range(n)]).shape[:2]
    assert width <= 2040
    assert height / width < 2.5


def test_of_many_scenes_some_are_chosen_evenly() -> None:
    n = 150
    cells = [SheetCell(np.full((90, 160, 3), (40, 60, 60 + i), np.uint8), None, scene(i)) for i in range(n)]
    sheet = contact_sheet(cells)
    blues = np.bincount(sheet[(sheet[..., :2] == (40, 60)).all(axis=-1)][:, 2], minlength=256)
    shown = [i for i in range(n) if blues[60 + i] > 1000]
    assert len(shown) == MAX_SHEET_CELLS
    assert (shown[0], shown[-1]) == (0, n - 1)
    assert set(np.diff(shown)) <= {2, 3}


def header(sheet: np.ndarray) -> np.ndarray:
    return sheet[:62]


def test_the_header_tells_how_many_scenes_there_are() -> None:
    cells = [cell(i) for i in range(3)]
    assert (header(contact_sheet(cells)) != PAPER).any()
    assert (header(contact_sheet(cells)) != header(contact_sheet(cells, total=40))).any()
    np.testing.assert_array_equal(contact_sheet(cells), contact_sheet(cells, total=3))


def test_heat_is_that_of_the_heatmap() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (180, 320, 3), dtype=np.uint8)
    sheet = contact_sheet([SheetCell(rgb, SPOT, scene(0))])
    wanted = heatmap(rgb, SPOT, legend=False)
    score = cv2.matchTemplate(sheet, wanted, cv2.TM_SQDIFF)
    y, x = np.unravel_index(score.argmin(), score.shape)
    np.testing.assert_array_equal(sheet[y : y + 180, x : x + 320], wanted)


def test_the_scale_of_the_heat_stands_below() -> None:
    sheet = contact_sheet([cell(i, density=SPOT) for i in range(4)])
    assert np.ptp(sheet[-40:].astype(int).sum(axis=-1)) > 200


def caption(scores: dict[str, float | None]) -> np.ndarray:
    sheet = contact_sheet([SheetCell(np.full((180, 320, 3), colour(1), np.uint8), None, scene(0, **scores))])
    ((_, top, _, height),) = places(sheet, 1)
    return sheet[top + height + 20 : top + height + 40]


def test_scores_that_are_undefined_are_left_out() -> None:
    np.testing.assert_array_equal(caption({"focus": 50.0, "clarity": None}), caption({"focus": 50.0}))
    assert (caption({"focus": 50.0}) != caption({"focus": 51.0})).any()
    assert (caption({}) == PAPER).all()


def test_times_are_written_as_clocks_do() -> None:
    assert [format_time(t) for t in (0, 9.96, 59.94, 61.5, 3599.99, 36000)] == [
        "0:00.0",
        "0:10.0",
        "0:59.9",
        "1:01.5",
        "1:00:00.0",
        "10:00:00.0",
    ]


def test_a_sheet_needs_a_scene() -> None:
    with pytest.raises(ValueError, match="needs a scene"):
        contact_sheet([])
