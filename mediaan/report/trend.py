"""Scores over time as one HTML page that opens from disk."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from mediaan import __version__
from mediaan.comparison.trend_subjects import Subject
from mediaan.report import trend_chart
from mediaan.report.environment import page_environment, sources
from mediaan.report.trend_chart import Chart, draw_chart
from mediaan.types.metrics import MetricSpec
from mediaan.types.trend import Trend, Trends

_STYLES = ("page.css", "trend.css")
_VERDICTS = {"rises": "rises", "falls": "falls", "no_trend": "no trend can be told", "undefined": "no line"}


def render_trends(trends: Trends) -> str:
    """The page, which needs no network and no other file."""
    environment = page_environment()
    environment.filters["spec"] = _spec
    environment.filters["p"] = lambda p: "< .001" if p < 0.001 else f"{p:.3g}"
    charts = [_chart(list(some), trends) for _, some in groupby(trends.trends, lambda one: (one.aoi_type, one.metric))]
    return environment.get_template("trend.html.j2").render(
        whole=trends,
        charts=charts,
        groups=list(trends.groups),
        told=[one for one in trends.trends if one.verdict in ("rises", "falls")],
        names=", ".join(Path(run).resolve().name for run in trends.runs),
        verdicts=_VERDICTS | ({"no_trend": "no change can be told"} if trends.split else {}),
        shape=trend_chart,
        marks=trend_chart.MARKS,
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _chart(some: list[Trend], whole: Trends) -> Chart:
    spec = _spec(some[0])
    return draw_chart(some, whole, spec.low, spec.high)


def _spec(trend: Trend) -> MetricSpec:
    return Subject(trend.aoi_type, trend.metric, trend.unit).spec
