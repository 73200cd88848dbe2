"""What one medium is for, as it is written: valid words, short forms, and what is wrong with others."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from mediaan.config.brand import BrandSettings
from mediaan.config.strict import Strict
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary, as_known

Purpose: TypeAlias = Literal["brand_building", "conversion"]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]

LONGEST_EXPOSURE_S = 60.0
"""Nobody looks at one picture longer; viewers whose gaze the scores rest on looked for 5 s."""

_NO_FILE = replace(BUILT_IN_VOCABULARY, open=False)
"""What is said by a program or over HTTP has no ``values``."""


def _vocabulary(info: ValidationInfo) -> Vocabulary:
    return info.context if isinstance(info.context, Vocabulary) else _NO_FILE


def _refuse(complaint: str | None) -> None:
    if complaint:
        raise PydanticCustomError("unknown_value", "{text}", {"text": complaint})


def _known(kind: str) -> BeforeValidator:
    """Words of a file may be written as people write them, `Facebook`; those of a program may not."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            vocabulary = _vocabulary(info)
            value = as_known(value, vocabulary.words(kind)) if isinstance(info.context, Vocabulary) else value
            _refuse(vocabulary.complaint(kind, value))
        return value

    return BeforeValidator(check)


class Division(Strict):
    """A category, and perhaps a finer division of it."""

    kind: ClassVar[str]
    category: Text
    subcategory: Text | None = None

    @field_validator("category", mode="before")
    @classmethod
    def _known_category(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            _refuse(_vocabulary(info).complaint(cls.kind, value))
        return value

    @field_validator("subcategory", mode="before")
    @classmethod
    def _known_subcategory(cls, value: Any, info: ValidationInfo) -> Any:
        category = info.data.get("category")  # absent where it is wrong itself
        if isinstance(value, str) and category:
            _refuse(_vocabulary(info).subcategory_complaint(cls.kind, category, value))
        return value


class Industry(Division):
    """The trade that a medium advertises for."""

    kind = "industry"
    category: Text = Field(description="the industry, such as food")
    subcategory: Text | None = Field(default=None, description="a finer division, such as snacks, or leave it out")


class UseCase(Division):
    """What kind of thing a medium is."""

    kind = "usecase"
    category: Text = Field(description="the use case, such as advertisement")
    subcategory: Text | None = Field(default=None, description="a finer division, such as launch, or leave it out")


class Objective(Strict):
    """What one medium is for; what is not set is None.

    Attributes
    ----------
    purpose : {'brand_building', 'conversion'} or None
    platform : str or None
        Where it is shown.
    industry, usecase : category and optional subcategory, or None
    country : str or None
        ISO 3166-1 alpha-2.
    brand : BrandSettings or None
        Whose marks shall be found; ``brand.located(folder)`` with the folder of the objectives file finds its logos.
    domain : str or None
        What kind of picture it is, of those that the attention model tells apart; None: the model tells by itself.
    exposure_s : float or None
        How long a picture is looked at, s; a medium that moves lasts as long as it lasts.
    benchmark : str or None
        The norm set that it is compared with: a name, a path as it was written, or ``none``.
    """

    purpose: Annotated[Purpose, _known("purpose")] | None = Field(
        default=None, description="brand_building or conversion"
    )
    platform: Annotated[Text, _known("platform")] | None = Field(
        default=None, description="a platform, such as instagram"
    )
    industry: Industry | None = Field(
        default=None, description="an industry, such as food or food/snacks, or a category and a subcategory"
    )
    usecase: UseCase | None = Field(
        default=None, description="a use case, such as advertisement, or a category and a subcategory"
    )
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")] | None = Field(
        default=None, description="a country as two capital letters, such as DE"
    )
    brand: BrandSettings | None = Field(
        default=None, description="a brand, such as Acme, or its name, aliases and logos (pictures)"
    )
    domain: Annotated[Text, _known("domain")] | None = Field(
        default=None, description="what attention is predicted for, such as photo, ad, design or page"
    )
    exposure_s: Annotated[float, Field(gt=0, le=LONGEST_EXPOSURE_S)] | None = Field(
        default=None, description="how many seconds a picture is looked at: a number above 0, at most 60, such as 2.5"
    )
    benchmark: Text | None = Field(
        default=None, description="a norm set: a name from `mediaan benchmark list`, a path, or none"
    )

    @field_validator("industry", "usecase", mode="before")
    @classmethod
    def _short_form(cls, value: Any, info: ValidationInfo) -> Any:
        """`food` and `food/snacks`; a word of one's own may hold a slash itself."""
        if not isinstance(value, str):
            return value
        category, slash, subcategory = value.partition("/")
        if not slash or value in _vocabulary(info).words(str(info.field_name)):
            return {"category": value}
        return {"category": category.strip(), "subcategory": subcategory.strip()}
