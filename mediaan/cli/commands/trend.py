"""`mediaan trend`: scores of runs over time."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import options
from mediaan.cli.options import EXISTING_FILE, FOLDER, PATH
from mediaan.cli.table import join_blocks, table_lines
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.studies.trend.statistics import Trend, Trends


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=PATH)
@click.option(
    "--date",
    required=True,
    metavar="COLUMN|path|run",
    help="Where dates come from: a column of --attributes, names of folders and files, or when each run was made.",
)
@click.option(
    "--attributes",
    type=EXISTING_FILE,
    help="CSV with a column that names files, and others such as dates or campaigns.",
)
@click.option("--by", metavar="KEY", help="One line for each value of a column, a setting of objectives, or a folder.")
@click.option(
    "--period",
    type=click.Choice(["auto", "day", "week", "month", "quarter", "year"]),
    default="auto",
    help="Length of a period; auto: the one that gives about twelve periods.",
)
@options.metric("metrics", multiple=True, help="Only this score; can be repeated.")
@click.option(
    "--time",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    help="Part of the exposure: all of it, its first or its last two seconds.",
)
@click.option("--aoi", default="branding", metavar="TYPE", help="Type of AOI to follow, or none.")
@options.medium_type
@click.option(
    "--split",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Compare the time before this day with the time from this day on, instead of fitting lines.",
)
@click.option(
    "--despite", metavar="REASON", help="Combine runs that were measured differently; the notes keep the reason."
)
@options.json_lines
@click.option(
    "--out",
    type=FOLDER,
    metavar="DIR",
    help="Write a page with charts (index.html) and every mean (trend.parquet) here.",
)
def trend(split: datetime | None, despite: str | None, as_json: bool, out: Path | None, **options: Any) -> None:
    """Follow scores and the attention to brands over time, in one or more runs.

    A straight line through the means shows whether a score rises or falls by more than chance, corrected for the number
    of scores.
    """

    from mediaan.run.files import check_own_folder
    from mediaan.studies.trend.page import TABLE_FILE, write_folder
    from mediaan.studies.trend.workflow import trend as follow

    if out:
        check_own_folder(out, TABLE_FILE)
    result = follow(split=split.date() if split else None, despite=despite or "", **options)
    if out:
        write_folder(result, out)
    click.echo(json.dumps(result.to_dict()) if as_json else trends_as_text(result))


_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"
_WIDEST = 40  # periods of a sparkline
_FEW = 5


def trends_as_text(trends: Trends) -> str:
    """Write the summary of trends: how many media, where dates come from, a line for each score, notes, a legend."""
    from mediaan.studies.compare.result import is_proxy

    told = [trend for trend in trends.trends if trend.verdict in ("rises", "falls")]
    moved = []
    for trend in told[:_FEW]:
        unit = "points" if trend.unit == "score" or trend.unit.startswith("%") else trend.unit
        moved.append(f"{_name(trend)} {trend.verdict} by {abs(trend.change or 0.0):.1f} {unit}".strip())
    more = f", and {len(told) - _FEW} more" if len(told) > _FEW else ""
    what = "change" if trends.split else "trend"
    runs = "1 run" if len(trends.runs) == 1 else f"{len(trends.runs)} runs"
    heading = [
        f"{'; '.join(moved)}{more}." if told else f"No clear {what}.",
        f"{media_count(trends.n)} of {runs}, {trends.first} to {trends.last} by {trends.period}",
        f"dates: {trends.dates}",
    ]
    if trends.groups:
        heading.append(f"by {trends.by}: {', '.join(f'{name} ({n})' for name, n in trends.groups.items())}")
    ends = ["first", "last", f"per {trends.trends[0].per}"] if trends.split is None else ["before", "after", "change"]
    rows = [["", "n", "course", *ends, "[90 %]", ""], *(_cells(trend, trends) for trend in trends.trends)]
    first, *lines = table_lines(rows, left=(0, 2, -1))
    table = [first]
    for number, (_, some) in enumerate(
        groupby(zip(lines, trends.trends, strict=True), key=lambda pair: (pair[1].aoi_type, pair[1].metric))
    ):
        if number and len(trends.groups) > 1:  # a blank line between scores that have several groups each
            table.append("")
        table += [line for line, _ in some]
    legend = ["Course: means by period, scaled to their intervals; ·: no files in this period."]
    if n := trends.trends[0].n_trends:
        count = "1 line" if n == 1 else f"{n} lines"
        legend.append(
            f"More than chance: p below 0.1 after correction for {count} (Holm); intervals are for each line alone."
        )
    if any(is_proxy(trend.metric) for trend in trends.trends):
        legend.append("Memory is an estimate: a formula that was not checked against people.")
    blocks = [heading, table, [f"Note: {note}" for note in trends.notes], legend]
    return join_blocks(blocks)


def _name(trend: Trend) -> str:
    from mediaan.studies.compare.result import is_proxy

    subject = (
        f"{trend.aoi_type}: {trend.title}"
        if trend.aoi_type
        else trend.title + (" (estimate)" if is_proxy(trend.metric) else "")
    )
    return f"{subject}, {trend.group}" if trend.group else subject


def _cells(trend: Trend, trends: Trends) -> list[str]:
    numbers: tuple[float | None, ...]
    if trends.split is None:
        numbers = trend.periods[0].mean, trend.periods[-1].mean, trend.slope, trend.slope_lo, trend.slope_hi
    else:
        before, after = (trend.line[0], trend.line[-1]) if trend.line else (None, None)
        numbers = before, after, trend.change, trend.change_lo, trend.change_hi
    decimals = 2 if trend.unit in ("s", "ratio") else 1
    *ends, lo, hi = (
        "-" if number is None else f"{number:{sign}.{decimals}f}"
        for number, sign in zip(numbers, ("", "", "+", "+", "+"), strict=True)
    )
    if not trend.line:
        verdict = trend.reason or ""
    elif trend.verdict != "no_trend":
        verdict = trend.verdict
    else:
        apart = (
            trend.change_lo is not None and trend.change_hi is not None and not trend.change_lo <= 0 <= trend.change_hi
        )
        among = f" among {trend.n_trends} lines" if apart and trend.n_trends > 1 else ""
        verdict = f"no clear {'change' if trends.split else 'trend'}{among}"
    return [_name(trend), str(trend.n), sparkline(trend, trends), *ends, f"[{lo}, {hi}]" if trend.line else "", verdict]


def sparkline(trend: Trend, trends: Trends) -> str:
    """Draw means as bars, a dot where a period has no media; scaled to the intervals, so that chance looks flat.

    The last `_WIDEST` periods, where there are more.
    """
    from mediaan.studies.trend.dates import calendar

    ends = [end for period in trend.periods for end in (period.mean, period.lo, period.hi) if end is not None]
    low, high = min(ends), max(ends)
    means = {period.period: period.mean for period in trend.periods}
    bars = ""
    for part in calendar(trends.first, trends.last, trends.period, trends.split)[-_WIDEST:]:
        if part.name not in means:
            bars += _GAP
        else:
            share = 0.5 if high == low else (means[part.name] - low) / (high - low)
            bars += _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)]
    return bars
