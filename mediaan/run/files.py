"""Name the files of a run and the keys of its parts, and write files whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.errors import SetupError, UsageError, cannot_write

_READABLE = 40  # characters of a file's own name that its folder keeps


def folder_name(name: str, medium_id: UUID) -> str:
    """Return a folder name that people recognize and that no other medium has.

    >>> folder_name("Spring sale (final).png", UUID("4f2a91c0-0000-8000-8000-000000000000"))
    'Spring-sale-final-4f2a91c000008000'
    """
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", Path(name).stem).strip("-")[:_READABLE].strip("-")
    return f"{stem or 'medium'}-{medium_id.hex[:16]}"


RESULT_NAMES = ("brand_detection", "brand_detection_metrics", "aoi_scores")
"""Of the results on brands and AOIs as the v2 service gives them; see `aoi_results`."""


def is_result_file(path: str) -> bool:
    """Return whether a file of maps is one of `RESULT_NAMES`.

    >>> is_result_file("maps/a-4f2a91c000008000/aoi_scores.json"), is_result_file("maps/a-4f2a91c000008000/heat.jpg")
    (True, False)
    """
    return path.rsplit("/", 1)[-1] in {f"{name}.json" for name in RESULT_NAMES}


def check_own_folder(folder: Path, mark: str) -> None:
    """Refuse a folder that holds something else than what a command of this program left there.

    `folder`: need not exist.
    `mark`: the file by which the command's own folders are known.
    Raises UsageError: ``bad_out``.
    """
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / mark).is_file())):
        raise UsageError(f"--out {folder}: holds other files; give a new or empty folder", code="bad_out")


def make_folder(folder: Path) -> None:
    """Make a folder of a run.

    Raises UsageError: it cannot be made there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--out {folder}: cannot be created ({error.strerror}); give another folder"
        raise UsageError(message, code="bad_out") from error


def read_json(path: Path) -> Any:
    """Read a JSON file of a run.

    Raises OSError: it is not there, or no regular file: one that waits for a writer, such as a FIFO, is not opened.
    Raises ValueError: as of `parse_json`.
    """
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, "no regular file", str(path))
    return parse_json(path.read_bytes())


def parse_json(data: str | bytes) -> Any:
    """Parse JSON that may be damaged or hostile.

    Raises ValueError: it is no JSON, or nested too deeply to be read.
    """
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all.

    Raises SetupError: the disk is full or may not be written to.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    with disk_errors(path):
        try:
            partial.write_bytes(data)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Say of a path why it cannot be written.

    Raises SetupError: in the place of the system's error.
    """
    try:
        yield
    except OSError as error:
        raise SetupError(f"{cannot_write(path, error)}, then run it again", code="cannot_write") from error


_DIGITS = 32  # of a key that say which medium it is; the rest says what was asked of it


def part_key(recipe_id: str, identity: str, options_id: str = "") -> str:
    """Return the key of the part of a medium: 32 hexadecimal digits, by which it is filed, and its options.

    `identity`: the medium's id, which follows from its content; of a file that cannot be read, its path.
    `options_id`: of what is asked of this medium in particular: a part of other options takes the place of the one
        before.

    >>> part_key("r", "m") == part_key("r", "m", ""), part_key("r", "m") == part_key("r", "n")
    (True, False)
    >>> part_key("r", "m", "w").removeprefix(part_key("r", "m"))
    '-w'
    """
    digits = hashlib.sha256(json.dumps([recipe_id, identity]).encode()).hexdigest()[:_DIGITS]
    return f"{digits}-{options_id}" if options_id else digits


def medium_prefix(name: str) -> str:
    """Return the digits of a key, or of the path of a part, that identify the medium."""
    return name.rpartition("/")[2][:_DIGITS]
