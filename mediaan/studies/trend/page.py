"""Render scores over time as one HTML page that opens from disk, and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mediaan import __version__
from mediaan.report.web.environment import page_environment, sources
from mediaan.run.files import make_folder, write_atomic
from mediaan.run.tables.writing import write_table
from mediaan.studies.trend import chart
from mediaan.studies.trend.chart import draw_chart
from mediaan.studies.trend.result import Trend, Trends
from mediaan.studies.trend.scores import TrendSubject
from mediaan.types.metrics import MetricSpec

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


TABLE_FILE, PAGE = "trend.parquet", "index.html"

_STYLES = ("core/page.css", "studies/trend.css")
_VERDICTS = {"rises": "rises", "falls": "falls", "no_trend": "no clear trend", "undefined": "no line"}


def render_trends(trends: Trends) -> str:
    """Render the page, which needs no network and no other file."""
    environment = page_environment()
    environment.filters["spec"] = _spec
    environment.filters["p"] = lambda p: "< .001" if p < 0.001 else f"{p:.3g}"
    charts = []
    for _, group in groupby(trends.trends, lambda trend: (trend.aoi_type, trend.metric)):
        of_score = list(group)
        spec = _spec(of_score[0])
        charts.append(draw_chart(of_score, trends, spec.low, spec.high))
    return environment.get_template("studies/trend.html.j2").render(
        whole=trends,
        charts=charts,
        groups=list(trends.groups),
        told=[trend for trend in trends.trends if trend.verdict in ("rises", "falls")],
        names=", ".join(Path(run).resolve().name for run in trends.runs),
        verdicts=_VERDICTS | ({"no_trend": "no clear change"} if trends.split else {}),
        shape=chart,
        marks=chart.MARKS,
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _spec(trend: Trend) -> MetricSpec:
    return TrendSubject(trend.aoi_type, trend.metric, trend.unit).spec


def write_folder(trends: Trends, folder: Path) -> None:
    """Write ``index.html`` and ``trend.parquet``; the folder is made if absent.

    Raises UsageError: the folder cannot be made.
    Raises SetupError: it cannot be written to.
    """
    make_folder(folder)
    write_table(folder / TABLE_FILE, "trends", trend_rows(trends))
    write_atomic(folder / PAGE, render_trends(trends).encode())
