"""Write trends as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from mediaan.cli.output.table import table_lines
from mediaan.studies.compare.sentences import is_proxy
from mediaan.studies.trend.periods import calendar
from mediaan.studies.trend.result import Trend, Trends
from mediaan.types.glossary import media_count

_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"
_WIDEST = 40  # periods of a sparkline
_FEW = 5
_PROXIES = "A proxy (memory) is a formula that no people were asked about."


def trends_as_text(trends: Trends) -> str:
    """Write the summary of trends: how many media, where dates come from, a line for each score, notes, a legend."""
    ends = ["first", "last", f"per {trends.trends[0].per}"] if trends.split is None else ["before", "after", "change"]
    rows = [["", "n", "course", *ends, "[90 %]", ""]]
    rows += [_cells(one, trends) for one in trends.trends]
    blocks = [_heading(trends), _table(rows, trends), [f"Note: {note}" for note in trends.notes], _legend(trends)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _heading(trends: Trends) -> list[str]:
    told = [one for one in trends.trends if one.verdict in ("rises", "falls")]
    runs = "1 run" if len(trends.runs) == 1 else f"{len(trends.runs)} runs"
    lines = [_sentence(told, trends)]
    lines.append(f"{media_count(trends.n)} of {runs}, {trends.first} to {trends.last} by {trends.period}")
    lines.append(f"dates: {trends.dates}")
    if trends.groups:
        lines.append(f"by {trends.by}: {', '.join(f'{name} ({n})' for name, n in trends.groups.items())}")
    return lines


def _sentence(told: Sequence[Trend], trends: Trends) -> str:
    if not told:
        return f"No {'change' if trends.split else 'trend'} can be told."
    moved = (f"{_name(one)} {one.verdict} by {abs(one.change or 0.0):.1f} {_unit(one)}".strip() for one in told[:_FEW])
    more = f", and {len(told) - _FEW} more" if len(told) > _FEW else ""
    return "; ".join(moved) + more + "."


def _name(one: Trend) -> str:
    subject = (
        f"{one.aoi_type}: {one.title}" if one.aoi_type else one.title + (" (proxy)" if is_proxy(one.metric) else "")
    )
    return f"{subject}, {one.group}" if one.group else subject


def _unit(one: Trend) -> str:
    return "points" if one.unit == "score" or one.unit.startswith("%") else one.unit


def _cells(one: Trend, trends: Trends) -> list[str]:
    decimals = 2 if one.unit in ("s", "ratio") else 1
    told = _step(one) if trends.split else _slope(one)
    numbers = [
        "-" if number is None else f"{number:{sign}.{decimals}f}" for number, sign in zip(told, _SIGNS, strict=True)
    ]
    *ends, lo, hi = numbers
    verdict = one.reason or "" if not one.line else _verdict(one, trends)
    return [_name(one), str(one.n), sparkline(one, trends), *ends, f"[{lo}, {hi}]" if one.line else "", verdict]


def _verdict(one: Trend, trends: Trends) -> str:
    if one.verdict != "no_trend":
        return one.verdict
    apart = one.change_lo is not None and one.change_hi is not None and not one.change_lo <= 0 <= one.change_hi
    among = f" among {one.n_trends} lines" if apart and one.n_trends > 1 else ""
    return f"no {'change' if trends.split else 'trend'} can be told{among}"


_Told = tuple[float | None, float | None, float | None, float | None, float | None]
_SIGNS = ("", "", "+", "+", "+")


def _slope(one: Trend) -> _Told:
    return one.periods[0].mean, one.periods[-1].mean, one.slope, one.slope_lo, one.slope_hi


def _step(one: Trend) -> _Told:
    before, after = (one.line[0], one.line[-1]) if one.line else (None, None)
    return before, after, one.change, one.change_lo, one.change_hi


def sparkline(one: Trend, trends: Trends) -> str:
    """Draw means as bars, a dot where a period has no media; scaled to the intervals, so that chance looks flat.

    The last `_WIDEST` periods, where there are more.
    """
    ends = [end for period in one.periods for end in (period.mean, period.lo, period.hi) if end is not None]
    low, high = min(ends), max(ends)
    means = {period.period: period.mean for period in one.periods}
    parts = calendar(trends.first, trends.last, trends.period, trends.split)
    return "".join(_bar(means.get(part.name), low, high) for part in parts[-_WIDEST:])


def _bar(mean: float | None, low: float, high: float) -> str:
    if mean is None:
        return _GAP
    share = 0.5 if high == low else (mean - low) / (high - low)
    return _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)]


def _table(rows: Sequence[Sequence[str]], trends: Trends) -> list[str]:
    """Align rows; a blank line between scores where each has several groups."""
    lines = table_lines(rows, left=(0, 2, -1))
    if len(trends.groups) < 2:
        return lines
    keys = [(one.aoi_type, one.metric) for one in trends.trends]
    return [lines[0], *_spaced(lines[1:], keys)]


def _spaced(lines: Sequence[str], keys: Sequence[tuple[str | None, str]]) -> Iterator[str]:
    for number, (_, some) in enumerate(groupby(zip(lines, keys, strict=True), key=lambda pair: pair[1])):
        yield from ([""] if number else [])
        yield from (line for line, _ in some)


def _legend(trends: Trends) -> list[str]:
    course = "Course: means by period, scaled to their intervals; · where there are no media."
    n = trends.trends[0].n_trends
    lines = "1 line" if n == 1 else f"{n} lines that are looked at"
    told = f"Told from chance: p below 0.1 after correction for {lines} (Holm); intervals are of each line alone."
    proxies = any(is_proxy(one.metric) for one in trends.trends)
    return [course, *([told] if n else []), *([_PROXIES] if proxies else [])]
