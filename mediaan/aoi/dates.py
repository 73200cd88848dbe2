"""Tell whether a text mentions a date."""

from __future__ import annotations

import re

_MONTHS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|"
    r"ago|dic|gen|mag|giu|lug|set|ott|fev|out|dez|mrt|mei|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru)\w{0,6}\b",
    re.IGNORECASE,
)
"""Names of months and their abbreviations in eight languages."""


def mentions_date(text: str) -> bool:
    """Return whether a text names a month and has a digit.

    Examples
    --------
    >>> mentions_date("Saturday 19 October"), mentions_date("The taste of summer"), mentions_date("24 hours")
    (True, False, False)
    """
    return _MONTHS.search(text) is not None and any(letter.isdigit() for letter in text)
