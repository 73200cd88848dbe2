"""What a block of text is in an advertisement: headline, call to action or body."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from mediaan.aoi.blocks import Block
from mediaan.aoi.wording import compact
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import Float32, Float64

FEATURES = (
    "size",
    "area",
    "contrast",
    "height",
    "off_centre",
    "attention",
    "one_word",
    "long",
    "figures",
    "on_object",
    "unsure",
    "slant",
    "repeated",
)
"""What makes a headline, in the order of `WEIGHTS`; `features_of` says how each is measured."""

WEIGHTS: tuple[float, ...] = (2.0, 0.6, 0.5, 0.8, -0.5, 0.3, -1.0, -1.0, -1.0, -1.5, -1.5, -0.5, -1.0)
BIAS = 0.5
"""Against the score 0 of an advertisement without a headline."""

_LONG_WORDS = 14
_PRICE = re.compile(r"[$€£¥₹%]|\d[.,]\d\d\b")


def choose_headline(
    blocks: Sequence[Block], density: Float32 | None, detections: Sequence[Detection], width: int, height: int
) -> tuple[int | None, float]:
    """Tell which block is the headline.

    Parameters
    ----------
    blocks : sequence of Block
        Without calls to action.
    density : (h, w) float32 or None
        Where fixations land, sums to 1.
    detections : sequence of Detection
    width, height : int
        Of the picture that the blocks are measured in, px.

    Returns
    -------
    index, confidence
        None where there is none; the confidence is the share of exp(score) among all blocks and 'none', 0-1.
    """
    if not blocks:
        return None, 0.0
    scores = features_of(blocks, density, detections, width, height) @ np.array(WEIGHTS) + BIAS
    weights = np.exp(np.clip(np.append(scores, 0.0), -30, 30))
    shares = weights / weights.sum()
    best = int(scores.argmax())
    return (best if scores[best] > 0 else None), float(shares[best])


def features_of(
    blocks: Sequence[Block], density: Float32 | None, detections: Sequence[Detection], width: int, height: int
) -> Float64:
    """Measure what makes a headline.

    Returns
    -------
    (blocks, features) float64
        size: natural log of the type size over the largest in the picture; area: log of the share of the picture, over
        1 %; contrast: log of WCAG's ratio over 4.5, 0 if unknown; height: 1 top to 0 bottom; off_centre: of its middle
        from the vertical axis, 0-0.5; attention: log of mean density on it over the picture's mean, -2 to 2;
        one_word: 1 for a single word; long: log of words over 14, at least 0; figures: share of digits and signs of
        prices; on_object: share of it on a product or a logo; unsure: 1 minus the mean confidence of reading; slant:
        degrees over 45, at most 1; repeated: 1 if its words are in an address or on a product as well.
    """
    largest = max(block.size_px for block in blocks)
    rows = []
    for block in blocks:
        box, text = block.box, block.text or ""
        words = text.split()
        rows.append(
            (
                math.log(block.size_px / largest),
                math.log(max(box.area, 1e-5) / 0.01),
                _contrast(block),
                1 - box.centre[1],
                abs(box.centre[0] - 0.5),
                _attention(density, box),
                float(len(words) == 1),
                max(0.0, math.log(max(len(words), 1) / _LONG_WORDS)),
                _figures(text),
                _on_object(box, detections),
                1 - float(np.mean([typed.line.confidence for typed in block.lines])),
                min(1.0, abs(block.angle_deg) / 45),
                float(_repeated(block, blocks)),
            )
        )
    return np.array(rows, dtype=np.float64)


def _contrast(block: Block) -> float:
    ratios = [typed.contrast for typed in block.lines if typed.contrast is not None]
    return math.log(float(np.median(ratios)) / 4.5) if ratios else 0.0


def _attention(density: Float32 | None, box: Box) -> float:
    if density is None:
        return 0.0
    rows, columns = density.shape
    part = density[
        int(box.y0 * rows) : max(int(box.y0 * rows) + 1, math.ceil(box.y1 * rows)),
        int(box.x0 * columns) : max(int(box.x0 * columns) + 1, math.ceil(box.x1 * columns)),
    ]
    mean = float(part.mean(dtype=np.float64)) if part.size else 0.0
    return float(np.clip(math.log(max(mean * density.size, 1e-6)), -2, 2))


def _figures(text: str) -> float:
    letters = [letter for letter in text if not letter.isspace()]
    if not letters:
        return 0.0
    share = sum(letter.isdigit() for letter in letters) / len(letters)
    return min(1.0, share + 0.3 * bool(_PRICE.search(text)))


def _on_object(box: Box, detections: Sequence[Detection]) -> float:
    objects = [d for d in detections if d.type in ("product", "logo")]
    shares = [d.confidence * d.box.intersection(box) / max(box.area, 1e-9) for d in objects]
    return min(1.0, max(shares, default=0.0))


def _repeated(block: Block, blocks: Sequence[Block]) -> bool:
    own = compact(block.text or "")
    others = [compact(other.text or "") for other in blocks if other is not block]
    return 3 <= len(own) <= 20 and any(own in other for other in others)
