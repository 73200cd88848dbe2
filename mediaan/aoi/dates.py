"""Tell whether a text mentions a date."""

from __future__ import annotations

import re

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
