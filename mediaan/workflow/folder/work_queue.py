"""Queue the files of a run: what is known, or a copy of another, is not analyzed again, and edits are kept."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import UUID

from mediaan.analysis import MediumTask
from mediaan.analysis.options import Recipe
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.errors import UsageError
from mediaan.media import MediaFile, file_medium_id
from mediaan.run.edits import AoiEdit
from mediaan.run.files import part_key
from mediaan.run.inventory import INVENTORY_FILE, InventoryItem, InventoryWriter, PreviousInventory, read_inventory
from mediaan.run.metadata import RunMetadata
from mediaan.run.parts import ResultPart
from mediaan.run.tables.rows import ScoredAois
from mediaan.run.writer import RunWriter
from mediaan.storage import prefetch_map
from mediaan.types.media import Medium
from mediaan.workflow.derived import scored_on
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
        recipe: Recipe,
        *,
        retry_failed: bool,
        stop: Callable[[], bool],
        on_known: Callable[[str], None] | None,
        fetch: Callable[[MediaFile], MediaFile],
    ) -> None:
        self._files, self._inputs, self._writer, self._recipe = files, inputs, writer, recipe
        self._retry_failed, self._stop, self._on_known, self._fetch = retry_failed, stop, on_known, fetch
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
        exposure_s = self._recipe.exposure_s if asked is None else asked
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
        return self._inputs.options_id(display_path, detects_aois=self._recipe.aois != "none")


def _stamp(file: MediaFile) -> str:
    """Return the times of change of a file's content, which programs may set, and of its entry, which they may not."""
    if file.storage is not None:
        return file.stamp
    try:
        status = file.path.stat()
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_ctime_ns}"


def check_edits(writer: RunWriter, files: Sequence[MediaFile], inputs: RunInputs, *, detects_aois: bool) -> None:
    """Refuse, before any work, options that would lose AOIs that people drew.

    Of files that are new, or were renamed, it is not known yet what they hold; `check_edit` sees them.

    Raises UsageError: ``edits_lost``.
    """
    drawn = {str(edit.medium.medium_id): edit for edit in writer.edits.all() if edit.drawn}
    if not drawn:
        return
    given = {file.display_path for file in files}
    for item in read_inventory(writer.run_dir):
        if item.path in given and (edit := drawn.pop(str(item.medium_id), None)) is not None:
            options_id = inputs.options_id(item.path, detects_aois=detects_aois)
            if part_key(writer.recipe_id, str(item.medium_id), options_id) != edit.part:
                _check_held(edit, item.path, inputs, writer)


def check_edit(writer: RunWriter, task: MediumTask, key: str, inputs: RunInputs) -> None:
    """Refuse the same for one medium that is about to be analyzed, now that its content is known."""
    if str(task.medium_id) in writer.edited:
        edit = writer.edits.read(str(task.medium_id))
        if edit is not None and edit.part != key:
            _check_held(edit, task.file.display_path, inputs, writer)


def settle_edits(writer: RunWriter, metadata: RunMetadata, inputs: RunInputs) -> None:
    """Keep edits of media that were not analyzed again, scored for their current exposure; drop the others.

    Raises UsageError: ``edits_lost``: one that would be dropped holds AOIs that people drew. ``no_densities``: one
        cannot be scored.
    """
    keys = {part_key(writer.recipe_id, medium_id) for medium_id in writer.edits.ids()}
    for path, key in writer.assigned():  # of each medium the first path
        medium_key = key.partition("-")[0]
        part = writer.parts.read(key) if medium_key in keys else None
        if part is None:
            continue
        keys.remove(medium_key)
        edit = None if part.failed else writer.edits.read(str(part.medium_id))
        if edit is None:
            continue
        if edit.part != part.key:
            _check_held(edit, path, inputs, writer)
            writer.edits.remove(edit, part)
            continue
        named = metadata.brand(path)
        if edit.scored.brand is not None and named is not None and named != edit.scored.brand.brand:
            edit = replace(edit, scored=edit.scored._replace(brand=None))  # nobody has looked for that one
            writer.edits.stage(edit)
            writer.edits.publish()
        if edit.medium.kind == "image" and metadata.exposure_s(path) != edit.exposure_s:
            if not edit.changes and part.is_exposed(metadata.exposure_s(path)):
                writer.edits.remove(edit, part)  # the analysis has scored its own
            else:
                _keep_scored(writer, edit, part, metadata.recipe, metadata.exposure_s(path))


def has_exposure(writer: RunWriter, part: ResultPart, exposure_s: float) -> bool:
    """Return whether the AOIs of a medium are scored for an exposure, s, in its part or in an edit of that part."""
    edit = writer.edits.read(str(part.medium_id)) if part.medium_id in writer.edited else None
    if edit is None or edit.part != part.key:
        return part.is_exposed(exposure_s)
    return edit.medium.kind != "image" or edit.exposure_s == exposure_s


def rescore_exposures(writer: RunWriter, metadata: RunMetadata, keys: Collection[str]) -> None:
    """Score the AOIs of media again that are looked at for another time than in their parts; no medium is opened.

    `metadata`: of the run to come: its objectives say for how long.
    `keys`: of the parts.
    """
    left = set(keys)
    for path, key in writer.assigned() if left else ():
        part = writer.parts.read(key) if key in left else None
        left.discard(key)
        seconds = metadata.exposure_s(path)
        if part is None or part.is_exposed(seconds) or writer.edits.read(str(part.medium_id)) is not None:
            continue  # `settle_edits` has seen to edits
        (row,) = part.rows("media")
        columns = ("name", "width", "height", "codec", "duration_s")
        medium = Medium(UUID(row["medium_id"]), kind=row["type"], **{name: row[name] for name in columns})
        is_found = row["brand_found"]
        brand = None if is_found is None else metadata.brand_search(path, is_found=is_found)
        folder = str(part.densities).rpartition("/")[0]
        edit = AoiEdit(
            medium, folder, part.key, seconds, (), ScoredAois.of(part.rows)._replace(suggestions=(), brand=brand)
        )
        _keep_scored(writer, edit, part, metadata.recipe, seconds)


def _keep_scored(writer: RunWriter, edit: AoiEdit, part: ResultPart, recipe: Recipe, seconds: float) -> None:
    """Put an edit in force with the scores of its AOIs for an exposure."""
    if part.densities is None:
        raise UsageError(
            f"{part.path}: is looked at for {seconds:g} s now, and its areas were scored for {edit.exposure_s:g} s; "
            "the run kept no densities to score them again: export them and give them with --aois",
            code="no_densities",
        )
    densities = io.BytesIO(writer.parts.storage.read(part.densities))
    before = edit.scored
    scored = scored_on(densities, recipe, seconds, edit.medium, before.aois)
    scored = scored._replace(brand=before.brand, absent=before.absent, answer=before.answer)
    renewed = replace(edit, exposure_s=seconds, scored=scored)
    writer.edits.stage(renewed)
    writer.edits.publish()
    renewed.write_results(writer.edits.storage)


def _check_held(edit: AoiEdit, path: str, inputs: RunInputs, writer: RunWriter) -> None:
    wished, _ = aois_from_drawings(inputs.options(path).drawings or (), edit.medium)
    if {aoi.aoi_id for aoi in edit.drawn} - {aoi.aoi_id for aoi in wished}:
        raise UsageError(
            f"--out {writer.run_dir}: holds areas that people drew on {path}, which would be lost, since something "
            "else is asked of it now. Keep them with 'mediaan aois export' and give that file with --aois, or start "
            "again with --force-new",
            code="edits_lost",
        )
