"""The media of a run as rules see them, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from mediaan.aoi.screen_time import (
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
from mediaan.rules.evaluate import OVERLOOKED
from mediaan.rules.expression import Expression
from mediaan.rules.rule import FOUND_BY, Area, Measured, Reading
from mediaan.rules.scores import DURATION, LEGIBLE, SCREEN_TIMES
from mediaan.run import Run
from mediaan.run.by_medium import ByMedium, Cells, copied_media, count_media, done_media
from mediaan.run.objectives import objective_of
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES, AoiType
from mediaan.types.metrics import Time

_AOI = ["aoi_id", "type", "label", "source", "t0_s", "t1_s", "text", "legible"]
_SOURCE = _AOI.index("source")
_SCORE = ["metric", "metric_time", "value", "lo", "hi", "reason"]

Scores = dict[tuple[str, Time], Reading]


class RuledMedium(NamedTuple):
    """A file of a run with what decides which rules are meant for it."""

    measured: Measured
    type: str
    objective: Mapping[str, Any]


def ruled_media(run: Run, expressions: Sequence[Expression]) -> Iterator[RuledMedium]:
    """Analysed files, in the order of the table media, with those of their scores that rules speak of."""
    wanted = {(e.metric, e.time) for e in expressions}
    timed = any(metric in SCREEN_TIMES for metric, _ in wanted)
    copied = copied_media(run.path)
    known: dict[str, _Rows] = {}  # of media with several paths, whose rows stand at the first
    looked_for = types_looked_for(run)
    with ExitStack() as stack:
        metrics = stack.enter_context(ByMedium(run.path, "metrics", _SCORE))
        aois = stack.enter_context(ByMedium(run.path, "aois", _AOI))
        aoi_scores = stack.enter_context(ByMedium(run.path, "aoi_scores", ["aoi_id", *_SCORE]))
        courses = stack.enter_context(_Courses(run.path)) if timed else None
        for path, medium_id, kind in done_media(run.path):
            rows = known.get(medium_id)
            if rows is None:
                course = courses.of(medium_id) if courses else None
                rows = _Rows(metrics.of(medium_id), aois.of(medium_id), aoi_scores.of(medium_id), course)
                if medium_id in copied:
                    known[medium_id] = rows
            objective = objective_of(run.facts, path)
            sources = frozenset(row[_SOURCE] for row in rows.aois)
            brand = objective.get("brand")
            measured = Measured(
                path=path,
                medium_id=medium_id,
                scores=_scores(rows.metrics, wanted) | (_of_film(rows.course) if rows.course else {}),
                areas=tuple(_areas(rows, wanted, [brand["name"], *brand.get("aliases", ())] if brand else [])),
                looked_for=looked_for(sources),
                duration_s=rows.course.duration_s if rows.course else None,
                brand_named=brand is not None or "drawn" in sources,
            )
            if rows.course:
                measured = replace(measured, scores={**measured.scores, (END_CARD.name, "total"): _end_card(measured)})
            yield RuledMedium(measured, kind, objective)


class _Rows(NamedTuple):
    """What the tables of a run hold of a medium."""

    metrics: list[Cells]
    aois: list[Cells]
    aoi_scores: list[Cells]
    course: _Course | None


@dataclass(frozen=True, slots=True)
class _Course:
    """How a medium that moves goes on.

    Attributes
    ----------
    samples : tuple of Span
        From when to when each sample stands, s.
    sightings : mapping of str to list of float
        Instants, s, at which each area that is tracked is visible, by its id.
    shots : tuple of float
        When each begins, s.
    """

    samples: tuple[Span, ...]
    sightings: Mapping[str, list[float]]
    shots: tuple[float, ...]

    @property
    def duration_s(self) -> float:
        """Until when the last sample stands."""
        return self.samples[-1][1]

    def spans(self, aoi_id: str, t0_s: float | None, t1_s: float | None) -> tuple[Span, ...]:
        """When an area is on screen: at its sightings; one without any from `t0_s`, or the beginning, to `t1_s`."""
        if aoi_id in self.sightings:
            return tracked_spans(self.sightings[aoi_id], self.samples)
        span = (t0_s or 0.0, self.duration_s if t1_s is None else min(t1_s, self.duration_s))
        return (span,) if span[1] > span[0] else ()


class _Courses:
    """Those of all media that move in a run, one after the other."""

    def __init__(self, run_dir: Path) -> None:
        self._stack = ExitStack()
        tables = {"frames": ["t_s", "weight_s"], "aoi_tracks": ["aoi_id", "t_s"], "scenes": ["start_s"]}
        self._tables = {
            name: self._stack.enter_context(ByMedium(run_dir, name, columns)) for name, columns in tables.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def of(self, medium_id: str) -> _Course | None:
        """That of a medium; None of a still picture."""
        samples = tuple((begin, begin + weight) for begin, weight in self._tables["frames"].of(medium_id))
        sightings: dict[str, list[float]] = {}
        for aoi_id, t_s in self._tables["aoi_tracks"].of(medium_id):
            sightings.setdefault(aoi_id, []).append(t_s)
        shots = tuple(begin for (begin,) in self._tables["scenes"].of(medium_id))
        return _Course(samples, sightings, shots) if samples else None


def _of_film(course: _Course) -> Scores:
    return {
        (DURATION.name, "total"): Reading(course.duration_s),
        (OPENING_SHOTS.name, "total"): Reading(float(opening_shots(course.shots))),
    }


def _end_card(measured: Measured) -> Reading:
    """Seconds of the last ones with the brand or a call to action; a brand that nobody named may be overlooked."""
    if not measured.looked_for >= {"branding", "call_to_action"}:
        return Reading(None, reason="Areas of the types branding and call_to_action were not looked for in it.")
    marks = [area.on_screen for area in measured.areas if area.shows_brand or area.type == "call_to_action"]
    seconds = end_card_s(marks, measured.duration_s or 0.0)
    if not seconds and not measured.brand_named:
        return Reading(None, reason=f"Neither brand nor call to action was found in the last 3 s, {OVERLOOKED}.")
    return Reading(seconds)


def _scores(rows: Iterable[Cells], wanted: Collection[tuple[str, str]]) -> Scores:
    """Scores that are wanted."""
    return {
        (metric, time): Reading(value, lo, hi, reason)
        for metric, time, value, lo, hi, reason in rows
        if (metric, time) in wanted
    }


def _areas(rows: _Rows, wanted: Collection[tuple[str, str]], names: Sequence[str]) -> Iterator[Area]:
    """Areas of a medium with their scores, and where it moves with when they are on screen; `names` are the brand's."""
    scores: dict[str, list[Cells]] = {}
    for aoi_id, *score in rows.aoi_scores:
        scores.setdefault(aoi_id, []).append(tuple(score))
    for aoi_id, kind, label, _, t0_s, t1_s, text, legible in rows.aois:
        spans = rows.course.spans(aoi_id, t0_s, t1_s) if rows.course else ()
        facts = _of_text(text, legible, spans) if kind in TEXT_TYPES else {}
        if spans:
            facts[APPEARS.name, "total"] = Reading(spans[0][0])
        known = {key: reading for key, reading in facts.items() if key in wanted}
        shows = kind in TEXT_TYPES and names_brand(text, names)
        yield Area(aoi_id, kind, label, _scores(scores.get(aoi_id, ()), wanted) | known, spans, shows)


def _of_text(text: str | None, legible: bool | None, spans: Sequence[Span]) -> Scores:
    """Whether a text can be read, and how fast it has to be."""
    readable, speed = None if legible is None else float(legible), characters_per_s(text, spans) if text else None
    return {
        (LEGIBLE.name, "total"): Reading(readable, reason="Its contrast is not known." if legible is None else None),
        (CHARACTERS_PER_S.name, "total"): Reading(speed, reason=None if text else "The text was not read."),
    }


def types_looked_for(run: Run) -> Callable[[frozenset[str]], frozenset[AoiType]]:
    """Types of areas that would be known of a medium if they were there, by where those that it has come from.

    Whoever draws areas on a medium says what there is. A later search may not have come by every file; then only where
    it found something it surely was.
    """
    everywhere = FOUND_BY[run.facts["recipe"].get("aois", "none")]
    somewhere: frozenset[AoiType] = frozenset()
    changes = run.facts.get("aoi_changes", ())
    media = count_media(run.path) if changes else 0
    for change in changes:
        found = FOUND_BY.get(change.get("detected", "none"), frozenset())
        if change["media"] >= media:
            everywhere |= found
        somewhere |= found
    all_types: frozenset[AoiType] = frozenset(AOI_TYPES)

    def looked_for(sources: frozenset[str]) -> frozenset[AoiType]:
        if "drawn" in sources:
            return all_types
        return everywhere | somewhere if "detected" in sources else everywhere

    return looked_for
