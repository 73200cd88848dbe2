"""Compare two media of runs, many, or groups of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from mediaan.analysis.options import Device
from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.errors import UsageError, did_you_mean
from mediaan.metrics import METRICS
from mediaan.studies.compare.differences import (
    NO_INTERVAL,
    NO_SCORE_INTERVALS,
    Comparison,
    SamplingUnit,
    ScoreKey,
    cluster_media,
    estimate,
    group_mean,
)
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
from mediaan.studies.compare.pairs import (
    Looks,
    all_pairs,
    decide,
    direction_of,
    find_leader,
    group_rows,
    mark_headlines,
    media_rows,
    paired_rows,
    score_versions,
)
from mediaan.studies.compare.ranking import VariantRanking, rank
from mediaan.studies.compare.result import CompareResult
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.densities import Window
from mediaan.types.glossary import media_count
from mediaan.types.media import MediumKind, Purpose
from mediaan.types.result import Result
from mediaan.workflow.folder.inputs import load_inputs
from mediaan.workflow.populations import METRIC_SPECS

ALL = "all"
_TIMES: tuple[Window, ...] = get_args(Window)
_TIME_OF: dict[str, Window] = {name: metric.window for name, metric in METRICS.items() if metric.part_of}
"""The one time that a medium's own score is about, where that is not the whole."""
_OWN_NAMES = tuple(METRICS)
_AOI_NAMES = tuple(spec.name for spec in AOI_METRICS)
_USUAL_OF_AOIS = (ATTENTION.name, PERCENTAGE_SEEN.name, TIME_SPENT.name)


def select_scores(names: Sequence[str], *, pair_of_media: bool) -> list[ScoreKey]:
    """Select scores in the order in which they are asked for, or the usual ones.

    `names`: as users write them: ``focus``, ``branding.percentage_seen.start``, ``all``; empty for the usual ones.
    `pair_of_media`: whether two media are compared; then areas count too, and need no type.
    """
    of_media = [ScoreKey(name, _TIME_OF.get(name, "total")) for name in _OWN_NAMES]
    if not names:
        usual = [ScoreKey(name, "total", kind) for kind in AOI_TYPES for name in _USUAL_OF_AOIS]
        return of_media + (usual if pair_of_media else [])
    if ALL in names:
        kinds = (None, *AOI_TYPES) if pair_of_media else (None,)
        names_of = {kind: _AOI_NAMES if kind else _OWN_NAMES for kind in kinds}
        return [ScoreKey(name, time, kind) for kind in kinds for name in names_of[kind] for time in _TIMES]
    return list(dict.fromkeys(key for name in names for key in _parsed(name, pair_of_media=pair_of_media)))


def _parsed(name: str, *, pair_of_media: bool) -> Iterator[ScoreKey]:
    parts = name.strip().split(".")
    kinds = [kind for kind in AOI_TYPES if kind == parts[0]]
    metric, *times = parts[1:] if kinds else parts
    metrics = _AOI_NAMES if kinds else (*_OWN_NAMES, *_AOI_NAMES)
    if metric not in metrics:
        guess = did_you_mean(metric, metrics) or f"; there are {', '.join(metrics)}"
        raise UsageError(f"--metric {name}: no score is called {metric!r}{guess}", code="unknown_metric")
    if len(times) > 1 or any(time not in _TIMES for time in times):
        raise UsageError(f"--metric {name}: a time is one of {', '.join(_TIMES)}", code="unknown_metric")
    if metric in _OWN_NAMES:
        yield ScoreKey(metric, next((time for time in _TIMES if time in times), _TIME_OF.get(metric, "total")))
        return
    if not kinds and not pair_of_media:
        raise UsageError(
            f"--metric {name}: is a score of areas; say of which type, such as branding.{name}", code="unknown_metric"
        )
    for kind in kinds or AOI_TYPES:
        yield ScoreKey(metric, next((time for time in _TIMES if time in times), "total"), kind)


def compare_media(
    media: Sequence[RunMedium],
    *,
    metrics: Sequence[str] = (),
    by: str | None = None,
    pair: str | None = None,
    cluster: str | None = None,
    type: str | None = None,
    versions: bool = False,
    attributes: str | Path | None = None,
    objectives: str | Path | None = None,
    device: Device = "auto",
) -> CompareResult:
    """Compare media that were found in runs; arguments and errors are those of `mediaan.compare`."""
    _check_options(by, pair, cluster, versions=versions)
    media = [medium for medium in media if type in (None, medium.type)]
    groups = group_media(media, by, attributes)
    ungrouped = len(media) - sum(map(len, groups.values()))
    media = [medium for group in groups.values() for medium in group]
    score_keys = select_scores(metrics, pair_of_media=len(media) == 2 and not by)
    check_comparable(media, aois=any(key.aoi_type for key in score_keys))
    notes = []
    exposures = sorted({medium.run.exposure_s(medium.path) for medium in media if medium.type == "image"})
    if len(exposures) > 1 and any(key.aoi_type for key in score_keys):
        listed = " and ".join(f"{exposure:g} s" for exposure in exposures)
        notes.append(f"Scores of areas are left out: the images have exposures of {listed}.")
        score_keys = [key for key in score_keys if not key.aoi_type]
    results = {result.path: result for result in read_results(media)}
    if not metrics or ALL in metrics:
        in_runs = {(score.metric, score.time) for result in results.values() for score in result.scores}
        score_keys = [key for key in score_keys if key.aoi_type or (key.metric, key.time) in in_runs]
    purpose = _common_purpose(media, objectives)
    chosen = bool(metrics) and ALL not in metrics
    clusters = cluster_keys(media, groups, cluster, attributes) if cluster else None
    if by:
        partners = pair_keys(media, groups, pair, attributes) if pair else None
        members = {name: [results[medium.name] for medium in group] for name, group in groups.items()}
        rows, rankings = _compare_groups(members, partners, clusters, score_keys, purpose, chosen=chosen)
    else:
        looks = score_versions(media, list(results.values()), device) if versions else None
        rows, rankings = _compare_single_media(list(results.values()), score_keys, purpose, looks, chosen=chosen)
    if clusters is not None and len(clusters) < len(media):
        notes.append(f"Left out, because they have no {cluster}: {media_count(len(media) - len(clusters))}.")
    if ungrouped:
        notes.append(f"Left out, because they have no {by}: {media_count(ungrouped)}.")
    return CompareResult(
        names=tuple(groups),
        rows=rows,
        rankings=rankings,
        media={name: tuple(medium.path for medium in group) for name, group in groups.items()},
        by=by,
        pair=pair,
        cluster=cluster,
        versions=versions,
        purpose=purpose,
        notes=(*notes, *_cautions(media, rows, by, pair, cluster)),
        leader=find_leader(rows, purpose) if len(groups) == 2 else None,
    )


def _check_options(by: str | None, pair: str | None, cluster: str | None, *, versions: bool) -> None:
    """Refuse options that do not go together."""
    if pair and not by:
        raise UsageError("--pair needs --by, which defines the groups", code="bad_groups")
    if cluster and (pair or not by):
        raise UsageError("--cluster needs --by, and cannot be used with --pair", code="bad_groups")
    if versions and by:
        raise UsageError("--versions compares single images; it cannot be used with --by", code="bad_groups")


def compare_types(
    media: Sequence[RunMedium], *, type: str | None = None, **options: Any
) -> dict[str, CompareResult | str]:
    """Compare media of each type apart, since the scores of images and of videos mean different things.

    `**options`: the other arguments of `compare_media`.
    Returns: by type; why there is nothing to compare where one type has too few media or groups.
    Raises UsageError: as of `compare`; or no type has anything to compare (``bad_groups``).
    """
    in_runs = {medium.type for medium in media}
    types = [kind for kind in get_args(MediumKind) if type in (None, kind) and kind in in_runs]
    if len(types) < 2:
        return {kind: compare_media(media, type=type, **options) for kind in types or ("image",)}
    compared: dict[str, CompareResult | str] = {}
    for kind in types:
        try:
            compared[kind] = compare_media(media, type=kind, **options)
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
    looks: Looks | None,
    *,
    chosen: bool,
) -> _Compared:
    """Compare two by everything together; of more all pairs by each score: each ranking answers a question of its own.

    `chosen`: the scores were asked for by name, so that each of them is a headline.
    """
    if len(media) == 2:
        of_two = media_rows(media[0], media[1], score_keys, looks)
        return decide(of_two if chosen else mark_headlines(of_two, purpose), purpose), ()
    rows, rankings = list[Comparison](), []
    for key in score_keys:
        pairs = decide(all_pairs(media, key, looks), purpose)
        estimates = {medium.path: estimate(medium, key) for medium in media}
        rankings.append(rank(key, estimates, pairs, direction_of(key.metric, key.aoi_type, purpose)))
        rows += pairs
    return tuple(rows), tuple(rankings)


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
    rankings = []
    for key, of_score in decided.items():
        estimates = {name: [estimate(unit, key) for unit in group] for name, group in units.items()}
        spec, direction = METRIC_SPECS[key.metric], direction_of(key.metric, key.aoi_type, purpose)
        means = {name: group_mean(scores, spec.low, spec.high) for name, scores in estimates.items()}
        values = {name: tuple(s.value for s in scores if s.value is not None) for name, scores in estimates.items()}
        rankings.append(rank(key, means, of_score, direction, values))
    return tuple(row for of_score in decided.values() for row in of_score), tuple(rankings)


def _cautions(
    media: Sequence[RunMedium], rows: Sequence[Comparison], by: str | None, pair: str | None, cluster: str | None
) -> Iterator[str]:
    if by and not cluster:  # 60 media of five campaigns are not 60 examples of a group
        yield (
            f"{'Pairs' if pair else 'Files'} of a group count as independent. Where several come from one "
            "campaign or design, differences are much less certain than stated"
            + ("." if pair else "; --cluster KEY counts each campaign once.")
        )
    if len({medium.medium_id for medium in media}) < len(media):
        yield "Some files are identical to the byte: they do not differ, whatever their intervals say."
    if all(row.p is None for row in rows):
        if any(row.reason == NO_INTERVAL and row.unit == "score" for row in rows):
            yield "The scores have no intervals, so nothing is proven: analyze the files again."
    elif all(NO_SCORE_INTERVALS in (row.reason or "") for row in rows if row.p is not None):
        yield f"{NO_SCORE_INTERVALS} Intervals would be wider if the files were analyzed again."
    if len({medium.result.medium.duration_s for medium in media if medium.type != "image"}) > 1:
        yield "The videos differ in length: that alone lets more viewers see an area of a longer video, and for longer."
