"""Compare two media, many, or groups of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from mediaan.analysis.options import Device
from mediaan.errors import UsageError
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.design_versions import DesignVersions, score_versions
from mediaan.studies.compare.differences import NO_INTERVAL, NO_SCORE_INTERVALS, Estimate, group_mean
from mediaan.studies.compare.media import (
    MIXED_TYPES,
    TYPE_NAMES,
    RunMedium,
    check_comparable,
    cluster_keys,
    group_media,
    pair_keys,
    read_results,
)
from mediaan.studies.compare.options import ALL, CompareOptions, select_scores
from mediaan.studies.compare.pairs import all_pairs, group_rows, media_rows, paired_rows
from mediaan.studies.compare.ranking import VariantRanking, rank
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.compare.scored_media import SamplingUnit, ScoreKey, cluster_media, estimate
from mediaan.studies.compare.verdicts import decide, direction_of, find_leader, mark_headlines
from mediaan.types.glossary import media_count
from mediaan.types.media import MediumKind, Purpose
from mediaan.types.result import Result
from mediaan.workflow.folder.inputs import load_inputs
from mediaan.workflow.populations import METRIC_SPECS


def compare_media(media: Sequence[RunMedium], options: CompareOptions, device: Device = "auto") -> CompareResult:
    """Compare media that were found in runs; errors as of `mediaan.compare`."""
    options.check()
    media = [medium for medium in media if options.type in (None, medium.type)]
    groups = group_media(media, options.by, options.attributes)
    ungrouped = len(media) - sum(map(len, groups.values()))
    media = [medium for group in groups.values() for medium in group]
    score_keys = select_scores(options.metrics, pair_of_media=len(media) == 2 and not options.by)
    check_comparable(media, aois=any(key.aoi_type for key in score_keys))
    notes = []
    exposures = sorted({medium.run.exposure_s(medium.path) for medium in media if medium.type == "image"})
    if len(exposures) > 1 and any(key.aoi_type for key in score_keys):
        listed = " and ".join(f"{exposure:g} s" for exposure in exposures)
        notes.append(f"Scores of areas are left out: the images have exposures of {listed}.")
        score_keys = [key for key in score_keys if not key.aoi_type]
    results = {result.path: result for result in read_results(media)}
    if not options.metrics or ALL in options.metrics:
        in_runs = {(score.metric, score.time) for result in results.values() for score in result.scores}
        score_keys = [key for key in score_keys if key.aoi_type or (key.metric, key.time) in in_runs]
    purpose = _common_purpose(media, options.objectives)
    chosen = bool(options.metrics) and ALL not in options.metrics
    clusters = cluster_keys(media, groups, options.cluster, options.attributes) if options.cluster else None
    if options.by:
        partners = pair_keys(media, groups, options.pair, options.attributes) if options.pair else None
        members = {name: [results[medium.name] for medium in group] for name, group in groups.items()}
        rows, rankings = _compare_groups(members, partners, clusters, score_keys, purpose, chosen=chosen)
    else:
        versions = score_versions(media, list(results.values()), device) if options.versions else None
        rows, rankings = _compare_single_media(list(results.values()), score_keys, purpose, versions, chosen=chosen)
    if clusters is not None and len(clusters) < len(media):
        notes.append(f"Left out, because they have no {options.cluster}: {media_count(len(media) - len(clusters))}.")
    if ungrouped:
        notes.append(f"Left out, because they have no {options.by}: {media_count(ungrouped)}.")
    return CompareResult(
        names=tuple(groups),
        rows=rows,
        rankings=rankings,
        media={name: tuple(medium.path for medium in group) for name, group in groups.items()},
        by=options.by,
        pair=options.pair,
        cluster=options.cluster,
        versions=options.versions,
        purpose=purpose,
        notes=(*notes, *_cautions(media, rows, options)),
        leader=find_leader(rows, purpose) if len(groups) == 2 else None,
    )


def compare_types(
    media: Sequence[RunMedium], options: CompareOptions, device: Device = "auto"
) -> dict[str, CompareResult | str]:
    """Compare media of each type apart, since the scores of images and of videos mean different things.

    `media`: of any types.
    Returns: by type; why there is nothing to compare where one type has too few media or groups.
    Raises UsageError: as of `compare`; or no type has anything to compare (``bad_groups``).
    """
    in_runs = {medium.type for medium in media}
    types = [kind for kind in get_args(MediumKind) if options.type in (None, kind) and kind in in_runs]
    if len(types) < 2:
        return {kind: compare_media(media, options, device) for kind in types or ("image",)}
    compared: dict[str, CompareResult | str] = {}
    for kind in types:
        try:
            compared[kind] = compare_media(media, replace(options, type=kind), device)
        except UsageError as error:
            if error.code != "bad_groups":
                raise
            compared[kind] = error.message
    if all(isinstance(result, str) for result in compared.values()):
        reasons = "; ".join(f"{TYPE_NAMES[kind]}: {reason}" for kind, reason in compared.items())
        raise UsageError(f"{MIXED_TYPES}, and there are too few of one type. {reasons}", code="bad_groups")
    return compared


def _common_purpose(media: Sequence[RunMedium], objectives: str | Path | None) -> Purpose | None:
    """Return what all of the media are for; None where they differ, or nothing is said."""
    if objectives:
        facts = load_inputs(objectives, None).objective_facts([medium.path for medium in media]) or {}
        purposes = {facts.get(medium.path, {}).get("purpose") for medium in media}
    else:
        purposes = {medium.result.purpose for medium in media}
    return next((purpose for purpose in get_args(Purpose) if purposes == {purpose}), None)


_Compared = tuple[tuple[Comparison, ...], tuple[VariantRanking, ...]]


def _compare_single_media(
    media: Sequence[Result],
    score_keys: Sequence[ScoreKey],
    purpose: Purpose | None,
    versions: DesignVersions | None,
    *,
    chosen: bool,
) -> _Compared:
    """Compare two by everything together; of more all pairs by each score: each ranking answers a question of its own.

    `chosen`: the scores were asked for by name, so that each of them is a headline.
    """
    if len(media) == 2:
        rows = media_rows(media[0], media[1], score_keys, versions)
        return decide(rows if chosen else mark_headlines(rows, purpose), purpose), ()
    pairs = {key: decide(all_pairs(media, key, versions), purpose) for key in score_keys}
    estimates = {key: {medium.path: estimate(medium, key) for medium in media} for key in score_keys}
    return _rank_all(pairs, estimates, purpose)


def _compare_groups(
    groups: Mapping[str, Sequence[Result]],
    partners: Mapping[str, str] | None,
    clusters: Mapping[str, str] | None,
    score_keys: Sequence[ScoreKey],
    purpose: Purpose | None,
    *,
    chosen: bool,
) -> _Compared:
    """Compare groups by their means; of two groups all scores are one question, of more each is one of its own."""
    units: Mapping[str, Sequence[SamplingUnit]] = groups
    if clusters is not None:
        units = {name: cluster_media(media, clusters) for name, media in groups.items()}
    if partners is None:
        rows = {key: group_rows(units, key) for key in score_keys}
    else:
        rows = {key: paired_rows(groups, partners, key) for key in score_keys}
    if len(groups) == 2:
        everything = [row for of_score in rows.values() for row in of_score]
        together = iter(decide(everything if chosen else mark_headlines(everything, purpose), purpose))
        decided = {key: tuple(next(together) for _ in of_score) for key, of_score in rows.items()}
    else:
        decided = {key: decide(of_score, purpose) for key, of_score in rows.items()}
    means: dict[ScoreKey, dict[str, Estimate]] = {}
    values: dict[ScoreKey, dict[str, tuple[float, ...]]] = {}
    for key in rows:
        estimates = {name: [estimate(unit, key) for unit in group] for name, group in units.items()}
        spec = METRIC_SPECS[key.metric]
        means[key] = {name: group_mean(scores, spec.low, spec.high) for name, scores in estimates.items()}
        values[key] = {
            name: tuple(score.value for score in scores if score.value is not None)
            for name, scores in estimates.items()
        }
    return _rank_all(decided, means, purpose, values)


def _rank_all(
    rows: Mapping[ScoreKey, tuple[Comparison, ...]],
    estimates: Mapping[ScoreKey, Mapping[str, Estimate]],
    purpose: Purpose | None,
    values: Mapping[ScoreKey, Mapping[str, tuple[float, ...]]] | None = None,
) -> _Compared:
    rankings = [
        rank(key, estimates[key], of_score, direction_of(key.metric, key.aoi_type, purpose), (values or {}).get(key))
        for key, of_score in rows.items()
    ]
    return tuple(row for of_score in rows.values() for row in of_score), tuple(rankings)


def _cautions(media: Sequence[RunMedium], rows: Sequence[Comparison], options: CompareOptions) -> Iterator[str]:
    if options.by and not options.cluster:  # 60 media of five campaigns are not 60 examples of a group
        yield (
            f"{'Pairs' if options.pair else 'Files'} of a group count as independent. Where several come from one "
            "campaign or design, differences are much less certain than stated"
            + ("." if options.pair else "; --cluster KEY counts each campaign once.")
        )
    if len({medium.medium_id for medium in media}) < len(media):
        yield "Some files are identical to the byte: they do not differ, whatever their intervals say."
    if all(row.p is None for row in rows):
        if any(row.reason == NO_INTERVAL and row.unit == "score" for row in rows):
            yield ("The scores have no intervals, so nothing is proven: analyze with --intervals full.")
    elif all(NO_SCORE_INTERVALS in (row.reason or "") for row in rows if row.p is not None):
        yield f"{NO_SCORE_INTERVALS} Intervals would be wider with --intervals full."
    if len({medium.result.medium.duration_s for medium in media if medium.type != "image"}) > 1:
        yield "The videos differ in length: that alone lets more viewers see an area of a longer video, and for longer."
