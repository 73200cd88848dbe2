"""Load the templates, styles and scripts of pages, and draw the legends of maps."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from mediaan.maps import encode_image
from mediaan.maps.catalogue import MAPS
from mediaan.maps.heatmap import map_legend
from mediaan.metrics import METRICS
from mediaan.report.formatting import format_number, svg_points, unbroken
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import UInt8


def page_environment() -> Environment:
    """Make an environment of the templates in `views`, escaped, in which nothing may be undefined."""
    environment = Environment(
        loader=PackageLoader("mediaan.report.web", "views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["capitalise"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["shown"] = format_number
    environment.filters["svg_points"] = svg_points
    environment.filters["unbroken"] = unbroken
    return environment


def read_source(environment: Environment, path: str) -> str:
    """Return the text of a file in `views`."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, path)[0]


def sources(environment: Environment, paths: Sequence[str]) -> str:
    """Join style sheets."""
    return "\n".join(read_source(environment, path) for path in paths)


def area_type_rules() -> str:
    """Return the style rules with the colour and dashes of each type of area."""
    types = AREA_TYPES.values()
    return "\n".join(f".type-{kind.name} {{ --type: {kind.colour}; --dash: {kind.dash}; }}" for kind in types)


def curve_rules() -> str:
    """Return the style rules with the colour of each metric's curve, on a light and on a dark page."""
    colours = {name: metric.colours for name, metric in METRICS.items() if metric.colours is not None}
    return "\n".join(f".of-{name} {{ --own: light-dark({light}, {dark}); }}" for name, (light, dark) in colours.items())


def script_hash(script: str) -> str:
    """Return the SHA-256 of a script in base64, by which a page's Content-Security-Policy admits it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def jpeg_uri(jpeg: bytes) -> str:
    """Return a JPEG as a data URI."""
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"


def picture_uri(image: UInt8, quality: int = 85) -> str:
    """Return an image, (H, W, 3) uint8, as a data URI of a JPEG."""
    return jpeg_uri(encode_image(image, quality=quality))


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
