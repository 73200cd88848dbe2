"""A brand's name in recognised text: through the mistakes of recognition, but not inside other words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from typing import NamedTuple

from rapidfuzz.distance import Indel

from mediaan.types.aoi import Box, Brand, TextLine


@dataclass(frozen=True, slots=True)
class NameSettings:
    """How much of a name must be read, and how surely."""

    precision: float = 0.85
    """Share of names in a line of their own that people drew as branding: .95 of 210, less for misreadings."""
    running_text: int = 4
    """Words beyond which a line is running text."""
    exact_to: int = 4
    """Letters up to which a name must agree exactly, or is not looked for within others."""
    near_to: int = 6
    """Letters up to which one letter may be missing or too many; beyond, one may be wrong as well."""
    near: float = 0.87
    far: float = 0.82
    """near, far: Indel similarity that is enough for such names, and for longer ones."""
    read_as_another: float = 0.97
    """How similar counts what agrees but for letters that recognition confuses."""
    surely_read: float = 0.9
    """Confidence of the recognition; four of five words of five or six letters are read more surely."""
    drawn: float = 0.7
    drawn_short: float = 0.79
    """drawn, drawn_short: Indel similarity that is enough in lettering of a logo that is hard to read; the latter for
    five or six letters."""
    long_name: int = 8
    """Letters from which on a name is recognised inside of a longer word, as where recognition lost the blanks."""
    named: float = 0.88
    """Indel similarity from which on words in running text are a name read with a mistake, and not another word."""


SETTINGS = NameSettings()

_MARKS = frozenset("®™©℠")
_APOSTROPHES = frozenset("'’‘`´")
_HOMOGLYPHS = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "8": "b", "2": "z"})
_BESIDE = frozenset({"the", "by", "inc", "ltd", "llc", "gmbh", "ag", "co", "corp", "company", "r", "tm", "sa", "spa"})
_ADDRESS_WORDS = frozenset({"", "get", "try", "the", "my", "go", "buy", "shop", "visit", "join", "use", "we"})
"""Short words before a name in web addresses and handles."""

_ADDRESS = re.compile(r"[@#/©]|[^\W_]\.[^\W\d_]")
"""Marks of a handle, a tag or a web address."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A brand's name that is set alone, as a mark is."""

    box: Box
    text: str
    """As it was read."""
    confidence: float
    """0-1: how probable people would call it branding."""
    lines: tuple[int, ...]
    """Index of the line, or of the lines over which the name is spread."""


class _Word(NamedTuple):
    """Letters and digits without case, accents and marks, and the characters of the line that they come from."""

    plain: str
    start: int
    end: int


def find_names(lines: Sequence[TextLine], brand: Brand) -> tuple[NameMatch, ...]:
    """Find a brand's name where it is set alone, in a line or several, the surest first.

    A name in running text, in a web address or in a handle is no mark. Case, accents, ® and ™, spaced letters, joined
    words and letters that recognition confuses are seen through. Names of up to four letters must else agree exactly,
    longer ones may differ a little.

    `lines`: of one frame; those that were not read are passed over.
    Returns: of matches that overlap only the best.

    >>> corners = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.2), (0.1, 0.2))
    >>> [match.text for match in find_names([TextLine(corners, "N0KlA", 0.9)], Brand("Nokia"))]
    ['N0KlA']
    """
    names = [name for name in (brand.name, *brand.aliases) if normalize_name(name)]
    matches = [
        match for name in names for match in (*_matches_in_lines(lines, name), *_matches_across_lines(lines, name))
    ]
    kept: list[NameMatch] = []
    for match in sorted(matches, key=lambda m: (m.confidence, m.box.area), reverse=True):
        box, same_line = match.box, [other.box for other in kept if other.lines == match.lines]
        if not any(box.intersection(other) > 0.3 * min(box.area, other.area) for other in same_line):
            kept.append(match)
    return tuple(kept)


def names_brand(text: str | None, names: Iterable[str]) -> bool:
    """Tell whether a text names a brand: as words, joined to other words, in an address or a handle.

    The same spellings count as in `find_names`. Joined names must be long enough not to be a part of another word.

    `text`: as recognised, lines separated by newlines.
    `names`: name and aliases.

    >>> names_brand("HOME·EMMA GRACE HOME", ["Emma Grace Home"]), names_brand("www.foodpost.com", ["Food Post"])
    (True, True)
    >>> names_brand("SponsoredbyStateFarm", ["State Farm"]), names_brand("Mind the gap", ["Gap"])
    (True, False)
    """
    return any(_is_named(text, name) for name in names if normalize_name(name)) if text else False


def _is_named(text: str, name: str) -> bool:
    distinctive = [word for word in _words(name) if word.plain not in _BESIDE]
    if distinctive:  # The Salvation Army is Salvation Army, too
        name = name[distinctive[0].start : distinctive[-1].end]
    wanted = normalize_name(name)
    plain_word = len(wanted) <= SETTINGS.near_to and not name.islower() and len(distinctive) == 1
    for line in (*text.splitlines(), " ".join(text.split())):  # names break across lines, too
        words = _words(line)
        for first, end, similarity in _spans(words, name):
            read = line[words[first].start : words[end - 1].end]
            if similarity >= SETTINGS.named and not (plain_word and read.islower() and len(words) > end - first):
                return True
    return any(_is_part_of(wanted, token) for token in text.split())


def _is_part_of(wanted: str, token: str) -> bool:
    """Tell whether a token that has no blanks holds a name: words joined by recognition, an address or a handle."""
    if len(wanted) >= SETTINGS.long_name:
        return wanted in normalize_name(token)
    if len(wanted) < SETTINGS.exact_to or not _ADDRESS.search(token):
        return False
    for label in map(normalize_name, re.split(r"[\W_]+", token)):
        before, name, after = label.partition(wanted)
        at_the_end = not after and (before in _ADDRESS_WORDS or len(before) >= SETTINGS.exact_to)
        if name and (at_the_end or (before in _ADDRESS_WORDS and len(after) >= SETTINGS.exact_to)):
            return True
    return False


def resembles_name(lines: Sequence[TextLine], brand: Brand) -> bool:
    """Tell whether the lettering of a logo is a brand's name, as far as it can be read.

    Letters of logos are drawn and read badly: where the reading is unsure, two of seven may be wrong, and one of five.
    What is read surely is another name, unless it is an address made of the name.

    `lines`: all in what looks like a logo.

    >>> corners = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.2), (0.1, 0.2))
    >>> [resembles_name([TextLine(corners, "Masmo Dett", sure)], Brand("Massimo Dutti")) for sure in (0.7, 0.99)]
    [True, False]
    >>> resembles_name([TextLine(corners, "acme.com", 0.99)], Brand("Acme"))
    True
    """
    readings = [(line.text or "", line.confidence) for line in lines]
    readings.append(("".join(text for text, _ in readings), min((sure for _, sure in readings), default=1.0)))
    for name in filter(None, map(normalize_name, (brand.name, *brand.aliases))):
        least = SETTINGS.drawn if len(name) > SETTINGS.near_to else SETTINGS.drawn_short
        for text, sure in readings:
            label = re.sub(r"^www\.|\.[a-z]{2,5}(?:\.[a-z]{2})?$", "", text.strip().casefold())
            if label != text.strip().casefold() and normalize_name(label) == name:
                return True
            ours, theirs = _merge_homoglyphs(normalize_name(text)), _merge_homoglyphs(name)
            if (
                sure < SETTINGS.surely_read
                and len(name) > SETTINGS.exact_to
                and Indel.normalized_similarity(ours, theirs) >= least
            ):
                return True
    return False


def name_similarity(read: str, name: str) -> float:
    """Compare a word that was read with a name, both as of `normalize_name`; 0-1, 0 if they differ too much.

    >>> name_similarity("acme", "acme"), name_similarity("acne", "acme"), name_similarity("neutr0gena", "neutrogena")
    (1.0, 0.0, 0.97)
    """
    if read == name:
        return 1.0
    ours, theirs = _merge_homoglyphs(read), _merge_homoglyphs(name)
    if ours == theirs:
        return SETTINGS.read_as_another
    if len(name) <= SETTINGS.exact_to:
        return 0.0
    least = SETTINGS.near if len(name) <= SETTINGS.near_to else SETTINGS.far
    return SETTINGS.read_as_another * Indel.normalized_similarity(ours, theirs, score_cutoff=least)


def _merge_homoglyphs(plain: str) -> str:
    return plain.translate(_HOMOGLYPHS).replace("rn", "m").replace("vv", "w")


@lru_cache(maxsize=4096)
def normalize_name(text: str) -> str:
    """Return the letters and digits of a text without blanks, case, accents and marks.

    >>> normalize_name("Ben & Jérry's®")
    'benjerrys'
    """
    return "".join(word.plain for word in _words(text))


def _words(text: str) -> list[_Word]:
    """Split a line into runs of letters and digits, also at camel case and at Chinese or Japanese characters."""
    letters = [(plain, i) for i, character in enumerate(text) for plain in [_fold(character)] if plain]
    words: list[_Word] = []
    for (before, i), (plain, j) in pairwise([("", -2), *letters]):
        between = {c for c in text[i + 1 : j] if not unicodedata.combining(c)} - _APOSTROPHES
        camel = text[max(0, i - 1) : i + 1].islower() and i > 0 and text[i - 1].isalpha() and text[j].isupper()
        if words and not (between or camel or _ideographic(before) or _ideographic(plain)):
            last = words.pop()
            words.append(_Word(last.plain + plain, last.start, j + 1))
        else:
            words.append(_Word(plain, j, j + 1))
    return words


def _fold(character: str) -> str:
    """Take case, accent and width off a character; empty for what is no letter or digit.

    >>> [_fold(c) for c in "ÉßＡ®!"]
    ['e', 'ss', 'a', '', '']
    """
    if character in _MARKS:
        return ""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(c for c in folded if c.isalnum() or c == "|")


def _ideographic(plain: str) -> bool:
    return "\u2e80" <= plain[:1] <= "\u9fff" or "\uf900" <= plain[:1] <= "\ufaff"


def _matches_in_lines(lines: Sequence[TextLine], name: str) -> Iterator[NameMatch]:
    for index, line in enumerate(lines):
        words = _words(line.text or "")
        for first, end, similarity in _spans(words, name):
            if _is_alone(lines, index, words, first, end):
                read = (line.text or "")[words[first].start : words[end - 1].end]
                confidence = SETTINGS.precision * similarity**2 * math.sqrt(line.confidence)
                yield NameMatch(line.box, read, confidence, (index,))


def _spans(words: list[_Word], name: str) -> Iterator[tuple[int, int, float]]:
    """Yield runs of words, as first, end and similarity, that agree with a name."""
    wanted, count = normalize_name(name), len(_words(name))
    for first in range(len(words)):
        joined = ""
        for end in range(first + 1, len(words) + 1):
            joined += words[end - 1].plain
            if len(joined) > 1.3 * len(wanted) + 1:
                break
            similarity = name_similarity(joined, wanted)
            # no more words than the name has, unless its letters are set apart or one of its words is
            sizes = [len(word.plain) for word in words[first:end]]
            spaced = set(sizes) == {1} or (len(sizes) == 2 and min(sizes) >= 3)
            if similarity and (len(sizes) <= count or (similarity >= SETTINGS.read_as_another and spaced)):
                yield first, end, similarity


def _is_alone(lines: Sequence[TextLine], index: int, words: list[_Word], first: int, end: int) -> bool:
    """Tell whether a line holds a name and no more, is no address, and ends no paragraph."""
    text, box = lines[index].text or "", lines[index].box
    start, stop = words[first].start, words[end - 1].end
    if text[max(0, start - 1) : start] in {"@", "#", "/"} or _in_address(text, start, stop):
        return False
    for i, line in enumerate(lines):
        other = line.box
        gap = max(other.y0 - box.y1, box.y0 - other.y1)
        alike = 0.75 * box.height < other.height < 1.33 * box.height and gap < 0.7 * box.height
        aligned = abs(other.x0 - box.x0) < 0.6 * box.width and box.x1 < other.x1 + 0.1 * other.width
        if i != index and alike and aligned and len(_words(line.text or "")) > SETTINGS.running_text:
            return False
    return all(word.plain in _BESIDE for word in (*words[:first], *words[end:]))


def _in_address(text: str, start: int, stop: int) -> bool:
    """Tell whether a dot joins the span to a letter before or after, as in acme.com and www.acme.

    >>> _in_address("www.acme.com", 4, 8), _in_address("by Acme. Now", 3, 7)
    (True, False)
    """
    after, before = text[stop : stop + 2], text[max(0, start - 2) : start]
    return (after[:1] == "." and after[1:].isalpha()) or (before[1:] == "." and before[:1].isalpha())


def _matches_across_lines(lines: Sequence[TextLine], name: str) -> Iterator[NameMatch]:
    """Yield names of several words, spread over two or three lines that stand close together."""
    wanted = _merge_homoglyphs(normalize_name(name))
    texts = [_merge_homoglyphs(normalize_name(line.text or "")) for line in lines]
    parts = [i for i, text in enumerate(texts) if text and text != wanted and text in wanted]
    for chosen in (*permutations(parts, 2), *permutations(parts, 3)):
        members = [lines[i] for i in chosen]
        if "".join(texts[i] for i in chosen) == wanted and all(_follows(a.box, b.box) for a, b in pairwise(members)):
            confidence = SETTINGS.precision * math.sqrt(min(line.confidence for line in members))
            text = " ".join(line.text or "" for line in members)
            yield NameMatch(Box.around(line.box for line in members), text, confidence, chosen)


def _follows(a: Box, b: Box) -> bool:
    """Tell whether a line follows on another: right below it or beside it, in letters of a like size."""
    low, high = sorted((a.height, b.height))
    below = -0.5 * high < b.y0 - a.y1 < high and min(a.x1, b.x1) > max(a.x0, b.x0)
    beside = abs(a.centre[1] - b.centre[1]) < 0.5 * high and -0.1 * a.width < b.x0 - a.x1 < 0.5 * a.width
    return low >= high / 3 and (below or beside)
