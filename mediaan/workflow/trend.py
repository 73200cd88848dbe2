"""Scores of runs over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date as Date
from pathlib import Path
from typing import Literal, NamedTuple

from mediaan.comparison.period_means import Showing
from mediaan.comparison.periods import Period, choose_kind, coarsest, period_of
from mediaan.comparison.trend import measure_trend, settle_trends, slope_unit
from mediaan.comparison.trend_subjects import AOI_SPECS, FOLLOWED, SPECS, Subject
from mediaan.config.vocabulary import did_you_mean
from mediaan.errors import UsageError
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.counts import media_count
from mediaan.types.metrics import Time
from mediaan.types.trend import PERIOD_KINDS, PeriodKind, Trend, Trends
from mediaan.workflow.drift_side import Side, read_side
from mediaan.workflow.trend_scores import Values, scores_of
from mediaan.workflow.trend_showings import PATH, RUN, Dated, DatedMedium, date_media
from mediaan.workflow.trend_yardsticks import check_yardsticks


class Frame(NamedTuple):
    """What all trends that are looked at together share."""

    time: Time
    kind: PeriodKind
    per: PeriodKind
    split: Date | None


MOST_GROUPS = 6
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
    sides = [read_side(run) for run in ([runs] if isinstance(runs, str | Path) else runs)]
    aoi_type = None if aoi == "none" else aoi
    dated = date_media(sides, date, attributes, by, type)
    kind = _kind(dated.media, period)
    _check_split(dated.media, split)
    cautions = check_yardsticks(sides, dated.media, aois=aoi_type is not None, despite=despite)
    names = _group_names(dated.media)
    span = max(one.date.middle for one in dated.media) - min(one.date.middle for one in dated.media)
    scores = _scores(sides, time, aoi_type, metrics)
    found = tuple(_trends(dated.media, names if by else None, scores, Frame(time, kind, slope_unit(span.days), split)))
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
        trends=settle_trends(found),
    )


def _nothing(sides: Sequence[Side], metrics: Sequence[str], time: Time) -> UsageError:
    what = ", ".join(metrics) or "any score"
    known = [side.scores[side.scores["metric"].isin(metrics)] for side in sides]
    times = sorted({str(name) for rows in known for name in rows["metric_time"].unique()} - {time})
    hint = f"; take --time {times[0]}" if times else ""
    return UsageError(f"the media with a date have no value of {what} at the time {time}{hint}", code="no_scores")


def _without_type(metrics: Sequence[str], aoi: str) -> tuple[list[str], str]:
    """Names of metrics, and the type of AOIs that they say: ``headline_text.attention``."""
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
    least = coarsest(dates)
    if PERIOD_KINDS.index(period) < PERIOD_KINDS.index(least):
        vague = next(one for one in media if one.date.kind == least)
        raise UsageError(
            f"--period {period}: the date of {vague.path} is known to the {least} only ({vague.date.name}); "
            f"take --period {least}, or write the day",
            code="dates_invalid",
        )
    return period


def _check_split(media: Sequence[DatedMedium], split: Date | None) -> None:
    """Every medium must be known to lie before it or not."""
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
    """What each group is called: itself, but the smaller ones of too many."""
    counts = Counter(one.group for one in media if one.group is not None)
    by_size = sorted(counts, key=lambda group: (-counts[group], group))
    return {group: group if i < MOST_GROUPS else OTHERS for i, group in enumerate(by_size)}


_Scores = dict[Subject, list[tuple[int, Values]]]


def _scores(sides: Sequence[Side], time: Time, aoi_type: str | None, metrics: Sequence[str]) -> _Scores:
    """What there is of each subject, by run."""
    found: _Scores = {}
    for number, side in enumerate(sides):
        for subject, values in scores_of(side, time, aoi_type):
            if not metrics or subject.metric in metrics:
                found.setdefault(subject, []).append((number, values))
    return dict(sorted(found.items(), key=lambda item: _place(item[0])))


def _place(subject: Subject) -> tuple[bool, int]:
    """Scores of media first; all as they are listed."""
    order = list(AOI_SPECS if subject.aoi_type else SPECS)
    return bool(subject.aoi_type), order.index(subject.metric) if subject.metric in order else len(order)


def _trends(
    media: Sequence[DatedMedium], names: dict[str | None, str] | None, scores: _Scores, frame: Frame
) -> Iterator[Trend]:
    """One for each subject and group that has values."""
    groups = [None] if names is None else list(dict.fromkeys(names.values()))
    for subject, parts in scores.items():
        values = dict(parts)
        for group in groups:
            some = media if names is None else [one for one in media if names.get(one.group) == group]
            showings = [
                Showing(one.date.middle, *values[one.side][one.medium_id])
                for one in some
                if one.medium_id in values.get(one.side, {})
            ]
            if showings:
                yield _trend(subject, group, showings, frame)


def _trend(subject: Subject, group: str | None, showings: Sequence[Showing], frame: Frame) -> Trend:
    spec = subject.spec
    empty = Trend(group, subject.aoi_type, subject.metric, spec.title, frame.time, subject.unit, (), 0, frame.per)
    return measure_trend(empty, showings, frame.kind, low=spec.low, high=spec.high, split=frame.split)


def _source_in_words(date: str, attributes: str | Path | None) -> str:
    words = {RUN: "when each run was made", PATH: "names of folders and files"}
    return f"column {date!r} of {attributes}" if attributes and date not in words else words.get(date, date)


def _of_time(periods: Sequence[Period]) -> Iterator[str]:
    if len(set(periods)) == 1:
        yield f"All dates lie in one {periods[0].kind}: a course takes several, from more runs or a table of dates."


def _notes(
    sides: Sequence[Side], dated: Dated, names: dict[str | None, str], by: str | None, aoi_type: str | None
) -> Iterator[str]:
    """What to bear in mind."""
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
        yield f"The {MOST_GROUPS} largest groups have lines of their own; {len(rest)} others are put together."
    used = [sides[i] for i in sorted({one.side for one in dated.media})]
    blind = [str(side.path) for side in used if aoi_type and not side.areas_wanted]
    if blind:
        yield f"No areas were looked for in {', '.join(blind)}: {aoi_type} is not followed there."
