"""What the columns of a table of eye tracking mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class GazeColumns:
    """Names of the columns of a table with a row for each fixation, or for each sample of gaze.

    Attributes
    ----------
    image, viewer : str
        Picture (file name, with or without extension and folders) and person.
    x, y : str
        Place, from the left and from the top.
    unit : {'unit', 'percent', 'px'}
        Of places: 0-1 of the picture, 0-100 of it, or px: of the picture's file, or of the screen where `width` and
        `height` say how large the picture was shown there.
    onset, duration : str or None
        Since the picture came on, and how long; None where unknown.
    time_unit : {'s', 'ms', 'us'}
    left, top, width, height : str or None
        Where the picture was shown on the screen, px: its corner (0 where None) and its size.
    rows : {'fixations', 'samples'}
        What a row is; samples are put together to fixations (`mediaan.evaluation.idt`), which needs their onset.
    """

    image: str
    viewer: str
    x: str
    y: str
    unit: Literal["unit", "percent", "px"] = "px"
    onset: str | None = None
    duration: str | None = None
    time_unit: Literal["s", "ms", "us"] = "ms"
    left: str | None = None
    top: str | None = None
    width: str | None = None
    height: str | None = None
    rows: Literal["fixations", "samples"] = "fixations"

    @property
    def seconds(self) -> float:
        """Length of a unit of time, s."""
        return {"s": 1.0, "ms": 1e-3, "us": 1e-6}[self.time_unit]

    @property
    def named(self) -> dict[str, str]:
        """Columns by what they mean, of those that are there."""
        meanings = ("image", "viewer", "x", "y", "onset", "duration", "left", "top", "width", "height")
        return {meaning: name for meaning in meanings if (name := getattr(self, meaning)) is not None}
