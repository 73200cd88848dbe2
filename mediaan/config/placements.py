"""Read placements of the user's own, beside the built-in ones of `mediaan.types.placement`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from mediaan.config.validation import (
    ConfigProblem,
    Document,
    KeyPath,
    StrictModel,
    format_problems,
    read_document,
    read_small_file,
    refusal,
    validation_problems,
)
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary, match_known
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.placement import (
    BUILT_IN_PLACEMENTS,
    FITS,
    FRAMES,
    NAMED_DISPLAYS,
    Fit,
    Frame,
    Placement,
    read_placement,
)

_Size = Annotated[float, Field(gt=0, le=1e6)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Text = Annotated[str, Field(min_length=1, max_length=500)]
_SNAKE = r"^[a-z][a-z0-9_]{0,39}$"


class PlacementSettings(StrictModel):
    """A placement as a file states it; the fields are those of `Placement`."""

    name: Annotated[str, Field(pattern=_SNAKE)] = Field(description="a name in snake case, such as my_kiosk")
    """Snake case; that of a built-in placement takes its place."""
    title: _Text | None = Field(default=None, description="a title, such as Kiosk in the hall")
    platform: _Text = Field(default="", description="a platform, such as dooh")
    display: str | None = Field(default=None, description=f"one of {', '.join(NAMED_DISPLAYS)}")
    """A named display of ``placements.toml``, whose distance and CSS pixels count."""
    css_px: tuple[_Size, _Size] | None = Field(default=None, description="width and height, such as [390, 690]")
    mm: tuple[_Size, _Size] | None = Field(default=None, description="width and height, such as [1200, 1800]")
    """`css_px` and `mm`: Width and height of the slot, one of the two; of neither, the whole display."""
    distance_mm: _Size | None = Field(default=None, description="a distance from the eye in mm, such as 5000")
    """From the eye; None: that of the display."""
    fit: Fit = Field(default="contain", description=f"one of {', '.join(FITS)}")
    shapes: tuple[_Size, _Size] | None = Field(
        default=None, description="narrowest and widest width / height, such as [0.8, 1.91]"
    )
    beyond: Literal["crop", "contain"] = Field(default="crop", description="crop or contain")
    crop_from: Literal["centre", "top"] = Field(default="centre", description="centre or top")
    zones: dict[Annotated[str, Field(pattern=_SNAKE)], tuple[_Share, _Share, _Share, _Share]] = Field(
        default={}, description="names with [left, top, right, bottom] from 0 to 1, such as button: [0, 0.8, 1, 1]"
    )
    frame: Frame = Field(default="none", description=f"one of {', '.join(FRAMES)}")
    source: _Text = Field(default="stated by you", description="where the numbers come from")
    date: str = Field(default="", pattern=r"^(\d{4}-\d\d-\d\d)?$", description="a date, such as 2026-05-17")
    exposure_s: Annotated[float, Field(gt=0, le=60)] | None = Field(
        default=None, description="how many seconds it is looked at: a number above 0, at most 60, such as 2.5"
    )
    exposure_source: str = Field(default="", max_length=500, description="where the time comes from")

    @field_validator("platform", mode="before")
    @classmethod
    def _known_platform(cls, value: Any, info: ValidationInfo) -> Any:
        vocabulary = info.context if isinstance(info.context, Vocabulary) else BUILT_IN_VOCABULARY
        if not isinstance(value, str) or not value:
            return value
        value = match_known(value, vocabulary.words("platform"))
        if complaint := vocabulary.complaint("platform", value):
            raise refusal(complaint)
        return value

    @field_validator("display")
    @classmethod
    def _known_display(cls, value: str | None) -> str | None:
        if value is not None and value not in NAMED_DISPLAYS:
            near = did_you_mean(value, list(NAMED_DISPLAYS)) or f"; there are {', '.join(NAMED_DISPLAYS)}"
            raise refusal(f"{value!r} is no known display{near}")
        return value

    @field_validator("zones")
    @classmethod
    def _ordered_zones(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, (x0, y0, x1, y1) in value.items():
            if x0 >= x1 or y0 >= y1:
                raise refusal(
                    f"zone {name!r} is empty; write [left, top, right, bottom] with left < right, top < bottom"
                )
        return value

    @model_validator(mode="after")
    def _has_a_size(self) -> PlacementSettings:
        display = NAMED_DISPLAYS[self.display] if self.display else None
        if self.css_px and self.mm:
            raise refusal("has css_px and mm; keep one")
        if self.css_px and (display is None or display.css_px_mm is None):
            raise refusal("css_px needs a display with pixels, such as display: phone or display: screen")
        if not self.css_px and not self.mm and (display is None or not display.width_mm):
            raise refusal("has no size; write css_px with a display, or mm with distance_mm")
        if display is None and self.distance_mm is None:
            raise refusal("has no distance; write distance_mm, such as 5000")
        if self.shapes and self.shapes[0] > self.shapes[1]:
            raise refusal("shapes holds the widest before the narrowest; swap the two")
        return self

    def placement(self) -> Placement:
        """Return the placement that is stated."""
        facts = self.model_dump(exclude={"name"}, exclude_none=True)
        return read_placement(self.name, facts, NAMED_DISPLAYS)


class PlacementsFile(StrictModel):
    """A file of placements."""

    placements: tuple[PlacementSettings, ...] = Field(description="a list of placements with name, and css_px or mm")


def all_placements(additions: Iterable[PlacementSettings] = ()) -> Mapping[str, Placement]:
    """Return the built-in placements and those of the user, by name; the user's win."""
    return {**BUILT_IN_PLACEMENTS, **{settings.name: settings.placement() for settings in additions}}


def stored_placements(facts: Mapping[str, Any]) -> Mapping[str, Placement]:
    """Return the built-in placements and those that the contents of a ``run.json`` hold, by name."""
    objectives = (facts.get("briefing") or {}).get("objectives") or {}
    listed = (objectives.get("content") or {}).get("placements", [])
    vocabulary = BUILT_IN_VOCABULARY.extended(
        {"platform": [settings["platform"] for settings in listed if settings.get("platform")]}
    )
    return all_placements(PlacementSettings.model_validate(settings, context=vocabulary) for settings in listed)


def load_placements(path: Path, vocabulary: Vocabulary = BUILT_IN_VOCABULARY) -> tuple[PlacementSettings, ...]:
    """Read a file with placements.

    `path`: YAML or TOML (.toml), a list ``placements`` of entries; see ``docs/placements.md``.
    `vocabulary`: of valid platforms.
    Raises UsageError: naming the file and every line and key that must change, with the fix.
    """
    document = _read_toml(path) if path.suffix.lower() == ".toml" else read_document(path)
    try:
        placements = PlacementsFile.model_validate(document.content or {}, context=vocabulary).placements
    except ValidationError as error:
        document.problems += validation_problems(error, PlacementsFile)
    else:
        document.problems += [ConfigProblem(("placements", i, "name"), text) for i, text in repeated_names(placements)]
        if not document.problems:
            return placements
    raise UsageError(format_problems(str(path), document, document.problems), code="config_invalid")


def repeated_names(settings: Iterable[PlacementSettings]) -> list[tuple[int, str]]:
    """Return the place of every entry whose name stood before, and what to do."""
    names: set[str] = set()
    wrong = []
    for i, placement in enumerate(settings):
        if placement.name in names:
            wrong.append((i, f"{placement.name!r} is written twice; keep one"))
        names.add(placement.name)
    return wrong


def _read_toml(path: Path) -> Document:
    """Read a TOML file with the lines of its tables and keys."""
    data = read_small_file(path, "TOML")
    try:
        text = data.decode("utf-8-sig")
        content: Any = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: is not TOML: {error}; mend this line", code="config_invalid") from error
    lines: dict[KeyPath, int] = {}
    place: KeyPath = ()
    count = -1
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*placements\s*\]\]", line):
            count += 1
            place = ("placements", count)
            lines[place] = number
        elif key := re.match(r"\s*([A-Za-z_]\w*)\s*=", line):
            lines[(*place, key[1])] = number
    return Document(content, lines)
