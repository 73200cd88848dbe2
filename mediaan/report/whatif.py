"""A picture before and after an edit as one HTML page that opens from disk."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mediaan import __version__
from mediaan.aoi.metrics import AOI_METRICS, AVAILABILITY
from mediaan.maps import encode_picture
from mediaan.metrics import BUILT_INS
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import UInt8
from mediaan.types.change import Change, WhatIf
from mediaan.types.metrics import MetricSpec

_STYLES = ("page.css", "whatif.css")
_CAPTIONS = {
    "before": "Before",
    "after": "After",
    "before_heat": "Attention before",
    "after_heat": "Attention after",
    "difference": "Gained and lost",
}
_SPECS = {metric.spec.name: metric.spec for metric in BUILT_INS}


@dataclass(frozen=True, slots=True)
class Row:
    """One metric with its change."""

    spec: MetricSpec
    change: Change


@dataclass(frozen=True, slots=True)
class Area:
    """One area with its changes over the whole exposure."""

    aoi: Aoi
    touched: bool
    removed: bool
    rows: tuple[Row, ...]


def render_whatif(result: WhatIf) -> str:
    """Render the page.

    Parameters
    ----------
    result : WhatIf
        With its pictures.

    Returns
    -------
    str
        A complete HTML document that needs no network and no other file.
    """
    environment = _environment()
    assert environment.loader is not None
    style = "\n".join(environment.loader.get_source(environment, name)[0] for name in _STYLES)
    return environment.get_template("whatif.html.j2").render(
        result=result,
        edits=[str(edit) for edit, _ in result.edits],
        scores=[Row(_SPECS[c.metric], c) for c in result.changes if c.aoi_id is None and c.metric in _SPECS],
        areas=_areas(result),
        pictures=[(_CAPTIONS[name], _uri(picture)) for name, picture in result.pictures.items()],
        version=__version__,
        style=Markup(style),
    )


def _areas(result: WhatIf) -> list[Area]:
    """Those that were edited first, then by attention before."""
    areas = []
    for aoi in result.aois:
        found = result.of(aoi.aoi_id)
        rows = tuple(Row(spec, found[spec.name, "total"]) for spec in AOI_METRICS if spec is not AVAILABILITY)
        areas.append(Area(aoi, aoi.aoi_id in result.touched, result.removed(aoi.aoi_id), rows))
    return sorted(areas, key=lambda area: (not area.touched, -(area.rows[0].change.before or 0.0)))


def _uri(picture: UInt8) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(encode_picture(picture)).decode("ascii")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("mediaan.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = _shown
    return environment


def _shown(value: float | None, unit: str, *, signed: bool = False) -> str:
    """A number as tables show it, – for none."""
    if value is None:
        return "–"
    rounded = round(value, 2 if unit in ("s", "ratio") else 1) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{2 if unit in ('s', 'ratio') else 1}f}"
