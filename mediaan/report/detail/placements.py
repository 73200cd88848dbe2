"""How placements show the files of a run: what the page draws and says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mediaan.config.placements import stored_placements
from mediaan.placements.fit import FittedMedium, TextAsShown, Visibility, fit_medium
from mediaan.placements.placed import SHOWN_FROM, area_findings, area_name, percent_text
from mediaan.types.aoi import Aoi, Box
from mediaan.types.placement import Placement
from mediaan.types.result import Result

PlacementData = dict[str, Any]
Row = Mapping[str, Any]
"""Of the table `placements`."""


def placements_data(result: Result, placements: Mapping[str, Placement]) -> Iterator[PlacementData]:
    """Yield data of each placement of a medium for the page's script; keys are read in `views/placements`.

    `result`: with the tracks of its areas.
    `placements`: by name.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in result.placements:
        rows[row["placement"]].append(row)
    aois = {str(aoi.aoi_id): aoi for aoi in result.aois or ()}
    for name in [name for name in rows if name in placements]:
        of_medium = next((row for row in rows[name] if row["aoi_id"] is None), None)
        if of_medium is None:
            continue
        fitted = fit_medium(result.medium.width, result.medium.height, placements[name])
        areas = [row for row in rows[name] if row["aoi_id"] is not None]
        lines, marks = [], []
        for row in [row for row in areas if row["aoi_id"] in aois]:
            aoi, seen = aois[row["aoi_id"]], _visibility(row)
            if findings := area_findings(seen, _text(row)):
                lines.append({"name": area_name(aoi.type, aoi.label), "text": "; ".join(findings)})
                box = fitted.box_in_slot(_box_at(aoi, row["worst_s"])).clipped()
                if box.area > 0:  # else it is cropped away, and there is nothing to outline
                    marks.append({"box": _rounded(box), "kind": "hidden" if seen.hidden >= SHOWN_FROM else "small"})
        yield _data(fitted, of_medium, lines, marks, len(areas))


def _box_at(aoi: Aoi, t_s: float | None) -> Box:
    """Return the box of an area at the moment of one of its sightings; else its usual one."""
    return next((sighting.box for sighting in aoi.track if sighting.t_s == t_s), aoi.box)


def _data(
    fitted: FittedMedium, of_medium: Row, lines: list[dict[str, str]], marks: list[dict[str, Any]], areas: int
) -> PlacementData:
    placement = fitted.placement
    css_px, (wide, high) = fitted.shown_css_px, fitted.shown_mm
    size = f"{wide:.0f} × {high:.0f} mm" if css_px is None else f"{css_px[0]:.0f} × {css_px[1]:.0f} px"
    facts = [f"shown at {size}, {placement.degrees(wide):.1f}° wide"]
    if of_medium["cropped"] >= SHOWN_FROM:
        facts.append(f"{percent_text(of_medium['cropped'] / 100)} of the file cropped")
    if of_medium["covered"] >= SHOWN_FROM:
        facts.append(f"{percent_text(of_medium['covered'] / 100)} covered")
    return {
        "name": placement.name,
        "slot": [round(side / fitted.slot_mm[0], 4) for side in fitted.slot_mm],
        "crop": _rounded(fitted.crop),
        "place": _rounded(fitted.place),
        "marks": marks,
        "lines": lines,
        "areas": areas,
        "facts": ", ".join(facts),
    }


def describe_placements(run: Mapping[str, Any], names: Collection[str]) -> Mapping[str, PlacementData]:
    """Return the title, frame, zones and source of placements of a run, by name."""
    return {
        name: {
            "title": placement.title,
            "frame": placement.frame,
            "zones": [{"title": zone.title, "box": _rounded(zone.box)} for zone in placement.zones],
            "source": placement.source,
            "date": placement.date,
        }
        for name, placement in (stored_placements(run).items() if names else ())
        if name in names
    }


def _visibility(row: Row) -> Visibility:
    zones = zip(row["covered_by"], row["covered_by_pct"], strict=True)
    return Visibility(
        row["cropped"] / 100,
        row["covered"] / 100,
        tuple((name, share / 100) for name, share in zones),
        row["worst_s"],
        None if row["hidden_time"] is None else row["hidden_time"] / 100,
    )


def _text(row: Row) -> TextAsShown | None:
    arcmin = row["x_height_arcmin"]
    return None if arcmin is None else TextAsShown(row["text_px"], arcmin, row["readable"])


def _rounded(box: Box) -> list[float]:
    return [round(side, 4) for side in box]
