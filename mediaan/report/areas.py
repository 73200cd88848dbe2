"""Areas of interest in the data of the page, and how placements show them."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from mediaan.config.placements import stored_placements
from mediaan.metrics.guide import agreements
from mediaan.placements.fit import FittedMedium, TextAsShown, Visibility, fit_medium
from mediaan.placements.placed import SHOWN_FROM, area_findings, area_name, percent_text
from mediaan.report.timeline import GRID, TICKS
from mediaan.run.tables.rows import aoi_row
from mediaan.types.aoi import AOI_TYPES, Aoi, AoiMethod, Box
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec, Score
from mediaan.types.placement import Placement, PlacementView
from mediaan.types.result import Result

if TYPE_CHECKING:
    from mediaan.report.entries import MediumEntry


TIMES: tuple[Window, ...] = get_args(Window)

_METHODS: Mapping[AoiMethod, str] = {
    "text": "read as text",
    "wording": "recognized by its wording",
    "brand_name": "found by the brand's name",
    "logo_picture": "found by an image of the logo",
    "pack_picture": "found by an image of the pack",
    "word_mark": "looks like a logo, brand unknown",
    "detector": "found by the object detector",
    "drawn": "drawn by a person",
}
_COORDINATE_DIGITS = 5  # so that what is saved again is at the same place
_SCORE_DIGITS = 3


def most_seen_first(aoi: Aoi) -> tuple[float, float]:
    """Sort areas by the share of viewers who see them, those of which it is unknown last."""
    seen = aoi.value("percentage_seen")
    return -(-1.0 if seen is None else seen), -aoi.attention


def area_data(entry: MediumEntry, specs: Sequence[MetricSpec]) -> list[Mapping[str, Any]]:
    """Return the areas of a medium for the page's script; what is absent or null is left out to keep the page light."""
    return [_area_data(entry, aoi, specs) for aoi in entry.areas]


def _area_data(entry: MediumEntry, aoi: Aoi, specs: Sequence[MetricSpec]) -> Mapping[str, Any]:
    names = [spec.name for spec in specs]
    text, track = aoi.text, entry.tracks.get(aoi.aoi_id)
    ranges = entry.area_ranges.get(str(aoi.aoi_id))
    values = {
        "id": str(aoi.aoi_id),
        "type": aoi.type,
        "label": aoi.label,
        "method": "confirmed by a person" if aoi.confirmed else _METHODS.get(aoi.method, aoi.method),
        "box": [round(side, _COORDINATE_DIGITS) for side in aoi.box],
        "polygon": aoi.polygon and [[round(side, _COORDINATE_DIGITS) for side in point] for point in aoi.polygon],
        "confidence": _rounded(aoi.confidence),
        "t0": aoi.t0_s,
        "t1": aoi.t1_s,
        "text": aoi.words,
        "line": _rounded(text.line_height_pct) if text else None,
        "contrast": _rounded(text.contrast_ratio) if text else None,
        "legible": aoi.legible,
        "track": track and track.data(),
        "ranges": ranges and [_by_time([ranges.get((name, time)) for time in TIMES]) for name in names],
    }
    scores = [[_score(aoi.score(name, time)) for time in TIMES] for name in names]
    return {key: value for key, value in values.items() if value is not None} | {"scores": scores}


def _by_time(ranges: list[Any]) -> list[Any] | int:
    return 0 if all(encoded is None for encoded in ranges) else ranges


def _score(score: Score | None) -> list[float] | str | None:
    """Return a value alone, one with its interval, or the reason why there is none."""
    if score is None:
        return None
    if score.value is None:
        return score.reason or "not computed"
    return [round(number, _SCORE_DIGITS) for number in (score.value, *(score.bounds or ()))]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _SCORE_DIGITS)


def agreement_data(metric: str) -> Mapping[str, str]:
    """Return how well a score agrees with people, in words by domain; ``any`` for pictures of every domain."""
    return {grade.domain or "any": grade.text for grade in agreements(metric)}


def areas_data(entries: Iterable[MediumEntry], specs: Sequence[MetricSpec]) -> Mapping[str, Any]:
    """Return what the page's script needs of the areas of all media together."""
    keys = ("name", "title", "unit", "direction", "caption")
    return {
        "metrics": [
            {key: getattr(spec, key) for key in keys}
            | {"high": spec.high if math.isfinite(spec.high) else None, "agreement": agreement_data(spec.name)}
            for spec in specs
        ],
        "times": TIMES,
        "grid": GRID,
        "ticks": TICKS,
        "types": [{"name": name, "title": AREA_TYPES[name].title} for name in AOI_TYPES],
        "version": _version(entries),
    }


def _version(entries: Iterable[MediumEntry]) -> str:
    """Return a hash of the areas: a draft that was begun on other areas cannot be continued."""
    rows = {
        entry.medium_id: [aoi_row(entry.result.medium.medium_id, aoi) for aoi in entry.areas]
        for entry in entries
        if entry.result and entry.areas
    }
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


PlacementData = dict[str, Any]


def placements_data(result: Result, placements: Mapping[str, Placement]) -> Iterator[PlacementData]:
    """Yield data of each placement of a medium for the page's script; keys are read in `views/placements`.

    `result`: with the tracks of its areas.
    """
    views_by_name: dict[str, list[PlacementView]] = defaultdict(list)
    for view in result.placements:
        views_by_name[view.placement].append(view)
    aois = {str(aoi.aoi_id): aoi for aoi in result.aois or ()}
    for name, views in views_by_name.items():
        whole = next((view for view in views if view.aoi_id is None), None)
        if whole is None or name not in placements:
            continue
        fitted = fit_medium(result.medium.width, result.medium.height, placements[name])
        areas = [view for view in views if view.aoi_id is not None]
        lines, marks = [], []
        for view in areas:
            aoi, seen = aois.get(view.aoi_id or ""), _visibility(view)
            if aoi and (findings := area_findings(seen, _text(view))):
                lines.append({"name": area_name(aoi.type, aoi.label), "text": "; ".join(findings)})
                # of an area that moves, its box at the moment of one of its sightings
                box = next((sighting.box for sighting in aoi.track if sighting.t_s == view.worst_s), aoi.box)
                box = fitted.box_in_slot(box).clipped()
                if box.area > 0:  # else it is cropped away, and there is nothing to outline
                    marks.append({"box": _box_sides(box), "kind": "hidden" if seen.hidden >= SHOWN_FROM else "small"})
        yield {
            "name": name,
            "slot": [round(side / fitted.slot_mm[0], 4) for side in fitted.slot_mm],
            "crop": _box_sides(fitted.crop),
            "place": _box_sides(fitted.place),
            "marks": marks,
            "lines": lines,
            "areas": len(areas),
            "facts": _facts(fitted, whole),
        }


def _facts(fitted: FittedMedium, whole: PlacementView) -> str:
    """Say how large a placement shows a medium, and how much of it is hidden."""
    css_px, (wide, high) = fitted.shown_css_px, fitted.shown_mm
    size = f"{wide:.0f} × {high:.0f} mm" if css_px is None else f"{css_px[0]:.0f} × {css_px[1]:.0f} px"
    facts = [f"shown at {size}, {fitted.placement.degrees(wide):.1f}° wide"]
    if whole.cropped >= SHOWN_FROM:
        facts.append(f"{percent_text(whole.cropped / 100)} of the file cropped")
    if whole.covered >= SHOWN_FROM:
        facts.append(f"{percent_text(whole.covered / 100)} covered")
    return ", ".join(facts)


def describe_placements(run: Mapping[str, Any], names: Collection[str]) -> Mapping[str, PlacementData]:
    """Return the title, frame, zones and source of placements of a run, by name."""
    return {
        name: {
            "title": placement.title,
            "frame": placement.frame,
            "zones": [{"title": zone.title, "box": _box_sides(zone.box)} for zone in placement.zones],
            "source": placement.source,
            "date": placement.date,
        }
        for name, placement in (stored_placements(run).items() if names else ())
        if name in names
    }


def _visibility(view: PlacementView) -> Visibility:
    zones = zip(view.covered_by, view.covered_by_pct, strict=True)
    return Visibility(
        view.cropped / 100,
        view.covered / 100,
        tuple((name, share / 100) for name, share in zones),
        view.worst_s,
        None if view.hidden_time is None else view.hidden_time / 100,
    )


def _text(view: PlacementView) -> TextAsShown | None:
    arcmin = view.x_height_arcmin
    return None if arcmin is None else TextAsShown(view.text_px, arcmin, view.readable)


def _box_sides(box: Box) -> list[float]:
    return [round(side, 4) for side in box]
