"""Put areas into the order in which simulated viewers look at them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
import numpy.typing as npt

from mediaan.aoi.region import Region
from mediaan.aoi.scoring.specs import FIRST_SEEN
from mediaan.saliency.scanpath import simulate_scanpaths
from mediaan.types.aoi import Aoi
from mediaan.types.densities import Densities
from mediaan.types.scanpath import AoiLook, OrderOfLooks, Scanpaths

MIN_VIEWERS = 0.05
"""Share of the simulated viewers who must look at an area for it to have a place in the order."""

TIE = 0.1
"""Shares of viewers that differ by less are a tie: 100 viewers cannot tell them apart."""

NO_LOOKS = "the order of looks is estimated for images, not for videos and pages of several screens"

_NOWHERE = -1


def fixated_areas(aois: Sequence[Aoi], paths: Scanpaths) -> npt.NDArray[np.int64]:
    """Return the area that each fixation is in, (n, k) int64: its place in `aois`; -1 for none.

    Where areas overlap it is the smallest, so that a look at a face is one at the face, not at the person.
    """
    areas_at = np.full(paths.x.shape, _NOWHERE)
    areas = [Region(aoi.box, aoi.polygon).area for aoi in aois]
    for index in sorted(range(len(aois)), key=lambda i: -areas[i]):
        areas_at[_inside(aois[index], paths.x, paths.y)] = index
    return areas_at


def _inside(aoi: Aoi, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which points lie in an area; NaN never does."""
    if aoi.polygon is None:
        box = aoi.box
        return (x >= box.x0) & (x < box.x1) & (y >= box.y0) & (y < box.y1)
    corners = np.array(aoi.polygon)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    inside: npt.NDArray[np.bool_] = (x >= left) & (x < right) & (y >= top) & (y < bottom)
    across, down = x[inside], y[inside]
    x0, y0 = corners.T[:, :, None]
    x1, y1 = np.roll(corners, -1, axis=0).T[:, :, None]
    # a way to the right crosses the outline an odd number of times
    crosses = (y0 > down) != (y1 > down)
    height = np.where(y0 == y1, 1.0, y1 - y0)  # a level edge is not crossed
    inside[inside] = np.count_nonzero(crosses & (across < x0 + (down - y0) * (x1 - x0) / height), axis=0) % 2 == 1
    return inside


def order_of_looks(
    aois: Sequence[Aoi], paths: Scanpaths, first_seen_s: Mapping[UUID, float] | None = None
) -> tuple[AoiLook, ...]:
    """Return the areas in the typical order of the simulated viewers' first looks at them.

    The first area is the one at which most viewers look before any other; the next is found in the same way among the
    areas that are left, and so on. Areas at which fewer than 5 % of the viewers look come last, without a rank.

    `first_seen_s`: scores of that name: of areas whose shares differ by less than `TIE`, the one that is seen earliest
        comes first.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box
    >>> left = Aoi(UUID(int=1), "other", "left", Box(0, 0, 0.5, 1), None, "drawn")
    >>> right = Aoi(UUID(int=2), "other", "right", Box(0.5, 0, 1, 1), None, "drawn")
    >>> x = np.array([[0.7, 0.1], [0.8, 0.2], [0.3, 0.9]])
    >>> paths = Scanpaths(x, x, x, x, 5.0, 0)
    >>> [(one.aoi_id.int, one.rank, round(one.share)) for one in order_of_looks([left, right], paths)]
    [(2, 1, 67), (1, 2, 100)]
    """
    areas = fixated_areas(aois, paths)
    never = areas.shape[1]
    firsts = (
        np.stack([np.where(hit.any(1), hit.argmax(1), never) for hit in (areas == i for i in range(len(aois)))])
        if aois
        else np.empty((0, 0))
    )
    seen = {i: float((firsts[i] < never).mean()) for i in range(len(aois))}
    left = [i for i in range(len(aois)) if seen[i] >= MIN_VIEWERS]
    sequence: list[AoiLook] = []
    times = first_seen_s or {}
    while left:
        first_looks = firsts[left]
        looks = (first_looks < never).any(axis=0)
        wins = np.bincount(first_looks.argmin(axis=0)[looks], minlength=len(left))
        shares = wins / looks.sum()
        tied = [k for k in range(len(left)) if shares[k] > shares.max() - TIE] if times else [int(shares.argmax())]
        best = min(tied, key=lambda k: (times.get(aois[left[k]].aoi_id, math.inf), -shares[k]))
        sequence.append(AoiLook(aois[left[best]].aoi_id, len(sequence) + 1, 100 * float(shares[best])))
        left.pop(best)
    rare = [AoiLook(aoi.aoi_id, None, None) for i, aoi in enumerate(aois) if seen[i] < MIN_VIEWERS]
    return (*sequence, *rare)


def estimate_looks(
    aois: Sequence[Aoi], densities: Densities, exposure_s: float, medium_id: UUID
) -> OrderOfLooks | None:
    """Simulate viewers and return the order in which they look at areas; None for a page of several screens.

    `aois`: may be empty; their `first_seen_s`, where they are scored, settles ties.
    `exposure_s`: time for which the image is looked at, s.
    `medium_id`: seed of the simulation: the same file gets the same viewers.
    """
    if densities.screen is not None:
        return None
    paths = simulate_scanpaths(densities, exposure_s, seed=viewers_seed(medium_id)).paths
    areas = fixated_areas(aois, paths)[paths.typical]
    path = tuple(
        fixation._replace(aoi_id=None if area == _NOWHERE else aois[area].aoi_id)
        for fixation, area in zip(paths.typical_path, areas, strict=False)
    )
    times = {aoi.aoi_id: time for aoi in aois if (time := aoi.value(FIRST_SEEN.name)) is not None}
    return OrderOfLooks(path, order_of_looks(aois, paths, times))


def viewers_seed(medium_id: UUID) -> int:
    """Return the seed of the simulated viewers of a medium."""
    return medium_id.int & 0xFFFFFFFF
