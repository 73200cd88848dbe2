"""Evaluate rules on the media of a finished run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from mediaan.aoi.scoring.film_scores import (
    LONG_ENOUGH,
    UNKNOWN,
    WORDS,
    WORDS_PER_S,
    FilmArea,
    FilmFacts,
    FilmScore,
    count_words,
    is_long_enough,
    score_film,
    words_per_s,
)
from mediaan.aoi.scoring.screen_time import (
    APPEARS,
    CHARACTERS_PER_S,
    END_CARD,
    OPENING_SHOTS,
    Span,
    characters_per_s,
    end_card_s,
    names_brand,
    opening_shots,
    tracked_spans,
)
from mediaan.aoi.scoring.specs import ATTENTION, PERCENTAGE_SEEN
from mediaan.benchmark.norm import PERCENTS
from mediaan.config.rule_sets import load_rules
from mediaan.config.rules import RuleSettings, rules_from, rules_of_run
from mediaan.errors import UsageError
from mediaan.report import refresh_report
from mediaan.rules.check import Check, UnanalyzedFile
from mediaan.rules.evaluate import OVERLOOKED_BRAND, LimitAt, evaluate, no_population
from mediaan.rules.rule import Expression, Limit, RuleArea, RuleMedium, ScoreReading
from mediaan.rules.scores import COVERED, CROPPED, DURATION, LEGIBLE, SCREEN_TIMES, TEXT_HEIGHT, X_HEIGHT
from mediaan.run import Run, read_run
from mediaan.run.aois.searches import types_looked_for
from mediaan.run.lock import hold_run
from mediaan.run.tables.reading import Cells, RowsByMedium, copied_media, done_media, table_rows
from mediaan.run.tables.writing import replace_table
from mediaan.types.aoi import TEXT_TYPES, AoiType, Box, Brand
from mediaan.types.checks import RuleResult
from mediaan.types.densities import Window
from mediaan.workflow.rating.populations import PopulationCase, load_populations, rating_arguments

_BOX = ["x0", "y0", "x1", "y1"]
_AOI = ["aoi_id", "type", "label", "source", "t0_s", "t1_s", "text", "legible", *_BOX]
_SOURCE, _TEXT, _LEGIBLE = (_AOI.index(name) for name in ("source", "text", "legible"))
_SCORE = ["metric", "metric_time", "value", "lo", "hi", "reason"]
_PLACED = {
    COVERED.name: "covered", CROPPED.name: "cropped", TEXT_HEIGHT.name: "text_px", X_HEIGHT.name: "x_height_arcmin"
}  # fmt: skip
"""Column of the table placements that holds each score."""

Scores = dict[tuple[str, Window], ScoreReading]


class RuledMedium(NamedTuple):
    """A file of a run with what decides which rules are meant for it."""

    measured: RuleMedium
    kind: str
    objective: Mapping[str, Any]


def ruled_media(run: Run, expressions: Sequence[Expression]) -> Iterator[RuledMedium]:
    """Yield analyzed files, in the order of the table media, with those of their scores that rules use."""
    wanted = {(e.metric, e.time) for e in expressions}
    timed = any(metric in SCREEN_TIMES for metric, _ in wanted)
    placed = [expression for expression in expressions if expression.is_placed]
    copied = copied_media(run.path)
    known: dict[str, _Rows] = {}  # of media with several paths, whose rows stand at the first
    looked_for = types_looked_for(run)
    with ExitStack() as stack:
        metrics = stack.enter_context(RowsByMedium(run.path, "metrics", _SCORE))
        aois = stack.enter_context(RowsByMedium(run.path, "aois", _AOI))
        aoi_scores = stack.enter_context(RowsByMedium(run.path, "aoi_scores", ["aoi_id", *_SCORE]))
        of_videos = {"frames": ["t_s", "weight_s"], "aoi_tracks": ["aoi_id", "t_s", *_BOX], "scenes": ["start_s"]}
        if timed and (run.path / "tables" / "film.parquet").is_file():  # older runs have none
            of_videos["film"] = ["has_audio"]
        tables = {
            name: stack.enter_context(RowsByMedium(run.path, name, columns))
            for name, columns in (of_videos.items() if timed else ())
        }
        has_placements = bool(placed) and (run.path / "tables" / "placements.parquet").is_file()
        placements = (
            stack.enter_context(RowsByMedium(run.path, "placements", ["aoi_id", "placement", *_PLACED.values()]))
            if has_placements
            else None
        )
        for path, medium_id, kind in done_media(run.path):
            rows = known.get(medium_id)
            if rows is None:
                course = _read_course(tables, medium_id) if timed else None
                shown = placements.of(medium_id) if placements else []
                rows = _Rows(metrics.of(medium_id), aois.of(medium_id), aoi_scores.of(medium_id), course, shown)
                if medium_id in copied:
                    known[medium_id] = rows
            objective = run.metadata.objective(path)
            sources = frozenset(row[_SOURCE] for row in rows.aois)
            brand = Brand.of_objective(objective)
            names = [brand.name, *brand.aliases] if brand else []
            scores = _scores(rows.metrics, wanted)
            if rows.course:
                scores[DURATION.name, "total"] = ScoreReading(rows.course.duration_s)
                scores[OPENING_SHOTS.name, "total"] = ScoreReading(float(opening_shots(rows.course.shots)))
            measured = RuleMedium(
                path=path,
                medium_id=medium_id,
                scores=scores,
                areas=tuple(_areas(rows, wanted, names, placed)),
                looked_for=looked_for(sources),
                duration_s=rows.course.duration_s if rows.course else None,
                brand_named=(brand is not None and brand.is_recognizable) or "drawn" in sources,
                shots=rows.course.shots if rows.course else (),
            )
            if rows.course:
                film = score_film(_film_facts(measured, rows))
                scores |= {(name, "total"): ScoreReading(*score) for name, score in film.items()}
                measured = replace(measured, scores={**scores, (END_CARD.name, "total"): _end_card(measured)})
            yield RuledMedium(measured, kind, objective)


class _Rows(NamedTuple):
    """Rows of a medium in the tables of a run."""

    metrics: list[Cells]
    aois: list[Cells]
    aoi_scores: list[Cells]
    course: _Course | None
    placements: list[Cells]


@dataclass(frozen=True, slots=True)
class _Course:
    """Course of a video: samples, sightings of areas, shots.

    Attributes
    ----------
    samples : tuple of Span
        From when to when each sample stands, s.
    sightings : mapping of str to list of float
        Instants, s, at which each area that is tracked is visible, by its id.
    shots : tuple of float
        When each begins, s.
    largest : mapping of str to float
        Largest share of the frame that an area which is tracked takes, 0-1, by its id.
    has_audio : bool or None
        None where it is not known.
    """

    samples: tuple[Span, ...]
    sightings: Mapping[str, list[float]]
    shots: tuple[float, ...]
    largest: Mapping[str, float]
    has_audio: bool | None

    @property
    def duration_s(self) -> float:
        """Until when the last sample stands."""
        return self.samples[-1][1]

    def spans(self, aoi_id: str, t0_s: float | None, t1_s: float | None) -> tuple[Span, ...]:
        """Return when an area is on screen: at its sightings, otherwise from `t0_s` or the start to `t1_s`."""
        if aoi_id in self.sightings:
            return tracked_spans(self.sightings[aoi_id], self.samples)
        span = (t0_s or 0.0, self.duration_s if t1_s is None else min(t1_s, self.duration_s))
        return (span,) if span[1] > span[0] else ()


def _read_course(tables: Mapping[str, RowsByMedium], medium_id: str) -> _Course | None:
    """Read the course of a medium; None for a still image."""
    samples = tuple((begin, begin + weight) for begin, weight in tables["frames"].of(medium_id))
    sightings: dict[str, list[float]] = {}
    largest: dict[str, float] = {}
    for aoi_id, t_s, *sides in tables["aoi_tracks"].of(medium_id):
        sightings.setdefault(aoi_id, []).append(t_s)
        largest[aoi_id] = max(largest.get(aoi_id, 0.0), Box(*sides).area)
    shots = tuple(begin for (begin,) in tables["scenes"].of(medium_id))
    has_audio = next((known for (known,) in tables["film"].of(medium_id)), None) if "film" in tables else None
    return _Course(samples, sightings, shots, largest, has_audio) if samples else None


def _film_facts(measured: RuleMedium, rows: _Rows) -> FilmFacts:
    """Return what a video is scored by as a whole."""
    assert rows.course is not None
    of_area: dict[str, dict[str, FilmScore]] = {}
    for aoi_id, metric, time, value, lo, hi, reason in rows.aoi_scores:
        if time == "total":
            of_area.setdefault(aoi_id, {})[metric] = FilmScore(value, lo, hi, reason)
    boxes = {row[0]: (Box(*row[-4:]), row[_TEXT], row[_LEGIBLE]) for row in rows.aois}
    areas = []
    for area in measured.areas:
        box, text, legible = boxes[area.aoi_id]
        known = of_area.get(area.aoi_id, {})
        areas.append(
            FilmArea(
                type=area.type,
                spans=area.on_screen,
                box=box,
                largest=rows.course.largest.get(area.aoi_id, box.area),
                shows_brand=area.shows_brand,
                text=text,
                legible=legible,
                attention=known[ATTENTION.name].value if ATTENTION.name in known else None,
                seen=known.get(PERCENTAGE_SEEN.name, UNKNOWN),
            )
        )
    return FilmFacts(
        duration_s=rows.course.duration_s,
        shots=rows.course.shots or (0.0,),
        areas=areas,
        looked_for=measured.looked_for,
        brand_named=measured.brand_named,
        has_audio=rows.course.has_audio,
    )


def _end_card(measured: RuleMedium) -> ScoreReading:
    """Return the seconds of the last ones with the brand or a call to action; an unnamed brand may be overlooked."""
    if not measured.looked_for >= {"branding", "call_to_action"}:
        return ScoreReading(None, reason="Areas of the types branding and call_to_action were not looked for in it.")
    marks = [area.on_screen for area in measured.areas if area.shows_brand or area.type == "call_to_action"]
    seconds = end_card_s(marks, measured.duration_s or 0.0)
    if not seconds and not measured.brand_named:
        return ScoreReading(
            None, reason=f"Neither brand nor call to action was found in the last 3 s, {OVERLOOKED_BRAND}."
        )
    return ScoreReading(seconds)


def _scores(rows: Iterable[Cells], wanted: Collection[tuple[str, str]]) -> Scores:
    """Return the scores that are wanted."""
    return {
        (metric, time): ScoreReading(value, lo, hi, reason)
        for metric, time, value, lo, hi, reason in rows
        if (metric, time) in wanted
    }


def _areas(
    rows: _Rows, wanted: Collection[tuple[str, str]], names: Sequence[str], placed: Sequence[Expression]
) -> Iterator[RuleArea]:
    """Yield areas of a medium with their scores, and for video when they are on screen; `names` are the brand's."""
    scores: dict[str, list[Cells]] = {}
    for aoi_id, *score in rows.aoi_scores:
        scores.setdefault(aoi_id, []).append(tuple(score))
    for aoi_id, aoi_type, label, _, t0_s, t1_s, text, legible, *_ in rows.aois:
        spans = rows.course.spans(aoi_id, t0_s, t1_s) if rows.course else ()
        facts: Scores = {}
        if aoi_type in TEXT_TYPES:  # whether it can be read, and how fast it must be read
            readable = None if legible is None else float(legible)
            unknown = "Its contrast is not known." if legible is None else None
            facts[LEGIBLE.name, "total"] = ScoreReading(readable, reason=unknown)
            speed = characters_per_s(text, spans) if text else None
            unread = None if text else "The text was not read."
            facts[CHARACTERS_PER_S.name, "total"] = ScoreReading(speed, reason=unread)
            words = {
                WORDS: float(count_words(text)) if text else None,
                WORDS_PER_S: words_per_s(text, spans) if text else None,
                LONG_ENOUGH: float(is_long_enough(text, spans)) if text and spans else None,
            }
            why = unread or "It is never on screen."
            facts |= {
                (spec.name, "total"): ScoreReading(value, reason=None if value is not None else why)
                for spec, value in words.items()
            }
        if spans:
            facts[APPEARS.name, "total"] = ScoreReading(spans[0][0])
        known = {key: reading for key, reading in facts.items() if key in wanted}
        known |= {(one.key, one.time): _as_placed(rows.placements, aoi_id, one) for one in placed}
        shows = aoi_type in TEXT_TYPES and names_brand(text, names)
        yield RuleArea(aoi_id, aoi_type, label, _scores(scores.get(aoi_id, ()), wanted) | known, spans, shows)


def _as_placed(rows: Sequence[Cells], aoi_id: str, expression: Expression) -> ScoreReading:
    """Return how the placements of a medium show an area: the worst of them, or the one that is named."""
    if not rows:
        return ScoreReading(None, reason="The file has no placement; state one in its objectives.")
    column = list(_PLACED).index(expression.metric)
    of_area = [row for row in rows if row[0] == aoi_id and expression.placement in (None, row[1])]
    if not of_area:
        return ScoreReading(None, reason=f"The file is not shown in {expression.placement}.")
    values = [value for row in of_area if (value := row[2 + column]) is not None]
    if not values:
        pixels = expression.metric == TEXT_HEIGHT.name and any(row[-1] is not None for row in of_area)
        return ScoreReading(None, reason="The placement has no pixels." if pixels else "The area has no text.")
    return ScoreReading(max(values) if expression.spec.direction == "lower" else min(values))


_HOW_TO_LOOK = "analyze with --aois all, or `mediaan aois detect` the files"


def check_run(
    run: Run | str | Path,
    rules: str | Path | Sequence[str | Mapping[str, Any]] | None = None,
    *,
    keep: bool = False,
) -> Check:
    """Evaluate rules on the media of a run.

    Parameters
    ----------
    run : Run or path
    rules : path, str or sequence, optional
        YAML file with `rules`; the name of a rule set that ships, such as ``abcd``; or rules, as texts or mappings; by
        default the rules that the run was made with.
    keep : bool
        Put the results in the run's table and report, and the rules in ``run.json``.

    Returns
    -------
    Check
        ``check.results`` are rows: ``pandas.DataFrame(check.results)``.

    Raises
    ------
    UsageError
        No run, no such file, no rules (``no_rules``), or rules on areas of interest that nobody looked for
        (``rules_need_aois``).
    """
    run = run if isinstance(run, Run) else read_run(run)
    if rules is None:
        settings = rules_of_run(run.metadata.rules)
    else:
        settings = load_rules(rules) if isinstance(rules, (str, Path)) else rules_from(rules)
    if not settings:
        message = f"{run.path}: was made without rules; give a file of rules, or a rule set, with --rules"
        raise UsageError(message, code="no_rules")
    # rules on areas that nobody looked for on any of their media
    looked_for: dict[int, frozenset[AoiType]] = {}
    for medium in ruled_media(run, [one.expression for one in settings]):
        for place, one in enumerate(settings):
            if _is_for(one, medium):
                looked_for[place] = looked_for.get(place, frozenset()) | medium.measured.looked_for
    for place, found in looked_for.items():
        check_needs([settings[place]], found)
    results = tuple(_results(run, settings))
    columns = ["status", "path", "error_code", "error_message"]
    rows = table_rows(run.path, "media", columns)
    unanalyzed = tuple(UnanalyzedFile(*row[1:]) for row in rows if row[0] != "done")
    media = sum(1 for _ in done_media(run.path))
    check = Check(str(run.path), tuple(one.as_rule() for one in settings), results, media, unanalyzed)
    if keep:
        with hold_run(run.path):
            read_run(run.path).metadata.updated(rules=[one.written() for one in settings]).write(run.path)
            _keep_results(run, check.results)
            refresh_report(run.path)
    return check


def refresh_rule_results(run: Run) -> bool:
    """Evaluate the run's own rules on it as it is now, and store the results; return whether it has any."""
    settings = rules_of_run(run.metadata.rules)
    if settings:
        _keep_results(run, _results(run, settings))
    return bool(settings)


def check_needs(settings: Iterable[RuleSettings], looked_for: Collection[AoiType]) -> None:
    """Refuse rules on areas of interest of which nobody looks for any.

    Raises
    ------
    UsageError
        With code ``rules_need_aois``.
    """
    for one in settings:
        aoi_type = one.expression.aoi_type
        if aoi_type is not None and aoi_type not in looked_for:
            why = "which were not looked for; " + _HOW_TO_LOOK
            if aoi_type == "other":
                why = "of which a search finds offers alone, not all that there may be; apply a file of drawn ones"
            raise UsageError(
                f"the rule {one.rule!r} needs areas of interest of the type {aoi_type}, {why}", code="rules_need_aois"
            )


def _results(run: Run, settings: Sequence[RuleSettings]) -> Iterator[RuleResult]:
    """Yield results by medium, then by rule."""
    expressions = [one.expression for one in settings]
    limit_at = _limits(run) if any(e.percent is not None for e in expressions) else no_population
    held = [(one, one.as_rule()) for one in settings]
    for medium in ruled_media(run, expressions):
        for rule in dict.fromkeys(rule for one, rule in held if _is_for(one, medium)):
            yield evaluate(rule, medium.measured, limit_at)


def _is_for(settings: RuleSettings, medium: RuledMedium) -> bool:
    return settings.is_for(medium.measured.path, medium.kind, medium.objective)


def _limits(run: Run) -> LimitAt:
    """Return a function for percentiles of the populations that the run's media are compared with."""
    populations = load_populations(run, **rating_arguments(run))

    @cache
    def limit_of(
        case: PopulationCase | None, metric: str, time: Window, aoi_type: AoiType | None, percent: int
    ) -> Limit | str:
        match = populations.find(case, metric, time, aoi_type)
        if case is None or isinstance(match, str):
            return str(match)
        title = populations.sets[case.source].title
        seen = "" if match.exposure_s is None else f" looked at for {match.exposure_s:g} s"
        whose = f"every {aoi_type}{seen} in {title}" if aoi_type else title
        part = "" if match.segment == "all" else f", {match.segment}"
        ending = "th" if percent % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(percent % 10, "th")
        words = f"{percent}{ending} percentile of {whose}{part}, n = {match.norm.n}"
        lo, hi = (float(ends[percent - PERCENTS[0]]) for ends in (match.norm.lo, match.norm.hi))
        return Limit(match.norm.value_at(percent), words, lo, hi)

    return lambda medium_id, *asked: limit_of(populations.cases.get(medium_id), *asked)


def _keep_results(run: Run, results: Iterable[RuleResult]) -> None:
    names = [field.name for field in fields(RuleResult)]
    cells = attrgetter(*names)
    replace_table(run.path, "rule_results", (dict(zip(names, cells(one), strict=True)) for one in results))
