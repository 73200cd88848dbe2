"""Score changed AOIs of a finished run on what the run kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from mediaan.analysis import Plan
from mediaan.analysis.aoi_tasks import rescore_aois
from mediaan.analysis.options import Recipe
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.run import Run
from mediaan.run.changes import density_path
from mediaan.run.edits import ScoredAois
from mediaan.run.metadata import RunMetadata
from mediaan.saliency.density_storage import read_densities
from mediaan.types.aoi import Aoi, BrandSearch
from mediaan.types.media import Medium

Scored = Sequence[tuple[Medium, ScoredAois]]


def analyzed_media(run: Run) -> Iterator[tuple[str, Medium]]:
    """Yield media that were analyzed, each once, with its first path."""
    done = run.media[run.media.status == "done"].drop_duplicates("medium_id")
    for row in done.to_dict("records"):
        duration = row["duration_s"]
        yield (
            row["path"],
            Medium(
                medium_id=UUID(row["medium_id"]),
                name=row["name"],
                kind=row["type"],
                width=int(row["width"]),
                height=int(row["height"]),
                codec=row["codec"],
                duration_s=None if duration != duration else float(duration),
            ),
        )


def scored_aois(run: Run, path: str, medium: Medium, aois: tuple[Aoi, ...]) -> ScoredAois:
    """Score AOIs on the densities that a run kept of a medium; no model runs.

    Raises UsageError: it kept none.
    """
    return scored_on(density_path(run, medium.medium_id), run.metadata.recipe, run.exposure_s(path), medium, aois)


def same_brand(search: BrandSearch | None, metadata: RunMetadata, path: str) -> BrandSearch | None:
    """Return a search for a brand if the objectives of a run name the same brand for the medium at a path.

    Its spellings are those of the objectives.
    """
    if search is None or search.brand != metadata.brand(path):
        return None
    return metadata.brand_search(path, is_found=search.found)


def timestamped(**what: Any) -> dict[str, Any]:
    """Return an entry of ``run.json`` about a change made now."""
    return {"at": datetime.now(UTC).isoformat(timespec="seconds"), **what}


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
