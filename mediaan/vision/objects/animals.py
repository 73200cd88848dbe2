"""Tell animals among detected persons: by features of the attention model's encoder of what is in their box."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8


class CutOut(NamedTuple):
    """How a box is cut out of an image to be looked at."""

    margin: float
    """Room around the box, as a share of its sides."""
    side_px: int
    """Sides of what is looked at."""


FACELESS, BODY, HEAD = CutOut(0.05, 128), CutOut(0.05, 96), CutOut(0.4, 96)
"""A person without a face; one with a face; and that face."""


@dataclass(frozen=True, slots=True)
class AnimalSettings:
    """When a detected person is an animal; figures and weights are those of models/training/animals.py."""

    least: float = 0.8
    """Least probability of an animal: 20 of 39 animals that passed for persons with a face, and none of 982 people."""
    person: float = 0.4
    """Confidence of persons from which on they are looked at; what is less sure is no area."""
    face: float = 0.25
    """Confidence from which on a face inside has a say."""
    sure_face: float = 0.95
    """Confidence of a face from which on it is a person's; the surest face of an animal had .91."""
    inside: float = 0.8
    """Share of a face in a box from which on it lies inside."""
    of_body: float = 0.69
    of_head: float = 0.75
    of_face: float = -0.94
    """of_body, of_head, of_face: Weights of the log odds of the body, of the head, and of the face's confidence."""
    constant: float = -1.10


SETTINGS = AnimalSettings()

LogOdds = Callable[[Box, CutOut], float]
"""Log odds of an animal in a box of a frame."""


def with_animals(detections: Sequence[Detection], log_odds: LogOdds) -> tuple[Detection, ...]:
    """Turn persons that look like animals into animals, and drop the faces of these.

    `detections`: of one frame.
    `log_odds`: asked as rarely as possible.
    Returns: by falling confidence; that of an animal is its probability.
    """
    faces = [d for d in detections if d.type == "face"]
    told: list[Detection] = []
    people: list[Box] = []
    animals: list[Box] = []
    for d in detections:
        if d.type == "person" and d.confidence >= SETTINGS.person:
            probability = animal_probability(d.box, faces, log_odds)
            is_animal = probability >= SETTINGS.least
            (animals if is_animal else people).append(d.box)
            if is_animal:
                d = replace(d, type="animal", confidence=probability)
        told.append(d)
    kept = [
        d
        for d in told
        if d.type != "face" or not _lies_in(d.box, animals) or _lies_in(d.box, people)  # a rider on a horse
    ]
    return tuple(sorted(kept, key=lambda d: -d.confidence))


def animal_probability(person: Box, faces: Sequence[Detection], log_odds: LogOdds) -> float:
    """Estimate how probable it is that a detected person is an animal, 0-1, from its looks and those of its face."""
    inside = [d for d in faces if d.confidence >= SETTINGS.face and d.box.share_in(person) >= SETTINGS.inside]
    face = max(inside, key=lambda d: d.confidence, default=None)
    if face is None:
        odds = log_odds(person, FACELESS)
    elif face.confidence >= SETTINGS.sure_face:
        return 0.0
    else:
        confidence = math.log(face.confidence / (1 - face.confidence))
        body, head = log_odds(person, BODY), log_odds(face.box, HEAD)
        odds = SETTINGS.of_body * body + SETTINGS.of_head * head + SETTINGS.of_face * confidence + SETTINGS.constant
    return 1 / (1 + math.exp(-odds))


def _lies_in(face: Box, boxes: Sequence[Box]) -> bool:
    return any(face.share_in(box) >= SETTINGS.inside for box in boxes)


def cut_out(rgb: UInt8, box: Box, cut: CutOut) -> UInt8:
    """Cut a box with some margin out of an image, as a square."""
    height, width = rgb.shape[:2]
    across, down = cut.margin * box.width, cut.margin * box.height
    room = Box(box.x0 - across, box.y0 - down, box.x1 + across, box.y1 + down).clipped()
    x0, y0 = min(round(room.x0 * width), width - 1), min(round(room.y0 * height), height - 1)
    part = rgb[y0 : max(round(room.y1 * height), y0 + 1), x0 : max(round(room.x1 * width), x0 + 1)]
    method = cv2.INTER_AREA if min(part.shape[:2]) > cut.side_px else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (cut.side_px,) * 2, interpolation=method), np.uint8)
