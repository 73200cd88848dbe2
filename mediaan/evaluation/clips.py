"""A video with what people looked at in it, moment by moment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mediaan.evaluation.gaze import Gaze
from mediaan.maps.density import Shape, fixation_density
from mediaan.types.arrays import Float32, Float64

GRID_LONG_SIDE = 160
"""Cells along the longer side of the grid for clips: half that of pictures, as each clip has hundreds of instants."""

TIME_DECIMALS = 6
"""Times are rounded to a microsecond: finer than any eye tracker, coarser than the error of adding float64 seconds."""

# The gaze of a whole clip is spread over this grid in unit coordinates, that of the centre bias.
_UNIT_GRID: Shape = (80, 80)


@dataclass(frozen=True, slots=True)
class GazedClip:
    """A clip and the gaze on it, in order of time; at least one row.

    Attributes
    ----------
    name : str
        File name without extension.
    viewer : (n,) int64
        Who looked, numbered within the set.
    x, y : (n,) float64
        Unit coordinates of the frame as displayed, in [0, 1).
    start_s : (n,) float64
        Seconds from the first frame, rounded to `TIME_DECIMALS`, ascending.
    end_s : (n,) float64
        Until when the gaze stayed; the same as `start_s` for a gaze sample.
    longest_s : float
        The longest that it stayed.
    """

    name: str
    path: Path
    viewer: npt.NDArray[np.int64]
    x: Float64
    y: Float64
    start_s: Float64
    end_s: Float64
    longest_s: float

    @property
    def n_viewers(self) -> int:
        """People with gaze on this clip."""
        return int(np.unique(self.viewer).size)

    def at(self, t_s: float, step_s: float) -> Gaze | None:
        """Samples in [t_s - step_s / 2, t_s + step_s / 2) and fixations that last into it; None where nobody looks."""
        low_s, high_s = (round(t_s + side * step_s / 2, TIME_DECIMALS) for side in (-1, 1))
        first = np.searchsorted(self.start_s, low_s - self.longest_s)
        rows = np.arange(first, np.searchsorted(self.start_s, high_s))
        rows = rows[(self.start_s[rows] >= low_s) | (self.end_s[rows] > low_s)]
        return Gaze(self.viewer[rows], self.x[rows], self.y[rows]) if rows.size else None

    def truth(self) -> Float32:
        """Density of the gaze of the whole clip, (80, 80) float32 in unit coordinates; each row counts the same."""
        return fixation_density(self.x, self.y, _UNIT_GRID)


@dataclass(frozen=True, slots=True)
class ClipSet:
    """Clips with gaze.

    Attributes
    ----------
    clips : tuple of GazedClip
        All clips of the set, in order of their names: the centre bias comes from them.
    selected : frozenset of str
        Names of the clips to score.
    notes : tuple of str
        What the reader of the result must know.
    """

    folder: Path
    clips: tuple[GazedClip, ...]
    selected: frozenset[str]
    notes: tuple[str, ...]


def clip_grid(width: int, height: int) -> Shape:
    """Rows and columns of the grid for frames of a size.

    Examples
    --------
    >>> clip_grid(1920, 1080)
    (90, 160)
    """
    scale = GRID_LONG_SIDE / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))
