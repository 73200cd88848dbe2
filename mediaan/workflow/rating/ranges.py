"""Rate the scores of a run against their populations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.analysis import video_metric_specs
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, UnratedReason, rate_scores
from mediaan.judge.benchmark.recommended import recommended_ranges
from mediaan.judge.benchmark.targets import target_of, widen_target
from mediaan.metrics import BUILT_INS
from mediaan.report import refresh_report
from mediaan.run import Run, read_run
from mediaan.run.aois.changes import end_change, open_for_change
from mediaan.run.results import read_results
from mediaan.run.tables.ranges import read_ranges, replace_ranges
from mediaan.types.benchmark import Category
from mediaan.types.metrics import MetricSpec
from mediaan.types.result import Result
from mediaan.workflow.rating.checks import write_checks
from mediaan.workflow.rating.populations import (
    AUTO,
    NONE,
    Populations,
    load_populations,
    rating_arguments,
)
from mediaan.workflow.rating.rules import refresh_rule_results

METRIC_SPECS: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*(metric.spec for metric in BUILT_INS), *video_metric_specs(), *AOI_METRICS)
}
"""All metrics, those of areas included."""

Targets = Mapping[str, Sequence[Category]]


def rate_run(
    run_dir: str | Path, choice: str = AUTO, despite: str = "", attributes: str | Path | None = None
) -> Populations:
    """Rate the scores of a finished run against norm sets, in place of the earlier rating.

    The tables `benchmark_ranges` and `checks` are written again, and `run.json` says which norm sets were used and
    which were refused. The report is not.

    Parameters
    ----------
    run_dir : path
    choice, despite, attributes
        As `load_populations` takes them.

    Returns
    -------
    Populations

    Raises
    ------
    UsageError
        No run; no such norm set; one that was named does not fit (code norms_mismatch).
    """
    run = read_run(run_dir)
    populations = load_populations(run, choice, despite, attributes)
    standards = Standards(populations, run.metadata.targets)
    count = replace_ranges(run.path, rate_scores(_measured(run), standards.of))
    run.metadata.updated(benchmark=populations.facts() | {"ranges": count}).write(run.path)
    write_checks(run)
    return populations


def write_ranges(
    run_dir: str | Path, choice: str | None = AUTO, despite: str = "", attributes: str | Path | None = None
) -> dict[str, Any]:
    """Rate a finished run again, with all that follows from it: results of its rules, and the report.

    Parameters and errors are those of `rate_run`; where `choice` is None the run is rated as it was before, and
    automatically if it was compared with nothing.

    Returns
    -------
    dict
        What `run.json` says of it.
    """
    arguments: dict[str, Any] = {"choice": choice, "despite": despite, "attributes": attributes}
    with open_for_change(run_dir) as run:
        if choice is None:
            before = rating_arguments(run)
            kept = before if before.get("choice") != NONE else {}
            arguments = {"choice": AUTO, **kept, **{key: value for key, value in arguments.items() if value}}
        populations = rate_run(run_dir, **arguments)
        refresh_rule_results(read_run(run_dir))
        refresh_report(run.path)
        end_change(run.path)
    return populations.facts()


def recommended_ranges_of(run_dir: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the recommended ranges of each medium of a run as the v2 service gives them, with its id and path."""
    media = read_run(run_dir).media.drop_duplicates("medium_id").set_index("medium_id")
    for medium_id, ranges in groupby(read_ranges(Path(run_dir)), attrgetter("medium_id")):
        yield {"media_id": medium_id, "path": media["path"][medium_id], **recommended_ranges(ranges)}


def rate_again(run_dir: str | Path) -> Populations:
    """Rate a run whose scores have changed, in the same way as before."""
    return rate_run(run_dir, **rating_arguments(read_run(run_dir)))


def check_rating(run: Run) -> None:
    """Refuse before the work what `rate_again` would refuse after it.

    Raises
    ------
    UsageError
        A norm set or table that the run was rated with is not there any more.
    """
    load_populations(run, **rating_arguments(run))


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
        self._found: dict[int, dict[tuple[str, str, str | None], ReferenceStandard | UnratedReason]] = {}

    def of(self, score: MeasuredScore) -> ReferenceStandard | UnratedReason | None:
        """Return the standard of a score, or why there is none; None where no comparison was asked for."""
        case = self._populations.cases.get(score.medium_id)
        if case is None:
            return None
        found = self._found.setdefault(id(case), {})
        key = (score.metric, score.metric_time, score.aoi_type)
        if key in found:
            return found[key]
        match, spec = self._populations.find(case, *key), METRIC_SPECS.get(score.metric)
        if isinstance(match, str):
            found[key] = UnratedReason(case.name, match)
        elif spec is None:
            found[key] = UnratedReason(case.name, f"{score.metric} is no metric of this version")
        else:
            norms = self._populations.sets[case.source]
            target = target_of(score.metric, score.aoi_type, case.purpose, self._own)
            if match.norm.n_media < norms.min_n:
                target = widen_target(target, match.norm.n_media)
            found[key] = ReferenceStandard(norms.name, norms.title, match, spec, target)
        return found[key]


def _measured(run: Run) -> Iterator[MeasuredScore]:
    """Yield all scores of a run: of each medium its own, then those of its AOIs."""
    seen: set[UUID] = set()
    for result in read_results(run, ("metrics", "aois", "aoi_scores")):
        if result.medium.medium_id not in seen:
            seen.add(result.medium.medium_id)
            yield from measured_scores(result)


def measured_scores(result: Result) -> Iterator[MeasuredScore]:
    """Yield the scores of a medium, then those of its AOIs."""
    medium_id = str(result.medium.medium_id)
    of_aois = ((str(aoi.aoi_id), aoi.type, score) for aoi in result.aois or () for score in aoi.scores)
    for aoi_id, aoi_type, score in chain(((None, None, score) for score in result.scores), of_aois):
        yield MeasuredScore(
            medium_id, aoi_id, aoi_type, score.metric, score.time, score.value, score.lo, score.hi, score.reason
        )
