"""A picture before and after an edit as one HTML page that opens from disk."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from mediaan import __version__
from mediaan.aoi.metrics import AOI_METRICS, AVAILABILITY
from mediaan.metrics import BUILT_INS
from mediaan.report.environment import page_environment, picture_uri, sources
from mediaan.types.aoi import Aoi
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

    @property
    def told(self) -> list[Row]:
        """Those that rise or fall by more than chance."""
        return [row for row in self.rows if row.change.is_told]

    @property
    def quiet(self) -> list[Row]:
        """The others."""
        return [row for row in self.rows if not row.change.is_told]

    @property
    def quiet_count(self) -> int:
        """How many of the others there are."""
        return len(self.quiet)


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
    environment = page_environment()
    return environment.get_template("whatif.html.j2").render(
        result=result,
        edits=[str(edit) for edit, _ in result.edits],
        scores=[Row(_SPECS[c.metric], c) for c in result.changes if c.aoi_id is None and c.metric in _SPECS],
        areas=_areas(result),
        pictures=[(_CAPTIONS[name], picture_uri(picture)) for name, picture in result.pictures.items()],
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _areas(result: WhatIf) -> list[Area]:
    """Those that were edited first, then by attention before."""
    areas = []
    for aoi in result.aois:
        found = result.of(aoi.aoi_id)
        rows = tuple(Row(spec, found[spec.name, "total"]) for spec in AOI_METRICS if spec is not AVAILABILITY)
        areas.append(Area(aoi, aoi.aoi_id in result.touched, result.removed(aoi.aoi_id), rows))
    return sorted(areas, key=lambda area: (not area.touched, -(area.rows[0].change.before or 0.0)))
