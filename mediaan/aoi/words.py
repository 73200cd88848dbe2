"""Recognize offers and dates in the words of areas, and name areas in sentences by what they are and say."""

from __future__ import annotations

import re

CURRENCY_SIGNS = "$€£¥₹₽₩₺₴฿₫"
CURRENCY_WORDS = r"usd|eur|gbp|rs|inr|kr|zł|pln|chf|aed|sar|pkr|ngn|php|rm|idr|rp"

_PRICE = re.compile(
    rf"[{CURRENCY_SIGNS}]\s?\d|\d\s?[{CURRENCY_SIGNS}]|\b(?:{CURRENCY_WORDS})\.?\s?\d|\d\s?(?:{CURRENCY_WORDS})\b",
    re.IGNORECASE,
)
_PERCENTAGE = re.compile(r"\d\s*%")
_DEAL = re.compile(
    r"\b(?:free|off|sale|save|discount|deal|gratis|rabatt|soldes|descuento|oferta|promo\w*|sconto|offerta|desconto|"
    r"скидк\w*)\b",
    re.IGNORECASE,
)


def mentions_price(words: str) -> bool:
    """Tell whether words hold an amount of money.

    >>> mentions_price("Only $69"), mentions_price("99 kr"), mentions_price("25 % off"), mentions_price("AUG 24")
    (True, True, False, False)
    """
    return _PRICE.search(words) is not None


def mentions_offer(words: str) -> bool:
    """Tell whether words hold a price or a percentage, or say that something is cheap or free.

    >>> mentions_offer("Free delivery"), mentions_offer("4th May, Monday")
    (True, False)
    """
    return any(pattern.search(words) for pattern in (_PRICE, _PERCENTAGE, _DEAL))


_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    "januar|februar|märz|mai|juni|juli|oktober|dezember|"
    "janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    "gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|novembre|dicembre|"
    "janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|"
    "januari|februari|maart|mei|augustus"
)
"""Names of months: English, with abbreviations, German, French, Spanish, Italian, Portuguese, Dutch."""

_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|º|\.)?\s*(?:de\s+|of\s+)?(?:{_MONTHS})\b|\b(?:{_MONTHS})\b\.?\s*\d{{1,2}}(?!\d)",
    re.IGNORECASE,
)


def mentions_date(text: str) -> bool:
    """Return whether a text has the day and the name of a month beside each other.

    >>> [mentions_date(text) for text in ("Saturday 19 October", "12-14 de junho", "OCT. 24", "JAN 6TH")]
    [True, True, True, True]
    >>> [mentions_date(text) for text in ("From €29 outside the city", "24 hours", "May we?", "March 2026")]
    [False, False, False, False]
    """
    return _DATE.search(text) is not None


SURE_CONFIDENCE = 0.8
"""Confidence from which on an area is named without "what looks like"."""

DOUBT = "what looks like "
"""What stands before the name of an area that is not sure."""

_MAX_LENGTH, _WHOLE = 40, 48

_GARBLED = re.compile(r"(?=.*[^\W\d_]\d+[^\W\d_])\w{6,}")
"""A word with digits amid its letters, as letters of another script are misread."""


def quote_area(noun: str, words: str, *, sure: bool) -> str:
    """Return the name of an area: a noun, its words in quotation marks, shortened, and a doubt if not sure.

    A single word that cannot be right is left out.

    >>> quote_area("the headline", "A sofa  that fits", sure=True), quote_area("the product", "", sure=False)
    ('the headline “A sofa that fits”', 'what looks like the product')
    >>> quote_area("the headline", "GE3VMH", sure=True)
    'the headline'
    >>> quote_area("the text", "Terms and conditions apply, see below for all of them", sure=True)
    'the text “Terms and conditions apply, see below…”'
    """
    words = "" if _GARBLED.fullmatch(words) else shorten(words)
    name = f"{noun} “{words}”" if words else noun
    return name if sure else DOUBT + name


def shorten(words: str) -> str:
    """Return words on one line: all up to 48 letters, else those that fit into 40.

    >>> shorten("Two days of nothing at all, for half price")
    'Two days of nothing at all, for half price'
    >>> shorten("Kills 99.9% of Germs • For Toilet • Floor • Bathrooms")
    'Kills 99.9% of Germs • For Toilet…'
    """
    words = " ".join(words.split())
    return words if len(words) <= _WHOLE else words[:_MAX_LENGTH].rsplit(" ", 1)[0].rstrip(" .…,;:•·|–-&") + "…"
