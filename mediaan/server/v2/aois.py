"""Areas of interest: looked for, fetched, drawn."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool

from mediaan.config.aoi_formats.record import AoiRecord, describe_record_error
from mediaan.errors import shorten
from mediaan.server.http.bodies import JsonBody, listed
from mediaan.server.http.errors import RequestError
from mediaan.server.service.media import AoiStatus
from mediaan.server.service.service import require_prediction
from mediaan.server.v2.operations import (
    IMAGE,
    MIXED,
    NOT_PREDICTED,
    TOO_MANY_CHANGES,
    VIDEO,
    Answer,
    AoiTypeName,
    Body,
    Call,
    Operations,
    detail,
)
from mediaan.types.aoi import AoiMethod, Box

OPERATIONS = Operations()

MOST_AOIS = 2000
"""More can neither be drawn nor read; a page of a newspaper has some hundred."""
MOST_POINTS = 20_000
"""Corners of all polygons together; a grid of densities has some 50,000 cells."""
MOST_SIGHTINGS = 100_000
"""Rows of all tracks together: a hundred areas in a thousand samples."""
_MOST_NAMED = 10
_NOT_READ = "Part of what GET gives; taken, and not read."

BoxSides = tuple[float, float, float, float]
Point = tuple[float, float]
SightingRow = tuple[float, float, float, float, float, float]
_TRACK = "Where it is at sampled instants: `[t_s, x0, y0, x1, y1, confidence]`; empty: at one place throughout."


class AoiScoreValue(Body):
    """One score of an area over one part of the exposure."""

    value: float | None = Field(description="Null: not defined; `reason` says why.")
    repeatability: float | None = Field(
        default=None,
        description="How far it moves when the image is mirrored, cropped or resized, the ± beside it; null: unknown.",
    )
    lo: float | None = Field(description="Lower end of the 90 % interval of what people do; null: none is known.")
    hi: float | None = Field(description="Upper end of it.")
    unit: str = Field(description="Such as `%` or `s`.")
    reason: str | None = Field(default=None, description="Why there is no value.")


class AoiObject(Body):
    """An area of interest of a medium."""

    uuid: UUID
    aoi_type: AoiTypeName
    label: str
    box: BoxSides = Field(description="x0, y0, x1, y1: 0 left to 1 right, 0 top to 1 bottom.")
    polygon: list[Point] | None = Field(description="Its corners x, y; null: it is its box.")
    t0_s: float | None = Field(description="From when it is there, s; null: from the beginning.")
    t1_s: float | None = Field(description="Until when it is there, s; null: to the end.")
    track: list[SightingRow] = Field(description=_TRACK)
    source: Literal["detected", "drawn", "confirmed"]
    method: AoiMethod = Field(description="How it was found.")
    confidence: float | None = Field(description="Of the detection, 0 to 1; null where it was drawn.")
    text: str | None = Field(description="What was read in it.")
    scores: dict[str, dict[str, AoiScoreValue]] = Field(
        description="By metric (`attention`, `percentage_seen`, `time_spent` ...), then by `start`, `end` or `total`."
    )


class Aois(Body):
    """All areas of interest of a medium."""

    media_id: UUID
    aoi_status: AoiStatus = Field(description="Of the search for them.")
    brand_found: bool | None = Field(
        default=None, description="Whether the objectives' brand is among them; null: they name none, or nobody looked."
    )
    brand_attention: float | None = Field(
        default=None,
        description="Share of attention that goes to any area of the brand of an image, what they share counted once, "
        "%; null: it has none, or is a video.",
    )
    aois: list[AoiObject]


class AoiStatusObject(Body):
    """How far the search for areas of interest is."""

    media_id: UUID
    aoi_status: AoiStatus


class AoiInput(Body):
    """An area that a client draws, or sends back changed; it needs a box or a polygon, which goes before the box."""

    uuid: UUID | None = Field(default=None, description="Keep this identifier; null: it is new.")
    aoi_type: AoiTypeName
    label: Annotated[str, Field(max_length=200)] = ""
    box: BoxSides | None = Field(default=None, description="x0, y0, x1, y1 with x0 < x1 and y0 < y1.")
    polygon: Annotated[list[Point], Field(min_length=3, max_length=1000, fail_fast=True)] | None = None
    unit: Literal["unit", "px"] = Field(default="unit", description="Of box and polygon: 0 to 1, or pixels.")
    t0_s: float | None = Field(default=None, description="In a video: from when, s.")
    t1_s: float | None = Field(default=None, description="In a video: until when, s.")
    track: Annotated[list[SightingRow], Field(max_length=MOST_SIGHTINGS, fail_fast=True)] = Field(
        default=[], description=_TRACK
    )
    source: Any = Field(default=None, description=_NOT_READ)
    method: Any = Field(default=None, description=_NOT_READ)
    confidence: Any = Field(default=None, description=_NOT_READ)
    text: Any = Field(default=None, description=_NOT_READ)
    scores: Any = Field(default=None, description=_NOT_READ)

    def record(self) -> AoiRecord:
        """Return the area as files of AOIs hold it; `ValidationError` where its parts do not go together."""
        fields = set(AoiRecord.model_fields) - _UNREAD
        return AoiRecord.model_validate(self.model_dump(include=fields) | {"type": self.aoi_type, "aoi_id": self.uuid})


class AoisUpdate(Body):
    """All areas of a file from now on; the body of GET can be sent back."""

    aois: Annotated[list[AoiInput], Field(max_length=MOST_AOIS)]
    media_id: UUID | None = Field(default=None, description="If it is there, it must be that of the path.")
    aoi_status: Any = Field(default=None, description=_NOT_READ)
    brand_found: Any = Field(default=None, description=_NOT_READ)
    brand_attention: Any = Field(default=None, description=_NOT_READ)

    def records(self) -> list[dict[str, Any]]:
        """Return the areas as files of AOIs hold them; 422, naming every one that does not hold together, from 0."""
        records, problems = [], []
        first: dict[UUID, int] = {}
        for number, area in enumerate(self.aois):
            try:
                record = area.record()
            except ValidationError as error:
                problems.append(f"aois.{number}: {describe_record_error(error)}")
                continue
            # of pixels only the worker knows whether anything lies inside
            box = Box.around([Box(x, y, x, y) for x, y in record.drawing().points])
            if record.unit == "unit" and box.clipped().area <= 0:
                problems.append(f"aois.{number}: is outside the image")
            if record.aoi_id and first.setdefault(record.aoi_id, number) != number:
                problems.append(
                    f"aois.{number}.uuid: is that of aois.{first[record.aoi_id]}; leave it out for a new one"
                )
            records.append(record.model_dump(mode="json", exclude_none=True))
        if problems:
            more = [f"and {len(problems) - _MOST_NAMED} more"] if len(problems) > _MOST_NAMED else []
            raise RequestError(422, "; ".join([*problems[:_MOST_NAMED], *more]))
        return records


def within_limits(content: dict[str, Any]) -> list[str]:
    """Remove fields that are not read from a parsed body, and return a problem for each unknown field.

    Raises RequestError: 422: there is more than can be scored in a moment; or many areas are wrong, of which the first
        are named.
    """
    areas = content.get("aois")
    if not isinstance(areas, list):
        return []
    if len(areas) > MOST_AOIS:
        raise RequestError(422, f"aois: has {len(areas)} areas; send at most {MOST_AOIS} at a time")
    for field, what, most in (("polygon", "corners", MOST_POINTS), ("track", "rows", MOST_SIGHTINGS)):
        lists = (area.get(field) for area in areas if isinstance(area, dict))
        count = sum(len(rows) for rows in lists if isinstance(rows, list))
        if count > most:
            raise RequestError(422, f"aois: all {field}s together have {count} {what}; send at most {most}, simplified")
    problems: list[str] = []
    for number, area in enumerate(areas):
        if not isinstance(area, dict):
            continue  # of a wrong type, which the model says
        for name in [name for name in area if name in _UNREAD]:
            del area[name]
        for name in [name for name in area if name not in AoiInput.model_fields]:
            problems.append(f"aois.{number}.{shorten(name)}: Extra inputs are not permitted")
            del area[name]
            if len(problems) > 2 * _MOST_NAMED:
                raise RequestError(422, listed(problems))
    return problems


_UNREAD = frozenset(name for name, facts in AoiInput.model_fields.items() if facts.description == _NOT_READ)
DETECTION_STARTED = detail(202, "AOI detection started")


@OPERATIONS.add(
    "POST",
    "/{collection}/{media_id}/aois/detect",
    {202: "The search has started, now or before."},
    collections=(VIDEO, MIXED),
)
async def detect_aois(call: Call) -> Answer:
    """Look for AOIs of {medium}.

    Poll its status until it is `done` or `failed`. AOIs that were drawn stay.
    """
    await call.service.add_job(call.medium(), "detect")  # one that runs already is not doubled
    return DETECTION_STARTED


@OPERATIONS.add(
    "GET", "/{collection}/{media_id}/aois/status", {200: (AoiStatusObject, "Its status.")}, collections=(VIDEO, MIXED)
)
async def get_aois_status(call: Call) -> AoiStatusObject:
    """How far the search for AOIs of {medium} is."""
    medium = call.medium()
    return AoiStatusObject(media_id=medium.media_id, aoi_status=medium.aoi_status)


@OPERATIONS.add(
    "GET",
    "/{collection}/{media_id}/aois",
    {200: (Aois, "Its AOIs, none where nobody has looked or drawn."), 412: NOT_PREDICTED},
    collections=(IMAGE, VIDEO, MIXED),
)
async def get_aois(call: Call) -> Answer:
    """Fetch the AOIs of {medium} with their scores."""
    medium = call.medium()
    content = await call.service.answer(medium, "aois")

    def written() -> bytes:
        fields = {"media_id": medium.media_id, "aoi_status": medium.aoi_status} | content
        return Aois.model_validate(fields).model_dump_json().encode()

    return Answer(200, await run_in_threadpool(written))  # thousands take a second


@OPERATIONS.add(
    "PUT",
    "/{collection}/{media_id}/aois",
    {
        200: (Aois, "Its AOIs from now on."),
        202: "It takes longer than usual; fetch the AOIs later.",
        412: NOT_PREDICTED,
        413: "The body is too large, or has more values than areas need; or the company's room is full.",
        429: TOO_MANY_CHANGES,
    },
    collections=(IMAGE, VIDEO, MIXED),
    # 2,000 areas with their scores, as GET returns them, have 600,000 values
    body=JsonBody(AoisUpdate, most_values=1_000_000, prepare=within_limits),
)
async def put_aois(call: Call) -> Answer:
    """Replace the AOIs of {medium} and score them.

    Those that the list leaves out are gone. One that is sent back unchanged keeps what was detected.
    """
    medium = call.medium()
    require_prediction(medium)
    update: AoisUpdate = call.body
    if update.media_id not in (None, medium.media_id):
        raise RequestError(422, "media_id: is that of another medium; leave it out to draw the same areas here")
    records = await run_in_threadpool(update.records)
    if not await call.service.do(medium, "draw", payload={"aois": records}):
        return detail(202, "AOI update started")
    return await get_aois(call)
