"""Areas of interest: type, place, time, scores, and whether a brand is among them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, get_args
from uuid import UUID

from mediaan.types.area_types import AREA_TYPES, Search
from mediaan.types.media import Problem

if TYPE_CHECKING:
    from mediaan.types.densities import Window
    from mediaan.types.metrics import Score


AoiType: TypeAlias = str
"""Name of an area type: a key of `AREA_TYPES`."""
AOI_TYPES: tuple[AoiType, ...] = tuple(AREA_TYPES)
TEXT_TYPES: tuple[AoiType, ...] = tuple(name for name, area_type in AREA_TYPES.items() if area_type.is_text)

ObjectType = Literal["product", "logo", "face", "person", "button", "animal"]
OBJECT_TYPES: tuple[ObjectType, ...] = get_args(ObjectType)

AoiLevel = Literal["none", "text", "objects", "all"]
AOI_LEVELS: tuple[AoiLevel, ...] = get_args(AoiLevel)
"""Areas to detect: none; text; faces, people, products and logos; or both."""

_SEARCHES: Mapping[AoiLevel, frozenset[Search]] = {
    "none": frozenset(),
    "text": frozenset({"text"}),
    "objects": frozenset({"objects"}),
    "all": frozenset({"text", "objects"}),
}
FOUND_BY: Mapping[AoiLevel, frozenset[AoiType]] = {
    level: frozenset(name for name, area_type in AREA_TYPES.items() if area_type.searches & _SEARCHES[level])
    for level in AOI_LEVELS
}
"""Types of areas that each level looks for, so that it means something where there are none.

Brands are found by their name or word mark in text, and by their logo among objects. Two more may
turn up: a button among objects is a call to action (calls without one are missed), and an offer in text is of the type
`other` (which holds whatever has no type of its own)."""


def types_searched(level: AoiLevel, *, drawn: bool = False) -> frozenset[AoiType]:
    """Return the types of areas that would be known if they were there: all, where a person drew areas."""
    return frozenset(AOI_TYPES) if drawn else FOUND_BY[level]


AoiMethod = Literal[
    "text", "wording", "brand_name", "logo_picture", "pack_picture", "word_mark", "detector", "drawn"
]  # fmt: skip
"""Method by which an AOI was found: as recognized text; by the words of a text; by the brand's name; by an image of the
logo, or of a pack; as something set like a logo, without knowing the brand; by the object detector; or drawn by a
person."""

AoiSource = Literal["detected", "drawn", "confirmed"]

Point = tuple[float, float]
"""x and y in unit coordinates: 0 left to 1 right, 0 top to 1 bottom."""


def aoi_words(aoi_type: str) -> str:
    """Name an area type in the middle of a sentence: ``headline``, ``call to action``."""
    return AREA_TYPES[aoi_type].title.lower()


class Box(NamedTuple):
    """An axis-aligned rectangle in unit coordinates, origin top-left, half-open.

    >>> round(Box(0, 0, 0.5, 1).iou(Box(0.25, 0, 0.75, 1)), 3)
    0.333
    """

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Share of the medium's width."""
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        """Share of the medium's height."""
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        """Share of the medium's area."""
        return self.width * self.height

    @property
    def centre(self) -> Point:
        """Centre point."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: Box) -> float:
        """Return the area that two boxes share."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)

    def share_in(self, other: Box) -> float:
        """Return the share of its area that lies in another box, 0-1; 0 where it is empty."""
        return self.intersection(other) / self.area if self.area > 0 else 0.0

    def iou(self, other: Box) -> float:
        """Return the intersection over union, 0-1; 0 where both are empty."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def clipped(self) -> Box:
        """Return the part of the box inside the medium."""
        return Box(*(min(1.0, max(0.0, float(side))) for side in self))

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """Return the bounding box of at least one box."""
        corners = list(boxes)
        return cls(
            min(b.x0 for b in corners), min(b.y0 for b in corners),
            max(b.x1 for b in corners), max(b.y1 for b in corners),
        )  # fmt: skip


FULL_FRAME = Box(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Detection:
    """An object detected in one frame."""

    type: ObjectType
    box: Box
    confidence: float
    """0-1."""
    label: str = ""
    """Class of the object, where the detector knows more than the type; otherwise empty."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text in one frame."""

    corners: tuple[Point, Point, Point, Point]
    """Four points. Clockwise from the line's own top-left, unit coordinates; a slanted line is a slanted
    quadrilateral."""
    text: str | None
    """Transcription; None where the line was detected but not read."""
    confidence: float
    """0-1: of the recognition, or of the detection where it was not read."""

    @property
    def box(self) -> Box:
        """Axis-aligned bounds, inside the medium."""
        return _bounds(self.corners)


@lru_cache(maxsize=4096)  # roles and blocks of text compare each line with every other one
def _bounds(corners: tuple[Point, ...]) -> Box:
    xs, ys = zip(*corners, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys)).clipped()


@dataclass(frozen=True, slots=True)
class TextFacts:
    """The words of a text AOI and how well they can be read."""

    transcription: str | None
    """Lines separated by newlines; None where text was found but not read."""
    line_height_pct: float
    """Height of its typical (median) line, from ascender to descender, % of the medium's height."""
    contrast_ratio: float | None
    """WCAG 2.2 contrast between letters and background, 1-21; None where it is unknown."""
    legible: bool | None = None
    """Whether it can be read where its medium is seen (`mediaan.aoi.legibility`); None where that is too close to call,
    or not known."""


class Sighting(NamedTuple):
    """Place of an AOI of a video at one sampled instant."""

    t_s: float
    """Presentation time of the sample, s from the first frame."""
    box: Box
    confidence: float
    """0-1; of a tracked box, that of the last detection."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An area found in one frame, before it is an AOI of the medium."""

    type: AoiType
    label: str
    """For people: the brand, the first words of a text, the class of an object; may be empty."""
    box: Box
    confidence: float
    """0-1."""
    method: AoiMethod
    """Of detection."""
    polygon: tuple[Point, ...] | None = None
    """Outline where it is not an axis-aligned rectangle: at least three corners, not closed."""
    text: TextFacts | None = None


@dataclass(frozen=True, slots=True)
class Aoi:
    """An area of interest of a medium."""

    aoi_id: UUID
    type: AoiType
    label: str
    box: Box
    """Bounds; of a track, those of the most confident sighting."""
    confidence: float | None
    """0-1; None for one that a person drew or confirmed."""
    method: AoiMethod
    polygon: tuple[Point, ...] | None = None
    text: TextFacts | None = None
    """type, label, method, polygon, text: As of a `Candidate`."""
    t0_s: float | None = None
    t1_s: float | None = None
    """t0_s, t1_s: When it first and last appears in a video, s; None in an image, or where it is there throughout."""
    track: tuple[Sighting, ...] = ()
    """Place at each sampled instant at which it is visible; empty in an image, and for an AOI drawn at one place for
    the whole of `t0_s` to `t1_s`."""
    scores: tuple[Score, ...] = ()
    """Of each metric in each window; empty before it is scored."""
    confirmed: bool = False
    """Whether a person answered in a review that this is an area of this type."""

    def score(self, metric: str, time: Window = "total") -> Score | None:
        """Return the score of a metric in a window; None where the area has no such score."""
        return next((score for score in self.scores if score.metric == metric and score.time == time), None)

    def value(self, metric: str, time: Window = "total") -> float | None:
        """Return the value of a metric in a window; None where it is undefined, or the area has no such score."""
        score = self.score(metric, time)
        return score.value if score else None

    @property
    def words(self) -> str | None:
        """Transcription; None of what has no text, or was not read."""
        return self.text.transcription if self.text else None

    @property
    def legible(self) -> bool | None:
        """Whether its text can be read where the medium is seen; None where that is not known, or it has none."""
        return self.text.legible if self.text else None

    @property
    def attention(self) -> float:
        """Share of attention over the whole exposure, %; 0 where it is undefined."""
        return self.value("attention") or 0.0

    @property
    def shows_brand(self) -> bool:
        """Whether it is a mark, or the brand's pack, which carries its name."""
        return self.type == "branding" or (self.type == "product" and self.method == "pack_picture")

    @property
    def source(self) -> AoiSource:
        """Origin: found by the program, drawn by a person, or confirmed by one in a review."""
        if self.confirmed:
            return "confirmed"
        return "drawn" if self.method == "drawn" else "detected"

    @property
    def by_person(self) -> bool:
        """True if a person drew or confirmed it: no detection goes before it."""
        return self.confirmed or self.method == "drawn"


@dataclass(frozen=True, slots=True)
class Drawing:
    """An AOI as a person drew it, before the size of the medium is known."""

    type: AoiType
    label: str
    points: tuple[Point, ...]
    """Two opposite corners of a rectangle, or at least three corners of a polygon."""
    unit: Literal["unit", "px"] = "unit"
    """Of the points: unit coordinates, or px of the medium as displayed."""
    t0_s: float | None = None
    t1_s: float | None = None
    """t0_s, t1_s: When it appears and disappears; None: at the beginning, at the end."""
    track: tuple[Sighting, ...] = ()
    """Places over time, in unit coordinates; empty if it does not move."""
    aoi_id: UUID | None = None
    """Identifier to keep."""
    confirmed: bool = False
    """Whether a person confirmed it in a review."""
    absent: bool = False
    """Whether a person said that the medium has no area of this type; it then has no points."""
    drawn_on: tuple[float, float] | None = None
    """(float, float) or None. Width and height, px, of the copy of the medium that it was drawn on, where that is
    stated: px are of this copy."""


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand whose marks are to be found."""

    name: str
    aliases: tuple[str, ...] = ()
    """Other spellings, slogans and product names that stand for the brand."""
    logos: tuple[Path, ...] = ()
    """Images of the logo."""
    packs: tuple[Path, ...] = ()
    """Images of its packs."""
    addresses: tuple[str, ...] = ()
    """Web domains and handles. A text with one names the brand, but is no mark of it."""

    @classmethod
    def of_objective(cls, objective: Mapping[str, Any]) -> Self | None:
        """Return the brand that an objective in ``run.json`` names; None if it names none."""
        brand = objective.get("brand")
        if not brand:
            return None
        logos, packs = (tuple(map(Path, brand.get(images, ()))) for images in ("logos", "packs"))
        return cls(brand["name"], tuple(brand.get("aliases", ())), logos, packs, tuple(brand.get("addresses", ())))

    @property
    def spellings(self) -> tuple[str, ...]:
        """Everything by which a text can name it: name, aliases and addresses."""
        return (self.name, *self.aliases, *self.addresses)

    @property
    def is_recognizable(self) -> bool:
        """True if any of its names is in a script that is read, or there is an image of its logo."""
        return bool(self.logos or self.packs) or any(unread_script(name) is None for name in (self.name, *self.aliases))


BRAND_NOT_FOUND, BRAND_UNREAD = "brand_not_found", "brand_unread"

_SCRIPTS_READ = frozenset({"LATIN", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "FULLWIDTH", "HALFWIDTH"})
"""First words of the Unicode names of letters that the model for text recognition knows."""


def unread_script(text: str) -> str | None:
    """Name the script of a text of which most letters belong to scripts that are not read; None for any other.

    >>> unread_script("תנובה"), unread_script("삼성"), unread_script("資生堂"), unread_script("Müller 24")
    ('Hebrew', 'Hangul', None, None)
    """
    scripts = [re.split("[ -]", unicodedata.name(letter, ""))[0] for letter in text if letter.isalpha()]
    unread = [script for script in scripts if script not in _SCRIPTS_READ]
    return max(unread, key=unread.count).capitalize() if 2 * len(unread) > len(scripts) else None


@dataclass(frozen=True, slots=True)
class BrandSearch:
    """Result of the search for a brand in one medium."""

    brand: str
    """Name."""
    found: bool | None
    """Whether there is a branding AOI of it; in a video, at any time. None: there is none, and its name is in a script
    that is not read."""
    spellings: tuple[str, ...] = ()
    """Everything by which a text can name it."""

    @classmethod
    def among(cls, brand: Brand | None, aois: Iterable[Aoi], *, searched: bool) -> Self | None:
        """Search the AOIs of a medium for a brand.

        `brand`: the brand that was named.
        `searched`: whether AOIs were detected with this brand, so that all branding is the brand's. If not, only
            branding that people drew or confirmed counts, and its absence says nothing.
        Returns: none: no brand was named, or none was searched for.
        """
        if brand is None:
            return None
        is_found = any(aoi.shows_brand and (searched or aoi.by_person) for aoi in aois)
        if not is_found and not brand.is_recognizable:
            return cls(brand.name, None, brand.spellings) if searched else None
        return cls(brand.name, is_found, brand.spellings) if is_found or searched else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Warning of a brand that was not found; empty where it was."""
        if self.found:
            return ()
        if self.found is None:
            letters = f"its letters ({unread_script(self.brand)}) are not read"
            message = f"{self.brand} cannot be read: {letters}; add an alias in Latin letters, or a logo image"
            return (Problem(BRAND_UNREAD, f"{message}, to its brand, or draw it"),)
        message = (
            f"No mark of {self.brand} was recognized; if it is in this ad, add an alias or a logo image to its brand"
        )
        return (Problem(BRAND_NOT_FOUND, message),)
