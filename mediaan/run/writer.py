"""A run in the making: parts are committed as media finish, tables follow from them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.errors import UsageError
from mediaan.run.files import make_folder, write_whole
from mediaan.run.parts import Part, PartStore, identity_of, part_key
from mediaan.run.tables import Tally, write_tables
from mediaan.storage import LocalPlace, Place
from mediaan.types.result import Outcome

RUN_FILE = "run.json"
UNFINISHED_FILE = "unfinished.json"
"""Lies in a run directory from the first medium to the report: what an interrupted run leaves can be taken up."""
SCRATCH_FOLDER = ".scratch"
"""For films that are being made; empty but during a run."""


class RunWriter:
    """Keeps what comes of media, and writes the tables and ``run.json``.

    Parameters
    ----------
    run_dir : Path
        Made if absent. A folder that holds something else than a run of the same recipe is refused.
    facts : mapping
        What ``run.json`` says beside the counts: recipe, versions, models, metrics, maps.

    Raises
    ------
    UsageError
        `run_dir` is a file, holds other things, holds a run of another recipe, or cannot be made.
    """

    def __init__(self, run_dir: Path, facts: Mapping[str, Any]) -> None:
        self.run_dir = run_dir
        self.parts = PartStore(LocalPlace(run_dir))
        self._facts = dict(facts)
        self._keys: dict[str, str] = {}
        _check_folder(run_dir, self._facts.get("recipe_id"))
        make_folder(run_dir)
        shutil.rmtree(run_dir / SCRATCH_FOLDER, ignore_errors=True)
        make_folder(run_dir / SCRATCH_FOLDER)
        write_whole(run_dir / UNFINISHED_FILE, _as_json({"recipe_id": self._facts.get("recipe_id")}))

    @property
    def scratch(self) -> Path:
        """Folder for files in the making."""
        return self.run_dir / SCRATCH_FOLDER

    @property
    def recipe_id(self) -> str:
        """By which this run's parts are known."""
        return str(self._facts.get("recipe_id"))

    def settle(self, path: str, key: str) -> None:
        """Say which part holds what came of a path, now or later."""
        self._keys[path] = key

    def add(
        self,
        outcome: Outcome,
        files: Mapping[str, str],
        seconds: float,
        *,
        medium_id: UUID | None = None,
        wishes_id: str = "",
    ) -> None:
        """Commit what came of one file, and settle its path on it."""
        key = part_key(self.recipe_id, identity_of(outcome, medium_id), wishes_id)
        self.parts.commit(key, outcome, files, seconds)
        self.settle(outcome.path, key)

    def part_of(self, path: str) -> Part | None:
        """The part that a path is settled on; None where there is none."""
        key = self._keys.get(path)
        return None if key is None else self.parts.read(key)

    def finish(self, *, order: Iterable[str], skipped: int, seconds: float) -> dict[str, Any]:
        """Write the tables, then ``run.json``; returns the latter's contents.

        Parameters
        ----------
        order : iterable of str
            Paths in the order in which rows shall stand, whatever the order in which workers finished.
        skipped : int
            Files that are no media.
        seconds : float
            Wall time of the run, s.
        """
        tally = Tally()
        make_folder(self.run_dir / "tables")
        write_tables(self.run_dir / "tables", tally.over(self._listed(order)))
        facts = {**self._facts, **tally.facts(seconds)}
        facts["counts"]["skipped"] = skipped
        write_whole(self.run_dir / RUN_FILE, _as_json(facts))
        return facts

    def close(self) -> None:
        """Say that the run is whole, report and all."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.run_dir / UNFINISHED_FILE).unlink(missing_ok=True)

    def _listed(self, order: Iterable[str]) -> Iterator[tuple[str, Part]]:
        for path in order:
            part = self.parts.read(self._keys[path])
            assert part is not None, f"{path} has no part"
            yield path, part


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    finished = (folder / RUN_FILE).is_file() and (folder / "tables").is_dir()
    return finished or (folder / UNFINISHED_FILE).is_file()


def is_remote_run(place: Place, folder: str) -> bool:
    """The same of a folder of an object store."""
    return any(place.size(f"{folder}/{name}") is not None for name in (UNFINISHED_FILE, "tables/media.parquet"))


def _check_folder(run_dir: Path, recipe_id: object) -> None:
    if not run_dir.exists():
        return
    if not run_dir.is_dir():
        raise UsageError(f"--out {run_dir}: is a file; name a folder", code="bad_out")
    if not any(run_dir.iterdir()):
        return
    earlier = [_recipe_id(run_dir / name) for name in (UNFINISHED_FILE, RUN_FILE) if (run_dir / name).exists()]
    if not earlier or None in earlier:
        raise UsageError(
            f"--out {run_dir}: holds files that are no run of mediaan; name a new or empty folder", code="bad_out"
        )
    if set(earlier) != {recipe_id}:
        raise UsageError(
            f"--out {run_dir}: holds a run of another recipe ({earlier[0]}: other settings, model or version); "
            "name another folder, or delete this one",
            code="bad_out",
        )


def _recipe_id(path: Path) -> str | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = facts.get("recipe_id") if isinstance(facts, dict) else None
    return found if isinstance(found, str) else None


def _as_json(facts: Mapping[str, Any]) -> bytes:
    return (json.dumps(facts, indent=2) + "\n").encode()
