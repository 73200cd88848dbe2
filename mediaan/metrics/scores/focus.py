"""Score focus: how concentrated attention is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mediaan.metrics.contributions import DRIVER_SPECS, largest_contributions
from mediaan.metrics.scales import FocusScale, Scales, built_in_focus_scales
from mediaan.metrics.scores.concentration import (
    MAX_HOTSPOTS,
    concentration,
    hotspot_concentration,
    hotspots,
)
from mediaan.types.aoi import FULL_FRAME
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities, Window
from mediaan.types.metrics import Contribution, MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers import Drivers

_CAPTION = (
    "How concentrated attention is{when}. 100: more so, on up to three places, than in nearly all ads and web pages; "
    "0: as spread out as in the most scattered of them."
)
_REFERENCE = (
    "Effective area (inverse participation ratio) of the fixation density, its three strongest places laid on each "
    "other; percentile among advertisements and web pages."
)


def _spec(name: str, title: str, when: str) -> MetricSpec:
    return MetricSpec(name, title, "score", 0, 100, "higher", "learned", _CAPTION.format(when=when), _REFERENCE)


FOCUS = _spec("focus", "Focus", "")
FOCUS_FIRST_TWO = _spec("focus_first_two", "Focus, first 2 s", " in the first two seconds")
FOCUS_LAST_TWO = _spec("focus_last_two", "Focus, last 2 s", " in the last two seconds")


def focus(
    density: Float32,
    scale: FocusScale | None = None,
    spec: MetricSpec = FOCUS,
    window: Window = "total",
    content: tuple[float, float, float, float] = FULL_FRAME,
) -> Score:
    """Score how concentrated a density is.

    `density` (h, w) float32: non-negative, sums to 1.
    `scale`: of the model that made the density; by default that of images which ships with the package.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`.
    Returns: 0-100, without an interval.
    """
    scale = scale or built_in_focus_scales().still
    return Score.of(spec, scale.score(concentration(density, content)), time=window)


def focus_total(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus over the whole exposure."""
    return _focus_of(drivers, densities, scales, FOCUS, "total")


def focus_first_two(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus in the first two seconds."""
    return _focus_of(drivers, densities, scales, FOCUS_FIRST_TWO, "start")


def focus_last_two(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus in the last two seconds."""
    return _focus_of(drivers, densities, scales, FOCUS_LAST_TWO, "end")


def _focus_of(drivers: Drivers, densities: Densities, scales: Scales, spec: MetricSpec, window: Window) -> Score:
    if window not in densities.maps:
        reason = f"The model predicts no {window} window."
        return Score.of(spec, None, time=window, reason=reason)
    concentrated, scale = hotspot_concentration(densities[window], drivers.content), scales.focus
    value = scale.score(concentrated.concentration)
    # what the strongest places hold, and how narrow they are: the score less what it would be if that were usual
    usual = {
        "gathered_share": (concentrated.share, scale.typical_share, concentrated.with_share(scale.typical_share)),
        "gathered_area": (concentrated.area, scale.typical_area, concentrated.with_area(scale.typical_area)),
    }
    moved = []
    for name, (measured, median, other) in usual.items():
        driver = DRIVER_SPECS[name]
        if name == "gathered_share" and measured < median:
            places = len(hotspots(densities[window], drivers.content))
            if places > MAX_HOTSPOTS:  # more than count as one are what takes attention from the strongest
                driver = replace(driver, less=f"{places} competing hotspots")
        points = value - scale.score(other.concentration)
        moved.append(Contribution(name, measured, driver.unit, points, driver.words(measured, median)))
    drivers_of_it = largest_contributions(moved)
    return Score.of(spec, value, time=window, drivers=drivers_of_it)
