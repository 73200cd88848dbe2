"""Estimate how much room text takes on a slide, and cut what does not fit.

A PowerPoint file holds no line breaks: whoever opens it breaks the lines. Widths here are those of Arial, whose metrics
other common faces share, with some room to spare.
"""

from __future__ import annotations

import unicodedata

LINE_HEIGHT = 1.2
"""Of a line, in font sizes."""

_SPARE = 1.04  # other programs break lines a little earlier
_BOLD = 1.08
_WIDTHS = {
    letter: width
    for width, letters in {
        0.19: "'",
        0.22: "‘’",
        0.26: "|",
        0.28: " !,./:;I[\\]ftijl·",
        0.33: "()-`r{}“”",
        0.35: '"',
        0.39: "*",
        0.50: "Jcksvxyz^",
        0.56: "#$0123456789?L_abdeghnopqu–",
        0.58: "+<=>~×≈",
        0.61: "FTZ",
        0.67: "&ABEKPSVXY",
        0.72: "CDHNRUw",
        0.78: "GOQ",
        0.83: "Mm",
        0.89: "%",
        0.94: "W",
        1.00: "—…",
        1.02: "@",
    }.items()
    for letter in letters
}
"""Width of each letter of Arial, in font sizes."""
_UNKNOWN, _WIDE = 0.72, 1.05


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a line of text, pt.

    >>> round(text_width("Works", 10)), round(text_width("ポスター", 10))
    (29, 44)
    """
    total = 0.0
    for letter in text:
        if letter in _WIDTHS:
            total += _WIDTHS[letter]
        elif unicodedata.combining(letter):
            continue
        else:
            total += _WIDE if unicodedata.east_asian_width(letter) in "WF" else _UNKNOWN
    return total * size * _SPARE * (_BOLD if bold else 1.0)


def wrap_lines(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break text as a slide does: at spaces, and within a word that is wider than the box.

    >>> wrap_lines("Many places compete", 60, 10), wrap_lines("spring_2026_final", 60, 10)
    (['Many places', 'compete'], ['spring_2026', '_final'])
    """
    lines, line = [], ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if text_width(joined, size, bold=bold) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        while text_width(word, size, bold=bold) > width and len(word) > 1:
            end = next(n for n in range(len(word), 0, -1) if n == 1 or text_width(word[:n], size, bold=bold) <= width)
            lines.append(word[:end])
            word = word[end:]
        line = word
    return [*lines, line] if line else lines


def cut_to_line(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Cut text to one line, with an ellipsis where something is left out.

    >>> cut_to_line("spring_2026_banner_final.jpg", 80, 10)
    'spring_2026_…'
    """
    text = " ".join(text.split())
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(f"{text}…", size, bold=bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def cut_to_lines(text: str, width: float, size: float, lines: int) -> str:
    """Cut text to so many lines, at a word, with an ellipsis where something is left out."""
    wrapped = wrap_lines(text, width, size)
    if len(wrapped) <= lines:
        return " ".join(text.split())
    kept = wrapped[:lines]
    kept[-1] = cut_to_line(f"{kept[-1]} {wrapped[lines]}", width, size)
    return " ".join(kept)
