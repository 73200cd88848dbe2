"""Whether words ask a viewer to act: phrases of thirteen languages, addresses, handles, telephone numbers."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from mediaan.aoi.words import CURRENCY_SIGNS

_SURE, _LIKELY, _HINT = 0.9, 0.7, 0.35
"""A known phrase, or nothing but an address; a line that begins with or holds one; a verb with which such begin."""

_LETTERS_PER_ERROR = 6
"""One letter in so many may be misread."""

_MAX_WORDS, _MAX_WORDS_HINT, _MAX_LETTERS = 9, 5, 60
_MAX_WORDS_ADDRESS = 14
_NUMBERING = re.compile(r"^\W*\d{1,2}[.)]\s+")

_TOP_LEVEL = (
    "com|net|org|edu|gov|info|biz|app|shop|store|online|io|de|fr|es|nl|pl|se|dk|fi|tr|ru|ua|cz|hu|gr|ro|uk|ie|us|ca|au|"
    "nz|jp|cn|tw|hk|kr|sg|br|mx|ar|cl|za|ae|eu|tv|co"
)
_ADDRESS = re.compile(
    rf"https?\W{{1,4}}\S+|\bwww\d?\s?[.,:]?\s?\S+|\b[a-z0-9][\w-]+\s?[.·]\s?(?:{_TOP_LEVEL})\b(?:/\S*)?|"
    r"\b[\w.+-]+@[\w-]+\.\w+|\b(?!telecom|intercom|sitcom|dotcom)[a-z]{4,}com$",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"(?<!\w)@[a-z_]\w{2,}", re.IGNORECASE)
# no digits of a code such as US-UNBC-0263 02/22
_TELEPHONE = re.compile(r"(?<![A-Z]-)(?<!\d)\+?\(?\d[\d\s()./-]{5,}\d|\b1[ -]?8(?:00|88|77|66|55)[ -][\w-]{4,}")
_NO_TELEPHONE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(?:19|20)\d\d\s?[-/]\s?(?:19|20)?\d\d|\d[.,]\d{3}[.,]\d{3}|\d,\d\d\b|"
    rf"[%{CURRENCY_SIGNS}]"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class _Phrases(NamedTuple):
    """Phrases of calls to action without blanks and punctuation, and the small words of sentences."""

    whole: frozenset[str]
    """Phrases that are a call to action alone."""
    leading: tuple[str, ...]
    """Those of two words or more, which may go on."""
    openers: frozenset[str]
    """Words with which a call to action may begin."""
    unspaced: tuple[str, ...]
    """Phrases of languages that set no blanks."""
    small: frozenset[str]
    small_unspaced: frozenset[str]
    """small, small_unspaced: Words such as the, is, for, of languages that set blanks, and of those that do not."""


def call_to_action_confidence(text: str) -> float:
    """Return the confidence that the words of a line, also misread ones, are a call to action, 0-1.

    >>> [call_to_action_confidence(text) for text in ("SH0P NOW >", "Jetzt bestellen", "www.example.com")]
    [0.9, 0.9, 0.9]
    >>> call_to_action_confidence("The taste of summer")
    0.0
    """
    return max(contact_confidence(text), _phrase_confidence(text))


def contact_confidence(text: str) -> float:
    """Return the confidence that a line is a web or e-mail address, a handle or a telephone number, 0-1."""
    contacts = [match.group() for pattern in (_ADDRESS, _HANDLE) for match in pattern.finditer(text)]
    if not _NO_TELEPHONE.search(text):
        contacts += [
            number
            for number in map(re.Match.group, _TELEPHONE.finditer(text))
            if 7 <= sum(letter.isdigit() for letter in number) <= 15 or any(map(str.isalpha, number))
        ]
    if not contacts or len(text.split()) > _MAX_WORDS_ADDRESS:
        return 0.0
    share = max(map(len, contacts)) / len(text.strip())
    return _SURE if share >= 0.6 else _LIKELY if share >= 0.2 else 0.0


def _phrase_confidence(text: str) -> float:
    phrases = _known_phrases()
    text = _NUMBERING.sub("", text)
    letters = normalize_phrase(text)
    words = [normalize_phrase(word) for word in text.split()]
    if not letters or len(words) > _MAX_WORDS or len(letters) > _MAX_LETTERS:
        return 0.0
    errors = len(letters) // _LETTERS_PER_ERROR
    if letters in phrases.whole or (
        errors and process.extractOne(letters, phrases.whole, scorer=Levenshtein.distance, score_cutoff=errors)
    ):
        return _SURE
    if _UNSPACED.search(text):
        return _LIKELY if any(phrase in letters for phrase in phrases.unspaced) else 0.0
    if letters.startswith(phrases.leading):
        return _LIKELY
    return _HINT if words[0] in phrases.openers and len(words) <= _MAX_WORDS_HINT else 0.0


def is_sentence(text: str) -> bool:
    """Tell whether a text is a sentence rather than a name: it holds a small word such as the, is, for.

    >>> is_sentence("Our idea of pop art."), is_sentence("Ralph Lauren")
    (True, False)
    """
    phrases, words = _known_phrases(), text.casefold().split()
    if _UNSPACED.search(text):
        return len(text) >= 5 and any(word in text for word in phrases.small_unspaced)
    return len(words) >= 2 and any(word.strip('.,;:!?…"“”„«»()*') in phrases.small for word in words)


def normalize_phrase(text: str) -> str:
    """Keep letters, digits and plus signs, without case and accents.

    What is read as often as not for another is made one: 0 inside a word is o, rn is m.

    >>> [normalize_phrase(text) for text in ("Découvrez-le !", "SH0P NOW", "Learn", "Leam")]
    ['decouvrezle', 'shopnow', 'leam', 'leam']
    """
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ı", "i").replace("ł", "l"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter) or letter in "\u3099\u309a")
    plain = re.sub(r"(?<=[^\W\d])0(?=[^\W\d])", "o", unicodedata.normalize("NFKC", plain))
    return "".join(letter for letter in plain if letter.isalnum() or letter == "+").replace("rn", "m")


@lru_cache(maxsize=1)
def _known_phrases() -> _Phrases:
    stored = files("mediaan.aoi.detection").joinpath("call_to_action.json").read_text(encoding="utf-8")
    languages: dict[str, dict[str, list[str]]] = json.loads(stored)
    phrases, openers, small = (
        [word for language in languages.values() for word in language[kind]]
        for kind in ("phrases", "openers", "function")
    )
    small_unspaced = frozenset(word for word in small if _UNSPACED.search(word))
    return _Phrases(
        whole=frozenset(map(normalize_phrase, phrases)),
        leading=tuple(normalize_phrase(phrase) for phrase in phrases if " " in phrase),
        openers=frozenset(map(normalize_phrase, openers)),
        unspaced=tuple(normalize_phrase(phrase) for phrase in phrases if _UNSPACED.search(phrase) and len(phrase) > 2),
        small=frozenset(small) - small_unspaced,
        small_unspaced=small_unspaced,
    )
