"""Render scores over time as one HTML page that opens from disk, and as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from mediaan.run.files import make_folder, write_atomic
from mediaan.run.tables.writing import write_table
from mediaan.studies.page import PAGE, Filters, render_study
from mediaan.studies.trend.dates import PeriodPart, calendar
from mediaan.studies.trend.statistics import PeriodMean, Trend, Trends
from mediaan.studies.trend.workflow import TrendSubject
from mediaan.types.metrics import MetricSpec

WIDTH, HEIGHT = 460.0, 236.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 10.0, 10.0, 40.0
"""Margins, px: for the axis of scores on the left, dates and counts below."""

_LETTER = 6.4  # px of a letter of a label
_MOST_COUNTS = 16
_MARGIN = 0.06  # of the range of values, above and below
MARKS = (
    "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",
    "m-3.1 -3.1h6.2v6.2h-6.2z",
    "m0 -4.2l4 7h-8z",
    "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
    "m0 4.2l4 -7h-8z",
    "m-1.2 -4h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8v-2.4h2.8z",
    "m-3.4 -1.4h6.8v2.8h-6.8z",
)
"""Shapes of points by group, so that lines can be told apart on paper too."""


def draw_chart(trends: Sequence[Trend], page: Trends, low: float, high: float) -> dict[str, Any]:
    """Draw the trends of one score, one per group.

    `page`: whose dates all charts of a page share.
    `low`, `high`: range of the score: the axis does not go beyond.
    Returns: what the template draws: curves, marks of the axis of scores and of dates (place and text, of dates also
        the count of media), edges of periods, tooltips, and the place of the split.
    """
    periods = calendar(page.first, page.last, page.period, page.split)
    first, days = page.first.toordinal(), (page.last - page.first).days + 1

    def x(day: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (day - first) / days

    # even marks around all means and intervals
    heights = [end for trend in trends for mean in trend.periods for end in (mean.value, *(mean.bounds or ()))]
    room = _MARGIN * (max(heights) - min(heights)) or 0.5
    lowest, highest = max(low, min(heights) - room), min(high, max(heights) + room)
    step = _step((highest - lowest) / 5)
    lowest_mark, highest_mark = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    marks = [i * step for i in range(lowest_mark, max(highest_mark, lowest_mark + 1) + 1)]
    decimals = max(0, -math.floor(math.log10(marks[1] - marks[0]) + 1e-9))
    bottom, top = marks[0], marks[-1]

    def y(score: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (top - score) / (top - bottom)

    groups: list[str | None] = [*page.groups] or [None]
    return {
        "trends": trends,
        "curves": [
            _curve(trend, groups.index(trend.group), lambda day: x(day.toordinal() + 0.5), y) for trend in trends
        ],
        "scores": [(y(mark), f"{mark + 0.0:.{decimals}f}") for mark in marks],
        "dates": list(_labels(trends, periods, x)),
        "edges": [x(period.first.toordinal()) for period in periods],
        "tooltips": list(_tooltips(trends, groups, periods, x)),
        "split": x(page.split.toordinal()) if page.split else None,
    }


def _curve(trend: Trend, number: int, x: Callable[[date], float], y: Callable[[float], float]) -> dict[str, Any]:
    """Draw one group's line; strokes and bands break where a period has no media."""
    runs: list[list[PeriodMean]] = []  # periods without a gap between them
    for mean in trend.periods:
        if runs and (mean.first - runs[-1][-1].last).days <= 1:
            runs[-1].append(mean)
        else:
            runs.append([mean])
    points = {mean.period: (x(mean.at), y(mean.value)) for mean in trend.periods}
    bands, whiskers = [], []
    for run in runs:
        bounds = [(x(mean.at), y(mean.bounds[0]), y(mean.bounds[1])) for mean in run if mean.bounds]
        if len(run) == 1 and bounds:
            whiskers.append("M{:.1f} {:.1f}V{:.1f}".format(*bounds[0]))
        elif len(bounds) == len(run):
            there, back = [(a, c) for a, _, c in bounds], [(a, b) for a, b, _ in reversed(bounds)]
            bands.append(f"{_path([*there, *back])}Z")
    return {
        "number": number,
        "bands": bands,
        "whiskers": whiskers,
        "strokes": [_path([points[mean.period] for mean in run]) for run in runs if len(run) > 1],
        "marks": [f"M{a:.1f} {b:.1f}{MARKS[number % len(MARKS)]}" for a, b in points.values()],
        "line": _line(trend, x, y) if trend.line else None,
        "told": trend.verdict in ("rises", "falls"),
    }


def _line(trend: Trend, x: Callable[[date], float], y: Callable[[float], float]) -> str:
    """Draw the fitted line from the first period to the last; of a step both its levels, as the heights tell."""
    corners = [0, len(trend.line) - 1]
    if trend.slope is None:
        after = next((i for i, height in enumerate(trend.line) if height != trend.line[0]), corners[1])
        corners[1:1] = [after - 1, after]
    points = [(x(trend.periods[i].at), y(trend.line[i])) for i in corners]
    return "".join(_path(points[i : i + 2]) for i in range(0, len(points), 2))


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)


def _step(width: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten.

    >>> _step(3.1), _step(0.04), _step(12)
    (5.0, 0.05, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(width))
    return next(power * size for size in (1, 2, 5, 10) if power * size >= width * (1 - 1e-9))


def _labels(
    trends: Sequence[Trend], periods: Sequence[PeriodPart], x: Callable[[float], float]
) -> Iterator[tuple[float, str, str]]:
    """Label every period that has room; one that is cut in two by its name without the half."""
    counts: dict[str, int] = {}
    for trend in trends:
        for mean in trend.periods:
            counts[mean.period] = counts.get(mean.period, 0) + mean.n
    few, free_name, free_count = len(periods) <= _MOST_COUNTS, -math.inf, -math.inf
    for period in periods:
        middle = x((period.first.toordinal() + period.last.toordinal() + 1) / 2)
        name, count = period.name.split()[0], str(counts.get(period.name, "–"))
        named, counted = middle >= free_name, middle >= free_count and (few or middle >= free_name)
        free_name = middle + _LETTER * (len(name) + 1.5) if named else free_name
        free_count = middle + _LETTER * (len(count) + 1) if counted else free_count
        yield middle, name if named else "", count if counted else ""


def _tooltips(
    trends: Sequence[Trend], groups: Sequence[str | None], periods: Sequence[PeriodPart], x: Callable[[float], float]
) -> Iterator[dict[str, Any]]:
    """Say of every period with media what each group's mean is."""
    by_period = [{mean.period: mean for mean in trend.periods} for trend in trends]
    for period in periods:
        means = [
            (trend, of_trend[period.name])
            for trend, of_trend in zip(trends, by_period, strict=True)
            if period.name in of_trend
        ]
        if not means:
            continue
        start, end = x(period.first.toordinal()), x(period.last.toordinal() + 1)
        rows = []
        for trend, mean in means:
            decimals = 2 if trend.unit in ("s", "ratio") else 1
            interval = " [{:.{d}f}, {:.{d}f}]".format(*mean.bounds, d=decimals) if mean.bounds else ""
            group = f"{trend.group[:18]} " if trend.group else ""
            rows.append((groups.index(trend.group), f"{group}{mean.value:.{decimals}f}{interval}, n {mean.n}"))
        yield {
            "x": start,
            "width": end - start,
            "at": (start + end) / 2,
            "title": period.name,
            "rows": rows,
            "left": start + end > WIDTH + LEFT - RIGHT,  # the box is drawn on the left half, away from the period
        }


_OF_A_TREND = (
    *("group", "aoi_type", "metric", "metric_time", "unit", "per"),
    *("slope", "slope_lo", "slope_hi", "change", "change_lo", "change_hi"),
    *("p", "p_corrected", "n_trends", "verdict", "reason"),
)


def trend_rows(trends: Trends) -> Iterator[dict[str, Any]]:
    """Yield one row per trend and period; see `mediaan.run.tables.schema`."""
    for trend in trends.trends:
        shared = {"split": trends.split} | {name: getattr(trend, name) for name in _OF_A_TREND}
        for i, period in enumerate(trend.periods):
            line = trend.line[i] if trend.line else None
            yield shared | period.to_dict() | {"first_day": period.first, "last_day": period.last, "line": line}


TABLE_FILE = "trend.parquet"

_VERDICTS = {"rises": "rises", "falls": "falls", "no_trend": "no clear trend", "undefined": "no line"}


def render_trends(trends: Trends) -> str:
    """Render the page, which needs no network and no other file."""
    charts = []
    for _, group in groupby(trends.trends, lambda trend: (trend.aoi_type, trend.metric)):
        of_score = list(group)
        spec = _spec(of_score[0])
        charts.append(draw_chart(of_score, trends, spec.low, spec.high))
    filters: Filters = {"spec": _spec, "p": lambda p: "< .001" if p < 0.001 else f"{p:.3g}"}
    return render_study(
        "trend",
        filters,
        whole=trends,
        charts=charts,
        groups=list(trends.groups),
        told=[trend for trend in trends.trends if trend.verdict in ("rises", "falls")],
        names=", ".join(Path(run).resolve().name for run in trends.runs),
        verdicts=_VERDICTS | ({"no_trend": "no clear change"} if trends.split else {}),
        shape={"WIDTH": WIDTH, "HEIGHT": HEIGHT, "LEFT": LEFT, "RIGHT": RIGHT, "TOP": TOP, "BOTTOM": BOTTOM},
        marks=MARKS,
    )


def _spec(trend: Trend) -> MetricSpec:
    return TrendSubject(trend.aoi_type, trend.metric, trend.unit).spec


def write_folder(trends: Trends, folder: Path) -> None:
    """Write ``index.html`` and ``trend.parquet``; the folder is made if absent."""
    make_folder(folder)
    write_table(folder / TABLE_FILE, "trends", trend_rows(trends))
    write_atomic(folder / PAGE, render_trends(trends).encode())
