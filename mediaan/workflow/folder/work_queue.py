"""Queue the files of a run: what is known already, or is a copy of another, is not analyzed again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from mediaan.analysis import MediumTask
from mediaan.media import MediaFile, file_medium_id
from mediaan.run.inventory import INVENTORY_FILE, InventoryItem, InventoryWriter, PreviousInventory, read_inventory
from mediaan.run.parts import ResultPart
from mediaan.run.writer import RunWriter
from mediaan.storage import prefetch_map
from mediaan.workflow.folder.edits import check_edit, has_exposure
from mediaan.workflow.folder.inputs import RunInputs

_KEEP_EVERY_S = 60.0
_SETTLED_S = 2.0
"""A file that changed just now may change again without another time of change: clocks of file systems are coarse."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Counts of files by their outcome, and by their change since the session before."""

    unchanged: int = 0
    """Analyzed before: nothing was done about them."""
    analyzed: int = 0
    """Ordered now."""
    copies: int = 0
    """The same content as another of these files."""
    added: int = 0
    changed: int = 0
    removed: int = 0
    """`added`, `changed`, `removed`: Files that the session before did not know, that hold something else, and that are
    gone; `added` and `changed` are among those above. `added` is 0 where the session before did not see all files."""
    rescored: int = 0
    """Images among `unchanged` that are looked at for another time than before, so that their AOIs are scored again."""


class WorkQueue:
    """Queue files in the order of their paths; each medium is analyzed once.

    `parts_to_rescore`: keys of parts whose AOIs were scored for another exposure, and are to be scored again.
    `writer`: told which part holds what came of a path.
    `detects_aois`: whether brands and platforms change anything.
    `exposure_s`: for how long images are looked at of which nobody says it, s.
    `retry_failed`: whether what failed before is ordered again.
    `stop`: says when to order nothing more, also while nothing needs to be.
    `on_known`: told the path of each file that is not ordered.
    `fetch`: puts a file where it is read from, before it is read.
    """

    def __init__(
        self,
        files: Sequence[MediaFile],
        inputs: RunInputs,
        writer: RunWriter,
        *,
        detects_aois: bool,
        exposure_s: float,
        retry_failed: bool = False,
        stop: Callable[[], bool] = lambda: False,
        on_known: Callable[[str], None] | None = None,
        fetch: Callable[[MediaFile], MediaFile] = lambda file: file,
    ) -> None:
        self._fetch = fetch
        self._files, self._inputs, self._writer = files, inputs, writer
        self._detects_aois, self._retry_failed, self._on_known = detects_aois, retry_failed, on_known
        self._stop, self._exposure_s = stop, exposure_s
        self.parts_to_rescore: set[str] = set()
        self._firsts: dict[bytes, str] = {}
        self._inventory = InventoryWriter(writer.run_dir)
        self._unread: dict[str, int] = {}
        self._learned = self._moved = False
        self._kept_at = time.monotonic()
        self._earlier = PreviousInventory(read_inventory(writer.run_dir))
        self._known = self._analyzed = self._copies = 0

    @property
    def changes(self) -> FileChanges:
        """Files so far, by what became of them."""
        earlier = self._earlier
        is_first = not (earlier.same or earlier.changed or earlier.removed)
        added = 0 if is_first or self._writer.is_resume else earlier.added
        again = len(self.parts_to_rescore)
        return FileChanges(self._known, self._analyzed, self._copies, added, earlier.changed, earlier.removed, again)

    def tasks(self) -> Iterator[MediumTask]:
        """Yield what needs analysis; files are read, to identify their content, as tasks are taken."""
        ahead = 1 if self._retry_failed else self._writer.ahead
        files = (file if self._stop() else self._fetch(file) for file in self._files)
        for task, whole in prefetch_map(self._is_whole, map(self._make_task, files), ahead=ahead):
            if self._stop():
                return
            if self._needed(task, whole=whole):
                self._analyzed += 1
                yield task
            elif self._on_known:
                self._on_known(task.file.display_path)
        self._earlier.end()
        self._inventory.save(complete=True)

    def keep(self) -> None:
        """Save what is known of files although the queue was left before its end."""
        self._inventory.save()
        self._writer.publish(INVENTORY_FILE)

    def assign(self, task: MediumTask, key: str) -> None:
        """Set the part that holds the result of a task: another than was thought, if the file changed meanwhile."""
        self._moved |= task.medium_id is not None and key != self._writer.claims.key(task)
        self._writer.assign(task.file.display_path, key)

    def record_content(self, task: MediumTask, medium_id: UUID, key: str, *, is_known: bool) -> None:
        """Record the content of a file that a worker fetched, and whether its result was known before."""
        copy = medium_id.bytes in self._firsts
        first = self._firsts.setdefault(medium_id.bytes, key)
        self._moved |= first != key  # the part of a copy that is for something else took the place of the first's
        self._writer.assign(task.file.display_path, first)
        index = self._unread.pop(task.file.display_path, None)
        if index is not None:
            self._inventory.set_medium_id(index, medium_id)
            self._learned = True
            if time.monotonic() > self._kept_at + _KEEP_EVERY_S:
                self._kept_at = time.monotonic()
                self.keep()
        if is_known:
            self._analyzed -= 1
            self._copies += copy
            self._known += not copy
            if not copy and (part := self._writer.parts.read(key)) is not None:
                self._serves(task, part)
            if self._on_known:
                self._on_known(task.file.display_path)

    def missing(self) -> Iterator[MediumTask]:
        """Yield tasks that still have no part, because a file changed while it was analyzed."""
        if self._learned:
            self._inventory.save(complete=True)
        for file in self._files if self._moved else ():
            if self._writer.part_of(file.display_path) is None:
                yield MediumTask(
                    file, self._inputs.options(file.display_path), None, self._options_id(file.display_path)
                )

    def _make_task(self, file: MediaFile) -> MediumTask:
        stamp = _stamp(file)
        medium_id = self._earlier.medium_id(file.display_path, file.size_bytes, stamp)
        if medium_id is None and file.storage is not None:  # the worker that fetches it will know
            self._unread[file.display_path] = len(self._inventory)
        elif medium_id is None:
            with suppress(OSError):  # the reader's to report
                medium_id = file_medium_id(file.path)
        age_s = time.time() - int(stamp.split()[0]) / 1e9 if file.storage is None and stamp else 0.0
        settled = file.storage is not None or age_s > _SETTLED_S
        self._inventory.add(InventoryItem(file.display_path, file.size_bytes, stamp, medium_id if settled else None))
        return MediumTask(file, self._inputs.options(file.display_path), medium_id, self._options_id(file.display_path))

    def _is_whole(self, task: MediumTask) -> bool:
        """Return whether all that a task would make is there, once failures are forgotten, if requested."""
        if task.medium_id is not None and task.medium_id.bytes in self._firsts:
            return True
        key = self._writer.claims.key(task)
        if self._retry_failed:
            self._writer.parts.remove_failed(key)
            self._writer.crash_log.clear(key)
        part = self._writer.whole_part(key) if task.medium_id is not None else None
        return part is not None and self._serves(task, part)

    def _serves(self, task: MediumTask, part: ResultPart) -> bool:
        """Return whether a part holds what is asked; another exposure is noted for rescoring."""
        asked = task.options.exposure_s
        exposure_s = self._exposure_s if asked is None else asked
        if not has_exposure(self._writer, part, exposure_s) and part.densities is not None:
            self.parts_to_rescore.add(part.key)
        return part.serves(exposure_s)

    def _needed(self, task: MediumTask, *, whole: bool) -> bool:
        if task.medium_id is None:
            return True
        first = self._firsts.get(task.medium_id.bytes)
        key = first or self._writer.claims.key(task)
        self._writer.assign(task.file.display_path, key)
        if first is not None:
            self._copies += 1
            return False
        self._firsts[task.medium_id.bytes] = key
        if whole:
            self._known += 1
            return False
        check_edit(self._writer, task, key, self._inputs)
        return True

    def _options_id(self, display_path: str) -> str:
        return self._inputs.options_id(display_path, detects_aois=self._detects_aois)


def _stamp(file: MediaFile) -> str:
    """Return the times of change of a file's content, which programs may set, and of its entry, which they may not."""
    if file.storage is not None:
        return file.stamp
    try:
        status = file.path.stat()
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_ctime_ns}"
