"""Write the tables of a finished run about its videos: when areas are on screen, and one row of each as an ad."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq

from mediaan.aoi.scoring.film_scores import AOI_FILM_SCORES, BRAND_SEEN, FILM_SCORES, end_card_start_s
from mediaan.aoi.scoring.fixation_hazard import window_span
from mediaan.aoi.scoring.screen_time import (
    APPEARS,
    CHARACTERS_PER_S,
    END_CARD,
    ON_SCREEN,
    OPENING_SHOTS,
    seconds_within,
)
from mediaan.rules.parse import parse_rule
from mediaan.rules.rule import RuleArea, RuleMedium, ScoreReading
from mediaan.run import Run
from mediaan.run.tables.writing import replace_table
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES
from mediaan.types.densities import WINDOWS, Window
from mediaan.types.metrics import MetricSpec
from mediaan.workflow.rating.rules import ruled_media

ScreenTimeRow = dict[str, Any]

_OF_TEXTS = (CHARACTERS_PER_S, *AOI_FILM_SCORES)
_ASKED = tuple(
    parse_rule(text)
    for text in ("end_card_s >= 0", "other.appears_s >= 0", *(f"other.{spec.name} >= 0" for spec in _OF_TEXTS))
)  # so that these are read
_TOTAL: Window = "total"


def refresh_screen_times(run: Run) -> None:
    """Write the tables `screen_times` and `film` of a run from its areas, tracks and scenes."""
    if pq.read_metadata(run.path / "tables" / "frames.parquet").num_rows:
        replace_table(run.path, "screen_times", screen_time_rows(run))
        replace_table(run.path, "film", list(film_rows(run)))  # whole, since it is read for its audio tracks


def screen_time_rows(run: Run) -> Iterator[ScreenTimeRow]:
    """Yield, for each video once, when what is on screen.

    Yields
    ------
    dict
        Rows of the table `screen_times`: of the medium, of all areas of each type that was looked for, of each area.
    """
    for measured in _videos(run):
        for row in _rows(measured):
            yield {"medium_id": measured.medium_id, **row}


def film_rows(run: Run) -> Iterator[ScreenTimeRow]:
    """Yield a row of the table `film` for each video."""
    for measured in _videos(run):
        assert measured.duration_s is not None
        readings = {spec.name: measured.scores[spec.name, _TOTAL] for spec in FILM_SCORES}
        seen = readings[BRAND_SEEN.name]
        yield {
            "medium_id": measured.medium_id,
            "duration_s": measured.duration_s,
            "end_card_start_s": end_card_start_s(measured.shots, measured.duration_s),
            **{
                spec.name: bool(value) if spec.high == 1 and value is not None else value
                for spec in FILM_SCORES
                for value in [readings[spec.name].value]
            },
            "brand_seen_lo": seen.lo,
            "brand_seen_hi": seen.hi,
            "reasons": json.dumps({name: one.reason for name, one in readings.items() if one.value is None}),
        }


def _videos(run: Run) -> Iterator[RuleMedium]:
    """Yield what moves in a run, each once."""
    seen = set()
    for medium in ruled_media(run, _ASKED):
        if medium.measured.duration_s is not None and medium.measured.medium_id not in seen:
            seen.add(medium.measured.medium_id)
            yield medium.measured


def _rows(measured: RuleMedium) -> Iterator[ScreenTimeRow]:
    for spec in (END_CARD, OPENING_SHOTS):
        yield _row(spec, _TOTAL, measured.scores[spec.name, _TOTAL])
    for aoi_type in AOI_TYPES:
        if aoi_type in measured.looked_for:
            areas = [one for one in measured.areas if one.type == aoi_type]
            areas += [one for one in measured.areas if aoi_type == "branding" and one.names_brand]
            yield from ({**row, "aoi_type": aoi_type} for row in _when(areas, measured))
    for area in measured.areas:
        yield from ({**row, "aoi_type": area.type, "aoi_id": area.aoi_id} for row in _when([area], measured))
        if area.type in TEXT_TYPES:
            for spec in _OF_TEXTS:
                row = _row(spec, _TOTAL, area.scores[spec.name, _TOTAL])
                yield {**row, "aoi_type": area.type, "aoi_id": area.aoi_id}


def _when(areas: Sequence[RuleArea], measured: RuleMedium) -> Iterator[ScreenTimeRow]:
    """Yield since when and for how long any of some areas is on screen."""
    spans = [span for area in areas for span in area.on_screen]
    first = ScoreReading(min(spans)[0]) if spans else ScoreReading(None, reason="There is no such area.")
    yield _row(APPEARS, _TOTAL, first)
    for time in WINDOWS:
        seconds = seconds_within(spans, *window_span(time, measured.duration_s or 0.0))
        yield _row(ON_SCREEN, time, ScoreReading(seconds))


def _row(spec: MetricSpec, time: Window, reading: ScoreReading) -> ScreenTimeRow:
    return {
        "metric": spec.name,
        "metric_time": time,
        "value": reading.value,
        "unit": spec.unit,
        "reason": reading.reason,
    }
