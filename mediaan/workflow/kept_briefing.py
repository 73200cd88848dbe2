"""What was said of the media of a run before: kept when it goes on and nothing else is said, dropped on request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mediaan import __version__
from mediaan.config import ObjectivesConfig
from mediaan.config.aoi_file import AoiSheet, load_aois
from mediaan.config.objective_table import SETTINGS
from mediaan.config.objectives import objectives_again, written_objectives
from mediaan.config.rules import rules_of_run
from mediaan.errors import UsageError
from mediaan.run.opening import RUN_FILE, UNFINISHED_FILE
from mediaan.storage import open_place
from mediaan.workflow.briefing import Briefing, load_briefing
from mediaan.workflow.settings import Settings

DROPPED = "none"
"""In the place of a file, or of a domain: what the run had is dropped."""


def written_briefing(briefing: Briefing) -> dict[str, Any]:
    """What ``run.json`` keeps of a briefing, so that the next session has it without its files but for drawn AOIs."""
    objectives = briefing.objectives and {
        "file": str(briefing.objectives_file),
        "folder": str(briefing.folder.resolve()),
        "content": written_objectives(briefing.objectives),
    }
    aois = briefing.sheet and briefing.aois_file
    return {
        "objectives": objectives,
        "rules_file": str(briefing.rules_file) if briefing.rules_file else None,
        "aois": {"file": str(aois.resolve()), "sha256": briefing.sheet.sha256} if aois and briefing.sheet else None,
        "domain": briefing.domain,
    }


def briefing_of(settings: Settings, out: str | Path) -> Briefing:
    """Read what is said of the media of a run: the files of the settings, and what the run had where they name none.

    Parameters
    ----------
    settings : Settings
    out : path
        Where the run is written to, and perhaps lies already.

    Raises
    ------
    UsageError
        A file is wrong; or what the run had cannot be had again.
    """
    objectives, aois, rules = (
        None if _is_dropped(given) else given for given in (settings.objectives, settings.aois, settings.rules)
    )
    said = load_briefing(objectives, aois, rules, domain=None if _is_dropped(settings.domain) else settings.domain)
    before = None if settings.force_new else earlier_briefing(out, settings)
    if before is not None:
        if settings.objectives is None:
            kept = ("objectives", "folder", "objectives_file")
            said = replace(said, **{name: getattr(before, name) for name in kept})
        if settings.rules is None:
            said = replace(said, more_rules=before.more_rules, rules_file=before.rules_file)
        if settings.domain is None:
            said = replace(said, domain=before.domain)
        if settings.aois is None and before.sheet is not None and before.aois_file is not None:
            said = replace(said, sheet=_sheet_again(before.aois_file, before.sheet), aois_file=before.aois_file)
    if _is_dropped(settings.rules) and said.objectives is not None:
        said = replace(said, objectives=said.objectives.model_copy(update={"rules": ()}))
    return said


def earlier_briefing(out: str | Path, settings: Settings) -> Briefing | None:
    """Read what a run was made with, from the run alone; of AOIs that people drew only which file held them.

    Rules are those that it has now (`mediaan check --keep` may have put others in their place).

    Parameters
    ----------
    out : path
        Where the run may be.
    settings : Settings
        Of the session that goes on with it.

    Returns
    -------
    Briefing or None
        None where there is no run, or where it does not say.

    Raises
    ------
    UsageError
        ``briefing_lost``: it has objectives that the settings do not replace, and not the file's own words.
    """
    facts = _earlier_facts(out)
    if facts is None:
        return None
    written = facts.get("briefing")
    if written is None:
        wanted = settings.objectives is None and facts.get("objectives")
        if wanted and facts.get("mediaan") == __version__:  # of another version it is refused with better reason
            raise _lost(out, "it does not keep the words of their file")
        return None
    try:
        return _read(written, facts.get("rules") or ())
    except (ValidationError, KeyError, TypeError) as error:
        raise _lost(out, f"they cannot be understood any more ({error})") from error


def kept(before: Briefing, settings: Settings) -> str:
    """Say in words what a run keeps because settings say nothing of it; empty where that is nothing.

    Parameters
    ----------
    before : Briefing
        From `earlier_briefing`.
    settings : Settings
    """
    return _in_words(before, [name for name in _NAMES if getattr(settings, name) is None])


def dropped(before: Briefing, settings: Settings) -> str:
    """Say in words what settings drop of what a run had; empty where that is nothing."""
    return _in_words(before, [name for name in _NAMES if _is_dropped(getattr(settings, name))])


_NAMES = ("objectives", "rules", "aois", "domain")


def _is_dropped(given: str | Path | None) -> bool:
    return str(given) == DROPPED


def _in_words(before: Briefing, names: list[str]) -> str:
    said: list[str] = []
    if "objectives" in names and before.objectives is not None:
        said.append(f"objectives ({Path(str(before.objectives_file)).name}: {_contents(before.objectives)})")
    if "rules" in names and before.more_rules:
        count = len(before.more_rules)
        said.append(f"{count} {'rule' if count == 1 else 'rules'}")
    if "aois" in names and before.aois_file is not None:
        said.append(f"areas that were drawn ({before.aois_file.name})")
    if "domain" in names and before.domain is not None:
        said.append(f"domain {before.domain}")
    return ", ".join(said)


def _contents(config: ObjectivesConfig) -> str:
    rows = config.table.rows.values() if config.table else ()
    named = {name for part in (config.defaults, *config.media, *rows) for name in part.model_fields_set}
    counts = {"rule": len(config.rules), "target": len(config.targets)}
    told = [name for name in SETTINGS if name in named]
    return ", ".join(told + [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]) or "empty"


def _earlier_facts(out: str | Path) -> Mapping[str, Any] | None:
    """Of the session that did not come to its end, else of the finished run; None of what the disk has damaged."""
    place = open_place(out)
    for name in (UNFINISHED_FILE, RUN_FILE):
        try:
            facts = json.loads(place.read(name))
        except (OSError, ValueError):
            continue
        if isinstance(facts, dict):
            return facts
    return None


def _read(written: Mapping[str, Any], rules: Any) -> Briefing:
    in_force = rules_of_run(rules)
    kept_rules = [one.written() for one in in_force]
    said, aois, config = written["objectives"], written["aois"], None
    if said is not None:
        whole = objectives_again(said["content"])
        config = whole.model_copy(update={"rules": tuple(r for r in whole.rules if r.written() in kept_rules)})
    of_objectives = [one.written() for one in config.rules] if config else []
    rules_file = written.get("rules_file")
    return Briefing(
        config,
        Path(said["folder"]) if said else Path(),
        AoiSheet({}, aois["sha256"]) if aois else None,
        tuple(one for one in in_force if one.written() not in of_objectives),
        written["domain"],
        Path(said["file"]) if said else None,
        Path(rules_file) if rules_file else None,
        Path(aois["file"]) if aois else None,
    )


def _sheet_again(file: Path, before: AoiSheet) -> AoiSheet:
    if not file.exists():
        what = "is not there any more"
    else:
        sheet = load_aois(file)
        if sheet.sha256 == before.sha256:
            return sheet
        what = "holds others now"
    raise UsageError(
        f"{file}: held the areas that people drew on the media of the run, and {what}; name the file that holds them "
        "with --aois",
        code="briefing_lost",
    )


def _lost(out: str | Path, why: str) -> UsageError:
    return UsageError(
        f"{out}: the run has objectives, and {why}; name their file with --objectives, or drop them with --objectives "
        "none",
        code="briefing_lost",
    )
