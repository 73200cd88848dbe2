"""Describe one metric, and its distribution over a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc
from markupsafe import Markup

from mediaan.metrics.guide import PURPOSES, Aim, Guide, agreement_text, guides
from mediaan.report.entries import MediumEntry, RunContents
from mediaan.report.formatting import position
from mediaan.report.selection import ScoreDistribution, ScoreRanking, Standing, distribution, read_ranking
from mediaan.types.metrics import MetricSpec, range_text

_WIDTH, _HEIGHT = 200.0, 48.0  # of a histogram, in its own units


@dataclass(frozen=True, slots=True)
class ReportMetric:
    """One metric with the guide to it, and, of a score of media, its distribution over the run."""

    spec: MetricSpec
    """As `run.json` describes it."""
    distribution: ScoreDistribution | None = None
    standings: Sequence[Standing | None] = ()
    """Of each entry among all media of the run that are of its type, images or videos."""
    level_with_best: int = -1
    """As in `ScoreRanking`; -1 where the run has media of both types."""

    @property
    def guide(self) -> Guide | None:
        """The guide to it; None for a metric that this version does not know."""
        return guides().get(self.spec.name)

    @property
    def range(self) -> str:
        """Possible values with their unit."""
        return range_text(self.spec.low, self.spec.high, self.spec.unit)

    @property
    def agreement(self) -> str:
        """How well it agrees with people."""
        return agreement_text(self.spec.name)

    @property
    def aims(self) -> Mapping[str, Aim]:
        """Directions that are good, by purpose or 'any'."""
        return self.guide.aims if self.guide else {"any": Aim(self.spec.direction, "", "")}

    def aim(self, purpose: str | None) -> Aim:
        """Return the direction that is good for a purpose, by default the usual one."""
        return self.aims.get(purpose or "any", self.aims["any"])

    @property
    def by_purpose(self) -> Mapping[str, Aim]:
        """Purposes in readers' words, where they have an aim of their own."""
        return {words: self.aims[purpose] for purpose, words in PURPOSES.items() if purpose in self.aims}

    @property
    def decimals(self) -> int:
        """Digits after the point: 0 of scores and counts, 1 of a range from 50, else 2."""
        if self.spec.unit in ("score", "count"):
            return 0
        return 2 if self.spec.high - self.spec.low < 50 else 1

    @property
    def figure(self) -> Markup | None:
        """The histogram, or None when no medium has a value."""
        return histogram(self.distribution, self.spec) if self.distribution else None


def summarize_metrics(contents: RunContents) -> list[ReportMetric]:
    """Read the distribution of each metric over all media, and rank each entry among media of its type."""
    return [_summarize_metric(spec, contents) for spec in contents.specs]


def _summarize_metric(spec: MetricSpec, contents: RunContents) -> ReportMetric:
    overview = contents.overview
    ranking, ids = read_ranking(contents.run.path, spec, overview.times.get(spec.name, "total"), overview.moving_ids)
    stills = videos = ranking
    if overview.is_mixed:
        moves = pc.is_in(ids, value_set=overview.moving_ids).to_numpy()
        stills, videos = ranking.part(~moves), ranking.part(moves)
    return ReportMetric(
        spec,
        distribution(ranking.values, spec),
        [_standing(videos if entry.moves else stills, entry, spec) for entry in contents.entries],
        level_with_best=-1 if overview.is_mixed else ranking.level_with_best,
    )


def _standing(ranking: ScoreRanking, entry: MediumEntry, spec: MetricSpec) -> Standing | None:
    score = entry.scores.get(spec.name)
    return ranking.standing(score.value, entry.moves_by(score) or 0.0) if score else None


def histogram(scores: ScoreDistribution, spec: MetricSpec) -> Markup:
    """Draw a histogram over the metric's whole range, with the middle half shaded and the median as a line.

    Returns: an `svg` element that stretches to its box; classes `half`, `bins` and `median` are coloured by the style
        sheet.
    """
    tallest, step = max(scores.counts), _WIDTH / len(scores.counts)
    heights = [(i * step + 0.6, max(2.0, n / tallest * (_HEIGHT - 4))) for i, n in enumerate(scores.counts) if n]
    bars = "".join(f"M{x:.1f} {_HEIGHT:.0f}v-{high:.1f}h{step - 1.2:.1f}V{_HEIGHT:.0f}z" for x, high in heights)
    q1, median, q3 = (position(q, spec) / 100 * _WIDTH for q in (scores.q1, scores.median, scores.q3))
    return Markup(
        '<svg class="histogram" viewBox="0 0 {w:.0f} {h:.0f}" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="half" x="{q1:.1f}" y="0" width="{half:.1f}" height="{h:.0f}"/>'
        '<path class="bins" d="{bars}"/>'
        '<path class="median" d="M{median:.1f} 0V{h:.0f}"/></svg>'
    ).format(w=_WIDTH, h=_HEIGHT, q1=q1, half=max(q3 - q1, 0.8), bars=bars, median=median)
