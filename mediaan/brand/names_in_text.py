"""Read from a text the names that it may hold, where they stand, and how common their words are in ads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from mediaan.aoi.detection.brand_names import normalize_name
from mediaan.aoi.detection.call_to_action import is_sentence

NameSource = Literal["mark", "begins_mark", "in_mark", "account", "address", "handle", "line", "words"]

SOURCE_WORDS: Mapping[NameSource, str] = {
    "mark": "a mark",
    "begins_mark": "the beginning of a mark",
    "in_mark": "in a mark",
    "account": "beside a post, as an account",
    "address": "an address",
    "handle": "a handle",
    "line": "a short line",
    "words": "in a text",
}
"""Where a name stands."""

MOST_WORDS, _LEAST_LETTERS, _MOST_LETTERS = 3, 3, 50
"""Words of a name, at most, and letters of it."""


class ReadText(NamedTuple):
    """A text that was read in a file."""

    text: str
    """Lines separated by newlines; of a mark, what it says."""
    type: str
    """Area type."""
    label: str = ""
    """Of the area."""


@lru_cache(maxsize=1)
def _common_words() -> Mapping[str, float]:
    stored = files("mediaan.brand").joinpath("ad_words.txt").read_text(encoding="utf-8")
    counts = dict(line.split() for line in stored.splitlines())
    everyday = files("mediaan.aoi.detection").joinpath("common_words.txt").read_text(encoding="utf-8").split()
    by_ads = {word: min(1.0, (1 + math.log2(int(count))) / 6) for word, count in counts.items()}
    return by_ads | dict.fromkeys(everyday, 1.0)


@lru_cache(maxsize=65536)
def commonness(name: str) -> float:
    """Return how common the rarest word of a name is in ads of other advertisers, 0-1; 0 for one that few ads hold.

    >>> commonness("Free Offers") > 0.3, commonness("Verizon")
    (True, 0.0)
    """
    words = [word for part in _WORD.findall(name) if (word := normalize_name(part)) and word not in _LEGAL]
    counts = _common_words()
    return min((1.0 if word.isdigit() or len(word) == 1 else counts.get(word, 0.0) for word in words), default=1.0)


_ADDRESS = re.compile(
    r"(?:https?\W{1,4})?(?:www\d?\s?[.,]\s?)?(?:[\w.+-]{1,64}@)?(?P<name>[^\W_][\w-]{1,62})(?:\.(?:com?|net|org|ac))?\s?\."
    r"(?:com?|net|org|edu|gov|info|biz|app|shop|store|online|io|ai|tv|eu|[a-z]{2})(?![\w@.])(?:/[\w./-]*)?",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"(?<![\w.])[@©]\s?(?P<name>[^\W\d][\w.]{2,})")  # @ is often read as ©
_SEPARATORS = re.compile(r"[·•|–—:;,/\\()\[\]\"“”„«»!?+*=<>]+|\s-\s|(?<=\w{3})\.(?=\s|$)|\s{3,}")
_WORD = re.compile(r"[^\W_][\w'’&.-]*|&")
_LEGAL = frozenset(
    (
        "inc",
        "ltd",
        "llc",
        "gmbh",
        "ag",
        "co",
        "corp",
        "company",
        "plc",
        "sa",
        "spa",
        "sarl",
        "bv",
        "pty",
        "pvt",
        "limited",
    )
)
_HOSTS = frozenset(
    (
        *(
            "gmail",
            "googlemail",
            "yahoo",
            "hotmail",
            "outlook",
            "icloud",
            "gmx",
            "protonmail",
            "google",
            "apple",
            "bit",
        ),
        *("facebook", "instagram", "twitter", "youtube", "linkedin", "tiktok", "pinterest", "whatsapp", "linktr"),
        *("localhost", "example", "website", "yourwebsite", "yoursite", "reallygreatsite", "username"),
    )
)
"""Names in addresses and handles that are those of a host, or of a template."""


def names_in(text: ReadText) -> Iterator[tuple[NameSource, str]]:
    """Yield the names that a text may hold, and where they stand."""
    if text.type == "other" and text.label != "platform":
        return  # prices
    for line in text.text.splitlines():
        for match in _ADDRESS.finditer(line):
            yield from _name(match["name"], "address")
        for match in _HANDLE.finditer(line):
            yield from _name(re.sub(r"[_.]", " ", match["name"]), "handle")
        if text.type == "branding":
            yield from _runs(line, "mark")
            continue
        for part in _SEPARATORS.split(_HANDLE.sub(" | ", _ADDRESS.sub(" | ", line))):
            if len(part.split()) > MOST_WORDS + 1 or is_sentence(part):
                yield from _runs(part, None)
            else:
                yield from _runs(part, "account" if text.label == "platform" else "line")


def _runs(text: str, source: NameSource | None) -> Iterator[tuple[NameSource, str]]:
    """Yield a text that is short enough for a name, from its source, and runs of its words; of a longer text those
    with capitals."""
    words = [word for word in text.split() if _WORD.search(word)]
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + MOST_WORDS) + 1):
            run = words[start:end]
            if source and len(run) == len(words):
                yield from _name(" ".join(run), source)
            elif source == "mark":
                yield from _name(" ".join(run), "in_mark" if start else "begins_mark")
            elif source or all(word[:1].isupper() or word == "&" for word in run):
                yield from _name(" ".join(run), "words")


def _name(text: str, source: NameSource) -> Iterator[tuple[NameSource, str]]:
    spelling = "".join(letter for letter in text if letter.isprintable()).strip(" .,-'’&·")
    key = normalize_name(spelling)
    least = 2 if source == "mark" or not key.isascii() else _LEAST_LETTERS  # H&M; two ideographs are a name
    if least <= len(key) <= _MOST_LETTERS and any(map(str.isalpha, key)) and key not in _HOSTS:
        yield source, spelling
