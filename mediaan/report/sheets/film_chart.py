"""Place the timeline of a video: curves of scores over lanes that say when the brand, texts and faces are there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.report.sheets.film_sheet import FilmSheet
from mediaan.report.sheets.placement import (
    AREA_COLOURS,
    POINTS,
    SlideBox,
    cut_to_line,
    text_width,
)
from mediaan.types.arrays import Float64

CURVE_LOOKS = {
    "Focus": ("4338CA", ""),
    "Cognitive demand": ("B45309", "5 3"),
    "Engagement": ("0F766E", "1.5 2.5"),
}
"""Colour of each curve and its dashes, pt: they are told apart without colour, too."""

TEXT_SIZE = 7.5
"""Of labels, pt."""

_LABEL_WIDTH, _LEGEND_HEIGHT, _AXIS_HEIGHT = 66.0, 12.0, 12.0
_LANE_HEIGHT, _LOW_LANE, _LANE_GAP = 11.0, 8.5, 1.5
_LEAST_PLOT, _MOST_LANES = 40.0, 6  # more lanes are lower
_STEPS_S = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_MOST_TICKS = 11


@dataclass(frozen=True, slots=True)
class TimelineCurve:
    """A curve: pieces without gaps, in pt."""

    title: str
    colour: str
    dashes: str
    pieces: Sequence[Sequence[tuple[float, float]]]
    legend_x: float


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """A bar of a lane, with the words that fit in it."""

    box: SlideBox
    colour: str
    text: str


@dataclass(frozen=True, slots=True)
class FilmChart:
    """The timeline of a video in pt from its upper left corner."""

    height: float
    plot: SlideBox  # where curves are, 0 at its foot and 100 at its head
    curves: Sequence[TimelineCurve]
    cuts: Sequence[float]  # x of each cut
    card: SlideBox  # the end card
    ticks: Sequence[tuple[float, str]]  # x and label of times
    ticks_y: float  # of their labels
    lanes: Sequence[tuple[float, str]]  # y and label of each lane
    bars: Sequence[TimelineBar]
    foot: float  # lower end of the lanes


def film_chart(film: FilmSheet, width: float, height: float) -> FilmChart:
    """Place the timeline of a video in a box.

    `width`, `height`: pt. Curves take what lanes leave, but not less than 40 pt.
    """
    lane_height = _LANE_HEIGHT if len(film.lanes) <= _MOST_LANES else _LOW_LANE
    lanes_height = len(film.lanes) * (lane_height + _LANE_GAP)
    plot_height = max(height - _LEGEND_HEIGHT - _AXIS_HEIGHT - lanes_height - _LANE_GAP, _LEAST_PLOT)
    plot = SlideBox(_LABEL_WIDTH, _LEGEND_HEIGHT, width - _LABEL_WIDTH - 6, plot_height)

    def x_of(t_s: float) -> float:
        return plot.x + plot.width * min(max(t_s / film.duration_s, 0.0), 1.0)

    curves, legend_x = [], plot.x
    for title, (t_s, values) in film.curves.items():
        colour, dashes = CURVE_LOOKS[title]
        ys = plot.bottom - plot.height * np.clip(values, 0, 100) / 100
        pieces = list(_pieces(np.asarray([x_of(float(t)) for t in t_s]), np.asarray(ys, np.float64)))
        curves.append(TimelineCurve(title, colour, dashes, pieces, legend_x))
        legend_x += text_width(title, TEXT_SIZE) + 34
    ticks_y = plot.bottom + 9
    first_lane = plot.bottom + _AXIS_HEIGHT + _LANE_GAP
    lanes, bars = [], []
    for index, lane in enumerate(film.lanes):
        y = first_lane + index * (lane_height + _LANE_GAP)
        lanes.append((y + lane_height / 2 + 2.5, lane.title))
        for (begin, end), words in lane.bars:
            box = SlideBox(x_of(begin), y, max(x_of(end) - x_of(begin), 1.0), lane_height)
            text = cut_to_line(words, box.width - 4, TEXT_SIZE - 0.5) if box.width > 24 else ""
            bars.append(TimelineBar(box, AREA_COLOURS[lane.type], "" if text == "…" else text))
    foot = first_lane + lanes_height
    left = x_of(film.end_card_s)
    return FilmChart(
        height=foot,
        plot=plot,
        curves=curves,
        cuts=[x_of(cut) for cut in film.cuts],
        card=SlideBox(left, plot.y, plot.right - left, plot.height),
        ticks=[(x_of(t_s), label) for t_s, label in _ticks(film.duration_s)],
        ticks_y=ticks_y,
        lanes=lanes,
        bars=bars,
        foot=foot,
    )


def _pieces(xs: Float64, ys: Float64) -> Iterator[list[tuple[float, float]]]:
    """Yield the parts of a curve between gaps."""
    piece: list[tuple[float, float]] = []
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        if math.isnan(y):
            if len(piece) > 1:
                yield piece
            piece = []
        else:
            piece.append((round(x, 2), round(y, 2)))
    if len(piece) > 1:
        yield piece


def _ticks(duration_s: float) -> Iterator[tuple[float, str]]:
    """Yield times with their labels, at most a dozen.

    >>> [label for _, label in _ticks(10.0)], [label for _, label in _ticks(95.0)][-2:]
    (['0 s', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'], ['1:20', '1:30'])
    """
    step = next((step for step in _STEPS_S if duration_s / step <= _MOST_TICKS), _STEPS_S[-1])
    for k in range(int(duration_s / step + 1e-6) + 1):
        t_s = k * step
        if duration_s > 60:
            yield t_s, f"{int(t_s) // 60}:{int(t_s) % 60:02d}"
        else:
            yield t_s, f"{t_s:g} s" if k == 0 else f"{t_s:g}"


PAPER_WIDTH = 186.0
"""Of a printed page, mm."""
FRAME_HEIGHT = 34.0
"""Of printed key frames, about, mm: so that labels keep apart."""
_PAPER_HEIGHT = 52.0  # of a printed timeline, mm


def paper_chart(film: FilmSheet) -> FilmChart:
    """Place the timeline of a video on paper."""
    return film_chart(film, PAPER_WIDTH * POINTS, _PAPER_HEIGHT * POINTS)
