"""Declare the types of areas of interest: everything that differs from type to type, each in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Search = Literal["text", "objects"]
"""What is looked through for areas: recognized text, or detected objects."""


@dataclass(frozen=True, slots=True)
class AreaType:
    """A type of area of interest."""

    name: str
    """snake_case, as in tables, files, rules and the API."""
    title: str
    """As headings say it."""
    meaning: str
    """What such an area is, in a few words."""
    found_by: str
    """How it is detected, in words."""
    colour: str
    """On the report's page, ``#rrggbb``: light enough for any picture with a dark edge."""
    print_colour: str
    """On slides and paper, ``rrggbb``: dark enough for white letters on it."""
    dash: str = "none"
    """Of its outline on the page, as `stroke-dasharray`, so that types differ by more than their colour."""
    noun: str = ""
    """In the middle of a sentence, behind an article; by default the title."""
    searches: frozenset[Search] = frozenset()
    """Searches that look for it; of the others its absence says nothing."""
    is_text: bool = False
    """Whether its words are its content: it is read, and has a legibility."""
    other_names: tuple[str, ...] = ()
    """That people and other tools call it."""
    needed_for: Mapping[str | None, int] = field(default_factory=dict)
    """Its place among what viewers must see, from 1, the most needed first, by what the ad is for; None: unknown."""
    without: str = ""
    """What is wrong with an ad that lacks it, where some purpose needs it: ``nothing shows what is sold``."""
    one_sided_probability: float = 0.5
    """Probability that more people see such an area on the side of a comparison where one was found, if none was on the
    other: half where both or neither truly have one (`python models/training/presence_checks.py RUN`)."""
    carries_message: bool = False
    """Whether other areas compete with it for attention."""
    on_timeline: bool = False
    """Whether the timeline of a video has a lane for it."""

    def __post_init__(self) -> None:
        if self.needed_for and not self.without:
            raise ValueError(f"the area type {self.name} is needed, but does not say what an ad without it lacks")

    @property
    def words(self) -> str:
        """Name in the middle of a sentence, with its article: ``the headline``."""
        return f"the {self.noun or self.title.lower()}"


def _declared(*types: AreaType) -> dict[str, AreaType]:
    return {area_type.name: area_type for area_type in types}


AREA_TYPES: dict[str, AreaType] = _declared(
    AreaType(
        "branding",
        "Branding",
        "logo, wordmark, brand name",
        "the brand's name in the text and images of its logo, if you give them; the detector; lines that look like a "
        "logo",
        colour="#ee8866",
        print_colour="C2410C",
        noun="brand",
        searches=frozenset({"text", "objects"}),
        other_names=("brand", "logo"),
        needed_for={None: 1, "brand_building": 1, "conversion": 4},
        without="nothing shows whose ad this is",
        one_sided_probability=0.63,
        carries_message=True,
        on_timeline=True,
    ),
    AreaType(
        "product",
        "Product",
        "what is advertised",
        "the object detector",
        colour="#77aadd",
        print_colour="1D5FA8",
        dash="14 5",
        searches=frozenset({"objects"}),
        other_names=("packshot",),
        needed_for={None: 3, "brand_building": 3, "conversion": 2},
        without="nothing shows what is sold",
        one_sided_probability=0.68,
        carries_message=True,
        on_timeline=True,
    ),
    AreaType(
        "headline_text",
        "Headline",
        "the lines that carry the message",
        "text recognition; then the wording, typography and position of the lines",
        colour="#eedd88",
        print_colour="8A6100",
        searches=frozenset({"text"}),
        is_text=True,
        other_names=("headline", "title"),
        needed_for={None: 2, "brand_building": 2, "conversion": 3},
        without="no headline says what it is about",
        one_sided_probability=0.65,
        carries_message=True,
        on_timeline=True,
    ),
    AreaType(
        "body_text",
        "Body text",
        "other text",
        "text recognition",
        colour="#dddddd",
        print_colour="4B5563",
        dash="2 4",
        noun="text",
        searches=frozenset({"text"}),
        is_text=True,
        other_names=("body", "text", "copy"),
        on_timeline=True,
    ),
    AreaType(
        "call_to_action",
        "Call to action",
        "button, 'shop now', web address, telephone number",
        "wording in thirteen languages, the shape of buttons, the detector",
        colour="#44bb99",
        print_colour="0F7A5F",
        dash="12 4 2 4",
        searches=frozenset({"text"}),
        is_text=True,
        other_names=("cta", "button"),
        needed_for={None: 4, "conversion": 1},
        without="nothing asks viewers to act",
        one_sided_probability=0.87,
        carries_message=True,
        on_timeline=True,
    ),
    AreaType(
        "face",
        "Face",
        "people",
        "the object detector",
        colour="#ffaabb",
        print_colour="BE185D",
        dash="6 4",
        searches=frozenset({"objects"}),
        carries_message=True,
        on_timeline=True,
    ),
    AreaType(
        "person",
        "Person",
        "people",
        "the object detector",
        colour="#99ddff",
        print_colour="0E7490",
        dash="18 4 2 4 2 4",
        searches=frozenset({"objects"}),
        other_names=("people", "human"),
        carries_message=True,
    ),
    AreaType(
        "other",
        "Other",
        "an offer (price, discount, date, badge; label offer); the platform's interface (status bar, menu; label "
        "platform); an animal (label animal); anything else you draw",
        "text recognition, as the headline; the object detector; you",
        colour="#bbcc33",
        print_colour="5B6B00",
        dash="4 7",
        noun="area",
    ),
)
"""Types by name, in the order in which they are listed. A new one is one entry."""


def area_types_needed(purpose: str | None) -> tuple[str, ...]:
    """Return the types that viewers must see for a purpose, the most needed first; of an unknown one, as without any.

    >>> area_types_needed("conversion")
    ('call_to_action', 'product', 'headline_text', 'branding')
    """
    is_known = any(purpose in area_type.needed_for for area_type in AREA_TYPES.values())
    ranks = {
        name: rank
        for name, area_type in AREA_TYPES.items()
        if (rank := area_type.needed_for.get(purpose if is_known else None)) is not None
    }
    return tuple(sorted(ranks, key=lambda name: ranks[name]))


def type_of_other_name(word: str) -> str | None:
    """Return the type that people or other tools call so; None if none.

    >>> type_of_other_name("logo"), type_of_other_name("dog")
    ('branding', None)
    """
    return next((name for name, area_type in AREA_TYPES.items() if word in area_type.other_names), None)
