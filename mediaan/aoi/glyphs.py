"""Readings of a single glyph, which need more doubt than words."""

from __future__ import annotations

import math

from mediaan.types.aoi import TextLine

LARGEST_GLYPH = 0.45
"""Longest side of a glyph that stands alone, as a share of the square root of the frame's area. Poles and gaps read as
1 or I and rings as O; letters in ads that are larger than this are parts of words, or shapes."""


def is_junk(line: TextLine, aspect: float = 1.0) -> bool:
    """Tell whether a line is no text but a shape: a single letter, digit or sign that takes up much of the frame.

    Parameters
    ----------
    line : TextLine
        As it was read; what was not read is not judged.
    aspect : float
        Width of the frame by its height.

    Examples
    --------
    >>> frame = ((0.1, 0.0), (0.9, 0.0), (0.9, 1.0), (0.1, 1.0))
    >>> is_junk(TextLine(frame, "1", 0.9)), is_junk(TextLine(frame, "SALE", 0.9))
    (True, False)
    >>> is_junk(TextLine(((0.1, 0.1), (0.2, 0.1), (0.2, 0.3), (0.1, 0.3)), "5", 0.9))
    False
    """
    if line.text is None or sum(letter.isalnum() for letter in line.text) > 1:
        return False
    box = line.box
    side = max(box.width * math.sqrt(aspect), box.height / math.sqrt(aspect))
    return side > LARGEST_GLYPH
