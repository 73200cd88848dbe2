"""What an objectives file says, before anything is analysed: of which media, and of which not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediaan.config import ObjectivesConfig
from mediaan.workflow.briefing import load_briefing
from mediaan.workflow.media_listing import media_listing


@dataclass(frozen=True, slots=True)
class CheckedObjectives:
    """A valid objectives file, and what it says of some files.

    Attributes
    ----------
    config : ObjectivesConfig
    media : mapping of str to mapping
        Objectives by path, as ``run.json`` would keep them.
    unused : tuple of str
        Patterns, and rows of the table, that fit no file: probably misspelt.
    unlisted : tuple of str
        Files that the table does not know; empty without a table.
    """

    config: ObjectivesConfig
    media: Mapping[str, Mapping[str, Any]]
    unused: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()


def check_objectives(file: str | Path, paths: Sequence[str | Path] = ()) -> CheckedObjectives:
    """Read an objectives file as `analyze_folder` would, and look which files it speaks of.

    Parameters
    ----------
    file : path
        YAML, see ``docs/objectives.md``.
    paths : sequence of path
        Files and folders; none are opened but to tell that they are media.

    Raises
    ------
    UsageError
        Naming every line and key of the file that must change; or there are no media under the paths.
    """
    briefing = load_briefing(file, None)
    config = briefing.objectives
    assert config is not None
    if not paths:
        return CheckedObjectives(config, {})
    shown = [found.shown for found in media_listing([Path(path) for path in paths]).files]
    table = config.table
    unlisted = tuple(path for path in shown if table.key(path) is None) if table else ()
    return CheckedObjectives(
        config, briefing.objective_facts(shown) or {}, tuple(briefing.unused_patterns(shown)), unlisted
    )
