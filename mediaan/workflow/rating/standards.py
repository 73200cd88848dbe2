"""Rate the scores of one result: what each is held against, and the scores in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mediaan.analysis import video_metric_specs
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, UnratedReason
from mediaan.judge.benchmark.targets import target_of, widen_target
from mediaan.metrics import BUILT_INS
from mediaan.types.benchmark import Category
from mediaan.types.metrics import MetricSpec
from mediaan.types.result import Result
from mediaan.workflow.rating.populations import Populations

METRIC_SPECS: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*(metric.spec for metric in BUILT_INS), *video_metric_specs(), *AOI_METRICS)
}
"""All metrics, those of areas included."""

Targets = Mapping[str, Sequence[Category]]


class Standards:
    """Standards for the scores of a run, each found once.

    Parameters
    ----------
    populations : Populations
    own : mapping of str to sequence of Category
        The user's targets, by `target_key`.
    """

    def __init__(self, populations: Populations, own: Targets) -> None:
        self._populations, self._own = populations, own
        # by identity of a case
        self._standards: dict[int, dict[tuple[str, str, str | None], ReferenceStandard | UnratedReason]] = {}

    def of(self, measured: MeasuredScore) -> ReferenceStandard | UnratedReason | None:
        """Return the standard of a score, or why there is none; None where no comparison was asked for."""
        case = self._populations.cases.get(measured.medium_id)
        if case is None:
            return None
        score, aoi_type = measured.score, measured.aoi.type if measured.aoi else None
        standards = self._standards.setdefault(id(case), {})
        key = (score.metric, score.time, aoi_type)
        if key in standards:
            return standards[key]
        match, spec = self._populations.find(case, *key), METRIC_SPECS.get(score.metric)
        if isinstance(match, str):
            standards[key] = UnratedReason(case.name, match)
        elif spec is None:
            standards[key] = UnratedReason(case.name, f"{score.metric} is no metric of this version")
        else:
            norms = self._populations.sets[case.source]
            target = target_of(score.metric, aoi_type, case.purpose, self._own)
            if match.norm.n_media < norms.min_n:
                target = widen_target(target, match.norm.n_media)
            standards[key] = ReferenceStandard(norms.name, norms.title, match, spec, target)
        return standards[key]


def measured_scores(result: Result) -> Iterator[MeasuredScore]:
    """Yield the scores of a medium, then those of its AOIs."""
    medium_id = str(result.medium.medium_id)
    for score in result.scores:
        yield MeasuredScore(medium_id, score)
    for aoi in result.aois or ():
        for score in aoi.scores:
            yield MeasuredScore(medium_id, score, aoi)
