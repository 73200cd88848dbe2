"""Rate the scores of one result: what each is held against, and the scores in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, UnratedReason, measured_target
from mediaan.judge.benchmark.targets import target_key, target_of, widen_target
from mediaan.metrics import metric_specs
from mediaan.types.benchmark import Category
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec
from mediaan.types.result import Result
from mediaan.workflow.rating.populations import PopulationCase, Populations

METRIC_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (*metric_specs(), *AOI_METRICS)}
"""All metrics, those of areas included."""

Targets = Mapping[str, Sequence[Category]]


class Standards:
    """Standards for the scores of a run, each looked up once.

    `targets`: the user's, by `target_key`.
    """

    def __init__(self, populations: Populations, targets: Targets) -> None:
        self._populations, self._targets = populations, targets
        self._standard_of = cache(self._look_up)

    def of(self, measured: MeasuredScore) -> ReferenceStandard | UnratedReason | None:
        """Return the standard of a score, or why there is none; None where no comparison was asked for."""
        case = self._populations.cases.get(measured.medium_id)
        if case is None:
            return None
        return self._standard_of(case, measured.score.metric, measured.score.time, measured.aoi_type)

    def _look_up(
        self, case: PopulationCase, metric: str, time: Window, aoi_type: str | None
    ) -> ReferenceStandard | UnratedReason:
        match, spec = self._populations.find(case, metric, time, aoi_type), METRIC_SPECS.get(metric)
        if isinstance(match, str):
            return UnratedReason(case.name, match)
        if spec is None:
            return UnratedReason(case.name, f"{metric} is no metric of this version")
        norms = self._populations.sets[case.source]
        target = target_of(metric, aoi_type, case.purpose, self._targets)
        key = target_key(metric, aoi_type)
        if key in norms.targets and key not in self._targets and (aoi_type is None or time == "total"):
            target = measured_target(norms.targets[key], match.norm)
        elif match.norm.n_media < norms.min_n:
            target = widen_target(target, match.norm.n_media)
        return ReferenceStandard(norms.name, norms.title, match, spec, target)


def measured_scores(result: Result) -> Iterator[MeasuredScore]:
    """Yield the scores of a medium, then those of its AOIs."""
    medium_id = str(result.medium.medium_id)
    yield from (MeasuredScore(medium_id, None, None, score) for score in result.scores)
    for aoi in result.aois or ():
        aoi_id = str(aoi.aoi_id)
        yield from (MeasuredScore(medium_id, aoi_id, aoi.type, score) for score in aoi.scores)
