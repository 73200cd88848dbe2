"""What a folder may hold that a run is written into: nothing, or what a run of the same recipe left there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from mediaan.errors import UsageError
from mediaan.run.files import disk_errors
from mediaan.run.lock import LOCK_FILE, latest_holder
from mediaan.run.recipe_changes import recipe_changes
from mediaan.storage import Place

RUN_FILE = "run.json"
UNFINISHED_FILE = "unfinished.json"
"""Lies in a run directory from the first medium to the report: what an interrupted run leaves can be taken up."""
CHANGING_FILE = "changing.json"
"""Lies in a finished run while AOIs are replaced, with the change: one that was cut off is carried out by the next."""
SCRATCH_FOLDER = ".scratch"
"""For films that are being made, and claims; empty but during a run."""

_FACTS = ("recipe_id", "recipe", "models", "mediaan")
"""What must be known to tell whether a run can be taken up, and why not."""
_LEFT = re.compile(
    r"""
      \.[\w.]+\.part
    | (run\.json | unfinished\.json | changing\.json | inventory\.parquet | attempts\.jsonl)
    | (parts | edits)/([0-9a-f]{2}/)? \.?[0-9a-f-]{32,36}(\.failed)?\.json\.gz(\.\d+\.part)?
    | maps/[^/]+-[0-9a-f]{16}/ \.?[\w.]+\.(jpg|npz|json|mp4|part)
    | tables/ \.?\w+\.parquet(\.[\w.]*part)?
    | report/ ([\w-]+/)* \.?[\w.-]+\.(html|js|css|json|webp|jpg|csv|pdf|part)
    | \.scratch/.*
    """,
    re.VERBOSE | re.DOTALL,
)
FOLDERS = ("parts", "edits", "maps", "tables", "report", SCRATCH_FOLDER)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    finished = (folder / RUN_FILE).is_file() and (folder / "tables").is_dir()
    return finished or (folder / UNFINISHED_FILE).is_file()


def is_remote_run(place: Place, folder: str) -> bool:
    """The same of a folder of an object store."""
    return any(place.size(f"{folder}/{name}") is not None for name in (UNFINISHED_FILE, "tables/media.parquet"))


def unfinished_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What ``unfinished.json`` says of a run: what tells whether it can be taken up, and what was said of its media."""
    return {name: facts.get(name) for name in (*_FACTS, "briefing", "rules")} | {"started_at": facts.get("created_at")}


def is_left_by_run(path: str) -> bool:
    """Whether a path relative to a run is one that runs write."""
    return _LEFT.fullmatch(path) is not None


def check_out(run_dir: Path, facts: Mapping[str, Any], *, force_new: bool = False, shown: str = "") -> None:
    """Refuse a folder that this run may not be written into.

    Parameters
    ----------
    run_dir : Path
        Need not exist.
    facts : mapping
        Of the run that shall be written: recipe_id, recipe, models, mediaan.
    force_new : bool
        Whether a run of another recipe may be there.
    shown : str
        What it is called in front of users, where that is not its path.

    Raises
    ------
    UsageError
        ``bad_out``: it is a file, holds other things than a run, or a run of another recipe; what changed is said.
    """
    shown = shown or str(run_dir)
    if not run_dir.exists():
        return
    if not run_dir.is_dir():
        raise UsageError(f"--out {shown}: is a file; name a folder", code="bad_out")
    earlier = [found for name in (UNFINISHED_FILE, RUN_FILE) if (found := _read_facts(run_dir / name)) is not None]
    if not earlier and not _is_ours(run_dir):
        raise UsageError(
            f"--out {shown}: holds files that are no run of mediaan; name a new or empty folder", code="bad_out"
        )
    for found in earlier:
        if found["recipe_id"] != facts.get("recipe_id") and not force_new:
            raise UsageError(_refusal(shown, found, facts), code="bad_out")


def sweep(run_dir: Path) -> None:
    """Remove what was in the making when a session was killed.

    Raises
    ------
    SetupError
        It may not be removed.
    """
    shutil.rmtree(run_dir / SCRATCH_FOLDER, ignore_errors=True)
    remove_partial(run_dir)


def remove_partial(run_dir: Path) -> None:
    """Remove tables, pages and facts that were half written, and nothing from which anyone may learn what happened."""
    with disk_errors(run_dir):
        for folder in (run_dir, run_dir / "tables", run_dir / "report"):
            for file in folder.glob(".*.part"):
                file.unlink(missing_ok=True)


def clear_run(run_dir: Path) -> None:
    """Remove what a run left in a folder, and nothing else; folders that are empty then go, too.

    Raises
    ------
    SetupError
        It may not be removed.
    """
    with disk_errors(run_dir):
        (run_dir / RUN_FILE).unlink(missing_ok=True)  # first: what is half removed is no finished run
        for file in chain(run_dir.iterdir(), *((run_dir / name).rglob("*") for name in FOLDERS)):
            if not file.is_dir() and is_left_by_run(file.relative_to(run_dir).as_posix()):
                file.unlink(missing_ok=True)
        for name in FOLDERS:
            _remove_empty(run_dir / name)


def _read_facts(path: Path) -> dict[str, Any] | None:
    """What a file says of its run; None where there is none, or the disk has damaged it."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and isinstance(facts.get("recipe_id"), str) else None


def _is_ours(run_dir: Path) -> bool:
    """Whether a folder without readable facts is empty, or a run was there whose facts were damaged or removed; parts
    are known by their recipe, so that those of another are not mistaken."""
    names = {path.name for path in run_dir.iterdir()}
    known = {RUN_FILE, UNFINISHED_FILE, CHANGING_FILE, LOCK_FILE, "inventory.parquet", "attempts.jsonl", *FOLDERS}
    marks = {LOCK_FILE, "parts", UNFINISHED_FILE}
    ours = {name for name in names if name in known or re.fullmatch(r"\..+\.part", name)}
    return not names or latest_holder(run_dir) is not None or (names == ours and bool(names & marks))


def _refusal(shown: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changes = "; ".join(recipe_changes(before, after)) or "other settings, model or version"
    return (
        f"--out {shown}: holds a run of another recipe ({changes}). Give the same settings to go on with it, name "
        "another --out, or start anew with --force-new, which removes what that run left there"
    )


def _remove_empty(folder: Path) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for inner in folder.iterdir():
        _remove_empty(inner)
    if not any(folder.iterdir()):
        folder.rmdir()
