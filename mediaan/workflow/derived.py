"""Bring everything in a run that follows from its scores up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mediaan.report.write import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.changes import change_aois
from mediaan.run.edits import Change
from mediaan.storage import Storage
from mediaan.workflow.aoi_changes import Scored, analyzed_media
from mediaan.workflow.rating.placements import refresh_placements
from mediaan.workflow.rating.ranges import rate_again
from mediaan.workflow.rating.rules import refresh_rule_results
from mediaan.workflow.rating.screen_times import refresh_screen_times


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
