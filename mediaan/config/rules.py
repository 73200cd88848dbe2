"""Validate what media have to reach: rules and their severity, and targets in the place of those that ship."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import InitErrorDetails

from mediaan.config.attributes import matches
from mediaan.config.validation import StrictModel, describe_value, refusal, validation_problems
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary, match_known
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.benchmark.targets import are_adjoining, sort_categories, target_key, target_keys
from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import Expression, IfMissing, Rule
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES, Category
from mediaan.types.checks import Severity

Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Words: TypeAlias = Annotated[
    tuple[Text, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]

_CHECKED_BEFORE = object()


def _spelled(*choices: str) -> BeforeValidator:
    """Accept one of some words however people spell it."""
    return BeforeValidator(lambda value: match_known(value, choices) if isinstance(value, str) else value)


class ObjectiveFilter(StrictModel):
    """Objectives of the media that a rule is for: every key must fit, and of several words at least one."""

    purpose: Words = Field(default=(), description="brand_building or conversion")
    platform: Words = Field(default=(), description="a platform, such as instagram, or a list of them")
    industry: Words = Field(default=(), description="an industry, such as food or food/snacks, or a list of them")
    usecase: Words = Field(default=(), description="a use case, such as advertisement, or a list of them")

    @field_validator("purpose", "platform", "industry", "usecase")
    @classmethod
    def _known(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if info.context is _CHECKED_BEFORE:
            return words
        vocabulary = info.context if isinstance(info.context, Vocabulary) else BUILT_IN_VOCABULARY
        kind = str(info.field_name)
        categories = vocabulary.words(kind)
        matches = []
        for word in words:
            match, (category, slash, subcategory) = match_known(word, categories), word.partition("/")
            if slash and match not in categories:
                category = match_known(category.strip(), categories)
                subcategory = match_known(subcategory.strip(), vocabulary.subcategories(kind, category))
                match = f"{category}/{subcategory}"
                complaint = vocabulary.complaint(kind, category)
            else:
                complaint = vocabulary.complaint(kind, match)
            if complaint:
                raise refusal(complaint)
            matches.append(match)
        return tuple(matches)

    def fits(self, objective: Mapping[str, Any]) -> bool:
        """Return True if a rule applies to a medium with this objective, as ``run.json`` keeps it.

        >>> food = ObjectiveFilter(industry=("food",), platform=("instagram", "tiktok"))
        >>> food.fits({"industry": {"category": "food", "subcategory": "snacks"}, "platform": "tiktok"})
        True
        >>> food.fits({"industry": {"category": "food"}})
        False
        """
        return all(any(_fits(word, objective.get(key)) for word in words) for key, words in self if words)


class RuleSettings(StrictModel):
    """One rule of a file, and the media that it is meant for."""

    rule: str = Field(description="a comparison, such as branding.percentage_seen >= 40")
    """The comparison, as `mediaan.judge.rules.parse` reads it."""
    name: Text | None = Field(default=None, description="what people call the rule, such as Brand is seen")
    match: Words = Field(default=(), description='the files it is for, such as match: "summer/*.png"')
    """Patterns, one of which has to fit the path; none: all media."""
    meant_for: ObjectiveFilter = Field(
        default=ObjectiveFilter(), alias="for", description="objectives, such as purpose: conversion"
    )
    """``for`` in files."""
    type: Annotated[Literal["image", "video"], _spelled("image", "video")] | None = Field(
        default=None, description="image or video"
    )
    severity: Annotated[Severity, _spelled(*get_args(Severity))] = Field(
        default="error", description="error or warning"
    )
    sure: bool = Field(default=False, description="true or false")
    """Whether the whole 90 % interval has to be on the right side."""
    missing: Annotated[IfMissing, _spelled(*get_args(IfMissing))] | None = Field(
        default=None, description="fail, pass, skip or skip_unless_named: what if there is no such area"
    )
    """What comes of it where there is no such area; None: that depends on what is asked."""
    why: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None, description="what to tell whoever fails it, in at most 500 characters"
    )

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, value: Any) -> Any:
        return {"rule": value} if isinstance(value, str) else value

    @field_validator("rule")
    @classmethod
    def _understood(cls, text: str) -> str:
        try:
            return parse_rule(text).text
        except UsageError as error:
            raise refusal(error.message) from error

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> RuleSettings:
        expression = self.expression
        if expression.is_video_only and self.type == "image":
            raise refusal(f"{expression.subject} is a score of videos; leave type out")
        counts = expression.is_joint and self.missing != "skip_unless_named"
        if self.missing and (expression.aoi_type is None or counts):
            raise refusal(
                f"missing says what comes of areas that are not there; leave it out with {expression.subject}"
            )
        if self.missing == "skip_unless_named" and expression.aoi_type != "branding":
            raise refusal(f"skip_unless_named is for branding, which can be named; found {expression.subject}")
        return self

    @property
    def expression(self) -> Expression:
        """The comparison, understood."""
        return parse_rule(self.rule)

    def as_rule(self) -> Rule:
        """Return the rule to evaluate."""
        return Rule(self.expression, self.name or self.rule, self.severity, self.sure, self.missing, self.why or "")

    def is_for(self, path: str, kind: str, objective: Mapping[str, Any]) -> bool:
        """Return True if the rule applies to a medium.

        `path`: as tables show it.
        `kind`: image, video or mixed; the latter moves and is judged as a video.
        `objective`: as ``run.json`` keeps it; empty where none is known.
        """
        type_meant = self.type or ("video" if self.expression.is_video_only else None)
        if type_meant and type_meant != ("image" if kind == "image" else "video"):
            return False
        if self.match and not any(matches(pattern, path) for pattern in self.match):
            return False
        return self.meant_for.fits(objective)

    def written(self) -> str | dict[str, Any]:
        """Return the rule as ``run.json`` keeps it: its text, or a mapping if there is more."""
        settings = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return self.rule if settings.keys() == {"rule"} else settings


def rules_from(written: Iterable[str | Mapping[str, Any]]) -> tuple[RuleSettings, ...]:
    """Validate rules from texts and mappings, as a file would hold them.

    Raises UsageError: naming the one that must change, by its number from 1, and the fix.

    >>> [rule.rule for rule in rules_from(["focus >= 40", {"rule": "clarity >= p10", "severity": "warning"}])]
    ['focus >= 40', 'clarity >= p10']
    """
    return _validated(written, None, "rule {number}: {what}")


def rules_of_run(written: Iterable[str | Mapping[str, Any]]) -> tuple[RuleSettings, ...]:
    """Restore rules from ``run.json``; words were validated when they came from a file, which may have had its own.

    Raises UsageError: one of them means nothing to this version.
    """
    complaint = "a rule of the run cannot be understood: {what}; name a file of rules with --rules"
    return _validated(written, _CHECKED_BEFORE, complaint)


def _validated(
    written: Iterable[str | Mapping[str, Any]], context: object | None, complaint: str
) -> tuple[RuleSettings, ...]:
    rules = []
    for number, settings in enumerate(written, start=1):
        try:
            rules.append(RuleSettings.model_validate(settings, context=context))
        except ValidationError as error:
            what = validation_problems(error, RuleSettings)[0]
            raise UsageError(complaint.format(number=number, what=what), code="config_invalid") from error
    return tuple(rules)


def _fits(word: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return bool(word == value)
    category, subcategory = value.get("category"), value.get("subcategory")
    return word in (category, f"{category}/{subcategory}")


def _targets(value: Any) -> Any:
    """Return all targets with their categories from low to high, or raise every problem at its own key."""
    if not isinstance(value, dict):
        raise refusal(
            f"found {describe_value(value)}; write scores with their categories, such as focus: [extreme_high]"
        )
    complaints = [
        InitErrorDetails(type=refusal(text), loc=(key,), input=categories)
        for key, categories in value.items()
        for text in _target_complaints(key, _listed(categories))
    ]
    if complaints:
        raise ValidationError.from_exception_data("targets", complaints)
    return {key: sort_categories(_listed(categories)) for key, categories in value.items()}


Targets: TypeAlias = Annotated[dict[str, tuple[Category, ...]], BeforeValidator(_targets)]
"""Adjoining categories from low to high, by score such as `focus` or `branding.percentage_seen`; or none."""

_NONE = "none"


def _listed(categories: Any) -> Any:
    if isinstance(categories, str):
        word = match_known(categories, (*CATEGORIES, _NONE))
        return () if word == _NONE else [word]
    if isinstance(categories, list):
        return [match_known(word, CATEGORIES) if isinstance(word, str) else word for word in categories]
    return categories


def _target_complaints(key: str, categories: Any) -> Iterator[str]:
    """Yield what is wrong with the score that a target names, and with its categories."""
    if key not in target_keys():
        of_areas = [target for target in target_keys() if target.endswith(f".{key}")]
        prefix = key.rpartition(".")[0]
        if of_areas:
            yield f"{key} is a score of areas; write of which, such as {target_key(key, 'branding')}"
        elif prefix in AOI_TYPES or not prefix:
            group = [target for target in target_keys() if target.rpartition(".")[0] == prefix]
            yield f"{describe_value(key)} is no score{_which(key, group)}"
        else:
            yield f"{describe_value(prefix)} is no type of area{_which(prefix, AOI_TYPES)}"
    if categories == ():
        return
    if not isinstance(categories, list) or not categories:
        what = "an empty list" if categories == [] else describe_value(categories)
        yield f"found {what}; write a list of {', '.join(CATEGORIES)}, or {_NONE}"
        return
    unknown = [word for word in categories if word not in CATEGORIES]
    yield from (f"{describe_value(word)} is no category{_which(str(word), CATEGORIES)}" for word in unknown)
    if not unknown and not are_adjoining(categories):
        low, *_, high = sort_categories(categories)
        between = CATEGORIES[CATEGORIES.index(low) : CATEGORIES.index(high) + 1]
        yield f"{', '.join(sort_categories(categories))} do not adjoin; write [{', '.join(between)}], or fewer"


def _which(word: str, choices: Sequence[str]) -> str:
    return did_you_mean(word, choices) or f"; there are {', '.join(choices)}"
