"""How placements show the files of a run: what the page draws and says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.config.placements import stored_placements
from mediaan.placements.fit import FittedMedium, fit_medium
from mediaan.placements.placed import SHOWN_FROM, area_findings, area_name, percent_text
from mediaan.placements.visibility import TextAsShown, Visibility
from mediaan.report.data.contents import Row, RunContents
from mediaan.types.aoi import Box

PlacementData = dict[str, Any]


def gather_placements(contents: RunContents) -> Mapping[str, list[PlacementData]]:
    """Return, by medium, data of each of its placements for the page's script; keys are read in `views/placements`."""
    if not contents.placements:
        return {}
    known = stored_placements(contents.run)
    sizes = {row["medium_id"]: (row["width"], row["height"]) for row in contents.media if row["status"] == "done"}
    labels = {(row["medium_id"], row["aoi_id"]): row for row in contents.aois}
    worst = _boxes_at(contents)
    wholes: dict[tuple[str, str], Row] = {}
    areas: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in contents.placements:
        key = row["medium_id"], row["placement"]
        if row["aoi_id"] is None:
            wholes[key] = row
        else:
            areas[key].append(row)
    found: dict[str, list[PlacementData]] = defaultdict(list)
    for (medium_id, name), whole in wholes.items():
        if name not in known or medium_id not in sizes:
            continue
        fitted = fit_medium(*sizes[medium_id], known[name])
        lines, marks = [], []
        for row in areas[medium_id, name]:
            aoi = labels.get((medium_id, row["aoi_id"]))
            if aoi is None:
                continue
            seen, text = _visibility(row), _text(row)
            if findings := area_findings(seen, text):
                lines.append({"name": area_name(aoi["type"], aoi["label"]), "text": "; ".join(findings)})
                box = worst.get((medium_id, row["aoi_id"], row["worst_s"])) or Box(*(aoi[side] for side in _SIDES))
                shown = fitted.box_in_slot(box).clipped()
                if shown.area > 0:  # else it is cropped away, and there is nothing to outline
                    kind = "hidden" if seen.hidden >= SHOWN_FROM else "small"
                    marks.append({"box": _rounded(shown), "kind": kind})
        found[medium_id].append(_data(fitted, whole, lines, marks, len(areas[medium_id, name])))
    return found


_SIDES = ("x0", "y0", "x1", "y1")


def _data(
    fitted: FittedMedium, whole: Row, lines: list[dict[str, str]], marks: list[dict[str, Any]], areas: int
) -> PlacementData:
    placement = fitted.placement
    css_px, (wide, high) = fitted.shown_css_px, fitted.shown_mm
    size = f"{wide:.0f} × {high:.0f} mm" if css_px is None else f"{css_px[0]:.0f} × {css_px[1]:.0f} px"
    facts = [f"shown at {size}, {placement.degrees(wide):.1f}° wide"]
    if whole["cropped"] >= SHOWN_FROM:
        facts.append(f"{percent_text(whole['cropped'] / 100)} of the file cropped")
    if whole["covered"] >= SHOWN_FROM:
        facts.append(f"{percent_text(whole['covered'] / 100)} covered")
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


def describe_placements(contents: RunContents) -> Mapping[str, PlacementData]:
    """Return what does not depend on a file of the placements in which files of a run are shown, by name."""
    names = {row["placement"] for row in contents.placements}
    known = stored_placements(contents.run) if names else {}
    return {
        name: {
            "title": placement.title,
            "frame": placement.frame,
            "zones": [{"title": zone.title, "box": _rounded(zone.box)} for zone in placement.zones],
            "source": placement.source,
            "date": placement.date,
        }
        for name, placement in known.items()
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


def _boxes_at(contents: RunContents) -> Mapping[tuple[str, str, float], Box]:
    """Return the boxes of areas that move at the moment at which most of them is hidden."""
    moments = {
        (row["medium_id"], row["aoi_id"], row["worst_s"]) for row in contents.placements if row["worst_s"] is not None
    }
    if not moments:
        return {}
    tracks = contents.aoi_tracks
    times = pa.array(sorted({t_s for _, _, t_s in moments}), pa.float64())
    of_these = tracks.filter(pc.is_in(tracks["t_s"], times))
    return {
        key: Box(*(row[side] for side in _SIDES))
        for row in of_these.to_pylist()
        if (key := (row["medium_id"], row["aoi_id"], row["t_s"])) in moments
    }


def _rounded(box: Box) -> list[float]:
    return [round(side, 4) for side in box]
