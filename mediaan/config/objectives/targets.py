"""Validate the targets that a user sets for scores, in the place of those that ship."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from mediaan.config.validation import describe_value
from mediaan.config.vocabulary import match_known
from mediaan.errors import did_you_mean
from mediaan.judge.benchmark.targets import are_adjoining, sort_categories, target_key, target_keys
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES, Category


def _targets(value: Any) -> Any:
    """Return all targets with their categories from low to high, or raise every problem at its own key."""
    if not isinstance(value, dict):
        raise _refusal(
            f"found {describe_value(value)}; write scores with their categories, such as focus: [extreme_high]"
        )
    complaints = [
        InitErrorDetails(type=_refusal(text), loc=(key,), input=categories)
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


def _refusal(text: str) -> PydanticCustomError:
    return PydanticCustomError("unknown_value", "{text}", {"text": text})
