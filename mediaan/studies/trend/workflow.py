"""Follow the scores of runs over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date as Date
from itertools import permutations
from pathlib import Path
from typing import Literal, NamedTuple

from mediaan.benchmark.comparability import ComparabilityKey
from mediaan.errors import UsageError, did_you_mean
from mediaan.run import Run
from mediaan.run.metadata import RunMetadata
from mediaan.studies.run_tables import RunTables, read_run_tables
from mediaan.studies.trend.dates import PATH, RUN, DatedMedia, DatedMedium, date_media
from mediaan.studies.trend.periods import CalendarPeriod, choose_kind, coarsest_kind, period_of
from mediaan.studies.trend.result import PERIOD_KINDS, PeriodKind, Trend, Trends
from mediaan.studies.trend.scores import AOI_SPECS, FOLLOWED, SPECS, TrendSubject, Values, read_subject_scores
from mediaan.studies.trend.statistics import DatedScore, decide_trends, measure_trend, slope_unit
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.glossary import media_count
from mediaan.types.metrics import Time
from mediaan.workflow.rating.populations import comparability_key_of


def check_comparable(
    sides: Sequence[RunTables], media: Sequence[DatedMedium], *, aois: bool, despite: str = ""
) -> tuple[str, ...]:
    """Refuse media that were measured differently: a new model in between is not a trend.

    Parameters
    ----------
    sides : sequence of Side
    media : sequence of DatedMedium
        Of these sides; sides without any do not matter.
    aois : bool
        Whether scores of AOIs are meant.
    despite : str
        Why they are put together all the same.

    Returns
    -------
    tuple of str
        What was passed over for that reason, to be told; empty where there was nothing.

    Raises
    ------
    UsageError
        ``not_comparable``, with every reason.
    """
    used = [sides[i] for i in sorted({one.side for one in media})]
    kinds, measures = tuple(_of_types(media)), (*_of_runs(used, media, aois), *_of_exposures(sides, media, aois))
    reasons = tuple(dict.fromkeys((*kinds, *measures)))
    if reasons and not despite:
        remedy = "Analyse them again with one version and one recipe" if measures else "Follow one of them with --type"
        raise UsageError(
            f"these media were not measured alike, and a change of the measure is no trend: {'; '.join(reasons)}. "
            f"{remedy}, or say with --despite REASON why they go together",
            code="not_comparable",
        )
    return tuple(f"Put together despite this ({despite}): {reason}." for reason in reasons)


def _of_types(media: Sequence[DatedMedium]) -> Iterator[str]:
    moving = sum(one.type != "image" for one in media)
    if 0 < moving < len(media):
        yield (
            f"scores of {len(media) - moving} pictures are about their exposure, those of {moving} videos about their "
            "own length"
        )


def _of_runs(sides: Sequence[RunTables], media: Sequence[DatedMedium], aois: bool) -> Iterator[str]:
    """Compare runs by how they were measured; for areas only runs that were asked for them."""
    videos = any(one.type != "image" for one in media)
    for wanted, some in ((False, sides), (True, [side for side in sides if aois and side.areas_wanted])):
        for one in some[1:]:
            yield from _of_two(some[0], one, aois=wanted, videos=videos)


def _of_two(a: RunTables, b: RunTables, *, aois: bool, videos: bool) -> tuple[str, ...]:
    """Return why two runs differ; either may lack what the other has: the first that has a reason tells it."""
    for one, other in permutations((a, b)):
        names = str(one.path), str(other.path)
        found = _comparability_key(one).mismatches(_comparability_key(other), aois=aois, videos=videos, names=names)
        if found:
            return found
    return ()


def _of_exposures(sides: Sequence[RunTables], media: Sequence[DatedMedium], aois: bool) -> Iterator[str]:
    """Tell of areas in images with different exposures: each may have its own."""
    runs = [Run(side.path, RunMetadata.parse(side.facts)) for side in sides]
    pictures = (one for one in media if aois and one.type == "image" and sides[one.side].areas_wanted)
    exposures = sorted({runs[one.side].exposure_s(one.path) for one in pictures})
    if len(exposures) > 1:
        yield f"areas of pictures are looked at for {', '.join(f'{exposure:g}' for exposure in exposures)} s"


def _comparability_key(side: RunTables) -> ComparabilityKey:
    """Return a run's key; older versions do not name their scales, but each used one; exposures are told by medium."""
    try:
        found = comparability_key_of(RunMetadata.parse(side.facts))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{side.path}: mediaan {side.facts.get('mediaan', '(unknown)')} made this run, which does not say how its "
            "numbers were measured: analyse the media again",
            code="old_run",
        ) from error
    return replace(found, scores_id=found.scores_id or f"those of mediaan {found.mediaan}", exposure_s=0.0)


class TrendFrame(NamedTuple):
    """Settings that all trends that are looked at together share."""

    time: Time
    kind: PeriodKind
    per: PeriodKind
    split: Date | None


MAX_GROUPS = 6
"""Lines that an eye can tell apart; the media of further groups are put together."""

OTHERS = "other groups"


def trend(
    runs: Sequence[str | Path] | str | Path,
    *,
    date: str = RUN,
    attributes: str | Path | None = None,
    by: str | None = None,
    period: PeriodKind | Literal["auto"] = "auto",
    metrics: Sequence[str] = (),
    time: Time = "total",
    aoi: str = "branding",
    type: Literal["image", "video", "mixed"] | None = None,
    split: Date | None = None,
    despite: str = "",
) -> Trends:
    """Follow scores and the attention to brands over time.

    Parameters
    ----------
    runs : path, or sequence of path
        Run directories.
    date : str
        Where dates come from: a column of `attributes`; ``path``, from the names of folders and files; ``run``, when
        each run was made.
    attributes : path, optional
        CSV with more of each medium.
    by : str, optional
        Draw a line for each value of this: a column, a setting of the objectives, or a folder.
    period : {'auto', 'day', 'week', 'month', 'quarter', 'year'}
        Over which means are taken; auto: of which there are about twelve.
    metrics : sequence of str
        Names; by default all. ``branding.attention`` also says the type of AOIs.
    time : {'total', 'start', 'end'}
        Of the scores: all the exposure, the first or the last two seconds.
    aoi : str
        Type of AOIs to follow, or ``none``.
    type : {'image', 'video', 'mixed'}, optional
        Only media of this type.
    split : date, optional
        Look for one step between the days before it and those from it on, such as a relaunch, and not for slopes.
    despite : str
        Why runs are put together although their numbers may not be compared.

    Returns
    -------
    Trends

    Raises
    ------
    UsageError
        No run, dates that cannot be read, numbers that may not be compared (``not_comparable``), unknown names.

    Examples
    --------
    >>> import mediaan as mn
    >>> found = mn.trend(["january", "february", "march"], date="run")  # doctest: +SKIP
    >>> [(one.title, one.verdict) for one in found.trends]  # doctest: +SKIP
    """
    metrics, aoi = _without_type(metrics, aoi)
    _check_names(metrics, aoi, period)
    sides = [read_run_tables(run) for run in ([runs] if isinstance(runs, str | Path) else runs)]
    aoi_type = None if aoi == "none" else aoi
    dated = date_media(sides, date, attributes, by, type)
    kind = _kind(dated.media, period)
    _check_split(dated.media, split)
    cautions = check_comparable(sides, dated.media, aois=aoi_type is not None, despite=despite)
    names = _group_names(dated.media)
    span = max(one.date.middle for one in dated.media) - min(one.date.middle for one in dated.media)
    scores = _scores(sides, time, aoi_type, metrics)
    found = tuple(
        _trends(dated.media, names if by else None, scores, TrendFrame(time, kind, slope_unit(span.days), split))
    )
    if not found:
        raise _nothing(sides, metrics, time)
    periods = [period_of(one.date.middle, kind) for one in dated.media]
    return Trends(
        runs=tuple(str(side.path) for side in sides),
        dates=_source_in_words(date, attributes),
        period=kind,
        first=min(periods).first,
        last=max(periods).last,
        by=by,
        groups=dict(Counter(names[one.group] for one in dated.media if one.group is not None).most_common()),
        split=split,
        n=len(dated.media),
        undated=dated.undated,
        notes=(*cautions, *_of_time(periods), *_notes(sides, dated, names, by, aoi_type)),
        trends=decide_trends(found),
    )


def _nothing(sides: Sequence[RunTables], metrics: Sequence[str], time: Time) -> UsageError:
    what = ", ".join(metrics) or "any score"
    known = [side.scores[side.scores["metric"].isin(metrics)] for side in sides]
    times = sorted({str(name) for rows in known for name in rows["metric_time"].unique()} - {time})
    hint = f"; take --time {times[0]}" if times else ""
    return UsageError(f"the media with a date have no value of {what} at the time {time}{hint}", code="no_scores")


def _without_type(metrics: Sequence[str], aoi: str) -> tuple[list[str], str]:
    """Return names of metrics, and the type of AOIs that they say: ``headline_text.attention``."""
    parts = [(kind, rest) if rest else ("", kind) for kind, _, rest in (name.partition(".") for name in metrics)]
    kinds = sorted({kind for kind, _ in parts if kind})
    if len(kinds) > 1:
        raise UsageError(f"one type of AOIs is followed at a time, not {' and '.join(kinds)}", code="unknown_name")
    return [metric for _, metric in parts], kinds[0] if kinds else aoi


def _check_names(metrics: Sequence[str], aoi: str, period: str) -> None:
    known = [*SPECS, *(spec.name for spec in FOLLOWED)]
    for name, choices, what in (
        *((name, known, "metric") for name in metrics),
        (aoi, [*AOI_TYPES, "none"], "AOI type"),
        (period, ["auto", *PERIOD_KINDS], "period"),
    ):
        if name not in choices:
            guess = did_you_mean(name, choices) or "."
            raise UsageError(f"no {what} {name!r}{guess} There are {', '.join(choices)}", code="unknown_name")


def _kind(media: Sequence[DatedMedium], period: PeriodKind | Literal["auto"]) -> PeriodKind:
    dates = {one.date for one in media}
    if period == "auto":
        return choose_kind(dates)
    least = coarsest_kind(dates)
    if PERIOD_KINDS.index(period) < PERIOD_KINDS.index(least):
        vague = next(one for one in media if one.date.kind == least)
        raise UsageError(
            f"--period {period}: the date of {vague.path} is known to the {least} only ({vague.date.name}); "
            f"take --period {least}, or write the day",
            code="dates_invalid",
        )
    return period


def _check_split(media: Sequence[DatedMedium], split: Date | None) -> None:
    """Refuse a split of which a medium is not known to lie before or after it."""
    if split is None:
        return
    vague = next((one for one in media if one.date.first < split <= one.date.last), None)
    if vague:
        raise UsageError(
            f"--split {split}: the date of {vague.path} is known to the {vague.date.kind} only ({vague.date.name}), "
            "and may be before or after; write the day",
            code="dates_invalid",
        )
    after = sum(one.date.first >= split for one in media)
    if after in (0, len(media)):
        raise UsageError(f"--split {split}: all media have dates {'after' if after else 'before'} it", code="bad_split")


def _group_names(media: Sequence[DatedMedium]) -> dict[str | None, str]:
    """Name each group: as itself, but for the smaller ones of too many."""
    counts = Counter(one.group for one in media if one.group is not None)
    by_size = sorted(counts, key=lambda group: (-counts[group], group))
    return {group: group if i < MAX_GROUPS else OTHERS for i, group in enumerate(by_size)}


_Scores = dict[TrendSubject, list[tuple[int, Values]]]


def _scores(sides: Sequence[RunTables], time: Time, aoi_type: str | None, metrics: Sequence[str]) -> _Scores:
    """Read the scores of each subject, by run."""
    found: _Scores = {}
    for number, side in enumerate(sides):
        for subject, values in read_subject_scores(side, time, aoi_type):
            if not metrics or subject.metric in metrics:
                found.setdefault(subject, []).append((number, values))
    return dict(sorted(found.items(), key=lambda item: _place(item[0])))


def _place(subject: TrendSubject) -> tuple[bool, int]:
    """Order scores of media first; all as they are listed."""
    order = list(AOI_SPECS if subject.aoi_type else SPECS)
    return bool(subject.aoi_type), order.index(subject.metric) if subject.metric in order else len(order)


def _trends(
    media: Sequence[DatedMedium], names: dict[str | None, str] | None, scores: _Scores, frame: TrendFrame
) -> Iterator[Trend]:
    """Yield one trend for each subject and group that has values."""
    groups = [None] if names is None else list(dict.fromkeys(names.values()))
    for subject, parts in scores.items():
        values = dict(parts)
        for group in groups:
            some = media if names is None else [one for one in media if names.get(one.group) == group]
            dated = [
                DatedScore(one.date.middle, *values[one.side][one.medium_id])
                for one in some
                if one.medium_id in values.get(one.side, {})
            ]
            if dated:
                yield _trend(subject, group, dated, frame)


def _trend(subject: TrendSubject, group: str | None, scores: Sequence[DatedScore], frame: TrendFrame) -> Trend:
    spec = subject.spec
    empty = Trend(group, subject.aoi_type, subject.metric, spec.title, frame.time, subject.unit, (), 0, frame.per)
    return measure_trend(empty, scores, frame.kind, low=spec.low, high=spec.high, split=frame.split)


def _source_in_words(date: str, attributes: str | Path | None) -> str:
    words = {RUN: "when each run was made", PATH: "names of folders and files"}
    return f"column {date!r} of {attributes}" if attributes and date not in words else words.get(date, date)


def _of_time(periods: Sequence[CalendarPeriod]) -> Iterator[str]:
    if len(set(periods)) == 1:
        yield f"All dates lie in one {periods[0].kind}: a course takes several, from more runs or a table of dates."


def _notes(
    sides: Sequence[RunTables], dated: DatedMedia, names: dict[str | None, str], by: str | None, aoi_type: str | None
) -> Iterator[str]:
    """Say what to bear in mind."""
    if dated.undated:
        path, reason = dated.undated[0]
        yield f"Left out for want of a date: {media_count(len(dated.undated))}, such as {path}: {reason}."
    if dated.unused:
        yield f"{dated.unused} rows of the table name no medium of the runs."
    lone = sum(one.group is None for one in dated.media) if by else 0
    if lone:
        yield f"In no line for want of {by}: {media_count(lone)}."
    rest = [group for group, name in names.items() if name == OTHERS]
    if by and rest:
        yield f"The {MAX_GROUPS} largest groups have lines of their own; {len(rest)} others are put together."
    used = [sides[i] for i in sorted({one.side for one in dated.media})]
    blind = [str(side.path) for side in used if aoi_type and not side.areas_wanted]
    if blind:
        yield f"No areas were looked for in {', '.join(blind)}: {aoi_type} is not followed there."
