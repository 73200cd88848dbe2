"""Texts in the cells of a CSV that a spreadsheet opens: none of them is run as a formula."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""How cells begin that spreadsheets take for formulas, and those that `guarded` made of such."""


def guarded(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; it shows the rest as text.

    Examples
    --------
    >>> guarded("=1+1.png"), guarded("sale.png"), guarded("'@home.png")
    ("'=1+1.png", 'sale.png', "''@home.png")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Take that apostrophe away again: what `guarded` was given, whatever it was.

    Examples
    --------
    >>> unguarded("'=1+1.png"), unguarded("'sale'.png"), unguarded("=1+1.png")
    ('=1+1.png', "'sale'.png", '=1+1.png')
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
