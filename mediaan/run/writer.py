"""Write a run, here or in an object store: parts are committed as media finish, tables follow from them."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mediaan.errors import SetupError
from mediaan.run.crash_log import Claims, CrashLog, WhenOrphaned
from mediaan.run.directory import (
    ATTEMPTS_FILE,
    CHANGING_FILE,
    FOLDERS,
    SCRATCH_FOLDER,
    UNFINISHED_FILE,
    check_output_folder,
    clear_run,
    hold_run,
    is_run_file,
    remove_unfinished,
)
from mediaan.run.edits import AoiEditStore, Change, count_changes
from mediaan.run.files import make_folder, medium_prefix, write_atomic
from mediaan.run.inventory import INVENTORY_FILE
from mediaan.run.metadata import RUN_FILE, RunMetadata, dump_json
from mediaan.run.parts import PARTS_FOLDER, PartStore, ResultPart
from mediaan.run.tables.writing import write_tables
from mediaan.storage import LocalStorage, ObjectStorage, Storage, hold_lease, open_storage, prefetch_map
from mediaan.storage.base import CONCURRENT_REQUESTS
from mediaan.storage.lease import LEASE_FILE, Lease

_CLAIMS = "claims"


@contextmanager
def open_run(
    out: str | Path, metadata: RunMetadata, *, force_new: bool = False, when_orphaned: WhenOrphaned | None = None
) -> Iterator[RunWriter]:
    """Hold a run directory, or a prefix of an object store, and write a run into it, or go on with the one there.

    `out`: made if absent.
    `metadata`: without the counts.
    `force_new`: whether a run that is there is removed first, of whichever recipe.
    `when_orphaned`: see `Claims`.
    Raises UsageError: `out` is a file, holds other things, holds a run of another recipe, or cannot be made; or someone
        else is writing it.
    Raises SetupError: it cannot be written to, or reached.
    """
    storage = open_storage(out)
    if isinstance(storage, ObjectStorage):
        with _open_remote_run(storage, metadata, force_new, when_orphaned) as remote:
            yield remote
        return
    run_dir = storage.folder or Path(out)
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
        changes: list[tuple[str, Change]] = []
        counts = write_tables(self.run_dir / "tables", self.edits.over(self._listed(order), changes))
        edited = {"aoi_changes": count_changes(changes)} if changes else {}
        metadata = self._metadata.updated(**counts.facts(seconds, skipped, analyzed), **edited)
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


_NAME_LENGTH = 80  # characters

_FETCHED = (UNFINISHED_FILE, RUN_FILE, INVENTORY_FILE, ATTEMPTS_FILE)
"""What a session wants to know of the one before, beside the parts."""


@contextmanager
def _open_remote_run(
    storage: ObjectStorage, metadata: RunMetadata, force_new: bool, when_orphaned: WhenOrphaned | None
) -> Iterator[RemoteRunWriter]:
    temporary, finished = Path(tempfile.mkdtemp(prefix="mediaan-")), False
    folder = temporary / (re.sub(r"[^\w.-]", "_", storage.display_name.rpartition("/")[2])[:_NAME_LENGTH] or "run")
    try:
        _mirror(storage, folder)
        # before anything is written there
        check_output_folder(folder, metadata, force_new=force_new, shown=storage.display_name)
        with hold_lease(storage) as lease:
            _mirror(storage, folder)
            check_output_folder(folder, metadata, force_new=force_new, shown=storage.display_name)
            if force_new:
                _clear(storage)
                shutil.rmtree(folder)
            writer = RemoteRunWriter(storage, folder, metadata, lease, when_orphaned=when_orphaned)
            try:
                yield writer
                finished = writer.finished
            finally:
                writer.tidy()
    finally:
        if finished:  # whoever asked for the run may read its tables
            atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        else:
            shutil.rmtree(temporary, ignore_errors=True)


class RemoteRunWriter(RunWriter):
    """A `RunWriter` whose parts and maps lie in a store, and all else in a folder of this machine until it is whole.

    `run_dir`: of this machine, with what is known of an earlier session.
    `lease`: on the place.
    """

    def __init__(
        self,
        storage: ObjectStorage,
        run_dir: Path,
        metadata: RunMetadata,
        lease: Lease,
        *,
        when_orphaned: WhenOrphaned | None = None,
    ) -> None:
        self._remote, self._lease = storage, lease
        self._known = {medium_prefix(file.path) for file in storage.files(f"{PARTS_FOLDER}/")}
        self.finished = False
        super().__init__(run_dir, metadata, when_orphaned=when_orphaned, storage=storage)
        self.publish(UNFINISHED_FILE)

    @property
    def ahead(self) -> int:
        """Answers of a store take their time, of many as of one."""
        return CONCURRENT_REQUESTS

    @property
    def keeps_claims(self) -> bool:
        """No: claims lie in the folder of this machine."""
        return False

    def whole_part(self, key: str) -> ResultPart | None:
        """Read the part of an earlier session; a store is trusted to keep the maps, which were written before it."""
        return self.parts.read(key) if medium_prefix(key) in self._known else None

    def publish(self, *names: str) -> None:
        """Send files of the run as they are now."""
        for name in names:
            if (self.run_dir / name).is_file():
                self._remote.send(self.run_dir / name, name)

    def close(self) -> None:
        """Send tables and report, then ``run.json``: from then on the run is whole.

        Raises UsageError: ``run_locked``: someone else has taken the run over, whose tables may be of other files.
        """
        self._lease.check()
        files = [path for name in ("tables", "report") for path in (self.run_dir / name).rglob("*") if path.is_file()]
        names = [path.relative_to(self.run_dir).as_posix() for path in files]
        for _ in prefetch_map(self.publish, names):
            pass
        self.publish(INVENTORY_FILE, RUN_FILE)
        self._remote.remove(UNFINISHED_FILE)
        super().close()
        self.finished = True


def _mirror(storage: ObjectStorage, folder: Path) -> None:
    """Make a folder say of a place what it holds, with the contents of what is wanted here."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in storage.names():
        if name in _FETCHED:
            storage.fetch(name, folder / name)
        elif name in FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        elif not name.startswith(LEASE_FILE):
            (folder / "of others").touch()


def _clear(storage: ObjectStorage) -> None:
    """Remove what a run left in a storage, and nothing else."""
    storage.remove(RUN_FILE)  # first: what is half removed is no finished run
    for _ in prefetch_map(storage.remove, (file.path for file in storage.files() if is_run_file(file.path))):
        pass
