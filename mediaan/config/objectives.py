"""Objectives: what each medium is for, so that it is judged against its like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, InstanceOf, field_validator

from mediaan.config.brand import BrandSettings
from mediaan.config.document import KeyPath
from mediaan.config.objective import Objective, Text
from mediaan.config.objective_table import ObjectiveTable
from mediaan.config.pattern import matches
from mediaan.config.rules import RuleSettings
from mediaan.config.strict import Strict
from mediaan.config.targets import Targets
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary


class MediaRule(Objective):
    """Settings for the media whose path fits a pattern."""

    match: tuple[Text, ...] = Field(min_length=1, description='the files it is for, such as match: "summer/*.png"')

    @field_validator("match", mode="before")
    @classmethod
    def _one_pattern(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Values(Strict):
    """Words of one's own, beside the built-in ones."""

    domain: tuple[Text, ...] = Field(default=(), description="a list of words that your own model tells apart")
    platform: tuple[Text, ...] = Field(default=(), description="a list of words, such as [our_app]")
    industry: tuple[Text, ...] = Field(default=(), description="a list of words, such as [hearing_aids]")
    industry_subcategory: tuple[Text, ...] = Field(default=(), description="a list of words, such as [vegan]")
    usecase: tuple[Text, ...] = Field(default=(), description="a list of words, such as [menu_card]")
    usecase_subcategory: tuple[Text, ...] = Field(default=(), description="a list of words, such as [recall]")

    @property
    def vocabulary(self) -> Vocabulary:
        """These words and the built-in ones."""
        return BUILT_IN_VOCABULARY.extended(dict(self))


class ObjectivesConfig(Strict):
    """An objectives file.

    Attributes
    ----------
    defaults : Objective
        For every medium.
    media : tuple of MediaRule
        By file pattern, in order; a later one wins, setting by setting.
    table : ObjectiveTable or None
        By file; wins over both, setting by setting.
    brands : tuple of BrandSettings
        What a name alone stands for.
    values : Values
        Additions to the vocabulary.
    rules : tuple of RuleSettings
        What media have to reach.
    targets : mapping of str to tuple of Category
        In which part of its population a score should lie, where that is not what `benchmark/targets.toml` says.
    """

    defaults: Objective = Field(
        default=Objective(), description="settings for every medium, such as purpose: conversion"
    )
    media: tuple[MediaRule, ...] = Field(default=(), description='a list of rules, such as - match: "*.png"')
    table: InstanceOf[ObjectiveTable] | None = Field(
        default=None, description="the path of a CSV file with a row for each medium, such as media.csv"
    )
    brands: tuple[BrandSettings, ...] = Field(
        default=(), description="a list of brands with name, aliases and logos, which a name alone stands for"
    )
    values: Values = Field(
        default=Values(), description="lists of your own words by setting, such as platform: [app2], or their file"
    )
    rules: tuple[RuleSettings, ...] = Field(
        default=(), description="a list of rules, such as - branding.percentage_seen >= 40"
    )
    targets: Targets = Field(default={}, description="scores with their categories, such as focus: [extreme_high]")

    @property
    def settings(self) -> dict[KeyPath, Objective]:
        """What the file itself says of media, by place."""
        rules: dict[KeyPath, Objective] = {("media", i): rule for i, rule in enumerate(self.media)}
        return {("defaults",): self.defaults} | rules

    @property
    def described_brands(self) -> dict[KeyPath, BrandSettings]:
        """Brands that the file itself names, by place, with or without aliases and logos."""
        listed_apart: dict[KeyPath, BrandSettings] = {("brands", i): brand for i, brand in enumerate(self.brands)}
        return listed_apart | {(*at, "brand"): part.brand for at, part in self.settings.items() if part.brand}


def resolve_objective(config: ObjectivesConfig, shown_path: str) -> Objective:
    """The settings for one medium: defaults, every rule that fits in order, its row; a null takes a setting back.

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
    settings: dict[str, Any] = {}
    for part in _said_of(config, shown_path):
        settings |= {name: getattr(part, name) for name in part.model_fields_set if name != "match"}
    if settings.get("brand"):
        settings["brand"] = _described(config, settings["brand"])
    return Objective().model_copy(update=settings)


def _said_of(config: ObjectivesConfig, shown_path: str) -> Iterator[Objective]:
    """What applies to a medium, the weakest first."""
    yield config.defaults
    yield from (rule for rule in config.media if any(matches(pattern, shown_path) for pattern in rule.match))
    row = config.table.of(shown_path) if config.table else None
    if row:
        yield row


def _described(config: ObjectivesConfig, brand: BrandSettings) -> BrandSettings:
    """A name alone stands for the brand of that name that the file describes, if it does."""
    if brand.aliases or brand.logos:
        return brand
    same = [one for one in config.described_brands.values() if one.name.casefold() == brand.name.casefold()]
    return next((one for one in same if one.aliases or one.logos), brand)


def written_objectives(config: ObjectivesConfig) -> dict[str, Any]:
    """Write an objectives file as content for JSON, its table with it, so that `objectives_again` reads it back."""
    content = config.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"table"})
    if "targets" in content:
        content["targets"] = {key: list(target) or "none" for key, target in config.targets.items()}
    if config.table is not None:
        rows = {key: row.model_dump(mode="json", exclude_unset=True) for key, row in config.table.rows.items()}
        content["table"] = {"path": str(config.table.path), "rows": rows, "lines": dict(config.table.lines)}
    return content


def objectives_again(content: Mapping[str, Any]) -> ObjectivesConfig:
    """Read what `written_objectives` wrote.

    Raises
    ------
    ValidationError
        A later version does not know a word, or a setting.
    """
    vocabulary = Values.model_validate(content.get("values", {})).vocabulary
    table = content.get("table")
    known = dict(content)
    if table is not None:
        rows = {key: Objective.model_validate(row, context=vocabulary) for key, row in table["rows"].items()}
        known["table"] = ObjectiveTable(Path(table["path"]), rows, table["lines"])
    return ObjectivesConfig.model_validate(known, context=vocabulary)


def unused_patterns(config: ObjectivesConfig, shown_paths: Iterable[str]) -> tuple[str, ...]:
    """Patterns that fit none of the paths, in the order of the file, then rows of its table: probably misspelt."""
    paths = tuple(shown_paths)
    patterns = (pattern for rule in config.media for pattern in rule.match)
    unused = [p for p in patterns if not any(matches(p, path) for path in paths)]
    return (*unused, *(config.table.unused(paths) if config.table else ()))
