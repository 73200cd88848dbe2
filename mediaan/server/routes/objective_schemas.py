"""What a medium is for, as it is said over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from mediaan.benchmark.registry import norm_set_names
from mediaan.config.objectives.objective import BrandNames, Objective
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.errors import did_you_mean, shorten

_NO_NORM_SET = ("auto", "none")


_NAME: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\w"}
_ALIASES = {"anyOf": [_NAME, {"type": "array", "items": _NAME, "maxItems": 50}]}
_BRAND: list[dict[str, Any]] = [
    _NAME,
    {
        "type": "object",
        "properties": {"name": _NAME, "aliases": _ALIASES},
        "required": ["name"],
        "additionalProperties": False,
    },
]
"""`BrandNames` with its short forms: a name alone, and one alias alone."""


def _shipped(name: str) -> str:
    """A norm set by its name alone: a path would let clients try what files the server has."""
    known = (*_NO_NORM_SET, *norm_set_names())
    if name not in known:
        near = did_you_mean(name, known) or f"; there are {', '.join(known)}"
        raise ValueError(f"{shorten(name)!r} is no norm set that ships{near}")
    return name


class Objectives(Objective):
    """What a medium is for: what its scores are compared with, whose marks are looked for, how long it is looked at."""

    brand: BrandNames | None = Field(
        default=None, description="Whose marks are looked for: a name, or name and aliases."
    )  # type: ignore[assignment]  # files cannot be named here
    benchmark: Annotated[str, AfterValidator(_shipped)] | None = Field(
        default=None, description="The norm set that it is compared with; null: the one that fits."
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The words that are valid, and the short forms, are part of the contract."""
        schema = handler.resolve_ref_schema(handler(core))
        fields = schema["properties"]
        for field, options in {
            "domain": [{"enum": list(BUILT_IN_VOCABULARY.words("domain"))}],
            "platform": [{"enum": list(BUILT_IN_VOCABULARY.words("platform"))}],
            "industry": _divisions("industry"),
            "usecase": _divisions("usecase"),
            "brand": _BRAND,
            "benchmark": [{"enum": [*_NO_NORM_SET, *norm_set_names()]}],
        }.items():
            fields[field]["anyOf"] = [*options, {"type": "null"}]
        return schema


def _divisions(kind: str) -> list[dict[str, Any]]:
    """``food``, ``food/snacks``, and the same as objects."""
    texts: list[str] = []
    objects: list[dict[str, Any]] = []
    for category, word in BUILT_IN_VOCABULARY.built_in[kind].items():
        texts += [category, *(f"{category}/{finer}" for finer in word.subcategories)]
        finer = {"enum": [*word.subcategories, None]}
        fields = {"category": {"const": category}, "subcategory": finer}
        objects.append(
            {"type": "object", "properties": fields, "required": ["category"], "additionalProperties": False}
        )
    return [{"enum": texts}, *objects]
