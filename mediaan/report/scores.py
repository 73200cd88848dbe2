"""Scores of a run with what moved them, joined from its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from mediaan.metrics.driver_specs import DRIVER_SPECS
from mediaan.report.contents import Row
from mediaan.types.metrics import Contribution, Score, Time

ScoresByTime = Mapping[str, Mapping[Time, Score]]

_Key = tuple[str, str, str]


def scores_by_time(metrics: Sequence[Row], drivers: Sequence[Row]) -> dict[str, dict[str, dict[Time, Score]]]:
    """Scores by medium, metric and time.

    Parameters
    ----------
    metrics, drivers : sequence of rows
        Of the tables of these names.
    """
    moved = _drivers_by_score(drivers)
    scores: dict[str, dict[str, dict[Time, Score]]] = defaultdict(lambda: defaultdict(dict))
    for row in metrics:
        scores[row["medium_id"]][row["metric"]][row["metric_time"]] = Score(
            metric=row["metric"],
            time=row["metric_time"],
            value=row["value"],
            lo=row["lo"],
            hi=row["hi"],
            basis=row["basis"],
            unit=row["unit"],
            reason=row["reason"],
            drivers=moved.get(_key(row), ()),
        )
    return scores


def _key(row: Row) -> _Key:
    return row["medium_id"], row["metric"], row["metric_time"]


def _drivers_by_score(rows: Sequence[Row]) -> dict[_Key, tuple[Contribution, ...]]:
    """What moved each score, the largest first."""
    found: dict[_Key, list[Row]] = defaultdict(list)
    for row in rows:
        found[_key(row)].append(row)
    return {key: tuple(map(_driver, sorted(of, key=lambda row: int(row["rank"])))) for key, of in found.items()}


def _driver(row: Row) -> Contribution:
    spec = DRIVER_SPECS.get(row["driver"])
    return Contribution(row["driver"], row["value"], spec.unit if spec else "", row["points"], row["text"])
