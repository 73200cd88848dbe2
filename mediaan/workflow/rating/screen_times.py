"""Write the tables of a finished run about its videos: when areas are on screen, and one row of each as an ad."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq

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
from mediaan.judge.rules.derived import with_derived_scores
from mediaan.run import Run
from mediaan.run.tables.writing import replace_table
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES, Aoi
from mediaan.types.densities import WINDOWS
from mediaan.types.metrics import Score
from mediaan.types.result import Result

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
    seen = set()
    for result in run.results(_TABLES, metrics=("attention", "percentage_seen")):
        film = Film.of(result)
        if film is not None and result.medium.medium_id not in seen:
            seen.add(result.medium.medium_id)
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
