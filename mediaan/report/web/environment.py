"""Load the templates, styles and scripts of pages."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from mediaan.maps import encode_image
from mediaan.metrics import METRICS
from mediaan.report.formatting import format_number
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import UInt8

_UNIT = re.compile(r"(\d) (?=[%s×])")  # a number keeps its unit on its line


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
    environment.filters["unbroken"] = lambda text: _UNIT.sub("\\1\u00a0", text)
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
