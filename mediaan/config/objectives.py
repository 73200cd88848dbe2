"""Objectives: what each medium is for, so that it is judged against its like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, InstanceOf, ValidationError, field_validator

from mediaan.benchmark.shelf import list_norm_sets
from mediaan.config.brand import BrandSettings, logo_files
from mediaan.config.document import Document, KeyPath, Plain, Problem, read_document
from mediaan.config.objective import Objective, Text
from mediaan.config.objective_table import ObjectiveTable, load_objective_table
from mediaan.config.pattern import matches
from mediaan.config.rules import RuleSettings
from mediaan.config.strict import Strict, complaint_text, complaints, found, listed
from mediaan.config.targets import Targets
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, EXTENDABLE, Vocabulary, did_you_mean
from mediaan.errors import UsageError

_NORM_SET_SUFFIX = ".parquet"
_NO_NORM_SET = ("auto", "none")

_EXAMPLE = """\
defaults:
  purpose: brand_building
  industry: food
media:
  - match: "*_banner.png"
    purpose: conversion"""


class MediaRule(Objective):
    """Settings for the media whose path fits a pattern."""

    match: tuple[Text, ...] = Field(min_length=1, description='the files it is for, such as match: "summer/*.png"')

    @field_validator("match", mode="before")
    @classmethod
    def _one_pattern(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Values(Strict):
    """Words of one's own, beside the built-in ones."""

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
    values: Values = Field(default=Values(), description="lists of your own words by setting, such as platform: [app2]")
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
    vocabulary = _vocabulary(document)
    table, refusal = _table(document, path.parent, vocabulary)
    problems = [*document.problems, *_missing_table(document, path.parent)]
    try:
        config = ObjectivesConfig.model_validate(_with_table(document.content, table), context=vocabulary)
    except ValidationError as error:
        problems = [*problems, *complaints(error, ObjectivesConfig)]
    else:
        problems = [*problems, *_path_problems(config, path.parent)]
    said = [complaint_text(str(path), document, problems)] if problems else []
    if said or refusal:
        raise UsageError("\n".join([*said, *refusal]), code="config_invalid")
    return config


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


def benchmark_choice(written: str, folder: Path) -> str:
    """What a `benchmark` of a file in `folder` means: the whole path of a file, otherwise a name as it is.

    Examples
    --------
    >>> benchmark_choice("ads", Path("/briefs")), benchmark_choice("mine.parquet", Path("/briefs"))
    ('ads', '/briefs/mine.parquet')
    """
    is_path = written.endswith(_NORM_SET_SUFFIX)
    return str(_beside(folder, written).resolve()) if is_path else written


def unused_patterns(config: ObjectivesConfig, shown_paths: Iterable[str]) -> tuple[str, ...]:
    """Patterns that fit none of the paths, in the order of the file, then rows of its table: probably misspelt."""
    paths = tuple(shown_paths)
    patterns = (pattern for rule in config.media for pattern in rule.match)
    unused = [p for p in patterns if not any(matches(p, path) for path in paths)]
    return (*unused, *(config.table.unused(paths) if config.table else ()))


def _path_problems(config: ObjectivesConfig, folder: Path) -> Iterator[Problem]:
    """Logos that are not there or no pictures, and norm sets that are not there, each at its own line."""
    for place, brand in config.described_brands.items():
        for i, written in enumerate(brand.logos):
            try:
                logo_files(written, folder)
            except UsageError as error:
                yield Problem((*place, "logos", i), error.message)
    for place, part in config.settings.items():
        complaint = _benchmark_complaint(part, folder)
        if complaint:
            yield Problem((*place, "benchmark"), complaint)


def _benchmark_complaint(said: Objective, folder: Path) -> str | None:
    """What is wrong with the norm set that is named."""
    written = said.benchmark
    if written is None or written in _NO_NORM_SET:
        return None
    if written.endswith(_NORM_SET_SUFFIX):
        choice = benchmark_choice(written, folder)
        return None if Path(choice).is_file() else f"there is no file {choice}; write the path of a norm set, or a name"
    known = tuple(list_norm_sets())
    if written in known:
        return None
    there = f"; there are {', '.join(known)}, none, and files ({_NORM_SET_SUFFIX})"
    return f"{found(written)} is no known norm set{did_you_mean(written, known) or there}"


def _missing_table(document: Document, folder: Path) -> Iterator[Problem]:
    written = document.content.get("table") if isinstance(document.content, dict) else None
    if isinstance(written, str) and not _beside(folder, written).is_file():
        yield Problem(("table",), f"there is no file {_beside(folder, written)}; write the path of a CSV file")


def _beside(folder: Path, written: str) -> Path:
    """A path as it is meant in a file of this folder."""
    return folder / Path(written).expanduser()


def _table(document: Document, folder: Path, vocabulary: Vocabulary) -> tuple[ObjectiveTable | None, list[str]]:
    """The table that a file names, or what is wrong with it."""
    written = document.content.get("table") if isinstance(document.content, dict) else None
    if not isinstance(written, str) or not _beside(folder, written).is_file():
        return None, []
    try:
        table = load_objective_table(_beside(folder, written), vocabulary)
    except UsageError as error:
        return None, [error.message]
    missing = [(table.lines[key], "benchmark", _benchmark_complaint(row, folder)) for key, row in table.rows.items()]
    problems = [(line, column, complaint) for line, column, complaint in missing if complaint]
    return table, [listed(str(table.path), problems)] if problems else []


def _with_table(content: Plain, table: ObjectiveTable | None) -> object:
    """What is written, with the table in the place of its path; what is no path stays, for validation to name."""
    if not isinstance(content, dict) or not isinstance(content.get("table"), str):
        return content
    return {**content, "table": table}


def _vocabulary(document: Document) -> Vocabulary:
    """The built-in words and those of the file, as far as they are well-formed; what is not, validation names."""
    values = document.content.get("values") if isinstance(document.content, dict) else None
    if not isinstance(values, dict):
        return BUILT_IN_VOCABULARY
    lists = {kind: words for kind, words in values.items() if kind in EXTENDABLE and isinstance(words, list)}
    return BUILT_IN_VOCABULARY.extended({k: [w for w in words if isinstance(w, str)] for k, words in lists.items()})
