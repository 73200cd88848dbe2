"""Write an image before and after an edit to a folder: images, numbers, and one HTML page that shows both."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from mediaan import __version__
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY
from mediaan.metrics import metric_specs
from mediaan.report.web.environment import page_environment, picture_uri, sources
from mediaan.studies.folder import write_study
from mediaan.types.aoi import Aoi
from mediaan.types.edits import Change, WhatIf

_STYLES = ("core/page.css", "studies/whatif.css")
_CAPTIONS = {
    "before": "Before",
    "after": "After",
    "before_heat": "Attention before",
    "after_heat": "Attention after",
    "difference": "Gained and lost",
}
_AREA_SPECS = [spec for spec in AOI_METRICS if spec is not AVAILABILITY]
_SPECS = {spec.name: spec for spec in (*metric_specs(), *_AREA_SPECS)}


def render_whatif(result: WhatIf) -> str:
    """Render the page.

    `result`: with its pictures.
    Returns: a complete HTML document that needs no network and no other file.
    """
    environment = page_environment()
    areas = _areas(result)
    return environment.get_template("studies/whatif.html.j2").render(
        result=result,
        edits=[str(edit) for edit, _ in result.edits],
        specs=_SPECS,
        scores=[change for change in result.changes if change.aoi_id is None and change.metric in _SPECS],
        areas=areas,
        unchanged=sum(not change.is_told for _, changes in areas for change in changes),
        pictures=[(_CAPTIONS[name], picture_uri(picture)) for name, picture in result.pictures.items()],
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _areas(result: WhatIf) -> list[tuple[Aoi, list[Change]]]:
    """List areas with their changes over the whole exposure; those that were edited first, then by attention before."""
    areas = []
    for aoi in result.aois:
        changes = result.of(aoi.aoi_id)
        areas.append((aoi, [changes[spec.name, "total"] for spec in _AREA_SPECS]))
    return sorted(areas, key=lambda area: (area[0].aoi_id not in result.touched, -(area[1][0].before or 0.0)))


FACTS_FILE = "whatif.json"


def write_folder(result: WhatIf, folder: Path) -> Path:
    """Write both images and heatmaps, the difference, ``whatif.json`` and ``index.html`` (see `write_study`)."""
    return write_study(folder, FACTS_FILE, result.to_dict(), render_whatif(result), result.pictures)
