"""Counts in words."""

from __future__ import annotations


def media_count(count: int) -> str:
    """Say how many media.

    >>> media_count(1), media_count(1200)
    ('1 medium', '1,200 media')
    """
    return "1 medium" if count == 1 else f"{count:,} media"
