"""What is set like a mark though nobody said whose: words apart from the text, and compact things on plain ground."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import NamedTuple

import numpy as np

from mediaan.aoi.blocks import TypeLine, type_line
from mediaan.aoi.emblems import busy_around, edges, lone_marks, with_emblem
from mediaan.aoi.names import squashed
from mediaan.types.aoi import Box, Detection, TextLine
from mediaan.types.arrays import Bool, Float64, UInt8

FEATURES = (
    "height", "prominence", "one_word", "many_words", "letters", "short", "capitals", "small_letters", "digits",
    "sentence", "common", "marked", "repeated", "address", "apart", "corner", "low", "high", "middle", "large",
    "unsure", "colourful", "grown", "plate", "pair", "tight", "lone", "lone_text", "wide",
    "few_lines", "busy", "dense", "growth", "upward", "askew", "lone_corner", "lone_dense",
    "grown_busy", "grown_dense", "grown_height", "grown_wide",
)  # fmt: skip
"""Of a `Guess`; see `_features`."""

_CAPITAL_SHARE = 0.7
_COMMON = frozenset(files("mediaan.aoi").joinpath("common_words.txt").read_text("utf-8").split())
"""Small words of six languages and those that every advertisement uses."""

_SENTENCE_END = re.compile(r"[.!?…,;:]\W*$")
_PLATE_RATIO = 2.2
_SEEN_IOU, _CERTAIN = 0.5, 0.98
_AS_GOOD = 0.06
"""Of versions that differ by no more in probability the largest is taken: what belongs to a mark is part of it."""

_USUAL, _UNSEEN = -2.4, -3.6
"""Log odds that any guess is a mark, and that one is in which the detector sees none."""

_DETECTOR_SAYS = 0.7
"""Weight of what the detector adds to that: it looks at the same pixels, so its opinion is not all new. Not fitted, as
its confidences are too high on the pictures that both were trained on."""

_DETECTED_FIT = 0.4
"""How well a box fits that the detector barely proposes, 0-1."""

_MAX_VERSION = 7.0
"""Times a word's area that its mark may take up, emblem and plate included."""

_ADDRESS = re.compile(r"www|https?|\.(?:com|net|org|de|fr|co|it|es|us|eu)\b|@|©|\(c\)", re.IGNORECASE)


class Guess(NamedTuple):
    """Something that may be a mark.

    Attributes
    ----------
    box : Box
    text : str
        What it says; empty for a thing without words.
    detected : bool
        Whether it is a proposal of the object detector.
    seen : float or None
        Confidence of the detector's logo that has about this box; None where it was not asked.
    features : (n,) float64
        In the order of `FEATURES`.
    """

    box: Box
    text: str
    detected: bool
    seen: float | None
    features: Float64


class _Page(NamedTuple):
    """A frame's lines, once looked at."""

    rgb: UInt8
    typed: tuple[TypeLine, ...]
    lines: tuple[TextLine, ...]
    detections: tuple[Detection, ...]
    changes: Bool

    @property
    def tallest(self) -> float:
        """Height of the tallest line."""
        return max((t.line.box.height for t in self.typed), default=1.0)


def guesses(rgb: UInt8, lines: Sequence[TextLine], detections: Sequence[Detection]) -> list[Guess]:
    """Everything that may be a mark, several versions of one among it, with what tells marks from other things.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TextLine
        Lines that were not read are passed over.
    detections : sequence of Detection
        Logos are proposals, products a hint.
    """
    read = tuple(line for line in lines if line.text)
    page = _Page(rgb, tuple(type_line(rgb, line) for line in read), read, tuple(detections), edges(rgb))
    found = [guess for i in range(len(read)) for guess in _of_line(page, i)]
    found += list(_of_pairs(page))
    found += [_guess(page, box, *_words_in(page, box), lone=True) for box in lone_marks(rgb)]
    found += [_guess(page, d.box, *_words_in(page, d.box), proposed=True) for d in detections if d.type == "logo"]
    return found


def rating(guess: Guess) -> float:
    """How probable it is that people draw a box of branding there (IoU of .5 or more), 0-1."""
    if guess.detected:
        return guess.seen or 0.0
    odds = _log_odds("mark", guess)
    if guess.seen is None:
        return _share(odds)
    other = log(guess.seen / (1 - guess.seen)) if guess.seen > 0 else _UNSEEN
    return _share(odds + _DETECTOR_SAYS * (other - _USUAL))


def best_version(box: Box, found: Sequence[Guess]) -> Box:
    """Of the boxes drawn around one mark, with or without its emblem or margin, the one that people would draw."""
    versions = [(_fit(guess), guess.box) for guess in found if _same_mark(guess.box, box)]
    best = max((probability for probability, _ in versions), default=0.0)
    near = [version for probability, version in versions if probability >= best - _AS_GOOD]
    return max(near, key=lambda version: version.area, default=box)


def _same_mark(guess: Box, mark: Box) -> bool:
    """Whether a guess is drawn around this mark and not much else."""
    return guess.intersection(mark) > 0.5 * min(guess.area, mark.area) and guess.area < _MAX_VERSION * mark.area


def _fit(guess: Guess) -> float:
    """How probable it is that people draw a mark with this box, given that it is one."""
    seen = guess.seen or 0.0
    if guess.detected:
        return _DETECTED_FIT + (1 - _DETECTED_FIT) * seen
    return 1 - (1 - _share(_log_odds("version", guess))) * (1 - seen)


def _log_odds(question: str, guess: Guess) -> float:
    weights, start = _weights(question)
    return start + float(weights @ guess.features)


def _share(odds: float) -> float:
    """Probability of log odds."""
    return 1 / (1 + exp(-odds))


@cache
def _weights(question: str) -> tuple[Float64, float]:
    """Weights of the features and the constant, of a logistic model (models/training/branding.py)."""
    model = json.loads(files("mediaan.aoi").joinpath("word_marks.json").read_text("utf-8"))[question]
    return np.array([model["weights"][name] for name in FEATURES]), float(model["start"])


def _of_line(page: _Page, i: int) -> Iterator[Guess]:
    typed, line = page.typed[i], page.lines[i]
    text = line.text or ""
    others = [other.line.box for j, other in enumerate(page.typed) if j != i]
    yield _guess(page, line.box, text, typed)
    if typed.line.box.iou(line.box) < 0.95:
        yield _guess(page, typed.line.box, text, typed, tight=True)
    grown = with_emblem(page.rgb, typed.line.box, 0.7 * typed.size_px / page.rgb.shape[0], others)
    if grown != typed.line.box:
        yield _guess(page, grown, text, typed, grown=True)


def _of_pairs(page: _Page) -> Iterator[Guess]:
    """Two short lines, one close below the other: names are often stacked."""
    for i, first in enumerate(page.lines):
        for j, second in enumerate(page.lines):
            a, b = first.box, second.box
            short = max(len((first.text or "").split()), len((second.text or "").split())) <= 2
            close = -0.4 < (b.y0 - a.y1) / max(1e-6, min(a.height, b.height)) < 0.6
            centred = abs(a.centre[0] - b.centre[0]) < 0.2 * max(a.width, b.width) or abs(a.x0 - b.x0) < 0.1 * a.width
            if i != j and short and close and centred and b.centre[1] > a.centre[1]:
                larger = page.typed[i] if a.height >= b.height else page.typed[j]
                yield _guess(page, Box.around((a, b)), f"{first.text} {second.text}", larger, pair=True)


def _words_in(page: _Page, box: Box) -> tuple[str, TypeLine | None]:
    """What a thing says, and its tallest line."""
    inside = [i for i, line in enumerate(page.lines) if _inside(line.box, box)]
    tallest = max(inside, key=lambda i: page.lines[i].box.height, default=None)
    text = " ".join(page.lines[i].text or "" for i in inside)
    return text, None if tallest is None else page.typed[tallest]


def _guess(page: _Page, box: Box, text: str, typed: TypeLine | None, *, proposed: bool = False, **kind: bool) -> Guess:
    values = {**_set(page, box, text, typed), **_placed(page, box), **_said(page, text), **kind}
    values["busy"], values["dense"] = busy_around(page.changes, box)
    if kind.get("grown") and typed is not None:
        values |= _growth(box, typed.line.box)
        values |= {f"grown_{name}": values.get(name, 0.0) for name in ("busy", "dense", "height", "wide")}
    if kind.get("lone"):
        values["lone_text"] = any(_inside(line.box, box) for line in page.lines)
        values["lone_corner"], values["lone_dense"] = values["corner"], values["dense"]
    logos = [d.confidence for d in page.detections if d.type == "logo" and d.box.iou(box) >= _SEEN_IOU]
    seen = min(_CERTAIN, max(logos, default=0.0)) if page.detections else None
    return Guess(box, text, proposed, seen, np.array([float(values.get(name, 0.0)) for name in FEATURES]))


def _set(page: _Page, box: Box, text: str, typed: TypeLine | None) -> dict[str, float]:
    """How large, wide, colourful and sure it is."""
    if typed is None:
        return {"wide": box.width > 0.4, "large": box.area > 0.05}
    height = max(typed.line.box.height, 1e-3)
    colour = typed.letters.colour if typed.letters else np.zeros(3)
    ground = typed.letters.ground if typed.letters else np.zeros(3)
    return {
        "height": float(np.log(height / 0.04)),
        "prominence": height / page.tallest,
        "wide": box.width > 0.4,
        "large": height > 0.1,
        "unsure": 1.0 - typed.line.confidence,
        "colourful": float(max(np.ptp(colour), np.ptp(ground))) / 255,
    }


def _growth(box: Box, word: Box) -> dict[str, float]:
    """What an emblem or plate adds to a word."""
    height = max(word.height, 1e-3)
    return {
        "plate": box.area > _PLATE_RATIO * word.area,
        "growth": float(np.log(max(1.0, box.area / max(word.area, 1e-6)))),
        "upward": min(5.0, (word.y0 - box.y0) / height),
        "askew": min(5.0, abs((word.x0 - box.x0) - (box.x1 - word.x1)) / height),
    }


def _placed(page: _Page, box: Box) -> dict[str, float]:
    """Where it is, and how far from other lines."""
    x, y = box.centre
    gaps = [_gap(box, line.box) for line in page.lines if not _inside(line.box, box)]
    return {
        "apart": min(2.0, min(gaps, default=2.0)),
        "corner": min(x, 1 - x) < 0.25 and min(y, 1 - y) < 0.2,
        "low": y > 0.8,
        "high": y < 0.15,
        "middle": abs(x - 0.5) < 0.08,
        "few_lines": len(page.lines) <= 4,
    }


def _said(page: _Page, text: str) -> dict[str, float]:
    """What it says."""
    words = re.findall(r"[^\W_]+", text)
    letters = [c for c in text if c.isalpha()]
    if not words:
        return {}
    plain = squashed(text)
    others = [line.text or "" for line in page.lines if squashed(line.text or "") != plain]
    alike = sum(squashed(line.text or "") == plain for line in page.lines)
    named = len(plain) >= 4 and any(plain in squashed(other) for other in others)
    return {
        "one_word": len(words) == 1,
        "many_words": len(words) > 3,
        "letters": min(30, len(plain)) / 10,
        "short": len(plain) <= 2,
        "capitals": bool(letters) and sum(c.isupper() for c in letters) >= _CAPITAL_SHARE * len(letters),
        "small_letters": text.islower(),
        "digits": sum(c.isdigit() for c in text) / max(1, len(text)),
        "sentence": _SENTENCE_END.search(text) is not None,
        "common": sum(word.lower() in _COMMON for word in words) / len(words),
        "marked": any(sign in text for sign in "®™©℠"),
        "repeated": alike > 1 or named,
        "address": _ADDRESS.search(text) is not None,
    }


def _gap(a: Box, b: Box) -> float:
    """Distance between boxes in heights of the first."""
    across, down = max(a.x0 - b.x1, b.x0 - a.x1, 0.0), max(a.y0 - b.y1, b.y0 - a.y1, 0.0)
    return float(np.hypot(across, down)) / max(a.height, 1e-3)


def _inside(inner: Box, outer: Box) -> bool:
    return inner.intersection(outer) > 0.7 * inner.area
