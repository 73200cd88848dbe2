"""Scanpaths: fixations of simulated viewers of an image, in order and with times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from mediaan.types.arrays import Float64


class PathFixation(NamedTuple):
    """One fixation of a scanpath."""

    x: float
    y: float
    """x, y: Unit coordinates, in [0, 1)."""
    onset_s: float
    duration_s: float
    """onset_s, duration_s: Beginning, since the image came on, and length, s."""
    aoi_id: UUID | None = None
    """Of the smallest area that it is in; None for none, or where areas are not known."""


@dataclass(frozen=True, slots=True)
class Scanpaths:
    """Fixations of simulated viewers of one image."""

    x: Float64
    y: Float64
    onset_s: Float64
    duration_s: Float64
    """x, y, onset_s, duration_s: (n, k) float64. A row for each viewer, a column for each fixation in order; NaN after
    the viewer's last one. Unit coordinates in [0, 1) and s since the image came on."""
    exposure_s: float
    """Time for which the image is looked at, s: fixations end there."""
    typical: int
    """Row of the medoid: the viewer whose path is most like those of all others."""

    @property
    def n_viewers(self) -> int:
        """Number of viewers."""
        return int(self.x.shape[0])

    def path(self, viewer: int) -> tuple[PathFixation, ...]:
        """Return the fixations of one viewer, numbered from 0."""
        kept = np.isfinite(self.x[viewer])
        columns = np.stack([column[viewer][kept] for column in (self.x, self.y, self.onset_s, self.duration_s)])
        return tuple(PathFixation(x, y, onset_s, duration_s) for x, y, onset_s, duration_s in columns.T.tolist())

    @property
    def typical_path(self) -> tuple[PathFixation, ...]:
        """Fixations of the typical viewer."""
        return self.path(self.typical)


class AoiLook(NamedTuple):
    """Place of an area in the typical order of looks."""

    aoi_id: UUID
    rank: int | None
    """From 1; None for an area at which fewer than 5 % of the simulated viewers look."""
    share: float | None
    """Of the simulated viewers who look at this area or at one that comes later in the order, the share who look at
    this one first, %; 100 for the last one."""


@dataclass(frozen=True, slots=True)
class OrderOfLooks:
    """What simulated viewers of an image look at, in order: an estimate."""

    path: tuple[PathFixation, ...]
    """Of the typical viewer: the one whose path is most like those of the others."""
    areas: tuple[AoiLook, ...]
    """In the typical order of first looks; empty without areas."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "areas": [{"aoi_id": str(look.aoi_id), "rank": look.rank, "share": look.share} for look in self.areas],
            "path": [
                {**fixation._asdict(), "index": index, "aoi_id": fixation.aoi_id and str(fixation.aoi_id)}
                for index, fixation in enumerate(self.path, 1)
            ],
        }
