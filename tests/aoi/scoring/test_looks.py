"""Order of areas by simulated viewers: worked out by hand, and on a drawn image."""

from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.scoring.looks import estimate_looks, fixated_areas, order_of_looks
from mediaan.saliency.density import blur, normalise
from mediaan.types.aoi import Aoi, Box
from mediaan.types.densities import Densities
from mediaan.types.scanpath import Scanpaths


def area(number: int, *box: float, polygon: tuple[tuple[float, float], ...] | None = None) -> Aoi:
    return Aoi(UUID(int=number), "other", f"area {number}", Box(*box), None, "drawn", polygon=polygon)


def paths_of(*rows: list[tuple[float, float]]) -> Scanpaths:
    longest = max(map(len, rows))
    x, y = (
        np.array([[point[axis] for point in row] + [np.nan] * (longest - len(row)) for row in rows]) for axis in (0, 1)
    )
    times = np.where(np.isfinite(x), np.arange(longest) * 0.3, np.nan)
    return Scanpaths(x, y, times, np.where(np.isfinite(x), 0.2, np.nan), 5.0, 0)


LEFT, RIGHT, TOP = (0.1, 0.5), (0.9, 0.5), (0.5, 0.1)
AREAS = (area(1, 0.0, 0.3, 0.3, 0.7), area(2, 0.7, 0.3, 1.0, 0.7), area(3, 0.4, 0.0, 0.6, 0.2))


def test_order_and_shares_by_hand() -> None:
    """Three of four look right first; of the two who look at what is left, both look left before the top."""
    found = order_of_looks(
        AREAS, paths_of([RIGHT, LEFT, TOP], [RIGHT, TOP, LEFT], [RIGHT, LEFT], [LEFT, RIGHT], [(0.5, 0.5)])
    )
    assert [(one.aoi_id.int, one.rank) for one in found] == [(2, 1), (1, 2), (3, 3)]
    assert [one.share for one in found] == pytest.approx([75, 75, 100])


def test_what_few_look_at_has_no_rank() -> None:
    found = order_of_looks(AREAS, paths_of(*[[RIGHT]] * 39, [RIGHT, LEFT]))
    assert [(one.aoi_id.int, one.rank, one.share) for one in found] == [(2, 1, 100), (1, None, None), (3, None, None)]


def test_a_fixation_belongs_to_the_smallest_area_around_it() -> None:
    person, face = area(1, 0.0, 0.0, 0.5, 1.0), area(2, 0.2, 0.1, 0.3, 0.2)
    areas = fixated_areas((face, person), paths_of([(0.25, 0.15), (0.25, 0.8), (0.9, 0.9)]))
    assert areas.tolist() == [[0, 1, -1]]


def test_polygons_hold_what_lies_inside_their_outline() -> None:
    triangle = area(1, 0.0, 0.0, 1.0, 1.0, polygon=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    assert fixated_areas((triangle,), paths_of([(0.2, 0.2), (0.8, 0.8), (0.45, 0.45)])).tolist() == [[0, -1, 0]]


def test_larger_blob_comes_first_and_the_path_names_its_areas() -> None:
    counts = np.zeros((60, 80))
    counts[28, 20], counts[28, 59], counts[8, 40] = 5.0, 2.0, 1.0
    densities = Densities({"total": normalise(blur(counts))})
    boxes = (area(1, 0.6, 0.3, 0.9, 0.6), area(2, 0.1, 0.3, 0.4, 0.6), area(3, 0.4, 0.0, 0.6, 0.28))
    looks = estimate_looks(boxes, densities, 5.0, UUID(int=9))
    assert looks.areas[0].aoi_id == UUID(int=2)
    assert {one.aoi_id for one in looks.path} <= {None, *(box.aoi_id for box in boxes)}
    assert sum(one.aoi_id is not None for one in looks.path) > len(looks.path) / 2
    assert looks == estimate_looks(boxes, densities, 5.0, UUID(int=9))
    assert estimate_looks((), densities, 5.0, UUID(int=9)).areas == ()


def test_a_mirrored_image_has_the_mirrored_order() -> None:
    """Up to the draws: the area in front is in front in both."""
    counts = np.zeros((60, 80))
    counts[28, 20], counts[28, 59] = 4.0, 1.0
    density = normalise(blur(counts))
    boxes = (area(1, 0.0, 0.0, 0.5, 1.0), area(2, 0.5, 0.0, 1.0, 1.0))
    plain, mirrored = (
        estimate_looks(boxes, Densities({"total": np.ascontiguousarray(one)}), 5.0, UUID(int=1)).areas
        for one in (density, density[:, ::-1])
    )
    assert [plain[0].aoi_id.int, mirrored[0].aoi_id.int] == [1, 2]
    assert plain[0].share == pytest.approx(mirrored[0].share, abs=8)


def test_ties_go_to_what_is_seen_earlier() -> None:
    """Ten against eleven of twenty-one are a tie; fifteen against six are none."""
    left, right = AREAS[:2]
    close, clear = (paths_of(*[[RIGHT, LEFT]] * n, *[[LEFT, RIGHT]] * (21 - n)) for n in (11, 15))
    times = {left.aoi_id: 0.5, right.aoi_id: 0.9}
    assert [order_of_looks(AREAS[:2], paths)[0].aoi_id for paths in (close, clear)] == [right.aoi_id] * 2
    found = [order_of_looks(AREAS[:2], paths, times)[0].aoi_id for paths in (close, clear)]
    assert found == [left.aoi_id, right.aoi_id]
