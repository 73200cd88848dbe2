"""Remarks on scores that stand out within a run, and scores of the first and last two seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mediaan.metrics import METRICS
from mediaan.report.data.selection import Standing
from mediaan.report.formatting import digits
from mediaan.types.densities import Window
from mediaan.types.metrics import Direction, MetricSpec, Score
from mediaan.types.result import Result

WindowScores = Mapping[Window, Score]


def window_scores(scores: Sequence[Score], specs: Sequence[MetricSpec]) -> dict[str, WindowScores]:
    """Select metrics that are known for a window as well as for the whole, in the order of `specs`.

    A window's score may be the metric's own at that time, or a metric of its own name, such as focus_first_two.
    """
    by_metric: dict[str, dict[Window, Score]] = defaultdict(dict)
    for score in scores:
        by_metric[score.metric][score.time] = score
    selected: dict[str, WindowScores] = {}
    for spec in specs:
        times = dict(by_metric.get(spec.name, {}))
        for part, metric in METRICS.items():
            if metric.part_of == spec.name and (part_score := by_metric.get(part, {}).get(metric.window)):
                times.setdefault(metric.window, part_score)
        if "total" in times and len(times) > 1:
            selected[spec.name] = times
    return selected


def window_note(duration_s: float) -> str | None:
    """Say what the windows of a short medium have in common; None for one of at least four seconds.

    >>> window_note(3.0)
    'The video is shorter than four seconds, so the first and last 2 s overlap.'
    """
    if duration_s >= 4:
        return None
    if duration_s > 2:
        return "The video is shorter than four seconds, so the first and last 2 s overlap."
    return "The video is no longer than two seconds, so the first and last 2 s are all of it."


MIN_MEDIA = 8  # quarters of fewer media are one medium each


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence on one score."""

    metric: str
    kind: Literal["strength", "weakness", "extreme"]
    sentence: str


def remark(spec: MetricSpec, standing: Standing, good: Direction) -> Remark | None:
    """Say what stands out about a score, or None when nothing does.

    A medium stands out when it is in the outer quarter of at least `MIN_MEDIA` media and even its most
    unfavourable rank, if all move as far as they may, is in that half.

    `standing`: by the direction of `spec`.
    `good`: direction that is good for what the medium is for.
    """
    if standing.of < MIN_MEDIA:
        return None
    ranked_low_first = spec.direction == "lower"
    if standing.rank <= standing.of / 4 and standing.last <= standing.of / 2:
        return _remark(spec, good, high=not ranked_low_first)
    if standing.rank > standing.of * 3 / 4 and standing.first > standing.of / 2:
        return _remark(spec, good, high=ranked_low_first)
    return None


def _remark(spec: MetricSpec, good: Direction, *, high: bool) -> Remark:
    end = "high" if high else "low"
    title = f"{spec.title} (an estimate)" if spec.basis == "proxy" else spec.title
    where = f"{title} is in the {end}est quarter of this run"
    if good == "middle":
        return Remark(spec.name, "extreme", f"{where}; a middle value is best.")
    if high == (good == "higher"):
        return Remark(spec.name, "strength", f"{where}.")
    return Remark(spec.name, "weakness", f"{where}.")


def window_remark(result: Result) -> str | None:
    """Compare the focus of the first and the last two seconds in a sentence; None if unknown."""
    start, end = result.score("focus_first_two", "start"), result.score("focus_last_two", "end")
    if start is None or end is None or start.value is None or end.value is None:
        return None
    before, after = digits(start.value, 0), digits(end.value, 0)
    moves = sum(result.repeatability(score) or 0.0 for score in (start, end))
    if abs(end.value - start.value) <= moves:
        return f"Focus is {before} in the first two seconds and {after} in the last two: no clear change."
    verb, meaning = (
        ("rises", "attention concentrates") if end.value > start.value else ("falls", "attention spreads out")
    )
    return f"Focus {verb} from {before} to {after} between the first and the last two seconds: {meaning}."


def calibration_remark(run: Mapping[str, Any]) -> str | None:
    """Say whose viewers a run predicts; None where they are those that the model was trained on.

    `run`: content of ``run.json``.
    """
    facts = run.get("calibration")
    if not facts:
        return None
    scores = (
        "Focus is counted on the scale of the model as it ships, so that only runs with the same calibration compare."
    )
    despite = f" It was fitted to another model; the reason given: {facts['despite']}." if facts["despite"] else ""
    return f"{' '.join(facts['says'])} {scores}{despite}"
