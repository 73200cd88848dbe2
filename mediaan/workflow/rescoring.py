"""Score AOIs on densities that were kept; no model runs."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from mediaan.analysis import Plan
from mediaan.analysis.aoi_tasks import rescore_aois
from mediaan.analysis.recipe import Recipe
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.run.aois.edits import ScoredAois
from mediaan.saliency.density_storage import read_densities
from mediaan.types.aoi import Aoi
from mediaan.types.media import Medium


def scored_on(
    densities: Path | BinaryIO, recipe: Recipe, exposure_s: float, medium: Medium, aois: tuple[Aoi, ...]
) -> ScoredAois:
    """Score AOIs on the densities of a file, as a recipe asks."""
    computed, track = read_densities(densities)
    seen = Plan(calibration=recipe.calibration).seen
    intervals = recipe.intervals == "full"
    aois = rescore_aois(aois, medium, computed, track, exposure_s, seen, intervals=intervals)
    looks = estimate_looks(aois, computed, exposure_s, medium.medium_id) if track is None else None
    return ScoredAois(aois, looks=looks)
