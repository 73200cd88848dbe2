"""Score changed AOIs of a run on what it kept, and bring all that follows from its scores up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from mediaan.analysis import Plan
from mediaan.analysis.aoi_tasks import rescore_aois
from mediaan.analysis.options import Recipe
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.report.write import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.changes import change_aois, density_path, end_change, open_for_change
from mediaan.run.edits import Change
from mediaan.run.metadata import RunMetadata
from mediaan.run.tables.rows import ScoredAois
from mediaan.saliency.density_storage import read_densities
from mediaan.storage import Storage
from mediaan.types.aoi import Aoi, AoiType, BrandSearch
from mediaan.types.media import Medium
from mediaan.workflow.placements import refresh_placements
from mediaan.workflow.populations import AUTO, NONE
from mediaan.workflow.ranges import rate_again, rate_run, rating_arguments
from mediaan.workflow.rules import refresh_rule_results
from mediaan.workflow.screen_times import refresh_screen_times

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


def scored_aois(
    run: Run,
    path: str,
    medium: Medium,
    aois: tuple[Aoi, ...],
    brand: BrandSearch | None = None,
    absent: frozenset[AoiType] = frozenset(),
) -> ScoredAois:
    """Score AOIs on the densities that a run kept of a medium; no model runs.

    `brand`, `absent`: as of `ScoredAois`.
    Raises UsageError: it kept none.
    """
    densities = density_path(run, medium.medium_id)
    scored = scored_on(densities, run.metadata.recipe, run.exposure_s(path), medium, aois)
    return scored._replace(brand=brand, absent=absent)


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


def write_ranges(
    run_dir: str | Path, choice: str | None = AUTO, despite: str = "", attributes: str | Path | None = None
) -> dict[str, Any]:
    """Rate a finished run again, with all that follows from it: results of its rules, and the report.

    Parameters and errors are those of `rate_run`; where `choice` is None the run is rated as it was before, and
    automatically if it was compared with nothing.

    Returns: what `run.json` says of it.
    """
    arguments: dict[str, Any] = {"choice": choice, "despite": despite, "attributes": attributes}
    with open_for_change(run_dir) as run:
        if choice is None:
            before = rating_arguments(run)
            kept = before if before.get("choice") != NONE else {}
            arguments = {"choice": AUTO, **kept, **{key: value for key, value in arguments.items() if value}}
        populations = rate_run(run_dir, **arguments)
        refresh_rule_results(read_run(run_dir))
        refresh_report(run.path)
        end_change(run.path)
    return populations.facts()


def refresh_derived(run_dir: Path, maps: Storage | None = None) -> None:
    """Write again what follows from the scores and ranges of a run: times on screen, placements, rules, report.

    `maps`: where the run's maps lie, if not in its folder.
    """
    refresh_screen_times(read_run(run_dir))
    refresh_placements(read_run(run_dir), maps)
    refresh_rule_results(read_run(run_dir))
    refresh_report(run_dir, maps=maps)


def keep_changes(run: Run, aois: Scored, changes: Mapping[str, Any], history: Sequence[Change] = ()) -> None:
    """Replace AOIs in the tables, record the change in ``run.json``, and derive again all that follows from them.

    `run`: held by `open_for_change`, and with the metadata by which the AOIs were scored.
    `aois` (sequence of (Medium, ScoredAois)): of media whose AOIs are replaced.
    `changes`: entries of ``run.json`` that change.
    `history`: entries of ``aoi_changes`` that are new.
    """
    paths = {medium.medium_id: path for path, medium in analyzed_media(run)}
    scored = [(medium, run.exposure_s(paths[medium.medium_id]), of_medium) for medium, of_medium in aois]
    with change_aois(run, scored, run.metadata.updated(**changes), history):
        rate_again(run.path)
        refresh_derived(run.path)
