"""Benchmark ranges of a medium; the objectives that they follow, and the checks that follow these as well."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from starlette.concurrency import run_in_threadpool

from mediaan.config.brand import BrandNames, BrandSettings, load_kit
from mediaan.config.objective import SharedObjective
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.errors import UsageError, did_you_mean, shorten
from mediaan.judge.benchmark import norm_set_names
from mediaan.server.http.bodies import JsonBody
from mediaan.server.http.errors import RequestError
from mediaan.server.service.service import require_prediction
from mediaan.server.settings import ServerSettings
from mediaan.server.v2.operations import TOO_MANY_CHANGES, Answer, AoiTypeName, Body, Call, Operations

OPERATIONS = Operations()


class RecommendedRange(Body):
    """Where a score should lie."""

    upper: float = Field(description="Upper bound of the recommended range.")
    lower: float = Field(description="Lower bound of it.")
    metric_name: str
    metric_time: Literal["start", "end", "total"]


class MediumRecommendedRange(RecommendedRange):
    """Where a score of the medium should lie, and where it does."""

    score_categorization: Literal["extreme_low", "low", "medium", "high", "extreme_high"] = Field(
        description="Position of the score in its benchmark."
    )
    score_title: str = Field(description="One sentence with the score, and whether it lies within the range.")


class AOIRecommendedRange(RecommendedRange):
    """Where a score of areas of one type should lie."""

    aoi_type: AoiTypeName
    uuids: list[UUID] = Field(description="The areas that the range applies to.")


class RecommendedRanges(Body):
    """Benchmark ranges of a file."""

    medium: list[MediumRecommendedRange]
    aois: list[AOIRecommendedRange]


@OPERATIONS.add(
    "GET",
    "/media/{media_id}/benchmark_ranges",
    {
        200: (RecommendedRanges, "Ranges of its scores, and of those of its AOIs."),
        400: "The request cannot be parsed.",
        412: "The medium was never predicted, or its objectives were never set, or just now.",
        422: "media_id is no UUID, or no benchmark fits the file; the message says why.",
    },
)
async def get_medium_benchmark_ranges(call: Call) -> RecommendedRanges:
    """Return the benchmark ranges of a file."""
    medium = call.medium()
    require_prediction(medium)
    if medium.objectives is None:
        raise RequestError(412, "Objectives are not set")
    ranges = await call.service.answer(await call.service.rated(medium, "Benchmark ranges"), "ranges")
    if ranges["reason"] is not None:
        raise RequestError(422, ranges["reason"])
    return RecommendedRanges(medium=ranges["medium"], aois=ranges["aois"])


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
    """Accept only names of shipped norm sets: with paths, clients could probe the server's files."""
    norm_sets = (*_NO_NORM_SET, *norm_set_names())
    if name not in norm_sets:
        near = did_you_mean(name, norm_sets) or f"; there are {', '.join(norm_sets)}"
        raise ValueError(f"{shorten(name)!r} is no norm set that ships{near}")
    return name


class Objectives(SharedObjective):
    """What a medium is for: what its scores are compared with, whose marks are looked for, how long it is looked at."""

    brand: BrandNames | None = Field(
        default=None, description="Whose marks are looked for: a name, or name and aliases."
    )  # type: ignore[assignment]  # files cannot be named here
    brand_kit: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Name of a brand kit of the server, beside the brand or in its place."
    )
    benchmark: Annotated[str, AfterValidator(_shipped)] | None = Field(
        default=None, description="The norm set that it is compared with; null: the one that fits."
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the valid words and the short forms to the schema."""
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
    """Return schemas of a category with its subcategories, as text (``food/snacks``) and as objects."""
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


@OPERATIONS.add(
    "GET", "/media/{media_id}/objectives", {200: (Objectives, "As they were set; null is what nobody has.")}
)
async def get_medium_objectives(call: Call) -> Answer:
    """Return what a file is for."""
    # as it was set: words that were valid then may have gone since
    stored = call.medium().objectives or {}
    return Answer(200, json.dumps({**dict.fromkeys(Objectives.model_fields), **stored}).encode())


@OPERATIONS.add(
    "PUT",
    "/media/{media_id}/objectives",
    {
        200: (Objectives, "As they are set; benchmark ranges follow them."),
        202: (Objectives, "As they are set; benchmark ranges follow later."),
        429: TOO_MANY_CHANGES,
    },
    body=JsonBody(Objectives),
)
async def put_medium_objectives(call: Call) -> Objectives | Answer:
    """Set what a file is for.

    Settings that are left out are unset. They decide with what its scores are compared, whose marks the search for
    AOIs looks for, and how long an image is looked at; a domain counts from the next prediction on.
    """
    medium = call.medium()
    objectives: Objectives = call.body
    settings = {name: value for name, value in objectives.model_dump(mode="json").items() if value is not None}
    await run_in_threadpool(_check_kit, call.service.settings, settings)
    job_id = await call.service.add_job(medium, "rate", objectives=settings)
    # without a run there is nothing to wait for: the job sees to it that a prediction under way does not miss them
    if medium.run is not None and job_id is not None and not await call.service.finished(job_id):
        return Answer(202, objectives)
    return objectives


def _check_kit(server: ServerSettings, objectives: Mapping[str, Any]) -> None:
    """Refuse objectives that name a kit which is not there, cannot be read, or is of another brand than they name."""
    if (name := objectives.get("brand_kit")) is None:
        return
    folder, brand = server.kit_folder(name), objectives.get("brand")
    try:
        load_kit(folder).merged_with(BrandSettings.model_validate(brand) if brand else None)
    except UsageError as error:
        raise UsageError(f"brand_kit: {server.without_kit_folder(error.message)}", code=error.code) from error


class MediumCheck(Body):
    """One check."""

    name: str = Field(description="Stable name, such as brand_seen.")
    title: str = Field(description="What should be true, in words.")
    status: Literal["passed", "failed", "close", "unknown"] = Field(description="close: too close to call.")
    required: bool = Field(description="Whether the purpose of the medium requires it.")
    sure: bool = Field(description="Whether it passed or failed at nine in ten or more.")
    probability: float | None = Field(description="That the target is met, by the interval, 0-1.")
    value: float | None = Field(description="The number that was looked at.")
    lo: float | None = Field(description="Lower end of its 90 % interval.")
    hi: float | None = Field(description="Upper end of it.")
    target: float | None = Field(description="What it is held against.")
    unit: str | None = Field(description="Of value, lo, hi and target.")
    aoi_id: UUID | None = Field(description="The area that it rests on.")
    text: str = Field(description="What was found, in one sentence.")
    settle: str | None = Field(description="What would settle it, where it is not known.")
    todo: str | None = Field(description="What to change, where it failed.")
    why: str = Field(description="Why it is asked for.")
    source: str = Field(description="Where that was shown; empty for an opinion.")


class Checks(Body):
    """Checks of a file, and the verdict."""

    verdict: Literal["works", "attention", "open", "unknown"]
    checks: list[MediumCheck]


@OPERATIONS.add(
    "GET",
    "/media/{media_id}/checks",
    {
        200: (Checks, "What was checked, and the verdict."),
        400: "The request cannot be parsed.",
        412: "The medium was never predicted, or its objectives were set just now.",
        422: "media_id is no UUID.",
    },
)
async def get_medium_checks(call: Call) -> Checks:
    """Return the checks of a file, and the verdict."""
    medium = call.medium()
    require_prediction(medium)
    return Checks.model_validate(await call.service.answer(await call.service.rated(medium, "Checks"), "checks"))
