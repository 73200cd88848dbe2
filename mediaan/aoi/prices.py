"""Recognize prices, percentages and offers in words."""

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


def mentions_percentage(words: str) -> bool:
    """Tell whether words hold a percentage."""
    return _PERCENTAGE.search(words) is not None


def mentions_offer(words: str) -> bool:
    """Tell whether words hold a price or a percentage, or say that something is cheap or free.

    >>> mentions_offer("Free delivery"), mentions_offer("4th May, Monday")
    (True, False)
    """
    return mentions_price(words) or mentions_percentage(words) or _DEAL.search(words) is not None
