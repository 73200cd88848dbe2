"""Compare two media, many, or groups of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from mediaan.analysis import video_metric_specs
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics import BUILT_INS
from mediaan.metrics.guide import Purpose
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.design_versions import DesignVersions, look_at_versions
from mediaan.studies.compare.differences import NO_INTERVAL, NO_SCORE_INTERVALS, Estimate, group_mean
from mediaan.studies.compare.groups import cluster_keys, group_media, pair_keys
from mediaan.studies.compare.media import RunMedium, check_comparable, find_media, read_scores
from mediaan.studies.compare.options import ALL, CompareOptions, select_scores
from mediaan.studies.compare.pairs import all_pairs, group_rows, media_rows, paired_rows
from mediaan.studies.compare.ranking import VariantRanking, rank
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.compare.scored_media import SamplingUnit, ScoredMedium, ScoreKey, cluster_media
from mediaan.studies.compare.verdicts import decide, direction_of, find_leader, mark_headlines
from mediaan.types.glossary import media_count
from mediaan.workflow.folder.inputs import load_inputs

_RANGES = {
    spec.name: (spec.low, spec.high) for spec in (*(m.spec for m in BUILT_INS), *video_metric_specs(), *AOI_METRICS)
}


def compare(
    *media: str | Path,
    runs: str | Path | Sequence[str | Path] = (),
    metrics: Sequence[str] = (),
    by: str | None = None,
    pair: str | None = None,
    cluster: str | None = None,
    type: Literal["image", "video", "mixed"] | None = None,
    versions: bool = False,
    attributes: str | Path | None = None,
    objectives: str | Path | None = None,
    device: str = "auto",
) -> CompareResult:
    """Compare media, or groups of media, by their scores.

    Two are compared by each score and by those of their areas: which leads on the headline scores, what is proven, and
    to which side the rest leans. More are ranked, and all pairs compared. What is proven is corrected for the number of
    comparisons.

    Parameters
    ----------
    *media : str or Path
        Paths as the runs' tables show them or an ending of one, ids, or files, which are analysed on the spot where no
        run holds them. Without any, all media of the runs.
    runs : path or sequence of paths
        Run directories, made with the same model, scales and exposure.
    metrics : sequence of str
        Scores, such as ``focus`` or ``branding.percentage_seen``; ``all`` for every score at every time. By default
        the media's own, and of areas attention, percentage seen and time spent over the whole exposure.
    by : str, optional
        Key that groups the media: a column of `attributes`, a setting of objectives, ``folder``, or ``run``.
    pair : str, optional
        Key that pairs media of different groups, such as ``name``, the file's name.
    cluster : str, optional
        Key that says which media of a group resemble each other, such as its campaigns: means of these are compared,
        and each counts once. Without it media count as independent of each other.
    type : {'image', 'video', 'mixed'}, optional
        Only media of this type.
    versions : bool
        Whether the media are versions of one design: what the program gets wrong about people is then much the same
        in all, so intervals say how well differences repeat. Takes still pictures that are at hand.
    attributes : path, optional
        CSV with keys of the media.
    objectives : path, optional
        Objectives file: what the media are for decides what is better.
    device : {'auto', 'cpu', 'cuda'}
        Where files are analysed.

    Returns
    -------
    Compared

    Raises
    ------
    UsageError
        A medium, metric or key that there is not; runs that cannot be compared (``not_comparable``).
    MediumError
        A file that cannot be analysed.

    Examples
    --------
    >>> import mediaan as mn
    >>> c = mn.compare("a.png", "b.png", runs="run")  # doctest: +SKIP
    >>> c.leader.side, c.leader.probability, c["focus"].verdict, c["focus"].lean, c.summary  # doctest: +SKIP
    """
    question = CompareOptions(tuple(metrics), by, pair, cluster, type, versions, attributes, objectives)
    with find_media(media, [runs] if isinstance(runs, (str, Path)) else runs, device) as held:
        return compare_media(held, question, device)


def compare_media(media: Sequence[RunMedium], question: CompareOptions, device: str = "auto") -> CompareResult:
    """Compare media that are at hand; errors as of `compare`."""
    question.check()
    media = [one for one in media if question.type in (None, one.type)]
    groups = group_media(media, question.by, question.attributes)
    alone = len(media) - sum(map(len, groups.values()))
    media = [one for own in groups.values() for one in own]
    asked = select_scores(question.metrics, pair_of_media=len(media) == 2 and not question.by)
    check_comparable(media, aois=any(one.aoi_type for one in asked))
    wanted, said = _same_exposure(asked, media)
    scored = {one.name: medium for one, medium in zip(media, read_scores(media), strict=True)}
    if not question.metrics or ALL in question.metrics:
        wanted = [one for one in wanted if one.aoi_type or any(_has(medium, one) for medium in scored.values())]
    purpose = _purpose(media, question.objectives)
    chosen = bool(question.metrics) and ALL not in question.metrics
    clusters = cluster_keys(media, groups, question.cluster, question.attributes) if question.cluster else None
    if question.by:
        partners = pair_keys(media, groups, question.pair, question.attributes) if question.pair else None
        members = {name: [scored[one.name] for one in own] for name, own in groups.items()}
        rows, rankings = _compare_groups(members, partners, clusters, wanted, purpose, chosen=chosen)
    else:
        versions = look_at_versions(media, device) if question.versions else None
        rows, rankings = _compare_single_media(list(scored.values()), wanted, purpose, versions, chosen=chosen)
    if clusters is not None:
        said += _left_out(question.cluster, len(media) - len(clusters))
    notes = (*said, *_left_out(question.by, alone), *_of_likeness(question), *_notes(media, rows))
    return CompareResult(
        names=tuple(groups),
        rows=rows,
        rankings=rankings,
        media={name: tuple(one.path for one in own) for name, own in groups.items()},
        by=question.by,
        pair=question.pair,
        cluster=question.cluster,
        versions=question.versions,
        purpose=purpose,
        notes=notes,
        leader=find_leader(rows, purpose) if len(groups) == 2 else None,
    )


def _has(medium: ScoredMedium, wanted: ScoreKey) -> bool:
    return (wanted.metric, wanted.time) in medium.scores


def _same_exposure(wanted: Sequence[ScoreKey], media: Sequence[RunMedium]) -> tuple[list[ScoreKey], list[str]]:
    """Without scores of areas where pictures were looked at for different times."""
    spans = sorted({one.run.exposure_s(one.path) for one in media if one.type == "image"})
    if len(spans) < 2 or not any(one.aoi_type for one in wanted):
        return list(wanted), []
    said = " and ".join(f"{span:g} s" for span in spans)
    note = f"Scores of areas are left out: the pictures are looked at for {said}."
    return [one for one in wanted if not one.aoi_type], [note]


def _purpose(media: Sequence[RunMedium], objectives: str | Path | None) -> Purpose | None:
    """What all of the media are for; None where they differ, or nothing is said."""
    if objectives:
        facts = load_inputs(objectives, None).objective_facts([one.path for one in media]) or {}
        said = {facts.get(one.path, {}).get("purpose") for one in media}
    else:
        said = {one.run.metadata.objective(one.path).get("purpose") for one in media}
    found = next(iter(said))
    return next((purpose for purpose in get_args(Purpose) if purpose == found), None) if len(said) == 1 else None


_Answer = tuple[tuple[Comparison, ...], tuple[VariantRanking, ...]]


def _compare_single_media(
    media: Sequence[ScoredMedium],
    wanted: Sequence[ScoreKey],
    purpose: Purpose | None,
    versions: DesignVersions | None,
    *,
    chosen: bool,
) -> _Answer:
    """Two by everything together; of more all pairs by each score, since each ranking answers a question of its own.

    `chosen`: the scores were asked for by name, so that each of them is a headline.
    """
    if len(media) == 2:
        rows = media_rows(media[0], media[1], wanted, versions)
        return decide(rows if chosen else mark_headlines(rows, purpose), purpose), ()
    pairs = {one: decide(all_pairs(media, one, versions), purpose) for one in wanted}
    estimates = {one: {medium.name: medium.estimate(one) for medium in media} for one in wanted}
    return _ranked(pairs, estimates, purpose)


def _compare_groups(
    groups: Mapping[str, Sequence[ScoredMedium]],
    partners: Mapping[str, str] | None,
    clusters: Mapping[str, str] | None,
    wanted: Sequence[ScoreKey],
    purpose: Purpose | None,
    *,
    chosen: bool,
) -> _Answer:
    examples: Mapping[str, Sequence[SamplingUnit]] = groups
    if clusters is not None:
        examples = {name: cluster_media(media, clusters) for name, media in groups.items()}
    if partners is None:
        rows = {one: group_rows(examples, one) for one in wanted}
    else:
        rows = {one: paired_rows(groups, partners, one) for one in wanted}
    return _ranked_groups(rows, examples, purpose, chosen=chosen)


def _ranked_groups(
    rows: Mapping[ScoreKey, Sequence[Comparison]],
    groups: Mapping[str, Sequence[SamplingUnit]],
    purpose: Purpose | None,
    *,
    chosen: bool,
) -> _Answer:
    """Of two groups all scores are one question; of more each is one of its own."""
    if len(groups) == 2:
        everything = [row for own in rows.values() for row in own]
        together = iter(decide(everything if chosen else mark_headlines(everything, purpose), purpose))
        settled = {one: tuple(next(together) for _ in own) for one, own in rows.items()}
    else:
        settled = {one: decide(own, purpose) for one, own in rows.items()}
    members = {one: {name: [m.estimate(one) for m in own] for name, own in groups.items()} for one in rows}
    means = {
        one: {name: group_mean(found, *_RANGES[one.metric]) for name, found in own.items()}
        for one, own in members.items()
    }
    values = {one: {name: _values(found) for name, found in own.items()} for one, own in members.items()}
    return _ranked(settled, means, purpose, values)


def _values(estimates: Sequence[Estimate]) -> tuple[float, ...]:
    return tuple(one.value for one in estimates if one.value is not None)


def _ranked(
    rows: Mapping[ScoreKey, tuple[Comparison, ...]],
    estimates: Mapping[ScoreKey, Mapping[str, Estimate]],
    purpose: Purpose | None,
    values: Mapping[ScoreKey, Mapping[str, tuple[float, ...]]] | None = None,
) -> _Answer:
    rankings = [
        rank(one, estimates[one], own, direction_of(one.metric, one.aoi_type, purpose), (values or {}).get(one))
        for one, own in rows.items()
    ]
    return tuple(row for own in rows.values() for row in own), tuple(rankings)


def _left_out(key: str | None, count: int) -> list[str]:
    return [f"Left out for want of {key}: {media_count(count)}."] if count else []


def _of_likeness(question: CompareOptions) -> Iterator[str]:
    """Media of one campaign resemble each other: 60 of five are not 60 examples of a group."""
    if question.by and not question.cluster:
        yield (
            f"{'Pairs' if question.pair else 'Media'} of a group count as independent examples. Where several come "
            "from one campaign or design, chance passes for a difference much more often than stated"
            + ("." if question.pair else "; --cluster KEY lets each campaign count once.")
        )


def _notes(media: Sequence[RunMedium], rows: Sequence[Comparison]) -> Iterator[str]:
    if len({one.medium_id for one in media}) < len(media):
        yield "Some of the media are the same to the byte: they do not differ, whatever their intervals say."
    if all(row.p is None for row in rows):
        if any(row.reason == NO_INTERVAL and row.unit == "score" for row in rows):
            yield (
                "The scores have no intervals, so that nothing can be told from chance: analyse with --intervals full."
            )
    elif all(NO_SCORE_INTERVALS in (row.reason or "") for row in rows if row.p is not None):
        yield f"{NO_SCORE_INTERVALS} Intervals would be wider with --intervals full."
    if len({one.duration_s for one in media if one.type != "image"}) > 1:
        yield "The videos differ in length: in a longer one more viewers see an area, and for longer, by that alone."
