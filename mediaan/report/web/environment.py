"""Load the templates, styles and scripts of pages."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from mediaan.maps import encode_image
from mediaan.types.arrays import UInt8


def page_environment() -> Environment:
    """Templates of this room, escaped, in which nothing may be undefined; with the filter `shown`."""
    environment = Environment(
        loader=PackageLoader("mediaan.report.web", "views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = format_number
    return environment


def sources(environment: Environment, names: Sequence[str]) -> str:
    """Style sheets or scripts as one text."""
    assert environment.loader is not None
    return "\n".join(environment.loader.get_source(environment, name)[0] for name in names)


def picture_uri(picture: UInt8, quality: int = 85) -> str:
    """A picture, (H, W, 3) uint8, as a JPEG inside the page."""
    return "data:image/jpeg;base64," + base64.b64encode(encode_image(picture, quality=quality)).decode("ascii")


def format_number(value: float | None, unit: str, *, signed: bool = False) -> str:
    """A number as tables show it, – for none.

    Examples
    --------
    >>> shown(0.126, "s"), shown(3.0, "score", signed=True), shown(-0.04, "%", signed=True), shown(None, "%")
    ('0.13', '+3.0', '0.0', '–')
    """
    if value is None:
        return "–"
    rounded = round(value, 2 if unit in ("s", "ratio") else 1) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{2 if unit in ('s', 'ratio') else 1}f}"
