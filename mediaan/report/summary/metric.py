"""Describe one metric, and its distribution over a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.overview import Overview
from mediaan.report.data.rankings import ScoreDistribution, Standing, distribution, read_ranking
from mediaan.report.formatting import histogram
from mediaan.report.summary.descriptions import About, about
from mediaan.types.metrics import MetricSpec


@dataclass(frozen=True, slots=True)
class ReportMetric:
    """One metric over the run: what it means, how it is spread, and each entry's standing among all media.

    `whole`: all values are whole numbers; `level_with_best` is as in `Ranking`.
    """

    spec: MetricSpec
    spread: ScoreDistribution | None
    standings: list[Standing | None]
    about: About
    whole: bool
    level_with_best: int

    @property
    def decimals(self) -> int:
        """Digits after the point that suit the metric's range; a wide one keeps one, or none for scores and counts."""
        if self.spec.unit == "count":
            return 0 if self.whole else 1
        if self.spec.high - self.spec.low < 50:
            return 2
        return 0 if self.spec.unit == "score" else 1

    @property
    def figure(self) -> Markup | None:
        """The histogram, or None when no medium has a value."""
        return histogram(self.spread, self.spec) if self.spread else None


def summarize_metric(
    spec: MetricSpec, entries: Sequence[MediumEntry], run_dir: Path, overview: Overview
) -> ReportMetric:
    """Read how a metric is spread over all media, and where each entry stands among them."""
    ranking, _ = read_ranking(run_dir, spec, overview.times.get(spec.name, "total"))
    return ReportMetric(
        spec,
        distribution(ranking.values, spec),
        [ranking.standing(entry.scores.get(spec.name)) for entry in entries],
        about(spec),
        whole=bool((ranking.values % 1 == 0).all()),
        level_with_best=ranking.level_with_best,
    )
