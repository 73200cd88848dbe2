"""Measure whether text can be read on the display where its medium is usually seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mediaan.types.arrays import Float64

CRITICAL_PRINT_SIZE_DEG = 0.2
"""Height of an x in degrees of visual angle under which normal readers slow down (Legge & Bigelow 2011)."""

MIN_CONTRAST = 3.0
"""WCAG 2.2, success criterion 1.4.3, for large text; advertisements are mostly large text."""

LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Weights of linear red, green and blue (IEC 61966-2-1)."""

_X_HEIGHT, _CAP_HEIGHT, _DESCENT = 0.52, 0.71, 0.21
"""Of the type size: the usual proportions of text faces (x-height .45-.57, capitals .66-.75, descenders .17-.28)."""

_DESCENDING = frozenset("gjpqyçşțụ,;()[]{}/|@Qрфуцщд")

_PHONE_SOURCE = (
    "display of a 6.1 inch phone, 65 x 141 mm; 322 mm from the eye when browsing: Bababekova, Rosenfield, Hue & Huang "
    "2011, Optometry and Vision Science 88, 795-797"
)
_SCREEN_SOURCE = "a CSS pixel is 1/96 inch at an arm's length of 28 inches: CSS Values and Units, reference pixel"


@dataclass(frozen=True, slots=True)
class Display:
    """The display on which an ad is usually seen on a platform.

    Attributes
    ----------
    width_mm, height_mm : float
        It is shown as large as fits into these.
    distance_mm : float
        From the eye.
    source : str
        Of the sizes and the distance.
    area_mm2 : float or None
        Area of slots that come in many shapes of about one area, instead of width and height.
    """

    width_mm: float
    height_mm: float
    distance_mm: float
    source: str
    area_mm2: float | None = None

    def shown_height_mm(self, width: int, height: int) -> float:
        """Return the height at which an image of `width` x `height` px is shown, mm."""
        if self.area_mm2 is not None:
            return math.sqrt(self.area_mm2 * height / width)
        return min(self.height_mm, self.width_mm * height / width)


_PHONE = Display(65, 141, 322, _PHONE_SOURCE)
_SLOT = Display(0, 0, 711, f"slots of about 300 x 250 CSS px (IAB fixed sizes); {_SCREEN_SOURCE}", area_mm2=5250)

DEFAULT_DISPLAY = _PHONE

_SCREEN = Display(339, 191, 711, f"first screen of 1280 x 720 CSS px; {_SCREEN_SOURCE}")
_TV = Display(1218, 685, 2700, "55 inch 16:9 screen; 2.7 m, the usual distance in homes (Tanton 2004, BBC R&D)")
_POSTER = Display(1185, 1750, 5000, "city light poster (6-sheet); 5 m, across a pavement, assumed")

DISPLAYS: Mapping[str, Display] = MappingProxyType(
    {
        "amazon": Display(65, 141, 322, f"product picture, full width; {_PHONE_SOURCE}"),
        "app": _PHONE,
        "app_store": _PHONE,
        "cinema": Display(12000, 6490, 22400, "12 m wide, 1.85:1, seen under 30 degrees from a back row, assumed"),
        "ctv": _TV,
        "display": _SLOT,
        "dooh": _POSTER,
        "email": Display(159, 318, 711, f"letters are 600 CSS px wide; {_SCREEN_SOURCE}"),
        "facebook": _PHONE,
        "facebook_reels": _PHONE,
        "facebook_story": _PHONE,
        "google_ads": _SLOT,
        "google_shopping": Display(32, 141, 322, f"two columns, assumed; {_PHONE_SOURCE}"),
        "in_store": Display(594, 841, 2000, "A1 poster; 2 m, across an aisle, assumed"),
        "instagram": _PHONE,
        "instagram_reels": _PHONE,
        "instagram_story": _PHONE,
        "linkedin": _PHONE,
        "microsoft_ads": _SLOT,
        "mobile_web": _PHONE,
        "out_of_home": _POSTER,
        "packaging": Display(120, 200, 711, "pack on a shelf; an arm's length of 28 inches, assumed"),
        "pinterest": Display(32, 141, 322, f"two columns; {_PHONE_SOURCE}"),
        "print": Display(210, 297, 400, "A4 page; 400 mm, the usual reading distance of Legge & Bigelow 2011"),
        "reddit": _PHONE,
        "retail_media": _SLOT,
        "snapchat": _PHONE,
        "threads": _PHONE,
        "tiktok": _PHONE,
        "tv": _TV,
        "twitch": _SCREEN,
        "website": _SCREEN,
        "wechat": _PHONE,
        "whatsapp": _PHONE,
        "x": _PHONE,
        "youtube": _PHONE,
        "youtube_shorts": _PHONE,
    }
)
"""By the platforms of the built-in vocabulary; other platforms are taken for a phone."""


class Legibility(NamedTuple):
    """Legibility of a text.

    Attributes
    ----------
    line_height_pct : float
        From ascender to descender, % of the medium's height.
    contrast_ratio : float or None
        WCAG 2.2, 1-21; None where letters cannot be told from their ground.
    x_height_deg : float
        Height of an x, or of capitals and digits where there are only those, in degrees of visual angle.
    legible : bool or None
        `x_height_deg` and `contrast_ratio` are both enough; None where the contrast is unknown and the size is enough.
    """

    line_height_pct: float
    contrast_ratio: float | None
    x_height_deg: float
    legible: bool | None


def legibility(
    size_px: float, text: str | None, contrast: float | None, width: int, height: int, platform: str | None = None
) -> Legibility:
    """Measure how well text can be read where its medium is usually seen.

    Parameters
    ----------
    size_px : float
        Type size, px of the image.
    text : str or None
        Capitals are read at smaller sizes; None stands for mixed text.
    contrast : float or None
        As of `contrast_ratio`.
    width, height : int
        Of the image, px.
    platform : str, optional
        A word of the vocabulary; without one, and for platforms of a user's own, a phone.

    References
    ----------
    Legge & Bigelow (2011). Does print size matter for reading? Journal of Vision 11(5), 8.
    Web Content Accessibility Guidelines (WCAG) 2.2, contrast (minimum). W3C 2023.

    Examples
    --------
    >>> legibility(40, "Sale ends soon", 8.0, 1080, 1080).legible
    True
    >>> legibility(15, "Terms apply", 8.0, 1080, 1080).legible
    False
    """
    display = DISPLAYS.get(platform or "", DEFAULT_DISPLAY)
    _, small = proportions(text)
    x_height_mm = size_px * small / height * display.shown_height_mm(width, height)
    x_height_deg = math.degrees(2 * math.atan(x_height_mm / display.distance_mm / 2))
    line_height_pct = 100 * size_px * (_CAP_HEIGHT + _DESCENT) / height
    legible: bool | None = False
    if x_height_deg >= CRITICAL_PRINT_SIZE_DEG:
        legible = None if contrast is None else contrast >= MIN_CONTRAST
    return Legibility(line_height_pct, contrast, x_height_deg, legible)


def proportions(text: str | None) -> tuple[float, float]:
    """Return how far the letters of a text reach, and how high its small letters are, both of its type size.

    Parameters
    ----------
    text : str or None
        None stands for mixed text.

    Examples
    --------
    >>> proportions("SALE"), proportions("sun"), proportions("Spring")
    ((0.71, 0.71), (0.52, 0.52), (0.92, 0.52))
    """
    if not text:
        return round(_CAP_HEIGHT + _DESCENT, 2), _X_HEIGHT
    low = any(letter.islower() for letter in text)
    tall = any(not letter.isspace() and (not letter.islower() or letter in "bdfhijklt") for letter in text)
    reach = (_CAP_HEIGHT if tall else _X_HEIGHT) + (_DESCENT if _DESCENDING.intersection(text) else 0)
    return round(reach, 2), _X_HEIGHT if low else _CAP_HEIGHT


def contrast_ratio(first: Float64, second: Float64) -> float:
    """Return the WCAG 2.2 contrast of two sRGB colours (3,), 0-255.

    Examples
    --------
    >>> round(contrast_ratio(np.array([0.0, 0, 0]), np.array([255.0, 255, 255])), 2)
    21.0
    """

    one, other = (float(linear_light(colour / 255) @ LUMINANCE) for colour in (first, second))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def linear_light(srgb: Float64) -> Float64:
    """Return the linear light of gamma-coded sRGB values, 0-1 (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
