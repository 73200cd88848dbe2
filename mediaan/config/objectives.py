"""Read an objectives file, the files that it names, and rule sets, and resolve the objective of each medium."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, InstanceOf, ValidationError, field_validator

from mediaan.config.attributes import Cells, RowsByFile, is_spelled_otherwise, load_attributes, matches
from mediaan.config.brand import BrandKit, BrandSettings, load_kit, logo_files
from mediaan.config.objective import Objective, Text
from mediaan.config.placements import PlacementSettings, load_placements, repeated_names
from mediaan.config.rules import RuleSettings, Targets
from mediaan.config.validation import (
    ConfigProblem,
    Document,
    KeyPath,
    StrictModel,
    describe_value,
    format_problems,
    list_problems,
    read_document,
    validate_document,
    validation_problems,
)
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, EXTENDABLE, Vocabulary
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.benchmark import list_norm_sets
from mediaan.judge.rules import rule_set_names, rule_set_path

Part = TypeVar("Part", bound=Objective)


class MediaRule(Objective):
    """Settings for the media whose path fits a pattern."""

    match: tuple[Text, ...] = Field(min_length=1, description='the files it is for, such as match: "summer/*.png"')

    @field_validator("match", mode="before")
    @classmethod
    def _one_pattern(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Values(StrictModel):
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


class ObjectivesConfig(StrictModel):
    """An objectives file."""

    defaults: Objective = Field(default=Objective(), description="settings for every file, such as purpose: conversion")
    media: tuple[MediaRule, ...] = Field(default=(), description='a list of rules, such as - match: "*.png"')
    """By file pattern, in order; a later one wins, setting by setting."""
    table: InstanceOf[RowsByFile[Objective]] | None = Field(
        default=None, description="the path of a CSV file with a row for each file, such as media.csv"
    )
    """By file; wins over both, setting by setting."""
    brands: tuple[BrandSettings, ...] = Field(
        default=(), description="a list of brands with name, aliases and logos, which a name alone stands for"
    )
    values: Values = Field(
        default=Values(), description="lists of your own words by setting, such as platform: [app2], or their file"
    )
    placements: tuple[PlacementSettings, ...] = Field(
        default=(), description="a list of your own placements with name, and css_px or mm, or their file"
    )
    rules: tuple[RuleSettings, ...] = Field(
        default=(), description="a list of rules, such as - branding.percentage_seen >= 40"
    )
    targets: Targets = Field(default={}, description="scores with their categories, such as focus: [extreme_high]")
    """In which part of its population a score should lie, where that is not what `benchmark/targets.toml` says."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Valid words in this file."""
        return self.values.vocabulary.extended({"placement": [placement.name for placement in self.placements]})

    @property
    def settings(self) -> dict[KeyPath, Objective]:
        """Settings of the file itself for media, by place."""
        rules: dict[KeyPath, Objective] = {("media", i): rule for i, rule in enumerate(self.media)}
        return {("defaults",): self.defaults} | rules

    @property
    def parts(self) -> tuple[Objective, ...]:
        """All settings for media, those of the table too."""
        return (self.defaults, *self.media, *(self.table.rows.values() if self.table else ()))

    @property
    def described_brands(self) -> dict[KeyPath, BrandSettings]:
        """Brands that the file itself names, by place, with or without aliases and logos."""
        listed_apart: dict[KeyPath, BrandSettings] = {("brands", i): brand for i, brand in enumerate(self.brands)}
        return listed_apart | {(*at, "brand"): part.brand for at, part in self.settings.items() if part.brand}


def resolve_objective(config: ObjectivesConfig, shown_path: str) -> Objective:
    """Resolve the settings of one medium: defaults, each matching rule in order, its row; null unsets a setting.

    `shown_path`: path of the medium as the tables show it, with ``/`` between folders.

    >>> rules = [{"match": "*.png", "purpose": "conversion"}]
    >>> config = ObjectivesConfig.model_validate({"defaults": {"country": "DE"}, "media": rules})
    >>> resolve_objective(config, "ads/a.png").model_dump(exclude_none=True)
    {'purpose': 'conversion', 'country': 'DE'}
    """
    parts: list[Objective] = [config.defaults]
    patterns = {pattern for rule in config.media for pattern in rule.match}
    parts += (
        rule
        for rule in config.media
        if any(
            matches(pattern, shown_path) and not is_spelled_otherwise(pattern, shown_path, patterns)
            for pattern in rule.match
        )
    )
    if config.table and (row := config.table.of(shown_path)):
        parts.append(row)
    settings: dict[str, Any] = {}
    for part in parts:
        stated = {name: getattr(part, name) for name in part.model_fields_set if name != "match"}
        if {"brand", "brand_kit"} & stated.keys():  # another brand than that of an earlier part
            settings = {name: value for name, value in settings.items() if name not in ("brand", "brand_kit")}
        settings |= stated
    if settings.get("brand"):
        settings["brand"] = _described(config, settings["brand"])
    if kit_folder := settings.pop("brand_kit", None):
        settings["brand"] = read_kit(kit_folder).merged_with(settings.get("brand"))
    return Objective().model_copy(update=settings)


@cache
def read_kit(folder: str) -> BrandKit:
    """Read a brand kit once for a run; see `mediaan.workflow.folder.inputs.load_inputs`."""
    return load_kit(Path(folder))


def _described(config: ObjectivesConfig, brand: BrandSettings) -> BrandSettings:
    """Return the described brand of the same name for a brand that is only named."""
    if brand.is_described:
        return brand
    same = [other for other in config.described_brands.values() if other.name.casefold() == brand.name.casefold()]
    return next((other for other in same if other.is_described), brand)


def dump_objectives(config: ObjectivesConfig) -> dict[str, Any]:
    """Write an objectives file as content for JSON, its table with it, so that `restore_objectives` reads it back."""
    content = config.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"table"})
    if "targets" in content:
        content["targets"] = {key: list(target) or "none" for key, target in config.targets.items()}
    if config.table is not None:
        rows = {key: row.model_dump(mode="json", exclude_unset=True) for key, row in config.table.rows.items()}
        content["table"] = {"path": str(config.table.path), "rows": rows, "lines": dict(config.table.lines)}
    return content


def restore_objectives(content: Mapping[str, Any]) -> ObjectivesConfig:
    """Read what `dump_objectives` wrote.

    Raises ValidationError: a later version does not know a word, or a setting.
    """
    vocabulary = _vocabulary(content.get("values", {}), content.get("placements", []))
    table = content.get("table")
    settings = dict(content)
    if table is not None:
        rows = {key: Objective.model_validate(row, context=vocabulary) for key, row in table["rows"].items()}
        settings["table"] = RowsByFile(Path(table["path"]), rows, table["lines"])
    return ObjectivesConfig.model_validate(settings, context=vocabulary)


def unused_patterns(config: ObjectivesConfig, shown_paths: Iterable[str]) -> tuple[str, ...]:
    """Return patterns that match no path, in the order of the file, then unmatched rows of its table."""
    paths = tuple(shown_paths)
    patterns = (pattern for rule in config.media for pattern in rule.match)
    unused = [p for p in patterns if not any(matches(p, path) for path in paths)]
    return (*unused, *(config.table.unused(paths) if config.table else ()))


SETTINGS = (
    "purpose", "platform", "placement", "industry", "usecase", "country", "brand", "brand_kit", "domain", "exposure_s",
    "viewport", "benchmark",
)  # fmt: skip
SUBCATEGORIES = {"industry": "industry_subcategory", "usecase": "usecase_subcategory"}
_COLUMNS = (*SETTINGS, *SUBCATEGORIES.values())

_MISSPELT = 0.85
"""Columns as near as this to one that means something are taken for a mistake; others are the user's own."""

_TABLES = (".csv", ".tsv")
_NORM_SET_SUFFIX = ".parquet"
_NO_NORM_SET = ("auto", "none")
_NOTHING: dict[str, object] = {"values": {}, "placements": [], "table": None}
"""What stands for a file that is wrong, so that the rest can be read."""

_EXAMPLE = """\
defaults:
  purpose: brand_building
  industry: food
media:
  - match: "*_banner.png"
    purpose: conversion"""


def load_objectives(path: Path) -> ObjectivesConfig:
    """Read an objectives file.

    `path`: YAML, at most 1 MB, or a table alone (.csv, .tsv); see ``docs/objectives.md``.
    Raises UsageError: naming the file, and those that it names, with every line and key that must change and the fix.
    """
    if path.suffix.lower() in _TABLES:
        return ObjectivesConfig(table=_load_table(path, BUILT_IN_VOCABULARY, path.parent))
    document, folder = read_document(path), path.parent
    if not document.content:
        raise UsageError(f"{path}: is empty; write for example\n\n{_EXAMPLE}", code="config_invalid")
    refusals: list[str] = []
    values = _in_place(document, "values", folder, _load_values, refusals)
    words = _vocabulary(values)
    placements = _in_place(document, "placements", folder, lambda file: _load_placements(file, words), refusals)
    vocabulary = _vocabulary(values, placements)
    table = _in_place(document, "table", folder, lambda file: _load_table(file, vocabulary, folder), refusals)
    content: Any = document.content
    if isinstance(content, dict):
        loaded = {"values": values, "placements": placements, "table": table}
        content = content | {key: value for key, value in loaded.items() if key in content}
    try:
        config = ObjectivesConfig.model_validate(content, context=vocabulary)
    except ValidationError as error:
        document.problems += validation_problems(error, ObjectivesConfig)
    else:
        for place, brand in config.described_brands.items():
            for images in ("logos", "packs"):
                for i, written in enumerate(getattr(brand, images)):
                    try:
                        logo_files(written, folder)
                    except UsageError as error:
                        document.problems.append(ConfigProblem((*place, images, i), error.message))
        for place, part in config.settings.items():
            if complaint := _benchmark_complaint(part.benchmark, folder):
                document.problems.append(ConfigProblem((*place, "benchmark"), complaint))
            if complaint := _kit_complaint(part, folder):
                document.problems.append(ConfigProblem((*place, "brand_kit"), complaint))
        for i, complaint in repeated_names(config.placements):
            document.problems.append(ConfigProblem(("placements", i, "name"), complaint))
    if document.problems:
        refusals.insert(0, format_problems(str(path), document, document.problems))
    if refusals:
        raise UsageError("\n".join(refusals), code="config_invalid")
    defaults, media = _kit_located(config.defaults, folder), tuple(_kit_located(rule, folder) for rule in config.media)
    return config.model_copy(update={"defaults": defaults, "media": media})


def benchmark_choice(written: str, folder: Path) -> str:
    """Resolve a `benchmark` of a file in `folder`: the full path of a file, otherwise a name as it is.

    >>> benchmark_choice("ads", Path("/briefs")), benchmark_choice("mine.parquet", Path("/briefs"))
    ('ads', '/briefs/mine.parquet')
    """
    is_path = written.endswith(_NORM_SET_SUFFIX)
    return str(_beside(folder, written).resolve()) if is_path else written


def _in_place(
    document: Document, key: str, folder: Path, load: Callable[[Path], object], refusals: list[str]
) -> object:
    """Load the file that a key names; nothing where that fails; a value that is no path stays, for validation."""
    written = document.content.get(key) if isinstance(document.content, dict) else None
    if not isinstance(written, str):
        return written
    file = _beside(folder, written)
    if not file.is_file():
        document.problems.append(ConfigProblem((key,), f"there is no file {file}; write the path of an existing one"))
        return _NOTHING[key]
    try:
        return load(file)
    except UsageError as error:
        refusals.append(error.message)
        return _NOTHING[key]


def _beside(folder: Path, written: str) -> Path:
    """Resolve a path written in a file of this folder."""
    return folder / Path(written).expanduser()


def _load_values(file: Path) -> object:
    """Load words from a file of their own, which several objectives may share."""
    document = read_document(file)
    validate_document(file, document, Values)
    return document.content


def _load_table(path: Path, vocabulary: Vocabulary, folder: Path) -> RowsByFile[Objective]:
    """Read a CSV file that says what each medium is for.

    `path`: as `load_attributes` reads it, with at least one of the columns `SETTINGS`; columns of one's own are passed
        over. An industry is `food` or `food/snacks`, or has its subcategory in a column of its own. Words may be
        written as people write them, `Brand Building`, and seconds with a comma. Empty cells leave a setting unset.
    `vocabulary`: valid words.
    `folder`: where paths in it start.
    Raises UsageError: naming the file and every line and column that must change, with the fix.
    """
    attributes = load_attributes(path)
    columns = _columns_of_settings(path, attributes)
    problems: list[tuple[int, str, str]] = []
    rows: dict[str, Objective] = {}
    for key, row in attributes.rows.items():
        cells = {plain: row[name] for plain, name in columns.items() if name in row}
        settings: dict[str, Any] = {name: cells[name] for name in SETTINGS if name in cells}
        for name, column in SUBCATEGORIES.items():
            if column in cells:
                category = {"category": settings[name]} if name in settings else {}
                settings[name] = category | {"subcategory": cells[column]}
        try:
            rows[key] = Objective.model_validate(settings, context=vocabulary)
        except ValidationError as error:
            for problem in validation_problems(error, Objective):
                name = str(problem.path[0])
                column = SUBCATEGORIES[name] if problem.path[1:] == ("subcategory",) else name
                problems.append((attributes.lines[key], column, problem.text))
    if not problems:
        wrong = {written: _benchmark_complaint(written, folder) for written in {row.benchmark for row in rows.values()}}
        complaints = [(attributes.lines[key], "benchmark", wrong[row.benchmark]) for key, row in rows.items()]
        complaints += [(attributes.lines[key], "brand_kit", _kit_complaint(row, folder)) for key, row in rows.items()]
        problems = [(line, column, complaint) for line, column, complaint in complaints if complaint]
    if problems:
        raise UsageError(list_problems(str(path), problems), code="config_invalid")
    return RowsByFile(path, {key: _kit_located(row, folder) for key, row in rows.items()}, attributes.lines)


def _columns_of_settings(path: Path, attributes: RowsByFile[Cells]) -> dict[str, str]:
    """Return the columns of a table that mean a setting, by its name."""
    if _plain(attributes.file_column) in _COLUMNS:
        raise UsageError(f"{path}: no column names files; call it path", code="config_invalid")
    problems: list[tuple[int, str, str]] = []
    columns: dict[str, str] = {}
    for name in attributes.columns:
        plain = _plain(name)
        near = max(_COLUMNS, key=lambda candidate: SequenceMatcher(None, plain, candidate).ratio())
        if plain in columns:
            problems.append((1, name, f"says the same as the column {columns[plain]!r}; keep one"))
        elif plain in _COLUMNS:
            columns[plain] = name
        elif SequenceMatcher(None, plain, near).ratio() >= _MISSPELT:
            problems.append((1, name, f"unknown column; did you mean {near!r}?"))
    if problems:
        raise UsageError(list_problems(str(path), problems), code="config_invalid")
    if not columns:
        raise UsageError(f"{path}: has none of the columns {', '.join(_COLUMNS)}", code="config_invalid")
    return columns


def _plain(column: str) -> str:
    return column.lower().replace(" ", "_").replace("-", "_")


def _kit_complaint(part: Objective, folder: Path) -> str | None:
    """Describe what is wrong with the named brand kit; None if nothing is."""
    try:
        if part.brand_kit:
            load_kit(_beside(folder, part.brand_kit)).merged_with(part.brand)
    except UsageError as error:
        return error.message
    return None


def _kit_located(part: Part, folder: Path) -> Part:
    """Return settings with the full path of their kit."""
    if not part.brand_kit:
        return part
    return part.model_copy(update={"brand_kit": str(_beside(folder, part.brand_kit).resolve())})


def _benchmark_complaint(written: str | None, folder: Path) -> str | None:
    """Describe what is wrong with the named norm set; None if nothing is."""
    if written is None or written in _NO_NORM_SET:
        return None
    if written.endswith(_NORM_SET_SUFFIX):
        choice = benchmark_choice(written, folder)
        return None if Path(choice).is_file() else f"there is no file {choice}; write the path of a norm set, or a name"
    norm_sets = tuple(list_norm_sets())
    if written in norm_sets:
        return None
    there = f"; there are {', '.join(norm_sets)}, none, and files ({_NORM_SET_SUFFIX})"
    return f"{describe_value(written)} is no known norm set{did_you_mean(written, norm_sets) or there}"


def _load_placements(file: Path, vocabulary: Vocabulary) -> object:
    """Load placements from a file of their own, which several objectives may share."""
    return [placement.model_dump(exclude_unset=True) for placement in load_placements(file, vocabulary)]


def _vocabulary(values: object, placements: object = ()) -> Vocabulary:
    """Return the built-in words and the well-formed ones of the file; validation reports the rest."""
    lists = {}
    if isinstance(values, Mapping):
        lists = {kind: words for kind, words in values.items() if kind in EXTENDABLE and isinstance(words, list)}
    words = {kind: [word for word in listed if isinstance(word, str)] for kind, listed in lists.items()}
    if isinstance(placements, list):
        names = [placement.get("name") for placement in placements if isinstance(placement, dict)]
        words["placement"] = [name for name in names if isinstance(name, str)]
    return BUILT_IN_VOCABULARY.extended(words)


_MARKS_OF_PATHS = ("/", "\\", ".")


class RuleSet(StrictModel):
    """Rules that ship under a name."""

    title: str
    about: str
    """`title` and `about`: What they ask for, and what they cannot tell."""
    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    """What they follow: author or publisher, title, year."""
    rules: Annotated[tuple[RuleSettings, ...], Field(min_length=1)]


def load_rule_set(name: str) -> RuleSet:
    """Read a rule set that ships.

    `name`: one of `rule_set_names`.
    """
    return RuleSet.model_validate(read_document(rule_set_path(name)).content)


def load_rules(source: str | Path) -> tuple[RuleSettings, ...]:
    """Read the rules of a rule set that ships, or the ``rules`` of a YAML file, in their order.

    `source`: a text without slash or point is the name of a rule set, such as ``abcd``, or that of a file where there
        is no such set; ``./abcd``, or a `Path`, is always a file.
    Raises UsageError: there is neither (code unknown_rule_set), the file cannot be read, holds no rules, or one cannot
        be understood.
    """
    if isinstance(source, str) and not any(mark in source for mark in _MARKS_OF_PATHS):
        names = rule_set_names()
        if source in names:
            return load_rule_set(source).rules
        if not Path(source).is_file():
            raise UsageError(
                f"no rule set is called {source!r}, and this file does not exist; built-in rule sets are "
                f"{', '.join(names)}{did_you_mean(source, names)}",
                code="unknown_rule_set",
            )
    path = Path(source)
    rules = load_objectives(path).rules
    if not rules:
        raise UsageError(
            f"{path}: holds no rules; write for example\n\nrules:\n  - branding.percentage_seen >= 40",
            code="config_invalid",
        )
    return rules
