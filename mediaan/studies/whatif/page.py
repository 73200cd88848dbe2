"""Write an image before and after an edit to a folder: images, numbers, and one HTML page that shows both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from mediaan import __version__
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY
from mediaan.metrics import metric_specs
from mediaan.report.web.environment import page_environment, picture_uri, sources
from mediaan.studies.folder import write_study
from mediaan.types.aoi import Aoi
from mediaan.types.edits import Change, WhatIf
from mediaan.types.metrics import MetricSpec

_STYLES = ("core/page.css", "studies/whatif.css")
_CAPTIONS = {
    "before": "Before",
    "after": "After",
    "before_heat": "Attention before",
    "after_heat": "Attention after",
    "difference": "Gained and lost",
}
_SPECS = {spec.name: spec for spec in metric_specs()}


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One metric with its change."""

    spec: MetricSpec
    change: Change


@dataclass(frozen=True, slots=True)
class ChangedArea:
    """One area with its changes over the whole exposure."""

    aoi: Aoi
    touched: bool
    removed: bool
    rows: tuple[ChangeRow, ...]

    @property
    def told(self) -> list[ChangeRow]:
        """Rows that rise or fall by more than chance."""
        return [row for row in self.rows if row.change.is_told]

    @property
    def quiet(self) -> list[ChangeRow]:
        """All other rows."""
        return [row for row in self.rows if not row.change.is_told]

    @property
    def quiet_count(self) -> int:
        """Number of the other rows."""
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
    return environment.get_template("studies/whatif.html.j2").render(
        result=result,
        edits=[str(edit) for edit, _ in result.edits],
        scores=[ChangeRow(_SPECS[c.metric], c) for c in result.changes if c.aoi_id is None and c.metric in _SPECS],
        areas=_areas(result),
        pictures=[(_CAPTIONS[name], picture_uri(picture)) for name, picture in result.pictures.items()],
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _areas(result: WhatIf) -> list[ChangedArea]:
    """List areas, those that were edited first, then by attention before."""
    areas = []
    for aoi in result.aois:
        found = result.of(aoi.aoi_id)
        rows = tuple(ChangeRow(spec, found[spec.name, "total"]) for spec in AOI_METRICS if spec is not AVAILABILITY)
        areas.append(ChangedArea(aoi, aoi.aoi_id in result.touched, result.removed(aoi.aoi_id), rows))
    return sorted(areas, key=lambda area: (not area.touched, -(area.rows[0].change.before or 0.0)))


FACTS_FILE = "whatif.json"


def write_folder(result: WhatIf, folder: Path) -> Path:
    """Write both images and heatmaps, the difference, ``whatif.json`` and ``index.html`` (see `write_study`)."""
    return write_study(folder, FACTS_FILE, result.to_dict(), render_whatif(result), result.pictures)
