"""Put areas into the order in which simulated viewers look at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mediaan.aoi.region import Region
from mediaan.types.aoi import Aoi
from mediaan.types.scanpath import AoiLook, Scanpaths

MIN_VIEWERS = 0.05
"""Share of the simulated viewers who must look at an area for it to have a place in the order."""

_NOWHERE = -1


def fixated_areas(aois: Sequence[Aoi], paths: Scanpaths) -> npt.NDArray[np.int64]:
    """Return the area that each fixation is in, (n, k) int64: its place in `aois`; -1 for none.

    Where areas overlap it is the smallest, so that a look at a face is one at the face, not at the person.
    """
    found = np.full(paths.x.shape, _NOWHERE)
    areas = [Region(aoi.box, aoi.polygon).area for aoi in aois]
    for index in sorted(range(len(aois)), key=lambda i: -areas[i]):
        found[_inside(aois[index], paths.x, paths.y)] = index
    return found


def _inside(aoi: Aoi, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which points lie in an area; NaN never does."""
    if aoi.polygon is None:
        box = aoi.box
        return (x >= box.x0) & (x < box.x1) & (y >= box.y0) & (y < box.y1)
    inside = np.zeros(x.shape, bool)
    corners = np.array(aoi.polygon)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        crosses = (y0 > y) != (y1 > y)
        if y0 != y1:
            inside ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return inside


def order_of_looks(aois: Sequence[Aoi], paths: Scanpaths) -> tuple[AoiLook, ...]:
    """Return the areas in the typical order of the simulated viewers' first looks at them.

    The first area is the one at which most viewers look before any other; the next is found in the same way among the
    areas that are left, and so on. Areas at which fewer than 5 % of the viewers look come last, without a rank.

    Parameters
    ----------
    aois : sequence of Aoi
    paths : Scanpaths

    Examples
    --------
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
    found: list[AoiLook] = []
    while left:
        own = firsts[left]
        looks = (own < never).any(axis=0)
        wins = np.bincount(own.argmin(axis=0)[looks], minlength=len(left))
        best = left[int(wins.argmax())]
        found.append(AoiLook(aois[best].aoi_id, len(found) + 1, 100 * float(wins.max() / looks.sum())))
        left.remove(best)
    rare = [AoiLook(aoi.aoi_id, None, None) for i, aoi in enumerate(aois) if seen[i] < MIN_VIEWERS]
    return (*found, *rare)


def path_areas(aois: Sequence[Aoi], paths: Scanpaths) -> tuple[Aoi | None, ...]:
    """Return the area of each fixation of the typical path; None for none."""
    row = fixated_areas(aois, paths)[paths.typical]
    return tuple(None if area == _NOWHERE else aois[area] for area in row[: len(paths.typical_path)])
