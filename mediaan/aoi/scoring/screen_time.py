"""Measure when areas of a medium that moves are on screen, for how long, and whether long enough to be read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain

from mediaan.types.metrics import MetricSpec

END_CARD_S = 3.0
"""The last seconds, in which videos show their end card."""

OPENING_S = 5.0
"""The first seconds, which viewers see before they may skip an ad."""

_SAME_INSTANT_S = 1e-3  # a sighting belongs to the sample whose time differs by no more
_TRACKED = (
    "Samples at which the area is visible, each for as long as it stands; five a second unless `--fps` says otherwise."
)

APPEARS = MetricSpec(
    "appears_s",
    "Appears",
    "s",
    0,
    float("inf"),
    "lower",
    "measured",
    "When the area is first on screen, from the beginning. Videos only.",
    _TRACKED,
)
ON_SCREEN = MetricSpec(
    "on_screen_s",
    "On screen",
    "s",
    0,
    float("inf"),
    "higher",
    "measured",
    "Seconds during which the area is on screen; of a type, any area of it. Videos only.",
    _TRACKED,
)
CHARACTERS_PER_S = MetricSpec(
    "characters_per_s",
    "Reading speed",
    "1/s",
    0,
    float("inf"),
    "lower",
    "measured",
    "Characters a second that a viewer has to read to finish the text while it is on screen. Videos only.",
    "Length of the text, spaces included, over its seconds on screen. Viewers of films read subtitles of 12, 16 and 20 "
    "characters a second: Szarkowska & Gerber-Morón (2018), PLOS ONE 13, e0199331.",
)
END_CARD = MetricSpec(
    "end_card_s",
    "End card",
    "s",
    0,
    END_CARD_S,
    "higher",
    "measured",
    "Seconds of the last 3 s during which the brand or a call to action is on screen. Videos only.",
    _TRACKED,
)
OPENING_SHOTS = MetricSpec(
    "opening_shots",
    "Shots in the opening",
    "count",
    0,
    float("inf"),
    "higher",
    "measured",
    "Shots that begin in the first 5 s, the first one included. Videos only.",
    "Counted.",
)
AOI_SCREEN_TIMES: tuple[MetricSpec, ...] = (APPEARS, ON_SCREEN, CHARACTERS_PER_S)
VIDEO_SCREEN_TIMES: tuple[MetricSpec, ...] = (END_CARD, OPENING_SHOTS)

Span = tuple[float, float]
"""From when to when, s."""


def tracked_spans(times: Iterable[float], samples: Sequence[Span]) -> tuple[Span, ...]:
    """Return when an area that is tracked is on screen.

    `times`: instants at which it is visible, s.
    `samples`: from when to when each sample of the medium stands, s, in order of time.
    Returns: of samples that follow each other one span.

    >>> tracked_spans([0.2, 0.4, 1.0], [(0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 1.0), (1.0, 1.2)])
    ((0.2, 0.6), (1.0, 1.2))
    """
    begins = [begin for begin, _ in samples]
    places = (bisect_left(begins, time - _SAME_INSTANT_S) for time in times)
    there = (samples[place] for place in places if place < len(samples))
    return merge_spans(there)


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join spans that overlap or touch, in order of time.

    >>> merge_spans([(3.0, 4.0), (0.0, 1.0), (0.5, 2.0), (4.0, 5.0)])
    ((0.0, 2.0), (3.0, 5.0))
    """
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1] + _SAME_INSTANT_S:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return tuple(joined)


def seconds_within(spans: Iterable[Span], begin_s: float, end_s: float) -> float:
    """Return for how many seconds of a period any of some areas is on screen.

    >>> seconds_within([(0.0, 2.0), (1.0, 3.0)], 0.5, 10.0)
    2.5
    """
    return sum(max(0.0, min(end, end_s) - max(begin, begin_s)) for begin, end in merge_spans(spans))


def characters_per_s(text: str, spans: Iterable[Span]) -> float | None:
    """Return the characters per second at which a text can be read while it is on screen.

    `text`: a line break or several spaces count as one character.
    `spans`: when it is on screen, s; the seconds of several spans add up.
    Returns: None where it is never there.

    >>> characters_per_s("20 % off\\nuntil Sunday", [(0.0, 1.0), (4.0, 5.0)])
    10.5
    """
    seconds = seconds_within(spans, 0.0, float("inf"))
    return len(" ".join(text.split())) / seconds if seconds > 0 else None


def end_card_s(spans: Iterable[Sequence[Span]], duration_s: float) -> float:
    """Return for how many of the last 3 s any of some areas, those of brand and call to action, is on screen."""
    return seconds_within(chain.from_iterable(spans), max(0.0, duration_s - END_CARD_S), duration_s)


def opening_shots(begins: Iterable[float]) -> int:
    """Return how many shots begin in the first 5 s, from when each begins, s.

    >>> opening_shots([0.0, 2.4, 4.8, 6.8])
    3
    """
    return sum(begin < OPENING_S for begin in begins)
