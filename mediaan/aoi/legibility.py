"""Measure whether text can be read on the display where its medium is usually seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mediaan.types.aoi import Aoi, TextFacts
from mediaan.types.arrays import Float64
from mediaan.types.media import Medium
from mediaan.types.placement import DEFAULT_DISPLAY, DISPLAYS, visual_angle_deg

CRITICAL_PRINT_SIZE_DEG = 0.2
"""Height of an x in degrees of visual angle under which normal readers slow down (Legge & Bigelow 2011)."""

MIN_PRINT_SIZE_DEG = 0.15
"""Height of an x, degrees, under which a text is hard to read: type of 10 pt on a phone, where the smallest that
Apple's guidelines recommend is 11 pt (0.17 degrees), and of 14 CSS px on a desktop."""

MIN_CONTRAST, MIN_MEASURED_CONTRAST = 3.0, 2.0
"""Contrast from which on a text can be read (WCAG 2.2, success criterion 1.4.3, for large text), and under which it is
hard to read: small letters measure up to 1 too low, since their edges are blurred."""

LARGE_PRINT_DEG, LARGE_MIN_CONTRAST, LARGE_MIN_MEASURED_CONTRAST = 0.5, 2.0, 1.5
"""Height of an x, degrees, from which on less contrast is enough, and that contrast: people read large letters at
almost full speed down to a tenth of full contrast (Legge, Rubin & Luebker 1987, Vision Research 27, 1165-1177)."""

LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Weights of linear red, green and blue (IEC 61966-2-1)."""

_X_HEIGHT, _CAP_HEIGHT, _DESCENT = 0.52, 0.71, 0.21
"""Of the type size: the usual proportions of text faces (x-height .45-.57, capitals .66-.75, descenders .17-.28)."""

TYPE_HEIGHT = _CAP_HEIGHT + _DESCENT
"""Height of a line from ascender to descender, of its type size."""

_DESCENDING = frozenset("gjpqyçşțụ,;()[]{}/|@Qрфуцщд")


class Legibility(NamedTuple):
    """Legibility of a text."""

    line_height_pct: float
    """From ascender to descender, % of the medium's height."""
    contrast_ratio: float | None
    """WCAG 2.2, 1-21; None where letters cannot be told from their ground."""
    x_height_deg: float
    """Height of an x, or of capitals and digits where there are only those, in degrees of visual angle."""

    @property
    def legible(self) -> bool | None:
        """As `can_be_read` says."""
        return can_be_read(self.x_height_deg, self.contrast_ratio)


def can_be_read(x_height_deg: float, contrast: float | None) -> bool | None:
    """Tell whether a text can be read: whatever says so asks here.

    `x_height_deg`: height of an x in degrees of visual angle.
    `contrast`: WCAG 2.2 contrast with the background, 1-21.
    Returns: True: it is large enough and contrasts enough. False: too small, or too pale. None: in between, or its
        contrast is not known.

    >>> can_be_read(0.3, 4.5), can_be_read(0.1, 4.5), can_be_read(0.3, 1.6), can_be_read(0.3, 2.5)
    (True, False, False, None)
    >>> can_be_read(0.8, 2.5), can_be_read(0.8, 1.6)
    (True, None)
    """
    large = x_height_deg >= LARGE_PRINT_DEG
    enough = LARGE_MIN_CONTRAST if large else MIN_CONTRAST
    least = LARGE_MIN_MEASURED_CONTRAST if large else MIN_MEASURED_CONTRAST
    if x_height_deg < MIN_PRINT_SIZE_DEG or (contrast is not None and contrast < least):
        return False
    if contrast is None or contrast < enough or x_height_deg < CRITICAL_PRINT_SIZE_DEG:
        return None
    return True


def is_pale(area: Aoi) -> bool:
    """Tell whether a text is hard to read, if it is, because of its contrast and not of its size."""
    contrast = area.text.contrast_ratio if area.text else None
    return contrast is not None and contrast < MIN_MEASURED_CONTRAST


def legibility(
    size_px: float, text: str | None, contrast: float | None, width: int, height: int, platform: str | None = None
) -> Legibility:
    """Measure how well text can be read where its medium is usually seen.

    `size_px`: type size, px of the image.
    `text`: capitals are read at smaller sizes; None stands for mixed text.
    `contrast`: as of `contrast_ratio`.
    `width`, `height`: of the image, px.
    `platform`: a word of the vocabulary; without one, and for platforms of a user's own, a phone.

    References
    ----------
    Legge & Bigelow (2011). Does print size matter for reading? Journal of Vision 11(5), 8.
    Web Content Accessibility Guidelines (WCAG) 2.2, contrast (minimum). W3C 2023.

    >>> legibility(40, "Sale ends soon", 8.0, 1080, 1080).legible
    True
    >>> legibility(15, "Terms apply", 8.0, 1080, 1080).legible
    False
    """
    display = DISPLAYS.get(platform or "", DEFAULT_DISPLAY)
    _, small = proportions(text)
    x_height_mm = size_px * small / height * display.shown_height_mm(width, height)
    return Legibility(
        100 * size_px * TYPE_HEIGHT / height, contrast, visual_angle_deg(x_height_mm, display.distance_mm)
    )


def with_legibility(aois: Iterable[Aoi], medium: Medium, platform: str | None) -> tuple[Aoi, ...]:
    """Return areas with whether their text can be read where their medium is seen.

    `platform`: as stated, or as of `usual_platform`.
    """
    return tuple(
        replace(aoi, text=replace(aoi.text, legible=text_legibility(aoi.text, medium, platform).legible))
        if aoi.text
        else aoi
        for aoi in aois
    )


def text_legibility(text: TextFacts, medium: Medium, platform: str | None) -> Legibility:
    """Measure how well the text of an area can be read where its medium is seen."""
    size_px = text.line_height_pct / 100 * medium.height / TYPE_HEIGHT
    return legibility(size_px, text.transcription, text.contrast_ratio, medium.width, medium.height, platform)


def proportions(text: str | None) -> tuple[float, float]:
    """Return the height of a text's letters and its x-height, as shares of the type size.

    `text`: None stands for mixed text.

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

    >>> round(contrast_ratio(np.array([0.0, 0, 0]), np.array([255.0, 255, 255])), 2)
    21.0
    """

    light, other_light = (float(linear_light(colour / 255) @ LUMINANCE) for colour in (first, second))
    return (max(light, other_light) + 0.05) / (min(light, other_light) + 0.05)


def linear_light(srgb: Float64) -> Float64:
    """Return the linear light of gamma-coded sRGB values, 0-1 (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
