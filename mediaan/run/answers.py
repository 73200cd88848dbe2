"""Keep what people answered in a review: one line an answer, which is on the disk before anything follows from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid4

from mediaan.aoi.medium_coordinates import with_confirmed
from mediaan.errors import SetupError
from mediaan.run.directory import ANSWERS_FILE
from mediaan.run.files import disk_errors
from mediaan.run.tables.rows import aoi_row, aois_of, track_rows
from mediaan.types.aoi import Aoi, AoiType

AnswerKind = Literal["pick", "none", "draw", "confirm_all", "brand_for_folder", "file", "undo"]

ANSWERED = "answered"
"""Entry of ``run.json``: id of the last answer that the tables hold."""

Areas = tuple[tuple[Aoi, ...], frozenset[AoiType]]
"""Areas of a medium, and the types of which it has none."""


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """One answer of a person, about one medium or about the brand of a folder."""

    kind: AnswerKind
    """``file``: areas of a file of confirmed ones, which `mediaan aois apply` read."""
    medium_id: str
    """Of the medium that was asked about; of an undo, that of the answer that it takes back."""
    types: tuple[AoiType, ...] = ()
    """Types of which it says which areas there are."""
    areas: tuple[Aoi, ...] = ()
    """All areas of these types, confirmed, without scores."""
    before: tuple[Aoi, ...] = ()
    absent_before: tuple[AoiType, ...] = ()
    """before, absent_before: Areas that it replaced or changed, and types of which it was known that there are none."""
    brand: str = ""
    folder: str = ""
    media: tuple[str, ...] = ()
    """brand, folder, media: Name of the brand of the files of a folder that named none, and the ids of these."""
    undoes: str = ""
    """Id of the answer that an undo takes back."""
    id: str = ""
    at: str = ""
    """id, at: Of the answer; given when it is written."""

    @property
    def absent(self) -> frozenset[AoiType]:
        """Types of which it says that the medium has none."""
        return frozenset(self.types) - {aoi.type for aoi in self.areas}

    def to_dict(self) -> dict[str, Any]:
        """Return what the line holds."""
        content: dict[str, Any] = {"id": self.id, "at": self.at, "kind": self.kind, "medium_id": self.medium_id}
        if self.types:
            content |= {"types": self.types, "areas": _records(self.medium_id, self.areas)}
        if self.before:
            content["before"] = _records(self.medium_id, self.before)
        more = ("absent_before", "brand", "folder", "media", "undoes")
        return content | {name: value for name in more if (value := getattr(self, name))}

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> ReviewAnswer:
        """Return the answer of a line; what later versions write beside it is left out."""
        plain = ("kind", "medium_id", "brand", "folder", "undoes", "id", "at")
        return cls(
            types=tuple(content.get("types", ())),
            areas=_areas(content.get("areas", ())),
            before=_areas(content.get("before", ())),
            absent_before=tuple(content.get("absent_before", ())),
            media=tuple(content.get("media", ())),
            **{name: content[name] for name in plain if name in content},
        )


def read_answers(run_dir: Path) -> list[ReviewAnswer]:
    """Read the answers of a run in order, undone ones and undos included; a line that was cut off does not count.

    Raises SetupError: ``answers_damaged``: a line before the last is not what was written.
    """
    try:
        lines = (run_dir / ANSWERS_FILE).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    answers = []
    for number, line in enumerate(lines[:-1], 1):  # without a line end, the last was never written whole
        try:
            answers.append(ReviewAnswer.parse(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise SetupError(
                f"{run_dir / ANSWERS_FILE}: line {number} is damaged ({error}): it holds an answer of a review; bring "
                "the file back from a copy, or remove the line",
                code="answers_damaged",
            ) from error
    return answers


def append_answers(run_dir: Path, answers: Sequence[ReviewAnswer]) -> list[ReviewAnswer]:
    """Write answers, all or none, and return them with ids; they are on the disk when this returns.

    Raises SetupError: the disk is full or may not be written to.
    """
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    written = [replace(answer, id=answer.id or uuid4().hex, at=at) for answer in answers]
    lines = "".join(json.dumps(answer.to_dict(), ensure_ascii=False) + "\n" for answer in written)
    path = run_dir / ANSWERS_FILE
    with disk_errors(path), path.open("a+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        whole = _whole_lines(file, size)
        file.truncate(whole)
        file.seek(whole)
        file.write(lines.encode())
        file.flush()
        os.fsync(file.fileno())
    return written


def _whole_lines(file: Any, size: int) -> int:
    """Return where the last whole line ends: what follows was cut off."""
    step, end = 65536, size
    while end > 0:
        start = max(0, end - step)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return int(start + at + 1)
        end = start
    return 0


def in_force(answers: Iterable[ReviewAnswer]) -> list[ReviewAnswer]:
    """Return the answers that were not undone, in order."""
    listed = list(answers)
    undone = {answer.undoes for answer in listed if answer.kind == "undo"}
    return [answer for answer in listed if answer.kind != "undo" and answer.id not in undone]


def by_medium(answers: Iterable[ReviewAnswer]) -> dict[str, list[ReviewAnswer]]:
    """Return answers about areas by the medium that they are about, undos included."""
    answers_of: dict[str, list[ReviewAnswer]] = {}
    for answer in answers:
        if answer.types or answer.kind in ("undo", "file"):
            answers_of.setdefault(answer.medium_id, []).append(answer)
    return answers_of


def apply_answer(aois: Sequence[Aoi], absent: frozenset[AoiType], answer: ReviewAnswer) -> Areas:
    """Put the areas of an answer in the place of those of its types."""
    after = with_confirmed(aois, answer.types, answer.areas)
    return after, (absent - set(answer.types)) | answer.absent


def undo_answer(aois: Sequence[Aoi], absent: frozenset[AoiType], answer: ReviewAnswer) -> Areas:
    """Bring back what an answer replaced."""
    ids = {aoi.aoi_id for aoi in (*answer.areas, *answer.before)}
    kept = (aoi for aoi in aois if aoi.aoi_id not in ids)
    return (*kept, *answer.before), (absent - set(answer.types)) | set(answer.absent_before)


def with_before(answer: ReviewAnswer, aois: Sequence[Aoi], absent: frozenset[AoiType]) -> ReviewAnswer:
    """Return an answer with what it replaces in a medium that has these areas."""
    after, _ = apply_answer(aois, absent, answer)
    changed = tuple(replace(aoi, scores=()) for aoi in aois if aoi not in after)
    return replace(answer, before=changed, absent_before=tuple(sorted(absent & set(answer.types))))


def _records(medium_id: str, aois: Iterable[Aoi]) -> list[dict[str, Any]]:
    of = UUID(medium_id)
    return [aoi_row(of, aoi) | ({"track": list(track_rows(of, aoi))} if aoi.track else {}) for aoi in aois]


def _areas(records: Sequence[Mapping[str, Any]]) -> tuple[Aoi, ...]:
    return tuple(aois_of(records, [sighting for record in records for sighting in record.get("track", ())]))
