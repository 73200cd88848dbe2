"""Legends of the maps as CSS gradients with ticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mediaan.maps.catalogue import MAPS
from mediaan.maps.heatmap import map_legend

_STOPS = 24
_PREVIEWS = {"preview_heat": "heat", "preview_fog": "fog"}


@dataclass(frozen=True, slots=True)
class ColourBar:
    """A legend in the terms of a style sheet."""

    gradient: str  # CSS image from least to most
    ticks: tuple[tuple[float, str], ...]  # place on the bar, %, and the text below it
    note: str  # what the numbers mean


def colour_bar(name: str) -> ColourBar | None:
    """Return the legend of a map by its name; None for images that are no map of ours, such as the original.

    >>> [text for _, text in colour_bar("heat").ticks]
    ['1x', '2x', '4x', '8x', '16x']
    """
    spec = MAPS.get(_PREVIEWS.get(name, name))
    if spec is None or spec.is_gaze:
        return None
    legend = map_legend(spec)
    ramp = np.frombuffer(legend.ramp, np.uint8).reshape(-1, 3)
    colours = ramp[np.linspace(0, len(ramp) - 1, min(_STOPS, len(ramp))).round().astype(int)]
    stops = ",".join(f"#{bytes(colour).hex()}" for colour in colours)
    ticks = tuple((round(100 * place, 2), text) for place, text in legend.ticks)
    return ColourBar(f"linear-gradient(90deg,{stops})", ticks, legend.note)
