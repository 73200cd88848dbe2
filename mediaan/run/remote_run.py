"""Write a run in an object store: workers commit there; tables and report are made here and sent last."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mediaan.run.crash_log import ATTEMPTS_FILE, WhenOrphaned
from mediaan.run.directory import FOLDERS, UNFINISHED_FILE, check_output_folder, is_run_file
from mediaan.run.inventory import INVENTORY_FILE
from mediaan.run.metadata import RUN_FILE, RunMetadata
from mediaan.run.part_key import medium_prefix
from mediaan.run.parts import PARTS_FOLDER, ResultPart
from mediaan.run.writer import RunWriter
from mediaan.storage import ObjectStorage, hold_lease, prefetch_map
from mediaan.storage.base import CONCURRENT_REQUESTS
from mediaan.storage.lease import LEASE_FILE, Lease

_NAME_LENGTH = 80  # characters

_FETCHED = (UNFINISHED_FILE, RUN_FILE, INVENTORY_FILE, ATTEMPTS_FILE)
"""What a session wants to know of the one before, beside the parts."""


@contextmanager
def open_remote_run(
    storage: ObjectStorage,
    metadata: RunMetadata,
    *,
    force_new: bool = False,
    when_orphaned: WhenOrphaned | None = None,
) -> Iterator[RemoteRunWriter]:
    """Hold a prefix of a store and write a run into it, or go on with the one that is there; see `open_run`.

    Raises UsageError: the prefix holds other things, or a run of another recipe; or someone else is writing it.
    Raises SetupError: the store cannot be reached or refuses to be written to.
    """
    temporary, finished = Path(tempfile.mkdtemp(prefix="mediaan-")), False
    folder = temporary / (re.sub(r"[^\w.-]", "_", storage.display_name.rpartition("/")[2])[:_NAME_LENGTH] or "run")
    try:
        _mirror(storage, folder)
        check_output_folder(
            folder, metadata, force_new=force_new, shown=storage.display_name
        )  # before anything is written there
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
