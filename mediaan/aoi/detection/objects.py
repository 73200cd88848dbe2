"""Choose which detected objects become areas, by their confidence and by what is detected around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mediaan.types.aoi import Box, Detection, ObjectType


class ProductTerms(NamedTuple):
    """What speaks for a detected product, or how much each counts."""

    log_odds: float
    """Of the detector's confidence."""
    off_centre: float
    """Distance from the middle of the image, the sum of both axes, 0-1."""
    around: float
    """Confidence of a product around it: what is on a pack is a part of it."""
    number: float
    """Log of one more than the number of products: they come in rows."""
    filling: float
    """Share of the image that it fills beyond `large`: that is its picture or its page."""
    smaller: float
    """Log of its area in that of the largest product: things beside it are smaller."""


@dataclass(frozen=True, slots=True)
class ObjectSettings:
    """Confidences from which on objects are areas, and what speaks for a product."""

    least: dict[ObjectType, float] = field(
        default_factory=lambda: {"face": 0.6, "person": 0.4, "product": 0.55, "animal": 0.5}
    )
    """Least confidence; of products such that four of five are right on dev and in rated ads. Logos and buttons speak
    through branding and calls to action."""
    alone: float = 0.6
    """Least confidence of a person without a face: on train and dev 1 of 10 below is right, 15 of 19 above."""
    face: float = 0.3
    """Confidence from which on there is a face in a person."""
    weights: tuple[float, ...] = (0.84, -1.68, -0.84, 1.06, -2.34, 0.25)
    constant: float = -0.34
    """weights, constant: Of the log odds of a product: models/training/products.py, on train and dev."""
    counted: float = 0.2
    """Confidence from which on a product counts in the number, and as the largest."""
    large: float = 0.3
    """Share of the image up to which products are as probable as smaller ones."""
    inside: float = 0.8
    """Share of a box in another from which on it lies inside."""


SETTINGS = ObjectSettings()


def chosen_objects(detections: Sequence[Detection]) -> list[Detection]:
    """Return the products, faces, persons and animals that are sure enough to be areas, the surest first.

    A product inside a surer one is a part of it: on train and dev 1 of 7 such is drawn.

    `detections`: of one frame, as `rated_products` returns them.
    """
    chosen: list[Detection] = []
    for d in sorted(detections, key=lambda d: -d.confidence):
        if d.confidence < SETTINGS.least.get(d.type, math.inf):
            continue
        if d.type == "product":
            is_area = all(k.type != "product" or d.box.share_in(k.box) < SETTINGS.inside for k in chosen)
        else:
            is_area = d.type != "person" or d.confidence >= SETTINGS.alone or _has_face(d.box, detections)
        if is_area:
            chosen.append(d)
    return chosen


def rated_products(detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """Return the detections, each product with the probability that people call it one as its confidence."""
    return tuple(
        replace(d, confidence=_probability(product_terms(d, detections))) if d.type == "product" else d
        for d in detections
    )


def _probability(terms: ProductTerms) -> float:
    odds = SETTINGS.constant + sum(weight * term for weight, term in zip(SETTINGS.weights, terms, strict=True))
    return 1 / (1 + math.exp(-odds))


def product_terms(product: Detection, detections: Sequence[Detection]) -> ProductTerms:
    """Measure what speaks for a product among all that was detected in a frame."""
    products = [d for d in detections if d.type == "product"]
    share = min(0.99, max(0.01, product.confidence))
    box, (x, y) = product.box, product.box.centre
    around = [d.confidence for d in products if d.box.area > box.area and box.share_in(d.box) >= SETTINGS.inside]
    counted = [d.box.area for d in products if d.confidence >= SETTINGS.counted]
    return ProductTerms(
        log_odds=math.log(share / (1 - share)),
        off_centre=abs(x - 0.5) + abs(y - 0.5),
        around=max(around, default=0.0),
        number=math.log(1 + len(counted)),
        filling=max(0.0, box.area - SETTINGS.large),
        smaller=math.log(box.area / max([box.area, *counted])),
    )


def _has_face(person: Box, detections: Sequence[Detection]) -> bool:
    faces = [d.box for d in detections if d.type == "face" and d.confidence >= SETTINGS.face]
    return any(face.share_in(person) >= SETTINGS.inside for face in faces)
