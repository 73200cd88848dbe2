"""Place a medium with its areas: what is hidden, how large its text is, and scores as shown.

Scores are those on the stored densities, without what is cropped and covered. An estimate: what is hidden takes its
attention with it, and the rest keeps its proportions. A new prediction of the cropped picture would differ;
`bench/placements.py` measures by how much.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np

from mediaan.aoi.region import Region, coverage
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving, score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.placements.fit import (
    MIN_X_HEIGHT_ARCMIN,
    FittedMedium,
    TextAsShown,
    Visibility,
    aoi_visibility,
    disjoint,
    fit_medium,
    region_visibility,
    text_as_shown,
)
from mediaan.placements.preview import HIDDEN_COLOUR, SMALL_COLOUR, Mark
from mediaan.saliency.density import GridShape, normalise
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import FULL_FRAME, Aoi, Box, Sighting, aoi_words
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.placement import Placement

_ROUNDING = 1e-6
"""Share of a cell below which it is covered: its parts do not sum to exactly 1."""

NOTHING_SHOWN = "Nothing of the file is shown and uncovered."


def score_as_shown(
    aois: Sequence[Aoi],
    densities: Densities,
    track: DensityTrack | None,
    fitted: FittedMedium,
    exposure_s: float,
    model: FixationHazardModel | None = None,
) -> tuple[Aoi, ...]:
    """Score the areas of a medium as a placement shows it.

    `aois`: in unit coordinates of the medium.
    `densities`: of the whole medium.
    `track`: densities over time; None for an image.
    `exposure_s`: how long an image is looked at there; the duration of what moves, s.
    `model`: of viewers of one's own.
    Returns: in unit coordinates of the crop, scored by `score_still` or `score_moving`; empty where nothing of the
        medium is visible.
    """
    visible = tuple(_in_crop(aoi, fitted.crop) for aoi in aois)
    if track is None:
        seen = shown_densities(densities, fitted)
        if seen is None:
            return ()
        return score_still(visible, seen, exposure_s, model=model)

    def samples() -> Iterator[DensitySample]:
        for sample in track.samples():
            density = shown_density(sample.density, fitted)
            if density is not None:
                yield DensitySample(sample.t_s, sample.weight_s, sample.shot, density)

    return score_moving(visible, samples(), exposure_s, model=model, domain=densities.domain)


def shown_densities(densities: Densities, fitted: FittedMedium) -> Densities | None:
    """Restrict densities of a medium to what a placement shows uncovered; None where that is nothing.

    Returns: over the crop: cells tile the shown part of the medium evenly; each sums to 1.
    """
    if fitted.crop == FULL_FRAME and not fitted.zones:
        return densities
    maps = {window: shown_density(density, fitted) for window, density in densities.maps.items()}
    predicted = {window: density for window, density in maps.items() if density is not None}
    if "total" not in predicted:
        return None
    return Densities(predicted, densities.domains)


def shown_density(density: Float32, fitted: FittedMedium) -> Float32 | None:
    """Restrict one density to what is shown uncovered, (h, w) float32 that sums to 1; None where nothing is left.

    Mass is moved to the cells of the crop by the overlap of areas; cells that a zone covers in part keep the rest.
    """
    rows, columns = density.shape
    crop = fitted.crop
    shape = max(1, round(rows * crop.height)), max(1, round(columns * crop.width))
    down, across = _overlaps(crop.y0, crop.y1, rows, shape[0]), _overlaps(crop.x0, crop.x1, columns, shape[1])
    inside = down @ density.astype(np.float64) @ across.T
    inside *= uncovered(fitted, shape)
    return normalise(inside) if inside.sum() > 1e-9 else None


def uncovered(fitted: FittedMedium, shape: GridShape) -> Float64:
    """Return the share of each cell of a grid over the crop that no zone covers, (h, w) float64, 0-1."""
    left = np.ones(shape, np.float64)
    for piece in disjoint([zone.box for zone in fitted.zones]):
        left -= coverage(_relative(piece, fitted.crop), None, shape)
    left[left < _ROUNDING] = 0.0
    return left


def _overlaps(low: float, high: float, cells: int, wanted: int) -> Float64:
    """Return which share of each of `cells` along an axis falls into each of `wanted` cells between two places."""
    edges = np.linspace(low, high, wanted + 1) * cells
    begins, ends = edges[:-1, None], edges[1:, None]
    at = np.arange(cells)
    return np.asarray(np.clip(np.minimum(ends, at + 1) - np.maximum(begins, at), 0.0, 1.0), np.float64)


def _relative(box: Box, crop: Box) -> Box:
    """Return a box of the medium in unit coordinates of a part of it."""
    return Box(
        (box.x0 - crop.x0) / crop.width, (box.y0 - crop.y0) / crop.height,
        (box.x1 - crop.x0) / crop.width, (box.y1 - crop.y0) / crop.height,
    )  # fmt: skip


def _in_crop(aoi: Aoi, crop: Box) -> Aoi:
    """Return an area in unit coordinates of the crop, clipped to it."""
    if crop == FULL_FRAME:
        return aoi
    polygon = aoi.polygon and tuple(((x - crop.x0) / crop.width, (y - crop.y0) / crop.height) for x, y in aoi.polygon)
    track = tuple(sighting._replace(box=_relative(sighting.box, crop).clipped()) for sighting in aoi.track)
    return replace(aoi, box=_relative(aoi.box, crop).clipped(), polygon=polygon, track=track)


NO_DENSITIES = "No densities were kept; analyze again without --no-densities."

_LONGEST_LABEL = 30
_SAME_MOMENT_S = 0.25
"""How far a sighting may be from the frame on which it is outlined, s."""
SHOWN_FROM = 0.01
"""Share from which a hidden part is worth a sentence."""


def area_name(aoi_type: str, label: str) -> str:
    """Return the type of an area in words, and its label where it has another one.

    >>> area_name("call_to_action", "Shop  now"), area_name("face", "face"), area_name("other", "offer")
    ('call to action “Shop now”', 'face', 'offer')
    """
    kind, words = aoi_words(aoi_type), " ".join(label.split())
    if words.replace(" ", "_") in ("", aoi_type):
        return kind
    if aoi_type == "other":
        return words
    return f"{kind} “{words if len(words) <= _LONGEST_LABEL else words[: _LONGEST_LABEL - 1] + '…'}”"


def area_findings(seen: Visibility, text: TextAsShown | None) -> tuple[str, ...]:
    """Say what is wrong with an area in a placement: covered, cropped, too small; empty where nothing is."""
    findings = []
    at = "" if seen.worst_s is None else " at worst"
    if seen.covered >= SHOWN_FROM:
        zones = " and ".join(name.replace("_", " ") for name, share in seen.by_zone if share >= SHOWN_FROM)
        findings.append(f"{percent_text(seen.covered)} covered by {zones}{at}")
    if seen.cropped >= SHOWN_FROM:
        findings.append(f"{percent_text(seen.cropped)} cropped{at}")
    if findings and seen.hidden_time is not None:
        findings[-1] += f", {percent_text(seen.hidden_time)} of its time"
    if text is not None and text.too_small and seen.hidden < 1 - SHOWN_FROM:
        size = "" if text.text_px is None else f"{text.text_px:.0f} px, "
        findings.append(
            f"too small to read easily: {size}x-height {text.x_height_arcmin:.1f} arc minutes "
            f"(at least {MIN_X_HEIGHT_ARCMIN:g})"
        )
    return tuple(findings)


def percent_text(share: float) -> str:
    """Write a share in whole per cent; all and nothing only where it is that.

    >>> percent_text(0.42), percent_text(0.997), percent_text(0.001), percent_text(0.0)
    ('42 %', '99 %', '1 %', '0 %')
    """
    percent = round(100 * share)
    if percent == 100 and share < 0.999:
        percent = 99
    return f"{max(percent, 1) if share > 0 else 0} %"


@dataclass(frozen=True, slots=True)
class PlacedArea:
    """An area of a medium as a placement shows it."""

    aoi: Aoi
    visibility: Visibility
    text: TextAsShown | None
    """None for an area without text."""
    scores: Mapping[str, Score]
    """Mapping of str to Score. As shown, over the whole exposure, by metric; empty where `PlacedMedium.reason` says
    why."""

    @property
    def name(self) -> str:
        """Its type in words, and its label where it has another one."""
        return area_name(self.aoi.type, self.aoi.label)

    @property
    def findings(self) -> tuple[str, ...]:
        """Problems with it here, each in a few words; empty where there are none."""
        return area_findings(self.visibility, self.text)

    def mark_at(self, t_s: float | None = None) -> Mark | None:
        """Return its outline for a preview, as at a moment of a video; None if all is well, or it is not on screen."""
        box = self.aoi.box
        if self.aoi.track:
            near = min(self.aoi.track, key=lambda sighting: abs(sighting.t_s - t_s)) if t_s is not None else None
            if near is None or abs(near.t_s - (t_s or 0.0)) > _SAME_MOMENT_S:
                return None
            box = near.box
        if self.visibility.hidden >= SHOWN_FROM:
            return Mark(box, HIDDEN_COLOUR)
        return Mark(box, SMALL_COLOUR) if self.text is not None and self.text.too_small else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; shares in %."""
        seen, text = self.visibility, self.text
        moving = {} if seen.worst_s is None else {"worst_s": seen.worst_s, "hidden_time": 100 * (seen.hidden_time or 0)}
        return {
            "aoi_id": str(self.aoi.aoi_id),
            "type": self.aoi.type,
            "label": self.aoi.label,
            "cropped": 100 * seen.cropped,
            "covered": 100 * seen.covered,
            "covered_by": {name: 100 * share for name, share in seen.by_zone},
            **moving,
            **({} if text is None else text._asdict()),
            "scores": {
                metric: {"value": score.value, "lo": score.lo, "hi": score.hi, "unit": score.unit}
                for metric, score in self.scores.items()
            },
            "findings": list(self.findings),
        }


@dataclass(frozen=True, slots=True)
class PlacedMedium:
    """A medium as a placement shows it."""

    fitted: FittedMedium
    whole: Visibility
    """Of the whole medium."""
    areas: tuple[PlacedArea, ...]
    exposure_s: float
    """For which the scores hold, s."""
    reason: str | None = None
    """Why there are no scores."""

    @property
    def placement(self) -> Placement:
        """Placement that shows it."""
        return self.fitted.placement

    @property
    def findings(self) -> tuple[str, ...]:
        """Problems, a line for each area; empty where there are none."""
        return tuple(f"{area.name}: {'; '.join(area.findings)}" for area in self.areas if area.findings)

    @property
    def worst_s(self) -> float | None:
        """In a video, the moment at which most of an area is hidden; None in an image."""
        moments = [area.visibility for area in self.areas if area.visibility.worst_s is not None]
        return max(moments, key=lambda seen: seen.hidden).worst_s if moments else None

    def marks_at(self, t_s: float | None = None) -> tuple[Mark, ...]:
        """Return outlines for a preview: of an image, or of a video at a moment."""
        return tuple(mark for area in self.areas if (mark := area.mark_at(t_s)) is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; shares in %."""
        fitted, placement = self.fitted, self.placement
        css_px = fitted.shown_css_px
        return {
            "placement": placement.name,
            "title": placement.title,
            "shown_px": None if css_px is None else list(css_px),
            "shown_mm": list(fitted.shown_mm),
            "shown_deg": [placement.degrees(side) for side in fitted.shown_mm],
            "cropped": 100 * self.whole.cropped,
            "covered": 100 * self.whole.covered,
            "covered_by": {name: 100 * share for name, share in self.whole.by_zone},
            "exposure_s": self.exposure_s,
            **({"reason": self.reason} if self.reason else {}),
            "areas": [area.to_dict() for area in self.areas],
            "source": placement.source,
            "date": placement.date,
        }


_METRICS = ("attention", "percentage_seen", "time_spent", "first_seen_s")
"""Scores as shown that are kept."""


def place_medium(
    medium: Medium,
    placement: Placement,
    aois: Sequence[Aoi] = (),
    densities: Densities | None = None,
    track: DensityTrack | None = None,
    *,
    exposure_s: float,
    model: FixationHazardModel | None = None,
) -> PlacedMedium:
    """Look how a placement shows a medium.

    `densities`: none: no scores.
    `track`: densities over time; None for an image.
    `exposure_s`: how long an image is looked at there, s; what moves lasts as long as it lasts.
    `model`: of viewers of one's own.
    """
    fitted = fit_medium(medium.width, medium.height, placement)
    seconds = medium.duration_s if medium.kind != "image" and medium.duration_s else exposure_s
    scores: dict[UUID, dict[str, Score]] = {}
    reason = None if densities is not None else NO_DENSITIES
    if densities is not None and aois:
        shown = score_as_shown(aois, densities, track, fitted, seconds, model)
        reason = None if shown else NOTHING_SHOWN
        scores = {
            aoi.aoi_id: {
                score.metric: score for score in aoi.scores if score.time == "total" and score.metric in _METRICS
            }
            for aoi in shown
        }
    weights = _weights(track)
    areas = tuple(
        PlacedArea(
            aoi,
            aoi_visibility(aoi, fitted, [weights(sighting) for sighting in aoi.track]),
            text_as_shown(aoi, fitted),
            scores.get(aoi.aoi_id, {}),
        )
        for aoi in aois
    )
    return PlacedMedium(fitted, region_visibility(Region(FULL_FRAME, None), fitted), areas, seconds, reason)


def _weights(track: DensityTrack | None) -> Any:
    """Return a function from a sighting to the seconds for which its sample stands."""
    if track is None:
        return lambda sighting: 1.0
    samples = track.arrays()
    times, seconds = samples["t_s"].tolist(), samples["weight_s"].tolist()

    def weight(sighting: Sighting) -> float:
        place = min(bisect_left(times, sighting.t_s - 1e-3), len(times) - 1)
        return max(float(seconds[place]), 1e-6)

    return weight


def findings_by_line(placed: PlacedMedium) -> Iterator[str]:
    """Yield what a terminal or a sheet says of a placed medium: its size, what is cropped and covered, its areas."""
    css_px, (wide, high) = placed.fitted.shown_css_px, placed.fitted.shown_mm
    size = f"{wide:.0f} x {high:.0f} mm" if css_px is None else f"{css_px[0]:.0f} x {css_px[1]:.0f} px"
    yield f"shown at {size}, {placed.placement.degrees(wide):.1f} x {placed.placement.degrees(high):.1f} degrees"
    if placed.whole.cropped >= SHOWN_FROM / 10:
        yield f"{percent_text(placed.whole.cropped)} of the file cropped"
    yield from placed.findings
    if placed.areas and not placed.findings:
        yield "no area is covered, cropped or too small"
