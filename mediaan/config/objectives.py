"""Objectives: what each medium is for, so that it is judged against its like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from mediaan.config.brand import BrandSettings, logo_files
from mediaan.config.document import Document, KeyPath, Problem, read_document
from mediaan.config.pattern import matches
from mediaan.config.strict import Strict, complaint_text, complaints, found
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, EXTENDABLE, Vocabulary, did_you_mean
from mediaan.errors import UsageError

Purpose: TypeAlias = Literal["brand_building", "conversion"]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]

_PATH_LIKE = re.compile(r"[/\\]|^[.~]|\.parquet$")

_EXAMPLE = """\
defaults:
  purpose: brand_building
  industry: food
media:
  - match: "*_banner.png"
    purpose: conversion"""


def _known(kind: str) -> BeforeValidator:
    def check(value: Any, info: ValidationInfo) -> Any:
        vocabulary = info.context if isinstance(info.context, Vocabulary) else BUILT_IN_VOCABULARY
        known = vocabulary.words[kind]
        if isinstance(value, str) and value not in known:
            words = did_you_mean(value, known) or f"; there are {', '.join(known)}"
            more = f" Your own words go under values.{kind}" if kind in EXTENDABLE else ""
            text = f"{found(value)} is no known {kind}{words}{'.' if more and words[-1] != '?' else ''}{more}"
            raise PydanticCustomError("unknown_value", "{text}", {"text": text})
        return value

    return BeforeValidator(check)


class Industry(Strict):
    """The trade that a medium advertises for."""

    category: Annotated[Word, _known("industry")] = Field(description="the industry, such as food")
    subcategory: Word | None = Field(default=None, description="a finer division in your own words, or leave it out")


class UseCase(Strict):
    """What kind of thing a medium is."""

    category: Annotated[Word, _known("usecase")] = Field(description="the use case, such as advertisement")
    subcategory: Word | None = Field(default=None, description="a finer division in your own words, or leave it out")


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
    exposure_s : float or None
        How long a picture is looked at, s; a medium that moves lasts as long as it lasts.
    benchmark : str or None
        The norm set that it is compared with: a name, a path as it was written, or ``none``.
    """

    purpose: Annotated[Purpose, _known("purpose")] | None = Field(
        default=None, description="brand_building or conversion"
    )
    platform: Annotated[Word, _known("platform")] | None = Field(
        default=None, description="a platform, such as instagram"
    )
    industry: Industry | None = Field(
        default=None, description="an industry, such as food, or a category and a subcategory"
    )
    usecase: UseCase | None = Field(
        default=None, description="a use case, such as advertisement, or category and subcategory"
    )
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")] | None = Field(
        default=None, description="a country as two capital letters, such as DE"
    )
    brand: BrandSettings | None = Field(
        default=None, description="a brand, such as Acme, or its name, aliases and logos (pictures)"
    )
    exposure_s: Annotated[float, Field(gt=0, le=60)] | None = Field(
        default=None, description="how many seconds a picture is looked at: a number above 0, at most 60, such as 2"
    )
    benchmark: Word | None = Field(
        default=None, description="a norm set: a name from `mediaan benchmark list`, a path, or none"
    )

    @field_validator("industry", "usecase", mode="before")
    @classmethod
    def _category_alone(cls, value: Any) -> Any:
        return {"category": value} if isinstance(value, str) else value


class MediaRule(Objective):
    """Settings for the media whose path fits a pattern."""

    match: tuple[Word, ...] = Field(min_length=1, description='the files it is for, such as match: "summer/*.png"')

    @field_validator("match", mode="before")
    @classmethod
    def _one_pattern(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Values(Strict):
    """Words of one's own, beside the built-in ones."""

    platform: tuple[Word, ...] = Field(default=(), description="a list of words, such as [our_app]")
    industry: tuple[Word, ...] = Field(default=(), description="a list of words, such as [toys]")
    usecase: tuple[Word, ...] = Field(default=(), description="a list of words, such as [menu_card]")


class ObjectivesConfig(Strict):
    """An objectives file.

    Attributes
    ----------
    defaults : Objective
        For every medium.
    media : tuple of MediaRule
        By file pattern, in order; a later one wins, setting by setting.
    values : Values
        Additions to the vocabulary.
    """

    defaults: Objective = Field(
        default=Objective(), description="settings for every medium, such as purpose: conversion"
    )
    media: tuple[MediaRule, ...] = Field(default=(), description='a list of rules, such as - match: "*.png"')
    values: Values = Field(default=Values(), description="lists of your own words under platform, industry or usecase")


def load_objectives(path: Path) -> ObjectivesConfig:
    """Read an objectives file.

    Parameters
    ----------
    path : Path
        YAML, at most 1 MB; see ``docs/objectives.md``.

    Returns
    -------
    ObjectivesConfig

    Raises
    ------
    UsageError
        Naming the file and every line and key that must change, with the fix.
    """
    document = read_document(path)
    if not document.content:
        raise UsageError(f"{path}: is empty; write for example\n\n{_EXAMPLE}", code="config_invalid")
    problems = document.problems
    try:
        config = ObjectivesConfig.model_validate(document.content, context=_vocabulary(document))
    except ValidationError as error:
        problems = [*problems, *complaints(error, ObjectivesConfig)]
    else:
        problems = [*problems, *_logo_problems(config, path.parent)]
    if problems:
        raise UsageError(complaint_text(str(path), document, problems), code="config_invalid")
    return config


def resolve_objective(config: ObjectivesConfig, shown_path: str) -> Objective:
    """The settings for one medium: defaults, then every rule that fits, in order; a null takes a setting back.

    Parameters
    ----------
    config : ObjectivesConfig
    shown_path : str
        Path of the medium as the tables show it, with ``/`` between folders.

    Examples
    --------
    >>> rules = [{"match": "*.png", "purpose": "conversion"}]
    >>> config = ObjectivesConfig.model_validate({"defaults": {"country": "DE"}, "media": rules})
    >>> resolve_objective(config, "ads/a.png").model_dump(exclude_none=True)
    {'purpose': 'conversion', 'country': 'DE'}
    """
    settings = dict(config.defaults)
    for rule in config.media:
        if any(matches(pattern, shown_path) for pattern in rule.match):
            settings |= {name: value for name, value in rule if name in rule.model_fields_set and name != "match"}
    return Objective().model_copy(update=settings)


def benchmark_choice(written: str, folder: Path) -> str:
    """What a `benchmark` of a file in `folder` means: the whole path of a file or folder, otherwise a name as it is.

    Examples
    --------
    >>> benchmark_choice("ads", Path("/briefs")), benchmark_choice("./mine.parquet", Path("/briefs"))
    ('ads', '/briefs/mine.parquet')
    """
    path = folder / Path(written).expanduser()
    is_path = path.exists() or _PATH_LIKE.search(written) is not None
    return str(path.resolve()) if is_path else written


def unused_patterns(config: ObjectivesConfig, shown_paths: Iterable[str]) -> tuple[str, ...]:
    """Patterns that fit none of the paths, in the order of the file: probably misspelt."""
    paths = tuple(shown_paths)
    patterns = (pattern for rule in config.media for pattern in rule.match)
    return tuple(p for p in patterns if not any(matches(p, path) for path in paths))


def _logo_problems(config: ObjectivesConfig, folder: Path) -> Iterator[Problem]:
    """Logos that are not there or no pictures, each at its own line."""
    places: list[tuple[KeyPath, Objective]] = [(("defaults",), config.defaults)]
    places += [(("media", i), rule) for i, rule in enumerate(config.media)]
    for place, settings in places:
        for i, written in enumerate(settings.brand.logos if settings.brand else ()):
            try:
                logo_files(written, folder)
            except UsageError as error:
                yield Problem((*place, "brand", "logos", i), error.message)


def _vocabulary(document: Document) -> Vocabulary:
    """The built-in words and those of the file, as far as they are well-formed; what is not, validation names."""
    values = document.content.get("values") if isinstance(document.content, dict) else None
    if not isinstance(values, dict):
        return BUILT_IN_VOCABULARY
    lists = {kind: words for kind, words in values.items() if kind in EXTENDABLE and isinstance(words, list)}
    return BUILT_IN_VOCABULARY.extended({k: [w for w in words if isinstance(w, str)] for k, words in lists.items()})
