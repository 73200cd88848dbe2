"""Scores of the first two seconds, the last two, and the whole, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mediaan.report.scores import ScoresByTime
from mediaan.types.metrics import MetricSpec, Score, Time

_OWN_WINDOW: Mapping[Time, str] = {"start": "_first_two", "end": "_last_two"}

WindowScores = Mapping[Time, Score]


def window_scores(by_time: ScoresByTime, specs: Sequence[MetricSpec]) -> dict[str, WindowScores]:
    """Metrics that are known for a window as well as for the whole, in the order of `specs`.

    A window's score may be the metric's own at that time, or a metric of its own name, such as focus_first_two.
    """
    found = {spec.name: _times(spec.name, by_time) for spec in specs if spec.name in by_time}
    return {name: times for name, times in found.items() if "total" in times and len(times) > 1}


def _times(name: str, by_time: ScoresByTime) -> WindowScores:
    times = dict(by_time[name])
    for time, suffix in _OWN_WINDOW.items():
        own = by_time.get(name + suffix, {}).get(time)
        if own is not None:
            times.setdefault(time, own)
    return times


def window_note(duration_s: float) -> str | None:
    """What the windows of a short medium have in common; None for one of at least four seconds.

    >>> window_note(3.0)
    'It is shorter than four seconds, so the two windows overlap.'
    """
    if duration_s >= 4:
        return None
    if duration_s > 2:
        return "It is shorter than four seconds, so the two windows overlap."
    return "It is no longer than two seconds, so each window is the whole of it."
