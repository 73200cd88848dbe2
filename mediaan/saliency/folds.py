"""Divide a tall page into folds, and put the densities of its screens together by published viewing times.

Nobody looks at a page of 9,000 px at once: viewers see the first screen, scroll, and stop somewhere. Depth is counted
in screens of the viewport: 1 is the lower edge of the first one, the fold.

Two curves say how attention falls with depth, with the same exponent. Time: the share of viewing time spent below a
depth is (1 + depth) ** -DECAY. The exponent is fitted to the shares of viewing time by screen that Fessenden (2018)
measured on 120 people: 57, 17, 7, 5, 3 and 2 %. Reach: the share of viewers who ever have a place on their screen is
depth ** -DECAY below the first screen, which is the same curve of how far they scroll. `docs/pages.md` compares both
with other sources, and `models/training/page_checks.py curve` fits and prints them.

References
----------
Fessenden, T. (2018). Scrolling and attention. Nielsen Norman Group.
Schwartz, J. (2013). Scroll behavior across the web. Chartbeat: 50 % of the readers of articles see what lies 1,500 px
down, and of home pages 1,000 px, with a fold at about 700 px.
Chartbeat (2016). Scrolling in the deep: 35 % of desktop users leave without scrolling; the top of a page stays in view
for about 4 s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.saliency.density import normalise
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities, Window

DECAY = 1.22
"""Exponent of both curves; `models/training/page_checks.py curve` fits it."""

WINDOW_STEP = 0.8
"""Screens from the top of one predicted window to the next, at most: what a fold would cut lies whole in one of them,
up to a fifth of a screen."""

_BLEND = 0.1
"""Screens over which one window hands over to the next."""

MAX_SCREENS = 40.0
"""Nothing is predicted further down, where 1 % of the viewing time goes: bounds the time of an analysis."""

_MIN_LAST_FOLD = 0.25
"""Screens: a shorter rest at the bottom belongs to the fold above it."""

_EXPOSURE_S, _FIRST_S = 5.0, 2.0
"""The windows of the attention model: first 2 s and last 2 s of five."""

_PHONE_WIDTHS_PX = frozenset({1080, 1125, 1170, 1179, 1206, 1242, 1284, 1290, 1320})
"""Widths of screenshots of phones at three pixels per CSS pixel; no desktop viewport has one of them."""
_MIN_DESKTOP_PX = 1000


AUTO, WHOLE = "auto", "whole"
"""In the place of a viewport: the usual one for a page's width; pages are looked at as one image."""

_SIDES = r"[1-9][0-9]{2,3}x[1-9][0-9]{2,3}"


class Viewport(NamedTuple):
    """The part of a page that a screen shows at once, in CSS px; only its aspect matters here."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a viewport such as ``1440x900``.

        Raises UsageError: not two whole numbers from 100 to 9999 with an x between them.

        >>> Viewport.parse("390x844")
        Viewport(width=390, height=844)
        """
        sides = text.split("x")
        if not re.fullmatch(_SIDES, text):
            raise UsageError(
                f"viewport {text!r}: write width x height in CSS px, such as 1440x900 or 390x844; auto for the usual "
                "one, or whole to look at pages as one image",
                code="bad_viewport",
            )
        return cls(*map(int, sides))

    @classmethod
    def usual(cls, width: int) -> Self:
        """Return the usual viewport of a screenshot by its width, px: of a desktop browser, else of a phone.

        Narrower than 1,000 px is a phone at one or two pixels per CSS px (320-430, 640-860), as are the widths that
        phones with three pixels have. Everything else is a desktop: at two pixels per CSS px the aspect is the same.

        >>> Viewport.usual(1440), Viewport.usual(2880), Viewport.usual(1170)
        (Viewport(width=1440, height=900), Viewport(width=1440, height=900), Viewport(width=390, height=844))
        """
        is_phone = width < _MIN_DESKTOP_PX or width in _PHONE_WIDTHS_PX
        return cls(390, 844) if is_phone else cls(1440, 900)

    @property
    def is_phone(self) -> bool:
        """True if it is taller than wide."""
        return self.height > self.width

    def screens(self, width: int, height: int) -> float:
        """Return the height of a page of that many px in screens.

        >>> Viewport(1440, 900).screens(1440, 9000)
        10.0
        """
        return height * self.width / (width * self.height)


def check_viewport(text: str) -> str:
    """Return a setting that is ``auto``, ``whole`` or a viewport such as ``390x844``.

    Raises UsageError: it is none of these.
    """
    return text if text in (AUTO, WHOLE) else str(Viewport.parse(text))


def time_below(depth: npt.ArrayLike) -> Float64:
    """Return the share of viewing time spent below a depth in screens, of an endless page; 0-1."""
    return np.asarray((1 + np.asarray(depth, np.float64)) ** -DECAY)


def share_reaching(depth: npt.ArrayLike) -> Float64:
    """Return the share of viewers who ever have a depth, in screens, on their screen; 0-1.

    >>> share_reaching([0.5, 1.0, 2.0, 8.0]).round(2).tolist()
    [1.0, 1.0, 0.43, 0.08]
    """
    return np.asarray(np.maximum(np.asarray(depth, np.float64), 1.0) ** -DECAY)


def fold_edges(screens: float) -> tuple[tuple[float, float], ...]:
    """Return top and bottom of each fold, in screens; the last one is from 0.25 to 1.25 screens tall.

    >>> fold_edges(2.5), fold_edges(2.1)
    (((0.0, 1.0), (1.0, 2.0), (2.0, 2.5)), ((0.0, 1.0), (1.0, 2.1)))
    """
    count = max(1, math.ceil(round(screens - _MIN_LAST_FOLD, 6)))
    tops = [float(fold) for fold in range(count)]
    return tuple(pairwise([*tops, screens]))


def window_tops(screens: float, rows: int) -> tuple[int, ...]:
    """Return the upper rows of the windows in which a page is predicted, each one screen tall, evenly spaced.

    `screens`: height of the page, at least 1.
    `rows`: rows of one screen.

    >>> window_tops(2.6, 100)
    (0, 80, 160)
    """
    last = round((screens - 1) * rows)
    steps = math.ceil(round((screens - 1) / WINDOW_STEP, 6))
    return tuple(round(last * i / steps) for i in range(steps + 1)) if steps > 0 else (0,)


def blend_windows(maps: Sequence[Float32], screens: float, first_s: float | None = None) -> Float32:
    """Put densities of overlapping windows of a page together: each takes the viewing time of its part of the page.

    Each window hands over to the next one linearly, within a tenth of a screen, so that there is no seam: at its end,
    but the first one, which everybody sees as it is, just below its end, with the density of its last row.

    `maps` (sequence of (r, c) float32): of the windows whose tops are ``window_tops(screens, r)``.
    `screens`: height of the page.
    `first_s`: seconds of five spent on the first window alone, which are taken off its share: what is left is the
        density of the time after them.
    Returns (round(screens * r), c) float32: sums to 1.
    """
    rows, columns = maps[0].shape
    tops = window_tops(screens, rows)
    height, blend = tops[-1] + rows, round(_BLEND * rows)
    windows = [density.astype(np.float64) for density in maps]
    if len(windows) > 1:
        windows[0] = np.pad(windows[0], ((0, min(blend, height - rows)), (0, 0)), mode="edge")
    # the share of each row that has gone over to a window, from the one before
    entered = [np.ones(height)]
    for top, window in zip(tops[:-1], windows[:-1], strict=True):
        begins = top + window.shape[0] - blend
        entered.append(np.clip((np.arange(height) + 0.5 - begins) / max(1, blend), 0.0, 1.0))
    parts = [now - later for now, later in pairwise([*entered, np.zeros(height)])]
    spent = -np.diff(time_below(np.arange(height + 1) / rows))
    shares = np.array([float((part * spent).sum()) for part in parts]) / spent.sum()
    if first_s is not None:
        shares[0] = max(0.0, shares[0] - first_s / _EXPOSURE_S)
        shares = shares / shares.sum()
    page = np.zeros((height, columns), np.float64)
    for window, top, part, share in zip(windows, tops, parts, shares, strict=True):
        there = slice(top, top + window.shape[0])
        piece = window * part[there, None]
        if piece.sum() > 0:
            page[there] += share * piece / piece.sum()
    return normalise(page)


def page_densities(windows: Sequence[Densities], screens: float) -> Densities:
    """Return the densities of a page from those of its windows.

    The first two seconds go to the first screen, whose top stays in view for about 4 s in the mean (Chartbeat 2016).
    The last two are what is left of the five seconds when these are taken off the whole.

    `windows`: of the windows that `window_tops` names.
    `screens`: height of the page.
    Returns: with `screen`; domains are those of the first window.
    """
    first = windows[0]
    rows, columns = first["total"].shape
    maps: dict[Window, Float32] = {"total": blend_windows([window["total"] for window in windows], screens)}
    if "start" in first.maps:
        start = np.zeros((maps["total"].shape[0], columns), np.float32)
        start[:rows] = first["start"]
        maps["start"] = start
    if "end" in first.maps:
        maps["end"] = blend_windows([window["end"] for window in windows], screens, first_s=_FIRST_S)
    return Densities(maps, first.domains, screen=rows / maps["total"].shape[0])


def fold_shares(density: Float32, screens: float) -> tuple[float, ...]:
    """Return the share of a page's density in each of its folds, 0-1; they sum to 1."""
    cumulative = np.concatenate([[0.0], np.cumsum(density.sum(axis=1, dtype=np.float64))])
    at = np.arange(cumulative.size) / density.shape[0] * screens
    return tuple(float(np.diff(np.interp(edges, at, cumulative))[0]) for edges in fold_edges(screens))
