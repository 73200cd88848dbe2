"""Parts of a run: what came of one medium, committed by the worker that analysed it, in one file."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mediaan.errors import SetupError
from mediaan.run.rows import Row, outcome_rows
from mediaan.storage import Place
from mediaan.types.result import Failed, Outcome, Result

FOLDER = "parts"
_LEVEL = 1  # of gzip: a fifth of the size at a tenth of the time of 9
_DONE, _FAILED = ".json.gz", ".failed.json.gz"


@dataclass(frozen=True, slots=True)
class Part:
    """What came of one medium.

    Attributes
    ----------
    rows : mapping of str to list of rows
        By table.
    sizes : mapping of str to int
        Bytes of each file of maps, by path relative to the run.
    stages : mapping of str to float
        Seconds of each stage of the analysis.
    """

    rows: Mapping[str, list[Row]]
    sizes: Mapping[str, int]
    stages: Mapping[str, float]

    @property
    def failed(self) -> bool:
        """Whether there is no result, but a reason."""
        return bool(self.rows["media"][0]["status"] == "failed")

    @property
    def path(self) -> str:
        """Under which the medium was analysed."""
        return str(self.rows["media"][0]["path"])


def part_key(recipe_id: str, identity: str, wishes_id: str = "") -> str:
    """Name of the part of a medium: 32 hexadecimal digits.

    Parameters
    ----------
    recipe_id : str
    identity : str
        The medium's id, which follows from its content; of a file that cannot be read, its path.
    wishes_id : str
        Of what is asked of this medium in particular.

    Examples
    --------
    >>> part_key("r", "m") == part_key("r", "m", ""), part_key("r", "m") == part_key("r", "n")
    (True, False)
    """
    text = json.dumps([recipe_id, identity, wishes_id])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def identity_of(outcome: Outcome, medium_id: UUID | None) -> str:
    """What a part is known by: the content that was analysed, else the content that was asked for, else the path."""
    known = outcome.medium.medium_id if isinstance(outcome, Result) else medium_id
    return f"path {outcome.path}" if known is None else str(known)


@dataclass(frozen=True, slots=True)
class PartStore:
    """The parts of one run; picklable.

    Parameters
    ----------
    place : Place
        Of the run.
    """

    place: Place

    def commit(self, key: str, outcome: Outcome, files: Mapping[str, str], seconds: float) -> None:
        """Keep what came of a medium; from now on it is not lost.

        Raises
        ------
        SetupError
            It cannot be written, or a file of its maps is not there.
        """
        rows = outcome_rows(outcome, files, seconds, datetime.now(UTC).replace(tzinfo=None))
        stages = dict(outcome.stages) if isinstance(outcome, Result) else {}
        sizes = {path: self._size(path) for path in files.values()}
        data = json.dumps({"rows": rows, "sizes": sizes, "stages": stages}, default=_plain, allow_nan=False)
        failed = isinstance(outcome, Failed)
        self.place.write(_file(key, failed=failed), gzip.compress(data.encode(), _LEVEL, mtime=0), durable=True)
        self.place.remove(_file(key, failed=not failed))

    def read(self, key: str) -> Part | None:
        """The part of a key; None where there is none that can be read."""
        for failed in (False, True):
            try:
                found = json.loads(gzip.decompress(self.place.read(_file(key, failed=failed))))
            except FileNotFoundError:
                continue
            except (OSError, EOFError, ValueError):  # damaged by the disk: it is made again
                return None
            for row in found["rows"]["media"]:
                row["created_at"] = datetime.fromisoformat(row["created_at"])
            return Part(**found)
        return None

    def is_whole(self, key: str) -> bool:
        """Whether there is a part, and all its files of maps are as they were written."""
        part = self.read(key)
        return part is not None and all(self.place.size(path) == size for path, size in part.sizes.items())

    def remove_failed(self, key: str) -> None:
        """Forget that a medium failed."""
        self.place.remove(_file(key, failed=True))

    def _size(self, path: str) -> int:
        size = self.place.size(path)
        if size is None:
            raise SetupError(f"{self.place.shown}: {path} vanished while it was written", code="cannot_write")
        return size


def _file(key: str, *, failed: bool) -> str:
    return f"{FOLDER}/{key[:2]}/{key}{_FAILED if failed else _DONE}"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "item"):  # a number of numpy
        return value.item()
    raise TypeError(f"{type(value).__name__} is no value of a table")
