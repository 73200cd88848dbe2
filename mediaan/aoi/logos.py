"""A brand's logo pictures in a frame: turned, scaled, partly hidden, light on dark or dark on light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import UInt8


@dataclass(frozen=True, slots=True)
class LogoMatch:
    """A logo picture found in a frame.

    Attributes
    ----------
    logo : Path
        Which picture.
    box : Box
        Its bounds in the frame.
    polygon : four points
        Its corners, clockwise from its own top-left.
    confidence : float
        0-1.
    """

    logo: Path
    box: Box
    polygon: tuple[Point, ...]
    confidence: float


class LogoMatcher:
    """Finds pictures of logos.

    Parameters
    ----------
    paths : sequence of Path
        Pictures of logos.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)

    def find(self, rgb: UInt8) -> tuple[LogoMatch, ...]:
        """Where the logos are, the surest first.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
        """
        del rgb
        return ()
