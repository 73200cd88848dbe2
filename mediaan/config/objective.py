"""Validate the objective of one medium: purpose, platform, industry, use case, country, brand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from mediaan.config.brand import BrandSettings
from mediaan.config.validation import StrictModel, describe_error, refusal
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary, match_known
from mediaan.errors import UsageError
from mediaan.types.media import Purpose

Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]

LONGEST_EXPOSURE_S = 60.0
"""Nobody looks at one image longer; viewers whose gaze the scores rest on looked for 5 s."""

_NO_FILE = replace(BUILT_IN_VOCABULARY, open=False)
"""What is said by a program or over HTTP has no ``values``."""


def _vocabulary(info: ValidationInfo) -> Vocabulary:
    return info.context if isinstance(info.context, Vocabulary) else _NO_FILE


def _spelled(word: str, words: Iterable[str], info: ValidationInfo) -> str:
    """Return the known word that is meant: people may write `Facebook`; requests over HTTP are taken literally."""
    return match_known(word, tuple(words)) if _written_by_people(info) else word


def _written_by_people(info: ValidationInfo) -> bool:
    return isinstance(info.context, Vocabulary)


def _known_word(kind: str, value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, str):
        vocabulary = _vocabulary(info)
        value = _spelled(value, vocabulary.words(kind), info)
        if complaint := vocabulary.complaint(kind, value):
            raise refusal(complaint)
    return value


def _known(kind: str) -> BeforeValidator:
    """Validate a word of the vocabulary."""
    return BeforeValidator(partial(_known_word, kind))


def _capitals(value: Any, info: ValidationInfo) -> Any:
    return value.upper() if isinstance(value, str) and len(value) == 2 and _written_by_people(info) else value


def _decimal_point(value: Any, info: ValidationInfo) -> Any:
    is_decimal = isinstance(value, str) and re.fullmatch(r"\d+,\d+", value)
    return value.replace(",", ".") if is_decimal and _written_by_people(info) else value


class Division(StrictModel):
    """A category, and perhaps a finer division of it."""

    kind: ClassVar[str]
    category: Text
    subcategory: Text | None = None

    @field_validator("category", mode="before")
    @classmethod
    def _known_category(cls, value: Any, info: ValidationInfo) -> Any:
        return _known_word(cls.kind, value, info)

    @field_validator("subcategory", mode="before")
    @classmethod
    def _known_subcategory(cls, value: Any, info: ValidationInfo) -> Any:
        category = info.data.get("category")  # absent where it is wrong itself
        if isinstance(value, str) and category:
            vocabulary = _vocabulary(info)
            value = _spelled(value, vocabulary.subcategories(cls.kind, category), info)
            if complaint := vocabulary.subcategory_complaint(cls.kind, category, value):
                raise refusal(complaint)
        return value


class Industry(Division):
    """The trade that a medium advertises for."""

    kind = "industry"
    category: Text = Field(description="the industry, such as food")
    subcategory: Text | None = Field(default=None, description="a finer division, such as snacks, or leave it out")


class UseCase(Division):
    """Kind of thing that a medium is, such as an advertisement."""

    kind = "usecase"
    category: Text = Field(description="the use case, such as advertisement")
    subcategory: Text | None = Field(default=None, description="a finer division, such as launch, or leave it out")


class SharedObjective(StrictModel):
    """Settings of an objective that files, programs and requests over HTTP have; unset fields are None."""

    purpose: Annotated[Purpose, _known("purpose")] | None = Field(
        default=None, description="brand_building or conversion"
    )
    """One of ``brand_building``, ``conversion`` or None."""
    platform: Annotated[Text, _known("platform")] | None = Field(
        default=None, description="a platform, such as instagram"
    )
    """Where it is shown."""
    industry: Industry | None = Field(
        default=None, description="an industry, such as food or food/snacks, or a category and a subcategory"
    )
    usecase: UseCase | None = Field(
        default=None, description="a use case, such as advertisement, or a category and a subcategory"
    )
    country: Annotated[str, Field(pattern="^[A-Z]{2}$"), BeforeValidator(_capitals)] | None = Field(
        default=None, description="a country as two capital letters, such as DE"
    )
    """ISO 3166-1 alpha-2."""
    brand: BrandSettings | None = Field(
        default=None, description="a brand, such as Acme, or its name, aliases and logos (images)"
    )
    """Brand to look for; ``brand.located(folder)`` with the folder of the objectives file finds its logos."""
    domain: Annotated[Text, _known("domain")] | None = Field(
        default=None, description="what attention is predicted for, such as photo, ad, design or page"
    )
    """What kind of image it is, of those that the attention model tells apart; None: the model tells by itself."""
    exposure_s: Annotated[float, Field(gt=0, le=LONGEST_EXPOSURE_S), BeforeValidator(_decimal_point)] | None = Field(
        default=None, description="how many seconds people look at an image: a number above 0, at most 60, such as 2.5"
    )
    """How long an image is looked at, s; a medium that moves lasts as long as it lasts."""
    benchmark: Text | None = Field(
        default=None, description="a norm set: a name from `mediaan benchmark list`, a path, or none"
    )
    """The norm set that it is compared with: a name, a path as it was written, or ``none``."""

    @field_validator("industry", "usecase", mode="before")
    @classmethod
    def _short_form(cls, value: Any, info: ValidationInfo) -> Any:
        """Split `food` and `food/snacks`; a word of the user's own may hold a slash itself."""
        if not isinstance(value, str):
            return value
        category, slash, subcategory = value.partition("/")
        words = _vocabulary(info).words(str(info.field_name))
        if not slash or _spelled(value, words, info) in words:
            return {"category": value}
        return {"category": category.strip(), "subcategory": subcategory.strip()}


_VIEWPORT = r"^(auto|whole|[1-9][0-9]{2,3}x[1-9][0-9]{2,3})$"
"""As `mediaan.saliency.folds` reads it, which a server must not load."""


class Objective(SharedObjective):
    """Objective of one medium; unset fields are None."""

    placement: tuple[Text, ...] | None = Field(
        default=None, description="a placement, such as instagram_story, a list of them, or none"
    )
    """Placements in which it is shown; None: the one that its platform alone stands for, if it has one; none where the
    tuple is empty. The other fields are those of `SharedObjective`."""
    brand_kit: Text | None = Field(
        default=None, description="the folder of a brand kit, such as kits/acme, beside brand or in its place"
    )
    """Folder of the kit in which the brand is described; `resolve_objective` puts what it says into `brand`."""
    viewport: Annotated[str, Field(pattern=_VIEWPORT)] | None = Field(
        default=None, description="the screen on which a tall page is seen, such as 1440x900; auto, or whole"
    )
    """Screen on which a tall page is judged fold by fold, such as ``390x844``; ``auto`` or ``whole``, as in `Recipe`.
    """

    @field_validator("placement", mode="before")
    @classmethod
    def _known_placements(cls, value: Any, info: ValidationInfo) -> Any:
        """Take a list, one name, or names with commas or semicolons between them, as tables have them."""
        names = re.split(r"[;,]", value) if isinstance(value, str) else value
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
            return value
        vocabulary = _vocabulary(info)
        spelled = [_spelled(name.strip(), (*vocabulary.words("placement"), "none"), info) for name in names]
        if spelled == ["none"]:
            return ()
        for name in spelled:
            if complaint := vocabulary.complaint("placement", name):
                raise refusal(complaint)
        return tuple(dict.fromkeys(spelled))


def read_objective(objective: Objective | Mapping[str, Any]) -> Objective:
    """Return the objective that a program states; words may be written freely, such as ``Facebook``.

    Raises UsageError: naming the setting, and what to write.

    >>> read_objective({"platform": "Facebook", "industry": "Food/Snacks"}).model_dump(exclude_none=True)
    {'platform': 'facebook', 'industry': {'category': 'food', 'subcategory': 'snacks'}}
    """
    try:
        return Objective.model_validate(objective, context=_NO_FILE)
    except ValidationError as error:
        raise UsageError(describe_error(error, Objective), code="config_invalid") from error
