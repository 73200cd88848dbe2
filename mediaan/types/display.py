"""Show a result in a few lines: as text for a terminal, as a small card for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def text_card(title: str, rows: Mapping[str, str]) -> str:
    """Write a title and rows with their labels, empty ones left out.

    Examples
    --------
    >>> print(text_card("Result: ad.png", {"verdict": "works", "areas": "", "focus": "44 (15–67)"}))
    Result: ad.png
      verdict  works
      focus    44 (15–67)
    """
    filled = {label: text for label, text in rows.items() if text}
    width = max(map(len, filled), default=0)
    return "\n".join([title, *(f"  {label:{width}}  {text}" for label, text in filled.items())])


def html_card(title: str, rows: Mapping[str, str]) -> str:
    """Write the same as a table of HTML, in the colours of the page around it."""
    cells = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for label, text in rows.items()
        if text
    )
    return f"<table><caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>{cells}</table>"
