"""Specify the rendered maps: what each of them shows, with which colours and scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from mediaan.maps.colours import Palette
from mediaan.maps.levels import ATTENTION, STRENGTH, Scale
from mediaan.types.densities import Window

MapKind = Literal["heat", "fog", "local", "sheet", "gaze", "video"]

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
    """A sheet is an image of a whole video, a video an overlay on each of its frames; images have neither. Gaze is a
    scanpath, which videos do not have."""
    window: Window | None = None
    """Which density it shows; None for a local driver, and for what shows each moment's own."""
    palette: Palette | None = None
    """Its colour table; None for fog."""
    scale: Scale | None = None
    """Its values' range; None for fog, which goes by shares of attention."""


def _heat(name: str, title: str, caption: str, window: Window) -> MapSpec:
    return MapSpec(name, title, caption, _HEAT_SCALE, "heat", window, "ember", ATTENTION)


def _fog(name: str, title: str, caption: str, window: Window) -> MapSpec:
    return MapSpec(name, title, caption, _FOG_SCALE, "fog", window)


def _local(name: str, title: str, caption: str, palette: Palette, unit: str) -> MapSpec:
    return MapSpec(name, title, caption, _LOCAL_SCALE, "local", None, palette, replace(STRENGTH, unit=unit))


MAPS: tuple[MapSpec, ...] = (
    _heat("heat", "Attention", "Where people are predicted to look.", "total"),
    _fog("fog", "Seen", "What people are predicted to see is clear; the rest is hidden.", "total"),
    _local(
        "clarity_heat",
        "Clarity",
        "Where objects stand out clearly: contrast with the background and little clutter. Measured, not the score.",
        "lagoon",
        "1: full contrast without clutter",
    ),
    _local(
        "engagement_heat",
        "Engagement",
        "Where attention falls on vivid, warm, high-contrast pixels. Measured, not the score.",
        "orchid",
        "1: 8x attention on fully vivid pixels",
    ),
    _local(
        "cognitive_demand_heat",
        "Cognitive demand",
        "Where the image takes most effort: many edges, colours and orientations at once.",
        "copper",
        "1: very dense clutter",
    ),
    _heat(
        "first_two_heat",
        "Attention, first 2 s",
        "Where people are predicted to look in the first two seconds.",
        "start",
    ),
    _fog("first_two_fog", "Seen, first 2 s", "What people are predicted to look at in the first two seconds.", "start"),
    _heat("last_two_heat", "Attention, last 2 s", "Where people are predicted to look in the last two seconds.", "end"),
    _fog("last_two_fog", "Seen, last 2 s", "What people are predicted to look at in the last two seconds.", "end"),
    MapSpec(
        "contact_sheet",
        "Scenes",
        "One frame of each scene, with the average attention of the scene. Videos only.",
        _HEAT_SCALE,
        "sheet",
        palette="ember",
        scale=ATTENTION,
    ),
    MapSpec(
        "gaze_plot",
        "Order of looks",
        "Typical path of a simulated viewer, an estimate. Images only, on request.",
        _GAZE_SCALE,
        "gaze",
    ),
    MapSpec(
        "gaze_animation",
        "Order of looks, animated",
        "The same path in real time, as an animated WebP. Images in runs only, on request.",
        _GAZE_SCALE,
        "gaze",
    ),
    MapSpec(
        "heat_video",
        "Attention, video",
        "Where people are predicted to look at each moment, on every frame, with sound. Videos only, on request.",
        _HEAT_SCALE,
        "video",
        palette="ember",
        scale=ATTENTION,
    ),
    MapSpec(
        "fog_video",
        "Seen, video",
        "What people are predicted to see at each moment, on every frame, with sound. Videos only, on request.",
        _FOG_SCALE,
        "video",
    ),
)
MAP_NAMES: tuple[str, ...] = tuple(spec.name for spec in MAPS if spec.kind not in ("gaze", "video"))
"""The maps that are drawn unless others are asked for."""
IMAGE_MAP_NAMES: tuple[str, ...] = tuple(spec.name for spec in MAPS if spec.kind in ("heat", "fog", "local"))
"""The maps that a still image has, too."""
GAZE_MAP_NAMES: tuple[str, ...] = tuple(spec.name for spec in MAPS if spec.kind == "gaze")
"""The maps of a scanpath over an image: drawn when asked for."""
VIDEO_MAP_NAMES: tuple[str, ...] = tuple(spec.name for spec in MAPS if spec.kind == "video")
"""The maps that are videos themselves: drawn when asked for, since every frame is decoded and encoded for them."""
ALL_MAP_NAMES: tuple[str, ...] = MAP_NAMES + GAZE_MAP_NAMES + VIDEO_MAP_NAMES
_BY_NAME = {spec.name: spec for spec in MAPS}


def map_spec(name: str) -> MapSpec:
    """Return the map of a given name.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> map_spec("first_two_fog").window
    'start'
    """
    return _BY_NAME[name]


def map_names(text: str) -> tuple[str, ...]:
    """Split names at commas; ``all`` stands for every map that is drawn unless others are asked for, ``none`` for none.

    Examples
    --------
    >>> map_names("heat, fog"), map_names("none"), map_names("all") == MAP_NAMES
    (('heat', 'fog'), (), True)
    """
    if text == "none":
        return ()
    names = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(name for part in names for name in (MAP_NAMES if part == "all" else (part,)))


def local_map_names() -> tuple[str, ...]:
    """List the maps that show a metric's local driver."""
    return tuple(spec.name for spec in MAPS if spec.kind == "local")
