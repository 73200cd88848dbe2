"""Classify lines of text: headline, body, call to action, branding, offer, the platform's interface, or none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

import numpy as np
from rapidfuzz.distance import Indel

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.aoi.detection.buttons import shape_around
from mediaan.aoi.detection.call_to_action import call_to_action_confidence, is_sentence
from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import Float64, UInt8

LineRole = Literal["headline_text", "body_text", "call_to_action", "branding", "offer", "platform", "none"]
LINE_ROLES: tuple[LineRole, ...] = get_args(LineRole)
"""`offer`: prices, discounts, dates, codes, badges. `platform`: what surrounds an ad where it is shown, such as the row
with the page's name in a feed, a status bar or a site's menu. `none`: lettering of packs and scenes; misreadings."""

_COMMON = frozenset(files("mediaan.aoi.detection").joinpath("common_words.txt").read_text("utf-8").split())

_CURRENCY = r"[$€£¥₹₽₩₺₴฿₫]|\b(?:usd|eur|gbp|rs|inr|kr|zł|pln|chf|aed|sar|pkr|ngn|php|rm|idr|rp|r\$)\b"
_PRICE = re.compile(rf"(?:{_CURRENCY})\.?\s?\d|\d[\d.,]*\s?(?:{_CURRENCY})|\d[.,]\d\d\b(?!\d)", re.IGNORECASE)
_PERCENT = re.compile(r"\d\s?(?:%|percent\b|prozent\b|proc\b)", re.IGNORECASE)
_OFFER_WORDS = re.compile(
    r"\b(?:off|sale|sales|deals?|discount|save|free|bonus|cashback|coupon|code|promo|promotion|offer|offers|new|limited|"
    r"only|from|up to|starting|rabatt|gratis|kostenlos|angebot|nur|ab|soldes?|remise|offerte?|gratuite?|promo|oferta|"
    r"descuento|sconto|saldi|desconto|korting|rabat|promocja|rea|indirim|скидк\w*|акция)\b",
    re.IGNORECASE,
)
_MONTHS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|"
    r"ago|dic|gen|mag|giu|lug|set|ott|fev|out|dez|mrt|mei|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru)\w{0,6}\b",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|"
    r"sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|jueves|viernes|sábado|domingo)s?\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b\d{1,2}\s?(?:[ap]\.?m\b|uhr\b|h\b)|\b\d{1,2}[:.]\d\d\b", re.IGNORECASE)
_PLATFORM = re.compile(
    r"\b(?:sponsored|promoted|suggested|gesponsert|sponsorisé|patrocinado|publicidad|sponsorizzato|anzeige|likes?|"
    r"comments?|shares?|views?|reply|followers?|following|views|reposts?|see more|see translation|liked by|for you|"
    r"reels|stories|posts?|cookies?|home|about|about us|contact|contact us|services|pricing|blog|login|log in|sign in|"
    r"menu|search|faq|careers|products|features|portfolio|privacy|terms)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"^\W*\d{1,2}[:.]\d\d\W*$")
_ADDRESS = re.compile(r"www\.|https?:|\.(?:com|net|org|io|co|de|fr|es|it|nl|pl|in|uk|app|shop|ai)\b|@\w", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?:www\.|https?://(?:www\.)?|@)([\w-]{4,})|\b([\w-]{4,})\.(?:com|net|org|io|co|de|fr|uk|in)\b", re.IGNORECASE
)
_TELEPHONE = re.compile(r"\+?\(?\d[\d\s()./-]{6,}\d")
_SENTENCE_END = re.compile(r"[.!?…]\W*$")
_CONTINUES = re.compile(r"[,;:-]\W*$")
_SYMBOL = re.compile(r"[®™©]")

FEATURES = (
    "x", "y", "off_centre", "top", "bottom", "left_edge", "right_edge", "width", "size", "relative_size", "rank",
    "largest", "aspect", "lines", "fill", "slant", "vertical", "contrast", "saturated", "light", "button", "words",
    "letters", "one_word", "two_words", "many_words", "one_letter", "digits", "capitals", "small_letters", "titled",
    "price", "percent", "offer_word", "month", "weekday", "time", "clock", "platform_word", "address", "telephone",
    "call", "sentence", "sentence_end", "continues", "symbol", "handle", "common", "no_common", "unsure",
    "other_script", "repeated", "gap_above", "gap_below", "size_above", "size_below", "aligned_above", "aligned_below",
    "beside", "alike", "in_paragraph", "portrait", "wide_page", "few_lines", "corner", "size_low", "size_high",
    "unread", "in_address", "mentioned",
)  # fmt: skip
"""Of a line, see `line_features`: of its place, its type, its neighbours and its words."""


_LEAST_NAME = 4
"""Letters that a name must have to be searched in other lines."""

_OBJECT_ROLES: tuple[LineRole, ...] = ("call_to_action", "branding", "none")
"""What a button, a logo and a product around a line speak for."""

_LARGEST_BUTTON, _LARGEST_LOGO = 16.0, 9.0
"""Times the area of the line that a button or logo around it may have."""


class _Model(NamedTuple):
    """A perceptron with one hidden layer; features are standardised first.

    `objects`, (3, 2), holds the log odds that a button, a logo and a product detected around a line add for the roles
    of `_OBJECT_ROLES`: times its confidence, and a constant.
    """

    mean: Float64
    scale: Float64
    hidden: Float64  # (features + 1, units)
    output: Float64  # (units + 1, roles)
    objects: Float64


def line_roles(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Predict the roles of the lines of one image.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TypesetLine
        All lines of the image: a line is judged among its neighbours.

    Returns
    -------
    (lines, roles) float64
        Probabilities in the order of `LINE_ROLES`; rows sum to 1.

    Notes
    -----
    Fitted by models/training/line_roles.py to advertisements on which people drew areas. What the object detector sees
    is not among the features: it was taught on the same images, and is weighed afterwards.
    """
    if not lines:
        return np.zeros((0, len(LINE_ROLES)))
    return forward(line_features(rgb, lines), _model())


def fused_line_roles(rgb: UInt8, lines: Sequence[TypesetLine], detections: Sequence[Detection]) -> Float64:
    """Fuse the roles of lines with the objects that a detector sees around them.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TypesetLine
        All lines of the image.
    detections : sequence of Detection

    Returns
    -------
    (lines, roles) float64
        Probabilities in the order of `LINE_ROLES`; rows sum to 1.
    """
    if not lines:
        return np.zeros((0, len(LINE_ROLES)))
    evidence = np.stack([object_evidence(line.line.box, detections) for line in lines])
    return fuse_object_evidence(line_roles(rgb, lines), evidence, _model().objects)


def fuse_object_evidence(roles: Float64, evidence: Float64, weights: Float64) -> Float64:
    """Add the evidence (lines, 3) of objects around lines to their roles (lines, roles), by weights of the model."""
    roles = roles.copy()
    for column, role in enumerate(_OBJECT_ROLES):
        seen = evidence[:, column]
        odds = np.where(seen > 0, weights[column, 0] * seen + weights[column, 1], 0.0)
        roles[:, LINE_ROLES.index(role)] *= np.exp(odds)
    shares: Float64 = roles / np.maximum(roles.sum(axis=1, keepdims=True), 1e-12)
    return shares


def object_evidence(line: Box, detections: Sequence[Detection]) -> Float64:
    """Return the greatest confidences, 0-1, of a button, a logo and a product that hold a line; 0 without one."""
    values = np.zeros(3)
    for d in detections:
        inside = d.box.intersection(line) / max(line.area, 1e-9)
        ratio = d.box.area / max(line.area, 1e-9)
        if d.type == "button" and inside >= 0.7 and ratio <= _LARGEST_BUTTON:
            values[0] = max(values[0], d.confidence)
        elif d.type == "logo" and (d.box.iou(line) >= 0.5 or (inside >= 0.7 and ratio <= _LARGEST_LOGO)):
            values[1] = max(values[1], d.confidence)
        elif d.type == "product" and inside >= 0.8 and d.box.area <= 0.5:
            values[2] = max(values[2], d.confidence)
    return values


def forward(features: Float64, model: _Model) -> Float64:
    """Compute probabilities of the roles, (lines, roles), from features (lines, features)."""
    x = np.clip((features - model.mean) / model.scale, -4, 4)
    hidden = np.maximum(x @ model.hidden[:-1] + model.hidden[-1], 0.0)
    logits = hidden @ model.output[:-1] + model.output[-1]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Float64 = odds / odds.sum(axis=1, keepdims=True)
    return shares


@cache
def _model() -> _Model:
    stored = json.loads(files("mediaan.aoi.detection").joinpath("line_roles.json").read_text("utf-8"))
    return _Model(*(np.array(stored[name], np.float64) for name in _Model._fields))


def line_features(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Measure what tells the roles of lines; parameters are those of `line_roles`.

    Returns
    -------
    (lines, features) float64
        In the order of `FEATURES`. Sizes are natural logs of type sizes; gaps are in type sizes, at most 6; shares and
        yes-or-no are 0 to 1.
    """
    height, width = rgb.shape[:2]
    sizes = np.array([line.size_px for line in lines])
    boxes = [line.line.box for line in lines]
    words = [(line.line.text or "").split() for line in lines]
    largest = float(sizes.max())
    texts = [normalize_name(line.line.text or "") for line in lines]
    # names in web addresses, handles and e-mail addresses: kalvo of www.kalvo.com and @kalvo
    found = [first or second for line in lines for first, second in _DOMAIN.findall(line.line.text or "")]
    addresses = [normalize_name(name) for name in found if name.casefold() != "www"]
    rows = []
    for i, line in enumerate(lines):
        box, letters = boxes[i], line.letters
        around = _neighbour_features(lines, boxes, i)
        values: dict[str, float] = {
            "x": box.centre[0],
            "y": box.centre[1],
            "off_centre": abs(box.centre[0] - 0.5),
            "top": box.y0,
            "bottom": 1 - box.y1,
            "left_edge": box.x0,
            "right_edge": 1 - box.x1,
            "width": box.width,
            "size": math.log(line.size_px / math.sqrt(width * height) / 0.03),
            "relative_size": math.log(line.size_px / largest),
            "rank": min(8.0, float((sizes > 1.1 * line.size_px).sum())) / 8,
            "largest": float(line.size_px >= 0.9 * largest),
            "aspect": min(3.5, math.log(max(1.0, line.length / line.height))),
            "lines": math.log(len(lines)),
            "fill": math.log(max(box.area, 1e-5) / 0.01),
            "slant": min(1.0, abs(math.degrees(math.atan2(line.along[1], line.along[0]))) / 45),
            "vertical": float(abs(line.along[1]) > 0.7),
            "portrait": float(height > 1.2 * width),
            "wide_page": min(2.0, max(0.0, math.log(width / height))),
            "few_lines": float(len(lines) <= 4),
            "corner": float(min(box.centre[0], 1 - box.centre[0]) < 0.25 and min(box.y0, 1 - box.y1) < 0.12),
            "size_low": float(line.size_px < 0.02 * min(width, height)),
            "size_high": float(line.size_px > 0.09 * min(width, height)),
            "repeated": float(bool(texts[i]) and texts.count(texts[i]) > 1),
            "alike": min(1.0, sum(0.87 < size / line.size_px < 1.15 for size in sizes) / 8),
            "unsure": 1 - line.line.confidence,
            "unread": float(line.line.text is None),
            "in_address": float(any(_is_domain(texts[i], label) for label in addresses)),
            "mentioned": float(
                len(words[i]) <= 3
                and len(texts[i]) >= _LEAST_NAME
                and any(texts[i] in other and len(other) > 1.5 * len(texts[i]) for other in texts)
            ),
            "contrast": math.log((line.contrast or 4.5) / 4.5),
            "saturated": float(np.ptp(letters.colour)) / 255 if letters else 0.0,
            "light": float(letters.colour.mean() > letters.ground.mean()) if letters else 0.5,
            "button": float(shape_around(rgb, line) is not None),
            **around,
            **_text_features(line.line.text or "", words[i]),
        }
        values["in_paragraph"] = float(
            len(words[i]) >= 3 and (around["aligned_above"] > 0.5 or around["aligned_below"] > 0.5)
        )
        rows.append([float(values[name]) for name in FEATURES])
    return np.array(rows, np.float64)


def _is_domain(line: str, label: str) -> bool:
    """Tell whether a line is the name that an address is made of."""
    if len(line) < _LEAST_NAME or len(line) > 1.3 * len(label) + 2:
        return False
    return line in label or label in line or Indel.normalized_similarity(line, label) >= 0.85


def _neighbour_features(lines: Sequence[TypesetLine], boxes: Sequence[Box], i: int) -> dict[str, float]:
    """Measure the nearest lines above and below that share columns with a line, and whether one is beside it."""
    line, box = lines[i], boxes[i]
    values = {"gap_above": 6.0, "gap_below": 6.0, "size_above": 0.0, "size_below": 0.0}
    values |= {"aligned_above": 0.0, "aligned_below": 0.0, "beside": 0.0}
    unit = max(box.height, 1e-4)
    for j, other in enumerate(lines):
        if i == j:
            continue
        theirs = boxes[j]
        shared = min(box.x1, theirs.x1) - max(box.x0, theirs.x0)
        across = min(box.y1, theirs.y1) - max(box.y0, theirs.y0)
        if across > 0.5 * min(box.height, theirs.height):
            values["beside"] = 1.0
        if shared < 0.3 * min(box.width, theirs.width):
            continue
        side, gap = ("above", box.y0 - theirs.y1) if theirs.centre[1] < box.centre[1] else ("below", theirs.y0 - box.y1)
        gap = min(6.0, max(-0.5, gap / unit))
        if gap < values[f"gap_{side}"]:
            ratio = math.log(other.size_px / line.size_px)
            edges = abs(box.x0 - theirs.x0), abs(box.x1 - theirs.x1), abs(box.centre[0] - theirs.centre[0])
            values[f"gap_{side}"], values[f"size_{side}"] = gap, float(np.clip(ratio, -2, 2))
            alike = abs(ratio) < 0.2 and gap < 1.0 and min(edges) < unit
            values[f"aligned_{side}"] = float(alike)
    return values


def _text_features(text: str, words: Sequence[str]) -> dict[str, float]:
    letters = [letter for letter in text if letter.isalpha()]
    solid = [letter for letter in text if not letter.isspace()]
    plain = [re.sub(r"\W", "", word).casefold() for word in words]
    common = [word in _COMMON for word in plain if word]
    cased = [letter for letter in letters if letter.isupper() or letter.islower()]
    upper = sum(letter.isupper() for letter in cased) / len(cased) if cased else 0.0
    latin = sum(letter < "\u0250" for letter in letters) / len(letters) if letters else 1.0
    return {
        "words": math.log(max(1, len(words))),
        "letters": math.log(max(1, len(solid))),
        "one_word": float(len(words) == 1),
        "two_words": float(len(words) == 2),
        "many_words": float(len(words) >= 6),
        "one_letter": float(len(solid) <= 2),
        "digits": sum(letter.isdigit() for letter in solid) / max(1, len(solid)),
        "capitals": float(upper > 0.8),
        "small_letters": float(bool(cased) and upper == 0),
        "titled": float(len(words) >= 2 and all(word[:1].isupper() for word in words if word[:1].isalpha())),
        "price": float(_PRICE.search(text) is not None),
        "percent": float(_PERCENT.search(text) is not None),
        "offer_word": float(_OFFER_WORDS.search(text) is not None),
        "month": float(_MONTHS.search(text) is not None and any(letter.isdigit() for letter in text)),
        "weekday": float(_WEEKDAY.search(text) is not None),
        "time": float(_TIME.search(text) is not None),
        "clock": float(_CLOCK.search(text) is not None),
        "platform_word": float(_PLATFORM.search(text) is not None and len(words) <= 5),
        "address": float(_ADDRESS.search(text) is not None),
        "telephone": float(_TELEPHONE.search(text) is not None),
        "call": call_to_action_confidence(text),
        "sentence": float(is_sentence(text)),
        "sentence_end": float(_SENTENCE_END.search(text) is not None),
        "continues": float(_CONTINUES.search(text) is not None),
        "symbol": float(_SYMBOL.search(text) is not None),
        "handle": float(text.lstrip()[:1] in ("@", "#")),
        "common": sum(common) / max(1, len(common)),
        "no_common": float(bool(common) and not any(common)),
        "other_script": 1 - latin,
    }
