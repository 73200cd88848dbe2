"""Parts of a run: what came of one medium, committed by the worker that analysed it, in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mediaan.errors import SetupError
from mediaan.run.brand_results import is_result
from mediaan.run.packing import DamagedError, Tables, pack, tables_of, unpack
from mediaan.run.rows import Row, outcome_rows, rows_of
from mediaan.storage import Place
from mediaan.types.result import Failed, Outcome, Result

FOLDER = "parts"
_DIGITS = 32  # of a key that say which medium it is; the rest says what was asked of it
_DONE, _FAILED = ".json.gz", ".failed.json.gz"


@dataclass(frozen=True, slots=True)
class Part:
    """What came of one medium.

    Attributes
    ----------
    key : str
    tables : mapping
        Its rows: table → column → values.
    sizes : mapping of str to int
        Bytes of each file of maps, by path relative to the run.
    stages : mapping of str to float
        Seconds of each stage of the analysis.
    exposure_s : float or None
        For how long the medium is looked at in its scores of AOIs, if it is a picture; None where nobody says.
    """

    key: str
    tables: Tables
    sizes: Mapping[str, int]
    stages: Mapping[str, float]
    exposure_s: float | None = None

    @property
    def failed(self) -> bool:
        """Whether there is no result, but a reason."""
        return bool(self.tables["media"]["status"][0] == "failed")

    @property
    def path(self) -> str:
        """Under which the medium was analysed."""
        return str(self.tables["media"]["path"][0])

    @property
    def medium_id(self) -> str | None:
        """Of a medium that could be read."""
        found: str | None = self.tables["media"]["medium_id"][0]
        return found

    @property
    def densities(self) -> str | None:
        """File of its densities, relative to the run; None where the run keeps none."""
        return next((row["path"] for row in self.rows("maps") if row["map"] == "density"), None)

    def is_exposed(self, exposure_s: float) -> bool:
        """Whether its scores of AOIs are those of an exposure, s; what moves, or has no AOIs, has none of another."""
        if self.exposure_s in (None, exposure_s) or not self.tables.get("aois"):
            return True
        return bool(self.tables["media"]["type"][0] != "image")

    def serves(self, exposure_s: float) -> bool:
        """Whether its scores of AOIs are those of an exposure, s, or can be made so without another look."""
        return self.is_exposed(exposure_s) or self.densities is not None

    def rows(self, table: str) -> list[Row]:
        """Rows of one table."""
        return rows_of(self.tables.get(table, {}))


def part_key(recipe_id: str, identity: str, wishes_id: str = "") -> str:
    """Key of the part of a medium: 32 hexadecimal digits, by which it is filed, and what was asked of it.

    Parameters
    ----------
    recipe_id : str
    identity : str
        The medium's id, which follows from its content; of a file that cannot be read, its path.
    wishes_id : str
        Of what is asked of this medium in particular: a part of other wishes takes the place of the one before.

    Examples
    --------
    >>> part_key("r", "m") == part_key("r", "m", ""), part_key("r", "m") == part_key("r", "n")
    (True, False)
    >>> part_key("r", "m", "w").removeprefix(part_key("r", "m"))
    '-w'
    """
    digits = hashlib.sha256(json.dumps([recipe_id, identity]).encode()).hexdigest()[:_DIGITS]
    return f"{digits}-{wishes_id}" if wishes_id else digits


def medium_digits(name: str) -> str:
    """What a key, or the path of a part, says of which medium it is."""
    return name.rpartition("/")[2][:_DIGITS]


def identity_of(outcome: Outcome, medium_id: UUID | None) -> str:
    """What a part is known by: the content that was analysed, else the content that was asked for, else the path."""
    known = outcome.medium.medium_id if isinstance(outcome, Result) else medium_id
    return f"path {outcome.path}" if known is None else str(known)


@dataclass(frozen=True, slots=True)
class PartStore:
    """The parts of one run, one for each medium; picklable.

    Parameters
    ----------
    place : Place
        Of the run.
    """

    place: Place

    def commit(
        self,
        key: str,
        outcome: Outcome,
        files: Mapping[str, str],
        seconds: float,
        *,
        exposure_s: float | None = None,
    ) -> None:
        """Keep what came of a medium; from now on it is not lost.

        Parameters
        ----------
        key : str
        outcome : Outcome
        files : mapping of str to str
            Its maps, by name.
        seconds : float
            That the analysis took, s.
        exposure_s : float, optional
            As of `Part`.

        Raises
        ------
        AnalysisError
            A value that its table cannot hold.
        SetupError
            It cannot be written, or a file of its maps is not there.
        """
        tables = tables_of(outcome_rows(outcome, files, seconds, datetime.now(UTC).replace(tzinfo=None)))
        stages = dict(outcome.stages) if isinstance(outcome, Result) else {}
        sizes = {path: self._size(path) for path in files.values()}
        failed = isinstance(outcome, Failed)
        data = pack(tables, key=key, sizes=sizes, stages=stages, exposure_s=exposure_s)
        self.place.write(_file(key, failed=failed), data, durable=True)
        self.place.remove(_file(key, failed=not failed))

    def read(self, key: str) -> Part | None:
        """The part of a key; None where there is none, or the disk has damaged it: it is to be made again."""
        found = self.of_medium(key)
        return found if found is not None and found.key == key else None

    def of_medium(self, key: str) -> Part | None:
        """The part of a medium, whatever was asked of it."""
        for failed in (False, True):
            try:
                tables, facts = unpack(self.place.read(_file(key, failed=failed)))
                return _part(tables, facts)
            except FileNotFoundError:
                continue
            except (DamagedError, OSError):
                return None
        return None

    def is_there(self, key: str) -> bool:
        """Whether a medium has a part, without reading it."""
        return any(self.place.size(_file(key, failed=failed)) is not None for failed in (False, True))

    def is_whole(self, key: str, *, edited: Collection[str] = ()) -> bool:
        """Whether there is a part, and all its files of maps are as they were written.

        Parameters
        ----------
        key : str
        edited : collection of str
            Media of which AOIs were changed since: the results of these are others now.
        """
        return self.whole(key, edited=edited) is not None

    def whole(self, key: str, *, edited: Collection[str] = ()) -> Part | None:
        """The part of a key, if `is_whole`."""
        part = self.read(key)
        if part is None:
            return None
        sizes = part.sizes.items()
        kept = [pair for pair in sizes if part.medium_id not in edited or not is_result(pair[0])]
        return part if all(self.place.size(path) == size for path, size in kept) else None

    def count(self) -> int:
        """How many there are, failures and those that no file needs any more among them."""
        return sum(1 for file in self.place.files(f"{FOLDER}/") if file.path.endswith(_DONE))

    def remove_failed(self, key: str) -> None:
        """Forget that a medium failed."""
        self.place.remove(_file(key, failed=True))

    def _size(self, path: str) -> int:
        size = self.place.size(path)
        if size is None:
            raise SetupError(f"{self.place.shown}: {path} vanished while it was written", code="cannot_write")
        return size


def _part(tables: Tables, facts: Mapping[str, Any]) -> Part:
    if facts.keys() != {"key", "sizes", "stages", "exposure_s"} or len(tables.get("media", {}).get("path", ())) != 1:
        raise DamagedError("no part of one medium")
    return Part(tables=tables, **facts)


def _file(key: str, *, failed: bool) -> str:
    digits = key[:_DIGITS]
    return f"{FOLDER}/{digits[:2]}/{digits}{_FAILED if failed else _DONE}"
