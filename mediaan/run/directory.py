"""Lock, check, clear and copy run directories: who writes one, and what a folder may hold before."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from mediaan.errors import SetupError, UsageError
from mediaan.maps.catalogue import MAPS
from mediaan.run.files import RESULT_NAMES, disk_errors, make_folder, read_json
from mediaan.run.metadata import RUN_FILE, RunMetadata
from mediaan.run.tables.schema import TABLES
from mediaan.storage import Storage

LOCK_FILE = "run.lock"
"""Stays when the run is over: a lock on a file that is removed holds off nobody."""

_held: ContextVar[frozenset[Path]] = ContextVar("runs that are held here", default=frozenset())


@contextmanager
def hold_run(run_dir: Path) -> Iterator[None]:
    """Lock a run for writing; whoever holds it already may hold it again.

    `run_dir`: made if absent.
    Raises UsageError: ``run_locked``: someone else holds it, who is named. ``bad_out``: the folder cannot be made.
    Raises SetupError: ``cannot_write``: the lock cannot be written. ``no_locks``: the file system knows no locks.
    """
    folder = run_dir.resolve()
    if folder in _held.get():
        yield
        return
    make_folder(run_dir)
    with disk_errors(run_dir / LOCK_FILE):
        descriptor = take_lock(run_dir / LOCK_FILE)
    if descriptor is None:
        holder = latest_holder(run_dir) or "another process"
        raise UsageError(
            f"{run_dir}: {holder} is writing it; wait until that has ended, or give another folder", code="run_locked"
        )
    token = _held.set(_held.get() | {folder})
    try:
        with disk_errors(run_dir / LOCK_FILE):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            owner = {"pid": os.getpid(), "host": socket.gethostname()}  # for whoever is refused
            os.write(descriptor, (json.dumps(owner) + "\n").encode())
        yield
    finally:
        _held.reset(token)
        os.close(descriptor)


def take_lock(path: Path, *, make: bool = True) -> int | None:
    """Lock a file; the descriptor holds the lock until it is closed, or its process ends.

    `make`: whether the file is made if absent.
    Returns: None where someone else holds it.
    Raises OSError: the file cannot be opened.
    Raises SetupError: ``no_locks``: the file system knows no locks.
    """
    flags = os.O_RDWR | (os.O_CREAT if make else 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if _is_locked(descriptor):
            return descriptor
    except OSError as error:
        os.close(descriptor)
        message = f"{path.parent}: its file system has no locks ({error.strerror}); use an --out on another disk"
        raise SetupError(message, code="no_locks") from error
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # what is locked cannot be read by others there, and the content must stay readable

    def _is_locked(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _is_locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True


def latest_holder(run_dir: Path) -> str | None:
    """Return who holds a run, or did last; None where that is not known."""
    try:
        holder = read_json(run_dir / LOCK_FILE)
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, LookupError, TypeError):
        return None


_OPTIONS = {"time_limit_s": "--time-limit", "exposure_s": "exposure_s", "densities": "--no-densities"}
"""Those that are not called like the setting; the exposure of a recipe is set in Python."""
_SHA_SHOWN = 8


def recipe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say what changed.

    `before`, `after`: what ``run.json`` or ``unfinished.json`` says: ``recipe``, ``models``, ``mediaan``. What is
        missing, or no mapping, is not compared.

    >>> recipe_changes({"recipe": {"fps": 5.0, "maps": []}}, {"recipe": {"fps": 10.0, "maps": ["heat", "fog"]}})
    ['--fps 5 → 10', '--maps none → heat,fog']
    """
    changes = []
    old, new = _mapping(before.get("recipe")), _mapping(after.get("recipe"))
    for name in new:
        if name in old and old[name] != new[name]:
            option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
            changes.append(f"{option} {_format_setting(name, old[name])} → {_format_setting(name, new[name])}")
    old_hashes, new_hashes = _hashes(before), _hashes(after)
    changes += [
        f"weights of {name} {_short(old_hashes[name])} → {_short(new_hashes[name])}"
        for name in old_hashes.keys() & new_hashes.keys()
        if old_hashes[name] != new_hashes[name]
    ]
    version = before.get("mediaan")
    if version is not None and version != after.get("mediaan"):
        changes.append(f"mediaan {version} → {after.get('mediaan')}")
    return changes


def _format_setting(name: str, value: Any) -> str:
    if name == "calibration" and isinstance(value, Mapping):
        return f"{value.get('source')} {_short(value.get('sha256'))}"
    if name == "densities":
        return "off" if value else "on"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value)


def _hashes(facts: Mapping[str, Any]) -> dict[str, object]:
    models = facts.get("models")
    listed = [model for model in models if isinstance(model, Mapping)] if isinstance(models, list) else []
    return {str(model.get("name")): model.get("sha256") for model in listed}


def _short(sha256: object) -> str:
    return "none" if sha256 is None else str(sha256)[:_SHA_SHOWN]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


ATTEMPTS_FILE = "attempts.jsonl"
"""See `CrashLog`."""
UNFINISHED_FILE = "unfinished.json"
"""Lies in a run directory from the first medium to the report: what an interrupted run leaves can be taken up."""
CHANGING_FILE = "changing.json"
"""Lies in a finished run while AOIs are replaced, with the change: one that was cut off is carried out by the next."""
ANSWERS_FILE = "answers.jsonl"
"""What people answered in a review; stays when a run starts over, since it is about the files and not about the run."""
SCRATCH_FOLDER = ".scratch"
"""For videos that are being made, and claims; empty but during a run."""

PAGES_FOLDER = "pages"
"""For the pictures of web pages, as they were taken."""

_MAPS = (*MAPS, "original", "density", "preview", "preview_heat", "preview_fog", *RESULT_NAMES)
_PART = r"(\.\d+)?\.part"
_RUN_FILES = re.compile(
    rf"""
      (run\.json | unfinished\.json | changing\.json | inventory\.parquet | attempts\.jsonl)
    | \.(run\.json | unfinished\.json | changing\.json | inventory\.parquet | attempts\.jsonl){_PART}
    | (parts | edits)/([0-9a-f]{{2}}/)? \.?[0-9a-f-]{{32,36}}(\.failed)?\.json\.gz({_PART})?
    | maps/[^/]+-[0-9a-f]{{16}}/ \.?({"|".join(_MAPS)})\.(jpg|npz|json|mp4|webp)({_PART})?
    | tables/ \.?({"|".join(TABLES)})\.parquet({_PART})?
    | pages/.+\.png
    | report/ \.?(index\.html | report\.pdf | report\.pptx)({_PART})?
    | \.scratch/.*
    """,
    re.VERBOSE | re.DOTALL,
)
FOLDERS = ("parts", "edits", "maps", "tables", "report", PAGES_FOLDER, SCRATCH_FOLDER)


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run, finished or not."""
    finished = (folder / RUN_FILE).is_file() and (folder / "tables").is_dir()
    return finished or (folder / UNFINISHED_FILE).is_file()


def refuse_folder(folder: Path, error: Exception) -> UsageError:
    """Return the refusal of a folder whose ``run.json`` cannot be read, with what to do."""
    if isinstance(error, ValueError) and not (folder / UNFINISHED_FILE).is_file():
        reason = str(error).splitlines()[0]
        message = f"{folder / RUN_FILE}: is not what an analysis writes ({reason}); run it again"
    elif is_run(folder):
        message = f"{folder}: holds an interrupted run: run the same command again"
    else:
        message = f"{folder}: holds no run of mediaan; give the --out folder of one"
    return UsageError(message, code="no_run")


def is_remote_run(storage: Storage, folder: str) -> bool:
    """Return whether a folder of an object store holds a run, finished or not."""
    return any(storage.size(f"{folder}/{name}") is not None for name in (UNFINISHED_FILE, "tables/media.parquet"))


def is_run_file(path: str) -> bool:
    """Return whether a path relative to a run is one that runs write."""
    return _RUN_FILES.fullmatch(path) is not None


def check_output_folder(run_dir: Path, metadata: RunMetadata, *, force_new: bool = False, shown: str = "") -> None:
    """Refuse a folder that this run may not be written into.

    `run_dir`: need not exist.
    `metadata`: of the run that is to be written.
    `force_new`: whether a run of another recipe may be there.
    `shown`: what it is called in front of users, where that is not its path.
    Raises UsageError: ``bad_out``: it is a file, holds other things than a run, or a run of another recipe; what
        changed is said.
    """
    shown = shown or str(run_dir)
    if not run_dir.exists():
        return
    if not run_dir.is_dir():
        raise UsageError(f"--out {shown}: is a file; give a folder", code="bad_out")
    earlier = [facts for name in (UNFINISHED_FILE, RUN_FILE) if (facts := _read_facts(run_dir / name)) is not None]
    if not earlier and latest_holder(run_dir) is None:  # what a run left there, or files of others
        names = {path.name for path in run_dir.iterdir()}
        expected = {RUN_FILE, UNFINISHED_FILE, CHANGING_FILE, LOCK_FILE, ANSWERS_FILE, *FOLDERS}
        expected |= {"inventory.parquet", "attempts.jsonl"}
        strange = {name for name in names if name not in expected and not re.fullmatch(r"\..+\.part", name)}
        if names and (strange or not names & {LOCK_FILE, "parts", UNFINISHED_FILE, ANSWERS_FILE}):
            raise UsageError(
                f"--out {shown}: holds other files, but no run of mediaan; give a new or empty folder", code="bad_out"
            )
    for facts in earlier:
        if facts["recipe_id"] != metadata.recipe_id and not force_new:
            changes = "; ".join(recipe_changes(facts, metadata.facts)) or "other settings, model or version"
            raise UsageError(
                f"--out {shown}: holds a run of another recipe ({changes}). Use the same settings to continue it, "
                "give another --out, or start over with --force-new, which removes that run",
                code="bad_out",
            )


def remove_unfinished(run_dir: Path) -> None:
    """Remove what was in the making when a session was killed.

    Raises SetupError: it may not be removed.
    """
    shutil.rmtree(run_dir / SCRATCH_FOLDER, ignore_errors=True)
    remove_partial(run_dir)


def remove_partial(run_dir: Path) -> None:
    """Remove tables, pages and facts that were half written, and nothing from which anyone may learn what happened."""
    with disk_errors(run_dir):
        for folder in (run_dir, run_dir / "tables", run_dir / "report"):
            for file in () if folder != run_dir and folder.is_symlink() else folder.glob(".*.part"):
                if is_run_file(file.relative_to(run_dir).as_posix()):
                    file.unlink(missing_ok=True)


def clear_run(run_dir: Path) -> None:
    """Remove what a run left in a folder, and nothing else, never through a link; folders that are empty then go, too.

    Raises SetupError: it may not be removed.
    """
    with disk_errors(run_dir):
        (run_dir / RUN_FILE).unlink(missing_ok=True)  # first: what is half removed is no finished run
        for folder, inner, names in os.walk(run_dir):
            if Path(folder) == run_dir:
                inner[:] = [name for name in inner if name in FOLDERS and not (run_dir / name).is_symlink()]
            for file in (Path(folder, name) for name in names):
                if is_run_file(file.relative_to(run_dir).as_posix()):
                    file.unlink(missing_ok=True)
        for name in FOLDERS:
            _remove_empty(run_dir / name)


def _read_facts(path: Path) -> dict[str, Any] | None:
    """Read the metadata of a run; None where there is none, or the disk has damaged it."""
    try:
        facts = read_json(path)
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and isinstance(facts.get("recipe_id"), str) else None


def _remove_empty(folder: Path) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for inner in folder.iterdir():
        _remove_empty(inner)
    if not any(folder.iterdir()):
        folder.rmdir()


_LINKED = ("maps", "parts", "edits")
"""Many or large, and never written in place: a change puts a new file there."""
_OF_A_SESSION = (LOCK_FILE, ATTEMPTS_FILE, SCRATCH_FOLDER)
"""Says who is at work, and what died: the copy has no part in that."""


def copy_run(run_dir: Path, target: Path, *, without: Collection[str] = ()) -> None:
    """Copy a run; maps, parts and edits are shared by hard links, as far as the file system can.

    `target`: must not exist.
    `without`: what is left out of the top folder, such as what will be made again.
    Raises SetupError: the disk is full or may not be written to.
    """

    def left_out(folder: str, names: list[str]) -> Collection[str]:
        return {*_LINKED, *_OF_A_SESSION, *without} if Path(folder) == run_dir else ()

    with disk_errors(target):
        shutil.copytree(run_dir, target, ignore=left_out)
        for name in _LINKED:
            if (run_dir / name).is_dir():
                shutil.copytree(run_dir / name, target / name, copy_function=link_or_copy)


def link_or_copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Let a file have a second name; where the file system knows no such thing, a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
