"""Tell animals among detected persons: by features of the attention model's encoder of what is in their box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8


@dataclass(frozen=True, slots=True)
class AnimalSettings:
    """When a detected person is an animal."""

    least: float = 0.8
    """Least probability of an animal: of 234 persons without a sure face 15 of 23 animals were told so, and 1 of 211
    people (models/training/animals.py)."""
    person: float = 0.4
    """Confidence of persons from which on they are looked at; what is less sure is no area."""
    face: float = 0.6
    """Confidence of a face inside from which on it is a person."""
    inside: float = 0.8
    """Share of a face in a box from which on it lies inside."""
    margin: float = 0.05
    """Room around a box that is looked at with it, as a share of its sides."""
    crop_px: int = 128
    """Sides of what is looked at."""


SETTINGS = AnimalSettings()


def with_animals(detections: Sequence[Detection], animal_probability: Callable[[Box], float]) -> tuple[Detection, ...]:
    """Turn persons that look like animals, and have no sure face, into animals.

    `detections`: of one frame.
    `animal_probability`: probability, 0-1, that there is an animal in a box of the frame; asked as rarely as possible.
    Returns: by falling confidence; that of an animal is its probability.
    """
    faces = [d.box for d in detections if d.type == "face" and d.confidence >= SETTINGS.face]
    told = []
    for d in detections:
        if d.type == "person" and d.confidence >= SETTINGS.person:
            has_face = any(face.share_in(d.box) >= SETTINGS.inside for face in faces)
            probability = 0.0 if has_face else animal_probability(d.box)
            if probability >= SETTINGS.least:
                d = replace(d, type="animal", confidence=probability)
        told.append(d)
    return tuple(sorted(told, key=lambda d: -d.confidence))


def cut_out(rgb: UInt8, box: Box) -> UInt8:
    """Cut a box with some margin out of an image, as a square of `AnimalSettings.crop_px`."""
    height, width = rgb.shape[:2]
    across, down = SETTINGS.margin * box.width, SETTINGS.margin * box.height
    room = Box(box.x0 - across, box.y0 - down, box.x1 + across, box.y1 + down).clipped()
    x0, y0 = min(round(room.x0 * width), width - 1), min(round(room.y0 * height), height - 1)
    part = rgb[y0 : max(round(room.y1 * height), y0 + 1), x0 : max(round(room.x1 * width), x0 + 1)]
    method = cv2.INTER_AREA if min(part.shape[:2]) > SETTINGS.crop_px else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (SETTINGS.crop_px,) * 2, interpolation=method), np.uint8)
