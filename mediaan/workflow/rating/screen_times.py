"""Write the table of when areas are on screen, for the media of a finished run that move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq

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

_ASKED = tuple(
    parse_rule(text) for text in ("other.appears_s >= 0", "other.characters_per_s >= 0", "end_card_s >= 0")
)  # so that these are read
_TOTAL: Window = "total"


def refresh_screen_times(run: Run) -> None:
    """Write the table `screen_times` of a run from its areas, tracks and scenes; no medium is looked at again."""
    if pq.read_metadata(run.path / "tables" / "frames.parquet").num_rows:
        replace_table(run.path, "screen_times", screen_time_rows(run))


def screen_time_rows(run: Run) -> Iterator[ScreenTimeRow]:
    """Yield, for each video once, when what is on screen.

    Yields
    ------
    dict
        Rows of the table `screen_times`: of the medium, of all areas of each type that was looked for, of each area.
    """
    seen = set()
    for medium in ruled_media(run, _ASKED):
        measured = medium.measured
        if measured.duration_s is None or measured.medium_id in seen:
            continue
        seen.add(measured.medium_id)
        for row in _rows(measured):
            yield {"medium_id": measured.medium_id, **row}


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
            row = _row(CHARACTERS_PER_S, _TOTAL, area.scores[CHARACTERS_PER_S.name, _TOTAL])
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
