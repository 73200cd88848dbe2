"""Declare the rendered maps: what each of them shows, from which values, with which colours and scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import cv2
import numpy as np

from mediaan.maps.levels import ATTENTION, STRENGTH, Palette, Scale
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities, Window

if TYPE_CHECKING:
    from mediaan.metrics import Drivers


# Standard deviation of luma, code values, that counts as fully legible: black print on white has about 100.
_LEGIBLE = 64.0
# Feature congestion of a flat area, and above it what only the densest 5 % of places on web pages and ads reach.
_FLAT, _DENSE = 1.2482824, 8.0
# Attention this many times the image's mean, on a place of full arousal, is 1.
_GATHERED = 8.0


def cognitive_demand_map(drivers: Drivers, _: Densities) -> Float32:
    """Return local clutter, (h, w) float32 >= 0: feature congestion above that of a flat area, 1 = very dense."""
    above = np.maximum(drivers.congestion_map - np.float32(_FLAT), 0)
    return np.asarray(above / np.float32(_DENSE), dtype=np.float32)


def clarity_map(drivers: Drivers, densities: Densities) -> Float32:
    """Return local clarity, (h, w) float32 in [0, 1]: contrast of figure to ground, discounted by clutter.

    Full contrast in an uncluttered place is 1, in a very dense one 1/2; a place without contrast is 0.
    """
    contrast = np.minimum(drivers.contrast_map / np.float32(_LEGIBLE), 1)
    return np.asarray(contrast / (1 + cognitive_demand_map(drivers, densities)), dtype=np.float32)


def engagement_map(drivers: Drivers, densities: Densities) -> Float32:
    """Return attention times local arousal, (h, w) float32 >= 0, in the size of the drivers' maps.

    Attention is the total density relative to its mean; 1 is eight times the mean on fully vivid, warm and contrasted
    pixels.
    """
    height, width = drivers.arousal_map.shape
    density = densities["total"]
    attention = cv2.resize(density, (width, height), interpolation=cv2.INTER_LINEAR) * np.float32(
        density.size / _GATHERED
    )
    return np.asarray(attention * drivers.arousal_map, dtype=np.float32)


MapKind = Literal["heat", "fog", "local", "sheet", "gaze", "gaze_animation", "video"]
"""How a map is drawn: a density as colours or as fog; a local driver; the scenes of a video on one sheet; a scanpath on
an image, still or animated; another map on every frame of a video."""

LocalValues: TypeAlias = Callable[["Drivers", Densities], Float32]
"""Values of a local driver, (h, w) float32 >= 0, 1 is very much."""

_HEAT_SCALE = "1x to 16x the attention of an average spot, logarithmic; the same scale for every image."
_FOG_SCALE = "Clear: the smallest region with 50% of attention. Hidden: the region with the last 20%."
_GAZE_SCALE = "Circles: fixations in order, from dark to bright; the longer the look, the larger."
_LOCAL_SCALE = "0: none; 1 or more: very much; linear; the same scale for every image."


@dataclass(frozen=True, slots=True)
class MapSpec:
    """Specification of a rendered map."""

    name: str
    """As in options and file names."""
    title: str
    """Heading, also in the legend; ASCII."""
    caption: str
    """One or two sentences for the reader of a report."""
    scale_text: str
    """What its colours mean, in words."""
    kind: MapKind
    """Images have neither sheets nor videos, videos no scanpath."""
    window: Window | None = None
    """Which density it shows; None for a local driver, and for what shows each moment's own."""
    palette: Palette | None = None
    """Its colour table; None for fog."""
    scale: Scale | None = None
    """Its values' range; None for fog, which goes by shares of attention."""
    values: LocalValues | None = None
    """Of a local driver: the function that maps it."""
    film_of: str | None = None
    """Of a video: the map, heat or fog, that it shows at each moment."""
    looked_at_first: bool = False
    """Whether a report that must be small keeps it as large as it can."""

    def __post_init__(self) -> None:
        needed: dict[MapKind, tuple[object, ...]] = {
            "heat": (self.window, self.palette, self.scale),
            "fog": (self.window,),
            "local": (self.values, self.palette, self.scale),
            "sheet": (self.palette, self.scale),
            "video": (self.film_of,),
        }
        if None in needed.get(self.kind, ()):
            raise ValueError(f"the map {self.name} lacks what maps of the kind {self.kind} are drawn from")

    @property
    def is_image(self) -> bool:
        """Whether it is an image that every medium has."""
        return self.kind in ("heat", "fog", "local")

    @property
    def is_default(self) -> bool:
        """Whether it is drawn unless others are asked for: of videos every frame is decoded and encoded."""
        return self.is_image or self.kind == "sheet"

    @property
    def is_gaze(self) -> bool:
        """Whether it shows a scanpath over an image."""
        return self.kind in ("gaze", "gaze_animation")


def _heat(name: str, title: str, caption: str, window: Window) -> MapSpec:
    return MapSpec(name, title, caption, _HEAT_SCALE, "heat", window, "ember", ATTENTION, looked_at_first=True)


def _fog(name: str, title: str, caption: str, window: Window) -> MapSpec:
    return MapSpec(name, title, caption, _FOG_SCALE, "fog", window, looked_at_first=window == "total")


def _local(name: str, title: str, caption: str, palette: Palette, unit: str, values: LocalValues) -> MapSpec:
    return MapSpec(name, title, caption, _LOCAL_SCALE, "local", None, palette, replace(STRENGTH, unit=unit), values)


def _declared(*maps: MapSpec) -> dict[str, MapSpec]:
    return {spec.name: spec for spec in maps}


MAPS: dict[str, MapSpec] = _declared(
    _heat("heat", "Attention", "Where people are predicted to look.", "total"),
    _fog("fog", "Seen", "What people are predicted to see is clear; the rest is hidden.", "total"),
    _local(
        "clarity_heat", "Clarity",
        "Where objects stand out clearly: contrast with the background and little clutter. Not the clarity score.",
        "lagoon", "1: full contrast without clutter", clarity_map,
    ),
    _local(
        "engagement_heat", "Engagement",
        "Where predicted attention falls on vivid, warm, high-contrast pixels. Not the engagement score.", "orchid",
        "1: 8x attention on fully vivid pixels", engagement_map,
    ),
    _local(
        "cognitive_demand_heat", "Cognitive demand",
        "Where the image takes most effort: many edges, colours and orientations at once.", "copper",
        "1: very dense clutter", cognitive_demand_map,
    ),
    _heat(
        "first_two_heat", "Attention, first 2 s",
        "Where people are predicted to look in the first two seconds.", "start",
    ),
    _fog("first_two_fog", "Seen, first 2 s", "What people are predicted to look at in the first two seconds.", "start"),
    _heat("last_two_heat", "Attention, last 2 s", "Where people are predicted to look in the last two seconds.", "end"),
    _fog("last_two_fog", "Seen, last 2 s", "What people are predicted to look at in the last two seconds.", "end"),
    MapSpec(
        "contact_sheet", "Scenes",
        "One frame of each scene, with the average attention of the scene. Videos only.", _HEAT_SCALE, "sheet",
        palette="ember", scale=ATTENTION,
    ),
    MapSpec(
        "gaze_plot", "Order of looks",
        "Typical path of a simulated viewer, an estimate. Images only, on request.", _GAZE_SCALE, "gaze",
    ),
    MapSpec(
        "gaze_animation", "Order of looks, animated",
        "The same path in real time, as an animated WebP. Images in runs only, on request.", _GAZE_SCALE,
        "gaze_animation",
    ),
    MapSpec(
        "heat_video", "Attention, video",
        "Where people are predicted to look at each moment, on every frame, with sound. Videos only, on request.",
        _HEAT_SCALE, "video", palette="ember", scale=ATTENTION, film_of="heat",
    ),
    MapSpec(
        "fog_video", "Seen, video",
        "What people are predicted to see at each moment, on every frame, with sound. Videos only, on request.",
        _FOG_SCALE, "video", film_of="fog",
    ),
)  # fmt: skip
"""Maps by name, in the order in which they are listed. A new one is one entry, and for a local driver its function."""


def default_map_names() -> tuple[str, ...]:
    """List the maps that are drawn unless others are asked for."""
    return tuple(name for name, spec in MAPS.items() if spec.is_default)


def image_map_names() -> tuple[str, ...]:
    """List the maps that are images of every medium."""
    return tuple(name for name, spec in MAPS.items() if spec.is_image)


def map_names(text: str) -> tuple[str, ...]:
    """Split names at commas; ``all`` stands for every map that is drawn unless others are asked for, ``none`` for none.

    >>> map_names("heat, fog"), map_names("none"), map_names("all") == default_map_names()
    (('heat', 'fog'), (), True)
    """
    if text == "none":
        return ()
    names = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(name for part in names for name in (default_map_names() if part == "all" else (part,)))
