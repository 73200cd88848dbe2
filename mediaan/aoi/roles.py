"""What a block of text is in an advertisement: headline, call to action or body."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from mediaan.aoi.blocks import Block
from mediaan.aoi.wording import is_sentence
from mediaan.types.aoi import Box, Candidate, Detection
from mediaan.types.arrays import Float32, Float64

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "size": -1.09,
        "relative_size": 0.74,
        "area": 1.44,
        "contrast": -0.61,
        "height": 2.03,
        "off_centre": 0.75,
        "attention": 0.17,
        "one_word": -1.04,
        "long": -1.72,
        "sentence": 1.21,
        "figures": -1.02,
        "on_product": -1.90,
        "on_mark": -3.34,
        "unsure": -2.68,
        "slant": -2.67,
        "rank": -0.75,
    }
)
"""What makes a headline; `features_of` says how each is measured. Size counts beside area, which holds it once already:
a few huge letters are a name. Fitted by models/training/headline.py on 130 advertisements."""

FEATURES = tuple(WEIGHTS)
BIAS = 0.77
"""Against the score 0 of an advertisement without a headline."""

MIN_SHARE = 0.35
"""A headline has at least this share of exp(score) among all blocks and 'none'."""

_LONG_WORDS = 8
_LAST_RANK = 5
_USUAL_SIZE = 0.04
_PRICE = re.compile(r"[$€£¥₹%]|\d[.,]\d\d\b")


def choose_headline(
    blocks: Sequence[Block],
    density: Float32 | None,
    detections: Sequence[Detection],
    marks: Sequence[Candidate],
    size: tuple[int, int],
) -> tuple[int | None, float]:
    """Tell which block is the headline.

    Parameters
    ----------
    blocks : sequence of Block
        Without calls to action.
    density : (h, w) float32 or None
        Where fixations land, sums to 1.
    detections : sequence of Detection
    marks : sequence of Candidate
        What is taken for branding.
    size : (int, int)
        Width and height of the picture that the blocks are measured in, px.

    Returns
    -------
    index, confidence
        None where there is none; the confidence is the share of exp(score) among all blocks and 'none', 0-1.
    """
    if not blocks:
        return None, 0.0
    scores = features_of(blocks, density, detections, marks, size) @ np.array([*WEIGHTS.values()]) + BIAS
    weights = np.exp(np.clip(np.append(scores, 0.0), -30, 30))
    shares = weights[:-1] / weights.sum()
    best = int(shares.argmax())
    return (best if shares[best] >= MIN_SHARE else None), float(shares[best])


def features_of(
    blocks: Sequence[Block],
    density: Float32 | None,
    detections: Sequence[Detection],
    marks: Sequence[Candidate],
    size: tuple[int, int],
) -> Float64:
    """Measure what makes a headline; parameters are those of `choose_headline`.

    Returns
    -------
    (blocks, features) float64
        size: natural log of the type size over 4 % of the root of the picture's area; relative_size: log of the type
        size over the largest of any block of two words or more, -3 to 0.3; area: log of the share of the picture, over
        1 %; contrast: log of WCAG's ratio over 4.5, 0 if unknown; height: 1 top to 0 bottom; off_centre: of its middle
        from the vertical axis, 0-0.5; attention: log of mean density on it over the picture's mean, -2 to 2; one_word:
        1 for a single one; long: log of words over 8, at least 0; sentence: 1 if it says something, rather than
        names something; figures: share of digits and signs of prices; on_product, on_mark: share of it on a product,
        on a logo or a mark, times their confidence; unsure: 1 minus the mean confidence of reading; slant: degrees
        over 45, at most 1; rank: number of blocks in larger
        type, at most 5.
    """
    sizes = np.array([block.size_px for block in blocks])
    several = [block.size_px for block in blocks if len((block.text or "").split()) != 1]
    largest = max(several, default=float(sizes.max()))
    logos = [(d.box, d.confidence) for d in detections if d.type == "logo"]
    logos += [(mark.box, mark.confidence) for mark in marks if mark.type == "branding"]
    rows = []
    for block in blocks:
        box, text = block.box, block.text or ""
        words = len(text.split())
        rows.append(
            (
                math.log(block.size_px / math.sqrt(size[0] * size[1]) / _USUAL_SIZE),
                float(np.clip(math.log(block.size_px / largest), -3, 0.3)),
                math.log(max(box.area, 1e-5) / 0.01),
                _contrast(block),
                1 - box.centre[1],
                abs(box.centre[0] - 0.5),
                _attention(density, box),
                float(words == 1),
                max(0.0, math.log(max(words, 1) / _LONG_WORDS)),
                float(is_sentence(text)),
                _figures(text),
                _share(box, [(d.box, d.confidence) for d in detections if d.type == "product"]),
                _share(box, logos),
                1 - float(np.mean([typed.line.confidence for typed in block.lines])),
                min(1.0, abs(block.angle_deg) / 45),
                float(min(_LAST_RANK, int((sizes > block.size_px).sum()))),
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


def _share(box: Box, things: Sequence[tuple[Box, float]]) -> float:
    """Of a box on the thing that covers most of it, times the thing's confidence."""
    shares = [confidence * thing.intersection(box) / max(box.area, 1e-9) for thing, confidence in things]
    return min(1.0, max(shares, default=0.0))
