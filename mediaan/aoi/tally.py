"""What an AOI gathers while it is looked at: seconds, shares of attention, hazards."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from mediaan.aoi.seen import SeenModel
from mediaan.aoi.shape import attention_share
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32


class Region(NamedTuple):
    """Where an AOI is: inside `polygon`, or all of `box` where that is None."""

    box: Box
    polygon: tuple[Point, ...] | None

    def share(self, density: Float32) -> float:
        """Share of a density inside, 0-1."""
        return attention_share(density, self.box, self.polygon)


@dataclass(slots=True)
class Tally:
    """What an AOI gathers in one window.

    Attributes
    ----------
    span : (float, float)
        The window, s.
    covered_s, visible_s : float
        Seconds of the window that were looked at, and during which the AOI was visible.
    share_s, area_s : float
        Share of attention, and of area, each times the seconds.
    hazard, gaze_s : float
        Of being fixated, and expected gaze as far as shares of attention go, s.
    """

    span: tuple[float, float]
    covered_s: float = 0.0
    visible_s: float = 0.0
    share_s: float = 0.0
    area_s: float = 0.0
    hazard: float = 0.0
    gaze_s: float = 0.0

    def inside(self, t0_s: float, t1_s: float) -> tuple[float, float]:
        """The part of a period inside the window; it ends where it begins if there is none."""
        t0 = max(t0_s, self.span[0])
        return t0, max(t0, min(t1_s, self.span[1]))

    def add_gaze(self, model: SeenModel, share: float, t0_s: float, t1_s: float, since_s: float = 0.0) -> None:
        """Gaze for some seconds of what is shown since a time; the share is that of the sharpened density."""
        t0, t1 = self.inside(t0_s, t1_s)
        self.hazard += float(model.hazard(share, t0, t1, since_s))
        self.gaze_s += model.gaze * share * float(model.time_for_gaze(t0, t1))


@dataclass(slots=True)
class Course:
    """The hazard over time: what is needed to say when an AOI is first seen; 16 bytes for each visible period."""

    times: array[float] = field(default_factory=lambda: array("d"))
    hazards: array[float] = field(default_factory=lambda: array("d"))

    def add(self, model: SeenModel, share: float, t0_s: float, t1_s: float, since_s: float = 0.0) -> None:
        """Gaze for some seconds, later than before; nothing happens during the latency."""
        t0, before = max(t0_s, model.latency_s), self.hazards[-1] if self.hazards else 0.0
        if t1_s <= t0:
            return
        if not self.times or self.times[-1] < t0:
            self.times.append(t0)
            self.hazards.append(before)
        self.times.append(t1_s)
        self.hazards.append(before + float(model.hazard(share, t0, t1_s, since_s)))
