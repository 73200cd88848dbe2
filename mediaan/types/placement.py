"""Where ads are shown: displays, and placements with their size, crop and what a platform's interface covers."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, get_args

from mediaan.types.aoi import Box
from mediaan.types.media import Medium

Fit = Literal["crop", "contain", "column"]
FITS: tuple[Fit, ...] = get_args(Fit)
"""How a file gets into its slot: fills it and is cut off at its edges; is whole inside it; is as wide as it, and as
high as its own shape within bounds."""

Frame = Literal[
    "story", "reel", "feed", "column", "video", "shop", "page", "mail", "screen", "street", "shelf", "none"
]  # fmt: skip
FRAMES: tuple[Frame, ...] = get_args(Frame)
"""What previews draw around the slot."""


@dataclass(frozen=True, slots=True)
class Display:
    """The display on which an ad is usually seen on a platform."""

    width_mm: float
    height_mm: float
    """width_mm, height_mm: It is shown as large as fits into these."""
    distance_mm: float
    """From the eye."""
    source: str
    """Of the sizes and the distance."""
    area_mm2: float | None = None
    """Area of slots that come in many shapes of about one area, instead of width and height."""
    css_px_mm: float | None = None
    """Size of a CSS pixel; None for what has none."""
    scrolls: bool = False
    """Whether what is taller is as wide as the display, and is scrolled."""

    def shown_height_mm(self, width: int, height: int) -> float:
        """Return the height at which an image of `width` x `height` px is shown, mm."""
        if self.area_mm2 is not None:
            return math.sqrt(self.area_mm2 * height / width)
        of_width = self.width_mm * height / width
        return of_width if self.scrolls else min(self.height_mm, of_width)


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of a placement that the platform's interface, or a frame, covers."""

    name: str
    """Snake case, such as ``skip_button``."""
    box: Box
    """In unit coordinates of the slot."""

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Placement:
    """A place where ads are shown, such as a story or a leaderboard."""

    name: str
    title: str
    """name, title: Snake case; and for readers."""
    platform: str
    """The platform it belongs to, a word of the vocabulary or of the user's own."""
    width_mm: float
    height_mm: float
    """width_mm, height_mm: Of the slot; with `fit` ``column``, its greatest height."""
    distance_mm: float
    """From the eye."""
    fit: Fit
    frame: Frame
    """What previews draw around it."""
    source: str
    """Of size, crop and zones; says ``assumed`` where nothing is published."""
    date: str
    """When the source was published, or read where it has no date; ISO 8601."""
    css_px_mm: float | None = None
    """Size of a CSS pixel; None in print and on the street."""
    zones: tuple[Zone, ...] = ()
    """What the interface covers."""
    shapes: tuple[float, float] = (0.0, math.inf)
    """(float, float). Narrowest and widest width / height that ``column`` shows whole."""
    beyond: Literal["crop", "contain"] = "crop"
    """What ``column`` does with other shapes."""
    crop_from: Literal["centre", "top"] = "centre"
    """Which part of a file stays when it is too tall; too wide ones are cropped at the centre."""
    exposure_s: float | None = None
    """How long it is usually looked at; None where nothing is published."""
    exposure_source: str = ""

    @property
    def css_px(self) -> tuple[float, float] | None:
        """Width and height of the slot in CSS px; None where it has none."""
        if self.css_px_mm is None:
            return None
        return self.width_mm / self.css_px_mm, self.height_mm / self.css_px_mm

    def degrees(self, size_mm: float) -> float:
        """Return the visual angle of a size on it, degrees."""
        return visual_angle_deg(size_mm, self.distance_mm)


def visual_angle_deg(size_mm: float, distance_mm: float) -> float:
    """Return the visual angle under which a size is seen from a distance, degrees.

    >>> round(visual_angle_deg(65, 322), 1)
    11.5
    """
    return math.degrees(2 * math.atan(size_mm / distance_mm / 2))


def read_placement(name: str, facts: Mapping[str, Any], displays: Mapping[str, Display]) -> Placement:
    """Make a placement from its entry in a file.

    `facts`: as in ``placements.toml``; validated by the caller where it is a user's.
    `displays`: those that entries may refer to.
    """
    display = displays[facts["display"]] if "display" in facts else None
    css_px_mm = facts.get("css_px_mm", display.css_px_mm if display else None)
    if "mm" in facts:
        width_mm, height_mm = facts["mm"]
        css_px_mm = None
    elif "css_px" in facts:
        width_mm, height_mm = (side * css_px_mm for side in facts["css_px"])
    elif display is not None:
        width_mm, height_mm = display.width_mm, display.height_mm
    else:
        raise ValueError(f"placement {name} has no size")
    zones = tuple(Zone(zone, Box(*map(float, box))) for zone, box in facts.get("zones", {}).items())
    least, most = facts.get("shapes", (0.0, math.inf))
    return Placement(
        name=name,
        title=facts.get("title", name.replace("_", " ")),
        platform=facts["platform"],
        width_mm=float(width_mm),
        height_mm=float(height_mm),
        distance_mm=float(facts.get("distance_mm", display.distance_mm if display else math.nan)),
        fit=facts.get("fit", "contain"),
        frame=facts.get("frame", "none"),
        source=facts["source"],
        date=facts["date"],
        css_px_mm=css_px_mm,
        zones=zones,
        shapes=(float(least), float(most)),
        beyond=facts.get("beyond", "crop"),
        crop_from=facts.get("crop_from", "centre"),
        exposure_s=facts.get("exposure_s"),
        exposure_source=facts.get("exposure_source", ""),
    )


_FACTS = tomllib.loads(files("mediaan.types").joinpath("placements.toml").read_text(encoding="utf-8"))

NAMED_DISPLAYS: Mapping[str, Display] = MappingProxyType(
    {name: Display(**facts) for name, facts in _FACTS["displays"].items()}
)
"""By name; placements refer to them."""

DEFAULT_DISPLAY = NAMED_DISPLAYS["phone"]

DISPLAYS: Mapping[str, Display] = MappingProxyType(
    {
        platform: replace(NAMED_DISPLAYS[facts["display"]], scrolls=facts.get("scrolls", False))
        for platform, facts in _FACTS["platforms"].items()
    }
)
"""By the platforms of the built-in vocabulary; other platforms are taken for a phone."""

BUILT_IN_PLACEMENTS: Mapping[str, Placement] = MappingProxyType(
    {name: read_placement(name, facts, NAMED_DISPLAYS) for name, facts in _FACTS["placements"].items()}
)

DEFAULT_PLACEMENTS: Mapping[str, str] = MappingProxyType(
    {platform: facts["placement"] for platform, facts in _FACTS["platforms"].items() if "placement" in facts}
)
"""The placement that a platform alone stands for, where it has one."""

SEEN_ON: Mapping[str, str] = MappingProxyType(
    {platform: facts["seen"] for platform, facts in _FACTS["platforms"].items()}
)
"""Where a medium on a platform is seen, for the end of a sentence: ``in an Instagram story``."""


def platform_title(platform: str) -> str:
    """Return the name of a platform as people write it; of one that is not known, its words.

    >>> platform_title("youtube"), platform_title("instagram_story"), platform_title("bus_shelter")
    ('YouTube', 'Instagram story', 'Bus shelter')
    """
    return _FACTS["platforms"].get(platform, {}).get("title") or platform.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class PlacementView:
    """How a placement shows a medium or one of its areas."""

    placement: str
    aoi_id: str | None
    """None for the whole medium."""
    cropped: float
    covered: float
    """cropped, covered: Shares of its area that are cut off, and covered by the interface, %."""
    covered_by: Sequence[str] = ()
    covered_by_pct: Sequence[float] = ()
    """covered_by, covered_by_pct: Zones that cover it, the largest share first, and these shares, %."""
    worst_s: float | None = None
    """In a video, when most of it is hidden; the shares are those of then."""
    hidden_time: float | None = None
    """In a video, share of its time on screen during which a part is hidden, %."""
    text_px: float | None = None
    """Type size of its text, CSS px; None in print."""
    x_height_arcmin: float | None = None
    """Height of an x of its text, in minutes of arc; None without text."""
    readable: bool | None = None
    """Whether its text is large and clear enough there; None if contrast is unknown."""


PAGE_DOMAIN = "page"
"""Domain of the attention model for pages and e-mails."""

FEED_SHAPES = (1.0, 4 / 5, 9 / 16, 1.91)
"""Width over height of ads in feeds and stories, in which no page or e-mail is (Meta Ads Guide)."""

STRIP = 2.5
"""Width over height from which on an image is a banner that no phone shows at its full width."""


def usual_platform(medium: Medium, domain: str | None, screen: float | None = None) -> str | None:
    """Return the platform on which a medium is taken to be seen if none is stated; None for a feed on a phone.

    `domain`: most probable or stated domain of the attention model.
    `screen`: height of a screen of a tall page that was judged fold by fold, as a share of the page's.
    Returns: pages are seen on a desktop, upright ones as wide as a letter, and on a phone if their screens are upright;
        strips are seen in slots of pages.
    """
    if medium.kind != "image":
        return None
    if screen is not None:
        return "mobile_web" if screen * medium.height > medium.width else "website"
    shape = medium.width / medium.height
    if any(math.isclose(shape, feed, rel_tol=0.01) for feed in FEED_SHAPES):
        return None
    if domain == PAGE_DOMAIN:
        return "website" if shape >= 1 else "email"
    return "display" if shape >= STRIP else None
