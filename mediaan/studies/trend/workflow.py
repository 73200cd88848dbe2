"""Follow the scores of runs, of media and of their best AOIs of one type, over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple

from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, LIFT, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.metrics import metric_specs
from mediaan.studies.run_tables import RunTables, read_run_tables
from mediaan.studies.trend.dates import (
    PATH,
    PERIOD_KINDS,
    RUN,
    CalendarPeriod,
    DatedMedia,
    DatedMedium,
    PeriodKind,
    choose_kind,
    coarsest_kind,
    date_media,
    period_of,
)
from mediaan.studies.trend.statistics import (
    SHARE_UNIT,
    DatedScore,
    Trend,
    Trends,
    decide_trends,
    measure_trend,
    slope_unit,
)
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.arguments import check_items
from mediaan.types.densities import Window
from mediaan.types.glossary import media_count
from mediaan.types.metrics import MetricSpec, Score
from mediaan.workflow.ranges import comparability_key_of

PRESENCE = MetricSpec(
    "presence",
    "Files that have one",
    SHARE_UNIT,
    0,
    100,
    "higher",
    "measured",
    "Share of the files in which at least one such area was found.",
    "Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.",
)
FOLLOWED = (PRESENCE, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, LIFT)
"""Scores of AOIs that are followed."""
_FOLLOWED = frozenset(spec.name for spec in FOLLOWED)

SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in metric_specs()}
AOI_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (PRESENCE, *AOI_METRICS)}


class TrendSubject(NamedTuple):
    """Subject of a trend: a score of media, or of areas of a type."""

    aoi_type: str | None
    metric: str
    unit: str

    @property
    def spec(self) -> MetricSpec:
        """Specification; of a metric of another version its name and unit alone."""
        specs = AOI_SPECS if self.aoi_type else SPECS
        unknown = MetricSpec(self.metric, self.metric, self.unit, -inf, inf, "middle", "measured", "", "")
        return specs.get(self.metric, unknown)


Values = dict[str, Score]
"""Defined scores by medium id."""


def read_subject_scores(run: RunTables, time: Window, aoi_type: str | None) -> dict[TrendSubject, Values]:
    """Read defined scores by what they are of.

    `aoi_type`: also scores of AOIs of this type, where the run was asked for AOIs. Of several AOIs in a medium the main
        one stands for it (`mediaan.aoi.scoring.main_area`).
    """
    with_areas = aoi_type is not None and run.areas_wanted
    tables = ("metrics", "aois", "aoi_scores") if with_areas else ("metrics",)
    metrics = {*SPECS, *_FOLLOWED, *(spec["name"] for spec in run.facts.get("metrics", ()))}
    by_subject: dict[TrendSubject, Values] = {}
    for result in run.results(tables, metrics):
        medium_id = str(result.medium.medium_id)
        scores: list[tuple[str | None, Score]] = [(None, score) for score in result.scores]
        if aoi_type and with_areas:
            area = main_area(result.aois or (), aoi_type)
            presence = Score.of(PRESENCE, 0.0 if area is None else 100.0, time=time)
            of_area = [score for score in area.scores if score.metric in _FOLLOWED] if area else []
            scores += [(aoi_type, score) for score in (presence, *of_area)]
        for kind, score in scores:
            if score.time == time and score.value is not None:
                by_subject.setdefault(TrendSubject(kind, score.metric, score.unit), {})[medium_id] = score
    return by_subject


def check_comparable(
    runs: Sequence[RunTables], media: Sequence[DatedMedium], *, aois: bool, despite: str = ""
) -> tuple[str, ...]:
    """Refuse media that were measured differently: a new model in between is not a trend.

    `media`: of these runs; runs without any do not matter.
    Returns: what was passed over for that reason, to be told; empty where there was nothing.
    Raises UsageError: ``not_comparable``, with every reason.
    """
    kinds, measures = list[str](), list[str]()
    moving = sum(medium.type != "image" for medium in media)
    if 0 < moving < len(media):
        kinds.append(
            f"scores of {len(media) - moving} images are about their exposure, those of {moving} videos about their "
            "own length"
        )
    used = [runs[i] for i in sorted({medium.run for medium in media})]
    # of areas only runs that were asked for them matter
    with_areas = [run for run in used if aois and run.areas_wanted]
    for of_areas, compared in ((False, used), (True, with_areas)):
        for other in compared[1:]:
            for a, b in ((compared[0], other), (other, compared[0])):  # either may lack what the other has
                keys = _comparability_key(a), _comparability_key(b)
                names = str(a.path), str(b.path)
                mismatches = keys[0].mismatches(keys[1], aois=of_areas, videos=moving > 0, names=names)
                measures += mismatches
                if mismatches:
                    break
    images = (medium for medium in media if aois and medium.type == "image" and runs[medium.run].areas_wanted)
    exposures = sorted({runs[image.run].run.exposure_s(image.path) for image in images})
    if len(exposures) > 1:
        listed = ", ".join(f"{exposure:g}" for exposure in exposures)
        measures.append(f"areas of images have exposures of {listed} s")
    reasons = tuple(dict.fromkeys((*kinds, *measures)))
    if reasons and not despite:
        remedy = (
            "Analyze them again with one version and the same settings"
            if measures
            else "Follow one of them with --type"
        )
        raise UsageError(
            "these files were not measured in the same way, and a change of method is not a trend: "
            f"{'; '.join(reasons)}. "
            f"{remedy}, or combine them anyway with --despite REASON",
            code="not_comparable",
        )
    return tuple(f"Combined anyway ({despite}): {reason}." for reason in reasons)


def _comparability_key(run: RunTables) -> ComparabilityKey:
    """Return a run's key; older versions do not name their scales, but each used one; exposures are told by medium."""
    try:
        key = comparability_key_of(run.run.metadata)
    except UsageError as error:
        raise UsageError(f"{run.path}: {error.message}", code=error.code) from error
    return replace(key, scores_id=key.scores_id or f"those of mediaan {key.mediaan}", exposure_s=0.0)


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
    time: Window = "total",
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
    >>> trends = mn.trend(["january", "february", "march"], date="run")  # doctest: +SKIP
    >>> [(trend.title, trend.verdict) for trend in trends.trends]  # doctest: +SKIP
    """
    metrics, aoi_type = _parse_names(check_items(metrics, str, "metrics"), aoi, period)
    several = [runs] if isinstance(runs, str | Path) else check_items(runs, (str, Path), "runs")
    tables = [read_run_tables(run) for run in several]
    dated = date_media(tables, date, attributes, by, type)
    kind = _choose_period(dated.media, period, split)
    cautions = check_comparable(tables, dated.media, aois=aoi_type is not None, despite=despite)
    sizes = Counter(medium.group for medium in dated.media if medium.group is not None)
    by_size = sorted(sizes, key=lambda group: (-sizes[group], group))
    names: dict[str | None, str] = {group: group if i < MAX_GROUPS else OTHERS for i, group in enumerate(by_size)}
    days = [medium.date.middle for medium in dated.media]
    per = slope_unit((max(days) - min(days)).days)
    measured = []
    for subject, values in _read_scores(tables, time, aoi_type, metrics).items():
        spec = subject.spec
        for group in dict.fromkeys(names.values()) if by else (None,):
            scores = [
                DatedScore(score.value, score.lo, score.hi, day=medium.date.middle)
                for medium in dated.media
                if (group is None or names.get(medium.group) == group)
                and (score := values.get(medium.run, {}).get(medium.medium_id)) is not None
                and score.value is not None
            ]
            if scores:
                empty = Trend(group, subject.aoi_type, subject.metric, spec.title, time, subject.unit, (), 0, per)
                measured.append(measure_trend(empty, scores, kind, low=spec.low, high=spec.high, split=split))
    if not measured:
        raise _no_scores(tables, metrics, time)
    periods = [period_of(day, kind) for day in days]
    sources = {RUN: "when each run was made", PATH: "names of folders and files"}
    return Trends(
        runs=tuple(str(run.path) for run in tables),
        dates=f"column {date!r} of {attributes}" if attributes and date not in sources else sources.get(date, date),
        period=kind,
        first=min(periods).first,
        last=max(periods).last,
        by=by,
        groups=dict(Counter(names[medium.group] for medium in dated.media if medium.group is not None).most_common()),
        split=split,
        n=len(dated.media),
        undated=dated.undated,
        notes=(*cautions, *_notes(tables, dated, periods, names, by, aoi_type)),
        trends=decide_trends(measured),
    )


def _no_scores(tables: Sequence[RunTables], metrics: Sequence[str], time: Window) -> UsageError:
    """Return the error that no file has a value of the metrics at a time, with a time at which some have."""
    what = ", ".join(metrics) or "any score"
    scores_of = (result.scores for run in tables for result in run.results(("metrics",), metrics))
    times = sorted({score.time for scores in scores_of for score in scores} - {time})
    hint = f"; use --time {times[0]}" if times else ""
    return UsageError(f"the files with a date have no value of {what} at the time {time}{hint}", code="no_scores")


def _parse_names(metrics: Sequence[str], aoi: str, period: str) -> tuple[list[str], str | None]:
    """Return names of metrics, and the type of AOIs: ``headline_text.attention`` says both.

    Raises UsageError: something is called so by nobody (``unknown_name``).
    """
    parts = [(kind, rest) if rest else ("", kind) for kind, _, rest in (name.partition(".") for name in metrics)]
    kinds = sorted({kind for kind, _ in parts if kind})
    if len(kinds) > 1:
        raise UsageError(
            f"only one type of AOI can be followed at a time, not {' and '.join(kinds)}", code="unknown_name"
        )
    names, aoi = [metric for _, metric in parts], kinds[0] if kinds else aoi
    followed = [*SPECS, *(spec.name for spec in FOLLOWED)]
    for name, choices, what in (
        *((name, followed, "metric") for name in names),
        (aoi, [*AOI_TYPES, "none"], "AOI type"),
        (period, ["auto", *PERIOD_KINDS], "period"),
    ):
        if name not in choices:
            guess = did_you_mean(name, choices) or "."
            raise UsageError(f"no {what} {name!r}{guess} There are {', '.join(choices)}", code="unknown_name")
    return names, None if aoi == "none" else aoi


def _choose_period(
    media: Sequence[DatedMedium], period: PeriodKind | Literal["auto"], split: Date | None
) -> PeriodKind:
    """Return over what means are taken; refuse a period, or a split, that dates are not exact enough for."""
    dates = {medium.date for medium in media}
    least = coarsest_kind(dates)
    if period != "auto" and PERIOD_KINDS.index(period) < PERIOD_KINDS.index(least):
        vague = next(medium for medium in media if medium.date.kind == least)
        raise UsageError(
            f"--period {period}: the date of {vague.path} is known only to the {least} ({vague.date.name}); "
            f"use --period {least}, or write the day",
            code="dates_invalid",
        )
    if split is not None:
        unsure = next((medium for medium in media if medium.date.first < split <= medium.date.last), None)
        if unsure:
            raise UsageError(
                f"--split {split}: the date of {unsure.path} is known only to the {unsure.date.kind} "
                f"({unsure.date.name}), and may be before or after; write the day",
                code="dates_invalid",
            )
        after = sum(medium.date.first >= split for medium in media)
        if after in (0, len(media)):
            side = "after" if after else "before"
            raise UsageError(f"--split {split}: all files have dates {side} it", code="bad_split")
    return choose_kind(dates) if period == "auto" else period


def _read_scores(
    runs: Sequence[RunTables], time: Window, aoi_type: str | None, metrics: Sequence[str]
) -> dict[TrendSubject, dict[int, Values]]:
    """Read the scores of each subject, by run; scores of media first, all as they are listed."""
    by_subject: dict[TrendSubject, dict[int, Values]] = {}
    for number, run in enumerate(runs):
        for subject, values in read_subject_scores(run, time, aoi_type).items():
            if not metrics or subject.metric in metrics:
                by_subject.setdefault(subject, {})[number] = values

    def place(subject: TrendSubject) -> tuple[bool, int]:
        order = list(AOI_SPECS if subject.aoi_type else SPECS)
        return bool(subject.aoi_type), order.index(subject.metric) if subject.metric in order else len(order)

    return {subject: by_subject[subject] for subject in sorted(by_subject, key=place)}


def _notes(
    runs: Sequence[RunTables],
    dated: DatedMedia,
    periods: Sequence[CalendarPeriod],
    names: dict[str | None, str],
    by: str | None,
    aoi_type: str | None,
) -> Iterator[str]:
    """Say what to bear in mind."""
    if len(set(periods)) == 1:
        yield f"All dates are in one {periods[0].kind}: a trend needs several, from more runs or a table of dates."
    if dated.undated:
        path, reason = dated.undated[0]
        yield f"Left out, because they have no date: {media_count(len(dated.undated))}, such as {path}: {reason}."
    if dated.unused:
        yield f"{dated.unused} rows of the table match no file of the runs."
    ungrouped = sum(medium.group is None for medium in dated.media) if by else 0
    if ungrouped:
        yield f"In no line, because they have no {by}: {media_count(ungrouped)}."
    rest = [group for group, name in names.items() if name == OTHERS]
    if by and rest:
        yield f"The {MAX_GROUPS} largest groups have lines of their own; {len(rest)} others are combined."
    used = [runs[i] for i in sorted({medium.run for medium in dated.media})]
    without_areas = [str(run.path) for run in used if aoi_type and not run.areas_wanted]
    if without_areas:
        yield f"No areas were looked for in {', '.join(without_areas)}: {aoi_type} is not followed there."
