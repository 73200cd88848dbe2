"""Name areas of interest in sentences by what they are and say."""

from __future__ import annotations

import re

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
    return words if len(words) <= _WHOLE else words[:_MAX_LENGTH].rsplit(" ", 1)[0].rstrip(" ,;:•·|–-&") + "…"
