"""Targets of one's own: in which categories of its population a score should lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from mediaan.benchmark.targets import adjoin, in_order, target_key, target_keys
from mediaan.config.strict import found
from mediaan.config.vocabulary import did_you_mean
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES, Category


def _targets(value: Any) -> Any:
    """All targets with their categories from low to high, or every complaint at its own key."""
    if not isinstance(value, dict):
        raise _refusal(f"found {found(value)}; write scores with their categories, such as focus: [extreme_high]")
    complaints = [
        InitErrorDetails(type=_refusal(text), loc=(key,), input=categories)
        for key, categories in value.items()
        for text in (*_of_key(key), *_of_categories(_listed(categories)))
    ]
    if complaints:
        raise ValidationError.from_exception_data("targets", complaints)
    return {key: in_order(_listed(categories)) for key, categories in value.items()}


Targets: TypeAlias = Annotated[dict[str, tuple[Category, ...]], BeforeValidator(_targets)]
"""Adjoining categories from low to high, by score such as `focus` or `branding.percentage_seen`; or none."""

_NONE = "none"


def _listed(categories: Any) -> Any:
    return () if categories == _NONE else [categories] if isinstance(categories, str) else categories


def _of_key(key: str) -> Iterator[str]:
    if key in target_keys():
        return
    of_areas = [known for known in target_keys() if known.endswith(f".{key}")]
    if of_areas:
        yield f"{key} is a score of areas; write of which, such as {target_key(key, 'branding')}"
        return
    prefix = key.rpartition(".")[0]
    if prefix in AOI_TYPES or not prefix:
        group = [known for known in target_keys() if known.rpartition(".")[0] == prefix]
        yield f"{found(key)} is no score{_which(key, group)}"
    else:
        yield f"{found(prefix)} is no type of area{_which(prefix, AOI_TYPES)}"


def _of_categories(categories: Any) -> Iterator[str]:
    if categories == ():
        return
    if not isinstance(categories, list) or not categories:
        what = "an empty list" if categories == [] else found(categories)
        yield f"found {what}; write a list of {', '.join(CATEGORIES)}, or {_NONE}"
        return
    unknown = [word for word in categories if word not in CATEGORIES]
    yield from (f"{found(word)} is no category{_which(str(word), CATEGORIES)}" for word in unknown)
    if not unknown and not adjoin(categories):
        low, *_, high = in_order(categories)
        between = CATEGORIES[CATEGORIES.index(low) : CATEGORIES.index(high) + 1]
        yield f"{', '.join(in_order(categories))} do not adjoin; write [{', '.join(between)}], or fewer"


def _which(word: str, known: Sequence[str]) -> str:
    return did_you_mean(word, known) or f"; there are {', '.join(known)}"


def _refusal(text: str) -> PydanticCustomError:
    return PydanticCustomError("unknown_value", "{text}", {"text": text})
