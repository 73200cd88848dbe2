"""Measure the features by which roles of text lines, and blocks of lines, are predicted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import ArrayLike
from rapidfuzz.distance import Indel

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.aoi.detection.call_to_action import call_to_action_confidence, is_sentence
from mediaan.aoi.detection.surroundings import colour_steps, largest_channel, shape_around
from mediaan.aoi.detection.text_blocks import TypesetLine, are_neighbours, median_colour
from mediaan.aoi.words import CURRENCY_SIGNS, CURRENCY_WORDS
from mediaan.types.arrays import Bool, Float64, UInt8

SEPARATION_FEATURES = ("edge_between", "texture_between", "ground_between", "same_region", "plain")
"""Of two lines, see `separation_features`."""

_REACH = 3.0
"""Greatest gap, in type sizes, in which is looked."""

_EDGE, _TEXTURE = 40.0, 30.0
"""Step of colour from pixel to pixel, 0-255, that counts as a full edge, and as full texture."""

_LONG_SIDE = 512
"""At which regions are found, px."""

_PLAIN = 14
"""Greatest step of colour, 0-255, within a plain region."""

_RIM = 0.55
"""Width of the rim around a line in which its region is looked up, in type sizes."""


def separation_features(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Measure what separates each pair of lines, such as cards, rules and pictures.

    `lines`: all of the image, at least one.
    Returns (lines, lines, features) float64: in the order of `SEPARATION_FEATURES`, symmetric, 0 to 1. Of the gap
        between two lines below or beside each other, no wider than three type sizes, else 0: its strongest edge across
        it, its mean step of colour, and how far its colour is from the ground of the letters. Whether both stand in one
        plain region, and how much of the area around the letters such a region fills, of the line with less of it.
    """
    return np.concatenate([_between(rgb, lines), _in_regions(rgb, lines)], axis=2)


def _between(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    height, width = rgb.shape[:2]
    boxes = np.array([line.box for line in lines]) * (width, height, width, height)
    sizes = np.array([line.size_px for line in lines])
    reach = _REACH * np.sqrt(sizes[:, None] * sizes)
    low, high = boxes[:, :2], boxes[:, 2:]
    gaps = np.maximum(low[:, None] - high, low - high[:, None])
    stacked: Bool = (gaps[..., 1] > 0) & (gaps[..., 1] < reach) & (gaps[..., 0] < 0)
    beside: Bool = (gaps[..., 0] > 0) & (gaps[..., 0] < reach) & (gaps[..., 1] < 0)
    values = np.zeros((len(lines), len(lines), 3))
    for i, j in zip(*np.nonzero(np.triu(stacked | beside, 1)), strict=True):
        axis = 0 if stacked[i, j] else 1
        nearer, further = np.minimum(high[i], high[j]), np.maximum(low[i], low[j])
        # the gap in the direction of the lines, what both share across it
        (x0, x1), (y0, y1) = (
            (int(min(a, b)), int(np.ceil(max(a, b))) + 1) for a, b in zip(nearer, further, strict=True)
        )
        gap = rgb[max(0, y0 - (axis == 0)) : y1, max(0, x0 - (axis == 1)) : x1]
        if min(gap.shape[:2]) == 0 or gap.shape[axis] < 2:
            continue
        before, after = (gap[:-1], gap[1:]) if axis == 0 else (gap[:, :-1], gap[:, 1:])
        steps, colour = largest_channel(cv2.absdiff(before, after)), median_colour(gap.reshape(-1, 3))
        grounds = [line.letters.ground for line in (lines[i], lines[j]) if line.letters]
        other = np.mean([np.linalg.norm(colour - ground) for ground in grounds]) / 255 if grounds else 0.0
        edge = np.median(steps, axis=1 - axis).max() / _EDGE
        values[i, j] = values[j, i] = np.minimum(1, [edge, steps.mean() / _TEXTURE, other])
    return values


def _in_regions(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    scale = min(1.0, _LONG_SIDE / max(rgb.shape[:2]))
    size = max(1, round(scale * rgb.shape[1])), max(1, round(scale * rgb.shape[0]))
    small = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    plain = (colour_steps(small) <= _PLAIN).astype(np.uint8)
    _, regions = cv2.connectedComponents(plain, connectivity=4)
    region, filled = np.zeros(len(lines), int), np.zeros(len(lines))
    for i, line in enumerate(lines):
        box, rim = line.box, _RIM * line.size_px * scale
        x0, x1 = max(0, int(box.x0 * size[0] - rim)), int(box.x1 * size[0] + rim) + 1
        y0, y1 = max(0, int(box.y0 * size[1] - rim)), int(box.y1 * size[1] + rim) + 1
        counts = np.bincount(regions[y0:y1, x0:x1].ravel(), minlength=2)
        if counts[1:].any():
            region[i] = int(counts[1:].argmax()) + 1
            filled[i] = counts[region[i]] / counts.sum()
    same = (region[:, None] == region) & (region > 0)
    return np.stack([same.astype(np.float64), np.minimum(filled[:, None], filled)], axis=2)


_COMMON = frozenset(files("mediaan.aoi.detection").joinpath("common_words.txt").read_text("utf-8").split())

_CURRENCY = rf"[{CURRENCY_SIGNS}]|\b(?:{CURRENCY_WORDS})\b"
_WORDS: dict[str, list[str]] = json.loads(
    files("mediaan.aoi.detection").joinpath("line_words.json").read_text(encoding="utf-8")
)
_PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "price": rf"(?:{_CURRENCY})\.?\s?\d|\d[\d.,]*\s?(?:{_CURRENCY})|\d[.,]\d\d\b(?!\d)",
        "percent": r"\d\s?(?:%|percent\b|prozent\b|proc\b)",
        "time": r"\b\d{1,2}\s?(?:[ap]\.?m\b|uhr\b|h\b)|\b\d{1,2}[:.]\d\d\b",
        "clock": r"^\W*\d{1,2}[:.]\d\d\W*$",
        "address": r"www\.|https?:|\.(?:com|net|org|io|co|de|fr|es|it|nl|pl|in|uk|app|shop|ai)\b|@\w",
        "telephone": r"\+?\(?\d[\d\s()./-]{6,}\d",
        "sentence_end": r"[.!?…]\W*$",
        "continues": r"[,;:-]\W*$",
        "symbol": r"[®™©]",
        **{kind: rf"\b(?:{'|'.join(words)})\b" for kind, words in _WORDS.items()},
    }.items()
}
"""Of features that say whether a line holds one; words of platforms stand on the interface of sites, too."""

_DOMAIN = re.compile(
    r"(?:www\.|https?://(?:www\.)?|@)([\w-]{4,})|\b([\w-]{4,})\.(?:com|net|org|io|co|de|fr|uk|in)\b", re.IGNORECASE
)
_UPRIGHT_IN_COLUMNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Kana and ideographs."""

FEATURES = (
    "x", "y", "off_centre", "top", "bottom", "left_edge", "right_edge", "width", "size", "relative_size", "rank",
    "largest", "aspect", "lines", "fill", "slant", "vertical", "contrast", "saturated", "light", "button", "words",
    "letters", "one_word", "two_words", "many_words", "one_letter", "digits", "capitals", "small_letters", "titled",
    "price", "percent", "offer_word", "month", "weekday", "time", "clock", "platform_word", "address", "telephone",
    "call", "sentence", "sentence_end", "continues", "symbol", "handle", "common", "no_common", "unsure",
    "other_script", "repeated", "gap_above", "gap_below", "size_above", "size_below", "aligned_above", "aligned_below",
    "beside", "alike", "in_paragraph", "portrait", "wide_page", "few_lines", "corner", "size_low", "size_high",
    "unread", "in_address", "mentioned", "platform_above", "platform_below", "platform_lines",
)  # fmt: skip
"""Of a line, see `line_features`: of its place, its type, its neighbours and its words."""


PAIR_FEATURES = (
    "gap_x", "gap_y", "gap_along", "gap_across", "overlap_along", "overlap_across", "size_step", "size_difference",
    "height_difference", "left", "middle", "right", "turn", "colour", "ground", "same_case", "known_case", "between",
    "after", "distance", "one_row", "contrast", "begins_with_capital", "ends_sentence", "length_difference",
    "neighbours", "rule_block", *SEPARATION_FEATURES,
)  # fmt: skip
"""Of two lines, see `pair_features`: of where they stand to each other, how alike they are set, what separates them."""

_LEAST_NAME = 4
"""Letters that a name must have to be searched in other lines."""

_FARTHEST = 4.0
"""Greatest gap or offset between two lines, in type sizes, that is told from greater ones."""

_NO_LINE = 6.0
"""Gap to the nearest line above or below, in heights, where there is none, or none nearer."""

_MEASURES = ("size_px", "length", "height")
_NAN = float("nan")
_USUAL_CONTRAST = 4.5
_UNKNOWN_STEP = 0.3
"""Contrast of a line, and difference of colours of two, where letters cannot be told from their ground."""


def line_features(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Measure the features by which the roles of lines are predicted.

    `lines`: all of the image, at least one: a line is judged among its neighbours.
    Returns (lines, features) float64: in the order of `FEATURES`. Sizes are natural logs of type sizes; gaps are in
        type sizes, at most 6; shares and yes-or-no are 0 to 1.
    """
    height, width = rgb.shape[:2]
    texts = [line.text for line in lines]
    is_platform = np.array([_is_platform(text) for text in texts])
    sizes, lengths, heights = (np.array([getattr(line, name) for line in lines]) for name in _MEASURES)
    boxes, along = np.array([line.box for line in lines]), np.array([line.along for line in lines])
    columns = np.array([is_column(line) for line in lines])
    x0, y0, x1, y1 = boxes.T
    # a column stands from the right as a row does from the top
    x0, y0, x1, y1 = np.where(columns, (y0, 1 - x1, y1, 1 - x0), (x0, y0, x1, y1))
    x, y, colours = (x0 + x1) / 2, (y0 + y1) / 2, [line.letters for line in lines]
    values: dict[str, ArrayLike] = {
        "x": x,
        "y": y,
        "off_centre": np.abs(x - 0.5),
        "top": y0,
        "bottom": 1 - y1,
        "left_edge": x0,
        "right_edge": 1 - x1,
        "width": x1 - x0,
        "size": np.log(sizes / math.sqrt(width * height) / 0.03),
        "relative_size": np.log(sizes / sizes.max()),
        "rank": np.minimum(8, (sizes > 1.1 * sizes[:, None]).sum(axis=1)) / 8,
        "largest": sizes >= 0.9 * sizes.max(),
        "aspect": np.minimum(3.5, np.log(np.maximum(1, lengths / heights))),
        "lines": math.log(len(lines)),
        "fill": np.log(np.maximum((x1 - x0) * (y1 - y0), 1e-5) / 0.01),
        "slant": ~columns * np.minimum(1, np.abs(np.degrees(np.arctan2(along[:, 1], along[:, 0]))) / 45),
        "vertical": (np.abs(along[:, 1]) > 0.7) & ~columns,
        "portrait": height > 1.2 * width,
        "wide_page": min(2.0, max(0.0, math.log(width / height))),
        "few_lines": len(lines) <= 4,
        "corner": (np.minimum(x, 1 - x) < 0.25) & (np.minimum(y0, 1 - y1) < 0.12),
        "size_low": sizes < 0.02 * min(width, height),
        "size_high": sizes > 0.09 * min(width, height),
        "alike": np.minimum(1, _within(sizes / sizes[:, None], 0.87, 1.15).sum(axis=1) / 8),
        "unsure": 1 - np.array([line.line.confidence for line in lines]),
        "unread": [line.line.text is None for line in lines],
        "platform_lines": min(1.0, is_platform.sum() / 5),
        "contrast": np.log(np.array([line.contrast or _USUAL_CONTRAST for line in lines]) / _USUAL_CONTRAST),
        "saturated": [np.ptp(letters.colour) / 255 if letters else 0.0 for letters in colours],
        "light": [letters.colour.mean() > letters.ground.mean() if letters else 0.5 for letters in colours],
        "button": [shape_around(rgb, line) is not None for line in lines],
        **_neighbour_features(boxes, sizes, is_platform),
        **name_features(texts),
    }
    facts = [text_features(text) for text in texts]
    values |= {name: [fact[name] for fact in facts] for name in facts[0]}
    beside = np.maximum(values["aligned_above"], values["aligned_below"])
    values["in_paragraph"] = (beside > 0.5) & [len(text.split()) >= 3 for text in texts]
    return np.column_stack([np.broadcast_to(values[name], len(lines)) for name in FEATURES]).astype(np.float64)


def is_column(line: TypesetLine) -> bool:
    """Return True if a line is Chinese or Japanese set in a column, each letter upright: it is read as a row is."""
    text = [letter for letter in line.text if letter.isalpha()]
    upright = sum(bool(_UPRIGHT_IN_COLUMNS.match(letter)) for letter in text)
    return abs(line.along[1]) > 0.7 and 2 * upright > len(text)


def pair_features(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Measure how lines stand to each other, how alike they are set, and what separates them.

    `lines`: all of the image, at least one.
    Returns (lines, lines, features) float64: in the order of `PAIR_FEATURES`: first axis one line, second axis the
        other. Gaps and offsets are in type sizes (geometric mean of both), along or across the longer line, at most 4,
        negative where lines overlap; differences of sizes are natural logs; colours are Euclidean distances in sRGB, 0
        to 1.7.
    """
    separation = np.moveaxis(separation_features(rgb, lines), 2, 0)
    values = _positions(lines) | _likeness(lines) | dict(zip(SEPARATION_FEATURES, separation, strict=True))
    stacked: Float64 = np.clip(np.stack([values[name] for name in PAIR_FEATURES], axis=-1), -_FARTHEST, _FARTHEST)
    return stacked


def _positions(lines: Sequence[TypesetLine]) -> dict[str, ArrayLike]:
    sizes, lengths = np.array([line.size_px for line in lines]), np.array([line.length for line in lines])
    corners, along = np.array([line.corners for line in lines]), np.array([line.along for line in lines])
    unit, is_longer = np.sqrt(sizes[:, None] * sizes), lengths[:, None] >= lengths

    def of_longer(values: Float64, sign: float = 1.0) -> Float64:
        chosen: Float64 = np.where(is_longer, values, sign * values.T)
        return chosen

    def in_sizes(gap: Float64) -> Float64:
        scaled: Float64 = np.clip(gap / unit, -1, _FARTHEST)
        return scaled

    x0, x1, u0, u1 = _spans(corners, along)
    y0, y1, v0, v1 = _spans(corners, np.stack([-along[:, 1], along[:, 0]], axis=1))
    narrower, lower = np.minimum(x1 - x0, u1 - u0), np.minimum(y1 - y0, v1 - v0)
    gap_across = of_longer(np.maximum(y0 - v1, v0 - y1))
    overlap_along = of_longer((np.minimum(x1, u1) - np.maximum(x0, u0)) / np.maximum(narrower, 1e-6))
    overlap_across = of_longer((np.minimum(y1, v1) - np.maximum(y0, v0)) / np.maximum(lower, 1e-6))
    after = of_longer((y0 + y1 - v0 - v1) / 2, sign=-1.0)
    low, high = corners.min(axis=1), corners.max(axis=1)
    gaps = np.maximum(low[:, None] - high, low - high[:, None])
    texts = [line.text.strip() for line in lines]
    ends, begins = np.array([(bool(_PATTERNS["sentence_end"].search(text)), text[:1].isupper()) for text in texts]).T
    neighbours = (gap_across <= _FARTHEST * unit) & (overlap_along > 0) & ~np.eye(len(lines), dtype=bool)
    for i, j in np.argwhere(neighbours):
        neighbours[i, j] = are_neighbours(lines[i], lines[j])
    return {
        "gap_x": in_sizes(gaps[..., 0]),
        "gap_y": in_sizes(gaps[..., 1]),
        "gap_along": in_sizes(of_longer(np.maximum(x0 - u1, u0 - x1))),
        "gap_across": in_sizes(gap_across),
        "overlap_along": np.clip(overlap_along, -1, 1),
        "overlap_across": np.clip(overlap_across, -1, 1),
        "left": in_sizes(of_longer(np.abs(x0 - u0))),
        "middle": in_sizes(of_longer(np.abs(x0 + x1 - u0 - u1) / 2)),
        "right": in_sizes(of_longer(np.abs(x1 - u1))),
        "turn": 1 - np.abs(along @ along.T),
        "between": np.minimum(_lines_between((low + high) / 2, unit), 4) / 4,
        "after": np.sign(after),
        "distance": np.clip(after / unit, -8, 8) / 4,
        "one_row": overlap_across > 0.5,
        "begins_with_capital": np.where(after > 0, begins, begins[:, None]),
        "ends_sentence": np.where(after > 0, ends[:, None], ends),
        "neighbours": neighbours,
        "rule_block": _connected(neighbours),
    }


def _likeness(lines: Sequence[TypesetLine]) -> dict[str, ArrayLike]:
    """Return how far type, colours and case of two lines are apart."""
    steps = {}
    for name in _MEASURES:
        values = np.log(np.maximum([getattr(line, name) for line in lines], 1e-6))
        steps[name] = values[:, None] - values
    unknown = np.full(3, _NAN)
    inks = [(line.letters.colour, line.letters.ground) if line.letters else (unknown, unknown) for line in lines]
    distances = np.linalg.norm(np.array(inks)[:, None] - inks, axis=3) / 255
    colours, grounds = np.moveaxis(np.nan_to_num(distances, nan=_UNKNOWN_STEP), 2, 0)
    case = np.array([_NAN if line.in_capitals is None else line.in_capitals for line in lines], np.float64)
    case_step = np.abs(case[:, None] - case)
    contrasts = np.log([line.contrast or _USUAL_CONTRAST for line in lines])
    return {
        "size_step": np.clip(steps["size_px"], -2, 2),
        "size_difference": np.minimum(np.abs(steps["size_px"]), 2),
        "height_difference": np.minimum(np.abs(steps["height"]), 2),
        "length_difference": np.abs(steps["length"]),
        "colour": colours,
        "ground": grounds,
        "contrast": np.abs(contrasts[:, None] - contrasts),
        "same_case": np.nan_to_num(1 - case_step, nan=0.5),
        "known_case": np.isfinite(case_step),
    }


def _spans(corners: Float64, axes: Float64) -> tuple[Float64, Float64, Float64, Float64]:
    """Project each line on the axis of each other line; return both ends, and those of the other line."""
    places = np.einsum("jkc,ic->ijk", corners, axes)
    low, high = places.min(axis=2), places.max(axis=2)
    return low, high, np.diag(low)[:, None], np.diag(high)[:, None]


def _lines_between(middles: Float64, unit: Float64) -> Float64:
    """Count the lines whose middle lies between those of two others, (lines, lines)."""
    x, y = middles[:, 0], middles[:, 1]
    left, right = np.minimum(x[:, None], x) - unit, np.maximum(x[:, None], x) + unit
    top, bottom = np.minimum(y[:, None], y), np.maximum(y[:, None], y)
    counts = np.zeros_like(unit)
    for k in range(len(middles)):
        inside = (x[k] > left) & (x[k] < right) & (y[k] > top) & (y[k] < bottom)
        inside[k], inside[:, k] = False, False
        counts += inside
    return counts


def _connected(neighbours: Bool) -> Bool:
    """Return which lines are connected through neighbours, (lines, lines)."""
    groups = np.arange(len(neighbours))
    for i, j in zip(*np.nonzero(neighbours), strict=True):
        groups[groups == groups[j]] = groups[i]
    connected: Bool = groups[:, None] == groups
    return connected


def _is_domain(line: str, label: str) -> bool:
    """Tell whether a line is the name that an address is made of."""
    if len(line) < _LEAST_NAME or len(line) > 1.3 * len(label) + 2:
        return False
    return line in label or label in line or Indel.normalized_similarity(line, label) >= 0.85


def _is_platform(text: str) -> bool:
    """Tell whether a line is a short text of a platform's or site's interface."""
    return _PATTERNS["platform_word"].search(text) is not None and len(text.split()) <= 5


def _within(values: Float64, low: float, high: float) -> Bool:
    inside: Bool = (values > low) & (values < high)
    return inside


def name_features(texts: Sequence[str]) -> dict[str, list[bool]]:
    """Tell which lines are repeated, named in an address such as www.kalvo.com or @kalvo, or mentioned in others."""
    names = [normalize_name(text) for text in texts]
    labels = [first or second for text in texts for first, second in _DOMAIN.findall(text)]
    addresses = [normalize_name(label) for label in labels if label.casefold() != "www"]
    mentioned = [
        len(text.split()) <= 3
        and len(name) >= _LEAST_NAME
        and any(name in other and len(other) > 1.5 * len(name) for other in names)
        for text, name in zip(texts, names, strict=True)
    ]
    return {
        "repeated": [bool(name) and names.count(name) > 1 for name in names],
        "in_address": [any(_is_domain(name, address) for address in addresses) for name in names],
        "mentioned": mentioned,
    }


def _neighbour_features(boxes: Float64, sizes: Float64, is_platform: Bool) -> dict[str, ArrayLike]:
    """Measure the nearest lines above and below that share columns with each line, and whether one is beside it."""
    x0, y0, x1, y1 = boxes.T
    unit, middle, others = np.maximum(y1 - y0, 1e-4)[:, None], (y0 + y1) / 2, ~np.eye(len(boxes), dtype=bool)

    def shared(low: Float64, high: Float64, least: float) -> Bool:
        """Tell which lines share at least so much of the shorter one's extent."""
        overlap = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
        return overlap >= least * np.minimum((high - low)[:, None], high - low)

    values: dict[str, ArrayLike] = {"beside": (shared(y0, y1, 0.5) & others).any(axis=1)}
    same_column = shared(x0, x1, 0.3) & others
    above = middle < middle[:, None]
    ratios = np.log(sizes / sizes[:, None])
    edges = np.min([np.abs(a[:, None] - a) for a in (x0, x1, (x0 + x1) / 2)], axis=0)
    for side, on_side, gap in (("above", above, y0[:, None] - y1), ("below", ~above, y0 - y1[:, None])):
        gaps = np.where(same_column & on_side, np.clip(gap / unit, -0.5, _NO_LINE), _NO_LINE)
        nearest = (np.arange(len(boxes)), gaps.argmin(axis=1))
        there = gaps[nearest] < _NO_LINE
        aligned = (np.abs(ratios) < 0.2) & (gaps < 1.0) & (edges < unit)
        values |= {
            f"gap_{side}": gaps[nearest],
            f"size_{side}": there * np.clip(ratios[nearest], -2, 2),
            f"aligned_{side}": there & aligned[nearest],
            f"platform_{side}": there & is_platform[nearest[1]],
        }
    return values


def text_features(text: str) -> dict[str, float]:
    """Measure the features of `FEATURES` that are of the words of a line."""
    words = text.split()
    letters = [letter for letter in text if letter.isalpha()]
    solid = [letter for letter in text if not letter.isspace()]
    plain = [re.sub(r"\W", "", word).casefold() for word in words]
    common = [word in _COMMON for word in plain if word]
    cased = [letter for letter in letters if letter.isupper() or letter.islower()]
    upper = sum(letter.isupper() for letter in cased) / len(cased) if cased else 0.0
    digits = sum(letter.isdigit() for letter in solid)
    latin = sum(letter < "\u0250" for letter in letters) / len(letters) if letters else 1.0
    holds = {name: pattern.search(text) is not None for name, pattern in _PATTERNS.items()}
    return {
        "words": math.log(max(1, len(words))),
        "letters": math.log(max(1, len(solid))),
        "one_word": len(words) == 1,
        "two_words": len(words) == 2,
        "many_words": len(words) >= 6,
        "one_letter": len(solid) <= 2,
        "digits": digits / max(1, len(solid)),
        "capitals": upper > 0.8,
        "small_letters": bool(cased) and upper == 0,
        "titled": len(words) >= 2 and all(word[:1].isupper() for word in words if word[:1].isalpha()),
        "call": call_to_action_confidence(text),
        "sentence": is_sentence(text),
        "handle": text.lstrip()[:1] in ("@", "#"),
        "common": sum(common) / max(1, len(common)),
        "no_common": bool(common) and not any(common),
        "other_script": 1 - latin,
        **holds,
        "month": holds["month"] and digits > 0,
        "platform_word": _is_platform(text),
    }
