"""Write a run: parts are committed as media finish, tables follow from them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from mediaan.errors import SetupError
from mediaan.run.aois.edits import AoiEditStore, EditOverlay
from mediaan.run.crash_log import Claims, CrashLog, WhenOrphaned
from mediaan.run.directory import (
    CHANGING_FILE,
    SCRATCH_FOLDER,
    UNFINISHED_FILE,
    check_output_folder,
    clear_run,
    remove_unfinished,
)
from mediaan.run.files import make_folder, write_atomic
from mediaan.run.lock import hold_run
from mediaan.run.metadata import RunMetadata, dump_json
from mediaan.run.part_key import part_key
from mediaan.run.parts import PartStore, ResultPart, identity_of
from mediaan.run.tables.writing import write_tables
from mediaan.storage import LocalStorage, Storage, prefetch_map
from mediaan.types.result import Outcome

_CLAIMS = "claims"


@contextmanager
def open_run(
    run_dir: Path,
    metadata: RunMetadata,
    *,
    force_new: bool = False,
    when_orphaned: WhenOrphaned | None = None,
) -> Iterator[RunWriter]:
    """Hold a run directory and write a run into it, or go on with the one that is there.

    `run_dir`: made if absent.
    `metadata`: without the counts.
    `force_new`: whether a run that is there is removed first, of whichever recipe.
    `when_orphaned`: see `Claims`.
    Raises UsageError: `run_dir` is a file, holds other things, holds a run of another recipe, or cannot be made; or
        someone else is writing it.
    Raises SetupError: it cannot be written to.
    """
    # before the lock, which would leave a file in a folder of others
    check_output_folder(run_dir, metadata, force_new=force_new)
    with hold_run(run_dir):
        check_output_folder(run_dir, metadata, force_new=force_new)
        if force_new:
            clear_run(run_dir)
        writer = RunWriter(run_dir, metadata, when_orphaned=when_orphaned)
        try:
            yield writer
        finally:
            writer.tidy()


class RunWriter:
    """Keeps what comes of media, and writes the tables and ``run.json``; see `open_run`.

    `claims`: what workers are at.
    `crash_log`: what killed them before.
    `edits`: AOIs that came after the analysis.
    `edited` (frozenset of str): media that had any when the run was opened.
    `is_resume`: whether an earlier session did not come to its end.
    """

    def __init__(
        self,
        run_dir: Path,
        metadata: RunMetadata,
        *,
        when_orphaned: WhenOrphaned | None = None,
        storage: Storage | None = None,
    ) -> None:
        make_folder(run_dir)
        self.run_dir = run_dir
        self.parts = PartStore(storage or LocalStorage(run_dir, run_dir / SCRATCH_FOLDER))
        self.edits = AoiEditStore(self.parts.storage)
        if (run_dir / CHANGING_FILE).is_file():
            self.edits.publish()
        self.edits.discard()
        self.edited = self.edits.ids()
        self._metadata = metadata
        self._keys: dict[str, str] = {}
        self.is_resume = (run_dir / UNFINISHED_FILE).exists()
        self.claims = Claims(run_dir / SCRATCH_FOLDER / _CLAIMS, self.recipe_id, when_orphaned)
        self.crash_log = CrashLog(run_dir)
        for key in self.claims.left_over():
            self.crash_log.left(key)
        remove_unfinished(run_dir)
        write_atomic(run_dir / UNFINISHED_FILE, dump_json(metadata.unfinished))
        make_folder(run_dir / SCRATCH_FOLDER)

    @property
    def scratch(self) -> Path:
        """Folder for files in the making."""
        return self.run_dir / SCRATCH_FOLDER

    @property
    def recipe_id(self) -> str:
        """Id of the recipe, which keys of parts depend on."""
        return str(self._metadata.recipe_id)

    @property
    def ahead(self) -> int:
        """So many parts are worth asking for at a time."""
        return 1

    @property
    def keeps_claims(self) -> bool:
        """True if the next session knows what workers were at, should this one be killed as a whole."""
        return True

    def whole_part(self, key: str) -> ResultPart | None:
        """Read the part of an earlier session, if it has all its maps."""
        return self.parts.whole(key, edited=self.edited)

    def publish(self, *names: str) -> None:
        """Upload files of the run as they are now; a folder needs nothing."""

    def assigned(self) -> Iterable[tuple[str, str]]:
        """Return paths with the keys of their parts."""
        return self._keys.items()

    def assign(self, path: str, key: str) -> None:
        """Set which part holds the result of a path, now or later."""
        self._keys[path] = key

    def add(
        self,
        outcome: Outcome,
        files: Mapping[str, str],
        seconds: float,
        *,
        medium_id: UUID | None = None,
        options_id: str = "",
        exposure_s: float | None = None,
    ) -> None:
        """Commit the result of one file as the part of its path."""
        key = part_key(self.recipe_id, identity_of(outcome, medium_id), options_id)
        self.parts.commit(key, outcome, files, seconds, exposure_s=exposure_s)
        self.assign(outcome.path, key)

    def part_of(self, path: str) -> ResultPart | None:
        """Read the part of a path; None where there is none."""
        key = self._keys.get(path)
        return None if key is None else self.parts.read(key)

    def finish(self, *, order: Iterable[str], skipped: int, seconds: float, analyzed: int | None = None) -> RunMetadata:
        """Write the tables, then ``run.json``; return its contents.

        `order`: paths in the order of the rows, whatever the order in which workers finished.
        `skipped`: files that are no media.
        `seconds`: wall time of the run, s.
        `analyzed`: media that were analyzed in that time, where others were known before.
        """
        make_folder(self.run_dir / "tables")
        overlay = EditOverlay(self.edits)
        counts = write_tables(self.run_dir / "tables", overlay.over(self._listed(order)))
        metadata = self._metadata.updated(**counts.facts(seconds, skipped, analyzed), **overlay.facts())
        metadata.write(self.run_dir)
        return metadata

    def tidy(self) -> None:
        """Remove unfinished files and claims: nothing is under way, and no worker died unseen."""
        shutil.rmtree(self.scratch, ignore_errors=True)

    def close(self) -> None:
        """Mark the run as complete, including its report."""
        self.tidy()
        for name in (CHANGING_FILE, UNFINISHED_FILE):
            (self.run_dir / name).unlink(missing_ok=True)

    def _listed(self, order: Iterable[str]) -> Iterator[tuple[str, ResultPart]]:
        for path, part in prefetch_map(lambda path: self.parts.read(self._keys[path]), order, ahead=self.ahead):
            if part is None:
                message = f"{self.run_dir}: what came of {path} was kept and is gone; run the same command again"
                raise SetupError(message, code="part_lost")
            yield path, part
