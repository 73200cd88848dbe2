"""Rows of the table of trends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mediaan.types.trend import Trend, Trends

_OF_A_TREND = (
    *("group", "aoi_type", "metric", "metric_time", "unit", "per"),
    *("slope", "slope_lo", "slope_hi", "change", "change_lo", "change_hi"),
    *("p", "p_corrected", "n_trends", "verdict", "reason"),
)


def trend_rows(trends: Trends) -> Iterator[dict[str, Any]]:
    """One row per trend and period; see `mediaan.run.schema`."""
    for trend in trends.trends:
        yield from ({"split": trends.split, **row} for row in _rows(trend))


def _rows(trend: Trend) -> Iterator[dict[str, Any]]:
    shared = {name: getattr(trend, name) for name in _OF_A_TREND}
    for i, period in enumerate(trend.periods):
        yield shared | {
            "period": period.period,
            "first_day": period.first,
            "last_day": period.last,
            "at": period.at,
            "n": period.n,
            "mean": period.mean,
            "lo": period.lo,
            "hi": period.hi,
            "line": trend.line[i] if trend.line else None,
        }
