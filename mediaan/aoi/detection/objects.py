"""Choose which detected objects become areas, by their confidence and by what is detected around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mediaan.types.aoi import Detection, ObjectType


@dataclass(frozen=True, slots=True)
class ObjectSettings:
    """Confidences from which on objects are areas, and what speaks for a product."""

    least: dict[ObjectType, float] = field(
        default_factory=lambda: {"face": 0.6, "person": 0.4, "product": 0.5, "animal": 0.5}
    )
    """Least confidence; of a product more likely than not. Logos and buttons speak through branding and calls to
    action."""
    alone: float = 0.75
    """Least confidence of a face without a person around it, as on a mug, and of a person without a face: on train and
    dev 2 of 4 such faces are right, and of such persons 7 of 20 below .9, 9 of 10 above."""
    beside: float = 0.3
    """Confidence from which on there is a person around a face, or a face in a person."""
    # The terms of `product_probability`: models/training/products.py, on train and dev.
    detected: float = 0.90
    """Weight of the log odds of the detector."""
    off_centre: float = -2.08
    """Weight of the distance from the middle of the image, the sum of both axes, 0-1."""
    part: float = -1.74
    """Weight of the confidence of a product around it: what is on a pack is a part of it."""
    number: float = 1.06
    """Weight of the log of one more than the number of products: they come in rows."""
    person: float = -0.40
    """Weight of the confidence of the surest person: what is around people is less often for sale."""
    constant: float = -0.16
    counted: float = 0.2
    """Confidence from which on a product counts in this number."""
    inside: float = 0.8
    """Share of a box in another from which on it lies inside."""


SETTINGS = ObjectSettings()


class ProductTerms(NamedTuple):
    """What speaks for a detected product, in the order of the weights of `ObjectSettings`."""

    log_odds: float
    off_centre: float
    around: float
    number: float
    person: float


def chosen_objects(detections: Sequence[Detection]) -> list[Detection]:
    """Return the products, faces, persons and animals that are sure enough to be areas, the surest first.

    A product inside a surer one is a part of it: on train and dev 1 of 7 such is drawn.

    Parameters
    ----------
    detections : sequence of Detection
        Of one frame, as `rated_products` returns them.
    """
    chosen: list[Detection] = []
    for d in sorted(detections, key=lambda d: -d.confidence):
        if d.confidence < SETTINGS.least.get(d.type, math.inf):
            continue
        if d.type == "product":
            is_area = all(k.type != "product" or d.box.share_in(k.box) < SETTINGS.inside for k in chosen)
        else:
            is_area = d.type == "animal" or d.confidence >= SETTINGS.alone or _is_face_with_person(d, detections)
        if is_area:
            chosen.append(d)
    return chosen


def rated_products(detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """Return the detections, each product with the probability that it is one as its confidence."""
    return tuple(
        replace(d, confidence=product_probability(d, detections)) if d.type == "product" else d for d in detections
    )


def product_probability(product: Detection, detections: Sequence[Detection]) -> float:
    """Return how probable it is that people call a detected product one, 0-1, by a logistic model."""
    terms = product_terms(product, detections)
    weights = (SETTINGS.detected, SETTINGS.off_centre, SETTINGS.part, SETTINGS.number, SETTINGS.person)
    odds = SETTINGS.constant + sum(weight * term for weight, term in zip(weights, terms, strict=True))
    return 1 / (1 + math.exp(-odds))


def product_terms(product: Detection, detections: Sequence[Detection]) -> ProductTerms:
    """Measure what speaks for a product among all that was detected in a frame."""
    products = [d for d in detections if d.type == "product"]
    person = max((d.confidence for d in detections if d.type == "person"), default=0.0)
    share = min(0.99, max(0.01, product.confidence))
    box, (x, y) = product.box, product.box.centre
    around = [d.confidence for d in products if d.box.area > box.area and box.share_in(d.box) >= SETTINGS.inside]
    number = sum(d.confidence >= SETTINGS.counted for d in products)
    odds, off_centre = math.log(share / (1 - share)), abs(x - 0.5) + abs(y - 0.5)
    return ProductTerms(odds, off_centre, max(around, default=0.0), math.log(1 + number), person)


def _is_face_with_person(detection: Detection, detections: Sequence[Detection]) -> bool:
    """Tell whether a face lies in a person, or a person has a face."""
    others = [d for d in detections if d.confidence >= SETTINGS.beside]
    if detection.type == "face":
        return any(detection.box.share_in(d.box) >= SETTINGS.inside for d in others if d.type == "person")
    return any(d.box.share_in(detection.box) >= SETTINGS.inside for d in others if d.type == "face")
