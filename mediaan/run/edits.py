"""Keep AOIs that came after the analysis, drawn or detected: one edit file for each medium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from mediaan.errors import SetupError
from mediaan.run.files import RESULT_NAMES, is_result_file
from mediaan.run.parts import DamagedError, ResultPart, Tables, aoi_results, check_tables, pack, unpack
from mediaan.run.tables.rows import (
    AREA_TABLES,
    Row,
    ScoredAois,
    area_rows,
    columns_of,
    rows_of,
    warning_row,
)
from mediaan.storage import Storage
from mediaan.types.aoi import BRAND_NOT_FOUND, BRAND_UNREAD, Aoi, BrandSearch
from mediaan.types.media import Medium

EDITS_FOLDER = "edits"
_ENDING = ".json.gz"
_NAME = re.compile(r"([0-9a-f-]{36})\.json\.gz")

Change = Mapping[str, Any]
"""An entry of ``aoi_changes`` in ``run.json``."""


@dataclass(frozen=True, slots=True)
class AoiEdit:
    """AOIs of a medium that replace those of its analysis."""

    medium: Medium
    folder: str
    """Of its maps, relative to the run."""
    part: str | None
    """Key of the part that it rests on; None in a run of a version without parts."""
    exposure_s: float
    """For how long the medium is looked at, in the scores."""
    changes: tuple[Change, ...]
    """All that made these AOIs what they are, in order; empty where only their scores were made again."""
    scored: ScoredAois

    def tables(self) -> Tables:
        """Return the rows about these AOIs by table; tables without rows are absent."""
        medium_id, scored = self.medium.medium_id, self.scored
        files = [
            {"medium_id": str(medium_id), "map": name, "path": f"{self.folder}/{name}.json"} for name in RESULT_NAMES
        ]
        areas = area_rows(medium_id, scored.aois, scored.absent, scored.suggestions, scored.looks)
        return check_tables(areas | {"maps": files})

    def brand_columns(self) -> dict[str, bool | float | None]:
        """Return what these AOIs say of the brand in the table of media."""
        attention = self.scored.brand_attention if self.medium.kind == "image" else None
        return {"brand_found": self.scored.brand_found, "brand_attention": attention}

    def brand_warnings(self, path: str) -> list[Row]:
        """Return rows of the table of problems about the brand, for one path of the medium."""
        told = self.scored.brand is not None and "branding" not in self.scored.absent  # which a person knows already
        problems = self.scored.brand.problems if told and self.scored.brand else ()
        return [warning_row(path, str(self.medium.medium_id), problem) for problem in problems]

    @property
    def outdated_codes(self) -> frozenset[str]:
        """Codes of problems of the medium that these AOIs outdate."""
        return frozenset({BRAND_NOT_FOUND, BRAND_UNREAD} if self.scored.brand else {BRAND_NOT_FOUND})

    def write_results(self, storage: Storage) -> None:
        """Write the results of v2 about these AOIs in the place of earlier ones."""
        for name, content in aoi_results(self.medium, self.scored.aois).items():
            storage.write(f"{self.folder}/{name}.json", content)

    @property
    def drawn(self) -> tuple[Aoi, ...]:
        """AOIs that people drew."""
        return tuple(aoi for aoi in self.scored.aois if aoi.source == "drawn")


@dataclass(frozen=True, slots=True)
class AoiEditStore:
    """The edits of one run.

    `storage`: of the run.
    """

    storage: Storage

    def stage(self, edit: AoiEdit) -> None:
        """Write an edit, to be in force once `publish` is called.

        Raises SetupError: it cannot be written.
        """
        left_out = ("medium_id", "frame_rate", "has_audio")
        medium = {name: value for name, value in asdict(edit.medium).items() if name not in left_out}
        facts = {name: getattr(edit, name) for name in ("folder", "part", "exposure_s", "changes")}
        brand = edit.scored.brand and asdict(edit.scored.brand)
        data = pack(edit.tables(), medium=medium, brand=brand, answer=edit.scored.answer, **facts)
        self.storage.write(_file(str(edit.medium.medium_id), staged=True), data, durable=True)

    def publish(self) -> None:
        """Put staged edits in the place of earlier ones of their media."""
        for medium_id in self._names(staged=True):
            if self.storage.folder is not None:
                (self.storage.folder / _file(medium_id, staged=True)).replace(self.storage.folder / _file(medium_id))
                continue
            self.storage.write(_file(medium_id), self.storage.read(_file(medium_id, staged=True)), durable=True)
            self.storage.remove(_file(medium_id, staged=True))

    def discard(self) -> None:
        """Forget staged edits."""
        for medium_id in self._names(staged=True):
            self.storage.remove(_file(medium_id, staged=True))

    def read(self, medium_id: str) -> AoiEdit | None:
        """Read the edit of a medium; None where there is none.

        Raises SetupError: ``edit_damaged``: what people drew may be lost, which no one but the user can decide.
        """
        try:
            tables, facts = unpack(self.storage.read(_file(medium_id)))
            rows = {name: rows_of(tables.get(name, {})) for name in AREA_TABLES}
            search = facts.get("brand")  # mediaan 0.8 does not write it, 0.17 not its spellings
            spellings = tuple(search.get("spellings", ())) if search else ()
            brand = BrandSearch(search["brand"], search["found"], spellings) if search else None
            return AoiEdit(
                medium=Medium(UUID(medium_id), **facts["medium"]),
                folder=facts["folder"],
                part=facts["part"],
                exposure_s=facts["exposure_s"],
                changes=tuple(facts["changes"]),
                scored=ScoredAois.of(rows.__getitem__)._replace(brand=brand, answer=facts.get("answer")),
            )
        except FileNotFoundError:
            return None
        except (DamagedError, OSError, LookupError, TypeError) as error:
            raise SetupError(
                f"{self.storage.display_name}/{_file(medium_id)} is damaged: it holds areas that were drawn or found "
                "after the analysis; bring it back from a copy, or remove it to go on with those of the analysis",
                code="edit_damaged",
            ) from error

    def ids(self) -> frozenset[str]:
        """Return the media that have an edit."""
        return frozenset(self._names())

    def _names(self, *, staged: bool = False) -> list[str]:
        start = f"{EDITS_FOLDER}/{'.' if staged else ''}"
        named = (_NAME.fullmatch(file.path.removeprefix(start)) for file in self.storage.files(f"{EDITS_FOLDER}/"))
        return [match[1] for match in named if match]

    def all(self) -> Iterator[AoiEdit]:
        """Yield every edit, in the order of media ids."""
        for medium_id in sorted(self.ids()):
            edit = self.read(medium_id)
            if edit is not None:
                yield edit

    def over(
        self, listed: Iterable[tuple[str, ResultPart]], changes: list[tuple[str, Change]]
    ) -> Iterator[tuple[str, ResultPart]]:
        """Yield parts with their edits applied; an edit of another part does not apply.

        `changes`: takes the changes behind the edits that do, each with its medium, for `count_changes`.
        """
        ids = self.ids()
        for path, part in listed:
            edit = self.read(part.medium_id) if part.medium_id in ids else None
            if edit is None or edit.part != part.key:
                yield path, part
                continue
            changes += [(str(part.medium_id), change) for change in edit.changes]
            yield path, apply_edit(part, edit)

    def remove(self, edit: AoiEdit, part: ResultPart) -> None:
        """Let the AOIs of the analysis stand again, results of v2 included."""
        if any(is_result_file(path) for path in part.sizes):
            replace(edit, scored=ScoredAois.of(part.rows)).write_results(self.storage)
        else:
            for name in RESULT_NAMES:
                self.storage.remove(f"{edit.folder}/{name}.json")
        self.storage.remove(_file(str(edit.medium.medium_id)))


def apply_edit(part: ResultPart, edit: AoiEdit) -> ResultPart:
    """Return a part with the AOIs of an edit, and what they say of the brand, in place of its own."""
    maps = [row for row in part.rows("maps") if row["map"] not in RESULT_NAMES]
    problems = [row for row in part.rows("problems") if row["code"] not in edit.outdated_codes]
    tables, new = {**part.tables}, edit.tables()
    for name in (*AREA_TABLES, "problems"):
        tables.pop(name, None)  # suggestions were tried with the areas and scores of then
    tables["media"] = {**tables["media"], **{name: [value] for name, value in edit.brand_columns().items()}}
    if problems := [*problems, *edit.brand_warnings(part.path)]:
        tables["problems"] = columns_of(problems)
    return replace(part, tables={**tables, **new, "maps": columns_of([*maps, *rows_of(new["maps"])])})


def count_changes(changes: Iterable[tuple[str, Change]]) -> list[dict[str, Any]]:
    """Return changes in the order of time, each once, with the number of media that it still holds for.

    `changes`: iterable of (medium_id, Change).
    """
    media: dict[str, set[str]] = {}
    first: dict[str, Change] = {}
    for medium_id, change in changes:
        name = change_key(change)
        media.setdefault(name, set()).add(medium_id)
        first.setdefault(name, change)
    in_order = sorted(first.items(), key=lambda item: item[1]["at"])
    return [{**change, "media": len(media[name])} for name, change in in_order]


def change_key(change: Change) -> str:
    """Return the key that identifies a change: all of it but the number of media."""
    return json.dumps({name: value for name, value in change.items() if name != "media"}, sort_keys=True)


def _file(medium_id: str, *, staged: bool = False) -> str:
    return f"{EDITS_FOLDER}/{'.' if staged else ''}{medium_id}{_ENDING}"
