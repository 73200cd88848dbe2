"""Score changed AOIs of a run on what it kept, and bring all that follows from its scores up to date.

That includes two tables about its videos: when areas are on screen, and one row of each as an ad.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.parquet as pq

from mediaan.analysis import Plan
from mediaan.analysis.aoi_tasks import rescore_aois
from mediaan.analysis.options import Recipe
from mediaan.aoi.scoring.film_scores import (
    AOI_FILM_SCORES,
    APPEARS,
    CHARACTERS_PER_S,
    END_CARD,
    FILM_SCORES,
    ON_SCREEN,
    OPENING_SHOTS,
    Film,
    end_card_start_s,
    seconds_within,
)
from mediaan.aoi.scoring.fixation_hazard import window_span
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.judge.rules.derived import with_derived_scores
from mediaan.report.write import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.changes import change_aois, density_path, end_change, open_for_change
from mediaan.run.edits import Change
from mediaan.run.metadata import RunMetadata
from mediaan.run.results import analyzed_media, each_medium
from mediaan.run.tables.rows import ScoredAois
from mediaan.run.tables.writing import replace_table
from mediaan.saliency.density_storage import read_densities
from mediaan.storage import Storage
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES, Aoi, AoiType, BrandSearch
from mediaan.types.densities import WINDOWS
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.placements import refresh_placements
from mediaan.workflow.populations import AUTO, NONE
from mediaan.workflow.ranges import rate_again, rate_run, rating_arguments, refresh_rule_results

ScreenTimeRow = dict[str, Any]

_OF_TEXTS = tuple(spec.name for spec in (CHARACTERS_PER_S, *AOI_FILM_SCORES))
_TABLES = ("aois", "aoi_tracks", "aoi_scores", "frames", "scenes", "film")


def refresh_screen_times(run: Run) -> None:
    """Write the tables `screen_times` and `film` of a run from its areas, tracks and scenes."""
    if pq.read_metadata(run.path / "tables" / "frames.parquet").num_rows:
        replace_table(run.path, "screen_times", screen_time_rows(run))
        replace_table(run.path, "film", list(film_rows(run)))  # whole, since it is read for its audio tracks


def screen_time_rows(run: Run) -> Iterator[ScreenTimeRow]:
    """Yield, for each video once, when what is on screen.

    Yields: rows of the table `screen_times`: of the medium, of all areas of each type that was looked for, of each
        area.
    """
    for result, film in _videos(run):
        for row in _rows(result, film):
            yield {"medium_id": str(result.medium.medium_id), **row}


def film_rows(run: Run) -> Iterator[ScreenTimeRow]:
    """Yield a row of the table `film` for each video."""
    for result, film in _videos(run):
        scores = {spec.name: _score(result, spec.name) for spec in FILM_SCORES}
        yield {
            "medium_id": str(result.medium.medium_id),
            "duration_s": film.duration_s,
            "end_card_start_s": end_card_start_s(film.shots, film.duration_s),
            **{
                spec.name: bool(value) if spec.high == 1 and value is not None else value
                for spec in FILM_SCORES
                for value in [scores[spec.name].value]
            },
            "brand_seen_lo": scores["brand_seen"].lo,
            "brand_seen_hi": scores["brand_seen"].hi,
            "reasons": json.dumps({name: score.reason for name, score in scores.items() if score.value is None}),
        }


def _videos(run: Run) -> Iterator[tuple[Result, Film]]:
    """Yield what moves in a run, each once."""
    for result in each_medium(run.results(_TABLES, metrics=("attention", "percentage_seen"))):
        film = Film.of(result)
        if film is not None:
            yield with_derived_scores(result, film), film


def _score(of: Result | Aoi, metric: str) -> Score:
    score = of.score(metric)
    assert score is not None
    return score


def _rows(result: Result, film: Film) -> Iterator[ScreenTimeRow]:
    for spec in (END_CARD, OPENING_SHOTS):
        yield _row(_score(result, spec.name))
    for aoi_type in AOI_TYPES:
        if aoi_type in film.looked_for:
            areas = [aoi for aoi in film.areas if aoi.type == aoi_type]
            areas += [aoi for aoi in film.areas if aoi_type == "branding" and film.names_brand(aoi)]
            yield from ({**row, "aoi_type": aoi_type} for row in _when(areas, film))
    for aoi in result.aois or ():
        about = {"aoi_type": aoi.type, "aoi_id": str(aoi.aoi_id)}
        yield from ({**row, **about} for row in _when([aoi], film))
        if aoi.type in TEXT_TYPES:
            yield from ({**_row(_score(aoi, name)), **about} for name in _OF_TEXTS)


def _when(areas: Sequence[Aoi], film: Film) -> Iterator[ScreenTimeRow]:
    """Yield since when and for how long any of some areas is on screen."""
    spans = film.on_screen(areas)
    yield _row(Score.of(APPEARS, spans[0][0] if spans else None, reason=None if spans else "There is no such area."))
    for time in WINDOWS:
        yield _row(Score.of(ON_SCREEN, seconds_within(spans, *window_span(time, film.duration_s)), time=time))


def _row(score: Score) -> ScreenTimeRow:
    return {
        "metric": score.metric,
        "metric_time": score.time,
        "value": score.value,
        "unit": score.unit,
        "reason": score.reason,
    }


Scored = Sequence[tuple[Medium, ScoredAois]]


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
    aois = rescore_aois(aois, medium, computed, track, exposure_s, seen)
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
        refresh_report(read_run(run.path))
        end_change(run.path)
    return populations.facts()


def refresh_derived(run_dir: Path, maps: Storage | None = None) -> None:
    """Write again what follows from the scores and ranges of a run: times on screen, placements, rules, report.

    `maps`: where the run's maps lie, if not in its folder.
    """
    refresh_screen_times(read_run(run_dir))
    refresh_placements(read_run(run_dir), maps)
    refresh_rule_results(read_run(run_dir))
    refresh_report(read_run(run_dir), maps=maps)


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
