"""Check an objectives file against media, and apply new objectives to a finished run without analyzing again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediaan.config import ObjectivesConfig
from mediaan.run import Run, read_run
from mediaan.run.answers import read_answers
from mediaan.run.changes import open_for_change, read_areas
from mediaan.run.results import analyzed_media
from mediaan.run.tables.rows import ScoredAois
from mediaan.workflow.answers import with_brands
from mediaan.workflow.derived import keep_changes, same_brand, scored_aois, timestamped
from mediaan.workflow.folder.inputs import dump_inputs, load_inputs
from mediaan.workflow.folder.listing import media_listing
from mediaan.workflow.ranges import check_rating


def apply_objectives(run_dir: str | Path, objectives: str | Path | None) -> Run:
    """Replace the objectives of a run, and derive again all that follows from them.

    Ranges, results of rules and the report are made again, and the scores of AOIs in images that are looked at for
    another time now. AOIs stay as they are: brands and platforms count when they are looked for the next time, and
    a domain when the media are analyzed the next time.

    `objectives`: YAML file, as `analyze_folder` takes it; None: nothing is said of the media any more.
    Its rules take the place of the run's.
    Returns: as it is now.
    Raises UsageError: no run; a file that is wrong, with every line that must change; a norm set that cannot be used;
        another exposure for an image with AOIs whose densities the run did not keep.
    """
    inputs = load_inputs(objectives, None)
    written = dump_inputs(inputs)
    with open_for_change(run_dir) as run:
        paths = [str(path) for path in run.media["path"]]
        facts = {
            "objectives": inputs.packed_objectives(paths),
            "unused_patterns": inputs.unused_patterns(paths),
            "rules": [rule.written() for rule in inputs.rules],
            "targets": inputs.targets,
            "briefing": {
                **(run.metadata.inputs or {}),
                **{name: written[name] for name in ("objectives", "rules_file")},
            },
        }
        changed = with_brands(Run(run.path, run.metadata.updated(**facts)), read_answers(run.path))
        check_rating(changed)
        name = Path(objectives).name if objectives else None
        history = [*run.metadata.objective_changes, timestamped(applied=name)]
        # AOIs of images that are looked at for another time, and of media with another named brand; whether that brand
        # is there is not known before it is looked for
        areas = read_areas(run, looks=True)
        scored = []
        for path, medium in analyzed_media(run):
            before = areas.get(medium.medium_id, ScoredAois())
            brand = same_brand(before.brand, changed.metadata, path)
            longer_or_shorter = run.exposure_s(path) != changed.exposure_s(path)
            if medium.kind == "image" and longer_or_shorter and before.aois:
                scored.append((medium, scored_aois(changed, path, medium, before.aois, brand, before.absent)))
            elif brand != before.brand:
                scored.append((medium, before._replace(brand=brand)))
        keep_changes(changed, scored, {"objective_changes": history})
    return read_run(run_dir)


def objectives_differ(run: Run, objectives: str | Path | None) -> bool:
    """Return whether a file states other objectives for the media of a run than it was made with."""
    paths = [str(path) for path in run.media["path"]]
    stated = run.metadata.updated(objectives=load_inputs(objectives, None).packed_objectives(paths))
    if not stated.objectives or not run.metadata.objectives:
        return bool(stated.objectives) != bool(run.metadata.objectives)
    return any(stated.objective(path) != run.metadata.objective(path) for path in paths)


@dataclass(frozen=True, slots=True)
class CheckedObjectives:
    """A valid objectives file, and what it says of some files."""

    config: ObjectivesConfig
    media: Mapping[str, Mapping[str, Any]]
    """Objectives by path, as ``run.json`` would keep them."""
    unused: tuple[str, ...] = ()
    """Patterns, and rows of the table, that fit no file: probably misspelt."""
    unlisted: tuple[str, ...] = ()
    """Files that the table does not know; empty without a table."""


def check_objectives(file: str | Path, paths: Sequence[str | Path] = ()) -> CheckedObjectives:
    """Read an objectives file as `analyze_folder` would, and look which files it speaks of.

    `file`: YAML, see ``docs/objectives.md``.
    `paths`: files and folders; none are opened but to tell that they are media.
    Raises UsageError: naming every line and key of the file that must change; or there are no media under the paths.
    """
    inputs = load_inputs(file, None)
    config = inputs.objectives
    assert config is not None
    if not paths:
        return CheckedObjectives(config, {})
    listed = [file.display_path for file in media_listing([Path(path) for path in paths]).files]
    table = config.table
    unlisted = tuple(path for path in listed if table.key(path) is None) if table else ()
    return CheckedObjectives(
        config, inputs.objective_facts(listed) or {}, tuple(inputs.unused_patterns(listed)), unlisted
    )
