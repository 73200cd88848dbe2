"""What a page of a review sends, and the order of its questions; a server that computes nothing loads this."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from mediaan.types.aoi import AoiType

AnswerName = Literal["pick", "none", "draw", "confirm_all", "brand_for_folder"]

MOST_AREAS = 200
"""Of an answer."""

UnitBox = tuple[float, float, float, float]
"""x, y, width and height in unit coordinates."""

Asked = TypeVar("Asked")


class AnswerBody(BaseModel):
    """Body of ``POST api/review/answers``."""

    model_config = ConfigDict(extra="forbid")

    question: str
    answer: AnswerName
    numbers: Annotated[list[int], Field(max_length=MOST_AREAS)] = []
    boxes: Annotated[list[UnitBox], Field(max_length=MOST_AREAS)] = []
    shown: Annotated[list[UnitBox], Field(max_length=MOST_AREAS)] = []
    """Boxes of the proposals that the numbers count, as the page showed them; empty: as they are now."""
    type: AoiType | None = None
    brand: str | None = None


class UndoBody(BaseModel):
    """Body of ``POST api/review/undo``."""

    model_config = ConfigDict(extra="ignore")

    answer: str | None = None
    """Id of the answer that is taken back; null: the last one."""


def by_value(
    questions: Iterable[Asked], medium_of: Callable[[Asked], str], rank_of: Callable[[Asked], tuple[int, float]]
) -> list[Asked]:
    """Sort questions, those about a medium together: the media with the most valuable question first."""
    listed = list(questions)
    best: dict[str, tuple[int, float]] = {}
    for question in listed:
        medium = medium_of(question)
        best[medium] = min(rank_of(question), best.get(medium, rank_of(question)))
    return sorted(listed, key=lambda question: (best[medium_of(question)], medium_of(question), rank_of(question)))
