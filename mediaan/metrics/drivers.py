"""Measure everything that the scores need from the pixels, in one pass."""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np

from mediaan.metrics.borders import content_box
from mediaan.metrics.features import (
    colour_count,
    colourfulness,
    congestion_lab,
    contour_congestion,
    contour_density,
    contour_weakness,
    contours,
    feature_congestion_map,
    luma,
    luminance_sd,
    region_count,
    symmetry,
    vividness,
    warmth,
    white_space,
)
from mediaan.types.aoi import FULL_FRAME, Box
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Appearance
from mediaan.types.media import ViewSpec

SOME_TEXT = 0.004
"""Share of the area under which an image is said to hold no text: a line of 40 letters of 2 % of the height."""

_LITTLE = 0.05
"""Share of the image under which what is not text says nothing of its ground."""

_LETTER = 0.5
"""Width of a letter with its gap, as a share of its height."""


def inside_text(plane: Float32, appearance: Appearance) -> float | None:
    """Return the mean of a map where letters are seen; None without text.

    Of local contrast it says how well type stands out; of luma, type and ground together, it tells dark type on white,
    as of a page, from type on a dark or coloured ground or on a photograph.

    `plane`: (h, w) float32.
    """
    if appearance.text_map is None or appearance.text_share < SOME_TEXT:
        return None
    height, width = plane.shape
    seen = cv2.resize(appearance.text_map, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float64)
    total = float(seen.sum())
    return float((seen * plane).sum()) / total if total > 0 else None


def outside_text(plane: Float32, appearance: Appearance) -> float:
    """Return the mean of a map where no letters are seen; over all of it where there is nothing else.

    `plane`: (h, w) float32.
    """
    if appearance.text_map is None:
        return float(plane.mean(dtype=np.float64))
    height, width = plane.shape
    other = 1 - cv2.resize(appearance.text_map, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float64)
    total = float(other.sum())
    if total < _LITTLE * plane.size:
        return float(plane.mean(dtype=np.float64))
    return float((other * plane).sum()) / total


def text_height(appearance: Appearance) -> float | None:
    """Return the height of the smaller lines as a share of the image's height; None without text."""
    return None if appearance.text_share < SOME_TEXT else appearance.text_height


def letter_count(appearance: Appearance) -> float:
    """Estimate how many letters an image holds: the area of its text over that of a letter there."""
    return 0.0 if appearance.text_share < SOME_TEXT else appearance.text_letters / _LETTER


# The size of the images that the human ratings and the stored populations were measured on.
DRIVER_VIEW = ViewSpec("drivers", long_side=512)
# Clutter needs three octaves.
MIN_SIDE = 32


@dataclass(frozen=True, slots=True)
class Drivers:
    """Measured properties of one image; each is documented at the function of its name."""

    feature_congestion: float
    ground_congestion: float
    """Feature congestion outside text: large letters are many edges, but no clutter to those who read them."""
    contour_density: float
    contour_weakness: float | None
    """0-1, None without contours."""
    contour_congestion: float
    """feature_congestion, contour_density, contour_congestion: Clutter, in the papers' units."""
    colourfulness: float
    luminance_sd: float
    """colourfulness, luminance_sd: Code values."""
    vividness: float
    warmth: float
    """vividness, warmth: Means, 0-1."""
    white_space: float
    symmetry: float
    """white_space, symmetry: 0-1."""
    region_count: int
    colour_count: int
    """region_count, colour_count: At least 1."""
    coded_bits: float
    """Size as a JPEG of quality 75, bits per pixel."""
    text_share: float
    """Estimated share of the area that is text, 0-1."""
    text_height: float | None
    text_contrast: float | None
    """text_height, text_contrast: Estimated height of the smaller lines as a share of the image's height, and local
    contrast of text, code values; None without text."""
    text_lightness: float | None
    """Lightness of type and its ground, code values; None without text."""
    letter_count: float
    """Estimated."""
    face_presence: float
    person_presence: float
    """face_presence, person_presence: Estimated probability that there is one, 0-1."""
    congestion_map: Float32
    """(h, w) float32. `feature_congestion_map`, at least 1.248."""
    contrast_map: Float32
    """(h, w) float32. Local standard deviation of luma, code values, 0-127.5."""
    arousal_map: Float32
    """(h, w) float32. Mean of vividness, warmth and local contrast, 0-1."""
    content: Box
    """The part of the image that is no bar around it, unit coordinates."""
    appearance: Appearance
    """Features of the encoder of the attention network."""

    def scalars(self) -> dict[str, float | None]:
        """Return the drivers that are single numbers, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if not isinstance(value, np.ndarray | Appearance | Box)}


def measure_drivers(rgb: UInt8, appearance: Appearance, content: Box = FULL_FRAME) -> Drivers:
    """Measure an image's drivers.

    `rgb` (H, W, 3) uint8: sRGB, in the size of `DRIVER_VIEW` for scores that compare with the stored populations. A
        side under 32 px is extended by its border pixels.
    `appearance`: of the same pixels.
    `content`: content between bars of an earlier frame of the same medium.
    Returns: the maps have the size of `rgb` after that extension.
    """
    below, right = max(0, MIN_SIDE - rgb.shape[0]), max(0, MIN_SIDE - rgb.shape[1])
    if below or right:
        rgb = np.asarray(cv2.copyMakeBorder(rgb, 0, below, 0, right, cv2.BORDER_REPLICATE), dtype=np.uint8)
    grey, light, lab = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), luma(rgb), congestion_lab(rgb)
    edges = contours(rgb)
    congestion, contrast = feature_congestion_map(lab), local_contrast(light)
    vivid, warm = vividness(rgb), warmth(rgb)
    return Drivers(
        feature_congestion=float(congestion.mean(dtype=np.float64)),
        ground_congestion=outside_text(congestion, appearance),
        contour_density=contour_density(np.asarray(grey, dtype=np.uint8)),
        contour_weakness=contour_weakness(np.asarray(grey, dtype=np.uint8)),
        contour_congestion=contour_congestion(edges),
        colourfulness=colourfulness(rgb),
        luminance_sd=luminance_sd(light),
        vividness=float(vivid.mean(dtype=np.float64)),
        warmth=float(warm.mean(dtype=np.float64)),
        white_space=white_space(edges),
        symmetry=symmetry(contrast),
        region_count=region_count(rgb),
        colour_count=colour_count(rgb),
        coded_bits=coded_bits(rgb),
        text_share=appearance.text_share,
        text_height=text_height(appearance),
        text_contrast=inside_text(contrast, appearance),
        text_lightness=inside_text(light, appearance),
        letter_count=letter_count(appearance),
        face_presence=appearance.face_presence,
        person_presence=appearance.person_presence,
        congestion_map=congestion,
        contrast_map=contrast,
        arousal_map=np.asarray((vivid + warm + contrast / np.float32(127.5)) / 3, dtype=np.float32),
        content=content_box(rgb, content),
        appearance=appearance,
    )


def coded_bits(rgb: UInt8) -> float:
    """Return the size of an image as a JPEG of quality 75, bits per pixel.

    What compresses badly looks complex: Forsythe et al. (2008), Behav. Res. Methods 40, 116-129; Machado et al. (2015),
    Acta Psychol. 160, 43-57.
    """
    _, code = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 75])
    return float(8 * len(code) / (rgb.shape[0] * rgb.shape[1]))


def local_contrast(luma: Float32) -> Float32:
    """Return the standard deviation of luma within 1/32 of the long side, code values, (H, W) float32 in [0, 127.5].

    Local RMS contrast after Peli (1990), J. Opt. Soc. Am. A 7, 2032-2040.
    """
    side = max(3, round(max(luma.shape) / 32))
    mean = cv2.blur(luma, (side, side))
    variance = cv2.sqrBoxFilter(luma, -1, (side, side)) - mean * mean
    return np.asarray(np.sqrt(np.maximum(variance, 0)), dtype=np.float32)
