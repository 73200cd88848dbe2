"""Score areas as a placement shows them: on the stored densities, without what is cropped and covered.

An estimate: what is hidden takes its attention with it, and the rest keeps its proportions. A new prediction of the
cropped picture would differ; `bench/placements.py` measures by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mediaan.aoi.region import coverage
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving, score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.placements.fit import FittedMedium
from mediaan.placements.visibility import disjoint
from mediaan.saliency.density import GridShape, normalise
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import FULL_FRAME, Aoi, Box
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities

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
    *,
    intervals: bool = True,
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
    shown = tuple(_in_crop(aoi, fitted.crop) for aoi in aois)
    if track is None:
        seen = shown_densities(densities, fitted)
        if seen is None:
            return ()
        return score_still(shown, seen, exposure_s, model=model, intervals=intervals)

    def samples() -> Iterator[DensitySample]:
        for sample in track.samples():
            density = shown_density(sample.density, fitted)
            if density is not None:
                yield DensitySample(sample.t_s, sample.weight_s, sample.shot, density)

    return score_moving(shown, samples(), exposure_s, model=model, intervals=intervals, domain=densities.domain)


def shown_densities(densities: Densities, fitted: FittedMedium) -> Densities | None:
    """Restrict densities of a medium to what a placement shows uncovered; None where that is nothing.

    Returns: over the crop: cells tile the shown part of the medium evenly; each sums to 1.
    """
    if fitted.crop == FULL_FRAME and not fitted.zones:
        return densities
    maps = {window: shown_density(density, fitted) for window, density in densities.maps.items()}
    variants = densities.variants
    if variants is not None:
        changed = [shown_density(variant.astype(np.float32), fitted) for variant in variants]
        kept = [variant for variant in changed if variant is not None]
        variants = np.stack(kept).astype(np.float16) if kept else None
    predicted = {window: density for window, density in maps.items() if density is not None}
    if "total" not in predicted:
        return None
    return Densities(predicted, variants, densities.domains)


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
