"""Ads of known layout, and a stand-in for people who look at edges."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import cv2
import numpy as np

from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.types.aoi import Aoi, AoiType, Box, TextFacts
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities

HEIGHT, WIDTH = 320, 400
GROUND = (240, 240, 240)


def ground(colour: tuple[int, int, int] = GROUND) -> UInt8:
    return np.full((HEIGHT, WIDTH, 3), colour, np.uint8)


def area(
    number: int,
    kind: AoiType,
    label: str,
    box: tuple[float, float, float, float],
    *,
    legible: bool = True,
    line_pct: float = 6.0,
    contrast: float | None = 8.0,
) -> Aoi:
    has_text = kind in ("headline_text", "body_text", "call_to_action", "other")
    facts = TextFacts(label, line_pct, contrast, legible) if has_text else None
    shown = "offer" if kind == "other" and label != "platform" else label
    return Aoi(UUID(int=number), kind, shown, Box(*box), 0.9, "text", text=facts)


def bars(rgb: UInt8, box: Box, colour: tuple[int, int, int]) -> None:
    """Draw strokes into a box, as letters are."""
    x0, y0, x1, y1 = (round(side * size) for side, size in zip(box, (WIDTH, HEIGHT) * 2, strict=True))
    for x in range(x0 + 1, x1 - 3, 6):
        rgb[y0 + 1 : y1 - 1, x : x + 3] = colour


def plate(rgb: UInt8, box: Box, colour: tuple[int, int, int]) -> None:
    x0, y0, x1, y1 = (round(side * size) for side, size in zip(box, (WIDTH, HEIGHT) * 2, strict=True))
    rgb[y0:y1, x0:x1] = colour


def edges_attract(pictures: Sequence[UInt8]) -> list[Densities]:
    """Attention in proportion to the contrast of edges."""
    return [Densities({"total": density(picture)}) for picture in pictures]


def density(rgb: UInt8, floor: float = 1e-3) -> Float32:
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    edges = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    small = cv2.resize(cv2.GaussianBlur(edges, (0, 0), 4), (100, 80), interpolation=cv2.INTER_AREA) + floor
    return np.asarray(small / small.sum(), np.float32)


def scored(rgb: UInt8, aois: Sequence[Aoi]) -> tuple[Aoi, ...]:
    return score_still(aois, Densities({"total": density(rgb)}), 5.0)
